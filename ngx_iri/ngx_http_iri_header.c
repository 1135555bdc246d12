/*
 * ngx_http_iri_header.c - the header of an answer
 *
 * A filter, before those that write headers: the request gets back its own
 * path and the script under root (ngx_http_iri_root.c), and what the answer
 * says of places, of IRIs and of the client's charset is written
 * (ngx_http_iri_location.c, _advertise.c, _client.c).
 */

#include "ngx_http_iri.h"


static ngx_http_output_header_filter_pt ngx_http_iri_next_header_filter;


/* Is there no window to be closed, and no field of header to be written? */
static ngx_uint_t
ngx_http_iri_is_header_plain(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (ngx_http_iri_says_where(r, 0) || r->method == NGX_HTTP_OPTIONS
        || iscf->client != NULL)
    {
        return 0;
    }

    return ngx_http_iri_is_untouched(r);
}


/*
 * Once the request has gone upstream the proxy's flag is free, so that
 * proxy_store finds its file after "rewrite ... break".
 */
NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_header_all(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    if (ngx_http_iri_engine_of(r) == IRI_ENGINE_ON) {
        /* The answer of a rule for a request that is to restart. */
        ctx = ngx_http_iri_ctx(r);
        if (ctx != NULL && ctx->restart_found != NULL) {
            return NGX_ERROR;
        }

        iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
        ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
        if (r->upstream != NULL && ilcf->plain != NULL
            && ilcf->plain->alias == 0) {
            r->valid_location = 1;
        }

        imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
        if (ngx_http_iri_says_where(r, imcf->links)
            && ngx_http_iri_write_places(r) != NGX_OK)
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
    return ngx_http_iri_is_header_plain(r)
               ? ngx_http_iri_next_header_filter(r)
               : ngx_http_iri_header_all(r);
}


void
ngx_http_iri_header_init(void)
{
    ngx_http_iri_next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_iri_header_filter;
}
