/*
 * iri_idna.c - host names by UTS #46 (ICU) and by IDNA2008 (libidn2)
 *
 * ICU does the mapping.  A name is refused if either its error code or
 * info.errors reports an error: with code 0 and an error in info, ICU returns a
 * name that contains U+FFFD.  In strict mode libidn2 must give the same result;
 * alone it is not sufficient, because it drops characters that it should
 * refuse.
 */

#include <stdlib.h>
#include <string.h>

#include <idn2.h>
#include <unicode/uidna.h>

#include "host/iri_idna.h"

#define IRI_IDNA_OPTIONS                                                     \
    (UIDNA_USE_STD3_RULES | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ          \
     | UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE)

struct iri_idna_s {
    UIDNA *rules;
};

typedef int32_t (*iri_idna_call_t)(const UIDNA *idna, const char *name,
                                   int32_t length, char *dest,
                                   int32_t capacity, UIDNAInfo *info,
                                   UErrorCode *error);


iri_idna_t *
iri_idna_create(void)
{
    UErrorCode  error = U_ZERO_ERROR;
    iri_idna_t *idna;

    idna = malloc(sizeof(*idna));
    if (idna == NULL) {
        return NULL;
    }

    idna->rules = uidna_openUTS46(IRI_IDNA_OPTIONS, &error);
    if (U_FAILURE(error)) {
        free(idna);
        return NULL;
    }

    return idna;
}


void
iri_idna_destroy(iri_idna_t *idna)
{
    if (idna == NULL) {
        return;
    }

    uidna_close(idna->rules);
    free(idna);
}


/* Convert error bits of ICU; the first row that matches is reported. */
static iri_host_why_t
iri_idna_why(uint32_t errors)
{
    static const struct {
        uint32_t       errors;
        iri_host_why_t why;
    } table[] = { { UIDNA_ERROR_DISALLOWED | UIDNA_ERROR_LABEL_HAS_DOT,
                    IRI_HOST_CHARACTER },
                  { UIDNA_ERROR_PUNYCODE | UIDNA_ERROR_INVALID_ACE_LABEL,
                    IRI_HOST_ALABEL },
                  { UIDNA_ERROR_LEADING_COMBINING_MARK, IRI_HOST_MARK },
                  { UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN
                        | UIDNA_ERROR_HYPHEN_3_4,
                    IRI_HOST_HYPHEN },
                  { UIDNA_ERROR_CONTEXTJ, IRI_HOST_JOINER },
                  { UIDNA_ERROR_BIDI, IRI_HOST_BIDI },
                  { UIDNA_ERROR_EMPTY_LABEL, IRI_HOST_EMPTY },
                  { UIDNA_ERROR_LABEL_TOO_LONG
                        | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG,
                    IRI_HOST_LIMIT } };
    size_t i;

    if (errors == 0) {
        return IRI_HOST_MAPPED;
    }

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (errors & table[i].errors) {
            return table[i].why;
        }
    }

    return IRI_HOST_CHARACTER; /* an error of a newer ICU */
}


/* Append the result of an ICU function.  If the buffer is too short, the
   function is called again with a longer one. */
static iri_status_t
iri_idna_call(const iri_env_t *env, const iri_idna_t *idna,
              iri_idna_call_t call, iri_str_t host, iri_buf_t *out,
              iri_host_why_t *why)
{
    UIDNAInfo    info = UIDNA_INFO_INITIALIZER;
    UErrorCode   error = U_ZERO_ERROR;
    iri_status_t status;
    int32_t      len = 0;

    status = iri_buf_reserve(env, out, 2 * host.len + 64);

    if (status == IRI_OK) {
        len = call(idna->rules, (const char *) host.data, (int32_t) host.len,
                   (char *) out->data + out->len,
                   (int32_t) (out->size - out->len), &info, &error);
    }

    /* One character can become 18 (U+FDFA). */
    if (status == IRI_OK && error == U_BUFFER_OVERFLOW_ERROR) {
        error = U_ZERO_ERROR;
        status = iri_buf_reserve(env, out, (size_t) len);

        if (status == IRI_OK) {
            len = call(idna->rules, (const char *) host.data,
                       (int32_t) host.len, (char *) out->data + out->len,
                       (int32_t) (out->size - out->len), &info, &error);
        }
    }

    if (status != IRI_OK) {
        return status;
    }

    if (error == U_INPUT_TOO_LONG_ERROR) {
        *why = IRI_HOST_LIMIT;
        return IRI_OK;
    }

    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    out->len += (size_t) len;
    *why = iri_idna_why(info.errors);

    return IRI_OK;
}


iri_status_t
iri_idna_to_unicode(const iri_env_t *env, const iri_idna_t *idna,
                    iri_str_t host, iri_buf_t *unicode, iri_host_why_t *why)
{
    return iri_idna_call(env, idna, uidna_nameToUnicodeUTF8, host, unicode,
                         why);
}


