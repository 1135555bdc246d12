/*
 * test_strange.c - charsets that no path may be read in
 *
 * Proves: whatever an ICU converter does, a charset that is built from it is
 * fit for paths, or is refused with a sentence.  The converters here are none
 * of ICU's: this file has the functions of ICU that the core asks, and they
 * answer what a test wants.
 */

#include <unicode/ucnv.h>

#include "core.h"

/* What a strange converter makes of octets: units; 0: more are needed. */
#define ERROR   (-1)
#define FAILURE (-2) /* not of the octets, but of ICU */
#define CUT     (-3) /* an error as well: more octets are wanted */

typedef int (*decode_t)(const unsigned char *octets, size_t len,
                        UChar units[4]);

static struct {
    decode_t    decode;
    const char *broken; /* the function that reports an error, or NULL */
    int         asked;  /* of "broken" */
} strange;


/* ---- in the place of ICU ------------------------------------------------ */

void
ucnv_toUnicode(UConverter *converter, UChar **to, const UChar *end,
               const char **from, const char *from_end, int32_t *offsets,
               UBool flush, UErrorCode *error)
{
    UChar units[4];
    int   n;

    (void) converter;
    (void) offsets;
    (void) flush;

    n = strange.decode((const unsigned char *) *from,
                       (size_t) (from_end - *from), units);
    *from = from_end;

    if (n < 0) {
        *error = n == ERROR ? U_ILLEGAL_CHAR_FOUND
                 : n == CUT ? U_TRUNCATED_CHAR_FOUND
                            : U_MEMORY_ALLOCATION_ERROR;
        return;
    }

    assert_true(n <= end - *to);
    memcpy(*to, units, (size_t) n * sizeof(units[0]));
    *to += n;
}


/* The first octets of one, two or these four, that give the units. */
void
ucnv_fromUnicode(UConverter *converter, char **to, const char *end,
                 const UChar **from, const UChar *from_end, int32_t *offsets,
                 UBool flush, UErrorCode *error)
{
    static const unsigned char four[] = { 0x81, 0x30, 0x81, 0x30 };
    unsigned char              octets[2];
    UChar                      units[4];
    unsigned                   code;
    size_t                     len, n = (size_t) (from_end - *from);

    (void) converter;
    (void) offsets;
    (void) flush;
    assert_true(end - *to >= 4);

    for (len = 1; len <= 2; len++) {
        for (code = 0x80; code < (len == 1 ? 0x100 : 0x10000); code++) {
            octets[0] = (unsigned char) (len == 1 ? code : code >> 8);
            octets[1] = (unsigned char) code;

            if (strange.decode(octets, len, units) == (int) n
                && memcmp(units, *from, n * sizeof(units[0])) == 0)
            {
                memcpy(*to, octets, len);
                *to += len;
                return;
            }
        }
    }

    if (strange.decode(four, 4, units) == (int) n
        && memcmp(units, *from, n * sizeof(units[0])) == 0)
    {
        memcpy(*to, four, 4);
        *to += 4;
        return;
    }

    *error = U_ILLEGAL_CHAR_FOUND;
}


static void
set_error(const char *function, UErrorCode *error)
{
    if (strange.broken != NULL && strcmp(strange.broken, function) == 0) {
        strange.asked++;
        *error = U_ILLEGAL_ARGUMENT_ERROR;
    }
}


void
ucnv_setToUCallBack(UConverter *converter, UConverterToUCallback action,
                    const void *context, UConverterToUCallback *old,
                    const void **old_context, UErrorCode *error)
{
    (void) converter;
    (void) context;
    (void) old;
    (void) old_context;
    assert_true(action == UCNV_TO_U_CALLBACK_STOP);
    set_error("ucnv_setToUCallBack", error);
}


void
ucnv_setFromUCallBack(UConverter *converter, UConverterFromUCallback action,
                      const void *context, UConverterFromUCallback *old,
                      const void **old_context, UErrorCode *error)
{
    (void) converter;
    (void) context;
    (void) old;
    (void) old_context;
    assert_true(action == UCNV_FROM_U_CALLBACK_STOP);
    set_error("ucnv_setFromUCallBack", error);
}


