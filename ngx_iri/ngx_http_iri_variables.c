/*
 * ngx_http_iri_variables.c - $iri_..., and getters of some nginx variables
 *
 * The variables $iri_... are evaluated when they are used, and do the lookups
 * that they need.  Where iri is off they are empty.
 *
 * The getters of some variables of nginx are wrapped.  $document_root,
 * $realpath_root and $request_filename must not see the script under root
 * (ngx_http_iri_root.c).  $request_filename, $uri and $document_uri must not
 * reveal a name before access to it is granted (ngx_http_iri_read.c).
 * $request_uri is canonical with iri_request_uri (ngx_http_iri_target.c).
 */

#include "ngx_http_iri.h"


/* ---- the path and its entry --------------------------------------------- */

/*
 * Returns: the canonical path of r->uri.  With iri report, r->uri has the
 * octets as sent.
 */
static ngx_str_t
ngx_http_iri_canonical_path(ngx_http_request_t *r)
{
    const iri_reading_t *reading = NULL;
    ngx_http_iri_ctx_t  *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL) {
        reading = iri_request_requested_reading(ctx->request);
    }

    if (reading != NULL
        && ngx_http_iri_str_equal(r->uri,
                                  ngx_http_iri_ngx_str(reading->octets)))
    {
        return ngx_http_iri_ngx_str(reading->path);
    }

    return ngx_http_iri_disclosed_uri(r);
}


/*
 * ---- values --------------------------------------------------------------
 *
 * Functions that return NGX_OK; NGX_DECLINED: there is no value; NGX_ERROR.
 * member: the offset of the value in an iri_host_t or iri_lookup_t.
 */

/*
 * Set *host to $host in U-labels and in A-labels.  With iri_host off, $host is
 * as the client has sent it.
 * Returns: NGX_OK; NGX_DECLINED if $host is not a host name; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_host_names(ngx_http_request_t *r, iri_host_t *host)
{
    iri_env_t                 env;
    ngx_str_t                 name = r->headers_in.server;
    ngx_http_core_srv_conf_t *cscf = ngx_http_iri_core_srv_conf(r);

    ngx_memzero(host, sizeof(iri_host_t));
    ngx_http_iri_env(r, &env);

    if (name.len == 0) {
        name = cscf->server_name;
    }

    if (iri_host_forms(&env, ngx_http_iri_host_rules(r),
                       ngx_http_iri_str(name), host)
        != IRI_OK)
    {
        return NGX_ERROR;
    }

    return host->verdict != IRI_REFUSE ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_host(ngx_http_request_t *r, iri_str_t *out, size_t member)
{
    iri_host_t host;
    ngx_int_t  rc = ngx_http_iri_host_names(r, &host);

    if (rc == NGX_OK) {
        *out = *(iri_str_t *) ((u_char *) &host + member);
    }

    return rc;
}


/* Set *port to ":" and the port in the field Host; empty if it has none. */
static void
ngx_http_iri_host_port(ngx_http_request_t *r, ngx_str_t *port)
{
    size_t    i;
    ngx_str_t value;

    ngx_str_null(port);

    if (r->headers_in.host == NULL) {
        return;
    }

    value = r->headers_in.host->value;

    for (i = value.len;
         i > 0 && value.data[i - 1] >= '0' && value.data[i - 1] <= '9'; i--)
    {
        /* void */
    }

    if (i > 0 && i < value.len && value.data[i - 1] == ':') {
        port->data = value.data + i - 1;
        port->len = value.len - i + 1;
    }
}


