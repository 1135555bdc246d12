/*
 * iri_joiner.c - invisible characters that belong to the spelling
 *
 * Persian, Sinhala and other scripts need joiners and non-joiners, and emoji
 * need joiners and variation selectors.  Anywhere else such a character is
 * invisible, and two names that differ only in it look equal.
 */

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "unicode/iri_unicode.h"

#define IRI_CCC_VIRAMA 9 /* Canonical_Combining_Class */


static int
iri_is_virama(UChar32 c)
{
    return u_getCombiningClass(c) == IRI_CCC_VIRAMA;
}


static int
iri_joins_next(int type)
{
    return type == U_JT_DUAL_JOINING || type == U_JT_LEFT_JOINING;
}


static int
iri_joins_previous(int type)
{
    return type == U_JT_DUAL_JOINING || type == U_JT_RIGHT_JOINING;
}


/* 1 if the letters before and after would join (RFC 5892, A.1). */
static int
iri_is_joining(UChar32 before, UChar32 after)
{
    return iri_joins_next(u_getIntPropertyValue(before, UCHAR_JOINING_TYPE))
           && iri_joins_previous(
               u_getIntPropertyValue(after, UCHAR_JOINING_TYPE));
}


/*
 * 1 if a joiner gives one of its neighbours the shape that a letter has beside
 * another letter, as in a Persian abbreviation: exactly one neighbour joins,
 * and neither is a mark or another joiner.
 */
static int
iri_is_shaping(UChar32 before, UChar32 after)
{
    int left = u_getIntPropertyValue(before, UCHAR_JOINING_TYPE);
    int right = u_getIntPropertyValue(after, UCHAR_JOINING_TYPE);

    if (left == U_JT_TRANSPARENT || left == U_JT_JOIN_CAUSING
        || right == U_JT_TRANSPARENT || right == U_JT_JOIN_CAUSING)
    {
        return 0;
    }

    return iri_joins_next(left) != iri_joins_previous(right);
}


/* 1 if a character is displayed as an emoji without a variation selector. */
static int
iri_is_emoji_by_default(UChar32 c)
{
    return u_hasBinaryProperty(c, UCHAR_EMOJI_PRESENTATION);
}


/* 1 if a joiner between these characters makes one emoji of them (UTS #51). */
static int
iri_is_emoji_sequence(UChar32 before, UChar32 after)
{
    return u_hasBinaryProperty(after, UCHAR_EXTENDED_PICTOGRAPHIC)
           && (before == 0xfe0f || iri_is_emoji_by_default(before)
               || u_hasBinaryProperty(before, UCHAR_EMOJI_MODIFIER));
}


/* 1 if a variation selector changes how c is displayed.  emoji: 1 for U+FE0E,
   which needs an emoji by default; 0 for U+FE0F, which needs another one. */
static int
iri_is_variable(UChar32 c, int emoji)
{
    return c > 0x7f && u_hasBinaryProperty(c, UCHAR_EMOJI)
           && iri_is_emoji_by_default(c) == emoji
           && !u_hasBinaryProperty(c, UCHAR_REGIONAL_INDICATOR);
}


int
iri_is_orthographic(uint32_t before, uint32_t c, uint32_t after)
{
    UChar32 left = (UChar32) before, right = (UChar32) after;

    switch (c) {
    case 0x200c: /* RFC 5892, A.1; at the end of a word it is invisible */
        return (iri_is_virama(left) && u_isalpha(right))
               || iri_is_joining(left, right);
    case 0x200d: /* A.2; before a virama: Bengali ra, ya */
        return iri_is_virama(left) || iri_is_virama(right)
               || iri_is_shaping(left, right)
               || iri_is_emoji_sequence(left, right);
    case 0xfe0e:
        return iri_is_variable(left, 1);
    case 0xfe0f:
        return iri_is_variable(left, 0);
    default:
        return 0;
    }
}


/*
 * Return 1 if c is a letter or mark of a script whose words are written with or
 * without joiners.  *script: the script of c.
 */
static int
iri_is_joined_letter(UChar32 c, UScriptCode *script)
{
    static const UScriptCode scripts[] = {
        USCRIPT_ARABIC,    USCRIPT_DEVANAGARI, USCRIPT_BENGALI,
        USCRIPT_GURMUKHI,  USCRIPT_GUJARATI,   USCRIPT_ORIYA,
        USCRIPT_TAMIL,     USCRIPT_TELUGU,     USCRIPT_KANNADA,
        USCRIPT_MALAYALAM, USCRIPT_SINHALA
    };
    UErrorCode error = U_ZERO_ERROR;
    size_t     i;

    *script = uscript_getScript(c, &error);

    for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        if (*script == scripts[i]) {
            return U_SUCCESS(error)
                   && (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_M_MASK)) != 0;
        }
    }

    return 0;
}


int
iri_joiner_is_optional(uint32_t before, uint32_t after)
{
    UScriptCode left, right;

    return iri_is_joined_letter((UChar32) before, &left)
           && iri_is_joined_letter((UChar32) after, &right) && left == right;
}
