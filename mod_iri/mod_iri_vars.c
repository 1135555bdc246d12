/*
 * mod_iri_vars.c - IRI_PATH and its kin
 *
 * As environment variables they are for logs, conditions of RewriteRule,
 * CGI and headers.  A request whose path is plain ASCII gets them only where
 * a handler was chosen for it (CGI, a proxied application), for making them
 * costs more than all else that such a request pays.  As %{IRI_PATH} in
 * expressions they are made when asked for, of any request.
 */

#include "mod_iri.h"

#include <ap_expr.h>

typedef enum {
    MOD_IRI_HOST,
    MOD_IRI_HOST_ASCII,
    MOD_IRI_IRI,
    MOD_IRI_PATH,
    MOD_IRI_URI,
    MOD_IRI_FORM,
    MOD_IRI_CHARSET,
    MOD_IRI_MATCH,
    MOD_IRI_FILENAME,
    MOD_IRI_PATH_INFO,
    MOD_IRI_VARS
} mod_iri_var_t;

/* In the order of the enum. */
static const char *const mod_iri_var_names[MOD_IRI_VARS] = {
    "IRI_HOST", "IRI_HOST_ASCII", "IRI",       "IRI_PATH",     "IRI_URI",
    "IRI_FORM", "IRI_CHARSET",    "IRI_MATCH", "IRI_FILENAME", "IRI_PATH_INFO"
};

/* ---- values ------------------------------------------------------------- */

static const char *
mod_iri_var_path(const request_rec *r, const mod_iri_request_t *ctx)
{
    return ctx && ctx->path ? ctx->path : r->uri;
}

static const char *
mod_iri_var_uri(request_rec *r, const mod_iri_request_t *ctx)
{
    iri_env_apr_t env;
    iri_str_t     uri;

    if (ctx && ctx->uri) {
        return ctx->uri;
    }
    mod_iri_env(&env, r);
    if (iri_path_to_uri(&env.env, mod_iri_str(mod_iri_var_path(r, ctx)), &uri)
        != IRI_OK)
    {
        return NULL;
    }
    return mod_iri_dup(r->pool, uri);
}

/*
 * The host of the request, or the ServerName where UseCanonicalName says so:
 * SERVE with both forms; REFUSE if what came is no host name.
 */
static iri_status_t
mod_iri_read_host(request_rec *r, iri_host_t *host)
{
    iri_env_apr_t env;

    mod_iri_env(&env, r);
    return iri_host_forms(&env.env, &mod_iri_server(r->server)->host,
                          mod_iri_str(ap_get_server_name_for_url(r)), host);
}

static const char *
mod_iri_var_host(request_rec *r, int is_ascii)
{
    iri_host_t host;

    if (mod_iri_read_host(r, &host) != IRI_OK || host.answer == IRI_REFUSE) {
        return NULL;
    }
    return mod_iri_dup(r->pool, is_ascii ? host.ascii : host.unicode);
}

/* The whole IRI: host and path in Unicode. */
static const char *
mod_iri_var_iri(request_rec *r, const mod_iri_request_t *ctx)
{
    iri_env_apr_t env;
    iri_host_t    host;
    iri_str_t     path;
    const char   *text;

    mod_iri_env(&env, r);
    if (iri_path_to_iri(&env.env, mod_iri_str(mod_iri_var_path(r, ctx)),
                        &path)
            != IRI_OK
        || mod_iri_read_host(r, &host) != IRI_OK || host.answer == IRI_REFUSE)
    {
        return NULL;
    }
    text = ap_construct_url(r->pool, mod_iri_dup(r->pool, path), r);
    if (host.unicode.len > 0) {
        /* behind "http://" and the name as the server has it */
        text += strlen(ap_http_scheme(r)) + strlen("://")
                + strlen(ap_get_server_name_for_url(r));
        text = apr_pstrcat(r->pool, ap_http_scheme(r), "://",
                           mod_iri_dup(r->pool, host.unicode), text, NULL);
    }
    return r->args ? apr_pstrcat(r->pool, text, "?", r->args, NULL) : text;
}

/* filename: up to the deepest entry; path_info: what is behind. */
static const char *
mod_iri_var_file(request_rec *r, const mod_iri_request_t *ctx, int path_info)
{
    iri_env_apr_t env;
    iri_str_t     filename, rest;

    if (r->finfo.filetype == APR_NOFILE && ctx && ctx->has_found) {
        mod_iri_env(&env, r);
        if (iri_found_split(&env.env, &ctx->search, &ctx->found, &filename,
                            &rest)
            == IRI_OK)
        {
            return mod_iri_dup(r->pool, path_info ? rest : filename);
        }
    }
    return path_info ? r->path_info : r->filename;
}

