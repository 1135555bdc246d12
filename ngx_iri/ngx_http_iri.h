/*
 * ngx_http_iri.h - what the files of the nginx module need of each other
 *
 *   ngx_http_iri_module.c      directives, inheritance, start and end
 *   ngx_http_iri_advertise.c   what answers to OPTIONS say of IRIs
 *   ngx_http_iri_asked.c       what was asked for, and what may be told of it
 *   ngx_http_iri_cache.c       what is remembered of directories
 *   ngx_http_iri_check.c       what a configuration says in vain
 *   ngx_http_iri_choice.c      several names that a request may mean
 *   ngx_http_iri_client.c      iri_charset $variable: a list for each client
 *   ngx_http_iri_dav.c         WebDAV: answers, If, what is not to be written
 *   ngx_http_iri_destination.c the Destination of COPY and MOVE
 *   ngx_http_iri_entries.c     what of a directory a client may know
 *   ngx_http_iri_find.c        asking the core for a path below root or alias
 *   ngx_http_iri_header.c      the filter for the header of an answer
 *   ngx_http_iri_host.c        the server that a request's host selects
 *   ngx_http_iri_judge.c       whether the client could get a path
 *   ngx_http_iri_listing.c     what is in a directory, as a page
 *   ngx_http_iri_location.c    Location and Link of what is answered
 *   ngx_http_iri_names.c       the names of servers, in A-labels too
 *   ngx_http_iri_notes.c       what the log is told of a request
 *   ngx_http_iri_phases.c      the phase handlers
 *   ngx_http_iri_post_read.c   the first of them: what the client sent
 *   ngx_http_iri_query.c       the query in UTF-8, iri_convert
 *   ngx_http_iri_redirect.c    iri_redirect
 *   ngx_http_iri_report.c      iri report
 *   ngx_http_iri_request.c     what is kept of a request, reading its path
 *   ngx_http_iri_resolve.c     what the disk says of a path, what follows
 *   ngx_http_iri_root.c        from the canonical path to the disk: the script
 *                              put under root and alias
 *   ngx_http_iri_snapshot.c    the state in which a request was read
 *   ngx_http_iri_status.c      counters, and the page about them
 *   ngx_http_iri_try_files.c   try_files
 *   ngx_http_iri_variables.c   $iri_..., and some variables of nginx
 *
 * The core decides; here its answers are put into nginx's terms.
 */

#ifndef NGX_HTTP_IRI_H
#define NGX_HTTP_IRI_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "iri_dav.h"
#include "iri_listing.h"
#include "iri_stats.h"

/* The one symbol that nginx looks up. */
extern ngx_module_t ngx_http_iri_module;

#pragma GCC visibility push(hidden)


/* ---- configuration ------------------------------------------------------ */

/*
 * Variables of nginx that must not see the script under root, and those of the
 * path, which must not tell a name before access to it is granted.
 */
typedef enum {
    NGX_HTTP_IRI_DOCUMENT_ROOT,
    NGX_HTTP_IRI_REALPATH_ROOT,
    NGX_HTTP_IRI_REQUEST_FILENAME,
    NGX_HTTP_IRI_URI,
    NGX_HTTP_IRI_DOCUMENT_URI,
    NGX_HTTP_IRI_WRAPPED
} ngx_http_iri_wrapped_t;

/* How nginx itself gets the value of one. */
typedef struct {
    ngx_http_get_variable_pt handler;
    uintptr_t data;
} ngx_http_iri_getter_t;

/* What is remembered of directories (ngx_http_iri_cache.c) */
typedef struct ngx_http_iri_cache_s  ngx_http_iri_cache_t;

/* What is counted (ngx_http_iri_status.c) */
typedef struct ngx_http_iri_status_s  ngx_http_iri_status_t;

typedef struct {
    iri_registry_t *registry;   /* NULL until one is needed */
    ngx_array_t hooks;          /* of ngx_http_iri_hook_t */
    ngx_array_t levels;         /* of ngx_http_iri_levels.c */
    ngx_array_t caches;         /* of ngx_http_iri_cache_t * */
    ngx_http_iri_status_t *status;  /* NULL: no location has iri_status */
    ngx_uint_t switched_on;     /* a server is on or in report */
    ngx_uint_t links;           /* a location says iri_redirect link */
    ngx_uint_t hosts;           /* a server says iri_host, and not off */
    iri_idna_t *idna;           /* NULL until one is */
    ngx_uint_t ssl;             /* index of ngx_http_ssl_module, 0: none */
    ngx_uint_t dav_ext;         /* ngx_http_dav_ext_module is there */

    /* that of nginx's rewrite module in both REWRITE phases, or NULL */
    ngx_http_handler_pt rewrite;

    ngx_module_t *realip;       /* ngx_http_realip_module, or NULL */
    ngx_array_t places;         /* of ngx_http_iri_place_t *: warned of, if
                                   they do nothing */
    ngx_array_t texts;          /* of locations, if not ASCII */
    ngx_uint_t lists;           /* a location says iri_listing on */

    ngx_http_iri_getter_t getters[NGX_HTTP_IRI_WRAPPED];

    /* content handlers of directives that open files: flv, mp4 */
    ngx_http_handler_pt file_handlers[2];
} ngx_http_iri_main_conf_t;

typedef struct ngx_http_iri_srv_conf_s  ngx_http_iri_srv_conf_t;

/* Of a directive. */
typedef struct {
    ngx_str_t name;
    ngx_str_t file;
    ngx_uint_t line;
    ngx_http_iri_srv_conf_t *server;    /* that it is in; NULL: in none */
    const char *says;           /* of what it says: a warning; or NULL */
    unsigned needs_folds:1;     /* it does nothing where no names are folded, */
    unsigned folds:1;           /* and somewhere they are */
    unsigned used:1;            /* somewhere it does something */
    unsigned looked:1;          /* at this, or at the same of another server */
    unsigned warned:1;          /* of something else: once is enough */
} ngx_http_iri_place_t;

/* iri_charset $variable */
typedef struct {
    ngx_str_t name;             /* with its "$" */
    ngx_int_t index;
    const iri_registry_t *registry;
} ngx_http_iri_client_conf_t;

