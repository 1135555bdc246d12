/*
 * ngx_http_iri_host.c - iri_host: selects the server by a host name in any form
 *
 * nginx selects a server by the octets of Host or :authority.  If these are not
 * ASCII, the core maps them to A-labels (design 8), and the server is selected
 * again by the A-labels.  The handler runs in POST_READ, before the path is
 * read, because the settings for reading are in the server configuration.
 * iri_host is taken from the default server of the listening address, which
 * does not depend on the host.
 *
 * ngx_http_iri_names.c adds the A-labels of server names when the configuration
 * is read.
 */

#include "ngx_http_iri.h"


#if (NGX_HTTP_SSL)
/* nginx may be built without the module; then the address is NULL. */
#pragma weak ngx_http_ssl_module
#endif


/* ---- settings for a request ---------------------------------------------- */

const iri_host_conf_t *
ngx_http_iri_host_rules(ngx_http_request_t *r)
{
    ngx_http_iri_host_conf_t *hcf;

    hcf = ngx_http_get_module_srv_conf(r, ngx_http_iri_host_module);

    return &hcf->rules;
}


/* ---- selecting the server ------------------------------------------------ */

/* Returns: the A-labels without a final dot, which nginx does not store. */
static ngx_str_t
ngx_http_iri_host_name(const iri_host_t *host)
{
    ngx_str_t name = ngx_http_iri_ngx_str(host->ascii);

    if (name.len != 0 && name.data[name.len - 1] == '.') {
        name.len--;
    }

    return name;
}


/*
 * Clear the captures of regular expressions in server_name, which nginx has
 * matched with the host as sent.
 */
static void
ngx_http_iri_host_clear_captures(ngx_http_request_t             *r,
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
#endif
}


/*
 * Find the server by name, as ngx_http_find_virtual_server() does.
 * Returns: NGX_OK; NGX_DECLINED if no server has that name; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_host_find_server(ngx_http_request_t        *r,
                              ngx_http_virtual_names_t  *names,
                              ngx_str_t                 *name,
                              ngx_http_core_srv_conf_t **cscf)
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
 * Returns: 1 if the server verifies client certificates.  nginx has verified
 * the certificate for the server that it has selected, and does not verify it
 * again.
 */
static ngx_uint_t
ngx_http_iri_host_verifies(ngx_http_request_t       *r,
                           ngx_http_core_srv_conf_t *cscf)
{
#if (NGX_HTTP_SSL)
    ngx_http_ssl_srv_conf_t *sscf;

    if (r->connection->ssl != NULL && &ngx_http_ssl_module != NULL) {
        sscf = ngx_http_get_module_srv_conf(cscf->ctx, ngx_http_ssl_module);
        return sscf->verify != 0;
    }
#endif

    return 0;
}


/* Answer 421, as nginx does if SNI and Host differ (RFC 9110, 15.5.20). */
static ngx_int_t
ngx_http_iri_host_misdirected(ngx_http_request_t *r, ngx_str_t name)
{
    iri_shown_t           shown;
    ngx_http_addr_conf_t *addr = r->http_connection->addr_conf;

    ngx_str_null(&r->headers_in.server);
    ngx_http_iri_host_clear_captures(r, addr->virtual_names);

    ngx_http_iri_note(r, IRI_LOG_INFO,
                      iri_reason_code(IRI_REASON_CERTIFICATE),
                      "host \"%s\" refused: its server requires a client "
                      "certificate, which was not verified",
                      iri_show_sent(&shown, ngx_http_iri_str(name)));

    return NGX_HTTP_MISDIRECTED_REQUEST;
}


/*
 * Select the server by the A-labels in host.
 * Returns: NGX_DECLINED if the request continues; else the HTTP status.
 */
