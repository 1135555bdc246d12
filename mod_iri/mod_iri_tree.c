/*
 * mod_iri_tree.c - the settings and canonical names of directories
 *
 * <Directory> sections define how the names in a directory and below it are
 * encoded, matched and repaired; its own name is read by the settings of its
 * parent.  The core requests the settings of each directory of a search.
 */

#include "mod_iri_request.h"

#include <apr_fnmatch.h>

/* Returns: the length of path up to its n-th slash, included; 0: none. */
static size_t
mod_iri_segments_length(const char *path, unsigned n)
{
    const char *at = path;

    while (n > 0 && *at != '\0') {
        n -= *at++ == '/';
    }
    return n == 0 ? (size_t) (at - path) : 0;
}

/* Does a section apply to a directory?  As in ap_directory_walk(). */
static int
mod_iri_section_applies(const mod_iri_section_t *section,
                        const char *directory, apr_pool_t *pool)
{
    const char *path;
    size_t      len;

    if (section->regex) {
        return ap_regexec(section->regex, directory, 0, NULL, 0) == 0;
    }
    if (section->components == 0) {
        return 1;
    }
    if (!section->is_pattern) {
        len = strlen(section->name) - 1;
        return strncmp(section->name, directory, len) == 0
               && (directory[len] == '/' || directory[len] == '\0');
    }
    path = apr_pstrcat(pool, directory, "/", NULL);
    len = mod_iri_segments_length(path, section->components);
    return len != 0
           && apr_fnmatch(section->name, apr_pstrmemdup(pool, path, len),
                          APR_FNM_PATHNAME)
                  == APR_SUCCESS;
}

iri_tree_conf_t *
mod_iri_tree_of(const mod_iri_server_conf_t *conf, const char *directory,
                apr_pool_t *pool)
{
    const mod_iri_section_t *section;
    mod_iri_dir_conf_t      *dir = apr_pcalloc(pool, sizeof(*dir));
    int                      i;

    dir->tree.match = IRI_FOLD_NORMALIZATION;
    if (conf->lookup_defaults != NULL) {
        mod_iri_add_settings(dir, conf->lookup_defaults);
    }
    for (i = 0; i < conf->sections->nelts; i++) {
        section = &APR_ARRAY_IDX(conf->sections, i, mod_iri_section_t);
        if (mod_iri_section_applies(section, directory, pool)) {
            mod_iri_add_settings(dir, section->dir);
        }
    }
    /* with iri-charset a request may have a list of charsets of its own */
    iri_tree_conf_finish(conf->vary == NULL ? &conf->reading : NULL,
                         &dir->tree);
    return &dir->tree;
}

/*
 * Returns: 1 if a section names this directory or one below it.
 * directory: canonical, "/" or without "/" at its end.  below: 1: a section of
 * a directory below, or a pattern, is required.
 */
static int
mod_iri_has_section(const mod_iri_server_conf_t *conf, const char *directory,
                    int below)
{
    const mod_iri_section_t *section;
    size_t len = strcmp(directory, "/") != 0 ? strlen(directory) : 0;
    int    i;

    for (i = 0; i < conf->sections->nelts; i++) {
        section = &APR_ARRAY_IDX(conf->sections, i, mod_iri_section_t);
        if (section->regex || section->is_pattern) {
            if (below) {
                return 1;
            }
        } else if (strncmp(section->name, directory, len) == 0
                   && section->name[len] == '/'
                   && (!below || section->name[len + 1] != '\0'))
        {
            return 1;
        }
    }
    return 0;
}

/* ---- canonical names of directories and entries ------------------------- */

/* The same for the segment name in a directory, which ends with "/". */
static int
mod_iri_names_segment(const mod_iri_server_conf_t *conf, apr_pool_t *pool,
                      const char *directory, iri_str_t name)
{
    return mod_iri_has_section(
        conf, apr_pstrcat(pool, directory, mod_iri_dup(pool, name), NULL), 0);
}

int
mod_iri_name_of(const iri_env_t *env, const iri_tree_conf_t *tree,
                iri_str_t octets, iri_str_t *name)
{
    return iri_entry_name(env, tree, octets, name) == IRI_OK
           && name->len != 0;
}

/*
 * Returns: the canonical name of a segment.  The choice is, in this order: the
 * octets read as UTF-8; decoded by the settings of the directory that contains
 * them; read by IRICharset; unchanged.  The second precedes the first if a
 * section has the second name and none has the first.  directory: its canonical
 * path, with "/" at its end.
 */
static iri_str_t
mod_iri_segment_name(const server_rec *s, const iri_env_t *env,
                     const char *directory, iri_str_t octets)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(s);
    apr_pool_t                  *pool = mod_iri_pool(env);
    iri_str_t                    name, read = octets;
    iri_reading_t                reading;
    const char                  *path;
    int                          is_utf8 = 0;

    if (iri_str_is_ascii(octets)) {
        return octets;
    }
    path = apr_pstrcat(pool, "/", mod_iri_dup(pool, octets), NULL);
    if (mod_iri_read_internal(s, env, mod_iri_str(path), &reading) == IRI_OK
        && reading.verdict != IRI_REFUSE)
    {
        is_utf8 = reading.form != IRI_FORM_LEGACY;
        read = iri_str_from(reading.path, 1);
    }
    if (!mod_iri_name_of(env, mod_iri_tree_of(conf, directory, pool), octets,
                         &name))
    {
        return read;
    }
    return is_utf8
                   && (mod_iri_names_segment(conf, pool, directory, read)
                       || !mod_iri_names_segment(conf, pool, directory, name))
               ? read
               : name;
}

