/*
 * ngx_http_iri_phases.c - the phase handlers
 *
 *   POST_READ       first   the client's host, query, Destination and path
 *                           (ngx_http_iri_post_read.c)
 *   SERVER_REWRITE  first   before the rules of the server: the path of an
 *                           internal redirect or a subrequest is read; the
 *                           snapshot is taken
 *                   rules   in the place of nginx's own handler
 *   REWRITE         first   before the rules of a location: a path that
 *                           "rewrite ... last" has set is read; the request
 *                           waits for an index that the rules will need
 *                   rules   in the place of nginx's own handler
 *                   last    after the rules: the path is looked up
 *   PRECONTENT      first   access has been granted: 404 where nothing may be
 *                           served, the Destination of COPY and MOVE,
 *                           try_files, iri_redirect
 *   LOG             first   nginx's own root, for access_log; iri report
 *
 * An entry may have another name than the path (IRI_RESTART).  Then the request
 * restarts, once, as if the client had sent that name: ngx_http_iri_resolve.c
 * decides with which URL.  When:
 *
 *   the lookup is made by         what the rules see      the restart is
 *   before the rules              -                       not yet
 *   a rule (-f, -e, -d, root)     the name of the entry   noted, and carried
 *                                                         out when the rules
 *                                                         return, whatever
 *                                                         they return
 *   after the rules               -                       carried out
 *   all that comes later          -                       impossible: a name
 *                                                         that cannot exist
 *
 * So rules run to their end for the client's URL before an entry with another
 * name counts, but for a rule that itself asks whether there is one.  Nothing
 * that the rules have changed survives a restart.
 *
 * A request waits for the index of a directory before the rules and after
 * them, each in a handler of its own: when it resumes, the phase runs that
 * handler again, and no rule.
 *
 * nginx runs the handlers of a phase backwards, those of LOG in order, and a
 * dynamic module is registered last.  The handlers return NGX_DECLINED where
 * they have nothing to say: NGX_OK would skip those that follow.
 */

#include "ngx_http_iri.h"


/* ---- reading ------------------------------------------------------------ */

/*
 * Read r->uri, unless that has been done.  NGX_OK: it has changed.  A path
 * that was refused comes by again when a named location makes the error page:
 * it is not refused a second time, which would replace that page; nothing is
 * opened for it.
 */
