/*
 * ngx_http_iri_post_read.c - the handler of the POST_READ phase
 *
 * Reads what the client has sent, before any rule sees it: the host, which
 * selects a server; then, with the settings of that server, the query, the
 * Destination of COPY and MOVE, and the path, which becomes canonical
 * (ngx_http_iri_request.c).  Paths that redirects, subrequests and rewrites
 * make are read in ngx_http_iri_phases.c.
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
ngx_http_iri_read_host_query_path(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    rc = imcf->hosts ? ngx_http_iri_host_select(r) : NGX_DECLINED;
    if (rc != NGX_DECLINED) {
        return rc;
    }

    /* The host may have selected another server. */
    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (iscf->engine == IRI_ENGINE_OFF) {
        return NGX_DECLINED;
    }

    if (r->args.len == 0) {
        /* there is no query to read */

    } else if (iscf->engine == IRI_ENGINE_REPORT) {
        ngx_http_iri_report_args(r);

    } else if (ngx_http_iri_args(r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if ((r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))
        && iscf->engine == IRI_ENGINE_ON)
    {
        rc = ngx_http_iri_destination(r);
        if (rc != NGX_OK && rc != NGX_DECLINED) {
            return ngx_http_iri_http_status(rc);
        }
    }

    if (!ngx_http_iri_uri_is_ascii(r)) {
        return ngx_http_iri_read_requested(r, iscf);
    }

    return ngx_http_iri_may_fold_ascii(iscf, r->uri)
                   || (iscf->engine == IRI_ENGINE_ON && iscf->lists)
               ? ngx_http_iri_read_requested(r, iscf)
               : NGX_DECLINED;
}


/* Returns: 1 if the host or the query must be read. */
static ngx_uint_t
ngx_http_iri_needs_host_or_query(ngx_http_request_t            *r,
                                 const ngx_http_iri_srv_conf_t *iscf)
{
    return (iscf->other_servers
            && !iri_host_is_ascii(ngx_http_iri_str(r->headers_in.server)))
           || (r->args.len != 0
               && iri_query_needs_read(&iscf->query,
                                       ngx_http_iri_str(r->args)));
}


static inline ngx_int_t
ngx_http_iri_post_read_path(ngx_http_request_t            *r,
                            const ngx_http_iri_srv_conf_t *iscf)
{
    return !iscf->folds && ngx_http_iri_uri_is_ascii(r)
               ? NGX_DECLINED
               : ngx_http_iri_read_requested(r, iscf);
}


NGX_HTTP_IRI_NOINLINE static ngx_int_t
ngx_http_iri_post_read_slow(ngx_http_request_t            *r,
                            const ngx_http_iri_srv_conf_t *iscf)
{
    return iscf->ascii && !(r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))
                   && !ngx_http_iri_needs_host_or_query(r, iscf)
               ? ngx_http_iri_post_read_path(r, iscf)
               : ngx_http_iri_read_host_query_path(r);
}


ngx_int_t
ngx_http_iri_post_read_handler(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return iscf->ascii && !iscf->other_servers && r->args.len == 0
                   && !(r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))
               ? ngx_http_iri_post_read_path(r, iscf)
               : ngx_http_iri_post_read_slow(r, iscf);
}
