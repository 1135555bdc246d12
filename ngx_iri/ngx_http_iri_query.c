/*
 * ngx_http_iri_query.c - iri_query_charset and iri_convert
 *
 * The query is converted to UTF-8 in r->args before any rule runs, so that
 * $args, $arg_... and upstream requests have it.  $request_uri and
 * r->unparsed_uri keep the query as sent.
 *
 * iri_convert defines a variable: a function of the core applied to a text.
 * It is evaluated each time it is used.
 */

#include "ngx_http_iri.h"


/* A variable of iri_convert. */
typedef struct {
    const iri_function_t    *function;
    ngx_http_complex_value_t text;
} ngx_http_iri_convert_t;


/* ---- the query ---------------------------------------------------------- */

/* NGX_OK; NGX_DECLINED: args need no conversion; NGX_ERROR. */
static ngx_int_t
ngx_http_iri_read_args(ngx_http_request_t *r, iri_str_t args, iri_env_t *env,
                       iri_query_t *query)
{
    iri_status_t             status;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (!iri_query_needs_read(&iscf->query, args)) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, env);

    status = iri_query_read(env, &iscf->query, args, query);
    if (status != IRI_OK) {
        ngx_http_iri_note_error(r, "the query could not be read", status);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/*
 * If the request-target cannot be sent upstream, nginx escapes r->uri instead.
 * NGX_OK: that is equivalent to the path as sent.  NGX_DECLINED: it is not; the
 * path had an escaped slash, or slashes that were merged.  NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_path_is_unchanged(ngx_http_request_t *r, const iri_env_t *env)
{
    size_t    len;
    u_char   *p;
    iri_str_t made, sent;

    len = r->uri.len
          + 2 * ngx_escape_uri(NULL, r->uri.data, r->uri.len, NGX_ESCAPE_URI);

    p = ngx_pnalloc(r->pool, len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    made.data = p;
    made.len = len;
    (void) ngx_escape_uri(p, r->uri.data, r->uri.len, NGX_ESCAPE_URI);

    if (iri_uri_normalize(env, made, &made) != IRI_OK
        || iri_uri_normalize(env, ngx_http_iri_sent_path(r), &sent) != IRI_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_iri_same(ngx_http_iri_ngx_str(made),
                             ngx_http_iri_ngx_str(sent))
               ? NGX_OK
               : NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_args(ngx_http_request_t *r)
{
    ngx_int_t   rc;
    iri_env_t   env;
    iri_query_t query;

    rc = ngx_http_iri_read_args(r, ngx_http_iri_str(r->args), &env, &query);
    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_OK : rc;
    }

    if (query.query.data != r->args.data) {
        r->args = ngx_http_iri_ngx_str(query.query);

        /*
         * The upstream must not get the query as sent.  Exception: without the
         * request-target it would get another path.
         */
        rc = r->valid_unparsed_uri ? ngx_http_iri_path_is_unchanged(r, &env)
                                   : NGX_DECLINED;
        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_OK) {
            r->valid_unparsed_uri = 0;
        }
    }

    return NGX_OK;
}


void
ngx_http_iri_report_args(ngx_http_request_t *r)
{
    iri_env_t    env;
    iri_query_t  query;
    iri_notes_t *notes, once;

    if (ngx_http_iri_read_args(r, ngx_http_iri_str(r->args), &env, &query)
            == NGX_OK
        && query.why != IRI_QUERY_UTF8
        && ngx_http_iri_notes_wanted(r, IRI_LOG_INFO))
    {
        notes = ngx_http_iri_notes_begin(r, &once);
        iri_note_query(notes, &query);
        ngx_http_iri_notes_end(r, notes, &once);
    }
}


ngx_int_t
ngx_http_iri_query_value(ngx_http_request_t *r, iri_str_t *out)
{
    ngx_int_t   rc;
    iri_env_t   env;
    iri_query_t query;

    if (!ngx_http_iri_requested_query(r, out) || out->len == 0) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_read_args(r, *out, &env, &query);
    if (rc == NGX_OK) {
        *out = query.query;
    }

    return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_http_iri_query_sent(ngx_http_request_t *r, iri_query_t *query)
{
    iri_env_t env;
    iri_str_t sent;

    return ngx_http_iri_query(r, &sent)
               ? ngx_http_iri_read_args(r, sent, &env, query)
               : NGX_DECLINED;
}


/* ---- iri_convert -------------------------------------------------------- */

/* The value is empty if the conversion fails, which the core logs. */
static ngx_int_t
ngx_http_iri_convert_variable(ngx_http_request_t        *r,
                              ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t                text;
    iri_env_t                env;
    iri_converted_t          converted;
    iri_function_conf_t      conf;
    ngx_http_iri_srv_conf_t *iscf;
    ngx_http_iri_convert_t  *convert = (ngx_http_iri_convert_t *) data;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    ngx_memzero(&converted, sizeof(iri_converted_t));

    if (iscf->engine != IRI_ENGINE_OFF) {
        if (ngx_http_complex_value(r, &convert->text, &text) != NGX_OK) {
            return NGX_ERROR;
        }

        conf.charsets = &iscf->reading.charsets;
        conf.host = &iscf->host;

        ngx_http_iri_env(r, &env);
        (void) iri_convert(&env, &conf, convert->function,
                           ngx_http_iri_str(text), &converted);
    }

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    v->len = converted.value.len;
    v->data = (u_char *) converted.value.data;

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_convert_compile(ngx_conf_t *cf, ngx_http_iri_convert_t *convert,
                             ngx_str_t *text)
{
    ngx_http_compile_complex_value_t ccv;

    ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));

    ccv.cf = cf;
    ccv.value = text;
    ccv.complex_value = &convert->text;

    return ngx_http_compile_complex_value(&ccv);
}


char *
ngx_http_iri_convert(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    const char             *error;
    ngx_str_t              *value = cf->args->elts, name = value[1];
    ngx_http_variable_t    *var;
    ngx_http_iri_convert_t *convert;

    (void) cmd;
    (void) conf;

    if (name.len < 2 || name.data[0] != '$') {
        return ngx_http_iri_conf_wrong(
            cf, "takes the name of a variable first, for example \"$name\"",
            1);
    }

    name.len--;
    name.data++;

    convert = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_convert_t));
    if (convert == NULL) {
        return NGX_CONF_ERROR;
    }

    error = iri_parse_function(ngx_http_iri_str(value[2]),
                               &convert->function);
    if (error != NULL) {
        return ngx_http_iri_conf_wrong(cf, error, 2);
    }

    /* Not cacheable: variables in the text, such as $uri, may change. */
    var = ngx_http_add_variable(
        cf, &name, NGX_HTTP_VAR_CHANGEABLE | NGX_HTTP_VAR_NOCACHEABLE);
    if (var == NULL) {
        return NGX_CONF_ERROR;
    }

    if (var->get_handler == ngx_http_iri_convert_variable) {
        return "defines that variable a second time";
    }

    if (ngx_http_iri_convert_compile(cf, convert, &value[3]) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    var->get_handler = ngx_http_iri_convert_variable;
    var->data = (uintptr_t) convert;

    return ngx_http_iri_check_setting(cf, NULL);
}
