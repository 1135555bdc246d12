/*
 * iri_segment_lookup.c - finds the entry of one segment in one directory
 *
 * Tries the octets by which the tree may write the name: its charsets and forms
 * first, then vendor variants. Then searches the index of the directory. An
 * entry is found only if its name equals the segment or, where differences of
 * IRI_FOLD_INDEXED are ignored, if its name differs least.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "tree/iri_tree.h"

/* Characters of punctuation that are removed from the end of a link. */
#define IRI_MAX_TRAILING 4

/* Without a cache: number of candidates stat'ed before their directory. */
#define IRI_CANDIDATES_BEFORE_STAT 2


/* ---- stat ---------------------------------------------------------------- */

/* Stop the search. Only the first reason is kept. */
static void
iri_finder_stop(iri_finder_t *finder, iri_why_t why)
{
    if (!finder->stopped) {
        finder->stopped = 1;
        finder->why = why;
        iri_logf(finder->env, IRI_LOG_TRACE, "stop: %s", iri_why_text(why));
    }
}


static const char *
iri_node_text(iri_node_kind_t kind)
{
    switch (kind) {
    case IRI_NODE_DIR:
        return "directory";
    case IRI_NODE_OTHER:
        return "file";
    case IRI_NODE_NOT_DIR:
        return "below a file";
    default:
        return "absent";
    }
}


/* Return 1 if path is the missing path or below it. */
static int
iri_is_at_or_below(const iri_missing_t *missing, const iri_buf_t *path)
{
    size_t len = missing->path.len;

    return len != 0 && path->len >= len
           && memcmp(path->data, missing->path.data, len) == 0
           && (path->len == len || path->data[len] == '/'
               || path->data[len - 1] == '/');
}


iri_status_t
iri_finder_stat(iri_finder_t *finder, iri_buf_t *path, iri_node_t *node)
{
    const iri_env_t *env = finder->env;
    iri_status_t     status;

    node->kind = IRI_NODE_ABSENT;

    if (iri_is_at_or_below(&finder->missing_path, path)) {
        node->kind = finder->missing_path.kind;
        return IRI_OK;
    }

    if (iri_is_at_or_below(&finder->missing_directory, path)) {
        node->kind = finder->missing_directory.kind;
        return IRI_OK;
    }

    if (finder->calls >= IRI_MAX_FS_CALLS) {
        iri_finder_stop(finder, IRI_WHY_BUDGET);
    }

    if (finder->stopped) {
        return IRI_OK;
    }

    finder->calls++;

    /* The C library needs a NUL, which is not counted. */
    status = iri_buf_putc(env, path, '\0');
    if (status != IRI_OK) {
        return status;
    }

    path->len--;

    if (env->dir->stat(env->ctx, (const char *) path->data, node) != IRI_OK) {
        node->kind = IRI_NODE_ABSENT;
        iri_finder_stop(finder, IRI_WHY_ERROR);
    }

    iri_logf(env, IRI_LOG_TRACE, "stat %s: %s",
             iri_printable(env, iri_buf_str(path)),
             finder->stopped ? "error" : iri_node_text(node->kind));

    return IRI_OK;
}


iri_status_t
iri_finder_stat_directory(iri_finder_t *finder, iri_buf_t *path,
                          iri_node_t *node)
{
    iri_status_t status = iri_finder_stat(finder, path, node);

    if (status == IRI_OK && !finder->stopped
        && (node->kind == IRI_NODE_ABSENT || node->kind == IRI_NODE_NOT_DIR))
    {
        finder->missing_directory.path = iri_buf_str(path);
        finder->missing_directory.kind = node->kind;
    }

    return status;
}


/*
 * A stat below walk->disk returned ENOTDIR. Set *result to NOT_DIR if a path
 * above is a file, so that the segment is PATH_INFO. Otherwise the tree has
 * changed during the search, which stops: an entry whose name is not known must
 * not be opened.
 */
