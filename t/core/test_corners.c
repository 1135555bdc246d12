/*
 * test_corners.c - where the other tests of the core do not come by
 *
 * Proves: what coverage and mutants of the checks showed to be untested.  Each
 * test says which corner it is.
 */

#include <stdlib.h>
#include <time.h>

#include "core.h"

#define N IRI_FOLD_NORMALIZATION
#define V IRI_FOLD_VARIANTS

#define E_ACUTE "\xc3\xa9"
#define E_NFD   "e\xcc\x81"
#define HYO     "\xe8\xa1\xa8" /* U+8868, EUC-JP C9BD */

/* A request, what it is to be looked for under /srv, and what was found. */
typedef struct {
    core_t              core;
    iri_reading_conf_t  conf;
    iri_tree_conf_t     tree;
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_search_t        search;
    iri_found_t         found;
    unsigned char       octets[IRI_MAX_PATH];
} corner_t;


static void
corner_init(corner_t *r, const char *target, const char *charsets,
            const char *tree, unsigned match)
{
    memset(r, 0, sizeof(*r));
    core_init(&r->core);
    core_put(&r->core, S("/srv/"));

    r->conf.charsets = core_charsets(charsets);
    r->conf.invalid = IRI_INVALID_PASS;
    r->tree.charsets = core_charsets(tree);
    r->tree.names = IRI_FILENAME_ANY;
    r->tree.match = match;
    iri_tree_conf_finish(&r->conf, &r->tree);

    r->request.target = core_str(target);
    r->request.path = core_unescape(r->request.target, r->octets);
    assert_int_equal(
        iri_read(&r->core.env, &r->conf, &r->request, &r->reading), IRI_OK);

    r->search.tree = &r->tree;
    r->search.root = S("/srv");
    r->search.path = r->reading.path;
    r->search.reading = &r->reading;
}


static void
corner_find(corner_t *r)
{
    assert_int_equal(iri_find(&r->core.env, &r->search, &r->found), IRI_OK);
}


/* ---- finding ------------------------------------------------------------ */

/* A name that only starts with a dot is no dot-segment. */
static void
test_dot_files(void **state)
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
    corner_t r;
    size_t   i;

    (void) state;

    corner_init(&r, "/", "", "", N);
    core_put(&r.core, S("/srv/.a/" E_ACUTE));
    core_put(&r.core, S("/srv/a./" E_ACUTE));
    core_put(&r.core, S("/srv/.../" E_ACUTE));
    core_put(&r.core, S("/srv/a/" E_ACUTE));
    core_put(&r.core, S("/srv/" E_ACUTE "/x"));
    r.search.reading = NULL;

    for (i = 0; i < COUNT(cases); i++) {
        r.search.path = core_str(cases[i].path);
        corner_find(&r);
        assert_int_equal(r.found.verdict, cases[i].verdict);
    }

    core_free(&r.core);
}


/*
 * A rule has put another path into the place of what was read: the octets of
 * the request are none of its business.
 */
static void
test_rewritten(void **state)
{
    static const char *const paths[] = {
        "/\xca\xbe",        /* another name, as long */
        "/x\xc9\xbd",       /* another segment, which ends the same */
        "/x/\xc9\xbd/long", /* a longer one */
        "/\xc9\xbd/y",
    };
    corner_t r;
    size_t   i;

    (void) state;

    corner_init(&r, "/%C9%BD", "euc-jp", "", N);
    core_put(&r.core, S("/srv/" HYO "/y"));

    /* It would be found as it was read. */
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_RESTART);
    assert_str(r.found.path, S("/" HYO));

    for (i = 0; i < COUNT(paths); i++) {
        r.search.path = core_str(paths[i]);
        corner_find(&r);
        assert_int_equal(r.found.verdict, IRI_PASS);
        assert_str(r.found.path, r.search.path);
    }

    core_free(&r.core);
}


/* The path of files that a rule made may start within a segment. */
static void
test_border(void **state)
{
    corner_t r;

    (void) state;

    corner_init(&r, "/a%C9%BD", "euc-jp", "", N);
    core_put(&r.core, S("/srv/" HYO));
    core_put(&r.core, S("/srv/a" HYO));
    r.search.root = S("/srv/");
    r.search.path = S("\xc9\xbd");
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);

    core_free(&r.core);

    /* From a border on, it is the request's own. */
    corner_init(&r, "/a/%C9%BD", "euc-jp", "", N);
    core_put(&r.core, S("/srv/" HYO));
    r.search.root = S("/srv/");
    r.search.path = S("\xc9\xbd");
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_RESTART);
    assert_str(r.found.path, S(HYO));

    core_free(&r.core);
}


/* What was read was ASCII, or could not be read, and is something else now. */
static void
test_no_octets(void **state)
{
    static const char *const targets[] = { "/a", "/%FF%FF" };
    corner_t                 r;
    size_t                   i;

    (void) state;

    for (i = 0; i < COUNT(targets); i++) {
        corner_init(&r, targets[i], "euc-jp", "", N);
        core_put(&r.core, S("/srv/" HYO));
        core_put(&r.core, S("/srv/\xca\xbe"));

        r.search.path = S("/\xc9\xbd");
        corner_find(&r);
        assert_int_equal(r.found.verdict, IRI_PASS);

        r.search.path = S("/\xca\xbe");
        corner_find(&r);
        assert_int_equal(r.found.verdict, IRI_SERVE);

        core_free(&r.core);
    }
}


