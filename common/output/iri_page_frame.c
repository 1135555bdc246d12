/*
 * iri_page_frame.c - the head, style and policy of the pages
 *
 * All pages share one style sheet, with a light and a dark scheme and rules for
 * narrow screens; <main class="report"> is that of the status report.  A page
 * is HTML and well-formed XML; it has no script and loads nothing.
 */

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "output/iri_output.h"

/* Colours have a contrast of at least 7:1 (WCAG 2, 1.4.6). */
#define IRI_STYLE                                                            \
    ":root{color-scheme:light dark;--fg:#1c1c1c;--bg:#fff;--line:#d5d5d5;"   \
    "--row:#eef3fb;--soft:#f3f5f9;--bar:#8a3800;--note:#7a3300;"             \
    "--link:#0842a0;--seen:#5b2a86}@media(prefers-color-scheme:dark){"       \
    ":root{--fg:#e8e8e8;--bg:#121212;--line:#444;--row:#26303d;"             \
    "--soft:#1d222b;--bar:#ffb070;--note:#ffc48a;--link:#a8c7fa;"            \
    "--seen:#d7b8f3}}"                                                       \
    "body{margin:0 auto;max-width:64rem;padding:1rem;"                       \
    "font:1rem/1.5 system-ui,sans-serif;color:var(--fg);"                    \
    "background:var(--bg)}a{color:var(--link)}a:visited{color:var(--seen)}"  \
    "a:focus-visible{outline:.2rem solid;outline-offset:.1rem}"              \
    "main li{padding:.25rem 0}"                                              \
    "bdi{white-space:pre-wrap;overflow-wrap:anywhere}"                       \
    "h1{font-size:1.25rem;margin:.5rem 0}"                                   \
    "nav ol{display:flex;flex-wrap:wrap;gap:0 .5rem;list-style:none;"        \
    "margin:0;padding:0}table{border-collapse:collapse;width:100%}"          \
    "th,td{padding:.25rem .5rem;text-align:start;vertical-align:baseline;"   \
    "border-bottom:1px solid var(--line)}"                                   \
    "th{white-space:nowrap;position:sticky;top:0;background:var(--bg)}"      \
    "th[aria-sort=ascending] a::after{content:' \\25B2'}"                    \
    "th[aria-sort=descending] a::after{content:' \\25BC'}"                   \
    "th:nth-child(2),td:nth-child(2){text-align:end}"                        \
    "td:nth-child(n+2){white-space:nowrap;"                                  \
    "font-variant-numeric:tabular-nums}"                                     \
    "tbody tr:hover{background:var(--row)}"                                  \
    "small{display:block;max-width:40rem;color:var(--note)}"                 \
    "h2,caption{font-size:1.1rem;font-weight:600;text-align:start;margin:0;" \
    "padding:2rem 0 .25rem}"                                                 \
    "section{padding:1rem;background:var(--soft);"                           \
    "border:1px solid var(--line);"                                          \
    "border-inline-start:.4rem solid var(--bar)}section p{margin:.25rem 0}"  \
    "strong{font-size:1.5rem}"                                               \
    ".report :is(th,td){text-align:end;white-space:nowrap;position:static;"  \
    "background:none;font-variant-numeric:tabular-nums}"                     \
    ".report tbody th{font-weight:400;white-space:normal}"                   \
    ".report :is(th,td):first-child{text-align:start}"                       \
    ".report td.text{white-space:pre-wrap;overflow-wrap:anywhere}"           \
    ".report~footer{margin-top:2rem;border-top:1px solid var(--line)}"       \
    ".bar{width:40%}"                                                        \
    "svg{display:block;width:100%;height:1rem;fill:var(--bar)}"              \
    ".grid{display:grid;gap:0 2.5rem;grid-template-columns:repeat(auto-fit," \
    "minmax(min(18rem,100%),1fr))}@media(max-width:40rem),(pointer:coarse){" \
    "nav a{display:block;min-width:2.75rem;padding:.625rem 0}}"              \
    "@media(max-width:40rem){body{padding:.5rem}td{font-size:.9rem}"         \
    "th,td{padding:.35rem .25rem}a{overflow-wrap:anywhere}"                  \
    ".report :is(th,td){font-size:.9rem;white-space:normal}"                 \
    ".wide{display:none}main:not(.report) td:first-child{width:100%}"        \
    "main:not(.report) :is(th:nth-child(3),time){white-space:normal}"        \
    "main:not(.report) time{display:block;width:6.2em;height:1.5em;"         \
    "overflow:hidden}}@media print{"                                         \
    "body{max-width:none;color:#000;background:#fff}"                        \
    "th{position:static;background:#fff}a{color:#000}footer a{display:none}" \
    "}"

