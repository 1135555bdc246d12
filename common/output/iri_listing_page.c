/*
 * iri_listing_page.c - a listing as HTML or JSON
 *
 * The HTML is well-formed XML, so that a strict parser can check it; it has no
 * script and loads nothing.
 */

#include <inttypes.h>

#include "output/iri_output.h"
#include "path/iri_path.h"

/* Greatest number of linked ancestors, without the root. */
#define IRI_MAX_CRUMBS 24

static const char *const iri_sort_names[] = { "name", "size", "date" };


/* ---- names --------------------------------------------------------------- */

/* Append octets for HTML; those for which keep returns 0 as "%XX". */
static iri_status_t
iri_html_put_kept(const iri_env_t *env, iri_buf_t *out, iri_str_t octets,
                  int (*keep)(unsigned char c))
{
    iri_buf_t    text = IRI_BUF_EMPTY;
    iri_status_t status = iri_buf_put_escaped(env, &text, octets, keep);

    return status == IRI_OK ? iri_html_put_uri(env, out, iri_buf_str(&text))
                            : status;
}


static int
iri_is_shown(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '%';
}


/* Append octets to be read. */
static iri_status_t
iri_html_put_octets(const iri_env_t *env, iri_buf_t *out, iri_str_t octets)
{
    return iri_html_put_kept(env, out, octets, iri_is_shown);
}


static int
iri_is_segment_char(unsigned char c)
{
    return iri_is_path_char(c) && c != '/';
}


/* Append octets percent-encoded, as a segment of a path. */
static iri_status_t
iri_put_segment(const iri_env_t *env, iri_buf_t *out, iri_str_t octets)
{
    return iri_buf_put_escaped(env, out, octets, iri_is_segment_char);
}


/* The same for an attribute of HTML. */
static iri_status_t
iri_html_put_segment(const iri_env_t *env, iri_buf_t *out, iri_str_t octets)
{
    return iri_html_put_kept(env, out, octets, iri_is_segment_char);
}


static void
iri_put_href(iri_page_part_t *part, iri_text_put_t put,
             const iri_item_t *item)
{
    iri_str_t name = iri_item_name(item);

    iri_page_put(part, "./");
    iri_page_put_by(put, part, name.len != 0 ? name : iri_item_octets(item));
    iri_page_put(part, item->directory ? "/" : "");
}


/* ---- one entry of the page ----------------------------------------------- */

/*
 * "1.5 KiB": rounded to nearest, below 10 with one decimal; 1024 of a unit are
 * written as 1.0 of the next.  size: at least 1024.
 */
static void
iri_html_units(iri_page_part_t *part, uint64_t size)
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
        iri_page_putf(part, "%u.%u", (unsigned) tenths / 10,
                      (unsigned) tenths % 10);
    } else {
        iri_page_putf(part, "%" PRIu64, whole + (size >> (shift - 1) & 1));
    }

    iri_page_putf(part, " %ciB", units[unit]);
}


static void
iri_html_size(iri_page_part_t *part, const iri_item_t *item)
{
    if (item->directory) {
        return;
    }

    if (item->size < 1024) {
        iri_page_putf(part, "%u B", (unsigned) item->size);
        return;
    }

    iri_page_putf(part, "<data value=\"%" PRIu64 "\">", item->size);
    iri_html_units(part, item->size);
    iri_page_put(part, "</data>");
}


/* The reason why an entry has no link, and what the owner can do. */
static const char *
iri_why_unlinked(const iri_listing_t *listing, const iri_item_t *item)
{
    if (item->conflict) {
        return ". The URL of the name leads to another entry. Rename this "
               "one to make it reachable.";
    }
    if (item->name_len != 0) {
        return "No link: no URL leads to this entry. Its name is too long or "
               "in a form that is not searched. Rename it to make it "
               "reachable.";
    }
    if (listing->conf.unnamed) {
        return "No link: a URL with these octets is read as another name. "
               "Rename the entry.";
    }

    return "No link: these octets are not a name in the charset of this "
           "directory. Rename the entry, or add its charset to "
           "iri_filename_charset (IRIFilenameCharset).";
}


