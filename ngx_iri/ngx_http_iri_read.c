/*
 * ngx_http_iri_read.c - reading r->uri; the requested path; hiding found names
 *
 * Turns r->uri, which nginx has percent-decoded once, into the canonical path
 * (design 4).  r->uri is set only if it changes: an upstream then gets r->uri,
 * percent-encoded, instead of the path as sent.  The path of the client is read
 * in POST_READ, before any rule runs, and after the handlers for the host,
 * which selects the server, for the query and for the Destination.
 * ngx_http_iri_phases.c calls the same function for paths that internal
 * redirects, subrequests and rewrites set.
 *
 * The requested path and query are those before any rule: of the client, or of
 * the code that has created a subrequest.  After a restart, the requested path
 * has the names that were found.  Until access to these is granted, an error
 * and its error page must not reveal them (design 5.7).
 */

#include "ngx_http_iri.h"


/* iri_charset $variable: the value of the variable for a request */
struct ngx_http_iri_client_s {
    iri_reading_conf_t reading;
    ngx_str_t vary; /* value of Vary; empty: the variable depends on no
                                field */
};


/* ---- the directive ------------------------------------------------------ */

char *
ngx_http_iri_client_set(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf)
{
    ngx_str_t      *value = cf->args->elts, name;
    ngx_int_t       index;
    const char     *error;
    iri_registry_t *registry = ngx_http_iri_registry(cf);

    if (cf->args->nelts != 2) {
        return "takes either one variable, or charsets";
    }

    if (registry == NULL) {
        return "needs the data of ICU, which cannot be loaded";
    }

    error = iri_registry_open_all(registry);
    if (error != NULL) {
        return (char *) error;
    }

    name.data = value[1].data + 1;
    name.len = value[1].len - 1;
    index = ngx_http_get_variable_index(cf, &name);

    iscf->charset_variable.name = value[1];
    iscf->charset_variable.index = index;

    return index != NGX_ERROR ? NGX_CONF_OK : NGX_CONF_ERROR;
}


/* ---- header fields that the variable depends on ------------------------- */

/*
 * Returns: 1 for $http_... and $cookie_...; 0 for $http_host, since the host is
 * part of every cache key.
 */
static ngx_uint_t
ngx_http_iri_is_field_variable(const ngx_str_t *name)
{
    static const ngx_str_t host = ngx_string("http_host");

    return (name->len > 5 && ngx_strncmp(name->data, "http_", 5) == 0
            && !ngx_http_iri_str_equal(*name, host))
           || (name->len > 7 && ngx_strncmp(name->data, "cookie_", 7) == 0);
}


/*
 * Invalidate the variable of iri_charset, and those of header fields.  If one
 * of the latter is valid after the evaluation, the value depends on it.
 */
static void
ngx_http_iri_invalidate_fields(ngx_http_request_t *r, ngx_int_t index)
{
    ngx_uint_t                 i;
    ngx_http_variable_t       *v;
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_core_main_conf(r);

    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {
        if ((ngx_int_t) i == index
            || ngx_http_iri_is_field_variable(&v[i].name)) {
            r->variables[i].valid = 0;
            r->variables[i].not_found = 0;
        }
    }
}


/* "http_accept_language" → ", Accept-Language" */
static u_char *
ngx_http_iri_append_field_name(u_char *p, const ngx_str_t *name)
{
    size_t     i;
    u_char     c;
    ngx_uint_t begins = 1;

    *p++ = ',';
    *p++ = ' ';

    if (name->data[0] == 'c') {
        return ngx_cpymem(p, "Cookie", 6);
    }

    for (i = 5; i < name->len; i++) {
        c = name->data[i];
        *p++ = c == '_' ? '-' : begins ? ngx_toupper(c) : c;
        begins = c == '_';
    }

    return p;
}