void
ucnv_setFallback(UConverter *converter, UBool uses)
{
    (void) converter;
    assert_false(uses);
}


/* ---- building ----------------------------------------------------------- */

typedef struct {
    core_t               core;
    const iri_charset_t *charset;
    const char          *why;
} built_t;


static void
build(built_t *b, const char *name, unsigned private_use, decode_t decode)
{
    iri_encoding_t encoding = { name, "US-ASCII",  NULL,
                                0,    private_use, IRI_QUIRK_NONE };

    core_init(&b->core);
    strange.decode = decode;
    b->why = NULL;
    b->charset = iri_charset_build(&b->core.env, &encoding, &b->why);
}


static void
assert_refused(decode_t decode, const char *part)
{
    built_t b;

    build(&b, "strange", 1, decode);
    assert_null(b.charset);
    assert_non_null(b.why);

    if (strstr(b.why, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", b.why, part);
    }

    core_free(&b.core);
}


/* How many octets a character takes; 0: there is none. */
static size_t
taken(const built_t *b, const char *octets, size_t len)
{
    const unsigned char *p = (const unsigned char *) octets;
    uint32_t             c;

    return iri_charset_next(b->charset, p, p + len, &c);
}


/* The character of exactly these octets; 0: none. */
static uint32_t
read_one(const built_t *b, const char *octets, size_t len)
{
    const unsigned char *p = (const unsigned char *) octets;
    uint32_t             c = 0;

    return iri_charset_next(b->charset, p, p + len, &c) == len ? c : 0;
}


static int
is_written(const built_t *b, uint32_t c, const char *octets, size_t len)
{
    unsigned char out[4];

    return iri_charset_put(b->charset, c, out) == len
           && memcmp(out, octets, len) == 0;
}


/* ---- converters --------------------------------------------------------- */

/* ASCII, A1 as U+0100, all else an error: what the others are made of. */
static int
plain(const unsigned char *octets, size_t len, UChar units[4])
{
    if (len != 1 || (octets[0] >= 0x80 && octets[0] != 0xa1)) {
        return ERROR;
    }

    units[0] = octets[0] < 0x80 ? octets[0] : 0x100;

    return 1;
}


/* 81 and inner are U+0101. */
static unsigned char inner;


static int
two_octets(const unsigned char *octets, size_t len, UChar units[4])
{
    if (octets[0] != 0x81) {
        return plain(octets, len, units);
    }

    if (len == 1) {
        return 0;
    }

    units[0] = 0x101;

    return len == 2 && octets[1] == inner ? 1 : ERROR;
}


/* 81 40 and inner are U+0101. */
static int
three_octets(const unsigned char *octets, size_t len, UChar units[4])
{
    if (octets[0] != 0x81) {
        return plain(octets, len, units);
    }

    if (len < 3) {
        return len == 1 || octets[1] == 0x40 ? 0 : ERROR;
    }

    units[0] = 0x101;

    return len == 3 && octets[2] == inner ? 1 : ERROR;
}


/* 81 to 9F lead to 40 or 41, and these to U+0101. */
static int
many_nodes(const unsigned char *octets, size_t len, UChar units[4])
{
    if (octets[0] < 0x81 || octets[0] > 0x9f) {
        return plain(octets, len, units);
    }

    if (len < 3) {
        return len == 1 || octets[1] == 0x40 || octets[1] == 0x41 ? 0 : ERROR;
    }

    units[0] = 0x101;

    return len == 3 && octets[2] == 0x40 ? 1 : ERROR;
}


/* 81 is a character of one unit, or 82 40 is. */
static UChar unit;


static int
one_is_unit(const unsigned char *octets, size_t len, UChar units[4])
{
    if (len != 1 || octets[0] != 0x81) {
        return plain(octets, len, units);
    }

    units[0] = unit;

    return 1;
}


static int
two_are_unit(const unsigned char *octets, size_t len, UChar units[4])
{
    if (octets[0] != 0x82) {
        return plain(octets, len, units);
    }

    units[0] = unit;

    return len == 1 ? 0 : len == 2 && octets[1] == 0x40 ? 1 : ERROR;
}


/* "a" is nothing, more, another character, or two. */
static int what_a_is;


static int
not_ascii(const unsigned char *octets, size_t len, UChar units[4])
{
    if (len != 1 || octets[0] != 'a') {
        return plain(octets, len, units);
    }

    units[0] = what_a_is == 1 ? 'b' : 'a';
    units[1] = 'a';

    return what_a_is;
}


/* A1 and A2 are U+0100, as in plain: twins. */
static int
twins(const unsigned char *octets, size_t len, UChar units[4])
{
    unsigned char octet = octets[0] == 0xa2 ? 0xa1 : octets[0];

    return plain(&octet, len, units);
}


/*
 * 81 gives two characters, 82 two of which one is ASCII, 83 a pair, 84 half of
 * one and a character, 85 a private use character by a pair, 86 is cut.
 */
static int
several(const unsigned char *octets, size_t len, UChar units[4])
{
    static const UChar pairs[][2] = { { 0x102, 0x103 },
                                      { 0x102, '/' },
                                      { 0xd83d, 0xde00 },
                                      { 0xd83d, 0x103 },
                                      { 0xdb80, 0xdc00 } };

    if (len != 1 || octets[0] < 0x81 || octets[0] > 0x86) {
        return plain(octets, len, units);
    }

    if (octets[0] == 0x86) {
        return CUT;
    }

    memcpy(units, pairs[octets[0] - 0x81], sizeof(pairs[0]));

    return 2;
}


/* A1 is none for another reason than that there is no such character. */
static int
failing(const unsigned char *octets, size_t len, UChar units[4])
{
    return octets[0] == 0xa1 ? FAILURE : plain(octets, len, units);
}


static int
failing_in_ascii(const unsigned char *octets, size_t len, UChar units[4])
{
    return octets[0] == 'a' ? FAILURE : plain(octets, len, units);
}


/* 81 never comes to an end. */
static int
endless(const unsigned char *octets, size_t len, UChar units[4])
{
    assert_true(len <= 4);

    return octets[0] == 0x81 && (len == 1 || octets[1] == 0x40)
                   && (len <= 2 || octets[2] == 0x40)
               ? 0
               : plain(octets, len, units);
}


/* Controls that are rotated, as IBM's tables have them. */
static int
rotated(const unsigned char *octets, size_t len, UChar units[4])
{
    int n = plain(octets, len, units);

    if (n == 1) {
        units[0] = units[0] == 0x1a   ? 0x1c
                   : units[0] == 0x1c ? 0x7f
                   : units[0] == 0x7f ? 0x1a
                                      : units[0];
    }

    return n;
}


/*
 * Four octets, of which 81 30 81 30 is U+0080, 81 30 81 31 is not there,
 * 81 30 81 32 is beyond the BMP, 81 30 81 33 in private use.
 */
static int
linear(const unsigned char *octets, size_t len, UChar units[4])
{
    if (octets[0] != 0x81) {
        return plain(octets, len, units);
    }

    if (len < 4) {
        return (len < 2 || (octets[1] >= 0x30 && octets[1] <= 0x39)) ? 0
                                                                     : ERROR;
    }

    if (octets[1] != 0x30 || octets[2] != 0x81 || octets[3] == 0x31
        || octets[3] > 0x33)
    {
        return ERROR;
    }

    units[0] = octets[3] == 0x30 ? 0x80 : octets[3] == 0x32 ? 0xd83d : 0xe000;
    units[1] = 0xde00;

    return octets[3] == 0x32 ? 2 : 1;
}


/* The same, and 82 with what stands beside the digits goes on otherwise. */
static int
linear_and_more(const unsigned char *octets, size_t len, UChar units[4])
{
    if (octets[0] != 0x82) {
        return linear(octets, len, units);
    }

    if (len < 3) {
        return len == 1 || octets[1] == 0x2f - 1 || octets[1] == 0x3a ? 0
                                                                      : ERROR;
    }

    units[0] = 0x110;

    return len == 3 && octets[1] == 0x3a && octets[2] == 0x40 ? 1 : ERROR;
}


/* ---- tests -------------------------------------------------------------- */

static void
test_plain(void **state)
{
    built_t b;

    (void) state;

    build(&b, "strange", 0, plain);
    assert_non_null(b.charset);
    assert_text(iri_charset_name(b.charset), "strange");
    assert_int_equal(read_one(&b, "\xa1", 1), 0x100);
    assert_int_equal(read_one(&b, "\xa2", 1), 0);
    assert_true(is_written(&b, 0x100, "\xa1", 1));
    core_free(&b.core);
}


/* No "/", ".", "%" and no control but DEL inside a sequence. */
static void
test_inner_octets(void **state)
{
    static const char part[] = "inside a sequence";
    built_t           b;
    unsigned          octet;

    (void) state;

    for (octet = 0; octet < 0x100; octet++) {
        inner = (unsigned char) octet;

        if (octet < 0x20 || octet == '/' || octet == '.' || octet == '%') {
            assert_refused(two_octets, part);
            assert_refused(three_octets, part);
            continue;
        }

        build(&b, "strange", 0, two_octets);
        assert_non_null(b.charset);
        core_free(&b.core);
    }
}


/* No ASCII character for octets above 7F; C1 is for others to refuse. */
static void
test_ascii_born(void **state)
{
    static const char part[] = "ASCII character for octets above 7F";
    built_t           b;

    (void) state;

    for (unit = 0; unit < 0x80; unit++) {
        assert_refused(one_is_unit, part);
        assert_refused(two_are_unit, part);
    }

    build(&b, "strange", 0, one_is_unit);
    assert_non_null(b.charset);
    assert_int_equal(read_one(&b, "\x81", 1), 0x80);
    core_free(&b.core);
}


static void
test_ascii_kept(void **state)
{
    (void) state;

    for (what_a_is = ERROR; what_a_is <= 2; what_a_is++) {
        assert_refused(not_ascii, "ASCII as it is");
    }
}


/* Three controls are never asked for, since IBM's tables rotate them. */
static void
test_rotated(void **state)
{
    built_t b;

    (void) state;

    build(&b, "strange", 0, rotated);
    assert_non_null(b.charset);
    assert_int_equal(read_one(&b, "\x1a", 1), 0x1a);
    assert_int_equal(read_one(&b, "\x1c", 1), 0x1c);
    assert_int_equal(read_one(&b, "\x7f", 1), 0x7f);
    core_free(&b.core);
}


static void
test_twins(void **state)
{
    built_t b;

    (void) state;

    build(&b, "strange", 0, twins);
    assert_int_equal(read_one(&b, "\xa1", 1), 0x100);
    assert_int_equal(read_one(&b, "\xa2", 1), 0x100);
    assert_true(is_written(&b, 0x100, "\xa1", 1));
    core_free(&b.core);
}


static void
test_several(void **state)
{
    built_t b;

    (void) state;

    build(&b, "strange", 0, several);
    assert_non_null(b.charset);
    assert_int_equal(read_one(&b, "\x81", 1), 0);
    assert_int_equal(read_one(&b, "\x82", 1), 0);
    assert_int_equal(read_one(&b, "\x83", 1), 0x1f600);
    assert_int_equal(read_one(&b, "\x84", 1), 0);
    assert_int_equal(read_one(&b, "\x85", 1), 0);
    assert_int_equal(read_one(&b, "\x86", 1), 0);
    core_free(&b.core);
}


static void
test_endless(void **state)
{
    built_t b;

    (void) state;

    build(&b, "strange", 0, endless);
    assert_non_null(b.charset);
    assert_int_equal(read_one(&b, "\x81@@@", 4), 0);
    assert_int_equal(read_one(&b, "\x81@@", 3), 0);
    assert_int_equal(read_one(&b, "\xa1", 1), 0x100);
    core_free(&b.core);
}


/* Private use characters only of two octets, and where they are meant. */
static void
test_private_use(void **state)
{
    static const UChar units[] = { 0xe000, 0xf8ff, 0xf900 };
    built_t            b;
    size_t             i;
    unsigned           meant;
    int                private_use;

    (void) state;

    for (i = 0; i < COUNT(units); i++) {
        for (meant = 0; meant < 2; meant++) {
            unit = units[i];
            private_use = unit < 0xf900;

            build(&b, "strange", meant, one_is_unit);
            assert_int_equal(read_one(&b, "\x81", 1), private_use ? 0 : unit);
            core_free(&b.core);

            build(&b, "strange", meant, two_are_unit);
            assert_int_equal(read_one(&b, "\x82@", 2),
                             private_use && !meant ? 0 : unit);
            core_free(&b.core);
        }
    }
}


/* A lone surrogate is no character, and written by nothing. */
static void
test_surrogates(void **state)
{
    static const UChar units[] = { 0xd800, 0xdbff, 0xdc00, 0xdfff };
    built_t            b;
    size_t             i;

    (void) state;

    for (i = 0; i < COUNT(units); i++) {
        unit = units[i];
        build(&b, "strange", 1, one_is_unit);
        assert_int_equal(read_one(&b, "\x81", 1), 0);
        assert_false(is_written(&b, unit, "\x81", 1));
        core_free(&b.core);
    }
}


static void
test_linear(void **state)
{
    built_t b;

    (void) state;

    build(&b, "gb18030", 0, linear);
    assert_non_null(b.charset);
    assert_int_equal(read_one(&b, "\x81\x30\x81\x30", 4), 0x80);
    assert_int_equal(taken(&b, "\x81\x30\x81\x31", 4), 0);
    assert_int_equal(taken(&b, "\x81\x30\x81\x32", 4), 0);
    assert_int_equal(taken(&b, "\x81\x30\x81\x33", 4), 0);
    assert_int_equal(taken(&b, "\x81\x30\x81\x34", 4), 0);
    assert_int_equal(read_one(&b, "\x90\x30\x81\x30", 4), 0);
    core_free(&b.core);

    build(&b, "gb18030", 0, linear_and_more);
    assert_non_null(b.charset);
    assert_int_equal(read_one(&b, "\x82\x3a\x40", 3), 0x110);
    assert_int_equal(read_one(&b, "\x82\x2e\x40", 3), 0);
    assert_int_equal(read_one(&b, "\x81\x30\x81\x30", 4), 0x80);
    core_free(&b.core);
}


/* A failure of ICU is not a sequence less. */
static void
test_failing(void **state)
{
    (void) state;

    assert_refused(failing, "ICU failed");
    assert_refused(failing_in_ascii, "ICU failed");
}


/* Memory is out somewhere: no charset with less in it. */
static void
test_memory(void **state)
{
    static const decode_t decodes[] = { two_octets, three_octets,
                                        many_nodes, several,
                                        linear,     linear_and_more };
    iri_encoding_t        encoding = { "gb18030", "US-ASCII", NULL,
                                       0,         0,          IRI_QUIRK_NONE };
    const iri_charset_t  *charset;
    const char           *why;
    core_t                core;
    size_t                i, n;

    (void) state;
    inner = 0x40;

    for (i = 0; i < COUNT(decodes); i++) {
        strange.decode = decodes[i];

        for (n = 1, charset = NULL; charset == NULL; n++) {
            core_init(&core);
            core.fail_at = n;
            why = NULL;
            charset = iri_charset_build(&core.env, &encoding, &why);

            if (charset == NULL) {
                assert_int_equal(core.allocs, n);
                assert_non_null(strstr(why, "out of memory"));
            } else {
                assert_true(core.allocs < n);
            }

            core_free(&core);
        }

        assert_true(n > 4);
    }
}


/* ICU says that it will not stop at errors: then it is not asked at all. */
static void
test_callbacks(void **state)
{
    static const char *const functions[] = { "ucnv_setToUCallBack",
                                             "ucnv_setFromUCallBack" };
    size_t                   i;

    (void) state;

    for (i = 0; i < COUNT(functions); i++) {
        strange.broken = functions[i];
        strange.asked = 0;
        assert_refused(plain, "ICU");
        assert_int_equal(strange.asked, 1);
    }

    strange.broken = NULL;
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_inner_octets),
        cmocka_unit_test(test_ascii_born),
        cmocka_unit_test(test_ascii_kept),
        cmocka_unit_test(test_rotated),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_failing),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_private_use),
        cmocka_unit_test(test_surrogates),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_callbacks),
    };

    return cmocka_run_group_tests_name("strange", tests, NULL, NULL);
}
