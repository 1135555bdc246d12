/*
 * iri_find.c - from a canonical path to the entry that has that name
 *
 * Design 5: down the tree segment by segment, then the same for the further
 * readings of the request, depth first and with one budget for all;
 * candidates are never multiplied out (security rules 11 and 17).  What one
 * segment finds is iri_step.c.
 */

#include <string.h>

#include "iri_int.h"


/* ---- walking ------------------------------------------------------------- */

static iri_status_t
iri_walk_put(iri_finder_t *finder, iri_walk_t *walk, iri_str_t disk,
             iri_str_t name)
{
    iri_status_t status;

    status = iri_buf_put(finder->env, &walk->disk, disk.data, disk.len);

    return status == IRI_OK ? iri_buf_put(finder->env, &walk->names,
                                          name.data, name.len)
                            : status;
}


static iri_status_t
iri_walk_slash(iri_finder_t *finder, iri_walk_t *walk)
{
    static const iri_str_t slash = IRI_STR("/");

    return iri_walk_put(finder, walk, slash, slash);
}


/* A name that is not there yet, as the tree would write it. */
static iri_status_t
iri_walk_new_name(iri_finder_t *finder, iri_walk_t *walk, iri_str_t segment)
{
    iri_buf_t    octets = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       k;
    int          written = 0;

    if (iri_is_ascii(segment, 0)) {
        return iri_walk_put(finder, walk, segment, segment);
    }

    for (k = 0; k < 2 && !written; k++) {
        status = iri_name_write(finder->env, finder->tree, segment, k,
                                &octets, &written);
        if (status != IRI_OK) {
            return status;
        }
    }

    if (!written) {
        walk->refused = 1;
        walk->why = IRI_WHY_UNWRITABLE;
    }

    return iri_walk_put(finder, walk, iri_buf_str(&octets), segment);
}


/* What follows the deepest entry that was found. */
static iri_status_t
iri_walk_rest(iri_finder_t *finder, iri_walk_t *walk, iri_str_t rest)
{
    iri_str_t    segment;
    iri_status_t status = IRI_OK;
    size_t       from, to;

    for (from = 0; status == IRI_OK; from = to + 1) {
        to = iri_segment_end(rest, from);

        segment.data = rest.data + from;
        segment.len = to - from;

        status = iri_walk_new_name(finder, walk, segment);

        if (status != IRI_OK || to == rest.len) {
            break;
        }

        status = iri_walk_slash(finder, walk);
    }

    return status;
}


/*
 * The octets for a further reading.  Where any of them came raw, a bidi
 * formatting character may have (draft 4.1).
 */
static iri_source_t
iri_source_of(const iri_finder_t *finder)
{
    const iri_reading_t *reading = finder->search->reading;
    iri_source_t         source = { finder->octets, NULL, 0, 0 };

    if (reading != NULL && reading->raw) {
        source.raw_high = 1;
        source.raw_bidi = 1;
    }

    return source;
}


/*
 * One segment under each reading of its octets: UTF-8, then the charsets of
 * the request.
 */
static iri_status_t
iri_step_mixed(iri_finder_t *finder, iri_walk_t *walk, size_t from, size_t to,
               iri_str_t *name, iri_step_t *step)
{
    const iri_charsets_t *list = &finder->search->reading->conf->charsets;
    iri_source_t          source = iri_source_of(finder);
    iri_str_t             came = { to - from, finder->octets.data + from };
    iri_buf_t             segment;
    iri_status_t          status;
    iri_why_t             why;
    size_t                i;

    *step = IRI_STEP_ABSENT;

    for (i = 0; i <= list->count && !finder->stopped; i++) {

        memset(&segment, 0, sizeof(segment));

        status = iri_segment_read(finder->env,
                                  i == 0 ? &iri_charset_utf8
                                         : list->at[i - 1],
                                  &source, from, to, &segment, NULL, &why);
        if (status != IRI_OK) {
            return status;
        }

        if (why != IRI_WHY_READ) {
            continue;
        }

        status = iri_step(finder, walk, iri_buf_str(&segment), came, name,
                          step);
        if (status != IRI_OK || *step != IRI_STEP_ABSENT) {
            return status;
        }
    }

    return IRI_OK;
}


