/*
 * ngx_http_iri_phases.c - the phase handlers
 *
 *   POST_READ       first   read host, query, Destination and path of the
 *                           client (ngx_http_iri_read.c and others)
 *   SERVER_REWRITE  first   before the rules of the server: read the path of
 *                           an internal redirect or a subrequest; take the
 *                           snapshot
 *                   rules   run the handler of nginx's rewrite module
 *   REWRITE         first   before the rules of a location: read a path that
 *                           "rewrite ... last" has set; wait for an index that
 *                           the rules need
 *                   rules   run the handler of nginx's rewrite module
 *                   last    after the rules: look up the path
 *   PRECONTENT      first   after access is granted: 404 if no file may be
 *                           served, iri_redirect, the Destination of COPY and
 *                           MOVE, try_files.  In a subrequest that judges a
 *                           name: call the access handlers
 *   CONTENT         last    iri_listing
 *   LOG             first   iri report; log notes; restore root, for access_log
 *
 * If the entry has another name than the path (IRI_RESTART), the request
 * restarts once, as if the client had sent that name (ngx_http_iri_find.c).
 * When it restarts depends on the first lookup of the path:
 *
 *   before the rules              no restart yet
 *   by a rule (-f, -e, -d, root)  the rule gets the name of the entry; the
 *                                 request restarts when nginx's rewrite handler
 *                                 returns, whatever its result is
 *   after the rules               the request restarts at once
 *   later                         no restart; the result is a file name that
 *                                 does not exist
 *
 * So all rules of a location run for the client's URL before the request
 * restarts.  A restart undoes all changes that the rules have made.
 *
 * The request waits for the index of a directory in the handlers before and
 * after the rules: when it resumes, nginx runs the same handler again, and no
 * rule runs twice.
 *
 * nginx runs the handlers of a phase from the end of the array, those of LOG
 * from its start, and a dynamic module registers its handlers last.  The
 * handlers return NGX_DECLINED if the request continues, because NGX_OK would
 * skip the other handlers of the phase.
 */

#include "ngx_http_iri_cache.h"
#include "ngx_http_iri_dav.h"
#include "ngx_http_iri_listing.h"


/* ---- looking up r->uri -------------------------------------------------- */

/*
 * Look up r->uri, if it may have another name on disk.
 * Returns: NGX_OK; NGX_DECLINED if no lookup is needed; else the HTTP status.
 */
