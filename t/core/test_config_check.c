/*
 * test_config_check.c - warnings about a configuration
 *
 * Proves: rules in UTF-8 in NFC have no warning, others have one in printable
 * ASCII; brackets, escapes and optional characters of a regular expression are
 * no reason; each other warning with its conditions and its text; a directive
 * that several servers include has one warning at most; any octets; no memory.
 */

#include <stdlib.h>

#include "core.h"

#define E_ACUTE "\xc3\xa9"
#define E_MARK  "e\xcc\x81"
#define ESCAPED                                                              \
    " is percent-encoded and so matches no path: write the characters in "   \
    "UTF-8\n"
#define UNREAD                                                               \
    " is not UTF-8 and so matches no path: write the characters in UTF-8\n"
#define UNNORM                                                               \
    " is not in NFC and so matches no path: write the text that \"iri "      \
    "normalize\" prints for it\n"
#define PATH  IRI_CHECK_PATH
#define REGEX IRI_CHECK_REGEX

static const struct {
    iri_check_t check;
    iri_str_t   text;
    const char *expected; /* the text after the position; "": no warning */
} cases[] = {
    { PATH, IRI_STR(""), "" },
    { PATH, IRI_STR("/plain/"), "" },
    { PATH, IRI_STR("/caf%E9/"), "\"/caf%E9/\"" ESCAPED },
    { PATH, IRI_STR("/%e6%a1%88/"), "\"/%e6%a1%88/\"" ESCAPED },
    { REGEX, IRI_STR("^/caf%C3%A9"), "\"^/caf%C3%A9\"" ESCAPED },
    { PATH, IRI_STR("/100%25/%7e%2F%"), "" },
    { PATH, IRI_STR("/caf" E_ACUTE "/"), "" },
    { PATH, IRI_STR("/" E_ACUTE), "" },
    /* each of these characters stays as it is in a path, too */
    { PATH, IRI_STR("/\xe2\x84\xaa\xcd\xbe"), "" },

    { PATH, IRI_STR("/caf" E_MARK "/"), "\"/cafe%CC%81/\"" UNNORM },
    { PATH, IRI_STR("/\xe3\x81\x8b\xe3\x82\x99"),
      "\"/%E3%81%8B%E3%82%99\"" UNNORM },
    /* one character and its NFC */
    { PATH, IRI_STR("/\xe2\x84\xa6"), "\"/%E2%84%A6\"" UNNORM },

    { PATH, IRI_STR("/caf\xe9/"), "\"/caf%E9/\"" UNREAD },
    { PATH, IRI_STR("/caf\xe9/\n"), "\"/caf%E9/%0A\"" UNREAD },
    { PATH, IRI_STR("/\x95\x5c"), "\"/%95\\\"" UNREAD },
    { PATH, IRI_STR("\xff\x00\x7f"), "\"%FF%00%7F\"" UNREAD },

    { REGEX, IRI_STR("^/caf" E_ACUTE "$"), "" },
    { REGEX, IRI_STR("^/caf" E_MARK "$"), "\"^/cafe%CC%81$\"" UNNORM },
    { REGEX, IRI_STR("\\.caf\xe9[\xe9]$"), "\"\\.caf%E9[%E9]$\"" UNREAD },
    /*
     * octets in a character class are single octets, and marks in it may follow
     * any character
     */
    { REGEX, IRI_STR("^/[\xc3][\x80-\xbf]"), "" },
    { REGEX, IRI_STR("^/e[\xcc\x81]"), "" },
    { REGEX, IRI_STR("[" E_MARK "]"), "" },
    { REGEX, IRI_STR("[]" E_MARK "]"), "" },
    { REGEX, IRI_STR("[^]" E_MARK "]x"), "" },
    { REGEX, IRI_STR("[\\]" E_MARK "]"), "" },
    { REGEX, IRI_STR("[" E_MARK), "" },
    { REGEX, IRI_STR("[\\"), "" },
    { REGEX, IRI_STR("[x]" E_MARK), "\"[x]e%CC%81\"" UNNORM },
    { REGEX, IRI_STR("(*UTF8)" E_MARK "?"), "" },
    { REGEX, IRI_STR("(*UTF8)" E_MARK "*"), "" },
    { REGEX, IRI_STR("(*UTF8)" E_MARK "{0,1}"), "" },
    { REGEX, IRI_STR("(e)\xcc\x81|\xcc\x81"), "" },
    { REGEX, IRI_STR("\\" E_MARK), "" },
    { REGEX, IRI_STR(E_ACUTE "\\"), "" },
    { REGEX, IRI_STR("\\" E_ACUTE), "" },
    /* an octet after "\" stands for itself */
    { REGEX, IRI_STR("\\\xc3\\\xa9x"), "" },
    { REGEX, IRI_STR("\xc3\\\xa9x"), "" },
    { REGEX, IRI_STR("/\\\\\\\xc3\\\xa9[x]"), "" },
    { REGEX, IRI_STR("cafe\\\xcc\\\x81[\xcc]"),
      "\"cafe\\%CC\\%81[%CC]\"" UNNORM },
    { REGEX, IRI_STR("caf\\\xe9"), "\"caf\\%E9\"" UNREAD },
    { REGEX, IRI_STR("\\\\\\\xe9"), "\"\\\\\\%E9\"" UNREAD },
};


