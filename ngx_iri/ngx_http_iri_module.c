/*
 * ngx_http_iri_module.c - directives, inheritance, initialization
 *
 * Turns the directives of nginx.conf into the configuration of the core
 * (design 6).  The core parses the values and makes the error messages, which
 * nginx puts after the name of the directive.  Settings for reading a path are
 * in the server configuration, because no location is selected yet.  Settings
 * for finding a file are in the location configuration.
 */

#include "ngx_http_iri_cache.h"


/* ---- directives --------------------------------------------------------- */

static ngx_uint_t
ngx_http_iri_has_variable(ngx_conf_t *cf)
{
    ngx_uint_t i;
    ngx_str_t *value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        if (value[i].len > 1 && value[i].data[0] == '$') {
            return 1;
        }
    }

    return 0;
}


/* iri_charset: charsets, or one variable */
static char *
ngx_http_iri_set_charset(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_iri_srv_conf_t *iscf = conf;

    if (!ngx_http_iri_has_variable(cf)) {
        return ngx_http_iri_set_charsets(cf, cmd, conf);
    }

    if (iscf->charsets != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    iscf->charsets = ngx_pcalloc(cf->pool, sizeof(iri_charsets_t));
    if (iscf->charsets == NULL) {
        return NGX_CONF_ERROR;
    }

    return ngx_http_iri_check_setting(cf, NULL) == NGX_CONF_OK
               ? ngx_http_iri_client_set(cf, iscf)
               : NGX_CONF_ERROR;
}


/* ---- inheritance -------------------------------------------------------- */

static void *
ngx_http_iri_create_main_conf(ngx_conf_t *cf)
{
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_main_conf_t));
    if (imcf == NULL) {
        return NULL;
    }

    if (ngx_array_init(&imcf->locations, cf->pool, 16,
                       sizeof(ngx_http_iri_loc_conf_t *))
            != NGX_OK
        || ngx_array_init(&imcf->directives, cf->pool, 4,
                          sizeof(ngx_http_iri_directive_t))
               != NGX_OK
        || ngx_array_init(&imcf->caches, cf->pool, 4,
                          sizeof(ngx_http_iri_cache_t *))
               != NGX_OK)
    {
        return NULL;
    }

    return imcf;
}


static void *
ngx_http_iri_create_srv_conf(ngx_conf_t *cf)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_srv_conf_t));
    if (iscf == NULL) {
        return NULL;
    }

    iscf->engine = NGX_CONF_UNSET_UINT;
    iscf->invalid = NGX_CONF_UNSET_UINT;
    iscf->charsets = NGX_CONF_UNSET_PTR;
    iscf->cache_size = NGX_CONF_UNSET_SIZE;

    return iscf;
}


static char *
ngx_http_iri_merge_srv_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_iri_srv_conf_t  *prev = parent;
    ngx_http_iri_srv_conf_t  *conf = child;
    ngx_http_iri_main_conf_t *imcf;

    ngx_conf_merge_uint_value(conf->engine, prev->engine, IRI_ENGINE_OFF);
    ngx_conf_merge_uint_value(conf->invalid, prev->invalid, IRI_INVALID_404);
    if (conf->charsets == NGX_CONF_UNSET_PTR) {
        conf->charset_variable = prev->charset_variable;
    }
    ngx_conf_merge_ptr_value(conf->charsets, prev->charsets, NULL);

    if (ngx_http_iri_cache_merge(cf, prev, conf) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    conf->reading.invalid = (iri_invalid_t) conf->invalid;
    if (conf->charsets != NULL) {
        conf->reading.charsets = *conf->charsets;
    }

    imcf = ngx_http_iri_conf_main(cf);
    imcf->enabled |= conf->engine != IRI_ENGINE_OFF;

    return NGX_CONF_OK;
}


