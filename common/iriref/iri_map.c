/*
 * iri_map.c - mapping of IRIs to URIs and back, and of charsets
 *
 * An IRI -> a URI (draft 3.1 with its three variants), a URI -> an IRI (draft
 * 3.2 with its five steps; 6.6 for a limited repertoire), octets of a charset
 * -> UTF-8 and back.  Only the host can be mapped by IDNA (draft 3.1, the last
 * note); the rest is UTF-8 and escapes of UTF-8.
 */

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "path/iri_path.h"
#include "iriref/iri_iriref.h"

/*
 * Draft 5.1 c): look-alikes of space and of < > # % " { } | \ ^ [ ] : / ? @
 * that are not letters, marks or digits, by the tables of UTS #39; full-width
 * and half-width forms; invisible characters.  U+05F4 is left out, since
 * Hebrew words contain it.
 */
static const struct {
    uint32_t first, last;
} iri_discouraged[] = {
    { 0x00a0, 0x00a0 },   { 0x00ad, 0x00ad },   { 0x02c2, 0x02c4 },
    { 0x02dd, 0x02dd },   { 0x02f6, 0x02f6 },   { 0x02f8, 0x02f8 },
    { 0x034f, 0x034f },   { 0x0589, 0x0589 },   { 0x05c0, 0x05c0 },
    { 0x05c3, 0x05c3 },   { 0x061c, 0x061c },   { 0x066a, 0x066a },
    { 0x0703, 0x0704 },   { 0x115f, 0x1160 },   { 0x1680, 0x1680 },
    { 0x16ec, 0x16ec },   { 0x1735, 0x1735 },   { 0x17b4, 0x17b5 },
    { 0x1803, 0x1803 },   { 0x1809, 0x1809 },   { 0x180b, 0x180f },
    { 0x1cd3, 0x1cd3 },   { 0x1fef, 0x1fef },   { 0x2000, 0x200b },
    { 0x200e, 0x200f },   { 0x201c, 0x201d },   { 0x201f, 0x201f },
    { 0x2028, 0x202f },   { 0x2033, 0x2033 },   { 0x2036, 0x2036 },
    { 0x2039, 0x203a },   { 0x2041, 0x2041 },   { 0x2044, 0x2044 },
    { 0x2052, 0x2052 },   { 0x205a, 0x205a },   { 0x205f, 0x206f },
    { 0x2215, 0x2216 },   { 0x2223, 0x2223 },   { 0x2236, 0x2236 },
    { 0x23fd, 0x23fd },   { 0x2571, 0x2571 },   { 0x276e, 0x276f },
    { 0x2774, 0x2775 },   { 0x27cb, 0x27cb },   { 0x27cd, 0x27cd },
    { 0x29f5, 0x29f5 },   { 0x29f8, 0x29f9 },   { 0x2f02, 0x2f03 },
    { 0x3000, 0x3000 },   { 0x3003, 0x3003 },   { 0x3164, 0x3164 },
    { 0x31d3, 0x31d4 },   { 0xa789, 0xa789 },   { 0xfe30, 0xfe30 },
    { 0xfe68, 0xfe68 },   { 0xfeff, 0xfeff },   { 0xff01, 0xffee },
    { 0x1bca0, 0x1bca3 }, { 0x1d114, 0x1d114 }, { 0x1d173, 0x1d17a },
    { 0x1d20f, 0x1d20f }, { 0x1d236, 0x1d237 }, { 0x1d23a, 0x1d23b },
};


int
iri_char_is_discouraged(uint32_t c)
{
    size_t i, count = sizeof(iri_discouraged) / sizeof(iri_discouraged[0]);

    for (i = 0; i < count && c > iri_discouraged[i].last; i++) {
        /* void */
    }

    return i < count && c >= iri_discouraged[i].first;
}


/* ---- charsets ------------------------------------------------------------ */

iri_status_t
iri_decode(const iri_env_t *env, const iri_charset_t *charset,
           iri_str_t octets, iri_converted_t *out)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       span;

    octets = iri_str_non_null(octets);

    if (octets.len > IRI_MAX_TEXT) {
        return iri_converted_reject(out, "is too long", IRI_MAX_TEXT);
    }

    span = iri_charset_span(charset, octets);
    if (span != octets.len) {
        return iri_converted_reject(out, "is not in this charset", span);
    }

    status = iri_charset_decode(env, charset, octets, &buf);
    if (status == IRI_OK) {
        iri_converted_set(out, iri_buf_str(&buf));
    }

    return status;
}


