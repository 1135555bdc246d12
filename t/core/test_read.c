/*
 * test_read.c - reading the octets of a path
 *
 * Covers: the form, charset, canonical path and URI of each kind of path, as
 * nginx (unescaped) and httpd (escaped) hand it over; paths without a reading,
 * and their answer; each limit at one less, itself and one more.
 * Any path: t/fuzz/fuzz_read.c.
 */

#include <stdlib.h>

#include "core.h"

/* A path as it is sent, and its reading. */
typedef struct {
    const char *target;
    const char *charsets; /* of iri_charset; "": none */
    const char *path;     /* canonical; NULL: no reading */
    iri_form_t  form;
    const char *charset;
    iri_why_t   why;      /* if there is no reading */
    const char *uri;      /* NULL: path, percent-encoded */
    const char *uri_kept; /* of a path handed over escaped; NULL: uri */
} case_t;

#define NO(why)      NULL, IRI_FORM_INVALID, "", why, NULL, NULL
#define UNREADABLE   NO(IRI_WHY_UNREADABLE)
#define BIDI         NO(IRI_WHY_BIDI)
#define NATIVE(path) path, IRI_FORM_NATIVE, "UTF-8", IRI_WHY_NONE, NULL, NULL
#define ESCAPED(path)                                                        \
    path, IRI_FORM_ESCAPED, "UTF-8", IRI_WHY_NONE, NULL, NULL
#define MIXED(path) path, IRI_FORM_MIXED, "UTF-8", IRI_WHY_NONE, NULL, NULL
#define LEGACY(path, charset)                                                \
    path, IRI_FORM_LEGACY, charset, IRI_WHY_NONE, NULL, NULL

