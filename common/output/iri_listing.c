/*
 * iri_listing.c - the names of a page: entries of a directory, or choices
 *
 * Collects the entries of a directory and selects those of the requested page;
 * the caller judges each of them, and each choice.  Entries are stored in the
 * arena.  An entry is linked only if the path that was judged leads to it, and
 * a request for the link is read as that path (iri_read).
 * iri_listing_sort.c sorts the entries; iri_listing_page.c and iri_choices.c
 * write the page.
 */

#include "unicode/iri_unicode.h"
#include "index/iri_index.h"
#include "output/iri_output.h"


/* ---- the query ----------------------------------------------------------- */

iri_str_t
iri_take_parameter(iri_str_t *query)
{
    iri_str_t parameter = *query;

    parameter.len = iri_str_find_any(*query, "&");
    *query = iri_str_from(*query, parameter.len < query->len
                                      ? parameter.len + 1
                                      : parameter.len);

    return parameter;
}


static int
iri_is_text(iri_str_t s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.data, text, s.len) == 0;
}


/* If a parameter is repeated, the last one counts. */
static void
iri_listing_parse_query(iri_listing_t *listing, iri_str_t query)
{
    iri_str_t parameter;

    while (query.len > 0) {
        parameter = iri_take_parameter(&query);

        if (iri_is_text(parameter, "sort=name")) {
            listing->query.sort = IRI_SORT_NAME;
        } else if (iri_is_text(parameter, "sort=size")) {
            listing->query.sort = IRI_SORT_SIZE;
        } else if (iri_is_text(parameter, "sort=date")) {
            listing->query.sort = IRI_SORT_DATE;
        } else if (iri_is_text(parameter, "order=asc")) {
            listing->query.descending = 0;
        } else if (iri_is_text(parameter, "order=desc")) {
            listing->query.descending = 1;
        } else if (iri_is_text(parameter, "format=json")) {
            listing->query.json = 1;
        } else if (iri_is_text(parameter, "format=html")) {
            listing->query.json = 0;
        } else if (parameter.len > 6
                   && memcmp(parameter.data, "after=", 6) == 0) {
            listing->query.after = iri_str_from(parameter, 6);
        }
    }
}


/* ---- the start of a page ------------------------------------------------- */

/*
 * Remove a size or date, "123/" or "-123/", from the start of *text.
 * Returns: 0: there is none.
 */
static int
iri_parse_sort_number(iri_str_t *text, uint64_t *number)
{
    size_t i = text->len != 0 && text->data[0] == '-' ? 1 : 0, digits = i;

    for (*number = 0; i < text->len && i < 20 && text->data[i] >= '0'
                      && text->data[i] <= '9';
         i++)
    {
        *number = 10 * *number + (uint64_t) (text->data[i] - '0');
    }

    if (i == digits || i == text->len || text->data[i] != '/') {
        return 0;
    }

    *number = digits == 1 ? 0 - *number : *number;
    *text = iri_str_from(*text, i + 1);

    return 1;
}


/* Append text percent-decoded; invalid escapes are copied. */
static iri_status_t
iri_decode_octets(const iri_env_t *env, iri_str_t text, iri_buf_t *octets)
{
    const unsigned char *p = text.data, *end = p + text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        octet;
    size_t               n;

    for (/* void */; status == IRI_OK && p < end; p += n != 0 ? n : 1) {
        n = iri_unescape(p, end, &octet);
        status = iri_buf_putc(env, octets, n == 3 ? octet : *p);
    }

    return status;
}


/*
 * Add a marker that sorts where the previous page ended.  It is made from the
 * query alone, so it does not reveal whether that entry still exists.
 */
