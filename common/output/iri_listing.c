/*
 * iri_listing.c - what is in a directory, by the names of its entries
 *
 * Entries are kept in blocks, one behind the other; what is needed to look at
 * one is forgotten before the next.  An entry is linked only where a request
 * for its link leads to it, by iri_read and iri_find: mostly that can be seen
 * from its octets, else they are asked.
 */

#include "unicode/iri_unicode.h"
#include "index/iri_index.h"
#include "output/iri_output.h"

/* Entries for which the directory may have to be read once more. */
#define IRI_MAX_ASKS 100


/* ---- memory -------------------------------------------------------------- */

static void *
iri_own_alloc(void *ctx, size_t size)
{
    iri_listing_t *listing = ctx;

    return size <= IRI_LISTING_MEMORY
               ? iri_blocks_take(listing, &listing->memory.scratch, size)
               : NULL;
}


/* The file system of env, by the ctx that is env's. */
static iri_status_t
iri_own_stat(void *ctx, const char *path, iri_node_t *node)
{
    const iri_env_t *env = ((iri_listing_t *) ctx)->env;

    return env->dir->stat(env->ctx, path, node);
}


static iri_status_t
iri_own_list(void *ctx, const char *path, iri_node_t *node, iri_each_t each,
             void *arg)
{
    const iri_env_t *env = ((iri_listing_t *) ctx)->env;

    return env->dir->list(env->ctx, path, node, each, arg);
}


/*
 * The POSIX file system needs no ctx, and may be used by a job of the cache
 * when the listing is no more.
 */
static void
iri_own_init(iri_listing_t *listing)
{
    listing->memory.own.ctx = listing;
    listing->memory.own.alloc = iri_own_alloc;
    listing->memory.own.dir = listing->env->dir;

    if (listing->env->dir != &iri_dir_posix) {
        listing->memory.own_dir.stat = iri_own_stat;
        listing->memory.own_dir.list = iri_own_list;
        listing->memory.own.dir = &listing->memory.own_dir;
    }
}


/* ---- what is asked for --------------------------------------------------- */

/* Take what stands before the next "&". */
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


/* Of what contradicts itself the last counts. */
static void
iri_listing_query(iri_listing_t *listing, iri_str_t query)
{
    iri_str_t parameter;

    while (query.len > 0) {
        parameter = iri_take_parameter(&query);

        if (iri_is_text(parameter, "sort=name")) {
            listing->wanted.sort = IRI_SORT_NAME;
        } else if (iri_is_text(parameter, "sort=size")) {
            listing->wanted.sort = IRI_SORT_SIZE;
        } else if (iri_is_text(parameter, "sort=date")) {
            listing->wanted.sort = IRI_SORT_DATE;
        } else if (iri_is_text(parameter, "order=asc")) {
            listing->wanted.descending = 0;
        } else if (iri_is_text(parameter, "order=desc")) {
            listing->wanted.descending = 1;
        } else if (iri_is_text(parameter, "format=json")) {
            listing->wanted.json = 1;
        } else if (iri_is_text(parameter, "format=html")) {
            listing->wanted.json = 0;
        } else if (parameter.len > 6
                   && memcmp(parameter.data, "after=", 6) == 0) {
            listing->wanted.after = iri_str_from(parameter, 6);
        }
    }
}


/* ---- where a page begins -------------------------------------------------- */

/* "123/" or "-123/" at the start: a size or date.  0: there is none. */
static int
iri_take_number(iri_str_t *text, uint64_t *number)
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


/* Decode "%41" in place; what is no escape stays. */
static iri_status_t
iri_take_octets(iri_listing_t *listing, iri_str_t text, iri_buf_t *octets)
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
 * Put a mark among the entries where the page before this one ended.  It
 * stands for the last entry there and is made of the query alone, so that it
 * does not tell whether there is such an entry.
 */
