/*
 * mod_iri.h - the declarations that the files of mod_iri share
 *
 *   mod_iri.c           directives, merging, the table of hooks
 *   mod_iri_advertise.c the inturi field in answers to OPTIONS
 *   mod_iri_answer.c    redirects to the canonical URI; the hooks of fixups
 *   mod_iri_check.c     warnings for directives that have no effect
 *   mod_iri_choice.c    300: a list of the names that a request may refer to
 *   mod_iri_client.c    the environment variable iri-charset
 *   mod_iri_config.c    post_config and child_init: settings of all <Directory>
 *                       sections, the index cache of a child
 *   mod_iri_dav.c       WebDAV: hrefs of answers, the If field, Destination
 *   mod_iri_directory.c copies of <Directory> for each encoding of its name
 *   mod_iri_disk.c      canonical r->uri -> r->filename with the octets on disk
 *   mod_iri_function.c  functions for RewriteMap and expressions
 *   mod_iri_host.c      host of a request -> A-labels
 *   mod_iri_line.c      input filter: the host in the lines of a request
 *   mod_iri_listing.c   directory listings
 *   mod_iri_location.c  Location, Content-Location, Alternates, Link
 *   mod_iri_names.c     names of virtual hosts -> A-labels
 *   mod_iri_native.c    redirects made of names on disk -> canonical paths
 *   mod_iri_notes.c     the log line of a request
 *   mod_iri_probe.c     subrequests that test what the client may get
 *   mod_iri_query.c     parameters of a query -> UTF-8
 *   mod_iri_read.c      request path -> canonical r->uri
 *   mod_iri_restart.c   a request restarts with the names that were found
 *   mod_iri_root.c      directories that are named after hosts
 *   mod_iri_status.c    the handler iri-status and its counters
 *   mod_iri_tree.c      the settings that apply to each directory
 *   mod_iri_vars.c      the variables IRI_...
 *   mod_iri_vhost.c     which IRIHost applies to an address
 *   mod_iri_walk.c      <Files> and MultiViews on canonical names
 *
 * The core (common/) makes all decisions; see iri_request.h.  A canonical path
 * is UTF-8 in NFC, as defined in iri_types.h.  "Native" means octets on disk,
 * in names of functions too; the form "native" of iri_types.h is another thing,
 * raw octets in a request.
 *
 * Unless noted otherwise: strings end with NUL; char pointers and structures
 * must not be NULL; results live as long as r->pool; paths are unescaped.
 */

#ifndef MOD_IRI_H
#define MOD_IRI_H

#include <httpd.h>
#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <apr_strings.h>

#include "iri_dav.h"
#include "iri_listing.h"
#include "iri_request.h"
#include "iri_stats.h"
#include "base/iri_env_apr.h"
#include "index/iri_index_cache_apr.h"

/* clang warns of APR's ring macros, which compute offsets from NULL. */
#ifdef __clang__
#if __has_warning("-Wnull-pointer-subtraction")
#pragma clang diagnostic ignored "-Wnull-pointer-subtraction"
#endif
#endif

#if !AP_MODULE_MAGIC_AT_LEAST(20120211, 109)
#error "mod_iri needs httpd 2.4.49 or newer (MMN 20120211.109)"
#endif

extern module AP_MODULE_DECLARE_DATA iri_module;

APLOG_USE_MODULE(iri);

#pragma GCC visibility push(hidden)

#define MOD_IRI_UNSET      (-1)
#define MOD_IRI_CACHE_SIZE ((size_t) 16 * 1024 * 1024) /* octets per child */

/* ---- configuration ------------------------------------------------------ */

