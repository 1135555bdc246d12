/*
 * iri_equal.c - are two IRIs the same?
 *
 * Draft 2.3 as a ladder, RFC 3986, 6.2 and RFC 3987, 5.3: what costs more
 * finds more.  Conversions are made on the fly, and the two texts stay as they
 * are.
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

#define IRI_UNIT_KEPT 0x100 /* an escape of what means something raw */
#define IRI_UNIT_END  0x200

/*
 * The next octet of what a text would be as a URI, with all escapes undone
 * that may be: the same number, however it is written.
 */
static unsigned
iri_unit_next(const unsigned char **p, const unsigned char *end)
{
    unsigned char c;
    int           octet;

    if (*p == end) {
        return IRI_UNIT_END;
    }

    c = **p;
    octet = c == '%' ? iri_escape_at(*p, end) : -1;

    if (octet < 0) {
        (*p)++;
        return c;
    }

    *p += 3;
    c = (unsigned char) octet;

    return c == '%'
                   || (iri_octet_is(c, IRI_O_URI)
                       && !iri_octet_is(c, IRI_O_UNRESERVED))
               ? IRI_UNIT_KEPT | c
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
 * Characters, raw or escaped, as they are; of ASCII and of what is no UTF-8
 * what iri_unit_next tells, in a form that no other octet has.
 */
static iri_status_t
iri_put_units(const iri_env_t *env, iri_str_t text, iri_buf_t *out)
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

        /* "%" itself is never a unit but where it begins no escape. */
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
iri_equal_nfc(const iri_env_t *env, iri_str_t a, iri_str_t b, int *equal)
{
    iri_buf_t    units[2] = { IRI_BUF_EMPTY, IRI_BUF_EMPTY };
    iri_buf_t    nfc[2] = { IRI_BUF_EMPTY, IRI_BUF_EMPTY };
    iri_status_t status;

    status = iri_put_units(env, a, &units[0]);
    if (status == IRI_OK) {
        status = iri_put_units(env, b, &units[1]);
    }

    if (status == IRI_OK) {
        status = iri_nfc_text(env, iri_buf_str(&units[0]), &nfc[0]);
    }

    if (status == IRI_OK) {
        status = iri_nfc_text(env, iri_buf_str(&units[1]), &nfc[1]);
    }

    if (status == IRI_OK) {
        *equal = iri_str_equal(iri_buf_str(&nfc[0]), iri_buf_str(&nfc[1]));
    }

    return status;
}


/* ---- syntax, scheme, host ------------------------------------------------ */

/* What is compared at these levels; *known 0: only with itself. */
static iri_status_t
iri_level_form(const iri_env_t *env, iri_level_t level,
               const iri_host_conf_t *host, iri_str_t text, iri_str_t *form,
               int *known)
{
    static const iri_to_uri_conf_t none;
    iri_to_uri_conf_t              conf = none;
    iri_converted_t                converted = { text, NULL, 0 };
    iri_status_t                   status = IRI_OK;
    unsigned                       steps = level == IRI_LEVEL_SYNTAX
                                               ? IRI_NORMALIZE_SYNTAX
                                               : IRI_NORMALIZE_SYNTAX | IRI_NORMALIZE_SCHEME;

    if (level == IRI_LEVEL_IDN && host != NULL) {
        conf.host = host;
        status = iri_to_uri(env, &conf, text, &converted);

        /* A host without A-labels is compared as it is. */
        if (status == IRI_OK && converted.why != NULL) {
            converted.value = text;
        }
    }

    if (status == IRI_OK) {
        status = iri_normalize_syntax(env, steps, converted.value,
                                      &converted);
    }

    if (status == IRI_OK) {
        *known = converted.why == NULL;
        *form = converted.value;
    }

    return status;
}


static iri_status_t
iri_equal_syntax(const iri_env_t *env, iri_level_t level,
                 const iri_host_conf_t *host, iri_str_t a, iri_str_t b,
                 int *equal)
{
    iri_str_t    form_a = IRI_STR(""), form_b = IRI_STR("");
    int          known_a = 0, known_b = 0;
    iri_status_t status;

    status = iri_level_form(env, level, host, a, &form_a, &known_a);
    if (status == IRI_OK) {
        status = iri_level_form(env, level, host, b, &form_b, &known_b);
    }

    if (status == IRI_OK) {
        *equal = known_a && known_b && iri_equal_escapes(form_a, form_b);
    }

    return status;
}


iri_status_t
iri_equal(const iri_env_t *env, iri_level_t level,
          const iri_host_conf_t *host, iri_str_t a, iri_str_t b, int *equal)
{
    int same = iri_str_equal(a, b);

    a = iri_solid(a);
    b = iri_solid(b);

    if (same || level == IRI_LEVEL_STRING || a.len > IRI_MAX_IRI
        || b.len > IRI_MAX_IRI)
    {
        *equal = same;
        return IRI_OK;
    }

    switch (level) {
    case IRI_LEVEL_ESCAPES:
        *equal = iri_equal_escapes(a, b);
        return IRI_OK;
    case IRI_LEVEL_NFC:
        return iri_equal_nfc(env, a, b, equal);
    default:
        return iri_equal_syntax(env, level, host, a, b, equal);
    }
}
