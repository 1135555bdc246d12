/*
 * test_write.c - methods that write: creating names, and protecting entries
 *
 * Covers: a name is not created beside one that matches it, nor in doubt; a
 * Destination that is its source, inside it or around it is detected, through
 * any links; resource tags of If are found in any position, and nothing else
 * of it changes.
 */

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"

#define ALL (IRI_FOLD_NORMALIZATION | IRI_FOLD_INDEXED)


TEST(test_methods)
{
    assert_true(iri_method_creates(S("PUT")));
    assert_true(iri_method_creates(S("MKCOL")));
    assert_true(iri_method_creates(S("LOCK")));
    assert_false(iri_method_creates(S("MOVE")));
    assert_false(iri_method_creates(S("DELETE")));
    assert_false(iri_method_creates(S("put")));
    assert_false(iri_method_creates(S("")));
}


/* Search path as for a method that creates it. */
static iri_status_t
find_twin(unsigned match, iri_str_t path, iri_str_t source,
          iri_found_t *found)
{
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, match);
    iri_search_t    search;
    iri_status_t    status;

    memset(&search, 0, sizeof(search));
    search.tree = &tree;
    search.write = 1;
    search.root = S("/srv");
    search.path = path;
    status = iri_find(&core.env, &search, found);
    return status == IRI_OK
               ? iri_find_conflict(&core.env, &search, source, found)
               : status;
}


TEST(test_twin)
{
    static const struct {
        const char *path;
        const char *source;
        unsigned    match;
        int         conflict;
    } rows[] = {
        { "/Readme.txt", "", ALL, 0 }, /* it exists */
        { "/README.TXT", "", ALL, 1 },
        { "/other.txt", "", ALL, 0 },
        { "/Raedme.txt", "", ALL, 0 }, /* spelling: another name */
        { "/Readme2.txt", "", ALL, 0 },
        { "/r\xC3\xA9sum\xC3\xA9", "", ALL, 1 },
        { "/RESUME", "", ALL, 1 },
        { "/DOCS/", "", ALL, 1 },
        { "/docs/new.txt", "", ALL, 1 }, /* the directory does not exist */
        { "/Docs/new.txt", "", ALL, 0 },
        { "/Docs/A.TXT", "", ALL, 1 },
        { "/TWO.txt", "", ALL, 1 }, /* several entries match */
        { "/README.TXT", "/srv/Readme.txt", ALL, 0 },
        { "/README.TXT", "/srv/Readme.tx", ALL, 1 },
        { "/DOCS/", "/srv/Docs", ALL, 0 },
        { "/DOCS", "/srv/Docs/", ALL, 0 },
        { "/TWO.txt", "/srv/Two.txt", ALL, 1 },
        { "/Docs/A.TXT", "/srv/Docs/a.txt", ALL, 0 },
        { "/DOCS/A.TXT", "/srv/Docs/a.txt", ALL,
          1 }, /* the name Docs is kept */
        { "/DOCS/A.TXT/", "/srv/Docs/a.txt", ALL, 1 },
        { "/README.TXT", "", IRI_FOLD_NORMALIZATION, 0 },
        { "/README.TXT", "", IRI_FOLD_WIDTH | IRI_FOLD_SPELLING, 0 },
        { "/README.TXT", "", IRI_FOLD_ACCENTS, 0 },
        { "/README.TXT", "", IRI_FOLD_CASE, 1 },
        { "/resum\xC3\xA9", "", IRI_FOLD_CASE, 0 },
        { "/resum\xC3\xA9", "", IRI_FOLD_ACCENTS, 1 },
    };
    static const char *const names[] = {
        "/srv/Readme.txt", "/srv/resume",  "/srv/Docs/a.txt",
        "/srv/Two.txt",    "/srv/two.txt",
    };
    iri_found_t found;
    size_t      i, k, n;

    for (i = 0; i < COUNT(rows); i++) {
        for (n = 0;; n++) {
            core_init(&core);
            for (k = 0; k < COUNT(names); k++) {
                core_put(&core, core_str(names[k]));
            }
            core.io_fail_at = n;

            if (find_twin(rows[i].match, core_str(rows[i].path),
                          core_str(rows[i].source), &found)
                != IRI_OK)
            {
                assert_true(n != 0);
            } else if (n == 0
                       && (found.verdict == IRI_REFUSE
                           && found.why == IRI_WHY_CONFLICT)
                              != rows[i].conflict)
            {
                fail_msg("%s, %s", rows[i].path, rows[i].source);
            } else if (rows[i].conflict) {
                /* A call that failed leaves no doubt that is not refused. */
                assert_true(iri_is_conflict(&found)
                            || (n != 0 && found.why == IRI_WHY_ERROR));
            }
            k = core.stats + core.lists;
            if (k < n) {
                break;
            }
        }
    }
}


