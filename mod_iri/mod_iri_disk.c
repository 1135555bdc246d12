/*
 * mod_iri_disk.c - canonical r->uri -> r->filename with the octets on disk
 *
 * This runs in map_to_storage, after all aliases and before the first directory
 * walk: .htaccess, handlers and later phases use the real path, while rules are
 * compared with the canonical r->uri.  A subrequest for a file has octets on
 * disk in r->filename: its r->uri is made canonical instead.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <apr_file_info.h>
#include <apr_lib.h>
#include <util_script.h>

/* Returns: the length of root without "/" at its end; 0: it is no root. */
static size_t
mod_iri_root_length(const char *filename, const char *root)
{
    size_t len = root ? strlen(root) : 0;

    while (len > 0 && root[len - 1] == '/') {
        len--;
    }
    if (len == 0 || strncmp(filename, root, len) != 0
        || (filename[len] != '/' && filename[len] != '\0'))
    {
        return 0;
    }
    return len;
}

/* Returns: 1 if path ends with tail and tail starts with "/". */
static int
mod_iri_ends_with(iri_str_t path, iri_str_t tail)
{
    return tail.len > 0 && tail.data[0] == '/' && tail.len <= path.len
           && iri_str_equal(iri_str_from(path, path.len - tail.len), tail);
}

/*
 * Returns: 1 if the first len octets of r->filename are a path that is not ASCII
 * and does not exist.
 */
static int
mod_iri_is_absent(request_rec *r, size_t len)
{
    iri_str_t    start = mod_iri_substr(r->filename, len);
    apr_finfo_t  info;
    apr_status_t status;

    if (iri_str_is_ascii(start)) {
        return 0;
    }
    status = apr_stat(&info, mod_iri_dup(r->pool, start), APR_FINFO_TYPE,
                      r->pool);
    return APR_STATUS_IS_ENOENT(status) || APR_STATUS_IS_ENOTDIR(status);
}

/* Returns: the reading of the path that was sent; NULL: path is another one. */
static const iri_reading_t *
mod_iri_reading_of_path(const mod_iri_request_t *ctx, iri_str_t path)
{
    const iri_reading_t *reading = iri_request_requested_reading(ctx->state);

    return reading != NULL && !mod_iri_has_restarted(ctx)
                   && iri_str_equal(reading->path, path)
               ? reading
               : NULL;
}

/*
 * Divide r->filename into root and path.  If the document root does not exist
 * with these octets, root is empty.  If the path is the tail of r->uri, all of
 * r->uri is looked up, so that the result can have another URI; else (a
 * RewriteRule made the filename) only the tail.
 */
static void
mod_iri_split_filename(request_rec *r, const mod_iri_request_t *ctx,
                       iri_search_t *search)
{
    iri_str_t   filename = mod_iri_str(r->filename);
    iri_str_t   uri = mod_iri_str(r->uri), tail;
    const char *root = ap_context_document_root(r);
    size_t      len = mod_iri_root_length(r->filename, root);

    if (len == 0 && mod_iri_ends_with(filename, uri)) {
        len = filename.len - uri.len;
    }
    if (mod_iri_is_absent(r, len)) {
        len = 0;
    }
    tail = mod_iri_str(r->filename + len);
    search->root = mod_iri_substr(r->filename, len);
    search->path = tail;
    if (len > 0 && mod_iri_ends_with(uri, tail)) {
        search->path = uri;
        search->prefix = uri.len - tail.len;
        search->reading = ctx != NULL && ctx->uri != NULL
                              ? mod_iri_reading_of_path(ctx, uri)
                              : NULL;
    }
}

/* Does r or (Destination of COPY) its main request write? */
static int
mod_iri_writes(const request_rec *r)
{
    for (; r != NULL; r = r->main) {
        if (iri_method_writes(mod_iri_str(r->method))) {
            return 1;
        }
    }
    return 0;
}

static void
mod_iri_search_init(request_rec *r, const iri_env_t *env,
                    iri_search_t *search)
{
    memset(search, 0, sizeof(*search));
    search->cache = mod_iri_conf(r)->cache;
    search->write = mod_iri_writes(r);
    mod_iri_split_filename(r, mod_iri_request(r), search);
    mod_iri_search_set_trees(r->server, env, search);
}

const char *
mod_iri_find_filename(request_rec *r, iri_search_t *search)
{
    iri_found_t found;
    const char *filename;

    search->cache = mod_iri_conf(r)->cache;
    if (iri_find(mod_iri_env(r), search, &found) != IRI_OK
        || !iri_may_open(&found))
    {
        return NULL;
    }
    filename = mod_iri_dup(r->pool, found.filename);
    return mod_iri_exists(r, filename) ? filename : NULL;
}

