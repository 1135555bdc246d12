/*
 * mod_iri_native.c - internal redirects to names on disk -> canonical paths
 *
 * A per-directory RewriteRule is matched against r->filename, so it redirects
 * to a path with octets on disk.  Its last segments ("public/$1") and the
 * directory of the rule, which httpd adds without a RewriteBase, get the names
 * that they have in the request.  The rest gets the names of its entries if
 * they exist on disk; otherwise it is read like the path of a request.
 *
 * The subrequests of mod_dav for PROPFIND have a canonical directory, and only
 * the rest consists of octets on disk.
 */

#include "mod_iri_request.h"

/* A path with native octets and with canonical names, both unescaped. */
typedef struct {
    const char *native;
    const char *canonical;
} mod_iri_path_pair_t;

/* Returns: 1: *pair is set; 0: nothing was found, or both are the same. */
static int
mod_iri_path_pair_init(request_rec *r, const mod_iri_request_t *ctx,
                       mod_iri_path_pair_t *pair)
{
    const iri_found_t  *found = mod_iri_found(ctx);
    const iri_search_t *search;
    const char         *native;

    if (ctx->lookup == NULL || iri_lookup_is_literal(ctx->lookup)
        || (found->verdict != IRI_PASS && found->verdict != IRI_SERVE)
        || found->filename.len < ctx->lookup->search.root.len)
    {
        return 0;
    }
    search = &ctx->lookup->search;
    native = mod_iri_dup(r->pool, found->filename) + search->root.len;
    pair->native = apr_psprintf(r->pool, "%.*s%s", (int) search->prefix,
                                (const char *) search->path.data, native);
    pair->canonical = mod_iri_dup(r->pool, search->path);
    return 1;
}

/* Returns: the "/" before the last segment of a path; NULL: there is none. */
static const char *
mod_iri_previous_segment(const char *path, const char *end)
{
    while (end > path && end[-1] != '/') {
        end--;
    }
    return end > path ? end - 1 : NULL;
}

/* Has a segment, percent-encoded or raw, these octets once unescaped? */
static int
mod_iri_segment_equals(request_rec *r, const char *path, const char *path_end,
                       const char *octets, const char *octets_end)
{
    char *segment = apr_pstrmemdup(r->pool, path, path_end - path);

    return ap_unescape_url(segment) == OK
           && strlen(segment) == (size_t) (octets_end - octets)
           && memcmp(segment, octets, octets_end - octets) == 0;
}

