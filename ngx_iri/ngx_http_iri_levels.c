/*
 * ngx_http_iri_levels.c - the settings of each directory of a path
 *
 * What a location says of names on disk holds for the names behind its prefix.
 * The names that the prefix itself covers are in directories that belong to
 * the enclosing level: the location with the longest prefix that is shorter,
 * or the server.  All of that is known when the configuration is read, so a
 * location points to the level that encloses it.
 *
 * Only the prefix and the exact locations say by their names which part of a
 * path they cover.  Any other (regular expression, and what stands in one,
 * name, if, limit_except) is at the level of the location or server that it
 * stands in, with settings of its own.  A level with another root knows nothing of the directories below
 * this one, so it encloses nothing here.
 */

#include "ngx_http_iri.h"


/* A location, or the part of a server outside all of them. */
typedef struct {
    ngx_http_iri_loc_conf_t  *conf;
    ngx_http_iri_loc_conf_t  *parent; /* that it stands in */
    ngx_http_core_loc_conf_t *clcf;
    void                     *server;
} ngx_http_iri_level_t;


ngx_int_t
ngx_http_iri_levels_create(ngx_conf_t *cf, ngx_http_iri_main_conf_t *imcf)
{
    return ngx_array_init(&imcf->levels, cf->pool, 16,
                          sizeof(ngx_http_iri_level_t));
}


ngx_int_t
ngx_http_iri_levels_add(ngx_conf_t *cf, ngx_http_iri_loc_conf_t *parent,
                        ngx_http_iri_loc_conf_t *conf)
{
    ngx_http_conf_ctx_t      *ctx = cf->ctx;
    ngx_http_iri_level_t     *level;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    level = ngx_array_push(&imcf->levels);
    if (level == NULL) {
        return NGX_ERROR;
    }

    level->conf = conf;
    level->parent = parent;
    level->clcf = ctx->loc_conf[ngx_http_core_module.ctx_index];
    level->server = ctx->srv_conf;

    conf->core = level->clcf;
    conf->any = conf->tree;

    return NGX_OK;
}


/* ---- which level encloses a location ------------------------------------- */

static ngx_uint_t
ngx_http_iri_levels_regex(const ngx_http_core_loc_conf_t *clcf)
{
#if (NGX_PCRE)
    return clcf->regex != NULL;
#else
    (void) clcf;
    return 0;
#endif
}


/* Does its name say which part of a path it covers? */
static ngx_uint_t
ngx_http_iri_levels_covers(const ngx_http_iri_level_t *level)
{
    const ngx_http_core_loc_conf_t *clcf = level->clcf;
    const ngx_http_core_loc_conf_t *parent = level->parent->core;

    return clcf->name.len != 0 && !clcf->noname && !clcf->named
           && !ngx_http_iri_levels_regex(clcf)
           && (parent == NULL || !ngx_http_iri_levels_regex(parent));
}


static ngx_uint_t
ngx_http_iri_levels_begins(ngx_str_t path, ngx_str_t with)
{
    return path.len >= with.len
           && ngx_memcmp(path.data, with.data, with.len) == 0;
}


/* By server, then by name; of two that have one name the exact one first. */
static int
ngx_http_iri_levels_order(const void *one, const void *two)
{
    int                         rc;
    const ngx_http_iri_level_t *a = *(ngx_http_iri_level_t *const *) one;
    const ngx_http_iri_level_t *b = *(ngx_http_iri_level_t *const *) two;

    if (a->server != b->server) {
        return (uintptr_t) a->server < (uintptr_t) b->server ? -1 : 1;
    }

    rc = ngx_memcmp(a->clcf->name.data, b->clcf->name.data,
                    ngx_min(a->clcf->name.len, b->clcf->name.len));

    if (rc != 0 || a->clcf->name.len != b->clcf->name.len) {
        return rc != 0 ? rc : a->clcf->name.len < b->clcf->name.len ? -1 : 1;
    }

    return (int) b->clcf->exact_match - (int) a->clcf->exact_match;
}


/* Is what a path is put behind the same? */
static ngx_uint_t
ngx_http_iri_levels_same_root(const ngx_http_core_loc_conf_t *a,
                              const ngx_http_core_loc_conf_t *b)
{
    return a->alias == b->alias && a->root_lengths == b->root_lengths
           && ngx_http_iri_same(a->root, b->root);
}


static ngx_uint_t
ngx_http_iri_levels_same_tree(const iri_tree_conf_t *a,
                              const iri_tree_conf_t *b)
{
    return a->names == b->names && a->match == b->match
           && a->ambiguous == b->ambiguous && a->repair == b->repair
           && a->charsets.count == b->charsets.count
           && ngx_memcmp(a->charsets.at, b->charsets.at,
                         a->charsets.count * sizeof(iri_charset_t *))
                  == 0;
}


