/*
 * iri_uri.c - a canonical path as URI and as IRI; the redirect to the URI
 *
 * The URI is made by draft 3.1. An IRI contains the characters of draft 2.2
 * and 4.1. What is sent in a header field is a URI, which is ASCII, so no octet
 * of a path can end a line or start another field.
 *
 * For a redirect or a Link field (iri_redirect), the URI is made from the
 * request as sent and the canonical path that answers it (RFC 3986, 6.2.2). The
 * client may be redirected to it only if it names an entry that exists, not a
 * reading that nothing confirms. The servers choose the status and the moment.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"


/* ---- a path as URI and IRI ----------------------------------------------- */

iri_status_t
iri_path_to_uri(const iri_env_t *env, iri_str_t path, iri_str_t *out)
{
    static const char    hex[] = "0123456789ABCDEF";
    const unsigned char *p = path.data, *end = path.data + path.len;
    iri_buf_t            buf = IRI_BUF_EMPTY;
    unsigned char       *to;
    iri_status_t         status;
    size_t               n = path.len;

    if (n == 0 || iri_path_char_span(p, end) == n) {
        *out = path;
        return IRI_OK;
    }

    /* Allocate once: each octet takes at most three. */
    status = path.len < IRI_MAX_BUFFER
                 ? iri_buf_reserve(env, &buf, 3 * path.len + 1)
                 : IRI_NO_MEMORY;
    if (status != IRI_OK) {
        return status;
    }

    for (to = buf.data; p < end; p += n) {
        n = iri_path_char_span(p, end);
        memcpy(to, p, n);
        to += n;

        for (/* void */; p + n < end && !iri_is_path_char(p[n]); n++) {
            *to++ = '%';
            *to++ = (unsigned char) hex[p[n] >> 4];
            *to++ = (unsigned char) hex[p[n] & 15];
        }
    }

    out->data = buf.data;
    out->len = (size_t) (to - buf.data);

    return IRI_OK;
}


int
iri_uri_high_octets_escaped(iri_str_t uri)
{
    const unsigned char *p = uri.data, *end = uri.data + uri.len;

    while (p < end) {
        p = memchr(p, '%', (size_t) (end - p));
        if (p == NULL) {
            return 1;
        }

        /* Escapes usually follow each other. */
        for (/* void */; p < end && *p == '%'; p += sizeof("%E9") - 1) {
            if (end - p < 3 || p[1] < '8') {
                return 0;
            }
        }
    }

    return 1;
}


/* Return the length of the character at p; 0: an IRI must escape it. */
static size_t
iri_unescaped_octets(const unsigned char *p, const unsigned char *end)
{
    size_t   n;
    uint32_t c;

    if (*p < 0x80) {
        return iri_is_path_char(*p) ? 1 : 0;
    }

    n = iri_utf8_quick(p, end); /* accepts only ucschar above U+007F */
    if (n != 0) {
        return n;
    }

    n = iri_utf8_next(p, end, &c);

    return n != 0 && iri_char_is_ucs(c) ? n : 0;
}


iri_status_t
iri_path_to_iri(const iri_env_t *env, iri_str_t path, iri_str_t *out)
{
    const unsigned char *p = path.data, *end = path.data + path.len;
    const unsigned char *from = p; /* start of the octets to be copied */
    iri_buf_t            buf = IRI_BUF_EMPTY;
    iri_status_t         status = IRI_OK;
    size_t               n;

    while (status == IRI_OK && p < end) {
        n = iri_unescaped_octets(p, end);

        if (n != 0) {
            p += n;
            continue;
        }

        status = iri_buf_put(env, &buf, from, (size_t) (p - from));

        if (status == IRI_OK) {
            status = iri_buf_put_escape(env, &buf, *p++);
        }

        from = p;
    }

    if (status == IRI_OK && buf.len == 0) {
        *out = path;
        return IRI_OK;
    }

    if (status == IRI_OK) {
        status = iri_buf_put(env, &buf, from, (size_t) (p - from));
    }

    if (status == IRI_OK) {
        *out = iri_buf_str(&buf);
    }

    return status;
}


