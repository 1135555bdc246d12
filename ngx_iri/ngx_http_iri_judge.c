/*
 * ngx_http_iri_judge.c - subrequests: may the client get a path?
 *
 * Pages that list names show only those that the client may get.  The rules of
 * each path decide this, so a subrequest for it runs the rules of the server
 * and of its location as a request of the client would, with variables of its
 * own, and ends before its content, with NGX_HTTP_NO_CONTENT.  nginx runs no
 * access rules for a subrequest: they are called here, in nginx's order and
 * with "satisfy" as in nginx.  try_files of the location runs too.  The result
 * is in ngx_http_iri_judged_t.
 */

#include "ngx_http_iri.h"


/* The members of such a subrequest that it does not share with its parent. */
typedef struct {
    ngx_http_iri_ctx_t         *ctx;
    ngx_http_request_body_t    *body;
    ngx_http_post_subrequest_t *post;
    ngx_http_variable_value_t  *variables;
    ngx_str_t                   uri;  /* percent-encoded */
    ngx_str_t                   line; /* $request */
#if (NGX_PCRE)
    int                           *captures;
    const ngx_http_iri_snapshot_t *snapshot; /* with the captures; or NULL */
#endif
} ngx_http_iri_judge_parts_t;


/* ---- the address of the client ------------------------------------------ */

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
ngx_http_iri_address_set(ngx_http_request_t           *r,
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


/* Called after the POST_READ phase, in which realip runs for the server. */
void
ngx_http_iri_address_save(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    if (r != r->main) {
        return;
    }

    ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL && !ctx->address.is_saved) {
        ctx->address.saved = ngx_http_iri_address(r);
        ctx->address.is_saved = 1;
    }
}


void
ngx_http_iri_address_reset(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r->main);

    if (ctx != NULL && ctx->address.is_saved) {
        ngx_http_iri_address_set(r, &ctx->address.saved);
    }
}


/* ---- in the subrequest -------------------------------------------------- */

/* Call the handler without r->internal, with which some modules do nothing. */
static ngx_int_t
ngx_http_iri_judge_access_rule(ngx_http_request_t *r,
                               ngx_http_handler_pt handler)
{
    unsigned  internal = r->internal;
    ngx_int_t rc;

    r->internal = 0;
    rc = handler(r);
    r->internal = internal ? 1 : 0;

    return rc;
}


/*
 * Returns: 1 if the access rules may run.  limit_req does not count
 * subrequests.  So a password must not be checked here in a location with
 * limit_req, which may limit attempts to guess it, unless the same limits have
 * counted the main request.
 */
static ngx_uint_t
ngx_http_iri_judge_may_run_access(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf, *here;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    here = ngx_http_get_module_loc_conf(r->main, ngx_http_iri_module);

    return !ilcf->needs_password || ilcf->limits == NULL
           || ilcf->limits == here->limits;
}


/*
 * In the PREACCESS phase: clear r->internal of such a subrequest, because
 * realip does not run for the location of an internal request.  limit_conn and
 * limit_req do not count the subrequest (ngx_http_iri_judge_save_shared).
 */
static ngx_int_t
ngx_http_iri_judge_preaccess_handler(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = r != r->main ? ngx_http_iri_ctx(r) : NULL;

    if (ctx != NULL && ctx->judged != NULL) {
        r->internal = 0;
    }

    return NGX_DECLINED;
}


/*
 * Run the access rules, as ngx_http_core_access_phase() does.
 * Returns: NGX_OK if access is granted; NGX_AGAIN if a rule waits; else the
 * status.
 */
static ngx_int_t
ngx_http_iri_judge_access(ngx_http_request_t    *r,
                          ngx_http_iri_judged_t *judged)
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

        rc = ngx_http_iri_judge_access_rule(r, ph[judged->access].handler);

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


/* Returns: 0 if rules have set another path; then the name is not shown. */
static ngx_uint_t
ngx_http_iri_is_expected(ngx_http_request_t          *r,
                         const ngx_http_iri_judged_t *judged)
{
    return ngx_http_iri_same(r->uri, ngx_http_iri_ngx_str(judged->expected));
}


