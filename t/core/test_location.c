/*
 * test_location.c - redirects: the Location, and whether there is one
 *
 * Covers: a canonical path as URI and as IRI is escaped as in the draft; a
 * redirect keeps the query, never starts with "//", has octets 21 to 7E only,
 * and the request that follows it is not redirected again.  Any path:
 * t/fuzz/fuzz_uri.c.
 */

#include <stdlib.h>

#include "core.h"

#define E_ACUTE "\xc3\xa9"

static iri_reading_conf_t conf;


TEST(test_path_to_uri)
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
    iri_str_t out;
    char      octet[2] = "", escaped[4];
    size_t    i;

    for (i = 0; i < COUNT(cases); i++) {
        assert_ok(iri_path_to_uri(&core.env, core_str(cases[i].path), &out));
        assert_text(out, cases[i].uri);
    }

    /* RFC 3986, 3.3: pchar and "/" stay, all other octets are escaped. */
    for (i = 1; i < 256; i++) {
        octet[0] = (char) i;
        snprintf(escaped, sizeof(escaped), "%%%02X", (unsigned) i);
        assert_ok(iri_path_to_uri(&core.env, core_str(octet), &out));
        assert_text(out,
                    core_is_path_char((unsigned char) i) ? octet : escaped);
    }

    assert_ok(iri_path_to_uri(&core.env, S("\0"), &out));
    assert_text(out, "%00");
}


TEST(test_spell)
{
    static const struct {
        const char *sent, *spelled;
    } cases[] = {
        { "", "" },
        { "/", "/" },
        { "/a%2Fb%C3%A9", "/a%2Fb%C3%A9" },
        { "/a%2fb%c3%A9", "/a%2Fb%C3%A9" },
        { "/%61%7a%41%5A%30%39%2D%2e%5F%7e", "/azAZ09-._~" },
        { "/%2561", "/%2561" },
        { "/%21%3A%40", "/%21%3A%40" },
        { "/" E_ACUTE "\"", "/%C3%A9%22" },
        { "/%u65E5%", "/%25u65E5%25" },
        { "/%4", "/%254" },
    };
    iri_str_t out;
    size_t    i;

    for (i = 0; i < COUNT(cases); i++) {
        assert_ok(
            iri_uri_normalize(&core.env, core_str(cases[i].sent), &out));
        assert_text(out, cases[i].spelled);
        assert_int_equal(iri_uri_is_normalized(core_str(cases[i].sent)),
                         strcmp(cases[i].sent, cases[i].spelled) == 0);
        assert_true(iri_uri_is_normalized(out));
    }
}


TEST(test_high_escaped)
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

    assert_true(iri_uri_high_octets_escaped(none));

    for (i = 0; i < COUNT(high); i++) {
        assert_true(iri_uri_high_octets_escaped(core_str(high[i])));
    }

    for (i = 0; i < COUNT(low); i++) {
        assert_false(iri_uri_high_octets_escaped(core_str(low[i])));
    }
}


/* ucschar as defined in RFC 3987, 2.2. */
static int
is_ucschar(uint32_t c)
{
    return (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfdcf)
           || (c >= 0xfdf0 && c <= 0xffef)
           || (c >= 0x10000 && c <= 0xdfffd && (c & 0xffff) <= 0xfffd)
           || (c >= 0xe1000 && c <= 0xefffd);
}


TEST(test_path_to_iri)
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
    unsigned char utf8[4];
    iri_str_t     out, c = { 0, utf8 };
    uint32_t      scalar;
    size_t        i;

    for (i = 0; i < COUNT(cases); i++) {
        assert_ok(iri_path_to_iri(&core.env, core_str(cases[i].path), &out));
        assert_text(out, cases[i].iri);
    }

    for (scalar = 0x80; scalar <= 0x10ffff; scalar++) {
        if (scalar >= 0xd800 && scalar <= 0xdfff) {
            continue;
        }

        c.len = iri_utf8_put(scalar, utf8);
        assert_ok(iri_path_to_iri(&core.env, c, &out));
        assert_int_equal(out.len == c.len,
                         is_ucschar(scalar)
                             && !iri_char_is_bidi_control(scalar));
        core_forget(&core);
    }
}


/* ---- redirects ---------------------------------------------------------- */

typedef struct {
    const char *target;
    const char *charsets;
    const char *found;    /* another path that was found, or NULL */
    const char *query;    /* NULL: none */
    const char *location; /* "" is none */
} case_t;

