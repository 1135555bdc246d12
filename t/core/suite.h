/*
 * suite.h - the rows of ../shared/data, and our documented deviations
 *
 * A row that the core does not agree with must be in t/core/deviations.tsv
 * with the reason.  The test fails for a listed row that the core agrees with,
 * and for one that is no longer in its suite.
 */

#ifndef SUITE_H
#define SUITE_H

#include "core.h"

#define SUITE_FIELDS 12

typedef struct {
    const char *suite;
    const char *line;    /* the row as in its file */
    size_t      count;
    iri_str_t   field[SUITE_FIELDS];   /* data NULL: "\N", absent */
} suite_row_t;

/* 1: the core agrees with the row. */
typedef int (*suite_judge_t)(core_t *core, const suite_row_t *row);

/*
 * Judge each row of a file below data/, print their number, and fail if a
 * deviation has no reason.  least: the minimal number of rows.
 */
void suite_run(const char *name, suite_judge_t judge, size_t least);

/* Is the first field this word? */
int suite_is(iri_str_t field, const char *word);

#endif /* SUITE_H */
