/*
 * ngx_http_iri_target.c - iri_request_uri
 *
 * An application gets $request_uri as REQUEST_URI, and the request-target in a
 * request without a path of its own in proxy_pass.  Both are r->unparsed_uri,
 * which is replaced by the canonical request-target while the content
 * handler runs: in PRECONTENT, after access is granted.  Rules and logs
 * get the request-target as sent: it is restored before the rules of an error
 * page or an internal redirect, and in the LOG phase.
 *
 * A path in ASCII has one form and stays as sent, unless the request has
 * restarted with another name.
 */

#include "ngx_http_iri.h"


typedef struct {
    ngx_flag_t enabled; /* iri_request_uri */
    ngx_int_t  index;   /* of the variable $request_uri, if it is on */
} ngx_http_iri_target_loc_conf_t;


/* The context of a request; zero at first. */
typedef struct {
    ngx_http_iri_owner_t owner;
    ngx_str_t            sent;      /* r->unparsed_uri as sent, while it is
                                   replaced; empty: it is not */
    ngx_int_t            index;     /* of the variable $request_uri */
    unsigned             valid : 1; /* r->valid_unparsed_uri, for sent */
} ngx_http_iri_target_ctx_t;


/* ---- the canonical request-target ---------------------------------------- */

/*
 * Set *path to the canonical path, percent-encoded, with the escapes of
 * reserved characters as sent; empty: it is as sent.
 */
static ngx_int_t
ngx_http_iri_target_path(ngx_http_request_t *r, iri_str_t *path)
{
    iri_env_t      env;
    iri_reading_t  requested;
    iri_redirect_t redirect;

    ngx_http_iri_env(r, &env);

    if (ngx_http_iri_redirect_input(r, &env, &requested, &redirect) != IRI_OK)
    {
        return NGX_ERROR;
    }

    if (requested.form == IRI_FORM_ASCII
        && ngx_http_iri_str_equal(ngx_http_iri_ngx_str(redirect.path),
                                  ngx_http_iri_ngx_str(requested.path)))
    {
        return NGX_OK;
    }

    redirect.has_query = 0;

    return iri_redirect_location(&env, &redirect, path) == IRI_OK ? NGX_OK
                                                                  : NGX_ERROR;
}


/*
 * Set *target to the canonical path and $iri_query.
 * Returns: NGX_OK; NGX_DECLINED if both are as sent, or may not be revealed;
 * NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_target(ngx_http_request_t *r, ngx_str_t *target)
{
    u_char             *p;
    iri_str_t           path = { 0, NULL }, sent, query;
    ngx_uint_t          has_query = ngx_http_iri_sent_query(r, &sent);
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL && ngx_http_iri_hides_found_name(r, ctx)) {
        return NGX_DECLINED;
    }

    query = sent;

    if ((ctx != NULL && ngx_http_iri_target_path(r, &path) != NGX_OK)
        || ngx_http_iri_query_value(r, &query) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    if (path.len == 0) {
        if (query.data == sent.data) {
            return NGX_DECLINED;
        }

        path = ngx_http_iri_sent_path(r);
    }

    p = ngx_pnalloc(r->pool, path.len + 1 + query.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    target->data = p;
    target->len = ngx_sprintf(p, "%*s%s%*s", path.len, path.data,
                              has_query ? "?" : "", query.len, query.data)
                  - p;

    return NGX_OK;
}


/*
 * Returns: 1 if proxy_pass may send target instead of r->uri and r->args: no
 * rule has set another path or query.
 */
static ngx_uint_t
ngx_http_iri_target_is_current(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    iri_str_t query = { 0, NULL };

    return ctx != NULL && !r->internal
           && ngx_http_iri_query_value(r, &query) != NGX_ERROR
           && ngx_http_iri_str_equal(
               r->uri,
               ngx_http_iri_ngx_str(iri_request_path(ctx->request, 0)))
           && ngx_http_iri_str_equal(r->args, ngx_http_iri_ngx_str(query));
}


/* ---- replacing the request-target ---------------------------------------- */

