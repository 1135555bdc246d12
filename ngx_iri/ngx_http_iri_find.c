/*
 * ngx_http_iri_find.c - lookups below root and alias; restart
 *
 * Looks up a canonical path below root or alias of a location, as configured
 * (design 5).  The core keeps each result with the request, so that rules, the
 * script under root (ngx_http_iri_root.c), variables and listings share one
 * lookup.
 *
 * If the entry has another canonical path than the one that was looked up, the
 * request restarts with the URL of the client, in which the names of the entry
 * replace those that were sent (design 5.6, iri_restart_url).
 */

#include "ngx_http_iri_cache.h"
#include "ngx_http_iri_dav.h"
#include "ngx_http_iri_listing.h"


/* ---- root and alias as configured --------------------------------------- */

size_t
ngx_http_iri_root_length(ngx_http_script_engine_t       *e,
                         const ngx_http_core_loc_conf_t *clcf)
{
    size_t  len = 0;
    u_char *ip = e->ip;

    if (clcf->root_lengths == NULL) {
        return clcf->root.len;
    }

    for (e->ip = clcf->root_lengths->elts; *(uintptr_t *) e->ip;) {
        len += (*(ngx_http_script_len_code_pt *) e->ip)(e);
    }

    e->ip = ip;

    return len;
}


void
ngx_http_iri_root_copy(ngx_http_script_engine_t       *e,
                       const ngx_http_core_loc_conf_t *clcf)
{
    u_char *ip = e->ip;

    if (clcf->root_lengths == NULL) {
        e->pos = ngx_cpymem(e->pos, clcf->root.data, clcf->root.len);
        return;
    }

    for (e->ip = clcf->root_values->elts; *(uintptr_t *) e->ip;) {
        (*(ngx_http_script_code_pt *) e->ip)(e);
    }

    e->ip = ip;
}


/*
 * ngx_http_script_run() cannot be used, because it flushes variables that are
 * not cacheable: nginx evaluates a text in two passes, for its length and for
 * its octets.  If a pass calls this function through the getter of a variable
 * of the module, the other variables of the text must keep their values.
 */
static ngx_int_t
ngx_http_iri_evaluate_root(ngx_http_request_t             *r,
                           const ngx_http_core_loc_conf_t *clcf,
                           ngx_str_t                      *out)
{
    ngx_http_script_engine_t e;

    ngx_memzero(&e, sizeof(ngx_http_script_engine_t));
    e.request = r;

    out->len = ngx_http_iri_root_length(&e, clcf);
    out->data = ngx_pnalloc(r->pool, out->len);
    if (out->data == NULL) {
        return NGX_ERROR;
    }

    /* Do not flush the values from which the length was computed. */
    e.flushed = 1;
    e.pos = out->data;
    ngx_http_iri_root_copy(&e, clcf);
    out->len = e.pos - out->data;

    return NGX_OK;
}


/*
 * alias replaces the prefix of the location in the path.  After a rewrite, and
 * in the Destination of COPY, the path may not begin with this prefix, or be
 * shorter.  nginx does not compare lengths here: with the script, it sees an
 * alias with captures.
 */
ngx_uint_t
ngx_http_iri_below_alias(ngx_http_request_t             *r,
                         const ngx_http_core_loc_conf_t *clcf, ngx_str_t uri)
{
    if (clcf->alias == 0) {
        return 1;
    }

    return r->valid_location && !r->uri_changed
           && (clcf->alias == NGX_MAX_SIZE_T_VALUE || clcf->alias <= uri.len);
}


/*
 * Set root, path and prefix of *search; prefix is the number of octets that
 * alias replaces.  An alias with captures evaluates to the whole name: its text
 * before the first variable becomes the root, the rest the path.
 */
