/*
 * iri_listing_page.c - a listing as HTML or JSON
 *
 * The page is written in three parts: the text before the entries, the
 * entries, the text after them.  The HTML is well-formed XML, so that a strict
 * parser can check it; it has no script and loads nothing.
 *
 * The first and the last part are written to growing buffers.  An entry is
 * written to memory of iri_item_room() octets: each octet of its name is
 * written at most twice, as at most 6 octets.
 */

#include <time.h>

#include "output/iri_output.h"
#include "path/iri_path.h"

/* Upper bound of the octets of an entry without its name and its octets. */
#define IRI_ROW_MARKUP 640

/* Greatest number of linked ancestors, without the root. */
#define IRI_MAX_CRUMBS 24


/* ---- writing to memory --------------------------------------------------- */

/* Copy a string literal to p and return the end of the copy. */
#define iri_copy(p, literal)                                                 \
    ((unsigned char *) memcpy((p), "" literal, sizeof(literal) - 1)          \
     + sizeof(literal) - 1)


static inline unsigned char *
iri_copy_octets(unsigned char *p, iri_str_t octets)
{
    memcpy(p, octets.data, octets.len);

    return p + octets.len;
}


static unsigned char *
iri_copy_number(unsigned char *p, uint64_t number)
{
    unsigned char digits[20];
    size_t        at = sizeof(digits);

    do {
        digits[--at] = (unsigned char) ('0' + number % 10);
        number /= 10;
    } while (number != 0);

    memcpy(p, digits + at, sizeof(digits) - at);

    return p + sizeof(digits) - at;
}


static unsigned char *
iri_copy_escape(unsigned char *p, unsigned char c)
{
    static const char hex[] = "0123456789ABCDEF";

    *p++ = '%';
    *p++ = (unsigned char) hex[c >> 4];
    *p++ = (unsigned char) hex[c & 15];

    return p;
}


/*
 * Copy a path percent-encoded, for JSON or for an attribute of HTML.  An octet
 * becomes at most 5 octets.
 */
static unsigned char *
iri_copy_uri(unsigned char *p, iri_str_t path, int json)
{
    size_t i;

    for (i = 0; i < path.len; i++) {
        if (!iri_is_path_char(path.data[i])) {
            p = iri_copy_escape(p, path.data[i]);
        } else if (json || (path.data[i] != '&' && path.data[i] != '\'')) {
            *p++ = path.data[i];
        } else if (path.data[i] == '&') {
            p = iri_copy(p, "&amp;");
        } else {
            p = iri_copy(p, "&#39;");
        }
    }

    return p;
}


/* Write text with iri_html_put or iri_json_put, whose bounds are known. */
static unsigned char *
iri_copy_by(iri_text_put_t put, const iri_listing_t *listing,
            unsigned char *p, iri_str_t text)
{
    iri_buf_t buf = { p, 0, 6 * text.len + 2 };

    (void) put(listing->env, &buf, text);

    return p + buf.len;
}


/* Write octets for a page: "%XX" for "%" and all but printable ASCII. */
static unsigned char *
iri_copy_escaped(const iri_listing_t *listing, unsigned char *p,
                 iri_str_t octets)
{
    iri_str_t one = { 1, octets.data };
    size_t    i;

    for (i = 0; i < octets.len; i++, one.data++) {
        if (*one.data < 0x20 || *one.data >= 0x7f || *one.data == '%') {
            p = iri_copy_escape(p, *one.data);
        } else {
            p = iri_copy_by(iri_html_put, listing, p, one);
        }
    }

    return p;
}


/* ---- dates (RFC 3339, UTC) ----------------------------------------------- */

#define IRI_FIRST_SECOND (-INT64_C(62135596800)) /* 0001-01-01T00:00:00Z */
#define IRI_LAST_SECOND  INT64_C(253402300799)   /* 9999-12-31T23:59:59Z */

