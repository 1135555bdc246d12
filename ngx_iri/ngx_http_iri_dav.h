/*
 * ngx_http_iri_dav.h - the context of ngx_http_iri_dav_module
 *
 * For its two files, ngx_http_iri_dav.c and ngx_http_iri_destination.c.
 */

#ifndef NGX_HTTP_IRI_DAV_H
#define NGX_HTTP_IRI_DAV_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* The request for the source, while the rules judge the Destination */
typedef struct ngx_http_iri_source_s  ngx_http_iri_source_t;

/* Of a request; zero at first. */
typedef struct {
    ngx_http_iri_owner_t owner;

    /* ngx_http_iri_dav.c */
    iri_env_t env;
    iri_multistatus_t *answer;  /* NULL: the body is not filtered */
    ngx_array_t *if_fields;     /* of ngx_http_iri_if_t; NULL: not yet read */
    iri_why_t why;              /* reason on the 409 page */

    /* ngx_http_iri_destination.c */
    iri_reading_t reading;      /* of the Destination header */
    unsigned has_reading:1;     /* 1: reading is set */
    unsigned denied:1;          /* 1: the rules have denied the Destination */
    ngx_http_iri_source_t *source;  /* NULL: the rules are not judging the
                                   Destination */
    void **passed_in;           /* r->loc_conf of the source for which the rules
                                   have passed the Destination; NULL: none */
    ngx_uint_t runs;            /* how often the rules have judged it */
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
 * Returns: 1 while rules judge a Destination.  It is not looked up in the
 * current location, because it is created below the root of the location of
 * the source.
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

/* Returns: the reading of the Destination; NULL if uri is another path. */
static inline const iri_reading_t *
ngx_http_iri_destination_reading(ngx_http_request_t *r, ngx_str_t uri)
{
    ngx_http_iri_dav_ctx_t *dav;

    if (!(r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))) {
        return NULL;
    }

    dav = ngx_http_iri_dav_ctx(r);

    return dav != NULL && dav->has_reading
                   && ngx_http_iri_same(
                       uri, ngx_http_iri_ngx_str(dav->reading.path))
               ? &dav->reading
               : NULL;
}



/* ---- ngx_http_iri_destination.c ------------------------------------------ */

/* A handler of POST_READ: put the path of the Destination in canonical form. */
ngx_int_t ngx_http_iri_destination_handler(ngx_http_request_t *r);

/*
 * If a Destination is being judged, end this: error pages, backends and logs
 * see the source again.
 */
void ngx_http_iri_destination_cancel(ngx_http_request_t *r);

/*
 * After the rules have granted access to the source of COPY and MOVE: let them
 * judge the Destination, if nginx itself would write there.
 * Returns: NGX_DECLINED if there is nothing to judge, or r has restarted with
 * the Destination as its path; else the HTTP status.
 */
ngx_int_t ngx_http_iri_destination_judge(ngx_http_request_t *r);


/* ---- ngx_http_iri_conflict.c -------------------------------------------- */

/*
 * In the PRECONTENT phase: answer 409 for a name that cannot be created.
 * Returns: as a handler; NGX_OK if a page with the reason is the content.
 */
ngx_int_t ngx_http_iri_conflict(ngx_http_request_t *r, iri_why_t why);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_DAV_H */
