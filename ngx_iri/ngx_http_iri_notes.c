/*
 * ngx_http_iri_notes.c - the error log: events of a request, and iri report
 *
 * The core collects the events of a request and of its subrequests, and decides
 * which of them are logged (iri_request_log).  They are written as one line in
 * the LOG phase.  With iri report, what "iri on" would do is looked up and
 * logged, and the request is not changed.
 */

#include "ngx_http_iri.h"


/* ---- the log line ------------------------------------------------------- */

static const ngx_uint_t ngx_http_iri_levels[] = { NGX_LOG_ERR, NGX_LOG_WARN,
                                                  NGX_LOG_INFO };


static void
ngx_http_iri_notes_write(ngx_http_request_t *r, const iri_notes_t *notes)
{
    char      *action;
    ngx_str_t  text;
    ngx_log_t *log = r->connection->log;
    iri_line_t line;

    text = ngx_http_iri_ngx_str(iri_notes_format_line(notes, NULL, &line));

    /* Without " while logging request": the events are older. */
    action = log->action;
    log->action = NULL;

    ngx_log_error(ngx_http_iri_levels[notes->level], log, 0, "%V", &text);

    log->action = action;
}


ngx_uint_t
ngx_http_iri_notes_wanted(ngx_http_request_t *r, iri_log_level_t level)
{
    ngx_http_iri_ctx_t *ctx;

    if (r->connection->log->log_level < ngx_http_iri_levels[level]) {
        return 0;
    }

    ctx = ngx_http_iri_ctx(r->main);

    return iri_request_logs(ctx != NULL ? ctx->request : NULL) != 0;
}


/* In memory of the main request: that of a subrequest may be freed earlier. */
void
ngx_http_iri_notes_add(ngx_http_request_t *r, const iri_notes_t *event)
{
    iri_env_t           env;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx_get_or_create(r->main);

    ngx_http_iri_env(r->main, &env);

    if (iri_request_log(ctx != NULL ? ctx->request : NULL, &env, event)) {
        ngx_http_iri_notes_write(r, event);
    }
}


void
ngx_http_iri_note(ngx_http_request_t *r, iri_log_level_t level,
                  const char *code, const char *format, ...)
{
    va_list     args;
    iri_notes_t event;

    if (!ngx_http_iri_notes_wanted(r, level)) {
        return;
    }

    ngx_memzero(&event, sizeof(iri_notes_t));

    va_start(args, format);
    iri_vnote(&event, level, code, format, args);
    va_end(args);

    ngx_http_iri_notes_add(r, &event);
}


void
ngx_http_iri_note_error(ngx_http_request_t *r, const char *what,
                        iri_status_t status)
{
    ngx_http_iri_note(r, IRI_LOG_ERROR, iri_why_code(IRI_WHY_ERROR), "%s: %s",
                      what, iri_status_text(status));
}


void
ngx_http_iri_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    iri_notes_t         event;
    ngx_http_request_t *r = ctx;

    if (level >= IRI_LOG_TRACE) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0, "iri: %*s",
                       line.len, line.data);
        return;
    }

    if (ngx_http_iri_notes_wanted(r, level)) {
        ngx_memzero(&event, sizeof(iri_notes_t));
        iri_note_line(&event, level, line);
        ngx_http_iri_notes_add(r, &event);
    }
}


void
ngx_http_iri_notes_log(ngx_http_request_t *r)
{
    const iri_notes_t  *notes;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (r != r->main || ctx == NULL) {
        return;
    }

    notes = iri_request_finished(ctx->request);

    if (notes != NULL) {
        ngx_http_iri_notes_write(r, notes);
    }
}


/* ---- iri report --------------------------------------------------------- */

/* Called by the core.  ctx: an ngx_http_request_t. */
static iri_lookup_t *
ngx_http_iri_report_find(void *ctx, iri_str_t path)
{
    return ngx_http_iri_find_uri(ctx, ngx_http_iri_ngx_str(path));
}


static void
ngx_http_iri_report_lookup(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    iri_env_t                env;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
    ngx_http_iri_env(r, &env);

    iri_request_report_find(ctx->request, &env, &iscf->reading,
                            ngx_http_iri_str(r->uri),
                            ngx_http_iri_report_find);
}


/* Before the CONTENT phase: an error page has another path and root. */
void
ngx_http_iri_report_first(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL && r == r->main && !r->internal) {
        ngx_http_iri_report_lookup(r, ctx);
    }
}


void
ngx_http_iri_report(ngx_http_request_t *r)
{
    iri_env_t           env;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx == NULL) {
        return;
    }

    ngx_http_iri_report_lookup(r, ctx);

    if (ngx_http_iri_notes_wanted(r, IRI_LOG_INFO)) {
        ngx_http_iri_env(r, &env);
        iri_request_report(ctx->request, &env);
    }
}