/* Settings of a server or virtual host. */
typedef struct {
    int                engine;       /* iri_engine_t or MOD_IRI_UNSET */
    unsigned           has_charsets; /* 1: IRICharset is set, also if
                                        inherited */
    unsigned           has_invalid;  /* 1: IRIInvalid is set, likewise */
    unsigned           has_query;    /* 1: IRIQueryCharset is set, likewise */
    iri_reading_conf_t reading;
    iri_query_conf_t   query;
    int                hosts;        /* iri_host_mode_t or MOD_IRI_UNSET */
    const ap_directive_t *hosts_directive; /* IRIHost; NULL: default */
    size_t             cache_size;   /* octets; only the main server's is
                                        used; 0: off */
    int                advertise;    /* 0, 1 or MOD_IRI_UNSET */

    /* set by post_config and child_init, read by requests */
    iri_registry_t     *registry;    /* of charsets */
    const char         *vary;        /* field names for Vary, on which
                                        iri-charset depends; "": on no field;
                                        NULL: no directive sets it */
    iri_tree_conf_t     tree;        /* for files outside all <Directory> */
    const struct mod_iri_dir_s *base; /* the settings outside all sections;
                                        NULL: none */
    apr_array_header_t *sections;    /* mod_iri_section_t, in httpd's order */
    apr_array_header_t *directories; /* mod_iri_directory_t; NULL: the engine
                                        is not on */
    int                 folds;       /* 1: some tree folds names (IRIMatch
                                        width, case, accents, spelling) */
    iri_fold_keys_t    *fold_keys;   /* of all servers; NULL: none folds */
    int                 may_restart; /* 1: an entry may be found under another
                                        canonical path than the request's */
    int                 maps_ascii;  /* 1: ASCII paths are looked up, too */
    iri_index_cache_t  *cache;       /* of this child; NULL: none */
    iri_stats_t        *stats;       /* of this child; NULL: not counted */
    iri_host_conf_t     host;        /* valid where the engine is not off */
    int                 maps_hosts;  /* 1: IRIHost is on, the engine is not
                                        off */
} mod_iri_server_t;

/* Bits of mod_iri_dir_t.has: the directives that are set. */
#define MOD_IRI_HAS_CHARSETS  0x1u  /* IRIFilenameCharset */
#define MOD_IRI_HAS_FORM      0x2u  /* IRIFilenameForm */
#define MOD_IRI_HAS_MATCH     0x4u  /* IRIMatch */
#define MOD_IRI_HAS_AMBIGUOUS 0x8u  /* IRIAmbiguous */
#define MOD_IRI_HAS_REPAIR    0x10u /* IRIRepair */

/* Per-directory settings. */
typedef struct mod_iri_dir_s {
    iri_tree_conf_t tree;     /* only the members whose bit is in has */
    unsigned        has;      /* MOD_IRI_HAS_...; 0: none */
    int             redirect; /* 0: off, HTTP status, IRI_REDIRECT_LINK, or
                                 MOD_IRI_UNSET */
    int             listing;  /* 0: off, 1: on, or MOD_IRI_UNSET */
} mod_iri_dir_t;

/* A <Directory> section with settings for names on disk. */
typedef struct {
    const char          *name; /* canonical, ends with "/"; or the pattern */
    unsigned             components; /* segments of name, as in
                                        core_dir_config.d_components */
    int                  is_pattern; /* 1: name is an fnmatch pattern */
    ap_regex_t          *regex;      /* NULL: no regular expression */
    const mod_iri_dir_t *dir;
    iri_tree_conf_t      tree; /* the settings where only this section
                                  applies */
} mod_iri_section_t;

/* A <Directory> section whose name is not ASCII and not a pattern. */
typedef struct {
    const char         *path;   /* as configured, ends with "/" */
    const char         *name;   /* canonical, ends with "/" */
    apr_array_header_t *encodings; /* const char *: octets, with "/" at the
                                      end, for which a section exists */
} mod_iri_directory_t;

static inline mod_iri_server_t *
mod_iri_server(const server_rec *s)
{
    return ap_get_module_config(s->module_config, &iri_module);
}

/* ---- the request -------------------------------------------------------- */

/*
 * The state of a request, in r->request_config.  Most requests have none: a
 * plain ASCII path allocates no memory.
 */
