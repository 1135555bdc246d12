/*
 * iri_listing_blocks.c - the allocator of a listing
 *
 * It allocates blocks from the arena, each larger than the one before, and
 * hands out consecutive parts of them.  All blocks of a listing together have
 * at most IRI_LISTING_MEMORY octets.
 */

#include "output/iri_output.h"

#define IRI_FIRST_BLOCK 4096


/* Insert a block of at least size octets after the block in use. */
static iri_block_t *
iri_block_add(iri_listing_t *listing, iri_blocks_t *blocks, size_t size)
{
    iri_block_t *block;
    size_t       want = IRI_FIRST_BLOCK - sizeof(*block);

    if (blocks->last != NULL) {
        want = 2 * blocks->last->head.size;
    }
    want = want < IRI_LAST_BLOCK ? want : IRI_LAST_BLOCK - sizeof(*block);
    want = want < size ? size : want;

    if (want > IRI_LISTING_MEMORY - listing->memory.taken) {
        return NULL;
    }

    block = listing->env->alloc(listing->env->ctx, sizeof(*block) + want);
    if (block == NULL) {
        return NULL;
    }

    listing->memory.taken += want;
    block->head.size = want;
    block->head.used = 0;
    block->head.next = NULL;

    if (blocks->last == NULL) {
        blocks->first = block;
    } else {
        block->head.next = blocks->last->head.next;
        blocks->last->head.next = block;
    }

    return block;
}


void *
iri_blocks_take(iri_listing_t *listing, iri_blocks_t *blocks, size_t size)
{
    iri_block_t *block = blocks->last;
    void        *p;

    size = iri_aligned(size);

    while (block == NULL || size > block->head.size - block->head.used) {
        block = block != NULL ? block->head.next : NULL;

        if (block == NULL || size > block->head.size) {
            block = iri_block_add(listing, blocks, size);
            if (block == NULL) {
                return NULL;
            }
        }

        block->head.used = 0;
        blocks->last = block;
    }

    p = (unsigned char *) (block + 1) + block->head.used;
    block->head.used += size;

    return p;
}


void
iri_blocks_reset(iri_blocks_t *blocks)
{
    blocks->last = blocks->first;

    if (blocks->first != NULL) {
        blocks->first->head.used = 0;
    }
}
