/*
 * ngx_http_iri_conf.c - functions for directives and for postconfiguration
 *
 * The setters of directives whose values are words, the error messages of
 * setters, and the check of directives.
 */

#include "ngx_http_iri.h"


/* ---- memory and charsets ------------------------------------------------ */

static void *
ngx_http_iri_conf_alloc(void *ctx, size_t size)
{
    return ngx_palloc(ctx, size);
}


static void
ngx_http_iri_conf_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    ngx_pool_t *pool = ctx;

    if (level == IRI_LOG_WARN) {
        ngx_log_error(NGX_LOG_WARN, pool->log, 0, "iri: %*s", line.len,
                      line.data);
    }
}


void
ngx_http_iri_conf_env(ngx_conf_t *cf, iri_env_t *env)
{
    ngx_memzero(env, sizeof(iri_env_t));
    env->ctx = cf->pool;
    env->alloc = ngx_http_iri_conf_alloc;
    env->log = ngx_http_iri_conf_log;
}


iri_registry_t *
ngx_http_iri_registry(ngx_conf_t *cf)
{
    iri_env_t                 env;
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

    if (imcf->registry == NULL) {
        ngx_http_iri_conf_env(cf, &env);
        imcf->registry = iri_registry_create(&env);
    }

    return imcf->registry;
}


/* ---- error messages ----------------------------------------------------- */

char *
ngx_http_iri_conf_error(ngx_conf_t *cf, const char *error, ngx_uint_t word)
{
    u_char    *p;
    ngx_str_t *value = cf->args->elts;

    if (word >= cf->args->nelts) {
        return (char *) error;
    }

    p = ngx_pnalloc(cf->pool, ngx_strlen(error) + sizeof(", not \"\"")
                                  + value[word].len);
    if (p == NULL) {
        return (char *) error;
    }

    (void) ngx_sprintf(p, "%s, not \"%V\"%Z", error, &value[word]);

    return (char *) p;
}


/* ---- the check of directives -------------------------------------------- */

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
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

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
     * A directive in http{} has an effect if iri is on in any server.  So has
     * iri_status, the only directive without arguments.
     */
    if (cf->cmd_type != NGX_HTTP_MAIN_CONF && cf->args->nelts > 1) {
        iscf = ngx_http_iri_conf_srv(cf);
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
ngx_http_iri_check_host(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf,
                        ngx_http_core_srv_conf_t *first)
{
    static ngx_str_t          name = ngx_string("iri_host");
    iri_directive_t          *d;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_host_conf_t *hcf = ngx_http_iri_host_conf(cscf);

    iscf = ngx_http_iri_srv_conf(cscf->ctx);

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

    ngx_http_iri_conf_env(cf, &env);

    if (owner != NULL) {
        other = ngx_http_iri_server_position(owner);
    }

    return ngx_http_iri_check_status(
        cf, iri_config_check_name(&env, ngx_http_iri_str(name),
                                  ngx_http_iri_server_position(cscf), host,
                                  owner != NULL ? &other : NULL));
}


/* Returns: 0 if no request path is compared with the name of the location. */
static ngx_uint_t
ngx_http_iri_check_location(const ngx_http_iri_loc_conf_t *ilcf,
                            iri_directive_t               *d)
{
    const ngx_http_core_loc_conf_t *clcf = ilcf->clcf;

    if (clcf->name.len == 0 || clcf->noname || clcf->named) {
        return 0;
    }

    ngx_memzero(d, sizeof(iri_directive_t));
    d->check = ngx_http_iri_is_regex(clcf) ? IRI_CHECK_REGEX : IRI_CHECK_PATH;
    d->name = ngx_http_iri_str(ngx_http_iri_text("location"));
    d->at = ilcf->position;
    d->engine = (iri_engine_t) ilcf->server->engine;
    d->value = ngx_http_iri_str(clcf->name);
    d->invalid = (iri_invalid_t) ilcf->server->invalid;

    return 1;
}


ngx_int_t
ngx_http_iri_check(ngx_conf_t *cf)
{
    iri_env_t                 env;
    ngx_uint_t                i, n, engine;
    iri_directive_t          *list;
    ngx_http_iri_loc_conf_t **location;
    ngx_http_iri_directive_t *d;
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);
    static const iri_str_t    on = IRI_STR("iri on;");

    d = imcf->directives.elts;
    location = imcf->locations.elts;

    list = ngx_palloc(cf->temp_pool,
                      (imcf->directives.nelts + imcf->locations.nelts + 1)
                          * sizeof(iri_directive_t));
    if (list == NULL) {
        return NGX_ERROR;
    }

    for (n = 0; n < imcf->directives.nelts; n++) {
        engine = d[n].server != NULL ? d[n].server->engine
                 : imcf->enabled     ? IRI_ENGINE_ON
                                     : IRI_ENGINE_OFF;
        list[n] = d[n].directive;
        list[n].engine = (iri_engine_t) engine;
    }

    for (i = 0; i < imcf->locations.nelts; i++) {
        n += ngx_http_iri_check_location(location[i], &list[n]);
    }

    ngx_http_iri_conf_env(cf, &env);

    return ngx_http_iri_check_status(cf, iri_config_check(&env, on, list, n));
}


