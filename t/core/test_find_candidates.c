/*
 * test_find_candidates.c - candidates of iri_find: their order, limits, cache
 *
 * Covers the branches that test_find.c does not reach: one test for each
 * property, named in the comment above it.
 */

#include <stdlib.h>
#include <time.h>

#include "core.h"

#define N IRI_FOLD_NORMALIZATION
#define V IRI_FOLD_VARIANTS

#define E_ACUTE "\xc3\xa9"
#define E_NFD   "e\xcc\x81"
#define HYO     "\xe8\xa1\xa8" /* U+8868, EUC-JP C9BD */

static core_find_t find;


static void
find_init(const char *target, const char *charsets, const char *tree,
          unsigned match)
{
    core_find_init(&find, charsets, tree, IRI_FILENAME_ANY, match);
    core_find_read(&find, core_str(target));
}


/* ---- finding ------------------------------------------------------------ */

/* A name that only starts with a dot is no dot-segment. */
TEST(test_dot_files)
{
    static const struct {
        const char   *path;
        iri_verdict_t verdict;
    } cases[] = {
        { "/.a/" E_ACUTE, IRI_SERVE },
        { "/a./" E_ACUTE, IRI_SERVE },
        { "/.../" E_ACUTE, IRI_SERVE },
        { "/a/" E_ACUTE, IRI_SERVE },
        { "/./" E_ACUTE, IRI_REFUSE },
        { "/../" E_ACUTE, IRI_REFUSE },
        { "/" E_ACUTE "/.", IRI_REFUSE },
        { "/" E_ACUTE "/..", IRI_REFUSE },
        { "/.", IRI_REFUSE },
        { "/..", IRI_REFUSE },
    };
    size_t i;

    find_init("/", "", "", N);
    core_put_all(&core, "/.a/" E_ACUTE "|/a./" E_ACUTE "|/.../" E_ACUTE
                        "|/a/" E_ACUTE "|/" E_ACUTE "/x");
    find.search.reading = NULL;

    for (i = 0; i < COUNT(cases); i++) {
        find.search.path = core_str(cases[i].path);
        core_find(&find);
        assert_int_equal(find.found.verdict, cases[i].verdict);
    }
}


/*
 * A rule has replaced the path that was read: the octets of the request must
 * not be used.
 */
TEST(test_replaced_path)
{
    static const struct {
        const char   *target, *entries, *root;
        const char   *path; /* NULL: as it was read */
        iri_verdict_t verdict;
        const char   *found;
    } rows[] = {
        { "/%C9%BD", "/" HYO "/y", "/srv", NULL, IRI_RESTART, "/" HYO },
        /* another name of the same length */
        { "/%C9%BD", "/" HYO "/y", "/srv", "/\xca\xbe", IRI_PASS,
          "/\xca\xbe" },
        /* another segment with the same end, and a longer one */
        { "/%C9%BD", "/" HYO "/y", "/srv", "/x\xc9\xbd", IRI_PASS,
          "/x\xc9\xbd" },
        { "/%C9%BD", "/" HYO "/y", "/srv", "/x/\xc9\xbd/long", IRI_PASS,
          "/x/\xc9\xbd/long" },
        { "/%C9%BD", "/" HYO "/y", "/srv", "/\xc9\xbd/y", IRI_PASS,
          "/\xc9\xbd/y" },
        /* The path may start within a segment; from a border on it was read. */
        { "/a%C9%BD", "/" HYO "|/a" HYO, "/srv/", "\xc9\xbd", IRI_PASS,
          "\xc9\xbd" },
        { "/a/%C9%BD", "/" HYO, "/srv/", "\xc9\xbd", IRI_RESTART, HYO },
        /* The path was ASCII, or unreadable. */
        { "/a", "/" HYO "|/\xca\xbe", "/srv", "/\xc9\xbd", IRI_PASS,
          "/\xc9\xbd" },
        { "/a", "/" HYO "|/\xca\xbe", "/srv", "/\xca\xbe", IRI_SERVE,
          "/\xca\xbe" },
        { "/%FF%FF", "/" HYO "|/\xca\xbe", "/srv", "/\xc9\xbd", IRI_PASS,
          "/\xc9\xbd" },
        { "/%FF%FF", "/" HYO "|/\xca\xbe", "/srv", "/\xca\xbe", IRI_SERVE,
          "/\xca\xbe" },
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        find_init(rows[i].target, "euc-jp", "", N);
        core_put_all(&core, rows[i].entries);
        find.search.root = core_str(rows[i].root);

        if (rows[i].path != NULL) {
            find.search.path = core_str(rows[i].path);
        }

        core_find(&find);

        if (find.found.verdict != rows[i].verdict) {
            fail_msg("row %zu: %s", i, iri_verdict_text(find.found.verdict));
        }

        assert_text(find.found.path, rows[i].found);
    }
}


