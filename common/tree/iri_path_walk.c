/*
 * iri_path_walk.c - walks a path down the tree, segment by segment
 *
 * Unless names are folded, an ASCII segment has the same octets on disk and
 * needs no lookup. iri_segment_lookup.c finds the entries of all others. The
 * segments from the first missing entry on are written as the tree would write
 * them. The segments below a file are PATH_INFO and are not changed.
 */

#include <string.h>

#include "tree/iri_tree.h"


/* Append octets to walk->disk and their name to walk->names. */
static iri_status_t
iri_walk_put(iri_finder_t *finder, iri_walk_t *walk, iri_str_t disk,
             iri_str_t name)
{
    iri_status_t status = IRI_OK;

    if (!walk->refused) {
        status = iri_buf_put(finder->env, &walk->disk, disk.data, disk.len);
    }

    return status == IRI_OK
               ? iri_buf_put(finder->env, &walk->names, name.data, name.len)
               : status;
}


static iri_status_t
iri_walk_slash(iri_finder_t *finder, iri_walk_t *walk)
{
    static const iri_str_t slash = IRI_STR("/");

    return iri_walk_put(finder, walk, slash, slash);
}


static void
iri_walk_refuse(iri_walk_t *walk, iri_why_t why)
{
    walk->refused = 1;
    walk->why = why;
}


/* Set *canonical to 1 if the segment is its own canonical form. */
static iri_status_t
iri_segment_is_canonical(const iri_finder_t *finder, iri_str_t segment,
                         int *canonical)
{
    iri_source_t source = { segment, NULL, 0, 0 };
    iri_buf_t    read = IRI_BUF_EMPTY;
    iri_status_t status;
    iri_why_t    why;

    status = iri_segment_read(finder->env, &iri_charset_utf8, &source, 0,
                              segment.len, &read, NULL, &why);

    *canonical = status == IRI_OK && why == IRI_WHY_READ
                 && iri_str_equal(iri_buf_str(&read), segment);

    return status;
}


/*
 * Append a segment that is not canonical UTF-8 unchanged. If these octets have
 * a name in the tree, they belong to another entry, and the walk is refused.
 */
static iri_status_t
iri_walk_new_octets(iri_finder_t *finder, iri_walk_t *walk, iri_str_t segment)
{
    iri_str_t    name = { 0, NULL };
    iri_status_t status;

    status = iri_entry_name(finder->env, finder->tree, segment, &name);
    if (status != IRI_OK) {
        return status;
    }

    if (name.len != 0) {
        iri_walk_refuse(walk, IRI_WHY_OTHER_NAME);
        walk->unwritable = 0;
    }

    return iri_walk_put(finder, walk, segment, segment);
}


/* Append a name that does not exist, as the tree would write it. */
static iri_status_t
iri_walk_new_name(iri_finder_t *finder, iri_walk_t *walk, iri_str_t segment,
                  iri_part_kind_t kind)
{
    iri_buf_t    octets = IRI_BUF_EMPTY;
    iri_status_t status = IRI_OK;
    size_t       k;
    int          canonical = kind == IRI_PART_CANONICAL, written = 0;

    if (iri_is_same_on_disk(finder->tree->match, segment)) {
        return iri_walk_put(finder, walk, segment, segment);
    }

    if (!canonical) {
        status = iri_segment_is_canonical(finder, segment, &canonical);
    }

    if (status != IRI_OK || !canonical) {
        return status == IRI_OK ? iri_walk_new_octets(finder, walk, segment)
                                : status;
    }

    for (k = 0; k < 2 && !written; k++) {
        status = iri_name_write(finder->env, finder->tree, segment, k,
                                &octets, &written);
        if (status != IRI_OK) {
            return status;
        }
    }

    if (!written && !walk->refused) {
        iri_walk_refuse(walk, IRI_WHY_UNWRITABLE);
        walk->unwritable = 1;
    }

    return iri_walk_put(finder, walk, iri_buf_str(&octets), segment);
}


