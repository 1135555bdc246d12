/*
 * ngx_http_iri_settings.c - the settings of each directory of a path
 *
 * A name is read by the settings of the directory that contains it (design
 * 5.2).  The settings of a location apply to the names after its prefix.  To
 * the names in the prefix, the settings of the enclosing location apply: the
 * one with the next shorter prefix, or the server{} if there is none.  Each
 * location points to the enclosing one.
 *
 * Only prefix and exact locations have a prefix.  Any other location (a regular
 * expression, a location in one, a named location, if, limit_except) has the
 * prefix of the location or server that contains it.  A location with another
 * root does not enclose, since its root does not contain the directories.
 */

#include "ngx_http_iri.h"


/* A location, or a server outside all locations */
typedef struct {
    ngx_http_iri_loc_conf_t  *conf;
    ngx_http_iri_loc_conf_t  *parent; /* the one that contains it */
    ngx_http_core_loc_conf_t *clcf;
    void                     *server; /* srv_conf, to compare servers */
} ngx_http_iri_settings_t;


ngx_int_t
ngx_http_iri_settings_create(ngx_conf_t *cf, ngx_http_iri_main_conf_t *imcf)
{
    return ngx_array_init(&imcf->settings, cf->pool, 16,
                          sizeof(ngx_http_iri_settings_t));
}


ngx_int_t
ngx_http_iri_settings_add(ngx_conf_t *cf, ngx_http_iri_loc_conf_t *parent,
                          ngx_http_iri_loc_conf_t *conf)
{
    ngx_http_conf_ctx_t      *ctx = cf->ctx;
    ngx_http_iri_settings_t  *location;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    location = ngx_array_push(&imcf->settings);
    if (location == NULL) {
        return NGX_ERROR;
    }

    location->conf = conf;
    location->parent = parent;
    location->clcf = ctx->loc_conf[ngx_http_core_module.ctx_index];
    location->server = ctx->srv_conf;

    conf->exact = location->clcf->exact_match
                  || (location->clcf->noname && parent->exact);
    conf->clcf = location->clcf;
    conf->combined = conf->tree;

    return NGX_OK;
}


/* ---- linking locations --------------------------------------------------- */

static ngx_uint_t
ngx_http_iri_settings_is_regex(const ngx_http_core_loc_conf_t *clcf)
{
#if (NGX_PCRE)
    return clcf->regex != NULL;
#else
    (void) clcf;
    return 0;
#endif
}


/* Returns: 1 for a prefix or exact location, unless a regex contains it. */
static ngx_uint_t
ngx_http_iri_settings_have_prefix(const ngx_http_iri_settings_t *location)
{
    const ngx_http_core_loc_conf_t *clcf = location->clcf;
    const ngx_http_core_loc_conf_t *parent = location->parent->clcf;

    return clcf->name.len != 0 && !clcf->noname && !clcf->named
           && !ngx_http_iri_settings_is_regex(clcf)
           && (parent == NULL || !ngx_http_iri_settings_is_regex(parent));
}


static ngx_uint_t
ngx_http_iri_settings_begins_with(ngx_str_t path, ngx_str_t with)
{
    return path.len >= with.len
           && ngx_memcmp(path.data, with.data, with.len) == 0;
}