static void
iri_two_digits(unsigned char *at, int number) /* 0 to 99 */
{
    at[0] = (unsigned char) ('0' + number / 10);
    at[1] = (unsigned char) ('0' + number % 10);
}


int
iri_put_time(int64_t seconds, unsigned char out[20])
{
    time_t    time = (time_t) seconds;
    struct tm tm;

    if (seconds < IRI_FIRST_SECOND || seconds > IRI_LAST_SECOND
        || time != seconds || gmtime_r(&time, &tm) == NULL)
    {
        return 0;
    }

    memcpy(out, "0000-00-00T00:00:00Z", 20);
    iri_two_digits(out, (tm.tm_year + 1900) / 100);
    iri_two_digits(out + 2, (tm.tm_year + 1900) % 100);
    iri_two_digits(out + 5, tm.tm_mon + 1);
    iri_two_digits(out + 8, tm.tm_mday);
    iri_two_digits(out + 11, tm.tm_hour);
    iri_two_digits(out + 14, tm.tm_min);
    iri_two_digits(out + 17, tm.tm_sec);

    return 1;
}


/* ---- one entry of the page ----------------------------------------------- */

/*
 * "1.5 KiB": rounded to nearest, below 10 with one decimal; 1024 of a unit are
 * written as 1.0 of the next.  size: at least 1024.
 */
static unsigned char *
iri_html_units(unsigned char *p, uint64_t size)
{
    static const char units[] = "KMGTPE";

    uint64_t whole, tenths, half;
    unsigned unit = 0, shift = 10;

    while (unit < 5 && (size >> shift) + (size >> (shift - 1) & 1) >= 1024) {
        unit++;
        shift += 10;
    }

    half = UINT64_C(1) << (shift - 1);
    whole = size >> shift;
    tenths = (size & (2 * half - 1)) * 10;
    tenths = whole * 10 + ((tenths + half) >> shift);

    if (tenths < 100) {
        p = iri_copy_number(p, tenths / 10);
        *p++ = '.';
        *p++ = (unsigned char) ('0' + tenths % 10);
    } else {
        p = iri_copy_number(p, whole + (size >> (shift - 1) & 1));
    }

    *p++ = ' ';
    *p++ = (unsigned char) units[unit];

    return iri_copy(p, "iB");
}


static unsigned char *
iri_html_size(unsigned char *p, const iri_item_t *item)
{
    if (item->directory || !item->known) {
        return p;
    }

    if (item->size < 1024) {
        p = iri_copy_number(p, item->size);
        return iri_copy(p, " B");
    }

    p = iri_copy(p, "<data value=\"");
    p = iri_copy_number(p, item->size);
    p = iri_copy(p, "\">");
    p = iri_html_units(p, item->size);

    return iri_copy(p, "</data>");
}


static unsigned char *
iri_html_date(unsigned char *p, const iri_item_t *item)
{
    unsigned char time[20];

    if (!item->known || !iri_put_time(item->mtime, time)) {
        return p;
    }

    p = iri_copy(p, "<time datetime=\"");
    memcpy(p, time, 20);
    p = iri_copy(p + 20, "\">");
    time[10] = ' ';
    memcpy(p, time, 19);

    return iri_copy(p + 19, "</time>");
}


/* The name in <bdi>, with "/" after that of a directory. */
static unsigned char *
iri_html_item_name(const iri_listing_t *listing, unsigned char *p,
                   const iri_item_t *item)
{
    p = iri_copy(p, "<bdi>");

    if (item->simple) {
        p = iri_copy_octets(p, iri_item_octets(item));
    } else if (item->name_len != 0) {
        p = iri_copy_by(iri_html_put, listing, p, iri_item_name(item));
    } else {
        p = iri_copy_escaped(listing, p, iri_item_octets(item));
    }

    p = iri_copy(p, "</bdi>");

    if (item->directory) {
        *p++ = '/';
    }

    return p;
}


