/*
 * mod_iri_restart.c - a request restarts with the names that were found
 *
 * If an entry was found under another canonical path, the rules must judge the
 * URL of the client with the names that are opened (iri_restart.c of the core).
 * So in map_to_storage, at most once, the request is restored to the state in
 * which it was read, gets that URL, and passes through all phases again.
 *
 * The state is saved in a snapshot: a copy of the request_rec with copies of
 * its tables.  An internal redirect by a rule (.htaccess, DirectoryIndex,
 * Action) restarts with the snapshot of the request that was read.  A URI
 * subrequest and an error page have their own.
 *
 * An internal redirect is not used for the restart: rules trust requests with
 * REDIRECT_STATUS, and modules judge only requests whose r->prev is NULL.
 */

#include "mod_iri_request.h"

/* A request as it was read, and its restart. */
typedef struct mod_iri_snapshot_s {
    request_rec         saved;    /* a copy */
    request_rec        *original; /* the request that was read */
    apr_array_header_t *filters;  /* ap_filter_t *: filters of the request */
    const request_rec  *previous; /* a copy, at the restart; NULL: none yet */
    const request_rec *restarted; /* the request that runs since then; NULL */
} mod_iri_snapshot_t;

/* Returns: the snapshot of a request; NULL: it cannot restart. */
static mod_iri_snapshot_t *
mod_iri_snapshot(const request_rec *r)
{
    return mod_iri_conf(r)->may_restart
               ? mod_iri_pool_data(r->pool, NULL)->snapshot
               : NULL;
}

/* May the path lead to an entry with another canonical path? */
static int
mod_iri_can_restart(const request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_conf(r);

    return conf->engine == IRI_ENGINE_ON && conf->may_restart
           && r->parsed_uri.path != NULL
           && (strchr(r->parsed_uri.path, '%') != NULL
               || iri_ascii_needs_lookup(conf->match,
                                         mod_iri_str(r->parsed_uri.path))
               || !iri_str_is_ascii(mod_iri_str(r->parsed_uri.path)));
}

/* Copy each table of a request that a restart restores. */
static void
mod_iri_copy_tables(request_rec *r)
{
    apr_table_t **tables[] = { &r->headers_in,      &r->headers_out,
                               &r->err_headers_out, &r->subprocess_env,
                               &r->notes,           &r->trailers_out };
    size_t        i;

    for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        /* a request that a module has made may lack one */
        if (*tables[i] != NULL) {
            *tables[i] = apr_table_copy(r->pool, *tables[i]);
        }
    }
}

static void
mod_iri_add_filters(apr_array_header_t *filters, const request_rec *r,
                    ap_filter_t *f)
{
    for (; f != NULL; f = f->next) {
        if (f->r == r) {
            APR_ARRAY_PUSH(filters, ap_filter_t *) = f;
        }
    }
}

static mod_iri_snapshot_t *
mod_iri_snapshot_make(request_rec *r)
{
    mod_iri_snapshot_t *snapshot = apr_pcalloc(r->pool, sizeof(*snapshot));
    request_rec        *state = &snapshot->saved;

    snapshot->original = r;
    *state = *r;
    /* httpd decodes the path in place. */
    state->uri = state->parsed_uri.path = apr_pstrdup(r->pool,
                                                      r->parsed_uri.path);
    if (r->main != NULL) {
        /* the first walk over <Location> may have set variables */
        state->subprocess_env = r->main->subprocess_env;
    }
    mod_iri_copy_tables(state);
    state->allowed_methods = ap_make_method_list(r->pool, 2);
    ap_copy_method_list(state->allowed_methods, r->allowed_methods);
    state->per_dir_config = r->server->lookup_defaults;
    state->request_config = mod_iri_copy_vector(r->pool, r->request_config);
    snapshot->filters = apr_array_make(r->pool, 8, sizeof(ap_filter_t *));
    mod_iri_add_filters(snapshot->filters, r, r->output_filters);
    mod_iri_add_filters(snapshot->filters, r, r->input_filters);
    return snapshot;
}

static int
mod_iri_add_redirect(void *env, const char *key, const char *value)
{
    apr_table_addn(
        env, apr_pstrcat(apr_table_elts(env)->pool, "REDIRECT_", key, NULL),
        value);
    return 1;
}

