/*
 * ngx_http_iri_convert.c - iri_convert
 *
 * Defines a variable whose value is the result of a function of the core for a
 * text.
 */

#include "ngx_http_iri_host.h"


/* A variable that iri_convert defines */
typedef struct {
    const iri_function_t    *function;
    ngx_http_complex_value_t text;
} ngx_http_iri_convert_t;


static char *
ngx_http_iri_convert(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


/* clang-format off */

static ngx_command_t ngx_http_iri_convert_commands[] = {

    { ngx_string("iri_convert"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE3,
      ngx_http_iri_convert,
      0,
      0,
      NULL },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_convert_module_ctx = {
    NULL,                                  /* preconfiguration */
    NULL,                                  /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t ngx_http_iri_convert_module = {
    NGX_MODULE_V1,
    &ngx_http_iri_convert_module_ctx,      /* module context */
    ngx_http_iri_convert_commands,         /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};

/* clang-format on */


/* If the conversion fails, the core logs why, and the value is empty. */
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
        conf.host = ngx_http_iri_host_rules(r);

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


static char *
ngx_http_iri_convert(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    const char             *error;
    ngx_str_t              *value = cf->args->elts, name = value[1];
    ngx_http_variable_t    *var;
    ngx_http_iri_convert_t *convert;

    (void) cmd;
    (void) conf;

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

    error = iri_parse_function(ngx_http_iri_str(value[2]),
                               &convert->function);
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

    if (ngx_http_iri_convert_compile(cf, convert, &value[3]) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    var->get_handler = ngx_http_iri_convert_variable;
    var->data = (uintptr_t) convert;

    return ngx_http_iri_check_setting(cf, NULL);
}
