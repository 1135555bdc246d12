/*
 * iri_find.c - finds the entry that a canonical path names
 *
 * Walks down the tree in the first reading of the request, then in its
 * alternative readings, then with differences ignored (folded), then with
 * encoding errors repaired. All walks share one budget. One entry is selected
 * for a segment before the next segment is looked up, so that combinations of
 * candidates are never tried. iri_path_walk.c walks down a path.
 * iri_alternative_reading.c tries the alternative readings.
 */

#include <string.h>

#include "tree/iri_tree.h"


/* ---- the result ---------------------------------------------------------- */

/* Return the difference between the path as sent and its canonical form. */
static iri_match_t
iri_match_of_request(const iri_reading_t *reading)
{
    if (reading == NULL) {
        return IRI_MATCH_EXACT;
    }

    if (reading->form == IRI_FORM_LEGACY) {
        return IRI_MATCH_CHARSET;
    }

    if (reading->form == IRI_FORM_MOJIBAKE) {
        return IRI_MATCH_REPAIR;
    }

    return iri_str_equal(reading->path, reading->octets)
               ? IRI_MATCH_EXACT
               : IRI_MATCH_NORMALIZATION;
}


/*
 * Set *path to the canonical path of a walk: the prefix of search->path, which
 * root replaces on disk, and walk->names.
 */
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


/* Set *filename to walk->disk, followed by a NUL that is not counted. */
static iri_status_t
iri_walk_filename(const iri_finder_t *finder, iri_walk_t *walk,
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


/*
 * Set the verdict PASS and the file name root and part: no lookup is needed, or
 * none is allowed.
 */
static iri_status_t
iri_found_set_pass(const iri_finder_t *finder, iri_why_t why,
                   iri_found_t *found)
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
        status = iri_walk_filename(finder, &walk, &found->filename);
    }

    found->verdict = IRI_PASS;
    found->why = why;

    return status;
}


/* Set the result for an entry that exists. Its path may be another one. */
static iri_status_t
iri_found_set_entry(const iri_finder_t *finder, iri_walk_t *walk,
                    iri_found_t *found)
{
    iri_status_t status;

    iri_walk_raise_match(walk, iri_match_of_request(finder->search->reading));

    status = iri_walk_path(finder, walk, &found->path);

    found->match = walk->match;
    found->verdict = iri_str_equal(found->path, finder->search->path)
                         ? IRI_SERVE
                         : IRI_RESTART;
    found->why = walk->why != IRI_WHY_NONE ? walk->why : IRI_WHY_FOUND;

    return status;
}


/*
 * Set the result for an entry that does not exist. If the walk went through a
 * directory of another name (a vendor variant, an alternative reading), the
 * request restarts, so that the rules judge that name before anything is
 * created in the directory or disclosed about it.
 */
static iri_status_t
iri_found_set_absent(const iri_finder_t *finder, iri_walk_t *walk,
                     iri_found_t *found)
{
    if (iri_str_equal(iri_buf_str(&walk->names), finder->part)) {
        found->verdict = IRI_PASS;
        found->why = finder->stopped ? finder->why : IRI_WHY_ABSENT;
        return IRI_OK;
    }

    if (finder->stopped) {
        found->verdict = IRI_REFUSE;
        found->why = finder->why;
        return IRI_OK;
    }

    found->verdict = IRI_RESTART;
    found->match = walk->match;
    found->why = walk->match >= IRI_MATCH_WIDTH ? IRI_WHY_PARENT_RENAMED
                 : walk->why != IRI_WHY_NONE    ? walk->why
                                                : IRI_WHY_READ;

    return iri_walk_path(finder, walk, &found->path);
}


/* Set *found to the result of a walk that is not ambiguous. */
static iri_status_t
iri_found_set_walk(const iri_finder_t *finder, iri_walk_t *walk,
                   iri_found_t *found)
{
    iri_status_t status;

    status = iri_walk_filename(finder, walk, &found->filename);
    if (status != IRI_OK) {
        return status;
    }

    /*
     * If the path goes through a directory of another name, the rules must
     * judge that name first.
     */
    if (walk->refused
        && (!walk->unwritable || finder->stopped
            || iri_str_equal(iri_buf_str(&walk->names), finder->part)))
    {
        found->verdict = IRI_REFUSE;
        found->why = finder->stopped && walk->why >= IRI_WHY_FOUND
                             && walk->why <= IRI_WHY_PARENT_RENAMED
                         ? finder->why
                         : walk->why;
        return IRI_OK;
    }

    return walk->found ? iri_found_set_entry(finder, walk, found)
                       : iri_found_set_absent(finder, walk, found);
}


