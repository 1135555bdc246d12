/*
 * ngx_http_iri_request.c - the context of a request; reading its path
 *
 * Turns r->uri, which nginx has percent-decoded once, into the canonical path
 * (design 4), by iri_read_path() of the core.  r->uri is set only if it
 * changes: otherwise an upstream would get the path in another spelling than
 * the client has sent.  The callers are in ngx_http_iri_phases.c and
 * ngx_http_iri_post_read.c.
 */

#include "ngx_http_iri.h"


/* ---- the environment of the core ---------------------------------------- */

static void *
ngx_http_iri_alloc(void *ctx, size_t size)
{
    ngx_http_request_t *r = ctx;

    return ngx_palloc(r->pool, size);
}


void
ngx_http_iri_env(ngx_http_request_t *r, iri_env_t *env)
{
    ngx_http_iri_main_conf_t *imcf;

    env->ctx = r;
    env->alloc = ngx_http_iri_alloc;
    env->log = ngx_http_iri_log;
    env->dir = &iri_dir_posix;
    env->quiet = r->connection->log->log_level < NGX_LOG_INFO;
    env->trace = (r->connection->log->log_level & NGX_LOG_DEBUG_HTTP) != 0;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
    env->fold_keys = imcf->fold_keys;
}


ngx_int_t
ngx_http_iri_add_slash(ngx_http_request_t *r, iri_str_t *path)
{
    u_char *p;

    if (path->len != 0 && path->data[path->len - 1] == '/') {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, path->len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    *ngx_cpymem(p, path->data, path->len) = '/';
    path->data = p;
    path->len++;

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


static void *
ngx_http_iri_ctx_alloc_of(ngx_pool_t *pool, ngx_module_t *module, size_t size)
{
    ngx_pool_cleanup_t   *cln;
    ngx_http_iri_owner_t *owner;

    cln = ngx_pool_cleanup_add(pool, 0);
    owner = ngx_pcalloc(pool, size);
    if (cln == NULL || owner == NULL) {
        return NULL;
    }

    owner->module = module;
    cln->handler = ngx_http_iri_cleanup;
    cln->data = owner;

    return owner;
}


ngx_http_iri_ctx_t *
ngx_http_iri_ctx_alloc(ngx_pool_t *pool)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_http_iri_ctx_alloc_of(pool, &ngx_http_iri_module,
                                    sizeof(ngx_http_iri_ctx_t)
                                        + iri_request_size());

    if (ctx != NULL) {
        ctx->request = iri_request_init(ctx + 1);
    }

    return ctx;
}


void
ngx_http_iri_ctx_attach(ngx_http_request_t *r, void *ctx)
{
    ngx_http_iri_owner_t *owner = ctx;

    owner->request = r;
    r->ctx[owner->module->ctx_index] = ctx;
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
    if (ctx != NULL) {
        return ctx;
    }

    ctx = ngx_http_iri_ctx_alloc_of(r->pool, module, size);
    if (ctx != NULL) {
        ngx_http_iri_ctx_attach(r, ctx);
    }

    return ctx;
}


ngx_http_iri_ctx_t *
ngx_http_iri_ctx_get_or_create(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL) {
        return ctx;
    }

    ctx = ngx_http_iri_ctx_alloc(r->pool);
    if (ctx != NULL) {
        ngx_http_iri_ctx_attach(r, ctx);
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
    u_char   *p;
    ngx_str_t uri;

    p = ngx_pnalloc(r->pool, path.len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, path.data, path.len);
    p[path.len] = '\0';

    uri.data = p;
    uri.len = path.len;
    ngx_http_iri_set_uri_nocopy(r, uri);

    return NGX_OK;
}


/* The path as it was sent; empty if it has no raw characters. */
static iri_str_t
ngx_http_iri_target(ngx_http_request_t *r)
{
    iri_str_t            none = { 0, NULL };
    iri_str_t            target = ngx_http_iri_str(r->unparsed_uri);
    const unsigned char *end;

    if (iri_str_is_ascii(target)) {
        return none;
    }

    end = memchr(target.data, '?', target.len);
    if (end != NULL) {
        target.len = end - target.data;
    }

    end = target.len != 0 ? memchr(target.data, '#', target.len) : NULL;
    if (end != NULL) {
        target.len = end - target.data;
    }

    return target;
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
        path.target = ngx_http_iri_target(r);
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
