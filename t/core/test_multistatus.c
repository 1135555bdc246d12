/*
 * test_multistatus.c - names on disk in the XML of WebDAV answers
 *
 * Covers: hrefs of responses and of lock roots become canonical, and lead back
 * to their entry; stored client data does not
 * change; all else is copied; any octets become UTF-8 and characters of XML;
 * after a failed allocation nothing more is written.  Any input, in pieces of
 * any size: t/fuzz/fuzz_multistatus.c.
 */

#include <stdlib.h>

#include "core.h"

#define D    "xmlns:D=\"DAV:\""
#define FFFD "\xEF\xBF\xBD"

typedef struct {
    unsigned char data[262144];
    size_t        len;
} sink_t;


static iri_tree_conf_t        tree;
static iri_multistatus_conf_t conf;

static void
set_conf(const char *charsets, int raw)
{
    memset(&conf, 0, sizeof(conf));
    tree = core_tree(charsets, IRI_FILENAME_ANY, IRI_FOLD_NORMALIZATION);
    conf.tree = &tree;
    conf.base[0] = S("/l/");
    conf.base[1] = S("/to/");
    conf.raw = raw;
}


/* Convert a piece of an answer. */
static iri_status_t
feed(iri_multistatus_t *ms, iri_str_t part, int is_end, sink_t *sink)
{
    iri_status_t status;
    iri_str_t    out;

    do {
        status = iri_multistatus_convert(ms, &part, is_end, &out);

        if (status == IRI_OK && out.len != 0) {
            assert_true(out.len <= sizeof(sink->data) - sink->len);
            memcpy(sink->data + sink->len, out.data, out.len);
            sink->len += out.len;
        }
    } while (status == IRI_OK && part.len != 0);

    return status;
}


/* Pass octets through in pieces of that size. */
static iri_status_t
run(iri_str_t in, size_t piece, sink_t *sink)
{
    iri_multistatus_t *ms;
    iri_status_t       status;
    iri_str_t          part;
    size_t             from;

    sink->len = 0;
    status = iri_multistatus_create(&core.env, &conf, &ms);

    for (from = 0; status == IRI_OK && from < in.len; from += piece) {
        part.data = in.data + from;
        part.len = in.len - from < piece ? in.len - from : piece;
        status = feed(ms, part, 0, sink);
    }

    return status == IRI_OK ? feed(ms, S(""), 1, sink) : status;
}


/* In pieces of each size, down to the least. */
static void
check_octets_in(iri_str_t in, iri_str_t out, size_t least)
{
    static sink_t sink;
    size_t        piece;

    for (piece = in.len; piece >= least;
         piece = piece > 70 ? piece / 2 : piece - 1)
    {
        core_init(&core);
        assert_ok(run(in, piece, &sink));

        if (sink.len != out.len || memcmp(sink.data, out.data, out.len) != 0)
        {
            fail_msg("pieces of %zu: %.*s\n  gives: %.*s\n  not: %.*s", piece,
                     (int) in.len, (const char *) in.data, (int) sink.len,
                     (const char *) sink.data, (int) out.len,
                     (const char *) out.data);
        }
    }
}


static void
check_octets(iri_str_t in, iri_str_t out)
{
    check_octets_in(in, out, 1);
}


static void
check(const char *in, const char *out)
{
    check_octets(core_str(in), core_str(out));
}


/* The href of a response. */
static void
check_href(const char *in, const char *out)
{
    static char from[70000], to[70000];
    static const char
        *const form = "<D:multistatus " D "><D:response><D:href>"
                      "%s</D:href></D:response></D:multistatus>";

    assert_true((size_t) snprintf(from, sizeof(from), form, in)
                < sizeof(from));
    assert_true((size_t) snprintf(to, sizeof(to), form, out) < sizeof(to));
    check(from, to);
}


/* The displayname of a member, or of the requested resource. */
static void
check_name(const char *href, const char *in, const char *out)
{
    char                     from[4096], to[4096];
    static const char *const form =
        "<D:multistatus " D "><D:response><D:href>"
        "%s</D:href><D:propstat><D:prop><D:displayname>%s</D:displayname>"
        "</D:prop></D:propstat></D:response></D:multistatus>";

    snprintf(from, sizeof(from), form, href, in);
    snprintf(to, sizeof(to), form, href, out);
    check(from, to);
}