static ngx_int_t
ngx_http_iri_read_again(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_http_iri_ctx(r);

    if ((ctx != NULL && ngx_http_iri_same(r->uri, ctx->read_uri))
        || ngx_http_iri_plain_uri(r))
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx_make(r);

    if (ctx == NULL || ngx_http_iri_read_made(r, ctx) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_iri_status(ngx_http_iri_act(r, ctx));
}


/* Does this subrequest ask whether a path may be told? */
static ngx_uint_t
ngx_http_iri_is_asked(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    if (r == r->main) {
        return 0;
    }

    ctx = ngx_http_iri_ctx(r);

    return ctx != NULL && ctx->asked != NULL;
}


/* ---- before the rules of the server ------------------------------------- */

/*
 * Does a path begin here that is not the work of a rule: the client's, that of
 * a subrequest, that of a page for an error, or of post_action?
 */
static ngx_uint_t
ngx_http_iri_is_first_path(ngx_http_request_t       *r,
                           const ngx_http_iri_ctx_t *ctx)
{
    const ngx_http_request_t *was;

    if (ctx->snapshot != NULL) {
        was = &ctx->snapshot->request;

        return r->err_status != was->err_status
               || r->error_page != was->error_page
               || r->post_action != was->post_action;
    }

    if (ngx_http_iri_is_page(r)) {
        return 1;
    }

    return r == r->main ? !r->internal
                        : r->uri_changes == NGX_HTTP_MAX_URI_CHANGES + 1;
}


/* A subrequest whose path has one name only does not restart. */
static ngx_int_t
ngx_http_iri_take_snapshot(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                           const ngx_http_iri_srv_conf_t *iscf)
{
    if (!ngx_http_iri_is_first_path(r, ctx)
        || (r != r->main && ngx_http_iri_plain_uri(r)
            && !ngx_http_iri_folds(iscf, r->uri)))
    {
        return NGX_OK;
    }

    ctx->snapshot = ngx_palloc(r->pool, sizeof(ngx_http_iri_snapshot_t));

    if (ctx->snapshot == NULL) {
        return NGX_ERROR;
    }

    if (ngx_http_iri_snapshot(r, ctx->snapshot) != NGX_OK) {
        ctx->snapshot = NULL;
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* An internal redirect or a subrequest: its path is to be read here. */
static ngx_int_t
ngx_http_iri_begin_inside(ngx_http_request_t            *r,
                          const ngx_http_iri_srv_conf_t *iscf)
{
    ngx_int_t           rc;
    ngx_http_iri_ctx_t *ctx;

    /* A rewrite does not come by here, so it is a page for an error. */
    ngx_http_iri_destination_over(r);

    if (ngx_http_iri_args(r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx == NULL) {
        if (r == r->main && ngx_http_iri_plain_uri(r)
            && !ngx_http_iri_folds(iscf, r->uri))
        {
            return NGX_DECLINED;
        }

        ctx = ngx_http_iri_ctx_make(r);
        if (ctx == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

    } else {
        ctx->barred |= !ctx->passed;
    }

    ctx->inside = 1;

    rc = ngx_http_iri_read_again(r);

    if (r != r->main) {
        ngx_http_iri_keep_asked(r, ctx);
    }

    /* Locations that no client may ask for are not for this path either. */
    if (ctx->asked != NULL) {
        r->internal = 0;
    }

    return rc == NGX_OK ? NGX_DECLINED : rc;
}


static ngx_int_t
ngx_http_iri_before_server_rules(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (ngx_http_iri_is_untouched(r) || iscf->engine != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    if (r->internal) {
        rc = ngx_http_iri_begin_inside(r, iscf);
        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    if (iscf->has_addresses) {
        ngx_http_iri_address_keep(r);
    }

    ctx = ngx_http_iri_ctx(r);

    return ctx == NULL || ngx_http_iri_take_snapshot(r, ctx, iscf) == NGX_OK
               ? NGX_DECLINED
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* ---- the rules ---------------------------------------------------------- */

/*
 * nginx's own handler, which runs rewrite, if, set and return.  It tells the
 * rules of the server from those of a location by being the first handler of
 * REWRITE, which it is not here: so that those of the server do not run again
 * where no location was found, it is not called then.
 */
static ngx_int_t
ngx_http_iri_run_rules(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_iri_ctx_t        *ctx;
    ngx_http_core_srv_conf_t  *cscf;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    if (r->loc_conf == cscf->ctx->loc_conf
        && r->phase_handler
               >= (ngx_int_t) cmcf->phase_engine.location_rewrite_index)
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx == NULL) {
        return imcf->rewrite(r);
    }

    ctx->in_rules = 1;
    rc = imcf->rewrite(r);
    ctx->in_rules = 0;

    return ctx->restart_found != NULL ? ngx_http_iri_restart(r, ctx) : rc;
}


/* ---- before the rules of a location -------------------------------------- */

/* Leave the wrong location at once: nginx finds the right one, and counts. */
static void
ngx_http_iri_find_location(ngx_http_request_t *r)
{
    ngx_uint_t                 i;
    ngx_http_phase_handler_t  *ph;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    ph = cmcf->phase_engine.handlers;

    for (i = r->phase_handler; ph[i].checker; i++) {
        if (ph[i].checker == ngx_http_core_post_rewrite_phase) {
            r->uri_changed = 1;
            r->phase_handler = (ngx_int_t) i - 1;
            return;
        }
    }
}


/* Where alias had captures, try_files has left a path to be put behind it. */
static void
ngx_http_iri_enter(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ilcf->plain != NULL && ilcf->plain->alias != NGX_MAX_SIZE_T_VALUE) {
        r->add_uri_to_alias = 0;
    }
}


static ngx_int_t
ngx_http_iri_before_rules(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_core_loc_conf_t *clcf;

    if (ngx_http_iri_is_plain_get(r)
        || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON)
    {
        return NGX_DECLINED;
    }

    ngx_http_iri_enter(r);

    if (ngx_http_iri_is_asked(r)) {
        r->internal = 1;
    }

    /* Neither a rewrite nor a client leads to a named location. */
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    if (clcf->named) {
        ngx_http_iri_destination_over(r);
    }

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    rc = ngx_http_iri_own_name(ilcf, r->uri) ? NGX_DECLINED
                                             : ngx_http_iri_read_again(r);

    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL) {
        if (clcf->named) {
            ngx_http_iri_conceal(r, ctx);
            ctx->barred |= !ctx->passed;
        }

        ctx->ruled = 0;
        ctx->named = clcf->exact_match;
        ctx->inside |= clcf->named;
    }

    /* A named location was not chosen by the path. */
    if (rc == NGX_OK && !clcf->named) {
        ngx_http_iri_find_location(r);
        return NGX_DECLINED;
    }

    if (rc != NGX_OK && rc != NGX_DECLINED) {
        return rc;
    }

    return ngx_http_iri_wait_for_rules(r);
}


/* ---- after the rules ---------------------------------------------------- */

static ngx_int_t
ngx_http_iri_after_rules(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_loc_conf_t *ilcf;

    if ((ngx_http_iri_is_plain_get(r) && r->valid_location) || r->uri_changed
        || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON)
    {
        return NGX_DECLINED;
    }

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* "rewrite ... break" has set another path for the same location. */
    rc = ngx_http_iri_own_name(ilcf, r->uri) ? NGX_DECLINED
                                             : ngx_http_iri_read_again(r);
    if (rc != NGX_OK && rc != NGX_DECLINED) {
        return rc;
    }

    ngx_http_iri_root_validate(r, ilcf);

    rc = ngx_http_iri_resolve(r);
    if (rc != NGX_OK) {
        return rc;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL) {
        ctx->ruled = 1;
    }

    return ngx_http_iri_dav_if(r) == NGX_OK ? NGX_DECLINED
                                            : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* ---- around the content ------------------------------------------------- */

static ngx_int_t
ngx_http_iri_precontent_all(ngx_http_request_t *r)
{
    ngx_int_t rc, here = r->phase_handler;

    if (ngx_http_iri_is_asked(r)) {
        rc = ngx_http_iri_judge_asked(r);
        return rc == NGX_DECLINED ? ngx_http_iri_try_files(r) : rc;
    }

    if (r == r->main) {
        ngx_http_iri_client_passed(r);
    }

    rc = ngx_http_iri_answer(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    rc = ngx_http_iri_redirect_client(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    if (r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE)) {
        rc = ngx_http_iri_destination_rules(r);
        if (rc != NGX_DECLINED || r->phase_handler != here) {
            return rc;
        }
    }

    return ngx_http_iri_try_files(r);
}


static ngx_int_t
ngx_http_iri_precontent(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* A redirect may be wanted for an ASCII path that is not spelled so. */
    if (ngx_http_iri_is_plain_get(r)
        && (ilcf->redirect == 0
            || iri_uri_is_normalized(ngx_http_iri_path_sent(r))))
    {
        return ngx_http_iri_try_files(r);
    }

    switch (ngx_http_iri_engine_of(r)) {
    case IRI_ENGINE_ON:
        return ngx_http_iri_precontent_all(r);

    case IRI_ENGINE_REPORT:
        ngx_http_iri_report_first(r);
        return NGX_DECLINED;

    default:
        return NGX_DECLINED;
    }
}


/*
 * access_log with variables tests the root for itself, and needs nginx's own;
 * $request_filename brings the script with it.
 */
static void
ngx_http_iri_log_plain(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ilcf->plain_conf != NULL && r->loc_conf == ilcf->loc_conf) {
        r->loc_conf = ilcf->plain_conf;
    }
}


static ngx_int_t
ngx_http_iri_log_handler(ngx_http_request_t *r)
{
    if (ngx_http_iri_is_untouched(r)) {
        ngx_http_iri_log_plain(r);
        return NGX_OK;
    }

    switch (ngx_http_iri_engine_of(r)) {
    case IRI_ENGINE_ON:
        ngx_http_iri_destination_over(r);
        ngx_http_iri_notes_tell(r);
        ngx_http_iri_log_plain(r);
        break;

    case IRI_ENGINE_REPORT:
        ngx_http_iri_report(r);
        ngx_http_iri_notes_tell(r);
        break;

    default:
        /* its host was read, before this server was selected */
        ngx_http_iri_notes_tell(r);
        break;
    }

    return NGX_OK;
}


/* ---- registration ------------------------------------------------------- */

typedef enum {
    NGX_HTTP_IRI_AT_START,
    NGX_HTTP_IRI_AT_END
} ngx_http_iri_end_t;


/*
 * In which servers has a request in ASCII nothing to be read or kept?  Unless
 * a location folds names, which is only known when all have been read.
 */
static void
ngx_http_iri_prepare_servers(ngx_conf_t *cf)
{
    ngx_uint_t                 i;
    ngx_http_iri_srv_conf_t   *iscf;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_srv_conf_t **cscf;
    ngx_http_core_main_conf_t *cmcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    cscf = cmcf->servers.elts;

    for (i = 0; i < cmcf->servers.nelts; i++) {
        iscf = cscf[i]->ctx->srv_conf[ngx_http_iri_module.ctx_index];

        iscf->others = imcf->hosts;
        iscf->ascii = iscf->engine == IRI_ENGINE_ON && !iscf->lists
                      && !(iscf->reading.repair & IRI_REPAIR_ESCAPES);
    }
}


/* Put a handler at one end of the array of a phase. */
static ngx_int_t
ngx_http_iri_register(ngx_conf_t *cf, ngx_uint_t phase,
                      ngx_http_iri_end_t end, ngx_http_handler_pt handler)
{
    ngx_array_t         *handlers;
    ngx_http_handler_pt *h, *elts;

    handlers = ngx_http_iri_handlers_of(cf, phase);

    h = ngx_array_push(handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    if (end == NGX_HTTP_IRI_AT_START) {
        elts = handlers->elts;
        ngx_memmove(elts + 1, elts,
                    (handlers->nelts - 1) * sizeof(ngx_http_handler_pt));
        h = elts;
    }

    *h = handler;

    return NGX_OK;
}


/*
 * Take the place of nginx's rewrite module, which registers one handler, as
 * the first of all, in both phases.
 */
static void
ngx_http_iri_take_rewrite(ngx_conf_t *cf)
{
    ngx_array_t              *of_server, *of_location;
    ngx_http_handler_pt      *server, *location;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    of_server = ngx_http_iri_handlers_of(cf, NGX_HTTP_SERVER_REWRITE_PHASE);
    of_location = ngx_http_iri_handlers_of(cf, NGX_HTTP_REWRITE_PHASE);
    server = of_server->elts;
    location = of_location->elts;

    if (of_server->nelts == 0 || of_location->nelts == 0
        || server[0] != location[0])
    {
        return;
    }

    imcf->rewrite = server[0];
    server[0] = ngx_http_iri_run_rules;
    location[0] = ngx_http_iri_run_rules;
}


ngx_int_t
ngx_http_iri_phases_init(ngx_conf_t *cf)
{
    ngx_uint_t i;

    static const struct {
        ngx_uint_t          phase;
        ngx_http_iri_end_t  end;
        ngx_http_handler_pt handler;
    } table[] = {
        { NGX_HTTP_POST_READ_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_post_read_handler },
        { NGX_HTTP_SERVER_REWRITE_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_before_server_rules },
        { NGX_HTTP_REWRITE_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_before_rules },
        { NGX_HTTP_REWRITE_PHASE, NGX_HTTP_IRI_AT_START,
          ngx_http_iri_after_rules },
        { NGX_HTTP_PRECONTENT_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_precontent },
        { NGX_HTTP_LOG_PHASE, NGX_HTTP_IRI_AT_START,
          ngx_http_iri_log_handler },
    };

    ngx_http_iri_prepare_servers(cf);
    ngx_http_iri_take_rewrite(cf);

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (ngx_http_iri_register(cf, table[i].phase, table[i].end,
                                  table[i].handler)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    ngx_http_iri_dav_init(cf);

    ngx_http_iri_header_init();

    return NGX_OK;
}
