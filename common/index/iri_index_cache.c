/*
 * iri_index_cache.c - the cache of directory indexes
 *
 * The server stores a record for each directory, and the blocks of the indexes
 * (iri_index_cache_s in iri.h). This file decides when an index is stored, and
 * for how long. A block is attached to its record when it is complete. A large
 * block is written in pieces, each under the lock, and only as long as the
 * record contains the number of this build. So another process or thread may
 * replace a build at any time, for example one whose process was killed:
 * nothing is written to a block that has been freed.
 *
 * A cached index is a hint. An index that was built when the directory had
 * not changed for two seconds is fresh as long as the timestamps of the
 * directory stay the same. An index that was built sooner after a change, which
 * the resolution of timestamps may hide, is fresh for IRI_RACY_LIFETIME only.
 * Rebuilding the index of a large directory may take at most a tenth of the
 * time. Until the next rebuild is due, the stale index is used: an entry in it
 * is looked up on disk, and an entry that is not in it may exist.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "unicode/iri_unicode.h"
#include "index/iri_index.h"

/* Times are in nanoseconds. */

/* A change so long after another one changes the timestamps again. */
#define IRI_RACY_WINDOW INT64_C(2000000000)
/* Time for which an index that was built sooner after a change is fresh. */
#define IRI_RACY_LIFETIME INT64_C(100000000)
/* Least time between two messages about a lack of room. */
#define IRI_LOG_INTERVAL INT64_C(60000000000)
/* Above this value of iri_index_state_t.thrashing only cheap indexes are
   built. */
#define IRI_MAX_THRASHING INT64_C(2000000000)

/* After these times a build in another thread counts as abandoned. */
#define IRI_MIN_BUILD_TIME INT64_C(5000000000)
#define IRI_MAX_BUILD_TIME INT64_C(3600000000000)
#define IRI_MAX_ABANDONED  10 /* builds, each of which doubles the time */

/* A rebuild within both of these limits is cheap, and never delayed. */
#define IRI_CHEAP_TIME    INT64_C(5000000) /* of the processor */
#define IRI_CHEAP_ENTRIES 1000

/* An index is kept for this many times the duration of its build. */
#define IRI_KEEP_FACTOR 10

#define IRI_MAX_CHARACTER  64          /* octets of a character in a key */
#define IRI_MIN_INDEX_SIZE 32768       /* octets allowed for each index */
#define IRI_COPY_PIECE     (64 * 1024) /* octets written under one lock */

/* An index that has just been built, and the stat of its directory. */
typedef struct {
    iri_index_t index;
    iri_node_t  node;
    int64_t     read_at; /* time when the build began */
} iri_built_index_t;

struct iri_index_job_s {
    iri_index_cache_t *cache;
    iri_env_t          env;
    iri_index_conf_t   conf;
    iri_index_key_t    key;
    uint64_t           build;     /* as in the record */
    int64_t            posted_at; /* time */
    iri_str_t          directory;
};


/* ---- keys ---------------------------------------------------------------- */

/* Returns: ns since the epoch; 0 if the clock fails. */
static int64_t
iri_time_ns(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return 0;
    }

    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}


unsigned
iri_index_fold(const iri_tree_conf_t *tree)
{
    return (tree->match & IRI_FOLD_INDEXED) ? tree->match & IRI_FOLD_KEYS : 0;
}