/* ---- ambiguous names ----------------------------------------------------- */

/* Append the path with the i-th candidate to the choices, if it exists. */
static iri_status_t
iri_choice_add(iri_finder_t *finder, const iri_walk_t *walk, size_t i,
               iri_found_t *found)
{
    iri_buf_t    part = IRI_BUF_EMPTY;
    iri_str_t    rest = walk->unresolved_tail;
    iri_str_t    path;
    iri_walk_t   chosen;
    iri_node_t   node;
    iri_status_t status;

    rest = iri_str_from(rest, iri_segment_end(rest, 0));
    memset(&chosen, 0, sizeof(chosen));

    status = iri_buf_put(finder->env, &part, walk->names.data,
                         walk->names.len);

    if (status == IRI_OK) {
        status = iri_buf_put(finder->env, &part,
                             walk->candidates.name[i].data,
                             walk->candidates.name[i].len);
    }

    if (status == IRI_OK) {
        status = iri_buf_put(finder->env, &part, rest.data, rest.len);
    }

    /* A name in a fresh index exists; the rest below it must be looked up. */
    if (status == IRI_OK && rest.len == 0 && walk->candidates.fresh) {
        chosen.names = part;
        chosen.found = 1;

    } else if (status == IRI_OK) {
        status = iri_walk(finder, iri_buf_str(&part), IRI_PART_ANY, &chosen);
    }

    if (status != IRI_OK || !chosen.found) {
        return status;
    }

    /* "name/" must be a directory. */
    if (rest.len == 1) {
        status = iri_finder_stat(finder, &chosen.disk, &node);

        if (status != IRI_OK || node.kind != IRI_NODE_DIR) {
            return status;
        }
    }

    status = iri_walk_path(finder, &chosen, &path);
    if (status == IRI_OK) {
        found->choices[found->count++] = path;
    }

    return status;
}


static void
iri_choices_sort(iri_str_t *choices, size_t count)
{
    iri_str_t swap;
    size_t    i, k;

    for (i = 1; i < count; i++) {
        for (k = i; k > 0 && iri_str_compare(choices[k - 1], choices[k]) > 0;
             k--) {
            swap = choices[k];
            choices[k] = choices[k - 1];
            choices[k - 1] = swap;
        }
    }
}


/*
 * Set the result for a segment that is ambiguous: no entry is selected. The
 * choices are listed only if iri_ambiguous is 300. If their directory has
 * another name than requested, the request restarts first, so that the rules
 * judge that name.
 */
static iri_status_t
iri_found_set_ambiguous(iri_finder_t *finder, iri_walk_t *walk,
                        iri_found_t *found)
{
    iri_str_t    rest = walk->unresolved_tail;
    iri_walk_t   moved = *walk;
    iri_status_t status;
    size_t       i;

    status = iri_walk_filename(finder, walk, &found->filename);

    if (status == IRI_OK) {
        status = iri_buf_put(finder->env, &moved.names, rest.data, rest.len);
    }

    if (status == IRI_OK) {
        status = iri_walk_path(finder, &moved, &found->path);
    }

    found->why = IRI_WHY_AMBIGUOUS;
    found->match = walk->match;
    found->verdict = iri_str_equal(found->path, finder->search->path)
                         ? IRI_CHOOSE
                         : IRI_RESTART;

    if (status != IRI_OK || found->verdict == IRI_RESTART
        || walk->tree->ambiguous != IRI_AMBIGUOUS_300)
    {
        return status;
    }

    found->choices = finder->env->alloc(
        finder->env->ctx, IRI_MAX_CHOICES * sizeof(*found->choices));
    if (found->choices == NULL) {
        return IRI_NO_MEMORY;
    }

    for (i = 0; status == IRI_OK && i < walk->candidates.count; i++) {
        status = iri_choice_add(finder, walk, i, found);
    }

    /*
     * Offer no choices if the list may be incomplete. In a directory without
     * a complete index only choices with the exact name are found. A list of
     * these would disclose the contents of that directory.
     */
    if (finder->stopped || finder->incomplete) {
        found->count = 0;
    }

    found->more = walk->candidates.more;
    iri_choices_sort(found->choices, found->count);

    return status;
}


