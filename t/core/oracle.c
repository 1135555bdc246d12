/*
 * oracle.c - see oracle.h
 */

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include "oracle.h"

#define V IRI_FOLD_VARIANTS
#define W IRI_FOLD_WIDTH
#define C IRI_FOLD_CASE
#define A IRI_FOLD_ACCENTS
#define T IRI_FOLD_TURKIC
#define G IRI_FOLD_GERMAN


/* ---- keys ---------------------------------------------------------------- */

/* The vendor's character and that of JIS: design 5.3. */
uint32_t
oracle_vendor(uint32_t c)
{
    static const uint32_t pairs[][2] = {
        { 0xff5e, 0x301c }, { 0x2225, 0x2016 }, { 0xff0d, 0x2212 },
        { 0xffe0, 0x00a2 }, { 0xffe1, 0x00a3 }, { 0xffe2, 0x00ac },
        { 0x2015, 0x2014 }, { 0xffe4, 0x00a6 }
    };
    size_t i;

    for (i = 0; i < COUNT(pairs); i++) {
        if (c == pairs[i][1]) {
            return pairs[i][0];
        }
    }

    return c;
}


/* What <wide> or <narrow> in UnicodeData.txt is followed by. */
static uint32_t
width_of(uint32_t c)
{
    UErrorCode          error = U_ZERO_ERROR;
    const UNormalizer2 *nfkc = unorm2_getNFKCInstance(&error);
    int32_t             type = u_getIntPropertyValue((UChar32) c,
                                                     UCHAR_DECOMPOSITION_TYPE);
    UChar               units[32];
    int32_t             n;

    if (type != U_DT_WIDE && type != U_DT_NARROW) {
        return c;
    }

    n = unorm2_getRawDecomposition(nfkc, (UChar32) c, units, 32, &error);
    assert_true(U_SUCCESS(error));
    assert_int_equal(n, 1);

    return units[0];
}


static void
map_widths(unsigned match, oracle_text_t *text)
{
    size_t i;

    for (i = 0; i < text->count; i++) {
        if (match & V) {
            text->c[i] = oracle_vendor(text->c[i]);
        }

        if (match & W) {
            text->c[i] = width_of(text->c[i]);
        }
    }
}


void
oracle_normalize(oracle_text_t *text, int nfd)
{
    oracle_text_t from = *text;

    text->count = core_normalize(from.c, from.count, nfd, text->c);
}


/* Letters that a language takes for others, of a text in NFC. */
static void
map_languages(unsigned match, oracle_text_t *text)
{
    static const uint32_t german[][3] = {
        { 0xe4, 'a', 'e' }, { 0xf6, 'o', 'e' }, { 0xfc, 'u', 'e' },
        { 0xc4, 'A', 'e' }, { 0xd6, 'O', 'e' }, { 0xdc, 'U', 'e' }
    };
    oracle_text_t from = *text;
    uint32_t      c;
    size_t        i, k;

    text->count = 0;

    for (i = 0; i < from.count; i++) {
        c = from.c[i];

        if (match & T) {
            c = c == 'I' ? 0x131 : c == 0x130 ? 'i' : c;
        }

        for (k = 0; k < COUNT(german); k++) {
            if ((match & G) && c == german[k][0]) {
                text->c[text->count++] = german[k][1];
                c = german[k][2];
                break;
            }
        }

        text->c[text->count++] = c;
    }
}


/* CaseFolding.txt, C and F. */
static void
fold_case(oracle_text_t *text)
{
    oracle_text_t from = *text;
    UErrorCode    error = U_ZERO_ERROR;
    UChar         units[2], folded[16];
    UChar32       c;
    int32_t       n, k;
    size_t        i;

    text->count = 0;

    for (i = 0; i < from.count; i++) {
        n = 0;
        U16_APPEND_UNSAFE(units, n, from.c[i]);
        n = u_strFoldCase(folded, 16, units, n, U_FOLD_CASE_DEFAULT, &error);
        assert_true(U_SUCCESS(error));

        for (k = 0; k < n; /* void */) {
            U16_NEXT(folded, k, n, c);
            text->c[text->count++] = (uint32_t) c;
        }
    }
}


