/*
 * mod_iri_answer.c - what the client is told
 *
 * Starting over where a further reading was found, IRIRedirect, and names in
 * headers that other modules took from the disk.
 */

#include "mod_iri.h"

/* ---- moved -------------------------------------------------------------- */

/*
 * A subrequest has nobody who would answer for it: it is made again, as it
 * was when it was new, and goes through all of its phases.  Whoever asked
 * for it wants to see its status, so this is what map_to_storage returns.
 */
static int
mod_iri_run_again(request_rec *r, const mod_iri_request_t *moved)
{
    int status;

    r->request_config = ap_create_request_config(r->pool);
    ap_run_create_request(r);
    r->per_dir_config = r->server->lookup_defaults;
    r->subprocess_env = apr_table_copy(r->pool, r->main->subprocess_env);
    r->notes = apr_table_make(r->pool, 5);
    r->headers_out = apr_table_make(r->pool, 5);
    r->err_headers_out = apr_table_make(r->pool, 5);
    r->handler = NULL;
    r->filename = NULL;
    r->canonical_filename = NULL;
    r->path_info = NULL;
    memset(&r->finfo, 0, sizeof(r->finfo));

    r->parsed_uri.path = apr_pstrdup(r->pool, moved->moved_to);
    r->uri = r->parsed_uri.path;
    mod_iri_inherit(r, moved);
    status = ap_process_request_internal(r);
    return status == OK ? HTTP_OK : status;
}

/*
 * The entry that was found has another canonical path than the one that all
 * rules have judged so far.  So the request starts over with that path, as
 * an internal redirect: post_read_request, the quick handler of mod_cache,
 * rewriting, aliases, proxying, access, all of it; method, headers and body
 * are kept.  It happens before anything was opened or allowed, and once.
 *
 * The answer is sent within; DONE says so (as for OPTIONS * and TRACE,
 * map_to_storage is where httpd itself ends requests that way).
 */
int
mod_iri_start_over(request_rec *r, mod_iri_request_t *ctx)
{
    iri_env_apr_t env;
    iri_str_t     uri;

    mod_iri_env(&env, r);
    if (iri_path_to_uri(&env.env, ctx->found.path, &uri) != IRI_OK) {
        return HTTP_NOT_FOUND;
    }
    ctx->moved_to = mod_iri_dup(r->pool, uri);
    ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r,
                  "iri: %s is %s: starting over", r->unparsed_uri,
                  ctx->moved_to);
    if (r->main != NULL && r->prev == NULL) {
        return mod_iri_run_again(r, ctx);
    }
    ap_internal_redirect(
        r->args ? apr_pstrcat(r->pool, ctx->moved_to, "?", r->args, NULL)
                : ctx->moved_to,
        r);
    return DONE;
}

/* ---- IRIRedirect -------------------------------------------------------- */

/* Is this what the client asked for, and not something inside of it? */
static int
mod_iri_is_first(const request_rec *r, const mod_iri_request_t *ctx)
{
    if (r->main != NULL) {
        return 0;
    }
    return r->prev == NULL || (ctx->started_over && r->prev->prev == NULL);
}

/*
 * After access was granted, so that the redirect tells nothing about names
 * that the client may not see.
 */
static int
mod_iri_redirect(request_rec *r, const mod_iri_request_t *ctx)
{
    const mod_iri_dir_t *dir = ap_get_module_config(r->per_dir_config,
                                                    &iri_module);
    const char          *sent;
    iri_str_t            path, query, location;
    iri_env_apr_t        env;

    if (dir == NULL || dir->redirect <= 0 || r->method_number != M_GET
        || ctx->uri == NULL || !ctx->has_reading || !mod_iri_is_first(r, ctx))
    {
        return DECLINED;
    }
    mod_iri_env(&env, r);
    /* not r->args, which a RewriteRule may have made */
    sent = r->prev ? r->prev->parsed_uri.query : r->parsed_uri.query;
    query = mod_iri_str(sent ? sent : "");
    path = ctx->started_over ? mod_iri_str(ctx->path) : ctx->reading.path;
    if (iri_location(&env.env, &ctx->reading, path, sent != NULL, query,
                     &location)
            != IRI_OK
        || location.len == 0)
    {
        return DECLINED;
    }
    apr_table_setn(
        r->headers_out, "Location",
        ap_construct_url(r->pool, mod_iri_dup(r->pool, location), r));
    return dir->redirect;
}

/* ---- headers ------------------------------------------------------------ */

/*
 * mod_negotiation writes the name of the variant as it is on disk into
 * Content-Location; a client can resolve the canonical one only.
 */
static void
mod_iri_content_location(request_rec *r, const mod_iri_request_t *ctx)
{
    static const char field[] = "Content-Location";
    const char       *value = apr_table_get(r->err_headers_out, field);
    char             *octets;
    iri_str_t         name, uri;
    iri_env_apr_t     env;

    if (value == NULL || ctx->tree == NULL
        || iri_is_ascii(mod_iri_str(value), 1)) {
        return;
    }
    octets = apr_pstrdup(r->pool, value);
    mod_iri_env(&env, r);
    if (ap_unescape_url(octets) == OK
        && iri_entry_name(&env.env, ctx->tree, mod_iri_str(octets), &name)
               == IRI_OK
        && name.len > 0 && iri_path_to_uri(&env.env, name, &uri) == IRI_OK)
    {
        apr_table_setn(r->err_headers_out, field, mod_iri_dup(r->pool, uri));
    }
}

int
mod_iri_fixups(request_rec *r)
{
    const mod_iri_server_t  *conf = mod_iri_server(r->server);
    const mod_iri_request_t *ctx = mod_iri_request(r);

    if (conf->engine != IRI_ENGINE_ON) {
        return DECLINED;
    }
    if (ctx == NULL) {
        /* a program may want to know; a plain file pays nothing for it */
        if (r->handler != NULL && r->main == NULL) {
            mod_iri_vars_last(r, NULL);
        }
        return DECLINED;
    }
    mod_iri_vars_last(r, ctx);
    mod_iri_content_location(r, ctx);
    return mod_iri_redirect(r, ctx);
}