/* ---- finding ------------------------------------------------------------- */

int
iri_method_writes(iri_str_t method)
{
    static const char *const reads[] = { "GET",     "HEAD",  "POST",
                                         "OPTIONS", "TRACE", "PROPFIND",
                                         "REPORT",  "SEARCH" };
    size_t                   i;

    for (i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        if (method.len == strlen(reads[i])
            && memcmp(method.data, reads[i], method.len) == 0)
        {
            return 0;
        }
    }

    return 1;
}


/* Set *canonical to 1 if each segment of part is its own canonical form. */
static iri_status_t
iri_part_is_canonical(const iri_finder_t *finder, int *canonical)
{
    const iri_reading_t *reading = finder->search->reading;
    iri_source_t         source = { finder->part, NULL, 0, 0 };
    iri_buf_t            out = IRI_BUF_EMPTY;
    iri_status_t         status;

    if (finder->graphic) {
        *canonical = 1;
        return IRI_OK;
    }

    /* The path of the reading is known to be canonical. */
    if (reading != NULL && reading->form != IRI_FORM_INVALID
        && iri_str_equal(finder->search->path, reading->path))
    {
        *canonical = 1;
        return IRI_OK;
    }

    status = iri_finder_read(finder, &iri_charset_utf8, source, &out,
                             canonical);

    *canonical = *canonical && iri_str_equal(iri_buf_str(&out), finder->part);

    return status;
}


/*
 * Append the part to disk, in the octets that its tree tries first. *match: the
 * difference between its names and these octets; NONE: the tree cannot write a
 * name.
 */
static iri_status_t
iri_part_put(iri_finder_t *finder, iri_buf_t *disk, iri_match_t *match)
{
    iri_str_t    part = finder->part;
    size_t       root = disk->len;
    iri_status_t status;
    int          written;

    *match = IRI_MATCH_NONE;

    if (finder->verbatim) {
        *match = IRI_MATCH_EXACT;
        return iri_buf_put(finder->env, disk, part.data, part.len);
    }

    status = iri_names_write(finder, part, disk, &written);

    if (status == IRI_OK && written) {
        *match = iri_match_of_octets(
            finder->tree, 0, iri_str_from(iri_buf_str(disk), root), part);
    }

    return status;
}


/*
 * Stat the whole part as its tree writes it: in nearly every request this path
 * exists, and then the directories in it need no stat. *done: 1 if *found is
 * the result.
 */
static iri_status_t
iri_find_exact(iri_finder_t *finder, iri_found_t *found, int *done)
{
    iri_str_t    root = finder->search->root;
    iri_buf_t    disk = IRI_BUF_EMPTY;
    iri_node_t   node;
    iri_match_t  match = IRI_MATCH_NONE, sent;
    iri_status_t status;

    *done = 0;

    /* Several trees may write the part in different charsets. */
    if (!finder->verbatim && finder->search->settings_of != NULL) {
        return IRI_OK;
    }

    status = iri_buf_reserve(finder->env, &disk,
                             root.len + finder->part.len + 1);

    if (status == IRI_OK) {
        (void) iri_buf_put(finder->env, &disk, root.data, root.len);
        status = iri_part_put(finder, &disk, &match);
    }

    if (status != IRI_OK || match == IRI_MATCH_NONE) {
        return status;
    }

    if (finder->search->absent && finder->verbatim) {
        finder->missing_path.path = iri_buf_str(&disk);
        return IRI_OK;
    }

    status = iri_finder_stat(finder, &disk, &node);

    if (status != IRI_OK) {
        return status;
    }

    found->filename = iri_buf_str(&disk);

    if (finder->stopped) {
        *done = 1;
        found->verdict = IRI_PASS;
        found->why = finder->why;

    } else if (node.kind == IRI_NODE_DIR || node.kind == IRI_NODE_OTHER) {
        sent = iri_match_of_request(finder->search->reading);
        *done = 1;
        found->verdict = IRI_SERVE;
        found->why = IRI_WHY_FOUND;
        found->match = sent > match ? sent : match;

    } else {
        finder->missing_path.path = found->filename;
        finder->missing_path.kind = node.kind;
    }

    return IRI_OK;
}