/*
 * The nonspacing marks behind letters of three scripts, of a text in NFD;
 * invisible ones stay, and are in nobody's way.
 */
static void
drop_accents(oracle_text_t *text)
{
    oracle_text_t from = *text;
    uint32_t      c;
    size_t        i;
    int32_t       script;
    int           letter = 0;

    text->count = 0;

    for (i = 0; i < from.count; i++) {
        c = from.c[i];

        if (u_charType((UChar32) c) != U_NON_SPACING_MARK) {
            script = u_getIntPropertyValue((UChar32) c, UCHAR_SCRIPT);
            letter = (U_GET_GC_MASK(c) & U_GC_L_MASK)
                     && (script == USCRIPT_LATIN || script == USCRIPT_GREEK
                         || script == USCRIPT_CYRILLIC);

        } else if (letter
                   && !u_hasBinaryProperty(
                       (UChar32) c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
        {
            continue;
        }

        text->c[text->count++] = c;
    }
}


void
oracle_key(unsigned match, const oracle_text_t *name, oracle_text_t *key)
{
    *key = *name;

    if (core_too_many_marks(name->c, name->count)) {
        return;
    }

    map_widths(match, key);
    oracle_normalize(key, 0);
    map_languages(match, key);
    oracle_normalize(key, 1);

    /* Accents first: to case, iota subscript is a letter. */
    if (match & A) {
        drop_accents(key);
    }

    if (match & C) {
        fold_case(key);
        oracle_normalize(key, 1);
    }

    /* Behind letters that are of the three scripts only now: the micro sign */
    if (match & A) {
        drop_accents(key);
    }

    oracle_normalize(key, 0);
}


/* ---- levels -------------------------------------------------------------- */

static int
same_key(unsigned match, const oracle_text_t *a, const oracle_text_t *b)
{
    static oracle_text_t key_a, key_b;

    oracle_key(match, a, &key_a);
    oracle_key(match, b, &key_b);

    return key_a.count == key_b.count
           && memcmp(key_a.c, key_b.c, key_a.count * sizeof(key_a.c[0])) == 0;
}


iri_match_t
oracle_level(unsigned match, const oracle_text_t *a, const oracle_text_t *b)
{
    static const struct {
        unsigned    listed;
        unsigned    ignored;
        iri_match_t level;
    } levels[] = { { V, V, IRI_MATCH_VARIANTS },
                   { W, V | W, IRI_MATCH_WIDTH },
                   { C, V | W | C | T, IRI_MATCH_CASE },
                   { A, V | W | C | T | A | G, IRI_MATCH_ACCENTS } };
    size_t i;

    if (same_key(0, a, b)) {
        return IRI_MATCH_NORMALIZATION;
    }

    for (i = 0; i < COUNT(levels); i++) {
        if ((match & levels[i].listed)
            && same_key(match & levels[i].ignored, a, b)) {
            return levels[i].level;
        }
    }

    return IRI_MATCH_NONE;
}


/* ---- edits --------------------------------------------------------------- */

/* By ICU, of UTF-16. */
void
oracle_divide(oracle_parts_t *p)
{
    UErrorCode      error = U_ZERO_ERROR;
    UChar           units[256];
    UBreakIterator *it;
    UChar32         c;
    int32_t         len, from, to, i, at = 0;

    u_strFromUTF8(units, 256, &len, (const char *) p->key.data,
                  (int32_t) p->key.len, &error);
    it = ubrk_open(UBRK_CHARACTER, "en", units, len, &error);
    assert_true(U_SUCCESS(error));

    p->count = 0;

    for (from = 0; (to = ubrk_next(it)) != UBRK_DONE; from = to) {
        assert_true(p->count < ORACLE_PARTS);
        p->part[p->count].data = p->key.data + at;
        p->digit[p->count] = 0;

        for (i = from; i < to; /* void */) {
            U16_NEXT(units, i, to, c);
            at += U8_LENGTH(c);
            p->digit[p->count] |= u_charType(c) == U_DECIMAL_DIGIT_NUMBER;
        }

        p->part[p->count].len = (size_t) (p->key.data + at
                                          - p->part[p->count].data);
        p->count++;
    }

    ubrk_close(it);
}


/* Are a's parts, taken in this order, those of b? */
static int
same_parts(const oracle_parts_t *a, const size_t *order, size_t count,
           const oracle_parts_t *b)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (!iri_str_equal(a->part[order[i]], b->part[i])) {
            return 0;
        }
    }

    return count == b->count;
}


