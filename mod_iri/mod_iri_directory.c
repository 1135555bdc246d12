/*
 * mod_iri_directory.c - copies of <Directory> for each encoding of its name
 *
 * httpd compares <Directory "/srv/caf\xC3\xA9"> with octets on disk.  If the
 * tree stores that name in NFD or in another charset, the section would not
 * match, and would not deny access.  So if the engine is on, each such section
 * gets copies for all encodings that its tree may use for the name, whether the
 * directory exists or not.  Servers share sections, so the original section is
 * not changed.
 *
 * Some names have more encodings than can be listed (partly composed letters).
 * A file in a directory with the name of a section, in octets for which no copy
 * exists, is not served.
 */

#include "mod_iri_request.h"
#include "mod_iri_tree.h"

#define MOD_IRI_MAX_ENCODINGS 64 /* per section */

/* Returns: 1 if octets decode to a name in a tree, or decoding fails. */
static int
mod_iri_may_have_name(iri_env_apr_t *env, const iri_tree_conf_t *tree,
                      iri_str_t octets, iri_str_t name)
{
    iri_str_t found;

    return iri_entry_name(&env->env, tree, octets, &found) != IRI_OK
           || mod_iri_str_equal(found, name);
}

/* Returns: the path after its first segment and "/". */
static const char *
mod_iri_next_segment(const char *path)
{
    path += strcspn(path, "/");
    return *path == '/' ? path + 1 : path;
}

/* ---- encodings of a name ------------------------------------------------ */

static int
mod_iri_has_encoding(const apr_array_header_t *encodings, const char *path,
                     size_t len)
{
    const char *encoding;
    int         i;

    for (i = 0; i < encodings->nelts; i++) {
        encoding = APR_ARRAY_IDX(encodings, i, const char *);
        if (strlen(encoding) == len && memcmp(encoding, path, len) == 0) {
            return 1;
        }
    }
    return 0;
}

static void
mod_iri_add_encoding(apr_array_header_t *encodings, const char *path)
{
    if (!mod_iri_has_encoding(encodings, path, strlen(path))) {
        APR_ARRAY_PUSH(encodings, const char *) = path;
    }
}

/*
 * Returns: the settings of the directory that contains the segment at name.
 */
static const iri_tree_conf_t *
mod_iri_segment_tree(iri_env_apr_t *env, const mod_iri_server_conf_t *conf,
                     const mod_iri_encoded_section_t *directory,
                     const char                      *name)
{
    return mod_iri_tree_of(
        conf,
        apr_pstrmemdup(env->pool, directory->name, name - directory->name),
        env->pool);
}

/*
 * Returns: all encodings of a segment in a tree: each charset, in NFC and
 * NFD.
 */
static apr_array_header_t *
mod_iri_segment_encodings(iri_env_apr_t *env, const iri_tree_conf_t *tree,
                          iri_str_t segment)
{
    apr_array_header_t *encodings;
    iri_tree_conf_t     any = *tree;
    iri_str_t           octets;
    size_t              k;

    encodings = apr_array_make(env->pool, 2, sizeof(const char *));
    any.names = IRI_FILENAME_ANY;
    any.match |= IRI_FOLD_NORMALIZATION;
    for (k = 0; k < 2 * tree->charsets.count; k++) {
        if (iri_name_octets(&env->env, &any, segment, k, &octets) == IRI_OK
            && octets.len != 0)
        {
            mod_iri_add_encoding(encodings, mod_iri_dup(env->pool, octets));
        }
    }
    return encodings;
}

/* Returns: each of dirs followed by each of names and "/". */
static apr_array_header_t *
mod_iri_join_encodings(iri_env_apr_t *env, const apr_array_header_t *dirs,
                       const apr_array_header_t *names)
{
    apr_array_header_t *encodings;
    int                 i, k;

    encodings = apr_array_make(env->pool, 4, sizeof(const char *));
    for (i = 0; i < dirs->nelts; i++) {
        for (k = 0;
             k < names->nelts && encodings->nelts < MOD_IRI_MAX_ENCODINGS;
             k++) {
            mod_iri_add_encoding(
                encodings,
                apr_pstrcat(env->pool, APR_ARRAY_IDX(dirs, i, const char *),
                            APR_ARRAY_IDX(names, k, const char *), "/",
                            NULL));
        }
    }
    return encodings;
}