TEST(test_href)
{
    set_conf("euc-jp", 0);
    check_href("/l/", "/l/");
    check_href("/l", "/l");
    check_href("/l/a.txt", "/l/a.txt");
    check_href("/l/%c9%bd.txt", "/l/%E8%A1%A8.txt");
    check_href("/to/%c9%bd.txt", "/to/%E8%A1%A8.txt");
    check_href("/l/%c9%bd/%c9%bd/", "/l/%E8%A1%A8/%E8%A1%A8/");
    check_href("/l/\xC9\xBD", "/l/%E8%A1%A8");
    /* a path that is not below a base is canonical already */
    check_href("/%c3%a9/%c9%bd", "/%C3%A9/%C9%BD");
    check_href("/t/%c9%bd", "/t/%C9%BD");
    /* brackets and similar characters; characters that need no escape */
    check_href("/l/a[1]{}|^`\\.txt", "/l/a%5B1%5D%7B%7D%7C%5E%60%5C.txt");
    check_href("/l/a%26b&amp;c;d'e%27f&apos;g", "/l/a&amp;b&amp;c;d'e'f'g");
    check_href("/l/a&lt;b&gt;c&quot;d", "/l/a%3Cb%3Ec%22d");
    check_href("/l/100%25%3f%23", "/l/100%25%3F%23");
    check_href("/l/%20 x", "/l/%20%20x");
    check_href("/l/%09%0a", "/l/%09%0A");
    /* octets without a name stay */
    check_href("/l/%ff%fe.txt", "/l/%FF%FE.txt");
    check_href("/l/%c9%bd/%ff", "/l/%E8%A1%A8/%FF");
    /* a value that is no path, or an unusual one, stays */
    check_href("", "");
    check_href("http://h/%c9", "http://h/%c9");
    check_href("opaquelocktoken:%c9", "opaquelocktoken:%c9");
    check_href("/l/%c9%b", "/l/%c9%b");
    check_href("/l/%", "/l/%");
    check_href("/l/%c9&#233;", "/l/%c9&#233;");
    check_href("/l/&", "/l/&");
    check_href("/l/%zz\xFF", "/l/%zz" FFFD);

    /* below two bases: the nearer one counts */
    conf.base[0] = S("/l/\xC3\xA9/");
    conf.base[1] = S("/l/");
    check_href("/l/%c3%a9/%c9%bd", "/l/%C3%A9/%E8%A1%A8");
    conf.base[0] = S("/l/");
    conf.base[1] = S("/l/\xC3\xA9/");
    check_href("/l/%c3%a9/%c9%bd", "/l/%C3%A9/%E8%A1%A8");

    /* a base without "/" */
    conf.base[0] = S("/l");
    conf.base[1] = S("/");
    check_href("/l/%c9%bd", "/l/%E8%A1%A8");
    check_href("/l/", "/l/");
    check_href("/l", "/l");
    check_href("/%c9%bd", "/%E8%A1%A8");
    conf.base[1] = S("");
    check_href("/l%c9%bd/%c9%bd", "/l%C9%BD/%C9%BD");

    set_conf("", 0);
    check_href("/l/e%cc%81", "/l/%C3%A9");
    check_href("/l/\xC3\xA9", "/l/%C3%A9");
    check_href("/l/%ff", "/l/%FF");
}


TEST(test_long)
{
    static char in[60000], out[60000];
    size_t      i, n;

    set_conf("euc-jp", 0);

    /* paths of the maximal length, one less, and one more */
    for (n = IRI_MAX_PATH - 1; n <= IRI_MAX_PATH + 1; n++) {
        strcpy(in, "/l/");
        for (i = 3; i < n; i++) {
            in[i] = 'a';
        }
        strcpy(in + n - 1, "%5d");
        strcpy(out, in);
        if (n <= IRI_MAX_PATH) {
            strcpy(out + n - 1, "%5D");
        }
        check_href(in, out);
    }

    /* a value longer than the buffer is copied from there on */
    memset(in, 'a', sizeof(in));
    memcpy(in, "/l/%c9", 6);
    for (n = 4 * IRI_MAX_PATH - 1; n <= 4 * IRI_MAX_PATH + 1; n++) {
        in[n] = '\0';
        check_href(in, in);
        in[n] = 'a';
    }
    in[50000] = '\0';
    check_href(in, in);
}


