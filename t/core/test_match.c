/*
 * test_match.c - the nearest match: which entry is found, and what is revealed
 *
 * Covers: of two equally near entries none is chosen, and the candidates are
 * sorted, exist, and are listed only where the settings want it and only if the
 * list is complete; a name that starts with a dot is not found by other names;
 * for methods that write, only width is folded, whatever is cached; a missing
 * name costs one lookup and one listing of the directory.  Which entry is the
 * nearest, in one directory and in several: t/cases/fold/levels.tsv, paths.tsv.
 */

#include <stdlib.h>

#include "core.h"

#define N   IRI_FOLD_NORMALIZATION
#define W   IRI_FOLD_WIDTH
#define C   IRI_FOLD_CASE
#define A   IRI_FOLD_ACCENTS
#define SP  IRI_FOLD_SPELLING
#define ALL (N | W | C | A | SP)

static core_find_t near;


static void
near_init(unsigned match, const char *tree)
{
    core_find_init(&near, "", "", IRI_FILENAME_ANY, match);
    core_put_all(&core, tree);
}


static void
near_find(const char *path)
{
    near.search.path = core_str(path);
    memset(&near.found, 0, sizeof(near.found));
    core_find(&near);
}


/* The result as text: "serve /a", "moved /a case", "pass", ... */
static const char *
near_text(const char *path)
{
    static char  text[4][2400];
    static int   turn;
    iri_found_t *found = &near.found;
    char        *p;

    near_find(path);
    p = text[turn = (turn + 1) % 4];

    switch (found->verdict) {
    case IRI_SERVE:
    case IRI_RESTART:
        snprintf(p, sizeof(text[0]), "%s %.*s %s",
                 iri_verdict_text(found->verdict), (int) found->path.len,
                 (const char *) found->path.data,
                 iri_match_text(found->match));
        break;

    default:
        snprintf(p, sizeof(text[0]), "%s", iri_verdict_text(found->verdict));
    }

    return p;
}


#define assert_near(path, want) assert_string_equal(near_text(path), want)


/*
 * Below a directory that was found under another name the redirect to it comes
 * first.
 */
static void
check_choices(const char *path, const char *want)
{
    char   got[4000] = "", moved[400];
    size_t i;

    near_find(path);

    for (i = 0; i < 4 && near.found.verdict == IRI_RESTART; i++) {
        snprintf(moved, sizeof(moved), "%.*s", (int) near.found.path.len,
                 (const char *) near.found.path.data);
        near_find(moved);
    }

    if (near.found.verdict != IRI_CHOOSE) {
        fail_msg("%s: %s %s", path, iri_verdict_text(near.found.verdict),
                 core_show(near.found.path));
    }

    assert_int_equal(near.found.why, IRI_WHY_AMBIGUOUS);

    for (i = 0; i < near.found.count; i++) {
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.*s ",
                 (int) near.found.choices[i].len,
                 (const char *) near.found.choices[i].data);
    }

    assert_string_equal(got, want);
}


/* If any call of the file system fails there are no candidates. */
static void
check_errors_leave_no_choices(const char *path)
{
    size_t i, calls;

    core.stats = core.lists = 0;
    near_find(path);
    calls = core.stats + core.lists;
    assert_true(calls > 1);

    for (i = 1; i <= calls; i++) {
        core.stats = core.lists = 0;
        core.io_fail_at = i;
        near_find(path);
        assert_int_equal(near.found.count, 0);
    }
}


/* ---- the nearest --------------------------------------------------------- */

/* The last level; which entry is the nearest: t/cases/fold/levels.tsv. */
TEST(test_spelling)
{
    near_init(ALL, "/exact|/Exact|/readme.txt|/empty/|/Empty/readme.txt");
    assert_near("/EXACT", "choose");
    assert_near("/REDME.txt", "moved /readme.txt spelling");
    assert_near("/raedme.tx", "pass");
    assert_near("/empty/README.txt", "pass");
}


