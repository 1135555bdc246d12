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


/* What a subrequest gets that others do not have. */
typedef struct {
    ngx_http_iri_ctx_t         *ctx;
    ngx_http_request_body_t    *body;
    ngx_http_post_subrequest_t *post;
    ngx_http_variable_value_t  *variables;
    ngx_str_t                   uri;  /* percent-encoded */
    ngx_str_t                   line; /* $request */
#if (NGX_PCRE)
    int                           *captures;
    const ngx_http_iri_snapshot_t *snapshot; /* what the captures are of */
#endif
} ngx_http_iri_judge_own_t;


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
 * In PREACCESS of such a subrequest.  realip acts for a location only if the
 * request is not an internal one; limits see that they have been asked
 * (ngx_http_iri_judge_borrow).
 */
static ngx_int_t
ngx_http_iri_judge_preaccess_handler(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = r != r->main ? ngx_http_iri_ctx(r) : NULL;

    if (ctx != NULL && ctx->asked != NULL) {
        r->internal = 0;
    }

    return NGX_DECLINED;
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

    if (found != NULL && found->found.verdict != IRI_PASS
        && found->found.verdict != IRI_SERVE)
    {
        return NGX_HTTP_NO_CONTENT;
    }

    if (judged->handler == NULL && found != NULL) {
        rc = ngx_http_iri_opens(r, found, &judged->is_dir);
        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc != NGX_OK) {
            return NGX_HTTP_NO_CONTENT;
        }
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

    r->internal = 1;

    /* The last resort of try_files is another answer. */
    if (judged->tried) {
        return NGX_HTTP_NO_CONTENT;
    }

    if (!ngx_http_iri_judge_may_ask(r)) {
        return NGX_HTTP_NO_CONTENT;
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
    if (found != NULL && r->content_handler == NULL) {
        judged->filename = found->filename;
    }
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
ngx_http_iri_judge_variables(ngx_http_request_t *r, ngx_pool_t *pool,
                             ngx_http_iri_judge_own_t *own)
{
    size_t                     size;
    ngx_http_iri_ctx_t        *ctx = ngx_http_iri_ctx(r->main);
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    size = cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);

    own->variables = ngx_pcalloc(pool, size);
    if (own->variables == NULL) {
        return NGX_ERROR;
    }

    if (ctx == NULL || ctx->snapshot == NULL) {
        return NGX_OK;
    }

    ngx_memcpy(own->variables, ctx->snapshot->variables, size);

#if (NGX_PCRE)
    if (ctx->snapshot->captures != NULL) {
        size = cmcf->ncaptures * sizeof(int);

        own->captures = ngx_palloc(pool, size);
        if (own->captures == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(own->captures, ctx->snapshot->captures, size);
        own->snapshot = ctx->snapshot;
    }
#endif

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_make_line(ngx_pool_t *pool, ngx_str_t method, ngx_str_t uri,
                       ngx_str_t protocol, ngx_str_t *line)
{
    u_char *p;

    line->len = method.len + uri.len + protocol.len + 2;

    p = ngx_pnalloc(pool, line->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    line->data = p;
    (void) ngx_sprintf(p, "%V %V %V", &method, &uri, &protocol);

    return NGX_OK;
}


/*
 * All that the subrequest needs besides what nginx gives it.  It is made
 * before the subrequest: once nginx has posted that, it runs, and would run
 * without what could not be made.
 */
static ngx_int_t
ngx_http_iri_judge_prepare(ngx_http_request_t *r, ngx_pool_t *pool,
                           iri_str_t path, ngx_http_iri_judge_own_t *own)
{
    iri_env_t env;
    iri_str_t uri;

    static ngx_str_t method = ngx_string("GET");

    ngx_memzero(own, sizeof(ngx_http_iri_judge_own_t));
    ngx_http_iri_env(r, &env);

    own->ctx = ngx_http_iri_ctx_new(pool);
    own->body = ngx_pcalloc(pool, sizeof(ngx_http_request_body_t));
    own->post = ngx_palloc(pool, sizeof(ngx_http_post_subrequest_t));

    if (own->ctx == NULL || own->body == NULL || own->post == NULL
        || ngx_http_iri_judge_variables(r, pool, own) != NGX_OK
        || iri_path_to_uri(&env, path, &uri) != IRI_OK)
    {
        return NGX_ERROR;
    }

    own->uri = ngx_http_iri_out(uri);

    return ngx_http_iri_make_line(pool, method, own->uri, r->http_protocol,
                                  &own->line);
}


/* As if the client had sent this path. */
static void
ngx_http_iri_judge_give(ngx_http_request_t             *sr,
                        const ngx_http_iri_judge_own_t *own,
                        ngx_http_iri_judged_t          *judged)
{
    ngx_http_iri_ctx_give(sr, own->ctx);

    sr->request_body = own->body;
    sr->variables = own->variables;

#if (NGX_PCRE)
    if (own->captures != NULL) {
        sr->captures = own->captures;
        sr->ncaptures = own->snapshot->request.ncaptures;
        sr->captures_data = own->snapshot->request.captures_data;
    }
#endif

    sr->unparsed_uri = own->uri;
    sr->request_line = own->line;
    sr->header_only = 1;

    own->ctx->asked = judged;
    own->ctx->read_uri = sr->uri;
    own->ctx->moved = 1; /* it is not to become another */
}


static void
ngx_http_iri_judge_cleanup(void *data)
{
    if (data != NULL) {
        ngx_destroy_pool(data);
    }
}


void
ngx_http_iri_judge_release(ngx_http_request_t    *r,
                           ngx_http_iri_judged_t *judged)
{
    ngx_pool_t                *pool = judged->pool;
    ngx_http_iri_address_t     address;
    ngx_http_posted_request_t *pr;

    if (judged->cleanup == NULL || pool == NULL) {
        return;
    }

    judged->pool = NULL;

    for (pr = r->main->posted_requests; pr != NULL; pr = pr->next) {
        if (pr->request->pool == pool) {
            judged->cleanup = NULL; /* it is released with r */
            return;
        }
    }

    /* realip restores the address when its memory is released. */
    address = ngx_http_iri_address(r);
    judged->cleanup->data = NULL;
    ngx_destroy_pool(pool);
    ngx_http_iri_address_put(r, &address);
}


/*
 * A subrequest has memory of its own, which is released before the next one:
 * else a listing takes more with each name that the client may not know of.
 * nginx keeps a subrequest longer where its parent waits for its own turn.
 */
ngx_int_t
ngx_http_iri_judge_begin(ngx_http_request_t *r, ngx_http_iri_judged_t *judged)
{
    ngx_pool_cleanup_t       *cln = judged->cleanup;
    ngx_http_core_srv_conf_t *cscf;

    ngx_memzero(judged, sizeof(ngx_http_iri_judged_t));
    judged->code = NGX_OK;
    judged->pool = r->pool;

    if (r->connection->data != r || r->postponed != NULL) {
        return NGX_OK;
    }

    if (cln == NULL) {
        cln = ngx_pool_cleanup_add(r->pool, 0);
        if (cln == NULL) {
            return NGX_ERROR;
        }

        cln->handler = ngx_http_iri_judge_cleanup;
    }

    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);

    judged->cleanup = cln;
    judged->pool = ngx_create_pool(cscf->request_pool_size,
                                   r->connection->log);
    cln->data = judged->pool;

    return judged->pool != NULL ? NGX_OK : NGX_ERROR;
}


/*
 * Where nginx fails after it has begun a subrequest, r would wait for what
 * never runs: only the end of the connection helps.
 */
static ngx_int_t
ngx_http_iri_judge_start(ngx_http_request_t *r, ngx_str_t uri,
                         ngx_http_post_subrequest_t *post,
                         ngx_http_request_t        **sr)
{
    void     *data = r->connection->data;
    unsigned  count = r->main->count;
    ngx_int_t rc;

    rc = ngx_http_subrequest(r, &uri, NULL, sr, post,
                             NGX_HTTP_SUBREQUEST_WAITED);
    if (rc == NGX_OK) {
        return NGX_OK;
    }

    return r->connection->data != data || r->main->count != count
               ? NGX_ERROR
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_iri_judge_ask(ngx_http_request_t *r, ngx_http_iri_judged_t *judged,
                       iri_str_t path, iri_str_t expected)
{
    ngx_int_t                rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
    ngx_pool_t              *pool = r->pool;
    ngx_http_request_t      *sr;
    ngx_http_iri_judge_own_t own;

    judged->expected = expected;

    r->pool = judged->pool;

    if (ngx_http_iri_judge_prepare(r, judged->pool, path, &own) == NGX_OK) {
        own.post->handler = ngx_http_iri_judge_done;
        own.post->data = judged;

        rc = ngx_http_iri_judge_start(r, ngx_http_iri_out(path), own.post,
                                      &sr);
    }

    r->pool = pool;

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_http_iri_judge_give(sr, &own, judged);
    ngx_http_iri_judge_borrow(r, sr, judged);
    judged->sr = sr;

    return NGX_AGAIN;
}


/* ---- when the configuration is read ------------------------------------- */

/* Its configuration in this location, or NULL: nginx has no such module. */
static void *
ngx_http_iri_judge_conf(ngx_conf_t *cf, void **loc_conf, const char *name)
{
    ngx_module_t *module = ngx_http_iri_module_named(cf, name);

    return module != NULL ? loc_conf[module->ctx_index] : NULL;
}


/* auth_request: the address to ask is what its configuration begins with. */
static ngx_uint_t
ngx_http_iri_judge_asks_others(ngx_conf_t *cf, void **loc_conf)
{
    ngx_str_t *uri;

    uri = ngx_http_iri_judge_conf(cf, loc_conf,
                                  "ngx_http_auth_request_module");

    return uri != NULL && uri->len != 0;
}


/* Where a directive puts its value. */
static void *
ngx_http_iri_judge_slot(ngx_conf_t *cf, void **loc_conf, const char *name,
                        const char *directive)
{
    char          *conf;
    ngx_module_t  *module = ngx_http_iri_module_named(cf, name);
    ngx_command_t *cmd;

    if (module == NULL) {
        return NULL;
    }

    conf = loc_conf[module->ctx_index];

    for (cmd = module->commands; conf != NULL && cmd->name.len; cmd++) {
        if (ngx_strcmp(cmd->name.data, directive) == 0) {
            return conf + cmd->offset;
        }
    }

    return NULL;
}


/* Does it ask for a password, or something else that may be guessed? */
static ngx_uint_t
ngx_http_iri_judge_asks_who(ngx_conf_t *cf, void **loc_conf)
{
    ngx_http_complex_value_t **realm;

    realm = ngx_http_iri_judge_slot(
        cf, loc_conf, "ngx_http_auth_basic_module", "auth_basic");

    return (realm != NULL && *realm != NULL && *realm != NGX_CONF_UNSET_PTR)
           || ngx_http_iri_judge_asks_others(cf, loc_conf);
}


/* limit_req: its configuration begins with the array of them. */
static void *
ngx_http_iri_judge_limits(ngx_conf_t *cf, void **loc_conf)
{
    ngx_array_t *limits;

    limits = ngx_http_iri_judge_conf(cf, loc_conf,
                                     "ngx_http_limit_req_module");

    return limits != NULL && limits->elts != NULL ? limits->elts : NULL;
}


ngx_int_t
ngx_http_iri_judge_init(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_array_t              *handlers;
    ngx_http_handler_pt      *h;
    ngx_http_iri_hook_t      *hook;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    imcf->realip = ngx_http_iri_module_named(cf, "ngx_http_realip_module");
    hook = imcf->hooks.elts;

    for (i = 0; i < imcf->hooks.nelts; i++) {
        hook[i].conf->limits = ngx_http_iri_judge_limits(cf,
                                                         hook[i].loc_conf);
        hook[i].conf->asks_who = ngx_http_iri_judge_asks_who(cf,
                                                             hook[i].loc_conf)
                                 != 0;

        iscf = hook[i].srv_conf[ngx_http_iri_module.ctx_index];
        iscf->has_addresses = imcf->realip != NULL;
    }

    handlers = ngx_http_iri_handlers_of(cf, NGX_HTTP_PREACCESS_PHASE);

    h = ngx_array_push(handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = ngx_http_iri_judge_preaccess_handler;

    return NGX_OK;
}
