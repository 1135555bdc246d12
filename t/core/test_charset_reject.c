/*
 * test_charset_reject.c - charsets that are refused for paths
 *
 * Covers: whatever an ICU converter does, the charset built from it is fit for
 * paths, or is refused with an error message.  The converters here are fakes:
 * this file replaces the functions of ICU that the core calls.
 */

#include <unicode/ucnv.h>

#include "core.h"

/* The code units that a fake converter gives for octets; 0: more are needed. */
#define ERROR   (-1)
#define FAILURE (-2) /* a failure of ICU, not an error of the octets */
#define CUT     (-3) /* an error as well: the sequence is incomplete */

/* The octets of a row are read as `count` units. */
typedef struct {
    const char *octets; /* NULL: the end */
    int         count;  /* or one of the words above */
    UChar       units[2];
} row_t;

static struct {
    const row_t *rows;
    int          skips; /* errors are skipped; else decoding stops there */
    int          broken_at; /* setting a callback fails from this call on */
    int          calls;     /* of it; counted only while it can fail */
} fake;


/* ---- in the place of ICU ------------------------------------------------ */

/* Without a row: ASCII, A1 as U+0100, all else an error. */
static int
decode(const unsigned char *octets, size_t len, UChar units[2])
{
    const row_t *row;
    size_t       n;

    for (row = fake.rows; row->octets != NULL; row++) {
        n = strlen(row->octets);

        if (n == len && memcmp(row->octets, octets, n) == 0) {
            memcpy(units, row->units, sizeof(row->units));
            return row->count;
        }
    }

    for (row = fake.rows; row->octets != NULL; row++) {
        if (strlen(row->octets) > len
            && memcmp(row->octets, octets, len) == 0) {
            return 0;
        }
    }

    if (len != 1 || (octets[0] >= 0x80 && octets[0] != 0xa1)) {
        return ERROR;
    }

    units[0] = octets[0] < 0x80 ? octets[0] : 0x100;

    return 1;
}