/*
 * An alias without "/" at its end: no entry of a directory starts with its
 * name.
 */
TEST(test_alias_without_slash)
{
    near_init(ALL, "/out/Foo|/out/e\xcc\x81|/outx");
    near.search.root.data = (const unsigned char *) "/srv/out";
    near.search.root.len = 8;
    near.search.prefix = 3;
    assert_near("/alFOO", "pass");
    assert_near("/alfoo", "pass");
    assert_near("/al\xc3\x8a", "pass");
    assert_near("/alx", "serve /alx exact");
    assert_near("/al/FOO", "moved /al/Foo case");
}


/* More spellings of a word than are compared: the word itself is found. */
TEST(test_exact_among_many)
{
    char   path[64];
    size_t i, k;

    near_init(N | C, "");

    for (i = 0; i < 256; i++) {
        char word[64] = "/srv/dir/abcdefgh";

        for (k = 0; k < 8; k++) {
            word[9 + k] = (char) (word[9 + k] - (i >> k & 1 ? 32 : 0));
        }

        core_append(word, "/sub/x");
        core_put(&core, core_str(word));
    }

    near.search.cache = core_cache(1 << 20);

    for (i = 0; i < 256; i += 5) {
        char want[128];

        snprintf(path, sizeof(path), "/DIR/abcdefgh");

        for (k = 0; k < 8; k++) {
            path[5 + k] = (char) (path[5 + k] - (i >> k & 1 ? 32 : 0));
        }

        snprintf(want, sizeof(want), "moved /dir/%s case", path + 5);
        assert_near(path, want);

        memcpy(path, "/dir", 4);
        snprintf(want, sizeof(want), "moved %s/sub/x case", path);
        core_append(path, "/SUB/x");
        assert_near(path, want);
    }
}


/*
 * The nearest of those compared may not be the nearest of all: none is chosen.
 */
TEST(test_more_than_are_compared)
{
    static const char *const letters[][2] = {
        { "a", "\xc3\xa1" }, { "e", "\xc3\xa9" }, { "i", "\xc3\xad" },
        { "o", "\xc3\xb3" }, { "u", "\xc3\xba" }, { "y", "\xc3\xbd" }
    };
    char   path[64];
    size_t i, k;

    near_init(N | C | A, "");

    /* The last entry is listed first: it is nearer than all others. */
    for (i = 64; i-- > 0; /* void */) {
        snprintf(path, sizeof(path), "/srv/");

        for (k = 0; k < 6; k++) {
            core_append(path, letters[k][i >> k & 1]);
        }

        core_put(&core, core_str(path));
    }

    assert_near("/AEIOUY", "choose");
    assert_near("/aeiouy", "serve /aeiouy exact");
}


/* ---- alternative readings ------------------------------------------------ */

/*
 * Where two readings differ, the first one with an entry gets the request,
 * whether by its exact name or not: "\xc3\xa9" is one letter in UTF-8, two in
 * windows-1252, and there is a directory of each.
 */
static const char *
text_by_readings(const char *tree)
{
    core_find_init(&near, "windows-1252", "", IRI_FILENAME_ANY, N | C);
    core_put_all(&core, tree);
    core_find_read(&near, S("/%C3%A9/x"));

    return near_text("/\xc3\xa9/x");
}


TEST(test_alternative_readings)
{
    /* Except for the ignored differences, the result is the same. */
    assert_string_equal(
        text_by_readings("/\xc3\x89/x|/\xc3\x83\xc2\xa9/other"),
        text_by_readings("/\xc3\x89/x|/\xc3\x83\xc2\xa9/other"
                         "|/\xc3\x83\xc2\xa9/x"));
}


