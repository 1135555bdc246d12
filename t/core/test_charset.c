/*
 * test_charset.c - legacy charsets: the right tables, and safe ones
 *
 * Covers: each label of the Encoding Standard leads to the charset of that
 * name, and each charset for paths can be built; decoding and encoding agree
 * with the standard's algorithms and indexes (whatwg.h), except for the
 * differences listed here; no sequence with a high first octet gives
 * ASCII, no octet past the end is read, and encoded text is decoded to the
 * same; unfit charsets are refused with an error message.
 */

#include <stdlib.h>

#include "core.h"
#include "whatwg.h"

#define NONE WHATWG_NONE

static const struct {
    const char *label;
    const char *says;
} refused[] = {
    { "ISO-2022-JP", "has states" },
    { "csiso2022jp", "has states" },
    { "iso-2022-kr", "has states" },
    { "hz-gb-2312", "has states" },
    { "utf-7", "encodes \"/\" in several ways" },
    { "utf-16", "more than one octet" },
    { "utf-16be", "more than one octet" },
    { "utf-32", "more than one octet" },
    { "x-user-defined", "private-use characters only" },
};


static size_t
next(const iri_charset_t *charset, const unsigned char *p, size_t len,
     uint32_t *c)
{
    *c = NONE;

    return iri_charset_next(charset, p, p + len, c);
}


/* The one character of exactly these octets, or NONE. */
static uint32_t
decode_one(const iri_charset_t *charset, const unsigned char *p, size_t len)
{
    uint32_t c;

    return next(charset, p, len, &c) == len ? c : NONE;
}


/* ---- labels ------------------------------------------------------------- */

TEST(test_labels_of_the_standard)
{
    FILE                 *file = core_data("whatwg-encoding/encodings.json");
    const iri_encoding_t *row;
    char                  line[512], key[64], colon[2], name[64];
    char                  labels[64][64];
    size_t                count = 0, total = 0, i;
    int                   n;

    if (file == NULL) {
        return;
    }

    while (fgets(line, sizeof(line), file) != NULL) {
        /* A label, or "name" and the charset of the labels before. */
        n = sscanf(line, " \"%63[^\"]\"%1[:] \"%63[^\"]", key, colon, name);

        if (n == 1) {
            assert_true(count < COUNT(labels));
            strcpy(labels[count++], key);

        } else if (n == 3 && strcmp(key, "name") == 0) {
            for (i = 0; i < count; i++) {
                row = iri_encoding_find(core_str(labels[i]));
                if (row == NULL) {
                    fail_msg("no label \"%s\"", labels[i]);
                }

                assert_string_equal(row->name, name);
            }

            total += count;
            count = 0;
        }
    }

    fclose(file);
    assert_true(total > 220);
}


TEST(test_labels)
{
    assert_null(iri_encoding_find(S("")));
    assert_null(iri_encoding_find(S("latin-klingon")));
    assert_null(iri_encoding_find(S("utf-8 ")));
    assert_null(iri_encoding_find(S("sji")));
    assert_null(iri_encoding_find(S("sjis\0")));
    assert_ptr_equal(iri_encoding_find(S("SJIS")),
                     iri_encoding_find(S("shift_jis")));

    /* The charset of the label as users expect it, not as ICU maps it. */
    assert_string_equal(iri_encoding_find(S("cp949"))->name, "EUC-KR");
    assert_string_equal(iri_encoding_find(S("CP932"))->name, "Shift_JIS");
    assert_string_equal(iri_encoding_find(S("latin1"))->name, "windows-1252");
}


TEST(test_refused)
{
    iri_charsets_t list;
    iri_str_t      word;
    const char    *error;
    size_t         i;

    for (i = 0; i < COUNT(refused); i++) {
        word = core_str(refused[i].label);
        error = iri_parse_charsets(core_registry(), &word, 1, 1, &list);

        assert_non_null(error);
        assert_non_null(strstr(error, refused[i].label));
        assert_non_null(strstr(error, refused[i].says));
    }
}


