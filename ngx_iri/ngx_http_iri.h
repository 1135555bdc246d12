/*
 * ngx_http_iri.h - the header that all files of the nginx module include
 *
 * The core (common/) decides; the module carries out its verdicts in nginx's
 * terms.  This header declares the configuration and the state of a request.
 * It includes ngx_http_iri_conf.h: setters, warnings, initialization.
 *
 * Headers of one feature, included by the files that use it:
 *
 *   ngx_http_iri_cache.h       iri_cache
 *   ngx_http_iri_dav.h         WebDAV
 *   ngx_http_iri_listing.h     iri_listing, and the page of iri_ambiguous 300
 *
 * Files.  A function calls no function of a file in a lower row, except that
 * listing calls ngx_http_iri_refuse_not_found() of phases:
 *
 *   conf                       setters; warnings about the configuration
 *   request                    context and members of a request; the environment
 *                              of the core; the error log
 *   snapshot                   saving and restoring a request
 *   cache                      iri_cache
 *   settings                   the settings of each directory of a path
 *   read                       reading r->uri; the requested path; iri_charset
 *                              $variable: a list for each client
 *   host, names                iri_host: selects a server; A-labels of names
 *   query                      iri_query_charset
 *   judge                      a subrequest checks access to a name
 *   find                       lookups below root and alias; restart
 *   root                       the script under root and alias
 *   judge_handler              that subrequest in the PRECONTENT phase
 *   entries, listing           iri_listing: the entries; the page; iri_ambiguous
 *                              300: a page of several names
 *   dav                        WebDAV; the Destination of COPY and MOVE; the 409
 *                              page
 *   header                     iri_redirect, Location, Link; header filter
 *   try_files                  try_files
 *   target                     iri_request_uri
 *   variables                  $iri_...; iri_convert; some variables of nginx
 *   status                     iri_status: counters
 *   phases                     the phase handlers: wait, restart, 404
 *   module                     the base module: directives, inheritance,
 *                              initialization
 *
 * host, query, listing, dav, header, target, variables (iri_convert) and status
 * have an ngx_module_t each, with its directives and its configuration.
 *
 * Terms that nginx does not have:
 *
 *   rule     a directive that decides on a request by its path, or changes that
 *            path: location, rewrite, if, try_files, allow, auth_basic
 *   judge    to run the rules for a path: in a subrequest, for a name on a page
 *            (ngx_http_iri_judge.c); in the request itself, for a Destination
 *            (ngx_http_iri_dav.c)
 *
 * "The script under root" is a script of nginx, as that of a root with
 * variables.  It evaluates to the name on disk (ngx_http_iri_root.c).
 *
 * "design 5.7" is rule 5.7 in doc/inside.md.
 */

#ifndef NGX_HTTP_IRI_H
#define NGX_HTTP_IRI_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "iri_dav.h"
#include "iri_listing.h"
#include "iri_request.h"

/*
 * The modules.  The base module is the first in the file config: the others
 * use its merged configuration.
 */
extern ngx_module_t ngx_http_iri_module;
extern ngx_module_t ngx_http_iri_host_module;
extern ngx_module_t ngx_http_iri_query_module;
extern ngx_module_t ngx_http_iri_listing_module;
extern ngx_module_t ngx_http_iri_header_module;
extern ngx_module_t ngx_http_iri_target_module;
extern ngx_module_t ngx_http_iri_convert_module;
extern ngx_module_t ngx_http_iri_status_module;
extern ngx_module_t ngx_http_iri_dav_module;

#pragma GCC visibility push(hidden)


/* ---- the configuration -------------------------------------------------- */

/*
 * ngx_http_iri_module.c and the functions that it calls set these structures
 * while nginx reads its configuration.  They do not change while requests run.
 * Their memory is in cf->pool.
 */

/* A cache of directory indexes (ngx_http_iri_cache.c) */
typedef struct ngx_http_iri_cache_s  ngx_http_iri_cache_t;

/* The main configuration */
typedef struct {
    iri_registry_t *registry;   /* of charsets; NULL: not needed yet */
    iri_fold_keys_t *fold_keys; /* NULL: no location folds names */
    ngx_array_t locations;      /* of ngx_http_iri_loc_conf_t *: locations, and
                                   servers outside all locations, where iri is
                                   on or report, in the order in which nginx
                                   merges them */
    ngx_array_t caches;         /* of ngx_http_iri_cache_t * */
    ngx_uint_t enabled;         /* 1: a server has iri on or report */
    ngx_http_handler_pt rewrite_handler;    /* nginx's handler of both REWRITE
                                   phases; NULL: no rewrite module */
    ngx_array_t directives;     /* of ngx_http_iri_directive_t */
    ngx_http_handler_pt file_handlers[2];   /* content handlers that open
                                   files: flv, mp4; NULL: not built */
} ngx_http_iri_main_conf_t;

