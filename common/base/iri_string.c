/*
 * iri_string.c - strings and growing buffers
 *
 * Strings are octets with a length.  Buffers grow in the caller's arena up to
 * IRI_MAX_BUFFER, which no page reaches.  unicode/ decodes characters.
 */

#include <string.h>

#include "base/iri_string.h"


iri_status_t
iri_buf_reserve(const iri_env_t *env, iri_buf_t *buf, size_t more)
{
    unsigned char *data;
    size_t         size;

    if (more > IRI_MAX_BUFFER || buf->len > IRI_MAX_BUFFER - more) {
        return IRI_NO_MEMORY;
    }

    size = buf->size != 0 ? buf->size : 64;
    while (size < buf->len + more) {
        size *= 2;
    }

    data = env->alloc(env->ctx, size);
    if (data == NULL) {
        return IRI_NO_MEMORY;
    }

    if (buf->len != 0) {
        memcpy(data, buf->data, buf->len);
    }

    buf->data = data;
    buf->size = size;

    return IRI_OK;
}


iri_status_t
iri_buf_put_all(const iri_env_t *env, iri_buf_t *buf, const iri_str_t *parts,
                size_t count)
{
    iri_status_t status = IRI_OK;
    size_t       i;

    for (i = 0; status == IRI_OK && i < count; i++) {
        status = iri_buf_put(env, buf, parts[i].data, parts[i].len);
    }

    return status;
}


iri_status_t
iri_buf_put_escaped(const iri_env_t *env, iri_buf_t *buf, iri_str_t s,
                    int (*keep)(unsigned char c))
{
    iri_status_t status = IRI_OK;
    size_t       i;

    for (i = 0; status == IRI_OK && i < s.len; i++) {
        status = keep(s.data[i]) ? iri_buf_putc(env, buf, s.data[i])
                                 : iri_buf_put_escape(env, buf, s.data[i]);
    }

    return status;
}


iri_str_t
iri_buf_str(const iri_buf_t *buf)
{
    iri_str_t s;

    s.len = buf->len;
    s.data = buf->data;

    return s;
}


iri_str_t
iri_str_from(iri_str_t s, size_t offset)
{
    if (offset != 0) {
        s.data += offset;
        s.len -= offset;
    }

    return s;
}


int
iri_str_equal(iri_str_t a, iri_str_t b)
{
    return a.len == b.len
           && (a.len == 0 || a.data == b.data
               || memcmp(a.data, b.data, a.len) == 0);
}


int
iri_str_compare(iri_str_t a, iri_str_t b)
{
    size_t len;
    int    order;

    len = a.len < b.len ? a.len : b.len;
    order = len != 0 ? memcmp(a.data, b.data, len) : 0;

    if (order != 0) {
        return order;
    }

    return (a.len > b.len) - (a.len < b.len);
}


int
iri_str_equal_nocase(iri_str_t a, const char *b)
{
    size_t i;

    for (i = 0; i < a.len; i++) {
        if (b[i] == '\0'
            || iri_lower(a.data[i]) != iri_lower((unsigned char) b[i])) {
            return 0;
        }
    }

    return b[i] == '\0';
}


size_t
iri_graphic_span(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *from = p;

    while (end - p >= 8 && iri_is_graphic_octets(p, 8)) {
        p += 8;
    }

    while (p < end && *p >= 0x20 && *p < 0x7f) {
        p++;
    }

    return (size_t) (p - from);
}


int
iri_is_graphic(iri_str_t s)
{
    return s.len == 0 || iri_graphic_span(s.data, s.data + s.len) == s.len;
}


size_t
iri_graphic_segments(iri_str_t path)
{
    size_t at = 0;

    if (path.len != 0) {
        at = iri_graphic_span(path.data, path.data + path.len);
    }

    while (at > 0 && path.data[at - 1] != '/') {
        at--;
    }

    return at;
}


