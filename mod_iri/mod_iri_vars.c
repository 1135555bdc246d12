/*
 * mod_iri_vars.c - the variables IRI_...
 *
 * As environment variables they serve logs, conditions of RewriteRule, CGI
 * and headers.  Computing them costs more than the rest of this module does
 * per request.  So they are set late unless an unknown consumer may read them
 * (mod_iri_uses.c), and for a plain ASCII path in any case: in fixups if a
 * handler was chosen (CGI, a proxied application); after the directory walk
 * if a .htaccess file was found; before logging, those that a log format
 * names.  As %{IRI_PATH} in expressions they are computed on use, for any
 * request.
 */

#include "mod_iri.h"

#include <ap_expr.h>

/*
 * The variables.  Those up to MOD_IRI_CHARSET, except MOD_IRI_PATH, describe
 * the request that the client sent.
 */
typedef enum {
    MOD_IRI_HOST,
    MOD_IRI_HOST_ASCII,
    MOD_IRI_IRI,
    MOD_IRI_PATH,
    MOD_IRI_URI,
    MOD_IRI_QUERY,
    MOD_IRI_FORM,
    MOD_IRI_CHARSET,
    MOD_IRI_MATCH,
    MOD_IRI_FILENAME,
    MOD_IRI_PATH_INFO,
    MOD_IRI_VARS /* number of variables */
} mod_iri_var_t;

/* in the order of the enum */
static const char *const mod_iri_var_names[MOD_IRI_VARS] = {
    "IRI_HOST",  "IRI_HOST_ASCII", "IRI",          "IRI_PATH",
    "IRI_URI",   "IRI_QUERY",      "IRI_FORM",     "IRI_CHARSET",
    "IRI_MATCH", "IRI_FILENAME",   "IRI_PATH_INFO"
};

/* ---- values ------------------------------------------------------------- */

/*
 * Returns: the request that the client sent, if a rule has redirected it
 * internally to r.
 *
 * IRI, IRI_URI, IRI_QUERY, IRI_FORM and IRI_CHARSET describe that request.
 * IRI_PATH is the path that rules judge, like REQUEST_URI: a RewriteCond in a
 * .htaccess must see that its rule was applied.  An error page has its own
 * variables.
 */
static request_rec *
mod_iri_client_request(request_rec *r)
{
    const mod_iri_request_t *ctx;

    while (r->prev != NULL && !mod_iri_is_error_page(r)) {
        ctx = mod_iri_request(r);
        if (ctx != NULL && ctx->restarted) {
            break; /* a restarted request has the URL of the client */
        }
        r = r->prev;
    }
    return r;
}

