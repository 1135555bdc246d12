/*
 * iri_listing.c - the entries of a directory listing
 *
 * Collects the entries, selects those of the requested page and decides which
 * are linked.  Items are stored in blocks; temporary data of an entry is
 * released before the next one.  An entry is linked only if a request for the
 * link is read as its name (iri_read) and finds it (iri_find).  Usually the
 * octets of the entry suffice to decide this; otherwise both are called.
 * iri_listing_sort.c sorts the entries, iri_listing_page.c writes the page.
 */

#include "unicode/iri_unicode.h"
#include "index/iri_index.h"
#include "output/iri_output.h"

/* Number of calls of iri_find() in a listing that may read the directory. */
#define IRI_MAX_LINK_LOOKUPS 100


/* ---- memory -------------------------------------------------------------- */

static void *
iri_scratch_alloc(void *ctx, size_t size)
{
    iri_listing_t *listing = ctx;

    return size <= IRI_LISTING_MEMORY
               ? iri_blocks_take(listing, &listing->memory.scratch, size)
               : NULL;
}


/* Call the file system of env with env's own ctx. */
static iri_status_t
iri_scratch_stat(void *ctx, const char *path, iri_node_t *node)
{
    const iri_env_t *env = ((iri_listing_t *) ctx)->env;

    return env->dir->stat(env->ctx, path, node);
}


static iri_status_t
iri_scratch_list(void *ctx, const char *path, iri_node_t *node,
                 iri_dir_each_t each, void *arg)
{
    const iri_env_t *env = ((iri_listing_t *) ctx)->env;

    return env->dir->list(env->ctx, path, node, each, arg);
}


/*
 * The POSIX file system needs no ctx and is used directly: a job of the cache
 * may call it after the listing has ended.  Other file systems are used only
 * with caches that have no jobs (iri_dir_t).
 */
static void
iri_scratch_init(iri_listing_t *listing)
{
    listing->memory.scratch_env.ctx = listing;
    listing->memory.scratch_env.alloc = iri_scratch_alloc;
    listing->memory.scratch_env.dir = listing->env->dir;
    listing->memory.scratch_env.fold_keys = listing->env->fold_keys;

    if (listing->env->dir != &iri_dir_posix) {
        listing->memory.scratch_dir.stat = iri_scratch_stat;
        listing->memory.scratch_dir.list = iri_scratch_list;
        listing->memory.scratch_env.dir = &listing->memory.scratch_dir;
    }
}


/* ---- the query ----------------------------------------------------------- */

