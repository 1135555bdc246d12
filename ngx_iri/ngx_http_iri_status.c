/*
 * ngx_http_iri_status.c - iri_status: counters of requests, and their page
 *
 * If a location has iri_status, requests are counted in the LOG phase, in a
 * shared memory zone of all workers.  A reload keeps the zone.  Without
 * iri_status there is neither a zone nor a log handler.  The lock of the
 * counters is the mutex of the slab pool, which nginx unlocks if a worker
 * dies while holding it.  The core defines the counters and writes the page
 * (iri_stats.h); this file makes the event of a request.
 */

#include "ngx_http_iri.h"


struct ngx_http_iri_status_s {
    ngx_shm_zone_t     *zone;
    iri_stats_t        *stats;  /* this process's handle; NULL: not created */
    iri_index_cache_t **caches; /* array for ngx_http_iri_caches() */
};


/* ---- the zone ----------------------------------------------------------- */

static void
ngx_http_iri_status_lock(void *ctx)
{
    ngx_http_iri_status_t *status = ctx;
    ngx_slab_pool_t       *shpool;

    shpool = (ngx_slab_pool_t *) status->zone->shm.addr;
    ngx_shmtx_lock(&shpool->mutex);
}


static void
ngx_http_iri_status_unlock(void *ctx)
{
    ngx_http_iri_status_t *status = ctx;
    ngx_slab_pool_t       *shpool;

    shpool = (ngx_slab_pool_t *) status->zone->shm.addr;
    ngx_shmtx_unlock(&shpool->mutex);
}


/* data: zone->data of the previous cycle, NULL if the zone is new. */
static ngx_int_t
ngx_http_iri_status_zone_init(ngx_shm_zone_t *zone, void *data)
{
    iri_stats_t     *stats = NULL;
    ngx_slab_pool_t *shpool = (ngx_slab_pool_t *) zone->shm.addr;
    iri_stats_conf_t conf;

    zone->data = shpool->data;

    if (data != NULL || zone->shm.exists) {
        return NGX_OK;
    }

    ngx_memzero(&conf, sizeof(iri_stats_conf_t));
    conf.memory = ngx_slab_alloc(shpool, iri_stats_size());

    if (conf.memory != NULL) {
        ngx_memzero(conf.memory, iri_stats_size());
        stats = iri_stats_create(&conf, ngx_time());
    }

    if (stats == NULL) {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "iri: no memory for \"iri_status\"");
        return NGX_ERROR;
    }

    iri_stats_destroy(stats);
    shpool->data = conf.memory;
    zone->data = shpool->data;

    return NGX_OK;
}


/*
 * The name of the zone contains a hash of the layout: after an upgrade of the
 * module that changes the layout, nginx makes a new zone.
 */
static ngx_int_t
ngx_http_iri_status_zone_add(ngx_conf_t *cf, ngx_http_iri_status_t *status)
{
    size_t    size;
    ngx_str_t name;

    name.data = ngx_pnalloc(cf->pool, sizeof("iri_status ") + 16);
    if (name.data == NULL) {
        return NGX_ERROR;
    }

    name.len = ngx_sprintf(name.data, "iri_status %016xL",
                           (int64_t) iri_stats_layout())
               - name.data;

    size = ngx_align(iri_stats_size(), ngx_pagesize);
    size += 8 * ngx_pagesize
            + (size / ngx_pagesize + 8) * sizeof(ngx_slab_page_t);

    status->zone = ngx_shared_memory_add(cf, &name, size,
                                         &ngx_http_iri_module);
    if (status->zone == NULL) {
        return NGX_ERROR;
    }

    status->zone->init = ngx_http_iri_status_zone_init;

    return NGX_OK;
}


static void
ngx_http_iri_status_close(void *data)
{
    ngx_http_iri_status_t *status = data;

    iri_stats_destroy(status->stats);
    status->stats = NULL;
}


/* Without memory for the handle, this process counts no requests. */
void
ngx_http_iri_status_init_process(ngx_http_iri_main_conf_t *imcf)
{
    iri_stats_conf_t       conf;
    ngx_http_iri_status_t *status = imcf->status;

    if (status == NULL) {
        return;
    }

    ngx_memzero(&conf, sizeof(iri_stats_conf_t));
    conf.memory = status->zone->data;
    conf.lock = ngx_http_iri_status_lock;
    conf.unlock = ngx_http_iri_status_unlock;
    conf.ctx = status;

    status->stats = iri_stats_create(&conf, ngx_time());
}


