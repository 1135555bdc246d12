/*
 * ngx_http_iri_feature.h - functions: all other features
 *
 * Warnings, the cache, hosts, queries, redirects, WebDAV, pages, fields of the
 * response, logs and variables, a section for each file.  If nothing else is
 * said, arguments must not be NULL, and results are in r->pool or cf->pool.
 */

#ifndef NGX_HTTP_IRI_FEATURE_H
#define NGX_HTTP_IRI_FEATURE_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_check.c ----------------------------------------------- */

/* Initialize imcf->directives.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_check_create(ngx_conf_t *cf,
    ngx_http_iri_main_conf_t *imcf);

/* Where nginx reads the configuration now. */
iri_position_t ngx_http_iri_conf_position(ngx_conf_t *cf);

/*
 * Add the directive that is being read to those that are checked.  charsets:
 * its list; NULL: none.
 * Returns: NGX_CONF_OK; NGX_CONF_ERROR if memory is exhausted.
 */
char *ngx_http_iri_check_setting(ngx_conf_t *cf,
    const iri_charsets_t *charsets);

/* Add the location that is being merged.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_check_location(ngx_conf_t *cf,
    ngx_http_iri_srv_conf_t *iscf, const ngx_http_iri_loc_conf_t *ilcf);

/*
 * Add the iri_host of a server at an address.  first: the default server of
 * the address.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_check_host(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, ngx_http_core_srv_conf_t *first);

/*
 * Log a warning if a name of a server does not select it; the arguments are
 * those of iri_config_check_name().  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_check_name(ngx_conf_t *cf, ngx_str_t name,
    ngx_http_core_srv_conf_t *cscf, const iri_host_t *host,
    ngx_http_core_srv_conf_t *owner);

/* Log the warnings of all that was added.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_check(ngx_conf_t *cf);

/*
 * Make the error message of a setter.  error: the sentence of the core, e.g.
 * "must be ...".  word: index of the wrong word, 1 is the first after the name
 * of the directive; cf->args->nelts: no single word is wrong.
 * Returns: the message; error alone if memory is exhausted.
 */
char *ngx_http_iri_conf_wrong(ngx_conf_t *cf, const char *error,
    ngx_uint_t word);


/* ---- ngx_http_iri_cache.c ----------------------------------------------- */

/* The cache for lookups of r in this process.  Returns: NULL if it is off. */
iri_index_cache_t *ngx_http_iri_cache(ngx_http_request_t *r);

/*
 * If the lookup has started a thread that builds the index of a directory, and
 * the index may change its result, wait for it.
 * Returns: 1 if the handler must return NGX_DONE.  The phase runs that handler
 * again when the index is built.
 */
ngx_uint_t ngx_http_iri_wait(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    const iri_lookup_t *found);

/*
 * Parse iri_cache.  words: cf->args without the name of the directive.
 * Returns: NULL, or the error message.
 */
const char *ngx_http_iri_cache_set(ngx_conf_t *cf,
    ngx_http_iri_srv_conf_t *iscf, const iri_str_t *words);

/* After conf->engine is merged.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_cache_merge(ngx_conf_t *cf,
    const ngx_http_iri_srv_conf_t *prev, ngx_http_iri_srv_conf_t *conf);

/*
 * A location of the server folds width, case, accents or spelling: find the
 * threads that build indexes.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_cache_needs_threads(ngx_conf_t *cf,
    ngx_http_iri_srv_conf_t *iscf);

/* When a process starts that serves requests. */
void ngx_http_iri_cache_init_process(ngx_http_iri_main_conf_t *imcf);


/* ---- ngx_http_iri_client.c ---------------------------------------------- */

/*
 * Set iri_charset to the variable that it names.
 * Returns: NGX_CONF_OK, or the error message.
 */
char *ngx_http_iri_client_set(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf,
    iri_registry_t *registry);

/*
 * The settings with which paths of this client are read.
 * Returns: NULL if memory is exhausted.
 */
const iri_reading_conf_t *ngx_http_iri_reading_conf(ngx_http_request_t *r);


/* ---- ngx_http_iri_names.c ----------------------------------------------- */

/*
 * Before ngx_http_iri_check(): add the A-labels of each name of a server to the
 * names of that server, and set $server_name to the A-labels of its first name.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_names_init(ngx_conf_t *cf);


/* ---- ngx_http_iri_host.c ------------------------------------------------ */

/* Returns: how the server of r maps host names, for the core. */
const iri_host_conf_t *ngx_http_iri_host_rules(ngx_http_request_t *r);

/*
 * Set *name to the A-labels of a host without a dot at its end, by the
 * iri_host that applies to r: "bücher.example" → "xn--bcher-kva.example".
 * Returns: NGX_OK; NGX_DECLINED if octets are these A-labels already or are not
 * a host name, or iri_host is off; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_host_map(ngx_http_request_t *r, iri_str_t octets,
    ngx_str_t *name);


/* ---- ngx_http_iri_query.c ----------------------------------------------- */