struct ngx_http_iri_srv_conf_s {
    ngx_uint_t engine;          /* iri_engine_t */
    ngx_uint_t invalid;         /* iri_invalid_t */
    iri_charsets_t *charsets;   /* NULL: none */
    iri_reading_conf_t reading; /* the two above, for the core */
    ngx_http_iri_client_conf_t *client; /* NULL: charsets are for all; else
                                   there are none in reading */
    iri_query_conf_t *query_said;   /* NULL: none */
    iri_query_conf_t query;     /* the same, for the core */
    ngx_uint_t hosts_said;      /* iri_host_mode_t: what iri_host says */
    ngx_http_iri_place_t *hosts_place;  /* where it does; NULL: nowhere */
    unsigned hosts_own:1;       /* that is in the server itself */
    ngx_uint_t hosts;           /* the same; off where engine is */
    iri_host_conf_t host;       /* for the core; without idna where that is */
    size_t cache_size;          /* iri_cache; 0: off */
    ngx_str_t cache_threads;    /* a pool of threads; empty: none is said */
    ngx_http_iri_place_t *cache_place;  /* NULL: nowhere */
    ngx_http_iri_cache_t *cache;    /* NULL: nothing is remembered */
    ngx_uint_t folds;           /* a location finds names by what is near */
    ngx_uint_t lists;           /* a location has iri_listing on */
    ngx_flag_t advertise;
    ngx_uint_t has_addresses;   /* locations may have set_real_ip_from */
    ngx_uint_t others;          /* the host may lead to another server */
    ngx_uint_t ascii;           /* on, and what is ASCII is let by, unless the
                                   server folds */
};

typedef struct ngx_http_iri_loc_conf_s ngx_http_iri_loc_conf_t;

struct ngx_http_iri_loc_conf_s {
    iri_charsets_t *charsets;   /* NULL: UTF-8 */
    ngx_uint_t names;           /* iri_filename_form_t */
    ngx_uint_t match;           /* IRI_FOLD_... */
    ngx_uint_t ambiguous;       /* iri_ambiguous_t */
    ngx_http_iri_place_t *ambiguous_place;  /* NULL: nowhere */
    ngx_http_iri_place_t *place;    /* of a location; NULL: it is none */
    ngx_uint_t repair;          /* IRI_REPAIR_... */
    ngx_uint_t redirect;        /* HTTP status, 0: off, IRI_REDIRECT_LINK */
    ngx_flag_t listing;
    ngx_http_iri_place_t *listing_place;    /* NULL: nowhere */
    iri_tree_conf_t tree;       /* these, for the core: of the names behind
                                   the prefix of the location */
    ngx_http_iri_loc_conf_t *above; /* the level that encloses it,
                                   below the same root; NULL: none */
    ngx_http_core_loc_conf_t *core; /* of the core module */
    ngx_str_t covers;           /* what its name covers of a path: names there
                                   are of above */
    ngx_uint_t enclosed;        /* a prefix location encloses it */
    ngx_uint_t levels;          /* above says something else */
    iri_tree_conf_t any;        /* what any level forgives and repairs, for
                                   iri_needs_lookup() */

    /*
     * Where the script is under root: the core module's configuration as it
     * was, and the arrays of loc_conf with it and with the script.  NULL
     * where there is no script.
     */
    ngx_http_core_loc_conf_t *plain;
    void **plain_conf;
    void **loc_conf;
    size_t literal;             /* octets of alias before its variables */
    ngx_array_t *try_files;     /* its words; NULL: none in this location */
    ngx_uint_t ascii;           /* what is ASCII is its own name */

    void *limits;               /* of limit_req; NULL: none */
    unsigned asks_who:1;        /* auth_basic, auth_request */
};

/* A location that gets the script, and all its configurations. */
typedef struct {
    ngx_http_iri_loc_conf_t *conf;
    void **loc_conf;
    void **srv_conf;            /* of the server that it is in */
} ngx_http_iri_hook_t;


/* ---- what is kept of a request ------------------------------------------ */

/* The answer of the core for one path below one root. */
typedef struct ngx_http_iri_found_s ngx_http_iri_found_t;

struct ngx_http_iri_found_s {
    ngx_http_iri_found_t *next;
    ngx_str_t uri;              /* r->uri it was asked for */
    ngx_str_t root;             /* evaluated */
    iri_search_t search;
    iri_found_t found;
    ngx_str_t filename;         /* what nginx may open */
    iri_str_t entry;            /* what iri_found_split() said, */
    iri_str_t path_info;
    ngx_int_t split;            /* NGX_OK, or why there is nothing */
    unsigned has_split:1;       /* once: lengths must not change */
    unsigned logged:1;          /* why it is not opened */
};

/* Who asks, as ngx_http_realip_module has it. */
typedef struct {
    struct sockaddr *sockaddr;
    socklen_t socklen;
    ngx_str_t text;
    void *realip;               /* what it keeps of the request */
} ngx_http_iri_address_t;

/* A copy of the contents of a list of header fields. */
typedef struct {
    ngx_list_part_t *parts;     /* of all its parts, */
    u_char *elements;           /* and of the elements of all parts */
} ngx_http_iri_list_t;

/*
 * A request as it was, and what it points to and rules can change
 * (ngx_http_iri_snapshot.c).
 */
typedef struct {
    ngx_http_request_t request;
    void **modules;             /* r->ctx */
    ngx_http_variable_value_t *variables;
    int *captures;              /* NULL: none */
    ngx_http_iri_list_t in;     /* r->headers_in.headers */
    ngx_http_iri_list_t out;    /* r->headers_out.headers */
    ngx_http_iri_address_t address;
} ngx_http_iri_snapshot_t;

/* The source of COPY and MOVE (ngx_http_iri_destination.c) */
typedef struct ngx_http_iri_source_s  ngx_http_iri_source_t;

