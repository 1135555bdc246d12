/*
 * ngx_http_iri_listing.h - pages of names: iri_listing, iri_ambiguous 300
 *
 * ngx_http_iri_listing_module shows names only if the client could get them.
 * It has its own configuration and contexts; of ngx_http_iri_module it uses
 * lookups, the snapshot before the first rule, and the log.
 */

#ifndef NGX_HTTP_IRI_LISTING_H
#define NGX_HTTP_IRI_LISTING_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

extern ngx_module_t ngx_http_iri_listing_module;

/* ---- ngx_http_iri_judge.c ----------------------------------------------- */

/* The subrequests of one page, one after the other.  Zero at first. */
typedef struct {
    ngx_http_post_subrequest_t post;
    ngx_array_t *counted;       /* of void **: loc_conf of the locations whose
                                   limits have counted the page */
    ngx_pool_t *pool;           /* of the subrequest; NULL: that of its parent,
                                   or there is no subrequest */
    ngx_pool_cleanup_t *cleanup;    /* destroys pool with the parent */
    ngx_http_request_t *sr;     /* the subrequest; NULL: it has ended */
    ngx_http_iri_address_t address; /* of the parent, to be restored, as are */
    unsigned limit_conn:2;      /* r->main->limit_conn_status and */
    unsigned limit_req:3;       /* r->main->limit_req_status */

    /* for the path that is judged */
    ngx_str_t expected;         /* the path that the rules of the server must
                                   set; with another it does not pass */
    ngx_uint_t access;          /* index of the next access rule, if one has
                                   to wait */
    ngx_int_t status;           /* the result of the access rules; NGX_AGAIN:
                                   not known yet; NGX_ERROR: no memory */
    ngx_http_handler_pt handler;    /* r->content_handler of the location */
    ngx_str_t filename;         /* that nginx would open; empty: a content
                                   handler answers */
    ngx_uint_t is_dir;          /* 1: it is a directory */
    unsigned ruled:1;           /* an access rule has decided */
    unsigned counting:1;        /* limits count the page in this location */
    unsigned found:1;           /* the path was looked up */
    unsigned passes:1;          /* the rules grant access */
    unsigned opens:1;           /* and nginx can open it, or a content handler
                                   answers */
} ngx_http_iri_judge_t;

/*
 * Judge path by a subrequest.  base: the first octets of path, for which the
 * rules of the server set r->uri; 0: they set no other path.
 * Returns: NGX_AGAIN if it runs, and r continues when judge->sr is NULL; else
 * the status with which r must end.
 */
ngx_int_t ngx_http_iri_judge_start(ngx_http_request_t *r,
    ngx_http_iri_judge_t *judge, iri_str_t path, size_t base);

/* When judge->sr is NULL and the result was used: release its memory. */
void ngx_http_iri_judge_release(ngx_http_request_t *r,
    ngx_http_iri_judge_t *judge);

/*
 * Returns: 1 if a listing judges the path of the subrequest r: it never
 * restarts, and the path has one reading.
 */
ngx_uint_t ngx_http_iri_is_judged(ngx_http_request_t *r);

/* Returns: the judge of r; NULL if r judges no path. */
ngx_http_iri_judge_t *ngx_http_iri_judge_of(ngx_http_request_t *r);


/* ---- ngx_http_iri_judge_handler.c --------------------------------------- */

/* The handler of the PRECONTENT phase, before that of ngx_http_iri_module. */
ngx_int_t ngx_http_iri_judge_handler(ngx_http_request_t *r);


/* ---- ngx_http_iri_entries.c --------------------------------------------- */

/* A listing.  Zero at first. */
typedef struct {
    iri_env_t env;
    iri_listing_t *page;        /* that entries are added to */
    ngx_event_t event;          /* posted while other requests are served */

    ngx_str_t name;             /* of the directory, on disk, ends in "/" */
    ngx_str_t base;             /* the path that links are relative to, which
                                   ends in "/" */
    ngx_dir_t dir;
    unsigned open:1;            /* 1: dir is open */
    unsigned rewritten:1;       /* 1: r->uri is another path than base */
    unsigned unnamed:1;         /* 1: entries without a name are served */
    unsigned judging:1;         /* 1: all entries were read */
    unsigned asked:1;           /* 1: entry is being judged */

    iri_listing_entry_t entry;  /* being added or judged */
    int is_directory;           /* 1: the entry being judged is one */
    ngx_uint_t asks;            /* the number of subrequests */
    ngx_http_iri_judge_t judge;
} ngx_http_iri_listing_t;

/* Open the directory.  Returns: NGX_OK, or the status that autoindex sends. */
ngx_int_t ngx_http_iri_entries_open(ngx_http_request_t *r,
    ngx_http_iri_listing_t *listing);

/* Close it, if it is open. */
void ngx_http_iri_entries_close(ngx_http_iri_listing_t *listing);

/*
 * Read all entries, and judge as many as the page needs.
 * Returns: NGX_OK if the page is complete; NGX_BUSY if other requests are to be
 * served first; NGX_AGAIN if r continues after a subrequest; else the HTTP
 * status.
 */
ngx_int_t ngx_http_iri_entries(ngx_http_request_t *r,
    ngx_http_iri_listing_t *listing);

/* Log that a listing failed.  Returns: the HTTP status. */
ngx_int_t ngx_http_iri_entries_failed(ngx_http_request_t *r,
    iri_status_t status);


/* ---- ngx_http_iri_choice.c ---------------------------------------------- */

typedef struct ngx_http_iri_choice_s  ngx_http_iri_choice_t;

/*
 * If several names match, find out which of them the client may get, in
 * subrequests.
 * Returns: NGX_AGAIN if one is running; NGX_OK if a page of them is the
 * content; NGX_DECLINED if there is nothing to choose from; NGX_ERROR, or the
 * status with which r must end.
 */
ngx_int_t ngx_http_iri_choice(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
    const iri_lookup_t *found);


/* ---- ngx_http_iri_listing.c --------------------------------------------- */

/* The context of a request in this module. */
typedef struct {
    ngx_http_iri_listing_t *listing;    /* NULL: no listing */
    ngx_http_iri_choice_t *choice;      /* NULL: no list of names */
} ngx_http_iri_listing_ctx_t;

/* The context of r, created if there is none.  Returns: NULL: no memory. */
ngx_http_iri_listing_ctx_t *ngx_http_iri_listing_ctx(ngx_http_request_t *r);

/*
 * Set type and security policy of a page that shows names.  json: 0 for HTML.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_page_fields(ngx_http_request_t *r, ngx_uint_t json,
    const char *cache_control);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_LISTING_H */
