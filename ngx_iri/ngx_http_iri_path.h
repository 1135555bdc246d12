/*
 * ngx_http_iri_path.h - functions: from the path of a request to a file
 *
 * Reading, lookup, restart, in the order in which a request calls them.  Paths
 * are octets in UTF-8.  If nothing else is said, arguments must not be NULL,
 * and results are in r->pool.
 */

#ifndef NGX_HTTP_IRI_PATH_H
#define NGX_HTTP_IRI_PATH_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_client.c ---------------------------------------------- */

/*
 * The settings with which the paths of r are read: those of the server, or with
 * the charsets in the variable of iri_charset.
 * Returns: NULL if memory is exhausted.
 */
const iri_reading_conf_t *ngx_http_iri_reading_conf(ngx_http_request_t *r);


/* ---- ngx_http_iri_read.c ------------------------------------------------ */

/* Set *query to the query as sent.  Returns: 0 if r has no query. */
ngx_uint_t ngx_http_iri_sent_query(ngx_http_request_t *r, iri_str_t *query);

/* Returns: the path as sent, not decoded: "/caf%E9?x" → "/caf%E9". */
iri_str_t ngx_http_iri_sent_path(ngx_http_request_t *r);

/*
 * Read r->uri, and set r->uri to the canonical path if this differs (design 4):
 * "/caf\xE9" → "/café".  origin:
 *
 *   IRI_PATH_REQUESTED   the client has sent r->uri, or r is a subrequest and
 *                        r->uri is its first path
 *   IRI_PATH_INTERNAL    an internal redirect or a rewrite has set r->uri
 *
 * Returns: NGX_OK if r->uri has changed; NGX_DECLINED if not; the HTTP status
 * of a path that is refused; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_read(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    iri_origin_t origin);

/* The handler of the POST_READ phase. */
ngx_int_t ngx_http_iri_post_read_handler(ngx_http_request_t *r);

/*
 * Returns: 1 if a location of the server may find an entry with another name
 * for uri, an ASCII path.
 */
static inline ngx_uint_t
ngx_http_iri_may_fold_ascii(const ngx_http_iri_srv_conf_t *iscf, ngx_str_t uri)
{
    return iscf->needs_indexes
           || ((iscf->reading.repair & IRI_REPAIR_ESCAPES)
               && ngx_strlchr(uri.data, uri.data + uri.len, '%') != NULL);
}

/*
 * Set *path to the canonical path that was requested, by the client or by a
 * subrequest, before any rule has set r->uri: "/caf%E9?x" → "/café".
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_requested_path(ngx_http_request_t *r, ngx_str_t *path);

/* Set *query to the query that was requested.  Returns: 0 if none was. */
ngx_uint_t ngx_http_iri_requested_query(ngx_http_request_t *r,
    iri_str_t *query);

/*
 * At the start of a subrequest: save its path and query as requested, unless
 * they are saved.
 */
void ngx_http_iri_save_requested_path(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx);

/*
 * Returns: 1 if the request has restarted with the name of an entry, and the
 * response must not reveal that name: the response is an error or an error
 * page, and access to the name was not granted.  The log may show it (design
 * 5.7).
 */
ngx_uint_t ngx_http_iri_hides_found_name(ngx_http_request_t *r,
    const ngx_http_iri_ctx_t *ctx);

/*
 * Returns: r->uri; if found names are hidden, r->uri with the names as sent
 * instead.
 */
ngx_str_t ngx_http_iri_disclosed_uri(ngx_http_request_t *r);

/*
 * At the start of a named location: if found names are hidden, replace them in
 * r->uri by the names as sent.
 */
void ngx_http_iri_conceal_uri(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);


/*
 * ---- ngx_http_iri_settings.c ----------------------------------------------
 */

/*
 * Set search->tree, and search->settings_of if names in uri have different
 * settings.  The caller has set search->path.
 */
void ngx_http_iri_settings_search(const ngx_http_iri_loc_conf_t *ilcf,
    ngx_str_t uri, iri_search_t *search);


/* ---- ngx_http_iri_find.c ------------------------------------------------ */