static iri_status_t
iri_lookup_not_dir(iri_finder_t *finder, const iri_walk_t *walk,
                   iri_lookup_result_t *result)
{
    iri_buf_t    above = IRI_BUF_EMPTY;
    iri_node_t   node = { IRI_NODE_NOT_DIR, 0, 0, 0, 0 };
    iri_status_t status;
    size_t       root = finder->search->root.len;

    status = iri_buf_put(finder->env, &above, walk->disk.data,
                         walk->disk.len);

    while (status == IRI_OK && node.kind == IRI_NODE_NOT_DIR
           && above.len > root && above.len > 1)
    {
        while (above.len > root && above.data[above.len - 1] != '/') {
            above.len--;
        }

        above.len -= above.len > 1;
        status = iri_finder_stat(finder, &above, &node);
    }

    if (status == IRI_OK && node.kind == IRI_NODE_OTHER) {
        *result = IRI_LOOKUP_NOT_DIR;
    } else {
        *result = IRI_LOOKUP_ABSENT;
        iri_finder_stop(finder, IRI_WHY_ERROR);
    }

    return status;
}


/* Stat a candidate below walk->disk. If it exists, append it to walk->disk. */
static iri_status_t
iri_candidate_stat(iri_finder_t *finder, iri_walk_t *walk, iri_str_t octets,
                   iri_lookup_result_t *result)
{
    size_t       len = walk->disk.len;
    iri_node_t   node;
    iri_status_t status;

    if (finder->tried >= IRI_MAX_REQUEST_CANDIDATES) {
        iri_finder_stop(finder, IRI_WHY_BUDGET);
    }

    finder->tried++;

    status = iri_buf_put(finder->env, &walk->disk, octets.data, octets.len);
    if (status != IRI_OK) {
        return status;
    }

    status = iri_finder_stat(finder, &walk->disk, &node);
    if (status != IRI_OK) {
        return status;
    }

    if (node.kind == IRI_NODE_DIR || node.kind == IRI_NODE_OTHER) {
        *result = IRI_LOOKUP_FOUND;
        return IRI_OK;
    }

    walk->disk.len = len;
    *result = IRI_LOOKUP_ABSENT;

    return node.kind == IRI_NODE_NOT_DIR
               ? iri_lookup_not_dir(finder, walk, result)
               : IRI_OK;
}


void
iri_walk_raise_match(iri_walk_t *walk, iri_match_t match)
{
    if (match > walk->match) {
        walk->match = match;
    }
}


iri_match_t
iri_match_of_octets(const iri_tree_conf_t *tree, size_t charset,
                    iri_str_t octets, iri_str_t name)
{
    if (iri_str_equal(octets, name)) {
        return IRI_MATCH_EXACT;
    }

    return iri_charset_is_utf8(tree->charsets.at[charset])
               ? IRI_MATCH_NORMALIZATION
               : IRI_MATCH_CHARSET;
}


/*
 * Return the ways of writing in which the directory may contain an entry, as
 * iri_index_cache_ways(), without a system call.
 */
static uint32_t
iri_lookup_ways(const iri_finder_t *finder, const iri_walk_t *walk)
{
    return finder->known_directory.len != 0
                   && iri_str_equal(iri_buf_str(&walk->disk),
                                    finder->known_directory)
               ? iri_index_cache_ways(finder->search->cache, finder->tree,
                                      &finder->known_node)
               : IRI_ALL_WAYS;
}


/*
 * Get the stat of the directory walk->disk, from finder->known_node if it is
 * finder->known_directory. *directory: its octets, followed by a NUL.
 */
static iri_status_t
iri_directory_stat(iri_finder_t *finder, const iri_walk_t *walk,
                   iri_buf_t *directory, iri_node_t *node)
{
    iri_status_t status;

    status = iri_buf_reserve(finder->env, directory, walk->disk.len + 1);
    if (status != IRI_OK) {
        return status;
    }

    (void) iri_buf_put(finder->env, directory, walk->disk.data,
                       walk->disk.len);
    directory->data[directory->len] = '\0';

    if (iri_str_equal(iri_buf_str(directory), finder->known_directory)) {
        *node = finder->known_node;
        return IRI_OK;
    }

    status = iri_finder_stat_directory(finder, directory, node);
    finder->known_directory = iri_buf_str(directory);
    finder->known_node = *node;

    return status;
}


/* Return 1 if the directory walk->disk is known not to exist. */
static int
iri_walk_is_below_missing(const iri_finder_t *finder, const iri_walk_t *walk)
{
    return finder->missing_directory.kind == IRI_NODE_ABSENT
           && iri_is_at_or_below(&finder->missing_directory, &walk->disk);
}