/* Set *vary to the names of the fields whose variables were evaluated. */
static ngx_int_t
ngx_http_iri_client_vary(ngx_http_request_t *r, ngx_str_t *vary)
{
    size_t                     len = 0;
    u_char                    *p;
    ngx_uint_t                 i, cookies = 0;
    ngx_http_variable_t       *v;
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_core_main_conf(r);

    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {
        len += v[i].name.len + 2;
    }

    p = ngx_pnalloc(r->pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    vary->data = p + 2;

    for (i = 0; i < cmcf->variables.nelts; i++) {
        if ((!r->variables[i].valid && !r->variables[i].not_found)
            || !ngx_http_iri_is_field_variable(&v[i].name)
            || (v[i].name.data[0] == 'c' && cookies++ != 0))
        {
            continue;
        }

        p = ngx_http_iri_append_field_name(p, &v[i].name);
    }

    vary->len = p > vary->data ? p - vary->data : 0;

    return NGX_OK;
}


/* ---- the charsets of a request ------------------------------------------ */

/* If the value of the variable is invalid, log it and set an empty list. */
static void
ngx_http_iri_client_parse(ngx_http_request_t            *r,
                          const ngx_http_iri_srv_conf_t *iscf,
                          iri_charsets_t                *list)
{
    iri_str_t                  value, wrong;
    const char                *why;
    const ngx_str_t           *name = &iscf->charset_variable.name;
    iri_shown_t                shown;
    ngx_http_iri_main_conf_t  *imcf = ngx_http_iri_main_conf(r);
    ngx_http_variable_value_t *vv;

    vv = ngx_http_get_indexed_variable(r, iscf->charset_variable.index);
    list->count = 0;

    if (vv == NULL || vv->not_found) {
        return;
    }

    value.data = vv->data;
    value.len = vv->len;

    why = iri_charsets_parse(imcf->registry, value, list, &wrong);
    if (why == NULL) {
        return;
    }

    list->count = 0;
    ngx_http_iri_note(
        r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_CHARSETS),
        "\"%s\" in %.*s %s: the request is read without charsets",
        iri_show(&shown, wrong), (int) name->len, (char *) name->data, why);
}


static ngx_http_iri_client_t *
ngx_http_iri_client_evaluate(ngx_http_request_t            *r,
                             const ngx_http_iri_srv_conf_t *iscf)
{
    ngx_int_t                rc;
    ngx_http_iri_client_t   *client;
    ngx_http_iri_snapshot_t *snapshot = ngx_http_iri_snapshot(r);

    client = ngx_pcalloc(r->pool, sizeof(ngx_http_iri_client_t));
    if (client == NULL || snapshot == NULL) {
        return NULL;
    }

    client->reading = iscf->reading;

    ngx_http_iri_invalidate_fields(r, iscf->charset_variable.index);
    ngx_http_iri_client_parse(r, iscf, &client->reading.charsets);
    rc = ngx_http_iri_client_vary(r, &client->vary);

    return ngx_http_iri_variables_restore(r, snapshot) == NGX_OK
                   && rc == NGX_OK
               ? client
               : NULL;
}


const iri_reading_conf_t *
ngx_http_iri_reading_conf(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    if (iscf->charset_variable.name.len == 0) {
        return &iscf->reading;
    }

    /* Subrequests use the value of the main request, if this has a context. */
    if (ngx_http_iri_ctx(r->main) != NULL) {
        r = r->main;
    }

    ctx = ngx_http_iri_ctx_get_or_create(r);
    if (ctx == NULL) {
        return NULL;
    }

    if (ctx->client == NULL) {
        ctx->client = ngx_http_iri_client_evaluate(r, iscf);
    }

    return ctx->client != NULL ? &ctx->client->reading : NULL;
}


/* ---- Vary --------------------------------------------------------------- */

