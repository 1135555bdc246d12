/*
 * mod_iri_status.c - the handler iri-status and its counters
 *
 * If the configuration contains SetHandler iri-status, all children share
 * memory in which requests are counted when they are logged.  It is allocated
 * in the process pool and survives restarts.  It is found by a key in that
 * pool, because this module may be loaded again.  Without that directive
 * there is neither memory nor a hook; .htaccess files are not searched for
 * it.  The core counts and writes the page.
 */

#include "mod_iri.h"

#include <apr_global_mutex.h>
#include <apr_shm.h>
#include <util_mutex.h>

#define MOD_IRI_STATUS "iri-status" /* name of the handler and of the Mutex */

/* In the pool of the process; contains no pointers into this module. */
typedef struct {
    apr_shm_t          *shm;
    apr_global_mutex_t *mutex;
} mod_iri_shared_t;

/* Data of a request, in its pool, until it is counted. */
typedef struct {
    int                  has_host; /* 1: host is valid */
    iri_host_why_t       host;
    int                  host_refused;
    int                  redirect;  /* status sent by IRIRedirect; 0: none */
    int                  has_event; /* 1: the members below are valid */
    iri_stats_event_t    event;     /* result of IRIEngine report */
    iri_str_t            path;      /* canonical path that would be served */
    iri_presence_t       presence;  /* of path on disk */
    const iri_reading_t *reading;   /* the reading of the request */
} mod_iri_pending_t;

const char mod_iri_pending_key[] = "mod_iri: status";

/* ---- shared memory ------------------------------------------------------ */

int
mod_iri_uses_status(void)
{
    const ap_directive_t *at;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if ((mod_iri_is_directive(at, "SetHandler")
             || mod_iri_is_directive(at, "AddHandler"))
            && strstr(at->args, MOD_IRI_STATUS) != NULL)
        {
            return 1;
        }
    }
    return 0;
}

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

/*
 * Returns: a key that differs between builds with different memory layouts.
 */
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
    iri_stats_conf_t  conf = { NULL, NULL, NULL, NULL };
    iri_stats_t      *stats;
    apr_status_t      rv;

    rv = apr_shm_create(&shared->shm, iri_stats_size(), NULL, pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    conf.memory = apr_shm_baseaddr_get(shared->shm);
    memset(conf.memory, 0, iri_stats_size());
    stats = iri_stats_create(&conf, apr_time_sec(apr_time_now()));
    if (stats == NULL) {
        return APR_ENOMEM;
    }
    iri_stats_destroy(stats);
    rv = ap_global_mutex_create(&shared->mutex, NULL, MOD_IRI_STATUS, NULL, s,
                                pool, 0);
    if (rv == APR_SUCCESS) {
        apr_pool_userdata_set(shared, mod_iri_status_key(ptemp), NULL, pool);
    }
    return rv;
}

int
mod_iri_status_register(apr_pool_t *pconf, apr_pool_t *plog,
                        apr_pool_t *ptemp)
{
    (void) plog;
    (void) ptemp;
    return ap_mutex_register(pconf, MOD_IRI_STATUS, NULL, APR_LOCK_DEFAULT, 0)
                   == APR_SUCCESS
               ? OK
               : HTTP_INTERNAL_SERVER_ERROR;
}

static int
mod_iri_status_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                           apr_pool_t *ptemp, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;

    (void) pconf;
    (void) plog;
    if (!mod_iri_is_first_pass() && mod_iri_status_shared(s, ptemp) == NULL) {
        rv = mod_iri_status_create(s, ptemp);
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s,
                     "iri: no memory for the counters of " MOD_IRI_STATUS);
    }
    return rv == APR_SUCCESS ? OK : HTTP_INTERNAL_SERVER_ERROR;
}

static apr_status_t
mod_iri_status_destroy(void *stats)
{
    iri_stats_destroy(stats);
    return APR_SUCCESS;
}