/* Return 1 if the directory walk->disk is known to exist. */
static int
iri_walk_directory_exists(const iri_finder_t *finder, const iri_walk_t *walk)
{
    return walk->disk.len <= walk->deepest + 1
           || iri_str_equal(iri_buf_str(&walk->disk),
                            finder->known_directory);
}


/*
 * Set *missing to 1 if the directory walk->disk is known not to exist, which is
 * possible because ASCII segments are appended without a lookup. With a cache
 * the directory is stat'ed before the first candidate, because its index
 * requires that stat anyway; without a cache, after IRI_CANDIDATES_BEFORE_STAT
 * candidates.
 */
static iri_status_t
iri_lookup_check_directory(iri_finder_t *finder, const iri_walk_t *walk,
                           size_t tried, int *missing)
{
    iri_buf_t    directory = IRI_BUF_EMPTY;
    iri_node_t   node;
    iri_status_t status = IRI_OK;
    size_t       before = finder->search->cache != NULL
                              ? 0
                              : IRI_CANDIDATES_BEFORE_STAT;

    if (tried == before && finder->missing_path.kind != IRI_NODE_NOT_DIR
        && !iri_walk_directory_exists(finder, walk)
        && walk->disk.data[walk->disk.len - 1] == '/')
    {
        status = iri_directory_stat(finder, walk, &directory, &node);
    }

    *missing = iri_walk_is_below_missing(finder, walk);

    return status;
}


/*
 * Look up a name as the k-th way of the tree writes it. *tried: candidates that
 * were looked up; *missing: set to 1 if the directory walk->disk does not exist.
 */
static iri_status_t
iri_lookup_way(iri_finder_t *finder, iri_walk_t *walk, iri_str_t name,
               size_t k, size_t *tried, int *missing,
               iri_lookup_result_t *result)
{
    const iri_tree_conf_t *tree = finder->tree;
    iri_buf_t              octets = IRI_BUF_EMPTY;
    iri_status_t           status;
    int                    written;

    status = iri_name_write(finder->env, tree, name, k, &octets, &written);
    if (status != IRI_OK || !written) {
        return status;
    }

    status = iri_lookup_check_directory(finder, walk, *tried, missing);
    if (status != IRI_OK || *missing) {
        return status;
    }

    (*tried)++;

    status = iri_candidate_stat(finder, walk, iri_buf_str(&octets), result);

    if (*result == IRI_LOOKUP_FOUND) {
        iri_walk_raise_match(
            walk,
            iri_match_of_octets(tree, k / 2, iri_buf_str(&octets), name));
    }

    return status;
}


/* Look up a name in each way in which the tree may write it. */
static iri_status_t
iri_lookup_name(iri_finder_t *finder, iri_walk_t *walk, iri_str_t name,
                size_t *tried, iri_lookup_result_t *result)
{
    const iri_tree_conf_t *tree = finder->tree;
    iri_status_t           status = IRI_OK;
    uint32_t               ways = IRI_ALL_WAYS;
    size_t                 k;
    int                    missing = 0;

    *result = IRI_LOOKUP_ABSENT;

    if (iri_is_same_on_disk(tree->match, name)) {
        (*tried)++;
        status = iri_candidate_stat(finder, walk, name, result);

        if (*result == IRI_LOOKUP_FOUND) {
            iri_walk_raise_match(walk, IRI_MATCH_EXACT);
        }

        return status;
    }

    for (k = 0; k < IRI_WAYS(tree) && *tried < IRI_MAX_CANDIDATES; k++) {
        if (k == 1) {
            ways = iri_lookup_ways(finder, walk);
        }

        if ((ways >> k & 1) != 0) {
            status = iri_lookup_way(finder, walk, name, k, tried, &missing,
                                    result);
        }

        if (status != IRI_OK || missing || *result != IRI_LOOKUP_ABSENT
            || finder->stopped)
        {
            break;
        }
    }

    return status;
}


/* Stat octets if name is their name in the tree. */
static iri_status_t
iri_candidate_stat_named(iri_finder_t *finder, iri_walk_t *walk,
                         iri_str_t octets, iri_str_t name,
                         iri_lookup_result_t *result)
{
    iri_status_t status;
    size_t       charset;
    int          named;

    status = iri_entry_is_named(finder->env, finder->tree, octets, name,
                                &charset, &named);
    if (status != IRI_OK || !named) {
        return status;
    }

    status = iri_candidate_stat(finder, walk, octets, result);

    if (status == IRI_OK && *result == IRI_LOOKUP_FOUND) {
        iri_walk_raise_match(
            walk, iri_match_of_octets(finder->tree, charset, octets, name));
    }

    return status;
}


