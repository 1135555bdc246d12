/*
 * iri_stats_page.c - the status report as an HTML page
 *
 * The page first answers whether legacy encodings can be switched off and who
 * still sends them, then shows all counters.  The HTML is well-formed XML; it
 * has no script and loads nothing.  The charts are SVG without text; their
 * captions and axes are text of the page, and a table has the same numbers for
 * readers who cannot see the charts.
 */

#include "iri_stats.h"
#include "output/iri_output.h"
#include "output/iri_stats_memory.h"

#define IRI_PAGE_DAYS     60 /* greatest number of bars */
#define IRI_PAGE_ROWS     30 /* rows of the table of days */
#define IRI_PAGE_SENDERS  12
#define IRI_PAGE_RECENT   8
#define IRI_PAGE_CHARSETS 16
#define IRI_PAGE_TEXT     320 /* octets of an untrusted text, escaped */

/* Colours have a contrast of at least 7:1 (WCAG 2, 1.4.6). */
#define IRI_STATS_STYLE                                                        \
    ":root{color-scheme:light dark;--fg:#1c1c1c;--bg:#fff;--line:#d5d5d5;"     \
    "--soft:#f3f5f9;--bar:#8a3800;--quiet:#474747;--link:#0842a0}"             \
    "@media(prefers-color-scheme:dark){:root{--fg:#e8e8e8;--bg:#121212;"       \
    "--line:#444;--soft:#1d222b;--bar:#ffb070;--quiet:#bdbdbd;"                \
    "--link:#a8c7fa}}"                                                         \
    "body{margin:0 auto;max-width:64rem;padding:1rem;"                         \
    "font:1rem/1.5 system-ui,sans-serif;color:var(--fg);"                      \
    "background:var(--bg)}"                                                    \
    "a{color:var(--link)}"                                                     \
    "a:focus-visible,summary:focus-visible{outline:.2rem solid;"               \
    "outline-offset:.1rem}"                                                    \
    "h1{font-size:1.35rem;margin:.5rem 0}"                                     \
    "h2{font-size:1.1rem;margin:2rem 0 .25rem}"                                \
    "h3,caption{font-size:1rem;font-weight:600;text-align:start;"              \
    "margin:1rem 0 .25rem;padding:1rem 0 .25rem}"                              \
    ".verdict{margin:1rem 0;padding:1rem 1.25rem;background:var(--soft);"      \
    "border:1px solid var(--line);border-inline-start:.4rem solid var(--bar);" \
    "border-radius:.3rem}"                                                     \
    ".verdict strong{display:block;font-size:1.5rem;line-height:1.25;"         \
    "margin-bottom:.25rem}"                                                    \
    ".verdict p{margin:0}"                                                     \
    ".verdict dl{display:flex;flex-wrap:wrap;gap:.75rem 3rem;"                 \
    "margin:1rem 0 0}"                                                         \
    ".verdict dt,.verdict small{display:block;color:var(--quiet);"             \
    "font-size:.9rem}"                                                         \
    ".verdict dd{margin:0;font-size:1.35rem;font-weight:600;line-height:1.3;"  \
    "font-variant-numeric:tabular-nums}"                                       \
    ".verdict small{font-weight:400}"                                          \
    "figure{margin:.5rem 0}"                                                   \
    "figcaption,.axis,small{color:var(--quiet);font-size:.9rem}"               \
    ".axis{display:flex;justify-content:space-between;gap:1rem;"               \
    "font-variant-numeric:tabular-nums}"                                       \
    "svg{display:block;width:100%;height:8rem;"                                \
    "border-bottom:2px solid var(--fg);background:var(--soft)}"                \
    "svg .bar{fill:var(--bar)}"                                                \
    "svg .back{fill:none;pointer-events:all}"                                  \
    "svg .grid{stroke:var(--line);vector-effect:non-scaling-stroke}"           \
    "table{border-collapse:collapse;width:100%}"                               \
    "th,td{padding:.25rem .5rem;text-align:end;vertical-align:baseline;"       \
    "border-bottom:1px solid var(--line);"                                     \
    "font-variant-numeric:tabular-nums}"                                       \
    "th{font-weight:600}tbody th{font-weight:400}"                             \
    "th:first-child,td.text,th.text{text-align:start}"                         \
    "tbody th{overflow-wrap:anywhere}td.short{text-align:start}"               \
    "td{white-space:nowrap}td.text{white-space:normal;font-size:.9rem}"        \
    "bdi{white-space:pre-wrap;overflow-wrap:anywhere}"                         \
    ".none td,.none th{color:var(--quiet)}"                                    \
    "time{white-space:nowrap}"                                                 \
    ".grid{display:grid;gap:0 2.5rem;"                                         \
    "grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr))}"      \
    "summary{cursor:pointer;padding:.5rem 0}"                                  \
    "footer{margin-top:2rem;border-top:1px solid var(--line)}"                 \
    "@media(max-width:40rem){body{padding:.5rem}td,th{font-size:.9rem;"        \
    "padding:.3rem .25rem}.wide{display:none}svg{height:6rem}}"                \
    "@media print{body{max-width:none}}"

