/*
 * test_lint.c - what is told of the names of a directory
 *
 * Proves: each finding is told where it is, with its partner, and not told of
 * names that are as they should be; what a request in a legacy charset
 * reaches is what the core's own reading and finding reach.
 */

#include "core.h"

#define KINDS_ALL ((1u << IRI_LINT_KINDS) - 1u)
#define LEVELS    (IRI_FORGIVE_WIDTH | IRI_FORGIVE_CASE | IRI_FORGIVE_ACCENTS)

/* Findings as lines "KIND OCTETS [OTHER] [MATCH] [CHARSET]", escaped. */
typedef struct {
    core_t *core;
    char    text[4096];
    size_t  len;
} told_t;


static void
put(told_t *told, iri_str_t octets)
{
    size_t i;

    for (i = 0; i < octets.len; i++) {
        told->len += (size_t) snprintf(
            told->text + told->len, sizeof(told->text) - told->len,
            octets.data[i] > 0x20 && octets.data[i] < 0x7f ? "%c" : "%%%02X",
            octets.data[i]);
    }
    assert_true(told->len < sizeof(told->text));
}


static void
put_field(told_t *told, iri_str_t field)
{
    if (field.len != 0) {
        put(told, S("|"));
        put(told, field);
    }
}


static iri_status_t
take(void *arg, const iri_finding_t *finding)
{
    told_t *told = arg;

    put(told, core_str(iri_lint_text(finding->kind)));
    put_field(told, finding->octets);
    put_field(told, finding->other);
    if (finding->kind == IRI_LINT_COLLISION) {
        put_field(told, core_str(iri_match_text(finding->match)));
    }
    put_field(told, finding->charset);
    told->text[told->len++] = '\n';
    told->text[told->len] = '\0';

    return IRI_OK;
}


/* names end with NULL */
static void
told_of(const char *requests, const char *tree, iri_names_t form,
        unsigned match, unsigned kinds, const char *const *text,
        const char *want)
{
    iri_charsets_t  charsets = core_charsets(requests);
    iri_tree_conf_t trees = core_tree(tree, form, 0);
    iri_lint_conf_t conf = { &charsets, &trees, match, kinds };
    iri_str_t       names[32];
    size_t          count;
    core_t          core;
    told_t          told = { &core, "", 0 };

    core_init(&core);
    for (count = 0; text[count] != NULL; count++) {
        names[count] = core_str(text[count]);
    }
    assert_int_equal(iri_lint(&core.env, &conf, names, count, take, &told),
                     IRI_OK);
    assert_string_equal(told.text, want);
    core_free(&core);
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })


static void
test_nothing(void **state)
{
    (void) state;
    told_of("", "", IRI_NAMES_ANY, LEVELS, KINDS_ALL, NAMES(NULL), "");
    told_of("sjis euc-jp", "", IRI_NAMES_ANY, LEVELS, KINDS_ALL,
            NAMES("a.txt", "b.txt", "\xC3\xA9.txt", "\xE6\x97\xA5.html",
                  "doc1", "doc2", ".htaccess", "a b"),
            "");
}


static void
test_one(void **state)
{
    char long_name[301], longest[IRI_MAX_SEGMENT + 2];

    (void) state;
    told_of("", "", IRI_NAMES_ANY, 0, KINDS_ALL,
            NAMES("\xE9", "a\nb", "\xC3\x28"),
            "unreadable|%E9\n"
            "unreachable|a%0Ab\n"
            "unreadable|%C3(\n");
    told_of("", "", IRI_NAMES_ANY, 0, KINDS_ALL,
            NAMES("50%", "a?b", "a#b", "[1]", "a\\b", "a:b", "a b;c@d",
                  "\xC3\xA9#"),
            "reserved|50%\nreserved|a?b\nreserved|a#b\nreserved|[1]\n"
            "reserved|a\\b\nreserved|%C3%A9#\n");
    told_of("", "", IRI_NAMES_ANY, 0, KINDS_ALL,
            NAMES("e\xCC\x81", "\xEF\xBC\xA1", "\xEF\xAC\x81", "\xC2\xB2"),
            "nfc|e%CC%81\nnfkc|%EF%BC%A1\nnfkc|%EF%AC%81\nnfkc|%C2%B2\n");
    told_of("", "", IRI_NAMES_NFD, 0, KINDS_ALL, NAMES("e\xCC\x81"), "");

    /* 130 characters of EUC-JP are 260 octets, and 390 of UTF-8. */
    memset(long_name, '\xC6', 260);
    memset(long_name + 260, '\0', 1);
    told_of("", "euc-jp", IRI_NAMES_ANY, 0, 1u << IRI_LINT_LEGACY,
            NAMES("\xC6\xFC"), "legacy|%C6%FC|EUC-JP\n");
    {
        core_t core;
        told_t told = { &core, "", 0 };

        iri_tree_conf_t tree = core_tree("euc-jp", IRI_NAMES_ANY, 0);
        iri_charsets_t  none = { 0, { NULL } };
        iri_lint_conf_t conf = { &none, &tree, 0, 1u << IRI_LINT_LONG };
        iri_str_t       name = { 170, (unsigned char *) long_name };

        core_init(&core);
        assert_int_equal(iri_lint(&core.env, &conf, &name, 1, take, &told),
                         IRI_OK);
        assert_int_equal(told.len, 0);
        name.len = 172;
        assert_int_equal(iri_lint(&core.env, &conf, &name, 1, take, &told),
                         IRI_OK);
        assert_memory_equal(told.text, "long|", 5);
        core_free(&core);
    }

    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    {
        char want[sizeof(longest) + 32];

        snprintf(want, sizeof(want), "unreachable|%s\n", longest);
        told_of("", "", IRI_NAMES_ANY, 0, KINDS_ALL, NAMES(longest), want);
        longest[IRI_MAX_SEGMENT] = '\0';
        told_of("", "", IRI_NAMES_ANY, 0, KINDS_ALL, NAMES(longest), "");
    }
}