/*
 * Try the alternative readings unless the first reading was found.
 * best->charset stays empty if none of them leads deeper.
 */
static iri_status_t
iri_find_alternatives(iri_finder_t *finder, iri_alternative_reading_t *best)
{
    iri_alternative_reading_t first = *best;
    iri_status_t              status;

    if (best->walk.found || best->walk.candidates.count != 0
        || !finder->has_alternatives || finder->stopped)
    {
        return IRI_OK;
    }

    status = iri_alternative_reading_try(finder, best);

    /*
     * If the search was stopped, an alternative that was found only in part is
     * not used.
     */
    if (status == IRI_OK && finder->stopped && !best->walk.found) {
        *best = first;
    }

    return status;
}


/*
 * Return 1 if a stat has shown that the path with the octets of the part does
 * not exist.
 */
static int
iri_finder_exact_is_absent(const iri_finder_t *finder)
{
    return finder->verbatim && finder->missing_path.path.len != 0
           && finder->missing_path.kind == IRI_NODE_ABSENT;
}


/* Return the offset of the last segment that is not empty. */
static size_t
iri_last_segment_offset(iri_str_t part)
{
    size_t i = part.len;

    while (i > 0 && part.data[i - 1] == '/') {
        i--;
    }

    while (i > 0 && part.data[i - 1] != '/') {
        i--;
    }

    return i;
}


/*
 * Stat the parent directory, part up to offset last, by its exact octets: it
 * nearly always exists. *from is last if it does, else 0.
 */
static iri_status_t
iri_parent_stat(iri_finder_t *finder, size_t last, size_t *from)
{
    iri_buf_t    path = IRI_BUF_EMPTY;
    iri_str_t    root = finder->search->root;
    iri_node_t   node;
    iri_status_t status;

    *from = 0;

    status = iri_buf_reserve(finder->env, &path, root.len + last + 1);

    if (status == IRI_OK) {
        (void) iri_buf_put(finder->env, &path, root.data, root.len);
        (void) iri_buf_put(finder->env, &path, finder->part.data, last);
        status = iri_finder_stat_directory(finder, &path, &node);
    }

    if (status == IRI_OK && node.kind == IRI_NODE_DIR) {
        finder->known_directory = iri_buf_str(&path);
        finder->known_node = node;
        *from = last;
    }

    return status;
}


/*
 * An alternative reading has led to a directory, which gets the request. So
 * names are folded only in this reading.
 */
static iri_status_t
iri_find_folded_below(iri_finder_t *finder, iri_alternative_reading_t *best)
{
    iri_walk_t   walk;
    iri_status_t status;

    status = iri_walk(finder, iri_buf_str(&best->walk.names), IRI_PART_ANY,
                      &walk);

    if (status != IRI_OK || finder->stopped
        || (walk.refused && !walk.unwritable)) {
        return status;
    }

    iri_walk_raise_match(&walk, best->walk.match);

    if (walk.why == IRI_WHY_NONE) {
        walk.why = best->walk.why;
    }

    best->walk = walk;

    return IRI_OK;
}


/*
 * No entry has the exact name. Look up the nearest one, again in each reading
 * in order.
 */
static iri_status_t
iri_find_folded(iri_finder_t *finder, iri_alternative_reading_t *best)
{
    iri_alternative_reading_t folded;
    iri_status_t              status;
    size_t                    from, last;

    finder->folding = 1;
    iri_settings_apply(finder);

    if (best->charset.len != 0) {
        return iri_find_folded_below(finder, best);
    }

    memset(&folded, 0, sizeof(folded));

    from = 0;
    last = iri_last_segment_offset(finder->part);

    /*
     * If the exact path does not exist, but its parent directory does, only the
     * index of that directory is searched.
     */
    status = iri_finder_exact_is_absent(finder) && last > 1
                 ? iri_parent_stat(finder, last, &from)
                 : IRI_OK;

    if (status == IRI_OK) {
        status = from != 0 ? iri_walk_from(finder, finder->part, finder->kind,
                                           from, &folded.walk)
                           : iri_walk(finder, finder->part, finder->kind,
                                      &folded.walk);
    }

    if (status == IRI_OK) {
        status = iri_find_alternatives(finder, &folded);
    }

    if (status == IRI_OK) {
        *best = folded;
    }

    return status;
}