/*
 * Search the index of the directory. If the directory does not exist, there
 * are no hits, and the result is complete.
 */
static iri_status_t
iri_directory_search(iri_finder_t *finder, iri_walk_t *walk, iri_str_t name,
                     iri_index_cache_search_t *search)
{
    iri_buf_t    directory = IRI_BUF_EMPTY;
    iri_status_t status;

    memset(search, 0, sizeof(*search));
    search->complete = 1;

    /*
     * For an alias without "/" at its end, for example "/srv/out", the
     * segment continues the last name of the root: there is no directory to
     * search.
     */
    if (walk->disk.len != 0 && walk->disk.data[walk->disk.len - 1] != '/') {
        return IRI_OK;
    }

    status = iri_directory_stat(finder, walk, &directory, &search->node);

    if (status != IRI_OK || search->node.kind != IRI_NODE_DIR) {
        return status;
    }

    search->tree = finder->tree;
    search->directory = iri_buf_str(&directory);
    search->name = name;
    search->may_list = finder->listings < IRI_MAX_DIRECTORIES_READ
                       && finder->calls < IRI_MAX_FS_CALLS;
    search->may_spell = (finder->fold & IRI_FOLD_SPELLING)
                        && !finder->search->write;

    status = iri_index_cache_find(finder->env, finder->search->cache, search);

    finder->incomplete |= !search->complete;
    finder->listings += search->listed != 0;
    finder->calls += search->listed != 0;

    if (search->listed != 0) {
        finder->known_directory.len = 0;
    }

    if (status == IRI_IO_FAILED) {
        iri_finder_stop(finder, IRI_WHY_ERROR);
        return IRI_OK;
    }

    return status;
}


/* ---- the nearest entry --------------------------------------------------- */

/* Of the entries that the index has returned, those that differ least. */
typedef struct {
    iri_match_t      level;      /* the difference; NONE: no entry */
    iri_str_t        octets;     /* of the selected entry */
    size_t           charset;    /* of octets */
    size_t           way;        /* way of writing that gives octets */
    int              ranked;     /* 1: way is set */
    iri_candidates_t candidates; /* all names that differ at level */
} iri_nearest_t;


/*
 * Set *level to the difference between the name of an entry and the requested
 * name; NONE: the difference is not ignored.
 */
static iri_status_t
iri_hit_level(const iri_finder_t             *finder,
              const iri_index_cache_search_t *search, iri_str_t octets,
              iri_str_t name, iri_match_t *level)
{
    iri_buf_t    key = IRI_BUF_EMPTY;
    iri_status_t status;
    int          one = 0;

    *level = IRI_MATCH_NONE;

    /*
     * A name that starts with a dot is hidden: a segment that does not start
     * with one never finds it.
     */
    if ((octets.data[0] == '.') != (search->name.data[0] == '.')) {
        return IRI_OK;
    }

    if (!search->by_spelling) {
        return iri_fold_level(finder->env,
                              finder->search->write
                                  ? finder->fold & ~IRI_FOLD_NEAR
                                  : finder->fold,
                              search->name, name, level);
    }

    status = iri_fold(finder->env, search->fold, name, &key);

    if (status == IRI_OK) {
        status = iri_edit_differ_by_one(finder->env, search->key,
                                        iri_buf_str(&key), &one);
    }

    if (status == IRI_OK && one) {
        *level = IRI_MATCH_SPELLING;
    }

    return status;
}


/*
 * Set *way to the first way of writing name that gives these octets; IRI_WAYS
 * if there is none.
 */
static iri_status_t
iri_name_way(const iri_finder_t *finder, iri_str_t octets, iri_str_t name,
             size_t *way)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status = IRI_OK;
    size_t       k;
    int          written;

    for (k = 0; k < IRI_WAYS(finder->tree); k++) {
        status = iri_name_write(finder->env, finder->tree, name, k, &buf,
                                &written);

        if (status != IRI_OK
            || (written && iri_str_equal(iri_buf_str(&buf), octets))) {
            break;
        }
    }

    *way = k;

    return status;
}