/* The hash of IRI_STATS_STYLE; a test compares it. */
#define IRI_STATS_STYLE_HASH                                                 \
    "sha256-7EhYeAFY+dudQKXwE0jYViTROksg1vWvKezIpljXg9g="

const char iri_stats_html_policy[] =
    "default-src 'none'; style-src '" IRI_STATS_STYLE_HASH
    "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";


/* ---- numbers ------------------------------------------------------------- */

/* A decimal number with U+202F between groups of three digits. */
static void
iri_page_number(iri_stats_out_t *out, uint64_t number)
{
    char     part[4] = { 0, 0, 0, '\0' };
    uint64_t unit = 1;

    while (number / unit >= 1000) {
        unit *= 1000;
    }

    iri_stats_put_number(out, number / unit);

    while (unit > 1) {
        number %= unit;
        unit /= 1000;
        part[0] = (char) ('0' + number / unit / 100);
        part[1] = (char) ('0' + number / unit / 10 % 10);
        part[2] = (char) ('0' + number / unit % 10);
        iri_stats_put(out, "\xE2\x80\xAF");
        iri_stats_put(out, part);
    }
}


/* The share of part in whole, in units of 0.01 %; at least 1 if part > 0. */
static uint64_t
iri_page_share_of(uint64_t part, uint64_t whole)
{
    uint64_t share;

    while (whole > UINT64_MAX / 20000) {
        whole /= 2;
        part /= 2;
    }

    if (part == 0 || whole == 0) {
        return 0;
    }

    share = part >= whole ? 10000 : (part * 20000 + whole) / (2 * whole);

    /* 0 % and 100 % are exact. */
    share = share == 10000 && part < whole ? 9999 : share;

    return share != 0 ? share : 1;
}


/* "0.05 %", "7.3 %", "64 %" */
static void
iri_page_share(iri_stats_out_t *out, uint64_t share)
{
    iri_stats_put_number(out, share / 100);

    if (share != 0 && share < 100) {
        iri_stats_put(out, share < 10 ? ".0" : ".");
        iri_stats_put_number(out, share);
    } else if ((share < 1000 || share > 9900) && share % 100 >= 10) {
        iri_stats_put(out, ".");
        iri_stats_put_number(out, share % 100 / 10);
    }

    iri_stats_put(out, "\xE2\x80\xAF%");
}


/* "3 hours" */
static void
iri_page_span(iri_stats_out_t *out, int64_t seconds)
{
    static const struct {
        int64_t     seconds;
        const char *one;
        const char *more;
    } units[] = { { 86400, " day", " days" },
                  { 3600, " hour", " hours" },
                  { 60, " minute", " minutes" },
                  { 1, " second", " seconds" } };
    size_t   i = 0;
    uint64_t number;

    /* Select the largest unit that gives at least 2. */
    while (i < 3 && seconds < 2 * units[i].seconds) {
        i++;
    }

    number = seconds > 0 ? (uint64_t) (seconds / units[i].seconds) : 0;
    iri_page_number(out, number);
    iri_stats_put(out, number == 1 ? units[i].one : units[i].more);
}


/* "2026-11-22 11:25 UTC" */
static void
iri_page_time(iri_stats_out_t *out, int64_t seconds)
{
    unsigned char date[IRI_STATS_TIME];
    char          shown[17];

    iri_stats_date(seconds, date);
    memcpy(shown, date, 16);
    shown[10] = ' ';
    shown[16] = '\0';

    iri_stats_put(out, "<time datetime=\"");
    iri_stats_put_time(out, seconds);
    iri_stats_put(out, "\">");
    iri_stats_put(out, shown);
    iri_stats_put(out, "</time>");
}


/* "2026-11-22", or "11:00" */
static void
iri_page_date(iri_stats_out_t *out, int64_t seconds, int hours)
{
    unsigned char date[IRI_STATS_TIME];
    char          shown[11];

    iri_stats_date(seconds, date);
    memcpy(shown, date, 10);
    shown[10] = '\0';

    if (hours) {
        memcpy(shown, date + 11, 5);
        shown[5] = '\0';
    }

    iri_stats_put(out, shown);
}


