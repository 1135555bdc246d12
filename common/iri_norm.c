/*
 * iri_norm.c - what characters a name may hold, and its normalization form
 *
 * Draft 2.3 and 3.1 want characters in NFC; ICU knows how.  Three characters
 * whose NFC is ASCII stay as they are, for no mapping may make an ASCII
 * character.
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "iri_int.h"

#define IRI_NORM_UNITS IRI_MAX_SEGMENT       /* UTF-16 units of a run */
#define IRI_NORM_GROWN (4 * IRI_MAX_SEGMENT) /* NFC, NFD: at most x 4 */


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


/*
 * NFC_Quick_Check=Yes and combining class 0, for the scripts that most names
 * are in; a character that is left out only costs a call of ICU.
 */
int
iri_char_is_inert(uint32_t c)
{
    if (c < 0x0300) {
        return 1;
    }

    if (c < 0x3000) {
        return (c >= 0x0388 && c <= 0x0482) /* Greek, Cyrillic */
               || (c >= 0x048a && c <= 0x052f)
               || (c >= 0x05d0 && c <= 0x05ea)  /* Hebrew letters */
               || (c >= 0x0620 && c <= 0x064a)  /* Arabic letters */
               || (c >= 0x0e01 && c <= 0x0e37)  /* Thai up to sara uee */
               || (c >= 0x1e00 && c <= 0x1eff); /* Latin, Vietnamese too */
    }

    return (c >= 0x3001 && c <= 0x3029)
           || (c >= 0x3030 && c <= 0x3098) /* kana but voiced marks */
           || (c >= 0x309b && c <= 0x33ff) || (c >= 0x4e00 && c <= 0x9fff)
           || (c >= 0xac00 && c <= 0xd7a3) /* Hangul syllables */
           || (c >= 0xff01 && c <= 0xffee);
}


int
iri_char_is_mark(uint32_t c)
{
    return c >= 0x0300 && u_getCombiningClass((UChar32) c) != 0;
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
iri_char_starts(uint32_t c)
{
    const UNormalizer2 *nfc;

    if (iri_char_is_inert(c)) {
        return 1;
    }

    nfc = iri_normalizer(1);

    return nfc != NULL && unorm2_hasBoundaryBefore(nfc, (UChar32) c);
}


/* Append run, which holds none of the three exceptions, normalized. */
static iri_status_t
iri_normalize_part(const iri_env_t *env, iri_str_t run, int compose,
                   iri_buf_t *out)
{
    UErrorCode          error = U_ZERO_ERROR;
    UChar               units[IRI_NORM_UNITS], grown[IRI_NORM_GROWN];
    unsigned char       utf8[4];
    UChar32             c;
    int32_t             n, i;
    iri_status_t        status = IRI_OK;
    const UNormalizer2 *normalizer = iri_normalizer(compose);

    if (normalizer == NULL) {
        return IRI_ICU_FAILED;
    }

    /* More characters than a segment may have octets: refused before. */
    if (run.len > 4 * IRI_NORM_UNITS) {
        return IRI_SEGMENT_TOO_LONG;
    }

    u_strFromUTF8(units, IRI_NORM_UNITS, &n, (const char *) run.data,
                  (int32_t) run.len, &error);
    n = unorm2_normalize(normalizer, units, n, grown, IRI_NORM_GROWN, &error);

    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    for (i = 0; i < n && status == IRI_OK; /* void */) {
        U16_NEXT(grown, i, n, c);
        status = iri_buf_put(env, out, utf8,
                             iri_utf8_put((uint32_t) c, utf8));
    }

    return status;
}


int
iri_char_stays(uint32_t c)
{
    return c == 0x037e || c == 0x1fef || c == 0x212a;
}


/* Octets of the exception that stands at p; 0: none does. */
static size_t
iri_stays(const unsigned char *p, const unsigned char *end)
{
    uint32_t c;
    size_t   n;

    n = iri_utf8_next(p, end, &c);

    return n != 0 && iri_char_stays(c) ? n : 0;
}


static iri_status_t
iri_normalize(const iri_env_t *env, iri_str_t run, int compose,
              iri_buf_t *out)
{
    const unsigned char *p, *end, *start;
    iri_str_t            part;
    iri_status_t         status;
    size_t               n;

    p = run.data;
    end = run.data + run.len;

    while (p < end) {
        for (start = p; p < end && iri_stays(p, end) == 0; p++) { /* void */
        }

        if (p > start) {
            part.data = start;
            part.len = (size_t) (p - start);

            status = iri_normalize_part(env, part, compose, out);
            if (status != IRI_OK) {
                return status;
            }
        }

        n = p < end ? iri_stays(p, end) : 0;

        status = iri_buf_put(env, out, p, n);
        if (status != IRI_OK) {
            return status;
        }

        p += n;
    }

    return IRI_OK;
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


iri_status_t
iri_nfc_piece(const iri_env_t *env, iri_str_t piece, iri_buf_t *out)
{
    const unsigned char *p = piece.data, *end = piece.data + piece.len;
    uint32_t             c;
    size_t               n, count = 0, marks = 0;
    int                  normalize = 0;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        marks = iri_char_is_mark(c) ? marks + 1 : 0;
        normalize |= !iri_char_is_inert(c);

        if (n == 0 || marks > IRI_MAX_MARKS || ++count > IRI_MAX_SEGMENT) {
            normalize = 0;
            break;
        }
    }

    return normalize ? iri_nfc_put(env, piece, out)
                     : iri_buf_put(env, out, piece.data, piece.len);
}


/* ---- characters one by one ----------------------------------------------- */

/* A base that no mark has absorbed stays as it came. */
iri_status_t
iri_run_normalize(const iri_env_t *env, iri_run_t *run,
                  iri_status_t (*by)(const iri_env_t *, iri_str_t,
                                     iri_buf_t *),
                  iri_ran_t *out)
{
    iri_status_t status;

    run->nfc.len = 0;
    status = by(env, iri_buf_str(&run->run), &run->nfc);

    if (status == IRI_OK) {
        out->rest = iri_buf_str(&run->nfc);
        out->changed = !iri_str_equal(out->rest, iri_buf_str(&run->run));

        if (out->rest.data[0] < 0x80) {
            out->rest = iri_str_from(out->rest, 1);
        } else {
            out->base = IRI_NO_BASE;
        }
    }

    return status;
}
