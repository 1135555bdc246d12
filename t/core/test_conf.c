/*
 * test_conf.c - the values of settings, one parser for both servers
 *
 * Covers: each parser accepts its words in any letter case and nothing else,
 * explains errors with the valid words, and writes its output only on success;
 * lists of charsets keep their order and their limit; derived settings are
 * set.
 */

#include "core.h"

/* ---- single words ------------------------------------------------------- */

static const struct {
    const iri_words_t *words;
    const char        *word;
    int                value; /* -1: not a valid word */
} words[] = {
    { &iri_engine_words, "off", IRI_ENGINE_OFF },
    { &iri_engine_words, "on", IRI_ENGINE_ON },
    { &iri_engine_words, "On", IRI_ENGINE_ON },
    { &iri_engine_words, "REPORT", IRI_ENGINE_REPORT },
    { &iri_engine_words, "", -1 },
    { &iri_engine_words, "o", -1 },
    { &iri_engine_words, "onn", -1 },
    { &iri_engine_words, "yes", -1 },
    { &iri_engine_words, "1", -1 },
    { &iri_invalid_words, "404", IRI_INVALID_404 },
    { &iri_invalid_words, "400", IRI_INVALID_400 },
    { &iri_invalid_words, "pass", IRI_INVALID_PASS },
    { &iri_invalid_words, "Pass", IRI_INVALID_PASS },
    { &iri_invalid_words, "403", -1 },
    { &iri_invalid_words, "", -1 },
    { &iri_invalid_words, "4040", -1 },
    { &iri_filename_form_words, "any", IRI_FILENAME_ANY },
    { &iri_filename_form_words, "nfc", IRI_FILENAME_NFC },
    { &iri_filename_form_words, "NFC", IRI_FILENAME_NFC },
    { &iri_filename_form_words, "NfD", IRI_FILENAME_NFD },
    { &iri_filename_form_words, "nfkc", -1 },
    { &iri_filename_form_words, "nf", -1 },
    { &iri_host_mode_words, "off", IRI_HOST_MODE_OFF },
    { &iri_host_mode_words, "on", IRI_HOST_MODE_ON },
    { &iri_host_mode_words, "strict", IRI_HOST_MODE_STRICT },
    { &iri_host_mode_words, "", -1 },
    { &iri_host_mode_words, "yes", -1 },
    { &iri_redirect_words, "off", 0 },
    { &iri_redirect_words, "OFF", 0 },
    { &iri_redirect_words, "301", 301 },
    { &iri_redirect_words, "302", 302 },
    { &iri_redirect_words, "303", 303 },
    { &iri_redirect_words, "307", 307 },
    { &iri_redirect_words, "308", 308 },
    { &iri_redirect_words, "link", IRI_REDIRECT_LINK },
    { &iri_redirect_words, "Link", IRI_REDIRECT_LINK },
    { &iri_redirect_words, "on", -1 },
    { &iri_redirect_words, "300", -1 },
    { &iri_redirect_words, "304", -1 },
    { &iri_redirect_words, "0", -1 },
    { &iri_redirect_words, " 301", -1 },
};


TEST(test_words)
{
    const char *error;
    size_t      i;
    unsigned    value;

    for (i = 0; i < COUNT(words); i++) {
        value = 77;
        error = iri_parse_word(words[i].words, core_str(words[i].word),
                               &value);

        if (words[i].value >= 0) {
            assert_null(error);
            assert_int_equal(value, words[i].value);

        } else {
            assert_non_null(error);
            assert_non_null(strstr(error, "\""));
            assert_int_equal(value, 77);
        }
    }
}


