/*
 * ngx_http_iri_variables.c - $iri_..., and getters of some nginx variables
 *
 * The variables $iri_... are evaluated when they are used.  An ASCII path is
 * looked up on disk only then.  Where iri is off they are empty.
 *
 * The getters of $document_root, $realpath_root and $request_filename are
 * wrapped, because they must not see the script under root
 * (ngx_http_iri_root.c).  $request_filename, $uri and $document_uri do not
 * disclose a name before access to it is granted (ngx_http_iri_requested.c).
 */

#include "ngx_http_iri.h"


typedef enum {
    NGX_HTTP_IRI_VAR_IRI,
    NGX_HTTP_IRI_VAR_PATH,
    NGX_HTTP_IRI_VAR_URI,
    NGX_HTTP_IRI_VAR_FORM,
    NGX_HTTP_IRI_VAR_CHARSET,
    NGX_HTTP_IRI_VAR_MATCH,
    NGX_HTTP_IRI_VAR_FILENAME,
    NGX_HTTP_IRI_VAR_PATH_INFO,
    NGX_HTTP_IRI_VAR_QUERY,
    NGX_HTTP_IRI_VAR_HOST,
    NGX_HTTP_IRI_VAR_HOST_ASCII
} ngx_http_iri_variable_e;


static ngx_int_t
ngx_http_iri_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v,
                      uintptr_t data);


/* clang-format off */

/* Not cacheable: subrequests share the values, and the path may change. */
static ngx_http_variable_t ngx_http_iri_variables[] = {

    { ngx_string("iri"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_IRI, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_path"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_PATH, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_uri"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_URI, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_form"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_FORM, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_charset"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_CHARSET, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_match"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_MATCH, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_filename"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_FILENAME, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_path_info"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_PATH_INFO, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_query"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_QUERY, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_host"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_HOST, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("iri_host_ascii"), NULL, ngx_http_iri_variable,
      NGX_HTTP_IRI_VAR_HOST_ASCII, NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};

/* clang-format on */


static ngx_str_t ngx_http_iri_wrapped[NGX_HTTP_IRI_WRAPPED] = {
    ngx_string("document_root"), ngx_string("realpath_root"),
    ngx_string("request_filename"), ngx_string("uri"),
    ngx_string("document_uri")
};


/* ---- the path and its entry --------------------------------------------- */

static iri_str_t
ngx_http_iri_text(const char *text)
{
    iri_str_t s;

    s.len = ngx_strlen(text);
    s.data = (const unsigned char *) text;

    return s;
}


/* The canonical path, also where r->uri has the octets as sent (iri report). */
static ngx_str_t
ngx_http_iri_canonical_path(ngx_http_request_t *r)
{
    const iri_reading_t *reading = NULL;
    ngx_http_iri_ctx_t  *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL) {
        reading = iri_request_requested_reading(ctx->request);
    }

    if (reading != NULL
        && ngx_http_iri_same(r->uri, ngx_http_iri_ngx_str(reading->octets)))
    {
        return ngx_http_iri_ngx_str(reading->path);
    }

    return ngx_http_iri_disclosed_uri(r);
}


static iri_lookup_t *
ngx_http_iri_found(ngx_http_request_t *r)
{
    return ngx_http_iri_find_uri(r, ngx_http_iri_canonical_path(r));
}


/* ---- values ------------------------------------------------------------- */

/* The value of $host. */
static ngx_str_t
ngx_http_iri_host(ngx_http_request_t *r)
{
    ngx_http_core_srv_conf_t *cscf;

    if (r->headers_in.server.len != 0) {
        return r->headers_in.server;
    }

    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);

    return cscf->server_name;
}


/*
 * The host in U-labels and in A-labels.  With iri_host off, $host may still be
 * as the client sent it.  host->verdict IRI_REFUSE: it is not a host name.
 */