/* The argument is exactly these octets. */
static void
decode_stop(UChar **to, const UChar *end, const char **from,
            const char *from_end, UErrorCode *error)
{
    UChar units[2];
    int   n;

    n = decode((const unsigned char *) *from, (size_t) (from_end - *from),
               units);
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


/* Only the first octet of an error is skipped. */
void
ucnv_toUnicode(UConverter *converter, UChar **to, const UChar *end,
               const char **from, const char *from_end, int32_t *offsets,
               UBool flush, UErrorCode *error)
{
    const char *p, *start = *from;
    UChar       units[2];
    size_t      len;
    int         n, i;

    if (!fake.skips) {
        decode_stop(to, end, from, from_end, error);
        return;
    }

    assert_true(flush);

    for (p = start; p < from_end; p += len) {
        for (len = 1, n = 0; n == 0 && len <= 4 && p + len <= from_end; len++)
        {
            n = decode((const unsigned char *) p, len, units);
        }

        if (n == FAILURE) {
            *error = U_MEMORY_ALLOCATION_ERROR;
            return;
        }

        len = n > 0 ? len - 1 : 1;

        for (i = 0; i < n; i++) {
            assert_true(*to < end);
            *(*to)++ = units[i];
            *offsets++ = (int32_t) (p - start);
        }
    }

    *from = p;
}


void
ucnv_setToUCallBack(UConverter *converter, UConverterToUCallback action,
                    const void *context, UConverterToUCallback *old,
                    const void **old_context, UErrorCode *error)
{
    fake.skips = action == UCNV_TO_U_CALLBACK_SKIP;
    assert_true(fake.skips || action == UCNV_TO_U_CALLBACK_STOP);

    if (fake.broken_at != 0 && ++fake.calls >= fake.broken_at) {
        *error = U_ILLEGAL_ARGUMENT_ERROR;
    }
}


void
ucnv_setFallback(UConverter *converter, UBool uses)
{
    assert_false(uses);
}


/* ---- building ----------------------------------------------------------- */

typedef struct {
    const iri_charset_t *charset;
    const char          *why;
} built_t;

static built_t built;


/* Sequences have 40 to 7E after the first octet; three begin with 83. */
static iri_sequences_t sequences = { 0x40, 0x7e, 0x83, IRI_GB18030_FOUR_NONE,
                                     NULL };


static void
build(const char *name, unsigned private_use, const row_t *rows)
{
    iri_encoding_t encoding = { name,        "US-ASCII", NULL,      0,
                                private_use, NULL,       &sequences };

    core_init(&core);
    fake.rows = rows;
    built.why = NULL;
    built.charset = iri_charset_build(&core.env, &encoding, &built.why);
}


static void
assert_refused(const row_t *rows, const char *part)
{
    build("crafted", 1, rows);
    assert_null(built.charset);
    assert_non_null(built.why);

    if (strstr(built.why, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", built.why, part);
    }
}


/* The length of a character in octets; 0: there is none. */
static size_t
sequence_length(const char *octets, size_t len)
{
    const unsigned char *p = (const unsigned char *) octets;
    uint32_t             c;

    return iri_charset_next(built.charset, p, p + len, &c);
}


/* The character of exactly these octets; 0: none. */
static uint32_t
read_one(const char *octets, size_t len)
{
    const unsigned char *p = (const unsigned char *) octets;
    uint32_t             c = 0;

    return iri_charset_next(built.charset, p, p + len, &c) == len ? c : 0;
}


static int
is_written(uint32_t c, const char *octets, size_t len)
{
    unsigned char out[4];

    return iri_charset_put(built.charset, c, out) == len
           && memcmp(out, octets, len) == 0;
}


/* ---- converters --------------------------------------------------------- */

static const row_t plain[] = { { NULL } };

static char  two[] = "\x81@", three[] = "\x83@@", three_others[] = "\x82@@";
static row_t two_octets[] = { { two, 1, { 0x101 } }, { NULL } };
static row_t three_octets[] = { { three, 1, { 0x102 } },
                                { three_others, 1, { 0x102 } },
                                { NULL } };
static row_t one_is_unit[] = { { "\x81", 1 }, { NULL } };
static row_t two_are_unit[] = { { "\x82@", 1 }, { NULL } };
static row_t not_ascii[] = { { "a", 0, { 'a', 'a' } }, { NULL } };

static const row_t duplicates[] = { { "\xa2", 1, { 0x100 } }, { NULL } };

/*
 * Two characters, two of which one is ASCII, a surrogate pair, half of a pair
 * and a character, a private use character by a pair, and none; of one octet
 * and of two.
 */
static const row_t two_characters[] = { { "\x81", 2, { 0x102, 0x103 } },
                                        { "\x82", 2, { 0x102, '/' } },
                                        { "\x83", 2, { 0xd83d, 0xde00 } },
                                        { "\x84", 2, { 0xd83d, 0x103 } },
                                        { "\x85", 2, { 0xdb80, 0xdc00 } },
                                        { "\x86", CUT },
                                        { "\x87@", 2, { 0x102, 0x103 } },
                                        { "\x87\x41", 2, { 0x102, '/' } },
                                        { "\x87\x42", 2, { 0xd83d, 0xde00 } },
                                        { "\x87\x43", 2, { 0xd83d, 0x103 } },
                                        { "\x87\x44", 2, { 0xdb80, 0xdc00 } },
                                        { "\x87\x45", CUT },
                                        { NULL } };

static const row_t failing[] = { { "\xa1", FAILURE }, { NULL } };
static const row_t failing_in_ascii[] = { { "a", FAILURE }, { NULL } };
static const row_t failing_in_rows[] = { { "\x81@", FAILURE },
                                         { "\x81\x41", 1, { 0x101 } },
                                         { NULL } };

static const row_t always_incomplete[] = { { "\x81@@@", 0 }, { NULL } };

/* Rotated controls, as in IBM's tables. */
static const row_t rotated[] = { { "\x1a", 1, { 0x1c } },
                                 { "\x1c", 1, { 0x7f } },
                                 { "\x7f", 1, { 0x1a } },
                                 { NULL } };

/* The second is beyond the BMP, the third in private use. */
static const row_t linear[] = { { "\x81\x30\x81\x30", 1, { 0xa0 } },
                                { "\x81\x30\x81\x32", 2, { 0xd83d, 0xde00 } },
                                { "\x81\x30\x81\x33", 1, { 0xe000 } },
                                { NULL } };

/* A wrong second octet in 82 2F 81 30 and 81 3A 81 30 would reach these. */
static const row_t linear_beside[] = { { "\x81\x39\x81\x30", 1, { 0x110 } },
                                       { "\x82\x30\x81\x30", 1, { 0x111 } },
                                       { NULL } };


/* ---- tests -------------------------------------------------------------- */

TEST(test_plain)
{
    build("crafted", 0, plain);
    assert_non_null(built.charset);
    assert_text(iri_charset_name(built.charset), "crafted");
    assert_int_equal(read_one("\xa1", 1), 0x100);
    assert_int_equal(read_one("\xa2", 1), 0);
    assert_true(is_written(0x100, "\xa1", 1));
}


/* The octets after the first must be in the range of the charset. */
TEST(test_inner_octets)
{
    char     octets[3];
    unsigned octet;
    int      has;

    for (octet = 1; octet < 0x100; octet++) {
        two[1] = three[2] = three_others[2] = (char) octet;
        has = octet >= 0x40 && octet <= 0x7e;

        build("crafted", 0, two_octets);
        assert_non_null(built.charset);
        memcpy(octets, "\x81", 1);
        octets[1] = (char) octet;
        assert_int_equal(read_one(octets, 2), has ? 0x101 : 0);
        assert_int_equal(is_written(0x101, octets, 2), has);

        build("crafted", 0, three_octets);
        assert_non_null(built.charset);
        memcpy(octets, "\x83\x40", 2);
        octets[2] = (char) octet;
        assert_int_equal(read_one(octets, 3), has ? 0x102 : 0);
        octets[0] = (char) 0x82;
        assert_int_equal(sequence_length(octets, 3), 0);
    }
}


/* A charset without longer sequences has single octets only. */
TEST(test_single_octets)
{
    iri_encoding_t encoding = {
        "crafted", "US-ASCII", NULL, 0, 0, NULL, NULL
    };

    two[1] = 0x40;
    fake.rows = two_octets;
    core_init(&core);
    built.charset = iri_charset_build(&core.env, &encoding, &built.why);
    assert_non_null(built.charset);
    assert_int_equal(sequence_length("\x81\x40", 2), 0);
    assert_int_equal(read_one("\xa1", 1), 0x100);
}


/* No ASCII character for octets above 7F; C1 is refused by a later check. */
TEST(test_ascii_born)
{
    static const char part[] = "ASCII character for octets above 7F";
    UChar             unit;

    for (unit = 0; unit < 0x80; unit++) {
        one_is_unit[0].units[0] = two_are_unit[0].units[0] = unit;
        assert_refused(one_is_unit, part);
        assert_refused(two_are_unit, part);
    }

    /*
     * A C1 control is not allowed in a path, but does not refuse the
     * charset.
     */
    one_is_unit[0].units[0] = 0x80;
    build("crafted", 0, one_is_unit);
    assert_non_null(built.charset);
    assert_int_equal(read_one("\x81", 1), 0);

    one_is_unit[0].units[0] = 0xa0;
    build("crafted", 0, one_is_unit);
    assert_non_null(built.charset);
    assert_int_equal(read_one("\x81", 1), 0xa0);
}


TEST(test_ascii_kept)
{
    static const struct {
        int   count;
        UChar unit;
    } rows[] = { { ERROR, 'a' }, { 0, 'a' }, { 1, 'b' }, { 2, 'a' } };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        not_ascii[0].count = rows[i].count;
        not_ascii[0].units[0] = rows[i].unit;
        assert_refused(not_ascii, "ASCII as it is");
    }
}


/* Three controls are not checked, because IBM's tables rotate them. */
TEST(test_rotated)
{
    build("crafted", 0, rotated);
    assert_non_null(built.charset);
    assert_int_equal(read_one("\x1a", 1), 0x1a);
    assert_int_equal(read_one("\x1c", 1), 0x1c);
    assert_int_equal(read_one("\x7f", 1), 0x7f);
}


TEST(test_duplicates)
{
    build("crafted", 0, duplicates);
    assert_int_equal(read_one("\xa1", 1), 0x100);
    assert_int_equal(read_one("\xa2", 1), 0x100);
    assert_true(is_written(0x100, "\xa1", 1));
}


TEST(test_two_characters)
{
    build("crafted", 0, two_characters);
    assert_non_null(built.charset);
    assert_int_equal(read_one("\x81", 1), 0);
    assert_int_equal(read_one("\x82", 1), 0);
    assert_int_equal(read_one("\x83", 1), 0x1f600);
    assert_int_equal(read_one("\x84", 1), 0);
    assert_int_equal(read_one("\x85", 1), 0);
    assert_int_equal(read_one("\x86", 1), 0);
    assert_int_equal(read_one("\x87\x40", 2), 0);
    assert_int_equal(read_one("\x87\x41", 2), 0);
    assert_int_equal(read_one("\x87\x42", 2), 0x1f600);
    assert_int_equal(read_one("\x87\x43", 2), 0);
    assert_int_equal(read_one("\x87\x44", 2), 0);
    assert_int_equal(read_one("\x87\x45", 2), 0);
}


TEST(test_always_incomplete)
{
    build("crafted", 0, always_incomplete);
    assert_non_null(built.charset);
    assert_int_equal(read_one("\x81@@@", 4), 0);
    assert_int_equal(read_one("\x81@@", 3), 0);
    assert_int_equal(read_one("\xa1", 1), 0x100);
}


/* Private use characters only from two octets, and only where expected. */
TEST(test_private_use)
{
    static const UChar units[] = { 0xe000, 0xf8ff, 0xf900 };
    size_t             i;
    unsigned           meant;
    int                private_use;
    UChar              unit;

    for (i = 0; i < COUNT(units); i++) {
        for (meant = 0; meant < 2; meant++) {
            unit = one_is_unit[0].units[0] = two_are_unit[0]
                                                 .units[0] = units[i];
            private_use = unit < 0xf900;

            build("crafted", meant, one_is_unit);
            assert_int_equal(read_one("\x81", 1), private_use ? 0 : unit);

            build("crafted", meant, two_are_unit);
            assert_int_equal(read_one("\x82@", 2),
                             private_use && !meant ? 0 : unit);
        }
    }
}


/* A lone surrogate is no character and is never encoded. */
TEST(test_surrogates)
{
    static const UChar units[] = { 0xd800, 0xdbff, 0xdc00, 0xdfff };
    size_t             i;

    for (i = 0; i < COUNT(units); i++) {
        one_is_unit[0].units[0] = units[i];
        build("crafted", 1, one_is_unit);
        assert_int_equal(read_one("\x81", 1), 0);
        assert_false(is_written(units[i], "\x81", 1));
    }
}


TEST(test_linear)
{
    sequences.four = IRI_GB18030_FOUR_ENCODED;

    build("gb18030", 0, linear);
    assert_non_null(built.charset);
    assert_int_equal(read_one("\x81\x30\x81\x30", 4), 0xa0);
    assert_int_equal(sequence_length("\x81\x30\x81\x31", 4), 0);
    assert_int_equal(sequence_length("\x81\x30\x81\x32", 4), 0);
    assert_int_equal(sequence_length("\x81\x30\x81\x33", 4), 0);
    assert_int_equal(sequence_length("\x81\x30\x81\x34", 4), 0);
    assert_int_equal(read_one("\x90\x30\x81\x30", 4), 0);

    build("gb18030", 0, linear_beside);
    assert_non_null(built.charset);
    assert_int_equal(read_one("\x81\x39\x81\x30", 4), 0x110);
    assert_int_equal(read_one("\x82\x30\x81\x30", 4), 0x111);
    assert_int_equal(sequence_length("\x82\x2f\x81\x30", 4), 0);
    assert_int_equal(sequence_length("\x81\x3a\x81\x30", 4), 0);

    sequences.four = IRI_GB18030_FOUR_NONE;
    build("crafted", 0, linear_beside);
    assert_int_equal(sequence_length("\x81\x39\x81\x30", 4), 0);
}


/* A failure of ICU is not treated as an unmapped sequence. */
TEST(test_failing)
{
    assert_refused(failing, "ICU failed");
    assert_refused(failing_in_ascii, "ICU failed");
    assert_refused(failing_in_rows, "ICU failed");
}


/* After a failed allocation there is no charset, never an incomplete one. */
TEST(test_memory)
{
    static const row_t *const rows[] = { two_octets, three_octets,
                                         two_characters, linear,
                                         linear_beside };
    iri_encoding_t       encoding = { "gb18030", "US-ASCII", NULL,      0,
                                      0,         NULL,       &sequences };
    const iri_charset_t *charset;
    const char          *why;
    size_t               i, n;

    two[1] = three[2] = three_others[2] = 0x40;
    sequences.four = IRI_GB18030_FOUR_ENCODED;

    for (i = 0; i < COUNT(rows); i++) {
        fake.rows = rows[i];

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
        }

        assert_true(n > 4);
    }

    sequences.four = IRI_GB18030_FOUR_NONE;
}


/* ICU fails to set the error callback. */
TEST(test_callbacks)
{
    for (fake.broken_at = 1; fake.broken_at <= 2; fake.broken_at++) {
        fake.calls = 0;
        assert_refused(plain, "ICU");
        assert_int_equal(fake.calls, fake.broken_at);
    }

    fake.broken_at = 0;
}