static int
mod_iri_add_value(void *env, const char *key, const char *value)
{
    apr_table_setn(env, key, value);
    return 1;
}

/*
 * Give an error page the URL and variables of the request before the restart:
 * the rules of the name that was found may have denied access.
 */
static void
mod_iri_hide_restart(const mod_iri_snapshot_t *snapshot, request_rec *page)
{
    apr_table_t *env = apr_table_make(page->pool, 25);

    apr_table_do(mod_iri_add_redirect, env,
                 snapshot->previous->subprocess_env, NULL);
    apr_table_do(mod_iri_add_value, env, page->subprocess_env,
                 "REDIRECT_STATUS", "REDIRECT_REQUEST_METHOD",
                 "REDIRECT_ERROR_NOTES", NULL);
    page->subprocess_env = env;
    page->prev->uri = snapshot->previous->uri;
    page->prev->args = snapshot->previous->args;
    page->the_request = snapshot->previous->the_request;
}

/*
 * Runs in post_read_request of a main request and in pre_translate_name of a
 * subrequest, before the hooks of other modules.
 */
void
mod_iri_snapshot_take(request_rec *r)
{
    mod_iri_snapshot_t *snapshot;

    if (r->prev == NULL && !mod_iri_can_restart(r)) {
        return;
    }
    snapshot = mod_iri_snapshot(r);
    if (snapshot != NULL && snapshot->restarted == r) {
        r->prev = snapshot->saved.prev; /* see mod_iri_snapshot_restore() */
        return;
    }
    if (r->prev != NULL && !mod_iri_is_error_page(r)) {
        return;
    }
    if (snapshot != NULL && snapshot->restarted != NULL) {
        mod_iri_hide_restart(snapshot, r);
    }
    if (r->prev != NULL && mod_iri_is_on(r)) {
        mod_iri_vars_hide_lookup(r);
    }
    mod_iri_pool_data(r->pool, NULL)->snapshot = mod_iri_can_restart(r)
                                                     ? mod_iri_snapshot_make(
                                                         r)
                                                     : NULL;
}

/* Remove the filters from f on that were added since the request was read. */
static void
mod_iri_remove_filters(const mod_iri_snapshot_t *snapshot,
                       const request_rec *r, ap_filter_t *f,
                       void (*remove_filter)(ap_filter_t *))
{
    ap_filter_t *next;
    int          i;

    for (; f != NULL; f = next) {
        next = f->next;
        for (i = 0;
             i < snapshot->filters->nelts
             && APR_ARRAY_IDX(snapshot->filters, i, ap_filter_t *) != f;
             i++)
        {
        }
        if (f->r == r && i == snapshot->filters->nelts) {
            remove_filter(f);
        }
    }
}

/*
 * Has a module begun to read the body?  It cannot be read again.  Subrequests
 * and error pages have none.
 */
static int
mod_iri_is_body_read(const mod_iri_snapshot_t *snapshot, const request_rec *r)
{
    const ap_filter_rec_t *in = ap_get_input_filter_handle("HTTP_IN");
    const ap_filter_t     *f = r->input_filters;

    if (snapshot->saved.main != NULL || snapshot->saved.prev != NULL) {
        return 0;
    }
    while (f != NULL && (f->frec != in || f->ctx == NULL)) {
        f = f->next;
    }
    return f != NULL;
}

/*
 * Restore a request from its snapshot.  These members keep their current
 * values: the filter chains, without the filters that were added; the state
 * of the body and of 100 (Continue); the log id; the invoke mutex.  The
 * request gets a new subpool, because modules keep state in the pool
 * (mod_rewrite for [END]).
 *
 * The hooks of create_request and post_read_request run again.  Some that run
 * before this module's add protocol filters, which are present (http_core,
 * mod_http2), or log the request (mod_log_forensic), unless it is a redirect.
 * So r->prev is set until this module's hook of post_read_request.
 */
