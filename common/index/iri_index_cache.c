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

#define IRI_RACY_WINDOW INT64_C(2000000000) /* ns after which mtime is safe */
#define IRI_RACY_LIFETIME                                                    \
    INT64_C(100000000) /* ns that a racy index is used */
#define IRI_REBUILD_FACTOR                                                   \
    9 /* times as long as it took, until it is read again */
#define IRI_LOG_INTERVAL                                                     \
    INT64_C(60000000000) /* ns between two such lines of log */
#define IRI_FILL_TIMEOUT INT64_C(3600000000000) /* ns in which any is read */
#define IRI_MAX_THRASHING                                                    \
    INT64_C(200000000) /* ns spent for nothing at a time */
#define IRI_CHEAP_ENTRIES                                                    \
    1000 /* entries that are read again at once, if that */
#define IRI_CHEAP_TIME INT64_C(5000000) /* costs no more, ns */

#define IRI_MAX_CHARACTER 64 /* octets of one that may be left out */
#define IRI_MIN_INDEX_SIZE                                                   \
    32768                      /* octets of an index, in a very small cache */
#define IRI_SLOTS_PER_SET 4    /* slots in which an index may be */
#define IRI_PAGE          1024 /* octets that indexes are counted in */
#define IRI_SLOT_SHARE    1024 /* octets of memory for each slot */
#define IRI_MAX_SLOTS     32768 /* all are looked through to find a place */

/* Of what stands below, of an index, and of the keys in it: one more each. */
#define IRI_LAYOUT UINT64_C(0x6972692d00000002)

enum { IRI_SLOT_FREE, IRI_SLOT_FILLING, IRI_SLOT_READY };

typedef struct {
    uint32_t   state;
    int32_t    pid;  /* who fills it */
    iri_node_t node; /* the directory's own */
    uint64_t   fingerprint[2];
    int64_t    read_at;
    int64_t    took; /* ns, to read it */
    int64_t    cost; /* ns of these at work */
    uint32_t   used; /* when, by the clock of the head */
    uint32_t   page; /* the first, and how many */
    uint32_t   pages;
    uint32_t   ways;     /* as those of the index, which may have no pages */
    uint16_t   complete; /* likewise */
    uint16_t   no_room;  /* it has none since there was no room for it */
    uint16_t   evicted;  /* it has those of another */
    uint32_t   entries;  /* likewise, as many as there is room for */
} iri_slot_t;

typedef struct {
    uint64_t layout;
    uint64_t size;
    uint64_t key[2]; /* of the hashes */
    uint32_t sets;
    uint32_t pages;
    uint32_t clock;
    uint32_t unused;
    int64_t  thrashing;    /* ns: what was read and had no room, or drove */
    int64_t  thrashing_at; /* another out; less by a tenth of what passes */
} iri_region_t;

struct iri_index_cache_s {
    iri_index_cache_conf_t conf;
    iri_region_t          *region;
    iri_slot_t            *slots;
    unsigned char         *pages;
    uint64_t *taken;     /* a bit for each page, while one is slot_key */
    int64_t   logged_at; /* that there is too little of it */
};

struct iri_index_job_s {
    iri_index_cache_t *cache;
    iri_env_t          env;
    iri_index_conf_t   conf;
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
    end = cache->slots + (size_t) cache->region->sets * IRI_SLOTS_PER_SET;

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
 * What of the settings shapes keys, and what can be guessed, as numbers that
 * mean the same in each process.
 */
static void
iri_tree_fingerprint(const iri_tree_conf_t *tree, uint64_t packed[2])
{
    packed[0] = iri_charsets_hash(&tree->charsets);
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
 * Has whoever was to fill it died?  Its number may be another's by now, so
 * that nobody is waited for forever either.
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


/* That of the directory in this state; NULL: there is none. */
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
 * Take a slot to be filled: the one that was used longest ago, but not the
 * one that this is to replace.  NULL: all are being filled.
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

    /* Free before anything else of it changes, for whoever dies here. */
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


/* Is it being read beside the requests, since it is a large one? */
static int
iri_slot_is_deferred(const iri_slot_key_t *slot_key)
{
    const iri_slot_t *slot = iri_slot_find(slot_key, IRI_SLOT_FILLING);

    return slot != NULL && slot->entries > IRI_MAX_ENTRIES_INLINE;
}


/* As long as nine times what it took? */
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
            && age >= oldest && iri_slot_is_amortized(slot, now))
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
    slot->no_room = 1;
    __atomic_store_n(&slot->pages, 0, __ATOMIC_RELEASE);
}


/*
 * Let go of all in these pages; 0: something there is being filled, or has
 * not yet served.
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
 * Pages for an index: free ones, or those of the index that was used longest
 * ago and what lies behind it.
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


/* ---- keeping an index ---------------------------------------------------- */

/*
 * Octets that an index may have.  One of odd names, or a small one, may serve
 * for one answer only; another that would have no place if it were alone
 * would be built for each.
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
 * Where there is too little room for what is asked for, one directory drives
 * the other out, however many there are.  A tenth of the time, for all of
 * them, is what may be spent on that.
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


/* Room for an index: if need be, that of the one which it replaces. */
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