static const case_t cases[] = {
    { "/a", "", NULL, NULL, "" },
    { "/a", "", NULL, "x=1", "" },
    { "/caf%C3%A9", "", NULL, NULL, "" },
    { "/caf" E_ACUTE, "", NULL, NULL, "/caf%C3%A9" },
    { "/" E_ACUTE "/%C3%A9", "", NULL, NULL, "/%C3%A9/%C3%A9" },
    { "/cafe%CC%81", "", NULL, NULL, "/caf%C3%A9" },
    { "/caf%E9", "windows-1252", NULL, NULL, "/caf%C3%A9" },
    { "/caf%E9", "windows-1252", NULL, "", "/caf%C3%A9?" },
    { "/caf%E9", "windows-1252", NULL, "a=%E9&b?c", "/caf%C3%A9?a=%E9&b?c" },
    { "/caf%E9", "windows-1252", NULL, "a=\xe9 \r\n\x7f",
      "/caf%C3%A9?a=%E9%20%0D%0A%7F" },
    { "/caf%E9", "", NULL, NULL, "" }, /* no reading */

    /* the canonical spelling */
    { "/caf%c3%a9", "", NULL, NULL, "/caf%C3%A9" },
    { "/c%61f%C3%A9", "", NULL, NULL, "/caf%C3%A9" },
    { "/c%61f%C3%A9", "", NULL, "%61", "/caf%C3%A9?%61" },
    { "/%66ile.txt", "", NULL, NULL, "/file.txt" },
    { "/%7E%2d%2E%5f", "", NULL, NULL, "/~-._" },
    { "/a%2fb", "", NULL, NULL, "/a%2Fb" },
    { "/a%2Fb%21%3a", "", NULL, NULL, "/a%2Fb%21%3A" },
    { "/a%2Fb%21%3A", "", NULL, NULL, "" },
    { "/a\"b|c", "", NULL, NULL, "/a%22b%7Cc" },
    { "/a%22b%7Cc", "", NULL, NULL, "" },
    { "/a%2541", "", NULL, NULL, "" },

    /* found under another name */
    { "/%C9%BD", "euc-jp", "/\xe8\xa1\xa8", NULL, "/%E8%A1%A8" },
    { "/%C9%BD", "euc-jp", "/\xe8\xa1\xa8", "q", "/%E8%A1%A8?q" },
    { "/" E_ACUTE "%2F%25", "", "/e %/", NULL, "/e%20%25%2F" },
    { "/A%2FB/C", "", "/a/b/c", NULL, "/a%2Fb/c" },
    { "/A%2fb", "", "/a/b", "q", "/a%2Fb?q" },
    { "/%2FA", "", "//a", NULL, "/%2Fa" },
    { "/A//%2Fb", "", "/a/b", NULL, "/a/b" }, /* the server merged slashes */
    { "/A%2Fb", "", "/a", NULL, "/a" },
    { "/A%2Fb", "", "/x/a/b", NULL, "/x/a/b" }, /* a rule added a segment */
    { "/A", "", "/a", NULL, "/a" },

    /* never another authority */
    { "//a.test/" E_ACUTE, "", NULL, NULL, "/a.test/%C3%A9" },
    { "//a.test/%66", "", NULL, NULL, "/a.test/f" },
    { "///a.test/" E_ACUTE, "", NULL, "q", "/a.test/%C3%A9?q" },
    { "/%2Fa.test/" E_ACUTE, "", NULL, NULL, "/%2Fa.test/%C3%A9" },
    { "/%C9%BD", "euc-jp", "//a.test/\xe8\xa1\xa8", NULL,
      "/a.test/%E8%A1%A8" },
    { "/\\a.test/" E_ACUTE, "", NULL, NULL, "/%5Ca.test/%C3%A9" },
    { "//" E_ACUTE, "", NULL, NULL, "/%C3%A9" },

    /* ASCII characters that were escaped stay escaped */
    { "/" E_ACUTE "%2Fa%3F%25", "", NULL, NULL, "/%C3%A9%2Fa%3F%25" },
    { "/%93%FA%96%7b%2f", "shift_jis", NULL, NULL, "/%E6%97%A5%E6%9C%AC%2F" },
    { "/%93%FA%96{%2f", "shift_jis", NULL, NULL, "/%E6%97%A5%E6%9C%AC%2F" },
    { "/%83%41", "shift_jis", NULL, NULL, "/%E3%82%A2" },
};


