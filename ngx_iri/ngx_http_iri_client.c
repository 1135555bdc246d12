/*
 * ngx_http_iri_client.c - iri_charset $variable: charsets for each client
 *
 * The value of the variable, for example of a map of $http_user_agent, is the
 * list of charsets with which the request is read.  The variable is evaluated
 * when the first path that is not ASCII is read.  nginx caches the values of
 * variables, and rules must not see values that were computed from a path that
 * was not canonical.  So all variables are restored afterwards.  The field Vary
 * lists the request header fields on which the value depends.
 *
 * The value may name any charset, so all are opened when the configuration is
 * read.
 */

#include "ngx_http_iri_header.h"


/* ---- the directive ------------------------------------------------------ */

char *
ngx_http_iri_client_set(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf,
                        iri_registry_t *registry)
{
    ngx_str_t  *value = cf->args->elts, name;
    const char *error;

    if (cf->args->nelts != 2) {
        return "takes either one variable, or charsets";
    }

    error = iri_registry_open_all(registry);
    if (error != NULL) {
        return (char *) error;
    }

    iscf->charset_variable = ngx_pcalloc(
        cf->pool, sizeof(ngx_http_iri_charset_variable_t));
    if (iscf->charset_variable == NULL) {
        return NGX_CONF_ERROR;
    }

    name.data = value[1].data + 1;
    name.len = value[1].len - 1;

    iscf->charset_variable->registry = registry;
    iscf->charset_variable->name = value[1];
    iscf->charset_variable->index = ngx_http_get_variable_index(cf, &name);

    return iscf->charset_variable->index != NGX_ERROR ? NGX_CONF_OK
                                                      : NGX_CONF_ERROR;
}


/* ---- header fields that the variable depends on ------------------------- */

static ngx_uint_t
ngx_http_iri_has_prefix(const ngx_str_t *name, const char *with, size_t len)
{
    return name->len > len && ngx_strncmp(name->data, with, len) == 0;
}


/*
 * Returns: 1 for $http_... and $cookie_...; 0 for $http_host, since the host is
 * part of every cache key.
 */
static ngx_uint_t
ngx_http_iri_is_field_variable(const ngx_str_t *name)
{
    return (ngx_http_iri_has_prefix(name, "http_", 5)
            && !(name->len == 9
                 && ngx_strncmp(name->data, "http_host", 9) == 0))
           || ngx_http_iri_has_prefix(name, "cookie_", 7);
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
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
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
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
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
ngx_http_iri_client_parse(ngx_http_request_t                    *r,
                          const ngx_http_iri_charset_variable_t *conf,
                          ngx_http_variable_value_t *vv, iri_charsets_t *list)
{
    iri_str_t   value, wrong;
    const char *why;
    iri_shown_t shown;

    list->count = 0;

    if (vv == NULL || vv->not_found) {
        return;
    }

    value.data = vv->data;
    value.len = vv->len;

    why = iri_charsets_parse(conf->registry, value, list, &wrong);
    if (why == NULL) {
        return;
    }

    list->count = 0;
    ngx_http_iri_note(
        r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_CHARSETS),
        "\"%s\" in %.*s %s: the request is read without charsets",
        iri_show(&shown, wrong), (int) conf->name.len,
        (char *) conf->name.data, why);
}


static ngx_http_iri_client_t *
ngx_http_iri_client_evaluate(ngx_http_request_t            *r,
                             const ngx_http_iri_srv_conf_t *iscf)
{
    ngx_int_t               rc;
    ngx_http_iri_client_t  *client;
    ngx_http_iri_snapshot_t snapshot;

    client = ngx_pcalloc(r->pool, sizeof(ngx_http_iri_client_t));
    if (client == NULL || ngx_http_iri_snapshot(r, &snapshot) != NGX_OK) {
        return NULL;
    }

    client->reading = iscf->reading;

    ngx_http_iri_invalidate_fields(r, iscf->charset_variable->index);
    ngx_http_iri_client_parse(
        r, iscf->charset_variable,
        ngx_http_get_indexed_variable(r, iscf->charset_variable->index),
        &client->reading.charsets);
    rc = ngx_http_iri_client_vary(r, &client->vary);

    return ngx_http_iri_variables_restore(r, &snapshot) == NGX_OK
                   && rc == NGX_OK
               ? client
               : NULL;
}


const iri_reading_conf_t *
ngx_http_iri_reading_conf(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t   *iscf;
    ngx_http_iri_header_ctx_t *ctx;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (iscf->charset_variable == NULL) {
        return &iscf->reading;
    }

    /* Subrequests use the value of the main request, if this has a context. */
    if (ngx_http_iri_ctx(r->main) != NULL) {
        r = r->main;
    }

    ctx = ngx_http_iri_header_ctx_get_or_create(r);
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
    ngx_http_iri_ctx_t        *base = ngx_http_iri_ctx(r);
    ngx_http_iri_header_ctx_t *ctx = ngx_http_iri_header_ctx(r);

    if (ctx == NULL || ctx->client == NULL || ctx->client->vary.len == 0
        || !iri_request_varies(base->request))
    {
        return NGX_OK;
    }

    return ngx_http_iri_header_add(r, "Vary", ctx->client->vary) != NULL
               ? NGX_OK
               : NGX_ERROR;
}