/* A Destination, which is not restarted, may differ from an entry in width. */
TEST(test_twin_of_destination)
{
    static const struct {
        const char *path;
        unsigned    match;
        int         conflict;
    } rows[] = {
        { "/\xEF\xBC\xB2.txt", IRI_FOLD_WIDTH | IRI_FOLD_CASE, 0 },
        { "/\xEF\xBD\x92.txt", IRI_FOLD_WIDTH | IRI_FOLD_CASE, 1 },
        { "/\xE3\x80\x9C.txt", IRI_FOLD_VARIANTS | IRI_FOLD_CASE, 0 },
        { "/\xC5\x9F.txt", IRI_FOLD_ROMANIAN, 1 },
    };
    iri_tree_conf_t tree;
    iri_search_t    search;
    iri_found_t     found;
    size_t          i;

    core_put(&core, S("/srv/R.txt"));
    core_put(&core, S("/srv/\xEF\xBD\x9E.txt"));
    core_put(&core, S("/srv/\xC8\x99.txt"));

    for (i = 0; i < COUNT(rows); i++) {
        tree = core_tree("", IRI_FILENAME_ANY,
                         IRI_FOLD_NORMALIZATION | rows[i].match);
        memset(&search, 0, sizeof(search));
        search.tree = &tree;
        search.write = 1;
        search.root = S("/srv");
        search.path = core_str(rows[i].path);
        assert_ok(iri_find_canonical(&core.env, &search, &found));
        assert_int_equal(found.verdict, IRI_PASS);
        assert_ok(iri_find_conflict(&core.env, &search, S(""), &found));
        assert_int_equal(found.verdict == IRI_REFUSE, rows[i].conflict);
    }
}


TEST(test_twin_no_memory)
{
    iri_found_t found;
    size_t      n, total;

    core_put(&core, S("/srv/Readme.txt"));
    assert_ok(find_twin(ALL, S("/README.TXT"), S(""), &found));
    total = core.allocs;

    for (n = 1; n <= total; n++) {
        core.allocs = 0;
        core.fail_at = n;
        assert_int_equal(find_twin(ALL, S("/README.TXT"), S(""), &found),
                         IRI_NO_MEMORY);
    }
}


TEST(test_conflict)
{
    iri_found_t found;
    size_t      i;

    memset(&found, 0, sizeof(found));
    found.verdict = IRI_CHOOSE;
    assert_true(iri_is_conflict(&found));

    for (i = 0; i < IRI_WHYS; i++) {
        found.verdict = IRI_REFUSE;
        found.why = (iri_why_t) i;
        assert_int_equal(iri_is_conflict(&found),
                         i == IRI_WHY_UNWRITABLE || i == IRI_WHY_CONFLICT
                             || i == IRI_WHY_OTHER_NAME);
        found.verdict = IRI_PASS;
        assert_false(iri_is_conflict(&found));
        /* the text can be put into HTML */
        assert_null(strpbrk(iri_conflict_text(found.why), "<>&\"'"));
        assert_true(strlen(iri_conflict_text(found.why)) > 20);
    }

    assert_string_not_equal(iri_conflict_text(IRI_WHY_CONFLICT),
                            iri_conflict_text(IRI_WHY_UNWRITABLE));
}


