/*
 * iri_stats.c - counting what was read, and with what end
 *
 * All is in memory that processes share and that outlives them.  A count is
 * one number, added to by an atomic instruction.  Of hours and days nothing is
 * counted: only what the totals were is marked when one begins, so that the
 * differences are what happened in it, and a request costs no more for that
 * than a look at when the next one is due.
 *
 * Who sends legacy encodings is kept in two tables of the most frequent, by
 * the algorithm "space saving" (Metwally, Agrawal, El Abbadi, 2005): who is
 * not in a full table takes the place, and the count, of the one that has the
 * least, so that whoever sends more than a 64th of all is in it, whatever
 * others do; and in a ring of the last.  Of a Referer neither query nor
 * fragment nor userinfo is kept: secrets stand there.
 */

#include <stdlib.h>

#include "iri_stats.h"
#include "charset/iri_charset.h"
#include "output/iri_stats_memory.h"

#define IRI_HOUR 3600
#define IRI_DAY  86400

/* What the words mean; one more where that changes, and no size does. */
#define IRI_STATS_LAYOUT UINT64_C(0x6972697300000001)

const int iri_stats_redirects[IRI_STATS_REDIRECTS] = { 301, 302, 303, 307,
                                                       308 };


/* ---- the memory ---------------------------------------------------------- */

size_t
iri_stats_size(void)
{
    return sizeof(iri_stats_region_t);
}


static uint64_t
iri_stats_mix(uint64_t hash, const unsigned char *p, size_t len)
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


/* FNV-1a of all that gives a word its meaning. */
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

    hash = iri_stats_mix(hash, (const unsigned char *) sizes, sizeof(sizes));

    for (i = 0; i < IRI_STATS_CHARSETS; i++) {
        name = iri_stats_charset(i);
        name = name != NULL ? name : "";
        hash = iri_stats_mix(hash, (const unsigned char *) name,
                             strlen(name) + 1);
    }

    return hash;
}


static uint64_t
iri_stats_since_epoch(int64_t now)
{
    return now > 0 ? (uint64_t) now : 0;
}


static void iri_stats_mark(iri_stats_region_t *region, uint64_t now);


static void
iri_stats_empty(iri_stats_region_t *region, uint64_t now)
{
    region->layout = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memset(region, 0, sizeof(*region));

    region->since = now;
    iri_stats_mark(region, now);
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
        iri_stats_empty(stats->region, iri_stats_since_epoch(now));
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


/* Of an enum that may come from anywhere. */
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

/* Of both modes: how a request came does not depend on what is done with it. */
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
 * number is 0 while it is written: who dies meanwhile leaves none, and the
 * next request makes it.
 */
static void
iri_stats_mark_one(iri_stats_mark_t *marks, size_t count, uint64_t number,
                   const uint64_t totals[IRI_STATS_SERIES])
{
    iri_stats_mark_t *mark = &marks[number % count];
    size_t            i;

    /* Those of a time that has not come yet, by a clock that was set. */
    for (i = 0; i < count; i++) {
        if (iri_stats_get(&marks[i].number) > number) {
            iri_stats_set(&marks[i].number, 0);
        }
    }

    if (iri_stats_get(&mark->number) == number) {
        return;
    }

    iri_stats_set(&mark->number, 0);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    for (i = 0; i < IRI_STATS_SERIES; i++) {
        iri_stats_set(&mark->at[i], totals[i]);
    }

    __atomic_store_n(&mark->number, number, __ATOMIC_RELEASE);
}


static void
iri_stats_mark(iri_stats_region_t *region, uint64_t now)
{
    uint64_t totals[IRI_STATS_SERIES];

    iri_stats_totals(region, totals);
    iri_stats_mark_one(region->days, IRI_STATS_DAYS + 1, now / IRI_DAY + 1,
                       totals);
    iri_stats_mark_one(region->hours, IRI_STATS_HOURS + 1, now / IRI_HOUR + 1,
                       totals);
    __atomic_store_n(&region->hour, now / IRI_HOUR * IRI_HOUR,
                     __ATOMIC_RELEASE);
}


/*
 * The hour that was marked last has ended?  Processes may differ by some
 * seconds: one that is late does not begin the hour before once more.
 */
static inline int
iri_stats_is_due(const iri_stats_region_t *region, uint64_t now)
{
    return now - iri_stats_get(&region->hour) + IRI_HOUR >= 2 * IRI_HOUR;
}


static void
iri_stats_tick(iri_stats_t *stats, uint64_t now)
{
    iri_stats_lock(stats);

    if (iri_stats_is_due(stats->region, now)) {
        iri_stats_mark(stats->region, now);
    }

    iri_stats_unlock(stats);
}


/* ---- who sends legacy encodings ------------------------------------------ */

/* Up to most octets, and no part of a character at the end. */
static iri_str_t
iri_stats_cut(iri_str_t text, size_t most)
{
    size_t back;

    if (text.len <= most) {
        return text;
    }

    for (back = 0; back < 3 && (text.data[most - back] & 0xc0) == 0x80;
         back++) {
    }

    text.len = (text.data[most - back] & 0xc0) == 0x80 ? most : most - back;

    return text;
}


/* Where the authority begins and ends, if there is one (RFC 3986, 3.2). */
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


/* Behind the first at octets of words, as much as there is room for. */
static size_t
iri_stats_put(uint64_t words[IRI_STATS_WORDS], size_t at, iri_str_t text)
{
    text = iri_stats_cut(text, IRI_STATS_TEXT - at);

    if (text.len != 0) {
        memcpy((unsigned char *) words + at, text.data, text.len);
    }

    return at + text.len;
}


/*
 * Into words, behind which they are 0: without query, fragment and userinfo.
 * Its octets.
 */
static size_t
iri_stats_referer(iri_str_t referer, uint64_t words[IRI_STATS_WORDS])
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
        return iri_stats_put(words, begin, iri_str_from(referer, at));
    }

    return iri_stats_put(words, 0, referer);
}


