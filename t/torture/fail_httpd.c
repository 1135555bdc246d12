/*
 * fail_httpd.c - APR's functions for the module, which fail on demand
 *
 * No pool of httpd returns NULL: httpd sets a function that ends the process
 * (see apr_pool_abort_set in server/main.c), all of APR relies on it, and so
 * does the module. So an allocation by the module fails here in the same way; a
 * pool without that function is counted, because it would return NULL. The core
 * handles NULL, and gets its memory from one function: there NULL is returned,
 * which tests how the module handles the core's errors.
 */

#include "fail.h"

#include <stdarg.h>

#include <apr_file_info.h>
#include <apr_pools.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <apr_thread_mutex.h>

static void
fail_pool(apr_pool_t *pool, const char *name)
{
    apr_abortfunc_t end = pool != NULL ? apr_pool_abort_get(pool) : NULL;

    if (pool == NULL) { /* a pool without a parent */
        return;
    }

    if (end == NULL) {
        fail_no_abort();
    } else if (fail_now(FAIL_POOL, name)) {
        (void) end(APR_ENOMEM);
    }
}


#define TORTURE(fails, type, failed, name, parameters, call)                 \
    __attribute__((visibility("hidden"))) type torture_##name parameters;    \
                                                                             \
    type torture_##name parameters                                           \
    {                                                                        \
        return fails ? (failed) : call;                                      \
    }

/* One that gets memory from a pool. */
#define POOL(type, pool, name, parameters, arguments)                        \
    __attribute__((visibility("hidden"))) type torture_##name parameters;    \
                                                                             \
    type torture_##name parameters                                           \
    {                                                                        \
        fail_pool(pool, #name);                                              \
                                                                             \
        return name arguments;                                               \
    }

/* clang-format off */

TORTURE(fail_now(FAIL_MEMORY, "core_palloc"), void *, NULL, core_palloc,
        (apr_pool_t *pool, apr_size_t size), apr_palloc(pool, size))
POOL(void *, pool, apr_palloc, (apr_pool_t *pool, apr_size_t size),
     (pool, size))
POOL(void *, pool, apr_pmemdup,
     (apr_pool_t *pool, const void *from, apr_size_t size),
     (pool, from, size))
POOL(char *, pool, apr_pstrdup, (apr_pool_t *pool, const char *from),
     (pool, from))
POOL(char *, pool, apr_pstrmemdup,
     (apr_pool_t *pool, const char *from, apr_size_t size),
     (pool, from, size))
POOL(apr_array_header_t *, pool, apr_array_make,
     (apr_pool_t *pool, int n, int size), (pool, n, size))
POOL(void *, array->pool, apr_array_push, (apr_array_header_t *array),
     (array))
POOL(apr_table_t *, pool, apr_table_make, (apr_pool_t *pool, int n),
     (pool, n))
POOL(apr_table_t *, pool, apr_table_copy,
     (apr_pool_t *pool, const apr_table_t *from), (pool, from))
POOL(void, apr_table_elts(table)->pool, apr_table_setn,
     (apr_table_t *table, const char *key, const char *value),
     (table, key, value))
POOL(void, apr_table_elts(table)->pool, apr_table_addn,
     (apr_table_t *table, const char *key, const char *value),
     (table, key, value))
POOL(apr_status_t, parent, apr_pool_create_ex,
     (apr_pool_t **pool, apr_pool_t *parent, apr_abortfunc_t end,
      apr_allocator_t *allocator),
     (pool, parent, end, allocator))

TORTURE(fail_now(FAIL_MEMORY, "apr_thread_mutex_create"), apr_status_t,
        APR_ENOMEM, apr_thread_mutex_create,
        (apr_thread_mutex_t **mutex, unsigned flags, apr_pool_t *pool),
        apr_thread_mutex_create(mutex, flags, pool))
TORTURE(fail_now(FAIL_FILES, "apr_stat"), apr_status_t, fail_error(),
        apr_stat,
        (apr_finfo_t *info, const char *path, apr_int32_t wanted,
         apr_pool_t *pool),
        apr_stat(info, path, wanted, pool))
TORTURE(fail_now(FAIL_FILES, "apr_dir_open"), apr_status_t, fail_error(),
        apr_dir_open, (apr_dir_t **dir, const char *path, apr_pool_t *pool),
        apr_dir_open(dir, path, pool))
/* ENOENT, by which it also reports the end of the directory. */
TORTURE(fail_now(FAIL_FILES, "apr_dir_read"), apr_status_t, fail_error(),
        apr_dir_read,
        (apr_finfo_t *info, apr_int32_t wanted, apr_dir_t *dir),
        apr_dir_read(info, wanted, dir))

/* clang-format on */


__attribute__((visibility("hidden"))) char *
torture_apr_pstrcat(apr_pool_t *pool, ...);

/* More parts than any call of the module has. */
char *
torture_apr_pstrcat(apr_pool_t *pool, ...)
{
    struct iovec parts[32];
    const char  *part;
    apr_size_t   n;
    va_list      args;

    fail_pool(pool, "apr_pstrcat");

    va_start(args, pool);
    for (n = 0; n < 32 && (part = va_arg(args, const char *)) != NULL; n++) {
        parts[n].iov_base = (void *) (uintptr_t) part;
        parts[n].iov_len = strlen(part);
    }
    va_end(args);

    return apr_pstrcatv(pool, parts, n, NULL);
}