/*
 * Select one of two entries with the same name: that with the first way of
 * writing, then with the first charset, then with the lowest octets. So the
 * result does not depend on the order of entries in the directory.
 */
static iri_status_t
iri_nearest_same_name(const iri_finder_t *finder, iri_nearest_t *nearest,
                      iri_str_t octets, size_t charset, iri_str_t name)
{
    iri_status_t status = IRI_OK;
    size_t       way = 0;

    if (!nearest->ranked) {
        nearest->ranked = 1;
        status = iri_name_way(finder, nearest->octets, name, &nearest->way);
    }

    if (status == IRI_OK) {
        status = iri_name_way(finder, octets, name, &way);
    }

    if (status == IRI_OK
        && (way < nearest->way
            || (way == nearest->way
                && (charset < nearest->charset
                    || (charset == nearest->charset
                        && iri_str_compare(octets, nearest->octets) < 0)))))
    {
        nearest->way = way;
        nearest->octets = octets;
        nearest->charset = charset;
    }

    return status;
}


/* Add a name to the sorted list. If it is full, the first names are kept. */
static void
iri_candidates_add(iri_candidates_t *candidates, iri_str_t name)
{
    size_t i, k;

    for (i = 0; i < candidates->count; i++) {
        if (iri_str_compare(candidates->name[i], name) >= 0) {
            break;
        }
    }

    if (i < candidates->count && iri_str_equal(candidates->name[i], name)) {
        return;
    }

    candidates->more |= candidates->count == IRI_MAX_CHOICES;

    if (i == IRI_MAX_CHOICES) {
        return;
    }

    candidates->count += candidates->count < IRI_MAX_CHOICES;

    for (k = candidates->count - 1; k > i; k--) {
        candidates->name[k] = candidates->name[k - 1];
    }

    candidates->name[i] = name;
}


/* Add an entry, unless a known one differs less. */
static iri_status_t
iri_nearest_add(const iri_finder_t *finder, iri_nearest_t *nearest,
                iri_match_t level, iri_str_t octets, size_t charset,
                iri_str_t name)
{
    iri_candidates_t *candidates = &nearest->candidates;

    if (nearest->level != IRI_MATCH_NONE && level > nearest->level) {
        return IRI_OK;
    }

    if (nearest->level == IRI_MATCH_NONE || level < nearest->level) {
        nearest->level = level;
        nearest->octets = octets;
        nearest->charset = charset;
        nearest->ranked = 0;
        candidates->name[0] = name;
        candidates->count = 1;
        candidates->more = 0;
        return IRI_OK;
    }

    iri_candidates_add(candidates, name);

    /* If there are several names, the segment is ambiguous. */
    return candidates->count == 1
               ? iri_nearest_same_name(finder, nearest, octets, charset, name)
               : IRI_OK;
}


/* Set *nearest from the hits of a search. */
static iri_status_t
iri_nearest_find(iri_finder_t *finder, const iri_index_cache_search_t *search,
                 iri_nearest_t *nearest)
{
    iri_buf_t    name;
    iri_match_t  level;
    iri_status_t status;
    size_t       i, charset = 0;

    memset(nearest, 0, sizeof(*nearest));

    for (i = 0; i < search->hits.count; i++) {
        memset(&name, 0, sizeof(name));

        status = iri_entry_read(finder->env, finder->tree,
                                search->hits.octets[i], &name, &charset);

        if (status == IRI_OK && name.len != 0) {
            status = iri_hit_level(finder, search, search->hits.octets[i],
                                   iri_buf_str(&name), &level);

            if (status == IRI_OK && level != IRI_MATCH_NONE) {
                status = iri_nearest_add(finder, nearest, level,
                                         search->hits.octets[i], charset,
                                         iri_buf_str(&name));
            }
        }

        if (status != IRI_OK) {
            return status;
        }
    }

    return IRI_OK;
}


/*
 * Select the nearest entry and its name. An entry of a fresh index with all
 * names is known to exist. Any other entry is stat'ed.
 */