/*
 * iri_host.  For requests to a listening address, that of its default server
 * applies.
 */
typedef struct {
    ngx_uint_t mode;            /* iri_host_mode_t; off if iri is off */
    iri_host_conf_t rules;      /* for the core; no idna if iri is off */
    iri_position_t position;    /* of iri_host; line 0: no such directive */
    unsigned selects:1;         /* 1: iri is on, and iri_host on or strict */
} ngx_http_iri_host_conf_t;

/* The server configuration: settings that are needed to read a path */
typedef struct {
    ngx_uint_t engine;          /* iri_engine_t */
    ngx_uint_t invalid;         /* iri_invalid_t */
    iri_charsets_t *charsets;   /* iri_charset; NULL: none */
    iri_reading_conf_t reading; /* invalid and charsets, for the core */
    struct {
        ngx_str_t name;         /* with its "$"; empty: no variable.  Else
                                   reading has no charsets */
        ngx_int_t index;
    } charset_variable;         /* iri_charset $variable */
    size_t cache_size;          /* iri_cache in octets; 0: off */
    ngx_str_t cache_threads;    /* name of its thread pool; empty: none */
    ngx_http_iri_cache_t *cache;    /* NULL: no cache */
    unsigned match;             /* iri_tree_conf_t.match of all locations */
    ngx_uint_t needs_snapshot;  /* 1: each request has a snapshot: a location
                                   has iri_listing on */
    ngx_uint_t undeclared;      /* 1: a location has declared 0 */
} ngx_http_iri_srv_conf_t;

typedef struct ngx_http_iri_loc_conf_s ngx_http_iri_loc_conf_t;

/* The location configuration: settings of the files below its root */
struct ngx_http_iri_loc_conf_s {
    iri_charsets_t *charsets;   /* iri_filename_charset; NULL: UTF-8 */
    ngx_uint_t filename_form;   /* iri_filename_form_t */
    ngx_uint_t match;           /* IRI_FOLD_... */
    ngx_uint_t ambiguous;       /* iri_ambiguous_t */
    iri_position_t position;    /* file and line of the location or server */
    ngx_uint_t repair;          /* IRI_REPAIR_... */
    ngx_uint_t redirect;        /* HTTP status, IRI_REDIRECT_LINK; 0: off */
    iri_tree_conf_t tree;       /* the settings above, for the core */

    /* set when nginx merges it, if iri is on or report */
    ngx_http_iri_srv_conf_t *server;
    ngx_http_iri_loc_conf_t *parent;    /* the location or server around it */
    ngx_http_core_loc_conf_t *clcf; /* of nginx's core module, with root and
                                   alias as configured */
    ngx_uint_t exact;           /* 1: a location with "=", or "if" in one */
    void **scripted;            /* r->loc_conf with the script under root; NULL
                                   if iri is not on */

    /* set by ngx_http_iri_settings.c */
    ngx_http_iri_loc_conf_t *enclosing; /* the location with the next shorter
                                   prefix, or the server, if it has the same
                                   root; else NULL */
    ngx_str_t prefix;           /* of the location: the settings of enclosing
                                   apply to its names */
    ngx_uint_t differ;          /* 1: an enclosing location has other
                                   settings */
    ngx_uint_t declared;        /* 1: iri_tree_is_declared(), for all names of
                                   the path */
    iri_tree_conf_t combined;   /* tree, with the match of all enclosing
                                   locations added, for iri_needs_lookup() */

    /* set by ngx_http_iri_root.c, if scripted is not NULL */
    void **configured;          /* r->loc_conf as configured */
    size_t literal_len;         /* octets of root or alias before the segment
                                   with the first variable; without variables
                                   all octets */

    ngx_array_t *try_files;     /* of ngx_http_iri_candidate_t; NULL: none */
};

/*
 * A directive to be checked, and the server whose iri must be on for the
 * directive to have an effect; NULL: that of any server.
 */
typedef struct {
    iri_directive_t directive;
    ngx_http_iri_srv_conf_t *server;
} ngx_http_iri_directive_t;


/* ---- the state of one request ------------------------------------------- */

