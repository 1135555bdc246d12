/*
 * fuzz_listing.c - target: a directory as a page and as JSON
 *
 * Fields: settings (three), words, a path, and then an entry each. Words: JSON
 * (2), sort key (3), order (2), unused (16), which allocation fails.  An entry:
 * its kind (2), then its octets. Checked: a linked entry is found by reading
 * and finding its link; the page by its grammar: only tags of the template,
 * each closed, no invisible character but joiners; JSON by its grammar; that
 * the order of entries does not change the page; that after a failed allocation
 * there is the same page or none.
 */

#include <jansson.h>

#include "fuzz.h"

#define MAX_ENTRIES 24

typedef struct {
    fuzz_conf_t        conf;
    iri_listing_conf_t listing;
    iri_str_t          entry[MAX_ENTRIES];
    int                directory[MAX_ENTRIES];
    iri_name_result_t  result[MAX_ENTRIES]; /* of the lookup of its path */
    size_t             entries;
} fuzz_case_t;


/* ---- decoding of an input ----------------------------------------------- */

static const char *const queries[] = {
    "",
    "sort=size",
    "sort=date",
    "order=desc",
    "sort=size&order=desc",
    "sort=date&order=desc",
    "format=json",
    "sort=size&format=json",
    "sort=date&format=json",
    "format=json&order=desc",
    "sort=size&order=desc&format=json",
    "format=json&sort=date&order=desc",
};


/* Add an entry that is new and that a directory could contain. */
static void
put_entry(fuzz_case_t *it, iri_str_t field)
{
    iri_str_t name = iri_str_from(field, field.len != 0);
    int       directory = (int) fuzz_choice(field, 0, 2);

    if (name.len == 0 || name.len > FUZZ_NAME_MAX || name.data[0] == '.'
        || memchr(name.data, '/', name.len) != NULL
        || memchr(name.data, '\0', name.len) != NULL
        || it->entries == MAX_ENTRIES
        || fuzz_tree_kind(name) != IRI_NODE_ABSENT)
    {
        return;
    }

    fuzz_tree_put(name, directory ? IRI_NODE_DIR : IRI_NODE_OTHER, 0);
    it->entry[it->entries] = fuzz_given(name);
    it->directory[it->entries++] = directory;
}


static void
describe(fuzz_input_t *input, fuzz_case_t *it, iri_str_t words)
{
    iri_str_t      path, entry;
    unsigned char *whole;
    size_t         i;

    fuzz_field(input, &path);
    path.len = path.len > 200 ? 200 : path.len;
    whole = fuzz_memory(path.len + 2);
    whole[0] = '/';

    for (i = 0; i < path.len; i++) {
        whole[1 + i] = path.data[i] != 0 ? path.data[i] : 'x';
    }
    whole[1 + i] = '/';

    it->listing.tree = &it->conf.tree;
    it->listing.reading = &it->conf.reading;
    it->listing.root = fuzz_text("/srv");
    it->listing.path.data = whole;
    it->listing.path.len = path.len + (path.len != 0 ? 2 : 1);
    it->listing.query = fuzz_text(
        queries[6 * fuzz_choice(words, 0, 2) + fuzz_choice(words, 1, 3)
                + 3 * fuzz_choice(words, 2, 2)]);
    it->listing.unnamed = it->conf.reading.invalid == IRI_INVALID_PASS;

    fuzz_tree_clear(it->listing.root);

    while (fuzz_field(input, &entry)) {
        put_entry(it, entry);
    }
}


/* ---- links -------------------------------------------------------------- */

/* The path of an entry's link, unescaped as by a server. */
static iri_str_t
path_of(const fuzz_case_t *it, iri_str_t last, int directory)
{
    iri_str_t      base = it->listing.path, path;
    unsigned char *p = fuzz_memory(base.len + last.len + 1);

    path.data = p;
    path.len = base.len + last.len + (size_t) directory;
    memcpy(p, base.data, base.len);
    memcpy(p + base.len, last.data, last.len);
    p[base.len + last.len] = '/';

    return path;
}


/* Look up the path of an entry, as a server does. */
static iri_name_result_t
lookup(const fuzz_case_t *it, iri_listing_t *listing,
       const iri_listing_entry_t *entry)
{
    iri_search_t search;
    iri_found_t  found;
    iri_str_t    last = entry->name.len != 0 ? entry->name : entry->octets;
    iri_name_result_t result;

    memset(&search, 0, sizeof(search));
    search.tree = &it->conf.tree;
    search.root = it->listing.root;
    search.path = entry->path;
    search.path.len -= (size_t) entry->is_directory;
    search.prefix = it->listing.path.len - 1;

    if (!iri_needs_lookup(search.tree, search.path)) {
        return iri_str_equal(last, entry->octets) ? IRI_NAME_LINKED
                                                  : IRI_NAME_UNLINKED;
    }

    fuzz_assert(fuzz_find(&search, &found) == IRI_OK);

    if (found.verdict == IRI_PASS) {
        return (found.why == IRI_WHY_DECLARED || found.why == IRI_WHY_ASCII)
                       && iri_str_equal(last, entry->octets)
                   ? IRI_NAME_LINKED
                   : IRI_NAME_UNLINKED;
    }

    result = found.verdict == IRI_SERVE
                 ? iri_listing_compare(listing, entry, found.filename)
                 : IRI_NAME_HIDDEN;

    return result == IRI_NAME_LINKED ? result : IRI_NAME_UNLINKED;
}


