/*
 * test_listing.c - the listing of a directory, as HTML and as JSON
 *
 * Covers: the order is ICU's, keys from the table are ICU's keys; a hostile
 * name appears as text only.  That an entry is linked if and only if its link leads to it,
 * for any octets and charsets, is checked by t/fuzz/fuzz_listing.c.
 */

#include <stdlib.h>
#include <time.h>

#include <unicode/ucol.h>

#include "core.h"

typedef struct {
    core_t             core;
    iri_tree_conf_t    tree;
    iri_listing_conf_t conf;
    iri_listing_t     *listing;
    iri_page_t         answer;
    char              *page; /* answer.body, NUL-terminated */
} list_t;


static list_t list; /* list_init() frees what it had */


static void
list_free(list_t *one)
{
    free(one->page);
    one->page = NULL;
    core_free(&one->core);
}


/*
 * unnamed: entries without a name are served by their octets.  reading NULL:
 * requests are in UTF-8.
 */
static void
list_begin(list_t *list, const char *labels, const char *query, int unnamed,
           const iri_reading_conf_t *reading)
{
    static const iri_reading_conf_t utf8[2] = {
        { .invalid = IRI_INVALID_404 }, { .invalid = IRI_INVALID_PASS }
    };

    list_free(list);
    memset(list, 0, sizeof(*list));
    core_init(&list->core);
    list->tree = core_tree(labels, IRI_FILENAME_ANY, IRI_FOLD_NORMALIZATION);
    list->conf.tree = &list->tree;
    list->conf.reading = reading != NULL ? reading : &utf8[unnamed];
    list->conf.unnamed = unnamed;
    list->conf.root = S("/srv/d");
    list->conf.path = S("/d/");
    list->conf.query = core_str(query);
    assert_ok(
        iri_listing_begin(&list->core.env, &list->conf, &list->listing));
}


static void
list_init(list_t *list, const char *labels, const char *query)
{
    list_begin(list, labels, query, 0, NULL);
}


/* The listing of a directory with this path. */
static void
list_at(iri_str_t path, const char *query)
{
    list_init(&list, "", query);
    list.conf.path = path;
    assert_ok(iri_listing_begin(&list.core.env, &list.conf, &list.listing));
}


static void
list_add(list_t *list, iri_str_t octets, uint64_t size, int64_t mtime)
{
    iri_listing_info_t info = { 0, size, mtime };
    char               path[4096];
    iri_str_t          at;

    if (octets.len != 0 && octets.data[octets.len - 1] == '/') {
        info.is_directory = 1;
        octets.len--;
    }

    at.data = (const unsigned char *) path;
    at.len = (size_t) snprintf(path, sizeof(path), "/srv/d/%.*s%s",
                               (int) octets.len, (const char *) octets.data,
                               info.is_directory ? "/" : "");
    core_put(&list->core, at);

    assert_ok(iri_listing_add(list->listing, octets, &info));
}


/* A server opens the octets of the path. */
static iri_name_result_t
opened(const iri_listing_entry_t *entry)
{
    size_t    last = entry->path.len - (size_t) entry->is_directory;
    iri_str_t name = iri_str_from(entry->path, last);

    if (last < entry->octets.len) {
        return IRI_NAME_UNLINKED;
    }
    name.data -= entry->octets.len;
    name.len = entry->octets.len;

    return iri_str_equal(name, entry->octets) ? IRI_NAME_LINKED
                                              : IRI_NAME_UNLINKED;
}


/* The client may get each entry. */
static iri_status_t
judge_all(iri_listing_t *listing)
{
    iri_listing_entry_t entry;
    iri_status_t        status;
    int                 is_left = 1;

    for (;;) {
        status = iri_listing_judge(listing, &entry, &is_left);
        if (status != IRI_OK || !is_left) {
            return status;
        }
        assert_ok(iri_listing_judged(listing, opened(&entry)));
    }
}


static const char *
list_write(list_t *list)
{
    iri_str_t body;

    assert_ok(iri_listing_page(list->listing, &list->answer));
    body = list->answer.body;
    list->page = malloc(body.len + 1);
    assert_non_null(list->page);
    memcpy(list->page, body.data, body.len);
    list->page[body.len] = '\0';

    return list->page;
}


static const char *
list_page(list_t *list)
{
    assert_ok(judge_all(list->listing));

    return list_write(list);
}


/* The page contains each of these texts, up to NULL. */
static void
assert_page(const char *const *texts)
{
    for (/* void */; *texts != NULL; texts++) {
        if (strstr(list.page, *texts) == NULL) {
            fail_msg("%s is not in:\n%s", *texts, list.page);
        }
    }
}

#define ASSERT_PAGE(...)                                                     \
    assert_page((const char *const[]){ __VA_ARGS__, NULL })


/* The page of a directory with this entry alone contains this text. */
static void
check_entry(const char *query, const char *name, uint64_t size,
            const char *text)
{
    list_init(&list, "", query);
    list_add(&list, core_str(name), size, 0);
    (void) list_page(&list);
    ASSERT_PAGE(text);
}


TEST(test_json)
{
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
}


/* ---- page by page -------------------------------------------------------- */

#define PAGED 2500

static void
paged_name(unsigned number, char name[64])
{
    snprintf(name, 64, "%s%u%s", number % 2 ? "n\xC3\xA9&+" : "name", number,
             number % 7 == 1 ? "/" : "");
}


