/*
 * ngx_http_iri_names.c - A-labels of server names
 *
 * A server_name that is not ASCII selects its server by its A-labels, too
 * (design 8).  The A-labels are added to the names of the server when the
 * configuration is read, before nginx builds its hash of names.  As for
 * requests (ngx_http_iri_host.c), the iri_host of the default servers of the
 * listening addresses decides whether and how names are mapped.  A name is not
 * added if another server has it.
 */

#include "ngx_http_iri.h"


/* The names that are collected for all servers */
typedef struct {
    ngx_conf_t *cf;
    ngx_array_t added; /* of ngx_http_server_name_t: names to be added */
} ngx_http_iri_names_t;


/* ---- the addresses of a server ------------------------------------------ */

/* Returns: 1 if the server listens at the address. */
static ngx_uint_t
ngx_http_iri_names_listens(const ngx_http_core_srv_conf_t *cscf,
                           const ngx_http_conf_addr_t     *addr)
{
    ngx_uint_t                 s;
    ngx_http_core_srv_conf_t **server = addr->servers.elts;

    for (s = 0; s < addr->servers.nelts; s++) {
        if (server[s] == cscf) {
            return 1;
        }
    }

    return 0;
}


/*
 * Returns: the first address, from index *i on, at which the server listens; *i
 * is set to the index after it.  NULL if there is none.
 */
static ngx_http_conf_addr_t *
ngx_http_iri_names_address(ngx_http_iri_names_t           *names,
                           const ngx_http_core_srv_conf_t *cscf,
                           ngx_uint_t                     *i)
{
    ngx_uint_t                 p, a, n = 0;
    ngx_http_conf_port_t      *port;
    ngx_http_conf_addr_t      *addr;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_iri_conf_core_main(names->cf);
    port = cmcf->ports != NULL ? cmcf->ports->elts : NULL;

    for (p = 0; port != NULL && p < cmcf->ports->nelts; p++) {
        addr = port[p].addrs.elts;

        for (a = 0; a < port[p].addrs.nelts; a++) {
            if (n++ >= *i && ngx_http_iri_names_listens(cscf, &addr[a])) {
                *i = n;
                return &addr[a];
            }
        }
    }

    return NULL;
}


/* ---- the iri_host of a server -------------------------------------------- */

/*
 * Set *rules to the iri_host by which the names of a server are mapped: that of
 * the default server of one of its addresses, if possible one that is not
 * strict; NULL if all are off.  If the server has an iri_host, add it to the
 * check for each address.
 */
