/*
 * iri_stats_text.c - a copy of the counters; the status report as JSON and as
 * Prometheus text (exposition format 0.0.4)
 *
 * Each counter is read atomically.  The senders are copied under the lock.
 *
 * Values of labels are never taken from requests, so the number of time series
 * is bounded.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "path/iri_path.h"
#include "output/iri_stats_memory.h"

static const char *const iri_stats_modes[IRI_STATS_MODES] = { "on",
                                                              "report" };
static const char *const iri_stats_parts[IRI_STATS_PARTS] = { "path",
                                                              "query" };


/* ---- the copy ------------------------------------------------------------ */

/* Copy size octets, a multiple of 8, word by word. */
static void
iri_stats_copy_words(void *to, const void *from, size_t size)
{
    const uint64_t *shared = from;
    uint64_t       *word = to;
    size_t          i;

    for (i = 0; i < size / sizeof(*word); i++) {
        word[i] = __atomic_load_n(&shared[i], __ATOMIC_RELAXED);
    }
}


/* Highest count first. */
static int
iri_stats_sender_order(const void *a, const void *b)
{
    const iri_stats_sender_t *x = a, *y = b;

    return x->count > y->count ? -1 : x->count < y->count;
}


iri_stats_copy_t *
iri_stats_read(const iri_env_t *env, const iri_stats_t *stats, int64_t now)
{
    const iri_stats_region_t *region = stats->memory;
    iri_stats_copy_t         *copy = env->alloc(env->ctx, sizeof(*copy));
    size_t                    i;

    if (copy == NULL) {
        return NULL;
    }

    copy->now = now > 0 ? (uint64_t) now : 0;
    iri_stats_copy_words(&copy->region, region,
                         offsetof(iri_stats_region_t, senders));

    stats->lock(stats->ctx);
    memcpy(copy->region.senders, region->senders, sizeof(region->senders));
    stats->unlock(stats->ctx);

    for (i = 0; i < IRI_STATS_TABLES; i++) {
        qsort(copy->region.senders[i], IRI_STATS_SENDERS,
              sizeof(iri_stats_sender_t), iri_stats_sender_order);
    }

    copy->day_count = copy->now / IRI_STATS_DAY + 1;
    copy->day_count -= copy->region.since < copy->now
                           ? copy->region.since / IRI_STATS_DAY
                           : copy->now / IRI_STATS_DAY;

    if (copy->day_count > IRI_STATS_DAYS) {
        copy->day_count = IRI_STATS_DAYS;
    }

    return copy;
}


const uint64_t *
iri_stats_day(const iri_stats_copy_t *copy, uint64_t ago)
{
    static const uint64_t  none[IRI_STATS_SERIES];
    uint64_t               number = copy->now / IRI_STATS_DAY + 1 - ago;
    const iri_stats_day_t *day = &copy->region
                                      .days[number % (IRI_STATS_DAYS + 1)];

    return day->number == number ? day->at : none;
}


uint64_t
iri_stats_requests(const uint64_t at[IRI_FORMS])
{
    uint64_t all = 0;
    size_t   i;

    for (i = 0; i < IRI_FORMS; i++) {
        all += at[i];
    }

    return all;
}


/* ---- words --------------------------------------------------------------- */

#define IRI_STATS_WORD(name, function, type)                                 \
    static const char *iri_stats_##name##_word(int i)                        \
    {                                                                        \
        return function((type) i);                                           \
    }

IRI_STATS_WORD(form, iri_form_text, iri_form_t)
IRI_STATS_WORD(match, iri_match_text, iri_match_t)
IRI_STATS_WORD(verdict, iri_verdict_text, iri_verdict_t)
IRI_STATS_WORD(why, iri_why_code, iri_why_t)
IRI_STATS_WORD(query, iri_query_why_code, iri_query_why_t)
IRI_STATS_WORD(why_text, iri_why_text, iri_why_t)
IRI_STATS_WORD(query_text, iri_query_why_text, iri_query_why_t)


static const char *
iri_stats_redirect_word(int i)
{
    static const char *const words[IRI_STATS_REDIRECTS] = { "301", "302",
                                                            "303", "307",
                                                            "308" };

    return words[i];
}


#define IRI_STATS_OF(field)                                                  \
    offsetof(iri_stats_set_t, field),                                        \
        sizeof(((iri_stats_set_t *) NULL)->field) / sizeof(uint64_t)

