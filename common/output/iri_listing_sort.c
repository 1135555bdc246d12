/*
 * iri_listing_sort.c - the order of a listing
 *
 * Entries are first sorted by name, so that entries with the same name are
 * neighbours, then by the requested order.  Entries that are equal in the
 * requested order stay sorted by name.
 */

#include <stdlib.h>

#include "unicode/iri_unicode.h"
#include "output/iri_output.h"


/* ---- keys ---------------------------------------------------------------- */

static iri_status_t
iri_item_collate(iri_listing_t *listing, const struct UCollator *collator,
                 iri_item_t *item)
{
    unsigned char key[IRI_MAX_KEY];
    iri_status_t  status;
    size_t        size;
    void         *copy;

    status = iri_collate(collator, iri_item_name(item), key, &size);
    if (status != IRI_OK) {
        return status;
    }

    copy = iri_listing_alloc(listing, size);
    if (copy == NULL) {
        return IRI_NO_MEMORY;
    }

    item->key = memcpy(copy, key, size);

    return IRI_OK;
}


/*
 * If the memory does not suffice for all keys, names are sorted by code point.
 */
static iri_status_t
iri_ranks_collate(iri_listing_t *listing, const struct UCollator *collator)
{
    iri_item_t **ranks = listing->ranks;
    iri_status_t status = IRI_OK;
    size_t       i;

    for (i = 0; status == IRI_OK && i < listing->count; i++) {
        if (iri_listing_is_full(listing)) {
            while (i > 0) {
                ranks[--i]->key = NULL;
            }
            break;
        }

        if (ranks[i]->name_len != 0) {
            status = iri_item_collate(listing, collator, ranks[i]);
        }
    }

    return status;
}


/* ---- sorting ------------------------------------------------------------- */

/*
 * Order by key, then by code point, then by octet.  Entries without a name come
 * last.  The marker comes before the entry with the same octets.
 */
static int
iri_item_by_name(const void *a, const void *b)
{
    const iri_item_t *x = *(iri_item_t *const *) a;
    const iri_item_t *y = *(iri_item_t *const *) b;
    int               order = (x->name_len == 0) - (y->name_len == 0);

    if (order == 0 && x->key != NULL && y->key != NULL) {
        order = strcmp(x->key, y->key);
    }
    if (order == 0) {
        order = iri_str_compare(iri_item_name(x), iri_item_name(y));
    }
    if (order == 0) {
        order = iri_str_compare(iri_item_octets(x), iri_item_octets(y));
    }

    return order != 0 ? order : (int) y->is_marker - (int) x->is_marker;
}


/* Directories come first. */
static int
iri_item_by_number(const void *a, const void *b)
{
    const iri_item_t *x = *(iri_item_t *const *) a;
    const iri_item_t *y = *(iri_item_t *const *) b;

    if (x->directory != y->directory) {
        return x->directory ? -1 : 1;
    }
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }

    return x->position < y->position ? -1 : x->position > y->position;
}


static uint64_t
iri_item_number(const iri_listing_t *listing, const iri_item_t *item)
{
    uint64_t number = item->size;

    if (listing->query.sort == IRI_SORT_NAME) {
        number = item->position;
    } else if (listing->query.sort == IRI_SORT_DATE) {
        number = (uint64_t) item->mtime ^ UINT64_C(1) << 63;
    } else if (item->directory) {
        return 0;
    }

    return listing->query.descending ? ~number : number;
}


/* Fill ranks with the entries, sorted. */
static void
iri_ranks_sort(iri_listing_t *listing)
{
    iri_item_t **ranks = listing->ranks;
    size_t       i, count = listing->count;

    qsort(ranks, count, sizeof(*ranks), iri_item_by_name);

    for (i = 0; i < count; i++) {
        ranks[i]->position = (unsigned) i & 0x3fffffff;
        ranks[i]->number = iri_item_number(listing, ranks[i]);
    }

    qsort(ranks, count, sizeof(*ranks), iri_item_by_number);
}


iri_status_t
iri_listing_sort(iri_listing_t *listing)
{
    struct UCollator *collator;
    iri_item_t       *item;
    iri_status_t      status;
    size_t            i = 0;

    listing->truncated = iri_listing_is_full(listing);
    listing->ranks = listing->env->alloc(
        listing->env->ctx, (listing->count + 1) * sizeof(*listing->ranks));
    if (listing->ranks == NULL) {
        return IRI_NO_MEMORY;
    }

    for (item = listing->last; item != NULL; item = item->next) {
        listing->ranks[i++] = item;
    }

    status = iri_collator_open(&collator);
    if (status != IRI_OK) {
        return status;
    }

    status = iri_ranks_collate(listing, collator);
    iri_collator_close(collator);

    if (status == IRI_OK) {
        iri_ranks_sort(listing);
    }

    return status;
}


void
iri_listing_mark_conflicts(iri_listing_t *listing)
{
    iri_item_t **ranks = listing->ranks;
    size_t       i, count = listing->shown;

    qsort(ranks, count, sizeof(*ranks), iri_item_by_name);

    for (i = 1; i < count; i++) {
        if (ranks[i]->name_len != 0
            && iri_str_equal(iri_item_name(ranks[i - 1]),
                             iri_item_name(ranks[i])))
        {
            ranks[i]->conflict = ranks[i - 1]->conflict = 1;
        }
    }

    qsort(ranks, count, sizeof(*ranks), iri_item_by_number);
}
