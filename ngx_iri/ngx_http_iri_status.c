/*
 * ngx_http_iri_status.c - iri_status: counters and their page
 *
 * If a location has iri_status, requests are counted in the LOG phase, in a
 * shared memory zone.  A reload keeps the zone.  Without iri_status there is
 * neither a zone nor a log handler.  The mutex of the slab pool protects the
 * counters; nginx unlocks it if a worker dies while holding it.  The core
 * defines the counters and writes the page (iri_stats.h).
 */

#include "ngx_http_iri.h"
#include "iri_stats.h"


typedef struct {
    ngx_shm_zone_t *zone;  /* of stats; NULL: no location has iri_status */
    iri_stats_t     stats; /* the counters */
} ngx_http_iri_status_main_conf_t;


/* ---- the page ----------------------------------------------------------- */

static ngx_int_t
ngx_http_iri_status_handler(ngx_http_request_t *r)
{
    iri_env_t                        env;
    iri_status_t                     status;
    iri_page_t                       page;
    ngx_http_iri_status_main_conf_t *smcf;

    static ngx_str_t allow = ngx_string("GET, HEAD");

    if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))) {
        return ngx_http_iri_header_add(r, "Allow", allow) != NULL
                   ? NGX_HTTP_NOT_ALLOWED
                   : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    smcf = ngx_http_get_module_main_conf(r, ngx_http_iri_status_module);

    ngx_http_iri_env(r, &env);

    status = iri_stats_page(&env, &smcf->stats, ngx_time(),
                            ngx_http_iri_str(r->args), &page);
    if (status != IRI_OK) {
        ngx_http_iri_note_error(r, "the status page could not be made",
                                status);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_iri_send_page(r, &page);
}


/* ---- counting ----------------------------------------------------------- */

/*
 * Not counted are subrequests, requests for the page, and requests that nginx
 * refuses before any phase, for which r->phase_handler is 0.
 */
static ngx_int_t
ngx_http_iri_status_log_handler(ngx_http_request_t *r)
{
    iri_query_t                      query;
    iri_engine_t                     engine = ngx_http_iri_engine_of(r);
    iri_stats_event_t                event;
    ngx_http_iri_ctx_t              *ctx = ngx_http_iri_ctx(r);
    ngx_http_core_loc_conf_t        *clcf = ngx_http_iri_core_loc_conf(r);
    ngx_http_iri_status_main_conf_t *smcf;

    smcf = ngx_http_get_module_main_conf(r, ngx_http_iri_status_module);

    if (r != r->main || engine == IRI_ENGINE_OFF
        || clcf->handler == ngx_http_iri_status_handler
        || (ctx == NULL && r->phase_handler == 0))
    {
        return NGX_OK;
    }

    ngx_memzero(&event, sizeof(iri_stats_event_t));
    event.now = ngx_time();
    event.report = engine == IRI_ENGINE_REPORT;

    if (ctx != NULL) {
        iri_request_event(ctx->request, &event);
    }

    if (ngx_http_iri_query_read_sent(r, &query) == NGX_OK) {
        event.query = query.why;
        event.query_charset = query.charset;
    }

    if (r->headers_in.referer != NULL) {
        event.referer = ngx_http_iri_str(r->headers_in.referer->value);
    }

    if (r->headers_in.user_agent != NULL) {
        event.agent = ngx_http_iri_str(r->headers_in.user_agent->value);
    }

    iri_stats_count(&smcf->stats, &event);

    return NGX_OK;
}


/* ---- configuration ------------------------------------------------------ */

static void
ngx_http_iri_status_lock(void *mutex)
{
    ngx_shmtx_lock(mutex);
}


static void
ngx_http_iri_status_unlock(void *mutex)
{
    ngx_shmtx_unlock(mutex);
}


/* shpool->data is not NULL if the zone is that of the previous cycle. */
static ngx_int_t
ngx_http_iri_status_zone_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t                 *shpool;
    ngx_http_iri_status_main_conf_t *smcf = zone->data;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    if (shpool->data == NULL) {
        shpool->data = ngx_slab_calloc(shpool, iri_stats_size());
        if (shpool->data == NULL) {
            return NGX_ERROR;
        }
    }

    smcf->stats.memory = shpool->data;
    smcf->stats.lock = ngx_http_iri_status_lock;
    smcf->stats.unlock = ngx_http_iri_status_unlock;
    smcf->stats.ctx = &shpool->mutex;
    iri_stats_init(&smcf->stats, ngx_time());

    return NGX_OK;
}


/*
 * The name of the zone contains a hash of the layout of the counters: if a new
 * version of the module has another layout, nginx creates a new zone.
 */
static char *
ngx_http_iri_status(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    size_t                           size;
    ngx_str_t                        name;
    ngx_http_core_loc_conf_t        *clcf;
    ngx_http_iri_status_main_conf_t *smcf = conf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    if (clcf->handler == ngx_http_iri_status_handler) {
        return "is duplicate";
    }

    clcf->handler = ngx_http_iri_status_handler;

    if (ngx_http_iri_check_setting(cf, NULL) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    if (smcf->zone != NULL) {
        return NGX_CONF_OK;
    }

    name.data = ngx_pnalloc(cf->pool, sizeof("iri_status ") + 16);
    if (name.data == NULL) {
        return NGX_CONF_ERROR;
    }

    name.len = ngx_sprintf(name.data, "iri_status %016xL",
                           (int64_t) iri_stats_layout())
               - name.data;

    /* The slab pool needs memory for itself, too. */
    size = iri_stats_size() + iri_stats_size() / 8 + 8 * ngx_pagesize;

    smcf->zone = ngx_shared_memory_add(cf, &name, size,
                                       &ngx_http_iri_status_module);
    if (smcf->zone == NULL) {
        return NGX_CONF_ERROR;
    }

    smcf->zone->init = ngx_http_iri_status_zone_init;
    smcf->zone->data = smcf;

    return NGX_CONF_OK;
}


/*
 * The handler runs after ngx_http_iri_log_handler(), which does the lookups of
 * iri report.
 */
static ngx_int_t
ngx_http_iri_status_init(ngx_conf_t *cf)
{
    ngx_http_handler_pt             *handler;
    ngx_http_core_main_conf_t       *cmcf = ngx_http_iri_conf_core_main(cf);
    ngx_http_iri_main_conf_t        *imcf = ngx_http_iri_conf_main(cf);
    ngx_http_iri_status_main_conf_t *smcf;

    smcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_status_module);
    if (smcf->zone == NULL || !imcf->enabled) {
        return NGX_OK;
    }

    handler = ngx_array_push(&cmcf->phases[NGX_HTTP_LOG_PHASE].handlers);
    if (handler == NULL) {
        return NGX_ERROR;
    }

    *handler = ngx_http_iri_status_log_handler;

    return NGX_OK;
}


static void *
ngx_http_iri_status_create_main_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_status_main_conf_t));
}


/* clang-format off */

static ngx_command_t ngx_http_iri_status_commands[] = {

    { ngx_string("iri_status"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_iri_status,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_status_module_ctx = {
    .postconfiguration = ngx_http_iri_status_init,
    .create_main_conf = ngx_http_iri_status_create_main_conf,
};


ngx_module_t ngx_http_iri_status_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_status_module_ctx, ngx_http_iri_status_commands, NULL);

/* clang-format on */
