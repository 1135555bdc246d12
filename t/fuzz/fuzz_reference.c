/*
 * fuzz_reference.c - target: the value of a Location that the server sends
 *
 * Fields: words, charsets of requests, this host; the rest, including LF, is
 * the value. Words: host of the value (2), rooted (2), whether hosts are mapped
 * (2), the port (3), which allocation fails (256). Checked by RFC 3986,
 * appendix B: the result is visible ASCII, has the same parts, and is a fixed
 * point; a path of this host is read as the original path and consists of path
 * characters and escapes; a path of another host keeps its octets, and so do
 * query and fragment; a host is unchanged or in A-labels; after a failed
 * allocation the result is the same or none.
 */

#include "fuzz.h"

static iri_idna_t *idna;

typedef struct {
    iri_reading_conf_t        reading;
    iri_host_conf_t           hosts;
    iri_location_field_conf_t reference;
} conf_t;

void
fuzz_prepare(void)
{
    idna = iri_idna_create();
    fuzz_assert(idna != NULL);
}


static iri_str_t
tail(iri_str_t s, const iri_parts_t *parts)
{
    return iri_str_from(
        s, (size_t) (parts->path.data + parts->path.len - s.data));
}


/* ---- judges -------------------------------------------------------------- */

static void
judge_visible(iri_str_t out)
{
    size_t i;

    for (i = 0; i < out.len; i++) {
        fuzz_assert(out.data[i] > 0x20 && out.data[i] < 0x7f);
        fuzz_assert(!fuzz_is_in(out.data[i], "\"<>"));
    }
}


/* Each octet is unchanged if allowed there, escaped if not. */
static void
judge_octets_kept(iri_str_t got, iri_str_t was)
{
    size_t i, k = 0;
    char   escape[4];

    for (i = 0; i < was.len; i++) {
        if (was.data[i] > 0x20 && was.data[i] < 0x7f
            && !fuzz_is_in(was.data[i], "\"<>"))
        {
            fuzz_assert(k < got.len && got.data[k] == was.data[i]);
            k++;
            continue;
        }

        snprintf(escape, sizeof(escape), "%%%02X", was.data[i]);
        fuzz_assert(got.len - k >= 3 && memcmp(got.data + k, escape, 3) == 0);
        k += 3;
    }

    fuzz_assert(k == got.len);
}


static void
judge_authority(const conf_t *conf, iri_str_t got, iri_str_t was)
{
    iri_str_t  host = iri_authority_host(was);
    iri_host_t read;

    if (!fuzz_is_ascii(host) && conf->reference.hosts != NULL
        && iri_host_read(&fuzz.env, &conf->hosts, host, &read) == IRI_OK
        && read.verdict == IRI_SERVE)
    {
        fuzz_assert(fuzz_equal(iri_authority_host(got), read.ascii));
        return;
    }

    judge_octets_kept(got, was);
}


/* own: path characters, and escapes in upper case. */
static void
judge_path(iri_str_t path, int own)
{
    size_t i;

    for (i = 0; i < path.len; i++) {
        if (path.data[i] == '%' && path.len - i > 2
            && fuzz_is_in(path.data[i + 1], FUZZ_DIGIT "abcdefABCDEF")
            && fuzz_is_in(path.data[i + 2], FUZZ_DIGIT "abcdefABCDEF"))
        {
            fuzz_assert(!own
                        || fuzz_is_in(path.data[i + 1], FUZZ_DIGIT "ABCDEF"));
            fuzz_assert(!own
                        || fuzz_is_in(path.data[i + 2], FUZZ_DIGIT "ABCDEF"));
            i += 2;
            continue;
        }

        fuzz_assert(!own
                    || fuzz_is_in(path.data[i], FUZZ_ALPHA FUZZ_DIGIT
                                  "-._~!$&'()*+,;=:@/"));
    }
}


/* The reading of a request for the path. */
static iri_reading_t
read_path(const conf_t *conf, iri_str_t path)
{
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_str_t           octets = fuzz_unescape(path);
    unsigned char      *text = fuzz_memory(octets.len + 1);

    text[0] = '/';
    memcpy(text + 1, octets.data, octets.len);
    memset(&request, 0, sizeof(request));
    request.path.data = text;
    request.path.len = octets.len + 1;
    fuzz_assert(fuzz_read(&conf->reading, &request, &reading) == IRI_OK);

    return reading;
}


static void
judge_same_path(const conf_t *conf, iri_str_t got, iri_str_t was)
{
    iri_reading_t before = read_path(conf, was), after = read_path(conf, got);

    fuzz.reading = &before;
    fuzz_assert(iri_str_count(got, '/') == iri_str_count(was, '/'));
    fuzz_assert(before.form == IRI_FORM_INVALID
                    ? fuzz_equal(fuzz_unescape(got), fuzz_unescape(was))
                    : fuzz_equal(before.path, after.path));
    fuzz.reading = NULL;
}


