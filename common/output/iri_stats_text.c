/*
 * iri_stats_text.c - the status report as JSON and as Prometheus text
 * (exposition format 0.0.4)
 *
 * Values of labels are never taken from requests, so the number of time series
 * is bounded.
 */

#include "output/iri_output.h"
#include "output/iri_stats_memory.h"

/* Greatest length of an untrusted text, escaped. */
#define IRI_STATS_JSON_TEXT 512

const char *const iri_stats_modes[IRI_STATS_MODES] = { "on", "report" };
const char *const iri_stats_parts[IRI_STATS_PARTS] = { "path", "query" };

static const char *const iri_stats_cache_words[] = { "index_hits",
                                                     "index_misses",
                                                     "builds" };


/* ---- output and words ---------------------------------------------------- */

void
iri_stats_put(iri_stats_out_t *out, const char *text)
{
    if (out->status == IRI_OK) {
        out->status = iri_buf_put_text(out->env, &out->buf, text);
    }
}


void
iri_stats_put_number(iri_stats_out_t *out, uint64_t number)
{
    char   digits[21];
    size_t at = sizeof(digits) - 1;

    digits[at] = '\0';

    do {
        digits[--at] = (char) ('0' + number % 10);
        number /= 10;
    } while (number != 0);

    iri_stats_put(out, digits + at);
}


/* If the text is too long, whole characters are removed at its end. */
int
iri_stats_put_text(iri_stats_out_t *out,
                   iri_status_t (*put)(const iri_env_t *, iri_buf_t *,
                                       iri_str_t),
                   iri_str_t text, size_t most)
{
    size_t from = out->buf.len, took;
    int    cut = 0;

    while (out->status == IRI_OK) {
        out->status = put(out->env, &out->buf, text);
        took = out->buf.len - from;

        if (out->status != IRI_OK || took <= most || text.len == 0) {
            break;
        }

        cut = 1;
        out->buf.len = from;
        text.len = text.len * most / took;

        while (text.len > 0 && (text.data[text.len] & 0xc0) == 0x80) {
            text.len--;
        }
    }

    return cut;
}


void
iri_stats_date(int64_t seconds, unsigned char out[IRI_STATS_TIME])
{
    if (!iri_put_time(seconds > 0 ? seconds : 0, out)) {
        memcpy(out, "9999-12-31T23:59:59Z", IRI_STATS_TIME);
    }
}


void
iri_stats_put_time(iri_stats_out_t *out, int64_t seconds)
{
    unsigned char date[IRI_STATS_TIME];

    iri_stats_date(seconds, date);

    if (out->status == IRI_OK) {
        out->status = iri_buf_put(out->env, &out->buf, date, sizeof(date));
    }
}


#define IRI_STATS_WORD(name, function, type)                                 \
    const char *iri_stats_##name##_word(int i)                               \
    {                                                                        \
        return function((type) i);                                           \
    }

IRI_STATS_WORD(form, iri_form_text, iri_form_t)
IRI_STATS_WORD(match, iri_match_text, iri_match_t)
IRI_STATS_WORD(verdict, iri_verdict_text, iri_verdict_t)
IRI_STATS_WORD(why, iri_why_code, iri_why_t)
IRI_STATS_WORD(query, iri_query_why_code, iri_query_why_t)
IRI_STATS_WORD(host, iri_host_why_code, iri_host_why_t)


const char *
iri_stats_redirect_word(int i)
{
    static const char *const words[IRI_STATS_REDIRECTS] = { "301", "302",
                                                            "303", "307",
                                                            "308" };

    return words[i];
}


/* ---- JSON ---------------------------------------------------------------- */

/* Append "name": and, unless it is the first member, a "," before it. */
static void
iri_json_key(iri_stats_out_t *out, const char *name)
{
    if (out->status == IRI_OK && out->buf.len != 0
        && out->buf.data[out->buf.len - 1] != '{')
    {
        iri_stats_put(out, ",");
    }

    iri_stats_put(out, "\"");
    iri_stats_put(out, name);
    iri_stats_put(out, "\":");
}