TEST(test_keeps_names)
{
    static const struct {
        const char *from, *to;
        int         keeps;
    } rows[] = {
        { "utf-8", "utf-8", 1 },
        { "euc-jp", "euc-jp", 1 },
        { "euc-jp", "utf-8", 0 },
        { "utf-8", "euc-jp", 0 },
        { "utf-8", "utf-8 euc-jp", 1 },
        { "utf-8 euc-jp", "utf-8", 0 },
        { "utf-8 euc-jp", "euc-jp utf-8", 0 },
    };
    iri_tree_conf_t from, to;
    size_t          i;

    for (i = 0; i < COUNT(rows); i++) {
        from = core_tree(rows[i].from, IRI_FILENAME_ANY, ALL);
        to = core_tree(rows[i].to, IRI_FILENAME_ANY, ALL);
        assert_int_equal(iri_tree_preserves_names(&from, &to), rows[i].keeps);
    }

    /* a name in this form is found by any form, but not the reverse */
    from = to = core_tree("utf-8", IRI_FILENAME_ANY, ALL);
    from.names = IRI_FILENAME_NFD;
    assert_true(iri_tree_preserves_names(&from, &to));
    assert_false(iri_tree_preserves_names(&to, &from));
    to.names = IRI_FILENAME_NFC;
    assert_false(iri_tree_preserves_names(&from, &to));
    to.names = IRI_FILENAME_NFD;
    assert_true(iri_tree_preserves_names(&from, &to));
}


/* The octets of a name in each charset of a tree, in NFC and NFD. */
TEST(test_octets)
{
    static const struct {
        const char *tree, *name, *octets[4];
    } rows[] = {
        { "utf-8", "name", { "name", "" } },
        { "utf-8", "caf\xC3\xA9", { "caf\xC3\xA9", "cafe\xCC\x81" } },
        { "euc-jp", "\xE8\xA1\xA8", { "\xC9\xBD", "" } },
        { "euc-jp", "\xE2\x82\xAC", { "", "" } },
        { "utf-8 euc-jp",
          "\xE6\xBC\xA2",
          { "\xE6\xBC\xA2", "", "\xB4\xC1", "" } },
        /* these octets are UTF-8, so they are another name */
        { "utf-8 euc-jp", "\xE8\xA1\xA8", { "\xE8\xA1\xA8", "", "", "" } },
    };
    iri_tree_conf_t tree;
    iri_str_t       octets;
    size_t          i, k;

    for (i = 0; i < COUNT(rows); i++) {
        core_init(&core);
        tree = core_tree(rows[i].tree, IRI_FILENAME_ANY, ALL);
        for (k = 0; k < 2 * tree.charsets.count; k++) {
            assert_ok(iri_name_octets(&core.env, &tree,
                                      core_str(rows[i].name), k, &octets));
            assert_text(octets, rows[i].octets[k]);
        }
    }
}


/* ---- source and Destination ---------------------------------------------- */

static char base[] = "/tmp/iri-write-XXXXXX";

static iri_str_t
below(const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s/%s", base, name);
    return core_str(out);
}


static void
run(const char *command)
{
    char line[1024];

    snprintf(line, sizeof(line), "cd %s && %s", base, command);
    assert_int_equal(system(line), 0);
}


