/*
 * ngx_http_iri_conf.h - the configuration of the nginx module
 *
 * Filled in by ngx_http_iri_module.c and by the functions that it calls while
 * nginx reads its configuration; constant while requests run.  All memory is
 * that of cf->pool.
 */

#ifndef NGX_HTTP_IRI_CONF_H
#define NGX_HTTP_IRI_CONF_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "iri_dav.h"
#include "iri_listing.h"

#pragma GCC visibility push(hidden)

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
    ngx_uint_t ascii;           /* 1: iri is on, and an ASCII path need not be
                                   read, unless folds is set */
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
    ngx_uint_t ascii;           /* 1: no ASCII path needs a lookup */
};

/* A location whose root gets the script (ngx_http_iri_root.c) */
typedef struct {
    ngx_http_iri_loc_conf_t *conf;
    void **loc_conf;            /* all its configurations, by ctx_index */
    void **srv_conf;            /* of the server that contains it */
} ngx_http_iri_scripted_t;

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_CONF_H */
