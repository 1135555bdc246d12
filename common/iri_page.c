/*
 * iri_page.c - a listing as a page for people, or as JSON for programs
 *
 * Piece by piece: what comes before the entries, each entry, what comes
 * behind.  The page is HTML that is well-formed as XML, too, so that a strict
 * parser can judge it; it has no script and loads nothing.
 */

#include "iri_int.h"

/* Octets of what stands around the names of an entry, and behind them all. */
#define IRI_AROUND 1024

/* Ancestors that are linked, but for the first. */
#define IRI_MAX_CRUMBS 24

/* A piece being written; after an error nothing more is. */
typedef struct {
    iri_listing_t *listing;
    iri_buf_t      buf;
    iri_status_t   status;
} iri_piece_t;

#define IRI_STYLE                                                             \
    ":root{color-scheme:light dark}"                                          \
    "body{font:100%/1.5 system-ui,sans-serif;margin:0 auto;"                  \
    "max-width:72rem;padding:1rem}"

static const char iri_page_style[] = IRI_STYLE;


/* ---- writing ------------------------------------------------------------- */

static void
iri_say(iri_piece_t *piece, const char *text)
{
    if (piece->status == IRI_OK) {
        piece->status = iri_put_text(piece->listing->env, &piece->buf, text);
    }
}


static void
iri_say_octets(iri_piece_t *piece, const unsigned char *data, size_t len)
{
    if (piece->status == IRI_OK) {
        piece->status = iri_buf_put(piece->listing->env, &piece->buf, data,
                                    len);
    }
}


static void
iri_say_html(iri_piece_t *piece, iri_str_t text)
{
    if (piece->status == IRI_OK) {
        piece->status = iri_html_put(piece->listing->env, &piece->buf, text);
    }
}


static void
iri_say_json(iri_piece_t *piece, iri_str_t text)
{
    if (piece->status == IRI_OK) {
        piece->status = iri_json_put(piece->listing->env, &piece->buf, text);
    }
}


static void
iri_say_number(iri_piece_t *piece, uint64_t number)
{
    unsigned char digits[20];
    size_t        at = sizeof(digits);

    do {
        digits[--at] = (unsigned char) ('0' + number % 10);
        number /= 10;
    } while (number != 0);

    iri_say_octets(piece, digits + at, sizeof(digits) - at);
}


/* As a part of a URI; what is "&" or "'" there is an entity in HTML. */
static void
iri_say_uri(iri_piece_t *piece, iri_str_t path)
{
    const iri_env_t     *env = piece->listing->env;
    const unsigned char *p = path.data, *end = path.data + path.len, *from;

    while (piece->status == IRI_OK && p < end) {
        from = p;

        while (p < end && iri_is_path_char(*p) && *p != '&' && *p != '\'') {
            p++;
        }

        iri_say_octets(piece, from, (size_t) (p - from));

        if (piece->status != IRI_OK || p == end) {
            return;
        }

        if (!iri_is_path_char(*p)) {
            piece->status = iri_buf_put_escape(env, &piece->buf, *p);
        } else if (piece->listing->json) {
            iri_say_octets(piece, p, 1);
        } else {
            iri_say(piece, *p == '&' ? "&amp;" : "&#39;");
        }

        p++;
    }
}


/* Octets that have no name: ASCII stays, but for "%". */
static void
iri_say_escaped(iri_piece_t *piece, iri_str_t octets)
{
    const iri_env_t *env = piece->listing->env;
    iri_str_t        one;
    size_t           i;

    for (i = 0; piece->status == IRI_OK && i < octets.len; i++) {
        one.data = octets.data + i;
        one.len = 1;

        if (*one.data < 0x20 || *one.data >= 0x7f || *one.data == '%') {
            piece->status = iri_buf_put_escape(env, &piece->buf, *one.data);
        } else {
            iri_say_html(piece, one);
        }
    }
}


