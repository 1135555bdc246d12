/*
 * test_function.c - the functions for rules
 *
 * Covers: each function by examples of the drafts and our own; a text without
 * such a form has no value and one log line; limits.  Any text:
 * t/fuzz/fuzz_query.c; NFC and NFD are ICU's: t/fuzz/fuzz_name.c.
 */

#include <stdlib.h>

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "core.h"

#define E_ACUTE "\xc3\xa9"


static iri_status_t
convert(const char *name, const char *labels, iri_str_t text,
        iri_converted_t *out)
{
    iri_charsets_t        charsets = core_charsets(labels);
    iri_function_conf_t   conf = { &charsets, core_hosts(), NULL };
    const iri_function_t *function = iri_function_find(core_str(name));

    assert_non_null(function);

    return iri_convert(&core.env, &conf, function, text, out);
}


/* ---- examples ------------------------------------------------------------ */

static const struct {
    const char *function, *labels;
    iri_str_t   text;
    const char *value; /* NULL: no value */
    size_t      offset;
} cases[] = {
    /* draft 3.1 */
    { "to_uri", "", IRI_STR(""), "" },
    { "to_uri", "", IRI_STR("http://r" E_ACUTE "sum" E_ACUTE ".example.org"),
      "http://r%C3%A9sum%C3%A9.example.org" },
    { "to_uri", "",
      IRI_STR("http://example.com/\xf0\x90\x8c\x80\xf0\x90\x8c"
              "\x81"),
      "http://example.com/%F0%90%8C%80%F0%90%8C%81" },
    { "to_uri", "", IRI_STR("/caf" E_ACUTE " 100%"), "/caf%C3%A9%20100%25" },
    { "to_uri", "", IRI_STR("/caf%c3%a9%20%41?a=b&c#d"),
      "/caf%c3%a9%20%41?a=b&c#d" },
    { "to_uri", "", IRI_STR("a\"<>\\^`{|}[]@!$'()*+,;=:~-._"),
      "a%22%3C%3E%5C%5E%60%7B%7C%7D[]@!$'()*+,;=:~-._" },
    { "to_uri", "", IRI_STR("a\r\nSet-Cookie: b\0\x7f"),
      "a%0D%0ASet-Cookie:%20b%00%7F" },
    { "to_uri", "", IRI_STR("%%4%zz%"), "%25%254%25zz%25" },
    { "to_uri", "", IRI_STR("\xee\x80\x80\xe2\x80\x8e\xc2\x85"),
      "%EE%80%80%E2%80%8E%C2%85" },
    { "to_uri", "", IRI_STR("ab\xe9"), NULL, 2 },

    /* draft 3.2, with its examples */
    { "to_iri", "", IRI_STR("http://www.example.org/D%C3%BCrst"),
      "http://www.example.org/D\xc3\xbcrst" },
    { "to_iri", "", IRI_STR("http://www.example.org/D%FCrst"),
      "http://www.example.org/D%FCrst" },
    { "to_iri", "", IRI_STR("http://xn--99zt52a.example.org/%e2%80%ae"),
      "http://xn--99zt52a.example.org/%e2%80%ae" },
    { "to_iri", "", IRI_STR("/%41%7E%2d%2F%25%20%3F%26%0A%00"),
      "/A~-%2F%25%20%3F%26%0A%00" },
    { "to_iri", "", IRI_STR("/%E6%97%\xa5/\xe6\x97%A5/%E6\x97%A5"),
      "/%E6%97%25%A5/\xe6\x97\xa5/\xe6\x97\xa5" },
    { "to_iri", "", IRI_STR("/%ED%A0%80%C0%AF%F4%90%80%80"),
      "/%ED%A0%80%C0%AF%F4%90%80%80" },
    { "to_iri", "", IRI_STR("/%C2%85%C2%A0%EE%80%80%EF%BF%BD%EF%BF%BE"),
      "/%C2%85\xc2\xa0%EE%80%80%EF%BF%BD%EF%BF%BE" },
    { "to_iri", "", IRI_STR("a b\n\x7f<\xe9\xe2\x80\x8f%"),
      "a%20b%0A%7F%3C%E9%E2%80%8F%25" },

    { "nfc", "", IRI_STR("e\xcc\x81=\xcc\xb8"), E_ACUTE "\xe2\x89\xa0" },
    { "nfc", "", IRI_STR("\xcd\xbe\xe1\xbf\xaf\xe2\x84\xaa"),
      "\xcd\xbe\xe1\xbf\xaf\xe2\x84\xaa" },
    { "nfc", "", IRI_STR("a\nb"), "a\nb" },
    { "nfc", "", IRI_STR("e\xcc"), NULL, 1 },

    { "fold", "", IRI_STR("STRASSE"), "strasse" },
    { "fold", "", IRI_STR("stra\u00dfe"), "strasse" },
    { "fold", "", IRI_STR("E\xcc\x81 \xc3\x89"), E_ACUTE " " E_ACUTE },
    { "fold", "", IRI_STR("\xef\xbc\xa1/\xef\xbd\xb6\xef\xbe\x9e"),
      "a/\xe3\x82\xac" },
    { "fold", "", IRI_STR("\xce\xa3\xce\x91\xce\xa3"),
      "\xcf\x83\xce\xb1\xcf\x83" },
    { "fold", "", IRI_STR("\xef\xbc\x8f"), "/" },
    { "fold", "", IRI_STR("\xff"), NULL },

    { "utf8", "", IRI_STR(E_ACUTE "\n%E9"), E_ACUTE "\n%E9" },
    { "utf8", "", IRI_STR("ab\xe9"), NULL, 2 },
    { "utf8", "sjis windows-1252", IRI_STR("\x95\\"), "\xe8\xa1\xa8" },
    { "utf8", "sjis windows-1252", IRI_STR("caf\xe9"), "caf" E_ACUTE },
    { "utf8", "sjis", IRI_STR("\xa0"), NULL },
    { "utf8", "iso-8859-2", IRI_STR("\x85"), NULL },
    { "utf8", "sjis", IRI_STR("\x83\n"), NULL },

    { "host_ascii", "", IRI_STR("B\u00fccher.Example"),
      "xn--bcher-kva.example" },
    { "host_ascii", "", IRI_STR("b%C3%BCcher.example"),
      "xn--bcher-kva.example" },
    { "host_ascii", "", IRI_STR("www.example"), "www.example" },
    { "host_ascii", "", IRI_STR("[::1]"), "[::1]" },
    { "host_ascii", "", IRI_STR("a@b"), NULL },
    { "host_ascii", "", IRI_STR("b\xc3\xbc:80"), NULL },
    { "host_ascii", "", IRI_STR("a\nb"), NULL },
    { "host_unicode", "", IRI_STR("xn--bcher-kva.example"),
      "b\u00fccher.example" },
    { "host_unicode", "", IRI_STR("xn--a"), "xn--a" },

    { "nfd", "", IRI_STR(E_ACUTE "/\xea\xb0\x80"),
      "e\xcc\x81/\xe1\x84\x80\xe1\x85\xa1" },
    { "nfd", "", IRI_STR("\xcd\xbe\xe1\xbf\xaf\xe2\x84\xaa"),
      "\xcd\xbe\xe1\xbf\xaf\xe2\x84\xaa" },
    { "nfd", "", IRI_STR("e\xcc"), NULL, 1 },

    { "url_ascii", "",
      IRI_STR("https://B\u00fccher.Example:81/\u00e9?\u00e9#"),
      "https://xn--bcher-kva.example:81/%C3%A9?%C3%A9#" },
    { "url_ascii", "", IRI_STR("//b%C3%BCcher.example?//@"),
      "//xn--bcher-kva.example?//@" },
    { "url_ascii", "", IRI_STR("http://[::1]:80/"), "http://[::1]:80/" },
    { "url_ascii", "", IRI_STR("null"), "null" },
    { "url_ascii", "", IRI_STR("/\u00e9//b\u00fc.example"),
      "/%C3%A9//b%C3%BC.example" },
    { "url_ascii", "", IRI_STR("a//b\u00fc"), "a//b%C3%BC" },
    { "url_ascii", "", IRI_STR("a b://c"), "a%20b://c" },
    { "url_ascii", "", IRI_STR("http://a.example\\@b\u00fc.example/"), NULL,
      7 },
    { "url_ascii", "", IRI_STR("http://a@b/"), NULL, 7 },
    { "url_ascii", "", IRI_STR("http://a:80x/"), NULL, 7 },
    { "url_ascii", "", IRI_STR("http://[::1]a/"), NULL, 7 },
    { "url_ascii", "", IRI_STR("http://a\\b/"), NULL },
    { "url_ascii", "", IRI_STR("http://a b/"), NULL },
    { "url_ascii", "", IRI_STR("http://-\u00fc-/"), NULL },
    { "url_ascii", "", IRI_STR("http://a\xff/"), NULL, 8 },
    { "url_unicode", "",
      IRI_STR("https://xn--bcher-kva.example/%C3%A9%20%2F"),
      "https://b\u00fccher.example/\u00e9%20%2F" },
    { "url_unicode", "", IRI_STR("https://xn--bcher-kva.example"),
      "https://b\u00fccher.example" },
    { "url_unicode", "", IRI_STR("http://a/\xff"), "http://a/%FF" },
    { "url_unicode", "", IRI_STR("http://a\xff/"), NULL },
    { "url_unicode", "", IRI_STR("http://xn--a/\n"), "http://xn--a/%0A" },

    { "disposition", "", IRI_STR("/a/plan 1.pdf"),
      "filename=\"plan 1.pdf\"" },
    { "disposition", "", IRI_STR("caf" E_ACUTE ".pdf"),
      "filename=\"caf_.pdf\"; filename*=UTF-8''caf%C3%A9.pdf" },
    { "disposition", "", IRI_STR("a\"; b=\"\\%41'(*)"),
      "filename=\"a_; b=___41'(*)\";"
      " filename*=UTF-8''a%22%3B%20b%3D%22%5C%2541%27%28%2A%29" },
    { "disposition", "", IRI_STR("a\r\n\0\x7f\xc2\x85\u202egpj.exe"),
      "filename=\"a______gpj.exe\"" },
    { "disposition", "", IRI_STR("/a/"), NULL },
    { "disposition", "", IRI_STR(""), NULL },
    { "disposition", "", IRI_STR("/a/.."), NULL },
    { "disposition", "", IRI_STR("a\xff"), NULL, 1 },
    { "host_unicode", "",
      IRI_STR("b\xfc"
              "cher"),
      NULL, 1 },
};


