/*
 * ngx_http_iri_cache.c - iri_cache: the cache of directory indexes
 *
 * The core's index cache (design 3) in a shared memory zone: records in an
 * rbtree, and in a queue in the order of their last use; blocks in the slab
 * pool.  The root and the records are at the end of the zone, which is taken
 * from the slab pool.  The mutex of the slab pool protects all of these.  A
 * reload keeps the zone and its contents if the size is unchanged.
 *
 * nginx unlocks the mutex if a worker dies while holding it.  Tree, queue and
 * slab pool may then be inconsistent, so the next process that locks the mutex
 * empties the zone, and the indexes are built again.
 *
 * The index of a large directory is built in a thread pool (design 5.10).
 * The request that started the build waits for it, unless the exact name was
 * found.  Until the index exists, other requests find exact names only.
 */

#include "ngx_http_iri_cache.h"

#if (NGX_THREADS)
#include <ngx_thread_pool.h>
#endif

#define NGX_HTTP_IRI_CACHE_SIZE (16 * 1024 * 1024)


/* One record is reserved for each 1,536 octets of the zone. */
#define NGX_HTTP_IRI_RECORD_SHARE 1536
#define NGX_HTTP_IRI_MAX_RECORDS  32768


typedef struct {
    ngx_str_node_t     sn; /* must be first; sn.str refers to key */
    ngx_queue_t        queue;
    iri_index_key_t    key;
    iri_index_record_t record;
} ngx_http_iri_record_t;

/* In shared memory, followed by the records */
typedef struct {
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
} ngx_http_iri_cache_root_t;

typedef struct ngx_http_iri_task_s ngx_http_iri_task_t;

/* In the memory of each process, because it has addresses of functions */
struct ngx_http_iri_cache_s {
    iri_index_cache_t          cache; /* must be first */
    ngx_shm_zone_t            *shm_zone;
    ngx_slab_pool_t           *shpool;
    ngx_http_iri_cache_root_t *root;
    size_t                     size;    /* octets for records and blocks */
    ngx_str_t                  threads; /* name of the thread pool; empty: not
                                           set */
#if (NGX_THREADS)
    ngx_thread_pool_t   *pool; /* NULL: no location searches indexes */
    ngx_http_iri_task_t *task; /* started by the last lookup, or NULL */
#endif
};


/* ---- the shared memory zone --------------------------------------------- */

/* Remove all records and blocks; keep root->key and root->state. */
static void
ngx_http_iri_cache_clear(ngx_slab_pool_t           *shpool,
                         ngx_http_iri_cache_root_t *root)
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
ngx_http_iri_cache_init_zone(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_uint_t                 max;
    ngx_slab_pool_t           *shpool;
    ngx_http_iri_cache_root_t *root = data;

    shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (root == NULL && shm_zone->shm.exists) {
        root = shpool->data;
    }

    if (root == NULL) {
        max = ngx_min(shm_zone->shm.size / NGX_HTTP_IRI_RECORD_SHARE,
                      NGX_HTTP_IRI_MAX_RECORDS);

        shpool->end -= ngx_align(sizeof(ngx_http_iri_cache_root_t)
                                     + max * sizeof(ngx_http_iri_record_t),
                                 ngx_pagesize);

        root = (ngx_http_iri_cache_root_t *) shpool->end;
        root->max = max;
        iri_index_cache_key(root->key);
        ngx_http_iri_cache_clear(shpool, root);
        shpool->data = root;
    }

    shm_zone->data = root;

    return NGX_OK;
}


/* ---- members of iri_index_cache_t --------------------------------------- */

static iri_index_state_t *
ngx_http_iri_cache_lock(iri_index_cache_t *cache)
{
    ngx_http_iri_cache_t *self = (ngx_http_iri_cache_t *) cache;

    ngx_shmtx_lock(&self->shpool->mutex);

    if (self->root->locked) {
        ngx_log_error(NGX_LOG_NOTICE, ngx_cycle->log, 0,
                      "iri: \"%V\" is emptied: a worker died while using it",
                      &self->shm_zone->shm.name);
        ngx_http_iri_cache_clear(self->shpool, self->root);
    }

    self->root->locked = 1;
    ngx_memory_barrier();

    return &self->root->state;
}