static void
iri_index_conf_init(const iri_tree_conf_t   *tree,
                    const iri_index_cache_t *cache, iri_index_conf_t *conf)
{
    memset(conf, 0, sizeof(*conf));
    conf->tree = *tree;
    conf->fold = iri_index_fold(tree);

    if (cache != NULL) {
        memcpy(conf->key, cache->key, sizeof(conf->key));
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
 * The settings in a key are those that determine the folding keys of entries,
 * and which entries are irregular.
 */
static void
iri_index_key_init(const iri_tree_conf_t *tree, const iri_node_t *node,
                   iri_index_key_t *key)
{
    key->dev = node->dev;
    key->ino = node->ino;
    key->settings[0] = iri_charsets_hash(&tree->charsets);
    key->settings[1] = (uint64_t) iri_index_fold(tree) << 16
                       | (uint64_t) tree->names << 8
                       | (tree->match & IRI_FOLD_NORMALIZATION);
}


/* ---- records ------------------------------------------------------------- */

/*
 * Return 1 if an index whose build began at this time (iri_time_ns()) is valid
 * as long as the timestamps of the directory stay the same.
 */
static int
iri_node_is_quiet(const iri_node_t *node, int64_t at)
{
    /* ctime, because the owner of a directory may set mtime to any time. */
    return node->ctime < at - IRI_RACY_WINDOW;
}


/* Return 1 if the directory was read when it had the same timestamps. */
static int
iri_record_is_current(const iri_index_record_t *record,
                      const iri_node_t         *node)
{
    return record->known && !record->no_room && record->mtime == node->mtime
           && record->ctime == node->ctime;
}


/* Return 1 if the index is fresh: its directory has not changed since. */
static int
iri_record_is_fresh(const iri_index_record_t *record, const iri_node_t *node,
                    int64_t now)
{
    return iri_record_is_current(record, node)
           && (iri_node_is_quiet(node, record->read_at)
               || (now >= record->read_at
                   && now - record->read_at < IRI_RACY_LIFETIME));
}


/* Return 1 if the index has been used long enough to be built again. */
static int
iri_record_is_amortized(const iri_index_record_t *record, int64_t now)
{
    return now < record->read_at || now >= record->keep_until;
}


/* Return 1 if a build has begun and does not count as abandoned. */
static int
iri_record_is_building(const iri_index_record_t *record, int64_t now)
{
    return record->build != 0 && now < record->build_until
           && record->build_until - now <= IRI_MAX_BUILD_TIME;
}


/*
 * Abandon the build of a record. The builder notices that record->build no
 * longer is the number of its build.
 */
static void
iri_cache_abandon_build(iri_index_cache_t *cache, iri_index_record_t *record)
{
    if (record->build_block != NULL) {
        cache->free(cache, record->build_block);
    }

    record->build_block = NULL;
    record->build_size = 0;
    record->build = 0;
    record->deferred = 0;
}


/*
 * Begin a build. Its time limit is ten times the duration of the last build,
 * doubled for each build that was abandoned since then.
 */
static void
iri_cache_begin_build(iri_index_cache_t *cache, iri_index_state_t *state,
                      iri_index_record_t *record, int deferred)
{
    int64_t limit = record->keep_until - record->read_at;

    iri_cache_abandon_build(cache, record);

    limit = limit > IRI_MIN_BUILD_TIME ? limit : IRI_MIN_BUILD_TIME;
    limit = limit < IRI_MAX_BUILD_TIME >> record->abandoned
                ? limit << record->abandoned
                : IRI_MAX_BUILD_TIME;

    record->build = ++state->builds;
    record->build_until = iri_time_ns() + limit;
    record->deferred = deferred != 0;
}


/*
 * Free the index. The record is kept, because it contains the duration of the
 * build.
 */
static void
iri_cache_free_index(iri_index_cache_t *cache, iri_index_record_t *record)
{
    if (record->block != NULL) {
        cache->free(cache, record->block);
    }

    record->block = NULL;
    record->size = 0;
    record->complete = 0;
    record->no_room = 1;
}


/*
 * Return the record of a directory. If it has none and there is no room for a
 * new one, reuse the least recently used record that is not being built; NULL:
 * there is none. If the reused record belonged to a directory that had been
 * read, the next build for the record counts as thrashing, as if it evicted a
 * block.
 */
static iri_index_record_t *
iri_cache_get_record(iri_index_cache_t *cache, const iri_index_key_t *key)
{
    iri_index_record_t *record = cache->find(cache, key);
    int64_t             now = iri_time_ns();
    unsigned            known;

    if (record == NULL) {
        record = cache->insert(cache, key);
    }

    if (record != NULL) {
        return record;
    }

    do {
        record = cache->next(cache, record);
    } while (record != NULL && iri_record_is_building(record, now));

    if (record != NULL) {
        iri_cache_abandon_build(cache, record);
        iri_cache_free_index(cache, record);
        known = record->known;
        cache->reuse(cache, record, key);
        record->evicts = known;
    }

    return record;
}


/* ---- room ---------------------------------------------------------------- */

#define IRI_MAX_INDEX_SIZE (1024 * 1024) /* octets, if it is not cached */

/*
 * Return the greatest size of an index in octets. An index that does not fit
 * into the empty cache is not built, because it would be built again for each
 * request. An index of irregular entries, or one of at most IRI_MIN_INDEX_SIZE,
 * is built even if it can serve only one request.
 */
static size_t
iri_cache_max_size(const iri_index_cache_t *cache,
                   const iri_index_conf_t  *conf)
{
    if (cache == NULL || conf->fold == 0) {
        return IRI_MAX_INDEX_SIZE;
    }

    return cache->max_size > IRI_MIN_INDEX_SIZE ? cache->max_size
                                                : IRI_MIN_INDEX_SIZE;
}


/*
 * Free the blocks of a record that may be evicted: that of an abandoned build,
 * and an index that has been used for long enough. If any index could be
 * evicted, two directories whose indexes do not fit into the cache together
 * would be read again for each request.
 * Returns: octets that were freed.
 */
static size_t
iri_cache_evict(iri_index_cache_t *cache, iri_index_record_t *record,
                int64_t now)
{
    size_t size = 0;

    if (record->build_block != NULL && !iri_record_is_building(record, now)) {
        size = record->build_size;
        iri_cache_abandon_build(cache, record);
    }

    if (record->block != NULL && iri_record_is_amortized(record, now)) {
        size += record->size;
        iri_cache_free_index(cache, record);
    }

    return size;
}


/*
 * Allocate a block; if there is no room, evict least recently used indexes
 * first. An attempt takes time, so it is repeated only after an eighth of the
 * size was freed.
 */
static void *
iri_cache_alloc(iri_index_cache_t *cache, size_t size, int *evicted)
{
    void               *block = cache->alloc(cache, size);
    iri_index_record_t *record = NULL;
    int64_t             now = iri_time_ns();
    size_t              freed = 0;

    while (block == NULL && (record = cache->next(cache, record)) != NULL) {
        freed += iri_cache_evict(cache, record, now);

        if (freed > size / 8) {
            *evicted = 1;
            freed = 0;
            block = cache->alloc(cache, size);
        }
    }

    if (block == NULL && freed != 0) {
        *evicted = 1;
        block = cache->alloc(cache, size);
    }

    return block;
}


/*
 * Allocate the block of a build. If there is no room, free the index that it
 * will replace first.
 * Returns: 0 if there is no room.
 */
static int
iri_cache_alloc_build(iri_index_cache_t *cache, iri_index_record_t *record,
                      size_t size, int *evicted)
{
    *evicted = 0;

    if (size == 0) {
        return 1;
    }

    if (size > cache->max_size) {
        return 0;
    }

    record->build_block = iri_cache_alloc(cache, size, evicted);

    if (record->build_block == NULL && record->block != NULL) {
        iri_cache_free_index(cache, record);
        record->build_block = iri_cache_alloc(cache, size, evicted);
    }

    record->build_size = size;

    return record->build_block != NULL;
}


/*
 * If the indexes of the directories in use do not fit into the cache together,
 * they evict each other. At most a tenth of the time may be spent on such
 * builds. So each of them advances state->thrashing, a point in time, by ten
 * times its duration. Return 1 if this point is too far in the future. If it is
 * so far that the clock must have been set, return 0.
 */
static int
iri_state_is_thrashing(const iri_index_state_t *state, int64_t now)
{
    int64_t ahead = state->thrashing - now;

    return ahead > IRI_MAX_THRASHING
           && ahead <= IRI_KEEP_FACTOR * IRI_MAX_BUILD_TIME;
}


/* Count a build that had no room or evicted another index. took: ns. */
static void
iri_state_add_thrashing(iri_index_state_t *state, int64_t now, int64_t took)
{
    int64_t ahead = state->thrashing - now;

    if (ahead < 0 || ahead > IRI_KEEP_FACTOR * IRI_MAX_BUILD_TIME) {
        state->thrashing = now;
    }

    state->thrashing += took * IRI_KEEP_FACTOR;
}


/* ---- storing an index ---------------------------------------------------- */

/*
 * Finish a build: attach its block, which is complete, to the record.
 * room: 0: there was no room for a block.  evicted: 1: an index was evicted.
 */
static void
iri_cache_finish_build(iri_index_cache_t *cache, iri_index_state_t *state,
                       iri_index_record_t      *record,
                       const iri_built_index_t *build, int room, int evicted)
{
    const iri_index_t *index = &build->index;
    int64_t            now = iri_time_ns(), took = now - build->read_at;

    /* If the clock failed or was set, the duration is unknown. */
    if (took < 0 || took > IRI_MAX_BUILD_TIME / IRI_KEEP_FACTOR) {
        took = 0;
    }

    iri_cache_free_index(cache, record);
    record->block = record->build_block;
    record->size = record->build_size;
    record->build_block = NULL;
    iri_cache_abandon_build(cache, record);
    record->abandoned = 0;

    record->mtime = build->node.mtime;
    record->ctime = build->node.ctime;
    record->read_at = build->read_at;
    record->keep_until = build->read_at + took * IRI_KEEP_FACTOR;
    record->known = 1;
    record->complete = room && index->head.complete;
    record->no_room = !room;
    record->ways = index->head.ways;
    record->entries = index->head.entries < UINT32_MAX
                          ? (uint32_t) index->head.entries
                          : UINT32_MAX;

    /* The cost is processor time, so that other processes do not count. */
    record->cheap = record->entries <= IRI_CHEAP_ENTRIES
                    && index->head.cost <= IRI_CHEAP_TIME;

    if ((!room || evicted || record->evicts) && !record->cheap) {
        iri_state_add_thrashing(state, now, took);
    }

    record->evicts = 0;
}


/*
 * Store an index if there is a cache. The key is that of the directory that was
 * read, because a link or a directory above it may have been replaced after the
 * stat.
 */
static void
iri_cache_store(iri_index_cache_t *cache, const iri_index_conf_t *conf,
                const iri_built_index_t *build)
{
    iri_index_key_t     key;
    iri_index_state_t  *state;
    iri_index_record_t *record;
    uint64_t            number = 0;
    size_t              at = 0, size;
    int                 room = 0, evicted = 0;

    if (cache == NULL || build->node.kind != IRI_NODE_DIR) {
        return;
    }

    iri_index_key_init(&conf->tree, &build->node, &key);

    /* An empty index needs no block: record->complete says enough. */
    size = build->index.head.records != 0 ? iri_index_size(&build->index) : 0;

    state = cache->lock(cache);
    record = iri_cache_get_record(cache, &key);

    if (record != NULL) {
        iri_cache_begin_build(cache, state, record, record->deferred);
        number = record->build;
        room = iri_cache_alloc_build(cache, record, size, &evicted);
    }

    while (record != NULL && room && at < size) {
        iri_index_copy(&build->index, record->build_block, at,
                       IRI_COPY_PIECE);
        at += IRI_COPY_PIECE;

        if (at < size) {
            cache->unlock(cache);
            state = cache->lock(cache);
            record = cache->find(cache, &key);
            record = record != NULL && record->build == number ? record
                                                               : NULL;
        }
    }

    if (record != NULL) {
        iri_cache_finish_build(cache, state, record, build, room, evicted);
    }

    cache->unlock(cache);
}


/* ---- lookup -------------------------------------------------------------- */

/*
 * Set search->edits, the hashes by which spellings are searched: that of the
 * key and those of the key without each of its characters.
 */
static iri_status_t
iri_search_set_edits(const iri_env_t *env, const iri_index_conf_t *conf,
                     iri_index_cache_search_t *search)
{
    iri_graphemes_t *graphemes;
    iri_buf_t        without = IRI_BUF_EMPTY;
    iri_status_t     status;
    size_t           i;
    int              applies, left_out;

    graphemes = env->alloc(env->ctx, sizeof(*graphemes));
    if (graphemes == NULL) {
        return IRI_NO_MEMORY;
    }

    iri_graphemes_init(graphemes);
    status = iri_graphemes_split(graphemes, search->key, &applies);

    if (status == IRI_OK) {
        search->edits = env->alloc(env->ctx, (graphemes->count + 1)
                                                 * sizeof(*search->edits));
        status = search->edits != NULL ? IRI_OK : IRI_NO_MEMORY;
    }

    if (status == IRI_OK && applies) {
        search->edits[search->edit_count++] = iri_index_hash(conf,
                                                             search->key);
    }

    for (i = 0; status == IRI_OK && applies && i < graphemes->count; i++) {
        without.len = 0;
        status = iri_graphemes_put_without(env, graphemes, search->key, i,
                                           &without, &left_out);

        if (status == IRI_OK && left_out) {
            search->edits[search->edit_count++] = iri_index_hash(
                conf, iri_buf_str(&without));
        }
    }

    iri_graphemes_free(graphemes);

    return status;
}


/*
 * Search an index by the key. Spellings are searched only if no key has the
 * same hash, so that no entry is nearer, and if search->edits is set.
 */
static iri_status_t
iri_index_search(const iri_env_t *env, const iri_index_conf_t *conf,
                 const iri_index_t *index, iri_index_cache_search_t *search)
{
    iri_status_t status = IRI_OK;
    size_t       i;

    search->complete = index->head.complete != 0;
    search->hits.count = 0;
    search->hits.more = 0;

    if (index->head.records != 0) {
        status = iri_index_find(env, index, iri_index_hash(conf, search->key),
                                &search->hits);
    }

    search->by_spelling = search->hits.count == 0 && search->may_spell
                          && index->head.has_spellings
                          && search->key.len
                                 <= index->head.longest + IRI_MAX_CHARACTER;

    for (i = 0;
         status == IRI_OK && search->by_spelling && i < search->edit_count;
         i++)
    {
        /* A character has been added. */
        if (i != 0) {
            status = iri_index_find(env, index, search->edits[i],
                                    &search->hits);
        }

        /* A character is missing, wrong, or exchanged with its neighbour. */
        if (status == IRI_OK) {
            status = iri_index_find_spelling(env, index, search->edits[i],
                                             &search->hits);
        }
    }

    return status;
}


/* ---- reading a directory ------------------------------------------------- */

/* Return 1 if a large directory is read in another thread. */
static int
iri_cache_defers(const iri_index_cache_t *cache, const iri_index_conf_t *conf)
{
    return cache != NULL && cache->later != NULL && conf->fold != 0;
}


/*
 * Return the greatest number of entries that are read while a request waits.
 */
static size_t
iri_cache_max_entries_inline(const iri_index_cache_t *cache,
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
    iri_index_cache_t  *cache = job->cache;
    iri_index_record_t *record;

    (void) cache->lock(cache);
    record = cache->find(cache, &job->key);

    if (record != NULL && record->build == job->build) {
        iri_cache_abandon_build(cache, record);
    }

    cache->unlock(cache);
    free(job);
}


/*
 * Return 1 if another build has read the directory after this job was posted,
 * because this one counted as abandoned.
 */
static int
iri_job_is_done(const iri_index_job_t *job)
{
    iri_index_cache_t        *cache = job->cache;
    const iri_index_record_t *record;
    int                       done;

    (void) cache->lock(cache);
    record = cache->find(cache, &job->key);
    done = record != NULL && record->known && !record->no_room
           && record->read_at > job->posted_at;
    cache->unlock(cache);

    return done;
}


void
iri_index_job_run(iri_index_job_t *job)
{
    iri_built_index_t build;
    iri_status_t      status;
    int               more;

    build.read_at = iri_time_ns();

    if (!iri_job_is_done(job)) {
        status = iri_index_build(&job->env, &job->conf, job->directory,
                                 IRI_MAX_INDEXED,
                                 iri_cache_max_size(job->cache, &job->conf),
                                 &build.node, &build.index, &more);

        if (status == IRI_OK) {
            iri_cache_store(job->cache, &job->conf, &build);
            iri_index_free(&build.index);
        }
    }

    iri_index_job_drop(job);
}


/*
 * Begin the build of a job.
 * Returns: 0 if another build is under way.
 */
static int
iri_job_begin(iri_index_job_t *job)
{
    iri_index_cache_t  *cache = job->cache;
    iri_index_state_t  *state = cache->lock(cache);
    iri_index_record_t *record = iri_cache_get_record(cache, &job->key);
    int                 building;

    building = record != NULL
               && iri_record_is_building(record, job->posted_at);

    if (record != NULL && !building) {
        if (record->build != 0 && record->abandoned < IRI_MAX_ABANDONED) {
            record->abandoned++;
        }

        iri_cache_begin_build(cache, state, record, 1);
        job->build = record->build;
    }

    cache->unlock(cache);

    return !building;
}


/*
 * Have a directory read in another thread. The build is marked in the record
 * first, so that no other request does the same. Returns 0 if no other thread
 * can read it.
 */
static int
iri_cache_defer(const iri_env_t *env, iri_index_cache_t *cache,
                const iri_index_conf_t         *conf,
                const iri_index_cache_search_t *search)
{
    iri_index_job_t *job;
    unsigned char   *directory;

    job = malloc(sizeof(*job) + search->directory.len + 1);
    if (job == NULL) {
        return 0;
    }

    memset(job, 0, sizeof(*job));
    directory = (unsigned char *) (job + 1);
    memcpy(directory, search->directory.data, search->directory.len + 1);
    job->directory.data = directory;
    job->directory.len = search->directory.len;
    job->cache = cache;
    job->env.dir = env->dir;
    job->env.fold_keys = env->fold_keys;
    job->conf = *conf;
    job->posted_at = iri_time_ns();
    iri_index_key_init(&conf->tree, &search->node, &job->key);

    if (!iri_job_begin(job)) {
        free(job);
        return 1;
    }

    if (job->build == 0 || !cache->later(cache, job)) {
        iri_index_job_drop(job);
        return 0;
    }

    return 1;
}


/* Build the index of a directory, search it, and store it. */
static iri_status_t
iri_cache_build(const iri_env_t *env, iri_index_cache_t *cache,
                const iri_index_conf_t   *conf,
                iri_index_cache_search_t *search)
{
    iri_built_index_t build;
    iri_status_t      status;
    int               later, more = 0;

    build.read_at = iri_time_ns();

    status = iri_index_build(env, conf, search->directory,
                             iri_cache_max_entries_inline(cache, conf),
                             iri_cache_max_size(cache, conf), &build.node,
                             &build.index, &more);
    if (status != IRI_OK) {
        search->listed = 1;
        return status;
    }

    search->listed = build.index.head.entries + 1;

    later = more && iri_cache_defers(cache, conf);

    if (later && !iri_cache_defer(env, cache, conf, search)) {
        /*
         * Store that the directory is large. The inverted mtime makes the index
         * stale, so that the next request tries to defer the build again.
         */
        build.node.mtime = ~build.node.mtime;
        later = 0;
    }

    if (!later) {
        iri_cache_store(cache, conf, &build);
    }

    status = search->may_spell && search->edits == NULL
                 ? iri_search_set_edits(env, conf, search)
                 : IRI_OK;

    if (status == IRI_OK) {
        status = iri_index_search(env, conf, &build.index, search);
    }

    search->fresh = 1;
    iri_index_free(&build.index);

    return status;
}


/* ---- searching ----------------------------------------------------------- */

/* The result of a cache lookup. */
typedef struct {
    int      due;     /* 1: the index should be built now */
    int      large;   /* 1: the directory has many entries */
    int      cheap;   /* 1: building the index is known to be cheap */
    uint32_t no_room; /* number of entries of a directory for whose index
                          there was no room, to be logged; 0: nothing to log */
    int      only_spellings; /* 1: only its spellings had no room */
} iri_cache_result_t;


/* Log a lack of room, which only the administrator can correct. */
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
                 result->only_spellings ? "spellings" : "an index",
                 (unsigned long) result->no_room,
                 result->only_spellings ? "" : " or more",
                 iri_show_sent(&shown, search->directory),
                 result->only_spellings ? "so spelling is not ignored"
                                        : "so only exact names are found");
    }
}


