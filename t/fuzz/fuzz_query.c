/*
 * fuzz_query.c - target: a query in UTF-8, and functions of rules
 *
 * Fields: words, charsets, a query, a text. Words: nfc (2), function (7), the
 * allocation that fails (256). Checked for a query: the result by a second
 * implementation, name by name and value by value; that no delimiter appears or
 * disappears, also with NFC, nor ASCII that did not compose with a letter; that
 * the result is a fixed point; that a trace changes nothing; that after a
 * failed allocation there is no result or the same. For a function: its
 * grammar, that its value is a fixed point, and failed allocations.
 */

#include "fuzz.h"

static unsigned char want[16 * FUZZ_PATH];
static size_t        wanted;


/* ---- a query, slowly ----------------------------------------------------- */

static void
put(iri_str_t s)
{
    fuzz_assert(wanted + s.len <= sizeof(want));

    if (s.len != 0) {
        memcpy(want + wanted, s.data, s.len);
        wanted += s.len;
    }
}


/* The octets that encode the octet at p: an escape, or the octet itself. */
static size_t
width_of(const unsigned char *p, const unsigned char *end)
{
    iri_str_t s = { 3, p };

    return end - p >= 3 && *p == '%' && fuzz_unescape(s).len == 1 ? 3 : 1;
}


static int
put_character(const iri_charset_t *charset, const unsigned char **p,
              const unsigned char *end)
{
    static const char    hex[] = "0123456789ABCDEF";
    unsigned char        octets[4], utf8[4], escape[3] = { '%', 0, 0 };
    const unsigned char *at[5];
    uint32_t             c;
    size_t               count, n, i;
    iri_str_t            one = { 3, escape };

    at[0] = *p;

    for (count = 0; count < 4 && at[count] < end; count++) {
        n = width_of(at[count], end);
        octets[count] = fuzz_unescape((iri_str_t){ n, at[count] }).data[0];
        at[count + 1] = at[count] + n;
    }

    n = iri_charset_next(charset, octets, octets + count, &c);

    if (n == 0 || (c >= 0x80 && (c < 0xa0 || fuzz_is_never(c)))) {
        return 0;
    }

    *p = at[n];

    if (c < 0x80) {
        put((iri_str_t){ (size_t) (at[1] - at[0]), at[0] });
        return 1;
    }

    for (i = 0, n = iri_utf8_put(c, utf8); i < n; i++) {
        escape[1] = (unsigned char) hex[utf8[i] >> 4];
        escape[2] = (unsigned char) hex[utf8[i] & 15];
        put(one);
    }

    return 1;
}


/* charset NULL: UTF-8 only. */
static int
put_part(const iri_charset_t *charset, iri_str_t part)
{
    const unsigned char *p = part.data, *end = p + part.len;

    if (fuzz_is_utf8(fuzz_unescape(part))) {
        put(part);
        return 1;
    }

    while (charset != NULL && p < end) {
        if (!put_character(charset, &p, end)) {
            return 0;
        }
    }

    return charset != NULL;
}


static int
put_query(const iri_charset_t *charset, iri_str_t query)
{
    iri_str_t part = { 0, query.data };
    size_t    i;
    int       is_value = 0;

    wanted = 0;

    for (i = 0; i <= query.len; i++) {
        if (i < query.len && query.data[i] != '&'
            && (is_value || query.data[i] != '='))
        {
            continue;
        }

        part.len = (size_t) (query.data + i - part.data);

        if (!put_part(charset, part)) {
            return 0;
        }

        if (i < query.len) {
            is_value = query.data[i] == '=';
            put((iri_str_t){ 1, query.data + i });
            part.data = query.data + i + 1;
        }
    }

    return 1;
}


/* ---- checks of a query -------------------------------------------------- */

static iri_status_t
read_query(const iri_query_conf_t *conf, iri_str_t query, iri_query_t *out)
{
    iri_query_t  none = { IRI_STR("none"), { 0, NULL }, IRI_QUERY_WHYS };
    iri_status_t status;

    *out = none;
    status = iri_query_read(&fuzz.env, conf, query, out);

    fuzz_assert(status == IRI_OK
                || (status == IRI_NO_MEMORY && fuzz.fail_at != 0));
    fuzz_assert(status == IRI_OK || fuzz_equal(out->query, none.query));

    return status;
}


