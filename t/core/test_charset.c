/*
 * test_charset.c - legacy charsets are the tables they should be, and safe
 *
 * Proves: each label of the Encoding Standard leads to the charset of that
 * name, and each charset that can read paths can be built; what is read is
 * what ICU reads strictly; it is what the standard's own index files say,
 * but for differences listed here; no sequence with a high first octet gives
 * ASCII, nothing is read past the end, and whatever is written is read as
 * the same; charsets that are unfit are refused with a sentence.
 */

#include <stdlib.h>

#include <unicode/ucnv.h>

#include "core.h"

#define NONE 0xffffffffu /* no character */

static const struct {
    const char *label;
    const char *says;
} refused[] = {
    { "ISO-2022-JP", "switches states" },
    { "csiso2022jp", "switches states" },
    { "iso-2022-kr", "switches states" },
    { "hz-gb-2312", "switches states" },
    { "utf-7", "writes \"/\" as other octets" },
    { "utf-16", "more than one octet" },
    { "utf-16be", "more than one octet" },
    { "utf-32", "more than one octet" },
    { "x-user-defined", "no characters" },
    { "iso-8859-16", "no table" },
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
one(const iri_charset_t *charset, const unsigned char *p, size_t len)
{
    uint32_t c;

    return next(charset, p, len, &c) == len ? c : NONE;
}


/* ---- labels ------------------------------------------------------------- */

/* A string of the file, in place; NULL: the line has none. */
static char *
json_string(char *line, char **key)
{
    char *p = strchr(line, '"'), *end;

    *key = NULL;

    if (p == NULL) {
        return NULL;
    }

    end = strchr(++p, '"');
    *end = '\0';

    if (end[1] != ':') {
        return p;
    }

    *key = p;
    p = strchr(end + 2, '"');

    if (p == NULL) {
        return NULL;
    }

    p++;
    *strchr(p, '"') = '\0';

    return p;
}


static int
big5_hkscs(const char *label)
{
    /* Apart here: the standard's Big5 holds both. */
    return strcmp(label, "big5-hkscs") == 0;
}


static void
test_labels_of_the_standard(void **state)
{
    FILE                 *file = core_data("whatwg-encoding/encodings.json");
    const iri_encoding_t *row;
    char                  line[512], *key, *text, labels[64][64];
    size_t                count = 0, total = 0, i;

    (void) state;

    if (file == NULL) {
        return;
    }

    while (fgets(line, sizeof(line), file) != NULL) {
        text = json_string(line, &key);

        if (key == NULL && text != NULL) {
            assert_true(count < COUNT(labels));
            snprintf(labels[count++], sizeof(labels[0]), "%s", text);

        } else if (key != NULL && strcmp(key, "name") == 0) {
            for (i = 0; i < count; i++) {
                row = iri_encoding_find(core_str(labels[i]));
                if (row == NULL) {
                    fail_msg("no label \"%s\"", labels[i]);
                }

                assert_string_equal(
                    row->name, big5_hkscs(labels[i]) ? "Big5-HKSCS" : text);
            }

            total += count;
            count = 0;
        }
    }

    fclose(file);
    assert_true(total > 220);
}


static void
test_labels(void **state)
{
    (void) state;

    assert_null(iri_encoding_find(S("")));
    assert_null(iri_encoding_find(S("latin-klingon")));
    assert_null(iri_encoding_find(S("utf-8 ")));
    assert_null(iri_encoding_find(S("sji")));
    assert_null(iri_encoding_find(S("sjis\0")));
    assert_ptr_equal(iri_encoding_find(S("SJIS")),
                     iri_encoding_find(S("shift_jis")));

    /* What users mean, not what ICU thinks they mean. */
    assert_string_equal(iri_encoding_find(S("cp949"))->name, "EUC-KR");
    assert_string_equal(iri_encoding_find(S("CP932"))->name, "Shift_JIS");
    assert_string_equal(iri_encoding_find(S("latin1"))->name, "windows-1252");
}


static void
test_refused(void **state)
{
    iri_charsets_t list;
    iri_str_t      word;
    const char    *error;
    size_t         i;

    (void) state;

    for (i = 0; i < COUNT(refused); i++) {
        word = core_str(refused[i].label);
        error = iri_parse_charsets(core_registry(), &word, 1, 1, &list);

        assert_non_null(error);
        assert_non_null(strstr(error, refused[i].label));
        assert_non_null(strstr(error, refused[i].says));
    }
}


/* Rows that no check can have let through: what the builder itself refuses. */
static void
test_builder_refuses(void **state)
{
    static const iri_sequences_t all = { 0x30, 0xff, 0x8f, 0 };

    static const struct {
        iri_encoding_t row;
        const char    *says;
    } unfit[] = {
        { { "cp949", "ibm-949_P110-1999", NULL, 0, 0, 0, &all }, "ASCII" },
        { { "ebcdic", "ibm-37_P100-1995", NULL, 0, 0, 0, &all }, "ASCII" },
        { { "ibm-33722", "ibm-33722_P12A_P12A-2009_U2", NULL, 0, 0, 0, &all },
          "ASCII character for octets above 7F" },
        { { "iso-2022-jp", "ISO-2022-JP", NULL, 0, 0, 0, &all }, "" },
        { { "utf-7", "UTF-7", NULL, 0, 0, 0, &all }, "" },
        { { "utf-16", "UTF-16BE", NULL, 0, 0, 0, &all }, "ASCII" },
        { { "hz", "HZ", NULL, 0, 0, 0, &all }, "" },
        { { "none", "no-such-converter", NULL, 0, 0, 0, &all }, "ICU" },
    };
    core_t      core;
    const char *why;
    size_t      i;

    (void) state;

    for (i = 0; i < COUNT(unfit); i++) {
        core_init(&core);
        why = NULL;

        if (iri_charset_build(&core.env, &unfit[i].row, &why) != NULL) {
            fail_msg("%s was built", unfit[i].row.converter);
        }

        assert_non_null(why);
        assert_non_null(strstr(why, unfit[i].says));
        core_free(&core);
    }
}


/* No "/", ".", "%" and no control is inside a sequence of any charset. */
static void
test_octets_of_sequences(void **state)
{
    const iri_encoding_t  *row;
    const iri_sequences_t *has;
    size_t                 i, count = 0;

    (void) state;

    for (i = 0; (row = iri_encoding_at(i)) != NULL; i++) {
        has = row->sequences;

        if (has != NULL) {
            count++;
            assert_true(has->first >= 0x40 && has->first <= has->last);
            assert_true(has->three == 0 || has->three >= 0x80);
        }
    }

    assert_int_equal(count, 7);
}


/* Four octets are gb18030's alone. */
static void
test_four_octets(void **state)
{
    static const unsigned char p[] = { 0x90, 0x30, 0x81, 0x30 };
    uint32_t                   c;
    size_t                     i;

    (void) state;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        assert_int_equal(next(core_charset(core_supported[i].name), p, 4, &c)
                             == 4,
                         strcmp(core_supported[i].name, "gb18030") == 0);
    }
}


