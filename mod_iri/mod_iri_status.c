/*
 * mod_iri_status.c - the handler iri-status and its counters
 *
 * Requests are counted when they are logged, in memory that all children share.
 * It is in the process pool and survives restarts, which load this module again
 * and find the memory by a key.  The core counts and writes the page.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <apr_global_mutex.h>
#include <apr_shm.h>
#include <util_mutex.h>

#define MOD_IRI_STATUS "iri-status" /* name of the handler and of the Mutex */

/* In the pool of the process; contains no pointers into this module. */
typedef struct {
    apr_shm_t          *shm;
    apr_global_mutex_t *mutex;
} mod_iri_shared_t;

static void
mod_iri_status_lock(void *ctx)
{
    (void) apr_global_mutex_lock(ctx);
}

static void
mod_iri_status_unlock(void *ctx)
{
    (void) apr_global_mutex_unlock(ctx);
}

/* A key that differs between builds with different memory layouts. */
static const char *
mod_iri_status_key(apr_pool_t *pool)
{
    return apr_psprintf(pool, "mod_iri: status %" APR_UINT64_T_HEX_FMT,
                        (apr_uint64_t) iri_stats_layout());
}

static mod_iri_shared_t *
mod_iri_status_shared(server_rec *s, apr_pool_t *ptemp)
{
    void *shared = NULL;

    apr_pool_userdata_get(&shared, mod_iri_status_key(ptemp),
                          s->process->pool);
    return shared;
}

static apr_status_t
mod_iri_status_create(server_rec *s, apr_pool_t *ptemp)
{
    apr_pool_t       *pool = s->process->pool;
    mod_iri_shared_t *shared = apr_pcalloc(pool, sizeof(*shared));
    iri_stats_t       stats = { NULL, NULL, NULL, NULL };
    apr_status_t      rv;

    rv = apr_shm_create(&shared->shm, iri_stats_size(), NULL, pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    stats.memory = apr_shm_baseaddr_get(shared->shm);
    iri_stats_init(&stats, apr_time_sec(apr_time_now()));
    rv = ap_global_mutex_create(&shared->mutex, NULL, MOD_IRI_STATUS, NULL, s,
                                pool, 0);
    if (rv == APR_SUCCESS) {
        apr_pool_userdata_set(shared, mod_iri_status_key(ptemp), NULL, pool);
    }
    return rv;
}

int
mod_iri_status_register(apr_pool_t *pconf)
{
    return ap_mutex_register(pconf, MOD_IRI_STATUS, NULL, APR_LOCK_DEFAULT, 0)
                   == APR_SUCCESS
               ? OK
               : HTTP_INTERNAL_SERVER_ERROR;
}

/* Without memory requests are not counted, and the page gets 500. */
static int
mod_iri_status_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                           apr_pool_t *ptemp, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;

    if (!mod_iri_is_first_pass() && mod_iri_status_shared(s, ptemp) == NULL) {
        rv = mod_iri_status_create(s, ptemp);
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s,
                     "iri: no memory for the counters of " MOD_IRI_STATUS);
    }
    return OK;
}

static void
mod_iri_status_child_init(apr_pool_t *pchild, server_rec *main_server)
{
    mod_iri_shared_t *shared = mod_iri_status_shared(main_server, pchild);
    iri_stats_t      *stats;
    server_rec       *s;

    if (shared == NULL
        || apr_global_mutex_child_init(
               &shared->mutex, apr_global_mutex_lockfile(shared->mutex),
               pchild)
               != APR_SUCCESS)
    {
        return;
    }
    stats = apr_palloc(pchild, sizeof(*stats));
    stats->memory = apr_shm_baseaddr_get(shared->shm);
    stats->lock = mod_iri_status_lock;
    stats->unlock = mod_iri_status_unlock;
    stats->ctx = shared->mutex;
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_server_conf(s)->stats = stats;
    }
}

/* Read the query that was sent again: r->args was replaced by UTF-8. */
static void
mod_iri_status_query(request_rec *r, const mod_iri_server_conf_t *conf,
                     iri_stats_event_t *event)
{
    const char *sent = r->args != NULL ? mod_iri_query_sent(r) : NULL;
    iri_query_t query;

    if (sent != NULL && iri_query_needs_read(&conf->query, mod_iri_str(sent))
        && iri_query_read(mod_iri_env(r), &conf->query, mod_iri_str(sent),
                          &query)
               == IRI_OK)
    {
        event->query = query.why;
        event->query_charset = query.charset;
    }
}

static iri_str_t
mod_iri_status_field(const request_rec *r, const char *name)
{
    const char *value = apr_table_get(r->headers_in, name);

    return mod_iri_str(value != NULL ? value : "");
}

static int
mod_iri_status_is_page(const request_rec *r)
{
    return r->handler != NULL && strcmp(r->handler, MOD_IRI_STATUS) == 0;
}

/* Requests that were refused before this module saw them are not counted. */
static int
mod_iri_status_log(request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_conf(r);
    const mod_iri_request_t     *ctx = mod_iri_request(r);
    iri_stats_event_t            event = { 0 };

    if (conf->stats == NULL || conf->engine == IRI_ENGINE_OFF
        || mod_iri_status_is_page(r)
        || ap_get_module_config(r->request_config, &iri_module) == NULL)
    {
        return DECLINED;
    }
    event.now = apr_time_sec(r->request_time);
    event.report = conf->engine == IRI_ENGINE_REPORT;
    if (ctx != NULL) {
        iri_request_event(ctx->state, &event);
        event.verdict = ctx->refused ? IRI_REFUSE : event.verdict;
    }
    mod_iri_status_query(r, conf, &event);
    if (event.form == IRI_FORM_LEGACY || event.query == IRI_QUERY_READ) {
        event.referer = mod_iri_status_field(r, "Referer");
        event.agent = mod_iri_status_field(r, "User-Agent");
    }
    iri_stats_count(conf->stats, &event);
    return DECLINED;
}

static int
mod_iri_status_handler(request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_conf(r);
    iri_page_t                   page;
    iri_status_t                 status;

    if (!mod_iri_status_is_page(r)) {
        return DECLINED;
    }
    ap_allow_methods(r, REPLACE_ALLOW, "GET", NULL);
    if (r->method_number == M_OPTIONS) {
        return DECLINED;
    }
    if (r->method_number != M_GET) {
        return HTTP_METHOD_NOT_ALLOWED;
    }
    if (conf->stats == NULL) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    status = iri_stats_page(mod_iri_env(r), conf->stats,
                            apr_time_sec(apr_time_now()),
                            mod_iri_str(r->args ? r->args : ""), &page);
    if (status != IRI_OK) {
        mod_iri_note_error(r, "cannot write the status page", status);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return mod_iri_send_page(r, &page);
}

void
mod_iri_status_hooks(void)
{
    ap_hook_post_config(mod_iri_status_post_config, NULL, NULL,
                        APR_HOOK_MIDDLE);
    ap_hook_child_init(mod_iri_status_child_init, NULL, NULL,
                       APR_HOOK_MIDDLE);
    ap_hook_handler(mod_iri_status_handler, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_log_transaction(mod_iri_status_log, NULL, NULL, APR_HOOK_LAST);
}
