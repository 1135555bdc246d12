/*
 * mod_iri_disk.c - the canonical path becomes the name on disk
 *
 * In map_to_storage, after all aliases and before the first directory walk,
 * r->filename gets the octets that the directories hold: so the real path
 * drives .htaccess, handlers and everything behind, while r->uri, and with
 * it every rule, stays canonical.
 *
 * Subrequests for a file that was found on disk come the other way: their
 * filename is right and their r->uri is made canonical.
 */

#include "mod_iri.h"

#include <apr_file_info.h>
#include <util_script.h>

/* ---- what to look for --------------------------------------------------- */

/* The length of the part of filename that root stands for; 0: not below. */
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

/* Does path end with tail, which starts with "/"? */
static int
mod_iri_ends_with(iri_str_t path, iri_str_t tail)
{
    return tail.len > 0 && tail.data[0] == '/' && tail.len <= path.len
           && memcmp(path.data + path.len - tail.len, tail.data, tail.len)
                  == 0;
}

/* A root is taken literally, unless it is nowhere on disk as it stands. */
static int
mod_iri_is_there(request_rec *r, const char *filename, size_t len)
{
    apr_finfo_t info;

    return iri_str_is_ascii(
               (iri_str_t){ len, (const unsigned char *) filename })
           || apr_stat(&info, apr_pstrmemdup(r->pool, filename, len),
                       APR_FINFO_TYPE, r->pool)
                  == APR_SUCCESS;
}

/*
 * Divide r->filename into root and path.  Where the path is the tail of
 * r->uri, the whole of r->uri is looked for, so that what is found can have
 * another URI; else (a RewriteRule led here) only the tail is.
 */
static void
mod_iri_divide(request_rec *r, const mod_iri_request_t *ctx,
               iri_search_t *search)
{
    iri_str_t   filename = mod_iri_str(r->filename);
    iri_str_t   uri = mod_iri_str(r->uri), tail;
    const char *root = ap_context_document_root(r);
    size_t      len = mod_iri_root_length(r->filename, root);

    if (len == 0 && mod_iri_ends_with(filename, uri)) {
        len = filename.len - uri.len;
    }
    if (root != ctx->root && !mod_iri_is_there(r, r->filename, len)) {
        len = 0;
    }
    tail.data = filename.data + len;
    tail.len = filename.len - len;
    search->root.data = filename.data;
    search->root.len = len;
    search->path = tail;
    if (len > 0 && mod_iri_ends_with(uri, tail)) {
        search->path = uri;
        search->prefix = uri.len - tail.len;
        if (ctx->has_reading && !ctx->restarted && ctx->uri != NULL
            && mod_iri_is_same(ctx->reading.path, uri))
        {
            search->reading = &ctx->reading;
        }
    }
}

/* Is the path to look for what mod_iri_read.c has made canonical? */
static int
mod_iri_is_canonical(const request_rec *r, const mod_iri_request_t *ctx)
{
    return ctx->search.path.data == (const unsigned char *) r->uri
           && ctx->path != NULL && strcmp(ctx->path, r->uri) == 0;
}

/* Read a path that another module has put there.  0: it has no reading. */
static int
mod_iri_read_again(request_rec *r, iri_env_apr_t *env, iri_str_t path,
                   iri_reading_t *reading)
{
    return mod_iri_read_made(r->server, &env->env, path, reading) == IRI_OK
           && reading->verdict != IRI_REFUSE;
}

/* The path in the file system that a path stands for, canonical. */
static const char *
mod_iri_place_below(request_rec *r, const iri_search_t *search,
                    iri_str_t path)
{
    return apr_pstrcat(r->pool, mod_iri_dup(r->pool, search->root),
                       mod_iri_dup(r->pool, path) + search->prefix, NULL);
}

/*
 * A path that a RewriteRule or AliasMatch has made, not in canonical form: what
 * of it is there is taken literally, as httpd does, and nothing is looked for
 * that would be there in another form or charset.
 */
