/*
 * mod_iri_vars.c - IRI_PATH and its kin
 *
 * As environment variables they are for logs, conditions of RewriteRule,
 * CGI and headers.  Making them costs more than all else that a request pays.
 * So where nobody else can read them (mod_iri_uses.c), and in any case if its
 * path is plain ASCII, a request gets them only where a handler was chosen for
 * it (CGI, a proxied application); where a .htaccess may read them, when that
 * was found; and those that a log names, before it is written.  As %{IRI_PATH}
 * in expressions they are made when asked for, of any request.
 */

#include "mod_iri.h"

#include <ap_expr.h>

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
    MOD_IRI_VARS
} mod_iri_var_t;

/* In the order of the enum. */
static const char *const mod_iri_var_names[MOD_IRI_VARS] = {
    "IRI_HOST",  "IRI_HOST_ASCII", "IRI",          "IRI_PATH",
    "IRI_URI",   "IRI_QUERY",      "IRI_FORM",     "IRI_CHARSET",
    "IRI_MATCH", "IRI_FILENAME",   "IRI_PATH_INFO"
};

/* ---- values ------------------------------------------------------------- */

/*
 * The request that the client has sent, where a rule has redirected inside the
 * server.  IRI, IRI_URI, IRI_QUERY, IRI_FORM and IRI_CHARSET are about that one.
 * IRI_PATH is the path that rules judge, as REQUEST_URI is: a RewriteCond of a
 * .htaccess must see that its rule has been applied.  An error page has its
 * own.
 */
static request_rec *
mod_iri_asked(request_rec *r)
{
    const mod_iri_request_t *ctx;

    while (r->prev != NULL && !mod_iri_is_error_page(r)) {
        ctx = mod_iri_request(r);
        if (ctx != NULL && ctx->restarted) {
            break; /* it has the URL of the client again */
        }
        r = r->prev;
    }
    return r;
}

/* r->uri may be that of a rule by now. */
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

/* A host that is read once for all that is made of it. */
typedef struct {
    int        is_read;
    int        is_name; /* 1: host has its forms */
    iri_host_t host;
} mod_iri_forms_t;

/*
 * The host of the request, or the ServerName where UseCanonicalName says so,
 * in both forms; NULL: what came is no host name.
 */
static const iri_host_t *
mod_iri_read_host(request_rec *r, mod_iri_forms_t *forms)
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
mod_iri_var_host(request_rec *r, mod_iri_forms_t *forms, int is_ascii)
{
    const iri_host_t *host = mod_iri_read_host(r, forms);

    return host ? mod_iri_dup(r->pool, is_ascii ? host->ascii : host->unicode)
                : NULL;
}

/* The whole IRI: host and path in Unicode. */
static const char *
mod_iri_var_iri(request_rec *r, const mod_iri_request_t *ctx,
                mod_iri_forms_t *forms)
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
        /* behind "http://" and the name as the server has it */
        text += strlen(ap_http_scheme(r)) + strlen("://")
                + strlen(ap_get_server_name_for_url(r));
        text = apr_pstrcat(r->pool, ap_http_scheme(r), "://",
                           mod_iri_dup(r->pool, host->unicode), text, NULL);
    }
    /* not r->args, which a RewriteRule may have made by now */
    sent = r->parsed_uri.query;
    return sent ? apr_pstrcat(r->pool, text, "?", sent, NULL) : text;
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

/*
 * Nothing was looked up for an ASCII path.  Has httpd found its file?  Of one
 * that may be denied nothing is told.
 */
static int
mod_iri_is_found_by_httpd(const request_rec *r)
{
    return !r->proxyreq && !ap_is_HTTP_ERROR(r->status)
           && r->finfo.filetype != APR_NOFILE && r->filename != NULL
           && iri_str_is_ascii(mod_iri_str(r->filename));
}

/* What was forgiven; the greater of both where the request started over. */
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
    if (ctx != NULL && match != IRI_MATCH_NONE && ctx->moved_by > match) {
        match = ctx->moved_by;
    }
    return iri_match_text(match);
}