static unsigned char *
iri_copy_href(const iri_listing_t *listing, unsigned char *p,
              const iri_item_t *item)
{
    p = iri_copy(p, "./");

    if (item->simple) {
        p = iri_copy_octets(p, iri_item_octets(item));
    } else if (item->name_len != 0) {
        p = iri_copy_uri(p, iri_item_name(item), listing->query.json);
    } else {
        p = iri_copy_uri(p, iri_item_octets(item), listing->query.json);
    }

    if (item->directory) {
        *p++ = '/';
    }

    return p;
}


/* The reason why an entry has no link, and what the owner can do. */
static unsigned char *
iri_html_why_unlinked(const iri_listing_t *listing, unsigned char *p,
                      const iri_item_t *item)
{
    if (item->conflict) {
        return iri_copy(p, ". The URL of the name leads to another entry. "
                           "Rename this one to make it reachable.");
    }
    if (item->name_len != 0) {
        return iri_copy(p, "No link: no URL leads to this entry. Its name is "
                           "too long or in a form that is not searched. "
                           "Rename it to make it reachable.");
    }
    if (listing->conf.unnamed) {
        return iri_copy(p, "No link: a URL with these octets is read as "
                           "another name. Rename the entry.");
    }

    return iri_copy(p,
                    "No link: these octets are not a name in the charset of "
                    "this directory. Rename the entry, or add its charset "
                    "to iri_filename_charset (IRIFilenameCharset).");
}


/* A note on an entry that has a conflict, no name or no link. */
static unsigned char *
iri_html_note(const iri_listing_t *listing, unsigned char *p,
              const iri_item_t *item)
{
    if (!item->conflict && item->name_len != 0 && item->linked) {
        return p;
    }

    p = iri_copy(p, " <small lang=\"en\" xml:lang=\"en\">");

    if (item->conflict) {
        p = iri_copy(p, "Several entries have this name; the octets of this "
                        "one are <bdi>");
        p = iri_copy_escaped(listing, p, iri_item_octets(item));
        p = iri_copy(p, "</bdi>");
    }

    if (!item->linked) {
        p = iri_html_why_unlinked(listing, p, item);
    } else if (item->name_len == 0) {
        p = iri_copy(p, "These octets are not a name in the charset of this "
                        "directory.");
    }

    return iri_copy(p, "</small>");
}


static unsigned char *
iri_html_entry(const iri_listing_t *listing, unsigned char *p,
               const iri_item_t *item)
{
    p = iri_copy(p, "<tr><td>");

    if (item->linked) {
        p = iri_copy(p, "<a href=\"");
        p = iri_copy_href(listing, p, item);
        p = iri_copy(p, "\">");
        p = iri_html_item_name(listing, p, item);
        p = iri_copy(p, "</a>");
    } else {
        p = iri_html_item_name(listing, p, item);
    }

    p = iri_html_note(listing, p, item);
    p = iri_copy(p, "</td><td>");
    p = iri_html_size(p, item);
    p = iri_copy(p, "</td><td>");
    p = iri_html_date(p, item);

    return iri_copy(p, "</td></tr>\n");
}


/* ---- the page around the entries ----------------------------------------- */

static const char *const iri_sort_names[] = { "name", "size", "date" };


static void
iri_page_put_number(iri_page_part_t *part, uint64_t number)
{
    unsigned char digits[20];
    iri_str_t     s = { 0, digits };

    s.len = (size_t) (iri_copy_number(digits, number) - digits);
    iri_page_put_by(iri_html_put, part, s);
}


static void
iri_html_crumb(iri_page_part_t *part, iri_str_t path, size_t from, int last)
{
    iri_page_put(part, "<li>");
    iri_page_put_path(part, path);
    iri_page_put(part, last ? " aria-current=\"page\">" : ">");
    iri_page_put_by(iri_html_name, part, iri_str_from(path, from));
    iri_page_put(part, "</a></li>\n");
}