/* Every third name, and the last ones, may not be listed. */
static int
paged_may(unsigned number)
{
    return number % 3 != 0 && number < PAGED - 20;
}


static unsigned
paged_number(iri_str_t path)
{
    char text[64];

    assert_true(path.len < sizeof(text));
    memcpy(text, path.data, path.len);
    text[path.len] = '\0';

    return (unsigned) strtoul(strpbrk(text, "0123456789"), NULL, 10);
}


/* One page of a directory without the entry of this number. */
static const char *
paged(list_t *list, const char *query, unsigned without)
{
    iri_listing_entry_t entry;
    char                name[64];
    unsigned            i;
    int                 is_left = 1;

    list_init(list, "", query);

    for (i = 0; i < PAGED; i++) {
        paged_name(i, name);
        if (i != without) {
            list_add(list, core_str(name), i % 5, (int64_t) (i % 11) - 5);
        }
    }

    for (;;) {
        assert_ok(iri_listing_judge(list->listing, &entry, &is_left));
        if (!is_left) {
            break;
        }

        assert_memory_equal(entry.path.data, "/d/", 3);
        assert_ok(iri_listing_judged(list->listing,
                                     paged_may(paged_number(entry.path))
                                         ? IRI_NAME_LINKED
                                         : IRI_NAME_HIDDEN));
    }

    return list_write(list);
}


/* The query of the next page, from JSON. Returns: 0 if there is none. */
static int
paged_next(const char *page, char query[256])
{
    const char *next = strstr(page, "\"next\":\"?");

    return next != NULL && sscanf(next + 9, "%255[^\"]", query) == 1;
}


/* All hrefs of a page, concatenated. */
static void
paged_hrefs(const char *page, char *to)
{
    char href[128];

    to += strlen(to);

    while ((page = strstr(page, "\"href\":\"")) != NULL) {
        page += 8;
        assert_int_equal(sscanf(page, "%127[^\"]", href), 1);
        to += sprintf(to, "%s ", href);
    }
}


/* The hrefs of all entries in the requested order. */
static void
paged_ranks(const iri_listing_t *listing, char *to)
{
    unsigned number;
    size_t   i;

    for (i = 0; i < listing->count; i++) {
        number = paged_number(iri_item_octets(listing->ranks[i]));
        to += sprintf(to, "./%s%u%s ", number % 2 ? "n%C3%A9&+" : "name",
                      number, number % 7 == 1 ? "/" : "");
    }
}


/*
 * The pages together contain each name that may be listed, once, in the
 * requested order.
 */
TEST(test_paged)
{
    static const char *sorts[] = {
        "sort=name&order=asc",  "sort=name&order=desc", "sort=size&order=asc",
        "sort=size&order=desc", "sort=date&order=asc",  "sort=date&order=desc"
    };

    static char whole[100 * PAGED], pages[100 * PAGED], query[256];

    iri_listing_entry_t entry;
    char                name[64];
    unsigned            i, k, count;
    int                 next;

    for (i = 0; i < 6; i++) {
        snprintf(query, sizeof(query), "%s&format=json", sorts[i]);
        list_init(&list, "", query);

        for (k = 0; k < PAGED; k++) {
            paged_name(k, name);
            if (paged_may(k)) {
                list_add(&list, core_str(name), k % 5,
                         (int64_t) (k % 11) - 5);
            }
        }

        whole[0] = pages[0] = '\0';
        assert_ok(iri_listing_judge(list.listing, &entry, &next));
        paged_ranks(list.listing, whole);
        count = 0;

        do {
            paged_hrefs(paged(&list, query, PAGED), pages);
            count++;
            next = paged_next(list.page, query);
            assert_null(strstr(list.page, "name6\""));
        } while (next);

        assert_int_equal(count, 2);
        assert_string_equal(pages, whole);
    }
}


/* The answer does not reveal whether the entry named in "after" exists. */
TEST(test_paged_after)
{
    static const struct {
        const char *query;
        unsigned    number;
    } known[] = {
        { "format=json&after=name6", 6 },
        { "after=n%C3%A9%26%2B3", 3 },
        { "sort=size&after=1/name6", 6 },
        { "sort=date&after=1/name6", 6 },
        { "sort=size&order=desc&after=1/name6", 6 },
        { "sort=date&order=desc&after=1/name6", 6 },
        { "after=n%C3%A9%26%2B15/", 15 },
        { "after=name2496", 2496 },
        { "after=name2498", 2498 },
    };

    static const char *none[] = { "after=",
                                  "after=.x",
                                  "after=a/b",
                                  "after=%00",
                                  "sort=size",
                                  "sort=size&after=name6",
                                  "sort=size&after=/name6",
                                  "sort=size&after=-/name6",
                                  "sort=size&after=5/" };

    static list_t with, without;
    unsigned      i;

    for (i = 0; i < COUNT(known); i++) {
        assert_string_equal(paged(&with, known[i].query, PAGED),
                            paged(&without, known[i].query, known[i].number));
        list_free(&with);
        list_free(&without);
    }

    for (i = 0; i < COUNT(none); i++) {
        assert_non_null(strstr(paged(&with, none[i], PAGED), "Next page"));
        list_free(&with);
    }
}


TEST(test_paged_html)
{
    assert_non_null(strstr(paged(&list, "sort=size&order=desc", PAGED),
                           "<p><a rel=\"next\" href=\"?sort=size&amp;"
                           "order=desc&amp;after="));
    assert_null(strstr(paged(&list, "after=name2000", PAGED), "Next page"));
}


