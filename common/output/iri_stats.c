/*
 * iri_stats.c - counters of requests and their results
 *
 * The counters are in memory that processes share and that outlives them.  A
 * counter is one number, incremented by an atomic instruction.  There are no
 * counters for hours and days: when one begins, a checkpoint stores the
 * totals, and the difference of two checkpoints gives the requests between
 * them.  A request only compares the time with the end of the hour.
 *
 * Senders of legacy encodings are kept in a ring of the last requests and in
 * two tables of the most frequent Referers and User-Agents, with the algorithm
 * "space saving" (Metwally, Agrawal, El Abbadi, 2005): in a full table, a new
 * sender replaces the row with the smallest count and continues that count.
 * Each sender of more than 1/64 of the requests is then in the table.  Query,
 * fragment and userinfo of a Referer are not stored, because they may contain
 * secrets.
 */

#include <stdlib.h>

#include "iri_stats.h"
#include "charset/iri_charset.h"
#include "output/iri_stats_memory.h"

#define IRI_HOUR 3600
#define IRI_DAY  86400

/* Increment this if the meaning of a word changes and no size does. */
#define IRI_STATS_LAYOUT UINT64_C(0x6972697300000001)

const int iri_stats_redirects[IRI_STATS_REDIRECTS] = { 301, 302, 303, 307,
                                                       308 };


/* ---- the memory ---------------------------------------------------------- */

size_t
iri_stats_size(void)
{
    return sizeof(iri_stats_region_t);
}


/* Continue an FNV-1a hash. */
static uint64_t
iri_stats_hash(uint64_t hash, const unsigned char *p, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++) {
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    }

    return hash;
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


/* Hash the sizes and names that define the layout of the memory. */
uint64_t
iri_stats_layout(void)
{
    const uint64_t sizes[] = { IRI_STATS_LAYOUT,
                               sizeof(iri_stats_region_t),
                               IRI_FORMS,
                               IRI_MATCHES,
                               IRI_VERDICTS,
                               IRI_WHYS,
                               IRI_QUERY_WHYS,
                               IRI_HOST_WHYS,
                               sizeof(iri_index_cache_counts_t) };
    uint64_t       hash = UINT64_C(0xcbf29ce484222325);
    const char    *name;
    size_t         i;

    hash = iri_stats_hash(hash, (const unsigned char *) sizes, sizeof(sizes));

    for (i = 0; i < IRI_STATS_CHARSETS; i++) {
        name = iri_stats_charset(i);
        name = name != NULL ? name : "";
        hash = iri_stats_hash(hash, (const unsigned char *) name,
                              strlen(name) + 1);
    }

    return hash;
}


static uint64_t
iri_stats_since_epoch(int64_t now)
{
    return now > 0 ? (uint64_t) now : 0;
}


static void iri_stats_checkpoint(iri_stats_region_t *region, uint64_t now);


static void
iri_stats_reset(iri_stats_region_t *region, uint64_t now)
{
    region->layout = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memset(region, 0, sizeof(*region));

    region->since = now;
    iri_stats_checkpoint(region, now);
    __atomic_store_n(&region->layout, iri_stats_layout(), __ATOMIC_RELEASE);
}


iri_stats_t *
iri_stats_create(const iri_stats_conf_t *conf, int64_t now)
{
    iri_stats_t *stats;

    stats = calloc(1, sizeof(*stats));
    if (stats == NULL) {
        return NULL;
    }

    stats->conf = *conf;
    stats->region = conf->memory;

    if (stats->region->layout != iri_stats_layout()) {
        iri_stats_reset(stats->region, iri_stats_since_epoch(now));
    }

    return stats;
}


void
iri_stats_destroy(iri_stats_t *stats)
{
    free(stats);
}


iri_index_cache_counts_t *
iri_stats_cache_counts(iri_stats_t *stats)
{
    return &stats->region->cache;
}


static void
iri_stats_lock(iri_stats_t *stats)
{
    if (stats->conf.lock != NULL) {
        stats->conf.lock(stats->conf.ctx);
    }
}


