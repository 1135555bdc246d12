/*
 * mod_iri_function.c - functions for RewriteMap and expressions
 *
 * The functions of the core (iri_function_at) are registered as RewriteMap
 * int:iri.NAME and as iri_NAME in expressions.  Without a result a map returns
 * NULL, so that the default in the rule applies; an expression returns "".
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <ap_expr.h>
#include <mod_rewrite.h>

/*
 * Returns: the result of a function; NULL: it has none, or the engine is off.
 */
static char *
mod_iri_convert(request_rec *r, const iri_function_t *function,
                const char *text)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(r->server);
    iri_function_conf_t          function_conf = { &conf->reading.charsets,
                                                   &conf->host };
    iri_converted_t              converted;

    if (conf->engine == IRI_ENGINE_OFF) {
        return NULL;
    }
    if (iri_convert(mod_iri_env(r), &function_conf, function,
                    mod_iri_str(text), &converted)
            != IRI_OK
        || converted.why != NULL)
    {
        return NULL;
    }
    return mod_iri_dup(r->pool, converted.value);
}

/* ---- RewriteMap --------------------------------------------------------- */

/*
 * mod_rewrite passes the key only, not the name of the function.  So there is
 * one C function for each position in the core's table.
 */
#define MOD_IRI_MAP(i)                                                       \
    static char *mod_iri_map_##i(request_rec *r, char *key)                  \
    {                                                                        \
        return mod_iri_convert(r, iri_function_at(i), key);                  \
    }

MOD_IRI_MAP(0)
MOD_IRI_MAP(1)
MOD_IRI_MAP(2)
MOD_IRI_MAP(3)
MOD_IRI_MAP(4)
MOD_IRI_MAP(5)
MOD_IRI_MAP(6)

static rewrite_mapfunc_t *const mod_iri_map_functions[IRI_FUNCTIONS] = {
    mod_iri_map_0, mod_iri_map_1, mod_iri_map_2, mod_iri_map_3,
    mod_iri_map_4, mod_iri_map_5, mod_iri_map_6,
};

/*
 * Runs after mod_rewrite, which creates its table of functions in this hook.
 * mod_rewrite may not be loaded.
 */
int
mod_iri_register_maps(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp)
{
    APR_OPTIONAL_FN_TYPE(ap_register_rewrite_mapfunc)
    *register_function = APR_RETRIEVE_OPTIONAL_FN(
        ap_register_rewrite_mapfunc);
    size_t i;

    (void) plog;
    (void) ptemp;
    for (i = 0; register_function != NULL && i < IRI_FUNCTIONS; i++) {
        register_function(
            apr_pstrcat(pconf, "iri.", iri_function_name(i), NULL),
            mod_iri_map_functions[i]);
    }
    return OK;
}

/* ---- expressions -------------------------------------------------------- */

static const char *
mod_iri_expr_function(ap_expr_eval_ctx_t *eval, const void *data,
                      const char *arg)
{
    const char *value = eval->r
                            ? mod_iri_convert(eval->r, data, arg ? arg : "")
                            : NULL;

    return value ? value : "";
}

int
mod_iri_expr_lookup_function(ap_expr_lookup_parms *parms)
{
    static const char     prefix[] = "iri_";
    const iri_function_t *function;

    if (parms->type != AP_EXPR_FUNC_STRING
        || ap_cstr_casecmpn(parms->name, prefix, sizeof(prefix) - 1) != 0)
    {
        return DECLINED;
    }
    function = iri_function_find(
        mod_iri_str(parms->name + sizeof(prefix) - 1));
    if (function == NULL) {
        return DECLINED;
    }
    *parms->func = mod_iri_expr_function;
    *parms->data = function;
    return OK;
}
