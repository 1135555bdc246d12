/*
 * test_location.c - what goes into a header is a URI, and leads to rest
 *
 * Proves: a canonical path as URI and as IRI is escaped as the draft says;
 * a redirect keeps the query, never starts with "//", holds octets 21 to 7E
 * only, and the request that follows it is not redirected again.
 */

#include <stdlib.h>

#include "core.h"

#define E_ACUTE "\xc3\xa9"

static iri_reading_conf_t conf;


static void
test_path_to_uri(void **state)
{
    static const struct {
        const char *path, *uri;
    } cases[] = {
        { "", "" },
        { "/", "/" },
        { "/caf" E_ACUTE " 1", "/caf%C3%A9%201" },
        { "/-._~!$&'()*+,;=:@/aZ09", "/-._~!$&'()*+,;=:@/aZ09" },
        { "/\"#%<>?[\\]^`{|}\x7f\x01\n",
          "/%22%23%25%3C%3E%3F%5B%5C%5D%5E%60%7B%7C%7D%7F%01%0A" },
        { "/\xff\x80", "/%FF%80" },
        { "//a", "//a" },
    };
    core_t    core;
    iri_str_t out;
    char      octet[2] = "", escaped[4];
    size_t    i;

    (void) state;

    core_init(&core);

    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            iri_path_to_uri(&core.env, core_str(cases[i].path), &out),
            IRI_OK);
        assert_text(out, cases[i].uri);
    }

    /* RFC 3986, 3.3: pchar and "/" stay, all else does not. */
    for (i = 1; i < 256; i++) {
        octet[0] = (char) i;
        snprintf(escaped, sizeof(escaped), "%%%02X", (unsigned) i);
        assert_int_equal(iri_path_to_uri(&core.env, core_str(octet), &out),
                         IRI_OK);
        assert_text(out, i < 0x80
                                 && strchr("abcdefghijklmnopqrstuvwxyzABCDEF"
                                           "GHIJKLMNOPQRSTUVWXYZ0123456789"
                                           "-._~!$&'()*+,;=:@/",
                                           (int) i)
                             ? octet
                             : escaped);
    }

    assert_int_equal(iri_path_to_uri(&core.env, S("\0"), &out), IRI_OK);
    assert_text(out, "%00");
    core_free(&core);
}


static void
test_high_escaped(void **state)
{
    static const char *const high[] = {
        "", "/", "/a", "/caf%C3%A9", "%80", "%FF", "/%E6%97%A5/%E6%9C%AC",
    };
    static const char *const low[] = {
        "/%2F", "/%7F", "%25", "/caf%C3%A9%2F", "/%00%C3%A9",   "/%C3%A9/%2E",
        "%",    "/%",   "/%C", "/caf%C3%A9%",   "/caf%C3%A9%E", "%C3%A9a%C",
    };
    iri_str_t none = { 0, NULL };
    size_t    i;

    (void) state;

    assert_true(iri_is_high_escaped(none));

    for (i = 0; i < COUNT(high); i++) {
        assert_true(iri_is_high_escaped(core_str(high[i])));
    }

    for (i = 0; i < COUNT(low); i++) {
        assert_false(iri_is_high_escaped(core_str(low[i])));
    }
}


/* ucschar of RFC 3987, 2.2, as it stands there. */
static int
is_ucschar(uint32_t c)
{
    return (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfdcf)
           || (c >= 0xfdf0 && c <= 0xffef)
           || (c >= 0x10000 && c <= 0xdfffd && (c & 0xffff) <= 0xfffd)
           || (c >= 0xe1000 && c <= 0xefffd);
}


static void
test_path_to_iri(void **state)
{
    static const struct {
        const char *path, *iri;
    } cases[] = {
        { "", "" },
        { "/caf" E_ACUTE " 1", "/caf" E_ACUTE "%201" },
        { "/a?b%", "/a%3Fb%25" },
        { "/\xff" E_ACUTE, "/%FF" E_ACUTE },
        { "/\xc3", "/%C3" },
        { "/\xe2\x80\x8e", "/%E2%80%8E" },
        { "/\xed\xa0\x80", "/%ED%A0%80" },
    };
    core_t        core;
    unsigned char utf8[4];
    iri_str_t     out, c = { 0, utf8 };
    uint32_t      scalar;
    size_t        i;

    (void) state;

    core_init(&core);

    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            iri_path_to_iri(&core.env, core_str(cases[i].path), &out),
            IRI_OK);
        assert_text(out, cases[i].iri);
    }

    for (scalar = 0x80; scalar <= 0x10ffff; scalar++) {
        if (scalar >= 0xd800 && scalar <= 0xdfff) {
            continue;
        }

        c.len = iri_utf8_put(scalar, utf8);
        assert_int_equal(iri_path_to_iri(&core.env, c, &out), IRI_OK);
        assert_int_equal(out.len == c.len,
                         is_ucschar(scalar)
                             && !iri_char_is_bidi_control(scalar));
        core_forget(&core);
    }

    core_free(&core);
}