/* Read a path that another module has set.  Returns: 0: it has no reading. */
static int
mod_iri_read_replaced(request_rec *r, iri_str_t path, iri_reading_t *reading)
{
    return mod_iri_read_internal(r->server, mod_iri_env(r), path, reading)
               == IRI_OK
           && reading->verdict != IRI_REFUSE;
}

/*
 * Returns: 1 if the entries in the first len octets of r->filename, below the
 * root of the search, have the names that the rules have judged.
 */
static int
mod_iri_has_names(request_rec *r, const iri_search_t *search, iri_str_t names,
                  size_t len)
{
    size_t      root = search->root.len;
    const char *found;

    if (len <= root) {
        return 1;
    }
    found = mod_iri_entry_names(
        r, mod_iri_path_below_root(r, search->root, mod_iri_str("")),
        apr_pstrmemdup(r->pool, r->filename + root, len - root));
    return found != NULL
           && mod_iri_root_length(mod_iri_dup(r->pool, names), found) != 0;
}

/*
 * Accept the octets of a path that a RewriteRule or AliasMatch has made and
 * that is not canonical.  As without this module, the part that exists becomes
 * the root of the search; other forms are not looked up.  Returns: 1; 0: the
 * path is in a legacy charset, or its octets on disk are other names.
 */
static int
mod_iri_use_literal_path(request_rec *r, mod_iri_request_t *ctx,
                         iri_search_t *search, const iri_reading_t *reading)
{
    iri_reading_t names, rest;
    size_t        len = strlen(r->filename);

    /* search->prefix counts octets of r->uri, not of the reading */
    if (reading->form == IRI_FORM_LEGACY
        || !mod_iri_read_replaced(
            r, iri_str_from(search->path, search->prefix), &names))
    {
        return 0;
    }
    while (mod_iri_is_absent(r, len)) {
        for (len--; len > 0 && r->filename[len] != '/'; len--) {
        }
    }
    if (!mod_iri_has_names(r, search, names.path, len)) {
        return 0;
    }
    ctx->settings_path = mod_iri_path_below_root(r, search->root, names.path);
    search->tree = mod_iri_tree_of_parent(r);
    search->settings_of = NULL;
    search->settings_data = NULL;
    search->root = mod_iri_substr(r->filename, len);
    search->path = mod_iri_str(r->filename + len);
    search->prefix = 0;
    return search->path.len == 0
           || (mod_iri_read_replaced(r, search->path, &rest)
               && rest.verdict == IRI_PASS);
}

void
mod_iri_set_filename(request_rec *r, const char *filename)
{
    if (strcmp(r->filename, filename) != 0) {
        r->filename = (char *) filename;
        r->canonical_filename = NULL;
        r->finfo.filetype = APR_NOFILE;
        r->finfo.valid = 0;
    }
}

/* Returns: the properties of r that the core needs to find an entry. */
static iri_find_conf_t
mod_iri_find_conf(const request_rec *r, iri_str_t path)
{
    iri_find_conf_t conf = { .path = path, .url = mod_iri_restart_url(r) };

    conf.creates = mod_iri_dav_is_destination(r)
                   || (r->main == NULL
                       && iri_method_creates(mod_iri_str(r->method)));
    if (r->main != NULL && r->method_number == M_MOVE) {
        conf.source = mod_iri_str(r->main->filename);
    }
    return conf;
}

static iri_lookup_t *
mod_iri_find(request_rec *r, const iri_env_t *env, iri_request_t *state,
             const iri_search_t *search)
{
    iri_find_conf_t conf = mod_iri_find_conf(r, search->path);

    return iri_request_find(state, env, search, &conf);
}

/*
 * After access was granted, because the result may depend on a directory that
 * the rules deny.  A per-directory RewriteRule may redirect an absent name.
 */
int
mod_iri_refuse_absent(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);
    iri_find_conf_t    conf;
    int                status;

    if (!mod_iri_is_on(r) || ctx == NULL
        || mod_iri_found(ctx)->verdict != IRI_REFUSE || r->proxyreq
        || mod_iri_is_rule_redirect(r))
    {
        return DECLINED;
    }
    conf = mod_iri_find_conf(r, ctx->lookup->search.path);
    status = iri_request_refuse(ctx->state, mod_iri_env(r), ctx->lookup,
                                &conf, mod_iri_str(r->uri));
    return status == HTTP_CONFLICT
               ? mod_iri_refuse_conflict(r, mod_iri_found(ctx)->why)
               : status;
}

