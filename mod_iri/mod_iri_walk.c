/*
 * mod_iri_walk.c - <Directory>, <Files> and MultiViews on canonical names
 *
 * The hook runs before httpd's own, and does the same two walks.
 *
 * httpd compares <Directory "/srv/caf\xC3\xA9"> with octets on disk.  If the
 * tree stores that name in NFD or in another charset, the section would not
 * match, and would not deny access.  So the walk gets a copy of the section,
 * after it, with the octets of the request's file name, in a copy of the
 * server_rec: servers and requests share sections.
 *
 * <Files "caf\xC3\xA9.html"> is compared with the name of the entry. For
 * mod_negotiation, which compares octets, r->filename gets the octets with which
 * an entry starts that has the name of a path without its suffix.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

/* Returns: the path after its first segment and "/". */
static const char *
mod_iri_next_segment(const char *path)
{
    path += strcspn(path, "/");
    return *path == '/' ? path + 1 : path;
}

static iri_str_t
mod_iri_first_segment(const char *path)
{
    return mod_iri_substr(path, strcspn(path, "/"));
}

/*
 * Set *len to the length of the directory in filename that has the name of a
 * section; 0: there is none.
 *
 * A search does not map its root.  So any number of leading segments may have
 * the configured octets, and the rest an encoding of the tree.  filename ends
 * with "/".  Returns: as iri_entry_name().
 */
static iri_status_t
mod_iri_named_length(const iri_env_t *env, const mod_iri_server_conf_t *conf,
                     const char                      *filename,
                     const mod_iri_encoded_section_t *directory, size_t *len)
{
    const char  *at = filename, *path = directory->path;
    const char  *name = directory->name;
    apr_pool_t  *pool = mod_iri_pool(env);
    iri_str_t    octets, found;
    iri_status_t status;
    int          literal = 1;

    *len = 0;
    for (; *name != '\0'; name = mod_iri_next_segment(name)) {
        if (*at == '\0') {
            return IRI_OK;
        }
        octets = mod_iri_first_segment(at);
        literal = literal
                  && iri_str_equal(octets, mod_iri_first_segment(path));
        if (!literal) {
            status = iri_entry_name(
                env,
                mod_iri_tree_of(conf,
                                apr_pstrmemdup(pool, directory->name,
                                               name - directory->name),
                                pool),
                octets, &found);
            if (status != IRI_OK
                || !iri_str_equal(found, mod_iri_first_segment(name))) {
                return status;
            }
        }
        at = mod_iri_next_segment(at);
        path = mod_iri_next_segment(path);
    }
    *len = at - filename;
    return IRI_OK;
}

/* Returns: a copy of a section for the path octets, which ends with "/". */
static ap_conf_vector_t *
mod_iri_copy_section(apr_pool_t *pool, ap_conf_vector_t *section,
                     char *octets)
{
    core_dir_config *core = apr_pmemdup(
        pool, ap_get_core_module_config(section), sizeof(*core));

    core->d = octets;
    section = mod_iri_copy_vector(pool, section);
    ap_set_core_module_config(section, core);
    return section;
}

/*
 * Set *sections to those of r->server, each followed by the copy that the walk
 * of r needs, and *key to a string that differs if the copies differ; "": no
 * copy is needed.  Returns: as iri_entry_name().
 */
static iri_status_t
mod_iri_find_sections(request_rec *r, apr_array_header_t **sections,
                      const char **key)
{
    const mod_iri_server_conf_t *conf = mod_iri_conf(r);
    const core_server_config    *core = ap_get_core_module_config(
           r->server->module_config);
    const mod_iri_encoded_section_t *encoded;
    ap_conf_vector_t                *section;
    iri_status_t                     status;
    char                            *filename, *octets;
    size_t                           len;
    int                              i, k = 0;

    *sections = apr_array_make(
        r->pool, core->sec_dir->nelts + conf->encoded_sections->nelts,
        sizeof(ap_conf_vector_t *));
    *key = "";
    filename = apr_pstrcat(r->pool, mod_iri_merged_path(r->pool, r->filename),
                           "/", NULL);
    for (i = 0; i < core->sec_dir->nelts; i++) {
        section = APR_ARRAY_IDX(core->sec_dir, i, ap_conf_vector_t *);
        APR_ARRAY_PUSH(*sections, ap_conf_vector_t *) = section;
        encoded = &APR_ARRAY_IDX(conf->encoded_sections, k,
                                 mod_iri_encoded_section_t);
        if (k == conf->encoded_sections->nelts || encoded->section != section)
        {
            continue;
        }
        k++;
        status = mod_iri_named_length(mod_iri_env(r), conf, filename, encoded,
                                      &len);
        if (status != IRI_OK) {
            return status;
        }
        if (len != 0 && strncmp(filename, encoded->path, len) != 0) {
            octets = apr_pstrmemdup(r->pool, filename, len);
            APR_ARRAY_PUSH(*sections,
                           ap_conf_vector_t *) = mod_iri_copy_section(r->pool,
                                                                      section,
                                                                      octets);
            *key = apr_psprintf(r->pool, "%s%d %s\n", *key, k, octets);
        }
    }
    return IRI_OK;
}

