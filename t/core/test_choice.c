/*
 * test_choice.c - the page of candidates of an ambiguous path
 *
 * Covers: no name ends the element or string that contains it (any octets:
 * t/fuzz/fuzz_listing.c); links and uri are percent-encoded paths of this host;
 * Accept is weighed as in RFC 9110; without memory there is no body.
 */

#include <ctype.h>
#include <stdlib.h>

#include "core.h"

#define PATHS 8

#define LIST "<ul lang=\"\" xml:lang=\"\">\n"

#define HTML 0
#define JSON 1


static iri_choices_t
choices_of(const iri_str_t *paths, size_t count)
{
    iri_choices_t choices;

    memset(&choices, 0, sizeof(choices));
    choices.paths = paths;
    choices.count = count;
    return choices;
}


/* Write the page of choices; the client may get each of them. */
static iri_status_t
page_of(int json, iri_choices_t *choices, iri_page_t *page)
{
    iri_listing_t      *listing;
    iri_listing_entry_t entry;
    iri_status_t        status;
    int                 is_left;

    choices->accept = core_str(json ? "application/json" : "text/html");
    status = iri_choices_begin(&core.env, choices, &listing);

    while (status == IRI_OK) {
        status = iri_listing_judge(listing, &entry, &is_left);
        if (status != IRI_OK || !is_left) {
            break;
        }
        status = iri_listing_judged(listing, IRI_NAME_LINKED);
    }

    return status == IRI_OK ? iri_listing_page(listing, page) : status;
}


static iri_status_t
make(int json, iri_choices_t *choices, iri_str_t *out)
{
    iri_page_t   page;
    iri_status_t status = page_of(json, choices, &page);

    if (status == IRI_OK) {
        assert_int_equal(page.status, 300);
        assert_string_equal(page.vary, "Accept");
        assert_string_equal(page.cache_control, "no-store");
        assert_string_equal(page.type, json ? "application/json"
                                            : "text/html; charset=utf-8");
        assert_int_equal(strncmp(page.policy, "default-src 'none'", 18), 0);
        *out = page.body;
    }

    return status;
}


/* The body of one path, as text. */
static const char *
body_of(int json, iri_str_t path)
{
    static char   text[65536];
    iri_choices_t choices = choices_of(&path, 1);
    iri_str_t     out;

    assert_ok(make(json, &choices, &out));
    assert_true(out.len < sizeof(text));
    memcpy(text, out.data, out.len);
    text[out.len] = '\0';
    assert_int_equal(strlen(text), out.len);
    return text;
}


/* The text of the one item of a page. */
static const char *
html_of(iri_str_t path)
{
    char *text = (char *) body_of(HTML, path);
    char *from = strstr(text, LIST), *to = strstr(text, "\n</ul>");

    assert_non_null(from);
    assert_non_null(to);
    *to = '\0';
    return from + sizeof(LIST) - 1;
}


TEST(test_html)
{
    assert_string_equal(html_of(S("/caf\xC3\xA9")),
                        "<li><a href=\"/caf%C3%A9\"><bdi>/caf\xC3\xA9</bdi>"
                        "</a></li>");
    assert_string_equal(html_of(S("/<b>&'\"%")),
                        "<li><a href=\"/%3Cb%3E&amp;&#39;%22%25\">"
                        "<bdi>/&lt;b&gt;&amp;&#39;&quot;%</bdi></a></li>");
    assert_string_equal(html_of(S("/a\n\x7F\xC2\x85\u202eb\xE2\x81\xA6")),
                        "<li><a href=\"/a%0A%7F%C2%85%E2%80%AEb%E2%81%A6\">"
                        "<bdi>/a%0A%7F%C2%85%E2%80%AEb%E2%81%A6</bdi></a>"
                        "</li>");
    assert_string_equal(
        html_of(S("/\xE9\xC3")),
        "<li><a href=\"/%E9%C3\"><bdi>/%E9%C3</bdi></a></li>");
    assert_string_equal(html_of(S("///host/a")),
                        "<li><a href=\"/host/a\"><bdi>///host/a</bdi></a>"
                        "</li>");
    assert_string_equal(html_of(S("/a\u200bb\u00adc\xEF\xB8\x8F")),
                        "<li><a href=\"/a%E2%80%8Bb%C2%ADc%EF%B8%8F\">"
                        "<bdi>/a%E2%80%8Bb%C2%ADc%EF%B8%8F</bdi></a></li>");
}


