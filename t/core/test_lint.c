/*
 * test_lint.c - findings about the names of a directory
 *
 * Covers: each finding is reported at its name, with the other name involved,
 * and not for good names; the names that a request in a legacy charset reaches
 * are those that the core's own reading and finding reach.
 */

#include <unicode/uspoof.h>

#include "iriref/iri_iriref.h"
#include "core.h"

#define KINDS_ALL ((1u << IRI_LINT_KINDS) - 1u)

#define LEVELS (IRI_FOLD_WIDTH | IRI_FOLD_CASE | IRI_FOLD_ACCENTS)

/*
 * Findings as lines "KIND OCTETS [OTHER] [MATCH] [CHARSET] [=MEANT] [WHY]",
 * escaped.
 */
typedef struct {
    core_t *core;
    char    text[4096];
    size_t  len;
} findings_t;


static void
put(findings_t *findings, iri_str_t octets)
{
    size_t i;

    for (i = 0; i < octets.len; i++) {
        findings->len += (size_t) snprintf(
            findings->text + findings->len,
            sizeof(findings->text) - findings->len,
            octets.data[i] > 0x20 && octets.data[i] < 0x7f ? "%c" : "%%%02X",
            octets.data[i]);
    }
    assert_true(findings->len < sizeof(findings->text));
}


static void
put_field(findings_t *findings, iri_str_t field)
{
    if (field.len != 0) {
        put(findings, S("|"));
        put(findings, field);
    }
}


static iri_status_t
add_finding(void *arg, const iri_finding_t *finding)
{
    findings_t *findings = arg;

    put(findings, core_str(iri_lint_text(finding->kind)));
    put_field(findings, finding->octets);
    put_field(findings, finding->other);
    if (finding->kind == IRI_LINT_COLLISION) {
        put_field(findings, core_str(iri_match_text(finding->match)));
    }
    put_field(findings, finding->charset);
    if (finding->meant.len != 0) {
        put(findings, S("="));
        put(findings, finding->meant);
    }
    if (finding->why != NULL) {
        put_field(findings, core_str(finding->why));
    }
    findings->text[findings->len++] = '\n';
    findings->text[findings->len] = '\0';

    return IRI_OK;
}


/* Check the findings for names, which end with NULL. */
static void
check_findings(const char *requests, const char *tree,
               iri_filename_form_t form, unsigned match, unsigned kinds,
               const char *const *text, const char *want)
{
    iri_charsets_t  charsets = core_charsets(requests);
    iri_tree_conf_t trees = core_tree(tree, form, 0);
    iri_lint_conf_t conf = { &charsets,          &trees,         match, kinds,
                             core_confusables(), core_detector() };
    iri_str_t       names[32];
    size_t          count;
    findings_t      findings = { &core, "", 0 };

    core_init(&core);
    for (count = 0; text[count] != NULL; count++) {
        names[count] = core_str(text[count]);
    }
    assert_ok(
        iri_lint(&core.env, &conf, names, count, add_finding, &findings));
    assert_string_equal(findings.text, want);
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })


/* Findings of these kinds in a tree of UTF-8. */
static void
check_kinds(unsigned match, unsigned kinds, const char *const *text,
            const char *want)
{
    check_findings("", "", IRI_FILENAME_ANY, match, kinds, text, want);
}


TEST(test_no_findings)
{
    check_kinds(LEVELS, KINDS_ALL, NAMES(NULL), "");
    check_findings("sjis euc-jp", "", IRI_FILENAME_ANY, LEVELS, KINDS_ALL,
                   NAMES("a.txt", "b.txt", "\xC3\xA9.txt",
                         "\xE6\x97\xA5.html", "doc1", "doc2", ".htaccess",
                         "a b"),
                   "");
}