static iri_status_t
iri_listing_add_marker(iri_listing_t *listing)
{
    iri_str_t          after = listing->query.after;
    iri_buf_t          octets = IRI_BUF_EMPTY;
    uint64_t           number = 0;
    iri_status_t       status;
    iri_listing_info_t info;

    if (after.len == 0 || after.len > 3 * IRI_MAX_SEGMENT
        || (listing->query.sort != IRI_SORT_NAME
            && !iri_parse_sort_number(&after, &number)))
    {
        return IRI_OK;
    }

    info.size = number;
    info.mtime = (int64_t) number;
    info.is_directory = after.len != 0 && after.data[after.len - 1] == '/';
    after.len -= info.is_directory ? 1 : 0;

    status = iri_decode_octets(listing->env, after, &octets);

    if (status == IRI_OK) {
        status = iri_listing_add(listing, iri_buf_str(&octets), &info);
    }

    if (status == IRI_OK && listing->last != NULL) {
        listing->last->is_marker = 1;
    }

    return status;
}


/* ---- begin --------------------------------------------------------------- */

static iri_listing_t *
iri_listing_create(const iri_env_t *env)
{
    iri_listing_t *listing = env->alloc(env->ctx, sizeof(*listing));

    if (listing != NULL) {
        memset(listing, 0, sizeof(*listing));
        listing->env = env;
    }

    return listing;
}


iri_status_t
iri_listing_begin(const iri_env_t *env, const iri_listing_conf_t *conf,
                  iri_listing_t **out)
{
    iri_listing_t *listing = iri_listing_create(env);
    iri_status_t   status;

    if (listing == NULL) {
        return IRI_NO_MEMORY;
    }

    listing->conf = *conf;

    while (listing->conf.root.len > 0
           && conf->root.data[listing->conf.root.len - 1] == '/')
    {
        listing->conf.root.len--;
    }

    iri_listing_parse_query(listing, conf->query);

    status = iri_listing_add_marker(listing);
    if (status == IRI_OK) {
        *out = listing;
    }

    return status;
}


iri_status_t
iri_choices_begin(const iri_env_t *env, const iri_choices_t *choices,
                  iri_listing_t **out)
{
    iri_listing_t *listing = iri_listing_create(env);

    if (listing == NULL) {
        return IRI_NO_MEMORY;
    }

    listing->choices = *choices;
    listing->query.json = iri_prefers_json(choices->accept);
    listing->paths = env->alloc(env->ctx,
                                choices->count * sizeof(*choices->paths));
    if (listing->paths == NULL) {
        return IRI_NO_MEMORY;
    }

    *out = listing;

    return IRI_OK;
}


/* ---- entries ------------------------------------------------------------- */

/* Return 1 for names that are never listed: dot files and invalid names. */
static int
iri_is_hidden(iri_str_t octets)
{
    return octets.len == 0 || octets.len > IRI_MAX_OCTETS
           || octets.data[0] == '.'
           || memchr(octets.data, '/', octets.len) != NULL
           || memchr(octets.data, '\0', octets.len) != NULL;
}


void *
iri_listing_alloc(iri_listing_t *listing, size_t size)
{
    listing->taken += size;

    return listing->env->alloc(listing->env->ctx, size);
}


/*
 * Reserve memory for sorting, a pointer for each entry and the copy that qsort
 * may make, and for one more entry or key.
 */
int
iri_listing_is_full(const iri_listing_t *listing)
{
    return listing->taken + 2 * sizeof(iri_item_t *) * (listing->count + 1)
           > IRI_LISTING_MEMORY - 2 * IRI_MAX_OCTETS;
}


/* Set listing->name to the name of an entry; empty: it has none. */
static iri_status_t
iri_listing_name(iri_listing_t *listing, iri_str_t octets)
{
    size_t index;

    return iri_entry_read(listing->env, listing->conf.tree, octets,
                          &listing->name, &index);
}


