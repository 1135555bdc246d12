/*
 * iri_request.h - what log lines of a request are made of
 */

#ifndef IRI_REQUEST_H
#define IRI_REQUEST_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- log lines ------------------------------------------------------------- */

/* What would be done; before all that was noted, or behind it (iri_log_line.c) */
void iri_note_would(iri_notes_t *notes, const char *code, int first,
                    const char *format, ...)
    __attribute__((format(printf, 4, 5)));


/* As iri_vnote(), with the arguments themselves. */
void iri_note(iri_notes_t *notes, iri_log_level_t level, const char *code,
              const char *format, ...)
    __attribute__((format(printf, 4, 5)));


#pragma GCC visibility pop

#endif /* IRI_REQUEST_H */