static iri_status_t
iri_nearest_select(iri_finder_t *finder, iri_walk_t *walk,
                   const iri_index_cache_search_t *search,
                   const iri_nearest_t *nearest, iri_str_t *name,
                   iri_lookup_result_t *result)
{
    iri_status_t status;

    if (search->fresh && search->fold != 0) {
        *result = IRI_LOOKUP_FOUND;
        status = iri_buf_put(finder->env, &walk->disk, nearest->octets.data,
                             nearest->octets.len);
    } else {
        status = iri_candidate_stat(finder, walk, nearest->octets, result);
    }

    if (status != IRI_OK || *result != IRI_LOOKUP_FOUND) {
        return status;
    }

    *name = nearest->candidates.name[0];

    if (nearest->level == IRI_MATCH_NORMALIZATION) {
        iri_walk_raise_match(
            walk, iri_match_of_octets(finder->tree, nearest->charset,
                                      nearest->octets, *name));
        return IRI_OK;
    }

    if (nearest->level > walk->match) {
        walk->match = nearest->level;
        walk->why = nearest->level == IRI_MATCH_VARIANTS   ? IRI_WHY_VARIANT
                    : nearest->level == IRI_MATCH_SPELLING ? IRI_WHY_SPELLING
                                                           : IRI_WHY_FOLDED;
    }

    return IRI_OK;
}


/* Select the nearest entry, unless several names are equally near. */
static iri_status_t
iri_lookup_nearest(iri_finder_t *finder, iri_walk_t *walk,
                   const iri_index_cache_search_t *search, iri_str_t *name,
                   iri_lookup_result_t *result)
{
    iri_nearest_t nearest;
    iri_status_t  status;

    status = iri_nearest_find(finder, search, &nearest);

    if (status != IRI_OK || nearest.level == IRI_MATCH_NONE) {
        return status;
    }

    if (nearest.candidates.count == 1
        && (!search->hits.more || nearest.level == IRI_MATCH_NORMALIZATION))
    {
        return iri_nearest_select(finder, walk, search, &nearest, name,
                                  result);
    }

    walk->candidates = nearest.candidates;
    walk->candidates.more |= search->hits.more;
    walk->candidates.fresh = search->fresh;
    iri_walk_raise_match(walk, nearest.level);
    *result = IRI_LOOKUP_AMBIGUOUS;

    return IRI_OK;
}


/*
 * If nothing was found yet, select one of the entries that the index has
 * returned. If the index is incomplete, try the octets of the request too.
 */
static iri_status_t
iri_lookup_index_hits(iri_finder_t *finder, iri_walk_t *walk,
                      const iri_index_cache_search_t *search, iri_str_t *name,
                      iri_str_t sent, iri_lookup_result_t *result)
{
    iri_status_t status = IRI_OK;

    if (*result == IRI_LOOKUP_ABSENT && !finder->stopped) {
        status = iri_lookup_nearest(finder, walk, search, name, result);
    }

    return status == IRI_OK && *result == IRI_LOOKUP_ABSENT
                   && !search->complete && sent.len != 0 && !finder->stopped
               ? iri_candidate_stat_named(finder, walk, sent, *name, result)
               : status;
}


/*
 * Look up an irregular entry (iri_index.h), for example one with a partly
 * composed name. In a directory that is too large for an index, the octets of
 * the request are tried.
 */
static iri_status_t
iri_lookup_irregular(iri_finder_t *finder, iri_walk_t *walk, iri_str_t *name,
                     iri_str_t sent, iri_lookup_result_t *result)
{
    iri_index_cache_search_t search;
    iri_status_t             status;

    if (finder->tree->names != IRI_FILENAME_ANY
        || (finder->tree->match & IRI_FOLD_NORMALIZATION) == 0)
    {
        return IRI_OK;
    }

    status = iri_directory_search(finder, walk, *name, &search);

    return status == IRI_OK ? iri_lookup_index_hits(finder, walk, &search,
                                                    name, sent, result)
                            : status;
}


/*
 * Set *result if the segment is PATH_INFO below a file. This is called if no
 * candidate was tried, because the tree cannot write the name.
 */
static iri_status_t
iri_lookup_path_info(iri_finder_t *finder, iri_walk_t *walk,
                     iri_lookup_result_t *result)
{
    iri_node_t   node;
    iri_status_t status;

    status = iri_finder_stat(finder, &walk->disk, &node);

    return status == IRI_OK && node.kind == IRI_NODE_NOT_DIR
               ? iri_lookup_not_dir(finder, walk, result)
               : status;
}