/* No entry exists in any reading: the first reading stays. */
TEST(test_absent_in_all_readings)
{
    static const char *const paths[] = { "/up/", "/up//", "/up/x/", "/UP/",
                                         "/" };
    char                     octets[64], path[64], want[128];
    size_t                   i;

    for (i = 0; i < 2 * COUNT(paths); i++) {
        near_init(N | W | C, "/up/a.txt|/up/x/a.txt");
        near.search.write = i % 2 == 0;
        near.conf.charsets = core_charsets("sjis euc-jp");
        snprintf(octets, sizeof(octets), "%s\xa1\xc1.txt", paths[i / 2]);
        core_find_read(&near, core_str(octets));

        /*
         * Two half-width characters; in EUC-JP this would be one full-width
         * character.
         */
        snprintf(path, sizeof(path), "%s\xef\xbd\xa1\xef\xbe\x81.txt",
                 paths[i / 2]);
        assert_text(near.reading.path, path);
        snprintf(want, sizeof(want), "moved /up/%s case",
                 strrchr(path, '/') + 1);
        assert_near(path, i / 2 == 3 && !near.search.write ? want : "pass");
    }
}


/*
 * In the directory of an alternative reading there are several candidates: the
 * rest of the path has its length in that reading.
 */
TEST(test_candidates_in_alternative_reading)
{
    static const char tree[] =
        "/\xc3\xa3\xc2\xa9\xc3\x83\xc2\xa9\xc3\x83\xc2\xa9/Name/y|"
        "/\xc3\xa3\xc2\xa9\xc3\x83\xc2\xa9\xc3\x83\xc2\xa9/nAme/y";
    near_init(N | C, tree);
    near.tree.ambiguous = IRI_AMBIGUOUS_300;
    near.search.cache = core_cache(65536);
    near.conf.charsets = core_charsets("windows-1252");
    core_find_read(&near, S("/%C3%A9%C3%A9%C3%A9/NAME/y"));
    assert_near("/\xc3\xa9\xc3\xa9\xc3\xa9/NAME/y",
                "moved /\xc3\xa3\xc2\xa9\xc3\x83\xc2\xa9\xc3\x83"
                "\xc2\xa9/NAME/y case");
    near.search.reading = NULL;
    check_choices("/\xc3\xa3\xc2\xa9\xc3\x83\xc2\xa9\xc3\x83\xc2\xa9"
                  "/NAME/y",
                  "/\xc3\xa3\xc2\xa9\xc3\x83\xc2\xa9\xc3\x83\xc2\xa9"
                  "/Name/y "
                  "/\xc3\xa3\xc2\xa9\xc3\x83\xc2\xa9\xc3\x83\xc2\xa9"
                  "/nAme/y ");
}


/* ---- dots ---------------------------------------------------------------- */

TEST(test_dots)
{
    static const char *const none[] = {
        "/htaccess",   "/\xef\xbc\x8ehtaccess",
        "/x.htaccess", "/_htaccess",
        "/h.taccess",  "/.htacces",
        "/.htacess",   "/.htaccesss",
        "/.full",      "/.htpasswd",
        "/.plain",     "/git/config",
        "/data",       "/\uff0e\uff0edata",
        "/.\uff0edat", "/\xef\xbc\x8egit/config",
        NULL
    };
    size_t i;

    near_init(ALL, "/.htaccess|/.Git/config|/\uff0efull|/htpasswd|"
                   "/..data|/plain");
    assert_near("/.HTACCESS", "moved /.htaccess case");
    assert_near("/.\xef\xbd\x88taccess", "moved /.htaccess width");
    assert_near("/.git/CONFIG", "moved /.Git/config case");
    assert_near("/.\uff0edata", "moved /..data width");
    assert_near("/\uff0eFULL", "moved /\uff0efull case");

    for (i = 0; none[i] != NULL; i++) {
        near_find(none[i]);

        if (near.found.verdict != IRI_PASS) {
            fail_msg("%s: %s %s", none[i],
                     iri_verdict_text(near.found.verdict),
                     core_show(near.found.path));
        }
    }
}


