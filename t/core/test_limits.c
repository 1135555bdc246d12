/*
 * test_limits.c - the limits of one search: one below, at and one above
 *
 * Covers: four directories of a path may be read, in the fifth only exact
 * candidates are found; eight candidates of a segment are looked up, not the
 * ninth; a candidate longer than a segment may be is not generated.
 * Other limits are tested with their subjects: paths and segments in
 * test_read, marks in test_norm, lookups and calls in test_find, entries in
 * test_cache, charsets in test_conf.
 */

#include "core.h"

#define N IRI_FOLD_NORMALIZATION

/* U+1EAD in no form: found only by reading its directory. */
#define ODD   "\xc3\xa2\xcc\xa3"
#define ASKED "\xe1\xba\xad"


static void
check_lists(size_t depth, size_t lists)
{
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, N);
    iri_search_t search = { .tree = &tree, .root = S("/srv"), .path = S("") };
    iri_found_t  found;
    char         entry[256] = "/srv", asked[256] = "";
    size_t       i;

    for (i = 0; i < depth; i++) {
        core_append(entry, "/" ODD);
        core_append(asked, "/" ASKED);
    }

    core_init(&core);
    core_put(&core, core_str(entry));
    search.path = core_str(asked);

    assert_ok(iri_find(&core.env, &search, &found));
    assert_int_equal(core.lists, lists);

    if (depth <= IRI_MAX_DIRECTORIES_READ) {
        assert_int_equal(found.verdict, IRI_SERVE);
        assert_text(found.filename, entry);
    } else {
        assert_int_equal(found.verdict, IRI_PASS);
    }

    assert_str(found.path, search.path);
}


TEST(test_lists)
{
    check_lists(IRI_MAX_DIRECTORIES_READ - 1, IRI_MAX_DIRECTORIES_READ - 1);
    check_lists(IRI_MAX_DIRECTORIES_READ, IRI_MAX_DIRECTORIES_READ);
    check_lists(IRI_MAX_DIRECTORIES_READ + 1, IRI_MAX_DIRECTORIES_READ);
}


/*
 * The encodings of an absent name that are looked up; the first lookup counts
 * as two.
 */
static void
check_lookups(const char *charsets, size_t looks)
{
    iri_tree_conf_t tree = core_tree(charsets, IRI_FILENAME_ANY, N);
    iri_search_t    search = { .tree = &tree,
                               .root = S("/srv"),
                               .path = S("/\xc3\xa9") };
    iri_found_t     found;

    core_init(&core);
    core_put(&core, S("/srv/"));
    assert_ok(iri_find(&core.env, &search, &found));
    assert_int_equal(found.verdict, IRI_PASS);
    assert_int_equal(found.why, IRI_WHY_ABSENT);

    /* And one lookup of the directory that is read then. */
    assert_int_equal(core.stats, looks + 1);
}


/* UTF-8, gb18030, windows-1258: NFC and NFD; then one way each. */
TEST(test_lookups)
{
    check_lookups("utf-8 gb18030 windows-1258 windows-1252",
                  IRI_MAX_CANDIDATES - 1);
    check_lookups("utf-8 gb18030 windows-1258 windows-1252 iso-8859-2",
                  IRI_MAX_CANDIDATES);
    check_lookups("utf-8 gb18030 windows-1258 windows-1252 iso-8859-2"
                  " windows-1250",
                  IRI_MAX_CANDIDATES);
}


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
