/*
 * fail_nginx.c - what nginx gives the module, made to fail
 *
 * Declared as the linker sees it, so that no header of nginx is needed: all
 * are pointers and integers.  Each fails as nginx says it does without memory.
 */

#include "fail.h"

#pragma GCC visibility push(default)
void                  *ngx_palloc(void *pool, size_t size);
void                  *ngx_pnalloc(void *pool, size_t size);
void                  *ngx_pcalloc(void *pool, size_t size);
void                  *ngx_array_create(void *pool, uintptr_t n, size_t size);
void                  *ngx_array_push(void *array);
void                  *ngx_list_push(void *list);
void                  *ngx_pool_cleanup_add(void *pool, size_t size);
void    *ngx_http_add_variable(void *cf, void *name, uintptr_t flags);
void    *ngx_http_script_run(void *r, void *value, void *lengths,
                             size_t reserved, void *values);
intptr_t ngx_get_full_name(void *pool, void *prefix, void *name);
intptr_t ngx_http_regex_exec(void *r, void *regex, void *subject);
intptr_t
ngx_http_parse_unsafe_uri(void *r, void *uri, void *args, void *flags);
#pragma GCC visibility pop

#pragma GCC visibility push(hidden)
void                  *torture_ngx_palloc(void *pool, size_t size);
void                  *torture_ngx_pnalloc(void *pool, size_t size);
void                  *torture_ngx_pcalloc(void *pool, size_t size);
void    *torture_ngx_array_create(void *pool, uintptr_t n, size_t size);
void    *torture_ngx_array_push(void *array);
void    *torture_ngx_list_push(void *list);
void    *torture_ngx_pool_cleanup_add(void *pool, size_t size);
void    *torture_ngx_http_add_variable(void *cf, void *name, uintptr_t flags);
void    *torture_ngx_http_script_run(void *r, void *value, void *lengths,
                                     size_t reserved, void *values);
intptr_t torture_ngx_get_full_name(void *pool, void *prefix, void *name);
intptr_t torture_ngx_http_regex_exec(void *r, void *regex, void *subject);
intptr_t torture_ngx_http_parse_unsafe_uri(void *r, void *uri, void *args,
                                           void *flags);
#pragma GCC visibility pop

#define FAIL_NGX_ERROR (-1)


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