static const case_t cases[] = {
    /* the four forms */
    { "/caf\xc3\xa9", "", NATIVE("/caf\xc3\xa9") },
    { "/caf%C3%A9", "", ESCAPED("/caf\xc3\xa9") },
    { "/caf%c3%a9", "", ESCAPED("/caf\xc3\xa9") },
    { "/\xc3\xa9/%C3%A9", "", MIXED("/\xc3\xa9/\xc3\xa9") },
    { "/\xc3%A9", "", MIXED("/\xc3\xa9") },
    { "/%C3\xa9", "", MIXED("/\xc3\xa9") },
    { "/caf%E9", "windows-1252", LEGACY("/caf\xc3\xa9", "windows-1252") },
    { "/caf\xe9", "windows-1252", LEGACY("/caf\xc3\xa9", "windows-1252") },
    { "/caf\xe9", "", UNREADABLE },
    { "/%C9%BD", "euc-jp", ESCAPED("/\xc9\xbd") }, /* UTF-8 comes first */
    { "/%C9%BD%C9%BD.%A4%A2", "euc-jp",
      LEGACY("/\xe8\xa1\xa8\xe8\xa1\xa8.\xe3\x81\x82", "EUC-JP") },
    { "/%C2%95%5C", "sjis", UNREADABLE }, /* UTF-8 with a C1 control */
    { "/\xc2\x85", "windows-1252 koi8-r", UNREADABLE },
    { "/\xc2\x85\xe9", "windows-1252",
      LEGACY("/\xc3\x82\xe2\x80\xa6\xc3\xa9", "windows-1252") },
    { "/%95%5C", "sjis", LEGACY("/\xe8\xa1\xa8", "Shift_JIS") },
    { "/\x95\\", "sjis", LEGACY("/\xe8\xa1\xa8", "Shift_JIS") },
    { "/%95\\.txt", "sjis", LEGACY("/\xe8\xa1\xa8.txt", "Shift_JIS") },

    /* the first charset that is valid for the whole path */
    { "/\xe9", "koi8-r windows-1252", LEGACY("/\xd0\x98", "KOI8-R") },
    { "/\xe9", "windows-1252 koi8-r", LEGACY("/\xc3\xa9", "windows-1252") },
    { "/\xe9", "euc-jp windows-1252", LEGACY("/\xc3\xa9", "windows-1252") },
    { "/\xb4\xc1/\xe9", "euc-jp windows-1252",
      LEGACY("/\xc2\xb4\xc3\x81/\xc3\xa9", "windows-1252") },
    { "/\x90/\xe9", "windows-1252", UNREADABLE }, /* 90 is unassigned */

    /* no charset for all segments: the first for each segment */
    { "/\x95\x5c/\xff", "sjis windows-1251",
      LEGACY("/\xe2\x80\xa2\\/\xd1\x8f", "windows-1251") },
    { "/\xe2\x82\xac/\x98", "windows-1251 windows-1252",
      LEGACY("/\xc3\xa2\xe2\x80\x9a\xc2\xac/\xcb\x9c", "windows-1252") },
    { "/%A4%A2/%95%5C", "euc-jp sjis",
      LEGACY("/\xef\xbd\xa4\xef\xbd\xa2/\xe8\xa1\xa8", "Shift_JIS") },
    { "/%E3%81%82/%B4%C1/%FA%40", "euc-jp sjis",
      LEGACY("/\xe3\x81\x82/\xe6\xbc\xa2/\xe2\x85\xb0", "mixed") },
    { "/a/%B4%C1/%FA%40/", "euc-jp sjis",
      LEGACY("/a/\xef\xbd\xb4\xef\xbe\x81/\xe2\x85\xb0/", "Shift_JIS") },
    { "/%B4%C1/%FF", "euc-jp", UNREADABLE },

    /* NFC; where the path is httpd's, escapes of ASCII stay */
    { "/cafe%CC%81", "", ESCAPED("/caf\xc3\xa9") },
    { "/cafe\xcc\x81", "", NATIVE("/caf\xc3\xa9") },
    { "/caf%65%CC%81", "", ESCAPED("/caf\xc3\xa9") },
    { "/e%CC%81e%CC%81", "", ESCAPED("/\xc3\xa9\xc3\xa9") },
    { "/%CC%81e", "", ESCAPED("/\u0301e") },
    { "/a/%CC%81", "", ESCAPED("/a/\xcc\x81") },
    { "/x%3D%CC%B8", "", ESCAPED("/x\xe2\x89\xa0") },
    { "/x=%CC%B8", "", ESCAPED("/x\xe2\x89\xa0") },
    { "/%3C%CC%B8", "", ESCAPED("/\xe2\x89\xae") },
    { "/%E1%84%92%E1%85%A1%E1%86%AB", "", ESCAPED("/\xed\x95\x9c") },
    { "/%E2%84%AB", "", ESCAPED("/\xc3\x85") },     /* angstrom */
    { "/%CE%87", "", ESCAPED("/\xc2\xb7") },        /* ano teleia */
    { "/%EF%A4%80", "", ESCAPED("/\xe8\xb1\x88") }, /* U+F900 */
    { "/%E0%A5%98", "", ESCAPED("/\xe0\xa4\x95\xe0\xa4\xbc") },
    { "/a%F2", "windows-1258", LEGACY("/\xe1\xba\xa1", "windows-1258") },

    /* three characters whose NFC is ASCII do not change */
    { "/%CD%BE", "", ESCAPED("/\xcd\xbe") },
    { "/%E1%BF%AF", "", ESCAPED("/\xe1\xbf\xaf") },
    { "/%E2%84%AA", "", ESCAPED("/\xe2\x84\xaa") },
    { "/%E2%84%AA%CC%81", "", ESCAPED("/\xe2\x84\xaa\xcc\x81") },
    { "/e%E2%84%AA%CC%81e%CC%81", "",
      ESCAPED("/e\xe2\x84\xaa\xcc\x81\xc3\xa9") },

    /* ASCII that must be escaped */
    { "/%C3%A9%2Fa", "", "/\xc3\xa9/a", IRI_FORM_ESCAPED, "UTF-8",
      IRI_WHY_NONE, "/%C3%A9/a", "/%C3%A9%2Fa" },
    { "/%C3%A9%2fa%20b%25%3F%41", "", "/\xc3\xa9/a b%?A", IRI_FORM_ESCAPED,
      "UTF-8", IRI_WHY_NONE, "/%C3%A9/a%20b%25%3FA",
      "/%C3%A9%2Fa%20b%25%3F%41" },
    { "/%2525%C3%A9", "", ESCAPED("/%25\xc3\xa9") }, /* unescaped once */
    { "/\"<>[]^`{|}\\\xc3\xa9", "", "/\"<>[]^`{|}\\\xc3\xa9", IRI_FORM_NATIVE,
      "UTF-8", IRI_WHY_NONE, "/%22%3C%3E%5B%5D%5E%60%7B%7C%7D%5C%C3%A9",
      NULL },
    { "/-._~!$&'()*+,;=:@%C3%A9", "", ESCAPED("/-._~!$&'()*+,;=:@\xc3\xa9") },
    { "//%C3%A9//", "", ESCAPED("//\xc3\xa9//") },
    { "/./%C3%A9/..", "", ESCAPED("/./\xc3\xa9/..") },

    /* not UTF-8 */
    { "/%C0%AF", "", UNREADABLE },
    { "/%C1%81", "", UNREADABLE },
    { "/%E0%80%AF", "", UNREADABLE },
    { "/%E0%9F%BF", "", UNREADABLE },
    { "/%F0%80%80%AF", "", UNREADABLE },
    { "/%F0%8F%BF%BF", "", UNREADABLE },
    { "/%ED%A0%80", "", UNREADABLE },
    { "/%ED%BF%BF", "", UNREADABLE },
    { "/%ED%A0%BD%ED%B8%80", "", UNREADABLE },
    { "/%F4%90%80%80", "", UNREADABLE },
    { "/%F8%88%80%80%80", "", UNREADABLE },
    { "/%C3", "", UNREADABLE },
    { "/%C3/%A9", "", UNREADABLE },
    { "/%C3%2F%A9", "", UNREADABLE },
    { "/%80", "", UNREADABLE },
    { "/%FE%FF", "", UNREADABLE },
    { "/%F4%8F%BF%BD", "", ESCAPED("/\xf4\x8f\xbf\xbd") },
    { "/%EF%BF%BE", "", ESCAPED("/\xef\xbf\xbe") },
    { "/%EF%BF%BD", "", ESCAPED("/\xef\xbf\xbd") },

    /* controls, in any segment */
    { "/%C3%A9%00", "", UNREADABLE },
    { "/%C3%A9/a%0Ab", "", UNREADABLE },
    { "/%1F/%C3%A9", "", UNREADABLE },
    { "/%7F%C3%A9", "", UNREADABLE },
    { "/%C2%80", "", UNREADABLE },
    { "/%C2%85", "", UNREADABLE },
    { "/%C2%9F", "", UNREADABLE },
    { "/%C2%A0", "", ESCAPED("/\xc2\xa0") },
    { "/%85", "iso-8859-2", UNREADABLE }, /* a C1 control there */
    { "/%E9%00", "windows-1252", UNREADABLE },
    { "/%E9%0D%0A", "windows-1252", UNREADABLE },

    /* in a legacy charset neither U+FFFD nor a noncharacter */
    { "/%84%31%A4%37", "gb18030", UNREADABLE }, /* U+FFFD */
    { "/%84%31%A4%38", "gb18030", UNREADABLE }, /* U+FFFE */
    { "/%90%30%81%30", "gb18030", LEGACY("/\xf0\x90\x80\x80", "gb18030") },

    /* bidi controls: accepted only percent-encoded */
    { "/%E2%80%8E", "", ESCAPED("/\xe2\x80\x8e") },
    { "/\xe2\x80\x8e", "", BIDI },
    { "/a\u202eb", "", BIDI },
    { "/\xd8\x9c", "", BIDI },
    { "/\xe2\x81\xa6", "", BIDI },
    { "/\xe2\x80\x8e", "windows-1252",
      BIDI }, /* a legacy charset does not make it acceptable */
    { "/\xe2\x80\x8e/\xe9",
      "windows-1252", /* except where the path is not UTF-8 */
      LEGACY("/\xc3\xa2\xe2\x82\xac\xc5\xbd/\xc3\xa9", "windows-1252") },
    { "/\xe9/\xe2\x80\x8e", "windows-1252",
      LEGACY("/\xc3\xa9/\xc3\xa2\xe2\x82\xac\xc5\xbd", "windows-1252") },
    { "/\xc3\xa9%E2%80%8E", "", MIXED("/\xc3\xa9\xe2\x80\x8e") },
    { "/\xe2\x80\x8d", "",
      NATIVE("/\xe2\x80\x8d") }, /* ZWJ is no bidi control */
    { "/%FD%FD", "windows-1256",
      LEGACY("/\xe2\x80\x8e\xe2\x80\x8e", "windows-1256") },
    { "/\xfd\xfd", "windows-1256", BIDI },
    { "/\xe2\x80%8E", "", BIDI },
    { "/%E2\x80\x8e", "", BIDI },
};


