/*
 * test_host.c - each form of a host name maps to one name or is refused
 *
 * Covers: the mapping of every character (IDNA Compatible Preprocessing,
 * sections 5 and 6) and the rules of IDN in URIs, in each mapping (each row and
 * example: t/documents/idna.tsv, idn-uri.tsv);
 * the ASCII characters that a host may have, raw and escaped; the limits, on
 * both sides; configured names with wildcards; display; the position of the
 * host in an authority; an IPv4 address has one spelling.
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uset.h>
#include <unicode/ustring.h>

#include "core.h"

/* Results, as in the tables */
#define PASS(why)   IRI_PASS, IRI_HOST_##why
#define SERVE       IRI_SERVE, IRI_HOST_MAPPED
#define REFUSE(why) IRI_REFUSE, IRI_HOST_##why

static iri_host_conf_t uts46, strict, compatible;

static const iri_host_conf_t *const confs[] = { &uts46, &strict,
                                                &compatible };


void
core_set_up(void)
{
    uts46 = strict = compatible = *core_hosts();
    strict.strict = 1;
    compatible.mapping = IRI_MAPPING_COMPATIBLE;
}


/* ---- calls -------------------------------------------------------------- */

typedef iri_status_t (*host_function_t)(const iri_env_t       *env,
                                        const iri_host_conf_t *conf,
                                        iri_str_t host, iri_host_t *out);

static iri_host_t
ask(host_function_t function, const iri_host_conf_t *conf, iri_str_t host)
{
    iri_host_t out;

    assert_ok(function(&core.env, conf, host, &out));

    return out;
}


/* Does it have only characters of this set? */
static int
has_only(iri_str_t s, const char *allowed)
{
    size_t i;

    for (i = 0; i < s.len; i++) {
        if (s.data[i] == '\0' || strchr(allowed, s.data[i]) == NULL) {
            return 0;
        }
    }

    return 1;
}


/* A mapped name is plain, maps to itself, and maps back from its U-labels. */
static void
check_name(const iri_host_conf_t *conf, const iri_host_t *name)
{
    iri_host_t again;

    assert_true(
        has_only(name->ascii, "abcdefghijklmnopqrstuvwxyz0123456789-."));
    assert_true(iri_is_uri_host(name->ascii));

    again = ask(iri_host_read, conf, name->ascii);
    assert_int_equal(again.verdict, IRI_PASS);
    assert_str(again.ascii, name->ascii);

    again = ask(iri_host_map, conf, name->ascii);
    assert_int_equal(again.verdict, IRI_SERVE);
    assert_str(again.ascii, name->ascii);

    /* The older mapping does not change ASCII labels, nor A-labels. */
    assert_str(again.unicode, conf->mapping == IRI_MAPPING_UTS46
                                  ? name->unicode
                                  : name->ascii);

    again = ask(iri_host_map, conf, name->unicode);
    assert_int_equal(again.verdict, IRI_SERVE);
    assert_str(again.ascii, name->ascii);
    assert_str(again.unicode, name->unicode);
}


static void
expect(host_function_t function, const iri_host_conf_t *conf, iri_str_t host,
       iri_verdict_t answer, iri_host_why_t why, const char *ascii)
{
    iri_host_t got = ask(function, conf, host);

    if (got.verdict != answer || got.why != why) {
        fail_msg("%s: %s, it %s: %s; not %s", core_show(host),
                 iri_verdict_text(got.verdict), iri_host_why_text(got.why),
                 core_show(got.ascii), iri_verdict_text(answer));
    }

    /* A host that is not served is unchanged. */
    assert_str(got.ascii, answer == IRI_SERVE ? core_str(ascii) : host);

    if (answer != IRI_SERVE) {
        assert_str(got.unicode, host);

    } else if (memchr(got.ascii.data, '*', got.ascii.len) == NULL
               && memchr(got.ascii.data, '?', got.ascii.len) == NULL
               && got.ascii.data[0] != '.')
    {
        check_name(conf, &got);
    }
}


typedef struct {
    const char    *host;
    iri_verdict_t  verdict;
    iri_host_why_t why;
    const char    *ascii; /* for SERVE */
} row_t;

static void
expect_rows(host_function_t function, const iri_host_conf_t *conf,
            const row_t *row, size_t rows)
{
    size_t i;

    for (i = 0; i < rows; i++) {
        expect(function, conf, core_str(row[i].host), row[i].verdict,
               row[i].why, row[i].ascii);
    }
}

#define EXPECT(function, conf, rows)                                         \
    expect_rows((function), (conf), (rows), COUNT(rows))


static void
expect_by_all(host_function_t function, const row_t *row, size_t rows)
{
    size_t i;

    for (i = 0; i < COUNT(confs); i++) {
        expect_rows(function, confs[i], row, rows);
    }
}

#define EXPECT_BY_ALL(function, rows)                                        \
    expect_by_all((function), (rows), COUNT(rows))


/* ---- IDNA Compatible Preprocessing: links -------------------------------- */