/* Links to the root and to the last ancestors. */
static void
iri_html_crumbs(iri_page_part_t *part, const iri_listing_t *listing)
{
    iri_str_t path = listing->conf.path;
    size_t    from = 0, slashes = listing->directory.slashes;

    iri_page_put(part,
                 "<nav aria-label=\"Path\" lang=\"\" xml:lang=\"\"><ol>\n");

    for (path.len = 1; slashes > 0; path.len++) {
        if (path.data[path.len - 1] != '/') {
            continue;
        }

        if (from == 0 || slashes <= IRI_MAX_CRUMBS) {
            iri_html_crumb(part, path, from, slashes == 1);
        }

        from = path.len;
        slashes--;
    }

    iri_page_put(part, "</ol></nav>\n");
}


/* A link to the parent directory. */
static void
iri_html_parent(iri_page_part_t *part, iri_str_t path)
{
    if (path.len < 2) {
        return;
    }

    do {
        path.len--;
    } while (path.data[path.len - 1] != '/');

    iri_page_put(part, "<p>");
    iri_page_put_path(part, path);
    iri_page_put(part, ">Parent directory</a></p>\n");
}


static void
iri_html_heading(iri_page_part_t *part, const iri_listing_query_t *query,
                 iri_sort_t sort, const char *text)
{
    int sorted = query->sort == sort;

    iri_page_put(part, "<th scope=\"col\"");

    if (sorted) {
        iri_page_put(part, query->descending ? " aria-sort=\"descending\""
                                             : " aria-sort=\"ascending\"");
    }

    iri_page_put(part, "><a href=\"?sort=");
    iri_page_put(part, iri_sort_names[sort]);
    iri_page_put(part, sorted && !query->descending ? "&amp;order=desc\">"
                                                    : "&amp;order=asc\">");
    iri_page_put(part, text);
    iri_page_put(part, "</a></th>");
}


static void
iri_html_begin(iri_page_part_t *part, const iri_listing_t *listing)
{
    const iri_listing_query_t *query = &listing->query;
    iri_str_t                  path = listing->conf.path;

    iri_page_head(part, path);
    iri_html_crumbs(part, listing);
    iri_page_put(part, "<h1 id=\"path\">Index of ");
    iri_page_put_by(iri_html_name, part, path);
    iri_page_put(part, "</h1>\n</header>\n<main>\n");
    iri_html_parent(part, path);

    if (listing->entries.count == 0) {
        iri_page_put(part, listing->entries.truncated
                               ? ""
                               : "<p>This directory is empty.</p>\n");
        return;
    }

    iri_page_put(part, "<table aria-labelledby=\"path\">\n<thead>\n<tr>");
    iri_html_heading(part, query, IRI_SORT_NAME, "Name");
    iri_html_heading(part, query, IRI_SORT_SIZE, "Size");
    iri_html_heading(part, query, IRI_SORT_DATE, "Modified (UTC)");
    iri_page_put(part, "</tr>\n</thead>\n<tbody lang=\"\" xml:lang=\"\">\n");
}


/* Append octets to a query; all but unreserved characters are escaped. */
static iri_status_t
iri_query_put_octets(const iri_env_t *env, iri_buf_t *buf, iri_str_t octets)
{
    return iri_buf_put_escaped(env, buf, octets, iri_is_unreserved);
}


/*
 * Append the reference to the next page, which starts after the last entry of
 * this one: "?sort=size&order=asc&after=123/NAME".  amp: "&", or "&amp;" in
 * HTML.
 */