/*
 * Return 1 if names may be folded. A method that writes may ignore width, but
 * not case, accents or spelling.
 */
static int
iri_may_fold(const iri_finder_t *finder)
{
    unsigned ignored = finder->match & IRI_FOLD_INDEXED;

    if (finder->search->write) {
        ignored &= IRI_FOLD_WIDTH;
    }

    return ignored != 0;
}


static int
iri_needs_folding(const iri_finder_t *finder, const iri_walk_t *walk)
{
    return iri_may_fold(finder) && !walk->found && !finder->stopped
           && (!walk->refused || walk->unwritable);
}


/*
 * Return 1 if directories whose octets on disk are those of the part before
 * offset last also have these names.
 */
static int
iri_finder_parent_is_verbatim(const iri_finder_t *finder, size_t last)
{
    iri_str_t parent = { last, finder->part.data };

    return iri_finder_exact_is_absent(finder)
           || iri_is_same_on_disk(finder->match, parent);
}


/*
 * Start the walk at the parent directory if that exists: it must be stat'ed for
 * its index anyway, and the directories above it need not be stat'ed then.
 */
static iri_status_t
iri_walk_from_parent(iri_finder_t *finder, iri_walk_t *walk)
{
    iri_status_t status = IRI_OK;
    size_t       from = 0, last = iri_last_segment_offset(finder->part);

    /*
     * NOT_DIR: the parent or a path above it is a file. The walk finds out
     * which of them.
     */
    if (last != 0 && finder->search->cache != NULL
        && finder->missing_path.kind != IRI_NODE_NOT_DIR
        && iri_finder_parent_is_verbatim(finder, last))
    {
        status = iri_parent_stat(finder, last, &from);
    }

    if (status != IRI_OK) {
        return status;
    }

    return from != 0
               ? iri_walk_from(finder, finder->part, finder->kind, from, walk)
               : iri_walk(finder, finder->part, finder->kind, walk);
}


/* Walk in the first reading, then in the alternative ones. */
static iri_status_t
iri_walk_readings(iri_finder_t *finder, iri_alternative_reading_t *best)
{
    iri_status_t status;

    status = iri_walk(finder, finder->part, finder->kind, &best->walk);

    return status == IRI_OK ? iri_find_alternatives(finder, best) : status;
}


/*
 * Look up the exact names, in each reading. If there is only one reading and
 * names are folded, do nothing: the folded lookup uses indexes that contain
 * the exact names too.
 */
static iri_status_t
iri_find_unfolded(iri_finder_t *finder, iri_alternative_reading_t *best)
{
    iri_status_t status;

    if (iri_is_same_on_disk(finder->match, finder->part)) {
        return IRI_OK;
    }

    status = iri_alternative_reading_check(finder);

    if (status != IRI_OK
        || (!finder->has_alternatives && iri_may_fold(finder))) {
        return status;
    }

    return finder->has_alternatives
               ? iri_walk_readings(finder, best)
               : iri_walk_from_parent(finder, &best->walk);
}


/* Return 1 if a repair may be tried: not for a method that writes. */
static int
iri_needs_repair(const iri_finder_t *finder, const iri_walk_t *walk)
{
    return finder->repairs != 0 && !finder->search->write && !walk->found
           && walk->candidates.count == 0 && !finder->stopped
           && (!walk->refused || walk->unwritable);
}


/*
 * Use a repaired walk only if it leads below the deepest entry that was found
 * without repair. As for alternative readings, the last segments need not
 * exist: the request restarts, so that the rules judge the repaired path
 * first.
 */