static int
mod_iri_take_literally(request_rec *r, iri_env_apr_t *env,
                       mod_iri_request_t *ctx, const iri_reading_t *whole)
{
    iri_search_t *search = &ctx->search;
    iri_reading_t rest;
    size_t        len = strlen(r->filename);

    if (whole->form == IRI_FORM_LEGACY) {
        return 0;
    }
    while (!mod_iri_is_there(r, r->filename, len)) {
        for (len--; len > 0 && r->filename[len] != '/'; len--) {
        }
    }
    ctx->place = mod_iri_place_below(r, search, whole->path);
    search->root.data = (const unsigned char *) r->filename;
    search->root.len = len;
    search->path = mod_iri_str(r->filename + len);
    return search->path.len == 0
           || (mod_iri_read_again(r, env, search->path, &rest)
               && rest.verdict == IRI_PASS);
}

/* ---- what was found ----------------------------------------------------- */

/* Put the octets of the disk in place, before any directory was walked. */
static void
mod_iri_set_filename(request_rec *r, const iri_found_t *found)
{
    if (found->filename.len == 0
        || mod_iri_equal(found->filename, r->filename)) {
        return;
    }
    r->filename = mod_iri_dup(r->pool, found->filename);
    r->canonical_filename = NULL;
    r->finfo.filetype = APR_NOFILE;
    r->finfo.valid = 0;
}

static void
mod_iri_note_absent(request_rec *r, const char *code, const char *why)
{
    iri_shown_t shown;

    mod_iri_note(r, IRI_LOG_INFO, code, "\"%s\" not served: %s",
                 iri_show(&shown, mod_iri_str(r->uri)), why);
}

/*
 * A rule has led where nothing can be.  mod_iri_absent() answers, once the
 * rules have let the client in.
 */
static void
mod_iri_refuse_found(request_rec *r, mod_iri_request_t *ctx, const char *why)
{
    mod_iri_note_absent(r, iri_reason_code(IRI_REASON_RULE), why);
    memset(&ctx->found, 0, sizeof(ctx->found));
    ctx->found.verdict = IRI_REFUSE;
    ctx->found.path = ctx->search.path;
    ctx->has_found = 1;
}

/*
 * Nobody is led from name to name where something is to be written; nor is
 * what such a request asks about, the Destination say.
 */
static int
mod_iri_is_write(const request_rec *r)
{
    for (; r != NULL; r = r->main) {
        if (r->method_number != M_GET
            && iri_method_writes(mod_iri_str(r->method))) {
            return 1;
        }
    }
    return 0;
}

/* Would the request make what it names, if that is not there? */
static int
mod_iri_is_making(const request_rec *r)
{
    return mod_iri_dav_is_destination(r)
           || (r->main == NULL && r->method_number != M_GET
               && iri_method_creates(mod_iri_str(r->method)));
}

/* Beside an entry that answers to its name nothing is made. */
static iri_status_t
mod_iri_find_twin(request_rec *r, const iri_env_t *env,
                  const iri_search_t *search, iri_found_t *found)
{
    iri_str_t source = { 0, NULL };

    if (!mod_iri_is_making(r)) {
        return IRI_OK;
    }
    if (r->main != NULL && r->method_number == M_MOVE) {
        source = mod_iri_str(r->main->filename);
    }
    return iri_find_conflict(env, search, source, found);
}

/*
 * No entry can have that name: 404, but only once the rules have let the
 * client in, since that may depend on what there is in a directory that they
 * deny; and 409 where it was to be made.  A rule of mod_rewrite may lead on
 * from a name that is absent.
 */
int
mod_iri_absent(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    iri_why_t                why;

    if (mod_iri_server(r->server)->engine != IRI_ENGINE_ON || ctx == NULL
        || !ctx->has_found || ctx->found.verdict != IRI_REFUSE || r->proxyreq
        || mod_iri_is_led_on(r))
    {
        return DECLINED;
    }
    why = ctx->found.why;
    if (why != IRI_WHY_NONE) {
        mod_iri_note_absent(r, iri_why_code(why), iri_why_text(why));
    }
    return mod_iri_is_making(r) && iri_is_conflict(&ctx->found)
               ? mod_iri_dav_conflict(r, why)
               : HTTP_NOT_FOUND;
}

