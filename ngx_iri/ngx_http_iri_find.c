/*
 * ngx_http_iri_find.c - lookups below root and alias, and what follows
 *
 * Turns a canonical path and a location, with root and alias as they were
 * configured, into the result of iri_find() (design 5).  Each result is kept
 * with the request, so that rules, the script under root
 * (ngx_http_iri_root.c), variables and listings share one lookup.
 *
 * If the entry has another canonical path than the one that was looked up, the
 * request restarts with the URL of the client, in which the names of the entry
 * replace those that were sent (design 5.6, iri_restart_url).  If that is not
 * possible, or nothing may be served, the request ends with 404, but only after
 * access is granted (design 5.7).  The callers are in ngx_http_iri_phases.c.
 */

#include "ngx_http_iri_cache.h"
#include "ngx_http_iri_dav.h"
#include "ngx_http_iri_listing.h"


/* ---- root and alias as configured --------------------------------------- */

/* nginx's settings of a location, without the script. */
static ngx_http_core_loc_conf_t *
ngx_http_iri_plain_conf(ngx_http_request_t *r, ngx_http_iri_loc_conf_t *ilcf)
{
    return ilcf->plain != NULL
               ? ilcf->plain
               : ngx_http_get_module_loc_conf(r, ngx_http_core_module);
}


/*
 * Evaluate a root with variables, and make it absolute.  ngx_http_script_run()
 * cannot be used: it flushes variables that are not cacheable.  nginx evaluates
 * a text in two passes, for its length and for its octets, and calls the getter
 * of our variables in between; the other variables of the text must keep their
 * lengths.
 */
static ngx_int_t
ngx_http_iri_evaluate_root(ngx_http_request_t       *r,
                           ngx_http_core_loc_conf_t *clcf, ngx_str_t *out)
{
    size_t                      len = 0;
    ngx_http_script_code_pt     code;
    ngx_http_script_engine_t    e;
    ngx_http_script_len_code_pt lcode;

    ngx_memzero(&e, sizeof(ngx_http_script_engine_t));
    e.request = r;
    e.ip = clcf->root_lengths->elts;

    while (*(uintptr_t *) e.ip) {
        lcode = *(ngx_http_script_len_code_pt *) e.ip;
        len += lcode(&e);
    }

    out->data = ngx_pnalloc(r->pool, len);
    if (out->data == NULL) {
        return NGX_ERROR;
    }

    /* The values from which the lengths were computed. */
    e.flushed = 1;
    e.ip = clcf->root_values->elts;
    e.pos = out->data;

    while (*(uintptr_t *) e.ip) {
        code = *(ngx_http_script_code_pt *) e.ip;
        code(&e);
    }

    out->len = e.pos - out->data;

    return ngx_get_full_name(r->pool, (ngx_str_t *) &ngx_cycle->prefix, out);
}


/*
 * alias replaces the first octets of the path, which are those of the location
 * if the path has selected it.  After a rewrite it has not, and the Destination
 * of COPY may not.  nginx itself does not compare lengths: it takes the script
 * for an alias with captures.
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
 * Set root, path and prefix (the octets of the path that alias replaces) of
 * *search.  alias with captures evaluates to the whole name: its text before
 * the first variable is taken as root, the rest as path.
 */
static ngx_int_t
ngx_http_iri_search_path(ngx_http_request_t *r, ngx_http_iri_loc_conf_t *ilcf,
                         ngx_str_t uri, iri_search_t *search)
{
    ngx_str_t                 root;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_iri_plain_conf(r, ilcf);
    root = clcf->root;

    if (clcf->root_lengths != NULL
        && ngx_http_iri_evaluate_root(r, clcf, &root) != NGX_OK)
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
    search->root.len = ngx_min(ilcf->literal, root.len);
    search->path.data = root.data + search->root.len;
    search->path.len = root.len - search->root.len;
    search->prefix = 0;

    return NGX_OK;
}


/* ---- calling the core --------------------------------------------------- */

/*
 * Returns: the reading of uri, or of the path from which rules have made uri,
 * for the core tests whether uri still ends in the same segments; or NULL.
 */
static const iri_reading_t *
ngx_http_iri_reading_of(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        ngx_str_t uri)
{
    const iri_reading_t *reading = ngx_http_iri_destination_reading(r, uri);

    if (reading != NULL) {
        return reading;
    }

    return ngx_http_iri_is_judged(r)
                   || iri_request_has_restarted(ctx->request)
               ? NULL
               : iri_request_reading(ctx->request);
}


/* The mask is tested first: nearly every request is GET or HEAD. */
static int
ngx_http_iri_is_write(ngx_http_request_t *r)
{
    return !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
           && iri_method_writes(ngx_http_iri_str(r->method_name));
}


/*
 * Returns: 1 if the path stands in the configuration: in a location with "=",
 * or as the target of auth_request, mirror, error_page and others.  The
 * location of such a target has a content handler or is internal.
 */
static ngx_uint_t
ngx_http_iri_is_configured_path(ngx_http_request_t       *r,
                                const ngx_http_iri_ctx_t *ctx)
{
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_core_loc_conf_t *clcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ilcf->exact) {
        return 1;
    }

    if (r == r->main) {
        return ctx->rules.internal && r->content_handler != NULL;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->internal || r->content_handler != NULL;
}


/*
 * Returns: 1 if r can be restored to the state *was and run again: no response
 * was sent and no body was discarded; freenginx sets r->discard_body without a
 * body, too.  After an upstream was called, or a handler has answered with an
 * error, only GET and HEAD can run again, which are safe to repeat.
 */
