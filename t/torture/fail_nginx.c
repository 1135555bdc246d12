/*
 * fail_nginx.c - nginx's functions for the module, which fail on demand
 *
 * They are declared as the linker sees them, so that no header of nginx is
 * needed: all arguments are pointers and integers. Each fails as in nginx
 * without memory.
 */

#include "fail.h"

#include <errno.h>

#pragma GCC visibility push(default)
void                  *ngx_palloc(void *pool, size_t size);
void                  *ngx_pnalloc(void *pool, size_t size);
void                  *ngx_pcalloc(void *pool, size_t size);
void                  *ngx_array_create(void *pool, uintptr_t n, size_t size);
void                  *ngx_array_push(void *array);
void                  *ngx_list_push(void *list);
void                  *ngx_pool_cleanup_add(void *pool, size_t size);
void                  *ngx_http_cleanup_add(void *r, size_t size);
void    *ngx_http_add_variable(void *cf, void *name, uintptr_t flags);
void    *ngx_http_script_run(void *r, void *value, void *lengths,
                             size_t reserved, void *values);
intptr_t ngx_get_full_name(void *pool, void *prefix, void *name);
intptr_t ngx_http_regex_exec(void *r, void *regex, void *subject);
intptr_t
ngx_http_parse_unsafe_uri(void *r, void *uri, void *args, void *flags);
intptr_t ngx_http_compile_complex_value(void *compile);
intptr_t ngx_http_complex_value(void *r, void *complex, void *value);
intptr_t
ngx_regex_exec(void *regex, void *subject, int *captures, uintptr_t size);
intptr_t ngx_http_subrequest(void *r, void *uri, void *args, void *subrequest,
                             void *posted, uintptr_t flags);
intptr_t ngx_http_post_request(void *r, void *posted);
intptr_t ngx_http_get_variable_index(void *cf, void *name);
void    *ngx_http_get_indexed_variable(void *r, uintptr_t index);
intptr_t ngx_open_dir(void *name, void *dir);
intptr_t ngx_read_dir(void *dir);
void    *ngx_alloc_chain_link(void *pool);
void    *ngx_create_temp_buf(void *pool, size_t size);
void    *ngx_slab_alloc_locked(void *pool, size_t size);
void *
ngx_http_map_uri_to_path(void *r, void *path, size_t *root, size_t reserved);
#pragma GCC visibility pop

#pragma GCC visibility push(hidden)
void                  *torture_ngx_palloc(void *pool, size_t size);
void                  *torture_ngx_pnalloc(void *pool, size_t size);
void                  *torture_ngx_pcalloc(void *pool, size_t size);
void    *torture_ngx_array_create(void *pool, uintptr_t n, size_t size);
void    *torture_ngx_array_push(void *array);
void    *torture_ngx_list_push(void *list);
void    *torture_ngx_pool_cleanup_add(void *pool, size_t size);
void    *torture_ngx_http_cleanup_add(void *r, size_t size);
void    *torture_ngx_http_add_variable(void *cf, void *name, uintptr_t flags);
void    *torture_ngx_http_script_run(void *r, void *value, void *lengths,
                                     size_t reserved, void *values);
intptr_t torture_ngx_get_full_name(void *pool, void *prefix, void *name);
intptr_t torture_ngx_http_regex_exec(void *r, void *regex, void *subject);
intptr_t torture_ngx_http_parse_unsafe_uri(void *r, void *uri, void *args,
                                           void *flags);
intptr_t torture_ngx_http_compile_complex_value(void *compile);
intptr_t torture_ngx_http_complex_value(void *r, void *complex, void *value);
intptr_t torture_ngx_regex_exec(void *regex, void *subject, int *captures,
                                uintptr_t size);
intptr_t
torture_ngx_http_subrequest(void *r, void *uri, void *args, void *subrequest,
                            void *posted, uintptr_t flags);
intptr_t torture_ngx_http_post_request(void *r, void *posted);
intptr_t torture_ngx_http_get_variable_index(void *cf, void *name);
void    *torture_ngx_http_get_indexed_variable(void *r, uintptr_t index);
intptr_t torture_ngx_open_dir(void *name, void *dir);
intptr_t torture_ngx_read_dir(void *dir);
void    *torture_ngx_alloc_chain_link(void *pool);
void    *torture_ngx_create_temp_buf(void *pool, size_t size);
void    *torture_ngx_slab_alloc_locked(void *pool, size_t size);
void    *torture_ngx_http_map_uri_to_path(void *r, void *path, size_t *root,
                                          size_t reserved);
#pragma GCC visibility pop

#define FAIL_NGX_ERROR (-1)
#define FAIL_NGX_REGEX (-47) /* PCRE2_ERROR_MATCHLIMIT; -1 is no match */


void *
torture_ngx_palloc(void *pool, size_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_palloc") ? NULL
                                               : ngx_palloc(pool, size);
}


void *
torture_ngx_pnalloc(void *pool, size_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_pnalloc") ? NULL
                                                : ngx_pnalloc(pool, size);
}


void *
torture_ngx_pcalloc(void *pool, size_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_pcalloc") ? NULL
                                                : ngx_pcalloc(pool, size);
}


void *
torture_ngx_array_create(void *pool, uintptr_t n, size_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_array_create")
               ? NULL
               : ngx_array_create(pool, n, size);
}


void *
torture_ngx_array_push(void *array)
{
    return fail_now(FAIL_MEMORY, "ngx_array_push") ? NULL
                                                   : ngx_array_push(array);
}


