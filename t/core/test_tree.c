/*
 * test_tree.c - each name by the settings of the directory that contains it
 *
 * Covers, on trees in memory: charset, form, match, repair and ambiguous of a
 * directory apply to the names in it, not to its own name nor to those above;
 * new names are encoded so; a name that leads into another directory leads to
 * the settings of that one; a cached answer belongs to its settings.
 */

#include "core.h"

#define N   IRI_FOLD_NORMALIZATION
#define C   (IRI_FOLD_NORMALIZATION | IRI_FOLD_CASE)
#define ANY IRI_FILENAME_ANY
#define NFC IRI_FILENAME_NFC
#define NFD IRI_FILENAME_NFD

#define E_ACUTE "\xc3\xa9"
#define E_NFD   "e\xcc\x81"
#define E_UPPER "\xc3\x89"
#define NI      "\xe6\x97\xa5" /* U+65E5; EUC-JP C6 FC */
#define HYO     "\xe8\xa1\xa8" /* U+8868; EUC-JP C9 BD */
#define YA      "\xd0\xaf"     /* U+042F; windows-1251 DF */

/* A directory, and the settings for it and below it. */
typedef struct {
    const char         *names; /* "" is the root; NULL after the last */
    const char         *charsets;
    iri_filename_form_t form;
    unsigned            match, repair;
} place_t;

#define PLACES 4

/* clang-format off */
#define UTF8     { "", "utf-8", ANY, N, 0 }
#define FOLDED   { "", "utf-8", ANY, C, 0 }
#define REPAIRED { "", "utf-8", ANY, N, IRI_REPAIR_DOUBLE }

/* A directory with other settings than those above it. */
static const place_t old_in_euc_jp[PLACES] =
    { UTF8, { "/" NI "/old/", "euc-jp", ANY, N, 0 } };
static const place_t ya_in_cyrillic[PLACES] =
    { UTF8, { "/" YA "/", "windows-1251", ANY, N, 0 } };
static const place_t acute_in_nfd[PLACES] =
    { UTF8, { "/" E_ACUTE "/", "utf-8", NFD, N, 0 } };
static const place_t acute_in_nfd_below_nfc[PLACES] =
    { { "", "utf-8", NFC, N, 0 }, { "/" E_ACUTE "/", "utf-8", NFD, N, 0 } };
static const place_t ni_in_utf8[PLACES] =
    { { "", "euc-jp", ANY, N, 0 }, { "/" NI "/", "utf-8", ANY, N, 0 } };
static const place_t a_in_nfc[PLACES] =
    { { "", "euc-jp", ANY, N, 0 }, { "/a/", "utf-8", NFC, N, 0 } };
static const place_t ni_and_nfd[PLACES] =
    { UTF8, { "/" NI "/", "euc-jp", ANY, N, 0 },
      { "/" NI "/" NI "/", "utf-8", NFD, N, 0 } };
static const place_t ni_in_euc_jp[PLACES] =
    { UTF8, { "/" NI "/", "euc-jp", ANY, N, 0 } };
static const place_t dir_folded[PLACES] =
    { UTF8, { "/Dir/", "utf-8", ANY, C, 0 } };
static const place_t upper_folded[PLACES] =
    { UTF8, { "/" E_UPPER "/", "utf-8", ANY, C, 0 } };
static const place_t above_dir_folded[PLACES] =
    { FOLDED, { "/Dir/", "utf-8", ANY, N, 0 } };
static const place_t above_ni_folded[PLACES] =
    { FOLDED, { "/" NI "A/", "euc-jp", ANY, N, 0 } };
static const place_t above_upper_a_folded[PLACES] =
    { FOLDED, { "/A/", "euc-jp", ANY, C, 0 } };
static const place_t above_lower_a_folded[PLACES] =
    { FOLDED, { "/a/", "euc-jp", ANY, C, 0 } };
static const place_t ni_repaired[PLACES] =
    { UTF8, { "/" NI "/", "utf-8", ANY, N, IRI_REPAIR_DOUBLE } };
static const place_t above_ni_repaired[PLACES] =
    { REPAIRED, { "/" NI "/", "utf-8", ANY, N, 0 } };
