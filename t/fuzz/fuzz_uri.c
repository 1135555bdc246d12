/*
 * fuzz_uri.c - target: a path as a URI, as an IRI, as a Location
 *
 * Fields: settings (three), request (two or three), words, another path, a
 * query. Words: has a query (2); another path is served (2), and it was
 * requested escaped (2). Checked: the grammars; that unescaping gives the same
 * path; that a redirect is not followed by another; and whether the query would
 * be a plain host.
 */

#include <unicode/uchar.h>

#include "fuzz.h"


/* ---- a path as an IRI ---------------------------------------------------- */

/* Each character of the path is unchanged if allowed, escaped if not. */
static void
judge_iri(iri_str_t iri, iri_str_t path)
{
    const unsigned char *p = path.data, *end = path.data + path.len;
    iri_str_t            one, uri;
    uint32_t             c = 0;
    size_t               n, at = 0;

    for (/* void */; p < end; p += one.len) {
        n = fuzz_utf8(p, end, &c);
        one.data = p;
        one.len = n != 0 ? n : 1;

        if (n < 2 || !fuzz_is_ucschar(c)) {
            one.len = 1;
            uri = fuzz_uri(one);
            fuzz_judge_uri(uri, one, 1);
        } else {
            uri = one;
        }

        fuzz_assert(iri.len - at >= uri.len
                    && memcmp(iri.data + at, uri.data, uri.len) == 0);
        at += uri.len;
    }

    fuzz_assert(at == iri.len);
}


static void
judge_encoding(iri_str_t path)
{
    iri_str_t uri = fuzz_uri(path), iri;

    fuzz_judge_uri(uri, path, 1);
    fuzz_assert(fuzz_equal(fuzz_unescape(uri), path));

    fuzz_assert(iri_path_to_iri(&fuzz.env, path, &iri) == IRI_OK);
    judge_iri(iri, path);
    fuzz_assert(fuzz_equal(fuzz_unescape(iri), path));
}


/* ---- a path for something new -------------------------------------------- */

static int
is_new_path(iri_str_t path)
{
    iri_str_t part;
    size_t    from, i;

    for (i = 0; i < path.len; i++) {
        if (path.data[i] < 0x20 || path.data[i] == 0x7f) {
            return 0;
        }
    }

    if (path.len == 0 || path.data[0] != '/') {
        return 0;
    }

    for (from = 1; from <= path.len; from += part.len + 1) {
        part.data = path.data + from;
        part.len = iri_segment_end(path, from) - from;

        if (fuzz_equal(part, fuzz_text("."))
            || fuzz_equal(part, fuzz_text(".."))
            || (part.len == 0 && from != path.len))
        {
            return 0;
        }
    }

    return 1;
}


/* ---- a host -------------------------------------------------------------- */

/* No octet of a plain host is a delimiter in a URI, except in an IP-literal. */
static int
is_uri_host(iri_str_t host)
{
    const char *stand = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789.-_";
    size_t      i;

    if (host.len > 2 && host.data[0] == '[' && host.data[host.len - 1] == ']')
    {
        host.data++;
        host.len -= 2;
        stand = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                "0123456789.:";
    }

    for (i = 0; i < host.len; i++) {
        if (host.data[i] == '\0' || strchr(stand, host.data[i]) == NULL) {
            return 0;
        }
    }

    return 1;
}


/* ---- where to redirect --------------------------------------------------- */

static iri_str_t
location_of(const iri_reading_t *reading, iri_str_t path, int has_query,
            iri_str_t query)
{
    iri_redirect_t redirect = { reading, { 0, NULL }, path, 0, 0, query };
    iri_str_t      out = { 1, NULL };

    redirect.has_query = has_query;
    fuzz_assert(iri_redirect_location(&fuzz.env, &redirect, &out) == IRI_OK);

    return out;
}


/*
 * A query in a header field: octets that are not visible ASCII are escaped, and
 * those that end a link.
 */
static void
judge_query(iri_str_t got, iri_str_t query)
{
    size_t i, k = 0;

    for (i = 0; i < query.len; i++, k++) {
        fuzz_assert(k < got.len);

        if (query.data[i] > 0x20 && query.data[i] < 0x7f
            && strchr("\"<>", query.data[i]) == NULL)
        {
            fuzz_assert(got.data[k] == query.data[i]);
        } else {
            fuzz_assert(got.len - k > 2 && got.data[k] == '%');
            k += 2;
        }
    }

    fuzz_assert(k == got.len);
}