/* Replace native octets in the last segments of path by canonical names. */
static const char *
mod_iri_tail_to_canonical(request_rec *r, const mod_iri_path_pair_t *pair,
                          const char *path)
{
    const char *path_end = path + strlen(path), *path_at;
    const char *native_end = pair->native + strlen(pair->native), *native_at;
    const char *end = pair->canonical + strlen(pair->canonical), *at;
    const char *tail = NULL, *name = NULL;

    for (;;) {
        path_at = mod_iri_previous_segment(path, path_end);
        native_at = mod_iri_previous_segment(pair->native, native_end);
        at = mod_iri_previous_segment(pair->canonical, end);
        if (path_at == NULL || native_at == NULL || at == NULL
            || !mod_iri_segment_equals(r, path_at, path_end, native_at,
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
               : apr_psprintf(r->pool, "%.*s%s", (int) (tail - path), path,
                              ap_os_escape_path(r->pool, name, 1));
}

static const char *
mod_iri_parent(request_rec *r, const char *dir)
{
    return ap_make_dirstr_parent(
        r->pool, apr_pstrmemdup(r->pool, dir, strlen(dir) - 1));
}

/* Returns: the length of dir, raw or escaped, at the start of path; or 0. */
static size_t
mod_iri_prefix_length(request_rec *r, const char *path, const char *dir)
{
    size_t len = strlen(dir);

    if (strncmp(path, dir, len) == 0) {
        return len;
    }
    dir = ap_os_escape_path(r->pool, dir, 1);
    len = strlen(dir);
    return strncasecmp(path, dir, len) == 0 ? len : 0;
}

/*
 * Returns: the path below a directory, percent-encoded in UTF-8; rest itself if
 * it cannot be read.  The directory has canonical names or octets on disk.
 */
static const char *
mod_iri_rest_to_canonical(request_rec *r, const char *canonical_dir,
                          const char *native_dir, const char *rest)
{
    const char         *octets = apr_pstrdup(r->pool, rest), *names;
    iri_received_path_t request = { .escaped = 1 };
    iri_reading_t       reading;

    if ((iri_path_is_ascii(mod_iri_str(rest), 1)
         && mod_iri_is_same_on_disk(r, rest))
        || ap_unescape_url((char *) octets) != OK)
    {
        return rest;
    }
    names = mod_iri_entry_names(r, canonical_dir, octets);
    if (names != NULL
        && mod_iri_exists(r, apr_pstrcat(r->pool, native_dir, octets, NULL)))
    {
        return ap_os_escape_path(r->pool, names, 1);
    }
    request.path = mod_iri_str(apr_pstrcat(r->pool, "/", rest, NULL));
    if (iri_read(mod_iri_env(r), mod_iri_reading_conf(r), &request, &reading)
            != IRI_OK
        || reading.verdict == IRI_REFUSE)
    {
        return rest;
    }
    return (const char *) mod_iri_dup(r->pool, reading.uri) + 1;
}

/* Returns: the canonical path of a member that PROPFIND lists. */
static const char *
mod_iri_propfind_to_canonical(request_rec *r, const char *path)
{
    request_rec *main = r->main;
    const char  *uri, *dir;
    size_t       len;

    uri = apr_pstrcat(r->pool, main->uri,
                      ap_strrchr_c(main->uri, '/')[1] ? "/" : NULL, NULL);
    len = mod_iri_prefix_length(r, path, uri);
    if (len == 0 || main->filename == NULL) {
        return path;
    }
    dir = apr_pstrcat(r->pool, main->filename, "/", NULL);
    return apr_pstrcat(
        r->pool, ap_os_escape_path(r->pool, uri, 1),
        mod_iri_rest_to_canonical(
            r, apr_pstrcat(r->pool, mod_iri_settings_path(main), "/", NULL),
            dir, path + len),
        NULL);
}

/* Returns: the canonical path for one that a rule has made from that of ctx. */
static const char *
mod_iri_path_to_canonical(request_rec *r, const mod_iri_request_t *ctx,
                          const char *path)
{
    mod_iri_path_pair_t pair;
    const char         *root;
    size_t              len, prefix;

    if (!mod_iri_path_pair_init(r, ctx, &pair)) {
        return path;
    }
    path = mod_iri_tail_to_canonical(r, &pair, path);
    pair.native = ap_make_dirstr_parent(r->pool, pair.native);
    pair.canonical = ap_make_dirstr_parent(r->pool, pair.canonical);
    prefix = ctx->lookup->search.prefix;
    while (strlen(pair.native) > prefix
           && !mod_iri_is_same_on_disk(r, pair.native))
    {
        len = mod_iri_prefix_length(r, path, pair.native);
        if (len > 0) {
            root = mod_iri_dup(r->pool, ctx->lookup->search.root);
            return apr_pstrcat(
                r->pool, ap_os_escape_path(r->pool, pair.canonical, 1),
                mod_iri_rest_to_canonical(
                    r,
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
mod_iri_native_to_canonical(request_rec *r, const char *path)
{
    const mod_iri_request_t *ctx = r->prev ? mod_iri_request(r->prev) : NULL;

    if (r->main != NULL && r->prev == NULL && r->main->uri[0] == '/'
        && r->main->method_number == M_PROPFIND)
    {
        return mod_iri_propfind_to_canonical(r, path);
    }
    return ctx == NULL ? path : mod_iri_path_to_canonical(r, ctx, path);
}

const char *
mod_iri_location_to_canonical(request_rec *r, const char *value)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    const char              *own, *path, *named;
    size_t                   start = 0, len;

    if (ctx == NULL || ctx->lookup == NULL) {
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
    named = mod_iri_path_to_canonical(r, ctx, path);
    return named == path ? value
                         : apr_psprintf(r->pool, "%.*s%s%s", (int) start,
                                        value, named, value + start + len);
}