static size_t
iri_stats_agent(iri_str_t agent, uint64_t words[IRI_STATS_WORDS])
{
    memset(words, 0, IRI_STATS_TEXT);

    return iri_stats_put(words, 0, agent);
}


/*
 * version is odd while its text is written: who reads meanwhile leaves it out.
 * Whoever dies meanwhile leaves it odd, so that the next one may take the
 * place, and makes it even again.
 */
static void
iri_stats_begin(uint64_t *version)
{
    iri_stats_set(version, iri_stats_get(version) | 1);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}


static void
iri_stats_end(uint64_t *version)
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


/* Odd, though the lock is held: its writer has died. */
static int
iri_stats_is_empty(const iri_stats_sender_t *sender)
{
    return (sender->version & 1) != 0 || sender->count == 0;
}


/* Its own place; else one that is empty; else that of whoever has least. */
static iri_stats_sender_t *
iri_stats_place(iri_stats_sender_t *top, const uint64_t *text, size_t len,
                int *own)
{
    iri_stats_sender_t *sender, *best = top;

    for (sender = top; sender < top + IRI_STATS_TOP; sender++) {
        if (iri_stats_is_empty(sender)) {
            best = iri_stats_is_empty(best) ? best : sender;
            continue;
        }

        *own = sender->len == len
               && memcmp(sender->text, text, IRI_STATS_TEXT) == 0;
        if (*own) {
            return sender;
        }

        if (!iri_stats_is_empty(best) && sender->count < best->count) {
            best = sender;
        }
    }

    *own = 0;

    return best;
}


static void
iri_stats_top(iri_stats_sender_t *top, const iri_stats_recent_t *recent,
              const uint64_t *text, size_t len)
{
    iri_stats_sender_t *sender;
    uint64_t            least;
    int                 own;

    sender = iri_stats_place(top, text, len, &own);
    least = iri_stats_is_empty(sender) ? 0 : sender->count;

    iri_stats_begin(&sender->version);

    if (!own) {
        iri_stats_set(&sender->error, least);
        iri_stats_set(&sender->len, len);
        iri_stats_set_text(sender->text, text);
    }

    iri_stats_set(&sender->count, least + 1);
    iri_stats_set(&sender->last, recent->time);
    iri_stats_set(&sender->charset, recent->charset);

    iri_stats_end(&sender->version);
}


