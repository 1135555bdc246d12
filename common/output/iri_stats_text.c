/*
 * iri_stats_text.c - what was counted, for programs: JSON, and the text that
 * Prometheus reads (exposition format 0.0.4)
 *
 * Values of labels are words of ours only, so that there are never more than
 * a fixed number of them, whoever sends what.
 */

#include "output/iri_output.h"
#include "output/iri_stats_memory.h"

/* Octets of strangers' text, escaped, at most. */
#define IRI_STATS_JSON_TEXT 512

const char *const iri_stats_modes[IRI_STATS_MODES] = { "on", "report" };
const char *const iri_stats_parts[IRI_STATS_PARTS] = { "path", "query" };

static const char *const iri_stats_cache_words[] = { "index_hits",
                                                     "index_misses",
                                                     "builds" };


/* ---- pieces -------------------------------------------------------------- */

void
iri_stats_say(iri_stats_out_t *out, const char *text)
{
    if (out->status == IRI_OK) {
        out->status = iri_put_text(out->env, &out->buf, text);
    }
}


void
iri_stats_say_number(iri_stats_out_t *out, uint64_t number)
{
    char   digits[21];
    size_t at = sizeof(digits) - 1;

    digits[at] = '\0';

    do {
        digits[--at] = (char) ('0' + number % 10);
        number /= 10;
    } while (number != 0);

    iri_stats_say(out, digits + at);
}


/* The last octets go where it is too long, whole characters of them. */
int
iri_stats_say_text(iri_stats_out_t *out,
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
iri_stats_say_time(iri_stats_out_t *out, int64_t seconds)
{
    unsigned char date[IRI_STATS_TIME];

    iri_stats_date(seconds, date);

    if (out->status == IRI_OK) {
        out->status = iri_buf_put(out->env, &out->buf, date, sizeof(date));
    }
}


/* ---- JSON ---------------------------------------------------------------- */

/* "name": before a value; "," before it, where something stands before. */
static void
iri_json_key(iri_stats_out_t *out, const char *name)
{
    if (out->status == IRI_OK && out->buf.len != 0
        && out->buf.data[out->buf.len - 1] != '{')
    {
        iri_stats_say(out, ",");
    }

    iri_stats_say(out, "\"");
    iri_stats_say(out, name);
    iri_stats_say(out, "\":");
}


static void
iri_json_number(iri_stats_out_t *out, const char *name, uint64_t number)
{
    iri_json_key(out, name);
    iri_stats_say_number(out, number);
}


static void
iri_json_time(iri_stats_out_t *out, const char *name, int64_t seconds)
{
    iri_json_key(out, name);
    iri_stats_say(out, "\"");
    iri_stats_say_time(out, seconds);
    iri_stats_say(out, "\"");
}


static void
iri_json_text(iri_stats_out_t *out, const char *name, iri_str_t text)
{
    iri_json_key(out, name);
    (void) iri_stats_say_text(out, iri_json_put, text, IRI_STATS_JSON_TEXT);
}


typedef const char *(*iri_stats_word_t)(int i);

#define IRI_STATS_WORD_OF(function, type)                                    \
    static const char *function##_of(int i)                                  \
    {                                                                        \
        return function((type) i);                                           \
    }

IRI_STATS_WORD_OF(iri_form_text, iri_form_t)
IRI_STATS_WORD_OF(iri_match_text, iri_match_t)
IRI_STATS_WORD_OF(iri_verdict_text, iri_verdict_t)
IRI_STATS_WORD_OF(iri_why_code, iri_why_t)
IRI_STATS_WORD_OF(iri_query_why_code, iri_query_why_t)
IRI_STATS_WORD_OF(iri_host_why_code, iri_host_why_t)


/* What is 0 is left out, unless all is to be told. */
typedef enum { IRI_JSON_ALL, IRI_JSON_SOME } iri_json_which_t;

static void
iri_json_counts(iri_stats_out_t *out, const char *name, const uint64_t *count,
                int size, iri_stats_word_t word, iri_json_which_t which)
{
    int i;

    iri_json_key(out, name);
    iri_stats_say(out, "{");

    for (i = 0; i < size; i++) {
        if (which == IRI_JSON_ALL || count[i] != 0) {
            iri_json_number(out, word(i), count[i]);
        }
    }

    iri_stats_say(out, "}");
}


static const char *
iri_stats_redirect_word(int i)
{
    static const char *const words[IRI_STATS_REDIRECTS] = { "301", "302",
                                                            "303", "307",
                                                            "308" };

    return words[i];
}


static void
iri_json_set(iri_stats_out_t *out, const iri_stats_set_t *set,
             const char *name)
{
    iri_json_key(out, name);
    iri_stats_say(out, "{");
    iri_json_number(out, "requests", iri_stats_all(set->forms));
    iri_json_counts(out, "forms", set->forms, IRI_FORMS, iri_form_text_of,
                    IRI_JSON_ALL);
    iri_json_counts(out, "matches", set->matches, IRI_MATCHES,
                    iri_match_text_of, IRI_JSON_ALL);
    iri_json_counts(out, "answers", set->answers, IRI_VERDICTS,
                    iri_verdict_text_of, IRI_JSON_ALL);
    iri_json_counts(out, "reasons", set->whys, IRI_WHYS, iri_why_code_of,
                    IRI_JSON_SOME);
    iri_json_counts(out, "refusals", set->refusals, IRI_WHYS, iri_why_code_of,
                    IRI_JSON_SOME);
    iri_json_counts(out, "redirects", set->redirects, IRI_STATS_REDIRECTS,
                    iri_stats_redirect_word, IRI_JSON_ALL);
    iri_json_counts(out, "queries", set->queries, IRI_QUERY_WHYS,
                    iri_query_why_code_of, IRI_JSON_ALL);
    iri_json_counts(out, "hosts", set->hosts, IRI_HOST_WHYS,
                    iri_host_why_code_of, IRI_JSON_ALL);
    iri_stats_say(out, "}");
}


static void
iri_json_charset(iri_stats_out_t *out, const iri_stats_snapshot_t *look,
                 size_t i)
{
    size_t part, mode;

    iri_json_key(out, iri_stats_charset(i));
    iri_stats_say(out, "{");

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        if (look->seen[part][i] == 0) {
            continue;
        }

        iri_json_key(out, iri_stats_parts[part]);
        iri_stats_say(out, "{");

        for (mode = 0; mode < IRI_STATS_MODES; mode++) {
            iri_json_number(out, iri_stats_modes[mode],
                            look->sets[mode].charsets[part][i]);
        }

        iri_json_time(out, "last", (int64_t) look->seen[part][i]);
        iri_stats_say(out, "}");
    }

    iri_stats_say(out, "}");
}


