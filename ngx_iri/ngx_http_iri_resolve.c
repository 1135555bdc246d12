/*
 * ngx_http_iri_resolve.c - restart or 404 after a lookup
 *
 * If the entry has another canonical path than the one that was looked up, the
 * request restarts with the URL of the client, in which the names of the entry
 * replace those that were sent (design 5.6, iri_restart_url).  If that is not
 * possible, or nothing may be served, the request ends with 404, but only after
 * access is granted (design 5.7).  The callers are in ngx_http_iri_phases.c,
 * the lookup is in ngx_http_iri_find.c.
 */

#include "ngx_http_iri_listing.h"


/*
 * Answer a path for which nothing may be served.  Returns: NGX_DECLINED if r
 * makes the error page for it, or a content handler answers.
 */
static ngx_int_t
ngx_http_iri_not_found(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                       iri_lookup_t *found, const iri_find_conf_t *conf)
{
    int       status;
    iri_env_t env;

    if (r->content_handler != NULL) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);
    status = iri_request_refuse(ctx->request, &env, found, conf,
                                ngx_http_iri_str(r->uri));

    if (status == NGX_HTTP_CONFLICT && iri_is_conflict(&found->found)) {
        return ngx_http_iri_conflict(r, found->found.why);
    }

    return status != 0 ? status : NGX_DECLINED;
}


ngx_uint_t
ngx_http_iri_needs_lookup(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return ilcf->plain != NULL && !ngx_http_iri_needs_no_lookup(ilcf, r->uri)
           && (ilcf->plain->alias == 0 || r->valid_location)
           && !ngx_http_iri_judges_destination(r);
}


/* ---- restarting --------------------------------------------------------- */

ngx_uint_t
ngx_http_iri_plan_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                          iri_lookup_t *found)
{
    iri_env_t       env;
    iri_find_conf_t conf;

    if (found->found.verdict != IRI_RESTART) {
        return 0;
    }

    ngx_http_iri_env(r, &env);
    ngx_http_iri_find_conf(r, ctx, ngx_http_iri_ngx_str(found->path), &conf);

    return iri_request_plan_restart(ctx->request, &env, found, &conf) != 0;
}


ngx_int_t
ngx_http_iri_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    iri_env_t                 env;
    iri_str_t                 path;
    const iri_lookup_t       *found;
    const ngx_http_request_t *was = &ctx->snapshot->request;

    found = iri_request_pending_restart(ctx->request, &path);
    iri_request_drop_restart(ctx->request);

    /* For example, a rule has sent a response and discarded the body. */
    if (!ngx_http_iri_can_run_again(r, was)) {
        return NGX_HTTP_NOT_FOUND;
    }

    ngx_http_iri_env(r, &env);

    if (ngx_http_iri_restore(r, ctx->snapshot) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    iri_request_restart(ctx->request, &env, found, ngx_http_iri_str(was->uri),
                        path, ngx_http_iri_is_page(was) != 0);
    ngx_http_iri_set_uri_nocopy(r, ngx_http_iri_ngx_str(path));
    ngx_http_iri_rerun_phases(r);

    return NGX_DECLINED;
}


/* ---- in the phases ------------------------------------------------------ */

ngx_int_t
ngx_http_iri_wait_for_rules(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t      *ctx;
    iri_lookup_t            *found;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* With variables in root: the rules may still change them. */
    if (!(ilcf->any.match & IRI_FOLD_INDEXED) || !ngx_http_iri_needs_lookup(r)
        || ilcf->plain->root_lengths != NULL)
    {
        return NGX_DECLINED;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    return found != NULL && ctx != NULL && ngx_http_iri_wait(r, ctx, found)
               ? NGX_DONE
               : NGX_DECLINED;
}


/* Returns: 1 if try_files decides whether to restart with the entry. */
static ngx_uint_t
ngx_http_iri_is_left_to_try_files(ngx_http_request_t *r,
                                  const iri_lookup_t *found)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return found->found.verdict == IRI_RESTART && ilcf->try_files != NULL
           && !found->search.write;
}


ngx_int_t
ngx_http_iri_resolve(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;
    iri_lookup_t       *found;

    if (!ngx_http_iri_needs_lookup(r)) {
        return NGX_OK;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_iri_wait(r, ctx, found)) {
        return NGX_DONE;
    }

    return !ngx_http_iri_is_left_to_try_files(r, found)
                   && ngx_http_iri_plan_restart(r, ctx, found)
               ? ngx_http_iri_restart(r, ctx)
               : NGX_OK;
}


ngx_int_t
ngx_http_iri_refuse_not_found(ngx_http_request_t *r)
{
    ngx_int_t           rc;
    iri_lookup_t       *found;
    iri_find_conf_t     conf;
    ngx_http_iri_ctx_t *ctx;

    if (!ngx_http_iri_needs_lookup(r)) {
        return NGX_DECLINED;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_find_conf(r, ctx, r->uri, &conf);

    if (iri_request_outcome(found, &conf) == IRI_PASS
        || ngx_http_iri_is_left_to_try_files(r, found))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_choice(r, ctx, found);

    return rc != NGX_DECLINED ? rc
                              : ngx_http_iri_not_found(r, ctx, found, &conf);
}
