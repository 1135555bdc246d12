/*
 * iri_memo.h - the layout in memory of what is remembered of paths
 *
 * For iri_memo.c, whose table it is.  Who looks at a place holds
 * iri_cache_lock_own().
 */

#ifndef IRI_MEMO_H
#define IRI_MEMO_H

#include <string.h>

#include "iri_int.h"

#pragma GCC visibility push(hidden)

#define IRI_MEMO_SIZE 1024 /* octets of one of them, or it is not kept */

/* The lowest bits of a hash tell of what it is. */
#define IRI_MEMO_FOUND   UINT64_C(1)
#define IRI_MEMO_READING UINT64_C(2)

/* What was found. */
typedef struct {
    uint64_t    hash;     /* 0: free */
    uint64_t    shape[2]; /* of the tree: iri_tree_pack() */
    uint64_t    charsets;   /* of the reading */
    uint32_t    match_conf; /* IRI_FORGIVE_... and _REPAIR_... of the tree */
    uint32_t    prefix;
    const void *places;
    uint16_t    root_len; /* of text, one behind the other */
    uint16_t    path_len;
    uint16_t    octets_len;
    uint16_t    filename_len; /* and a NUL */
    uint16_t    found_len;
    uint8_t     write;
    uint8_t     read; /* how the path came */
    uint8_t     answer;
    uint8_t     why;
    uint8_t     match;
    uint8_t     sure; /* 0: it must be found once more */
    uint8_t     way;  /* 0: what was found is in the reading's charset, i: in
                         the i-th of its list, behind the last: in several */
    iri_asked_t asked;
} iri_memo_head_t;

#define IRI_MEMO_TEXT (IRI_MEMO_SIZE - sizeof(iri_memo_head_t))

typedef struct {
    iri_memo_head_t head;
    unsigned char   text[IRI_MEMO_TEXT];
} iri_memo_entry_t;

/* How octets are read. */
typedef struct {
    uint64_t hash; /* in the place of the other */
    uint64_t charsets;
    uint16_t octets_len; /* of text, one behind the other */
    uint16_t path_len;
    uint8_t  came;
    uint8_t  way;
} iri_memo_read_head_t;

#define IRI_MEMO_READ_TEXT (IRI_MEMO_SIZE - sizeof(iri_memo_read_head_t))

typedef struct {
    iri_memo_read_head_t head;
    unsigned char        text[IRI_MEMO_READ_TEXT];
} iri_memo_read_entry_t;

typedef union {
    iri_memo_entry_t      found;
    iri_memo_read_entry_t reading;
} iri_memo_place_t;

struct iri_memo_s {
    size_t            mask;
    iri_memo_place_t *place;
};


static inline iri_memo_place_t *
iri_memo_place(const iri_memo_t *memo, uint64_t hash)
{
    return &memo->place[(hash >> 20) & memo->mask];
}

/* Behind what was put; nothing is, if len is 0. */
static inline unsigned char *
iri_memo_put(unsigned char *to, const unsigned char *octets, size_t len)
{
    if (len != 0) {
        memcpy(to, octets, len);
    }

    return to + len;
}

#pragma GCC visibility pop

#endif /* IRI_MEMO_H */
