/*
 * mod_iri_function.c - functions for RewriteMap and expressions
 *
 * The functions of the core (iri_function_at) are registered as RewriteMap
 * int:iri.NAME and as iri_NAME in expressions, encode only as
 * int:iri.encode.CHARSET.  Without a result a map returns NULL, so that the
 * default in the rule applies; an expression returns "".
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <ap_expr.h>
#include <mod_rewrite.h>

/* Returns: NULL: there is no result, or the engine is off. */
static char *
mod_iri_convert(request_rec *r, const iri_function_t *function,
                const iri_charset_t *charset, const char *text)
{
    const mod_iri_server_conf_t *conf = mod_iri_conf(r);
    iri_function_conf_t          function_conf = { &conf->reading.charsets,
                                                   &conf->host, charset };
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

/* i: number of a function; from IRI_FUNCTIONS on: encode, by charset */
static char *
mod_iri_map(request_rec *r, size_t i, const char *key)
{
    iri_charsets_t list;
    iri_str_t      wrong;

    if (i < IRI_FUNCTIONS) {
        return mod_iri_convert(r, iri_function_at(i), NULL, key);
    }
    return iri_charsets_parse(mod_iri_conf(r)->registry,
                              mod_iri_str(iri_charset_at(i - IRI_FUNCTIONS)),
                              &list, &wrong)
                   == NULL
               ? mod_iri_convert(r, &iri_function_encode, list.at[0], key)
               : NULL;
}

/* mod_rewrite passes the key only: one C function for each name. */
/* clang-format off */
#define MOD_IRI_EACH_MAP(m)                                                  \
    m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12)      \
    m(13) m(14) m(15) m(16) m(17) m(18) m(19) m(20) m(21) m(22) m(23) m(24)  \
    m(25) m(26) m(27) m(28) m(29) m(30) m(31) m(32) m(33) m(34) m(35) m(36)  \
    m(37) m(38) m(39) m(40) m(41) m(42) m(43) m(44)
#define MOD_IRI_MAP(i)                                                       \
    static char *mod_iri_map_##i(request_rec *r, char *key)                  \
    {                                                                        \
        return mod_iri_map(r, i, key);                                       \
    }
#define MOD_IRI_MAP_NAME(i) mod_iri_map_##i,

MOD_IRI_EACH_MAP(MOD_IRI_MAP)

#if IRI_FUNCTIONS + IRI_CHARSETS != 45
#error "MOD_IRI_EACH_MAP must have as many numbers"
#endif

static rewrite_mapfunc_t *const mod_iri_maps[IRI_FUNCTIONS + IRI_CHARSETS] = {
    MOD_IRI_EACH_MAP(MOD_IRI_MAP_NAME)
};
/* clang-format on */

#define MOD_IRI_ENCODE "iri.encode."

/* mod_rewrite, which may not be loaded, has created its table. */
void
mod_iri_register_maps(apr_pool_t *pconf)
{
    APR_OPTIONAL_FN_TYPE(ap_register_rewrite_mapfunc)
    *register_function = APR_RETRIEVE_OPTIONAL_FN(
        ap_register_rewrite_mapfunc);
    char  *name;
    size_t i;

    for (i = 0; register_function != NULL && i < IRI_FUNCTIONS + IRI_CHARSETS;
         i++)
    {
        name = i < IRI_FUNCTIONS
                   ? apr_pstrcat(pconf, "iri.", iri_function_name(i), NULL)
                   : apr_pstrcat(pconf, MOD_IRI_ENCODE,
                                 iri_charset_at(i - IRI_FUNCTIONS), NULL);
        register_function(name, mod_iri_maps[i]);
    }
}

int
mod_iri_load_map_charsets(server_rec *main_server, apr_pool_t *ptemp,
                          iri_registry_t *registry)
{
    static const char     prefix[] = "int:" MOD_IRI_ENCODE;
    const ap_directive_t *node;
    const char           *args, *map, *error = NULL;
    const iri_charset_t  *charset;

    for (node = ap_conftree; node != NULL && error == NULL;
         node = mod_iri_next_directive(node))
    {
        if (!mod_iri_is_directive(node, "RewriteMap")) {
            continue;
        }
        args = node->args;
        (void) ap_getword_conf(ptemp, &args);
        map = ap_getword_conf(ptemp, &args);
        if (strncmp(map, prefix, sizeof(prefix) - 1) == 0) {
            error = iri_parse_charset(
                registry, mod_iri_str(map + sizeof(prefix) - 1), &charset);
        }
    }
    if (error != NULL) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: RewriteMap %s %s", map, error);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}

/* ---- expressions -------------------------------------------------------- */

static const char *
mod_iri_expr_function(ap_expr_eval_ctx_t *eval, const void *data,
                      const char *arg)
{
    const char *value = eval->r ? mod_iri_convert(eval->r, data, NULL,
                                                  arg ? arg : "")
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