/*
 * Returns: all encodings of the path of a section.  A search does not map its
 * root.  So any number of leading segments may have the configured octets, and
 * the rest an encoding of the tree.
 */
static apr_array_header_t *
mod_iri_path_encodings(iri_env_apr_t *env, const mod_iri_server_conf_t *conf,
                       const mod_iri_encoded_section_t *directory)
{
    const char            *path = directory->path, *name = directory->name;
    const iri_tree_conf_t *tree;
    apr_array_header_t    *encodings;
    iri_str_t              segment;

    encodings = apr_array_make(env->pool, 1, sizeof(const char *));
    while (*name != '\0' && *path != '\0') {
        mod_iri_add_encoding(encodings,
                             apr_pstrmemdup(env->pool, directory->path,
                                            path - directory->path));
        segment.data = (const unsigned char *) name;
        segment.len = strcspn(name, "/");
        tree = mod_iri_segment_tree(env, conf, directory, name);
        encodings = mod_iri_join_encodings(
            env, encodings, mod_iri_segment_encodings(env, tree, segment));
        name = mod_iri_next_segment(name);
        path = mod_iri_next_segment(path);
    }
    return encodings;
}

/* Add the encoding that is on disk now, if the directory exists. */
static void
mod_iri_add_present(iri_env_apr_t *env, const server_rec *s, const char *name,
                    apr_array_header_t *encodings)
{
    iri_search_t search;
    iri_found_t  found;

    memset(&search, 0, sizeof(search));
    mod_iri_search_set_trees(s, env, &search);
    search.canonical = 1;
    search.path = mod_iri_str(name);
    if (iri_find(&env->env, &search, &found) == IRI_OK
        && found.verdict == IRI_SERVE)
    {
        mod_iri_add_encoding(encodings,
                             mod_iri_dup(env->pool, found.filename));
    }
}

/* ---- sections ----------------------------------------------------------- */

/* Returns: a copy of a section for other octets. */
static ap_conf_vector_t *
mod_iri_copy_section(apr_pool_t *pool, ap_conf_vector_t *section,
                     const char *octets)
{
    ap_conf_vector_t *copy = ap_create_per_dir_config(pool);
    core_dir_config  *core = ap_get_core_module_config(section);
    const module     *m;

    for (m = ap_top_module; m != NULL; m = m->next) {
        ap_set_module_config(copy, m, ap_get_module_config(section, m));
    }
    core = apr_pmemdup(pool, core, sizeof(*core));
    core->d = apr_pstrdup(pool, octets);
    core->d_is_fnmatch = 0;
    ap_set_core_module_config(copy, core);
    return copy;
}

/* Add a copy of a section, after it, for each further encoding. */
static void
mod_iri_add_section(server_rec *s, iri_env_apr_t *env,
                    apr_array_header_t *sections, ap_conf_vector_t *section)
{
    const core_dir_config     *core = ap_get_core_module_config(section);
    mod_iri_server_conf_t     *conf = mod_iri_server_conf(s);
    mod_iri_encoded_section_t *directory;
    const char                *octets;
    int                        i;

    directory = apr_array_push(conf->encoded_sections);
    directory->path = core->d;
    directory->name = mod_iri_canonical_path(s, core->d, env);
    directory->encodings = mod_iri_path_encodings(env, conf, directory);
    mod_iri_add_present(env, s, directory->name, directory->encodings);
    for (i = 0; i < directory->encodings->nelts; i++) {
        octets = APR_ARRAY_IDX(directory->encodings, i, const char *);
        if (strcmp(octets, core->d) != 0) {
            APR_ARRAY_PUSH(
                sections,
                ap_conf_vector_t *) = mod_iri_copy_section(env->pool, section,
                                                           octets);
            ap_log_error(
                APLOG_MARK, APLOG_INFO, 0, s,
                "iri: <Directory \"%s\"> may be stored as %s on disk",
                directory->name, octets);
        }
    }
    mod_iri_add_encoding(directory->encodings, core->d);
}