/* ---- setters ------------------------------------------------------------ */

iri_str_t *
ngx_http_iri_arguments(ngx_conf_t *cf)
{
    ngx_str_t *value = cf->args->elts;
    ngx_uint_t i;
    iri_str_t *words;

    words = ngx_palloc(cf->temp_pool, cf->args->nelts * sizeof(iri_str_t));
    if (words == NULL) {
        return NULL;
    }

    for (i = 1; i < cf->args->nelts; i++) {
        words[i - 1] = ngx_http_iri_str(value[i]);
    }

    return words;
}


ngx_int_t
ngx_http_iri_compile(ngx_conf_t *cf, ngx_str_t *text,
                     ngx_http_complex_value_t *value)
{
    ngx_http_compile_complex_value_t ccv;

    ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));
    ccv.cf = cf;
    ccv.value = text;
    ccv.complex_value = value;

    return ngx_http_compile_complex_value(&ccv);
}


/*
 * Store value at cmd->offset, with a warning if iri is off.  error: the message
 * of the parser; NULL: value is valid.  word: index of the argument to which
 * error applies.
 */
static char *
ngx_http_iri_set_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf,
                      const char *error, ngx_uint_t word, ngx_uint_t value)
{
    ngx_uint_t *slot = (ngx_uint_t *) ((char *) conf + cmd->offset);

    if (*slot != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    if (error != NULL) {
        return ngx_http_iri_conf_error(cf, error, word);
    }

    *slot = value;

    return cmd->post == &iri_engine_words
               ? NGX_CONF_OK
               : ngx_http_iri_check_setting(cf, NULL);
}


char *
ngx_http_iri_set_flag(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char       *error = ngx_conf_set_flag_slot(cf, cmd, conf);
    ngx_flag_t *flag = (ngx_flag_t *) ((char *) conf + cmd->offset);

    return error == NGX_CONF_OK && *flag
               ? ngx_http_iri_check_setting(cf, NULL)
               : error;
}


void *
ngx_http_iri_flag_create(ngx_conf_t *cf)
{
    ngx_http_iri_flag_conf_t *conf;

    conf = ngx_palloc(cf->pool, sizeof(ngx_http_iri_flag_conf_t));
    if (conf != NULL) {
        conf->enabled = NGX_CONF_UNSET;
    }

    return conf;
}


char *
ngx_http_iri_flag_merge(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_iri_flag_conf_t *prev = parent, *conf = child;

    ngx_conf_merge_value(conf->enabled, prev->enabled, 0);

    return NGX_CONF_OK;
}


char *
ngx_http_iri_set_words(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    size_t      unknown = 0;
    unsigned    flags = 0;
    iri_str_t  *words;
    const char *error;

    words = ngx_http_iri_arguments(cf);
    if (words == NULL) {
        return NGX_CONF_ERROR;
    }

    error = iri_parse_words(cmd->post, words, cf->args->nelts - 1, &flags,
                            &unknown);

    return ngx_http_iri_set_slot(cf, cmd, conf, error, 1 + unknown, flags);
}


const char ngx_http_iri_of_paths[] = "iri_charset";
const char ngx_http_iri_of_queries[] = "iri_query_charset";


char *
ngx_http_iri_set_charsets(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    size_t            count = cf->args->nelts - 1;
    iri_str_t        *words;
    const char       *error;
    iri_registry_t   *registry;
    iri_query_conf_t *list;
    void            **slot = (void **) ((char *) conf + cmd->offset);

    if (*slot != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    words = ngx_http_iri_arguments(cf);
    list = ngx_pcalloc(cf->pool, sizeof(iri_query_conf_t));
    if (words == NULL || list == NULL) {
        return NGX_CONF_ERROR;
    }

    registry = ngx_http_iri_registry(cf);
    if (registry == NULL) {
        return "needs the data of ICU, which cannot be loaded";
    }

    error = cmd->post == ngx_http_iri_of_queries
                ? iri_parse_query(registry, words, count, list)
                : iri_parse_charsets(registry, words, count,
                                     cmd->post != NULL, &list->charsets);
    if (error != NULL) {
        return (char *) error;
    }

    *slot = cmd->post == ngx_http_iri_of_queries ? (void *) list
                                                 : &list->charsets;

    return ngx_http_iri_check_setting(cf, &list->charsets);
}
