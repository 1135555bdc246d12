/*
 * test_restart.c - the URL with which a request restarts
 *
 * Covers: names that were found replace the same segments of the client's URL,
 * also where a rule has set another path; where the replaced segments are not
 * the end of the URL there is no restart; segments are compared whole. Where a
 * request cannot restart only the canonical path is found.
 */

#include <stdlib.h>

#include "core.h"

#define A_UMLAUT "\xc3\xa4"

/* restart NULL: the request cannot restart. */
static const struct {
    const char *url, *path, *found, *restart;
} cases[] = {
    /* no rule has set another path */
    { "/Admin/a", "/Admin/a", "/admin/a", "/admin/a" },
    { "/a/B", "/a/B", "/a/b", "/a/b" },
    { "/a/B/", "/a/B/", "/a/b/", "/a/b/" },
    { "/A/b/C", "/A/b/C", "/a/b/c", "/a/b/c" },
    { "/A", "/A", "/" A_UMLAUT, "/" A_UMLAUT },

    /* a rule added, removed, or replaced a prefix */
    { "/Admin/a", "/public/Admin/a", "/public/admin/a", "/admin/a" },
    { "/p/Data/a", "/Data/a", "/data/a", "/p/data/a" },
    { "/x/F.txt", "/y/z/F.txt", "/y/z/f.txt", "/x/f.txt" },
    { "/Admin/", "/public/Admin/", "/public/admin/", "/admin/" },

    /* a segment before the replaced ones may differ, one after them may not */
    { "/old/Sub/B", "/new/Sub/B", "/new/Sub/b", "/old/Sub/b" },
    { "/old/Sub/B", "/new/Other/B", "/new/Other/b", "/old/Sub/b" },
    { "/Sub/B", "/new/Sub/C", "/new/sub/C", NULL },
    { "/Sub/B", "/new/Sub/B.html", "/new/sub/B.html", NULL },

    /* the replaced segments are not those of the URL */
    { "/page", "/public/INDEX.html", "/public/index.html", NULL },
    { "/Admin/", "/public/Admin/Index", "/public/Admin/index", NULL },
    { "/Admin", "/public/Admin/", "/public/admin/", NULL },
    { "/Admin/", "/public/Admin", "/public/admin", NULL },
    { "/", "/public/Admin", "/public/admin", NULL },

    /* whole segments are compared */
    { "/x-Admin", "/public/Admin", "/public/admin", NULL },
    { "/xAdmin/a", "/Admin/a", "/admin/a", NULL },
    { "/Admin", "/public/x-Admin", "/public/x-admin", NULL },
    { "Admin", "/Admin", "/admin", NULL },

    /* the number of segments must not change */
    { "/Admin/a", "/Admin/a", "/admin", NULL },
    { "/Admin", "/Admin", "/admin/a", NULL },

    /* the rule led into the directory that is replaced: "public/Data" */
    { "/data/F", "/Data/F", "/data/f", NULL },
};


TEST(test_restart_url)
{
    iri_str_t out;
    size_t    i;
    int       can;

    for (i = 0; i < COUNT(cases); i++) {
        out = core_str("untouched");
        can = iri_restart_url(&core.env, core_str(cases[i].url),
                              core_str(cases[i].path),
                              core_str(cases[i].found), &out);

        assert_int_equal(can, cases[i].restart != NULL);
        assert_text(out, can ? cases[i].restart : "untouched");
    }
}


/*
 * a path, the result of searching only its canonical path, and that of
 * iri_find()
 */
TEST(test_find_canonical)
{
    static const struct {
        const char   *path;
        iri_verdict_t canonical, answer;
    } finds[] = {
        { "/public/index.html", IRI_PASS, IRI_SERVE }, /* no lookup: ASCII */
        { "/public/INDEX.html", IRI_PASS, IRI_RESTART },
        { "/PUBLIC/index.html", IRI_PASS, IRI_RESTART },
        { "/public/indez.html", IRI_PASS, IRI_RESTART },
        { "/public/%C3%A4", IRI_PASS, IRI_RESTART },
        { "/public/" A_UMLAUT, IRI_SERVE, IRI_SERVE },
        { "/public/TWIN", IRI_PASS, IRI_CHOOSE },
        { "/public/none", IRI_PASS, IRI_PASS },
        { "/a/../b", IRI_REFUSE, IRI_REFUSE },
    };
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY,
                                     IRI_FOLD_NORMALIZATION | IRI_FOLD_CASE
                                         | IRI_FOLD_SPELLING);
    iri_search_t    search;
    iri_found_t     found;
    size_t          i;

    core_put(&core, S("/srv/public/index.html"));
    core_put(&core, S("/srv/public/a\xcc\x88")); /* NFD */
    core_put(&core, S("/srv/public/Twin"));
    core_put(&core, S("/srv/public/twiN"));

    tree.repair = IRI_REPAIR_DOUBLE;
    iri_tree_conf_finish(NULL, &tree);

    memset(&search, 0, sizeof(search));
    search.tree = &tree;
    search.root = S("/srv");

    for (i = 0; i < COUNT(finds); i++) {
        search.path = core_str(finds[i].path);

        assert_ok(iri_find(&core.env, &search, &found));
        assert_int_equal(found.verdict, finds[i].answer);

        assert_ok(iri_find_canonical(&core.env, &search, &found));
        assert_int_equal(found.verdict, finds[i].canonical);
        assert_text(found.path, finds[i].path);
    }
}