TEST(test_one)
{
    char long_name[301], longest[IRI_MAX_SEGMENT + 2];

    check_kinds(0, KINDS_ALL, NAMES("\xE9", "a\nb", "\xC3\x28"),
                "unreadable|%E9\n"
                "unreachable|a%0Ab\n"
                "unreadable|%C3(\n");
    check_kinds(0, KINDS_ALL,
                NAMES("50%", "a?b", "a#b", "[1]", "a\\b", "a:b", "a b;c@d",
                      "\xC3\xA9#"),
                "reserved|50%\nreserved|a?b\nreserved|a#b\nreserved|[1]\n"
                "reserved|a\\b\nreserved|%C3%A9#\n");
    check_kinds(
        0, KINDS_ALL,
        NAMES("e\xCC\x81", "\xEF\xBC\xA1", "\xEF\xAC\x81", "\xC2\xB2"),
        "nfc|e%CC%81\nnfkc|%EF%BC%A1\nnfkc|%EF%AC%81\nnfkc|%C2%B2\n");
    check_findings("", "", IRI_FILENAME_NFD, 0, KINDS_ALL, NAMES("e\xCC\x81"),
                   "");

    /* 130 characters: 260 octets in EUC-JP, 390 in UTF-8. */
    memset(long_name, '\xC6', 260);
    memset(long_name + 260, '\0', 1);
    check_findings("", "euc-jp", IRI_FILENAME_ANY, 0, 1u << IRI_LINT_LEGACY,
                   NAMES("\xC6\xFC"), "legacy|%C6%FC|EUC-JP\n");
    {
        findings_t findings = { &core, "", 0 };

        iri_tree_conf_t tree = core_tree("euc-jp", IRI_FILENAME_ANY, 0);
        iri_charsets_t  none = { 0, { NULL } };
        iri_lint_conf_t conf = { &none, &tree, 0, 1u << IRI_LINT_LONG,
                                 NULL,  NULL };
        iri_str_t       name = { 170, (unsigned char *) long_name };

        core_init(&core);
        assert_ok(
            iri_lint(&core.env, &conf, &name, 1, add_finding, &findings));
        assert_int_equal(findings.len, 0);
        name.len = 172;
        assert_ok(
            iri_lint(&core.env, &conf, &name, 1, add_finding, &findings));
        assert_memory_equal(findings.text, "long|", 5);
    }

    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    {
        char want[sizeof(longest) + 32];

        snprintf(want, sizeof(want), "unreachable|%s\n", longest);
        check_kinds(0, KINDS_ALL, NAMES(longest), want);
        longest[IRI_MAX_SEGMENT] = '\0';
        check_kinds(0, KINDS_ALL, NAMES(longest), "");
    }
}


TEST(test_charset)
{
    /* UTF-8 after windows-1252 in the list */
    check_findings("", "windows-1252 utf-8", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_CHARSET,
                   NAMES("caf\xC3\xA9", "caf\xE9", "cafe"),
                   "charset|caf%C3%A9|UTF-8=caf%C3%A9\n");
    check_findings("", "utf-8 windows-1252", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_CHARSET,
                   NAMES("caf\xC3\xA9", "caf\xE9", "cafe"), "");

    /*
     * enough text in EUC-JP to detect it, decoded in windows-1252 and not
     * decoded
     */
#define EUC_1                                                                \
    "\xA4\xB3\xA4\xEC\xA4\xCF\xC6\xFC\xCB\xDC\xB8\xEC\xA4\xC7\xA4\xB9"
#define EUC_2                                                                \
    "\xA4\xCB\xA4\xDB\xA4\xF3\xA4\xB4\xA4\xCE\xA5\xDA\xA1\xBC\xA5\xB8"
    check_findings("", "windows-1252", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_CHARSET, NAMES(EUC_1, EUC_2),
                   "charset|EUC-JP\n");
    check_findings("", "euc-jp", IRI_FILENAME_ANY, 0, 1u << IRI_LINT_CHARSET,
                   NAMES(EUC_1, EUC_2), "");
    check_kinds(
        0, 1u << IRI_LINT_UNREADABLE, NAMES("\xA4\xB3", EUC_1, EUC_2),
        "unreadable|%A4%B3|EUC-JP=%E3%81%93\n"
        "unreadable|%A4%B3%A4%EC%A4%CF%C6%FC%CB%DC%B8%EC%A4%C7%A4%B9|"
        "EUC-JP=%E3%81%93%E3%82%8C%E3%81%AF%E6%97%A5%E6%9C%AC%E8%AA%9E%E3%81"
        "%A7%E3%81%99\n"
        "unreadable|%A4%CB%A4%DB%A4%F3%A4%B4%A4%CE%A5%DA%A1%BC%A5%B8|"
        "EUC-JP=%E3%81%AB%E3%81%BB%E3%82%93%E3%81%94%E3%81%AE%E3%83%9A%E3%83"
        "%BC%E3%82%B8\n");

    /* D6 B5 is UTF-8, too: so it seems if most of the names are. */
    check_findings("", "euc-jp", IRI_FILENAME_ANY, 0, 1u << IRI_LINT_CHARSET,
                   NAMES("\xD6\xB5", EUC_1, EUC_2, "a"), "");
    check_findings("", "euc-jp", IRI_FILENAME_ANY, 0, 1u << IRI_LINT_CHARSET,
                   NAMES("\xD6\xB5", EUC_1), "charset|%D6%B5|UTF-8=%D6%B5\n");
    check_findings("", "windows-1252", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_CHARSET, NAMES("\xC3\xA9", "\xE9", "\xE8"),
                   "charset|%C3%A9|UTF-8=%C3%A9\n");
}