void
mod_iri_add_section_copies(server_rec *s, iri_env_apr_t *env)
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(s);
    core_server_config    *core = ap_get_core_module_config(s->module_config);
    apr_array_header_t    *sections;
    int                    i;

    conf->encoded_sections = apr_array_make(
        env->pool, 2, sizeof(mod_iri_encoded_section_t));
    sections = apr_array_make(env->pool, core->sec_dir->nelts + 1,
                              sizeof(ap_conf_vector_t *));
    for (i = 0; i < core->sec_dir->nelts; i++) {
        ap_conf_vector_t *section = APR_ARRAY_IDX(core->sec_dir, i,
                                                  ap_conf_vector_t *);
        core_dir_config  *c = ap_get_core_module_config(section);

        APR_ARRAY_PUSH(sections, ap_conf_vector_t *) = section;
        if (!c->r && !c->d_is_fnmatch
            && !iri_path_is_ascii(mod_iri_str(c->d), 0)) {
            mod_iri_add_section(s, env, sections, section);
        }
    }
    core->sec_dir = sections;
}

/* ---- requests ----------------------------------------------------------- */

/*
 * Returns: the length of the directory in filename that has the name of a
 * section; 0: there is none.
 *
 * As in mod_iri_path_encodings(), leading segments may have the configured
 * octets.  filename ends with "/".  If decoding fails, the names count as
 * equal, so that the file is served only if a section has these octets.
 */
static size_t
mod_iri_named_length(iri_env_apr_t *env, const mod_iri_server_conf_t *conf,
                     const char                      *filename,
                     const mod_iri_encoded_section_t *directory)
{
    const char *at = filename, *path = directory->path;
    const char *name = directory->name;
    iri_str_t   octets, segment;
    size_t      len;
    int         literal = 1;

    while (*name != '\0') {
        octets.data = (const unsigned char *) at;
        octets.len = strcspn(at, "/");
        segment.data = (const unsigned char *) name;
        segment.len = strcspn(name, "/");
        len = strcspn(path, "/");
        literal = literal && len == octets.len && memcmp(path, at, len) == 0;
        if (*at == '\0'
            || (!literal
                && !mod_iri_may_have_name(
                    env, mod_iri_segment_tree(env, conf, directory, name),
                    octets, segment)))
        {
            return 0;
        }
        at = mod_iri_next_segment(at);
        name = mod_iri_next_segment(name);
        path = mod_iri_next_segment(path);
    }
    return at - filename;
}

int
mod_iri_lacks_section_copy(request_rec *r)
{
    const mod_iri_server_conf_t     *conf = mod_iri_server_conf(r->server);
    const mod_iri_encoded_section_t *directory;
    const char                      *filename;
    iri_env_apr_t                    env;
    iri_shown_t                      file, name;
    size_t                           len;
    int                              i;

    if (conf->encoded_sections->nelts == 0) {
        return 0;
    }
    mod_iri_env_init(&env, r);
    filename = apr_pstrcat(r->pool, r->filename, "/", NULL);
    for (i = 0; i < conf->encoded_sections->nelts; i++) {
        directory = &APR_ARRAY_IDX(conf->encoded_sections, i,
                                   mod_iri_encoded_section_t);
        len = mod_iri_named_length(&env, conf, filename, directory);
        if (len != 0
            && !mod_iri_has_encoding(directory->encodings, filename, len)) {
            mod_iri_note(r, IRI_LOG_ERROR,
                         iri_reason_code(IRI_REASON_RESTART),
                         "\"%s\" not served: <Directory \"%s\"> applies "
                         "to these octets only after a restart of httpd",
                         iri_show(&file, mod_iri_str(r->filename)),
                         iri_show(&name, mod_iri_str(directory->name)));
            return 1;
        }
    }
    return 0;
}