static ngx_int_t
ngx_http_iri_find_if_needed(ngx_http_request_t *r, iri_lookup_t **found)
{
    if (!ngx_http_iri_needs_lookup(r)) {
        return NGX_DECLINED;
    }

    *found = ngx_http_iri_find(r);

    return *found != NULL ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/*
 * Before the rules of a location: if the lookup of r->uri needs an index that
 * is being built, wait for it.  Returns: the result of the phase handler:
 * NGX_DONE, NGX_DECLINED.
 */
static ngx_int_t
ngx_http_iri_wait_before_rules(ngx_http_request_t *r)
{
    iri_lookup_t            *found;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    /* The rules may change the variables in a root. */
    return (ilcf->combined.match & IRI_FOLD_INDEXED) && ilcf->scripted != NULL
                   && ilcf->clcf->root_lengths == NULL
                   && ngx_http_iri_find_if_needed(r, &found) == NGX_OK
                   && ngx_http_iri_wait_for_index(r, found)
               ? NGX_DONE
               : NGX_DECLINED;
}


/* Returns: 1 if try_files decides later whether r restarts. */
static ngx_uint_t
ngx_http_iri_is_left_to_try_files(ngx_http_request_t *r,
                                  const iri_lookup_t *found)
{
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    return found->found.verdict == IRI_RESTART && ilcf->try_files != NULL
           && !found->search.write;
}


/* ---- after access is granted -------------------------------------------- */

/* ngx_http_iri_refuse_not_found(), after the lookup. */
static ngx_int_t
ngx_http_iri_refuse_found(ngx_http_request_t *r, iri_lookup_t *found)
{
    int             status;
    ngx_int_t       rc;
    iri_env_t       env;
    iri_find_conf_t conf;

    if (iri_may_open(&found->found)) {
        return NGX_DECLINED;
    }

    ngx_http_iri_find_conf(r, r->uri, &conf);

    if (iri_request_outcome(found, &conf) == IRI_PASS
        || ngx_http_iri_is_left_to_try_files(r, found))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_choice(r, found);

    if (rc != NGX_DECLINED || r->content_handler != NULL) {
        return rc;
    }

    ngx_http_iri_env(r, &env);
    status = iri_request_refuse(ngx_http_iri_ctx(r)->request, &env, found,
                                &conf, ngx_http_iri_str(r->uri));

    if (status == NGX_HTTP_CONFLICT && iri_is_conflict(&found->found)) {
        return ngx_http_iri_conflict(r, found->found.why);
    }

    /* 0: r runs the error page for a path that was refused. */
    return status != 0 ? status : NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_refuse_not_found(ngx_http_request_t *r)
{
    iri_lookup_t *found;
    ngx_int_t     rc;

    rc = ngx_http_iri_find_if_needed(r, &found);

    return rc == NGX_OK ? ngx_http_iri_refuse_found(r, found) : rc;
}


/* ---- reading ------------------------------------------------------------ */

/*
 * Read r->uri, if it is not ASCII and was not read before.  A path that was
 * refused is not read again: it is r->uri while a named location runs the error
 * page, which another refusal would replace.
 * Returns: NGX_OK if r->uri has changed; NGX_DECLINED if not; the HTTP status.
 */
static ngx_int_t
ngx_http_iri_read_new_uri(ngx_http_request_t *r)
{
    iri_origin_t        origin = IRI_PATH_INTERNAL;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if ((ctx != NULL
         && iri_request_is_read(ctx->request, ngx_http_iri_str(r->uri)))
        || ngx_http_iri_uri_is_ascii(r))
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx_get_or_create(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* A subrequest requests its first path. */
    if (r != r->main && iri_request_path(ctx->request, 0).len == 0) {
        origin = IRI_PATH_REQUESTED;
    }

    return ngx_http_iri_http_status(ngx_http_iri_read(r, ctx, origin));
}


/*
 * The host selects the server whose settings are used for the query, the
 * Destination and the path.
 */
static ngx_int_t
ngx_http_iri_post_read(ngx_http_request_t *r)
{
    ngx_int_t rc = NGX_DECLINED;

    if (!iri_host_is_ascii(ngx_http_iri_str(r->headers_in.server))) {
        rc = ngx_http_iri_host_handler(r);
    }

    if (rc == NGX_DECLINED && r->args.len != 0) {
        rc = ngx_http_iri_query_handler(r);
    }

    if (rc == NGX_DECLINED && (r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))) {
        rc = ngx_http_iri_destination_handler(r);
    }

    return rc == NGX_DECLINED ? ngx_http_iri_post_read_handler(r) : rc;
}


/* ---- before the rules of the server ------------------------------------- */

/*
 * Returns: 1 if no rule has set r->uri: it is the path of the client, or the
 * first path of a subrequest, an error page or post_action.
 */
static ngx_uint_t
ngx_http_iri_is_first_path(ngx_http_request_t       *r,
                           const ngx_http_iri_ctx_t *ctx)
{
    const ngx_http_request_t *saved;

    if (ctx->snapshot != NULL) {
        saved = &ctx->snapshot->request;

        return r->err_status != saved->err_status
               || r->error_page != saved->error_page
               || r->post_action != saved->post_action;
    }

    if (ngx_http_iri_is_error_page(r)) {
        return 1;
    }

    return r == r->main ? !r->internal
                        : r->uri_changes == NGX_HTTP_MAX_URI_CHANGES + 1;
}


/*
 * Returns: 1 if r may restart.  It does not if all locations of the server
 * declare r->uri, nor does a subrequest for a path in ASCII that cannot have
 * another name.
 */
static ngx_uint_t
ngx_http_iri_may_restart(ngx_http_request_t            *r,
                         const ngx_http_iri_srv_conf_t *iscf)
{
    const ngx_http_iri_loc_conf_t *ilcf;

    if (r != r->main && ngx_http_iri_uri_is_ascii(r)) {
        return ngx_http_iri_may_fold_ascii(iscf, r->uri);
    }

    ilcf = ngx_http_iri_loc_conf(r);

    return iscf->undeclared || iscf->needs_snapshot
           || !ngx_http_iri_is_declared(r, ilcf, r->uri);
}


static ngx_int_t
ngx_http_iri_take_snapshot(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                           const ngx_http_iri_srv_conf_t *iscf)
{
    ngx_http_iri_snapshot_t *snapshot;

    if (!ngx_http_iri_is_first_path(r, ctx)
        || ngx_http_iri_judge_of(r) != NULL
        || !ngx_http_iri_may_restart(r, iscf))
    {
        return NGX_OK;
    }

    snapshot = ngx_http_iri_snapshot(r);
    if (snapshot != NULL) {
        snapshot->earlier = ctx->snapshot;
    }

    ctx->snapshot = snapshot;

    return snapshot != NULL ? NGX_OK : NGX_ERROR;
}


/*
 * Read the query and path of an internal redirect or a subrequest; r->internal
 * is 0 for the Destination.
 */
static ngx_int_t
ngx_http_iri_begin_internal(ngx_http_request_t            *r,
                            const ngx_http_iri_srv_conf_t *iscf)
{
    ngx_int_t           rc = NGX_DECLINED;
    ngx_http_iri_ctx_t *ctx;

    if (r->args.len != 0) {
        rc = ngx_http_iri_query_handler(r);
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    ngx_http_iri_destination_cancel(r);

    ctx = ngx_http_iri_ctx(r);
    if (ctx == NULL) {
        if (r == r->main && ngx_http_iri_uri_is_ascii(r)
            && !ngx_http_iri_may_fold_ascii(iscf, r->uri))
        {
            return NGX_DECLINED;
        }

        ctx = ngx_http_iri_ctx_get_or_create(r);
        if (ctx == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

    } else {
        iri_request_redirected_inside(ctx->request,
                                      ngx_http_iri_is_error_page(r) != 0);
    }

    ctx->rules.internal = 1;

    rc = ngx_http_iri_read_new_uri(r);

    if (r != r->main) {
        ngx_http_iri_save_requested_path(r, ctx);
    }

    return rc == NGX_OK ? NGX_DECLINED : rc;
}


static ngx_int_t
ngx_http_iri_before_server_rules(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    if (iscf->engine != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    if (r->internal) {
        rc = ngx_http_iri_begin_internal(r, iscf);
        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    ctx = ngx_http_iri_ctx(r);

    return ctx == NULL || ngx_http_iri_take_snapshot(r, ctx, iscf) == NGX_OK
               ? NGX_DECLINED
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* ---- the rules ---------------------------------------------------------- */

/*
 * Run the handler of nginx's rewrite module.  If no location was found, that
 * handler must not run in REWRITE: it would run the rules of the server again.
 * Its own test for this works only for the first handler of the phase.
 */
static ngx_int_t
ngx_http_iri_run_rules(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_iri_ctx_t        *ctx;
    ngx_http_core_srv_conf_t  *cscf = ngx_http_iri_core_srv_conf(r);
    ngx_http_iri_main_conf_t  *imcf = ngx_http_iri_main_conf(r);
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_core_main_conf(r);

    if (r->loc_conf == cscf->ctx->loc_conf
        && r->phase_handler
               >= (ngx_int_t) cmcf->phase_engine.location_rewrite_index)
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx == NULL) {
        return imcf->rewrite_handler(r);
    }

    ctx->rules.running = 1;
    rc = imcf->rewrite_handler(r);
    ctx->rules.running = 0;

    return iri_request_pending_restart(ctx->request, NULL) != NULL
               ? ngx_http_iri_restart(r)
               : rc;
}


/* ---- before the rules of a location -------------------------------------- */

static ngx_int_t
ngx_http_iri_before_rules(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_core_loc_conf_t *clcf;

    if (ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    clcf = ngx_http_iri_core_loc_conf(r);
    ilcf = ngx_http_iri_loc_conf(r);

    /*
     * nginx's try_files sets this below an alias with captures.  In another
     * location the script, which looks like such an alias, must not see it.
     */
    if (ilcf->scripted != NULL && ilcf->clcf->alias != NGX_MAX_SIZE_T_VALUE) {
        r->add_uri_to_alias = 0;
    }

    /* A named location runs an error page or the fallback of try_files. */
    if (clcf->named) {
        ngx_http_iri_destination_cancel(r);
    }

    rc = ngx_http_iri_read_new_uri(r);

    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL) {
        if (clcf->named) {
            ngx_http_iri_conceal_uri(r, ctx);
            iri_request_denied(ctx->request);

            if (ctx->rules.rewrite_break) {
                r->valid_location = 0;
            }
        }

        ctx->rules.rewrite_break = 0;
        ctx->rules.done = 0;
        ctx->rules.internal |= clcf->named;
    }

    /*
     * r->uri has changed: nginx must find the location again, and counts this
     * as a rewrite.  A named location is not selected by the path.
     */
    if (rc == NGX_OK && !clcf->named) {
        r->uri_changed = 1;
        r->phase_handler = ngx_http_iri_post_rewrite(r) - 1;
        return NGX_DECLINED;
    }

    return rc == NGX_OK || rc == NGX_DECLINED
               ? ngx_http_iri_wait_before_rules(r)
               : rc;
}


/* ---- after the rules ---------------------------------------------------- */

static ngx_int_t
ngx_http_iri_after_rules(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    iri_lookup_t            *found;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_loc_conf_t *ilcf;

    if (r->uri_changed || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    ilcf = ngx_http_iri_loc_conf(r);

    ngx_http_iri_set_valid_location(r, ilcf);

    if (ngx_http_iri_uri_needs_lookup(ilcf, r->uri)) {
        /* "rewrite ... break" may have set another path. */
        rc = ngx_http_iri_read_new_uri(r);
        if (rc != NGX_OK && rc != NGX_DECLINED) {
            return rc;
        }

        rc = ngx_http_iri_find_if_needed(r, &found);
        if (rc != NGX_OK && rc != NGX_DECLINED) {
            return rc;
        }

        if (rc == NGX_OK && ngx_http_iri_wait_for_index(r, found)) {
            return NGX_DONE;
        }

        if (rc == NGX_OK && !ngx_http_iri_is_left_to_try_files(r, found)
            && ngx_http_iri_plan_restart(r, found))
        {
            return ngx_http_iri_restart(r);
        }
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL) {
        ctx->rules.done = 1;
    }

    return ngx_http_iri_dav_map_if(r);
}


/* ---- iri report --------------------------------------------------------- */

/* Called by the core.  ctx: an ngx_http_request_t. */
static iri_lookup_t *
ngx_http_iri_report_find(void *ctx, iri_str_t path)
{
    return ngx_http_iri_find_uri(ctx, ngx_http_iri_ngx_str(path));
}


/* logs: 1: in the LOG phase. */
static void
ngx_http_iri_report(ngx_http_request_t *r, ngx_uint_t logs)
{
    iri_env_t                env;
    ngx_http_iri_ctx_t      *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    if (iscf->engine != IRI_ENGINE_REPORT || ctx == NULL) {
        return;
    }

    ngx_http_iri_env(r, &env);

    iri_request_report_find(ctx->request, &env, &iscf->reading,
                            ngx_http_iri_str(r->uri),
                            ngx_http_iri_report_find);

    if (logs && ngx_http_iri_notes_wanted(r, IRI_LOG_INFO)) {
        iri_request_report(ctx->request, &env);
    }
}


/* ---- PRECONTENT and LOG ------------------------------------------------- */

static ngx_int_t
ngx_http_iri_precontent(ngx_http_request_t *r)
{
    ngx_int_t                 rc, here = r->phase_handler;
    iri_lookup_t             *found = NULL;
    ngx_http_iri_ctx_t       *ctx = ngx_http_iri_ctx(r);
    ngx_http_core_loc_conf_t *clcf;

    /* In the LOG phase, r may be in the location of an error page. */
    if (r == r->main && !r->internal) {
        ngx_http_iri_report(r, 0);
    }

    if (ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    if (r != r->main) {
        rc = ngx_http_iri_judge_handler(r);
        if (rc != NGX_DECLINED || r->phase_handler != here) {
            return rc;
        }
    }

    clcf = ngx_http_iri_core_loc_conf(r);

    /* The access rules of a named location are not those of the path. */
    if (r == r->main && ctx != NULL && !clcf->named) {
        iri_request_granted(ctx->request);
    }

    rc = ngx_http_iri_find_if_needed(r, &found);
    if (rc == NGX_OK) {
        rc = ngx_http_iri_refuse_found(r, found);
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    rc = ngx_http_iri_redirect_client(r, found);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    if (r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE)) {
        rc = ngx_http_iri_destination_judge(r);
        if (rc != NGX_DECLINED || r->phase_handler != here) {
            return rc;
        }
    }

    return ngx_http_iri_try_files(r);
}


/* Runs also where iri is off: iri_host of another server may add notes. */
static ngx_int_t
ngx_http_iri_log_handler(ngx_http_request_t *r)
{
    ngx_http_iri_destination_cancel(r);

    ngx_http_iri_report(r, 1);
    ngx_http_iri_notes_log(r);

    /*
     * access_log with variables tests whether root exists, so it must get the
     * configured root.  The getter of $request_filename uses the script itself.
     */
    r->loc_conf = ngx_http_iri_configured(r);

    return NGX_OK;
}


/* ---- registration ------------------------------------------------------- */

/*
 * Replace the handler of nginx's rewrite module: the function that is the first
 * in the arrays of both phases.
 */
static void
ngx_http_iri_replace_rewrite(ngx_conf_t *cf)
{
    ngx_array_t               *of_server, *of_location;
    ngx_http_handler_pt       *server, *location;
    ngx_http_iri_main_conf_t  *imcf = ngx_http_iri_conf_main(cf);
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_conf_core_main(cf);

    of_server = &cmcf->phases[NGX_HTTP_SERVER_REWRITE_PHASE].handlers;
    of_location = &cmcf->phases[NGX_HTTP_REWRITE_PHASE].handlers;
    server = of_server->elts;
    location = of_location->elts;

    if (of_server->nelts == 0 || of_location->nelts == 0
        || server[0] != location[0])
    {
        return;
    }

    imcf->rewrite_handler = server[0];
    server[0] = ngx_http_iri_run_rules;
    location[0] = ngx_http_iri_run_rules;
}


ngx_int_t
ngx_http_iri_phases_init(ngx_conf_t *cf)
{
    ngx_uint_t                 i;
    ngx_array_t               *handlers;
    ngx_http_handler_pt       *h;
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_conf_core_main(cf);

    static const struct {
        ngx_uint_t          phase;
        ngx_uint_t          at_start; /* 1: of the array; such a handler
                                         runs last, in LOG first */
        ngx_http_handler_pt handler;
    } table[] = {
        { NGX_HTTP_POST_READ_PHASE, 0, ngx_http_iri_post_read },
        { NGX_HTTP_SERVER_REWRITE_PHASE, 0,
          ngx_http_iri_before_server_rules },
        { NGX_HTTP_REWRITE_PHASE, 0, ngx_http_iri_before_rules },
        { NGX_HTTP_REWRITE_PHASE, 1, ngx_http_iri_after_rules },
        { NGX_HTTP_PRECONTENT_PHASE, 0, ngx_http_iri_precontent },
        { NGX_HTTP_CONTENT_PHASE, 1, ngx_http_iri_listing_handler },
        { NGX_HTTP_LOG_PHASE, 1, ngx_http_iri_log_handler },
    };

    ngx_http_iri_replace_rewrite(cf);

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        handlers = &cmcf->phases[table[i].phase].handlers;

        h = ngx_array_push(handlers);
        if (h == NULL) {
            return NGX_ERROR;
        }

        if (table[i].at_start) {
            h = handlers->elts;
            ngx_memmove(h + 1, h,
                        (handlers->nelts - 1) * sizeof(ngx_http_handler_pt));
        }

        *h = table[i].handler;
    }

    return NGX_OK;
}