static void
judge_plain(const iri_query_conf_t *conf, iri_str_t query)
{
    iri_query_conf_t plain = *conf;
    iri_query_t      got;
    iri_str_t        right = { 0, want };
    size_t           i;

    plain.nfc = 0;
    fuzz_assert(read_query(&plain, query, &got) == IRI_OK);

    if (got.why == IRI_QUERY_LIMIT) {
        fuzz_assert(query.len > FUZZ_PATH / 9);
        return;
    }

    if (put_query(NULL, query)) {
        fuzz_assert(got.query.data == query.data);
        fuzz_assert(got.why
                    == (iri_path_is_ascii(query, 1) ? IRI_QUERY_ASCII
                                                    : IRI_QUERY_UTF8));
        return;
    }

    for (i = 0; i < conf->charsets.count; i++) {
        if (put_query(conf->charsets.at[i], query)) {
            right.len = wanted;
            fuzz_assert(got.why == IRI_QUERY_READ);
            fuzz_assert(fuzz_equal(got.query, right));
            fuzz_assert(fuzz_equal(got.charset,
                                   iri_charset_name(conf->charsets.at[i])));
            return;
        }
    }

    fuzz_assert(got.why == IRI_QUERY_UNREADABLE);
    fuzz_assert(got.query.data == query.data);
}


static size_t
count_of(iri_str_t s, unsigned char c)
{
    size_t i, n = 0;

    for (i = 0; i < s.len; i++) {
        n += s.data[i] == c;
    }

    return n;
}


/*
 * Raw ASCII characters that are no letters occur as often as before; no others
 * are new.
 */
static void
judge_delimiters(iri_str_t now, iri_str_t was)
{
    static const char delimiters[] = "&=;+#?/:,.'\"<>() \n\r";
    size_t            i;

    for (i = 0; i < sizeof(delimiters); i++) {
        fuzz_assert(count_of(now, (unsigned char) delimiters[i])
                    == count_of(was, (unsigned char) delimiters[i]));
    }

    for (i = 0; i < now.len; i++) {
        fuzz_assert((now.data[i] > 0x20 && now.data[i] < 0x7f)
                    || memchr(was.data, now.data[i], was.len) != NULL);
    }
}


static void
judge_query(const iri_query_conf_t *conf, iri_str_t query, unsigned fails)
{
    iri_query_t got, again;
    size_t      allocs = fuzz.allocs;
    int         trace = fuzz.env.trace;

    fuzz_assert(read_query(conf, query, &got) == IRI_OK);
    allocs = fuzz.allocs - allocs;

    judge_delimiters(got.query, query);
    fuzz_assert(got.query.len <= 9 * query.len);
    fuzz_assert(iri_query_needs_read(conf, query)
                || got.query.data == query.data);

    fuzz_assert(read_query(conf, got.query, &again) == IRI_OK);
    fuzz_assert(again.query.data == got.query.data);
    fuzz_assert((got.why != IRI_QUERY_READ && got.why != IRI_QUERY_NORMALIZED)
                || fuzz_is_utf8(fuzz_unescape(got.query)));

    fuzz.env.trace = !trace;
    fuzz_assert(read_query(conf, query, &again) == IRI_OK);
    fuzz.env.trace = trace;
    fuzz_assert(again.why == got.why && fuzz_equal(again.query, got.query));

    if (allocs != 0) {
        fuzz.allocs = 0;
        fuzz.fail_at = 1 + fails % allocs;

        if (read_query(conf, query, &again) == IRI_OK) {
            fuzz_assert(fuzz_equal(again.query, got.query));
        }

        fuzz.fail_at = 0;
    }
}


/* ---- functions ----------------------------------------------------------- */