/*
 * For the rules: the directories as they are on disk down to the deepest, or
 * to the names that may be meant, and the rest as it was asked.
 */
static void
mod_iri_set_directory(request_rec *r, const mod_iri_request_t *ctx)
{
    const iri_search_t *search = &ctx->search;
    const char *path = (const char *) search->path.data + search->prefix;
    const char *octets = mod_iri_dup(r->pool, ctx->found.filename);
    const char *at, *end;

    if (iri_path_is_ascii(mod_iri_str(r->filename), 0)
        || strlen(octets) < search->root.len)
    {
        return;
    }
    end = octets + strlen(octets);
    while (end > octets + search->root.len && end[-1] == '/') {
        end--;
    }
    for (at = octets + search->root.len; at < end; at++) {
        if (*at == '/' && *path != '\0') {
            path += 1 + strcspn(path + 1, "/");
        }
    }
    r->filename = apr_pstrcat(
        r->pool, apr_pstrmemdup(r->pool, octets, end - octets), path, NULL);
    r->canonical_filename = NULL;
}

/* Only what has exactly the canonical path, for the request cannot restart. */
static iri_status_t
mod_iri_find_canonical(request_rec *r, mod_iri_request_t *ctx)
{
    iri_env_apr_t env;
    iri_status_t  status;

    mod_iri_note_absent(r, iri_reason_code(IRI_REASON_RULE),
                        "it has another canonical path");
    mod_iri_env(&env, r);
    status = iri_find_canonical(&env.env, &ctx->search, &ctx->found);
    return status == IRI_OK
               ? mod_iri_find_twin(r, &env.env, &ctx->search, &ctx->found)
               : status;
}

/* What was found is what the request has asked for. */
static void
mod_iri_take(request_rec *r, mod_iri_request_t *ctx)
{
    /* octets are names if they are those of the canonical path */
    ctx->is_named = ctx->search.path.data == (const unsigned char *) r->uri
                    && mod_iri_equal(ctx->found.filename, r->filename);
    if (!ctx->is_named) {
        mod_iri_set_filename(r, &ctx->found);
    }
    ctx->is_mapped = 1;
    mod_iri_vars_match(r, ctx);
}

/* DECLINED: go on, as for a name that is absent if it is. */
static int
mod_iri_act(request_rec *r, mod_iri_request_t *ctx)
{
    iri_found_t *found = &ctx->found;
    int          status;

    /* what is to be chosen from may itself be in a directory that was
       found: its rules are the first to judge */
    if (found->verdict == IRI_RESTART
        || (found->verdict == IRI_CHOOSE
            && !mod_iri_is_same(found->path, ctx->search.path)))
    {
        status = mod_iri_restart(r, ctx);
        if (status != DECLINED) {
            return status;
        }
        if (mod_iri_find_canonical(r, ctx) != IRI_OK) {
            mod_iri_refuse_found(r, ctx, iri_why_text(IRI_WHY_ERROR));
        }
    }
    if (found->verdict == IRI_CHOOSE || found->verdict == IRI_REFUSE) {
        mod_iri_set_directory(r, ctx);
    } else {
        mod_iri_take(r, ctx);
    }
    return DECLINED;
}

/* ---- report ------------------------------------------------------------- */

/* What would be looked for if the canonical path were in place. */
static int
mod_iri_report_search(request_rec *r, const mod_iri_request_t *ctx,
                      iri_search_t *search)
{
    const char *filename = r->filename;
    size_t len = mod_iri_root_length(filename, ap_context_document_root(r));
    size_t prefix;

    if (len == 0
        || !mod_iri_ends_with(mod_iri_str(r->uri),
                              mod_iri_str(filename + len))
        || ctx->reading.verdict == IRI_REFUSE)
    {
        return 0;
    }
    prefix = strlen(r->uri) - strlen(filename + len);
    if (strncmp(ctx->path, r->uri, prefix) != 0) {
        return 0;
    }
    search->root.data = (const unsigned char *) filename;
    search->root.len = len;
    search->path = mod_iri_str(ctx->path);
    search->prefix = prefix;
    search->reading = &ctx->reading;
    search->write = mod_iri_is_write(r);
    mod_iri_search_places(r, search);
    return 1;
}