static void
iri_page_put_next(iri_page_part_t *part, const iri_listing_t *listing,
                  const char *amp)
{
    const iri_item_t *item;

    item = listing->entries.ranks[listing->entries.count - 1];

    iri_page_put(part, "?sort=");
    iri_page_put(part, iri_sort_names[listing->query.sort]);
    iri_page_put(part, amp);
    iri_page_put(part,
                 listing->query.descending ? "order=desc" : "order=asc");

    if (listing->query.json) {
        iri_page_put(part, amp);
        iri_page_put(part, "format=json");
    }

    iri_page_put(part, amp);
    iri_page_put(part, "after=");

    if (listing->query.sort == IRI_SORT_DATE && item->mtime < 0) {
        iri_page_put(part, "-");
        iri_page_put_number(part, 0 - (uint64_t) item->mtime);
        iri_page_put(part, "/");
    } else if (listing->query.sort != IRI_SORT_NAME) {
        iri_page_put_number(part, listing->query.sort == IRI_SORT_DATE
                                      ? (uint64_t) item->mtime
                                      : item->size);
        iri_page_put(part, "/");
    }

    iri_page_put_by(iri_query_put_octets, part, iri_item_octets(item));
    iri_page_put(part, item->directory ? "/" : "");
}


static void
iri_html_count(iri_page_part_t *part, size_t count, const char *one,
               const char *more)
{
    iri_page_put_number(part, count);
    iri_page_put(part, count == 1 ? one : more);
}


static void
iri_html_end(iri_page_part_t *part, const iri_listing_t *listing)
{
    if (listing->entries.count != 0) {
        iri_page_put(part, "</tbody>\n</table>\n");
    }

    if (listing->entries.truncated) {
        iri_page_put(part, "<p>Not all of this directory is shown.</p>\n");
    }

    if (listing->entries.has_next) {
        iri_page_put(part, "<p><a rel=\"next\" href=\"");
        iri_page_put_next(part, listing, "&amp;");
        iri_page_put(part, "\">Next page</a></p>\n");
    }

    iri_page_put(part, "</main>\n<footer>\n<p>");
    iri_html_count(part, listing->entries.directories, " directory, ",
                   " directories, ");
    iri_html_count(part,
                   listing->entries.count - listing->entries.directories,
                   " file", " files");
    iri_page_put(part, ". <a type=\"application/json\" href=\"?sort=");
    iri_page_put(part, iri_sort_names[listing->query.sort]);
    iri_page_put(part, listing->query.descending ? "&amp;order=desc"
                                                 : "&amp;order=asc");
    iri_page_put(
        part,
        "&amp;format=json\">As JSON</a></p>\n</footer>\n" IRI_PAGE_FOOT);
}


/* ---- JSON ---------------------------------------------------------------- */

static unsigned char *
iri_json_size_and_date(unsigned char *p, const iri_item_t *item)
{
    unsigned char time[20];

    if (!item->known) {
        return p;
    }

    if (!item->directory) {
        p = iri_copy(p, ",\"size\":");
        p = iri_copy_number(p, item->size);
    }

    if (iri_put_time(item->mtime, time)) {
        p = iri_copy(p, ",\"modified\":\"");
        memcpy(p, time, 20);
        p = iri_copy(p + 20, "\"");
    }

    return p;
}


static unsigned char *
iri_json_name_and_href(const iri_listing_t *listing, unsigned char *p,
                       const iri_item_t *item)
{
    p = iri_copy(p, "\n{\"name\":");

    if (item->name_len != 0) {
        p = iri_copy_by(iri_json_put, listing, p, iri_item_name(item));
    } else {
        p = iri_copy(p, "null");
    }

    p = iri_copy(p, ",\"href\":");

    if (item->linked) {
        *p++ = '"';
        p = iri_copy_href(listing, p, item);
        *p++ = '"';
    } else {
        p = iri_copy(p, "null");
    }

    return p;
}


static unsigned char *
iri_json_entry(const iri_listing_t *listing, unsigned char *p,
               const iri_item_t *item)
{
    if (listing->page.at != 0) {
        *p++ = ',';
    }

    p = iri_json_name_and_href(listing, p, item);
    p = item->directory ? iri_copy(p, ",\"directory\":true")
                        : iri_copy(p, ",\"directory\":false");
    p = iri_json_size_and_date(p, item);

    if (!item->same) {
        p = iri_copy(p, ",\"octets\":\"");
        p = iri_copy_uri(p, iri_item_octets(item), 1);
        *p++ = '"';
    }

    if (item->conflict) {
        p = iri_copy(p, ",\"conflict\":true");
    }

    *p++ = '}';

    return p;
}


