/*
 * target.c - a request-target -> the path that a server passes to the core
 *
 * Parses a target like nginx (ngx_http_parse_complex_uri) and httpd
 * (ap_normalize_path): RFC 9112, 3.2 and RFC 3986, 5.2.4.  nginx unescapes the
 * path first; httpd keeps it escaped, except for dots.
 */

#include <string.h>

#include "base/iri_string.h"
#include "unicode/iri_unicode.h"

#include "cli.h"

#define CLI_OUTSIDE_ROOT ((size_t) -1)


/* The octet of the escape "%HH" at p; -1: not an escape. */
static int
cli_escape_value(const unsigned char *p, const unsigned char *end)
{
    unsigned char octet;

    return p < end && iri_unescape(p, end, &octet) == 3 ? octet : -1;
}


/* 1 for "%u" and four hexadecimal digits, as escape() of JavaScript writes. */
static int
cli_is_percent_u(const unsigned char *p, const unsigned char *end)
{
    int i;

    if (end - p < 6 || p[0] != '%' || (p[1] | 0x20) != 'u') {
        return 0;
    }
    for (i = 2; i < 6 && iri_hex(p[i]) >= 0; i++) {
        /* void */
    }
    return i == 6;
}


/* Check for octets that both servers refuse; *offset: octets of path before
   the error. */
static const char *
cli_path_check(iri_str_t path, size_t *offset)
{
    const unsigned char *end = path.data + path.len;
    const unsigned char *p;

    for (p = path.data; p < end; p++) {
        *offset = (size_t) (p - path.data);
        if (*p <= 0x20 || *p == 0x7F) {
            return "blanks and control characters must be percent-encoded";
        }
        if (cli_is_percent_u(p, end)) {
            return "\"%uXXXX\" is not an escape; --repair %u decodes it";
        }
        if (*p == '%' && cli_escape_value(p, end) < 0) {
            return "\"%\" must be followed by two hexadecimal digits; write "
                   "\"%\" itself as \"%25\"";
        }
        if (*p == '%' && cli_escape_value(p, end) == 0) {
            return "\"%00\" is refused by both servers";
        }
    }
    return NULL;
}


/* Remove scheme and authority, so that a URL from a browser can be used. */
static iri_str_t
cli_path_of(iri_str_t target)
{
    iri_parts_t parts;

    iri_split(target, &parts);
    return parts.authority.data != NULL
                   && iri_str_count(parts.authority, '\0') == 0
                   && (iri_str_equal_nocase(parts.scheme, "http")
                       || iri_str_equal_nocase(parts.scheme, "https"))
               ? iri_str_from(target,
                              (size_t) (parts.path.data - target.data))
               : target;
}


/* Remove the query, and the fragment, which a client should not send. */
static iri_str_t
cli_cut_query(iri_str_t path, cli_target_t *out)
{
    const unsigned char *hash = memchr(path.data, '#', path.len);
    const unsigned char *question;

    if (hash != NULL) {
        path.len = (size_t) (hash - path.data);
    }
    question = memchr(path.data, '?', path.len);
    out->has_query = question != NULL;
    out->query = (iri_str_t){ 0, NULL };
    if (question != NULL) {
        out->query.data = question + 1;
        out->query.len = path.len - (size_t) (question - path.data) - 1;
        path.len = (size_t) (question - path.data);
    }
    return path;
}


iri_str_t
cli_unescape(apr_pool_t *pool, iri_str_t text, int escaped, size_t **at)
{
    unsigned char *octets = apr_palloc(pool, text.len + 1);
    iri_str_t      out = { 0, octets };
    size_t         i = 0;
    int            octet;

    *at = apr_palloc(pool, (text.len + 1) * sizeof(**at));
    while (i < text.len) {
        octet = escaped
                    ? cli_escape_value(text.data + i, text.data + text.len)
                    : -1;
        (*at)[out.len] = i;
        octets[out.len++] = octet >= 0 ? (unsigned char) octet : text.data[i];
        i += octet >= 0 ? 3 : 1;
    }
    (*at)[out.len] = text.len;
    return out;
}


/* 1 or 2 for a dot-segment, written with "." or "%2E"; else 0. */
static int
cli_dot_count(const unsigned char *p, const unsigned char *end)
{
    int dots = 0;

    while (p < end && dots < 3) {
        if (*p == '.') {
            p++;
        } else if (cli_escape_value(p, end) == '.') {
            p += 3;
        } else {
            return 0;
        }
        dots++;
    }
    return dots < 3 ? dots : 0;
}


/*
 * Remove empty segments and dot-segments in place; data begins with "/".
 * Returns: the new length, or CLI_OUTSIDE_ROOT if the path leaves the root.
 */
static size_t
cli_remove_dots(unsigned char *data, size_t len, int escaped)
{
    size_t from = 0, to = 0;

    while (from < len) {
        unsigned char *segment = data + from + 1;
        unsigned char *end = memchr(segment, '/', len - from - 1);
        size_t         size = end ? (size_t) (end - segment) : len - from - 1;
        int            last = end == NULL;
        int            dots = escaped || memchr(segment, '%', size) == NULL
                                  ? cli_dot_count(segment, segment + size)
                                  : 0;

        from += 1 + size;
        if (dots == 2) {
            if (to == 0) {
                return CLI_OUTSIDE_ROOT;
            }
            while (data[--to] != '/') { /* remove the last segment */
            }
        }
        if (dots == 0 && size > 0) {
            data[to++] = '/';
            memmove(data + to, segment, size);
            to += size;
        } else if (last) {
            data[to++] = '/';
        }
    }
    return to;
}


const char *
cli_target_read(apr_pool_t *pool, iri_str_t target, int escaped,
                cli_target_t *out, size_t *offset)
{
    static const unsigned char root[] = "/";
    iri_str_t                  path = cli_cut_query(cli_path_of(target), out);
    const char                *wrong;
    unsigned char             *data;
    size_t                     len, *at;

    *offset = 0;
    if (path.len == 0 && path.data != target.data) {
        path = (iri_str_t){ 1, root };
    }
    if (path.len == 0 || path.data[0] != '/') {
        return "a target must begin with \"/\", \"http://\" or \"https://\"";
    }
    wrong = cli_path_check(path, offset);
    if (wrong != NULL) {
        *offset += (size_t) (path.data - target.data);
        return wrong;
    }
    out->request.path = cli_unescape(pool, path, !escaped, &at);
    data = (unsigned char *) out->request.path.data;
    len = cli_remove_dots(data, out->request.path.len, escaped);
    *offset = 0;
    if (len == CLI_OUTSIDE_ROOT) {
        return "\"..\" leads above the root";
    }
    out->request.path.len = len;
    out->request.escaped = escaped;
    out->request.target = path;
    return NULL;
}