/* ASCII: PASS, or mapped where the function always maps. */
TEST(test_plain)
{
    static const row_t passed[] = {
        { "xn--bcher-kva.de", PASS(ASCII), NULL },
        { "schaffer.de", PASS(ASCII), NULL },
        { "SCHAFFER.DE", PASS(ASCII), NULL },
        { "", PASS(ASCII), NULL },
        { "a_b", PASS(ASCII), NULL },
        { "a..b", PASS(ASCII), NULL },
        { "127.1", PASS(ASCII), NULL },
        { "[::1]", PASS(LITERAL), NULL },
        { "[fe80::1%25en1]", PASS(LITERAL), NULL },
        { "[\u00e9", REFUSE(CHARACTER), NULL },
        { "[\xff]", REFUSE(CHARACTER), NULL },
    };
    static const row_t mapped[] = {
        { "xn--bcher-kva.de", SERVE, "xn--bcher-kva.de" },
        { "XN--BCHER-KVA.de", SERVE, "xn--bcher-kva.de" },
        { "schaffer.de", SERVE, "schaffer.de" },
        { "SCHAFFER.DE", SERVE, "schaffer.de" },
        { "127.1", SERVE, "127.1" },
        { "a.", SERVE, "a." },
        { "", REFUSE(EMPTY), NULL },
        { ".", REFUSE(EMPTY), NULL },
        { ".a", REFUSE(EMPTY), NULL },
        { "a..b", REFUSE(EMPTY), NULL },
        { "a..", REFUSE(EMPTY), NULL },
        { "a_b", REFUSE(CHARACTER), NULL },
        { "[::1]", REFUSE(CHARACTER), NULL },
        { "a%62", REFUSE(CHARACTER), NULL },
        { "-a", REFUSE(HYPHEN), NULL },
        { "a-", REFUSE(HYPHEN), NULL },
        { "a.b-.c", REFUSE(HYPHEN), NULL },
        { "a\xff", REFUSE(OCTETS), NULL },
        { "a\xc3", REFUSE(OCTETS), NULL },
        { "a\xed\xa0\x80", REFUSE(OCTETS), NULL },
        { "a\xc0\xae", REFUSE(OCTETS), NULL },
    };
    static const row_t not_older[] = {
        { "ab--c", REFUSE(HYPHEN), NULL },
        { "xn--a", REFUSE(ALABEL), NULL },
        { "xn--", REFUSE(ALABEL), NULL },
        { "xn--bcher-KVB", REFUSE(ALABEL), NULL },
        { "xn--abc-", REFUSE(ALABEL), NULL },
        { "xn--B\u00fccher", REFUSE(ALABEL), NULL },
        { "0a.\u05d0", REFUSE(BIDI), NULL },
    };
    /* Section 3, step 4: an ASCII label is not changed. */
    static const row_t compatible_rows[] = {
        { "ab--c", SERVE, "ab--c" },
        { "xn--a", SERVE, "xn--a" },
        { "XN--A.Example", SERVE, "xn--a.example" },
        { "xn--B\u00fccher", REFUSE(IDNA2008), NULL },
        /* Each label separately */
        { "0a.\u05d0", SERVE, "0a.xn--4db" },
        { "\u05d0a", REFUSE(IDNA2008), NULL },
    };

    EXPECT_BY_ALL(iri_host_read, passed);
    EXPECT_BY_ALL(iri_host_map, mapped);
    EXPECT(iri_host_map, &uts46, not_older);
    EXPECT(iri_host_map, &compatible, compatible_rows);
}


/* ---- IDNA Compatible Preprocessing: the mapping table -------------------- */

static iri_str_t
map_compatible(iri_str_t host)
{
    iri_buf_t      out = IRI_BUF_EMPTY;
    iri_host_why_t why;

    assert_ok(iri_idna_compatible_map(&core.env, host, &out, &why));
    assert_int_equal(why, IRI_HOST_MAPPED);

    return iri_buf_str(&out);
}


/*
 * Characters of sections 5.1 to 5.4, in each mapping; for those of 5.3 and 5.4
 * the older one is in t/documents/idna.tsv.
 */
TEST(test_section_5)
{
    static const row_t taken[] = {
        { "fa\u00df.de", SERVE, "xn--fa-hia.de" },
        { "\u03b2\u03cc\u03bb\u03bf\u03c2.com", SERVE, "xn--nxasmm1c.com" },
        { "\u0915\u094d\u200d\u0937", SERVE, "xn--11b2ezcw70k" },
        { "\u0915\u094d\u200c\u0937", SERVE, "xn--11b2ezcs70k" },
    };
    /* UTS #46 refuses these for compatibility with IDNA2003. */
    static const row_t refused[] = {
        { "\u04c0", REFUSE(CHARACTER), NULL },
        { "\u10a0", REFUSE(CHARACTER), NULL },
        { "\u2132", REFUSE(CHARACTER), NULL },
        { "\u2183", REFUSE(CHARACTER), NULL },
        { "\U0002f868", REFUSE(CHARACTER), NULL },
        { "\U0002f874", REFUSE(CHARACTER), NULL },
        { "\U0002f91f", REFUSE(CHARACTER), NULL },
        { "\U0002f95f", REFUSE(CHARACTER), NULL },
    };

    EXPECT_BY_ALL(iri_host_read, taken);
    EXPECT(iri_host_read, &uts46, refused);
}