/* Does the result name this host and port? */
static int
is_own_host(const conf_t *conf, const iri_parts_t *got)
{
    const iri_location_field_conf_t *here = &conf->reference;
    iri_str_t                        port;
    char                             text[16];
    int                              is_http, is_https, is_default;
    size_t                           i;

    if (here->other) {
        return 0;
    }

    if (got->authority.data == NULL) {
        return got->scheme.len == 0;
    }

    is_http = iri_str_equal_nocase(got->scheme, "http");
    is_https = iri_str_equal_nocase(got->scheme, "https");

    if ((got->scheme.len != 0 && !is_http && !is_https) || here->host.len == 0
        || here->port == 0 || got->authority.len < here->host.len)
    {
        return 0;
    }

    for (i = 0; i < here->host.len; i++) {
        if (iri_lower(got->authority.data[i])
            != iri_lower(here->host.data[i])) {
            return 0;
        }
    }

    port = iri_str_from(got->authority, here->host.len);
    is_default = is_http    ? here->port == 80
                 : is_https ? here->port == 443
                            : here->port == 80 || here->port == 443;

    if (port.len <= 1) {
        return is_default && (port.len == 0 || port.data[0] == ':');
    }

    if (port.data[0] != ':') {
        return 0;
    }

    /* leading zeros are removed */
    while (port.len > 2 && port.data[1] == '0') {
        port = iri_str_from(port, 1);
        if (port.len > 5) {
            return -1;
        }
    }

    snprintf(text, sizeof(text), "%u", here->port);

    return iri_str_equal_nocase(iri_str_from(port, 1), text);
}


static void
judge(const conf_t *conf, iri_str_t value, iri_str_t out)
{
    iri_parts_t was, got;
    iri_str_t   path;
    int         here;

    while (value.len != 0 && fuzz_is_in(value.data[0], " \t")) {
        value = iri_str_from(value, 1);
    }

    while (value.len != 0 && fuzz_is_in(value.data[value.len - 1], " \t")) {
        value.len--;
    }

    was = fuzz_split(value, conf->reference.rooted);
    got = fuzz_split(out, conf->reference.rooted);

    judge_visible(out);
    fuzz_assert(fuzz_equal(got.scheme, was.scheme));
    fuzz_assert((got.authority.data == NULL) == (was.authority.data == NULL));
    judge_octets_kept(tail(out, &got), tail(value, &was));
    judge_authority(conf, got.authority, was.authority);

    path = got.path;
    if (path.len > 2 && memcmp(path.data, "./", 2) == 0
        && (was.path.len < 2 || memcmp(was.path.data, "./", 2) != 0))
    {
        path = iri_str_from(path, 2);
        fuzz_assert(fuzz_span(path, ":") < fuzz_span(path, "/"));
    }

    here = is_own_host(conf, &got);
    if (here < 0) {
        return;
    }

    judge_path(path, here);

    if (here) {
        judge_same_path(conf, path, was.path);
    } else {
        fuzz_assert(fuzz_equal(fuzz_unescape(path), fuzz_unescape(was.path)));
    }
}


/* ---- the input ----------------------------------------------------------- */

static iri_status_t
ask(const conf_t *conf, iri_str_t value, iri_str_t *out)
{
    size_t       used = fuzz.used;
    iri_status_t status;
    iri_str_t    untouched = { 7, (const unsigned char *) "nothing" };

    *out = untouched;
    status = iri_location_field(&fuzz.env, &conf->reference, value, out);
    fuzz_assert(fuzz.used - used <= 1024 * 1024);
    fuzz_assert(status == IRI_OK
                || (status == IRI_NO_MEMORY && fuzz.fail_at != 0));
    fuzz_assert(status == IRI_OK || out->data == untouched.data);

    return status;
}


static void
configure(conf_t *conf, iri_str_t words, iri_str_t charsets, iri_str_t host)
{
    static const unsigned ports[] = { 80, 443, 8080 };

    memset(conf, 0, sizeof(*conf));
    fuzz_charsets(charsets, &conf->reading.charsets);
    conf->hosts.idna = idna;
    conf->hosts.mapping = IRI_MAPPING_UTS46;
    conf->reference.reading = &conf->reading;
    conf->reference.hosts = fuzz_choice(words, 2, 2) ? NULL : &conf->hosts;
    conf->reference.host = fuzz_given(host);
    conf->reference.port = ports[fuzz_choice(words, 3, COUNT(ports))];
    conf->reference.other = (int) fuzz_choice(words, 0, 2);
    conf->reference.rooted = (int) fuzz_choice(words, 1, 2);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_input(data, size);
    conf_t       conf;
    iri_str_t    words, charsets, host, value, out, again;

    fuzz_begin();
    fuzz_field(&input, &words);
    fuzz_field(&input, &charsets);
    fuzz_field(&input, &host);
    value.data = input.at;
    value.len = input.at != NULL ? (size_t) (input.end - input.at) : 0;
    value = fuzz_given(value);

    /* The name of this host can be in a URI. */
    if (!iri_is_uri_host(host)) {
        host.len = 0;
    }

    configure(&conf, words, charsets, host);

    fuzz_assert(ask(&conf, value, &out) == IRI_OK);
    judge(&conf, value, out);

    fuzz_assert(ask(&conf, out, &again) == IRI_OK);
    fuzz_assert(fuzz_equal(out, again));
    fuzz_assert(again.data == out.data);

    if (words.len > 4) {
        fuzz.allocs = 0;
        fuzz.fail_at = 1 + fuzz_choice(words, 4, 256);

        if (ask(&conf, value, &again) == IRI_OK) {
            fuzz_assert(fuzz_equal(out, again));
        }
    }

    fuzz_end();

    return 0;
}
