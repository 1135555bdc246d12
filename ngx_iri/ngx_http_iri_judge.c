/*
 * ngx_http_iri_judge.c - a subrequest tests whether the client may get a path
 *
 * The subrequest runs nginx's phases from SERVER_REWRITE on, as a request of
 * the client for the path would: with its own variables, and without
 * r->internal.  It differs in three phases:
 *
 *   ACCESS      nginx skips the phase for subrequests.  The handler of
 *               PRECONTENT calls the access handlers, in nginx's order and with
 *               "satisfy".
 *   PREACCESS   Limits do not count the subrequest.  Exception: if an access
 *               handler decides in another location than that of the page, a
 *               client could use the page to try passwords.  Then limit_req of
 *               that location counts the page, once.
 *   CONTENT     The subrequest ends with NGX_HTTP_NO_CONTENT, after try_files.
 */

#include "ngx_http_iri_listing.h"


static ngx_int_t
ngx_http_iri_judge_done(ngx_http_request_t *sr, void *data, ngx_int_t rc);


/* ---- the state ---------------------------------------------------------- */

/* A context cannot be used: nginx clears r->ctx on internal redirects. */
ngx_http_iri_judge_t *
ngx_http_iri_judge_of(ngx_http_request_t *r)
{
    ngx_http_post_subrequest_t *post = r->post_subrequest;

    return r != r->main && post != NULL
                   && post->handler == ngx_http_iri_judge_done
               ? post->data
               : NULL;
}


/* ---- the parent --------------------------------------------------------- */

/*
 * The post_subrequest handler.  The parent is posted here, because nginx posts
 * it only after all subrequests of sr have ended.  That is too late if the
 * parent is a subrequest whose output nginx has postponed.
 */