TEST(test_json)
{
    assert_string_equal(body_of(JSON, S("/caf\xC3\xA9")),
                        "{\"choices\":[{\"path\":\"/caf\xC3\xA9\","
                        "\"uri\":\"/caf%C3%A9\"}]}\n");
    assert_string_equal(body_of(JSON, S("/\"\\</a>")),
                        "{\"choices\":[{\"path\":\"/\\u0022\\u005c\\u003c/a>"
                        "\",\"uri\":\"/%22%5C%3C/a%3E\"}]}\n");
    assert_string_equal(
        body_of(JSON, S("/\n\xC2\x85\xE2\x80\xAE\xE2\x80\xA8")),
        "{\"choices\":[{\"path\":\"/\\u000a\\u0085\\u202e"
        "\\u2028\",\"uri\":\"/%0A%C2%85%E2%80%AE%E2%80%A8\"}"
        "]}\n");
    assert_string_equal(body_of(JSON, S("/\xE9")),
                        "{\"choices\":[{\"path\":\"/\\ufffd\","
                        "\"uri\":\"/%E9\"}]}\n");
    assert_string_equal(body_of(JSON, S("/a\xE2\x80\x8B\xF3\xA0\x84\x80")),
                        "{\"choices\":[{\"path\":\"/a\\u200b\\udb40\\udd00\","
                        "\"uri\":\"/a%E2%80%8B%F3%A0%84%80\"}]}\n");
}


/* All pages have the head of a listing, with the hash of its style sheet. */
static iri_str_t
behind_head(iri_str_t page)
{
    static const char style[] = "</title>\n<style>:root{color-scheme:light "
                                "dark;";
    static const char end[] = "</style>\n</head>\n<body>\n<header>\n";
    const char       *text = (const char *) page.data, *at;
    iri_str_t         rest;

    assert_non_null(memmem(text, page.len, style, sizeof(style) - 1));
    at = memmem(text, page.len, end, sizeof(end) - 1);
    assert_non_null(at);
    assert_non_null(
        memmem(text, page.len, "<title>300 Multiple Choices</title>", 35));
    at += sizeof(end) - 1;
    rest.data = (const unsigned char *) at;
    rest.len = page.len - (size_t) (at - text);
    return rest;
}


/* The name and the query of the request may have any octets. */
TEST(test_request)
{
    iri_str_t     path = S("/a"), out;
    iri_choices_t choices = choices_of(&path, 1);

    choices.asked = S("/A<\xE2\x80\xAE");
    choices.has_query = 1;
    choices.query = S("b=1&c=\"<\xC3 '");
    assert_ok(make(HTML, &choices, &out));
    assert_text(behind_head(out),
                "<h1>Multiple Choices</h1>\n</header>\n<main>\n"
                "<p>Several names match <bdi>/A&lt;%E2%80%AE</bdi>. "
                "Select one.</p>\n" LIST
                "<li><a href=\"/a?b=1&amp;c=%22%3C%C3%20&#39;\">"
                "<bdi>/a</bdi></a></li>\n</ul>\n</main>\n</body>\n"
                "</html>\n");
    assert_ok(make(JSON, &choices, &out));
    assert_text(out, "{\"choices\":[{\"path\":\"/a\",\"uri\":\"/a?b=1&c="
                     "%22%3C%C3%20'\"}]}\n");

    choices.more = 1;
    choices.query = S("");
    assert_ok(make(HTML, &choices, &out));
    assert_non_null(memmem(out.data, out.len, "\"/a?\"", 5));
    assert_non_null(memmem(out.data, out.len,
                           "</ul>\n<p>More names match than are listed.",
                           41));
    assert_ok(make(JSON, &choices, &out));
    assert_text(out, "{\"choices\":[{\"path\":\"/a\",\"uri\":\"/a?\"}],"
                     "\"more\":true}\n");
}


TEST(test_count)
{
    static const char json[] =
        "{\"choices\":[{\"path\":\"/a\",\"uri\":\"/a\"}"
        ",{\"path\":\"/b\",\"uri\":\"/b\"}]}\n";
    iri_str_t     paths[2] = { IRI_STR("/a"), IRI_STR("/b") }, out;
    iri_choices_t two = choices_of(paths, 2);

    assert_ok(make(JSON, &two, &out));
    assert_text(out, json);
    assert_ok(make(HTML, &two, &out));
    assert_non_null(memmem(out.data, out.len, "/a</bdi></a></li>\n<li>", 22));
    assert_non_null(memmem(out.data, out.len, "charset=\"utf-8\"", 15));
}


