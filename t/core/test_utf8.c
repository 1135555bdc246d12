/*
 * test_utf8.c - strict decoding and encoding of UTF-8
 *
 * Covers: every scalar value round-trips; a surrogate, an overlong form and a
 * value above 10FFFF is no character; all sequences of one, two and three
 * octets, and those of four near every limit, are decoded as by ICU; no octet
 * past the end is read.  And a sequence that iri_utf8_quick() accepts is a
 * valid character.
 */

#include <unicode/utf8.h>

#include "core.h"


/* Decode one character by ICU.  Returns: the number of its octets. */
static size_t
icu_next(const unsigned char *p, size_t len, uint32_t *c)
{
    UChar32 one = U_SENTINEL;
    int32_t n = 0;

    if (len != 0) {
        U8_NEXT(p, n, (int32_t) len, one);
    }

    if (one < 0) {
        return 0;
    }

    *c = (uint32_t) one;

    return (size_t) n;
}


/* Check that p starts with the n octets of c. */
static void
check_quick(const unsigned char *p, size_t len, size_t n, uint32_t c)
{
    size_t quick = len != 0 ? iri_utf8_quick(p, p + len) : 0;

    if (quick != 0
        && (quick != n || !iri_char_allowed(c, 0) || !iri_char_allowed(c, 1)
            || !iri_char_is_inert(c) || iri_char_is_mark(c)
            || iri_char_is_bidi_control(c)))
    {
        fail_msg("%02X %02X %02X, %d octets: %d of U+%04X taken at once",
                 p[0], p[1], p[2], (int) len, (int) quick, (unsigned) c);
    }
}


static void
check(const unsigned char *p, size_t len)
{
    uint32_t got = 0, want = 0;
    size_t   n = iri_utf8_next(p, p + len, &got);
    size_t   m = icu_next(p, len, &want);

    if (n != m || (n != 0 && got != want)) {
        fail_msg("%02X %02X %02X %02X, %d octets: %d of U+%04X, not %d of"
                 " U+%04X",
                 p[0], p[1], p[2], p[3], (int) len, (int) n, (unsigned) got,
                 (int) m, (unsigned) want);
    }

    check_quick(p, len, m, want);
}


/* A truncated sequence is no character, whatever octets follow in memory. */
TEST(test_quick_ends)
{
    static const unsigned char e[] = "\xC3\xA9", kana[] = "\xE3\x81\x82";

    assert_int_equal(iri_utf8_quick(e, e + 2), 2);
    assert_int_equal(iri_utf8_quick(e, e + 1), 0);
    assert_int_equal(iri_utf8_quick(kana, kana + 3), 3);
    assert_int_equal(iri_utf8_quick(kana, kana + 2), 0);
    assert_int_equal(iri_utf8_quick(kana, kana + 1), 0);
}


TEST(test_every_scalar_round_trips)
{
    unsigned char out[4];
    uint32_t      c, back;
    size_t        n, k;

    for (c = 0; c <= 0x10ffff; c++) {
        if (!core_is_scalar(c)) {
            continue;
        }

        back = 0xffffffff;
        n = iri_utf8_put(c, out);
        assert_int_equal(iri_utf8_next(out, out + n, &back), n);
        assert_int_equal(back, c);

        /* No prefix of it is a character, and no octet past the end is read. */
        for (k = 0; k < n; k++) {
            assert_int_equal(iri_utf8_next(out, out + k, &back), 0);
        }
    }
}


TEST(test_surrogates)
{
    unsigned char out[4];
    uint32_t      c, back;

    for (c = 0xd800; c <= 0xdfff; c++) {
        assert_int_equal(iri_utf8_put(c, out), 3);
        assert_int_equal(iri_utf8_next(out, out + 3, &back), 0);
    }
}


TEST(test_all_of_three_octets)
{
    unsigned char p[4] = { 0, 0, 0, 0x80 };
    uint32_t      i;
    size_t        len;

    for (i = 0; i < 0x1000000; i++) {
        p[0] = (unsigned char) (i >> 16);
        p[1] = (unsigned char) (i >> 8);
        p[2] = (unsigned char) i;

        /* Shorter sequences once, and the 4-octet ones that start with them. */
        for (len = p[2] != 0 ? 3 : p[1] != 0 ? 2 : 1; len <= 4; len++) {
            check(p, len);
        }
    }
}


TEST(test_four_octets_at_borders)
{
    static const unsigned char at[] = { 0x00, 0x2f, 0x7f, 0x80, 0x8f, 0x90,
                                        0x9f, 0xa0, 0xbf, 0xc0, 0xff };
    unsigned char              p[5];
    size_t                     i, k, m;
    unsigned                   lead;

    p[4] = 0x80;

    for (lead = 0xe0; lead <= 0xff; lead++) {
        for (i = 0; i < COUNT(at); i++) {
            for (k = 0; k < COUNT(at); k++) {
                for (m = 0; m < COUNT(at); m++) {
                    p[0] = (unsigned char) lead;
                    p[1] = at[i];
                    p[2] = at[k];
                    p[3] = at[m];
                    check(p, 4);
                    check(p, 5);
                }
            }
        }
    }
}