static void
iri_json_number(iri_stats_out_t *out, const char *name, uint64_t number)
{
    iri_json_key(out, name);
    iri_stats_put_number(out, number);
}


static void
iri_json_time(iri_stats_out_t *out, const char *name, int64_t seconds)
{
    iri_json_key(out, name);
    iri_stats_put(out, "\"");
    iri_stats_put_time(out, seconds);
    iri_stats_put(out, "\"");
}


static void
iri_json_text(iri_stats_out_t *out, const char *name, iri_str_t text)
{
    iri_json_key(out, name);
    (void) iri_stats_put_text(out, iri_json_put, text, IRI_STATS_JSON_TEXT);
}


/* Whether counts of 0 are written. */
typedef enum { IRI_JSON_ALL, IRI_JSON_NONZERO } iri_json_select_t;

static void
iri_json_counts(iri_stats_out_t *out, const char *name, const uint64_t *count,
                int size, iri_stats_word_t word, iri_json_select_t which)
{
    int i;

    iri_json_key(out, name);
    iri_stats_put(out, "{");

    for (i = 0; i < size; i++) {
        if (which == IRI_JSON_ALL || count[i] != 0) {
            iri_json_number(out, word(i), count[i]);
        }
    }

    iri_stats_put(out, "}");
}


static void
iri_json_set(iri_stats_out_t *out, const iri_stats_set_t *set,
             const char *name)
{
    iri_json_key(out, name);
    iri_stats_put(out, "{");
    iri_json_number(out, "requests", iri_stats_requests(set->forms));
    iri_json_counts(out, "forms", set->forms, IRI_FORMS, iri_stats_form_word,
                    IRI_JSON_ALL);
    iri_json_counts(out, "matches", set->matches, IRI_MATCHES,
                    iri_stats_match_word, IRI_JSON_ALL);
    iri_json_counts(out, "answers", set->answers, IRI_VERDICTS,
                    iri_stats_verdict_word, IRI_JSON_ALL);
    iri_json_counts(out, "reasons", set->whys, IRI_WHYS, iri_stats_why_word,
                    IRI_JSON_NONZERO);
    iri_json_counts(out, "refusals", set->refusals, IRI_WHYS,
                    iri_stats_why_word, IRI_JSON_NONZERO);
    iri_json_counts(out, "redirects", set->redirects, IRI_STATS_REDIRECTS,
                    iri_stats_redirect_word, IRI_JSON_ALL);
    iri_json_counts(out, "queries", set->queries, IRI_QUERY_WHYS,
                    iri_stats_query_word, IRI_JSON_ALL);
    iri_json_counts(out, "hosts", set->hosts, IRI_HOST_WHYS,
                    iri_stats_host_word, IRI_JSON_ALL);
    iri_stats_put(out, "}");
}


static void
iri_json_charset(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot,
                 size_t i)
{
    size_t part, mode;

    iri_json_key(out, iri_stats_charset(i));
    iri_stats_put(out, "{");

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        if (snapshot->last_seen[part][i] == 0) {
            continue;
        }

        iri_json_key(out, iri_stats_parts[part]);
        iri_stats_put(out, "{");

        for (mode = 0; mode < IRI_STATS_MODES; mode++) {
            iri_json_number(out, iri_stats_modes[mode],
                            snapshot->sets[mode].charsets[part][i]);
        }

        iri_json_time(out, "last", (int64_t) snapshot->last_seen[part][i]);
        iri_stats_put(out, "}");
    }

    iri_stats_put(out, "}");
}


static void
iri_json_charsets(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    size_t i;

    iri_json_key(out, "charsets");
    iri_stats_put(out, "{");

    for (i = 0; i < IRI_STATS_CHARSETS; i++) {
        if (snapshot->last_seen[0][i] != 0 || snapshot->last_seen[1][i] != 0)
        {
            iri_json_charset(out, snapshot, i);
        }
    }

    iri_stats_put(out, "}");
}