static void
iri_repair_keep(const iri_finder_t *finder, const iri_walk_t *walk,
                iri_alternative_reading_t *best)
{
    const iri_walk_t *other = &best->walk;
    size_t            len = other->deepest;

    if (!walk->repaired || (walk->refused && !walk->unwritable)
        || (other->depth != 0
            && (walk->deepest <= len || walk->disk.data[len] != '/'
                || memcmp(walk->disk.data, other->disk.data, len) != 0)))
    {
        return;
    }

    best->walk = *walk;
    best->charset = iri_charset_name(&iri_charset_utf8);
    best->repaired = iri_repair_form(finder->repairing);
}


/* Try one kind of repair in the whole path. */
static iri_status_t
iri_repair_try(iri_finder_t *finder, unsigned how,
               iri_alternative_reading_t *best)
{
    iri_str_t    octets = finder->part;
    iri_walk_t   walk;
    iri_status_t status;
    int          possible;

    if (how == IRI_REPAIR_MOJIBAKE && finder->octets.len != 0) {
        octets = finder->octets;
    }

    status = iri_repair_is_possible(finder->env, how, octets, &possible);
    if (status != IRI_OK || !possible) {
        return status;
    }

    iri_logf(finder->env, IRI_LOG_TRACE, "repairing %s",
             iri_form_text(iri_repair_form(how)));

    finder->repairing = how;
    iri_settings_apply(finder);
    status = iri_walk(finder, finder->part, finder->kind, &walk);

    if (status == IRI_OK) {
        iri_repair_keep(finder, &walk, best);
    }

    finder->repairing = 0;

    return status;
}


/*
 * Try each kind of repair by itself. The first one that finds an entry gets
 * the request.
 */
static iri_status_t
iri_find_repaired(iri_finder_t *finder, iri_alternative_reading_t *best)
{
    iri_alternative_reading_t first = *best;
    iri_status_t              status = IRI_OK;
    unsigned                  how;
    int                       folding = finder->folding;

    finder->folding = 0;

    for (how = IRI_REPAIR_DOUBLE;
         status == IRI_OK && how <= IRI_REPAIR_PLUS && !finder->stopped
         && best->repaired == IRI_FORM_ASCII;
         how <<= 1)
    {
        if (finder->repairs & how) {
            status = iri_repair_try(finder, how, best);
        }
    }

    finder->folding = folding;
    iri_settings_apply(finder);

    /* As in iri_find_alternatives(). */
    if (status == IRI_OK && !best->walk.found && finder->stopped) {
        *best = first;
    }

    return status;
}


static iri_status_t
iri_find_by_walks(iri_finder_t *finder, iri_found_t *found)
{
    iri_alternative_reading_t best;
    iri_status_t              status;

    memset(&best, 0, sizeof(best));
    finder->octets = iri_finder_octets(finder->search, finder->part);

    status = iri_find_unfolded(finder, &best);

    if (status == IRI_OK && iri_needs_folding(finder, &best.walk)) {
        status = iri_find_folded(finder, &best);
    }

    if (status == IRI_OK && iri_needs_repair(finder, &best.walk)) {
        status = iri_find_repaired(finder, &best);
    }

    if (status != IRI_OK) {
        return status;
    }

    /* No walk gave a result: the path is ASCII and its names do not fold. */
    if (best.walk.disk.data == NULL) {
        return iri_found_set_pass(
            finder, finder->stopped ? finder->why : IRI_WHY_ABSENT, found);
    }

    if (best.charset.len != 0) {
        found->charset = best.charset;
        found->repaired = best.repaired;
    }

    return best.walk.candidates.count != 0
               ? iri_found_set_ambiguous(finder, &best.walk, found)
               : iri_found_set_walk(finder, &best.walk, found);
}


static iri_status_t
iri_find_part(iri_finder_t *finder, int canonical, iri_found_t *found)
{
    iri_status_t status = IRI_OK;
    int          done = 0;

    if (canonical) {
        status = iri_find_exact(finder, found, &done);
    }

    return status != IRI_OK || done ? status
                                    : iri_find_by_walks(finder, found);
}


/*
 * Return 1 if part contains a NUL, which would end the path for the C
 * library, or a dot-segment, which could leave the root; or if the path is
 * shorter than its prefix.
 */
static int
iri_finder_is_forbidden(const iri_finder_t *finder)
{
    iri_str_t part = finder->part;

    if (finder->search->prefix > finder->search->path.len) {
        return 1;
    }

    return part.len != 0
           && ((!finder->graphic && memchr(part.data, '\0', part.len) != NULL)
               || iri_has_dot_segment(part));
}


