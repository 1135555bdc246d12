/*
 * hash.c - hash tables for untrusted keys
 */

#include <sys/random.h>
#include <unistd.h>

#include <apr_time.h>

#include "cli.h"

/* The key of this process; set when the first table is created. */
static uint64_t hash_key[2];


static unsigned int
hash_octets(const char *key, apr_ssize_t *len)
{
    iri_str_t octets;

    octets.data = (const unsigned char *) key;
    octets.len = (size_t) *len;
    return iri_keyed_hash(hash_key, octets);
}


apr_hash_t *
cli_hash_make(apr_pool_t *pool)
{
    if (hash_key[0] == 0 && hash_key[1] == 0
        && getrandom(hash_key, sizeof(hash_key), 0)
               != (ssize_t) sizeof(hash_key))
    {
        hash_key[0] = (uint64_t) apr_time_now();
        hash_key[1] = (uint64_t) getpid();
    }
    return apr_hash_make_custom(pool, hash_octets);
}
