/*
 * ngx_http_iri_host.c - iri_host: the server that a host name in any form
 * selects
 *
 * nginx has chosen a server by the octets of Host or :authority.  Where these
 * are no plain ASCII the core maps them to A-labels, and the server is chosen
 * again by what a plain Host with those would have chosen: in POST_READ,
 * before the path is read, since the server says how.  What governs this is
 * the default server of the address that the client has connected to, which
 * is the one thing that is known whatever the client says.
 *
 * When the configuration is read the names of servers that have other
 * characters than ASCII become known by their A-labels as well.
 */

#include "ngx_http_iri.h"


/* The server's own settings; of a default server, those of its addresses. */
static ngx_http_iri_srv_conf_t *
ngx_http_iri_host_conf(ngx_http_core_srv_conf_t *cscf)
{
    return ngx_http_get_module_srv_conf(cscf->ctx, ngx_http_iri_module);
}


/* What counts for a request. */
static ngx_http_iri_srv_conf_t *
ngx_http_iri_host_conf_of(ngx_http_request_t *r)
{
    return ngx_http_iri_host_conf(
        r->http_connection->addr_conf->default_server);
}


/* The dot at the end says nothing here: nginx takes it away, too. */
static ngx_str_t
ngx_http_iri_host_name(const iri_host_t *host)
{
    ngx_str_t name = ngx_http_iri_out(host->ascii);

    if (name.len != 0 && name.data[name.len - 1] == '.') {
        name.len--;
    }

    return name;
}


/* ---- the server of a request -------------------------------------------- */

/* As if the client had sent no host: nginx does not keep a bad one either. */
static void
ngx_http_iri_host_forget(ngx_http_request_t *r)
{
    ngx_str_null(&r->headers_in.server);
}


/* What the pattern of a server's name has left, of the host as it came. */
static void
ngx_http_iri_host_forget_captures(ngx_http_request_t             *r,
                                  const ngx_http_virtual_names_t *names)
{
#if (NGX_PCRE)
    ngx_uint_t                 i, n;
    ngx_http_regex_t          *regex;
    ngx_http_variable_value_t *v;

    for (i = 0; names != NULL && i < names->nregex; i++) {
        regex = names->regex[i].regex;

        for (n = 0; n < regex->nvariables; n++) {
            v = &r->variables[regex->variables[n].index];
            v->valid = 0;
            v->not_found = 0;
        }
    }

    r->ncaptures = 0;
#else
    (void) r;
    (void) names;
#endif
}


/*
 * As ngx_http_find_virtual_server(): NGX_DECLINED if no server has that name;
 * NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_host_find(ngx_http_request_t *r, ngx_http_virtual_names_t *names,
                       ngx_str_t *name, ngx_http_core_srv_conf_t **cscf)
{
#if (NGX_PCRE)
    ngx_int_t  rc;
    ngx_uint_t i;
#endif

    if (names == NULL) {
        return NGX_DECLINED;
    }

    *cscf = ngx_hash_find_combined(&names->names,
                                   ngx_hash_key(name->data, name->len),
                                   name->data, name->len);
    if (*cscf != NULL) {
        return NGX_OK;
    }

#if (NGX_PCRE)
    for (i = 0; i < names->nregex; i++) {
        rc = ngx_http_regex_exec(r, names->regex[i].regex, name);

        if (rc != NGX_DECLINED) {
            *cscf = names->regex[i].server;
            return rc;
        }
    }
#endif

    return NGX_DECLINED;
}


/*
 * nginx has looked at the client's certificate for the server that it has
 * chosen, and will not do so again.
 */
static ngx_uint_t
ngx_http_iri_host_verifies(ngx_http_request_t       *r,
                           ngx_http_core_srv_conf_t *cscf)
{
#if (NGX_HTTP_SSL)
    ngx_http_ssl_srv_conf_t  *sscf;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    if (r->connection->ssl != NULL && imcf->ssl != 0) {
        sscf = cscf->ctx->srv_conf[imcf->ssl];
        return sscf->verify != 0;
    }
#else
    (void) r;
    (void) cscf;
#endif

    return 0;
}


/* As ngx_http_set_virtual_server(). */
static void
ngx_http_iri_host_set(ngx_http_request_t *r, ngx_http_core_srv_conf_t *cscf,
                      ngx_str_t name)
{
    ngx_http_core_loc_conf_t *clcf;

    r->headers_in.server = name;
    r->srv_conf = cscf->ctx->srv_conf;
    r->loc_conf = cscf->ctx->loc_conf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    ngx_set_connection_log(r->connection, clcf->error_log);
}