/* The error message contains each valid word. */
TEST(test_messages_list_words)
{
    char     quoted[32];
    size_t   i;
    unsigned value = 0;

    for (i = 0; i < COUNT(words); i++) {
        snprintf(quoted, sizeof(quoted), "\"%s\"", words[i].word);

        if (words[i].value >= 0 && words[i].word[0] >= '0'
            && strpbrk(words[i].word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL)
        {
            assert_non_null(strstr(
                iri_parse_word(words[i].words, S("bad"), &value), quoted));
        }
    }
}


/* ---- iri_match ---------------------------------------------------------- */

TEST(test_match)
{
    static const struct {
        const char *words[3];
        long        value; /* -1: not a valid word */
    } cases[] = {
        { { "exact" }, IRI_FOLD_EXACT_ONLY },
        { { "EXACT" }, IRI_FOLD_EXACT_ONLY },
        { { "exact", "exact" }, IRI_FOLD_EXACT_ONLY },
        { { "normalization" }, IRI_FOLD_NORMALIZATION },
        { { "variants" }, IRI_FOLD_VARIANTS },
        { { "Variants", "normalization" },
          IRI_FOLD_VARIANTS | IRI_FOLD_NORMALIZATION },
        { { "normalization", "normalization" }, IRI_FOLD_NORMALIZATION },
        { { "exact", "normalization" }, -1 },
        { { "variants", "exact" }, -1 },
        { { "width" }, IRI_FOLD_WIDTH | IRI_FOLD_NORMALIZATION },
        { { "Case", "variants" },
          IRI_FOLD_CASE | IRI_FOLD_VARIANTS | IRI_FOLD_NORMALIZATION },
        { { "case:TR" },
          IRI_FOLD_CASE | IRI_FOLD_TURKIC | IRI_FOLD_NORMALIZATION },
        { { "case:az" },
          IRI_FOLD_CASE | IRI_FOLD_TURKIC | IRI_FOLD_NORMALIZATION },
        { { "accents", "spelling" },
          IRI_FOLD_ACCENTS | IRI_FOLD_SPELLING | IRI_FOLD_NORMALIZATION },
        { { "accents:de", "accents" },
          IRI_FOLD_ACCENTS | IRI_FOLD_GERMAN | IRI_FOLD_NORMALIZATION },
        { { "variants:arabic", "variants:romanian", "variants:joiners" },
          IRI_FOLD_LETTERS | IRI_FOLD_NORMALIZATION },
        { { "variants:" }, -1 },
        { { "variants:ar" }, -1 },
        { { "case:de" }, -1 },
        { { "width:ja" }, -1 },
        { { "case:" }, -1 },
        { { "exact", "case" }, -1 },
        { { "none" }, -1 },
        { { "" }, -1 },
    };
    const char *error;
    iri_str_t   given[3];
    unsigned    value;
    size_t      i, count, unknown;

    for (i = 0; i < COUNT(cases); i++) {
        value = 77;

        for (count = 0; count < 3 && cases[i].words[count] != NULL; count++) {
            given[count] = core_str(cases[i].words[count]);
        }

        error = iri_parse_words(&iri_match_words, given, count, &value,
                                &unknown);

        if (cases[i].value >= 0) {
            assert_null(error);
            assert_int_equal(value, cases[i].value);

        } else {
            assert_non_null(error);
            assert_non_null(strstr(error, "\"exact\""));
            assert_int_equal(value, 77);
        }
    }
}


/* The index of the unknown word, for messages; count if all are known. */
TEST(test_unknown_word)
{
    const iri_str_t match[] = { S("case"), S("Width"), S("cas"), S("") };
    const iri_str_t repair[] = { S("Mojibake"), S("off"), S("utf8"),
                                 S("off") };
    static const struct {
        const iri_words_t *words;
        size_t             from;
        size_t             count;
        size_t             unknown;
        const char        *error; /* NULL: none */
        unsigned           value;
    } cases[] = {
        { &iri_match_words, 0, 1, 1, NULL,
          IRI_FOLD_CASE | IRI_FOLD_NORMALIZATION },
        { &iri_match_words, 0, 2, 2, NULL,
          IRI_FOLD_CASE | IRI_FOLD_WIDTH | IRI_FOLD_NORMALIZATION },
        { &iri_match_words, 0, 3, 2, "any of", 77 },
        { &iri_match_words, 0, 4, 2, "any of", 77 },
        { &iri_match_words, 3, 1, 0, "any of", 77 },
        { &iri_repair_words, 0, 1, 1, NULL, IRI_REPAIR_MOJIBAKE },
        { &iri_repair_words, 0, 2, 2, "other words", 77 },
        { &iri_repair_words, 0, 3, 2, "any of", 77 },
        { &iri_repair_words, 1, 1, 1, NULL, 0 },
    };
    const iri_str_t *given;
    const char      *error;
    unsigned         value;
    size_t           i, unknown;

    for (i = 0; i < COUNT(cases); i++) {
        value = 77;
        given = cases[i].words == &iri_match_words ? match : repair;
        error = iri_parse_words(cases[i].words, given + cases[i].from,
                                cases[i].count, &value, &unknown);

        assert_int_equal(unknown, cases[i].unknown);
        assert_int_equal(value, cases[i].value);

        if (cases[i].error == NULL) {
            assert_null(error);
        } else {
            assert_non_null(strstr(error, cases[i].error));
        }
    }
}


/* ---- charsets ----------------------------------------------------------- */

/* Parse labels, separated by one space each. */
static const char *
charsets(const char *labels, int none_allowed, iri_charsets_t *out)
{
    iri_str_t given[16];
    size_t    count = 0;

    for (;; labels++) {
        given[count].data = (const unsigned char *) labels;
        given[count].len = strcspn(labels, " ");
        labels += given[count++].len;

        if (*labels == '\0') {
            return iri_parse_charsets(core_registry(), given, count,
                                      none_allowed, out);
        }
    }
}


static void
assert_names(const iri_charsets_t *list, const char *want)
{
    char   got[256] = "";
    size_t i;

    for (i = 0; i < list->count; i++) {
        core_append(got, i != 0 ? " " : "");
        core_append(got, (const char *) iri_charset_name(list->at[i]).data);
    }

    assert_string_equal(got, want);
}


/* The list has the octets 77 still. */
static void
assert_error(const char *error, const char *says, const iri_charsets_t *list)
{
    assert_non_null(error);

    if (strstr(error, says) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error, says);
    }

    assert_int_equal(*(const unsigned char *) list, 0x77);
}


