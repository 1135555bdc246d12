/*
 * iri_units.c - UTF-16, which ICU has made of a text, as UTF-8 again
 */

#include <unicode/ustring.h>

#include "iri_conf.h"
#include "iriref/iri_iriref.h"


iri_status_t
iri_give_units(const iri_env_t *env, const UChar *units, int32_t count,
               iri_converted_t *out)
{
    UErrorCode error = U_ZERO_ERROR;
    char      *utf8;
    int32_t    len;

    /* No unit needs more than 3 octets. */
    utf8 = env->alloc(env->ctx, 3 * (size_t) count + 1);
    if (utf8 == NULL) {
        return IRI_NO_MEMORY;
    }

    u_strToUTF8(utf8, 3 * count + 1, &len, units, count, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    iri_give(out,
             iri_span((unsigned char *) utf8, (unsigned char *) utf8 + len));

    return IRI_OK;
}
