/*
 * fold_model.h - a model of folding and edits that uses only ICU's properties
 *
 * Keys, levels and edits as design.md and the standards define them, one
 * character at a time: without the ranges, tables and shortcuts of the core.
 */

#ifndef FOLD_MODEL_H
#define FOLD_MODEL_H

#include "core.h"

#define FOLD_MODEL_TEXT  64                   /* characters */
#define FOLD_MODEL_KEY   (16 * FOLD_MODEL_TEXT)   /* after all expansions */
#define FOLD_MODEL_PARTS 24                   /* user-perceived characters */

typedef struct {
    uint32_t c[FOLD_MODEL_KEY];
    size_t   count;
} fold_model_text_t;

/* The vendor's character of a JIS pair; c itself if it is in no pair. */
uint32_t fold_model_vendor(uint32_t c);

/* Normalize to NFC or NFD, except the three characters that do not change. */
void fold_model_normalize(fold_model_text_t *text, int nfd);

/* The key of a canonical name when the levels of match are folded. */
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
    int           digit[FOLD_MODEL_PARTS];   /* it contains a digit */
} fold_model_parts_t;

/* Compute all other fields from key. */
void fold_model_divide(fold_model_parts_t *p);

/* iri_edit_differ_by_one, by trying all edits */
int fold_model_one_edit(const fold_model_parts_t *a,
                        const fold_model_parts_t *b);

#endif /* FOLD_MODEL_H */
