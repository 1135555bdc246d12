/*
 * hash.c - hash tables for untrusted keys
 */

#include <string.h>

#include "cli.h"

/* The key of this process; set when the first table is created. */
static uint64_t hash_key[2];


static unsigned int
hash_octets(const char *key, apr_ssize_t *len)
{
    if (*len == APR_HASH_KEY_STRING) {
        *len = (apr_ssize_t) strlen(key);
    }
    return iri_keyed_hash(
        hash_key, (iri_str_t){ (size_t) *len, (const unsigned char *) key });
}


apr_hash_t *
cli_hash_make(apr_pool_t *pool)
{
    if (hash_key[0] == 0 && hash_key[1] == 0) {
        iri_index_cache_key(hash_key);
    }
    return apr_hash_make_custom(pool, hash_octets);
}
