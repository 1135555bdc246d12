/*
 * mod_iri_fold.c - names that are near, each by the settings of its directory
 *
 * A path is looked for by the settings of the <Directory> that it would be
 * in as it was asked for.  Where a name on the way was folded it is in
 * another directory, which may have a section of its own: what lies below is
 * then looked for by that one's settings.
 */

#include "mod_iri.h"

#define MOD_IRI_MAX_PLACES 8 /* that a path may go through */

const iri_tree_conf_t *
mod_iri_tree_of_path(request_rec *r, const iri_search_t *search,
                     iri_str_t path)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);
    const char             *root, *text;

    if (conf->sections->nelts == 0) {
        return &conf->tree;
    }
    root = mod_iri_dup(r->pool, search->root);
    text = mod_iri_dup(r->pool, path);
    return mod_iri_tree(
        r, apr_pstrcat(r->pool, root, text + search->prefix, NULL));
}

/* The end of the segment that begins at offset, "/" at its start or not. */
static size_t
mod_iri_segment_end(iri_str_t path, size_t offset)
{
    const unsigned char *slash = NULL;

    if (offset < path.len) {
        offset += path.data[offset] == '/';
        slash = memchr(path.data + offset, '/', path.len - offset);
    }
    return slash ? (size_t) (slash - path.data) : path.len;
}

/* Do they shape a search alike? */
static int
mod_iri_is_same_tree(const iri_tree_conf_t *a, const iri_tree_conf_t *b)
{
    return a->match == b->match && a->names == b->names
           && a->ambiguous == b->ambiguous && a->repair == b->repair
           && a->charsets.count == b->charsets.count
           && memcmp(a->charsets.at, b->charsets.at,
                     a->charsets.count * sizeof(a->charsets.at[0]))
                  == 0;
}

/*
 * The path that was found down to the first directory that was not asked for
 * by its name and that has other settings than the search, and below that as
 * it was asked; *above: that directory as it was asked.  Its data is NULL if
 * there is none.
 */
static iri_str_t
mod_iri_other_place(request_rec *r, const iri_search_t *search,
                    iri_str_t found, iri_str_t *above)
{
    iri_str_t asked = search->path, dir = found;
    iri_str_t none = { 0, NULL };
    size_t    to = search->prefix, from = search->prefix;

    for (;;) {
        to = mod_iri_segment_end(found, to);
        from = mod_iri_segment_end(asked, from);
        if (to >= found.len || from >= asked.len) {
            return none;
        }
        dir.len = to;
        if ((to != from || memcmp(found.data, asked.data, to) != 0)
            && !mod_iri_is_same_tree(mod_iri_tree_of_path(r, search, dir),
                                     search->tree))
        {
            break;
        }
    }
    above->data = asked.data;
    above->len = from + 1; /* with its slash */
    return mod_iri_str(apr_pstrcat(
        r->pool, apr_pstrmemdup(r->pool, (const char *) found.data, to),
        apr_pstrmemdup(r->pool, (const char *) asked.data + from,
                       asked.len - from),
        NULL));
}

/*
 * What had to be forgiven for the directories above: below them other settings
 * hold than those that whole was found by.
 */
static iri_match_t
mod_iri_match_above(const iri_env_t *env, const iri_search_t *search,
                    iri_str_t above, const iri_found_t *whole)
{
    iri_search_t part = *search;
    iri_found_t  found;

    part.path = above;
    part.reading = NULL;
    part.absent = 0;
    return iri_find(env, &part, &found) == IRI_OK && found.answer == IRI_MOVED
                   && found.path.len <= whole->path.len
                   && memcmp(found.path.data, whole->path.data,
                             found.path.len)
                          == 0
               ? found.match
               : whole->match;
}

static iri_match_t
mod_iri_farther(iri_match_t a, iri_match_t b)
{
    return a > b ? a : b;
}

iri_status_t
mod_iri_find(request_rec *r, const iri_env_t *env, const iri_search_t *search,
             iri_found_t *found)
{
    iri_search_t again = *search;
    iri_status_t status = iri_find(env, search, found);
    iri_match_t  match = IRI_MATCH_NONE;
    int          n;

    if (status != IRI_OK || found->match < IRI_MATCH_WIDTH
        || mod_iri_server(r->server)->sections->nelts == 0)
    {
        return status;
    }
    for (n = 0; found->answer == IRI_MOVED; n++) {
        iri_str_t above;
        iri_str_t path = mod_iri_other_place(r, &again, found->path, &above);

        if (path.data == NULL) {
            break;
        }
        if (n == MOD_IRI_MAX_PLACES) {
            found->answer = IRI_REFUSE;
            found->why = IRI_WHY_BUDGET;
            return IRI_OK;
        }
        match = mod_iri_farther(
            match, mod_iri_match_above(env, &again, above, found));
        again.path = path;
        again.absent = 0;
        again.tree = mod_iri_tree_of_path(r, &again, path);
        status = iri_find(env, &again, found);
        if (status != IRI_OK) {
            return status;
        }
    }
    if (n > 0) {
        /* whatever there is below: it is in a directory of another name */
        found->answer = IRI_MOVED;
        found->match = mod_iri_farther(match, found->match);
    }
    return IRI_OK;
}

/* What must be looked for by other settings, too, is not known again. */
iri_status_t
mod_iri_find_again(request_rec *r, const iri_env_t *env,
                   const iri_search_t *search, iri_found_t *found, int *held)
{
    iri_status_t status = iri_find_again(env, search, found, held);
    iri_str_t    above;

    if (status == IRI_OK && *held && found->answer == IRI_MOVED
        && found->match >= IRI_MATCH_WIDTH
        && mod_iri_server(r->server)->sections->nelts > 0
        && mod_iri_other_place(r, search, found->path, &above).data != NULL)
    {
        *held = 0;
    }
    return status;
}