typedef struct {
    iri_request_t *state;      /* the state in the core; never NULL */
    char         *sent;        /* the path that was read, percent-encoded;
                                  NULL: none was read */
    const char   *uri;         /* canonical path, percent-encoded, that r->uri
                                  was set to; NULL: r->uri was not set */
    const char   *decoded;     /* r->uri where it was set to the decoded path
                                  of a rule; else NULL */
    int           refused;     /* HTTP status to answer; 0: none */
    const char   *saved_unparsed; /* r->unparsed_uri as it was sent, while
                                  r->unparsed_uri is replaced; else NULL */

    const char   *host_root;   /* result of mod_iri_map_root(); NULL: none */
    const char   *settings_path; /* r->filename with canonical names, by which
                                  settings apply; NULL: not looked up */
    iri_lookup_t *lookup;      /* of the path; NULL: none was made */

    int           plain;       /* 1: the path that was sent, and the path that
                                  was found, are plain ASCII */
    const char   *vary_set;    /* the Vary that this module has set until access
                                  is granted; NULL: none */
    const char   *vary_before; /* Vary before vary_set was set; NULL: none */
    struct mod_iri_probe_s *probe; /* the probe whose subrequest is running;
                                  NULL: subrequests are not probes */
} mod_iri_request_t;

/*
 * A mark in r->request_config replaces the state of a request of which nothing
 * else has to be known, so that it needs no memory.  Marks are never written
 * to.
 */
typedef enum {
    MOD_IRI_PLAIN,          /* the path is plain ASCII */
    MOD_IRI_PERCENT_U,      /* the same, but "%uXXXX" was sent */
    MOD_IRI_URI_SUBREQUEST, /* a subrequest for a URI, not for a file */
    MOD_IRI_MARKS           /* number of marks */
} mod_iri_mark_t;

extern const mod_iri_request_t mod_iri_marks[MOD_IRI_MARKS];

/* Returns: the state of a request; NULL: it has none, or a mark. */
static inline mod_iri_request_t *
mod_iri_request(const request_rec *r)
{
    mod_iri_request_t *ctx = ap_get_module_config(r->request_config,
                                                  &iri_module);

    return ctx >= mod_iri_marks && ctx < mod_iri_marks + MOD_IRI_MARKS ? NULL
                                                                       : ctx;
}

/* Returns: the state of a request, created if there is none; never NULL. */
mod_iri_request_t *mod_iri_request_create(request_rec *r);

/* Returns: a state in the core, in pool; never NULL. */
iri_request_t *mod_iri_state_create(apr_pool_t *pool);

/* Returns: what was found for the path; if no lookup was made, PASS. */
const iri_found_t *mod_iri_found(const mod_iri_request_t *ctx);

/*
 * Read a path that httpd, a rule or a directive has made, not the client: UTF-8
 * in it does not count as sent raw, and nothing is repaired.
 *
 * path: octets, unescaped, starts with "/".  Returns: as iri_read().
 */
iri_status_t mod_iri_read_internal(const server_rec *s, const iri_env_t *env,
                                   iri_str_t path, iri_reading_t *out);

/*
 * Set r->uri and r->parsed_uri.path to the canonical path of ctx: percent-
 * encoded, or decoded if a rule of a directory has redirected to a path without
 * escaping it.
 */
void mod_iri_set_path(request_rec *r, mod_iri_request_t *ctx);

/* Initialize an env for the core, with the pool and the log of a request. */
void mod_iri_env(iri_env_apr_t *env, request_rec *r);

/* Returns: 1 for a subrequest that names a file on disk, not a URI. */
int mod_iri_is_file_subrequest(const request_rec *r);

/* The string without its NUL; it is not copied. */
static inline iri_str_t
mod_iri_str(const char *text)
{
    iri_str_t str = { strlen(text), (const unsigned char *) text };

    return str;
}

/* A copy that ends with NUL. */
static inline char *
mod_iri_dup(apr_pool_t *pool, iri_str_t str)
{
    return apr_pstrmemdup(pool, str.len ? (const char *) str.data : "",
                          str.len);
}

