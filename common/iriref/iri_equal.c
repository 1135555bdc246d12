/*
 * iri_equal.c - comparison of two IRIs
 *
 * Two IRIs and a level -> equal or not (draft 2.3; the "comparison ladder" of
 * RFC 3986, 6.2 and RFC 3987, 5.3).  A higher level costs more and finds more
 * equivalent IRIs.  The texts themselves are not changed.
 */

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "iriref/iri_iriref.h"

static const char *const iri_level_texts[IRI_LEVELS] = { "string", "escapes",
                                                         "nfc",    "syntax",
                                                         "scheme", "idn" };


const char *
iri_level_text(iri_level_t level)
{
    return level < IRI_LEVELS ? iri_level_texts[level] : "unknown";
}


/* ---- escapes ------------------------------------------------------------- */

#define IRI_UNIT_ESCAPED 0x100 /* an escape that is not decoded */
#define IRI_UNIT_END     0x200

/*
 * Return the next octet of a text, raw or percent-encoded; *p moves behind it.
 * An escaped reserved character or "%" has the bit IRI_UNIT_ESCAPED, since it
 * is not equivalent to the raw one.  IRI_UNIT_END: the end of the text.
 */
static unsigned
iri_unit_next(const unsigned char **p, const unsigned char *end)
{
    unsigned char c;
    size_t        n;

    if (*p == end) {
        return IRI_UNIT_END;
    }

    n = iri_unescape(*p, end, &c);

    if (n != 3) {
        return *(*p)++;
    }

    *p += 3;

    return c == '%'
                   || (iri_octet_is(c, IRI_OCTET_URI)
                       && !iri_octet_is(c, IRI_OCTET_UNRESERVED))
               ? IRI_UNIT_ESCAPED | c
               : c;
}


static int
iri_equal_escapes(iri_str_t a, iri_str_t b)
{
    const unsigned char *p = a.data, *p_end = p + a.len;
    const unsigned char *q = b.data, *q_end = q + b.len;
    unsigned             unit;

    do {
        unit = iri_unit_next(&p, p_end);

        if (unit != iri_unit_next(&q, q_end)) {
            return 0;
        }
    } while (unit != IRI_UNIT_END);

    return 1;
}


/* ---- NFC ----------------------------------------------------------------- */

/*
 * Write a text such that NFC can be applied to it: characters above U+007F
 * are decoded, the other units of iri_unit_next() are written unambiguously
 * ("%" that begins no escape as "%25%", an invalid octet as an escape).
 */
static iri_status_t
iri_unescape_for_nfc(const iri_env_t *env, iri_str_t text, iri_buf_t *out)
{
    const unsigned char *p = text.data, *end = p + text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        octets[4];
    uint32_t             c;
    size_t               n, len;
    unsigned             unit;

    while (status == IRI_OK && p < end) {
        n = iri_character_at(p, end, &c, octets, &len);

        if (n != 0) {
            status = iri_buf_put(env, out, octets, len);
            p += n;
            continue;
        }

        unit = iri_unit_next(&p, end);

        /* A unit "%" is a raw "%" that begins no escape. */
        if (unit == '%' || unit >= 0x80) {
            status = iri_buf_put_escape(env, out, (unsigned char) unit);
        } else {
            status = iri_buf_putc(env, out, (unsigned char) unit);
        }

        if (status == IRI_OK && unit == '%') {
            status = iri_buf_putc(env, out, '%');
        }
    }

    return status;
}


static iri_status_t
iri_nfc_form(const iri_env_t *env, iri_str_t text, iri_str_t *form)
{
    iri_buf_t    units = IRI_BUF_EMPTY, nfc = IRI_BUF_EMPTY;
    iri_status_t status = iri_unescape_for_nfc(env, text, &units);

    if (status == IRI_OK) {
        status = iri_nfc_put_text(env, iri_buf_str(&units), &nfc);
    }

    *form = iri_buf_str(&nfc);

    return status;
}


/* ---- syntax, scheme, host ------------------------------------------------ */

/*
 * Normalize a text for a level from NFC on.  *valid: 0: the text is not an
 * IRI-reference, and equals only itself.
 */
static iri_status_t
iri_level_form(const iri_env_t *env, iri_level_t level,
               const iri_host_conf_t *host, iri_str_t text, iri_str_t *form,
               int *valid)
{
    static const iri_to_uri_conf_t none;
    iri_to_uri_conf_t              conf = none;
    iri_converted_t                converted = { text, NULL, 0 };
    iri_status_t                   status = IRI_OK;

    *valid = 1;

    if (level == IRI_LEVEL_NFC) {
        return iri_nfc_form(env, text, form);
    }

    if (level == IRI_LEVEL_IDN && host != NULL) {
        conf.host = host;
        status = iri_to_uri(env, &conf, text, &converted);

        /* A host that has no A-labels is compared unchanged. */
        if (status == IRI_OK && converted.why != NULL) {
            converted.value = text;
        }
    }

    if (status == IRI_OK) {
        status = iri_normalize_syntax(
            env, level == IRI_LEVEL_SYNTAX ? 0 : IRI_NORMALIZE_SCHEME,
            converted.value, &converted);
    }

    if (status == IRI_OK) {
        *valid = converted.why == NULL;
        *form = converted.value;
    }

    return status;
}


iri_status_t
iri_equal(const iri_env_t *env, iri_level_t level,
          const iri_host_conf_t *host, iri_str_t a, iri_str_t b, int *equal)
{
    int          same = iri_str_equal(a, b), valid_a = 1, valid_b = 1;
    iri_status_t status = IRI_OK;

    a = iri_str_non_null(a);
    b = iri_str_non_null(b);

    if (level != IRI_LEVEL_STRING
        && (a.len > IRI_MAX_IRI || b.len > IRI_MAX_IRI)) {
        return IRI_IRI_TOO_LONG;
    }

    if (same || level == IRI_LEVEL_STRING) {
        *equal = same;
        return IRI_OK;
    }

    if (level != IRI_LEVEL_ESCAPES) {
        status = iri_level_form(env, level, host, a, &a, &valid_a);
        if (status == IRI_OK) {
            status = iri_level_form(env, level, host, b, &b, &valid_b);
        }
    }

    if (status == IRI_OK) {
        *equal = valid_a && valid_b
                 && (level == IRI_LEVEL_NFC ? iri_str_equal(a, b)
                                            : iri_equal_escapes(a, b));
    }

    return status;
}