/* Append the segments below the deepest entry that was found. */
static iri_status_t
iri_walk_rest(iri_finder_t *finder, iri_walk_t *walk, iri_str_t rest,
              iri_part_kind_t kind)
{
    iri_str_t    segment;
    iri_status_t status = IRI_OK;
    size_t       from, to;

    if (kind == IRI_PART_CANONICAL && finder->search->settings_of == NULL
        && iri_tree_writes_names_verbatim(finder->tree))
    {
        return iri_walk_put(finder, walk, rest, rest);
    }

    for (from = 0; status == IRI_OK; from = to + 1) {
        to = iri_segment_end(rest, from);

        segment.data = rest.data + from;
        segment.len = to - from;

        status = iri_settings_enter(finder, walk);

        if (status == IRI_OK) {
            status = iri_walk_new_name(finder, walk, segment, kind);
        }

        if (status != IRI_OK || to == rest.len) {
            break;
        }

        status = iri_walk_slash(finder, walk);
    }

    return status;
}


iri_status_t
iri_names_write(iri_finder_t *finder, iri_str_t names, iri_buf_t *disk,
                int *written)
{
    iri_walk_t   walk;
    iri_status_t status;

    memset(&walk, 0, sizeof(walk));
    walk.disk = *disk;

    status = iri_walk_rest(finder, &walk, names, IRI_PART_CANONICAL);

    *disk = walk.disk;
    *written = !walk.refused;

    return status;
}


const iri_charset_t *
iri_reading_charset_at(const iri_reading_conf_t *conf, size_t i)
{
    if (i == 0) {
        return &iri_charset_utf8;
    }

    return i <= conf->charsets.count ? conf->charsets.at[i - 1] : NULL;
}


/*
 * If any octet was sent raw, a bidi formatting character may have been sent raw
 * too (draft 4.1): which octets were raw is not known here.
 */
iri_source_t
iri_finder_source(const iri_finder_t *finder)
{
    const iri_reading_t *reading = finder->search->reading;
    iri_source_t         source = { finder->octets, NULL, 0, 0 };

    if (reading->raw) {
        source.raw_high = 1;
        source.raw_bidi = 1;
    }

    return source;
}


/*
 * Look up one segment in each reading of its octets: in UTF-8, then in the
 * charsets of the request.
 */
static iri_status_t
iri_walk_mixed_segment(iri_finder_t *finder, iri_walk_t *walk, size_t from,
                       size_t to, iri_str_t *name,
                       iri_lookup_result_t *result)
{
    iri_source_t         source = iri_finder_source(finder);
    iri_str_t            sent = { to - from, finder->octets.data + from };
    const iri_charset_t *charset;
    iri_buf_t            segment;
    iri_status_t         status;
    iri_why_t            why;
    size_t               i;

    *result = IRI_LOOKUP_ABSENT;

    for (i = 0; !finder->stopped; i++) {
        charset = iri_reading_charset_at(finder->search->reading->conf, i);
        if (charset == NULL) {
            break;
        }

        memset(&segment, 0, sizeof(segment));

        status = iri_segment_read(finder->env, charset, &source, from, to,
                                  &segment, NULL, &why);
        if (status != IRI_OK) {
            return status;
        }

        if (why != IRI_WHY_READ) {
            continue;
        }

        status = iri_segment_lookup(finder, walk, iri_buf_str(&segment),
                                    IRI_PART_CANONICAL, sent, name, result);

        if (status == IRI_OK && *result == IRI_LOOKUP_FOUND && i != 0) {
            iri_walk_raise_match(walk, IRI_MATCH_CHARSET);
        }

        if (status != IRI_OK || *result != IRI_LOOKUP_ABSENT) {
            return status;
        }
    }

    return IRI_OK;
}


/*
 * Set walk->found. ASCII segments at the end of the path, which were not looked
 * up, are stat'ed only if another entry could be found instead of them.
 */
static iri_status_t
iri_walk_set_found(iri_finder_t *finder, iri_walk_t *walk)
{
    iri_node_t   node;
    iri_status_t status;

    if (!walk->unverified
        || (!finder->has_alternatives && finder->repairs == 0
            && (finder->match & IRI_FOLD_INDEXED) == 0))
    {
        walk->found = 1;
        return IRI_OK;
    }

    status = iri_finder_stat(finder, &walk->disk, &node);
    walk->found = status == IRI_OK && node.kind != IRI_NODE_ABSENT;

    return status;
}


