/*
 * iri_index_cache_apr.c - a cache of directory indexes in one process
 *
 * Records are in an APR hash, and in a ring in the order of their last use.
 * Records and blocks are allocated by malloc(), because they are freed in any
 * order.  The pool of the hash has its own allocator, so that only a thread
 * that holds the lock of the cache allocates from it.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_allocator.h>
#include <apr_hash.h>
#include <apr_pools.h>
#include <apr_thread_mutex.h>

#include "index/iri_index_cache_apr.h"

#define CACHE_APR_RECORD_SHARE 1536 /* octets of the cache for each record */

typedef struct cache_apr_record_s cache_apr_record_t;

struct cache_apr_record_s {
    iri_index_record_t  record;
    cache_apr_record_t *next, *previous; /* in the ring */
    iri_index_key_t     key;
};

typedef struct {
    iri_index_cache_t   cache;
    iri_index_state_t   state;
    apr_hash_t         *hash; /* of cache_apr_record_t by key */
    cache_apr_record_t  ring; /* its next is the least recently used */
    size_t              left; /* number of records that may be added */
    size_t              room; /* octets that may be allocated for blocks */
    apr_thread_mutex_t *mutex;
    apr_thread_mutex_t *queues[IRI_INDEX_QUEUES];
} cache_apr_t;

/* The header of a block, which keeps the block aligned. */
typedef union {
    size_t   size; /* octets of the block and this header */
    uint64_t alignment;
} cache_apr_block_t;

static iri_index_state_t *
cache_apr_lock(iri_index_cache_t *cache)
{
    cache_apr_t *self = (cache_apr_t *) cache;

    (void) apr_thread_mutex_lock(self->mutex);
    return &self->state;
}

static void
cache_apr_unlock(iri_index_cache_t *cache)
{
    (void) apr_thread_mutex_unlock(((cache_apr_t *) cache)->mutex);
}

static void
cache_apr_queue(iri_index_cache_t *cache, unsigned which)
{
    (void) apr_thread_mutex_lock(((cache_apr_t *) cache)->queues[which]);
}

static void
cache_apr_leave(iri_index_cache_t *cache, unsigned which)
{
    (void) apr_thread_mutex_unlock(((cache_apr_t *) cache)->queues[which]);
}

static void
cache_apr_unlink(cache_apr_record_t *record)
{
    record->previous->next = record->next;
    record->next->previous = record->previous;
}

static void
cache_apr_append(cache_apr_t *self, cache_apr_record_t *record)
{
    record->next = &self->ring;
    record->previous = self->ring.previous;
    record->previous->next = record;
    self->ring.previous = record;
}

static iri_index_record_t *
cache_apr_find(iri_index_cache_t *cache, const iri_index_key_t *key)
{
    cache_apr_t        *self = (cache_apr_t *) cache;
    cache_apr_record_t *found;

    found = apr_hash_get(self->hash, key, sizeof(*key));
    if (found == NULL) {
        return NULL;
    }
    cache_apr_unlink(found);
    cache_apr_append(self, found);
    return &found->record;
}

static void
cache_apr_put(cache_apr_t *self, cache_apr_record_t *record,
              const iri_index_key_t *key)
{
    record->key = *key;
    apr_hash_set(self->hash, &record->key, sizeof(record->key), record);
    cache_apr_append(self, record);
}

static iri_index_record_t *
cache_apr_insert(iri_index_cache_t *cache, const iri_index_key_t *key)
{
    cache_apr_t        *self = (cache_apr_t *) cache;
    cache_apr_record_t *record = NULL;

    if (self->left != 0) {
        record = calloc(1, sizeof(*record));
    }
    if (record == NULL) {
        return NULL;
    }
    self->left--;
    cache_apr_put(self, record, key);
    return &record->record;
}

static void
cache_apr_reuse(iri_index_cache_t *cache, iri_index_record_t *record,
                const iri_index_key_t *key)
{
    cache_apr_t        *self = (cache_apr_t *) cache;
    cache_apr_record_t *other = (cache_apr_record_t *) record;

    apr_hash_set(self->hash, &other->key, sizeof(other->key), NULL);
    cache_apr_unlink(other);
    memset(other, 0, sizeof(*other));
    cache_apr_put(self, other, key);
}

