/*
 * iri_stats_page.c - the status report in the requested format, and as HTML
 *
 * The page first answers whether legacy encodings can be switched off and who
 * still sends them, then shows the days and all counters.  The HTML is
 * well-formed XML; it has no script and loads nothing.  The bars of the days
 * are SVG beside their numbers; screen readers skip them.
 */

#include <inttypes.h>
#include <stdio.h>

#include "output/iri_stats_memory.h"

#define IRI_PAGE_DAYS    30 /* rows of the table of days */
#define IRI_PAGE_SENDERS 12
#define IRI_PAGE_QUIET   30 /* days without legacy encodings */

/* ---- numbers ------------------------------------------------------------- */

typedef struct {
    char text[48];
} iri_page_text_t;


/* A decimal number with U+202F between groups of three digits. */
static iri_page_text_t
iri_page_number(uint64_t number)
{
    iri_page_text_t out;
    char            digits[24];
    int             i, at = 0;
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, number);

    for (i = 0; i < len; i++) {
        if (i != 0 && (len - i) % 3 == 0) {
            memcpy(out.text + at, "\xE2\x80\xAF", 3);
            at += 3;
        }

        out.text[at++] = digits[i];
    }

    out.text[at] = '\0';

    return out;
}


/* The share of legacy requests in all requests, in percent. */
static double
iri_page_share(uint64_t legacy, uint64_t all)
{
    return all != 0 ? 100 * (double) legacy / (double) all : 0;
}


/* "2026-11-22 11:25 UTC" */
static void
iri_page_time(iri_page_part_t *out, uint64_t seconds)
{
    iri_time_text_t time = iri_time_text((int64_t) seconds);

    iri_page_putf(out, "<time datetime=\"%s\">%.10s %.5s\xC2\xA0UTC</time>",
                  time.text, time.text, time.text + 11);
}


/* The cells of the head of a table; a narrow screen does not show wide ones. */
#define IRI_TH(text)      "<th scope=\"col\">" text "</th>"
#define IRI_TH_WIDE(text) "<th scope=\"col\" class=\"wide\">" text "</th>"

#define IRI_TABLE_END "</tbody>\n</table>\n"


/* ---- the summary --------------------------------------------------------- */

/* The share of legacy requests in the last days, today among them. */
static void
iri_page_last_days(iri_page_part_t *out, const iri_stats_copy_t *copy,
                   uint64_t days, const char *when)
{
    uint64_t legacy = 0, all = 0, ago;

    for (ago = 0; ago < days && ago < copy->day_count; ago++) {
        legacy += iri_stats_legacy(iri_stats_day(copy, ago));
        all += iri_stats_requests(iri_stats_day(copy, ago));
    }

    iri_page_putf(out,
                  "<tr><th scope=\"row\">%s</th><td>%.2f\xE2\x80\xAF%%</td>"
                  "<td>%s</td><td>%s</td></tr>\n",
                  when, iri_page_share(legacy, all),
                  iri_page_number(legacy).text, iri_page_number(all).text);
}


/* The time of the last legacy request; 0: there was none. */
static uint64_t
iri_page_last_legacy(const iri_stats_region_t *region, const char **charset)
{
    uint64_t last = 0;
    size_t   part, i;

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        for (i = 0; i < IRI_STATS_CHARSETS; i++) {
            if (region->last_seen[part][i] > last) {
                last = region->last_seen[part][i];
                *charset = iri_stats_charset(i);
            }
        }
    }

    return last;
}


static void
iri_page_summary(iri_page_part_t *out, const iri_stats_copy_t *copy,
                 uint64_t last, const char *charset)
{
    uint64_t since = last != 0 ? last : copy->region.since;
    int      quiet = copy->now
                >= since + (uint64_t) IRI_PAGE_QUIET * IRI_STATS_DAY;

    iri_page_put(out, "<section "
                      "aria-label=\"Legacy encodings\">\n<strong>");
    iri_page_put(out, quiet       ? "Legacy encodings are no longer used"
                      : last == 0 ? "No legacy encodings so far"
                                  : "Legacy encodings are still in use");
    iri_page_put(out, last != 0
                          ? "</strong>\n<p>The last legacy request came "
                          : "</strong>\n<p>No request has used a "
                            "legacy encoding since ");
    iri_page_time(out, since);
    iri_page_putf(out, "%s%s.%s</p>\n<table>\n", last != 0 ? ", in " : "",
                  charset,
                  quiet       ? " They can be switched off."
                  : last == 0 ? " Wait for a month without any before you "
                                "switch them off."
                              : "");
    iri_page_put(out, "<thead><tr><td></td>" IRI_TH("Share") IRI_TH("Legacy")
                          IRI_TH("Requests") "</tr></thead>\n<tbody>\n");
    iri_page_last_days(out, copy, 1, "Today (UTC)");
    iri_page_last_days(out, copy, 7, "Last 7 days");
    iri_page_last_days(out, copy, 30, "Last 30 days");
    iri_page_put(out, IRI_TABLE_END "</section>\n");
}


/* ---- tables -------------------------------------------------------------- */