/* Decode a segment in the first charset that can. *why: READ, or the reason. */
static iri_status_t
iri_segment_read_first(const iri_finder_t *finder, const iri_source_t *source,
                       size_t from, size_t to, iri_buf_t *out, iri_why_t *why)
{
    const iri_charset_t *charset;
    iri_status_t         status = IRI_OK;
    size_t               i;

    *why = IRI_WHY_UNREADABLE;

    for (i = 0; status == IRI_OK && *why != IRI_WHY_READ; i++) {
        charset = iri_reading_charset_at(finder->search->reading->conf, i);
        if (charset == NULL) {
            break;
        }

        status = iri_segment_read(finder->env, charset, source, from, to, out,
                                  NULL, why);
    }

    return status;
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

        status = charset != NULL
                     ? iri_segment_read(finder->env, charset, &source, from,
                                        to, out, NULL, &why)
                     : iri_segment_read_first(finder, &source, from, to, out,
                                              &why);
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


/* Finish a walk. Unless result is FOUND, part from offset from on is left. */
static iri_status_t
iri_walk_end(iri_finder_t *finder, iri_walk_t *walk,
             iri_lookup_result_t result, iri_str_t part, size_t from,
             iri_part_kind_t kind)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_str_t    rest = iri_str_from(part, from);
    iri_source_t source;
    iri_status_t status;
    int          read;

    if (result == IRI_LOOKUP_FOUND) {
        return iri_walk_set_found(finder, walk);
    }

    if (result == IRI_LOOKUP_REFUSED) {
        iri_walk_refuse(walk, walk->why);
        return IRI_OK;
    }

    /* No entry confirms the charset of a segment: the first one is used. */
    if (kind == IRI_PART_MIXED) {
        source = iri_finder_source(finder);
        source.octets = rest;
        status = iri_finder_read(finder, NULL, source, &buf, &read);
        if (status != IRI_OK || !read) {
            iri_walk_refuse(walk, IRI_WHY_UNREADABLE);
            walk->candidates.count = 0;
            return status;
        }

        rest = iri_buf_str(&buf);
        kind = IRI_PART_CANONICAL;
    }

    if (result == IRI_LOOKUP_AMBIGUOUS) {
        walk->unresolved_tail = rest;
        return IRI_OK;
    }

    /* Below a file the rest is PATH_INFO, which is not written to disk. */
    if (result == IRI_LOOKUP_NOT_DIR) {
        walk->found = 1;
        return iri_walk_put(finder, walk, rest, rest);
    }

    return iri_walk_rest(finder, walk, rest, kind);
}


/* Return 1 if a segment needs no lookup. */
static int
iri_walk_skips_lookup(const iri_finder_t *finder, iri_str_t segment)
{
    if (!iri_is_same_on_disk(finder->tree->match, segment)) {
        return 0;
    }

    if (finder->repair != 0) {
        return !iri_repair_may_change(finder->repair, segment);
    }

    return finder->fold == 0 || segment.len == 0;
}


/*
 * Append the leading segments from *from on that are graphic ASCII and need
 * no lookup, and advance *from.
 */
static iri_status_t
iri_walk_ascii_segments(iri_finder_t *finder, iri_str_t part, size_t *from,
                        iri_walk_t *walk)
{
    iri_str_t plain = iri_str_from(part, *from);

    if (finder->folding || finder->repairing != 0) {
        return IRI_OK;
    }

    plain.len = iri_graphic_segments(plain);

    if (!iri_is_same_on_disk(finder->match, plain)) {
        return IRI_OK;
    }

    *from += plain.len;
    walk->unverified |= plain.len > 1;

    return iri_walk_put(finder, walk, plain, plain);
}


/*
 * Append the segment of part between the offsets from and to. sent: the same
 * segment as it was sent. *result is written only if the segment is looked up.
 */
