/*
 * iri_log_line.c - the log line of a request
 *
 * Notes are collected during a request and written as one line when it ends,
 * the same in both servers, with a code for each reason (doc/reasons.md).
 * Text of the client cannot end the line or its quotes.  Nothing is allocated,
 * so that a lack of memory can be logged, too.
 */

#include <stdarg.h>
#include <stdio.h>

#include "host/iri_idna.h"
#include "path/iri_path.h"
#include "request/iri_state.h"


static const char *const iri_reason_codes[IRI_REASONS] = {
    "error", "charsets",    "function",    "location",
    "cache", "listing",     "indexes",     "decoded",
    "rule",  "destination", "certificate", "multistatus"
};


const char *
iri_reason_code(iri_reason_t reason)
{
    return (int) reason >= 0 && reason < IRI_REASONS
               ? iri_reason_codes[reason]
               : "unknown";
}


/* ---- collecting notes ---------------------------------------------------- */

/* Add each code once, so that lines can be counted by code. */
static void
iri_notes_add_code(iri_notes_t *notes, const char *code, int first)
{
    size_t i;

    for (i = 0; i < IRI_MAX_LOG_NOTES && notes->codes[i] != NULL; i++) {
        if (strcmp(notes->codes[i], code) == 0) {
            return;
        }
    }

    if (i == IRI_MAX_LOG_NOTES) {
        return;
    }

    if (first) {
        memmove(notes->codes + 1, notes->codes, i * sizeof(notes->codes[0]));
        i = 0;
    }

    notes->codes[i] = code;
}


/* If len octets did not fit text, end it with "...". */
static void
iri_mark_truncated(char *text, size_t size, size_t len)
{
    if (len >= size) {
        memcpy(text + size - sizeof("..."), "...", sizeof("..."));
    }
}


/* first: 1: insert text before the notes of host and query, 0: append it. */
static void
iri_notes_add_text(iri_notes_t *notes, const char *text, int first)
{
    char        before[IRI_MAX_LOG_TEXT];
    const char *divider = notes->text[0] != '\0' ? "; " : "";
    int         n;

    memcpy(before, notes->text, sizeof(before));

    n = snprintf(notes->text, sizeof(notes->text), "%s%s%s",
                 first ? text : before, divider, first ? before : text);

    iri_mark_truncated(notes->text, sizeof(notes->text),
                       n < 0 ? 0 : (size_t) n);
}


static void iri_notes_add(iri_notes_t *notes, iri_log_level_t level,
                          const char *code, int first, const char *format,
                          va_list args) __attribute__((format(printf, 5, 0)));

static void
iri_notes_add(iri_notes_t *notes, iri_log_level_t level, const char *code,
              int first, const char *format, va_list args)
{
    char text[IRI_MAX_LOG_TEXT];
    int  n;

    if (notes->count == 0 || level < notes->level) {
        notes->level = level;
    }

    notes->count++;
    iri_notes_add_code(notes, code, first);

    if (notes->count > IRI_MAX_LOG_NOTES) {
        return;
    }

    n = vsnprintf(text, sizeof(text), format, args);
    if (n < 0) {
        return;
    }

    iri_mark_truncated(text, sizeof(text), (size_t) n);
    iri_notes_add_text(notes, text, first);
}


void
iri_vnote(iri_notes_t *notes, iri_log_level_t level, const char *code,
          const char *format, va_list args)
{
    iri_notes_add(notes, level, code, 0, format, args);
}


void
iri_note(iri_notes_t *notes, iri_log_level_t level, const char *code,
         const char *format, ...)
{
    va_list args;

    va_start(args, format);
    iri_notes_add(notes, level, code, 0, format, args);
    va_end(args);
}


void
iri_note_would(iri_notes_t *notes, const char *code, int first,
               const char *format, ...)
{
    va_list args;

    notes->report = 1;

    va_start(args, format);
    iri_notes_add(notes, IRI_LOG_INFO, code, first, format, args);
    va_end(args);
}


/* Add the notes of an event to *notes. */
static void
iri_notes_add_event(iri_notes_t *notes, const iri_notes_t *event)
{
    size_t i;

    if (notes->count == 0 || event->level < notes->level) {
        notes->level = event->level;
    }

    notes->count += event->count;
    notes->report |= event->report;

    for (i = 0; i < IRI_MAX_LOG_NOTES && event->codes[i] != NULL; i++) {
        iri_notes_add_code(notes, event->codes[i], 0);
    }

    if (notes->count <= IRI_MAX_LOG_NOTES) {
        iri_notes_add_text(notes, event->text, 0);
    }
}


iri_notes_t *
iri_notes_create(const iri_env_t *env)
{
    iri_notes_t *notes = env->alloc(env->ctx, sizeof(iri_notes_t));

    return notes != NULL ? memset(notes, 0, sizeof(*notes)) : NULL;
}


