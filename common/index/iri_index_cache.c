/*
 * iri_index_cache.c - the indexes of directories that are remembered
 *
 * One piece of memory, which may be shared by processes and outlive them: a
 * head, slots, and pages for the indexes.  The slots are the whole truth of
 * what is where; what is free follows from them.  A slot is READY only when
 * all of it is written, by one store, so a process may be killed at any
 * moment: what it leaves is a slot that is FILLING, and known by its pid.
 *
 * What is remembered is a hint.  An index that was read when the directory
 * had been quiet for two seconds is good as long as its times stay.  One that
 * was read while the directory was changing, within the grain of its clock,
 * is not trusted for longer than a moment; and where reading a large one
 * again would take more than a tenth of the time, it has to serve until then:
 * what it holds is looked at, and what it does not hold is only not known.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "unicode/iri_unicode.h"
#include "index/iri_index.h"

#define IRI_SETTLED  INT64_C(2000000000) /* ns after which mtime is safe */
#define IRI_FRESH    INT64_C(100000000)  /* ns that a racy index is used */
#define IRI_IDLE     9 /* times as long as it took, until it is read again */
#define IRI_TELL     INT64_C(60000000000) /* ns between two such lines of log */
#define IRI_FORSAKEN INT64_C(3600000000000) /* ns in which any is read */
#define IRI_WASTE    INT64_C(200000000) /* ns spent for nothing at a time */
#define IRI_QUICK    1000 /* entries that are read again at once, if that */
#define IRI_QUICKLY  INT64_C(5000000) /* costs no more, ns */

#define IRI_MAX_CHARACTER 64    /* octets of one that may be left out */
#define IRI_LEAST_ROOM    32768 /* octets of an index, in a very small cache */
#define IRI_WAYS_OF_SET   4     /* slots in which an index may be */
#define IRI_PAGE          1024  /* octets that indexes are counted in */
#define IRI_SLOT_SHARE    1024  /* octets of memory for each slot */
#define IRI_MAX_SLOTS     32768 /* all are looked through to find a place */

/* Of what stands below, of an index, and of the keys in it: one more each. */
#define IRI_LAYOUT UINT64_C(0x6972692d00000002)

enum { IRI_SLOT_FREE, IRI_SLOT_FILLING, IRI_SLOT_READY };

typedef struct {
    uint32_t   state;
    int32_t    pid;  /* who fills it */
    iri_node_t node; /* the directory's own */
    uint64_t   shape[2];
    int64_t    read_at;
    int64_t    took; /* ns, to read it */
    int64_t    cost; /* ns of these at work */
    uint32_t   used; /* when, by the clock of the head */
    uint32_t   page; /* the first, and how many */
    uint32_t   pages;
    uint32_t   ways;      /* as those of the index, which may have no pages */
    uint16_t   complete;  /* likewise */
    uint16_t   crowded;   /* it has none since there was no room for it */
    uint16_t   drove_out; /* it has those of another */
    uint32_t   entries;   /* likewise, as many as there is room for */
} iri_slot_t;

typedef struct {
    uint64_t layout;
    uint64_t size;
    uint64_t key[2]; /* of the hashes */
    uint32_t sets;
    uint32_t pages;
    uint32_t clock;
    uint32_t unused;
    int64_t  wasted;    /* ns: what was read and had no room, or drove */
    int64_t  wasted_at; /* another out; less by a tenth of what passes */
} iri_region_t;

struct iri_index_cache_s {
    iri_index_cache_conf_t conf;
    iri_region_t          *region;
    iri_slot_t            *slots;
    unsigned char         *pages;
    uint64_t *taken;   /* a bit for each page, while one is wanted */
    int64_t   told_at; /* that there is too little of it */
};

struct iri_index_job_s {
    iri_index_cache_t *cache;
    iri_env_t          env;
    iri_index_conf_t   shape;
    iri_slot_t        *slot;
    iri_str_t          directory;
};


/* ---- the memory ---------------------------------------------------------- */

int64_t
iri_time_ns(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return 0;
    }

    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}


/* Where everything is follows from the size. */
static void
iri_region_divide(iri_index_cache_t *cache, uint32_t *sets, uint32_t *pages)
{
    size_t size = cache->conf.size, slots, rest;

    slots = size / IRI_SLOT_SHARE / IRI_WAYS_OF_SET * IRI_WAYS_OF_SET;
    slots = slots < IRI_MAX_SLOTS ? slots : IRI_MAX_SLOTS;
    slots = slots != 0 ? slots : IRI_WAYS_OF_SET;

    cache->region = cache->conf.memory;
    cache->slots = (iri_slot_t *) (cache->region + 1);
    cache->pages = (unsigned char *) (cache->slots + slots);

    rest = (size_t) (cache->pages - (unsigned char *) cache->conf.memory);
    rest = size > rest ? (size - rest) / IRI_PAGE : 0;

    *sets = (uint32_t) (slots / IRI_WAYS_OF_SET);
    *pages = rest < UINT32_MAX ? (uint32_t) rest : UINT32_MAX;
}


/*
 * What another cache has left is kept, if it was one like this.  Where none
 * was before, all is 0, and pages that nobody touches take no memory.
 */