static const place_t above_euc_jp_repaired[PLACES] =
    { REPAIRED, { "/" NI "/", "euc-jp", ANY, N, 0 } };
static const place_t d_in_euc_jp[PLACES] =
    { UTF8, { "/d/", "euc-jp", ANY, N, 0 } };
static const place_t d_folded[PLACES] =
    { UTF8, { "/d/", "utf-8", ANY, C, 0 } };
static const place_t d_folded_d_repaired[PLACES] =
    { UTF8, { "/d/", "utf-8", ANY, C, 0 },
      { "/d/d/", "utf-8", ANY, N, IRI_REPAIR_DOUBLE } };
/* clang-format on */

typedef struct {
    const place_t *places;
    const char    *entries; /* below /srv, separated by "|" */
    const char    *path;
    iri_verdict_t  verdict;
    const char    *filename; /* below /srv; "": not compared */
    const char    *found;    /* NULL: path */
} case_t;

static const case_t cases[] = {
    /* an EUC-JP archive in a UTF-8 site */
    { old_in_euc_jp, "/" NI "/old/\xc9\xbd|/" NI "/" HYO, "/" NI "/old/" HYO,
      IRI_SERVE, "/" NI "/old/\xc9\xbd" },
    { old_in_euc_jp, "/" NI "/old/\xc9\xbd|/" NI "/" HYO, "/" NI "/" HYO,
      IRI_SERVE, "/" NI "/" HYO },
    /* its name in UTF-8 is absent */
    { old_in_euc_jp, "/" NI "/old/" HYO, "/" NI "/old/" HYO, IRI_PASS,
      "/" NI "/old/\xc9\xbd" },
    /* the directory's own name is not ASCII */
    { ya_in_cyrillic, "/" YA "/\xdf", "/" YA "/" YA, IRI_SERVE,
      "/" YA "/\xdf" },
    { ya_in_cyrillic, "/\xdf/\xdf", "/" YA "/" YA, IRI_PASS, "/" YA "/\xdf" },
    { acute_in_nfd, "/" E_ACUTE "/" E_NFD, "/" E_ACUTE "/" E_ACUTE, IRI_SERVE,
      "/" E_ACUTE "/" E_NFD },
    { acute_in_nfd, "/" E_NFD "/" E_NFD, "/" E_ACUTE "/" E_ACUTE, IRI_SERVE,
      "/" E_NFD "/" E_NFD },
    { acute_in_nfd_below_nfc, "/" E_NFD "/" E_NFD, "/" E_ACUTE "/" E_ACUTE,
      IRI_PASS, "/" E_ACUTE "/" E_NFD },
    /* a UTF-8 directory in a legacy tree */
    { ni_in_utf8, "/\xc6\xfc/" HYO, "/" NI "/" HYO, IRI_SERVE,
      "/\xc6\xfc/" HYO },
    /* the directory declares its form, so nothing is looked up */
    { a_in_nfc, "/a/" HYO, "/a/" HYO, IRI_PASS, "/a/" HYO },
    /* new names, at each depth */
    { ni_and_nfd, "/x", "/" NI "/" NI "/" E_ACUTE, IRI_PASS,
      "/" NI "/\xc6\xfc/" E_NFD },
    { ni_in_euc_jp, "/" NI "/x", "/" NI "/" E_ACUTE YA NI "\xf0\x9f\x98\x80",
      IRI_REFUSE, "" },
    { a_in_nfc, "/a/x", "/a/\xf0\x9f\x98\x80", IRI_PASS,
      "/a/\xf0\x9f\x98\x80" },
    /* folded, except the directory's own name */
    { dir_folded, "/Dir/Name", "/Dir/NAME", IRI_RESTART, "", "/Dir/Name" },
    { dir_folded, "/Dir/Name", "/DIR/Name", IRI_PASS, "/DIR/Name" },
    { upper_folded, "/" E_UPPER "/Name", "/" E_ACUTE "/NAME", IRI_PASS,
      "/" E_ACUTE "/NAME" },
    /* names above the directory are folded, those below are not */
    { above_dir_folded, "/Dir/Name", "/DIR/Name", IRI_RESTART, "",
      "/Dir/Name" },
    { above_dir_folded, "/Dir/Name", "/DIR/NAME", IRI_RESTART, "",
      "/Dir/NAME" },
    { above_dir_folded, "/Dir/Name", "/Dir/NAME", IRI_PASS, "/Dir/NAME" },
    { above_dir_folded, "/Dir/Name", "/DIR/NAME/", IRI_RESTART, "",
      "/Dir/NAME/" },
    /* a restart to another directory uses the settings of that directory */
    { above_ni_folded, "/" NI "A/\xc9\xbd", "/" NI "a/" HYO, IRI_RESTART,
      "/" NI "A/\xc9\xbd", "/" NI "A/" HYO },
    { above_upper_a_folded, "/A/\xc9\xbdX", "/a/" HYO "x", IRI_RESTART, "",
      "/A/" HYO "X" },
    { above_lower_a_folded, "/A/" HYO "X", "/a/" HYO "x", IRI_RESTART, "",
      "/A/" HYO "X" },
    /* repaired only in that directory */
    { ni_repaired, "/" NI "/" HYO, "/" NI "/%E8%A1%A8", IRI_RESTART, "",
      "/" NI "/" HYO },
    { ni_repaired, "/" NI "/" HYO, "/%E6%97%A5/%E8%A1%A8", IRI_PASS,
      "/%E6%97%A5/%E8%A1%A8" },
    { above_ni_repaired, "/" NI "/" HYO, "/%E6%97%A5/" HYO, IRI_RESTART, "",
      "/" NI "/" HYO },
    { above_ni_repaired, "/" NI "/" HYO, "/" NI "/%E8%A1%A8", IRI_PASS,
      "/" NI "/%E8%A1%A8" },
    /* and an entry beside it with its own settings */
    { above_euc_jp_repaired, "/" NI "/\xc9\xbd", "/%E6%97%A5/" HYO,
      IRI_RESTART, "", "/" NI "/" HYO },
};