static iri_index_record_t *
cache_apr_next(iri_index_cache_t *cache, iri_index_record_t *record)
{
    cache_apr_t        *self = (cache_apr_t *) cache;
    cache_apr_record_t *next;

    next = record != NULL ? ((cache_apr_record_t *) record)->next
                          : self->ring.next;
    return next != &self->ring ? &next->record : NULL;
}

static void *
cache_apr_alloc(iri_index_cache_t *cache, size_t size)
{
    cache_apr_t       *self = (cache_apr_t *) cache;
    cache_apr_block_t *block;

    if (size > self->room || sizeof(*block) > self->room - size) {
        return NULL;
    }
    block = malloc(sizeof(*block) + size);
    if (block == NULL) {
        return NULL;
    }
    block->size = sizeof(*block) + size;
    self->room -= block->size;
    return block + 1;
}

static void
cache_apr_free(iri_index_cache_t *cache, void *block)
{
    cache_apr_block_t *header = (cache_apr_block_t *) block - 1;

    ((cache_apr_t *) cache)->room += header->size;
    free(header);
}

/* Free the blocks and records, which are not in the pool. */
static apr_status_t
cache_apr_destroy(void *data)
{
    iri_index_cache_t  *cache = data;
    iri_index_record_t *record, *next;

    for (record = cache_apr_next(cache, NULL); record != NULL; record = next)
    {
        next = cache_apr_next(cache, record);
        if (record->block != NULL) {
            cache_apr_free(cache, record->block);
        }
        if (record->build_block != NULL) {
            cache_apr_free(cache, record->build_block);
        }
        free(record);
    }
    return APR_SUCCESS;
}

static int
cache_apr_create_mutexes(cache_apr_t *self, apr_pool_t *pool)
{
    apr_status_t status;
    unsigned     i;

    status = apr_thread_mutex_create(&self->mutex, APR_THREAD_MUTEX_DEFAULT,
                                     pool);
    for (i = 0; i < IRI_INDEX_QUEUES && status == APR_SUCCESS; i++) {
        status = apr_thread_mutex_create(&self->queues[i],
                                         APR_THREAD_MUTEX_DEFAULT, pool);
    }
    return status == APR_SUCCESS;
}

/* Returns: a pool that only the cache uses; NULL: no memory. */
static apr_pool_t *
cache_apr_create_pool(apr_pool_t *parent)
{
    apr_allocator_t *allocator;
    apr_pool_t      *pool;

    if (apr_allocator_create(&allocator) != APR_SUCCESS) {
        return NULL;
    }
    if (apr_pool_create_ex(&pool, parent, NULL, allocator) != APR_SUCCESS) {
        apr_allocator_destroy(allocator);
        return NULL;
    }
    apr_allocator_owner_set(allocator, pool);
    return pool;
}

static void
cache_apr_init(cache_apr_t *self, size_t size)
{
    self->left = size / CACHE_APR_RECORD_SHARE + 1;
    self->room = self->left * sizeof(cache_apr_record_t);
    self->room = size > self->room ? size - self->room : 0;
    self->ring.next = &self->ring;
    self->ring.previous = &self->ring;

    iri_index_cache_key(self->cache.key);
    self->cache.max_size = self->room > sizeof(cache_apr_block_t)
                               ? self->room - sizeof(cache_apr_block_t)
                               : 0;
    self->cache.lock = cache_apr_lock;
    self->cache.unlock = cache_apr_unlock;
    self->cache.find = cache_apr_find;
    self->cache.insert = cache_apr_insert;
    self->cache.reuse = cache_apr_reuse;
    self->cache.next = cache_apr_next;
    self->cache.alloc = cache_apr_alloc;
    self->cache.free = cache_apr_free;
    self->cache.queue = cache_apr_queue;
    self->cache.leave = cache_apr_leave;
}

iri_index_cache_t *
iri_index_cache_apr_create(apr_pool_t *parent, size_t size)
{
    apr_pool_t  *pool = cache_apr_create_pool(parent);
    cache_apr_t *self;

    if (pool == NULL) {
        return NULL;
    }
    self = apr_pcalloc(pool, sizeof(*self));
    if (self == NULL || !cache_apr_create_mutexes(self, pool)) {
        apr_pool_destroy(pool);
        return NULL;
    }
    cache_apr_init(self, size);
    self->hash = apr_hash_make(pool);
    apr_pool_cleanup_register(pool, self, cache_apr_destroy,
                              apr_pool_cleanup_null);
    return &self->cache;
}