/*
 * The client sends a request for that URI, to a server that unescapes paths and
 * to one that does not: there is no further redirect.
 */
static void
judge_next_request(const iri_reading_conf_t *conf, iri_str_t location)
{
    iri_received_path_t request;
    iri_reading_t       reading;
    int                 escaped;

    for (escaped = 0; escaped < 2; escaped++) {
        request = fuzz_redirected_request(fuzz_unescape(location), location,
                                          escaped);

        fuzz_assert(fuzz_read(conf, &request, &reading) == IRI_OK);
        fuzz_assert(reading.verdict == IRI_PASS);
        fuzz_assert(location_of(&reading, reading.path, 0, location).len
                    == 0);
    }
}


static void
judge_location(const iri_reading_conf_t *conf, const iri_reading_t *reading,
               iri_str_t path, int has_query, iri_str_t query)
{
    iri_str_t out = location_of(reading, path, has_query, query), uri, rest;
    size_t    i;

    if (out.len == 0) {
        fuzz_assert(reading->form == IRI_FORM_INVALID
                    || reading->form == IRI_FORM_ASCII
                    || reading->form == IRI_FORM_ESCAPED);
        fuzz_assert(reading->form == IRI_FORM_INVALID
                    || fuzz_equal(path, reading->octets));
        return;
    }

    fuzz_assert(out.data[0] == '/');
    fuzz_assert(out.len == 1 || out.data[1] != '/');

    for (i = 0; i < out.len && out.data[i] != '?'; i++) {
        fuzz_assert(out.data[i] > 0x20 && out.data[i] < 0x7f);
    }

    uri = out;
    uri.len = i;
    rest = iri_str_from(out, i);
    fuzz_judge_uri(uri, fuzz_unescape(uri), 0);
    fuzz_assert(has_query ? rest.len != 0 : rest.len == 0);

    if (has_query) {
        judge_query(iri_str_from(rest, 1), query);
    }

    /* If no segments were removed, it is that path. */
    rest = fuzz_unescape(uri);
    fuzz_assert(rest.len <= path.len
                && fuzz_equal(iri_str_from(path, path.len - rest.len), rest));

    judge_next_request(conf, uri);
}


/* ---- the input ----------------------------------------------------------- */

/* The canonical path of the entry; the reading's own if it is invalid. */
static iri_str_t
other_path(const iri_reading_conf_t *conf, iri_str_t target, int escaped,
           iri_str_t own)
{
    iri_received_path_t request;
    iri_reading_t       reading;

    memset(&request, 0, sizeof(request));
    request.escaped = escaped;
    request.path = fuzz_given(escaped ? target : fuzz_unescape(target));

    if (request.path.len == 0 || request.path.data[0] != '/'
        || fuzz_read(conf, &request, &reading) != IRI_OK
        || reading.verdict == IRI_REFUSE || reading.form == IRI_FORM_INVALID)
    {
        return own;
    }

    return reading.path;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t        input = fuzz_input(data, size);
    fuzz_conf_t         conf;
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_str_t           words, other, query, path;

    fuzz_begin();
    fuzz_conf(&input, &conf);
    fuzz_request(&input, &request);
    fuzz_field(&input, &words);
    fuzz_field(&input, &other);
    fuzz_field(&input, &query);

    judge_encoding(request.path);
    fuzz_assert(iri_is_new_path(request.path) == is_new_path(request.path));
    judge_encoding(fuzz_given(query));
    fuzz_assert(iri_is_uri_host(query) == is_uri_host(query));

    if (fuzz_read(&conf.reading, &request, &reading) == IRI_OK
        && reading.verdict != IRI_REFUSE)
    {
        path = reading.path;

        if (fuzz_choice(words, 1, 2)) {
            path = other_path(&conf.reading, other,
                              (int) fuzz_choice(words, 2, 2), path);
        }

        fuzz.reading = &reading;
        judge_location(&conf.reading, &reading, path,
                       (int) fuzz_choice(words, 0, 2), fuzz_given(query));
    }

    fuzz_end();

    return 0;
}