/* Is b what is left of a without one part? */
static int
one_less(const oracle_parts_t *a, const oracle_parts_t *b)
{
    size_t order[ORACLE_PARTS], out, i, n;

    for (out = 0; out < a->count; out++) {
        for (i = n = 0; i < a->count; i++) {
            if (i != out) {
                order[n++] = i;
            }
        }

        if (!a->digit[out] && same_parts(a, order, n, b)) {
            return 1;
        }
    }

    return 0;
}


static int
one_other(const oracle_parts_t *a, const oracle_parts_t *b)
{
    size_t i, others = 0, digits = 0;

    if (a->count != b->count) {
        return 0;
    }

    for (i = 0; i < a->count; i++) {
        if (!iri_str_equal(a->part[i], b->part[i])) {
            others++;
            digits += (size_t) (a->digit[i] || b->digit[i]);
        }
    }

    return others == 1 && digits == 0;
}


static int
one_turned(const oracle_parts_t *a, const oracle_parts_t *b)
{
    size_t order[ORACLE_PARTS], at, i;

    for (at = 0; at + 1 < a->count; at++) {
        for (i = 0; i < a->count; i++) {
            order[i] = i == at ? at + 1 : i == at + 1 ? at : i;
        }

        if (!a->digit[at] && !a->digit[at + 1]
            && same_parts(a, order, a->count, b)) {
            return 1;
        }
    }

    return 0;
}


/* Parts before the last that begins with "."; all, if none does. */
static size_t
stem_of(const oracle_parts_t *p)
{
    size_t i = p->count;

    while (i > 0 && p->part[i - 1].data[0] != '.') {
        i--;
    }

    return i > 0 ? i - 1 : p->count;
}


/* The same without its suffix, which is never edited. */
static iri_str_t
cut_suffix(const oracle_parts_t *p, oracle_parts_t *stem)
{
    iri_str_t suffix = { 0, NULL };

    *stem = *p;
    stem->count = stem_of(p);

    if (stem->count != p->count) {
        suffix.data = p->part[stem->count].data;
        suffix.len = (size_t) (p->key.data + p->key.len - suffix.data);
    }

    return suffix;
}


/*
 * Is b a without its last part, which is one like that behind it?  Then it
 * was the suffix that has lost one.
 */
static int
less_at_suffix(const oracle_parts_t *a, size_t whole, const oracle_parts_t *b)
{
    size_t i;

    if (a->count == whole || b->count + 1 != a->count
        || !iri_str_equal(a->part[a->count - 1], a->part[a->count]))
    {
        return 0;
    }

    for (i = 0; i < b->count; i++) {
        if (!iri_str_equal(a->part[i], b->part[i])) {
            return 0;
        }
    }

    return 1;
}


static int
is_fit(const oracle_parts_t *stem)
{
    return stem->count >= 4 && stem->key.data[0] != '.';
}


int
oracle_one_edit(const oracle_parts_t *a, const oracle_parts_t *b)
{
    static oracle_parts_t stem_a, stem_b;
    iri_str_t             suffix_a = cut_suffix(a, &stem_a);
    iri_str_t             suffix_b = cut_suffix(b, &stem_b);

    return iri_str_equal(suffix_a, suffix_b) && is_fit(&stem_a)
           && is_fit(&stem_b) && !iri_str_equal(a->key, b->key)
           && !less_at_suffix(&stem_a, a->count, &stem_b)
           && !less_at_suffix(&stem_b, b->count, &stem_a)
           && (one_less(&stem_a, &stem_b) || one_less(&stem_b, &stem_a)
               || one_other(&stem_a, &stem_b)
               || one_turned(&stem_a, &stem_b));
}