/* Rules see characters for octets that have no name and no request. */
TEST(test_paged_unnamed)
{
    iri_listing_entry_t entry;
    int                 is_left, unnamed;

    for (unnamed = 0; unnamed < 2; unnamed++) {
        list_begin(&list, "", "", unnamed, NULL);
        list_add(&list, S("a\xFF\xC3\xA9\xC3"), 0, 0);
        assert_ok(iri_listing_judge(list.listing, &entry, &is_left));
        assert_int_equal(is_left, 1);
        assert_true(iri_str_equal(
            entry.path, unnamed ? S("/d/a\xFF\xC3\xA9\xC3")
                                : S("/d/a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD")));
    }
}


/* The file that a server would open, compared with the entry. */
TEST(test_compare)
{
    static const struct {
        const char       *filename;
        iri_name_result_t named, unnamed;
    } rows[] = {
        { "/srv/d/\xC3\xA9", IRI_NAME_LINKED, IRI_NAME_UNLINKED },
        { "/srv/d/\xC3\xA9/", IRI_NAME_LINKED, IRI_NAME_UNLINKED },
        { "/srv/d/e\xCC\x81", IRI_NAME_UNLINKED, IRI_NAME_UNLINKED },
        { "/srv/d/\xFF", IRI_NAME_HIDDEN, IRI_NAME_LINKED },
        { "/srv/d/e", IRI_NAME_HIDDEN, IRI_NAME_UNLINKED },
        { "/srv/d/\xC3\xA9/a", IRI_NAME_HIDDEN, IRI_NAME_HIDDEN },
        { "/srv/d/", IRI_NAME_HIDDEN, IRI_NAME_HIDDEN },
        { "/srv/d", IRI_NAME_HIDDEN, IRI_NAME_HIDDEN },
        { "/srv/e/\xC3\xA9", IRI_NAME_HIDDEN, IRI_NAME_HIDDEN },
        { "/srv/da\xC3\xA9", IRI_NAME_HIDDEN, IRI_NAME_HIDDEN },
        { "", IRI_NAME_HIDDEN, IRI_NAME_HIDDEN },
    };
    iri_listing_entry_t named, unnamed;
    size_t              i;

    list_init(&list, "", "");
    memset(&named, 0, sizeof(named));
    named.octets = named.name = S("\xC3\xA9");
    memset(&unnamed, 0, sizeof(unnamed));
    unnamed.octets = S("\xFF");

    for (i = 0; i < COUNT(rows); i++) {
        assert_int_equal(iri_listing_compare(list.listing, &named,
                                             core_str(rows[i].filename)),
                         rows[i].named);
        assert_int_equal(iri_listing_compare(list.listing, &unnamed,
                                             core_str(rows[i].filename)),
                         rows[i].unnamed);
    }
}


/* ---- the order ----------------------------------------------------------- */

/* The names of a page of JSON in their order, a space after each. */
static const char *
list_order(list_t *list)
{
    static char order[4096];
    const char *p = list_page(list), *end;
    size_t      len = 0;

    while ((p = strstr(p, "{\"name\":\"")) != NULL) {
        p += 9;
        end = strchr(p, '"');
        memcpy(order + len, p, (size_t) (end - p));
        len += (size_t) (end - p);
        order[len++] = ' ';
    }

    order[len] = '\0';
    return order;
}


static const char *
order_of(const char *query)
{
    static const struct {
        const char *name;
        uint64_t    size;
        int64_t     mtime;
    } entries[] = {
        { "file10", 7, 50 },
        { "File2", 1, 40 },
        { "file2", 100, 30 },
        { "zoo/", 4096, 10 },
        { "\xC3\xA9t\xC3\xA9", 7, 20 },
        { "Dir/", 4096, 60 },
        { "eta", 0, -5 },
        { "etz", UINT64_MAX, INT64_MAX },
        { "_x", 7, INT64_MIN },
        { "\xE8\xA1\xA8", 7, 20 },
    };
    static char order[4096];
    size_t      i;

    list_init(&list, "", query);
    for (i = 0; i < COUNT(entries); i++) {
        list_add(&list, core_str(entries[i].name), entries[i].size,
                 entries[i].mtime);
    }
    strcpy(order, list_order(&list));
    return order;
}


#define FILES_BY_NAME                                                        \
    "_x eta \xC3\xA9t\xC3\xA9 etz file2 File2 file10 \xE8\xA1\xA8 "

TEST(test_order)
{
    static const struct {
        const char *query;
        const char *order;
    } cases[] = {
        { "format=json", "Dir zoo " FILES_BY_NAME },
        { "format=json&sort=name&order=asc", "Dir zoo " FILES_BY_NAME },
        { "format=json&order=desc",
          "zoo Dir \xE8\xA1\xA8 file10 File2 file2 etz \xC3\xA9t\xC3\xA9 "
          "eta _x " },
        { "format=json&sort=size",
          "Dir zoo eta File2 _x \xC3\xA9t\xC3\xA9 file10 \xE8\xA1\xA8 "
          "file2 etz " },
        { "sort=size&order=desc&format=json",
          "Dir zoo etz file2 _x \xC3\xA9t\xC3\xA9 file10 \xE8\xA1\xA8 File2 "
          "eta " },
        { "sort=date&format=json",
          "zoo Dir _x eta \xC3\xA9t\xC3\xA9 \xE8\xA1\xA8 file2 File2 file10 "
          "etz " },
        { "sort=date&order=desc&format=json",
          "Dir zoo etz file10 File2 file2 \xC3\xA9t\xC3\xA9 \xE8\xA1\xA8 eta "
          "_x " },
        /* Unknown parameters are ignored; the last of several counts. */
        { "x&format=html&sort=size&&=&sort=name&sort=names&order=up&SORT=date"
          "&format=json",
          "Dir zoo " FILES_BY_NAME },
    };
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        assert_string_equal(order_of(cases[i].query), cases[i].order);
    }
}