const iri_stats_enum_t iri_stats_enums[IRI_STATS_ENUMS] = {
    { "forms", "requests", "form", "Form of the path", IRI_STATS_OF(forms),
      iri_stats_form_word, NULL },
    { "matches", "matches", "match", "Difference ignored",
      IRI_STATS_OF(matches), iri_stats_match_word, NULL },
    { "answers", "answers", "answer", "Verdict", IRI_STATS_OF(answers),
      iri_stats_verdict_word, NULL },
    { "reasons", "reasons", "reason", "Reason of the verdict",
      IRI_STATS_OF(whys), iri_stats_why_word, iri_stats_why_text_word },
    { "redirects", "redirects", "code", "Redirect, by status",
      IRI_STATS_OF(redirects), iri_stats_redirect_word, NULL },
    { "queries", "queries", "result", "Query", IRI_STATS_OF(queries),
      iri_stats_query_word, iri_stats_query_text_word },
};


const char *
iri_stats_sender_charset(const iri_stats_sender_t *sender)
{
    const char *name = sender->charset < IRI_STATS_CHARSETS
                           ? iri_stats_charset((size_t) sender->charset)
                           : NULL;

    return name != NULL ? name : "other";
}


/* ---- JSON ---------------------------------------------------------------- */

/* Append "name": and, unless it is the first member, a "," before it. */
static void
iri_json_key(iri_page_part_t *out, const char *name)
{
    int first = out->buf.len == 0 || out->buf.data[out->buf.len - 1] == '{';

    iri_page_putf(out, "%s\"%s\":", first ? "" : ",", name);
}


static void
iri_json_number(iri_page_part_t *out, const char *name, uint64_t number)
{
    iri_json_key(out, name);
    iri_page_putf(out, "%" PRIu64, number);
}


static void
iri_json_time(iri_page_part_t *out, const char *name, uint64_t seconds)
{
    iri_json_key(out, name);
    iri_page_putf(out, "\"%s\"", iri_time_text((int64_t) seconds).text);
}


static void
iri_json_mode(iri_page_part_t *out, const iri_stats_set_t *set,
              const char *name)
{
    const iri_stats_enum_t *of;
    size_t                  i;

    iri_json_key(out, name);
    iri_page_put(out, "{");
    iri_json_number(out, "requests", iri_stats_requests(set->forms));

    for (of = iri_stats_enums; of < iri_stats_enums + IRI_STATS_ENUMS; of++) {
        iri_json_key(out, of->name);
        iri_page_put(out, "{");

        for (i = 0; i < of->size; i++) {
            iri_json_number(out, of->word((int) i),
                            iri_stats_counts(set, of)[i]);
        }

        iri_page_put(out, "}");
    }

    iri_page_put(out, "}");
}


static void
iri_json_charset(iri_page_part_t *out, const iri_stats_region_t *region,
                 size_t i)
{
    size_t part, mode;

    iri_json_key(out, iri_stats_charset(i));
    iri_page_put(out, "{");

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        if (region->last_seen[part][i] == 0) {
            continue;
        }

        iri_json_key(out, iri_stats_parts[part]);
        iri_page_put(out, "{");

        for (mode = 0; mode < IRI_STATS_MODES; mode++) {
            iri_json_number(out, iri_stats_modes[mode],
                            region->sets[mode].charsets[part][i]);
        }

        iri_json_time(out, "last", region->last_seen[part][i]);
        iri_page_put(out, "}");
    }

    iri_page_put(out, "}");
}


/* Days without requests, and counts of 0, are omitted. */
static void
iri_json_days(iri_page_part_t *out, const iri_stats_copy_t *copy)
{
    const uint64_t *at;
    const char     *before = "\n{";
    uint64_t        ago;
    size_t          i;

    iri_json_key(out, "days");
    iri_page_put(out, "[");

    for (ago = copy->day_count; ago-- > 0;) {
        at = iri_stats_day(copy, ago);

        if (iri_stats_requests(at) == 0) {
            continue;
        }

        iri_page_put(out, before);
        before = ",\n{";
        iri_json_time(out, "begins",
                      (copy->now / IRI_STATS_DAY - ago) * IRI_STATS_DAY);

        for (i = 0; i < IRI_STATS_SERIES; i++) {
            if (at[i] != 0) {
                iri_json_number(out,
                                i < IRI_FORMS ? iri_form_text((iri_form_t) i)
                                              : "legacy_query",
                                at[i]);
            }
        }

        iri_page_put(out, "}");
    }

    iri_page_put(out, "]");
}