static void
test_each_is_built(void **state)
{
    const iri_charset_t *charset;
    size_t               i, japanese = 0;

    (void) state;

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


/* ---- against ICU -------------------------------------------------------- */

/*
 * Where we read otherwise than ICU, and why: code positions that the
 * standard does not have and ICU makes private use characters of, or in
 * EUC-JP half-width signs; two letters in which the standard's KOI8-U
 * differs.
 */
static int
is_exception(const char *name, const unsigned char *p, size_t got,
             uint32_t icu)
{
    if (strcmp(name, "KOI8-U") == 0 && (p[0] == 0xae || p[0] == 0xbe)) {
        return got == 1;
    }

    if (strcmp(name, "EUC-JP") == 0 && p[0] == 0x8e && p[1] >= 0xe0) {
        return got == 0;
    }

    return got == 0 && core_is_private(icu);
}


static void
check_icu(const char *name, const iri_charset_t *charset, UConverter *icu,
          const unsigned char *p, size_t len)
{
    uint32_t got[2] = { NONE, 0 }, want[2] = { NONE, 0 };
    size_t   n = next(charset, p, len, &got[0]);
    size_t   m = core_icu_next(icu, p, len, want);

    /* A shorter sequence begins here: ICU then reads several. */
    if (n != 0 && n < len) {
        return;
    }

    if (m != 0 && n == 0) {
        uint32_t lead[2];
        size_t   k;

        for (k = 1; k < len; k++) {
            if (core_icu_next(icu, p, k, lead) != 0) {
                return; /* as above, of a character that we leave out */
            }
        }
    }

    if ((n != m || (n != 0 && (got[0] != want[0] || got[1] != want[1])))
        && !is_exception(name, p, n, want[0]))
    {
        fail_msg("%s %s: %d of U+%04X U+%04X, ICU %d of U+%04X U+%04X", name,
                 core_show((iri_str_t){ len, p }), (int) n, (unsigned) got[0],
                 (unsigned) got[1], (int) m, (unsigned) want[0],
                 (unsigned) want[1]);
    }
}


static void
test_against_icu(void **state)
{
    const iri_charset_t *charset;
    UConverter          *icu;
    unsigned char        p[4];
    uint32_t             c;
    size_t               i, b, k;

    (void) state;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);
        icu = core_icu_open(core_supported[i].icu);

        for (b = 0; b < 0x100; b++) {
            p[0] = (unsigned char) b;

            /* Ours keeps the controls that IBM's tables rotate. */
            if (b < 0x80) {
                assert_int_equal(next(charset, p, 1, &c), 1);
                assert_int_equal(c, b);
                continue;
            }

            check_icu(core_supported[i].name, charset, icu, p, 1);

            for (k = 0; k < 0x100; k++) {
                p[1] = (unsigned char) k;
                check_icu(core_supported[i].name, charset, icu, p, 2);
            }
        }

        for (k = 0; core_supported[i].three && k < 0x10000; k++) {
            p[0] = 0x8f;
            p[1] = (unsigned char) (k >> 8);
            p[2] = (unsigned char) k;
            check_icu(core_supported[i].name, charset, icu, p, 3);
        }

        ucnv_close(icu);
    }
}


