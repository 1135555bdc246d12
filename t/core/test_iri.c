/*
 * test_iri.c - whole IRIs: syntax, mapping, references, normalization
 *
 * Covers: errors have the right offset and name what was expected there; the
 * differences between the two grammars; mapping, resolving and normalizing by
 * examples that t/documents/iri.tsv has not (for random texts:
 * t/fuzz/fuzz_whole.c); the limits.
 */

#include <arpa/inet.h>

#include <unicode/uchar.h>
#include <unicode/uspoof.h>

#include "core.h"
#include "iriref/iri_iriref.h"

#define E_ACUTE "\xc3\xa9"
#define ALEF    "\xd7\x90"


/* ---- classes of octets -------------------------------------------------- */

#define ALPHA "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"
#define SUBS  "!$&'()*+,;="

TEST(test_octets)
{
    static const struct {
        unsigned    bit;
        const char *octets;
    } bits[] = {
        { IRI_OCTET_SCHEME, ALPHA DIGIT "+-." },
        { IRI_OCTET_HOST, ALPHA DIGIT "-._~" SUBS },
        { IRI_OCTET_USERINFO, ALPHA DIGIT "-._~:" SUBS },
        { IRI_OCTET_PATH, ALPHA DIGIT "-._~:@/" SUBS },
        { IRI_OCTET_QUERY, ALPHA DIGIT "-._~:@/?" SUBS },
        { IRI_OCTET_URI, ALPHA DIGIT "-._~:@/?#[]" SUBS },
        { IRI_OCTET_UNRESERVED, ALPHA DIGIT "-._~" },
        { IRI_OCTET_DRAFT_MARK, "!*'()" },
        { IRI_OCTET_IADDITIONAL, "<>\" {}|\\^`" },
        { IRI_OCTET_BRACKET, "[]" },
        { IRI_OCTET_ALPHA, ALPHA },
        { IRI_OCTET_DIGIT, DIGIT },
        { IRI_OCTET_HEXDIG, DIGIT "abcdefABCDEF" },
        { IRI_OCTET_AUTHORITY_END, "/?#" },
        { IRI_OCTET_PATH_END, "?#" },
    };
    size_t   i;
    unsigned c, want;

    for (c = 0; c < 256; c++) {
        for (i = 0, want = 0; i < COUNT(bits); i++) {
            if (c != 0 && strchr(bits[i].octets, (int) c) != NULL) {
                want |= bits[i].bit;
            }
        }

        assert_int_equal(iri_octet_classes[c], want);
        assert_int_equal(iri_octet_is((unsigned char) c, IRI_OCTET_URI),
                         iri_is_uri_char((unsigned char) c));
    }
}


/* ---- syntax -------------------------------------------------------------- */