TEST(test_two)
{
    check_kinds(LEVELS, 1u << IRI_LINT_TWIN,
                NAMES("e\xCC\x81", "a", "\xC3\xA9"), "twin|%C3%A9|e%CC%81\n");
    check_findings(
        "", "utf-8 euc-jp", IRI_FILENAME_ANY, LEVELS, 1u << IRI_LINT_TWIN,
        NAMES("\xC6\xFC", "\xE6\x97\xA5", "b"), "twin|%E6%97%A5|%C6%FC\n");

    /* each collision at the level that makes the names equal, once */
    check_kinds(LEVELS, 1u << IRI_LINT_COLLISION,
                NAMES("Cafe", "cafe", "CAF\xC3\x89",
                      "\xEF\xBD\x83\x61\x66\x65", "other", "e\xCC\x81",
                      "\xC3\xA9"),
                "collision|Cafe|CAF%C3%89|accents\n"
                "collision|cafe|Cafe|case\n"
                "collision|%EF%BD%83afe|cafe|width\n");
    check_kinds(IRI_FOLD_CASE, KINDS_ALL, NAMES("Cafe", "caf\xC3\xA9"), "");
    check_kinds(0, KINDS_ALL, NAMES("Cafe", "cafe"), "");
}


/* Letters without which Turkish, Thai, Lao and Armenian cannot be written */
TEST(test_ordinary_letters)
{
    check_kinds(LEVELS, KINDS_ALL,
                NAMES("k\xC4\xB1rm\xC4\xB1z\xC4\xB1.html",
                      "\xE0\xB8\x99\xE0\xB9\x89\xE0\xB8\xB3",
                      "\xE0\xBA\x84\xE0\xBA\xB3", "\xD6\x87"),
                "");
    check_kinds(0, 1u << IRI_LINT_LOOK_ALIKE, NAMES("k\xC4\xB1z", "kiz"),
                "look-alike|k%C4%B1z|kiz\n");
}


TEST(test_forms)
{
    /*
     * B0 C5 is two half-width kana in Shift_JIS, listed first, and an ideograph
     * in EUC-JP; C3 A9 is UTF-8 first.
     */
    check_findings("sjis euc-jp", "", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_FORM,
                   NAMES("\xE6\x9A\x97", "\xEF\xBD\xB0\xEF\xBE\x85", "a"),
                   "form|%E6%9A%97|%EF%BD%B0%EF%BE%85|EUC-JP\n");
    check_findings("euc-jp sjis", "", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_FORM,
                   NAMES("\xE6\x9A\x97", "\xEF\xBD\xB0\xEF\xBE\x85", "a"),
                   "form|%EF%BD%B0%EF%BE%85|%E6%9A%97|Shift_JIS\n");
    check_findings("windows-1252", "", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_FORM, NAMES("\xC3\x83\xC2\xA9", "\xC3\xA9"),
                   "form|%C3%83%C2%A9|%C3%A9|windows-1252\n");
    check_findings("windows-1252", "", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_FORM, NAMES("\xC3\x83\xC2\xA9", "b"), "");
    /* the same octets in both charsets mean the name itself */
    check_findings("windows-1252 iso-8859-15", "", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_FORM, NAMES("\xC3\xA9", "b"), "");
}


/* UTF-8 that was encoded twice, through either of both charsets. */
TEST(test_mojibake)
{
    check_kinds(0, 1u << IRI_LINT_MOJIBAKE,
                NAMES("caf\xC3\x83\xC2\xA9", "caf\xC3\xA9", "\xC3\x83x",
                      "\xC3\xA9\xC2\xA9"),
                "mojibake|caf%C3%83%C2%A9=caf%C3%A9\n");
    /* An octet of U+3042 is a control in both: there is no such name. */
    check_kinds(0, 1u << IRI_LINT_MOJIBAKE | 1u << IRI_LINT_UNREACHABLE,
                NAMES("\xC3\xA3\xC2\x81\xE2\x80\x9A", "a\x01"),
                "unreachable|%C3%A3%C2%81%E2%80%9A\n"
                "mojibake|%C3%A3%C2%81%E2%80%9A=%E3%81%82\n"
                "unreachable|a%01\n");
    /* A name in another charset may have these characters. */
    check_findings("", "windows-1252", IRI_FILENAME_ANY, 0,
                   1u << IRI_LINT_MOJIBAKE, NAMES("\xC3\xA9"), "");
}


