/*
 * iri_normalization.c - characters that a name may contain, and NFC and NFD
 *
 * Puts a run of UTF-8 in NFC or NFD (UAX #15; draft 2.3 and 3.1).  Most of a
 * name is normalized already and is copied.  The rest is decomposed and
 * composed cluster by cluster, with the properties and mappings of ICU.  Three
 * characters whose NFC is ASCII are not normalized, because no mapping may
 * produce ASCII.
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include "unicode/iri_unicode.h"


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


static int
iri_char_is_jamo(uint32_t c)
{
    return c >= 0x1100 && c <= 0x11ff;
}


/* Canonical_Combining_Class of U+0300 to U+036F, which is stable. */
static const unsigned char iri_mark_class[0x70] = {
    230, 230, 230, 230, 230, 230, 230, 230, 230, 230, 230, 230, 230, 230,
    230, 230, 230, 230, 230, 230, 230, 232, 220, 220, 220, 220, 232, 216,
    220, 220, 220, 220, 220, 202, 202, 220, 220, 220, 220, 202, 202, 220,
    220, 220, 220, 220, 220, 220, 220, 220, 220, 220, 1,   1,   1,   1,
    1,   220, 220, 220, 220, 230, 230, 230, 230, 230, 230, 230, 230, 240,
    230, 220, 220, 220, 230, 230, 230, 220, 220, 0,   230, 230, 230, 220,
    220, 220, 220, 230, 232, 220, 220, 230, 233, 234, 234, 233, 234, 234,
    233, 230, 230, 230, 230, 230, 230, 230, 230, 230, 230, 230, 230, 230
};


/* Canonical_Combining_Class; 0: not a mark. */
static uint32_t
iri_char_class(uint32_t c)
{
    if (iri_char_is_inert(c) || iri_char_is_jamo(c)) {
        return 0;
    }

    return c < 0x0370 ? iri_mark_class[c - 0x0300]
                      : u_getCombiningClass((UChar32) c);
}