static const struct {
    const char   *text;
    iri_as_t      as;
    iri_grammar_t grammar;
    iri_expect_t  expected;
    size_t        offset;
} checks[] = {
#define RFC   IRI_GRAMMAR_RFC3987
#define DRAFT IRI_GRAMMAR_DRAFT
#define REF   IRI_AS_IRI_REFERENCE
#define OKAY  IRI_EXPECT_NOTHING, 0
    { "", REF, RFC, OKAY },
    { "", IRI_AS_IRI, RFC, IRI_EXPECT_SCHEME, 0 },
    { "a", IRI_AS_IRI, RFC, IRI_EXPECT_SCHEME, 0 },
    { "a:", IRI_AS_IRI, RFC, OKAY },
    { "a:", IRI_AS_RELATIVE_IRI, RFC, IRI_EXPECT_RELATIVE, 0 },
    { "a/b:c", IRI_AS_RELATIVE_IRI, RFC, OKAY },
    { "//a:1/b", IRI_AS_RELATIVE_URI, RFC, OKAY },
    { "a:b#", IRI_AS_IRI, RFC, OKAY },
    { "a:b#", IRI_AS_ABSOLUTE_IRI, RFC, IRI_EXPECT_NO_FRAGMENT, 3 },
    { "a:b?c", IRI_AS_ABSOLUTE_URI, RFC, OKAY },
    { "1a:b", REF, RFC, IRI_EXPECT_SEGMENT, 2 },
    { "_:b", REF, RFC, IRI_EXPECT_SEGMENT, 1 },
    { ":b", REF, RFC, IRI_EXPECT_SEGMENT, 0 },
    { E_ACUTE ":b", REF, RFC, IRI_EXPECT_SEGMENT, 2 },
    { "./" E_ACUTE ":b", REF, RFC, OKAY },
    { "a:%", REF, RFC, IRI_EXPECT_HEX, 2 },
    { "a:%4", REF, RFC, IRI_EXPECT_HEX, 2 },
    { "a:b%4g", REF, RFC, IRI_EXPECT_HEX, 3 },
    { "a:%4G#%", REF, DRAFT, IRI_EXPECT_HEX, 2 },
    { "a:\xff", REF, RFC, IRI_EXPECT_UTF8, 2 },
    { "a:\xc0\xaf", REF, DRAFT, IRI_EXPECT_UTF8, 2 },
    { "a:\xed\xa0\x80", REF, RFC, IRI_EXPECT_UTF8, 2 },
    { "a:" E_ACUTE, IRI_AS_URI, RFC, IRI_EXPECT_ASCII, 2 },
    { "a:\xff", IRI_AS_URI, RFC, IRI_EXPECT_UTF8, 2 },
    { "a:%C3", IRI_AS_URI, RFC, OKAY },
    { "a:\xe2\x80\xae", REF, RFC, IRI_EXPECT_NO_BIDI, 2 },
    { "a:\xe2\x81\xa6", REF, DRAFT, IRI_EXPECT_NO_BIDI, 2 },
    { "a:%E2%80%AE", REF, RFC, OKAY },
    { "a:\xee\x80\x80", REF, RFC, IRI_EXPECT_PUBLIC, 2 },
    { "/?\xee\x80\x80", REF, RFC, OKAY },
    { "/?\xee\x80\x80", REF, DRAFT, OKAY },
    { "a:b?\xee\x80\x80", REF, RFC, OKAY },
    { "a:b?\xee\x80\x80", REF, DRAFT, IRI_EXPECT_PUBLIC, 4 },
    { "#\xee\x80\x80", REF, RFC, IRI_EXPECT_PUBLIC, 1 },
    { "a:\xef\xbf\xbe", REF, RFC, IRI_EXPECT_UCSCHAR, 2 },
    { "a:\xf3\xa0\x80\x81", REF, RFC, IRI_EXPECT_UCSCHAR, 2 },
    { "a:\xc2\x80", REF, RFC, IRI_EXPECT_UCSCHAR, 2 },
    { "http://a b/", REF, RFC, IRI_EXPECT_HOST, 8 },
    { "http://a b/", REF, DRAFT, OKAY },
    { "http://a/<b>", REF, RFC, IRI_EXPECT_PATH, 9 },
    { "http://a/<b>", REF, DRAFT, OKAY },
    { "http://a/<b>", IRI_AS_URI, DRAFT, IRI_EXPECT_PATH, 9 },
    { "http://a/\x01", REF, DRAFT, IRI_EXPECT_PATH, 9 },
    { "http://a/?b c", REF, RFC, IRI_EXPECT_QUERY, 11 },
    { "http://a/#b c", REF, RFC, IRI_EXPECT_FRAGMENT, 11 },
    { "http://a/#b#c", REF, RFC, IRI_EXPECT_FRAGMENT, 11 },
    { "http://a/[", REF, DRAFT, IRI_EXPECT_PATH, 9 },
    { "urn:a[b]?[c]", REF, DRAFT, OKAY },
    { "urn:a[b]", REF, RFC, IRI_EXPECT_PATH, 5 },
    { "urn:a#[", REF, DRAFT, IRI_EXPECT_FRAGMENT, 6 },
    { "http://a@b@c/", REF, RFC, IRI_EXPECT_HOST, 10 },
    { "http://a@b@c/", REF, DRAFT, OKAY },
    { "http://a:b/", REF, RFC, IRI_EXPECT_PORT, 9 },
    { "http://a:b/", REF, DRAFT, OKAY },
    { "http://a:80:/", REF, RFC, IRI_EXPECT_PORT, 11 },
    { "http://a:" E_ACUTE "/", REF, RFC, IRI_EXPECT_PORT, 9 },
    { "http://[::1]:80/", REF, RFC, OKAY },
    { "http://u@[::1]:80/", REF, DRAFT, OKAY },
    { "http://[::1", REF, RFC, IRI_EXPECT_ADDRESS, 7 },
    { "http://[1.2.3.4]/", REF, RFC, IRI_EXPECT_ADDRESS, 7 },
    { "http://[v1.a]/", REF, RFC, OKAY },
    { "http://[v1.a]/", REF, DRAFT, IRI_EXPECT_ADDRESS, 7 },
    { "http://[::1]x/", REF, RFC, IRI_EXPECT_HOST, 12 },
    { "http://a]/", REF, RFC, IRI_EXPECT_HOST, 8 },
    { "http://a]/", REF, DRAFT, IRI_EXPECT_AUTHORITY, 8 },
    { "http://%zz/", REF, RFC, IRI_EXPECT_HEX, 7 },
    { "http://u:%zz@a/", REF, RFC, IRI_EXPECT_HEX, 9 },
    { "///", REF, RFC, OKAY },
    { "//:@/", REF, RFC, OKAY },
};