TEST(test_bidi)
{
#define ALEF "\xD7\x90"
#define BET  "\xD7\x91"
    check_kinds(0, 1u << IRI_LINT_BIDI,
                NAMES(ALEF BET ".html", ALEF "a.html", ALEF "1.html",
                      ALEF " - " BET, "1" ALEF, "a\u202eb", ALEF "?a#",
                      ALEF "%41" BET, "http:" ALEF),
                "bidi|%D7%90a.html|letters%20of%20both%20directions\n"
                "bidi|%D7%901.html|does%20not%20begin%20and%20end%20with%20a"
                "%20right-to-left%20letter\n"
                "bidi|1%D7%90|does%20not%20begin%20and%20end%20with%20a"
                "%20right-to-left%20letter\n"
                "bidi|a%E2%80%AEb|a%20bidi%20formatting%20character\n"
                "bidi|%D7%90?a#|letters%20of%20both%20directions\n"
                "bidi|http:%D7%90|letters%20of%20both%20directions\n");
}


TEST(test_look_alike)
{
    /*
     * one name: mixed scripts, invisible characters, a space, look-alikes of
     * ASCII
     */
    check_kinds(
        0, 1u << IRI_LINT_LOOK_ALIKE,
        NAMES("p\xD0\xB0ypal.html", "a\xE2\x80\x8Bz", "a\xC2\xA0y",
              "\xD0\xBE\xD1\x81\xD0\xB0.txt"),
        "look-alike|p%D0%B0ypal.html|a%20mixture%20of%20scripts"
        "%20that%20no%20language%20uses\n"
        "look-alike|a%E2%80%8Bz|an%20invisible%20character\n"
        "look-alike|a%C2%A0y|a%20look-alike%20of%20space%20or%20of%20a"
        "%20delimiter\n"
        "look-alike|%D0%BE%D1%81%D0%B0.txt=oca.txt|looks%20like%20a"
        "%20word%20in%20ASCII\n");
    /*
     * similar names without a finding: two words, punctuation, a joiner,
     * compatibility characters, bidi
     */
    check_kinds(0, 1u << IRI_LINT_LOOK_ALIKE,
                NAMES("IMG_\xD1\x84\xD0\xBE\xD1\x82\xD0\xBE.jpg",
                      "it\xE2\x80\x99s 2019\xE2\x80\x93\x32\x30.pdf",
                      "\xE6\x97\xA5\xE6\x9C\xACx\xE3\x81\x82.html",
                      "\xEF\xAC\x81le", "a\xE2\x80\xAE\x62",
                      "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D\xE0\xA4\xB7",
                      "%E2%80%8B"),
                "");
    /*
     * names that differ in normalization look alike but are not reported as
     * such
     */
    check_kinds(0, 1u << IRI_LINT_LOOK_ALIKE,
                NAMES("a\xC3\xA9", "ae\xCC\x81"), "");
    /*
     * two names with the same skeleton, unless they are one name or a collision
     */
    check_kinds(LEVELS, 1u << IRI_LINT_LOOK_ALIKE | 1u << IRI_LINT_COLLISION,
                NAMES("page1.html", "pageI.html", "page2.html", "a\xC3\xA9",
                      "ae\xCC\x81", "rn", "m", "Cafe", "cafe", "\xE3\x83\x86",
                      "\xEF\xBE\x83"),
                "collision|cafe|Cafe|case\n"
                "collision|%EF%BE%83|%E3%83%86|width\n"
                "look-alike|pageI.html|page1.html\n"
                "look-alike|rn|m\n");
}


/*
 * The skeleton of ASCII, character by character, is ICU's skeleton of the
 * whole.
 */
TEST(test_skeletons)
{
    UErrorCode     error = U_ZERO_ERROR;
    USpoofChecker *checker = uspoof_open(&error);
    char           text[12], want[128];
    iri_str_t      name, got;
    unsigned       n, i;
    int32_t        len;

    name.data = (const unsigned char *) text;
    name.len = sizeof(text);

    for (n = 0; n < 2000; n++) {
        for (i = 0; i < sizeof(text); i++) {
            text[i] = (char) (n < 95 && i == 0 ? 0x20 + n
                                               : 0x20 + core_random(95));
        }
        error = U_ZERO_ERROR;
        len = uspoof_getSkeletonUTF8(checker, 0, text, sizeof(text), want,
                                     sizeof(want), &error);
        assert_true(U_SUCCESS(error));
        assert_ok(iri_skeleton(&core.env, core_confusables(), name, &got));
        assert_int_equal(got.len, len);
        assert_memory_equal(got.data, want, got.len);
    }

    uspoof_close(checker);
}


