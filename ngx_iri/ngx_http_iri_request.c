/*
 * ngx_http_iri_request.c - the context of a request; its requested path
 *
 * Turns r->uri, which nginx has percent-decoded once, into the canonical path
 * (design 4), by iri_read_path() of the core.  r->uri is set only if it
 * changes: otherwise an upstream would get the path in another spelling than
 * the client has sent.  The path of the client is read in POST_READ, before
 * any rule sees it; handlers of other modules that read the host, which selects
 * a server, the query and the Destination have run before.  Paths that
 * redirects, subrequests and rewrites make are read in ngx_http_iri_phases.c.
 *
 * Rules and redirects inside the server set other paths and arguments.  The
 * path and the query that the client, or the maker of a subrequest, has
 * requested are found here: in canonical form, and after a restart with the
 * names that were found.  Until access to such a name is granted, an error and
 * the page for it must not reveal it (design 5.7).
 */

#include "ngx_http_iri.h"


/* ---- the environment of the core ---------------------------------------- */

static void *
ngx_http_iri_alloc(void *ctx, size_t size)
{
    ngx_http_request_t *r = ctx;

    return ngx_palloc(r->pool, size);
}


/*
 * A lookup through the location's open_file_cache.  nginx opens a file that is
 * not in the cache, even with test_only.  A directory is looked up on disk,
 * since the cache does not have its device and times.  A dangling symbolic
 * link is ABSENT here.
 */
static iri_status_t
ngx_http_iri_stat(void *ctx, const char *path, iri_node_t *node)
{
    ngx_int_t            rc;
    ngx_str_t            name = { ngx_strlen(path), (u_char *) path };
    ngx_open_file_info_t of;

    if (name.data[name.len - 1] == '/') {
        return iri_dir_posix.stat(ctx, path, node);
    }

    ngx_memzero(&of, sizeof(ngx_open_file_info_t));
    of.test_only = 1;

    rc = ngx_http_iri_open_file(ctx, &name, &of);

    if (rc == NGX_ERROR) {
        return IRI_NO_MEMORY;
    }

    ngx_memzero(node, sizeof(iri_node_t));

    if (rc == NGX_OK && !of.is_dir) {
        node->kind = IRI_NODE_OTHER;
        return IRI_OK;
    }

    if (rc == NGX_DECLINED && of.err == NGX_ENOENT) {
        node->kind = IRI_NODE_ABSENT;
        return IRI_OK;
    }

    return iri_dir_posix.stat(ctx, path, node);
}


/* Without ctx, which is NULL in a thread. */
static iri_status_t
ngx_http_iri_list(void *ctx, const char *path, iri_node_t *node,
                  iri_dir_each_t each, void *arg)
{
    return iri_dir_posix.list(ctx, path, node, each, arg);
}


static const iri_dir_t ngx_http_iri_cached_dir = { ngx_http_iri_stat,
                                                   ngx_http_iri_list };


void
ngx_http_iri_env(ngx_http_request_t *r, iri_env_t *env)
{
    ngx_http_core_loc_conf_t *clcf;
    ngx_http_iri_main_conf_t *imcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    env->ctx = r;
    env->alloc = ngx_http_iri_alloc;
    env->log = ngx_http_iri_log;
    env->dir = clcf->open_file_cache != NULL
                       && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
                   ? &ngx_http_iri_cached_dir
                   : &iri_dir_posix;
    env->quiet = r->connection->log->log_level < NGX_LOG_INFO;
    env->trace = (r->connection->log->log_level & NGX_LOG_DEBUG_HTTP) != 0;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
    env->fold_keys = imcf->fold_keys;
}