/* Has all of it been found, down to a last segment that is ASCII? */
static iri_status_t
iri_walk_confirm(iri_finder_t *finder, iri_walk_t *walk)
{
    iri_node_t   node;
    iri_status_t status;

    if (!finder->further) {
        walk->found = 1;
        return IRI_OK;
    }

    status = iri_look(finder, &walk->disk, &node);
    walk->found = status == IRI_OK && node.kind != IRI_NODE_ABSENT;

    return status;
}


/*
 * PATH_INFO, for which there is nothing on disk to confirm a charset: each
 * segment in the first that reads it.
 */
static iri_status_t
iri_walk_path_info(iri_finder_t *finder, iri_walk_t *walk, size_t from)
{
    const iri_charsets_t *list = &finder->search->reading->conf->charsets;
    iri_source_t          source = iri_source_of(finder);
    iri_buf_t             rest = IRI_BUF_EMPTY;
    iri_status_t          status = IRI_OK;
    iri_why_t             why;
    size_t                to, i;

    for ( ;; ) {
        to = iri_segment_end(finder->octets, from);

        for (i = 0, why = IRI_WHY_UNREADABLE;
             status == IRI_OK && why != IRI_WHY_READ && i <= list->count; i++)
        {
            status = iri_segment_read(finder->env,
                                      i == 0 ? &iri_charset_utf8
                                             : list->at[i - 1],
                                      &source, from, to, &rest, NULL, &why);
        }

        if (status != IRI_OK || why != IRI_WHY_READ) {
            return status;
        }

        if (to == finder->octets.len) {
            break;
        }

        status = iri_buf_putc(finder->env, &rest, '/');
        from = to + 1;
    }

    walk->found = 1;

    return iri_walk_put(finder, walk, iri_buf_str(&rest),
                        iri_buf_str(&rest));
}


/* What the walk did not find of part, from offset from on. */
static iri_status_t
iri_walk_end(iri_finder_t *finder, iri_walk_t *walk, iri_step_t step,
             iri_str_t part, size_t from, int mixed)
{
    iri_str_t rest = iri_str_from(part, from);

    switch (step) {

    case IRI_STEP_FOUND:
        return iri_walk_confirm(finder, walk);

    case IRI_STEP_NOT_DIR:
        if (mixed) {
            return iri_walk_path_info(finder, walk, from);
        }

        walk->found = 1;
        return iri_walk_put(finder, walk, rest, rest);

    case IRI_STEP_REFUSED:
        walk->refused = 1;
        return IRI_OK;

    default:
        return mixed ? IRI_OK : iri_walk_rest(finder, walk, rest);
    }
}


/*
 * Walk down part.  mixed: part is as it came, each segment in any charset.
 * The segments of part and of the octets that it came as go side by side.
 */
static iri_status_t
iri_walk(iri_finder_t *finder, iri_str_t part, int mixed, iri_walk_t *walk)
{
    iri_str_t    root = finder->search->root, segment, came, name;
    iri_status_t status;
    iri_step_t   step = IRI_STEP_FOUND;
    size_t       from = 0, to, came_from = 0, came_to = 0;

    memset(walk, 0, sizeof(*walk));

    status = iri_buf_put(finder->env, &walk->disk, root.data, root.len);

    while (status == IRI_OK) {
        to = iri_segment_end(part, from);
        came_to = iri_segment_end(finder->octets, came_from);

        segment.data = part.data + from;
        segment.len = to - from;

        came.data = finder->octets.data + came_from;
        came.len = came_to - came_from;

        if (iri_is_ascii(segment, 0)) {
            status = iri_walk_put(finder, walk, segment, segment);

        } else {
            status = mixed ? iri_step_mixed(finder, walk, from, to, &name,
                                            &step)
                           : iri_step(finder, walk, segment, came, &name,
                                      &step);

            if (status == IRI_OK && step == IRI_STEP_FOUND) {
                status = iri_buf_put(finder->env, &walk->names, name.data,
                                     name.len);
            }
        }

        if (status != IRI_OK || step != IRI_STEP_FOUND || to == part.len) {
            break;
        }

        status = iri_walk_slash(finder, walk);
        from = to + 1;
        came_from = came_to < finder->octets.len ? came_to + 1 : came_to;
    }

    return status == IRI_OK
               ? iri_walk_end(finder, walk, step, part, from, mixed)
               : status;
}