/* Entries that are equal in the sort key are sorted by name. */
TEST(test_equal_keys)
{
    char   name[8], want[4096] = "";
    size_t i, size;

    list_init(&list, "", "format=json&sort=size");

    for (i = 0; i < 60; i++) {
        snprintf(name, sizeof(name), "n%02u", (unsigned) (i * 7 % 60));
        list_add(&list, core_str(name), i * 7 % 60 % 3, 0);
    }

    for (size = 0; size < 3; size++) {
        for (i = size; i < 60; i += 3) {
            snprintf(name, sizeof(name), "n%02u ", (unsigned) i);
            strcat(want, name);
        }
    }

    assert_string_equal(list_order(&list), want);
}


/*
 * Entries with the same name are adjacent and reported, whatever else has the
 * same sort key; entries without a name share none.
 */
TEST(test_same_name)
{
    const char *p;
    size_t      n = 0;

    list_init(&list, "", "format=json");
    list_add(&list, S("\xC3\xA9"), 3, 0);
    list_add(&list, S("\xC2\xAD\xC3\xA9"), 3, 0);
    list_add(&list, S("\xFF"), 3, 0);
    list_add(&list, S("e\xCC\x81"), 3, 0);
    list_add(&list, S("\xFE"), 3, 0);

    for (p = list_page(&list); (p = strstr(p, "\"conflict\"")) != NULL; p++) {
        n++;
    }

    assert_int_equal(n, 2);
}


static iri_str_t
random_ascii(unsigned char *out, size_t most)
{
    iri_str_t name = { 1 + core_random((uint32_t) most), out };
    unsigned  kind = core_random(4);
    size_t    i;

    for (i = 0; i < name.len; i++) {
        out[i] = kind == 0   ? (unsigned char) ('0' + core_random(10))
                 : kind == 1 ? (unsigned char) ('0' + core_random(2))
                 : kind == 2 ? (unsigned char) ("aAzZ09-."[core_random(8)])
                             : (unsigned char) (0x20 + core_random(95));
    }

    return name;
}


/* Each name is sorted as by ICU's comparison of the two names. */
TEST(test_collation)
{
    static const iri_str_t prefix[] = { IRI_STR(""), IRI_STR("\xC3\xA9"),
                                        IRI_STR("\xE8\xA1\xA8") };
    UErrorCode             error = U_ZERO_ERROR;
    unsigned char          octets[IRI_MAX_SEGMENT];
    iri_listing_entry_t    entry;
    iri_listing_info_t     info = { 0, 1, 1 };
    int                    is_left;
    iri_str_t              name, a, b;
    UCollator             *icu;
    size_t                 i;

    icu = ucol_open("", &error);
    ucol_setAttribute(icu, UCOL_NUMERIC_COLLATION, UCOL_ON, &error);
    assert_true(U_SUCCESS(error));
    list_init(&list, "", "");

    for (i = 0; i < 5000; i++) {
        name = prefix[i % COUNT(prefix)];
        memcpy(octets, name.data, name.len);
        name.len += random_ascii(octets + name.len, i % 100 ? 20 : 300).len;
        name.data = octets;
        assert_ok(iri_listing_add(list.listing, name, &info));
    }

    assert_ok(iri_listing_judge(list.listing, &entry, &is_left));
    assert_true(list.listing->count > 4000);

    for (i = 1; i < list.listing->count; i++) {
        a = iri_item_name(list.listing->ranks[i - 1]);
        b = iri_item_name(list.listing->ranks[i]);

        if (ucol_strcollUTF8(icu, (const char *) a.data, (int32_t) a.len,
                             (const char *) b.data, (int32_t) b.len, &error)
            == UCOL_GREATER)
        {
            fail_msg("%s is behind another", core_show(a));
        }
    }

    assert_true(U_SUCCESS(error));
    ucol_close(icu);
}


/* ---- names in a page ----------------------------------------------------- */