typedef struct {
    iri_tree_conf_t tree[PLACES];
    const place_t  *place;
    size_t          asked;
    iri_search_t    search;
    iri_found_t     found;
} test_t;


/*
 * The settings of a directory: the last one that contains it; they are sorted
 * from the root down.
 */
static const iri_tree_conf_t *
tree_of(const iri_env_t *env, const iri_search_t *search, iri_str_t names)
{
    test_t *test = (test_t *) (uintptr_t) search->settings_data;
    size_t  i, len, at = 0;

    assert_true(names.len == 0 || names.data[names.len - 1] == '/');

    for (i = 1; i < PLACES && test->place[i].names != NULL; i++) {
        len = strlen(test->place[i].names);

        if (names.len >= len
            && memcmp(names.data, test->place[i].names, len) == 0) {
            at = i;
        }
    }

    return &test->tree[at];
}


static void
test_init(test_t *test, const case_t *one)
{
    size_t i;

    memset(test, 0, sizeof(*test));
    core_init(&core);
    core_put(&core, S("/srv/"));
    test->place = one->places;

    for (i = 0; i < PLACES && one->places[i].names != NULL; i++) {
        test->tree[i] = core_tree(one->places[i].charsets,
                                  one->places[i].form, one->places[i].match);
        test->tree[i].repair = one->places[i].repair;
        iri_tree_conf_finish(NULL, &test->tree[i]);
        test->tree[i].match &= ~IRI_FOLD_VARIANTS;
    }

    core_put_all(&core, one->entries);
    test->search.tree = &test->tree[0];
    test->search.settings_of = tree_of;
    test->search.settings_data = test;
    test->search.root = S("/srv");
    test->search.path = core_str(one->path);
}


static void
check_found(const test_t *test, const case_t *one)
{
    const char *path = one->found != NULL ? one->found : one->path;

    if (test->found.verdict != one->verdict) {
        fail_msg("%s: %s", core_show(core_str(one->path)),
                 iri_verdict_text(test->found.verdict));
    }

    assert_str(test->found.path, core_str(path));

    if (one->filename[0] != '\0') {
        assert_str(iri_str_from(test->found.filename, 4),
                   core_str(one->filename));
    }
}


