/*
 * open.c - objects of the core whose lifetime is that of a pool
 */

#include <stdlib.h>

#include "cli.h"


/* Destroy object with pool.  Returns: object; NULL ends the command. */
static void *
cli_own(apr_pool_t *pool, void *object, apr_status_t (*cleanup)(void *object))
{
    if (object == NULL) {
        fputs("iri: out of memory, or the data of ICU are missing\n", stderr);
        exit(CLI_FAILED);
    }
    apr_pool_cleanup_register(pool, object, cleanup, apr_pool_cleanup_null);
    return object;
}


iri_registry_t *
cli_open_registry(apr_pool_t *pool)
{
    return cli_own(
        pool, iri_registry_create(&iri_env_apr_create(pool, NULL, NULL)->env),
        apr_pool_cleanup_null);
}


iri_fold_keys_t *
cli_open_fold_keys(apr_pool_t *pool)
{
    iri_env_apr_t env;

    iri_env_apr_init(&env, pool, NULL, NULL);
    return cli_own(pool, iri_fold_keys_create(&env.env),
                   apr_pool_cleanup_null);
}


static apr_status_t
cli_close_idna(void *idna)
{
    iri_idna_destroy(idna);
    return APR_SUCCESS;
}


iri_idna_t *
cli_open_idna(apr_pool_t *pool)
{
    return cli_own(pool, iri_idna_create(), cli_close_idna);
}


static apr_status_t
cli_close_confusables(void *confusables)
{
    iri_confusables_destroy(confusables);
    return APR_SUCCESS;
}


iri_confusables_t *
cli_open_confusables(apr_pool_t *pool)
{
    return cli_own(pool, iri_confusables_create(), cli_close_confusables);
}


static apr_status_t
cli_close_detector(void *detector)
{
    iri_detector_destroy(detector);
    return APR_SUCCESS;
}


iri_detector_t *
cli_open_detector(apr_pool_t *pool, iri_registry_t *registry)
{
    return cli_own(pool, iri_detector_create(registry), cli_close_detector);
}
