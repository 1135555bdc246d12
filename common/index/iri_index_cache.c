/*
 * iri_index_cache.c - the cache of directory indexes
 *
 * One region of memory, which may be shared by processes and outlive them: a
 * header, slots, and pages for the indexes. Only the slots record which pages
 * are in use; all other pages are free. One store makes a slot READY, after
 * everything in it has been written. So a process may be killed at any moment:
 * then it leaves a slot that is FILLING, with its pid.
 *
 * A cached index is a hint. An index that was built when the directory had
 * not changed for two seconds is fresh as long as the times of the directory
 * stay the same. An index that was built while the directory was changing,
 * within the resolution of its timestamps, is fresh for IRI_RACY_LIFETIME
 * only. Rebuilding the index of a large directory may take at most a tenth of
 * the time. Until the next rebuild is due, the stale index is used: an entry
 * in it is looked up on disk, and an entry that is not in it is unknown, not
 * absent.
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

/* Times are in nanoseconds. */

/* After this time a change of a directory changes its timestamps. */
#define IRI_RACY_WINDOW INT64_C(2000000000)
/* How long an index is fresh that was built sooner after a change. */
#define IRI_RACY_LIFETIME INT64_C(100000000)
/* Between two messages about a lack of room. */
#define IRI_LOG_INTERVAL INT64_C(60000000000)
/* After this time a FILLING slot counts as abandoned. */
#define IRI_FILL_TIMEOUT INT64_C(3600000000000)
/* Above this value of iri_region_thrashing() only cheap indexes are built. */
#define IRI_MAX_THRASHING INT64_C(200000000)

/* A rebuild within both of these limits is cheap, and never waits. */
#define IRI_CHEAP_TIME    INT64_C(5000000) /* of the processor */
#define IRI_CHEAP_ENTRIES 1000

/* A rebuild waits this many times the duration of the last build. */
#define IRI_REBUILD_FACTOR 9

#define IRI_MAX_CHARACTER  64    /* octets of a character in a key */
#define IRI_MIN_INDEX_SIZE 32768 /* octets that an index always may have */
#define IRI_SLOTS_PER_SET  4     /* slots in which a directory may be */
#define IRI_PAGE           1024  /* octets; the unit of allocation */
#define IRI_SLOT_SHARE     1024  /* octets of the region for each slot */
#define IRI_MAX_SLOTS      32768 /* because an allocation scans all slots */

/*
 * The version of these structures, of an index and of its keys: increment it
 * when any of them changes.
 */
#define IRI_LAYOUT UINT64_C(0x6972692d00000002)

enum { IRI_SLOT_FREE, IRI_SLOT_FILLING, IRI_SLOT_READY };

typedef struct {
    uint32_t   state;
    int32_t    pid;  /* of the process that fills it */
    iri_node_t node; /* of the directory */
    uint64_t   fingerprint[2];
    int64_t    read_at;
    int64_t    took; /* ns that the build took */
    int64_t    cost; /* ns of processor time of the build */
    uint32_t   used; /* time of last use, by region->clock */
    uint32_t   page; /* the first page */
    uint32_t   pages;
    uint32_t   ways;     /* as in the index, which may have no pages */
    uint16_t   complete; /* as in the index */
    uint16_t   no_room;  /* 1: there was no room for its pages */
    uint16_t   evicted;  /* 1: another index was evicted for it */
    uint32_t   entries;  /* as in the index; UINT32_MAX: so many or more */
} iri_slot_t;

typedef struct {
    uint64_t layout;
    uint64_t size;
    uint64_t key[2]; /* of the hash */
    uint32_t sets;
    uint32_t pages;
    uint32_t clock;
    uint32_t unused;
    int64_t  thrashing;    /* ns of builds that had no room, or that evicted
                              another index; see iri_region_thrashing() */
    int64_t  thrashing_at; /* time of its last change */
} iri_region_t;

struct iri_index_cache_s {
    iri_index_cache_conf_t conf;
    iri_region_t          *region;
    iri_slot_t            *slots;
    unsigned char         *pages;
    uint64_t *taken;     /* a bit for each page; used while allocating */
    int64_t   logged_at; /* when a lack of room was last logged */
};

