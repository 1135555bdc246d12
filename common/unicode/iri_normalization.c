/*
 * iri_normalization.c - characters that a name may contain, and NFC and NFD
 *
 * Puts a run of UTF-8 in NFC or NFD by ICU (UAX #15; draft 2.3 and 3.1).  Three
 * characters whose NFC is ASCII are not normalized, because no mapping may
 * produce ASCII.
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include "unicode/iri_units.h"


int
iri_char_allowed(uint32_t c, int legacy)
{
    if (c < 0x20 || (c >= 0x7f && c <= 0x9f)) {
        return 0;
    }

    if (legacy) {
        return c != 0xfffd && (c & 0xfffe) != 0xfffe
               && (c < 0xfdd0 || c > 0xfdef);
    }

    return 1;
}


int
iri_char_is_bidi_control(uint32_t c)
{
    return c == 0x061c || c == 0x200e || c == 0x200f
           || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}


int
iri_char_is_ucs(uint32_t c)
{
    return c >= 0xa0 && !(c >= 0xd800 && c <= 0xf8ff)
           && !(c >= 0xfdd0 && c <= 0xfdef) && !(c >= 0xfff0 && c <= 0xffff)
           && (c & 0xfffe) != 0xfffe && !(c >= 0xe0000 && c <= 0xe0fff)
           && c < 0xf0000 && !iri_char_is_bidi_control(c);
}


int
iri_char_is_mark(uint32_t c)
{
    return !iri_char_is_inert(c) && u_getCombiningClass((UChar32) c) != 0;
}


static const UNormalizer2 *
iri_normalizer(int compose)
{
    UErrorCode          error = U_ZERO_ERROR;
    const UNormalizer2 *normalizer;

    normalizer = compose ? unorm2_getNFCInstance(&error)
                         : unorm2_getNFDInstance(&error);

    return U_SUCCESS(error) ? normalizer : NULL;
}


int
iri_norm_ready(void)
{
    return iri_normalizer(1) != NULL && iri_normalizer(0) != NULL;
}


iri_status_t
iri_compose(uint32_t base, uint32_t mark, uint32_t *c)
{
    const UNormalizer2 *nfc = iri_normalizer(1);
    UChar32             composed;

    if (nfc == NULL) {
        return IRI_ICU_FAILED;
    }

    composed = unorm2_composePair(nfc, (UChar32) base, (UChar32) mark);
    *c = composed > 0 ? (uint32_t) composed : 0;

    return IRI_OK;
}


int
iri_char_has_boundary_before(uint32_t c)
{
    const UNormalizer2 *nfc;

    if (iri_char_is_inert(c)) {
        return 1;
    }

    nfc = iri_normalizer(1);

    return nfc != NULL && unorm2_hasBoundaryBefore(nfc, (UChar32) c);
}


/* ---- UTF-16, in which ICU normalizes ------------------------------------- */

/*
 * Is c U+037E, U+1FEF or U+212A?  These are not normalized, because their NFC
 * is ASCII.
 */
static int
iri_char_keeps_form(uint32_t c)
{
    return c == 0x037e || c == 0x1fef || c == 0x212a;
}


int
iri_units_put(iri_units_t *to, uint32_t c)
{
    if (to->len + U16_LENGTH(c) > IRI_MAX_UNITS) {
        return 0;
    }

    U16_APPEND_UNSAFE(to->units, to->len, c);

    return 1;
}


iri_status_t
iri_units_write(const iri_env_t *env, const iri_units_t *s, iri_buf_t *out)
{
    iri_status_t status;
    UChar32      c;
    int32_t      i;

    /* At most three octets for a unit; a surrogate pair has four. */
    status = iri_buf_room(env, out, 3 * (size_t) s->len);

    for (i = 0; i < s->len && status == IRI_OK; /* void */) {
        U16_NEXT(s->units, i, s->len, c);
        out->len += iri_utf8_put((uint32_t) c, out->data + out->len);
    }

    return status;
}


void
iri_units_normalize(iri_units_t *s, int compose, UErrorCode *error)
{
    const UNormalizer2 *normalizer = iri_normalizer(compose);
    iri_units_t         from;
    int32_t             i, end;

    if (normalizer == NULL) {
        *error = U_INTERNAL_PROGRAM_ERROR;
    }

    if (U_FAILURE(*error)
        || unorm2_spanQuickCheckYes(normalizer, s->units, s->len, error)
               == s->len)
    {
        return;
    }

    from.len = s->len;
    u_memcpy(from.units, s->units, s->len);
    s->len = 0;

    for (i = 0; i < from.len && U_SUCCESS(*error); i = end + 1) {
        for (end = i; end < from.len && !iri_char_keeps_form(from.units[end]);
             end++) {
            /* void */
        }

        s->len += unorm2_normalize(normalizer, from.units + i, end - i,
                                   s->units + s->len, IRI_MAX_UNITS - s->len,
                                   error);

        if (end < from.len && U_SUCCESS(*error)
            && !iri_units_put(s, from.units[end])) {
            *error = U_BUFFER_OVERFLOW_ERROR;
        }
    }
}


