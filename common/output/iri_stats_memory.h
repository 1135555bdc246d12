/*
 * iri_stats_memory.h - how what is counted lies in shared memory
 *
 * For iri_stats.c, which writes it, and the files that tell about it.
 */

#ifndef IRI_STATS_MEMORY_H
#define IRI_STATS_MEMORY_H

#include "iri_stats.h"
#include "base/iri_base.h"
#include "index/iri_index.h"

#pragma GCC visibility push(hidden)

#define IRI_STATS_MODES     2     /* iri on, iri report */
#define IRI_STATS_CHARSETS  64    /* rows of the label table, and these: */
#define IRI_STATS_OTHER     62    /* a charset that is not in it */
#define IRI_STATS_MIXED     63    /* one for each segment */
#define IRI_STATS_PARTS     2
#define IRI_STATS_IN_PATH   0     /* parts */
#define IRI_STATS_IN_QUERY  1
#define IRI_STATS_REDIRECTS 5     /* 301, 302, 303, 307, 308 */
#define IRI_STATS_SERIES    (IRI_FORMS + 1)   /* forms; query_only */
#define IRI_STATS_HOURS     48
#define IRI_STATS_DAYS      400
#define IRI_STATS_TEXT      256   /* octets of a Referer or User-Agent */
#define IRI_STATS_WORDS     (IRI_STATS_TEXT / 8)
#define IRI_STATS_RECENT    16
#define IRI_STATS_TOP       64

/* Counts of one mode; each but plain of requests that are not plain. */
typedef struct {
    uint64_t plain;      /* ASCII, and nothing to say of it */
    uint64_t unused[7];  /* to the end of its cache line */
    uint64_t query_only; /* in a legacy query, and no legacy path */
    uint64_t forms[IRI_FORMS];
    uint64_t matches[IRI_MATCHES];
    uint64_t answers[IRI_VERDICTS];
    uint64_t whys[IRI_WHYS];
    uint64_t refusals[IRI_WHYS];   /* of these, answer REFUSE */
    uint64_t redirects[IRI_STATS_REDIRECTS];
    uint64_t queries[IRI_QUERY_WHYS];
    uint64_t hosts[IRI_HOST_WHYS];
    uint64_t charsets[IRI_STATS_PARTS][IRI_STATS_CHARSETS];
} iri_stats_set_t;

/* What the totals were when an hour, or a day, began. */
typedef struct {
    uint64_t number;   /* since the epoch, of the first 1; 0: none */
    uint64_t at[IRI_STATS_SERIES];
} iri_stats_mark_t;

/*
 * Who sends it.  Written under the lock; version is odd while it is, and
 * stays so where a process dies: then it is empty.
 */
typedef struct {
    uint64_t version;
    uint64_t count;    /* 0: empty */
    uint64_t error;    /* so many of these may be another's */
    uint64_t last;     /* when, in seconds */
    uint64_t charset;
    uint64_t len;      /* octets of text */
    uint64_t text[IRI_STATS_WORDS];
} iri_stats_sender_t;

typedef struct {
    uint64_t version;
    uint64_t time;     /* in seconds; 0: empty */
    uint64_t charset;
    uint64_t kind;     /* IRI_STATS_... below */
    uint64_t referer_len;
    uint64_t agent_len;
    uint64_t referer[IRI_STATS_WORDS];
    uint64_t agent[IRI_STATS_WORDS];
} iri_stats_recent_t;

#define IRI_STATS_OF_QUERY  1
#define IRI_STATS_OF_REPORT 2

typedef enum {
    IRI_STATS_REFERER,
    IRI_STATS_AGENT,
    IRI_STATS_TABLES
} iri_stats_table_t;

typedef struct {
    uint64_t layout;
    uint64_t since;    /* seconds: when counting began */
    uint64_t hour;     /* seconds: when the one began that was marked last */
    uint64_t unused[5];
    iri_stats_set_t    sets[IRI_STATS_MODES];
    iri_index_cache_counts_t cache;
    uint64_t           seen[IRI_STATS_PARTS][IRI_STATS_CHARSETS];
    uint64_t           unsaid[IRI_STATS_TABLES];   /* the field was empty */
    uint64_t           turn;   /* of recent: which is next */
    iri_stats_mark_t   hours[IRI_STATS_HOURS + 1];
    iri_stats_mark_t   days[IRI_STATS_DAYS + 1];
    iri_stats_recent_t recent[IRI_STATS_RECENT];
    iri_stats_sender_t top[IRI_STATS_TABLES][IRI_STATS_TOP];
} iri_stats_region_t;