/* A path that is longer than the reading is not its tail. */
TEST(test_longer_path)
{
    static const char text[] = "/x/\xc9\xbd";

    find_init("/%C9%BD", "euc-jp", "", N);
    core_put(&core, S("/srv/" HYO));

    /*
     * The octets before its start must not be taken for the rest of the
     * path.
     */
    find.reading.path = iri_str_from(core_str(text), 2);
    find.search.path = core_str(text);
    core_find(&find);
    assert_int_equal(find.found.verdict, IRI_PASS);
    assert_str(find.found.path, core_str(text));
}


/*
 * A path that a rule set and that is not canonical: its entry has another
 * path.
 */
TEST(test_uncanonical)
{
    int with_reading;

    for (with_reading = 0; with_reading < 2; with_reading++) {
        find_init("/%C3%A9", "", "", N);
        core_put(&core, S("/srv/" E_NFD));
        find.search.path = S("/" E_NFD);

        if (!with_reading) {
            find.search.reading = NULL;
        }

        core_find(&find);
        assert_int_equal(find.found.verdict, IRI_RESTART);
        assert_str(find.found.path, S("/" E_ACUTE));
        assert_str(find.found.filename, S("/srv/" E_NFD));
    }
}


/* U+00A2 has a variant of three octets: 512 of them are over the limit. */
TEST(test_variant_over_limit)
{
    char   path[1 + 1024 + 1];
    size_t count, i;

    for (count = 340; count <= 512; count += 172) {
        strcpy(path, "/");

        for (i = 0; i < count; i++) {
            core_append(path, "\xc2\xa2");
        }

        find_init(path, "", "euc-jp", N | V);
        core_find(&find);
        assert_true(find.found.verdict != IRI_SERVE);
        assert_true(find.found.verdict != IRI_RESTART);
        assert_str(find.found.path, core_str(path));
    }
}


/*
 * An alternative reading leads into a directory, where the file system fails:
 * this directory counts as absent.
 */
TEST(test_alternative_io_error)
{
    size_t n, moved = 0;

    for (n = 1; n < 50; n++) {
        find_init("/%C9%BD/%C9%BD", "euc-jp", "", N);
        core_put(&core, S("/srv/" HYO "/x"));
        core.io_fail_at = n;
        core.io_fail_on = 1;
        core_find(&find);

        if (core.stats + core.lists < n) {
            assert_int_equal(find.found.verdict, IRI_RESTART);
            moved++;

        } else {
            assert_int_equal(find.found.verdict, IRI_PASS);
            assert_int_equal(find.found.why, IRI_WHY_ERROR);
            assert_str(find.found.path, find.search.path);
        }
    }

    assert_true(moved > 0 && moved < 49);
}


/* ---- limits of finding -------------------------------------------------- */

/* The octets of the n-th candidate for a name; len 0: there are fewer. */
static iri_str_t
candidate(iri_str_t name, size_t n)
{
    iri_buf_t variant = { NULL, 0, 0 }, octets = { NULL, 0, 0 };
    iri_str_t none = { 0, NULL };
    size_t    k;
    int       way, written, differs = 1;

    for (way = -1; way < 2; way++) {
        if (way >= 0) {
            assert_ok(
                iri_name_variant(&core.env, name, way, &variant, &differs));
        } else {
            assert_ok(iri_buf_put(&core.env, &variant, name.data, name.len));
        }

        for (k = 0; differs && k < IRI_WAYS(&find.tree); k++) {
            assert_ok(iri_name_write(&core.env, &find.tree,
                                     iri_buf_str(&variant), k, &octets,
                                     &written));

            if (written && n-- == 0) {
                return iri_buf_str(&octets);
            }
        }
    }

    return none;
}


