/*
 * iri_segment_read.c - decodes one segment into canonical characters
 *
 * All segments are decoded, checked and normalized here. If a URI is needed
 * too, a segment is built in pieces: an ASCII character with the characters
 * above U+007F that follow it, because a combining mark may compose with it.
 * In the URI the ASCII character stays as sent, escaped or not. NFC has a
 * boundary before every ASCII character, so one piece cannot change another,
 * and a segment without a URI is put in NFC as a whole.
 */

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"

typedef struct {
    const iri_env_t     *env;
    const iri_charset_t *charset;
    const iri_source_t  *source;
    iri_buf_t           *path;
    iri_buf_t           *uri;     /* NULL: not needed */
    unsigned char       *decoded; /* buffer for the characters in UTF-8; NULL:
                                     not needed */
    size_t               decoded_len;
    int                  normalize; /* 1: NFC may change the segment */
    iri_nfc_run_t        run; /* the current piece, if uri is not NULL */
} iri_segment_t;


/* ---- first pass: decode and check ---------------------------------------- */

/*
 * Return 1 if the character with the octets [from, to) was sent raw. Octets
 * below 80, which gb18030 has in sequences, do not count, because clients do
 * not escape them.
 */
static int
iri_is_sent_raw(const iri_segment_t *segment, size_t from, size_t to)
{
    const iri_source_t *source = segment->source;

    if (source->escaped == NULL) {
        return iri_charset_is_utf8(segment->charset) ? source->raw_bidi
                                                     : source->raw_high;
    }

    for (/* void */; from < to; from++) {
        if (source->octets.data[from] >= 0x80 && !source->escaped[from]) {
            return 1;
        }
    }

    return 0;
}


/*
 * Return the number of octets at p that need no further check: ASCII, which is
 * the same in all charsets except percent, or UTF-8 that iri_utf8_quick()
 * accepts; else 0.
 */
static size_t
iri_segment_quick(const unsigned char *p, const unsigned char *end,
                  int legacy, int percent)
{
    if (*p < 0x80) {
        return percent ? 0 : iri_graphic_span(p, end);
    }

    return legacy ? 0 : iri_utf8_quick(p, end);
}


static void
iri_segment_keep_octets(iri_segment_t *segment, const unsigned char *octets,
                        size_t len)
{
    if (segment->decoded != NULL) {
        memcpy(segment->decoded + segment->decoded_len, octets, len);
        segment->decoded_len += len;
    }
}


static void
iri_segment_keep_character(iri_segment_t *segment, uint32_t c)
{
    if (segment->decoded != NULL) {
        segment->decoded_len += iri_utf8_put(c, segment->decoded
                                                    + segment->decoded_len);
    }
}


/* Return READ, or why the octets [from, to) have no reading in the charset. */
static iri_why_t
iri_segment_check(iri_segment_t *segment, size_t from, size_t to)
{
    const unsigned char *octets = segment->source->octets.data;
    int                  legacy = !iri_charset_is_utf8(segment->charset);
    int                  percent = iri_charset_is_percent(segment->charset);
    int                  inert = 1, bidi = 0;
    size_t               n, marks = 0, most_marks = 0;
    uint32_t             c;

    for (/* void */; from < to; from += n) {
        n = iri_segment_quick(octets + from, octets + to, legacy, percent);
        if (n != 0) {
            iri_segment_keep_octets(segment, octets + from, n);
            marks = 0;
            continue;
        }

        n = iri_charset_next(segment->charset, octets + from, octets + to,
                             &c);
        if (n == 0 || !iri_char_allowed(c, legacy)) {
            return IRI_WHY_UNREADABLE;
        }

        iri_segment_keep_character(segment, c);

        if (iri_char_is_inert(c)) {
            marks = 0;
            continue; /* neither a mark nor a bidi control */
        }

        bidi |= iri_char_is_bidi_control(c)
                && iri_is_sent_raw(segment, from, from + n);

        inert = 0;
        marks = iri_char_is_mark(c) ? marks + 1 : 0;
        most_marks = marks > most_marks ? marks : most_marks;
    }

    segment->normalize = !inert && most_marks <= IRI_MAX_MARKS;

    return bidi ? IRI_WHY_BIDI : IRI_WHY_READ;
}