/* One line, which says what it would have come to. */
static void
mod_iri_report_found(request_rec *r, const iri_reading_t *reading,
                     iri_search_t *search, const iri_found_t *found)
{
    iri_report_t  report = { reading, found, NULL, search };
    iri_found_t   again;
    iri_env_apr_t env;
    iri_notes_t  *notes;

    mod_iri_env(&env, r);
    if (found != NULL && found->verdict == IRI_RESTART) {
        search->path = found->path;
        search->reading = NULL;
        if (iri_find(&env.env, search, &again) != IRI_OK) {
            return;
        }
        report.again = &again;
    }
    mod_iri_status_would(r, &report);
    notes = mod_iri_notes(r, IRI_LOG_INFO);
    if (notes != NULL) {
        (void) iri_note_report(&env.env, notes, &report);
    }
}

/* May a name in ASCII be another's, in some tree? */
static int
mod_iri_may_be_other(const request_rec *r, const mod_iri_server_t *conf)
{
    return conf->folds
           || ((conf->reading.repair & IRI_REPAIR_ESCAPES)
               && strchr(r->filename, '%') != NULL);
}

/* A request that has nothing to report unless its name is folded. */
static int
mod_iri_report_ascii(request_rec *r, mod_iri_server_t *conf)
{
    mod_iri_request_t ctx;
    iri_search_t      search;
    iri_found_t       found;
    iri_env_apr_t     env;

    if (!mod_iri_may_be_other(r, conf) || mod_iri_is_file_subrequest(r)
        || !iri_path_is_ascii(mod_iri_str(r->filename), 0))
    {
        return DECLINED;
    }
    memset(&ctx, 0, sizeof(ctx));
    memset(&search, 0, sizeof(search));
    ctx.path = r->uri;
    ctx.reading.path = mod_iri_str(r->uri);
    mod_iri_env(&env, r);
    if (!mod_iri_report_search(r, &ctx, &search)) {
        return DECLINED;
    }
    search.cache = conf->cache;
    search.reading = NULL;
    if (iri_find(&env.env, &search, &found) == IRI_OK
        && (found.verdict == IRI_RESTART || found.verdict == IRI_CHOOSE))
    {
        mod_iri_report_found(r, &ctx.reading, &search, &found);
    }
    return DECLINED;
}

/* IRIEngine report: one line that says what would have been done. */
static int
mod_iri_report(request_rec *r, mod_iri_server_t *conf)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    iri_search_t             search;
    iri_found_t              found;
    iri_env_apr_t            env;
    int                      has_found;

    if (ctx == NULL || !ctx->has_reading) {
        return mod_iri_report_ascii(r, conf);
    }
    memset(&search, 0, sizeof(search));
    search.cache = conf->cache;
    mod_iri_env(&env, r);
    has_found = mod_iri_report_search(r, ctx, &search)
                && iri_find(&env.env, &search, &found) == IRI_OK;
    mod_iri_report_found(r, &ctx->reading, &search,
                         has_found ? &found : NULL);
    return DECLINED;
}

/* ---- subrequests for files ---------------------------------------------- */

/* The directory of the main request's URI, without its PATH_INFO. */
static const char *
mod_iri_dir_uri(const request_rec *r)
{
    const request_rec *main = r->main;
    char              *uri = apr_pstrdup(r->pool, main->uri);

    if (main->path_info && *main->path_info) {
        uri[ap_find_path_info(uri, main->path_info)] = '\0';
    }
    return ap_make_dirstr_parent(r->pool, uri);
}