/* What was forgiven; the greater of both where the request started over. */
static const char *
mod_iri_var_match(const request_rec *r, const mod_iri_request_t *ctx)
{
    iri_match_t match = ctx && ctx->has_found ? ctx->found.match
                                              : IRI_MATCH_NONE;
    const char *plain;

    if (ctx == NULL) {
        plain = apr_table_get(r->subprocess_env,
                              mod_iri_var_names[MOD_IRI_MATCH]);
        return plain ? plain : iri_match_text(match);
    }
    if (match != IRI_MATCH_NONE && ctx->moved_by > match) {
        match = ctx->moved_by;
    }
    return iri_match_text(match);
}

/* NULL: there is none (yet). */
static const char *
mod_iri_var(request_rec *r, const mod_iri_request_t *ctx, mod_iri_var_t var)
{
    switch (var) {
    case MOD_IRI_HOST:
        return mod_iri_var_host(r, 0);
    case MOD_IRI_HOST_ASCII:
        return mod_iri_var_host(r, 1);
    case MOD_IRI_IRI:
        return mod_iri_var_iri(r, ctx);
    case MOD_IRI_PATH:
        return mod_iri_var_path(r, ctx);
    case MOD_IRI_URI:
        return mod_iri_var_uri(r, ctx);
    case MOD_IRI_FORM:
        return iri_form_text(ctx && ctx->has_reading ? ctx->form
                                                     : IRI_FORM_ASCII);
    case MOD_IRI_CHARSET:
        return ctx && ctx->charset && *ctx->charset ? ctx->charset : NULL;
    case MOD_IRI_MATCH:
        return mod_iri_var_match(r, ctx);
    case MOD_IRI_FILENAME:
        return mod_iri_var_file(r, ctx, 0);
    case MOD_IRI_PATH_INFO:
        return mod_iri_var_file(r, ctx, 1);
    default:
        return NULL;
    }
}

/* ---- environment -------------------------------------------------------- */

static void
mod_iri_set(request_rec *r, const mod_iri_request_t *ctx, mod_iri_var_t from,
            mod_iri_var_t to)
{
    mod_iri_var_t var;

    for (var = from; var <= to; var++) {
        const char *value = mod_iri_var(r, ctx, var);

        if (value != NULL && *value != '\0') {
            apr_table_setn(r->subprocess_env, mod_iri_var_names[var], value);
        } else {
            apr_table_unset(r->subprocess_env, mod_iri_var_names[var]);
        }
    }
}

/*
 * As soon as the path is read.  How the client wrote it is said once: a
 * subrequest in canonical form keeps the form of its main request.
 * ctx NULL: a plain path below a main request that was not.
 */
void
mod_iri_vars_reading(request_rec *r, const mod_iri_request_t *ctx)
{
    mod_iri_set(r, ctx, MOD_IRI_HOST, MOD_IRI_URI);
    if (r->main == NULL || (ctx && ctx->reading.answer != IRI_PASS)
        || apr_table_get(r->subprocess_env, mod_iri_var_names[MOD_IRI_FORM])
               == NULL)
    {
        mod_iri_set(r, ctx, MOD_IRI_FORM, MOD_IRI_CHARSET);
    }
}

/* When it is found. */
void
mod_iri_vars_match(request_rec *r, const mod_iri_request_t *ctx)
{
    mod_iri_set(r, ctx, MOD_IRI_MATCH, MOD_IRI_MATCH);
}

/*
 * The same of a plain path that was looked for, and was there as it is.  The
 * index of a directory keeps what had to be forgiven to find that.
 */
void
mod_iri_vars_exact(request_rec *r)
{
    const char *name = mod_iri_var_names[MOD_IRI_MATCH];

    if (r->main == NULL || apr_table_get(r->subprocess_env, name) == NULL) {
        apr_table_setn(r->subprocess_env, name,
                       iri_match_text(IRI_MATCH_EXACT));
    }
}

/* When it is known what will be opened.  All of them of a plain path. */
void
mod_iri_vars_last(request_rec *r, const mod_iri_request_t *ctx)
{
    mod_iri_set(r, ctx,
                ctx && !ctx->plain ? MOD_IRI_FILENAME : MOD_IRI_HOST,
                MOD_IRI_PATH_INFO);
}

/* ---- expressions -------------------------------------------------------- */

static const char *
mod_iri_expr_var(ap_expr_eval_ctx_t *eval, const void *data)
{
    const char *const *name = data;
    const char        *value;

    if (eval->r == NULL
        || mod_iri_server(eval->r->server)->engine != IRI_ENGINE_ON)
    {
        return "";
    }
    value = mod_iri_var(eval->r, mod_iri_request(eval->r),
                        (mod_iri_var_t) (name - mod_iri_var_names));
    return value ? value : "";
}

int
mod_iri_expr_lookup(ap_expr_lookup_parms *parms)
{
    int i;

    if (parms->type != AP_EXPR_FUNC_VAR) {
        return DECLINED;
    }
    for (i = 0; i < MOD_IRI_VARS; i++) {
        if (ap_cstr_casecmp(parms->name, mod_iri_var_names[i]) == 0) {
            *parms->func = mod_iri_expr_var;
            *parms->data = &mod_iri_var_names[i];
            return OK;
        }
    }
    return DECLINED;
}