/* Return 1 if the index has no spellings because there was no room. */
static int
iri_index_lacks_spellings(const iri_index_conf_t *conf,
                          const iri_index_t      *index)
{
    return (conf->fold & IRI_FOLD_SPELLING) != 0 && index->head.records != 0
           && !index->head.has_spellings;
}


/*
 * Search the index of a record. If the record has no index, there are no hits,
 * and record->complete is 1 if the index would be empty.
 */
static iri_status_t
iri_record_search(const iri_env_t *env, const iri_index_conf_t *conf,
                  const iri_index_record_t *record,
                  iri_index_cache_search_t *search,
                  iri_cache_result_t       *result)
{
    iri_index_t  index;
    iri_status_t status;
    int64_t      now = iri_time_ns();

    if (record->block != NULL) {
        iri_index_open(record->block, &index);

    } else {
        memset(&index, 0, sizeof(index));
        index.head.complete = record->complete;
    }

    status = iri_index_search(env, conf, &index, search);

    search->fresh = iri_record_is_fresh(record, &search->node, now);
    result->due = !search->fresh
                  && (record->cheap || iri_record_is_amortized(record, now));
    result->large = record->entries > IRI_MAX_ENTRIES_INLINE;
    result->cheap = record->cheap;

    if ((!index.head.complete || iri_index_lacks_spellings(conf, &index))
        && record->entries > IRI_CHEAP_ENTRIES && conf->fold != 0)
    {
        result->only_spellings = index.head.complete;
        result->no_room = record->entries;
    }

    return status;
}


