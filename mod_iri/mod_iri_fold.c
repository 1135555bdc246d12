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
    const char *root = mod_iri_dup(r->pool, search->root);
    const char *text = mod_iri_dup(r->pool, path);

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

/*
 * The path that was found down to the first directory that was not asked for
 * by its name and that has other settings than the search, and below that as
 * it was asked.  Its data is NULL if there is none.
 */
static iri_str_t
mod_iri_other_place(request_rec *r, const iri_search_t *search,
                    iri_str_t found)
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
            && mod_iri_tree_of_path(r, search, dir)->match
                   != search->tree->match)
        {
            break;
        }
    }
    return mod_iri_str(apr_pstrcat(
        r->pool, apr_pstrmemdup(r->pool, (const char *) found.data, to),
        apr_pstrmemdup(r->pool, (const char *) asked.data + from,
                       asked.len - from),
        NULL));
}

iri_status_t
mod_iri_find(request_rec *r, const iri_env_t *env, const iri_search_t *search,
             iri_found_t *found)
{
    iri_search_t again = *search;
    iri_status_t status = iri_find(env, search, found);
    iri_match_t  match;
    int          n;

    if (status != IRI_OK || found->match < IRI_MATCH_WIDTH
        || mod_iri_server(r->server)->sections->nelts == 0)
    {
        return status;
    }
    match = found->match;
    for (n = 0; found->answer == IRI_MOVED; n++) {
        iri_str_t path = mod_iri_other_place(r, &again, found->path);

        if (path.data == NULL) {
            break;
        }
        if (n == MOD_IRI_MAX_PLACES) {
            found->answer = IRI_REFUSE;
            found->why = IRI_WHY_BUDGET;
            return IRI_OK;
        }
        again.path = path;
        again.absent = 0;
        again.tree = mod_iri_tree_of_path(r, &again, path);
        status = iri_find(env, &again, found);
        if (status != IRI_OK) {
            return status;
        }
        match = found->match > match ? found->match : match;
    }
    if (n > 0) {
        /* whatever there is below: it is in a directory of another name */
        found->answer = IRI_MOVED;
        found->match = match;
    }
    return IRI_OK;
}