/* A cell with untrusted text, which is never a link. */
static void
iri_page_text(iri_stats_out_t *out, const char *class, iri_str_t text)
{
    int cut;

    iri_stats_put(out, "<td class=\"");
    iri_stats_put(out, class);
    iri_stats_put(out, "\">");

    if (text.len == 0) {
        iri_stats_put(out, "<small>none</small></td>");
        return;
    }

    iri_stats_put(out, "<bdi>");
    cut = iri_stats_put_text(out, iri_html_put, text, IRI_PAGE_TEXT);
    iri_stats_put(out, "</bdi>");
    iri_stats_put(out, cut || text.len == IRI_STATS_TEXT
                           ? "<small> \xE2\x80\xA6</small></td>"
                           : "</td>");
}


/* ---- the summary --------------------------------------------------------- */

/* Sum the requests of the last days, including today. */
static void
iri_page_last_days(const iri_stats_snapshot_t *snapshot, size_t days,
                   uint64_t *legacy, uint64_t *all)
{
    size_t i = snapshot->day_count > days ? snapshot->day_count - days : 0;

    *legacy = 0;
    *all = 0;

    for (; i < snapshot->day_count; i++) {
        *legacy += iri_stats_legacy_requests(snapshot->days[i].at);
        *all += iri_stats_requests(snapshot->days[i].at);
    }
}


/* The time and charset of the last legacy request; 0: there was none. */
static int64_t
iri_page_last_legacy(const iri_stats_snapshot_t *snapshot,
                     const char                **charset)
{
    uint64_t last = 0;
    size_t   part, i;

    for (part = 0; part < IRI_STATS_PARTS; part++) {
        for (i = 0; i < IRI_STATS_CHARSETS; i++) {
            if (snapshot->last_seen[part][i] > last) {
                last = snapshot->last_seen[part][i];
                *charset = iri_stats_charset_word(i);
            }
        }
    }

    return (int64_t) last;
}


#define IRI_PAGE_MONTH (30 * 86400)

static void
iri_page_legacy_share(iri_stats_out_t            *out,
                      const iri_stats_snapshot_t *snapshot, size_t days,
                      const char *when)
{
    uint64_t legacy, all;

    iri_page_last_days(snapshot, days, &legacy, &all);
    iri_stats_put(out, "<div><dt>");
    iri_stats_put(out, when);
    iri_stats_put(out, "</dt><dd>");
    iri_page_share(out, iri_page_share_of(legacy, all));
    iri_stats_put(out, " <small>");
    iri_page_number(out, legacy);
    iri_stats_put(out, " of ");
    iri_page_number(out, all);
    iri_stats_put(out, all == 1 ? " request</small></dd></div>\n"
                                : " requests</small></dd></div>\n");
}


static void
iri_page_summary(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    const char *charset = "";
    int64_t     last = iri_page_last_legacy(snapshot, &charset);
    int64_t     since = last != 0 ? last : snapshot->since;
    int         quiet = snapshot->now - since >= IRI_PAGE_MONTH;

    iri_stats_put(out, "<section class=\"verdict\" "
                       "aria-label=\"Legacy encodings\">\n<strong>");
    iri_stats_put(out, quiet       ? "Legacy encodings are no longer used"
                       : last == 0 ? "No legacy encodings so far"
                                   : "Legacy encodings are still in use");
    iri_stats_put(out, "</strong>\n<p>");

    if (last == 0) {
        iri_stats_put(out, "No request has used one since counting began, ");
    } else {
        iri_stats_put(out, "The last one came ");
    }

    iri_page_span(out, snapshot->now - since);
    iri_stats_put(out, " ago");

    if (last != 0) {
        iri_stats_put(out, ", in ");
        iri_stats_put(out, charset);
    }

    iri_stats_put(out, ".");
    iri_stats_put(
        out, quiet ? " They can be switched off."
             : last == 0
                 ? " Wait for a month without any before you switch them off."
                 : "");
    iri_stats_put(out, "</p>\n<dl>\n");
    iri_page_legacy_share(out, snapshot, 1, "Today (UTC)");
    iri_page_legacy_share(out, snapshot, 7, "In 7 days");
    iri_page_legacy_share(out, snapshot, 30, "In 30 days");
    iri_stats_put(out, "</dl>\n</section>\n");
}


/* ---- charts -------------------------------------------------------------- */

/* The top of the scale: a round number that is not less than most. */
static uint64_t
iri_page_scale(uint64_t most)
{
    static const unsigned char steps[] = { 1, 2, 3, 4, 5, 6, 8, 10 };
    uint64_t                   power = 1;
    size_t                     i = 0;

    while (most / power > 10) {
        power *= 10;
    }

    while (i + 1 < sizeof(steps) && steps[i] * power < most) {
        i++;
    }

    return steps[i] * power < most ? most : steps[i] * power;
}