static void
gb_octets(uint32_t code, unsigned char p[4])
{
    p[0] = (unsigned char) (0x81 + code / 12600);
    p[1] = (unsigned char) (0x30 + code / 1260 % 10);
    p[2] = (unsigned char) (0x81 + code / 10 % 126);
    p[3] = (unsigned char) (0x30 + code % 10);
}


static void
test_gb18030_against_icu(void **state)
{
    const iri_charset_t *charset = core_charset("gb18030");
    UConverter          *icu = core_icu_open("gb18030");
    unsigned char        p[4];
    uint32_t             code;

    (void) state;

    /* All four-octet codes there are, and those behind them. */
    for (code = 0; code < 126 * 12600; code++) {
        gb_octets(code, p);
        check_icu("gb18030", charset, icu, p, 4);

        /* Of the many in planes 1 to 16 every seventh will do. */
        code += code > 200000 && code < 1230000 ? 6 : 0;
    }

    ucnv_close(icu);
}


/* The octets that ICU writes c as; 0: none. */
static size_t
icu_put(UConverter *icu, uint32_t c, unsigned char out[8])
{
    UErrorCode   error = U_ZERO_ERROR;
    UChar        units[2];
    const UChar *from = units;
    char        *to = (char *) out;
    int32_t      n = 0;

    U16_APPEND_UNSAFE(units, n, (UChar32) c);
    ucnv_resetFromUnicode(icu);
    ucnv_fromUnicode(icu, &to, to + 8, &from, from + n, NULL, 1, &error);

    return U_SUCCESS(error) ? (size_t) (to - (char *) out) : 0;
}


