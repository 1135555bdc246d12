/*
 * ngx_http_iri_names.c - the names of servers: those with other characters
 * than ASCII become known by their A-labels, too
 *
 * Done once, when the configuration is read and before nginx makes a hash of
 * all names.  Whether and by which rules is said by iri_host of the default
 * servers of the addresses that a server listens on, since it is what counts
 * for requests to them (ngx_http_iri_host.c).  Names only ever come to those
 * that are there; none is taken from who has written it down.
 */

#include "ngx_http_iri.h"


/* While names are collected: all addresses that are listened on, and names. */
typedef struct {
    ngx_conf_t *cf;
    ngx_uint_t  switched_on; /* a server is on or in report */
    ngx_array_t addresses;   /* of ngx_http_conf_addr_t * */
    ngx_array_t added;       /* of ngx_http_server_name_t: A-labels */
} ngx_http_iri_names_t;


/* ---- the addresses of a server ------------------------------------------ */

static ngx_int_t
ngx_http_iri_names_add_addresses(ngx_http_iri_names_t *names)
{
    ngx_uint_t                 p, a;
    ngx_http_conf_port_t      *port;
    ngx_http_conf_addr_t      *addr, **slot;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(names->cf,
                                              ngx_http_core_module);

    if (cmcf->ports == NULL) {
        return NGX_OK;
    }

    port = cmcf->ports->elts;

    for (p = 0; p < cmcf->ports->nelts; p++) {
        addr = port[p].addrs.elts;

        for (a = 0; a < port[p].addrs.nelts; a++) {
            slot = ngx_array_push(&names->addresses);
            if (slot == NULL) {
                return NGX_ERROR;
            }

            *slot = &addr[a];
        }
    }

    return NGX_OK;
}


/* The next address from *i on that the server listens on, or NULL. */
static ngx_http_conf_addr_t *
ngx_http_iri_names_address(ngx_http_iri_names_t           *names,
                           const ngx_http_core_srv_conf_t *cscf,
                           ngx_uint_t                     *i)
{
    ngx_uint_t                 s;
    ngx_http_conf_addr_t     **addr = names->addresses.elts;
    ngx_http_core_srv_conf_t **server;

    while (*i < names->addresses.nelts) {
        server = addr[*i]->servers.elts;

        for (s = 0; s < addr[*i]->servers.nelts; s++) {
            if (server[s] == cscf) {
                return addr[(*i)++];
            }
        }

        (*i)++;
    }

    return NULL;
}


/* ---- what iri_host says -------------------------------------------------- */

/* The less strict of two, where neither need be on. */
static ngx_http_iri_srv_conf_t *
ngx_http_iri_names_either(ngx_http_iri_srv_conf_t  *found,
                          ngx_http_core_srv_conf_t *cscf)
{
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_host_conf(cscf);

    if (iscf->hosts == IRI_HOST_MODE_OFF || iscf->engine != IRI_ENGINE_ON) {
        return found;
    }

    return found != NULL && !found->host.strict ? found : iscf;
}


/*
 * By which rules the names of a server are to be mapped: those of the default
 * servers of its addresses.  NULL: none of these has iri_host on.
 */
static ngx_http_iri_srv_conf_t *
ngx_http_iri_names_rules(ngx_http_iri_names_t     *names,
                         ngx_http_core_srv_conf_t *cscf)
{
    ngx_uint_t               i = 0;
    ngx_http_conf_addr_t    *addr;
    ngx_http_iri_srv_conf_t *found = NULL;

    while ((addr = ngx_http_iri_names_address(names, cscf, &i)) != NULL) {
        found = ngx_http_iri_names_either(found, addr->default_server);
    }

    return found;
}


/* Somebody at this address does not say "iri off". */
static ngx_uint_t
ngx_http_iri_names_awaited(ngx_http_conf_addr_t *addr)
{
    ngx_uint_t                 s;
    ngx_http_core_srv_conf_t **server = addr->servers.elts;

    for (s = 0; s < addr->servers.nelts; s++) {
        if (ngx_http_iri_host_conf(server[s])->engine != IRI_ENGINE_OFF) {
            return 1;
        }
    }

    return 0;
}