/* An array of hours or days; those without requests are omitted. */
static void
iri_json_spans(iri_stats_out_t *out, const char *name,
               const iri_stats_span_t *span, size_t count)
{
    size_t i, k;
    int    more = 0;

    iri_json_key(out, name);
    iri_stats_put(out, "[");

    for (i = 0; i < count; i++) {
        if (iri_stats_requests(span[i].at) == 0) {
            continue;
        }

        iri_stats_put(out, more ? ",\n{" : "\n{");
        more = 1;
        iri_json_time(out, "begins", span[i].begins);

        for (k = 0; k < IRI_STATS_SERIES; k++) {
            if (span[i].at[k] != 0) {
                iri_json_number(out,
                                k < IRI_FORMS ? iri_form_text((iri_form_t) k)
                                              : "legacy_query",
                                span[i].at[k]);
            }
        }

        iri_stats_put(out, "}");
    }

    iri_stats_put(out, "]");
}


const char *
iri_stats_charset_word(uint64_t charset)
{
    const char *word = NULL;

    if (charset < IRI_STATS_CHARSETS) {
        word = iri_stats_charset((size_t) charset);
    }

    return word != NULL ? word : "other";
}


static void
iri_json_string(iri_stats_out_t *out, const char *name, const char *word)
{
    iri_json_key(out, name);
    iri_stats_put(out, "\"");
    iri_stats_put(out, word);
    iri_stats_put(out, "\"");
}


static void
iri_json_senders(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot,
                 iri_stats_table_t table, const char *name)
{
    const iri_stats_sender_t *top = snapshot->top[table];
    size_t                    i;

    iri_json_key(out, name);
    iri_stats_put(out, "{");
    iri_json_number(out, "none", snapshot->missing[table]);
    iri_json_key(out, "top");
    iri_stats_put(out, "[");

    for (i = 0; i < snapshot->top_count[table]; i++) {
        iri_stats_put(out, i != 0 ? ",\n{" : "\n{");
        iri_json_text(out, "text", iri_stats_text(top[i].text, top[i].len));
        iri_json_number(out, "count", top[i].count);
        iri_json_number(out, "error", top[i].error);
        iri_json_string(out, "charset",
                        iri_stats_charset_word(top[i].charset));
        iri_json_time(out, "last", (int64_t) top[i].last);
        iri_stats_put(out, "}");
    }

    iri_stats_put(out, "]}");
}


static void
iri_json_recent(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    const iri_stats_recent_t *recent = snapshot->recent;
    size_t                    i;

    iri_json_key(out, "recent");
    iri_stats_put(out, "[");

    for (i = 0; i < snapshot->recent_count; i++, recent++) {
        iri_stats_put(out, i != 0 ? ",\n{" : "\n{");
        iri_json_time(out, "time", (int64_t) recent->time);
        iri_json_string(
            out, "mode",
            iri_stats_modes[(recent->kind & IRI_STATS_OF_REPORT) != 0]);
        iri_json_string(
            out, "part",
            iri_stats_parts[(recent->kind & IRI_STATS_OF_QUERY) != 0]);
        iri_json_string(out, "charset",
                        iri_stats_charset_word(recent->charset));
        iri_json_text(out, "referer",
                      iri_stats_text(recent->referer, recent->referer_len));
        iri_json_text(out, "user_agent",
                      iri_stats_text(recent->agent, recent->agent_len));
        iri_stats_put(out, "}");
    }

    iri_stats_put(out, "]");
}


static void
iri_json_cache(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    const uint64_t *count = (const uint64_t *) &snapshot->cache;
    size_t          i;

    iri_json_key(out, "cache");
    iri_stats_put(out, "{");

    for (i = 0; i < sizeof(snapshot->cache) / sizeof(*count); i++) {
        iri_json_number(out, iri_stats_cache_words[i], count[i]);
    }

    iri_json_number(out, "indexes", snapshot->use.indexes);
    iri_json_number(out, "used", snapshot->use.used);
    iri_json_number(out, "size", snapshot->use.size);
    iri_stats_put(out, "}");
}