/* ---- redirects ---------------------------------------------------------- */

typedef struct {
    const char *target;
    const char *charsets;
    const char *found;    /* another path that was found; or NULL */
    const char *query;    /* NULL: none */
    const char *location; /* "" is none */
    const char *kept;     /* of a path that came escaped; NULL: the same */
} case_t;

static const case_t cases[] = {
    { "/a", "", NULL, NULL, "", NULL },
    { "/a", "", NULL, "x=1", "", NULL },
    { "/caf%C3%A9", "", NULL, NULL, "", NULL },
    { "/caf%c3%a9", "", NULL, NULL, "", NULL },
    { "/caf" E_ACUTE, "", NULL, NULL, "/caf%C3%A9", NULL },
    { "/" E_ACUTE "/%C3%A9", "", NULL, NULL, "/%C3%A9/%C3%A9", NULL },
    { "/cafe%CC%81", "", NULL, NULL, "/caf%C3%A9", NULL },
    { "/caf%E9", "windows-1252", NULL, NULL, "/caf%C3%A9", NULL },
    { "/caf%E9", "windows-1252", NULL, "", "/caf%C3%A9?", NULL },
    { "/caf%E9", "windows-1252", NULL, "a=%E9&b?c", "/caf%C3%A9?a=%E9&b?c",
      NULL },
    { "/caf%E9", "windows-1252", NULL, "a=\xe9 \r\n\x7f",
      "/caf%C3%A9?a=%E9%20%0D%0A%7F", NULL },
    { "/caf%E9", "", NULL, NULL, "", NULL }, /* no reading */

    /* found under another name */
    { "/%C9%BD", "euc-jp", "/\xe8\xa1\xa8", NULL, "/%E8%A1%A8", NULL },
    { "/%C9%BD", "euc-jp", "/\xe8\xa1\xa8", "q", "/%E8%A1%A8?q", NULL },
    { "/" E_ACUTE "%2F%25", "", "/e %/", NULL, "/e%20%25/", NULL },

    /* no other authority */
    { "//a.test/" E_ACUTE, "", NULL, NULL, "/a.test/%C3%A9", NULL },
    { "///a.test/" E_ACUTE, "", NULL, "q", "/a.test/%C3%A9?q", NULL },
    { "/%2Fa.test/" E_ACUTE, "", NULL, NULL, "/a.test/%C3%A9",
      "/%2Fa.test/%C3%A9" },
    { "/%C9%BD", "euc-jp", "//a.test/\xe8\xa1\xa8", NULL, "/a.test/%E8%A1%A8",
      NULL },
    { "/\\a.test/" E_ACUTE, "", NULL, NULL, "/%5Ca.test/%C3%A9", NULL },
    { "//" E_ACUTE, "", NULL, NULL, "/%C3%A9", NULL },

    /* the escapes of ASCII stay apart where they came apart */
    { "/" E_ACUTE "%2Fa%3F%25", "", NULL, NULL, "/%C3%A9/a%3F%25",
      "/%C3%A9%2Fa%3F%25" },
};


static iri_reading_t
read_target(core_t *core, iri_str_t target, int escaped)
{
    static unsigned char octets[4][1024];
    static int           turn;
    iri_request_t        request = { target, escaped, target };
    iri_reading_t        reading;

    if (!escaped) {
        request.path = core_unescape(target, octets[++turn % 4]);
    }

    assert_int_equal(iri_read(&core->env, &conf, &request, &reading), IRI_OK);

    return reading;
}


static void
assert_header(iri_str_t location)
{
    size_t i;

    assert_int_equal(location.data[0], '/');
    assert_false(location.len > 1 && location.data[1] == '/');

    for (i = 0; i < location.len; i++) {
        assert_in_range(location.data[i], 0x21, 0x7e);
    }
}


