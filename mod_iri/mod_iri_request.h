/*
 * mod_iri_request.h - the state of a request, and its answers
 */

#ifndef MOD_IRI_REQUEST_H
#define MOD_IRI_REQUEST_H

#include "mod_iri.h"

#include "iri_listing.h"

#pragma GCC visibility push(hidden)

/* ---- mod_iri_request.c -------------------------------------------------- */

/*
 * The state of a request, in r->request_config.  Most requests have none: an
 * ASCII path allocates no memory.  Members are 0 or NULL if they do not apply.
 */
typedef struct {
    iri_request_t *state;      /* the state in the core; never NULL */
    char         *sent;        /* the path that was read, percent-encoded */
    const char   *uri;         /* canonical path to which r->uri was set, percent-
                                  encoded */
    const char   *decoded;     /* r->uri if mod_iri_set_path() has decoded it */
    int           refused;     /* HTTP status with which the path is refused */
    const char   *saved_unparsed; /* r->unparsed_uri as sent, while it is
                                  replaced */
    const char   *saved_line;  /* the same for r->the_request */
    const char   *settings_path; /* see mod_iri_settings_path() */
    iri_lookup_t *lookup;      /* of the path */
    int           is_ascii;    /* 1: the paths sent and found are both ASCII */
    const char   *location;    /* the Location that this module has set */
    server_rec   *walk_server; /* r->server with the sections of the directory
                                  walk, if they are others */
    const char   *walk_key;    /* identifies the sections of walk_server */
    struct mod_iri_probe_s *probe; /* the probe whose subrequest is running */
} mod_iri_request_t;

/*
 * In r->request_config instead of a state: the request has an ASCII path, which
 * is not a file name, and no other fact has to be stored.  Never written to.
 */
extern const mod_iri_request_t mod_iri_ascii;

/* Returns: NULL if the request has no state, or mod_iri_ascii. */
static inline mod_iri_request_t *
mod_iri_request(const request_rec *r)
{
    mod_iri_request_t *ctx = ap_get_module_config(r->request_config,
                                                  &iri_module);

    return ctx == &mod_iri_ascii ? NULL : ctx;
}

/* The state in the core; NULL: the request has none. */
static inline iri_request_t *
mod_iri_state(const request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    return ctx != NULL ? ctx->state : NULL;
}

static inline int
mod_iri_has_restarted(const mod_iri_request_t *ctx)
{
    return ctx != NULL && iri_request_has_restarted(ctx->state);
}

/* As iri_is_same_on_disk(), with the settings of the server. */
static inline int
mod_iri_is_same_on_disk(const request_rec *r, const char *name)
{
    return iri_is_same_on_disk(mod_iri_conf(r)->match,
                               mod_iri_str(name));
}

/* The state of a request, created if there is none. */
mod_iri_request_t *mod_iri_request_create(request_rec *r);

void mod_iri_request_clear(request_rec *r, mod_iri_request_t *ctx);

iri_request_t *mod_iri_state_create(apr_pool_t *pool);

/* The result of the lookup of the path; PASS if no lookup was made. */
const iri_found_t *mod_iri_found(const mod_iri_request_t *ctx);

/* An env for the core, with the pool and the log of a request. */
const iri_env_t *mod_iri_env(request_rec *r);

/* Does a path of octets exist on disk? */
int mod_iri_exists(request_rec *r, const char *path);

/* Is an internal redirect to an error page?  r->prev must not be NULL. */
int mod_iri_is_error_page(const request_rec *r);

/*
 * Has a per-directory RewriteRule set another path, to which mod_rewrite's
 * handler redirects internally, so that r itself is not answered?
 */
int mod_iri_is_rule_redirect(const request_rec *r);

/* A copy of a vector, for which the configuration of a module can be set. */
ap_conf_vector_t *mod_iri_copy_vector(apr_pool_t       *pool,
                                      ap_conf_vector_t *from);

/* The canonical path of a request. */
iri_str_t mod_iri_path(const request_rec *r);

/*
 * Set r->uri and r->parsed_uri.path to the canonical path of ctx, encoded; or
 * decoded if a per-directory rule has redirected to a path without escapes.
 */
void mod_iri_set_path(request_rec *r, mod_iri_request_t *ctx);

/* Data in the pool of a request, which its internal redirects share. */
typedef struct {
    struct mod_iri_snapshot_s *snapshot; /* NULL: it cannot restart */
    iri_notes_t               *notes;    /* of the log line; NULL: none */
} mod_iri_pool_data_t;

/* A pool without data shares those of `from`; from NULL: it gets new data. */
mod_iri_pool_data_t *mod_iri_pool_data(apr_pool_t *pool, apr_pool_t *from);

/*
 * Add a note to the log line of a request.  code: a code of doc/reasons.md.
 * format: as for printf; octets from outside must be passed through iri_show().
 */