/*
 * Set r->filename for the rules: the octets of the deepest directory that was
 * found, or of that of the choices, then the rest as requested.
 */
static void
mod_iri_set_directory(request_rec *r, const mod_iri_request_t *ctx)
{
    const iri_search_t *search = &ctx->lookup->search;
    iri_str_t           octets = ctx->lookup->found.filename;
    const char *path = (const char *) search->path.data + search->prefix;
    size_t      at;

    if (mod_iri_is_same_on_disk(r, r->filename)
        || octets.len < search->root.len) {
        return;
    }
    while (octets.len > search->root.len
           && octets.data[octets.len - 1] == '/') {
        octets.len--;
    }
    for (at = search->root.len; at < octets.len; at++) {
        if (octets.data[at] == '/' && *path != '\0') {
            path += 1 + strcspn(path + 1, "/");
        }
    }
    mod_iri_set_filename(
        r, apr_pstrcat(r->pool, mod_iri_dup(r->pool, octets), path, NULL));
}

static int
mod_iri_apply_verdict(request_rec *r, mod_iri_request_t *ctx)
{
    const iri_found_t *found = mod_iri_found(ctx);

    if (ctx->lookup == NULL) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (found->verdict == IRI_RESTART) {
        return mod_iri_restart(r, ctx->lookup);
    }
    if (!iri_may_open(found)) {
        mod_iri_set_directory(r, ctx);
        return DECLINED;
    }
    if (found->filename.len != 0) {
        mod_iri_set_filename(r, mod_iri_dup(r->pool, found->filename));
    }
    mod_iri_vars_set_match(r);
    return DECLINED;
}

/* ---- subrequests for files ---------------------------------------------- */

/* Look up a name of a page (file= of SSI) that does not exist as it is. */
static void
mod_iri_find_file(request_rec *r)
{
    const char   *dir = ap_make_dirstr_parent(r->pool, r->main->filename);
    size_t        len = mod_iri_root_length(r->filename, dir);
    iri_reading_t reading;
    iri_search_t  search = { .tree = mod_iri_tree_of_filename(r->main) };
    const char   *filename;

    if (len == 0
        || !mod_iri_read_replaced(r, mod_iri_str(r->filename + len),
                                  &reading))
    {
        return;
    }
    search.root = mod_iri_substr(r->filename, len);
    search.path = reading.path;
    filename = mod_iri_find_filename(r, &search);
    if (filename != NULL) {
        mod_iri_set_filename(r, filename);
    }
}

/* Returns: the last segment of a path, without "/" at its end. */
static const char *
mod_iri_last_segment(request_rec *r, const char *path)
{
    size_t len = strlen(path);

    return apr_filepath_name_get(apr_pstrmemdup(
        r->pool, path, len - (len > 0 && path[len - 1] == '/')));
}

/*
 * Replace the requested name by that of the entry in the URI of a file
 * subrequest: the canonical directory of its main request, and the name.
 */
static void
mod_iri_name_entry(request_rec *r, const char *requested)
{
    const char *dir = r->main->uri, *info = r->main->path_info;
    size_t      at, len;
    iri_str_t   name;

    if (info != NULL && *info != '\0') {
        dir = apr_pstrmemdup(r->pool, dir, ap_find_path_info(dir, info));
    }
    dir = ap_make_dirstr_parent(r->pool, dir);
    at = strlen(dir);
    if (strncmp(r->uri, dir, at) != 0) {
        return;
    }
    len = strcspn(r->uri + at, "/");
    if (len != strlen(requested) || strncmp(r->uri + at, requested, len) != 0
        || !mod_iri_name_of(mod_iri_env(r), mod_iri_tree_of_filename(r->main),
                            mod_iri_str(mod_iri_last_segment(r, r->filename)),
                            &name))
    {
        return;
    }
    r->uri = r->parsed_uri.path = apr_pstrcat(
        r->pool, dir, mod_iri_dup(r->pool, name), r->uri + at + len, NULL);
}

static int
mod_iri_map_file(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request_create(r);
    const char        *requested = mod_iri_last_segment(r, r->filename);
    const char        *dir = mod_iri_settings_path(r->main);

    dir = r->main->finfo.filetype == APR_DIR
              ? apr_pstrcat(r->pool, dir, "/", NULL)
              : ap_make_dirstr_parent(r->pool, dir);
    ctx->settings_path = apr_pstrcat(r->pool, dir, requested, NULL);
    if (r->finfo.filetype == APR_NOFILE) {
        mod_iri_find_file(r);
    }
    mod_iri_name_entry(r, requested);
    return DECLINED;
}