/*
 * Set *declared to 1 if the tree is declared to be UTF-8 in NFC, so that no
 * lookup is needed. By this declaration valid UTF-8 is read as UTF-8 only, so
 * only a legacy path with several readings is looked up.
 */
static iri_status_t
iri_finder_is_declared(iri_finder_t *finder, int *declared)
{
    const iri_reading_t *reading = finder->search->reading;
    iri_status_t         status = IRI_OK;

    *declared = finder->declared;

    if (*declared && reading != NULL && reading->form == IRI_FORM_LEGACY) {
        finder->octets = iri_finder_octets(finder->search, finder->part);
        status = iri_alternative_reading_check(finder);
        *declared = !finder->has_alternatives;
    }

    return status;
}


/* Return 1 if iri_read() repaired the path, which had no reading otherwise. */
static int
iri_reading_is_repaired(const iri_search_t *search)
{
    const iri_reading_t *reading = search->reading;

    return reading != NULL && reading->form == IRI_FORM_MOJIBAKE
           && iri_str_equal(search->path, reading->path);
}


/*
 * Return 1 if iri_read() repaired the path, but repair is disabled on this
 * path, or the method writes.
 */
static int
iri_finder_is_unconfirmed(const iri_finder_t *finder)
{
    return iri_reading_is_repaired(finder->search)
           && ((finder->repairs & IRI_REPAIR_MOJIBAKE) == 0
               || finder->search->write);
}


/* iri_needs_lookup() for the settings of all directories on the path. */
static int
iri_finder_needs_lookup(const iri_finder_t *finder)
{
    iri_tree_conf_t any;

    any.match = finder->match;

    return iri_needs_lookup(&any, finder->part);
}


/* iri_find() without the log. */
static iri_status_t
iri_find_in_tree(iri_finder_t *finder, iri_found_t *found)
{
    iri_status_t status;
    int          canonical, declared = 0;

    if (iri_finder_is_forbidden(finder)) {
        status = iri_found_set_pass(finder, IRI_WHY_FORBIDDEN, found);
        found->verdict = IRI_REFUSE;
        return status;
    }

    status = iri_settings_survey(finder);
    if (status != IRI_OK) {
        return status;
    }

    if (iri_finder_is_unconfirmed(finder)) {
        status = iri_found_set_pass(finder, IRI_WHY_UNREADABLE, found);
        found->verdict = IRI_REFUSE;
        return status;
    }

    if (!iri_finder_needs_lookup(finder)) {
        return iri_found_set_pass(finder, IRI_WHY_ASCII, found);
    }

    status = iri_part_is_canonical(finder, &canonical);

    if (status == IRI_OK && canonical) {
        finder->kind = IRI_PART_CANONICAL;
        status = iri_finder_is_declared(finder, &declared);
    }

    if (status != IRI_OK) {
        return status;
    }

    /*
     * An ASCII part that is not canonical contains a control character, so it
     * is not a name, and without folding no entry can be found.
     */
    if (!canonical && iri_is_same_on_disk(finder->match, finder->part)
        && !iri_may_fold(finder))
    {
        return iri_found_set_pass(finder, IRI_WHY_ASCII, found);
    }

    return declared ? iri_found_set_pass(finder, IRI_WHY_DECLARED, found)
                    : iri_find_part(finder, canonical, found);
}


static void
iri_finder_init(iri_finder_t *finder, const iri_env_t *env,
                const iri_search_t *search)
{
    memset(finder, 0, sizeof(*finder));
    finder->env = env;
    finder->search = search;

    if (search->prefix <= search->path.len) {
        finder->part = iri_str_from(search->path, search->prefix);
    }

    finder->graphic = iri_is_graphic(search->path);
}


int
iri_search_needs_lookup(const iri_env_t *env, const iri_search_t *search)
{
    iri_finder_t finder;

    if (search->settings_of == NULL) {
        return iri_needs_lookup(search->tree, search->path);
    }

    iri_finder_init(&finder, env, search);

    return iri_settings_survey(&finder) != IRI_OK
           || iri_finder_needs_lookup(&finder);
}