static int
iri_region_open(iri_index_cache_t *cache)
{
    iri_region_t *region;
    uint64_t      layout;
    uint32_t      sets, pages;

    iri_region_divide(cache, &sets, &pages);
    region = cache->region;

    cache->taken = calloc(pages / 64 + 1, sizeof(*cache->taken));
    if (cache->taken == NULL) {
        return 0;
    }

    layout = IRI_LAYOUT ^ sizeof(iri_slot_t) << 8 ^ sizeof(*region) << 20;

    if (region->layout == layout && region->size == cache->conf.size) {
        return 1;
    }

    /* No cache of whatever layout has a size of 0. */
    if (region->layout != 0 || region->size != 0) {
        region->layout = 0;
        memset(cache->slots, 0, sets * IRI_WAYS_OF_SET * sizeof(iri_slot_t));
    }

    if (getrandom(region->key, sizeof(region->key), 0)
        != (ssize_t) sizeof(region->key))
    {
        region->key[0] = (uint64_t) iri_time_ns();
        region->key[1] = (uint64_t) getpid();
    }

    region->size = cache->conf.size;
    region->sets = sets;
    region->pages = pages;
    region->clock = 0;
    region->wasted = 0;
    region->wasted_at = 0;
    region->layout = layout;

    return 1;
}


iri_index_cache_t *
iri_index_cache_create(const iri_index_cache_conf_t *conf)
{
    size_t least = sizeof(iri_region_t)
                   + IRI_WAYS_OF_SET * sizeof(iri_slot_t);
    iri_index_cache_t *cache;

    cache = calloc(1, sizeof(*cache));
    if (cache == NULL) {
        return NULL;
    }

    cache->conf = *conf;

    if (conf->memory == NULL) {
        cache->conf.size = conf->size > least ? conf->size : least;
        cache->conf.memory = calloc(1, cache->conf.size);
    }

    if (cache->conf.memory == NULL || cache->conf.size < least
        || !iri_region_open(cache))
    {
        if (conf->memory == NULL) {
            free(cache->conf.memory);
        }

        free(cache);
        return NULL;
    }

    /* What is its own is told by that from here on. */
    if (conf->memory != NULL) {
        cache->conf.memory = NULL;
    }

    return cache;
}


void
iri_index_cache_destroy(iri_index_cache_t *cache)
{
    if (cache == NULL) {
        return;
    }

    free(cache->conf.memory);
    free(cache->taken);
    free(cache);
}


static void iri_cache_lock(iri_index_cache_t *cache);
static void iri_cache_unlock(iri_index_cache_t *cache);


void
iri_index_cache_usage(iri_index_cache_t *cache, iri_index_cache_usage_t *out)
{
    const iri_slot_t *slot, *end;

    memset(out, 0, sizeof(*out));
    out->size = (uint64_t) cache->region->pages * IRI_PAGE;
    end = cache->slots + (size_t) cache->region->sets * IRI_WAYS_OF_SET;

    iri_cache_lock(cache);

    for (slot = cache->slots; slot < end; slot++) {
        if (slot->state == IRI_SLOT_READY) {
            out->indexes++;
            out->used += (uint64_t) slot->pages * IRI_PAGE;
        }
    }

    iri_cache_unlock(cache);
}


void
iri_index_cache_count(iri_index_cache_t *cache, iri_index_cache_event_t what)
{
    uint64_t *counts = (uint64_t *) cache->conf.counts;

    if (counts != NULL) {
        (void) __atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED);
    }
}


static void
iri_cache_lock(iri_index_cache_t *cache)
{
    if (cache->conf.lock != NULL) {
        cache->conf.lock(cache->conf.ctx);
    }
}


static void
iri_cache_unlock(iri_index_cache_t *cache)
{
    if (cache->conf.unlock != NULL) {
        cache->conf.unlock(cache->conf.ctx);
    }
}


/* ---- shapes -------------------------------------------------------------- */

unsigned
iri_index_fold(const iri_tree_conf_t *tree)
{
    unsigned folds = IRI_FOLD_INDEXED | IRI_FOLD_VARIANTS | IRI_FOLD_TURKIC
                     | IRI_FOLD_GERMAN;

    return (tree->match & IRI_FOLD_INDEXED) ? tree->match & folds : 0;
}


static void
iri_shape_of(const iri_tree_conf_t *tree, const iri_index_cache_t *cache,
             iri_index_conf_t *shape)
{
    memset(shape, 0, sizeof(*shape));
    shape->tree = *tree;
    shape->fold = iri_index_fold(tree);

    if (cache != NULL) {
        shape->key[0] = cache->region->key[0];
        shape->key[1] = cache->region->key[1];
    }
}


static uint64_t
iri_charsets_pack(const iri_charsets_t *charsets)
{
    uint64_t hash = charsets->count;
    size_t   i;

    for (i = 0; i < charsets->count; i++) {
        hash = (hash ^ iri_charset_id(charsets->at[i]))
               * UINT64_C(0x9e3779b97f4a7c15);
    }

    return hash;
}


/*
 * What of the settings shapes keys, and what can be guessed, as numbers that
 * mean the same in each process.
 */