TEST(test_checks)
{
    iri_parts_t  parts, before;
    size_t       i, offset;
    iri_expect_t expected;

    memset(&before, 0x5a, sizeof(before));

    for (i = 0; i < COUNT(checks); i++) {
        parts = before;
        offset = 0;
        expected = iri_check(core_str(checks[i].text), checks[i].as,
                             checks[i].grammar, &parts, &offset);

        if (expected != checks[i].expected || offset != checks[i].offset) {
            fail_msg("%s as %s, %d: %s at %lu",
                     core_show(core_str(checks[i].text)),
                     iri_as_text(checks[i].as), (int) checks[i].grammar,
                     iri_expect_text(expected), (unsigned long) offset);
        }

        /* The output is written only if the text is well-formed. */
        assert_int_equal(memcmp(&parts, &before, sizeof(parts)) == 0,
                         expected != IRI_EXPECT_NOTHING);
        assert_int_equal(iri_check(core_str(checks[i].text), checks[i].as,
                                   checks[i].grammar, NULL, NULL),
                         expected);
    }
}


TEST(test_addresses)
{
    static const char *const pieces[] = { ":",    "::",      "1",       "ab",
                                          "1234", "12345",   "1.2.3.4", "g",
                                          ":1:",  "0:0:0:0:" };
    struct in6_addr          address;
    char                     text[200], literal[204];
    int                      run, n, good = 0;

    for (run = 0; run < 200000; run++) {
        text[0] = '\0';
        for (n = (int) core_random(9); n >= 0; n--) {
            core_append(text, pieces[core_random(COUNT(pieces))]);
        }

        snprintf(literal, sizeof(literal), "[%s]", text);
        if (strlen(text) > 70) {
            continue;
        }
        if (iri_is_ip_literal(core_str(literal))
            != inet_pton(AF_INET6, text, &address))
        {
            fail_msg("%s", literal);
        }
        good += iri_is_ip_literal(core_str(literal));
    }

    assert_true(good > 100);
    assert_true(iri_is_ipv4(S("0.10.200.255")));
    assert_false(iri_is_ipv4(S("01.2.3.4")));
    assert_false(iri_is_ipv4(S("1.2.3.00")));
    assert_false(iri_is_ipv4(S("1.2.3.256")));
    assert_false(iri_is_ipv4(S("1.2.3")));
    assert_false(iri_is_ipv4(S("1.2.3.4.")));
    assert_false(iri_is_ipv4(S("")));
}


static iri_converted_t
to_uri(iri_str_t text, int nfc)
{
    iri_to_uri_conf_t conf = { NULL, nfc, NULL };
    iri_converted_t   out;

    assert_ok(iri_to_uri(&core.env, &conf, text, &out));

    return out;
}