/* Without memory this child does not count. */
static void
mod_iri_status_child_init(apr_pool_t *pchild, server_rec *main_server)
{
    mod_iri_shared_t *shared = mod_iri_status_shared(main_server, pchild);
    iri_stats_conf_t  conf;
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
    conf.memory = apr_shm_baseaddr_get(shared->shm);
    conf.lock = mod_iri_status_lock;
    conf.unlock = mod_iri_status_unlock;
    conf.ctx = shared->mutex;
    stats = iri_stats_create(&conf, apr_time_sec(apr_time_now()));
    if (stats == NULL) {
        return;
    }
    apr_pool_cleanup_register(pchild, stats, mod_iri_status_destroy,
                              apr_pool_cleanup_null);
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_server(s)->stats = stats;
    }
}

/* ---- pending data of a request ------------------------------------------ */

/*
 * Returns: what is kept for counting; NULL: counting is off, or r is a
 * subrequest.
 */
static mod_iri_pending_t *
mod_iri_status_pending(request_rec *r)
{
    void *pending = NULL;

    if (mod_iri_server(r->server)->stats == NULL || r->main != NULL) {
        return NULL;
    }
    apr_pool_userdata_get(&pending, mod_iri_pending_key, r->pool);
    if (pending == NULL) {
        pending = apr_pcalloc(r->pool, sizeof(mod_iri_pending_t));
        apr_pool_userdata_setn(pending, mod_iri_pending_key, NULL, r->pool);
    }
    return pending;
}

void
mod_iri_status_host(request_rec *r, const iri_host_t *host)
{
    mod_iri_pending_t *pending = mod_iri_status_pending(r);

    if (pending != NULL) {
        pending->has_host = 1;
        pending->host = host->why;
        pending->host_refused = host->verdict == IRI_REFUSE;
    }
}

void
mod_iri_status_redirected(request_rec *r, int status)
{
    mod_iri_pending_t *pending = mod_iri_status_pending(r);

    if (pending != NULL) {
        pending->redirect = status;
    }
}

/* Returns: 1 if the lookup found no entry. */
static int
mod_iri_status_is_absent(const iri_found_t *found)
{
    return found->verdict == IRI_PASS && found->why != IRI_WHY_DECLARED
           && found->why != IRI_WHY_ASCII && found->why != IRI_WHY_NONE;
}

static void
mod_iri_status_add(const iri_found_t *found, iri_stats_event_t *event)
{
    if (found->verdict != IRI_PASS || mod_iri_status_is_absent(found)) {
        event->verdict = found->verdict;
        event->why = found->why;
    }
    if (found->match > event->match) {
        event->match = found->match;
    }
    if (found->repaired != IRI_FORM_ASCII) {
        event->form = found->repaired;
    }
}

static void
mod_iri_status_add_reading(const iri_reading_t *reading,
                           iri_stats_event_t   *event)
{
    event->form = reading->form;
    event->charset = reading->charset;
    event->verdict = reading->verdict;
    event->why = reading->why;
}

/* A charset other than that of the first reading is one of IRICharset. */
static void
mod_iri_status_confirm(const iri_found_t *found, iri_stats_event_t *event)
{
    if (found->verdict == IRI_RESTART && found->charset.len != 0
        && event->form != IRI_FORM_ASCII
        && !mod_iri_str_equal(found->charset, event->charset))
    {
        event->form = IRI_FORM_LEGACY;
        event->charset = found->charset;
    }
}

