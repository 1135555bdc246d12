/*
 * ngx_http_iri_env.c - the environment of the core: memory, log, file system
 *
 * iri_env_t has the functions with which the core allocates memory, logs, and
 * tests names in the file system.
 *
 * The core collects notes on a request and its subrequests, and decides which
 * of them are logged (iri_request_log).  They are written as one line in the
 * LOG phase.
 */

#include "ngx_http_iri.h"


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
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

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
    ngx_http_core_loc_conf_t     *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
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
