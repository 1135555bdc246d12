/*
 * iri_write.c - protects existing entries from requests that write
 *
 * Where the differences IRI_FOLD_NEAR are ignored, many names find one entry. A
 * second entry that differs only in them would make these names ambiguous, so
 * it may not be created. COPY and MOVE (RFC 4918, 9.8 and 9.9) delete the
 * resource at their Destination first. If source and Destination are two names
 * of one resource, or one contains the other, that would delete the source:
 * 403.
 */

#include <string.h>

#include "iri_dav.h"
#include "tree/iri_tree.h"

/* Greatest number of directories above a Destination that are checked. */
#define IRI_MAX_ANCESTORS 256


int
iri_method_creates(iri_str_t method)
{
    static const iri_str_t creates[] = { IRI_STR("PUT"), IRI_STR("MKCOL"),
                                         IRI_STR("LOCK") };
    size_t                 i;

    for (i = 0; i < sizeof(creates) / sizeof(creates[0]); i++) {
        if (iri_str_equal(method, creates[i])) {
            return 1;
        }
    }

    return 0;
}


int
iri_is_conflict(const iri_found_t *found)
{
    return found->verdict == IRI_CHOOSE
           || (found->verdict == IRI_REFUSE
               && (found->why == IRI_WHY_UNWRITABLE
                   || found->why == IRI_WHY_CONFLICT
                   || found->why == IRI_WHY_OTHER_NAME));
}


const char *
iri_conflict_text(iri_why_t why)
{
    switch (why) {
    case IRI_WHY_UNWRITABLE:
        return "This name contains a character that names here cannot have, "
               "because the charset of file names does not contain it. "
               "Choose another name.";
    case IRI_WHY_CONFLICT:
    case IRI_WHY_AMBIGUOUS:
        return "A resource exists whose name differs from this one only in "
               "a way that is ignored here: for example in case, accents, "
               "punctuation or a variant of a character. Use the existing "
               "name, or choose another one.";
    case IRI_WHY_OTHER_TREE:
        return "File names are stored in another charset or form there, so "
               "the contents of this folder would lose their names. Create "
               "the folder there, and copy its contents one by one.";
    default:
        return "No resource can have this name here. Choose another name.";
    }
}


/* ---- conflicting names --------------------------------------------------- */

/* Return the directory of a path, up to the last "/" before a name. */
static iri_str_t
iri_parent_path(iri_str_t path)
{
    while (path.len != 0 && path.data[path.len - 1] == '/') {
        path.len--;
    }

    while (path.len != 0 && path.data[path.len - 1] != '/') {
        path.len--;
    }

    return path;
}


/*
 * Return 1 if a method that writes does not find an entry by this match. It
 * does by JIS vendor pairs and widths.
 */
static int
iri_is_match_of_twin(const iri_search_t *search, iri_match_t match)
{
    return match >= IRI_MATCH_PUNCTUATION
           || (match == IRI_MATCH_VARIANTS
               && (search->settings_of != NULL
                   || (search->tree->match & IRI_FOLD_LETTERS) != 0));
}


/*
 * Return 1 if near, an entry found by a folding key, is not source. A MOVE may
 * rename its source to such a name, but not the directories that contain it.
 */
static int
iri_conflicts_with(const iri_search_t *search, const iri_found_t *near,
                   iri_str_t source)
{
    size_t len = near->filename.len;

    if (near->verdict == IRI_CHOOSE) {
        return 1;
    }

    /* "name/" and "name" are the same entry. */
    while (len > 1 && near->filename.data[len - 1] == '/') {
        len--;
    }

    while (source.len > 1 && source.data[source.len - 1] == '/') {
        source.len--;
    }

    return near->verdict == IRI_RESTART
           && iri_is_match_of_twin(search, near->match)
           && !(len == source.len
                && memcmp(near->filename.data, source.data, len) == 0
                && iri_str_equal(iri_parent_path(near->path),
                                 iri_parent_path(search->path)));
}


iri_status_t
iri_find_conflict(const iri_env_t *env, const iri_search_t *search,
                  iri_str_t source, iri_found_t *found)
{
    iri_search_t lookup = *search;
    iri_found_t  near;
    iri_status_t status;

    if (found->verdict != IRI_PASS
        || (search->settings_of == NULL
            && (search->tree->match & IRI_FOLD_NEAR) == 0))
    {
        return IRI_OK;
    }

    lookup.for_conflict = 1;
    lookup.write = 0;
    lookup.absent = 0;
    lookup.reading = NULL;

    status = iri_find(env, &lookup, &near);

    /* If the file system failed, an entry may exist that was not seen. */
    if (status == IRI_OK
        && (near.why == IRI_WHY_ERROR || near.why == IRI_WHY_BUDGET
            || iri_conflicts_with(search, &near, source)))
    {
        found->verdict = IRI_REFUSE;
        found->why = IRI_WHY_CONFLICT;
    }

    return status;
}