int
iri_uri_is_normalized(iri_str_t sent)
{
    const unsigned char *p = sent.data, *end = sent.data + sent.len;
    unsigned char        octet;

    while (p < end) {
        p += iri_path_char_span(p, end);

        if (p == end) {
            break;
        }

        /* an escape in upper case, of no unreserved character */
        if (iri_unescape(p, end, &octet) != 3 || p[1] >= 'a' || p[2] >= 'a'
            || iri_is_unreserved(octet))
        {
            return 0;
        }

        p += 3;
    }

    return 1;
}


iri_status_t
iri_uri_normalize(const iri_env_t *env, iri_str_t sent, iri_str_t *out)
{
    const unsigned char *p = sent.data, *end = sent.data + sent.len;
    iri_buf_t            buf = IRI_BUF_EMPTY;
    iri_status_t         status = IRI_OK;
    unsigned char        octet;
    size_t               n;

    if (iri_uri_is_normalized(sent)) {
        *out = sent;
        return IRI_OK;
    }

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_unescape(p, end, &octet);

        if (n == 0) {
            octet = *p;
            n = 1;
        }

        status = (n == 3 ? iri_is_unreserved(octet) : iri_is_path_char(octet))
                     ? iri_buf_putc(env, &buf, octet)
                     : iri_buf_put_escape(env, &buf, octet);
    }

    if (status == IRI_OK) {
        *out = iri_buf_str(&buf);
    }

    return status;
}


iri_status_t
iri_put_query(const iri_env_t *env, iri_str_t query, iri_buf_t *buf)
{
    iri_status_t status = iri_buf_putc(env, buf, '?');

    return status == IRI_OK
               ? iri_buf_put_escaped(env, buf, query, iri_is_literal)
               : status;
}


/* ---- the URI ------------------------------------------------------------- */

/* Return 1 if the request was sent as its canonical URI. */
static int
iri_is_sent_canonical(const iri_redirect_t *redirect)
{
    const iri_reading_t *reading = redirect->reading;

    return (reading->form == IRI_FORM_ASCII
            || reading->form == IRI_FORM_ESCAPED)
           && iri_str_equal(redirect->path, reading->form == IRI_FORM_ASCII
                                                ? reading->path
                                                : reading->octets)
           && iri_uri_is_normalized(redirect->sent);
}


/*
 * Return 1 if the server has only unescaped the path that was sent, before it
 * was read. 0: it has also removed dot-segments or merged slashes.
 */
static int
iri_differs_only_in_escapes(const iri_redirect_t *redirect)
{
    iri_str_t            octets = redirect->reading->octets;
    const unsigned char *p = redirect->sent.data;
    const unsigned char *end = p + redirect->sent.len;
    unsigned char        octet;
    size_t               i, n;

    for (i = 0; p < end; i++, p += n) {
        n = iri_unescape(p, end, &octet);

        if (n == 0 || i == octets.len || octet != octets.data[i]) {
            return 0;
        }
    }

    return i == octets.len;
}


/*
 * Set *uri to the path that was sent, normalized. *uri is empty if the path has
 * dot-segments ("%2E" too), which the server has removed: a rule may have set
 * another path.
 */
static iri_status_t
iri_uri_from_ascii(const iri_env_t *env, iri_str_t sent, iri_str_t *uri)
{
    iri_str_t    segment;
    iri_status_t status = iri_uri_normalize(env, sent, uri);
    size_t       i, len = uri->len;

    for (i = 0; status == IRI_OK && i < len; i += segment.len + 1) {
        segment = iri_str_from(*uri, i);
        segment.len = iri_segment_end(*uri, i) - i;

        if (iri_is_dot_segment(segment)) {
            uri->len = 0;
            break;
        }
    }

    return status;
}