static inline int
mod_iri_str_equal(iri_str_t a, iri_str_t b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline int
mod_iri_equals_text(iri_str_t str, const char *text)
{
    return str.len == strlen(text) && memcmp(str.data, text, str.len) == 0;
}

/* ---- mod_iri_check.c ---------------------------------------------------- */

/*
 * Returns: 1 in the first of the two passes in which httpd reads its
 * configuration at startup.  Warnings are written in the second one.
 */
int mod_iri_is_first_pass(void);

/* iri_env_t.log while the configuration is read; arg: a server_rec or NULL. */
void mod_iri_log_config(void *arg, iri_log_level_t level, iri_str_t line);

/* Returns: the directive that is being run, in httpd's tree. */
const ap_directive_t *mod_iri_directive_of(const cmd_parms *cmd);

/* Log a warning for each directive that has no effect. */
void mod_iri_check_config(apr_pool_t *pool, server_rec *main_server);

/* ---- mod_iri_status.c --------------------------------------------------- */

void mod_iri_status_hooks(void);

/* pre_config: register the mutex. */
int  mod_iri_status_register(apr_pool_t *pconf, apr_pool_t *plog,
                             apr_pool_t *ptemp);

/* ---- mod_iri_notes.c ---------------------------------------------------- */

/* Key in the pool of a main request: its iri_notes_t. */
extern const char mod_iri_notes_key[];

/*
 * Add a note to the log line of a request.
 *
 * code: a code of doc/reasons.md.  format: as for printf; octets from outside
 * must be passed through iri_show().
 */
void mod_iri_note(request_rec *r, iri_log_level_t level, const char *code,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Note an error of the core.  what: the operation that failed. */
void mod_iri_note_error(request_rec *r, const char *what,
                        iri_status_t status);

/*
 * Returns: the notes of a request, for functions of the core that add to them;
 * NULL: the level is not logged.
 */
iri_notes_t *mod_iri_notes(request_rec *r, iri_log_level_t level);

/* iri_env_t.log; arg: a request_rec */
void mod_iri_log(void *arg, iri_log_level_t level, iri_str_t line);

/* ---- mod_iri_read.c ----------------------------------------------------- */

/*
 * Returns: the settings by which the path of a request is read: conf->reading,
 * or others for a client (iri-charset), a probe or a redirect by a rule.
 */
const iri_reading_conf_t *mod_iri_reading_conf(request_rec            *r,
                                               const mod_iri_server_t *conf);

/* ---- mod_iri_config.c --------------------------------------------------- */

/*
 * Returns: the registry of charsets of a configuration, created on the first
 * call; it lives as long as pconf.  NULL: the data of ICU is missing.
 */
iri_registry_t *mod_iri_registry(apr_pool_t *pconf);

int  mod_iri_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                         apr_pool_t *ptemp, server_rec *main_server);
void mod_iri_child_init(apr_pool_t *pchild, server_rec *main_server);

/* ---- mod_iri_directory.c ------------------------------------------------ */

/*
 * Returns: the canonical path of a directory, in the pool of env; path itself
 * if it is ASCII.  Segments that no charset decodes keep their octets.
 * path: as in <Directory> or DocumentRoot, or octets on disk.
 */
const char *mod_iri_canonical_path(const server_rec *s, const char *path,
                                   iri_env_apr_t *env);

/*
 * Add to each <Directory> of a server whose name is not ASCII a copy for each
 * encoding that its name may have on disk.
 * Tree in EUC-JP, "/srv/\xE8\xA1\xA8" -> also "/srv/\xC9\xBD"
 */
void mod_iri_add_directories(server_rec *s, iri_env_apr_t *env);

/*
 * Returns: 1 if r->filename is in a directory with the name of a <Directory>
 * section, in octets for which no copy of the section exists.
 */
int mod_iri_is_unguarded(request_rec *r);

/* ---- mod_iri_native.c --------------------------------------------------- */

/*
 * Replace native octets in the path of an internal redirect or of a PROPFIND
 * subrequest by canonical names.
 *
 * path: percent-encoded or raw.  Returns: the canonical path, percent-encoded;
 * path itself if it contains no native octets.
 * EUC-JP: "/%C9%BD/a.html" -> "/%e8%a1%a8/a.html"
 */
const char *mod_iri_native_to_canonical(request_rec *r,
                                        mod_iri_server_t *conf,
                                        const char *path);

/*
 * The same for a Location field that a rule has made from the path of r.
 * value: URI or absolute path.  Returns: value itself if it leads to another
 * server or contains no native octets.
 */
const char *mod_iri_location_to_canonical(request_rec *r, const char *value);

/*
 * Returns: the canonical names for native octets of one or more segments,
 * separated by "/"; NULL: one of them cannot be decoded.
 * directory: the path of the directory that contains them, canonical.
 */
const char *mod_iri_entry_names(request_rec *r, iri_env_apr_t *env,
                                const char *directory, const char *octets);

/* ---- mod_iri_tree.c ----------------------------------------------------- */

/*
 * Returns: the settings for the names in a directory: those of the
 * <Directory> sections that contain it, merged; lives as long as pool.
 * directory: path in the file system with canonical names, with or without "/"
 * at its end.
 */
const iri_tree_conf_t *mod_iri_tree_of(const mod_iri_server_t *conf,
                                       const char             *directory,
                                       apr_pool_t             *pool);

/* The same for r->filename, or for its directory if it is a file. */
const iri_tree_conf_t *mod_iri_tree_within(request_rec *r);

/* The same for the directory that contains the last segment of r->filename. */
const iri_tree_conf_t *mod_iri_tree_of_parent(request_rec *r);

/*
 * Returns: 1 if a section has the name of this directory or of one below.
 * directory: canonical, without "/" at its end.
 * below: 1: a section for one below, or a pattern, is required.
 */
int mod_iri_has_section(const mod_iri_server_t *conf, const char *directory,
                        int below);

/* Returns: r->filename with canonical names, as far as they are known. */
const char *mod_iri_settings_path(request_rec *r);

/*
 * Set the settings of a search whose root and path are set; it must be used
 * with an env of mod_iri_env().
 */
void mod_iri_search_set_trees(request_rec *r, iri_search_t *search);

/* The same without folding and without a request, for post_config. */
void mod_iri_search_unfolded(const mod_iri_server_t *conf,
                             iri_search_t *search, apr_pool_t *pool);

/* Copy the settings that are set in add to *to. */
void mod_iri_tree_add(iri_tree_conf_t *to, const mod_iri_dir_t *add);

/* Initialize *tree with the settings outside all sections. */
void mod_iri_tree_base(const mod_iri_server_t *conf, iri_tree_conf_t *tree);

/* Complete *tree after all sections were added. */
void mod_iri_tree_finish(const mod_iri_server_t *conf, iri_tree_conf_t *tree);

/* ---- mod_iri_probe.c ---------------------------------------------------- */

/*
 * Probes: subrequests that test what the client of r would get for other
 * paths.  Rules judge them as requests of the client.
 */
typedef struct mod_iri_probe_s {
    request_rec      *r;
    ap_conf_vector_t *per_dir;      /* r->per_dir_config */
    ap_conf_vector_t *per_dir_copy; /* a copy at another address */
    int               authenticated; /* 1: r->user was authenticated */
    int               directory_match; /* 1: there is a <DirectoryMatch> */
    void             *walk_cache;   /* httpd's directory walk cache of r while
                                       it is removed from r; else NULL */
    int               unnamed; /* 1: no charset decodes the path, which is
                                  passed on (IRIInvalid pass) */
    const char       *path;    /* canonical path that reading uri would give;
                                  NULL: unknown */
    const char       *uri;     /* the path of the probe, percent-encoded */

    /* the file to which rules have mapped the last probe; in its pool */
    const char *filename;      /* NULL: none */
    const char *path_info;     /* NULL: none */
    apr_finfo_t finfo;
} mod_iri_probe_t;

void mod_iri_probe_init(mod_iri_probe_t *probe, request_rec *r);

/*
 * Run a subrequest for a URI.  uri: percent-encoded path, with or without a
 * query.  Returns: the subrequest; the caller destroys it with
 * ap_destroy_sub_req().
 */
request_rec *mod_iri_probe_uri(mod_iri_probe_t *probe, const char *uri);

/*
 * The same for the path of an entry in the directory r->filename.
 * entry->name: octets on disk.
 */
request_rec *mod_iri_probe_entry(mod_iri_probe_t   *probe,
                                 const apr_finfo_t *entry);

/* Returns: the probe that r is a subrequest of; NULL: none. */
mod_iri_probe_t *mod_iri_probe_of(const request_rec *r);

/*
 * Hooks, and parts of hooks, for probes.  For other requests they do nothing
 * and return DECLINED.
 *
 *   post_read   in pre_translate_name: runs post_read_request
 *   detach      translate_name and fixups, before mod_rewrite: the probe is no
 *               subrequest for it (r->main is NULL)
 *   attach      the same, after mod_rewrite: the probe is a subrequest again
 *   headers     post_perdir_config
 *   authn       check_authn
 *   record      in fixups, before mod_dir: sets filename, path_info and finfo
 */
int  mod_iri_probe_post_read(request_rec *r);
int  mod_iri_probe_detach(request_rec *r);
int  mod_iri_probe_attach(request_rec *r);
int  mod_iri_probe_headers(request_rec *r);
int  mod_iri_probe_authn(request_rec *r);
void mod_iri_probe_record(request_rec *r);

/* expr_lookup for %{IS_SUBREQ}, which is "false" for a probe. */
int mod_iri_probe_expr_lookup(ap_expr_lookup_parms *parms);

/*
 * Returns: 1 if the server could read the file or directory that a subrequest
 * was mapped to, or if another handler serves the file.
 */
int mod_iri_is_readable(request_rec *rr);

/*
 * Set nosniff and a Content-Security-Policy on a page of this module, unless
 * the configuration has set a policy.
 */
void mod_iri_set_page_headers(request_rec *r, const char *policy);

/* ---- mod_iri_choice.c --------------------------------------------------- */

/*
 * In fixups, where found.verdict is IRI_CHOOSE: send the list of the choices
 * that the client may get.  Returns: DONE: it was sent; DECLINED: there is
 * none, and the name counts as absent; else an HTTP status (409 for a method
 * that writes).
 */
int mod_iri_choose(request_rec *r, mod_iri_request_t *ctx);

/* ---- mod_iri_restart.c -------------------------------------------------- */

/* Save the state of a request that was just read, if it may restart. */
void mod_iri_snapshot_take(request_rec *r);

/*
 * Returns: 1 if an internal redirect is to an error page.  r->prev must not be
 * NULL.
 */
int mod_iri_is_error_page(const request_rec *r);

/* In translate_name: save the decoded path that the rules judge. */
void mod_iri_snapshot_url(request_rec *r);

/*
 * Returns: the canonical path with which the rules of a request began; NULL: it
 * cannot restart.
 */
const char *mod_iri_restart_url(const request_rec *r);

/*
 * Restart a request with what moved->lookup has found.  path: that of
 * iri_request_can_restart().  Returns: the status that map_to_storage must
 * return.
 */
int mod_iri_restart(request_rec *r, const mod_iri_request_t *moved,
                    iri_str_t path);

/* ---- mod_iri_answer.c --------------------------------------------------- */

/*
 * Has a RewriteRule of a directory set another path for r?  mod_rewrite's
 * handler redirects to it; only there is it known what answers.
 */
int mod_iri_is_rule_redirect(const request_rec *r);

/* ---- mod_iri_location.c ------------------------------------------------- */

/*
 * In fixups: replace names on disk that mod_negotiation has put into
 * Content-Location and Alternates by canonical names.
 */
void mod_iri_fix_variants(request_rec *r);

/*
 * In fixups: add a Link field with a location of iri_redirect_location().
 * Returns: DECLINED, or 500.
 */
int mod_iri_add_link(request_rec *r, iri_str_t location);

/* ---- mod_iri_dav.c ------------------------------------------------------ */

/* Returns: 1 for mod_dav's subrequest for the Destination of COPY or MOVE. */
int mod_iri_dav_is_destination(const request_rec *r);

/*
 * Answer 409, for a Destination too, with a page that states the reason.  An
 * ErrorDocument replaces that page.  Returns: HTTP_CONFLICT.
 */
int mod_iri_refuse_conflict(request_rec *r, iri_why_t why);

/* ---- mod_iri_advertise.c ------------------------------------------------ */

int  mod_iri_advertise(request_rec *r); /* post_read_request */
void mod_iri_advertise_insert(request_rec *r);
void mod_iri_advertise_register(void);

/* ---- mod_iri_client.c --------------------------------------------------- */

/* Returns: the next directive of ap_conftree in file order, or NULL. */
const ap_directive_t *mod_iri_next_directive(const ap_directive_t *at);

/* Returns: 1 if the directive has this name; a section's includes "<". */
int mod_iri_is_directive(const ap_directive_t *at, const char *name);

/* In post_config.  Returns: OK, or 500. */
int mod_iri_client_prepare(server_rec *main_server, apr_pool_t *pconf,
                           apr_pool_t *ptemp, iri_registry_t *registry);

/* Returns: the value of iri-charset; NULL: not set. */
const char *mod_iri_client_charsets(const request_rec      *r,
                                    const mod_iri_server_t *conf);

/*
 * Returns: the settings for reading with this value of iri-charset; without
 * charsets if the value is invalid.
 * "EUC-JP, Shift_JIS"
 */
const iri_reading_conf_t *mod_iri_client_conf(request_rec            *r,
                                              const mod_iri_server_t *conf,
                                              const char             *value);

/* Set Vary after a path was read or looked up, if the answer may need it. */
void mod_iri_client_set_vary(request_rec *r, mod_iri_request_t *ctx);

/* Last in fixups, after access was granted: reset Vary if not needed. */
int mod_iri_client_granted(request_rec *r);

/* ---- mod_iri_host.c ----------------------------------------------------- */

/*
 * Replace a host by its A-labels in a text that contains it.
 *
 * text: octets.  host: the part of text to be mapped.  Returns: 1: *out is the
 * new text, which ends with NUL; 0: the host stays, *out is not written.
 * text "Host: b\xC3\xBC.example", host "b\xC3\xBC.example"
 * -> "Host: xn--b-xga.example"
 */
int mod_iri_host_replace(request_rec *r, iri_str_t text, iri_str_t host,
                         iri_str_t *out);

/* Map the host of a stream of HTTP/2.  headers: the fields that came. */
void mod_iri_host_of_stream(request_rec *r, apr_table_t *headers);

/* ---- mod_iri_vhost.c ---------------------------------------------------- */

/* Virtual hosts by address. */
typedef struct mod_iri_vhosts_s mod_iri_vhosts_t;

/* Returns: all virtual hosts, in pool. */
mod_iri_vhosts_t *mod_iri_vhosts(apr_pool_t *pool,
                                 const server_rec *main_server);

/* Returns: the first virtual host of an address that one of them has. */
const server_rec *mod_iri_first_server(const mod_iri_vhosts_t *vhosts,
                                       const server_addr_rec *addr);

/* Returns: the IRIHost of a server; off where its engine is off. */
iri_host_mode_t mod_iri_host_mode(const server_rec *s);

/* post_config: prepare host mapping, add A-labels.  Returns: OK, or 500. */
int mod_iri_prepare_hosts(apr_pool_t *pconf, apr_pool_t *plog,
                          apr_pool_t *ptemp, server_rec *main_server);

/*
 * Returns: the settings by which hosts are mapped that may select a server:
 * those of the first virtual host of its addresses, the less strict if they
 * differ; NULL: no host is mapped.
 */
const iri_host_conf_t *mod_iri_host_rules(const mod_iri_vhosts_t *vhosts,
                                          const server_rec       *s);

/* Returns: 1 if two servers have an address and port in common. */
int mod_iri_share_address(const server_rec *a, const server_rec *b);

/* Returns: where a server is configured. */
iri_position_t mod_iri_server_position(const server_rec *s);

/* ---- mod_iri_names.c ---------------------------------------------------- */

/*
 * Add the A-labels of each ServerName and ServerAlias that is not ASCII.  A
 * name that cannot be mapped produces a warning.
 * Returns: IRI_OK, or the error of iri_host_name().
 */
iri_status_t mod_iri_add_names(const mod_iri_vhosts_t *vhosts,
                               server_rec *main_server, apr_pool_t *pconf,
                               apr_pool_t *ptemp);

/* ---- mod_iri_root.c ----------------------------------------------------- */

/*
 * If mod_vhost_alias has made the document root from A-labels and it does not
 * exist, use the directory with the U-labels.
 */
void mod_iri_map_root(request_rec *r);

/* ---- mod_iri_query.c ---------------------------------------------------- */

/* Set r->args to UTF-8.  Returns: DECLINED, or 500. */
int mod_iri_read_query(request_rec *r);

/*
 * Returns: r->args in UTF-8, without changing r; NULL: there is no query, or
 * an error occurred.
 */
const char *mod_iri_query(request_rec *r);

/* Returns: the query as the client sent it; NULL: none. */
const char *mod_iri_query_sent(const request_rec *r);

/* Returns: the path as it was sent, percent-encoded or raw; empty: unknown. */
iri_str_t mod_iri_path_sent(const request_rec *r);

/*
 * Returns: r->unparsed_uri with r->args as its query; NULL: it has that query
 * already.
 */
const char *mod_iri_unparsed_with_query(const request_rec *r);

/* ---- hooks -------------------------------------------------------------- */

/*
 * The hooks of requests, with their file and the hook of httpd; mod_iri.c adds
 * them.  Functions with _register register filters; functions with _insert run
 * in insert_filter, with _insert_error in insert_error_filter.
 */

void mod_iri_line_register(void); /* mod_iri_line.c */
void mod_iri_pre_read(request_rec *r, conn_rec *c); /* pre_read_request */
void mod_iri_pre_read_stream(request_rec *r, conn_rec *c); /* HTTP/2 */

int mod_iri_check_host(request_rec *r); /* mod_iri_host.c: post_read_request */

int mod_iri_post_read(request_rec *r); /* mod_iri_read.c: post_read_request */
int mod_iri_post_read_absolute(request_rec *r); /* after mod_proxy */
int mod_iri_post_read_client(request_rec *r);   /* after mod_setenvif */
int mod_iri_pre_translate(request_rec *r);      /* pre_translate_name */
int mod_iri_translate(request_rec *r);          /* translate_name */
int mod_iri_restore_unparsed(request_rec *r);   /* log_transaction */

int mod_iri_map(request_rec *r); /* mod_iri_disk.c: map_to_storage */
int mod_iri_absent(request_rec *r); /* in fixups: 404 or 409 */

int mod_iri_walk(request_rec *r); /* mod_iri_walk.c: map_to_storage */

int mod_iri_fixups(request_rec *r); /* mod_iri_answer.c: fixups */
int mod_iri_redirect(request_rec *r);           /* before mod_dir */
int mod_iri_redirect_directory(request_rec *r); /* after mod_dir */

int mod_iri_list(request_rec *r); /* mod_iri_listing.c: handler */
int mod_iri_list_authz(request_rec *r); /* check_authz */

void mod_iri_location_register(void); /* mod_iri_location.c */
void mod_iri_location_insert(request_rec *r);
void mod_iri_location_insert_error(request_rec *r);

void mod_iri_dav_register(void); /* mod_iri_dav.c */
int  mod_iri_dav_fixups(request_rec *r); /* fixups */
void mod_iri_dav_insert(request_rec *r);

/* ---- mod_iri_function.c ------------------------------------------------- */

/* pre_config: register the functions of RewriteMap. */
int mod_iri_register_maps(apr_pool_t *pconf, apr_pool_t *plog,
                          apr_pool_t *ptemp);

/* expr_lookup for iri_... */
int mod_iri_expr_lookup_function(ap_expr_lookup_parms *parms);

/* ---- mod_iri_vars.c ----------------------------------------------------- */

/* Set variables as soon as the path was read.  ctx NULL: the path is plain. */
void mod_iri_vars_reading(request_rec *r, const mod_iri_request_t *ctx);

/* The same for a plain path that a rule has redirected to. */
void mod_iri_vars_redirected(request_rec *r);

/* Set IRI_MATCH after a lookup. */
void mod_iri_vars_match(request_rec *r, const mod_iri_request_t *ctx);

/* Set IRI_MATCH of an ASCII path that was found as it is.  ctx may be NULL. */
void mod_iri_vars_exact(request_rec *r, const mod_iri_request_t *ctx);

/* In fixups: set the variables that were not set before.  ctx may be NULL. */
void mod_iri_vars_fixups(request_rec *r, const mod_iri_request_t *ctx);

/* Remove the REDIRECT_IRI_... that depend on a lookup from an error page. */
void mod_iri_vars_error_page(request_rec *r);

/* expr_lookup for %{IRI_...} */
int  mod_iri_expr_lookup(ap_expr_lookup_parms *parms);

/* pre_config: register the format %{IRI_...}e of logs. */
int mod_iri_register_log(apr_pool_t *pconf, apr_pool_t *plog,
                         apr_pool_t *ptemp);

#pragma GCC visibility pop

#endif /* MOD_IRI_H */