/* The result for an entry.  Only the first page looks it up. */
static iri_name_result_t
result_of(fuzz_case_t *it, iri_listing_t *listing,
          const iri_listing_entry_t *entry, int first)
{
    size_t i = 0;

    while (!iri_str_equal(it->entry[i], entry->octets)) {
        i++;
    }

    if (first) {
        it->result[i] = lookup(it, listing, entry);
    }

    return it->result[i];
}


static int
finds_file(const fuzz_case_t *it, const iri_item_t *item, iri_str_t last)
{
    iri_received_path_t request = { path_of(it, last, item->directory),
                                    0,
                                    { 0, NULL } };
    iri_str_t           octets = iri_item_octets(item);
    iri_reading_t       reading;
    iri_search_t        search;
    iri_found_t         found;

    fuzz_assert(fuzz_read(&it->conf.reading, &request, &reading) == IRI_OK);

    if (reading.verdict == IRI_REFUSE
        || !iri_str_equal(reading.path, request.path))
    {
        return 0;
    }

    memset(&search, 0, sizeof(search));
    search.tree = &it->conf.tree;
    search.root = it->listing.root;
    search.path = reading.path;
    search.path.len -= item->directory;
    search.prefix = it->listing.path.len - 1;

    if (!iri_needs_lookup(search.tree, search.path)) {
        return iri_str_equal(last, octets);
    }

    fuzz_assert(fuzz_find(&search, &found) == IRI_OK);

    if (found.verdict == IRI_PASS) {
        return (found.why == IRI_WHY_DECLARED || found.why == IRI_WHY_ASCII)
               && iri_str_equal(last, octets);
    }

    return found.verdict == IRI_SERVE
           && found.filename.len == search.root.len + 1 + octets.len
           && iri_str_equal(iri_str_from(found.filename, search.root.len + 1),
                            octets);
}


static void
judge_links(const fuzz_case_t *it, const iri_listing_t *listing)
{
    const iri_item_t *item;
    iri_str_t         name, last;
    size_t            i;
    int               linked;

    fuzz_assert(listing->shown == it->entries);

    for (i = 0; i < listing->shown; i++) {
        item = listing->ranks[i];
        name = fuzz_entry_name(&it->conf.tree, iri_item_octets(item));
        fuzz_assert(iri_str_equal(name, iri_item_name(item)));
        last = name.len != 0 ? name : iri_item_octets(item);

        linked = (name.len != 0 || it->listing.unnamed)
                 && finds_file(it, item, last);
        fuzz_assert(item->linked == (unsigned) linked);
    }
}


/* ---- a page -------------------------------------------------------------- */

static iri_status_t
add(const fuzz_case_t *it, iri_listing_t *listing, size_t i)
{
    iri_listing_info_t info = { it->directory[i], 0, 0 };

    info.size = (uint64_t) it->entry[i].len << (it->entry[i].data[0] & 63);
    info.mtime = (int64_t) (info.size * UINT64_C(7919) - 1000000);

    return iri_listing_add(listing, it->entry[i], &info);
}


static iri_status_t
page_of(fuzz_case_t *it, int backwards, iri_listing_t **listing,
        iri_str_t *body)
{
    iri_listing_entry_t entry;
    iri_page_t          page;
    iri_status_t status = iri_listing_begin(&fuzz.env, &it->listing, listing);
    size_t       i;
    int          is_left = 1;

    for (i = 0; status == IRI_OK && i < it->entries; i++) {
        status = add(it, *listing, backwards ? it->entries - 1 - i : i);
    }

    while (status == IRI_OK) {
        status = iri_listing_judge(*listing, &entry, &is_left);
        if (status != IRI_OK || !is_left) {
            break;
        }
        status = iri_listing_judged(
            *listing, result_of(it, *listing, &entry, !backwards));
    }

    if (status == IRI_OK) {
        status = iri_listing_page(*listing, &page);
    }
    if (status == IRI_OK) {
        *body = page.body;
    }

    return status;
}


/* ---- the grammar --------------------------------------------------------- */

static const char *const tags[] = {
    "html",  "head",  "title",  "style", "body", "header", "nav",
    "ol",    "li",    "a",      "bdi",   "h1",   "main",   "p",
    "table", "thead", "tbody",  "tr",    "th",   "td",     "data",
    "time",  "small", "footer", "meta",
};


