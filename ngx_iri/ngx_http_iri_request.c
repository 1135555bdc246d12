/*
 * ngx_http_iri_request.c - what is kept of a request, reading its path
 *
 * Turns r->uri, which nginx has unescaped once, into the canonical path, by
 * the core's iri_read.  r->uri and what depends on it are touched
 * only where there is something new: a path that is set to itself would go
 * upstream in another spelling.  When this is to be done, and what follows
 * from it, is said in ngx_http_iri_phases.c.
 */

#include "ngx_http_iri.h"


iri_str_t
ngx_http_iri_in(ngx_str_t s)
{
    iri_str_t str;

    str.len = s.len;
    str.data = s.data;

    return str;
}


ngx_str_t
ngx_http_iri_out(iri_str_t s)
{
    ngx_str_t str;

    str.len = s.len;
    str.data = (u_char *) s.data;

    return str;
}


ngx_uint_t
ngx_http_iri_same(ngx_str_t a, ngx_str_t b)
{
    return a.len == b.len
           && (a.len == 0 || ngx_memcmp(a.data, b.data, a.len) == 0);
}


ngx_uint_t
ngx_http_iri_plain_uri(ngx_http_request_t *r)
{
    return iri_is_ascii(ngx_http_iri_in(r->uri), 0);
}


/* ---- what the core borrows ---------------------------------------------- */

static void *
ngx_http_iri_alloc(void *ctx, size_t size)
{
    ngx_http_request_t *r = ctx;

    return ngx_palloc(r->pool, size);
}


static void
ngx_http_iri_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    ngx_http_request_t *r = ctx;

    switch (level) {
    case IRI_LOG_ERROR:
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0, "iri: %*s",
                      line.len, line.data);
        break;

    case IRI_LOG_INFO:
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0, "iri: %*s",
                      line.len, line.data);
        break;

    default:
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0, "iri: %*s",
                       line.len, line.data);
    }
}


void
ngx_http_iri_env(ngx_http_request_t *r, iri_env_t *env)
{
    env->ctx = r;
    env->alloc = ngx_http_iri_alloc;
    env->log = ngx_http_iri_log;
    env->dir = &iri_dir_posix;
    env->trace = (r->connection->log->log_level & NGX_LOG_DEBUG_HTTP) != 0;
}


ngx_str_t
ngx_http_iri_printable(ngx_http_request_t *r, ngx_str_t octets)
{
    iri_env_t env;
    iri_str_t text = IRI_STR("-");

    ngx_http_iri_env(r, &env);
    (void) iri_path_to_uri(&env, ngx_http_iri_in(octets), &text);

    return ngx_http_iri_out(text);
}


/* ---- what is kept ------------------------------------------------------- */

/* Only marks its entry in the pool's list: the pool frees what it holds. */
static void
ngx_http_iri_cleanup(void *data)
{
    (void) data;
}


/*
 * nginx forgets r->ctx on internal redirects and in named locations, but not
 * the pool, which subrequests share (the way of ngx_http_realip_module).
 */
ngx_http_iri_ctx_t *
ngx_http_iri_ctx(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;
    ngx_pool_cleanup_t *cln;

    ctx = ngx_http_get_module_ctx(r, ngx_http_iri_module);

    if (ctx != NULL || (!r->internal && !r->filter_finalize)) {
        return ctx;
    }

    for (cln = r->pool->cleanup; cln; cln = cln->next) {
        if (cln->handler != ngx_http_iri_cleanup) {
            continue;
        }

        ctx = cln->data;
        if (ctx->request == r) {
            ngx_http_set_ctx(r, ctx, ngx_http_iri_module);
            return ctx;
        }
    }

    return NULL;
}


ngx_http_iri_ctx_t *
ngx_http_iri_ctx_make(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;
    ngx_pool_cleanup_t *cln;

    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL) {
        return ctx;
    }

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_iri_ctx_t));
    if (cln == NULL) {
        return NULL;
    }

    ctx = cln->data;
    ngx_memzero(ctx, sizeof(ngx_http_iri_ctx_t));
    ctx->request = r;
    cln->handler = ngx_http_iri_cleanup;

    ngx_http_set_ctx(r, ctx, ngx_http_iri_module);

    return ctx;
}


