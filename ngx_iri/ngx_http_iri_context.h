/*
 * ngx_http_iri_context.h - the state of one request
 *
 * All of it is in the memory of the request, or of the subrequest that judges
 * a path (ngx_http_iri_judge.c), and lives as long as that.
 */

#ifndef NGX_HTTP_IRI_CONTEXT_H
#define NGX_HTTP_IRI_CONTEXT_H

#include "ngx_http_iri_conf.h"

#pragma GCC visibility push(hidden)

/* The result of the core for one path below one root (ngx_http_iri_find.c) */
typedef struct ngx_http_iri_found_s ngx_http_iri_found_t;

struct ngx_http_iri_found_s {
    ngx_http_iri_found_t *next;
    ngx_str_t uri;              /* the canonical path that was looked up */
    ngx_str_t root;             /* the root, variables evaluated */
    iri_search_t search;        /* the arguments of the core */
    iri_found_t found;          /* its result */
    ngx_str_t filename;         /* the name that nginx may open */
    iri_str_t entry;            /* the results of iri_found_split(), */
    iri_str_t path_info;
    ngx_int_t split;            /* and NGX_OK, or why there are none */
    unsigned has_split:1;       /* 1: entry, path_info and split are set.  They
                                   must not change, because a variable is
                                   evaluated twice */
    unsigned logged:1;          /* 1: the reason why filename is not opened
                                   was logged */
};

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
typedef struct {
    ngx_http_request_t request;
    void **modules;             /* r->ctx */
    ngx_http_variable_value_t *variables;
    int *captures;              /* NULL: none */
    ngx_http_iri_list_t in;     /* r->headers_in.headers */
    ngx_http_iri_list_t out;    /* r->headers_out.headers */
    ngx_http_iri_address_t address;
} ngx_http_iri_snapshot_t;

/* State of a feature; each is defined in the file that is named. */
typedef struct ngx_http_iri_source_s  ngx_http_iri_source_t;
                                /* ngx_http_iri_destination.c */
typedef struct ngx_http_iri_client_s  ngx_http_iri_client_t;
                                /* ngx_http_iri_client.c */
typedef struct ngx_http_iri_dav_s  ngx_http_iri_dav_t;
                                /* ngx_http_iri_dav.c */

typedef struct ngx_http_iri_ctx_s  ngx_http_iri_ctx_t;

/* The context of a request; zero at first. */
struct ngx_http_iri_ctx_s {
    ngx_http_request_t *request;    /* that owns it: subrequests share the
                                   pool */

    /* the path that the client, or the maker of the subrequest, requested */
    struct {
        iri_reading_t reading;
        unsigned has_reading:1; /* it is set */
        ngx_str_t ascii;        /* the path, if it is ASCII and an entry may
                                   have another name; else empty */
        ngx_str_t path;         /* in canonical form, after a restart with the
                                   names that were found; empty: not known */
        ngx_str_t args;         /* its query, of a subrequest */
        iri_form_t form;        /* as the entry that was found confirms it */
        iri_str_t charset;      /* the same */
    } requested;

    /* the last path that was read */
    struct {
        ngx_str_t uri;          /* r->uri at that time */
        iri_verdict_t verdict;  /* on it */
        unsigned refused:1;     /* it has no reading: open nothing */
        unsigned has_reading:1; /* reading is set */
        iri_reading_t reading;  /* of the last that was not canonical */
    } last_read;

    struct {
        ngx_http_iri_found_t *results;  /* all, the latest first */
        ngx_http_iri_found_t *last; /* the latest, valid for last_conf only;
                                   NULL: search results */
        void *last_conf;        /* r->loc_conf of last */
        ngx_str_t *filename;    /* passed from the length code of the script
                                   under root to its value code; or NULL */
        ngx_str_t not_found;    /* r->uri for which 404 was sent */
        unsigned waited:1;      /* 1: the request has waited for an index; it
                                   does not wait again */
    } lookup;

    struct {
        ngx_http_iri_snapshot_t *snapshot;  /* before the first rule; NULL: the
                                   request cannot restart */
        const ngx_http_iri_snapshot_t *first;   /* the first one, which an
                                   error page does not replace; or NULL */
        const ngx_http_iri_found_t *pending;    /* the lookup that requires a
                                   restart, until the restart is made; NULL:
                                   none is pending */
        ngx_str_t path;         /* the new path, before and after it is made */
        ngx_str_t sent;         /* the path that it replaces */
        ngx_str_t filename;     /* for the rule that has caused it */
        iri_match_t match;      /* the difference that it has ignored */
        unsigned done:1;        /* the request has restarted */
    } restart;

    struct {
        unsigned running:1;     /* 1: nginx's rewrite module is running */
        unsigned done:1;        /* 1: the rules of the location have run */
        unsigned exact:1;       /* 1: they are in a location with "=" */
        unsigned internal:1;    /* r->uri is not the path of a client */
    } rules;

    struct {
        unsigned granted:1;
        unsigned refused:1;     /* 1: it will not be granted: an error page is
                                   being made */
    } access;

    /* the field Vary (ngx_http_iri_client.c) */
    struct {
        ngx_http_iri_client_t *client;  /* NULL: the variable was not read */
        unsigned needed:1;      /* the answer depends on the variable */
        unsigned until_granted:1;   /* the same, unless access is granted */
    } vary;

    struct {
        iri_reading_t reading;  /* of the Destination header */
        unsigned has_reading:1; /* it is set */
        ngx_http_iri_source_t *source;  /* not NULL while rules judge it */
        void **passed_in;       /* loc_conf in which the rules let it pass */
        ngx_uint_t runs;        /* number of times the rules were run for it */
        unsigned denied:1;      /* 1: the rules have denied it */
    } destination;

    /* the page that is the content */
    struct {
        ngx_str_t link;         /* value of the field Link; empty: none */
    } page;

    /* iri_redirect */
    struct {
        int status;             /* HTTP status of the redirect; 0: none */
        ngx_uint_t inherited;   /* from the location whose try_files
                                   redirected here; 0: none */
    } redirect;

    /* iri report */
    struct {
        ngx_http_iri_found_t *found;    /* for the requested path; NULL: not
                                   looked up */
        ngx_http_iri_found_t *again;    /* after the restart that would follow;
                                   NULL: none would */
        ngx_http_iri_loc_conf_t *conf;  /* of the lookup */
        unsigned done:1;        /* the three are set */
    } report;

    /* the log line */
    struct {
        iri_notes_t *notes;     /* of a main request; NULL: none */
        unsigned written:1;
    } log;

    ngx_http_iri_dav_t *dav;    /* NULL: none */
};

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_CONTEXT_H */
