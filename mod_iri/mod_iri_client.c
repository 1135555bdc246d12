/*
 * mod_iri_client.c - the environment variable iri-charset
 *
 * The variable replaces IRICharset for a client.  BrowserMatch and SetEnvIf
 * set it in post_read_request, after the path was read once; then the path is
 * read again (mod_iri_read.c).  The field names that these directives test are
 * sent in Vary.  If no directive sets the variable, requests do not look it up;
 * else all charsets are loaded at startup.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <apr_lib.h>
#include <util_cfgtree.h>

#define MOD_IRI_VARIABLE "iri-charset"

const ap_directive_t *
mod_iri_next_directive(const ap_directive_t *directive)
{
    if (directive->first_child != NULL) {
        return directive->first_child;
    }
    while (directive->next == NULL && directive->parent != NULL) {
        directive = directive->parent;
    }
    return directive->next;
}

int
mod_iri_is_directive(const ap_directive_t *directive, const char *name)
{
    return ap_cstr_casecmp(directive->directive, name) == 0;
}

/* ---- fields for Vary ---------------------------------------------------- */

/* Must Vary list this name?  It is part of the URI, or no field, if not. */
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

/*
 * Add the header fields that an expression tests: HTTP_USER_AGENT is
 * User-Agent, HTTP:Accept-Language is Accept-Language.
 */
static void
mod_iri_add_fields(apr_pool_t *pool, const char *at, apr_table_t *fields)
{
    char *name, *c;

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
            apr_table_setn(fields, name, "");
        }
    }
}

/* args: NAME, !NAME or NAME=VALUE, separated by blanks */
static int
mod_iri_is_assigned(apr_pool_t *pool, const char *args, const char *name)
{
    const char *word;
    size_t      len = strlen(name);

    while (*args != '\0') {
        word = ap_getword_conf(pool, &args);
        word += *word == '!';
        if (ap_cstr_casecmpn(word, name, len) == 0
            && (word[len] == '\0' || word[len] == '='))
        {
            return 1;
        }
    }
    return 0;
}

/* Returns: 1 if it sets the variable; what it tests is in names and fields. */
static int
mod_iri_add_tests(apr_pool_t *pool, const ap_directive_t *at,
                  const char *variable, apr_table_t *names,
                  apr_table_t *fields)
{
    const char *args = at->args, *test = NULL, *expression;

    if (ap_cstr_casecmpn(at->directive, "BrowserMatch", 12) == 0) {
        test = "User-Agent";
    } else if (mod_iri_is_directive(at, "SetEnvIf")
               || mod_iri_is_directive(at, "SetEnvIfNoCase"))
    {
        test = ap_getword_conf(pool, &args);
    } else if (!mod_iri_is_directive(at, "SetEnvIfExpr")) {
        return 0;
    }
    expression = ap_getword_conf(pool, &args);
    if (!mod_iri_is_assigned(pool, args, variable)) {
        return 0;
    }
    if (test != NULL) {
        apr_table_setn(names, test, "");
    } else {
        mod_iri_add_fields(pool, expression, fields);
    }
    return 1;
}

/*
 * Add what the value of a variable or attribute depends on: to names, the
 * others that are tested; to fields, header fields of expressions, and name
 * itself if no directive sets it.  Returns: 1 if a directive sets it.
 */
static int
mod_iri_add_dependencies(apr_pool_t *pool, const char *name,
                         apr_table_t *names, apr_table_t *fields)
{
    const ap_directive_t *at;
    int                   is_set = 0;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        is_set |= mod_iri_add_tests(pool, at, name, names, fields);
    }
    if (!is_set && mod_iri_is_field(name)) {
        apr_table_setn(fields, name, "");
    }
    return is_set;
}

static const char *
mod_iri_key(const apr_table_t *table, int i)
{
    return APR_ARRAY_IDX(apr_table_elts(table), i, apr_table_entry_t).key;
}

