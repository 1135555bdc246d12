/*
 * mod_iri_moved.c - starting over under the name that was found
 *
 * The entry that was found has another canonical path than the one that all
 * rules have judged so far.  So the same request is made new and goes through
 * all of its phases with that path: post_read_request, the quick handler of
 * mod_cache, rewriting, aliases, proxying, access, all of it.  It happens in
 * map_to_storage, before anything was opened or allowed, and once.
 *
 * Where it is remembered what will be found, and nothing but DocumentRoot leads
 * to it, the request begins with that path, in post_read_request: nobody has
 * seen the other one then.
 *
 * An internal redirect would not do: rules let redirects in (REDIRECT_STATUS
 * is set), and modules judge only requests that are none (r->prev is NULL).
 */

#include "mod_iri.h"

/* ---- as it was when it was new ------------------------------------------ */

/*
 * What a new request has; what was set for the other spelling must not stay.
 * What the request has of an internal redirect is its own, and so is all of
 * it where the path is not another spelling but what a rule made of it.
 */
static apr_table_t *
mod_iri_new_env(const request_rec *r, const mod_iri_request_t *moved)
{
    static const char         prefix[] = "REDIRECT_";
    const apr_array_header_t *array = apr_table_elts(r->subprocess_env);
    const apr_table_entry_t  *entry = (apr_table_entry_t *) array->elts;
    apr_table_t              *env;
    int                       i;

    if (moved->rewritten) {
        return apr_table_copy(r->pool, r->subprocess_env);
    }
    if (r->prev == NULL && r->main != NULL) {
        return apr_table_copy(r->pool, r->main->subprocess_env);
    }
    env = apr_table_make(r->pool, 25);
    for (i = 0; r->prev != NULL && i < array->nelts; i++) {
        if (strncmp(entry[i].key, prefix, sizeof(prefix) - 1) == 0) {
            apr_table_addn(env, entry[i].key, entry[i].val);
        }
    }
    return env;
}

/*
 * mod_remoteip has taken what it tells of the client out of a header, where it
 * does not find that again.
 */
static apr_table_t *
mod_iri_new_notes(const request_rec *r)
{
    static const char proxies[] = "remoteip-proxy-ip-list";
    const char       *list = apr_table_get(r->notes, proxies);
    apr_table_t      *notes = apr_table_make(r->pool, 5);

    if (list != NULL) {
        apr_table_setn(notes, proxies, list);
    }
    return notes;
}

/* What modules have decided of the resource. */
static void
mod_iri_forget_resource(request_rec *r)
{
    r->handler = NULL;
    r->content_type = NULL;
    r->content_encoding = NULL;
    r->content_languages = NULL;
    r->user = NULL;
    r->ap_auth_type = NULL;
    r->filename = NULL;
    r->canonical_filename = NULL;
    r->path_info = NULL;
    r->used_path_info = AP_REQ_DEFAULT_PATH_INFO;
    r->mtime = 0;
    memset(&r->finfo, 0, sizeof(r->finfo));
}

/*
 * first: r as it was, NULL for a subrequest.  The filters that read and write
 * the protocol are in place, but httpd, in create_request, and mod_http2, in
 * post_read_request, put them before every request that is no redirect.  So
 * this one is a redirect until they have been asked.
 */
static void
mod_iri_renew(request_rec *r, const mod_iri_request_t *moved,
              request_rec *first)
{
    r->subprocess_env = mod_iri_new_env(r, moved);
    r->notes = mod_iri_new_notes(r);
    r->headers_out = apr_table_make(r->pool, 12);
    if (r->prev == NULL) {
        /* else of the request that was redirected from: Vary, say */
        r->err_headers_out = apr_table_make(r->pool, 5);
    }
    r->per_dir_config = r->server->lookup_defaults;
    if (moved->unparsed != NULL) {
        r->unparsed_uri = (char *) moved->unparsed;
    }
    mod_iri_forget_resource(r);
    if (r->main == NULL) {
        /* those of the resource go, mod_cache's say */
        r->output_filters = r->proto_output_filters;
        r->input_filters = r->proto_input_filters;
    }
    if (first != NULL) {
        r->prev = first;
    }
    r->request_config = ap_create_request_config(r->pool);
    ap_run_create_request(r);
}

/* How the client wrote the path stays known. */
static mod_iri_request_t *
mod_iri_inherit(request_rec *r, const mod_iri_request_t *moved,
                const char *uri)
{
    mod_iri_request_t *ctx = mod_iri_request_make(r);

    ctx->started_over = 1;
    ctx->traced = moved->traced;
    ctx->rewritten = moved->rewritten;
    ctx->moved_by = moved->found.match;
    ctx->has_reading = 1;
    ctx->reading = moved->reading;
    ctx->charset = moved->found.charset;
    /* another charset can only be one of IRICharset */
    ctx->form = moved->found.repaired != IRI_FORM_ASCII
                    ? moved->found.repaired
                : !moved->has_reading
                        || mod_iri_is_same(ctx->charset, moved->charset)
                    ? moved->form
                    : IRI_FORM_LEGACY;
    ctx->path = mod_iri_dup(r->pool, moved->found.path);
    ctx->uri = uri;
    mod_iri_put_path(r, ctx);
    ctx->plain = r->main == NULL && !moved->rewritten
                 && ctx->form == IRI_FORM_ASCII
                 && iri_is_ascii(moved->found.path, 0);
    if (!ctx->plain) {
        mod_iri_vars_reading(r, ctx);
    }
    ctx->depends = moved->depends;
    mod_iri_client_depends(r, ctx);
    return ctx;
}

/* ---- running it again --------------------------------------------------- */

