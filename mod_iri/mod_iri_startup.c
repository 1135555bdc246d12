/*
 * mod_iri_startup.c - helpers for reading the configuration
 *
 * The files that prepare and check the configuration share these functions.
 */

#include "mod_iri_startup.h"

static const char mod_iri_registry_key[] = "mod_iri: registry of charsets";

int
mod_iri_is_first_pass(void)
{
    return ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG
           && ap_state_query(AP_SQ_RUN_MODE) != AP_SQ_RM_CONFIG_TEST;
}

void
mod_iri_log_config(void *arg, iri_log_level_t level, iri_str_t line)
{
    int to = level == IRI_LOG_ERROR  ? APLOG_ERR
             : level == IRI_LOG_WARN ? APLOG_WARNING
                                     : APLOG_INFO;

    if (level != IRI_LOG_WARN || !mod_iri_is_first_pass()) {
        ap_log_error(APLOG_MARK, to, 0, (server_rec *) arg, "iri: %.*s",
                     (int) line.len, (const char *) line.data);
    }
}

iri_registry_t *
mod_iri_registry(apr_pool_t *pconf)
{
    void           *found = NULL;
    iri_env_apr_t  *env;
    iri_registry_t *registry;

    apr_pool_userdata_get(&found, mod_iri_registry_key, pconf);
    if (found != NULL) {
        return found;
    }
    env = iri_env_apr_create(pconf, mod_iri_log_config, NULL);
    if (env == NULL) {
        return NULL;
    }
    registry = iri_registry_create(&env->env);
    if (registry != NULL) {
        apr_pool_userdata_setn(registry, mod_iri_registry_key, NULL, pconf);
    }
    return registry;
}