/* Whoever starts over must not find what a map made of another spelling. */
static ngx_int_t
ngx_http_iri_keep_variables(ngx_http_request_t *r, ngx_http_iri_kept_t *kept)
{
    size_t                     size;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    size = cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);

    kept->variables = ngx_palloc(r->pool, size);
    if (kept->variables == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(kept->variables, r->variables, size);

    return NGX_OK;
}


#if (NGX_PCRE)

/* $1 and its like: of the name of the server, say, in its root. */
static ngx_int_t
ngx_http_iri_keep_captures(ngx_http_request_t *r, ngx_http_iri_kept_t *kept)
{
    ngx_http_core_main_conf_t *cmcf;

    kept->captures = NULL;
    kept->ncaptures = r->ncaptures;
    kept->captures_data = r->captures_data;

    if (r->ncaptures == 0 || r->captures == NULL) {
        return NGX_OK;
    }

    /* As many as nginx makes room for: the next match will be put there. */
    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);

    kept->captures = ngx_pcalloc(r->pool, cmcf->ncaptures * sizeof(int));
    if (kept->captures == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(kept->captures, r->captures,
               ngx_min(r->ncaptures, cmcf->ncaptures) * sizeof(int));

    return NGX_OK;
}


static void
ngx_http_iri_put_back_captures(ngx_http_request_t  *r,
                               ngx_http_iri_kept_t *kept)
{
    r->ncaptures = kept->ncaptures;
    r->captures_data = kept->captures_data;

    if (kept->captures != NULL) {
        r->captures = kept->captures;
    }
}

#endif


ngx_int_t
ngx_http_iri_keep(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                  ngx_uint_t internal)
{
    ngx_http_iri_kept_t *kept = &ctx->kept;

    kept->args = r->args;
    kept->limit_rate = r->limit_rate;
    kept->limit_rate_set = r->limit_rate_set;
    kept->err_status = r->err_status;
    kept->error_page = r->error_page;
    kept->internal = internal ? 1 : 0;

#if (NGX_PCRE)
    if (ngx_http_iri_keep_captures(r, kept) != NGX_OK) {
        return NGX_ERROR;
    }
#endif

    return ngx_http_iri_keep_variables(r, kept);
}


/* "internal" as well: rewrites and named locations set it, not the client. */
void
ngx_http_iri_put_back(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    size_t                     size;
    ngx_http_iri_kept_t       *kept = &ctx->kept;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    size = cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);

    ngx_memcpy(r->variables, kept->variables, size);

#if (NGX_PCRE)
    ngx_http_iri_put_back_captures(r, kept);
#endif

    r->args = kept->args;
    r->limit_rate = kept->limit_rate;
    r->limit_rate_set = kept->limit_rate_set;
    r->err_status = kept->err_status;
    r->error_page = kept->error_page;
    r->internal = kept->internal;
}


/* ---- reading ------------------------------------------------------------ */

ngx_int_t
ngx_http_iri_set_uri(ngx_http_request_t *r, iri_str_t path)
{
    u_char *p;

    p = ngx_pnalloc(r->pool, path.len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, path.data, path.len);
    p[path.len] = '\0';

    r->uri.data = p;
    r->uri.len = path.len;

    /* Upstream must get the new path, and get it percent-encoded. */
    r->valid_unparsed_uri = 0;
    r->quoted_uri = 1;

    ngx_http_set_exten(r);

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_read(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                  iri_str_t target)
{
    iri_env_t                env;
    iri_status_t             status;
    iri_request_t            request;
    iri_reading_t            reading;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    request.path = ngx_http_iri_in(r->uri);
    request.escaped = 0;
    request.target = target;

    ngx_http_iri_env(r, &env);

    status = iri_read(&env, &iscf->reading, &request, &reading);
    if (status != IRI_OK) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "iri: the path could not be read: %s",
                      iri_status_text(status));
        return NGX_ERROR;
    }

    ctx->refused = 0;
    ctx->known = r->uri;
    ctx->answer = reading.answer;

    /* A rewritten path may still end as it came: keep how that was. */
    if (!ctx->has_reading || reading.why != IRI_WHY_CANONICAL) {
        ctx->has_reading = 1;
        ctx->reading = reading;
    }

    return NGX_OK;
}