static void
iri_json_charsets(iri_stats_out_t *out, const iri_stats_snapshot_t *look)
{
    size_t i;

    iri_json_key(out, "charsets");
    iri_stats_say(out, "{");

    for (i = 0; i < IRI_STATS_CHARSETS; i++) {
        if (look->seen[0][i] != 0 || look->seen[1][i] != 0) {
            iri_json_charset(out, look, i);
        }
    }

    iri_stats_say(out, "}");
}


/* Those without a request are left out. */
static void
iri_json_spans(iri_stats_out_t *out, const char *name,
               const iri_stats_span_t *span, size_t count)
{
    size_t i, k;
    int    more = 0;

    iri_json_key(out, name);
    iri_stats_say(out, "[");

    for (i = 0; i < count; i++) {
        if (iri_stats_all(span[i].at) == 0) {
            continue;
        }

        iri_stats_say(out, more ? ",\n{" : "\n{");
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

        iri_stats_say(out, "}");
    }

    iri_stats_say(out, "]");
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
iri_json_word(iri_stats_out_t *out, const char *name, const char *word)
{
    iri_json_key(out, name);
    iri_stats_say(out, "\"");
    iri_stats_say(out, word);
    iri_stats_say(out, "\"");
}


static void
iri_json_top(iri_stats_out_t *out, const iri_stats_snapshot_t *look,
             iri_stats_table_t table, const char *name)
{
    const iri_stats_sender_t *top = look->top[table];
    size_t                    i;

    iri_json_key(out, name);
    iri_stats_say(out, "{");
    iri_json_number(out, "none", look->unsaid[table]);
    iri_json_key(out, "top");
    iri_stats_say(out, "[");

    for (i = 0; i < look->top_count[table]; i++) {
        iri_stats_say(out, i != 0 ? ",\n{" : "\n{");
        iri_json_text(out, "text", iri_stats_text(top[i].text, top[i].len));
        iri_json_number(out, "count", top[i].count);
        iri_json_number(out, "error", top[i].error);
        iri_json_word(out, "charset", iri_stats_charset_word(top[i].charset));
        iri_json_time(out, "last", (int64_t) top[i].last);
        iri_stats_say(out, "}");
    }

    iri_stats_say(out, "]}");
}


static void
iri_json_recent(iri_stats_out_t *out, const iri_stats_snapshot_t *look)
{
    const iri_stats_recent_t *recent = look->recent;
    size_t                    i;

    iri_json_key(out, "recent");
    iri_stats_say(out, "[");

    for (i = 0; i < look->recent_count; i++, recent++) {
        iri_stats_say(out, i != 0 ? ",\n{" : "\n{");
        iri_json_time(out, "time", (int64_t) recent->time);
        iri_json_word(
            out, "mode",
            iri_stats_modes[(recent->kind & IRI_STATS_OF_REPORT) != 0]);
        iri_json_word(
            out, "part",
            iri_stats_parts[(recent->kind & IRI_STATS_OF_QUERY) != 0]);
        iri_json_word(out, "charset",
                      iri_stats_charset_word(recent->charset));
        iri_json_text(out, "referer",
                      iri_stats_text(recent->referer, recent->referer_len));
        iri_json_text(out, "user_agent",
                      iri_stats_text(recent->agent, recent->agent_len));
        iri_stats_say(out, "}");
    }

    iri_stats_say(out, "]");
}


static void
iri_json_cache(iri_stats_out_t *out, const iri_stats_snapshot_t *look)
{
    const uint64_t *count = (const uint64_t *) &look->cache;
    size_t          i;

    iri_json_key(out, "cache");
    iri_stats_say(out, "{");

    for (i = 0; i < sizeof(look->cache) / sizeof(*count); i++) {
        iri_json_number(out, iri_stats_cache_words[i], count[i]);
    }

    iri_json_number(out, "indexes", look->use.indexes);
    iri_json_number(out, "used", look->use.used);
    iri_json_number(out, "size", look->use.size);
    iri_stats_say(out, "}");
}


void
iri_stats_json(iri_stats_out_t *out, const iri_stats_snapshot_t *look)
{
    size_t mode;

    iri_stats_say(out, "{");
    iri_json_time(out, "now", look->now);
    iri_json_time(out, "since", look->since);
    iri_json_number(
        out, "uptime",
        look->now > look->since ? (uint64_t) (look->now - look->since) : 0);

    for (mode = 0; mode < IRI_STATS_MODES; mode++) {
        iri_json_set(out, &look->sets[mode], iri_stats_modes[mode]);
    }

    iri_json_charsets(out, look);
    iri_json_cache(out, look);
    iri_json_spans(out, "hours", look->hours, look->hour_count);
    iri_json_spans(out, "days", look->days, look->day_count);
    iri_json_top(out, look, IRI_STATS_REFERER, "referers");
    iri_json_top(out, look, IRI_STATS_AGENT, "user_agents");
    iri_json_recent(out, look);
    iri_stats_say(out, "}\n");
}


/* ---- Prometheus ---------------------------------------------------------- */

static void
iri_metric(iri_stats_out_t *out, const char *name, const char *type,
           const char *help)
{
    iri_stats_say(out, "# HELP ");
    iri_stats_say(out, name);
    iri_stats_say(out, " ");
    iri_stats_say(out, help);
    iri_stats_say(out, "\n# TYPE ");
    iri_stats_say(out, name);
    iri_stats_say(out, " ");
    iri_stats_say(out, type);
    iri_stats_say(out, "\n");
}


/* "\", a quote and an end of line are escaped in the value of a label. */
static void
iri_metric_label(iri_stats_out_t *out, const char *name, const char *value)
{
    char one[2] = { '\0', '\0' };

    iri_stats_say(out, out->buf.data != NULL
                               && out->buf.data[out->buf.len - 1] == '"'
                           ? ","
                           : "{");
    iri_stats_say(out, name);
    iri_stats_say(out, "=\"");

    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') {
            iri_stats_say(out, "\\");
        }

        one[0] = *value;
        iri_stats_say(out, one);
    }

    iri_stats_say(out, "\"");
}