static iri_str_t
escape(iri_str_t s, unsigned char *out)
{
    iri_str_t e = { 0, out };
    size_t    i;
    char      hex[4];

    for (i = 0; i < s.len; i++) {
        if (core_is_path_char(s.data[i])) {
            out[e.len++] = s.data[i];
            continue;
        }

        snprintf(hex, sizeof(hex), "%%%02X", s.data[i]);
        memcpy(out + e.len, hex, 3);
        e.len += 3;
    }

    return e;
}


/* Compare two readings, except their uri. */
static void
check_same(const iri_received_path_t *request, const iri_reading_t *got,
           const iri_reading_t *want)
{
    iri_str_t uri = got->uri;

    assert_int_equal(got->verdict, want->verdict);
    assert_int_equal(got->status, want->status);
    assert_int_equal(got->why, want->why);
    assert_int_equal(got->form, want->form);
    assert_int_equal(got->raw, want->raw);
    assert_ptr_equal(got->conf, want->conf);
    assert_str(got->charset, want->charset);
    assert_str(got->path, want->path);
    assert_str(got->octets, want->octets);

    if (uri.len == 0 && !request->escaped) {
        assert_ok(iri_path_to_uri(&core.env, got->path, &uri));
    }

    assert_str(uri, want->uri);
}