/* Rows that the checks cannot let through: the builder itself refuses them. */
TEST(test_builder_refuses)
{
    static const iri_sequences_t all = { 0x30, 0xff, 0x8f,
                                         IRI_GB18030_FOUR_NONE, NULL };

    static const struct {
        iri_encoding_t row;
        const char    *says;
    } unfit[] = {
        { { "cp949", "ibm-949_P110-1999", NULL, 0, 0, NULL, &all }, "ASCII" },
        { { "ebcdic", "ibm-37_P100-1995", NULL, 0, 0, NULL, &all }, "ASCII" },
        { { "ibm-33722", "ibm-33722_P12A_P12A-2009_U2", NULL, 0, 0, NULL,
            &all },
          "ASCII character for octets above 7F" },
        { { "iso-2022-jp", "ISO-2022-JP", NULL, 0, 0, NULL, &all }, "" },
        { { "utf-7", "UTF-7", NULL, 0, 0, NULL, &all }, "" },
        { { "utf-16", "UTF-16BE", NULL, 0, 0, NULL, &all }, "ASCII" },
        { { "hz", "HZ", NULL, 0, 0, NULL, &all }, "" },
        { { "none", "no-such-converter", NULL, 0, 0, NULL, &all }, "ICU" },
    };
    const char *why;
    size_t      i;

    for (i = 0; i < COUNT(unfit); i++) {
        core_init(&core);
        why = NULL;

        if (iri_charset_build(&core.env, &unfit[i].row, &why) != NULL) {
            fail_msg("%s was built", unfit[i].row.converter);
        }

        assert_non_null(why);
        assert_non_null(strstr(why, unfit[i].says));
    }
}


/* No "/", ".", "%" and no control is inside a sequence of any charset. */
TEST(test_octets_of_sequences)
{
    const iri_encoding_t  *row;
    const iri_sequences_t *has;
    size_t                 i, count = 0;

    for (i = 0; (row = iri_encoding_at(i)) != NULL; i++) {
        has = row->sequences;

        if (has != NULL) {
            count++;
            assert_true(has->first >= 0x40 && has->first <= has->last);
            assert_true(has->three == 0 || has->three >= 0x80);
        }
    }

    assert_int_equal(count, 6);
}


/*
 * Sequences of four octets are decoded in gb18030 and GBK, and encoded in
 * gb18030 only.
 */
TEST(test_four_octets)
{
    static const unsigned char p[] = { 0x90, 0x30, 0x81, 0x30 };
    unsigned char              out[4];
    const iri_charset_t       *charset;
    uint32_t                   c;
    size_t                     i;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);
        assert_int_equal(next(charset, p, 4, &c) == 4,
                         core_supported[i].four);
        assert_int_equal(iri_charset_put(charset, 0x10000, out) == 4,
                         strcmp(core_supported[i].name, "gb18030") == 0);
    }
}


TEST(test_each_is_built)
{
    const iri_charset_t *charset;
    size_t               i, japanese = 0;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);
        assert_text(iri_charset_name(charset), core_supported[i].name);
        assert_ptr_equal(charset, core_charset(core_supported[i].name));
        assert_false(iri_charset_is_utf8(charset));
        japanese += iri_charset_is_japanese(charset) != 0;
    }

    assert_int_equal(japanese, 2);
    assert_true(iri_charset_is_utf8(core_charset("utf8")));
    assert_ptr_equal(core_charset("utf-8"), &iri_charset_utf8);
}


/* ---- against the Encoding Standard -------------------------------------- */


/*
 * Characters that no path may have: C1 controls, U+FFFD, noncharacters (design
 * 4.5).
 */
static int
is_refused(uint32_t c)
{
    return c == WHATWG_PAIR || (c >= 0x80 && c <= 0x9f) || c == 0xfffd
           || (c >= 0xfdd0 && c <= 0xfdef)
           || (c != NONE && (c & 0xfffe) == 0xfffe);
}


static size_t
check_read(const char *name, const unsigned char *p, size_t len)
{
    uint32_t got = decode_one(core_charset(name), p, len);
    uint32_t want = whatwg_decode(name, p, len);

    if (got == (is_refused(want) ? NONE : want)) {
        return 0;
    }

    print_error("%s %s: U+%04X, not U+%04X\n", name,
                core_show((iri_str_t){ len, p }), (unsigned) got,
                (unsigned) want);

    return 1;
}


/*
 * All sequences of the standard's decoders. Exceptions are controls and
 * noncharacters, and four sequences of Big5 for two characters each, which the
 * standard's encoder cannot write.
 */
TEST(test_decoding)
{
    const char   *name;
    unsigned char p[4];
    uint32_t      code;
    size_t        i, wrong = 0;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        name = core_supported[i].name;

        if (!whatwg_has(name)) {
            continue;
        }

        for (code = 0x80; code < 0x100; code++) {
            p[0] = (unsigned char) code;
            wrong += check_read(name, p, 1);
        }

        for (code = 0x8000; code < 0x10000; code++) {
            p[0] = (unsigned char) (code >> 8);
            p[1] = (unsigned char) code;
            wrong += check_read(name, p, 2);
        }

        for (code = 0; code < 0x10000 && core_supported[i].three; code++) {
            p[0] = 0x8f;
            p[1] = (unsigned char) (code >> 8);
            p[2] = (unsigned char) code;
            wrong += check_read(name, p, 3);
        }

        for (code = 0; code < 126 * 12600 && core_supported[i].four; code++) {
            whatwg_four(code, p);
            wrong += check_read(name, p, 4);
        }
    }

    assert_int_equal(wrong, 0);
}