static iri_status_t
iri_listing_mark(iri_listing_t *listing)
{
    iri_str_t           after = listing->wanted.after, name;
    iri_buf_t           octets = IRI_BUF_EMPTY;
    uint64_t            number = 0;
    iri_status_t        status;
    iri_listing_info_t  info;
    iri_listing_entry_t entry;

    if (after.len == 0 || after.len > 3 * IRI_MAX_SEGMENT
        || (listing->wanted.sort != IRI_SORT_NAME
            && !iri_take_number(&after, &number)))
    {
        return IRI_OK;
    }

    memset(&info, 0, sizeof(info));
    info.is_known = 1;
    info.size = number;
    info.mtime = (int64_t) number;
    info.is_directory = after.len != 0 && after.data[after.len - 1] == '/';
    after.len -= info.is_directory ? 1 : 0;

    status = iri_take_octets(listing, after, &octets);
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
        ((iri_item_t *) (void *) (listing->memory.items.first + 1))->mark = 1;
    }

    return status;
}


/* ---- begin --------------------------------------------------------------- */

/* Would a request for this path be read as it? */
static iri_status_t
iri_listing_reads(iri_listing_t *listing, iri_str_t path,
                  iri_reading_t *reading, int *reads)
{
    iri_request_t request = { path, 0, { 0, NULL } };
    iri_status_t  status;

    status = iri_read(&listing->memory.own, listing->conf.reading, &request,
                      reading);

    *reads = status == IRI_OK && reading->verdict != IRI_REFUSE
             && iri_str_equal(reading->path, path);

    return status;
}


/*
 * Keep the path, and see whether names below it are read as they are: not
 * where it is no characters itself, or holds a control, or is too long.
 */
static iri_status_t
iri_listing_path(iri_listing_t *listing)
{
    static const unsigned char some[2] = { 0xc3, 0xa9 };

    iri_str_t     path = listing->conf.path;
    iri_reading_t reading;
    iri_status_t  status;
    int           reads = 0;

    status = iri_buf_reserve(listing->env, &listing->place.path,
                             path.len + IRI_MAX_SEGMENT);

    if (status == IRI_OK) {
        status = iri_buf_put(listing->env, &listing->place.path, path.data,
                             path.len);
    }
    if (status == IRI_OK) {
        status = iri_buf_put(listing->env, &listing->place.path, some,
                             sizeof(some));
    }
    if (status == IRI_OK) {
        status = iri_listing_reads(listing, iri_buf_str(&listing->place.path),
                                   &reading, &reads);
    }
    if (status == IRI_OK) {
        listing->place.base = path.len;
        listing->place.slashes = iri_str_count(path, '/');
        listing->place.odd = !reads || reading.form == IRI_FORM_INVALID;
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
    listing->place.root = conf->root;
    iri_own_init(listing);

    while (listing->place.root.len > 0
           && listing->place.root.data[listing->place.root.len - 1] == '/')
    {
        listing->place.root.len--;
    }

    if (conf->reading == NULL) {
        listing->place.reading.invalid = conf->unnamed ? IRI_INVALID_PASS
                                                       : IRI_INVALID_404;
        listing->conf.reading = &listing->place.reading;
    }

    iri_listing_query(listing, conf->query);

    status = iri_listing_path(listing);
    if (status == IRI_OK && conf->paged) {
        status = iri_listing_mark(listing);
    }
    if (status == IRI_OK) {
        *out = listing;
    }

    return status;
}


/* ---- entries ------------------------------------------------------------- */

/* What is never told, and what is no entry at all. */
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


/* Far from the limits of paths, with a name of so many octets? */
static int
iri_is_short(const iri_listing_t *listing, size_t len)
{
    return listing->place.base + len < IRI_MAX_PATH - 1
           && listing->place.slashes < IRI_MAX_SEGMENTS - 1;
}


/* Bits of iri_listing_entry_t.look */
#define IRI_LOOK_SIMPLE 1
#define IRI_LOOK_ASCII  2

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
                        : iri_entry_name(&listing->memory.own,
                                         listing->conf.tree, octets, &name);
    }

    listing->place.path.len = listing->place.base;
    last = name.len != 0 ? name : octets;

    if (status == IRI_OK) {
        status = iri_buf_put(listing->env, &listing->place.path, last.data,
                             hidden ? 0 : last.len);
    }

    if (status == IRI_OK) {
        entry->octets = octets;
        entry->name = name;
        entry->path = iri_buf_str(&listing->place.path);
        entry->reads = name.len != 0 && !listing->place.odd
                       && iri_is_short(listing, name.len);
        entry->hidden = hidden;
        entry->look = (simple ? IRI_LOOK_SIMPLE : 0)
                      | (ascii ? IRI_LOOK_ASCII : 0);
    }

    return status;
}


