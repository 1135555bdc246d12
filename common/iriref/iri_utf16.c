/*
 * iri_utf16.c - conversion of the UTF-16 that ICU produces to UTF-8
 */

#include <unicode/ustring.h>

#include "iriref/iri_iriref.h"


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