static ngx_int_t
ngx_http_iri_names_rules(ngx_http_iri_names_t      *names,
                         ngx_http_core_srv_conf_t  *cscf,
                         ngx_http_iri_host_conf_t **rules)
{
    ngx_uint_t                i = 0, mode;
    ngx_http_conf_addr_t     *addr;
    ngx_http_iri_host_conf_t *hcf;

    *rules = NULL;
    mode = ngx_http_iri_host_conf(cscf)->mode;

    while ((addr = ngx_http_iri_names_address(names, cscf, &i)) != NULL) {
        hcf = ngx_http_iri_host_conf(addr->default_server);

        if (hcf->selects && (*rules == NULL || (*rules)->rules.strict)) {
            *rules = hcf;
        }

        if (mode != IRI_HOST_MODE_OFF
            && ngx_http_iri_check_host(names->cf, cscf, addr->default_server)
                   != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* ---- the server that has a name ----------------------------------------- */

/* Returns: 1 if the name is a regular expression ("~..."). */
static ngx_uint_t
ngx_http_iri_names_is_regex(const ngx_http_server_name_t *sn)
{
#if (NGX_PCRE)
    return sn->regex != NULL;
#else
    return 0;
#endif
}


/*
 * Returns: 1 if the names are equal; ".example" equals "example" and
 * "*.example".
 */
static ngx_uint_t
ngx_http_iri_names_matches(ngx_str_t written, ngx_str_t name)
{
    if (written.len == 0 || written.data[0] != '.' || name.len == 0) {
        return ngx_http_iri_str_equal(written, name);
    }

    if (name.data[0] != '*') {
        written.data++;
        written.len--;

    } else {
        name.data++;
        name.len--;
    }

    return ngx_http_iri_str_equal(written, name);
}


static ngx_uint_t
ngx_http_iri_names_has_name(ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_uint_t              n;
    ngx_http_server_name_t *sn = cscf->server_names.elts;

    for (n = 0; n < cscf->server_names.nelts; n++) {
        if (!ngx_http_iri_names_is_regex(&sn[n])
            && ngx_http_iri_names_matches(sn[n].name, name))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Returns: another server that listens at an address of cscf and has the name;
 * NULL if there is none.
 */
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
                && ngx_http_iri_names_has_name(server[s], name)) {
                return server[s];
            }
        }
    }

    return NULL;
}


/*
 * Add a name, unless it was added to cscf, or a server at an address of cscf
 * has it.
 */
static ngx_int_t
ngx_http_iri_names_add_one(ngx_http_iri_names_t     *names,
                           ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_uint_t                n;
    ngx_http_server_name_t   *sn = names->added.elts;
    ngx_http_core_srv_conf_t *owner;

    if (ngx_http_iri_names_has_name(cscf, name)) {
        return NGX_OK;
    }

    for (n = 0; n < names->added.nelts; n++) {
        if (sn[n].server == cscf && ngx_http_iri_str_equal(sn[n].name, name))
        {
            return NGX_OK;
        }
    }

    owner = ngx_http_iri_names_owner(names, cscf, name);
    if (owner != NULL) {
        return ngx_http_iri_check_name(names->cf, name, cscf, NULL, owner);
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


/* ".example" is added as two names, since another server may have one. */
static ngx_int_t
ngx_http_iri_names_add_name(ngx_http_iri_names_t     *names,
                            ngx_http_core_srv_conf_t *cscf, ngx_str_t name)
{
    ngx_str_t wildcard, star = ngx_string("*");

    if (name.data[0] != '.') {
        return ngx_http_iri_names_add_one(names, cscf, name);
    }

    if (ngx_http_iri_join(names->cf->pool, star, name, &wildcard) != NGX_OK
        || ngx_http_iri_names_add_one(names, cscf, wildcard) != NGX_OK)
    {
        return NGX_ERROR;
    }

    name.data++;
    name.len--;

    return ngx_http_iri_names_add_one(names, cscf, name);
}


/* ---- the names of a server ---------------------------------------------- */

/*
 * Set *name to the A-labels of a server name.
 * Returns: NGX_OK; NGX_DECLINED if the name is ASCII, a regular expression or
 * not a host name; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_names_map(ngx_conf_t *cf, ngx_http_iri_host_conf_t *hcf,
                       ngx_http_server_name_t *sn, ngx_str_t *name)
{
    iri_env_t    env;
    iri_host_t   host;
    iri_status_t status;

    if (ngx_http_iri_names_is_regex(sn)) {
        return ngx_http_iri_check_name(cf, sn->name, sn->server, NULL, NULL)
                       == NGX_OK
                   ? NGX_DECLINED
                   : NGX_ERROR;
    }

    ngx_http_iri_conf_env(cf, &env);

    status = iri_host_name(&env, &hcf->rules, ngx_http_iri_str(sn->name),
                           &host);

    if (status != IRI_OK) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "iri: the server name \"%V\" could not be read: %s",
                      &sn->name, iri_status_text(status));
        return NGX_ERROR;
    }

    if (ngx_http_iri_check_name(cf, sn->name, sn->server, &host, NULL)
        != NGX_OK) {
        return NGX_ERROR;
    }

    *name = ngx_http_iri_ngx_str(host.ascii);

    return host.verdict == IRI_SERVE ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_names_add_server(ngx_http_iri_names_t     *names,
                              ngx_http_core_srv_conf_t *cscf)
{
    ngx_int_t                 rc;
    ngx_str_t                 name;
    ngx_uint_t                n;
    ngx_http_server_name_t   *sn = cscf->server_names.elts;
    ngx_http_iri_host_conf_t *hcf;

    if (ngx_http_iri_names_rules(names, cscf, &hcf) != NGX_OK) {
        return NGX_ERROR;
    }

    if (hcf == NULL) {
        return NGX_OK;
    }

    for (n = 0; n < cscf->server_names.nelts; n++) {
        rc = ngx_http_iri_names_map(names->cf, hcf, &sn[n], &name);

        if (rc == NGX_OK) {
            /* The first name is $server_name, also in redirects. */
            if (n == 0) {
                cscf->server_name = name;
                cscf->server_name.data += name.data[0] == '.';
                cscf->server_name.len -= name.data[0] == '.';
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

ngx_int_t
ngx_http_iri_names_init(ngx_conf_t *cf)
{
    ngx_uint_t                 n;
    ngx_http_iri_names_t       names;
    ngx_http_server_name_t    *sn, *added;
    ngx_http_core_srv_conf_t **cscf;
    ngx_http_iri_main_conf_t  *imcf = ngx_http_iri_conf_main(cf);
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_conf_core_main(cf);

    if (!imcf->enabled) {
        return NGX_OK;
    }

    names.cf = cf;

    if (ngx_array_init(&names.added, cf->temp_pool, 8,
                       sizeof(ngx_http_server_name_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    cscf = cmcf->servers.elts;

    for (n = 0; n < cmcf->servers.nelts; n++) {
        if (ngx_http_iri_names_add_server(&names, cscf[n]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    /* Last, since ngx_http_iri_names_owner() finds only configured names. */
    added = names.added.elts;

    for (n = 0; n < names.added.nelts; n++) {
        sn = ngx_array_push(&added[n].server->server_names);
        if (sn == NULL) {
            return NGX_ERROR;
        }

        *sn = added[n];
    }

    return NGX_OK;
}
