/*
 * test_reference.c - a Location set by others becomes a URI-reference
 *
 * Covers: the value has octets 21 to 7E only; a path of this host is read as a
 * request for it would be; the path of another host keeps its octets; scheme,
 * authority, query and fragment do not change; a raw host gets its A-labels.  Any input: t/fuzz/fuzz_reference.c.
 */

#include <stdlib.h>

#include "core.h"

#define E_ACUTE "\xc3\xa9"
#define NFD     "e\xcc\x81"

static iri_reading_conf_t        reading_conf;
static iri_location_field_conf_t conf;

/* The host of the value. */
enum { OWN = 0, OTHER = 1, ROOTED = 2 };


static void
configure(const char *charsets, int flags)
{
    reading_conf.charsets = core_charsets(charsets);
    conf.reading = &reading_conf;
    conf.hosts = core_hosts();
    conf.host = S("www.example");
    conf.port = 80;
    conf.other = (flags & OTHER) != 0;
    conf.rooted = (flags & ROOTED) != 0;
}


typedef struct {
    const char *value, *charsets, *out; /* NULL: out is value */
    int         flags;
} case_t;

static const case_t cases[] = {
    /* canonical values */
    { "", "", NULL, OWN },
    { "/", "", NULL, OWN },
    { "/a/b.html?x=%e9&y={\"", "", "/a/b.html?x=%e9&y={%22", OWN },
    { "/a/b.html?x=%e9&y={}|[]^`\\%zz#a#b", "", NULL, OWN },
    { "/caf%C3%A9?q#f", "", NULL, OWN },
    { "http://other.example/%E9", "windows-1252", NULL, OWN },
    { "mailto:a@b.example", "", NULL, OWN },
    { "a:b", "", NULL, OWN },
    { "1:b", "", NULL, OWN },
    { "?q", "", NULL, OWN },
    { "#f", "", NULL, OWN },
    { "../a/./b", "", NULL, OWN },
    { "http://[::1]:8080/a", "", NULL, OWN },
    { "//other.example/a", "", NULL, OWN },

    /* paths of this host */
    { "/caf" E_ACUTE, "", "/caf%C3%A9", OWN },
    { "/caf%c3%a9", "", "/caf%C3%A9", OWN },
    { "/caf" NFD, "", "/caf%C3%A9", OWN },
    { "/cafe%cc%81/" E_ACUTE, "", "/caf%C3%A9/%C3%A9", OWN },
    { "/a%2fb%3f%23%25" E_ACUTE, "", "/a%2Fb%3F%23%25%C3%A9", OWN },
    { "/%2e%2e/%41" E_ACUTE, "", "/%2E%2E/%41%C3%A9", OWN },
    { "/" E_ACUTE "?" E_ACUTE "#" E_ACUTE, "", "/%C3%A9?%C3%A9#%C3%A9", OWN },
    { "/?" NFD "&a=%cc%81", "", "/?e%CC%81&a=%cc%81", OWN },
    { "/100%.txt", "", "/100%25.txt", OWN },
    { "/%", "", "/%25", OWN },
    { "/%4", "", "/%254", OWN },
    { "/%/A", "", "/%25/A", OWN },
    { "/%zz" E_ACUTE, "", "/%25zz%C3%A9", OWN },
    { "/a b\\c\"d<e>f`{|}^[]", "",
      "/a%20b%5Cc%22d%3Ce%3Ef%60%7B%7C%7D%5E%5B%5D", OWN },
    { "/\\other.example/", "", "/%5Cother.example/", OWN },
    { "\\\\other.example/", "", "%5C%5Cother.example/", OWN },
    { "/\t/other.example/", "", "/%09/other.example/", OWN },
    { "/%2F/other.example/" E_ACUTE, "", "/%2F/other.example/%C3%A9", OWN },
    { "http://www.example/" NFD, "", "http://www.example/%C3%A9", OWN },
    { "HTTP://WWW.Example:80/" NFD, "", "HTTP://WWW.Example:80/%C3%A9", OWN },
    { "http://www.example:/" NFD, "", "http://www.example:/%C3%A9", OWN },
    { "//www.example/" NFD, "", "//www.example/%C3%A9", OWN },
    { "http://www.example?" NFD, "", "http://www.example?e%CC%81", OWN },
    { "../" NFD "/./" E_ACUTE, "", "../%C3%A9/./%C3%A9", OWN },
    { NFD ".html", "", "%C3%A9.html", OWN },
    { E_ACUTE ":b/c:d", "", "./%C3%A9:b/c:d", OWN },
    { "a b:c", "", "./a%20b:c", OWN },
    { "a/" E_ACUTE ":b", "", "a/%C3%A9:b", OWN },
    { "1:b?" E_ACUTE, "", "1:b?%C3%A9", OWN },
    { "./" E_ACUTE ":b", "", "./%C3%A9:b", OWN },

    /* in other charsets: only by the charset that is valid for the path */
    { "/caf\xe9", "windows-1252", "/caf%C3%A9", OWN },
    { "/caf%e9/", "windows-1252", "/caf%C3%A9/", OWN },
    { "/caf\xe9", "", "/caf%E9", OWN },
    { "/caf%e9", "", "/caf%E9", OWN },
    { "/\xc9\xbd\xff", "euc-jp", "/%C9%BD%FF", OWN },
    { "/\xc6\xfc\xcb\xdc", "euc-jp", "/%E6%97%A5%E6%9C%AC", OWN },
    { "/\xc6\xfc\xcb\xdc", "sjis euc-jp", "/%E6%97%A5%E6%9C%AC", OWN },
    { "/\xb4\xc1", "euc-jp", "/%E6%BC%A2", OWN },
    { "/\xb4\xc1", "sjis euc-jp", "/%B4%C1", OWN },
    { "/\x95\\.html", "sjis", "/%E8%A1%A8.html", OWN },
    { "/\x95%5c.html", "sjis windows-1252", "/%95%5C.html", OWN },
    { "/\xc6\xfc\xcb\xdc/\x8a\xbf", "euc-jp sjis", "/%C6%FC%CB%DC/%8A%BF",
      OWN },

    /* invalid in all charsets */
    { "/" E_ACUTE "\xff", "", "/%C3%A9%FF", OWN },
    { "/" NFD "/\xc2\x85", "", "/e%CC%81/%C2%85", OWN },
    { "/" NFD "\xe2\x80\x8e", "", "/%C3%A9%E2%80%8E", OWN },
    { "/\xe2\x84\xaa\xcd\xbe", "", "/%E2%84%AA%CD%BE", OWN },
    { "/x%3D\xcc\xb8", "", "/x%E2%89%A0", OWN },

    /* no header injection */
    { "/a\r\nX-Inj: 1\r\n\r\n<b>", "",
      "/a%0D%0AX-Inj:%201%0D%0A%0D%0A%3Cb%3E", OWN },
    { "/a?\r\nX: 1#\x7f\x01\"", "", "/a?%0D%0AX:%201#%7F%01%22", OWN },
    { "http://o.example\r\nX: 1/\n", "", "http://o.example%0D%0AX:%201/%0A",
      OWN },
    { "\n//o.example/", "", "%0A//o.example/", OWN },
    { " /a\t ", "", "/a", OWN },
    { "  //o.example/" E_ACUTE "  ", "", "//o.example/%C3%A9", OWN },

    /* paths of another host */
    { "http://o.example/%e9/" NFD "%2f\\{}% \xff?\xe9#\xe9", "windows-1252",
      "http://o.example/%e9/e%CC%81%2f\\{}%%20%FF?%E9#%E9", OWN },
    { "http://www.example:8080/%e9", "windows-1252",
      "http://www.example:8080/%e9", OWN },
    { "https://www.example/%e9", "windows-1252", "https://www.example/%e9",
      OWN },
    { "http://u@www.example/%e9", "windows-1252", "http://u@www.example/%e9",
      OWN },
    { "http://www.example:99999999/%e9", "windows-1252",
      "http://www.example:99999999/%e9", OWN },
    { "http://www.example:8x/%e9", "windows-1252",
      "http://www.example:8x/%e9", OWN },
    { "http://www.example:00080/%e9", "windows-1252",
      "http://www.example:00080/%C3%A9", OWN },
    { "http://www.example:4294967376/%e9", "windows-1252",
      "http://www.example:4294967376/%e9", OWN },
    { "http://www.example:0;0/%e9", "windows-1252",
      "http://www.example:0;0/%e9", OWN },
    { "http://www.example;80/%e9", "windows-1252",
      "http://www.example;80/%e9", OWN },
    { "http://@www.example/%e9", "windows-1252", "http://@www.example/%e9",
      OWN },
    { "1:" E_ACUTE, "", "./1:%C3%A9", OWN },
    { "http:/%e9", "windows-1252", "http:/%e9", OWN },
    { "ftp://www.example/%e9", "windows-1252", "ftp://www.example/%e9", OWN },
    { "mailto:" E_ACUTE ":b", "", "mailto:%C3%A9:b", OWN },
    { "/" E_ACUTE ":b", "", "/%C3%A9:b", OWN },
    { "http://www.example/" E_ACUTE ":b", "", "http://www.example/%C3%A9:b",
      OWN },
    { "ftp://www.example:80/%e9", "windows-1252", "ftp://www.example:80/%e9",
      OWN },
    { "mailto:" E_ACUTE "@b.example", "", "mailto:%C3%A9@b.example", OWN },
    { "/%e9/" NFD "%zz", "windows-1252", "/%e9/e%CC%81%zz", OTHER },
    { "http://www.example/%e9", "windows-1252", "http://www.example/%e9",
      OTHER },
    { "//o.example/%e9", "windows-1252", "//o.example/%e9", OWN },

    /* "//" is no authority where the server prepends one */
    { "//o.example/" NFD, "", "//o.example/%C3%A9", ROOTED },
    { "//b" E_ACUTE ".example/", "", "//b%C3%A9.example/", ROOTED },
    { "http://b" E_ACUTE ".example/", "", "http://xn--b-bga.example/",
      ROOTED },

    /* hosts */
    { "http://b\u00fccher.example:81/" E_ACUTE, "",
      "http://xn--bcher-kva.example:81/%C3%A9", OWN },
    { "//BU\u0308CHER.example", "", "//xn--bcher-kva.example", OWN },
    { "http://u" E_ACUTE "@b\u00fccher.example/", "",
      "http://u%C3%A9@xn--bcher-kva.example/", OWN },
    { "http://b%C3%BC"
      "cher.example/",
      "",
      "http://b%C3%BC"
      "cher.example/",
      OWN },
    { "http://b\xfc"
      "cher.example/",
      "windows-1252",
      "http://b%FC"
      "cher.example/",
      OWN },
    { "http://\xe2\x84\x80.example/", "", "http://%E2%84%80.example/", OWN },
    { "http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1/", "",
      "http://%EF%BC%91%EF%BC%92%EF%BC%97.1/", OWN },
    { "http://www.exampl\xef\xbd\x85/" NFD, "", "http://www.example/%C3%A9",
      OWN },
};


