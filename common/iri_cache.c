/*
 * iri_cache.c - the entries of a directory that cannot be guessed
 *
 * Nearly every entry is written as its name is in NFC or in NFD, and found
 * by a look.  The few that are not - partly composed, singletons, marks in
 * another order - are found by reading their directory once; what is kept
 * is those few and nothing else, so that a directory of ten thousand
 * ordinary names costs one empty slot.  A larger one is not read at all.
 *
 * What is remembered is a hint: the entry is looked at again before it
 * counts, and its name follows from its octets.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "iri_int.h"

#define IRI_SETTLED INT64_C(2000000000) /* ns after which mtime is safe */
#define IRI_FRESH   INT64_C(100000000)  /* ns that a racy list is used */

/*
 * Octets of names of one directory to look at closely, at some 100
 * instructions each; beyond that it counts as too large.
 */
#define IRI_MAX_CLOSE (64 * 1024)

/* One remembered entry; its name and octets follow the list. */
typedef struct {
    uint32_t name; /* offset into the list's text */
    uint16_t name_len;
    uint16_t octets_len;
    uint32_t octets;
    uint32_t charset; /* index in the tree's list, for the order of twins */
} iri_odd_t;

typedef struct {
    iri_odd_t *odd;  /* sorted by name, charset, octets */
    iri_buf_t  text; /* what the offsets lead into */
    size_t     count;
    size_t     size;
    int        known; /* 0: too many entries, none of them was kept */
} iri_odds_t;

typedef struct {
    iri_node_t     node;     /* kind ABSENT: the slot is free */
    iri_charsets_t charsets; /* with which the names were read */
    unsigned       match;
    int64_t        read_at;
    void          *block; /* odd entries, then their text; or NULL */
    size_t         block_size;
    size_t         count;
    int            known;
} iri_slot_t;

struct iri_cache_s {
    void (*lock)(void *ctx);
    void (*unlock)(void *ctx);
    void      *ctx;
    size_t     size; /* octets that blocks may take */
    size_t     used;
    size_t     hand; /* of the clock that chooses what goes */
    size_t     slots;
    iri_slot_t slot[];
};


iri_cache_t *
iri_cache_create(size_t size, void (*lock)(void *ctx),
                 void (*unlock)(void *ctx), void *ctx)
{
    iri_cache_t *cache;
    size_t       slots;

    /* Half for the slots, half for what they hold. */
    slots = size / 2 / sizeof(iri_slot_t);
    slots = slots != 0 ? slots : 1;

    cache = calloc(1, sizeof(*cache) + slots * sizeof(iri_slot_t));
    if (cache == NULL) {
        return NULL;
    }

    cache->lock = lock;
    cache->unlock = unlock;
    cache->ctx = ctx;
    cache->size = size / 2;
    cache->slots = slots;

    return cache;
}


void
iri_cache_destroy(iri_cache_t *cache)
{
    size_t i;

    if (cache == NULL) {
        return;
    }

    for (i = 0; i < cache->slots; i++) {
        free(cache->slot[i].block);
    }

    free(cache);
}


static void
iri_cache_lock(iri_cache_t *cache)
{
    if (cache->lock != NULL) {
        cache->lock(cache->ctx);
    }
}


static void
iri_cache_unlock(iri_cache_t *cache)
{
    if (cache->unlock != NULL) {
        cache->unlock(cache->ctx);
    }
}


static int64_t
iri_now(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return 0;
    }

    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}


/* ---- reading a directory ------------------------------------------------- */

/* Memory for one entry at a time: the arena must not pay for a directory. */
typedef struct {
    size_t        used;
    unsigned char octets[64 * 1024];
} iri_scratch_t;

typedef struct {
    const iri_env_t       *env;     /* of the request: what is kept */
    iri_env_t              scratch; /* what is forgotten with the entry */
    const iri_tree_conf_t *tree;
    iri_odds_t            *odds;
    size_t                 entries;
    size_t                 close; /* octets looked at closely */
    int                    too_many;
    iri_buf_t              name;
    iri_buf_t              octets;
} iri_lister_t;


static void *
iri_scratch_alloc(void *ctx, size_t size)
{
    iri_scratch_t *scratch = ctx;
    void          *p;

    size = (size + 15) & ~(size_t) 15;

    if (size > sizeof(scratch->octets) - scratch->used) {
        return NULL;
    }

    p = scratch->octets + scratch->used;
    scratch->used += size;

    return p;
}