/*
 * A name that a page gives, to SSI's file= say, and that is not on disk as
 * it stands: find it as a request would be found.
 */
static void
mod_iri_find_file(request_rec *r, mod_iri_server_t *conf, iri_env_apr_t *env,
                  mod_iri_request_t *ctx)
{
    const char   *dir = ap_make_dirstr_parent(r->pool, r->main->filename);
    size_t        len = mod_iri_root_length(r->filename, dir);
    iri_reading_t reading;

    ctx->search.root.data = (const unsigned char *) r->filename;
    ctx->search.root.len = len;
    ctx->search.path = mod_iri_str(r->filename + len);
    ctx->search.tree = mod_iri_tree_within(r->main);
    ctx->search.cache = conf->cache;
    if (len == 0 || !mod_iri_read_again(r, env, ctx->search.path, &reading)) {
        return;
    }
    ctx->search.path = reading.path;
    if (iri_find(&env->env, &ctx->search, &ctx->found) == IRI_OK
        && ctx->found.verdict == IRI_SERVE)
    {
        mod_iri_set_filename(r, &ctx->found);
    }
}

/* The last segment of a path, without the slash at its end. */
static const char *
mod_iri_leaf(request_rec *r, const char *path)
{
    size_t      len = strlen(path);
    const char *leaf;

    if (len > 0 && path[len - 1] == '/') {
        len--;
    }
    path = apr_pstrmemdup(r->pool, path, len);
    leaf = strrchr(path, '/');
    return leaf ? leaf + 1 : path;
}

/*
 * The URI of a file subrequest is the canonical directory of its main
 * request and the name as it was asked: put the name of the entry there.
 */
static void
mod_iri_name_entry(request_rec *r, iri_env_apr_t *env, const char *asked)
{
    const char *dir = mod_iri_dir_uri(r);
    size_t      at = strlen(dir), len;
    iri_str_t   name;

    if (strncmp(r->uri, dir, at) != 0) {
        return;
    }
    len = strcspn(r->uri + at, "/");
    if (len != strlen(asked) || strncmp(r->uri + at, asked, len) != 0
        || iri_entry_name(&env->env, mod_iri_tree_within(r->main),
                          mod_iri_str(mod_iri_leaf(r, r->filename)), &name)
               != IRI_OK
        || name.len == 0)
    {
        return;
    }
    r->parsed_uri.path = apr_pstrcat(r->pool, dir, mod_iri_dup(r->pool, name),
                                     r->uri + at + len, NULL);
    r->uri = r->parsed_uri.path;
}

static int
mod_iri_map_file(request_rec *r, mod_iri_server_t *conf)
{
    mod_iri_request_t *ctx = mod_iri_request_make(r);
    const char        *asked = mod_iri_leaf(r, r->filename), *dir;
    iri_env_apr_t      env;

    mod_iri_env(&env, r);
    dir = mod_iri_place_of(r->main);
    dir = r->main->finfo.filetype == APR_DIR
              ? apr_pstrcat(r->pool, dir, "/", NULL)
              : ap_make_dirstr_parent(r->pool, dir);
    ctx->place = apr_pstrcat(r->pool, dir, asked, NULL);
    if (r->finfo.filetype == APR_NOFILE) {
        mod_iri_find_file(r, conf, &env, ctx);
    }
    mod_iri_name_entry(r, &env, asked);
    return DECLINED;
}

/* ---- map_to_storage ----------------------------------------------------- */

/*
 * A rule may have made a path that is not canonical, of a query say.  Rules
 * have judged that form, so nothing is looked for that has another one.  0:
 * the path is refused.
 */
static int
mod_iri_is_judged(request_rec *r, mod_iri_request_t *ctx)
{
    iri_reading_t reading;
    iri_env_apr_t env;

    if (mod_iri_is_canonical(r, ctx)) {
        return 1;
    }
    mod_iri_env(&env, r);
    if (!mod_iri_read_again(r, &env, ctx->search.path, &reading)) {
        mod_iri_refuse_found(r, ctx, "no charset reads its file name");
        return 0;
    }
    if (reading.verdict == IRI_PASS
        || mod_iri_take_literally(r, &env, ctx, &reading))
    {
        return 1;
    }
    mod_iri_refuse_found(r, ctx, "a rule made a path that is not canonical");
    return 0;
}

