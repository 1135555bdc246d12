/*
 * iri_stats.c - counters of requests and their results
 *
 * The counters are in memory that processes share and that outlives them.  A
 * counter is one number, incremented by an atomic instruction.  The counters of
 * a day are a row of a ring; the first request of the day clears the row.
 *
 * Senders of legacy encodings are kept in two tables of the most frequent
 * Referers and User-Agents, with the algorithm "space saving" (Metwally,
 * Agrawal, El Abbadi, 2005): in a full table, a new sender replaces the row
 * with the smallest count and continues that count.  Each sender of more than
 * 1/64 of the requests is then in the table.  Query, fragment and userinfo of a
 * Referer are not stored, because they may contain secrets.
 */

#include "charset/iri_charset.h"
#include "output/iri_stats_memory.h"

/* Increment this if the meaning of a word changes and no size does. */
#define IRI_STATS_LAYOUT UINT64_C(0x6972697300000003)


/* ---- the memory ---------------------------------------------------------- */

size_t
iri_stats_size(void)
{
    return sizeof(iri_stats_region_t);
}


const char *
iri_stats_charset(size_t i)
{
    const iri_encoding_t *encoding = iri_encoding_at(i);

    if (i == IRI_STATS_MIXED) {
        return (const char *) iri_charset_mixed.data;
    }

    if (i == IRI_STATS_OTHER) {
        return "other";
    }

    return encoding != NULL && i < IRI_STATS_OTHER ? encoding->name : NULL;
}


/* An FNV-1a hash of the version and of the size. */
uint64_t
iri_stats_layout(void)
{
    uint64_t    hash = UINT64_C(0xcbf29ce484222325) ^ IRI_STATS_LAYOUT;
    const char *p;

    for (p = IRI_VERSION; *p != '\0'; p++) {
        hash = (hash ^ (unsigned char) *p) * UINT64_C(0x100000001b3);
    }

    return (hash ^ iri_stats_size()) * UINT64_C(0x100000001b3);
}


static uint64_t
iri_stats_since_epoch(int64_t now)
{
    return now > 0 ? (uint64_t) now : 0;
}


void
iri_stats_init(const iri_stats_t *stats, int64_t now)
{
    iri_stats_region_t *region = stats->memory;

    if (region->layout == iri_stats_layout()) {
        return;
    }

    region->layout = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memset(region, 0, sizeof(*region));
    region->since = iri_stats_since_epoch(now);
    __atomic_store_n(&region->layout, iri_stats_layout(), __ATOMIC_RELEASE);
}


static inline void
iri_stats_set(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}


static inline void
iri_stats_add(uint64_t *count)
{
    (void) __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}


/* Increment counts[at] if at is a valid index. */
static void
iri_stats_add_at(uint64_t *counts, size_t size, int at)
{
    if (at >= 0 && (size_t) at < size) {
        iri_stats_add(&counts[at]);
    }
}


/* ---- days ---------------------------------------------------------------- */

/*
 * Clear the row of a day that begins.  Its number is 0 while it is cleared: if
 * the process dies, the next request clears the row again.
 */
static void
iri_stats_begin_day(const iri_stats_t *stats, iri_stats_day_t *day,
                    uint64_t number)
{
    size_t i;

    stats->lock(stats->ctx);

    if (__atomic_load_n(&day->number, __ATOMIC_RELAXED) != number) {
        iri_stats_set(&day->number, 0);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);

        for (i = 0; i < IRI_STATS_SERIES; i++) {
            iri_stats_set(&day->at[i], 0);
        }

        __atomic_store_n(&day->number, number, __ATOMIC_RELEASE);
    }

    stats->unlock(stats->ctx);
}


/* The row of the day of a request. */
static iri_stats_day_t *
iri_stats_today(const iri_stats_t *stats, uint64_t now)
{
    iri_stats_region_t *region = stats->memory;
    uint64_t            number = now / IRI_STATS_DAY + 1;
    iri_stats_day_t    *day = &region->days[number % (IRI_STATS_DAYS + 1)];

    if (__atomic_load_n(&day->number, __ATOMIC_ACQUIRE) != number) {
        iri_stats_begin_day(stats, day, number);
    }

    return day;
}


/* ---- senders of legacy encodings ----------------------------------------- */

/*
 * Append text to that of a sender, as far as there is room.  Octets other than
 * graphic ASCII and spaces are percent-encoded, and so are the characters that
 * a URI cannot contain and that JSON or HTML would escape.
 */
static void
iri_stats_append(iri_stats_sender_t *sender, iri_str_t text)
{
    static const char hex[] = "0123456789ABCDEF";
    char             *out = sender->text;
    size_t            i;
    unsigned char     c;

    for (i = 0; i < text.len && sender->len + 3 <= IRI_STATS_TEXT; i++) {
        c = text.data[i];

        if (c >= 0x20 && c < 0x7f && strchr("\"<>\\", c) == NULL) {
            out[sender->len++] = (char) c;
        } else {
            out[sender->len++] = '%';
            out[sender->len++] = hex[c >> 4];
            out[sender->len++] = hex[c & 15];
        }
    }
}


