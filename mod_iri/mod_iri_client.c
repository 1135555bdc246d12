/*
 * mod_iri_client.c - the environment variable iri-charset: a list for each
 * client
 *
 * BrowserMatch and its kin set it in post_read_request, when the path has been
 * read once, so that they see one form of it; where it is there the path is
 * read again (mod_iri_read.c).  From what these directives look at follows
 * Vary.  Where none of them names the variable nobody looks for it, and where
 * one does all charsets are opened at the start.
 */

#include "mod_iri.h"

#include <apr_lib.h>
#include <util_cfgtree.h>

#define MOD_IRI_VARIABLE "iri-charset"

/* ---- what sets it ------------------------------------------------------- */

/* A directive that sets variables in post_read_request. */
typedef struct {
    const char *field; /* or a variable, or another word; NULL: expression */
    const char *expression;
    const char *sets; /* variables, some with "!" before or "=" behind */
} mod_iri_setter_t;

/* 0: it is none. */
static int
mod_iri_setter(apr_pool_t *pool, const ap_directive_t *at,
               mod_iri_setter_t *setter)
{
    const char *args = at->args;

    memset(setter, 0, sizeof(*setter));
    if (mod_iri_is_directive(at, "BrowserMatch")
        || mod_iri_is_directive(at, "BrowserMatchNoCase"))
    {
        setter->field = "User-Agent";
    } else if (mod_iri_is_directive(at, "SetEnvIf")
               || mod_iri_is_directive(at, "SetEnvIfNoCase"))
    {
        setter->field = ap_getword_conf(pool, &args);
    } else if (!mod_iri_is_directive(at, "SetEnvIfExpr")) {
        return 0;
    }
    setter->expression = ap_getword_conf(pool, &args);
    setter->sets = args;
    return 1;
}

static int
mod_iri_sets(apr_pool_t *pool, const mod_iri_setter_t *setter,
             const char *variable)
{
    const char *args = setter->sets, *word;
    size_t      len = strlen(variable);

    while (*args != '\0') {
        word = ap_getword_conf(pool, &args);
        word += *word == '!';
        if (ap_cstr_casecmpn(word, variable, len) == 0
            && (word[len] == '\0' || word[len] == '='))
        {
            return 1;
        }
    }
    return 0;
}

/* Does a directive set this variable? */
static int
mod_iri_is_set(apr_pool_t *pool, const char *variable)
{
    const ap_directive_t *at;
    mod_iri_setter_t      setter;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_setter(pool, at, &setter)
            && mod_iri_sets(pool, &setter, variable))
        {
            return 1;
        }
    }
    return 0;
}

int
mod_iri_uses_client(apr_pool_t *pool)
{
    return mod_iri_is_set(pool, MOD_IRI_VARIABLE);
}

/* ---- what it depends on ------------------------------------------------- */

static void
mod_iri_add_name(apr_array_header_t *names, const char *name)
{
    int i;

    for (i = 0; i < names->nelts; i++) {
        if (ap_cstr_casecmp(APR_ARRAY_IDX(names, i, const char *), name) == 0)
        {
            return;
        }
    }
    APR_ARRAY_PUSH(names, const char *) = name;
}

/* Of other words than fields caches know, or nobody can tell them. */
static int
mod_iri_is_field(const char *name)
{
    static const char *const others[] = {
        "Remote_Host",      "Remote_Addr", "Server_Addr", "Request_Method",
        "Request_Protocol", "Request_URI", "Host",        NULL
    };
    size_t i;

    for (i = 0; others[i] != NULL; i++) {
        if (ap_cstr_casecmp(name, others[i]) == 0) {
            return 0;
        }
    }
    for (; apr_isalnum(*name) || *name == '-' || *name == '_'; name++) {
    }
    return *name == '\0';
}

/* HTTP_USER_AGENT is User-Agent, and HTTP:Accept-Language what it says. */
static void
mod_iri_add_fields(apr_pool_t *pool, const char *expression,
                   apr_array_header_t *fields)
{
    const char *at = expression;
    char       *name, *c;

    while ((at = strstr(at, "HTTP")) != NULL) {
        at += 4;
        if (*at != '_' && *at != ':') {
            continue;
        }
        name = apr_pstrdup(pool, at + 1);
        for (c = name; apr_isalnum(*c) || *c == '-' || *c == '_'; c++) {
            if (*at == '_' && *c == '_') {
                *c = '-';
            } else if (*at == '_' && c > name && c[-1] != '-') {
                *c = (char) apr_tolower(*c);
            }
        }
        *c = '\0';
        if (*name != '\0' && mod_iri_is_field(name)) {
            mod_iri_add_name(fields, name);
        }
    }
}

