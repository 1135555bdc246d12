/*
 * iri_index_cache_apr.h - a cache of directory indexes in one process
 *
 * For mod_iri and the command iri.
 */

#ifndef IRI_INDEX_CACHE_APR_H
#define IRI_INDEX_CACHE_APR_H

#include "iri.h"

struct apr_pool_t;   /* apr_pools.h: apr_pool_t */

#pragma GCC visibility push(hidden)

/*
 * Create a cache for all threads of this process.  It has queues, and no thread
 * of its own that builds indexes.
 * size: greatest number of octets of all records and blocks together.  The
 * share of the records depends on size only; one block may take the rest.
 * parent: the pool with which the cache is destroyed.
 * Returns: NULL if there is no memory, or no mutex.
 */
iri_index_cache_t *iri_index_cache_apr_create(struct apr_pool_t *parent,
                                              size_t size);

#pragma GCC visibility pop

#endif /* IRI_INDEX_CACHE_APR_H */
