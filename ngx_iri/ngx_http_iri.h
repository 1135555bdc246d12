/*
 * ngx_http_iri.h - the header that all files of the nginx module include
 *
 * The core (common/) decides; the module carries out its verdicts in nginx's
 * terms.  This header declares the configuration and the state of a request.
 * It includes:
 *
 *   ngx_http_iri_conf.h        setters, warnings, initialization
 *   ngx_http_iri_request.h     context and members of a request, log, snapshot
 *   ngx_http_iri_path.h        from the path of a request to a file
 *
 * Headers of one feature, included by the files that use it:
 *
 *   ngx_http_iri_cache.h       iri_cache
 *   ngx_http_iri_dav.h         WebDAV
 *   ngx_http_iri_header.h      fields of the response header; iri_redirect
 *   ngx_http_iri_host.h        iri_host
 *   ngx_http_iri_listing.h     iri_listing, and the page of iri_ambiguous 300
 *   ngx_http_iri_query.h       iri_query_charset
 *
 * Files.  A function calls no function of a file in a lower row:
 *
 *   conf, check                setters; warnings about the configuration
 *   request                    context and members of a request
 *   env                        the environment of the core; the error log
 *   snapshot                   saving and restoring a request
 *   zone, cache                iri_cache
 *   settings                   the settings of each directory of a path
 *   client                     iri_charset $variable: a list for each client
 *   read                       reading r->uri; the requested path
 *   host, names                iri_host: selects a server; A-labels of names
 *   query, convert             iri_query_charset; iri_convert
 *   judge                      a subrequest checks access to a name
 *   find                       lookups below root and alias; restart
 *   root                       the script under root and alias
 *   judge_handler              that subrequest in the PRECONTENT phase
 *   entries, listing           iri_listing: the entries; the page
 *   choice                     iri_ambiguous 300: a page of several names
 *   conflict                   the 409 page
 *   resolve                    after a lookup: wait, restart, 404
 *   destination, dav           the Destination of COPY and MOVE; WebDAV
 *   location, header           iri_redirect, Location, Link; header filter
 *   try_files                  try_files
 *   variables                  $iri_... and some variables of nginx
 *   status                     iri_status: counters
 *   phases                     the phase handlers
 *   module                     directives of paths, iri_redirect, iri_cache,
 *                              iri_listing, iri_status; inheritance,
 *                              initialization.  convert, header
 *                              (iri_advertise), host and query are modules with
 *                              directives of their own
 *
 * Terms that nginx does not have:
 *
 *   rule     a directive that decides on a request by its path, or changes that
 *            path: location, rewrite, if, try_files, allow, auth_basic
 *   judge    to run the rules for a path: in a subrequest, for a name on a page
 *            (ngx_http_iri_judge.c); in the request itself, for a Destination
 *            (ngx_http_iri_destination.c)
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

/* The modules, in the order of the file config */
extern ngx_module_t ngx_http_iri_module;
extern ngx_module_t ngx_http_iri_dav_module;
extern ngx_module_t ngx_http_iri_query_module;
extern ngx_module_t ngx_http_iri_host_module;
extern ngx_module_t ngx_http_iri_convert_module;
extern ngx_module_t ngx_http_iri_header_filter_module;

#pragma GCC visibility push(hidden)


/* ---- the configuration -------------------------------------------------- */

/*
 * ngx_http_iri_module.c and the functions that it calls set these structures
 * while nginx reads its configuration.  They do not change while requests run.
 * Their memory is in cf->pool.
 */

/* The number of variables of nginx whose getters are wrapped. */
#define NGX_HTTP_IRI_WRAPPED 5

/* nginx's getter of a variable */
typedef struct {
    ngx_http_get_variable_pt handler;
    uintptr_t data;             /* passed to handler */
} ngx_http_iri_getter_t;

/* A cache of directory indexes (ngx_http_iri_cache.c) */
typedef struct ngx_http_iri_cache_s  ngx_http_iri_cache_t;

/* The main configuration */
typedef struct {
    iri_registry_t *registry;   /* of charsets; NULL: not needed yet */
    iri_fold_keys_t *fold_keys; /* NULL: no location folds names */
    ngx_array_t scripted;       /* of ngx_http_iri_scripted_t: all locations
                                   whose root gets the script */
    ngx_array_t settings;       /* private to ngx_http_iri_settings.c */
    ngx_array_t caches;         /* of ngx_http_iri_cache_t * */
    ngx_uint_t enabled;         /* 1: a server has iri on or report */
    ngx_uint_t has_links;       /* 1: a location has iri_redirect link */
    ngx_shm_zone_t *status_zone;    /* of stats; NULL: no location has
                                   iri_status */
    iri_stats_t stats;          /* the counters */
    ngx_http_handler_pt rewrite_handler;    /* nginx's handler of both REWRITE
                                   phases; NULL: no rewrite module */
    ngx_array_t directives;     /* private to ngx_http_iri_check.c */
    ngx_http_iri_getter_t getters[NGX_HTTP_IRI_WRAPPED];   /* of nginx, in the
                                   order of ngx_http_iri_variables.c */
    ngx_http_handler_pt file_handlers[2];   /* content handlers that open
                                   files: flv, mp4; NULL: not built */
} ngx_http_iri_main_conf_t;

/* iri_charset $variable */
typedef struct {
    ngx_str_t name;             /* of the variable, with its "$" */
    ngx_int_t index;            /* of the variable */
    const iri_registry_t *registry;
} ngx_http_iri_charset_variable_t;