/* A path that is judged by a subrequest (ngx_http_iri_judge.c) */
typedef struct {
    iri_str_t expected;         /* what rules may make of it */
    ngx_http_request_t *sr;     /* asks; NULL: it is known */
    ngx_uint_t access;          /* where it is among the access rules */
    ngx_int_t code;             /* what satisfy any has of them */
    ngx_http_handler_pt handler;    /* of the content, while it is another */
    const ngx_http_iri_found_t *found;
    ngx_str_t filename;         /* that nginx would open; empty: a handler */
    ngx_uint_t is_dir;
    ngx_pool_t *pool;           /* memory of the subrequest; that of what asks
                                   if cleanup is NULL */
    ngx_pool_cleanup_t *cleanup;
    ngx_http_iri_address_t address; /* of what has asked, and its limits */
    unsigned limit_conn:2;
    unsigned limit_req:3;
    unsigned passes:1;          /* the rules let the client have it, */
    unsigned opens:1;           /* and it is there, or a handler answers */
    unsigned tried:1;           /* try_files has been asked */
} ngx_http_iri_judged_t;

/* What is in a directory (ngx_http_iri_listing.c) */
typedef struct ngx_http_iri_listing_s  ngx_http_iri_listing_t;

/* How this client's paths are read (ngx_http_iri_client.c) */
typedef struct ngx_http_iri_client_s  ngx_http_iri_client_t;

/* WebDAV (ngx_http_iri_dav.c) */
typedef struct ngx_http_iri_dav_s  ngx_http_iri_dav_t;

/* Names that the client may choose from (ngx_http_iri_choice.c) */
typedef struct ngx_http_iri_choice_s  ngx_http_iri_choice_t;

typedef struct ngx_http_iri_ctx_s  ngx_http_iri_ctx_t;

/* All that is kept of a request. */
struct ngx_http_iri_ctx_s {
    ngx_http_request_t *request;    /* subrequests share the pool */
    iri_reading_t came;         /* as the client, or the parent, asked for it */
    iri_reading_t reading;      /* of the last path that was not canonical */
    iri_reading_t destination;  /* of the Destination header */
    iri_verdict_t verdict;        /* to the last path that was read */
    ngx_str_t read_uri;         /* the last r->uri that was read */
    ngx_str_t ascii;            /* the path that came, where that is ASCII and
                                   a location may know it by another name */
    ngx_str_t canonical;        /* the canonical path of what came, with the
                                   names that were found; empty: nothing is
                                   kept of it */
    ngx_str_t args;             /* that came with it, of a subrequest */
    ngx_http_iri_found_t *founds;
    ngx_http_iri_found_t *last; /* of these, in last_conf; NULL: ask again */
    void *last_conf;
    ngx_str_t *filename;        /* between the two codes of the script */

    ngx_http_iri_snapshot_t *snapshot;  /* before any rule ran; NULL: none */
    ngx_http_iri_address_t address; /* before a location says who it is */

    iri_form_t form;            /* how it came, as the disk confirms it */
    iri_str_t charset;
    ngx_str_t answered;         /* r->uri for which 404 was sent */
    iri_match_t moved_match;    /* what was ignored to find the entry */
    const ngx_http_iri_found_t *restart_found;  /* for which the request is to
                                   restart; NULL: it is not */
    ngx_str_t restart;          /* with this path, or has if moved */
    ngx_str_t restart_name;     /* what a rule that asks for the name gets */
    int redirected;             /* HTTP status of iri_redirect; 0: none */
    ngx_uint_t redirects;       /* iri_redirect of the location whose try_files
                                   has led on; 0: none has */

    ngx_http_iri_source_t *source;  /* while rules judge the Destination */
    void **judged_for;          /* where they have let it pass: loc_conf */
    ngx_uint_t judged;          /* how often */

    ngx_http_iri_choice_t *choice;
    ngx_http_iri_listing_t *listing;
    ngx_http_iri_judged_t *asked;   /* of a subrequest that judges a path */

    ngx_str_t link;             /* Link of the page, if there is one */
    ngx_http_iri_client_t *client;  /* NULL: the variable was not asked */
    ngx_http_iri_dav_t *dav;    /* NULL: nothing of it is kept */

    unsigned has_came:1;
    unsigned depends:1;         /* another client may get another answer; */
    unsigned may_depend:1;      /* it may, as long as access is not granted, */
    unsigned passed:1;          /* which it is, */
    unsigned barred:1;          /* or never will be: a page says so */
    unsigned has_reading:1;
    unsigned has_destination:1;
    unsigned refused:1;         /* read_uri has no reading, never to be
                                   opened */
    unsigned moved:1;           /* it has restarted */
    unsigned in_rules:1;        /* nginx's rewrite module is running */
    unsigned ruled:1;           /* the rules of the location have run */
    unsigned denied:1;          /* rules have not let the Destination pass */
    unsigned named:1;           /* by "location =" in the configuration */
    unsigned inside:1;          /* not for the path that a client sent */
    unsigned waited:1;          /* for an index: once is enough */
    unsigned has_address:1;
    unsigned told:1;            /* the log has been: notes are what of */

    iri_notes_t *notes;         /* of a main request; NULL: none */

    ngx_http_iri_found_t *would;    /* iri report: for the path as it came, and
                                       NULL where it is not looked for; */
    ngx_http_iri_found_t *would_again;  /* where that is MOVED, what it leads
                                           to */
    ngx_http_iri_loc_conf_t *would_conf;    /* where that was */
    unsigned would_known:1;
};


/* ---- short ones, for all of the files ------------------------------------ */

/*
 * Nearly every request is ASCII, and leaves a handler at its first tests: what
 * is done for the others stands apart, so that those save no registers.
 */
#define NGX_HTTP_IRI_APART __attribute__((noinline))

/* nginx's string as the core's, and back: the same octets. */
static inline iri_str_t
ngx_http_iri_in(ngx_str_t s)
{
    iri_str_t str = { s.len, s.data };

    return str;
}

static inline ngx_str_t
ngx_http_iri_out(iri_str_t s)
{
    ngx_str_t str = { s.len, (u_char *) s.data };

    return str;
}

static inline ngx_uint_t
ngx_http_iri_same(ngx_str_t a, ngx_str_t b)
{
    return a.len == b.len
           && (a.len == 0 || a.data == b.data
               || ngx_memcmp(a.data, b.data, a.len) == 0);
}

/* The handlers of a phase, while the configuration is read. */
static inline ngx_array_t *
ngx_http_iri_handlers_of(ngx_conf_t *cf, ngx_uint_t phase)
{
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    return &cmcf->phases[phase].handlers;
}

static inline iri_engine_t
ngx_http_iri_engine_of(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return (iri_engine_t) iscf->engine;
}