ngx_int_t
ngx_http_iri_join(ngx_pool_t *pool, ngx_str_t head, ngx_str_t tail,
                  ngx_str_t *out)
{
    u_char *p = ngx_pnalloc(pool, head.len + tail.len + 1);

    if (p == NULL) {
        return NGX_ERROR;
    }

    out->data = p;
    out->len = head.len + tail.len;

    /* The data of an empty string may be NULL. */
    if (head.len != 0) {
        p = ngx_cpymem(p, head.data, head.len);
    }

    if (tail.len != 0) {
        p = ngx_cpymem(p, tail.data, tail.len);
    }

    *p = '\0';

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_add_slash(ngx_http_request_t *r, iri_str_t *path)
{
    ngx_str_t joined, slash = ngx_string("/");

    if (path->len != 0 && path->data[path->len - 1] == '/') {
        return NGX_OK;
    }

    if (ngx_http_iri_join(r->pool, ngx_http_iri_ngx_str(*path), slash,
                          &joined)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    *path = ngx_http_iri_str(joined);

    return NGX_OK;
}


ngx_table_elt_t *
ngx_http_iri_header_add(ngx_http_request_t *r, const char *key,
                        ngx_str_t value)
{
    ngx_table_elt_t *h;

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NULL;
    }

    h->hash = 1;
#if (nginx_version >= 1023000)
    h->next = NULL;
#endif
    h->key.data = (u_char *) key;
    h->key.len = ngx_strlen(key);
    h->value = value;

    return h;
}


ngx_int_t
ngx_http_iri_header_add_policy(ngx_http_request_t *r, const char *text)
{
    ngx_str_t policy;

    static ngx_str_t nosniff = ngx_string("nosniff");

    policy.data = (u_char *) text;
    policy.len = ngx_strlen(text);

    return ngx_http_iri_header_add(r, "X-Content-Type-Options", nosniff)
                       != NULL
                   && ngx_http_iri_header_add(r, "Content-Security-Policy",
                                              policy)
                          != NULL
               ? NGX_OK
               : NGX_ERROR;
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


/* ---- the context -------------------------------------------------------- */

/* Identifies the context in the list of cleanups.  The pool frees it. */
static void
ngx_http_iri_cleanup(void *data)
{
    (void) data;
}


/*
 * nginx clears r->ctx on internal redirects and in named locations, but not the
 * pool (as in ngx_http_realip_module).  Subrequests share the pool.
 */
void *
ngx_http_iri_ctx_recover(ngx_http_request_t *r, const ngx_module_t *module)
{
    ngx_pool_cleanup_t   *cln;
    ngx_http_iri_owner_t *owner;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {
        if (cln->handler != ngx_http_iri_cleanup) {
            continue;
        }

        owner = cln->data;

        if (owner->request == r && owner->module == module) {
            r->ctx[module->ctx_index] = owner;
            return owner;
        }
    }

    return NULL;
}


/* Returns: a context of r in a module, zero but for its owner; NULL. */
static void *
ngx_http_iri_ctx_create(ngx_http_request_t *r, ngx_module_t *module,
                        size_t size)
{
    ngx_pool_cleanup_t   *cln;
    ngx_http_iri_owner_t *owner;

    cln = ngx_pool_cleanup_add(r->pool, 0);
    owner = ngx_pcalloc(r->pool, size);
    if (cln == NULL || owner == NULL) {
        return NULL;
    }

    owner->request = r;
    owner->module = module;
    cln->handler = ngx_http_iri_cleanup;
    cln->data = owner;
    r->ctx[module->ctx_index] = owner;

    return owner;
}


void *
ngx_http_iri_feature_ctx_get_or_create(ngx_http_request_t *r,
                                       ngx_module_t *module, size_t size)
{
    void *ctx;

    if (ngx_http_iri_ctx_get_or_create(r) == NULL) {
        return NULL;
    }

    ctx = ngx_http_iri_feature_ctx(r, module);

    return ctx != NULL ? ctx : ngx_http_iri_ctx_create(r, module, size);
}


ngx_http_iri_ctx_t *
ngx_http_iri_ctx_get_or_create(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL) {
        return ctx;
    }

    ctx = ngx_http_iri_ctx_create(r, &ngx_http_iri_module,
                                  sizeof(ngx_http_iri_ctx_t)
                                      + iri_request_size());
    if (ctx != NULL) {
        ctx->request = iri_request_init(ctx + 1);
    }

    return ctx;
}


void
ngx_http_iri_rerun_phases(ngx_http_request_t *r)
{
    ngx_http_core_srv_conf_t  *cscf;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);

    r->valid_location = 1;
    r->uri_changed = 0;
    r->content_handler = NULL;
    r->loc_conf = cscf->ctx->loc_conf;
    ngx_http_update_location_config(r);
    r->phase_handler = (ngx_int_t) cmcf->phase_engine.server_rewrite_index
                       - 1;
}