static void
iri_metric_value(iri_stats_out_t *out, uint64_t value)
{
    iri_stats_say(out, out->buf.data != NULL
                               && out->buf.data[out->buf.len - 1] == '"'
                           ? "} "
                           : " ");
    iri_stats_say_number(out, value);
    iri_stats_say(out, "\n");
}


/* One metric with a label for each of an enum, of both modes. */
typedef struct {
    const char      *name;
    const char      *help;
    const char      *label;
    size_t           offset; /* in iri_stats_set_t */
    int              size;
    iri_stats_word_t word;
} iri_metric_t;


static void
iri_metric_counts(iri_stats_out_t *out, const iri_stats_snapshot_t *look,
                  const iri_metric_t *metric)
{
    const uint64_t *counts;
    int             mode, i;

    iri_metric(out, metric->name, "counter", metric->help);

    for (mode = 0; mode < IRI_STATS_MODES; mode++) {
        counts = iri_stats_at(&look->sets[mode], metric->offset);

        for (i = 0; i < metric->size; i++) {
            iri_stats_say(out, metric->name);
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
    { "iri_requests_total", "Requests by the form that their path came in.",
      "form", IRI_METRIC_OF(forms, iri_form_text_of) },
    { "iri_matches_total", "Requests by what was forgiven to find the entry.",
      "match", IRI_METRIC_OF(matches, iri_match_text_of) },
    { "iri_answers_total", "Requests by what was done with them.", "answer",
      IRI_METRIC_OF(answers, iri_verdict_text_of) },
    { "iri_reasons_total", "Requests by the reason for that.", "reason",
      IRI_METRIC_OF(whys, iri_why_code_of) },
    { "iri_refusals_total", "Requests that were refused, by the reason.",
      "reason", IRI_METRIC_OF(refusals, iri_why_code_of) },
    { "iri_redirects_total", "Redirects to the canonical URI, by status.",
      "code", IRI_METRIC_OF(redirects, iri_stats_redirect_word) },
    { "iri_queries_total", "Requests by what became of their query.",
      "result", IRI_METRIC_OF(queries, iri_query_why_code_of) },
    { "iri_hosts_total", "Requests by what became of their host.", "result",
      IRI_METRIC_OF(hosts, iri_host_why_code_of) },
};


static void
iri_metric_charset(iri_stats_out_t *out, const char *name, int mode,
                   size_t part, size_t charset, uint64_t value)
{
    iri_stats_say(out, name);

    if (mode >= 0) {
        iri_metric_label(out, "mode", iri_stats_modes[mode]);
    }

    iri_metric_label(out, "part", iri_stats_parts[part]);
    iri_metric_label(out, "charset", iri_stats_charset(charset));
    iri_metric_value(out, value);
}


/* Of charsets that were met with. */
static void
iri_metric_charsets(iri_stats_out_t *out, const iri_stats_snapshot_t *look)
{
    static const char total[] = "iri_legacy_requests_total";
    static const char last[] = "iri_legacy_last_request_timestamp_seconds";
    size_t            part, i;
    int               mode;

    iri_metric(out, total, "counter",
               "Paths and queries in a legacy charset.");

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        for (i = 0; i < IRI_STATS_CHARSETS; i++) {
            for (mode = 0; look->seen[part][i] != 0 && mode < 2; mode++) {
                iri_metric_charset(out, total, mode, part, i,
                                   look->sets[mode].charsets[part][i]);
            }
        }
    }

    iri_metric(out, last, "gauge", "When the last one came.");

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        for (i = 0; i < IRI_STATS_CHARSETS; i++) {
            if (look->seen[part][i] != 0) {
                iri_metric_charset(out, last, -1, part, i,
                                   look->seen[part][i]);
            }
        }
    }
}