/* A path that is longer than what was read is not its tail. */
static void
test_longer_path(void **state)
{
    static const char text[] = "/x/\xc9\xbd";
    corner_t          r;

    (void) state;

    corner_init(&r, "/%C9%BD", "euc-jp", "", N);
    core_put(&r.core, S("/srv/" HYO));

    /* As if what is read before its start were the rest of the path. */
    r.reading.path = iri_str_from(core_str(text), 2);
    r.search.path = core_str(text);
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);
    assert_str(r.found.path, core_str(text));

    core_free(&r.core);
}


/* A path that a rule made, not canonical: its entry has another path. */
static void
test_uncanonical(void **state)
{
    corner_t r;
    int      with_reading;

    (void) state;

    for (with_reading = 0; with_reading < 2; with_reading++) {
        corner_init(&r, "/%C3%A9", "", "", N);
        core_put(&r.core, S("/srv/" E_NFD));
        r.search.path = S("/" E_NFD);

        if (!with_reading) {
            r.search.reading = NULL;
        }

        corner_find(&r);
        assert_int_equal(r.found.verdict, IRI_RESTART);
        assert_str(r.found.path, S("/" E_ACUTE));
        assert_str(r.found.filename, S("/srv/" E_NFD));

        core_free(&r.core);
    }
}


/* U+00A2 has a variant of three octets: 512 of them are over the limit. */
static void
test_grown_variant(void **state)
{
    char     path[1 + 1024 + 1];
    corner_t r;
    size_t   count, i;

    (void) state;

    for (count = 340; count <= 512; count += 172) {
        strcpy(path, "/");

        for (i = 0; i < count; i++) {
            core_append(path, "\xc2\xa2");
        }

        corner_init(&r, path, "", "euc-jp", N | V);
        corner_find(&r);
        assert_true(r.found.verdict != IRI_SERVE);
        assert_true(r.found.verdict != IRI_RESTART);
        assert_str(r.found.path, core_str(path));
        core_free(&r.core);
    }
}


/*
 * A bidi character that came percent-encoded beside one that came raw: further
 * readings cannot tell them apart and take neither.
 */
static void
test_no_mixed_rest(void **state)
{
    corner_t r;

    (void) state;

    corner_init(&r, "/" E_ACUTE "/%E2%80%8E", "euc-jp", "", N);
    assert_int_equal(r.reading.form, IRI_FORM_MIXED);
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);
    assert_int_equal(r.found.why, IRI_WHY_ABSENT);
    assert_str(r.found.filename, S("/srv/" E_ACUTE "/\xe2\x80\x8e"));

    /* Nor where the first segment is there, in EUC-JP. */
    core_put(&r.core, S("/srv/\xe8\xbe\xbf/"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);
    assert_int_equal(r.found.why, IRI_WHY_ABSENT);

    core_free(&r.core);
}


/*
 * An alternative reading leads into a directory, and there the file system fails:
 * that directory is no better than none.
 */
static void
test_stopped_further(void **state)
{
    corner_t r;
    size_t   n, moved = 0;

    (void) state;

    for (n = 1; n < 50; n++) {
        corner_init(&r, "/%C9%BD/%C9%BD", "euc-jp", "", N);
        core_put(&r.core, S("/srv/" HYO "/x"));
        r.core.io_fail_at = n;
        r.core.io_fail_on = 1;
        corner_find(&r);

        if (r.core.stats + r.core.lists < n) {
            assert_int_equal(r.found.verdict, IRI_RESTART);
            moved++;

        } else {
            assert_int_equal(r.found.verdict, IRI_PASS);
            assert_int_equal(r.found.why, IRI_WHY_ERROR);
            assert_str(r.found.path, r.search.path);
        }

        core_free(&r.core);
    }

    assert_true(moved > 0 && moved < 49);
}


/*
 * Two directories bear the octets of the request, in one reading and in the
 * other, equally long on disk.  The first has nothing more to tell, and what
 * is below the second is no business of the request.
 */