TEST(test_cases)
{
    iri_converted_t got;
    size_t          i;

    for (i = 0; i < COUNT(cases); i++) {
        core_init(&core);
        assert_ok(
            convert(cases[i].function, cases[i].labels, cases[i].text, &got));

        assert_text(got.value, cases[i].value != NULL ? cases[i].value : "");

        if (cases[i].value != NULL) {
            assert_null(got.why);
            assert_string_equal(core.log, "");
        } else {
            assert_non_null(got.why);
            assert_non_null(strstr(core.log, cases[i].function));
            assert_non_null(strstr(core.log, got.why));
            assert_ptr_equal(strchr(core.log, '\n'),
                             core.log + core.log_len - 1);
        }

        assert_int_equal(got.offset, cases[i].offset);
    }
}


TEST(test_log)
{
    iri_converted_t got;
    char            text[300];

    core_init(&core);
    core.env.log = NULL;
    assert_ok(convert("nfc", "", S("\xff"), &got));
    assert_non_null(got.why);

    core_init(&core);
    assert_ok(convert("nfc", "", S("a\n\"\xff"), &got));
    assert_memory_equal(core.log, "nfc of \"a%0A%22%FF\": ", 20);
    assert_non_null(strstr(core.log, ", reason=function\n"));

    /* A long text is truncated in the log. */
    memset(text, 'a', sizeof(text));
    text[299] = '\xff';
    core_init(&core);
    assert_ok(
        convert("nfc", "", (iri_str_t){ 300, (unsigned char *) text }, &got));
    assert_int_equal(got.offset, 299);
    assert_int_equal(core.log_len,
                     strlen("nfc of \"\" ...: , reason=function\n")
                         + strlen(got.why) + 200);
}


