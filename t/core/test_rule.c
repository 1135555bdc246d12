/*
 * test_rule.c - warnings about rules that can never match
 *
 * Covers: UTF-8 in NFC and ASCII cause no warning; for others the warning
 * proposes the right text, in printable ASCII; brackets, escapes and optional
 * parts of a regular expression are not mistaken; any octets are accepted;
 * failed allocations.  And charsets that an earlier one of the list hides.
 */

#include <stdlib.h>

#include "core.h"

#define E_ACUTE "\xc3\xa9"
#define E_MARK  "e\xcc\x81"
#define ESCAPED                                                              \
    " is percent-encoded and so matches no path: write the characters in "   \
    "UTF-8"
#define UNREAD " is not UTF-8 and so matches no path: write "
#define UNNORM " is not in NFC and so matches no path: write "
#define OCTETS " (%XX stands for one octet: write the octet itself)"

static const struct {
    iri_rule_t  rule;
    const char *labels;
    iri_str_t   text;
    const char *says;
} cases[] = {
    { IRI_RULE_TEXT, "", IRI_STR(""), "" },
    { IRI_RULE_TEXT, "", IRI_STR("/plain/"), "" },
    { IRI_RULE_TEXT, "", IRI_STR("/caf%E9/"), "\"/caf%E9/\"" ESCAPED },
    { IRI_RULE_TEXT, "", IRI_STR("/%e6%a1%88/"), "\"/%e6%a1%88/\"" ESCAPED },
    { IRI_RULE_REGEX, "", IRI_STR("^/caf%C3%A9"), "\"^/caf%C3%A9\"" ESCAPED },
    { IRI_RULE_TEXT, "", IRI_STR("/100%25/%7e%2F%"), "" },
    { IRI_RULE_TEXT, "", IRI_STR("/caf" E_ACUTE "/"), "" },
    { IRI_RULE_TEXT, "", IRI_STR("/" E_ACUTE), "" },
    /* each of these stays as it is in a path, too */
    { IRI_RULE_TEXT, "", IRI_STR("/\xe2\x84\xaa\xcd\xbe"), "" },

    { IRI_RULE_TEXT, "", IRI_STR("/caf" E_MARK "/"),
      "\"/cafe%CC%81/\"" UNNORM "\"/caf%C3%A9/\"" OCTETS },
    { IRI_RULE_TEXT, "euc-jp", IRI_STR("/\xe3\x81\x8b\xe3\x82\x99"),
      "\"/%E3%81%8B%E3%82%99\"" UNNORM "\"/%E3%81%8C\"" OCTETS },
    /* one character, and its other one */
    { IRI_RULE_TEXT, "", IRI_STR("/\xe2\x84\xa6"),
      "\"/%E2%84%A6\"" UNNORM "\"/%CE%A9\"" OCTETS },

    { IRI_RULE_TEXT, "", IRI_STR("/caf\xe9/"),
      "\"/caf%E9/\"" UNREAD "the characters in UTF-8" },
    { IRI_RULE_TEXT, "windows-1252", IRI_STR("/caf\xe9/\n"),
      "\"/caf%E9/%0A\"" UNREAD "\"/caf%C3%A9/%0A\"" OCTETS
      " if it is windows-1252" },
    { IRI_RULE_TEXT, "shift_jis windows-1252", IRI_STR("/caf\xe9/"),
      "\"/caf%E9/\"" UNREAD "\"/caf%C3%A9/\"" OCTETS
      " if it is windows-1252" },
    { IRI_RULE_TEXT, "shift_jis", IRI_STR("/\x95\x5c"),
      "\"/%95\\\"" UNREAD "\"/%E8%A1%A8\"" OCTETS " if it is Shift_JIS" },
    { IRI_RULE_TEXT, "", IRI_STR("\xff\x00\x7f"),
      "\"%FF%00%7F\"" UNREAD "the characters in UTF-8" },

    { IRI_RULE_REGEX, "", IRI_STR("^/caf" E_ACUTE "$"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("^/caf" E_MARK "$"),
      "\"^/cafe%CC%81$\"" UNNORM "\"^/caf%C3%A9$\"" OCTETS },
    { IRI_RULE_REGEX, "windows-1252", IRI_STR("\\.caf\xe9[\xe9]$"),
      "\"\\.caf%E9[%E9]$\"" UNREAD "\"\\.caf%C3%A9[%C3%A9]$\"" OCTETS
      " if it is windows-1252" },
    /* octets in brackets are octets, and marks there may follow anything */
    { IRI_RULE_REGEX, "", IRI_STR("^/[\xc3][\x80-\xbf]"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("^/e[\xcc\x81]"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("[" E_MARK "]"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("[]" E_MARK "]"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("[^]" E_MARK "]x"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("[\\]" E_MARK "]"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("[" E_MARK), "" },
    { IRI_RULE_REGEX, "", IRI_STR("[\\"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("[x]" E_MARK),
      "\"[x]e%CC%81\"" UNNORM "\"[x]%C3%A9\"" OCTETS },
    { IRI_RULE_REGEX, "", IRI_STR("(*UTF8)" E_MARK "?"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("(*UTF8)" E_MARK "*"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("(*UTF8)" E_MARK "{0,1}"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("(e)\xcc\x81|\xcc\x81"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("\\" E_MARK), "" },
    { IRI_RULE_REGEX, "", IRI_STR(E_ACUTE "\\"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("\\" E_ACUTE), "" },
    /* an octet behind a "\" is that octet */
    { IRI_RULE_REGEX, "", IRI_STR("\\\xc3\\\xa9x"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("\xc3\\\xa9x"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("/\\\\\\\xc3\\\xa9[x]"), "" },
    { IRI_RULE_REGEX, "", IRI_STR("cafe\\\xcc\\\x81[\xcc]"),
      "\"cafe\\%CC\\%81[%CC]\"" UNNORM "\"caf%C3%A9[%CC]\"" OCTETS },
    { IRI_RULE_REGEX, "windows-1252", IRI_STR("caf\\\xe9"),
      "\"caf\\%E9\"" UNREAD "\"caf\\%C3%A9\"" OCTETS
      " if it is windows-1252" },
    { IRI_RULE_REGEX, "", IRI_STR("\\\\\\\xe9"),
      "\"\\\\\\%E9\"" UNREAD "the characters in UTF-8" },
};


static void
check(core_t *core, iri_rule_t rule, const char *labels,
      iri_invalid_t invalid, iri_str_t text, const char *want)
{
    iri_reading_conf_t conf = { core_charsets(labels), invalid, 0 };
    iri_str_t          says = { 0, NULL };

    assert_int_equal(iri_rule_check(&core->env, &conf, rule, text, &says),
                     IRI_OK);

    if (says.len != strlen(want)
        || (says.len != 0 && memcmp(says.data, want, says.len) != 0))
    {
        fail_msg("%s: \"%.*s\", not \"%s\"", core_show(text), (int) says.len,
                 says.data, want);
    }
}


static void
test_cases(void **state)
{
    core_t core;
    size_t i;

    (void) state;

    core_init(&core);

    for (i = 0; i < COUNT(cases); i++) {
        check(&core, cases[i].rule, cases[i].labels, IRI_INVALID_404,
              cases[i].text, cases[i].says);
    }

    core_free(&core);
}


/* Octets that nobody reads reach rules as they are. */
static void
test_pass(void **state)
{
    core_t core;

    (void) state;

    core_init(&core);
    check(&core, IRI_RULE_TEXT, "windows-1252", IRI_INVALID_PASS,
          S("/caf\xe9"), "");
    check(&core, IRI_RULE_TEXT, "", IRI_INVALID_PASS, S("/" E_MARK),
          "\"/e%CC%81\"" UNNORM "\"/%C3%A9\"" OCTETS);
    check(&core, IRI_RULE_TEXT, "", IRI_INVALID_400, S("/caf\xe9"),
          "\"/caf%E9\"" UNREAD "the characters in UTF-8");
    core_free(&core);
}


/* Nothing but printable ASCII, and what is said to be right is so. */
static void
test_random(void **state)
{
    static const char *pieces[] = { "a",    "e",    "\xcc\x81",     E_ACUTE,
                                    "[",    "]",    "\\",           "^",
                                    "?",    "*",    "\xe3",         "\x81",
                                    "\x8b", "\xff", "\xe3\x82\x99", "/" };
    iri_reading_conf_t conf = { core_charsets("shift_jis windows-1252"),
                                IRI_INVALID_404, 0 };
    core_t             core;
    char               text[64];
    iri_str_t          says;
    size_t             i, n;

    (void) state;

    core_init(&core);

    for (i = 0; i < 20000; i++) {
        text[0] = '\0';
        for (n = core_random(10); n > 0; n--) {
            core_append(text, pieces[core_random(COUNT(pieces))]);
        }

        assert_int_equal(iri_rule_check(&core.env, &conf,
                                        (iri_rule_t) core_random(2),
                                        core_str(text), &says),
                         IRI_OK);
        assert_true(says.len == 0 || iri_is_graphic(says));
        core_forget(&core);
    }

    core_free(&core);
}


static void
test_no_memory(void **state)
{
    iri_reading_conf_t conf = { core_charsets("windows-1252"),
                                IRI_INVALID_404, 0 };
    core_t             core;
    iri_str_t          says;
    iri_status_t       status;
    size_t             i, at;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        status = IRI_NO_MEMORY;

        for (at = 1; status != IRI_OK; at++) {
            core_init(&core);
            core.fail_at = at;
            core.fail_on = 1;
            says = S("kept");
            status = iri_rule_check(&core.env, &conf, cases[i].rule,
                                    cases[i].text, &says);
            assert_true(status == IRI_OK || status == IRI_NO_MEMORY);
            assert_true(status == IRI_OK || says.len == 4);
            core_free(&core);
        }
    }
}


/* ---- charsets that hide others -------------------------------------------- */

static void
test_hide(void **state)
{
    static const struct {
        const char *labels;
        const char *says; /* a part of it; NULL: no warning */
    } lists[] = {
        { "", NULL },
        { "utf-8", NULL },
        { "windows-1252", NULL },
        { "utf-8 windows-1252", NULL },
        { "windows-1252 utf-8", "list UTF-8 first" },
        { "euc-jp windows-1251 utf-8", "list UTF-8 first" },
        { "iso-8859-7 utf-8", "list UTF-8 first" },
        { "koi8-r utf-8 shift_jis", "list UTF-8 first" },
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
    };
    iri_charsets_t list;
    const char    *says;
    size_t         i;

    (void) state;

    for (i = 0; i < COUNT(lists); i++) {
        list = core_charsets(lists[i].labels);
        says = iri_charsets_shadow_warning(core_registry(), &list);

        if ((says != NULL) != (lists[i].says != NULL)
            || (says != NULL && strstr(says, lists[i].says) == NULL))
        {
            fail_msg("%s: %s", lists[i].labels, says != NULL ? says : "-");
        }
    }
}


/* A list that is put in order has no warning, and the same charsets. */
static void
test_order(void **state)
{
    iri_charsets_t list, was;
    size_t         i, k, turn;

    (void) state;

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
        assert_null(iri_charsets_shadow_warning(core_registry(), &list));

        for (i = 0; i < was.count; i++) {
            for (k = 0; k < list.count && list.at[k] != was.at[i]; k++) {
                /* void */
            }

            assert_true(k < list.count);
        }
    }
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),  cmocka_unit_test(test_pass),
        cmocka_unit_test(test_random), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_hide),   cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
