/*
 * iri_lint.h - what the files of iri_lint need of each other
 */

#ifndef IRI_LINT_H
#define IRI_LINT_H

#include "iri_ref.h"
#include "base/iri_base.h"

#pragma GCC visibility push(hidden)

/* Of how many others with the same key is each told? */
#define IRI_LINT_NEAR 16

typedef struct {
    iri_str_t octets;     /* of the entry */
    iri_str_t name;       /* canonical; empty: none */
    iri_str_t key;        /* of what is forgiven; empty: nobody asked */
    iri_str_t skeleton;   /* what it looks like; empty: nobody asked */
    size_t    charset;    /* it is read in, of the tree */
} iri_lint_item_t;

typedef struct {
    const iri_env_t       *env;
    const iri_lint_conf_t *conf;
    iri_lint_each_t        each;
    void                  *arg;
    iri_lint_item_t       *item;
    size_t                 count;
    iri_lint_item_t      **sorted;   /* those that have a name, by it */
    size_t                 named;
    iri_env_t              scratch;  /* what is forgotten with the name */
    unsigned char         *memory;   /* of it */
    size_t                 used;
    iri_buf_t              buf;
    iri_buf_t              other;
    iri_buf_t              sample; /* legacy names, for a guess */
    size_t                 high;   /* octets of it above 7F */
    iri_str_t              guess;  /* charset; empty: none */
    size_t                 read[IRI_MAX_CHARSETS]; /* other than ASCII */
} iri_lint_t;

/* ---- iri_lint_tell.c ----------------------------------------------------- */

int iri_lint_wants(const iri_lint_t *lint, iri_lint_kind_t kind);

/* A finding of that kind, of which nothing else is known; item may be NULL. */
void iri_lint_begin(iri_finding_t *finding, iri_lint_kind_t kind,
                    const iri_lint_item_t *item);

/* Tell it, if its kind is wanted. */
iri_status_t iri_lint_give(const iri_lint_t    *lint,
                           const iri_finding_t *finding);

iri_status_t iri_lint_tell(const iri_lint_t *lint, iri_lint_kind_t kind,
                           const iri_lint_item_t *item,
                           const iri_lint_item_t *other, iri_match_t match,
                           iri_str_t charset);

/* A copy in the arena. */
iri_status_t iri_lint_copy(const iri_lint_t *lint, iri_str_t text,
                           iri_str_t *out);

iri_status_t iri_lint_is_nfkc(iri_str_t name, int *is);

/* For qsort, of pointers to items. */
int iri_lint_by_name(const void *a, const void *b);

/* ---- iri_lint_seen.c ----------------------------------------------------- */

/* Was it UTF-8 before?  Of a name, or of octets that make none: MOJIBAKE. */
iri_status_t iri_lint_mojibake(iri_lint_t *lint, const iri_lint_item_t *item);

/* How a name is seen: MOJIBAKE, BIDI, LOOK_ALIKE; its skeleton. */
iri_status_t iri_lint_seen(iri_lint_t *lint, iri_lint_item_t *item);

/* Two names that look alike: LOOK_ALIKE. */
iri_status_t iri_lint_alike(iri_lint_t *lint);

/* ---- iri_lint_near.c ----------------------------------------------------- */

/* Two names whose keys are one edit apart: COLLISION. */
iri_status_t iri_lint_spellings(iri_lint_t *lint);

#pragma GCC visibility pop

#endif /* IRI_LINT_H */