static int
equal(iri_level_t level, iri_str_t a, iri_str_t b)
{
    int out = -1;

    assert_ok(iri_equal(&core.env, level, core_hosts(), a, b, &out));

    return out;
}


static iri_str_t
normalize(unsigned steps, iri_str_t text)
{
    iri_converted_t out;

    assert_ok(iri_normalize_syntax(&core.env, steps, text, &out));
    assert_null(out.why);

    return out.value;
}


/* ---- mapping ------------------------------------------------------------- */

/*
 * Between escapes the result is in NFC by ICU, except for the characters that
 * do not change.
 */
TEST(test_nfc)
{
    static const uint32_t characters[] = {
        'a',    'e',    '/',    0x301,  0x323,  0x338,  0xe9,   0x5d0, 0x5bc,
        0x1100, 0x1161, 0x11a8, 0xac00, 0x304b, 0x3099, 0x212a, 0x37e, 0x915,
        0x93c,  0x1e63, 0xf900, 0xfb1d, 0x0f71, 0x0f72, 0x344,  '%'
    };
    uint32_t      text[24], want[240];
    unsigned char octets[4][1024];
    iri_str_t     in, slow;
    size_t        i, n, count, from;
    int           run;

    for (run = 0; run < 50000; run++) {
        count = core_random(COUNT(text) - 2);
        for (i = 0; i < count; i++) {
            text[i] = characters[core_random(COUNT(characters))];
        }

        /* "%" becomes "%2e" in both. */
        in.data = octets[0];
        in.len = 0;
        slow.data = octets[1];
        slow.len = 0;
        for (i = from = 0; i <= count; i++) {
            if (i < count && text[i] != '%') {
                in.len += iri_utf8_put(text[i], octets[0] + in.len);
                continue;
            }
            n = core_normalize(text + from, i - from, 0, want);
            slow.len += core_utf8(want, n, octets[1] + slow.len).len;
            from = i + 1;
            if (i < count) {
                memcpy(octets[0] + in.len, "%2e", 3);
                memcpy(octets[1] + slow.len, "%2e", 3);
                in.len += 3;
                slow.len += 3;
            }
        }

        if (!iri_str_equal(to_uri(in, 1).value, to_uri(slow, 0).value)) {
            fail_msg("%s: %s", core_show(in), core_show(to_uri(in, 1).value));
        }
        core_forget(&core);
    }
}


TEST(test_mapping)
{
    static const struct {
        const char *charset;
        int         nfc, idn;
        const char *text, *want; /* NULL: no value */
        size_t      offset;
    } rows[] = {
        { "", 1, 0, "/%2e\xcc\x81", "/%2e%CC%81", 0 },
        { "utf-8", 0, 0, "/e\xcc\x81", "/e%CC%81", 0 },
        { "shift_jis", 0, 0, "/\x95\x5c", "/%E8%A1%A8", 0 },
        { "shift_jis", 0, 0, "/\x95", NULL, 1 },
        { "shift_jis", 0, 0, "/\x95\x5c%4", NULL, 3 },
        { "", 0, 0, "/a\xff", NULL, 2 },
        { "", 0, 0, E_ACUTE "%zz", NULL, 2 },
        { "", 1, 0, E_ACUTE "%zz", NULL, 2 },
        { "", 0, 0, "a:\"{}|\\^` \x7f[]", "a:%22%7B%7D%7C%5C%5E%60%20%7F[]",
          0 },
        { "", 0, 1, "http://u@B%C3%BCcher.example:80/",
          "http://u@xn--bcher-kva.example:80/", 0 },
        { "", 0, 1, "http://[::1]/" E_ACUTE, "http://[::1]/%C3%A9", 0 },
        { "", 0, 1, "http://a_" E_ACUTE "/", NULL, 7 },
        { "iso-8859-1", 0, 1,
          "http://b\xfc"
          "cher/",
          "http://xn--bcher-kva/", 0 },
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        iri_to_uri_conf_t conf = { NULL, rows[i].nfc,
                                   rows[i].idn ? core_hosts() : NULL };
        iri_converted_t   out;

        if (rows[i].charset[0] != '\0') {
            conf.charset = core_charset(rows[i].charset);
        }

        assert_ok(iri_to_uri(&core.env, &conf, core_str(rows[i].text), &out));
        assert_int_equal(out.why == NULL, rows[i].want != NULL);
        assert_int_equal(out.offset, rows[i].offset);
        if (rows[i].want != NULL) {
            assert_text(out.value, rows[i].want);
        }
    }
}