/* Section 6.1: the set notation */
TEST(test_removed)
{
    static const char notation[] =
        "[[\\u034F\\u200B-\\u200D\\u2060\\uFEFF\\u00AD\\u1806"
        "[:variation_selector:][:di:]]-[:unassigned:]-[:Join_C:]]";
    UErrorCode    error = U_ZERO_ERROR;
    UChar         pattern[128];
    unsigned char in[4];
    uint32_t      c;
    size_t        removed = 0;
    USet         *set;

    u_uastrcpy(pattern, notation);
    set = uset_openPattern(pattern, -1, &error);
    assert_true(U_SUCCESS(error));

    for (c = 0; c <= 0x10ffff; c++) {
        if (core_is_scalar(c)) {
            int gone = map_compatible(core_utf8(&c, 1, in)).len == 0;

            if (gone != uset_contains(set, (UChar32) c)) {
                fail_msg("U+%04X is %s", (unsigned) c,
                         gone ? "removed" : "not removed");
            }

            removed += (size_t) gone;
            core_forget(&core);
        }
    }

    uset_close(set);
    assert_in_range(removed, 380, 1000);
}


/*
 * Sections 6.2 and 6.3, and characters that map to dots: besides those of
 * t/documents/idna.tsv
 */
TEST(test_remapped)
{
    static const row_t rows[] = {
        { "\u00e9\uff0eb", SERVE, "xn--9ca.b" },
        { "\u00e9.b\u3002", SERVE, "xn--9ca.b." },
        { "a\ufe52b", SERVE, "a.b" },
        { "a\u2024b", SERVE, "a.b" },
        /* Two dots make an empty label. */
        { "a\u2026b", REFUSE(EMPTY), NULL },
        { "\u3002a", REFUSE(EMPTY), NULL },
        { "a\u3002\u3002b", REFUSE(EMPTY), NULL },
        /* A label of removed characters only is empty. */
        { "a.\u00ad.b", REFUSE(EMPTY), NULL },
        { "\u00ad", REFUSE(EMPTY), NULL },
        /* Mapping gives no ASCII other than letters, digits, "-" and dots. */
        { "a\u2100b", REFUSE(CHARACTER), NULL },
        { "a\uff0fb", REFUSE(CHARACTER), NULL },
        { "\u00e9.a\uff1a80", REFUSE(CHARACTER), NULL },
    };
    static const row_t not_by_uts46[] = {
        { "\u00e9\u3002b", SERVE, "xn--9ca.b" },
        { "\u00e9\uff61b", SERVE, "xn--9ca.b" },
        { "\u00e9\uff0eb", SERVE, "xn--9ca.b" },
        { "\u00e9\ufe12b", REFUSE(CHARACTER), NULL },
        { "a\u2488b", REFUSE(CHARACTER), NULL },
        { "a\ufe52b", REFUSE(CHARACTER), NULL },
        { "a\u2024b", REFUSE(CHARACTER), NULL },
        { "a\u2025b", REFUSE(CHARACTER), NULL },
        { "a\u3002\u3002b", REFUSE(EMPTY), NULL },
        { "a.\u00ad.b", REFUSE(EMPTY), NULL },
    };

    EXPECT(iri_host_read, &compatible, rows);
    EXPECT(iri_host_read, &uts46, not_by_uts46);
}


/*
 * Section 6, for every character: the table is ICU's NFKC_Casefold, except for
 * the listed exceptions and unassigned code points.
 */
TEST(test_table)
{
    UErrorCode          error = U_ZERO_ERROR;
    const UNormalizer2 *fold = unorm2_getNFKCCasefoldInstance(&error);
    unsigned char       in[4], want[256];
    UChar               units[2], folded[64];
    uint32_t            c;
    int32_t             n;
    size_t              others = 0;

    for (c = 0; c <= 0x10ffff; c++) {
        iri_str_t got;

        if (!core_is_scalar(c)) {
            continue;
        }

        n = 0;
        U16_APPEND_UNSAFE(units, n, c);
        n = unorm2_normalize(fold, units, n, folded, 64, &error);
        u_strToUTF8((char *) want, sizeof(want), &n, folded, n, &error);
        assert_true(U_SUCCESS(error));

        got = map_compatible(core_utf8(&c, 1, in));

        if (!iri_str_equal(got, (iri_str_t){ (size_t) n, want })) {
            others++;

            /* The exceptions */
            if (u_charType((UChar32) c) != U_UNASSIGNED && c != 0x00df
                && c != 0x03c2 && c != 0x200c && c != 0x200d && c != 0x3002
                && c != 0xff61 && c != 0xfe12 && c != 0x1806)
            {
                fail_msg("U+%04X is %s, not %s", (unsigned) c, core_show(got),
                         core_show((iri_str_t){ (size_t) n, want }));
            }
        }

        core_forget(&core);
    }

    assert_true(others > 7);
}


/* Steps 1 and 2 of section 3: table, then NFC of all */
TEST(test_steps)
{
    static const char *const rows[][2] = {
        { "Bu\u0308cher.de", "b\u00fccher.de" },
        { "B\u00dcCHER\u3002DE", "b\u00fccher.de" },
        { "a\u0323\u0302", "\u1ead" },
        { "a\u0302\u0323", "\u1ead" },
        { "\u1100\u1161\u11a8", "\uac01" },
        { "\u2488\u0301", "1.\u0301" },
        { "\u1e9e\u00df", "ss\u00df" },
        { "\u03a3\u03c2", "\u03c3\u03c2" },
        { "\ud7ff", "\ud7ff" }, /* unassigned */
        { "", "" },
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        assert_text(map_compatible(core_str(rows[i][0])), rows[i][1]);
        core_forget(&core);
    }
}