/* Set r->unparsed_uri, and let $request_uri be evaluated again. */
static void
ngx_http_iri_target_put(ngx_http_request_t *r, ngx_int_t index,
                        ngx_str_t target)
{
    r->unparsed_uri = target;

    r->variables[index].valid = 0;
    r->variables[index].not_found = 0;
}


/* Returns: the context of r, or NULL if it has none. */
static ngx_http_iri_target_ctx_t *
ngx_http_iri_target_ctx(ngx_http_request_t *r)
{
    return ngx_http_iri_feature_ctx(r, &ngx_http_iri_target_module);
}


ngx_int_t
ngx_http_iri_target_replace(ngx_http_request_t *r)
{
    ngx_int_t                       rc;
    ngx_str_t                       target;
    ngx_http_iri_target_ctx_t      *ctx;
    ngx_http_iri_target_loc_conf_t *tlcf;

    tlcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_target_module);

    if (!tlcf->enabled || r != r->main) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_target(r, &target);
    if (rc != NGX_OK) {
        return ngx_http_iri_http_status(rc);
    }

    ctx = ngx_http_iri_feature_ctx_get_or_create(
        r, &ngx_http_iri_target_module, sizeof(ngx_http_iri_target_ctx_t));
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->sent.len != 0) {
        return NGX_DECLINED;
    }

    ctx->sent = r->unparsed_uri;
    ctx->valid = r->valid_unparsed_uri;
    ctx->index = tlcf->index;

    if (ngx_http_iri_target_is_current(r, ngx_http_iri_ctx(r))) {
        r->valid_unparsed_uri = 1;
    }

    ngx_http_iri_target_put(r, ctx->index, target);

    return NGX_DECLINED;
}


void
ngx_http_iri_target_restore(ngx_http_request_t *r)
{
    ngx_http_iri_target_ctx_t *ctx = ngx_http_iri_target_ctx(r);

    if (ctx != NULL && ctx->sent.len != 0) {
        ngx_http_iri_target_put(r, ctx->index, ctx->sent);
        ngx_str_null(&ctx->sent);
        r->valid_unparsed_uri &= ctx->valid;
    }
}


ngx_str_t
ngx_http_iri_target_sent(ngx_http_request_t *r)
{
    ngx_http_iri_target_ctx_t *ctx = ngx_http_iri_target_ctx(r->main);

    return ctx != NULL && ctx->sent.len != 0 ? ctx->sent
                                             : r->main->unparsed_uri;
}


/* ---- the directive ------------------------------------------------------- */

static char *
ngx_http_iri_target_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char                           *error;
    ngx_str_t                       name = ngx_string("request_uri");
    ngx_http_iri_target_loc_conf_t *tlcf = conf;

    error = ngx_conf_set_flag_slot(cf, cmd, conf);
    if (error != NGX_CONF_OK || !tlcf->enabled) {
        return error;
    }

    tlcf->index = ngx_http_get_variable_index(cf, &name);

    return tlcf->index != NGX_ERROR ? ngx_http_iri_check_setting(cf, NULL)
                                    : NGX_CONF_ERROR;
}


static void *
ngx_http_iri_target_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_iri_target_loc_conf_t *tlcf;

    tlcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_target_loc_conf_t));
    if (tlcf != NULL) {
        tlcf->enabled = NGX_CONF_UNSET;
    }

    return tlcf;
}


static char *
ngx_http_iri_target_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_iri_target_loc_conf_t *prev = parent, *conf = child;

    (void) cf;

    if (conf->enabled == NGX_CONF_UNSET) {
        *conf = *prev;
    }

    ngx_conf_init_value(conf->enabled, 0);

    return NGX_CONF_OK;
}


/* clang-format off */

static ngx_command_t ngx_http_iri_target_commands[] = {

    { ngx_string("iri_request_uri"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_http_iri_target_set,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_iri_target_loc_conf_t, enabled),
      NULL },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_target_module_ctx = {
    .create_loc_conf = ngx_http_iri_target_create_loc_conf,
    .merge_loc_conf = ngx_http_iri_target_merge_loc_conf,
};


ngx_module_t ngx_http_iri_target_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_target_module_ctx, ngx_http_iri_target_commands, NULL);

/* clang-format on */