static void
test_other_directory(void **state)
{
    corner_t r;

    (void) state;

    /* CE B1 is U+03B1, in EUC-JP A6 C1, and in EUC-JP a kanji. */
    corner_init(&r, "/%CE%B1/%CE%B1", "euc-jp", "euc-jp", N);
    core_put(&r.core, S("/srv/\xce\xb1/\xce\xb1"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_RESTART);

    core_put(&r.core, S("/srv/\xa6\xc1/"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);
    assert_int_equal(r.found.why, IRI_WHY_ABSENT);
    assert_str(r.found.filename, S("/srv/\xa6\xc1/\xa6\xc1"));

    core_free(&r.core);
}


/* The second directory's octets only start as the first's do. */
static void
test_longer_directory(void **state)
{
    corner_t r;

    (void) state;

    /* D0 A0 is U+0420, and in windows-1251 U+0420 U+00A0. */
    corner_init(&r, "/%D0%A0/%D0%A0", "windows-1251", "", N);
    core_put(&r.core, S("/srv/\xd0\xa0\xc2\xa0/\xd0\xa0\xc2\xa0"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_RESTART);

    core_put(&r.core, S("/srv/\xd0\xa0/"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);
    assert_int_equal(r.found.why, IRI_WHY_ABSENT);

    core_free(&r.core);
}


/*
 * An alternative reading leads into a directory, in which nothing can have the name
 * that follows: it does not stand in the way of one that leads on.
 */
static void
test_refused_further(void **state)
{
    corner_t r;

    (void) state;

    /* In windows-1251 A5 is U+0490, which EUC-JP cannot write. */
    corner_init(&r, "/%D0%B0/%C3%A5", "windows-1251", "euc-jp", N);
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);

    core_put(&r.core, S("/srv/\xa7\xb2\xa1\xeb/"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_RESTART);
    assert_int_equal(r.found.why, IRI_WHY_MIXED);
    assert_str(r.found.path, S("/\xd0\xa0\xc2\xb0/\xc3\xa5"));

    core_free(&r.core);
}


/* Two alternative readings, both of an entry: the charset that is named first. */
static void
test_order_of_charsets(void **state)
{
    static const struct {
        const char *charsets;
        const char *path;
    } cases[] = {
        { "euc-jp windows-1251", "/" HYO },
        { "windows-1251 euc-jp", "/\xd0\x99\xd0\x85" },
    };
    corner_t r;
    size_t   i;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        corner_init(&r, "/%C9%BD", cases[i].charsets, "", N);
        core_put(&r.core, core_str("/srv/" HYO));
        core_put(&r.core, core_str("/srv/\xd0\x99\xd0\x85"));
        corner_find(&r);
        assert_int_equal(r.found.verdict, IRI_RESTART);
        assert_str(r.found.path, core_str(cases[i].path));
        core_free(&r.core);
    }
}


/* A declared tree spares the look for what has one reading, and no other. */
static void
test_declared_legacy(void **state)
{
    static const struct {
        const char   *charsets;
        iri_verdict_t verdict;
    } cases[] = {
        { "euc-jp", IRI_PASS }, /* U+3042 */
        { "windows-1251 euc-jp", IRI_RESTART },
    };
    corner_t r;
    size_t   i;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        corner_init(&r, "/%A4%A2", cases[i].charsets, "", N);
        r.tree.names = IRI_FILENAME_NFC;
        core_put(&r.core, S("/srv/\xe3\x81\x82"));
        assert_int_equal(r.reading.form, IRI_FORM_LEGACY);
        corner_find(&r);
        assert_int_equal(r.found.verdict, cases[i].verdict);
        assert_int_equal(r.core.stats == 0, cases[i].verdict == IRI_PASS);
        assert_str(r.found.path, S("/\xe3\x81\x82"));
        core_free(&r.core);
    }
}


/* Entries of one name that only the list tells: by octets, in any order. */
static void
test_order_of_twins(void **state)
{
    static const char *const twins[] = { "a\xcc\x82\xcc\xa3",
                                         "\xc3\xa2\xcc\xa3" };
    char                     path[64];
    corner_t                 r;
    size_t                   i, first;

    (void) state;

    for (first = 0; first < COUNT(twins); first++) {
        corner_init(&r, "/%E1%BA%AD", "", "", N);

        for (i = 0; i < COUNT(twins); i++) {
            snprintf(path, sizeof(path), "/srv/%s",
                     twins[(i + first) % COUNT(twins)]);
            core_put(&r.core, core_str(path));
        }

        corner_find(&r);
        assert_int_equal(r.found.verdict, IRI_SERVE);
        assert_str(r.found.filename, S("/srv/a\xcc\x82\xcc\xa3"));
        core_free(&r.core);
    }
}


/* ---- limits of finding -------------------------------------------------- */

/* The octets of the n-th candidate for a name; len 0: there are fewer. */
static iri_str_t
candidate(corner_t *r, iri_str_t name, size_t n)
{
    iri_buf_t variant = { NULL, 0, 0 }, octets = { NULL, 0, 0 };
    iri_str_t none = { 0, NULL };
    size_t    k;
    int       way, written, differs = 1;

    for (way = -1; way < 2; way++) {
        if (way >= 0) {
            assert_int_equal(
                iri_name_variant(&r->core.env, name, way, &variant, &differs),
                IRI_OK);
        } else {
            assert_int_equal(
                iri_buf_put(&r->core.env, &variant, name.data, name.len),
                IRI_OK);
        }

        for (k = 0; differs && k < IRI_WAYS(&r->tree); k++) {
            assert_int_equal(iri_name_write(&r->core.env, &r->tree,
                                            iri_buf_str(&variant), k, &octets,
                                            &written),
                             IRI_OK);

            if (written && n-- == 0) {
                return iri_buf_str(&octets);
            }
        }
    }

    return none;
}


/* Of the ways to write one name, the first eight are looked for. */
static void
test_looks_of_a_segment(void **state)
{
    /* U+301C and U+FF5E, so neither way of the pairs is the name, U+304C */
    static const char target[] = "/%E3%80%9C%EF%BD%9E%E3%81%8C";
    corner_t          r;
    unsigned char     path[64];
    iri_str_t         octets;
    size_t            n;

    (void) state;

    for (n = 0;; n++) {
        corner_init(&r, target, "", "utf-8 euc-jp sjis gb18030", N | V);
        octets = candidate(&r, iri_str_from(r.reading.path, 1), n);

        if (octets.len == 0) {
            core_free(&r.core);
            break;
        }

        memcpy(path, "/srv/", 5);
        memcpy(path + 5, octets.data, octets.len);
        core_put(&r.core, (iri_str_t){ 5 + octets.len, path });
        corner_find(&r);
        assert_int_equal(r.found.verdict == IRI_SERVE
                             || r.found.verdict == IRI_RESTART,
                         n < IRI_MAX_CANDIDATES);
        core_free(&r.core);
    }

    assert_true(n > IRI_MAX_CANDIDATES);
}


/* Candidates of a request: at the limit, and one more. */
static void
test_looks_of_a_request(void **state)
{
    corner_t r;
    char     target[512], path[512];
    size_t   i, more;

    (void) state;

    for (more = 0; more < 2; more++) {
        strcpy(target, "");
        strcpy(path, "/srv");

        for (i = 0; i < IRI_MAX_REQUEST_CANDIDATES / 2; i++) {
            core_append(target, "/%C3%A9");
            core_append(path, "/" E_NFD); /* the second look finds it */
        }

        if (more) {
            core_append(target, "/%C3%A9");
            core_append(path, "/" E_ACUTE); /* the first */
        }

        corner_init(&r, target, "", "", N);
        core_put(&r.core, core_str(path));
        corner_find(&r);
        assert_int_equal(r.found.verdict, more ? IRI_PASS : IRI_SERVE);
        assert_int_equal(r.found.why, more ? IRI_WHY_BUDGET : IRI_WHY_FOUND);
        core_free(&r.core);
    }
}


/* Directories read for a request: four of them, and one more. */
static void
test_lists_of_a_request(void **state)
{
    corner_t r;
    char     target[256] = "", path[256] = "/srv";
    size_t   depth;

    (void) state;

    for (depth = 1; depth <= IRI_MAX_DIRECTORIES_READ + 1; depth++) {
        core_append(target, "/%E1%BA%AD");
        core_append(path, "/\xc3\xa2\xcc\xa3"); /* only the list tells it */

        corner_init(&r, target, "", "", N);
        core_put(&r.core, core_str(path));
        corner_find(&r);
        assert_int_equal(r.found.verdict, depth <= IRI_MAX_DIRECTORIES_READ
                                              ? IRI_SERVE
                                              : IRI_PASS);
        core_free(&r.core);
    }
}


/* Names of a directory that have to be looked at closely: 64 KiB of them. */
static void
test_close_looks(void **state)
{
    enum { LONG = 250, ENOUGH = 64 * 1024 / LONG + 1 };
    corner_t r;
    char     path[5 + LONG + 1];
    size_t   count, i;

    (void) state;

    for (count = ENOUGH; count <= ENOUGH + 1; count++) {
        corner_init(&r, "/%E1%BA%AD", "", "", N);
        r.core.env.trace = 1;
        r.search.reading = NULL;

        for (i = 0; i < count; i++) {
            memset(path, 'x', sizeof(path));
            snprintf(path, sizeof(path), "/srv/\xc3\xa2\xcc\xa3%06u",
                     (unsigned) i);
            path[strlen(path)] = 'x';
            path[sizeof(path) - 1] = '\0';
            core_put(&r.core, core_str(path));
        }

        /* The same as it is asked for. */
        memmove(path + 8, path + 9, sizeof(path) - 9);
        memcpy(path + 5, "\xe1\xba\xad", 3);
        r.search.path = core_str(path + 4);
        corner_find(&r);
        assert_int_equal(r.found.verdict,
                         count == ENOUGH ? IRI_SERVE : IRI_PASS);
        core_free(&r.core);
    }
}


/*
 * The root is a file, as alias may have it, and all of the path follows it;
 * with a slash behind it there is no telling what it is.
 */
static void
test_root_is_file(void **state)
{
    corner_t r;
    int      slash;

    (void) state;

    for (slash = 0; slash < 2; slash++) {
        corner_init(&r, "/%C3%A9", "", "", N);
        core_put(&r.core, S("/srv/file"));
        r.search.root = slash ? S("/srv/file/") : S("/srv/file");
        corner_find(&r);
        assert_int_equal(r.found.verdict, slash ? IRI_PASS : IRI_SERVE);
        assert_int_equal(r.found.why, slash ? IRI_WHY_ERROR : IRI_WHY_FOUND);
        core_free(&r.core);
    }
}


/* ---- dividing ----------------------------------------------------------- */

/* The file system fails: what is there is not known. */
static void
test_split_error(void **state)
{
    corner_t  r;
    iri_str_t filename, path_info;
    size_t    n;

    (void) state;

    for (n = 1; n < 4; n++) {
        corner_init(&r, "/%C3%A9/a/b", "", "", N);
        core_put(&r.core, S("/srv/" E_ACUTE));
        corner_find(&r);
        assert_str(r.found.filename, S("/srv/" E_ACUTE "/a/b"));

        r.core.stats = r.core.lists = 0;
        r.core.io_fail_at = n;
        assert_int_equal(iri_found_split(&r.core.env, &r.search, &r.found,
                                         &filename, &path_info),
                         IRI_IO_FAILED);
        core_free(&r.core);
    }
}


/* There is no root: it is not cut, and the search for it ends. */
static void
test_split_no_root(void **state)
{
    corner_t  r;
    iri_str_t filename, path_info;

    (void) state;

    corner_init(&r, "/%C3%A9/a", "", "", N);
    r.search.root = S("/nowhere");
    corner_find(&r);
    assert_int_equal(iri_found_split(&r.core.env, &r.search, &r.found,
                                     &filename, &path_info),
                     IRI_OK);
    assert_str(filename, S("/nowhere"));
    assert_str(path_info, S("/" E_ACUTE "/a"));

    core_free(&r.core);
}


/* ---- directories -------------------------------------------------------- */

/* Only the list would tell the entry, and it is not in the declared form. */
static void
test_declared_form(void **state)
{
    static const struct {
        iri_filename_form_t names;
        unsigned            match;
    } cases[] = { { IRI_FILENAME_NFC, N },
                  { IRI_FILENAME_NFD, N },
                  { IRI_FILENAME_ANY, IRI_FOLD_EXACT_ONLY } };
    corner_t r;
    size_t   i;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        corner_init(&r, "/%E1%BA%AD", "", "utf-8 euc-jp", N);
        core_put(&r.core, S("/srv/\xc3\xa2\xcc\xa3"));
        r.tree.names = cases[i].names;
        r.tree.match = cases[i].match;
        corner_find(&r);
        assert_int_equal(r.found.verdict, IRI_PASS);
        assert_int_equal(r.core.lists, 0);
        core_free(&r.core);
    }
}


/*
 * ED A1 is a twin in Shift_JIS, so no name on disk; in EUC-KR it is U+F9F7, a
 * name that NFC changes.
 */
static void
test_twin_in_entry(void **state)
{
    corner_t r;

    (void) state;

    corner_init(&r, "/%E7%AB%8B", "", "sjis euc-kr", N);
    core_put(&r.core, S("/srv/\xed\xa1"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_SERVE);
    assert_str(r.found.filename, S("/srv/\xed\xa1"));
    core_free(&r.core);
}


/* Two entries of one name, which only the list tells: by charset first. */
static void
test_charsets_of_twins(void **state)
{
    corner_t r;

    (void) state;

    /* U+F9F7 in UTF-8 and in EUC-KR, U+7ACB in NFC */
    corner_init(&r, "/%E7%AB%8B", "", "utf-8 euc-kr", N);
    core_put(&r.core, S("/srv/\xed\xa1"));
    corner_find(&r);
    assert_str(r.found.filename, S("/srv/\xed\xa1"));
    core_put(&r.core, S("/srv/\xef\xa7\xb7"));
    corner_find(&r);
    assert_str(r.found.filename, S("/srv/\xef\xa7\xb7"));
    core_free(&r.core);
}


/* What was read in one charset tells nothing of another. */
static void
test_cache_of_charsets(void **state)
{
    corner_t r;

    (void) state;

    corner_init(&r, "/%E7%AB%8B", "", "gbk", N);
    core_put(&r.core, S("/srv/\xed\xa1"));
    r.search.cache = iri_index_cache_create(
        &(iri_index_cache_conf_t){ .size = 65536 });
    assert_non_null(r.search.cache);
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);

    r.tree.charsets = core_charsets("euc-kr");
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_SERVE);
    assert_str(r.found.filename, S("/srv/\xed\xa1"));

    iri_index_cache_destroy(r.search.cache);
    core_free(&r.core);
}