iri_status_t
iri_listing_add(iri_listing_t *listing, iri_str_t octets,
                const iri_listing_info_t *info)
{
    iri_str_t    name;
    iri_item_t  *item;
    iri_status_t status;
    int          same;

    if (iri_is_hidden(octets) || iri_listing_is_full(listing)) {
        return IRI_OK;
    }

    status = iri_listing_name(listing, octets);
    if (status != IRI_OK) {
        return status;
    }

    name = iri_buf_str(&listing->name);
    same = iri_str_equal(octets, name);

    item = iri_listing_alloc(listing, sizeof(*item) + octets.len
                                          + (same ? 0 : name.len));
    if (item == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(item, 0, sizeof(*item));
    item->next = listing->last;
    item->size = info->size;
    item->mtime = info->mtime;
    item->same = (unsigned) same;
    item->octets_len = (unsigned) octets.len & 0x3fff;
    item->name_len = (unsigned) name.len & 0x7ff;
    item->directory = info->is_directory != 0;
    memcpy(item + 1, octets.data, octets.len);

    if (!same && name.len != 0) {
        memcpy((unsigned char *) (item + 1) + octets.len, name.data,
               name.len);
    }

    listing->last = item;
    listing->count++;

    return IRI_OK;
}


/* ---- judging ------------------------------------------------------------- */

/* Go to the first entry of the page, after the marker. */
static void
iri_listing_skip_to_page(iri_listing_t *listing)
{
    iri_item_t **rank = listing->ranks;
    size_t       at;

    for (at = 0; at < listing->count && !rank[at]->is_marker; at++) {
        /* void */
    }

    if (at == listing->count) {
        return;
    }

    /* The last entry of the previous page, if it exists, follows the marker. */
    if (at + 1 < listing->count
        && rank[at]->directory == rank[at + 1]->directory
        && iri_str_equal(iri_item_octets(rank[at]),
                         iri_item_octets(rank[at + 1])))
    {
        at++;
    }

    listing->next = at + 1;
}


/* Append octets to the path; U+FFFD replaces each that is not UTF-8. */
static iri_status_t
iri_listing_put_unnamed(iri_listing_t *listing, iri_str_t octets)
{
    static const unsigned char unknown[3] = { 0xef, 0xbf, 0xbd };

    const unsigned char *p = octets.data, *end = p + octets.len;
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n;

    for (; status == IRI_OK && p < end; p += n != 0 ? n : 1) {
        n = iri_utf8_next(p, end, &c);
        status = n != 0 ? iri_buf_put(listing->env, &listing->entry, p, n)
                        : iri_buf_put(listing->env, &listing->entry, unknown,
                                      sizeof(unknown));
    }

    return status;
}


/* Set listing->entry to the path of an item. */
static iri_status_t
iri_listing_set_path(iri_listing_t *listing, const iri_item_t *item)
{
    iri_str_t    base = listing->conf.path, name = iri_item_name(item);
    iri_str_t    last = name.len != 0 ? name : iri_item_octets(item);
    iri_status_t status;

    listing->entry.len = 0;
    status = iri_buf_put(listing->env, &listing->entry, base.data, base.len);

    if (status == IRI_OK) {
        status = name.len != 0 || listing->conf.unnamed
                     ? iri_buf_put(listing->env, &listing->entry, last.data,
                                   last.len)
                     : iri_listing_put_unnamed(listing, last);
    }

    return status == IRI_OK && item->directory
               ? iri_buf_putc(listing->env, &listing->entry, '/')
               : status;
}


/*
 * Set *reads to 1 if a request for the path of an item is read as this path.
 * listing->entry becomes that path.
 */
static iri_status_t
iri_item_reads(iri_listing_t *listing, const iri_item_t *item, int *reads)
{
    iri_status_t        status = iri_listing_set_path(listing, item);
    iri_received_path_t request = { iri_buf_str(&listing->entry),
                                    0,
                                    { 0, NULL } };
    iri_reading_t       reading;

    if (status == IRI_OK) {
        status = iri_read(listing->env, listing->conf.reading, &request,
                          &reading);
    }

    *reads = status == IRI_OK && reading.verdict != IRI_REFUSE
             && iri_str_equal(reading.path, request.path);

    return status;
}


/* Get the next choice. */
static void
iri_choices_judge(iri_listing_t *listing, iri_listing_entry_t *entry,
                  int *is_left)
{
    if (listing->path.len == 0 && listing->next < listing->choices.count) {
        listing->path = listing->choices.paths[listing->next];
    }

    *is_left = listing->path.len != 0;

    if (*is_left) {
        memset(entry, 0, sizeof(*entry));
        entry->path = listing->path;
        entry->is_directory = entry->path.data[entry->path.len - 1] == '/';
    }
}


iri_status_t
iri_listing_judge(iri_listing_t *listing, iri_listing_entry_t *entry,
                  int *is_left)
{
    iri_item_t  *item;
    iri_status_t status = IRI_OK;

    if (listing->choices.paths != NULL) {
        iri_choices_judge(listing, entry, is_left);
        return IRI_OK;
    }

    if (listing->ranks == NULL) {
        status = iri_listing_sort(listing);
        if (status != IRI_OK) {
            return status;
        }

        iri_listing_skip_to_page(listing);
    }

    *is_left = !listing->has_next && listing->next < listing->count;
    if (!*is_left) {
        return IRI_OK;
    }

    item = listing->ranks[listing->next];

    status = iri_listing_set_path(listing, item);
    if (status == IRI_OK) {
        entry->path = iri_buf_str(&listing->entry);
        entry->octets = iri_item_octets(item);
        entry->name = iri_item_name(item);
        entry->is_directory = item->directory;
    }

    return status;
}


/* Set the result for listing->path. */
static iri_status_t
iri_choices_judged(iri_listing_t *listing, iri_name_result_t result)
{
    const iri_str_t parts[] = { listing->path, IRI_STR("/") };
    iri_buf_t       path = IRI_BUF_EMPTY;
    iri_status_t    status;

    if (result == IRI_NAME_DIRECTORY
        && listing->path.data[listing->path.len - 1] != '/')
    {
        status = iri_buf_put_all(listing->env, &path, parts, 2);
        listing->path = iri_buf_str(&path);

        return status;
    }

    if (result == IRI_NAME_LINKED) {
        listing->paths[listing->shown++] = listing->path;
    }

    listing->next++;
    listing->path.len = 0;

    return IRI_OK;
}


iri_status_t
iri_listing_judged(iri_listing_t *listing, iri_name_result_t result)
{
    iri_item_t *item;

    if (listing->choices.paths != NULL) {
        return iri_choices_judged(listing, result);
    }

    item = listing->ranks[listing->next++];

    if (result != IRI_NAME_LINKED && result != IRI_NAME_UNLINKED) {
        return IRI_OK;
    }

    /* The first entry beyond the page only shows that there is a next page. */
    if (listing->shown == IRI_LISTING_PAGE) {
        listing->has_next = 1;

    } else {
        item->linked = result == IRI_NAME_LINKED
                       && (item->name_len != 0 || listing->conf.unnamed);
        listing->ranks[listing->shown++] = item;
    }

    return IRI_OK;
}


iri_name_result_t
iri_listing_compare(iri_listing_t *listing, const iri_listing_entry_t *entry,
                    iri_str_t filename)
{
    iri_str_t root = listing->conf.root, last;

    if (filename.len <= root.len + 1 || filename.data[root.len] != '/'
        || memcmp(filename.data, root.data, root.len) != 0)
    {
        return IRI_NAME_HIDDEN;
    }

    last = iri_str_from(filename, root.len + 1);
    last.len -= last.data[last.len - 1] == '/';

    if (iri_str_equal(last, entry->octets)) {
        return IRI_NAME_LINKED;
    }

    return memchr(last.data, '/', last.len) == NULL
                   && (entry->name.len == 0
                       || (iri_listing_name(listing, last) == IRI_OK
                           && iri_str_equal(iri_buf_str(&listing->name),
                                            entry->name)))
               ? IRI_NAME_UNLINKED
               : IRI_NAME_HIDDEN;
}


/* ---- the page ------------------------------------------------------------ */

iri_status_t
iri_listing_page(iri_listing_t *listing, iri_page_t *out)
{
    iri_status_t status = IRI_OK;
    size_t       i;
    int          reads;

    if (listing->choices.paths != NULL) {
        return iri_choices_write(listing, out);
    }

    for (i = 0; status == IRI_OK && i < listing->shown; i++) {
        status = iri_item_reads(listing, listing->ranks[i], &reads);
        listing->ranks[i]->linked &= (unsigned) reads;
    }

    iri_listing_mark_conflicts(listing);

    return status == IRI_OK ? iri_listing_write(listing, out) : status;
}