/* Without a uri the rest of the result is the same. */
static void
check_read_path(const iri_reading_conf_t  *conf,
                const iri_received_path_t *request, const iri_reading_t *want)
{
    iri_reading_t got;

    memset(&got, 0x5a, sizeof(got));
    assert_ok(iri_read_path(&core.env, conf, request, &got));
    check_same(request, &got, want);
}


static iri_reading_t
read_path(const iri_reading_conf_t *conf, iri_str_t path, int escaped,
          iri_str_t target)
{
    iri_received_path_t request = { path, escaped, target };
    iri_reading_t       reading;
    iri_status_t        status;

    memset(&reading, 0x5a, sizeof(reading));
    status = iri_read(&core.env, conf, &request, &reading);

    if (status != IRI_OK) {
        fail_msg("%s: %s", core_show(path), iri_status_text(status));
    }

    assert_ptr_equal(reading.conf, conf);
    check_read_path(conf, &request, &reading);

    return reading;
}


static int
has_high(const char *s)
{
    while (*s != '\0' && (unsigned char) *s < 0x80) {
        s++;
    }

    return *s != '\0';
}


static void
check_case(const case_t *one, int escaped)
{
    static unsigned char octets[256], uri[256];
    iri_reading_conf_t conf = { core_charsets(one->charsets), IRI_INVALID_404,
                                0 };
    iri_str_t          target = core_str(one->target), u, want;
    iri_reading_t      got;

    core_init(&core);
    u = core_unescape(target, octets);
    got = read_path(&conf, escaped ? target : u, escaped, target);

    if (got.form != one->form) {
        print_error("%s, escaped %d:\n", core_show(target), escaped);
    }

    assert_int_equal(got.form, one->form);
    assert_text(got.charset, one->charset);
    assert_int_equal(got.raw, has_high(one->target));
    assert_str(got.octets, u);

    if (one->path == NULL) {
        assert_int_equal(got.verdict, IRI_REFUSE);
        assert_int_equal(got.status, 404);
        assert_int_equal(got.why, one->why);
        assert_str(got.path, u);
        return;
    }

    assert_text(got.path, one->path);
    want = escaped && one->uri_kept != NULL ? core_str(one->uri_kept)
           : one->uri != NULL               ? core_str(one->uri)
                              : escape(core_str(one->path), uri);
    assert_str(got.uri, want);
    assert_int_equal(got.status, 0);

    if (iri_str_equal(got.path, u)
        && (!escaped || iri_str_equal(got.uri, target)))
    {
        assert_int_equal(got.verdict, IRI_PASS);
        assert_int_equal(got.why, IRI_WHY_CANONICAL);

    } else {
        assert_int_equal(got.verdict, IRI_SERVE);
        assert_int_equal(got.why, IRI_WHY_READ);
    }
}