/* A character is written as by ICU, if those octets are read as it. */
static void
test_writing_against_icu(void **state)
{
    const iri_charset_t *charset;
    UConverter          *icu;
    unsigned char        ours[4], its[8];
    uint32_t             c;
    size_t               i, n, m;

    (void) state;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);
        icu = core_icu_open(core_supported[i].icu);

        for (c = 0x80; c < 0x30000; c++) {
            /* Of plane 1 none is in a table; gb18030 counts them. */
            c = c == 0xd800 ? 0xe000 : c == 0x10100 ? 0x1ff00 : c;

            n = iri_charset_put(charset, c, ours);
            m = icu_put(icu, c, its);
            m = m <= 4 && one(charset, its, m) == c ? m : 0;

            if ((n != m || memcmp(ours, its, n) != 0)
                && (strcmp(core_supported[i].name, "KOI8-U") != 0 || n != 1
                    || (ours[0] != 0xae && ours[0] != 0xbe)))
            {
                fail_msg("%s writes U+%04X as %d octets, ICU as %d",
                         core_supported[i].name, (unsigned) c, (int) n,
                         (int) m);
            }
        }

        ucnv_close(icu);
    }
}


/* ---- against the Encoding Standard -------------------------------------- */

/* An index file: code point by pointer, NONE where there is none. */
static uint32_t *
index_read(const char *name, size_t size)
{
    char      path[128], line[256], *end;
    FILE     *file;
    uint32_t *index;
    size_t    i, pointer;

    snprintf(path, sizeof(path), "whatwg-encoding/index-%s.txt", name);
    file = core_data(path);

    if (file == NULL) {
        return NULL;
    }

    index = malloc(size * sizeof(*index));
    for (i = 0; i < size; i++) {
        index[i] = NONE;
    }

    while (fgets(line, sizeof(line), file) != NULL) {
        pointer = strtoul(line, &end, 10);

        if (end != line) {
            assert_true(pointer < size);
            index[pointer] = (uint32_t) strtoul(end, NULL, 16);
        }
    }

    fclose(file);

    return index;
}


/* A difference that is meant, or known. */
typedef struct {
    const char *charset;
    uint32_t    from, to; /* octets, as a number */
    uint32_t    ours;     /* what we read, NONE, PRIVATE */
    const char *because;
} difference_t;

#define PRIVATE 0xfffffffeu /* some character for private use */

/* ICU 72 has the GB 18030 of 2005, the standard that of 2022. */
#define GB_2005 "private use until 2022"
/* windows-936 never had what GB 18030 added to GBK. */
#define GBK_936 "private use in windows-936"

static const difference_t differences[] = {
    { "Shift_JIS", 0x80, 0x80, NONE, "a C1 control, which no path may hold" },
    { "gb18030", 0x80, 0x80, NONE, "the euro sign is A2E3 there" },
    { "gb18030", 0xa3a0, 0xa3a0, PRIVATE, GB_2005 },
    { "gb18030", 0xa6d9, 0xa6df, PRIVATE, GB_2005 },
    { "gb18030", 0xa6ec, 0xa6ed, PRIVATE, GB_2005 },
    { "gb18030", 0xa6f3, 0xa6f3, PRIVATE, GB_2005 },
    { "gb18030", 0xfe59, 0xfe59, PRIVATE, GB_2005 },
    { "gb18030", 0xfe61, 0xfe61, PRIVATE, GB_2005 },
    { "gb18030", 0xfe66, 0xfe67, PRIVATE, GB_2005 },
    { "gb18030", 0xfe6d, 0xfe6d, PRIVATE, GB_2005 },
    { "gb18030", 0xfe7e, 0xfe7e, PRIVATE, GB_2005 },
    { "gb18030", 0xfe90, 0xfe90, PRIVATE, GB_2005 },
    { "gb18030", 0xfea0, 0xfea0, PRIVATE, GB_2005 },
    { "GBK", 0xa2e3, 0xa2e3, PRIVATE, GBK_936 },
    { "GBK", 0xa3a0, 0xa3a0, PRIVATE, GBK_936 },
    { "GBK", 0xa6d9, 0xa6df, PRIVATE, GBK_936 },
    { "GBK", 0xa6ec, 0xa6ed, PRIVATE, GBK_936 },
    { "GBK", 0xa6f3, 0xa6f3, PRIVATE, GBK_936 },
    { "GBK", 0xa8bc, 0xa8bc, PRIVATE, GBK_936 },
    { "GBK", 0xa8bf, 0xa8bf, PRIVATE, GBK_936 },
    { "GBK", 0xa989, 0xa995, PRIVATE, GBK_936 },
    { "GBK", 0xfe50, 0xfea0, PRIVATE, GBK_936 },
};


