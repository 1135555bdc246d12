/*
 * ngx_http_iri_levels.c - the settings of each directory of a path
 *
 * Each name is read by the settings of the directory that contains it (design
 * 5.2).  The settings of a location apply to the names after its prefix.  The
 * names of the prefix itself are in directories of the enclosing level: the
 * location with the next shorter prefix of the path, or the server.  Each
 * location points to the level that encloses it.
 *
 * Only the names of prefix and exact locations show which part of a path they
 * cover.  Any other (regular expression, a location in one, named location, if,
 * limit_except) covers the same part as the location or server that contains
 * it, with its own settings.  A level with another root does not contain the
 * directories below this one, so it does not enclose the location.
 */

#include "ngx_http_iri.h"


/* A location, or the server outside all locations. */
typedef struct {
    ngx_http_iri_loc_conf_t  *conf;
    ngx_http_iri_loc_conf_t  *parent; /* that contains it */
    ngx_http_core_loc_conf_t *clcf;
    void                     *server; /* identifies its server */
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

    conf->exact = level->clcf->exact_match
                  || (level->clcf->noname && parent->exact);
    conf->core = level->clcf;
    conf->any = conf->tree;

    return NGX_OK;
}


/* ---- which level encloses a location ------------------------------------- */

static ngx_uint_t
ngx_http_iri_levels_is_regex(const ngx_http_core_loc_conf_t *clcf)
{
#if (NGX_PCRE)
    return clcf->regex != NULL;
#else
    (void) clcf;
    return 0;
#endif
}


/* Returns: 1 for a prefix or exact location that is not inside a regex. */
static ngx_uint_t
ngx_http_iri_levels_covers(const ngx_http_iri_level_t *level)
{
    const ngx_http_core_loc_conf_t *clcf = level->clcf;
    const ngx_http_core_loc_conf_t *parent = level->parent->core;

    return clcf->name.len != 0 && !clcf->noname && !clcf->named
           && !ngx_http_iri_levels_is_regex(clcf)
           && (parent == NULL || !ngx_http_iri_levels_is_regex(parent));
}


static ngx_uint_t
ngx_http_iri_levels_has_prefix(ngx_str_t path, ngx_str_t with)
{
    return path.len >= with.len
           && ngx_memcmp(path.data, with.data, with.len) == 0;
}


/* By server, then by name; of equal names the exact location first. */
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


/* Returns: 1 if both locations map paths to the same directory. */
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


/* Set the members that link conf to the level above, which may be NULL. */
static void
ngx_http_iri_levels_link(ngx_http_iri_loc_conf_t *conf, ngx_str_t covers,
                         ngx_http_iri_loc_conf_t *above)
{
    conf->covers = covers;
    conf->above = above != NULL
                          && ngx_http_iri_levels_same_root(conf->core,
                                                           above->core)
                      ? above
                      : NULL;
}


/*
 * Link prefix locations.  Sorted by name, the prefixes of a name come before
 * it; the stack holds those of the present one, the longest on top.
 */
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
                   || !ngx_http_iri_levels_has_prefix(
                       level->clcf->name, stack[depth - 1]->clcf->name)))
        {
            depth--;
        }

        ngx_http_iri_levels_link(level->conf, level->clcf->name,
                                 depth > 0 ? stack[depth - 1]->conf : NULL);
        level->conf->enclosed = depth > 0;

        if (!level->clcf->exact_match) {
            stack[depth++] = level;
        }
    }

    return NGX_OK;
}


/* Set conf->any, and conf->levels if a level above has other settings. */
static void
ngx_http_iri_levels_combine(ngx_http_iri_loc_conf_t *conf)
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

    /* In the order of merging: a server precedes its locations. */
    for (i = 0; i < imcf->levels.nelts; i++) {
        if (level[i].clcf->name.len == 0 && !level[i].clcf->noname) {
            server = level[i].conf;

        } else if (!ngx_http_iri_levels_covers(&level[i])) {
            ngx_http_iri_levels_link(level[i].conf, level[i].parent->covers,
                                     level[i].parent->above);

        } else if (!level[i].conf->enclosed) {
            ngx_http_iri_levels_link(level[i].conf, level[i].clcf->name,
                                     server);
        }
    }

    for (i = 0; i < imcf->levels.nelts; i++) {
        ngx_http_iri_levels_combine(level[i].conf);
    }

    return NGX_OK;
}


/* ---- a lookup ------------------------------------------------------------ */

/* The end of the name that follows the given number of "/" in path. */
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
 * search->settings_of.  names: path of the directory below root.  An entry that
 * has another name than the path gets the settings of the path: if its own name
 * is in another location, the request restarts there.
 */
static const iri_tree_conf_t *
ngx_http_iri_levels_tree(const iri_env_t *env, const iri_search_t *search,
                         iri_str_t names)
{
    size_t                         end;
    ngx_uint_t                     slashes;
    const ngx_http_iri_loc_conf_t *level = search->settings_data;

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

    if (ilcf->levels && ngx_http_iri_levels_has_prefix(uri, ilcf->covers)
        && search->path.data == uri.data)
    {
        search->settings_of = ngx_http_iri_levels_tree;
        search->settings_data = ilcf;
    }
}