/* Remove the next parameter, up to "&", from *query. */
static iri_str_t
iri_take_parameter(iri_str_t *query)
{
    iri_str_t parameter = *query;
    size_t    i;

    for (i = 0; i < query->len && query->data[i] != '&'; i++) {
        /* void */
    }

    parameter.len = i;
    *query = iri_str_from(*query, i < query->len ? i + 1 : i);

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
iri_decode_octets(iri_listing_t *listing, iri_str_t text, iri_buf_t *octets)
{
    iri_status_t status = IRI_OK;
    size_t       i;
    int          high, low;

    for (i = 0; status == IRI_OK && i < text.len; i++) {
        high = low = -1;

        if (text.data[i] == '%' && text.len - i > 2) {
            high = iri_hex(text.data[i + 1]);
            low = iri_hex(text.data[i + 2]);
        }

        if (high >= 0 && low >= 0) {
            status = iri_buf_putc(listing->env, octets,
                                  (unsigned char) (16 * high + low));
            i += 2;
        } else {
            status = iri_buf_putc(listing->env, octets, text.data[i]);
        }
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
    iri_str_t           after = listing->query.after, name;
    iri_buf_t           octets = IRI_BUF_EMPTY;
    uint64_t            number = 0;
    iri_status_t        status;
    iri_listing_info_t  info;
    iri_listing_entry_t entry;

    if (after.len == 0 || after.len > 3 * IRI_MAX_SEGMENT
        || (listing->query.sort != IRI_SORT_NAME
            && !iri_parse_sort_number(&after, &number)))
    {
        return IRI_OK;
    }

    memset(&info, 0, sizeof(info));
    info.is_known = 1;
    info.size = number;
    info.mtime = (int64_t) number;
    info.is_directory = after.len != 0 && after.data[after.len - 1] == '/';
    after.len -= info.is_directory ? 1 : 0;

    status = iri_decode_octets(listing, after, &octets);
    if (status != IRI_OK) {
        return status;
    }

    name = iri_buf_str(&octets);

    status = iri_listing_entry(listing, name, &entry);
    if (status != IRI_OK || entry.hidden) {
        return status;
    }

    status = iri_listing_add(listing, &entry, &info);
    if (status == IRI_OK) {
        ((iri_item_t *) (void *) (listing->memory.items.first + 1))
            ->is_marker = 1;
    }

    return status;
}


/* ---- begin --------------------------------------------------------------- */

/* Set *reads to 1 if iri_read() reads a request for path as path. */
static iri_status_t
iri_path_round_trips(iri_listing_t *listing, iri_str_t path,
                     iri_reading_t *reading, int *reads)
{
    iri_received_path_t request = { path, 0, { 0, NULL } };
    iri_status_t        status;

    status = iri_read(&listing->memory.scratch_env, listing->conf.reading,
                      &request, reading);

    *reads = status == IRI_OK && reading->verdict != IRI_REFUSE
             && iri_str_equal(reading->path, path);

    return status;
}


/*
 * Store the path of the directory, and test with a sample name whether requests
 * for entries are read unchanged.  They are not if the path is not UTF-8,
 * contains a control character or is too long.
 */
static iri_status_t
iri_listing_set_directory(iri_listing_t *listing)
{
    static const unsigned char sample[2] = { 0xc3, 0xa9 };

    iri_str_t     path = listing->conf.path;
    iri_reading_t reading;
    iri_status_t  status;
    int           reads = 0;

    status = iri_buf_reserve(listing->env, &listing->directory.path,
                             path.len + IRI_MAX_SEGMENT);

    if (status == IRI_OK) {
        status = iri_buf_put(listing->env, &listing->directory.path,
                             path.data, path.len);
    }
    if (status == IRI_OK) {
        status = iri_buf_put(listing->env, &listing->directory.path, sample,
                             sizeof(sample));
    }
    if (status == IRI_OK) {
        status = iri_path_round_trips(
            listing, iri_buf_str(&listing->directory.path), &reading, &reads);
    }
    if (status == IRI_OK) {
        listing->directory.base = path.len;
        listing->directory.slashes = iri_str_count(path, '/');
        listing->directory.unreachable = !reads
                                         || reading.form == IRI_FORM_INVALID;
    }

    return status;
}


iri_status_t
iri_listing_begin(const iri_env_t *env, const iri_listing_conf_t *conf,
                  iri_listing_t **out)
{
    iri_listing_t *listing;
    iri_status_t   status;

    listing = env->alloc(env->ctx, sizeof(*listing));
    if (listing == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(listing, 0, sizeof(*listing));
    listing->env = env;
    listing->conf = *conf;
    listing->directory.root = conf->root;
    iri_scratch_init(listing);

    while (listing->directory.root.len > 0
           && listing->directory.root.data[listing->directory.root.len - 1]
                  == '/')
    {
        listing->directory.root.len--;
    }

    if (conf->reading == NULL) {
        listing->directory.reading.invalid = conf->unnamed ? IRI_INVALID_PASS
                                                           : IRI_INVALID_404;
        listing->conf.reading = &listing->directory.reading;
    }

    iri_listing_parse_query(listing, conf->query);

    status = iri_listing_set_directory(listing);
    if (status == IRI_OK && conf->paged) {
        status = iri_listing_add_marker(listing);
    }
    if (status == IRI_OK) {
        *out = listing;
    }

    return status;
}


/* ---- entries ------------------------------------------------------------- */

/* Return 1 for names that are never listed: dot files and invalid names. */
static int
iri_is_hidden(iri_str_t octets, int simple)
{
    if (octets.len == 0 || octets.len > IRI_MAX_OCTETS
        || octets.data[0] == '.') {
        return 1;
    }

    return !simple
           && (memchr(octets.data, '/', octets.len) != NULL
               || memchr(octets.data, '\0', octets.len) != NULL);
}


/* Return 1 if the path of a name of len octets is within the limits. */
static int
iri_is_within_limits(const iri_listing_t *listing, size_t len)
{
    return listing->directory.base + len < IRI_MAX_PATH - 1
           && listing->directory.slashes < IRI_MAX_SEGMENTS - 1;
}


/* Return 1 if the path of an entry with this name is read unchanged. */
static int
iri_entry_reads(const iri_listing_t *listing, iri_str_t name)
{
    return name.len != 0 && !listing->directory.unreachable
           && iri_is_within_limits(listing, name.len);
}


/* Bits of iri_listing_entry_t.flags */
#define IRI_ENTRY_SIMPLE 1
#define IRI_ENTRY_ASCII  2

iri_status_t
iri_listing_entry(iri_listing_t *listing, iri_str_t octets,
                  iri_listing_entry_t *entry)
{
    iri_str_t    name = octets, last;
    iri_status_t status = IRI_OK;
    int          simple, ascii, hidden;

    iri_text_classify(octets, &simple, &ascii);
    hidden = iri_is_hidden(octets, simple);

    if (hidden || octets.len > IRI_MAX_SEGMENT || !ascii) {
        iri_blocks_reset(&listing->memory.scratch);
        name.len = 0;
        status = hidden ? IRI_OK
                        : iri_entry_name(&listing->memory.scratch_env,
                                         listing->conf.tree, octets, &name);
    }

    listing->directory.path.len = listing->directory.base;
    last = name.len != 0 ? name : octets;

    if (status == IRI_OK) {
        status = iri_buf_put(listing->env, &listing->directory.path,
                             last.data, hidden ? 0 : last.len);
    }

    if (status == IRI_OK) {
        entry->octets = octets;
        entry->name = name;
        entry->path = iri_buf_str(&listing->directory.path);
        entry->reads = iri_entry_reads(listing, name);
        entry->hidden = hidden;
        entry->flags = (simple ? IRI_ENTRY_SIMPLE : 0)
                       | (ascii ? IRI_ENTRY_ASCII : 0);
    }

    return status;
}


/*
 * Reserve memory for sorting, a pointer for each entry and the copy that qsort
 * may make, and for one more block.
 */
int
iri_listing_is_full(const iri_listing_t *listing)
{
    return listing->memory.taken
               + 2 * sizeof(iri_item_t *) * (listing->entries.count + 1)
           > IRI_LISTING_MEMORY - IRI_LISTING_SPARE - IRI_LAST_BLOCK;
}


iri_status_t
iri_listing_add(iri_listing_t *listing, const iri_listing_entry_t *entry,
                const iri_listing_info_t *info)
{
    int         same = iri_str_equal(entry->octets, entry->name);
    size_t      name = same ? 0 : entry->name.len;
    iri_item_t *item;

    if (entry->hidden) {
        return IRI_OK;
    }

    if (iri_listing_is_full(listing)) {
        listing->entries.truncated = 1;
        return IRI_OK;
    }

    item = iri_blocks_take(listing, &listing->memory.items,
                           sizeof(*item) + entry->octets.len + name);
    if (item == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(item, 0, sizeof(*item));
    item->same = (unsigned) same;
    item->simple = same && (entry->flags & IRI_ENTRY_SIMPLE) != 0;
    item->ascii = same && (entry->flags & IRI_ENTRY_ASCII) != 0;
    item->octets_len = (unsigned) entry->octets.len & 0x3fff;
    item->name_len = (unsigned) entry->name.len & 0x7ff;
    item->directory = info->is_directory != 0;
    item->known = info->is_known != 0;
    item->size = info->is_known ? info->size : 0;
    item->mtime = info->is_known ? info->mtime : 0;
    memcpy(item + 1, entry->octets.data, entry->octets.len);

    if (name != 0) {
        memcpy((unsigned char *) (item + 1) + entry->octets.len,
               entry->name.data, name);
    }

    listing->entries.count++;
    listing->entries.directories += item->directory;

    return IRI_OK;
}


/* ---- links --------------------------------------------------------------- */

/* Return 1 if the result of iri_find() is this entry of this directory. */
static int
iri_found_is_item(const iri_listing_t *listing, const iri_found_t *found,
                  const iri_item_t *item)
{
    iri_str_t root = listing->directory.root, octets = iri_item_octets(item);
    iri_str_t last;

    if (found->verdict == IRI_PASS) {
        return (item->same || item->name_len == 0)
               && (found->why == IRI_WHY_DECLARED
                   || found->why == IRI_WHY_ASCII);
    }

    if (found->verdict != IRI_SERVE
        || found->filename.len != root.len + 1 + octets.len)
    {
        return 0;
    }

    last = iri_str_from(found->filename, root.len + 1);

    return iri_str_equal(last, octets);
}


/*
 * Read and look up the path of an item as for a request.  *is_found: 1: the
 * lookup finds this item.
 */
static iri_status_t
iri_item_lookup(iri_listing_t *listing, const iri_item_t *item, int *is_found)
{
    iri_str_t     last = iri_item_name(item), path;
    iri_search_t  search;
    iri_reading_t reading;
    iri_found_t   found;
    iri_status_t  status;

    last = last.len != 0 ? last : iri_item_octets(item);
    listing->directory.path.len = listing->directory.base;

    status = iri_buf_put(listing->env, &listing->directory.path, last.data,
                         last.len);

    if (status == IRI_OK && item->directory) {
        status = iri_buf_putc(listing->env, &listing->directory.path, '/');
    }
    if (status == IRI_OK) {
        status = iri_path_round_trips(listing,
                                      iri_buf_str(&listing->directory.path),
                                      &reading, is_found);
    }

    path = iri_buf_str(&listing->directory.path);
    path.len = listing->directory.base + last.len;

    if (status != IRI_OK || !*is_found
        || !iri_needs_lookup(listing->conf.tree, path))
    {
        return status;
    }

    memset(&search, 0, sizeof(search));
    search.tree = listing->conf.tree;
    search.cache = listing->conf.cache;
    search.root = listing->directory.root;
    search.path = path;
    search.prefix = listing->directory.base - 1;

    status = iri_find(&listing->memory.scratch_env, &search, &found);
    *is_found = status == IRI_OK && iri_found_is_item(listing, &found, item);

    return status;
}


/*
 * A lookup tries the ways of writing a name (charset and normalization form) in
 * order.  *first: 1: the first of them gives the octets of the item.
 * *scan_only: 1: none of them does, and the item is found only by reading the
 * directory.
 */
static iri_status_t
iri_item_is_first_way(iri_listing_t *listing, const iri_item_t *item,
                      int *first, int *scan_only)
{
    const iri_tree_conf_t *tree = listing->conf.tree;
    iri_str_t              octets = iri_item_octets(item);
    iri_str_t              name = iri_item_name(item);
    iri_buf_t              way = IRI_BUF_EMPTY;
    iri_status_t           status;
    size_t                 k, ways = 0;
    int                    written;

    *first = 0;
    *scan_only = 1;

    for (k = 0; k < IRI_WAYS(tree) && *scan_only; k++) {
        status = iri_name_write(&listing->memory.scratch_env, tree, name, k,
                                &way, &written);
        if (status != IRI_OK) {
            return status;
        }

        if (written && iri_str_equal(iri_buf_str(&way), octets)) {
            *scan_only = 0;
            *first = ways == 0;
        }

        ways += written != 0;
    }

    return IRI_OK;
}


/* Return 1 if a lookup certainly tries the octets of the item first. */
static int
iri_item_is_plain(const iri_listing_t *listing, const iri_item_t *item)
{
    const iri_tree_conf_t *tree = listing->conf.tree;

    return item->same
           && (item->ascii
               || (tree->names != IRI_FILENAME_NFD
                   && iri_charset_is_utf8(tree->charsets.at[0])));
}


static iri_status_t
iri_item_link(iri_listing_t *listing, iri_item_t *item)
{
    iri_status_t status = IRI_OK;
    int          is_found = 0, scan_only = 0;

    if (item->name_len == 0 && !listing->conf.unnamed) {
        return IRI_OK;
    }

    iri_blocks_reset(&listing->memory.scratch);

    if (item->name_len != 0 && !listing->directory.unreachable
        && iri_is_within_limits(listing, item->name_len))
    {
        if (iri_item_is_plain(listing, item)) {
            is_found = 1;
        } else {
            status = iri_item_is_first_way(listing, item, &is_found,
                                           &scan_only);
        }
    }

    if (status == IRI_OK && !is_found
        && (!scan_only || listing->entries.lookups++ < IRI_MAX_LINK_LOOKUPS))
    {
        status = iri_item_lookup(listing, item, &is_found);
    }

    item->linked = is_found != 0;

    return status;
}


int
iri_listing_has_same_name(iri_listing_t             *listing,
                          const iri_listing_entry_t *entry, iri_str_t octets)
{
    iri_str_t name;

    return memchr(octets.data, '/', octets.len) == NULL
           && iri_entry_name(&listing->memory.scratch_env, listing->conf.tree,
                             octets, &name)
                  == IRI_OK
           && name.len != 0 && iri_str_equal(name, entry->name);
}


/* ---- judging entries ----------------------------------------------------- */

iri_status_t
iri_listing_judge_begin(iri_listing_t *listing)
{
    iri_item_t **rank;
    iri_status_t status = iri_listing_sort(listing);
    size_t       i, at = listing->entries.count;

    if (status != IRI_OK) {
        return status;
    }

    for (i = 0; i < listing->entries.count; i++) {
        at = listing->entries.ranks[i]->is_marker ? i : at;
    }

    /* The last entry of the previous page, if it exists, follows the marker. */
    rank = listing->entries.ranks + at;
    if (at + 1 < listing->entries.count
        && rank[0]->directory == rank[1]->directory
        && iri_str_equal(iri_item_octets(rank[0]), iri_item_octets(rank[1])))
    {
        at++;
    }

    listing->entries.next_rank = at < listing->entries.count ? at + 1 : 0;
    listing->entries.judging = 1;

    return IRI_OK;
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
        status = n != 0 ? iri_buf_put(listing->env, &listing->directory.path,
                                      p, n)
                        : iri_buf_put(listing->env, &listing->directory.path,
                                      unknown, sizeof(unknown));
    }

    return status;
}


iri_status_t
iri_listing_judge(iri_listing_t *listing, iri_listing_entry_t *entry,
                  int *is_directory, int *is_left)
{
    iri_item_t  *item;
    iri_str_t    last;
    iri_status_t status;

    *is_left = listing->entries.visible <= IRI_LISTING_PAGE
               && listing->entries.next_rank < listing->entries.count;
    if (!*is_left) {
        return IRI_OK;
    }

    item = listing->entries.ranks[listing->entries.next_rank++];
    listing->entries.current = item;
    listing->directory.path.len = listing->directory.base;

    entry->octets = iri_item_octets(item);
    entry->name = iri_item_name(item);
    last = entry->name.len != 0 ? entry->name : entry->octets;

    status = entry->name.len != 0 || listing->conf.unnamed
                 ? iri_buf_put(listing->env, &listing->directory.path,
                               last.data, last.len)
                 : iri_listing_put_unnamed(listing, last);

    if (status == IRI_OK && item->directory) {
        status = iri_buf_putc(listing->env, &listing->directory.path, '/');
    }

    entry->path = iri_buf_str(&listing->directory.path);
    entry->hidden = 0;
    entry->reads = iri_entry_reads(listing, entry->name);
    *is_directory = item->directory;

    return status;
}


void
iri_listing_keep(iri_listing_t *listing)
{
    iri_item_t *item = listing->entries.current;

    /* The first entry beyond the page only shows that there is a next page. */
    if (listing->entries.visible == IRI_LISTING_PAGE) {
        listing->entries.has_next = 1;
    } else {
        item->visible = 1;
        listing->entries.visible_directories += item->directory;
    }

    listing->entries.visible++;
}


void
iri_listing_set_incomplete(iri_listing_t *listing)
{
    listing->entries.truncated = 1;
}


/* Remove the entries that the client may not see. */
static void
iri_ranks_filter(iri_listing_t *listing)
{
    iri_item_t **ranks = listing->entries.ranks;
    size_t       i, kept = 0;

    for (i = 0; i < listing->entries.count; i++) {
        if (ranks[i]->visible) {
            ranks[kept++] = ranks[i];
        }
    }

    listing->entries.count = kept;
    listing->entries.directories = listing->entries.visible_directories;
}


iri_status_t
iri_listing_finish(iri_listing_t *listing)
{
    iri_status_t status = IRI_OK;
    size_t       i;

    if (listing->entries.judging) {
        iri_ranks_filter(listing);
        iri_listing_order(listing);
    } else {
        status = iri_listing_sort(listing);
    }

    for (i = 0; status == IRI_OK && i < listing->entries.count; i++) {
        status = iri_item_link(listing, listing->entries.ranks[i]);
    }

    return status == IRI_OK ? iri_page_begin(listing) : status;
}