static void
test_charset(void **state)
{
    (void) state;
    /* UTF-8, where windows-1252 stands before it */
    told_of("", "windows-1252 utf-8", IRI_NAMES_ANY, 0,
            1u << IRI_LINT_CHARSET, NAMES("caf\xC3\xA9", "caf\xE9", "cafe"),
            "charset|caf%C3%A9|UTF-8\n");
    told_of("", "utf-8 windows-1252", IRI_NAMES_ANY, 0,
            1u << IRI_LINT_CHARSET, NAMES("caf\xC3\xA9", "caf\xE9", "cafe"),
            "");

    /* enough of EUC-JP to be known by it, read in windows-1252 and unread */
#define EUC_1                                                                \
    "\xA4\xB3\xA4\xEC\xA4\xCF\xC6\xFC\xCB\xDC\xB8\xEC\xA4\xC7\xA4\xB9"
#define EUC_2                                                                \
    "\xA4\xCB\xA4\xDB\xA4\xF3\xA4\xB4\xA4\xCE\xA5\xDA\xA1\xBC\xA5\xB8"
    told_of("", "windows-1252", IRI_NAMES_ANY, 0, 1u << IRI_LINT_CHARSET,
            NAMES(EUC_1, EUC_2), "charset|EUC-JP\n");
    told_of("", "euc-jp", IRI_NAMES_ANY, 0, 1u << IRI_LINT_CHARSET,
            NAMES(EUC_1, EUC_2), "");
    told_of("", "", IRI_NAMES_ANY, 0, 1u << IRI_LINT_UNREADABLE,
            NAMES("\xA4\xB3", EUC_1, EUC_2),
            "unreadable|%A4%B3|EUC-JP\n"
            "unreadable|%A4%B3%A4%EC%A4%CF%C6%FC%CB%DC%B8%EC%A4%C7%A4%B9|"
            "EUC-JP\n"
            "unreadable|%A4%CB%A4%DB%A4%F3%A4%B4%A4%CE%A5%DA%A1%BC%A5%B8|"
            "EUC-JP\n");
}


static void
test_two(void **state)
{
    (void) state;
    told_of("", "", IRI_NAMES_ANY, LEVELS, 1u << IRI_LINT_TWIN,
            NAMES("e\xCC\x81", "a", "\xC3\xA9"), "twin|%C3%A9|e%CC%81\n");
    told_of("", "utf-8 euc-jp", IRI_NAMES_ANY, LEVELS, 1u << IRI_LINT_TWIN,
            NAMES("\xC6\xFC", "\xE6\x97\xA5", "b"),
            "twin|%E6%97%A5|%C6%FC\n");

    /* each at the level that makes it one with another, once */
    told_of("", "", IRI_NAMES_ANY, LEVELS, 1u << IRI_LINT_COLLISION,
            NAMES("Cafe", "cafe", "CAF\xC3\x89", "\xEF\xBD\x83\x61\x66\x65",
                  "other", "e\xCC\x81", "\xC3\xA9"),
            "collision|Cafe|CAF%C3%89|accents\n"
            "collision|cafe|Cafe|case\n"
            "collision|%EF%BD%83afe|cafe|width\n");
    told_of("", "", IRI_NAMES_ANY, IRI_FORGIVE_CASE, KINDS_ALL,
            NAMES("Cafe", "caf\xC3\xA9"), "");
    told_of("", "", IRI_NAMES_ANY, 0, KINDS_ALL, NAMES("Cafe", "cafe"), "");
}


