/*
 * fail.h - the calls of a module, each of which can be made to fail
 *
 * The modules are linked once more, with the functions that provide memory,
 * files and ICU's services renamed: lstat to torture_lstat. Those functions are
 * here. They count calls, and read their instructions from a file that all
 * processes map and that the environment variable IRI_FAIL names. Fail.pm
 * writes it and knows the layout of fail_t.
 */

#ifndef FAIL_H
#define FAIL_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Bits of fail_t.kinds */
#define FAIL_MEMORY 0x1u   /* returns NULL, or its equivalent */
#define FAIL_FILES  0x2u   /* sets errno */
#define FAIL_ICU    0x4u   /* sets U_MEMORY_ALLOCATION_ERROR */
#define FAIL_POOL   0x8u   /* ends the process, as httpd does */

#define FAIL_FRAMES  5
#define FAIL_CALLS   100000

/* One call that was counted. */
typedef struct {
    char     name[28];               /* of the function, NUL-padded */
    uint32_t frames[FAIL_FRAMES];    /* return addresses within the module;
                                        0: no further caller */
} fail_call_t;

typedef struct {
    uint32_t kinds;    /* the kinds that are counted; 0: none */
    uint32_t at;       /* the call that fails, from 1; 0: none */
    uint32_t on;       /* 1: and each later call */
    int32_t  error;    /* errno for FAIL_FILES */
    uint32_t count;    /* calls so far */
    uint32_t failed;   /* of these */
    int32_t  blocks;   /* malloc blocks that were not freed */
    int32_t  dirs;     /* directories that were opened and not closed */
    uint32_t no_abort; /* allocations from a pool that would return NULL */
    uint32_t room[7];
    fail_call_t calls[FAIL_CALLS];   /* the first of them */
} fail_t;

/* Count a call. Returns: 1 if it must fail. */
int fail_now(unsigned kind, const char *name);

/* The errno of the failure. */
int fail_error(void);

/* Count blocks and directories that are held. */
void fail_hold_block(int by);
void fail_hold_dir(int by);
void fail_no_abort(void);

#pragma GCC visibility pop

#endif /* FAIL_H */