static int
is_known(const char *name, uint32_t octets, uint32_t got)
{
    size_t i;

    for (i = 0; i < COUNT(differences); i++) {
        if (strcmp(differences[i].charset, name) == 0
            && octets >= differences[i].from && octets <= differences[i].to
            && (differences[i].ours == PRIVATE
                    ? got != NONE && core_is_private(got)
                    : differences[i].ours == got))
        {
            return 1;
        }
    }

    return 0;
}


static size_t
check_index(const char *name, const unsigned char *p, size_t len,
            uint32_t want)
{
    uint32_t got = one(core_charset(name), p, len);
    uint32_t octets = 0;
    size_t   i;

    for (i = 0; i < len; i++) {
        octets = octets << 8 | p[i];
    }

    if (got == want || is_known(name, octets, got)) {
        return 0;
    }

    print_error("%s %X: U+%04X, not U+%04X\n", name, (unsigned) octets,
                (unsigned) got, (unsigned) want);

    return 1;
}


static void
test_single_octet_indexes(void **state)
{
    static const char *const names[] = { "koi8-r",       "iso-8859-2",
                                         "iso-8859-5",   "iso-8859-7",
                                         "windows-874",  "windows-1251",
                                         "windows-1252", "windows-1254",
                                         "windows-1256" };
    unsigned char            p;
    uint32_t                *index;
    size_t                   i, k, wrong = 0, read = 0;

    (void) state;

    for (i = 0; i < COUNT(names); i++) {
        index = index_read(names[i], 128);
        if (index == NULL) {
            continue;
        }

        for (k = 0; k < 128; k++) {
            p = (unsigned char) (0x80 + k);
            wrong += check_index(names[i], &p, 1, index[k]);
        }

        free(index);
        read++;
    }

    if (read == 0) {
        return;
    }

    assert_int_equal(wrong, 0);
}


/* Encoding Standard, 12.3.1: lead, trail, index jis0208. */
static void
test_shift_jis_index(void **state)
{
    uint32_t     *index = index_read("jis0208", 11280);
    unsigned char p[2];
    uint32_t      want;
    size_t        lead, trail, pointer, wrong = 0;

    (void) state;

    if (index == NULL) {
        return;
    }

    for (lead = 0x80; lead < 0x100; lead++) {
        p[0] = (unsigned char) lead;
        want = lead == 0x80                   ? 0x80
               : lead >= 0xa1 && lead <= 0xdf ? 0xff61 - 0xa1 + lead
                                              : NONE;
        wrong += check_index("Shift_JIS", p, 1, want);

        if (want != NONE || lead == 0xa0 || lead > 0xfc) {
            continue;
        }

        for (trail = 0; trail < 0x100; trail++) {
            p[1] = (unsigned char) trail;
            want = NONE;

            if ((trail >= 0x40 && trail <= 0x7e)
                || (trail >= 0x80 && trail <= 0xfc)) {
                pointer = (lead - (lead < 0xa0 ? 0x81 : 0xc1)) * 188 + trail
                          - (trail < 0x7f ? 0x40 : 0x41);
                want = pointer >= 8836 && pointer <= 10715
                           ? (uint32_t) (0xe000 - 8836 + pointer)
                           : index[pointer];
            }

            wrong += check_index("Shift_JIS", p, 2, want);
        }
    }

    free(index);
    assert_int_equal(wrong, 0);
}