/* ---- dates (RFC 3339, UTC) ------------------------------------------------ */

#define IRI_DAY 86400

static void
iri_two_digits(char *at, unsigned number)
{
    at[0] = (char) ('0' + number / 10 % 10);
    at[1] = (char) ('0' + number % 10);
}


/*
 * The date of a day, days since 1970-01-01, in years 1 to 9999: in years that
 * begin with March, for then the day that is not always there is the last.
 */
static void
iri_date_of(int64_t days, char date[11])
{
    unsigned day = (unsigned) (days + 719468), era = day / 146097, year, month;

    day %= 146097;
    year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5;
    year += 400 * era + (month >= 10);
    month = month < 10 ? month + 3 : month - 9;

    iri_two_digits(date, year / 100);
    iri_two_digits(date + 2, year % 100);
    iri_two_digits(date + 5, month);
    iri_two_digits(date + 8, day + 1);
    date[4] = date[7] = '-';
    date[10] = '\0';
}


#define IRI_FIRST_SECOND (-INT64_C(62135596800)) /* 0001-01-01T00:00:00Z */
#define IRI_LAST_SECOND  INT64_C(253402300799)   /* 9999-12-31T23:59:59Z */

/* "2026-11-22T11:25:00Z"; 0: it has no such date. */
static int
iri_time_of(iri_listing_t *listing, int64_t seconds, char time[21])
{
    int64_t  day;
    unsigned rest;

    if (seconds < IRI_FIRST_SECOND || seconds > IRI_LAST_SECOND) {
        return 0;
    }

    day = (seconds - IRI_FIRST_SECOND) / IRI_DAY;
    rest = (unsigned) ((seconds - IRI_FIRST_SECOND) % IRI_DAY);

    if (day != listing->day) {
        iri_date_of(day + IRI_FIRST_SECOND / IRI_DAY, listing->date);
        listing->day = day;
    }

    memcpy(time, listing->date, 10);
    time[10] = 'T';
    iri_two_digits(time + 11, rest / 3600);
    iri_two_digits(time + 14, rest / 60 % 60);
    iri_two_digits(time + 17, rest % 60);
    time[13] = time[16] = ':';
    time[19] = 'Z';
    time[20] = '\0';

    return 1;
}


/* ---- one entry of the page ----------------------------------------------- */

static void
iri_html_size(iri_piece_t *piece, const iri_item_t *item)
{
    static const char *const units[] = { "KiB", "MiB", "GiB",
                                         "TiB", "PiB", "EiB" };
    uint64_t whole = item->size, rest = 0;
    size_t   unit = 0;

    if (item->directory || !item->known) {
        return;
    }

    iri_say(piece, "<data value=\"");
    iri_say_number(piece, item->size);
    iri_say(piece, "\" title=\"");
    iri_say_number(piece, item->size);
    iri_say(piece, item->size == 1 ? " byte\">" : " bytes\">");

    for (unit = 0; whole >= 1024; unit++) {
        rest = whole % 1024;
        whole /= 1024;
    }

    iri_say_number(piece, whole);

    if (unit != 0 && whole < 10) {
        iri_say(piece, ".");
        iri_say_number(piece, rest * 10 / 1024);
    }

    iri_say(piece, " ");
    iri_say(piece, unit != 0 ? units[unit - 1] : "B");
    iri_say(piece, "</data>");
}


static void
iri_html_date(iri_piece_t *piece, const iri_item_t *item)
{
    char time[21];

    if (!item->known || !iri_time_of(piece->listing, item->mtime, time)) {
        return;
    }

    iri_say(piece, "<time datetime=\"");
    iri_say(piece, time);
    iri_say(piece, "\">");
    time[10] = ' ';
    time[19] = '\0';
    iri_say(piece, time);
    iri_say(piece, "</time>");
}


