/*
 * ngx_http_iri_request.h - a request: context, members, environment, snapshot
 *
 * If nothing else is said, arguments must not be NULL, and results are in
 * r->pool.
 */

#ifndef NGX_HTTP_IRI_REQUEST_H
#define NGX_HTTP_IRI_REQUEST_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_request.c --------------------------------------------- */

/*
 * Restore the context of a module in r->ctx after nginx has cleared it.
 * Returns: the context; NULL if r has none.
 */
void *ngx_http_iri_ctx_recover(ngx_http_request_t *r,
    const ngx_module_t *module);

/* Returns: the context of r, or NULL if it has none yet. */
static inline ngx_http_iri_ctx_t *
ngx_http_iri_ctx(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_iri_module);

    return ctx == NULL && (r->internal || r->filter_finalize)
               ? ngx_http_iri_ctx_recover(r, &ngx_http_iri_module)
               : ctx;
}

/*
 * The context of r, created if there is none.
 * Returns: NULL if memory is exhausted.
 */
ngx_http_iri_ctx_t *ngx_http_iri_ctx_get_or_create(ngx_http_request_t *r);

/*
 * The context of r in the module of a feature.  It begins with
 * ngx_http_iri_owner_t.  A request with such a context also has one in
 * ngx_http_iri_module.
 * Returns: the context; NULL if r has none.
 */
static inline void *
ngx_http_iri_feature_ctx(ngx_http_request_t *r, const ngx_module_t *module)
{
    void *ctx = r->ctx[module->ctx_index];

    return ctx == NULL && ngx_http_iri_ctx(r) != NULL
               ? ngx_http_iri_ctx_recover(r, module)
               : ctx;
}

/*
 * The same, created if there is none.  size: octets of a new context, which is
 * zero but for its owner.  Returns: NULL if memory is exhausted.
 */
void *ngx_http_iri_feature_ctx_get_or_create(ngx_http_request_t *r,
    ngx_module_t *module, size_t size);

/*
 * Set *out to head followed by tail.  A NUL follows, which is not counted.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_join(ngx_pool_t *pool, ngx_str_t head, ngx_str_t tail,
    ngx_str_t *out);

/*
 * Append "/" to *path, unless *path ends in "/": "/a" → "/a/".
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_add_slash(ngx_http_request_t *r, iri_str_t *path);

/*
 * Add a field to the response header.  key and the octets of value are not
 * copied and must live as long as r.  Returns: NULL if memory is exhausted.
 */
ngx_table_elt_t *ngx_http_iri_header_add(ngx_http_request_t *r,
    const char *key, ngx_str_t value);

/*
 * The end of a content handler: send a page with its header fields.
 * Returns: as ngx_http_send_response().
 */
ngx_int_t ngx_http_iri_send_page(ngx_http_request_t *r,
    const iri_page_t *page);

/*
 * Set *line to the value of $request: method, uri (percent-encoded) and
 * protocol, for example "GET /caf%C3%A9 HTTP/1.1".
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_request_line(ngx_pool_t *pool, ngx_str_t method,
    ngx_str_t uri, ngx_str_t protocol, ngx_str_t *line);

/*
 * Set r->uri to a copy of path, and the members of r that depend on r->uri.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_set_uri(ngx_http_request_t *r, iri_str_t path);

/* The same without a copy: uri must live as long as r. */
void ngx_http_iri_set_uri_nocopy(ngx_http_request_t *r, ngx_str_t uri);

/*
 * Leave the location, and set r->phase_handler so that nginx runs the phases
 * from SERVER_REWRITE on.  The caller returns NGX_DECLINED.
 */
void ngx_http_iri_rerun_phases(ngx_http_request_t *r);

/* Returns: the value of r->phase_handler for the POST_REWRITE phase. */
ngx_int_t ngx_http_iri_post_rewrite(ngx_http_request_t *r);


/* ---- ngx_http_iri_env.c ------------------------------------------------- */

/* Set *env to the pool, log and file system of r. */
void ngx_http_iri_env(ngx_http_request_t *r, iri_env_t *env);

/*
 * Open a file as nginx does.  cache: NULL: none.  name: on disk, ends in NUL.
 * of: zero, except test_dir and test_only.  Returns: NGX_OK; NGX_DECLINED: the
 * file cannot be opened (of->err); NGX_ERROR.
 */
ngx_int_t ngx_http_iri_open_file(ngx_http_request_t *r,
    ngx_open_file_cache_t *cache, ngx_str_t *name, ngx_open_file_info_t *of);

/*
 * Add a note to the line that is logged for r.  code: one of doc/reasons.md.
 * format: as of printf; octets of a client must have passed iri_show().
 */
void ngx_http_iri_note(ngx_http_request_t *r, iri_log_level_t level,
    const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Add a note about an error.  what: the operation that failed. */
void ngx_http_iri_note_error(ngx_http_request_t *r, const char *what,
    iri_status_t status);

/* Returns: 1 if notes of this level are logged for r. */
ngx_uint_t ngx_http_iri_notes_wanted(ngx_http_request_t *r,
    iri_log_level_t level);

/*
 * Add the notes that a function of the core has written to *event.  The caller
 * has called ngx_http_iri_notes_wanted().
 */
void ngx_http_iri_notes_add(ngx_http_request_t *r, const iri_notes_t *event);

/* In the LOG phase: log the notes of r as one line. */
void ngx_http_iri_notes_log(ngx_http_request_t *r);


/* ---- ngx_http_iri_snapshot.c -------------------------------------------- */

/* Copy the state of r into *snapshot.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_snapshot(ngx_http_request_t *r,
    ngx_http_iri_snapshot_t *snapshot);

/*
 * Restore r, or only its variables and captures, from *snapshot.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_restore(ngx_http_request_t *r,
    const ngx_http_iri_snapshot_t *snapshot);
ngx_int_t ngx_http_iri_variables_restore(ngx_http_request_t *r,
    const ngx_http_iri_snapshot_t *snapshot);

/* Get and set the address of the client. */
ngx_http_iri_address_t ngx_http_iri_address(ngx_http_request_t *r);
void ngx_http_iri_address_set(ngx_http_request_t *r,
    const ngx_http_iri_address_t *address);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_REQUEST_H */