/* ---- IDN in URIs --------------------------------------------------------- */

/* Section 3: each rule, besides t/documents/idn-uri.tsv */
TEST(test_idn_uri)
{
    static const row_t rows[] = {
        /* anchor = alphanum | escaped; "-" between them only */
        { "%77%77%77.%77%33.%6f%72%67", SERVE, "www.w3.org" },
        { "%57%57%57.w3.org", SERVE, "www.w3.org" },
        { "a%2db.example", SERVE, "a-b.example" },
        { "a%2D.example", REFUSE(HYPHEN), NULL },
        { "%61.example.", SERVE, "a.example." },
        { "%61%2e%2eexample", REFUSE(EMPTY), NULL },
        { "%2e", REFUSE(EMPTY), NULL },
        { "%61.", SERVE, "a." },
        { "%61_b.example", REFUSE(CHARACTER), NULL },
        { "%61%5fb.example", REFUSE(CHARACTER), NULL },
        /* delimiters, and characters that could divide a host */
        { "a%40b", REFUSE(CHARACTER), NULL },
        { "a%3fb", REFUSE(CHARACTER), NULL },
        { "a%23b", REFUSE(CHARACTER), NULL },
        { "%5b::1]", REFUSE(CHARACTER), NULL },
        { "%5b%3a%3a1%5d", REFUSE(CHARACTER), NULL },
        { "a%00", REFUSE(CHARACTER), NULL },
        { "a%0d%0ab", REFUSE(CHARACTER), NULL },
        { "a%20b", REFUSE(CHARACTER), NULL },
        /* UTF-8, then escaped; unescaped once */
        { "D%C3%9Crst.example", SERVE, "xn--drst-0ra.example" },
        { "Du%CC%88rst.example", SERVE, "xn--drst-0ra.example" },
        { "\xc3%BCx", SERVE, "xn--x-dha" },
        { "d%C3rst.example", REFUSE(OCTETS), NULL },
        { "%ED%A0%80.example", REFUSE(OCTETS), NULL },
        { "%C0%AE.example", REFUSE(OCTETS), NULL },
        { "%", REFUSE(ESCAPE), NULL },
        { "a%2", REFUSE(ESCAPE), NULL },
        { "a%2x", REFUSE(ESCAPE), NULL },
        { "a%u0041", REFUSE(ESCAPE), NULL },
        { "d\u00fcrst%", REFUSE(ESCAPE), NULL },
        /* ACE is allowed, and checked if another part is escaped */
        { "%78n--drst-0ra.example", SERVE, "xn--drst-0ra.example" },
        { "%78n--a.example", REFUSE(ALABEL), NULL },
        /* names that are no internationalized names in other ways */
        { "%EF%BF%BE.example", REFUSE(CHARACTER), NULL },
        { "%EF%BF%BD.example", REFUSE(CHARACTER), NULL },
        { "%D7%90a.example", REFUSE(BIDI), NULL },
        { "%E2%80%AEa.example", REFUSE(CHARACTER), NULL },
        { "a%E2%80%8Db.example", REFUSE(JOINER), NULL },
        { "\u2260.example", REFUSE(CHARACTER), NULL },
        { "a\u2100b", REFUSE(CHARACTER), NULL },
        { "a\uff0fb", REFUSE(CHARACTER), NULL },
        { "a\uff1a80", REFUSE(CHARACTER), NULL },
        { "a\uff05b", REFUSE(CHARACTER), NULL },
    };

    EXPECT(iri_host_read, &uts46, rows);
}


/* All delimiters that mappings can produce, in each mapping. */
TEST(test_each_octet)
{
    char   host[64];
    int    c, way;
    size_t i;

    for (i = 0; i < COUNT(confs); i++) {
        for (c = 0; c < 0x80; c++) {
            int plain = iri_is_alphanumeric((unsigned char) c) || c == '-'
                        || c == '.';

            for (way = 0; way < 4; way++) {
                iri_host_t got;
                iri_str_t  s = { 0, (const unsigned char *) host };

                /* Raw or escaped, after another character or alone */
                s.len = (size_t) snprintf(host, sizeof(host), "%s",
                                          way & 1 ? "a" : "a\u00e9");
                s.len += (size_t) snprintf(host + s.len, 8,
                                           way & 2 ? "%%%02x" : "%c", c);
                s.len += (size_t) snprintf(host + s.len, 8, "x");

                got = ask(iri_host_read, confs[i], s);

                if (way == 1) {
                    assert_int_equal(got.verdict,
                                     c == '%' ? IRI_REFUSE : IRI_PASS);
                } else if (!plain) {
                    assert_int_equal(got.verdict, IRI_REFUSE);
                    assert_int_equal(got.why, c == '%' && way == 0
                                                  ? IRI_HOST_ESCAPE
                                                  : IRI_HOST_CHARACTER);
                } else {
                    assert_int_equal(got.verdict, IRI_SERVE);
                    check_name(confs[i], &got);
                }

                core_forget(&core);
            }
        }
    }
}


/* ---- strict, addresses --------------------------------------------------- */