/* The name, as it can be seen. */
static void
iri_html_item_name(iri_piece_t *piece, const iri_item_t *item)
{
    iri_say(piece, "<bdi>");

    if (item->name_len != 0) {
        iri_say_html(piece, iri_item_name(item));
    } else {
        iri_say_escaped(piece, iri_item_octets(item));
    }

    iri_say(piece, item->directory ? "</bdi>/" : "</bdi>");
}


static void
iri_say_href(iri_piece_t *piece, const iri_item_t *item)
{
    iri_say(piece, "./");
    iri_say_uri(piece, item->name_len != 0 ? iri_item_name(item)
                                           : iri_item_octets(item));

    if (item->directory) {
        iri_say(piece, "/");
    }
}


/* What is not as it should be. */
static void
iri_html_note(iri_piece_t *piece, const iri_item_t *item)
{
    if (item->shared) {
        iri_say(piece, " <small>shares its name; octets <bdi>");
        iri_say_escaped(piece, iri_item_octets(item));
        iri_say(piece, "</bdi></small>");
    } else if (item->name_len == 0) {
        iri_say(piece, " <small>no readable name</small>");
    } else if (!item->linked) {
        iri_say(piece, " <small>cannot be asked for</small>");
    }
}


static void
iri_html_entry(iri_piece_t *piece, const iri_item_t *item)
{
    iri_say(piece, "<tr><td>");

    if (item->linked) {
        iri_say(piece, "<a href=\"");
        iri_say_href(piece, item);
        iri_say(piece, "\">");
    }

    iri_html_item_name(piece, item);
    iri_say(piece, item->linked ? "</a>" : "");
    iri_html_note(piece, item);
    iri_say(piece, "</td><td>");
    iri_html_size(piece, item);
    iri_say(piece, "</td><td>");
    iri_html_date(piece, item);
    iri_say(piece, "</td></tr>\n");
}


/* ---- what stands around them --------------------------------------------- */

static const char *const iri_sort_names[] = { "name", "size", "date" };


/* A link to the path up to its octet len, from the root of the host. */
static void
iri_html_crumb(iri_piece_t *piece, iri_str_t path, size_t from)
{
    iri_str_t last = iri_str_from(path, from);

    iri_say(piece, "<li><a href=\"");

    /* "//name" would be another host (RFC 3986, 4.2). */
    while (path.len > 1 && path.data[0] == '/' && path.data[1] == '/') {
        path = iri_str_from(path, 1);
    }

    iri_say_uri(piece, path);
    iri_say(piece, "\"><bdi>");
    iri_say_html(piece, last);
    iri_say(piece, "</bdi></a></li>\n");
}


static void
iri_html_crumbs(iri_piece_t *piece)
{
    iri_str_t path = piece->listing->conf.path, up = path;
    size_t    from = 0, slashes = piece->listing->slashes;

    iri_say(piece, "<nav aria-label=\"Path\"><ol>\n");

    for (up.len = 1; up.len <= path.len; up.len++) {
        if (path.data[up.len - 1] != '/') {
            continue;
        }

        if (from == 0 || slashes <= IRI_MAX_CRUMBS) {
            iri_html_crumb(piece, up, from);
        }

        from = up.len;
        slashes--;
    }

    iri_say(piece, "</ol></nav>\n");
}


static void
iri_html_heading(iri_piece_t *piece, iri_sort_t sort, const char *text)
{
    const iri_listing_t *listing = piece->listing;
    int                  sorted = listing->sort == sort;

    iri_say(piece, "<th scope=\"col\"");

    if (sorted) {
        iri_say(piece, listing->descending ? " aria-sort=\"descending\""
                                           : " aria-sort=\"ascending\"");
    }

    iri_say(piece, "><a href=\"?sort=");
    iri_say(piece, iri_sort_names[sort]);
    iri_say(piece, sorted && !listing->descending ? "&amp;order=desc\">"
                                                  : "&amp;order=asc\">");
    iri_say(piece, text);
    iri_say(piece, "</a></th>");
}


