/*
 * test_norm.c - normalization to NFC, only where it is safe
 *
 * Covers: our NFC and NFD are those of NormalizationTest.txt, except that
 * U+037E, U+1FEF and U+212A do not change, and the four forms of whole IRIs
 * without exception; NFC neither changes an inert
 * character nor composes it with the one before; marks, bidi controls and
 * characters are classified as in Unicode; 30 marks in a row are normalized, 31
 * leave their segment unchanged; the longest run.  Any text:
 * t/fuzz/fuzz_name.c, any segment: fuzz_read.c.
 */

#include <stdlib.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include "core.h"
#include "iriref/iri_iriref.h"

#define LONG CORE_LONG


static void
assert_form(int nfd, const uint32_t *c, size_t count, const uint32_t *want,
            size_t wanted)
{
    static unsigned char in[4 * LONG], out[40 * LONG];
    iri_str_t            s = core_utf8(c, count, in);
    iri_buf_t            buf = IRI_BUF_EMPTY;
    iri_status_t         status;

    status = nfd ? iri_nfd_put(&core.env, s, &buf)
                 : iri_nfc_put(&core.env, s, &buf);
    assert_int_equal(status, IRI_OK);
    assert_str(iri_buf_str(&buf), core_utf8(want, wanted, out));
}


/* ---- NormalizationTest.txt ---------------------------------------------- */

/* Read "1E0A 0323;" as characters. Returns: the text after it. */
static char *
field(char *p, uint32_t *c, size_t *count)
{
    for (*count = 0; *p != ';'; /* void */) {
        c[(*count)++] = (uint32_t) strtoul(p, &p, 16);
        p += *p == ' ';
    }

    return p + 1;
}


/* UAX #15: the relations between columns 1 to 5. */
static void
check_forms(uint32_t c[5][32], const size_t count[5])
{
    static const int of[4][5] = { { 1, 1, 1, 3, 3 },
                                  { 2, 2, 2, 4, 4 },
                                  { 3, 3, 3, 3, 3 },
                                  { 4, 4, 4, 4, 4 } };
    unsigned char    in[4 * 32], want[4 * 32];
    iri_converted_t  got;
    size_t           form, i;
    int              k;

    for (form = 0; form < 4; form++) {
        for (i = 0; i < 5; i++) {
            k = of[form][i];
            assert_ok(iri_unicode_form(&core.env, (iri_unicode_form_t) form,
                                       core_utf8(c[i], count[i], in), &got));
            assert_null(got.why);
            assert_str(got.value, core_utf8(c[k], count[k], want));
        }
    }
}


static void
check_row(char *p, unsigned char *listed)
{
    uint32_t c[5][32];
    size_t   count[5], i;

    for (i = 0; i < 5; i++) {
        p = field(p, c[i], &count[i]);
    }

    check_forms(c, count);

    if (count[0] == 1) {
        listed[c[0][0]] = 1;
    }

    if (count[0] == 1 && core_stays(c[0][0])) {
        assert_form(0, c[0], 1, c[0], 1);
        assert_form(1, c[0], 1, c[0], 1);
        return;
    }

    for (i = 0; i < 3; i++) {
        assert_form(0, c[i], count[i], c[1], count[1]);
        assert_form(1, c[i], count[i], c[2], count[2]);
    }

    for (i = 3; i < 5; i++) {
        assert_form(0, c[i], count[i], c[3], count[3]);
        assert_form(1, c[i], count[i], c[4], count[4]);
    }
}


TEST(test_file)
{
    static unsigned char listed[0x110000];
    FILE    *file = core_data("unicode-15.0/NormalizationTest.txt");
    char     line[4096];
    size_t   rows = 0, skipped = 0;
    uint32_t c;
    int      part1 = 0;

    if (file == NULL) {
        return;
    }

    while (fgets(line, sizeof(line), file) != NULL) {
        if (line[0] == '@') {
            part1 |= strncmp(line, "@Part1", 6) == 0;

        } else if (line[0] != '#' && line[0] != '\n' && line[0] != '\r') {
            check_row(line, listed);
            rows++;
            core_forget(&core);
        }
    }

    fclose(file);
    assert_true(rows > 18000);
    assert_true(part1);

    /* "For every code point X not listed in Part 1, X == toNFC(X)." */
    for (c = 0; c <= 0x10ffff; c++) {
        if (!core_is_scalar(c) || listed[c]) {
            skipped++;
            continue;
        }

        assert_form(0, &c, 1, &c, 1);
        assert_form(1, &c, 1, &c, 1);
        core_forget(&core);
    }

    assert_in_range(skipped, 2048 + 17000, 2048 + 18000);
}


/* ---- characters --------------------------------------------------------- */

TEST(test_inert)
{
    uint32_t c, wrong = 0;

    for (c = 0; c <= 0x10ffff; c++) {
        if (!core_is_scalar(c) || !iri_char_is_inert(c)) {
            continue;
        }

        /* Quick check Maybe: it composes with the character before it. */
        if (u_getIntPropertyValue((UChar32) c, UCHAR_NFC_QUICK_CHECK)
                != UNORM_YES
            || u_getCombiningClass((UChar32) c) != 0)
        {
            print_error("U+%04X is not inert\n", (unsigned) c);
            wrong++;
        }
    }

    assert_int_equal(wrong, 0);

    /* The set is useful: it contains names in common scripts. */
    assert_true(iri_char_is_inert(0x8868));
    assert_true(iri_char_is_inert(0xe9));
    assert_true(iri_char_is_inert(0x0439));
}


