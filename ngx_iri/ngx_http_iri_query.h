/*
 * ngx_http_iri_query.h - iri_query_charset
 */

#ifndef NGX_HTTP_IRI_QUERY_H
#define NGX_HTTP_IRI_QUERY_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_query.c ----------------------------------------------- */

/*
 * Set *out to the requested query, converted: the value of $iri_query.
 * Returns: NGX_OK; NGX_DECLINED if there is no query; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_query_value(ngx_http_request_t *r, iri_str_t *out);

/*
 * Read the query as sent, for ngx_http_iri_status_module.
 * Returns: NGX_OK; NGX_DECLINED if there is none or it needs no conversion;
 * NGX_ERROR.
 */
ngx_int_t ngx_http_iri_query_read_sent(ngx_http_request_t *r,
    iri_query_t *query);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_QUERY_H */