/* A directive "d" in the file "f". */
static iri_directive_t
directive(iri_check_t check, size_t line, iri_engine_t engine,
          iri_str_t value)
{
    iri_directive_t d;

    memset(&d, 0, sizeof(d));
    d.check = check;
    d.name = S("d");
    d.at.file = S("f");
    d.at.line = line;
    d.engine = engine;
    d.value = value;

    return d;
}


/* Check the lines that a list of directives logs. */
static void
check(iri_directive_t *list, size_t count, const char *want)
{
    core.log_len = 0;
    core.log[0] = '\0';
    assert_ok(iri_config_check(&core.env, S("iri on;"), list, count));
    assert_string_equal(core.log, want);
}


static void
check_rule(iri_check_t kind, iri_engine_t engine, iri_invalid_t invalid,
           iri_str_t text, const char *expected)
{
    iri_directive_t d = directive(kind, 7, engine, text);
    char            want[512];

    d.invalid = invalid;
    snprintf(want, sizeof(want), "%s%s", *expected ? "\"d\" in f:7: " : "",
             expected);
    check(&d, 1, want);
}


/* ---- rules --------------------------------------------------------------- */

TEST(test_rules)
{
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        check_rule(cases[i].check, IRI_ENGINE_ON, IRI_INVALID_404,
                   cases[i].text, cases[i].expected);
        check_rule(cases[i].check, IRI_ENGINE_REPORT, IRI_INVALID_404,
                   cases[i].text, "");
        check_rule(cases[i].check, IRI_ENGINE_OFF, IRI_INVALID_404,
                   cases[i].text, "");
    }
}


/* With iri_invalid pass, rules see octets that are valid in no charset. */
TEST(test_pass)
{
    check_rule(PATH, IRI_ENGINE_ON, IRI_INVALID_PASS, S("/caf\xe9"), "");
    check_rule(PATH, IRI_ENGINE_ON, IRI_INVALID_PASS, S("/" E_MARK),
               "\"/e%CC%81\"" UNNORM);
    check_rule(PATH, IRI_ENGINE_ON, IRI_INVALID_400, S("/caf\xe9"),
               "\"/caf%E9\"" UNREAD);
}


TEST(test_disk)
{
    check_rule(IRI_CHECK_DISK, IRI_ENGINE_ON, IRI_INVALID_404, S("/srv/a*"),
               "");
    check_rule(IRI_CHECK_DISK, IRI_ENGINE_REPORT, IRI_INVALID_404,
               S("/srv/" E_ACUTE "*"), "");
    check_rule(
        IRI_CHECK_DISK, IRI_ENGINE_ON, IRI_INVALID_404,
        S("/srv/" E_ACUTE "*"),
        "\"/srv/%C3%A9*\" is compared with the octets of names on disk: "
        "write a name without a pattern, or a rule about the path\n");
}


TEST(test_random)
{
    static const char *pieces[] = { "a",    "e",    "\xcc\x81",     E_ACUTE,
                                    "[",    "]",    "\\",           "^",
                                    "?",    "*",    "\xe3",         "\x81",
                                    "\x8b", "\xff", "\xe3\x82\x99", "/" };
    char               text[64];
    iri_directive_t    d;
    size_t             i, n;

    for (i = 0; i < 20000; i++) {
        text[0] = '\0';
        for (n = core_random(10); n > 0; n--) {
            core_append(text, pieces[core_random(COUNT(pieces))]);
        }

        d = directive(core_random(2) ? PATH : REGEX, 1, IRI_ENGINE_ON,
                      core_str(text));
        core.log_len = 0;
        assert_ok(iri_config_check(&core.env, S("on"), &d, 1));
        for (n = 0; n + 1 < core.log_len; n++) {
            assert_in_range(core.log[n], 0x20, 0x7e);
        }
        core_forget(&core);
    }
}