typedef struct {
    const char             *name; /* caption */
    const char             *id;
    const iri_stats_span_t *span;
    size_t                  count;
    int                     hours; /* 1: counts by hour, 0: shares by day */
} iri_chart_t;


static uint64_t
iri_chart_value(const iri_chart_t *chart, size_t i)
{
    const uint64_t *at = chart->span[i].at;

    return chart->hours ? iri_stats_legacy_requests(at)
                        : iri_page_share_of(iri_stats_legacy_requests(at),
                                            iri_stats_requests(at));
}


static void
iri_chart_label(iri_stats_out_t *out, const iri_chart_t *chart,
                uint64_t value)
{
    if (chart->hours) {
        iri_page_number(out, value);
    } else {
        iri_page_share(out, value);
    }
}


/* A bar; the chart is 1000 units high.  Any value above 0 is visible. */
static void
iri_chart_bar(iri_stats_out_t *out, const iri_chart_t *chart, size_t i,
              uint64_t scale)
{
    uint64_t value = iri_chart_value(chart, i);
    uint64_t high = value > UINT64_MAX / 1000 ? value / (scale / 1000)
                                              : value * 1000 / scale;

    high = value != 0 && high < 15 ? 15 : high;

    iri_stats_put(out, "<g><title>");
    iri_page_date(out, chart->span[i].begins, 0);

    if (chart->hours) {
        iri_stats_put(out, " ");
        iri_page_date(out, chart->span[i].begins, 1);
    }

    iri_stats_put(out, ": ");
    iri_page_number(out, iri_stats_legacy_requests(chart->span[i].at));
    iri_stats_put(out, " of ");
    iri_page_number(out, iri_stats_requests(chart->span[i].at));
    iri_stats_put(out, "</title><path class=\"back\" d=\"M");
    iri_stats_put_number(out, 10 * i);
    iri_stats_put(out, " 0h10v1000h-10z\"/>");

    if (high != 0) {
        iri_stats_put(out, "<path class=\"bar\" d=\"M");
        iri_stats_put_number(out, 10 * i + 1);
        iri_stats_put(out, " 1000v-");
        iri_stats_put_number(out, high);
        iri_stats_put(out, "h8v");
        iri_stats_put_number(out, high);
        iri_stats_put(out, "z\"/>");
    }

    iri_stats_put(out, "</g>\n");
}


/* The least width of a chart, in bars, so that few bars stay narrow. */
#define IRI_CHART_LEAST 24

static void
iri_chart_svg(iri_stats_out_t *out, const iri_chart_t *chart, uint64_t scale)
{
    size_t i, wide = chart->count > IRI_CHART_LEAST ? chart->count
                                                    : IRI_CHART_LEAST;

    iri_stats_put(out, "<svg role=\"img\" aria-labelledby=\"");
    iri_stats_put(out, chart->id);
    iri_stats_put(out, "\" xmlns=\"http://www.w3.org/2000/svg\" "
                       "preserveAspectRatio=\"none\" viewBox=\"0 0 ");
    iri_stats_put_number(out, 10 * wide);
    iri_stats_put(out, " 1000\">\n<path class=\"grid\" d=\"M0 500h");
    iri_stats_put_number(out, 10 * wide);
    iri_stats_put(out, "\"/>\n");

    for (i = 0; i < chart->count; i++) {
        iri_chart_bar(out, chart, i, scale);
    }

    iri_stats_put(out, "</svg>\n");
}


static void
iri_chart_axis(iri_stats_out_t *out, const iri_chart_t *chart)
{
    size_t last = chart->count - 1;

    iri_stats_put(out, "<div class=\"axis\" aria-hidden=\"true\"><span>");
    iri_page_date(out, chart->span[0].begins, 0);

    if (chart->hours) {
        iri_stats_put(out, " ");
        iri_page_date(out, chart->span[0].begins, 1);
    }

    if (last != 0) {
        iri_stats_put(out, "</span><span>");
        iri_stats_put(out,
                      chart->count > IRI_CHART_LEAST ? "" : "\xE2\x80\x93 ");
        iri_page_date(out, chart->span[last].begins, 0);

        if (chart->hours) {
            iri_stats_put(out, " ");
            iri_page_date(out, chart->span[last].begins, 1);
        }
    }

    iri_stats_put(out, "</span></div>\n");
}


