/*
 * ngx_http_iri_cache.c - iri_cache: the cache of directory indexes
 *
 * Indexes are stored in a shared memory zone (ngx_http_iri_zone.c).  Each
 * process has a handle on the zone (iri_index_cache_t) in its own memory,
 * because a handle contains addresses of functions.
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


typedef struct ngx_http_iri_task_s ngx_http_iri_task_t;

struct ngx_http_iri_cache_s {
    ngx_http_iri_zone_t zone; /* must be first; handle on the zone of size */
    size_t              size; /* octets */
    ngx_str_t           threads; /* name of the thread pool; empty: not set */
#if (NGX_THREADS)
    ngx_thread_pool_t   *pool; /* NULL: no location searches indexes */
    ngx_http_iri_task_t *task; /* started by the last lookup, or NULL */
#endif
};


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
ngx_http_iri_wait_for_index(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                            const iri_lookup_t *found)
{
    ngx_http_cleanup_t      *cln;
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
ngx_http_iri_wait_for_index(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                            const iri_lookup_t *found)
{
    return 0;
}

#endif


/* ---- the handles of this process ---------------------------------------- */

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

    return &cache->zone.cache;
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
        ngx_http_iri_zone_open(&cache[i]->zone);
        cache[i]->zone.cache.later = ngx_http_iri_job_post;
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
static ngx_int_t
ngx_http_iri_thread_pool_add(ngx_conf_t *cf, ngx_http_iri_cache_t *cache)
{
#if (NGX_THREADS)
    if (cache->pool == NULL) {
        cache->pool = ngx_thread_pool_add(
            cf, cache->threads.len != 0 ? &cache->threads : NULL);
    }

    return cache->pool != NULL ? NGX_OK : NGX_ERROR;
#else
    return NGX_OK;
#endif
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

    return ngx_http_iri_zone_add(cf, &cache->zone, cache->size) == NGX_OK
               ? cache
               : NULL;
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
               ? ngx_http_iri_thread_pool_add(cf, conf->cache)
               : NGX_OK;
}


/* nginx starts a thread pool only if it was added. */
ngx_int_t
ngx_http_iri_cache_use_indexes(ngx_conf_t                    *cf,
                               const ngx_http_iri_srv_conf_t *iscf)
{
    return iscf->cache != NULL ? ngx_http_iri_thread_pool_add(cf, iscf->cache)
                               : NGX_OK;
}