/* Memory for each name, for any number of names. */
TEST(test_names)
{
    static const char row[] = "<D:response><D:href>/l/%c9%bd</D:href>"
                              "</D:response>";
    static const char want[] = "<D:href>/l/%E8%A1%A8</D:href>";
    static char       in[1 << 20];
    static sink_t     sink;
    size_t            i, len, n = 0;

    set_conf("euc-jp", 0);
    len = (size_t) snprintf(in, sizeof(in), "<D:multistatus " D ">");

    for (i = 0; i < 1000; i++) {
        memcpy(in + len, row, sizeof(row));
        len += sizeof(row) - 1;
    }

    assert_ok(run(core_str(in), 4096, &sink));

    for (i = 0; i + sizeof(want) <= sink.len; i++) {
        n += memcmp(sink.data + i, want, sizeof(want) - 1) == 0;
    }

    assert_int_equal(n, 1000);
}


/* Elements are recognized by name and position. */
TEST(test_elements)
{
    static const char *const rows[][2] = {
        /* blanks, attributes, other prefixes */
        { "<D:multistatus " D " ><D:response ><D:href >/l/%c9%bd</D:href >",
          "<D:multistatus " D " ><D:response ><D:href >/l/%E8%A1%A8"
          "</D:href >" },
        { "<D:multistatus\n\txmlns:x=\"u:u>'\" a='\"'\r\n" D "><D:response>"
          "<D:href>/l/%c9%bd</D:href>",
          "<D:multistatus\n\txmlns:x=\"u:u>'\" a='\"'\r\n" D "><D:response>"
          "<D:href>/l/%E8%A1%A8</D:href>" },
        { "<D:multistatus " D
          "><D:response><href>/l/%c9%bd</href></D:response>"
          "<D:response><x:href>/l/%c9%bd</x:href>",
          NULL },
        { "<multistatus><response><href>/l/%c9%bd</href>", NULL },
        /* in other positions it is not the href of a resource */
        { "<D:multistatus " D "><D:href>/l/%c9%bd</D:href>", NULL },
        { "<D:multistatus " D "><D:response><D:propstat><D:prop><x><D:href>"
          "/l/%c9%bd</D:href></x><D:owner><D:href>/l/%c9%bd</D:href></D:owner>"
          "<D:lockdiscovery><D:activelock><D:owner><D:lockroot><D:href>"
          "/l/%c9%bd</D:href></D:lockroot></D:owner><D:locktoken><D:href>"
          "/l/%c9%bd</D:href></D:locktoken>",
          NULL },
        { "<x " D "><D:multistatus><D:response><D:href>/l/%c9%bd</D:href>",
          NULL },
        { "<D:multistatus " D "><D:response><D:error><D:href>/l/%c9%bd"
          "</D:href>",
          NULL },
        /* the root of a lock, in both kinds of response */
        { "<D:multistatus " D "><D:response><D:propstat><D:prop>"
          "<D:lockdiscovery><D:activelock><D:lockroot><D:href>/l/%c9%bd"
          "</D:href></D:lockroot>",
          "<D:multistatus " D "><D:response><D:propstat><D:prop>"
          "<D:lockdiscovery><D:activelock><D:lockroot><D:href>/l/%E8%A1%A8"
          "</D:href></D:lockroot>" },
        { "<D:prop " D "><D:lockdiscovery><D:activelock><D:lockroot><D:href>"
          "/l/%c9%bd</D:href></D:lockroot>",
          "<D:prop " D "><D:lockdiscovery><D:activelock><D:lockroot><D:href>"
          "/l/%E8%A1%A8</D:href></D:lockroot>" },
        /* data stored by clients does not change, except where raw is set */
        { "<D:multistatus " D "><D:response><D:href>/l/a</D:href><D:propstat>"
          "<D:prop><D:displayname>\xC3\xA9 %c9%bd</D:displayname>",
          NULL },
        /* empty elements, comments, instructions, CDATA */
        { "<?xml version=\"1.0\" encoding='utf-8'?>\n<!DOCTYPE x><!-- > " D
          "<D:href> --><D:multistatus " D "><D:href/><D:response><D:a b='/'/>"
          "<D:href>/l/%c9%bd</D:href>",
          "<?xml version=\"1.0\" encoding='utf-8'?>\n<!DOCTYPE x><!-- > " D
          "<D:href> --><D:multistatus " D "><D:href/><D:response><D:a b='/'/>"
          "<D:href>/l/%E8%A1%A8</D:href>" },
        { "<D:multistatus " D "><D:response><D:href><![CDATA[/l/%c9%bd]]>"
          "</D:href>",
          NULL },
        { "<D:multistatus " D "><D:response><D:href>/l/%c9%bd<!-- - -- -->"
          "</D:href>",
          NULL },
        { "<D:multistatus " D "><D:response><D:href>/l/%c9%bd<b/></D:href>",
          NULL },
        { "<D:multistatus " D "><D:response><x><![CDATA[]] ><D:href>]]]></x>"
          "<y><?p ?<?></y><D:href>/l/%c9%bd</D:href>",
          "<D:multistatus " D "><D:response><x><![CDATA[]] ><D:href>]]]></x>"
          "<y><?p ?<?></y><D:href>/l/%E8%A1%A8</D:href>" },
        { "<D:multistatus " D "><D:response><x><![CDATA[]><D:href>/l/%c9%bd"
          "</D:href>]]></x>",
          NULL },
        /* the state of an entity does not persist after it */
        { "<D:multistatus " D "><D:response><D:href>/l/%c9&amp;</D:href>"
          "<D:href>/l/%c9&am</D:href>",
          "<D:multistatus " D "><D:response><D:href>/l/%C9&amp;</D:href>"
          "<D:href>/l/%c9&am</D:href>" },
        /* truncated documents */
        { "<D:multistatus " D "><D:response><D:href>/l/%c9%bd", NULL },
        { "<D:multistatus " D "><D:response><D:href>/l/%c9%bd</D:hr", NULL },
        { "", NULL },
        { "</a></b>text", NULL },
    };
    size_t i;

    set_conf("euc-jp", 0);

    for (i = 0; i < COUNT(rows); i++) {
        check(rows[i][0], rows[i][1] != NULL ? rows[i][1] : rows[i][0]);
    }
}