/* Is it read in next to no time?  By the processor, whoever else is at it. */
static int
iri_slot_is_cheap(const iri_slot_t *slot)
{
    return slot->entries <= IRI_CHEAP_ENTRIES && slot->cost <= IRI_CHEAP_TIME;
}


/* The slot is as the index is; the one before it goes. */
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

    /* A clock that failed, or was set. */
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
 * Is what was found in a directory good as long as its times stay?  at: when
 * the looks at it began, by iri_time_ns().
 */
static int
iri_node_is_quiet(const iri_node_t *node, int64_t at)
{
    /* Not mtime, which the owner of a directory may set to any year. */
    return node->ctime < at - IRI_RACY_WINDOW;
}


/* Is it good now? */
static int
iri_slot_is_fresh(const iri_slot_t *slot, const iri_node_t *node, int64_t now)
{
    return iri_node_is_same(&slot->node, node) && !slot->no_room
           && (iri_node_is_quiet(node, slot->read_at)
               || (now >= slot->read_at
                   && now - slot->read_at < IRI_RACY_LIFETIME));
}


/* Is it time to read it again? */
static int
iri_slot_is_rebuild_due(const iri_slot_t *slot, int64_t now)
{
    return iri_slot_is_cheap(slot) || iri_slot_is_amortized(slot, now);
}


/* ---- looking up ---------------------------------------------------------- */

static iri_status_t
iri_spell_find(const iri_env_t *env, const iri_index_conf_t *conf,
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
                                         iri_index_hash(conf, key), hits);
    }

    /* One is too many; one is wrong, or two have changed places. */
    for (i = 0; status == IRI_OK && fit && i < edit->count; i++) {
        without.len = 0;
        status = iri_edit_without(env, edit, key, i, &without, &left_out);

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
 * Spelling is asked for only where nothing is nearer: an entry whose key has
 * another hash has another key.
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

    return status == IRI_OK && search->spelled
               ? iri_spell_find(env, conf, index, search->key, &search->hits)
               : status;
}


/* ---- reading a directory ------------------------------------------------- */

/* Are large directories read elsewhere? */
static int
iri_cache_defers(const iri_index_cache_t *cache, const iri_index_conf_t *conf)
{
    return cache != NULL && cache->conf.later != NULL && conf->fold != 0;
}


/* Entries that are read while a request waits. */
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


/* Keep it, where there is a cache; what is asked is answered in any case. */
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
        iri_index_cache_count(cache, IRI_CACHE_EVENT_BUILD);
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
        /* That it is large is kept, of no known time: to be tried again. */
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


/* ---- finding ------------------------------------------------------------- */

/* What a look into the cache has given. */
typedef struct {
    int      due;      /* the directory is to be read, and nobody is at it */
    int      large;    /* and that takes long */
    int      small;    /* it is known to be read in next to no time */
    uint32_t no_room;  /* entries that there was no room for, to be told */
    int      complete; /* but for their spellings */
} iri_cache_result_t;


/* Once a minute; the administrator alone can help. */
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
                 result->complete ? "of which none is guessed"
                                  : "which have exact names only");
    }
}


/* Was there room for the rest only? */
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


/* Whoever waits for the same directory stands in the same line. */
static unsigned
iri_cache_queue_of(const iri_node_t *node)
{
    return (unsigned) ((node->ino ^ node->dev) * UINT64_C(0x9e3779b97f4a7c15)
                       >> 32)
           % IRI_INDEX_QUEUES;
}


static void
iri_cache_queue(iri_index_cache_t *cache, const iri_node_t *node)
{
    if (cache != NULL && cache->conf.queue != NULL) {
        cache->conf.queue(cache->conf.ctx, iri_cache_queue_of(node));
    }
}


static void
iri_cache_leave(iri_index_cache_t *cache, const iri_node_t *node)
{
    if (cache != NULL && cache->conf.leave != NULL) {
        cache->conf.leave(cache->conf.ctx, iri_cache_queue_of(node));
    }
}


/* Read it, unless somebody has while this waited for its turn. */
static iri_status_t
iri_cache_build_once(const iri_env_t *env, iri_index_cache_t *cache,
                     const iri_index_conf_t   *conf,
                     iri_index_cache_search_t *search)
{
    iri_cache_result_t result = { 1, 0, 0, 0, 0 };
    iri_status_t       status = IRI_OK;

    iri_cache_queue(cache, &search->node);

    if (cache != NULL && cache->conf.queue != NULL) {
        status = iri_cache_lookup(env, cache, conf, search, &result);
    }

    if (status == IRI_OK && result.due) {
        status = iri_cache_build(env, cache, conf, search);
    }

    iri_cache_leave(cache, &search->node);

    return status;
}


/* Not counted: who asks looks for the name in any case. */
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
iri_cache_key(const iri_env_t *env, const iri_index_conf_t *conf,
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

    status = iri_cache_key(env, &conf, search);

    if (status == IRI_OK && cache != NULL) {
        status = iri_cache_lookup(env, cache, &conf, search, &result);
        iri_index_cache_count(cache, search->fresh
                                         ? IRI_CACHE_EVENT_INDEX_HIT
                                         : IRI_CACHE_EVENT_INDEX_MISS);
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