static void
iri_scratch_reset(iri_lister_t *lister)
{
    ((iri_scratch_t *) lister->scratch.ctx)->used = 0;
    memset(&lister->name, 0, sizeof(lister->name));
    memset(&lister->octets, 0, sizeof(lister->octets));
}


static iri_status_t
iri_odds_add(iri_lister_t *lister, iri_str_t octets, size_t charset)
{
    iri_odds_t  *odds = lister->odds;
    iri_odd_t   *grown, *odd;
    iri_status_t status;
    size_t       size;

    if (odds->count == odds->size) {
        size = odds->size != 0 ? odds->size * 2 : 16;

        grown = lister->env->alloc(lister->env->ctx, size * sizeof(*grown));
        if (grown == NULL) {
            return IRI_NO_MEMORY;
        }

        if (odds->count != 0) {
            memcpy(grown, odds->odd, odds->count * sizeof(*grown));
        }

        odds->odd = grown;
        odds->size = size;
    }

    odd = &odds->odd[odds->count];
    odd->name = (uint32_t) odds->text.len;
    odd->name_len = (uint16_t) lister->name.len;
    odd->octets = (uint32_t) (odds->text.len + lister->name.len);
    odd->octets_len = (uint16_t) octets.len;
    odd->charset = (uint32_t) charset;

    status = iri_buf_put(lister->env, &odds->text, lister->name.data,
                         lister->name.len);

    if (status == IRI_OK) {
        status = iri_buf_put(lister->env, &odds->text, octets.data,
                             octets.len);
    }

    odds->count += status == IRI_OK;

    return status;
}


/* Does one of the ways to write the entry's name give its octets? */
static iri_status_t
iri_is_guessed(iri_lister_t *lister, iri_str_t octets, int *guessed)
{
    iri_status_t status;
    size_t       k;
    int          written;

    *guessed = 0;

    for (k = 0; k < IRI_WAYS(lister->tree) && !*guessed; k++) {
        status = iri_name_write(&lister->scratch, lister->tree,
                                iri_buf_str(&lister->name), k,
                                &lister->octets, &written);
        if (status != IRI_OK) {
            return status;
        }

        *guessed = written
                   && iri_str_equal(iri_buf_str(&lister->octets), octets);
    }

    return IRI_OK;
}


static iri_status_t
iri_list_entry(void *arg, iri_str_t octets)
{
    iri_lister_t *lister = arg;
    iri_status_t  status;
    size_t        charset = 0;
    int           guessed = 0;

    if (++lister->entries > IRI_MAX_LISTED || lister->close > IRI_MAX_CLOSE) {
        lister->too_many = 1;
        return IRI_IO_FAILED; /* ends the listing */
    }

    /* No file system has longer names; one that had would not be searched. */
    if (iri_is_ascii(octets, 0) || octets.len > IRI_MAX_SEGMENT
        || iri_entry_is_plain(lister->tree, octets))
    {
        return IRI_OK;
    }

    lister->close += octets.len;

    iri_scratch_reset(lister);

    status = iri_entry_read(&lister->scratch, lister->tree, octets,
                            &lister->name, &charset);

    if (status == IRI_OK && lister->name.len != 0) {
        status = iri_is_guessed(lister, octets, &guessed);
    }

    /* A list without this entry would be taken for the whole. */
    if (status == IRI_ICU_FAILED) {
        return status;
    }

    /* One name that scratch cannot hold must not hide the others. */
    if (status != IRI_OK || lister->name.len == 0 || guessed) {
        return IRI_OK;
    }

    return iri_odds_add(lister, octets, charset);
}


/* ---- the list, sorted ---------------------------------------------------- */

static iri_str_t
iri_odd_name(const iri_odd_t *odd, const unsigned char *text)
{
    iri_str_t s = { odd->name_len, text + odd->name };

    return s;
}


static iri_str_t
iri_odd_octets(const iri_odd_t *odd, const unsigned char *text)
{
    iri_str_t s = { odd->octets_len, text + odd->octets };

    return s;
}


static int
iri_odd_compare(const iri_odd_t *a, const iri_odd_t *b,
                const unsigned char *text)
{
    int order;

    order = iri_str_compare(iri_odd_name(a, text), iri_odd_name(b, text));

    if (order == 0) {
        order = (a->charset > b->charset) - (a->charset < b->charset);
    }

    return order != 0 ? order
                      : iri_str_compare(iri_odd_octets(a, text),
                                        iri_odd_octets(b, text));
}


