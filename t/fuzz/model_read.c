/*
 * model_read.c - from octets to readings, slowly: see model.h
 *
 * "Design" in the comments is the project's design document; iri.h and
 * doc/directives.md have the same rules for reading (4) and finding (5).
 */

#include <string.h>

#include "model.h"

static const model_list_t none;


/* ---- percent-encoding --------------------------------------------------- */

static int
model_hex(uint32_t c)
{
    return c >= '0' && c <= '9'   ? (int) c - '0'
           : c >= 'A' && c <= 'F' ? (int) c - 'A' + 10
           : c >= 'a' && c <= 'f' ? (int) c - 'a' + 10
                                  : -1;
}


/* Is there an escape at i? Returns: its octet. */
static int
model_escape_at(model_list_t s, size_t i)
{
    int high, low;

    if (s.at[i] != '%' || i + 2 >= s.len) {
        return -1;
    }

    high = model_hex(s.at[i + 1]);
    low = model_hex(s.at[i + 2]);

    return high < 0 || low < 0 ? -1 : high * 16 + low;
}


/*
 * The unescaped octets, and for each 1 if it was escaped: 1; or 0 for a bad
 * escape.
 */
int
model_unescape(model_list_t s, model_list_t *octets, model_list_t *escaped)
{
    size_t i;
    int    octet, good = 1;

    for (i = 0; i < s.len; i++) {
        octet = model_escape_at(s, i);
        model_put(octets, octet < 0 ? s.at[i] : (uint32_t) octet);
        model_put(escaped, octet >= 0);
        good &= octet >= 0 || s.at[i] != '%';
        i += octet < 0 ? 0 : 2;
    }

    return good;
}


static void
model_put_escape(model_list_t *out, uint32_t octet)
{
    static const char hex[] = "0123456789ABCDEF";

    model_put(out, '%');
    model_put(out, (unsigned char) hex[octet >> 4]);
    model_put(out, (unsigned char) hex[octet & 15]);
}


/* pchar of RFC 3986, except "%", and "/". */
static int
model_is_plain(uint32_t c)
{
    return c != 0 && c < 0x80
           && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                     "0123456789-._~!$&'()*+,;=:@/",
                     (int) c)
                  != NULL;
}


model_list_t
model_path_to_uri(model_list_t path)
{
    model_list_t out = none;
    size_t       i;

    for (i = 0; i < path.len; i++) {
        if (model_is_plain(path.at[i])) {
            model_put(&out, path.at[i]);
        } else {
            model_put_escape(&out, path.at[i]);
        }
    }

    return out;
}


/* ucschar, draft 2.2 */
static int
model_is_ucschar(uint32_t c)
{
    return (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfdcf)
           || (c >= 0xfdf0 && c <= 0xffef)
           || (c >= 0x10000 && c <= 0xdfffd && (c & 0xffff) <= 0xfffd)
           || (c >= 0xe1000 && c <= 0xefffd);
}


model_list_t
model_path_to_iri(model_list_t path)
{
    const model_charset_t *utf8 = model_charset_at(0);
    model_list_t           out = none, chars, octets;
    size_t                 i, len;

    for (i = 0; i < path.len; i += len) {
        for (len = path.at[i] < 0x80 ? 1 : 4; len > 1; len--) {
            octets = model_part(path, i, i + len);
            if (octets.len == len && model_decode(utf8, octets, &chars, NULL)
                && chars.len == 1)
            {
                break;
            }
        }

        octets = model_part(path, i, i + len);
        if (len > 1 && model_is_ucschar(chars.at[0])
            && !model_is_bidi(chars.at[0])) {
            model_cat(&out, octets);
        } else {
            model_cat(&out, model_path_to_uri(octets));
        }
    }

    return out;
}


/* ---- one reading -------------------------------------------------------- */

/* The part of a parallel list that belongs to a segment of octets. */
static model_list_t
model_parallel_part(model_list_t octets, size_t index, model_list_t beside)
{
    size_t i, from = 0, seen = 0;

    for (i = 0; i < octets.len && seen <= index; i++) {
        if (octets.at[i] == '/') {
            seen++;
            from = i + 1;
        }
    }

    return model_part(beside, from, from + model_segment(octets, index).len);
}


/*
 * The URI of a segment: escaped ASCII characters stay escaped. A composition
 * starts with ASCII at most, so characters that NFC does not change keep their
 * position.
 */