static void
mod_iri_snapshot_restore(mod_iri_snapshot_t *snapshot, request_rec *r)
{
    request_rec  *was = apr_pmemdup(r->pool, r, sizeof(*r)), *prev;
    const module *m;

    mod_iri_remove_filters(snapshot, r, r->output_filters,
                           ap_remove_output_filter);
    mod_iri_remove_filters(snapshot, r, r->input_filters,
                           ap_remove_input_filter);
    *was = *r;
    *r = snapshot->saved;
    r->output_filters = was->output_filters;
    r->proto_output_filters = was->proto_output_filters;
    r->input_filters = was->input_filters;
    r->proto_input_filters = was->proto_input_filters;
    r->read_body = was->read_body;
    r->read_chunked = was->read_chunked;
    r->read_length = was->read_length;
    r->remaining = was->remaining;
    r->kept_body = was->kept_body;
    r->trailers_in = was->trailers_in;
    r->expecting_100 = was->expecting_100;
    r->log_id = was->log_id;
    r->invoke_mtx = was->invoke_mtx;

    snapshot->restarted = r;
    snapshot->previous = was;
    apr_pool_create(&r->pool, was->pool);
    apr_pool_tag(r->pool, "mod_iri: restart");
    (void) mod_iri_pool_data(r->pool, was->pool);
    if (r->main == NULL && r->prev == NULL) {
        r->prev = was;
    }
    r->request_config = ap_create_request_config(r->pool);
    ap_run_create_request(r);
    for (m = ap_top_module; m != NULL; m = m->next) {
        if (ap_get_module_config(r->request_config, m) == NULL) {
            ap_set_module_config(
                r->request_config, m,
                ap_get_module_config(snapshot->saved.request_config, m));
        }
    }

    /* only the restarted request sends the end of the answer */
    for (prev = was->prev; prev != NULL && prev != snapshot->saved.prev;
         prev = prev->prev)
    {
        prev->eos_sent = 1;
    }
}

/* Set the path with which a request has restarted. */
static void
mod_iri_restore_path(request_rec *r, iri_request_t *state, const char *uri)
{
    mod_iri_request_t *ctx = mod_iri_request_create(r);

    ctx->state = state;
    ctx->uri = uri;
    mod_iri_set_path(r, ctx);
    ctx->is_ascii = r->main == NULL
                    && iri_request_form(state, 0) == IRI_FORM_ASCII
                    && iri_path_is_ascii(iri_request_path(state, 0), 0);
    if (!ctx->is_ascii) {
        mod_iri_vars_set_reading(r);
    }
}

static int
mod_iri_process_main(request_rec *r)
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
 * is_lookup: the caller of a subrequest needs its status.  Otherwise the answer
 * is sent here, as httpd does in map_to_storage for OPTIONS * and TRACE.
 */
static int
mod_iri_process_restarted(request_rec *r, apr_pool_t *pool, int is_lookup)
{
    int status;

    if (r->main != NULL) {
        status = ap_process_request_internal(r);
        if (is_lookup) {
            return status == OK ? HTTP_OK : status;
        }
        status = status == OK ? ap_invoke_handler(r) : status;
    } else {
        status = mod_iri_process_main(r);
    }
    ap_die(status, r);
    r->pool = pool; /* httpd destroys it at the end of the request */
    return DONE;
}

iri_str_t
mod_iri_restart_url(const request_rec *r)
{
    const mod_iri_snapshot_t *snapshot = mod_iri_snapshot(r);
    iri_str_t                 none = { 0, NULL };

    return snapshot != NULL && snapshot->restarted == NULL
                   && !mod_iri_is_body_read(snapshot, r)
               ? mod_iri_path(snapshot->original)
               : none;
}

/* iri_request_restart() precedes the restoring of r, to which env refers. */
int
mod_iri_restart(request_rec *r, const iri_lookup_t *lookup)
{
    mod_iri_snapshot_t *snapshot = mod_iri_snapshot(r);
    apr_pool_t         *pool = r->pool;
    int            is_lookup = r->main != NULL && r == snapshot->original;
    iri_request_t *state;
    iri_str_t      uri, url = mod_iri_restart_url(r);

    if (iri_path_to_uri(mod_iri_env(r), lookup->restart, &uri) != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    /* the event of the request that was read is counted */
    state = mod_iri_request_create(snapshot->original)->state;
    iri_request_restart(state, mod_iri_env(r), lookup, url, lookup->restart,
                        0);
    mod_iri_snapshot_restore(snapshot, r);
    mod_iri_restore_path(r, state, mod_iri_dup(r->pool, uri));
    return mod_iri_process_restarted(r, pool, is_lookup);
}
