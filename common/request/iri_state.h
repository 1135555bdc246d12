/*
 * iri_state.h - the state of a request, and notes for its log line
 */

#ifndef IRI_STATE_H
#define IRI_STATE_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- log lines ----------------------------------------------------------- */

/*
 * Add a note of report mode: what the module would do.
 * code:   code of the reason (doc/reasons.md), static
 * first:  1: insert it before the other notes, 0: append it
 * format: as printf; the text is shortened to IRI_MAX_LOG_TEXT
 */
void iri_note_would(iri_notes_t *notes, const char *code, int first,
                    const char *format, ...)
    __attribute__((format(printf, 4, 5)));


/* As iri_vnote(), with variable arguments instead of a va_list. */
void iri_note(iri_notes_t *notes, iri_log_level_t level, const char *code,
              const char *format, ...)
    __attribute__((format(printf, 4, 5)));


#pragma GCC visibility pop

#endif /* IRI_STATE_H */