TEST(test_properties)
{
    uint32_t c;

    for (c = 0; c <= 0x10ffff; c++) {
        if (!core_is_scalar(c)) {
            continue;
        }

        assert_int_equal(iri_char_is_mark(c),
                         u_getCombiningClass((UChar32) c) != 0);
        assert_int_equal(
            iri_char_is_bidi_control(c),
            u_hasBinaryProperty((UChar32) c, UCHAR_BIDI_CONTROL));

        /* The fast path for inert characters is not used for bidi controls. */
        assert_false(iri_char_is_bidi_control(c) && iri_char_is_inert(c));
        assert_int_equal(iri_char_allowed(c, 0),
                         u_charType((UChar32) c) != U_CONTROL_CHAR);
        assert_int_equal(iri_char_allowed(c, 1),
                         u_charType((UChar32) c) != U_CONTROL_CHAR
                             && c != 0xfffd && U_IS_UNICODE_CHAR(c));
    }
}


TEST(test_what_nfc_makes_ascii)
{
    uint32_t c, out[8];
    size_t   n, i;

    /* No other characters than these three have an NFC in ASCII. */
    for (c = 0x80; c <= 0x10ffff; c++) {
        if (!core_is_scalar(c)) {
            continue;
        }

        n = core_normalize_part(&c, 1, 0, out);

        for (i = 0; i < n; i++) {
            assert_int_equal(out[i] < 0x80, core_stays(c));
        }
    }
}


static uint32_t
composed(uint32_t base, uint32_t mark)
{
    uint32_t c = 1;

    assert_ok(iri_compose(base, mark, &c));

    return c;
}


TEST(test_compose)
{
    assert_int_equal(composed('e', 0x0301), 0xe9);
    assert_int_equal(composed(0xe2, 0x0301), 0x1ea5);
    assert_int_equal(composed('e', 'e'), 0);
    assert_int_equal(composed(0x0915, 0x093c), 0); /* excluded */
}


/* ---- segments ----------------------------------------------------------- */

static iri_str_t
segment(iri_str_t octets)
{
    iri_source_t source = { octets, NULL, 0, 0 };
    iri_buf_t    path = IRI_BUF_EMPTY, uri = IRI_BUF_EMPTY;
    iri_buf_t    alone = IRI_BUF_EMPTY;
    iri_why_t    why, same;

    assert_ok(iri_segment_read(&core.env, &iri_charset_utf8, &source, 0,
                               octets.len, &path, &uri, &why));
    assert_ok(iri_segment_read(&core.env, &iri_charset_utf8, &source, 0,
                               octets.len, &alone, NULL, &same));
    assert_int_equal(same, why);
    assert_str(iri_buf_str(&alone), iri_buf_str(&path));

    if (why == IRI_WHY_LIMIT) {
        path.len = 0;
    } else {
        assert_int_equal(why, IRI_WHY_READ);
    }

    return iri_buf_str(&path);
}


/* "e" followed by n of each of two marks that NFC would reorder. */
static void
check_marks(size_t n, int normalized)
{
    uint32_t      c[LONG], form[10 * LONG];
    unsigned char in[4 * LONG], want[40 * LONG];
    size_t        i, k;

    core_init(&core);
    c[0] = 'e';

    for (i = 0; i < n; i++) {
        c[i + 1] = i % 2 == 0 ? 0x0301 : 0x0323;
    }

    c[n + 1] = 'e';
    c[n + 2] = 0x0301;

    k = normalized ? core_normalize(c, n + 3, 0, form)
                   : (memcpy(form, c, (n + 3) * sizeof(c[0])), n + 3);

    assert_str(segment(core_utf8(c, n + 3, in)), core_utf8(form, k, want));
}


TEST(test_marks_limit)
{
    check_marks(IRI_MAX_MARKS - 1, 1);
    check_marks(IRI_MAX_MARKS, 1);
    check_marks(IRI_MAX_MARKS + 1, 0);
}


TEST(test_longest_run)
{
    /* 1,024 characters, each of which is three in NFC */
    static uint32_t      c[1024];
    static unsigned char in[4096], want[3 * 4096];
    iri_buf_t            buf = IRI_BUF_EMPTY;
    uint32_t             three[3] = { 0x05e9, 0x05bc, 0x05c1 };
    uint32_t             form[3 * 1024];
    size_t               i;

    for (i = 0; i < 1024; i++) {
        c[i] = 0xfb2c;
        memcpy(form + 3 * i, three, sizeof(three));
    }

    assert_ok(iri_nfc_put(&core.env, core_utf8(c, 1024, in), &buf));
    assert_str(iri_buf_str(&buf), core_utf8(form, 3 * 1024, want));

    /* each of which is six units of UTF-16 in NFC */
    for (i = 0; i < 1024; i++) {
        c[i] = 0x1d160;
    }

    buf.len = 0;
    assert_ok(iri_nfc_put(&core.env, core_utf8(c, 682, in), &buf));
    assert_int_equal(iri_nfc_put(&core.env, core_utf8(c, 683, in), &buf),
                     IRI_SEGMENT_TOO_LONG);
}
