/*
 * mod_iri_root.c - document roots that are named after hosts
 *
 * mod_vhost_alias makes a document root of the host, which comes as A-labels.
 * The directory on disk may be named in Unicode.
 */

#include "mod_iri_host.h"
#include "mod_iri_request.h"
#include "mod_iri_tree.h"

static int
mod_iri_path_exists(request_rec *r, const char *path)
{
    apr_finfo_t info;

    return apr_stat(&info, path, APR_FINFO_TYPE, r->pool) == APR_SUCCESS;
}

/*
 * Returns: the path of the directory in dir that has the A-labels of segment,
 * or else its U-labels, as name; NULL: neither exists.  dir: octets on disk.
 */
static const char *
mod_iri_host_dir(request_rec *r, const char *dir, const char *segment)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(
        r->connection->base_server);
    const char   *path = apr_pstrcat(r->pool, dir, "/", segment, NULL);
    iri_env_apr_t env;
    iri_search_t  search;
    iri_found_t   found;
    iri_str_t     name;

    if (mod_iri_path_exists(r, path)) {
        return path;
    }
    mod_iri_env_init(&env, r);
    if (iri_host_display(&env.env, &conf->host, mod_iri_str(segment), &name)
            != IRI_OK
        || iri_path_is_ascii(name, 0))
    {
        return NULL;
    }
    path = apr_pstrcat(r->pool, "/", mod_iri_dup(r->pool, name), NULL);
    memset(&search, 0, sizeof(search));
    search.root = mod_iri_str(dir);
    search.path = mod_iri_str(path);
    search.cache = mod_iri_server_conf(r->server)->cache;
    search.tree = mod_iri_tree_of(
        mod_iri_server_conf(r->server),
        mod_iri_canonical_path(r->server, dir, &env), r->pool);
    if (iri_find(&env.env, &search, &found) != IRI_OK
        || (found.verdict != IRI_SERVE && found.verdict != IRI_PASS))
    {
        return NULL;
    }
    path = mod_iri_dup(r->pool, found.filename);
    return mod_iri_path_exists(r, path) ? path : NULL;
}

/* Returns: 1 if root was set for this request alone, and contains A-labels. */
static int
mod_iri_is_host_root(request_rec *r, const char *root)
{
    const core_server_config *core = ap_get_core_module_config(
        r->server->module_config);

    return root != NULL && root != core->ap_document_root
           && ap_document_root(r) == root && strstr(root, "xn--") != NULL
           && strncmp(r->filename, root, strlen(root)) == 0;
}

/*
 * Runs before the directory walk, so that <Directory> and .htaccess judge the
 * directory that is opened.
 */
void
mod_iri_map_root(request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(
        r->connection->base_server);
    const char *root, *segment, *dir = "";
    char       *segments, *last;

    if (!conf->maps_hosts || conf->engine != IRI_ENGINE_ON) {
        return;
    }
    root = ap_context_document_root(r);
    if (!mod_iri_is_host_root(r, root)) {
        return;
    }
    segments = apr_pstrdup(r->pool, root);
    for (segment = apr_strtok(segments, "/", &last); segment != NULL;
         segment = apr_strtok(NULL, "/", &last))
    {
        dir = strstr(segment, "xn--") == NULL
                  ? apr_pstrcat(r->pool, dir, "/", segment, NULL)
                  : mod_iri_host_dir(r, dir, segment);
        if (dir == NULL) {
            return;
        }
    }
    if (strcmp(dir, root) == 0) {
        return;
    }
    r->filename = apr_pstrcat(r->pool, dir, r->filename + strlen(root), NULL);
    r->canonical_filename = NULL;
    r->finfo.filetype = APR_NOFILE;
    r->finfo.valid = 0;
    ap_set_document_root(r, dir);
    ap_set_context_info(r, NULL, dir);
    mod_iri_request_create(r)->host_root = dir;
}