/* The number and depth of elements is unlimited. */
TEST(test_many)
{
    static char in[120000], out[120000];
    char       *p = in;
    size_t      i;

    set_conf("euc-jp", 0);

    /* nested elements, then a response */
    p += sprintf(p, "<D:multistatus " D "><D:response><D:propstat><D:prop>");
    for (i = 0; i < 100; i++) {
        p += sprintf(p, "<D:response>");
    }
    for (i = 0; i < 100; i++) {
        p += sprintf(p, "</D:response>");
    }
    p += sprintf(p, "</D:prop></D:propstat><D:href>/l/");
    strcpy(out, in);
    strcpy(p, "%c9%bd</D:href>");
    strcat(out, "%E8%A1%A8</D:href>");
    check(in, out);

    /* the element after a long value is recognized */
    p = in + sprintf(in, "<D:multistatus " D "><x a=\"");
    memset(p, '>', 3000);
    strcpy(p + 3000, "\xFF\"/><D:response><D:href>/l/");
    strcpy(out, in);
    memmove(strchr(out, '\xFF') + 3, strchr(out, '\xFF') + 1,
            strlen(strchr(out, '\xFF')));
    memcpy(strchr(out, '\xFF'), FFFD, 3);
    strcat(in, "%c9%bd</D:href>");
    strcat(out, "%E8%A1%A8</D:href>");
    check(in, out);

    /* also one with many namespaces of stored data, longer than the buffer */
    p = in + sprintf(in, "<D:multistatus " D "><D:response xmlns:ns0=\"u:");
    memset(p, 'u', 40000);
    p += 40000;
    for (i = 1; i < 60; i++) {
        p += sprintf(p, "\"\txmlns:ns%d = 'u:%d'\n xmlns:c%d=\"u:", (int) i,
                     (int) i, (int) i);
    }
    p += sprintf(p, "\" ><D:href>/l/");
    strcpy(out, in);
    strcpy(p, "%c9%bd</D:href>");
    strcat(out, "%E8%A1%A8</D:href>");
    check_octets_in(core_str(in), core_str(out), 1000);

    /* also after a long name */
    p = in + sprintf(in, "<D:multistatus " D "><");
    memset(p, 'n', 3000);
    p += 3000;
    p += sprintf(p, " a='1'/><D:response><D:href>/l/");
    strcpy(out, in);
    strcpy(p, "%c9%bd</D:href>");
    strcat(out, "%E8%A1%A8</D:href>");
    check(in, out);
}


