/*
 * suite.h - the rows of ../shared/data, and those that we decide otherwise
 *
 * A row that the core does not agree with must stand in t/core/deviations.tsv
 * with the reason; one that stands there and is agreed with fails the test,
 * and so does one that is not in its suite any more.
 */

#ifndef SUITE_H
#define SUITE_H

#include "core.h"

#define SUITE_FIELDS 12

typedef struct {
    const char *suite;
    const char *line;    /* the row as it stands in its file */
    size_t      count;
    iri_str_t   field[SUITE_FIELDS];   /* data NULL: "\N", absent */
} suite_row_t;

/* 1: the core agrees with the row. */
typedef int (*suite_judge_t)(core_t *core, const suite_row_t *row);

/*
 * Judge each row of a file below data/, say how many there were, and fail
 * where one is decided otherwise and has no reason.  least: rows at least.
 */
void suite_run(const char *name, suite_judge_t judge, size_t least);

/* Is the first field this word? */
int suite_is(iri_str_t field, const char *word);

#endif /* SUITE_H */
