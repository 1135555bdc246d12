/*
 * ngx_http_iri_request.c - the context and members of a request, and the
 *                          environment of the core
 *
 * iri_env_t has the functions with which the core allocates memory, logs, and
 * tests names in the file system.
 *
 * The core collects notes on a request and its subrequests, and decides which
 * of them are logged (iri_request_log).  They are written as one line in the
 * LOG phase.
 */

#include "ngx_http_iri.h"


/* ---- strings ------------------------------------------------------------ */

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


ngx_table_elt_t *
ngx_http_iri_field_next(ngx_list_part_t **part, ngx_uint_t *i,
                        const char *name)
{
    size_t           len = ngx_strlen(name);
    ngx_table_elt_t *h;

    for (; *part != NULL; *part = (*part)->next, *i = 0) {
        while (*i < (*part)->nelts) {
            h = (ngx_table_elt_t *) (*part)->elts + (*i)++;

            if (h->key.len == len
                && ngx_strncasecmp(h->key.data, (u_char *) name, len) == 0)
            {
                return h;
            }
        }
    }

    return NULL;
}


ngx_int_t
ngx_http_iri_send_page(ngx_http_request_t *r, const iri_page_t *page)
{
    u_char                  *p;
    ngx_str_t                type = ngx_http_iri_text(page->type);
    ngx_uint_t               i;
    ngx_http_complex_value_t body;
    const char              *fields[][2] = {
                     { "Cache-Control", page->cache_control },
                     { "Vary", page->vary },
                     { "X-Content-Type-Options", "nosniff" },
                     { "Content-Security-Policy", page->policy },
    };

    /* nginx appends r->headers_out.charset, and then does not convert. */
    p = (u_char *) ngx_strstr(type.data, "; charset=utf-8");

    if (p != NULL) {
        type.len = p - type.data;
        ngx_str_set(&r->headers_out.charset, "utf-8");
    }

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (fields[i][1] != NULL
            && ngx_http_iri_header_add(r, fields[i][0],
                                       ngx_http_iri_text(fields[i][1]))
                   == NULL)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    /* nginx has no reason phrase for 300, NGX_HTTP_SPECIAL_RESPONSE. */
    if (page->status == NGX_HTTP_SPECIAL_RESPONSE) {
        ngx_str_set(&r->headers_out.status_line, "300 Multiple Choices");
    }

    r->headers_out.content_type_lowcase = NULL;

    ngx_memzero(&body, sizeof(ngx_http_complex_value_t));
    body.value = ngx_http_iri_ngx_str(page->body);

    return ngx_http_send_response(r, page->status, &type, &body);
}


ngx_int_t
ngx_http_iri_set_request_line(ngx_http_request_t *r, ngx_str_t uri)
{
    ngx_str_t *line = &r->request_line;

    r->unparsed_uri = uri;

    line->len = r->method_name.len + uri.len + r->http_protocol.len + 2;
    line->data = ngx_pnalloc(r->pool, line->len);
    if (line->data == NULL) {
        line->len = 0;
        return NGX_ERROR;
    }

    (void) ngx_sprintf(line->data, "%V %V %V", &r->method_name, &uri,
                       &r->http_protocol);

    return NGX_OK;
}


/* ---- the context -------------------------------------------------------- */

/*
 * A pool cleanup handler that does nothing: its address marks the contexts in
 * r->pool->cleanup.
 */
static void
ngx_http_iri_cleanup(void *data)
{
}


/*
 * nginx clears r->ctx on internal redirects and in named locations, so the
 * context is found by its cleanup handler, as in ngx_http_realip_module.
 * Subrequests share the pool, so the owner is compared.
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


/* Returns: a new context, zero but for its owner; NULL: memory exhausted. */
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
    ngx_http_core_srv_conf_t  *cscf = ngx_http_iri_core_srv_conf(r);
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_core_main_conf(r);

    r->valid_location = 1;
    r->uri_changed = 0;
    r->content_handler = NULL;
    r->loc_conf = cscf->ctx->loc_conf;
    ngx_http_update_location_config(r);
    r->phase_handler = (ngx_int_t) cmcf->phase_engine.server_rewrite_index
                       - 1;
}


/* ---- r->uri and phases -------------------------------------------------- */

