/*
 * ngx_http_iri_conf.c - functions for directives and for postconfiguration
 *
 * The setters of directives whose values are words, the error messages of
 * setters, and the registration of phase handlers.
 */

#include "ngx_http_iri.h"


/* ---- memory and charsets ------------------------------------------------ */

static void *
ngx_http_iri_conf_alloc(void *ctx, size_t size)
{
    return ngx_palloc(ctx, size);
}


void
ngx_http_iri_conf_env(ngx_conf_t *cf, iri_env_t *env)
{
    ngx_memzero(env, sizeof(iri_env_t));
    env->ctx = cf->pool;
    env->alloc = ngx_http_iri_conf_alloc;
}


iri_registry_t *
ngx_http_iri_registry(ngx_conf_t *cf)
{
    iri_env_t                 env;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

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
    u_char    *p, *last;
    size_t     len;
    ngx_str_t *value = cf->args->elts;

    if (word >= cf->args->nelts) {
        return (char *) error;
    }

    len = ngx_strlen(error) + sizeof(", not \"\"") + value[word].len;

    p = ngx_pnalloc(cf->pool, len);
    if (p == NULL) {
        return (char *) error;
    }

    last = ngx_snprintf(p, len - 1, "%s, not \"%V\"", error, &value[word]);
    *last = '\0';

    return (char *) p;
}


/* ---- setters ------------------------------------------------------------ */

static iri_str_t
ngx_http_iri_first_argument(ngx_conf_t *cf)
{
    ngx_str_t *value = cf->args->elts;

    return ngx_http_iri_str(value[1]);
}


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


/*
 * Store value at cmd->offset.  error: the message of the parser; NULL: value is
 * valid.
 */
static char *
ngx_http_iri_set_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf,
                      const char *error, ngx_uint_t value)
{
    ngx_uint_t *slot = (ngx_uint_t *) ((char *) conf + cmd->offset);

    if (*slot != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    if (error != NULL) {
        return ngx_http_iri_conf_error(cf, error, 1);
    }

    *slot = value;

    return NGX_CONF_OK;
}


/* The same, with a warning if iri is off. */
static char *
ngx_http_iri_set_checked_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf,
                              const char *error, ngx_uint_t value)
{
    char *rv = ngx_http_iri_set_slot(cf, cmd, conf, error, value);

    return rv == NGX_CONF_OK ? ngx_http_iri_check_setting(cf, NULL) : rv;
}


char *
ngx_http_iri_set_engine(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    unsigned    engine = 0;
    const char *error;

    error = iri_parse_word(&iri_engine_words, ngx_http_iri_first_argument(cf),
                           &engine);

    return ngx_http_iri_set_slot(cf, cmd, conf, error, engine);
}


char *
ngx_http_iri_set_word(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    unsigned    value = 0;
    const char *error;

    error = iri_parse_word(cmd->post, ngx_http_iri_first_argument(cf),
                           &value);

    return ngx_http_iri_set_checked_slot(cf, cmd, conf, error, value);
}


char *
ngx_http_iri_set_words(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    size_t      unknown;
    unsigned    flags = 0;
    iri_str_t  *words;
    const char *error;

    words = ngx_http_iri_arguments(cf);
    if (words == NULL) {
        return NGX_CONF_ERROR;
    }

    error = iri_parse_words(cmd->post, words, cf->args->nelts - 1, &flags,
                            &unknown);
    if (error != NULL) {
        return ngx_http_iri_conf_error(cf, error, 1 + unknown);
    }

    return ngx_http_iri_set_checked_slot(cf, cmd, conf, NULL, flags);
}


/* ---- phase handlers ----------------------------------------------------- */

static ngx_int_t
ngx_http_iri_register_one(ngx_conf_t *cf, const ngx_http_iri_handler_t *row)
{
    ngx_array_t               *handlers;
    ngx_http_handler_pt       *h, *elts;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    handlers = &cmcf->phases[row->phase].handlers;

    h = ngx_array_push(handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    if (row->end == NGX_HTTP_IRI_AT_START) {
        elts = handlers->elts;
        ngx_memmove(elts + 1, elts,
                    (handlers->nelts - 1) * sizeof(ngx_http_handler_pt));
        h = elts;
    }

    *h = row->handler;

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_register(ngx_conf_t *cf, const ngx_http_iri_handler_t *table,
                      ngx_uint_t n)
{
    ngx_uint_t i;

    for (i = 0; i < n; i++) {
        if (ngx_http_iri_register_one(cf, &table[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
