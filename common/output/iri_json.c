/*
 * iri_json.c - untrusted text in JSON strings (RFC 8259)
 *
 * "<" and invisible characters are escaped, so that the string can also stand
 * in an HTML page.
 */

#include <unicode/utf16.h>

#include "unicode/iri_unicode.h"
#include "output/iri_output.h"


/* Append \uXXXX, for characters above U+FFFF a surrogate pair. */
static iri_status_t
iri_json_put_escape(const iri_env_t *env, iri_buf_t *out, uint32_t c)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char     escape[6] = { '\\', 'u', 0, 0, 0, 0 };
    iri_status_t      status;
    size_t            i;

    if (c >= 0x10000) {
        status = iri_json_put_escape(env, out, U16_LEAD(c));
        if (status != IRI_OK) {
            return status;
        }
        c = U16_TRAIL(c);
    }

    for (i = 5; i > 1; i--) {
        escape[i] = (unsigned char) hex[c & 15];
        c >>= 4;
    }

    return iri_buf_put(env, out, escape, sizeof(escape));
}


iri_status_t
iri_json_put(const iri_env_t *env, iri_buf_t *out, iri_str_t text)
{
    const unsigned char *p = text.data, *end = text.data + text.len;
    iri_status_t         status;
    uint32_t             c;
    size_t               n;

    status = iri_buf_putc(env, out, '"');

    for (; status == IRI_OK && p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0) {
            n = 1;
            c = 0xfffd;
        }

        if (c == 0xfffd || c == '"' || c == '\\' || c == '<'
            || iri_char_is_invisible(c))
        {
            status = iri_json_put_escape(env, out, c);
        } else {
            status = iri_buf_put(env, out, p, n);
        }
    }

    return status == IRI_OK ? iri_buf_putc(env, out, '"') : status;
}