/* No form of a dot-segment, or of a slash, changes the path. */
TEST(test_no_parent_directory)
{
    static const char        tree[] = "/etc/passwd|/a/b|/aob";
    static const char *const paths[] = {
        "/\xef\xbc\x8e\xef\xbc\x8e/etc/passwd",
        "/a/\xef\xbc\x8e\xef\xbc\x8e/etc/passwd",
        "/a/.\xef\xbc\x8e/etc/passwd",
        "/a/\xef\xbc\x8e/b",
        "/a\uff0fb",
        "/a\uff3cb",
        "/a\u2215b",
        "/a\u2044b",
        "/etc\xef\xbc\x8fpasswd",
        "/\uff0fetc/passwd",
        "/etc/\xef\xbc\x8e\xef\xbc\x8e\xef\xbc\x8e/passwd",
        "/a/b\xef\xbc\x85\xef\xbc\x90\xef\xbc\x90",
        NULL
    };
    size_t i;

    near_init(ALL, tree);

    for (i = 0; paths[i] != NULL; i++) {
        near_find(paths[i]);
        assert_int_equal(near.found.verdict, IRI_PASS);
    }

    near.search.path = S("/a/../etc/passwd");
    core_find(&near);
    assert_int_equal(near.found.verdict, IRI_REFUSE);
}


/* The path below a file is PATH_INFO, also if no tree could encode it. */
TEST(test_path_info)
{
    static const char tree[] = "/script|/dir/x";

    near_init(N | C, tree);
    near.tree.charsets = core_charsets("iso-8859-8");
    assert_near("/script/\xc3\xbf", "serve /script/\xc3\xbf exact");
    assert_near("/SCRIPT/\xc3\xbf", "moved /script/\xc3\xbf case");
    assert_text(near.found.filename, "/srv/script/\xc3\xbf");
    assert_near("/script/a", "serve /script/a exact");
    assert_near("/dir/\xc3\xbf", "refuse");
    assert_near("/DIR/\xc3\xbf", "moved /dir/\xc3\xbf case");
}


/* The root replaces the whole path, which ends at the end of its memory. */
TEST(test_root_of_whole_path)
{
    unsigned char *path = malloc(7);

    near_init(N | C, "/x");
    core_find_read(&near, S("/caf%C3%A9/"));
    memcpy(path, "/caf\xc3\xa9/", 7);
    near.search.path.data = path;
    near.search.path.len = near.search.prefix = 7;
    near.search.root = S("/srv/");
    core_find(&near);
    assert_int_equal(near.found.verdict, IRI_SERVE);
    assert_text(near.found.filename, "/srv/");
    free(path);
}


/* ---- requests that write ------------------------------------------------ */

/* Rules for each level: t/cases/fold/write.tsv. */
TEST(test_write)
{
    static const char tree[] = "/name";

    near_init(ALL, tree);
    near.search.write = 1;
    assert_near("/n\xef\xbd\x81me", "moved /name width");

    /* With the cache filled by readers, too. */
    near.search.cache = core_cache(65536);
    near.search.write = 0;
    assert_near("/NAME", "moved /name case");
    assert_near("/nme", "pass");
    assert_near("/namee", "moved /name spelling");
    near.search.write = 1;
    assert_near("/NAME", "pass");
    assert_near("/namee", "pass");
    assert_near("/\uff2eAME", "pass");

    /* An ASCII path that no name can have is not found, for any settings. */
    near_init(N | C, tree);
    near.search.write = 1;
    assert_near("/na\x01me", "pass");
    assert_near("/na\x7f"
                "me/x",
                "pass");
    near.search.write = 0;
    assert_near("/na\x01me", "pass");

    /* Where width is not folded the directory is not read. */
    near_init(N | C | A | SP, tree);
    near.search.write = 1;
    assert_near("/NAME", "pass");
    assert_near("/n\xef\xbd\x81me", "pass");
    assert_int_equal(core.lists, 1);
}