static ngx_int_t
ngx_http_iri_host_names(ngx_http_request_t *r, iri_host_t *host)
{
    iri_env_t                env;
    iri_status_t             status;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    ngx_http_iri_env(r, &env);
    status = iri_host_forms(&env, &iscf->host,
                            ngx_http_iri_str(ngx_http_iri_host(r)), host);

    return status == IRI_OK ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_iri_host_form(ngx_http_request_t *r, uintptr_t data, iri_str_t *out)
{
    iri_host_t host;

    if (ngx_http_iri_host_names(r, &host) != NGX_OK) {
        return NGX_ERROR;
    }

    if (host.verdict == IRI_REFUSE) {
        return NGX_DECLINED;
    }

    *out = data == NGX_HTTP_IRI_VAR_HOST ? host.unicode : host.ascii;

    return NGX_OK;
}


/* The port of the Host field with its ":"; empty: none. */
static void
ngx_http_iri_port(ngx_http_request_t *r, ngx_str_t *port)
{
    size_t    i;
    ngx_str_t value;

    ngx_str_null(port);

    if (r->headers_in.host == NULL) {
        return;
    }

    value = r->headers_in.host->value;

    for (i = value.len; i > 0; i--) {
        if (value.data[i - 1] < '0' || value.data[i - 1] > '9') {
            break;
        }
    }

    if (i > 0 && i < value.len && value.data[i - 1] == ':') {
        port->data = value.data + i - 1;
        port->len = value.len - i + 1;
    }
}


/* $iri: scheme, host, port, path and query in Unicode. */
static ngx_int_t
ngx_http_iri_full_iri(ngx_http_request_t *r, iri_str_t *out)
{
    u_char    *p;
    ngx_str_t  port, path, scheme = ngx_string("http");
    iri_env_t  env;
    iri_str_t  iri, query = { 0, NULL };
    iri_host_t host;

    ngx_http_iri_env(r, &env);
    ngx_http_iri_port(r, &port);

    if (ngx_http_iri_host_names(r, &host) != NGX_OK
        || ngx_http_iri_requested_path(r, &path) != NGX_OK
        || ngx_http_iri_query_value(r, &query) == NGX_ERROR
        || iri_path_to_iri(&env, ngx_http_iri_str(path), &iri) != IRI_OK)
    {
        return NGX_ERROR;
    }

    if (host.verdict == IRI_REFUSE) {
        return NGX_DECLINED;
    }

#if (NGX_HTTP_SSL)
    if (r->connection->ssl) {
        ngx_str_set(&scheme, "https");
    }
#endif

    p = ngx_pnalloc(r->pool, scheme.len + sizeof("://") + host.unicode.len
                                 + port.len + iri.len + sizeof("?")
                                 + query.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    out->data = p;
    p = ngx_cpymem(p, scheme.data, scheme.len);
    p = ngx_cpymem(p, "://", sizeof("://") - 1);
    p = ngx_cpymem(p, host.unicode.data, host.unicode.len);

    if (port.len != 0) {
        p = ngx_cpymem(p, port.data, port.len);
    }

    /* an invalid request line has no path */
    if (iri.len != 0) {
        p = ngx_cpymem(p, iri.data, iri.len);
    }

    if (query.len != 0) {
        *p++ = '?';
        p = ngx_cpymem(p, query.data, query.len);
    }

    out->len = p - out->data;

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_uri(ngx_http_request_t *r, iri_str_t *out)
{
    iri_env_t env;
    ngx_str_t path;

    ngx_http_iri_env(r, &env);

    return ngx_http_iri_requested_path(r, &path) == NGX_OK
                   && iri_path_to_uri(&env, ngx_http_iri_str(path), out)
                          == IRI_OK
               ? NGX_OK
               : NGX_ERROR;
}


static ngx_int_t
ngx_http_iri_form(ngx_http_request_t *r, iri_str_t *out)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    *out = ngx_http_iri_text(
        iri_form_text(ctx != NULL ? iri_request_form(
                          ctx->request, ngx_http_iri_hides_found_name(r, ctx))
                                  : IRI_FORM_ASCII));

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_charset_name(ngx_http_request_t *r, iri_str_t *out)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx == NULL) {
        return NGX_DECLINED;
    }

    *out = iri_request_charset(ctx->request,
                               ngx_http_iri_hides_found_name(r, ctx));

    return out->len != 0 ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_match(ngx_http_request_t *r, iri_str_t *out)
{
    iri_env_t           env;
    iri_match_t         match = IRI_MATCH_NONE;
    iri_lookup_t       *found = ngx_http_iri_found(r);
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (found != NULL && ctx != NULL) {
        ngx_http_iri_env(r, &env);
        match = iri_request_match(ctx->request, &env, found,
                                  ngx_http_iri_hides_found_name(r, ctx));
    }

    *out = ngx_http_iri_text(iri_match_text(match));

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_split_part(ngx_http_request_t *r, uintptr_t data, iri_str_t *out)
{
    iri_env_t     env;
    iri_lookup_t *found = ngx_http_iri_found(r);

    if (found == NULL) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    switch (iri_lookup_split(&env, found)) {
    case IRI_OK:
        *out = data == NGX_HTTP_IRI_VAR_FILENAME ? found->entry
                                                 : found->path_info;
        return NGX_OK;

    case IRI_NOT_LISTED:
        return NGX_DECLINED;

    default:
        return NGX_ERROR;
    }
}


static ngx_int_t
ngx_http_iri_value(ngx_http_request_t *r, uintptr_t data, iri_str_t *out)
{
    switch (data) {
    case NGX_HTTP_IRI_VAR_IRI:
        return ngx_http_iri_full_iri(r, out);

    case NGX_HTTP_IRI_VAR_PATH:
        *out = ngx_http_iri_str(ngx_http_iri_canonical_path(r));
        return NGX_OK;

    case NGX_HTTP_IRI_VAR_URI:
        return ngx_http_iri_uri(r, out);

    case NGX_HTTP_IRI_VAR_FORM:
        return ngx_http_iri_form(r, out);

    case NGX_HTTP_IRI_VAR_CHARSET:
        return ngx_http_iri_charset_name(r, out);

    case NGX_HTTP_IRI_VAR_MATCH:
        return ngx_http_iri_match(r, out);

    case NGX_HTTP_IRI_VAR_QUERY:
        return ngx_http_iri_query_value(r, out);

    case NGX_HTTP_IRI_VAR_HOST:
    case NGX_HTTP_IRI_VAR_HOST_ASCII:
        return ngx_http_iri_host_form(r, data, out);

    default:
        return ngx_http_iri_split_part(r, data, out);
    }
}


static ngx_int_t
ngx_http_iri_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v,
                      uintptr_t data)
{
    ngx_int_t                rc = NGX_DECLINED;
    iri_str_t                value = { 0, NULL };
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (iscf->engine != IRI_ENGINE_OFF) {
        rc = ngx_http_iri_value(r, data, &value);
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = rc != NGX_OK;
    v->len = value.len;
    v->data = (u_char *) value.data;

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_variables_add(ngx_conf_t *cf)
{
    ngx_http_variable_t *var, *v;

    for (v = ngx_http_iri_variables; v->name.len; v++) {
        var = ngx_http_add_variable(cf, &v->name, v->flags);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get_handler;
        var->data = v->data;
    }

    return NGX_OK;
}


/* ---- variables of nginx ------------------------------------------------- */

/* Call the getter of nginx; data: ngx_http_iri_wrapped_t. */

static ngx_int_t
ngx_http_iri_nginx_getter(ngx_http_request_t *r, ngx_http_variable_value_t *v,
                          uintptr_t data)
{
    const ngx_http_iri_getter_t *getter;
    ngx_http_iri_main_conf_t    *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
    getter = &imcf->getters[data];

    return getter->handler(r, v, getter->data);
}


/* nginx's getter with the configured root instead of the script. */
static ngx_int_t
ngx_http_iri_plain_getter(ngx_http_request_t *r, ngx_http_variable_value_t *v,
                          uintptr_t data)
{
    void                   **loc_conf = r->loc_conf;
    ngx_int_t                rc;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ilcf->plain_conf != NULL) {
        r->loc_conf = ilcf->plain_conf;
    }

    rc = ngx_http_iri_nginx_getter(r, v, data);

    r->loc_conf = loc_conf;

    return rc;
}


/*
 * nginx's getter with the script under root, for a root with variables or an
 * alias that does not match the path.
 */
static ngx_int_t
ngx_http_iri_scripted_getter(ngx_http_request_t        *r,
                             ngx_http_variable_value_t *v, uintptr_t data)
{
    void                   **loc_conf = r->loc_conf;
    unsigned                 valid = r->valid_location;
    unsigned                 changed = r->uri_changed;
    ngx_int_t                rc;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ilcf->plain_conf != NULL) {
        r->loc_conf = ilcf->loc_conf;

        /* nginx tests both under alias, which the script looks like. */
        if (ilcf->plain->alias == 0) {
            r->valid_location = 1;
            r->uri_changed = 0;
        }
    }

    rc = ngx_http_iri_nginx_getter(r, v, data);

    r->loc_conf = loc_conf;
    r->valid_location = valid;
    r->uri_changed = changed;

    return rc;
}


/* nginx's getter with the path that may be disclosed. */
static ngx_int_t
ngx_http_iri_path_getter(ngx_http_request_t *r, ngx_http_variable_value_t *v,
                         uintptr_t data)
{
    ngx_int_t rc;
    ngx_str_t uri = r->uri;

    r->uri = ngx_http_iri_disclosed_uri(r);
    rc = ngx_http_iri_nginx_getter(r, v, data);
    r->uri = uri;

    return rc;
}


static ngx_int_t
ngx_http_iri_filename_getter(ngx_http_request_t        *r,
                             ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_int_t rc;
    ngx_str_t name, uri = r->uri;

    r->uri = ngx_http_iri_disclosed_uri(r);
    rc = ngx_http_iri_filename_of(r, r->uri, &name);

    if (rc == NGX_OK) {
        v->valid = 1;
        v->no_cacheable = 0;
        v->not_found = 0;
        v->len = name.len;
        v->data = name.data;

    } else if (rc == NGX_DECLINED) {
        rc = ngx_http_iri_scripted_getter(r, v, data);
    }

    r->uri = uri;

    return rc;
}


/* In the order of ngx_http_iri_wrapped_t. */
static const ngx_http_get_variable_pt
    ngx_http_iri_getters[NGX_HTTP_IRI_WRAPPED] = {
        ngx_http_iri_plain_getter,    ngx_http_iri_plain_getter,
        ngx_http_iri_filename_getter, ngx_http_iri_path_getter,
        ngx_http_iri_path_getter,
    };


static void
ngx_http_iri_wrap_variable(ngx_http_iri_main_conf_t *imcf,
                           ngx_hash_key_t           *key)
{
    ngx_uint_t           i;
    ngx_http_variable_t *v = key->value;

    for (i = 0; i < NGX_HTTP_IRI_WRAPPED; i++) {
        if (key->key.len != ngx_http_iri_wrapped[i].len
            || ngx_strncmp(key->key.data, ngx_http_iri_wrapped[i].data,
                           key->key.len)
                   != 0)
        {
            continue;
        }

        imcf->getters[i].handler = v->get_handler;
        imcf->getters[i].data = v->data;
        v->get_handler = ngx_http_iri_getters[i];
        v->data = i;
    }
}


/* Runs in postconfiguration: nginx resolves the names of variables later. */
ngx_int_t
ngx_http_iri_variables_wrap(ngx_conf_t *cf)
{
    ngx_uint_t                 i;
    ngx_hash_key_t            *key;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_main_conf_t *cmcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    if (imcf->hooks.nelts == 0) {
        return NGX_OK;
    }

    key = cmcf->variables_keys->keys.elts;

    for (i = 0; i < cmcf->variables_keys->keys.nelts; i++) {
        ngx_http_iri_wrap_variable(imcf, &key[i]);
    }

    return NGX_OK;
}