/* What would take more than all of the cache is not kept. */
static void
test_more_than_the_cache(void **state)
{
    enum { SIZE = 16 * 1024, LONG = 200 };
    corner_t r;
    char     path[5 + LONG + 1];
    size_t   entries, i;

    (void) state;

    for (entries = 4; entries <= 80; entries += 76) {
        corner_init(&r, "/%E1%BA%AD", "", "", N);
        r.search.cache = iri_index_cache_create(
            &(iri_index_cache_conf_t){ .size = SIZE });
        assert_non_null(r.search.cache);

        for (i = 0; i < entries; i++) {
            memset(path, 'x', sizeof(path));
            memcpy(path, "/srv/\xc3\xa2\xcc\xa3", 9);
            path[9] = (char) ('0' + i);
            path[sizeof(path) - 1] = '\0';
            core_put(&r.core, core_str(path));
        }

        corner_find(&r);
        corner_find(&r);

        /* Once, too, where that has taken so long that it is not done twice. */
        assert_in_range(r.core.lists, 1, entries == 4 ? 1 : 2);
        iri_index_cache_destroy(r.search.cache);
        core_free(&r.core);
    }
}


/* The same inode of two file systems. */
static void
test_two_devices(void **state)
{
    corner_t     r;
    core_node_t *a, *b;

    (void) state;

    corner_init(&r, "/%E1%BA%AD", "", "", N);
    core_put(&r.core, S("/srv/a/x"));
    core_put(&r.core, S("/srv/b/\xc3\xa2\xcc\xa3"));
    a = core_node(&r.core, S("/srv/a"));
    b = core_node(&r.core, S("/srv/b"));
    b->node.ino = a->node.ino;
    b->node.dev = a->node.dev + 1;

    r.search.cache = iri_index_cache_create(
        &(iri_index_cache_conf_t){ .size = 1 }); /* one slot */
    assert_non_null(r.search.cache);
    r.search.root = S("/srv/a");
    corner_find(&r);
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_PASS);
    assert_int_equal(r.core.lists, 1);

    r.search.root = S("/srv/b");
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_SERVE);

    iri_index_cache_destroy(r.search.cache);
    core_free(&r.core);
}


