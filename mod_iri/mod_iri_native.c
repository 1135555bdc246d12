/*
 * mod_iri_native.c - paths that httpd has made of names on disk
 *
 * A RewriteRule of a directory is matched against r->filename, so what it
 * redirects to is made of octets of the disk.  The last segments ("public/$1")
 * get the names back that they have in the request; so does the directory that
 * the rule stands in (without RewriteBase), and the rest is a name on disk if
 * it is there, and is read like any request if not.  PROPFIND asks by
 * subrequests about what it lists: there the directory is canonical and only
 * the rest is of the disk.
 */

#include "mod_iri.h"

#include <apr_file_info.h>

/* A path as it is written on disk and canonically, both unescaped. */
typedef struct {
    const char *native;
    const char *canonical;
} mod_iri_pair_t;

/*
 * How the path of a request is written on disk, and what was asked for.  0:
 * nothing of it is another there.
 */
static int
mod_iri_pair(request_rec *r, const mod_iri_request_t *ctx,
             mod_iri_pair_t *pair)
{
    const iri_search_t *search = &ctx->search;
    const char         *native;

    if (!ctx->is_mapped || ctx->is_named
        || ctx->found.filename.len < search->root.len)
    {
        return 0;
    }
    native = mod_iri_dup(r->pool, ctx->found.filename) + search->root.len;
    pair->native = apr_pstrcat(
        r->pool,
        apr_pstrmemdup(r->pool, (const char *) search->path.data,
                       search->prefix),
        native, NULL);
    pair->canonical = mod_iri_dup(r->pool, search->path);
    return 1;
}

/* Where the last segment of path before end begins, with its "/"; or NULL. */
static const char *
mod_iri_segment_before(const char *path, const char *end)
{
    while (end > path && end[-1] != '/') {
        end--;
    }
    return end > path ? end - 1 : NULL;
}

/* Do path, percent-encoded or raw, and octets have the same segment here? */
static int
mod_iri_is_segment(request_rec *r, const char *path, const char *path_end,
                   const char *octets, const char *octets_end)
{
    char *segment = apr_pstrmemdup(r->pool, path, path_end - path);

    return ap_unescape_url(segment) == OK
           && strlen(segment) == (size_t) (octets_end - octets)
           && memcmp(segment, octets, octets_end - octets) == 0;
}

/* The last segments of path that are octets of the disk, as names. */
static const char *
mod_iri_name_tail(request_rec *r, const mod_iri_pair_t *pair,
                  const char *path)
{
    const char *path_end = path + strlen(path), *path_at;
    const char *native_end = pair->native + strlen(pair->native), *native_at;
    const char *end = pair->canonical + strlen(pair->canonical), *at;
    const char *tail = NULL, *name = NULL;

    for (;;) {
        path_at = mod_iri_segment_before(path, path_end);
        native_at = mod_iri_segment_before(pair->native, native_end);
        at = mod_iri_segment_before(pair->canonical, end);
        if (path_at == NULL || native_at == NULL || at == NULL
            || !mod_iri_is_segment(r, path_at, path_end, native_at,
                                   native_end))
        {
            break;
        }
        if (native_end - native_at != end - at
            || memcmp(native_at, at, end - at) != 0)
        {
            tail = path_at;
            name = at;
        }
        path_end = path_at;
        native_end = native_at;
        end = at;
    }
    return tail == NULL
               ? path
               : apr_pstrcat(r->pool,
                             apr_pstrmemdup(r->pool, path, tail - path),
                             ap_os_escape_path(r->pool, name, 1), NULL);
}

static const char *
mod_iri_parent(request_rec *r, const char *dir)
{
    return ap_make_dirstr_parent(
        r->pool, apr_pstrmemdup(r->pool, dir, strlen(dir) - 1));
}

/* The length of dir at the start of path, raw or escaped; 0: not there. */
static size_t
mod_iri_starts_with(request_rec *r, const char *path, const char *dir)
{
    size_t len = strlen(dir);

    if (strncmp(path, dir, len) == 0) {
        return len;
    }
    dir = ap_os_escape_path(r->pool, dir, 1);
    len = strlen(dir);
    return strncasecmp(path, dir, len) == 0 ? len : 0;
}

