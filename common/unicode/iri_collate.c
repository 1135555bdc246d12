/*
 * iri_collate.c - sort keys of names
 *
 * Names are ordered by ICU's root collation (UTS #10), which belongs to no
 * language, and numbers by their value.  The key of a name is computed once.
 * Keys are compared by strcmp.
 */

#include <unicode/ucol.h>
#include <unicode/ustring.h>

#include "unicode/iri_unicode.h"


iri_status_t
iri_collator_open(struct UCollator **collator)
{
    UErrorCode error = U_ZERO_ERROR;

    *collator = ucol_open("", &error);
    ucol_setAttribute(*collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &error);

    if (U_FAILURE(error)) {
        iri_collator_close(*collator);
        return IRI_ICU_FAILED;
    }

    return IRI_OK;
}


void
iri_collator_close(struct UCollator *collator)
{
    ucol_close(collator);
}


int
iri_collate_ready(void)
{
    struct UCollator *collator;

    if (iri_collator_open(&collator) != IRI_OK) {
        return 0;
    }

    iri_collator_close(collator);

    return 1;
}


iri_status_t
iri_collate(const struct UCollator *collator, iri_str_t name,
            unsigned char key[IRI_MAX_KEY], size_t *size)
{
    UErrorCode error = U_ZERO_ERROR;
    UChar      text[IRI_MAX_SEGMENT];
    int32_t    units = 0, n;

    u_strFromUTF8(text, IRI_MAX_SEGMENT, &units, (const char *) name.data,
                  (int32_t) name.len, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    n = ucol_getSortKey(collator, text, units, key, IRI_MAX_KEY);
    if (n <= 0) {
        return IRI_ICU_FAILED;
    }

    *size = n < IRI_MAX_KEY ? (size_t) n : IRI_MAX_KEY;
    key[*size - 1] = '\0';

    return IRI_OK;
}
