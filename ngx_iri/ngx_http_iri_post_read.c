/*
 * ngx_http_iri_post_read.c - the handler of the POST_READ phase
 *
 * Reads the path that the client has sent, before any rule sees it: it becomes
 * canonical (ngx_http_iri_request.c).  The handlers of other modules that read
 * the host, which selects a server, the query and the Destination have run
 * before.  Paths that
 * redirects, subrequests and rewrites make are read in ngx_http_iri_phases.c.
 */

#include "ngx_http_iri.h"


/*
 * Read the path.  An ASCII path is only saved: it has one reading, but the
 * entry may have another name.
 */
NGX_HTTP_IRI_NOINLINE static ngx_int_t
ngx_http_iri_read_requested(ngx_http_request_t            *r,
                            const ngx_http_iri_srv_conf_t *iscf)
{
    ngx_int_t           rc = NGX_ERROR;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx_get_or_create(r);

    if (ctx != NULL && iscf->engine == IRI_ENGINE_REPORT) {
        iri_request_set_report(ctx->request);
    }

    if (ctx != NULL && ngx_http_iri_uri_is_ascii(r)) {
        iri_request_set_ascii(ctx->request, ngx_http_iri_str(r->uri));
        return NGX_DECLINED;
    }

    if (ctx != NULL) {
        rc = ngx_http_iri_read(r, ctx, IRI_PATH_REQUESTED);
    }

    /* No location is chosen yet, so a new r->uri needs nothing else. */
    return rc == NGX_OK || iscf->engine == IRI_ENGINE_REPORT
               ? NGX_DECLINED
               : ngx_http_iri_http_status(rc);
}


NGX_HTTP_IRI_NOINLINE static ngx_int_t
ngx_http_iri_post_read_slow(ngx_http_request_t            *r,
                            const ngx_http_iri_srv_conf_t *iscf)
{
    if (iscf->engine == IRI_ENGINE_OFF) {
        return NGX_DECLINED;
    }

    if (!ngx_http_iri_uri_is_ascii(r)) {
        return ngx_http_iri_read_requested(r, iscf);
    }

    return ngx_http_iri_may_fold_ascii(iscf, r->uri)
                   || (iscf->engine == IRI_ENGINE_ON && iscf->lists)
               ? ngx_http_iri_read_requested(r, iscf)
               : NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_post_read_handler(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (!iscf->ascii) {
        return ngx_http_iri_post_read_slow(r, iscf);
    }

    return !iscf->folds && ngx_http_iri_uri_is_ascii(r)
               ? NGX_DECLINED
               : ngx_http_iri_read_requested(r, iscf);
}