static void
iri_html_head(iri_piece_t *piece)
{
    iri_str_t path = piece->listing->conf.path;

    iri_say(piece, "<!DOCTYPE html>\n"
                   "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" "
                   "xml:lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                   "<meta name=\"viewport\" "
                   "content=\"width=device-width, initial-scale=1\"/>\n"
                   "<title>");
    iri_say_html(piece, path);
    iri_say(piece, "</title>\n<style>");
    iri_say(piece, iri_page_style);
    iri_say(piece, "</style>\n</head>\n<body>\n<header>\n");
    iri_html_crumbs(piece);
    iri_say(piece, "<h1>Index of <bdi>");
    iri_say_html(piece, path);
    iri_say(piece, "</bdi></h1>\n</header>\n<main>\n");

    if (path.len > 1) {
        iri_say(piece, "<p><a href=\"../\">Parent directory</a></p>\n");
    }

    if (piece->listing->count == 0) {
        iri_say(piece, piece->listing->more
                           ? ""
                           : "<p>This directory is empty.</p>\n");
        return;
    }

    iri_say(piece, "<table>\n<thead>\n<tr>");
    iri_html_heading(piece, IRI_SORT_NAME, "Name");
    iri_html_heading(piece, IRI_SORT_SIZE, "Size");
    iri_html_heading(piece, IRI_SORT_DATE, "Modified (UTC)");
    iri_say(piece, "</tr>\n</thead>\n<tbody>\n");
}


static void
iri_html_count(iri_piece_t *piece, size_t count, const char *one,
               const char *more)
{
    iri_say_number(piece, count);
    iri_say(piece, count == 1 ? one : more);
}


static void
iri_html_foot(iri_piece_t *piece)
{
    const iri_listing_t *listing = piece->listing;

    if (listing->count != 0) {
        iri_say(piece, "</tbody>\n</table>\n");
    }

    if (listing->more) {
        iri_say(piece, "<p>Not all of this directory is shown.</p>\n");
    }

    iri_say(piece, "</main>\n<footer>\n<p>");
    iri_html_count(piece, listing->directories, " directory, ",
                   " directories, ");
    iri_html_count(piece, listing->count - listing->directories, " file",
                   " files");
    iri_say(piece, ". <a href=\"?format=json&amp;sort=");
    iri_say(piece, iri_sort_names[listing->sort]);
    iri_say(piece, listing->descending ? "&amp;order=desc"
                                       : "&amp;order=asc");
    iri_say(piece, "\">JSON</a></p>\n</footer>\n</body>\n</html>\n");
}


/* ---- JSON ---------------------------------------------------------------- */

static void
iri_json_known(iri_piece_t *piece, const iri_item_t *item)
{
    char time[21];

    if (!item->known) {
        return;
    }

    if (!item->directory) {
        iri_say(piece, ",\"size\":");
        iri_say_number(piece, item->size);
    }

    if (iri_time_of(piece->listing, item->mtime, time)) {
        iri_say(piece, ",\"modified\":\"");
        iri_say(piece, time);
        iri_say(piece, "\"");
    }
}


static void
iri_json_octets(iri_piece_t *piece, iri_str_t octets)
{
    iri_say(piece, ",\"octets\":\"");
    iri_say_uri(piece, octets);
    iri_say(piece, "\"");
}


static void
iri_json_entry(iri_piece_t *piece, const iri_item_t *item)
{
    iri_say(piece, piece->listing->at == 0 ? "\n{\"name\":" : ",\n{\"name\":");

    if (item->name_len != 0) {
        iri_say_json(piece, iri_item_name(item));
    } else {
        iri_say(piece, "null");
    }

    iri_say(piece, item->linked ? ",\"href\":\"" : ",\"href\":null");

    if (item->linked) {
        iri_say_href(piece, item);
        iri_say(piece, "\"");
    }

    iri_say(piece, item->directory ? ",\"directory\":true"
                                   : ",\"directory\":false");
    iri_json_known(piece, item);

    if (!item->same) {
        iri_json_octets(piece, iri_item_octets(item));
    }

    iri_say(piece, item->shared ? ",\"conflict\":true}" : "}");
}