static void
iri_page_chart(iri_stats_out_t *out, const iri_chart_t *chart)
{
    uint64_t most = 0, value, scale;
    size_t   i, top = 0;

    for (i = 0; i < chart->count; i++) {
        value = iri_chart_value(chart, i);
        top = value > most ? i : top;
        most = value > most ? value : most;
    }

    scale = iri_page_scale(most);

    iri_stats_put(out, "<figure>\n<figcaption id=\"");
    iri_stats_put(out, chart->id);
    iri_stats_put(out, "\">");
    iri_stats_put(out, chart->name);
    iri_stats_put(out, most == 0 ? ": none." : "; the most was ");

    if (most != 0) {
        iri_chart_label(out, chart, most);
        iri_stats_put(out, chart->hours ? " at " : " on ");
        iri_page_date(out, chart->span[top].begins, chart->hours);
        iri_stats_put(out, ".");
    }

    iri_stats_put(out, "</figcaption>\n<div class=\"axis\" "
                       "aria-hidden=\"true\"><span>");
    iri_chart_label(out, chart, scale);
    iri_stats_put(out, "</span></div>\n");
    iri_chart_svg(out, chart, scale);
    iri_chart_axis(out, chart);
    iri_stats_put(out, "</figure>\n");
}


/* ---- tables -------------------------------------------------------------- */

static void
iri_page_cell(iri_stats_out_t *out, uint64_t number)
{
    iri_stats_put(out, "<td>");
    iri_page_number(out, number);
    iri_stats_put(out, "</td>");
}


static void
iri_page_days(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    const uint64_t *at;
    size_t          i, rows = 0;

    iri_stats_put(out,
                  "<details>\n<summary>The days in numbers</summary>\n"
                  "<table>\n<thead><tr><th scope=\"col\">Day (UTC)</th>"
                  "<th scope=\"col\">Requests</th>"
                  "<th scope=\"col\">Legacy paths</th>"
                  "<th scope=\"col\">Only queries</th>"
                  "<th scope=\"col\">Share</th></tr></thead>\n<tbody>\n");

    for (i = snapshot->day_count; i > 0 && rows < IRI_PAGE_ROWS; i--, rows++)
    {
        at = snapshot->days[i - 1].at;
        iri_stats_put(out, "<tr><th scope=\"row\">");
        iri_page_date(out, snapshot->days[i - 1].begins, 0);
        iri_stats_put(out, "</th>");
        iri_page_cell(out, iri_stats_requests(at));
        iri_page_cell(out, at[IRI_FORM_LEGACY]);
        iri_page_cell(out, at[IRI_FORMS]);
        iri_stats_put(out, "<td>");
        iri_page_share(out, iri_page_share_of(iri_stats_legacy_requests(at),
                                              iri_stats_requests(at)));
        iri_stats_put(out, "</td></tr>\n");
    }

    iri_stats_put(out, "</tbody>\n</table>\n</details>\n");
}


static void
iri_page_charts(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    iri_chart_t chart = { "Share of requests with a path or a query in a "
                          "legacy encoding, by day",
                          "days", NULL, 0, 0 };

    iri_stats_put(out, "<h2>By day and hour</h2>\n");

    chart.count = snapshot->day_count < IRI_PAGE_DAYS ? snapshot->day_count
                                                      : IRI_PAGE_DAYS;
    chart.span = snapshot->days + snapshot->day_count - chart.count;
    iri_page_chart(out, &chart);

    chart.name = "Number of these requests, by hour";
    chart.id = "hours";
    chart.count = snapshot->hour_count;
    chart.span = snapshot->hours;
    chart.hours = 1;
    iri_page_chart(out, &chart);

    iri_page_days(out, snapshot);
}


static uint64_t
iri_page_charset_count(const iri_stats_snapshot_t *snapshot, size_t part,
                       size_t i)
{
    return snapshot->sets[0].charsets[part][i]
           + snapshot->sets[1].charsets[part][i];
}


static void
iri_page_charset(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot,
                 size_t i)
{
    uint64_t last = snapshot->last_seen[0][i] > snapshot->last_seen[1][i]
                        ? snapshot->last_seen[0][i]
                        : snapshot->last_seen[1][i];

    iri_stats_put(out, "<tr><th scope=\"row\">");
    iri_stats_put(out, iri_stats_charset_word(i));
    iri_stats_put(out, "</th>");
    iri_page_cell(out, iri_page_charset_count(snapshot, 0, i));
    iri_page_cell(out, iri_page_charset_count(snapshot, 1, i));
    iri_stats_put(out, "<td>");
    iri_page_time(out, (int64_t) last);
    iri_stats_put(out, "</td></tr>\n");
}


/* The table of charsets, at most IRI_PAGE_CHARSETS rows. */
static void
iri_page_charsets(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    size_t i, rows = 0;

    iri_stats_put(out, "<h2>Legacy encodings and their senders</h2>\n");

    if (iri_stats_legacy_requests(snapshot->totals) == 0) {
        iri_stats_put(out, "<p>No request has used one.</p>\n");
        return;
    }

    iri_stats_put(out, "<table>\n<thead><tr><th scope=\"col\">Encoding</th>"
                       "<th scope=\"col\">In paths</th>"
                       "<th scope=\"col\">In queries</th>"
                       "<th scope=\"col\">Last (UTC)</th></tr></thead>\n"
                       "<tbody>\n");

    for (i = 0; i < IRI_STATS_CHARSETS && rows < IRI_PAGE_CHARSETS; i++) {
        if (snapshot->last_seen[0][i] != 0 || snapshot->last_seen[1][i] != 0)
        {
            iri_page_charset(out, snapshot, i);
            rows++;
        }
    }

    iri_stats_put(out, "</tbody>\n</table>\n");
}


