/*
 * ngx_http_iri_redirect.c - iri_redirect: the redirect to the canonical URI
 *
 * Runs in PRECONTENT, after the access rules have passed.  A request in another
 * form is redirected to its canonical URI, or the response gets a Link to it.
 * The core decides (common/path/iri_redirect.c); this file collects the facts:
 * the path as sent, the query, and whether the resource exists.
 */

#include "ngx_http_iri_header.h"


iri_str_t
ngx_http_iri_sent_path(ngx_http_request_t *r)
{
    iri_str_t path = ngx_http_iri_str(r->unparsed_uri);
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


/* 1 if nginx puts the client's Host before the path in Location. */
static ngx_uint_t
ngx_http_iri_uses_client_host(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->absolute_redirect && !clcf->server_name_in_redirect;
}


ngx_int_t
ngx_http_iri_redirect_input(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                            iri_reading_t *came, iri_redirect_t *redirect)
{
    iri_env_t                env;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
    ngx_http_iri_env(r, &env);

    redirect->sent = ngx_http_iri_sent_path(r);
    redirect->slash = 0;
    redirect->has_query = ngx_http_iri_query(r, &redirect->query) != 0;

    return iri_request_redirect(ctx != NULL ? ctx->request : NULL, &env,
                                &iscf->reading, ngx_http_iri_str(r->uri),
                                came, redirect)
                   == IRI_OK
               ? NGX_OK
               : NGX_ERROR;
}


/* NGX_OK: a file, followed by a PATH_INFO in ASCII; NGX_DECLINED; NGX_ERROR. */
static ngx_int_t
ngx_http_iri_is_script(ngx_http_request_t *r, iri_lookup_t *found)
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
 * Does the resource exist?  After a rewrite, try_files or a named location only
 * IRI_UNCONFIRMED is possible: the entry may belong to another path.  NGX_OK;
 * NGX_ERROR: the lookup failed.
 */
static ngx_int_t
ngx_http_iri_presence(ngx_http_request_t *r, iri_redirect_t *redirect,
                      iri_presence_t *presence)
{
    ngx_int_t                rc;
    ngx_uint_t               is_dir = 0;
    iri_lookup_t            *found;
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

    rc = ngx_http_iri_can_open(r, ngx_http_iri_ngx_str(found->filename),
                               &is_dir);

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
 * try_files may redirect the request internally to another location, where this
 * handler runs again.  Keep iri_redirect of the first location for that.
 */
static ngx_int_t
ngx_http_iri_redirect_defer(ngx_http_request_t            *r,
                            const ngx_http_iri_loc_conf_t *ilcf,
                            iri_presence_t                 presence)
{
    ngx_http_iri_header_ctx_t *ctx;

    if (presence != IRI_ABSENT || r->internal || !ilcf->try_files) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_header_ctx_get_or_create(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->redirect = ilcf->redirect;

    return NGX_DECLINED;
}


/*
 * The value of iri_redirect for this request; 0: no redirect.  Error pages and
 * paths of X-Accel-Redirect are not the path that the client requested.
 */
static ngx_uint_t
ngx_http_iri_redirect_status(ngx_http_request_t            *r,
                             const ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_http_iri_header_ctx_t *ctx;

    if (r != r->main || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
        || (r->internal
            && (r->error_page || r->err_status != 0 || r->upstream != NULL)))
    {
        return 0;
    }

    ctx = r->internal ? ngx_http_iri_header_ctx(r) : NULL;

    return ctx != NULL && ctx->redirect != 0 ? ctx->redirect : ilcf->redirect;
}


/* No redirect if Location would contain a Host that is not valid in a URI. */
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
    status = ngx_http_iri_redirect_status(r, ilcf);

    if (status == 0
        || (status != IRI_REDIRECT_LINK && ngx_http_iri_uses_client_host(r)
            && !iri_is_uri_host(ngx_http_iri_str(r->headers_in.server))))
    {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    if (ngx_http_iri_redirect_input(r, ctx, &came, &redirect) != NGX_OK
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

    if (!iri_may_redirect(ngx_http_iri_str(r->method_name), &redirect,
                          presence)) {
        return ngx_http_iri_redirect_defer(r, ilcf, presence);
    }

    if (redirect.slash
        && iri_redirect_location(&env, &redirect, &location) != IRI_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (status == IRI_REDIRECT_LINK) {
        return ngx_http_iri_save_link(r, location) == NGX_OK
                   ? NGX_DECLINED
                   : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx = ngx_http_iri_ctx_get_or_create(r);
    if (ctx == NULL || ngx_http_iri_set_location(r, location) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    iri_request_redirected(ctx->request, (int) status);

    return (ngx_int_t) status;
}