/* NGX_DECLINED, or the HTTP status to answer with. */
static ngx_int_t
ngx_http_iri_host_serve(ngx_http_request_t *r, const iri_host_t *host)
{
    ngx_int_t                 rc;
    ngx_str_t                 name = ngx_http_iri_host_name(host);
    ngx_http_addr_conf_t     *addr = r->http_connection->addr_conf;
    ngx_http_core_srv_conf_t *cscf = NULL;

    ngx_http_iri_host_forget_captures(r, addr->virtual_names);

    rc = ngx_http_iri_host_find(r, addr->virtual_names, &name, &cscf);

    if (rc == NGX_ERROR) {
        ngx_http_iri_host_forget(r);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (rc == NGX_DECLINED) {
        cscf = addr->default_server;
    }

    if (cscf->ctx->srv_conf != r->srv_conf
        && ngx_http_iri_host_verifies(r, cscf)) {
        ngx_http_iri_host_forget(r);
        ngx_http_iri_host_forget_captures(r, addr->virtual_names);

        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "iri: host \"%V\" refused: its server asks for a "
                      "certificate, which was not looked at",
                      &name);

        return NGX_HTTP_MISDIRECTED_REQUEST;
    }

    ngx_http_iri_host_set(r, cscf, name);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_host_refuse(ngx_http_request_t *r, const iri_host_t *host)
{
    ngx_str_t text = ngx_http_iri_printable(r, r->headers_in.server);

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "iri: host \"%V\" refused: it %s", &text,
                  iri_host_why_text(host->why));

    ngx_http_iri_host_forget(r);

    return NGX_HTTP_BAD_REQUEST;
}


/* iri report */
static void
ngx_http_iri_host_report(ngx_http_request_t *r, const iri_host_t *host)
{
    ngx_str_t name, text = ngx_http_iri_printable(r, r->headers_in.server);

    if (host->answer == IRI_REFUSE) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "iri: would refuse host \"%V\": it %s", &text,
                      iri_host_why_text(host->why));
        return;
    }

    name = ngx_http_iri_host_name(host);

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "iri: would take host \"%V\" for \"%V\"", &text, &name);
}


ngx_int_t
ngx_http_iri_host_select(ngx_http_request_t *r)
{
    iri_env_t                env;
    iri_host_t               host;
    iri_status_t             status;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_host_conf_of(r);

    if (iscf->hosts == IRI_HOSTS_OFF
        || iri_is_ascii_host(ngx_http_iri_in(r->headers_in.server)))
    {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);
    status = iri_host_read(&env, &iscf->host,
                           ngx_http_iri_in(r->headers_in.server), &host);

    if (status == IRI_OK && host.answer == IRI_PASS) {
        return NGX_DECLINED;
    }

    if (status != IRI_OK) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "iri: the host could not be read: %s",
                      iri_status_text(status));
    }

    if (iscf->engine == IRI_ENGINE_REPORT) {
        if (status == IRI_OK) {
            ngx_http_iri_host_report(r, &host);
        }

        return NGX_DECLINED;
    }

    if (status != IRI_OK) {
        ngx_http_iri_host_forget(r);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return host.answer == IRI_SERVE ? ngx_http_iri_host_serve(r, &host)
                                    : ngx_http_iri_host_refuse(r, &host);
}


