/*
 * ngx_http_iri_target.c - iri_request_uri
 *
 * An application gets $request_uri as REQUEST_URI.  Its value is the canonical
 * request-target, for rules too: they must judge what the application gets.
 * r->unparsed_uri stays as sent.
 */

#include "ngx_http_iri.h"


/*
 * Set *path to the canonical path, percent-encoded, with the escapes of
 * reserved characters as sent; empty: it is as sent.  A path in ASCII stays as
 * sent, unless another name was found.
 */
static ngx_int_t
ngx_http_iri_target_path(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                         iri_str_t *path)
{
    iri_env_t      env;
    iri_reading_t  requested;
    iri_redirect_t redirect;

    ngx_http_iri_env(r, &env);

    if (ngx_http_iri_redirect_input(r, &env, &requested, &redirect) != IRI_OK)
    {
        return NGX_ERROR;
    }

    redirect.has_query = 0;
    redirect.path = iri_request_path(ctx->request,
                                     ngx_http_iri_hides_found_name(r, ctx));

    if (requested.form == IRI_FORM_ASCII
        && ngx_http_iri_str_equal(ngx_http_iri_ngx_str(redirect.path),
                                  ngx_http_iri_ngx_str(requested.path)))
    {
        return NGX_OK;
    }

    return iri_redirect_location(&env, &redirect, path) == IRI_OK ? NGX_OK
                                                                  : NGX_ERROR;
}


ngx_int_t
ngx_http_iri_target(ngx_http_request_t *r, ngx_str_t *target)
{
    u_char                   *p;
    iri_str_t                 path = { 0, NULL }, sent, query;
    ngx_uint_t                has_query;
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_flag_conf_t *fcf;

    /* A subrequest that judges a name has its own target, in canonical form. */
    if (r->unparsed_uri.data != r->main->unparsed_uri.data) {
        return NGX_DECLINED;
    }

    r = r->main;
    fcf = ngx_http_get_module_srv_conf(r, ngx_http_iri_target_module);

    if (!fcf->enabled || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx(r);
    has_query = ngx_http_iri_sent_query(r, &sent);
    query = sent;

    if ((ctx != NULL && iri_request_path(ctx->request, 0).len != 0
         && ngx_http_iri_target_path(r, ctx, &path) != NGX_OK)
        || ngx_http_iri_query_value(r, &query) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    if (path.len == 0) {
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


/* ---- the directive ------------------------------------------------------- */

/* clang-format off */

static ngx_command_t ngx_http_iri_target_commands[] = {

    { ngx_string("iri_request_uri"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_FLAG,
      ngx_http_iri_set_flag,
      NGX_HTTP_SRV_CONF_OFFSET,
      offsetof(ngx_http_iri_flag_conf_t, enabled),
      NULL },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_target_module_ctx = {
    .create_srv_conf = ngx_http_iri_flag_create,
    .merge_srv_conf = ngx_http_iri_flag_merge,
};


ngx_module_t ngx_http_iri_target_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_target_module_ctx, ngx_http_iri_target_commands, NULL);

/* clang-format on */