static void
iri_json_begin(iri_page_part_t *part, iri_str_t path)
{
    iri_page_put(part, "{\"path\":");
    iri_page_put_by(iri_json_put, part, path);
    iri_page_put(part, ",\"entries\":[");
}


/* ---- output -------------------------------------------------------------- */

/* Upper bound of the octets of an entry. */
static size_t
iri_item_room(const iri_item_t *item)
{
    return IRI_ROW_MARKUP + 12 * ((size_t) item->name_len + item->octets_len);
}


iri_status_t
iri_page_begin(iri_listing_t *listing)
{
    iri_page_part_t head = { listing->env, IRI_BUF_EMPTY, IRI_OK };
    iri_page_part_t foot = { listing->env, IRI_BUF_EMPTY, IRI_OK };
    size_t          widest = IRI_ROW_MARKUP, room, i;

    for (i = 0; i < listing->entries.count; i++) {
        room = iri_item_room(listing->entries.ranks[i]);
        widest = room > widest ? room : widest;
    }

    head.status = iri_buf_reserve(listing->env, &head.buf, widest);

    if (listing->query.json) {
        iri_json_begin(&head, listing->conf.path);
        iri_page_put(&foot, listing->entries.truncated ? "\n],\"more\":true"
                                                       : "\n]");

        if (listing->entries.has_next) {
            iri_page_put(&foot, ",\"next\":\"");
            iri_page_put_next(&foot, listing, "&");
            iri_page_put(&foot, "\"");
        }

        iri_page_put(&foot, "}\n");
    } else {
        iri_html_begin(&head, listing);
        iri_html_end(&foot, listing);
    }

    listing->page.row = head.buf;
    listing->page.pending = iri_buf_str(&head.buf);
    listing->page.foot = iri_buf_str(&foot.buf);
    listing->page.at = 0;

    return head.status != IRI_OK ? head.status : foot.status;
}


/* Write the next entry to p.  Returns: its octets. */
static size_t
iri_page_entry(iri_listing_t *listing, unsigned char *p)
{
    const iri_item_t *item = listing->entries.ranks[listing->page.at];
    unsigned char    *end;

    end = listing->query.json ? iri_json_entry(listing, p, item)
                              : iri_html_entry(listing, p, item);
    listing->page.at++;

    return (size_t) (end - p);
}


/* Move octets, at most size, from *from to out.  Returns: their number. */
static size_t
iri_page_copy(iri_str_t *from, unsigned char *out, size_t size)
{
    size_t len = from->len < size ? from->len : size;

    memcpy(out, from->data, len);
    *from = iri_str_from(*from, len);

    return len;
}


size_t
iri_listing_next(iri_listing_t *listing, unsigned char *out, size_t size)
{
    unsigned char *row = listing->page.row.data;
    size_t         done = 0, room;

    while (done < size) {
        if (listing->page.pending.len != 0) {
            done += iri_page_copy(&listing->page.pending, out + done,
                                  size - done);

        } else if (listing->page.at == listing->entries.count) {
            done += iri_page_copy(&listing->page.foot, out + done,
                                  size - done);
            break;

        } else {
            room = iri_item_room(listing->entries.ranks[listing->page.at]);

            if (room <= size - done) {
                done += iri_page_entry(listing, out + done);
            } else {
                listing->page.pending.data = row;
                listing->page.pending.len = iri_page_entry(listing, row);
            }
        }
    }

    return done;
}


const char *
iri_listing_type(const iri_listing_t *listing)
{
    return listing->query.json ? "application/json"
                               : "text/html; charset=utf-8";
}


const char *
iri_listing_policy(const iri_listing_t *listing)
{
    return iri_page_policy(listing->query.json);
}