/* It is on in a default server whose iri is off, and is wanted there. */
static void
ngx_http_iri_names_warn_off(ngx_http_iri_names_t     *names,
                            ngx_http_core_srv_conf_t *cscf,
                            ngx_uint_t                awaited)
{
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_host_conf(cscf);

    if (iscf->hosts == iscf->hosts_said || iscf->hosts_place->warned
        || !(awaited || iscf->hosts_own || !names->switched_on))
    {
        return;
    }

    iscf->hosts_place->warned = 1;

    ngx_log_error(NGX_LOG_WARN, names->cf->log, 0,
                  "iri: \"iri_host\" in %V:%ui does nothing at the addresses "
                  "of the default server in %s:%ui, where \"iri\" is off: "
                  "write \"iri on;\" there, too",
                  &iscf->hosts_place->file, iscf->hosts_place->line,
                  cscf->file_name, cscf->line);
}


/* It stands in a server, and that of the default server says otherwise. */
static void
ngx_http_iri_names_warn_other(ngx_http_iri_names_t     *names,
                              ngx_http_core_srv_conf_t *cscf,
                              ngx_http_core_srv_conf_t *counts)
{
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_host_conf(cscf);

    if (!iscf->hosts_own || counts == NULL) {
        return;
    }

    ngx_log_error(
        NGX_LOG_WARN, names->cf->log, 0,
        "iri: \"iri_host\" in %V:%ui has no effect, since the "
        "server in %s:%ui is not the default server of its address: "
        "write it in that in %s:%ui",
        &iscf->hosts_place->file, iscf->hosts_place->line, cscf->file_name,
        cscf->line, counts->file_name, counts->line);
}


/* iri_host where it has no effect, and so may be a misunderstanding. */
static void
ngx_http_iri_names_check(ngx_http_iri_names_t     *names,
                         ngx_http_core_srv_conf_t *cscf)
{
    ngx_uint_t                i = 0, is_default = 0, awaited = 0;
    ngx_http_conf_addr_t     *addr;
    ngx_http_iri_srv_conf_t  *iscf = ngx_http_iri_host_conf(cscf);
    ngx_http_core_srv_conf_t *first, *counts = NULL;

    if (!iscf->hosts_own && iscf->hosts == iscf->hosts_said) {
        return;
    }

    while ((addr = ngx_http_iri_names_address(names, cscf, &i)) != NULL) {
        first = addr->default_server;

        if (first == cscf) {
            is_default = 1;
            awaited |= ngx_http_iri_names_awaited(addr);

        } else if (ngx_http_iri_host_conf(first)->hosts_said
                   != iscf->hosts_said) {
            counts = first;
        }
    }

    if (is_default) {
        ngx_http_iri_names_warn_off(names, cscf, awaited);

    } else {
        ngx_http_iri_names_warn_other(names, cscf, counts);
    }
}


/* ---- whose a name is ---------------------------------------------------- */

/* "~...": it stays what it is. */
static ngx_uint_t
ngx_http_iri_names_is_pattern(const ngx_http_server_name_t *sn)
{
#if (NGX_PCRE)
    return sn->regex != NULL;
#else
    (void) sn;
    return 0;
#endif
}


/* ".example" is "example" and "*.example": no other may have either. */
static ngx_uint_t
ngx_http_iri_names_covers(ngx_str_t written, ngx_str_t name)
{
    if (written.len == 0 || written.data[0] != '.' || name.len == 0) {
        return ngx_http_iri_same(written, name);
    }

    if (name.data[0] != '*') {
        written.data++;
        written.len--;

    } else {
        name.data++;
        name.len--;
    }

    return ngx_http_iri_same(written, name);
}


static ngx_uint_t
ngx_http_iri_names_is_named(ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_uint_t              n;
    ngx_http_server_name_t *sn = cscf->server_names.elts;

    for (n = 0; n < cscf->server_names.nelts; n++) {
        if (!ngx_http_iri_names_is_pattern(&sn[n])
            && ngx_http_iri_names_covers(sn[n].name, name))
        {
            return 1;
        }
    }

    return 0;
}


