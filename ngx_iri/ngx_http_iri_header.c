/*
 * ngx_http_iri_header.c - the response header filter
 *
 * Runs before the filters of nginx that write the header.  It sets Location and
 * Link (ngx_http_iri_location.c), "inturi" (ngx_http_iri_advertise.c) and Vary
 * (ngx_http_iri_client.c).
 */

#include "ngx_http_iri.h"


static ngx_http_output_header_filter_pt ngx_http_iri_next_header_filter;


/* 1 if the filter has nothing to do, which is the usual case. */
static ngx_uint_t
ngx_http_iri_header_is_plain(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (ngx_http_iri_may_have_references(r, 0)
        || r->method == NGX_HTTP_OPTIONS || iscf->client != NULL)
    {
        return 0;
    }

    return ngx_http_iri_has_no_ctx(r);
}


/*
 * r->valid_location is set after the upstream request was made, which is the
 * last to use it: proxy_store after "rewrite ... break" maps the path with the
 * script (ngx_http_iri_root.c), which needs the flag.
 */
NGX_HTTP_IRI_NOINLINE static ngx_int_t
ngx_http_iri_header_set(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    if (ngx_http_iri_engine_of(r) == IRI_ENGINE_ON) {
        /* A rule has answered a request that must restart. */
        ctx = ngx_http_iri_ctx(r);
        if (ctx != NULL && ctx->restart.pending != NULL) {
            return NGX_ERROR;
        }

        iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
        ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
        if (r->upstream != NULL && ilcf->plain != NULL
            && ilcf->plain->alias == 0) {
            r->valid_location = 1;
        }

        imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
        if (ngx_http_iri_may_have_references(r, imcf->links)
            && ngx_http_iri_write_references(r) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (r->method == NGX_HTTP_OPTIONS && iscf->advertise && r == r->main
            && ngx_http_iri_write_advertised(r) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (iscf->client != NULL && r == r->main
            && ngx_http_iri_write_vary(r) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_iri_next_header_filter(r);
}


static ngx_int_t
ngx_http_iri_header_filter(ngx_http_request_t *r)
{
    return ngx_http_iri_header_is_plain(r)
               ? ngx_http_iri_next_header_filter(r)
               : ngx_http_iri_header_set(r);
}


void
ngx_http_iri_header_init(void)
{
    ngx_http_iri_next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_iri_header_filter;
}