static void *
ngx_http_iri_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_loc_conf_t));
    if (ilcf == NULL) {
        return NULL;
    }

    ilcf->position = ngx_http_iri_conf_position(cf);
    ilcf->charsets = NGX_CONF_UNSET_PTR;
    ilcf->filename_form = NGX_CONF_UNSET_UINT;
    ilcf->match = NGX_CONF_UNSET_UINT;
    ilcf->ambiguous = NGX_CONF_UNSET_UINT;
    ilcf->repair = NGX_CONF_UNSET_UINT;
    ilcf->redirect = NGX_CONF_UNSET_UINT;

    return ilcf;
}


static ngx_int_t
ngx_http_iri_add_location(ngx_conf_t *cf, ngx_http_iri_loc_conf_t *parent,
                          ngx_http_iri_loc_conf_t *conf,
                          ngx_http_iri_srv_conf_t *iscf)
{
    ngx_http_conf_ctx_t      *ctx = cf->ctx;
    ngx_http_iri_loc_conf_t **location;
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

    location = ngx_array_push(&imcf->locations);
    if (location == NULL) {
        return NGX_ERROR;
    }

    *location = conf;
    conf->server = iscf;
    conf->parent = parent;
    conf->clcf = ctx->loc_conf[ngx_http_core_module.ctx_index];
    conf->exact = conf->clcf->exact_match
                  || (conf->clcf->noname && parent->exact);
    conf->scripted = iscf->engine == IRI_ENGINE_ON ? ctx->loc_conf : NULL;
    conf->combined = conf->tree;

    return NGX_OK;
}


/* Set conf->tree, the settings of a location for the core. */
static void
ngx_http_iri_set_tree(ngx_http_iri_srv_conf_t *iscf,
                      ngx_http_iri_loc_conf_t *conf)
{
    conf->tree.names = (iri_filename_form_t) conf->filename_form;
    conf->tree.match = (unsigned) conf->match;
    conf->tree.ambiguous = (iri_ambiguous_t) conf->ambiguous;
    conf->tree.repair = (unsigned) conf->repair;
    iscf->reading.repair |= conf->tree.repair;
    if (conf->charsets != NULL) {
        conf->tree.charsets = *conf->charsets;
    }

    iri_tree_conf_finish(iscf->charset_variable.name.len == 0 ? &iscf->reading
                                                              : NULL,
                         &conf->tree);

    iscf->match |= conf->tree.match;
}


static char *
ngx_http_iri_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    iri_env_t                 env;
    ngx_http_iri_loc_conf_t  *prev = parent;
    ngx_http_iri_loc_conf_t  *conf = child;
    ngx_http_iri_srv_conf_t  *iscf = ngx_http_iri_conf_srv(cf);
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

    ngx_conf_merge_ptr_value(conf->charsets, prev->charsets, NULL);
    ngx_conf_merge_uint_value(conf->filename_form, prev->filename_form,
                              IRI_FILENAME_ANY);
    ngx_conf_merge_uint_value(conf->match, prev->match,
                              IRI_FOLD_NORMALIZATION);
    ngx_conf_merge_uint_value(conf->ambiguous, prev->ambiguous,
                              IRI_AMBIGUOUS_404);
    ngx_conf_merge_uint_value(conf->repair, prev->repair, 0);
    ngx_conf_merge_uint_value(conf->redirect, prev->redirect, 0);

    if (iscf->engine == IRI_ENGINE_OFF) {
        return NGX_CONF_OK;
    }

    if (ngx_http_iri_registry(cf) == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"iri\" needs the data of ICU, "
                           "which cannot be loaded");
        return NGX_CONF_ERROR;
    }

    ngx_http_iri_set_tree(iscf, conf);

    if ((conf->tree.match & IRI_FOLD_INDEXED) != 0) {
        /* All locations that fold names share the keys. */
        if (imcf->fold_keys == NULL) {
            ngx_http_iri_conf_env(cf, &env);
            imcf->fold_keys = iri_fold_keys_create(&env);
        }

        if (imcf->fold_keys == NULL
            || ngx_http_iri_cache_add_threads(cf, iscf->cache) != NGX_OK)
        {
            return NGX_CONF_ERROR;
        }
    }

    return ngx_http_iri_add_location(cf, prev, conf, iscf) == NGX_OK
               ? NGX_CONF_OK
               : NGX_CONF_ERROR;
}