/* Of the encodings of one name, the first eight are looked up. */
TEST(test_lookups_of_a_segment)
{
    /* U+301C and U+FF5E, so no variant equals the name; U+304C */
    static const char target[] = "/%E3%80%9C%EF%BD%9E%E3%81%8C";
    unsigned char     path[64];
    iri_str_t         octets;
    size_t            n;

    for (n = 0;; n++) {
        find_init(target, "", "utf-8 euc-jp sjis gb18030", N | V);
        octets = candidate(iri_str_from(find.reading.path, 1), n);

        if (octets.len == 0) {
            break;
        }

        memcpy(path, "/srv/", 5);
        memcpy(path + 5, octets.data, octets.len);
        core_put(&core, (iri_str_t){ 5 + octets.len, path });
        core_find(&find);
        assert_int_equal(find.found.verdict == IRI_SERVE
                             || find.found.verdict == IRI_RESTART,
                         n < IRI_MAX_CANDIDATES);
    }

    assert_true(n > IRI_MAX_CANDIDATES);
}


/* Names of a directory that need normalization: at most 64 KiB of them. */
TEST(test_names_to_normalize)
{
    enum { LONG = 250, ENOUGH = 64 * 1024 / LONG + 1 };
    char   path[5 + LONG + 1];
    size_t count, i;

    for (count = ENOUGH; count <= ENOUGH + 1; count++) {
        find_init("/%E1%BA%AD", "", "", N);
        core.env.trace = 1;
        find.search.reading = NULL;

        for (i = 0; i < count; i++) {
            memset(path, 'x', sizeof(path));
            snprintf(path, sizeof(path), "/srv/\xc3\xa2\xcc\xa3%06u",
                     (unsigned) i);
            path[strlen(path)] = 'x';
            path[sizeof(path) - 1] = '\0';
            core_put(&core, core_str(path));
        }

        /* The requested name itself. */
        memmove(path + 8, path + 9, sizeof(path) - 9);
        memcpy(path + 5, "\xe1\xba\xad", 3);
        find.search.path = core_str(path + 4);
        core_find(&find);
        assert_int_equal(find.found.verdict,
                         count == ENOUGH ? IRI_SERVE : IRI_PASS);
    }
}


/*
 * The root is a file, as with alias, and all of the path follows it; with a
 * slash at its end its kind is unknown.
 */
TEST(test_root_is_file)
{
    int slash;

    for (slash = 0; slash < 2; slash++) {
        find_init("/%C3%A9", "", "", N);
        core_put(&core, S("/srv/file"));
        find.search.root = slash ? S("/srv/file/") : S("/srv/file");
        core_find(&find);
        assert_int_equal(find.found.verdict, slash ? IRI_PASS : IRI_SERVE);
        assert_int_equal(find.found.why,
                         slash ? IRI_WHY_ERROR : IRI_WHY_FOUND);
    }
}


/* ---- dividing ----------------------------------------------------------- */

/* The file system fails: the existence of the entry is unknown. */
TEST(test_split_error)
{
    iri_str_t filename, path_info;
    size_t    n;

    for (n = 1; n < 4; n++) {
        find_init("/%C3%A9/a/b", "", "", N);
        core_put(&core, S("/srv/" E_ACUTE));
        core_find(&find);
        assert_str(find.found.filename, S("/srv/" E_ACUTE "/a/b"));

        core.stats = core.lists = 0;
        core.io_fail_at = n;
        assert_int_equal(iri_found_split(&core.env, &find.search, &find.found,
                                         &filename, &path_info),
                         IRI_IO_FAILED);
    }
}


/* The root does not exist: it is not shortened, and the search for it ends. */
TEST(test_split_no_root)
{
    iri_str_t filename, path_info;

    find_init("/%C3%A9/a", "", "", N);
    find.search.root = S("/nowhere");
    core_find(&find);
    assert_ok(iri_found_split(&core.env, &find.search, &find.found, &filename,
                              &path_info));
    assert_str(filename, S("/nowhere"));
    assert_str(path_info, S("/" E_ACUTE "/a"));
}


/* ---- directories -------------------------------------------------------- */

/* Only the listing would find the entry, which is not in the declared form. */
TEST(test_declared_form)
{
    static const struct {
        iri_filename_form_t names;
        unsigned            match;
    } cases[] = { { IRI_FILENAME_NFC, N },
                  { IRI_FILENAME_NFD, N },
                  { IRI_FILENAME_ANY, IRI_FOLD_EXACT_ONLY } };
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        find_init("/%E1%BA%AD", "", "utf-8 euc-jp", N);
        core_put(&core, S("/srv/\xc3\xa2\xcc\xa3"));
        find.tree.names = cases[i].names;
        find.tree.match = cases[i].match;
        core_find(&find);
        assert_int_equal(find.found.verdict, IRI_PASS);
        assert_int_equal(core.lists, 0);
    }
}