static void
iri_stats_remember(iri_stats_region_t *region, const iri_stats_recent_t *from)
{
    uint64_t            turn = region->turn++;
    iri_stats_recent_t *to = &region->recent[turn % IRI_STATS_RECENT];

    iri_stats_begin(&to->version);
    iri_stats_set(&to->time, from->time);
    iri_stats_set(&to->charset, from->charset);
    iri_stats_set(&to->kind, from->kind);
    iri_stats_set(&to->referer_len, from->referer_len);
    iri_stats_set(&to->agent_len, from->agent_len);
    iri_stats_set_text(to->referer, from->referer);
    iri_stats_set_text(to->agent, from->agent);
    iri_stats_end(&to->version);
}


static void
iri_stats_sender(iri_stats_t *stats, const iri_stats_recent_t *recent)
{
    iri_stats_region_t *region = stats->region;

    iri_stats_lock(stats);
    iri_stats_remember(region, recent);

    if (recent->referer_len != 0) {
        iri_stats_top(region->top[IRI_STATS_REFERER], recent, recent->referer,
                      (size_t) recent->referer_len);
    }

    if (recent->agent_len != 0) {
        iri_stats_top(region->top[IRI_STATS_AGENT], recent, recent->agent,
                      (size_t) recent->agent_len);
    }

    iri_stats_unlock(stats);

    if (recent->referer_len == 0) {
        iri_stats_add(&region->unsaid[IRI_STATS_REFERER]);
    }

    if (recent->agent_len == 0) {
        iri_stats_add(&region->unsaid[IRI_STATS_AGENT]);
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
iri_stats_legacy_part(iri_stats_region_t *region, iri_stats_set_t *set,
                      size_t part, iri_str_t name, uint64_t now)
{
    size_t charset = iri_stats_charset_of(name);

    iri_stats_add(&set->charsets[part][charset]);
    iri_stats_set(&region->seen[part][charset], now);

    return charset;
}


static void
iri_stats_legacy(iri_stats_t *stats, iri_stats_set_t *set,
                 const iri_stats_event_t *event)
{
    iri_stats_recent_t recent;
    size_t             charset = IRI_STATS_OTHER;
    uint64_t           now = iri_stats_since_epoch(event->now);

    recent.kind = event->report ? IRI_STATS_OF_REPORT : 0;

    /* of both parts the path is what is remembered: it has the last word */
    if (event->query == IRI_QUERY_READ) {
        charset = iri_stats_legacy_part(stats->region, set,
                                        IRI_STATS_IN_QUERY,
                                        event->query_charset, now);
        recent.kind |= IRI_STATS_OF_QUERY;
    }

    if (event->form != IRI_FORM_LEGACY) {
        iri_stats_add(&set->query_only);

    } else {
        charset = iri_stats_legacy_part(stats->region, set, IRI_STATS_IN_PATH,
                                        event->charset, now);
        recent.kind &= ~(uint64_t) IRI_STATS_OF_QUERY;
    }

    recent.time = now;
    recent.charset = charset;
    recent.referer_len = iri_stats_referer(event->referer, recent.referer);
    recent.agent_len = iri_stats_agent(event->agent, recent.agent);

    iri_stats_sender(stats, &recent);
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

    if (iri_stats_is_due(stats->region, at)) {
        iri_stats_tick(stats, at);
    }

    iri_stats_add(&stats->region->sets[report != 0].plain);
}


static void
iri_stats_redirect(iri_stats_set_t *set, int status)
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

    if (iri_stats_is_due(stats->region, now)) {
        iri_stats_tick(stats, now);
    }

    iri_stats_add_at(set->forms, IRI_FORMS, (int) event->form);
    iri_stats_add_at(set->matches, IRI_MATCHES, (int) event->match);
    iri_stats_add_at(set->answers, IRI_VERDICTS, (int) event->verdict);
    iri_stats_add_at(set->whys, IRI_WHYS, (int) event->why);
    iri_stats_add_at(set->queries, IRI_QUERY_WHYS, (int) event->query);
    iri_stats_add_at(set->hosts, IRI_HOST_WHYS, (int) event->host);
    iri_stats_redirect(set, event->redirect);

    /* Of a host the reason is among those of hosts. */
    if (event->verdict == IRI_REFUSE && event->why != IRI_WHY_NONE) {
        iri_stats_add_at(set->refusals, IRI_WHYS, (int) event->why);
    }

    if (event->form == IRI_FORM_LEGACY || event->query == IRI_QUERY_READ) {
        iri_stats_legacy(stats, set, event);
    }
}