/* escaped: as httpd passes a path; else as nginx does */
static iri_reading_t
read_target(iri_str_t target, int escaped)
{
    static unsigned char octets[4][1024];
    static int           turn;
    iri_received_path_t  request = { target, escaped, target };
    iri_reading_t        reading;

    if (!escaped) {
        request.path = core_unescape(target, octets[++turn % 4]);
    }

    assert_ok(iri_read(&core.env, &conf, &request, &reading));

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


/*
 * Follow the redirect: the path is canonical, and there is no second redirect.
 */
static void
assert_rest(iri_str_t location, int escaped)
{
    iri_redirect_t redirect;
    iri_reading_t  reading;
    iri_str_t      again;
    size_t         i;

    for (i = 0; i < location.len && location.data[i] != '?'; i++) { /**/
    }

    location.len = i;
    reading = read_target(location, escaped);
    memset(&redirect, 0, sizeof(redirect));
    redirect.reading = &reading;
    redirect.sent = location;
    redirect.path = reading.path;
    assert_ok(iri_redirect_location(&core.env, &redirect, &again));
    assert_text(again, "");
}


static void
check_case(const case_t *one, int escaped)
{
    iri_redirect_t redirect;
    iri_reading_t  reading;
    iri_str_t      location;

    core_init(&core);
    conf.charsets = core_charsets(one->charsets);
    reading = read_target(core_str(one->target), escaped);

    memset(&redirect, 0, sizeof(redirect));
    redirect.reading = &reading;
    redirect.sent = core_str(one->target);
    redirect.path = one->found != NULL ? core_str(one->found) : reading.path;

    if (one->query != NULL) {
        redirect.has_query = 1;
        redirect.query = core_str(one->query);
    }

    assert_ok(iri_redirect_location(&core.env, &redirect, &location));
    assert_text(location, one->location);

    if (location.len != 0) {
        assert_header(location);
        assert_rest(location, escaped);
    }
}


TEST(test_locations)
{
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        check_case(&cases[i], 0);
        check_case(&cases[i], 1);
    }
}


/*
 * The server has removed dot-segments or merged slashes: the resulting path
 * counts, and a target of ASCII stays as sent, except for its escapes.
 */
TEST(test_other_segments)
{
    static const struct {
        const char *sent, *octets, *location;
    } moved[] = {
        { "/x/../" E_ACUTE, "/" E_ACUTE, "/%C3%A9" },
        { "/a//" E_ACUTE "%2Fb", "/a/" E_ACUTE "/b", "/a/%C3%A9/b" },
        { "/a//%C3%A9", "/a/" E_ACUTE, "" },
        { "/x/../a", "/a", "" },
        { "/a//%62", "/a/b", "/a//b" },
        { "/a/%2e/b", "/a/b", "" },
        { "/c/%2e%2e/a/%62", "/a/b", "" },
        { "/a/%2e%62", "/a/.b", "/a/.b" },
        { "//x//%62", "/x/b", "/x//b" },
    };
    iri_redirect_t      redirect;
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_str_t           location;
    size_t              i;

    conf.charsets = core_charsets("");

    for (i = 0; i < COUNT(moved); i++) {
        memset(&request, 0, sizeof(request));
        request.path = core_str(moved[i].octets);
        request.target = core_str(moved[i].sent);
        assert_ok(iri_read(&core.env, &conf, &request, &reading));

        memset(&redirect, 0, sizeof(redirect));
        redirect.reading = &reading;
        redirect.sent = request.target;
        redirect.path = reading.path;
        assert_ok(iri_redirect_location(&core.env, &redirect, &location));
        assert_text(location, moved[i].location);

        /* escapes that an application may distinguish stay */
        assert_int_equal(
            iri_may_redirect(S("GET"), &redirect, IRI_UNCONFIRMED),
            reading.form == IRI_FORM_ASCII);
    }
}


/* One redirect for the directory's slash and the canonical form. */
TEST(test_slash)
{
    iri_redirect_t redirect;
    iri_reading_t  reading;
    iri_str_t      location;

    conf.charsets = core_charsets("");

    memset(&redirect, 0, sizeof(redirect));
    redirect.sent = S("/%2f%64" E_ACUTE);
    reading = read_target(redirect.sent, 1);
    redirect.reading = &reading;
    redirect.path = reading.path;
    redirect.slash = 1;
    redirect.has_query = 1;
    redirect.query = S("q");
    assert_ok(iri_redirect_location(&core.env, &redirect, &location));
    assert_text(location, "/%2Fd%C3%A9/?q");
}


/* Does the entry that was found confirm the path? */
TEST(test_confirmed)
{
    static const struct {
        const char *path, *found;
        int         confirmed;
    } cases[] = {
        { "/", "/", 1 },
        { "/" E_ACUTE, "/" E_ACUTE, 1 },
        { "/a/" E_ACUTE "/b", "/x/y/" E_ACUTE "/b", 1 },
        { "/a/" E_ACUTE "/b", "/x/y/b", 0 },
        { "/a/b", "/index.php", 1 },
        { "/" E_ACUTE, "/index.php", 0 },
        { "/" E_ACUTE, "", 0 },
        { "/" E_ACUTE, E_ACUTE, 1 },
        { "/a" E_ACUTE, "/b" E_ACUTE, 0 },
        { "/a" E_ACUTE "/c", "/b" E_ACUTE "/c", 0 },
        { "/" E_ACUTE, "/public/" E_ACUTE, 1 },
        { "/" E_ACUTE "/", "/public/", 0 },
    };
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(iri_found_confirms(core_str(cases[i].path),
                                            core_str(cases[i].found)),
                         cases[i].confirmed);
    }
}