static iri_status_t
iri_walk_segment(iri_finder_t *finder, iri_walk_t *walk, iri_str_t part,
                 iri_part_kind_t kind, size_t from, size_t to, iri_str_t sent,
                 iri_lookup_result_t *result)
{
    iri_str_t    segment = { to - from, part.data + from }, name;
    iri_status_t status;

    if (iri_walk_skips_lookup(finder, segment)) {
        walk->unverified |= segment.len != 0;
        return iri_walk_put(finder, walk, segment, segment);
    }

    if (kind == IRI_PART_MIXED) {
        status = iri_walk_mixed_segment(finder, walk, from, to, &name,
                                        result);

    } else if (finder->repairing != 0) {
        status = iri_segment_lookup_repaired(finder, walk, segment, kind,
                                             sent, &name, result);
    } else {
        status = iri_segment_lookup(finder, walk, segment, kind, sent, &name,
                                    result);
    }

    if (status != IRI_OK || *result != IRI_LOOKUP_FOUND) {
        return status;
    }

    walk->depth++;
    walk->deepest = walk->disk.len;
    walk->unverified = 0;

    return iri_buf_put(finder->env, &walk->names, name.data, name.len);
}


/*
 * Walk down part from offset from on. sent_from, the offset of the same segment
 * in finder->octets, advances with it.
 */
static iri_status_t
iri_walk_down(iri_finder_t *finder, iri_str_t part, iri_part_kind_t kind,
              size_t from, iri_walk_t *walk)
{
    iri_str_t           sent;
    iri_status_t        status;
    iri_lookup_result_t result = IRI_LOOKUP_FOUND;
    size_t              to, sent_from, sent_to;

    status = iri_walk_ascii_segments(finder, part, &from, walk);

    /* Up to from, the request usually has the same octets as part. */
    sent_from = from <= finder->octets.len ? from : finder->octets.len;

    while (status == IRI_OK) {
        to = iri_segment_end(part, from);
        sent_to = iri_segment_end(finder->octets, sent_from);

        sent = iri_str_from(finder->octets, sent_from);
        sent.len = sent_to - sent_from;

        status = iri_settings_enter(finder, walk);

        if (status == IRI_OK) {
            status = iri_walk_segment(finder, walk, part, kind, from, to,
                                      sent, &result);
        }

        if (status != IRI_OK || result != IRI_LOOKUP_FOUND || to == part.len)
        {
            break;
        }

        status = iri_walk_slash(finder, walk);
        from = to + 1;
        sent_from = sent_to < finder->octets.len ? sent_to + 1 : sent_to;
    }

    return status == IRI_OK
               ? iri_walk_end(finder, walk, result, part, from, kind)
               : status;
}


/* Start a walk at the root, with enough memory for nearly all paths. */
static iri_status_t
iri_walk_begin(const iri_finder_t *finder, iri_str_t part, iri_walk_t *walk)
{
    iri_str_t    root = finder->search->root;
    iri_status_t status;

    memset(walk, 0, sizeof(*walk));

    status = iri_buf_reserve(finder->env, &walk->disk,
                             root.len + part.len + 1);

    if (status == IRI_OK) {
        status = iri_buf_reserve(finder->env, &walk->names, part.len);
    }

    return status == IRI_OK
               ? iri_buf_put(finder->env, &walk->disk, root.data, root.len)
               : status;
}


iri_status_t
iri_walk(iri_finder_t *finder, iri_str_t part, iri_part_kind_t kind,
         iri_walk_t *walk)
{
    iri_str_t    root = finder->search->root;
    iri_status_t status;

    status = iri_walk_begin(finder, part, walk);
    walk->deepest = root.len;

    return status == IRI_OK ? iri_walk_down(finder, part, kind, 0, walk)
                            : status;
}


iri_status_t
iri_walk_from(iri_finder_t *finder, iri_str_t part, iri_part_kind_t kind,
              size_t from, iri_walk_t *walk)
{
    iri_status_t status;
    size_t       i;

    status = iri_walk_begin(finder, part, walk);
    walk->match = IRI_MATCH_EXACT;

    /* Count each segment as if it had been looked up. */
    for (i = 1; i < from; i++) {
        walk->depth += part.data[i] == '/' && part.data[i - 1] != '/';
    }

    if (status == IRI_OK) {
        status = iri_buf_put(finder->env, &walk->disk, part.data, from);
    }

    if (status == IRI_OK) {
        status = iri_buf_put(finder->env, &walk->names, part.data, from);
    }

    for (i = from; i > 0 && part.data[i - 1] == '/'; i--) {
        /* void */
    }

    walk->deepest = walk->disk.len - (from - i);

    return status == IRI_OK ? iri_walk_down(finder, part, kind, from, walk)
                            : status;
}
