/*
 * mod_iri_walk.c - <Files> and MultiViews on canonical names
 *
 * This hook runs in map_to_storage, last before httpd's own hook, and does the
 * same two walks.  <Files "caf\xC3\xA9.html"> is compared with the name of the
 * entry instead of its octets on disk; otherwise it would not match, and would
 * not deny access. mod_negotiation compares octets too: for a path without its
 * suffix, r->filename gets the octets with which an entry on disk starts.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"
#include "mod_iri_tree.h"

/* ---- MultiViews --------------------------------------------------------- */

/* The state of a search for an entry with a suffix. */
typedef struct {
    const iri_env_t       *env;
    const iri_tree_conf_t *tree;
    apr_pool_t            *pool;
    iri_str_t              octets;  /* last segment of r->filename */
    iri_str_t              name;    /* canonical name of octets */
    unsigned               dots;    /* number of dots in octets */
    unsigned               entries; /* number of entries read */
    const char            *prefix;  /* octets that replace the segment; NULL:
                                      none found */
    int                    exact;   /* 1: an entry starts with octets */
} mod_iri_multiviews_t;

/*
 * Returns: the length of the text before dot number n (from 0); 0: there is
 * none.
 */
static size_t
mod_iri_length_before_dot(iri_str_t octets, unsigned n)
{
    size_t i;

    for (i = 0; i < octets.len; i++) {
        if (octets.data[i] == '.' && n-- == 0) {
            return i;
        }
    }
    return 0;
}

/*
 * "." is never part of a multi-octet character, so suffixes can be cut off.
 */
static iri_status_t
mod_iri_multiviews_entry(void *arg, iri_str_t entry)
{
    mod_iri_multiviews_t *views = arg;
    iri_str_t             prefix = entry, name;

    if (++views->entries > IRI_MAX_ENTRIES_READ) {
        return IRI_IO_FAILED;
    }
    prefix.len = mod_iri_length_before_dot(entry, views->dots);
    if (prefix.len == 0 || iri_path_is_ascii(prefix, 0)) {
        return IRI_OK;
    }
    if (prefix.len == views->octets.len
        && memcmp(prefix.data, views->octets.data, prefix.len) == 0)
    {
        views->exact = 1;
        return IRI_IO_FAILED; /* ends the listing */
    }
    if (iri_entry_name(views->env, views->tree, prefix, &name) != IRI_OK
        || name.len != views->name.len
        || memcmp(name.data, views->name.data, name.len) != 0)
    {
        return IRI_OK;
    }
    prefix.data = (unsigned char *) mod_iri_dup(views->pool, prefix);
    if (views->prefix == NULL
        || strcmp((const char *) prefix.data, views->prefix) < 0)
    {
        views->prefix = (const char *) prefix.data;
    }
    return IRI_OK;
}

static void
mod_iri_multiviews(request_rec *r)
{
    const iri_tree_conf_t *tree;
    const char            *dir;
    mod_iri_multiviews_t   views;
    iri_node_t             node;
    size_t                 i;

    if (r->finfo.filetype != APR_NOFILE || !(ap_allow_options(r) & OPT_MULTI))
    {
        return;
    }
    dir = ap_make_dirstr_parent(r->pool, r->filename);
    tree = mod_iri_tree_of_parent(r);
    memset(&views, 0, sizeof(views));
    views.env = mod_iri_env(r);
    views.tree = tree;
    views.pool = r->pool;
    views.octets = mod_iri_str(r->filename + strlen(dir));
    if (iri_path_is_ascii(views.octets, 0)
        || iri_entry_name(views.env, tree, views.octets, &views.name)
               != IRI_OK
        || views.name.len == 0)
    {
        return;
    }
    for (i = 0; i < views.octets.len; i++) {
        views.dots += views.octets.data[i] == '.';
    }
    views.env->dir->list(views.env->ctx, dir, &node, mod_iri_multiviews_entry,
                         &views);
    if (!views.exact && views.prefix != NULL) {
        r->filename = apr_pstrcat(r->pool, dir, views.prefix, NULL);
        r->canonical_filename = r->filename;
    }
}

/* ---- <Files> ------------------------------------------------------------ */

/*
 * Compare <Files> with the name of the entry.  is_found: 1: r->filename is the
 * path that the lookup has set.
 */
static int
mod_iri_file_walk(request_rec *r, const mod_iri_request_t *ctx, int is_found)
{
    char     *filename = r->filename;
    char     *slash = strrchr(filename, '/');
    iri_str_t name;
    int       status;

    if (slash == NULL || slash[1] == '\0'
        || mod_iri_found(ctx)->verdict == IRI_CHOOSE
        || mod_iri_found(ctx)->verdict == IRI_REFUSE
        || (is_found && ctx->lookup != NULL
            && iri_lookup_is_literal(ctx->lookup)
            && (size_t) (slash - filename) >= ctx->lookup->search.root.len))
    {
        return ap_file_walk(r);
    }
    if (iri_entry_name(mod_iri_env(r), mod_iri_tree_of_parent(r),
                       mod_iri_str(slash + 1), &name)
        != IRI_OK)
    {
        /* without the name it is unknown which <Files> apply */
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (name.len == 0) {
        return ap_file_walk(r);
    }
    r->filename = mod_iri_dup(r->pool, name);
    r->filename = apr_pstrcat(
        r->pool, apr_pstrmemdup(r->pool, filename, slash + 1 - filename),
        r->filename, NULL);
    status = ap_file_walk(r);
    r->filename = filename;
    return status;
}

int
mod_iri_walk(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);
    const char        *filename;
    int                status;

    if (ctx == NULL || r->proxyreq || r->filename == NULL
        || iri_str_is_ascii(mod_iri_str(r->filename))
        || mod_iri_server_conf(r->server)->engine != IRI_ENGINE_ON)
    {
        return DECLINED;
    }
    status = mod_iri_directory_walk(r, ctx);
    if (status != OK) {
        return status;
    }
    filename = r->filename;
    if (mod_iri_found(ctx)->verdict != IRI_REFUSE) {
        mod_iri_multiviews(r);
    }
    return mod_iri_file_walk(r, ctx, r->filename == filename);
}
