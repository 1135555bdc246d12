/*
 * iri_stats_read.c - a snapshot of the counters
 *
 * The counters are copied while other processes write.  Each word is atomic.
 * A row of several words has a version; if it has changed during the copy, the
 * row is copied again.  A row that is still changing after IRI_STATS_TRIES
 * copies, or was left incomplete by a process that died, is skipped.
 */

#include <stdlib.h>

#include "iri_stats.h"
#include "output/iri_stats_memory.h"

#define IRI_STATS_TRIES 8


/* Copy size octets, a multiple of a word. */
static void
iri_stats_copy(void *to, const void *from, size_t size)
{
    uint64_t       *word = to;
    const uint64_t *shared = from;
    size_t          i;

    for (i = 0; i < size / sizeof(*word); i++) {
        word[i] = iri_stats_get(&shared[i]);
    }
}


/* Copy a row whose first word is its version.  0: no consistent copy. */
static int
iri_stats_entry(void *to, const void *from, size_t size)
{
    const uint64_t *shared = from;
    uint64_t        version;
    int             tries;

    for (tries = 0; tries < IRI_STATS_TRIES; tries++) {
        version = __atomic_load_n(shared, __ATOMIC_ACQUIRE);
        iri_stats_copy(to, from, size);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);

        if ((version & 1) == 0 && iri_stats_get(shared) == version) {
            return 1;
        }
    }

    return 0;
}


uint64_t
iri_stats_requests(const uint64_t at[IRI_FORMS])
{
    uint64_t all = 0;
    size_t   i;

    for (i = 0; i < IRI_FORMS; i++) {
        all += at[i];
    }

    return all;
}


uint64_t
iri_stats_legacy_requests(const uint64_t at[IRI_STATS_SERIES])
{
    return at[IRI_FORM_LEGACY] + at[IRI_FORMS];
}


static void
iri_stats_snapshot_counts(const iri_stats_region_t *region,
                          iri_stats_snapshot_t     *snapshot)
{
    iri_stats_set_t *set;
    size_t           i;

    iri_stats_copy(snapshot->sets, region->sets, sizeof(snapshot->sets));
    iri_stats_copy(&snapshot->cache, &region->cache, sizeof(snapshot->cache));
    iri_stats_copy(snapshot->last_seen, region->last_seen,
                   sizeof(snapshot->last_seen));
    iri_stats_copy(snapshot->missing, region->missing,
                   sizeof(snapshot->missing));

    for (set = snapshot->sets; set < snapshot->sets + IRI_STATS_MODES; set++)
    {
        set->forms[IRI_FORM_ASCII] += set->plain;
        set->matches[IRI_MATCH_NONE] += set->plain;
        set->answers[IRI_PASS] += set->plain;
        set->whys[IRI_WHY_ASCII] += set->plain;
        set->queries[IRI_QUERY_ASCII] += set->plain;
        set->hosts[IRI_HOST_ASCII] += set->plain;

        for (i = 0; i < IRI_FORMS; i++) {
            snapshot->totals[i] += set->forms[i];
        }

        snapshot->totals[IRI_FORMS] += set->query_only;
    }
}


static int
iri_stats_checkpoint_order(const void *a, const void *b)
{
    const iri_stats_checkpoint_t *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}


/* Copy the checkpoints that are not empty, sorted.  Returns: their number. */
static size_t
iri_stats_read_checkpoints(const iri_stats_checkpoint_t *from, size_t count,
                           iri_stats_checkpoint_t *to)
{
    size_t i, n = 0;

    for (i = 0; i < count; i++) {
        to[n].number = __atomic_load_n(&from[i].number, __ATOMIC_ACQUIRE);
        iri_stats_copy(to[n].at, from[i].at, sizeof(to[n].at));
        __atomic_thread_fence(__ATOMIC_ACQUIRE);

        n += to[n].number != 0
             && iri_stats_get(&from[i].number) == to[n].number;
    }

    qsort(to, n, sizeof(*to), iri_stats_checkpoint_order);

    return n;
}


/*
 * Compute the requests of each hour or day, at most `most`, from checkpoints.
 * The requests between two checkpoints belong to the period of the first one,
 * because a checkpoint is stored by the first request of its period.  totals
 * may have been read before the last checkpoint was stored: a negative
 * difference counts as 0.  Returns: the number of spans.
 */