/* The owner has set the mtime of a directory to the past while it changes. */
TEST(test_old_mtime)
{
    struct timespec wait = { 0, 150 * 1000 * 1000 }, now;

    find_init("/%E1%BA%AD", "", "", N);
    find.search.cache = core_cache(65536);
    assert_non_null(find.search.cache);
    clock_gettime(CLOCK_REALTIME, &now);
    core_node(&core, S("/srv"))->node.ctime = (int64_t) now.tv_sec
                                                  * 1000000000
                                              + now.tv_nsec;

    core_find(&find);
    nanosleep(&wait, NULL);
    core_find(&find);
    assert_int_equal(core.lists, 2);
}


/* A name longer than any segment is skipped, and the others are found. */
TEST(test_very_long_entry)
{
    static char path[6 + 3 * 400 + 1];
    size_t      i;

    strcpy(path, "/srv/");

    for (i = 0; i < 400; i++) {
        core_append(path, E_NFD);
    }

    find_init("/%E1%BA%AD", "", "", N);
    core_put(&core, core_str(path));
    core_put(&core, S("/srv/\xc3\xa2\xcc\xa3"));
    core_find(&find);
    assert_int_equal(find.found.verdict, IRI_SERVE);
    assert_str(find.found.filename, S("/srv/\xc3\xa2\xcc\xa3"));
}


/* The error of a directory that cannot be listed, with trace. */
static iri_status_t list_status;

static iri_status_t
not_listed(void *ctx, const char *path, iri_node_t *node, iri_dir_each_t each,
           void *arg)
{
    memset(node, 0, sizeof(*node));

    return list_status;
}


TEST(test_not_listed)
{
    int cached;

    for (cached = 0; cached < 4; cached++) {
        list_status = cached < 2 ? IRI_NOT_LISTED : IRI_IO_FAILED;
        find_init("/%E1%BA%AD", "", "", N);
        core_put(&core, S("/srv/\xc3\xa2\xcc\xa3"));
        core.dir.list = not_listed;
        core.env.trace = 1;
        find.search.cache = cached % 2 ? core_cache(4096) : NULL;
        core_find(&find);
        assert_int_equal(find.found.verdict, IRI_PASS);
        assert_int_equal(find.found.why,
                         cached < 2 ? IRI_WHY_ABSENT : IRI_WHY_ERROR);
        assert_non_null(strstr(core.log, iri_status_text(list_status)));
        core_cache_free(find.search.cache);
    }
}


/* ---- names that are encoded ---------------------------------------------- */

/* A name that starts with begin, followed by n times the other text. */
static void
check_encoded(const char *label, const char *begin, const char *more,
              size_t count, int want)
{
    iri_tree_conf_t tree = core_tree(label, IRI_FILENAME_ANY, N);
    iri_buf_t       out = IRI_BUF_EMPTY;
    char            octets[3 * IRI_MAX_SEGMENT];
    iri_str_t       name;
    size_t          i;
    int             written;

    snprintf(octets, sizeof(octets), "%s", begin);

    for (i = 0; i < count; i++) {
        core_append(octets, more);
    }

    name = core_str(octets);

    core_init(&core);
    assert_ok(iri_name_write(&core.env, &tree, name, 0, &out, &written));
    assert_int_equal(written, want);
}


/* A name that could not be decoded again is not encoded. */
TEST(test_encoded)
{
    /* U+1200 has four octets. */
    check_encoded("gb18030", "", "\xe1\x88\x80", IRI_MAX_SEGMENT / 4, 1);
    check_encoded("gb18030", "", "\xe1\x88\x80", IRI_MAX_SEGMENT / 4 + 1, 0);
    /* U+FFFD is decoded in UTF-8 only. */
    check_encoded("gb18030", "\xef\xbf\xbd", "", 0, 0);
    /* U+1EA5 is encoded with a tone mark, which is one octet more. */
    check_encoded("windows-1258", "\xe1\xba\xa5", "\xcc\x81",
                  IRI_MAX_MARKS - 1, 1);
    check_encoded("windows-1258", "\xe1\xba\xa5", "\xcc\x81", IRI_MAX_MARKS,
                  0);
}