static void
iri_tree_pack(const iri_tree_conf_t *tree, uint64_t packed[2])
{
    packed[0] = iri_charsets_pack(&tree->charsets);
    packed[1] = (uint64_t) iri_index_fold(tree) << 16
                | (uint64_t) tree->names << 8
                | (tree->match & IRI_FOLD_NORMALIZATION);
}


/* The same directory, and unchanged by its times? */
static int
iri_node_is_same(const iri_node_t *a, const iri_node_t *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->mtime == b->mtime
           && a->ctime == b->ctime;
}


/* ---- slots --------------------------------------------------------------- */

/* What a slot is asked for. */
typedef struct {
    const iri_node_t *node;
    uint64_t          shape[2];
    iri_slot_t       *set;
} iri_wanted_t;


static void
iri_slot_want(iri_index_cache_t *cache, const iri_index_conf_t *shape,
              const iri_node_t *node, iri_wanted_t *wanted)
{
    uint64_t hash;

    wanted->node = node;
    iri_tree_pack(&shape->tree, wanted->shape);

    hash = (node->ino ^ node->dev << 32 ^ wanted->shape[1] << 40)
           * UINT64_C(0x9e3779b97f4a7c15);

    wanted->set = cache->slots
                  + (hash >> 20) % cache->region->sets * IRI_WAYS_OF_SET;
}


static int
iri_slot_is_of(const iri_slot_t *slot, const iri_wanted_t *wanted)
{
    return slot->node.dev == wanted->node->dev
           && slot->node.ino == wanted->node->ino
           && slot->shape[0] == wanted->shape[0]
           && slot->shape[1] == wanted->shape[1];
}


/*
 * Has whoever was to fill it died?  Its number may be another's by now, so
 * that nobody is waited for forever either.
 */
static int
iri_slot_is_left(const iri_slot_t *slot)
{
    if (slot->state != IRI_SLOT_FILLING || slot->pid == (int32_t) getpid()) {
        return 0;
    }

    return (kill((pid_t) slot->pid, 0) != 0 && errno == ESRCH)
           || iri_time_ns() - slot->read_at > IRI_FORSAKEN;
}


/* That of the directory in this state; NULL: there is none. */
static iri_slot_t *
iri_slot_find(const iri_wanted_t *wanted, uint32_t state)
{
    iri_slot_t *slot;
    size_t      i;

    for (i = 0; i < IRI_WAYS_OF_SET; i++) {
        slot = &wanted->set[i];

        if (slot->state == state && iri_slot_is_of(slot, wanted)
            && !iri_slot_is_left(slot))
        {
            return slot;
        }
    }

    return NULL;
}


/*
 * Take a slot to be filled: the one that was used longest ago, but not the
 * one that this is to replace.  NULL: all are being filled.
 */
