/*
 * ngx_http_iri_judge.c - could the client get a path?
 *
 * Pages that list names show only those that the client could get.  Who could
 * is for the rules of each path to say, so each is asked for in a subrequest
 * that goes through the rules of the server and of its own location as a
 * client's request would, with variables of its own, and ends where its
 * content would begin.  nginx asks no access rule about a subrequest: here
 * they are asked all the same, in the order and the sense that nginx gives
 * them.  Where try_files stands in the location it has its say, too.
 */

#include "ngx_http_iri.h"


/* ---- who the client is --------------------------------------------------- */

ngx_http_iri_address_t
ngx_http_iri_address(ngx_http_request_t *r)
{
    ngx_connection_t         *c = r->connection;
    ngx_http_iri_address_t    address;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    address.sockaddr = c->sockaddr;
    address.socklen = c->socklen;
    address.text = c->addr_text;
    address.realip = imcf->realip != NULL ? r->ctx[imcf->realip->ctx_index]
                                          : NULL;

    return address;
}


void
ngx_http_iri_address_put(ngx_http_request_t           *r,
                         const ngx_http_iri_address_t *address)
{
    ngx_connection_t         *c = r->connection;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    c->sockaddr = address->sockaddr;
    c->socklen = address->socklen;
    c->addr_text = address->text;

    if (imcf->realip != NULL) {
        r->ctx[imcf->realip->ctx_index] = address->realip;
    }
}


/* Behind POST_READ, where realip has acted for the server, or has not. */
void
ngx_http_iri_address_keep(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    if (r != r->main) {
        return;
    }

    ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL && !ctx->has_address) {
        ctx->address = ngx_http_iri_address(r);
        ctx->has_address = 1;
    }
}


void
ngx_http_iri_address_anew(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r->main);

    if (ctx != NULL && ctx->has_address) {
        ngx_http_iri_address_put(r, &ctx->address);
    }
}


/* ---- in the subrequest -------------------------------------------------- */

/* Some modules have nothing to say of what no client has asked for. */
static ngx_int_t
ngx_http_iri_access_rule(ngx_http_request_t *r, ngx_http_handler_pt handler)
{
    unsigned  internal = r->internal;
    ngx_int_t rc;

    r->internal = 0;
    rc = handler(r);
    r->internal = internal ? 1 : 0;

    return rc;
}


/*
 * Limits do not count names; so where they bound how often a password can be
 * tried there is no trying it here.  Nothing against those that have already
 * counted the request.
 */
static ngx_uint_t
ngx_http_iri_judge_may_ask(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf, *here;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    here = ngx_http_get_module_loc_conf(r->main, ngx_http_iri_module);

    return !ilcf->asks_who || ilcf->limits == NULL
           || ilcf->limits == here->limits;
}


/*
 * realip takes a subrequest for a part of what has acted before, and leaves
 * it alone.  NGX_DECLINED: its location has had its say.
 */
static ngx_int_t
ngx_http_iri_judge_address(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t       *ctx = ngx_http_iri_ctx(r->main);
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    return ctx != NULL && ctx->has_address
               ? ngx_http_iri_access_rule(r, imcf->realip_handler)
               : NGX_DECLINED;
}


/*
 * The part of ngx_http_core_access_phase that decides.  NGX_OK: in;
 * NGX_AGAIN: a rule waits for something; else the status.
 */
static ngx_int_t
ngx_http_iri_access(ngx_http_request_t *r, ngx_http_iri_judged_t *judged)
{
    ngx_int_t                  rc;
    ngx_http_phase_handler_t  *ph;
    ngx_http_core_loc_conf_t  *clcf;
    ngx_http_core_main_conf_t *cmcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    ph = cmcf->phase_engine.handlers;

    for (; ph[judged->access].checker; judged->access++) {
        if (ph[judged->access].checker != ngx_http_core_access_phase) {
            continue;
        }

        rc = ngx_http_iri_access_rule(r, ph[judged->access].handler);

        if (rc == NGX_DECLINED) {
            continue;
        }

        if (rc == NGX_OK) {
            if (clcf->satisfy == NGX_HTTP_SATISFY_ANY) {
                return NGX_OK;
            }

        } else if (clcf->satisfy == NGX_HTTP_SATISFY_ANY
                   && (rc == NGX_HTTP_FORBIDDEN
                       || rc == NGX_HTTP_UNAUTHORIZED))
        {
            judged->code = rc;

        } else {
            return rc == NGX_DONE ? NGX_AGAIN : rc;
        }
    }

    return judged->code;
}