TEST(test_cases)
{
    test_t test;
    size_t i, k;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_init(&test, &cases[i]);
        assert_ok(iri_find(&core.env, &test.search, &test.found));
        check_found(&test, &cases[i]);

        /* and as remembered */
        test.search.cache = core_cache(65536);

        for (k = 0; k < 4; k++) {
            assert_ok(iri_find(&core.env, &test.search, &test.found));
            check_found(&test, &cases[i]);
        }

        core_cache_free(test.search.cache);
    }
}


/* The same path, root and directories, with other settings. */
TEST(test_cache_of_other_settings)
{
    static const case_t one = { d_in_euc_jp, "/d/\xc9\xbd", "/d/" HYO,
                                IRI_SERVE, "/d/\xc9\xbd" };
    iri_index_cache_t  *cache = core_cache(65536);
    test_t              test, other;
    size_t              k;

    test_init(&test, &one);
    test_init(&other, &one);
    other.tree[1] = core_tree("utf-8", ANY, N);
    test.search.cache = other.search.cache = cache;

    for (k = 0; k < 6; k++) {
        assert_ok(iri_find(&core.env, &test.search, &test.found));
        assert_int_equal(test.found.verdict, IRI_SERVE);
        assert_ok(iri_find(&core.env, &other.search, &other.found));
        assert_int_equal(other.found.verdict, IRI_PASS);
    }
}


/* The directory where an entry would be created decides about conflicts. */
TEST(test_twin)
{
    static const case_t fold = { d_folded, "/d/Name|/Name", "/d/NAME",
                                 IRI_PASS, "" };
    iri_str_t           none = { 0, NULL };
    test_t              test;

    test_init(&test, &fold);
    test.search.write = 1;
    assert_ok(iri_find(&core.env, &test.search, &test.found));
    assert_int_equal(test.found.verdict, IRI_PASS);
    assert_ok(iri_find_conflict(&core.env, &test.search, none, &test.found));
    assert_int_equal(test.found.verdict, IRI_REFUSE);
    assert_int_equal(test.found.why, IRI_WHY_CONFLICT);

    test.search.path = S("/NAME");
    assert_ok(iri_find(&core.env, &test.search, &test.found));
    assert_ok(iri_find_conflict(&core.env, &test.search, none, &test.found));
    assert_int_equal(test.found.verdict, IRI_PASS);
}


/* The directory of the candidates decides whether they are listed. */
TEST(test_choices)
{
    static const case_t two = { d_folded, "/d/Name|/d/nAme", "/d/NAME",
                                IRI_CHOOSE, "" };
    test_t              test;

    test_init(&test, &two);
    assert_ok(iri_find(&core.env, &test.search, &test.found));
    assert_int_equal(test.found.verdict, IRI_CHOOSE);
    assert_int_equal(test.found.count, 0);

    test.tree[1].ambiguous = IRI_AMBIGUOUS_300;
    assert_ok(iri_find(&core.env, &test.search, &test.found));
    assert_int_equal(test.found.count, 2);

    test.tree[0].ambiguous = IRI_AMBIGUOUS_300;
    test.tree[1].ambiguous = IRI_AMBIGUOUS_404;
    assert_ok(iri_find(&core.env, &test.search, &test.found));
    assert_int_equal(test.found.count, 0);
}


/* Does any directory on the path need a lookup? */
TEST(test_needs_look)
{
    static const case_t fold = { d_folded_d_repaired, "/x", "/d/x", IRI_PASS,
                                 "" };
    test_t              test;

    test_init(&test, &fold);
    assert_true(iri_search_needs_lookup(&core.env, &test.search));
    test.search.path = S("/d/d/x");
    assert_true(iri_search_needs_lookup(&core.env, &test.search));
    test.search.path = S("/e/x");
    assert_false(iri_search_needs_lookup(&core.env, &test.search));
    test.search.path = S("/e/%E8");
    assert_false(iri_search_needs_lookup(&core.env, &test.search));
    test.search.path = S("/" E_ACUTE "/x");
    assert_true(iri_search_needs_lookup(&core.env, &test.search));
}