/* Initialize *found from the search. */
static void
iri_found_init(const iri_search_t *search, iri_found_t *found)
{
    memset(found, 0, sizeof(*found));
    found->path = search->path;

    if (search->reading != NULL) {
        found->charset = search->reading->charset;
    }
}


/* Refuse a repaired path that no entry confirms. */
static void
iri_found_end(const iri_search_t *search, iri_found_t *found)
{
    if (found->verdict == IRI_PASS && iri_reading_is_repaired(search)) {
        found->verdict = IRI_REFUSE;
    }
}


iri_status_t
iri_find(const iri_env_t *env, const iri_search_t *search, iri_found_t *out)
{
    iri_finder_t finder;
    iri_found_t  found;
    iri_status_t status;

    iri_found_init(search, &found);

    iri_trace_stage(env, IRI_STAGE_FINDING, search->root);

    iri_finder_init(&finder, env, search);
    status = iri_find_in_tree(&finder, &found);

    if (status == IRI_OK) {
        iri_found_end(search, &found);
        *out = found;

        iri_trace_verdict(env, found.verdict, found.why);
    }

    return status;
}


int
iri_find_if_exists(const iri_env_t *env, const iri_search_t *search,
                   iri_str_t filename, iri_found_t *out)
{
    const iri_reading_t *reading = search->reading;
    iri_finder_t         finder;
    int                  declared;

    iri_finder_init(&finder, env, search);

    if (iri_finder_is_forbidden(&finder)
        || iri_settings_survey(&finder) != IRI_OK
        || !iri_finder_needs_lookup(&finder) || !finder.verbatim
        || (reading != NULL && reading->form == IRI_FORM_INVALID)
        || iri_finder_is_unconfirmed(&finder))
    {
        return 0;
    }

    declared = finder.declared;

    if (declared && reading != NULL && reading->form == IRI_FORM_LEGACY) {
        return 0;
    }

    memset(out, 0, sizeof(*out));
    out->verdict = declared ? IRI_PASS : IRI_SERVE;
    out->why = declared ? IRI_WHY_DECLARED : IRI_WHY_FOUND;
    out->match = declared ? IRI_MATCH_NONE : iri_match_of_request(reading);
    out->filename = filename;
    out->path = search->path;

    if (reading != NULL) {
        out->charset = reading->charset;
    }

    return 1;
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

    /* An empty root stands for "/", which always exists. */
    while (status == IRI_OK && path.len != 0) {
        status = iri_finder_stat(&finder, &path, &node);

        if (finder.stopped) {
            return IRI_IO_FAILED;
        }

        if (status != IRI_OK || node.kind == IRI_NODE_DIR
            || node.kind == IRI_NODE_OTHER || path.len <= root)
        {
            break;
        }

        while (path.len > root && path.data[path.len - 1] != '/') {
            path.len--;
        }

        /* Remove the "/", unless it is the last octet of root. */
        path.len -= path.len > root;
        slashes++;
    }

    if (status != IRI_OK) {
        return status;
    }

    from = found->path.len;
    if (slashes != 0) {
        from = iri_last_segments_offset(found->path, slashes);
        from -= from != 0;
    }

    if (path.len == 0) {
        status = iri_buf_putc(env, &path, '/');
        if (status != IRI_OK) {
            return status;
        }
    }

    *filename = iri_buf_str(&path);
    *path_info = iri_str_from(found->path, from);

    return IRI_OK;
}


int
iri_depends_on_charsets(const iri_reading_t *reading,
                        const iri_found_t *found, int passed)
{
    if (reading == NULL || reading->form == IRI_FORM_ASCII) {
        return 0;
    }

    /* Until access is granted, the answer must not depend on the lookup. */
    if (!passed || reading->form == IRI_FORM_LEGACY
        || reading->form == IRI_FORM_INVALID
        || reading->form == IRI_FORM_MOJIBAKE)
    {
        return reading->why != IRI_WHY_LIMIT;
    }

    if (found == NULL || found->verdict == IRI_PASS) {
        /* PASS: no lookup was needed, or nothing exists */
        return found != NULL && found->why != IRI_WHY_DECLARED
               && found->why != IRI_WHY_ASCII;
    }

    return found->verdict != IRI_SERVE || found->why != IRI_WHY_FOUND;
}