void
ngx_http_iri_set_uri(ngx_http_request_t *r, iri_str_t uri)
{
    r->uri = ngx_http_iri_ngx_str(uri);

    /* An upstream gets r->uri, percent-encoded, not the request-target. */
    r->valid_unparsed_uri = 0;
    r->quoted_uri = 1;

    ngx_http_set_exten(r);
}


ngx_int_t
ngx_http_iri_post_rewrite(ngx_http_request_t *r)
{
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_core_main_conf(r);
    ngx_http_phase_handler_t  *ph = cmcf->phase_engine.handlers;

    return ph[cmcf->phase_engine.location_rewrite_index].next;
}


/* ---- the log line ------------------------------------------------------- */

static const ngx_uint_t ngx_http_iri_log_levels[] = { NGX_LOG_ERR,
                                                      NGX_LOG_WARN,
                                                      NGX_LOG_INFO };


static void
ngx_http_iri_notes_write(ngx_http_request_t *r, const iri_notes_t *notes)
{
    char      *action;
    ngx_str_t  text;
    ngx_log_t *log = r->connection->log;
    iri_line_t line;

    text = ngx_http_iri_ngx_str(iri_notes_format_line(notes, NULL, &line));

    /* Omit " while logging request": the events have happened earlier. */
    action = log->action;
    log->action = NULL;

    ngx_log_error(ngx_http_iri_log_levels[notes->level], log, 0, "%V", &text);

    log->action = action;
}


ngx_uint_t
ngx_http_iri_notes_wanted(ngx_http_request_t *r, iri_log_level_t level)
{
    ngx_http_iri_ctx_t *ctx;

    if (r->connection->log->log_level < ngx_http_iri_log_levels[level]) {
        return 0;
    }

    ctx = ngx_http_iri_ctx(r->main);

    return iri_request_logs(ctx != NULL ? ctx->request : NULL) != 0;
}


/* r->main: the pool of a subrequest may be destroyed before the LOG phase. */
void
ngx_http_iri_notes_add(ngx_http_request_t *r, const iri_notes_t *event)
{
    iri_env_t           env;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx_get_or_create(r->main);

    ngx_http_iri_env(r->main, &env);

    if (iri_request_log(ctx != NULL ? ctx->request : NULL, &env, event)) {
        ngx_http_iri_notes_write(r, event);
    }
}


void
ngx_http_iri_note(ngx_http_request_t *r, iri_log_level_t level,
                  const char *code, const char *format, ...)
{
    va_list     args;
    iri_notes_t event;

    if (!ngx_http_iri_notes_wanted(r, level)) {
        return;
    }

    ngx_memzero(&event, sizeof(iri_notes_t));

    va_start(args, format);
    iri_vnote(&event, level, code, format, args);
    va_end(args);

    ngx_http_iri_notes_add(r, &event);
}


void
ngx_http_iri_note_error(ngx_http_request_t *r, const char *what,
                        iri_status_t status)
{
    ngx_http_iri_note(r, IRI_LOG_ERROR, iri_why_code(IRI_WHY_ERROR), "%s: %s",
                      what, iri_status_text(status));
}


static void
ngx_http_iri_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    iri_notes_t         event;
    ngx_http_request_t *r = ctx;

    if (level >= IRI_LOG_TRACE) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0, "iri: %*s",
                       line.len, line.data);
        return;
    }

    if (ngx_http_iri_notes_wanted(r, level)) {
        ngx_memzero(&event, sizeof(iri_notes_t));
        iri_note_line(&event, level, line);
        ngx_http_iri_notes_add(r, &event);
    }
}


void
ngx_http_iri_notes_log(ngx_http_request_t *r)
{
    const iri_notes_t  *notes;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (r != r->main || ctx == NULL) {
        return;
    }

    notes = iri_request_finished(ctx->request);

    if (notes != NULL) {
        ngx_http_iri_notes_write(r, notes);
    }
}


/* ---- the file system ---------------------------------------------------- */

