/*
 * iri_bidi.c - IRIs with right-to-left characters
 *
 * iri_bidi_check: an IRI -> warnings about its structure (draft 4.2).
 * iri_visual_order: an IRI -> its characters in visual order, by draft 4.1
 * (UAX #9), or component by component by the older draft-masinter-url-i18n-05,
 * 2.4.  ICU implements UAX #9.
 */

#include <unicode/ubidi.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"
#include "iriref/iri_iriref.h"


/* ---- structure ----------------------------------------------------------- */

/* The character that violates a rule of draft 4.2. */
typedef struct {
    int      found; /* 0: there is none */
    uint32_t character;
    size_t   offset; /* in the text, in octets */
} iri_violation_t;


static int
iri_is_rtl(UCharDirection direction)
{
    return direction == U_RIGHT_TO_LEFT
           || direction == U_RIGHT_TO_LEFT_ARABIC;
}


/*
 * Find the first left-to-right character of a piece, and the first or the last
 * character (apart from marks, which belong to the preceding character) that is
 * not right-to-left.  Returns: 1 if the piece has a right-to-left character.
 */
static int
iri_directions_read(iri_str_t text, iri_str_t piece, iri_violation_t *ltr,
                    iri_violation_t *edge)
{
    const unsigned char *p = piece.data, *end = p + piece.len;
    UCharDirection       direction;
    iri_violation_t      here = { 1, 0, 0 };
    uint32_t             c;
    size_t               n;
    int                  has_rtl = 0, starts_other = 0;

    ltr->found = edge->found = 0;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        /* Invalid UTF-8 is treated as a neutral character. */
        if (n == 0) {
            n = 1;
            c = 0xfffd;
        }

        direction = u_charDirection((UChar32) c);
        here.character = c;
        here.offset = (size_t) (p - text.data);

        if (direction == U_LEFT_TO_RIGHT && !ltr->found) {
            *ltr = here;
        }

        if (iri_is_rtl(direction)) {
            has_rtl = 1;
            edge->found = starts_other;

        } else if (p == piece.data) {
            starts_other = 1;
            *edge = here;

        } else if (direction != U_DIR_NON_SPACING_MARK && !starts_other) {
            *edge = here;
        }
    }

    return has_rtl;
}


iri_status_t
iri_bidi_check(iri_str_t text, iri_warn_t warn, void *arg)
{
    iri_pieces_t    pieces;
    iri_piece_t     piece;
    iri_violation_t violations[2];
    iri_warning_t   warning;
    iri_status_t    status = IRI_OK;
    size_t          i;

    text = iri_str_non_null(text);

    /* ASCII has no right-to-left characters. */
    if (iri_str_is_ascii(text)) {
        return IRI_OK;
    }

    memset(&warning, 0, sizeof(warning));
    iri_pieces_init(text, &pieces);

    while (status == IRI_OK && iri_pieces_next(&pieces, &piece)) {
        if (!iri_directions_read(text, piece.text, &violations[0],
                                 &violations[1])) {
            continue;
        }

        warning.component = piece.component;
        warning.piece = piece.text;

        for (i = 0; status == IRI_OK && i < 2; i++) {
            warning.kind = i == 0 ? IRI_WARN_BIDI_MIXED : IRI_WARN_BIDI_EDGE;
            warning.offset = violations[i].offset;
            warning.character = violations[i].character;

            if (violations[i].found) {
                status = warn(arg, &warning);
            }
        }
    }

    return status;
}


/* ---- the UTF-16 of ICU --------------------------------------------------- */

iri_status_t
iri_utf16(const iri_env_t *env, iri_str_t text, UChar **units, int32_t *count)
{
    UErrorCode error = U_ZERO_ERROR;

    /* UTF-16 has at most as many units as UTF-8 has octets. */
    *units = env->alloc(env->ctx, (text.len + 1) * sizeof(UChar));
    if (*units == NULL) {
        return IRI_NO_MEMORY;
    }

    u_strFromUTF8(*units, (int32_t) text.len + 1, count,
                  (const char *) text.data, (int32_t) text.len, &error);

    return U_SUCCESS(error) ? IRI_OK : IRI_ICU_FAILED;
}