static void
ngx_http_iri_cache_unlock(iri_index_cache_t *cache)
{
    ngx_http_iri_cache_t *self = (ngx_http_iri_cache_t *) cache;

    ngx_memory_barrier();
    self->root->locked = 0;

    ngx_shmtx_unlock(&self->shpool->mutex);
}


static uint32_t
ngx_http_iri_record_hash(const iri_index_key_t *key)
{
    return ngx_murmur_hash2((u_char *) key, sizeof(iri_index_key_t));
}


static iri_index_record_t *
ngx_http_iri_cache_find(iri_index_cache_t *cache, const iri_index_key_t *key)
{
    ngx_str_t                  name;
    ngx_http_iri_record_t     *record;
    ngx_http_iri_cache_root_t *root = ((ngx_http_iri_cache_t *) cache)->root;

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
ngx_http_iri_record_put(ngx_http_iri_cache_root_t *root,
                        ngx_http_iri_record_t     *record,
                        const iri_index_key_t     *key)
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
ngx_http_iri_cache_insert(iri_index_cache_t     *cache,
                          const iri_index_key_t *key)
{
    ngx_http_iri_record_t     *record;
    ngx_http_iri_cache_root_t *root = ((ngx_http_iri_cache_t *) cache)->root;

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
ngx_http_iri_cache_reuse(iri_index_cache_t *cache, iri_index_record_t *reused,
                         const iri_index_key_t *key)
{
    ngx_http_iri_record_t     *record = ngx_http_iri_record_of(reused);
    ngx_http_iri_cache_root_t *root = ((ngx_http_iri_cache_t *) cache)->root;

    ngx_rbtree_delete(&root->tree, &record->sn.node);
    ngx_queue_remove(&record->queue);
    ngx_http_iri_record_put(root, record, key);
}


static iri_index_record_t *
ngx_http_iri_cache_next(iri_index_cache_t *cache, iri_index_record_t *record)
{
    ngx_queue_t               *q;
    ngx_http_iri_record_t     *next;
    ngx_http_iri_cache_root_t *root = ((ngx_http_iri_cache_t *) cache)->root;

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
ngx_http_iri_cache_alloc(iri_index_cache_t *cache, size_t size)
{
    return ngx_slab_alloc_locked(((ngx_http_iri_cache_t *) cache)->shpool,
                                 size);
}


static void
ngx_http_iri_cache_free(iri_index_cache_t *cache, void *block)
{
    ngx_slab_free_locked(((ngx_http_iri_cache_t *) cache)->shpool, block);
}


/* ---- threads ------------------------------------------------------------ */

#if (NGX_THREADS)

#define NGX_HTTP_IRI_BUILD_ALERT 60000 /* ms until a slow build is logged */


/*
 * The build of one index.  The request that waits for it may end first.  The
 * task therefore has its own pool, and a cleanup handler of the request clears
 * task->request.
 */
struct ngx_http_iri_task_s {
    ngx_pool_t           *pool;
    ngx_event_t          *event;
    iri_index_job_t      *job;
    ngx_http_iri_cache_t *cache;
    ngx_http_request_t   *request; /* that waits for the build; NULL: none */
    ngx_http_cleanup_t   *cleanup; /* of request; NULL if request is NULL */
};


/*
 * Runs in a thread: requests and pools of nginx must not be used.  When nginx
 * terminates, a worker waits for its threads, so jobs that have not started are
 * dropped.
 */
static void
ngx_http_iri_job_run(void *data, ngx_log_t *log)
{
    ngx_http_iri_task_t *task = data;

    if (ngx_terminate) {
        iri_index_job_drop(task->job);
    } else {
        iri_index_job_run(task->job);
    }
}


/* The cleanup handler of a request that ends while it waits. */
static void
ngx_http_iri_task_detach(void *data)
{
    ngx_http_iri_task_t *task = data;

    task->request = NULL;
    task->cleanup = NULL;
}


/*
 * The write event handler of a request that waits.  The handler that nginx
 * sets, ngx_http_core_run_phases, would continue the phase without the index.
 */
static void
ngx_http_iri_wait_write_handler(ngx_http_request_t *r)
{
    if (ngx_handle_write_event(r->connection->write, 0) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
    }
}


/* Run the phase handler again; compare ngx_http_limit_req_delay(). */
static void
ngx_http_iri_resume(ngx_http_request_t *r)
{
    ngx_connection_t   *c = r->connection;
    ngx_http_iri_ctx_t *ctx;

    ngx_http_set_log_request(c->log, r);

    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL) {
        iri_request_forget_lookups(ctx->request);
    }

    if (r->read_event_handler == ngx_http_test_reading) {
        r->read_event_handler = ngx_http_block_reading;
    }

    r->write_event_handler = ngx_http_core_run_phases;

    ngx_http_core_run_phases(r);
    ngx_http_run_posted_requests(c);
}


/*
 * The event handler, when the build has finished or the timer has expired.  The
 * timer also keeps an exiting worker alive until the build has finished.
 */
static void
ngx_http_iri_job_done(ngx_event_t *event)
{
    ngx_http_iri_task_t *task = event->data;
    ngx_http_request_t  *r;

    if (event->timedout) {
        event->timedout = 0;
        ngx_log_error(NGX_LOG_ALERT, event->log, 0,
                      "iri: reading a directory takes longer than a minute");
        ngx_add_timer(event, NGX_HTTP_IRI_BUILD_ALERT);
        return;
    }

    if (event->timer_set) {
        ngx_del_timer(event);
    }

    if (task->cache->task == task) {
        task->cache->task = NULL;
    }

    r = task->request;

    if (r != NULL) {
        task->cleanup->handler = NULL;
    }

    ngx_destroy_pool(task->pool);

    /* If the client has closed the connection, r may run post_action now. */
    if (r != NULL
        && r->write_event_handler == ngx_http_iri_wait_write_handler) {
        ngx_http_iri_resume(r);
    }
}


/*
 * While the request waits, ngx_http_test_reading() detects that the client has
 * closed the connection.  While a request body is being discarded, the read
 * event handler for that detects it.
 */
ngx_uint_t
ngx_http_iri_wait_for_index(ngx_http_request_t *r, const iri_lookup_t *found)
{
    ngx_http_cleanup_t      *cln;
    ngx_http_iri_ctx_t      *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_task_t     *task;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    if (iscf->cache == NULL || iscf->cache->task == NULL) {
        return 0;
    }

    task = iscf->cache->task;
    iscf->cache->task = NULL;

    if (r != r->main || ctx->waited || found->found.verdict == IRI_SERVE) {
        return 0;
    }

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL
        || ngx_handle_read_event(r->connection->read, 0) != NGX_OK) {
        return 0;
    }

    cln->handler = ngx_http_iri_task_detach;
    cln->data = task;

    task->cleanup = cln;
    task->request = r;

    ngx_add_timer(task->event, NGX_HTTP_IRI_BUILD_ALERT);

    if (r->read_event_handler == ngx_http_block_reading) {
        r->read_event_handler = ngx_http_test_reading;
    }

    r->write_event_handler = ngx_http_iri_wait_write_handler;
    ctx->waited = 1;

    return 1;
}


/*
 * iri_index_cache_t.later, called by the core: build an index in a thread.
 * Returns: 0 if the task cannot be posted; the core then drops the job, and
 * makes a new one at the next lookup.
 */
static int
ngx_http_iri_job_post(iri_index_cache_t *self, iri_index_job_t *job)
{
    ngx_pool_t           *pool;
    ngx_thread_task_t    *thread_task;
    ngx_http_iri_task_t  *task;
    ngx_http_iri_cache_t *cache = (ngx_http_iri_cache_t *) self;

    if (cache->pool == NULL) {
        return 0;
    }

    pool = ngx_create_pool(NGX_MIN_POOL_SIZE, ngx_cycle->log);
    if (pool == NULL) {
        return 0;
    }

    thread_task = ngx_thread_task_alloc(pool, sizeof(ngx_http_iri_task_t));
    if (thread_task == NULL) {
        ngx_destroy_pool(pool);
        return 0;
    }

    task = thread_task->ctx;
    task->pool = pool;
    task->event = &thread_task->event;
    task->job = job;
    task->cache = cache;
    task->request = NULL;
    task->cleanup = NULL;

    thread_task->handler = ngx_http_iri_job_run;
    thread_task->event.handler = ngx_http_iri_job_done;
    thread_task->event.data = task;
    thread_task->event.log = ngx_cycle->log;

    if (ngx_thread_task_post(cache->pool, thread_task) != NGX_OK) {
        ngx_destroy_pool(pool);
        return 0;
    }

    cache->task = task;

    return 1;
}


#else

/* Without threads, only exact names are found in large directories. */
static int
ngx_http_iri_job_post(iri_index_cache_t *self, iri_index_job_t *job)
{
    return 0;
}


ngx_uint_t
ngx_http_iri_wait_for_index(ngx_http_request_t *r, const iri_lookup_t *found)
{
    return 0;
}

#endif


/* ---- the cache of this process ------------------------------------------ */

iri_index_cache_t *
ngx_http_iri_cache(ngx_http_request_t *r)
{
    ngx_http_iri_cache_t    *cache;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    cache = iscf->cache;

    if (cache == NULL) {
        return NULL;
    }

#if (NGX_THREADS)
    cache->task = NULL;
#endif

    return &cache->cache;
}


static void
ngx_http_iri_cache_open(ngx_http_iri_cache_t *self)
{
    iri_index_cache_t *cache = &self->cache;

    self->shpool = (ngx_slab_pool_t *) self->shm_zone->shm.addr;
    self->root = self->shm_zone->data;

    ngx_memcpy(cache->key, self->root->key, sizeof(cache->key));
    cache->max_size = self->root->max_size;
    cache->lock = ngx_http_iri_cache_lock;
    cache->unlock = ngx_http_iri_cache_unlock;
    cache->find = ngx_http_iri_cache_find;
    cache->insert = ngx_http_iri_cache_insert;
    cache->reuse = ngx_http_iri_cache_reuse;
    cache->next = ngx_http_iri_cache_next;
    cache->alloc = ngx_http_iri_cache_alloc;
    cache->free = ngx_http_iri_cache_free;
    cache->later = ngx_http_iri_job_post;
}


ngx_int_t
ngx_http_iri_cache_init_process(ngx_cycle_t *cycle)
{
    ngx_uint_t                i;
    ngx_http_iri_cache_t    **cache;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_iri_module);

    for (i = 0; imcf != NULL && i < imcf->caches.nelts; i++) {
        cache = imcf->caches.elts;
        ngx_http_iri_cache_open(cache[i]);
    }

    return NGX_OK;
}