/*
 * Allocated from the pool of the request.  A subrequest that judges a path has
 * its own pool (ngx_http_iri_judge.c).
 */

/* The address of the client in r->connection, which realip changes */
typedef struct {
    struct sockaddr *sockaddr;
    socklen_t socklen;
    ngx_str_t text;
} ngx_http_iri_address_t;

/*
 * The state to which a restart restores a request: the request, and the objects
 * to which it points and which rules can change (ngx_http_iri_snapshot.c).
 */
typedef struct ngx_http_iri_snapshot_s  ngx_http_iri_snapshot_t;

struct ngx_http_iri_snapshot_s {
    const ngx_http_iri_snapshot_t *earlier;     /* the snapshot before that of
                                   an error page; NULL: this is the first */
    ngx_http_request_t request;
    void **ctx;                 /* r->ctx */
    ngx_http_variable_value_t *variables;
    int *captures;              /* NULL: none */
    u_char *headers;            /* parts and elements of the lists in
                                   r->headers_in and r->headers_out */
    ngx_http_iri_address_t address;
};

/*
 * The first member of each context, that of the base module and those of its
 * features (ngx_http_iri_request.c)
 */
typedef struct {
    ngx_http_request_t *request;    /* that has the context: subrequests share
                                   its pool */
    ngx_module_t *module;       /* whose context it is */
} ngx_http_iri_owner_t;

/* iri_charset $variable, for one request (ngx_http_iri_read.c) */
typedef struct ngx_http_iri_client_s  ngx_http_iri_client_t;

/* The context of a request; zero at first. */
typedef struct {
    ngx_http_iri_owner_t owner;
    iri_request_t *request;     /* its state in the core */
    ngx_str_t args;             /* the query of a subrequest */

    ngx_str_t filename;         /* passed from the length code of the script
                                   under root to its value code */
    unsigned waited:1;          /* 1: the request has waited for an index; it
                                   does not wait again */
    ngx_http_iri_snapshot_t *snapshot;  /* taken before the first rule, and
                                   again before the first rule for an error
                                   page; NULL: the request cannot restart */

    struct {
        unsigned running:1;     /* 1: nginx's rewrite module is running */
        unsigned done:1;        /* 1: the rules of the location have run */
        unsigned internal:1;    /* 1: an internal redirect, an error page or a
                                   named location was begun */
        unsigned rewrite_break:1;   /* 1: "rewrite ... break" of this location
                                   has cleared r->valid_location, and
                                   ngx_http_iri_set_valid_location() has set
                                   it again */
    } rules;

    ngx_http_iri_client_t *client;  /* NULL: the variable of iri_charset was not
                                   evaluated */
} ngx_http_iri_ctx_t;


/* ---- configurations of a request, and while nginx reads its files -------- */

#define ngx_http_iri_main_conf(r)                                            \
    ngx_http_get_module_main_conf(r, ngx_http_iri_module)
#define ngx_http_iri_srv_conf(r)                                             \
    ngx_http_get_module_srv_conf(r, ngx_http_iri_module)
#define ngx_http_iri_loc_conf(r)                                             \
    ngx_http_get_module_loc_conf(r, ngx_http_iri_module)
#define ngx_http_iri_core_main_conf(r)                                       \
    ngx_http_get_module_main_conf(r, ngx_http_core_module)
#define ngx_http_iri_core_srv_conf(r)                                        \
    ngx_http_get_module_srv_conf(r, ngx_http_core_module)
#define ngx_http_iri_core_loc_conf(r)                                        \
    ngx_http_get_module_loc_conf(r, ngx_http_core_module)
#define ngx_http_iri_conf_main(cf)                                           \
    ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module)
#define ngx_http_iri_conf_srv(cf)                                            \
    ngx_http_conf_get_module_srv_conf(cf, ngx_http_iri_module)
#define ngx_http_iri_conf_core_main(cf)                                      \
    ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module)


/* ---- small functions ---------------------------------------------------- */

/* Strings of nginx and of the core, with the same octets in memory */

static inline iri_str_t
ngx_http_iri_str(ngx_str_t s)
{
    iri_str_t str = { s.len, s.data };

    return str;
}

static inline ngx_str_t
ngx_http_iri_ngx_str(iri_str_t s)
{
    ngx_str_t str = { s.len, (u_char *) s.data };

    return str;
}

static inline ngx_str_t
ngx_http_iri_text(const char *text)
{
    ngx_str_t str = { ngx_strlen(text), (u_char *) text };

    return str;
}