/* Heap sort: no recursion, no context for a comparison of the C library. */
static void
iri_odds_sift(iri_odds_t *odds, size_t root, size_t end)
{
    const unsigned char *text = odds->text.data;
    iri_odd_t            swap;
    size_t               child;

    while ((child = 2 * root + 1) < end) {
        if (child + 1 < end
            && iri_odd_compare(&odds->odd[child], &odds->odd[child + 1], text)
                   < 0)
        {
            child++;
        }

        if (iri_odd_compare(&odds->odd[root], &odds->odd[child], text) >= 0) {
            return;
        }

        swap = odds->odd[root];
        odds->odd[root] = odds->odd[child];
        odds->odd[child] = swap;
        root = child;
    }
}


static void
iri_odds_sort(iri_odds_t *odds)
{
    iri_odd_t swap;
    size_t    i;

    for (i = odds->count / 2; i-- > 0; /* void */) {
        iri_odds_sift(odds, i, odds->count);
    }

    for (i = odds->count; i-- > 1; /* void */) {
        swap = odds->odd[0];
        odds->odd[0] = odds->odd[i];
        odds->odd[i] = swap;
        iri_odds_sift(odds, 0, i);
    }
}


/* The first entry with that name; its octets are copied into the arena. */
static iri_status_t
iri_odds_find(const iri_env_t *env, const iri_odd_t *odd, size_t count,
              const unsigned char *text, iri_str_t name, iri_str_t *octets)
{
    iri_buf_t    copy = IRI_BUF_EMPTY;
    iri_str_t    found;
    iri_status_t status;
    size_t       low = 0, high = count, middle;

    while (low < high) {
        middle = low + (high - low) / 2;

        if (iri_str_compare(iri_odd_name(&odd[middle], text), name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }

    octets->len = 0;

    if (low == count || !iri_str_equal(iri_odd_name(&odd[low], text), name)) {
        return IRI_OK;
    }

    found = iri_odd_octets(&odd[low], text);

    status = iri_buf_put(env, &copy, found.data, found.len);
    if (status == IRI_OK) {
        *octets = iri_buf_str(&copy);
    }

    return status;
}


/* ---- slots --------------------------------------------------------------- */

static int
iri_same_charsets(const iri_charsets_t *a, const iri_charsets_t *b)
{
    return a->count == b->count
           && memcmp(a->at, b->at, a->count * sizeof(a->at[0])) == 0;
}


static iri_slot_t *
iri_slot_of(iri_cache_t *cache, const iri_node_t *node)
{
    uint64_t hash = (node->ino ^ node->dev << 32)
                    * UINT64_C(0x9e3779b97f4a7c15);

    return &cache->slot[(hash >> 20) % cache->slots];
}


/*
 * A list read when the directory had been quiet for two seconds is good as
 * long as its times stay; one read while it was changing, within the grain
 * of its clock, is not trusted for longer than a moment.
 */
static int
iri_slot_holds(const iri_slot_t *slot, const iri_tree_conf_t *tree,
               const iri_node_t *node)
{
    int64_t now;

    if (slot->node.kind != IRI_NODE_DIR || slot->node.dev != node->dev
        || slot->node.ino != node->ino || slot->node.mtime != node->mtime
        || slot->node.ctime != node->ctime || slot->match != tree->match
        || !iri_same_charsets(&slot->charsets, &tree->charsets))
    {
        return 0;
    }

    /* Not mtime, which the owner of a directory may set to any year. */
    if (node->ctime < slot->read_at - IRI_SETTLED) {
        return 1;
    }

    now = iri_now();

    return now >= slot->read_at && now - slot->read_at < IRI_FRESH;
}


static void
iri_slot_clear(iri_cache_t *cache, iri_slot_t *slot)
{
    cache->used -= slot->block_size;
    free(slot->block);
    memset(slot, 0, sizeof(*slot));
}


/* Keep a sorted list; the oldest blocks go until there is room. */
static void
iri_slot_fill(iri_cache_t *cache, const iri_tree_conf_t *tree,
              const iri_node_t *node, const iri_odds_t *odds, int64_t read_at)
{
    iri_slot_t *slot = iri_slot_of(cache, node);
    size_t      list = odds->count * sizeof(iri_odd_t);
    size_t      size = list + odds->text.len;
    size_t      turn;

    iri_slot_clear(cache, slot);

    if (size > cache->size / 4) {
        return; /* too much for one directory: read it again */
    }

    for (turn = 0; cache->used + size > cache->size && turn < cache->slots;
         turn++)
    {
        iri_slot_clear(cache, &cache->slot[cache->hand]);
        cache->hand = (cache->hand + 1) % cache->slots;
    }

    if (size != 0) {
        slot->block = malloc(size);
        if (slot->block == NULL) {
            return;
        }

        memcpy(slot->block, odds->odd, list);
        memcpy((unsigned char *) slot->block + list, odds->text.data,
               odds->text.len);
        slot->block_size = size;
        cache->used += size;
    }

    slot->node = *node;
    slot->charsets = tree->charsets;
    slot->match = tree->match;
    slot->read_at = read_at;
    slot->count = odds->count;
    slot->known = odds->known;
}


static iri_status_t
iri_slot_find(const iri_env_t *env, const iri_slot_t *slot, iri_str_t name,
              iri_str_t *octets)
{
    const iri_odd_t *odd = slot->block;

    if (slot->count == 0) {
        octets->len = 0;
        return IRI_OK;
    }

    return iri_odds_find(env, odd, slot->count,
                         (const unsigned char *) (odd + slot->count), name,
                         octets);
}


/* ---- finding ------------------------------------------------------------- */

/* *node: which directory these are the entries of, as iri_dir_t says. */
static iri_status_t
iri_directory_read(const iri_env_t *env, const iri_tree_conf_t *tree,
                   iri_str_t directory, iri_node_t *node, iri_odds_t *odds)
{
    iri_lister_t   lister;
    iri_scratch_t *scratch;
    iri_status_t   status;

    scratch = malloc(sizeof(*scratch));
    if (scratch == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(&lister, 0, sizeof(lister));
    memset(odds, 0, sizeof(*odds));
    lister.env = env;
    lister.scratch.ctx = scratch;
    lister.scratch.alloc = iri_scratch_alloc;
    lister.tree = tree;
    lister.odds = odds;

    status = env->dir->list(env->ctx, (const char *) directory.data, node,
                            iri_list_entry, &lister);
    free(scratch);

    if (env->trace) {
        iri_logf(env, IRI_LOG_TRACE, "read %s: %lu entries%s%s",
                 iri_printable(env, directory),
                 (unsigned long) lister.entries,
                 lister.too_many || status != IRI_OK ? ", " : "",
                 lister.too_many    ? "too many: exact names only"
                 : status != IRI_OK ? iri_status_text(status)
                                    : "");
    }

    odds->known = !lister.too_many && status != IRI_NOT_LISTED;

    if (!odds->known) {
        odds->count = 0;
        odds->text.len = 0;
        return IRI_OK;
    }

    iri_odds_sort(odds);

    return status;
}


/* What is remembered: 1 if that is known of the directory as it is now. */
static int
iri_cache_recall(const iri_env_t *env, iri_cache_t *cache,
                 iri_odd_search_t *search, iri_status_t *status)
{
    iri_slot_t *slot;
    int         held;

    iri_cache_lock(cache);

    slot = iri_slot_of(cache, &search->node);
    held = iri_slot_holds(slot, search->tree, &search->node);

    if (held) {
        *status = iri_slot_find(env, slot, search->name, &search->octets);
        search->known = slot->known;
    }

    iri_cache_unlock(cache);

    return held;
}


iri_status_t
iri_cache_find(const iri_env_t *env, iri_cache_t *cache,
               iri_odd_search_t *search)
{
    iri_odds_t   odds;
    iri_node_t   node;
    iri_status_t status = IRI_OK;
    int64_t      read_at;

    search->octets.len = 0;
    search->known = 0;
    search->listed = 0;

    if (cache != NULL && iri_cache_recall(env, cache, search, &status)) {
        return status;
    }

    if (!search->may_list) {
        return IRI_OK;
    }

    search->listed = 1;
    read_at = iri_now();

    status = iri_directory_read(env, search->tree, search->directory, &node,
                                &odds);
    if (status != IRI_OK) {
        return status;
    }

    search->known = odds.known;

    /*
     * Not under search->node: a link on the way, or a directory above, may
     * have been replaced since that look, and that would change neither's
     * times.
     */
    if (cache != NULL && node.kind == IRI_NODE_DIR) {
        iri_cache_lock(cache);
        iri_slot_fill(cache, search->tree, &node, &odds, read_at);
        iri_cache_unlock(cache);
    }

    return iri_odds_find(env, odds.odd, odds.count, odds.text.data,
                         search->name, &search->octets);
}