const char *
mod_iri_names(request_rec *r, iri_env_apr_t *env, const char *directory,
              const char *octets)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);
    const char             *names = "";
    iri_str_t               segment, name;

    for (;;) {
        segment.data = (const unsigned char *) octets;
        segment.len = strcspn(octets, "/");
        name = segment;
        if (segment.len > 0
            && (iri_entry_name(&env->env,
                               mod_iri_tree_of(conf,
                                               apr_pstrcat(r->pool, directory,
                                                           names, NULL),
                                               r->pool),
                               segment, &name)
                    != IRI_OK
                || name.len == 0))
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

/*
 * What follows the directory, percent-encoded in UTF-8; itself if unread.
 * place: the directory in canonical names.
 */
static const char *
mod_iri_rest(request_rec *r, mod_iri_server_t *conf, const char *place,
             const char *dir, const char *rest)
{
    const char   *octets = apr_pstrdup(r->pool, rest), *names;
    iri_request_t request;
    iri_reading_t reading;
    iri_env_apr_t env;
    apr_finfo_t   info;

    mod_iri_env(&env, r);
    if (iri_path_is_ascii(mod_iri_str(rest), 1)
        || ap_unescape_url((char *) octets) != OK)
    {
        return rest;
    }
    names = mod_iri_names(r, &env, place, octets);
    if (names != NULL
        && apr_stat(&info, apr_pstrcat(r->pool, dir, octets, NULL),
                    APR_FINFO_TYPE | APR_FINFO_LINK, r->pool)
               == APR_SUCCESS)
    {
        return ap_os_escape_path(r->pool, names, 1);
    }
    memset(&request, 0, sizeof(request));
    request.path = mod_iri_str(apr_pstrcat(r->pool, "/", rest, NULL));
    request.escaped = 1;
    if (iri_read(&env.env, mod_iri_reading_conf(r, conf), &request, &reading)
            != IRI_OK
        || reading.verdict == IRI_REFUSE)
    {
        return rest;
    }
    return (const char *) mod_iri_dup(r->pool, reading.uri) + 1;
}

/* The path of something that PROPFIND lists. */
static const char *
mod_iri_listed(request_rec *r, mod_iri_server_t *conf, const char *path)
{
    request_rec *main = r->main;
    const char  *uri, *dir;
    size_t       len;

    uri = apr_pstrcat(r->pool, main->uri,
                      ap_strrchr_c(main->uri, '/')[1] ? "/" : NULL, NULL);
    len = mod_iri_starts_with(r, path, uri);
    if (len == 0 || main->filename == NULL) {
        return path;
    }
    dir = apr_pstrcat(r->pool, main->filename, "/", NULL);
    return apr_pstrcat(
        r->pool, ap_os_escape_path(r->pool, uri, 1),
        mod_iri_rest(r, conf,
                     apr_pstrcat(r->pool, mod_iri_place_of(main), "/", NULL),
                     dir, path + len),
        NULL);
}

/* path, made by a rule for a request of which ctx tells, in names. */
static const char *
mod_iri_in_names(request_rec *r, mod_iri_server_t *conf,
                 const mod_iri_request_t *ctx, const char *path)
{
    mod_iri_pair_t pair;
    const char    *root;
    size_t         len, prefix;

    if (!mod_iri_pair(r, ctx, &pair)) {
        return path;
    }
    path = mod_iri_name_tail(r, &pair, path);
    pair.native = ap_make_dirstr_parent(r->pool, pair.native);
    pair.canonical = ap_make_dirstr_parent(r->pool, pair.canonical);
    prefix = ctx->search.prefix;
    while (strlen(pair.native) > prefix
           && !iri_path_is_ascii(mod_iri_str(pair.native), 0))
    {
        len = mod_iri_starts_with(r, path, pair.native);
        if (len > 0) {
            root = mod_iri_dup(r->pool, ctx->search.root);
            return apr_pstrcat(
                r->pool, ap_os_escape_path(r->pool, pair.canonical, 1),
                mod_iri_rest(
                    r, conf,
                    apr_pstrcat(r->pool, root, pair.canonical + prefix, NULL),
                    apr_pstrcat(r->pool, root, pair.native + prefix, NULL),
                    path + len),
                NULL);
        }
        pair.native = mod_iri_parent(r, pair.native);
        pair.canonical = mod_iri_parent(r, pair.canonical);
    }
    return path;
}

const char *
mod_iri_without_native(request_rec *r, mod_iri_server_t *conf,
                       const char *path)
{
    const mod_iri_request_t *ctx = r->prev ? mod_iri_request(r->prev) : NULL;

    if (r->main != NULL && r->prev == NULL && r->main->uri[0] == '/'
        && r->main->method_number == M_PROPFIND)
    {
        return mod_iri_listed(r, conf, path);
    }
    return ctx == NULL ? path : mod_iri_in_names(r, conf, ctx, path);
}

const char *
mod_iri_location_in_names(request_rec *r, const char *value)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    const char              *own, *path, *named;
    size_t                   start = 0, len;

    if (ctx == NULL || !ctx->is_mapped || ctx->is_named) {
        return value;
    }
    own = ap_construct_url(r->pool, "", r);
    if (strncmp(value, own, strlen(own)) == 0) {
        start = strlen(own);
    }
    if (value[start] != '/' || value[start + 1] == '/') {
        return value;
    }
    len = strcspn(value + start, "?#");
    path = apr_pstrmemdup(r->pool, value + start, len);
    named = mod_iri_in_names(r, mod_iri_server(r->server), ctx, path);
    return named == path
               ? value
               : apr_pstrcat(r->pool, apr_pstrmemdup(r->pool, value, start),
                             named, value + start + len, NULL);
}
