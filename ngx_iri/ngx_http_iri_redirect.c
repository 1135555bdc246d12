/*
 * ngx_http_iri_redirect.c - iri_redirect
 *
 * In PRECONTENT, when the access rules have let the client in: a request that
 * came in another form is redirected to its canonical URI, or the answer gets
 * a Link to it.  Whether and where to is decided by the core
 * (common/path/iri_redirect.c); this file says what is known of the resource.
 */

#include "ngx_http_iri.h"


iri_str_t
ngx_http_iri_path_sent(ngx_http_request_t *r)
{
    iri_str_t path = ngx_http_iri_in(r->unparsed_uri);
    size_t    i;

    for (i = 0; i < path.len; i++) {
        if (path.data[i] == '?' || path.data[i] == '#') {
            break;
        }
    }

    path.len = i;

    return path;
}


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


/* The reading of what came; NGX_DECLINED: nothing was read, it is ASCII. */
static ngx_int_t
ngx_http_iri_redirect_came(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                           iri_reading_t *came)
{
    ngx_int_t                rc = NGX_DECLINED;
    ngx_http_iri_srv_conf_t *iscf;

    if (ctx != NULL) {
        rc = ngx_http_iri_came(r, ctx, came);
    }

    if (rc == NGX_DECLINED) {
        iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

        ngx_memzero(came, sizeof(iri_reading_t));
        came->form = IRI_FORM_ASCII;
        came->path = ngx_http_iri_in(r->uri);
        came->octets = came->path;
        came->conf = &iscf->reading;
    }

    return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_http_iri_redirect_of(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                         iri_reading_t *came, iri_redirect_t *redirect)
{
    if (ngx_http_iri_redirect_came(r, ctx, came) != NGX_OK) {
        return NGX_ERROR;
    }

    redirect->came = came;
    redirect->sent = ngx_http_iri_path_sent(r);
    redirect->path = ctx != NULL && ctx->moved
                         ? ngx_http_iri_in(ctx->canonical)
                         : came->path;
    redirect->slash = 0;
    redirect->has_query = ngx_http_iri_query(r, &redirect->query) != 0;

    return NGX_OK;
}


/* Is there a file, and behind it a PATH_INFO of ASCII, which has one reading? */
static ngx_int_t
ngx_http_iri_is_script(ngx_http_request_t *r, ngx_http_iri_found_t *found)
{
    u_char         *name;
    iri_env_t       env;
    iri_str_t       filename, path_info;
    ngx_file_info_t fi;

    ngx_http_iri_env(r, &env);

    if (iri_found_split(&env, &found->search, &found->found, &filename,
                        &path_info)
        != IRI_OK)
    {
        return NGX_ERROR;
    }

    name = ngx_pnalloc(r->pool, filename.len + 1);
    if (name == NULL) {
        return NGX_ERROR;
    }

    *ngx_cpymem(name, filename.data, filename.len) = '\0';

    return iri_str_is_ascii(path_info)
                   && ngx_file_info(name, &fi) != NGX_FILE_ERROR
                   && ngx_is_file(&fi)
               ? NGX_OK
               : NGX_DECLINED;
}


/*
 * What is known of the resource.  In a place that a rewrite, try_files or a
 * named location has led to, only whether there is an answer.  NGX_ERROR: the
 * disk could not be asked.
 */
static ngx_int_t
ngx_http_iri_presence(ngx_http_request_t *r, iri_redirect_t *redirect,
                      iri_presence_t *presence)
{
    ngx_int_t                rc;
    ngx_uint_t               is_dir = 0;
    ngx_http_iri_found_t    *found;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    *presence = r->content_handler != NULL ? IRI_UNCONFIRMED : IRI_ABSENT;

    found = ilcf->plain != NULL ? ngx_http_iri_find(r) : NULL;

    if (found == NULL
        || (found->found.verdict != IRI_PASS
            && found->found.verdict != IRI_SERVE))
    {
        return NGX_OK;
    }

    rc = ngx_http_iri_opens(r, found, &is_dir);

    if (rc == NGX_DECLINED && r->content_handler != NULL) {
        rc = ngx_http_iri_is_script(r, found);
    }

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_OK : NGX_ERROR;
    }

    if (r->internal || !iri_found_confirms(redirect->path, found->found.path))
    {
        *presence = IRI_UNCONFIRMED;
        return NGX_OK;
    }

    *presence = IRI_PRESENT;
    redirect->slash = is_dir && r->content_handler == NULL && r->uri.len != 0
                      && r->uri.data[r->uri.len - 1] != '/';

    return NGX_OK;
}


/*
 * try_files may lead on to what answers, where this comes by again: the place
 * of the client's own path says what is done.
 */
static ngx_int_t
ngx_http_iri_redirect_later(ngx_http_request_t            *r,
                            const ngx_http_iri_loc_conf_t *ilcf,
                            iri_presence_t                 presence)
{
    ngx_http_iri_ctx_t *ctx;

    if (presence != IRI_ABSENT || r->internal || !ilcf->try_files) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx_make(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->redirects = ilcf->redirect;

    return NGX_DECLINED;
}


/*
 * How the client is answered where its path differs from the canonical URI; 0:
 * as it came.  A page for an error, and what X-Accel-Redirect names, stand
 * for something else than what the client asked for.
 */
static ngx_uint_t
ngx_http_iri_redirect_status(ngx_http_request_t            *r,
                             const ngx_http_iri_loc_conf_t *ilcf,
                             const ngx_http_iri_ctx_t      *ctx)
{
    if (r != r->main || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
        || (r->internal
            && (r->error_page || r->err_status != 0 || r->upstream != NULL)))
    {
        return 0;
    }

    return ctx != NULL && ctx->redirects != 0 ? ctx->redirects
                                              : ilcf->redirect;
}


/* Where the client's own Host could not stand in a URI it gets the file. */
ngx_int_t
ngx_http_iri_redirect_client(ngx_http_request_t *r)
{
    iri_env_t                env;
    iri_str_t                location;
    ngx_uint_t               status;
    iri_reading_t            came;
    iri_presence_t           presence;
    iri_redirect_t           redirect;
    ngx_http_iri_ctx_t      *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    status = ngx_http_iri_redirect_status(r, ilcf, ctx);

    if (status == 0
        || (status != IRI_REDIRECT_LINK && ngx_http_iri_host_is_sent(r)
            && !iri_is_uri_host(ngx_http_iri_in(r->headers_in.server))))
    {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    if (ngx_http_iri_redirect_of(r, ctx, &came, &redirect) != NGX_OK
        || iri_redirect_location(&env, &redirect, &location) != IRI_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (location.len == 0) {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_presence(r, &redirect, &presence) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (!iri_may_redirect(ngx_http_iri_in(r->method_name), &redirect,
                          presence)) {
        return ngx_http_iri_redirect_later(r, ilcf, presence);
    }

    if (redirect.slash
        && iri_redirect_location(&env, &redirect, &location) != IRI_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (status != IRI_REDIRECT_LINK) {
        ctx = ngx_http_iri_ctx_make(r);
        if (ctx == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ctx->redirected = (int) status;
        return ngx_http_iri_send_redirect(r, status, location);
    }

    return ngx_http_iri_keep_link(r, location) == NGX_OK
               ? NGX_DECLINED
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}