TEST(test_hostile)
{
    static const struct {
        const char *name;
        const char *row; /* part of the page */
    } cases[] = {
        { "a b", "<a href=\"./a%20b\"><bdi>a b</bdi></a>" },
        { "<b>&'\"", "<a href=\"./%3Cb%3E&amp;&#39;%22\"><bdi>&lt;b&gt;&amp;"
                     "&#39;&quot;</bdi></a>" },
        { "a\u202eb\xE2\x81\xA6",
          "<a href=\"./a%E2%80%AEb%E2%81%A6\"><bdi>a%E2%80%AEb%E2%81%A6</bdi>"
          "</a>" },
        { "%41%zz%", "<a href=\"./%2541%25zz%25\"><bdi>%2541%zz%</bdi></a>" },
        { "a?b#c:d", "<a href=\"./a%3Fb%23c:d\"><bdi>a?b#c:d</bdi></a>" },
        { "a\nb\x7F", "<bdi>a%0Ab%7F</bdi> <small lang=\"en\" "
                      "xml:lang=\"en\">No link: these octets are not a name "
                      "in the charset of this directory. Rename the entry, "
                      "or add its charset to iri_filename_charset "
                      "(IRIFilenameCharset).</small>" },
        { "\xC3\xA9\xFF%\xC0\xAF<",
          "<bdi>%C3%A9%FF%25%C0%AF&lt;</bdi> <small" },
        { "\xEF\xBF\xBE\xE2\x80\xA8\xC2\xAD\xEF\xBF\xB9",
          "<bdi>%EF%BF%BE%E2%80%A8%C2%AD%EF%BF%B9</bdi></a>" },
        /* A non-joiner in Persian, a joiner in Sinhala, emoji */
        { "\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE",
          "<bdi>\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE</bdi>" },
        { "\xE0\xB7\x81\xE0\xB7\x8A\xE2\x80\x8D\xE0\xB6\xBB",
          "<bdi>\xE0\xB7\x81\xE0\xB7\x8A\xE2\x80\x8D\xE0\xB6\xBB</bdi>" },
        { "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x9A\x80",
          "<bdi>\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x9A\x80</bdi>" },
        { "\xE2\x9D\xA4\xEF\xB8\x8F", "<bdi>\xE2\x9D\xA4\xEF\xB8\x8F</bdi>" },
        /* where they change nothing: at an end, between Latin letters */
        { "\xE2\x80\x8C\xD8\xAE", "<bdi>%E2%80%8C\xD8\xAE</bdi>" },
        { "a\u200db\xE2\x80\x8C\xEF\xB8\x8F",
          "<bdi>a%E2%80%8Db%E2%80%8C%EF%B8%8F</bdi>" },
        { "a\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x9A\x80",
          "<bdi>a%EF%B8%8F%E2%80%8D\xF0\x9F\x9A\x80</bdi>" },
        { "dir/", "<a href=\"./dir/\"><bdi>dir</bdi>/</a></td><td></td>" },
        { "javascript:alert(1)",
          "<a href=\"./javascript:alert(1)\"><bdi>javascript:alert(1)" },
    };
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        check_entry("", cases[i].name, 3, cases[i].row);
    }
}


/*
 * The output for a one-character name, octet by octet, written independently.
 */
static void
character(unsigned c, char href[16], char text[16], char json[16])
{
    static const struct {
        unsigned    c;
        const char *href, *text;
    } escaped[] = { { '&', "&amp;", "&amp;" },
                    { '\'', "&#39;", "&#39;" },
                    { '"', "%22", "&quot;" },
                    { '<', "%3C", "&lt;" },
                    { '>', "%3E", "&gt;" } };

    int is_sub = c != '\0' && strchr("-._~!$&'()*+,;=:@", (int) c) != NULL;
    int is_alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')
                   || (c >= 'a' && c <= 'z');
    size_t i;

    snprintf(href, 16, is_sub || is_alnum ? "%c" : "%%%02X", c);
    snprintf(text, 16, "%c", c);
    snprintf(json, 16, c == '"' || c == '\\' || c == '<' ? "\\u%04x" : "%c",
             c);

    for (i = 0; i < COUNT(escaped); i++) {
        if (c == escaped[i].c) {
            strcpy(href, escaped[i].href);
            strcpy(text, escaped[i].text);
        }
    }
}


/* Each character that a name may have, alone: it is visible in the page. */
TEST(test_characters)
{
    char     href[16], text[16], json[16], name[2] = "", want[256];
    unsigned c;

    for (c = 0x20; c < 0x7f; c++) {
        if (c == '/' || c == '.') {
            continue;
        }
        name[0] = (char) c;
        character(c, href, text, json);

        snprintf(want, sizeof(want),
                 "<tr><td><a href=\"./%s\"><bdi>%s</bdi></a></td>", href,
                 text);
        check_entry("", name, 3, want);
        snprintf(want, sizeof(want), "\n{\"name\":\"%s\",\"href\":\"./%s\",",
                 json,
                 c == '&'    ? "&"
                 : c == '\'' ? "'"
                             : href);
        check_entry("format=json", name, 3, want);
    }

    for (c = 1; c < 0x20; c++) {
        name[0] = (char) c;
        snprintf(want, sizeof(want), "<tr><td><bdi>%%%02X</bdi> <small", c);
        check_entry("", name, 3, want);
    }

    /* Invisible, and needs more than 16 bits. */
    check_entry("format=json", "\xE2\x80\xAE\xF3\xA0\x80\x81", 3,
                "\"name\":\"\\u202e\\udb40\\udc01\"");
}


/* Escapes are read up to the end of the text and no octet further. */
TEST(test_escapes)
{
    iri_buf_t buf = IRI_BUF_EMPTY;
    iri_str_t text = S("%41");

    text.len = 2;
    assert_ok(iri_html_put(&core.env, &buf, text));
    assert_str(iri_buf_str(&buf), S("%4"));
}


/* No text of the query appears in a page. */
TEST(test_query)
{
    static const char *const queries[] = {
        "\"><script>alert(1)</script>",
        "sort=\"><x>",
        "order='",
        "a=\xFF&b",
        "format=<x>",
        "sort=name%22%3E",
        "&&&&",
        "sort",
        "=",
    };
    static list_t plain;
    size_t        i;

    list_init(&plain, "", "");
    list_add(&plain, S("a"), 1, 0);
    list_page(&plain);

    for (i = 0; i < COUNT(queries); i++) {
        list_init(&list, "", queries[i]);
        list_add(&list, S("a"), 1, 0);
        assert_string_equal(list_page(&list), plain.page);
        list_free(&list);
    }

    list_free(&plain);
}