ngx_int_t
ngx_http_iri_host_map(ngx_http_request_t *r, iri_str_t octets,
                      ngx_str_t *name)
{
    iri_env_t                env;
    iri_host_t               host;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_host_conf_of(r);

    if (iscf->hosts == IRI_HOSTS_OFF || iscf->engine != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    if (iri_host_read(&env, &iscf->host, octets, &host) != IRI_OK) {
        return NGX_ERROR;
    }

    if (host.answer != IRI_SERVE) {
        return NGX_DECLINED;
    }

    *name = ngx_http_iri_host_name(&host);

    return NGX_OK;
}


/* ---- the names of servers ----------------------------------------------- */

/* While names are collected: all addresses that are listened on, and names. */
typedef struct {
    ngx_conf_t *cf;
    ngx_array_t addresses; /* of ngx_http_conf_addr_t * */
    ngx_array_t names;     /* of ngx_http_server_name_t: A-labels */
} ngx_http_iri_hosts_t;


static ngx_int_t
ngx_http_iri_hosts_add_addresses(ngx_http_iri_hosts_t *hosts)
{
    ngx_uint_t                 p, a;
    ngx_http_conf_port_t      *port;
    ngx_http_conf_addr_t      *addr, **slot;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(hosts->cf,
                                              ngx_http_core_module);

    if (cmcf->ports == NULL) {
        return NGX_OK;
    }

    port = cmcf->ports->elts;

    for (p = 0; p < cmcf->ports->nelts; p++) {
        addr = port[p].addrs.elts;

        for (a = 0; a < port[p].addrs.nelts; a++) {
            slot = ngx_array_push(&hosts->addresses);
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
ngx_http_iri_hosts_address(ngx_http_iri_hosts_t           *hosts,
                           const ngx_http_core_srv_conf_t *cscf,
                           ngx_uint_t                     *i)
{
    ngx_uint_t                 s;
    ngx_http_conf_addr_t     **addr = hosts->addresses.elts;
    ngx_http_core_srv_conf_t **server;

    while (*i < hosts->addresses.nelts) {
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


/* The less strict of two, where neither need be on. */
static ngx_http_iri_srv_conf_t *
ngx_http_iri_hosts_either(ngx_http_iri_srv_conf_t  *found,
                          ngx_http_core_srv_conf_t *cscf)
{
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_host_conf(cscf);

    if (iscf->hosts == IRI_HOSTS_OFF || iscf->engine != IRI_ENGINE_ON) {
        return found;
    }

    return found != NULL && !found->host.strict ? found : iscf;
}


/*
 * By which rules the names of a server are to be mapped: its own, or those of
 * a default server of its addresses.  NULL: none of these has iri_host on.
 */
static ngx_http_iri_srv_conf_t *
ngx_http_iri_hosts_rules(ngx_http_iri_hosts_t     *hosts,
                         ngx_http_core_srv_conf_t *cscf)
{
    ngx_uint_t               i = 0;
    ngx_http_conf_addr_t    *addr;
    ngx_http_iri_srv_conf_t *found;

    found = ngx_http_iri_hosts_either(NULL, cscf);

    while ((addr = ngx_http_iri_hosts_address(hosts, cscf, &i)) != NULL) {
        found = ngx_http_iri_hosts_either(found, addr->default_server);
    }

    return found;
}


/* iri_host where it has no effect, and so may be a misunderstanding. */
static void
ngx_http_iri_hosts_check(ngx_http_iri_hosts_t     *hosts,
                         ngx_http_core_srv_conf_t *cscf)
{
    ngx_uint_t               i = 0, differs = 0;
    ngx_http_conf_addr_t    *addr;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_host_conf(cscf);

    if (!iscf->hosts_said) {
        return;
    }

    while ((addr = ngx_http_iri_hosts_address(hosts, cscf, &i)) != NULL) {
        if (addr->default_server == cscf) {
            return;
        }

        if (ngx_http_iri_host_conf(addr->default_server)->hosts
            != iscf->hosts) {
            differs = 1;
        }
    }

    if (differs) {
        ngx_log_error(NGX_LOG_WARN, hosts->cf->log, 0,
                      "\"iri_host\" of the server in %s:%ui has no effect on "
                      "requests, that of the default server of an address "
                      "has",
                      cscf->file_name, cscf->line);
    }
}


/* ".example" is "example" and "*.example": no other may have either. */
static ngx_uint_t
ngx_http_iri_hosts_covers(ngx_str_t written, ngx_str_t name)
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
ngx_http_iri_hosts_is_named(ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_uint_t              n;
    ngx_http_server_name_t *sn = cscf->server_names.elts;

    for (n = 0; n < cscf->server_names.nelts; n++) {
#if (NGX_PCRE)
        if (sn[n].regex != NULL) {
            continue;
        }
#endif

        if (ngx_http_iri_hosts_covers(sn[n].name, name)) {
            return 1;
        }
    }

    return 0;
}


/* The server of the same address that has this name in so many words. */
static ngx_http_core_srv_conf_t *
ngx_http_iri_hosts_owner(ngx_http_iri_hosts_t     *hosts,
                         ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_uint_t                 i = 0, s;
    ngx_http_conf_addr_t      *addr;
    ngx_http_core_srv_conf_t **server;

    while ((addr = ngx_http_iri_hosts_address(hosts, cscf, &i)) != NULL) {
        server = addr->servers.elts;

        for (s = 0; s < addr->servers.nelts; s++) {
            if (server[s] != cscf
                && ngx_http_iri_hosts_is_named(server[s], name)) {
                return server[s];
            }
        }
    }

    return NULL;
}


/* A name that somebody has written down stays with the server it is of. */
static ngx_int_t
ngx_http_iri_hosts_add_one(ngx_http_iri_hosts_t     *hosts,
                           ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_http_server_name_t   *sn;
    ngx_http_core_srv_conf_t *owner;

    if (ngx_http_iri_hosts_is_named(cscf, name)) {
        return NGX_OK;
    }

    owner = ngx_http_iri_hosts_owner(hosts, cscf, name);
    if (owner != NULL) {
        ngx_log_error(NGX_LOG_WARN, hosts->cf->log, 0,
                      "server name \"%V\" stays with the server in %s:%ui, "
                      "not with that in %s:%ui, which writes it in other "
                      "characters",
                      &name, owner->file_name, owner->line, cscf->file_name,
                      cscf->line);
        return NGX_OK;
    }

    sn = ngx_array_push(&hosts->names);
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
ngx_http_iri_hosts_add_name(ngx_http_iri_hosts_t     *hosts,
                            ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_str_t wildcard;

    if (name.data[0] != '.') {
        return ngx_http_iri_hosts_add_one(hosts, cscf, name);
    }

    wildcard.len = name.len + 1;
    wildcard.data = ngx_pnalloc(hosts->cf->pool, wildcard.len);
    if (wildcard.data == NULL) {
        return NGX_ERROR;
    }

    wildcard.data[0] = '*';
    ngx_memcpy(wildcard.data + 1, name.data, name.len);

    if (ngx_http_iri_hosts_add_one(hosts, cscf, wildcard) != NGX_OK) {
        return NGX_ERROR;
    }

    name.data++;
    name.len--;

    return ngx_http_iri_hosts_add_one(hosts, cscf, name);
}


static void *
ngx_http_iri_hosts_alloc(void *ctx, size_t size)
{
    return ngx_palloc(ctx, size);
}


/* The A-labels of a name; NGX_DECLINED: it has none, or is ASCII. */
static ngx_int_t
ngx_http_iri_hosts_map(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf,
                       ngx_http_server_name_t *sn, ngx_str_t *name)
{
    iri_env_t    env;
    iri_host_t   host;
    iri_status_t status;

    ngx_memzero(&env, sizeof(iri_env_t));
    env.ctx = cf->pool;
    env.alloc = ngx_http_iri_hosts_alloc;

    status = iri_host_name(&env, &iscf->host, ngx_http_iri_in(sn->name),
                           &host);

    if (status != IRI_OK) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "iri: the server name \"%V\" could not be read: %s",
                      &sn->name, iri_status_text(status));
        return NGX_ERROR;
    }

    if (host.answer == IRI_REFUSE) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "server name \"%V\" in %s:%ui selects nothing with "
                      "\"iri_host\": it %s",
                      &sn->name, sn->server->file_name, sn->server->line,
                      iri_host_why_text(host.why));
    }

    *name = ngx_http_iri_out(host.ascii);

    return host.answer == IRI_SERVE ? NGX_OK : NGX_DECLINED;
}


/* $server_name, and the host of redirects by server_name_in_redirect. */
static void
ngx_http_iri_hosts_set_first(ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    if (name.data[0] == '.') {
        name.data++;
        name.len--;
    }

    cscf->server_name = name;
}


static ngx_int_t
ngx_http_iri_hosts_add_server(ngx_http_iri_hosts_t     *hosts,
                              ngx_http_core_srv_conf_t *cscf)
{
    ngx_int_t                rc;
    ngx_str_t                name;
    ngx_uint_t               n;
    ngx_http_server_name_t  *sn = cscf->server_names.elts;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_iri_hosts_rules(hosts, cscf);
    if (iscf == NULL) {
        return NGX_OK;
    }

    for (n = 0; n < cscf->server_names.nelts; n++) {
#if (NGX_PCRE)
        if (sn[n].regex != NULL) {
            continue;
        }
#endif

        rc = ngx_http_iri_hosts_map(hosts->cf, iscf, &sn[n], &name);

        if (rc == NGX_OK) {
            if (n == 0) {
                ngx_http_iri_hosts_set_first(cscf, name);
            }

            rc = ngx_http_iri_hosts_add_name(hosts, cscf, name);
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* When all are known, so that none stands in the way of another. */
static ngx_int_t
ngx_http_iri_hosts_push(ngx_http_iri_hosts_t *hosts)
{
    ngx_uint_t              n;
    ngx_http_server_name_t *sn, *name = hosts->names.elts;

    for (n = 0; n < hosts->names.nelts; n++) {
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
ngx_http_iri_hosts_init(ngx_conf_t *cf)
{
    ngx_uint_t                 s;
    ngx_http_iri_hosts_t       hosts;
    ngx_module_t              *ssl;
    ngx_http_core_srv_conf_t **cscf;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_main_conf_t *cmcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    ssl = ngx_http_iri_module_named(cf, "ngx_http_ssl_module");
    imcf->ssl = ssl != NULL ? ssl->ctx_index : 0;

    hosts.cf = cf;

    if (ngx_array_init(&hosts.addresses, cf->temp_pool, 8,
                       sizeof(ngx_http_conf_addr_t *))
            != NGX_OK
        || ngx_array_init(&hosts.names, cf->temp_pool, 8,
                          sizeof(ngx_http_server_name_t))
               != NGX_OK
        || ngx_http_iri_hosts_add_addresses(&hosts) != NGX_OK)
    {
        return NGX_ERROR;
    }

    cscf = cmcf->servers.elts;

    for (s = 0; s < cmcf->servers.nelts; s++) {
        ngx_http_iri_hosts_check(&hosts, cscf[s]);

        if (ngx_http_iri_hosts_add_server(&hosts, cscf[s]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return ngx_http_iri_hosts_push(&hosts);
}
