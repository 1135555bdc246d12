/*
 * iri_env_apr.c - an iri_env_t that uses an APR pool
 *
 * Makes an iri_env_t of a pool and a log callback.  It reads the file system by
 * iri_dir_posix, because APR may convert file names, and the core needs their
 * octets.
 */

#include <apr_pools.h>

#include "iri_types.h"
#include "base/iri_env_apr.h"

static void *
env_apr_alloc(void *ctx, size_t size)
{
    iri_env_apr_t *self = ctx;

    return apr_palloc(self->pool, size);
}

static void
env_apr_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    iri_env_apr_t *self = ctx;

    self->log(self->arg, level, line);
}

void
iri_env_apr_init(iri_env_apr_t *self, apr_pool_t *pool, iri_env_apr_log_t log,
                 void *arg)
{
    self->pool = pool;
    self->log = log;
    self->arg = arg;
    self->env.ctx = self;
    self->env.alloc = env_apr_alloc;
    self->env.log = log ? env_apr_log : NULL;
    self->env.dir = &iri_dir_posix;
    self->env.quiet = 0;
    self->env.trace = 0;
    self->env.fold_keys = NULL;
}

iri_env_apr_t *
iri_env_apr_create(apr_pool_t *pool, iri_env_apr_log_t log, void *arg)
{
    iri_env_apr_t *self = apr_palloc(pool, sizeof(*self));

    if (self == NULL) {
        return NULL;
    }
    iri_env_apr_init(self, pool, log, arg);
    return self;
}