static size_t
tag_at(const unsigned char *p, const unsigned char *end)
{
    size_t i, n;

    for (i = 0; i < COUNT(tags); i++) {
        n = strlen(tags[i]);

        if ((size_t) (end - p) > n && memcmp(p, tags[i], n) == 0
            && strchr(" />", p[n]) != NULL)
        {
            return i;
        }
    }

    fuzz_die("no tag of ours: %.20s", (const char *) p);
}


static void
judge_entity(const unsigned char *p)
{
    fuzz_assert(strncmp((const char *) p, "&amp;", 5) == 0
                || strncmp((const char *) p, "&lt;", 4) == 0
                || strncmp((const char *) p, "&gt;", 4) == 0
                || strncmp((const char *) p, "&quot;", 6) == 0
                || strncmp((const char *) p, "&#39;", 5) == 0);
}


/* The part between "<" and ">": names, and values in quotes. */
static const unsigned char *
judge_tag(const unsigned char *p, const unsigned char *end, size_t *open,
          size_t *depth, size_t *rows)
{
    int    closes = *p == '/', quoted = 0;
    size_t tag;

    p += closes;
    tag = tag_at(p, end);

    for (p += strlen(tags[tag]); quoted || *p != '>'; p++) {
        fuzz_assert(p + 1 < end && *p != '<' && *p >= 0x20 && *p < 0x7f);
        fuzz_assert(quoted || *p == ' ' || *p == '=' || *p == '"' || *p == '/'
                    || *p == '-' || *p == ':' || (*p >= 'a' && *p <= 'z'));
        quoted ^= *p == '"';

        if (*p == '&') {
            judge_entity(p);
        }
    }

    if (closes) {
        fuzz_assert(*depth > 0 && open[--*depth] == tag);
    } else if (p[-1] != '/') {
        fuzz_assert(*depth < 16);
        open[(*depth)++] = tag;
        *rows += strcmp(tags[tag], "tr") == 0;
    }

    return p + 1;
}


static void
judge_html(iri_str_t page, size_t count)
{
    static const char    doctype[] = "<!DOCTYPE html>";
    const unsigned char *p = page.data, *end = page.data + page.len;
    size_t               open[16], depth = 0, rows = 0, n;
    uint32_t             c;

    fuzz_assert(page.len > sizeof(doctype)
                && memcmp(p, doctype, sizeof(doctype) - 1) == 0);
    p += sizeof(doctype) - 1;

    while (p < end) {
        if (*p == '<') {
            p = judge_tag(p + 1, end, open, &depth, &rows);
            continue;
        }

        n = iri_utf8_next(p, end, &c);
        fuzz_assert(n != 0 && c != '>'
                    && (c == '\n' || c == 0x200c || c == 0x200d || c == 0xfe0f
                        || !iri_char_is_invisible(c)));

        if (c == '&') {
            judge_entity(p);
        }

        p += n;
    }

    fuzz_assert(depth == 0);
    fuzz_assert(rows == (count != 0 ? count + 1 : 0));
}


/* Nothing is invisible, and no other escape than by number is needed. */
static void
judge_json(iri_str_t page, size_t count)
{
    const unsigned char *p = page.data, *end = page.data + page.len;
    json_t              *list = json_loadb(
                     (const char *) p, page.len,
                     JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    uint32_t c;
    size_t   n;

    fuzz_assert(json_array_size(json_object_get(list, "entries")) == count);
    json_decref(list);

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);
        fuzz_assert(n != 0 && (c == '\n' || !iri_char_is_invisible(c)));
        fuzz_assert(c != '\\' || p[1] == 'u');
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t   input = fuzz_input(data, size);
    fuzz_case_t    it;
    iri_listing_t *listing;
    iri_str_t      words, page, again;
    iri_status_t   status;

    fuzz_begin();
    memset(&it, 0, sizeof(it));
    fuzz_conf(&input, &it.conf);
    fuzz_field(&input, &words);
    describe(&input, &it, words);

    fuzz_assert(page_of(&it, 0, &listing, &page) == IRI_OK);
    judge_links(&it, listing);

    if (listing->query.json) {
        judge_json(page, it.entries);
    } else {
        judge_html(page, it.entries);
    }

    fuzz_assert(page_of(&it, 1, &listing, &again) == IRI_OK);
    fuzz_assert(iri_str_equal(page, again));

    fuzz.allocs = 0;
    fuzz.fail_at = 1 + fuzz_octet(words, 4) % 32;
    fuzz.fail_on = size & 1;
    status = page_of(&it, 1, &listing, &again);
    fuzz_assert(status
                == (fuzz.allocs >= fuzz.fail_at ? IRI_NO_MEMORY : IRI_OK));
    fuzz_assert(status != IRI_OK || iri_str_equal(page, again));
    fuzz.fail_at = 0;

    fuzz_end();

    return 0;
}