/* Not the client's own path: that of a page for an error, or post_action. */
static inline ngx_uint_t
ngx_http_iri_is_page(const ngx_http_request_t *r)
{
    return r->err_status != 0 || r->error_page || r->post_action;
}

/* 1 if r->uri holds ASCII only. */
static inline ngx_uint_t
ngx_http_iri_plain_uri(ngx_http_request_t *r)
{
    return iri_str_is_ascii(ngx_http_iri_in(r->uri));
}

/* 1 if the disk has nothing to say of uri in this location. */
static inline ngx_uint_t
ngx_http_iri_own_name(const ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri)
{
    return !iri_needs_lookup(&ilcf->any, ngx_http_iri_in(uri));
}


/* ---- ngx_http_iri_levels.c ---------------------------------------------- */

ngx_int_t ngx_http_iri_levels_create(ngx_conf_t *cf,
                                     ngx_http_iri_main_conf_t *imcf);

/* Remember a location, or a server, whose settings are merged. */
ngx_int_t ngx_http_iri_levels_add(ngx_conf_t *cf,
                                  ngx_http_iri_loc_conf_t *parent,
                                  ngx_http_iri_loc_conf_t *conf);

/* When all of them are known, and roots are as they were said. */
ngx_int_t ngx_http_iri_levels_init(ngx_conf_t *cf);

/* The settings of a search for uri, whose path is filled in. */
void ngx_http_iri_levels_search(const ngx_http_iri_loc_conf_t *ilcf,
                                ngx_str_t uri, iri_search_t *search);


/* ---- ngx_http_iri_notes.c ----------------------------------------------- */

/*
 * Note something for the one line that the log gets of a request: format as
 * of printf; what is not the program's own is shown by iri_show().
 */