/* Its own, in another form. */
static ngx_uint_t
ngx_http_iri_names_is_added(const ngx_http_iri_names_t     *names,
                            const ngx_http_core_srv_conf_t *cscf,
                            ngx_str_t                       name)
{
    ngx_uint_t              n;
    ngx_http_server_name_t *sn = names->added.elts;

    for (n = 0; n < names->added.nelts; n++) {
        if (sn[n].server == cscf && ngx_http_iri_same(sn[n].name, name)) {
            return 1;
        }
    }

    return 0;
}


/* The server of the same address that has this name in so many words. */
static ngx_http_core_srv_conf_t *
ngx_http_iri_names_owner(ngx_http_iri_names_t     *names,
                         ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_uint_t                 i = 0, s;
    ngx_http_conf_addr_t      *addr;
    ngx_http_core_srv_conf_t **server;

    while ((addr = ngx_http_iri_names_address(names, cscf, &i)) != NULL) {
        server = addr->servers.elts;

        for (s = 0; s < addr->servers.nelts; s++) {
            if (server[s] != cscf
                && ngx_http_iri_names_is_named(server[s], name)) {
                return server[s];
            }
        }
    }

    return NULL;
}


/* A name that somebody has written down stays with the server it is of. */
static ngx_int_t
ngx_http_iri_names_add_one(ngx_http_iri_names_t     *names,
                           ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_http_server_name_t   *sn;
    ngx_http_core_srv_conf_t *owner;

    if (ngx_http_iri_names_is_named(cscf, name)
        || ngx_http_iri_names_is_added(names, cscf, name))
    {
        return NGX_OK;
    }

    owner = ngx_http_iri_names_owner(names, cscf, name);
    if (owner != NULL) {
        ngx_log_error(NGX_LOG_WARN, names->cf->log, 0,
                      "iri: server name \"%V\" stays with the server in "
                      "%s:%ui, which writes it so, and not with that in "
                      "%s:%ui, which writes it in Unicode: take it out of "
                      "one of them",
                      &name, owner->file_name, owner->line, cscf->file_name,
                      cscf->line);
        return NGX_OK;
    }

    sn = ngx_array_push(&names->added);
    if (sn == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(sn, sizeof(ngx_http_server_name_t));
    sn->server = cscf;
    sn->name = name;

    return NGX_OK;
}


/* Its two halves by themselves, for one of them may be somebody else's. */
static ngx_int_t
ngx_http_iri_names_add_name(ngx_http_iri_names_t     *names,
                            ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_str_t wildcard;

    if (name.data[0] != '.') {
        return ngx_http_iri_names_add_one(names, cscf, name);
    }

    wildcard.len = name.len + 1;
    wildcard.data = ngx_pnalloc(names->cf->pool, wildcard.len);
    if (wildcard.data == NULL) {
        return NGX_ERROR;
    }

    wildcard.data[0] = '*';
    ngx_memcpy(wildcard.data + 1, name.data, name.len);

    if (ngx_http_iri_names_add_one(names, cscf, wildcard) != NGX_OK) {
        return NGX_ERROR;
    }

    name.data++;
    name.len--;

    return ngx_http_iri_names_add_one(names, cscf, name);
}


/* ---- the names of a server ---------------------------------------------- */

static void *
ngx_http_iri_names_alloc(void *ctx, size_t size)
{
    return ngx_palloc(ctx, size);
}


/* The A-labels of a name; NGX_DECLINED: it has none, or is ASCII. */
static ngx_int_t
ngx_http_iri_names_map(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf,
                       ngx_http_server_name_t *sn, ngx_str_t *name)
{
    iri_env_t    env;
    iri_host_t   host;
    iri_status_t status;

    ngx_memzero(&env, sizeof(iri_env_t));
    env.ctx = cf->pool;
    env.alloc = ngx_http_iri_names_alloc;

    status = iri_host_name(&env, &iscf->host, ngx_http_iri_in(sn->name),
                           &host);

    if (status != IRI_OK) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "iri: the server name \"%V\" could not be read: %s",
                      &sn->name, iri_status_text(status));
        return NGX_ERROR;
    }

    if (host.verdict == IRI_REFUSE) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "iri: server name \"%V\" in %s:%ui selects nothing "
                      "with \"iri_host\", for it %s: correct it or take it "
                      "out",
                      &sn->name, sn->server->file_name, sn->server->line,
                      iri_host_why_text(host.why));
    }

    *name = ngx_http_iri_out(host.ascii);

    return host.verdict == IRI_SERVE ? NGX_OK : NGX_DECLINED;
}


