/*
 * ngx_http_iri_conflict.c - the 409 page, with the reason why a name cannot be
 *                           created
 */

#include "ngx_http_iri_dav.h"


static const char ngx_http_iri_conflict_format[] =
    "<html>" CRLF "<head><title>409 Conflict</title></head>" CRLF
    "<body>" CRLF "<center><h1>409 Conflict</h1></center>" CRLF
    "<p>%s</p>" CRLF "</body>" CRLF "</html>" CRLF;


/* Returns: 1 if error_page defines a page for 409 in this location. */
static ngx_uint_t
ngx_http_iri_conflict_has_page(ngx_http_request_t *r)
{
    ngx_uint_t                i;
    ngx_http_err_page_t      *page;
    ngx_http_core_loc_conf_t *clcf = ngx_http_iri_core_loc_conf(r);

    if (clcf->error_pages == NULL) {
        return 0;
    }

    page = clcf->error_pages->elts;

    for (i = 0; i < clcf->error_pages->nelts; i++) {
        if (page[i].status == NGX_HTTP_CONFLICT) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_http_iri_conflict(ngx_http_request_t *r, iri_why_t why)
{
    u_char                  *p;
    const char              *text = iri_conflict_text(why);
    static ngx_str_t         type = ngx_string("text/html");
    ngx_http_complex_value_t page;

    if (r != r->main || r->error_page || ngx_http_iri_conflict_has_page(r)) {
        return NGX_HTTP_CONFLICT;
    }

    p = ngx_pnalloc(r->pool,
                    sizeof(ngx_http_iri_conflict_format) + ngx_strlen(text));
    if (p == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&page, sizeof(ngx_http_complex_value_t));
    page.value.data = p;
    page.value.len = ngx_sprintf(p, ngx_http_iri_conflict_format, text) - p;

    ngx_http_finalize_request(
        r, ngx_http_send_response(r, NGX_HTTP_CONFLICT, &type, &page));

    return NGX_DONE;
}