static model_list_t
model_segment_uri(model_list_t chars, model_list_t from, model_list_t escaped,
                  model_list_t name)
{
    model_list_t out = none, piece, form;
    size_t       i, to;
    int          kept = model_same(chars, name);

    for (i = 0; i < chars.len; i = to) {
        for (to = i + 1; to < chars.len && chars.at[to] > 0x7f; to++) {
            /* void */
        }

        piece = model_part(chars, i, to);
        form = kept ? piece : model_nfc(piece);

        if (form.at[0] == chars.at[i] && chars.at[i] < 0x80
            && escaped.at[from.at[i]]) {
            model_put_escape(&out, form.at[0]);
            form = model_part(form, 1, form.len);
        }

        model_cat(&out, model_path_to_uri(model_utf8(form)));
    }

    return out;
}


/* One segment in a charset: 1, its name and its URI; or 0. */
int
model_read_segment(const model_charset_t  *charset,
                   const model_received_t *received, size_t index,
                   model_list_t *name, model_list_t *uri)
{
    model_list_t octets = model_segment(received->octets, index);
    model_list_t chars, from, form;
    int          legacy = !model_is_utf8(charset);

    if (!model_decode(charset, octets, &chars, &from)
        || !model_allowed(chars, legacy))
    {
        return 0;
    }

    form = model_nfc(chars);
    if (!model_allowed(form, legacy)) {
        return 0;
    }

    *name = model_utf8(form);
    *uri = model_segment_uri(
        chars, from,
        model_parallel_part(received->octets, index, received->escaped),
        form);

    return 1;
}


/*
 * Was a bidi formatting character sent raw (design 4.5)? It was if an octet of
 * it above 7F was raw.
 */
int
model_raw_bidi(const model_charset_t  *charset,
               const model_received_t *received, size_t index)
{
    model_list_t octets = model_segment(received->sent, index);
    model_list_t chars, from;
    model_list_t escaped = model_parallel_part(received->sent, index,
                                               received->sent_escaped);
    size_t       i, k;

    if (!model_decode(charset, octets, &chars, &from)) {
        return 0;
    }

    for (i = 0; i < chars.len; i++) {
        for (k = from.at[i]; k < from.at[i + 1]; k++) {
            if (model_is_bidi(chars.at[i]) && octets.at[k] > 0x7f
                && !escaped.at[k]) {
                return 1;
            }
        }
    }

    return 0;
}


/* The slash before a segment, as received. */
static void
model_put_slash(const model_received_t *received, size_t index,
                model_list_t *out)
{
    size_t i, seen = 0;

    for (i = 0; received->octets.at[i] != '/' || seen++ != index; i++) {
        /* void */
    }

    if (received->escaped.at[i]) {
        model_put_escape(out, '/');
    } else {
        model_put(out, '/');
    }
}


/*
 * Read each segment in a charset of the list: all in one, or each in the first
 * that is valid.
 */
static model_one_t
model_read_in(const model_received_t *received, size_t first, size_t end)
{
    model_one_t  one;
    model_list_t name, uri;
    size_t       i, k;

    memset(&one, 0, sizeof(one));
    for (i = 0; i < model_split_count(received->octets); i++) {
        for (k = first; k < end; k++) {
            if (model_read_segment(received->try[k], received, i, &name,
                                   &uri)) {
                break;
            }
        }

        if (k == end) {
            one.bidi = 0;
            return one;
        }

        model_put(&one.path, '/');
        model_cat(&one.path, name);
        model_put_slash(received, i, &one.uri);
        model_cat(&one.uri, uri);
        one.bidi |= model_raw_bidi(received->try[k], received, i);
        one.too_long |= name.len > IRI_MAX_SEGMENT;
    }

    one.read = !one.bidi;
    one.charset = end == first + 1 ? received->try[first] : NULL;

    return one;
}


model_one_t
model_read_whole(const model_received_t *received, size_t index)
{
    return model_read_in(received, index, index + 1);
}


static model_one_t
model_read_mixed(const model_received_t *received)
{
    return model_read_in(received, 0, received->tries);
}


/* ---- reading ------------------------------------------------------------ */

/* The limits of the received path, unescaped. */
static int
model_over_limit(model_list_t path)
{
    size_t i;

    if (path.len > IRI_MAX_PATH || model_split_count(path) > IRI_MAX_SEGMENTS)
    {
        return 1;
    }

    for (i = 0; i < model_split_count(path); i++) {
        if (model_segment(path, i).len > IRI_MAX_SEGMENT) {
            return 1;
        }
    }

    return 0;
}


