/*
 * iri_read.c - decodes the octets of a path into its reading
 *
 * Tries strict UTF-8, then the first charset that decodes the whole path,
 * then a charset for each segment (draft 6.7). Charsets are tried on the whole
 * path first, so that one URI has one canonical form. iri_segment_read.c
 * decodes, normalizes and checks each segment; iri_find.c confirms readings
 * on disk.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"

typedef struct {
    const iri_env_t           *env;
    const iri_reading_conf_t  *conf;
    const iri_received_path_t *request;
    iri_source_t               source;
    size_t                     raw; /* number of high octets sent raw */
    size_t    escaped;              /* number of high octets sent escaped */
    int       escaped_ascii; /* 1: an ASCII character was sent escaped */
    iri_buf_t path;
    iri_buf_t uri;
    int       no_uri;    /* 1: no URI is needed */
    int       repaired;  /* 1: mojibake is repaired */
    int       not_utf8;  /* 1: known not to be UTF-8 */
    int       forbidden; /* 1: known to have a character that no path may
                            contain, if it is UTF-8 */
    iri_why_t why;       /* READ, or why the last attempt failed */
} iri_reader_t;


/*
 * Return 1 if no new entry can have this name: it is empty but not the last
 * segment, contains a control character, or is a dot-segment.
 */
static int
iri_is_invalid_name(iri_str_t segment, int last)
{
    size_t i;

    if (segment.len == 0) {
        return !last;
    }

    for (i = 0; i < segment.len; i++) {
        if (segment.data[i] < 0x20 || segment.data[i] == 0x7f) {
            return 1;
        }
    }

    return iri_is_dot_segment(segment);
}


int
iri_is_new_path(iri_str_t path)
{
    iri_str_t segment;
    size_t    from, to;

    if (path.len == 0 || path.data[0] != '/') {
        return 0;
    }

    for (from = 1; /* void */; from = to + 1) {
        to = iri_segment_end(path, from);

        segment.data = path.data + from;
        segment.len = to - from;

        if (iri_is_invalid_name(segment, to == path.len)) {
            return 0;
        }

        if (to == path.len) {
            return 1;
        }
    }
}


/* ---- octets and escapes -------------------------------------------------- */

/* Unescape the path and record which octets were escaped. */
static iri_status_t
iri_source_unescape(iri_reader_t *reader)
{
    iri_str_t            path = reader->request->path;
    const unsigned char *p = path.data, *end = path.data + path.len;
    unsigned char       *octets, *escaped;
    size_t               n, len = 0;

    octets = reader->env->alloc(reader->env->ctx, 2 * path.len);
    if (octets == NULL) {
        return IRI_NO_MEMORY;
    }

    escaped = octets + path.len;

    for (/* void */; p < end; p += n, len++) {
        n = iri_unescape(p, end, &octets[len]);
        if (n == 0) {
            return IRI_BAD_ESCAPE;
        }

        escaped[len] = n == 3;
        reader->escaped_ascii |= n == 3 && octets[len] < 0x80;
    }

    reader->source.octets.data = octets;
    reader->source.octets.len = len;
    reader->source.escaped = escaped;

    return IRI_OK;
}


/*
 * Return 1 if a bidi formatting character starts at p, of which at least one
 * octet was sent raw. These characters are U+061C and some of General
 * Punctuation.
 */
static int
iri_is_raw_bidi(const unsigned char *p, const unsigned char *end)
{
    unsigned char octets[3];
    uint32_t      c;
    size_t        n, len;
    int           raw = 0;

    for (len = 0; len < sizeof(octets) && p < end; len++, p += n) {
        n = iri_unescape(p, end, &octets[len]);
        if (n == 0) {
            break;
        }

        raw |= n == 1 && octets[len] >= 0x80
               && len < (octets[0] == 0xd8 ? 2u : 3u);
    }

    return raw && iri_utf8_next(octets, octets + len, &c) != 0
           && iri_char_is_bidi_control(c);
}


/* Count the high octets of the target that were sent raw and escaped. */
static void
iri_target_count_high(iri_reader_t *reader)
{
    iri_str_t            target = reader->request->target;
    const unsigned char *p, *end;
    unsigned char        octet;

    if (target.len == 0 && reader->request->escaped) {
        target = reader->request->path;
    }

    /* No octet was sent raw, as in nearly every request. */
    if (iri_str_is_ascii(target)) {
        return;
    }

    end = target.data + target.len;

    for (p = target.data; p < end && *p != '?'; p++) {
        if (*p != '%' && *p < 0x80) {
            continue;
        }

        if (iri_unescape(p, end, &octet) == 0 || octet < 0x80) {
            continue;
        }

        reader->raw += *p != '%';
        reader->escaped += *p == '%';

        if (octet == 0xd8 || octet == 0xe2) {
            reader->source.raw_bidi |= iri_is_raw_bidi(p, end);
        }
    }

    reader->source.raw_high = reader->raw != 0;
}