static iri_str_t
reference(iri_str_t value)
{
    iri_str_t out = { 0, NULL };

    assert_ok(iri_location_field(&core.env, &conf, value, &out));

    return out;
}


TEST(test_cases)
{
    iri_str_t value, out;
    size_t    i;

    for (i = 0; i < COUNT(cases); i++) {
        core_init(&core);
        configure(cases[i].charsets, cases[i].flags);
        value = core_str(cases[i].value);
        out = reference(value);

        if (cases[i].out == NULL) {
            assert_str(out, value);
            assert_ptr_equal(out.data, value.data);
        } else {
            assert_text(out, cases[i].out);
        }

        assert_str(reference(out), out);
    }
}


/* The value ends at its length, and NUL is an octet like any other. */
TEST(test_ends)
{
    iri_str_t value = S("/%41");

    configure("", OWN);
    value.len = 3;
    assert_text(reference(value), "/%254");
    assert_text(reference(S("//www.example\0/" NFD)),
                "//www.example%00/e%CC%81");
}


/* The port of "//host" is the default of an unknown scheme. */
TEST(test_ports)
{
    static const struct {
        unsigned    port;
        const char *value, *out;
    } ports[] = {
        { 80, "//www.example/" NFD, "//www.example/%C3%A9" },
        { 443, "//www.example/" NFD, "//www.example/%C3%A9" },
        { 8080, "//www.example/" NFD, "//www.example/e%CC%81" },
        { 8080, "//www.example:8080/" NFD, "//www.example:8080/%C3%A9" },
        { 8080, "http://www.example/" NFD, "http://www.example/e%CC%81" },
        { 443, "http://www.example/" NFD, "http://www.example/e%CC%81" },
        { 0, "//www.example/" NFD, "//www.example/e%CC%81" },
    };
    size_t i;

    for (i = 0; i < COUNT(ports); i++) {
        core_init(&core);
        configure("", OWN);
        conf.port = ports[i].port;
        assert_text(reference(core_str(ports[i].value)), ports[i].out);
    }
}


