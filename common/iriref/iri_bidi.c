/*
 * iri_bidi.c - IRIs that are read from right to left, in part
 *
 * Draft 4.1 for the order in which they are seen, 4.2 for the structure that
 * keeps that order clear; section 2.4 of draft-masinter-url-i18n-05 for the
 * older order, component by component.  ICU knows UAX #9.
 */

#include <unicode/ubidi.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"
#include "iriref/iri_iriref.h"


/* ---- structure ----------------------------------------------------------- */

typedef struct {
    int      left;        /* has a left-to-right character */
    int      right;       /* has a right-to-left one */
    int      first, last; /* it begins, ends, with one of these */
    uint32_t left_at;     /* the first that is left-to-right, and where */
    size_t   left_offset;
    uint32_t edge; /* the character at the wrong edge, and where */
    size_t   edge_offset;
} iri_sides_t;


static void
iri_sides_add(iri_sides_t *sides, uint32_t c, size_t offset, int is_first)
{
    UCharDirection direction = u_charDirection((UChar32) c);
    int            right = direction == U_RIGHT_TO_LEFT
                || direction == U_RIGHT_TO_LEFT_ARABIC;

    if (direction == U_LEFT_TO_RIGHT && !sides->left) {
        sides->left = 1;
        sides->left_at = c;
        sides->left_offset = offset;
    }

    sides->right |= right;

    if (is_first) {
        sides->first = right;
    }

    /* Marks belong to what is before them. */
    if (direction == U_DIR_NON_SPACING_MARK && !is_first) {
        return;
    }

    sides->last = right;

    if (!right && (is_first || sides->first)) {
        sides->edge = c;
        sides->edge_offset = offset;
    }
}


static iri_sides_t
iri_sides_of(iri_str_t text, iri_str_t piece)
{
    const unsigned char *p = piece.data, *end = p + piece.len;
    iri_sides_t          sides;
    uint32_t             c;
    size_t               n;

    memset(&sides, 0, sizeof(sides));

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        /* Octets that are no character have no direction. */
        if (n == 0) {
            n = 1;
            c = 0xfffd;
        }

        iri_sides_add(&sides, c, (size_t) (p - text.data), p == piece.data);
    }

    return sides;
}


static iri_status_t
iri_sides_warn(const iri_sides_t *sides, iri_warning_t *warning,
               iri_warn_t warn, void *arg)
{
    iri_status_t status = IRI_OK;

    if (sides->left) {
        warning->kind = IRI_WARN_BIDI_MIXED;
        warning->offset = sides->left_offset;
        warning->character = sides->left_at;
        status = warn(arg, warning);
    }

    if (status == IRI_OK && !(sides->first && sides->last)) {
        warning->kind = IRI_WARN_BIDI_EDGE;
        warning->offset = sides->edge_offset;
        warning->character = sides->edge;
        status = warn(arg, warning);
    }

    return status;
}


iri_status_t
iri_bidi_check(iri_str_t text, iri_warn_t warn, void *arg)
{
    iri_words_t   pieces;
    iri_word_t    piece;
    iri_sides_t   sides;
    iri_warning_t warning;
    iri_status_t  status = IRI_OK;

    text = iri_solid(text);

    /* Nothing in ASCII runs from right to left. */
    if (iri_str_is_ascii(text)) {
        return IRI_OK;
    }

    memset(&warning, 0, sizeof(warning));
    iri_words(text, &pieces);

    while (status == IRI_OK && iri_words_next(&pieces, &piece)) {
        sides = iri_sides_of(text, piece.text);

        if (sides.right) {
            warning.component = piece.component;
            warning.piece = piece.text;
            status = iri_sides_warn(&sides, &warning, warn, arg);
        }
    }

    return status;
}


/* ---- order --------------------------------------------------------------- */

/* reserved of RFC 2396, and "#": what the older order leaves where it is. */
static int
iri_stays_in_place(UChar unit)
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

    /* It is full, and a final NUL is not wanted. */
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
        if (i < count && !iri_stays_in_place(from[i])) {
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


/* count units, in the order in which they are seen, into to. */
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

    text = iri_solid(text);
    span = iri_charset_span(&iri_charset_utf8, text);

    if (text.len > IRI_MAX_TEXT || span != text.len) {
        return text.len > IRI_MAX_TEXT
                   ? iri_give_none(out, "is too long", IRI_MAX_TEXT)
                   : iri_give_none(out, "is not UTF-8", span);
    }

    /* No text has more units than octets. */
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

    return status == IRI_OK ? iri_give_units(env, to, count, out) : status;
}
