/*
 * ngx_http_iri_zone.c - the shared memory zone of iri_cache
 *
 * The core's index cache (design 3) in a shared memory zone of nginx: records
 * in an rbtree, and in a queue in the order of their last use; blocks in the
 * slab pool.  The root and the records are at the end of the zone, which is
 * taken from the slab pool.  The mutex of the slab pool protects all of these.
 *
 * nginx unlocks the mutex if a worker dies while holding it.  Tree, queue and
 * slab pool may then be inconsistent, so the next process that locks the mutex
 * empties the zone, and the indexes are built again.
 *
 * A reload keeps the zone and its contents if the size is unchanged.
 */

#include "ngx_http_iri_cache.h"

/* One record is reserved for each 1,536 octets of the zone. */
#define NGX_HTTP_IRI_RECORD_SHARE 1536
#define NGX_HTTP_IRI_MAX_RECORDS  32768


typedef struct {
    ngx_str_node_t     sn; /* must be first; sn.str refers to key */
    ngx_queue_t        queue;
    iri_index_key_t    key;
    iri_index_record_t record;
} ngx_http_iri_record_t;

/* In shared memory, followed by the records. */
struct ngx_http_iri_zone_root_s {
    ngx_uint_t        locked;   /* 1: a process holds the mutex, or has died
                                   while holding it */
    uint64_t          key[2];   /* iri_index_cache_t.key */
    size_t            max_size; /* iri_index_cache_t.max_size */
    iri_index_state_t state;
    ngx_rbtree_t      tree;
    ngx_rbtree_node_t sentinel;
    ngx_queue_t       queue; /* of records; the head was used last */
    ngx_uint_t        used;  /* number of records in use */
    ngx_uint_t        max;   /* number of reserved records */
};


/* ---- the zone ----------------------------------------------------------- */

/* Remove all records and blocks; keep root->key and root->state. */
static void
ngx_http_iri_zone_clear(ngx_slab_pool_t          *shpool,
                        ngx_http_iri_zone_root_t *root)
{
    ngx_slab_init(shpool);
    shpool->log_nomem = 0;

    ngx_rbtree_init(&root->tree, &root->sentinel,
                    ngx_str_rbtree_insert_value);
    ngx_queue_init(&root->queue);
    root->used = 0;
    root->max_size = shpool->pfree * ngx_pagesize;
}


/*
 * Called in the master process, before workers are started, so no lock is
 * needed.  data: the root in the previous cycle; NULL if the zone is new.
 */
static ngx_int_t
ngx_http_iri_zone_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_uint_t                max;
    ngx_slab_pool_t          *shpool;
    ngx_http_iri_zone_root_t *root = data;

    shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (root == NULL && shm_zone->shm.exists) {
        root = shpool->data;
    }

    if (root == NULL) {
        max = ngx_min(shm_zone->shm.size / NGX_HTTP_IRI_RECORD_SHARE,
                      NGX_HTTP_IRI_MAX_RECORDS);

        shpool->end -= ngx_align(sizeof(ngx_http_iri_zone_root_t)
                                     + max * sizeof(ngx_http_iri_record_t),
                                 ngx_pagesize);

        root = (ngx_http_iri_zone_root_t *) shpool->end;
        root->max = max;
        iri_index_cache_key(root->key);
        ngx_http_iri_zone_clear(shpool, root);
        shpool->data = root;
    }

    shm_zone->data = root;

    return NGX_OK;
}


/* size is for records and blocks; the slab pool needs memory for itself. */
ngx_int_t
ngx_http_iri_zone_add(ngx_conf_t *cf, ngx_http_iri_zone_t *zone, size_t size)
{
    ngx_str_t name;

    name.data = ngx_pnalloc(cf->pool, sizeof("iri_cache ") + NGX_SIZE_T_LEN);
    if (name.data == NULL) {
        return NGX_ERROR;
    }

    name.len = ngx_sprintf(name.data, "iri_cache %uz", size) - name.data;

    size = ngx_align(size, ngx_pagesize);
    size += 8 * ngx_pagesize
            + (size / ngx_pagesize + 8) * sizeof(ngx_slab_page_t);

    zone->shm_zone = ngx_shared_memory_add(cf, &name, size,
                                           &ngx_http_iri_module);
    if (zone->shm_zone == NULL) {
        return NGX_ERROR;
    }

    zone->shm_zone->init = ngx_http_iri_zone_init;

    return NGX_OK;
}


/* ---- members of iri_index_cache_t --------------------------------------- */

static iri_index_state_t *
ngx_http_iri_zone_lock(iri_index_cache_t *cache)
{
    ngx_http_iri_zone_t *zone = (ngx_http_iri_zone_t *) cache;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (zone->root->locked) {
        ngx_log_error(NGX_LOG_NOTICE, ngx_cycle->log, 0,
                      "iri: \"%V\" is emptied: a worker died while using it",
                      &zone->shm_zone->shm.name);
        ngx_http_iri_zone_clear(zone->shpool, zone->root);
    }

    zone->root->locked = 1;
    ngx_memory_barrier();

    return &zone->root->state;
}


