/*
 * open.c - what settings are made of, open for as long as their pool
 */

#include <string.h>

#include "cli.h"


/* thing, which its cleanup ends with the pool; NULL stays NULL. */
static void *
cli_keep(apr_pool_t *pool, void *thing, apr_status_t (*cleanup)(void *thing))
{
    if (thing != NULL) {
        apr_pool_cleanup_register(pool, thing, cleanup,
                                  apr_pool_cleanup_null);
    }
    return thing;
}


iri_registry_t *
cli_open_registry(apr_pool_t *pool)
{
    iri_env_apr_t *env = iri_env_apr_create(pool, NULL, NULL);

    return env ? iri_registry_create(&env->env) : NULL;
}


static apr_status_t
cli_close_cache(void *cache)
{
    iri_index_cache_destroy(cache);
    return APR_SUCCESS;
}


iri_index_cache_t *
cli_open_cache(apr_pool_t *pool, size_t size)
{
    iri_index_cache_conf_t conf;

    /* Its memory is its own, and nobody else looks. */
    memset(&conf, 0, sizeof(conf));
    conf.size = size;
    return cli_keep(pool, iri_index_cache_create(&conf), cli_close_cache);
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
    return cli_keep(pool, iri_idna_create(), cli_close_idna);
}


static apr_status_t
cli_close_look(void *look)
{
    iri_confusables_destroy(look);
    return APR_SUCCESS;
}


iri_confusables_t *
cli_open_look(apr_pool_t *pool)
{
    return cli_keep(pool, iri_confusables_create(), cli_close_look);
}


const char *
cli_open_charset(iri_registry_t *registry, const char *label,
                 const iri_charset_t **out)
{
    iri_str_t      word = { strlen(label), (const unsigned char *) label };
    iri_charsets_t charsets;
    const char    *wrong;

    wrong = iri_parse_charsets(registry, &word, 1, 0, &charsets);
    if (wrong == NULL) {
        *out = charsets.at[0];
    }
    return wrong;
}