void
iri_stats_json(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    size_t mode;

    iri_stats_put(out, "{");
    iri_json_time(out, "now", snapshot->now);
    iri_json_time(out, "since", snapshot->since);
    iri_json_number(out, "uptime",
                    snapshot->now > snapshot->since
                        ? (uint64_t) (snapshot->now - snapshot->since)
                        : 0);

    for (mode = 0; mode < IRI_STATS_MODES; mode++) {
        iri_json_set(out, &snapshot->sets[mode], iri_stats_modes[mode]);
    }

    iri_json_charsets(out, snapshot);
    iri_json_cache(out, snapshot);
    iri_json_spans(out, "hours", snapshot->hours, snapshot->hour_count);
    iri_json_spans(out, "days", snapshot->days, snapshot->day_count);
    iri_json_senders(out, snapshot, IRI_STATS_REFERER, "referers");
    iri_json_senders(out, snapshot, IRI_STATS_AGENT, "user_agents");
    iri_json_recent(out, snapshot);
    iri_stats_put(out, "}\n");
}


/* ---- Prometheus ---------------------------------------------------------- */

static void
iri_metric(iri_stats_out_t *out, const char *name, const char *type,
           const char *help)
{
    iri_stats_put(out, "# HELP ");
    iri_stats_put(out, name);
    iri_stats_put(out, " ");
    iri_stats_put(out, help);
    iri_stats_put(out, "\n# TYPE ");
    iri_stats_put(out, name);
    iri_stats_put(out, " ");
    iri_stats_put(out, type);
    iri_stats_put(out, "\n");
}


/* Append a label; quotes and backslashes in its value are escaped. */
static void
iri_metric_label(iri_stats_out_t *out, const char *name, const char *value)
{
    char one[2] = { '\0', '\0' };

    iri_stats_put(out, out->buf.data != NULL
                               && out->buf.data[out->buf.len - 1] == '"'
                           ? ","
                           : "{");
    iri_stats_put(out, name);
    iri_stats_put(out, "=\"");

    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') {
            iri_stats_put(out, "\\");
        }

        one[0] = *value;
        iri_stats_put(out, one);
    }

    iri_stats_put(out, "\"");
}


static void
iri_metric_value(iri_stats_out_t *out, uint64_t value)
{
    iri_stats_put(out, out->buf.data != NULL
                               && out->buf.data[out->buf.len - 1] == '"'
                           ? "} "
                           : " ");
    iri_stats_put_number(out, value);
    iri_stats_put(out, "\n");
}


/* A metric with the label "mode" and a label for the values of an enum. */
typedef struct {
    const char      *name;
    const char      *help;
    const char      *label;
    size_t           offset; /* in iri_stats_set_t */
    int              size;
    iri_stats_word_t word;
} iri_metric_t;


static void
iri_metric_counts(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot,
                  const iri_metric_t *metric)
{
    const uint64_t *counts;
    int             mode, i;

    iri_metric(out, metric->name, "counter", metric->help);

    for (mode = 0; mode < IRI_STATS_MODES; mode++) {
        counts = iri_stats_at(&snapshot->sets[mode], metric->offset);

        for (i = 0; i < metric->size; i++) {
            iri_stats_put(out, metric->name);
            iri_metric_label(out, "mode", iri_stats_modes[mode]);
            iri_metric_label(out, metric->label, metric->word(i));
            iri_metric_value(out, counts[i]);
        }
    }
}


#define IRI_METRIC_OF(field, word)                                           \
    offsetof(iri_stats_set_t, field),                                        \
        (int) (sizeof(((iri_stats_set_t *) NULL)->field)                     \
               / sizeof(uint64_t)),                                          \
        word

static const iri_metric_t iri_metrics[] = {
    { "iri_requests_total", "Requests by the form of their path.", "form",
      IRI_METRIC_OF(forms, iri_stats_form_word) },
    { "iri_matches_total",
      "Requests by the difference ignored to find the entry.", "match",
      IRI_METRIC_OF(matches, iri_stats_match_word) },
    { "iri_answers_total", "Requests by verdict.", "answer",
      IRI_METRIC_OF(answers, iri_stats_verdict_word) },
    { "iri_reasons_total", "Requests by the reason of the verdict.", "reason",
      IRI_METRIC_OF(whys, iri_stats_why_word) },
    { "iri_refusals_total", "Refused requests by reason.", "reason",
      IRI_METRIC_OF(refusals, iri_stats_why_word) },
    { "iri_redirects_total", "Redirects to the canonical URI, by status.",
      "code", IRI_METRIC_OF(redirects, iri_stats_redirect_word) },
    { "iri_queries_total", "Requests by the result for their query.",
      "result", IRI_METRIC_OF(queries, iri_stats_query_word) },
    { "iri_hosts_total", "Requests by the result for their host.", "result",
      IRI_METRIC_OF(hosts, iri_stats_host_word) },
};