/* ---- further readings ---------------------------------------------------- */

/* Offset of what follows the n-th last "/"; 0 if there are fewer. */
static size_t
iri_after_slash(iri_str_t s, size_t n)
{
    size_t i;

    for (i = s.len; i > 0; i--) {
        if (s.data[i - 1] == '/' && --n == 0) {
            return i;
        }
    }

    return 0;
}


/*
 * The octets that part came as.  They are known where part is the tail of
 * the path that was read, from the border of a segment on.
 */
static iri_str_t
iri_octets_of_part(const iri_search_t *search, iri_str_t part)
{
    const iri_reading_t *reading = search->reading;
    iri_str_t            none = { 0, NULL };
    size_t               at, from, slashes;

    if (reading == NULL || reading->form == IRI_FORM_ASCII
        || reading->form == IRI_FORM_INVALID
        || part.len > reading->path.len)
    {
        return none;
    }

    at = reading->path.len - part.len;

    if (!iri_str_equal(iri_str_from(reading->path, at), part)
        || (at != 0 && part.data[0] != '/'
            && reading->path.data[at - 1] != '/'))
    {
        return none;
    }

    slashes = iri_str_count(part, '/');
    from = iri_after_slash(reading->octets, slashes
                                            + (part.data[0] != '/'));

    if (part.data[0] == '/' && from != 0) {
        from--;
    }

    return iri_str_from(reading->octets, from);
}


/* The octets of part in one charset; *read 0: it does not read them. */
static iri_status_t
iri_part_read(iri_finder_t *finder, const iri_charset_t *charset,
              iri_buf_t *out, int *read)
{
    iri_source_t source = iri_source_of(finder);
    iri_status_t status;
    iri_why_t    why;
    size_t       from, to;

    *read = 0;

    for (from = 0; ; from = to + 1) {
        to = iri_segment_end(finder->octets, from);

        status = iri_segment_read(finder->env, charset, &source, from, to,
                                  out, NULL, &why);
        if (status != IRI_OK || why != IRI_WHY_READ) {
            return status;
        }

        if (to == finder->octets.len) {
            *read = 1;
            return IRI_OK;
        }

        status = iri_buf_putc(finder->env, out, '/');
        if (status != IRI_OK) {
            return status;
        }
    }
}


/*
 * Is there more than one way to read some segment?  A legacy path in one
 * charset, none of whose segments is UTF-8, has one reading.
 */
static iri_status_t
iri_further_look_for(iri_finder_t *finder)
{
    const iri_charsets_t *list;
    iri_source_t          source = iri_source_of(finder);
    iri_buf_t             out = IRI_BUF_EMPTY;
    iri_status_t          status;
    iri_why_t             why;
    iri_str_t             segment;
    size_t                from, to, i, readings;

    if (finder->octets.len == 0) {
        return IRI_OK;
    }

    list = &finder->search->reading->conf->charsets;

    for (from = 0; from <= finder->octets.len && !finder->further;
         from = to + 1)
    {
        to = iri_segment_end(finder->octets, from);

        segment.data = finder->octets.data + from;
        segment.len = to - from;

        if (iri_is_ascii(segment, 0)) {
            continue;
        }

        for (readings = 0, i = 0; i <= list->count; i++) {
            status = iri_segment_read(finder->env,
                                      i == 0 ? &iri_charset_utf8
                                             : list->at[i - 1],
                                      &source, from, to, &out, NULL, &why);
            if (status != IRI_OK) {
                return status;
            }

            readings += why == IRI_WHY_READ;
        }

        finder->further = readings > 1;
    }

    return IRI_OK;
}