static iri_slot_t *
iri_slot_take(iri_index_cache_t *cache, const iri_wanted_t *wanted)
{
    iri_slot_t *slot, *best = NULL;
    uint32_t    age, oldest = 0;
    size_t      i;

    for (i = 0; i < IRI_WAYS_OF_SET; i++) {
        slot = &wanted->set[i];
        age = cache->region->clock - slot->used;

        if (slot->state == IRI_SLOT_FREE || iri_slot_is_left(slot)) {
            best = slot;
            break;
        }

        if (slot->state == IRI_SLOT_READY && !iri_slot_is_of(slot, wanted)
            && (best == NULL || age > oldest))
        {
            best = slot;
            oldest = age;
        }
    }

    if (best == NULL) {
        return NULL;
    }

    /* Free before anything else of it changes, for whoever dies here. */
    __atomic_store_n(&best->state, IRI_SLOT_FREE, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    best->pages = 0;
    best->page = 0;
    best->pid = (int32_t) getpid();
    best->read_at = iri_time_ns();
    best->node = *wanted->node;
    best->shape[0] = wanted->shape[0];
    best->shape[1] = wanted->shape[1];
    best->entries = 0;
    best->used = ++cache->region->clock;
    __atomic_store_n(&best->state, IRI_SLOT_FILLING, __ATOMIC_RELEASE);

    return best;
}


/* Is it being read beside the requests, since it is a large one? */
static int
iri_slot_is_later(const iri_wanted_t *wanted)
{
    const iri_slot_t *slot = iri_slot_find(wanted, IRI_SLOT_FILLING);

    return slot != NULL && slot->entries > IRI_MAX_ENTRIES_INLINE;
}


/* As long as nine times what it took? */
static int
iri_slot_has_served(const iri_slot_t *slot, int64_t now)
{
    int64_t idle = slot->took > 0 ? slot->took * IRI_IDLE : 0;

    return now < slot->read_at || now - slot->read_at - slot->took >= idle;
}


static void
iri_slot_free(iri_slot_t *slot)
{
    __atomic_store_n(&slot->state, IRI_SLOT_FREE, __ATOMIC_RELEASE);
}


/* ---- pages --------------------------------------------------------------- */

static iri_slot_t *
iri_slots_end(const iri_index_cache_t *cache)
{
    return cache->slots + (size_t) cache->region->sets * IRI_WAYS_OF_SET;
}


static void
iri_pages_mark(iri_index_cache_t *cache)
{
    iri_slot_t *slot, *end = iri_slots_end(cache);
    uint32_t    page;

    memset(cache->taken, 0,
           (cache->region->pages / 64 + 1) * sizeof(*cache->taken));

    for (slot = cache->slots; slot < end; slot++) {
        if (iri_slot_is_left(slot)) {
            iri_slot_free(slot);
        }

        if (slot->state == IRI_SLOT_FREE) {
            continue;
        }

        for (page = slot->page; page < slot->page + slot->pages; page++) {
            cache->taken[page / 64] |= UINT64_C(1) << (page % 64);
        }
    }
}


/* The first free pages of that number; 0: there are none in a row. */
static int
iri_pages_find(iri_index_cache_t *cache, uint32_t count, uint32_t *first)
{
    uint32_t page = 0, from = 0;

    iri_pages_mark(cache);

    while (page < cache->region->pages) {
        if (page % 64 == 0 && cache->taken[page / 64] == UINT64_MAX) {
            page += 64;
            from = page;
            continue;
        }

        if (cache->taken[page / 64] >> (page % 64) & 1) {
            from = page + 1;
        }

        page++;

        if (page - from == count) {
            *first = from;
            return 1;
        }
    }

    return 0;
}


/*
 * The index that was used longest ago of those not older than most, and that
 * has served as long as would do to read it again: else two directories that
 * have no room beside each other would be read for every request.
 */
static iri_slot_t *
iri_slot_oldest(const iri_index_cache_t *cache, uint32_t most)
{
    iri_slot_t *slot, *best = NULL, *end = iri_slots_end(cache);
    int64_t     now = iri_time_ns();
    uint32_t    age, oldest = 0;

    for (slot = cache->slots; slot < end; slot++) {
        age = cache->region->clock - slot->used;

        if (slot->state == IRI_SLOT_READY && slot->pages != 0 && age < most
            && age >= oldest && iri_slot_has_served(slot, now))
        {
            best = slot;
            oldest = age;
        }
    }

    return best;
}


/* Its pages go; that it was there, and what it cost, stays for a while. */
static void
iri_slot_evict(iri_slot_t *slot)
{
    slot->complete = 0;
    slot->crowded = 1;
    __atomic_store_n(&slot->pages, 0, __ATOMIC_RELEASE);
}


/*
 * Let go of all in these pages; 0: something there is being filled, or has
 * not yet served.
 */
static int
iri_pages_clear(iri_index_cache_t *cache, uint32_t first, uint32_t count)
{
    iri_slot_t *slot, *end = iri_slots_end(cache);
    int64_t     now = iri_time_ns();
    int         pass;

    for (pass = 0; pass < 2; pass++) {
        for (slot = cache->slots; slot < end; slot++) {
            if (slot->state == IRI_SLOT_FREE || slot->pages == 0
                || slot->page >= first + count
                || slot->page + slot->pages <= first)
            {
                continue;
            }

            if (slot->state == IRI_SLOT_FILLING
                || !iri_slot_has_served(slot, now)) {
                return 0;
            }

            if (pass == 1) {
                iri_slot_evict(slot);
            }
        }
    }

    return 1;
}


/*
 * Pages for an index: free ones, or those of the index that was used longest
 * ago and what lies behind it.
 */
static int
iri_pages_take(iri_index_cache_t *cache, uint32_t count, uint32_t *first,
               uint16_t *drove_out)
{
    iri_slot_t *slot;
    uint32_t    most = UINT32_MAX;

    *drove_out = 0;

    if (count > cache->region->pages) {
        return 0;
    }

    if (iri_pages_find(cache, count, first)) {
        return 1;
    }

    while ((slot = iri_slot_oldest(cache, most)) != NULL) {
        most = cache->region->clock - slot->used;
        *first = slot->page;

        if (*first > cache->region->pages - count) {
            *first = cache->region->pages - count;
        }

        if (iri_pages_clear(cache, *first, count)) {
            *drove_out = 1;
            return 1;
        }
    }

    return 0;
}


/* ---- keeping an index ---------------------------------------------------- */

/*
 * Octets that an index may have.  One of odd names, or a small one, may serve
 * for one answer only; another that would have no place if it were alone
 * would be built for each.
 */
static size_t
iri_cache_room(const iri_index_cache_t *cache, const iri_index_conf_t *shape)
{
    size_t room;

    if (cache == NULL || shape->fold == 0) {
        return IRI_MAX_BUFFER;
    }

    room = (size_t) cache->region->pages * IRI_PAGE;

    return room > IRI_LEAST_ROOM ? room : IRI_LEAST_ROOM;
}


static void
iri_slot_index(const iri_index_cache_t *cache, const iri_slot_t *slot,
               iri_index_t *index)
{
    if (slot->pages != 0) {
        iri_index_open(cache->pages + (size_t) slot->page * IRI_PAGE, index);

    } else {
        memset(index, 0, sizeof(*index));
        index->head.complete = slot->complete != 0;
        index->head.ways = slot->ways;
    }
}


/* Of one that holds nothing, only whether that is all has to be kept. */
static uint32_t
iri_index_pages(const iri_index_t *index)
{
    return index->head.records != 0 ? (
               uint32_t) ((iri_index_size(index) + IRI_PAGE - 1) / IRI_PAGE)
                                    : 0;
}


/* That of the same directory, which is to be replaced; NULL: none. */
static iri_slot_t *
iri_slot_before(iri_index_cache_t *cache, const iri_slot_t *slot,
                const iri_node_t *node)
{
    iri_wanted_t wanted;

    wanted.node = node;
    wanted.shape[0] = slot->shape[0];
    wanted.shape[1] = slot->shape[1];
    wanted.set = cache->slots
                 + (size_t) (slot - cache->slots) / IRI_WAYS_OF_SET
                       * IRI_WAYS_OF_SET;

    return iri_slot_find(&wanted, IRI_SLOT_READY);
}


/*
 * Where there is too little room for what is asked for, one directory drives
 * the other out, however many there are.  A tenth of the time, for all of
 * them, is what may be spent on that.
 */
static int64_t
iri_wasted(const iri_region_t *region, int64_t now)
{
    int64_t passed = now - region->wasted_at;

    if (passed < 0 || passed / (IRI_IDLE + 1) > region->wasted) {
        return 0;
    }

    return region->wasted - passed / (IRI_IDLE + 1);
}


static void
iri_waste(iri_region_t *region, int64_t took)
{
    int64_t now = iri_time_ns();

    region->wasted = iri_wasted(region, now) + (took > 0 ? took : 0);
    region->wasted_at = now;
}


/* Room for an index: if need be, that of the one which it replaces. */
static int
iri_slot_room(iri_index_cache_t *cache, iri_slot_t *slot,
              const iri_node_t *node, uint32_t pages)
{
    iri_slot_t *before;
    uint32_t    first = 0;
    int         room;

    slot->drove_out = 0;
    room = pages == 0
           || iri_pages_take(cache, pages, &first, &slot->drove_out);

    if (!room) {
        before = iri_slot_before(cache, slot, node);

        if (before != NULL && before->pages != 0) {
            iri_slot_evict(before);
            room = iri_pages_take(cache, pages, &first, &slot->drove_out);
        }
    }

    if (room) {
        slot->page = first;
        slot->pages = pages;
    }

    return room;
}


/* Is it read in next to no time?  By the processor, whoever else is at it. */
static int
iri_slot_is_quick(const iri_slot_t *slot)
{
    return slot->entries <= IRI_QUICK && slot->cost <= IRI_QUICKLY;
}


/* The slot is as the index is; the one before it goes. */
static void
iri_slot_ready(iri_index_cache_t *cache, iri_slot_t *slot,
               const iri_node_t *node, const iri_index_t *index,
               int64_t read_at, int room)
{
    iri_slot_t *before = iri_slot_before(cache, slot, node);

    if (before != NULL) {
        iri_slot_free(before);
    }

    slot->node = *node;
    slot->read_at = read_at;
    slot->took = iri_time_ns() - read_at;

    /* A clock that failed, or was set. */
    if (slot->took < 0 || slot->took > IRI_FORSAKEN) {
        slot->took = 0;
    }

    slot->cost = index->head.cost;
    slot->complete = room && index->head.complete;
    slot->ways = index->head.ways;
    slot->crowded = !room;
    slot->entries = index->head.entries < UINT32_MAX
                        ? (uint32_t) index->head.entries
                        : UINT32_MAX;
    slot->used = ++cache->region->clock;

    if ((slot->crowded || slot->drove_out) && !iri_slot_is_quick(slot)) {
        iri_waste(cache->region, slot->took);
    }

    __atomic_store_n(&slot->state, IRI_SLOT_READY, __ATOMIC_RELEASE);
}


/*
 * Keep what was read in a slot that was taken for it, under the node that was
 * read: a link on the way, or a directory above, may have been replaced since
 * the look at the other.  The copy is made without the lock: nobody else
 * looks at what is being filled.
 */
static void
iri_slot_fill(iri_index_cache_t *cache, iri_slot_t *slot,
              const iri_node_t *node, const iri_index_t *index,
              int64_t read_at)
{
    uint32_t pages = iri_index_pages(index);
    int      room, same;

    same = node->kind == IRI_NODE_DIR && slot->node.dev == node->dev
           && slot->node.ino == node->ino;

    iri_cache_lock(cache);
    room = same && iri_slot_room(cache, slot, node, pages);
    iri_cache_unlock(cache);

    if (room && pages != 0) {
        iri_index_copy(index, cache->pages + (size_t) slot->page * IRI_PAGE);
    }

    iri_cache_lock(cache);

    if (same) {
        iri_slot_ready(cache, slot, node, index, read_at, room);

    } else {
        iri_slot_free(slot);
    }

    iri_cache_unlock(cache);
}


/*
 * Is what was found in a directory good as long as its times stay?  at: when
 * the looks at it began, by iri_time_ns().
 */
static int
iri_node_is_settled(const iri_node_t *node, int64_t at)
{
    /* Not mtime, which the owner of a directory may set to any year. */
    return node->ctime < at - IRI_SETTLED;
}


/* Is it good now? */
static int
iri_slot_is_sure(const iri_slot_t *slot, const iri_node_t *node, int64_t now)
{
    return iri_node_is_same(&slot->node, node) && !slot->crowded
           && (iri_node_is_settled(node, slot->read_at)
               || (now >= slot->read_at && now - slot->read_at < IRI_FRESH));
}


/* Is it time to read it again? */
static int
iri_slot_is_due(const iri_slot_t *slot, int64_t now)
{
    return iri_slot_is_quick(slot) || iri_slot_has_served(slot, now);
}


/* ---- looking up ---------------------------------------------------------- */

static iri_status_t
iri_spell_find(const iri_env_t *env, const iri_index_conf_t *shape,
               const iri_index_t *index, iri_str_t key,
               iri_index_hits_t *hits)
{
    iri_edit_t  *edit;
    iri_buf_t    without = IRI_BUF_EMPTY;
    iri_status_t status;
    uint32_t     hash;
    size_t       i;
    int          fit, left_out;

    edit = env->alloc(env->ctx, sizeof(*edit));
    if (edit == NULL) {
        return IRI_NO_MEMORY;
    }

    iri_edit_init(edit);
    status = iri_edit_divide(edit, key, &fit);

    /* One character is missing. */
    if (status == IRI_OK && fit) {
        status = iri_index_find_spelling(env, index,
                                         iri_index_hash(shape, key), hits);
    }

    /* One is too many; one is wrong, or two have changed places. */
    for (i = 0; status == IRI_OK && fit && i < edit->count; i++) {
        without.len = 0;
        status = iri_edit_without(env, edit, key, i, &without, &left_out);

        if (status != IRI_OK || !left_out) {
            continue;
        }

        hash = iri_index_hash(shape, iri_buf_str(&without));
        status = iri_index_find(env, index, hash, hits);

        if (status == IRI_OK) {
            status = iri_index_find_spelling(env, index, hash, hits);
        }
    }

    iri_edit_free(edit);

    return status;
}


/*
 * Spelling is asked for only where nothing is nearer: an entry whose key has
 * another hash has another key.
 */
static iri_status_t
iri_index_ask(const iri_env_t *env, const iri_index_conf_t *shape,
              const iri_index_t *index, iri_index_cache_search_t *search)
{
    iri_status_t status;

    search->complete = index->head.complete != 0;
    search->hits.count = 0;
    search->hits.more = 0;

    status = index->head.records != 0
                 ? iri_index_find(env, index,
                                  iri_index_hash(shape, search->key),
                                  &search->hits)
                 : IRI_OK;

    search->spelled = search->hits.count == 0 && search->may_spell
                      && index->head.spelled
                      && search->key.len
                             <= index->head.longest + IRI_MAX_CHARACTER;

    return status == IRI_OK && search->spelled
               ? iri_spell_find(env, shape, index, search->key, &search->hits)
               : status;
}


/* ---- reading a directory ------------------------------------------------- */

/* Are large directories read elsewhere? */
static int
iri_cache_has_later(const iri_index_cache_t *cache,
                    const iri_index_conf_t  *shape)
{
    return cache != NULL && cache->conf.later != NULL && shape->fold != 0;
}


/* Entries that are read while a request waits. */
static size_t
iri_cache_most(const iri_index_cache_t *cache, const iri_index_conf_t *shape)
{
    if (shape->fold == 0) {
        return IRI_MAX_ENTRIES_READ;
    }

    return cache == NULL || iri_cache_has_later(cache, shape)
               ? IRI_MAX_ENTRIES_INLINE
               : IRI_MAX_INDEXED;
}


void
iri_index_job_drop(iri_index_job_t *job)
{
    iri_cache_lock(job->cache);
    iri_slot_free(job->slot);
    iri_cache_unlock(job->cache);

    free(job);
}


void
iri_index_job_run(iri_index_job_t *job)
{
    iri_index_t  index;
    iri_node_t   node;
    iri_status_t status;
    int64_t      read_at = iri_time_ns();
    int          more;

    status = iri_index_build(
        &job->env, &job->shape, job->directory, IRI_MAX_INDEXED,
        iri_cache_room(job->cache, &job->shape), &node, &index, &more);

    if (status != IRI_OK) {
        iri_index_job_drop(job);
        return;
    }

    iri_index_cache_count(job->cache, IRI_CACHE_EVENT_BUILD);
    iri_slot_fill(job->cache, job->slot, &node, &index, read_at);
    iri_index_free(&index);
    free(job);
}


/*
 * Have it read elsewhere; the slot is taken so that nobody else does, too.
 * 0: that cannot be done.
 */
static int
iri_cache_later(const iri_env_t *env, iri_index_cache_t *cache,
                const iri_index_conf_t         *shape,
                const iri_index_cache_search_t *search)
{
    iri_index_job_t *job;
    iri_wanted_t     wanted;
    int              filling;

    job = malloc(sizeof(*job) + search->directory.len + 1);
    if (job == NULL) {
        return 0;
    }

    memset(job, 0, sizeof(*job));
    memcpy(job + 1, search->directory.data, search->directory.len + 1);
    job->directory.data = (const unsigned char *) (job + 1);
    job->directory.len = search->directory.len;
    job->cache = cache;
    job->env.dir = env->dir;
    job->env.alloc = NULL;
    job->shape = *shape;

    iri_slot_want(cache, shape, &search->node, &wanted);

    iri_cache_lock(cache);
    filling = iri_slot_find(&wanted, IRI_SLOT_FILLING) != NULL;
    job->slot = filling ? NULL : iri_slot_take(cache, &wanted);

    if (job->slot != NULL) {
        job->slot->entries = UINT32_MAX;
    }

    iri_cache_unlock(cache);

    if (job->slot == NULL) {
        free(job);
        return filling;
    }

    if (!cache->conf.later(cache->conf.ctx, job)) {
        iri_index_job_drop(job);
        return 0;
    }

    return 1;
}


/* Keep it, where there is a cache; what is asked is answered in any case. */
static void
iri_cache_keep(iri_index_cache_t *cache, const iri_index_conf_t *shape,
               const iri_node_t *node, const iri_index_t *index,
               int64_t read_at)
{
    iri_wanted_t wanted;
    iri_slot_t  *slot;

    if (cache == NULL || node->kind != IRI_NODE_DIR) {
        return;
    }

    iri_slot_want(cache, shape, node, &wanted);

    iri_cache_lock(cache);
    slot = iri_slot_take(cache, &wanted);
    iri_cache_unlock(cache);

    if (slot != NULL) {
        iri_index_cache_count(cache, IRI_CACHE_EVENT_BUILD);
        iri_slot_fill(cache, slot, node, index, read_at);
    }
}


static iri_status_t
iri_cache_read(const iri_env_t *env, iri_index_cache_t *cache,
               const iri_index_conf_t   *shape,
               iri_index_cache_search_t *search)
{
    iri_index_t  index;
    iri_node_t   node;
    iri_status_t status;
    int64_t      read_at = iri_time_ns();
    int          later, more = 0;

    status = iri_index_build(
        env, shape, search->directory, iri_cache_most(cache, shape),
        iri_cache_room(cache, shape), &node, &index, &more);
    if (status != IRI_OK) {
        search->listed = 1;
        return status;
    }

    search->listed = index.head.entries + 1;

    later = more && iri_cache_has_later(cache, shape);

    if (later && !iri_cache_later(env, cache, shape, search)) {
        /* That it is large is kept, of no known time: to be tried again. */
        node.mtime = ~node.mtime;
        later = 0;
    }

    if (!later) {
        iri_cache_keep(cache, shape, &node, &index, read_at);
    }

    status = iri_index_ask(env, shape, &index, search);
    search->sure = 1;
    iri_index_free(&index);

    return status;
}


/* ---- finding ------------------------------------------------------------- */

/* What a look into the cache has given. */
typedef struct {
    int      due;      /* the directory is to be read, and nobody is at it */
    int      large;    /* and that takes long */
    int      small;    /* it is known to be read in next to no time */
    uint32_t crowded;  /* entries that there was no room for, to be told */
    int      complete; /* but for their spellings */
} iri_recalled_t;


/* Once a minute; the administrator alone can help. */
static void
iri_cache_tell(const iri_env_t *env, const iri_index_cache_search_t *search,
               const iri_recalled_t *recalled)
{
    iri_shown_t shown;

    if (recalled->crowded != 0) {
        iri_logf(env, IRI_LOG_ERROR,
                 "no room for %s of the %lu%s names in %s, %s: make"
                 " iri_cache (IRICache) larger" IRI_LOG_REASON "cache",
                 recalled->complete ? "spellings" : "an index",
                 (unsigned long) recalled->crowded,
                 recalled->complete ? "" : " or more",
                 iri_show_sent(&shown, search->directory),
                 recalled->complete ? "of which none is guessed"
                                    : "which have exact names only");
    }
}


/* Was there room for the rest only? */
static int
iri_lacks_spellings(const iri_index_conf_t *shape, const iri_index_t *index)
{
    return (shape->fold & IRI_FOLD_SPELLING) != 0 && index->head.records != 0
           && !index->head.spelled;
}


static iri_status_t
iri_cache_recall(const iri_env_t *env, iri_index_cache_t *cache,
                 const iri_index_conf_t   *shape,
                 iri_index_cache_search_t *search, iri_recalled_t *recalled)
{
    iri_wanted_t wanted;
    iri_index_t  index;
    iri_slot_t  *slot;
    iri_status_t status = IRI_OK;
    int64_t      now = iri_time_ns();

    recalled->due = 1;
    recalled->large = 0;
    recalled->small = shape->fold == 0;
    recalled->crowded = 0;

    iri_slot_want(cache, shape, &search->node, &wanted);

    iri_cache_lock(cache);
    slot = iri_slot_find(&wanted, IRI_SLOT_READY);

    if (slot != NULL) {
        iri_slot_index(cache, slot, &index);
        status = iri_index_ask(env, shape, &index, search);

        search->sure = iri_slot_is_sure(slot, &search->node, now);
        recalled->due = !search->sure && iri_slot_is_due(slot, now);
        recalled->large = slot->entries > IRI_MAX_ENTRIES_INLINE;
        recalled->small = iri_slot_is_quick(slot);
        slot->used = ++cache->region->clock;

        if ((!index.head.complete || iri_lacks_spellings(shape, &index))
            && slot->entries > IRI_QUICK && shape->fold != 0
            && now - cache->told_at > IRI_TELL)
        {
            recalled->complete = index.head.complete;
            recalled->crowded = slot->entries;
            cache->told_at = now;
        }
    }

    if (recalled->due
        && (iri_slot_is_later(&wanted)
            || (!recalled->small
                && iri_wasted(cache->region, now) > IRI_WASTE)))
    {
        recalled->due = 0;
    }

    iri_cache_unlock(cache);

    search->complete = search->complete && search->sure;

    return status;
}


/* Whoever waits for the same directory stands in the same line. */
static unsigned
iri_cache_line(const iri_node_t *node)
{
    return (unsigned) ((node->ino ^ node->dev) * UINT64_C(0x9e3779b97f4a7c15)
                       >> 32)
           % IRI_INDEX_QUEUES;
}


static void
iri_cache_queue(iri_index_cache_t *cache, const iri_node_t *node)
{
    if (cache != NULL && cache->conf.queue != NULL) {
        cache->conf.queue(cache->conf.ctx, iri_cache_line(node));
    }
}


static void
iri_cache_leave(iri_index_cache_t *cache, const iri_node_t *node)
{
    if (cache != NULL && cache->conf.leave != NULL) {
        cache->conf.leave(cache->conf.ctx, iri_cache_line(node));
    }
}


/* Read it, unless somebody has while this waited for its turn. */
static iri_status_t
iri_cache_read_once(const iri_env_t *env, iri_index_cache_t *cache,
                    const iri_index_conf_t   *shape,
                    iri_index_cache_search_t *search)
{
    iri_recalled_t recalled = { 1, 0, 0, 0, 0 };
    iri_status_t   status = IRI_OK;

    iri_cache_queue(cache, &search->node);

    if (cache != NULL && cache->conf.queue != NULL) {
        status = iri_cache_recall(env, cache, shape, search, &recalled);
    }

    if (status == IRI_OK && recalled.due) {
        status = iri_cache_read(env, cache, shape, search);
    }

    iri_cache_leave(cache, &search->node);

    return status;
}


/* Not counted: who asks looks for the name in any case. */
uint32_t
iri_index_cache_ways(iri_index_cache_t *cache, const iri_tree_conf_t *tree,
                     const iri_node_t *node)
{
    iri_index_conf_t  shape;
    iri_wanted_t      wanted;
    const iri_slot_t *slot;
    uint32_t          ways = IRI_ALL_WAYS;

    if (cache == NULL || iri_index_fold(tree) != 0) {
        return IRI_ALL_WAYS;
    }

    iri_shape_of(tree, cache, &shape);
    iri_slot_want(cache, &shape, node, &wanted);

    iri_cache_lock(cache);
    slot = iri_slot_find(&wanted, IRI_SLOT_READY);

    if (slot != NULL && slot->complete && !slot->crowded
        && iri_node_is_same(&slot->node, node)
        && iri_node_is_settled(node, slot->read_at))
    {
        ways = slot->ways;
    }

    iri_cache_unlock(cache);

    return ways;
}


static iri_status_t
iri_cache_key(const iri_env_t *env, const iri_index_conf_t *shape,
              iri_index_cache_search_t *search)
{
    iri_buf_t    key = IRI_BUF_EMPTY;
    iri_status_t status;

    if (shape->fold == 0) {
        search->key = search->name;
        return IRI_OK;
    }

    status = iri_fold(env, shape->fold, search->name, &key);
    search->key = iri_buf_str(&key);

    return status;
}


iri_status_t
iri_index_cache_find(const iri_env_t *env, iri_index_cache_t *cache,
                     iri_index_cache_search_t *search)
{
    iri_recalled_t   recalled = { 1, 0, 0, 0, 0 };
    iri_index_conf_t shape;
    iri_status_t     status;

    search->hits.count = 0;
    search->hits.more = 0;
    search->spelled = 0;
    search->sure = 0;
    search->complete = 0;
    search->listed = 0;

    iri_shape_of(search->tree, cache, &shape);
    search->fold = shape.fold;

    status = iri_cache_key(env, &shape, search);

    if (status == IRI_OK && cache != NULL) {
        status = iri_cache_recall(env, cache, &shape, search, &recalled);
        iri_index_cache_count(cache, search->sure
                                         ? IRI_CACHE_EVENT_INDEX_HIT
                                         : IRI_CACHE_EVENT_INDEX_MISS);
    }

    iri_cache_tell(env, search, &recalled);

    if (status != IRI_OK || !recalled.due || !search->may_list) {
        return status;
    }

    if (recalled.large && iri_cache_has_later(cache, &shape)) {
        (void) iri_cache_later(env, cache, &shape, search);
        return IRI_OK;
    }

    return iri_cache_read_once(env, cache, &shape, search);
}