/* 12.1.1, the part of JIS X 0208. */
static void
test_euc_jp_index(void **state)
{
    uint32_t     *index = index_read("jis0208", 11280);
    unsigned char p[2];
    size_t        lead, trail, wrong = 0;

    (void) state;

    if (index == NULL) {
        return;
    }

    p[0] = 0x8e;

    for (trail = 0; trail < 0x100; trail++) {
        p[1] = (unsigned char) trail;
        wrong += check_index("EUC-JP", p, 2,
                             trail >= 0xa1 && trail <= 0xdf
                                 ? (uint32_t) (0xff61 - 0xa1 + trail)
                                 : NONE);
    }

    for (lead = 0xa1; lead <= 0xfe; lead++) {
        for (trail = 0; trail < 0x100; trail++) {
            p[0] = (unsigned char) lead;
            p[1] = (unsigned char) trail;
            wrong += check_index(
                "EUC-JP", p, 2,
                trail >= 0xa1 && trail <= 0xfe
                    ? index[(lead - 0xa1) * 94 + trail - 0xa1]
                    : NONE);
        }
    }

    free(index);
    assert_int_equal(wrong, 0);
}


/* 10.2.1, two octets; GBK is read by the same rule. */
static void
test_gb_index(void **state)
{
    uint32_t     *index = index_read("gb18030", 126 * 190);
    unsigned char p[2];
    uint32_t      want;
    size_t        lead, trail, wrong = 0;

    (void) state;

    if (index == NULL) {
        return;
    }

    for (lead = 0x80; lead <= 0xff; lead++) {
        p[0] = (unsigned char) lead;
        want = lead == 0x80 ? 0x20ac : NONE;
        wrong += check_index("gb18030", p, 1, want);
        wrong += check_index("GBK", p, 1, want);

        if (lead == 0x80 || lead == 0xff) {
            continue;
        }

        for (trail = 0; trail < 0x100; trail++) {
            p[1] = (unsigned char) trail;
            want = NONE;

            if ((trail >= 0x40 && trail <= 0x7e)
                || (trail >= 0x80 && trail <= 0xfe)) {
                want = index[(lead - 0x81) * 190 + trail
                             - (trail < 0x7f ? 0x40 : 0x41)];
            }

            wrong += check_index("gb18030", p, 2, want);
            wrong += check_index("GBK", p, 2, want);
        }
    }

    free(index);
    assert_int_equal(wrong, 0);
}


/* 10.2.1, four octets, by the ranges. */
static void
test_gb_ranges(void **state)
{
    FILE    *file = core_data("whatwg-encoding/index-gb18030-ranges.txt");
    uint32_t range[256][2], want, code;
    unsigned char p[4];
    char          line[256], *end;
    size_t        count = 0, i, wrong = 0;

    (void) state;

    if (file == NULL) {
        return;
    }

    while (fgets(line, sizeof(line), file) != NULL) {
        range[count][0] = (uint32_t) strtoul(line, &end, 10);
        if (end != line && line[0] != '#') {
            range[count++][1] = (uint32_t) strtoul(end, NULL, 16);
        }
    }

    fclose(file);
    assert_true(count > 200);

    for (code = 0; code < 126 * 12600; code++) {
        gb_octets(code, p);

        if ((code > 39419 && code < 189000) || code > 1237575) {
            want = NONE;

        } else if (code == 7457) {
            want = 0xe7c7;

        } else {
            for (i = 1; i < count && range[i][0] <= code; i++) { /* void */
            }

            want = range[i - 1][1] + code - range[i - 1][0];
        }

        wrong += check_index("gb18030", p, 4, want);
    }

    assert_int_equal(wrong, 0);
}