/* A note on an entry that has a conflict, no name or no link. */
static void
iri_html_note(iri_page_part_t *part, const iri_listing_t *listing,
              const iri_item_t *item)
{
    if (!item->conflict && item->name_len != 0 && item->linked) {
        return;
    }

    iri_page_put(part, " <small lang=\"en\" xml:lang=\"en\">");

    if (item->conflict) {
        iri_page_put(part, "Several entries have this name; the octets of "
                           "this one are <bdi>");
        iri_page_put_by(iri_html_put_octets, part, iri_item_octets(item));
        iri_page_put(part, "</bdi>");
    }

    if (!item->linked) {
        iri_page_put(part, iri_why_unlinked(listing, item));
    } else if (item->name_len == 0) {
        iri_page_put(part, "These octets are not a name in the charset of "
                           "this directory.");
    }

    iri_page_put(part, "</small>");
}


static void
iri_html_entry(iri_page_part_t *part, const iri_listing_t *listing,
               const iri_item_t *item)
{
    iri_time_text_t time = iri_time_text(item->mtime);

    iri_page_put(part, "<tr><td>");

    if (item->linked) {
        iri_page_put(part, "<a href=\"");
        iri_put_href(part, iri_html_put_segment, item);
        iri_page_put(part, "\">");
    }

    if (item->name_len != 0) {
        iri_page_put_by(iri_html_name, part, iri_item_name(item));
    } else {
        iri_page_put(part, "<bdi>");
        iri_page_put_by(iri_html_put_octets, part, iri_item_octets(item));
        iri_page_put(part, "</bdi>");
    }

    iri_page_put(part, item->directory ? "/" : "");
    iri_page_put(part, item->linked ? "</a>" : "");
    iri_html_note(part, listing, item);
    iri_page_put(part, "</td><td>");
    iri_html_size(part, item);
    iri_page_put(part, "</td><td>");

    if (time.text[0] != '\0') {
        iri_page_putf(part, "<time datetime=\"%s\">%.10s %.8s</time>",
                      time.text, time.text, time.text + 11);
    }

    iri_page_put(part, "</td></tr>\n");
}


/* ---- the page around the entries ----------------------------------------- */

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
iri_html_crumbs(iri_page_part_t *part, iri_str_t path)
{
    size_t from = 0, slashes = iri_str_count(path, '/');

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

    iri_page_putf(part,
                  "<th scope=\"col\"%s><a href=\"?sort=%s&amp;order=%s\">"
                  "%s</a></th>",
                  !sorted             ? ""
                  : query->descending ? " aria-sort=\"descending\""
                                      : " aria-sort=\"ascending\"",
                  iri_sort_names[sort],
                  sorted && !query->descending ? "desc" : "asc", text);
}