/* Returns: mod_iri_server_conf_t.vary */
static const char *
mod_iri_vary_fields(apr_pool_t *pool, apr_pool_t *ptemp)
{
    apr_table_t *names = apr_table_make(ptemp, 4);
    apr_table_t *fields = apr_table_make(ptemp, 4);
    const char  *vary = "";
    int          i;

    if (!mod_iri_add_dependencies(ptemp, MOD_IRI_VARIABLE, names, fields)) {
        return NULL;
    }
    for (i = 0; i < apr_table_elts(names)->nelts; i++) {
        (void) mod_iri_add_dependencies(ptemp, mod_iri_key(names, i), names,
                                        fields);
    }
    for (i = 0; i < apr_table_elts(fields)->nelts; i++) {
        vary = apr_pstrcat(pool, vary, i > 0 ? ", " : "",
                           mod_iri_key(fields, i), NULL);
    }
    return vary;
}

int
mod_iri_client_prepare(server_rec *main_server, apr_pool_t *pconf,
                       apr_pool_t *ptemp, iri_registry_t *registry)
{
    const char *error, *vary;
    server_rec *s;

    vary = mod_iri_vary_fields(pconf, ptemp);
    if (vary == NULL) {
        return OK;
    }
    error = iri_registry_open_all(registry);
    if (error != NULL) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: the variable " MOD_IRI_VARIABLE " %s", error);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_server_conf(s)->vary = vary;
    }
    ap_log_error(APLOG_MARK, APLOG_INFO, 0, main_server,
                 "iri: the variable " MOD_IRI_VARIABLE
                 " depends on these header fields: %s",
                 *vary != '\0' ? vary : "none");
    return OK;
}

/* ---- requests ----------------------------------------------------------- */

const char *
mod_iri_client_charsets(const request_rec *r)
{
    return mod_iri_conf(r)->vary != NULL
               ? apr_table_get(r->subprocess_env, MOD_IRI_VARIABLE)
               : NULL;
}

const iri_reading_conf_t *
mod_iri_client_conf(request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_conf(r);
    const char                  *value = mod_iri_client_charsets(r), *why;
    iri_reading_conf_t          *own;
    iri_str_t                    word;
    iri_shown_t                  shown;

    if (value == NULL) {
        return &conf->reading;
    }
    own = apr_pmemdup(r->pool, &conf->reading, sizeof(*own));
    why = iri_charsets_parse(conf->registry, mod_iri_str(value),
                             &own->charsets, &word);
    if (why == NULL) {
        return own;
    }
    own->charsets.count = 0;
    if (r->main == NULL && r->prev == NULL) {
        mod_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_CHARSETS),
                     "\"%s\" in " MOD_IRI_VARIABLE
                     " %s: the request is read without charsets",
                     iri_show(&shown, word), why);
    }
    return own;
}

/* Returns: 1 if a rule has redirected a restarted request to r. */
static int
mod_iri_follows_restart(const request_rec *r)
{
    while (r->prev != NULL && !mod_iri_is_error_page(r)) {
        r = r->prev;
        if (mod_iri_has_restarted(mod_iri_request(r))) {
            return 1;
        }
    }
    return 0;
}

/*
 * Does the answer to r depend on the charsets of the client?  Before access is
 * granted, the lookup of a restarted request must not be revealed.
 */
static int
mod_iri_varies(const request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    return ctx != NULL && iri_request_varies(ctx->state)
           && (iri_request_state(ctx->state) == IRI_STATE_GRANTED
               || !mod_iri_follows_restart(r));
}

/* The answer depends also on the requests that were redirected to it. */
void
mod_iri_client_add_vary(request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_conf(r);
    const request_rec           *at = r;
    const char                  *vary;

    if (conf->vary == NULL || *conf->vary == '\0' || r->main != NULL
        || conf->engine != IRI_ENGINE_ON)
    {
        return;
    }
    while (at != NULL && !mod_iri_varies(at)) {
        at = at->prev;
    }
    vary = apr_table_get(r->err_headers_out, "Vary");
    if (at != NULL && (vary == NULL || strstr(vary, conf->vary) == NULL)) {
        apr_table_mergen(r->err_headers_out, "Vary", conf->vary);
    }
}
