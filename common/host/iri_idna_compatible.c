/*
 * iri_idna_compatible.c - the older mapping of host names
 *
 * Implements section 3, steps 1 and 2, of "IDNA Compatible Preprocessing", the
 * predecessor of UTS #46.  Each character is mapped by the table of section 6,
 * which is computed from character properties of ICU, and the result is
 * normalized to NFC.  iri_host.c then divides it into labels and applies
 * IDNA2008, because the mapping can produce dots (from U+2488, for example).
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include "unicode/iri_unicode.h"
#include "host/iri_idna.h"

/* In UTF-16 units: U+FDFA becomes 18 units, folding at most triples them. */
#define IRI_NFKC_UNITS   64
#define IRI_FOLDED_UNITS (3 * IRI_NFKC_UNITS)

#define IRI_IDEOGRAPHIC_STOP 0x3002

typedef struct {
    iri_buf_t run;        /* characters since the last dot, mapped */
    size_t    characters; /* number of characters in run */
    size_t    marks;      /* number of combining marks at the end of run */
} iri_compatible_t;


/* ---- the table (section 6) ----------------------------------------------- */

/* 6.1: X -> ""; unassigned code points are not in this table. */
static int
iri_is_removed(UChar32 c)
{
    return u_charType(c) != U_UNASSIGNED
           && !u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL)
           && (c == 0x1806 || u_hasBinaryProperty(c, UCHAR_VARIATION_SELECTOR)
               || u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT));
}


/* 6.3: X -> X; so are unassigned code points. */
static int
iri_is_unchanged(UChar32 c)
{
    return c == 0x00df || c == 0x03c2
           || u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL)
           || u_charType(c) == U_UNASSIGNED;
}


/*
 * toNFKC(toCaseFold(toNFKC(c))); 6.2: if the first step gives U+3002, a dot.
 */
static int32_t
iri_compatible_fold(UChar32 c, UChar *out, UErrorCode *error)
{
    const UNormalizer2 *nfkc = unorm2_getNFKCInstance(error);
    UChar               unit[2], mapped[IRI_NFKC_UNITS];
    UChar               folded[IRI_FOLDED_UNITS];
    int32_t             n = 0;

    if (U_FAILURE(*error)) {
        return 0;
    }

    U16_APPEND_UNSAFE(unit, n, c);
    n = unorm2_normalize(nfkc, unit, n, mapped, IRI_NFKC_UNITS, error);

    if (U_SUCCESS(*error) && n == 1 && mapped[0] == IRI_IDEOGRAPHIC_STOP) {
        out[0] = '.';
        return 1;
    }

    n = u_strFoldCase(folded, IRI_FOLDED_UNITS, mapped, n,
                      U_FOLD_CASE_DEFAULT, error);

    return unorm2_normalize(nfkc, folded, n, out, IRI_FOLDED_UNITS, error);
}


/* ---- mapping (section 3) ------------------------------------------------- */

/* Append the label in run in NFC; normalization never crosses a dot. */
static iri_status_t
iri_compatible_end_label(const iri_env_t *env, iri_compatible_t *map,
                         iri_buf_t *unicode)
{
    iri_str_t run = iri_buf_str(&map->run);

    map->run.len = map->characters = map->marks = 0;

    return run.len != 0 ? iri_nfc_put(env, run, unicode) : IRI_OK;
}


/*
 * Append a mapped character.  NFC composes at most four characters to one, so
 * a run of more than IRI_MAX_LABEL is too long for an A-label after NFC, too.
 */
static iri_status_t
iri_compatible_put(const iri_env_t *env, iri_compatible_t *map, UChar32 c,
                   iri_buf_t *unicode, iri_host_why_t *why)
{
    unsigned char utf8[4];
    iri_status_t  status;

    if (c == '.') {
        status = iri_compatible_end_label(env, map, unicode);
        return status == IRI_OK ? iri_buf_putc(env, unicode, '.') : status;
    }

    map->marks = iri_char_is_mark((uint32_t) c) ? map->marks + 1 : 0;

    if (++map->characters > IRI_MAX_LABEL || map->marks > IRI_MAX_MARKS) {
        *why = IRI_HOST_LIMIT;
        return IRI_OK;
    }

    return iri_buf_put(env, &map->run, utf8,
                       iri_utf8_put((uint32_t) c, utf8));
}


/* Map one character of the host. */
static iri_status_t
iri_compatible_char(const iri_env_t *env, iri_compatible_t *map, UChar32 c,
                    iri_buf_t *unicode, iri_host_why_t *why)
{
    UErrorCode   error = U_ZERO_ERROR;
    UChar        units[IRI_FOLDED_UNITS];
    iri_status_t status = IRI_OK;
    int32_t      n, i = 0;

    if (iri_is_removed(c)) {
        return IRI_OK;
    }

    if (iri_is_unchanged(c)) {
        return iri_compatible_put(env, map, c, unicode, why);
    }

    n = iri_compatible_fold(c, units, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    while (status == IRI_OK && *why == IRI_HOST_MAPPED && i < n) {
        U16_NEXT(units, i, n, c);
        status = iri_compatible_put(env, map, c, unicode, why);
    }

    return status;
}


iri_status_t
iri_idna_compatible_map(const iri_env_t *env, iri_str_t host,
                        iri_buf_t *unicode, iri_host_why_t *why)
{
    const unsigned char *p = host.data, *end = host.data + host.len;
    iri_compatible_t     map = { IRI_BUF_EMPTY, 0, 0 };
    iri_status_t         status = IRI_OK;
    uint32_t             c;

    *why = IRI_HOST_MAPPED;

    while (status == IRI_OK && *why == IRI_HOST_MAPPED && p < end) {
        p += iri_utf8_next(p, end, &c);
        status = iri_compatible_char(env, &map, (UChar32) c, unicode, why);
    }

    if (status != IRI_OK || *why != IRI_HOST_MAPPED) {
        return status;
    }

    return iri_compatible_end_label(env, &map, unicode);
}
