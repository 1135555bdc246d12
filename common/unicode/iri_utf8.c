/*
 * iri_utf8.c - the UTF-8 decoder and encoder of the core
 *
 * Strict by table 3-7 of the Unicode Standard and RFC 3629: overlong forms,
 * surrogates and values above 10FFFF are errors.  There is no lenient decoder.
 */

#include "unicode/iri_unicode.h"


static int
iri_is_trail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}


size_t
iri_utf8_next(const unsigned char *p, const unsigned char *end, uint32_t *c)
{
    size_t left = (size_t) (end - p);

    if (left == 0) {
        return 0;
    }

    if (p[0] < 0x80) {
        *c = p[0];
        return 1;
    }

    if (p[0] >= 0xc2 && p[0] <= 0xdf && left >= 2 && iri_is_trail(p[1])) {
        *c = (uint32_t) (p[0] & 0x1f) << 6 | (p[1] & 0x3f);
        return 2;
    }

    if ((p[0] & 0xf0) == 0xe0 && left >= 3 && iri_is_trail(p[1])
        && iri_is_trail(p[2]))
    {
        *c = (uint32_t) (p[0] & 0x0f) << 12 | (uint32_t) (p[1] & 0x3f) << 6
             | (p[2] & 0x3f);
        return *c >= 0x800 && (*c < 0xd800 || *c > 0xdfff) ? 3 : 0;
    }

    if ((p[0] & 0xf8) == 0xf0 && left >= 4 && iri_is_trail(p[1])
        && iri_is_trail(p[2]) && iri_is_trail(p[3]))
    {
        *c = (uint32_t) (p[0] & 0x07) << 18 | (uint32_t) (p[1] & 0x3f) << 12
             | (uint32_t) (p[2] & 0x3f) << 6 | (p[3] & 0x3f);
        return *c >= 0x10000 && *c <= 0x10ffff ? 4 : 0;
    }

    return 0;
}


size_t
iri_utf8_put(uint32_t c, unsigned char out[4])
{
    if (c < 0x80) {
        out[0] = (unsigned char) c;
        return 1;
    }

    if (c < 0x800) {
        out[0] = (unsigned char) (0xc0 | c >> 6);
        out[1] = (unsigned char) (0x80 | (c & 0x3f));
        return 2;
    }

    if (c < 0x10000) {
        out[0] = (unsigned char) (0xe0 | c >> 12);
        out[1] = (unsigned char) (0x80 | (c >> 6 & 0x3f));
        out[2] = (unsigned char) (0x80 | (c & 0x3f));
        return 3;
    }

    out[0] = (unsigned char) (0xf0 | c >> 18);
    out[1] = (unsigned char) (0x80 | (c >> 12 & 0x3f));
    out[2] = (unsigned char) (0x80 | (c >> 6 & 0x3f));
    out[3] = (unsigned char) (0x80 | (c & 0x3f));

    return 4;
}


/* ---- escapes ------------------------------------------------------------- */

int
iri_hex(unsigned char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }

    c |= 0x20;

    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


size_t
iri_unescape(const unsigned char *p, const unsigned char *end,
             unsigned char *octet)
{
    int high, low;

    if (*p != '%') {
        *octet = *p;
        return 1;
    }

    high = end - p > 2 ? iri_hex(p[1]) : -1;
    low = end - p > 2 ? iri_hex(p[2]) : -1;

    if (high < 0 || low < 0) {
        return 0;
    }

    *octet = (unsigned char) (high << 4 | low);

    return 3;
}


int
iri_has_escaped_octet(iri_str_t text)
{
    const unsigned char *p = text.data, *end = p + text.len;
    unsigned char        octet;

    for (/* void */; p < end; p++) {
        if (*p == '%' && iri_unescape(p, end, &octet) == 3 && octet >= 0x80) {
            return 1;
        }
    }

    return 0;
}


size_t
iri_character_at(const unsigned char *p, const unsigned char *end,
                 uint32_t *c, unsigned char octets[4], size_t *len)
{
    size_t count, n, taken[5] = { 0, 0, 0, 0, 0 };

    for (count = 0; count < 4 && p < end; count++, p += n) {
        n = iri_unescape(p, end, &octets[count]);

        if (n == 0 || octets[count] < 0x80) {
            break;
        }

        taken[count + 1] = taken[count] + n;
    }

    *len = iri_utf8_next(octets, octets + count, c);

    return taken[*len];
}
