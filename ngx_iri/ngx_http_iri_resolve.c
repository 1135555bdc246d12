/*
 * ngx_http_iri_resolve.c - looking up r->uri in the REWRITE and PRECONTENT
 * phases
 *
 * Depending on the result, the request continues, waits for an index, restarts,
 * or ends with 404, 409 or a list of names.  A request that cannot restart, or
 * for which no file may be served, ends only after access is granted (design
 * 5.7).
 */

#include "ngx_http_iri_cache.h"
#include "ngx_http_iri_dav.h"
#include "ngx_http_iri_listing.h"


/* ---- around the rules of a location ------------------------------------- */

/*
 * Look up r->uri, if it may have another name on disk.
 * Returns: NGX_OK; NGX_DECLINED if no lookup is needed; else the HTTP status.
 */
static ngx_int_t
ngx_http_iri_find_if_needed(ngx_http_request_t *r, ngx_http_iri_ctx_t **ctx,
                            iri_lookup_t **found)
{
    if (!ngx_http_iri_needs_lookup(r)) {
        return NGX_DECLINED;
    }

    *found = ngx_http_iri_find(r);
    *ctx = ngx_http_iri_ctx(r);

    return *found != NULL && *ctx != NULL ? NGX_OK
                                          : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_iri_wait_before_rules(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t      *ctx;
    iri_lookup_t            *found;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* The rules may change the variables in a root. */
    return (ilcf->combined.match & IRI_FOLD_INDEXED)
                   && ilcf->configured != NULL
                   && ilcf->configured->root_lengths == NULL
                   && ngx_http_iri_find_if_needed(r, &ctx, &found) == NGX_OK
                   && ngx_http_iri_wait_for_index(r, ctx, found)
               ? NGX_DONE
               : NGX_DECLINED;
}


/* Returns: 1 if try_files decides later whether r restarts. */
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
    ngx_int_t           rc;
    iri_lookup_t       *found;
    ngx_http_iri_ctx_t *ctx;

    rc = ngx_http_iri_find_if_needed(r, &ctx, &found);
    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_OK : rc;
    }

    if (ngx_http_iri_wait_for_index(r, ctx, found)) {
        return NGX_DONE;
    }

    return !ngx_http_iri_is_left_to_try_files(r, found)
                   && ngx_http_iri_plan_restart(r, ctx, found)
               ? ngx_http_iri_restart(r, ctx)
               : NGX_OK;
}


/* ---- after access is granted -------------------------------------------- */

/*
 * Answer 404 or 409.  Returns: NGX_DECLINED if r runs the error page for a path
 * that was refused, or a content handler answers.
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


ngx_int_t
ngx_http_iri_refuse_not_found(ngx_http_request_t *r)
{
    ngx_int_t           rc;
    iri_lookup_t       *found;
    iri_find_conf_t     conf;
    ngx_http_iri_ctx_t *ctx;

    rc = ngx_http_iri_find_if_needed(r, &ctx, &found);
    if (rc != NGX_OK) {
        return rc;
    }

    if (iri_may_open(&found->found)) {
        return NGX_DECLINED;
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