static void
iri_page_table(iri_page_part_t *out, const char *caption, const char *head)
{
    iri_page_putf(out,
                  "<table>\n<caption>%s</caption>\n<thead><tr>%s</tr></thead>"
                  "\n<tbody>\n",
                  caption, head);
}


static void
iri_page_charsets(iri_page_part_t *out, const iri_stats_region_t *region)
{
    uint64_t last, count[IRI_STATS_PARTS];
    size_t   i, part;

    iri_page_table(out, "Legacy encodings",
                   IRI_TH("Encoding") IRI_TH("In paths") IRI_TH("In queries")
                       IRI_TH("Last request"));

    for (i = 0; i < IRI_STATS_CHARSETS; i++) {
        last = 0;

        for (part = 0; part < IRI_STATS_PARTS; part++) {
            count[part] = region->sets[0].charsets[part][i]
                          + region->sets[1].charsets[part][i];
            last = region->last_seen[part][i] > last
                       ? region->last_seen[part][i]
                       : last;
        }

        if (last != 0) {
            iri_page_putf(out,
                          "<tr><th scope=\"row\">%s</th><td>%s</td>"
                          "<td>%s</td><td>",
                          iri_stats_charset(i),
                          iri_page_number(count[0]).text,
                          iri_page_number(count[1]).text);
            iri_page_time(out, last);
            iri_page_put(out, "</td></tr>\n");
        }
    }

    iri_page_put(out, IRI_TABLE_END);
}


#define IRI_SENDER_COLUMNS                                                   \
    IRI_TH("Requests")                                                       \
    IRI_TH_WIDE("Last encoding") IRI_TH_WIDE("Last request")


static void
iri_page_senders(iri_page_part_t *out, const iri_stats_region_t *region,
                 iri_stats_table_t table, const char *caption,
                 const char *head)
{
    const iri_stats_sender_t *row = region->senders[table];
    size_t                    i;

    iri_page_table(out, caption, head);

    for (i = 0; i < IRI_PAGE_SENDERS && row[i].count != 0; i++) {
        iri_page_put(out, "<tr><td class=\"text\">");
        iri_page_put_by(iri_html_put_uri, out, iri_stats_text(&row[i]));
        iri_page_put(out, "</td><td>");

        if (row[i].error != 0) {
            iri_page_putf(out, "%s to ",
                          iri_page_number(row[i].count - row[i].error).text);
        }

        iri_page_putf(out,
                      "%s</td><td class=\"wide\">%s</td>"
                      "<td class=\"wide\">",
                      iri_page_number(row[i].count).text,
                      iri_stats_sender_charset(&row[i]));
        iri_page_time(out, row[i].last);
        iri_page_put(out, "</td></tr>\n");
    }

    if (region->missing[table] != 0) {
        iri_page_putf(out,
                      "<tr><td>not sent</td><td>%s</td>"
                      "<td class=\"wide\"></td><td class=\"wide\"></td>"
                      "</tr>\n",
                      iri_page_number(region->missing[table]).text);
    }

    iri_page_put(out, IRI_TABLE_END);
}


static double
iri_page_day_share(const uint64_t *at)
{
    return iri_page_share(iri_stats_legacy(at), iri_stats_requests(at));
}


/* The bars are relative to the highest one; any share above 0 is visible. */
static void
iri_page_days(iri_page_part_t *out, const iri_stats_copy_t *copy)
{
    const uint64_t *at;
    uint64_t        ago, days = copy->day_count;
    double          share, most = 0;

    days = days < IRI_PAGE_DAYS ? days : IRI_PAGE_DAYS;

    for (ago = 0; ago < days; ago++) {
        share = iri_page_day_share(iri_stats_day(copy, ago));
        most = share > most ? share : most;
    }

    iri_page_table(out, "Legacy paths and queries by day",
                   IRI_TH("Day (UTC)") IRI_TH("Requests") IRI_TH("Legacy")
                       IRI_TH("Share") "<td class=\"wide\"></td>");

    for (ago = 0; ago < days; ago++) {
        at = iri_stats_day(copy, ago);
        share = iri_page_day_share(at);
        iri_page_putf(
            out,
            "<tr><th scope=\"row\">%.10s</th><td>%s</td><td>%s</td>"
            "<td>%.2f\xE2\x80\xAF%%</td><td class=\"bar wide\">",
            iri_time_text((int64_t) (copy->now - ago * IRI_STATS_DAY)).text,
            iri_page_number(iri_stats_requests(at)).text,
            iri_page_number(iri_stats_legacy(at)).text, share);

        if (share > 0) {
            iri_page_putf(out,
                          "<svg aria-hidden=\"true\" "
                          "xmlns=\"http://www.w3.org/2000/svg\" "
                          "preserveAspectRatio=\"none\" viewBox=\"0 0 1000 "
                          "1\"><path d=\"M0 0h%dv1H0z\"/></svg>",
                          (int) (10 + 990 * share / most));
        }

        iri_page_put(out, "</td></tr>\n");
    }

    iri_page_put(out, IRI_TABLE_END);
}


