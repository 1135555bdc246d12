/*
 * fail_nginx.c - nginx's functions for the module, which fail on demand
 *
 * They are declared as the linker sees them, so that no header of nginx is
 * needed: all arguments are pointers and integers. Each fails as in nginx
 * without memory.
 */

#include "fail.h"

#include <errno.h>

#define NGX_ERROR (-1)
#define NGX_REGEX (-47) /* PCRE2_ERROR_MATCHLIMIT; -1 is no match */

#define NGX(type, failed, name, parameters, arguments)                       \
    extern type ngx_##name parameters;                                       \
    __attribute__((visibility("hidden")))                                    \
    type torture_ngx_##name parameters;                                      \
                                                                             \
    type torture_ngx_##name parameters                                       \
    {                                                                        \
        return fail_now(FAIL_MEMORY, "ngx_" #name) ? (failed)                \
                                                   : ngx_##name arguments;   \
    }

/* clang-format off */

NGX(void *, NULL, palloc, (void *pool, size_t size), (pool, size))
NGX(void *, NULL, pnalloc, (void *pool, size_t size), (pool, size))
NGX(void *, NULL, pcalloc, (void *pool, size_t size), (pool, size))
NGX(void *, NULL, array_create, (void *pool, uintptr_t n, size_t size),
    (pool, n, size))
NGX(void *, NULL, array_push, (void *array), (array))
NGX(void *, NULL, list_push, (void *list), (list))
NGX(void *, NULL, pool_cleanup_add, (void *pool, size_t size), (pool, size))
NGX(void *, NULL, http_cleanup_add, (void *r, size_t size), (r, size))
NGX(void *, NULL, http_add_variable, (void *cf, void *name, uintptr_t flags),
    (cf, name, flags))
NGX(void *, NULL, http_script_run,
    (void *r, void *value, void *lengths, size_t reserved, void *values),
    (r, value, lengths, reserved, values))
NGX(intptr_t, NGX_ERROR, get_full_name,
    (void *pool, void *prefix, void *name), (pool, prefix, name))
NGX(intptr_t, NGX_ERROR, http_regex_exec,
    (void *r, void *regex, void *subject), (r, regex, subject))
NGX(intptr_t, NGX_ERROR, http_parse_unsafe_uri,
    (void *r, void *uri, void *args, void *flags), (r, uri, args, flags))
NGX(intptr_t, NGX_ERROR, http_compile_complex_value, (void *compile),
    (compile))
NGX(intptr_t, NGX_ERROR, http_complex_value,
    (void *r, void *complex, void *value), (r, complex, value))
NGX(intptr_t, NGX_REGEX, regex_exec,
    (void *regex, void *subject, int *captures, uintptr_t size),
    (regex, subject, captures, size))
NGX(intptr_t, NGX_ERROR, http_subrequest,
    (void *r, void *uri, void *args, void *subrequest, void *posted,
     uintptr_t flags),
    (r, uri, args, subrequest, posted, flags))
NGX(intptr_t, NGX_ERROR, http_post_request, (void *r, void *posted),
    (r, posted))
NGX(intptr_t, NGX_ERROR, http_get_variable_index, (void *cf, void *name),
    (cf, name))
NGX(void *, NULL, http_get_indexed_variable, (void *r, uintptr_t index),
    (r, index))
NGX(void *, NULL, alloc_chain_link, (void *pool), (pool))
NGX(void *, NULL, create_temp_buf, (void *pool, size_t size), (pool, size))
NGX(void *, NULL, slab_alloc_locked, (void *pool, size_t size), (pool, size))
NGX(void *, NULL, http_map_uri_to_path,
    (void *r, void *path, size_t *root, size_t reserved),
    (r, path, root, reserved))

/* clang-format on */


/* ---- files --------------------------------------------------------------- */

extern intptr_t ngx_open_dir(void *name, void *dir);
extern intptr_t ngx_read_dir(void *dir);

#pragma GCC visibility push(hidden)
intptr_t               torture_ngx_open_dir(void *name, void *dir);
intptr_t               torture_ngx_read_dir(void *dir);
#pragma GCC visibility pop


/* The module closes it with closedir. */
intptr_t
torture_ngx_open_dir(void *name, void *dir)
{
    intptr_t rc;

    if (fail_now(FAIL_FILES, "ngx_open_dir")) {
        errno = fail_error();
        return NGX_ERROR;
    }

    rc = ngx_open_dir(name, dir);
    if (rc != NGX_ERROR) {
        fail_hold_dir(1);
    }

    return rc;
}


intptr_t
torture_ngx_read_dir(void *dir)
{
    if (fail_now(FAIL_FILES, "ngx_read_dir")) {
        errno = fail_error();
        return NGX_ERROR;
    }

    return ngx_read_dir(dir);
}