void mod_iri_note(request_rec *r, iri_log_level_t level, const char *code,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Note an error of the core.  failure: for example "the query ..." */
void mod_iri_note_error(request_rec *r, const char *failure,
                        iri_status_t status);

/* The notes of a request, for the core; NULL: the level is not logged. */
iri_notes_t *mod_iri_notes(request_rec *r, iri_log_level_t level);

/* Replace the data of a brigade of r, not its metadata; text: may be empty. */
void mod_iri_replace_data(request_rec *r, apr_bucket_brigade *brigade,
                          iri_str_t text);

/* ---- mod_iri_read.c ----------------------------------------------------- */

/*
 * The settings by which a path is read: conf->reading, or others for a client
 * (iri-charset) or a redirect by a rule.
 */
const iri_reading_conf_t *mod_iri_reading_conf(request_rec *r);

/*
 * Read a path that httpd, a rule or a directive has made, not the client: UTF-8
 * in it does not count as sent raw, and nothing is repaired.
 * path: octets, starts with "/".  Returns: as iri_read().
 */
iri_status_t mod_iri_read_internal(const server_rec *s, const iri_env_t *env,
                                   iri_str_t path, iri_reading_t *out);

/* r->args in UTF-8; r stays.  NULL: there is no query, or an error occurred. */
const char *mod_iri_query(request_rec *r);

/* The query as the client sent it; NULL: none. */
const char *mod_iri_query_sent(const request_rec *r);

/* The request-target as the client sent it; NULL: there is none. */
const char *mod_iri_target_sent(const request_rec *r);

/* ---- mod_iri_client.c --------------------------------------------------- */

/* The value of iri-charset: "EUC-JP, Shift_JIS"; NULL: not set. */
const char *mod_iri_client_charsets(const request_rec *r);

/* conf->reading, or with the charsets of iri-charset: none if it is invalid. */
const iri_reading_conf_t *mod_iri_client_conf(request_rec *r);

/* Before an answer is sent: add Vary if it depends on iri-charset. */
void mod_iri_client_add_vary(request_rec *r);

/* ---- mod_iri_host.c ----------------------------------------------------- */

/* Use the document root with U-labels if that with A-labels does not exist. */
void mod_iri_map_root(request_rec *r);

/* ---- mod_iri_restart.c -------------------------------------------------- */

/* Save the state of a request that was just read, if it may restart. */
void mod_iri_snapshot_take(request_rec *r);

/* The canonical path with which the rules began; empty: r cannot restart. */
iri_str_t mod_iri_restart_url(const request_rec *r);

/* Restart with the entry of a lookup with the verdict RESTART. */
int mod_iri_restart(request_rec *r, const iri_lookup_t *lookup);

/* ---- mod_iri_disk.c ----------------------------------------------------- */

/* Set r->filename before any directory walk.  filename: in r->pool. */
void mod_iri_set_filename(request_rec *r, const char *filename);

/* Returns: the octets of the entry that a search finds; NULL: none. */
const char *mod_iri_find_filename(request_rec *r, iri_search_t *search);

/* ---- mod_iri_tree.c: settings and canonical names of directories -------- */

/*
 * The settings for the names in a directory, merged from the <Directory>
 * sections that contain it; in pool.
 * directory: path in the file system with canonical names, with or without "/".
 */
iri_tree_conf_t *mod_iri_tree_of(const mod_iri_server_conf_t *conf,
                                 const char *directory, apr_pool_t *pool);

/* The same for r->filename, or for its directory if it is a file. */
const iri_tree_conf_t *mod_iri_tree_of_filename(request_rec *r);

/* The same for the directory that contains the last segment of r->filename. */
const iri_tree_conf_t *mod_iri_tree_of_parent(request_rec *r);

/* The canonical path in the file system of names below the root of a search. */
const char *mod_iri_path_below_root(request_rec *r, iri_str_t root,
                                    iri_str_t names);

/*
 * r->filename with canonical names: ctx->settings_path, or those of the path
 * that was looked up, or by the settings of each directory.
 */
const char *mod_iri_settings_path(request_rec *r);

/* Set the settings of a search whose root is set. */
void mod_iri_search_set_trees(const server_rec *server, const iri_env_t *env,
                              iri_search_t *search);

/*
 * An absolute path without empty segments and dot-segments, as
 * ap_directory_walk() compares it with sections; path itself if it is relative.
 */
const char *mod_iri_merged_path(apr_pool_t *pool, const char *path);

/*
 * The canonical path of a directory, merged, in the pool of env.  Segments that
 * no charset decodes keep their octets.
 * path: as in <Directory> or DocumentRoot, or octets on disk.
 */
const char *mod_iri_canonical_path(const server_rec *s, const char *path,
                                   const iri_env_t *env);

/* As iri_entry_name().  Returns: 1: the entry has a name; 0: not, or an error. */
int mod_iri_name_of(const iri_env_t *env, const iri_tree_conf_t *tree,
                    iri_str_t octets, iri_str_t *name);

/*
 * The canonical names for native octets of one or more segments, separated by
 * "/"; NULL: one of them cannot be decoded.
 * directory: the path of the directory that contains them, canonical.
 */
const char *mod_iri_entry_names(request_rec *r, const char *directory,
                                const char *octets);

/* ---- mod_iri_native.c --------------------------------------------------- */

/*
 * Replace native octets in the path of an internal redirect or of a PROPFIND
 * subrequest, percent-encoded or raw, by canonical names.
 * Returns: percent-encoded; path itself if it contains no native octets.
 * EUC-JP: "/%C9%BD/a.html" -> "/%e8%a1%a8/a.html"
 */
const char *mod_iri_native_to_canonical(request_rec *r, const char *path);

/* The same for a Location that a rule has made from the path of r. */
const char *mod_iri_location_to_canonical(request_rec *r, const char *value);

/* ---- mod_iri_listing.c -------------------------------------------------- */

/*
 * In fixups, with the verdict IRI_CHOOSE: send the list of the choices that the
 * client may get.  Returns: DONE; DECLINED: it may get none, and the name
 * counts as absent; 409 for a method that writes; 500.
 */
int mod_iri_offer_choices(request_rec *r, mod_iri_request_t *ctx);

/* ---- mod_iri_probe.c ---------------------------------------------------- */

/*
 * Probes: subrequests that test what the client of r would get for other
 * paths.  Rules judge them as requests of the client.
 */
typedef struct mod_iri_probe_s {
    request_rec      *r;
    ap_conf_vector_t *per_dir;      /* r->per_dir_config */
    ap_conf_vector_t *per_dir_copy; /* a copy at another address */
    int               unnamed; /* 1: no charset decodes the last one's path */
    int               authenticated; /* 1: r->user was authenticated */
    int               directory_match; /* 1: there is a <DirectoryMatch> */
    void             *walk_cache;   /* httpd's directory walk cache of r while
                                       it is removed from r; else NULL */
    /* the file to which rules have mapped the last probe; in its pool */
    const char *filename;      /* NULL: none */
    const char *path_info;     /* NULL: none */
    apr_finfo_t finfo;
} mod_iri_probe_t;

void mod_iri_probe_init(mod_iri_probe_t *probe, request_rec *r);

/* mod_iri_request.c: the probe that r is a subrequest of; NULL: none. */
mod_iri_probe_t *mod_iri_probe_of(const request_rec *r);

/* Returns: whether the client gets the name for which rr is the probe. */
typedef iri_name_result_t (*mod_iri_probe_result_t)(
    void *data, const iri_listing_entry_t *entry, request_rec *rr);

/*
 * Judge the names of a page by a probe for each path.
 * query: of the probes; NULL: none.  pool: cleared after each probe.
 */
iri_status_t mod_iri_probe_names(mod_iri_probe_t *probe,
                                 iri_listing_t *listing, const char *query,
                                 apr_pool_t            *pool,
                                 mod_iri_probe_result_t result, void *data);

/*
 * Run a subrequest for an entry (its octets on disk) in the directory
 * r->filename.  The caller destroys the result with ap_destroy_sub_req().
 */
request_rec *mod_iri_probe_entry(mod_iri_probe_t   *probe,
                                 const apr_finfo_t *entry);

/* ---- mod_iri_answer.c --------------------------------------------------- */

/* In post_read_request: IRIAdvertise. */
void mod_iri_advertise(request_rec *r);

/* Send a page of the core, with the policy of the configuration.  Returns: OK */
int mod_iri_send_page(request_rec *r, const iri_page_t *page);

/* ---- mod_iri_dav.c ------------------------------------------------------ */

/* Is r mod_dav's subrequest for the Destination of COPY or MOVE? */
int mod_iri_dav_is_destination(const request_rec *r);

/*
 * Answer 409, for a Destination too, with a page that states the reason.  An
 * ErrorDocument replaces that page.  Returns: HTTP_CONFLICT.
 */
int mod_iri_refuse_conflict(request_rec *r, iri_why_t why);

/* ---- mod_iri_vars.c ----------------------------------------------------- */

/*
 * Set variables as soon as they are known: of the reading; of an ASCII path to
 * which a rule has redirected; IRI_REQUEST_URI; IRI_MATCH.
 */
void mod_iri_vars_set_reading(request_rec *r);
void mod_iri_vars_set_redirected(request_rec *r);
void mod_iri_vars_set_sent(request_rec *r);
void mod_iri_vars_set_match(request_rec *r);

/* Remove the REDIRECT_IRI_... that depend on a lookup from an error page. */
void mod_iri_vars_hide_lookup(request_rec *r);

#pragma GCC visibility pop

#endif /* MOD_IRI_REQUEST_H */