TEST(test_parents)
{
    static const iri_str_t hidden[] = { IRI_STR(".htaccess"), IRI_STR(".."),
                                        IRI_STR("a/b"), IRI_STR("a\0b"),
                                        IRI_STR("") };
    iri_listing_info_t     info = { 0, 1, 1 };
    const char            *p;
    size_t                 i;

    list_at(S("/a<&\xC3\xA9\xE2\x80\xAE/b/"), "sort=date&order=desc");
    list_page(&list);
    ASSERT_PAGE("This directory is empty.",
                "<title>/a&lt;&amp;\xC3\xA9%E2%80%AE/b/</title>",
                "<a href=\"/\"><bdi>/</bdi></a>",
                "<a href=\"/a%3C&amp;%C3%A9%E2%80%AE/\"><bdi>a&lt;&amp;",
                "/b/\" aria-current=\"page\"><bdi>b/",
                "0 directories, 0 files",
                "?sort=date&amp;order=desc&amp;format=json");
    assert_string_equal(list.answer.type, "text/html; charset=utf-8");
    assert_string_equal(list.answer.cache_control, "private");
    assert_int_equal(list.answer.status, 200);
    assert_null(list.answer.vary);

    /* A path that no request can have: it is not NUL-terminated either. */
    list_at(S("//b\x7F\xC2\x85\xFF\"\\/"), "");
    list_page(&list);
    assert_null(strstr(list.page, "href=\"//"));
    ASSERT_PAGE("<title>//b%7F%C2%85%FF&quot;\\/", "<p><a href=\"/\">Parent");
    p = list.answer.policy;
    assert_ptr_equal(strstr(p, "default-src 'none'; style-src 'sha256-"), p);
    assert_non_null(strstr(p, "='; base-uri 'none'; form-action 'none'"));

    list_at(S("/b\x1F\x7F\xC2\x85\xFF\"\\<\xF0\x9F\x98\x80/"), "format=json");
    list_page(&list);
    ASSERT_PAGE("{\"path\":\"/b\\u001f\\u007f\\u0085\\ufffd\\u0022\\u005c"
                "\\u003c\xF0\x9F\x98\x80/\",");
    assert_string_equal(list.answer.policy, "default-src 'none'");
    assert_string_equal(list.answer.type, "application/json");

    /* Names that are never listed, and "." and "..". */
    list_init(&list, "", "");
    for (i = 0; i < COUNT(hidden); i++) {
        assert_ok(iri_listing_add(list.listing, hidden[i], &info));
        assert_int_equal(list.listing->count, 0);
    }

    list_init(&list, "", "sort=size");
    list_add(&list, S("a"), 1, 0);
    list_page(&list);
    ASSERT_PAGE(
        "<th scope=\"col\" aria-sort=\"ascending\"><a href=\"?sort=size"
        "&amp;order=desc\">Size</a></th>",
        "0 directories, 1 file.");
    assert_null(strstr(list.page, "<script"));
}


/* The root, the directory itself and 23 parents are linked. */
TEST(test_deep)
{
    unsigned char path[2 * 60 + 2];
    const char   *p;
    size_t        depth, i, links;

    for (depth = 20; depth <= 60; depth++) {
        for (i = 0; i < depth; i++) {
            path[2 * i] = '/';
            path[2 * i + 1] = 'a';
        }
        path[2 * depth] = '/';

        list_at((iri_str_t){ 2 * depth + 1, path }, "");
        links = 0;
        for (p = list_page(&list); (p = strstr(p, "<li>")) != NULL; p++) {
            links++;
        }
        assert_int_equal(links, depth < 24 ? depth + 1 : 25);
    }
}


/* Sizes and dates are shown correctly. */
TEST(test_numbers)
{
    static const struct {
        uint64_t    size;
        const char *text;
    } sizes[] = {
        { 0, "<td>0 B</td>" },
        { 1023, "<td>1023 B</td>" },
        { 1024, "<td><data value=\"1024\">1.0 KiB</data></td>" },
        { 1536, "\"1536\">1.5 KiB<" },
        { 1075, "\"1075\">1.0 KiB<" }, /* rounded to nearest */
        { 1076, "\"1076\">1.1 KiB<" },
        { 10188, "\"10188\">9.9 KiB<" },
        { 10189, "\"10189\">10 KiB<" },
        { 10240, "\"10240\">10 KiB<" },
        { 10751, "\"10751\">10 KiB<" },
        { 10752, "\"10752\">11 KiB<" },
        { 1048063, "\"1048063\">1023 KiB<" },
        { 1048064, "\"1048064\">1.0 MiB<" },
        { 1048576, "\"1048576\">1.0 MiB<" },
        { 1099511627775, "\"1099511627775\">1.0 TiB<" },
        { UINT64_C(11529215046068469759),
          "\"11529215046068469759\">10 EiB<" },
        { UINT64_MAX, "\"18446744073709551615\">16 EiB<" },
    };
    int64_t   seconds;
    struct tm tm;
    time_t    t;
    char      want[64];
    size_t    i;

    for (i = 0; i < COUNT(sizes); i++) {
        check_entry("", "a", sizes[i].size, sizes[i].text);
    }

    for (i = 0; i < 2000; i++) {
        seconds = i == 0   ? -INT64_C(62135596800)
                  : i == 1 ? INT64_C(253402300799)
                           : (int64_t) core_random(0xffffffff) * 73
                                 - INT64_C(62135596800);
        t = (time_t) seconds;
        assert_non_null(gmtime_r(&t, &tm));
        snprintf(want, sizeof(want),
                 "\"modified\":\"%04d-%02d-%02dT%02d:%02d:"
                 "%02dZ\"",
                 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                 tm.tm_min, tm.tm_sec);
        list_init(&list, "", "format=json");
        list_add(&list, S("a"), 0, seconds);

        if (seconds <= INT64_C(253402300799)
            && strstr(list_page(&list), want) == NULL)
        {
            fail_msg("%s: %s", want, list.page);
        }
    }

    list_init(&list, "", "");
    list_add(&list, S("a"), 0, -INT64_C(62135596801));
    list_add(&list, S("b"), 0, INT64_C(253402300800));
    assert_null(strstr(list_page(&list), "<time"));
}


