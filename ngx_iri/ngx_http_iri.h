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
 *   levels                     the settings of each directory of a path
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
 *   status                     ngx_http_iri_status_module: counters
 *   phases                     the phase handlers
 *   module                     directives, inheritance, initialization
 *
 * Words for which nginx has none:
 *
 *   rule     a directive that judges a request by its path, or changes that
 *            path: location, rewrite, if, try_files, allow, auth_basic
 *   script   replaces root and alias (ngx_http_iri_root.c): nginx evaluates it
 *            as it evaluates variables in root, and gets the name on disk
 *   level    a server or location whose settings apply to the names in some
 *            directories of a path (ngx_http_iri_levels.c)
 *   judge    to run the rules for a path in a subrequest (ngx_http_iri_judge.c)
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
 * The modules, in the order of the file config.  The last one,
 * ngx_http_iri_listing_module, is declared in its own header.
 */
extern ngx_module_t ngx_http_iri_module;
extern ngx_module_t ngx_http_iri_dav_module;
extern ngx_module_t ngx_http_iri_query_module;
extern ngx_module_t ngx_http_iri_host_module;
extern ngx_module_t ngx_http_iri_convert_module;
extern ngx_module_t ngx_http_iri_header_filter_module;
extern ngx_module_t ngx_http_iri_status_module;

#pragma GCC visibility push(hidden)


/* ---- the configuration -------------------------------------------------- */

/*
 * Filled in by ngx_http_iri_module.c and by the functions that it calls while
 * nginx reads its configuration; constant while requests run.  All memory is
 * that of cf->pool.
 */

/*
 * Variables of nginx whose getters are replaced.  Those that depend on root
 * must be evaluated without the script (ngx_http_iri_root.c).  Those of the
 * path must not reveal the name of an entry before access to it is granted.
 */
typedef enum {
    NGX_HTTP_IRI_DOCUMENT_ROOT,     /* $document_root */
    NGX_HTTP_IRI_REALPATH_ROOT,     /* $realpath_root */
    NGX_HTTP_IRI_REQUEST_FILENAME,  /* $request_filename */
    NGX_HTTP_IRI_URI,               /* $uri */
    NGX_HTTP_IRI_DOCUMENT_URI,      /* $document_uri */
    NGX_HTTP_IRI_WRAPPED            /* the number of them */
} ngx_http_iri_wrapped_t;

/* nginx's own getter of such a variable. */
typedef struct {
    ngx_http_get_variable_pt handler;
    uintptr_t data;             /* its last argument */
} ngx_http_iri_getter_t;

/* The cache of directory indexes (ngx_http_iri_cache.c) */
typedef struct ngx_http_iri_cache_s  ngx_http_iri_cache_t;

/* Of http{} */
typedef struct {
    iri_registry_t *registry;   /* of charsets; NULL: not needed yet */
    iri_fold_keys_t *fold_keys; /* NULL: no location folds names */
    ngx_array_t hooks;          /* of ngx_http_iri_scripted_t: all locations
                                   whose root gets the script */
    ngx_array_t levels;         /* private to ngx_http_iri_levels.c */
    ngx_array_t caches;         /* of ngx_http_iri_cache_t * */
    ngx_uint_t switched_on;     /* 1: a server has iri on or report */
    ngx_uint_t links;           /* 1: a location has iri_redirect link */
    ngx_http_handler_pt rewrite;    /* nginx's own handler of both REWRITE
                                   phases; NULL: no rewrite module */
    ngx_array_t directives;     /* private to ngx_http_iri_check.c */
    ngx_http_iri_getter_t getters[NGX_HTTP_IRI_WRAPPED];
    ngx_http_handler_pt file_handlers[2];   /* content handlers that open
                                   files: flv, mp4; NULL: not built */
} ngx_http_iri_main_conf_t;

typedef struct ngx_http_iri_srv_conf_s  ngx_http_iri_srv_conf_t;

