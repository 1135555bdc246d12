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

typedef struct {
    place_t       places[PLACES];
    const char   *entries; /* below /srv, separated by "|" */
    const char   *path;
    iri_verdict_t verdict;
    const char   *filename; /* below /srv; "": not compared */
    const char   *found;    /* NULL: path */
} case_t;

#define UTF8                                                                 \
    {                                                                        \
        "", "utf-8", ANY, N, 0                                               \
    }

static const case_t cases[] = {
    /* an EUC-JP archive in a UTF-8 site */
    { { UTF8, { "/" NI "/old/", "euc-jp", ANY, N, 0 } },
      "/" NI "/old/\xc9\xbd|/" NI "/" HYO,
      "/" NI "/old/" HYO,
      IRI_SERVE,
      "/" NI "/old/\xc9\xbd",
      NULL },
    { { UTF8, { "/" NI "/old/", "euc-jp", ANY, N, 0 } },
      "/" NI "/old/\xc9\xbd|/" NI "/" HYO,
      "/" NI "/" HYO,
      IRI_SERVE,
      "/" NI "/" HYO,
      NULL },
    /* its name in UTF-8 is absent */
    { { UTF8, { "/" NI "/old/", "euc-jp", ANY, N, 0 } },
      "/" NI "/old/" HYO,
      "/" NI "/old/" HYO,
      IRI_PASS,
      "/" NI "/old/\xc9\xbd",
      NULL },
    /* the directory's own name is not ASCII */
    { { UTF8, { "/" YA "/", "windows-1251", ANY, N, 0 } },
      "/" YA "/\xdf",
      "/" YA "/" YA,
      IRI_SERVE,
      "/" YA "/\xdf",
      NULL },
    { { UTF8, { "/" YA "/", "windows-1251", ANY, N, 0 } },
      "/\xdf/\xdf",
      "/" YA "/" YA,
      IRI_PASS,
      "/" YA "/\xdf",
      NULL },
    { { UTF8, { "/" E_ACUTE "/", "utf-8", NFD, N, 0 } },
      "/" E_ACUTE "/" E_NFD,
      "/" E_ACUTE "/" E_ACUTE,
      IRI_SERVE,
      "/" E_ACUTE "/" E_NFD,
      NULL },
    { { UTF8, { "/" E_ACUTE "/", "utf-8", NFD, N, 0 } },
      "/" E_NFD "/" E_NFD,
      "/" E_ACUTE "/" E_ACUTE,
      IRI_SERVE,
      "/" E_NFD "/" E_NFD,
      NULL },
    { { { "", "utf-8", NFC, N, 0 }, { "/" E_ACUTE "/", "utf-8", NFD, N, 0 } },
      "/" E_NFD "/" E_NFD,
      "/" E_ACUTE "/" E_ACUTE,
      IRI_PASS,
      "/" E_ACUTE "/" E_NFD,
      NULL },
    /* a UTF-8 directory in a legacy tree */
    { { { "", "euc-jp", ANY, N, 0 }, { "/" NI "/", "utf-8", ANY, N, 0 } },
      "/\xc6\xfc/" HYO,
      "/" NI "/" HYO,
      IRI_SERVE,
      "/\xc6\xfc/" HYO,
      NULL },
    /* the directory declares its form, so nothing is looked up */
    { { { "", "euc-jp", ANY, N, 0 }, { "/a/", "utf-8", NFC, N, 0 } },
      "/a/" HYO,
      "/a/" HYO,
      IRI_PASS,
      "/a/" HYO,
      NULL },
    /* new names, at each depth */
    { { UTF8,
        { "/" NI "/", "euc-jp", ANY, N, 0 },
        { "/" NI "/" NI "/", "utf-8", NFD, N, 0 } },
      "/x",
      "/" NI "/" NI "/" E_ACUTE,
      IRI_PASS,
      "/" NI "/\xc6\xfc/" E_NFD,
      NULL },
    { { UTF8, { "/" NI "/", "euc-jp", ANY, N, 0 } },
      "/" NI "/x",
      "/" NI "/" E_ACUTE YA NI "\xf0\x9f\x98\x80",
      IRI_REFUSE,
      "",
      NULL },
    { { { "", "euc-jp", ANY, N, 0 }, { "/a/", "utf-8", NFC, N, 0 } },
      "/a/x",
      "/a/\xf0\x9f\x98\x80",
      IRI_PASS,
      "/a/\xf0\x9f\x98\x80",
      NULL },

    /* folded, except the directory's own name */
    { { UTF8, { "/Dir/", "utf-8", ANY, C, 0 } },
      "/Dir/Name",
      "/Dir/NAME",
      IRI_RESTART,
      "",
      "/Dir/Name" },
    { { UTF8, { "/Dir/", "utf-8", ANY, C, 0 } },
      "/Dir/Name",
      "/DIR/Name",
      IRI_PASS,
      "/DIR/Name",
      NULL },
    { { UTF8, { "/" E_UPPER "/", "utf-8", ANY, C, 0 } },
      "/" E_UPPER "/Name",
      "/" E_ACUTE "/NAME",
      IRI_PASS,
      "/" E_ACUTE "/NAME",
      NULL },
    /* names above the directory are folded, those below are not */
    { { { "", "utf-8", ANY, C, 0 }, { "/Dir/", "utf-8", ANY, N, 0 } },
      "/Dir/Name",
      "/DIR/Name",
      IRI_RESTART,
      "",
      "/Dir/Name" },
    { { { "", "utf-8", ANY, C, 0 }, { "/Dir/", "utf-8", ANY, N, 0 } },
      "/Dir/Name",
      "/DIR/NAME",
      IRI_RESTART,
      "",
      "/Dir/NAME" },
    { { { "", "utf-8", ANY, C, 0 }, { "/Dir/", "utf-8", ANY, N, 0 } },
      "/Dir/Name",
      "/Dir/NAME",
      IRI_PASS,
      "/Dir/NAME",
      NULL },
    { { { "", "utf-8", ANY, C, 0 }, { "/Dir/", "utf-8", ANY, N, 0 } },
      "/Dir/Name",
      "/DIR/NAME/",
      IRI_RESTART,
      "",
      "/Dir/NAME/" },
    /* a restart to another directory uses the settings of that directory */
    { { { "", "utf-8", ANY, C, 0 }, { "/" NI "A/", "euc-jp", ANY, N, 0 } },
      "/" NI "A/\xc9\xbd",
      "/" NI "a/" HYO,
      IRI_RESTART,
      "/" NI "A/\xc9\xbd",
      "/" NI "A/" HYO },
    { { { "", "utf-8", ANY, C, 0 }, { "/A/", "euc-jp", ANY, C, 0 } },
      "/A/\xc9\xbdX",
      "/a/" HYO "x",
      IRI_RESTART,
      "",
      "/A/" HYO "X" },
    { { { "", "utf-8", ANY, C, 0 }, { "/a/", "euc-jp", ANY, C, 0 } },
      "/A/" HYO "X",
      "/a/" HYO "x",
      IRI_RESTART,
      "",
      "/A/" HYO "X" },

    /* repaired only in that directory */
    { { UTF8, { "/" NI "/", "utf-8", ANY, N, IRI_REPAIR_DOUBLE } },
      "/" NI "/" HYO,
      "/" NI "/%E8%A1%A8",
      IRI_RESTART,
      "",
      "/" NI "/" HYO },
    { { UTF8, { "/" NI "/", "utf-8", ANY, N, IRI_REPAIR_DOUBLE } },
      "/" NI "/" HYO,
      "/%E6%97%A5/%E8%A1%A8",
      IRI_PASS,
      "/%E6%97%A5/%E8%A1%A8",
      NULL },
    { { { "", "utf-8", ANY, N, IRI_REPAIR_DOUBLE },
        { "/" NI "/", "utf-8", ANY, N, 0 } },
      "/" NI "/" HYO,
      "/%E6%97%A5/" HYO,
      IRI_RESTART,
      "",
      "/" NI "/" HYO },
    { { { "", "utf-8", ANY, N, IRI_REPAIR_DOUBLE },
        { "/" NI "/", "utf-8", ANY, N, 0 } },
      "/" NI "/" HYO,
      "/" NI "/%E8%A1%A8",
      IRI_PASS,
      "/" NI "/%E8%A1%A8",
      NULL },
    /* and an entry beside it with its own settings */
    { { { "", "utf-8", ANY, N, IRI_REPAIR_DOUBLE },
        { "/" NI "/", "euc-jp", ANY, N, 0 } },
      "/" NI "/\xc9\xbd",
      "/%E6%97%A5/" HYO,
      IRI_RESTART,
      "",
      "/" NI "/" HYO },
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
    const char *entries = one->entries;
    char        path[256];
    size_t      i, len;

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

    while (*entries != '\0') {
        len = strcspn(entries, "|");
        snprintf(path, sizeof(path), "/srv%.*s", (int) len, entries);
        core_put(&core, core_str(path));
        entries += len + (entries[len] == '|');
    }

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
    static const case_t one = { { UTF8, { "/d/", "euc-jp", ANY, N, 0 } },
                                "/d/\xc9\xbd",
                                "/d/" HYO,
                                IRI_SERVE,
                                "/d/\xc9\xbd",
                                NULL };
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
    static const case_t fold = { { UTF8, { "/d/", "utf-8", ANY, C, 0 } },
                                 "/d/Name|/Name",
                                 "/d/NAME",
                                 IRI_PASS,
                                 "",
                                 NULL };
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
    static const case_t two = { { UTF8, { "/d/", "utf-8", ANY, C, 0 } },
                                "/d/Name|/d/nAme",
                                "/d/NAME",
                                IRI_CHOOSE,
                                "",
                                NULL };
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
    static const case_t fold = { { UTF8,
                                   { "/d/", "utf-8", ANY, C, 0 },
                                   { "/d/d/", "utf-8", ANY, N,
                                     IRI_REPAIR_DOUBLE } },
                                 "/x",
                                 "/d/x",
                                 IRI_PASS,
                                 "",
                                 NULL };
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