static void
judge_visible(iri_str_t s, int ascii)
{
    uint32_t c;
    size_t   n, at;

    for (at = 0; at < s.len; at += n) {
        n = fuzz_utf8(s.data + at, s.data + s.len, &c);
        fuzz_assert(n != 0 && c > 0x20 && (c < 0x7f || c >= 0xa0));
        fuzz_assert(!ascii || c < 0x80);
        fuzz_assert(!fuzz_is_bidi(c));
    }
}


/* What disposition writes: printable ASCII in exactly one pair of quotes. */
static void
judge_parameters(iri_str_t s)
{
    size_t i, quotes = 0;

    for (i = 0; i < s.len; i++) {
        fuzz_assert(s.data[i] >= 0x20 && s.data[i] < 0x7f
                    && s.data[i] != '\\');
        quotes += s.data[i] == '"';
    }

    fuzz_assert(quotes == 2);
}


static const iri_host_conf_t *
judge_hosts(void)
{
    static iri_host_conf_t hosts;

    if (hosts.idna == NULL) {
        hosts.idna = iri_idna_create();
    }

    return &hosts;
}


static void
judge_function(const iri_charsets_t *charsets, unsigned number,
               iri_str_t text, unsigned fails)
{
    iri_function_conf_t   conf = { charsets, judge_hosts(), NULL };
    const iri_function_t *function = &iri_function_encode;
    iri_converted_t       got, again;
    size_t                allocs = fuzz.allocs;

    if (number < IRI_FUNCTIONS) {
        function = iri_function_find(fuzz_text(iri_function_name(number)));
    } else {
        conf.encode = charsets->count != 0 ? charsets->at[0] : NULL;
    }

    fuzz_assert(function != NULL);
    fuzz_assert(iri_convert(&fuzz.env, &conf, function, text, &got)
                == IRI_OK);
    allocs = fuzz.allocs - allocs;

    if (got.why != NULL) {
        fuzz_assert(got.value.len == 0 && got.offset <= text.len);
        return;
    }

    fuzz_assert(fuzz_is_utf8(got.value));

    if (number < 2 || number == 8 || number == 9 || number == 11) {
        judge_visible(got.value, number != 1 && number != 9);
    }

    if (number == 10) {
        judge_parameters(got.value);
    }

    if (number == 2 && text.len != 0) {
        fuzz_assert(fuzz_marks(text) > FUZZ_MARKS || fuzz_is_nfc(got.value));
    }

    /* The values of disposition and encode are not texts for them. */
    if (number < 10) {
        fuzz_assert(iri_convert(&fuzz.env, &conf, function, got.value, &again)
                    == IRI_OK);
        fuzz_assert(again.why == NULL && fuzz_equal(again.value, got.value));
    }

    if (allocs != 0) {
        fuzz.allocs = 0;
        fuzz.fail_at = 1 + fails % allocs;

        if (iri_convert(&fuzz.env, &conf, function, text, &again) == IRI_OK) {
            fuzz_assert(fuzz_equal(again.value, got.value));
        }

        fuzz.fail_at = 0;
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t     input = fuzz_input(data, size);
    iri_query_conf_t conf;
    iri_str_t        words, labels, query, text;
    size_t           i, count = 0;

    fuzz_begin();
    fuzz_field(&input, &words);
    fuzz_field(&input, &labels);
    fuzz_field(&input, &query);
    fuzz_field(&input, &text);

    memset(&conf, 0, sizeof(conf));
    fuzz_charsets(labels, &conf.charsets);
    conf.nfc = (int) fuzz_choice(words, 0, 2);

    /* It is unchanged. */
    for (i = 0; i < conf.charsets.count; i++) {
        if (!iri_charset_is_utf8(conf.charsets.at[i])) {
            conf.charsets.at[count++] = conf.charsets.at[i];
        }
    }

    conf.charsets.count = count;

    query = query.len != 0 ? fuzz_given(query) : fuzz_text("");
    text = fuzz_given(text);

    judge_plain(&conf, query);
    judge_query(&conf, query, fuzz_choice(words, 2, 256));
    judge_function(&conf.charsets, fuzz_choice(words, 1, IRI_FUNCTIONS + 1),
                   text, fuzz_choice(words, 2, 256));

    fuzz_end();

    return 0;
}
