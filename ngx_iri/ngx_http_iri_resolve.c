/*
 * ngx_http_iri_resolve.c - what the disk says of a path, and what follows
 *
 * Found under another canonical path the request starts over with that one,
 * before any rule of the location has run; where nothing may be served it ends,
 * but only once the rules have let the client in.  When this is asked is said
 * in ngx_http_iri_phases.c; how the disk is asked, in ngx_http_iri_find.c.
 */

#include "ngx_http_iri.h"


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


void
ngx_http_iri_log_moved(ngx_http_request_t *r, ngx_str_t asked,
                       const iri_found_t *found)
{
    iri_shown_t shown, path;

    if (!ngx_http_iri_notes_wanted(r, IRI_LOG_INFO)) {
        return;
    }

    ngx_http_iri_note(
        r, IRI_LOG_INFO, iri_why_code(found->why), "\"%s\" is \"%s\": %s",
        iri_show(&shown, ngx_http_iri_in(asked)),
        iri_show(&path, found->path), iri_match_text(found->match));
}


void
ngx_http_iri_ctx_moved(ngx_http_iri_ctx_t *ctx, ngx_str_t uri,
                       const iri_found_t *found)
{
    ctx->last = NULL;
    ctx->moved = 1;
    ctx->moved_match = found->match;
    ctx->read_uri = uri;
    ctx->canonical = uri;
    ctx->utf8 = 0;

    if (!ctx->has_came || ctx->came.octets.data == ctx->reading.octets.data) {
        ngx_http_iri_confirm(ctx, found);
    }
}


/*
 * The resource has another canonical path: let all rules judge that one, the
 * server's too, as if it had come so.  NGX_OK, or a status.
 */
static ngx_int_t
ngx_http_iri_start_over(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        const ngx_http_iri_found_t *found)
{
    iri_env_t env;

    ngx_http_iri_log_moved(r, r->uri, &found->found);
    ngx_http_iri_env(r, &env);
    iri_trace_step(&env, IRI_STEP_OVER, found->found.path);

    ctx->rewritten = !ngx_http_iri_same(r->uri, ctx->canonical);
    ctx->moved_from = found;
    ctx->moved_conf = r->loc_conf;

    if (ngx_http_iri_set_uri(r, found->found.path) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_ctx_moved(ctx, r->uri, &found->found);
    ngx_http_iri_found_moved(r, ctx, found);

    ngx_http_iri_put_back(r, &ctx->kept);

    ngx_http_iri_from_the_start(r);

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_not_found(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                       ngx_http_iri_found_t *found)
{
    iri_shown_t shown;

    /* Answered already, and come by again: a named location makes the page. */
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


ngx_uint_t
ngx_http_iri_is_looked_for(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return ilcf->plain != NULL && !ngx_http_iri_own_name(ilcf, r->uri)
           && (ilcf->plain->alias == 0 || r->valid_location)
           && !ngx_http_iri_is_judged(r);
}


/*
 * NGX_OK: started over; NGX_DECLINED: there is no need to; NGX_DONE: it waits;
 * NGX_ERROR: the disk could not be asked; else a status.
 */
static ngx_int_t
ngx_http_iri_look(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t   *ctx;
    ngx_http_iri_found_t *found;

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_ERROR;
    }

    if (ngx_http_iri_wait(r, ctx, found)) {
        return NGX_DONE;
    }

    return found->found.answer == IRI_MOVED
                   && ngx_http_iri_may_start_over(r, ctx, found)
               ? ngx_http_iri_start_over(r, ctx, found)
               : NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_resolve(ngx_http_request_t *r)
{
    ngx_int_t rc = ngx_http_iri_look(r);

    return rc == NGX_OK ? NGX_DECLINED : ngx_http_iri_status(rc);
}


ngx_int_t
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


ngx_int_t
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


ngx_int_t
ngx_http_iri_resolve_first(ngx_http_request_t            *r,
                           const ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_int_t rc;

    if (ilcf->plain == NULL || ilcf->plain->root_lengths != NULL
        || ngx_http_iri_own_name(ilcf, r->uri) || ngx_http_iri_is_judged(r))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_look(r);

    /* It is asked again behind the rules. */
    return rc == NGX_ERROR ? NGX_DECLINED : rc;
}