static void
check_names(const char *labels, int none_allowed, const char *want)
{
    iri_charsets_t list;

    assert_null(charsets(labels, none_allowed, &list));
    assert_names(&list, want);
}


static void
check_error(const char *labels, int none_allowed, const char *says)
{
    iri_charsets_t list;

    memset(&list, 0x77, sizeof(list));
    assert_error(charsets(labels, none_allowed, &list), says, &list);
}


TEST(test_charsets)
{
    check_names("sjis euc-jp", 1, "Shift_JIS EUC-JP");
    check_names("EUC-JP SJIS", 1, "EUC-JP Shift_JIS");
    check_names("Latin1", 0, "windows-1252");
    check_names("none", 1, "");
    check_names("NONE", 1, "");

    /*
     * Requests are always decoded as UTF-8, so it is left out; a tree may have
     * any charset.
     */
    check_names("utf-8", 1, "");
    check_names("utf8 sjis UTF-8", 1, "Shift_JIS");
    check_names("utf-8 sjis", 0, "UTF-8 Shift_JIS");
    check_names("sjis utf-8", 0, "Shift_JIS UTF-8");
    check_names("PERCENT utf-8", 0, "percent UTF-8");
}


TEST(test_wrong_charsets)
{
    check_error("none", 0, "\"none\"");
    check_error("none sjis", 1, "\"none\"");
    check_error("sjis klingon", 1, "\"klingon\"");
    check_error("", 1, "\"\"");
    check_error("sjis,euc-jp", 1, "\"sjis,euc-jp\"");
    check_error("sjis euc-jp Shift_JIS", 1, "\"Shift_JIS\"");
    check_error("utf-8 utf8", 0, "\"utf8\"");
    check_error("ISO-2022-JP", 1, "\"ISO-2022-JP\"");
    check_error("percent", 1, "\"percent\"");
    check_error("percent utf-8 percent", 0, "\"percent\"");
}


TEST(test_charsets_limit)
{
#define SEVEN "sjis euc-jp euc-kr gb18030 koi8-r big5 latin1"
#define NAMES "Shift_JIS EUC-JP EUC-KR gb18030 KOI8-R Big5 windows-1252"
    check_names(SEVEN, 1, NAMES);
    check_names(SEVEN " iso-8859-2", 1, NAMES " ISO-8859-2");
    check_error(SEVEN " iso-8859-2 koi8-u", 1, "8 charsets");

    /* UTF-8 counts where it is kept in the list. */
    check_names(SEVEN " iso-8859-2 utf-8", 1, NAMES " ISO-8859-2");
    check_error(SEVEN " iso-8859-2 utf-8", 0, "8 charsets");
}


/* The registry has room for all charsets. */
TEST(test_each_is_opened_once)
{
    iri_registry_t *registry;
    iri_charsets_t  a, b;
    iri_str_t       word = S("sjis"), same = S("cp932");
    size_t          allocs;

    registry = iri_registry_create(&core.env);
    assert_non_null(registry);

    assert_null(iri_parse_charsets(registry, &word, 1, 1, &a));
    allocs = core.allocs;
    assert_null(iri_parse_charsets(registry, &same, 1, 1, &b));
    assert_int_equal(core.allocs, allocs);
    assert_ptr_equal(a.at[0], b.at[0]);
}


/* ---- lists of requests -------------------------------------------------- */

static void
check_of(const iri_registry_t *registry, const char *value, const char *want)
{
    iri_charsets_t list;
    iri_str_t      word;

    assert_null(iri_charsets_parse(registry, core_str(value), &list, &word));
    assert_names(&list, want);
}