TEST(test_no_memory)
{
    iri_directive_t d;
    iri_status_t    status;
    size_t          i, at;

    for (i = 0; i < COUNT(cases); i++) {
        status = IRI_NO_MEMORY;

        for (at = 1; status != IRI_OK; at++) {
            core_init(&core);
            core.fail_at = at;
            core.fail_on = 1;
            d = directive(cases[i].check, 1, IRI_ENGINE_ON, cases[i].text);
            status = iri_config_check(&core.env, S("iri on;"), &d, 1);
            assert_true(status == IRI_OK || status == IRI_NO_MEMORY);
            assert_true(status == IRI_OK || core.log_len == 0);
        }
    }
}


/* ---- settings ------------------------------------------------------------ */

#define OFF(LINE)                                                            \
    "\"d\" in f:" LINE " has no effect, because the module is off in this "  \
    "server: write \"iri on;\"\n"

TEST(test_settings)
{
    const iri_check_t setting = IRI_CHECK_SETTING;
    iri_directive_t   list[4];

    check(list, 0, "");

    list[0] = directive(setting, 30, IRI_ENGINE_OFF, S("case"));
    check(list, 1, OFF("30"));
    list[0].value = S("");
    check(list, 1, OFF("30"));
    list[0].value = S("Off");
    check(list, 1, "");
    list[0].value = S("none");
    check(list, 1, "");
    list[0] = directive(setting, 30, IRI_ENGINE_ON, S("case"));
    check(list, 1, "");
    list[0].engine = IRI_ENGINE_REPORT;
    check(list, 1, "");

    /* in the order of lines, each once; one server that uses it is enough */
    list[0] = directive(setting, 9, IRI_ENGINE_OFF, S("case"));
    list[1] = directive(setting, 4, IRI_ENGINE_OFF, S("case"));
    list[2] = directive(setting, 9, IRI_ENGINE_OFF, S("case"));
    list[3] = directive(setting, 10, IRI_ENGINE_OFF, S("case"));
    check(list, 4, OFF("4") OFF("9") OFF("10"));
    list[0].engine = IRI_ENGINE_REPORT; /* sorted: line 4 */
    list[1].engine = IRI_ENGINE_ON;
    check(list, 4, OFF("10"));

    /*
     * the same line of another file, with another directive, with another value
     */
    list[0] = directive(setting, 1, IRI_ENGINE_OFF, S("a"));
    list[1] = list[0];
    list[1].engine = IRI_ENGINE_ON;
    list[2] = list[1];
    list[3] = list[1];
    list[1].at.file = S("g");
    list[2].name = S("e");
    list[3].value = S("b");
    check(list, 4, OFF("1"));
}


TEST(test_hosts)
{
    static const char expected[] =
        "\"d\" in f:3 has no effect at an address whose first server is the "
        "one in g:1: write it in that server, with \"iri on;\"\n";
    iri_directive_t d[2];

    d[0] = directive(IRI_CHECK_HOST, 3, IRI_ENGINE_REPORT, S(""));
    d[0].host = IRI_HOST_MODE_ON;
    d[0].first_host = IRI_HOST_MODE_OFF;
    d[0].first.file = S("g");
    d[0].first.line = 1;
    check(d, 1, expected);
    d[1] = d[0];
    d[0].first_host = IRI_HOST_MODE_ON;
    check(d, 1, "");
    check(d, 2, expected);
    d[0].first_host = d[1].first_host = IRI_HOST_MODE_STRICT;
    check(d, 2, expected);
    d[0].host = d[1].host = IRI_HOST_MODE_OFF;
    check(d, 2, "");
    d[0].engine = d[1].engine = IRI_ENGINE_OFF;
    d[0].host = IRI_HOST_MODE_ON;
    check(d, 2, "");
}


static void
check_name(iri_str_t name, const iri_host_t *host,
           const iri_position_t *owner, const char *want)
{
    iri_position_t at = { S("f"), 3 };

    core.log_len = 0;
    core.log[0] = '\0';
    assert_ok(iri_config_check_name(&core.env, name, at, host, owner));
    assert_string_equal(core.log, want);
}