/* Search the cached index of a directory, if there is one, under the lock. */
static iri_status_t
iri_cache_search(const iri_env_t *env, iri_index_cache_t *cache,
                 const iri_index_conf_t   *conf,
                 iri_index_cache_search_t *search, iri_cache_result_t *result)
{
    iri_index_key_t           key;
    iri_index_state_t        *state;
    const iri_index_record_t *record;
    iri_status_t              status = IRI_OK;
    int64_t                   now = iri_time_ns();

    memset(result, 0, sizeof(*result));
    result->due = 1;
    result->cheap = conf->fold == 0;

    iri_index_key_init(&conf->tree, &search->node, &key);

    state = cache->lock(cache);
    record = cache->find(cache, &key);

    if (record != NULL && record->known) {
        status = iri_record_search(env, conf, record, search, result);
    }

    if ((record != NULL && record->deferred
         && iri_record_is_building(record, now))
        || (!result->cheap && iri_state_is_thrashing(state, now)))
    {
        result->due = 0;
    }

    if (result->no_room != 0) {
        if (now - state->logged_at > IRI_LOG_INTERVAL) {
            state->logged_at = now;
        } else {
            result->no_room = 0;
        }
    }

    cache->unlock(cache);

    search->complete = search->complete && search->fresh;

    return status;
}