/* The static code equal to octets, or "error". */
static const char *
iri_known_code(iri_str_t octets)
{
    int i;

    for (i = 0; i < IRI_REASONS; i++) {
        if (iri_str_equal_nocase(octets, iri_reason_codes[i])) {
            return iri_reason_codes[i];
        }
    }

    for (i = 0; i < IRI_WHYS; i++) {
        if (iri_str_equal_nocase(octets, iri_why_code((iri_why_t) i))) {
            return iri_why_code((iri_why_t) i);
        }
    }

    return iri_reason_code(IRI_REASON_ERROR);
}


/*
 * A line of the core contains its code after the last IRI_LOG_REASON; text of a
 * client may contain earlier ones.  Without a known code it is "error".
 */
void
iri_note_line(iri_notes_t *notes, iri_log_level_t level, iri_str_t line)
{
    static const iri_str_t marker = IRI_STR(IRI_LOG_REASON);
    iri_str_t              code = { 0, NULL };
    size_t                 at;

    for (at = line.len; at > 0; at--) {
        if (line.len - at >= marker.len
            && memcmp(line.data + at, marker.data, marker.len) == 0)
        {
            break;
        }
    }

    if (at > 0) {
        code = iri_str_from(line, at + marker.len);
    }

    iri_note(notes, level, iri_known_code(code), "%.*s",
             (int) (at > 0 ? at : line.len), (const char *) line.data);
}


void
iri_note_host(iri_notes_t *notes, iri_str_t octets, const iri_host_t *host,
              int report)
{
    const char *code = iri_host_why_code(host->why);
    iri_shown_t shown, ascii;

    iri_show_sent(&shown, octets);

    if (host->verdict != IRI_REFUSE) {
        iri_note_would(notes, code, 0, "would map host \"%s\" to \"%s\"",
                       shown.text, iri_show_sent(&ascii, host->ascii));

    } else if (report) {
        iri_note_would(notes, code, 0, "would refuse host \"%s\": it %s",
                       shown.text, iri_host_why_text(host->why));

    } else {
        iri_note(notes, IRI_LOG_INFO, code, "host \"%s\" refused: it %s",
                 shown.text, iri_host_why_text(host->why));
    }
}


void
iri_note_query(iri_notes_t *notes, const iri_query_t *query)
{
    int converts = query->why == IRI_QUERY_READ
                   || query->why == IRI_QUERY_NORMALIZED;
    iri_shown_t shown;

    if (query->why == IRI_QUERY_ASCII || query->why == IRI_QUERY_UTF8) {
        return;
    }

    iri_note_would(
        notes, iri_query_why_code(query->why), 0,
        "would %s the query \"%s\": charset \"%.*s\", %s",
        converts ? "convert" : "not convert",
        iri_show_sent(&shown, query->query), (int) query->charset.len,
        query->charset.len != 0 ? (const char *) query->charset.data : "",
        iri_query_why_text(query->why));
}


/* ---- writing the line ---------------------------------------------------- */

iri_str_t
iri_notes_format_line(const iri_notes_t *notes, const char *request,
                      iri_line_t *line)
{
    const iri_str_t octets = { request != NULL ? strlen(request) : 0,
                               (const unsigned char *) request };
    iri_shown_t shown;
    iri_str_t   str;
    char        more[32] = "", *text = line->text;
    size_t      i, size = sizeof(line->text), n;

    if (notes->count > IRI_MAX_LOG_NOTES) {
        (void) snprintf(more, sizeof(more), "; and %u more",
                        notes->count - IRI_MAX_LOG_NOTES);
    }

    n = (size_t) snprintf(text, size, "iri: %s%s%s",
                          notes->report ? "report: " : "", notes->text, more);

    for (i = 0; i < IRI_MAX_LOG_NOTES && notes->codes[i] != NULL; i++) {
        n += (size_t) snprintf(text + n, size - n, "%s%s",
                               i == 0 ? IRI_LOG_REASON : ",",
                               notes->codes[i]);
    }

    if (request != NULL) {
        n += (size_t) snprintf(text + n, size - n, ", request \"%s\"",
                               iri_show_sent(&shown, octets));
    }

    /* A "%s" may have added control characters and non-ASCII octets. */
    for (i = 0; i < n; i++) {
        if (text[i] < 0x20 || text[i] > 0x7e) {
            text[i] = '?';
        }
    }

    str.data = (const unsigned char *) text;
    str.len = n;

    return str;
}


/* ---- the events of a request --------------------------------------------- */

int
iri_request_logs(const iri_request_t *request)
{
    return request == NULL || !request->has_line;
}


int
iri_request_log(iri_request_t *request, const iri_env_t *env,
                const iri_notes_t *event)
{
    if (request == NULL) {
        return 1;
    }

    if (request->state == IRI_STATE_FINISHED) {
        request->has_line = 1;
        return 1;
    }

    if (request->notes == NULL) {
        request->notes = iri_notes_create(env);
    }

    if (request->notes == NULL) {
        return 1;
    }

    iri_notes_add_event(request->notes, event);

    return 0;
}


void
iri_request_take_notes(iri_request_t *request, const iri_request_t *from)
{
    request->notes = from->notes;
}


const iri_notes_t *
iri_request_finished(iri_request_t *request)
{
    request->state = IRI_STATE_FINISHED;
    request->has_line = request->notes != NULL;

    return request->notes;
}