void
mod_iri_status_report(request_rec *r, const iri_report_t *report)
{
    const iri_found_t *found = report->found, *again = report->again;
    mod_iri_pending_t *pending = r->prev == NULL ? mod_iri_status_pending(r)
                                                 : NULL;
    iri_stats_event_t *event;

    if (pending == NULL || pending->has_event) {
        return;
    }
    pending->has_event = 1;
    event = &pending->event;
    mod_iri_status_add_reading(report->reading, event);
    pending->reading = apr_pmemdup(r->pool, report->reading,
                                   sizeof(*report->reading));
    pending->path = report->reading->path;
    pending->presence = iri_presence_of(again != NULL ? again : found,
                                        again != NULL, 0);
    if (found == NULL) {
        return;
    }
    mod_iri_status_confirm(found, event);
    mod_iri_status_add(found, event);
    if (found->verdict == IRI_RESTART) {
        pending->path = found->path;
    }
    if (again != NULL
        && (again->verdict == IRI_CHOOSE || again->verdict == IRI_REFUSE))
    {
        event->verdict = again->verdict;
        event->why = again->why;
    }
}

/* ---- counting ----------------------------------------------------------- */

/* Fill in the event of a request with IRIEngine on. */
static void
mod_iri_status_actual(const mod_iri_request_t *ctx, iri_stats_event_t *event)
{
    if (ctx->has_reading) {
        mod_iri_status_add_reading(&ctx->reading, event);
        event->form = ctx->form;
        event->charset = ctx->charset;
    }
    if (ctx->refused) {
        event->verdict = IRI_REFUSE;
        return;
    }
    if (ctx->has_found) {
        mod_iri_status_add(&ctx->found, event);
    }
    if (!ctx->restarted) {
        return;
    }
    if (ctx->restart_match > event->match) {
        event->match = ctx->restart_match;
    }
    if (event->verdict == IRI_CHOOSE || event->verdict == IRI_REFUSE) {
        return;
    }
    event->verdict = IRI_RESTART;
    event->why = ctx->restart_why;
}

/* Fill in the redirect that IRIRedirect would send. */
static void
mod_iri_status_report_redirect(request_rec             *r,
                               const mod_iri_pending_t *pending,
                               iri_stats_event_t       *event)
{
    const mod_iri_dir_t *dir = ap_get_module_config(r->per_dir_config,
                                                    &iri_module);
    const char          *query = mod_iri_query_sent(r);
    iri_presence_t       presence = pending->presence;
    iri_redirect_t       redirect;
    iri_str_t            location;
    iri_env_apr_t        env;

    if (dir == NULL || dir->redirect <= 0
        || dir->redirect == IRI_REDIRECT_LINK || event->verdict == IRI_CHOOSE
        || event->verdict == IRI_REFUSE)
    {
        return;
    }
    if (presence == IRI_ABSENT && r->status < HTTP_BAD_REQUEST) {
        presence = IRI_UNCONFIRMED;
    }
    memset(&redirect, 0, sizeof(redirect));
    redirect.reading = pending->reading;
    redirect.sent = mod_iri_path_sent(r);
    redirect.path = pending->path;
    redirect.has_query = query != NULL;
    redirect.query = mod_iri_str(query ? query : "");
    mod_iri_env(&env, r);
    if (iri_may_redirect(mod_iri_str(r->method), &redirect, presence)
        && iri_redirect_location(&env.env, &redirect, &location) == IRI_OK
        && location.len != 0)
    {
        event->redirect = dir->redirect;
    }
}