static void
check_not_of(const iri_registry_t *registry, const char *value,
             const char *word, const char *says)
{
    iri_charsets_t list;
    iri_str_t      wrong;
    const char    *error;

    memset(&list, 0x77, sizeof(list));
    error = iri_charsets_parse(registry, core_str(value), &list, &wrong);
    assert_error(error, says, &list);
    assert_text(wrong, word);
}


/*
 * The charsets are in the registry: making a list allocates and opens nothing.
 */
TEST(test_charsets_of)
{
    iri_registry_t *registry;
    size_t          allocs;

    registry = iri_registry_create(&core.env);
    assert_non_null(registry);
    check_not_of(registry, "sjis", "sjis", "");

    assert_null(iri_registry_open_all(registry));
    allocs = core.allocs;
    assert_null(iri_registry_open_all(registry));

    check_of(registry, "", "");
    check_of(registry, " , ", "");
    check_of(registry, "none", "");
    check_of(registry, " NONE,", "");
    check_of(registry, "EUC-JP", "EUC-JP");
    check_of(registry, "euc-jp,sjis", "EUC-JP Shift_JIS");
    check_of(registry, "  sjis\teuc-jp , latin1 ",
             "Shift_JIS EUC-JP windows-1252");
    check_of(registry, "utf-8", "");
    check_of(registry, "sjis utf8 cp932 euc-kr", "Shift_JIS EUC-KR");
    check_of(registry, SEVEN " iso-8859-2", NAMES " ISO-8859-2");

    check_not_of(registry, "sjis klingon", "klingon", "");
    check_not_of(registry, "sjis;euc-jp", "sjis;euc-jp", "");
    check_not_of(registry, "utf-16", "utf-16", "");
    check_not_of(registry, "ISO-2022-JP", "ISO-2022-JP", "");
    check_not_of(registry, "sjis none", "none", "\"none\"");
    check_not_of(registry, "none sjis", "sjis", "\"none\"");
    check_not_of(registry, SEVEN " iso-8859-2 koi8-u", "koi8-u",
                 "limit of 8");

    assert_int_equal(core.allocs, allocs);
}


/* ---- completed settings ------------------------------------------------- */

static void
check_finish(const char *reading, const char *tree, unsigned match,
             unsigned want)
{
    iri_reading_conf_t r;
    iri_tree_conf_t    t;

    memset(&r, 0, sizeof(r));
    memset(&t, 0, sizeof(t));
    r.charsets = core_charsets(reading);
    t.charsets = core_charsets(tree);
    t.match = match;

    iri_tree_conf_finish(&r, &t);
    assert_int_equal(t.match, want);
    assert_int_not_equal(t.charsets.count, 0);

    if (tree[0] == '\0') {
        assert_int_equal(t.charsets.count, 1);
        assert_ptr_equal(t.charsets.at[0], &iri_charset_utf8);
    }
}


TEST(test_finish)
{
    unsigned both = IRI_FOLD_NORMALIZATION | IRI_FOLD_VARIANTS;

    check_finish("", "", IRI_FOLD_NORMALIZATION, IRI_FOLD_NORMALIZATION);
    check_finish("euc-kr", "windows-1252", IRI_FOLD_NORMALIZATION,
                 IRI_FOLD_NORMALIZATION);
    check_finish("sjis", "", IRI_FOLD_NORMALIZATION, both);
    check_finish("", "euc-jp", IRI_FOLD_NORMALIZATION, both);
    check_finish("euc-kr euc-jp", "", IRI_FOLD_NORMALIZATION, both);
    check_finish("sjis", "euc-jp", IRI_FOLD_EXACT_ONLY, IRI_FOLD_EXACT_ONLY);
    check_finish("", "", both, both);
    check_finish("", "sjis", 0, IRI_FOLD_VARIANTS);
}


/* Error messages about words of each length. */
TEST(test_every_word)
{
    iri_registry_t *registry;
    iri_charsets_t  list;
    char            word[200];
    iri_str_t       str;
    const char     *why;
    size_t          len, n, allocs;

    for (len = 1; len < sizeof(word); len++) {
        memset(word, 'x', len);
        str.data = (const unsigned char *) word;
        str.len = len;

        for (n = 1;; n++) {
            core_init(&core);
            registry = iri_registry_create(&core.env);
            assert_non_null(registry);
            allocs = core.allocs;
            core.fail_at = allocs + n;
            why = iri_parse_charsets(registry, &str, 1, 1, &list);
            assert_non_null(why);
            allocs = core.allocs;

            if (allocs < core.fail_at) {
                break;
            }

            assert_non_null(strchr(why, '"'));
        }
    }
}