static void
iri_page_senders(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot,
                 iri_stats_table_t table, const char *caption,
                 const char *column)
{
    const iri_stats_sender_t *top = snapshot->top[table];
    size_t                    i, count = snapshot->top_count[table];

    if (count == 0) {
        return;
    }

    iri_stats_put(out, "<table>\n<caption>");
    iri_stats_put(out, caption);
    iri_stats_put(out, "</caption>\n<thead><tr><th scope=\"col\">");
    iri_stats_put(out, column);
    iri_stats_put(out, "</th><th scope=\"col\">Requests</th>"
                       "<th scope=\"col\" class=\"wide\">Last in</th>"
                       "<th scope=\"col\" class=\"wide\">Last (UTC)</th>"
                       "</tr></thead>\n<tbody>\n");

    for (i = 0; i < count && i < IRI_PAGE_SENDERS; i++) {
        iri_stats_put(out, "<tr>");
        iri_page_text(out, "text", iri_stats_text(top[i].text, top[i].len));
        iri_stats_put(out, "<td>");

        if (top[i].error != 0) {
            iri_page_number(out, top[i].count > top[i].error
                                     ? top[i].count - top[i].error
                                     : 0);
            iri_stats_put(out, " to ");
        }

        iri_page_number(out, top[i].count);
        iri_stats_put(out, "</td><td class=\"wide\">");
        iri_stats_put(out, iri_stats_charset_word(top[i].charset));
        iri_stats_put(out, "</td><td class=\"wide\">");
        iri_page_time(out, (int64_t) top[i].last);
        iri_stats_put(out, "</td></tr>\n");
    }

    if (snapshot->missing[table] != 0) {
        iri_stats_put(out, "<tr class=\"none\"><td class=\"text\">not sent"
                           "</td>");
        iri_page_cell(out, snapshot->missing[table]);
        iri_stats_put(out, "<td class=\"wide\"></td><td class=\"wide\"></td>"
                           "</tr>\n");
    }

    iri_stats_put(out, "</tbody>\n</table>\n");
}


static void
iri_page_recent(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    const iri_stats_recent_t *recent = snapshot->recent;
    size_t                    i;

    if (snapshot->recent_count == 0) {
        return;
    }

    iri_stats_put(out, "<table>\n<caption>The last of these requests"
                       "</caption>\n<thead><tr><th scope=\"col\">When (UTC)"
                       "</th><th scope=\"col\" class=\"text wide\">In</th>"
                       "<th scope=\"col\" class=\"text\">Referer</th>"
                       "<th scope=\"col\" class=\"text wide\">User-Agent"
                       "</th></tr></thead>\n<tbody>\n");

    for (i = 0; i < snapshot->recent_count && i < IRI_PAGE_RECENT; i++) {
        iri_stats_put(out, "<tr><td class=\"short\">");
        iri_page_time(out, (int64_t) recent[i].time);
        iri_stats_put(out, "</td><td class=\"short wide\">");
        iri_stats_put(out, iri_stats_charset_word(recent[i].charset));
        iri_stats_put(out, (recent[i].kind & IRI_STATS_OF_QUERY) != 0
                               ? ", query</td>"
                               : "</td>");
        iri_page_text(
            out, "text",
            iri_stats_text(recent[i].referer, recent[i].referer_len));
        iri_page_text(out, "text wide",
                      iri_stats_text(recent[i].agent, recent[i].agent_len));
        iri_stats_put(out, "</tr>\n");
    }

    iri_stats_put(out, "</tbody>\n</table>\n");
}


/* ---- all requests -------------------------------------------------------- */

/* A table of an enum, with a column for mode on and, if used, for report. */
typedef struct {
    const char      *caption;
    size_t           offset; /* in iri_stats_set_t */
    int              size;
    int              nonzero; /* 1: rows with only zeros are omitted */
    iri_stats_word_t word;
} iri_page_table_t;

static const char *
iri_page_why_text(int i)
{
    return iri_why_text((iri_why_t) i);
}


#define IRI_PAGE_OF(field)                                                   \
    offsetof(iri_stats_set_t, field),                                        \
        (int) (sizeof(((iri_stats_set_t *) NULL)->field) / sizeof(uint64_t))