/* This reading is how the request came. */
static void
ngx_http_iri_keep_came(ngx_http_iri_ctx_t *ctx)
{
    ctx->has_came = 1;
    ctx->came = ctx->reading;
    ctx->form = ctx->reading.form;
    ctx->charset = ctx->reading.charset;
    ctx->canonical = ngx_http_iri_out(ctx->reading.path);
}


ngx_int_t
ngx_http_iri_read_sent(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    size_t    len;
    iri_str_t target;

    target = ngx_http_iri_in(r->unparsed_uri);

    for (len = 0; len < target.len; len++) {
        if (target.data[len] == '?' || target.data[len] == '#') {
            break;
        }
    }

    target.len = len;

    if (ngx_http_iri_read(r, ctx, target) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_iri_keep_came(ctx);

    return NGX_OK;
}


/*
 * nginx has unescaped this path, but it did not come raw: what is forbidden
 * to raw characters does not concern it.
 */
ngx_int_t
ngx_http_iri_read_made(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    iri_str_t none = { 0, NULL };

    if (ngx_http_iri_read(r, ctx, none) != NGX_OK) {
        return NGX_ERROR;
    }

    if (r != r->main && !ctx->has_came) {
        ngx_http_iri_keep_came(ctx);
    }

    return NGX_OK;
}


/* One line for an answer that ends the request. */
static ngx_int_t
ngx_http_iri_refuse(ngx_http_request_t *r, const iri_reading_t *reading,
                    const char *what, ngx_str_t path)
{
    ngx_uint_t level;
    ngx_str_t  text;

    level = reading->why == IRI_WHY_LIMIT ? NGX_LOG_ERR : NGX_LOG_INFO;
    text = ngx_http_iri_printable(r, path);

    ngx_log_error(level, r->connection->log, 0, "iri: %s \"%V\" refused: %s",
                  what, &text, iri_why_text(reading->why));

    return reading->status;
}


ngx_int_t
ngx_http_iri_act(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    iri_reading_t *reading = &ctx->reading;

    switch (ctx->answer) {
    case IRI_REFUSE:
        ctx->refused = 1;
        return ngx_http_iri_refuse(r, reading, "path", r->uri);

    case IRI_SERVE:
        if (ngx_http_iri_set_uri(r, reading->path) != NGX_OK) {
            return NGX_ERROR;
        }

        ctx->known = r->uri;
        return NGX_OK;

    default:
        if (reading->raw) {
            r->valid_unparsed_uri = 0;
            r->quoted_uri = 1;
        }

        return NGX_DECLINED;
    }
}


/* ---- the Destination header (RFC 4918, 10.3) ---------------------------- */

#if (NGX_HTTP_DAV)

/*
 * Where the path is in "/path" or "scheme://host/path": as in
 * ngx_http_dav_module, which unescapes it itself, and to which "#" is a
 * character like others.
 */
static iri_str_t
ngx_http_iri_destination_path(ngx_str_t value)
{
    u_char   *p, *last, *end;
    iri_str_t path = { 0, NULL };

    p = value.data;
    end = value.data + value.len;

    if (value.len != 0 && *p != '/') {
        p = ngx_strlcasestrn(p, end, (u_char *) "://", sizeof("://") - 2);
        p = p != NULL ? ngx_strlchr(p + sizeof("://") - 1, end, '/') : NULL;
    }

    if (p == NULL || p == end) {
        return path;
    }

    last = ngx_strlchr(p, end, '?');

    path.data = p;
    path.len = (last != NULL ? last : end) - p;

    return path;
}


/* Put uri in the place of path, which is a part of the header's value. */
static ngx_int_t
ngx_http_iri_destination_set(ngx_http_request_t *r, ngx_str_t *value,
                             iri_str_t path, iri_str_t uri)
{
    size_t  before, after;
    u_char *data, *p;

    before = path.data - value->data;
    after = value->len - before - path.len;

    data = ngx_pnalloc(r->pool, before + uri.len + after + 1);
    if (data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(data, value->data, before);
    p = ngx_cpymem(p, uri.data, uri.len);
    p = ngx_cpymem(p, path.data + path.len, after);
    *p = '\0';

    value->data = data;
    value->len = p - data;

    return NGX_OK;
}


/* What is read of it: NGX_DECLINED if nginx is to refuse it. */
static ngx_int_t
ngx_http_iri_destination_read(ngx_http_request_t *r, iri_str_t path,
                              iri_reading_t *reading)
{
    iri_env_t                env;
    iri_status_t             status;
    iri_request_t            request;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    request.path = path;
    request.target = path;
    request.escaped = 1;

    ngx_http_iri_env(r, &env);
    status = iri_read(&env, &iscf->reading, &request, reading);

    if (status == IRI_BAD_ESCAPE) {
        return NGX_DECLINED;
    }

    return status == IRI_OK ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_http_iri_destination(ngx_http_request_t *r)
{
    ngx_int_t           rc;
    ngx_str_t          *value;
    iri_str_t           path;
    iri_reading_t       reading;
    ngx_http_iri_ctx_t *ctx;

    if (r->headers_in.destination == NULL) {
        return NGX_DECLINED;
    }

    value = &r->headers_in.destination->value;
    path = ngx_http_iri_destination_path(*value);

    if (iri_is_ascii(path, 1)) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_destination_read(r, path, &reading);
    if (rc != NGX_OK) {
        return rc;
    }

    if (reading.answer == IRI_REFUSE) {
        return ngx_http_iri_refuse(r, &reading, "Destination",
                                   ngx_http_iri_out(reading.octets));
    }

    ctx = ngx_http_iri_ctx_make(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    ctx->destination = reading;
    ctx->has_destination = 1;

    return reading.answer == IRI_SERVE
               ? ngx_http_iri_destination_set(r, value, path, reading.uri)
               : NGX_DECLINED;
}


/*
 * alias stands for so many octets, whichever they are: so nginx has it, and
 * so it stays for ASCII, where each octet is a character.
 */
static ngx_uint_t
ngx_http_iri_destination_fits(ngx_http_request_t *r, ngx_str_t path,
                              size_t alias)
{
    if (path.len < alias) {
        return 0;
    }

    return iri_is_ascii(ngx_http_iri_in(path), 0) || r->uri.len < alias
           || ngx_memcmp(path.data, r->uri.data, alias) == 0;
}


/*
 * What has another canonical path cannot be written as it is, and writing to
 * the other would surprise: it may be what is copied.
 */
static ngx_uint_t
ngx_http_iri_destination_moved(ngx_http_request_t *r, ngx_str_t path)
{
    ngx_http_iri_found_t *found;

    if (iri_is_ascii(ngx_http_iri_in(path), 0)) {
        return 0;
    }

    found = ngx_http_iri_find_uri(r, path);

    return found != NULL && found->found.answer == IRI_MOVED;
}


static ngx_int_t
ngx_http_iri_destination_status(ngx_http_request_t *r, ngx_str_t path,
                                size_t alias)
{
    if (!ngx_http_iri_destination_fits(r, path, alias)) {
        return NGX_HTTP_BAD_REQUEST;
    }

    return ngx_http_iri_destination_moved(r, path) ? NGX_HTTP_CONFLICT
                                                   : NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_destination_check(ngx_http_request_t *r, size_t alias)
{
    ngx_int_t  rc;
    ngx_str_t  path, args, *value;
    ngx_uint_t flags = 0;

    if (r->headers_in.destination == NULL) {
        return NGX_DECLINED;
    }

    value = &r->headers_in.destination->value;
    path = ngx_http_iri_out(ngx_http_iri_destination_path(*value));
    ngx_str_null(&args);

    if (ngx_http_parse_unsafe_uri(r, &path, &args, &flags) != NGX_OK) {
        return NGX_DECLINED; /* nginx refuses it */
    }

    rc = ngx_http_iri_destination_status(r, path, alias);

    if (rc != NGX_DECLINED) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      rc == NGX_HTTP_CONFLICT
                          ? "iri: \"Destination\" \"%V\" is another name of "
                            "what is there"
                          : "client sent invalid \"Destination\" header: "
                            "\"%V\"",
                      value);
    }

    return rc;
}

#else

ngx_int_t
ngx_http_iri_destination(ngx_http_request_t *r)
{
    (void) r;

    return NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_destination_check(ngx_http_request_t *r, size_t alias)
{
    (void) r;
    (void) alias;

    return NGX_DECLINED;
}

#endif
