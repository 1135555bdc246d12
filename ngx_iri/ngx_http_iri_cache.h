/*
 * ngx_http_iri_cache.h - iri_cache: indexes of directories
 */

#ifndef NGX_HTTP_IRI_CACHE_H
#define NGX_HTTP_IRI_CACHE_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/*
 * The cache for lookups of r.  The next lookup sets the task for which
 * ngx_http_iri_wait_for_index() waits.  Returns: NULL if the cache is off.
 */
iri_index_cache_t *ngx_http_iri_cache(ngx_http_request_t *r);

/*
 * If the lookup has started to build the index of a directory in a thread, and
 * the index may change the result, make r wait for the index.
 * Returns: 1 if the phase handler must return NGX_DONE.  nginx runs the handler
 * again when the index is built.
 */
ngx_uint_t ngx_http_iri_wait_for_index(ngx_http_request_t *r,
    const iri_lookup_t *found);

/* The setter of iri_cache */
char *ngx_http_iri_cache_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Merge iri_cache, after conf->engine is merged. */
ngx_int_t ngx_http_iri_cache_merge(ngx_conf_t *cf,
    const ngx_http_iri_srv_conf_t *prev, ngx_http_iri_srv_conf_t *conf);

/*
 * Add the thread pool that builds indexes, since nginx starts only those that
 * were added: an iri_match in the server has a word of IRI_FOLD_INDEXED.
 * cache: NULL: off.
 */
ngx_int_t ngx_http_iri_cache_add_threads(ngx_conf_t *cf,
    ngx_http_iri_cache_t *cache);

/* Open all caches, when a process starts that serves requests. */
ngx_int_t ngx_http_iri_cache_init_process(ngx_cycle_t *cycle);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_CACHE_H */