/* ---- choices ------------------------------------------------------------- */

TEST(test_choices)
{
    static const char tree[] =
        "/one|/One|/oNe|/B/file|/b/FILE|/b/other|/B/third/x|"
        "/b/third|/.x|/.X|/d/w1|/d/W1|/E/E/e|/e/e/e|/e/E/e|"
        "/E/x/q|/kit|/Kit|/kit/a|/ff/x|/FF/x|/fF";

    near_init(N | C | A, tree);
    check_choices("/ONE", "");

    near.tree.ambiguous = IRI_AMBIGUOUS_300;
    check_choices("/ONE", "/One /oNe /one ");
    check_choices("/\xc3\x93ne", "/One /oNe /one ");
    check_choices("/D/\u1e811", "/d/W1 /d/w1 ");

    /* With a "/" at its end it is no file. */
    near.search.cache = core_cache(65536);
    check_choices("/Ff", "/FF /fF /ff ");
    check_choices("/Ff/", "/FF/ /ff/ ");
}


/*
 * Candidates are whole paths that exist, and their later segments may be
 * folded, too.
 */
TEST(test_choices_in_later_segments)
{
    static const char tree[] =
        "/bb/file|/BB/FILE|/bB/other|/Bb/file|/Bb/FILE|/cc/x|"
        "/CC/y|/.dd|/.DD|/ee/deep/er/x|/EE/deep/ER/X";

    near_init(N | C | A, tree);
    near.tree.ambiguous = IRI_AMBIGUOUS_300;

    /* Without a cache each directory is read for this request. */
    check_choices("/b\xe1\xb8\x83/file", "/BB/FILE /Bb/file /bb/file ");
    near.search.cache = core_cache(65536);
    near_find("/bb/x");
    near_find("/BB/x");
    near_find("/bB/x");
    near_find("/Bb/x");
    near_find("/ee/deep/ER/x");
    near_find("/EE/deep/er/x");

    /*
     * One directory has no match, another has two equally near: neither is a
     * candidate.
     */
    near_find("/bb/nothing");
    assert_int_equal(near.found.verdict, IRI_PASS);
    check_choices("/b\xe1\xb8\x83/file", "/BB/FILE /Bb/file /bb/file ");
    check_choices("/.dD", "/.DD /.dd ");
    check_choices("/eE/Deep/eR/x", "/EE/deep/ER/X /ee/deep/er/x ");
    check_choices("/cC/x", "/cc/x ");
    check_choices("/cC/z", "");
    check_choices("/cC/", "/CC/ /cc/ ");

    /* An error in one directory: the list of candidates would be incomplete. */
    check_errors_leave_no_choices("/eE/Deep/eR/x");
}


/*
 * Not more candidates than there is room for, and none if the list may be
 * incomplete.
 */
TEST(test_choices_are_limited)
{
    char   path[64];
    size_t i, k;

    near_init(N | C, "");
    near.tree.ambiguous = IRI_AMBIGUOUS_300;

    for (i = 0; i < 20; i++) {
        snprintf(path, sizeof(path), "/srv/abcde");

        for (k = 0; k < 5; k++) {
            path[5 + k] = (char) (path[5 + k] - (i >> k & 1 ? 32 : 0));
        }

        core_put(&core, core_str(path));
    }

    near.search.cache = core_cache(65536);
    near_find("/abcDE");
    assert_int_equal(near.found.verdict, IRI_CHOOSE);
    assert_int_equal(near.found.count, IRI_MAX_CHOICES);

    for (i = 1; i < IRI_MAX_CHOICES; i++) {
        assert_true(
            iri_str_compare(near.found.choices[i - 1], near.found.choices[i])
            < 0);
    }

    check_errors_leave_no_choices("/abcDE");
}