/* Returns: a copy of r->server with these sections. */
static server_rec *
mod_iri_server_with(request_rec *r, apr_array_header_t *sections)
{
    server_rec         *s = apr_pmemdup(r->pool, r->server, sizeof(*s));
    core_server_config *core = apr_pmemdup(
        r->pool, ap_get_core_module_config(s->module_config), sizeof(*core));

    core->sec_dir = sections;
    s->module_config = mod_iri_copy_vector(r->pool, s->module_config);
    ap_set_core_module_config(s->module_config, core);
    return s;
}

/*
 * An internal redirect or a subrequest uses the sections of the request that it
 * comes from if it needs the same: httpd then sees the same configuration.
 */
static int
mod_iri_directory_walk(request_rec *r, mod_iri_request_t *ctx)
{
    const request_rec       *from = r->prev ? r->prev : r->main;
    const mod_iri_request_t *before = from ? mod_iri_request(from) : NULL;
    server_rec              *server = r->server;
    apr_array_header_t      *sections;
    int                      status;

    if (mod_iri_server_conf(server)->encoded_sections->nelts == 0) {
        return ap_directory_walk(r);
    }
    if (mod_iri_find_sections(r, &sections, &ctx->walk_key) != IRI_OK) {
        /* it is unknown which sections apply */
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (*ctx->walk_key == '\0') {
        return ap_directory_walk(r);
    }
    ctx->walk_server = before != NULL && before->walk_server != NULL
                               && strcmp(before->walk_key, ctx->walk_key) == 0
                           ? before->walk_server
                           : mod_iri_server_with(r, sections);
    r->server = ctx->walk_server;
    status = ap_directory_walk(r);
    r->server = server;
    return status;
}

/* Returns: the length of the text before dot number n (from 0); 0: none. */
static size_t
mod_iri_length_before_dot(iri_str_t octets, size_t n)
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
 * Returns: the octets with which an entry starts that has the name of the
 * segment octets, and a suffix; NULL: none, or one starts with octets itself.
 * "." is never part of a multi-octet character.
 */
static const char *
mod_iri_find_prefix(request_rec *r, const char *path, iri_str_t octets)
{
    const iri_env_t       *env = mod_iri_env(r);
    const iri_tree_conf_t *tree = mod_iri_tree_of_parent(r);
    const char            *found = NULL, *text;
    apr_dir_t             *dir;
    apr_finfo_t            info;
    iri_str_t              name, entry, prefix;
    size_t                 dots = iri_str_count(octets, '.'), entries = 0;

    if (!mod_iri_name_of(env, tree, octets, &name)
        || apr_dir_open(&dir, path, r->pool) != APR_SUCCESS)
    {
        return NULL;
    }
    while (entries++ < IRI_MAX_ENTRIES_READ
           && apr_dir_read(&info, APR_FINFO_NAME, dir) == APR_SUCCESS)
    {
        prefix = mod_iri_str(info.name);
        prefix.len = mod_iri_length_before_dot(prefix, dots);
        if (iri_str_equal(prefix, octets)) {
            found = NULL;
            break;
        }
        if (iri_is_same_on_disk(mod_iri_conf(r)->match, prefix)
            || !mod_iri_name_of(env, tree, prefix, &entry)
            || !iri_str_equal(entry, name))
        {
            continue;
        }
        text = mod_iri_dup(r->pool, prefix);
        found = found == NULL || strcmp(text, found) < 0 ? text : found;
    }
    apr_dir_close(dir);
    return found;
}

static void
mod_iri_multiviews(request_rec *r)
{
    const char *dir = ap_make_dirstr_parent(r->pool, r->filename), *prefix;
    const char *segment = r->filename + strlen(dir);

    if (r->finfo.filetype == APR_NOFILE && (ap_allow_options(r) & OPT_MULTI)
        && !mod_iri_is_same_on_disk(r, segment)
        && (prefix = mod_iri_find_prefix(r, dir, mod_iri_str(segment)))
               != NULL)
    {
        r->filename = apr_pstrcat(r->pool, dir, prefix, NULL);
        r->canonical_filename = r->filename;
    }
}

/* Compare <Files> with the name of the entry. */
static int
mod_iri_file_walk(request_rec *r, const mod_iri_request_t *ctx)
{
    const iri_lookup_t *lookup = ctx->lookup;
    char               *filename = r->filename;
    char               *slash = strrchr(filename, '/');
    size_t              len = strlen(filename);
    iri_str_t           name;
    int                 status;

    if (slash == NULL || slash[1] == '\0'
        || !iri_may_open(mod_iri_found(ctx))
        /* the octets below the root are the names that were found */
        || (lookup != NULL && iri_lookup_is_literal(lookup)
            && len > lookup->search.root.len
            && len <= lookup->found.filename.len
            && memcmp(filename, lookup->found.filename.data, len) == 0))
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
    r->filename = apr_pstrcat(r->pool,
                              ap_make_dirstr_parent(r->pool, filename),
                              mod_iri_dup(r->pool, name), NULL);
    status = ap_file_walk(r);
    r->filename = filename;
    return status;
}

int
mod_iri_walk(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);
    int                status;

    if (ctx == NULL || r->proxyreq || r->filename == NULL
        || mod_iri_is_same_on_disk(r, r->filename) || !mod_iri_is_on(r))
    {
        return DECLINED;
    }
    status = mod_iri_directory_walk(r, ctx);
    if (status != OK) {
        return status;
    }
    if (mod_iri_found(ctx)->verdict != IRI_REFUSE) {
        mod_iri_multiviews(r);
    }
    return mod_iri_file_walk(r, ctx);
}