/* ---- reading ------------------------------------------------------------ */

void
ngx_http_iri_set_uri_nocopy(ngx_http_request_t *r, ngx_str_t uri)
{
    r->uri = uri;

    /* An upstream gets the new path, percent-encoded. */
    r->valid_unparsed_uri = 0;
    r->quoted_uri = 1;

    ngx_http_set_exten(r);
}


ngx_int_t
ngx_http_iri_set_uri(ngx_http_request_t *r, iri_str_t path)
{
    ngx_str_t uri, none = ngx_null_string;

    if (ngx_http_iri_join(r->pool, none, ngx_http_iri_ngx_str(path), &uri)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_iri_set_uri_nocopy(r, uri);

    return NGX_OK;
}


/*
 * The rules for raw characters (draft 4.1) do not apply to a path that was not
 * sent.
 */
ngx_int_t
ngx_http_iri_read(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                  iri_origin_t origin)
{
    iri_env_t                 env;
    iri_verdict_t             verdict;
    iri_received_path_t       path;
    const iri_reading_t      *reading;
    const iri_reading_conf_t *conf;

    conf = ngx_http_iri_reading_conf(r);
    if (conf == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&path, sizeof(iri_received_path_t));
    path.path = ngx_http_iri_str(r->uri);

    if (origin == IRI_PATH_REQUESTED && r == r->main) {
        path.target = ngx_http_iri_sent_path(r);
    }

    ngx_http_iri_env(r, &env);

    if (iri_request_read(ctx->request, &env, conf, &path, origin, &verdict)
        != IRI_OK)
    {
        return NGX_ERROR;
    }

    reading = iri_request_reading(ctx->request);

    switch (verdict) {
    case IRI_REFUSE:
        iri_request_log_refusal(ctx->request, &env);
        return reading->status;

    case IRI_SERVE:
        return ngx_http_iri_set_uri(r, reading->path);

    default:
        if (reading->raw && ngx_http_iri_engine_of(r) == IRI_ENGINE_ON) {
            r->valid_unparsed_uri = 0;
            r->quoted_uri = 1;
        }

        return NGX_DECLINED;
    }
}


/* ---- the POST_READ phase ------------------------------------------------- */

/*
 * An ASCII path is only saved: it has one reading, but the entry may have
 * another name.
 */
ngx_int_t
ngx_http_iri_post_read_handler(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    ngx_uint_t               ascii = ngx_http_iri_uri_is_ascii(r);
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (iscf->engine == IRI_ENGINE_OFF
        || (ascii && !ngx_http_iri_may_fold_ascii(iscf, r->uri)
            && !(iscf->engine == IRI_ENGINE_ON && iscf->lists)))
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx_get_or_create(r);

    if (ctx != NULL && iscf->engine == IRI_ENGINE_REPORT) {
        iri_request_set_report(ctx->request);
    }

    if (ctx != NULL && ascii) {
        iri_request_set_ascii(ctx->request, ngx_http_iri_str(r->uri));
        return NGX_DECLINED;
    }

    rc = ctx != NULL ? ngx_http_iri_read(r, ctx, IRI_PATH_REQUESTED)
                     : NGX_ERROR;

    /* No location is chosen yet, so a new r->uri needs nothing else. */
    return rc == NGX_OK || iscf->engine == IRI_ENGINE_REPORT
               ? NGX_DECLINED
               : ngx_http_iri_http_status(rc);
}


/* ---- the requested path -------------------------------------------------- */

/*
 * Set *path to the path of a request-target in ASCII.  To save memory it is not
 * stored: if r->uri has changed, nginx's parser parses the target again.
 */
static ngx_int_t
ngx_http_iri_target_path(ngx_http_request_t *r, ngx_str_t *path)
{
    ngx_http_request_t        again;
    ngx_http_core_srv_conf_t *cscf;

    if (r->uri.data == r->unparsed_uri.data) {
        *path = r->uri;
        return NGX_OK;
    }

    ngx_str_null(path);

    /* A malformed request line has no target. */
    if (r->unparsed_uri.len == 0) {
        return NGX_OK;
    }

    again = *r;
    again.uri_start = r->unparsed_uri.data;
    again.uri_end = r->unparsed_uri.data + r->unparsed_uri.len;
    again.uri.len = r->unparsed_uri.len;
    again.uri.data = ngx_pnalloc(r->pool, r->unparsed_uri.len + 1);

    if (again.uri.data == NULL) {
        return NGX_ERROR;
    }

    /* The target was parsed before the host selected a server. */
    cscf = ngx_http_get_module_srv_conf(r->http_connection->conf_ctx,
                                        ngx_http_core_module);

    if (ngx_http_parse_complex_uri(&again, cscf->merge_slashes) == NGX_OK) {
        *path = again.uri;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_requested_path(ngx_http_request_t *r, ngx_str_t *path)
{
    const ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    ngx_str_null(path);

    if (ctx != NULL) {
        *path = ngx_http_iri_ngx_str(iri_request_path(
            ctx->request, ngx_http_iri_hides_found_name(r, ctx)));
    }

    if (path->len != 0) {
        return NGX_OK;
    }

    if (r == r->main) {
        return ngx_http_iri_target_path(r, path);
    }

    *path = r->uri;

    return NGX_OK;
}


ngx_uint_t
ngx_http_iri_requested_query(ngx_http_request_t *r, iri_str_t *query)
{
    const ngx_http_iri_ctx_t *ctx;

    if (r == r->main) {
        return ngx_http_iri_query(r, query);
    }

    ctx = ngx_http_iri_ctx(r);
    *query = ngx_http_iri_str(ctx != NULL ? ctx->args : r->args);

    return query->len != 0;
}


void
ngx_http_iri_save_requested_path(ngx_http_request_t *r,
                                 ngx_http_iri_ctx_t *ctx)
{
    if (ctx->args.data == NULL) {
        ctx->args = r->args;
    }

    if (iri_request_path(ctx->request, 0).len == 0) {
        iri_request_set_canonical(ctx->request, ngx_http_iri_str(r->uri));
    }
}


/* ---- hiding found names -------------------------------------------------- */

ngx_uint_t
ngx_http_iri_hides_found_name(ngx_http_request_t       *r,
                              const ngx_http_iri_ctx_t *ctx)
{
    return r == r->main
           && iri_request_hides_found(ctx->request,
                                      r->err_status != 0 || r->error_page);
}


/* r->uri with the names that were sent, also if a rule has set it. */
static ngx_str_t
ngx_http_iri_uri_as_sent(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx)
{
    iri_env_t env;

    ngx_http_iri_env(r, &env);

    return ngx_http_iri_ngx_str(iri_request_path_as_sent(
        ctx->request, &env, ngx_http_iri_str(r->uri)));
}


/*
 * In the state DENIED r->uri is the path of the error page, which the rules for
 * the page need as it is.
 */
ngx_str_t
ngx_http_iri_disclosed_uri(ngx_http_request_t *r)
{
    const ngx_http_iri_ctx_t *ctx;

    if (r->err_status == 0 && !r->error_page) {
        return r->uri;
    }

    ctx = ngx_http_iri_ctx(r);

    return ctx != NULL && ngx_http_iri_hides_found_name(r, ctx)
                   && !iri_request_hides_found(ctx->request, 0)
               ? ngx_http_iri_uri_as_sent(r, ctx)
               : r->uri;
}


void
ngx_http_iri_conceal_uri(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    ngx_str_t uri;

    if (r == r->main && ctx->rules.done
        && iri_request_hides_found(ctx->request, 1))
    {
        uri = ngx_http_iri_uri_as_sent(r, ctx);

        if (uri.data != r->uri.data) {
            ngx_http_iri_set_uri_nocopy(r, uri);
            iri_request_set_read(ctx->request, ngx_http_iri_str(uri));
        }
    }
}
