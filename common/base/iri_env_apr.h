/*
 * iri_env_apr.h - what the core borrows, lent by an APR pool
 *
 * Serves mod_iri and the command iri.  This header and its source are the
 * only files of common/ that know APR; neither knows httpd.
 */

#ifndef IRI_ENV_APR_H
#define IRI_ENV_APR_H

#include "iri.h"

struct apr_pool_t;   /* apr_pools.h: apr_pool_t */

#pragma GCC visibility push(hidden)

/* Takes one line of log; line has no end of line and may hold any octet. */
typedef void (*iri_env_apr_log_t)(void *arg, iri_log_level_t level,
                                  iri_str_t line);

typedef struct {
    iri_env_t          env;  /* what the functions of the core are given */
    struct apr_pool_t *pool; /* the arena: what they return lives in it */
    iri_env_apr_log_t  log;  /* NULL: silent */
    void              *arg;  /* given to log; may be NULL */
} iri_env_apr_t;

/*
 * Fill *self: memory of pool, log through a callback, the POSIX file system,
 * no trace.  self->env points to *self, so *self must stay where it is for
 * as long as the env is used.
 */
void iri_env_apr_init(iri_env_apr_t *self, struct apr_pool_t *pool,
                      iri_env_apr_log_t log, void *arg);

/* The same, with *self itself in pool; NULL: no memory. */
iri_env_apr_t *
iri_env_apr_create(struct apr_pool_t *pool, iri_env_apr_log_t log, void *arg);

#pragma GCC visibility pop

#endif /* IRI_ENV_APR_H */