struct iri_index_job_s {
    iri_index_cache_t *cache;
    iri_env_t          env;
    iri_index_conf_t   conf;
    iri_slot_t        *slot;
    iri_str_t          directory;
};


/* ---- the region ---------------------------------------------------------- */

int64_t
iri_time_ns(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return 0;
    }

    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}


/* Divide the region. The size alone determines where everything is. */
static void
iri_region_divide(iri_index_cache_t *cache, uint32_t *sets, uint32_t *pages)
{
    size_t size = cache->conf.size, slots, rest;

    slots = size / IRI_SLOT_SHARE / IRI_SLOTS_PER_SET * IRI_SLOTS_PER_SET;
    slots = slots < IRI_MAX_SLOTS ? slots : IRI_MAX_SLOTS;
    slots = slots != 0 ? slots : IRI_SLOTS_PER_SET;

    cache->region = cache->conf.memory;
    cache->slots = (iri_slot_t *) (cache->region + 1);
    cache->pages = (unsigned char *) (cache->slots + slots);

    rest = (size_t) (cache->pages - (unsigned char *) cache->conf.memory);
    rest = size > rest ? (size - rest) / IRI_PAGE : 0;

    *sets = (uint32_t) (slots / IRI_SLOTS_PER_SET);
    *pages = rest < UINT32_MAX ? (uint32_t) rest : UINT32_MAX;
}


/*
 * Keep the contents that another cache left, if its layout and size are the
 * same. A new region is all 0, and pages that are not touched take no memory.
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

    /* A region that was used has a size that is not 0, in every layout. */
    if (region->layout != 0 || region->size != 0) {
        region->layout = 0;
        memset(cache->slots, 0,
               sets * IRI_SLOTS_PER_SET * sizeof(iri_slot_t));
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
    region->thrashing = 0;
    region->thrashing_at = 0;
    region->layout = layout;

    return 1;
}