/* A reading that differs from the first, and leads to something. */
static iri_status_t
iri_try_further(iri_finder_t *finder, iri_walk_t *walk, iri_str_t *charset)
{
    const iri_charsets_t *list = &finder->search->reading->conf->charsets;
    iri_buf_t             part;
    iri_status_t          status;
    size_t                i;
    int                   read;

    for (i = 0; i < list->count && !finder->stopped; i++) {

        memset(&part, 0, sizeof(part));

        status = iri_part_read(finder, list->at[i], &part, &read);
        if (status != IRI_OK) {
            return status;
        }

        if (!read || iri_str_equal(iri_buf_str(&part), finder->part)) {
            continue;
        }

        iri_logf(finder->env, IRI_LOG_TRACE, "further reading %s",
                 (const char *) iri_charset_name(list->at[i]).data);

        status = iri_walk(finder, iri_buf_str(&part), 0, walk);

        if (status != IRI_OK || (walk->found && !walk->refused)) {
            *charset = iri_charset_name(list->at[i]);
            walk->why = IRI_WHY_FURTHER;
            return status;
        }

        walk->found = 0;
    }

    if (finder->stopped) {
        return IRI_OK;
    }

    iri_logf(finder->env, IRI_LOG_TRACE, "%s",
             "a charset for each segment");

    status = iri_walk(finder, finder->octets, 1, walk);

    walk->found = walk->found && !walk->refused;
    walk->why = IRI_WHY_MIXED;
    *charset = iri_charset_mixed;

    return status;
}


/* ---- the answer ---------------------------------------------------------- */

/* What the request itself asked to be forgiven. */
static iri_match_t
iri_match_of_request(const iri_reading_t *reading)
{
    if (reading == NULL) {
        return IRI_MATCH_EXACT;
    }

    if (reading->form == IRI_FORM_LEGACY) {
        return IRI_MATCH_CHARSET;
    }

    return iri_str_equal(reading->path, reading->octets)
               ? IRI_MATCH_EXACT
               : IRI_MATCH_NORMALIZATION;
}


/* The canonical path of what a walk found, with what root stands for. */
static iri_status_t
iri_walk_path(const iri_finder_t *finder, const iri_walk_t *walk,
              iri_str_t *path)
{
    iri_buf_t    whole = IRI_BUF_EMPTY;
    iri_status_t status;

    status = iri_buf_put(finder->env, &whole, finder->search->path.data,
                         finder->search->prefix);

    if (status == IRI_OK) {
        status = iri_buf_put(finder->env, &whole, walk->names.data,
                             walk->names.len);
    }

    if (status == IRI_OK) {
        *path = iri_buf_str(&whole);
    }

    return status;
}


static iri_status_t
iri_filename_end(const iri_finder_t *finder, iri_walk_t *walk,
                 iri_str_t *filename)
{
    iri_status_t status;

    status = iri_buf_putc(finder->env, &walk->disk, '\0');
    if (status != IRI_OK) {
        return status;
    }

    walk->disk.len--;
    *filename = iri_buf_str(&walk->disk);

    return IRI_OK;
}