/* iri_charset $variable */
typedef struct {
    ngx_str_t name;             /* of the variable, with its "$" */
    ngx_int_t index;            /* of the variable */
    const iri_registry_t *registry;
} ngx_http_iri_client_conf_t;

/* Of server{}: settings that are needed before a location is chosen */
struct ngx_http_iri_srv_conf_s {
    ngx_uint_t engine;          /* iri_engine_t */
    ngx_uint_t invalid;         /* iri_invalid_t */
    iri_charsets_t *charsets;   /* iri_charset; NULL: none */
    iri_reading_conf_t reading; /* the two above, for the core */
    ngx_http_iri_client_conf_t *client; /* iri_charset $variable; then reading
                                   has no charsets.  NULL: no variable */
    size_t cache_size;          /* iri_cache in octets; 0: off */
    ngx_str_t cache_threads;    /* its thread pool; empty: none */
    ngx_http_iri_cache_t *cache;    /* NULL: no cache */
    ngx_uint_t folds;           /* 1: iri_match of a location needs indexes */
    ngx_uint_t lists;           /* 1: a location has iri_listing on: each
                                   request has a snapshot */
};

typedef struct ngx_http_iri_loc_conf_s ngx_http_iri_loc_conf_t;

/* Of location{}: settings of the file system below its root */
struct ngx_http_iri_loc_conf_s {
    iri_charsets_t *charsets;   /* iri_filename_charset; NULL: UTF-8 */
    ngx_uint_t names;           /* iri_filename_form_t */
    ngx_uint_t match;           /* IRI_FOLD_... */
    ngx_uint_t ambiguous;       /* iri_ambiguous_t */
    iri_position_t at;          /* file and line of the location or server */
    ngx_uint_t repair;          /* IRI_REPAIR_... */
    ngx_uint_t redirect;        /* HTTP status, IRI_REDIRECT_LINK; 0: off */

    /* ngx_http_iri_levels.c */
    iri_tree_conf_t tree;       /* these settings, for the core: of the names
                                   behind the prefix of the location */
    ngx_http_iri_loc_conf_t *above; /* the level that encloses it, below the
                                   same root; NULL: none */
    ngx_http_core_loc_conf_t *core; /* of nginx's core module */
    ngx_str_t covers;           /* the prefix of the location: to its names the
                                   settings of above apply */
    ngx_uint_t enclosed;        /* 1: a prefix location encloses it */
    ngx_uint_t levels;          /* 1: a level above has other settings */
    ngx_uint_t exact;           /* 1: a location with "=", or "if" in one */
    iri_tree_conf_t any;        /* tree, with match of all levels above added,
                                   for iri_needs_lookup() */

    /* ngx_http_iri_root.c; NULL if the location has no script */
    ngx_http_core_loc_conf_t *plain;    /* of nginx's core module, with root and
                                   alias as configured */
    void **plain_conf;          /* r->loc_conf with plain */
    void **loc_conf;            /* r->loc_conf with the script */
    size_t literal;             /* octets of root or alias before the segment
                                   with the first variable; without variables
                                   all */
    ngx_array_t *try_files;     /* of ngx_http_iri_candidate_t; NULL: none */
};

/* A location whose root gets the script (ngx_http_iri_root.c) */
typedef struct {
    ngx_http_iri_loc_conf_t *conf;
    void **loc_conf;            /* all its configurations, by ctx_index */
    void **srv_conf;            /* of the server that contains it */
} ngx_http_iri_scripted_t;


/* ---- the state of one request ------------------------------------------- */

/*
 * All of it is in the memory of the request, or of the subrequest that judges
 * a path (ngx_http_iri_judge.c), and lives as long as that.
 */

/* The address of the client in r->connection, which realip changes. */
typedef struct {
    struct sockaddr *sockaddr;
    socklen_t socklen;
    ngx_str_t text;
} ngx_http_iri_address_t;

/* A copy of a list of header fields. */
typedef struct {
    ngx_list_part_t *parts;     /* of all its parts, */
    u_char *elements;           /* and of their elements, in one row */
} ngx_http_iri_list_t;