TEST(test_strict)
{
    static const row_t on[] = {
        { "\u2603.example", SERVE, "xn--n3h.example" },
        { "a\u00b7b", SERVE, "xn--ab-0ea" },
        { "l\u00b7l", SERVE, "xn--ll-0ea" },
        { "fa\u00df.de", SERVE, "xn--fa-hia.de" },
        { "%78n--n3h", SERVE, "xn--n3h" },
    };
    static const row_t both[] = {
        { "\u2603.example", REFUSE(IDNA2008), NULL },
        /* ContextO is checked by registries only: RFC 5891, 5.4. */
        { "a\u00b7b", SERVE, "xn--ab-0ea" },
        { "l\u00b7l", SERVE, "xn--ll-0ea" },
        { "fa\u00df.de", SERVE, "xn--fa-hia.de" },
        { "%78n--n3h", REFUSE(IDNA2008), NULL },
    };

    EXPECT(iri_host_read, &uts46, on);
    EXPECT(iri_host_read, &strict, both);
    /* In the last row the label is ASCII. */
    expect_rows(iri_host_read, &compatible, both, COUNT(both) - 1);
    expect(iri_host_read, &compatible, S("%78n--n3h"), SERVE, "xn--n3h");
}


TEST(test_addresses)
{
    static const row_t rows[] = {
        { "127.0.0.1", PASS(ASCII), NULL },
        { "0x7f.1", PASS(ASCII), NULL },
        { "%3127.0.0.1", REFUSE(ADDRESS), NULL },
        { "127%2e0.0.1", REFUSE(ADDRESS), NULL },
        { "127.0.0.%31.", REFUSE(ADDRESS), NULL },
        { "\uff11\uff12\uff17.0.0.1", REFUSE(ADDRESS), NULL },
        { "127\u30020\u30020\u30021", REFUSE(ADDRESS), NULL },
        { "\u2460", REFUSE(ADDRESS), NULL },
        { "2130706433%2e", REFUSE(ADDRESS), NULL },
        { "%30x7f.1", REFUSE(ADDRESS), NULL },
        { "%30X7f000001", REFUSE(ADDRESS), NULL },
        { "1.%30x", REFUSE(ADDRESS), NULL },
        { "b\u00fccher.1", REFUSE(ADDRESS), NULL },
        { "b\u00fccher.08", REFUSE(ADDRESS), NULL },
        { "%31a", SERVE, "1a" },
        { "%30xg", SERVE, "0xg" },
        { "1.2.3.%34a", SERVE, "1.2.3.4a" },
        { "127.0.0.1.example%2e", SERVE, "127.0.0.1.example." },
    };

    EXPECT_BY_ALL(iri_host_read, rows);
    /* Also for names of the configuration; not for functions that only map. */
    expect(iri_host_name, &uts46, S("\uff11.\uff12"), REFUSE(ADDRESS), NULL);
    expect(iri_host_map, &uts46, S("\uff11.\uff12"), SERVE, "1.2");
    /* The same rule applies to a host with an A-label in any form. */
    expect(iri_host_map, &uts46, S("\u00fc.1"), REFUSE(ADDRESS), NULL);
    expect(iri_host_map, &uts46, S("xn--tda.1"), REFUSE(ADDRESS), NULL);
    expect(iri_host_map, &uts46, S("XN--TDA.0x1."), REFUSE(ADDRESS), NULL);
    expect(iri_host_map, &uts46, S("1.xn--tda"), SERVE, "1.xn--tda");
    expect(iri_host_map, &uts46, S("a.1"), SERVE, "a.1");
}


/* ---- limits -------------------------------------------------------------- */

/* Write unit count times into text. Returns: the position after them. */
static size_t
put(char *text, size_t at, const char *unit, size_t count)
{
    while (count-- != 0) {
        memcpy(text + at, unit, strlen(unit));
        at += strlen(unit);
    }

    text[at] = '\0';

    return at;
}


static void
expect_long(host_function_t function, const char *host, int fits,
            const char *ascii)
{
    const row_t row = { host, fits ? IRI_SERVE : IRI_REFUSE,
                        fits ? IRI_HOST_MAPPED : IRI_HOST_LIMIT, ascii };

    expect_by_all(function, &row, 1);
}


/*
 * The limit counts octets as received: most are soft hyphens, which are
 * removed.
 */
TEST(test_max_host)
{
    static char host[4096], escaped[4 * 4096];
    const char *want;
    size_t      len, at, i;
    int         k;

    for (k = -1; k <= 1; k++) {
        at = put(host, 0, "\u00ad", 250);
        at = put(host, at, "a.", 1);
        at = put(host, at, "\u00ad", 250);
        at = put(host, at, "a.", 1);
        at = put(host, at, "x", 1024 + (size_t) k - at - 1 - 1);
        at = put(host, at, ".y", 1);
        len = strlen(host);
        assert_int_equal(len, IRI_MAX_HOST + k);
        want = k < 0 ? "a.a.xxxxxxxxxxxxxxxxx.y" : "a.a.xxxxxxxxxxxxxxxxxx.y";
        expect_long(iri_host_map, host, k <= 0, want);
        expect_long(iri_host_read, host, k <= 0, want);

        for (i = 0; i < len; i++) {
            snprintf(escaped + 3 * i, 4, "%%%02X",
                     (unsigned) (unsigned char) host[i]);
        }

        assert_int_equal(strlen(escaped), 3 * len);
        expect_long(iri_host_read, escaped, k <= 0, want);
    }
}