static size_t
iri_stats_spans(const iri_stats_checkpoint_t *checkpoint, size_t checkpoints,
                const uint64_t *totals, uint64_t now, uint64_t length,
                size_t most, iri_stats_span_t *spans)
{
    uint64_t        last = now / length + 1, first, number;
    const uint64_t *end;
    size_t          i, k, count;

    first = checkpoints != 0 && checkpoint[0].number < last
                ? checkpoint[0].number
                : last;
    first = last - first >= most ? last - most + 1 : first;
    count = (size_t) (last - first + 1);

    for (number = first; number <= last; number++) {
        spans[number - first].begins = (int64_t) ((number - 1) * length);
        memset(spans[number - first].at, 0, sizeof(spans->at));
    }

    for (i = 0; i < checkpoints; i++) {
        if (checkpoint[i].number < first || checkpoint[i].number > last) {
            continue;
        }

        end = i + 1 < checkpoints ? checkpoint[i + 1].at : totals;

        for (k = 0; k < IRI_STATS_SERIES; k++) {
            spans[checkpoint[i].number - first]
                .at[k] = end[k] > checkpoint[i].at[k]
                             ? end[k] - checkpoint[i].at[k]
                             : 0;
        }
    }

    return count;
}


static iri_status_t
iri_stats_snapshot_spans(const iri_env_t          *env,
                         const iri_stats_region_t *region,
                         iri_stats_snapshot_t     *snapshot)
{
    iri_stats_checkpoint_t *checkpoints;
    uint64_t now = snapshot->now > 0 ? (uint64_t) snapshot->now : 0;
    size_t   count;

    checkpoints = env->alloc(env->ctx,
                             (IRI_STATS_DAYS + 1) * sizeof(*checkpoints));
    if (checkpoints == NULL) {
        return IRI_NO_MEMORY;
    }

    count = iri_stats_read_checkpoints(region->hours, IRI_STATS_HOURS + 1,
                                       checkpoints);
    snapshot->hour_count = iri_stats_spans(checkpoints, count,
                                           snapshot->totals, now, 3600,
                                           IRI_STATS_HOURS, snapshot->hours);

    count = iri_stats_read_checkpoints(region->days, IRI_STATS_DAYS + 1,
                                       checkpoints);
    snapshot->day_count = iri_stats_spans(checkpoints, count,
                                          snapshot->totals, now, 86400,
                                          IRI_STATS_DAYS, snapshot->days);

    return IRI_OK;
}


/* Highest count first; with equal counts, the most recent. */
static int
iri_stats_sender_order(const void *a, const void *b)
{
    const iri_stats_sender_t *x = a, *y = b;

    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }

    return x->last > y->last ? -1 : x->last < y->last;
}


/* Most recent first. */
static int
iri_stats_recent_order(const void *a, const void *b)
{
    const iri_stats_recent_t *x = a, *y = b;

    return x->time > y->time ? -1 : x->time < y->time;
}


static void
iri_stats_snapshot_senders(const iri_stats_region_t *region,
                           iri_stats_snapshot_t     *snapshot)
{
    iri_stats_sender_t *to;
    uint64_t            turn = iri_stats_get(&region->recent_next);
    size_t              i, k, n;

    for (k = 0; k < IRI_STATS_TABLES; k++) {
        for (i = 0, n = 0; i < IRI_STATS_TOP; i++) {
            to = &snapshot->top[k][n];
            n += iri_stats_entry(to, &region->top[k][i], sizeof(*to))
                 && to->count != 0;
        }

        snapshot->top_count[k] = n;
        qsort(snapshot->top[k], n, sizeof(*snapshot->top[k]),
              iri_stats_sender_order);
    }

    for (i = 0, n = 0; i < IRI_STATS_RECENT; i++) {
        k = (size_t) ((turn - 1 - i) % IRI_STATS_RECENT);
        n += iri_stats_entry(&snapshot->recent[n], &region->recent[k],
                             sizeof(snapshot->recent[n]))
             && snapshot->recent[n].time != 0;
    }

    snapshot->recent_count = n;
    qsort(snapshot->recent, n, sizeof(*snapshot->recent),
          iri_stats_recent_order);
}


static void
iri_stats_snapshot_caches(const iri_stats_page_conf_t *conf,
                          iri_stats_snapshot_t        *snapshot)
{
    iri_index_cache_usage_t use;
    size_t                  i;

    for (i = 0; i < conf->count; i++) {
        if (conf->caches[i] == NULL) {
            continue;
        }

        iri_index_cache_usage(conf->caches[i], &use);
        snapshot->use.size += use.size;
        snapshot->use.used += use.used;
        snapshot->use.indexes += use.indexes;
    }
}


iri_status_t
iri_stats_read(const iri_env_t *env, const iri_stats_t *stats,
               const iri_stats_page_conf_t *conf, iri_stats_snapshot_t **out)
{
    iri_stats_snapshot_t *snapshot;
    iri_status_t          status;

    snapshot = env->alloc(env->ctx, sizeof(*snapshot));
    if (snapshot == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(snapshot, 0, sizeof(*snapshot));
    snapshot->now = conf->now;
    snapshot->since = (int64_t) stats->region->since;

    iri_stats_snapshot_counts(stats->region, snapshot);
    iri_stats_snapshot_senders(stats->region, snapshot);
    iri_stats_snapshot_caches(conf, snapshot);

    status = iri_stats_snapshot_spans(env, stats->region, snapshot);
    if (status != IRI_OK) {
        return status;
    }

    *out = snapshot;

    return IRI_OK;
}
