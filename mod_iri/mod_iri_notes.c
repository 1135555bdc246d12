/*
 * mod_iri_notes.c - the log line of a request
 *
 * Events of a request, of its internal redirects and of its subrequests are
 * collected, and written in one line after all hooks of log_transaction have
 * run.  They are stored in the pool of the main request, which internal
 * redirects share, and are written when that pool is destroyed.  A hook of
 * log_transaction would cost each request time.
 */

#include "mod_iri_request.h"

const char mod_iri_notes_key[] = "mod_iri: notes";

static const int mod_iri_levels[] = { APLOG_ERR, APLOG_WARNING, APLOG_INFO };

/* Runs before the pool is destroyed, so that r is still valid. */
static apr_status_t
mod_iri_write_notes(void *data)
{
    request_rec *r = data;
    const char  *request = r->unparsed_uri ? r->unparsed_uri : "-";
    void        *notes = NULL;
    iri_line_t   line;

    apr_pool_userdata_get(&notes, mod_iri_notes_key, r->pool);
    if (notes != NULL && ((iri_notes_t *) notes)->count > 0) {
        iri_notes_format_line(notes, request, &line);
        ap_log_rerror(APLOG_MARK,
                      mod_iri_levels[((iri_notes_t *) notes)->level], 0, r,
                      "%s", line.text);
    }
    return APR_SUCCESS;
}

iri_notes_t *
mod_iri_notes(request_rec *r, iri_log_level_t level)
{
    void *notes = NULL;

    if (!APLOG_R_IS_LEVEL(r, mod_iri_levels[level])) {
        return NULL;
    }
    while (r->main != NULL || r->prev != NULL) {
        r = r->main != NULL ? r->main : r->prev;
    }
    apr_pool_userdata_get(&notes, mod_iri_notes_key, r->pool);
    if (notes == NULL) {
        notes = apr_pcalloc(r->pool, sizeof(iri_notes_t));
        apr_pool_userdata_setn(notes, mod_iri_notes_key, NULL, r->pool);
        apr_pool_pre_cleanup_register(r->pool, r, mod_iri_write_notes);
    }
    return notes;
}

void
mod_iri_note(request_rec *r, iri_log_level_t level, const char *code,
             const char *format, ...)
{
    iri_notes_t *notes = mod_iri_notes(r, level);
    va_list      args;

    if (notes != NULL) {
        va_start(args, format);
        iri_vnote(notes, level, code, format, args);
        va_end(args);
    }
}

void
mod_iri_note_error(request_rec *r, const char *failure, iri_status_t status)
{
    mod_iri_note(r, IRI_LOG_ERROR, iri_why_code(IRI_WHY_ERROR), "%s: %s",
                 failure, iri_status_text(status));
}

void
mod_iri_log(void *arg, iri_log_level_t level, iri_str_t line)
{
    request_rec *r = arg;
    iri_notes_t *notes;

    if (level >= IRI_LOG_TRACE) {
        ap_log_rerror(APLOG_MARK, APLOG_TRACE1, 0, r, "iri: %.*s",
                      (int) line.len, (const char *) line.data);
        return;
    }
    notes = mod_iri_notes(r, level);
    if (notes != NULL) {
        iri_note_line(notes, level, line);
    }
}
