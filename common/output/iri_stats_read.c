/*
 * iri_stats_read.c - what was counted, as it is now
 *
 * Copied while others write.  A word is never half written; of what belongs
 * together it is looked whether it was written meanwhile, and then it is read
 * again.  What is written all the time, or was left half written by a process
 * that died, is left out.
 */

#include <stdlib.h>

#include "iri_stats.h"
#include "output/iri_stats_memory.h"

#define IRI_STATS_TRIES 8


/* size: octets, of words only. */
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


/* An entry, whose first word is its version.  0: there is no whole one. */
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
iri_stats_all(const uint64_t at[IRI_FORMS])
{
    uint64_t all = 0;
    size_t   i;

    for (i = 0; i < IRI_FORMS; i++) {
        all += at[i];
    }

    return all;
}


uint64_t
iri_stats_old(const uint64_t at[IRI_STATS_SERIES])
{
    return at[IRI_FORM_LEGACY] + at[IRI_FORMS];
}


static void
iri_stats_look_counts(const iri_stats_region_t *region,
                      iri_stats_snapshot_t     *look)
{
    iri_stats_set_t *set;
    size_t           i;

    iri_stats_copy(look->sets, region->sets, sizeof(look->sets));
    iri_stats_copy(&look->cache, &region->cache, sizeof(look->cache));
    iri_stats_copy(look->seen, region->seen, sizeof(look->seen));
    iri_stats_copy(look->unsaid, region->unsaid, sizeof(look->unsaid));

    for (set = look->sets; set < look->sets + IRI_STATS_MODES; set++) {
        set->forms[IRI_FORM_ASCII] += set->plain;
        set->matches[IRI_MATCH_NONE] += set->plain;
        set->answers[IRI_PASS] += set->plain;
        set->whys[IRI_WHY_ASCII] += set->plain;
        set->queries[IRI_QUERY_ASCII] += set->plain;
        set->hosts[IRI_HOST_ASCII] += set->plain;

        for (i = 0; i < IRI_FORMS; i++) {
            look->totals[i] += set->forms[i];
        }

        look->totals[IRI_FORMS] += set->query_only;
    }
}


static int
iri_stats_mark_order(const void *a, const void *b)
{
    const iri_stats_mark_t *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}


/* Those that were made, in their order; how many. */
static size_t
iri_stats_marks(const iri_stats_mark_t *from, size_t count,
                iri_stats_mark_t *to)
{
    size_t i, n = 0;

    for (i = 0; i < count; i++) {
        to[n].number = __atomic_load_n(&from[i].number, __ATOMIC_ACQUIRE);
        iri_stats_copy(to[n].at, from[i].at, sizeof(to[n].at));
        __atomic_thread_fence(__ATOMIC_ACQUIRE);

        n += to[n].number != 0
             && iri_stats_get(&from[i].number) == to[n].number;
    }

    qsort(to, n, sizeof(*to), iri_stats_mark_order);

    return n;
}


/*
 * What lies between a mark and the next has happened in the first hour (or
 * day) of these: the second began with the first request that came in it.
 * Marks may be of a time before this one's totals were read: then it is 0.
 */
static size_t
iri_stats_spans(const iri_stats_mark_t *mark, size_t marks,
                const uint64_t *totals, uint64_t now, uint64_t length,
                size_t most, iri_stats_span_t *spans)
{
    uint64_t        last = now / length + 1, first, number;
    const uint64_t *end;
    size_t          i, k, count;

    first = marks != 0 && mark[0].number < last ? mark[0].number : last;
    first = last - first >= most ? last - most + 1 : first;
    count = (size_t) (last - first + 1);

    for (number = first; number <= last; number++) {
        spans[number - first].begins = (int64_t) ((number - 1) * length);
        memset(spans[number - first].at, 0, sizeof(spans->at));
    }

    for (i = 0; i < marks; i++) {
        if (mark[i].number < first || mark[i].number > last) {
            continue;
        }

        end = i + 1 < marks ? mark[i + 1].at : totals;

        for (k = 0; k < IRI_STATS_SERIES; k++) {
            spans[mark[i].number - first].at[k] = end[k] > mark[i].at[k]
                                                      ? end[k] - mark[i].at[k]
                                                      : 0;
        }
    }

    return count;
}


