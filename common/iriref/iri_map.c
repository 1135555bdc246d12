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
static const iri_range_t iri_discouraged[] = {
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


static const char iri_bad_escape_text[] =
    "has a \"%\" without two hexadecimal digits";


int
iri_char_is_discouraged(uint32_t c)
{
    /* The most frequent letters: Latin, Hebrew, Han, Hangul. */
    if ((c >= 0xc0 && c <= 0x2c1) || (c >= 0x5d0 && c <= 0x5ea)
        || (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xac00 && c <= 0xd7a3))
    {
        return 0;
    }

    return iri_ranges_contain(
        iri_discouraged, sizeof(iri_discouraged) / sizeof(iri_discouraged[0]),
        c);
}


/* ---- to a URI ------------------------------------------------------------ */

/*
 * Count the octets that must be escaped.  *why: NULL if text is UTF-8 with
 * well-formed escapes; else the reason, and *offset is set.
 */
static size_t
iri_count_escaped(iri_str_t text, const char **why, size_t *offset)
{
    const unsigned char *p = text.data, *end = p + text.len;
    uint32_t             c;
    size_t               n, count = 0;

    *why = NULL;

    for (;;) {
        while (p < end && iri_octet_is(*p, IRI_OCTET_URI)) {
            p++;
        }

        if (p == end) {
            return count;
        }

        if (*p == '%') {
            if (iri_escape_at(p, end) < 0) {
                *why = iri_bad_escape_text;
                break;
            }
            p += 3;
            continue;
        }

        n = iri_utf8_next(p, end, &c);
        if (n == 0) {
            *why = "is not UTF-8";
            break;
        }

        count += n;
        p += n;
    }

    *offset = (size_t) (p - text.data);

    return count;
}


static unsigned char *
iri_write_escape(unsigned char *to, unsigned char c)
{
    static const char hex[] = "0123456789ABCDEF";

    to[0] = '%';
    to[1] = (unsigned char) hex[c >> 4];
    to[2] = (unsigned char) hex[c & 15];

    return to + 3;
}


/* Write a text, with the octets escaped that a URI must not contain; `to` has
   room for the result.  Returns: the end of the result. */
static unsigned char *
iri_write_uri(unsigned char *to, const unsigned char *p,
              const unsigned char *end)
{
    while (p < end) {
        if (iri_octet_is(*p, IRI_OCTET_URI) || *p == '%') {
            *to++ = *p++;
        } else {
            to = iri_write_escape(to, *p++);
        }
    }

    return to;
}


/* Escape a text without NFC and IDNA. */
static iri_status_t
iri_escape_all(const iri_env_t *env, iri_str_t text, iri_converted_t *out)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status;
    const char  *why;
    size_t       offset = 0, count;

    count = iri_count_escaped(text, &why, &offset);

    if (why != NULL) {
        return iri_converted_reject(out, why, offset);
    }

    if (count == 0) {
        iri_converted_set(out, text);
        return IRI_OK;
    }

    status = iri_buf_reserve(env, &buf, text.len + 2 * count);

    if (status == IRI_OK) {
        buf.len = (size_t) (iri_write_uri(buf.data, text.data,
                                          text.data + text.len)
                            - buf.data);
        iri_converted_set(out, iri_buf_str(&buf));
    }

    return status;
}


/* Convert a text that is valid in charset to UTF-8. */
static iri_status_t
iri_decode_text(const iri_env_t *env, const iri_charset_t *charset,
                iri_str_t text, iri_buf_t *out)
{
    const unsigned char *p = text.data, *end = p + text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        utf8[4];
    uint32_t             c;

    while (status == IRI_OK && p < end) {
        p += iri_charset_next(charset, p, end, &c);
        status = iri_buf_put(env, out, utf8, iri_utf8_put(c, utf8));
    }

    return status;
}


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

    status = iri_decode_text(env, charset, octets, &buf);
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


