/*
 * ngx_http_iri_path.h - functions: from the path of a request to a file
 *
 * Reading, looking up, restarting, in the order in which a request meets them.
 * Paths are octets in UTF-8.  If nothing else is said, arguments must not be
 * NULL, and results are in r->pool
 */

#ifndef NGX_HTTP_IRI_PATH_H
#define NGX_HTTP_IRI_PATH_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_client.c ---------------------------------------------- */

/*
 * The settings with which paths of this client are read.
 * Returns: NULL if memory is exhausted.
 */
const iri_reading_conf_t *ngx_http_iri_reading_conf(ngx_http_request_t *r);


/* ---- ngx_http_iri_read.c ------------------------------------------------ */

/* Set *query to the query as it was sent.  Returns: 0 if there is none. */
ngx_uint_t ngx_http_iri_query(ngx_http_request_t *r, iri_str_t *query);

/*
 * Returns: the path as it was sent, percent-encoded or raw:
 * "/caf%E9?x" → "/caf%E9".
 */
iri_str_t ngx_http_iri_sent_path(ngx_http_request_t *r);

/*
 * Read r->uri, and set it to the canonical path if that differs (design 4).
 *
 *   IRI_PATH_REQUESTED   the client has sent it, or r is a subrequest
 *   IRI_PATH_INTERNAL    a subrequest, an internal redirect or a rewrite has
 *                        set it
 *
 * "/caf\xE9" → "/café".  Returns: NGX_OK if r->uri has changed; NGX_DECLINED if
 * not; an HTTP status to answer with; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_read(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    iri_origin_t origin);

/* The handler of the POST_READ phase. */
ngx_int_t ngx_http_iri_post_read_handler(ngx_http_request_t *r);

/*
 * Returns: 1 if a location of the server may find an entry for an ASCII path
 * under another name.
 */
static inline ngx_uint_t
ngx_http_iri_may_fold_ascii(const ngx_http_iri_srv_conf_t *iscf, ngx_str_t uri)
{
    return iscf->folds
           || ((iscf->reading.repair & IRI_REPAIR_ESCAPES)
               && ngx_strlchr(uri.data, uri.data + uri.len, '%') != NULL);
}

/*
 * Set *path to the canonical path that the client, or the maker of the
 * subrequest, has requested, whatever rules and redirects have set since:
 * "/caf%E9?x" → "/café".  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_requested_path(ngx_http_request_t *r, ngx_str_t *path);

/* Set *query to its query, as it was sent.  Returns: 0 if there is none. */
ngx_uint_t ngx_http_iri_requested_query(ngx_http_request_t *r,
    iri_str_t *query);

/* At the start of a subrequest: save path and query, unless they are saved. */
void ngx_http_iri_save_requested_path(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx);

/*
 * Returns: 1 if the response must not reveal the name with which the request
 * restarted: it is an error or an error page, and access to that name was not
 * granted.  The log may show the name (design 5.7).
 */
ngx_uint_t ngx_http_iri_hides_found_name(ngx_http_request_t *r,
    const ngx_http_iri_ctx_t *ctx);

/* Returns: r->uri; where found names are hidden, with the names as sent. */
ngx_str_t ngx_http_iri_disclosed_uri(ngx_http_request_t *r);

/*
 * Before a named location runs: if found names are hidden, replace them in
 * r->uri by the names as sent.
 */
void ngx_http_iri_conceal_uri(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);


/* ---- ngx_http_iri_levels.c ---------------------------------------------- */

/* Set the members of *search that hold settings.  search->path is set. */
void ngx_http_iri_levels_search(const ngx_http_iri_loc_conf_t *ilcf,
    ngx_str_t uri, iri_search_t *search);


/* ---- ngx_http_iri_find.c ------------------------------------------------ */

/* Returns: 1 if clcf has no alias, or alias replaces a prefix of uri. */
ngx_uint_t ngx_http_iri_below_alias(ngx_http_request_t *r,
    const ngx_http_core_loc_conf_t *clcf, ngx_str_t uri);

/*
 * Look up r->uri below the root of the current location; each path and root
 * once.  Returns: the result, which lives as long as r; NULL if memory is
 * exhausted or alias does not replace a prefix of r->uri.
 */
iri_lookup_t *ngx_http_iri_find(ngx_http_request_t *r);

/* The same for another canonical path.  uri must live as long as r. */
iri_lookup_t *ngx_http_iri_find_uri(ngx_http_request_t *r,
    ngx_str_t uri);

/*
 * Set *conf to the facts about r that the core needs to find uri, which must
 * live as long as r.
 */
void ngx_http_iri_find_conf(ngx_http_request_t *r,
    const ngx_http_iri_ctx_t *ctx, ngx_str_t uri, iri_find_conf_t *conf);

/* Returns: 1 if r->uri is to be looked up below the root of this location. */
ngx_uint_t ngx_http_iri_needs_lookup(ngx_http_request_t *r);

/*
 * Returns: 1 if r can restart with what was found.  Then the restart is pending
 * (iri_request_plan_restart), for ngx_http_iri_restart().
 */
ngx_uint_t ngx_http_iri_plan_restart(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx, iri_lookup_t *found);

/* Carry out the restart that is pending.  Returns: as a handler. */
ngx_int_t ngx_http_iri_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);


/* ---- ngx_http_iri_resolve.c --------------------------------------------- */

/*
 * Before the rules of a location: wait for an index that the lookup of r->uri
 * needs.  Returns: as a handler.
 */
ngx_int_t ngx_http_iri_wait_for_rules(ngx_http_request_t *r);

/*
 * After the rules: look up r->uri.
 * Returns: NGX_OK if the request goes on; else as a handler.
 */
ngx_int_t ngx_http_iri_resolve(ngx_http_request_t *r);

/*
 * After access is granted: answer a path for which nothing may be served.  An
 * earlier answer could depend on the contents of a directory to which access
 * is denied (design 5.7).
 * Returns: NGX_DECLINED if the request goes on; else the HTTP status.
 */
ngx_int_t ngx_http_iri_refuse_not_found(ngx_http_request_t *r);


/* ---- ngx_http_iri_root.c ------------------------------------------------ */

/*
 * Set *name to the name on disk for uri in the current location; a NUL that is
 * not counted follows.  "/café" → "/srv/www/caf\xE9" in a tree in ISO-8859-1.
 * Returns: NGX_OK; NGX_DECLINED if only nginx can evaluate it, because root
 * has variables or alias does not replace a prefix of uri; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_filename_of(ngx_http_request_t *r, ngx_str_t uri,
    ngx_str_t *name);

/*
 * Check whether nginx would open name, a name on disk that ends in NUL, with
 * disable_symlinks and the permissions of files.  Sets *is_dir.
 * Returns: NGX_OK if it would; NGX_DECLINED; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_can_open(ngx_http_request_t *r, ngx_str_t name,
    ngx_uint_t *is_dir);

/*
 * After "rewrite ... break" has cleared r->valid_location in a location with
 * root: set it again if the content handler opens files.  nginx tests it below
 * alias only, but with the script root is an alias.  Sets ctx->rules.broken, so
 * that the flag is cleared again in a named location.
 */
void ngx_http_iri_root_validate(ngx_http_request_t *r,
    ngx_http_iri_loc_conf_t *ilcf);


/* ---- ngx_http_iri_try_files.c ------------------------------------------- */

/* In the PRECONTENT phase.  Returns: as a handler. */
ngx_int_t ngx_http_iri_try_files(ngx_http_request_t *r);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_PATH_H */