/* The form, by how octets above 7F were sent. */
static iri_form_t
model_form(model_list_t target)
{
    size_t i;
    int    octet, raw = 0, escaped = 0;

    for (i = 0; i < target.len; i++) {
        octet = model_escape_at(target, i);
        raw |= target.at[i] > 0x7f;
        escaped |= octet > 0x7f;
        i += octet < 0 ? 0 : 2;
    }

    return raw && escaped ? IRI_FORM_MIXED
           : raw          ? IRI_FORM_NATIVE
                          : IRI_FORM_ESCAPED;
}


static void
model_refuse(model_reading_t *out, int http, iri_why_t why)
{
    out->verdict = IRI_REFUSE;
    out->http = http;
    out->why = why;
    out->form = IRI_FORM_INVALID;
}


static void
model_invalid(model_reading_t *out, int bidi)
{
    out->verdict = out->conf->invalid == IRI_INVALID_PASS ? IRI_PASS
                                                          : IRI_REFUSE;
    out->http = out->conf->invalid == IRI_INVALID_404   ? 404
                : out->conf->invalid == IRI_INVALID_400 ? 400
                                                        : 0;
    out->why = bidi ? IRI_WHY_BIDI : IRI_WHY_UNREADABLE;
    out->form = IRI_FORM_INVALID;
}


model_received_t
model_received(const model_reading_conf_t *conf, model_list_t octets)
{
    model_received_t received;
    size_t           i;

    memset(&received, 0, sizeof(received));
    received.octets = octets;
    for (i = 0; i < octets.len; i++) {
        model_put(&received.escaped, 0);
    }

    received.try[received.tries++] = model_charset_at(0);
    for (i = 0; i < conf->charsets.count; i++) {
        received.try[received.tries++] = conf->charsets.at[i];
    }

    return received;
}


/*
 * The first reading of a path that is not ASCII. A path in UTF-8 is read as
 * UTF-8 (doc/directives.md), also if it is then refused. No further charset is
 * tried after one in which a segment is too long.
 */
static model_one_t
model_first(const model_received_t *received)
{
    model_list_t chars;
    model_one_t  one;
    size_t       i;

    for (i = 0; i < received->tries; i++) {
        one = model_read_whole(received, i);
        if (one.read || one.bidi || one.too_long
            || (i == 0
                && model_decode(model_charset_at(0), received->octets, &chars,
                                NULL)))
        {
            return one;
        }
    }

    return model_read_mixed(received);
}


/*
 * Some octets were raw, and some reading has a bidi formatting character: then
 * the core may also refuse readings that have none, or an escaped one.
 */
static int
model_is_unsure(const model_received_t *received)
{
    model_list_t chars;
    size_t       i, k, n;
    int          raw;

    for (i = 0, raw = 0; i < received->sent.len; i++) {
        raw |= received->sent.at[i] > 0x7f && !received->sent_escaped.at[i];
    }

    if (!raw) {
        return 0;
    }

    for (i = 0; i < model_split_count(received->octets); i++) {
        for (k = 0; k < received->tries; k++) {
            if (!model_decode(received->try[k],
                              model_segment(received->octets, i), &chars,
                              NULL))
            {
                continue;
            }

            for (n = 0; n < chars.len; n++) {
                if (model_is_bidi(chars.at[n])) {
                    return 1;
                }
            }
        }
    }

    return 0;
}