static const iri_page_table_t iri_page_tables[] = {
    { "Form of the path", IRI_PAGE_OF(forms), 0, iri_stats_form_word },
    { "Difference ignored", IRI_PAGE_OF(matches), 1, iri_stats_match_word },
    { "Verdict", IRI_PAGE_OF(answers), 0, iri_stats_verdict_word },
    { "Reason", IRI_PAGE_OF(whys), 1, iri_page_why_text },
    { "Refused, by reason", IRI_PAGE_OF(refusals), 1, iri_page_why_text },
    { "Redirected, by status", IRI_PAGE_OF(redirects), 1,
      iri_stats_redirect_word },
    { "Query", IRI_PAGE_OF(queries), 1, iri_stats_query_word },
    { "Host", IRI_PAGE_OF(hosts), 1, iri_stats_host_word },
};


static void
iri_page_row(iri_stats_out_t *out, const iri_page_table_t *table, int i,
             uint64_t on, uint64_t report, int reports)
{
    iri_stats_put(out,
                  on == 0 && report == 0 ? "<tr class=\"none\">" : "<tr>");
    iri_stats_put(out, "<th scope=\"row\">");
    iri_stats_put(out, table->word(i)[0] != '\0' ? table->word(i) : "other");
    iri_stats_put(out, "</th>");
    iri_page_cell(out, on);

    if (reports) {
        iri_page_cell(out, report);
    }

    iri_stats_put(out, "</tr>\n");
}


static void
iri_page_table(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot,
               const iri_page_table_t *table, int reports)
{
    const uint64_t *count[IRI_STATS_MODES];
    int             i, rows = 0;

    for (i = 0; i < IRI_STATS_MODES; i++) {
        count[i] = iri_stats_at(&snapshot->sets[i], table->offset);
    }

    for (i = 0; i < table->size; i++) {
        if (table->nonzero && count[0][i] == 0 && count[1][i] == 0) {
            continue;
        }

        if (rows++ == 0) {
            iri_stats_put(out, "<div><table>\n<caption>");
            iri_stats_put(out, table->caption);
            iri_stats_put(out, "</caption>\n<thead><tr>"
                               "<td></td><th scope=\"col\">Requests</th>");
            iri_stats_put(out, reports ? "<th scope=\"col\">Report</th>"
                                         "</tr></thead>\n<tbody>\n"
                                       : "</tr></thead>\n<tbody>\n");
        }

        iri_page_row(out, table, i, count[0][i], count[1][i], reports);
    }

    if (rows != 0) {
        iri_stats_put(out, "</tbody>\n</table></div>\n");
    }
}


static void
iri_page_cache_row(iri_stats_out_t *out, const char *name, uint64_t hits,
                   uint64_t misses)
{
    iri_stats_put(out, "<tr><th scope=\"row\">");
    iri_stats_put(out, name);
    iri_stats_put(out, "</th>");
    iri_page_cell(out, hits);
    iri_page_cell(out, misses);
    iri_stats_put(out, "</tr>\n");
}


static void
iri_page_cache(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    const iri_index_cache_counts_t *cache = &snapshot->cache;

    iri_stats_put(out,
                  "<div><table>\n<caption>Cache</caption>\n"
                  "<thead><tr><td></td><th scope=\"col\">Hits</th>"
                  "<th scope=\"col\">Misses</th></tr></thead>\n<tbody>\n");
    iri_page_cache_row(out, "indexes", cache->index_hits,
                       cache->index_misses);
    iri_stats_put(out, "</tbody>\n</table>\n<p><small>");
    iri_page_number(out, cache->builds);
    iri_stats_put(out, " built, ");
    iri_page_number(out, snapshot->use.indexes);
    iri_stats_put(out, " kept, ");
    iri_page_number(out, snapshot->use.used / 1024);
    iri_stats_put(out, " of ");
    iri_page_number(out, snapshot->use.size / 1024);
    iri_stats_put(out, " KiB used</small></p></div>\n");
}


static void
iri_page_all_requests(iri_stats_out_t            *out,
                      const iri_stats_snapshot_t *snapshot)
{
    uint64_t on = iri_stats_requests(snapshot->sets[0].forms);
    uint64_t report = iri_stats_requests(snapshot->sets[1].forms);
    size_t   i;

    iri_stats_put(out, "<h2>All requests</h2>\n<p>");
    iri_page_number(out, on);
    iri_stats_put(out, on == 1 ? " request was read" : " requests were read");

    if (report != 0) {
        iri_stats_put(out, "; in <code>report</code>, where nothing is "
                           "changed, ");
        iri_page_number(out, report);
        iri_stats_put(out, " would have been");
    }

    iri_stats_put(out, ".</p>\n<div class=\"grid\">\n");

    for (i = 0; i < sizeof(iri_page_tables) / sizeof(iri_page_tables[0]); i++)
    {
        iri_page_table(out, snapshot, &iri_page_tables[i], report != 0);
    }

    iri_page_cache(out, snapshot);
    iri_stats_put(out, "</div>\n");
}