/*
 * Only choices that the client may get are listed.  A directory is judged again
 * with "/".
 */
TEST(test_judged)
{
    iri_str_t     paths[3] = { IRI_STR("/a"), IRI_STR("/b"), IRI_STR("/c/") };
    iri_choices_t choices = choices_of(paths, 3);
    iri_listing_t      *listing;
    iri_listing_entry_t entry;
    iri_page_t          page;
    int                 is_left, directory;

    choices.accept = S("application/json");

    for (directory = 0; directory < 2; directory++) {
        assert_ok(iri_choices_begin(&core.env, &choices, &listing));
        iri_listing_judge(listing, &entry, &is_left);
        assert_str(entry.path, S("/a"));
        iri_listing_judged(listing, IRI_NAME_HIDDEN);
        iri_listing_judge(listing, &entry, &is_left);
        assert_str(entry.path, S("/b"));
        assert_false(entry.is_directory);
        iri_listing_judged(listing, IRI_NAME_DIRECTORY);
        iri_listing_judge(listing, &entry, &is_left);
        assert_str(entry.path, S("/b/"));
        assert_true(entry.is_directory);
        iri_listing_judged(listing,
                           directory ? IRI_NAME_LINKED : IRI_NAME_HIDDEN);
        iri_listing_judge(listing, &entry, &is_left);
        assert_str(entry.path, S("/c/"));
        iri_listing_judged(listing, IRI_NAME_DIRECTORY);
        iri_listing_judge(listing, &entry, &is_left);
        assert_false(is_left);
        assert_ok(iri_listing_page(listing, &page));
        assert_int_equal(page.status, directory ? 300 : 404);
        if (directory) {
            assert_text(page.body, "{\"choices\":[{\"path\":\"/b/\","
                                   "\"uri\":\"/b/\"}]}\n");
        }
    }
}


TEST(test_accept)
{
    static const struct {
        const char *accept;
        int         json;
    } rows[] = {
        { "", 0 },
        { "*/*", 0 },
        { "text/html", 0 },
        { "application/json", 1 },
        { "Application/JSON", 1 },
        { "application/*", 1 },
        { "application/jsonx", 0 },
        { "application/json, */*", 0 },
        { "application/json, */*;q=0.9", 1 },
        { "application/json, text/html", 0 },
        { "application/json;q=0.5, text/html;q=0.4", 1 },
        { "text/html;q=0.5, application/json", 1 },
        { "text/*;q=0.999,application/json;q=1.000", 1 },
        { "text/html;q=0.999,application/json;q=0.998", 0 },
        { "application/json;q=0", 0 },
        { "*/*;q=0.5, text/html;q=0", 1 },
        { "*/*, application/json;q=0", 0 },
        { "application/json ; charset=\"a,b;q=0\\\"\" ; Q=0.3, text/html;q=.2",
          0 },
        { "application/json;v=\"text/html\"", 1 },
        { "application/json;v=\"open, text/html", 1 },
        { "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
          0 },
        { ",;, ;q=1,, application/json,", 1 },
        { "application/json;q", 1 },
        { "application/json;q=", 1 },
        { "application/json;q=0x9, text/html;q=0.001", 0 },
        { "application/json;q=1.999, text/html", 0 },
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        if (iri_prefers_json(core_str(rows[i].accept)) != rows[i].json) {
            fail_msg("%s", rows[i].accept);
        }
    }
}


TEST(test_no_memory)
{
    iri_str_t     path = S("/caf\xC3\xA9/<"), out;
    iri_choices_t choices = choices_of(&path, 1);
    size_t        i, n;

    choices.asked = choices.query = path;
    choices.has_query = 1;

    for (i = 0; i < 2; i++) {
        core.fail_at = 0;
        core.allocs = 0;
        assert_ok(make((int) i, &choices, &out));
        n = core.allocs;
        assert_true(n > 0);

        for (; n > 0; n--) {
            core.allocs = 0;
            core.fail_at = n;
            out.data = NULL;
            assert_int_equal(make((int) i, &choices, &out), IRI_NO_MEMORY);
            assert_null(out.data);
        }
    }
}
