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