/* ---- UTF-8 --------------------------------------------------------------- */

static iri_status_t
iri_normalize(const iri_env_t *env, iri_str_t run, int compose,
              iri_buf_t *out)
{
    const unsigned char *p = run.data, *end = run.data + run.len;
    iri_units_t          s;
    UErrorCode           error = U_ZERO_ERROR;
    uint32_t             c;
    size_t               n;

    s.len = 0;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next_quick(p, end, &c);
        if (n == 0) {
            return IRI_ICU_FAILED;
        }

        if (!iri_units_put(&s, c)) {
            return IRI_SEGMENT_TOO_LONG;
        }
    }

    iri_units_normalize(&s, compose, &error);

    return U_SUCCESS(error)                   ? iri_units_write(env, &s, out)
           : error == U_BUFFER_OVERFLOW_ERROR ? IRI_SEGMENT_TOO_LONG
                                              : IRI_ICU_FAILED;
}


iri_status_t
iri_nfc_put(const iri_env_t *env, iri_str_t run, iri_buf_t *out)
{
    return iri_normalize(env, run, 1, out);
}


iri_status_t
iri_nfd_put(const iri_env_t *env, iri_str_t run, iri_buf_t *out)
{
    return iri_normalize(env, run, 0, out);
}


/* As iri_nfc_put_piece(); compose 0: in NFD. */
static iri_status_t
iri_normalize_piece(const iri_env_t *env, iri_str_t piece, int compose,
                    iri_buf_t *out)
{
    const unsigned char *p = piece.data, *end = piece.data + piece.len;
    uint32_t             c;
    size_t               n, count = 0, marks = 0;
    int                  normalize = !compose;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        marks = iri_char_is_mark(c) ? marks + 1 : 0;
        normalize |= !iri_char_is_inert(c);

        if (n == 0 || marks > IRI_MAX_MARKS || ++count > IRI_MAX_SEGMENT) {
            normalize = 0;
            break;
        }
    }

    return normalize ? iri_normalize(env, piece, compose, out)
                     : iri_buf_put(env, out, piece.data, piece.len);
}


iri_status_t
iri_nfc_put_piece(const iri_env_t *env, iri_str_t piece, iri_buf_t *out)
{
    return iri_normalize_piece(env, piece, 1, out);
}


/* ---- characters one by one ----------------------------------------------- */

iri_status_t
iri_nfc_run_normalize(const iri_env_t *env, iri_nfc_run_t *run,
                      iri_status_t (*put)(const iri_env_t *, iri_str_t,
                                          iri_buf_t *),
                      iri_nfc_run_result_t *out)
{
    iri_status_t status;

    run->nfc.len = 0;
    status = put(env, iri_buf_str(&run->run), &run->nfc);

    if (status == IRI_OK) {
        out->rest = iri_buf_str(&run->nfc);
        out->changed = !iri_str_equal(out->rest, iri_buf_str(&run->run));

        /* A base that was not composed stays as sent. */
        if (out->rest.data[0] < 0x80) {
            out->rest = iri_str_from(out->rest, 1);
        } else {
            out->base = IRI_NO_BASE;
        }
    }

    return status;
}


/* ---- texts of any length ------------------------------------------------- */

iri_str_t
iri_text_piece(iri_str_t text, int (*starts)(uint32_t c))
{
    const unsigned char *p = text.data, *end = p + text.len;
    uint32_t             c;
    size_t               n;

    for (p += iri_utf8_next(p, end, &c); p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (starts(c)) {
            break;
        }
    }

    text.len = (size_t) (p - text.data);

    return text;
}


iri_status_t
iri_normalize_text(const iri_env_t *env, iri_str_t text, int compose,
                   iri_buf_t *out)
{
    iri_status_t status = IRI_OK;
    iri_str_t    piece;
    size_t       at;

    for (at = 0; status == IRI_OK && at < text.len; at += piece.len) {
        piece = iri_text_piece(iri_str_from(text, at),
                               iri_char_has_boundary_before);
        status = iri_normalize_piece(env, piece, compose, out);
    }

    return status;
}


iri_status_t
iri_nfc_put_text(const iri_env_t *env, iri_str_t text, iri_buf_t *out)
{
    return iri_normalize_text(env, text, 1, out);
}