TEST(test_cases)
{
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        check_case(&cases[i], 0);
        check_case(&cases[i], 1);
    }
}


/* ---- ASCII -------------------------------------------------------------- */

TEST(test_ascii)
{
    unsigned char      high[24];
    iri_reading_conf_t conf = { core_charsets("sjis"), IRI_INVALID_404, 0 };
    iri_reading_t      got;
    size_t             len, at;

    assert_true(iri_path_is_ascii(S(""), 0));
    assert_true(iri_path_is_ascii(S("/a%20b%7E"), 1));
    assert_true(iri_path_is_ascii(S("/a%C3"), 0));
    assert_false(iri_path_is_ascii(S("/a%C3"), 1));
    assert_false(iri_path_is_ascii(S("/a%80"), 1));
    assert_false(iri_path_is_ascii(S("/a%fF"), 1));
    assert_true(iri_path_is_ascii(S("/a%"), 1));
    assert_true(iri_path_is_ascii((iri_str_t){ 0, NULL }, 1));

    /* An octet above 7F at each position of paths of each length. */
    for (len = 1; len <= sizeof(high); len++) {
        for (at = 0; at < len; at++) {
            memset(high, 'a', sizeof(high));
            high[at] = 0x80;
            assert_false(iri_path_is_ascii((iri_str_t){ len, high }, 0));
            assert_false(iri_path_is_ascii((iri_str_t){ len, high }, 1));
            assert_true(iri_path_is_ascii((iri_str_t){ at, high }, 0));
            high[at] = 0x7f;
            assert_true(iri_path_is_ascii((iri_str_t){ len, high }, 0));
        }
    }

    got = read_path(&conf, S("/a/b"), 0, S("/a/b"));
    assert_int_equal(got.verdict, IRI_PASS);
    assert_int_equal(got.why, IRI_WHY_ASCII);
    assert_int_equal(got.form, IRI_FORM_ASCII);
    assert_text(got.path, "/a/b");
    assert_text(got.uri, "/a/b");
    assert_text(got.octets, "/a/b");
    assert_int_equal(got.charset.len, 0);
    assert_int_equal(got.raw, 0);
    assert_int_equal(core.allocs, 0); /* an ASCII path allocates nothing */
}


TEST(test_bad_escapes)
{
    static const char *const bad[] = { "/\xc3\xa9%",   "/\xc3\xa9%4",
                                       "/\xc3\xa9%4G", "/\xc3\xa9%G4",
                                       "/\xc3\xa9%-1", "/\xc3\xa9%%41",
                                       "/%C3%A9% 1",   "/%C3%A9%\xc3\xa9" };
    iri_reading_conf_t conf = { core_charsets(""), IRI_INVALID_PASS, 0 };
    iri_reading_t      reading, before;
    size_t             i;

    for (i = 0; i < COUNT(bad); i++) {
        iri_received_path_t request = { core_str(bad[i]), 1, { 0, NULL } };

        core_init(&core);
        memset(&reading, 0x5a, sizeof(reading));
        before = reading;
        assert_int_equal(iri_read(&core.env, &conf, &request, &reading),
                         IRI_BAD_ESCAPE);
        assert_memory_equal(&reading, &before, sizeof(reading));
    }

    /* Incomplete, and followed in memory by what would complete it. */
    for (i = 8; i <= 10; i++) {
        iri_received_path_t request = { S("/%C3%A9%41"), 1, { 0, NULL } };

        request.path.len = i;
        assert_int_equal(iri_read(&core.env, &conf, &request, &reading),
                         i < 10 ? IRI_BAD_ESCAPE : IRI_OK);
    }
}


/* ---- iri_invalid, raw --------------------------------------------------- */