iri_status_t
iri_converted_set_utf16(const iri_env_t *env, const UChar *units,
                        int32_t count, iri_converted_t *out)
{
    UErrorCode error = U_ZERO_ERROR;
    char      *utf8;
    int32_t    len;

    /* A unit of UTF-16 takes at most 3 octets of UTF-8. */
    utf8 = env->alloc(env->ctx, 3 * (size_t) count + 1);
    if (utf8 == NULL) {
        return IRI_NO_MEMORY;
    }

    u_strToUTF8(utf8, 3 * count + 1, &len, units, count, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    iri_converted_set(out, iri_str_between((unsigned char *) utf8,
                                           (unsigned char *) utf8 + len));

    return IRI_OK;
}


/* ---- order --------------------------------------------------------------- */

/*
 * reserved of RFC 2396, and "#": the older order divides the IRI at these
 * characters and keeps their positions.
 */
static int
iri_is_component_delimiter(UChar unit)
{
    return unit == ';' || unit == '/' || unit == '?' || unit == ':'
           || unit == '@' || unit == '&' || unit == '=' || unit == '+'
           || unit == '$' || unit == ',' || unit == '[' || unit == ']'
           || unit == '#';
}


static void
iri_reorder(UBiDi *bidi, const UChar *from, int32_t count, UChar *to,
            UErrorCode *error)
{
    ubidi_setPara(bidi, from, count, 0, NULL, error);
    ubidi_writeReordered(bidi, to, count,
                         UBIDI_DO_MIRRORING | UBIDI_KEEP_BASE_COMBINING,
                         error);

    /* The output has exactly count units; no NUL is needed. */
    if (*error == U_STRING_NOT_TERMINATED_WARNING) {
        *error = U_ZERO_ERROR;
    }
}


static void
iri_reorder_components(UBiDi *bidi, const UChar *from, int32_t count,
                       UChar *to, UErrorCode *error)
{
    int32_t i, start = 0;

    for (i = 0; i <= count && U_SUCCESS(*error); i++) {
        if (i < count && !iri_is_component_delimiter(from[i])) {
            continue;
        }

        if (i > start) {
            iri_reorder(bidi, from + start, i - start, to + start, error);
        }

        if (i < count) {
            to[i] = from[i];
        }

        start = i + 1;
    }
}


/* Write count units of `from` to `to` in visual order. */
static iri_status_t
iri_reorder_all(iri_visual_t order, const UChar *from, int32_t count,
                UChar *to)
{
    UErrorCode error = U_ZERO_ERROR;
    UBiDi     *bidi;

    bidi = ubidi_open();
    if (bidi == NULL) {
        return IRI_NO_MEMORY;
    }

    if (order == IRI_VISUAL_COMPONENTS) {
        iri_reorder_components(bidi, from, count, to, &error);
    } else if (count != 0) {
        iri_reorder(bidi, from, count, to, &error);
    }

    ubidi_close(bidi);

    if (error == U_MEMORY_ALLOCATION_ERROR) {
        return IRI_NO_MEMORY;
    }

    return U_SUCCESS(error) ? IRI_OK : IRI_ICU_FAILED;
}


iri_status_t
iri_visual_order(const iri_env_t *env, iri_visual_t order, iri_str_t text,
                 iri_converted_t *out)
{
    UChar       *from, *to;
    int32_t      count;
    size_t       span;
    iri_status_t status;

    text = iri_str_non_null(text);
    span = iri_charset_span(&iri_charset_utf8, text);

    if (text.len > IRI_MAX_TEXT || span != text.len) {
        return text.len > IRI_MAX_TEXT
                   ? iri_converted_reject(out, "is too long", IRI_MAX_TEXT)
                   : iri_converted_reject(out, "is not UTF-8", span);
    }

    status = iri_utf16(env, text, &from, &count);
    if (status != IRI_OK) {
        return status;
    }

    to = env->alloc(env->ctx, ((size_t) count + 1) * sizeof(UChar));
    if (to == NULL) {
        return IRI_NO_MEMORY;
    }

    status = iri_reorder_all(order, from, count, to);

    return status == IRI_OK ? iri_converted_set_utf16(env, to, count, out)
                            : status;
}