static ngx_uint_t
ngx_http_iri_can_run_again(const ngx_http_request_t *r,
                           const ngx_http_request_t *was)
{
    if (r->header_sent
        || (r->discard_body
            && (was->headers_in.content_length_n > 0
                || was->headers_in.chunked))
        || r->post_action != was->post_action
        || (r->request_body == NULL
            && r->headers_in.content_length_n
                   != was->headers_in.content_length_n))
    {
        return 0;
    }

    return (was->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
           || (r->upstream == NULL && r->err_status == was->err_status
               && r->error_page == was->error_page);
}


/*
 * Set *conf to the facts about r that the core needs to find uri, which must
 * live as long as r.  A request does not restart in a location whose alias has
 * captures, where the path that was found is not a URL path.
 */
void
ngx_http_iri_find_conf(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx,
                       ngx_str_t uri, iri_find_conf_t *conf)
{
    ngx_http_iri_loc_conf_t       *ilcf;
    const ngx_http_iri_snapshot_t *snapshot = ctx->snapshot;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    ngx_memzero(conf, sizeof(iri_find_conf_t));
    conf->path = ngx_http_iri_str(uri);
    conf->is_destination = (int) ngx_http_iri_judges_destination(r);
    conf->configured = ngx_http_iri_is_configured_path(r, ctx);
    conf->creates = r == r->main && ngx_http_iri_is_write(r)
                    && iri_method_creates(ngx_http_iri_str(r->method_name));

    if (snapshot != NULL && !conf->is_destination && ilcf->plain != NULL
        && ilcf->plain->alias != NGX_MAX_SIZE_T_VALUE
        && ngx_http_iri_can_run_again(r, &snapshot->request))
    {
        conf->url = ngx_http_iri_str(snapshot->request.uri);
        conf->page = ngx_http_iri_is_page(&snapshot->request) != 0;
    }
}


/*
 * Returns: the last lookup, if it is that of uri in this location, as nearly
 * always; else NULL.  Variables in root may have changed.
 */
static iri_lookup_t *
ngx_http_iri_last_lookup(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                         ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri)
{
    iri_lookup_t *last = iri_request_lookups(ctx->request);

    return last != NULL && last->path.data == uri.data
                   && last->path.len == uri.len
                   && last->search.tree == &ilcf->tree
                   && !last->search.write == !ngx_http_iri_is_write(r)
                   && ngx_http_iri_plain_conf(r, ilcf)->root_lengths == NULL
               ? last
               : NULL;
}


iri_lookup_t *
ngx_http_iri_find_uri(ngx_http_request_t *r, ngx_str_t uri)
{
    iri_env_t                env;
    iri_search_t             search;
    iri_lookup_t            *last;
    iri_find_conf_t          conf;
    ngx_http_iri_ctx_t      *ctx = ngx_http_iri_ctx_get_or_create(r);
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ctx == NULL
        || !ngx_http_iri_below_alias(r, ngx_http_iri_plain_conf(r, ilcf),
                                     uri))
    {
        return NULL;
    }

    last = ngx_http_iri_last_lookup(r, ctx, ilcf, uri);
    if (last != NULL) {
        return last;
    }

    ngx_memzero(&search, sizeof(iri_search_t));

    if (ngx_http_iri_search_path(r, ilcf, uri, &search) != NGX_OK) {
        return NULL;
    }

    ngx_http_iri_levels_search(ilcf, uri, &search);
    search.cache = ngx_http_iri_cache(r);
    search.write = ngx_http_iri_is_write(r);
    search.reading = ngx_http_iri_reading_of(r, ctx, uri);

    ngx_http_iri_env(r, &env);
    ngx_http_iri_find_conf(r, ctx, uri, &conf);

    return iri_request_find(ctx->request, &env, &search, &conf);
}


iri_lookup_t *
ngx_http_iri_find(ngx_http_request_t *r)
{
    return ngx_http_iri_find_uri(r, r->uri);
}


/* ---- 404 and 409 --------------------------------------------------------- */

ngx_uint_t
ngx_http_iri_needs_lookup(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return ilcf->plain != NULL && !ngx_http_iri_needs_no_lookup(ilcf, r->uri)
           && (ilcf->plain->alias == 0 || r->valid_location)
           && !ngx_http_iri_judges_destination(r);
}


/* ---- restarting --------------------------------------------------------- */

ngx_uint_t
ngx_http_iri_plan_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                          iri_lookup_t *found)
{
    iri_env_t       env;
    iri_find_conf_t conf;

    if (found->found.verdict != IRI_RESTART) {
        return 0;
    }

    ngx_http_iri_env(r, &env);
    ngx_http_iri_find_conf(r, ctx, ngx_http_iri_ngx_str(found->path), &conf);

    return iri_request_plan_restart(ctx->request, &env, found, &conf) != 0;
}


ngx_int_t
ngx_http_iri_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    iri_env_t                 env;
    iri_str_t                 path;
    const iri_lookup_t       *found;
    const ngx_http_request_t *was = &ctx->snapshot->request;

    found = iri_request_pending_restart(ctx->request, &path);
    iri_request_drop_restart(ctx->request);

    /* For example, a rule has sent a response and discarded the body. */
    if (!ngx_http_iri_can_run_again(r, was)) {
        return NGX_HTTP_NOT_FOUND;
    }

    ngx_http_iri_env(r, &env);

    if (ngx_http_iri_restore(r, ctx->snapshot) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    iri_request_restart(ctx->request, &env, found, ngx_http_iri_str(was->uri),
                        path, ngx_http_iri_is_page(was) != 0);
    ngx_http_iri_set_uri_nocopy(r, ngx_http_iri_ngx_str(path));
    ngx_http_iri_rerun_phases(r);

    return NGX_DECLINED;
}