/* No look is needed, or none may be made: the path as it stands. */
static iri_status_t
iri_find_pass(const iri_finder_t *finder, iri_why_t why, iri_found_t *found)
{
    iri_walk_t   walk;
    iri_status_t status;
    iri_str_t    root = finder->search->root;

    memset(&walk, 0, sizeof(walk));

    status = iri_buf_put(finder->env, &walk.disk, root.data, root.len);

    if (status == IRI_OK) {
        status = iri_buf_put(finder->env, &walk.disk, finder->part.data,
                             finder->part.len);
    }

    if (status == IRI_OK) {
        status = iri_filename_end(finder, &walk, &found->filename);
    }

    found->answer = IRI_PASS;
    found->why = why;

    return status;
}


static iri_status_t
iri_find_done(const iri_finder_t *finder, iri_walk_t *walk,
              iri_found_t *found)
{
    iri_status_t status;

    status = iri_filename_end(finder, walk, &found->filename);
    if (status != IRI_OK) {
        return status;
    }

    if (walk->refused) {
        found->answer = IRI_REFUSE;
        found->why = walk->why;
        return IRI_OK;
    }

    if (!walk->found) {
        found->answer = IRI_PASS;
        found->why = finder->stopped ? finder->why : IRI_WHY_ABSENT;
        return IRI_OK;
    }

    iri_forgive(walk, iri_match_of_request(finder->search->reading));

    status = iri_walk_path(finder, walk, &found->path);

    found->match = walk->match;
    found->answer = iri_str_equal(found->path, finder->search->path)
                        ? IRI_SERVE
                        : IRI_MOVED;
    found->why = walk->why != IRI_WHY_NOTHING ? walk->why : IRI_WHY_FOUND;

    return status;
}


/* ---- finding ------------------------------------------------------------- */

static int
iri_is_declared_nfc(const iri_tree_conf_t *tree)
{
    return tree->names == IRI_NAMES_NFC && tree->charsets.count == 1
           && iri_charset_is_utf8(tree->charsets.at[0]);
}


/* Is every segment of part its own canonical form? */
static iri_status_t
iri_part_is_canonical(iri_finder_t *finder, int *canonical)
{
    const iri_reading_t *reading = finder->search->reading;
    iri_finder_t         as_is = *finder;
    iri_buf_t            out = IRI_BUF_EMPTY;
    iri_status_t         status;

    /* The reading's own path is, without another look at it. */
    if (reading != NULL && reading->form != IRI_FORM_INVALID
        && iri_str_equal(finder->search->path, reading->path))
    {
        *canonical = 1;
        return IRI_OK;
    }

    as_is.octets = finder->part;

    status = iri_part_read(&as_is, &iri_charset_utf8, &out, canonical);

    *canonical = *canonical && iri_str_equal(iri_buf_str(&out), finder->part);

    return status;
}


/*
 * The exact octets of the whole part: one look for what is nearly always
 * there.  Only where these octets are that name: the first charset of the
 * tree is UTF-8.
 */
static iri_status_t
iri_find_exact(iri_finder_t *finder, iri_walk_t *walk)
{
    const iri_tree_conf_t *tree = finder->tree;
    iri_str_t              root = finder->search->root;
    iri_node_t             node;
    iri_status_t           status;

    memset(walk, 0, sizeof(*walk));

    if (!iri_charset_is_utf8(tree->charsets.at[0])
        || tree->names == IRI_NAMES_NFD)
    {
        return IRI_OK;
    }

    status = iri_buf_put(finder->env, &walk->disk, root.data, root.len);

    if (status == IRI_OK) {
        status = iri_walk_put(finder, walk, finder->part, finder->part);
    }

    if (status == IRI_OK) {
        status = iri_look(finder, &walk->disk, &node);
    }

    if (status == IRI_OK
        && (node.kind == IRI_NODE_DIR || node.kind == IRI_NODE_OTHER))
    {
        walk->found = 1;
        walk->match = IRI_MATCH_EXACT;
    }

    return status;
}


