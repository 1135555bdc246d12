/*
 * test_latin.c - accents:latin, compared with ICU's transform Latin-ASCII
 *
 * For all characters below U+0250, and U+1E9E: if the key of `accents` is a letter
 * of U+00C0 to U+017F that has no decomposition, or U+1E9E, the key is what ICU
 * writes for that letter; else it is the same.
 */

#include <unicode/uchar.h>
#include <unicode/utrans.h>

#include "core.h"
#include "unicode/iri_unicode.h"


static iri_str_t
fold(core_t *core, unsigned match, iri_str_t name)
{
    iri_buf_t key = IRI_BUF_EMPTY;

    assert_int_equal(iri_fold(&core->env, match, name, &key), IRI_OK);

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


static void
test_letters(void **state)
{
    static const unsigned others[] = { 0, IRI_FOLD_CASE, IRI_FOLD_WIDTH };
    core_t                core;
    UErrorCode            error = U_ZERO_ERROR;
    UChar                 id[16];
    UTransliterator      *latin;
    UChar32               c;
    unsigned char         utf8[4], plain[8];
    unsigned              match, letters = 0;
    uint32_t              letter;
    iri_str_t             name = { 0, utf8 }, key;
    size_t                i;

    (void) state;
    core_init(&core);
    u_uastrcpy(id, "Latin-ASCII");
    latin = utrans_openU(id, -1, UTRANS_FORWARD, NULL, 0, NULL, &error);
    assert_true(U_SUCCESS(error));

    for (c = 0xa0; c <= 0x1e9e; c = c == 0x24f ? 0x1e9e : c + 1) {
        name.len = iri_utf8_put((uint32_t) c, utf8);
        letters += has_no_decomposition(c) != 0;

        for (i = 0; i < COUNT(others); i++) {
            match = IRI_FOLD_ACCENTS | others[i];
            key = fold(&core, match, name);
            (void) iri_utf8_next(key.data, key.data + key.len, &letter);

            if (has_no_decomposition((UChar32) letter)) {
                key = transformed(latin, (UChar32) letter, plain);
            }

            assert_true(iri_str_equal(
                fold(&core, match | IRI_FOLD_LATIN, name), key));
        }
    }

    assert_int_equal(letters, 24);
    utrans_close(latin);
    core_free(&core);
}


/* A key that does not grow in place: letters at its start, middle and end. */
static void
test_text(void **state)
{
    const unsigned match = IRI_FOLD_ACCENTS | IRI_FOLD_LATIN;
    core_t         core;

    (void) state;
    core_init(&core);
    assert_true(iri_str_equal(
        fold(&core, match,
             S("\xc5\x81\xc3\xb3\x64\xc5\xba \xe6\x97\xa5 \xe1\xba\x9e")),
        S("Lodz \xe6\x97\xa5 SS")));
    assert_true(iri_str_equal(fold(&core, IRI_FOLD_LATIN, S("\xc3\xb8")),
                              S("\xc3\xb8")));
    core_free(&core);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_text),
    };

    return cmocka_run_group_tests_name("latin", tests, NULL, NULL);
}
