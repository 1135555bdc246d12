/*
 * iri_listing_sort.c - the order of a listing
 *
 * By name first, always, so that entries that share one stand beside each
 * other; then by what is asked for, which leaves the order of names where it
 * says nothing.  What is compared is a number, mostly: the first octets of
 * the key of a name, behind those that all keys have.
 */

#include "unicode/iri_unicode.h"
#include "output/iri_output.h"


/* Names from so many on are worth a table. */
#define IRI_MANY 64


/* ---- keys ---------------------------------------------------------------- */

typedef iri_status_t (*iri_item_each_t)(void *arg, iri_item_t *item);

/* Each entry, as they were added. */
static iri_status_t
iri_items_each(iri_listing_t *listing, iri_item_each_t each, void *arg)
{
    iri_status_t status = IRI_OK;
    iri_block_t *block;
    iri_item_t  *item;
    size_t       at;

    for (block = listing->memory.items.first; block != NULL;
         block = block->head.next)
    {
        for (at = 0; status == IRI_OK && at < block->head.used;
             at += iri_item_size(item))
        {
            item = (iri_item_t *) (void *) ((unsigned char *) (block + 1)
                                            + at);
            status = each(arg, item);
        }
    }

    return status;
}


/* Names on their way into the ranks. */
typedef struct {
    iri_listing_t *listing;
    iri_collator_t collator;
    size_t         count;
    iri_str_t      first; /* of all keys */
    size_t         same;  /* octets that all keys begin with */
    int            none;  /* 1: there is no room for them */
} iri_keys_t;


static void
iri_keys_compare(iri_keys_t *keys, iri_str_t key)
{
    size_t i;

    if (keys->first.len == 0) {
        keys->first = key;
        keys->same = key.len;
    }

    keys->same = key.len < keys->same ? key.len : keys->same;

    for (i = 0; i < keys->same && key.data[i] == keys->first.data[i]; i++) {
        /* void */
    }

    keys->same = i;
}


static iri_status_t
iri_keys_put(void *arg, iri_item_t *item)
{
    iri_keys_t   *keys = arg;
    iri_str_t     name = iri_item_name(item), key;
    unsigned char octets[IRI_MAX_KEY], *copy;
    iri_status_t  status;

    /* When names have been judged, only those that are shown are sorted. */
    if (keys->listing->held.judging && !item->kept) {
        return IRI_OK;
    }

    item->shared = 0;
    keys->listing->held.ranks[keys->count++].item = item;

    if (name.len == 0 || keys->none) {
        return IRI_OK;
    }

    if (keys->listing->memory.taken
        > IRI_LISTING_MEMORY - IRI_LISTING_SPARE - IRI_LAST_BLOCK)
    {
        keys->none = 1;
        return IRI_OK;
    }

    status = iri_collate(&keys->collator, name, item->ascii, octets,
                         &key.len);
    if (status != IRI_OK) {
        return status;
    }

    copy = iri_blocks_take(keys->listing, &keys->listing->memory.keys,
                           key.len);
    if (copy == NULL) {
        return IRI_NO_MEMORY;
    }

    key.data = memcpy(copy, octets, key.len);
    item->key = key.data;
    item->key_len = (unsigned) key.len & 0x3fffffff;
    iri_keys_compare(keys, key);

    return IRI_OK;
}


/* Without keys for all the order is that of the characters. */
static iri_status_t
iri_key_drop(void *arg, iri_item_t *item)
{
    (void) arg;
    item->key = NULL;
    item->key_len = 0;

    return IRI_OK;
}


/* What keys begin with, behind what they all do; those without come last. */
static uint64_t
iri_key_rank(const iri_item_t *item, size_t same)
{
    unsigned char        octets[8] = { 0 };
    const unsigned char *p = octets;

    if (item->key == NULL) {
        return UINT64_MAX;
    }

    if (item->key_len - same >= sizeof(octets)) {
        p = item->key + same;
    } else {
        memcpy(octets, item->key + same, item->key_len - same);
    }

    return (uint64_t) p[0] << 56 | (uint64_t) p[1] << 48
           | (uint64_t) p[2] << 40 | (uint64_t) p[3] << 32
           | (uint64_t) p[4] << 24 | (uint64_t) p[5] << 16
           | (uint64_t) p[6] << 8 | p[7];
}


static iri_status_t
iri_ranks_fill(iri_listing_t *listing)
{
    iri_keys_t   keys;
    iri_status_t status;
    size_t       i;

    keys.listing = listing;
    keys.count = 0;
    keys.first.len = 0;
    keys.same = 0;
    keys.none = 0;

    status = iri_collator_open(&keys.collator,
                               listing->held.count >= IRI_MANY);
    if (status != IRI_OK) {
        return status;
    }

    status = iri_items_each(listing, iri_keys_put, &keys);
    iri_collator_close(&keys.collator);

    if (keys.none) {
        (void) iri_items_each(listing, iri_key_drop, NULL);
    }

    for (i = 0; status == IRI_OK && i < listing->held.count; i++) {
        listing->held.ranks[i].rank = iri_key_rank(
            listing->held.ranks[i].item, keys.same);
    }

    return status;
}


/* ---- sorting ------------------------------------------------------------- */

/* Where ranks are equal: is a behind b? */
typedef int (*iri_behind_t)(const iri_item_t *a, const iri_item_t *b);


/* By key, then by character, then by octet. */
static int
iri_name_is_behind(const iri_item_t *a, const iri_item_t *b)
{
    iri_str_t x = { a->key_len, a->key }, y = { b->key_len, b->key };
    int       order;

    if (x.len == 0 || y.len == 0) {
        order = (x.len == 0) - (y.len == 0);
    } else {
        order = iri_str_compare(x, y);
    }

    if (order == 0) {
        order = iri_str_compare(iri_item_name(a), iri_item_name(b));
    }
    if (order == 0) {
        order = iri_str_compare(iri_item_octets(a), iri_item_octets(b));
    }

    return order > 0;
}