/* Its owner has set a directory's mtime to the past, while it changes. */
static void
test_old_mtime(void **state)
{
    struct timespec wait = { 0, 150 * 1000 * 1000 }, now;
    corner_t        r;

    (void) state;

    corner_init(&r, "/%E1%BA%AD", "", "", N);
    r.search.cache = iri_index_cache_create(
        &(iri_index_cache_conf_t){ .size = 65536 });
    assert_non_null(r.search.cache);
    clock_gettime(CLOCK_REALTIME, &now);
    core_node(&r.core, S("/srv"))->node.ctime = (int64_t) now.tv_sec
                                                    * 1000000000
                                                + now.tv_nsec;

    corner_find(&r);
    nanosleep(&wait, NULL);
    corner_find(&r);
    assert_int_equal(r.core.lists, 2);

    iri_index_cache_destroy(r.search.cache);
    core_free(&r.core);
}


/* A name longer than any segment is passed by, and the others are found. */
static void
test_very_long_entry(void **state)
{
    static char path[6 + 3 * 400 + 1];
    corner_t    r;
    size_t      i;

    (void) state;

    strcpy(path, "/srv/");

    for (i = 0; i < 400; i++) {
        core_append(path, E_NFD);
    }

    corner_init(&r, "/%E1%BA%AD", "", "", N);
    core_put(&r.core, core_str(path));
    core_put(&r.core, S("/srv/\xc3\xa2\xcc\xa3"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_SERVE);
    assert_str(r.found.filename, S("/srv/\xc3\xa2\xcc\xa3"));
    core_free(&r.core);
}


/*
 * C2 85 CE AD are a control and a letter in UTF-8, so no name; in EUC-KR they
 * are U+D61A U+F905, a name that NFC changes and no way of writing gives.
 */
static void
test_control_in_entry(void **state)
{
    corner_t r;

    (void) state;

    corner_init(&r, "/%ED%98%9A%E4%B8%B2", "", "utf-8 euc-kr", N);
    core_put(&r.core, S("/srv/\xc2\x85\xce\xad"));
    corner_find(&r);
    assert_int_equal(r.found.verdict, IRI_SERVE);
    assert_str(r.found.filename, S("/srv/\xc2\x85\xce\xad"));
    core_free(&r.core);
}


/* What a directory that cannot be read, or must not be, says; traced. */
static iri_status_t list_status;

static iri_status_t
not_listed(void *ctx, const char *path, iri_node_t *node, iri_dir_each_t each,
           void *arg)
{
    (void) ctx;
    (void) path;
    (void) each;
    (void) arg;
    memset(node, 0, sizeof(*node));

    return list_status;
}


static void
test_not_listed(void **state)
{
    corner_t  r;
    iri_dir_t dir;
    int       cached;

    (void) state;

    for (cached = 0; cached < 4; cached++) {
        list_status = cached < 2 ? IRI_NOT_LISTED : IRI_IO_FAILED;
        corner_init(&r, "/%E1%BA%AD", "", "", N);
        core_put(&r.core, S("/srv/\xc3\xa2\xcc\xa3"));
        dir = *r.core.env.dir;
        dir.list = not_listed;
        r.core.env.dir = &dir;
        r.core.env.trace = 1;
        r.search.cache = cached % 2 ? iri_index_cache_create(
                             &(iri_index_cache_conf_t){ .size = 4096 })
                                    : NULL;
        corner_find(&r);
        assert_int_equal(r.found.verdict, IRI_PASS);
        assert_int_equal(r.found.why,
                         cached < 2 ? IRI_WHY_ABSENT : IRI_WHY_ERROR);
        assert_non_null(strstr(r.core.log, iri_status_text(list_status)));
        iri_index_cache_destroy(r.search.cache);
        core_free(&r.core);
    }
}


/* ---- reading ------------------------------------------------------------ */

/* U+061C or U+200E raw, and then a target that does not go on. */
static void
test_raw_bidi_cut(void **state)
{
    static const struct {
        const char *path;
        const char *target;
        iri_why_t   why;
    } cases[] = {
        { "/\xd8\x9c", "/\xd8\x9c", IRI_WHY_BIDI },
        { "/\xd8\x9c", "/\xd8", IRI_WHY_READ },
        { "/\xd8\x9c", "/\xd8%", IRI_WHY_READ },
        { "/\xd8\x9c", "/\xd8%9", IRI_WHY_READ },
        { "/\xd8\x9c", "/\xd8%9C", IRI_WHY_BIDI },
        { "/\xe2\x80\x8e", "/\xe2\x80\x8e", IRI_WHY_BIDI },
        { "/\xe2\x80\x8e", "/\xe2%80", IRI_WHY_READ },
        { "/\xe2\x80\x8e", "/\xe2%80%zz", IRI_WHY_READ },
        { "/\xe2\x80\x8e", "/%E2\x80\x8e", IRI_WHY_BIDI },
        { "/\xe2\x80\x8e", "/%E2%80%8E", IRI_WHY_READ },
        { "/\xe1\x80\x8e", "/\xe1\x80\x8e", IRI_WHY_READ },
    };
    core_t              core;
    iri_reading_conf_t  conf;
    iri_received_path_t request;
    iri_reading_t       reading;
    size_t              i;

    (void) state;

    core_init(&core);
    memset(&conf, 0, sizeof(conf));
    memset(&request, 0, sizeof(request));

    for (i = 0; i < COUNT(cases); i++) {
        request.path = core_str(cases[i].path);
        request.target = core_str(cases[i].target);
        assert_int_equal(iri_read(&core.env, &conf, &request, &reading),
                         IRI_OK);
        assert_int_equal(reading.verdict == IRI_REFUSE,
                         cases[i].why == IRI_WHY_BIDI);
    }

    core_free(&core);
}


/* Longer than any legal path in escapes: its escapes are not looked at. */
static void
test_very_long_escaped(void **state)
{
    static unsigned char path[3 * IRI_MAX_PATH + 3];
    core_t               core;
    iri_reading_conf_t   conf;
    iri_received_path_t  request;
    iri_reading_t        reading;
    size_t               i;

    (void) state;

    core_init(&core);
    memset(&conf, 0, sizeof(conf));
    memset(&request, 0, sizeof(request));

    for (i = 0; i < sizeof(path); i++) {
        path[i] = (unsigned char) "%C3%A9/%2Fa/%C3%A9%C3%A9"[i % 24];
    }

    path[0] = '/';
    path[sizeof(path) - 1] = '%';
    request.path.data = path;
    request.escaped = 1;

    /* A bad escape at the end is not reached, or is one. */
    request.path.len = sizeof(path);
    assert_int_equal(iri_read(&core.env, &conf, &request, &reading), IRI_OK);
    assert_int_equal(reading.verdict, IRI_REFUSE);
    assert_int_equal(reading.status, 404);
    assert_int_equal(reading.why, IRI_WHY_LIMIT);
    assert_int_equal(core.allocs, 0);

    path[1] = '%';
    path[2] = 'z';
    request.path.len = 3 * IRI_MAX_PATH;
    assert_int_equal(iri_read(&core.env, &conf, &request, &reading),
                     IRI_BAD_ESCAPE);

    core_free(&core);
}


/* The quick way of reading is not taken where a bidi character is. */
static void
test_inert_is_no_bidi(void **state)
{
    uint32_t c;

    (void) state;

    for (c = 0; c <= 0x10ffff; c++) {
        if (iri_char_is_bidi_control(c)) {
            assert_false(iri_char_is_inert(c));
        }
    }
}


/* An escape that is cut short, though what would complete it is behind. */
static void
test_cut_escapes(void **state)
{
    core_t              core;
    iri_reading_conf_t  conf;
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_status_t        status;
    size_t              len;

    (void) state;

    core_init(&core);
    memset(&conf, 0, sizeof(conf));
    memset(&request, 0, sizeof(request));
    request.escaped = 1;

    for (len = 8; len <= 10; len++) {
        request.path = S("/%C3%A9%41");
        request.path.len = len;
        status = iri_read(&core.env, &conf, &request, &reading);
        assert_int_equal(status,
                         len == 8 || len == 9 ? IRI_BAD_ESCAPE : IRI_OK);
    }

    core_free(&core);
}


/* A segment that is too long as it came or in canonical form, by one octet. */
static void
test_long_segments(void **state)
{
    static const struct {
        const char *charset;
        const char *end; /* behind as many "a" as make it len octets */
        size_t      len;
        int         read;
    } cases[] = {
        { "utf-8", E_NFD, IRI_MAX_SEGMENT, 1 },
        { "utf-8", E_NFD, IRI_MAX_SEGMENT + 1, 0 }, /* canonical: 1024 */
        { "windows-1252", "\xe9", IRI_MAX_SEGMENT - 1, 1 },
        { "windows-1252", "\xe9", IRI_MAX_SEGMENT, 0 }, /* canonical: 1025 */
    };
    static unsigned char octets[IRI_MAX_SEGMENT + 1];
    core_t               core;
    iri_tree_conf_t      tree;
    iri_str_t            name;
    size_t               i, end;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        core_init(&core);
        tree = core_tree(cases[i].charset, IRI_FILENAME_ANY, N);
        end = strlen(cases[i].end);
        memset(octets, 'a', sizeof(octets));
        memcpy(octets + cases[i].len - end, cases[i].end, end);
        assert_int_equal(iri_entry_name(&core.env, &tree,
                                        (iri_str_t){ cases[i].len, octets },
                                        &name),
                         IRI_OK);
        assert_int_equal(name.len != 0, cases[i].read);
        core_free(&core);
    }
}