iri_index_cache_counts_t *
ngx_http_iri_status_cache_counts(const ngx_http_iri_main_conf_t *imcf)
{
    return imcf->status != NULL && imcf->status->stats != NULL
               ? iri_stats_cache_counts(imcf->status->stats)
               : NULL;
}


/* ---- the event of a request --------------------------------------------- */

/* 1 if a lookup was done and found no entry. */
static ngx_uint_t
ngx_http_iri_status_is_absent(const iri_found_t *found)
{
    return found->verdict == IRI_PASS && found->why != IRI_WHY_DECLARED
           && found->why != IRI_WHY_ASCII && found->why != IRI_WHY_NONE;
}


static void
ngx_http_iri_status_add_found(const iri_found_t *found,
                              iri_stats_event_t *event)
{
    if (found->verdict != IRI_PASS || ngx_http_iri_status_is_absent(found)) {
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


/* The disk has confirmed another charset than that of the first reading. */
static void
ngx_http_iri_status_add_charset(const iri_found_t *found,
                                iri_stats_event_t *event)
{
    if (found->verdict == IRI_RESTART && found->charset.len != 0
        && !ngx_http_iri_same(ngx_http_iri_ngx_str(found->charset),
                              ngx_http_iri_ngx_str(event->charset)))
    {
        event->form = IRI_FORM_LEGACY;
        event->charset = found->charset;
    }
}


/*
 * iri report: would iri_redirect redirect?  found: the result of the last
 * lookup, may be NULL; moved: 1 if the request would have restarted with
 * the path that was found (ctx->report.found).
 */
static void
ngx_http_iri_status_add_redirect(ngx_http_request_t *r,
                                 ngx_http_iri_ctx_t *ctx,
                                 const iri_lookup_t *found, ngx_uint_t moved,
                                 iri_stats_event_t *event)
{
    iri_env_t                      env;
    iri_str_t                      location;
    ngx_uint_t                     answered;
    iri_reading_t                  came;
    iri_redirect_t                 redirect;
    const ngx_http_iri_loc_conf_t *ilcf = ctx->report.conf;

    if (ilcf->redirect == 0 || ilcf->redirect == IRI_REDIRECT_LINK
        || event->verdict == IRI_CHOOSE || event->verdict == IRI_REFUSE
        || ngx_http_iri_redirect_input(r, ctx, &came, &redirect) != NGX_OK)
    {
        return;
    }

    if (moved) {
        redirect.path = ctx->report.found->found.path;
    }

    answered = r->headers_out.status < NGX_HTTP_BAD_REQUEST;
    ngx_http_iri_env(r, &env);

    if (iri_may_redirect(ngx_http_iri_str(r->method_name), &redirect,
                         iri_presence_of(found != NULL ? &found->found : NULL,
                                         moved != 0, answered != 0))
        && iri_redirect_location(&env, &redirect, &location) == IRI_OK
        && location.len != 0)
    {
        event->redirect = (int) ilcf->redirect;
    }
}


/* iri report: the results that "iri on" would have, as in the log. */
static void
ngx_http_iri_status_add_report(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                               iri_stats_event_t *event)
{
    iri_reading_t       came;
    const iri_lookup_t *found, *again;

    if (ngx_http_iri_report_find(r, ctx, &came) != NGX_OK) {
        return;
    }

    event->form = came.form;
    event->charset = came.charset;
    event->verdict = came.verdict;
    event->why = came.why;

    if (ctx->report.conf == NULL) {
        return;
    }

    found = ctx->report.found;
    if (found == NULL) {
        ngx_http_iri_status_add_redirect(r, ctx, NULL, 0, event);
        return;
    }

    if (iri_request_requested_reading(ctx->request) != NULL) {
        ngx_http_iri_status_add_charset(&found->found, event);
    }

    ngx_http_iri_status_add_found(&found->found, event);

    if (found->found.verdict != IRI_RESTART) {
        ngx_http_iri_status_add_redirect(r, ctx, found, 0, event);
        return;
    }

    again = ctx->report.again;

    if (again != NULL
        && (again->found.verdict == IRI_CHOOSE
            || again->found.verdict == IRI_REFUSE))
    {
        event->verdict = again->found.verdict;
        event->why = again->found.why;
    }

    ngx_http_iri_status_add_redirect(r, ctx, again != NULL ? again : found, 1,
                                     event);
}


/* Read the query as sent again: r->args has been converted. */
static void
ngx_http_iri_status_add_query(ngx_http_request_t      *r,
                              ngx_http_iri_srv_conf_t *iscf,
                              iri_stats_event_t       *event)
{
    iri_env_t   env;
    iri_str_t   sent;
    iri_query_t query;

    if (iscf->query_configured == NULL || !ngx_http_iri_query(r, &sent)
        || !iri_query_needs_read(&iscf->query, sent))
    {
        return;
    }

    ngx_http_iri_env(r, &env);

    if (iri_query_read(&env, &iscf->query, sent, &query) == IRI_OK) {
        event->query = query.why;
        event->query_charset = query.charset;
    }
}


/* Read the host as sent again: r->headers_in.server has been mapped. */
static void
ngx_http_iri_status_add_host(ngx_http_request_t *r, iri_stats_event_t *event)
{
    iri_env_t                env;
    iri_str_t                sent;
    iri_host_t               host;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_iri_host_conf(
        r->http_connection->addr_conf->default_server);

    if (iscf->hosts == IRI_HOST_MODE_OFF) {
        return;
    }

    if (r->host_start != NULL && r->host_end != NULL) {
        sent.data = r->host_start;
        sent.len = r->host_end - r->host_start;

    } else if (r->headers_in.host != NULL) {
        sent = iri_authority_host(
            ngx_http_iri_str(r->headers_in.host->value));

    } else {
        return;
    }

    if (iri_host_is_ascii(sent)) {
        return;
    }

    ngx_http_iri_env(r, &env);

    if (iri_host_read(&env, &iscf->host, sent, &host) == IRI_OK) {
        event->host = host.why;

        if (host.verdict == IRI_REFUSE && event->verdict == IRI_PASS
            && r->phase_handler == 0)
        {
            event->verdict = IRI_REFUSE;
        }
    }
}


static void
ngx_http_iri_status_add_client(ngx_http_request_t *r,
                               iri_stats_event_t  *event)
{
    if (r->headers_in.referer != NULL) {
        event->referer = ngx_http_iri_str(r->headers_in.referer->value);
    }

    if (r->headers_in.user_agent != NULL) {
        event->agent = ngx_http_iri_str(r->headers_in.user_agent->value);
    }
}


static ngx_int_t ngx_http_iri_status_handler(ngx_http_request_t *r);


/* Requests for the status page itself are not counted. */
static ngx_uint_t
ngx_http_iri_status_is_counted(ngx_http_request_t      *r,
                               ngx_http_iri_srv_conf_t *iscf)
{
    return r == r->main && iscf->engine != IRI_ENGINE_OFF
           && r->content_handler != ngx_http_iri_status_handler;
}


static ngx_int_t
ngx_http_iri_status_log_handler(ngx_http_request_t *r)
{
    iri_stats_t              *stats;
    iri_stats_event_t         event;
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
    stats = imcf->status->stats;

    if (stats == NULL || !ngx_http_iri_status_is_counted(r, iscf)) {
        return NGX_OK;
    }

    ctx = ngx_http_iri_ctx(r);

    /* r->phase_handler is 0 if nginx refused the request before any phase. */
    if (ctx == NULL && r->args.len == 0 && !imcf->hosts
        && r->phase_handler != 0) {
        iri_stats_count_plain(stats, iscf->engine == IRI_ENGINE_REPORT,
                              ngx_time());
        return NGX_OK;
    }

    ngx_memzero(&event, sizeof(iri_stats_event_t));
    event.now = ngx_time();
    event.report = iscf->engine == IRI_ENGINE_REPORT;

    if (ctx != NULL && event.report) {
        ngx_http_iri_status_add_report(r, ctx, &event);

    } else if (ctx != NULL) {
        iri_request_event(ctx->request, &event);
    }

    ngx_http_iri_status_add_query(r, iscf, &event);

    if (imcf->hosts) {
        ngx_http_iri_status_add_host(r, &event);
    }

    if (ctx == NULL && r->phase_handler == 0 && event.verdict != IRI_REFUSE) {
        return NGX_OK;
    }

    ngx_http_iri_status_add_client(r, &event);
    iri_stats_count(stats, &event);

    return NGX_OK;
}


/* ---- the page ----------------------------------------------------------- */

static ngx_int_t
ngx_http_iri_status_not_allowed(ngx_http_request_t *r)
{
    static ngx_str_t allow = ngx_string("GET, HEAD");

    return ngx_http_iri_header_add(r, "Allow", allow) != NULL
               ? NGX_HTTP_NOT_ALLOWED
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_iri_status_header(ngx_http_request_t     *r,
                           const iri_stats_page_t *page)
{
    u_char *type = (u_char *) page->type, *p;

    static ngx_str_t no_store = ngx_string("no-store");

    r->headers_out.status = page->status;
    r->headers_out.content_length_n = (off_t) page->body.len;

    p = (u_char *) ngx_strchr(type, ';');
    r->headers_out.content_type.data = type;
    r->headers_out.content_type.len = ngx_strlen(type);
    r->headers_out.content_type_len = p != NULL
                                          ? (size_t) (p - type)
                                          : r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    /* nginx's charset filter does not convert a response with a charset. */
    if (p != NULL) {
        ngx_str_set(&r->headers_out.charset, "utf-8");
    }

    if (ngx_http_iri_header_add(r, "Cache-Control", no_store) == NULL
        || ngx_http_iri_header_add_policy(r, page->policy) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_send_header(r);
}


static ngx_int_t
ngx_http_iri_status_send(ngx_http_request_t *r, const iri_stats_page_t *page)
{
    ngx_int_t   rc;
    ngx_buf_t  *b;
    ngx_chain_t out;

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_iri_status_header(r, page);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b->start = b->pos = (u_char *) page->body.data;
    b->end = b->last = b->pos + page->body.len;
    b->memory = 1;
    b->last_buf = r == r->main;
    b->last_in_chain = 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


static ngx_int_t
ngx_http_iri_status_handler(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    iri_env_t                 env;
    iri_status_t              failed;
    iri_stats_page_t          page;
    iri_stats_page_conf_t     conf;
    ngx_http_iri_main_conf_t *imcf;

    if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))) {
        return ngx_http_iri_status_not_allowed(r);
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
    if (imcf->status->stats == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    conf.now = ngx_time();
    conf.query = ngx_http_iri_str(r->args);
    conf.caches = imcf->status->caches;
    conf.count = ngx_http_iri_caches(imcf, imcf->status->caches);

    ngx_http_iri_env(r, &env);

    failed = iri_stats_page(&env, imcf->status->stats, &conf, &page);
    if (failed != IRI_OK) {
        ngx_http_iri_note_error(r, "the status page could not be made",
                                failed);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_iri_status_send(r, &page);
}


/* ---- configuration ------------------------------------------------------ */

char *
ngx_http_iri_status_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_pool_cleanup_t       *cln;
    ngx_http_core_loc_conf_t *clcf;
    ngx_http_iri_main_conf_t *imcf;

    (void) cmd;
    (void) conf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    if (clcf->handler == ngx_http_iri_status_handler) {
        return "is duplicate";
    }

    clcf->handler = ngx_http_iri_status_handler;

    if (ngx_http_iri_check_setting(cf, NULL) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    if (imcf->status != NULL) {
        return NGX_CONF_OK;
    }

    cln = ngx_pool_cleanup_add(cf->pool, sizeof(ngx_http_iri_status_t));
    if (cln == NULL) {
        return NGX_CONF_ERROR;
    }

    imcf->status = cln->data;
    ngx_memzero(imcf->status, sizeof(ngx_http_iri_status_t));

    if (ngx_http_iri_status_zone_add(cf, imcf->status) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    cln->handler = ngx_http_iri_status_close;

    return NGX_CONF_OK;
}


/*
 * Register the log handler after that of iri report, so that it uses the
 * lookups which that has done.
 */
ngx_int_t
ngx_http_iri_status_init(ngx_conf_t *cf)
{
    ngx_http_handler_pt      *h;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    if (imcf->status == NULL) {
        return NGX_OK;
    }

    imcf->status->caches = ngx_pcalloc(
        cf->pool, (imcf->caches.nelts + 1) * sizeof(iri_index_cache_t *));
    if (imcf->status->caches == NULL) {
        return NGX_ERROR;
    }

    if (!imcf->switched_on) {
        return NGX_OK;
    }

    h = ngx_array_push(ngx_http_iri_handlers_of(cf, NGX_HTTP_LOG_PHASE));
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = ngx_http_iri_status_log_handler;

    return NGX_OK;
}