ngx_int_t
ngx_http_iri_open_file(ngx_http_request_t *r, ngx_open_file_cache_t *cache,
                       ngx_str_t *name, ngx_open_file_info_t *of)
{
    ngx_http_core_loc_conf_t *clcf = ngx_http_iri_core_loc_conf(r);

    of->read_ahead = clcf->read_ahead;
    of->directio = clcf->directio;
    of->valid = clcf->open_file_cache_valid;
    of->min_uses = clcf->open_file_cache_min_uses;
    of->errors = clcf->open_file_cache_errors;
    of->events = clcf->open_file_cache_events;

    if (ngx_http_set_disable_symlinks(r, clcf, name, of) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_open_cached_file(cache, name, of, r->pool) != NGX_OK) {
        return of->err == 0 ? NGX_ERROR : NGX_DECLINED;
    }

    return NGX_OK;
}


/*
 * Look up a file in open_file_cache.  No entry is added, since a client could
 * fill the cache with files to which it has no access.  NULL: there is no entry,
 * or it has expired.
 */
static const ngx_cached_open_file_t *
ngx_http_iri_cached_file(ngx_http_core_loc_conf_t *clcf, const char *path)
{
    size_t                        len = ngx_strlen(path);
    uint32_t                      hash = ngx_crc32_long((u_char *) path, len);
    ngx_int_t                     rc;
    const u_char                 *name;
    ngx_rbtree_node_t            *node, *sentinel;
    const ngx_cached_open_file_t *file;

    node = clcf->open_file_cache->rbtree.root;
    sentinel = clcf->open_file_cache->rbtree.sentinel;

    while (node != sentinel) {
        file = (ngx_cached_open_file_t *) node;
        name = file->name;
        rc = hash != node->key ? (hash < node->key ? -1 : 1)
                               : ngx_strcmp(path, name);

        if (rc == 0) {
            return file->use_event
                           || (file->event == NULL
                               && ngx_time() - file->created
                                      < clcf->open_file_cache_valid)
                       ? file
                       : NULL;
        }

        node = rc < 0 ? node->left : node->right;
    }

    return NULL;
}


/*
 * Test a name by open_file_cache, else on disk.  A directory is tested on disk,
 * since the cache lacks its device and times.
 */
static iri_status_t
ngx_http_iri_stat(void *ctx, const char *path, iri_node_t *node)
{
    ngx_http_request_t           *r = ctx;
    const ngx_cached_open_file_t *file;
    ngx_http_core_loc_conf_t     *clcf = ngx_http_iri_core_loc_conf(r);

    file = ngx_http_iri_cached_file(clcf, path);

    if (file != NULL) {
        ngx_memzero(node, sizeof(iri_node_t));

        if (file->err == NGX_ENOENT) {
            node->kind = IRI_NODE_ABSENT;
            return IRI_OK;
        }

        if (file->err == 0 && file->is_file && file->fd != NGX_INVALID_FILE) {
            node->kind = IRI_NODE_OTHER;
            return IRI_OK;
        }
    }

    return iri_dir_posix.stat(ctx, path, node);
}


/* A directory is read from disk, also in a thread, where ctx is NULL. */
static iri_status_t
ngx_http_iri_list(void *ctx, const char *path, iri_node_t *node,
                  iri_dir_each_t each, void *arg)
{
    return iri_dir_posix.list(ctx, path, node, each, arg);
}


static const iri_dir_t ngx_http_iri_cached_dir = { ngx_http_iri_stat,
                                                   ngx_http_iri_list };


/* ---- the environment ---------------------------------------------------- */

static void *
ngx_http_iri_alloc(void *ctx, size_t size)
{
    ngx_http_request_t *r = ctx;

    return ngx_palloc(r->pool, size);
}


void
ngx_http_iri_env(ngx_http_request_t *r, iri_env_t *env)
{
    ngx_http_core_loc_conf_t *clcf = ngx_http_iri_core_loc_conf(r);
    ngx_http_iri_main_conf_t *imcf;

    env->ctx = r;
    env->alloc = ngx_http_iri_alloc;
    env->log = ngx_http_iri_log;
    env->dir = clcf->open_file_cache != NULL
                       && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
                   ? &ngx_http_iri_cached_dir
                   : &iri_dir_posix;
    env->quiet = r->connection->log->log_level < NGX_LOG_INFO;
    env->trace = (r->connection->log->log_level & NGX_LOG_DEBUG_HTTP) != 0;

    imcf = ngx_http_iri_main_conf(r);
    env->fold_keys = imcf->fold_keys;
}