static iri_status_t
iri_stats_look_spans(const iri_env_t *env, const iri_stats_region_t *region,
                     iri_stats_snapshot_t *look)
{
    iri_stats_mark_t *marks;
    uint64_t          now = look->now > 0 ? (uint64_t) look->now : 0;
    size_t            count;

    marks = env->alloc(env->ctx, (IRI_STATS_DAYS + 1) * sizeof(*marks));
    if (marks == NULL) {
        return IRI_NO_MEMORY;
    }

    count = iri_stats_marks(region->hours, IRI_STATS_HOURS + 1, marks);
    look->hour_count = iri_stats_spans(marks, count, look->totals, now, 3600,
                                       IRI_STATS_HOURS, look->hours);

    count = iri_stats_marks(region->days, IRI_STATS_DAYS + 1, marks);
    look->day_count = iri_stats_spans(marks, count, look->totals, now, 86400,
                                      IRI_STATS_DAYS, look->days);

    return IRI_OK;
}


/* The most first; of as many, the last. */
static int
iri_stats_sender_order(const void *a, const void *b)
{
    const iri_stats_sender_t *x = a, *y = b;

    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }

    return x->last > y->last ? -1 : x->last < y->last;
}


/* The last first.  That of the same second, in the order they came. */
static int
iri_stats_recent_order(const void *a, const void *b)
{
    const iri_stats_recent_t *x = a, *y = b;

    return x->time > y->time ? -1 : x->time < y->time;
}


static void
iri_stats_look_senders(const iri_stats_region_t *region,
                       iri_stats_snapshot_t     *look)
{
    iri_stats_sender_t *to;
    uint64_t            turn = iri_stats_get(&region->turn);
    size_t              i, k, n;

    for (k = 0; k < IRI_STATS_TABLES; k++) {
        for (i = 0, n = 0; i < IRI_STATS_TOP; i++) {
            to = &look->top[k][n];
            n += iri_stats_entry(to, &region->top[k][i], sizeof(*to))
                 && to->count != 0;
        }

        look->top_count[k] = n;
        qsort(look->top[k], n, sizeof(*look->top[k]), iri_stats_sender_order);
    }

    for (i = 0, n = 0; i < IRI_STATS_RECENT; i++) {
        k = (size_t) ((turn - 1 - i) % IRI_STATS_RECENT);
        n += iri_stats_entry(&look->recent[n], &region->recent[k],
                             sizeof(look->recent[n]))
             && look->recent[n].time != 0;
    }

    look->recent_count = n;
    qsort(look->recent, n, sizeof(*look->recent), iri_stats_recent_order);
}


static void
iri_stats_look_caches(const iri_stats_page_conf_t *conf,
                      iri_stats_snapshot_t        *look)
{
    iri_index_cache_usage_t use;
    size_t                  i;

    for (i = 0; i < conf->count; i++) {
        if (conf->caches[i] == NULL) {
            continue;
        }

        iri_index_cache_usage(conf->caches[i], &use);
        look->use.size += use.size;
        look->use.used += use.used;
        look->use.indexes += use.indexes;
    }
}


iri_status_t
iri_stats_read(const iri_env_t *env, const iri_stats_t *stats,
               const iri_stats_page_conf_t *conf, iri_stats_snapshot_t **out)
{
    iri_stats_snapshot_t *look;
    iri_status_t          status;

    look = env->alloc(env->ctx, sizeof(*look));
    if (look == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(look, 0, sizeof(*look));
    look->now = conf->now;
    look->since = (int64_t) stats->region->since;

    iri_stats_look_counts(stats->region, look);
    iri_stats_look_senders(stats->region, look);
    iri_stats_look_caches(conf, look);

    status = iri_stats_look_spans(env, stats->region, look);
    if (status != IRI_OK) {
        return status;
    }

    *out = look;

    return IRI_OK;
}
