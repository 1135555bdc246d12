/*
 * hash.c - hash tables for untrusted keys
 */

#include "cli.h"

/* The key of this process; set when the first table is created. */
static uint64_t hash_key[2];


static unsigned int
hash_octets(const char *key, apr_ssize_t *len)
{
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


void *
cli_hash_get(apr_hash_t *hash, iri_str_t key)
{
    return key.len != 0 ? apr_hash_get(hash, key.data, (apr_ssize_t) key.len)
                        : NULL;
}


void
cli_hash_set(apr_hash_t *hash, iri_str_t key, const void *value)
{
    apr_hash_set(hash, key.data, (apr_ssize_t) key.len, value);
}