static void
iri_stats_unlock(iri_stats_t *stats)
{
    if (stats->conf.unlock != NULL) {
        stats->conf.unlock(stats->conf.ctx);
    }
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


static inline void
iri_stats_set(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}


/* ---- hours and days ------------------------------------------------------ */

/* Sum the forms of both modes. */
static void
iri_stats_totals(const iri_stats_region_t *region,
                 uint64_t                  totals[IRI_STATS_SERIES])
{
    const iri_stats_set_t *set = region->sets;
    size_t                 i, k;

    memset(totals, 0, IRI_STATS_SERIES * sizeof(*totals));

    for (k = 0; k < IRI_STATS_MODES; k++, set++) {
        for (i = 0; i < IRI_FORMS; i++) {
            totals[i] += iri_stats_get(&set->forms[i]);
        }

        totals[IRI_FORM_ASCII] += iri_stats_get(&set->plain);
        totals[IRI_FORMS] += iri_stats_get(&set->query_only);
    }
}


/*
 * Store the totals at the start of hour or day number.  The number in memory is
 * 0 during the write: if the process dies, the checkpoint is empty and the next
 * request stores it again.
 */
static void
iri_stats_checkpoint_store(iri_stats_checkpoint_t *checkpoints, size_t count,
                           uint64_t       number,
                           const uint64_t totals[IRI_STATS_SERIES])
{
    iri_stats_checkpoint_t *checkpoint = &checkpoints[number % count];
    size_t                  i;

    /* Delete checkpoints of the future: the clock was set back. */
    for (i = 0; i < count; i++) {
        if (iri_stats_get(&checkpoints[i].number) > number) {
            iri_stats_set(&checkpoints[i].number, 0);
        }
    }

    if (iri_stats_get(&checkpoint->number) == number) {
        return;
    }

    iri_stats_set(&checkpoint->number, 0);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    for (i = 0; i < IRI_STATS_SERIES; i++) {
        iri_stats_set(&checkpoint->at[i], totals[i]);
    }

    __atomic_store_n(&checkpoint->number, number, __ATOMIC_RELEASE);
}


static void
iri_stats_checkpoint(iri_stats_region_t *region, uint64_t now)
{
    uint64_t totals[IRI_STATS_SERIES];

    iri_stats_totals(region, totals);
    iri_stats_checkpoint_store(region->days, IRI_STATS_DAYS + 1,
                               now / IRI_DAY + 1, totals);
    iri_stats_checkpoint_store(region->hours, IRI_STATS_HOURS + 1,
                               now / IRI_HOUR + 1, totals);
    __atomic_store_n(&region->hour, now / IRI_HOUR * IRI_HOUR,
                     __ATOMIC_RELEASE);
}


/*
 * 1 if the hour of the last checkpoint has ended, or the clock was set back by
 * more than an hour.  The clocks of processes may differ by some seconds, so
 * the previous hour does not count.
 */
static inline int
iri_stats_hour_has_ended(const iri_stats_region_t *region, uint64_t now)
{
    return now - iri_stats_get(&region->hour) + IRI_HOUR >= 2 * IRI_HOUR;
}


static void
iri_stats_begin_hour(iri_stats_t *stats, uint64_t now)
{
    iri_stats_lock(stats);

    if (iri_stats_hour_has_ended(stats->region, now)) {
        iri_stats_checkpoint(stats->region, now);
    }

    iri_stats_unlock(stats);
}


/* ---- senders of legacy encodings ----------------------------------------- */

/* Shorten text to at most limit octets, at the end of a character. */
static iri_str_t
iri_stats_cut(iri_str_t text, size_t limit)
{
    size_t back;

    if (text.len <= limit) {
        return text;
    }

    for (back = 0; back < 3 && (text.data[limit - back] & 0xc0) == 0x80;
         back++) {
    }

    text.len = (text.data[limit - back] & 0xc0) == 0x80 ? limit
                                                        : limit - back;

    return text;
}


/*
 * The offsets of begin and end of the authority (RFC 3986, 3.2); 0, 0: none.
 */
static size_t
iri_stats_authority(iri_str_t referer, size_t *end)
{
    size_t at = 0;

    if (referer.len >= 2 && memcmp(referer.data, "//", 2) == 0) {
        *end = iri_segment_end(referer, 2);
        return 2;
    }

    while (at + 3 <= referer.len && referer.data[at] != '/') {
        if (memcmp(referer.data + at, "://", 3) == 0) {
            *end = iri_segment_end(referer, at + 3);
            return at + 3;
        }

        at++;
    }

    *end = 0;

    return 0;
}


/* Append text at offset at of words, shortened to the room there. */
static size_t
iri_stats_words_append(uint64_t words[IRI_STATS_WORDS], size_t at,
                       iri_str_t text)
{
    text = iri_stats_cut(text, IRI_STATS_TEXT - at);

    if (text.len != 0) {
        memcpy((unsigned char *) words + at, text.data, text.len);
    }

    return at + text.len;
}


/*
 * Copy a Referer without query, fragment and userinfo to words; fill the rest
 * with 0.  Returns: the octets copied.
 */
static size_t
iri_stats_copy_referer(iri_str_t referer, uint64_t words[IRI_STATS_WORDS])
{
    size_t i, begin, end, at;

    for (i = 0; i < referer.len; i++) {
        if (referer.data[i] == '?' || referer.data[i] == '#') {
            referer.len = i;
        }
    }

    begin = iri_stats_authority(referer, &end);

    for (at = end; at > begin; at--) {
        if (referer.data[at - 1] == '@') {
            break;
        }
    }

    memset(words, 0, IRI_STATS_TEXT);

    if (at > begin && begin < IRI_STATS_TEXT) {
        memcpy(words, referer.data, begin);
        return iri_stats_words_append(words, begin,
                                      iri_str_from(referer, at));
    }

    return iri_stats_words_append(words, 0, referer);
}


static size_t
iri_stats_copy_agent(iri_str_t agent, uint64_t words[IRI_STATS_WORDS])
{
    memset(words, 0, IRI_STATS_TEXT);

    return iri_stats_words_append(words, 0, agent);
}


/*
 * Make version odd while a row is written: readers skip such a row.  If the
 * writer dies, version stays odd and the next writer uses the row.
 */
static void
iri_stats_write_begin(uint64_t *version)
{
    iri_stats_set(version, iri_stats_get(version) | 1);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}


static void
iri_stats_write_end(uint64_t *version)
{
    __atomic_store_n(version, iri_stats_get(version) + 1, __ATOMIC_RELEASE);
}


static void
iri_stats_set_text(uint64_t *to, const uint64_t *from)
{
    size_t i;

    for (i = 0; i < IRI_STATS_WORDS; i++) {
        iri_stats_set(&to[i], from[i]);
    }
}


/* 1 if the row is empty.  Called under the lock: if version is odd, the writer
   has died. */
static int
iri_stats_slot_is_empty(const iri_stats_sender_t *sender)
{
    return (sender->version & 1) != 0 || sender->count == 0;
}


/*
 * Find the row of text (*found: 1), else an empty row, else the row with the
 * smallest count.
 */
static iri_stats_sender_t *
iri_stats_slot(iri_stats_sender_t *top, const uint64_t *text, size_t len,
               int *found)
{
    iri_stats_sender_t *sender, *best = top;

    for (sender = top; sender < top + IRI_STATS_TOP; sender++) {
        if (iri_stats_slot_is_empty(sender)) {
            best = iri_stats_slot_is_empty(best) ? best : sender;
            continue;
        }

        *found = sender->len == len
                 && memcmp(sender->text, text, IRI_STATS_TEXT) == 0;
        if (*found) {
            return sender;
        }

        if (!iri_stats_slot_is_empty(best) && sender->count < best->count) {
            best = sender;
        }
    }

    *found = 0;

    return best;
}


static void
iri_stats_top_update(iri_stats_sender_t       *top,
                     const iri_stats_recent_t *recent, const uint64_t *text,
                     size_t len)
{
    iri_stats_sender_t *sender;
    uint64_t            least;
    int                 found;

    sender = iri_stats_slot(top, text, len, &found);
    least = iri_stats_slot_is_empty(sender) ? 0 : sender->count;

    iri_stats_write_begin(&sender->version);

    if (!found) {
        iri_stats_set(&sender->error, least);
        iri_stats_set(&sender->len, len);
        iri_stats_set_text(sender->text, text);
    }

    iri_stats_set(&sender->count, least + 1);
    iri_stats_set(&sender->last, recent->time);
    iri_stats_set(&sender->charset, recent->charset);

    iri_stats_write_end(&sender->version);
}


static void
iri_stats_recent_add(iri_stats_region_t       *region,
                     const iri_stats_recent_t *from)
{
    uint64_t            turn = region->recent_next++;
    iri_stats_recent_t *to = &region->recent[turn % IRI_STATS_RECENT];

    iri_stats_write_begin(&to->version);
    iri_stats_set(&to->time, from->time);
    iri_stats_set(&to->charset, from->charset);
    iri_stats_set(&to->kind, from->kind);
    iri_stats_set(&to->referer_len, from->referer_len);
    iri_stats_set(&to->agent_len, from->agent_len);
    iri_stats_set_text(to->referer, from->referer);
    iri_stats_set_text(to->agent, from->agent);
    iri_stats_write_end(&to->version);
}


static void
iri_stats_record_sender(iri_stats_t *stats, const iri_stats_recent_t *recent)
{
    iri_stats_region_t *region = stats->region;

    iri_stats_lock(stats);
    iri_stats_recent_add(region, recent);

    if (recent->referer_len != 0) {
        iri_stats_top_update(region->top[IRI_STATS_REFERER], recent,
                             recent->referer, (size_t) recent->referer_len);
    }

    if (recent->agent_len != 0) {
        iri_stats_top_update(region->top[IRI_STATS_AGENT], recent,
                             recent->agent, (size_t) recent->agent_len);
    }

    iri_stats_unlock(stats);

    if (recent->referer_len == 0) {
        iri_stats_add(&region->missing[IRI_STATS_REFERER]);
    }

    if (recent->agent_len == 0) {
        iri_stats_add(&region->missing[IRI_STATS_AGENT]);
    }
}


/* ---- one request --------------------------------------------------------- */

static size_t
iri_stats_charset_of(iri_str_t name)
{
    const char *text;
    size_t      i;

    for (i = 0; i < IRI_STATS_CHARSETS; i++) {
        text = iri_stats_charset(i);

        if (text != NULL && name.len != 0 && text[0] == (char) name.data[0]
            && strlen(text) == name.len
            && memcmp(text, name.data, name.len) == 0)
        {
            return i;
        }
    }

    return IRI_STATS_OTHER;
}


static size_t
iri_stats_count_legacy_part(iri_stats_region_t *region, iri_stats_set_t *set,
                            size_t part, iri_str_t name, uint64_t now)
{
    size_t charset = iri_stats_charset_of(name);

    iri_stats_add(&set->charsets[part][charset]);
    iri_stats_set(&region->last_seen[part][charset], now);

    return charset;
}


static void
iri_stats_count_legacy(iri_stats_t *stats, iri_stats_set_t *set,
                       const iri_stats_event_t *event)
{
    iri_stats_recent_t recent;
    size_t             charset = IRI_STATS_OTHER;
    uint64_t           now = iri_stats_since_epoch(event->now);

    recent.kind = event->report ? IRI_STATS_OF_REPORT : 0;

    /* If path and query are legacy, the path is stored as recent. */
    if (event->query == IRI_QUERY_READ) {
        charset = iri_stats_count_legacy_part(stats->region, set,
                                              IRI_STATS_IN_QUERY,
                                              event->query_charset, now);
        recent.kind |= IRI_STATS_OF_QUERY;
    }

    if (event->form != IRI_FORM_LEGACY) {
        iri_stats_add(&set->query_only);

    } else {
        charset = iri_stats_count_legacy_part(
            stats->region, set, IRI_STATS_IN_PATH, event->charset, now);
        recent.kind &= ~(uint64_t) IRI_STATS_OF_QUERY;
    }

    recent.time = now;
    recent.charset = charset;
    recent.referer_len = iri_stats_copy_referer(event->referer,
                                                recent.referer);
    recent.agent_len = iri_stats_copy_agent(event->agent, recent.agent);

    iri_stats_record_sender(stats, &recent);
}


static int
iri_stats_is_plain(const iri_stats_event_t *event)
{
    return event->form == IRI_FORM_ASCII && event->match == IRI_MATCH_NONE
           && event->verdict == IRI_PASS && event->redirect == 0
           && event->query == IRI_QUERY_ASCII
           && event->host == IRI_HOST_ASCII;
}


void
iri_stats_count_plain(iri_stats_t *stats, int report, int64_t now)
{
    uint64_t at = iri_stats_since_epoch(now);

    if (iri_stats_hour_has_ended(stats->region, at)) {
        iri_stats_begin_hour(stats, at);
    }

    iri_stats_add(&stats->region->sets[report != 0].plain);
}


static void
iri_stats_count_redirect(iri_stats_set_t *set, int status)
{
    size_t i;

    for (i = 0; i < IRI_STATS_REDIRECTS; i++) {
        if (iri_stats_redirects[i] == status) {
            iri_stats_add(&set->redirects[i]);
        }
    }
}


void
iri_stats_count(iri_stats_t *stats, const iri_stats_event_t *event)
{
    iri_stats_set_t *set = &stats->region->sets[event->report != 0];
    uint64_t         now = iri_stats_since_epoch(event->now);

    if (iri_stats_is_plain(event)) {
        iri_stats_count_plain(stats, event->report, event->now);
        return;
    }

    if (iri_stats_hour_has_ended(stats->region, now)) {
        iri_stats_begin_hour(stats, now);
    }

    iri_stats_add_at(set->forms, IRI_FORMS, (int) event->form);
    iri_stats_add_at(set->matches, IRI_MATCHES, (int) event->match);
    iri_stats_add_at(set->answers, IRI_VERDICTS, (int) event->verdict);
    iri_stats_add_at(set->whys, IRI_WHYS, (int) event->why);
    iri_stats_add_at(set->queries, IRI_QUERY_WHYS, (int) event->query);
    iri_stats_add_at(set->hosts, IRI_HOST_WHYS, (int) event->host);
    iri_stats_count_redirect(set, event->redirect);

    /* The reason for refusing a host is counted in hosts. */
    if (event->verdict == IRI_REFUSE && event->why != IRI_WHY_NONE) {
        iri_stats_add_at(set->refusals, IRI_WHYS, (int) event->why);
    }

    if (event->form == IRI_FORM_LEGACY || event->query == IRI_QUERY_READ) {
        iri_stats_count_legacy(stats, set, event);
    }
}