/* Append a Referer without query, fragment and userinfo (RFC 3986, 3.2). */
static void
iri_stats_append_referer(iri_stats_sender_t *sender, iri_str_t referer)
{
    iri_str_t start = referer;
    size_t    at;

    referer = iri_before_query(referer);
    start.len = iri_segment_end(referer, 0) + 2;

    if (start.len <= referer.len && referer.data[start.len - 1] == '/') {
        iri_stats_append(sender, start);
        referer = iri_str_from(referer, start.len);

        for (at = iri_segment_end(referer, 0); at > 0; at--) {
            if (referer.data[at - 1] == '@') {
                referer = iri_str_from(referer, at);
                break;
            }
        }
    }

    iri_stats_append(sender, referer);
}


/*
 * Find the row of a sender (*found: 1), else an empty row, else the row with
 * the smallest count.
 */
static iri_stats_sender_t *
iri_stats_row_find(iri_stats_sender_t *rows, const iri_stats_sender_t *sender,
                   int *found)
{
    iri_stats_sender_t *row, *best = rows;

    *found = 1;

    for (row = rows; row < rows + IRI_STATS_SENDERS; row++) {
        if (row->count != 0 && row->len == sender->len
            && memcmp(row->text, sender->text, (size_t) row->len) == 0)
        {
            return row;
        }

        if (row->count < best->count) {
            best = row;
        }
    }

    *found = 0;

    return best;
}


static void
iri_stats_count_sender(const iri_stats_t *stats, iri_stats_table_t table,
                       iri_stats_sender_t *sender)
{
    iri_stats_region_t *region = stats->memory;
    iri_stats_sender_t *row;
    uint64_t            count;
    int                 found;

    if (sender->len == 0) {
        iri_stats_add(&region->missing[table]);
        return;
    }

    stats->lock(stats->ctx);

    row = iri_stats_row_find(region->senders[table], sender, &found);
    sender->error = found ? row->error : row->count;
    count = row->count + 1;

    /* The row is empty while it is written. */
    __atomic_store_n(&row->count, 0, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    *row = *sender;
    __atomic_store_n(&row->count, count, __ATOMIC_RELEASE);

    stats->unlock(stats->ctx);
}


/* ---- one request --------------------------------------------------------- */

/* Count the charset of a part of the request-target.  Returns: its number. */
static size_t
iri_stats_count_charset(iri_stats_region_t *region, iri_stats_set_t *set,
                        size_t part, iri_str_t name, uint64_t now)
{
    const char *text;
    size_t      i, charset = IRI_STATS_OTHER;

    for (i = 0; i < IRI_STATS_CHARSETS && charset == IRI_STATS_OTHER; i++) {
        text = iri_stats_charset(i);

        if (text != NULL && iri_str_equal_nocase(name, text)) {
            charset = i;
        }
    }

    iri_stats_add(&set->charsets[part][charset]);
    iri_stats_set(&region->last_seen[part][charset], now);

    return charset;
}


static void
iri_stats_count_legacy(const iri_stats_t *stats, iri_stats_set_t *set,
                       const iri_stats_event_t *event)
{
    iri_stats_sender_t referer, agent;
    uint64_t           now = iri_stats_since_epoch(event->now);

    memset(&referer, 0, sizeof(referer));
    referer.last = now;

    if (event->query == IRI_QUERY_READ) {
        referer.charset = iri_stats_count_charset(stats->memory, set,
                                                  IRI_STATS_IN_QUERY,
                                                  event->query_charset, now);
    }

    if (event->form == IRI_FORM_LEGACY) {
        referer.charset = iri_stats_count_charset(
            stats->memory, set, IRI_STATS_IN_PATH, event->charset, now);
    }

    agent = referer;
    iri_stats_append_referer(&referer, event->referer);
    iri_stats_append(&agent, event->agent);
    iri_stats_count_sender(stats, IRI_STATS_REFERER, &referer);
    iri_stats_count_sender(stats, IRI_STATS_AGENT, &agent);
}


void
iri_stats_count(const iri_stats_t *stats, const iri_stats_event_t *event)
{
    iri_stats_region_t *region = stats->memory;
    iri_stats_set_t    *set = &region->sets[event->report != 0];
    iri_stats_day_t    *day;

    day = iri_stats_today(stats, iri_stats_since_epoch(event->now));
    iri_stats_add_at(day->at, IRI_FORMS, (int) event->form);

    iri_stats_add_at(set->forms, IRI_FORMS, (int) event->form);
    iri_stats_add_at(set->matches, IRI_MATCHES, (int) event->match);
    iri_stats_add_at(set->answers, IRI_VERDICTS, (int) event->verdict);
    iri_stats_add_at(set->whys, IRI_WHYS,
                     event->why == IRI_WHY_NONE ? IRI_WHY_ASCII
                                                : (int) event->why);
    iri_stats_add_at(set->queries, IRI_QUERY_WHYS, (int) event->query);
    /* 301, 302, 303, 307, 308 */
    iri_stats_add_at(set->redirects, IRI_STATS_REDIRECTS,
                     event->redirect < 304 ? event->redirect - 301
                                           : event->redirect - 304);

    if (event->form == IRI_FORM_LEGACY || event->query == IRI_QUERY_READ) {
        if (event->form != IRI_FORM_LEGACY) {
            iri_stats_add(&day->at[IRI_FORMS]);
        }

        iri_stats_count_legacy(stats, set, event);
    }
}