/* The differences to the standard's encoder. */
static const struct {
    const char *charset;
    uint32_t    from, to; /* characters */
    int         written;  /* 1: encoded by us only; 0: by the standard only */
    const char *because;
} differences[] = {
    { "Shift_JIS", 0xa5, 0xa5, 0, "5C is read as a backslash" },
    { "Shift_JIS", 0x203e, 0x203e, 0, "7E is read as a tilde" },
    { "Shift_JIS", 0x2212, 0x2212, 0, "817C is read as U+FF0D" },
    { "Shift_JIS", 0xe000, 0xe757, 1, "names on disk may have them" },
    { "EUC-JP", 0xa5, 0xa5, 0, "5C is read as a backslash" },
    { "EUC-JP", 0x203e, 0x203e, 0, "7E is read as a tilde" },
    { "EUC-JP", 0x2212, 0x2212, 0, "A1DD is read as U+FF0D" },
    { "EUC-JP", 0xa1, 0xffff, 1, "names on disk may have JIS X 0212" },
    { "Big5", 0xa1, 0x2ffff, 1, "names on disk may have HKSCS" },
    { "gb18030", 0xe78d, 0xe796, 0, "A6D9 and so on are read as U+FE10" },
    { "gb18030", 0xe81e, 0xe864, 0, "FE59 and so on are read as U+9FB4" },
    { "GBK", 0xe78d, 0xe796, 0, "A6D9 and so on are read as U+FE10" },
    { "GBK", 0xe81e, 0xe864, 0, "FE59 and so on are read as U+9FB4" },
};


/*
 * Is the character in a row above, and does the standard decode our octets to
 * c?
 */
static int
is_difference(const char *name, uint32_t c, const unsigned char *out,
              size_t len, size_t want)
{
    size_t i;

    for (i = 0; i < COUNT(differences); i++) {
        if (strcmp(differences[i].charset, name) == 0
            && c >= differences[i].from && c <= differences[i].to)
        {
            return differences[i].written
                       ? want == 0 && whatwg_decode(name, out, len) == c
                       : len == 0;
        }
    }

    return 0;
}


TEST(test_encoding)
{
    const char   *name;
    unsigned char ours[4], its[4];
    uint32_t      c;
    size_t        i, n, m, wrong = 0;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        name = core_supported[i].name;

        if (!whatwg_has(name)) {
            continue;
        }

        for (c = 0x80; c < 0x110000; c++) {
            c = c == 0xd800 ? 0xe000 : c;
            n = iri_charset_put(core_charset(name), c, ours);
            m = is_refused(c) ? 0 : whatwg_encode(name, c, its);

            if ((n != m || memcmp(ours, its, n) != 0)
                && !is_difference(name, c, ours, n, m))
            {
                print_error("%s: U+%04X is %s", name, (unsigned) c,
                            core_show((iri_str_t){ n, ours }));
                print_error(", not %s\n", core_show((iri_str_t){ m, its }));
                wrong++;
            }
        }
    }

    assert_int_equal(wrong, 0);
}


/* ---- safety ------------------------------------------------------------- */

/*
 * The result for a sequence consumes at least one octet of p and is never
 * ASCII.
 */
static void
check_safe(const char *name, const unsigned char *p, size_t n, size_t len,
           uint32_t c)
{
    size_t i;

    assert_true(n <= len);

    if (c < 0x80 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
        fail_msg("%s %s gives U+%04X", name, core_show((iri_str_t){ n, p }),
                 (unsigned) c);
    }

    for (i = 1; i < n; i++) {
        if (p[i] < 0x30 || p[i] == 0x7f) {
            fail_msg("%s swallows %02X", name, p[i]);
        }
    }
}


TEST(test_all_of_three_octets)
{
    const iri_charset_t *charset;
    unsigned char        p[3];
    uint32_t             code, c;
    size_t               i, n;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);

        for (code = 0x800000; code < 0x1000000; code++) {
            p[0] = (unsigned char) (code >> 16);
            p[1] = (unsigned char) (code >> 8);
            p[2] = (unsigned char) code;
            n = next(charset, p, 3, &c);

            if (n != 0) {
                check_safe(core_supported[i].name, p, n, 3, c);

                /*
                 * Octets after the sequence do not matter: skip to the next
                 * sequence.
                 */
                code |= n == 1 ? 0xffff : n == 2 ? 0xff : 0;
            }
        }
    }
}


