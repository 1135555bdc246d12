/*
 * iri_utf16.c - conversion from and to the UTF-16 of ICU
 */

#include <unicode/ustring.h>

#include "iriref/iri_iriref.h"


iri_status_t
iri_utf16(const iri_env_t *env, iri_str_t text, UChar **units, int32_t *count)
{
    UErrorCode error = U_ZERO_ERROR;

    /* UTF-16 has at most as many units as UTF-8 has octets. */
    *units = env->alloc(env->ctx, (text.len + 1) * sizeof(UChar));
    if (*units == NULL) {
        return IRI_NO_MEMORY;
    }

    u_strFromUTF8(*units, (int32_t) text.len + 1, count,
                  (const char *) text.data, (int32_t) text.len, &error);

    return U_SUCCESS(error) ? IRI_OK : IRI_ICU_FAILED;
}


iri_status_t
iri_converted_set_utf16(const iri_env_t *env, const UChar *units,
                        int32_t count, iri_converted_t *out)
{
    UErrorCode error = U_ZERO_ERROR;
    char      *utf8;
    int32_t    len;

    /* A unit of UTF-16 takes at most 3 octets of UTF-8. */
    utf8 = env->alloc(env->ctx, 3 * (size_t) count + 1);
    if (utf8 == NULL) {
        return IRI_NO_MEMORY;
    }

    u_strToUTF8(utf8, 3 * count + 1, &len, units, count, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    iri_converted_set(out, iri_str_between((unsigned char *) utf8,
                                           (unsigned char *) utf8 + len));

    return IRI_OK;
}