static void
iri_html_begin(iri_page_part_t *part, const iri_listing_t *listing)
{
    const iri_listing_query_t *query = &listing->query;
    iri_str_t                  path = listing->conf.path;

    iri_page_head(part, path, "");
    iri_html_crumbs(part, path);
    iri_page_put(part, "<h1 id=\"path\">Index of ");
    iri_page_put_by(iri_html_name, part, path);
    iri_page_put(part, "</h1>\n</header>\n<main>\n");
    iri_html_parent(part, path);

    if (listing->shown == 0) {
        iri_page_put(part, listing->truncated
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
    const iri_listing_query_t *query = &listing->query;
    const iri_item_t          *item = listing->ranks[listing->shown - 1];

    iri_page_putf(
        part, "?sort=%s%sorder=%s%s%s%safter=", iri_sort_names[query->sort],
        amp, query->descending ? "desc" : "asc", query->json ? amp : "",
        query->json ? "format=json" : "", amp);

    if (query->sort == IRI_SORT_DATE) {
        iri_page_putf(part, "%" PRId64 "/", item->mtime);
    } else if (query->sort == IRI_SORT_SIZE) {
        iri_page_putf(part, "%" PRIu64 "/", item->size);
    }

    iri_page_put_by(iri_query_put_octets, part, iri_item_octets(item));
    iri_page_put(part, item->directory ? "/" : "");
}


static void
iri_html_end(iri_page_part_t *part, const iri_listing_t *listing)
{
    size_t i, files, directories = 0;

    for (i = 0; i < listing->shown; i++) {
        directories += listing->ranks[i]->directory;
    }

    files = listing->shown - directories;

    if (listing->shown != 0) {
        iri_page_put(part, "</tbody>\n</table>\n");
    }

    if (listing->truncated) {
        iri_page_put(part, "<p>Not all of this directory is shown.</p>\n");
    }

    if (listing->has_next) {
        iri_page_put(part, "<p><a rel=\"next\" href=\"");
        iri_page_put_next(part, listing, "&amp;");
        iri_page_put(part, "\">Next page</a></p>\n");
    }

    iri_page_putf(
        part,
        "</main>\n<footer>\n<p>%zu director%s, %zu file%s. "
        "<a type=\"application/json\" href=\"?sort=%s&amp;order=%s"
        "&amp;format=json\">As JSON</a></p>\n</footer>\n" IRI_PAGE_FOOT,
        directories, directories == 1 ? "y" : "ies", files,
        files == 1 ? "" : "s", iri_sort_names[listing->query.sort],
        listing->query.descending ? "desc" : "asc");
}


/* ---- JSON ---------------------------------------------------------------- */

static void
iri_json_entry(iri_page_part_t *part, const iri_item_t *item)
{
    iri_time_text_t time = iri_time_text(item->mtime);

    iri_page_put(part, "\n{\"name\":");

    if (item->name_len != 0) {
        iri_page_put_by(iri_json_put, part, iri_item_name(item));
    } else {
        iri_page_put(part, "null");
    }

    iri_page_put(part, ",\"href\":");

    if (item->linked) {
        iri_page_put(part, "\"");
        iri_put_href(part, iri_put_segment, item);
        iri_page_put(part, "\"");
    } else {
        iri_page_put(part, "null");
    }

    iri_page_putf(part, ",\"directory\":%s",
                  item->directory ? "true" : "false");

    if (!item->directory) {
        iri_page_putf(part, ",\"size\":%" PRIu64, item->size);
    }

    if (time.text[0] != '\0') {
        iri_page_putf(part, ",\"modified\":\"%s\"", time.text);
    }

    if (!item->same) {
        iri_page_put(part, ",\"octets\":\"");
        iri_page_put_by(iri_put_segment, part, iri_item_octets(item));
        iri_page_put(part, "\"");
    }

    iri_page_put(part, item->conflict ? ",\"conflict\":true}" : "}");
}


static void
iri_json_listing(iri_page_part_t *part, const iri_listing_t *listing)
{
    size_t i;

    iri_page_put(part, "{\"path\":");
    iri_page_put_by(iri_json_put, part, listing->conf.path);
    iri_page_put(part, ",\"entries\":[");

    for (i = 0; i < listing->shown; i++) {
        iri_page_put(part, i != 0 ? "," : "");
        iri_json_entry(part, listing->ranks[i]);
    }

    iri_page_put(part, listing->truncated ? "\n],\"more\":true" : "\n]");

    if (listing->has_next) {
        iri_page_put(part, ",\"next\":\"");
        iri_page_put_next(part, listing, "&");
        iri_page_put(part, "\"");
    }

    iri_page_put(part, "}\n");
}


/* ---- the page ------------------------------------------------------------ */

/* Shared caches must not store the page: it depends on the client's access. */
iri_status_t
iri_listing_write(iri_listing_t *listing, iri_page_t *out)
{
    iri_page_part_t part = { listing->env, IRI_BUF_EMPTY, IRI_OK };
    size_t          i;

    if (listing->query.json) {
        iri_json_listing(&part, listing);

    } else {
        iri_html_begin(&part, listing);

        for (i = 0; i < listing->shown; i++) {
            iri_html_entry(&part, listing, listing->ranks[i]);
        }

        iri_html_end(&part, listing);
    }

    out->status = 200;
    out->cache_control = "private";
    out->vary = NULL;

    return iri_page_finish(&part, listing->query.json, out);
}