/*
 * Set *out to the value of $iri_query.
 * Returns: NGX_OK; NGX_DECLINED if there is no query; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_query_value(ngx_http_request_t *r, iri_str_t *out);

/*
 * Read the query as it was sent, for counting.
 * Returns: NGX_OK; NGX_DECLINED: nothing to read; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_query_sent(ngx_http_request_t *r, iri_query_t *query);


/* ---- ngx_http_iri_destination.c ----------------------------------------- */

/*
 * After the rules have granted access to the source of COPY and MOVE: let them
 * judge the Destination, if nginx itself would write there.
 * Returns: NGX_DECLINED if there is nothing to judge, or r has restarted with
 * the Destination as its path; else the HTTP status.
 */
ngx_int_t ngx_http_iri_destination_judge(ngx_http_request_t *r);

/*
 * Returns: 1 while rules judge a Destination.  It is not looked up in the
 * current location, because it is created below the root of the location of
 * the source.
 */
ngx_uint_t ngx_http_iri_judges_destination(ngx_http_request_t *r);

/* Returns: the reading of the Destination; NULL if uri is another path. */
const iri_reading_t *ngx_http_iri_destination_reading(ngx_http_request_t *r,
    ngx_str_t uri);


/* ---- ngx_http_iri_judge.c ----------------------------------------------- */

/*
 * Returns: 1 if a listing judges the path of the subrequest r: it never
 * restarts, and the path has one reading.
 */
ngx_uint_t ngx_http_iri_is_judged(ngx_http_request_t *r);


/* ---- ngx_http_iri_dav.c -------------------------------------------------- */

/*
 * In the PRECONTENT phase: answer 409 for a name that cannot be created.
 * Returns: as a handler; NGX_OK if a page with the reason is the content.
 */
ngx_int_t ngx_http_iri_conflict(ngx_http_request_t *r, iri_why_t why);


/* ---- ngx_http_iri_location.c -------------------------------------------- */

/* Set *query to the query as it was sent.  Returns: 0 if there is none. */
ngx_uint_t ngx_http_iri_query(ngx_http_request_t *r, iri_str_t *query);

/*
 * Returns: the path as it was sent, percent-encoded or raw:
 * "/caf%E9?x" → "/caf%E9".
 */
iri_str_t ngx_http_iri_sent_path(ngx_http_request_t *r);

/*
 * In the PRECONTENT phase: carry out iri_redirect.
 * Returns: NGX_DECLINED if the request goes on; else the HTTP status.
 */
ngx_int_t ngx_http_iri_redirect_client(ngx_http_request_t *r);


/* ---- ngx_http_iri_notes.c ----------------------------------------------- */

/*
 * Add a note to the one line that is logged for r.  code: of doc/reasons.md.
 * format: as printf; arguments that are not literals are the results of
 * iri_show().
 */
void ngx_http_iri_note(ngx_http_request_t *r, iri_log_level_t level,
    const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Add a note on an error.  what: the operation that failed. */
void ngx_http_iri_note_error(ngx_http_request_t *r, const char *what,
    iri_status_t status);

/* Returns: 1 if notes of this level are logged. */
ngx_uint_t ngx_http_iri_notes_wanted(ngx_http_request_t *r,
    iri_log_level_t level);

/*
 * Log an event, to which a function of the core has added notes; call
 * ngx_http_iri_notes_wanted() before.
 */
void ngx_http_iri_notes_add(ngx_http_request_t *r, const iri_notes_t *event);

/* iri_env_t.log.  ctx: an ngx_http_request_t. */
void ngx_http_iri_log(void *ctx, iri_log_level_t level, iri_str_t line);

/* In the LOG phase: log the notes. */
void ngx_http_iri_notes_log(ngx_http_request_t *r);

/*
 * iri report, in the PRECONTENT phase: look up the requested path in the
 * location that it has selected.
 */
void ngx_http_iri_report_first(ngx_http_request_t *r);

/* In the LOG phase: add the result to the notes. */
void ngx_http_iri_report(ngx_http_request_t *r);


/* ---- ngx_http_iri_variables.c ------------------------------------------- */

/* Before the configuration is read: add $iri_*.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_variables_add(ngx_conf_t *cf);

/* Replace the getters of nginx's variables.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_variables_wrap(ngx_conf_t *cf);


/* ---- ngx_http_iri_zone.c ------------------------------------------------ */

typedef struct ngx_http_iri_zone_root_s  ngx_http_iri_zone_root_t;

/* The cache of directory indexes, as one process sees it */
typedef struct {
    iri_index_cache_t         cache;    /* first; its functions are set when
                                           a process starts */
    ngx_shm_zone_t           *shm_zone;
    ngx_slab_pool_t          *shpool;   /* NULL until then */
    ngx_http_iri_zone_root_t *root;     /* in shared memory */
} ngx_http_iri_zone_t;

/*
 * Add a zone of shared memory for size octets of records and blocks.  Zones of
 * the same size are one.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_zone_add(ngx_conf_t *cf, ngx_http_iri_zone_t *zone,
    size_t size);

/* When a process starts that serves requests.  zone->cache.later: not set. */
void ngx_http_iri_zone_open(ngx_http_iri_zone_t *zone);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_FEATURE_H */
