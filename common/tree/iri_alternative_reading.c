/*
 * iri_alternative_reading.c - the further readings of a path, and which of them counts
 *
 * What the first reading did not find may be there in another reading of the
 * same octets: the whole path in another charset of iri_charset, or each
 * segment in one of its own (draft 6.7).  From the octets of a request and the
 * walk of the first reading this makes the walk that counts: a further one
 * does only if it leads deeper than those before it, below the same directory.
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
    from = iri_tail_of_segments(reading->octets,
                                slashes + (part.data[0] != '/'));

    if (part.data[0] == '/' && from != 0) {
        from--;
    }

    return iri_str_from(reading->octets, from);
}


iri_status_t
iri_finder_read(const iri_finder_t *finder, const iri_charset_t *charset,
                iri_source_t source, iri_buf_t *out, int *read)
{
    iri_status_t status;
    iri_why_t    why;
    size_t       from, to;

    *read = 0;
    from = iri_graphic_segments(source.octets);

    status = iri_buf_put(finder->env, out, source.octets.data, from);
    if (status != IRI_OK) {
        return status;
    }

    for (/* void */;; from = to + 1) {
        to = iri_segment_end(source.octets, from);

        status = iri_segment_read(finder->env, charset, &source, from, to,
                                  out, NULL, &why);
        if (status != IRI_OK || why != IRI_WHY_READ) {
            return status;
        }

        if (to == source.octets.len) {
            *read = 1;
            return IRI_OK;
        }

        status = iri_buf_putc(finder->env, out, '/');
        if (status != IRI_OK) {
            return status;
        }
    }
}


/* Has the charset read the whole path, of which the octets are a tail? */
static int
iri_is_first_charset(const iri_finder_t *finder, const iri_charset_t *charset)
{
    const iri_reading_t *reading = finder->search->reading;

    return reading->form != IRI_FORM_MOJIBAKE
           && iri_charset_name(charset).data == reading->charset.data;
}


/* finder->has_alternatives is set if one segment has more than one reading. */
static iri_status_t
iri_alternative_count(iri_finder_t *finder, size_t from, size_t to)
{
    const iri_reading_conf_t *conf = finder->search->reading->conf;
    const iri_charset_t      *charset;
    iri_source_t              source = iri_finder_source(finder);
    iri_status_t              status;
    size_t                    i, readings = 0;
    int                       read;

    for (i = 0; (charset = iri_reading_charset_at(conf, i)) != NULL; i++) {
        /* As it was read, where none of it came raw. */
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
            status = iri_alternative_count(finder, from, to);
        }
    }

    return status;
}


/* Does a walk go on below the deepest entry that another one found? */
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

    /* Both end in one directory, but only one of them with a name. */
    if (best->charset.len != 0 && other->unwritable) {
        deeper |= walk->depth == other->depth && !walk->refused;
    }

    return deeper && walk->disk.data[len] == '/'
           && memcmp(walk->disk.data, other->disk.data, len) == 0;
}


/*
 * Where readings part, the first of them under which there is an entry takes
 * the request, and all that lies below is looked for under it alone.  So a
 * directory that only a further reading finds is judged by its own rules,
 * also where what was asked for in it is absent: that is for them to tell.
 * And no entry below a denied directory changes the answer for the octets
 * that name a public one, too.
 */
static void
iri_alternative_keep(const iri_walk_t *walk, iri_str_t charset, iri_why_t why,
                     iri_alternative_reading_t *best)
{
    if ((walk->refused && !walk->unwritable)
        || !iri_walk_is_deeper(walk, best)) {
        return;
    }

    best->walk = *walk;
    best->walk.why = why;
    best->charset = charset;
}


/* The whole path in another charset than the first reading's. */
static iri_status_t
iri_alternative_try_charset(iri_finder_t              *finder,
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

    iri_logf(finder->env, IRI_LOG_TRACE, "further reading %s",
             (const char *) iri_charset_name(charset).data);

    status = iri_walk(finder, iri_buf_str(&part), IRI_PART_CANONICAL, &walk);
    if (status != IRI_OK) {
        return status;
    }

    iri_walk_raise_match(&walk, IRI_MATCH_CHARSET);
    iri_alternative_keep(&walk, iri_charset_name(charset),
                         IRI_WHY_ALTERNATIVE, best);

    return IRI_OK;
}


/*
 * Is there but one segment that charsets may read as different names?  Then
 * all of its readings are readings of the whole path; but where these octets
 * are a tail of that, UTF-8 may read them, and not the path.
 */
static int
iri_is_one_segment(const iri_finder_t *finder)
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

        status = iri_alternative_try_charset(finder, list->at[i], best);

        if (status != IRI_OK || best->walk.found || finder->stopped) {
            return status;
        }
    }

    if (iri_is_one_segment(finder)) {
        return IRI_OK;
    }

    iri_logf(finder->env, IRI_LOG_TRACE, "%s", "a charset for each segment");

    status = iri_walk(finder, finder->octets, IRI_PART_MIXED, &walk);

    if (status == IRI_OK) {
        iri_alternative_keep(&walk, iri_charset_mixed, IRI_WHY_MIXED, best);
    }

    return status;
}
