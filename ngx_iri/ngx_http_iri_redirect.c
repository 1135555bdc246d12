/*
 * ngx_http_iri_redirect.c - iri_redirect
 *
 * Who comes in another form is sent to the canonical path, or told of it in
 * Link, when the rules have let the client in.
 */

#include "ngx_http_iri.h"


ngx_uint_t
ngx_http_iri_query(ngx_http_request_t *r, iri_str_t *query)
{
    u_char *p, *hash;
    u_char *last = r->unparsed_uri.data + r->unparsed_uri.len;

    hash = ngx_strlchr(r->unparsed_uri.data, last, '#');
    if (hash != NULL) {
        last = hash;
    }

    p = ngx_strlchr(r->unparsed_uri.data, last, '?');

    query->data = p != NULL ? p + 1 : NULL;
    query->len = p != NULL ? last - p - 1 : 0;

    return p != NULL;
}


/* nginx completes it as absolute_redirect says. */
static ngx_int_t
ngx_http_iri_send_redirect(ngx_http_request_t *r, ngx_uint_t status,
                           iri_str_t location)
{
    ngx_http_clear_location(r);

    r->headers_out.location = ngx_http_iri_header_add(
        r, "Location", ngx_http_iri_out(location));

    return r->headers_out.location != NULL ? (ngx_int_t) status
                                           : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* nginx puts the client's Host before a Location, unless it is told not to. */
static ngx_uint_t
ngx_http_iri_host_is_sent(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->absolute_redirect && !clcf->server_name_in_redirect;
}


/*
 * Nobody is sent to a name that is only near and where nothing is to be had.
 * And nginx sends who asks for a directory without "/" to where it is: not in
 * a second redirect.  NGX_DECLINED: there is no place to send to.
 */
static ngx_int_t
ngx_http_iri_canonical_end(ngx_http_request_t       *r,
                           const ngx_http_iri_ctx_t *ctx, iri_str_t *path)
{
    ngx_int_t             rc;
    ngx_uint_t            is_dir = 0;
    ngx_http_iri_found_t *found;

    if (r->content_handler != NULL || !ngx_http_iri_is_looked_for(r)) {
        return NGX_OK;
    }

    found = ngx_http_iri_find(r);

    rc = found != NULL ? ngx_http_iri_opens(r, found, &is_dir) : NGX_DECLINED;

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return ctx->moved && ctx->moved_match >= IRI_MATCH_WIDTH
                   ? NGX_DECLINED
                   : NGX_OK;
    }

    return is_dir ? ngx_http_iri_add_slash(r, path) : NGX_OK;
}


/* NGX_DECLINED: it came as it should, or there is no such place. */
static ngx_int_t
ngx_http_iri_location(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx,
                      const iri_reading_t *came, iri_str_t *location)
{
    int       has_query;
    ngx_int_t rc;
    iri_env_t env;
    iri_str_t path = ngx_http_iri_in(ctx->canonical), query;

    has_query = ngx_http_iri_query(r, &query) != 0;
    ngx_http_iri_env(r, &env);

    if (iri_location(&env, came, path, has_query, query, location) != IRI_OK)
    {
        return NGX_ERROR;
    }

    if (location->len == 0) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_canonical_end(r, ctx, &path);

    if (rc != NGX_OK || path.len == ctx->canonical.len) {
        return rc;
    }

    return iri_location(&env, came, path, has_query, query, location)
                   == IRI_OK
               ? NGX_OK
               : NGX_ERROR;
}


/*
 * What a rewrite has made is internal, too, and no name to tell a client.
 * Where the client's own Host could not stand in a URI it gets the file.
 */
ngx_int_t
ngx_http_iri_redirect_client(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    iri_str_t                location = { 0, NULL };
    iri_reading_t            came;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ilcf->redirect == 0 || r != r->main || r->internal
        || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD)))
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx == NULL || ctx->rewritten) {
        return NGX_DECLINED;
    }

    /* Nothing was to be read or found. */
    if (!ctx->has_came && !ctx->moved) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_came(r, ctx, &came);
    if (rc != NGX_OK) {
        return ngx_http_iri_status(rc);
    }

    if (ilcf->redirect != IRI_REDIRECT_LINK && ngx_http_iri_host_is_sent(r)
        && !iri_is_uri_host(ngx_http_iri_in(r->headers_in.server)))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_location(r, ctx, &came, &location);
    if (rc != NGX_OK) {
        return ngx_http_iri_status(rc);
    }

    if (ilcf->redirect != IRI_REDIRECT_LINK) {
        ctx->redirected = (int) ilcf->redirect;
        return ngx_http_iri_send_redirect(r, ilcf->redirect, location);
    }

    return ngx_http_iri_keep_link(r, ctx, location) == NGX_OK
               ? NGX_DECLINED
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}