/* The counters that are not 0, of both modes. */
static void
iri_page_counts(iri_page_part_t *out, const iri_stats_region_t *region,
                const iri_stats_enum_t *of)
{
    const uint64_t *on = iri_stats_counts(&region->sets[0], of);
    const uint64_t *report = iri_stats_counts(&region->sets[1], of);
    const char     *text;
    size_t          i;

    iri_page_put(out, "<div>");
    iri_page_table(out, of->caption,
                   "<td></td>" IRI_TH("iri on") IRI_TH("iri report"));

    for (i = 0; i < of->size; i++) {
        if (on[i] != 0 || report[i] != 0) {
            text = of->text != NULL ? of->text((int) i) : "";
            iri_page_putf(out,
                          "<tr><th scope=\"row\">%s</th><td>%s</td>"
                          "<td>%s</td></tr>\n",
                          text[0] != '\0' ? text : of->word((int) i),
                          iri_page_number(on[i]).text,
                          iri_page_number(report[i]).text);
        }
    }

    iri_page_put(out, IRI_TABLE_END);
    iri_page_put(out, "</div>\n");
}


/* ---- the page ------------------------------------------------------------ */

static void
iri_stats_html(iri_page_part_t *out, const iri_stats_copy_t *copy)
{
    static const iri_str_t title = IRI_STR("IRI status");

    const iri_stats_region_t *region = &copy->region;
    const char               *charset = "";
    uint64_t                  last = iri_page_last_legacy(region, &charset);
    size_t                    i;

    iri_page_head(out, title,
                  "<meta name=\"robots\" content=\"noindex\"/>\n");
    iri_page_put(out, "<h1>Which encodings do requests use?</h1>\n</header>\n"
                      "<main class=\"report\">\n");
    iri_page_summary(out, copy, last, charset);

    if (last != 0) {
        iri_page_charsets(out, region);
        iri_page_senders(out, region, IRI_STATS_REFERER,
                         "Pages with links in legacy encodings",
                         IRI_TH("Referer") IRI_SENDER_COLUMNS);
        iri_page_senders(out, region, IRI_STATS_AGENT,
                         "Programs that send legacy encodings",
                         IRI_TH("User-Agent") IRI_SENDER_COLUMNS);
    }

    iri_page_days(out, copy);
    iri_page_put(out, "<h2>All requests</h2>\n<div class=\"grid\">\n");

    for (i = 0; i < IRI_STATS_ENUMS; i++) {
        iri_page_counts(out, region, &iri_stats_enums[i]);
    }

    iri_page_put(out, "</div>\n</main>\n<footer>\n<p>Counted since ");
    iri_page_time(out, region->since);
    iri_page_put(out, "; now it is ");
    iri_page_time(out, copy->now);
    iri_page_put(out,
                 ". <a type=\"application/json\" href=\"?format=json\">As"
                 " JSON</a>, <a type=\"text/plain\" "
                 "href=\"?format=prometheus\">for Prometheus</a></p>\n"
                 "</footer>\n" IRI_PAGE_FOOT);
}


/* ---- the format ---------------------------------------------------------- */

/* The value of the first parameter "format" of a query. */
static iri_str_t
iri_stats_format(iri_str_t query)
{
    static const iri_str_t name = IRI_STR("format="), html = IRI_STR("html");
    iri_str_t              parameter;

    while (query.len != 0) {
        parameter = iri_take_parameter(&query);

        if (parameter.len >= name.len
            && memcmp(parameter.data, name.data, name.len) == 0)
        {
            return iri_str_from(parameter, name.len);
        }
    }

    return html;
}


iri_status_t
iri_stats_page(const iri_env_t *env, const iri_stats_t *stats, int64_t now,
               iri_str_t query, iri_page_t *out)
{
    iri_str_t       format = iri_stats_format(query);
    iri_page_part_t body = { env, IRI_BUF_EMPTY, IRI_OK };
    iri_page_t      page = {
             200,        NULL, "default-src 'none'; frame-ancestors 'none'",
             "no-store", NULL, { 0, NULL }
    };
    iri_stats_copy_t *copy;

    copy = iri_stats_read(env, stats, now);
    if (copy == NULL) {
        return IRI_NO_MEMORY;
    }

    if (iri_str_equal_nocase(format, "html")) {
        page.type = "text/html; charset=utf-8";
        page.policy = iri_report_policy;
        iri_stats_html(&body, copy);

    } else if (iri_str_equal_nocase(format, "json")) {
        page.type = "application/json";
        iri_stats_json(&body, copy);

    } else if (iri_str_equal_nocase(format, "prometheus")) {
        page.type = "text/plain; version=0.0.4; charset=utf-8";
        iri_stats_prometheus(&body, copy);

    } else {
        /* A program that asks for another format cannot parse the page. */
        page.status = 400;
        page.type = "text/plain; charset=utf-8";
        iri_page_put(&body, "format must be html, json or prometheus\n");
    }

    if (body.status != IRI_OK) {
        return body.status;
    }

    page.body = iri_buf_str(&body.buf);
    *out = page;

    return IRI_OK;
}