/* ---- readings ------------------------------------------------------------ */

/*
 * Return the buffer for the URI; NULL if it follows from the canonical path.
 * An ASCII character that was sent escaped stays escaped in the URI. A trace
 * prints the URI of each reading.
 */
static iri_buf_t *
iri_reader_uri(iri_reader_t *reader)
{
    return reader->escaped_ascii || reader->env->trace ? &reader->uri : NULL;
}


/*
 * Append the "/" at octet at. If it was sent as "%2F", it stays "%2F" in the
 * URI, where "/" would be a separator.
 */
static iri_status_t
iri_reader_put_slash(iri_reader_t *reader, size_t at)
{
    const unsigned char *escaped = reader->source.escaped;
    iri_buf_t           *uri = iri_reader_uri(reader);
    iri_status_t         status;

    status = iri_buf_putc(reader->env, &reader->path, '/');
    if (status != IRI_OK || uri == NULL) {
        return status;
    }

    return escaped != NULL && escaped[at]
               ? iri_buf_put_escape(reader->env, uri, '/')
               : iri_buf_putc(reader->env, uri, '/');
}


/* Repair a segment that has no reading. On success set reader->why to READ. */
static iri_status_t
iri_reader_repair(iri_reader_t *reader, size_t from, size_t to)
{
    iri_str_t    segment = { to - from, reader->source.octets.data + from };
    iri_str_t    repaired;
    iri_buf_t   *uri = iri_reader_uri(reader);
    iri_status_t status;

    status = iri_repair(reader->env, IRI_REPAIR_MOJIBAKE, segment, &repaired);

    if (status != IRI_OK || repaired.len == 0) {
        return status;
    }

    reader->why = IRI_WHY_READ;
    status = iri_buf_put(reader->env, &reader->path, repaired.data,
                         repaired.len);

    return status == IRI_OK && uri != NULL ? iri_buf_put_escaped(
               reader->env, uri, repaired, iri_is_path_char)
                                           : status;
}


/*
 * Decode a segment in charset; NULL: in UTF-8 or the first other charset that
 * decodes it. reader->why is READ, or the reason if none decodes it.
 */
static iri_status_t
iri_reader_put_segment(iri_reader_t *reader, const iri_charset_t *charset,
                       size_t from, size_t to)
{
    const iri_charsets_t *list = &reader->conf->charsets;
    const iri_charset_t  *next = charset;
    iri_status_t          status;
    size_t                i = 0;

    if (charset == NULL) {
        next = &iri_charset_utf8;
    }

    for (;;) {
        status = iri_segment_read(reader->env, next, &reader->source, from,
                                  to, &reader->path, iri_reader_uri(reader),
                                  &reader->why);

        if (status != IRI_OK || reader->why != IRI_WHY_UNREADABLE) {
            return status;
        }

        if (charset != NULL || i == list->count) {
            break;
        }

        next = list->at[i++];
    }

    return reader->repaired ? iri_reader_repair(reader, from, to) : IRI_OK;
}


static void
iri_trace_reading(const iri_reader_t *reader, const iri_charset_t *charset,
                  iri_status_t status)
{
    const char *name, *outcome;

    name = charset != NULL ? (const char *) iri_charset_name(charset).data
                           : "segment by segment";

    if (status != IRI_OK) {
        outcome = iri_status_text(status);

    } else if (reader->why == IRI_WHY_UNREADABLE && charset != NULL) {
        outcome = "does not decode the path";

    } else if (reader->why != IRI_WHY_READ) {
        outcome = iri_why_text(reader->why);

    } else {
        outcome = iri_printable(reader->env, iri_buf_str(&reader->uri));
    }

    iri_logf(reader->env, IRI_LOG_TRACE, "reading %s: %s", name, outcome);
}


/*
 * Empty the buffers. If no URI is written, copy the leading segments of
 * graphic ASCII, which are the same in all charsets. *from is the offset of
 * the first segment that was not copied.
 */