size_t
iri_last_segments_offset(iri_str_t s, size_t n)
{
    size_t i;

    for (i = s.len; i > 0; i--) {
        if (s.data[i - 1] == '/' && --n == 0) {
            return i;
        }
    }

    return 0;
}


iri_str_t
iri_str_trim(iri_str_t s)
{
    while (s.len != 0 && memchr(" \t", s.data[0], 2) != NULL) {
        s = iri_str_from(s, 1);
    }

    while (s.len != 0 && memchr(" \t", s.data[s.len - 1], 2) != NULL) {
        s.len--;
    }

    return s;
}


size_t
iri_str_find_any(iri_str_t s, const char *stop)
{
    size_t i = 0, count = strlen(stop);

    while (i < s.len && memchr(stop, s.data[i], count) == NULL) {
        i++;
    }

    return i;
}


size_t
iri_str_count(iri_str_t s, unsigned char c)
{
    size_t i, n;

    for (n = 0, i = 0; i < s.len; i++) {
        n += s.data[i] == c;
    }

    return n;
}


size_t
iri_segment_end(iri_str_t path, size_t offset)
{
    const unsigned char *slash = NULL;

    if (offset < path.len) {
        slash = memchr(path.data + offset, '/', path.len - offset);
    }

    return slash != NULL       ? (size_t) (slash - path.data)
           : offset < path.len ? path.len
                               : offset;
}


const char iri_path_chars[0x80 + 1] =
    "                                 !  $ &'()*+,-./0123456789:; =  "
    "@ABCDEFGHIJKLMNOPQRSTUVWXYZ    _ abcdefghijklmnopqrstuvwxyz   ~ ";


size_t
iri_path_char_span(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *from = p;

    while (p < end && *p < 0x80 && iri_path_chars[*p] != ' ') {
        p++;
    }

    return (size_t) (p - from);
}


int
iri_is_dot_segment(iri_str_t segment)
{
    return segment.len != 0 && segment.len <= 2 && segment.data[0] == '.'
           && segment.data[segment.len - 1] == '.';
}


int
iri_has_dot_segment(iri_str_t path)
{
    const unsigned char *p = path.data, *end = p + path.len;
    iri_str_t            segment;
    size_t               at;

    /* Most dots are inside names. */
    while (p < end && (p = memchr(p, '.', (size_t) (end - p))) != NULL) {
        at = (size_t) (p - path.data);
        segment.data = p;
        segment.len = iri_segment_end(path, at) - at;

        if ((at == 0 || p[-1] == '/') && iri_is_dot_segment(segment)) {
            return 1;
        }

        p++;
    }

    return 0;
}


int
iri_is_alphanumeric(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
           || (c >= 'A' && c <= 'Z');
}


int
iri_is_unreserved(unsigned char c)
{
    return iri_is_alphanumeric(c) || c == '-' || c == '.' || c == '_'
           || c == '~';
}


int
iri_is_literal(unsigned char c)
{
    return iri_is_visible(c) && c != '"' && c != '<' && c != '>';
}


int
iri_is_visible(unsigned char c)
{
    return c > 0x20 && c < 0x7f;
}


size_t
iri_label_end(iri_str_t host, size_t offset)
{
    const unsigned char *dot = NULL;

    if (offset < host.len) {
        dot = memchr(host.data + offset, '.', host.len - offset);
    }

    return dot != NULL ? (size_t) (dot - host.data) : host.len;
}


int
iri_path_is_ascii(iri_str_t path, int escaped)
{
    const unsigned char *p = path.data, *end = path.data + path.len;

    if (!escaped || path.len == 0) {
        return iri_str_is_ascii(path);
    }

    if (!iri_str_is_ascii(path)) {
        return 0;
    }

    while ((p = memchr(p, '%', (size_t) (end - p))) != NULL) {
        if (end - p > 1 && p[1] >= '8') {
            return 0;
        }

        if (++p == end) {
            break;
        }
    }

    return 1;
}
