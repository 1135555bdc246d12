/*
 * iri_sort.c - the order of a listing
 */

#include "iri_int.h"


/* 1 if a comes behind b. */
static int
iri_rank_is_after(const iri_rank_t *a, const iri_rank_t *b)
{
    const iri_item_t *x = a->item, *y = b->item;
    iri_str_t         i, j;
    int               order;

    if (a->rank != b->rank) {
        return a->rank > b->rank;
    }

    if ((x->name_len == 0) != (y->name_len == 0)) {
        return x->name_len == 0;
    }

    i.data = x->key;
    i.len = x->key_len;
    j.data = y->key;
    j.len = y->key_len;
    order = iri_str_compare(i, j);

    if (order == 0) {
        order = iri_str_compare(iri_item_name(x), iri_item_name(y));
    }
    if (order == 0) {
        order = iri_str_compare(iri_item_octets(x), iri_item_octets(y));
    }

    return order > 0;
}


/* Merge [a, b) and [b, c), each in order, into to; stable. */
static void
iri_ranks_merge(const iri_rank_t *a, const iri_rank_t *b, const iri_rank_t *c,
                iri_rank_t *to, int (*is_after)(const iri_rank_t *,
                                                const iri_rank_t *))
{
    const iri_rank_t *p = a, *q = b;

    while (p < b && q < c) {
        *to++ = is_after(p, q) ? *q++ : *p++;
    }
    while (p < b) {
        *to++ = *p++;
    }
    while (q < c) {
        *to++ = *q++;
    }
}


static void
iri_ranks_sort(iri_rank_t *ranks, iri_rank_t *spare, size_t count,
               int (*is_after)(const iri_rank_t *, const iri_rank_t *))
{
    iri_rank_t *from = ranks, *to = spare, *swap;
    size_t      width, i, b, c;

    for (width = 1; width < count; width *= 2) {
        for (i = 0; i < count; i = c) {
            b = i + width < count ? i + width : count;
            c = b + width < count ? b + width : count;
            iri_ranks_merge(from + i, from + b, from + c, to + i, is_after);
        }

        swap = from;
        from = to;
        to = swap;
    }

    if (from != ranks && count != 0) {
        memcpy(ranks, from, count * sizeof(*ranks));
    }
}


/* Those of one name stand beside each other. */
static void
iri_ranks_share(const iri_listing_t *listing)
{
    iri_item_t *item, *next;
    size_t      i;

    for (i = 1; i < listing->count; i++) {
        item = listing->ranks[i - 1].item;
        next = listing->ranks[i].item;

        if (item->name_len != 0
            && iri_str_equal(iri_item_name(item), iri_item_name(next)))
        {
            item->shared = next->shared = 1;
        }
    }
}


static void
iri_ranks_fill(iri_listing_t *listing)
{
    iri_block_t *block;
    iri_item_t  *item;
    size_t       i = 0, at;

    for (block = listing->items.first; block != NULL;
         block = block->head.next)
    {
        for (at = 0; at < block->head.used; at += iri_item_size(item)) {
            item = (iri_item_t *) (void *) ((unsigned char *) (block + 1)
                                            + at);
            item->key = iri_item_name(item).data;
            item->key_len = item->name_len;
            listing->ranks[i].rank = 0;
            listing->ranks[i++].item = item;
        }
    }
}


/* Directories before all else, each as they stand. */
static void
iri_ranks_part(iri_listing_t *listing, iri_rank_t *spare)
{
    size_t i, directories = 0, others = listing->directories;

    for (i = 0; i < listing->count; i++) {
        if (listing->ranks[i].item->directory) {
            spare[directories++] = listing->ranks[i];
        } else {
            spare[others++] = listing->ranks[i];
        }
    }

    if (listing->count != 0) {
        memcpy(listing->ranks, spare, listing->count * sizeof(*spare));
    }
}


static int
iri_number_is_after(const iri_rank_t *a, const iri_rank_t *b)
{
    return a->rank > b->rank;
}


/* What is not known comes last, either way. */
static uint64_t
iri_item_number(const iri_listing_t *listing, const iri_item_t *item)
{
    uint64_t number = item->size;

    if (!item->known || (listing->sort == IRI_SORT_SIZE && item->directory)) {
        return UINT64_MAX;
    }

    if (listing->sort == IRI_SORT_DATE) {
        number = (uint64_t) item->mtime ^ UINT64_C(1) << 63;
    }

    number = listing->descending ? ~number : number;

    return number < UINT64_MAX ? number : UINT64_MAX - 1;
}


static void
iri_ranks_reverse(iri_rank_t *ranks, size_t count)
{
    iri_rank_t rank;
    size_t     i;

    for (i = 0; i < count / 2; i++) {
        rank = ranks[i];
        ranks[i] = ranks[count - 1 - i];
        ranks[count - 1 - i] = rank;
    }
}


/* The same for directories, and for the others. */
static void
iri_ranks_order(const iri_listing_t *listing, iri_rank_t *ranks,
                iri_rank_t *spare, size_t count)
{
    size_t i;

    if (listing->sort == IRI_SORT_NAME) {
        if (listing->descending) {
            iri_ranks_reverse(ranks, count);
        }
        return;
    }

    for (i = 0; i < count; i++) {
        ranks[i].rank = iri_item_number(listing, ranks[i].item);
    }

    iri_ranks_sort(ranks, spare, count, iri_number_is_after);
}


iri_status_t
iri_listing_sort(iri_listing_t *listing)
{
    iri_blocks_t blocks = { NULL, NULL };
    iri_rank_t  *spare;
    size_t       n = listing->count, directories = listing->directories;

    listing->ranks = iri_blocks_take(listing, &blocks,
                                     2 * n * sizeof(*listing->ranks));
    if (listing->ranks == NULL) {
        return IRI_NO_MEMORY;
    }

    spare = listing->ranks + n;
    iri_ranks_fill(listing);
    iri_ranks_sort(listing->ranks, spare, n, iri_rank_is_after);
    iri_ranks_share(listing);
    iri_ranks_part(listing, spare);
    iri_ranks_order(listing, listing->ranks, spare, directories);
    iri_ranks_order(listing, listing->ranks + directories, spare,
                    n - directories);

    return IRI_OK;
}
