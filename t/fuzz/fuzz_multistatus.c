/*
 * fuzz_multistatus.c - target: the XML of WebDAV responses
 *
 * Fields: settings (three), words, and the rest is the response. Words: raw
 * (2), octets of a piece, the allocation that fails (an octet). Checked by plain second implementations:
 * the output has only characters of XML, in UTF-8, for any pieces; a response
 * without elements of ours is unchanged; an href that was changed is a
 * canonical path; a failure ends the output, which is the beginning of the
 * whole output.
 */

#include "fuzz.h"

#define ROOM (16u * 65536u)

typedef struct {
    unsigned char data[ROOM];
    size_t        len;
} sink_t;

static sink_t whole, other;


static iri_status_t
feed(iri_multistatus_t *ms, iri_str_t part, int is_end, sink_t *sink)
{
    iri_status_t status;
    iri_str_t    out;

    do {
        status = iri_multistatus_convert(ms, &part, is_end, &out);

        if (status == IRI_OK && out.len != 0) {
            fuzz_assert(out.len <= ROOM - sink->len);
            memcpy(sink->data + sink->len, out.data, out.len);
            sink->len += out.len;
        }
    } while (status == IRI_OK && part.len != 0);

    return status;
}


static iri_status_t
run(const iri_multistatus_conf_t *conf, iri_str_t in, size_t piece,
    sink_t *sink)
{
    iri_multistatus_t *ms;
    iri_str_t          part;
    iri_status_t       status;
    size_t             from;

    sink->len = 0;
    fuzz.allocs = 0;

    status = iri_multistatus_create(&fuzz.env, conf, &ms);

    for (from = 0; status == IRI_OK && from < in.len; from += piece) {
        part.data = in.data + from;
        part.len = in.len - from < piece ? in.len - from : piece;
        status = feed(ms, part, 0, sink);
    }

    return status == IRI_OK ? feed(ms, fuzz_text(""), 1, sink) : status;
}


static int
is_xml(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r'
           || (c >= 0x20 && c != 0xFFFE && c != 0xFFFF);
}


/* Properties of text without elements. */
static void
judge_clean(iri_str_t in, const sink_t *out)
{
    static unsigned char plain[ROOM];
    const unsigned char *p, *end;
    uint32_t             c;
    size_t               n, len = 0;

    for (p = out->data, end = p + out->len; p < end; p += n) {
        n = fuzz_utf8(p, end, &c);
        fuzz_assert(n != 0 && is_xml(c));
    }

    for (p = in.data, end = p + in.len; p < end; p += n) {
        n = fuzz_utf8(p, end, &c);
        if (n != 0 && is_xml(c)) {
            memcpy(plain + len, p, n);
            len += n;
        } else {
            memcpy(plain + len, "\xEF\xBF\xBD", 3);
            len += 3;
            n = n != 0 ? n : 1;
        }
    }

    if (memmem(in.data, in.len, "<D:", 3) == NULL) {
        fuzz_assert(len == out->len && memcmp(plain, out->data, len) == 0);
    }
}


/* How often a word is there. */
static size_t
count(iri_str_t s, const char *word)
{
    size_t len = strlen(word), i, n = 0;

    for (i = 0; i + len <= s.len; i++) {
        n += memcmp(s.data + i, word, len) == 0;
    }

    return n;
}


/* The text of the only href, if there is one. */
static int
only_href(const unsigned char *p, size_t len, iri_str_t *text)
{
    static const char    tag[] = "<D:href>";
    const unsigned char *from, *to, *end = p + len;

    from = memmem(p, len, tag, sizeof(tag) - 1);
    if (from == NULL) {
        return 0;
    }

    from += sizeof(tag) - 1;
    to = memchr(from, '<', (size_t) (end - from));
    if (to == NULL
        || memmem(to, (size_t) (end - to), tag, sizeof(tag) - 1) != NULL)
    {
        return 0;
    }

    text->data = from;
    text->len = (size_t) (to - from);

    return 1;
}


static void
judge_href(iri_str_t in, const sink_t *out)
{
    iri_str_t was, is;
    size_t    i;

    /* an attribute value may look like one */
    if (count(in, "href") > 2 || count(in, "\"") > 2 || count(in, "'") > 0
        || !only_href(in.data, in.len, &was)
        || !only_href(out->data, out->len, &is) || fuzz_equal(was, is)
        || memmem(is.data, is.len, "\xEF\xBF\xBD", 3) != NULL)
    {
        return;
    }

    fuzz_assert(is.len != 0 && is.data[0] == '/');

    for (i = 0; i < is.len; i++) {
        if (is.data[i] == '&') {
            fuzz_assert(is.len - i >= 5
                        && memcmp(is.data + i, "&amp;", 5) == 0);
        } else if (is.data[i] == '%') {
            fuzz_assert(i + 2 < is.len && iri_hex(is.data[i + 1]) >= 0
                        && iri_hex(is.data[i + 2]) >= 0
                        && (is.data[i + 1] < 'a' && is.data[i + 2] < 'a'));
        } else {
            fuzz_assert(iri_is_path_char(is.data[i]));
        }
    }
}


/* Ended early, it is the beginning of the whole output. */
static void
judge_ended(const iri_multistatus_conf_t *conf, iri_str_t in, iri_str_t words)
{
    size_t       allocs = fuzz.allocs;
    unsigned     refused = fuzz_octet(words, 2);
    iri_status_t status;

    fuzz.fail_at = refused != 0 ? 1 + refused % (allocs + 1) : 0;

    status = run(conf, in, in.len + 1, &other);

    fuzz_assert(status == IRI_OK || status == IRI_NO_MEMORY);
    fuzz_assert(status != IRI_OK || other.len == whole.len);
    fuzz_assert(other.len <= whole.len
                && memcmp(other.data, whole.data, other.len) == 0);

    fuzz.fail_at = 0;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t           input = fuzz_input(data, size);
    fuzz_conf_t            conf;
    iri_multistatus_conf_t ms;
    iri_str_t              words, body = fuzz_text("");

    if (size > 65536) {
        return 0;
    }

    fuzz_begin();
    fuzz_conf(&input, &conf);
    fuzz_field(&input, &words);

    if (input.at != NULL) {
        body = fuzz_given_raw(input.at, (size_t) (input.end - input.at));
    }

    memset(&ms, 0, sizeof(ms));
    ms.tree = &conf.tree;
    ms.base[0] = fuzz_text("/l/");
    ms.base[1] = fuzz_text("/\xC3\xA9/");
    ms.raw = (int) fuzz_choice(words, 0, 2);

    fuzz_assert(run(&ms, body, body.len + 1, &whole) == IRI_OK);
    judge_clean(body, &whole);
    judge_href(body, &whole);
    judge_ended(&ms, body, words);

    fuzz_assert(run(&ms, body, 1 + fuzz_octet(words, 1) % 9, &other)
                == IRI_OK);
    fuzz_assert(other.len == whole.len
                && memcmp(other.data, whole.data, whole.len) == 0);

    fuzz_end();

    return 0;
}