/* After access is granted: set judged->opens if nginx can open the path. */
static ngx_int_t
ngx_http_iri_judge_check_open(ngx_http_request_t    *r,
                              const iri_lookup_t    *found,
                              ngx_http_iri_judged_t *judged)
{
    ngx_int_t rc;

    if (found != NULL && found->found.verdict != IRI_PASS
        && found->found.verdict != IRI_SERVE)
    {
        return NGX_HTTP_NO_CONTENT;
    }

    if (judged->handler == NULL && found != NULL) {
        rc = ngx_http_iri_can_open(r, found, &judged->is_dir);
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


/* The content handler after try_files: it is called if a file exists. */
static ngx_int_t
ngx_http_iri_judge_content(ngx_http_request_t *r)
{
    iri_lookup_t          *found = NULL;
    ngx_http_iri_judged_t *judged = ngx_http_iri_ctx(r)->judged;

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

    return ngx_http_iri_judge_check_open(r, found, judged);
}


/* The rules of the REWRITE phase have run, and have not ended r. */
ngx_int_t
ngx_http_iri_judge_run_access(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                              const iri_lookup_t *found)
{
    ngx_int_t                rc;
    ngx_http_iri_judged_t   *judged = ctx->judged;
    ngx_http_iri_loc_conf_t *ilcf;

    r->internal = 1;

    /* try_files has redirected to its fallback, which is another response. */
    if (judged->tried) {
        return NGX_HTTP_NO_CONTENT;
    }

    if (!ngx_http_iri_judge_may_run_access(r)) {
        return NGX_HTTP_NO_CONTENT;
    }

    rc = ngx_http_iri_judge_access(r, judged);
    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    if (rc != NGX_OK || !ngx_http_iri_is_expected(r, judged)) {
        return NGX_HTTP_NO_CONTENT;
    }

    judged->passes = 1;
    judged->found = found;
    if (found != NULL && r->content_handler == NULL) {
        judged->filename = ngx_http_iri_ngx_str(found->filename);
    }
    judged->handler = r->content_handler;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    if (!ilcf->try_files) {
        return ngx_http_iri_judge_check_open(r, found, judged);
    }

    judged->tried = 1;
    r->content_handler = ngx_http_iri_judge_content;

    return NGX_DECLINED;
}


/* ---- the parent --------------------------------------------------------- */

/*
 * Save and set the state that a subrequest shares with its parent: the address
 * of the client, and the marks that limit_conn and limit_req have counted the
 * request.  They are to count requests of a client, not names of a listing.
 */
static void
ngx_http_iri_judge_save_shared(ngx_http_request_t *r, ngx_http_request_t *sr,
                               ngx_http_iri_judged_t *judged)
{
    judged->address = ngx_http_iri_address(r);
    ngx_http_iri_address_reset(sr);

    judged->limit_conn = r->main->limit_conn_status;
    judged->limit_req = r->main->limit_req_status;
    r->main->limit_conn_status = 1;
    r->main->limit_req_status = 1;
}


static void
ngx_http_iri_judge_restore_shared(ngx_http_request_t          *sr,
                                  const ngx_http_iri_judged_t *judged)
{
    ngx_http_iri_address_set(sr, &judged->address);

    sr->main->limit_conn_status = judged->limit_conn;
    sr->main->limit_req_status = judged->limit_req;
}


/*
 * The subrequest has ended.  Nothing of it is sent.  The parent is posted here,
 * because nginx would post it only after all subrequests of sr have ended.
 * That is too late if the parent is itself a subrequest whose output nginx has
 * postponed.
 */
static ngx_int_t
ngx_http_iri_judge_done(ngx_http_request_t *sr, void *data, ngx_int_t rc)
{
    ngx_http_iri_judged_t *judged = data;

    if (judged->sr == sr) {
        ngx_http_iri_judge_restore_shared(sr, judged);
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
 * Copy the variables and captures as they were before the first rule, because
 * later values may depend on the path of the client.
 */
static ngx_int_t
ngx_http_iri_judge_variables(ngx_http_request_t *r, ngx_pool_t *pool,
                             ngx_http_iri_judge_parts_t *own)
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

    if (ctx == NULL || ctx->restart.snapshot == NULL) {
        return NGX_OK;
    }

    ngx_memcpy(own->variables, ctx->restart.snapshot->variables, size);

#if (NGX_PCRE)
    if (ctx->restart.snapshot->captures != NULL) {
        size = cmcf->ncaptures * sizeof(int);

        own->captures = ngx_palloc(pool, size);
        if (own->captures == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(own->captures, ctx->restart.snapshot->captures, size);
        own->snapshot = ctx->restart.snapshot;
    }
#endif

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_request_line(ngx_pool_t *pool, ngx_str_t method, ngx_str_t uri,
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
 * Allocate all members of *own, before the subrequest is created: once nginx
 * has posted it, it runs even if an allocation fails.
 */
static ngx_int_t
ngx_http_iri_judge_prepare(ngx_http_request_t *r, ngx_pool_t *pool,
                           iri_str_t path, ngx_http_iri_judge_parts_t *own)
{
    iri_env_t env;
    iri_str_t uri;

    static ngx_str_t method = ngx_string("GET");

    ngx_memzero(own, sizeof(ngx_http_iri_judge_parts_t));
    ngx_http_iri_env(r, &env);

    own->ctx = ngx_http_iri_ctx_alloc(pool);
    own->body = ngx_pcalloc(pool, sizeof(ngx_http_request_body_t));
    own->post = ngx_palloc(pool, sizeof(ngx_http_post_subrequest_t));

    if (own->ctx == NULL || own->body == NULL || own->post == NULL
        || ngx_http_iri_judge_variables(r, pool, own) != NGX_OK
        || iri_path_to_uri(&env, path, &uri) != IRI_OK)
    {
        return NGX_ERROR;
    }

    own->uri = ngx_http_iri_ngx_str(uri);

    return ngx_http_iri_request_line(pool, method, own->uri, r->http_protocol,
                                     &own->line);
}


/* Make sr a request as if the client had sent this path. */
static void
ngx_http_iri_judge_setup(ngx_http_request_t               *sr,
                         const ngx_http_iri_judge_parts_t *own,
                         ngx_http_iri_judged_t            *judged)
{
    ngx_http_iri_ctx_attach(sr, own->ctx);

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

    own->ctx->judged = judged;
    iri_request_set_canonical(own->ctx->request, ngx_http_iri_str(sr->uri));
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
    ngx_http_iri_address_set(r, &address);
}


/*
 * A subrequest has a pool of its own, which is destroyed before the next one:
 * otherwise a listing would use more memory with each name that is not shown.
 * If nginx has postponed the output of r, it keeps the subrequest longer; then
 * r->pool is used.
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
 * Returns: NGX_ERROR, which closes the connection, if nginx has failed after it
 * had linked the subrequest: r would wait for it for ever.
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
ngx_http_iri_judge_start_subrequest(ngx_http_request_t    *r,
                                    ngx_http_iri_judged_t *judged,
                                    iri_str_t path, iri_str_t expected)
{
    ngx_int_t                  rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
    ngx_pool_t                *pool = r->pool;
    ngx_http_request_t        *sr;
    ngx_http_iri_judge_parts_t own;

    judged->expected = expected;

    r->pool = judged->pool;

    if (ngx_http_iri_judge_prepare(r, judged->pool, path, &own) == NGX_OK) {
        own.post->handler = ngx_http_iri_judge_done;
        own.post->data = judged;

        rc = ngx_http_iri_judge_start(r, ngx_http_iri_ngx_str(path), own.post,
                                      &sr);
    }

    r->pool = pool;

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_http_iri_judge_setup(sr, &own, judged);
    ngx_http_iri_judge_save_shared(r, sr, judged);
    judged->sr = sr;

    return NGX_AGAIN;
}


/* ---- initialization ----------------------------------------------------- */

/* Returns: the loc_conf of a module, or NULL if nginx does not have it. */
static void *
ngx_http_iri_judge_loc_conf(ngx_conf_t *cf, void **loc_conf, const char *name)
{
    ngx_module_t *module = ngx_http_iri_module_named(cf, name);

    return module != NULL ? loc_conf[module->ctx_index] : NULL;
}


/*
 * Returns: 1 if auth_request is set.  Its loc_conf begins with the URI of the
 * subrequest.
 */
static ngx_uint_t
ngx_http_iri_judge_has_auth_request(ngx_conf_t *cf, void **loc_conf)
{
    ngx_str_t *uri;

    uri = ngx_http_iri_judge_loc_conf(cf, loc_conf,
                                      "ngx_http_auth_request_module");

    return uri != NULL && uri->len != 0;
}


/* Returns: the member in which a directive stores its value, or NULL. */
static void *
ngx_http_iri_judge_directive_value(ngx_conf_t *cf, void **loc_conf,
                                   const char *name, const char *directive)
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


/* Returns: 1 if access needs a password, or auth_request decides. */
static ngx_uint_t
ngx_http_iri_judge_has_password(ngx_conf_t *cf, void **loc_conf)
{
    ngx_http_complex_value_t **realm;

    realm = ngx_http_iri_judge_directive_value(
        cf, loc_conf, "ngx_http_auth_basic_module", "auth_basic");

    return (realm != NULL && *realm != NULL && *realm != NGX_CONF_UNSET_PTR)
           || ngx_http_iri_judge_has_auth_request(cf, loc_conf);
}


/*
 * Returns: the limits of limit_req, or NULL.  Its loc_conf begins with their
 * array.
 */
static void *
ngx_http_iri_judge_limits(ngx_conf_t *cf, void **loc_conf)
{
    ngx_array_t *limits;

    limits = ngx_http_iri_judge_loc_conf(cf, loc_conf,
                                         "ngx_http_limit_req_module");

    return limits != NULL && limits->elts != NULL ? limits->elts : NULL;
}


ngx_int_t
ngx_http_iri_judge_init(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_array_t              *handlers;
    ngx_http_handler_pt      *h;
    ngx_http_iri_scripted_t  *hook;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    imcf->realip = ngx_http_iri_module_named(cf, "ngx_http_realip_module");
    hook = imcf->hooks.elts;

    for (i = 0; i < imcf->hooks.nelts; i++) {
        hook[i].conf->limits = ngx_http_iri_judge_limits(cf,
                                                         hook[i].loc_conf);
        hook[i].conf->needs_password = ngx_http_iri_judge_has_password(
                                           cf, hook[i].loc_conf)
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