/* The limit of calls is reached before all candidates are verified. */
TEST(test_choices_cost)
{
    char   path[700], ask[700];
    size_t i, k;

    near_init(N | C, "");
    near.tree.ambiguous = IRI_AMBIGUOUS_300;

    for (i = 0; i < 8; i++) {
        snprintf(path, sizeof(path), "/srv/%c%c%c", i & 1 ? 'a' : 'A',
                 i & 2 ? 'b' : 'B', i & 4 ? 'c' : 'C');

        for (k = 0; k < 60; k++) {
            core_append(path, "/d");
        }

        core_put(&core, core_str(path));
    }

    snprintf(ask, sizeof(ask), "/abC");

    for (k = 0; k < 60; k++) {
        core_append(ask, "/D");
    }

    core_node(&core, S("/srv/abC"))->name = S("abD");
    near_find(ask);
    assert_int_equal(near.found.verdict, IRI_CHOOSE);
    assert_int_equal(near.found.count, 0);
    assert_true(core.stats + core.lists <= IRI_MAX_FS_CALLS);
}


/* ---- number of system calls --------------------------------------------- */

/*
 * Once the directory is in the cache, an absent name costs two lookups and no
 * listing.
 */
TEST(test_calls)
{
    static const char tree[] = "/a/b/c/name";
    size_t            i;
    char              path[200], moved[200];

    near_init(ALL, tree);
    near.search.cache = core_cache(65536);
    assert_near("/a/b/c/NAME", "moved /a/b/c/name case");
    assert_int_equal(core.lists, 1);

    core.stats = core.lists = 0;
    assert_near("/a/b/c/NAME", "moved /a/b/c/name case");
    assert_int_equal(core.stats, 2);
    core.stats = 0;
    assert_near("/a/b/c/absent", "pass");
    assert_int_equal(core.stats, 2);
    core.stats = 0;
    assert_near("/a/b/c/name", "serve /a/b/c/name exact");
    assert_int_equal(core.stats, 1);
    assert_int_equal(core.lists, 0);

    /*
     * The limit of directories that are read, where entries of all of them
     * match.
     */
    near_init(ALL, tree);
    near.search.cache = core_cache(1 << 20);
    strcpy(path, "/srv");
    for (i = 0; i < IRI_MAX_DIRECTORIES_READ + 2; i++) {
        snprintf(path + strlen(path), 4, "/d%c", (int) ('a' + i));
    }
    core_put(&core,
             (iri_str_t){ strlen(path), (const unsigned char *) path });
    for (i = 5; path[i] != '\0'; i++) {
        path[i] = (char) (path[i] & ~(path[i] >= 'a' ? 0x20 : 0));
    }
    near_find(path + 4);
    assert_int_equal(core.lists, IRI_MAX_DIRECTORIES_READ);
    assert_int_equal(near.found.verdict, IRI_RESTART);
    snprintf(moved, sizeof(moved), "%.*s", (int) near.found.path.len,
             (const char *) near.found.path.data);
    assert_string_equal(moved + 3 * IRI_MAX_DIRECTORIES_READ,
                        path + 4 + 3 * IRI_MAX_DIRECTORIES_READ);
    near_find(moved);
    assert_int_equal(near.found.verdict, IRI_RESTART);
    snprintf(moved, sizeof(moved), "%.*s", (int) near.found.path.len,
             (const char *) near.found.path.data);
    near_find(path + 4);
    assert_int_equal(near.found.path.len, strlen(moved));
    assert_memory_equal(near.found.path.data, moved, strlen(moved));
}


/* The UTF-8 meaning of octets is no name in a tree of EUC-JP. */
TEST(test_legacy_names)
{
    near_init(N | C, "/\u027dA.html");
    near.tree = core_tree("euc-jp", IRI_FILENAME_ANY, N | C);
    assert_near("/\u8868a.html", "moved /\u8868A.html case");
    /* which EUC-JP cannot write */
    assert_near("/\u027da.html", "refuse");
}