int
iri_char_is_mark(uint32_t c)
{
    return iri_char_class(c) != 0;
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


/*
 * Is c a character that may compose with the one before it, and does not
 * decompose?  Only those that names in NFD often contain are listed: marks,
 * vowels and final consonants of Hangul.  For any other character 0 only costs
 * time.
 */
static int
iri_char_composes_back(uint32_t c)
{
    return (c >= 0x0300 && c <= 0x033f) || c == 0x3099 || c == 0x309a
           || (c >= 0x1161 && c <= 0x1175) || (c >= 0x11a8 && c <= 0x11c2);
}


int
iri_char_has_boundary_before(uint32_t c)
{
    const UNormalizer2 *nfc;

    if (iri_char_is_inert(c)) {
        return 1;
    }

    if (iri_char_composes_back(c)) {
        return 0;
    }

    nfc = iri_normalizer(1);

    return nfc != NULL && unorm2_hasBoundaryBefore(nfc, (UChar32) c);
}


/* ---- clusters ------------------------------------------------------------ */

#define IRI_MAX_CLUSTER       (4 * IRI_MAX_SEGMENT) /* decomposed characters */
#define IRI_MAX_DECOMPOSITION 16 /* UTF-16 units of a decomposed character */

/* Characters in NFD that NFC may compose with each other. */
typedef struct {
    size_t   count;
    uint32_t c[IRI_MAX_CLUSTER]; /* combining class << 24 | character */
} iri_cluster_t;


/* Is c its own NFD, whatever its neighbours? */
static int
iri_char_stays_nfd(const UNormalizer2 *nfd, uint32_t c)
{
    return c < 0xc0 || (c >= 0x3400 && c <= 0x9fff) || iri_char_is_jamo(c)
           || unorm2_isInert(nfd, (UChar32) c);
}


/* Insert c in canonical order (the Unicode Standard, 3.11). */
static void
iri_cluster_insert(iri_cluster_t *cluster, uint32_t c)
{
    uint32_t class = iri_char_class(c);
    size_t i = cluster->count++;

    for (/* void */; class != 0 && i > 0 && cluster->c[i - 1] >> 24 > class;
         i--) {
        cluster->c[i] = cluster->c[i - 1];
    }

    cluster->c[i] = class << 24 | c;
}


/* Add the full canonical decomposition of c. */
static iri_status_t
iri_cluster_add(iri_cluster_t *cluster, const UNormalizer2 *nfd, uint32_t c)
{
    UErrorCode error = U_ZERO_ERROR;
    UChar      units[IRI_MAX_DECOMPOSITION];
    UChar32    part;
    int32_t    n = -1, i = 0;

    if (cluster->count > IRI_MAX_CLUSTER - IRI_MAX_DECOMPOSITION) {
        return IRI_SEGMENT_TOO_LONG;
    }

    if (!iri_char_composes_back(c) && !iri_char_stays_nfd(nfd, c)) {
        n = unorm2_getDecomposition(nfd, (UChar32) c, units,
                                    IRI_MAX_DECOMPOSITION, &error);
        if (U_FAILURE(error)) {
            return IRI_ICU_FAILED;
        }
    }

    if (n < 0) {
        iri_cluster_insert(cluster, c);
    }

    while (i < n) {
        U16_NEXT(units, i, n, part);
        iri_cluster_insert(cluster, (uint32_t) part);
    }

    return IRI_OK;
}


/*
 * Canonical composition (the Unicode Standard, 3.11): a character composes with
 * the base before it unless a character between them blocks it: another base,
 * or a mark of the same or a higher class.
 */
static void
iri_cluster_compose(iri_cluster_t *cluster, const UNormalizer2 *nfc)
{
    size_t   i, base = 0, count = 0;
    uint32_t last, class;
    UChar32  joined;
    int      has_base = 0;

    for (i = 0; i < cluster->count; i++) {
        class = cluster->c[i] >> 24;
        last = count != 0 ? cluster->c[count - 1] >> 24 : 0;

        if (has_base && (count == base + 1 || last < class)) {
            joined = unorm2_composePair(nfc, (UChar32) cluster->c[base],
                                        (UChar32) cluster->c[i] & 0xffffff);
            if (joined >= 0) {
                cluster->c[base] = (uint32_t) joined;
                continue;
            }
        }

        if (class == 0) {
            has_base = 1;
            base = count;
        }

        cluster->c[count++] = cluster->c[i];
    }

    cluster->count = count;
}


static iri_status_t
iri_cluster_put(const iri_env_t *env, const iri_cluster_t *cluster,
                iri_buf_t *out)
{
    unsigned char *to;
    size_t         i;
    iri_status_t   status;

    status = iri_buf_room(env, out, 4 * cluster->count);
    if (status != IRI_OK) {
        return status;
    }

    to = out->data + out->len;

    for (i = 0; i < cluster->count; i++) {
        to += iri_utf8_put(cluster->c[i] & 0xffffff, to);
    }

    out->len = (size_t) (to - out->data);

    return IRI_OK;
}


/* ---- runs ---------------------------------------------------------------- */

/* The normalizers of ICU; nfc NULL: normalize to NFD. */
typedef struct {
    const UNormalizer2 *nfd;
    const UNormalizer2 *nfc;
} iri_forms_t;


int
iri_char_keeps_form(uint32_t c)
{
    return c == 0x037e || c == 0x1fef || c == 0x212a;
}


/* Is c normalized, unless a following character composes with it? */
static int
iri_char_is_normalized(const iri_forms_t *forms, uint32_t c)
{
    return forms->nfc != NULL ? iri_char_is_inert(c)
                              : iri_char_stays_nfd(forms->nfd, c);
}


/*
 * Returns: number of octets at p that are known to be normalized: one character
 * or eight octets of ASCII; 0: not known.
 */
static size_t
iri_normalized_octets(const iri_forms_t *forms, const unsigned char *p,
                      const unsigned char *end)
{
    if (*p < 0x80) {
        return iri_is_graphic_eight(p, end) ? 8 : 1;
    }

    return forms->nfc != NULL ? iri_utf8_quick(p, end) : 0;
}


/*
 * Decompose the characters from p up to the next NFC boundary.
 * Returns: the end of these characters; NULL: an error, in *status.
 */
static const unsigned char *
iri_cluster_read(iri_cluster_t *cluster, const iri_forms_t *forms,
                 const unsigned char *p, const unsigned char *end,
                 iri_status_t *status)
{
    uint32_t c;
    size_t   n;

    cluster->count = 0;
    n = iri_utf8_next(p, end, &c);

    do {
        *status = n != 0 ? iri_cluster_add(cluster, forms->nfd, c)
                         : IRI_ICU_FAILED;

        if (*status != IRI_OK) {
            return NULL;
        }

        p += n;
        n = iri_utf8_next(p, end, &c);
    } while (n != 0 && !iri_char_keeps_form(c)
             && !iri_char_has_boundary_before(c));

    return p;
}


/*
 * Find the first cluster that normalization may change.  It begins with the
 * first character that is not normalized or, if these two may compose, with the
 * character before.
 * Returns: the beginning of the cluster; end: there is none.
 */
static const unsigned char *
iri_find_unnormalized(const iri_forms_t *forms, const unsigned char *p,
                      const unsigned char *end)
{
    const unsigned char *last = NULL;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_normalized_octets(forms, p, end);
        if (n != 0) {
            last = *p < 0x80 ? p + n - 1 : p;
            continue;
        }

        n = iri_utf8_next(p, end, &c);

        if (n != 0 && iri_char_keeps_form(c)) {
            last = NULL;
            continue;
        }

        if (n == 0 || !iri_char_is_normalized(forms, c)) {
            return last != NULL && n != 0 && !iri_char_has_boundary_before(c)
                       ? last
                       : p;
        }

        last = p;
    }

    return end;
}


static iri_status_t
iri_normalize(const iri_env_t *env, iri_str_t run, int compose,
              iri_buf_t *out)
{
    const unsigned char *p = run.data, *end = run.data + run.len, *to;
    iri_forms_t          forms = { iri_normalizer(0), NULL };
    iri_cluster_t        cluster;
    iri_status_t         status;

    forms.nfc = compose ? iri_normalizer(1) : NULL;

    if (forms.nfd == NULL || (compose && forms.nfc == NULL)) {
        return IRI_ICU_FAILED;
    }

    for (;;) {
        to = iri_find_unnormalized(&forms, p, end);
        status = iri_buf_put(env, out, p, (size_t) (to - p));

        if (status != IRI_OK || to == end) {
            return status;
        }

        p = iri_cluster_read(&cluster, &forms, to, end, &status);
        if (p == NULL) {
            return status;
        }

        if (compose) {
            iri_cluster_compose(&cluster, forms.nfc);
        }

        status = iri_cluster_put(env, &cluster, out);
        if (status != IRI_OK) {
            return status;
        }
    }
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