/*
 * iri_cache_search(), with spellings: their hashes are computed only if they
 * are needed, and not under the lock.
 */
static iri_status_t
iri_cache_lookup(const iri_env_t *env, iri_index_cache_t *cache,
                 const iri_index_conf_t   *conf,
                 iri_index_cache_search_t *search, iri_cache_result_t *result)
{
    iri_status_t status;

    status = iri_cache_search(env, cache, conf, search, result);

    if (status == IRI_OK && search->by_spelling && search->edits == NULL) {
        status = iri_search_set_edits(env, conf, search);

        if (status == IRI_OK) {
            status = iri_cache_search(env, cache, conf, search, result);
        }
    }

    return status;
}


/*
 * Build the index of a directory, unless another request has built it while
 * this one waited in the queue.
 */
static iri_status_t
iri_cache_build_once(const iri_env_t *env, iri_index_cache_t *cache,
                     const iri_index_conf_t   *conf,
                     iri_index_cache_search_t *search)
{
    iri_cache_result_t result = { 1, 0, 0, 0, 0 };
    iri_status_t       status = IRI_OK;
    int                queued = cache != NULL && cache->queue != NULL;
    unsigned which = (unsigned) ((search->node.ino ^ search->node.dev)
                                 % IRI_INDEX_QUEUES);

    if (queued) {
        cache->queue(cache, which);
        status = iri_cache_lookup(env, cache, conf, search, &result);
    }

    if (status == IRI_OK && result.due) {
        status = iri_cache_build(env, cache, conf, search);
    }

    if (queued) {
        cache->leave(cache, which);
    }

    return status;
}


uint32_t
iri_index_cache_ways(iri_index_cache_t *cache, const iri_tree_conf_t *tree,
                     const iri_node_t *node)
{
    iri_index_key_t           key;
    const iri_index_record_t *record;
    uint32_t                  ways = IRI_ALL_WAYS;

    if (cache == NULL || iri_index_fold(tree) != 0) {
        return IRI_ALL_WAYS;
    }

    iri_index_key_init(tree, node, &key);

    (void) cache->lock(cache);
    record = cache->find(cache, &key);

    if (record != NULL && record->complete
        && iri_record_is_current(record, node)
        && iri_node_is_quiet(node, record->read_at))
    {
        ways = record->ways;
    }

    cache->unlock(cache);

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

    search->complete = 0;

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


void
iri_index_cache_key(uint64_t key[2])
{
    size_t size = 2 * sizeof(key[0]);

    if (getrandom(key, size, 0) != (ssize_t) size) {
        key[0] = (uint64_t) time(NULL);
        key[1] = (uint64_t) getpid();
    }
}
