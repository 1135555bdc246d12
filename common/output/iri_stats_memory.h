/*
 * iri_stats_memory.h - the counters in shared memory, and the status report
 *
 * iri_stats.c writes the counters; iri_stats_text.c copies them and formats the
 * copy as JSON and Prometheus text, iri_stats_page.c as HTML.  Times are in
 * seconds since the epoch, lengths in octets.
 */

#ifndef IRI_STATS_MEMORY_H
#define IRI_STATS_MEMORY_H

#include "iri_stats.h"
#include "output/iri_output.h"

#pragma GCC visibility push(hidden)

#define IRI_STATS_MODES     2     /* iri on, iri report */
#define IRI_STATS_CHARSETS  64    /* rows of the label table, and two more: */
#define IRI_STATS_OTHER     62    /* a charset that is not in the table */
#define IRI_STATS_MIXED     63    /* a charset for each segment */
#define IRI_STATS_PARTS     2
#define IRI_STATS_IN_PATH   0     /* parts of a request-target */
#define IRI_STATS_IN_QUERY  1
#define IRI_STATS_REDIRECTS 5     /* 301, 302, 303, 307, 308 */
#define IRI_STATS_SERIES    (IRI_FORMS + 1)   /* each form; and a legacy query
                                                 without a legacy path */
#define IRI_STATS_DAY       86400
#define IRI_STATS_DAYS      400
#define IRI_STATS_TEXT      256   /* octets of a Referer or User-Agent */
#define IRI_STATS_SENDERS   64    /* rows of a table of senders */

/* The counters of one mode. */
typedef struct {
    uint64_t forms[IRI_FORMS];
    uint64_t matches[IRI_MATCHES];
    uint64_t answers[IRI_VERDICTS];
    uint64_t whys[IRI_WHYS];
    uint64_t redirects[IRI_STATS_REDIRECTS];
    uint64_t queries[IRI_QUERY_WHYS];
    uint64_t charsets[IRI_STATS_PARTS][IRI_STATS_CHARSETS];
} iri_stats_set_t;

/* The requests of one day, of both modes. */
typedef struct {
    uint64_t number;   /* of the day; the first one since the epoch is 1; 0:
                          empty */
    uint64_t at[IRI_STATS_SERIES];
} iri_stats_day_t;

/*
 * A sender of legacy encodings: a row of a table of the most frequent Referers
 * or User-Agents.  Written and read under the lock.
 */
typedef struct {
    uint64_t count;    /* 0: empty; is being written, or its writer has died */
    uint64_t error;    /* upper bound of the requests in count that other
                          senders made */
    uint64_t last;     /* time of the last request */
    uint64_t charset;  /* of the last request */
    uint64_t len;      /* octets of text */
    char     text[IRI_STATS_TEXT];   /* graphic ASCII and spaces */
} iri_stats_sender_t;

typedef enum {
    IRI_STATS_REFERER,
    IRI_STATS_AGENT,
    IRI_STATS_TABLES            /* number of the tables above */
} iri_stats_table_t;

/* The shared memory; any change of its meaning changes iri_stats_layout(). */
typedef struct {
    uint64_t layout;   /* iri_stats_layout(); 0: being initialized */
    uint64_t since;    /* time when counting began */
    iri_stats_set_t    sets[IRI_STATS_MODES];
    uint64_t           last_seen[IRI_STATS_PARTS][IRI_STATS_CHARSETS]; /* time;
                                                                  0: never */
    uint64_t           missing[IRI_STATS_TABLES];   /* requests without the
                                                       field */
    iri_stats_day_t    days[IRI_STATS_DAYS + 1];    /* day n: row n % the
                                                       number of rows */
    iri_stats_sender_t senders[IRI_STATS_TABLES][IRI_STATS_SENDERS];
} iri_stats_region_t;

/* The name of charset i, static; NULL: the number is not used. */
const char *iri_stats_charset(size_t i);


/* ---- the report ---------------------------------------------------------- */

/* A copy of the counters.  The senders are sorted, most frequent first. */
typedef struct {
    uint64_t           now;
    uint64_t           day_count;   /* days to report, at most IRI_STATS_DAYS */
    iri_stats_region_t region;
} iri_stats_copy_t;

/* Make a copy in the arena.  Returns: NULL: no memory. */
iri_stats_copy_t *iri_stats_read(const iri_env_t *env,
                                 const iri_stats_t *stats, int64_t now);

/* The requests of the day that is ago days before today; all 0: none. */
const uint64_t *iri_stats_day(const iri_stats_copy_t *copy, uint64_t ago);

/* The sum of all forms: the number of requests. */
uint64_t iri_stats_requests(const uint64_t at[IRI_FORMS]);

/* The number of requests with a legacy path or query. */
static inline uint64_t
iri_stats_legacy(const uint64_t at[IRI_STATS_SERIES])
{
    return at[IRI_FORM_LEGACY] + at[IRI_FORMS];
}

/* The counters of an enum in iri_stats_set_t, and how they are reported. */
typedef struct {
    const char *name;      /* in JSON */
    const char *metric;    /* in Prometheus text, without "iri_" and "_total" */
    const char *label;     /* in Prometheus text: the label of a value */
    const char *caption;   /* on the page, and the help of the metric */
    size_t      offset;    /* in iri_stats_set_t */
    size_t      size;      /* number of values */
    const char *(*word)(int i);   /* for value i; static */
    const char *(*text)(int i);   /* the same on the page; NULL: word */
} iri_stats_enum_t;

#define IRI_STATS_ENUMS 6
extern const iri_stats_enum_t iri_stats_enums[IRI_STATS_ENUMS];

static inline const uint64_t *
iri_stats_counts(const iri_stats_set_t *set, const iri_stats_enum_t *of)
{
    return (const uint64_t *) (const void *) ((const char *) set + of->offset);
}

/* The text of a sender. */
static inline iri_str_t
iri_stats_text(const iri_stats_sender_t *sender)
{
    iri_str_t text = { IRI_STATS_TEXT, (const unsigned char *) sender->text };

    text.len = sender->len < text.len ? (size_t) sender->len : text.len;

    return text;
}

/* The name of the charset of a sender. */
const char *iri_stats_sender_charset(const iri_stats_sender_t *sender);

/* Write the report as JSON, and as Prometheus text. */
void iri_stats_json(iri_page_part_t *out, const iri_stats_copy_t *copy);
void iri_stats_prometheus(iri_page_part_t *out, const iri_stats_copy_t *copy);


#pragma GCC visibility pop

#endif /* IRI_STATS_MEMORY_H */