/* ---- safety ------------------------------------------------------------- */

/* What a sequence of p gave must be of its own octets and never ASCII. */
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


static void
test_all_of_three_octets(void **state)
{
    const iri_charset_t *charset;
    unsigned char        p[3];
    uint32_t             code, c;
    size_t               i, n;

    (void) state;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);

        for (code = 0x800000; code < 0x1000000; code++) {
            p[0] = (unsigned char) (code >> 16);
            p[1] = (unsigned char) (code >> 8);
            p[2] = (unsigned char) code;
            n = next(charset, p, 3, &c);

            if (n != 0) {
                check_safe(core_supported[i].name, p, n, 3, c);
                assert_true(!core_is_private(c)
                            || core_supported[i].private_use);

                /* What comes behind it has no say: on to the next. */
                code |= n == 1 ? 0xffff : n == 2 ? 0xff : 0;
            }
        }
    }
}


/* With fewer octets there is nothing, or the same; no octet past the end. */
static void
test_nothing_past_the_end(void **state)
{
    const iri_charset_t *charset;
    unsigned char       *exact, p[4];
    uint32_t             c, d;
    size_t               i, turn, len, k, n, m;

    (void) state;

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


/* What is written is read as the same, and each character only once. */
static void
test_written_is_read(void **state)
{
    const iri_charset_t *charset;
    unsigned char        p[4];
    uint32_t             c;
    size_t               i, n, written;

    (void) state;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset = core_charset(core_supported[i].name);
        written = 0;

        for (c = 0; c <= 0x10ffff; c++) {
            if (c >= 0xd800 && c <= 0xdfff) {
                continue;
            }

            n = iri_charset_put(charset, c, p);

            if (n != 0) {
                assert_int_equal(one(charset, p, n), c);
                assert_int_equal(p[0] < 0x80, c < 0x80);
                written++;

            } else {
                assert_true(c >= 0x80);
            }
        }

        assert_true(written > 128 + 80);
    }
}


/* Octets that are read are written back the same, but for a few twins. */
static size_t
twins(const char *name)
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


static void
test_twins(void **state)
{
    static const struct {
        const char *name;
        size_t      count;
    } known[] = {
        { "Shift_JIS", 398 }, /* NEC and IBM rows: see the data */
        { "EUC-JP", 313 },    /* JIS X 0212 and IBM's rows */
        { "Big5", 10 },       /* box drawing, two Han twice */
        { "Big5-HKSCS", 10 }, { "EUC-KR", 0 },       { "GBK", 0 },
        { "gb18030", 0 },     { "windows-1252", 0 }, { "windows-1258", 0 },
        { "KOI8-U", 0 },
    };
    size_t i;

    (void) state;

    for (i = 0; i < COUNT(known); i++) {
        if (twins(known[i].name) != known[i].count) {
            fail_msg("%s has %d twins", known[i].name,
                     (int) twins(known[i].name));
        }
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_of_the_standard),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_builder_refuses),
        cmocka_unit_test(test_octets_of_sequences),
        cmocka_unit_test(test_four_octets),
        cmocka_unit_test(test_each_is_built),
        cmocka_unit_test(test_against_icu),
        cmocka_unit_test(test_gb18030_against_icu),
        cmocka_unit_test(test_writing_against_icu),
        cmocka_unit_test(test_single_octet_indexes),
        cmocka_unit_test(test_shift_jis_index),
        cmocka_unit_test(test_euc_jp_index),
        cmocka_unit_test(test_gb_index),
        cmocka_unit_test(test_gb_ranges),
        cmocka_unit_test(test_all_of_three_octets),
        cmocka_unit_test(test_nothing_past_the_end),
        cmocka_unit_test(test_written_is_read),
        cmocka_unit_test(test_twins),
    };

    return cmocka_run_group_tests_name("charset", tests, NULL, NULL);
}