/* NULL: there is none (yet). */
static const char *
mod_iri_var(request_rec *r, const mod_iri_request_t *ctx, mod_iri_var_t var,
            mod_iri_forms_t *forms)
{
    request_rec *asked = var <= MOD_IRI_CHARSET && var != MOD_IRI_PATH
                             ? mod_iri_asked(r)
                             : r;

    if (asked != r) {
        r = asked;
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

/* is_new: none of these is there, so nothing has to be replaced. */
static void
mod_iri_put(request_rec *r, const mod_iri_request_t *ctx, mod_iri_var_t from,
            mod_iri_var_t to, int is_new)
{
    mod_iri_forms_t forms;
    mod_iri_var_t   var;

    forms.is_read = 0;
    for (var = from; var <= to; var++) {
        const char *value = mod_iri_var(r, ctx, var, &forms);
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
mod_iri_set(request_rec *r, const mod_iri_request_t *ctx, mod_iri_var_t from,
            mod_iri_var_t to)
{
    mod_iri_put(r, ctx, from, to, 0);
}

/* Has nothing put any of our variables there? */
static int
mod_iri_has_none(const request_rec *r)
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
 * How the client wrote it is said once: a subrequest in canonical form keeps
 * the form of its main request.  ctx NULL: a plain path below a main request
 * that was not.
 */
static void
mod_iri_set_reading(request_rec *r, const mod_iri_request_t *ctx)
{
    if (mod_iri_has_none(r)) {
        mod_iri_put(r, ctx, MOD_IRI_HOST, MOD_IRI_CHARSET, 1);
        return;
    }
    mod_iri_set(r, ctx, MOD_IRI_HOST, MOD_IRI_QUERY);
    if (r->main == NULL || (ctx && ctx->reading.verdict != IRI_PASS)
        || apr_table_get(r->subprocess_env, mod_iri_var_names[MOD_IRI_FORM])
               == NULL)
    {
        mod_iri_set(r, ctx, MOD_IRI_FORM, MOD_IRI_CHARSET);
    }
}

/* All that is known by now, as if it had been set when it came to be known. */
static void
mod_iri_set_all(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    const char              *value;
    int                      var;

    if (r->main != NULL && mod_iri_request(r->main) != NULL
        && mod_iri_asker(r) == NULL)
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
        mod_iri_set(r, ctx, MOD_IRI_MATCH, MOD_IRI_PATH_INFO);
    }
}

/* Are they to be set as soon as they are known? */
static int
mod_iri_is_set_early(const request_rec *r)
{
    return mod_iri_server(r->server)->readers == MOD_IRI_READ_BY_ANYBODY;
}

/* As soon as the path is read. */
void
mod_iri_vars_reading(request_rec *r, const mod_iri_request_t *ctx)
{
    if (mod_iri_is_set_early(r)) {
        mod_iri_set_reading(r, ctx);
    }
}

/* The path is plain, but a rule has redirected from another one. */
void
mod_iri_vars_redirected(request_rec *r)
{
    if (mod_iri_is_set_early(r) && mod_iri_request(mod_iri_asked(r)) != NULL)
    {
        mod_iri_set_reading(r, NULL);
    }
}

/* When it is found. */
void
mod_iri_vars_match(request_rec *r, const mod_iri_request_t *ctx)
{
    if (mod_iri_is_set_early(r)) {
        mod_iri_set(r, ctx, MOD_IRI_MATCH, MOD_IRI_MATCH);
    }
}

/*
 * The same of a plain path that was looked for, and was there as it is.  The
 * index of a directory keeps what had to be forgiven to find that.
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
        mod_iri_set(r, ctx, MOD_IRI_MATCH, MOD_IRI_MATCH);
    } else if (r->main == NULL
               || apr_table_get(r->subprocess_env, name) == NULL) {
        apr_table_setn(r->subprocess_env, name,
                       iri_match_text(IRI_MATCH_EXACT));
    }
}

/* When the directories are walked: has any of them rules of its own? */
void
mod_iri_vars_of_place(request_rec *r, mod_iri_request_t *ctx)
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

/* Is it a variable, one of those from that one on, of a request before? */
static int
mod_iri_is_redirected_var(const char *key, mod_iri_var_t from)
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
 * The page of an error is not told what was found: the error may be that it is
 * denied.  Variables that are not set early hang on that, too.
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
        if (!mod_iri_is_redirected_var(entry[i].key, from)) {
            apr_table_addn(env, entry[i].key, entry[i].val);
        }
    }
    r->subprocess_env = env;
}

/*
 * Is there a program that is told of the environment?  To another server that
 * speaks HTTP nothing goes but what the configuration names.
 */
static int
mod_iri_has_program(const request_rec *r)
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
 * When it is known what will be opened.  A program may want to know of a plain
 * path, too; a plain file pays nothing for it.
 */
void
mod_iri_vars_last(request_rec *r, const mod_iri_request_t *ctx)
{
    if (ctx != NULL && !ctx->plain) {
        if (mod_iri_is_set_early(r) || ctx->has_vars) {
            mod_iri_set(r, ctx, MOD_IRI_FILENAME, MOD_IRI_PATH_INFO);
        } else if (mod_iri_has_program(r)) {
            mod_iri_set_all(r);
        }
    } else if (!mod_iri_has_program(r)) {
        return;
    } else if (r->main == NULL) {
        mod_iri_set(r, ctx, MOD_IRI_HOST, MOD_IRI_PATH_INFO);
    } else if (!mod_iri_is_set_early(r) && mod_iri_request(r->main) != NULL
               && mod_iri_asker(r) == NULL)
    {
        mod_iri_set_all(r);
    }
}

/* ---- logs --------------------------------------------------------------- */

/* Is a variable of the environment named in a format of mod_log_config? */
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
 * A plain file has no variables in its environment: what the log names is made
 * before it is written, of the request that the client sent, and put where
 * mod_log_config looks.  An error page that has its own keeps them.
 */
int
mod_iri_vars_log(request_rec *r)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);
    request_rec            *told = r, *last;
    mod_iri_forms_t         forms;
    const char             *value;
    int                     var;

    if (conf->engine != IRI_ENGINE_ON || r->parsed_uri.path == NULL) {
        return DECLINED;
    }
    /* one that restarted has none before it */
    while (
        told->next != NULL
        && (told->next->prev == NULL || !mod_iri_is_error_page(told->next)))
    {
        told = told->next;
    }
    for (last = told; last->next != NULL; last = last->next) {
    }
    forms.is_read = 0;
    for (var = 0; var < MOD_IRI_VARS; var++) {
        if ((conf->logged & 1U << var) == 0
            || apr_table_get(last->subprocess_env, mod_iri_var_names[var])
                   != NULL)
        {
            continue;
        }
        value = mod_iri_var(told, mod_iri_request(told), var, &forms);
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
    const char *const *name = data;
    const char        *value;
    mod_iri_forms_t    forms;

    if (eval->r == NULL
        || mod_iri_server(eval->r->server)->engine != IRI_ENGINE_ON)
    {
        return "";
    }
    forms.is_read = 0;
    value = mod_iri_var(eval->r, mod_iri_request(eval->r),
                        (mod_iri_var_t) (name - mod_iri_var_names), &forms);
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