/* The four octets of gb18030: second to fourth in their ranges. */
static void
test_four_octets(void **state)
{
    static const struct {
        const char *octets;
        size_t      len;
    } cases[] = {
        { "\x81\x30\x84\x32", 4 }, { "\x90\x39\xfe\x39", 4 },
        { "\x81\x30\x81\x30", 0 }, /* U+0080 */
        { "\x81\x2f\x81\x30", 0 }, { "\x81\x3a\x81\x30", 0 },
        { "\x81\x30\x80\x30", 0 }, { "\x81\x30\xff\x30", 0 },
        { "\x81\x30\x81\x2f", 0 }, { "\x81\x30\x81\x3a", 0 },
        { "\x90\x30\x81\x3a", 0 }, { "\xe3\x32\x9a\x33", 4 },
        { "\xe3\x32\x9a\x35", 0 }, /* U+10FFFF */
        { "\xe3\x32\x9a\x36", 0 }, { "\xfe\x39\xfe\x39", 0 },
    };
    const iri_charset_t *charset = core_charset("gb18030");
    const unsigned char *p;
    uint32_t             c;
    size_t               i;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        p = (const unsigned char *) cases[i].octets;
        assert_int_equal(iri_charset_next(charset, p, p + 4, &c),
                         cases[i].len);
    }
}


