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
    size_t               base; /* octet of the ASCII character that is
                                        held back; NO_BASE: none is */
    iri_buf_t            run;  /* base and what is not ASCII after it */
    iri_buf_t            nfc;  /* the same, normalized */
} iri_segment_t;

#define NO_BASE ((size_t) -1)


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


/* The run, normalized; base keeps its escape if it is not absorbed. */
static iri_status_t
iri_put_normalized(iri_segment_t *segment)
{
    iri_str_t    rest;
    iri_status_t status;

    segment->nfc.len = 0;

    status = iri_nfc_put(segment->env, iri_buf_str(&segment->run),
                         &segment->nfc);
    if (status != IRI_OK) {
        return status;
    }

    rest = iri_buf_str(&segment->nfc);

    if (rest.data[0] < 0x80) {
        status = iri_put_ascii(segment, segment->base);
        rest = iri_str_from(rest, 1);
    }

    return status == IRI_OK ? iri_put_characters(segment, rest) : status;
}


/* End the piece that is being gathered. */
static iri_status_t
iri_piece_end(iri_segment_t *segment)
{
    iri_status_t status = IRI_OK;

    /* A base alone is ASCII, which NFC does not change. */
    if (segment->base != NO_BASE && segment->run.len == 1) {
        status = iri_put_ascii(segment, segment->base);

    } else if (segment->run.len != 0) {
        status = iri_put_normalized(segment);
    }

    segment->base = NO_BASE;
    segment->run.len = 0;

    return status;
}


static iri_status_t
iri_piece_put(iri_segment_t *segment, size_t at, uint32_t c)
{
    unsigned char utf8[4];
    iri_str_t     s;
    iri_status_t  status;

    if (c < 0x80) {
        status = iri_piece_end(segment);
        if (status != IRI_OK) {
            return status;
        }

        segment->base = at;
    }

    s = iri_character(c, utf8);

    return iri_buf_put(segment->env, &segment->run, s.data, s.len);
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
    iri_segment_t segment = { env, charset, source,        path,         uri,
                              0,   NO_BASE, IRI_BUF_EMPTY, IRI_BUF_EMPTY };

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