static iri_status_t
iri_reader_reset(iri_reader_t *reader, size_t *from)
{
    iri_str_t octets = reader->source.octets;

    reader->path.len = 0;
    reader->uri.len = 0;
    *from = iri_reader_uri(reader) == NULL ? iri_graphic_segments(octets) : 0;

    return *from != 0
               ? iri_buf_put(reader->env, &reader->path, octets.data, *from)
               : IRI_OK;
}


/*
 * Decode the whole path in one charset; NULL: a charset for each segment.
 * reader->why is BIDI only if the charset decodes the whole path. "%2F"
 * separates segments like "/", because the decoded path has a "/" there and
 * each of its segments must be canonical.
 */
static iri_status_t
iri_reader_decode(iri_reader_t *reader, const iri_charset_t *charset)
{
    const iri_source_t *source = &reader->source;
    iri_status_t        status;
    size_t              from, to;
    int                 bidi = 0;

    status = iri_reader_reset(reader, &from);
    if (status != IRI_OK) {
        return status;
    }

    for (/* void */;; from = to + 1) {
        to = iri_segment_end(source->octets, from);

        status = iri_reader_put_segment(reader, charset, from, to);

        if (status != IRI_OK
            || (reader->why != IRI_WHY_READ && reader->why != IRI_WHY_BIDI))
        {
            return status;
        }

        bidi |= reader->why == IRI_WHY_BIDI;

        if (to == source->octets.len) {
            break;
        }

        status = iri_reader_put_slash(reader, to);
        if (status != IRI_OK) {
            return status;
        }
    }

    reader->why = bidi ? IRI_WHY_BIDI : IRI_WHY_READ;

    return IRI_OK;
}


static iri_status_t
iri_reader_try(iri_reader_t *reader, const iri_charset_t *charset)
{
    iri_status_t status;

    status = iri_reader_decode(reader, charset);

    if (reader->env->trace) {
        iri_trace_reading(reader, charset, status);
    }

    return status;
}


static int
iri_is_utf8(iri_str_t octets)
{
    return iri_charset_span(&iri_charset_utf8, octets) == octets.len;
}


/*
 * Find the first reading. If reader->why is READ, *charset is its charset;
 * NULL: each segment has its own. A raw bidi formatting character ends the
 * search, because it is illegal in each charset (draft 4.1).
 */
static iri_status_t
iri_reader_read_first(iri_reader_t *reader, const iri_charset_t **charset)
{
    const iri_charsets_t *list = &reader->conf->charsets;
    iri_status_t          status;
    size_t                i;

    *charset = &iri_charset_utf8;
    reader->why = IRI_WHY_UNREADABLE;
    status = reader->not_utf8 || reader->forbidden
                 ? IRI_OK
                 : iri_reader_try(reader, *charset);

    /* UTF-8 with a forbidden character is not tried in legacy charsets. */
    if (status == IRI_OK && reader->why == IRI_WHY_UNREADABLE
        && !reader->not_utf8 && iri_is_utf8(reader->source.octets))
    {
        return IRI_OK;
    }

    for (i = 0; status == IRI_OK && reader->why == IRI_WHY_UNREADABLE
                && i < list->count;
         i++)
    {
        *charset = list->at[i];
        status = iri_reader_try(reader, *charset);
    }

    if (status == IRI_OK && reader->why == IRI_WHY_UNREADABLE
        && list->count != 0) {
        *charset = NULL;
        status = iri_reader_try(reader, NULL);
    }

    return status;
}


/*
 * Return 1 for the common case, in one pass: UTF-8 of allowed characters that
 * are inert under NFC and are not bidi formatting characters. Sets
 * reader->not_utf8 and reader->forbidden if the scan ended there.
 */
static int
iri_reader_is_plain(iri_reader_t *reader)
{
    const unsigned char *p = reader->source.octets.data;
    const unsigned char *end = p + reader->source.octets.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = *p < 0x80 ? iri_graphic_span(p, end) : iri_utf8_quick(p, end);

        if (n != 0) {
            continue;
        }

        n = iri_utf8_next(p, end, &c);

        reader->not_utf8 = n == 0;
        reader->forbidden = n != 0 && !iri_char_allowed(c, 0);

        if (n == 0 || reader->forbidden || !iri_char_is_inert(c)) {
            return 0;
        }
    }

    return 1;
}


/* ---- the result ---------------------------------------------------------- */