/* ---- configuration ------------------------------------------------------ */

char *
ngx_http_iri_cache_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    size_t                   size = 0;
    iri_str_t                threads = { 0, NULL }, *words;
    const char              *error;
    ngx_http_iri_srv_conf_t *iscf = conf;

    words = ngx_http_iri_arguments(cf);
    if (words == NULL) {
        return NGX_CONF_ERROR;
    }

    if (iscf->cache_size != NGX_CONF_UNSET_SIZE) {
        return "is duplicate";
    }

    error = iri_parse_cache(words, cf->args->nelts - 1, &size, &threads);
    if (error != NULL) {
        return iri_parse_cache(words, 1, &size, NULL) == NULL
                   ? (char *) error
                   : ngx_http_iri_conf_error(cf, error, 1);
    }

#if !(NGX_THREADS)
    if (threads.len != 0) {
        return "cannot have \"threads\": nginx was built without threads";
    }
#endif

    iscf->cache_size = size;
    iscf->cache_threads = ngx_http_iri_ngx_str(threads);

    return ngx_http_iri_check_setting(cf, NULL);
}


/* If iri_cache names no thread pool, nginx's "default" is used. */
ngx_int_t
ngx_http_iri_cache_add_threads(ngx_conf_t *cf, ngx_http_iri_cache_t *cache)
{
#if (NGX_THREADS)
    if (cache != NULL && cache->pool == NULL) {
        cache->pool = ngx_thread_pool_add(
            cf, cache->threads.len != 0 ? &cache->threads : NULL);

        return cache->pool != NULL ? NGX_OK : NGX_ERROR;
    }
#endif

    return NGX_OK;
}