static inline ngx_uint_t
ngx_http_iri_str_equal(ngx_str_t a, ngx_str_t b)
{
    return a.len == b.len
           && (a.len == 0 || a.data == b.data
               || ngx_memcmp(a.data, b.data, a.len) == 0);
}

/* Returns: the value of the directive iri in the server of r. */
static inline iri_engine_t
ngx_http_iri_engine_of(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    return (iri_engine_t) iscf->engine;
}

/* Returns: r->loc_conf with root and alias as configured. */
static inline void **
ngx_http_iri_configured(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    return r->loc_conf == ilcf->scripted ? ilcf->configured : r->loc_conf;
}

/* Returns: the iri_host of a server. */
static inline ngx_http_iri_host_conf_t *
ngx_http_iri_host_conf(ngx_http_core_srv_conf_t *cscf)
{
    return ngx_http_get_module_srv_conf(cscf->ctx, ngx_http_iri_host_module);
}

/* Returns: 1 if r runs an error page or post_action. */
static inline ngx_uint_t
ngx_http_iri_is_error_page(const ngx_http_request_t *r)
{
    return r->err_status != 0 || r->error_page || r->post_action;
}

static inline ngx_uint_t
ngx_http_iri_uri_is_ascii(ngx_http_request_t *r)
{
    return iri_str_is_ascii(ngx_http_iri_str(r->uri));
}

/*
 * Returns: 1 if uri may have another name on disk in this location, so that it
 * must be looked up (iri_needs_lookup).
 */
static inline ngx_uint_t
ngx_http_iri_uri_needs_lookup(const ngx_http_iri_loc_conf_t *ilcf,
    ngx_str_t uri)
{
    return iri_needs_lookup(&ilcf->combined, ngx_http_iri_str(uri));
}

/*
 * Returns: rc; 500 for NGX_ERROR, with which nginx would close the connection
 * without a response.
 */
static inline ngx_int_t
ngx_http_iri_http_status(ngx_int_t rc)
{
    return rc == NGX_ERROR ? NGX_HTTP_INTERNAL_SERVER_ERROR : rc;
}


/*
 * ---- functions -------------------------------------------------------------
 *
 * In the order in which a request calls them.  Paths are octets in UTF-8.  If
 * nothing else is said, arguments must not be NULL, results are in r->pool, and
 * a function returns NGX_OK or NGX_ERROR, or a pointer that is NULL if memory is
 * exhausted.  A handler returns the result of the handler of its phase.
 */

/* ---- ngx_http_iri_request.c --------------------------------------------- */

/*
 * Restore the context of a module in r->ctx after nginx has cleared it.
 * Returns: the context; NULL if r has none.
 */
void *ngx_http_iri_ctx_recover(ngx_http_request_t *r,
    const ngx_module_t *module);

/* Returns: the context of r; NULL if it has none yet. */
static inline ngx_http_iri_ctx_t *
ngx_http_iri_ctx(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_iri_module);

    return ctx == NULL && (r->internal || r->filter_finalize)
               ? ngx_http_iri_ctx_recover(r, &ngx_http_iri_module)
               : ctx;
}

/* The same, created if there is none. */
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

/* Set *out to head followed by tail.  A NUL follows, which is not counted. */
ngx_int_t ngx_http_iri_join(ngx_pool_t *pool, ngx_str_t head, ngx_str_t tail,
    ngx_str_t *out);

/*
 * Add a field to the response header.  key and the octets of value are not
 * copied and must live as long as r.
 */
ngx_table_elt_t *ngx_http_iri_header_add(ngx_http_request_t *r,
    const char *key, ngx_str_t value);

/*
 * Returns: the next field of a list with that name, from element *i of *part
 * on, which is set to the one after it; NULL: none.
 */
ngx_table_elt_t *ngx_http_iri_field_next(ngx_list_part_t **part,
    ngx_uint_t *i, const char *name);

/*
 * The end of a content handler: send a page with its header fields.
 * Returns: as ngx_http_send_response().
 */
ngx_int_t ngx_http_iri_send_page(ngx_http_request_t *r,
    const iri_page_t *page);

/*
 * Set the request-target of r to uri, percent-encoded, and $request to
 * "GET /caf%C3%A9 HTTP/1.1".
 */
ngx_int_t ngx_http_iri_set_request_line(ngx_http_request_t *r, ngx_str_t uri);

/*
 * Set r->uri, and the members of r that depend on it.  r->uri shares the octets
 * of uri, which must live as long as r and must not be written to.
 */
