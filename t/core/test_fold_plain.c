/*
 * test_fold_plain.c - accents:latin, compared with ICU's transform Latin-ASCII;
 *                     punctuation and variants, with ICU's skeletons; joiners
 *
 * For all characters below U+0250, and U+1E9E: if the key of `accents` is a letter
 * of U+00C0 to U+017F that has no decomposition, or U+1E9E, the key is what ICU
 * writes for that letter; else it is the same.
 *
 * The key of `punctuation` is different for spaces, dashes, quotes and the other
 * marks below which have the skeleton of U+0020, U+002D, U+0027 or U+0022, and
 * for no other character.
 */

#include <unicode/uchar.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>
#include <unicode/utrans.h>

#include "core.h"
#include "unicode/iri_unicode.h"


static iri_str_t
fold(unsigned match, iri_str_t name)
{
    iri_buf_t key = IRI_BUF_EMPTY;

    assert_ok(iri_fold(&core.env, match, name, &key));

    return iri_buf_str(&key);
}


static int
has_no_decomposition(UChar32 c)
{
    return ((c >= 0xc0 && c <= 0x17f) || c == 0x1e9e) && u_isalpha(c)
           && u_getIntPropertyValue(c, UCHAR_DECOMPOSITION_TYPE) == U_DT_NONE;
}


/* What ICU writes for c, at most 7 octets. */
static iri_str_t
transformed(UTransliterator *latin, UChar32 c, unsigned char to[8])
{
    UChar      units[16] = { (UChar) c };
    UErrorCode error = U_ZERO_ERROR;
    int32_t    len = 1, limit = 1, i;
    iri_str_t  text = { 0, to };

    utrans_transUChars(latin, units, &len, 16, 0, &limit, &error);
    assert_true(U_SUCCESS(error) && len < 8);

    for (i = 0; i < len; i++) {
        assert_true(units[i] < 0x80);
        to[text.len++] = (unsigned char) units[i];
    }

    return text;
}


TEST(test_letters)
{
    static const unsigned others[] = { 0, IRI_FOLD_CASE, IRI_FOLD_WIDTH };
    UErrorCode            error = U_ZERO_ERROR;
    UChar                 id[16];
    UTransliterator      *latin;
    UChar32               c;
    unsigned char         utf8[4], plain[8];
    unsigned              match, letters = 0;
    uint32_t              letter;
    iri_str_t             name = { 0, utf8 }, key;
    size_t                i;

    u_uastrcpy(id, "Latin-ASCII");
    latin = utrans_openU(id, -1, UTRANS_FORWARD, NULL, 0, NULL, &error);
    assert_true(U_SUCCESS(error));

    for (c = 0xa0; c <= 0x1e9e; c = c == 0x24f ? 0x1e9e : c + 1) {
        name.len = iri_utf8_put((uint32_t) c, utf8);
        letters += has_no_decomposition(c) != 0;

        for (i = 0; i < COUNT(others); i++) {
            match = IRI_FOLD_ACCENTS | others[i];
            key = fold(match, name);
            (void) iri_utf8_next(key.data, key.data + key.len, &letter);

            if (has_no_decomposition((UChar32) letter)) {
                key = transformed(latin, (UChar32) letter, plain);
            }

            assert_true(
                iri_str_equal(fold(match | IRI_FOLD_LATIN, name), key));
        }
    }

    assert_int_equal(letters, 24);
    utrans_close(latin);
}


/* The skeleton of a character.  Returns: its units. */
static int32_t
skeleton(const USpoofChecker *checker, UChar32 c, UChar to[32])
{
    UChar      units[2];
    UErrorCode error = U_ZERO_ERROR;
    int32_t    n = 0;

    U16_APPEND_UNSAFE(units, n, c);
    n = uspoof_getSkeleton(checker, 0, units, n, to, 32, &error);

    return U_SUCCESS(error) ? n : 0;
}


/* The ASCII character that looks like c, a space, dash or quote; else 0. */
static char
looks_like(const USpoofChecker *checker, UChar32 c)
{
    static const UChar32 marks[] = { 0xb4,   0x2bc,  0x2032, 0x2033,
                                     0x2035, 0x2036, 0x2212 };
    const char          *ascii = " -'\"";
    int                  taken = (U_GET_GC_MASK(c)
                 & (U_GC_ZS_MASK | U_GC_PD_MASK | U_GC_PI_MASK
                    | U_GC_PF_MASK))
                != 0;
    UChar   a[32], b[32];
    int32_t n = skeleton(checker, c, a);
    size_t  i;

    for (i = 0; i < COUNT(marks); i++) {
        taken |= c == marks[i];
    }

    for (; taken && c != 0x1680 && *ascii != '\0'; ascii++) {
        if (skeleton(checker, *ascii, b) == n && u_memcmp(a, b, n) == 0) {
            return *ascii;
        }
    }

    return '\0';
}