/* ---- links --------------------------------------------------------------- */

/* Is the one entry of a directory with this path linked? */
static int
linked_in(iri_str_t path, iri_str_t octets, iri_invalid_t invalid)
{
    iri_reading_conf_t conf = { core_charsets(""), invalid, 0 };

    list_begin(&list, "", "", 0, &conf);
    list.conf.path = path;
    assert_ok(iri_listing_begin(&list.core.env, &list.conf, &list.listing));
    list_add(&list, octets, 0, 0);
    list_page(&list);

    return list.listing->ranks[0]->linked;
}


/* Below a path that is refused nothing is linked. */
TEST(test_refused_paths)
{
    assert_true(linked_in(S("/d/"), S("a"), IRI_INVALID_404));
    assert_true(linked_in(S("/\xC3\xA9/"), S("a"), IRI_INVALID_404));
    assert_false(linked_in(S("/\xFF/"), S("a"), IRI_INVALID_404));
    assert_false(linked_in(S("/\xFF/"), S("a"), IRI_INVALID_400));
    assert_false(linked_in(S("/e\xCC\x81/"), S("a"), IRI_INVALID_404));
    assert_false(linked_in(S("/\x1F/"), S("\xC3\xA9"), IRI_INVALID_404));
}


/* Of two entries of equal length, the one that would be served is linked. */
TEST(test_twins)
{
    size_t i;

    list_init(&list, "", "");
    list_add(&list, S("\xCA\xB9"), 0, 0);
    list_add(&list, S("\xCD\xB4"), 0, 0);
    list_page(&list);
    assert_int_equal(list.listing->shown, 2);

    for (i = 0; i < 2; i++) {
        assert_true(list.listing->ranks[i]->conflict);
        assert_int_equal(list.listing->ranks[i]->linked,
                         list.listing->ranks[i]->same);
    }
}


/*
 * Names of the maximal length, and longer ones; as many segments as allowed,
 * and more.
 */
TEST(test_lengths)
{
    static unsigned char octets[IRI_MAX_OCTETS + 1], path[IRI_MAX_PATH + 99];
    iri_listing_entry_t  entry;
    iri_listing_info_t   info = { 0, 1, 1 };
    iri_str_t            name = { 0, octets };
    size_t               len;
    int                  is_left;

    memset(octets, 'a', sizeof(octets));

    for (len = IRI_MAX_SEGMENT - 1; len <= IRI_MAX_SEGMENT + 1; len++) {
        list_init(&list, "", "");
        name.len = len;
        assert_ok(iri_listing_add(list.listing, name, &info));
        assert_ok(iri_listing_judge(list.listing, &entry, &is_left));
        assert_int_equal(entry.name.len, len > IRI_MAX_SEGMENT ? 0 : len);
    }
    list_init(&list, "", "");
    for (len = IRI_MAX_OCTETS; len <= IRI_MAX_OCTETS + 1; len++) {
        name.len = len;
        assert_ok(iri_listing_add(list.listing, name, &info));
        assert_int_equal(list.listing->count, 1);
    }

    /* The path of the entry is too long for iri_read. */
    memset(path, 'b', sizeof(path));
    for (len = 0; len < sizeof(path); len += 1000) {
        path[len] = '/';
    }
    for (len = IRI_MAX_PATH - 4; len <= IRI_MAX_PATH + 2; len++) {
        path[len - 1] = '/';
        list_at((iri_str_t){ len, path }, "");
        list_add(&list, S("\xC3\xA9"), 0, 0);
        list_page(&list);
        assert_int_equal(list.listing->ranks[0]->linked,
                         len + 2 <= IRI_MAX_PATH);

        /* where a shorter name would be linked */
        path[len - 97] = '/';
        list_at((iri_str_t){ len - 96, path }, "");
        name.len = 98;
        memcpy(octets, "\xC3\xA9", 2);
        list_add(&list, name, 0, 0);
        list_page(&list);
        assert_int_equal(list.listing->ranks[0]->linked,
                         len + 2 <= IRI_MAX_PATH);
        path[len - 97] = 'b';
        path[len - 1] = 'b';
    }

    for (len = 2 * IRI_MAX_SEGMENTS - 3; len <= 2 * IRI_MAX_SEGMENTS + 1;
         len += 2)
    {
        memset(path, 'b', sizeof(path));
        for (size_t i = 0; i < len; i += 2) {
            path[i] = '/';
        }
        list_at((iri_str_t){ len, path }, "");
        list_add(&list, S("\xC3\xA9"), 0, 0);
        list_page(&list);
        assert_int_equal(list.listing->ranks[0]->linked,
                         (len + 1) / 2 <= IRI_MAX_SEGMENTS);

        /* the "/" at the end of a directory counts */
        list_at((iri_str_t){ len, path }, "");
        list_add(&list, S("\xC3\xA9/"), 0, 0);
        list_page(&list);
        assert_int_equal(list.listing->ranks[0]->linked,
                         (len + 1) / 2 + 1 <= IRI_MAX_SEGMENTS);
    }
}


