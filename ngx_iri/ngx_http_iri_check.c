/*
 * ngx_http_iri_check.c - warnings about the configuration
 *
 * Directives of this module are collected while nginx reads them, locations
 * while nginx merges them.  When all servers are merged, the core decides which
 * have no effect (iri_config_check).
 */

#include "ngx_http_iri_host.h"


/*
 * A directive, and the server whose iri must be on for the directive to have an
 * effect; NULL: that of any server.
 */
typedef struct {
    iri_directive_t          directive;
    ngx_http_iri_srv_conf_t *server;
} ngx_http_iri_directive_t;


/* ---- the environment of the core ---------------------------------------- */

static void *
ngx_http_iri_check_alloc(void *ctx, size_t size)
{
    ngx_conf_t *cf = ctx;

    return ngx_palloc(cf->temp_pool, size);
}


static void
ngx_http_iri_check_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    ngx_conf_t *cf = ctx;

    if (level == IRI_LOG_WARN) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0, "iri: %*s", line.len,
                      line.data);
    }
}


static ngx_int_t
ngx_http_iri_check_status(ngx_conf_t *cf, iri_status_t status)
{
    if (status == IRI_OK) {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                  "iri: the configuration could not be checked: %s",
                  iri_status_text(status));

    return NGX_ERROR;
}


static void
ngx_http_iri_check_env(ngx_conf_t *cf, iri_env_t *env)
{
    ngx_memzero(env, sizeof(iri_env_t));
    env->ctx = cf;
    env->alloc = ngx_http_iri_check_alloc;
    env->log = ngx_http_iri_check_log;
}


/* ---- collecting directives ---------------------------------------------- */

ngx_int_t
ngx_http_iri_check_create(ngx_conf_t *cf, ngx_http_iri_main_conf_t *imcf)
{
    return ngx_array_init(&imcf->directives, cf->pool, 4,
                          sizeof(ngx_http_iri_directive_t));
}


iri_position_t
ngx_http_iri_conf_position(ngx_conf_t *cf)
{
    iri_position_t at = { { 0, NULL }, 0 };

    if (cf->conf_file != NULL) {
        at.file = ngx_http_iri_str(cf->conf_file->file.name);
        at.line = cf->conf_file->line;
    }

    return at;
}


static iri_position_t
ngx_http_iri_server_position(const ngx_http_core_srv_conf_t *cscf)
{
    iri_position_t at;

    at.file.data = cscf->file_name;
    at.file.len = ngx_strlen(cscf->file_name);
    at.line = cscf->line;

    return at;
}


/* Returns: NULL if memory is exhausted. */
static iri_directive_t *
ngx_http_iri_check_add(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *server,
                       iri_check_t check, ngx_str_t name, iri_position_t at)
{
    ngx_http_iri_directive_t *d;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    d = ngx_array_push(&imcf->directives);
    if (d == NULL) {
        return NULL;
    }

    ngx_memzero(d, sizeof(ngx_http_iri_directive_t));
    d->server = server;
    d->directive.check = check;
    d->directive.name = ngx_http_iri_str(name);
    d->directive.at = at;

    return &d->directive;
}


char *
ngx_http_iri_check_setting(ngx_conf_t *cf, const iri_charsets_t *charsets)
{
    ngx_str_t               *value = cf->args->elts;
    iri_directive_t         *d;
    ngx_http_iri_srv_conf_t *iscf = NULL;

    /*
     * For a directive in http{}, and for iri_status, which has no argument and
     * counts the requests of all servers, iri must be on in any server.
     */
    if (cf->cmd_type != NGX_HTTP_MAIN_CONF && cf->args->nelts > 1) {
        iscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_iri_module);
    }

    d = ngx_http_iri_check_add(cf, iscf, IRI_CHECK_SETTING, value[0],
                               ngx_http_iri_conf_position(cf));
    if (d == NULL) {
        return NGX_CONF_ERROR;
    }

    d->charsets = charsets;
    if (cf->args->nelts > 1) {
        d->value = ngx_http_iri_str(value[1]);
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_http_iri_check_location(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf,
                            const ngx_http_iri_loc_conf_t *ilcf)
{
    static ngx_str_t          location = ngx_string("location");
    iri_check_t               check = IRI_CHECK_PATH;
    iri_directive_t          *d;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->name.len == 0 || clcf->noname || clcf->named) {
        return NGX_OK;
    }

#if (NGX_PCRE)
    if (clcf->regex != NULL) {
        check = IRI_CHECK_REGEX;
    }
#endif

    d = ngx_http_iri_check_add(cf, iscf, check, location, ilcf->position);
    if (d == NULL) {
        return NGX_ERROR;
    }

    d->value = ngx_http_iri_str(clcf->name);
    d->invalid = (iri_invalid_t) iscf->invalid;

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_check_host(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf,
                        ngx_http_core_srv_conf_t *first)
{
    static ngx_str_t          name = ngx_string("iri_host");
    iri_directive_t          *d;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_host_conf_t *hcf = ngx_http_iri_host_conf(cscf);

    iscf = ngx_http_get_module_srv_conf(cscf->ctx, ngx_http_iri_module);

    d = ngx_http_iri_check_add(cf, iscf, IRI_CHECK_HOST, name, hcf->position);
    if (d == NULL) {
        return NGX_ERROR;
    }

    d->host = (iri_host_mode_t) hcf->mode;
    d->first_host = (iri_host_mode_t) ngx_http_iri_host_conf(first)->mode;
    d->first = ngx_http_iri_server_position(first);

    return NGX_OK;
}


/* ---- warnings ----------------------------------------------------------- */

ngx_int_t
ngx_http_iri_check_name(ngx_conf_t *cf, ngx_str_t name,
                        ngx_http_core_srv_conf_t *cscf,
                        const iri_host_t         *host,
                        ngx_http_core_srv_conf_t *owner)
{
    iri_env_t      env;
    iri_position_t other;

    ngx_http_iri_check_env(cf, &env);

    if (owner != NULL) {
        other = ngx_http_iri_server_position(owner);
    }

    return ngx_http_iri_check_status(
        cf, iri_config_check_name(&env, ngx_http_iri_str(name),
                                  ngx_http_iri_server_position(cscf), host,
                                  owner != NULL ? &other : NULL));
}


ngx_int_t
ngx_http_iri_check(ngx_conf_t *cf)
{
    iri_env_t                 env;
    ngx_uint_t                i, engine;
    iri_directive_t          *list;
    ngx_http_iri_directive_t *d;
    ngx_http_iri_main_conf_t *imcf;
    static const iri_str_t    on = IRI_STR("iri on;");

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    d = imcf->directives.elts;

    list = ngx_palloc(cf->temp_pool,
                      (imcf->directives.nelts + 1) * sizeof(iri_directive_t));
    if (list == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < imcf->directives.nelts; i++) {
        engine = d[i].server != NULL ? d[i].server->engine
                 : imcf->enabled     ? IRI_ENGINE_ON
                                     : IRI_ENGINE_OFF;
        list[i] = d[i].directive;
        list[i].engine = (iri_engine_t) engine;
    }

    ngx_http_iri_check_env(cf, &env);

    return ngx_http_iri_check_status(
        cf, iri_config_check(&env, on, list, imcf->directives.nelts));
}