/*
 * A subrequest has nobody who would answer for it.  Whoever asked for it
 * wants to see its status, so this is what map_to_storage returns.
 */
static int
mod_iri_look_again(request_rec *r, const mod_iri_request_t *moved,
                   const char *uri)
{
    int status;

    mod_iri_renew(r, moved, NULL);
    mod_iri_inherit(r, moved, uri);
    status = ap_process_request_internal(r);
    return status == OK ? HTTP_OK : status;
}

static int
mod_iri_process(request_rec *r)
{
    int status = ap_run_post_read_request(r);

    if (status != OK && status != DECLINED) {
        return status;
    }
    status = ap_run_quick_handler(r, 0);
    if (status != DECLINED) {
        return status;
    }
    status = ap_process_request_internal(r);
    return status == OK ? ap_invoke_handler(r) : status;
}

/*
 * The answer is sent within; DONE says so (as for OPTIONS * and TRACE,
 * map_to_storage is where httpd itself ends requests that way).  An error is
 * left to the caller, who would have got it otherwise.
 */
static int
mod_iri_answer_again(request_rec *r, const mod_iri_request_t *moved,
                     const char *uri)
{
    request_rec *first = apr_pmemdup(r->pool, r, sizeof(*r));
    int          status;

    mod_iri_renew(r, moved, first);
    mod_iri_inherit(r, moved, uri)->first = first;
    status = mod_iri_process(r);
    return status == OK || status == DECLINED ? DONE : status;
}

void
mod_iri_forget_first(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx != NULL && ctx->first != NULL) {
        r->prev = ctx->first->prev;
    }
}

/* Whoever looks for a mistake in a link wants to know what was forgiven. */
static void
mod_iri_note_moved(request_rec *r, iri_str_t asked, const iri_found_t *found)
{
    iri_shown_t shown, path;

    if (found->match != IRI_MATCH_NONE
        && mod_iri_notes(r, IRI_LOG_INFO) != NULL) {
        mod_iri_note(r, IRI_LOG_INFO, iri_why_code(found->why),
                     "\"%s\" is \"%s\": %s", iri_show(&shown, asked),
                     iri_show(&path, found->path),
                     iri_match_text(found->match));
    }
}

int
mod_iri_start_over(request_rec *r, const mod_iri_request_t *moved)
{
    iri_env_apr_t env;
    iri_str_t     str;
    const char   *uri;

    mod_iri_env(&env, r);
    if (iri_path_to_uri(&env.env, moved->found.path, &str) != IRI_OK) {
        return HTTP_NOT_FOUND;
    }
    uri = mod_iri_dup(r->pool, str);
    iri_trace_step(&env.env, IRI_STEP_OVER, moved->found.path);
    mod_iri_note_moved(r, mod_iri_str(r->uri), &moved->found);
    return r->main != NULL && r->prev == NULL
               ? mod_iri_look_again(r, moved, uri)
               : mod_iri_answer_again(r, moved, uri);
}

/* ---- beginning with that path ------------------------------------------- */

/* The answer of search, if it is that the path has moved.  0: it is not. */
static int
mod_iri_find_moved(const iri_env_t *env, const iri_search_t *search,
                   iri_found_t *found)
{
    int held;

    return iri_find_again(env, search, found, &held) == IRI_OK && held
           && found->answer == IRI_MOVED;
}

/*
 * Where it is known what the first way through the phases would come to, and
 * nobody else on it would see the path that came, a request does not go it.
 * One that asks to upgrade does, for HTTP/2 takes its path when it is mapped;
 * and so do all where requests are counted, for both ways are.  moved NULL: the
 * path is ASCII.
 */
static int
mod_iri_begin_moved(request_rec *r, const mod_iri_server_t *conf,
                    iri_search_t *search, mod_iri_request_t *moved)
{
    const char       *path = (const char *) search->path.data;
    mod_iri_request_t over;
    iri_env_apr_t     env;
    iri_str_t         uri;

    mod_iri_env(&env, r);
    if (env.env.trace || conf->stats != NULL
        || apr_table_get(r->headers_in, "Upgrade") != NULL
        || !mod_iri_is_direct(conf, path))
    {
        return 0;
    }
    if (moved != NULL) {
        over = *moved;
        search->reading = &moved->reading;
    } else {
        memset(&over, 0, sizeof(over));
        mod_iri_set_plain(r, &over, path);
    }
    mod_iri_search_places(r, search);
    if (!mod_iri_find_moved(&env.env, search, &over.found)
        || iri_path_to_uri(&env.env, over.found.path, &uri) != IRI_OK)
    {
        return 0;
    }
    mod_iri_note_moved(r, search->path, &over.found);
    if (moved != NULL) {
        memset(moved, 0, sizeof(*moved));
    }
    mod_iri_inherit(r, &over, mod_iri_dup(r->pool, uri));
    return 1;
}

mod_iri_begun_t
mod_iri_begin(request_rec *r, const char *path, mod_iri_request_t *moved)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);
    iri_search_t            search;
    iri_answer_t            answer;

    if (conf->root.len == 0 || r->method_number != M_GET || r->main != NULL
        || r->prev != NULL)
    {
        return MOD_IRI_MAY_BE_HELD;
    }
    memset(&search, 0, sizeof(search));
    search.cache = conf->cache;
    search.root = conf->root;
    search.path = mod_iri_str(path);
    if (!iri_may_know(&search, &answer)) {
        return MOD_IRI_NOT_HELD;
    }
    return answer == IRI_MOVED && mod_iri_begin_moved(r, conf, &search, moved)
               ? MOD_IRI_BEGUN
               : MOD_IRI_MAY_BE_HELD;
}