/* ---- memory ------------------------------------------------------------- */

/* What may ask for memory, whatever room there is in a buffer. */
static iri_status_t
all_of_it(corner_t *r, iri_str_t query, iri_str_t *location)
{
    iri_status_t status;
    iri_str_t    filename, path_info;

    status = iri_find(&r->core.env, &r->search, &r->found);

    if (status == IRI_OK) {
        status = iri_found_split(&r->core.env, &r->search, &r->found,
                                 &filename, &path_info);
    }

    return status == IRI_OK ? core_location(&r->core.env, &r->reading,
                                            r->found.path, &query, location)
                            : status;
}


/* Each allocation fails once. */
static void
check_allocations(const char *target, const char *charsets, const char *tree,
                  const char *root, const char *entry)
{
    char         path[400];
    corner_t     r;
    iri_str_t    location;
    iri_status_t status;
    size_t       n;
    int          failed = 1;

    snprintf(path, sizeof(path), "%s%s", root, entry);

    for (n = 1; failed; n++) {
        corner_init(&r, target, charsets, tree, N | V);
        core_put(&r.core, core_str(path));
        r.search.root = core_str(root);
        r.core.fail_at = r.core.allocs + n;

        status = all_of_it(&r, core_str(root), &location);
        failed = r.core.allocs >= r.core.fail_at;
        assert_int_equal(status, failed ? IRI_NO_MEMORY : IRI_OK);
        core_free(&r.core);
    }
}


/*
 * A buffer grows where its length says so: with roots, paths and queries of
 * each length.
 */
