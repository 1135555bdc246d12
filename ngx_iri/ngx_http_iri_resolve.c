/*
 * ngx_http_iri_resolve.c - restart or 404 after a lookup
 *
 * If the entry has another canonical path than the one that was looked up, the
 * request restarts with the URL of the client, in which the names of the entry
 * replace those that were sent (design 5.6, iri_restart_url).  If that is not
 * possible, or nothing may be served, the request ends with 404, but only after
 * access is granted (design 5.7).  The callers are in ngx_http_iri_phases.c,
 * the lookup is in ngx_http_iri_find.c.
 */

#include "ngx_http_iri_listing.h"


/*
 * An entry was found, which confirms a reading: set the form and charset of
 * that reading.  If the charset is not that of the first reading, it is one of
 * iri_charset.
 */
static void
ngx_http_iri_confirm_reading(ngx_http_iri_ctx_t *ctx,
                             const iri_found_t  *found)
{
    iri_str_t charset = found->charset;

    if (found->repaired != IRI_FORM_ASCII) {
        ctx->requested.form = found->repaired;
        ctx->requested.charset = charset;
        return;
    }

    if (charset.len == 0
        || ngx_http_iri_same(ngx_http_iri_ngx_str(charset),
                             ngx_http_iri_ngx_str(ctx->requested.charset)))
    {
        return;
    }

    ctx->requested.form = IRI_FORM_LEGACY;
    ctx->requested.charset = charset;
}


void
ngx_http_iri_log_restart(ngx_http_request_t *r, ngx_str_t asked,
                         const iri_found_t *found)
{
    iri_shown_t shown, path;

    if (!ngx_http_iri_notes_wanted(r, IRI_LOG_INFO)) {
        return;
    }

    ngx_http_iri_note(
        r, IRI_LOG_INFO, iri_why_code(found->why), "\"%s\" is \"%s\": %s",
        iri_show(&shown, ngx_http_iri_str(asked)),
        iri_show(&path, found->path), iri_match_text(found->match));
}


void
ngx_http_iri_ctx_restarted(ngx_http_iri_ctx_t *ctx, ngx_str_t uri,
                           const iri_found_t *found)
{
    ctx->lookup.results = NULL;
    ctx->lookup.last = NULL;
    ctx->restart.done = 1;
    ctx->restart.sent = ctx->restart.snapshot->request.uri;
    ctx->restart.match = found->match;
    ctx->last_read.uri = uri;

    /* Access to the requested path does not grant access to the found name. */
    if (!ngx_http_iri_is_page(&ctx->restart.snapshot->request)) {
        ctx->requested.path = uri;
        ctx->access.granted = 0;
        ctx->access.refused = 0;
    }

    if (!ctx->requested.has_reading
        || ctx->requested.reading.octets.data
               == ctx->last_read.reading.octets.data)
    {
        ngx_http_iri_confirm_reading(ctx, found);
    }
}