iri_index_cache_t *
iri_index_cache_create(const iri_index_cache_conf_t *conf)
{
    size_t least = sizeof(iri_region_t)
                   + IRI_SLOTS_PER_SET * sizeof(iri_slot_t);
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

    /* A non-NULL conf.memory means that the cache owns it. */
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


/* ---- settings ------------------------------------------------------------ */

unsigned
iri_index_fold(const iri_tree_conf_t *tree)
{
    unsigned folds = IRI_FOLD_INDEXED | IRI_FOLD_VARIANTS | IRI_FOLD_TURKIC
                     | IRI_FOLD_GERMAN;

    return (tree->match & IRI_FOLD_INDEXED) ? tree->match & folds : 0;
}


static void
iri_index_conf_init(const iri_tree_conf_t   *tree,
                    const iri_index_cache_t *cache, iri_index_conf_t *conf)
{
    memset(conf, 0, sizeof(*conf));
    conf->tree = *tree;
    conf->fold = iri_index_fold(tree);

    if (cache != NULL) {
        conf->key[0] = cache->region->key[0];
        conf->key[1] = cache->region->key[1];
    }
}


static uint64_t
iri_charsets_hash(const iri_charsets_t *charsets)
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
 * Make a fingerprint of the settings that determine the keys and the
 * irregular entries. It is the same in each process.
 */
static void
iri_tree_fingerprint(const iri_tree_conf_t *tree, uint64_t packed[2])
{
    packed[0] = iri_charsets_hash(&tree->charsets);
    packed[1] = (uint64_t) iri_index_fold(tree) << 16
                | (uint64_t) tree->names << 8
                | (tree->match & IRI_FOLD_NORMALIZATION);
}


/* Return 1 if both are the same directory with the same times. */
static int
iri_node_is_same(const iri_node_t *a, const iri_node_t *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->mtime == b->mtime
           && a->ctime == b->ctime;
}


/* ---- slots --------------------------------------------------------------- */

/* The directory and the settings that a slot is looked up by. */
typedef struct {
    const iri_node_t *node;
    uint64_t          fingerprint[2];
    iri_slot_t       *set;
} iri_slot_key_t;


static void
iri_slot_key_init(iri_index_cache_t *cache, const iri_index_conf_t *conf,
                  const iri_node_t *node, iri_slot_key_t *slot_key)
{
    uint64_t hash;

    slot_key->node = node;
    iri_tree_fingerprint(&conf->tree, slot_key->fingerprint);

    hash = (node->ino ^ node->dev << 32 ^ slot_key->fingerprint[1] << 40)
           * UINT64_C(0x9e3779b97f4a7c15);

    slot_key->set = cache->slots
                    + (hash >> 20) % cache->region->sets * IRI_SLOTS_PER_SET;
}


static int
iri_slot_matches(const iri_slot_t *slot, const iri_slot_key_t *slot_key)
{
    return slot->node.dev == slot_key->node->dev
           && slot->node.ino == slot_key->node->ino
           && slot->fingerprint[0] == slot_key->fingerprint[0]
           && slot->fingerprint[1] == slot_key->fingerprint[1];
}


/*
 * Return 1 if the process that was filling the slot is gone. Its pid may have
 * been reused, so a slot is abandoned after IRI_FILL_TIMEOUT too.
 */
static int
iri_slot_is_abandoned(const iri_slot_t *slot)
{
    if (slot->state != IRI_SLOT_FILLING || slot->pid == (int32_t) getpid()) {
        return 0;
    }

    return (kill((pid_t) slot->pid, 0) != 0 && errno == ESRCH)
           || iri_time_ns() - slot->read_at > IRI_FILL_TIMEOUT;
}


/* Return the slot of the directory in this state; NULL: there is none. */
static iri_slot_t *
iri_slot_find(const iri_slot_key_t *slot_key, uint32_t state)
{
    iri_slot_t *slot;
    size_t      i;

    for (i = 0; i < IRI_SLOTS_PER_SET; i++) {
        slot = &slot_key->set[i];

        if (slot->state == state && iri_slot_matches(slot, slot_key)
            && !iri_slot_is_abandoned(slot))
        {
            return slot;
        }
    }

    return NULL;
}


/*
 * Take a slot to be filled: a free one or the least recently used of the set,
 * but not the slot of the same directory, which stays in use until the new one
 * is READY. Return NULL if there is none.
 */
static iri_slot_t *
iri_slot_take(iri_index_cache_t *cache, const iri_slot_key_t *slot_key)
{
    iri_slot_t *slot, *best = NULL;
    uint32_t    age, oldest = 0;
    size_t      i;

    for (i = 0; i < IRI_SLOTS_PER_SET; i++) {
        slot = &slot_key->set[i];
        age = cache->region->clock - slot->used;

        if (slot->state == IRI_SLOT_FREE || iri_slot_is_abandoned(slot)) {
            best = slot;
            break;
        }

        if (slot->state == IRI_SLOT_READY && !iri_slot_matches(slot, slot_key)
            && (best == NULL || age > oldest))
        {
            best = slot;
            oldest = age;
        }
    }

    if (best == NULL) {
        return NULL;
    }

    /*
     * Free it before anything else changes, in case this process dies here.
     */
    __atomic_store_n(&best->state, IRI_SLOT_FREE, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    best->pages = 0;
    best->page = 0;
    best->pid = (int32_t) getpid();
    best->read_at = iri_time_ns();
    best->node = *slot_key->node;
    best->fingerprint[0] = slot_key->fingerprint[0];
    best->fingerprint[1] = slot_key->fingerprint[1];
    best->entries = 0;
    best->used = ++cache->region->clock;
    __atomic_store_n(&best->state, IRI_SLOT_FILLING, __ATOMIC_RELEASE);

    return best;
}


/* Return 1 if another thread is building this index of a large directory. */
static int
iri_slot_is_deferred(const iri_slot_key_t *slot_key)
{
    const iri_slot_t *slot = iri_slot_find(slot_key, IRI_SLOT_FILLING);

    return slot != NULL && slot->entries > IRI_MAX_ENTRIES_INLINE;
}


/*
 * Return 1 if the slot has been used for IRI_REBUILD_FACTOR times the
 * duration of its build.
 */
static int
iri_slot_is_amortized(const iri_slot_t *slot, int64_t now)
{
    int64_t idle = slot->took > 0 ? slot->took * IRI_REBUILD_FACTOR : 0;

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
    return cache->slots + (size_t) cache->region->sets * IRI_SLOTS_PER_SET;
}


static void
iri_pages_mark(iri_index_cache_t *cache)
{
    iri_slot_t *slot, *end = iri_slots_end(cache);
    uint32_t    page;

    memset(cache->taken, 0,
           (cache->region->pages / 64 + 1) * sizeof(*cache->taken));

    for (slot = cache->slots; slot < end; slot++) {
        if (iri_slot_is_abandoned(slot)) {
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


/* Find count free pages in a row. Returns 0 if there are none. */
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
 * Return the least recently used index whose age is below most and that may
 * be evicted (iri_slot_is_amortized); NULL: there is none. Without that
 * condition two directories whose indexes do not fit into the cache together
 * would be read again for each request.
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
            && age >= oldest && iri_slot_is_amortized(slot, now))
        {
            best = slot;
            oldest = age;
        }
    }

    return best;
}


/*
 * Release the pages of an index. The slot is kept, because it records how long
 * the build took.
 */
static void
iri_slot_evict(iri_slot_t *slot)
{
    slot->complete = 0;
    slot->no_room = 1;
    __atomic_store_n(&slot->pages, 0, __ATOMIC_RELEASE);
}


/*
 * Evict all indexes in these pages. Returns 0 if one of them is being filled
 * or may not be evicted yet.
 */
static int
iri_pages_evict(iri_index_cache_t *cache, uint32_t first, uint32_t count)
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
                || !iri_slot_is_amortized(slot, now)) {
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
 * Allocate pages for an index: free ones, or else the pages from the least
 * recently used index on, whose indexes are evicted.
 */
static int
iri_pages_allocate(iri_index_cache_t *cache, uint32_t count, uint32_t *first,
                   uint16_t *evicted)
{
    iri_slot_t *slot;
    uint32_t    most = UINT32_MAX;

    *evicted = 0;

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

        if (iri_pages_evict(cache, *first, count)) {
            *evicted = 1;
            return 1;
        }
    }

    return 0;
}


/* ---- storing an index ---------------------------------------------------- */

/*
 * Return the greatest size of an index in octets. An index that does not fit
 * into the empty cache is not built, because it would be built again for each
 * request. An index of irregular entries, or one of at most IRI_MIN_INDEX_SIZE,
 * may be built for one request without being stored.
 */
static size_t
iri_cache_max_size(const iri_index_cache_t *cache,
                   const iri_index_conf_t  *conf)
{
    size_t room;

    if (cache == NULL || conf->fold == 0) {
        return IRI_MAX_BUFFER;
    }

    room = (size_t) cache->region->pages * IRI_PAGE;

    return room > IRI_MIN_INDEX_SIZE ? room : IRI_MIN_INDEX_SIZE;
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


/*
 * Return the number of pages of an index. An empty index needs none: the slot
 * says whether it is complete.
 */
static uint32_t
iri_index_pages(const iri_index_t *index)
{
    return index->head.records != 0 ? (
               uint32_t) ((iri_index_size(index) + IRI_PAGE - 1) / IRI_PAGE)
                                    : 0;
}


/*
 * Return the slot of the same directory that is to be replaced; NULL: there
 * is none.
 */
static iri_slot_t *
iri_slot_predecessor(iri_index_cache_t *cache, const iri_slot_t *slot,
                     const iri_node_t *node)
{
    iri_slot_key_t slot_key;

    slot_key.node = node;
    slot_key.fingerprint[0] = slot->fingerprint[0];
    slot_key.fingerprint[1] = slot->fingerprint[1];
    slot_key.set = cache->slots
                   + (size_t) (slot - cache->slots) / IRI_SLOTS_PER_SET
                         * IRI_SLOTS_PER_SET;

    return iri_slot_find(&slot_key, IRI_SLOT_READY);
}


/*
 * Return the time that was lost to thrashing. If the directories in use do
 * not fit into the cache, they evict each other. At most a tenth of the time,
 * for all of them, may be spent on that.
 */
static int64_t
iri_region_thrashing(const iri_region_t *region, int64_t now)
{
    int64_t passed = now - region->thrashing_at;

    if (passed < 0 || passed / (IRI_REBUILD_FACTOR + 1) > region->thrashing) {
        return 0;
    }

    return region->thrashing - passed / (IRI_REBUILD_FACTOR + 1);
}


static void
iri_region_add_thrashing(iri_region_t *region, int64_t took)
{
    int64_t now = iri_time_ns();

    region->thrashing = iri_region_thrashing(region, now)
                        + (took > 0 ? took : 0);
    region->thrashing_at = now;
}


/*
 * Allocate pages for the index of a slot; if necessary those of the index
 * that it replaces.
 */
static int
iri_slot_allocate(iri_index_cache_t *cache, iri_slot_t *slot,
                  const iri_node_t *node, uint32_t pages)
{
    iri_slot_t *before;
    uint32_t    first = 0;
    int         room;

    slot->evicted = 0;
    room = pages == 0
           || iri_pages_allocate(cache, pages, &first, &slot->evicted);

    if (!room) {
        before = iri_slot_predecessor(cache, slot, node);

        if (before != NULL && before->pages != 0) {
            iri_slot_evict(before);
            room = iri_pages_allocate(cache, pages, &first, &slot->evicted);
        }
    }

    if (room) {
        slot->page = first;
        slot->pages = pages;
    }

    return room;
}


/*
 * Return 1 if a rebuild is cheap, measured in processor time, so that other
 * processes do not count.
 */
static int
iri_slot_is_cheap(const iri_slot_t *slot)
{
    return slot->entries <= IRI_CHEAP_ENTRIES && slot->cost <= IRI_CHEAP_TIME;
}


/* Make the slot READY and free the one that it replaces. */
static void
iri_slot_ready(iri_index_cache_t *cache, iri_slot_t *slot,
               const iri_node_t *node, const iri_index_t *index,
               int64_t read_at, int room)
{
    iri_slot_t *before = iri_slot_predecessor(cache, slot, node);

    if (before != NULL) {
        iri_slot_free(before);
    }

    slot->node = *node;
    slot->read_at = read_at;
    slot->took = iri_time_ns() - read_at;

    /* The clock failed or was set. */
    if (slot->took < 0 || slot->took > IRI_FILL_TIMEOUT) {
        slot->took = 0;
    }

    slot->cost = index->head.cost;
    slot->complete = room && index->head.complete;
    slot->ways = index->head.ways;
    slot->no_room = !room;
    slot->entries = index->head.entries < UINT32_MAX
                        ? (uint32_t) index->head.entries
                        : UINT32_MAX;
    slot->used = ++cache->region->clock;

    if ((slot->no_room || slot->evicted) && !iri_slot_is_cheap(slot)) {
        iri_region_add_thrashing(cache->region, slot->took);
    }

    __atomic_store_n(&slot->state, IRI_SLOT_READY, __ATOMIC_RELEASE);
}


/*
 * Store an index in the slot that was taken for it. node is the directory
 * that was really read: a link or a directory above may have been replaced
 * since the slot was taken. The index is copied without the lock, because
 * nothing reads a slot that is FILLING.
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
    room = same && iri_slot_allocate(cache, slot, node, pages);
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
 * Return 1 if an index that was built from time at on (iri_time_ns()) is
 * valid as long as the times of the directory stay the same.
 */
static int
iri_node_is_quiet(const iri_node_t *node, int64_t at)
{
    /* ctime, because the owner of a directory may set mtime to any time. */
    return node->ctime < at - IRI_RACY_WINDOW;
}


/* Return 1 if the index is fresh: the directory has not changed since. */
static int
iri_slot_is_fresh(const iri_slot_t *slot, const iri_node_t *node, int64_t now)
{
    return iri_node_is_same(&slot->node, node) && !slot->no_room
           && (iri_node_is_quiet(node, slot->read_at)
               || (now >= slot->read_at
                   && now - slot->read_at < IRI_RACY_LIFETIME));
}


/* Return 1 if a stale index may be rebuilt now. */
static int
iri_slot_is_rebuild_due(const iri_slot_t *slot, int64_t now)
{
    return iri_slot_is_cheap(slot) || iri_slot_is_amortized(slot, now);
}


/* ---- lookup -------------------------------------------------------------- */

static iri_status_t
iri_index_search_spellings(const iri_env_t *env, const iri_index_conf_t *conf,
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

    /* A character is missing in the requested name. */
    if (status == IRI_OK && fit) {
        status = iri_index_find_spelling(env, index,
                                         iri_index_hash(conf, key), hits);
    }

    /* A character is added or wrong, or two are transposed. */
    for (i = 0; status == IRI_OK && fit && i < edit->count; i++) {
        without.len = 0;
        status = iri_edit_put_without(env, edit, key, i, &without, &left_out);

        if (status != IRI_OK || !left_out) {
            continue;
        }

        hash = iri_index_hash(conf, iri_buf_str(&without));
        status = iri_index_find(env, index, hash, hits);

        if (status == IRI_OK) {
            status = iri_index_find_spelling(env, index, hash, hits);
        }
    }

    iri_edit_free(edit);

    return status;
}


/*
 * Search an index by the key. Spellings are searched only if no key has the
 * same hash, so that nothing is nearer.
 */
static iri_status_t
iri_index_search(const iri_env_t *env, const iri_index_conf_t *conf,
                 const iri_index_t *index, iri_index_cache_search_t *search)
{
    iri_status_t status;

    search->complete = index->head.complete != 0;
    search->hits.count = 0;
    search->hits.more = 0;

    status = index->head.records != 0 ? iri_index_find(
                 env, index, iri_index_hash(conf, search->key), &search->hits)
                                      : IRI_OK;

    search->spelled = search->hits.count == 0 && search->may_spell
                      && index->head.spelled
                      && search->key.len
                             <= index->head.longest + IRI_MAX_CHARACTER;

    return status == IRI_OK && search->spelled ? iri_index_search_spellings(
               env, conf, index, search->key, &search->hits)
                                               : status;
}


/* ---- reading a directory ------------------------------------------------- */

/* Return 1 if large directories are read in another thread. */
static int
iri_cache_defers(const iri_index_cache_t *cache, const iri_index_conf_t *conf)
{
    return cache != NULL && cache->conf.later != NULL && conf->fold != 0;
}


/*
 * Return the greatest number of entries that are read while a request waits.
 */
static size_t
iri_cache_max_entries(const iri_index_cache_t *cache,
                      const iri_index_conf_t  *conf)
{
    if (conf->fold == 0) {
        return IRI_MAX_ENTRIES_READ;
    }

    return cache == NULL || iri_cache_defers(cache, conf)
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
        &job->env, &job->conf, job->directory, IRI_MAX_INDEXED,
        iri_cache_max_size(job->cache, &job->conf), &node, &index, &more);

    if (status != IRI_OK) {
        iri_index_job_drop(job);
        return;
    }

    iri_slot_fill(job->cache, job->slot, &node, &index, read_at);
    iri_index_free(&index);
    free(job);
}


/*
 * Have a directory read in another thread. The slot is taken first, so that
 * no other request does the same. Returns 0 if that is not possible.
 */
static int
iri_cache_defer(const iri_env_t *env, iri_index_cache_t *cache,
                const iri_index_conf_t         *conf,
                const iri_index_cache_search_t *search)
{
    iri_index_job_t *job;
    iri_slot_key_t   slot_key;
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
    job->env.fold_keys = env->fold_keys;
    job->conf = *conf;

    iri_slot_key_init(cache, conf, &search->node, &slot_key);

    iri_cache_lock(cache);
    filling = iri_slot_find(&slot_key, IRI_SLOT_FILLING) != NULL;
    job->slot = filling ? NULL : iri_slot_take(cache, &slot_key);

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


/* Store an index if there is a cache. It may be searched in any case. */
static void
iri_cache_store(iri_index_cache_t *cache, const iri_index_conf_t *conf,
                const iri_node_t *node, const iri_index_t *index,
                int64_t read_at)
{
    iri_slot_key_t slot_key;
    iri_slot_t    *slot;

    if (cache == NULL || node->kind != IRI_NODE_DIR) {
        return;
    }

    iri_slot_key_init(cache, conf, node, &slot_key);

    iri_cache_lock(cache);
    slot = iri_slot_take(cache, &slot_key);
    iri_cache_unlock(cache);

    if (slot != NULL) {
        iri_slot_fill(cache, slot, node, index, read_at);
    }
}


static iri_status_t
iri_cache_build(const iri_env_t *env, iri_index_cache_t *cache,
                const iri_index_conf_t   *conf,
                iri_index_cache_search_t *search)
{
    iri_index_t  index;
    iri_node_t   node;
    iri_status_t status;
    int64_t      read_at = iri_time_ns();
    int          later, more = 0;

    status = iri_index_build(
        env, conf, search->directory, iri_cache_max_entries(cache, conf),
        iri_cache_max_size(cache, conf), &node, &index, &more);
    if (status != IRI_OK) {
        search->listed = 1;
        return status;
    }

    search->listed = index.head.entries + 1;

    later = more && iri_cache_defers(cache, conf);

    if (later && !iri_cache_defer(env, cache, conf, search)) {
        /*
         * Store that the directory is large. The wrong mtime makes the index
         * stale, so that the next request tries again.
         */
        node.mtime = ~node.mtime;
        later = 0;
    }

    if (!later) {
        iri_cache_store(cache, conf, &node, &index, read_at);
    }

    status = iri_index_search(env, conf, &index, search);
    search->fresh = 1;
    iri_index_free(&index);

    return status;
}


/* ---- searching ----------------------------------------------------------- */

/* The result of a cache lookup. */
typedef struct {
    int      due;     /* 1: the index should be built now */
    int      large;   /* 1: the directory has many entries */
    int      small;   /* 1: building the index is known to be cheap */
    uint32_t no_room; /* to be logged: number of entries for whose index there
                          was no room; 0: nothing to log */
    int      complete; /* 1: only spellings had no room */
} iri_cache_result_t;


/* Log a lack of room, once a minute: only the administrator can change it. */
static void
iri_cache_log_no_room(const iri_env_t                *env,
                      const iri_index_cache_search_t *search,
                      const iri_cache_result_t       *result)
{
    iri_shown_t shown;

    if (result->no_room != 0) {
        iri_logf(env, IRI_LOG_ERROR,
                 "no room for %s of the %lu%s names in %s, %s: make"
                 " iri_cache (IRICache) larger" IRI_LOG_REASON "cache",
                 result->complete ? "spellings" : "an index",
                 (unsigned long) result->no_room,
                 result->complete ? "" : " or more",
                 iri_show_sent(&shown, search->directory),
                 result->complete ? "so spelling is not ignored"
                                  : "so only exact names are found");
    }
}


/* Return 1 if the index has no spellings because there was no room. */
static int
iri_lacks_spellings(const iri_index_conf_t *conf, const iri_index_t *index)
{
    return (conf->fold & IRI_FOLD_SPELLING) != 0 && index->head.records != 0
           && !index->head.spelled;
}


static iri_status_t
iri_cache_lookup(const iri_env_t *env, iri_index_cache_t *cache,
                 const iri_index_conf_t   *conf,
                 iri_index_cache_search_t *search, iri_cache_result_t *result)
{
    iri_slot_key_t slot_key;
    iri_index_t    index;
    iri_slot_t    *slot;
    iri_status_t   status = IRI_OK;
    int64_t        now = iri_time_ns();

    result->due = 1;
    result->large = 0;
    result->small = conf->fold == 0;
    result->no_room = 0;

    iri_slot_key_init(cache, conf, &search->node, &slot_key);

    iri_cache_lock(cache);
    slot = iri_slot_find(&slot_key, IRI_SLOT_READY);

    if (slot != NULL) {
        iri_slot_index(cache, slot, &index);
        status = iri_index_search(env, conf, &index, search);

        search->fresh = iri_slot_is_fresh(slot, &search->node, now);
        result->due = !search->fresh && iri_slot_is_rebuild_due(slot, now);
        result->large = slot->entries > IRI_MAX_ENTRIES_INLINE;
        result->small = iri_slot_is_cheap(slot);
        slot->used = ++cache->region->clock;

        if ((!index.head.complete || iri_lacks_spellings(conf, &index))
            && slot->entries > IRI_CHEAP_ENTRIES && conf->fold != 0
            && now - cache->logged_at > IRI_LOG_INTERVAL)
        {
            result->complete = index.head.complete;
            result->no_room = slot->entries;
            cache->logged_at = now;
        }
    }

    if (result->due
        && (iri_slot_is_deferred(&slot_key)
            || (!result->small
                && iri_region_thrashing(cache->region, now)
                       > IRI_MAX_THRASHING)))
    {
        result->due = 0;
    }

    iri_cache_unlock(cache);

    search->complete = search->complete && search->fresh;

    return status;
}


/* Return the queue in which requests wait for this directory. */
static unsigned
iri_cache_queue_of(const iri_node_t *node)
{
    return (unsigned) ((node->ino ^ node->dev) * UINT64_C(0x9e3779b97f4a7c15)
                       >> 32)
           % IRI_INDEX_QUEUES;
}


static void
iri_cache_queue_enter(iri_index_cache_t *cache, const iri_node_t *node)
{
    if (cache != NULL && cache->conf.queue != NULL) {
        cache->conf.queue(cache->conf.ctx, iri_cache_queue_of(node));
    }
}


static void
iri_cache_queue_leave(iri_index_cache_t *cache, const iri_node_t *node)
{
    if (cache != NULL && cache->conf.leave != NULL) {
        cache->conf.leave(cache->conf.ctx, iri_cache_queue_of(node));
    }
}


/*
 * Read a directory, unless another request has done so while this one waited
 * in the queue.
 */
static iri_status_t
iri_cache_build_once(const iri_env_t *env, iri_index_cache_t *cache,
                     const iri_index_conf_t   *conf,
                     iri_index_cache_search_t *search)
{
    iri_cache_result_t result = { 1, 0, 0, 0, 0 };
    iri_status_t       status = IRI_OK;

    iri_cache_queue_enter(cache, &search->node);

    if (cache != NULL && cache->conf.queue != NULL) {
        status = iri_cache_lookup(env, cache, conf, search, &result);
    }

    if (status == IRI_OK && result.due) {
        status = iri_cache_build(env, cache, conf, search);
    }

    iri_cache_queue_leave(cache, &search->node);

    return status;
}


/* Not counted as a hit or miss: the caller looks up the name in any case. */
uint32_t
iri_index_cache_ways(iri_index_cache_t *cache, const iri_tree_conf_t *tree,
                     const iri_node_t *node)
{
    iri_index_conf_t  conf;
    iri_slot_key_t    slot_key;
    const iri_slot_t *slot;
    uint32_t          ways = IRI_ALL_WAYS;

    if (cache == NULL || iri_index_fold(tree) != 0) {
        return IRI_ALL_WAYS;
    }

    iri_index_conf_init(tree, cache, &conf);
    iri_slot_key_init(cache, &conf, node, &slot_key);

    iri_cache_lock(cache);
    slot = iri_slot_find(&slot_key, IRI_SLOT_READY);

    if (slot != NULL && slot->complete && !slot->no_room
        && iri_node_is_same(&slot->node, node)
        && iri_node_is_quiet(node, slot->read_at))
    {
        ways = slot->ways;
    }

    iri_cache_unlock(cache);

    return ways;
}


static iri_status_t
iri_search_set_key(const iri_env_t *env, const iri_index_conf_t *conf,
                   iri_index_cache_search_t *search)
{
    iri_buf_t    key = IRI_BUF_EMPTY;
    iri_status_t status;

    if (conf->fold == 0) {
        search->key = search->name;
        return IRI_OK;
    }

    status = iri_fold(env, conf->fold, search->name, &key);
    search->key = iri_buf_str(&key);

    return status;
}


iri_status_t
iri_index_cache_find(const iri_env_t *env, iri_index_cache_t *cache,
                     iri_index_cache_search_t *search)
{
    iri_cache_result_t result = { 1, 0, 0, 0, 0 };
    iri_index_conf_t   conf;
    iri_status_t       status;

    search->hits.count = 0;
    search->hits.more = 0;
    search->spelled = 0;
    search->fresh = 0;
    search->complete = 0;
    search->listed = 0;

    iri_index_conf_init(search->tree, cache, &conf);
    search->fold = conf.fold;

    status = iri_search_set_key(env, &conf, search);

    if (status == IRI_OK && cache != NULL) {
        status = iri_cache_lookup(env, cache, &conf, search, &result);
    }

    iri_cache_log_no_room(env, search, &result);

    if (status != IRI_OK || !result.due || !search->may_list) {
        return status;
    }

    if (result.large && iri_cache_defers(cache, &conf)) {
        (void) iri_cache_defer(env, cache, &conf, search);
        return IRI_OK;
    }

    return iri_cache_build_once(env, cache, &conf, search);
}