/* above NULL: none. */
static void
ngx_http_iri_levels_put(ngx_http_iri_loc_conf_t *conf, ngx_str_t covers,
                        ngx_http_iri_loc_conf_t *above)
{
    conf->covers = covers;
    conf->above = above != NULL
                          && ngx_http_iri_levels_same_root(conf->core,
                                                           above->core)
                      ? above
                      : NULL;
}


/* The prefixes that a path begins with stand before it, the longest last. */
static ngx_int_t
ngx_http_iri_levels_prefixes(ngx_conf_t *cf, ngx_http_iri_level_t *levels,
                             ngx_uint_t count)
{
    ngx_uint_t             i, n = 0, depth = 0;
    ngx_http_iri_level_t **sorted, **stack, *level;

    sorted = ngx_palloc(cf->temp_pool, 2 * count * sizeof(*sorted));
    if (sorted == NULL) {
        return NGX_ERROR;
    }

    stack = sorted + count;

    for (i = 0; i < count; i++) {
        if (ngx_http_iri_levels_covers(&levels[i])) {
            sorted[n++] = &levels[i];
        }
    }

    ngx_qsort(sorted, n, sizeof(*sorted), ngx_http_iri_levels_order);

    for (i = 0; i < n; i++) {
        level = sorted[i];

        while (depth > 0
               && (stack[depth - 1]->server != level->server
                   || !ngx_http_iri_levels_begins(
                       level->clcf->name, stack[depth - 1]->clcf->name)))
        {
            depth--;
        }

        ngx_http_iri_levels_put(level->conf, level->clcf->name,
                                depth > 0 ? stack[depth - 1]->conf : NULL);
        level->conf->enclosed = depth > 0;

        if (!level->clcf->exact_match) {
            stack[depth++] = level;
        }
    }

    return NGX_OK;
}


/* Where all levels say the same, there is one. */
static void
ngx_http_iri_levels_join(ngx_http_iri_loc_conf_t *conf)
{
    ngx_uint_t                     differ = 0;
    const ngx_http_iri_loc_conf_t *level;

    for (level = conf->above; level != NULL; level = level->above) {
        differ |= !ngx_http_iri_levels_same_tree(&level->tree, &conf->tree);
        conf->any.match |= level->tree.match;
    }

    conf->levels = differ;
}


ngx_int_t
ngx_http_iri_levels_init(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_http_iri_level_t     *level;
    ngx_http_iri_loc_conf_t  *server = NULL;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    level = imcf->levels.elts;

    if (ngx_http_iri_levels_prefixes(cf, level, imcf->levels.nelts) != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* In the order of merging: a server, then what stands in it. */
    for (i = 0; i < imcf->levels.nelts; i++) {
        if (level[i].clcf->name.len == 0 && !level[i].clcf->noname) {
            server = level[i].conf;

        } else if (!ngx_http_iri_levels_covers(&level[i])) {
            ngx_http_iri_levels_put(level[i].conf, level[i].parent->covers,
                                    level[i].parent->above);

        } else if (!level[i].conf->enclosed) {
            ngx_http_iri_levels_put(level[i].conf, level[i].clcf->name,
                                    server);
        }
    }

    for (i = 0; i < imcf->levels.nelts; i++) {
        ngx_http_iri_levels_join(level[i].conf);
    }

    return NGX_OK;
}


/* ---- of a search --------------------------------------------------------- */

/* Where the name ends that follows so many "/" in path. */
static size_t
ngx_http_iri_levels_end(iri_str_t path, ngx_uint_t slashes)
{
    size_t i;

    for (i = 0; i < path.len; i++) {
        if (path.data[i] == '/' && slashes-- == 0) {
            break;
        }
    }

    return i;
}


static ngx_uint_t
ngx_http_iri_levels_slashes(const u_char *p, size_t len)
{
    ngx_uint_t n = 0;

    while (len-- > 0) {
        n += *p++ == '/';
    }

    return n;
}


/*
 * As iri_directory_conf_t.  What is found under another name has the settings of the
 * name that was asked for: if it has a location of its own, the request
 * restarts there.
 */
static const iri_tree_conf_t *
ngx_http_iri_levels_tree(const iri_env_t *env, const iri_search_t *search,
                         iri_str_t names)
{
    size_t                         end;
    ngx_uint_t                     slashes;
    const ngx_http_iri_loc_conf_t *level = search->places;

    (void) env;

    slashes = ngx_http_iri_levels_slashes(search->path.data, search->prefix)
              + ngx_http_iri_levels_slashes(names.data, names.len);
    end = ngx_http_iri_levels_end(search->path, slashes);

    while (level->above != NULL && end <= level->covers.len) {
        level = level->above;
    }

    return &level->tree;
}


void
ngx_http_iri_levels_search(const ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri,
                           iri_search_t *search)
{
    search->tree = &ilcf->tree;

    if (ilcf->levels && ngx_http_iri_levels_begins(uri, ilcf->covers)
        && search->path.data == uri.data)
    {
        search->settings_of = ngx_http_iri_levels_tree;
        search->places = ilcf;
    }
}