/* ---- path and URI, piece by piece ---------------------------------------- */

/*
 * Append an ASCII character. In the URI it is escaped if it was sent escaped or
 * a URI cannot contain it.
 */
static iri_status_t
iri_put_ascii(const iri_segment_t *segment, size_t at)
{
    unsigned char c = segment->source->octets.data[at];
    iri_status_t  status;
    int           escaped;

    status = iri_buf_putc(segment->env, segment->path, c);
    if (status != IRI_OK) {
        return status;
    }

    escaped = !iri_is_path_char(c)
              || (segment->source->escaped != NULL
                  && segment->source->escaped[at]);

    return escaped ? iri_buf_put_escape(segment->env, segment->uri, c)
                   : iri_buf_putc(segment->env, segment->uri, c);
}


static iri_status_t
iri_put_characters(const iri_segment_t *segment, iri_str_t s)
{
    iri_status_t status;
    size_t       i;

    status = iri_buf_put(segment->env, segment->path, s.data, s.len);

    for (i = 0; status == IRI_OK && i < s.len; i++) {
        status = iri_buf_put_escape(segment->env, segment->uri, s.data[i]);
    }

    return status;
}


/* Encode a character in UTF-8. */
static iri_str_t
iri_character(uint32_t c, unsigned char utf8[4])
{
    iri_str_t s = { iri_utf8_put(c, utf8), utf8 };

    return s;
}


/* Append the current piece in NFC. In the URI its base stays as sent. */
static iri_status_t
iri_piece_end(iri_segment_t *segment)
{
    iri_nfc_run_result_t nfc;
    iri_status_t         status;

    status = iri_nfc_run_end(segment->env, &segment->run, iri_nfc_put, &nfc);

    if (status == IRI_OK && nfc.base != IRI_NO_BASE) {
        status = iri_put_ascii(segment, nfc.base);
    }

    return status == IRI_OK && nfc.rest.len != 0
               ? iri_put_characters(segment, nfc.rest)
               : status;
}


static iri_status_t
iri_piece_put(iri_segment_t *segment, size_t at, uint32_t c)
{
    iri_status_t status;

    if (c < 0x80) {
        status = iri_piece_end(segment);
        if (status != IRI_OK) {
            return status;
        }
    }

    return iri_nfc_run_add(segment->env, &segment->run, at, c);
}


static iri_status_t
iri_segment_put(iri_segment_t *segment, size_t from, size_t to)
{
    const unsigned char *octets = segment->source->octets.data;
    iri_status_t         status = IRI_OK;
    unsigned char        utf8[4];
    uint32_t             c;
    size_t               n;

    for (/* void */; status == IRI_OK && from < to; from += n) {
        n = iri_charset_next(segment->charset, octets + from, octets + to,
                             &c);

        if (segment->normalize) {
            status = iri_piece_put(segment, from, c);

        } else if (c < 0x80) {
            status = iri_put_ascii(segment, from);

        } else {
            status = iri_put_characters(segment, iri_character(c, utf8));
        }
    }

    return status == IRI_OK ? iri_piece_end(segment) : status;
}


/* ---- the segment --------------------------------------------------------- */

/* An octet decodes to at most three octets of UTF-8. */
#define IRI_MAX_DECODED (3 * IRI_MAX_SEGMENT)

/*
 * Append the segment to the path. The result may be longer than
 * IRI_MAX_SEGMENT.
 */