TEST(test_displayname)
{
    set_conf("euc-jp", 1);
    check_name("/l/a", "\xC9\xBD.txt", "\xE8\xA1\xA8.txt");
    check_name("/l/a", "a&amp;\xC9\xBD&lt;&gt;&quot;",
               "a&amp;\xE8\xA1\xA8&lt;&gt;\"");
    check_name("/l/a", "\xFF\x01&amp;\xC3", "%FF%01&amp;%C3");
    check_name("/l/a", "\xFF\t\n", "%FF%09%0A");
    check_name("/l/a", "", "");
    check_name("/l/a", "&#233;\xFF", "&#233;" FFFD);
    /* the name of the requested resource is canonical already */
    check_name("/l/", "\xE8\xA1\xA8", "\xE8\xA1\xA8");
    check_name("/x", "\xC9\xBD", "\xC9\xBD");
    check_name("/x", "\xFF\x02", "%FF%02");

    set_conf("", 1);
    check_name("/l/a", "e\xCC\x81", "\xC3\xA9");
    check_name("/l/a", "\x93\x5C.txt", "%93\\.txt");
    check_name("/l/a", "\xEF\xBF\xBE\x1B", "%EF%BF%BE%1B");

    /* a second response is handled by its own href */
    set_conf("euc-jp", 1);
    check(
        "<D:multistatus " D "><D:response><D:href>/l/a</D:href></D:response>"
        "<D:response><D:propstat><D:prop><D:displayname>\xC9\xBD"
        "</D:displayname>",
        "<D:multistatus " D "><D:response><D:href>/l/a</D:href></D:response>"
        "<D:response><D:propstat><D:prop><D:displayname>\xC9\xBD"
        "</D:displayname>");
    /* only as a property of DAV: */
    check("<D:multistatus " D "><D:response><D:href>/l/a</D:href><D:propstat>"
          "<D:prop><x><D:displayname>\xC9\xBD</D:displayname></x>",
          "<D:multistatus " D "><D:response><D:href>/l/a</D:href><D:propstat>"
          "<D:prop><x><D:displayname>\xC9\xBD</D:displayname></x>");
}


/* The root of a lock, as nginx writes it. */
TEST(test_raw_lockroot)
{
    set_conf("euc-jp", 1);
    check("<D:prop " D "><D:lockdiscovery><D:activelock><D:lockroot><D:href>"
          "/l/\xE8\xA1\xA8 [100%]%41&amp;</D:href></D:lockroot>",
          "<D:prop " D "><D:lockdiscovery><D:activelock><D:lockroot><D:href>"
          "/l/%E8%A1%A8%20%5B100%25%5D%2541&amp;</D:href></D:lockroot>");
}


/*
 * Octets that are not UTF-8, and characters that XML excludes, in any position.
 */
