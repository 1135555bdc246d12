/*
 * test_query.c - converting a query to UTF-8
 *
 * Covers: each parameter that is not UTF-8, and no other, is decoded in one
 * charset and written percent-encoded; ASCII is not changed; no sequence
 * contains a delimiter; NFC, and the parts that are not normalized; limits;
 * settings.  t/fuzz/fuzz_query.c has a second, plain implementation.
 */

#include "core.h"

#define E_ACUTE "%C3%A9"

static iri_query_conf_t
conf_of(const char *labels, int nfc)
{
    iri_query_conf_t conf = { core_charsets(labels), nfc };

    return conf;
}


/* ---- single queries ----------------------------------------------------- */

static const struct {
    const char     *labels;
    int             nfc;
    const char     *query;
    const char     *want; /* NULL: unchanged */
    const char     *charset;
    iri_query_why_t why;
} cases[] = {
    /* nothing to convert */
    { "sjis", 0, "", NULL, "", IRI_QUERY_ASCII },
    { "sjis", 0, "a=b&c=%0A%26%25&+", NULL, "", IRI_QUERY_ASCII },
    { "sjis", 0, "a=%7f&%", NULL, "", IRI_QUERY_ASCII },
    { "sjis", 0, "a=%c3%a9&b=%E3%82%bd", NULL, "", IRI_QUERY_UTF8 },
    { "sjis", 0, "a=\xc3\xa9", NULL, "", IRI_QUERY_UTF8 },
    { "", 0, "a=%E9", NULL, "", IRI_QUERY_UNREADABLE },

    /* Shift_JIS, with trail octets in ASCII */
    { "sjis", 0, "q=%83%5C", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=%83%5c", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=%83\\", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=\x83\\", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    /* an escaped "&" does not divide a value into two that are read apart */
    { "sjis", 0, "a=%C3%A9%26%83%5C", "a=%EF%BE%83%EF%BD%A9%26%E3%82%BD",
      "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=\x83%5C", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=%83|%83@%83%41a", "q=%E3%83%9D%E3%82%A1%E3%82%A2a",
      "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "a[%83[]=%5b%83%5D%5d", "a[%E3%82%BC]=%5b%E3%82%BE%5d",
      "Shift_JIS", IRI_QUERY_READ },

    /* a delimiter is never part of a character */
    { "sjis", 0, "q=%83&x=1", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83%26x=1", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "%83=1", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83+%5C", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83%", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83%5", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83%5G", NULL, "", IRI_QUERY_UNREADABLE },

    /* each parameter separately: names, values, and parts in UTF-8 */
    { "windows-1252", 0, "a%E9=%e9&%c3%a9=%E9&b=\xc3\xa9&&=&c==%E9=",
      "a" E_ACUTE "=" E_ACUTE "&%c3%a9=" E_ACUTE "&b=\xc3\xa9&&=&c==" E_ACUTE
      "=",
      "windows-1252", IRI_QUERY_READ },
    { "windows-1252", 0, "%E9;b=%C3%A9", E_ACUTE ";b=%C3%A9", "windows-1252",
      IRI_QUERY_READ },
    { "windows-1252", 0, "a=%C3%A9;b=%E9", "a=%C3%83%C2%A9;b=" E_ACUTE,
      "windows-1252", IRI_QUERY_READ },
    { "windows-1252", 0, "a=+%2b%20 %0d%0A%00%u3042%e9%zz%",
      "a=+%2b%20 %0d%0A%00%u3042" E_ACUTE "%zz%", "windows-1252",
      IRI_QUERY_READ },
    { "windows-1252", 0, "%3d%26%3B%E9%41", "%3d%26%3B" E_ACUTE "%41",
      "windows-1252", IRI_QUERY_READ },

    /* one charset for all: the first that is valid for all of them */
    { "sjis euc-jp", 0, "a=%95%5C&b=%C9%BD%95%5C",
      "a=%E8%A1%A8&b=%EF%BE%89%EF%BD%BD%E8%A1%A8", "Shift_JIS",
      IRI_QUERY_READ },
    { "sjis euc-jp", 0, "a=%A4%A2&b=%FE%A1", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis euc-jp", 0, "a=%A4%A2&b=%B0%FD", "a=%E3%81%82&b=%E8%83%A4",
      "EUC-JP", IRI_QUERY_READ },
    { "sjis windows-1252", 0, "a=%95%5C&b=%A0%E9",
      "a=%E2%80%A2%5C&b=%C2%A0" E_ACUTE, "windows-1252", IRI_QUERY_READ },
    { "sjis", 0, "a=%95%5C&b=%A0", NULL, "", IRI_QUERY_UNREADABLE },
    { "big5", 0, "%C9%BD=%A4@", "%C9%BD=%E4%B8%80", "Big5", IRI_QUERY_READ },

    /* controls and invalid octets are refused */
    { "windows-1252", 0, "a=%81", NULL, "", IRI_QUERY_UNREADABLE },
    { "iso-8859-2", 0, "a=%85", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "a=%C0%AF", "a=%EF%BE%80%EF%BD%AF", "Shift_JIS",
      IRI_QUERY_READ },
    { "gb18030", 0, "a=%810%811&b=%84%31%A4%37", NULL, "",
      IRI_QUERY_UNREADABLE },
    { "gb18030", 0, "a=%810%812", NULL, "", IRI_QUERY_UNREADABLE },
    { "gb18030", 0, "a=%810%8400&b=0", NULL, "", IRI_QUERY_UNREADABLE },
    { "gb18030", 0, "a=%949%DA3&b=%819%ef0", "a=%F0%9F%92%A9&b=%E3%90%81",
      "gb18030", IRI_QUERY_READ },

    /* NFC */
    { "", 1, "a=%C3%A9", NULL, "", IRI_QUERY_UTF8 },
    { "", 1, "a=e%cc%81&b=%c3%a9", "a=" E_ACUTE "&b=%c3%a9", "",
      IRI_QUERY_NORMALIZED },
    { "", 1, "a=%65%cc%81", "a=" E_ACUTE, "", IRI_QUERY_NORMALIZED },
    { "", 1, "%65%cc%8a=e%cc%81", "%65%cc%8a=" E_ACUTE, "",
      IRI_QUERY_NORMALIZED },
    { "", 1, "%65%cc%8ae%cc%81", "%65%CC%8A" E_ACUTE, "",
      IRI_QUERY_NORMALIZED },
    { "", 1, "e%cc%8ae%cc%81", "e%CC%8A" E_ACUTE, "", IRI_QUERY_NORMALIZED },
    { "", 1, "a==%CC%B8&%3D%CC%B8&%3c%CC%B8", NULL, "", IRI_QUERY_UTF8 },
    { "", 1, "=%CC%B8", NULL, "", IRI_QUERY_UTF8 },
    { "", 1, "%CD%BE=%E1%BF%AF&%E2%84%AA%CC%A7", NULL, "", IRI_QUERY_UTF8 },
    { "", 1, "%EF%A9%90", "%E7%A5%96", "", IRI_QUERY_NORMALIZED },
    { "", 1, "%E3%81%8B%E3%82%99+x", "%E3%81%8C+x", "",
      IRI_QUERY_NORMALIZED },
    { "", 1, "%E1%84%92%E1%85%A1%E1%86%AB", "%ED%95%9C", "",
      IRI_QUERY_NORMALIZED },
    { "windows-1258", 1, "a=A%CC&b=%81", NULL, "", IRI_QUERY_UNREADABLE },
    { "windows-1258", 1, "a=A%D2&b=%E9&c=e%cc%81&A",
      "a=%E1%BA%A2&b=" E_ACUTE "&c=" E_ACUTE "&A", "windows-1258",
      IRI_QUERY_READ },
    { "windows-1258", 0, "a=A%D2", "a=A%CC%89", "windows-1258",
      IRI_QUERY_READ },
    { "", 1, "a=%E9&b=e%CC%81", NULL, "", IRI_QUERY_UNREADABLE },
};


TEST(test_cases)
{
    iri_query_conf_t conf;
    iri_query_t      got;
    iri_str_t        query;
    size_t           i;

    for (i = 0; i < COUNT(cases); i++) {
        core_init(&core);
        conf = conf_of(cases[i].labels, cases[i].nfc);
        query = core_str(cases[i].query);

        assert_ok(iri_query_read(&core.env, &conf, query, &got));

        if (got.why != cases[i].why) {
            print_message("# %s: %s\n", cases[i].query,
                          iri_query_why_text(got.why));
        }

        assert_int_equal(got.why, cases[i].why);
        assert_text(got.charset, cases[i].charset);

        if (got.why == IRI_QUERY_READ || got.why == IRI_QUERY_NORMALIZED) {
            assert_text(got.query, cases[i].want);
        } else {
            assert_ptr_equal(got.query.data, query.data);
            assert_int_equal(got.query.len, query.len);
        }
    }
}


/* So no delimiter can become part of a character or be the result of one. */
TEST(test_no_delimiters)
{
    static const unsigned char marks[] = "&=;+#?%/\"'<> ";
    const iri_charset_t       *charset;
    unsigned char              p[4] = { 0, 0, 0x81, 0x30 };
    uint32_t                   c;
    size_t                     row, lead, i, n;

    for (row = 0; row < CORE_SUPPORTED; row++) {
        charset = core_charset(core_supported[row].name);

        for (lead = 0x80; lead < 0x100; lead++) {
            for (i = 0; i < sizeof(marks) - 1; i++) {
                p[0] = (unsigned char) lead;
                p[1] = marks[i];
                n = iri_charset_next(charset, p, p + sizeof(p), &c);
                assert_true(n < 2);
            }
        }
    }
}


/* ---- limits -------------------------------------------------------------- */

/* The limits of the query before and after conversion. */
TEST(test_limits)
{
    static unsigned char space[IRI_MAX_QUERY + 2];
    iri_query_conf_t     conf = conf_of("windows-1252", 1);
    iri_query_t          got;
    iri_str_t            query = { 0, space };
    size_t               len, high;

    for (len = IRI_MAX_QUERY - 1; len <= IRI_MAX_QUERY + 1; len++) {
        for (high = 0; high < 2; high++) {
            /* one octet becomes six */
            query.len = high ? len - 5 * (len / 6) : len;
            memset(space, 'a', sizeof(space));
            memset(space, 0xe9, high ? len / 6 : 0);

            core_init(&core);
            assert_ok(iri_query_read(&core.env, &conf, query, &got));

            if (len > IRI_MAX_QUERY) {
                assert_int_equal(got.why, IRI_QUERY_LIMIT);
                assert_ptr_equal(got.query.data, space);
                assert_int_equal(got.query.len, query.len);
            } else {
                assert_int_equal(got.why,
                                 high ? IRI_QUERY_READ : IRI_QUERY_ASCII);
                assert_int_equal(got.query.len, len);
            }
        }
    }

    /* The longest possible result. */
    core_init(&core);
    memset(space, 0x80, sizeof(space));
    query.len = IRI_MAX_QUERY;
    assert_ok(iri_query_read(&core.env, &conf, query, &got));
    assert_int_equal(got.why, IRI_QUERY_LIMIT);
}


/* NFC would move the last of the marks in a row to the front. */
TEST(test_marks)
{
    iri_query_conf_t conf = conf_of("", 1);
    iri_query_t      got;
    char             space[1024];
    size_t           marks, i;

    for (marks = 2; marks < 40; marks++) {
        core_init(&core);
        snprintf(space, sizeof(space), "a=%%CC%%A7&b=x");

        for (i = 1; i < marks; i++) {
            core_append(space, "%CC%81");
        }

        core_append(space, "%CC%A7");

        assert_ok(iri_query_read(&core.env, &conf, core_str(space), &got));
        assert_int_equal(got.why,
                         marks <= 30 ? IRI_QUERY_NORMALIZED : IRI_QUERY_UTF8);
    }
}


/* ICU needs quadratic time for it in one piece: neither size does here. */
TEST(test_hostile)
{
    static const char *const units[] = { "\xcc\x81\xcc\xa7", "\xe1\x85\xa1",
                                         "\xe1\x84\x80",     "e\xcc\x81",
                                         "\xf0\x9d\x85\x9e", "\xe3\x82\x99" };
    iri_query_conf_t         conf = conf_of("", 1);
    iri_query_t              got, again;
    char                     space[IRI_MAX_QUERY];
    size_t                   i, len;

    for (i = 0; i < COUNT(units); i++) {
        core_init(&core);

        for (len = 0; len + strlen(units[i]) < sizeof(space);
             len += strlen(units[i])) {
            memcpy(space + len, units[i], strlen(units[i]));
        }

        assert_ok(iri_query_read(&core.env, &conf,
                                 (iri_str_t){ len, (unsigned char *) space },
                                 &got));
        assert_ok(iri_query_read(&core.env, &conf, got.query, &again));
        assert_true(again.why == IRI_QUERY_UTF8
                    || again.why == IRI_QUERY_LIMIT);
    }
}


/* ---- settings, words ----------------------------------------------------- */

static const char *
parse(const char *text, iri_query_conf_t *out)
{
    char      space[128], *word;
    iri_str_t words[16];
    size_t    count = 0;

    snprintf(space, sizeof(space), "%s", text);

    for (word = strtok(space, " "); word != NULL; word = strtok(NULL, " ")) {
        words[count++] = core_str(word);
    }

    return iri_parse_query(core_registry(), words, count, out);
}


TEST(test_parse)
{
    iri_query_conf_t conf = { { 0, { NULL } }, 7 };

    assert_null(parse("none", &conf));
    assert_int_equal(conf.charsets.count, 0);
    assert_int_equal(conf.nfc, 0);

    assert_null(parse("sjis EUC-JP", &conf));
    assert_int_equal(conf.charsets.count, 2);
    assert_ptr_equal(conf.charsets.at[0], core_charset("Shift_JIS"));
    assert_int_equal(conf.nfc, 0);

    assert_null(parse("UTF-8 sjis NFC", &conf));
    assert_int_equal(conf.charsets.count, 1);
    assert_int_equal(conf.nfc, 1);

    assert_null(parse("nfc", &conf));
    assert_int_equal(conf.charsets.count, 0);
    assert_int_equal(conf.nfc, 1);

    assert_null(parse("none nfc", &conf));
    assert_int_equal(conf.nfc, 1);

    conf.nfc = 7;
    assert_string_equal(parse("nfc sjis", &conf),
                        "takes \"nfc\" once, after the charsets");
    assert_string_equal(parse("sjis nfc nfc", &conf),
                        "takes \"nfc\" once, after the charsets");
    assert_non_null(strstr(parse("none sjis", &conf), "combine \"none\""));
    assert_non_null(strstr(parse("klingon", &conf), "not a known charset"));
    assert_non_null(strstr(parse("iso-2022-jp nfc", &conf), "has states"));
    assert_int_equal(conf.nfc, 7);
}


TEST(test_needs)
{
    iri_query_conf_t off = conf_of("", 0), on = conf_of("sjis", 0);
    iri_query_conf_t nfc = conf_of("", 1);

    assert_int_equal(iri_query_needs_read(&off, S("%E9")), 0);
    assert_int_equal(iri_query_needs_read(&on, S("%E9")), 1);
    assert_int_equal(iri_query_needs_read(&nfc, S("\xc3\xa9")), 1);
    assert_int_equal(iri_query_needs_read(&on, S("")), 0);
    assert_int_equal(iri_query_needs_read(&on, S("a=%7f&%")), 0);
}


TEST(test_report)
{
    static const struct {
        const char *labels, *query, *line;
    } lines[] = {
        { "sjis", "a=b", "" },
        { "sjis", "a=%C3%A9", "" },
        { "sjis", "q=%95\\",
          "iri: report: would convert the query \"q=%E8%A1%A8\": charset"
          " \"Shift_JIS\", was read in another charset, reason=query-read" },
        { "sjis", "q=\xa0\"\n",
          "iri: report: would not convert the query \"q=%A0%22%0A\": charset \"\","
          " has parameters that no single charset decodes,"
          " reason=query-unreadable" },
    };
    iri_query_conf_t conf;
    iri_query_t      got;
    iri_str_t        line;
    iri_notes_t      notes;
    iri_line_t       room;
    size_t           i;

    for (i = 0; i < COUNT(lines); i++) {
        core_init(&core);
        conf = conf_of(lines[i].labels, 0);
        assert_ok(
            iri_query_read(&core.env, &conf, core_str(lines[i].query), &got));
        memset(&notes, 0, sizeof(notes));
        iri_note_query(&notes, &got);
        line = iri_notes_format_line(&notes, NULL, &room);
        assert_int_equal(notes.count, lines[i].line[0] != '\0');

        if (notes.count != 0) {
            assert_text(line, lines[i].line);
        }
    }
}


TEST(test_words)
{
    int why;

    for (why = 0; why < IRI_QUERY_WHYS; why++) {
        assert_string_not_equal(iri_query_why_text((iri_query_why_t) why),
                                "unknown");
    }

    assert_string_equal(iri_query_why_text(IRI_QUERY_WHYS), "unknown");
    assert_string_equal(iri_query_why_text((iri_query_why_t) -1), "unknown");
}
