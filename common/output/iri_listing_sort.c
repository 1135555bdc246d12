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

/* Fill ranks with the entries in the order in which they were added. */
static void
iri_ranks_fill(iri_listing_t *listing)
{
    iri_block_t *block = listing->memory.items.first;
    iri_item_t **rank = listing->entries.ranks, *item;
    size_t       at;

    for (; block != NULL; block = block->head.next) {
        for (at = 0; at < block->head.used; /* void */) {
            item = (iri_item_t *) (void *) ((unsigned char *) (block + 1)
                                            + at);
            *rank++ = item;
            at += iri_aligned(sizeof(*item) + item->octets_len
                              + (item->same ? 0 : item->name_len));
        }
    }
}


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

    copy = iri_blocks_take(listing, &listing->memory.keys, size);
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
    iri_item_t **ranks = listing->entries.ranks;
    iri_status_t status = IRI_OK;
    size_t       i;

    for (i = 0; status == IRI_OK && i < listing->entries.count; i++) {
        if (listing->memory.taken
            > IRI_LISTING_MEMORY - IRI_LISTING_SPARE - IRI_LAST_BLOCK)
        {
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


/* Directories come first, unknown numbers last. */
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
    if (x->known != y->known) {
        return x->known ? -1 : 1;
    }

    return x->position < y->position ? -1 : x->position > y->position;
}


static uint64_t
iri_item_number(const iri_listing_t *listing, const iri_item_t *item)
{
    uint64_t number = item->size;

    if (listing->query.sort == IRI_SORT_NAME) {
        number = item->position;
    } else if (!item->known) {
        return UINT64_MAX;
    } else if (listing->query.sort == IRI_SORT_DATE) {
        number = (uint64_t) item->mtime ^ UINT64_C(1) << 63;
    } else if (item->directory) {
        return 0;
    }

    return listing->query.descending ? ~number : number;
}


void
iri_listing_order(iri_listing_t *listing)
{
    iri_item_t **ranks = listing->entries.ranks, *item, *last = NULL;
    size_t       i, count = listing->entries.count;

    qsort(ranks, count, sizeof(*ranks), iri_item_by_name);

    for (i = 0; i < count; i++, last = item) {
        item = ranks[i];
        item->position = (unsigned) i & 0x3fffffff;
        item->number = iri_item_number(listing, item);
        item->conflict = 0;

        if (last != NULL && item->name_len != 0
            && iri_str_equal(iri_item_name(last), iri_item_name(item)))
        {
            item->conflict = last->conflict = 1;
        }
    }

    qsort(ranks, count, sizeof(*ranks), iri_item_by_number);
}


iri_status_t
iri_listing_sort(iri_listing_t *listing)
{
    iri_blocks_t      blocks = { NULL, NULL };
    struct UCollator *collator;
    iri_status_t      status;

    listing->entries.ranks = iri_blocks_take(
        listing, &blocks,
        listing->entries.count * sizeof(*listing->entries.ranks));
    if (listing->entries.ranks == NULL) {
        return IRI_NO_MEMORY;
    }

    iri_ranks_fill(listing);

    status = iri_collator_open(&collator);
    if (status != IRI_OK) {
        return status;
    }

    status = iri_ranks_collate(listing, collator);
    iri_collator_close(collator);

    if (status == IRI_OK) {
        iri_listing_order(listing);
    }

    return status;
}