static ngx_int_t
ngx_http_iri_search_path(ngx_http_request_t            *r,
                         const ngx_http_iri_loc_conf_t *ilcf,
                         ngx_http_core_loc_conf_t *clcf, ngx_str_t uri,
                         iri_search_t *search)
{
    ngx_str_t root = clcf->root;

    if (clcf->root_lengths != NULL
        && (ngx_http_iri_evaluate_root(r, clcf, &root) != NGX_OK
            || ngx_get_full_name(r->pool, (ngx_str_t *) &ngx_cycle->prefix,
                                 &root)
                   != NGX_OK))
    {
        return NGX_ERROR;
    }

    if (clcf->alias != NGX_MAX_SIZE_T_VALUE) {
        search->root = ngx_http_iri_str(root);
        search->path = ngx_http_iri_str(uri);
        search->prefix = clcf->alias;
        return NGX_OK;
    }

    search->root.data = root.data;
    search->root.len = ngx_min(ilcf->literal_len, root.len);
    search->path.data = root.data + search->root.len;
    search->path.len = root.len - search->root.len;
    search->prefix = 0;

    return NGX_OK;
}


/* ---- calling the core --------------------------------------------------- */

/*
 * Returns: the reading of uri, or of the path before rules have changed it; the
 * core tests whether uri ends in the same segments.  NULL: none.
 */
static const iri_reading_t *
ngx_http_iri_reading_of(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        ngx_str_t uri)
{
    const iri_reading_t *reading = ngx_http_iri_destination_reading(r, uri);

    if (reading != NULL) {
        return reading;
    }

    return ngx_http_iri_judge_of(r) != NULL
                   || iri_request_has_restarted(ctx->request)
               ? NULL
               : iri_request_reading(ctx->request);
}


/*
 * Returns: 1 if r->uri is a path that the configuration contains: in a location
 * with "=", or as an argument of auth_request, mirror, error_page and others,
 * whose location has a content handler or is internal.
 */
static ngx_uint_t
ngx_http_iri_is_configured_path(ngx_http_request_t       *r,
                                const ngx_http_iri_ctx_t *ctx)
{
    ngx_http_iri_loc_conf_t  *ilcf = ngx_http_iri_loc_conf(r);
    ngx_http_core_loc_conf_t *clcf;

    if (ilcf->exact) {
        return 1;
    }

    if (r == r->main) {
        return ctx->rules.internal && r->content_handler != NULL;
    }

    clcf = ngx_http_iri_core_loc_conf(r);

    return clcf->internal || r->content_handler != NULL;
}


/*
 * Returns: 1 if r can be restored to *saved and run again: no response was
 * sent, and no body was discarded (freenginx sets r->discard_body also without
 * a body).  If an upstream was called, or an error page runs, only GET and HEAD
 * can run again, since they are safe to repeat.
 */