TEST(test_unmapping)
{
    static const struct {
        iri_grammar_t grammar;
        const char   *repertoire;
        const char   *text, *want;
    } rows[] = {
        { RFC, "", "/%C3%A9%fc%e9", "/" E_ACUTE "%FC%E9" },
        { RFC, "", "/%7Euser/%41%2d", "/~user/A-" },
        { RFC, "", "/%2f%3a%23%25%40", "/%2f%3a%23%25%40" },
        { DRAFT, "", "/%2f%24%2b", "/%2f%24%2b" },
        { RFC, "", "/%20%3c%7b%00%7f", "/%20%3C%7B%00%7F" },
        { RFC, "", "/%e2%80%ae%ee%80%80", "/%E2%80%AE%EE%80%80" },
        { RFC, "", "/%e3%80%80%ef%bc%8f%ef%bd%b1",
          "/%E3%80%80%EF%BC%8F%EF%BD%B1" },
        { RFC, "", "/%e2%80%8c%d9%86", "/\xe2\x80\x8c\xd9\x86" },
        { RFC, "", "/\xe2\x80\xae\xee\x80\x80\xff",
          "/%E2%80%AE\xee\x80\x80%FF" },
        { RFC, "", "/%C3\xa9 %", "/" E_ACUTE "%20%25" },
        { RFC, "", "/%e0%83%a9%c1%a9", "/%E0%83%A9%C1%A9" },
        { RFC, "", "/%e3%81%41%e3%81%c3%a9", "/%E3%81A%E3%81" E_ACUTE },
        { RFC, "", "/%c3%41%e3%81", "/%C3A%E3%81" },
        { RFC, "", "/%F0%90%8C%80", "/\xf0\x90\x8c\x80" },
        { RFC, "iso-8859-1", "/%C3%A9%E8%A1%A8", "/" E_ACUTE "%E8%A1%A8" },
        { RFC, "shift_jis", "/%C3%A9%E8%A1%A8", "/%C3%A9\xe8\xa1\xa8" },
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        iri_to_iri_conf_t conf = { rows[i].grammar, NULL, NULL, 0 };
        iri_converted_t   out;

        if (rows[i].repertoire[0] != '\0') {
            conf.repertoire = core_charset(rows[i].repertoire);
        }

        assert_ok(iri_to_iri(&core.env, &conf, core_str(rows[i].text), &out));
        assert_null(out.why);
        assert_text(out.value, rows[i].want);
    }
}


/*
 * Characters that draft 5.1 advises against, by UTS #39 and Unicode properties.
 * The table of iri_map.c is for the Unicode version of this ICU, or an older
 * one.
 */
