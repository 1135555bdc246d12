/*
 * ngx_http_iri_phases.c - the phase handlers
 *
 * When a path is read, looked for, and acted on:
 *
 *   POST_READ       first   what the client sent, before any rule of a server:
 *                           the host, which selects one, then the path
 *                           (ngx_http_iri_post_read.c)
 *   SERVER_REWRITE  first   internal redirects and subrequests, which start
 *                           here
 *   REWRITE         first   what "rewrite ... last" made, or a named location;
 *                           in the place of nginx's own handler; and the
 *                           disk is asked: found under another canonical path
 *                           the request starts over
 *                   last    once more, for what rewrites have made; one with
 *                           the first, where no module stands between them
 *   PRECONTENT      first   404 where the disk says so, and iri_redirect, when
 *                           ACCESS has let the client in;
 *                           the Destination of COPY and MOVE
 *                           try_files, in the place of nginx's own handler:
 *                           the window for it is opened and closed
 *   LOG             first   nginx's own root, for logs; iri report
 *
 * Nearly all requests are a GET of a path in ASCII that is its own name, or of
 * one of which it is known where it leads (ngx_http_iri_known.c): handlers look
 * for these first, and have next to nothing to do for them.  For the others
 * ngx_http_iri_request.c reads the path, ngx_http_iri_resolve.c asks the disk,
 * and _redirect.c, _destination.c and _report.c do what their names say.
 *
 * nginx runs the handlers of a phase backwards, those of LOG in order, and a
 * dynamic module is registered last.  The handlers return NGX_DECLINED where
 * they have nothing to say: NGX_OK would skip those that follow.
 */

#include "ngx_http_iri.h"


/* ---- the canonical path ------------------------------------------------- */

