/*
 * fault.h - failures of the functions that the core calls
 *
 * The linker wraps memory, files, the clock and ICU: see test_torture in the
 * Makefile.  A function of these groups that the core calls and that has no
 * wrapper here does not link.
 */

#ifndef FAULT_H
#define FAULT_H

#include "core.h"

/* The groups of functions that may fail */
#define FAULT_ARENA    0x01u   /* env->alloc; only with fault_arena() */
#define FAULT_HEAP     0x02u   /* malloc and calloc of the core */
#define FAULT_FILES    0x04u   /* with errno */
#define FAULT_CLOCK    0x08u
#define FAULT_ICU      0x10u   /* with a UErrorCode */
#define FAULT_ICU_HEAP 0x20u   /* ICU's own memory: fault_icu_memory */
#define FAULT_IDN      0x40u   /* libidn2, with a code of its own */

/* The order in which a directory is listed */
typedef enum {
    FAULT_IN_ORDER,
    FAULT_REVERSED,
    FAULT_TWICE,      /* each entry twice */
    FAULT_ROTATED,
    FAULT_ORDERS
} fault_order_t;

typedef struct {
    unsigned      kinds;    /* the groups that are counted; 0: nothing fails */
    size_t        at;       /* the call that fails, from 1 */
    int           on;       /* 1: and each later call */
    int           error;
    fault_order_t order;

    size_t        calls;    /* since kinds was set */
    size_t        failed;   /* how many of these failed */
    size_t        runs;     /* runs with a failure, since the start */
    const char   *where;    /* the last function that failed */

    long          blocks;   /* open or not freed, like the following */
    long          dirs;
    long          converters;
    long          rules;    /* of hosts, ICU's */
    long          names;    /* of hosts, libidn2's */
    long          collators;
    long          alphabets;   /* and sets of them */
    long          checkers;    /* of look-alikes */
} fault_t;

extern fault_t fault;

/* Let the n-th call of these groups fail; kinds 0: none. */
void fault_set(unsigned kinds, size_t n, int on, int error);

/* Make env->alloc of a core_t fail too. */
void fault_arena(core_t *core);

/*
 * Route ICU's allocations through this file; must precede any other call of
 * ICU.
 */
int fault_icu_memory(void);

/* Print the number of calls and failures of each function. */
void fault_print(void);

#endif /* FAULT_H */
