/*
 * ngx_http_iri_requested.c - the requested path, and hiding found names
 *
 * Rules and redirects inside the server set other paths and arguments.  This
 * file finds the path and the query that the client, or the maker of a
 * subrequest, has requested: in canonical form, and after a restart with the
 * names that were found.  Until access to such a name is granted, an error and
 * the page for it must not reveal it (design 5.7).
 */

#include "ngx_http_iri.h"


/* ---- the requested path -------------------------------------------------- */

/*
 * Set *path to the path of a request-target in ASCII.  To save memory it is not
 * stored: if r->uri has changed, nginx's parser parses the target again.
 */
static ngx_int_t
ngx_http_iri_target_path(ngx_http_request_t *r, ngx_str_t *path)
{
    ngx_http_request_t        again;
    ngx_http_core_srv_conf_t *cscf;

    if (r->uri.data == r->unparsed_uri.data) {
        *path = r->uri;
        return NGX_OK;
    }

    ngx_str_null(path);

    /* A malformed request line has no target. */
    if (r->unparsed_uri.len == 0) {
        return NGX_OK;
    }

    again = *r;
    again.uri_start = r->unparsed_uri.data;
    again.uri_end = r->unparsed_uri.data + r->unparsed_uri.len;
    again.uri.len = r->unparsed_uri.len;
    again.uri.data = ngx_pnalloc(r->pool, r->unparsed_uri.len + 1);

    if (again.uri.data == NULL) {
        return NGX_ERROR;
    }

    /* The target was parsed before the host selected a server. */
    cscf = ngx_http_get_module_srv_conf(r->http_connection->conf_ctx,
                                        ngx_http_core_module);

    if (ngx_http_parse_complex_uri(&again, cscf->merge_slashes) == NGX_OK) {
        *path = again.uri;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_requested_path(ngx_http_request_t *r, ngx_str_t *path)
{
    const ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    ngx_str_null(path);

    if (ctx != NULL) {
        *path = ngx_http_iri_ngx_str(iri_request_path(
            ctx->request, ngx_http_iri_hides_found_name(r, ctx)));
    }

    if (path->len != 0) {
        return NGX_OK;
    }

    if (r == r->main) {
        return ngx_http_iri_target_path(r, path);
    }

    *path = r->uri;

    return NGX_OK;
}


ngx_uint_t
ngx_http_iri_requested_query(ngx_http_request_t *r, iri_str_t *query)
{
    const ngx_http_iri_ctx_t *ctx;

    if (r == r->main) {
        return ngx_http_iri_query(r, query);
    }

    ctx = ngx_http_iri_ctx(r);
    *query = ngx_http_iri_str(ctx != NULL ? ctx->args : r->args);

    return query->len != 0;
}


void
ngx_http_iri_save_requested_path(ngx_http_request_t *r,
                                 ngx_http_iri_ctx_t *ctx)
{
    if (ctx->args.data == NULL) {
        ctx->args = r->args;
    }

    if (iri_request_path(ctx->request, 0).len == 0) {
        iri_request_set_canonical(ctx->request, ngx_http_iri_str(r->uri));
    }
}


/* ---- hiding found names -------------------------------------------------- */

ngx_uint_t
ngx_http_iri_hides_found_name(ngx_http_request_t       *r,
                              const ngx_http_iri_ctx_t *ctx)
{
    return r == r->main
           && iri_request_hides_found(ctx->request,
                                      r->err_status != 0 || r->error_page);
}


/* r->uri with the names that were sent, also if a rule has set it. */
static ngx_str_t
ngx_http_iri_uri_as_sent(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx)
{
    iri_env_t env;

    ngx_http_iri_env(r, &env);

    return ngx_http_iri_ngx_str(iri_request_path_as_sent(
        ctx->request, &env, ngx_http_iri_str(r->uri)));
}


/*
 * In the state DENIED r->uri is the path of the error page, which the rules for
 * the page need as it is.
 */
ngx_str_t
ngx_http_iri_disclosed_uri(ngx_http_request_t *r)
{
    const ngx_http_iri_ctx_t *ctx;

    if (r->err_status == 0 && !r->error_page) {
        return r->uri;
    }

    ctx = ngx_http_iri_ctx(r);

    return ctx != NULL && ngx_http_iri_hides_found_name(r, ctx)
                   && !iri_request_hides_found(ctx->request, 0)
               ? ngx_http_iri_uri_as_sent(r, ctx)
               : r->uri;
}


void
ngx_http_iri_conceal_uri(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    ngx_str_t uri;

    if (r == r->main && ctx->rules.done
        && iri_request_hides_found(ctx->request, 1))
    {
        uri = ngx_http_iri_uri_as_sent(r, ctx);

        if (uri.data != r->uri.data) {
            ngx_http_iri_set_uri_nocopy(r, uri);
            iri_request_set_read(ctx->request, ngx_http_iri_str(uri));
        }
    }
}
