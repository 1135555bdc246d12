/*
 * iri_stats.h - counters of requests, and the report about them
 *
 * Counts forms, charsets, matches, verdicts and reasons of all requests of a
 * server, in memory that its processes share, and reports them as a page, as
 * JSON and as Prometheus text.
 */

#ifndef IRI_STATS_H
#define IRI_STATS_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- counting ------------------------------------------------------------ */

/*
 * The counters.  Any number of processes and threads may count and read at the
 * same time, and each may be killed at any moment.  Counters are incremented
 * atomically.  The tables of clients that send legacy encodings are written and
 * read under the lock; a row that a killed process has left half written counts
 * as empty.
 */
typedef struct {
    void  *memory;   /* iri_stats_size() octets, aligned as by malloc, all 0 or
                        used before: its counts continue */
    void (*lock)(void *ctx);     /* taken for a few microseconds: by requests in
                        legacy encodings, by the report, and once a day */
    void (*unlock)(void *ctx);   /* also if the process that has it dies */
    void  *ctx;      /* argument of lock and unlock; may be NULL */
} iri_stats_t;

/*
 * Octets of the shared memory: below 128 KiB, and equal for all builds with the
 * same iri_stats_layout().
 */
size_t iri_stats_size(void);

/*
 * A number that identifies the layout of the shared memory.  Make it a part of
 * the name of that memory: a build with another layout must use other memory as
 * long as processes of this build may write.
 */
uint64_t iri_stats_layout(void);

/*
 * Clear stats->memory if it is new or has another layout.  Call it before
 * several processes use the memory.  now: seconds since the epoch.
 */
void iri_stats_init(const iri_stats_t *stats, int64_t now);

/* One request that is finished.  All 0: a plain ASCII request. */
typedef struct {
    int64_t         now;       /* seconds since the epoch */
    int             report;    /* 1: report mode: what would have been done */
    iri_form_t      form;      /* as sent; LEGACY if the disk confirmed an
                                  alternative reading */
    iri_str_t       charset;   /* LEGACY: of the reading, or of what was found;
                                  else empty */
    iri_match_t     match;     /* ignored difference, also for a restart */
    iri_verdict_t   verdict;   /* RESTART: the request restarted; REFUSE: also
                                  if the reading was refused; PASS: also if
                                  nothing was found */
    iri_why_t       why;       /* of that verdict; NONE counts as ASCII */
    int             redirect;  /* HTTP status of a redirect by iri_redirect; 0:
                                  none */
    iri_query_why_t query;     /* ASCII also for: no query, or not read */
    iri_str_t       query_charset;   /* IRI_QUERY_READ: its charset */
    iri_str_t       referer;   /* Referer and User-Agent as sent, empty if */
    iri_str_t       agent;     /* absent; used if path or query is legacy */
} iri_stats_event_t;

/*
 * Count a request of a client once.  Do not count subrequests, requests that
 * only judge a name, and requests with iri off.  An ASCII request costs six
 * atomic additions.
 */
void iri_stats_count(const iri_stats_t *stats, const iri_stats_event_t *event);


/* ---- the report ---------------------------------------------------------- */

/*
 * Build the answer to a GET or HEAD for the report.  The page has less than 64
 * KiB, JSON and Prometheus text less than 192 KiB, for any requests.  The page
 * is well-formed as HTML and as XML.  The status is 200, or 400 for an unknown
 * format.
 *
 *   now     seconds since the epoch
 *   query   as sent: "format=json", "format=prometheus" or "format=html";
 *           without "format=" the page; with any other value status 400
 *
 * Answer other methods with 405 and "Allow: GET, HEAD".
 *
 * Returns: IRI_OK; IRI_NO_MEMORY.
 */
iri_status_t iri_stats_page(const iri_env_t *env, const iri_stats_t *stats,
                            int64_t now, iri_str_t query, iri_page_t *out);


#pragma GCC visibility pop

#endif /* IRI_STATS_H */