/* ---- memory ------------------------------------------------ */

/*
 * With iri_invalid pass an entry without a name is linked by its octets, unless
 * the server opens another file for them, or a request with these octets is
 * read as another name.  All are reported.
 */
TEST(test_unnamed)
{
    static const char other[] = "<td><bdi>%E9.txt</bdi> <small lang=\"en\" "
                                "xml:lang=\"en\">No link: a URL with these "
                                "octets is read as another name";

    iri_reading_conf_t  reading = { core_charsets(""), IRI_INVALID_PASS, 0 };
    iri_listing_entry_t entry;
    int                 i, is_left;

    for (i = 0; i < 3; i++) {
        reading.charsets = core_charsets(i == 2 ? "windows-1252" : "");
        list_begin(&list, "euc-jp", "", 1, &reading);
        list_add(&list, S("\xE9.txt"), 3, 0);
        assert_ok(iri_listing_judge(list.listing, &entry, &is_left));
        iri_listing_judged(list.listing,
                           i == 1 ? IRI_NAME_UNLINKED : IRI_NAME_LINKED);
        assert_non_null(strstr(
            list_page(&list),
            i == 0 ? "<a href=\"./%E9.txt\"><bdi>%E9.txt</bdi></a> <small "
                     "lang=\"en\" xml:lang=\"en\">These octets are not a "
                     "name in the charset"
                   : other));
    }
}


/*
 * Make a listing of names of len octets: most of them, or as many as it holds.
 */
static size_t
list_many(list_t *list, size_t len, size_t most)
{
    static unsigned char octets[IRI_MAX_OCTETS];
    iri_listing_info_t   info = { 0, 1, 1 };
    iri_str_t            name = { len, octets };
    size_t               i;

    memset(octets, 0xff, sizeof(octets));

    for (i = 0; i < most && !iri_listing_is_full(list->listing); i++) {
        if (len < 100) { /* characters with long sort keys */
            snprintf((char *) octets, sizeof(octets), "%s%07lu",
                     "\xEA\xB0\x80\xEA\xB0\x81\xEA\xB0\x82\xEA\xB0\x83",
                     (unsigned long) (9999999 - i));
        }
        assert_ok(iri_listing_add(list->listing, name, &info));
    }

    return i;
}


/*
 * The memory of a listing is limited: further entries are left out, which is
 * reported; if there is no room for sort keys, the order is by code point.
 */
TEST(test_full)
{
    iri_listing_entry_t entry;
    size_t              n;
    int                 is_left;

    list_init(&list, "", "");
    n = list_many(&list, IRI_MAX_OCTETS, SIZE_MAX);
    assert_true(n > IRI_LISTING_MEMORY / IRI_MAX_OCTETS * 9 / 10);
    assert_true(n < IRI_LISTING_MEMORY / IRI_MAX_OCTETS);
    list_add(&list, S("left-out"), 3, 0);
    assert_int_equal(list.listing->count, n);
    assert_true(list.listing->taken <= IRI_LISTING_MEMORY);

    list_init(&list, "", "");
    list_many(&list, IRI_MAX_SEGMENT, SIZE_MAX);
    assert_non_null(strstr(list_page(&list), "Not all of this directory"));

    list_init(&list, "", "format=json");
    list_many(&list, IRI_MAX_SEGMENT, SIZE_MAX);
    assert_non_null(strstr(list_page(&list), "\n],\"more\":true"));

    list_init(&list, "", "");
    n = list_many(&list, 19, 1300000); /* some of these would have keys */
    assert_int_equal(n, 1300000);
    assert_ok(iri_listing_judge(list.listing, &entry, &is_left));
    assert_true(list.listing->taken <= IRI_LISTING_MEMORY);
    assert_null(list.listing->ranks[0]->key);
    assert_true(iri_str_compare(iri_item_name(list.listing->ranks[0]),
                                iri_item_name(list.listing->ranks[1]))
                < 0);
}


/* The memory of one entry. */
TEST(test_memory)
{
    iri_listing_entry_t entry;
    iri_listing_info_t  info = { 0, 1, 1 };
    int                 is_left;
    char                text[32];
    size_t              i;

    /* 48 octets besides the name and its key */
    list_init(&list, "", "");
    for (i = 0; i < 50000; i++) {
        snprintf(text, sizeof(text), "report_%06lu.txt", (unsigned long) i);
        assert_ok(iri_listing_add(list.listing, core_str(text), &info));
    }
    assert_ok(iri_listing_judge(list.listing, &entry, &is_left));
    assert_true(list.listing->taken < 50000 * (48 + 17 + 24));
}


void
core_tear_down(void)
{
    list_free(&list);
}
