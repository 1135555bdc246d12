/*
 * iri_html.c - untrusted text in HTML
 *
 * Names come from the disk, where an attacker may have created them.  The
 * escaped text cannot end its element or attribute, cannot change the
 * direction of its neighbours, and cannot hide characters.  The result is
 * well-formed as HTML and as XML.
 */

#include <unicode/uchar.h>

#include "unicode/iri_unicode.h"
#include "output/iri_output.h"


/*
 * Besides default ignorable code points: characters that XML does not allow,
 * and U+FFF9 to U+FFFB (interlinear annotation).
 */
int
iri_char_is_invisible(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029
           || (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe
           || (c >= 0xfff9 && c <= 0xfffb) || iri_char_is_bidi_control(c)
           || u_hasBinaryProperty((UChar32) c,
                                  UCHAR_DEFAULT_IGNORABLE_CODE_POINT);
}


static const char *
iri_html_entity(uint32_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}


int
iri_is_orthographic_at(iri_str_t text, const unsigned char *p, size_t n,
                       uint32_t c)
{
    const unsigned char *end = text.data + text.len, *q = p;
    uint32_t             before = 0, after = 0;

    if (c != 0x200c && c != 0x200d && c != 0xfe0f) {
        return 0;
    }

    while (q > text.data && p - q < 4 && (q == p || (*q & 0xc0) == 0x80)) {
        q--;
    }

    if (q == p || iri_utf8_next(q, p, &before) != (size_t) (p - q)) {
        return 0;
    }

    if (c == 0x200d && before == 0xfe0f
        && !iri_is_orthographic_at(text, q, (size_t) (p - q), before))
    {
        return 0;
    }

    if (p + n < end && iri_utf8_next(p + n, end, &after) == 0) {
        after = 0;
    }

    return iri_is_orthographic(before, c, after);
}


/* Append one character, escaped if necessary.  *n: the octets consumed. */
static iri_status_t
iri_html_put_one(const iri_env_t *env, iri_buf_t *out, iri_str_t text,
                 const unsigned char *p, size_t *n)
{
    const unsigned char *end = text.data + text.len;
    iri_status_t         status = IRI_OK;
    const char          *entity;
    unsigned char        octet;
    uint32_t             c;
    size_t               i;

    *n = iri_utf8_next(p, end, &c);

    if (*n == 0 || iri_unescape(p, end, &octet) == 3
        || (iri_char_is_invisible(c)
            && !iri_is_orthographic_at(text, p, *n, c)))
    {
        *n = *n != 0 ? *n : 1;

        for (i = 0; status == IRI_OK && i < *n; i++) {
            status = iri_buf_put_escape(env, out, p[i]);
        }

        return status;
    }

    entity = iri_html_entity(c);

    return entity != NULL ? iri_buf_put_text(env, out, entity)
                          : iri_buf_put(env, out, p, *n);
}


iri_status_t
iri_html_put(const iri_env_t *env, iri_buf_t *out, iri_str_t text)
{
    const unsigned char *p = text.data, *end = text.data + text.len;
    iri_status_t         status = IRI_OK;
    size_t               n;

    for (; status == IRI_OK && p < end; p += n) {
        status = iri_html_put_one(env, out, text, p, &n);
    }

    return status;
}


iri_status_t
iri_html_put_uri(const iri_env_t *env, iri_buf_t *out, iri_str_t uri)
{
    iri_status_t status = IRI_OK;
    const char  *entity;
    size_t       i;

    for (i = 0; status == IRI_OK && i < uri.len; i++) {
        entity = iri_html_entity(uri.data[i]);
        status = entity != NULL ? iri_buf_put_text(env, out, entity)
                                : iri_buf_putc(env, out, uri.data[i]);
    }

    return status;
}


iri_status_t
iri_html_name(const iri_env_t *env, iri_buf_t *out, iri_str_t name)
{
    iri_status_t status = iri_buf_put_text(env, out, "<bdi>");

    if (status == IRI_OK) {
        status = iri_html_put(env, out, name);
    }

    return status == IRI_OK ? iri_buf_put_text(env, out, "</bdi>") : status;
}
