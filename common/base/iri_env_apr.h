/*
 * iri_env_apr.h - an iri_env_t that uses an APR pool
 *
 * For mod_iri and the command iri.  Of common/, only iri_*_apr.[ch] use APR.
 * None of these files includes a header of httpd.
 */

#ifndef IRI_ENV_APR_H
#define IRI_ENV_APR_H

#include "iri_types.h"

struct apr_pool_t;   /* apr_pools.h: apr_pool_t */

#pragma GCC visibility push(hidden)

/* Writes a log line.  line: any octets, without a line break at the end. */
typedef void (*iri_env_apr_log_t)(void *arg, iri_log_level_t level,
                                  iri_str_t line);

typedef struct {
    iri_env_t          env;  /* for the functions of the core */
    struct apr_pool_t *pool; /* the arena */
    iri_env_apr_log_t  log;  /* NULL: no log */
    void              *arg;  /* first argument of log; may be NULL */
} iri_env_apr_t;

/*
 * Initialize *self: memory from pool, the POSIX file system, no trace, no cache
 * of folding keys (iri_env_t.fold_keys).
 * self->env points to *self, so *self must not move while env is used.
 */
void iri_env_apr_init(iri_env_apr_t *self, struct apr_pool_t *pool,
                      iri_env_apr_log_t log, void *arg);

/* As iri_env_apr_init(), with *self allocated in pool; NULL: no memory. */
iri_env_apr_t *
iri_env_apr_create(struct apr_pool_t *pool, iri_env_apr_log_t log, void *arg);

#pragma GCC visibility pop

#endif /* IRI_ENV_APR_H */