/*
 * Where all entries stand in the order must fit, too: a pointer for each, and
 * the copy of it that qsort may make.  A block more than is needed may be
 * taken for one entry.
 */
int
iri_listing_is_full(const iri_listing_t *listing)
{
    return listing->memory.taken
               + 2 * sizeof(iri_item_t *) * (listing->held.count + 1)
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
        listing->held.more = 1;
        return IRI_OK;
    }

    item = iri_blocks_take(listing, &listing->memory.items,
                           sizeof(*item) + entry->octets.len + name);
    if (item == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(item, 0, sizeof(*item));
    item->same = (unsigned) same;
    item->simple = same && (entry->look & IRI_LOOK_SIMPLE) != 0;
    item->ascii = same && (entry->look & IRI_LOOK_ASCII) != 0;
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

    listing->held.count++;
    listing->held.directories += item->directory;

    return IRI_OK;
}


/* ---- which are linked ---------------------------------------------------- */

/* Does a name lead to these octets, in this very directory? */
static int
iri_is_of(const iri_listing_t *listing, const iri_found_t *found,
          const iri_item_t *item)
{
    iri_str_t root = listing->place.root, octets = iri_item_octets(item);
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


/* As the server would: read the path, and look for it. */
static iri_status_t
iri_item_ask(iri_listing_t *listing, const iri_item_t *item, int *leads)
{
    iri_str_t     last = iri_item_name(item), path;
    iri_search_t  search;
    iri_reading_t reading;
    iri_found_t   found;
    iri_status_t  status;

    last = last.len != 0 ? last : iri_item_octets(item);
    listing->place.path.len = listing->place.base;

    status = iri_buf_put(listing->env, &listing->place.path, last.data,
                         last.len);

    if (status == IRI_OK && item->directory) {
        status = iri_buf_putc(listing->env, &listing->place.path, '/');
    }
    if (status == IRI_OK) {
        status = iri_listing_reads(listing, iri_buf_str(&listing->place.path),
                                   &reading, leads);
    }

    path = iri_buf_str(&listing->place.path);
    path.len = listing->place.base + last.len;

    if (status != IRI_OK || !*leads
        || !iri_needs_lookup(listing->conf.tree, path))
    {
        return status;
    }

    memset(&search, 0, sizeof(search));
    search.tree = listing->conf.tree;
    search.cache = listing->conf.cache;
    search.root = listing->place.root;
    search.path = path;
    search.prefix = listing->place.base - 1;

    status = iri_find(&listing->memory.own, &search, &found);
    *leads = status == IRI_OK && iri_is_of(listing, &found, item);

    return status;
}


/*
 * Is this the first of the octets that would be looked for?  *odd: they are
 * not looked for at all, but for what is found where all entries are read.
 */
static iri_status_t
iri_item_is_first(iri_listing_t *listing, const iri_item_t *item, int *first,
                  int *odd)
{
    const iri_tree_conf_t *tree = listing->conf.tree;
    iri_str_t              octets = iri_item_octets(item);
    iri_str_t              name = iri_item_name(item);
    iri_buf_t              way = IRI_BUF_EMPTY;
    iri_status_t           status;
    size_t                 k, ways = 0;
    int                    written;

    *first = 0;
    *odd = 1;

    for (k = 0; k < IRI_WAYS(tree) && *odd; k++) {
        status = iri_name_write(&listing->memory.own, tree, name, k, &way,
                                &written);
        if (status != IRI_OK) {
            return status;
        }

        if (written && iri_str_equal(iri_buf_str(&way), octets)) {
            *odd = 0;
            *first = ways == 0;
        }

        ways += written != 0;
    }

    return IRI_OK;
}


/* Nothing but its octets is needed to see it. */
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
    int          leads = 0, odd = 0;

    if (item->name_len == 0 && !listing->conf.unnamed) {
        return IRI_OK;
    }

    iri_blocks_reset(&listing->memory.scratch);

    if (item->name_len != 0 && !listing->place.odd
        && iri_is_short(listing, item->name_len))
    {
        if (iri_item_is_plain(listing, item)) {
            leads = 1;
        } else {
            status = iri_item_is_first(listing, item, &leads, &odd);
        }
    }

    if (status == IRI_OK && !leads
        && (!odd || listing->held.asked++ < IRI_MAX_ASKS))
    {
        status = iri_item_ask(listing, item, &leads);
    }

    item->linked = leads != 0;

    return status;
}


