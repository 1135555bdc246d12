/*
 * iri_stats_memory.h - the counters in shared memory, and the status report
 *
 * iri_stats.c writes the counters, iri_stats_read.c copies them to a snapshot,
 * iri_stats_page.c and iri_stats_text.c format the snapshot.  Times are in
 * seconds since the epoch, lengths in octets.
 */

#ifndef IRI_STATS_MEMORY_H
#define IRI_STATS_MEMORY_H

#include "iri_stats.h"
#include "base/iri_string.h"
#include "index/iri_index.h"

#pragma GCC visibility push(hidden)

#define IRI_STATS_MODES     2     /* iri on, iri report */
#define IRI_STATS_CHARSETS  64    /* rows of the label table, and two more: */
#define IRI_STATS_OTHER     62    /* a charset that is not in the table */
#define IRI_STATS_MIXED     63    /* a charset for each segment */
#define IRI_STATS_PARTS     2
#define IRI_STATS_IN_PATH   0     /* parts of a request-target */
#define IRI_STATS_IN_QUERY  1
#define IRI_STATS_REDIRECTS 5     /* 301, 302, 303, 307, 308 */
#define IRI_STATS_SERIES    (IRI_FORMS + 1)   /* each form, and query_only */
#define IRI_STATS_HOURS     48
#define IRI_STATS_DAYS      400
#define IRI_STATS_TEXT      256   /* octets of a Referer or User-Agent */
#define IRI_STATS_WORDS     (IRI_STATS_TEXT / 8)
#define IRI_STATS_RECENT    16    /* requests in the ring */
#define IRI_STATS_TOP       64    /* rows of a table of senders */

/*
 * The counters of one mode.  In shared memory plain requests are counted in
 * plain only; in a snapshot they are added to the other counters.
 */
typedef struct {
    uint64_t plain;      /* ASCII requests without any special result */
    uint64_t unused[7];  /* padding to the end of the cache line */
    uint64_t query_only; /* legacy query, but no legacy path */
    uint64_t forms[IRI_FORMS];
    uint64_t matches[IRI_MATCHES];
    uint64_t answers[IRI_VERDICTS];
    uint64_t whys[IRI_WHYS];
    uint64_t refusals[IRI_WHYS];   /* requests with the verdict REFUSE */
    uint64_t redirects[IRI_STATS_REDIRECTS];
    uint64_t queries[IRI_QUERY_WHYS];
    uint64_t hosts[IRI_HOST_WHYS];
    uint64_t charsets[IRI_STATS_PARTS][IRI_STATS_CHARSETS];
} iri_stats_set_t;

/* The totals at the start of an hour or a day. */
typedef struct {
    uint64_t number;   /* of the hour or day; the first one since the epoch
                          is 1; 0: empty */
    uint64_t at[IRI_STATS_SERIES];
} iri_stats_checkpoint_t;

/*
 * A sender of legacy encodings: a row of a table of the most frequent Referers
 * or User-Agents.  Written under the lock.
 */
typedef struct {
    uint64_t version;  /* odd while the row is written; if it stays odd, the
                          writer has died and the row is empty */
    uint64_t count;    /* 0: empty */
    uint64_t error;    /* at most so many of count are another sender's */
    uint64_t last;     /* time of the last request */
    uint64_t charset;  /* of the last request */
    uint64_t len;      /* octets of text */
    uint64_t text[IRI_STATS_WORDS];
} iri_stats_sender_t;

/* A recent request in a legacy encoding. */
typedef struct {
    uint64_t version;  /* as above */
    uint64_t time;     /* 0: empty */
    uint64_t charset;
    uint64_t kind;     /* bits IRI_STATS_OF_... */
    uint64_t referer_len;
    uint64_t agent_len;
    uint64_t referer[IRI_STATS_WORDS];
    uint64_t agent[IRI_STATS_WORDS];
} iri_stats_recent_t;

#define IRI_STATS_OF_QUERY  1   /* the query is legacy, not the path */
#define IRI_STATS_OF_REPORT 2   /* mode iri report */

typedef enum {
    IRI_STATS_REFERER,
    IRI_STATS_AGENT,
    IRI_STATS_TABLES            /* number of the tables above */
} iri_stats_table_t;

/* The shared memory; any change of its meaning changes iri_stats_layout(). */
typedef struct {
    uint64_t layout;   /* iri_stats_layout(); 0: being initialized */
    uint64_t since;    /* time when counting began */
    uint64_t hour;     /* start of the hour of the last checkpoint */
    uint64_t unused[5];
    iri_stats_set_t          sets[IRI_STATS_MODES];
    iri_index_cache_counts_t cache;
    uint64_t last_seen[IRI_STATS_PARTS][IRI_STATS_CHARSETS];   /* time; 0:
                                                                  never */
    uint64_t missing[IRI_STATS_TABLES];   /* requests without the field */
    uint64_t recent_next;                 /* number of the next recent entry */
    iri_stats_checkpoint_t hours[IRI_STATS_HOURS + 1];
    iri_stats_checkpoint_t days[IRI_STATS_DAYS + 1];
    iri_stats_recent_t     recent[IRI_STATS_RECENT];
    iri_stats_sender_t     top[IRI_STATS_TABLES][IRI_STATS_TOP];
} iri_stats_region_t;

