/*
 * ngx_http_iri_phases.c - the phase handlers
 *
 * When a path is read, looked for, and acted on:
 *
 *   POST_READ       first   what the client sent, before any rule of a server:
 *                           the host, which selects one, then the path
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
 * nginx runs the handlers of a phase backwards, those of LOG in order, and a
 * dynamic module is registered last.  The handlers return NGX_DECLINED where
 * they have nothing to say: NGX_OK would skip those that follow.
 */

#include "ngx_http_iri.h"


/*
 * Nearly every request is ASCII, and leaves a handler at its first tests: what
 * is done for the others stands apart, so that those save no registers.
 */
#define NGX_HTTP_IRI_APART __attribute__((noinline))

static ngx_http_output_header_filter_pt ngx_http_iri_next_header_filter;


static iri_engine_t
ngx_http_iri_engine_of(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return (iri_engine_t) iscf->engine;
}


/* May a location of this server know an ASCII path by another name? */
static ngx_uint_t
ngx_http_iri_folds(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return iscf->folds
           || ((iscf->reading.repair & IRI_REPAIR_ESCAPES)
               && ngx_strlchr(r->uri.data, r->uri.data + r->uri.len, '%')
                      != NULL);
}


/* The same for all phases: a status, never an aborted connection. */
static ngx_int_t
ngx_http_iri_status(ngx_int_t rc)
{
    return rc == NGX_ERROR ? NGX_HTTP_INTERNAL_SERVER_ERROR : rc;
}


/* ---- the canonical path ------------------------------------------------- */

static ngx_int_t
ngx_http_iri_post_read(ngx_http_request_t *r, iri_engine_t engine)
{
    ngx_int_t                rc;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    ctx = ngx_http_iri_ctx_make(r);
    if (ctx == NULL || ngx_http_iri_keep(r, &ctx->kept, 0) != NGX_OK
        || ngx_http_iri_read_sent(r, ctx) != NGX_OK)
    {
        return engine == IRI_ENGINE_ON ? NGX_HTTP_INTERNAL_SERVER_ERROR
                                       : NGX_DECLINED;
    }

    if (engine == IRI_ENGINE_REPORT) {
        return NGX_DECLINED;
    }

    ctx->learns = iscf->known ? 1 : 0;

    rc = ngx_http_iri_status(ngx_http_iri_act(r, ctx));

    /* No location is chosen yet: nothing has to be done again. */
    return rc == NGX_OK ? NGX_DECLINED : rc;
}


/* Nothing is to be read, but it may have to start over. */
static ngx_int_t
ngx_http_iri_post_read_ascii(ngx_http_request_t *r, iri_engine_t engine)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_http_iri_ctx_make(r);
    if (ctx == NULL || ngx_http_iri_keep(r, &ctx->kept, 0) != NGX_OK) {
        return engine == IRI_ENGINE_ON ? NGX_HTTP_INTERNAL_SERVER_ERROR
                                       : NGX_DECLINED;
    }

    ctx->ascii = r->uri;
    ctx->known = r->uri;
    ctx->canonical = r->uri;

    return NGX_DECLINED;
}