/* r->uri may have been set by a rule. */
static const char *
mod_iri_var_path(const request_rec *r, const mod_iri_request_t *ctx)
{
    return ctx && ctx->path     ? ctx->path
           : r->parsed_uri.path ? r->parsed_uri.path
                                : r->uri;
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

/* The host of a request, mapped once for all variables. */
typedef struct {
    int        is_read;
    int        is_name; /* 1: host is valid */
    iri_host_t host;
} mod_iri_host_forms_t;

/*
 * Returns: the host of the request, or the ServerName with UseCanonicalName,
 * in both forms; NULL: it is not a host name.
 */
static const iri_host_t *
mod_iri_read_host(request_rec *r, mod_iri_host_forms_t *forms)
{
    iri_env_apr_t env;

    if (!forms->is_read) {
        mod_iri_env(&env, r);
        forms->is_read = 1;
        forms->is_name = iri_host_forms(
                             &env.env, &mod_iri_server(r->server)->host,
                             mod_iri_str(ap_get_server_name_for_url(r)),
                             &forms->host)
                             == IRI_OK
                         && forms->host.verdict != IRI_REFUSE;
    }
    return forms->is_name ? &forms->host : NULL;
}

static const char *
mod_iri_var_host(request_rec *r, mod_iri_host_forms_t *forms, int is_ascii)
{
    const iri_host_t *host = mod_iri_read_host(r, forms);

    return host ? mod_iri_dup(r->pool, is_ascii ? host->ascii : host->unicode)
                : NULL;
}

/* Returns: the whole IRI, with host and path in Unicode. */
static const char *
mod_iri_var_iri(request_rec *r, const mod_iri_request_t *ctx,
                mod_iri_host_forms_t *forms)
{
    const iri_host_t *host = mod_iri_read_host(r, forms);
    iri_env_apr_t     env;
    iri_str_t         path;
    const char       *text, *sent;

    mod_iri_env(&env, r);
    if (host == NULL
        || iri_path_to_iri(&env.env, mod_iri_str(mod_iri_var_path(r, ctx)),
                           &path)
               != IRI_OK)
    {
        return NULL;
    }
    text = ap_construct_url(r->pool, mod_iri_dup(r->pool, path), r);
    if (host->unicode.len > 0) {
        /* skip "http://" and the server name */
        text += strlen(ap_http_scheme(r)) + strlen("://")
                + strlen(ap_get_server_name_for_url(r));
        text = apr_pstrcat(r->pool, ap_http_scheme(r), "://",
                           mod_iri_dup(r->pool, host->unicode), text, NULL);
    }
    /* r->args may come from a RewriteRule */
    sent = r->parsed_uri.query;
    return sent ? apr_pstrcat(r->pool, text, "?", sent, NULL) : text;
}

/* Returns: the path up to the deepest entry, or (path_info) the rest. */
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

/*
 * Returns: 1 if httpd has found the file of an ASCII path, for which no
 * lookup was made.  After an error nothing is revealed.
 */
static int
mod_iri_is_found_by_httpd(const request_rec *r)
{
    return !r->proxyreq && !ap_is_HTTP_ERROR(r->status)
           && r->finfo.filetype != APR_NOFILE && r->filename != NULL
           && iri_str_is_ascii(mod_iri_str(r->filename));
}

/*
 * Returns: the match; after a restart the greater of both.
 */
static const char *
mod_iri_var_match(const request_rec *r, const mod_iri_request_t *ctx)
{
    iri_match_t match = IRI_MATCH_NONE;
    const char *plain = ctx == NULL
                            ? apr_table_get(r->subprocess_env,
                                            mod_iri_var_names[MOD_IRI_MATCH])
                            : NULL;

    if (plain != NULL) {
        return plain;
    }
    if (ctx != NULL && ctx->has_found) {
        match = ctx->found.match;
    } else if (mod_iri_is_marked(r, MOD_IRI_PLAIN_EXACT)
               || mod_iri_is_found_by_httpd(r))
    {
        match = IRI_MATCH_EXACT;
    }
    if (ctx != NULL && match != IRI_MATCH_NONE && ctx->restart_match > match)
    {
        match = ctx->restart_match;
    }
    return iri_match_text(match);
}

/* Returns: the value of a variable; NULL: it has none, or not yet. */
static const char *
mod_iri_var_value(request_rec *r, const mod_iri_request_t *ctx,
                  mod_iri_var_t var, mod_iri_host_forms_t *forms)
{
    request_rec *client = var <= MOD_IRI_CHARSET && var != MOD_IRI_PATH
                              ? mod_iri_client_request(r)
                              : r;

    if (client != r) {
        r = client;
        ctx = mod_iri_request(r);
    }
    switch (var) {
    case MOD_IRI_HOST:
        return mod_iri_var_host(r, forms, 0);
    case MOD_IRI_HOST_ASCII:
        return mod_iri_var_host(r, forms, 1);
    case MOD_IRI_IRI:
        return mod_iri_var_iri(r, ctx, forms);
    case MOD_IRI_PATH:
        return mod_iri_var_path(r, ctx);
    case MOD_IRI_URI:
        return mod_iri_var_uri(r, ctx);
    case MOD_IRI_QUERY:
        return r->next == NULL ? mod_iri_query(r) : r->parsed_uri.query;
    case MOD_IRI_FORM:
        return iri_form_text(ctx && ctx->has_reading ? ctx->form
                                                     : IRI_FORM_ASCII);
    case MOD_IRI_CHARSET:
        return ctx && ctx->charset.len > 0
                   ? mod_iri_dup(r->pool, ctx->charset)
                   : NULL;
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

/* is_new: none of the variables is set, so none has to be replaced. */
static void
mod_iri_vars_put(request_rec *r, const mod_iri_request_t *ctx,
                 mod_iri_var_t from, mod_iri_var_t to, int is_new)
{
    mod_iri_host_forms_t forms;
    mod_iri_var_t        var;

    forms.is_read = 0;
    for (var = from; var <= to; var++) {
        const char *value = mod_iri_var_value(r, ctx, var, &forms);
        int         is_there = value != NULL && *value != '\0';

        if (is_new) {
            if (is_there) {
                apr_table_addn(r->subprocess_env, mod_iri_var_names[var],
                               value);
            }
        } else if (is_there) {
            apr_table_setn(r->subprocess_env, mod_iri_var_names[var], value);
        } else {
            apr_table_unset(r->subprocess_env, mod_iri_var_names[var]);
        }
    }
}

static void
mod_iri_vars_set(request_rec *r, const mod_iri_request_t *ctx,
                 mod_iri_var_t from, mod_iri_var_t to)
{
    mod_iri_vars_put(r, ctx, from, to, 0);
}

/* Returns: 1 if none of the variables is set. */
static int
mod_iri_has_no_vars(const request_rec *r)
{
    const apr_array_header_t *array = apr_table_elts(r->subprocess_env);
    const apr_table_entry_t  *entry = (apr_table_entry_t *) array->elts;
    int                       i;

    for (i = 0; i < array->nelts; i++) {
        if ((entry[i].key[0] | 0x20) == 'i') {
            return 0;
        }
    }
    return 1;
}

/*
 * Set the variables of the reading.  A subrequest in canonical form keeps the
 * form and charset of its main request. ctx NULL: a plain path; the main
 * request has another one.
 */
static void
mod_iri_set_reading(request_rec *r, const mod_iri_request_t *ctx)
{
    if (mod_iri_has_no_vars(r)) {
        mod_iri_vars_put(r, ctx, MOD_IRI_HOST, MOD_IRI_CHARSET, 1);
        return;
    }
    mod_iri_vars_set(r, ctx, MOD_IRI_HOST, MOD_IRI_QUERY);
    if (r->main == NULL || (ctx && ctx->reading.verdict != IRI_PASS)
        || apr_table_get(r->subprocess_env, mod_iri_var_names[MOD_IRI_FORM])
               == NULL)
    {
        mod_iri_vars_set(r, ctx, MOD_IRI_FORM, MOD_IRI_CHARSET);
    }
}

/* Set all variables that are known, as if they had been set early. */
static void
mod_iri_set_all(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    const char              *value;
    int                      var;

    if (r->main != NULL && mod_iri_request(r->main) != NULL
        && mod_iri_probe_of(r) == NULL)
    {
        mod_iri_set_all(r->main);
        for (var = 0; var < MOD_IRI_VARS; var++) {
            value = apr_table_get(r->main->subprocess_env,
                                  mod_iri_var_names[var]);
            if (value != NULL) {
                apr_table_setn(r->subprocess_env, mod_iri_var_names[var],
                               value);
            }
        }
    }
    mod_iri_set_reading(r, ctx);
    if (ctx != NULL) {
        mod_iri_vars_set(r, ctx, MOD_IRI_MATCH, MOD_IRI_PATH_INFO);
    }
}

/* Returns: 1 if variables are set as soon as they are known. */
static int
mod_iri_is_set_early(const request_rec *r)
{
    return mod_iri_server(r->server)->readers == MOD_IRI_READ_BY_ANY;
}

void
mod_iri_vars_reading(request_rec *r, const mod_iri_request_t *ctx)
{
    if (mod_iri_is_set_early(r)) {
        mod_iri_set_reading(r, ctx);
    }
}

void
mod_iri_vars_redirected(request_rec *r)
{
    if (mod_iri_is_set_early(r)
        && mod_iri_request(mod_iri_client_request(r)) != NULL)
    {
        mod_iri_set_reading(r, NULL);
    }
}

void
mod_iri_vars_match(request_rec *r, const mod_iri_request_t *ctx)
{
    if (mod_iri_is_set_early(r)) {
        mod_iri_vars_set(r, ctx, MOD_IRI_MATCH, MOD_IRI_MATCH);
    }
}

/*
 * The index of a directory keeps the match with which the directory was
 * found.
 */
void
mod_iri_vars_exact(request_rec *r, const mod_iri_request_t *ctx)
{
    const char *name = mod_iri_var_names[MOD_IRI_MATCH];

    if (ctx == NULL) {
        mod_iri_request_mark(r, MOD_IRI_PLAIN_EXACT);
    }
    if (mod_iri_server(r->server)->readers == MOD_IRI_READ_BY_HANDLERS) {
        return;
    }
    if (ctx != NULL) {
        mod_iri_vars_set(r, ctx, MOD_IRI_MATCH, MOD_IRI_MATCH);
    } else if (r->main == NULL
               || apr_table_get(r->subprocess_env, name) == NULL) {
        apr_table_setn(r->subprocess_env, name,
                       iri_match_text(IRI_MATCH_EXACT));
    }
}

void
mod_iri_vars_htaccess(request_rec *r, mod_iri_request_t *ctx)
{
    const struct htaccess_result *place = r->htaccess;

    if (mod_iri_is_set_early(r)) {
        return;
    }
    while (place != NULL && place->htaccess == NULL) {
        place = place->next;
    }
    if (place != NULL) {
        mod_iri_set_all(r);
        ctx->has_vars = 1;
    }
}

/*
 * Returns: 1 if key is REDIRECT_ and a variable of the enum from `from` on.
 */
static int
mod_iri_is_redirect_copy(const char *key, mod_iri_var_t from)
{
    static const char prefix[] = "REDIRECT_";
    const char       *name = key;
    int               var;

    while (strncmp(name, prefix, sizeof(prefix) - 1) == 0) {
        name += sizeof(prefix) - 1;
    }
    for (var = from; name != key && var < MOD_IRI_VARS; var++) {
        if (strcmp(name, mod_iri_var_names[var]) == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * The lookup may not be revealed to an error page, because the error may be
 * that access was denied.  Variables that are not set early depend on it too.
 */
void
mod_iri_vars_error_page(request_rec *r)
{
    mod_iri_var_t             from = mod_iri_is_set_early(r) ? MOD_IRI_MATCH
                                                             : MOD_IRI_HOST;
    const apr_array_header_t *array = apr_table_elts(r->subprocess_env);
    const apr_table_entry_t  *entry = (apr_table_entry_t *) array->elts;
    apr_table_t              *env = apr_table_make(r->pool, array->nelts + 4);
    int                       i;

    for (i = 0; i < array->nelts; i++) {
        if (!mod_iri_is_redirect_copy(entry[i].key, from)) {
            apr_table_addn(env, entry[i].key, entry[i].val);
        }
    }
    r->subprocess_env = env;
}

/*
 * Returns: 1 if a handler gets the environment.  A proxied HTTP server gets
 * only variables that the configuration names.
 */
static int
mod_iri_passes_env(const request_rec *r)
{
    static const char *const without[] = { "proxy:http", "proxy:h2",
                                           "proxy:ws" };
    size_t                   i;

    if (r->handler == NULL) {
        return 0;
    }
    if (!r->proxyreq || r->filename == NULL
        || mod_iri_server(r->server)->readers != MOD_IRI_READ_BY_HANDLERS)
    {
        return 1;
    }
    for (i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
        if (strncmp(r->filename, without[i], strlen(without[i])) == 0) {
            return 0;
        }
    }
    return 1;
}

/*
 * Called in fixups.  A handler may read the variables of a plain path too; a
 * static file costs nothing.
 */
void
mod_iri_vars_fixups(request_rec *r, const mod_iri_request_t *ctx)
{
    if (ctx != NULL && !ctx->plain) {
        if (mod_iri_is_set_early(r) || ctx->has_vars) {
            mod_iri_vars_set(r, ctx, MOD_IRI_FILENAME, MOD_IRI_PATH_INFO);
        } else if (mod_iri_passes_env(r)) {
            mod_iri_set_all(r);
        }
    } else if (!mod_iri_passes_env(r)) {
        return;
    } else if (r->main == NULL) {
        mod_iri_vars_set(r, ctx, MOD_IRI_HOST, MOD_IRI_PATH_INFO);
    } else if (!mod_iri_is_set_early(r) && mod_iri_request(r->main) != NULL
               && mod_iri_probe_of(r) == NULL)
    {
        mod_iri_set_all(r);
    }
}

/* ---- logs --------------------------------------------------------------- */

/* Returns: 1 if a log format of mod_log_config names the variable. */
static int
mod_iri_is_logged(mod_iri_var_t var)
{
    static const char *const directives[] = { "LogFormat", "CustomLog",
                                              "GlobalLog", "TransferLog",
                                              NULL };
    const ap_directive_t    *at;
    char                     item[32];

    apr_snprintf(item, sizeof(item), "{%s}e", mod_iri_var_names[var]);
    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_is_one_of(at, directives)
            && ap_strcasestr(at->args, item) != NULL)
        {
            return 1;
        }
    }
    return 0;
}

unsigned
mod_iri_vars_logged(void)
{
    unsigned logged = 0;
    int      var;

    for (var = 0; var < MOD_IRI_VARS; var++) {
        logged |= (unsigned) mod_iri_is_logged(var) << var;
    }
    return logged;
}

/*
 * A static file has no variables in its environment.  Those that a log format
 * names are computed for the request that the client sent, and set where
 * mod_log_config reads them.  An error page keeps its own.
 */
int
mod_iri_vars_log(request_rec *r)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);
    request_rec            *target = r, *last;
    mod_iri_host_forms_t    forms;
    const char             *value;
    int                     var;

    if (conf->engine != IRI_ENGINE_ON || r->parsed_uri.path == NULL) {
        return DECLINED;
    }
    /* prev is NULL after a restart */
    while (target->next != NULL
           && (target->next->prev == NULL
               || !mod_iri_is_error_page(target->next)))
    {
        target = target->next;
    }
    for (last = target; last->next != NULL; last = last->next) {
    }
    forms.is_read = 0;
    for (var = 0; var < MOD_IRI_VARS; var++) {
        if ((conf->logged_vars & 1U << var) == 0
            || apr_table_get(last->subprocess_env, mod_iri_var_names[var])
                   != NULL)
        {
            continue;
        }
        value = mod_iri_var_value(target, mod_iri_request(target), var,
                                  &forms);
        if (value != NULL && *value != '\0') {
            apr_table_setn(last->subprocess_env, mod_iri_var_names[var],
                           value);
        }
    }
    return DECLINED;
}

/* ---- expressions -------------------------------------------------------- */

static const char *
mod_iri_expr_var(ap_expr_eval_ctx_t *eval, const void *data)
{
    const char *const   *name = data;
    const char          *value;
    mod_iri_host_forms_t forms;

    if (eval->r == NULL
        || mod_iri_server(eval->r->server)->engine != IRI_ENGINE_ON)
    {
        return "";
    }
    forms.is_read = 0;
    value = mod_iri_var_value(eval->r, mod_iri_request(eval->r),
                              (mod_iri_var_t) (name - mod_iri_var_names),
                              &forms);
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