void ngx_http_iri_note(ngx_http_request_t *r, iri_log_level_t level,
    const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void ngx_http_iri_note_error(ngx_http_request_t *r, const char *what,
    iri_status_t status);

/*
 * The same for what the core notes: where it is wanted, between _begin and
 * _end.  once: room for what cannot be kept, and is told at once.
 */
ngx_uint_t ngx_http_iri_notes_wanted(ngx_http_request_t *r,
    iri_log_level_t level);
iri_notes_t *ngx_http_iri_notes_begin(ngx_http_request_t *r,
    iri_notes_t *once);
void ngx_http_iri_notes_end(ngx_http_request_t *r, iri_notes_t *notes,
    const iri_notes_t *once);

/* iri_env_t.log; ctx: a request */
void ngx_http_iri_log(void *ctx, iri_log_level_t level, iri_str_t line);

/* When it is logged. */
void ngx_http_iri_notes_tell(ngx_http_request_t *r);


/* ---- ngx_http_iri_advertise.c ------------------------------------------- */

char *ngx_http_iri_advertise(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
void ngx_http_iri_advertise_merge(const ngx_http_iri_srv_conf_t *prev,
    ngx_http_iri_srv_conf_t *conf);

/* The field, in an answer whose header is not sent yet. */
ngx_int_t ngx_http_iri_write_advertised(ngx_http_request_t *r);


/* ---- ngx_http_iri_asked.c ----------------------------------------------- */

/*
 * The canonical path that the client has asked for, or the maker of the
 * subrequest, whatever rules and redirects have set since.  NGX_OK or
 * NGX_ERROR.
 */
ngx_int_t ngx_http_iri_asked_path(ngx_http_request_t *r, ngx_str_t *path);

/* The query that came with it, as it came.  0: there is none. */
ngx_uint_t ngx_http_iri_asked_query(ngx_http_request_t *r, iri_str_t *query);

/* A subrequest begins: keep these, if they are not known yet. */
void ngx_http_iri_keep_asked(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);

/*
 * Is the answer an error's, or a page for one, before access was granted to the
 * name with which the request has restarted?  Then it must not tell that name;
 * the log may.
 */
ngx_uint_t ngx_http_iri_is_refused(ngx_http_request_t *r,
    const ngx_http_iri_ctx_t *ctx);

/* r->uri as variables may tell it: in such an answer with the names as sent. */
ngx_str_t ngx_http_iri_told_uri(ngx_http_request_t *r);

/* The same, before a named location makes the page: let r->uri be that. */
void ngx_http_iri_conceal(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);


/* ---- ngx_http_iri_module.c ---------------------------------------------- */

/* For an env of the core while the configuration is read: ctx is a pool. */
void *ngx_http_iri_conf_alloc(void *ctx, size_t size);


/* ---- ngx_http_iri_check.c ----------------------------------------------- */

ngx_int_t ngx_http_iri_check_create(ngx_conf_t *cf,
    ngx_http_iri_main_conf_t *imcf);

/* Where a directive stands, for warnings; NULL without memory. */
ngx_http_iri_place_t *ngx_http_iri_conf_place(ngx_conf_t *cf);

/* The same of a setting that is warned of where iri is off. */
ngx_http_iri_place_t *ngx_http_iri_conf_use(ngx_conf_t *cf);

/*
 * A sentence of the core, and the word that is wrong, by its place behind the
 * directive's name; cf->args->nelts: none by itself.
 */
char *ngx_http_iri_conf_wrong(ngx_conf_t *cf, const char *error,
    ngx_uint_t word);

/* Note what a location says, if it is one that begins. */
ngx_int_t ngx_http_iri_check_location(ngx_conf_t *cf,
    ngx_http_iri_loc_conf_t *ilcf);

/* Names are folded in a location: what of that needs a directory's index? */
void ngx_http_iri_check_folds(ngx_conf_t *cf,
    const ngx_http_iri_srv_conf_t *iscf, const ngx_http_iri_loc_conf_t *ilcf);

/* Warn of all that does nothing. */
ngx_int_t ngx_http_iri_check(ngx_conf_t *cf);


/* ---- ngx_http_iri_cache.c ----------------------------------------------- */

/* What this process remembers of directories, for a look of a request. */
iri_index_cache_t *ngx_http_iri_cache(ngx_http_request_t *r);

/*
 * 1 if the lookup has a thread build the index of a directory, and may find
 * another entry with it: the handler must return NGX_DONE.  When the index is
 * built the phase runs that handler again.
 */
ngx_uint_t ngx_http_iri_wait(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    const ngx_http_iri_found_t *found);

/* The words of iri_cache; NULL, or a sentence that says what is wrong. */
const char *ngx_http_iri_cache_set(ngx_conf_t *cf,
    ngx_http_iri_srv_conf_t *iscf, const iri_str_t *words);

/* After the engine of conf is known.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_iri_cache_merge(ngx_conf_t *cf,
    const ngx_http_iri_srv_conf_t *prev, ngx_http_iri_srv_conf_t *conf);

/* A location of the server forgives width, case, accents or spelling. */
ngx_int_t ngx_http_iri_cache_folds(ngx_conf_t *cf,
    ngx_http_iri_srv_conf_t *iscf);

/* When a process begins that answers requests. */
void ngx_http_iri_cache_init_process(ngx_http_iri_main_conf_t *imcf);

/* Those of this process, of which there may be imcf->caches.nelts. */
size_t ngx_http_iri_caches(const ngx_http_iri_main_conf_t *imcf,
    iri_index_cache_t **caches);


/* ---- ngx_http_iri_choice.c ---------------------------------------------- */

/*
 * Where several names may be meant, ask which of them the client could get.
 * NGX_AGAIN: it is being asked; NGX_OK: a page of them will be the content;
 * NGX_DECLINED: there is nothing to choose from; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_choice(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    const ngx_http_iri_found_t *found);


/* ---- ngx_http_iri_client.c ---------------------------------------------- */

/* iri_charset with a variable; NGX_CONF_OK, or what is wrong. */
char *ngx_http_iri_client_set(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf,
    iri_registry_t *registry);

/* How paths of the client are read; NULL without memory. */
const iri_reading_conf_t *ngx_http_iri_reading_conf(ngx_http_request_t *r);

/* A path was read: must the answer say Vary? */
void ngx_http_iri_client_read(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    const iri_reading_t *reading);

/* A path was looked for: must it, once access is granted? */
void ngx_http_iri_client_found(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    const ngx_http_iri_found_t *found);

/* In PRECONTENT: access is granted, unless this is a page for an error. */
void ngx_http_iri_client_passed(ngx_http_request_t *r);

/* Before the header is written: Vary, where it must be said. */
ngx_int_t ngx_http_iri_write_vary(ngx_http_request_t *r);


/* ---- ngx_http_iri_entries.c --------------------------------------------- */

typedef struct {
    /* before ngx_http_iri_entries_open(), */
    ngx_str_t name;             /* of the directory, on disk, ends in "/" */
    ngx_str_t base;             /* what links are relative to; as name */
    unsigned rewritten:1;       /* and r->uri is not that */
    unsigned unnamed:1;         /* entries without a name are served */

    /* and before ngx_http_iri_entries_read() */
    iri_listing_t *page;        /* they go into */

    unsigned open:1;            /* dir is */
    ngx_dir_t dir;

    iri_listing_entry_t entry;  /* that is being added or judged */
    iri_listing_info_t info;    /* of one that is added */
    int is_directory;           /* of one that is judged: it is one, */
    char file[NGX_MAX_PATH];    /* its octets, with NUL behind them */
    ngx_http_iri_judged_t judged;
    unsigned asked:1;           /* for it, and not yet taken */
    ngx_uint_t asks;
} ngx_http_iri_entries_t;

/* NGX_OK, or the status that autoindex would answer with. */
ngx_int_t ngx_http_iri_entries_open(ngx_http_request_t *r,
    ngx_http_iri_entries_t *entries);

/* Once more, if need be. */
void ngx_http_iri_entries_close(ngx_http_iri_entries_t *entries);

/*
 * Read the directory, from where the last call stopped.  NGX_OK: all has been
 * read; NGX_BUSY: other requests are to be served first; else a status.
 */
ngx_int_t ngx_http_iri_entries_read(ngx_http_request_t *r,
    ngx_http_iri_entries_t *entries);

/*
 * Then judge the entries.  NGX_OK: all are that the page needs; NGX_BUSY;
 * NGX_AGAIN: r continues when a subrequest has been finished; else a status.
 */
ngx_int_t ngx_http_iri_entries_judge(ngx_http_request_t *r,
    ngx_http_iri_entries_t *entries);

/* One line of log; the status. */
ngx_int_t ngx_http_iri_entries_failed(ngx_http_request_t *r,
    iri_status_t status);


/* ---- ngx_http_iri_find.c ------------------------------------------------ */

/* Longer than any name on disk may be (NAME_MAX): cannot be opened or made. */
extern ngx_str_t ngx_http_iri_nowhere;

/* Does alias, if it is that, stand for a part of the path? */
ngx_uint_t ngx_http_iri_below_alias(ngx_http_request_t *r,
    const ngx_http_core_loc_conf_t *clcf, ngx_str_t uri);

/*
 * What the core finds for r->uri in the current location; asked once for each
 * path and root.  NULL: no memory, or alias does not stand for a part of it.
 */
ngx_http_iri_found_t *ngx_http_iri_find(ngx_http_request_t *r);

/* What ngx_http_iri_find() gives, for another path that is canonical. */
ngx_http_iri_found_t *ngx_http_iri_find_uri(ngx_http_request_t *r,
    ngx_str_t uri);

/*
 * An entry was found for another path, and its octets are those of its own
 * canonical path: keep that, for the lookup of that path.
 */
void ngx_http_iri_found_moved(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    const ngx_http_iri_found_t *moved);

/* Is filename root and path, octet for octet? */
ngx_uint_t ngx_http_iri_is_exact(const iri_search_t *search, iri_str_t path,
    iri_str_t filename);


/* ---- ngx_http_iri_header.c ---------------------------------------------- */

/* When the configuration is read. */
void ngx_http_iri_header_init(void);


/* ---- ngx_http_iri_host.c ------------------------------------------------ */

/*
 * The settings of a server; of a default server those that count for hosts at
 * its addresses.
 */
ngx_http_iri_srv_conf_t *ngx_http_iri_host_conf(
    ngx_http_core_srv_conf_t *cscf);

/*
 * Choose the server that the client's host names in A-labels.  NGX_DECLINED:
 * go on, with whatever server the request now has; else the HTTP status.
 */
ngx_int_t ngx_http_iri_host_select(ngx_http_request_t *r);

/*
 * The A-labels of a host, without a dot at the end, by the iri_host that
 * counts for the request.  NGX_DECLINED: it is as it should be, or no host
 * name, or iri_host is off; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_host_map(ngx_http_request_t *r, iri_str_t octets,
    ngx_str_t *name);

/* When the configuration is read. */
void ngx_http_iri_host_init(ngx_conf_t *cf);


/* ---- ngx_http_iri_judge.c ----------------------------------------------- */

/*
 * Before each subrequest: judged->pool is memory that lives until it is
 * released.  judged is zero before the first.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_iri_judge_begin(ngx_http_request_t *r,
    ngx_http_iri_judged_t *judged);

/* When judged->sr is NULL and what was found out has been used. */
void ngx_http_iri_judge_release(ngx_http_request_t *r,
    ngx_http_iri_judged_t *judged);

/* The handler in PREACCESS, and which limits and passwords there are. */
ngx_int_t ngx_http_iri_judge_init(ngx_conf_t *cf);

/*
 * Ask for path, which rules may make expected of.  NGX_AGAIN: it is being
 * asked, and r goes on when judged->sr is NULL; else what r must end with.
 */
ngx_int_t ngx_http_iri_judge_ask(ngx_http_request_t *r,
    ngx_http_iri_judged_t *judged, iri_str_t path, iri_str_t expected);

/*
 * In such a subrequest that has come to its content.  NGX_AGAIN: a rule waits;
 * NGX_DECLINED: try_files is next; else it is at its end.
 */
ngx_int_t ngx_http_iri_judge_here(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx, const ngx_http_iri_found_t *found);


/* $request, made of the other fields.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_iri_make_line(ngx_pool_t *pool, ngx_str_t method,
    ngx_str_t uri, ngx_str_t protocol, ngx_str_t *line);

/*
 * Who the client is by what its server says.  To be kept before any location
 * has its say, if one may have: realip changes the connection, for all that
 * comes behind.  As it is now; put back; and as it was kept, so that a path is
 * judged as if the client had begun with it.
 */
void ngx_http_iri_address_keep(ngx_http_request_t *r);
ngx_http_iri_address_t ngx_http_iri_address(ngx_http_request_t *r);
void ngx_http_iri_address_put(ngx_http_request_t *r,
    const ngx_http_iri_address_t *address);
void ngx_http_iri_address_anew(ngx_http_request_t *r);


/* ---- ngx_http_iri_listing.c --------------------------------------------- */

/* Of a page that tells names: its policy, static.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_iri_protect(ngx_http_request_t *r, const char *text);

/* After the engine of iscf is known. */
void ngx_http_iri_listing_merge(const ngx_http_iri_loc_conf_t *prev,
    ngx_http_iri_loc_conf_t *conf, ngx_http_iri_srv_conf_t *iscf);

/* The handler, before that of autoindex. */
ngx_int_t ngx_http_iri_listing_init(ngx_conf_t *cf);

/* May the request, which has just come, end in a listing? */
ngx_uint_t ngx_http_iri_listing_may_come(ngx_http_request_t *r);


/* ---- ngx_http_iri_location.c -------------------------------------------- */

/*
 * May the answer have a Location, one of its own, or a Link?  lua, njs and
 * perl set no r->headers_out.location.  The one test that other answers pay.
 */
static inline ngx_uint_t
ngx_http_iri_says_where(ngx_http_request_t *r, ngx_uint_t links)
{
    ngx_uint_t status = r->headers_out.status;

    return r->headers_out.location != NULL || r->upstream != NULL || links
           || status == NGX_HTTP_CREATED
           || (status >= NGX_HTTP_MOVED_PERMANENTLY
               && status < NGX_HTTP_BAD_REQUEST
               && status != NGX_HTTP_NOT_MODIFIED);
}

/*
 * Before the header is written: what it says of places becomes URIs.  NGX_OK;
 * NGX_ERROR: nothing may be sent.
 */
ngx_int_t ngx_http_iri_write_places(ngx_http_request_t *r);

/*
 * Keep the Link of the page that will be the answer, if one will be: to what
 * iri_redirect_location() gave.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_iri_keep_link(ngx_http_request_t *r, iri_str_t location);


/* ---- ngx_http_iri_names.c ----------------------------------------------- */

/*
 * Make the names of servers known by their A-labels, too, and $server_name
 * with them; warn of names that have none or are somebody else's, and, also
 * where no iri is on, of an iri_host without effect.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_iri_names_init(ngx_conf_t *cf);


/* ---- ngx_http_iri_request.c --------------------------------------------- */

/* Lend the core the request's pool, log and file system. */
void ngx_http_iri_env(ngx_http_request_t *r, iri_env_t *env);

/* ngx_http_iri_ctx() where nginx has cleared r->ctx, on its way inside. */
ngx_http_iri_ctx_t *ngx_http_iri_ctx_inside(ngx_http_request_t *r);

/* What is kept of the request; NULL: nothing yet. */
static inline ngx_http_iri_ctx_t *
ngx_http_iri_ctx(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_iri_module);

    return ctx == NULL && (r->internal || r->filter_finalize)
               ? ngx_http_iri_ctx_inside(r)
               : ctx;
}

/* The same, made if there is none; NULL without memory. */
ngx_http_iri_ctx_t *ngx_http_iri_ctx_make(ngx_http_request_t *r);

/*
 * The two parts of that: a new one of no request yet, or NULL without memory;
 * then its request, whose pool it must be in.
 */
ngx_http_iri_ctx_t *ngx_http_iri_ctx_new(ngx_pool_t *pool);
void ngx_http_iri_ctx_give(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);

/*
 * Nothing is kept of the request, nor was it where nginx forgets that; what
 * rewrites have made is internal, too.  Most requests are so.
 */
static inline ngx_uint_t
ngx_http_iri_is_untouched(ngx_http_request_t *r)
{
    return ngx_http_get_module_ctx(r, ngx_http_iri_module) == NULL
           && !r->internal && !r->filter_finalize;
}

/*
 * And it is a client's GET or HEAD for a path of which the disk has nothing to
 * say in this location: there is nothing to do for it.  Something is kept of
 * what came in more than ASCII; and whoever writes another path says that what
 * came is not to be sent on.
 */
static inline ngx_uint_t
ngx_http_iri_is_plain_get(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return ngx_http_iri_is_untouched(r) && r == r->main
           && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
           && ((ilcf->ascii && r->valid_unparsed_uri)
               || ngx_http_iri_own_name(ilcf, r->uri));
}

/* The path of a collection: with "/" at its end.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_iri_add_slash(ngx_http_request_t *r, iri_str_t *path);

/*
 * Another header field of the answer, or NULL without memory; key and the
 * octets of value must live as long as r.
 */
ngx_table_elt_t *ngx_http_iri_header_add(ngx_http_request_t *r,
    const char *key, ngx_str_t value);

/*
 * Make path the request's: all the fields that follow from r->uri.  The path
 * is copied.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_iri_set_uri(ngx_http_request_t *r, iri_str_t path);

/* The same without a copy. */
void ngx_http_iri_put_uri(ngx_http_request_t *r, ngx_str_t uri);

/*
 * Read the path as the client sent it into ctx.  NGX_OK or NGX_ERROR;
 * nothing else is changed.
 */
ngx_int_t ngx_http_iri_read_sent(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx);

/* The same for a path that nginx made: a redirect, a subrequest, a rewrite. */
ngx_int_t ngx_http_iri_read_made(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx);

/* Nothing of this path, which came, is to be read. */
void ngx_http_iri_keep_ascii(ngx_http_iri_ctx_t *ctx, ngx_str_t uri);

/*
 * How the path came, for who must know: one in ASCII is read only then.
 * NGX_OK; NGX_DECLINED: nothing is kept of that; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_came(ngx_http_request_t *r,
    const ngx_http_iri_ctx_t *ctx, iri_reading_t *came);

/*
 * Act on the reading.  NGX_DECLINED: r->uri is as it was; NGX_OK: it has
 * changed; else the HTTP status to answer with, or NGX_ERROR.
 */
ngx_int_t ngx_http_iri_act(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);

/* One line of log for a reading that ends the request; its HTTP status. */
ngx_int_t ngx_http_iri_refuse(ngx_http_request_t *r,
    const iri_reading_t *reading, const char *what, ngx_str_t path);

/* Leave the location: the handlers that follow are those of SERVER_REWRITE. */
void ngx_http_iri_from_the_start(ngx_http_request_t *r);


/* ---- ngx_http_iri_destination.c ----------------------------------------- */

/* Put the path of a Destination header in canonical form, as above. */
ngx_int_t ngx_http_iri_destination(ngx_http_request_t *r);

/*
 * After the rules have let the source pass: let them judge the Destination
 * of COPY and MOVE, too, where nginx itself would write there.  NGX_DECLINED:
 * there is nothing to say, or the request has begun again in its name; else
 * the HTTP status.
 */
ngx_int_t ngx_http_iri_destination_rules(ngx_http_request_t *r);

/*
 * Where the rules have not: pages for errors, backends and logs see the source
 * again.  Nothing, if no Destination is judged.
 */
void ngx_http_iri_destination_over(ngx_http_request_t *r);


/* ---- ngx_http_iri_dav.c -------------------------------------------------- */

/* Put the resource tags of If into the form that they are compared in. */
ngx_int_t ngx_http_iri_dav_if(ngx_http_request_t *r);

/* The same for the lock of a Destination, whose canonical path this is. */
ngx_int_t ngx_http_iri_dav_destination(ngx_http_request_t *r,
    ngx_str_t path);

/* How the Destination lies to r->uri on disk.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_iri_dav_relation(ngx_http_request_t *r, ngx_str_t path,
    iri_relation_t *relation);

/* What was found for a Destination, as iri_find_conflict() sees it. */
ngx_int_t ngx_http_iri_dav_twin(ngx_http_request_t *r,
    ngx_http_iri_found_t *found, iri_found_t *out);

/*
 * In PRECONTENT: 409, for what cannot be made; the handler's result.  NGX_OK:
 * a page that says why will be the content.
 */
ngx_int_t ngx_http_iri_conflict(ngx_http_request_t *r, iri_why_t why);

/* Filters for the answers of ngx_http_dav_ext_module, if it is there. */
void ngx_http_iri_dav_init(ngx_conf_t *cf);


/* ---- ngx_http_iri_phases.c ---------------------------------------------- */

ngx_int_t ngx_http_iri_phases_init(ngx_conf_t *cf);

/* The same for all phases: a status, never an aborted connection. */
static inline ngx_int_t
ngx_http_iri_status(ngx_int_t rc)
{
    return rc == NGX_ERROR ? NGX_HTTP_INTERNAL_SERVER_ERROR : rc;
}


/* ---- ngx_http_iri_post_read.c ------------------------------------------- */

ngx_int_t ngx_http_iri_post_read_handler(ngx_http_request_t *r);

/* May a location of this server know an ASCII path by another name? */
static inline ngx_uint_t
ngx_http_iri_folds(const ngx_http_iri_srv_conf_t *iscf, ngx_str_t uri)
{
    return iscf->folds
           || ((iscf->reading.repair & IRI_REPAIR_ESCAPES)
               && ngx_strlchr(uri.data, uri.data + uri.len, '%') != NULL);
}


/* ---- ngx_http_iri_query.c ----------------------------------------------- */

/* Put r->args into UTF-8.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_iri_args(ngx_http_request_t *r);

/* One line of log, where that would have changed them, or could not. */
void ngx_http_iri_report_args(ngx_http_request_t *r);

/* $iri_query.  NGX_DECLINED: there is no query; NGX_ERROR. */
ngx_int_t ngx_http_iri_query_value(ngx_http_request_t *r, iri_str_t *out);

/* The directive iri_convert. */
char *ngx_http_iri_convert(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


/* ---- ngx_http_iri_redirect.c -------------------------------------------- */

/* The query as it came: what stands behind "?".  0: there is none. */
ngx_uint_t ngx_http_iri_query(ngx_http_request_t *r, iri_str_t *query);

/* The path as it came, percent-encoded or raw, up to "?". */
iri_str_t ngx_http_iri_path_sent(ngx_http_request_t *r);

/*
 * How a request came, for the core; ctx NULL: its path is ASCII.  *came: where
 * to put the reading that *redirect points to.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_iri_redirect_of(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx, iri_reading_t *came, iri_redirect_t *redirect);

/*
 * In PRECONTENT, what iri_redirect says.  NGX_DECLINED: the request goes on;
 * else the HTTP status.
 */
ngx_int_t ngx_http_iri_redirect_client(ngx_http_request_t *r);


/* ---- ngx_http_iri_report.c ---------------------------------------------- */

/* In PRECONTENT and LOG, where iri is in report. */
void ngx_http_iri_report_first(ngx_http_request_t *r);
void ngx_http_iri_report(ngx_http_request_t *r);

/*
 * How the path came, and ctx->would.  NGX_DECLINED: there is nothing to say of
 * it.
 */
ngx_int_t ngx_http_iri_would(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    iri_reading_t *came);


/* ---- ngx_http_iri_resolve.c --------------------------------------------- */

/* Whoever looks for a mistake in a link wants to know what was forgiven. */
void ngx_http_iri_log_moved(ngx_http_request_t *r, ngx_str_t asked,
    const iri_found_t *found);

/* The path that came is another's name: found, whose path uri is. */
void ngx_http_iri_ctx_moved(ngx_http_iri_ctx_t *ctx, ngx_str_t uri,
    const iri_found_t *found);

/* Is the path one to look for below the root of this location? */
ngx_uint_t ngx_http_iri_is_looked_for(ngx_http_request_t *r);

/*
 * Can the request restart with the name that was found?  1: *url is the path
 * to restart with.
 */
ngx_uint_t ngx_http_iri_can_restart(ngx_http_request_t *r,
    const ngx_http_iri_ctx_t *ctx, const ngx_http_iri_found_t *found,
    ngx_str_t *url);

/* The same; 1: the restart is noted in ctx->restart_found and ctx->restart. */
ngx_uint_t ngx_http_iri_may_restart(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx, const ngx_http_iri_found_t *found);

/*
 * A rule asks for the name of the entry that was found for a path.  If that has
 * another name than the path, note that the request is to restart when the
 * rules have run.  The name for the rule; NULL: there is nothing to note.
 */
ngx_str_t *ngx_http_iri_note_restart(ngx_http_request_t *r,
    ngx_http_iri_ctx_t *ctx, const ngx_http_iri_found_t *found);

/* Carry out what was noted: the result of the handler. */
ngx_int_t ngx_http_iri_restart(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx);

/*
 * Before the rules of a location, which may ask for r->uri: wait for an index
 * that will be needed.  The result of the handler.
 */
ngx_int_t ngx_http_iri_wait_for_rules(ngx_http_request_t *r);

/*
 * After the rules: look r->uri up.  NGX_OK: the request goes on; else the
 * result of the handler.
 */
ngx_int_t ngx_http_iri_resolve(ngx_http_request_t *r);

/*
 * Once the rules have let the client in, and not before: that no entry can
 * have such a name may depend on what there is in a directory that they deny.
 * NGX_DECLINED: the request goes on; else the HTTP status.
 */
ngx_int_t ngx_http_iri_answer(ngx_http_request_t *r);

/* The same for a subrequest that asks whether a path may be told. */
ngx_int_t ngx_http_iri_judge_asked(ngx_http_request_t *r);


/* ---- ngx_http_iri_root.c ------------------------------------------------ */

/* Put the script under root in the locations of imcf->hooks. */
ngx_int_t ngx_http_iri_root_init(ngx_conf_t *cf);

/*
 * The name on disk for uri in the current location, with a NUL behind it that
 * is not counted.  NGX_OK, NGX_ERROR; NGX_DECLINED: only nginx can tell, where
 * root has variables or alias does not stand for a part of uri.
 */
ngx_int_t ngx_http_iri_filename_of(ngx_http_request_t *r, ngx_str_t uri,
    ngx_str_t *name);

/*
 * Would nginx open what was found, by disable_symlinks and the modes of files?
 * NGX_OK: it would; NGX_DECLINED, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_opens(ngx_http_request_t *r,
    const ngx_http_iri_found_t *found, ngx_uint_t *is_dir);

/* Let the script be seen as alias only where that does no harm. */
void ngx_http_iri_root_validate(ngx_http_request_t *r,
    ngx_http_iri_loc_conf_t *ilcf);

/* A module that may be missing: by its name, for then it has no symbol. */
ngx_module_t *ngx_http_iri_module_named(ngx_conf_t *cf, const char *name);


/* ---- ngx_http_iri_snapshot.c -------------------------------------------- */

/* Copy the request as it is now.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_iri_snapshot(ngx_http_request_t *r,
    ngx_http_iri_snapshot_t *snapshot);

/* Make it what it was then: all, or variables and captures.  The same. */
ngx_int_t ngx_http_iri_restore(ngx_http_request_t *r,
    const ngx_http_iri_snapshot_t *snapshot);
ngx_int_t ngx_http_iri_variables_restore(ngx_http_request_t *r,
    const ngx_http_iri_snapshot_t *snapshot);


/* ---- ngx_http_iri_status.c ---------------------------------------------- */

/* The directive iri_status. */
char *ngx_http_iri_status_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Where it stands somewhere: requests are counted.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_iri_status_init(ngx_conf_t *cf);

/* Before the caches of this process are made. */
void ngx_http_iri_status_init_process(ngx_http_iri_main_conf_t *imcf);

/* Where these count; NULL: nowhere. */
iri_index_cache_counts_t *ngx_http_iri_status_cache_counts(
    const ngx_http_iri_main_conf_t *imcf);


/* ---- ngx_http_iri_try_files.c ------------------------------------------- */

/* Before and after nginx reads the configuration; and if a server is on. */
ngx_int_t ngx_http_iri_try_files_begin(ngx_conf_t *cf);
void ngx_http_iri_try_files_end(void);
ngx_int_t ngx_http_iri_try_files_init(ngx_conf_t *cf);

/* In PRECONTENT: the result of the handler. */
ngx_int_t ngx_http_iri_try_files(ngx_http_request_t *r);


/* ---- ngx_http_iri_variables.c ------------------------------------------- */

ngx_int_t ngx_http_iri_variables_add(ngx_conf_t *cf);
ngx_int_t ngx_http_iri_variables_wrap(ngx_conf_t *cf);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_H */