/*
 * Returns: 1 if clcf has no alias, or uri begins with the prefix it replaces.
 */
ngx_uint_t ngx_http_iri_below_alias(ngx_http_request_t *r,
    const ngx_http_core_loc_conf_t *clcf, ngx_str_t uri);

/*
 * Look up r->uri below root or alias of the current location, as configured.
 * The result of an earlier lookup of the same path is reused.  Returns: the
 * result, which lives as long as r; NULL if memory is exhausted, or r->uri does
 * not begin with the prefix that alias replaces.
 */
iri_lookup_t *ngx_http_iri_find(ngx_http_request_t *r);

/* The same for uri, a canonical path that lives as long as r. */
iri_lookup_t *ngx_http_iri_find_uri(ngx_http_request_t *r,
    ngx_str_t uri);

/*
 * Set *conf to the facts about r on which the result for uri depends.  uri must
 * live as long as r.
 */
void ngx_http_iri_find_conf(ngx_http_request_t *r,
    const ngx_http_iri_ctx_t *ctx, ngx_str_t uri, iri_find_conf_t *conf);

/* Returns: 1 if r->uri may have another name on disk in this location. */
ngx_uint_t ngx_http_iri_needs_lookup(ngx_http_request_t *r);

/*
 * If r can restart with the entry that was found, make a restart pending for
 * ngx_http_iri_restart().  Returns: 1 if it is.
 */
ngx_uint_t ngx_http_iri_plan_restart(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx, iri_lookup_t *found);

/* Carry out the pending restart.  Returns: the result of the phase handler. */
ngx_int_t ngx_http_iri_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);


/* ---- ngx_http_iri_resolve.c --------------------------------------------- */

/*
 * Before the rules of a location: if the lookup of r->uri needs an index that
 * is being built, wait for it.  Returns: the result of the phase handler:
 * NGX_DONE, NGX_DECLINED.
 */
ngx_int_t ngx_http_iri_wait_before_rules(ngx_http_request_t *r);

/*
 * After the rules of a location: look up r->uri; wait or restart if needed.
 * Returns: NGX_OK if the request continues; else the result of the phase
 * handler.
 */
ngx_int_t ngx_http_iri_resolve(ngx_http_request_t *r);

/*
 * In the PRECONTENT phase: answer 404, 409 or 300 if no file may be served for
 * r->uri.  Before access is granted, the answer could reveal the contents of a
 * directory to which access is denied (design 5.7).
 * Returns: NGX_DECLINED if the request continues; else the result of the phase
 * handler.
 */
ngx_int_t ngx_http_iri_refuse_not_found(ngx_http_request_t *r);


/* ---- ngx_http_iri_root.c ------------------------------------------------ */

/*
 * Set *name to the name on disk for uri in the current location, without
 * running the script.  A NUL follows, which is not counted.  In a tree in
 * ISO-8859-1: "/café" → "/srv/www/caf\xE9".  Returns: NGX_OK; NGX_DECLINED if
 * root has variables, or uri does not begin with the prefix that alias
 * replaces; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_filename_of(ngx_http_request_t *r, ngx_str_t uri,
    ngx_str_t *name);

/*
 * Test whether nginx can open name, with disable_symlinks and the permissions
 * of the worker.  name: on disk, ends in NUL. Returns: NGX_OK, and *is_dir is
 * set; NGX_DECLINED: it cannot; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_can_open(ngx_http_request_t *r, ngx_str_t name,
    ngx_uint_t *is_dir);

/*
 * After "rewrite ... break" has cleared r->valid_location in a location with
 * root: set it again if the content handler opens files.  nginx tests it below
 * alias only, but with the script root is an alias.  Sets
 * ctx->rules.rewrite_break, so that the flag is cleared again in a named
 * location.
 */
void ngx_http_iri_set_valid_location(ngx_http_request_t *r,
    ngx_http_iri_loc_conf_t *ilcf);


/* ---- ngx_http_iri_try_files.c ------------------------------------------- */

/*
 * In the PRECONTENT phase: carry out try_files.
 * Returns: the result of the phase handler.
 */
ngx_int_t ngx_http_iri_try_files(ngx_http_request_t *r);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_PATH_H */