const char *
mod_iri_merged_path(apr_pool_t *pool, const char *path)
{
    char *merged;

    return apr_filepath_merge(&merged, NULL, path, APR_FILEPATH_NOTRELATIVE,
                              pool)
                   == APR_SUCCESS
               ? merged
               : path;
}

const char *
mod_iri_canonical_path(const server_rec *s, const char *path,
                       const iri_env_t *env)
{
    apr_pool_t *pool = mod_iri_pool(env);
    const char *names = "";
    iri_str_t   segment;

    path = mod_iri_merged_path(pool, path);
    if (*path != '/' || iri_path_is_ascii(mod_iri_str(path), 0)) {
        return path;
    }
    while (*path != '\0') {
        segment = mod_iri_substr(path, strcspn(path, "/"));
        path += segment.len;
        segment = mod_iri_segment_name(s, env, names, segment);
        names = apr_pstrcat(pool, names, mod_iri_dup(pool, segment),
                            *path == '/' ? "/" : NULL, NULL);
        path += *path == '/';
    }
    return names;
}

const char *
mod_iri_entry_names(request_rec *r, const char *directory, const char *octets)
{
    const iri_env_t *env = mod_iri_env(r);
    const char      *names = "", *parent;
    iri_str_t        segment, name;

    for (;;) {
        segment = mod_iri_substr(octets, strcspn(octets, "/"));
        name = segment;
        parent = apr_pstrcat(r->pool, directory, names, NULL);
        if (segment.len > 0
            && !mod_iri_name_of(
                env, mod_iri_tree_of(mod_iri_conf(r), parent, r->pool),
                segment, &name))
        {
            return NULL;
        }
        octets += segment.len;
        names = apr_pstrcat(r->pool, names, mod_iri_dup(r->pool, name),
                            *octets ? "/" : NULL, NULL);
        if (*octets++ == '\0') {
            return names;
        }
    }
}

/* The settings_data of a search. */
typedef struct {
    const mod_iri_server_conf_t *conf;
    const char                  *root; /* canonical path of search->root */
} mod_iri_settings_t;

/* iri_directory_conf_t */
static const iri_tree_conf_t *
mod_iri_tree_at(const iri_env_t *env, const iri_search_t *search,
                iri_str_t names)
{
    apr_pool_t               *pool = mod_iri_pool(env);
    const mod_iri_settings_t *settings = search->settings_data;

    return mod_iri_tree_of(
        settings->conf,
        apr_pstrcat(pool, settings->root, mod_iri_dup(pool, names), NULL),
        pool);
}

void
mod_iri_search_set_trees(const server_rec *server, const iri_env_t *env,
                         iri_search_t *search)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(server);
    apr_pool_t                  *pool = mod_iri_pool(env);
    mod_iri_settings_t          *settings;

    search->tree = &conf->tree;
    search->settings_of = NULL;
    search->settings_data = NULL;
    if (conf->sections->nelts == 0) {
        return;
    }
    settings = apr_palloc(pool, sizeof(*settings));
    settings->conf = conf;
    settings->root = mod_iri_canonical_path(
        server, mod_iri_dup(pool, search->root), env);
    search->tree = mod_iri_tree_of(conf, settings->root, pool);
    if (mod_iri_has_section(conf, settings->root, 1)) {
        search->settings_of = mod_iri_tree_at;
        search->settings_data = settings;
    }
}

/* ---- settings of a request ---------------------------------------------- */

const char *
mod_iri_path_below_root(request_rec *r, iri_str_t root, iri_str_t names)
{
    return apr_pstrcat(r->pool,
                       mod_iri_canonical_path(r->server,
                                              mod_iri_dup(r->pool, root),
                                              mod_iri_env(r)),
                       mod_iri_dup(r->pool, names), NULL);
}

const char *
mod_iri_settings_path(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx != NULL && ctx->settings_path != NULL) {
        return ctx->settings_path;
    }
    if (ctx != NULL && ctx->lookup != NULL
        && !mod_iri_is_same_on_disk(r, r->filename))
    {
        return mod_iri_path_below_root(
            r, ctx->lookup->search.root,
            iri_str_from(ctx->lookup->search.path,
                         ctx->lookup->search.prefix));
    }
    return mod_iri_canonical_path(r->server, r->filename, mod_iri_env(r));
}

const iri_tree_conf_t *
mod_iri_tree_of_filename(request_rec *r)
{
    return mod_iri_tree_of(mod_iri_conf(r), mod_iri_settings_path(r),
                           r->pool);
}

const iri_tree_conf_t *
mod_iri_tree_of_parent(request_rec *r)
{
    return mod_iri_tree_of(
        mod_iri_conf(r),
        ap_make_dirstr_parent(r->pool, mod_iri_settings_path(r)), r->pool);
}
