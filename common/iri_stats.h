/*
 * iri_stats.h - counters of requests and the status report
 */

#ifndef IRI_STATS_H
#define IRI_STATS_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- the status report ----------------------------------------------------- */

/*
 * What was read, how and with what end, counted for all processes of a server
 * in memory that they share; and a page, JSON and Prometheus text about it.
 *
 * Any number of processes and threads may count and look at a time, and each
 * of them may be killed at any moment.  Counts are added to by single atomic
 * instructions.  Only who sends legacy encodings is kept in tables, and these
 * are written under the caller's lock; what a dead process has left half
 * written counts as empty.  Who looks takes no lock.
 */
typedef struct iri_stats_s iri_stats_t;

typedef struct {
    void  *memory;   /* iri_stats_size() octets, aligned as malloc does, all 0
                        or left by another iri_stats_t: then it goes on from
                        there */
    void (*lock)(void *ctx);     /* around a few microseconds, of requests in */
    void (*unlock)(void *ctx);   /* legacy encodings, and once an hour; it must
                        not stay locked where a process dies.  NULL: there is
                        one thread only */
    void  *ctx;
} iri_stats_conf_t;

/* Octets that are shared; below 128 KiB, and the same for all builds with the
   same iri_stats_layout(). */
size_t iri_stats_size(void);

/*
 * A number for how the memory is laid out, to be a part of its name: another
 * build of the module must get other memory, as long as processes of this one
 * may still write to it.
 */
uint64_t iri_stats_layout(void);

/*
 * A process's own handle on the memory.  conf is copied.  To be called once
 * before any process shares the memory (and destroyed again, if need be): what
 * is not laid out so is made empty then.  now: seconds since the epoch.  NULL:
 * no memory.
 */
iri_stats_t *iri_stats_create(const iri_stats_conf_t *conf, int64_t now);
void iri_stats_destroy(iri_stats_t *stats);   /* NULL is allowed */

/* One request, when all is known of it. */
typedef struct {
    int64_t         now;       /* seconds since the epoch: of the counting */
    int             report;    /* 1: iri report: it is what would have been */
    iri_form_t      form;      /* as it came; where the disk has confirmed
                                  another reading, LEGACY */
    iri_str_t       charset;   /* of LEGACY: that of the reading, or of what
                                  was found */
    iri_match_t     match;     /* what was forgiven, to start over too */
    iri_verdict_t    verdict;    /* MOVED: it has started over; REFUSE also
                                  where the reading was refused; PASS: there
                                  was nothing to say, or nothing was found */
    iri_why_t       why;       /* of that answer */
    int             redirect;  /* HTTP status of a redirect by iri_redirect;
                                  0: none was sent */
    iri_query_why_t query;     /* ASCII: none, or not looked at */
    iri_str_t       query_charset;   /* of IRI_QUERY_READ */
    iri_host_why_t  host;      /* ASCII: not looked at */
    iri_str_t       referer;   /* the fields as they came, empty if there is */
    iri_str_t       agent;     /* none; read only for a legacy path or query */
} iri_stats_event_t;

/*
 * Count it, once a request of a client: not subrequests, nor what is asked to
 * judge a name, nor where iri is off.  An event with ASCII, PASS and nothing
 * else costs one atomic addition, and so does iri_stats_count_plain() for a
 * request of which nothing is kept.
 */
void iri_stats_count(iri_stats_t *stats, const iri_stats_event_t *event);
void iri_stats_count_plain(iri_stats_t *stats, int report, int64_t now);

/* Where caches may count, for iri_index_cache_conf_t. */
struct iri_index_cache_counts_s *iri_stats_cache_counts(iri_stats_t *stats);

typedef struct {
    int64_t             now;      /* seconds since the epoch */
    iri_str_t           query;    /* "format=json", "format=prometheus" or
                                     "format=html"; the page without it */
    iri_index_cache_t *const *caches;   /* all of this process; NULL if count is 0 */
    size_t              count;
} iri_stats_page_conf_t;

typedef struct {
    int         status;   /* 200; 400 where another format was asked for */
    const char *type;     /* Content-Type, static */
    const char *policy;   /* Content-Security-Policy, static */
    iri_str_t   body;
} iri_stats_page_t;

/*
 * The answer to a GET: what was counted until now.  The page is below 64 KiB,
 * JSON and Prometheus text are below 192 KiB, whatever strangers have sent.
 * With it belong "Cache-Control: no-store" and
 * "X-Content-Type-Options: nosniff".  Methods other than GET and HEAD are 405,
 * with "Allow: GET, HEAD".  The page is well-formed as HTML and as XML.
 * IRI_NO_MEMORY.
 */
iri_status_t iri_stats_page(const iri_env_t *env, const iri_stats_t *stats,
                            const iri_stats_page_conf_t *conf,
                            iri_stats_page_t            *out);


#pragma GCC visibility pop

#endif /* IRI_STATS_H */