/* Names one edit apart: each is reported with the first that it is near to. */
TEST(test_spelling)
{
    static const unsigned spelling = IRI_FOLD_SPELLING;

    check_kinds(spelling, 1u << IRI_LINT_COLLISION,
                NAMES("kitten.html", "sitten.html", "kiten.html",
                      "ktiten.html", "kitten.htm", "doc12.html", "doc13.html",
                      "cat", "bat", "apples.html"),
                "collision|kitten.html|kiten.html|spelling\n"
                "collision|ktiten.html|kiten.html|spelling\n"
                "collision|sitten.html|kitten.html|spelling\n");
    /* together with other levels: edits of the keys */
    check_kinds(spelling | LEVELS, 1u << IRI_LINT_COLLISION,
                NAMES("Kitten.html", "kiten.html", "KITTEN.html",
                      "caf\xC3\xA9s.html", "coffees.html", "cafs.html"),
                "collision|Kitten.html|KITTEN.html|case\n"
                "collision|cafs.html|caf%C3%A9s.html|spelling\n"
                "collision|KITTEN.html|kiten.html|spelling\n"
                "collision|Kitten.html|kiten.html|spelling\n");
    check_kinds(LEVELS, 1u << IRI_LINT_COLLISION,
                NAMES("kitten.html", "kiten.html"), "");
}


/* The findings about forms agree with the core's reading and finding. */
TEST(test_forms_agree_with_core)
{
    static const char *const legacy[] = { "euc-jp", "sjis" };
    iri_reading_conf_t       reading = { core_charsets("sjis euc-jp"),
                                         IRI_INVALID_404, 0 };
    iri_tree_conf_t          tree = core_tree("", IRI_FILENAME_ANY, 0);
    iri_lint_conf_t          conf = {
                 &reading.charsets,  &tree, 0, 1u << IRI_LINT_FORM,
                 core_confusables(), NULL
    };
    iri_charsets_t euc = core_charsets(legacy[0]);
    size_t         found = 0;
    unsigned       c;

    for (c = 0x4e00; c < 0x5200; c++) {
        findings_t          findings = { &core, "", 0 };
        unsigned char       octets[5] = "/", utf8[4];
        size_t              len = iri_charset_put(euc.at[0], c, octets + 1);
        iri_received_path_t request = { { len + 1, octets }, 0, { 0, NULL } };
        iri_reading_t       read;
        iri_str_t           names[2];

        if (len != 2) {
            continue;
        }
        core_init(&core);
        assert_ok(iri_read(&core.env, &reading, &request, &read));
        names[0].data = utf8;
        names[0].len = iri_utf8_put(c, utf8);
        names[1] = iri_str_from(read.path, 1);

        /*
         * If an entry has the name of the first reading, that entry is found.
         */
        if (names[1].len != 0 && read.why == IRI_WHY_READ
            && !iri_str_equal(names[0], names[1]))
        {
            assert_ok(
                iri_lint(&core.env, &conf, names, 2, add_finding, &findings));
            assert_non_null(strstr(findings.text, "|EUC-JP\n"));
            found++;
            findings.len = 0;
            findings.text[0] = '\0';
        }
        assert_ok(
            iri_lint(&core.env, &conf, names, 1, add_finding, &findings));
        assert_int_equal(findings.len, 0);
    }
    assert_true(found > 20);
}


static iri_status_t
stop(void *arg, const iri_finding_t *finding)
{
    ++*(int *) arg;

    return IRI_IO_FAILED;
}


TEST(test_stop)
{
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, 0);
    iri_charsets_t  none = { 0, { NULL } };
    iri_lint_conf_t conf = {
        &none, &tree, LEVELS, KINDS_ALL, core_confusables(), NULL
    };
    iri_str_t names[] = { S("a#"), S("A#"), S("b#") };
    int       calls = 0;

    assert_int_equal(iri_lint(&core.env, &conf, names, 3, stop, &calls),
                     IRI_IO_FAILED);
    assert_int_equal(calls, 1);
}


TEST(test_words)
{
    int kind;

    for (kind = 0; kind < IRI_LINT_KINDS; kind++) {
        assert_int_equal(
            iri_lint_kind(core_str(iri_lint_text((iri_lint_kind_t) kind))),
            kind);
        assert_true(strlen(iri_lint_clause((iri_lint_kind_t) kind)) > 10);
    }
    assert_int_equal(iri_lint_kind(S("NFKC")), IRI_LINT_NFKC);
    assert_int_equal(iri_lint_kind(S("nf")), IRI_LINT_KINDS);
    assert_int_equal(iri_lint_kind(S("")), IRI_LINT_KINDS);
}