TEST(test_max_labels)
{
    static char host[1024], want[1024];
    int         k;

    for (k = -1; k <= 1; k++) {
        put(host, put(host, 0, "A.", IRI_MAX_LABELS - 1 + (size_t) k), "A",
            1);
        put(want, put(want, 0, "a.", IRI_MAX_LABELS - 1 + (size_t) k), "a",
            1);
        expect_long(iri_host_map, host, k <= 0, want);

        /* A dot at the end does not start a label. */
        core_append(host, ".");
        core_append(want, ".");
        expect_long(iri_host_map, host, k <= 0, want);
        core_append(host, ".");
        expect(iri_host_map, &uts46, core_str(host), IRI_REFUSE,
               k < 0 ? IRI_HOST_EMPTY : IRI_HOST_LIMIT, NULL);
    }
}


/* The limit of a label's characters before mapping */
TEST(test_max_label)
{
    static const char *const dots[] = { ".", "\u3002", "\uff0e", "\uff61" };
    static char              host[4096];
    size_t                   i;
    int                      k;

    for (i = 0; i < COUNT(dots); i++) {
        for (k = -1; k <= 1; k++) {
            put(host, put(host, 0, "a", 1), "\u00ad",
                IRI_MAX_LABEL - 1 + (size_t) k);
            core_append(host, dots[i]);
            core_append(host, "b");
            expect_long(iri_host_map, host, k <= 0, "a.b");
        }
    }

    /* And after mapping: U+FDFA becomes eighteen characters, U+2057 four. */
    put(host, put(host, 0, "b", 1), "\ufdfa", 255);
    expect(iri_host_read, &compatible, core_str(host), REFUSE(LIMIT), NULL);
    put(host, put(host, 0, "b", 1), "\ufb03", 85);
    expect(iri_host_read, &compatible, core_str(host), REFUSE(LIMIT), NULL);

    /* Three characters become one: far more than the octets of an A-label. */
    put(host, 0, "\u03b1\u0313\u0301", 54);
    assert_str(ask(iri_host_read, &compatible, core_str(host)).ascii,
               ask(iri_host_read, &uts46, core_str(host)).ascii);
    assert_int_equal(ask(iri_host_read, &uts46, core_str(host)).verdict,
                     IRI_SERVE);
}


TEST(test_max_alabel)
{
    static char host[1024], want[1024];
    size_t      at;
    int         k;

    /* "xn--", letters, "-", and three octets for the last character */
    for (k = -1; k <= 1; k++) {
        static const char *const last[] = { "-ovf.b", "-8yf.b", "" };

        at = put(host, 0, "a", 55 + (size_t) k);
        put(host, at, "\u00fc.b", 1);
        at = put(want, 0, "xn--", 1);
        at = put(want, at, "a", 55 + (size_t) k);
        put(want, at, last[k + 1], 1);
        expect_long(iri_host_read, host, k <= 0, want);

        at = put(host, 0, "a", IRI_MAX_ALABEL + (size_t) k);
        put(host, at, ".b", 1);
        expect_long(iri_host_map, host, k <= 0, host);
    }
}


TEST(test_max_ascii)
{
    static char host[1024], dotted[1032];
    iri_host_t  long_one;
    size_t      at;
    int         k;

    for (k = -1; k <= 1; k++) {
        at = put(host, 0, "aaaaaaaaa.", 24);
        put(host, at, "b", IRI_MAX_HOST_ASCII - at + (size_t) k);
        assert_int_equal(strlen(host), IRI_MAX_HOST_ASCII + k);
        expect_long(iri_host_map, host, k <= 0, host);

        snprintf(dotted, sizeof(dotted), "%s.", host);
        expect_long(iri_host_map, dotted, k <= 0, dotted);
    }

    /* A host may have far more octets as Unicode than as ASCII. */
    for (k = 0, at = 0; k < 3; k++) {
        at = put(host, at, k != 0 ? "." : "", 1);
        at = put(host, at, "\U00020000", 52);
    }

    long_one = ask(iri_host_map, &uts46, core_str(host));
    assert_int_equal(long_one.verdict, IRI_SERVE);
    assert_text(long_one.unicode, host);
    check_name(&uts46, &long_one);
    core_forget(&core);

    /* ToUnicode alone has no limit of the DNS. */
    at = put(host, 0, "\u00e9aaaaaaaa.", 40);
    put(host, at, "b", 1);
    assert_int_equal(ask(iri_host_to_unicode, &uts46, core_str(host)).verdict,
                     IRI_SERVE);
}


/*
 * Marks in a row: limited in the older mapping only; in ICU's the label's limit
 * applies.
 */
