/*
 * ngx_http_iri_header.h - fields of the response header; iri_redirect:
 *                         ngx_http_iri_header_filter_module
 */

#ifndef NGX_HTTP_IRI_HEADER_H
#define NGX_HTTP_IRI_HEADER_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* iri_charset $variable: the value of the variable for a request */
typedef struct {
    iri_reading_conf_t reading;
    ngx_str_t vary;             /* value of Vary; empty: the variable depends on
                                   no field */
} ngx_http_iri_client_t;

/* The context of a request; zero at first. */
typedef struct {
    ngx_http_iri_owner_t owner;
    ngx_http_iri_client_t *client;  /* NULL: the variable was not evaluated */
    ngx_str_t link;             /* value of the field Link; empty: none */
    ngx_str_t location;         /* value of the Location of iri_redirect; empty:
                                   none */
    ngx_uint_t redirect;        /* iri_redirect of the location whose try_files
                                   may make an internal redirect; 0: none */
} ngx_http_iri_header_ctx_t;

/* Returns: the context of r, or NULL if it has none. */
static inline ngx_http_iri_header_ctx_t *
ngx_http_iri_header_ctx(ngx_http_request_t *r)
{
    return ngx_http_iri_feature_ctx(r, &ngx_http_iri_header_filter_module);
}

/* The same, created if there is none.  Returns: NULL without memory. */
static inline ngx_http_iri_header_ctx_t *
ngx_http_iri_header_ctx_get_or_create(ngx_http_request_t *r)
{
    return ngx_http_iri_feature_ctx_get_or_create(
        r, &ngx_http_iri_header_filter_module,
        sizeof(ngx_http_iri_header_ctx_t));
}

/*
 * In the header filter, for a main request:
 *
 *   ngx_http_iri_write_references  make Location a URI-reference; add Link
 *   ngx_http_iri_write_vary        add Vary
 *
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_write_references(ngx_http_request_t *r);
ngx_int_t ngx_http_iri_write_vary(ngx_http_request_t *r);

/*
 * In the PRECONTENT phase: carry out iri_redirect.
 * Returns: NGX_DECLINED if the request goes on; else the HTTP status.
 */
ngx_int_t ngx_http_iri_redirect_client(ngx_http_request_t *r);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_HEADER_H */