static iri_status_t
iri_find_part(iri_finder_t *finder, int canonical, iri_found_t *found)
{
    iri_walk_t   walk, further;
    iri_status_t status = IRI_OK;

    memset(&walk, 0, sizeof(walk));

    if (canonical) {
        status = iri_find_exact(finder, &walk);
    }

    if (status == IRI_OK && !walk.found) {
        status = iri_further_look_for(finder);

        if (status == IRI_OK) {
            status = iri_walk(finder, finder->part, 0, &walk);
        }
    }

    if (status != IRI_OK) {
        return status;
    }

    if (!walk.found && finder->further && !finder->stopped) {
        status = iri_try_further(finder, &further, &found->charset);
        if (status != IRI_OK) {
            return status;
        }

        if (further.found) {
            return iri_find_done(finder, &further, found);
        }

        found->charset = finder->search->reading->charset;
    }

    return iri_find_done(finder, &walk, found);
}


iri_status_t
iri_find(const iri_env_t *env, const iri_search_t *search, iri_found_t *out)
{
    iri_finder_t finder;
    iri_found_t  found;
    iri_status_t status;
    int          canonical;

    memset(&finder, 0, sizeof(finder));
    finder.env = env;
    finder.search = search;
    finder.tree = search->tree;
    finder.part = iri_str_from(search->path, search->prefix);

    memset(&found, 0, sizeof(found));
    found.path = search->path;

    if (search->reading != NULL) {
        found.charset = search->reading->charset;
    }

    /* The C library would look at another path. */
    if (finder.part.len != 0
        && memchr(finder.part.data, '\0', finder.part.len) != NULL)
    {
        status = iri_find_pass(&finder, IRI_WHY_UNWRITABLE, &found);
        found.answer = IRI_REFUSE;
        goto done;
    }

    if (env->dir == NULL || iri_is_ascii(finder.part, 0)) {
        status = iri_find_pass(&finder, IRI_WHY_ASCII, &found);
        goto done;
    }

    status = iri_part_is_canonical(&finder, &canonical);
    if (status != IRI_OK) {
        return status;
    }

    finder.octets = iri_octets_of_part(search, finder.part);

    if (canonical && iri_is_declared_nfc(search->tree)) {

        /* Who declares the names has said that UTF-8 is the right reading. */
        if (search->reading != NULL
            && search->reading->form == IRI_FORM_LEGACY)
        {
            status = iri_further_look_for(&finder);
            if (status != IRI_OK) {
                return status;
            }
        }

        if (!finder.further) {
            status = iri_find_pass(&finder, IRI_WHY_DECLARED, &found);
            goto done;
        }
    }

    status = iri_find_part(&finder, canonical, &found);

done:

    if (status == IRI_OK) {
        *out = found;
    }

    return status;
}


iri_status_t
iri_found_split(const iri_env_t *env, const iri_search_t *search,
                const iri_found_t *found, iri_str_t *filename,
                iri_str_t *path_info)
{
    iri_finder_t finder;
    iri_buf_t    path = IRI_BUF_EMPTY;
    iri_node_t   node;
    iri_status_t status;
    size_t       root = search->root.len, slashes = 0, from;

    memset(&finder, 0, sizeof(finder));
    finder.env = env;

    status = iri_buf_put(env, &path, found->filename.data,
                         found->filename.len);

    while (status == IRI_OK) {

        status = iri_look(&finder, &path, &node);

        if (status != IRI_OK || finder.stopped || node.kind == IRI_NODE_DIR
            || node.kind == IRI_NODE_OTHER || path.len <= root)
        {
            break;
        }

        while (path.len > root && path.data[path.len - 1] != '/') {
            path.len--;
        }

        /* Root itself may end in "/", which stays. */
        path.len -= path.len > root;
        slashes++;
    }

    if (status != IRI_OK) {
        return status;
    }

    from = found->path.len;
    if (slashes != 0) {
        from = iri_after_slash(found->path, slashes);
        from -= from != 0;
    }

    *filename = iri_buf_str(&path);
    *path_info = iri_str_from(found->path, from);

    return IRI_OK;
}
