/*
 * iri_units.h - text in UTF-16, in which ICU normalizes
 *
 * Inside unicode/ only: for the keys of names and for NFC and NFD.
 */

#ifndef IRI_UNITS_H
#define IRI_UNITS_H

#include <unicode/utypes.h>

#include "unicode/iri_unicode.h"

#pragma GCC visibility push(hidden)

#define IRI_MAX_UNITS (4 * IRI_MAX_SEGMENT)

/* A text in UTF-16. */
typedef struct {
    UChar   units[IRI_MAX_UNITS];
    int32_t len; /* units */
} iri_units_t;

/* Append a character.  Returns: 1; 0: no room. */
int iri_units_put(iri_units_t *to, uint32_t c);

/*
 * Normalize *s to NFC (compose 1) or NFD (compose 0), except the characters
 * whose NFC is ASCII.  If *error is a failure already, nothing is done.
 * *error: U_BUFFER_OVERFLOW_ERROR if the result is longer than IRI_MAX_UNITS.
 */
void iri_units_normalize(iri_units_t *s, int compose, UErrorCode *error);

/* Append s in UTF-8.  Returns: IRI_OK; IRI_NO_MEMORY. */
iri_status_t iri_units_write(const iri_env_t *env, const iri_units_t *s,
                             iri_buf_t *out);

#pragma GCC visibility pop

#endif /* IRI_UNITS_H */