TEST(test_invalid)
{
    static const struct {
        iri_invalid_t invalid;
        iri_verdict_t verdict;
        int           status;
    } say[] = {
        { IRI_INVALID_404, IRI_REFUSE, 404 },
        { IRI_INVALID_400, IRI_REFUSE, 400 },
        { IRI_INVALID_PASS, IRI_PASS, 0 },
    };
    iri_reading_t got;
    size_t        i;

    for (i = 0; i < COUNT(say); i++) {
        iri_reading_conf_t conf = { core_charsets("euc-jp"), say[i].invalid,
                                    0 };

        core_init(&core);
        got = read_path(&conf, S("/a%FF%41"), 1, S("/a%FF%41"));
        assert_int_equal(got.verdict, say[i].verdict);
        assert_int_equal(got.status, say[i].status);
        assert_int_equal(got.why, IRI_WHY_UNREADABLE);
        assert_int_equal(got.form, IRI_FORM_INVALID);
        assert_int_equal(got.charset.len, 0);
        assert_text(got.path, "/a\xff"
                              "A");
    }
}


TEST(test_target)
{
    iri_reading_conf_t conf = { core_charsets(""), IRI_INVALID_404, 0 };
    iri_reading_t      got;

    /* The query does not matter. */
    got = read_path(&conf, S("/\xc3\xa9"), 0, S("/%C3%A9?\xe2\x80\x8e"));
    assert_int_equal(got.form, IRI_FORM_ESCAPED);
    assert_int_equal(got.raw, 0);

    /* No target: the path is the target. */
    got = read_path(&conf, S("/%C3%A9"), 1, S(""));
    assert_int_equal(got.form, IRI_FORM_ESCAPED);
    got = read_path(&conf, S("/\xc3\xa9"), 1, S(""));
    assert_int_equal(got.form, IRI_FORM_NATIVE);
    assert_int_equal(got.raw, 1);

    /* The path of an internal redirect: no octet of it was sent raw. */
    got = read_path(&conf, S("/\xe2\x80\x8e"), 0, S(""));
    assert_int_equal(got.form, IRI_FORM_ESCAPED);
    assert_int_equal(got.verdict, IRI_PASS);
    assert_int_equal(got.raw, 0);
}


/* ---- limits ------------------------------------------------------------- */

static void
check_limit(const unsigned char *path, size_t len, int escaped, int over)
{
    iri_reading_conf_t conf = { core_charsets("windows-1252"),
                                IRI_INVALID_PASS, 0 };
    iri_reading_t      got;
    iri_str_t          s = { len, path };

    core_init(&core);
    got = read_path(&conf, s, escaped, s);

    if (over) {
        assert_int_equal(got.verdict, IRI_REFUSE);
        assert_int_equal(got.status, 404);
        assert_int_equal(got.why, IRI_WHY_LIMIT);
        assert_int_equal(got.form, IRI_FORM_INVALID);

    } else {
        assert_int_equal(got.verdict, escaped ? got.verdict : IRI_PASS);
        assert_int_not_equal(got.why, IRI_WHY_LIMIT);
        assert_int_not_equal(got.form, IRI_FORM_INVALID);
    }
}


/* A path of len octets: segments of 1,000, the last one shorter. */
TEST(test_path_limit)
{
    static unsigned char path[IRI_MAX_PATH + 2], sent[3 * IRI_MAX_PATH + 32];
    size_t               i, k;
    int                  escaped;

    for (i = 0; i < sizeof(path); i++) {
        path[i] = i % 1000 == 0 ? '/' : 'a';
    }

    path[1] = 0xc3;
    path[2] = 0xa9;

    for (escaped = 0; escaped < 2; escaped++) {
        check_limit(path, IRI_MAX_PATH - 1, escaped, 0);
        check_limit(path, IRI_MAX_PATH, escaped, 0);
        check_limit(path, IRI_MAX_PATH + 1, escaped, 1);
    }

    /*
     * The limit counts unescaped octets: segments of 1,000, of which 999 are
     * escaped.
     */
    for (i = 0, k = 0; i <= IRI_MAX_PATH; i++) {
        memcpy(sent + k, i == 1 ? "%C3" : i == 2 ? "%A9" : "%61", 3);
        sent[k] = i % 1000 == 0 ? '/' : '%';
        k += i % 1000 == 0 ? 1 : 3;

        if (i + 1 >= IRI_MAX_PATH - 1) {
            check_limit(sent, k, 1, i + 1 > IRI_MAX_PATH);
        }
    }

    /* An ASCII path is not limited. */
    path[1] = path[2] = 'a';
    check_limit(path, IRI_MAX_PATH + 1, 0, 0);
}