static void
test_forms(void **state)
{
    (void) state;
    /*
     * B0 C5 is two kana of half width in Shift_JIS, and an ideograph in
     * EUC-JP, whose requests the first gets; C3 A9 is UTF-8 first.
     */
    told_of("sjis euc-jp", "", IRI_NAMES_ANY, 0, 1u << IRI_LINT_FORM,
            NAMES("\xE6\x9A\x97", "\xEF\xBD\xB0\xEF\xBE\x85", "a"),
            "form|%E6%9A%97|%EF%BD%B0%EF%BE%85|EUC-JP\n");
    told_of("euc-jp sjis", "", IRI_NAMES_ANY, 0, 1u << IRI_LINT_FORM,
            NAMES("\xE6\x9A\x97", "\xEF\xBD\xB0\xEF\xBE\x85", "a"),
            "form|%EF%BD%B0%EF%BE%85|%E6%9A%97|Shift_JIS\n");
    told_of("windows-1252", "", IRI_NAMES_ANY, 0, 1u << IRI_LINT_FORM,
            NAMES("\xC3\x83\xC2\xA9", "\xC3\xA9"),
            "form|%C3%83%C2%A9|%C3%A9|windows-1252\n");
    told_of("windows-1252", "", IRI_NAMES_ANY, 0, 1u << IRI_LINT_FORM,
            NAMES("\xC3\x83\xC2\xA9", "b"), "");
    /* the same octets in both: its own */
    told_of("windows-1252 iso-8859-15", "", IRI_NAMES_ANY, 0,
            1u << IRI_LINT_FORM, NAMES("\xC3\xA9", "b"), "");
}


/* What form says is what a request gets: asked of the core itself. */
static void
test_forms_are_true(void **state)
{
    static const char *const legacy[] = { "euc-jp", "sjis" };
    iri_reading_conf_t       reading = { core_charsets("sjis euc-jp"),
                                         IRI_INVALID_404, 0 };
    iri_tree_conf_t          tree = core_tree("", IRI_NAMES_ANY, 0);
    iri_lint_conf_t          conf = { &reading.charsets, &tree, 0,
                                      1u << IRI_LINT_FORM };
    iri_charsets_t           euc = core_charsets(legacy[0]);
    size_t                   found = 0;
    unsigned                 c;

    (void) state;
    for (c = 0x4e00; c < 0x5200; c++) {
        core_t        core;
        told_t        told = { &core, "", 0 };
        unsigned char octets[5] = "/", utf8[4];
        size_t        len = iri_charset_put(euc.at[0], c, octets + 1);
        iri_request_t request = { { len + 1, octets }, 0, { 0, NULL } };
        iri_reading_t read;
        iri_str_t     names[2];

        if (len != 2) {
            continue;
        }
        core_init(&core);
        assert_int_equal(iri_read(&core.env, &reading, &request, &read),
                         IRI_OK);
        names[0].data = utf8;
        names[0].len = iri_utf8_put(c, utf8);
        names[1] = iri_str_from(read.path, 1);

        /* The first reading is another name: with it there, it is found. */
        if (names[1].len != 0 && read.why == IRI_WHY_READ
            && !iri_str_equal(names[0], names[1]))
        {
            assert_int_equal(
                iri_lint(&core.env, &conf, names, 2, take, &told), IRI_OK);
            assert_non_null(strstr(told.text, "|EUC-JP\n"));
            found++;
            told.len = 0;
            told.text[0] = '\0';
        }
        assert_int_equal(iri_lint(&core.env, &conf, names, 1, take, &told),
                         IRI_OK);
        assert_int_equal(told.len, 0);
        core_free(&core);
    }
    assert_true(found > 20);
}


static iri_status_t
stop(void *arg, const iri_finding_t *finding)
{
    (void) finding;
    ++*(int *) arg;

    return IRI_IO_FAILED;
}


static void
test_stop(void **state)
{
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, 0);
    iri_charsets_t  none = { 0, { NULL } };
    iri_lint_conf_t conf = { &none, &tree, LEVELS, KINDS_ALL };
    iri_str_t       names[] = { S("a#"), S("A#"), S("b#") };
    core_t          core;
    int             calls = 0;

    (void) state;
    core_init(&core);
    assert_int_equal(iri_lint(&core.env, &conf, names, 3, stop, &calls),
                     IRI_IO_FAILED);
    assert_int_equal(calls, 1);
    core_free(&core);
}


static void
test_words(void **state)
{
    int kind;

    (void) state;
    for (kind = 0; kind < IRI_LINT_KINDS; kind++) {
        assert_int_equal(
            iri_lint_kind(core_str(iri_lint_text((iri_lint_kind_t) kind))),
            kind);
        assert_true(strlen(iri_lint_about((iri_lint_kind_t) kind)) > 10);
    }
    assert_int_equal(iri_lint_kind(S("NFKC")), IRI_LINT_NFKC);
    assert_int_equal(iri_lint_kind(S("nf")), IRI_LINT_KINDS);
    assert_int_equal(iri_lint_kind(S("")), IRI_LINT_KINDS);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_one),
        cmocka_unit_test(test_charset), cmocka_unit_test(test_two),
        cmocka_unit_test(test_forms),   cmocka_unit_test(test_forms_are_true),
        cmocka_unit_test(test_stop),    cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