static iri_status_t
iri_segment_path(iri_segment_t *segment, size_t from, size_t to,
                 iri_why_t *why)
{
    unsigned char text[IRI_MAX_DECODED];
    iri_str_t     octets = { to - from, segment->source->octets.data + from };

    if (!iri_charset_is_utf8(segment->charset)) {
        segment->decoded = text;
        octets.data = text;
    }

    *why = iri_segment_check(segment, from, to);

    if (segment->decoded != NULL) {
        octets.len = segment->decoded_len;
        segment->decoded = NULL;
    }

    if (*why != IRI_WHY_READ) {
        return IRI_OK;
    }

    return segment->normalize
               ? iri_nfc_put(segment->env, octets, segment->path)
               : iri_buf_put(segment->env, segment->path, octets.data,
                             octets.len);
}


static iri_status_t
iri_segment_path_and_uri(iri_segment_t *segment, size_t from, size_t to,
                         iri_why_t *why)
{
    *why = iri_segment_check(segment, from, to);

    return *why == IRI_WHY_READ ? iri_segment_put(segment, from, to) : IRI_OK;
}


static void
iri_segment_init(iri_segment_t *segment, const iri_env_t *env,
                 const iri_charset_t *charset, const iri_source_t *source,
                 iri_buf_t *path, iri_buf_t *uri)
{
    static const iri_nfc_run_t empty = IRI_RUN_EMPTY;

    segment->env = env;
    segment->charset = charset;
    segment->source = source;
    segment->path = path;
    segment->uri = uri;
    segment->decoded = NULL;
    segment->decoded_len = 0;
    segment->normalize = 0;

    if (uri != NULL) {
        segment->run = empty;
    }
}


iri_status_t
iri_segment_read(const iri_env_t *env, const iri_charset_t *charset,
                 const iri_source_t *source, size_t from, size_t to,
                 iri_buf_t *path, iri_buf_t *uri, iri_why_t *why)
{
    iri_str_t octets = { to - from, iri_str_from(source->octets, from).data };
    size_t    path_len = path->len;
    size_t    uri_len = uri != NULL ? uri->len : 0;
    iri_segment_t segment;
    iri_status_t  status;

    if (to - from > IRI_MAX_SEGMENT) {
        *why = IRI_WHY_LIMIT;
        return IRI_OK;
    }

    /* Graphic ASCII is the same in every other charset and in NFC. */
    if (uri == NULL && iri_is_graphic(octets)
        && !iri_charset_is_percent(charset)) {
        *why = IRI_WHY_READ;
        return iri_buf_put(env, path, octets.data, octets.len);
    }

    iri_segment_init(&segment, env, charset, source, path, uri);

    status = uri == NULL ? iri_segment_path(&segment, from, to, why)
                         : iri_segment_path_and_uri(&segment, from, to, why);

    if (status == IRI_OK && path->len - path_len > IRI_MAX_SEGMENT) {
        *why = IRI_WHY_LIMIT;
        path->len = path_len;

        if (uri != NULL) {
            uri->len = uri_len;
        }
    }

    return status;
}


/* Octets of UTF-8 for an octet: at most 3 by decoding, and NFC triples them. */
#define IRI_MAX_GROWTH 9

/* The canonical segment is built only if it may exceed IRI_MAX_SEGMENT. */
iri_status_t
iri_segment_is_read(const iri_env_t *env, const iri_charset_t *charset,
                    const iri_source_t *source, size_t from, size_t to,
                    int *read)
{
    iri_buf_t     path = IRI_BUF_EMPTY;
    iri_segment_t segment;
    iri_status_t  status = IRI_OK;
    iri_why_t     why;

    if (to - from <= IRI_MAX_SEGMENT / IRI_MAX_GROWTH) {
        iri_segment_init(&segment, env, charset, source, &path, NULL);
        why = iri_segment_check(&segment, from, to);

    } else {
        status = iri_segment_read(env, charset, source, from, to, &path, NULL,
                                  &why);
    }

    *read = status == IRI_OK && why == IRI_WHY_READ;

    return status;
}