TEST(test_punctuation)
{
    UErrorCode     error = U_ZERO_ERROR;
    USpoofChecker *checker = uspoof_open(&error);
    UChar32        c;
    unsigned char  utf8[4];
    char           like[1];
    unsigned       marks = 0;
    iri_str_t      name = { 0, utf8 }, want = { 1, NULL };

    assert_true(U_SUCCESS(error));

    for (c = 0x20; c <= 0xffff; c = c == 0xd7ff ? 0xe000 : c + 1) {
        name.len = iri_utf8_put((uint32_t) c, utf8);

        if (!iri_str_equal(fold(IRI_FOLD_NORMALIZATION, name), name)) {
            continue; /* not in NFC, so in no name */
        }

        like[0] = c >= 0x80 ? looks_like(checker, c) : '\0';
        marks += like[0] != '\0';
        want.data = (const unsigned char *) like;
        assert_true(iri_str_equal(fold(IRI_FOLD_PUNCTUATION, name),
                                  like[0] != '\0' ? want : name));
    }

    assert_int_equal(marks, 30);
    uspoof_close(checker);
}


/*
 * Variants of letters are those of a group that have the same skeleton; for no
 * other character a group changes the key.
 */
TEST(test_variants)
{
    static const struct {
        unsigned      group;
        const UChar32 c[8]; /* up to a 0 */
    } groups[] = {
        { IRI_FOLD_ARABIC, { 0x64a, 0x6cc, 0x649, 0x643, 0x6a9 } },
        { IRI_FOLD_ROMANIAN,
          { 0x15e, 0x15f, 0x162, 0x163, 0x218, 0x219, 0x21a, 0x21b } },
        { IRI_FOLD_JOINERS, { 0 } },
    };
    UErrorCode     error = U_ZERO_ERROR;
    USpoofChecker *checker = uspoof_open(&error);
    UChar          a[32], b[32];
    UChar32        c;
    unsigned char  utf8[4];
    iri_str_t      name = { 0, utf8 }, key;
    uint32_t       letter;
    int32_t        n;
    size_t         i, k, at;

    assert_true(U_SUCCESS(error));

    for (i = 0; i < COUNT(groups); i++) {
        for (c = 0x20; c <= 0xffff; c = c == 0xd7ff ? 0xe000 : c + 1) {
            name.len = iri_utf8_put((uint32_t) c, utf8);

            if (!iri_str_equal(fold(IRI_FOLD_NORMALIZATION, name), name)) {
                continue; /* not in NFC, so in no name */
            }

            for (at = 0; at < 8 && groups[i].c[at] != c; at++) {
                /* void */
            }

            key = fold(groups[i].group, name);
            (void) iri_utf8_next(key.data, key.data + key.len, &letter);

            if (at == 8) {
                assert_true(iri_str_equal(key, name));
                continue;
            }

            n = skeleton(checker, c, a);
            assert_true(n == skeleton(checker, (UChar32) letter, b)
                        && u_memcmp(a, b, n) == 0);

            for (k = 0; k < 8 && groups[i].c[k] != 0; k++) {
                name.len = iri_utf8_put((uint32_t) groups[i].c[k], utf8);
                assert_int_equal(
                    iri_str_equal(fold(groups[i].group, name), key),
                    skeleton(checker, groups[i].c[k], b) == n
                        && u_memcmp(a, b, n) == 0);
            }
        }

        core_forget(&core);
    }

    uspoof_close(checker);
}


/* A joiner is removed between two letters of the same script only. */
TEST(test_joiners)
{
    assert_true(iri_str_equal(
        fold(IRI_FOLD_JOINERS, S("\xdb\x8c\xe2\x80\x8c\xd8\xae"
                                 "\xe0\xa4\x95\xe2\x80\x8d\xe0\xa4\xb7")),
        S("\xdb\x8c\xd8\xae\xe0\xa4\x95\xe0\xa4\xb7")));
    assert_true(iri_str_equal(
        fold(IRI_FOLD_JOINERS, S("\xe2\x80\x8c\xdb\x8c\xe2\x80\x8c"
                                 "\xe0\xa4\x95\xe2\x80\x8d\xe2\x80\x8d"
                                 "\xe0\xa4\xb7\xe2\x80\x8c")),
        S("\xe2\x80\x8c\xdb\x8c\xe2\x80\x8c"
          "\xe0\xa4\x95\xe2\x80\x8d\xe2\x80\x8d"
          "\xe0\xa4\xb7\xe2\x80\x8c")));
}


/* A key that does not grow in place: letters at its start, middle and end. */
TEST(test_text)
{
    const unsigned match = IRI_FOLD_ACCENTS | IRI_FOLD_LATIN;

    assert_true(iri_str_equal(
        fold(match,
             S("\xc5\x81\xc3\xb3\x64\xc5\xba \xe6\x97\xa5 \xe1\xba\x9e")),
        S("Lodz \xe6\x97\xa5 SS")));
    assert_true(
        iri_str_equal(fold(IRI_FOLD_LATIN, S("\xc3\xb8")), S("\xc3\xb8")));
}