static iri_form_t
iri_reader_form(const iri_reader_t *reader, const iri_charset_t *charset)
{
    if (charset != &iri_charset_utf8) {
        return IRI_FORM_LEGACY;
    }

    if (reader->repaired) {
        return IRI_FORM_MOJIBAKE;
    }

    if (reader->raw == 0) {
        return IRI_FORM_ESCAPED;
    }

    return reader->escaped == 0 ? IRI_FORM_NATIVE : IRI_FORM_MIXED;
}


static void
iri_reading_refuse(iri_reading_t *out, int status, iri_why_t why)
{
    out->verdict = IRI_REFUSE;
    out->status = status;
    out->why = why;
}


/* Set *uri to the path as sent, percent-encoded. */
static iri_status_t
iri_uri_as_sent(const iri_env_t *env, const iri_received_path_t *request,
                iri_str_t *uri)
{
    if (request->escaped) {
        *uri = request->path;
        return IRI_OK;
    }

    return iri_path_to_uri(env, request->path, uri);
}


static void
iri_reading_set_limit(const iri_received_path_t *request, iri_reading_t *out)
{
    out->form = IRI_FORM_INVALID;
    out->path = out->octets = request->path;
    iri_reading_refuse(out, 404, IRI_WHY_LIMIT);
}


static void
iri_reading_set_invalid(const iri_reader_t *reader, iri_reading_t *out)
{
    out->form = IRI_FORM_INVALID;
    out->path = reader->source.octets;

    switch (reader->conf->invalid) {
    case IRI_INVALID_PASS:
        out->verdict = IRI_PASS;
        out->why = reader->why;
        break;

    case IRI_INVALID_400:
        iri_reading_refuse(out, 400, reader->why);
        break;

    default:
        iri_reading_refuse(out, 404, reader->why);
    }
}


static void
iri_reading_set(const iri_reader_t *reader, const iri_charset_t *charset,
                iri_str_t path, iri_str_t uri, iri_reading_t *out)
{
    out->form = iri_reader_form(reader, charset);
    out->charset = charset != NULL ? iri_charset_name(charset)
                                   : iri_charset_mixed;
    out->path = path;
    out->uri = uri;

    if (iri_str_equal(out->path, out->octets)
        && (!reader->request->escaped
            || iri_str_equal(out->uri, reader->request->path)))
    {
        out->verdict = IRI_PASS;
        out->why = IRI_WHY_CANONICAL;
        return;
    }

    out->verdict = IRI_SERVE;
    out->why = IRI_WHY_READ;
}


/* Returns: IRI_OK, or the status of the limit that the path exceeds. */
static iri_status_t
iri_source_check_limits(const iri_source_t *source)
{
    size_t from, to, segments = 0;

    if (source->octets.len > IRI_MAX_PATH) {
        return IRI_PATH_TOO_LONG;
    }

    /* So short a path exceeds no limit, because each segment takes an octet. */
    if (source->octets.len <= IRI_MAX_SEGMENTS
        && source->octets.len <= IRI_MAX_SEGMENT)
    {
        return IRI_OK;
    }

    for (from = 0;; from = to + 1) {
        to = iri_segment_end(source->octets, from);

        /* The empty string before the first "/" is not a segment. */
        if (to > 0 && ++segments > IRI_MAX_SEGMENTS) {
            return IRI_TOO_MANY_SEGMENTS;
        }

        if (to - from > IRI_MAX_SEGMENT) {
            return IRI_SEGMENT_TOO_LONG;
        }

        if (to == source->octets.len) {
            return IRI_OK;
        }
    }
}


static iri_status_t
iri_source_init(iri_reader_t *reader)
{
    iri_status_t status = IRI_OK;

    if (reader->request->path.len > 3 * IRI_MAX_PATH) {
        return IRI_PATH_TOO_LONG;
    }

    if (reader->request->escaped) {
        status = iri_source_unescape(reader);

    } else {
        reader->source.octets = reader->request->path;
    }

    return status == IRI_OK ? iri_source_check_limits(&reader->source)
                            : status;
}


static void
iri_reading_set_ascii(const iri_received_path_t *request, iri_reading_t *out)
{
    out->verdict = IRI_PASS;
    out->why = IRI_WHY_ASCII;
    out->form = IRI_FORM_ASCII;
    out->path = request->path;
    out->octets = request->path;
}


