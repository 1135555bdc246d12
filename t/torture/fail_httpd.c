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

#pragma GCC visibility push(hidden)
void                  *torture_core_palloc(apr_pool_t *pool, apr_size_t size);
void                  *torture_apr_palloc(apr_pool_t *pool, apr_size_t size);
void *
torture_apr_pmemdup(apr_pool_t *pool, const void *from, apr_size_t size);
char *torture_apr_pstrdup(apr_pool_t *pool, const char *from);
char *
torture_apr_pstrmemdup(apr_pool_t *pool, const char *from, apr_size_t size);
char               *torture_apr_pstrcat(apr_pool_t *pool, ...);
apr_array_header_t *torture_apr_array_make(apr_pool_t *pool, int n, int size);
void               *torture_apr_array_push(apr_array_header_t *array);
apr_table_t        *torture_apr_table_make(apr_pool_t *pool, int n);
apr_table_t      *
torture_apr_table_copy(apr_pool_t *pool, const apr_table_t *from);
void torture_apr_table_setn(apr_table_t *table, const char *key,
                            const char *value);
void torture_apr_table_addn(apr_table_t *table, const char *key,
                            const char *value);
apr_status_t torture_apr_stat(apr_finfo_t *info, const char *path,
                              apr_int32_t wanted, apr_pool_t *pool);
apr_status_t
torture_apr_thread_mutex_create(apr_thread_mutex_t **mutex, unsigned flags,
                                apr_pool_t *pool);
apr_status_t
torture_apr_dir_open(apr_dir_t **dir, const char *path, apr_pool_t *pool);
apr_status_t
torture_apr_dir_read(apr_finfo_t *info, apr_int32_t wanted, apr_dir_t *dir);
apr_status_t
torture_apr_pool_create_ex(apr_pool_t **pool, apr_pool_t *parent,
                           apr_abortfunc_t end, apr_allocator_t *allocator);
#pragma GCC visibility pop


static void
fail_pool(apr_pool_t *pool, const char *name)
{
    apr_abortfunc_t end = apr_pool_abort_get(pool);

    if (end == NULL) {
        fail_no_abort();
    } else if (fail_now(FAIL_POOL, name)) {
        (void) end(APR_ENOMEM);
    }
}


void *
torture_core_palloc(apr_pool_t *pool, apr_size_t size)
{
    return fail_now(FAIL_MEMORY, "core_palloc") ? NULL
                                                : apr_palloc(pool, size);
}


void *
torture_apr_palloc(apr_pool_t *pool, apr_size_t size)
{
    fail_pool(pool, "apr_palloc");

    return apr_palloc(pool, size);
}


void *
torture_apr_pmemdup(apr_pool_t *pool, const void *from, apr_size_t size)
{
    fail_pool(pool, "apr_pmemdup");

    return apr_pmemdup(pool, from, size);
}


char *
torture_apr_pstrdup(apr_pool_t *pool, const char *from)
{
    fail_pool(pool, "apr_pstrdup");

    return apr_pstrdup(pool, from);
}


char *
torture_apr_pstrmemdup(apr_pool_t *pool, const char *from, apr_size_t size)
{
    fail_pool(pool, "apr_pstrmemdup");

    return apr_pstrmemdup(pool, from, size);
}


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


apr_array_header_t *
torture_apr_array_make(apr_pool_t *pool, int n, int size)
{
    fail_pool(pool, "apr_array_make");

    return apr_array_make(pool, n, size);
}


void *
torture_apr_array_push(apr_array_header_t *array)
{
    fail_pool(array->pool, "apr_array_push");

    return apr_array_push(array);
}


apr_table_t *
torture_apr_table_make(apr_pool_t *pool, int n)
{
    fail_pool(pool, "apr_table_make");

    return apr_table_make(pool, n);
}


apr_table_t *
torture_apr_table_copy(apr_pool_t *pool, const apr_table_t *from)
{
    fail_pool(pool, "apr_table_copy");

    return apr_table_copy(pool, from);
}


void
torture_apr_table_setn(apr_table_t *table, const char *key, const char *value)
{
    fail_pool(apr_table_elts(table)->pool, "apr_table_setn");

    apr_table_setn(table, key, value);
}


void
torture_apr_table_addn(apr_table_t *table, const char *key, const char *value)
{
    fail_pool(apr_table_elts(table)->pool, "apr_table_addn");

    apr_table_addn(table, key, value);
}


apr_status_t
torture_apr_stat(apr_finfo_t *info, const char *path, apr_int32_t wanted,
                 apr_pool_t *pool)
{
    if (fail_now(FAIL_FILES, "apr_stat")) {
        return fail_error();
    }

    return apr_stat(info, path, wanted, pool);
}


apr_status_t
torture_apr_thread_mutex_create(apr_thread_mutex_t **mutex, unsigned flags,
                                apr_pool_t *pool)
{
    if (fail_now(FAIL_MEMORY, "apr_thread_mutex_create")) {
        return APR_ENOMEM;
    }

    return apr_thread_mutex_create(mutex, flags, pool);
}


apr_status_t
torture_apr_dir_open(apr_dir_t **dir, const char *path, apr_pool_t *pool)
{
    if (fail_now(FAIL_FILES, "apr_dir_open")) {
        return fail_error();
    }

    return apr_dir_open(dir, path, pool);
}


/* ENOENT, by which it also reports the end of the directory. */
apr_status_t
torture_apr_dir_read(apr_finfo_t *info, apr_int32_t wanted, apr_dir_t *dir)
{
    if (fail_now(FAIL_FILES, "apr_dir_read")) {
        return fail_error();
    }

    return apr_dir_read(info, wanted, dir);
}


apr_status_t
torture_apr_pool_create_ex(apr_pool_t **pool, apr_pool_t *parent,
                           apr_abortfunc_t end, apr_allocator_t *allocator)
{
    if (parent != NULL) {
        fail_pool(parent, "apr_pool_create_ex");
    }

    return apr_pool_create_ex(pool, parent, end, allocator);
}