void ngx_http_iri_set_uri(ngx_http_request_t *r, iri_str_t uri);

/*
 * Leave the location, and set r->phase_handler so that nginx runs the phases
 * from SERVER_REWRITE on.  The caller returns NGX_DECLINED.
 */
void ngx_http_iri_rerun_phases(ngx_http_request_t *r);

/* Returns: the value of r->phase_handler for the POST_REWRITE phase. */
ngx_int_t ngx_http_iri_post_rewrite(ngx_http_request_t *r);

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


/* ---- ngx_http_iri_phases.c ---------------------------------------------- */

/*
 * A handler of PRECONTENT, also called if the client may get none of the
 * choices: answer 404, 409 or 300 if no file may be served for r->uri.  Before
 * access is granted, the answer could reveal the contents of a directory to
 * which access is denied (design 5.7).
 */
ngx_int_t ngx_http_iri_refuse_not_found(ngx_http_request_t *r);


/* ---- ngx_http_iri_snapshot.c -------------------------------------------- */

/* Returns: a copy of the state of r. */
ngx_http_iri_snapshot_t *ngx_http_iri_snapshot(ngx_http_request_t *r);

/* Restore r, or only its variables and captures, from *snapshot. */
ngx_int_t ngx_http_iri_restore(ngx_http_request_t *r,
    const ngx_http_iri_snapshot_t *snapshot);
ngx_int_t ngx_http_iri_variables_restore(ngx_http_request_t *r,
    const ngx_http_iri_snapshot_t *snapshot);

/* Get and set the address of the client. */
ngx_http_iri_address_t ngx_http_iri_address(ngx_http_request_t *r);
void ngx_http_iri_address_set(ngx_http_request_t *r,
    const ngx_http_iri_address_t *address);


/* ---- ngx_http_iri_host.c ------------------------------------------------ */

/* Returns: how the server of r maps host names, for functions of the core. */
const iri_host_conf_t *ngx_http_iri_host_rules(ngx_http_request_t *r);

/*
 * Map a host name by the iri_host that applies to r, and set *name to its
 * A-labels without a final dot: "bücher.example" → "xn--bcher-kva.example".
 * Returns: NGX_OK; NGX_DECLINED if octets are these A-labels already, or are
 * not a host name, or iri_host is off; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_host_map(ngx_http_request_t *r, iri_str_t octets,
    ngx_str_t *name);

/* A handler of POST_READ: select the server by a host that is not ASCII. */
ngx_int_t ngx_http_iri_host_handler(ngx_http_request_t *r);


/* ---- ngx_http_iri_query.c ----------------------------------------------- */

/*
 * Set *out to the requested query, converted: the value of $iri_query.
 * Returns: NGX_OK; NGX_DECLINED if there is no query; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_query_value(ngx_http_request_t *r, iri_str_t *out);

/*
 * Read the query as sent.  Returns: NGX_OK; NGX_DECLINED if there is none or it
 * needs no conversion; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_query_read_sent(ngx_http_request_t *r,
    iri_query_t *query);

/*
 * A handler of POST_READ and, for internal redirects, SERVER_REWRITE: convert
 * r->args, which is not empty.
 */
ngx_int_t ngx_http_iri_query_handler(ngx_http_request_t *r);


/* ---- ngx_http_iri_read.c ------------------------------------------------ */

/*
 * The settings with which the paths of r are read: those of the server, or with
 * the charsets in the variable of iri_charset.
 */
const iri_reading_conf_t *ngx_http_iri_reading_conf(ngx_http_request_t *r);

/* Set *query to the query as sent.  Returns: 0 if r has no query. */
ngx_uint_t ngx_http_iri_sent_query(ngx_http_request_t *r, iri_str_t *query);

/* Returns: the path as sent, not decoded: "/caf%E9?x" → "/caf%E9". */
iri_str_t ngx_http_iri_sent_path(ngx_http_request_t *r);

/*
 * Read r->uri, and set r->uri to the canonical path if this differs (design 4):
 * "/caf\xE9" → "/café".  IRI_PATH_INTERNAL: also for a rewrite.
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
    return iri_ascii_needs_lookup(iscf->match, ngx_http_iri_str(uri));
}

/*
 * Set *path to the canonical path that was requested, by the client or by a
 * subrequest, before any rule has set r->uri: "/caf%E9?x" → "/café".
 */
ngx_int_t ngx_http_iri_requested_path(ngx_http_request_t *r, ngx_str_t *path);