/* The hash of IRI_STYLE; a test compares it. */
#define IRI_STYLE_HASH "sha256-Gl0a03xbVUbAS/d/uqAGynEYr5j7hdE1HLltUf7FLP8="


/* ---- a part of a page ---------------------------------------------------- */

void
iri_page_put(iri_page_part_t *part, const char *text)
{
    if (part->status == IRI_OK) {
        part->status = iri_buf_put_text(part->env, &part->buf, text);
    }
}


void
iri_page_putf(iri_page_part_t *part, const char *format, ...)
{
    char    text[400];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    iri_page_put(part, text);
}


void
iri_page_put_by(iri_text_put_t put, iri_page_part_t *part, iri_str_t text)
{
    if (part->status == IRI_OK) {
        part->status = put(part->env, &part->buf, text);
    }
}


void
iri_page_put_path(iri_page_part_t *part, iri_str_t path)
{
    iri_str_t uri = { 0, NULL };

    /* "//name" would start with an authority (RFC 3986, 4.2). */
    while (path.len > 1 && path.data[0] == '/' && path.data[1] == '/') {
        path = iri_str_from(path, 1);
    }

    if (part->status == IRI_OK) {
        part->status = iri_path_to_uri(part->env, path, &uri);
    }

    iri_page_put(part, "<a href=\"");
    iri_page_put_by(iri_html_put_uri, part, uri);
    iri_page_put(part, "\"");
}


/* ---- the page ------------------------------------------------------------ */

void
iri_page_head(iri_page_part_t *part, iri_str_t title, const char *meta)
{
    iri_page_put(part,
                 "<!DOCTYPE html>\n"
                 "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" "
                 "xml:lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                 "<meta name=\"viewport\" "
                 "content=\"width=device-width, initial-scale=1\"/>\n");
    iri_page_put(part, meta);
    iri_page_put(part, "<title>");
    iri_page_put_by(iri_html_put, part, title);
    iri_page_put(part,
                 "</title>\n<style>" IRI_STYLE "</style>\n</head>\n<body>\n"
                 "<header>\n");
}


#define IRI_HTML_POLICY                                                      \
    "default-src 'none'; style-src '" IRI_STYLE_HASH                         \
    "'; base-uri 'none'; form-action 'none'"

const char iri_page_policy[] = IRI_HTML_POLICY;
const char iri_report_policy[] = IRI_HTML_POLICY "; frame-ancestors 'none'";


iri_status_t
iri_page_finish(const iri_page_part_t *part, int json, iri_page_t *out)
{
    out->body = iri_buf_str(&part->buf);
    out->type = json ? "application/json" : "text/html; charset=utf-8";
    out->policy = json ? "default-src 'none'" : iri_page_policy;

    return part->status;
}


/* ---- dates (RFC 3339, UTC) ----------------------------------------------- */

#define IRI_FIRST_SECOND (-INT64_C(62135596800)) /* 0001-01-01T00:00:00Z */
#define IRI_LAST_SECOND  INT64_C(253402300799)   /* 9999-12-31T23:59:59Z */

iri_time_text_t
iri_time_text(int64_t seconds)
{
    iri_time_text_t out = { "" };
    time_t          time = (time_t) seconds;
    struct tm       tm;
    char            text[80];

    if (seconds >= IRI_FIRST_SECOND && seconds <= IRI_LAST_SECOND
        && time == seconds && gmtime_r(&time, &tm) != NULL)
    {
        (void) snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02dZ",
                        tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
                        tm.tm_hour, tm.tm_min, tm.tm_sec);
        memcpy(out.text, text, sizeof(out.text) - 1);
    }

    return out;
}