/* $server_name, and the host of redirects by server_name_in_redirect. */
static void
ngx_http_iri_names_set_first(ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    if (name.data[0] == '.') {
        name.data++;
        name.len--;
    }

    cscf->server_name = name;
}


/* Hosts of requests are in A-labels, which no other letters match. */
static void
ngx_http_iri_names_check_pattern(const ngx_http_iri_names_t   *names,
                                 const ngx_http_server_name_t *sn)
{
    if (!iri_str_is_ascii(ngx_http_iri_in(sn->name))) {
        ngx_log_error(NGX_LOG_WARN, names->cf->log, 0,
                      "iri: server name \"%V\" in %s:%ui holds letters that "
                      "match nothing with \"iri_host\": write the name "
                      "itself, or A-labels in the pattern",
                      &sn->name, sn->server->file_name, sn->server->line);
    }
}


static ngx_int_t
ngx_http_iri_names_add_server(ngx_http_iri_names_t     *names,
                              ngx_http_core_srv_conf_t *cscf)
{
    ngx_int_t                rc;
    ngx_str_t                name;
    ngx_uint_t               n;
    ngx_http_server_name_t  *sn = cscf->server_names.elts;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_iri_names_rules(names, cscf);
    if (iscf == NULL) {
        return NGX_OK;
    }

    for (n = 0; n < cscf->server_names.nelts; n++) {
        if (ngx_http_iri_names_is_pattern(&sn[n])) {
            ngx_http_iri_names_check_pattern(names, &sn[n]);
            continue;
        }

        rc = ngx_http_iri_names_map(names->cf, iscf, &sn[n], &name);

        if (rc == NGX_OK) {
            if (n == 0) {
                ngx_http_iri_names_set_first(cscf, name);
            }

            rc = ngx_http_iri_names_add_name(names, cscf, name);
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* ---- all servers -------------------------------------------------------- */

/* When all are known, so that none stands in the way of another. */
static ngx_int_t
ngx_http_iri_names_push(ngx_http_iri_names_t *names)
{
    ngx_uint_t              n;
    ngx_http_server_name_t *sn, *name = names->added.elts;

    for (n = 0; n < names->added.nelts; n++) {
        sn = ngx_array_push(&name[n].server->server_names);
        if (sn == NULL) {
            return NGX_ERROR;
        }

        *sn = name[n];
    }

    return NGX_OK;
}


/* The hash of names is built after postconfiguration: there is still time. */
ngx_int_t
ngx_http_iri_names_init(ngx_conf_t *cf)
{
    ngx_uint_t                 s;
    ngx_http_iri_names_t       names;
    ngx_http_core_srv_conf_t **cscf;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    names.cf = cf;
    names.switched_on = imcf->switched_on;

    if (ngx_array_init(&names.addresses, cf->temp_pool, 8,
                       sizeof(ngx_http_conf_addr_t *))
            != NGX_OK
        || ngx_array_init(&names.added, cf->temp_pool, 8,
                          sizeof(ngx_http_server_name_t))
               != NGX_OK
        || ngx_http_iri_names_add_addresses(&names) != NGX_OK)
    {
        return NGX_ERROR;
    }

    cscf = cmcf->servers.elts;

    for (s = 0; s < cmcf->servers.nelts; s++) {
        ngx_http_iri_names_check(&names, cscf[s]);

        if (names.switched_on
            && ngx_http_iri_names_add_server(&names, cscf[s]) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_iri_names_push(&names);
}