/* Follow it: the path is as it should be, and there is no other redirect. */
static void
assert_rest(core_t *core, iri_str_t location, int escaped)
{
    iri_reading_t reading;
    iri_str_t     again;
    size_t        i;

    for (i = 0; i < location.len && location.data[i] != '?'; i++) { /**/
    }

    location.len = i;
    reading = read_target(core, location, escaped);
    assert_int_equal(
        iri_location(&core->env, &reading, reading.path, 0, S(""), &again),
        IRI_OK);
    assert_text(again, "");
}


static void
check_case(const case_t *one, int escaped)
{
    core_t        core;
    iri_reading_t reading;
    iri_str_t     location, query = { 0, NULL };

    core_init(&core);
    conf.charsets = core_charsets(one->charsets);
    reading = read_target(&core, core_str(one->target), escaped);

    if (one->query != NULL) {
        query = core_str(one->query);
    }

    assert_int_equal(
        iri_location(&core.env, &reading,
                     one->found != NULL ? core_str(one->found) : reading.path,
                     one->query != NULL, query, &location),
        IRI_OK);
    assert_text(location,
                escaped && one->kept != NULL ? one->kept : one->location);

    if (location.len != 0) {
        assert_header(location);
        assert_rest(&core, location, escaped);
    }

    core_free(&core);
}


static void
test_locations(void **state)
{
    size_t i;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        check_case(&cases[i], 0);
        check_case(&cases[i], 1);
    }
}


static void
test_random_locations(void **state)
{
    static const char *const some[] = {
        "/",   "/",    "/",      "a",      ".",       "%2F",       "%2f",
        "%25", "%3F",  "%20",    "\\",     E_ACUTE,   "%C3%A9",    "e%CC%81",
        "%E9", "\xe9", "%A4%A2", "%95%5C", "%C9%BD",  "%E2%84%AA", "%CD%BE",
        ";",   "@",    ":",      "%5C",    "=%CC%B8", "%E2%80%8E",
    };
    static const char *const lists[] = { "", "windows-1252", "euc-jp sjis",
                                         "sjis windows-1256" };
    core_t                   core;
    iri_reading_t            reading;
    iri_str_t                location;
    char                     target[256];
    size_t                   turn, n, seen = 0;
    int                      escaped;

    (void) state;

    core_init(&core);

    for (turn = 0; turn < 100000; turn++) {
        snprintf(target, sizeof(target), "/");

        for (n = 1 + core_random(6); n > 0; n--) {
            core_append(target, some[core_random(COUNT(some))]);
        }

        escaped = (int) core_random(2);
        conf.charsets = core_charsets(lists[core_random(COUNT(lists))]);
        reading = read_target(&core, core_str(target), escaped);
        assert_int_equal(iri_location(&core.env, &reading, reading.path,
                                      (int) core_random(2), S("q\xe9"),
                                      &location),
                         IRI_OK);

        if (location.len != 0) {
            assert_header(location);
            assert_rest(&core, location, escaped);
            seen++;
        }

        core_forget(&core);
    }

    assert_true(seen > 20000);
    core_free(&core);
}


static void
test_hosts(void **state)
{
    static const struct {
        const char *host;
        int         plain;
    } cases[] = {
        { "", 1 },
        { "localhost", 1 },
        { "www.Example-1.test.", 1 },
        { "a_b", 1 },
        { "127.0.0.1", 1 },
        { "[::1]", 1 },
        { "[::ffff:192.0.2.1]", 1 },
        { "[]", 0 },
        { "[a@b]", 0 },
        { "[::1", 0 },
        { "::1", 0 },
        { "a:80", 0 },
        { "a@b", 0 },
        { "a%62", 0 },
        { "a/b", 0 },
        { "a b", 0 },
        { "a\\b", 0 },
        { "a?b", 0 },
        { "a#b", 0 },
        { "a,b", 0 },
        { "a\nb", 0 },
        { "a\x7f", 0 },
        { "b\xc3\xbc.example", 0 },
    };
    size_t i;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(iri_is_uri_host(core_str(cases[i].host)),
                         cases[i].plain);
    }

    assert_false(iri_is_uri_host((iri_str_t) IRI_STR("a\0b")));
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_to_uri),
        cmocka_unit_test(test_high_escaped),
        cmocka_unit_test(test_path_to_iri),
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_random_locations),
        cmocka_unit_test(test_hosts),
    };

    return cmocka_run_group_tests_name("location", tests, NULL, NULL);
}