int
iri_listing_has_same_name(iri_listing_t             *listing,
                          const iri_listing_entry_t *entry, iri_str_t octets)
{
    iri_str_t name;

    return memchr(octets.data, '/', octets.len) == NULL
           && iri_entry_name(&listing->memory.own, listing->conf.tree, octets,
                             &name)
                  == IRI_OK
           && name.len != 0 && iri_str_equal(name, entry->name);
}


/* ---- which the client may know of ----------------------------------------- */

iri_status_t
iri_listing_judge_begin(iri_listing_t *listing)
{
    iri_item_t **rank;
    iri_status_t status = iri_listing_sort(listing);
    size_t       i, at = listing->held.count;

    if (status != IRI_OK) {
        return status;
    }

    for (i = 0; i < listing->held.count; i++) {
        at = listing->held.ranks[i]->mark ? i : at;
    }

    /* The entry that the mark stands for is beside it, or is not there. */
    rank = listing->held.ranks + at;
    if (at + 1 < listing->held.count
        && rank[0]->directory == rank[1]->directory
        && iri_str_equal(iri_item_octets(rank[0]), iri_item_octets(rank[1])))
    {
        at++;
    }

    listing->held.next_judged = at < listing->held.count ? at + 1 : 0;
    listing->held.judging = 1;

    return IRI_OK;
}


/* The path of an entry without a name, as characters. */
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
        status = n != 0
                     ? iri_buf_put(listing->env, &listing->place.path, p, n)
                     : iri_buf_put(listing->env, &listing->place.path,
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

    *is_left = listing->held.kept <= IRI_LISTING_PAGE
               && listing->held.next_judged < listing->held.count;
    if (!*is_left) {
        return IRI_OK;
    }

    item = listing->held.ranks[listing->held.next_judged++];
    listing->held.judged = item;
    listing->place.path.len = listing->place.base;

    entry->octets = iri_item_octets(item);
    entry->name = iri_item_name(item);
    last = entry->name.len != 0 ? entry->name : entry->octets;

    status = entry->name.len != 0 || listing->conf.unnamed
                 ? iri_buf_put(listing->env, &listing->place.path, last.data,
                               last.len)
                 : iri_listing_put_unnamed(listing, last);

    entry->path = iri_buf_str(&listing->place.path);
    entry->hidden = 0;
    *is_directory = item->directory;

    return status;
}


void
iri_listing_keep(iri_listing_t *listing)
{
    iri_item_t *item = listing->held.judged;

    /* One more than a page holds only tells that there is another page. */
    if (listing->held.kept == IRI_LISTING_PAGE) {
        listing->held.next = 1;
    } else {
        item->kept = 1;
        listing->held.directories_kept += item->directory;
    }

    listing->held.kept++;
}


void
iri_listing_more(iri_listing_t *listing)
{
    listing->held.more = 1;
}


/* Of the entries only those that the client may know of. */
static void
iri_ranks_keep(iri_listing_t *listing)
{
    iri_item_t **ranks = listing->held.ranks;
    size_t       i, kept = 0;

    for (i = 0; i < listing->held.count; i++) {
        if (ranks[i]->kept) {
            ranks[kept++] = ranks[i];
        }
    }

    listing->held.count = kept;
    listing->held.directories = listing->held.directories_kept;
}


iri_status_t
iri_listing_finish(iri_listing_t *listing)
{
    iri_status_t status = IRI_OK;
    size_t       i;

    if (listing->held.judging) {
        iri_ranks_keep(listing);
        iri_listing_order(listing);
    } else {
        status = iri_listing_sort(listing);
    }

    for (i = 0; status == IRI_OK && i < listing->held.count; i++) {
        status = iri_item_link(listing, listing->held.ranks[i]);
    }

    return status == IRI_OK ? iri_page_begin(listing) : status;
}