/* Compare: by server, then by name; of equal names the exact location first. */
static int
ngx_http_iri_settings_order(const void *one, const void *two)
{
    int                            rc;
    const ngx_http_iri_settings_t *a = *(
        ngx_http_iri_settings_t *const *) one;
    const ngx_http_iri_settings_t *b = *(
        ngx_http_iri_settings_t *const *) two;

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
ngx_http_iri_settings_same_root(const ngx_http_core_loc_conf_t *a,
                                const ngx_http_core_loc_conf_t *b)
{
    return a->alias == b->alias && a->root_lengths == b->root_lengths
           && ngx_http_iri_str_equal(a->root, b->root);
}


static ngx_uint_t
ngx_http_iri_settings_same_tree(const iri_tree_conf_t *a,
                                const iri_tree_conf_t *b)
{
    return a->names == b->names && a->match == b->match
           && a->ambiguous == b->ambiguous && a->repair == b->repair
           && a->charsets.count == b->charsets.count
           && ngx_memcmp(a->charsets.at, b->charsets.at,
                         a->charsets.count * sizeof(iri_charset_t *))
                  == 0;
}


/* Set prefix and enclosing of conf.  enclosing: NULL if there is none. */
static void
ngx_http_iri_settings_link(ngx_http_iri_loc_conf_t *conf, ngx_str_t prefix,
                           ngx_http_iri_loc_conf_t *enclosing)
{
    conf->prefix = prefix;
    conf->enclosing = enclosing != NULL
                              && ngx_http_iri_settings_same_root(
                                  conf->clcf, enclosing->clcf)
                          ? enclosing
                          : NULL;
}


/*
 * Link prefix locations.  They are sorted by name, so that the prefixes of a
 * name precede it.  The stack holds the prefixes of the present name, the
 * longest on top.
 */
static ngx_int_t
ngx_http_iri_settings_link_prefixes(ngx_conf_t              *cf,
                                    ngx_http_iri_settings_t *list,
                                    ngx_uint_t               count)
{
    ngx_uint_t                i, n = 0, depth = 0;
    ngx_http_iri_settings_t **sorted, **stack, *location;

    sorted = ngx_palloc(cf->temp_pool, 2 * count * sizeof(*sorted));
    if (sorted == NULL) {
        return NGX_ERROR;
    }

    stack = sorted + count;

    for (i = 0; i < count; i++) {
        if (ngx_http_iri_settings_have_prefix(&list[i])) {
            sorted[n++] = &list[i];
        }
    }

    ngx_qsort(sorted, n, sizeof(*sorted), ngx_http_iri_settings_order);

    for (i = 0; i < n; i++) {
        location = sorted[i];

        while (depth > 0
               && (stack[depth - 1]->server != location->server
                   || !ngx_http_iri_settings_begins_with(
                       location->clcf->name, stack[depth - 1]->clcf->name)))
        {
            depth--;
        }

        ngx_http_iri_settings_link(location->conf, location->clcf->name,
                                   depth > 0 ? stack[depth - 1]->conf : NULL);
        location->conf->has_enclosing = depth > 0;

        if (!location->clcf->exact_match) {
            stack[depth++] = location;
        }
    }

    return NGX_OK;
}


/* Set conf->combined and conf->differ. */
static void
ngx_http_iri_settings_combine(ngx_http_iri_loc_conf_t *conf)
{
    ngx_uint_t                     differ = 0;
    const ngx_http_iri_loc_conf_t *location;

    for (location = conf->enclosing; location != NULL;
         location = location->enclosing)
    {
        differ |= !ngx_http_iri_settings_same_tree(&location->tree,
                                                   &conf->tree);
        conf->combined.match |= location->tree.match;
    }

    conf->differ = differ;
}


ngx_int_t
ngx_http_iri_settings_init(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_http_iri_settings_t  *location;
    ngx_http_iri_loc_conf_t  *server = NULL;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    location = imcf->settings.elts;

    if (ngx_http_iri_settings_link_prefixes(cf, location,
                                            imcf->settings.nelts)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* nginx merges a server before its locations. */
    for (i = 0; i < imcf->settings.nelts; i++) {
        if (location[i].clcf->name.len == 0 && !location[i].clcf->noname) {
            server = location[i].conf;

        } else if (!ngx_http_iri_settings_have_prefix(&location[i])) {
            ngx_http_iri_settings_link(location[i].conf,
                                       location[i].parent->prefix,
                                       location[i].parent->enclosing);

        } else if (!location[i].conf->has_enclosing) {
            ngx_http_iri_settings_link(location[i].conf,
                                       location[i].clcf->name, server);
        }
    }

    for (i = 0; i < imcf->settings.nelts; i++) {
        ngx_http_iri_settings_combine(location[i].conf);
    }

    return NGX_OK;
}


/* ---- a lookup ------------------------------------------------------------ */

/* Returns: the end of the name after the given number of "/" in path. */
static size_t
ngx_http_iri_settings_name_end(iri_str_t path, ngx_uint_t slashes)
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
ngx_http_iri_settings_slashes(const u_char *p, size_t len)
{
    ngx_uint_t n = 0;

    while (len-- > 0) {
        n += *p++ == '/';
    }

    return n;
}


/*
 * search->settings_of.  names: the path of the directory below root.  If the
 * directory has another name in search->path, the settings of that path apply;
 * the request then restarts with the name of the directory.
 */
static const iri_tree_conf_t *
ngx_http_iri_settings_of_directory(const iri_env_t    *env,
                                   const iri_search_t *search,
                                   iri_str_t           names)
{
    size_t                         end;
    ngx_uint_t                     slashes;
    const ngx_http_iri_loc_conf_t *location = search->settings_data;

    (void) env;

    slashes = ngx_http_iri_settings_slashes(search->path.data, search->prefix)
              + ngx_http_iri_settings_slashes(names.data, names.len);
    end = ngx_http_iri_settings_name_end(search->path, slashes);

    while (location->enclosing != NULL && end <= location->prefix.len) {
        location = location->enclosing;
    }

    return &location->tree;
}


void
ngx_http_iri_settings_search(const ngx_http_iri_loc_conf_t *ilcf,
                             ngx_str_t uri, iri_search_t *search)
{
    search->tree = &ilcf->tree;

    if (ilcf->differ && ngx_http_iri_settings_begins_with(uri, ilcf->prefix)
        && search->path.data == uri.data)
    {
        search->settings_of = ngx_http_iri_settings_of_directory;
        search->settings_data = ilcf;
    }
}
