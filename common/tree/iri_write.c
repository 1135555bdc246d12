/*
 * iri_write.c - what a request may make, and what it may not destroy
 *
 * Where names are forgiven their case or accents, one entry answers to many
 * names: a second one beside it would be lost to all of them.  And COPY and
 * MOVE (RFC 4918, 9.8 and 9.9) delete what is at their Destination first, so
 * that two names of one resource, or of one inside the other, would cost the
 * resource: 403.
 */

#include <string.h>

#include "iri_dav.h"
#include "base/iri_base.h"

/* Directories above a Destination that are looked at. */
#define IRI_MAX_ANCESTORS 256


int
iri_method_creates(iri_str_t method)
{
    static const iri_str_t makes[] = { IRI_STR("PUT"), IRI_STR("MKCOL"),
                                       IRI_STR("LOCK") };
    size_t                 i;

    for (i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
        if (iri_str_equal(method, makes[i])) {
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
        return "This name has a character that names here cannot have, since "
               "they are kept in a charset without it. Choose another name.";
    case IRI_WHY_CONFLICT:
    case IRI_WHY_AMBIGUOUS:
        return "There is already something whose name differs from this one "
               "only by upper and lower case, or by accents, and names here "
               "are found whichever of these is asked for. Use that name, or "
               "choose another.";
    case IRI_WHY_OTHER_TREE:
        return "Names of files are kept in another charset or form there, so "
               "what is in this folder would lose its names. Make the folder "
               "there, and copy what is in it one by one.";
    default:
        return "Nothing can have this name here. Choose another name.";
    }
}


/* ---- twins --------------------------------------------------------------- */

/* What a path is in: up to the last "/" that has a name behind it. */
static iri_str_t
iri_parent(iri_str_t path)
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
 * Is what was found by a key for path another entry than source?  The source
 * goes away, but not the directories that it is in.
 */
static int
iri_is_conflicting(const iri_found_t *near, iri_str_t path, iri_str_t source)
{
    size_t len = near->filename.len;

    if (near->verdict == IRI_CHOOSE) {
        return 1;
    }

    /* "name/" is name */
    while (len > 1 && near->filename.data[len - 1] == '/') {
        len--;
    }

    while (source.len > 1 && source.data[source.len - 1] == '/') {
        source.len--;
    }

    return near->verdict == IRI_RESTART && near->match >= IRI_MATCH_CASE
           && !(len == source.len
                && memcmp(near->filename.data, source.data, len) == 0
                && iri_str_equal(iri_parent(near->path), iri_parent(path)));
}


iri_status_t
iri_find_conflict(const iri_env_t *env, const iri_search_t *search,
                  iri_str_t source, iri_found_t *found)
{
    iri_search_t reads = *search;
    iri_found_t  near;
    iri_status_t status;

    if (found->verdict != IRI_PASS
        || (search->settings_of == NULL
            && (search->tree->match & (IRI_FOLD_CASE | IRI_FOLD_ACCENTS))
                   == 0))
    {
        return IRI_OK;
    }

    reads.for_conflict = 1;
    reads.write = 0;
    reads.absent = 0;
    reads.reading = NULL;

    status = iri_find(env, &reads, &near);

    if (status == IRI_OK && iri_is_conflicting(&near, search->path, source)) {
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

    /* The first charset that reads an entry tells its name. */
    for (i = 0; i < from->charsets.count; i++) {
        if (i == to->charsets.count
            || to->charsets.at[i] != from->charsets.at[i]) {
            return 0;
        }
    }

    return 1;
}


static iri_status_t
iri_stat(const iri_env_t *env, const iri_buf_t *path, iri_node_t *node)
{
    return env->dir->stat(env->ctx, (const char *) path->data, node);
}


static int
iri_is_node(const iri_node_t *a, const iri_node_t *b)
{
    return a->kind != IRI_NODE_ABSENT && a->kind != IRI_NODE_NOT_DIR
           && a->dev == b->dev && a->ino == b->ino;
}


/* A path with a NUL behind it that is not counted, without "/" at its end. */
static iri_status_t
iri_plain_path(const iri_env_t *env, iri_str_t path, iri_buf_t *out)
{
    iri_status_t status;

    while (path.len > 1 && path.data[path.len - 1] == '/') {
        path.len--;
    }

    status = iri_buf_put(env, out, path.data, path.len);

    if (status == IRI_OK) {
        status = iri_buf_putc(env, out, '\0');
    }

    if (status == IRI_OK) {
        out->len--;
    }

    return status;
}


/* The deepest directory above path that is there. */
static iri_status_t
iri_nearest_directory(const iri_env_t *env, iri_str_t path, iri_buf_t *up,
                      iri_node_t *node)
{
    iri_status_t status;

    do {
        while (path.len > 1 && path.data[path.len - 1] == '/') {
            path.len--;
        }

        while (path.len > 1 && path.data[path.len - 1] != '/') {
            path.len--;
        }

        up->len = 0;
        status = iri_plain_path(env, path, up);

        if (status == IRI_OK) {
            status = iri_stat(env, up, node);
        }
    } while (status == IRI_OK && node->kind != IRI_NODE_DIR && path.len > 1);

    return status;
}


/*
 * Is one of the directories above path this one?  By "..", for a link on the
 * way may lead into it from elsewhere.
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

    status = iri_nearest_directory(env, path, &up, &node);

    for (i = 0; status == IRI_OK && i < IRI_MAX_ANCESTORS; i++) {
        if (node.kind != IRI_NODE_DIR || iri_is_node(&node, &below)) {
            return IRI_OK;
        }

        if (iri_is_node(&node, directory)) {
            *above = 1;
            return IRI_OK;
        }

        below = node;
        status = iri_buf_put(env, &up, (const unsigned char *) "/..", 4);

        if (status == IRI_OK) {
            up.len--;
            status = iri_stat(env, &up, &node);
        }
    }

    return status;
}


iri_status_t
iri_path_relation(const iri_env_t *env, iri_str_t source,
                  iri_str_t destination, iri_relation_t *out)
{
    iri_buf_t      from = IRI_BUF_EMPTY, to = IRI_BUF_EMPTY;
    iri_node_t     a, b;
    iri_status_t   status;
    iri_relation_t relation = IRI_RELATION_NONE;
    int            above = 0;

    status = iri_plain_path(env, source, &from);

    if (status == IRI_OK) {
        status = iri_plain_path(env, destination, &to);
    }

    if (status == IRI_OK) {
        status = iri_stat(env, &from, &a);
    }

    if (status == IRI_OK) {
        status = iri_stat(env, &to, &b);
    }

    if (status != IRI_OK) {
        return status;
    }

    if (iri_is_node(&a, &b)) {
        *out = IRI_RELATION_SAME;
        return IRI_OK;
    }

    if (a.kind == IRI_NODE_DIR) {
        status = iri_is_ancestor(env, &a, iri_buf_str(&to), &above);
        relation = above ? IRI_RELATION_INSIDE : relation;
    }

    if (status == IRI_OK && !above && b.kind == IRI_NODE_DIR) {
        status = iri_is_ancestor(env, &b, iri_buf_str(&from), &above);
        relation = above ? IRI_RELATION_PARENT : relation;
    }

    if (status == IRI_OK) {
        *out = relation;
    }

    return status;
}


/* ---- If (RFC 4918, 10.4) ------------------------------------------------- */

/* Behind what begins with open; the end of value where it never ends. */
static size_t
iri_if_skip(iri_str_t value, size_t i, unsigned char close)
{
    while (i < value.len && value.data[i] != close) {
        i++;
    }

    return i + (i < value.len);
}


/* Behind a list, "(<token> Not [etag])". */
static size_t
iri_if_list(iri_str_t value, size_t i)
{
    while (i < value.len && value.data[i] != ')') {
        i = value.data[i] == '<'   ? iri_if_skip(value, i, '>')
            : value.data[i] == '[' ? iri_if_skip(value, i, ']')
                                   : i + 1;
    }

    return i + (i < value.len);
}


/* Where the next resource tag begins, behind the lists of one before. */
static size_t
iri_if_next(iri_str_t value, size_t i)
{
    while (i < value.len && value.data[i] != '<') {
        i = value.data[i] == '(' ? iri_if_list(value, i) : i + 1;
    }

    return i;
}


/* Where the path of a URI begins, and *end; len: there is none. */
static size_t
iri_uri_path(iri_str_t uri, size_t *end)
{
    size_t i = 0;

    if (uri.len != 0 && uri.data[0] != '/') {
        while (i + 2 < uri.len && memcmp(uri.data + i, "://", 3) != 0) {
            i++;
        }

        i = i + 2 < uri.len ? iri_segment_end(uri, i + 3) : uri.len;
    }

    for (*end = i;
         *end < uri.len && uri.data[*end] != '?' && uri.data[*end] != '#';
         (*end)++)
    {
    }

    return i;
}


/* One tag under another path, and its lists. */
static iri_status_t
iri_if_put(const iri_env_t *env, iri_buf_t *out, iri_str_t tag, size_t from,
           size_t to, iri_str_t path, iri_str_t lists)
{
    iri_status_t status;

    status = iri_buf_putc(env, out, '<');

    if (status == IRI_OK) {
        status = iri_buf_put(env, out, tag.data, from);
    }

    if (status == IRI_OK) {
        status = iri_buf_put(env, out, path.data, path.len);
    }

    if (status == IRI_OK) {
        status = iri_buf_put(env, out, tag.data + to, tag.len - to);
    }

    if (status == IRI_OK) {
        status = iri_buf_putc(env, out, '>');
    }

    return status == IRI_OK ? iri_buf_put(env, out, lists.data, lists.len)
                            : status;
}


/* The tag that begins at i, and its lists up to next. */
static iri_status_t
iri_if_tag(const iri_env_t *env, iri_str_t value, size_t i, size_t next,
           iri_buf_t *out, iri_if_tag_t each, void *arg)
{
    iri_str_t    tag, lists, path, paths[2];
    iri_status_t status;
    size_t       from, to, end = iri_if_skip(value, i, '>');

    tag.data = value.data + i + 1;
    tag.len = end - i - 2;
    lists.data = value.data + end;
    lists.len = next - end;

    from = iri_uri_path(tag, &to);
    path.data = tag.data + from;
    path.len = to - from;
    paths[0] = path;
    paths[1].len = 0;

    status = path.len != 0 ? each(arg, path, paths) : IRI_OK;

    if (status == IRI_OK) {
        status = iri_if_put(env, out, tag, from, to, paths[0], lists);
    }

    return status == IRI_OK && paths[1].len != 0
               ? iri_if_put(env, out, tag, from, to, paths[1], lists)
               : status;
}


iri_status_t
iri_if_field_map(const iri_env_t *env, iri_str_t value, iri_if_tag_t each,
                 void *arg, iri_str_t *out)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       i, end, next;

    i = iri_if_next(value, 0);
    status = iri_buf_put(env, &buf, value.data, i);

    for (; status == IRI_OK && i < value.len; i = next) {
        end = iri_if_skip(value, i, '>');

        /* without its end: as it is, for the server to refuse */
        if (value.data[end - 1] != '>') {
            status = iri_buf_put(env, &buf, value.data + i, value.len - i);
            break;
        }

        next = iri_if_next(value, end);
        status = iri_if_tag(env, value, i, next, &buf, each, arg);
    }

    if (status == IRI_OK) {
        *out = iri_buf_str(&buf);
    }

    return status;
}