TEST(test_clean)
{
    static const struct {
        const char *in;
        const char *out;
    } rows[] = {
        { "<a>\xFF</a>", "<a>" FFFD "</a>" },
        { "<a>\xC3</a>", "<a>" FFFD "</a>" },
        { "<a>\xE8\xA1</a>", "<a>" FFFD FFFD "</a>" },
        { "<a>\xE8\xA1\xA8</a>", "<a>\xE8\xA1\xA8</a>" },
        { "\xF0\x9F\x98\x80\xF0\x9F\x98", "\xF0\x9F\x98\x80" FFFD FFFD FFFD },
        { "\xED\xA0\x80", FFFD FFFD FFFD },
        { "\xC0\xAF\xE0\x80\x80\xF4\x90\x80\x80",
          FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD },
        { "\x01\x1F\t\r\n\x7F", FFFD FFFD "\t\r\n\x7F" },
        { "\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD", FFFD FFFD FFFD },
        { "<a b='\xFF'>", "<a b='" FFFD "'>" },
        { "<!--\xFF-->", "<!--" FFFD "-->" },
        { "<![CDATA[\x01]]>", "<![CDATA[" FFFD "]]>" },
        { "<a>\xE8<b>\xA1\xA8", "<a>" FFFD "<b>" FFFD FFFD },
    };
    size_t i;

    set_conf("", 0);

    for (i = 0; i < COUNT(rows); i++) {
        check(rows[i].in, rows[i].out);
    }

    check_octets(S("<a>\0</a>"), S("<a>" FFFD "</a>"));
}


/* After a failed allocation nothing more is written. */
TEST(test_no_memory)
{
    static sink_t      sink;
    iri_multistatus_t *ms;

    set_conf("euc-jp", 1);
    assert_ok(iri_multistatus_create(&core.env, &conf, &ms));
    core.allocs = 0;
    core.fail_at = 1;
    sink.len = 0;
    assert_int_equal(feed(ms, S("<a>"), 0, &sink), IRI_NO_MEMORY);
    assert_int_equal(feed(ms, S("<b>"), 0, &sink), IRI_NO_MEMORY);
    assert_int_equal(feed(ms, S(""), 1, &sink), IRI_NO_MEMORY);
    assert_int_equal(sink.len, 0);
}


/* Memory does not grow with the number of members. */
TEST(test_memory)
{
    static const char  head[] = "<D:multistatus " D ">";
    static const char  one[] = "<D:response><D:href>/l/%c9%bd%c9%bd/%c9%bd"
                               "</D:href></D:response>";
    static sink_t      sink;
    iri_multistatus_t *ms;
    size_t             i, allocs = 0;

    set_conf("euc-jp", 0);
    sink.len = 0;
    assert_ok(iri_multistatus_create(&core.env, &conf, &ms));
    assert_ok(feed(ms, core_str(head), 0, &sink));
    for (i = 0; i < 100000; i++) {
        allocs = i == 0 ? core.allocs : allocs;
        sink.len = 0;
        assert_ok(feed(ms, core_str(one), 0, &sink));
    }
    assert_true(core.allocs <= allocs + 3);
}


/* Tokens that are cut where the buffer is full. */
TEST(test_full)
{
    static const char *const tokens[] = {
        "<!-- \xE8\xA1\xA8 -->", "<![CDATA[ \xE8\xA1\xA8<D:href>]]>",
        "<?p \xE8\xA1\xA8?>",    "<D:x a='\xE8\xA1\xA8'/>",
        "\xE8\xA1\xA8",
    };
    static char in[80000], out[80000];
    size_t      i, k, at, from;

    set_conf("euc-jp", 0);

    for (i = 0; i < COUNT(tokens); i++) {
        for (at = 4 * IRI_MAX_PATH - 30; at < 4 * IRI_MAX_PATH + 4; at++) {
            strcpy(in, "<D:multistatus " D "><D:response>");
            from = strlen(in);
            k = strcspn(tokens[i], "\xE8");
            memcpy(in + from, tokens[i], k);
            memset(in + from + k, 'a', at);
            strcpy(in + from + k + at, tokens[i] + k);
            strcat(in, "<D:href>/l/");
            strcpy(out, in);
            strcat(in, "%c9%bd</D:href>");
            strcat(out, "%E8%A1%A8</D:href>");
            check_octets_in(core_str(in), core_str(out), 4096);
        }
    }
}
