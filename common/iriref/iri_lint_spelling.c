/*
 * iri_lint_spelling.c - pairs of names that are one edit apart
 *
 * With "spelling" in iri_match a request that is one edit from both names is
 * ambiguous.  If two keys are one edit apart, then deleting one character of
 * each gives the same string, or deleting one character of the longer key
 * gives the other (as in iri_index.c).  All keys and all deletions are sorted
 * by their hash, and only entries with the same hash are compared.
 */

#include <stdlib.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "index/iri_index.h"
#include "iriref/iri_lint.h"

/* A key, or a key without one of its characters. */
typedef struct {
    uint32_t hash;
    uint32_t entry; /* index in lint->sorted */
} iri_deletion_t;

/* The search for pairs. */
typedef struct {
    iri_lint_t      *lint;
    iri_index_conf_t hash_conf; /* only the key of the hash is used: zero */
    iri_graphemes_t  edit;
    iri_deletion_t  *deletions;
    size_t           count; /* of deletions */
    uint32_t *nearest;      /* for each entry the first entry that is one edit
                          apart; the entry itself: none */
} iri_spelling_t;


static iri_status_t
iri_spelling_create(iri_spelling_t *spelling, iri_lint_t *lint)
{
    const iri_env_t *env = lint->env;
    size_t           i, capacity = 0;

    memset(spelling, 0, sizeof(*spelling));
    spelling->lint = lint;
    iri_graphemes_init(&spelling->edit);

    /* The key, and a deletion for each of its characters. */
    for (i = 0; i < lint->named; i++) {
        capacity += lint->sorted[i]->key.len + 1;
    }

    if (capacity > SIZE_MAX / sizeof(spelling->deletions[0])
        || lint->named > UINT32_MAX)
    {
        return IRI_NO_MEMORY;
    }

    spelling->deletions = env->alloc(
        env->ctx, capacity * sizeof(spelling->deletions[0]));
    spelling->nearest = env->alloc(
        env->ctx, lint->named * sizeof(spelling->nearest[0]));
    if (spelling->deletions == NULL || spelling->nearest == NULL) {
        return IRI_NO_MEMORY;
    }

    for (i = 0; i < lint->named; i++) {
        spelling->nearest[i] = (uint32_t) i;
    }

    return IRI_OK;
}


static void
iri_spelling_add(iri_spelling_t *spelling, iri_str_t key, size_t entry)
{
    iri_deletion_t *deletion = &spelling->deletions[spelling->count++];

    deletion->hash = iri_index_hash(&spelling->hash_conf, key);
    deletion->entry = (uint32_t) entry;
}


static iri_status_t
iri_spelling_add_key(iri_spelling_t *spelling, size_t entry)
{
    iri_lint_t  *lint = spelling->lint;
    iri_str_t    key = lint->sorted[entry]->key;
    iri_status_t status;
    size_t       i;
    int          fit, left_out;

    status = iri_graphemes_split(&spelling->edit, key, &fit);
    if (status != IRI_OK || !fit) {
        return status;
    }

    iri_spelling_add(spelling, key, entry);

    for (i = 0; status == IRI_OK && i < spelling->edit.count; i++) {
        lint->buf.len = 0;
        status = iri_graphemes_put_without(lint->env, &spelling->edit, key, i,
                                           &lint->buf, &left_out);

        if (status == IRI_OK && left_out) {
            iri_spelling_add(spelling, iri_buf_str(&lint->buf), entry);
        }
    }

    return status;
}


static int
iri_deletion_compare(const void *a, const void *b)
{
    const iri_deletion_t *one = a, *two = b;

    if (one->hash != two->hash) {
        return one->hash < two->hash ? -1 : 1;
    }

    return one->entry < two->entry ? -1 : one->entry > two->entry;
}


/*
 * Compare the entry of deletion `at` with those of the preceding deletions of
 * the same hash, which begin at `from`.
 */
static iri_status_t
iri_spelling_compare(iri_spelling_t *spelling, size_t from, size_t at)
{
    iri_lint_t  *lint = spelling->lint;
    uint32_t     entry = spelling->deletions[at].entry, other;
    iri_status_t status = IRI_OK;
    size_t       i;
    int          is_one_edit = 0;

    for (i = iri_lint_first(from, at); status == IRI_OK && i < at; i++) {
        other = spelling->deletions[i].entry;

        /* Deletions are sorted by entry: an earlier entry is already set, or
           the rest are the entry itself. */
        if (other >= spelling->nearest[entry]) {
            return IRI_OK;
        }

        lint->scratch_used = 0;
        status = iri_edit_differ_by_one(
            &lint->scratch, lint->sorted[other]->key,
            lint->sorted[entry]->key, &is_one_edit);
        if (is_one_edit) {
            spelling->nearest[entry] = other;
        }
    }

    return status;
}


static iri_status_t
iri_spelling_find(iri_spelling_t *spelling)
{
    const iri_deletion_t *deletion = spelling->deletions;
    iri_status_t          status = IRI_OK;
    size_t                i, from = 0;

    qsort(spelling->deletions, spelling->count,
          sizeof(spelling->deletions[0]), iri_deletion_compare);

    for (i = 1; status == IRI_OK && i < spelling->count; i++) {
        if (deletion[i].hash != deletion[i - 1].hash) {
            from = i;
            continue;
        }

        status = iri_spelling_compare(spelling, from, i);
    }

    return status;
}


iri_status_t
iri_lint_spellings(iri_lint_t *lint)
{
    iri_spelling_t spelling;
    iri_status_t   status;
    size_t         i;

    status = iri_spelling_create(&spelling, lint);

    for (i = 0; status == IRI_OK && i < lint->named; i++) {
        status = iri_spelling_add_key(&spelling, i);
    }

    if (status == IRI_OK) {
        status = iri_spelling_find(&spelling);
    }

    for (i = 0; status == IRI_OK && i < lint->named; i++) {
        if (spelling.nearest[i] != i) {
            status = iri_lint_report(
                lint, lint->sorted[i], lint->sorted[spelling.nearest[i]],
                (iri_finding_t){ .kind = IRI_LINT_COLLISION,
                                 .match = IRI_MATCH_SPELLING });
        }
    }

    iri_graphemes_free(&spelling.edit);

    return status;
}