void *
torture_ngx_list_push(void *list)
{
    return fail_now(FAIL_MEMORY, "ngx_list_push") ? NULL
                                                  : ngx_list_push(list);
}


void *
torture_ngx_pool_cleanup_add(void *pool, size_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_pool_cleanup_add")
               ? NULL
               : ngx_pool_cleanup_add(pool, size);
}


void *
torture_ngx_http_cleanup_add(void *r, size_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_http_cleanup_add")
               ? NULL
               : ngx_http_cleanup_add(r, size);
}


void *
torture_ngx_http_add_variable(void *cf, void *name, uintptr_t flags)
{
    return fail_now(FAIL_MEMORY, "ngx_http_add_variable")
               ? NULL
               : ngx_http_add_variable(cf, name, flags);
}


void *
torture_ngx_http_script_run(void *r, void *value, void *lengths,
                            size_t reserved, void *values)
{
    return fail_now(FAIL_MEMORY, "ngx_http_script_run")
               ? NULL
               : ngx_http_script_run(r, value, lengths, reserved, values);
}


intptr_t
torture_ngx_get_full_name(void *pool, void *prefix, void *name)
{
    return fail_now(FAIL_MEMORY, "ngx_get_full_name")
               ? FAIL_NGX_ERROR
               : ngx_get_full_name(pool, prefix, name);
}


intptr_t
torture_ngx_http_regex_exec(void *r, void *regex, void *subject)
{
    return fail_now(FAIL_MEMORY, "ngx_http_regex_exec")
               ? FAIL_NGX_ERROR
               : ngx_http_regex_exec(r, regex, subject);
}


intptr_t
torture_ngx_http_parse_unsafe_uri(void *r, void *uri, void *args, void *flags)
{
    return fail_now(FAIL_MEMORY, "ngx_http_parse_unsafe_uri")
               ? FAIL_NGX_ERROR
               : ngx_http_parse_unsafe_uri(r, uri, args, flags);
}


intptr_t
torture_ngx_http_compile_complex_value(void *compile)
{
    return fail_now(FAIL_MEMORY, "ngx_http_compile_complex_value")
               ? FAIL_NGX_ERROR
               : ngx_http_compile_complex_value(compile);
}


intptr_t
torture_ngx_http_complex_value(void *r, void *complex, void *value)
{
    return fail_now(FAIL_MEMORY, "ngx_http_complex_value")
               ? FAIL_NGX_ERROR
               : ngx_http_complex_value(r, complex, value);
}


intptr_t
torture_ngx_regex_exec(void *regex, void *subject, int *captures,
                       uintptr_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_regex_exec")
               ? FAIL_NGX_REGEX
               : ngx_regex_exec(regex, subject, captures, size);
}


intptr_t
torture_ngx_http_subrequest(void *r, void *uri, void *args, void *subrequest,
                            void *posted, uintptr_t flags)
{
    return fail_now(FAIL_MEMORY, "ngx_http_subrequest")
               ? FAIL_NGX_ERROR
               : ngx_http_subrequest(r, uri, args, subrequest, posted, flags);
}


intptr_t
torture_ngx_http_post_request(void *r, void *posted)
{
    return fail_now(FAIL_MEMORY, "ngx_http_post_request")
               ? FAIL_NGX_ERROR
               : ngx_http_post_request(r, posted);
}


intptr_t
torture_ngx_http_get_variable_index(void *cf, void *name)
{
    return fail_now(FAIL_MEMORY, "ngx_http_get_variable_index")
               ? FAIL_NGX_ERROR
               : ngx_http_get_variable_index(cf, name);
}


void *
torture_ngx_http_get_indexed_variable(void *r, uintptr_t index)
{
    return fail_now(FAIL_MEMORY, "ngx_http_get_indexed_variable")
               ? NULL
               : ngx_http_get_indexed_variable(r, index);
}


void *
torture_ngx_alloc_chain_link(void *pool)
{
    return fail_now(FAIL_MEMORY, "ngx_alloc_chain_link")
               ? NULL
               : ngx_alloc_chain_link(pool);
}


void *
torture_ngx_create_temp_buf(void *pool, size_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_create_temp_buf")
               ? NULL
               : ngx_create_temp_buf(pool, size);
}


void *
torture_ngx_slab_alloc_locked(void *pool, size_t size)
{
    return fail_now(FAIL_MEMORY, "ngx_slab_alloc_locked")
               ? NULL
               : ngx_slab_alloc_locked(pool, size);
}


void *
torture_ngx_http_map_uri_to_path(void *r, void *path, size_t *root,
                                 size_t reserved)
{
    return fail_now(FAIL_MEMORY, "ngx_http_map_uri_to_path")
               ? NULL
               : ngx_http_map_uri_to_path(r, path, root, reserved);
}


/* ---- files --------------------------------------------------------------- */

/* The module closes it with closedir. */
intptr_t
torture_ngx_open_dir(void *name, void *dir)
{
    intptr_t rc;

    if (fail_now(FAIL_FILES, "ngx_open_dir")) {
        errno = fail_error();
        return FAIL_NGX_ERROR;
    }

    rc = ngx_open_dir(name, dir);
    if (rc != FAIL_NGX_ERROR) {
        fail_hold_dir(1);
    }

    return rc;
}


intptr_t
torture_ngx_read_dir(void *dir)
{
    if (fail_now(FAIL_FILES, "ngx_read_dir")) {
        errno = fail_error();
        return FAIL_NGX_ERROR;
    }

    return ngx_read_dir(dir);
}