static void
iri_json_senders(iri_page_part_t *out, const iri_stats_region_t *region,
                 iri_stats_table_t table, const char *name)
{
    const iri_stats_sender_t *row = region->senders[table];
    size_t                    i;

    iri_json_key(out, name);
    iri_page_put(out, "{");
    iri_json_number(out, "none", region->missing[table]);
    iri_json_key(out, "top");
    iri_page_put(out, "[");

    for (i = 0; i < IRI_STATS_SENDERS && row[i].count != 0; i++) {
        iri_page_put(out, i != 0 ? ",\n{" : "\n{");
        iri_json_key(out, "text");
        iri_page_put_by(iri_json_put, out, iri_stats_text(&row[i]));
        iri_json_number(out, "count", row[i].count);
        iri_json_number(out, "error", row[i].error);
        iri_json_key(out, "charset");
        iri_page_putf(out, "\"%s\"", iri_stats_sender_charset(&row[i]));
        iri_json_time(out, "last", row[i].last);
        iri_page_put(out, "}");
    }

    iri_page_put(out, "]}");
}


void
iri_stats_json(iri_page_part_t *out, const iri_stats_copy_t *copy)
{
    const iri_stats_region_t *region = &copy->region;
    size_t                    i;

    iri_page_put(out, "{");
    iri_json_time(out, "now", copy->now);
    iri_json_time(out, "since", region->since);

    for (i = 0; i < IRI_STATS_MODES; i++) {
        iri_json_mode(out, &region->sets[i], iri_stats_modes[i]);
    }

    iri_json_key(out, "charsets");
    iri_page_put(out, "{");

    for (i = 0; i < IRI_STATS_CHARSETS; i++) {
        if (region->last_seen[0][i] != 0 || region->last_seen[1][i] != 0) {
            iri_json_charset(out, region, i);
        }
    }

    iri_page_put(out, "}");
    iri_json_days(out, copy);
    iri_json_senders(out, region, IRI_STATS_REFERER, "referers");
    iri_json_senders(out, region, IRI_STATS_AGENT, "user_agents");
    iri_page_put(out, "}\n");
}


/* ---- Prometheus ---------------------------------------------------------- */

static void
iri_metric_head(iri_page_part_t *out, const char *name, const char *help,
                const char *type)
{
    iri_page_putf(out, "# HELP iri_%s %s.\n# TYPE iri_%s %s\n", name, help,
                  name, type);
}


/* The counters of an enum, of both modes. */
static void
iri_metric_enum(iri_page_part_t *out, const iri_stats_region_t *region,
                const iri_stats_enum_t *of)
{
    char   name[40];
    size_t mode, i;

    (void) snprintf(name, sizeof(name), "%s_total", of->metric);
    iri_metric_head(out, name, of->caption, "counter");

    for (mode = 0; mode < IRI_STATS_MODES; mode++) {
        for (i = 0; i < of->size; i++) {
            iri_page_putf(out, "iri_%s{mode=\"%s\",%s=\"%s\"} %" PRIu64 "\n",
                          name, iri_stats_modes[mode], of->label,
                          of->word((int) i),
                          iri_stats_counts(&region->sets[mode], of)[i]);
        }
    }
}


/* The charsets that requests have used. */
static void
iri_metric_charsets(iri_page_part_t *out, const iri_stats_region_t *region)
{
    static const char name[] = "legacy_requests_total";
    size_t            part, mode, i;

    iri_metric_head(out, name, "Paths and queries in a legacy charset",
                    "counter");

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        for (i = 0; i < IRI_STATS_CHARSETS; i++) {
            for (mode = 0;
                 region->last_seen[part][i] != 0 && mode < IRI_STATS_MODES;
                 mode++)
            {
                iri_page_putf(out,
                              "iri_%s{mode=\"%s\",part=\"%s\",charset=\"%s\"}"
                              " %" PRIu64 "\n",
                              name, iri_stats_modes[mode],
                              iri_stats_parts[part], iri_stats_charset(i),
                              region->sets[mode].charsets[part][i]);
            }
        }
    }
}


void
iri_stats_prometheus(iri_page_part_t *out, const iri_stats_copy_t *copy)
{
    static const char start[] = "status_start_time_seconds";
    size_t            i;

    for (i = 0; i < IRI_STATS_ENUMS; i++) {
        iri_metric_enum(out, &copy->region, &iri_stats_enums[i]);
    }

    iri_metric_charsets(out, &copy->region);
    iri_metric_head(out, start, "Time when counting began", "gauge");
    iri_page_putf(out, "iri_%s %" PRIu64 "\n", start, copy->region.since);
}