/* 1 if no label has more characters than an A-label may have octets. */
static int
iri_idna_labels_are_short(iri_str_t unicode)
{
    size_t i, characters = 0;

    for (i = 0; i < unicode.len; i++) {
        if (unicode.data[i] == '.') {
            characters = 0;

        } else if ((unicode.data[i] & 0xc0) != 0x80
                   && ++characters > IRI_MAX_ALABEL) {
            return 0;
        }
    }

    return 1;
}


/*
 * U-labels are computed first, because this is cheap: their length is checked
 * before Punycode, whose time grows with the square of the length.  Mapping the
 * U-labels again must give the same A-labels (round trip).
 */
iri_status_t
iri_idna_map(const iri_env_t *env, const iri_idna_t *idna, iri_str_t host,
             iri_buf_t *ascii, iri_buf_t *unicode, iri_host_why_t *why)
{
    iri_buf_t    round_trip = IRI_BUF_EMPTY;
    iri_status_t status;

    status = iri_idna_to_unicode(env, idna, host, unicode, why);

    if (status == IRI_OK && *why == IRI_HOST_MAPPED
        && !iri_idna_labels_are_short(iri_buf_str(unicode)))
    {
        *why = IRI_HOST_LIMIT;
    }

    if (status == IRI_OK && *why == IRI_HOST_MAPPED) {
        status = iri_idna_call(env, idna, uidna_nameToASCII_UTF8, host, ascii,
                               why);
    }

    if (status == IRI_OK && *why == IRI_HOST_MAPPED) {
        status = iri_idna_call(env, idna, uidna_nameToASCII_UTF8,
                               iri_buf_str(unicode), &round_trip, why);
    }

    if (status == IRI_OK && *why == IRI_HOST_MAPPED
        && !iri_str_equal(iri_buf_str(&round_trip), iri_buf_str(ascii)))
    {
        *why = IRI_HOST_ALABEL;
    }

    return status;
}


/* ---- IDNA2008 ------------------------------------------------------------ */

/*
 * Append the A-label of a U-label by IDNA2008.  label: NUL-terminated, with at
 * least one non-ASCII character.
 */
static iri_status_t
iri_idna2008_label(const iri_env_t *env, const unsigned char *label,
                   iri_buf_t *ascii, iri_host_why_t *why)
{
    uint8_t     *out = NULL;
    iri_status_t status;
    int          code;

    code = idn2_lookup_u8(label, &out,
                          IDN2_NO_TR46 | IDN2_USE_STD3_ASCII_RULES);
    if (code == IDN2_MALLOC) {
        return IRI_NO_MEMORY;
    }

    if (code != IDN2_OK) {
        *why = code == IDN2_TOO_BIG_LABEL || code == IDN2_TOO_BIG_DOMAIN
                       || code == IDN2_PUNYCODE_BIG_OUTPUT
                   ? IRI_HOST_LIMIT
                   : IRI_HOST_IDNA2008;
        return IRI_OK;
    }

    status = iri_buf_put(env, ascii, out, strlen((const char *) out));
    idn2_free(out);

    return status;
}


/* 1 if label has only letters, digits and "-". */
static int
iri_is_ldh(iri_str_t label)
{
    size_t i;

    for (i = 0; i < label.len; i++) {
        if (!iri_is_alphanumeric(label.data[i]) && label.data[i] != '-') {
            return 0;
        }
    }

    return 1;
}


iri_status_t
iri_idna2008(const iri_env_t *env, iri_str_t unicode, iri_buf_t *ascii,
             iri_host_why_t *why)
{
    iri_buf_t    label = IRI_BUF_EMPTY;
    iri_str_t    part;
    iri_status_t status = IRI_OK;
    size_t       from, to;

    *why = IRI_HOST_MAPPED;

    for (from = 0; status == IRI_OK; from = to + 1) {
        to = iri_label_end(unicode, from);
        part = iri_str_from(unicode, from);
        part.len = to - from;

        if (iri_is_ldh(part)) {
            status = iri_buf_put(env, ascii, part.data, part.len);

        } else if (iri_path_is_ascii(part, 0)) {
            *why = IRI_HOST_CHARACTER;

        } else {
            label.len = 0;
            status = iri_buf_put(env, &label, part.data, part.len);

            if (status == IRI_OK) {
                status = iri_buf_putc(env, &label, '\0');
            }

            if (status == IRI_OK) {
                status = iri_idna2008_label(env, label.data, ascii, why);
            }
        }

        if (*why != IRI_HOST_MAPPED || to == unicode.len) {
            break;
        }

        if (status == IRI_OK) {
            status = iri_buf_putc(env, ascii, '.');
        }
    }

    return status;
}