model_reading_t
model_read(const model_reading_conf_t *conf, model_list_t path, int escaped,
           model_list_t target)
{
    model_reading_t  out;
    model_list_t     how = none, unescaped = none;
    model_received_t received;
    model_one_t      one;
    size_t           i;
    int              good;

    memset(&out, 0, sizeof(out));
    out.conf = conf;
    out.target = target.len != 0 || !escaped ? target : path;

    for (i = 0; i < out.target.len; i++) {
        out.raw |= out.target.at[i] > 0x7f;
    }

    out.octets = path;
    good = !escaped || model_unescape(path, &unescaped, &how);
    if (model_is_ascii(escaped ? unescaped : path)) {
        /* The path is not changed, so its escapes, valid or not, stay. */
        out.path = path;
        out.uri = escaped ? path : model_path_to_uri(path);
        out.verdict = IRI_PASS;
        out.why = IRI_WHY_ASCII;
        out.form = IRI_FORM_ASCII;
        return out;
    }

    /* Too long, whatever the escapes stand for: they are not decoded. */
    if (escaped && path.len > 3 * IRI_MAX_PATH) {
        model_refuse(&out, 404, IRI_WHY_LIMIT);
        return out;
    }

    if (!good) {
        out.status = IRI_BAD_ESCAPE;
        return out;
    }

    /* Design 4.6: no reading; the path as received. */
    out.octets = escaped ? unescaped : path;
    out.path = out.octets;
    out.uri = escaped ? path : model_path_to_uri(path);

    if (model_over_limit(out.octets)) {
        model_refuse(&out, 404, IRI_WHY_LIMIT);
        return out;
    }

    received = model_received(conf, out.octets);
    if (escaped) {
        received.escaped = how;
    }
    model_unescape(out.target, &received.sent, &received.sent_escaped);
    out.unsure = model_is_unsure(&received);
    one = model_first(&received);

    /*
     * A segment that is too long ends reading, whether the rest is valid or
     * not.
     */
    if (one.too_long || (one.read && one.path.len > IRI_MAX_PATH)) {
        model_refuse(&out, 404, IRI_WHY_LIMIT);
        return out;
    }

    if (!one.read) {
        model_invalid(&out, one.bidi);
        return out;
    }

    out.path = one.path;
    out.uri = escaped ? one.uri : model_path_to_uri(one.path);
    out.charset = one.charset == NULL
                      ? model_text("mixed")
                      : model_text(model_charset_name(one.charset));
    out.form = one.charset != NULL && model_is_utf8(one.charset)
                   ? model_form(out.target)
                   : IRI_FORM_LEGACY;
    out.verdict = model_same(escaped ? out.uri : out.path, path) ? IRI_PASS
                                                                 : IRI_SERVE;
    out.why = out.verdict == IRI_PASS ? IRI_WHY_CANONICAL : IRI_WHY_READ;

    return out;
}


/* ---- where to redirect to ----------------------------------------------- */

model_list_t
model_location(const model_reading_t *reading, model_list_t path,
               int has_query, model_list_t query)
{
    model_list_t uri, out = none;
    size_t       slashes = 0, i;

    if (reading->form == IRI_FORM_INVALID
        || ((reading->form == IRI_FORM_ASCII
             || reading->form == IRI_FORM_ESCAPED)
            && model_same(path, reading->octets)))
    {
        return none;
    }

    uri = model_same(path, reading->path) ? reading->uri
                                          : model_path_to_uri(path);
    while (slashes < uri.len && uri.at[slashes] == '/') {
        slashes++;
    }

    model_put(&out, '/');
    model_cat(&out, model_part(uri, slashes, uri.len));
    if (has_query) {
        model_put(&out, '?');
        for (i = 0; i < query.len; i++) {
            if (query.at[i] > 0x20 && query.at[i] < 0x7f && query.at[i] != '"'
                && query.at[i] != '<' && query.at[i] != '>')
            {
                model_put(&out, query.at[i]);
            } else {
                model_put_escape(&out, query.at[i]);
            }
        }
    }

    return out;
}


/* ---- exclusions --------------------------------------------------------- */

/*
 * 1: this segment is valid in the charset, and its bidi characters were escaped
 * or absent.
 */
static int
model_is_read_without_raw(const model_received_t *received, size_t index,
                          model_list_t name)
{
    model_list_t chars, read, uri;
    size_t       i, k, bidi = 0;

    model_decode(received->try[0], name, &chars, NULL);
    for (i = 0; i < chars.len; i++) {
        bidi |= (size_t) model_is_bidi(chars.at[i]);
    }

    for (k = 0; k < received->tries && bidi; k++) {
        if (model_read_segment(received->try[k], received, index, &read, &uri)
            && model_same(read, name)
            && !model_raw_bidi(received->try[k], received, index))
        {
            return 1;
        }
    }

    return !bidi;
}


int
model_received_raw(const model_reading_t *reading, model_list_t path)
{
    model_received_t received = model_received(reading->conf,
                                               reading->octets);
    size_t           i;

    model_unescape(reading->target, &received.sent, &received.sent_escaped);
    for (i = 0; i < model_split_count(path)
                && i < model_split_count(reading->octets);
         i++)
    {
        if (!model_is_read_without_raw(&received, i, model_segment(path, i)))
        {
            return 1;
        }
    }

    return 0;
}