/* ---- source and Destination ---------------------------------------------- */

int
iri_tree_preserves_names(const iri_tree_conf_t *from,
                         const iri_tree_conf_t *to)
{
    size_t i;

    if (to->names != IRI_FILENAME_ANY && to->names != from->names) {
        return 0;
    }

    /* The first charset that decodes the octets of an entry gives its name. */
    for (i = 0; i < from->charsets.count; i++) {
        if (i == to->charsets.count
            || to->charsets.at[i] != from->charsets.at[i]) {
            return 0;
        }
    }

    return 1;
}


static iri_status_t
iri_stat(const iri_env_t *env, iri_buf_t *name, iri_node_t *node)
{
    iri_status_t status = iri_buf_putc(env, name, '\0');

    if (status != IRI_OK) {
        return status;
    }

    name->len--;

    return env->dir->stat(env->ctx, (const char *) name->data, node);
}


/* Set *name to path without "/" at its end, and stat it. */
static iri_status_t
iri_stat_path(const iri_env_t *env, iri_str_t path, iri_buf_t *name,
              iri_node_t *node)
{
    iri_status_t status;

    while (path.len > 1 && path.data[path.len - 1] == '/') {
        path.len--;
    }

    name->len = 0;
    status = iri_buf_put(env, name, path.data, path.len);

    return status == IRI_OK ? iri_stat(env, name, node) : status;
}


static int
iri_is_same_node(const iri_node_t *a, const iri_node_t *b)
{
    return a->kind != IRI_NODE_ABSENT && a->kind != IRI_NODE_NOT_DIR
           && a->dev == b->dev && a->ino == b->ino;
}


/*
 * Set *above to 1 if directory contains path, directly or not.  From the
 * deepest directory above path that exists, "/.." is appended step by step,
 * because a symbolic link in path may lead into directory.
 */
static iri_status_t
iri_is_ancestor(const iri_env_t *env, const iri_node_t *directory,
                iri_str_t path, int *above)
{
    iri_buf_t    up = IRI_BUF_EMPTY;
    iri_node_t   node, below;
    iri_status_t status;
    size_t       i;

    *above = 0;
    memset(&below, 0, sizeof(below));

    do {
        path = iri_parent_path(path);
        status = iri_stat_path(env, path, &up, &node);
    } while (status == IRI_OK && node.kind != IRI_NODE_DIR && path.len > 1);

    for (i = 0; status == IRI_OK && i < IRI_MAX_ANCESTORS; i++) {
        if (node.kind != IRI_NODE_DIR || iri_is_same_node(&node, &below)) {
            return IRI_OK;
        }

        if (iri_is_same_node(&node, directory)) {
            *above = 1;
            return IRI_OK;
        }

        below = node;
        status = iri_buf_put(env, &up, (const unsigned char *) "/..", 3);

        if (status == IRI_OK) {
            status = iri_stat(env, &up, &node);
        }
    }

    return status;
}


iri_status_t
iri_path_relation(const iri_env_t *env, iri_str_t source,
                  iri_str_t destination, iri_relation_t *out)
{
    iri_buf_t    name = IRI_BUF_EMPTY;
    iri_node_t   from, to;
    iri_status_t status;
    int          inside = 0, parent = 0;

    status = iri_stat_path(env, source, &name, &from);

    if (status == IRI_OK) {
        status = iri_stat_path(env, destination, &name, &to);
    }

    if (status == IRI_OK && iri_is_same_node(&from, &to)) {
        *out = IRI_RELATION_SAME;
        return IRI_OK;
    }

    if (status == IRI_OK && from.kind == IRI_NODE_DIR) {
        status = iri_is_ancestor(env, &from, destination, &inside);
    }

    if (status == IRI_OK && to.kind == IRI_NODE_DIR) {
        status = iri_is_ancestor(env, &to, source, &parent);
    }

    if (status == IRI_OK) {
        *out = inside   ? IRI_RELATION_INSIDE
               : parent ? IRI_RELATION_PARENT
                        : IRI_RELATION_NONE;
    }

    return status;
}


/* ---- If (RFC 4918, 10.4) ------------------------------------------------- */

/* Return the offset behind the next octet close; value.len: there is none. */
static size_t
iri_if_skip(iri_str_t value, size_t i, unsigned char close)
{
    while (i < value.len && value.data[i] != close) {
        i++;
    }

    return i + (i < value.len);
}