/* What is not known comes last, either way; names stay as they are. */
static int
iri_number_is_behind(const iri_item_t *a, const iri_item_t *b)
{
    return !a->known && b->known;
}


static inline int
iri_is_behind(const iri_rank_t *a, const iri_rank_t *b, iri_behind_t behind)
{
    return a->rank > b->rank
           || (a->rank == b->rank && behind(a->item, b->item));
}


/* Merge [a, b) and [b, c), each in order, into to; stable. */
static void
iri_ranks_merge(const iri_rank_t *a, const iri_rank_t *b, const iri_rank_t *c,
                iri_rank_t *to, iri_behind_t behind)
{
    const iri_rank_t *p = a, *q = b;

    if (b < c && iri_is_behind(b - 1, b, behind)) {
        while (p < b && q < c) {
            *to++ = iri_is_behind(p, q, behind) ? *q++ : *p++;
        }
    }

    memcpy(to, p, (size_t) (b - p) * sizeof(*to));
    memcpy(to + (b - p), q, (size_t) (c - q) * sizeof(*to));
}


/* As many as this are put in order one by one. */
#define IRI_FEW 8

static void
iri_ranks_insert(iri_rank_t *ranks, size_t count, iri_behind_t behind)
{
    iri_rank_t rank;
    size_t     i, k;

    for (i = 1; i < count; i++) {
        rank = ranks[i];

        for (k = i; k > 0 && iri_is_behind(&ranks[k - 1], &rank, behind); k--)
        {
            ranks[k] = ranks[k - 1];
        }

        ranks[k] = rank;
    }
}


static void
iri_ranks_sort(iri_rank_t *ranks, iri_rank_t *spare, size_t count,
               iri_behind_t behind)
{
    iri_rank_t *from = ranks, *to = spare, *swap;
    size_t      width, i, b, c;

    for (i = 0; i < count; i += IRI_FEW) {
        iri_ranks_insert(ranks + i, count - i < IRI_FEW ? count - i : IRI_FEW,
                         behind);
    }

    for (width = IRI_FEW; width < count; width *= 2) {
        for (i = 0; i < count; i = c) {
            b = i + width < count ? i + width : count;
            c = b + width < count ? b + width : count;
            iri_ranks_merge(from + i, from + b, from + c, to + i, behind);
        }

        swap = from;
        from = to;
        to = swap;
    }

    if (from != ranks) {
        memcpy(ranks, from, count * sizeof(*ranks));
    }
}


/* ---- the order that is asked for ----------------------------------------- */

/* Those of one name stand beside each other. */
static void
iri_ranks_share(const iri_listing_t *listing)
{
    iri_item_t *item, *next;
    size_t      i;

    for (i = 1; i < listing->held.count; i++) {
        item = listing->held.ranks[i - 1].item;
        next = listing->held.ranks[i].item;

        if (item->name_len != 0
            && listing->held.ranks[i - 1].rank == listing->held.ranks[i].rank
            && iri_str_equal(iri_item_name(item), iri_item_name(next)))
        {
            item->shared = next->shared = 1;
        }
    }
}


/* Directories before all else, each as they stand. */
static void
iri_ranks_part(iri_listing_t *listing, iri_rank_t *spare)
{
    size_t i, directories = 0, others = listing->held.directories;

    for (i = 0; i < listing->held.count; i++) {
        if (listing->held.ranks[i].item->directory) {
            spare[directories++] = listing->held.ranks[i];
        } else {
            spare[others++] = listing->held.ranks[i];
        }
    }

    if (listing->held.count != 0) {
        memcpy(listing->held.ranks, spare,
               listing->held.count * sizeof(*spare));
    }
}


static uint64_t
iri_item_number(const iri_listing_t *listing, const iri_item_t *item)
{
    uint64_t number = item->size;

    if (!item->known) {
        return UINT64_MAX;
    }

    if (listing->wanted.sort == IRI_SORT_DATE) {
        number = (uint64_t) item->mtime ^ UINT64_C(1) << 63;
    } else if (item->directory) {
        return 0;
    }

    return listing->wanted.descending ? ~number : number;
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

    if (listing->wanted.sort == IRI_SORT_NAME) {
        if (listing->wanted.descending) {
            iri_ranks_reverse(ranks, count);
        }
        return;
    }

    for (i = 0; i < count; i++) {
        ranks[i].rank = iri_item_number(listing, ranks[i].item);
    }

    iri_ranks_sort(ranks, spare, count, iri_number_is_behind);
}


iri_status_t
iri_listing_sort(iri_listing_t *listing)
{
    iri_blocks_t blocks = { NULL, NULL };
    iri_status_t status;
    iri_rank_t  *spare;
    size_t n = listing->held.count, directories = listing->held.directories;

    listing->held.ranks = iri_blocks_take(
        listing, &blocks, 2 * n * sizeof(*listing->held.ranks));
    if (listing->held.ranks == NULL) {
        return IRI_NO_MEMORY;
    }

    spare = listing->held.ranks + n;

    status = iri_ranks_fill(listing);
    if (status != IRI_OK) {
        return status;
    }

    iri_ranks_sort(listing->held.ranks, spare, n, iri_name_is_behind);
    iri_ranks_share(listing);
    iri_ranks_part(listing, spare);
    iri_ranks_order(listing, listing->held.ranks, spare, directories);
    iri_ranks_order(listing, listing->held.ranks + directories, spare,
                    n - directories);

    return IRI_OK;
}