/* A path of visible ASCII allocates nothing and is not copied. */
TEST(test_plain_allocates_nothing)
{
    configure("windows-1252 euc-jp", OWN);
    core.fail_at = 1;
    core.fail_on = 1;
    assert_text(reference(S("http://a.example:8080/b%2Fc?d=e#f")),
                "http://a.example:8080/b%2Fc?d=e#f");
    assert_int_equal(core.allocs, 0);
}


TEST(test_log)
{
    core_init(&core);
    configure("", OWN);
    reference(S("http://b\u00fccher.example/"));
    assert_int_equal(core.log_len, 0);
    reference(S("http://-\xc3\xbc\r\n.example/"));
    assert_non_null(strstr(core.log, "host \"-%C3%BC%0D%0A.example\""));
    core_init(&core);
    conf.hosts = NULL;
    assert_text(reference(S("http://b\xc3\xbc/")), "http://b%C3%BC/");
}


static void
assert_visible(iri_str_t out)
{
    size_t i;

    for (i = 0; i < out.len; i++) {
        assert_in_range(out.data[i], 0x21, 0x7e);
        assert_null(strchr("\"<>", out.data[i]));
    }
}


/* A path over the limits is not read: its octets stay. */
TEST(test_long)
{
    static unsigned char value[3 * IRI_MAX_PATH];
    iri_str_t            s = { 0, value }, out;
    size_t               at;

    configure("", OWN);

    for (at = 0; at + 4 < sizeof(value); at += 4) {
        memcpy(value + at, "/" NFD, 4);
    }

    for (s.len = IRI_MAX_SEGMENTS * 4; s.len <= IRI_MAX_SEGMENTS * 4 + 4;
         s.len += 4)
    {
        out = reference(s);
        assert_visible(out);
        assert_memory_equal(
            out.data, s.len > IRI_MAX_SEGMENTS * 4 ? "/e%CC%81" : "/%C3%A9/",
            8);
        assert_str(reference(out), out);
    }

    s.len = at;
    assert_memory_equal(reference(s).data, "/e%CC%81", 8);
}