TEST(test_max_marks)
{
    static char       host[1024];
    static iri_host_t by_uts46;
    int               k;

    for (k = -1; k <= 1; k++) {
        put(host, put(host, 0, "a", 1), "\u0316", IRI_MAX_MARKS + (size_t) k);
        by_uts46 = ask(iri_host_read, &uts46, core_str(host));
        assert_int_equal(by_uts46.verdict, IRI_SERVE);

        if (k <= 0) {
            assert_str(ask(iri_host_read, &compatible, core_str(host)).ascii,
                       by_uts46.ascii);
        } else {
            expect(iri_host_read, &compatible, core_str(host), REFUSE(LIMIT),
                   NULL);
        }

        core_forget(&core);
    }

    /* The count starts again after each dot. */
    put(host, put(host, 0, "a", 1), "\u0316", IRI_MAX_MARKS);
    core_append(host, ".a\u0316");
    assert_int_equal(ask(iri_host_read, &compatible, core_str(host)).verdict,
                     IRI_SERVE);
    core_forget(&core);

    put(host, put(host, 0, "a", 1), "\u0316", IRI_MAX_MARKS);
    core_append(host, ".\u0316");
    expect(iri_host_read, &compatible, core_str(host), REFUSE(IDNA2008),
           NULL);
}


/* A host with one octet that is not plain, at each position of each length. */
TEST(test_ascii_host)
{
    static const unsigned char wrong[] = { '%', 0x80, 0xa5, 0xff };
    /*
     * octets that differ from "%" in one bit, or that a borrow of the
     * subtraction could make
     */
    static const unsigned char right[] = { '$',  '&',  '\'', '5',  0x05,
                                           0x24, 0x00, 0x01, 0x7f, '.' };
    unsigned char              octets[40];
    iri_str_t                  host = { 0, octets };
    size_t                     i, k, r;

    for (r = 0; r < sizeof(right); r++) {
        memset(octets, right[r], sizeof(octets));

        for (host.len = 0; host.len < sizeof(octets); host.len++) {
            assert_int_equal(iri_host_is_ascii(host), 1);

            for (i = 0; i < sizeof(octets); i++) {
                for (k = 0; k < sizeof(wrong); k++) {
                    octets[i] = wrong[k];
                    assert_int_equal(iri_host_is_ascii(host), i >= host.len);
                }
                octets[i] = right[r];
            }
        }
    }
}


/* ---- configurations ------------------------------------------------------ */

TEST(test_names)
{
    static const row_t rows[] = {
        { "b\u00fccher.example", SERVE, "xn--bcher-kva.example" },
        { "B\u00dcCHER.Example", SERVE, "xn--bcher-kva.example" },
        { "*.b\u00fccher.example", SERVE, "*.xn--bcher-kva.example" },
        { ".b\u00fccher.example", SERVE, ".xn--bcher-kva.example" },
        { "b\u00fccher.*", SERVE, "xn--bcher-kva.*" },
        { "b\u00fccher.*.de", SERVE, "xn--bcher-kva.*.de" },
        { "b\u00fccher.?ww.\u00e9", SERVE, "xn--bcher-kva.?ww.xn--9ca" },
        { "a*.b\u00fccher", SERVE, "a*.xn--bcher-kva" },
        { "*.*.b\u00fccher", SERVE, "*.*.xn--bcher-kva" },
        { "b\u00fccher.", SERVE, "xn--bcher-kva." },
        { "*.b\u00fccher.", SERVE, "*.xn--bcher-kva." },
        { "www.example.org", PASS(ASCII), NULL },
        { "*.example.org", PASS(ASCII), NULL },
        { "xn--a.*", PASS(ASCII), NULL },
        { "", PASS(ASCII), NULL },
        { "_", PASS(ASCII), NULL },
        { "b\u00fc*.example", REFUSE(WILDCARD), NULL },
        { "b\u00fc?.example", REFUSE(WILDCARD), NULL },
        { "*\u00fc", REFUSE(WILDCARD), NULL },
        { "b\xfc"
          "cher.example",
          REFUSE(OCTETS), NULL },
        { "b%C3%BCcher.\u00e9", REFUSE(CHARACTER), NULL },
        { "a_b.\u00e9", REFUSE(CHARACTER), NULL },
        { "*.\u0301", REFUSE(MARK), NULL },
        { "xn--a.\u00e9", REFUSE(ALABEL), NULL },
        { "*.\uff11", REFUSE(ADDRESS), NULL },
        { "\u00e9..*", REFUSE(EMPTY), NULL },
        { "..\u00e9", REFUSE(EMPTY), NULL },
        { "\u00e9..", REFUSE(EMPTY), NULL },
        { "\u00e9\u3002.*", REFUSE(EMPTY), NULL },
        { ".\u00e9.", SERVE, ".xn--9ca." },
        { "\u00e9.1.*", SERVE, "xn--9ca.1.*" },
        { "\u00e9.*.1", REFUSE(ADDRESS), NULL },
    };

    EXPECT(iri_host_name, &uts46, rows);
    assert_text(
        ask(iri_host_name, &uts46, S("*.B\u00dcCHER.example")).unicode,
        "*.b\u00fccher.example");
}


/* ---- authorities, displayed hosts --------------------------------------- */

TEST(test_authorities)
{
    static const char *const rows[][2] = {
        { "example", "example" },
        { "example:80", "example" },
        { "example:", "example" },
        { "user@example", "example" },
        { "user:word@example:80", "example" },
        { "a@b@example:80", "example" },
        { "@example", "example" },
        { "user@", "" },
        { "", "" },
        { ":80", "" },
        { "[::1]", "[::1]" },
        { "[::1]:80", "[::1]" },
        { "user@[::1]:80", "[::1]" },
        { "[::1", "[::1" },
        { "[::1]junk", "[::1]" },
        { "b%C3%BCcher.example:80", "b%C3%BCcher.example" },
        { "b\u00fccher.example", "b\u00fccher.example" },
        { "%5b::1]", "%5b" },
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        assert_text(iri_authority_host(core_str(rows[i][0])), rows[i][1]);
    }
}


