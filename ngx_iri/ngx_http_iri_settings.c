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


/* ---- linking locations --------------------------------------------------- */

/* Returns: 1 for a prefix or exact location, unless a regex contains it. */
static ngx_uint_t
ngx_http_iri_settings_have_prefix(const ngx_http_iri_loc_conf_t *conf)
{
    const ngx_http_core_loc_conf_t *clcf = conf->clcf;
    const ngx_http_core_loc_conf_t *parent = conf->parent->clcf;

    return clcf->name.len != 0 && !clcf->noname && !clcf->named
           && !ngx_http_iri_is_regex(clcf)
           && (parent == NULL || !ngx_http_iri_is_regex(parent));
}


static ngx_uint_t
ngx_http_iri_settings_begins_with(ngx_str_t path, ngx_str_t with)
{
    return path.len >= with.len
           && ngx_memcmp(path.data, with.data, with.len) == 0;
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


/*
 * Set prefix and enclosing of conf.  enclosing: NULL if there is none; not
 * set if it maps paths to another directory.
 */
static void
ngx_http_iri_settings_link(ngx_http_iri_loc_conf_t *conf, ngx_str_t prefix,
                           ngx_http_iri_loc_conf_t *enclosing)
{
    const ngx_http_core_loc_conf_t *a = conf->clcf, *b;

    conf->prefix = prefix;
    conf->enclosing = NULL;

    if (enclosing != NULL) {
        b = enclosing->clcf;

        if (a->alias == b->alias && a->root_lengths == b->root_lengths
            && ngx_http_iri_str_equal(a->root, b->root))
        {
            conf->enclosing = enclosing;
        }
    }
}


/*
 * Returns: the prefix location of the same server whose name is the longest
 * proper prefix of the name of conf; NULL if there is none.  The list has the
 * locations of each server together; i: the first of this server.
 */
static ngx_http_iri_loc_conf_t *
ngx_http_iri_settings_enclosing(const ngx_array_t *locations, ngx_uint_t i,
                                const ngx_http_iri_loc_conf_t *conf)
{
    size_t                    len = 0;
    ngx_str_t                 name = conf->clcf->name, other;
    ngx_http_iri_loc_conf_t  *longest = NULL;
    ngx_http_iri_loc_conf_t **list = locations->elts;

    for (; i < locations->nelts && list[i]->server == conf->server; i++) {
        other = list[i]->clcf->name;

        if (other.len > len && other.len < name.len
            && !list[i]->clcf->exact_match
            && ngx_http_iri_settings_begins_with(name, other)
            && ngx_http_iri_settings_have_prefix(list[i]))
        {
            longest = list[i];
            len = other.len;
        }
    }

    return longest;
}


/* Set conf->combined, conf->differ, conf->declared, conf->server->undeclared. */
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
    conf->declared = !differ && iri_tree_is_declared(&conf->tree);
    conf->server->undeclared |= !conf->declared;
}


void
ngx_http_iri_settings_init(const ngx_array_t *locations)
{
    ngx_uint_t                i, first = 0;
    ngx_http_iri_loc_conf_t  *server = NULL, *conf, *enclosing;
    ngx_http_iri_loc_conf_t **list = locations->elts;

    /* nginx merges a server or location before the locations in it. */
    for (i = 0; i < locations->nelts; i++) {
        conf = list[i];

        if (conf->clcf->name.len == 0 && !conf->clcf->noname) {
            server = conf;
            first = i;

        } else if (!ngx_http_iri_settings_have_prefix(conf)) {
            ngx_http_iri_settings_link(conf, conf->parent->prefix,
                                       conf->parent->enclosing);

        } else {
            enclosing = ngx_http_iri_settings_enclosing(locations, first,
                                                        conf);
            ngx_http_iri_settings_link(conf, conf->clcf->name,
                                       enclosing != NULL ? enclosing
                                                         : server);
        }
    }

    for (i = 0; i < locations->nelts; i++) {
        ngx_http_iri_settings_combine(list[i]);
    }
}


/* ---- a lookup ------------------------------------------------------------ */

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
    size_t                         i, end, depth = 0;
    const ngx_http_iri_loc_conf_t *location = search->settings_data;

    for (i = 0; i < names.len; i++) {
        depth += names.data[i] == '/';
    }

    for (end = search->prefix; end < search->path.len; end++) {
        if (search->path.data[end] == '/' && depth-- == 0) {
            break;
        }
    }

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
