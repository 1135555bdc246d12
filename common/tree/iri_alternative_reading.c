/*
 * iri_alternative_reading.c - tries the other readings of a path
 *
 * A path that does not exist in its first reading may exist in another
 * reading of the same octets: the whole path in another charset of
 * iri_charset, or each segment in a charset of its own (draft 6.7). A walk in
 * an alternative reading replaces the walk in the first reading only if it
 * leads deeper, below the same directory.
 */

#include <string.h>

#include "tree/iri_tree.h"


iri_str_t
iri_finder_octets(const iri_search_t *search, iri_str_t part)
{
    const iri_reading_t *reading = search->reading;
    iri_str_t            none = { 0, NULL };
    size_t               at, from, slashes;

    if (part.len == 0 || reading == NULL || reading->form == IRI_FORM_ASCII
        || reading->form == IRI_FORM_INVALID || part.len > reading->path.len)
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

    if (at == 0) {
        return reading->octets;
    }

    slashes = iri_str_count(part, '/');
    from = iri_last_segments_offset(reading->octets,
                                    slashes + (part.data[0] != '/'));

    if (part.data[0] == '/' && from != 0) {
        from--;
    }

    return iri_str_from(reading->octets, from);
}


/* Return 1 if the first reading of the whole path is in this charset. */
static int
iri_is_first_charset(const iri_finder_t *finder, const iri_charset_t *charset)
{
    const iri_reading_t *reading = finder->search->reading;

    return reading->form != IRI_FORM_MOJIBAKE
           && iri_charset_name(charset).data == reading->charset.data;
}


/*
 * Set finder->has_alternatives to 1 if the segment [from, to) has several
 * readings, else to 0.
 */
static iri_status_t
iri_alternative_reading_check_segment(iri_finder_t *finder, size_t from,
                                      size_t to)
{
    const iri_reading_conf_t *conf = finder->search->reading->conf;
    const iri_charset_t      *charset;
    iri_source_t              source = iri_finder_source(finder);
    iri_status_t              status;
    size_t                    i, readings = 0;
    int                       read;

    for (i = 0; (charset = iri_reading_charset_at(conf, i)) != NULL; i++) {
        /* Unless octets were sent raw, the first charset decodes it. */
        if (!finder->search->reading->raw
            && iri_is_first_charset(finder, charset)) {
            readings++;
            continue;
        }

        status = iri_segment_is_read(finder->env, charset, &source, from, to,
                                     &read);
        if (status != IRI_OK) {
            return status;
        }

        readings += read != 0;
    }

    finder->has_alternatives = readings > 1;

    return IRI_OK;
}


iri_status_t
iri_alternative_reading_check(iri_finder_t *finder)
{
    iri_str_t    octets = finder->octets, segment;
    iri_status_t status = IRI_OK;
    size_t       from, to;

    if (octets.len == 0 || finder->search->reading->conf->charsets.count == 0)
    {
        return IRI_OK;
    }

    for (from = iri_graphic_segments(octets);
         status == IRI_OK && from < octets.len && !finder->has_alternatives;
         from = to + 1)
    {
        to = iri_segment_end(octets, from);

        segment.data = octets.data + from;
        segment.len = to - from;

        if (!iri_path_is_ascii(segment, 0)) {
            status = iri_alternative_reading_check_segment(finder, from, to);
        }
    }

    return status;
}


/*
 * Return 1 if walk leads deeper than best, below the deepest entry of best.
 */
static int
iri_walk_is_deeper(const iri_walk_t                *walk,
                   const iri_alternative_reading_t *best)
{
    const iri_walk_t *other = &best->walk;
    size_t            len = other->deepest;
    int               deeper;

    if (other->depth == 0) {
        return walk->depth != 0;
    }

    deeper = walk->depth > other->depth;

    /*
     * If both end in the same directory, prefer the one whose rest the tree can
     * write.
     */
    if (best->charset.len != 0 && other->unwritable) {
        deeper |= walk->depth == other->depth && !walk->refused;
    }

    return deeper && walk->disk.data[len] == '/'
           && memcmp(walk->disk.data, other->disk.data, len) == 0;
}