ngx_int_t
ngx_http_iri_write_vary(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx == NULL || ctx->client == NULL || ctx->client->vary.len == 0
        || !iri_request_varies(ctx->request))
    {
        return NGX_OK;
    }

    return ngx_http_iri_header_add(r, "Vary", ctx->client->vary) != NULL
               ? NGX_OK
               : NGX_ERROR;
}


/* ---- the request-target ------------------------------------------------- */

iri_str_t
ngx_http_iri_sent_path(ngx_http_request_t *r)
{
    return iri_before_query(ngx_http_iri_str(r->unparsed_uri));
}


ngx_uint_t
ngx_http_iri_sent_query(ngx_http_request_t *r, iri_str_t *query)
{
    u_char *p = r->unparsed_uri.data + ngx_http_iri_sent_path(r).len;
    u_char *last = r->unparsed_uri.data + r->unparsed_uri.len, *hash;

    query->data = NULL;
    query->len = 0;

    if (p == last || *p != '?') {
        return 0;
    }

    hash = ngx_strlchr(++p, last, '#');
    query->data = p;
    query->len = (hash != NULL ? hash : last) - p;

    return 1;
}


/* ---- reading ------------------------------------------------------------ */

/*
 * path.target stays empty for a path that the client has not sent: the rules
 * for raw characters (draft 4.1) do not apply to it.
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
        ngx_http_iri_set_uri(r, reading->path);
        return NGX_OK;

    default:
        if (reading->raw && ngx_http_iri_engine_of(r) == IRI_ENGINE_ON) {
            r->valid_unparsed_uri = 0;
            r->quoted_uri = 1;
        }

        return NGX_DECLINED;
    }
}


/* ---- the POST_READ phase ------------------------------------------------ */

/*
 * An ASCII path has one reading.  It is only saved, if the entry may have
 * another name or a listing needs the snapshot.
 */
ngx_int_t
ngx_http_iri_post_read_handler(ngx_http_request_t *r)
{
    ngx_int_t                rc;
    ngx_uint_t               ascii = ngx_http_iri_uri_is_ascii(r);
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    if (iscf->engine == IRI_ENGINE_OFF
        || (ascii && !ngx_http_iri_may_fold_ascii(iscf, r->uri)
            && !(iscf->engine == IRI_ENGINE_ON && iscf->needs_snapshot)))
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

    /* nginx selects the location by the new r->uri later. */
    return rc == NGX_OK || iscf->engine == IRI_ENGINE_REPORT
               ? NGX_DECLINED
               : ngx_http_iri_http_status(rc);
}


/* ---- the requested path and query --------------------------------------- */

/*
 * Set *path to the path of a request-target in ASCII.  To save memory, the path
 * is not saved: if r->uri has changed, the request-target is parsed again.
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

    /* A malformed request line has no request-target. */
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

    /* nginx has parsed the request-target before the host selected a server. */
    cscf = ngx_http_iri_core_srv_conf(r->http_connection->conf_ctx);

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
        return ngx_http_iri_sent_query(r, query);
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


/* ---- hiding found names ------------------------------------------------- */

ngx_uint_t
ngx_http_iri_hides_found_name(ngx_http_request_t       *r,
                              const ngx_http_iri_ctx_t *ctx)
{
    return r == r->main
           && iri_request_hides_found(ctx->request,
                                      r->err_status != 0 || r->error_page);
}


/* Returns: r->uri, also if a rule has set it, with the names as sent. */
static ngx_str_t
ngx_http_iri_uri_as_sent(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx)
{
    iri_env_t env;

    ngx_http_iri_env(r, &env);

    return ngx_http_iri_ngx_str(iri_request_path_as_sent(
        ctx->request, &env, ngx_http_iri_str(r->uri)));
}


/*
 * After iri_request_denied() r->uri is the path of the error page, and does not
 * change, since the rules for that page need it.
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
            ngx_http_iri_set_uri(r, ngx_http_iri_str(uri));
            iri_request_set_read(ctx->request, ngx_http_iri_str(uri));
        }
    }
}