static void
iri_metric_charset(iri_stats_out_t *out, const char *name, int mode,
                   size_t part, size_t charset, uint64_t value)
{
    iri_stats_put(out, name);

    if (mode >= 0) {
        iri_metric_label(out, "mode", iri_stats_modes[mode]);
    }

    iri_metric_label(out, "part", iri_stats_parts[part]);
    iri_metric_label(out, "charset", iri_stats_charset(charset));
    iri_metric_value(out, value);
}


/* The metrics of the charsets that requests have used. */
static void
iri_metric_charsets(iri_stats_out_t            *out,
                    const iri_stats_snapshot_t *snapshot)
{
    static const char total[] = "iri_legacy_requests_total";
    static const char last[] = "iri_legacy_last_request_timestamp_seconds";
    size_t            part, i;
    int               mode;

    iri_metric(out, total, "counter",
               "Paths and queries in a legacy charset.");

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        for (i = 0; i < IRI_STATS_CHARSETS; i++) {
            for (mode = 0; snapshot->last_seen[part][i] != 0 && mode < 2;
                 mode++) {
                iri_metric_charset(out, total, mode, part, i,
                                   snapshot->sets[mode].charsets[part][i]);
            }
        }
    }

    iri_metric(out, last, "gauge", "Time of the last one.");

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        for (i = 0; i < IRI_STATS_CHARSETS; i++) {
            if (snapshot->last_seen[part][i] != 0) {
                iri_metric_charset(out, last, -1, part, i,
                                   snapshot->last_seen[part][i]);
            }
        }
    }
}


static void
iri_metric_one(iri_stats_out_t *out, const char *name, const char *type,
               const char *help, uint64_t value)
{
    iri_metric(out, name, type, help);
    iri_stats_put(out, name);
    iri_metric_value(out, value);
}


static void
iri_metric_cache(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    static const char name[] = "iri_cache_lookups_total";
    static const struct {
        const char *of;
        const char *result;
        size_t      offset;
    } rows[] = {
        { "index", "hit", offsetof(iri_index_cache_counts_t, index_hits) },
        { "index", "miss", offsetof(iri_index_cache_counts_t, index_misses) },
    };
    size_t i;

    iri_metric(out, name, "counter", "Lookups in the cache.");

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        iri_stats_put(out, name);
        iri_metric_label(out, "of", rows[i].of);
        iri_metric_label(out, "result", rows[i].result);
        iri_metric_value(out,
                         *iri_stats_at(&snapshot->cache, rows[i].offset));
    }

    iri_metric_one(out, "iri_cache_builds_total", "counter",
                   "Directories that were read to build an index.",
                   snapshot->cache.builds);
    iri_metric_one(out, "iri_cache_indexes", "gauge",
                   "Directories with an index in the cache.",
                   snapshot->use.indexes);
    iri_metric_one(out, "iri_cache_used_bytes", "gauge",
                   "Memory used by indexes.", snapshot->use.used);
    iri_metric_one(out, "iri_cache_size_bytes", "gauge",
                   "Memory available for indexes.", snapshot->use.size);
}


void
iri_stats_prometheus(iri_stats_out_t            *out,
                     const iri_stats_snapshot_t *snapshot)
{
    size_t i;

    for (i = 0; i < sizeof(iri_metrics) / sizeof(iri_metrics[0]); i++) {
        iri_metric_counts(out, snapshot, &iri_metrics[i]);
    }

    iri_metric_charsets(out, snapshot);
    iri_metric_cache(out, snapshot);
    iri_metric_one(out, "iri_status_start_time_seconds", "gauge",
                   "Time when counting began.",
                   snapshot->since > 0 ? (uint64_t) snapshot->since : 0);
}