static void
iri_metric_one(iri_stats_out_t *out, const char *name, const char *type,
               const char *help, uint64_t value)
{
    iri_metric(out, name, type, help);
    iri_stats_say(out, name);
    iri_metric_value(out, value);
}


static void
iri_metric_cache(iri_stats_out_t *out, const iri_stats_snapshot_t *look)
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

    iri_metric(out, name, "counter", "What was asked of the cache.");

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        iri_stats_say(out, name);
        iri_metric_label(out, "of", rows[i].of);
        iri_metric_label(out, "result", rows[i].result);
        iri_metric_value(out, *iri_stats_at(&look->cache, rows[i].offset));
    }

    iri_metric_one(out, "iri_cache_builds_total", "counter",
                   "Directories that were read for an index.",
                   look->cache.builds);
    iri_metric_one(out, "iri_cache_indexes", "gauge",
                   "Directories that an index is kept of.",
                   look->use.indexes);
    iri_metric_one(out, "iri_cache_used_bytes", "gauge",
                   "Memory that indexes take.", look->use.used);
    iri_metric_one(out, "iri_cache_size_bytes", "gauge",
                   "Memory that there is for indexes.", look->use.size);
}


void
iri_stats_prometheus(iri_stats_out_t *out, const iri_stats_snapshot_t *look)
{
    size_t i;

    for (i = 0; i < sizeof(iri_metrics) / sizeof(iri_metrics[0]); i++) {
        iri_metric_counts(out, look, &iri_metrics[i]);
    }

    iri_metric_charsets(out, look);
    iri_metric_cache(out, look);
    iri_metric_one(out, "iri_status_start_time_seconds", "gauge",
                   "When counting began.",
                   look->since > 0 ? (uint64_t) look->since : 0);
}