static ngx_int_t
ngx_http_iri_host_switch(ngx_http_request_t *r, const iri_host_t *host)
{
    ngx_int_t                 rc;
    ngx_str_t                 name = ngx_http_iri_host_name(host);
    ngx_http_addr_conf_t     *addr = r->http_connection->addr_conf;
    ngx_http_core_srv_conf_t *cscf = NULL;
    ngx_http_core_loc_conf_t *clcf;

    ngx_http_iri_host_clear_captures(r, addr->virtual_names);

    rc = ngx_http_iri_host_find_server(r, addr->virtual_names, &name, &cscf);

    if (rc == NGX_ERROR) {
        ngx_str_null(&r->headers_in.server);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (rc == NGX_DECLINED) {
        cscf = addr->default_server;
    }

    if (cscf->ctx->srv_conf != r->srv_conf
        && ngx_http_iri_host_verifies(r, cscf)) {
        return ngx_http_iri_host_misdirected(r, name);
    }

    /* As ngx_http_set_virtual_server() does. */
    r->headers_in.server = name;
    r->srv_conf = cscf->ctx->srv_conf;
    r->loc_conf = cscf->ctx->loc_conf;

    clcf = ngx_http_iri_core_loc_conf(r);
    ngx_set_connection_log(r->connection, clcf->error_log);

    return NGX_DECLINED;
}


/* Log a refusal; with iri report, log what "iri on" would do. */
static void
ngx_http_iri_host_note(ngx_http_request_t *r, const iri_host_t *host,
                       ngx_uint_t report)
{
    iri_notes_t event;

    if (ngx_http_iri_notes_wanted(r, IRI_LOG_INFO)) {
        ngx_memzero(&event, sizeof(iri_notes_t));
        iri_note_host(&event, ngx_http_iri_str(r->headers_in.server), host,
                      report != 0);
        ngx_http_iri_notes_add(r, &event);
    }
}


ngx_int_t
ngx_http_iri_host_handler(ngx_http_request_t *r)
{
    iri_env_t                 env;
    iri_host_t                host;
    iri_status_t              status;
    ngx_http_iri_host_conf_t *hcf = ngx_http_iri_host_conf(
        r->http_connection->addr_conf->default_server);

    if (hcf->mode == IRI_HOST_MODE_OFF) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);
    status = iri_host_read(&env, &hcf->rules,
                           ngx_http_iri_str(r->headers_in.server), &host);

    if (status == IRI_OK && host.verdict == IRI_PASS) {
        return NGX_DECLINED;
    }

    if (status != IRI_OK) {
        ngx_http_iri_note_error(r, "the host could not be read", status);
    }

    if (!hcf->selects) {
        if (status == IRI_OK) {
            ngx_http_iri_host_note(r, &host, 1);
        }

        return NGX_DECLINED;
    }

    if (status != IRI_OK) {
        ngx_str_null(&r->headers_in.server);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (host.verdict == IRI_SERVE) {
        return ngx_http_iri_host_switch(r, &host);
    }

    ngx_http_iri_host_note(r, &host, 0);
    ngx_str_null(&r->headers_in.server);

    return NGX_HTTP_BAD_REQUEST;
}


ngx_int_t
ngx_http_iri_host_map(ngx_http_request_t *r, iri_str_t octets,
                      ngx_str_t *name)
{
    iri_env_t                 env;
    iri_host_t                host;
    ngx_http_iri_host_conf_t *hcf = ngx_http_iri_host_conf(
        r->http_connection->addr_conf->default_server);

    if (!hcf->selects) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    if (iri_host_read(&env, &hcf->rules, octets, &host) != IRI_OK) {
        return NGX_ERROR;
    }

    if (host.verdict != IRI_SERVE) {
        return NGX_DECLINED;
    }

    *name = ngx_http_iri_host_name(&host);

    return NGX_OK;
}


/* ---- the directive ------------------------------------------------------- */

static char *
ngx_http_iri_host_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_iri_host_conf_t *hcf = conf;

    hcf->position = ngx_http_iri_conf_position(cf);

    return ngx_http_iri_set_words(cf, cmd, conf);
}


static void
ngx_http_iri_host_destroy_idna(void *data)
{
    iri_idna_destroy(data);
}


/*
 * All servers share the rules of ICU, which belong to the configuration of
 * http{}.
 */
static ngx_int_t
ngx_http_iri_host_create_idna(ngx_conf_t *cf, ngx_http_iri_host_conf_t *hcf)
{
    iri_idna_t         *idna;
    ngx_pool_cleanup_t *cln;

    if (hcf->rules.idna != NULL) {
        return NGX_OK;
    }

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    idna = iri_idna_create();
    if (idna == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"iri\" needs the rules of ICU for host names, "
                           "which cannot be loaded");
        return NGX_ERROR;
    }

    cln->handler = ngx_http_iri_host_destroy_idna;
    cln->data = idna;
    hcf->rules.idna = idna;

    return NGX_OK;
}


static void *
ngx_http_iri_host_create_srv_conf(ngx_conf_t *cf)
{
    ngx_http_iri_host_conf_t *hcf;

    hcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_host_conf_t));
    if (hcf != NULL) {
        hcf->mode = NGX_CONF_UNSET_UINT;
    }

    return hcf;
}


static char *
ngx_http_iri_host_merge_srv_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_iri_srv_conf_t  *iscf = ngx_http_iri_conf_srv(cf);
    ngx_http_iri_host_conf_t *prev = parent, *conf = child;

    if (conf->position.line == 0) {
        conf->position = prev->position;
    }

    ngx_conf_merge_uint_value(conf->mode, prev->mode, IRI_HOST_MODE_OFF);

    if (iscf->engine == IRI_ENGINE_OFF) {
        conf->mode = IRI_HOST_MODE_OFF;
        return NGX_CONF_OK;
    }

    if (ngx_http_iri_host_create_idna(cf, prev) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    conf->selects = conf->mode != IRI_HOST_MODE_OFF
                    && iscf->engine == IRI_ENGINE_ON;
    conf->rules.idna = prev->rules.idna;
    conf->rules.mapping = IRI_MAPPING_UTS46;
    conf->rules.strict = conf->mode == IRI_HOST_MODE_STRICT;

    return NGX_CONF_OK;
}


/* clang-format off */

static ngx_command_t ngx_http_iri_host_commands[] = {

    { ngx_string("iri_host"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_TAKE1,
      ngx_http_iri_host_set,
      NGX_HTTP_SRV_CONF_OFFSET,
      offsetof(ngx_http_iri_host_conf_t, mode),
      (void *) &iri_host_mode_words },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_host_module_ctx = {
    .create_srv_conf = ngx_http_iri_host_create_srv_conf,
    .merge_srv_conf = ngx_http_iri_host_merge_srv_conf,
};


ngx_module_t ngx_http_iri_host_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_host_module_ctx, ngx_http_iri_host_commands, NULL);

/* clang-format on */
