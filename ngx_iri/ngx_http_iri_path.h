/*
 * ngx_http_iri_path.h - functions: from the path of a request to a file
 *
 * Reading, looking up, restarting, and the rules that judge a path, in the
 * order in which a request meets them.  Paths are octets in UTF-8.  If nothing
 * else is said, arguments must not be NULL, and results are in r->pool.
 */

#ifndef NGX_HTTP_IRI_PATH_H
#define NGX_HTTP_IRI_PATH_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_module.c ---------------------------------------------- */

/* Set *env to an environment that has the memory of the configuration. */
void ngx_http_iri_conf_env(ngx_conf_t *cf, iri_env_t *env);

/*
 * The charsets of http{}, created when they are first needed: with iri off
 * ICU's data are not read.  Returns: NULL if these cannot be loaded.
 */
iri_registry_t *ngx_http_iri_registry(ngx_conf_t *cf);

/*
 * All arguments of the directive that is being read.
 * Returns: NULL if memory is exhausted.
 */
iri_str_t *ngx_http_iri_arguments(ngx_conf_t *cf);

/* The setter of a directive that takes one of the words at cmd->post. */
char *ngx_http_iri_set_word(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


/* ---- ngx_http_iri_phases.c ---------------------------------------------- */

/*
 * Register the handlers of all phases.  To be called last of all
 * initialization.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_phases_init(ngx_conf_t *cf);

typedef enum {
    NGX_HTTP_IRI_AT_START,
    NGX_HTTP_IRI_AT_END
} ngx_http_iri_position_t;

/* A handler at one end of the array of a phase */
typedef struct {
    ngx_uint_t phase;
    ngx_http_iri_position_t end;    /* AT_END: runs first; in the LOG phase
                                   last */
    ngx_http_handler_pt handler;
} ngx_http_iri_handler_t;

/*
 * Register the n handlers of a table, one after the other.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_register(ngx_conf_t *cf,
    const ngx_http_iri_handler_t *table, ngx_uint_t n);


/* Returns: the index of the handler of the POST_REWRITE phase. */
ngx_int_t ngx_http_iri_post_rewrite(ngx_http_request_t *r);


/* ---- ngx_http_iri_request.c --------------------------------------------- */

/* Set the members of *env: the pool, log and file system of r. */
void ngx_http_iri_env(ngx_http_request_t *r, iri_env_t *env);

/*
 * Find the context of a module after nginx has cleared r->ctx, and put it there
 * again.  Returns: NULL if r has none.
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
 * The context of a feature, which begins with ngx_http_iri_owner_t.  A request
 * that has one has a context of the base module, too.  size: of a new one,
 * which is zero.
 * Returns: the context; NULL if r has none, or memory is exhausted.
 */
static inline void *
ngx_http_iri_feature_ctx(ngx_http_request_t *r, const ngx_module_t *module)
{
    void *ctx = r->ctx[module->ctx_index];

    return ctx == NULL && ngx_http_iri_ctx(r) != NULL
               ? ngx_http_iri_ctx_recover(r, module)
               : ctx;
}

void *ngx_http_iri_feature_ctx_get_or_create(ngx_http_request_t *r,
    ngx_module_t *module, size_t size);

/* Join two strings; a NUL that is not counted follows. NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_join(ngx_pool_t *pool, ngx_str_t head, ngx_str_t tail,
    ngx_str_t *out);

/*
 * Append "/" to *path, the path of a collection, unless it ends in one:
 * "/a" → "/a/".  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_add_slash(ngx_http_request_t *r, iri_str_t *path);

/*
 * Add a field to the response header.  key and the octets of value are not
 * copied and must live as long as r.  Returns: NULL if memory is exhausted.
 */
ngx_table_elt_t *ngx_http_iri_header_add(ngx_http_request_t *r,
    const char *key, ngx_str_t value);

/*
 * Set r->uri to a copy of path, with all members that depend on it.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_set_uri(ngx_http_request_t *r, iri_str_t path);

/* The same without a copy: uri must live as long as r. */
void ngx_http_iri_set_uri_nocopy(ngx_http_request_t *r, ngx_str_t uri);

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

/*
 * Add the security policy of a page that shows names.  text: its value, a
 * static string.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_header_add_policy(ngx_http_request_t *r,
    const char *text);

/*
 * Set *line to the value of $request: method, uri (percent-encoded) and
 * protocol, for example "GET /caf%C3%A9 HTTP/1.1".
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_request_line(ngx_pool_t *pool, ngx_str_t method,
    ngx_str_t uri, ngx_str_t protocol, ngx_str_t *line);

/* Leave the location: the SERVER_REWRITE phase runs next. */
void ngx_http_iri_rerun_phases(ngx_http_request_t *r);


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


/* ---- ngx_http_iri_snapshot.c -------------------------------------------- */

/* Copy r as it is now into *snapshot.  Returns: NGX_OK, NGX_ERROR. */
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


/* ---- ngx_http_iri_levels.c ---------------------------------------------- */

/* Initialize imcf->levels.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_levels_create(ngx_conf_t *cf,
    ngx_http_iri_main_conf_t *imcf);

/*
 * Add a location, or a server, whose settings are merged.  parent: the level
 * that contains it.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_levels_add(ngx_conf_t *cf,
    ngx_http_iri_loc_conf_t *parent, ngx_http_iri_loc_conf_t *conf);

/*
 * Link the levels, when all are known and before root is replaced.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_levels_init(ngx_conf_t *cf);

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
 * Replace root and alias in the locations of imcf->hooks by the script.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_root_init(ngx_conf_t *cf);

/*
 * Set *name to the name on disk for uri in the current location; a NUL that is
 * not counted follows.  "/café" → "/srv/www/caf\xE9" in a tree in ISO-8859-1.
 * Returns: NGX_OK; NGX_DECLINED if only nginx can evaluate it, because root
 * has variables or alias does not replace a prefix of uri; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_filename_of(ngx_http_request_t *r, ngx_str_t uri,
    ngx_str_t *name);

/*
 * Open name, a name on disk that ends in NUL, as nginx does, by the cache of
 * open files.  of: zero, but for the flags of the test.
 * Returns: NGX_OK; NGX_DECLINED: it cannot be opened (of->err); NGX_ERROR.
 */
ngx_int_t ngx_http_iri_open_file(ngx_http_request_t *r, ngx_str_t *name,
    ngx_open_file_info_t *of);

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

/*
 * Find an HTTP module by its name, e.g. "ngx_http_realip_module": a module that
 * may be missing cannot be linked to.  Returns: NULL if nginx does not have it.
 */
ngx_module_t *ngx_http_iri_module_named(ngx_conf_t *cf, const char *name);


/* ---- ngx_http_iri_try_files.c ------------------------------------------- */

/* Before nginx reads the directives.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_try_files_begin(ngx_conf_t *cf);

/* When it has read them, or has failed; a cleanup handler.  data: not used. */
void ngx_http_iri_try_files_end(void *data);

/* After ngx_http_iri_root_init().  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_try_files_init(ngx_conf_t *cf);

/* In the PRECONTENT phase.  Returns: as a handler. */
ngx_int_t ngx_http_iri_try_files(ngx_http_request_t *r);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_PATH_H */