/* Set *query to the query that was requested.  Returns: 0 if none was. */
ngx_uint_t ngx_http_iri_requested_query(ngx_http_request_t *r,
    iri_str_t *query);

/* In the header filter: add Vary. */
ngx_int_t ngx_http_iri_write_vary(ngx_http_request_t *r);

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

/* At the start of a named location: set r->uri to the disclosed one. */
void ngx_http_iri_conceal_uri(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);


/* ---- ngx_http_iri_settings.c -------------------------------------------- */

/*
 * Set search->tree, and search->settings_of if names in uri have different
 * settings.  The caller has set search->path.
 */
void ngx_http_iri_settings_search(const ngx_http_iri_loc_conf_t *ilcf,
    ngx_str_t uri, iri_search_t *search);


/* ---- ngx_http_iri_find.c ------------------------------------------------ */

/*
 * The two passes of a script over root or alias as configured: its length, and
 * its octets, which are written to e->pos.  e->ip does not change.
 */
size_t ngx_http_iri_root_length(ngx_http_script_engine_t *e,
    const ngx_http_core_loc_conf_t *clcf);
void ngx_http_iri_root_copy(ngx_http_script_engine_t *e,
    const ngx_http_core_loc_conf_t *clcf);

/*
 * Returns: 1 if clcf has no alias, or uri begins with the prefix it replaces.
 */
ngx_uint_t ngx_http_iri_below_alias(ngx_http_request_t *r,
    const ngx_http_core_loc_conf_t *clcf, ngx_str_t uri);

/*
 * Look up uri, a canonical path that lives as long as r, or r->uri, below root
 * or alias of the current location, as configured.  The result of an earlier
 * lookup of the same path is reused.  Returns: the result, which lives as long
 * as r; NULL if memory is exhausted, or the path does not begin with the prefix
 * that alias replaces.
 */
iri_lookup_t *ngx_http_iri_find_uri(ngx_http_request_t *r, ngx_str_t uri);
iri_lookup_t *ngx_http_iri_find(ngx_http_request_t *r);

/*
 * Set *conf to the facts about r, which has a context, on which the result for
 * uri depends.  uri must live as long as r.
 */
void ngx_http_iri_find_conf(ngx_http_request_t *r, ngx_str_t uri,
    iri_find_conf_t *conf);

/*
 * Returns: 1 if uri is its own path on disk, without a lookup: it is the path
 * that was requested, in UTF-8, ilcf->declared is 1, and the method is GET or
 * HEAD.
 */
ngx_uint_t ngx_http_iri_is_declared(ngx_http_request_t *r,
    const ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri);

/* Returns: 1 if r->uri may have another name on disk in this location. */
ngx_uint_t ngx_http_iri_needs_lookup(ngx_http_request_t *r);

/*
 * If r can restart with the entry that was found, make a restart pending for
 * ngx_http_iri_restart().  Returns: 1 if it is.
 */
ngx_uint_t ngx_http_iri_plan_restart(ngx_http_request_t *r,
    iri_lookup_t *found);

/* Carry out the pending restart.  Returns: the result of the phase handler. */
ngx_int_t ngx_http_iri_restart(ngx_http_request_t *r);


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

/* A handler of PRECONTENT: carry out try_files. */
ngx_int_t ngx_http_iri_try_files(ngx_http_request_t *r);


/* ---- ngx_http_iri_header.c ---------------------------------------------- */

/*
 * A handler of PRECONTENT: carry out iri_redirect.  found: the lookup of r->uri;
 * NULL: none was needed.
 */
ngx_int_t ngx_http_iri_redirect_client(ngx_http_request_t *r,
    iri_lookup_t *found);

/*
 * Set *redirect to the path and query of r as sent.  requested: memory for the
 * reading to which *redirect points.
 * Returns: as iri_request_redirect().
 */
iri_status_t ngx_http_iri_redirect_input(ngx_http_request_t *r,
    const iri_env_t *env, iri_reading_t *requested, iri_redirect_t *redirect);


/* ---- ngx_http_iri_target.c ---------------------------------------------- */

/*
 * Set *target to the value of $request_uri with iri_request_uri: the canonical
 * path of the client's request and the value of $iri_query.
 * Returns: NGX_OK; NGX_DECLINED if iri_request_uri is off; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_target(ngx_http_request_t *r, ngx_str_t *target);

#pragma GCC visibility pop

#include "ngx_http_iri_conf.h"

#endif /* NGX_HTTP_IRI_H */