struct iri_stats_s {
    iri_stats_conf_t    conf;
    iri_stats_region_t *region;
};

/* Any of the counts; they are read while others add to them. */
static inline uint64_t
iri_stats_get(const uint64_t *count)
{
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

/* The name of a charset; NULL: there is none of that number. */
const char *iri_stats_charset(size_t i);

/* ---- looking (iri_stats_read.c) ------------------------------------------ */

/* What was counted in an hour or a day. */
typedef struct {
    int64_t  begins;   /* seconds since the epoch */
    uint64_t at[IRI_STATS_SERIES];
} iri_stats_span_t;

/*
 * All of it, as it is now, in the arena; nobody waits for that.  The tables
 * are sorted, what was most or last first.
 */
typedef struct {
    int64_t            now;
    int64_t            since;
    iri_stats_set_t    sets[IRI_STATS_MODES];   /* plain is within the rest */
    iri_index_cache_counts_t cache;
    iri_index_cache_usage_t    use;   /* of all caches together */
    uint64_t           seen[IRI_STATS_PARTS][IRI_STATS_CHARSETS];
    uint64_t           unsaid[IRI_STATS_TABLES];
    uint64_t           totals[IRI_STATS_SERIES];
    size_t             hour_count;
    size_t             day_count;
    size_t             recent_count;
    size_t             top_count[IRI_STATS_TABLES];
    iri_stats_span_t   hours[IRI_STATS_HOURS];   /* the last is this hour */
    iri_stats_span_t   days[IRI_STATS_DAYS];
    iri_stats_recent_t recent[IRI_STATS_RECENT];
    iri_stats_sender_t top[IRI_STATS_TABLES][IRI_STATS_TOP];
} iri_stats_snapshot_t;

iri_status_t iri_stats_read(const iri_env_t *env, const iri_stats_t *stats,
                            const iri_stats_page_conf_t *conf,
                            iri_stats_snapshot_t           **out);

/* Requests in any form; those that have used a legacy encoding. */
uint64_t iri_stats_all(const uint64_t at[IRI_FORMS]);
uint64_t iri_stats_old(const uint64_t at[IRI_STATS_SERIES]);

static inline iri_str_t
iri_stats_text(const uint64_t *words, uint64_t len)
{
    iri_str_t s;

    s.data = (const unsigned char *) words;
    s.len = len < IRI_STATS_TEXT ? (size_t) len : IRI_STATS_TEXT;

    return s;
}

/* ---- telling (iri_stats_page.c, iri_stats_text.c) ------------------------ */

/* An answer being written; after an error nothing more is. */
typedef struct {
    const iri_env_t *env;
    iri_buf_t        buf;
    iri_status_t     status;
} iri_stats_out_t;

void iri_stats_say(iri_stats_out_t *out, const char *text);
void iri_stats_say_number(iri_stats_out_t *out, uint64_t number);

/* Strangers' text, by iri_html_put or iri_json_put; cut off where it would
   take more than most octets.  1: it was. */
int iri_stats_say_text(iri_stats_out_t *out,
                       iri_status_t (*put)(const iri_env_t *, iri_buf_t *,
                                           iri_str_t),
                       iri_str_t text, size_t most);

/* The counts at an offset of what counts them; they are aligned there. */
static inline const uint64_t *
iri_stats_at(const void *of, size_t offset)
{
    return (const uint64_t *) (const void *) ((const char *) of + offset);
}

const char *iri_stats_charset_word(uint64_t charset);

/* "2026-11-22T11:25:00Z", of years 1970 to 9999 */
#define IRI_STATS_TIME 20
void iri_stats_date(int64_t seconds, unsigned char out[IRI_STATS_TIME]);
void iri_stats_say_time(iri_stats_out_t *out, int64_t seconds);

extern const char *const iri_stats_modes[IRI_STATS_MODES];
extern const char *const iri_stats_parts[IRI_STATS_PARTS];
extern const int         iri_stats_redirects[IRI_STATS_REDIRECTS];

void iri_stats_json(iri_stats_out_t *out, const iri_stats_snapshot_t *look);
void iri_stats_prometheus(iri_stats_out_t *out, const iri_stats_snapshot_t *look);
void iri_stats_html(iri_stats_out_t *out, const iri_stats_snapshot_t *look);
extern const char iri_stats_html_policy[];

#pragma GCC visibility pop

#endif /* IRI_STATS_MEMORY_H */
