/*
 * ngx_http_iri_dav.h - WebDAV: ngx_http_iri_dav_module
 */

#ifndef NGX_HTTP_IRI_DAV_H
#define NGX_HTTP_IRI_DAV_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* The saved request for the source, while the rules judge the Destination */
typedef struct ngx_http_iri_source_s  ngx_http_iri_source_t;

/* The context of a request; zero at first. */
typedef struct {
    ngx_http_iri_owner_t owner;

    iri_multistatus_t *multistatus; /* NULL: the body is not filtered */
    ngx_array_t *if_values;     /* ngx_str_t: each field If as sent; NULL: not
                                   yet read */
    iri_reading_t reading;      /* of the Destination; all 0: it is ASCII */
    unsigned denied:1;          /* 1: the rules have denied the Destination */
    ngx_http_iri_source_t *source;  /* NULL: the rules are not judging the
                                   Destination */
} ngx_http_iri_dav_ctx_t;

/* Returns: the context of r, or NULL if it has none. */
static inline ngx_http_iri_dav_ctx_t *
ngx_http_iri_dav_ctx(ngx_http_request_t *r)
{
    return ngx_http_iri_feature_ctx(r, &ngx_http_iri_dav_module);
}

/* The same, created if there is none.  Returns: NULL without memory. */
static inline ngx_http_iri_dav_ctx_t *
ngx_http_iri_dav_ctx_get_or_create(ngx_http_request_t *r)
{
    return ngx_http_iri_feature_ctx_get_or_create(
        r, &ngx_http_iri_dav_module, sizeof(ngx_http_iri_dav_ctx_t));
}

/*
 * Returns: 1 while the rules judge the Destination.  The path is then not
 * looked up in the current location: nginx creates it below the root of the
 * source's location.
 */
static inline ngx_uint_t
ngx_http_iri_judges_destination(ngx_http_request_t *r)
{
    ngx_http_iri_dav_ctx_t *dav;

    if (!(r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))) {
        return 0;
    }

    dav = ngx_http_iri_dav_ctx(r);

    return dav != NULL && dav->source != NULL;
}

/* Returns: the reading of the Destination; NULL if uri is not its path. */
static inline const iri_reading_t *
ngx_http_iri_destination_reading(ngx_http_request_t *r, ngx_str_t uri)
{
    ngx_http_iri_dav_ctx_t *dav;

    if (!(r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))) {
        return NULL;
    }

    dav = ngx_http_iri_dav_ctx(r);

    return dav != NULL
                   && ngx_http_iri_str_equal(
                       uri, ngx_http_iri_ngx_str(dav->reading.path))
               ? &dav->reading
               : NULL;
}


/* ---- ngx_http_iri_dav.c -------------------------------------------------- */

/*
 * In the REWRITE phase, after the rules of a location: make the paths of the
 * resource tags in the fields If canonical.
 * Returns: NGX_DECLINED, or the HTTP status.
 */
ngx_int_t ngx_http_iri_dav_map_if(ngx_http_request_t *r);

/*
 * In the PRECONTENT phase: answer 409 for a name that cannot be created.
 * Returns: NGX_DONE if a page with the reason was sent: r may be freed; else
 * the HTTP status.
 */
ngx_int_t ngx_http_iri_conflict(ngx_http_request_t *r, iri_why_t why);

/* A handler of POST_READ, for COPY and MOVE: replace the path by its URI. */
ngx_int_t ngx_http_iri_destination_handler(ngx_http_request_t *r);

/*
 * If the rules are judging the Destination, restore the source, so that error
 * pages, upstreams and logs see it.  The Destination counts as denied.
 */
void ngx_http_iri_destination_cancel(ngx_http_request_t *r);

/*
 * In the PRECONTENT phase of COPY and MOVE: if nginx itself will write the
 * Destination, run the rules for its path.
 * Returns: NGX_DECLINED if there is nothing to judge, or r->phase_handler was
 * set to run the phases again with the path of the Destination; else the HTTP
 * status.
 */
ngx_int_t ngx_http_iri_destination_judge(ngx_http_request_t *r);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_DAV_H */
