/*
 * mod_iri_vars.c - the variables IRI_...
 *
 * They are set in the environment as soon as they are known.  Those of an ASCII
 * path are set in fixups, if a handler was chosen (CGI, a proxied application),
 * so that a static file costs nothing.  %{IRI_PATH} in expressions and
 * %{IRI_PATH}e in log formats are computed on use, for any request.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <ap_expr.h>
#include <mod_log_config.h>

/* Up to CHARSET, except PATH, they describe the request of the client. */
typedef enum {
    MOD_IRI_HOST,
    MOD_IRI_HOST_ASCII,
    MOD_IRI_IRI,
    MOD_IRI_PATH,
    MOD_IRI_URI,
    MOD_IRI_QUERY,
    MOD_IRI_REQUEST_URI,
    MOD_IRI_FORM,
    MOD_IRI_CHARSET,
    MOD_IRI_MATCH,
    MOD_IRI_FILENAME,
    MOD_IRI_PATH_INFO,
    MOD_IRI_VARS /* number of variables */
} mod_iri_var_t;

/* in the order of the enum */
static const char mod_iri_var_names[MOD_IRI_VARS][16] = {
    "IRI_HOST",     "IRI_HOST_ASCII",  "IRI",      "IRI_PATH",    "IRI_URI",
    "IRI_QUERY",    "IRI_REQUEST_URI", "IRI_FORM", "IRI_CHARSET", "IRI_MATCH",
    "IRI_FILENAME", "IRI_PATH_INFO"
};

static const char *
mod_iri_var_get(const request_rec *r, mod_iri_var_t var)
{
    return apr_table_get(r->subprocess_env, mod_iri_var_names[var]);
}

/*
 * Returns: the request of the client, which a rule has redirected to r.  The
 * variables describe it, except IRI_PATH: a RewriteCond in a .htaccess must see
 * that its rule was applied.  An error page has its own variables.
 */
static request_rec *
mod_iri_client_request(request_rec *r)
{
    /* a restarted request has the URL of the client */
    while (r->prev != NULL && !mod_iri_is_error_page(r)
           && !mod_iri_has_restarted(mod_iri_request(r)))
    {
        r = r->prev;
    }
    return r;
}

static const char *
mod_iri_var_uri(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    iri_str_t                uri;

    if (ctx && ctx->uri) {
        return ctx->uri;
    }
    return iri_path_to_uri(mod_iri_env(r), mod_iri_path(r), &uri) == IRI_OK
               ? mod_iri_dup(r->pool, uri)
               : NULL;
}

/* The host, or the ServerName with UseCanonicalName, for all variables. */
typedef struct {
    const char *name;    /* NULL: it was not read yet */
    const char *ascii;   /* NULL: it is not a host name */
    const char *unicode; /* likewise */
} mod_iri_host_forms_t;

static void
mod_iri_read_host(request_rec *r, mod_iri_host_forms_t *forms)
{
    iri_host_t host;

    if (forms->name != NULL) {
        return;
    }
    forms->name = ap_get_server_name_for_url(r);
    if (iri_host_forms(mod_iri_env(r), &mod_iri_conf(r)->host,
                       mod_iri_str(forms->name), &host)
            == IRI_OK
        && host.verdict != IRI_REFUSE)
    {
        forms->ascii = mod_iri_dup(r->pool, host.ascii);
        forms->unicode = mod_iri_dup(r->pool, host.unicode);
    }
}

/* Returns: the whole IRI, with host and path in Unicode. */
static const char *
mod_iri_var_iri(request_rec *r, const mod_iri_host_forms_t *forms)
{
    apr_port_t  port = ap_get_server_port(r);
    const char *sent = r->parsed_uri.query; /* a rule may set r->args */
    iri_str_t   path;

    if (forms->unicode == NULL
        || iri_path_to_iri(mod_iri_env(r), mod_iri_path(r), &path) != IRI_OK)
    {
        return NULL;
    }
    return apr_pstrcat(
        r->pool, ap_http_scheme(r), "://",
        *forms->unicode != '\0' ? forms->unicode : forms->name,
        ap_is_default_port(port, r) ? "" : apr_psprintf(r->pool, ":%u", port),
        mod_iri_dup(r->pool, path), sent ? "?" : NULL, sent, NULL);
}

/* Returns: the path up to the deepest entry, or (path_info) the rest. */
static const char *
mod_iri_var_file(request_rec *r, int path_info)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    iri_lookup_t            *lookup = ctx != NULL ? ctx->lookup : NULL;

    if (r->finfo.filetype == APR_NOFILE && lookup != NULL
        && iri_lookup_split(mod_iri_env(r), lookup) == IRI_OK)
    {
        return mod_iri_dup(r->pool,
                           path_info ? lookup->path_info : lookup->entry);
    }
    return path_info ? r->path_info : r->filename;
}