TEST(test_segments_limit)
{
    unsigned char path[2 * IRI_MAX_SEGMENTS + 8];
    size_t        count, i, len;
    int           slash;

    /* "/é/a/a ...", then the same with its last segment empty. */
    for (slash = 0; slash < 2; slash++) {
        for (count = IRI_MAX_SEGMENTS - 1; count <= IRI_MAX_SEGMENTS + 1;
             count++) {
            memcpy(path, "/\xc3\xa9", 3);
            len = 3;

            for (i = 1; i < count; i++) {
                path[len++] = '/';
                path[len++] = 'a';
            }

            check_limit(path, len - (size_t) slash, 0,
                        count > IRI_MAX_SEGMENTS);
            check_limit(path, len - (size_t) slash, 1,
                        count > IRI_MAX_SEGMENTS);
        }
    }
}


TEST(test_segment_limit)
{
    static unsigned char path[3 * IRI_MAX_SEGMENT + 16];
    size_t               n;

    for (n = IRI_MAX_SEGMENT - 1; n <= IRI_MAX_SEGMENT + 1; n++) {
        memset(path, 'a', sizeof(path));
        memcpy(path, "/x/", 3);
        memcpy(path + 3, "\xc3\xa9", 2);
        check_limit(path, 3 + n, 0, n > IRI_MAX_SEGMENT);
        check_limit(path, 3 + n, 1, n > IRI_MAX_SEGMENT);

        /* Unescaped octets count, also in a segment that is ASCII. */
        memcpy(path + 3, "%C3%A9", 6);
        check_limit(path, 3 + n + 4, 1, n > IRI_MAX_SEGMENT);
        memset(path + 3, 'a', n);
        memcpy(path + 3 + n, "/\xc3\xa9", 3);
        check_limit(path, 3 + n + 3, 0, n > IRI_MAX_SEGMENT);
    }
}


/*
 * The canonical path has the same limits; windows-874 grows from 1 octet to 3.
 */
static void
check_grown(size_t segments, size_t characters, int slash, int over)
{
    static unsigned char path[IRI_MAX_PATH], want[4 * IRI_MAX_PATH];
    iri_reading_conf_t   conf = { core_charsets("windows-874"),
                                  IRI_INVALID_PASS, 0 };
    iri_reading_t        got;
    iri_str_t            s = { 0, path }, w = { 0, want };
    size_t               i, k;

    for (i = 0; i < segments; i++) {
        path[s.len++] = want[w.len++] = '/';

        for (k = 0; k < characters; k++) {
            path[s.len++] = 0xe0; /* U+0E40, which is not inert */
            memcpy(want + w.len, "\xe0\xb9\x80", 3);
            w.len += 3;
        }
    }

    if (slash) {
        path[s.len++] = want[w.len++] = '/';
    }

    core_init(&core);
    got = read_path(&conf, s, 0, s);

    if (over) {
        assert_int_equal(got.verdict, IRI_REFUSE);
        assert_int_equal(got.why, IRI_WHY_LIMIT);

    } else {
        assert_int_equal(got.form, IRI_FORM_LEGACY);
        assert_str(got.path, w);
    }
}


TEST(test_canonical_limits)
{
    check_grown(1, 341, 0, 0); /* 1,023 octets */
    check_grown(1, 342, 0, 1); /* 1,026 */
    check_grown(9, 303, 1, 0); /* 8,191 octets with the slashes */
    check_grown(8, 341, 0, 0); /* 8,192 */
    check_grown(8, 341, 1, 1); /* 8,193 */
}


/*
 * An escaped "/" is a slash in the path: the parts beside it are canonical, and
 * limits apply, as with a plain one.
 */