/* The end of the run of characters at p that NFC may change (not inert). */
static const unsigned char *
iri_non_inert_end(const unsigned char *p, const unsigned char *end)
{
    uint32_t c;
    size_t   n;

    while (p < end && *p != '%') {
        n = iri_utf8_next(p, end, &c);

        if (iri_char_is_inert(c)) {
            break;
        }

        p += n;
    }

    return p;
}


/*
 * Apply NFC to the text between escapes, so that a combining mark after "%2e"
 * is not composed with the "e".  Inert characters are copied without a call of
 * ICU, except one that precedes a run of others, which may compose with it.
 */
static iri_status_t
iri_nfc_outside_escapes(const iri_env_t *env, iri_str_t text, iri_buf_t *out)
{
    const unsigned char *p = text.data, *end = p + text.len;
    const unsigned char *from = p; /* not yet written */
    const unsigned char *last = p; /* the inert character before p, else p */
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n;

    while (status == IRI_OK && p < end) {
        if (*p == '%') {
            last = p += 3;
            continue;
        }

        n = iri_utf8_next(p, end, &c);

        if (iri_char_is_inert(c)) {
            last = p;
            p += n;
            continue;
        }

        status = iri_buf_put(env, out, from, (size_t) (last - from));
        p = iri_non_inert_end(p, end);

        if (status == IRI_OK) {
            status = iri_nfc_put_text(env, iri_str_between(last, p), out);
        }

        from = last = p;
    }

    return status == IRI_OK ? iri_buf_put(env, out, from, (size_t) (p - from))
                            : status;
}