/*
 * Read r->uri if nobody has yet.  NGX_OK: it has changed.  What was refused
 * comes by again when a named location makes the error page; a second refusal
 * would only hide the page, and the script under root stands guard.
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
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_iri_same(r->uri, ctx->read_uri)) {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_read_made(r, ctx) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_iri_status(ngx_http_iri_act(r, ctx));
}


NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_server_rewrite_inside(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (iscf->engine != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    ngx_http_iri_window_close(r);

    /* A rewrite does not come by here, so it is a page for an error. */
    ngx_http_iri_destination_over(r);

    if (ngx_http_iri_args(r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx == NULL) {
        if (ngx_http_iri_plain_uri(r) && !ngx_http_iri_folds(iscf, r->uri)) {
            return NGX_DECLINED;
        }

        ctx = ngx_http_iri_ctx_make(r);
    }

    if (ctx == NULL || ngx_http_iri_keep(r, &ctx->kept, 1) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->inside = 1;

    rc = ngx_http_iri_read_again(r);

    /* Locations that no client may ask for are not for this path either. */
    if (ctx->asked != NULL) {
        r->internal = 0;
    }

    return rc == NGX_OK ? NGX_DECLINED : rc;
}


static ngx_int_t
ngx_http_iri_server_rewrite_handler(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    if (r->internal) {
        return ngx_http_iri_server_rewrite_inside(r);
    }

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (iscf->has_addresses) {
        ngx_http_iri_address_keep(r);
    }

    return NGX_DECLINED;
}


NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_rewrite_run(ngx_http_request_t *r)
{
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    return imcf->rewrite != NULL ? imcf->rewrite(r) : NGX_DECLINED;
}


/*
 * nginx's own, or whose handler was first in REWRITE before: nginx's goes
 * through its codes, and is not called where it has none.
 */
static inline ngx_int_t
ngx_http_iri_rewrite_own(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return ilcf->ruleless ? NGX_DECLINED : ngx_http_iri_rewrite_run(r);
}


/* The same in the place of nginx's own, where it is the only one. */
static ngx_int_t
ngx_http_iri_server_rewrite_both_handler(ngx_http_request_t *r)
{
    ngx_int_t rc;

    rc = ngx_http_iri_server_rewrite_handler(r);

    return rc == NGX_DECLINED ? ngx_http_iri_rewrite_own(r) : rc;
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


/*
 * A path that was ASCII until it was rewritten: the rules of the location that
 * its first reading chose have not yet run.
 */
static ngx_int_t
ngx_http_iri_keep_late(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx == NULL || ctx->kept.variables != NULL) {
        return NGX_OK;
    }

    return ngx_http_iri_keep(r, &ctx->kept, r != r->main);
}


/* ---- the disk ----------------------------------------------------------- */

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


/* May the path of such a GET be opened as it stands, without a look? */
static ngx_uint_t
ngx_http_iri_is_declared(const ngx_http_iri_ctx_t      *ctx,
                         const ngx_http_iri_loc_conf_t *ilcf)
{
    return ilcf->declared && ctx->utf8;
}


/* The same as all that follows, for what nearly every request is. */
static ngx_int_t
ngx_http_iri_rewrite_get(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_core_loc_conf_t *clcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ctx->named = clcf->exact_match;

    return ngx_http_iri_is_declared(ctx, ilcf)
               ? NGX_DECLINED
               : ngx_http_iri_resolve_first(r, ilcf);
}


/* NGX_OK: the phase is left; NGX_DECLINED: it goes on; else a status. */
static ngx_int_t
ngx_http_iri_rewrite_first(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_core_loc_conf_t *clcf;

    if (ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_known(r) != NULL && ngx_http_iri_ctx(r) == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx = ngx_http_iri_ctx_of_get(r);
    if (ctx != NULL) {
        return ngx_http_iri_rewrite_get(r, ctx);
    }

    ngx_http_iri_enter(r);

    if (ngx_http_iri_is_asked(r)) {
        r->internal = 1;
    }

    if (r->internal) {
        ngx_http_iri_window_close(r);
    }

    /* Neither a rewrite nor a client leads to a named location. */
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    if (clcf->named) {
        ngx_http_iri_destination_over(r);
    }

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    rc = ngx_http_iri_own_name(ilcf, r->uri) ? NGX_DECLINED
                                             : ngx_http_iri_read_again(r);

    if (ngx_http_iri_keep_late(r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL) {
        ctx->named = clcf->exact_match;
        ctx->inside |= clcf->named;
    }

    if (rc != NGX_OK && rc != NGX_DECLINED) {
        return rc;
    }

    /* It was not chosen by the path. */
    if (clcf->named) {
        return NGX_DECLINED;
    }

    if (rc == NGX_DECLINED) {
        return ngx_http_iri_resolve_first(r, ilcf);
    }

    ngx_http_iri_find_location(r);

    return NGX_OK;
}


/*
 * Of such a GET: is there nothing left to look for in this location?  *found:
 * as for ngx_http_iri_root_leave().
 */
static ngx_uint_t
ngx_http_iri_is_settled_get(ngx_http_request_t          *r,
                            const ngx_http_iri_found_t **found)
{
    ngx_http_iri_ctx_t      *ctx = ngx_http_iri_ctx_of_get(r);
    ngx_http_iri_loc_conf_t *ilcf;

    *found = NULL;

    if (ctx == NULL) {
        return 0;
    }

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ngx_http_iri_is_declared(ctx, ilcf)) {
        return 1;
    }

    *found = ngx_http_iri_settled(r);

    return *found != NULL;
}


/*
 * In the place of the handler that was first: rewrites of a server are not to
 * be run again as those of a location, and nginx tells by the place.
 */
static ngx_int_t
ngx_http_iri_rewrite_first_handler(ngx_http_request_t *r)
{
    ngx_int_t rc;

    rc = ngx_http_iri_is_plain_get(r) ? NGX_DECLINED
                                      : ngx_http_iri_rewrite_first(r);
    if (rc != NGX_DECLINED) {
        return rc == NGX_OK ? NGX_DECLINED : rc;
    }

    return ngx_http_iri_rewrite_own(r);
}


static ngx_int_t
ngx_http_iri_rewrite_last_handler(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    ngx_http_iri_loc_conf_t *ilcf;

    if (r->uri_changed || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_dav_if(r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ngx_http_iri_settled(r) != NULL
        || ngx_http_iri_own_name(ilcf, r->uri)) {
        ngx_http_iri_root_validate(r, ilcf);
        return NGX_DECLINED;
    }

    /* What "rewrite ... break" made stays in this location. */
    rc = ngx_http_iri_read_again(r);
    if (rc != NGX_OK && rc != NGX_DECLINED) {
        return rc;
    }

    ngx_http_iri_root_validate(r, ilcf);

    return ngx_http_iri_is_looked_for(r) ? ngx_http_iri_resolve(r)
                                         : NGX_DECLINED;
}


/* The same where it is a plain GET until rules have run. */
static ngx_int_t
ngx_http_iri_rewrite_plain(ngx_http_request_t *r)
{
    ngx_int_t rc;

    rc = ngx_http_iri_rewrite_own(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    return r->valid_location && r->valid_unparsed_uri
                   && ngx_http_iri_is_untouched(r)
               ? NGX_DECLINED
               : ngx_http_iri_rewrite_last_handler(r);
}


NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_rewrite_all(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_str_t                   uri = r->uri;
    const ngx_http_iri_found_t *found;

    rc = ngx_http_iri_rewrite_first(r);
    if (rc != NGX_DECLINED) {
        return rc == NGX_OK ? NGX_DECLINED : rc;
    }

    rc = ngx_http_iri_rewrite_own(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    /* Whoever writes another path has other memory for it. */
    return r->valid_location && r->uri.data == uri.data
                   && r->uri.len == uri.len
                   && ngx_http_iri_is_settled_get(r, &found)
               ? NGX_DECLINED
               : ngx_http_iri_rewrite_last_handler(r);
}


/* The same where it is known, until rules have run. */
static ngx_int_t
ngx_http_iri_rewrite_known(ngx_http_request_t *r)
{
    ngx_int_t rc;

    rc = ngx_http_iri_rewrite_own(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    return r->valid_location && ngx_http_iri_known_here(r) != NULL
               ? NGX_DECLINED
               : ngx_http_iri_rewrite_last_handler(r);
}


/* The first and the last in one. */
static ngx_int_t
ngx_http_iri_rewrite_handler(ngx_http_request_t *r)
{
    ngx_http_iri_known_t *known;

    if (ngx_http_iri_is_plain_get(r)) {
        return ngx_http_iri_rewrite_plain(r);
    }

    known = ngx_http_iri_known(r);

    return known != NULL && ngx_http_iri_known_lies(r, known)
               ? ngx_http_iri_rewrite_known(r)
               : ngx_http_iri_rewrite_all(r);
}


/* ---- around the content ------------------------------------------------- */

NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_precontent_all(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_uint_t                  own;
    ngx_http_iri_ctx_t         *ctx;
    ngx_http_iri_loc_conf_t    *ilcf;
    const ngx_http_iri_found_t *found;

    switch (ngx_http_iri_engine_of(r)) {
    case IRI_ENGINE_ON:
        break;

    case IRI_ENGINE_REPORT:
        ngx_http_iri_report_first(r);
        return NGX_DECLINED;

    default:
        return NGX_DECLINED;
    }

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ilcf->redirect == 0 && ngx_http_iri_is_settled_get(r, &found)) {
        ngx_http_iri_root_leave(r, found);

        ctx = ngx_http_iri_ctx(r);

        if (ctx->learns) {
            ngx_http_iri_known_learn(r, ctx, found);
        }

        return NGX_DECLINED;
    }

    if (ngx_http_iri_is_asked(r)) {
        return ngx_http_iri_judge_asked(r);
    }

    found = ngx_http_iri_settled(r);
    own = found == NULL && ngx_http_iri_own_name(ilcf, r->uri);

    rc = own || found != NULL ? NGX_DECLINED : ngx_http_iri_answer(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    rc = ngx_http_iri_redirect_client(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    if (r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE)) {
        return ngx_http_iri_destination_rules(r);
    }

    if (own || found != NULL) {
        ngx_http_iri_root_leave(r, found);
    }

    ctx = own && ilcf->redirect == 0 ? ngx_http_iri_ctx_of_get(r) : NULL;

    if (ctx != NULL && ctx->learns) {
        ngx_http_iri_known_learn(r, ctx, NULL);
    }

    return NGX_DECLINED;
}


/* Is an ASCII path spelled as it would be after a redirect, if one is wanted? */
static ngx_uint_t
ngx_http_iri_is_spelled(ngx_http_request_t            *r,
                        const ngx_http_iri_loc_conf_t *ilcf)
{
    return ilcf->redirect == 0 || iri_is_spelled(ngx_http_iri_path_sent(r));
}


static ngx_int_t
ngx_http_iri_precontent_first_handler(ngx_http_request_t *r)
{
    ngx_http_iri_known_t    *known = ngx_http_iri_known_here(r);
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* A redirect has more to say of what is known. */
    if (known != NULL ? ilcf->redirect != 0
                      : !ngx_http_iri_is_plain_get(r)
                            || !ngx_http_iri_is_spelled(r, ilcf))
    {
        return ngx_http_iri_precontent_all(r);
    }

    /* else the script has the name */
    if (known == NULL || known->exact) {
        ngx_http_iri_root_own(r);
    }

    return NGX_DECLINED;
}


/*
 * In the place of the handler of try_files, so that nothing else sees the path
 * on disk: what it answers may have a page, or an address, made of $uri.  Its
 * last resort is followed before it returns, and r may be gone then.
 */
static ngx_int_t
ngx_http_iri_try_files_handler(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (!ilcf->try_files) {
        return imcf->try_files(r);
    }

    rc = ngx_http_iri_window_open(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    rc = imcf->try_files(r);
    if (rc != NGX_DONE) {
        ngx_http_iri_window_close(r);
    }

    return rc;
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


NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_log_all(ngx_http_request_t *r)
{
    switch (ngx_http_iri_engine_of(r)) {
    case IRI_ENGINE_ON:
        if (ngx_http_iri_ctx_of_get(r) == NULL) {
            ngx_http_iri_window_close(r);
            ngx_http_iri_destination_over(r);
        }

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


static ngx_int_t
ngx_http_iri_log_handler(ngx_http_request_t *r)
{
    if (!ngx_http_iri_is_untouched(r) && ngx_http_iri_known(r) == NULL) {
        return ngx_http_iri_log_all(r);
    }

    ngx_http_iri_log_plain(r);

    return NGX_OK;
}


/* ---- registration ------------------------------------------------------- */

typedef enum {
    NGX_HTTP_IRI_AT_START,
    NGX_HTTP_IRI_AT_END
} ngx_http_iri_end_t;


/*
 * In which servers is nothing of ASCII to be read or kept, unless it folds;
 * and in which may paths be known?
 */
static void
ngx_http_iri_prepare_servers(ngx_conf_t *cf)
{
    ngx_uint_t                 i;
    ngx_http_iri_hook_t       *hook;
    ngx_http_iri_srv_conf_t   *iscf;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_srv_conf_t **cscf;
    ngx_http_core_main_conf_t *cmcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    hook = imcf->hooks.elts;
    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    cscf = cmcf->servers.elts;

    for (i = 0; i < imcf->hooks.nelts; i++) {
        iscf = hook[i].srv_conf[ngx_http_iri_module.ctx_index];
        iscf->moves |= !iri_tree_never_moves(&hook[i].conf->tree);
        iscf->simple |= hook[i].conf->simple;
    }

    for (i = 0; i < cmcf->servers.nelts; i++) {
        iscf = cscf[i]->ctx->srv_conf[ngx_http_iri_module.ctx_index];

        iscf->others = imcf->hosts;
        iscf->ascii = iscf->engine == IRI_ENGINE_ON && !iscf->lists
                      && !iscf->has_addresses
                      && !(iscf->reading.repair & IRI_REPAIR_ESCAPES);

        /*
         * What is counted, what a listing links to and what Vary is made of
         * is kept of each request.
         */
        iscf->learns = iscf->engine == IRI_ENGINE_ON && iscf->client == NULL
                       && !iscf->lists && !iscf->has_addresses
                       && iscf->reading.repair == 0 && imcf->status == NULL
                       && iscf->simple;
        iscf->moves |= iscf->reading.charsets.count != 0;
    }
}


/* Put a handler at one end of the array of a phase. */
static ngx_int_t
ngx_http_iri_register(ngx_conf_t *cf, ngx_uint_t phase,
                      ngx_http_iri_end_t end, ngx_http_handler_pt handler)
{
    ngx_array_t              *handlers;
    ngx_http_handler_pt      *h, *elts;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    handlers = ngx_http_iri_handlers_of(cf, phase);

    h = ngx_array_push(handlers);
    if (h == NULL || ngx_http_iri_rules_know(imcf, handler) != NGX_OK) {
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


/* Take the place of the handler that is first in REWRITE; others follow it? */
static ngx_uint_t
ngx_http_iri_take_rewrite(ngx_conf_t *cf)
{
    ngx_array_t              *handlers;
    ngx_http_handler_pt      *h;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    handlers = ngx_http_iri_handlers_of(cf, NGX_HTTP_REWRITE_PHASE);

    if (handlers->nelts != 0) {
        handlers->nelts--;
        h = handlers->elts;
        imcf->rewrite = h[handlers->nelts];
    }

    return handlers->nelts != 0;
}


/* The same in SERVER_REWRITE, but only of nginx's own where it is alone. */
static ngx_uint_t
ngx_http_iri_take_server_rewrite(ngx_conf_t *cf)
{
    ngx_array_t              *handlers;
    ngx_http_handler_pt      *h;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    handlers = ngx_http_iri_handlers_of(cf, NGX_HTTP_SERVER_REWRITE_PHASE);
    h = handlers->elts;

    if (handlers->nelts != 1 || h[0] != imcf->rewrite) {
        return 0;
    }

    handlers->nelts = 0;

    return 1;
}


/* Where has nginx's own nothing to do? */
static void
ngx_http_iri_spare_rewrite(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_http_iri_hook_t      *hook;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    hook = imcf->hooks.elts;

    if (imcf->rewrite
        != ngx_http_iri_rules_handler(imcf, "ngx_http_rewrite_module",
                                      NGX_HTTP_REWRITE_PHASE))
    {
        return;
    }

    for (i = 0; i < imcf->hooks.nelts; i++) {
        hook[i].conf->ruleless = ngx_http_iri_rules_codes(cf,
                                                          hook[i].loc_conf)
                                 == NULL;
    }
}


/* The same for that of try_files, wherever it stands in PRECONTENT. */
static void
ngx_http_iri_take_try_files(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_array_t              *handlers;
    ngx_http_handler_pt      *h;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    if (!imcf->tries) {
        return;
    }

    imcf->try_files = ngx_http_iri_rules_handler(
        imcf, "ngx_http_try_files_module", NGX_HTTP_PRECONTENT_PHASE);

    handlers = ngx_http_iri_handlers_of(cf, NGX_HTTP_PRECONTENT_PHASE);
    h = handlers->elts;

    for (i = 0; i < handlers->nelts; i++) {
        if (h[i] == imcf->try_files) {
            h[i] = ngx_http_iri_try_files_handler;
            (void) ngx_http_iri_rules_know(imcf, h[i]);
        }
    }
}


ngx_int_t
ngx_http_iri_phases_init(ngx_conf_t *cf)
{
    ngx_uint_t i, apart, alone;

    static const struct {
        ngx_uint_t          phase;
        ngx_http_iri_end_t  end;
        ngx_http_handler_pt handler;
    } table[] = {
        { NGX_HTTP_POST_READ_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_post_read_handler },
        { NGX_HTTP_PRECONTENT_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_precontent_first_handler },
        { NGX_HTTP_LOG_PHASE, NGX_HTTP_IRI_AT_START,
          ngx_http_iri_log_handler },
    };

    ngx_http_iri_prepare_servers(cf);

    apart = ngx_http_iri_take_rewrite(cf);
    alone = ngx_http_iri_take_server_rewrite(cf);
    ngx_http_iri_spare_rewrite(cf);
    ngx_http_iri_take_try_files(cf);

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (ngx_http_iri_register(cf, table[i].phase, table[i].end,
                                  table[i].handler)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (ngx_http_iri_register(cf, NGX_HTTP_SERVER_REWRITE_PHASE,
                              NGX_HTTP_IRI_AT_END,
                              alone ? ngx_http_iri_server_rewrite_both_handler
                                    : ngx_http_iri_server_rewrite_handler)
            != NGX_OK
        || ngx_http_iri_register(cf, NGX_HTTP_REWRITE_PHASE,
                                 NGX_HTTP_IRI_AT_END,
                                 apart ? ngx_http_iri_rewrite_first_handler
                                       : ngx_http_iri_rewrite_handler)
               != NGX_OK
        || (apart
            && ngx_http_iri_register(cf, NGX_HTTP_REWRITE_PHASE,
                                     NGX_HTTP_IRI_AT_START,
                                     ngx_http_iri_rewrite_last_handler)
                   != NGX_OK))
    {
        return NGX_ERROR;
    }

    ngx_http_iri_dav_init(cf);

    ngx_http_iri_header_init();

    return NGX_OK;
}
