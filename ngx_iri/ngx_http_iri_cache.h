/*
 * ngx_http_iri_cache.h - iri_cache: indexes of directories
 */

#ifndef NGX_HTTP_IRI_CACHE_H
#define NGX_HTTP_IRI_CACHE_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_cache.c ----------------------------------------------- */

/* The cache for lookups of r in this process.  Returns: NULL if it is off. */
iri_index_cache_t *ngx_http_iri_cache(ngx_http_request_t *r);

/*
 * If the lookup has started a thread that builds the index of a directory, and
 * the index may change its result, wait for it.
 * Returns: 1 if the handler must return NGX_DONE.  The phase runs that handler
 * again when the index is built.
 */
ngx_uint_t ngx_http_iri_wait(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    const iri_lookup_t *found);

/*
 * Parse iri_cache.  words: cf->args without the name of the directive.
 * Returns: NULL, or the error message.
 */
const char *ngx_http_iri_cache_set(ngx_conf_t *cf,
    ngx_http_iri_srv_conf_t *iscf, const iri_str_t *words);

/* After conf->engine is merged.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_cache_merge(ngx_conf_t *cf,
    const ngx_http_iri_srv_conf_t *prev, ngx_http_iri_srv_conf_t *conf);

/*
 * A location of the server folds width, case, accents or spelling: find the
 * threads that build indexes.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_cache_needs_threads(ngx_conf_t *cf,
    ngx_http_iri_srv_conf_t *iscf);

/* When a process starts that serves requests. */
void ngx_http_iri_cache_init_process(ngx_http_iri_main_conf_t *imcf);


/* ---- ngx_http_iri_zone.c ------------------------------------------------ */

typedef struct ngx_http_iri_zone_root_s  ngx_http_iri_zone_root_t;

/* The cache of directory indexes, as one process sees it */
typedef struct {
    iri_index_cache_t         cache;    /* first; its functions are set when
                                           a process starts */
    ngx_shm_zone_t           *shm_zone;
    ngx_slab_pool_t          *shpool;   /* NULL until then */
    ngx_http_iri_zone_root_t *root;     /* in shared memory */
} ngx_http_iri_zone_t;

/*
 * Add a zone of shared memory for size octets of records and blocks.  Zones of
 * the same size are one.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_zone_add(ngx_conf_t *cf, ngx_http_iri_zone_t *zone,
    size_t size);

/* When a process starts that serves requests.  zone->cache.later: not set. */
void ngx_http_iri_zone_open(ngx_http_iri_zone_t *zone);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_CACHE_H */