static void
iri_json_head(iri_piece_t *piece)
{
    iri_say(piece, "{\"path\":");
    iri_say_json(piece, piece->listing->conf.path);
    iri_say(piece, ",\"entries\":[");
}


/* ---- piece by piece ------------------------------------------------------ */

iri_status_t
iri_page_begin(iri_listing_t *listing)
{
    iri_piece_t piece = { listing, IRI_BUF_EMPTY, IRI_OK };

    listing->widest += IRI_AROUND;
    piece.status = iri_buf_reserve(listing->env, &piece.buf, listing->widest);

    if (listing->json) {
        iri_json_head(&piece);
    } else {
        iri_html_head(&piece);
    }

    listing->row = piece.buf;
    listing->row_at = 0;
    listing->at = 0;
    listing->page = listing->count != 0 ? IRI_PAGE_ITEMS : IRI_PAGE_FOOT;

    return piece.status;
}


/* Write the next piece. */
static iri_status_t
iri_page_put(iri_listing_t *listing, iri_buf_t *buf)
{
    iri_piece_t piece = { listing, *buf, IRI_OK };

    if (listing->page == IRI_PAGE_FOOT) {
        if (listing->json) {
            iri_say(&piece, listing->more ? "\n],\"more\":true}\n"
                                          : "\n]}\n");
        } else {
            iri_html_foot(&piece);
        }

    } else if (listing->json) {
        iri_json_entry(&piece, listing->ranks[listing->at].item);
    } else {
        iri_html_entry(&piece, listing->ranks[listing->at].item);
    }

    *buf = piece.buf;

    return piece.status;
}


static void
iri_page_step(iri_listing_t *listing)
{
    if (listing->page == IRI_PAGE_FOOT) {
        listing->page = IRI_PAGE_DONE;
    } else if (++listing->at == listing->count) {
        listing->page = IRI_PAGE_FOOT;
    }
}


/* The next piece, into out where there is room for any, else to be told. */
static iri_status_t
iri_page_piece(iri_listing_t *listing, unsigned char *out, size_t size,
               size_t *len)
{
    iri_buf_t    direct = { out, 0, size };
    int          fits = size >= listing->widest;
    iri_status_t status;

    listing->row.len = 0;
    listing->row_at = 0;

    status = iri_page_put(listing, fits ? &direct : &listing->row);

    if (status != IRI_OK) {
        listing->row.len = 0;
        return status;
    }

    if (fits && direct.data == out) {
        *len += direct.len;
    } else if (fits) {
        listing->row = direct;
    }

    iri_page_step(listing);

    return IRI_OK;
}


iri_status_t
iri_listing_next(iri_listing_t *listing, unsigned char *out, size_t size,
                 size_t *len)
{
    iri_status_t status;
    size_t       done = 0, n;

    while (done < size) {
        n = listing->row.len - listing->row_at;

        if (n != 0) {
            n = n < size - done ? n : size - done;
            memcpy(out + done, listing->row.data + listing->row_at, n);
            listing->row_at += n;
            done += n;

        } else if (listing->page == IRI_PAGE_DONE) {
            break;

        } else {
            status = iri_page_piece(listing, out + done, size - done, &done);
            if (status != IRI_OK) {
                return status;
            }
        }
    }

    *len = done;

    return IRI_OK;
}


const char *
iri_listing_type(const iri_listing_t *listing)
{
    return listing->json ? "application/json" : "text/html; charset=utf-8";
}


const char *
iri_listing_policy(const iri_listing_t *listing)
{
    (void) listing;
    return "default-src 'none'";
}