/* A process's handle. */
struct iri_stats_s {
    iri_stats_conf_t    conf;
    iri_stats_region_t *region;   /* conf.memory */
};

/* Read a counter that other processes may write. */
static inline uint64_t
iri_stats_get(const uint64_t *count)
{
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

/* The name of charset i, static; NULL: the number is not used. */
const char *iri_stats_charset(size_t i);

/* ---- the snapshot (iri_stats_read.c) ------------------------------------- */

/* The requests of one hour or day. */
typedef struct {
    int64_t  begins;   /* time */
    uint64_t at[IRI_STATS_SERIES];
} iri_stats_span_t;

/*
 * A copy of all counters in the arena; making it blocks no writer.  The tables
 * are sorted, most frequent or most recent first.
 */
typedef struct {
    int64_t            now;
    int64_t            since;
    iri_stats_set_t    sets[IRI_STATS_MODES];   /* plain is added to the rest */
    iri_index_cache_counts_t cache;
    iri_index_cache_usage_t    use;   /* sum of all caches */
    uint64_t           last_seen[IRI_STATS_PARTS][IRI_STATS_CHARSETS];
    uint64_t           missing[IRI_STATS_TABLES];
    uint64_t           totals[IRI_STATS_SERIES];   /* of both modes */
    size_t             hour_count;   /* entries in hours, and so on */
    size_t             day_count;
    size_t             recent_count;
    size_t             top_count[IRI_STATS_TABLES];
    iri_stats_span_t   hours[IRI_STATS_HOURS];   /* the last is the current */
    iri_stats_span_t   days[IRI_STATS_DAYS];
    iri_stats_recent_t recent[IRI_STATS_RECENT];
    iri_stats_sender_t top[IRI_STATS_TABLES][IRI_STATS_TOP];
} iri_stats_snapshot_t;

/* Make a snapshot.  Returns: IRI_OK, IRI_NO_MEMORY. */
iri_status_t iri_stats_read(const iri_env_t *env, const iri_stats_t *stats,
                            const iri_stats_page_conf_t *conf,
                            iri_stats_snapshot_t           **out);

/* The sum of all forms: the number of requests. */
uint64_t iri_stats_requests(const uint64_t at[IRI_FORMS]);

/* The number of requests with a legacy path or query. */
uint64_t iri_stats_legacy_requests(const uint64_t at[IRI_STATS_SERIES]);

/* The stored text of a Referer or User-Agent; valid as long as words. */
static inline iri_str_t
iri_stats_text(const uint64_t *words, uint64_t len)
{
    iri_str_t s;

    s.data = (const unsigned char *) words;
    s.len = len < IRI_STATS_TEXT ? (size_t) len : IRI_STATS_TEXT;

    return s;
}

/* ---- the report (iri_stats_page.c, iri_stats_text.c) --------------------- */

/* A report that is being written. */
typedef struct {
    const iri_env_t *env;
    iri_buf_t        buf;
    iri_status_t     status;   /* first error; nothing is appended after it */
} iri_stats_out_t;

/* Append text, which ends with NUL, without escaping it. */
void iri_stats_put(iri_stats_out_t *out, const char *text);

/* Append a decimal number. */
void iri_stats_put_number(iri_stats_out_t *out, uint64_t number);

/*
 * Append untrusted text with iri_html_put or iri_json_put, shortened so that
 * it takes at most `most` octets.  Returns: 1: it was shortened.
 */
int iri_stats_put_text(iri_stats_out_t *out,
                       iri_status_t (*put)(const iri_env_t *, iri_buf_t *,
                                           iri_str_t),
                       iri_str_t text, size_t most);

/* The array of counters at an offset of a struct; it is aligned there. */
static inline const uint64_t *
iri_stats_at(const void *of, size_t offset)
{
    return (const uint64_t *) (const void *) ((const char *) of + offset);
}

/* The name of a stored charset; "other" for an unused number. */
const char *iri_stats_charset_word(uint64_t charset);

/* "2026-11-22T11:25:00Z", for the years 1970 to 9999 */
#define IRI_STATS_TIME 20
void iri_stats_date(int64_t seconds, unsigned char out[IRI_STATS_TIME]);
void iri_stats_put_time(iri_stats_out_t *out, int64_t seconds);

/* The word for value i of an enum, or for row i of a table; static. */
typedef const char *(*iri_stats_word_t)(int i);

const char *iri_stats_form_word(int i);
const char *iri_stats_match_word(int i);
const char *iri_stats_verdict_word(int i);
const char *iri_stats_why_word(int i);
const char *iri_stats_query_word(int i);
const char *iri_stats_host_word(int i);
const char *iri_stats_redirect_word(int i);

extern const char *const iri_stats_modes[IRI_STATS_MODES];    /* "on" ... */
extern const char *const iri_stats_parts[IRI_STATS_PARTS];    /* "path" ... */
extern const int         iri_stats_redirects[IRI_STATS_REDIRECTS];

/* Append the whole report in one of the formats. */
void iri_stats_json(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot);
void iri_stats_prometheus(iri_stats_out_t            *out,
                          const iri_stats_snapshot_t *snapshot);
void iri_stats_html(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot);

/* The value of Content-Security-Policy for the HTML report. */
extern const char iri_stats_html_policy[];

#pragma GCC visibility pop

#endif /* IRI_STATS_MEMORY_H */
