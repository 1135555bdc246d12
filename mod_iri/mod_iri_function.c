/*
 * mod_iri_function.c - functions for rules
 *
 * The table of the core, as RewriteMap int:iri.NAME and as functions iri_NAME
 * of expressions.  Where there is no value a map has none, so that a rule can
 * say a default, and an expression is empty.
 */

#include "mod_iri.h"

#include <ap_expr.h>
#include <mod_rewrite.h>

/* NULL: there is no value. */
static char *
mod_iri_convert(request_rec *r, const iri_function_t *function,
                const char *text)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);
    iri_function_conf_t     with = { &conf->reading.charsets, &conf->host };
    iri_env_apr_t           env;
    iri_converted_t         converted;

    if (conf->engine == IRI_ENGINE_OFF || conf->engine == MOD_IRI_UNSET) {
        return NULL;
    }
    mod_iri_env(&env, r);
    if (iri_convert(&env.env, &with, function, mod_iri_str(text), &converted)
            != IRI_OK
        || converted.why != NULL)
    {
        return NULL;
    }
    return mod_iri_dup(r->pool, converted.value);
}

/* ---- RewriteMap --------------------------------------------------------- */

/* mod_rewrite tells a function its text and no name: so there is one each. */
#define MOD_IRI_MAP(name)                                                    \
    static char *mod_iri_map_##name(request_rec *r, char *key)               \
    {                                                                        \
        return mod_iri_convert(r, iri_function_find(mod_iri_str(#name)),     \
                               key);                                         \
    }

MOD_IRI_MAP(to_uri)
MOD_IRI_MAP(to_iri)
MOD_IRI_MAP(nfc)
MOD_IRI_MAP(fold)
MOD_IRI_MAP(utf8)
MOD_IRI_MAP(host_ascii)
MOD_IRI_MAP(host_unicode)

static const struct {
    const char        *name;
    rewrite_mapfunc_t *function;
} mod_iri_maps[] = {
    { "iri.to_uri", mod_iri_map_to_uri },
    { "iri.to_iri", mod_iri_map_to_iri },
    { "iri.nfc", mod_iri_map_nfc },
    { "iri.fold", mod_iri_map_fold },
    { "iri.utf8", mod_iri_map_utf8 },
    { "iri.host_ascii", mod_iri_map_host_ascii },
    { "iri.host_unicode", mod_iri_map_host_unicode },
};

/* Behind mod_rewrite, which makes its table in this hook; if it is there. */
int
mod_iri_register_maps(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp)
{
    APR_OPTIONAL_FN_TYPE(ap_register_rewrite_mapfunc)
    *put = APR_RETRIEVE_OPTIONAL_FN(ap_register_rewrite_mapfunc);
    size_t i;

    (void) plog;
    (void) ptemp;
    for (i = 0; put && i < sizeof(mod_iri_maps) / sizeof(mod_iri_maps[0]);
         i++) {
        put(apr_pstrdup(pconf, mod_iri_maps[i].name),
            mod_iri_maps[i].function);
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