/*
 * The state to which a restart restores a request: the request, and what it
 * points to and rules can change (ngx_http_iri_snapshot.c).
 */
typedef struct ngx_http_iri_snapshot_s  ngx_http_iri_snapshot_t;

struct ngx_http_iri_snapshot_s {
    const ngx_http_iri_snapshot_t *earlier;     /* before that of an error page;
                                   NULL: this is the first one */
    ngx_http_request_t request;
    void **modules;             /* r->ctx */
    ngx_http_variable_value_t *variables;
    int *captures;              /* NULL: none */
    ngx_http_iri_list_t in;     /* r->headers_in.headers */
    ngx_http_iri_list_t out;    /* r->headers_out.headers */
    ngx_http_iri_address_t address;
};

/*
 * The first member of each context, that of the base module and those of its
 * features (ngx_http_iri_request.c).
 */
typedef struct {
    ngx_http_request_t *request;    /* that owns it: subrequests share the
                                   pool */
    ngx_module_t *module;       /* whose context it is */
} ngx_http_iri_owner_t;

typedef struct ngx_http_iri_ctx_s  ngx_http_iri_ctx_t;

/* The context of a request; zero at first. */
struct ngx_http_iri_ctx_s {
    ngx_http_iri_owner_t owner;
    iri_request_t *request;     /* its state in the core */
    ngx_str_t args;             /* the query of a subrequest */

    struct {
        ngx_str_t filename;     /* passed from the length code of the script
                                   under root to its value code */
        unsigned waited:1;      /* 1: the request has waited for an index; it
                                   does not wait again */
    } lookup;

    ngx_http_iri_snapshot_t *snapshot;  /* before the first rule, for an error
                                   page before its first; NULL: the request
                                   cannot restart */

    struct {
        unsigned running:1;     /* 1: nginx's rewrite module is running */
        unsigned done:1;        /* 1: the rules of the location have run */
        unsigned internal:1;    /* 1: an internal redirect, an error page or a
                                   named location was begun */
        unsigned broken:1;      /* 1: "rewrite ... break" of this location has
                                   cleared r->valid_location, which
                                   ngx_http_iri_root_validate() has set again */
    } rules;
};


/* ---- small functions ---------------------------------------------------- */

/* A string of nginx as one of the core.  The octets are shared. */
static inline iri_str_t
ngx_http_iri_str(ngx_str_t s)
{
    iri_str_t str = { s.len, s.data };

    return str;
}

/* A string of the core as one of nginx.  The octets are shared. */
static inline ngx_str_t
ngx_http_iri_ngx_str(iri_str_t s)
{
    ngx_str_t str = { s.len, (u_char *) s.data };

    return str;
}

/* Returns: 1 if a and b hold the same octets. */
static inline ngx_uint_t
ngx_http_iri_same(ngx_str_t a, ngx_str_t b)
{
    return a.len == b.len
           && (a.len == 0 || a.data == b.data
               || ngx_memcmp(a.data, b.data, a.len) == 0);
}

/* The value of the directive iri in the server of r. */
static inline iri_engine_t
ngx_http_iri_engine_of(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return (iri_engine_t) iscf->engine;
}

/* Returns: 1 if r makes an error page or post_action. */
static inline ngx_uint_t
ngx_http_iri_is_page(const ngx_http_request_t *r)
{
    return r->err_status != 0 || r->error_page || r->post_action;
}

/* Returns: 1 if r->uri is ASCII. */
static inline ngx_uint_t
ngx_http_iri_uri_is_ascii(ngx_http_request_t *r)
{
    return iri_str_is_ascii(ngx_http_iri_str(r->uri));
}

/* Returns: 1 if uri needs no lookup in this location (iri_needs_lookup). */
static inline ngx_uint_t
ngx_http_iri_needs_no_lookup(const ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri)
{
    return !iri_needs_lookup(&ilcf->any, ngx_http_iri_str(uri));
}

/* The status of a handler: NGX_ERROR becomes 500, so that a page is sent. */
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
