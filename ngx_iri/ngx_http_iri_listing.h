/*
 * ngx_http_iri_listing.h - pages of names: iri_listing, iri_ambiguous 300
 *
 * A page shows a name only if the client may get it.
 */

#ifndef NGX_HTTP_IRI_LISTING_H
#define NGX_HTTP_IRI_LISTING_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_judge.c ----------------------------------------------- */

/*
 * The subrequests of one page, which run one after the other.  Zero at first.
 */
typedef struct {
    ngx_http_post_subrequest_t post;
    ngx_array_t *counted;       /* of void **: r->loc_conf of other locations
                                   than that of the main request in which
                                   PREACCESS has counted the page; NULL: none */
    ngx_pool_t *pool;           /* of the subrequest; NULL: that of its parent,
                                   or there is no subrequest */
    ngx_pool_cleanup_t *cleanup;    /* destroys pool with the parent */
    ngx_http_request_t *sr;     /* the subrequest; NULL: it has ended */
    /* of the parent, restored when the subrequest ends */
    ngx_http_iri_address_t address;
    unsigned limit_conn:2;      /* r->main->limit_conn_status */
    unsigned limit_req:3;       /* r->main->limit_req_status */

    /* of the path that is judged */
    ngx_str_t expected;         /* r->uri after the rules of the server; if they
                                   set another path, access is not granted */
    ngx_uint_t access;          /* index of the phase handler to continue with,
                                   after an access handler has waited */
    ngx_int_t status;           /* the result of the access handlers; NGX_AGAIN:
                                   not known yet; NGX_ERROR: no memory */
    ngx_http_handler_pt handler;    /* r->content_handler of the location */
    ngx_str_t filename;         /* that was found; empty: the path needs no
                                   lookup */
    ngx_uint_t is_dir;          /* 1: filename is a directory */
    unsigned access_decided:1;  /* an access handler has allowed or denied */
    unsigned limits_counting:1; /* PREACCESS counts the page in this location */
    unsigned granted:1;         /* the rules grant access */
    unsigned can_open:1;        /* granted, and nginx can open the file, or a
                                   content handler answers */
} ngx_http_iri_judge_t;

/*
 * Judge path by a subrequest.  base: if a rule has rewritten the path of r, the
 * number of octets at the beginning of path that it must replace by r->uri;
 * else 0.  Returns: NGX_AGAIN if the subrequest runs; r continues when
 * judge->sr is NULL. Else the HTTP status, or NGX_ERROR, with which r must end.
 */
ngx_int_t ngx_http_iri_judge_start(ngx_http_request_t *r,
    ngx_http_iri_judge_t *judge, iri_str_t path, size_t base);

/*
 * Release the memory of the subrequest, when judge->sr is NULL and the result
 * was used.
 */
void ngx_http_iri_judge_release(ngx_http_request_t *r,
    ngx_http_iri_judge_t *judge);

/*
 * Returns: the state of a subrequest that judges a path, which never restarts
 * and has one reading; NULL for any other request.
 */
ngx_http_iri_judge_t *ngx_http_iri_judge_of(ngx_http_request_t *r);


/* ---- ngx_http_iri_judge_handler.c --------------------------------------- */

/* The handler of the PRECONTENT phase; it runs before that of phases.c. */
ngx_int_t ngx_http_iri_judge_handler(ngx_http_request_t *r);


/* ---- ngx_http_iri_entries.c --------------------------------------------- */

/* A page of names. */
typedef struct {
    iri_env_t env;
    iri_listing_t *page;        /* the names in the core */
    ngx_event_t event;          /* posted to continue after other requests */

    ngx_str_t name;             /* of the directory on disk; ends in "/"; empty:
                                   the names are choices */
    ngx_str_t base;             /* the path to which links are relative; ends
                                   in "/" */
    ngx_dir_t dir;
    unsigned dir_is_open:1;     /* 1: dir must be closed */
    unsigned rewritten:1;       /* 1: r->uri is not base: a rule has set it */
    unsigned serves_unnamed:1;  /* 1: entries without a name are served */
    unsigned judging:1;         /* 1: all names are known */
    unsigned judge_pending:1;   /* 1: a subrequest judges entry */

    iri_listing_entry_t entry;  /* the name that is judged */
    ngx_uint_t judged;          /* the number of subrequests that have ended */
    ngx_http_iri_judge_t judge;
} ngx_http_iri_listing_t;

/* The context of a request */
typedef struct {
    ngx_http_iri_owner_t owner;
    ngx_http_iri_listing_t *listing;    /* the last page that was begun */
} ngx_http_iri_listing_ctx_t;

/* Returns: the page of r; NULL if none was begun. */
static inline ngx_http_iri_listing_t *
ngx_http_iri_listing(ngx_http_request_t *r)
{
    ngx_http_iri_listing_ctx_t *ctx;

    ctx = ngx_http_iri_feature_ctx(r, &ngx_http_iri_listing_module);

    return ctx != NULL ? ctx->listing : NULL;
}

/*
 * Open the directory listing->name.
 * Returns: NGX_OK; else the HTTP status that autoindex would send.
 */
ngx_int_t ngx_http_iri_entries_open(ngx_http_request_t *r,
    ngx_http_iri_listing_t *listing);

/* Close the directory, if it is open. */
void ngx_http_iri_entries_close(ngx_http_iri_listing_t *listing);

/*
 * Continue to read all entries, then to judge as many names as the page needs.
 * Returns: NGX_OK if the page is complete; NGX_BUSY if the caller must let
 * other requests run, and call again; NGX_AGAIN if a subrequest is running;
 * else the HTTP status.
 */
ngx_int_t ngx_http_iri_entries_run(ngx_http_request_t *r,
    ngx_http_iri_listing_t *listing);

/* Log that a page could not be made.  Returns: the HTTP status 500. */
ngx_int_t ngx_http_iri_entries_failed(ngx_http_request_t *r,
    iri_status_t status);


/* ---- ngx_http_iri_listing.c --------------------------------------------- */

/*
 * The handler of the CONTENT phase; it runs after those of nginx.
 */
ngx_int_t ngx_http_iri_listing_handler(ngx_http_request_t *r);

/*
 * If several names match, set a content handler that sends a page of those that
 * the client may get.  Returns: NGX_OK if it was set; NGX_DECLINED if r gets no
 * such page, or the client may get none.
 */
ngx_int_t ngx_http_iri_choice(ngx_http_request_t *r,
    const iri_lookup_t *found);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_LISTING_H */
