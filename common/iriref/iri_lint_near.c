/*
 * iri_lint_near.c - names that are one edit apart
 *
 * A request that is one edit from both would be ambiguous where iri_match has
 * "spelling".  As in the index of a directory (iri_index.c), two keys that are
 * one edit apart have the same key once a character of each is left out, or
 * one of them is that key of the other's: so those keys are sorted by a hash,
 * and only neighbours are compared.
 */

#include <stdlib.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "index/iri_index.h"
#include "iriref/iri_lint.h"

/* A key, or what it is without one of its characters. */
typedef struct {
    uint32_t hash;
    uint32_t item; /* of lint->sorted */
} iri_hint_t;

typedef struct {
    iri_lint_t      *lint;
    iri_index_conf_t shape; /* its key alone counts: that of the hash */
    iri_edit_t       edit;
    iri_hint_t      *hint;
    size_t           count;
    size_t           most;
    uint32_t *near; /* of each item, the first it is near to; or itself */
} iri_speller_t;


/* Each character of a key, and the key itself. */
static size_t
iri_lint_hints(const iri_lint_t *lint)
{
    size_t i, k, count = 0;

    for (i = 0; i < lint->named; i++) {
        iri_str_t key = lint->sorted[i]->key;

        count++;
        for (k = 0; k < key.len; k++) {
            count += (key.data[k] & 0xc0) != 0x80;
        }
    }

    return count;
}


static iri_status_t
iri_speller_create(iri_speller_t *speller, iri_lint_t *lint)
{
    const iri_env_t *env = lint->env;
    size_t           i;

    memset(speller, 0, sizeof(*speller));
    speller->lint = lint;
    speller->most = iri_lint_hints(lint);
    iri_edit_init(&speller->edit);

    if (speller->most > SIZE_MAX / sizeof(speller->hint[0])
        || lint->named > UINT32_MAX)
    {
        return IRI_NO_MEMORY;
    }

    speller->hint = env->alloc(env->ctx,
                               speller->most * sizeof(speller->hint[0]));
    speller->near = env->alloc(env->ctx,
                               lint->named * sizeof(speller->near[0]));
    if (speller->hint == NULL || speller->near == NULL) {
        return IRI_NO_MEMORY;
    }

    for (i = 0; i < lint->named; i++) {
        speller->near[i] = (uint32_t) i;
    }

    return IRI_OK;
}


static void
iri_speller_add(iri_speller_t *speller, iri_str_t key, size_t item)
{
    iri_hint_t *hint = &speller->hint[speller->count++];

    hint->hash = iri_index_hash(&speller->shape, key);
    hint->item = (uint32_t) item;
}


static iri_status_t
iri_speller_read(iri_speller_t *speller, size_t item)
{
    iri_lint_t  *lint = speller->lint;
    iri_str_t    key = lint->sorted[item]->key;
    iri_status_t status;
    size_t       i;
    int          fit, left_out;

    status = iri_edit_divide(&speller->edit, key, &fit);
    if (status != IRI_OK || !fit) {
        return status;
    }

    iri_speller_add(speller, key, item);

    for (i = 0; status == IRI_OK && i < speller->edit.count; i++) {
        lint->buf.len = 0;
        status = iri_edit_without(lint->env, &speller->edit, key, i,
                                  &lint->buf, &left_out);

        if (status == IRI_OK && left_out) {
            iri_speller_add(speller, iri_buf_str(&lint->buf), item);
        }
    }

    return status;
}


static int
iri_hint_compare(const void *a, const void *b)
{
    const iri_hint_t *one = a, *two = b;

    if (one->hash != two->hash) {
        return one->hash < two->hash ? -1 : 1;
    }

    return one->item < two->item ? -1 : one->item > two->item;
}


/* Hints from to at have its hash, and are of names before it. */
static iri_status_t
iri_speller_compare(iri_speller_t *speller, size_t from, size_t at)
{
    iri_lint_t  *lint = speller->lint;
    uint32_t     item = speller->hint[at].item, other;
    iri_status_t status = IRI_OK;
    int          one = 0;

    if (at - from > IRI_LINT_NEAR) {
        from = at - IRI_LINT_NEAR;
    }

    for (/* void */; status == IRI_OK && from < at; from++) {
        other = speller->hint[from].item;

        /* It knows one that comes before that, or it is the same. */
        if (other >= speller->near[item]) {
            return IRI_OK;
        }

        lint->used = 0;
        status = iri_edit_is_one(&lint->scratch, lint->sorted[other]->key,
                                 lint->sorted[item]->key, &one);
        if (one) {
            speller->near[item] = other;
        }
    }

    return status;
}


static iri_status_t
iri_speller_find(iri_speller_t *speller)
{
    const iri_hint_t *hint = speller->hint;
    iri_status_t      status = IRI_OK;
    size_t            i, from = 0;

    qsort(speller->hint, speller->count, sizeof(speller->hint[0]),
          iri_hint_compare);

    for (i = 1; status == IRI_OK && i < speller->count; i++) {
        if (hint[i].hash != hint[i - 1].hash) {
            from = i;
            continue;
        }

        status = iri_speller_compare(speller, from, i);
    }

    return status;
}


iri_status_t
iri_lint_spellings(iri_lint_t *lint)
{
    static const iri_str_t none = { 0, NULL };
    iri_speller_t          speller;
    iri_status_t           status;
    size_t                 i;

    status = iri_speller_create(&speller, lint);

    for (i = 0; status == IRI_OK && i < lint->named; i++) {
        status = iri_speller_read(&speller, i);
    }

    if (status == IRI_OK) {
        status = iri_speller_find(&speller);
    }

    for (i = 0; status == IRI_OK && i < lint->named; i++) {
        if (speller.near[i] != i) {
            status = iri_lint_tell(lint, IRI_LINT_COLLISION, lint->sorted[i],
                                   lint->sorted[speller.near[i]],
                                   IRI_MATCH_SPELLING, none);
        }
    }

    iri_edit_free(&speller.edit);

    return status;
}