static int
is_advised_against(const USpoofChecker *checker, uint32_t c)
{
    static const char *const delimiters[] = { " ", "<", ">",  "#", "%", "\"",
                                              "{", "}", "\\", "^", "[", "]",
                                              "|", ":", "/",  "?", "@" };
    UErrorCode               error = U_ZERO_ERROR;
    unsigned char            octets[4];
    char                     skeleton[64], other[64];
    size_t                   i;

    if (u_hasBinaryProperty((UChar32) c, UCHAR_WHITE_SPACE)
        || (c >= 0xff01 && c <= 0xffee) || c == 0x1fef)
    {
        return 1;
    }

    if (u_hasBinaryProperty((UChar32) c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
    {
        return c != 0x200c && c != 0x200d && !(c >= 0xfe00 && c <= 0xfe0f);
    }

    if (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)
        || c == 0x5f4)
    {
        return 0;
    }

    skeleton[uspoof_getSkeletonUTF8(checker, 0, (char *) octets,
                                    (int32_t) iri_utf8_put(c, octets),
                                    skeleton, 63, &error)] = '\0';

    for (i = 0; i < COUNT(delimiters); i++) {
        other[uspoof_getSkeletonUTF8(checker, 0, delimiters[i], -1, other, 63,
                                     &error)] = '\0';
        if (strcmp(skeleton, other) == 0) {
            return 1;
        }
    }

    return 0;
}


TEST(test_advised_against)
{
    UErrorCode     error = U_ZERO_ERROR;
    USpoofChecker *checker = uspoof_open(&error);
    uint32_t       c;
    size_t         count = 0;

    assert_true(U_SUCCESS(error));

    for (c = 0xa0; c < 0x110000; c++) {
        if (!iri_char_is_ucs(c) && !iri_char_is_bidi_control(c)) {
            continue;
        }
        /* Unassigned characters are not compared. */
        if (u_charType((UChar32) c) == U_UNASSIGNED && c > 0xffff) {
            continue;
        }
        if (iri_char_is_discouraged(c) != is_advised_against(checker, c)) {
            fail_msg("U+%04X", c);
        }
        count += (size_t) iri_char_is_discouraged(c);
    }

    assert_true(count > 300);
    uspoof_close(checker);
}


/* ---- references, normalization ------------------------------------------- */

TEST(test_resolving)
{
    static const char *const rows[][3] = {
        /* base, reference, target */
        { "http://a/b/c?q#f", "", "http://a/b/c?q" },
        { "http://a", "b", "http://a/b" },
        { "http://a?q", "b", "http://a/b" },
        { "http://" E_ACUTE "/b/", "../" ALEF, "http://" E_ACUTE "/" ALEF },
        { "a:/b", "/.//c", "a:/.//c" },
        { "a:/b/c", "..//d", "a:/.//d" },
        { "a:b", "c:d", "c:d" },
        { "a:b/c", "../d:e", "a:/d:e" },
        { "scheme:a", "x/../../y", "scheme:/y" },
        { "scheme:a", "x/..", "scheme:/" },
        { "scheme:a", "../y", "scheme:y" },
        { "scheme:a", "..//y", "scheme:/y" },
        { "b/c", "../d:e", "./d:e" },
        { "b", "./d:e", "./d:e" },
        { "b/c", "..//d", ".//d" },
        { "dir/a", "..", "" },
        { "dir/a", "../b", "b" },
        { "http://a/b", "http:c", "http:c" },
        { "http://a/%2e%2e/b", "c", "http://a/%2e%2e/c" },
        { "http://a/b/", "%2e%2e/c", "http://a/b/%2e%2e/c" },
    };
    size_t    i;
    iri_str_t got;

    for (i = 0; i < COUNT(rows); i++) {
        assert_ok(iri_resolve(&core.env, core_str(rows[i][0]),
                              core_str(rows[i][1]), &got));
        assert_text(got, rows[i][2]);
    }
}


TEST(test_relativizing)
{
    static const char *const rows[][3] = {
        /* base, target, reference */
        { "http://a/b/c/d", "http://a/b/e/f?q", "../e/f?q" },
        { "http://a/b/c", "http://a/b/c", "" },
        { "http://a/b/c?q", "http://a/b/c?q#f", "#f" },
        { "http://a/b/c?q", "http://a/b/c?r", "?r" },
        { "http://a/b/c?q", "http://a/b/c", "c" },
        { "http://a/b/?q", "http://a/b/", "./" },
        { "http://a/b/c", "http://a/b/", "./" },
        { "http://a/b/c", "http://a/b/d:e", "./d:e" },
        { "http://a/b/c", "http://a/b//e", ".//e" },
        { "http://a/b/c", "http://a/d", "/d" },
        { "http://a/b/c", "http://b/d", "//b/d" },
        { "http://a/b/c", "https://a/d", "https://a/d" },
        { "http://a/b", "http://a", "//a" },
        { "http://a/b", "http://a/./b", "http://a/./b" },
        { "http://a/b/" E_ACUTE, "http://a/b/" ALEF, ALEF },
        { "mailto:a@b", "mailto:c@d", "c@d" },
        { "a:b", "a:/c", "/c" },
    };
    size_t    i;
    iri_str_t got, back;

    for (i = 0; i < COUNT(rows); i++) {
        assert_ok(iri_relativize(&core.env, core_str(rows[i][0]),
                                 core_str(rows[i][1]), &got));
        assert_text(got, rows[i][2]);
        assert_ok(iri_resolve(&core.env, core_str(rows[i][0]), got, &back));
        if (strstr(rows[i][1], "/./") == NULL) {
            assert_text(back, rows[i][1]);
        }
    }
}


TEST(test_normalizing)
{
    static const char *const rows[][3] = {
        /* text, normalized by syntax, and also by scheme */
        { "HTTP://a.EXAMPLE:80/%7euser/./b%c3%a9",
          "http://a.example:80/~user/b%C3%A9",
          "http://a.example/~user/b%C3%A9" },
        { "HTTPS://U:P@A:443", "https://U:P@a:443", "https://U:P@a/" },
        { "https://a:80?q", "https://a:80?q", "https://a:80/?q" },
        { "http://a:", "http://a:", "http://a/" },
        { "ftp://a:", "ftp://a:", "ftp://a:" },
        { "http://%41B%2d%2C" E_ACUTE "/", "http://ab-%2C" E_ACUTE "/",
          "http://ab-%2C" E_ACUTE "/" },
        { "a:/b/%2e%2e//c", "a:/.//c", "a:/.//c" },
        { "../a/%2E/b", "../a/./b", "../a/./b" },
        { "URN:A:b", "urn:A:b", "urn:A:b" },
        { "a:b/..//../c", "a:/c", "a:/c" },
        { "a:b/..//c/../d", "a:/.//d", "a:/.//d" },
        { "a:b/..//c/../..", "a:/", "a:/" },
        { "a:b/../c]", "a:b/../c]", "a:b/../c]" }, /* an opaque part */
        { "a:b/../c?[", "a:b/../c?[", "a:b/../c?[" },
        { "HTTP://[V1.aB:-]/%7e", "http://[v1.ab:-]/~",
          "http://[v1.ab:-]/~" },
    };
    size_t          i;
    iri_converted_t out;

    for (i = 0; i < COUNT(rows); i++) {
        assert_text(normalize(IRI_NORMALIZE_SYNTAX, core_str(rows[i][0])),
                    rows[i][1]);
        assert_text(normalize(IRI_NORMALIZE_SYNTAX | IRI_NORMALIZE_SCHEME,
                              core_str(rows[i][0])),
                    rows[i][2]);
    }

    assert_ok(iri_normalize_syntax(&core.env, IRI_NORMALIZE_SYNTAX,
                                   S("http://a/%zz"), &out));
    assert_string_equal(out.why, iri_expect_text(IRI_EXPECT_HEX));
    assert_int_equal(out.offset, 9);
}


TEST(test_levels)
{
    /* The levels at which they are equal, as bits in the order of the enum. */
    enum { STR = 1, ESC = 2, NFC = 4, SYN = 8, SCH = 16, IDN = 32 };
    static const struct {
        const char *a, *b;
        unsigned    levels;
    } rows[] = {
        { "a", "a", STR | ESC | NFC | SYN | SCH | IDN },
        { "\xff%", "\xff%", STR | ESC | NFC | SYN | SCH | IDN },
        { "/~u", "/%7Eu", ESC | NFC | SYN | SCH | IDN },
        { "/%7eu", "/%7Eu", ESC | NFC | SYN | SCH | IDN },
        { "/a%2Fb", "/a/b", 0 },
        { "/a%2Fb", "/a%2fb", ESC | NFC | SYN | SCH | IDN },
        { "/%21", "/!", 0 },
        { "/%25", "/%2525", 0 },
        { "/<", "/%3c", ESC | NFC | SYN | SCH | IDN },
        { "/" E_ACUTE, "/%c3%a9", ESC | NFC | SYN | SCH | IDN },
        { "/" E_ACUTE, "/e%CC%81", NFC },
        { "/%E9", "/" E_ACUTE, 0 },
        { "/\xe2\x84\xaa", "/K", 0 },
        { "http://A/", "http://a/", SYN | SCH | IDN },
        { "http://a/b/../c", "http://a/c", SYN | SCH | IDN },
        { "http://a", "http://a:80/", SCH | IDN },
        { "http://b\u00fccher/", "http://xn--bcher-kva", IDN },
        { "http://bu\u0308cher/", "http://b\u00fccher/", NFC | IDN },
        { "http://a/%zz", "HTTP://a/%zz", 0 },
    };
    size_t      i;
    iri_level_t level;

    for (i = 0; i < COUNT(rows); i++) {
        for (level = IRI_LEVEL_STRING; level < IRI_LEVELS; level++) {
            if (equal(level, core_str(rows[i].a), core_str(rows[i].b))
                != (int) (rows[i].levels >> level & 1))
            {
                fail_msg("%s, %s: %s", core_show(core_str(rows[i].a)),
                         core_show(core_str(rows[i].b)),
                         iri_level_text(level));
            }
        }
    }
}


/* ---- limits, memory ------------------------------------------------------ */

TEST(test_limits)
{
    static unsigned char octets[IRI_MAX_IRI + 2];
    iri_converted_t      out;
    iri_to_uri_conf_t    conf = { NULL, 0, NULL };
    iri_to_iri_conf_t    to = { RFC, NULL, NULL, 0 };
    iri_str_t            text, got;
    int                  over, same;

    for (over = -1; over <= 1; over++) {
        text.data = octets;
        text.len = (size_t) (IRI_MAX_IRI + over);
        memset(octets, ' ', sizeof(octets));

        assert_ok(iri_to_uri(&core.env, &conf, text, &out));
        assert_int_equal(out.why != NULL, over == 1);
        assert_ok(iri_to_iri(&core.env, &to, text, &out));
        assert_int_equal(out.why != NULL, over == 1);
        assert_ok(iri_normalize_syntax(&core.env, 0, text, &out));
        assert_int_equal(out.why != NULL, over == 1);
        assert_int_equal(iri_resolve(&core.env, text, S("a"), &got),
                         over == 1 ? IRI_IRI_TOO_LONG : IRI_OK);
        assert_int_equal(iri_resolve(&core.env, S("a"), text, &got),
                         over == 1 ? IRI_IRI_TOO_LONG : IRI_OK);
        assert_int_equal(iri_relativize(&core.env, S("a:b"), text, &got),
                         over == 1 ? IRI_IRI_TOO_LONG : IRI_OK);
        assert_ok(iri_visual_order(&core.env, IRI_VISUAL_UAX9, text, &out));
        assert_int_equal(out.why != NULL, over == 1);

        /* The last "%20" is replaced by a space. */
        memcpy(octets + 1000, "%20", 3);
        got.data = octets + 1;
        got.len = text.len - 2;
        text.len = got.len;
        assert_ok(iri_equal(&core.env, IRI_LEVEL_ESCAPES, NULL, text, S(" "),
                            &same));
        assert_int_equal(same, 0);
        text.len = (size_t) (IRI_MAX_IRI + over);
        assert_int_equal(
            iri_equal(&core.env, IRI_LEVEL_NFC, NULL, text, text, &same),
            over == 1 ? IRI_IRI_TOO_LONG : IRI_OK);
        assert_ok(
            iri_equal(&core.env, IRI_LEVEL_STRING, NULL, text, text, &same));
        core_forget(&core);
    }

    /* 1,024 marks in a row, and one more */
    for (over = 0; over <= 1; over++) {
        size_t i;

        for (i = 0; i < 1024 + (size_t) over; i++) {
            memcpy(octets + 2 * i, "\xcc\x81", 2);
        }
        text.data = octets;
        text.len = 2 * i;
        assert_ok(iri_unicode_form(&core.env, IRI_FORM_NFC, text, &out));
        assert_int_equal(out.why != NULL, over == 1);
    }
}