static ngx_int_t
ngx_http_iri_not_found(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                       ngx_http_iri_found_t *found)
{
    iri_shown_t shown;

    /* It was answered before, and a named location makes the error page. */
    if (r->content_handler != NULL
        || ngx_http_iri_same(r->uri, ctx->lookup.not_found))
    {
        return NGX_DECLINED;
    }

    ctx->lookup.not_found = r->uri;
    found->logged = 1;

    ngx_http_iri_note(r, IRI_LOG_INFO, iri_why_code(found->found.why),
                      "\"%s\" not served: %s",
                      iri_show(&shown, ngx_http_iri_str(r->uri)),
                      iri_why_text(found->found.why));

    if (iri_method_creates(ngx_http_iri_str(r->method_name))
        && iri_is_conflict(&found->found))
    {
        return ngx_http_iri_conflict(r, found->found.why);
    }

    /* 409 if several entries match: it is not clear which one to write to. */
    return found->found.verdict == IRI_CHOOSE && found->search.write
               ? NGX_HTTP_CONFLICT
               : NGX_HTTP_NOT_FOUND;
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
    ngx_http_core_loc_conf_t *clcf;

    if (ctx->rules.exact) {
        return 1;
    }

    if (r == r->main) {
        return ctx->rules.internal && r->content_handler != NULL;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->internal || r->content_handler != NULL;
}


/*
 * Returns: 1 if the path stands in the configuration and the entry matches it
 * only after folding.  Then the request does not restart, and continues as if
 * no entry had been found.
 */
static ngx_uint_t
ngx_http_iri_is_folded_only(ngx_http_request_t         *r,
                            const ngx_http_iri_ctx_t   *ctx,
                            const ngx_http_iri_found_t *found)
{
    return found->found.match >= IRI_MATCH_WIDTH
           && found->found.verdict != IRI_REFUSE
           && ngx_http_iri_is_configured_path(r, ctx);
}


/*
 * Returns: 1 while rules judge a Destination.  It is not looked up in the
 * current location, because it is created below the root of the location of
 * the source.
 */
static ngx_uint_t
ngx_http_iri_judges_destination(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    return ctx != NULL && ctx->destination.source != NULL;
}


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

/*
 * Returns: 1 if the request can run again from the rules of the server on: no
 * response was sent and the body was not discarded.  After an upstream was
 * called, or a handler has answered with an error, only GET and HEAD can, which
 * are safe to repeat.
 */
static ngx_uint_t
ngx_http_iri_can_run_again(const ngx_http_request_t *r,
                           const ngx_http_request_t *was)
{
    if (r->header_sent || r->discard_body
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
 * A request restarts at most once.  It does not restart in a location whose
 * alias has captures, where the path that was found is not a URL path, or for a
 * path that stands in the configuration and matches only after folding.
 */
ngx_uint_t
ngx_http_iri_can_restart(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx,
                         const ngx_http_iri_found_t *found, ngx_str_t *url)
{
    iri_env_t                env;
    iri_str_t                path;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (found->found.verdict != IRI_RESTART || ctx->restart.done
        || ctx->restart.snapshot == NULL || ngx_http_iri_judges_destination(r)
        || ilcf->plain->alias == NGX_MAX_SIZE_T_VALUE
        || ngx_http_iri_is_folded_only(r, ctx, found)
        || !ngx_http_iri_can_run_again(r, &ctx->restart.snapshot->request))
    {
        return 0;
    }

    ngx_http_iri_env(r, &env);

    if (!iri_restart_url(
            &env, ngx_http_iri_str(ctx->restart.snapshot->request.uri),
            ngx_http_iri_str(found->uri), found->found.path, &path))
    {
        return 0;
    }

    *url = ngx_http_iri_ngx_str(path);

    return 1;
}


ngx_uint_t
ngx_http_iri_may_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                         const ngx_http_iri_found_t *found)
{
    if (!ngx_http_iri_can_restart(r, ctx, found, &ctx->restart.path)) {
        return 0;
    }

    ctx->restart.pending = found;

    return 1;
}


ngx_str_t *
ngx_http_iri_note_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                          const ngx_http_iri_found_t *found)
{
    if (!ctx->rules.running || found->found.verdict != IRI_RESTART
        || (ctx->restart.pending == NULL
            && !ngx_http_iri_may_restart(r, ctx, found)))
    {
        return NULL;
    }

    ctx->restart.filename = ngx_http_iri_ngx_str(found->found.filename);

    return &ctx->restart.filename;
}


ngx_int_t
ngx_http_iri_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    iri_env_t                   env;
    const ngx_http_iri_found_t *found = ctx->restart.pending;

    ctx->restart.pending = NULL;

    /* For example, a rule has sent a response and discarded the body. */
    if (!ngx_http_iri_can_run_again(r, &ctx->restart.snapshot->request)) {
        return NGX_HTTP_NOT_FOUND;
    }

    ngx_http_iri_log_restart(r, found->uri, &found->found);
    ngx_http_iri_env(r, &env);
    iri_trace_stage(&env, IRI_STAGE_RESTART,
                    ngx_http_iri_str(ctx->restart.path));

    if (ngx_http_iri_restore(r, ctx->restart.snapshot) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_set_uri_nocopy(r, ctx->restart.path);
    ngx_http_iri_ctx_restarted(ctx, r->uri, &found->found);
    ngx_http_iri_found_save_restarted(r, ctx, found);
    ngx_http_iri_rerun_phases(r);

    return NGX_DECLINED;
}


/* ---- in the phases ------------------------------------------------------ */

ngx_int_t
ngx_http_iri_wait_for_rules(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_found_t    *found;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* With variables in root: the rules may still change them. */
    if (!(ilcf->any.match & IRI_FOLD_INDEXED) || !ngx_http_iri_needs_lookup(r)
        || ilcf->plain->root_lengths != NULL)
    {
        return NGX_DECLINED;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    return found != NULL && ctx != NULL && ngx_http_iri_wait(r, ctx, found)
               ? NGX_DONE
               : NGX_DECLINED;
}


/* Returns: 1 if try_files decides whether to restart with the entry. */
static ngx_uint_t
ngx_http_iri_is_left_to_try_files(ngx_http_request_t         *r,
                                  const ngx_http_iri_found_t *found)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return found->found.verdict == IRI_RESTART && ilcf->try_files != NULL
           && !found->search.write;
}


ngx_int_t
ngx_http_iri_resolve(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t   *ctx;
    ngx_http_iri_found_t *found;

    if (!ngx_http_iri_needs_lookup(r)) {
        return NGX_OK;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_iri_wait(r, ctx, found)) {
        return NGX_DONE;
    }

    return !ngx_http_iri_is_left_to_try_files(r, found)
                   && ngx_http_iri_may_restart(r, ctx, found)
               ? ngx_http_iri_restart(r, ctx)
               : NGX_OK;
}


ngx_int_t
ngx_http_iri_refuse_not_found(ngx_http_request_t *r)
{
    ngx_int_t             rc;
    ngx_http_iri_ctx_t   *ctx;
    ngx_http_iri_found_t *found;

    if (!ngx_http_iri_needs_lookup(r)) {
        return NGX_DECLINED;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (found->found.verdict == IRI_PASS || found->found.verdict == IRI_SERVE
        || ngx_http_iri_is_folded_only(r, ctx, found)
        || ngx_http_iri_is_left_to_try_files(r, found))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_choice(r, ctx, found);

    return rc != NGX_DECLINED ? rc : ngx_http_iri_not_found(r, ctx, found);
}