TEST(test_names)
{
    iri_position_t owner = { S("the main server"), 0 };
    iri_host_t     host;

    memset(&host, 0, sizeof(host));
    host.verdict = IRI_SERVE;
    check_name(S(E_ACUTE), &host, NULL, "");
    host.verdict = IRI_PASS;
    check_name(S("a"), &host, NULL, "");
    host.verdict = IRI_REFUSE;
    host.why = IRI_HOST_OCTETS;
    check_name(S("\xff"), &host, NULL,
               "the host name \"%FF\" of the server in f:3 matches no host, "
               "because it is not UTF-8: correct or remove it\n");
    check_name(
        S("xn--a"), NULL, &owner,
        "the host name \"xn--a\" is in two servers: in A-labels in the "
        "main server, which gets the requests, and in Unicode in f:3: "
        "remove it from one of them\n");
    check_name(S("^a"), NULL, NULL, "");
    check_name(
        S("^" E_ACUTE), NULL, NULL,
        "the pattern \"^%C3%A9\" of the server in f:3 matches no host, "
        "because hosts are compared as A-labels: write the pattern in "
        "A-labels, or a name\n");
}


/* ---- charsets that shadow others ----------------------------------------- */

/* Log the warning of a list.  Returns: 1 if there is one. */
static int
shadows(const iri_charsets_t *list)
{
    iri_directive_t d = directive(IRI_CHECK_SETTING, 1, IRI_ENGINE_ON, S(""));

    d.charsets = list;
    core.log_len = 0;
    core.log[0] = '\0';
    assert_ok(iri_config_check(&core.env, S("on"), &d, 1));

    return core.log_len != 0;
}


TEST(test_shadow)
{
    static const struct {
        const char *labels;
        const char *expected; /* part of the warning; NULL: none */
    } lists[] = {
        { "", NULL },
        { "utf-8", NULL },
        { "windows-1252", NULL },
        { "utf-8 windows-1252", NULL },
        { "windows-1252 utf-8", "list \"UTF-8\" first" },
        { "euc-jp windows-1251 utf-8", "list \"UTF-8\" first" },
        { "iso-8859-7 utf-8", "list \"UTF-8\" first" },
        { "koi8-r utf-8 shift_jis", "list \"UTF-8\" first" },
        { "shift_jis utf-8", NULL },
        { "euc-jp utf-8", NULL },
        { "gbk utf-8 windows-1252", NULL },
        { "gb18030 utf-8", NULL },
        { "euc-jp shift_jis windows-1252", NULL },
        { "shift_jis euc-jp", "\"Shift_JIS\" before \"EUC-JP\"" },
        { "windows-1252 shift_jis", "list \"Shift_JIS\" first" },
        { "utf-8 windows-1252 euc-jp", "list \"EUC-JP\" first" },
        { "gb18030 big5", "list \"Big5\" first" },
        { "gbk euc-kr", "list \"EUC-KR\" first" },
        { "gbk shift_jis", "list \"Shift_JIS\" first" },
        { "windows-1252 iso-8859-6", "list \"ISO-8859-6\" first" },
        { "euc-jp shift_jis big5 euc-kr gb18030 windows-1252", NULL },
        { "koi8-r windows-1251", NULL },
        { "windows-1251 koi8-r ibm866", NULL },
        { "windows-1252 windows-1251", NULL },
        { "big5 shift_jis", NULL },
        { "gb18030 gbk", NULL },
        { "percent utf-8 windows-1252", NULL },
        { "percent shift_jis", NULL },
    };
    iri_charsets_t list;
    size_t         i;

    for (i = 0; i < COUNT(lists); i++) {
        list = core_charsets(lists[i].labels);

        if (shadows(&list) != (lists[i].expected != NULL)
            || strstr(core.log, lists[i].expected ? lists[i].expected : "")
                   == NULL)
        {
            fail_msg("%s: %s", lists[i].labels, core.log);
        }
    }
}


/* A list in the right order has no warning, and contains the same charsets. */
TEST(test_order)
{
    iri_charsets_t list, was;
    size_t         i, k, turn;

    for (turn = 0; turn < 400; turn++) {
        list.count = 1 + core_random(IRI_MAX_CHARSETS);

        for (i = 0; i < list.count; i++) {
            list.at[i] = core_charset(
                core_supported[core_random(CORE_SUPPORTED)].name);

            for (k = 0; k < i; k++) {
                if (list.at[k] == list.at[i]) {
                    i--;
                    break;
                }
            }
        }

        was = list;
        iri_charsets_sort(&list);
        assert_int_equal(list.count, was.count);
        assert_false(shadows(&list));

        for (i = 0; i < was.count; i++) {
            for (k = 0; k < list.count && list.at[k] != was.at[i]; k++) {
                /* void */
            }

            assert_true(k < list.count);
        }
    }
}