/* A subrequest for the index of a directory keeps that of the directory. */
static const char *
mod_iri_var_match(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    iri_match_t              match = IRI_MATCH_NONE;
    const char              *set;

    if (ctx == NULL && (set = mod_iri_var_get(r, MOD_IRI_MATCH)) != NULL) {
        return set;
    }
    if (ctx != NULL && ctx->lookup != NULL) {
        match = iri_request_match(ctx->state, mod_iri_env(r), ctx->lookup, 0);
    } else if (!r->proxyreq && !ap_is_HTTP_ERROR(r->status)
               && r->finfo.filetype != APR_NOFILE && r->filename != NULL
               && iri_str_is_ascii(mod_iri_str(r->filename)))
    {
        /* httpd has found the file; after an error nothing is revealed */
        match = IRI_MATCH_EXACT;
    }
    return iri_match_text(match);
}

/* Returns: the value of a variable; NULL: it has none, or not yet. */
static const char *
mod_iri_var_value(request_rec *r, mod_iri_var_t var,
                  mod_iri_host_forms_t *forms)
{
    iri_str_t charset;

    if (var <= MOD_IRI_CHARSET && var != MOD_IRI_PATH) {
        r = mod_iri_client_request(r);
    }
    if (var <= MOD_IRI_IRI) {
        mod_iri_read_host(r, forms);
    }
    switch (var) {
    case MOD_IRI_HOST:
        return forms->unicode;
    case MOD_IRI_HOST_ASCII:
        return forms->ascii;
    case MOD_IRI_IRI:
        return mod_iri_var_iri(r, forms);
    case MOD_IRI_PATH:
        return mod_iri_dup(r->pool, mod_iri_path(r));
    case MOD_IRI_URI:
        return mod_iri_var_uri(r);
    case MOD_IRI_QUERY:
        return r->next == NULL ? mod_iri_query(r) : r->parsed_uri.query;
    case MOD_IRI_REQUEST_URI:
        while (r->prev != NULL) {
            r = r->prev; /* that of an error page is the client's too */
        }
        return mod_iri_conf(r)->request_uri == 1 ? mod_iri_target_sent(r)
                                                 : NULL;
    case MOD_IRI_FORM:
        return iri_form_text(iri_request_form(mod_iri_state(r), 0));
    case MOD_IRI_CHARSET:
        charset = iri_request_charset(mod_iri_state(r), 0);
        return charset.len > 0 ? (const char *) charset.data : NULL;
    case MOD_IRI_MATCH:
        return mod_iri_var_match(r);
    case MOD_IRI_FILENAME:
        return mod_iri_var_file(r, 0);
    case MOD_IRI_PATH_INFO:
        return mod_iri_var_file(r, 1);
    default:
        return NULL;
    }
}

/* Returns: the variable with a name in any case; MOD_IRI_VARS: none. */
static mod_iri_var_t
mod_iri_var_find(const char *name)
{
    int var = 0;

    while (var < MOD_IRI_VARS
           && ap_cstr_casecmp(name, mod_iri_var_names[var]) != 0)
    {
        var++;
    }
    return (mod_iri_var_t) var;
}

/* Set the variables from `from` to `to`. */
static void
mod_iri_vars_set(request_rec *r, mod_iri_var_t from, mod_iri_var_t to)
{
    /* which always has a value, and is set with the others */
    mod_iri_var_t        always = from < MOD_IRI_FORM ? MOD_IRI_FORM : from;
    mod_iri_host_forms_t forms = { NULL, NULL, NULL };
    mod_iri_var_t        var;
    const char          *value;
    /* apr_table_setn() compares all names, which have the same checksum */
    int is_first = mod_iri_var_get(r, always) == NULL;

    for (var = from; var <= to; var++) {
        value = mod_iri_var_value(r, var, &forms);
        if (value != NULL && *value != '\0') {
            (is_first ? apr_table_addn : apr_table_setn)(
                r->subprocess_env, mod_iri_var_names[var], value);
        } else if (!is_first) {
            apr_table_unset(r->subprocess_env, mod_iri_var_names[var]);
        }
    }
}

/*
 * Are the octets of the path canonical?  httpd makes the paths of subrequests
 * with escapes in lower case.
 */
static int
mod_iri_is_canonical(const request_rec *r)
{
    const iri_reading_t *reading = NULL;

    if (mod_iri_request(r) != NULL) {
        reading = iri_request_requested_reading(mod_iri_state(r));
    }
    return reading == NULL
           || (reading->verdict != IRI_REFUSE
               && iri_str_equal(reading->path, reading->octets));
}

/*
 * Set the variables of the reading.  A subrequest for a canonical path keeps
 * the form and charset of its main request.
 */