/* The slab pool needs memory for itself, too. */
static ngx_int_t
ngx_http_iri_cache_add_zone(ngx_conf_t *cf, ngx_http_iri_cache_t *cache)
{
    size_t    size = ngx_align(cache->size, ngx_pagesize);
    ngx_str_t name;

    name.data = ngx_pnalloc(cf->pool, sizeof("iri_cache ") + NGX_SIZE_T_LEN);
    if (name.data == NULL) {
        return NGX_ERROR;
    }

    name.len = ngx_sprintf(name.data, "iri_cache %uz", cache->size)
               - name.data;
    size += 8 * ngx_pagesize
            + (size / ngx_pagesize + 8) * sizeof(ngx_slab_page_t);

    cache->shm_zone = ngx_shared_memory_add(cf, &name, size,
                                            &ngx_http_iri_module);
    if (cache->shm_zone == NULL) {
        return NGX_ERROR;
    }

    cache->shm_zone->init = ngx_http_iri_cache_init_zone;

    return NGX_OK;
}


/* Find or create the cache; servers with equal iri_cache share one. */
static ngx_http_iri_cache_t *
ngx_http_iri_cache_get(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf)
{
    ngx_uint_t                i;
    ngx_http_iri_cache_t    **caches, *cache;
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

    caches = imcf->caches.elts;

    for (i = 0; i < imcf->caches.nelts; i++) {
        if (caches[i]->size == iscf->cache_size
            && ngx_http_iri_str_equal(caches[i]->threads,
                                      iscf->cache_threads))
        {
            return caches[i];
        }
    }

    caches = ngx_array_push(&imcf->caches);
    cache = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_cache_t));
    if (caches == NULL || cache == NULL) {
        return NULL;
    }

    cache->size = iscf->cache_size;
    cache->threads = iscf->cache_threads;
    *caches = cache;

    return ngx_http_iri_cache_add_zone(cf, cache) == NGX_OK ? cache : NULL;
}


ngx_int_t
ngx_http_iri_cache_merge(ngx_conf_t *cf, const ngx_http_iri_srv_conf_t *prev,
                         ngx_http_iri_srv_conf_t *conf)
{
    if (conf->cache_size == NGX_CONF_UNSET_SIZE) {
        conf->cache_threads = prev->cache_threads;
    }

    ngx_conf_merge_size_value(conf->cache_size, prev->cache_size,
                              NGX_HTTP_IRI_CACHE_SIZE);

    if (conf->engine == IRI_ENGINE_OFF || conf->cache_size == 0) {
        return NGX_OK;
    }

    conf->cache = ngx_http_iri_cache_get(cf, conf);
    if (conf->cache == NULL) {
        return NGX_ERROR;
    }

    return conf->cache_threads.len != 0
               ? ngx_http_iri_cache_add_threads(cf, conf->cache)
               : NGX_OK;
}