/*
 * Look up a segment by its folding key. The exact name is tried first, unless
 * the index is fresh and complete and has returned all hits.
 */
static iri_status_t
iri_lookup_folded(iri_finder_t *finder, iri_walk_t *walk, iri_str_t *name,
                  iri_str_t sent, iri_lookup_result_t *result)
{
    iri_index_cache_search_t search;
    iri_status_t             status;
    size_t                   tried = 0;

    *result = IRI_LOOKUP_ABSENT;

    status = iri_directory_search(finder, walk, *name, &search);

    if (status == IRI_OK && !finder->stopped
        && !(search.fresh && search.complete && !search.hits.more))
    {
        status = iri_lookup_name(finder, walk, *name, &tried, result);

        if (status == IRI_OK && tried == 0) {
            status = iri_lookup_path_info(finder, walk, result);
        }
    }

    return status == IRI_OK ? iri_lookup_index_hits(finder, walk, &search,
                                                    name, sent, result)
                            : status;
}


/*
 * Look up a segment that is not a name in UTF-8, by its octets. If these have a
 * name in the tree, it is another one, and the lookup is refused.
 */
static iri_status_t
iri_lookup_unnamed(iri_finder_t *finder, iri_walk_t *walk, iri_str_t segment,
                   iri_lookup_result_t *result)
{
    iri_str_t    name = { 0, NULL };
    iri_status_t status;

    status = iri_entry_name(finder->env, finder->tree, segment, &name);
    if (status != IRI_OK) {
        return status;
    }

    if (name.len != 0) {
        *result = IRI_LOOKUP_REFUSED;
        walk->why = IRI_WHY_OTHER_NAME;
        return IRI_OK;
    }

    status = iri_candidate_stat(finder, walk, segment, result);
    if (status == IRI_OK) {
        walk->why = IRI_WHY_UNNAMED;
        iri_walk_raise_match(walk, IRI_MATCH_EXACT);
    }

    return status;
}


/* Look up the variants of a name by the JIS vendor pairs. */
static iri_status_t
iri_lookup_variants(iri_finder_t *finder, iri_walk_t *walk, iri_str_t *name,
                    size_t *tried, iri_lookup_result_t *result)
{
    iri_buf_t    variant = IRI_BUF_EMPTY;
    iri_status_t status;
    int          jis, differs;

    if (!iri_name_may_vary(*name)) {
        return IRI_OK;
    }

    for (jis = 0; jis < 2; jis++) {
        status = iri_name_variant(finder->env, *name, jis, &variant,
                                  &differs);
        if (status != IRI_OK) {
            return status;
        }

        if (!differs) {
            continue;
        }

        status = iri_lookup_name(finder, walk, iri_buf_str(&variant), tried,
                                 result);

        if (status == IRI_OK && *result == IRI_LOOKUP_FOUND) {
            iri_walk_raise_match(walk, IRI_MATCH_VARIANTS);
            walk->why = IRI_WHY_VARIANT;
            *name = iri_buf_str(&variant);
        }

        if (status != IRI_OK || *result != IRI_LOOKUP_ABSENT
            || finder->stopped) {
            return status;
        }
    }

    return IRI_OK;
}


/*
 * Set *name to the canonical form of a segment. If it has none, *named is 0
 * and *name is the segment.
 */
static iri_status_t
iri_lookup_canonical_name(const iri_finder_t *finder, iri_str_t segment,
                          iri_part_kind_t part, iri_str_t *name, int *named)
{
    iri_source_t source = { segment, NULL, 0, 0 };
    iri_buf_t    canonical = IRI_BUF_EMPTY;
    iri_status_t status;
    iri_why_t    why;

    *name = segment;
    *named = 1;

    if (part == IRI_PART_CANONICAL || iri_is_graphic(segment)) {
        return IRI_OK;
    }

    status = iri_segment_read(finder->env, &iri_charset_utf8, &source, 0,
                              segment.len, &canonical, NULL, &why);
    *named = why == IRI_WHY_READ;

    if (status == IRI_OK && *named) {
        *name = iri_buf_str(&canonical);
    }

    return status;
}


