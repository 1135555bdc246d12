/*
 * iri_segment.c - one segment: octets in, canonical characters out
 *
 * Decoding, normalization and the check after each of them happen here and
 * nowhere else.  A segment is read piece by piece: ASCII stands for itself;
 * what is not ASCII is put in NFC together with the ASCII character before it,
 * for a combining mark may join that.  No piece can change another, since NFC
 * has a boundary before every ASCII character.
 */

#include "iri_int.h"

typedef struct {
    const iri_env_t     *env;
    const iri_charset_t *charset;
    const iri_source_t  *source;
    iri_buf_t           *path;
    iri_buf_t           *uri; /* NULL: not wanted */
    int                  normalize;
    iri_run_t            run; /* what is being gathered */
} iri_segment_t;


/* ---- first pass: can it be read, must it be normalized? ------------------ */

/*
 * Did the character whose octets are [from, to) come raw?  Its ASCII octets
 * (gb18030 has some) do not tell: nobody escapes those.
 */
static int
iri_came_raw(const iri_segment_t *segment, size_t from, size_t to)
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


static iri_why_t
iri_segment_check(iri_segment_t *segment, size_t from, size_t to)
{
    const unsigned char *octets = segment->source->octets.data;
    int                  legacy = !iri_charset_is_utf8(segment->charset);
    int                  inert = 1, bidi = 0;
    size_t               n, marks = 0, most = 0;
    uint32_t             c;

    for (/* void */; from < to; from += n) {
        n = legacy ? 0 : iri_utf8_quick(octets + from, octets + to);
        if (n != 0) {
            marks = 0;
            continue;
        }

        n = iri_charset_next(segment->charset, octets + from, octets + to,
                             &c);
        if (n == 0 || !iri_char_allowed(c, legacy)) {
            return IRI_WHY_UNREADABLE;
        }

        if (c >= 0xa0 && iri_char_is_inert(c)) {
            marks = 0;
            continue; /* no mark, no bidi control */
        }

        bidi |= iri_char_is_bidi_control(c)
                && iri_came_raw(segment, from, from + n);

        inert &= iri_char_is_inert(c);
        marks = iri_char_is_mark(c) ? marks + 1 : 0;
        most = marks > most ? marks : most;
    }

    segment->normalize = !inert && most <= IRI_MAX_MARKS;

    return bidi ? IRI_WHY_BIDI : IRI_WHY_READ;
}


/* ---- second pass: piece by piece ----------------------------------------- */

/* An ASCII character as it came: escaped if it was, or must be. */
static iri_status_t
iri_put_ascii(const iri_segment_t *segment, size_t at)
{
    unsigned char c = segment->source->octets.data[at];
    iri_status_t  status;
    int           escaped;

    status = iri_buf_putc(segment->env, segment->path, c);

    if (status != IRI_OK || segment->uri == NULL) {
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

    for (i = 0; status == IRI_OK && segment->uri != NULL && i < s.len; i++) {
        status = iri_buf_put_escape(segment->env, segment->uri, s.data[i]);
    }

    return status;
}


/* A character as UTF-8. */
static iri_str_t
iri_character(uint32_t c, unsigned char utf8[4])
{
    iri_str_t s = { iri_utf8_put(c, utf8), utf8 };

    return s;
}


/* End the piece that is being gathered: its base keeps its escape. */
static iri_status_t
iri_piece_end(iri_segment_t *segment)
{
    iri_ran_t    ran;
    iri_status_t status;

    status = iri_run_end(segment->env, &segment->run, iri_nfc_put, &ran);

    if (status == IRI_OK && ran.base != IRI_NO_BASE) {
        status = iri_put_ascii(segment, ran.base);
    }

    return status == IRI_OK && ran.rest.len != 0
               ? iri_put_characters(segment, ran.rest)
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

    return iri_run_add(segment->env, &segment->run, at, c);
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


iri_status_t
iri_segment_read(const iri_env_t *env, const iri_charset_t *charset,
                 const iri_source_t *source, size_t from, size_t to,
                 iri_buf_t *path, iri_buf_t *uri, iri_why_t *why)
{
    iri_str_t octets = { to - from, iri_str_from(source->octets, from).data };
    iri_segment_t segment = { env, charset, source,       path,
                              uri, 0,       IRI_RUN_EMPTY };

    size_t       path_len = path->len;
    size_t       uri_len = uri != NULL ? uri->len : 0;
    iri_status_t status;

    if (to - from > IRI_MAX_SEGMENT) {
        *why = IRI_WHY_LIMIT;
        return IRI_OK;
    }

    /* The same in every charset, and in NFC. */
    if (uri == NULL && iri_is_graphic(octets)) {
        *why = IRI_WHY_READ;
        return iri_buf_put(env, path, octets.data, octets.len);
    }

    *why = iri_segment_check(&segment, from, to);
    if (*why != IRI_WHY_READ) {
        return IRI_OK;
    }

    if (uri == NULL && !segment.normalize && iri_charset_is_utf8(charset)) {
        return iri_buf_put(env, path, octets.data, octets.len);
    }

    status = iri_segment_put(&segment, from, to);

    if (status == IRI_OK && path->len - path_len > IRI_MAX_SEGMENT) {
        *why = IRI_WHY_LIMIT;
        path->len = path_len;

        if (uri != NULL) {
            uri->len = uri_len;
        }
    }

    return status;
}
