/*
 * fold_model.h - what is forgiven, by ICU's properties alone
 *
 * Keys, levels and edits as design.md and the standards have them, a
 * character at a time: no range, table or short way of the core is in here.
 */

#ifndef FOLD_MODEL_H
#define FOLD_MODEL_H

#include "core.h"

#define FOLD_MODEL_TEXT  64                   /* characters */
#define FOLD_MODEL_KEY   (16 * FOLD_MODEL_TEXT)   /* whatever is done to them */
#define FOLD_MODEL_PARTS 24                   /* user-perceived characters */

typedef struct {
    uint32_t c[FOLD_MODEL_KEY];
    size_t   count;
} fold_model_text_t;

/* The vendor's character of a JIS pair; c itself if it is in none. */
uint32_t fold_model_vendor(uint32_t c);

/* Into NFC or NFD, but for the three that stay. */
void fold_model_normalize(fold_model_text_t *text, int nfd);

/* The key of a name, which is canonical, where match is forgiven. */
void fold_model_key(unsigned match, const fold_model_text_t *name,
                fold_model_text_t *key);

/* iri_fold_level of canonical names */
iri_match_t fold_model_level(unsigned match, const fold_model_text_t *a,
                         const fold_model_text_t *b);

/* A key, as its user-perceived characters. */
typedef struct {
    iri_str_t     key;
    unsigned char utf8[4 * FOLD_MODEL_KEY];
    size_t        count;
    iri_str_t     part[FOLD_MODEL_PARTS];
    int           digit[FOLD_MODEL_PARTS];   /* there is one in it */
} fold_model_parts_t;

/* Fill in what follows from key. */
void fold_model_divide(fold_model_parts_t *p);

/* iri_edit_differ_by_one, by all edits that there are */
int fold_model_one_edit(const fold_model_parts_t *a, const fold_model_parts_t *b);

#endif /* FOLD_MODEL_H */