/* ---- initialization ----------------------------------------------------- */

static ngx_int_t
ngx_http_iri_preconfiguration(ngx_conf_t *cf)
{
    return ngx_http_iri_variables_add(cf) == NGX_OK
               ? ngx_http_iri_try_files_begin(cf)
               : NGX_ERROR;
}


static ngx_int_t
ngx_http_iri_init(ngx_conf_t *cf)
{
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

    ngx_http_iri_try_files_end(NULL);

    if (ngx_http_iri_names_init(cf) != NGX_OK
        || ngx_http_iri_check(cf) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!imcf->enabled) {
        return NGX_OK;
    }

    ngx_http_iri_settings_init(&imcf->locations);

    if (ngx_http_iri_root_init(cf) != NGX_OK
        || ngx_http_iri_try_files_init(cf) != NGX_OK
        || ngx_http_iri_variables_wrap(cf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_iri_phases_init(cf);
}


/* ---- the module ---------------------------------------------------------- */

/* clang-format off */

static ngx_command_t ngx_http_iri_commands[] = {

    { ngx_string("iri"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_TAKE1,
      ngx_http_iri_set_words,
      NGX_HTTP_SRV_CONF_OFFSET,
      offsetof(ngx_http_iri_srv_conf_t, engine),
      (void *) &iri_engine_words },

    { ngx_string("iri_charset"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_1MORE,
      ngx_http_iri_set_charset,
      NGX_HTTP_SRV_CONF_OFFSET,
      offsetof(ngx_http_iri_srv_conf_t, charsets),
      (void *) ngx_http_iri_of_paths },

    { ngx_string("iri_invalid"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_TAKE1,
      ngx_http_iri_set_words,
      NGX_HTTP_SRV_CONF_OFFSET,
      offsetof(ngx_http_iri_srv_conf_t, invalid),
      (void *) &iri_invalid_words },

    { ngx_string("iri_cache"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_1MORE,
      ngx_http_iri_cache_set,
      NGX_HTTP_SRV_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("iri_filename_charset"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_iri_set_charsets,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_iri_loc_conf_t, charsets),
      NULL },

    { ngx_string("iri_filename_form"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_iri_set_words,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_iri_loc_conf_t, filename_form),
      (void *) &iri_filename_form_words },

    { ngx_string("iri_match"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_iri_set_words,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_iri_loc_conf_t, match),
      (void *) &iri_match_words },

    { ngx_string("iri_ambiguous"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_iri_set_words,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_iri_loc_conf_t, ambiguous),
      (void *) &iri_ambiguous_words },

    { ngx_string("iri_repair"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_iri_set_words,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_iri_loc_conf_t, repair),
      (void *) &iri_repair_words },

    { ngx_string("iri_redirect"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_iri_set_words,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_iri_loc_conf_t, redirect),
      (void *) &iri_redirect_words },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_module_ctx = {
    .preconfiguration = ngx_http_iri_preconfiguration,
    .postconfiguration = ngx_http_iri_init,
    .create_main_conf = ngx_http_iri_create_main_conf,
    .create_srv_conf = ngx_http_iri_create_srv_conf,
    .merge_srv_conf = ngx_http_iri_merge_srv_conf,
    .create_loc_conf = ngx_http_iri_create_loc_conf,
    .merge_loc_conf = ngx_http_iri_merge_loc_conf,
};


ngx_module_t ngx_http_iri_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_module_ctx, ngx_http_iri_commands,
    ngx_http_iri_cache_init_process);

/* clang-format on */