/* ---- canonical links ----------------------------------------------------- */

TEST(test_links)
{
    static const struct {
        const char *location, *link;
    } links[] = {
        { "/caf%C3%A9", "</caf%C3%A9>; rel=\"canonical\"" },
        { "/caf%C3%A9?a=1&b=<x>\"%0D,;",
          "</caf%C3%A9?a=1&b=%3Cx%3E%22%0D,;>; rel=\"canonical\"" },
        { "/%C3%A9?", "</%C3%A9?>; rel=\"canonical\"" },
    };
    iri_str_t out;
    size_t    i, at;

    for (i = 0; i < COUNT(links); i++) {
        core_init(&core);

        for (at = 1; /* void */; at++) {
            core.allocs = 0;
            core.fail_at = at;
            out = S("untouched");

            if (iri_canonical_link(&core.env, core_str(links[i].location),
                                   &out)
                == IRI_OK)
            {
                break;
            }

            assert_text(out, "untouched");
        }

        assert_true(at > 1);
        assert_text(out, links[i].link);
    }
}


/* Served resources have a canonical link; error pages and the like do not. */
TEST(test_may_link)
{
    static const int statuses[] = { 100, 199, 200, 206, 299, 300, 304, 404 };
    size_t           i;

    for (i = 0; i < COUNT(statuses); i++) {
        assert_int_equal(iri_may_link(statuses[i]), statuses[i] / 100 == 2);
    }
}