TEST(test_relate)
{
    static const struct {
        const char    *source;
        const char    *destination;
        iri_relation_t relation;
    } rows[] = {
        { "f", "f", IRI_RELATION_SAME },
        { "f", "g", IRI_RELATION_NONE },
        { "f", "new", IRI_RELATION_NONE },
        { "new", "new", IRI_RELATION_NONE }, /* no entry is overwritten */
        { "f", "hard", IRI_RELATION_SAME },
        { "soft", "f", IRI_RELATION_SAME },
        { "f", "soft", IRI_RELATION_SAME },
        { "d/", "d/", IRI_RELATION_SAME },
        { "d/", "d", IRI_RELATION_SAME },
        { "d", "d//", IRI_RELATION_SAME },
        { "d/", "dd/", IRI_RELATION_NONE },
        { "d/", "d-new/", IRI_RELATION_NONE },
        { "d/", "d/new/", IRI_RELATION_INSIDE },
        { "d/", "d/sub/", IRI_RELATION_INSIDE },
        { "d/", "d/sub/x/y/z/", IRI_RELATION_INSIDE },
        { "d/", "d/none/x/", IRI_RELATION_INSIDE },
        { "d/", "link/x/", IRI_RELATION_INSIDE },
        { "d/", "link/",
          IRI_RELATION_NONE }, /* the link is not below the directory */
        { "link/", "d/sub/x", IRI_RELATION_INSIDE },
        { "d/sub/", "d/", IRI_RELATION_PARENT },
        { "d/sub/h", "d/", IRI_RELATION_PARENT },
        { "link/h", "d/", IRI_RELATION_PARENT },
        { "d/", "dangling", IRI_RELATION_NONE },
        { "f", "f/x", IRI_RELATION_NONE },
        { "d/", "f/x", IRI_RELATION_NONE },
    };
    iri_relation_t relation;
    char           a[256], b[256];
    size_t         i, n, total;

    assert_non_null(mkdtemp(base));
    run("mkdir -p d/sub dd && echo x >f && echo x >g && echo x >d/sub/h && "
        "ln f hard && ln -s f soft && ln -s d/sub link && ln -s none dangling");

    for (i = 0; i < COUNT(rows); i++) {
        core_init(&core);
        core.env.dir = &iri_dir_posix;
        assert_ok(iri_path_relation(
            &core.env, below(rows[i].source, a, sizeof(a)),
            below(rows[i].destination, b, sizeof(b)), &relation));
        if (relation != rows[i].relation) {
            fail_msg("%s to %s: %d", rows[i].source, rows[i].destination,
                     (int) relation);
        }

        total = core.allocs;
        for (n = 1; n <= total; n++) {
            core.allocs = 0;
            core.fail_at = n;
            assert_int_equal(iri_path_relation(&core.env, core_str(a),
                                               core_str(b), &relation),
                             IRI_NO_MEMORY);
        }
    }
    run("rm -rf -- * && rmdir \"$PWD\"");
}


/* If a lookup fails the relation is unknown, and nothing may be written. */
TEST(test_relate_io)
{
    iri_relation_t relation = IRI_RELATION_NONE;
    size_t         n, total;

    core_put(&core, S("/srv/d/sub/"));
    core_put(&core, S("/srv/e/"));
    assert_ok(iri_path_relation(&core.env, S("/srv/d/"), S("/srv/d/sub/x"),
                                &relation));
    total = core.stats;

    for (n = 1; n <= total; n++) {
        core.stats = core.lists = 0;
        core.io_fail_at = n;
        assert_int_equal(iri_path_relation(&core.env, S("/srv/d/"),
                                           S("/srv/d/sub/x"), &relation),
                         IRI_IO_FAILED);
    }
}


/* ---- If ------------------------------------------------------------------ */

/*
 * Replace a path by [path], and add {path} for a path that starts with "/2"; no
 * path for "/0".
 */
static iri_status_t
each(void *arg, iri_str_t path, iri_str_t paths[2])
{
    unsigned char *p = core.env.alloc(core.env.ctx, 2 * path.len + 4);

    if (p == NULL) {
        return IRI_NO_MEMORY;
    }

    assert_int_equal(paths[0].len, 0);
    assert_int_equal(paths[1].len, 0);

    if (path.len > 1 && path.data[1] == '0') {
        return IRI_OK;
    }

    paths[0].data = p;
    paths[0].len = path.len + 2;
    *p++ = '[';
    memcpy(p, path.data, path.len);
    p += path.len;
    *p++ = ']';

    if (path.len > 1 && path.data[1] == '2') {
        paths[1].data = p;
        paths[1].len = path.len + 2;
        *p++ = '{';
        memcpy(p, path.data, path.len);
        p[path.len] = '}';
    }
    return IRI_OK;
}


