/*
 * iri_uri.c - converts a canonical path to a URI and to an IRI
 *
 * The URI is made by draft 3.1. An IRI contains the characters of draft 2.2
 * and 4.1. What is sent in a header field is a URI, which is ASCII, so no octet
 * of a path can end a line or start another field.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"


iri_status_t
iri_path_to_uri(const iri_env_t *env, iri_str_t path, iri_str_t *out)
{
    static const char hex[] = "0123456789ABCDEF";
    iri_buf_t         buf = IRI_BUF_EMPTY;
    unsigned char    *to, c;
    iri_status_t      status;
    size_t            i;

    for (i = 0; i < path.len && iri_is_path_char(path.data[i]); i++) {
        /* void */
    }

    if (i == path.len) {
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

    memcpy(buf.data, path.data, i);

    for (to = buf.data + i; i < path.len; i++) {
        c = path.data[i];

        if (iri_is_path_char(c)) {
            *to++ = c;

        } else {
            *to++ = '%';
            *to++ = (unsigned char) hex[c >> 4];
            *to++ = (unsigned char) hex[c & 15];
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
    size_t   n = iri_utf8_quick(p, end);
    uint32_t c;

    if (n > 1) {
        return n; /* iri_utf8_quick() accepts only ucschar above U+007F */
    }

    n = iri_utf8_next(p, end, &c);

    if (n == 1) {
        return iri_is_path_char(*p) ? 1 : 0;
    }

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


/* Return 1 if the escape at p is normalized (RFC 3986, 6.2.2). */
static int
iri_is_normalized_escape(const unsigned char *p, unsigned char octet)
{
    static const char hex[] = "0123456789ABCDEF";

    return !iri_is_unreserved(octet)
           && p[1] == (unsigned char) hex[octet >> 4]
           && p[2] == (unsigned char) hex[octet & 15];
}


int
iri_uri_is_normalized(iri_str_t sent)
{
    const unsigned char *p = sent.data, *end = sent.data + sent.len;
    unsigned char        octet;

    while (p < end) {
        if (iri_is_path_char(*p)) {
            p++;

        } else if (*p == '%' && iri_unescape(p, end, &octet) == 3
                   && iri_is_normalized_escape(p, octet))
        {
            p += 3;

        } else {
            return 0;
        }
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