/* ---- map_to_storage ----------------------------------------------------- */

/*
 * Test a path that a rule may have made.  Rules have judged this form of it, so
 * other forms are not looked up.  Returns: 0 if the path is refused:
 * mod_iri_refuse_absent() answers.
 */
static int
mod_iri_accept_path(request_rec *r, mod_iri_request_t *ctx,
                    iri_search_t *search)
{
    iri_reading_t reading;
    iri_found_t   refused = { .verdict = IRI_REFUSE };
    iri_shown_t   shown;
    int           is_read;

    /* mod_iri_read.c has set it */
    if (search->path.data == (const unsigned char *) r->uri
        && iri_request_is_read(ctx->state, search->path))
    {
        return 1;
    }
    is_read = mod_iri_read_replaced(r, search->path, &reading);
    if (is_read
        && (reading.verdict == IRI_PASS
            || mod_iri_use_literal_path(r, ctx, search, &reading)))
    {
        return 1;
    }
    mod_iri_note(r, IRI_LOG_INFO, iri_reason_code(IRI_REASON_RULE),
                 "\"%s\" not served: %s",
                 iri_show(&shown, mod_iri_str(r->uri)),
                 is_read ? "a rule made a path that is not canonical"
                         : "no charset can decode its file name");
    refused.path = search->path;
    ctx->lookup = iri_request_add_lookup(ctx->state, mod_iri_env(r), search,
                                         &refused);
    return 0;
}

/* Stat r->filename as httpd does in its directory walk, which uses r->finfo. */
static apr_status_t
mod_iri_stat(request_rec *r)
{
    apr_status_t status;

    if (r->finfo.filetype != APR_NOFILE) {
        return APR_SUCCESS;
    }
    status = ap_run_dirwalk_stat(&r->finfo, r, APR_FINFO_MIN);
    /* for a path with dot-segments the walk stats another one */
    if (status != APR_SUCCESS || strstr(r->filename, "/.") != NULL) {
        r->finfo.filetype = APR_NOFILE;
        r->finfo.valid = 0;
    }
    return status;
}

/* Most entries exist as requested, as the stat tells that httpd needs anyway. */
static iri_lookup_t *
mod_iri_find_uri(request_rec *r, const iri_env_t *env,
                 const mod_iri_request_t *ctx, iri_search_t *search)
{
    iri_found_t   found;
    iri_lookup_t *lookup;
    apr_status_t  status;

    if ((search->reading != NULL || mod_iri_has_restarted(ctx))
        && search->path.data == (const unsigned char *) r->uri && !env->trace
        && iri_find_if_exists(env, search, mod_iri_str(r->filename), &found))
    {
        status = mod_iri_stat(r);
        if (status == APR_SUCCESS || found.verdict == IRI_PASS) {
            lookup = iri_request_add_lookup(ctx->state, env, search, &found);
            if (lookup != NULL && status == APR_SUCCESS) {
                /* the result of iri_lookup_split() */
                lookup->entry = found.filename;
                lookup->split = IRI_OK;
            }
            return lookup;
        }
        search->absent = APR_STATUS_IS_ENOENT(status);
    }
    return mod_iri_find(r, env, ctx->state, search);
}

/* Save an ASCII path that was requested and needed no reading. */
static void
mod_iri_save_ascii(request_rec *r, iri_request_t *state)
{
    /* a rule may have changed r->uri */
    const char *path = r->parsed_uri.path ? r->parsed_uri.path : r->uri;

    if (iri_request_state(state) == IRI_STATE_NEW) {
        iri_request_set_ascii(state, mod_iri_str(apr_pstrdup(r->pool, path)));
    }
}

static int
mod_iri_map_uri(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request_create(r);
    const iri_env_t   *env = mod_iri_env(r);
    iri_search_t       search;

    ctx->settings_path = NULL;
    ctx->lookup = NULL;
    if (iri_str_is_ascii(mod_iri_str(r->filename))) {
        mod_iri_save_ascii(r, ctx->state);
    }
    mod_iri_search_init(r, env, &search);
    if (mod_iri_accept_path(r, ctx, &search)) {
        ctx->lookup = mod_iri_find_uri(r, env, ctx, &search);
    }
    return mod_iri_apply_verdict(r, ctx);
}