/* Without a host mapping and without charsets. */
TEST(test_without)
{
    iri_function_conf_t conf = { NULL, NULL, NULL };
    iri_host_conf_t     bare = { NULL, IRI_MAPPING_UTS46, 0 };
    iri_converted_t     got;

    assert_ok(iri_convert(&core.env, &conf,
                          iri_function_find(S("host_ascii")), S("a"), &got));
    assert_non_null(got.why);

    conf.host = &bare;
    assert_ok(iri_convert(&core.env, &conf,
                          iri_function_find(S("host_unicode")), S("a"),
                          &got));
    assert_non_null(got.why);

    assert_ok(iri_convert(&core.env, &conf, iri_function_find(S("utf8")),
                          S("\xe9"), &got));
    assert_non_null(got.why);
}


/* ---- encode -------------------------------------------------------------- */

TEST(test_encode)
{
    static const struct {
        const char *charset;
        iri_str_t   text;
        const char *value; /* NULL: no value */
        size_t      offset;
    } rows[] = {
        { "sjis", IRI_STR("/\xe8\xa1\xa8%2F %E3%82%A2?a=b%"),
          "/%95%5C%2F%20%83A?a=b%25", 0 },
        { "euc-jp", IRI_STR("%e8%a1%A8"), "%C9%BD", 0 },
        { "windows-1252", IRI_STR("caf" E_ACUTE), "caf%E9", 0 },
        { "windows-1252", IRI_STR("a%c3%A9\n%00"), "a%E9%0A%00", 0 },
        { "gb18030", IRI_STR("\xf0\x9f\x98\x80"), "%949%FC6", 0 },
        { "windows-1252", IRI_STR("a\xe8\xa1\xa8"), NULL, 1 },
        { "windows-1252", IRI_STR("ab%E9"), NULL, 2 },
        { "sjis", IRI_STR("a%C2%85"), NULL, 1 },
        { "sjis", IRI_STR("a%EF%BF%BD"), NULL, 1 },
        { "utf-8", IRI_STR("/" E_ACUTE "%C3%A9"), "/%C3%A9%C3%A9", 0 },
    };
    static const char *const wrong[] = { "encode:klingon", "encode:percent",
                                         "encode:", "encode" };
    const iri_function_t    *function;
    iri_function_conf_t      conf = { NULL, NULL, NULL };
    iri_converted_t          got;
    char                     word[32];
    size_t                   i;

    for (i = 0; i < COUNT(rows); i++) {
        snprintf(word, sizeof(word), "encode:%s", rows[i].charset);
        assert_null(iri_parse_function(core_registry(), core_str(word),
                                       &function, &conf.encode));
        assert_ok(
            iri_convert(&core.env, &conf, function, rows[i].text, &got));
        assert_int_equal(got.why == NULL, rows[i].value != NULL);
        assert_str(got.value,
                   core_str(rows[i].value != NULL ? rows[i].value : ""));
        assert_int_equal(got.offset, rows[i].offset);
    }

    conf.encode = NULL;
    assert_ok(
        iri_convert(&core.env, &conf, &iri_function_encode, S("a"), &got));
    assert_non_null(got.why);

    assert_non_null(
        iri_parse_function(NULL, S("encode:sjis"), &function, &conf.encode));

    for (i = 0; i < COUNT(wrong); i++) {
        assert_non_null(iri_parse_function(
            core_registry(), core_str(wrong[i]), &function, &conf.encode));
    }
    assert_null(conf.encode);

    for (i = 0; iri_charset_at(i) != NULL; i++) {
        assert_int_equal(core_charsets(iri_charset_at(i)).count, 1);
    }

    assert_int_equal(i, IRI_CHARSETS);
}