/*
 * With fewer octets there is no character or the same; no octet past the end is
 * read.
 */
TEST(test_nothing_past_the_end)
{
    const iri_charset_t *charset;
    unsigned char       *exact, p[4];
    uint32_t             c, d;
    size_t               i, turn, len, k, n, m;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);

        for (turn = 0; turn < 20000; turn++) {
            for (k = 0; k < 4; k++) {
                p[k] = (unsigned char) (k % 2 == 0 || core_random(2)
                                            ? 0x80 + core_random(0x80)
                                            : 0x30 + core_random(0x50));
            }

            n = next(charset, p, 4, &c);

            for (len = 0; len <= 4; len++) {
                exact = malloc(len != 0 ? len : 1);
                memcpy(exact, p, len);
                m = next(charset, exact, len, &d);
                free(exact);

                assert_int_equal(m, n <= len ? n : 0);

                if (m != 0) {
                    assert_int_equal(c, d);
                }
            }
        }
    }
}


/*
 * Encoded text decodes to the same character, and each character is encoded
 * once.
 */
TEST(test_encoded_is_decoded)
{
    const iri_charset_t *charset;
    unsigned char        p[4];
    uint32_t             c;
    size_t               i, n;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);

        for (c = 0; c <= 0x10ffff; c++) {
            if (c >= 0xd800 && c <= 0xdfff) {
                continue;
            }

            n = iri_charset_put(charset, c, p);

            if (n != 0) {
                assert_int_equal(decode_one(charset, p, n), c);
                assert_int_equal(p[0] < 0x80, c < 0x80);

            } else {
                assert_true(c >= 0x80);
            }
        }
    }
}


/*
 * Decoded octets are encoded to the same, except for this number of duplicates.
 */
static size_t
duplicates(const char *name)
{
    const iri_charset_t *charset = core_charset(name);
    unsigned char        p[3], out[4];
    uint32_t             c, code;
    size_t               n, count = 0;

    for (code = 0x800000; code < 0x1000000; code++) {
        p[0] = (unsigned char) (code >> 16);
        p[1] = (unsigned char) (code >> 8);
        p[2] = (unsigned char) code;
        n = next(charset, p, 3, &c);

        if (n != 0) {
            count += iri_charset_put(charset, c, out) != n
                     || memcmp(out, p, n) != 0;
            code |= n == 1 ? 0xffff : n == 2 ? 0xff : 0;
        }
    }

    return count;
}


TEST(test_duplicates)
{
    static const struct {
        const char *name;
        size_t      count;
    } known[] = {
        { "Shift_JIS", 398 }, /* NEC and IBM rows: see the data file */
        { "EUC-JP", 291 },    /* JIS X 0212 and IBM's rows */
        { "Big5", 100 },      /* HKSCS below A1, box drawing, some Han */
        { "EUC-KR", 0 },       { "GBK", 2 },          { "gb18030", 2 },
        { "windows-1252", 0 }, { "windows-1258", 0 }, { "KOI8-U", 0 },
    };
    size_t i;

    for (i = 0; i < COUNT(known); i++) {
        if (duplicates(known[i].name) != known[i].count) {
            fail_msg("%s has %d twins", known[i].name,
                     (int) duplicates(known[i].name));
        }
    }
}


/*
 * The four octets of gb18030: the second to fourth are checked against their
 * ranges.
 */
TEST(test_gb18030_ranges)
{
    static const struct {
        const char *octets;
        size_t      len;
    } cases[] = {
        { "\x81\x30\x84\x32", 4 }, { "\x90\x39\xfe\x39", 4 },
        { "\x81\x30\x81\x30", 0 }, /* U+0080 */
        { "\x81\x2f\x81\x30", 0 }, { "\x81\x3a\x81\x30", 0 },
        { "\x81\x30\x80\x30", 0 }, { "\x81\x30\xff\x30", 0 },
        { "\x81\x30\x81\x2f", 0 }, { "\x81\x30\x81\x3a", 0 },
        { "\x90\x30\x81\x3a", 0 }, { "\xe3\x32\x9a\x33", 4 },
        { "\xe3\x32\x9a\x35", 0 }, /* U+10FFFF */
        { "\xe3\x32\x9a\x36", 0 }, { "\xfe\x39\xfe\x39", 0 },
    };
    const iri_charset_t *charset = core_charset("gb18030");
    const unsigned char *p;
    uint32_t             c;
    size_t               i;

    for (i = 0; i < COUNT(cases); i++) {
        p = (const unsigned char *) cases[i].octets;
        assert_int_equal(iri_charset_next(charset, p, p + 4, &c),
                         cases[i].len);
    }
}