TEST(test_plain_hosts)
{
    static const char *const plain[] = {
        "",          "a",    "A-b_c.9", "[::1]", "[1.2::a]",
        "127.0.0.1", "a..b", "xn--a",   "[a]",   "[::ffff:192.0.2.1]"
    };
    static const char *const other[] = {
        "a b", "b\u00fc", "a%62",  "a:80",  "a/b",  "a@b",    "[::1",
        "[]",  "[::1]x",  "a\x01", "a\x7f", "a\"b", "[::%1]", "a,b",
        "*.a", "[a@b]",   "::1",   "a\\b",  "a?b",  "a#b",    "a\nb"
    };
    size_t i;

    for (i = 0; i < COUNT(plain); i++) {
        assert_true(iri_is_uri_host(core_str(plain[i])));
    }

    for (i = 0; i < COUNT(other); i++) {
        if (iri_is_uri_host(core_str(other[i]))) {
            fail_msg("%s is not plain", other[i]);
        }
    }

    assert_false(iri_is_uri_host(S("a\0b")));
}


/* A host that was received in ASCII does not change: no A-label is decoded. */
TEST(test_forms)
{
    static const char *const handed[][3] = {
        { "www.Example", "www.Example", "www.Example" },
        { "XN--bcher-kva.A", "XN--bcher-kva.A", "b\u00fccher.a" },
        { "b%C3%BCcher", "xn--bcher-kva", "b\u00fccher" },
        { "XN--a", "XN--a", "XN--a" },
        { "[::1]", "[::1]", "[::1]" },
        { "a_b", "a_b", "a_b" },
        { "", "", "" },
    };
    static const char *const kept[] = {
        "a@b", "a\"<>b", "[::1]<", "[\"]", "%2a", "\xff", "a b", "[\u00e9]"
    };
    iri_host_t host;
    size_t     i;

    for (i = 0; i < COUNT(handed); i++) {
        host = ask(iri_host_forms, &uts46, core_str(handed[i][0]));
        assert_int_equal(host.verdict, IRI_SERVE);
        assert_text(host.ascii, handed[i][1]);
        assert_text(host.unicode, handed[i][2]);
    }

    for (i = 0; i < COUNT(kept); i++) {
        host = ask(iri_host_forms, &uts46, core_str(kept[i]));
        assert_int_equal(host.verdict, IRI_REFUSE);
    }
}


TEST(test_display)
{
    static const char *const rows[][2] = {
        { "xn--bcher-kva.example", "b\u00fccher.example" },
        { "XN--BCHER-KVA.Example", "b\u00fccher.example" },
        { "xn--bcher-kva.example.", "b\u00fccher.example." },
        { "a.xn--9ca", "a.\u00e9" },
        /* All labels are converted, or none */
        { "xn--bcher-kva.xn--a", "xn--bcher-kva.xn--a" },
        { "xn--a", "xn--a" },
        { "xn--", "xn--" },
        { "xn--bcher-kva.a_b", "xn--bcher-kva.a_b" },
        { "Example", "Example" },
        { "127.0.0.1", "127.0.0.1" },
        { "[::1]", "[::1]" },
        { "", "" },
        { "b\u00fccher.xn--9ca", "b\u00fccher.xn--9ca" },
        { "b%C3%BCcher.example", "b%C3%BCcher.example" },
        { "\xff.xn--9ca", "\xff.xn--9ca" },
    };
    iri_str_t shown;
    size_t    i;

    for (i = 0; i < COUNT(rows); i++) {
        assert_ok(iri_host_display(&core.env, &uts46, core_str(rows[i][0]),
                                   &shown));
        assert_text(shown, rows[i][1]);
        core_forget(&core);
    }

    assert_ok(iri_host_display(&core.env, &strict, S("xn--n3h"), &shown));
    assert_text(shown, "xn--n3h");
}


/* U-labels of the requested host only */
TEST(test_to_unicode)
{
    static const char *const rows[][2] = {
        { "xn--bcher-kva.example", "b\u00fccher.example" },
        { "B\u00dcCHER\u3002Example", "b\u00fccher.example" },
        { "FA\u00df.\u03c2", "fa\u00df.\u03c2" },
        { "a.", "a." },
    };
    iri_host_t got;
    size_t     i;

    for (i = 0; i < COUNT(rows); i++) {
        got = ask(iri_host_to_unicode, &uts46, core_str(rows[i][0]));
        assert_int_equal(got.verdict, IRI_SERVE);
        assert_text(got.ascii, rows[i][0]);
        assert_text(got.unicode, rows[i][1]);
        core_forget(&core);
    }

    got = ask(iri_host_to_unicode, &uts46, S("xn--a"));
    assert_int_equal(got.verdict, IRI_REFUSE);
    assert_int_equal(got.why, IRI_HOST_ALABEL);
    assert_text(got.unicode, "xn--a");
}