static iri_status_t
iri_reader_answer_read(iri_reader_t *reader, const iri_charset_t *charset,
                       iri_str_t path, iri_reading_t *out)
{
    iri_str_t    uri = iri_buf_str(&reader->uri);
    iri_status_t status = IRI_OK;

    if (uri.len == 0 && !reader->no_uri) {
        status = iri_path_to_uri(reader->env, path, &uri);
    }

    if (status == IRI_OK) {
        iri_reading_set(reader, charset, path, uri, out);
    }

    return status;
}


static iri_status_t
iri_reader_answer(iri_reader_t *reader, iri_reading_t *out)
{
    iri_status_t         status;
    const iri_charset_t *charset;

    if (iri_reader_uri(reader) == NULL && iri_reader_is_plain(reader)) {
        return iri_reader_answer_read(reader, &iri_charset_utf8,
                                      reader->source.octets, out);
    }

    status = iri_reader_read_first(reader, &charset);
    if (status != IRI_OK) {
        return status;
    }

    /*
     * A path whose mojibake contains control characters has no reading, and
     * would be refused before iri_find() could confirm its repaired form on
     * disk. So it is repaired here, except with iri_invalid pass.
     */
    if (reader->why == IRI_WHY_UNREADABLE
        && (reader->conf->repair & IRI_REPAIR_MOJIBAKE)
        && reader->conf->invalid != IRI_INVALID_PASS)
    {
        reader->repaired = 1;
        charset = &iri_charset_utf8;
        status = iri_reader_try(reader, charset);
        if (status != IRI_OK) {
            return status;
        }
    }

    if (reader->why == IRI_WHY_READ && reader->path.len > IRI_MAX_PATH) {
        reader->why = IRI_WHY_LIMIT;
    }

    if (reader->why == IRI_WHY_READ) {
        return iri_reader_answer_read(reader, charset,
                                      iri_buf_str(&reader->path), out);
    }

    if (reader->why == IRI_WHY_LIMIT) {
        iri_reading_set_limit(reader->request, out);

    } else {
        iri_reading_set_invalid(reader, out);
    }

    return reader->no_uri
               ? IRI_OK
               : iri_uri_as_sent(reader->env, reader->request, &out->uri);
}


/* Finish a reading that needs no decoding: ASCII, or over a limit. */
static iri_status_t
iri_read_as_sent(const iri_reader_t *reader, iri_reading_t *reading,
                 iri_reading_t *out)
{
    iri_status_t status = IRI_OK;

    if (!reader->no_uri) {
        status = iri_uri_as_sent(reader->env, reader->request, &reading->uri);
    }

    if (status == IRI_OK) {
        *out = *reading;
    }

    return status;
}


static iri_status_t
iri_reader_read(iri_reader_t *reader, iri_reading_t *out)
{
    const iri_received_path_t *request = reader->request;
    iri_reading_t              reading;
    iri_status_t               status;

    memset(&reading, 0, sizeof(reading));
    reading.conf = reader->conf;

    iri_trace_stage(reader->env, IRI_STAGE_READING, request->path);

    if (iri_path_is_ascii(request->path, request->escaped)) {
        iri_reading_set_ascii(request, &reading);
        return iri_read_as_sent(reader, &reading, out);
    }

    status = iri_source_init(reader);

    if (status == IRI_PATH_TOO_LONG || status == IRI_TOO_MANY_SEGMENTS
        || status == IRI_SEGMENT_TOO_LONG)
    {
        iri_reading_set_limit(request, &reading);
        return iri_read_as_sent(reader, &reading, out);
    }

    if (status != IRI_OK) {
        return status;
    }

    reading.octets = reader->source.octets;
    iri_target_count_high(reader);
    reading.raw = reader->raw != 0;

    status = iri_reader_answer(reader, &reading);
    if (status == IRI_OK) {
        *out = reading;

        iri_trace_verdict(reader->env, reading.verdict, reading.why);
    }

    return status;
}


iri_status_t
iri_read(const iri_env_t *env, const iri_reading_conf_t *conf,
         const iri_received_path_t *request, iri_reading_t *out)
{
    iri_reader_t reader = { .env = env, .conf = conf, .request = request };

    return iri_reader_read(&reader, out);
}


/* A trace prints the URI of each reading, so with a trace URIs are made. */
iri_status_t
iri_read_path(const iri_env_t *env, const iri_reading_conf_t *conf,
              const iri_received_path_t *request, iri_reading_t *out)
{
    iri_reader_t reader = { .env = env, .conf = conf, .request = request };

    reader.no_uri = !request->escaped && !env->trace;

    return iri_reader_read(&reader, out);
}