/*
 * Make the canonical URI from the path that was sent, in which "%2F" and "/"
 * differ. *uri is not changed if the path that was sent is not the one that was
 * read.
 */
static iri_status_t
iri_uri_from_sent(const iri_env_t *env, const iri_redirect_t *redirect,
                  iri_str_t *uri)
{
    iri_env_t           silent = *env;
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_str_t           normalized;
    iri_status_t        status;

    if (!iri_differs_only_in_escapes(redirect)) {
        return IRI_OK;
    }

    status = iri_uri_normalize(env, redirect->sent, &normalized);
    if (status != IRI_OK) {
        return status;
    }

    memset(&request, 0, sizeof(request));
    request.path = normalized;
    request.escaped = 1;

    /* The trace already contains this reading. */
    silent.trace = 0;

    status = iri_read(&silent, redirect->reading->conf, &request, &reading);
    if (status == IRI_NO_MEMORY) {
        return status;
    }

    if (status == IRI_OK && iri_str_equal(reading.path, redirect->path)) {
        *uri = reading.uri;
    }

    return IRI_OK;
}


/*
 * Return 1 if a reserved character was sent escaped: a URI with "%2F" differs
 * from one with "/" (RFC 3986, 2.2).  If not, the URI of a path does not depend
 * on how the path was sent.
 */
static int
iri_has_escaped_reserved(iri_str_t sent)
{
    const unsigned char *p = sent.data, *end = sent.data + sent.len;
    unsigned char        octet;

    for (/* void */; p < end; p++) {
        p = memchr(p, '%', (size_t) (end - p));
        if (p == NULL) {
            return 0;
        }

        /* An octet above 7F is not a reserved character. */
        if (end - p > 2 && p[1] < '8' && iri_unescape(p, end, &octet) == 3
            && iri_is_path_char(octet) && !iri_is_unreserved(octet))
        {
            return 1;
        }
    }

    return 0;
}


/* Returns: the offset of the next "/" or "%2F" at or after i; len: none. */
static size_t
iri_next_slash(iri_str_t path, size_t i)
{
    unsigned char octet;

    while (i < path.len
           && (iri_unescape(path.data + i, path.data + path.len, &octet) == 0
               || octet != '/'))
    {
        i++;
    }

    return i;
}


/*
 * *uri was made from names on disk: write "%2F" in it where the client sent
 * "%2F" for "/".  *uri is not changed if it has another number of slashes than
 * sent, because the server has removed dot-segments or merged slashes, or a
 * rule has added a segment.
 */
static iri_status_t
iri_keep_escaped_slashes(const iri_env_t *env, iri_str_t sent, iri_str_t *uri)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status = IRI_OK;
    size_t       i, end, from = 0;

    for (i = iri_next_slash(sent, 0); status == IRI_OK && i < sent.len;
         i = iri_next_slash(sent, i + 1))
    {
        end = iri_next_slash(*uri, from);
        if (end == uri->len) {
            return IRI_OK;
        }

        status = iri_buf_put(env, &buf, uri->data + from, end - from);
        if (status == IRI_OK) {
            status = sent.data[i] == '/' ? iri_buf_putc(env, &buf, '/')
                                         : iri_buf_put_escape(env, &buf, '/');
        }
        from = end + 1;
    }

    if (status == IRI_OK && iri_next_slash(*uri, from) == uri->len) {
        status = iri_buf_put(env, &buf, uri->data + from, uri->len - from);
        *uri = iri_buf_str(&buf);
    }

    return status;
}