/* Step 1, variants A and B: convert *text to UTF-8 in NFC. */
static iri_status_t
iri_to_unicode_nfc(const iri_env_t *env, const iri_to_uri_conf_t *conf,
                   iri_str_t *text, const char **why, size_t *offset)
{
    int legacy = conf->charset != NULL && !iri_charset_is_utf8(conf->charset);
    iri_buf_t    utf8 = IRI_BUF_EMPTY, nfc = IRI_BUF_EMPTY;
    iri_status_t status = IRI_OK;

    *offset = iri_charset_span(legacy ? conf->charset : &iri_charset_utf8,
                               *text);

    if (*offset != text->len) {
        *why = legacy ? "is not in this charset" : "is not UTF-8";
        return IRI_OK;
    }

    if (legacy) {
        status = iri_decode_text(env, conf->charset, *text, &utf8);
        *text = status == IRI_OK ? iri_buf_str(&utf8) : *text;
    }

    if (status == IRI_OK) {
        status = iri_nfc_outside_escapes(env, *text, &nfc);
    }

    if (status == IRI_OK) {
        *text = iri_buf_str(&nfc);
    }

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


/* Check the escapes before the text is converted, because offset refers to the
   text that was given. */
static void
iri_check_escapes(iri_str_t text, int legacy, const char **why,
                  size_t *offset)
{
    const unsigned char *p = text.data, *end = p + text.len;

    if (!legacy) {
        iri_count_escaped(text, why, offset);
        return;
    }

    /* No supported charset has "%" as a trail octet. */
    for (/* void */; p < end; p++) {
        if (*p == '%' && iri_escape_at(p, end) < 0) {
            *why = iri_bad_escape_text;
            *offset = (size_t) (p - text.data);
            return;
        }
    }
}


iri_status_t
iri_to_uri(const iri_env_t *env, const iri_to_uri_conf_t *conf,
           iri_str_t text, iri_converted_t *out)
{
    int legacy = conf->charset != NULL && !iri_charset_is_utf8(conf->charset);
    const char  *why = NULL;
    size_t       offset = 0;
    iri_status_t status = IRI_OK;

    if (text.len > IRI_MAX_IRI) {
        return iri_converted_reject(out, "is too long", IRI_MAX_IRI);
    }

    text = iri_str_non_null(text);

    if (legacy || conf->nfc || conf->host != NULL) {
        iri_check_escapes(text, legacy, &why, &offset);
    }

    if (why == NULL && (legacy || conf->nfc) && !iri_str_is_ascii(text)) {
        status = iri_to_unicode_nfc(env, conf, &text, &why, &offset);
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

size_t
iri_character_at(const unsigned char *p, const unsigned char *end,
                 uint32_t *c, unsigned char octets[4], size_t *len)
{
    size_t count, n, taken[5] = { 0, 0, 0, 0, 0 };
    int    octet;

    for (count = 0; count < 4 && p < end; count++, p += n) {
        octet = *p == '%' ? iri_escape_at(p, end) : *p;
        n = *p == '%' ? 3 : 1;

        if (octet < 0x80) {
            break;
        }

        octets[count] = (unsigned char) octet;
        taken[count + 1] = taken[count] + n;
    }

    *len = iri_utf8_next(octets, octets + count, c);

    return taken[*len];
}


typedef struct {
    const iri_to_iri_conf_t *conf;
    unsigned       unreserved; /* classes of unreserved octets, bits */
    int            full;       /* 1: the repertoire is not limited */
    unsigned char *to;         /* the end of the output, which has room */
} iri_decoder_t;


/* 1 if c is in the repertoire of the display (draft 6.6). */
static int
iri_is_in_repertoire(const iri_to_iri_conf_t *conf, uint32_t c)
{
    unsigned char octets[4];

    return !conf->ascii
           && (conf->repertoire == NULL
               || iri_charset_put(conf->repertoire, c, octets) != 0);
}


/* 1 if an escaped character may be decoded (draft 5.1). */
static int
iri_may_decode(const iri_decoder_t *decoder, uint32_t c)
{
    return iri_char_is_ucs(c) && !iri_char_is_discouraged(c)
           && iri_is_in_repertoire(decoder->conf, c);
}


/* 1 if a raw character may stay raw. */
static int
iri_may_stay_raw(const iri_decoder_t *decoder, uint32_t c)
{
    return (iri_char_is_ucs(c) || iri_char_is_private(c))
           && iri_is_in_repertoire(decoder->conf, c);
}


/*
 * Convert the escape, or the octet that a URI must not contain, at p.
 * Returns: its length in the text, in octets.
 */
static size_t
iri_decode_one(iri_decoder_t *decoder, const unsigned char *p,
               const unsigned char *end)
{
    int           octet = *p == '%' ? iri_escape_at(p, end) : *p;
    size_t        n, len;
    uint32_t      c;
    unsigned char octets[4];

    /* Steps 3 to 5 for octets above 7F. */
    if (octet >= 0x80) {
        n = iri_character_at(p, end, &c, octets, &len);

        if (n != 0
            && (n == len ? iri_may_stay_raw(decoder, c)
                         : iri_may_decode(decoder, c)))
        {
            memcpy(decoder->to, octets, len);
            decoder->to += len;
            return n;
        }

        decoder->to = iri_write_escape(decoder->to, (unsigned char) octet);
        return *p == '%' ? 3 : 1;
    }

    /* A raw octet, or "%" that does not begin an escape. */
    if (*p != '%' || octet < 0) {
        decoder->to = iri_write_escape(decoder->to, *p);
        return 1;
    }

    /* Step 2: escapes of reserved characters, "%" and "#" are not changed. */
    if (iri_octet_is((unsigned char) octet, decoder->unreserved)) {
        *decoder->to++ = (unsigned char) octet;

    } else if (octet == '%'
               || iri_octet_is((unsigned char) octet, IRI_OCTET_URI)) {
        memcpy(decoder->to, p, 3);
        decoder->to += 3;

    } else {
        decoder->to = iri_write_escape(decoder->to, (unsigned char) octet);
    }

    return 3;
}


/*
 * Fast path: decode a common character of two or three escapes at p.
 * Returns: its length in the text, in octets; 0: use iri_decode_one().
 */
static inline size_t
iri_decode_common(iri_decoder_t *decoder, const unsigned char *p,
                  const unsigned char *end)
{
    int            one, two, three;
    uint32_t       c;
    unsigned char *to = decoder->to;

    if (end - p < 6 || p[0] != '%' || p[3] != '%' || !decoder->full) {
        return 0;
    }

    one = iri_escape_at(p, end);
    two = iri_escape_at(p + 3, end);

    if (one < 0xc3 || one > 0xef || (two & ~0x3f) != 0x80) {
        return 0;
    }

    if (one < 0xe0) {
        c = (uint32_t) (one & 0x1f) << 6 | (uint32_t) (two & 0x3f);
        if (!iri_char_is_common_ucschar(c)) {
            return 0;
        }

        to[0] = (unsigned char) one;
        to[1] = (unsigned char) two;
        decoder->to += 2;
        return 6;
    }

    three = end - p >= 9 && p[6] == '%' ? iri_escape_at(p + 6, end) : -1;
    c = (uint32_t) (one & 0x0f) << 12 | (uint32_t) (two & 0x3f) << 6
        | (uint32_t) (three & 0x3f);

    /* Below U+0800 the sequence is overlong. */
    if ((three & ~0x3f) != 0x80 || c < 0x800
        || !iri_char_is_common_ucschar(c)) {
        return 0;
    }

    to[0] = (unsigned char) one;
    to[1] = (unsigned char) two;
    to[2] = (unsigned char) three;
    decoder->to += 3;

    return 9;
}


/* Decode a text; the output has room for three octets for each octet. */
static void
iri_decode_all(iri_decoder_t *decoder, const unsigned char *p,
               const unsigned char *end)
{
    const unsigned char *from;
    size_t               n;

    while (p < end) {
        for (from = p; p < end && iri_octet_is(*p, IRI_OCTET_URI); p++) {
            /* void */
        }

        n = (size_t) (p - from);

        if (n > 8) {
            memcpy(decoder->to, from, n);
            decoder->to += n;
        } else {
            while (from < p) {
                *decoder->to++ = *from++;
            }
        }

        while (p < end && (n = iri_decode_common(decoder, p, end)) != 0) {
            p += n;
        }

        if (p < end && !iri_octet_is(*p, IRI_OCTET_URI)) {
            p += iri_decode_one(decoder, p, end);
        }
    }
}


/* 1 if a URI may contain all octets and none of them is "%". */
static int
iri_is_uri_octets(const unsigned char *p, const unsigned char *end)
{
    while (p < end && iri_octet_is(*p, IRI_OCTET_URI)) {
        p++;
    }

    return p == end;
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
    iri_buf_t     buf = IRI_BUF_EMPTY;
    iri_decoder_t decoder;
    iri_status_t  status = IRI_OK;

    if (text.len > IRI_MAX_IRI) {
        return iri_converted_reject(out, "is too long", IRI_MAX_IRI);
    }

    text = iri_str_non_null(text);

    if (conf->host != NULL) {
        status = iri_display_host(env, conf->host, &text);
    }

    if (status != IRI_OK) {
        return status;
    }

    if (iri_is_uri_octets(text.data, text.data + text.len)) {
        iri_converted_set(out, text);
        return IRI_OK;
    }

    status = iri_buf_reserve(env, &buf, 3 * text.len);
    if (status != IRI_OK) {
        return status;
    }

    decoder.conf = conf;
    decoder.unreserved = iri_unreserved_bits(conf->grammar);
    decoder.full = conf->repertoire == NULL && !conf->ascii;
    decoder.to = buf.data;

    iri_decode_all(&decoder, text.data, text.data + text.len);

    buf.len = (size_t) (decoder.to - buf.data);
    iri_converted_set(out, iri_buf_str(&buf));

    return IRI_OK;
}