iri_status_t
iri_segment_lookup(iri_finder_t *finder, iri_walk_t *walk, iri_str_t segment,
                   iri_part_kind_t part, iri_str_t sent, iri_str_t *name,
                   iri_lookup_result_t *result)
{
    iri_status_t status;
    size_t       tried = 0;
    int          named;

    status = iri_lookup_canonical_name(finder, segment, part, name, &named);
    if (status != IRI_OK) {
        return status;
    }

    if (!named) {
        return iri_lookup_unnamed(finder, walk, segment, result);
    }

    if (iri_walk_is_below_missing(finder, walk)) {
        *result = IRI_LOOKUP_ABSENT;
        return IRI_OK;
    }

    if (finder->fold != 0) {
        return iri_lookup_folded(finder, walk, name, sent, result);
    }

    status = iri_lookup_name(finder, walk, *name, &tried, result);

    if (status == IRI_OK && tried == 0) {
        status = iri_lookup_path_info(finder, walk, result);
    }

    if (status == IRI_OK && *result == IRI_LOOKUP_ABSENT && !finder->stopped
        && (finder->tree->match & IRI_FOLD_VARIANTS))
    {
        status = iri_lookup_variants(finder, walk, name, &tried, result);
    }

    if (status == IRI_OK && *result == IRI_LOOKUP_ABSENT && !finder->stopped)
    {
        status = iri_lookup_irregular(finder, walk, name, sent, result);
    }

    return status;
}


/* Return 1 if the segment is the last one of the path. */
static int
iri_is_last(const iri_finder_t *finder, iri_str_t segment)
{
    return segment.data + segment.len == finder->part.data + finder->part.len;
}


/*
 * Repair a segment once and look up the result. *repaired is empty if the
 * segment cannot be repaired; then *name and *result are not written.
 */
static iri_status_t
iri_lookup_repaired(iri_finder_t *finder, iri_walk_t *walk, iri_str_t segment,
                    iri_str_t *repaired, iri_str_t *name,
                    iri_lookup_result_t *result)
{
    static const iri_str_t none = { 0, NULL };
    iri_status_t           status;

    status = iri_repair(finder->env, finder->repair, segment, repaired);
    if (status != IRI_OK || repaired->len == 0) {
        return status;
    }

    iri_logf(finder->env, IRI_LOG_TRACE, "repaired (%s): %s",
             iri_form_text(iri_repair_form(finder->repair)),
             iri_printable(finder->env, *repaired));
    status = iri_segment_lookup(finder, walk, *repaired, IRI_PART_ANY, none,
                                name, result);

    if (status == IRI_OK
        && (*result == IRI_LOOKUP_FOUND || *result == IRI_LOOKUP_AMBIGUOUS))
    {
        walk->repaired = 1;
        walk->why = IRI_WHY_REPAIRED;
        iri_walk_raise_match(walk, IRI_MATCH_REPAIR);
    }

    return status;
}


iri_status_t
iri_segment_lookup_repaired(iri_finder_t *finder, iri_walk_t *walk,
                            iri_str_t segment, iri_part_kind_t part,
                            iri_str_t sent, iri_str_t *name,
                            iri_lookup_result_t *result)
{
    iri_str_t    repaired;
    iri_status_t status;
    size_t       tried = 0, tries = 0;

    *name = segment;

    /* The ways of writing ASCII need no index. */
    status = iri_path_is_ascii(segment, 0)
                 ? iri_lookup_name(finder, walk, segment, &tried, result)
                 : iri_segment_lookup(finder, walk, segment, part, sent, name,
                                      result);

    if (status != IRI_OK || *result != IRI_LOOKUP_ABSENT || finder->stopped
        || finder->repair == 0)
    {
        return status;
    }

    /*
     * Repair the octets as sent, because a legacy charset may have decoded them
     * to other characters.
     */
    if (finder->repair == IRI_REPAIR_MOJIBAKE && sent.len != 0) {
        segment = sent;
    }

    if (finder->repair == IRI_REPAIR_TRAILING
        && !iri_is_last(finder, segment)) {
        return IRI_OK;
    }

    do {
        status = iri_lookup_repaired(finder, walk, segment, &repaired, name,
                                     result);
        segment = repaired;
    } while (status == IRI_OK && finder->repair == IRI_REPAIR_TRAILING
             && *result == IRI_LOOKUP_ABSENT && !finder->stopped
             && repaired.len != 0 && ++tries < IRI_MAX_TRAILING);

    return status;
}