TEST(test_escaped_slashes)
{
    static const struct {
        const char *before, *after; /* of 31 marks */
    } sent[] = {
        { "/", "" },
        { "/", "%2Fe%CC%81" },
        { "/e%CC%81%2F", "" },
        { "/e%CC%81%2F", "%2fe%CC%81%2F" },
    };
    iri_reading_conf_t none = { core_charsets(""), IRI_INVALID_404, 0 };
    char               target[512];
    iri_reading_t      first, second;
    size_t             i, k;

    for (i = 0; i < COUNT(sent); i++) {
        snprintf(target, sizeof(target), "%sa", sent[i].before);

        for (k = 0; k < 31; k++) {
            core_append(target, "%CC%81");
        }

        core_append(target, sent[i].after);
        core_init(&core);
        first = read_path(&none, core_str(target), 1, S(""));
        second = read_path(&none, first.path, 0, S(""));
        assert_int_equal(second.verdict, IRI_PASS);
        assert_str(second.path, first.path);
        assert_int_equal(iri_str_count(first.path, '/') > 1,
                         strstr(core_show(first.uri), "%2F") != NULL);
    }
}


TEST(test_new_paths)
{
    static const struct {
        const char *path;
        int new;
    } cases[] = {
        { "", 0 },
        { "a", 0 },
        { "/", 1 },
        { "/a", 1 },
        { "/a/b/", 1 },
        { "/a//b", 0 },
        { "//a", 0 },
        { "/a//", 0 },
        { "/.", 0 },
        { "/./a", 0 },
        { "/a/..", 0 },
        { "/a/../b", 0 },
        { "/...", 1 },
        { "/.a", 1 },
        { "/a.", 1 },
        { "/..a/b..", 1 },
        { "/a\n", 0 },
        { "/\x1f"
          "b",
          0 },
        { "/a\x7f", 0 },
        { "/ ", 1 },
        { "/a\\b", 1 },
        { "/\xc3\xa9", 1 },
        { "/a%00", 1 },
        { "/.\xc3\xa9", 1 },
    };
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        if (iri_is_new_path(core_str(cases[i].path)) != cases[i].new) {
            fail_msg("%s", core_show(core_str(cases[i].path)));
        }
    }

    assert_false(iri_is_new_path((iri_str_t) IRI_STR("/a\0b")));
}


/* U+061C or U+200E raw, in a target that is truncated after it. */
TEST(test_raw_bidi_cut)
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
    iri_reading_conf_t conf = { core_charsets(""), IRI_INVALID_404, 0 };
    iri_reading_t      reading;
    size_t             i;

    for (i = 0; i < COUNT(cases); i++) {
        reading = read_path(&conf, core_str(cases[i].path), 0,
                            core_str(cases[i].target));
        assert_int_equal(reading.verdict == IRI_REFUSE,
                         cases[i].why == IRI_WHY_BIDI);
    }
}


/*
 * Longer than any valid path with all octets escaped: escapes are not decoded.
 */
TEST(test_very_long_escaped)
{
    static unsigned char path[3 * IRI_MAX_PATH + 3];
    iri_reading_conf_t   conf;
    iri_received_path_t  request;
    iri_reading_t        reading;
    size_t               i;

    memset(&conf, 0, sizeof(conf));
    memset(&request, 0, sizeof(request));

    for (i = 0; i < sizeof(path); i++) {
        path[i] = (unsigned char) "%C3%A9/%2Fa/%C3%A9%C3%A9"[i % 24];
    }

    path[0] = '/';
    path[sizeof(path) - 1] = '%';
    request.path.data = path;
    request.escaped = 1;

    /* A bad escape at the end: beyond the limit it is not reached. */
    request.path.len = sizeof(path);
    assert_ok(iri_read(&core.env, &conf, &request, &reading));
    assert_int_equal(reading.verdict, IRI_REFUSE);
    assert_int_equal(reading.status, 404);
    assert_int_equal(reading.why, IRI_WHY_LIMIT);
    assert_int_equal(core.allocs, 0);

    path[1] = '%';
    path[2] = 'z';
    request.path.len = 3 * IRI_MAX_PATH;
    assert_int_equal(iri_read(&core.env, &conf, &request, &reading),
                     IRI_BAD_ESCAPE);
}