/* The server configuration: settings that are needed to read a path */
typedef struct {
    ngx_uint_t engine;          /* iri_engine_t */
    ngx_uint_t invalid;         /* iri_invalid_t */
    iri_charsets_t *charsets;   /* iri_charset; NULL: none */
    iri_reading_conf_t reading; /* invalid and charsets, for the core */
    ngx_http_iri_charset_variable_t *charset_variable;  /* if it is not NULL,
                                   reading has no charsets */
    size_t cache_size;          /* iri_cache in octets; 0: off */
    ngx_str_t cache_threads;    /* name of its thread pool; empty: none */
    ngx_http_iri_cache_t *cache;    /* NULL: no cache */
    ngx_uint_t needs_indexes;   /* 1: a location has an iri_match that searches
                                   indexes */
    ngx_uint_t has_listing;     /* 1: a location has iri_listing on: each
                                   request has a snapshot */
} ngx_http_iri_srv_conf_t;

typedef struct ngx_http_iri_loc_conf_s ngx_http_iri_loc_conf_t;

/* The location configuration: settings of the files below its root */
struct ngx_http_iri_loc_conf_s {
    iri_charsets_t *charsets;   /* iri_filename_charset; NULL: UTF-8 */
    ngx_uint_t filename_form;   /* iri_filename_form_t */
    ngx_uint_t match;           /* IRI_FOLD_... */
    ngx_uint_t ambiguous;       /* iri_ambiguous_t */
    ngx_flag_t listing;         /* iri_listing */
    iri_position_t position;    /* file and line of the location or server */
    ngx_uint_t repair;          /* IRI_REPAIR_... */
    ngx_uint_t redirect;        /* HTTP status, IRI_REDIRECT_LINK; 0: off */
    iri_tree_conf_t tree;       /* the settings above, for the core */

    /* set by ngx_http_iri_settings.c */
    ngx_http_core_loc_conf_t *clcf; /* of nginx's core module */
    ngx_http_iri_loc_conf_t *enclosing; /* the location with the next shorter
                                   prefix, or the server, if it has the same
                                   root; else NULL */
    ngx_str_t prefix;           /* of the location: the settings of enclosing
                                   apply to its names */
    ngx_uint_t has_enclosing;   /* 1: a prefix location encloses this one */
    ngx_uint_t differ;          /* 1: an enclosing location has other
                                   settings */
    ngx_uint_t exact;           /* 1: a location with "=", or "if" in one */
    iri_tree_conf_t combined;   /* tree, with the match of all enclosing
                                   locations added, for iri_needs_lookup() */

    /* set by ngx_http_iri_root.c; NULL if the location has no script */
    ngx_http_core_loc_conf_t *configured;   /* of nginx's core module, with root
                                   and alias as configured */
    void **configured_loc_conf; /* r->loc_conf with configured */
    void **scripted_loc_conf;   /* r->loc_conf with the script */
    size_t literal_len;         /* octets of root or alias before the segment
                                   with the first variable; without variables
                                   all octets */

    ngx_array_t *try_files;     /* of ngx_http_iri_candidate_t; NULL: none */
};

/* A location whose root gets the script (ngx_http_iri_root.c) */
typedef struct {
    ngx_http_iri_loc_conf_t *conf;
    void **loc_conf;            /* of all modules, by ctx_index */
    void **srv_conf;            /* of the server that contains it */
} ngx_http_iri_scripted_t;


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

/* A copy of a list of header fields */
typedef struct {
    ngx_list_part_t *parts;     /* of all parts, */
    u_char *elements;           /* and of the elements of all parts */
} ngx_http_iri_list_t;

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
    ngx_http_iri_list_t headers_in;     /* r->headers_in.headers */
    ngx_http_iri_list_t headers_out;    /* r->headers_out.headers */
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

/* A page of names (ngx_http_iri_listing.h) */
typedef struct ngx_http_iri_listing_s  ngx_http_iri_listing_t;

/* The context of a request; zero at first. */
typedef struct {
    ngx_http_iri_owner_t owner;
    iri_request_t *request;     /* its state in the core */
    ngx_str_t args;             /* the query of a subrequest */

    struct {
        ngx_str_t filename;     /* passed from the length code of the script
                                   under root to its value code */
        unsigned waited:1;      /* 1: the request has waited for an index; it
                                   does not wait again */
    } lookup;

    ngx_http_iri_listing_t *listing;    /* NULL: no page of names */

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
} ngx_http_iri_ctx_t;


/* ---- small functions ---------------------------------------------------- */

/* Returns: s as a string of the core, with the same octets in memory. */
static inline iri_str_t
ngx_http_iri_str(ngx_str_t s)
{
    iri_str_t str = { s.len, s.data };

    return str;
}

/* Returns: s as a string of nginx, with the same octets in memory. */
static inline ngx_str_t
ngx_http_iri_ngx_str(iri_str_t s)
{
    ngx_str_t str = { s.len, (u_char *) s.data };

    return str;
}

/* Returns: 1 if a and b hold the same octets. */
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
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return (iri_engine_t) iscf->engine;
}

/* Returns: 1 if r runs an error page or post_action. */
static inline ngx_uint_t
ngx_http_iri_is_error_page(const ngx_http_request_t *r)
{
    return r->err_status != 0 || r->error_page || r->post_action;
}

/* Returns: 1 if r->uri is ASCII. */
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

#pragma GCC visibility pop

#include "ngx_http_iri_conf.h"
#include "ngx_http_iri_request.h"
#include "ngx_http_iri_path.h"

#endif /* NGX_HTTP_IRI_H */