static void
ngx_http_iri_zone_unlock(iri_index_cache_t *cache)
{
    ngx_http_iri_zone_t *zone = (ngx_http_iri_zone_t *) cache;

    ngx_memory_barrier();
    zone->root->locked = 0;

    ngx_shmtx_unlock(&zone->shpool->mutex);
}


static uint32_t
ngx_http_iri_record_hash(const iri_index_key_t *key)
{
    return ngx_murmur_hash2((u_char *) key, sizeof(iri_index_key_t));
}


static iri_index_record_t *
ngx_http_iri_zone_find(iri_index_cache_t *cache, const iri_index_key_t *key)
{
    ngx_str_t                 name;
    ngx_http_iri_record_t    *record;
    ngx_http_iri_zone_root_t *root = ((ngx_http_iri_zone_t *) cache)->root;

    name.data = (u_char *) key;
    name.len = sizeof(iri_index_key_t);

    record = (ngx_http_iri_record_t *) ngx_str_rbtree_lookup(
        &root->tree, &name, ngx_http_iri_record_hash(key));
    if (record == NULL) {
        return NULL;
    }

    ngx_queue_remove(&record->queue);
    ngx_queue_insert_head(&root->queue, &record->queue);

    return &record->record;
}


static void
ngx_http_iri_record_put(ngx_http_iri_zone_root_t *root,
                        ngx_http_iri_record_t    *record,
                        const iri_index_key_t    *key)
{
    ngx_memzero(record, sizeof(ngx_http_iri_record_t));
    record->key = *key;
    record->sn.str.data = (u_char *) &record->key;
    record->sn.str.len = sizeof(iri_index_key_t);
    record->sn.node.key = ngx_http_iri_record_hash(key);

    ngx_rbtree_insert(&root->tree, &record->sn.node);
    ngx_queue_insert_head(&root->queue, &record->queue);
}


/*
 * Records are used in order.  Unused records are never written, so their pages
 * take no memory.
 */
static iri_index_record_t *
ngx_http_iri_zone_insert(iri_index_cache_t *cache, const iri_index_key_t *key)
{
    ngx_http_iri_record_t    *record;
    ngx_http_iri_zone_root_t *root = ((ngx_http_iri_zone_t *) cache)->root;

    if (root->used == root->max) {
        return NULL;
    }

    record = (ngx_http_iri_record_t *) (root + 1) + root->used++;
    ngx_http_iri_record_put(root, record, key);

    return &record->record;
}


static ngx_http_iri_record_t *
ngx_http_iri_record_of(iri_index_record_t *record)
{
    return (
        ngx_http_iri_record_t *) ((u_char *) record
                                  - offsetof(ngx_http_iri_record_t, record));
}


static void
ngx_http_iri_zone_reuse(iri_index_cache_t *cache, iri_index_record_t *reused,
                        const iri_index_key_t *key)
{
    ngx_http_iri_record_t    *record = ngx_http_iri_record_of(reused);
    ngx_http_iri_zone_root_t *root = ((ngx_http_iri_zone_t *) cache)->root;

    ngx_rbtree_delete(&root->tree, &record->sn.node);
    ngx_queue_remove(&record->queue);
    ngx_http_iri_record_put(root, record, key);
}


static iri_index_record_t *
ngx_http_iri_zone_next(iri_index_cache_t *cache, iri_index_record_t *record)
{
    ngx_queue_t              *q;
    ngx_http_iri_record_t    *next;
    ngx_http_iri_zone_root_t *root = ((ngx_http_iri_zone_t *) cache)->root;

    q = record != NULL ? &ngx_http_iri_record_of(record)->queue
                       : &root->queue;
    q = ngx_queue_prev(q);

    if (q == ngx_queue_sentinel(&root->queue)) {
        return NULL;
    }

    next = ngx_queue_data(q, ngx_http_iri_record_t, queue);

    return &next->record;
}


static void *
ngx_http_iri_zone_alloc(iri_index_cache_t *cache, size_t size)
{
    return ngx_slab_alloc_locked(((ngx_http_iri_zone_t *) cache)->shpool,
                                 size);
}


static void
ngx_http_iri_zone_free(iri_index_cache_t *cache, void *block)
{
    ngx_slab_free_locked(((ngx_http_iri_zone_t *) cache)->shpool, block);
}


void
ngx_http_iri_zone_open(ngx_http_iri_zone_t *zone)
{
    iri_index_cache_t *cache = &zone->cache;

    zone->shpool = (ngx_slab_pool_t *) zone->shm_zone->shm.addr;
    zone->root = zone->shm_zone->data;

    ngx_memcpy(cache->key, zone->root->key, sizeof(cache->key));
    cache->max_size = zone->root->max_size;
    cache->lock = ngx_http_iri_zone_lock;
    cache->unlock = ngx_http_iri_zone_unlock;
    cache->find = ngx_http_iri_zone_find;
    cache->insert = ngx_http_iri_zone_insert;
    cache->reuse = ngx_http_iri_zone_reuse;
    cache->next = ngx_http_iri_zone_next;
    cache->alloc = ngx_http_iri_zone_alloc;
    cache->free = ngx_http_iri_zone_free;
}