/* Where rules have made another path of it, it is none to tell. */
static ngx_uint_t
ngx_http_iri_is_expected(ngx_http_request_t          *r,
                         const ngx_http_iri_judged_t *judged)
{
    return ngx_http_iri_same(r->uri, ngx_http_iri_out(judged->expected));
}


/* The rules let it pass: would nginx open it, too? */
static ngx_int_t
ngx_http_iri_judge_opens(ngx_http_request_t         *r,
                         const ngx_http_iri_found_t *found,
                         ngx_http_iri_judged_t      *judged)
{
    ngx_int_t rc;

    if (found != NULL && found->found.answer != IRI_PASS
        && found->found.answer != IRI_SERVE)
    {
        return NGX_HTTP_NO_CONTENT;
    }

    if (found != NULL && judged->handler == NULL) {
        rc = ngx_http_iri_opens(r, found, &judged->is_dir);
        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc != NGX_OK) {
            return NGX_HTTP_NO_CONTENT;
        }

        judged->filename = found->filename;
    }

    judged->opens = 1;

    return NGX_HTTP_NO_CONTENT;
}


/* In the place of the content, behind try_files. */
static ngx_int_t
ngx_http_iri_judge_content(ngx_http_request_t *r)
{
    ngx_http_iri_found_t  *found = NULL;
    ngx_http_iri_judged_t *judged = ngx_http_iri_ctx(r)->asked;

    r->content_handler = judged->handler;

    if (!ngx_http_iri_is_expected(r, judged)) {
        return NGX_HTTP_NO_CONTENT;
    }

    if (judged->found != NULL) {
        found = ngx_http_iri_find(r);
        if (found == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    return ngx_http_iri_judge_opens(r, found, judged);
}


/* Rules of the rewrite phase have ended it, or have let it come to here. */
ngx_int_t
ngx_http_iri_judge_here(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        const ngx_http_iri_found_t *found)
{
    ngx_int_t                rc;
    ngx_http_iri_judged_t   *judged = ctx->asked;
    ngx_http_iri_loc_conf_t *ilcf;

    /* The last resort of try_files is another answer. */
    if (judged->tried) {
        return NGX_HTTP_NO_CONTENT;
    }

    if (!ngx_http_iri_judge_may_ask(r)) {
        return NGX_HTTP_NO_CONTENT;
    }

    rc = ngx_http_iri_judge_address(r);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    rc = ngx_http_iri_access(r, judged);
    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    if (rc != NGX_OK || !ngx_http_iri_is_expected(r, judged)) {
        return NGX_HTTP_NO_CONTENT;
    }

    judged->passes = 1;
    judged->found = found;
    judged->handler = r->content_handler;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    if (!ilcf->try_files) {
        return ngx_http_iri_judge_opens(r, found, judged);
    }

    judged->tried = 1;
    r->content_handler = ngx_http_iri_judge_content;

    return NGX_DECLINED;
}


/* ---- who asks ----------------------------------------------------------- */

/*
 * What a subrequest changes of what it shares with others: the address of the
 * client, and whether limits have been asked.  Those count what a client asks
 * for, and no name.
 */
static void
ngx_http_iri_judge_borrow(ngx_http_request_t *r, ngx_http_request_t *sr,
                          ngx_http_iri_judged_t *judged)
{
    judged->address = ngx_http_iri_address(r);
    ngx_http_iri_address_anew(sr);

    judged->limit_conn = r->main->limit_conn_status;
    judged->limit_req = r->main->limit_req_status;
    r->main->limit_conn_status = 1;
    r->main->limit_req_status = 1;
}


static void
ngx_http_iri_judge_return(ngx_http_request_t          *sr,
                          const ngx_http_iri_judged_t *judged)
{
    ngx_http_iri_address_put(sr, &judged->address);

    sr->main->limit_conn_status = judged->limit_conn;
    sr->main->limit_req_status = judged->limit_req;
}


/*
 * Whatever it has come to: nothing of it goes to the client.  What has asked
 * goes on at once: nginx itself would wake it only when all subrequests of
 * this one are out of the way, and where it is a subrequest that waits for its
 * turn that is when it has been sent.
 */
static ngx_int_t
ngx_http_iri_judge_done(ngx_http_request_t *sr, void *data, ngx_int_t rc)
{
    ngx_http_iri_judged_t *judged = data;

    if (judged->sr == sr) {
        ngx_http_iri_judge_return(sr, judged);
    }

    if (rc == NGX_ERROR || sr->connection->error) {
        return NGX_ERROR;
    }

    if (judged->sr == sr) {
        judged->sr = NULL;

        if (sr->postponed != NULL
            && ngx_http_post_request(sr->parent, NULL) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Variables and captures as they were before any rule saw the path that the
 * client has asked for: what they hold of it must not be taken for this one.
 */
static ngx_int_t
ngx_http_iri_judge_variables(ngx_http_request_t *r, ngx_http_request_t *sr)
{
    size_t                     size;
    ngx_http_iri_ctx_t        *ctx = ngx_http_iri_ctx(r->main);
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    size = cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);

    sr->variables = ngx_pcalloc(r->pool, size);
    if (sr->variables == NULL) {
        return NGX_ERROR;
    }

    if (ctx == NULL || ctx->snapshot == NULL) {
        return NGX_OK;
    }

    ngx_memcpy(sr->variables, ctx->snapshot->variables, size);

#if (NGX_PCRE)
    if (ctx->snapshot->captures != NULL) {
        size = cmcf->ncaptures * sizeof(int);

        sr->captures = ngx_palloc(r->pool, size);
        if (sr->captures == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(sr->captures, ctx->snapshot->captures, size);
        sr->ncaptures = ctx->snapshot->request.ncaptures;
        sr->captures_data = ctx->snapshot->request.captures_data;
    }
#endif

    return NGX_OK;
}


/* nginx leaves there that of another path. */
ngx_int_t
ngx_http_iri_make_line(ngx_http_request_t *r)
{
    size_t  len;
    u_char *p;

    len = r->method_name.len + r->unparsed_uri.len + r->http_protocol.len + 2;

    p = ngx_pnalloc(r->pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    r->request_line.data = p;
    r->request_line.len = len;

    (void) ngx_sprintf(p, "%V %V %V", &r->method_name, &r->unparsed_uri,
                       &r->http_protocol);

    return NGX_OK;
}


/* As if the client had sent this path. */
static ngx_int_t
ngx_http_iri_judge_own(ngx_http_request_t *r, ngx_http_request_t *sr,
                       ngx_http_iri_judged_t *judged)
{
    iri_env_t           env;
    iri_str_t           uri;
    ngx_http_iri_ctx_t *own;

    own = ngx_http_iri_ctx_make(sr);
    sr->request_body = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));

    ngx_http_iri_env(r, &env);

    if (own == NULL || sr->request_body == NULL
        || ngx_http_iri_judge_variables(r, sr) != NGX_OK
        || iri_path_to_uri(&env, ngx_http_iri_in(sr->uri), &uri) != IRI_OK)
    {
        return NGX_ERROR;
    }

    sr->unparsed_uri = ngx_http_iri_out(uri);
    sr->header_only = 1;

    own->asked = judged;
    own->read_uri = sr->uri;
    own->moved = 1; /* it is not to become another */

    return ngx_http_iri_make_line(sr);
}


ngx_int_t
ngx_http_iri_judge_ask(ngx_http_request_t *r, ngx_http_iri_judged_t *judged,
                       iri_str_t path, iri_str_t expected)
{
    ngx_str_t                   uri = ngx_http_iri_out(path);
    ngx_http_request_t         *sr;
    ngx_http_post_subrequest_t *ps;

    ngx_memzero(judged, sizeof(ngx_http_iri_judged_t));
    judged->expected = expected;
    judged->code = NGX_OK;

    ps = ngx_palloc(r->pool, sizeof(ngx_http_post_subrequest_t));
    if (ps == NULL) {
        return NGX_ERROR;
    }

    ps->handler = ngx_http_iri_judge_done;
    ps->data = judged;

    if (ngx_http_subrequest(r, &uri, NULL, &sr, ps,
                            NGX_HTTP_SUBREQUEST_WAITED)
            != NGX_OK
        || ngx_http_iri_judge_own(r, sr, judged) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_iri_judge_borrow(r, sr, judged);
    judged->sr = sr;

    return NGX_AGAIN;
}
