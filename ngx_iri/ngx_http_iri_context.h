/*
 * ngx_http_iri_context.h - the state of one request
 *
 * All of it is in the memory of the request, or of the subrequest that judges
 * a path (ngx_http_iri_judge.c), and lives as long as that.
 */

#ifndef NGX_HTTP_IRI_CONTEXT_H
#define NGX_HTTP_IRI_CONTEXT_H

#include "iri_request.h"
#include "ngx_http_iri_conf.h"

#pragma GCC visibility push(hidden)

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
        ngx_str_t name;         /* the name that nginx may open */
        ngx_str_t *filename;    /* passed from the length code of the script
                                   under root to its value code; or NULL */
        unsigned waited:1;      /* 1: the request has waited for an index; it
                                   does not wait again */
    } lookup;

    struct {
        ngx_http_iri_snapshot_t *snapshot;  /* before the first rule, for an
                                   error page before its first; NULL: the
                                   request cannot restart */
        const ngx_http_iri_snapshot_t *first;   /* the first snapshot, which
                                   that of an error page does not replace;
                                   NULL: none */
        iri_lookup_t *pending;  /* the lookup that requires a restart, until
                                   the restart is made; NULL: none is pending */
        ngx_str_t path;         /* the new path */
        ngx_str_t filename;     /* name on disk, for the rule that has caused
                                   the restart */
        unsigned never:1;       /* 1: a listing judges a name by this
                                   subrequest: no snapshot is taken, and the
                                   path has one reading */
    } restart;

    struct {
        unsigned running:1;     /* 1: nginx's rewrite module is running */
        unsigned done:1;        /* 1: the rules of the location have run */
        unsigned exact:1;       /* 1: the location has "=" */
        unsigned internal:1;    /* 1: an internal redirect, an error page or a
                                   named location was begun */
    } rules;

    /* iri_redirect */
    struct {
        ngx_uint_t inherited;   /* from the location whose try_files
                                   redirected here; 0: none */
    } redirect;

    /* iri report */
    struct {
        iri_lookup_t *found;    /* for the requested path; NULL: not
                                   looked up */
        iri_lookup_t *again;    /* after the restart that would follow;
                                   NULL: none would */
        ngx_http_iri_loc_conf_t *conf;  /* of the lookup */
        unsigned done:1;        /* 1: found, again and conf are set */
    } report;

    /* the log line */
    struct {
        iri_notes_t *notes;     /* of a main request; NULL: none */
        unsigned written:1;     /* 1: the line was written */
    } log;
};

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_CONTEXT_H */
