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
    } rules;
};

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_CONTEXT_H */
