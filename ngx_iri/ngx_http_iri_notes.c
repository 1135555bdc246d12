/*
 * ngx_http_iri_notes.c - the line of the error log for a request
 *
 * Events of a request and of its subrequests are collected as notes.  They are
 * written as one line in the LOG phase.  A later event, for example of a
 * variable in an access log, is logged only if no line has been written.
 */

#include "ngx_http_iri.h"


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


/*
 * The notes of the main request, in its pool: the pool of a subrequest may be
 * destroyed earlier.  NULL: no memory, or the line has been written.
 */
static iri_notes_t *
ngx_http_iri_notes_get(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_http_iri_ctx_get_or_create(r->main);

    if (ctx == NULL || ctx->log.written) {
        return NULL;
    }

    if (ctx->log.notes == NULL) {
        ctx->log.notes = ngx_pcalloc(r->main->pool, sizeof(iri_notes_t));
    }

    return ctx->log.notes;
}


ngx_uint_t
ngx_http_iri_notes_wanted(ngx_http_request_t *r, iri_log_level_t level)
{
    ngx_http_iri_ctx_t *ctx;

    if (r->connection->log->log_level < ngx_http_iri_levels[level]) {
        return 0;
    }

    ctx = ngx_http_iri_ctx(r->main);

    return ctx == NULL || !ctx->log.written || ctx->log.notes == NULL;
}


iri_notes_t *
ngx_http_iri_notes_begin(ngx_http_request_t *r, iri_notes_t *once)
{
    iri_notes_t *notes = ngx_http_iri_notes_get(r);

    if (notes == NULL) {
        ngx_memzero(once, sizeof(iri_notes_t));
        notes = once;
    }

    return notes;
}


void
ngx_http_iri_notes_end(ngx_http_request_t *r, iri_notes_t *notes,
                       const iri_notes_t *once)
{
    ngx_http_iri_ctx_t *ctx;

    if (notes != once || notes->count == 0) {
        return;
    }

    ngx_http_iri_notes_write(r, notes);

    ctx = ngx_http_iri_ctx(r->main);
    if (ctx != NULL && ctx->log.written) {
        ctx->log.notes = ngx_pcalloc(r->main->pool, sizeof(iri_notes_t));
    }
}


void
ngx_http_iri_note(ngx_http_request_t *r, iri_log_level_t level,
                  const char *code, const char *format, ...)
{
    va_list      args;
    iri_notes_t *notes, once;

    if (!ngx_http_iri_notes_wanted(r, level)) {
        return;
    }

    notes = ngx_http_iri_notes_begin(r, &once);

    va_start(args, format);
    iri_vnote(notes, level, code, format, args);
    va_end(args);

    ngx_http_iri_notes_end(r, notes, &once);
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
    iri_notes_t        *notes, once;
    ngx_http_request_t *r = ctx;

    if (level >= IRI_LOG_TRACE) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0, "iri: %*s",
                       line.len, line.data);
        return;
    }

    if (ngx_http_iri_notes_wanted(r, level)) {
        notes = ngx_http_iri_notes_begin(r, &once);
        iri_note_line(notes, level, line);
        ngx_http_iri_notes_end(r, notes, &once);
    }
}


void
ngx_http_iri_notes_log(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    if (r != r->main) {
        return;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx == NULL) {
        return;
    }

    ctx->log.written = 1;
    iri_request_finished(ctx->request);

    if (ctx->log.notes != NULL) {
        ngx_http_iri_notes_write(r, ctx->log.notes);
    }
}