static ngx_uint_t
ngx_http_iri_can_run_again(const ngx_http_request_t *r,
                           const ngx_http_request_t *saved)
{
    if (r->header_sent
        || (r->discard_body
            && (saved->headers_in.content_length_n > 0
                || saved->headers_in.chunked))
        || r->post_action != saved->post_action
        || (r->request_body == NULL
            && r->headers_in.content_length_n
                   != saved->headers_in.content_length_n))
    {
        return 0;
    }

    return (saved->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
           || (r->upstream == NULL && r->err_status == saved->err_status
               && r->error_page == saved->error_page);
}


/*
 * conf->url stays empty if r cannot restart.  In a location whose alias has
 * captures it cannot, because the path of the entry is not a path of a URL.
 */
void
ngx_http_iri_find_conf(ngx_http_request_t *r, ngx_str_t uri,
                       iri_find_conf_t *conf)
{
    ngx_http_iri_ctx_t            *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_loc_conf_t       *ilcf = ngx_http_iri_loc_conf(r);
    const ngx_http_iri_snapshot_t *snapshot = ctx->snapshot;

    ngx_memzero(conf, sizeof(iri_find_conf_t));
    conf->path = ngx_http_iri_str(uri);
    conf->is_destination = (int) ngx_http_iri_judges_destination(r);
    conf->configured = ngx_http_iri_is_configured_path(r, ctx);
    conf->creates = r == r->main
                    && iri_method_creates(ngx_http_iri_str(r->method_name));

    if (snapshot != NULL && !conf->is_destination && ilcf->scripted != NULL
        && ilcf->clcf->alias != NGX_MAX_SIZE_T_VALUE
        && ngx_http_iri_can_run_again(r, &snapshot->request))
    {
        conf->url = ngx_http_iri_str(snapshot->request.uri);
        conf->page = ngx_http_iri_is_error_page(&snapshot->request) != 0;
    }
}


iri_lookup_t *
ngx_http_iri_find_uri(ngx_http_request_t *r, ngx_str_t uri)
{
    int                       write;
    iri_env_t                 env;
    iri_search_t              search;
    iri_lookup_t             *last;
    iri_find_conf_t           conf;
    ngx_http_iri_ctx_t       *ctx = ngx_http_iri_ctx_get_or_create(r);
    ngx_http_iri_loc_conf_t  *ilcf = ngx_http_iri_loc_conf(r);
    ngx_http_core_loc_conf_t *clcf;

    clcf = ilcf->clcf;
    write = iri_method_writes(ngx_http_iri_str(r->method_name));

    if (ctx == NULL || !ngx_http_iri_below_alias(r, clcf, uri)) {
        return NULL;
    }

    last = iri_request_lookups(ctx->request);

    /* The values of the variables in a root may have changed. */
    if (last != NULL && clcf->root_lengths == NULL
        && last->path.data == uri.data && last->path.len == uri.len
        && last->search.tree == &ilcf->tree && !last->search.write == !write)
    {
        return last;
    }

    ngx_memzero(&search, sizeof(iri_search_t));

    if (ngx_http_iri_search_path(r, ilcf, clcf, uri, &search) != NGX_OK) {
        return NULL;
    }

    ngx_http_iri_settings_search(ilcf, uri, &search);
    search.cache = ngx_http_iri_cache(r);
    search.write = write;
    search.reading = ngx_http_iri_reading_of(r, ctx, uri);

    ngx_http_iri_env(r, &env);
    ngx_http_iri_find_conf(r, uri, &conf);

    return iri_request_find(ctx->request, &env, &search, &conf);
}


iri_lookup_t *
ngx_http_iri_find(ngx_http_request_t *r)
{
    return ngx_http_iri_find_uri(r, r->uri);
}


/* ---- 404 and 409 --------------------------------------------------------- */

ngx_uint_t
ngx_http_iri_is_declared(ngx_http_request_t            *r,
                         const ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri)
{
    ngx_http_iri_ctx_t *ctx;

    if (!ilcf->declared || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))) {
        return 0;
    }

    ctx = ngx_http_iri_ctx(r);

    return ctx != NULL
           && iri_request_is_utf8(ctx->request, ngx_http_iri_str(uri));
}


ngx_uint_t
ngx_http_iri_needs_lookup(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    return ilcf->scripted != NULL
           && ngx_http_iri_uri_needs_lookup(ilcf, r->uri)
           && (ilcf->clcf->alias == 0 || r->valid_location)
           && !ngx_http_iri_judges_destination(r)
           && !ngx_http_iri_is_declared(r, ilcf, r->uri);
}


/* ---- restarting --------------------------------------------------------- */

ngx_uint_t
ngx_http_iri_plan_restart(ngx_http_request_t *r, iri_lookup_t *found)
{
    iri_env_t           env;
    iri_find_conf_t     conf;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (found->found.verdict != IRI_RESTART) {
        return 0;
    }

    ngx_http_iri_env(r, &env);
    ngx_http_iri_find_conf(r, ngx_http_iri_ngx_str(found->path), &conf);

    return iri_request_plan_restart(ctx->request, &env, found, &conf) != 0;
}


ngx_int_t
ngx_http_iri_restart(ngx_http_request_t *r)
{
    iri_env_t                 env;
    iri_str_t                 path;
    const iri_lookup_t       *found;
    ngx_http_iri_ctx_t       *ctx = ngx_http_iri_ctx(r);
    const ngx_http_request_t *saved = &ctx->snapshot->request;

    found = iri_request_pending_restart(ctx->request, &path);
    iri_request_drop_restart(ctx->request);

    /* After the restart was planned, a rule may have sent a response. */
    if (!ngx_http_iri_can_run_again(r, saved)) {
        return NGX_HTTP_NOT_FOUND;
    }

    ngx_http_iri_env(r, &env);

    if (ngx_http_iri_restore(r, ctx->snapshot) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    iri_request_restart(ctx->request, &env, found,
                        ngx_http_iri_str(saved->uri), path,
                        ngx_http_iri_is_error_page(saved) != 0);
    ngx_http_iri_set_uri(r, path);
    ngx_http_iri_rerun_phases(r);

    return NGX_DECLINED;
}