static iri_status_t
map_if(const char *value, int raw, iri_str_t *out)
{
    iri_if_map_t map = { each, NULL, raw, 0 };

    return iri_if_field_map(&core.env, core_str(value), &map, out);
}


TEST(test_if)
{
    static const char *const rows[][2] = {
        { "", "" },
        { "(<urn:x>)", "(<urn:x>)" },
        { "(<urn:x> [\"</a>)\"])", "(<urn:x> [\"</a>)\"])" },
        { "</a> (<urn:x>)", "<[/a]> (<urn:x>)" },
        { "<http://h:1/a?q> (<urn:x>)", "<http://h:1[/a]?q> (<urn:x>)" },
        { "<http://h/a#f>(Not <urn:x>)", "<http://h[/a]#f>(Not <urn:x>)" },
        { "</a> (<urn:x>) ([W/\"e>\"]) <//b> (<urn:y> [\")\"])",
          "<[/a]> (<urn:x>) ([W/\"e>\"]) <[//b]> (<urn:y> [\")\"])" },
        { "</2> (<urn:x>) (<urn:y>)</b> (<urn:z>)",
          "<[/2]> (<urn:x>) (<urn:y>)<{/2}> (<urn:x>) (<urn:y>)<[/b]> "
          "(<urn:z>)" },
        { "<http://h/2> (<urn:x>)",
          "<http://h[/2]> (<urn:x>)<http://h{/2}> (<urn:x>)" },
        /* no path */
        { "<> (<urn:x>)", "<> (<urn:x>)" },
        { "<http://h> (<urn:x>)", "<http://h> (<urn:x>)" },
        { "<urn:a/b> (<urn:x>)", "<urn:a/b> (<urn:x>)" },
        { "<a:> (<urn:x>)", "<a:> (<urn:x>)" },
        { "<?> (<urn:x>)", "<?> (<urn:x>)" },
        /* not complete */
        { "</a", "</a" },
        { "</a> (<urn:x", "<[/a]> (<urn:x" },
        { "</a> (<urn:x> </b> (", "<[/a]> (<urn:x> </b> (" },
        { "</a> ([x", "<[/a]> ([x" },
        { "x </a>", "x <[/a]>" },
        { "<", "<" },
        { "(", "(" },
    };
    iri_str_t out;
    size_t    i, n, total;

    for (i = 0; i < COUNT(rows); i++) {
        core_init(&core);
        assert_ok(map_if(rows[i][0], 1, &out));
        if (!iri_str_equal(out, core_str(rows[i][1]))) {
            fail_msg("%s: %.*s", rows[i][0], (int) out.len,
                     (const char *) out.data);
        }

        total = core.allocs;
        for (n = 1; n <= total; n++) {
            core.allocs = 0;
            core.fail_at = n;
            assert_int_equal(map_if(rows[i][0], 1, &out), IRI_NO_MEMORY);
        }
    }
}


/* Percent-encoded tags; raw ones with ">"; not more than eight are looked up. */
TEST(test_if_encoded)
{
    static const struct {
        const char *value;
        int         raw;
        const char *out;
    } rows[] = {
        { "</a> (<u:x>) </%C3%A9> (<u:x>)", 0,
          "</a> (<u:x>) <%5B/%25C3%25A9%5D> (<u:x>)" },
        { "</2\xC3\xA9> (<u:x>)", 0,
          "<%5B/2%C3%A9%5D> (<u:x>)<%7B/2%C3%A9%7D> (<u:x>)" },
        { "<http://h/0\xC3\xA9?q> (<u:x>)", 0,
          "<http://h/0\xC3\xA9?q> (<u:x>)" },
        { "</a></b></c></d></e></f></g></h></i>", 1,
          "<[/a]><[/b]><[/c]><[/d]><[/e]><[/f]><[/g]><[/h]></i>" },
    };
    iri_str_t out;
    size_t    i;

    for (i = 0; i < COUNT(rows); i++) {
        assert_ok(map_if(rows[i].value, rows[i].raw, &out));
        assert_text(out, rows[i].out);
    }
}