iri_status_t
iri_encode(const iri_env_t *env, const iri_charset_t *charset, iri_str_t text,
           iri_converted_t *out)
{
    const unsigned char *p, *end;
    iri_buf_t            buf = IRI_BUF_EMPTY;
    iri_status_t         status = IRI_OK;
    unsigned char        octets[4];
    uint32_t             c;
    size_t               n, len;

    text = iri_str_non_null(text);

    if (text.len > IRI_MAX_TEXT) {
        return iri_converted_reject(out, "is too long", IRI_MAX_TEXT);
    }

    p = text.data;
    end = p + text.len;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_utf8_next(p, end, &c);
        len = n != 0 ? iri_charset_put(charset, c, octets) : 0;

        if (len == 0) {
            return iri_converted_reject(
                out,
                n == 0 ? "is not UTF-8"
                       : "has a character that this charset "
                         "cannot write",
                (size_t) (p - text.data));
        }

        status = iri_buf_put(env, &buf, octets, len);
    }

    if (status == IRI_OK) {
        iri_converted_set(out, iri_buf_str(&buf));
    }

    return status;
}


/* ---- to a URI ------------------------------------------------------------ */

/*
 * Find the first "%" that begins no escape and, if utf8 is 1, the first octet
 * that is not UTF-8.  *why: the reason, and *offset is set; unchanged if there
 * is neither.  No supported charset has "%" as a trail octet.
 */
static void
iri_check_escapes(iri_str_t text, int utf8, const char **why, size_t *offset)
{
    const unsigned char *p = text.data, *end = p + text.len;
    unsigned char        octet;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = utf8 && *p >= 0x80 ? iri_utf8_next(p, end, &c)
                               : iri_unescape(p, end, &octet);

        if (n == 0) {
            *why = *p == '%' ? "has a \"%\" without two hexadecimal digits"
                             : "is not UTF-8";
            *offset = (size_t) (p - text.data);
            return;
        }
    }
}


/* 1 if an octet stays when a text with escapes is mapped to a URI. */
static int
iri_octet_stays(unsigned char c)
{
    return iri_is_uri_char(c) || c == '%';
}


/* Escape a text that iri_check_escapes() has checked. */
static iri_status_t
iri_escape_all(const iri_env_t *env, iri_str_t text, iri_converted_t *out)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       i = 0;

    while (i < text.len && iri_octet_stays(text.data[i])) {
        i++;
    }

    if (i == text.len) {
        iri_converted_set(out, text);
        return IRI_OK;
    }

    status = iri_buf_put_escaped(env, &buf, text, iri_octet_stays);
    if (status == IRI_OK) {
        iri_converted_set(out, iri_buf_str(&buf));
    }

    return status;
}


/* Apply NFC to the text between escapes, so that a combining mark after "%2e"
   is not composed with the "e". */
static iri_status_t
iri_nfc_outside_escapes(const iri_env_t *env, iri_str_t *text)
{
    const unsigned char *p = text->data, *end = p + text->len, *from;
    iri_buf_t            nfc = IRI_BUF_EMPTY;
    iri_status_t         status = IRI_OK;

    while (status == IRI_OK && p < end) {
        for (from = p; p < end && *p != '%'; p++) {
            /* void */
        }

        status = iri_nfc_put_text(env, iri_str_between(from, p), &nfc);

        if (status == IRI_OK && p < end) {
            status = iri_buf_put(env, &nfc, p, 3);
            p += 3;
        }
    }

    *text = iri_buf_str(&nfc);

    return status;
}


/* Replace the host `old`, a part of *text, by `new`. */
static iri_status_t
iri_replace_host(const iri_env_t *env, iri_str_t *text, iri_str_t old,
                 iri_str_t new)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status;

    status = iri_buf_reserve(env, &buf, text->len - old.len + new.len + 1);

    if (status == IRI_OK) {
        const unsigned char *behind = old.data + old.len;

        iri_buf_put(env, &buf, text->data, (size_t) (old.data - text->data));
        iri_buf_put(env, &buf, new.data, new.len);
        iri_buf_put(env, &buf, behind,
                    (size_t) (text->data + text->len - behind));
        *text = iri_buf_str(&buf);
    }

    return status;
}


static iri_status_t
iri_host_to_ascii(const iri_env_t *env, const iri_host_conf_t *conf,
                  iri_str_t *text, const char **why, size_t *offset)
{
    iri_parts_t  parts;
    iri_host_t   host;
    iri_status_t status;

    iri_split(*text, &parts);

    if (!iri_is_present(parts.host) || iri_host_is_ascii(parts.host)
        || parts.host.data[0] == '[')
    {
        return IRI_OK;
    }

    status = iri_host_read(env, conf, parts.host, &host);

    if (status != IRI_OK) {
        return status;
    }

    if (host.verdict == IRI_REFUSE) {
        *why = iri_host_why_text(host.why);
        *offset = (size_t) (parts.host.data - text->data);
        return IRI_OK;
    }

    return host.verdict == IRI_SERVE
               ? iri_replace_host(env, text, parts.host, host.ascii)
               : IRI_OK;
}