/* The whole table of conditions for a redirect. */
TEST(test_may_redirect)
{
    static const struct {
        const char *form; /* of the reading */
        const char *target, *charsets;
        const char *found; /* another path that was found, or NULL */
        int         present, unconfirmed;
    } table[] = {
        { "ascii", "/%66", "", NULL, 1, 1 },
        { "ascii", "/a%2fb", "", NULL, 1, 1 },
        { "ascii", "/A", "", "/a", 1, 0 },
        { "ascii", "/%25C3%25A9", "", "/" E_ACUTE, 1, 0 },
        { "native", "/" E_ACUTE, "", NULL, 1, 1 },
        { "native", "/" E_ACUTE, "", "/e", 1, 0 },
        { "escaped", "/%c3%a9", "", NULL, 1, 1 },
        { "escaped", "/e%CC%81", "", NULL, 1, 1 },
        { "escaped", "/%C3%A9%2F", "", NULL, 1, 1 },
        { "escaped", "/%C9%BD", "euc-jp", "/\xe8\xa1\xa8", 1, 0 },
        { "escaped", "/%C3%89", "", "/" E_ACUTE, 1, 0 },
        { "mixed", "/" E_ACUTE "%C3%A9", "", NULL, 1, 1 },
        { "mixed", "/" E_ACUTE "%C3%A9", "", "/ee", 1, 0 },
        { "legacy", "/%E9", "windows-1252", NULL, 1, 0 },
        { "legacy", "/\xe9", "windows-1252", NULL, 1, 0 },
        { "legacy", "/%E9", "windows-1252", "/e", 1, 0 },
        { "mojibake", "/%C3%A3%C2%81%E2%80%9E", "", NULL, 1, 0 },
        { "invalid", "/%E9", "", NULL, 0, 0 },
        { "invalid", "/%E9", "", "/e", 0, 0 },
    };
    static const char *const methods[] = { "GET",     "HEAD",     "POST",
                                           "PUT",     "get",      "DELETE",
                                           "OPTIONS", "",         "GETX",
                                           "MOVE",    "PROPFIND", "HEA" };
    iri_redirect_t           redirect;
    iri_reading_t            reading;
    iri_str_t                method;
    size_t                   i, k;
    int                      escaped, safe, sent;

    for (i = 0; i < COUNT(table) * 4; i++) {
        escaped = i % 2;
        sent = i / 2 % 2;
        conf.charsets = core_charsets(table[i / 4].charsets);
        conf.repair = IRI_REPAIR_MOJIBAKE;
        conf.repair *= strcmp(table[i / 4].form, "mojibake") == 0;
        reading = read_target(core_str(table[i / 4].target), escaped);
        conf.repair = 0;
        assert_string_equal(iri_form_text(reading.form), table[i / 4].form);

        memset(&redirect, 0, sizeof(redirect));
        redirect.reading = &reading;
        redirect.path = table[i / 4].found != NULL
                            ? core_str(table[i / 4].found)
                            : reading.path;

        if (sent) {
            redirect.sent = core_str(table[i / 4].target);
        }

        for (k = 0; k < COUNT(methods); k++) {
            method = core_str(methods[k]);
            safe = k < 2;

            assert_int_equal(iri_may_redirect(method, &redirect, IRI_PRESENT),
                             safe && table[i / 4].present);
            assert_int_equal(
                iri_may_redirect(method, &redirect, IRI_UNCONFIRMED),
                safe && table[i / 4].unconfirmed);
            assert_int_equal(iri_may_redirect(method, &redirect, IRI_ABSENT),
                             0);
        }
    }
}


/* A path of any length has a complete Location. */
TEST(test_very_long_uri)
{
    iri_str_t      path = { IRI_MAX_BUFFER + 1, NULL }, uri;
    unsigned char *octets = malloc(path.len);

    assert_non_null(octets);
    path.data = memset(octets, 0xe9, path.len);

    assert_int_equal(iri_path_to_uri(&core.env, path, &uri), IRI_NO_MEMORY);
    assert_int_equal(core.allocs, 0);
    path.len = 3;
    assert_ok(iri_path_to_uri(&core.env, path, &uri));
    assert_str(uri, S("%E9%E9%E9"));

    free(octets);
}


TEST(test_short_locations)
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
    iri_reading_t reading;
    iri_str_t     location;
    size_t        i;

    memset(&conf, 0, sizeof(conf));
    reading = read_target(S("/" E_ACUTE), 0);

    for (i = 0; i < COUNT(cases); i++) {
        assert_ok(core_location(&core.env, &reading, core_str(cases[i].path),
                                NULL, &location));
        assert_text(location, cases[i].location);
    }
}