/*
 * Replace best by walk if walk leads deeper. Where readings differ, the first
 * one that finds an entry gets the request, and the rest is looked up below
 * that entry only. So if only an alternative reading finds a directory, the
 * rules of that directory are applied even if the requested name in it does not
 * exist. And an entry in a denied directory never changes the response to
 * octets that also name a public directory.
 */
static void
iri_alternative_reading_keep(const iri_walk_t *walk, iri_str_t charset,
                             iri_why_t why, iri_alternative_reading_t *best)
{
    if ((walk->refused && !walk->unwritable)
        || !iri_walk_is_deeper(walk, best)) {
        return;
    }

    best->walk = *walk;
    best->walk.why = why;
    best->charset = charset;
}


/* Try the whole path in another charset. */
static iri_status_t
iri_alternative_reading_try_charset(iri_finder_t              *finder,
                                    const iri_charset_t       *charset,
                                    iri_alternative_reading_t *best)
{
    iri_buf_t    part = IRI_BUF_EMPTY;
    iri_walk_t   walk;
    iri_status_t status;
    int          read;

    status = iri_finder_read(finder, charset, iri_finder_source(finder),
                             &part, &read);

    if (status != IRI_OK || !read
        || iri_str_equal(iri_buf_str(&part), finder->part))
    {
        return status;
    }

    iri_logf(finder->env, IRI_LOG_TRACE, "alternative reading %s",
             (const char *) iri_charset_name(charset).data);

    status = iri_walk(finder, iri_buf_str(&part), IRI_PART_CANONICAL, &walk);
    if (status != IRI_OK) {
        return status;
    }

    iri_walk_raise_match(&walk, IRI_MATCH_CHARSET);
    iri_alternative_reading_keep(&walk, iri_charset_name(charset),
                                 IRI_WHY_ALTERNATIVE, best);

    return IRI_OK;
}


/*
 * Return 1 if only one segment is not ASCII, so that a charset for each segment
 * gives no other reading than one for the whole path. If finder->octets are
 * only the last segments of the path, they may be UTF-8 although the whole path
 * is not; then return 1 only if the first reading is in UTF-8.
 */
static int
iri_has_one_non_ascii_segment(const iri_finder_t *finder)
{
    iri_str_t octets = finder->octets;
    size_t    end = iri_segment_end(octets, iri_graphic_segments(octets));

    return iri_path_is_ascii(iri_str_from(octets, end), 0)
           && (octets.len == finder->search->reading->octets.len
               || iri_is_first_charset(finder, &iri_charset_utf8));
}


iri_status_t
iri_alternative_reading_try(iri_finder_t              *finder,
                            iri_alternative_reading_t *best)
{
    const iri_charsets_t *list = &finder->search->reading->conf->charsets;
    iri_walk_t            walk;
    iri_status_t          status = IRI_OK;
    size_t                i;

    for (i = 0; i < list->count; i++) {
        if (iri_is_first_charset(finder, list->at[i])) {
            continue;
        }

        status = iri_alternative_reading_try_charset(finder, list->at[i],
                                                     best);

        if (status != IRI_OK || best->walk.found || finder->stopped) {
            return status;
        }
    }

    if (iri_has_one_non_ascii_segment(finder)) {
        return IRI_OK;
    }

    iri_logf(finder->env, IRI_LOG_TRACE, "%s", "a charset for each segment");

    status = iri_walk(finder, finder->octets, IRI_PART_MIXED, &walk);

    if (status == IRI_OK) {
        iri_alternative_reading_keep(&walk, iri_charset_mixed, IRI_WHY_MIXED,
                                     best);
    }

    return status;
}
