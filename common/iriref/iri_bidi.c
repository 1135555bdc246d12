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

/* The directions of the characters of a piece. */
typedef struct {
    int      has_ltr;        /* has a left-to-right character */
    int      has_rtl;        /* has a right-to-left character */
    int      starts_rtl;     /* begins with a right-to-left character */
    int      ends_rtl;       /* ends with one, apart from marks */
    uint32_t ltr_character;  /* the first left-to-right character */
    size_t   ltr_offset;     /* its offset in the text, in octets */
    uint32_t edge_character; /* the first or last character, if not
                                right-to-left */
    size_t   edge_offset;    /* its offset in the text, in octets */
} iri_directions_t;


static void
iri_directions_add(iri_directions_t *directions, uint32_t c, size_t offset,
                   int is_first)
{
    UCharDirection direction = u_charDirection((UChar32) c);
    int            right = direction == U_RIGHT_TO_LEFT
                || direction == U_RIGHT_TO_LEFT_ARABIC;

    if (direction == U_LEFT_TO_RIGHT && !directions->has_ltr) {
        directions->has_ltr = 1;
        directions->ltr_character = c;
        directions->ltr_offset = offset;
    }

    directions->has_rtl |= right;

    if (is_first) {
        directions->starts_rtl = right;
    }

    /* A mark belongs to the preceding character. */
    if (direction == U_DIR_NON_SPACING_MARK && !is_first) {
        return;
    }

    directions->ends_rtl = right;

    if (!right && (is_first || directions->starts_rtl)) {
        directions->edge_character = c;
        directions->edge_offset = offset;
    }
}


static iri_directions_t
iri_directions_read(iri_str_t text, iri_str_t piece)
{
    const unsigned char *p = piece.data, *end = p + piece.len;
    iri_directions_t     directions;
    uint32_t             c;
    size_t               n;

    memset(&directions, 0, sizeof(directions));

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        /* Invalid UTF-8 is treated as a neutral character. */
        if (n == 0) {
            n = 1;
            c = 0xfffd;
        }

        iri_directions_add(&directions, c, (size_t) (p - text.data),
                           p == piece.data);
    }

    return directions;
}


static iri_status_t
iri_directions_warn(const iri_directions_t *directions,
                    iri_warning_t *warning, iri_warn_t warn, void *arg)
{
    iri_status_t status = IRI_OK;

    if (directions->has_ltr) {
        warning->kind = IRI_WARN_BIDI_MIXED;
        warning->offset = directions->ltr_offset;
        warning->character = directions->ltr_character;
        status = warn(arg, warning);
    }

    if (status == IRI_OK && !(directions->starts_rtl && directions->ends_rtl))
    {
        warning->kind = IRI_WARN_BIDI_EDGE;
        warning->offset = directions->edge_offset;
        warning->character = directions->edge_character;
        status = warn(arg, warning);
    }

    return status;
}


iri_status_t
iri_bidi_check(iri_str_t text, iri_warn_t warn, void *arg)
{
    iri_pieces_t     pieces;
    iri_piece_t      piece;
    iri_directions_t directions;
    iri_warning_t    warning;
    iri_status_t     status = IRI_OK;

    text = iri_str_non_null(text);

    /* ASCII has no right-to-left characters. */
    if (iri_str_is_ascii(text)) {
        return IRI_OK;
    }

    memset(&warning, 0, sizeof(warning));
    iri_pieces_init(text, &pieces);

    while (status == IRI_OK && iri_pieces_next(&pieces, &piece)) {
        directions = iri_directions_read(text, piece.text);

        if (directions.has_rtl) {
            warning.component = piece.component;
            warning.piece = piece.text;
            status = iri_directions_warn(&directions, &warning, warn, arg);
        }
    }

    return status;
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
    UErrorCode   error = U_ZERO_ERROR;
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

    /* UTF-16 has at most as many units as UTF-8 has octets. */
    from = env->alloc(env->ctx, 2 * (text.len + 1) * sizeof(UChar));
    if (from == NULL) {
        return IRI_NO_MEMORY;
    }

    to = from + text.len + 1;
    u_strFromUTF8(from, (int32_t) text.len + 1, &count,
                  (const char *) text.data, (int32_t) text.len, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    status = iri_reorder_all(order, from, count, to);

    return status == IRI_OK ? iri_converted_set_utf16(env, to, count, out)
                            : status;
}