/* What is not ASCII. */
NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_post_read_other(ngx_http_request_t *r, iri_engine_t engine)
{
    ngx_int_t                rc;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    rc = iscf->known ? ngx_http_iri_known_read(r) : NGX_DECLINED;

    switch (rc) {
    case NGX_OK:
        return NGX_DECLINED;

    case NGX_DECLINED:
        return ngx_http_iri_post_read(r, engine);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_post_read_all(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    iri_engine_t              engine;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    rc = imcf->hosts ? ngx_http_iri_host_select(r) : NGX_DECLINED;
    if (rc != NGX_DECLINED) {
        return rc;
    }

    engine = ngx_http_iri_engine_of(r);
    if (engine == IRI_ENGINE_OFF) {
        return NGX_DECLINED;
    }

    if (r->args.len == 0) {
        /* there is no query to read */

    } else if (engine == IRI_ENGINE_REPORT) {
        ngx_http_iri_report_args(r);

    } else if (ngx_http_iri_args(r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if ((r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))
        && engine == IRI_ENGINE_ON) {
        rc = ngx_http_iri_destination(r);
        if (rc != NGX_OK && rc != NGX_DECLINED) {
            return ngx_http_iri_status(rc);
        }
    }

    if (!ngx_http_iri_plain_uri(r)) {
        return ngx_http_iri_post_read_other(r, engine);
    }

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return ngx_http_iri_folds(r)
                   || (engine == IRI_ENGINE_ON
                       && (iscf->has_addresses
                           || ngx_http_iri_listing_may_come(r)))
               ? ngx_http_iri_post_read_ascii(r, engine)
               : NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_post_read_handler(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (!iscf->ascii || r->args.len != 0
        || (r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE)))
    {
        return ngx_http_iri_post_read_all(r);
    }

    return ngx_http_iri_plain_uri(r)
               ? NGX_DECLINED
               : ngx_http_iri_post_read_other(r, IRI_ENGINE_ON);
}


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

    if ((ctx != NULL && ngx_http_iri_same(r->uri, ctx->known))
        || ngx_http_iri_plain_uri(r))
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx_make(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_iri_same(r->uri, ctx->known)) {
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
    ngx_int_t           rc;
    ngx_http_iri_ctx_t *ctx;

    if (ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
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
        if (ngx_http_iri_plain_uri(r) && !ngx_http_iri_folds(r)) {
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

/* Another charset than that of the first reading is one of iri_charset. */
static void
ngx_http_iri_confirm(ngx_http_iri_ctx_t *ctx, const iri_found_t *found)
{
    iri_str_t charset = found->charset;

    if (found->repaired != IRI_FORM_ASCII) {
        ctx->form = found->repaired;
        ctx->charset = charset;
        return;
    }

    if (charset.len == 0
        || ngx_http_iri_same(ngx_http_iri_out(charset),
                             ngx_http_iri_out(ctx->charset)))
    {
        return;
    }

    ctx->form = IRI_FORM_LEGACY;
    ctx->charset = charset;
}


/* Whoever looks for a mistake in a link wants to know what was forgiven. */
static void
ngx_http_iri_log_moved(ngx_http_request_t *r, const iri_found_t *found)
{
    iri_shown_t asked, path;

    if (!ngx_http_iri_notes_wanted(r, IRI_LOG_INFO)) {
        return;
    }

    ngx_http_iri_note(
        r, IRI_LOG_INFO, iri_why_code(found->why), "\"%s\" is \"%s\": %s",
        iri_show(&asked, ngx_http_iri_in(r->uri)),
        iri_show(&path, found->path), iri_match_text(found->match));
}


/*
 * The resource has another canonical path: let all rules judge that one, the
 * server's too, as if it had come so.
 */
static ngx_int_t
ngx_http_iri_start_over(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        const ngx_http_iri_found_t *found)
{
    iri_env_t env;

    ngx_http_iri_log_moved(r, &found->found);
    ngx_http_iri_env(r, &env);
    iri_trace_step(&env, IRI_STEP_OVER, found->found.path);

    ctx->last = NULL;
    ctx->moved = 1;
    ctx->moved_match = found->found.match;
    ctx->rewritten = !ngx_http_iri_same(r->uri, ctx->canonical);

    if (ngx_http_iri_set_uri(r, found->found.path) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->known = r->uri;
    ctx->canonical = r->uri;
    ctx->utf8 = 0;

    if (!ctx->has_came || ctx->came.octets.data == ctx->reading.octets.data) {
        ngx_http_iri_confirm(ctx, &found->found);
    }

    ngx_http_iri_found_moved(r, ctx, found);

    ngx_http_iri_put_back(r, &ctx->kept);

    ngx_http_iri_from_the_start(r);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_not_found(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                       ngx_http_iri_found_t *found)
{
    iri_shown_t shown;

    /* Answered already: a named location makes the error page, see above. */
    if (r->content_handler != NULL
        || ngx_http_iri_same(r->uri, ctx->answered)) {
        return NGX_DECLINED;
    }

    ctx->answered = r->uri;
    found->logged = 1;

    ngx_http_iri_note(r, IRI_LOG_INFO, iri_why_code(found->found.why),
                      "\"%s\" not served: %s",
                      iri_show(&shown, ngx_http_iri_in(r->uri)),
                      iri_why_text(found->found.why));

    if (iri_is_making(ngx_http_iri_in(r->method_name))
        && iri_is_conflict(&found->found))
    {
        return ngx_http_iri_conflict(r, found->found.why);
    }

    /* There is no telling what would be written to. */
    return found->found.answer == IRI_CHOOSE && found->search.write
               ? NGX_HTTP_CONFLICT
               : NGX_HTTP_NOT_FOUND;
}


/*
 * Is the path one that the configuration names?  A location may hold it in so
 * many words; and what answers by itself, or is for no client, is asked for
 * from inside by auth_request, mirror, error_page and their like.
 */
static ngx_uint_t
ngx_http_iri_is_named(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx)
{
    ngx_http_core_loc_conf_t *clcf;

    if (ctx->named) {
        return 1;
    }

    if (r == r->main) {
        return ctx->inside && r->content_handler != NULL;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->internal || r->content_handler != NULL;
}


/* Is what was found only near to such a path? */
static ngx_uint_t
ngx_http_iri_is_only_near(ngx_http_request_t         *r,
                          const ngx_http_iri_ctx_t   *ctx,
                          const ngx_http_iri_found_t *found)
{
    return found->found.match >= IRI_MATCH_WIDTH
           && found->found.answer != IRI_REFUSE
           && ngx_http_iri_is_named(r, ctx);
}


/*
 * Once, and not under alias with captures: what was found there is no path of
 * a request.  Nor where rules have run for a path that nobody had read.  And
 * what the configuration itself names is not another name of what is near.
 */
static ngx_uint_t
ngx_http_iri_may_start_over(ngx_http_request_t         *r,
                            const ngx_http_iri_ctx_t   *ctx,
                            const ngx_http_iri_found_t *found)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return !ctx->moved && ctx->kept.variables != NULL
           && ilcf->plain->alias != NGX_MAX_SIZE_T_VALUE
           && !ngx_http_iri_is_only_near(r, ctx, found);
}


/* A Destination is written below the root of the source's location. */
static ngx_uint_t
ngx_http_iri_is_judged(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    return ctx != NULL && ctx->source != NULL;
}


/* Is the path one to look for below the root of this location? */
static ngx_uint_t
ngx_http_iri_is_looked_for(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return ilcf->plain != NULL && !ngx_http_iri_own_name(ilcf, r->uri)
           && (ilcf->plain->alias == 0 || r->valid_location)
           && !ngx_http_iri_is_judged(r);
}


static ngx_int_t
ngx_http_iri_resolve(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t   *ctx;
    ngx_http_iri_found_t *found;

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_iri_wait(r, ctx, found)) {
        return NGX_DONE;
    }

    return found->found.answer == IRI_MOVED
                   && ngx_http_iri_may_start_over(r, ctx, found)
               ? ngx_http_iri_start_over(r, ctx, found)
               : NGX_DECLINED;
}


/*
 * Once the rules have let the client in, and not before: that no entry can
 * have such a name may depend on what there is in a directory that they deny.
 */
static ngx_int_t
ngx_http_iri_answer(ngx_http_request_t *r)
{
    ngx_int_t             rc;
    ngx_http_iri_ctx_t   *ctx;
    ngx_http_iri_found_t *found;

    if (!ngx_http_iri_is_looked_for(r)) {
        return NGX_DECLINED;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (found->found.answer == IRI_PASS || found->found.answer == IRI_SERVE
        || ngx_http_iri_is_only_near(r, ctx, found))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_choice(r, ctx, found);

    return rc != NGX_DECLINED ? rc : ngx_http_iri_not_found(r, ctx, found);
}


static ngx_int_t
ngx_http_iri_judge_asked(ngx_http_request_t *r)
{
    ngx_http_iri_found_t    *found = NULL;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* An ASCII name, too, is to be there, unless something else answers. */
    if (ngx_http_iri_is_looked_for(r)
        || (ilcf->plain != NULL && r->content_handler == NULL))
    {
        found = ngx_http_iri_find(r);
        if (found == NULL) {
            return NGX_HTTP_NOT_FOUND;
        }
    }

    return ngx_http_iri_judge_here(r, ngx_http_iri_ctx(r), found);
}


/*
 * Before the rules of the location, which are those of the first reading; a
 * root with variables may wait for one that they set.  NGX_OK: started over.
 */
static ngx_int_t
ngx_http_iri_resolve_first(ngx_http_request_t            *r,
                           const ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_int_t             rc;
    ngx_http_iri_ctx_t   *ctx;
    ngx_http_iri_found_t *found;

    if (ilcf->plain == NULL || ilcf->plain->root_lengths != NULL
        || ngx_http_iri_own_name(ilcf, r->uri) || ngx_http_iri_is_judged(r))
    {
        return NGX_DECLINED;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_wait(r, ctx, found)) {
        return NGX_DONE;
    }

    if (found->found.answer != IRI_MOVED
        || !ngx_http_iri_may_start_over(r, ctx, found))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_start_over(r, ctx, found);

    return rc == NGX_DECLINED ? NGX_OK : rc;
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


/* nginx's own, or whose handler was first before. */
static ngx_int_t
ngx_http_iri_rewrite_own(ngx_http_request_t *r)
{
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    return imcf->rewrite != NULL ? imcf->rewrite(r) : NGX_DECLINED;
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


/* Does it lie in this location as it is read?  "if" leads to another. */
static ngx_uint_t
ngx_http_iri_is_known_here(ngx_http_request_t *r)
{
    ngx_http_iri_known_t *known = ngx_http_iri_known(r);

    return known != NULL && known->conf == r->loc_conf;
}


/* The same where it lies as it is read, until rules have run. */
static ngx_int_t
ngx_http_iri_rewrite_known(ngx_http_request_t *r)
{
    ngx_int_t rc;

    rc = ngx_http_iri_rewrite_own(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    return r->valid_location && ngx_http_iri_is_known_here(r)
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


/* ---- iri_redirect ------------------------------------------------------- */

ngx_uint_t
ngx_http_iri_query(ngx_http_request_t *r, iri_str_t *query)
{
    u_char *p, *hash;
    u_char *last = r->unparsed_uri.data + r->unparsed_uri.len;

    hash = ngx_strlchr(r->unparsed_uri.data, last, '#');
    if (hash != NULL) {
        last = hash;
    }

    p = ngx_strlchr(r->unparsed_uri.data, last, '?');

    query->data = p != NULL ? p + 1 : NULL;
    query->len = p != NULL ? last - p - 1 : 0;

    return p != NULL;
}


/* nginx completes it as absolute_redirect says. */
static ngx_int_t
ngx_http_iri_send_redirect(ngx_http_request_t *r, ngx_uint_t status,
                           iri_str_t location)
{
    ngx_http_clear_location(r);

    r->headers_out.location = ngx_http_iri_header_add(
        r, "Location", ngx_http_iri_out(location));

    return r->headers_out.location != NULL ? (ngx_int_t) status
                                           : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* nginx puts the client's Host before a Location, unless it is told not to. */
static ngx_uint_t
ngx_http_iri_host_is_sent(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->absolute_redirect && !clcf->server_name_in_redirect;
}


/* How the request came.  NGX_DECLINED: nothing was to be read or found. */
static ngx_int_t
ngx_http_iri_came(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx,
                  iri_reading_t *came)
{
    if (ctx->has_came) {
        *came = ctx->came;
        return NGX_OK;
    }

    return ctx->moved && ctx->ascii.len != 0
               ? ngx_http_iri_read_ascii(r, ctx, came)
               : NGX_DECLINED;
}


/*
 * Nobody is sent to a name that is only near and where nothing is to be had.
 * And nginx sends who asks for a directory without "/" to where it is: not in
 * a second redirect.  NGX_DECLINED: there is no place to send to.
 */
static ngx_int_t
ngx_http_iri_canonical_end(ngx_http_request_t       *r,
                           const ngx_http_iri_ctx_t *ctx, iri_str_t *path)
{
    ngx_int_t             rc;
    ngx_uint_t            is_dir = 0;
    ngx_http_iri_found_t *found;

    if (r->content_handler != NULL || !ngx_http_iri_is_looked_for(r)) {
        return NGX_OK;
    }

    found = ngx_http_iri_find(r);

    rc = found != NULL ? ngx_http_iri_opens(r, found, &is_dir) : NGX_DECLINED;

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return ctx->moved && ctx->moved_match >= IRI_MATCH_WIDTH
                   ? NGX_DECLINED
                   : NGX_OK;
    }

    return is_dir ? ngx_http_iri_add_slash(r, path) : NGX_OK;
}


/* NGX_DECLINED: it came as it should, or there is no such place. */
static ngx_int_t
ngx_http_iri_location(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx,
                      const iri_reading_t *came, iri_str_t *location)
{
    int       has_query;
    ngx_int_t rc;
    iri_env_t env;
    iri_str_t path = ngx_http_iri_in(ctx->canonical), query;

    has_query = ngx_http_iri_query(r, &query) != 0;
    ngx_http_iri_env(r, &env);

    if (iri_location(&env, came, path, has_query, query, location) != IRI_OK)
    {
        return NGX_ERROR;
    }

    if (location->len == 0) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_canonical_end(r, ctx, &path);

    if (rc != NGX_OK || path.len == ctx->canonical.len) {
        return rc;
    }

    return iri_location(&env, came, path, has_query, query, location)
                   == IRI_OK
               ? NGX_OK
               : NGX_ERROR;
}


/*
 * What a rewrite has made is internal, too, and no name to tell a client.
 * Where the client's own Host could not stand in a URI it gets the file.
 */
static ngx_int_t
ngx_http_iri_redirect(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    iri_str_t                location = { 0, NULL };
    iri_reading_t            came;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ilcf->redirect == 0 || r != r->main || r->internal
        || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD)))
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx(r);
    if (ctx == NULL || ctx->rewritten) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_came(r, ctx, &came);
    if (rc != NGX_OK) {
        return ngx_http_iri_status(rc);
    }

    if (ilcf->redirect != IRI_REDIRECT_LINK && ngx_http_iri_host_is_sent(r)
        && !iri_is_uri_host(ngx_http_iri_in(r->headers_in.server)))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_location(r, ctx, &came, &location);
    if (rc != NGX_OK) {
        return ngx_http_iri_status(rc);
    }

    if (ilcf->redirect != IRI_REDIRECT_LINK) {
        ctx->redirected = (int) ilcf->redirect;
        return ngx_http_iri_send_redirect(r, ilcf->redirect, location);
    }

    return ngx_http_iri_keep_link(r, ctx, location) == NGX_OK
               ? NGX_DECLINED
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* ---- iri report: what would be found --------------------------------------- */

/*
 * What iri on would have made of a path that no rewrite has changed.  Before
 * the content: a page for an error is another path, and its location
 * has another root, so that later nothing would be known of what is missing.
 */
static void
ngx_http_iri_would_look(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        const iri_reading_t *came)
{
    ngx_http_iri_found_t *found;

    if (ctx->would_known) {
        return;
    }

    ctx->would_known = 1;

    if (came->answer == IRI_REFUSE
        || !ngx_http_iri_same(r->uri, ngx_http_iri_out(came->octets)))
    {
        return;
    }

    found = ngx_http_iri_find_uri(r, ngx_http_iri_out(came->path));

    ctx->would = found;
    ctx->would_conf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (found != NULL && found->found.answer == IRI_MOVED) {
        ctx->would_again = ngx_http_iri_find_uri(
            r, ngx_http_iri_out(found->found.path));
    }
}


ngx_int_t
ngx_http_iri_would(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                   iri_reading_t *came)
{
    if (ctx->has_came) {
        *came = ctx->came;

    } else if (ctx->ascii.len == 0
               || ngx_http_iri_read_ascii(r, ctx, came) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    ngx_http_iri_would_look(r, ctx, came);

    return NGX_OK;
}


static void
ngx_http_iri_report_first(ngx_http_request_t *r)
{
    iri_reading_t       came;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL && r == r->main && !r->internal) {
        (void) ngx_http_iri_would(r, ctx, &came);
    }
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

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
        if (ngx_http_iri_engine_of(r) == IRI_ENGINE_REPORT) {
            ngx_http_iri_report_first(r);
        }

        return NGX_DECLINED;
    }

    if (ilcf->redirect == 0 && ngx_http_iri_is_settled_get(r, &found)) {
        ngx_http_iri_root_leave(r, found);

        ctx = ngx_http_iri_ctx(r);

        if (ctx->learns && r->loc_conf == ilcf->plain_conf) {
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

    rc = ngx_http_iri_redirect(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    if (r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE)) {
        return ngx_http_iri_destination_rules(r);
    }

    if (own || found != NULL) {
        ngx_http_iri_root_leave(r, found);
    }

    return NGX_DECLINED;
}


/* And is there nothing more to say of it?  A redirect asks for more. */
static ngx_uint_t
ngx_http_iri_is_known_get(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return ilcf->redirect == 0 && ngx_http_iri_is_known_here(r);
}


static ngx_int_t
ngx_http_iri_precontent_first_handler(ngx_http_request_t *r)
{
    if (!ngx_http_iri_is_plain_get(r) && !ngx_http_iri_is_known_get(r)) {
        return ngx_http_iri_precontent_all(r);
    }

    ngx_http_iri_root_own(r);

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


/* Is there no window to be closed, and no field of header to be written? */
static ngx_uint_t
ngx_http_iri_is_header_plain(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (ngx_http_iri_says_where(r, 0) || r->method == NGX_HTTP_OPTIONS
        || iscf->client != NULL)
    {
        return 0;
    }

    if (ngx_http_iri_is_untouched(r) || ngx_http_iri_known(r) != NULL) {
        return 1;
    }

    ctx = ngx_http_iri_ctx_of_get(r);

    return ctx != NULL && ctx->link.len == 0;
}


/*
 * The last resort of try_files may be answered at once, where it goes round in
 * a circle: headers and logs must see the path of the request again.  And once
 * the request has gone upstream the proxy's flag is free, so that proxy_store
 * finds its file after "rewrite ... break".
 */
NGX_HTTP_IRI_APART static ngx_int_t
ngx_http_iri_header_all(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    if (ngx_http_iri_engine_of(r) == IRI_ENGINE_ON) {
        ngx_http_iri_window_close(r);

        iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
        ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
        if (r->upstream != NULL && ilcf->plain != NULL
            && ilcf->plain->alias == 0) {
            r->valid_location = 1;
        }

        imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
        if (ngx_http_iri_says_where(r, imcf->links)
            && ngx_http_iri_write_places(r) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (r->method == NGX_HTTP_OPTIONS && iscf->advertise && r == r->main
            && ngx_http_iri_write_advertised(r) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (iscf->client != NULL && r == r->main
            && ngx_http_iri_write_vary(r) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_iri_next_header_filter(r);
}


static ngx_int_t
ngx_http_iri_header_filter(ngx_http_request_t *r)
{
    if (!ngx_http_iri_is_header_plain(r)) {
        return ngx_http_iri_header_all(r);
    }

    ngx_http_iri_root_back(r);

    return ngx_http_iri_next_header_filter(r);
}


/* ---- iri report --------------------------------------------------------- */

/* Of an ASCII path, only if it is another's name: the rest stays as it is. */
static ngx_uint_t
ngx_http_iri_is_reported(const ngx_http_iri_ctx_t *ctx)
{
    return ctx->has_came
           || (ctx->would != NULL && ctx->would->found.answer != IRI_PASS
               && ctx->would->found.answer != IRI_SERVE);
}


static void
ngx_http_iri_report(ngx_http_request_t *r)
{
    iri_env_t           env;
    iri_notes_t        *notes, once;
    iri_report_t        report = { NULL, NULL, NULL, NULL };
    iri_reading_t       came;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx == NULL || ngx_http_iri_would(r, ctx, &came) != NGX_OK
        || !ngx_http_iri_is_reported(ctx)
        || !ngx_http_iri_notes_wanted(r, IRI_LOG_INFO))
    {
        return;
    }

    report.reading = &came;

    if (ctx->would != NULL) {
        report.found = &ctx->would->found;
        report.search = &ctx->would->search;
    }

    if (ctx->would_again != NULL) {
        report.again = &ctx->would_again->found;
        report.search = &ctx->would_again->search;
    }

    ngx_http_iri_env(r, &env);

    notes = ngx_http_iri_notes_begin(r, &once);
    (void) iri_note_report(&env, notes, &report);
    ngx_http_iri_notes_end(r, notes, &once);
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


/* In which servers is nothing to be read, kept or asked of ASCII? */
static void
ngx_http_iri_let_ascii_by(ngx_conf_t *cf)
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
        iscf->literal |= hook[i].conf->literal_wins;
    }

    for (i = 0; i < cmcf->servers.nelts; i++) {
        iscf = cscf[i]->ctx->srv_conf[ngx_http_iri_module.ctx_index];

        iscf->ascii = iscf->engine == IRI_ENGINE_ON && !imcf->hosts
                      && !iscf->folds && !iscf->lists && !iscf->has_addresses
                      && !(iscf->reading.repair & IRI_REPAIR_ESCAPES);

        /* What is counted, listed or told to the client is known of all. */
        iscf->known = iscf->engine == IRI_ENGINE_ON && iscf->client == NULL
                      && !iscf->folds && !iscf->lists && !iscf->has_addresses
                      && iscf->reading.repair == 0 && imcf->status == NULL
                      && iscf->literal;
        iscf->moves |= iscf->reading.charsets.count != 0;
    }
}


/* Put a handler at one end of the array of a phase. */
static ngx_int_t
ngx_http_iri_register(ngx_conf_t *cf, ngx_uint_t phase,
                      ngx_http_iri_end_t end, ngx_http_handler_pt handler)
{
    ngx_array_t               *handlers;
    ngx_http_handler_pt       *h, *elts;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_main_conf_t *cmcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    handlers = &cmcf->phases[phase].handlers;

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
    ngx_array_t               *handlers;
    ngx_http_handler_pt       *h;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_main_conf_t *cmcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    handlers = &cmcf->phases[NGX_HTTP_REWRITE_PHASE].handlers;

    if (handlers->nelts != 0) {
        handlers->nelts--;
        h = handlers->elts;
        imcf->rewrite = h[handlers->nelts];
    }

    return handlers->nelts != 0;
}


/* The same for that of try_files, wherever it stands in PRECONTENT. */
static void
ngx_http_iri_take_try_files(ngx_conf_t *cf)
{
    ngx_uint_t                 i;
    ngx_array_t               *handlers;
    ngx_http_handler_pt       *h;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_main_conf_t *cmcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    if (!imcf->tries) {
        return;
    }

    imcf->try_files = ngx_http_iri_try_files_of(cf);

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    handlers = &cmcf->phases[NGX_HTTP_PRECONTENT_PHASE].handlers;
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
    ngx_uint_t i, apart;

    static const struct {
        ngx_uint_t          phase;
        ngx_http_iri_end_t  end;
        ngx_http_handler_pt handler;
    } table[] = {
        { NGX_HTTP_POST_READ_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_post_read_handler },
        { NGX_HTTP_SERVER_REWRITE_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_server_rewrite_handler },
        { NGX_HTTP_PRECONTENT_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_precontent_first_handler },
        { NGX_HTTP_LOG_PHASE, NGX_HTTP_IRI_AT_START,
          ngx_http_iri_log_handler },
    };

    ngx_http_iri_let_ascii_by(cf);

    apart = ngx_http_iri_take_rewrite(cf);
    ngx_http_iri_take_try_files(cf);

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (ngx_http_iri_register(cf, table[i].phase, table[i].end,
                                  table[i].handler)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (ngx_http_iri_register(cf, NGX_HTTP_REWRITE_PHASE, NGX_HTTP_IRI_AT_END,
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

    ngx_http_iri_next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_iri_header_filter;

    return NGX_OK;
}