/* Set *uri to the canonical URI of redirect->path; empty: no redirect. */
static iri_status_t
iri_canonical_uri(const iri_env_t *env, const iri_redirect_t *redirect,
                  iri_str_t *uri)
{
    const iri_reading_t *reading = redirect->reading;
    iri_status_t         status;
    int                  reserved, same;

    same = iri_str_equal(redirect->path, reading->path);

    if (same && reading->form == IRI_FORM_ASCII && redirect->sent.len != 0) {
        return iri_uri_from_ascii(env, redirect->sent, uri);
    }

    reserved = iri_has_escaped_reserved(redirect->sent);

    if (same && (redirect->sent.len == 0 || reserved)) {
        *uri = reading->uri;

        if (redirect->sent.len != 0) {
            status = iri_uri_from_sent(env, redirect, uri);
            if (status != IRI_OK) {
                return status;
            }
        }

        if (uri->len != 0) {
            return IRI_OK;
        }
    }

    status = iri_path_to_uri(env, redirect->path, uri);

    return status == IRI_OK && reserved
               ? iri_keep_escaped_slashes(env, redirect->sent, uri)
               : status;
}


iri_status_t
iri_redirect_location(const iri_env_t *env, const iri_redirect_t *redirect,
                      iri_str_t *out)
{
    static const iri_str_t slash = IRI_STR("/");
    iri_buf_t              buf = IRI_BUF_EMPTY;
    iri_str_t              uri = { 0, NULL };
    iri_status_t           status;

    if (redirect->reading->form == IRI_FORM_INVALID
        || iri_is_sent_canonical(redirect))
    {
        *out = uri;
        return IRI_OK;
    }

    status = iri_canonical_uri(env, redirect, &uri);
    if (status != IRI_OK) {
        return status;
    }

    if (uri.len == 0) {
        *out = uri;
        return IRI_OK;
    }

    /* A URI reference "//host" would name another host (RFC 3986, 4.2). */
    while (uri.len > 1 && uri.data[0] == '/' && uri.data[1] == '/') {
        uri = iri_str_from(uri, 1);
    }

    status = iri_buf_put(env, &buf, uri.data, uri.len);

    if (status == IRI_OK && redirect->slash) {
        status = iri_buf_put(env, &buf, slash.data, slash.len);
    }

    if (status == IRI_OK && redirect->has_query) {
        status = iri_put_query(env, redirect->query, &buf);
    }

    if (status == IRI_OK) {
        *out = iri_buf_str(&buf);
    }

    return status;
}


/* ---- may the client be redirected? --------------------------------------- */

int
iri_found_confirms(iri_str_t path, iri_str_t found)
{
    size_t same = 0, from;

    while (same < path.len && same < found.len
           && path.data[path.len - same - 1]
                  == found.data[found.len - same - 1])
    {
        same++;
    }

    /* Compare whole segments only. */
    from = path.len - same;

    if (same != found.len && same != path.len) {
        from = iri_segment_end(path, from);
    }

    path.len = from;

    return iri_str_is_ascii(path);
}


/*
 * Return 1 if the path differs from the one that was sent only in escapes and
 * normalization; 0: also in the charset, by a repair, or in a name on disk.
 */
static int
iri_differs_only_in_form(const iri_redirect_t *redirect)
{
    const iri_reading_t *reading = redirect->reading;

    if (!iri_str_equal(redirect->path, reading->path)) {
        return 0;
    }

    switch (reading->form) {
    case IRI_FORM_ASCII:
        return 1;

    case IRI_FORM_NATIVE:
    case IRI_FORM_ESCAPED:
    case IRI_FORM_MIXED:
        return redirect->sent.len == 0
               || iri_differs_only_in_escapes(redirect);

    default:
        return 0;
    }
}


int
iri_may_redirect(iri_str_t method, const iri_redirect_t *redirect,
                 iri_presence_t presence)
{
    static const iri_str_t get = IRI_STR("GET");
    static const iri_str_t head = IRI_STR("HEAD");

    if (redirect->reading->form == IRI_FORM_INVALID
        || (!iri_str_equal(method, get) && !iri_str_equal(method, head)))
    {
        return 0;
    }

    switch (presence) {
    case IRI_PRESENT:
        return 1;

    case IRI_UNCONFIRMED:
        return iri_differs_only_in_form(redirect);

    default:
        return 0;
    }
}