/* ---- the page ------------------------------------------------------------ */

void
iri_stats_html(iri_stats_out_t *out, const iri_stats_snapshot_t *snapshot)
{
    iri_stats_put(out,
                  "<!DOCTYPE html>\n"
                  "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" "
                  "xml:lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\"/>\n"
                  "<meta name=\"robots\" content=\"noindex\"/>\n"
                  "<title>IRI status</title>\n"
                  "<style>" IRI_STATS_STYLE "</style>\n"
                  "</head>\n<body>\n<main>\n"
                  "<h1>Which encodings do requests use?</h1>\n");

    iri_page_summary(out, snapshot);
    iri_page_charts(out, snapshot);
    iri_page_charsets(out, snapshot);
    iri_page_senders(out, snapshot, IRI_STATS_REFERER,
                     "Pages that link in legacy encodings", "Referer");
    iri_page_senders(out, snapshot, IRI_STATS_AGENT,
                     "Programs that send legacy encodings", "User-Agent");
    iri_page_recent(out, snapshot);
    iri_page_all_requests(out, snapshot);

    iri_stats_put(out, "</main>\n<footer>\n<p>Counted since ");
    iri_page_time(out, snapshot->since);
    iri_stats_put(out, " UTC (");
    iri_page_span(out, snapshot->now - snapshot->since);
    iri_stats_put(out, "); now it is ");
    iri_page_time(out, snapshot->now);
    iri_stats_put(
        out, " UTC. <a type=\"application/json\" href=\"?format=json\">As"
             " JSON</a>, <a type=\"text/plain\" "
             "href=\"?format=prometheus\">for Prometheus</a></p>\n"
             "</footer>\n</body>\n</html>\n");
}


/* ---- the format ---------------------------------------------------------- */

typedef enum {
    IRI_PAGE_HTML,
    IRI_PAGE_JSON,
    IRI_PAGE_PROMETHEUS,
    IRI_PAGE_UNKNOWN
} iri_page_format_t;


/* The value of "format" in the query; if repeated, the last one counts. */
static iri_page_format_t
iri_page_format(iri_str_t query)
{
    static const char *const words[] = { "html", "json", "prometheus" };
    static const char        name[] = "format=";
    iri_page_format_t        format = IRI_PAGE_HTML;
    size_t                   from, to;
    iri_str_t                one;

    for (from = 0; from < query.len; from = to + 1) {
        for (to = from; to < query.len && query.data[to] != '&'; to++) {
        }

        one = iri_str_from(query, from);
        one.len = to - from;

        if (one.len < sizeof(name) - 1
            || memcmp(one.data, name, sizeof(name) - 1) != 0)
        {
            continue;
        }

        one = iri_str_from(one, sizeof(name) - 1);

        for (format = IRI_PAGE_HTML; format < IRI_PAGE_UNKNOWN; format++) {
            if (iri_str_equal_nocase(one, words[format])) {
                break;
            }
        }
    }

    return format;
}


iri_status_t
iri_stats_page(const iri_env_t *env, const iri_stats_t *stats,
               const iri_stats_page_conf_t *conf, iri_stats_page_t *out)
{
    iri_stats_out_t       body = { env, IRI_BUF_EMPTY, IRI_OK };
    iri_stats_snapshot_t *snapshot;
    iri_stats_page_t      page;
    iri_status_t          status;

    status = iri_stats_read(env, stats, conf, &snapshot);
    if (status != IRI_OK) {
        return status;
    }

    page.status = 200;
    page.policy = "default-src 'none'; frame-ancestors 'none'";

    switch (iri_page_format(conf->query)) {
    case IRI_PAGE_HTML:
        page.type = "text/html; charset=utf-8";
        page.policy = iri_stats_html_policy;
        iri_stats_html(&body, snapshot);
        break;

    case IRI_PAGE_JSON:
        page.type = "application/json";
        iri_stats_json(&body, snapshot);
        break;

    case IRI_PAGE_PROMETHEUS:
        page.type = "text/plain; version=0.0.4; charset=utf-8";
        iri_stats_prometheus(&body, snapshot);
        break;

    default:
        /* A program cannot use the HTML page instead. */
        page.status = 400;
        page.type = "text/plain; charset=utf-8";
        iri_stats_put(&body, "format must be html, json or prometheus\n");
        break;
    }

    if (body.status != IRI_OK) {
        return body.status;
    }

    page.body = iri_buf_str(&body.buf);
    *out = page;

    return IRI_OK;
}