static void
mod_iri_add_setter(apr_pool_t *pool, const mod_iri_setter_t *setter,
                   apr_array_header_t *variables, apr_array_header_t *fields)
{
    if (setter->field == NULL) {
        mod_iri_add_fields(pool, setter->expression, fields);
    } else if (mod_iri_is_set(pool, setter->field)) {
        mod_iri_add_name(variables, setter->field);
    } else if (mod_iri_is_field(setter->field)) {
        mod_iri_add_name(fields, setter->field);
    }
}

/* The value of Vary, "" for no field: through other variables, too. */
static const char *
mod_iri_client_vary(apr_pool_t *pool, apr_pool_t *ptemp)
{
    apr_array_header_t   *variables, *fields;
    const ap_directive_t *at;
    mod_iri_setter_t      setter;
    int                   i;

    variables = apr_array_make(ptemp, 4, sizeof(const char *));
    fields = apr_array_make(ptemp, 4, sizeof(const char *));
    mod_iri_add_name(variables, MOD_IRI_VARIABLE);
    for (i = 0; i < variables->nelts; i++) {
        const char *variable = APR_ARRAY_IDX(variables, i, const char *);

        for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
            if (mod_iri_setter(ptemp, at, &setter)
                && mod_iri_sets(ptemp, &setter, variable))
            {
                mod_iri_add_setter(ptemp, &setter, variables, fields);
            }
        }
    }
    for (i = 1; i < fields->nelts; i++) {
        APR_ARRAY_IDX(fields, 0, const char *) = apr_pstrcat(
            ptemp, APR_ARRAY_IDX(fields, 0, const char *), ", ",
            APR_ARRAY_IDX(fields, i, const char *), NULL);
    }
    return apr_pstrdup(pool, fields->nelts > 0
                                 ? APR_ARRAY_IDX(fields, 0, const char *)
                                 : "");
}

int
mod_iri_client_prepare(server_rec *main_server, apr_pool_t *pconf,
                       apr_pool_t *ptemp, iri_registry_t *registry)
{
    const char *error, *vary;
    server_rec *s;

    if (!mod_iri_uses_client(ptemp)) {
        return OK;
    }
    error = iri_registry_open_all(registry);
    if (error != NULL) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: the variable " MOD_IRI_VARIABLE " %s", error);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    vary = mod_iri_client_vary(pconf, ptemp);
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_server(s)->vary = vary;
    }
    return OK;
}

/* ---- requests ----------------------------------------------------------- */

const char *
mod_iri_client_says(const request_rec *r, const mod_iri_server_t *conf)
{
    return conf->vary != NULL
               ? apr_table_get(r->subprocess_env, MOD_IRI_VARIABLE)
               : NULL;
}

const iri_reading_conf_t *
mod_iri_client_conf(request_rec *r, const mod_iri_server_t *conf,
                    const char *value)
{
    iri_reading_conf_t *own = apr_pmemdup(r->pool, &conf->reading,
                                          sizeof(*own));
    iri_str_t           word;
    iri_shown_t         shown;
    const char         *why;

    why = iri_charsets_parse(conf->registry, mod_iri_str(value),
                             &own->charsets, &word);
    if (why == NULL) {
        return own;
    }
    own->charsets.count = 0;
    if (r->main == NULL && r->prev == NULL) {
        mod_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_CHARSETS),
                     "\"%s\" in " MOD_IRI_VARIABLE
                     " %s: the request is read without",
                     iri_show(&shown, word), why);
    }
    return own;
}

/*
 * Another client may get another answer: caches must know.  Until access is
 * granted, what was found decides nothing: Vary would tell whether there is
 * such a name.
 */
void
mod_iri_client_depends(request_rec *r, mod_iri_request_t *ctx)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);

    if (conf->vary == NULL || *conf->vary == '\0' || r->main != NULL
        || conf->engine != IRI_ENGINE_ON || !ctx->has_reading)
    {
        return;
    }
    ctx->depends |= iri_depends_on_charsets(
        &ctx->reading, ctx->has_found ? &ctx->found : NULL, 1);
    if (ctx->varies != NULL
        || (!ctx->depends
            && !iri_depends_on_charsets(&ctx->reading, NULL, 0)))
    {
        return;
    }
    ctx->varied = apr_table_get(r->err_headers_out, "Vary");
    if (ctx->varied == NULL || strstr(ctx->varied, conf->vary) == NULL) {
        apr_table_mergen(r->err_headers_out, "Vary", conf->vary);
        ctx->varies = apr_table_get(r->err_headers_out, "Vary");
    }
}

/* Access is granted.  What others have added to Vary since stays. */
int
mod_iri_client_passed(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx == NULL || ctx->varies == NULL || ctx->depends
        || apr_table_get(r->err_headers_out, "Vary") != ctx->varies)
    {
        return DECLINED;
    }
    if (ctx->varied != NULL) {
        apr_table_setn(r->err_headers_out, "Vary", ctx->varied);
    } else {
        apr_table_unset(r->err_headers_out, "Vary");
    }
    return DECLINED;
}
