/*
 * test_listing.c - what is in a directory, as a page and as JSON
 */

#include <stdlib.h>

#include "core.h"

typedef struct {
    core_t             core;
    iri_tree_conf_t    tree;
    iri_listing_conf_t conf;
    iri_listing_t     *listing;
    char              *page;
    size_t             len;
} list_t;


static void
list_init(list_t *list, const char *labels, const char *query)
{
    memset(list, 0, sizeof(*list));
    core_init(&list->core);
    list->tree = core_tree(labels, IRI_NAMES_ANY, IRI_FORGIVE_NORMALIZATION);
    list->conf.tree = &list->tree;
    list->conf.root = S("/srv/d");
    list->conf.path = S("/d/");
    list->conf.query = core_str(query);
    assert_int_equal(iri_listing_begin(&list->core.env, &list->conf,
                                       &list->listing), IRI_OK);
}


static void
list_add(list_t *list, iri_str_t octets, uint64_t size, int64_t mtime)
{
    iri_listing_entry_t entry;
    iri_listing_info_t  info = { 0, 1, size, mtime };
    char                path[4096];
    iri_str_t           at;

    if (octets.len != 0 && octets.data[octets.len - 1] == '/') {
        info.is_directory = 1;
        octets.len--;
    }

    at.data = (const unsigned char *) path;
    at.len = (size_t) snprintf(path, sizeof(path), "/srv/d/%.*s",
                               (int) octets.len, (const char *) octets.data);
    core_put(&list->core, at);

    assert_int_equal(iri_listing_entry(list->listing, octets, &entry),
                     IRI_OK);
    assert_int_equal(iri_listing_add(list->listing, &entry, &info), IRI_OK);
}


static const char *
list_page(list_t *list)
{
    unsigned char out[4096];
    size_t        n;

    assert_int_equal(iri_listing_finish(list->listing), IRI_OK);

    do {
        assert_int_equal(iri_listing_next(list->listing, out, sizeof(out),
                                          &n), IRI_OK);
        list->page = realloc(list->page, list->len + n + 1);
        memcpy(list->page + list->len, out, n);
        list->len += n;
        list->page[list->len] = '\0';
    } while (n != 0);

    return list->page;
}


static void
list_free(list_t *list)
{
    free(list->page);
    core_free(&list->core);
}


static void
test_json(void **state)
{
    list_t list;

    (void) state;
    list_init(&list, "", "format=json");
    list_add(&list, S("b\"<"), 3, 0);
    list_add(&list, S("a/"), 3, 951782400);
    list_add(&list, S("caf\xC3\xA9"), 3, -1);
    list_add(&list, S("cafe\xCC\x81"), 3, -1);
    list_add(&list, S("\xFF"), 3, -1);
    assert_string_equal(
        list_page(&list),
        "{\"path\":\"/d/\",\"entries\":[\n"
        "{\"name\":\"a\",\"href\":\"./a/\",\"directory\":true,"
        "\"modified\":\"2000-02-29T00:00:00Z\"},\n"
        "{\"name\":\"b\\u0022\\u003c\",\"href\":\"./b%22%3C\","
        "\"directory\":false,\"size\":3,"
        "\"modified\":\"1970-01-01T00:00:00Z\"},\n"
        "{\"name\":\"caf\xC3\xA9\",\"href\":null,\"directory\":false,"
        "\"size\":3,\"modified\":\"1969-12-31T23:59:59Z\","
        "\"octets\":\"cafe%CC%81\",\"conflict\":true},\n"
        "{\"name\":\"caf\xC3\xA9\",\"href\":\"./caf%C3%A9\","
        "\"directory\":false,\"size\":3,"
        "\"modified\":\"1969-12-31T23:59:59Z\",\"conflict\":true},\n"
        "{\"name\":null,\"href\":null,\"directory\":false,\"size\":3,"
        "\"modified\":\"1969-12-31T23:59:59Z\",\"octets\":\"%FF\"}\n]}\n");
    list_free(&list);
}


/* That there is more is said, of a directory of which nothing is shown, too. */
static void
test_more(void **state)
{
    list_t list;

    (void) state;
    list_init(&list, "", "format=json");
    iri_listing_more(list.listing);
    assert_string_equal(list_page(&list),
                        "{\"path\":\"/d/\",\"entries\":[\n],"
                        "\"more\":true}\n");
    list_free(&list);

    list_init(&list, "", "");
    iri_listing_more(list.listing);
    assert_non_null(strstr(list_page(&list),
                           "<p>Not all of this directory is shown.</p>"));
    assert_null(strstr(list.page, "empty"));
    list_free(&list);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