/* r->args was replaced by its UTF-8 form. */
static void
mod_iri_status_query(request_rec *r, const mod_iri_server_t *conf,
                     iri_stats_event_t *event)
{
    const char   *sent = r->args != NULL ? mod_iri_query_sent(r) : NULL;
    iri_env_apr_t env;
    iri_query_t   query;

    if (sent == NULL
        || !iri_query_needs_read(&conf->query, mod_iri_str(sent))) {
        return;
    }
    mod_iri_env(&env, r);
    if (iri_query_read(&env.env, &conf->query, mod_iri_str(sent), &query)
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

static void
mod_iri_status_event(request_rec *r, mod_iri_server_t *conf,
                     const mod_iri_pending_t *pending,
                     iri_stats_event_t       *event)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    if (event->report) {
        if (pending != NULL && pending->has_event) {
            *event = pending->event;
            event->report = 1;
            mod_iri_status_report_redirect(r, pending, event);
        }
    } else if (ctx != NULL) {
        mod_iri_status_actual(ctx, event);
    }
    if (pending != NULL) {
        event->redirect |= pending->redirect;
        if (pending->has_host) {
            event->host = pending->host;
        }
        if (pending->host_refused && !event->report) {
            event->verdict = IRI_REFUSE;
        }
    }
    mod_iri_status_query(r, conf, event);
    event->referer = mod_iri_status_field(r, "Referer");
    event->agent = mod_iri_status_field(r, "User-Agent");
}

/*
 * Requests that httpd refuses before any hook are not counted, except for a
 * refused host.  Requests for the status page are not counted.
 */
int
mod_iri_status_log(request_rec *r)
{
    mod_iri_server_t *conf = mod_iri_server(r->server);
    int               report = conf->engine == IRI_ENGINE_REPORT;
    void             *pending = NULL, *known;
    int64_t           now;
    iri_stats_event_t event;

    if (conf->stats == NULL || conf->engine == IRI_ENGINE_OFF
        || (r->handler != NULL && strcmp(r->handler, MOD_IRI_STATUS) == 0))
    {
        return DECLINED;
    }
    known = ap_get_module_config(r->request_config, &iri_module);
    now = apr_time_sec(apr_time_now());
    apr_pool_userdata_get(&pending, mod_iri_pending_key, r->pool);
    if (pending == NULL && r->args == NULL && known != NULL
        && mod_iri_request(r) == NULL)
    {
        iri_stats_count_plain(conf->stats, report, now);
        return DECLINED;
    }
    if (known == NULL && pending == NULL) {
        return DECLINED;
    }
    memset(&event, 0, sizeof(event));
    event.report = report;
    mod_iri_status_event(r, conf, pending, &event);
    event.now = now;
    iri_stats_count(conf->stats, &event);
    return DECLINED;
}

/* ---- the page ----------------------------------------------------------- */

static int
mod_iri_status_send(request_rec *r, const iri_stats_page_t *page)
{
    r->status = page->status;
    ap_set_content_type(r, page->type);
    ap_set_content_length(r, (apr_off_t) page->body.len);
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    apr_table_setn(r->headers_out, "X-Content-Type-Options", "nosniff");
    if (apr_table_get(r->headers_out, "Content-Security-Policy") == NULL) {
        apr_table_setn(r->headers_out, "Content-Security-Policy",
                       page->policy);
    }
    if (!r->header_only) {
        ap_rwrite(page->body.data, (int) page->body.len, r);
    }
    return OK;
}

static int
mod_iri_status_handler(request_rec *r)
{
    mod_iri_server_t     *conf = mod_iri_server(r->server);
    iri_stats_page_conf_t page_conf;
    iri_stats_page_t      page;
    iri_env_apr_t         env;
    iri_status_t          status;

    if (strcmp(r->handler, MOD_IRI_STATUS) != 0) {
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
    page_conf.now = apr_time_sec(apr_time_now());
    page_conf.query = mod_iri_str(r->args ? r->args : "");
    page_conf.caches = &conf->cache;
    page_conf.count = conf->cache != NULL;
    mod_iri_env(&env, r);
    status = iri_stats_page(&env.env, conf->stats, &page_conf, &page);
    if (status != IRI_OK) {
        mod_iri_note_error(r, "cannot write the status page", status);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return mod_iri_status_send(r, &page);
}

void
mod_iri_status_hooks(void)
{
    ap_hook_post_config(mod_iri_status_post_config, NULL, NULL,
                        APR_HOOK_MIDDLE);
    /* before the hook that creates the cache, which uses the counters */
    ap_hook_child_init(mod_iri_status_child_init, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_handler(mod_iri_status_handler, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_log_transaction(mod_iri_status_log, NULL, NULL, APR_HOOK_LAST);
}