/* ---- by name ------------------------------------------------------------- */

TEST(test_names)
{
    const iri_function_t *function = NULL, *was;
    const iri_charset_t  *charset = NULL;
    const char           *error;
    size_t                i;

    for (i = 0; iri_function_name(i) != NULL; i++) {
        assert_null(iri_parse_function(NULL, core_str(iri_function_name(i)),
                                       &function, &charset));
        assert_null(charset);
        assert_non_null(function);
        assert_ptr_equal(function, iri_function_at(i));
    }

    assert_int_equal(i, IRI_FUNCTIONS);
    assert_null(iri_function_name(1000));
    assert_null(iri_function_at(IRI_FUNCTIONS));
    assert_null(iri_function_find(S("")));
    assert_null(iri_function_find(S("nf")));
    assert_null(iri_function_find(S("nfcx")));
    assert_null(iri_function_find(S("NFC")));

    was = function;
    error = iri_parse_function(NULL, S("nfkd"), &function, &charset);
    assert_ptr_equal(function, was);

    for (i = 0; iri_function_name(i) != NULL; i++) {
        assert_non_null(strstr(error, iri_function_name(i)));
    }
}


/* ---- limits -------------------------------------------------------------- */

TEST(test_limits)
{
    static unsigned char       space[100 * 1024];
    static const unsigned char octets[] = { 'a', '\n', 0, '%', 0xff };
    iri_converted_t            got;
    const char                *name;
    size_t                     i, k, len;

    for (k = 0; k < COUNT(octets); k++) {
        memset(space, octets[k], sizeof(space));

        for (i = 0; (name = iri_function_name(i)) != NULL; i++) {
            for (len = IRI_MAX_TEXT - 1; len <= IRI_MAX_TEXT + 1; len++) {
                core_init(&core);
                assert_ok(convert(name, "windows-1252",
                                  (iri_str_t){ len, space }, &got));

                if (len > IRI_MAX_TEXT) {
                    assert_non_null(got.why);
                    assert_int_equal(got.value.len, 0);
                } else if (octets[k] == 'a' && i < 5) {
                    assert_null(got.why);
                    assert_int_equal(got.value.len, len);
                }
            }
        }

        core_init(&core);
        assert_ok(
            convert("to_uri", "", (iri_str_t){ sizeof(space), space }, &got));
        assert_non_null(got.why);
    }
}


/* Texts that would take long in one piece, and texts without a key. */
TEST(test_hostile)
{
    static const char *const units[] = {
        "\xcc\x81\xcc\xa7", "\xe1\x85\xa1",     "\xe1\x84\x80",
        "\xe3\x82\x99",     "\xf0\x9d\x85\x9e", "\xef\xbe\x9e",
        "\xe0\xa4\x95",     "\xef\xb7\xba",     "\xe1\xbe\x87",
    };
    static char     space[IRI_MAX_TEXT];
    iri_converted_t got;
    iri_str_t       text = { 0, (unsigned char *) space };
    size_t          i;

    for (i = 0; i < COUNT(units); i++) {
        /*
         * "a" is folded before the limit is reached; none of the text remains
         */
        memcpy(space, "ab", 2);
        for (text.len = 2; text.len + strlen(units[i]) <= sizeof(space);
             text.len += strlen(units[i]))
        {
            memcpy(space + text.len, units[i], strlen(units[i]));
        }

        core_init(&core);
        assert_ok(convert("nfc", "", text, &got));
        assert_null(got.why);
        assert_ok(convert("fold", "", text, &got));
        assert_non_null(got.why);
        assert_int_equal(got.value.len, 0);
    }
}