static ngx_int_t
ngx_http_iri_judge_done(ngx_http_request_t *sr, void *data, ngx_int_t rc)
{
    ngx_uint_t            ends;
    ngx_http_iri_judge_t *judge = data;

    ends = judge->sr == sr;

    if (ends) {
        ngx_http_iri_address_set(sr, &judge->address);
        sr->main->limit_conn_status = judge->limit_conn;
        sr->main->limit_req_status = judge->limit_req;
    }

    if (rc == NGX_ERROR || sr->connection->error) {
        return NGX_ERROR;
    }

    if (ends) {
        judge->sr = NULL;

        if (sr->postponed != NULL
            && ngx_http_post_request(sr->parent, NULL) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static void
ngx_http_iri_judge_cleanup(void *data)
{
    if (data != NULL) {
        ngx_destroy_pool(data);
    }
}


void
ngx_http_iri_judge_release(ngx_http_request_t *r, ngx_http_iri_judge_t *judge)
{
    ngx_pool_t                *pool = judge->pool;
    ngx_http_iri_address_t     address;
    ngx_http_posted_request_t *pr;

    if (pool == NULL) {
        return;
    }

    judge->pool = NULL;

    for (pr = r->main->posted_requests; pr != NULL; pr = pr->next) {
        if (pr->request->pool == pool) {
            judge->cleanup = NULL; /* the pool is destroyed with r */
            return;
        }
    }

    /* realip restores the address of the client when the pool is destroyed. */
    address = ngx_http_iri_address(r);
    judge->cleanup->data = NULL;
    ngx_destroy_pool(pool);
    ngx_http_iri_address_set(r, &address);
}


/*
 * Returns: the pool of the subrequest; NULL if memory is exhausted.  The pool
 * is destroyed before the next subrequest, since a listing would else use more
 * memory with each name that is not shown.  If nginx has postponed the output
 * of r, it uses the subrequest longer; then the pool is r->pool.
 */
static ngx_pool_t *
ngx_http_iri_judge_pool(ngx_http_request_t *r, ngx_http_iri_judge_t *judge)
{
    ngx_http_core_srv_conf_t *cscf;

    if (r->connection->data != r || r->postponed != NULL) {
        return r->pool;
    }

    if (judge->cleanup == NULL) {
        judge->cleanup = ngx_pool_cleanup_add(r->pool, 0);
        if (judge->cleanup == NULL) {
            return NULL;
        }

        judge->cleanup->handler = ngx_http_iri_judge_cleanup;
    }

    cscf = ngx_http_iri_core_srv_conf(r);

    judge->pool = ngx_create_pool(cscf->request_pool_size,
                                  r->connection->log);
    judge->cleanup->data = judge->pool;

    return judge->pool;
}


/*
 * Set variables, captures, contexts and the address to their state before the
 * first rule, since later values may depend on the path of the client.  The
 * contexts of other modules are copied: that of realip belongs to the address.
 */
static ngx_int_t
ngx_http_iri_judge_set_state(ngx_http_request_t            *sr,
                             const ngx_http_iri_snapshot_t *first)
{
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_iri_core_main_conf(sr);

    sr->variables = ngx_pcalloc(
        sr->pool, cmcf->variables.nelts * sizeof(ngx_http_variable_value_t));
    if (sr->variables == NULL) {
        return NGX_ERROR;
    }

    if (first == NULL) {
        return NGX_OK;
    }

    ngx_memcpy(sr->ctx, first->ctx, ngx_http_max_module * sizeof(void *));
    ngx_http_set_ctx(sr, NULL, ngx_http_iri_module);
    ngx_http_set_ctx(sr, NULL, ngx_http_iri_dav_module);
    ngx_http_set_ctx(sr, NULL, ngx_http_iri_header_module);
    ngx_http_set_ctx(sr, NULL, ngx_http_iri_listing_module);
    ngx_http_iri_address_set(sr, &first->address);

    return ngx_http_iri_variables_restore(sr, first);
}


/* Set the members of sr as if the client had requested its path. */
static ngx_int_t
ngx_http_iri_judge_setup(ngx_http_request_t *sr)
{
    iri_env_t                      env;
    iri_str_t                      uri;
    ngx_http_iri_ctx_t            *ctx = ngx_http_iri_ctx(sr->main);
    ngx_http_core_main_conf_t     *cmcf;
    const ngx_http_iri_snapshot_t *first = ctx != NULL ? ctx->snapshot : NULL;

    while (first != NULL && first->earlier != NULL) {
        first = first->earlier;
    }

    if (ngx_http_iri_judge_set_state(sr, first) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_iri_env(sr, &env);

    ctx = ngx_http_iri_ctx_get_or_create(sr);
    sr->request_body = ngx_pcalloc(sr->pool, sizeof(ngx_http_request_body_t));

    if (ctx == NULL || sr->request_body == NULL
        || iri_path_to_uri(&env, ngx_http_iri_str(sr->uri), &uri) != IRI_OK
        || ngx_http_iri_set_request_line(sr, ngx_http_iri_ngx_str(uri))
               != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_iri_save_requested_path(sr, ctx);

    sr->header_only = 1;
    sr->internal = 0;
    sr->valid_location = 1;

    cmcf = ngx_http_iri_core_main_conf(sr);
    sr->phase_handler = (ngx_int_t) cmcf->phase_engine.server_rewrite_index;
    sr->write_event_handler = ngx_http_core_run_phases;

    return NGX_OK;
}


/*
 * The write event handler of a subrequest that could not be set up: nginx runs
 * it in any case, because it has posted the subrequest.
 */
static void
ngx_http_iri_judge_abort(ngx_http_request_t *sr)
{
    ngx_http_finalize_request(sr, NGX_HTTP_NO_CONTENT);
}


/*
 * Returns: NGX_OK; the HTTP status 500; NGX_ERROR, which closes the connection,
 * if nginx has failed after it has linked the subrequest to r, which would then
 * wait for ever.
 */
static ngx_int_t
ngx_http_iri_judge_create(ngx_http_request_t *r, ngx_http_iri_judge_t *judge,
                          ngx_str_t *uri)
{
    void     *data = r->connection->data;
    unsigned  count = r->main->count;
    ngx_int_t rc;

    judge->post.handler = ngx_http_iri_judge_done;
    judge->post.data = judge;

    rc = ngx_http_subrequest(r, uri, NULL, &judge->sr, &judge->post,
                             NGX_HTTP_SUBREQUEST_WAITED);
    if (rc == NGX_OK) {
        return NGX_OK;
    }

    judge->sr = NULL;

    return r->connection->data != data || r->main->count != count
               ? NGX_ERROR
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_iri_judge_start(ngx_http_request_t *r, ngx_http_iri_judge_t *judge,
                         iri_str_t path, size_t base)
{
    ngx_int_t   rc;
    ngx_str_t   uri;
    ngx_str_t   tail = { path.len - base, (u_char *) path.data + base };
    ngx_str_t   none = ngx_null_string;
    ngx_pool_t *pool, *own;

    judge->access = 0;
    judge->status = NGX_AGAIN;
    judge->access_decided = judge->limits_counting = 0;
    judge->granted = judge->can_open = 0;
    judge->is_dir = 0;
    judge->handler = NULL;
    ngx_str_null(&judge->filename);

    own = ngx_http_iri_judge_pool(r, judge);

    if (own == NULL
        || ngx_http_iri_join(own, none, ngx_http_iri_ngx_str(path), &uri)
               != NGX_OK
        || ngx_http_iri_join(own, base != 0 ? r->uri : none, tail,
                             &judge->expected)
               != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    pool = r->pool;
    r->pool = own;
    rc = ngx_http_iri_judge_create(r, judge, &uri);
    r->pool = pool;

    if (rc != NGX_OK) {
        return rc;
    }

    /* limit_conn and limit_req then do not count the subrequest. */
    judge->limit_conn = r->main->limit_conn_status;
    judge->limit_req = r->main->limit_req_status;
    r->main->limit_conn_status = 1;
    r->main->limit_req_status = 1;
    judge->address = ngx_http_iri_address(r);

    if (ngx_http_iri_judge_setup(judge->sr) != NGX_OK) {
        judge->status = NGX_ERROR;
        judge->sr->write_event_handler = ngx_http_iri_judge_abort;
    }

    return NGX_AGAIN;
}


/* ---- access ------------------------------------------------------------- */

/*
 * Call the handlers of the ACCESS phase, as ngx_http_core_access_phase() does.
 * Returns: NGX_OK if access is granted; NGX_AGAIN if a handler waits; else the
 * HTTP status.
 */
static ngx_int_t
ngx_http_iri_judge_access(ngx_http_request_t *r, ngx_http_iri_judge_t *judge)
{
    ngx_int_t                  rc;
    ngx_uint_t                 any;
    ngx_http_phase_handler_t  *ph;
    ngx_http_core_loc_conf_t  *clcf = ngx_http_iri_core_loc_conf(r);
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_core_main_conf(r);

    ph = cmcf->phase_engine.handlers;
    any = clcf->satisfy == NGX_HTTP_SATISFY_ANY;

    for (; ph[judge->access].checker; judge->access++) {
        if (ph[judge->access].checker != ngx_http_core_access_phase) {
            continue;
        }

        rc = ph[judge->access].handler(r);

        if (rc == NGX_AGAIN || rc == NGX_DONE) {
            return NGX_AGAIN;
        }

        judge->access_decided |= rc != NGX_DECLINED;

        if (rc == NGX_OK && any) {
            return NGX_OK;

        } else if (any
                   && (rc == NGX_HTTP_FORBIDDEN
                       || rc == NGX_HTTP_UNAUTHORIZED)) {
            r->access_code = rc;

        } else if (rc != NGX_OK && rc != NGX_DECLINED) {
            return rc;
        }
    }

    return r->access_code != 0 ? (ngx_int_t) r->access_code : NGX_OK;
}


/* Returns: 1 if PREACCESS has counted the page in this location. */
static ngx_uint_t
ngx_http_iri_judge_is_counted(ngx_http_request_t         *r,
                              const ngx_http_iri_judge_t *judge)
{
    void    ***counted;
    ngx_uint_t i;

    if (r->loc_conf == r->main->loc_conf) {
        return 1;
    }

    counted = judge->counted != NULL ? judge->counted->elts : NULL;

    for (i = 0; counted != NULL && i < judge->counted->nelts; i++) {
        if (counted[i] == r->loc_conf) {
            return 1;
        }
    }

    return 0;
}


/*
 * Run the phases from PREACCESS on again, with limits that count.  After a
 * delay nginx resumes only the active request of the connection, so any other
 * is denied access.  Returns: the result of the phase handler.
 */
static ngx_int_t
ngx_http_iri_judge_count(ngx_http_request_t *r, ngx_http_iri_judge_t *judge)
{
    if (r->connection->data != r) {
        return NGX_HTTP_NO_CONTENT;
    }

    judge->limits_counting = 1;
    r->main->limit_req_status = 0;
    r->phase_handler = ngx_http_iri_post_rewrite(r); /* PREACCESS follows */

    return NGX_DECLINED;
}


/* ---- the file ----------------------------------------------------------- */

/* The content handler: set judge->can_open if nginx can open the file. */
static ngx_int_t
ngx_http_iri_judge_content(ngx_http_request_t *r)
{
    iri_lookup_t         *found;
    ngx_http_iri_judge_t *judge = ngx_http_iri_judge_of(r);

    r->content_handler = judge->handler;

    if (!ngx_http_iri_str_equal(r->uri, judge->expected)) {
        return NGX_HTTP_NO_CONTENT;
    }

    if (judge->filename.len != 0) {
        found = ngx_http_iri_find(r);

        if (found == NULL || !iri_may_open(&found->found)
            || (judge->handler == NULL
                && ngx_http_iri_can_open(
                       r, ngx_http_iri_ngx_str(found->filename),
                       &judge->is_dir)
                       != NGX_OK))
        {
            return NGX_HTTP_NO_CONTENT;
        }
    }

    judge->can_open = 1;

    return NGX_HTTP_NO_CONTENT;
}


/* Access is granted: look up r->uri, and replace the content handler. */
static ngx_int_t
ngx_http_iri_judge_pass(ngx_http_request_t *r, ngx_http_iri_judge_t *judge)
{
    iri_lookup_t            *found;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    /* Also an ASCII name must exist, unless a content handler answers. */
    if (ngx_http_iri_needs_lookup(r)
        || (ilcf->scripted != NULL && r->content_handler == NULL))
    {
        found = ngx_http_iri_find(r);
        if (found == NULL) {
            return NGX_HTTP_NO_CONTENT;
        }

        judge->filename = ngx_http_iri_ngx_str(found->filename);
    }

    judge->granted = 1;
    judge->handler = r->content_handler;
    r->content_handler = ngx_http_iri_judge_content;

    return NGX_DECLINED;
}


/* ---- the handler -------------------------------------------------------- */

ngx_int_t
ngx_http_iri_judge_handler(ngx_http_request_t *r)
{
    void               ***counted;
    ngx_http_iri_judge_t *judge = ngx_http_iri_judge_of(r);

    if (judge == NULL) {
        return NGX_DECLINED;
    }

    /* After access was granted: try_files has redirected to its fallback. */
    if (judge->granted) {
        return NGX_HTTP_NO_CONTENT;
    }

    if (judge->status == NGX_AGAIN) {
        judge->status = ngx_http_iri_judge_access(r, judge);

        if (judge->status == NGX_AGAIN) {
            return NGX_AGAIN;
        }

        if (judge->access_decided && !ngx_http_iri_judge_is_counted(r, judge))
        {
            return ngx_http_iri_judge_count(r, judge);
        }

    } else if (judge->limits_counting) {
        /* PREACCESS has counted the page, and has not refused it. */
        if (judge->counted == NULL) {
            judge->counted = ngx_array_create(r->main->pool, 4,
                                              sizeof(void **));
        }

        counted = judge->counted != NULL ? ngx_array_push(judge->counted)
                                         : NULL;
        if (counted != NULL) {
            *counted = r->loc_conf;
        }
    }

    return judge->status == NGX_OK
                   && ngx_http_iri_str_equal(r->uri, judge->expected)
               ? ngx_http_iri_judge_pass(r, judge)
               : NGX_HTTP_NO_CONTENT;
}