iri_status_t
iri_to_uri(const iri_env_t *env, const iri_to_uri_conf_t *conf,
           iri_str_t text, iri_converted_t *out)
{
    int legacy = conf->charset != NULL && !iri_charset_is_utf8(conf->charset);
    const char     *why = NULL;
    iri_converted_t decoded;
    size_t          offset = 0;
    iri_status_t    status = IRI_OK;

    if (text.len > IRI_MAX_IRI) {
        return iri_converted_reject(out, "is too long", IRI_MAX_IRI);
    }

    text = iri_str_non_null(text);

    /* Before the text is converted, since offset refers to what was given. */
    iri_check_escapes(text, !legacy, &why, &offset);

    /* Step 1, variants A and B */
    if (why == NULL && legacy) {
        status = iri_decode(env, conf->charset, text, &decoded);
        if (status != IRI_OK) {
            return status;
        }

        text = decoded.value;
        why = decoded.why;
        offset = decoded.offset;
    }

    if (why == NULL && (legacy || conf->nfc) && !iri_str_is_ascii(text)) {
        status = iri_nfc_outside_escapes(env, &text);
    }

    if (status == IRI_OK && why == NULL && conf->host != NULL) {
        status = iri_host_to_ascii(env, conf->host, &text, &why, &offset);
    }

    if (status != IRI_OK) {
        return status;
    }

    return why != NULL ? iri_converted_reject(out, why, offset)
                       : iri_escape_all(env, text, out);
}


/* ---- to an IRI ----------------------------------------------------------- */

/* 1 if c may be a character of the result; raw: 1 if it is one of the text
   (draft 5.1 and 6.6). */
static int
iri_may_be_raw(const iri_to_iri_conf_t *conf, uint32_t c, int raw)
{
    unsigned char octets[4];

    if (conf->ascii
        || (conf->repertoire != NULL
            && iri_charset_put(conf->repertoire, c, octets) == 0))
    {
        return 0;
    }

    return iri_char_is_ucs(c) ? raw || !iri_char_is_discouraged(c)
                              : raw && iri_char_is_private(c);
}


/* Convert the character, the escape or the octet at p.  *n: its length in the
   text, in octets. */
static iri_status_t
iri_decode_one(const iri_env_t *env, const iri_to_iri_conf_t *conf,
               const unsigned char *p, const unsigned char *end, size_t *n,
               iri_buf_t *out)
{
    unsigned char octets[4], octet = '%';
    uint32_t      c;
    size_t        len;
    int           escaped;

    /* Steps 3 to 5 for octets above 7F. */
    *n = iri_character_at(p, end, &c, octets, &len);
    if (*n != 0 && iri_may_be_raw(conf, c, *n == len)) {
        return iri_buf_put(env, out, octets, len);
    }

    *n = iri_unescape(p, end, &octet);
    escaped = *n == 3;
    *n += *n == 0; /* "%" that does not begin an escape */

    /* Step 2: escapes of reserved characters, "%" and "#" are not changed. */
    if (escaped && iri_octet_is(octet, iri_unreserved_bits(conf->grammar))) {
        return iri_buf_putc(env, out, octet);
    }

    return iri_octet_is(octet, IRI_OCTET_URI) || (escaped && octet == '%')
               ? iri_buf_put(env, out, p, *n)
               : iri_buf_put_escape(env, out, octet);
}


static iri_status_t
iri_display_host(const iri_env_t *env, const iri_host_conf_t *conf,
                 iri_str_t *text)
{
    iri_parts_t  parts;
    iri_str_t    shown;
    iri_status_t status;

    iri_split(*text, &parts);

    if (!iri_is_present(parts.host)) {
        return IRI_OK;
    }

    status = iri_host_display(env, conf, parts.host, &shown);

    return status == IRI_OK && !iri_str_equal(shown, parts.host)
               ? iri_replace_host(env, text, parts.host, shown)
               : status;
}


iri_status_t
iri_to_iri(const iri_env_t *env, const iri_to_iri_conf_t *conf,
           iri_str_t text, iri_converted_t *out)
{
    iri_buf_t            buf = IRI_BUF_EMPTY;
    const unsigned char *p, *end, *from;
    iri_status_t         status = IRI_OK;
    size_t               n;

    if (text.len > IRI_MAX_IRI) {
        return iri_converted_reject(out, "is too long", IRI_MAX_IRI);
    }

    text = iri_str_non_null(text);

    if (conf->host != NULL) {
        status = iri_display_host(env, conf->host, &text);
    }

    for (p = text.data, end = p + text.len; status == IRI_OK && p < end;
         p += n) {
        for (from = p, n = 0; p < end && iri_is_uri_char(*p); p++) {
            /* void */
        }

        status = iri_buf_put(env, &buf, from, (size_t) (p - from));
        if (status == IRI_OK && p < end) {
            status = iri_decode_one(env, conf, p, end, &n, &buf);
        }
    }

    if (status == IRI_OK) {
        iri_converted_set(out, iri_buf_str(&buf));
    }

    return status;
}