/*
 * A look at r->filename, as httpd looks when it walks the directories, and
 * not again if that was done.
 */
static apr_status_t
mod_iri_look(request_rec *r)
{
    apr_status_t status;

    if (r->finfo.filetype != APR_NOFILE) {
        return APR_SUCCESS;
    }
    status = ap_run_dirwalk_stat(&r->finfo, r, APR_FINFO_MIN);
    /* httpd may make another path of one with dot-segments */
    if (status != APR_SUCCESS || strstr(r->filename, "/.") != NULL) {
        r->finfo.filetype = APR_NOFILE;
        r->finfo.valid = 0;
    }
    return status;
}

/*
 * Most names are on disk as they are written: then httpd's own look, which it
 * would make anyhow, is all that is needed.
 */
static int
mod_iri_find_as_asked(request_rec *r, mod_iri_request_t *ctx)
{
    iri_env_apr_t env;

    mod_iri_env(&env, r);
    return (ctx->search.reading != NULL || ctx->restarted)
           && ctx->search.path.data == (const unsigned char *) r->uri
           && !ctx->traced
           && iri_find_as_asked(&env.env, &ctx->search,
                                mod_iri_str(r->filename), &ctx->found)
           && (ctx->found.verdict == IRI_PASS
               || mod_iri_look(r) == APR_SUCCESS);
}

static iri_status_t
mod_iri_find_uri(request_rec *r, mod_iri_request_t *ctx)
{
    iri_env_apr_t env;
    iri_status_t  status;

    if (mod_iri_find_as_asked(r, ctx)) {
        return IRI_OK;
    }
    mod_iri_env(&env, r);
    status = iri_find(&env.env, &ctx->search, &ctx->found);
    return status == IRI_OK
               ? mod_iri_find_twin(r, &env.env, &ctx->search, &ctx->found)
               : status;
}

/* Its cause is told by IRI_LOG_ERROR. */
static void
mod_iri_refuse_failed(request_rec *r, mod_iri_request_t *ctx)
{
    iri_shown_t shown;

    mod_iri_note(r, IRI_LOG_ERROR, iri_why_code(IRI_WHY_ERROR),
                 "cannot look for \"%s\"",
                 iri_show(&shown, mod_iri_str(r->filename)));
    mod_iri_refuse_found(r, ctx, iri_why_text(IRI_WHY_ERROR));
}

/* The settings of the directories on the way. */
static void
mod_iri_set_place(request_rec *r, mod_iri_request_t *ctx)
{
    iri_search_t *search = &ctx->search;

    if (ctx->place != NULL) {
        /* taken literally */
        search->tree = mod_iri_tree_above(r);
        return;
    }
    ctx->place = mod_iri_place_below(r, search, search->path);
    mod_iri_search_places(r, search);
}

static int
mod_iri_map_uri(request_rec *r, mod_iri_server_t *conf)
{
    mod_iri_request_t *ctx = mod_iri_request_make(r);

    memset(&ctx->search, 0, sizeof(ctx->search));
    ctx->search.cache = conf->cache;
    ctx->place = NULL;
    mod_iri_divide(r, ctx, &ctx->search);
    if (!mod_iri_is_judged(r, ctx)) {
        return DECLINED;
    }
    mod_iri_set_place(r, ctx);
    ctx->search.write = mod_iri_is_write(r);
    if (mod_iri_find_uri(r, ctx) != IRI_OK) {
        mod_iri_refuse_failed(r, ctx);
        return DECLINED;
    }
    ctx->has_found = 1;
    mod_iri_client_depends(r, ctx);
    return mod_iri_act(r, ctx);
}

/* ---- names in ASCII ----------------------------------------------------- */