void
mod_iri_vars_set_reading(request_rec *r)
{
    int keeps = r->main != NULL && mod_iri_is_canonical(r)
                && mod_iri_var_get(r, MOD_IRI_FORM) != NULL;

    mod_iri_vars_set(r, MOD_IRI_HOST,
                     keeps ? MOD_IRI_QUERY : MOD_IRI_CHARSET);
}

void
mod_iri_vars_set_sent(request_rec *r)
{
    mod_iri_vars_set(r, MOD_IRI_REQUEST_URI, MOD_IRI_REQUEST_URI);
}

void
mod_iri_vars_set_redirected(request_rec *r)
{
    if (mod_iri_request(mod_iri_client_request(r)) != NULL) {
        mod_iri_vars_set_reading(r);
    }
}

void
mod_iri_vars_set_match(request_rec *r)
{
    mod_iri_vars_set(r, MOD_IRI_MATCH, MOD_IRI_MATCH);
}

/* Add a variable, unless it is REDIRECT_ and one that depends on a lookup. */
static int
mod_iri_add_visible(void *env, const char *key, const char *value)
{
    static const char prefix[] = "REDIRECT_";
    const char       *name = key;
    mod_iri_var_t     var;

    while (strncmp(name, prefix, sizeof(prefix) - 1) == 0) {
        name += sizeof(prefix) - 1;
    }
    var = mod_iri_var_find(name);
    if (name == key || var < MOD_IRI_MATCH || var == MOD_IRI_VARS) {
        apr_table_addn(env, key, value);
    }
    return 1;
}

/* The error may be that access was denied. */
void
mod_iri_vars_hide_lookup(request_rec *r)
{
    apr_table_t *env = apr_table_make(r->pool, 25);

    apr_table_do(mod_iri_add_visible, env, r->subprocess_env, NULL);
    r->subprocess_env = env;
}

/* Those of an absent file are set for FallbackResource. */
int
mod_iri_vars_set_fixups(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    int                      is_ascii = ctx == NULL || ctx->is_ascii;

    if ((is_ascii && (r->handler == NULL || r->main != NULL))
        || !mod_iri_is_on(r))
    {
        return DECLINED;
    }
    if (is_ascii) {
        mod_iri_vars_set(r, MOD_IRI_HOST, MOD_IRI_CHARSET);
        mod_iri_vars_set_match(r);
    }
    mod_iri_vars_set(r, MOD_IRI_FILENAME, MOD_IRI_PATH_INFO);
    return DECLINED;
}

/* Returns: the request that failed, if r is its error page; else r. */
static request_rec *
mod_iri_before_error_page(request_rec *r)
{
    request_rec *before = r;

    for (; r->prev != NULL; r = r->prev) {
        if (mod_iri_is_error_page(r)) {
            before = r->prev;
        }
    }
    return before;
}

/* The format %{NAME}e of mod_log_config, for the request of the client. */
static const char *
mod_iri_log_item(request_rec *r, char *name)
{
    const char          *value = apr_table_get(r->subprocess_env, name);
    mod_iri_var_t        var = mod_iri_var_find(name);
    mod_iri_host_forms_t forms = { NULL, NULL, NULL };

    if (value == NULL && var != MOD_IRI_VARS && mod_iri_is_on(r)
        && r->parsed_uri.path != NULL)
    {
        r = mod_iri_before_error_page(r);
        value = mod_iri_var_value(r, var, &forms);
        value = value != NULL && *value != '\0' ? value : NULL;
    }
    return ap_escape_logitem(r->pool, value);
}

/* After mod_log_config, which may not be loaded, has created its table. */
void
mod_iri_register_log(apr_pool_t *pconf)
{
    APR_OPTIONAL_FN_TYPE(ap_register_log_handler)
    *put = APR_RETRIEVE_OPTIONAL_FN(ap_register_log_handler);

    if (put != NULL) {
        put(pconf, "e", mod_iri_log_item, 0);
    }
}

static const char *
mod_iri_expr_var(ap_expr_eval_ctx_t *eval, const void *data)
{
    const char          *value;
    mod_iri_host_forms_t forms = { NULL, NULL, NULL };

    if (eval->r == NULL || !mod_iri_is_on(eval->r)) {
        return "";
    }
    value = mod_iri_var_value(
        eval->r,
        (mod_iri_var_t) ((const char(*)[16]) data - mod_iri_var_names),
        &forms);
    return value ? value : "";
}

int
mod_iri_expr_lookup(ap_expr_lookup_parms *parms)
{
    mod_iri_var_t var = mod_iri_var_find(parms->name);

    if (parms->type != AP_EXPR_FUNC_VAR || var == MOD_IRI_VARS) {
        return DECLINED;
    }
    *parms->func = mod_iri_expr_var;
    *parms->data = mod_iri_var_names[var];
    return OK;
}