/* $iri: scheme, host, port, path and query in Unicode. */
static ngx_int_t
ngx_http_iri_full_iri(ngx_http_request_t *r, iri_str_t *out, size_t member)
{
    u_char     *p;
    ngx_int_t   rc;
    ngx_str_t   port, path;
    iri_env_t   env;
    iri_str_t   iri, query = { 0, NULL };
    iri_host_t  host;
    const char *scheme = "http";

    ngx_http_iri_env(r, &env);
    ngx_http_iri_host_port(r, &port);

    rc = ngx_http_iri_host_names(r, &host);

    if (rc == NGX_ERROR || ngx_http_iri_requested_path(r, &path) != NGX_OK
        || ngx_http_iri_query_value(r, &query) == NGX_ERROR
        || iri_path_to_iri(&env, ngx_http_iri_str(path), &iri) != IRI_OK)
    {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return NGX_DECLINED;
    }

#if (NGX_HTTP_SSL)
    if (r->connection->ssl) {
        scheme = "https";
    }
#endif

    p = ngx_pnalloc(r->pool, sizeof("https://?") + host.unicode.len + port.len
                                 + iri.len + query.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    out->data = p;
    out->len = ngx_sprintf(p, "%s://%*s%V%*s%s%*s", scheme, host.unicode.len,
                           host.unicode.data, &port, iri.len, iri.data,
                           query.len != 0 ? "?" : "", query.len, query.data)
               - p;

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_uri(ngx_http_request_t *r, iri_str_t *out, size_t member)
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
ngx_http_iri_form(ngx_http_request_t *r, iri_str_t *out, size_t member)
{
    iri_form_t          form = IRI_FORM_ASCII;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL) {
        form = iri_request_form(ctx->request,
                                ngx_http_iri_hides_found_name(r, ctx));
    }

    *out = ngx_http_iri_str(ngx_http_iri_text(iri_form_text(form)));

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_charset_name(ngx_http_request_t *r, iri_str_t *out,
                          size_t member)
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
ngx_http_iri_match(ngx_http_request_t *r, iri_str_t *out, size_t member)
{
    iri_env_t           env;
    iri_match_t         match = IRI_MATCH_NONE;
    iri_lookup_t       *found;
    ngx_http_iri_ctx_t *ctx;

    found = ngx_http_iri_find_uri(r, ngx_http_iri_canonical_path(r));
    ctx = ngx_http_iri_ctx(r);

    if (found != NULL && ctx != NULL) {
        ngx_http_iri_env(r, &env);
        match = iri_request_match(ctx->request, &env, found,
                                  ngx_http_iri_hides_found_name(r, ctx));
    }

    *out = ngx_http_iri_str(ngx_http_iri_text(iri_match_text(match)));

    return NGX_OK;
}


/* A member of the lookup of the canonical path, after it was split. */
static ngx_int_t
ngx_http_iri_file(ngx_http_request_t *r, iri_str_t *out, size_t member)
{
    iri_env_t     env;
    iri_lookup_t *found;

    found = ngx_http_iri_find_uri(r, ngx_http_iri_canonical_path(r));
    if (found == NULL) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    switch (iri_lookup_split(&env, found)) {
    case IRI_OK:
        *out = *(iri_str_t *) ((u_char *) found + member);
        return NGX_OK;

    case IRI_NOT_LISTED:
        return NGX_DECLINED;

    default:
        return NGX_ERROR;
    }
}


static ngx_int_t
ngx_http_iri_path(ngx_http_request_t *r, iri_str_t *out, size_t member)
{
    *out = ngx_http_iri_str(ngx_http_iri_canonical_path(r));

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_query(ngx_http_request_t *r, iri_str_t *out, size_t member)
{
    return ngx_http_iri_query_value(r, out);
}


static ngx_int_t
ngx_http_iri_request_uri(ngx_http_request_t *r, iri_str_t *out, size_t member)
{
    *out = ngx_http_iri_str(r->main->unparsed_uri);

    return NGX_OK;
}


/* ---- the variables ------------------------------------------------------- */

typedef struct {
    ngx_str_t name;
    ngx_int_t (*value)(ngx_http_request_t *r, iri_str_t *out, size_t member);
    size_t member;
} ngx_http_iri_variable_t;


static ngx_http_iri_variable_t ngx_http_iri_variables[] = {
    { ngx_string("iri"), ngx_http_iri_full_iri, 0 },
    { ngx_string("iri_path"), ngx_http_iri_path, 0 },
    { ngx_string("iri_uri"), ngx_http_iri_uri, 0 },
    { ngx_string("iri_form"), ngx_http_iri_form, 0 },
    { ngx_string("iri_charset"), ngx_http_iri_charset_name, 0 },
    { ngx_string("iri_match"), ngx_http_iri_match, 0 },
    { ngx_string("iri_filename"), ngx_http_iri_file,
      offsetof(iri_lookup_t, entry) },
    { ngx_string("iri_path_info"), ngx_http_iri_file,
      offsetof(iri_lookup_t, path_info) },
    { ngx_string("iri_query"), ngx_http_iri_query, 0 },
    { ngx_string("iri_request_uri"), ngx_http_iri_request_uri, 0 },
    { ngx_string("iri_host"), ngx_http_iri_host,
      offsetof(iri_host_t, unicode) },
    { ngx_string("iri_host_ascii"), ngx_http_iri_host,
      offsetof(iri_host_t, ascii) },
};


/* Set *v to a value that exists. */
static ngx_int_t
ngx_http_iri_set_value(ngx_http_variable_value_t *v, iri_str_t value)
{
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    v->len = value.len;
    v->data = (u_char *) value.data;

    return NGX_OK;
}


/* The getter of all variables.  data: the row of the variable. */
static ngx_int_t
ngx_http_iri_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v,
                      uintptr_t data)
{
    ngx_int_t                      rc = NGX_DECLINED;
    iri_str_t                      value = { 0, NULL };
    const ngx_http_iri_variable_t *row = (ngx_http_iri_variable_t *) data;

    if (ngx_http_iri_engine_of(r) != IRI_ENGINE_OFF) {
        rc = row->value(r, &value, row->member);
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    (void) ngx_http_iri_set_value(v, value);
    v->not_found = rc != NGX_OK;

    return NGX_OK;
}


/* Not cacheable: subrequests share the values, and r->uri may change. */
ngx_int_t
ngx_http_iri_variables_add(ngx_conf_t *cf)
{
    size_t               i;
    ngx_http_variable_t *var;

    for (i = 0;
         i < sizeof(ngx_http_iri_variables) / sizeof(ngx_http_iri_variable_t);
         i++)
    {
        var = ngx_http_add_variable(cf, &ngx_http_iri_variables[i].name,
                                    NGX_HTTP_VAR_NOCACHEABLE);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = ngx_http_iri_variable;
        var->data = (uintptr_t) &ngx_http_iri_variables[i];
    }

    return NGX_OK;
}


/* ---- iri_convert --------------------------------------------------------- */

/* A variable that iri_convert defines */
typedef struct {
    const iri_function_t    *function;
    const iri_charset_t     *charset; /* of encode; NULL: another function */
    ngx_http_complex_value_t text;
} ngx_http_iri_convert_t;


/* If the conversion fails, the core logs why, and the value is empty. */
static ngx_int_t
ngx_http_iri_convert_variable(ngx_http_request_t        *r,
                              ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t                text;
    iri_env_t                env;
    iri_converted_t          converted;
    iri_function_conf_t      conf;
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);
    ngx_http_iri_convert_t  *convert = (ngx_http_iri_convert_t *) data;

    ngx_memzero(&converted, sizeof(iri_converted_t));

    if (iscf->engine != IRI_ENGINE_OFF) {
        if (ngx_http_complex_value(r, &convert->text, &text) != NGX_OK) {
            return NGX_ERROR;
        }

        conf.charsets = &iscf->reading.charsets;
        conf.host = ngx_http_iri_host_rules(r);
        conf.encode = convert->charset;

        ngx_http_iri_env(r, &env);
        (void) iri_convert(&env, &conf, convert->function,
                           ngx_http_iri_str(text), &converted);
    }

    return ngx_http_iri_set_value(v, converted.value);
}


static char *
ngx_http_iri_set_convert(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    const char             *error;
    ngx_str_t              *value = cf->args->elts, name = value[1];
    ngx_http_variable_t    *var;
    ngx_http_iri_convert_t *convert;

    if (name.len < 2 || name.data[0] != '$') {
        return ngx_http_iri_conf_error(
            cf, "needs a variable as first argument, for example \"$name\"",
            1);
    }

    name.len--;
    name.data++;

    convert = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_convert_t));
    if (convert == NULL) {
        return NGX_CONF_ERROR;
    }

    error = iri_parse_function(ngx_http_iri_registry(cf),
                               ngx_http_iri_str(value[2]), &convert->function,
                               &convert->charset);
    if (error != NULL) {
        return ngx_http_iri_conf_error(cf, error, 2);
    }

    /* Variables in the text, such as $uri, may change. */
    var = ngx_http_add_variable(
        cf, &name, NGX_HTTP_VAR_CHANGEABLE | NGX_HTTP_VAR_NOCACHEABLE);
    if (var == NULL) {
        return NGX_CONF_ERROR;
    }

    if (var->get_handler == ngx_http_iri_convert_variable) {
        return "defines a variable that is defined already";
    }

    if (ngx_http_iri_compile(cf, &value[3], &convert->text) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    var->get_handler = ngx_http_iri_convert_variable;
    var->data = (uintptr_t) convert;

    return ngx_http_iri_check_setting(cf, NULL);
}


/* clang-format off */

static ngx_command_t ngx_http_iri_convert_commands[] = {

    { ngx_string("iri_convert"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE3,
      ngx_http_iri_set_convert,
      0,
      0,
      NULL },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_convert_module_ctx = {
    .preconfiguration = NULL, /* the module has directives only */
};


ngx_module_t ngx_http_iri_convert_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_convert_module_ctx, ngx_http_iri_convert_commands, NULL);

/* clang-format on */


/* ---- variables of nginx ------------------------------------------------- */

/* Call the getter of nginx.  data: nginx's variable. */
static ngx_int_t
ngx_http_iri_nginx_getter(ngx_http_request_t *r, ngx_http_variable_value_t *v,
                          uintptr_t data)
{
    const ngx_http_variable_t *nginx = (ngx_http_variable_t *) data;

    return nginx->get_handler(r, v, nginx->data);
}


/* Call nginx's getter with the configured root instead of the script. */
static ngx_int_t
ngx_http_iri_configured_getter(ngx_http_request_t        *r,
                               ngx_http_variable_value_t *v, uintptr_t data)
{
    void    **loc_conf = r->loc_conf;
    ngx_int_t rc;

    r->loc_conf = ngx_http_iri_configured(r);
    rc = ngx_http_iri_nginx_getter(r, v, data);
    r->loc_conf = loc_conf;

    return rc;
}


/* Call nginx's getter with the path that may be disclosed. */
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


/*
 * If root has variables, or alias does not replace a prefix of r->uri, call
 * nginx's getter with the script under root.
 */
static ngx_int_t
ngx_http_iri_filename_getter(ngx_http_request_t        *r,
                             ngx_http_variable_value_t *v, uintptr_t data)
{
    void                   **loc_conf = r->loc_conf;
    unsigned                 valid = r->valid_location;
    unsigned                 changed = r->uri_changed;
    ngx_int_t                rc;
    ngx_str_t                name, uri = r->uri;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    r->uri = ngx_http_iri_disclosed_uri(r);
    rc = ngx_http_iri_filename_of(r, r->uri, &name);

    if (rc == NGX_OK) {
        (void) ngx_http_iri_set_value(v, ngx_http_iri_str(name));

    } else if (rc == NGX_DECLINED) {
        r->loc_conf = ilcf->scripted != NULL ? ilcf->scripted : loc_conf;

        /* nginx tests these flags below alias, as which the script appears. */
        if (ilcf->scripted != NULL && ilcf->clcf->alias == 0) {
            r->valid_location = 1;
            r->uri_changed = 0;
        }

        rc = ngx_http_iri_nginx_getter(r, v, data);
    }

    r->uri = uri;
    r->loc_conf = loc_conf;
    r->valid_location = valid;
    r->uri_changed = changed;

    return rc;
}


/* Not cacheable: a restart and an error page change the value. */
static ngx_int_t
ngx_http_iri_target_getter(ngx_http_request_t        *r,
                           ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t target;
    ngx_int_t rc = ngx_http_iri_target(r, &target);

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? ngx_http_iri_nginx_getter(r, v, data)
                                  : rc;
    }

    (void) ngx_http_iri_set_value(v, ngx_http_iri_str(target));
    v->no_cacheable = 1;

    return NGX_OK;
}


static const struct {
    ngx_str_t                name;
    ngx_http_get_variable_pt getter;
} ngx_http_iri_wrapped[] = {
    { ngx_string("document_root"), ngx_http_iri_configured_getter },
    { ngx_string("realpath_root"), ngx_http_iri_configured_getter },
    { ngx_string("request_filename"), ngx_http_iri_filename_getter },
    { ngx_string("uri"), ngx_http_iri_path_getter },
    { ngx_string("document_uri"), ngx_http_iri_path_getter },
    { ngx_string("request_uri"), ngx_http_iri_target_getter },
};


static ngx_int_t
ngx_http_iri_wrap_variable(ngx_conf_t *cf, const ngx_hash_key_t *key)
{
    size_t               i, n;
    ngx_http_variable_t *v = key->value, *nginx;

    n = sizeof(ngx_http_iri_wrapped) / sizeof(ngx_http_iri_wrapped[0]);

    for (i = 0; i < n; i++) {
        if (!ngx_http_iri_str_equal(key->key, ngx_http_iri_wrapped[i].name)) {
            continue;
        }

        nginx = ngx_palloc(cf->pool, sizeof(ngx_http_variable_t));
        if (nginx == NULL) {
            return NGX_ERROR;
        }

        *nginx = *v;
        v->get_handler = ngx_http_iri_wrapped[i].getter;
        v->data = (uintptr_t) nginx;
    }

    return NGX_OK;
}


/* nginx resolves the names of variables after postconfiguration. */
ngx_int_t
ngx_http_iri_variables_wrap(ngx_conf_t *cf)
{
    ngx_uint_t                 i;
    ngx_hash_key_t            *key;
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_conf_core_main(cf);

    key = cmcf->variables_keys->keys.elts;

    for (i = 0; i < cmcf->variables_keys->keys.nelts; i++) {
        if (ngx_http_iri_wrap_variable(cf, &key[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