/* Names are folded here, and this one had no need of it. */
static void
mod_iri_found_as_asked(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx != NULL) {
        memset(&ctx->found, 0, sizeof(ctx->found));
        ctx->has_found = 1;
        ctx->found.verdict = IRI_SERVE;
        ctx->found.match = IRI_MATCH_EXACT;
        ctx->found.path = mod_iri_str(r->uri);
        ctx->found.filename = mod_iri_str(r->filename);
    }
    mod_iri_vars_exact(r, ctx);
}

/* What is known of a request whose path was plain so far. */
static mod_iri_request_t *
mod_iri_request_found(request_rec *r, const iri_search_t *search,
                      const iri_found_t *found)
{
    mod_iri_request_t *ctx = mod_iri_request_make(r);

    if (!ctx->has_reading) {
        /* r->uri still is it, unless a rule has changed that */
        mod_iri_set_plain(r, ctx,
                          apr_pstrdup(r->pool, r->parsed_uri.path
                                                   ? r->parsed_uri.path
                                                   : r->uri));
    }
    ctx->search = *search;
    ctx->found = *found;
    ctx->has_found = 1;
    return ctx;
}

/* What is looked for of a path that is ASCII. */
static void
mod_iri_search_ascii(request_rec *r, const mod_iri_server_t *conf,
                     iri_search_t *search)
{
    static const mod_iri_request_t none;
    const mod_iri_request_t       *ctx = mod_iri_request(r);

    mod_iri_divide(r, ctx ? ctx : &none, search);
    search->cache = conf->cache;
    search->reading = NULL;
    search->write = mod_iri_is_write(r);
}

/* Nothing is changed of what is found as it was asked for, or not at all. */
static int
mod_iri_map_ascii(request_rec *r, mod_iri_server_t *conf)
{
    iri_search_t  search;
    iri_found_t   found;
    iri_env_apr_t env;

    memset(&search, 0, sizeof(search));
    mod_iri_search_ascii(r, conf, &search);
    mod_iri_search_places(r, &search);
    mod_iri_env(&env, r);
    if (!iri_search_needs_lookup(&env.env, &search)) {
        return DECLINED;
    }
    /* in doubt it is: where it may not be looked for, say, and where a
       file stands above it (PATH_INFO) */
    if (!APR_STATUS_IS_ENOENT(mod_iri_look(r))) {
        mod_iri_found_as_asked(r);
        return DECLINED;
    }
    search.absent = 1;
    if (iri_find(&env.env, &search, &found) != IRI_OK
        || mod_iri_find_twin(r, &env.env, &search, &found) != IRI_OK)
    {
        memset(&found, 0, sizeof(found));
        mod_iri_refuse_failed(r, mod_iri_request_found(r, &search, &found));
        return DECLINED;
    }
    if (found.verdict != IRI_RESTART && found.verdict != IRI_CHOOSE
        && found.verdict != IRI_REFUSE)
    {
        return DECLINED;
    }
    return mod_iri_act(r, mod_iri_request_found(r, &search, &found));
}

int
mod_iri_map(request_rec *r)
{
    mod_iri_server_t *conf = mod_iri_server(r->server);

    if (conf->engine == IRI_ENGINE_OFF || r->proxyreq || r->filename == NULL
        || r->filename[0] != '/')
    {
        return DECLINED;
    }
    if (conf->engine == IRI_ENGINE_REPORT) {
        return mod_iri_report(r, conf);
    }
    mod_iri_map_root(r);
    /* else that was asked before (mod_iri.c) */
    if (conf->maps_ascii && iri_str_is_ascii(mod_iri_str(r->filename))) {
        return mod_iri_may_be_other(r, conf) && !mod_iri_is_file_subrequest(r)
                   ? mod_iri_map_ascii(r, conf)
                   : DECLINED;
    }
    if (mod_iri_is_file_subrequest(r)) {
        return mod_iri_map_file(r, conf);
    }
    return mod_iri_map_uri(r, conf);
}
