/*
 * oracle.h - what is ignored, by ICU's properties alone
 *
 * Keys, levels and edits as design.md and the standards have them, a
 * character at a time: no range, table or short way of the core is in here.
 */

#ifndef ORACLE_H
#define ORACLE_H

#include "core.h"

#define ORACLE_TEXT  64                   /* characters */
#define ORACLE_KEY   (16 * ORACLE_TEXT)   /* whatever is done to them */
#define ORACLE_PARTS 24                   /* user-perceived characters */

typedef struct {
    uint32_t c[ORACLE_KEY];
    size_t   count;
} oracle_text_t;

/* The vendor's character of a JIS pair; c itself if it is in none. */
uint32_t oracle_vendor(uint32_t c);

/* Into NFC or NFD, but for the three that stay. */
void oracle_normalize(oracle_text_t *text, int nfd);

/* The key of a name, which is canonical, where match is ignored. */
void oracle_key(unsigned match, const oracle_text_t *name,
                oracle_text_t *key);

/* iri_fold_level of canonical names */
iri_match_t oracle_level(unsigned match, const oracle_text_t *a,
                         const oracle_text_t *b);

/* A key, as its user-perceived characters. */
typedef struct {
    iri_str_t     key;
    unsigned char utf8[4 * ORACLE_KEY];
    size_t        count;
    iri_str_t     part[ORACLE_PARTS];
    int           digit[ORACLE_PARTS];   /* there is one in it */
} oracle_parts_t;

/* Fill in what follows from key. */
void oracle_divide(oracle_parts_t *p);

/* iri_edit_differ_by_one, by all edits that there are */
int oracle_one_edit(const oracle_parts_t *a, const oracle_parts_t *b);

#endif /* ORACLE_H */