/* iri_report_find_t.  A path that a rule has made is not looked up. */
static iri_lookup_t *
mod_iri_report_find(void *apr_env, iri_str_t path)
{
    request_rec             *r = ((iri_env_apr_t *) apr_env)->arg;
    const iri_env_t         *env = mod_iri_env(r);
    const mod_iri_request_t *ctx = mod_iri_request(r);
    iri_search_t             search;

    mod_iri_search_init(r, env, &search);
    if (search.path.data != (const unsigned char *) r->uri
        || path.len < search.prefix
        || memcmp(path.data, r->uri, search.prefix) != 0)
    {
        return NULL;
    }
    search.path = path;
    search.reading = mod_iri_reading_of_path(ctx, path);
    return mod_iri_find(r, env, ctx->state, &search);
}

/* IRIEngine report: log the verdict on the client's request. */
static int
mod_iri_report(request_rec *r)
{
    mod_iri_request_t *ctx;
    iri_notes_t       *notes;

    if (r->main != NULL || r->prev != NULL) {
        return DECLINED;
    }
    ctx = mod_iri_request_create(r);
    if (iri_request_state(ctx->state) == IRI_STATE_NEW) {
        if (!iri_ascii_needs_lookup(mod_iri_conf(r)->match,
                                    mod_iri_str(r->filename))) {
            return DECLINED;
        }
        iri_request_set_ascii(ctx->state, mod_iri_str(r->uri));
    }
    iri_request_report_find(ctx->state, mod_iri_env(r),
                            mod_iri_reading_conf(r), mod_iri_str(r->uri),
                            mod_iri_report_find);
    notes = mod_iri_notes(r, IRI_LOG_INFO);
    if (notes != NULL) {
        iri_request_report_note(ctx->state, mod_iri_env(r), notes);
    }
    return DECLINED;
}

/* If the entry exists as requested, or not at all, r is not changed. */
static int
mod_iri_map_ascii(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);
    const iri_env_t   *env = mod_iri_env(r);
    iri_request_t     *state;
    iri_lookup_t      *lookup;
    iri_search_t       search;
    iri_found_t        found = { .verdict = IRI_SERVE,
                                 .why = IRI_WHY_FOUND,
                                 .match = IRI_MATCH_EXACT };
    apr_status_t       status;

    mod_iri_search_init(r, env, &search);
    search.reading = NULL;
    if (!mod_iri_has_restarted(ctx) && !iri_search_needs_lookup(env, &search))
    {
        return DECLINED;
    }
    /*
     * After any other error the name counts as found: access is denied, or a
     * leading component is a file (PATH_INFO).
     */
    status = mod_iri_stat(r);
    if (!APR_STATUS_IS_ENOENT(status)) {
        if (ctx != NULL) {
            found.path = mod_iri_str(r->uri);
            found.filename = mod_iri_str(r->filename);
            ctx->lookup = iri_request_add_lookup(ctx->state, env, &search,
                                                 &found);
        }
        if (ctx != NULL || status == APR_SUCCESS) {
            mod_iri_vars_set_match(r);
        }
        return DECLINED;
    }
    search.absent = 1;
    state = ctx != NULL ? ctx->state : mod_iri_state_create(r->pool);
    mod_iri_save_ascii(r, state);
    lookup = mod_iri_find(r, env, state, &search);
    if (lookup == NULL) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (iri_may_open(&lookup->found)) {
        return DECLINED;
    }
    ctx = mod_iri_request_create(r);
    ctx->state = state;
    ctx->lookup = lookup;
    return mod_iri_apply_verdict(r, ctx);
}

/* Is r a subrequest that names a file on disk, not a URI? */
static int
mod_iri_is_file_subrequest(const request_rec *r)
{
    return r->main != NULL
           && ap_get_module_config(r->request_config, &iri_module) == NULL;
}

int
mod_iri_map_to_storage(request_rec *r)
{
    mod_iri_server_conf_t *conf = mod_iri_conf(r);

    mod_iri_probe_attach(r);
    if (conf->engine == IRI_ENGINE_OFF || r->filename == NULL || r->proxyreq
        || r->filename[0] != '/')
    {
        return DECLINED;
    }
    if (conf->engine == IRI_ENGINE_REPORT) {
        return mod_iri_report(r);
    }
    mod_iri_map_root(r);
    if (iri_is_same_on_disk(conf->match, mod_iri_str(r->filename))) {
        return (iri_ascii_needs_lookup(conf->match, mod_iri_str(r->filename))
                || mod_iri_has_restarted(mod_iri_request(r)))
                       && !mod_iri_is_file_subrequest(r)
                   ? mod_iri_map_ascii(r)
                   : DECLINED;
    }
    return mod_iri_is_file_subrequest(r) ? mod_iri_map_file(r)
                                         : mod_iri_map_uri(r);
}