/* Return the offset behind a list, "(<token> Not [etag])". */
static size_t
iri_if_skip_list(iri_str_t value, size_t i)
{
    while (i < value.len && value.data[i] != ')') {
        i = value.data[i] == '<'   ? iri_if_skip(value, i, '>')
            : value.data[i] == '[' ? iri_if_skip(value, i, ']')
                                   : i + 1;
    }

    return i + (i < value.len);
}


/* Return the offset of the next resource tag, behind any lists. */
static size_t
iri_if_next_tag(iri_str_t value, size_t i)
{
    while (i < value.len && value.data[i] != '<') {
        i = value.data[i] == '(' ? iri_if_skip_list(value, i) : i + 1;
    }

    return i;
}


void
iri_uri_split(iri_str_t uri, const char *ends, iri_str_t *authority,
              iri_str_t *path)
{
    size_t i = 0, host = 0;

    if (uri.len != 0 && uri.data[0] != '/') {
        while (host + 2 < uri.len && memcmp(uri.data + host, "://", 3) != 0) {
            host++;
        }

        host = host + 2 < uri.len ? host + 3 : uri.len;
        i = iri_segment_end(uri, host);
    }

    *path = iri_str_from(uri, i);
    authority->data = uri.data + host;
    authority->len = i - host;

    for (i = 0; i < path->len; i++) {
        if (memchr(ends, path->data[i], strlen(ends)) != NULL) {
            path->len = i;
        }
    }
}


/*
 * Set paths to what replaces path in a tag; paths[1] stays empty if there is no
 * second tag.
 */
static iri_status_t
iri_if_find(const iri_env_t *env, iri_if_map_t *map, iri_str_t path,
            iri_str_t paths[2])
{
    iri_status_t status;
    size_t       i;

    paths[0].len = paths[1].len = 0;

    if (path.len == 0 || (!map->raw && iri_path_is_ascii(path, 1))
        || map->tags == IRI_MAX_IF_TAGS)
    {
        paths[0] = path;
        return IRI_OK;
    }

    map->tags++;
    status = map->find(map->arg, path, paths);

    for (i = 0; status == IRI_OK && i < 2; i++) {
        if (paths[i].len != 0
            && (!map->raw
                || memchr(paths[i].data, '>', paths[i].len) != NULL))
        {
            status = iri_path_to_uri(env, paths[i], &paths[i]);
        }
    }

    if (paths[0].len == 0) {
        paths[0] = path;
    }

    return status;
}


/*
 * Append the resource tag at i, once or twice, with its lists, which end at
 * next.
 */
static iri_status_t
iri_if_tag(const iri_env_t *env, iri_str_t value, size_t i, size_t next,
           iri_if_map_t *map, iri_buf_t *out)
{
    iri_str_t    tag, authority, path, paths[2], parts[3];
    iri_status_t status;

    tag.data = value.data + i + 1;
    tag.len = iri_if_skip(value, i, '>') - i - 2;
    iri_uri_split(tag, "?#", &authority, &path);
    status = iri_if_find(env, map, path, paths);

    /* the tag before the path, the new path, the rest of the tag and lists */
    parts[0].data = value.data + i;
    parts[0].len = (size_t) (path.data - parts[0].data);
    parts[1] = paths[0];
    parts[2].data = path.data + path.len;
    parts[2].len = (size_t) (value.data + next - parts[2].data);

    if (status == IRI_OK) {
        status = iri_buf_put_all(env, out, parts, 3);
    }

    parts[1] = paths[1];

    return status == IRI_OK && paths[1].len != 0
               ? iri_buf_put_all(env, out, parts, 3)
               : status;
}


iri_status_t
iri_if_field_map(const iri_env_t *env, iri_str_t value, iri_if_map_t *map,
                 iri_str_t *out)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       i, end, next;

    i = iri_if_next_tag(value, 0);
    status = iri_buf_put(env, &buf, value.data, i);

    for (; status == IRI_OK && i < value.len; i = next) {
        end = iri_if_skip(value, i, '>');

        /* A tag without ">" is copied unchanged; the server refuses it. */
        if (value.data[end - 1] != '>') {
            status = iri_buf_put(env, &buf, value.data + i, value.len - i);
            break;
        }

        next = iri_if_next_tag(value, end);
        status = iri_if_tag(env, value, i, next, map, &buf);
    }

    if (status == IRI_OK) {
        status = iri_buf_putc(env, &buf, '\0');
    }

    if (status == IRI_OK) {
        buf.len--;
        *out = iri_buf_str(&buf);
    }

    return status;
}