static void
test_every_length(void **state)
{
    static const struct {
        const char *entry; /* below the root */
        const char *target;
        const char *charsets;
        const char *tree;
    } cases[] = {
        { "/" E_NFD "/b", "/%C3%A9/a/" E_ACUTE, "", "" },
        { "/" HYO "/" E_ACUTE, "/%C9%BD/%C3%A9", "euc-jp", "" },
        { "/\xc9\xbd/x", "/%C9%BD/%C3%A9/a", "euc-jp sjis", "euc-jp sjis" },
        { "/\xe1\x80\x80", "/%E1%80%80/%E1%80%80", "euc-jp", "euc-jp" },
        { "/\xc3\xa2\xcc\xa3", "/%E1%BA%AD", "", "" },
        { "/\xe2\x84\xa6", "/%CE%A9", "", "" }, /* longer than NFC, NFD */
        { "/" HYO "/x", "/%C9%BD/x", "euc-jp", "" },
        { "/file", "/" E_ACUTE "/x", "", "" },
    };
    char   root[160], target[400];
    size_t i, len;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        for (len = 1; len < 130; len++) {
            snprintf(root, sizeof(root), "/%0*d", (int) len, 0);
            snprintf(target, sizeof(target), "%s%s/%%C3%%A9", cases[i].target,
                     root);

            check_allocations(cases[i].target, cases[i].charsets,
                              cases[i].tree, root, cases[i].entry);
            check_allocations(target, cases[i].charsets, cases[i].tree, root,
                              cases[i].entry);
        }
    }
}


/* Sentences about words of each length. */
static void
test_every_word(void **state)
{
    core_t          core;
    iri_registry_t *registry;
    iri_charsets_t  list;
    char            word[200];
    iri_str_t       str;
    const char     *why;
    size_t          len, n, allocs;

    (void) state;

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
            core_free(&core);

            if (allocs < core.fail_at) {
                break;
            }

            assert_non_null(strstr(why, "is not a known charset"));
        }
    }
}


/* No path is so long that it cannot be told. */
static void
test_very_long_uri(void **state)
{
    core_t         core;
    iri_str_t      path = { IRI_MAX_BUFFER + 1, NULL }, uri;
    unsigned char *octets = malloc(path.len);

    (void) state;

    assert_non_null(octets);
    core_init(&core);
    path.data = memset(octets, 0xe9, path.len);

    assert_int_equal(iri_path_to_uri(&core.env, path, &uri), IRI_NO_MEMORY);
    assert_int_equal(core.allocs, 0);
    path.len = 3;
    assert_int_equal(iri_path_to_uri(&core.env, path, &uri), IRI_OK);
    assert_str(uri, S("%E9%E9%E9"));

    core_free(&core);
    free(octets);
}


/* ---- Location ----------------------------------------------------------- */

static void
test_short_locations(void **state)
{
    static const struct {
        const char *path;
        const char *location;
    } cases[] = {
        { "/", "/" },   { "//", "/" },
        { "///", "/" }, { "//" E_ACUTE, "/%C3%A9" },
        { "", "" },     { "a", "a" },
        { "ab", "ab" },
    };
    corner_t  r;
    iri_str_t location;
    size_t    i;

    (void) state;

    corner_init(&r, "/\xc3\xa9", "", "", N);

    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(core_location(&r.core.env, &r.reading,
                                       core_str(cases[i].path), NULL,
                                       &location),
                         IRI_OK);
        assert_text(location, cases[i].location);
    }

    core_free(&r.core);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dot_files),
        cmocka_unit_test(test_rewritten),
        cmocka_unit_test(test_border),
        cmocka_unit_test(test_no_octets),
        cmocka_unit_test(test_longer_path),
        cmocka_unit_test(test_uncanonical),
        cmocka_unit_test(test_grown_variant),
        cmocka_unit_test(test_no_mixed_rest),
        cmocka_unit_test(test_stopped_further),
        cmocka_unit_test(test_other_directory),
        cmocka_unit_test(test_longer_directory),
        cmocka_unit_test(test_refused_further),
        cmocka_unit_test(test_order_of_charsets),
        cmocka_unit_test(test_declared_legacy),
        cmocka_unit_test(test_order_of_twins),
        cmocka_unit_test(test_looks_of_a_segment),
        cmocka_unit_test(test_looks_of_a_request),
        cmocka_unit_test(test_lists_of_a_request),
        cmocka_unit_test(test_close_looks),
        cmocka_unit_test(test_root_is_file),
        cmocka_unit_test(test_split_error),
        cmocka_unit_test(test_split_no_root),
        cmocka_unit_test(test_declared_form),
        cmocka_unit_test(test_twin_in_entry),
        cmocka_unit_test(test_charsets_of_twins),
        cmocka_unit_test(test_cache_of_charsets),
        cmocka_unit_test(test_more_than_the_cache),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_old_mtime),
        cmocka_unit_test(test_very_long_entry),
        cmocka_unit_test(test_control_in_entry),
        cmocka_unit_test(test_not_listed),
        cmocka_unit_test(test_raw_bidi_cut),
        cmocka_unit_test(test_very_long_escaped),
        cmocka_unit_test(test_inert_is_no_bidi),
        cmocka_unit_test(test_cut_escapes),
        cmocka_unit_test(test_long_segments),
        cmocka_unit_test(test_four_octets),
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_every_word),
        cmocka_unit_test(test_very_long_uri),
        cmocka_unit_test(test_short_locations),
    };

    return cmocka_run_group_tests_name("corners", tests, NULL, NULL);
}
