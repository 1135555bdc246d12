/*
 * ngx_http_iri_judge_handler.c - the handler of a subrequest that judges a path
 *
 * Runs in PRECONTENT, and calls the access handlers, which nginx skips for
 * subrequests.  See ngx_http_iri_judge.c.
 */

#include "ngx_http_iri_listing.h"


/* ---- access ------------------------------------------------------------- */

/*
 * Call the handlers of the ACCESS phase, as ngx_http_core_access_phase() does.
 * Returns: NGX_OK if access is granted; NGX_AGAIN if a handler waits; else the
 * HTTP status.
 */
static ngx_int_t
ngx_http_iri_judge_access(ngx_http_request_t *r, ngx_http_iri_judge_t *judge)
{
    ngx_int_t                  rc;
    ngx_uint_t                 any;
    ngx_http_phase_handler_t  *ph;
    ngx_http_core_loc_conf_t  *clcf = ngx_http_iri_core_loc_conf(r);
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_core_main_conf(r);

    ph = cmcf->phase_engine.handlers;
    any = clcf->satisfy == NGX_HTTP_SATISFY_ANY;

    for (; ph[judge->access].checker; judge->access++) {
        if (ph[judge->access].checker != ngx_http_core_access_phase) {
            continue;
        }

        rc = ph[judge->access].handler(r);

        if (rc == NGX_AGAIN || rc == NGX_DONE) {
            return NGX_AGAIN;
        }

        judge->access_decided |= rc != NGX_DECLINED;

        if (rc == NGX_OK && any) {
            return NGX_OK;

        } else if (any
                   && (rc == NGX_HTTP_FORBIDDEN
                       || rc == NGX_HTTP_UNAUTHORIZED)) {
            r->access_code = rc;

        } else if (rc != NGX_OK && rc != NGX_DECLINED) {
            return rc;
        }
    }

    return r->access_code != 0 ? (ngx_int_t) r->access_code : NGX_OK;
}


/* Returns: 1 if PREACCESS has counted the page in this location. */
static ngx_uint_t
ngx_http_iri_judge_is_counted(ngx_http_request_t         *r,
                              const ngx_http_iri_judge_t *judge)
{
    void    ***counted;
    ngx_uint_t i;

    if (r->loc_conf == r->main->loc_conf) {
        return 1;
    }

    counted = judge->counted != NULL ? judge->counted->elts : NULL;

    for (i = 0; counted != NULL && i < judge->counted->nelts; i++) {
        if (counted[i] == r->loc_conf) {
            return 1;
        }
    }

    return 0;
}


/*
 * Run the phases from PREACCESS on again, with limits that count.  After a
 * delay nginx resumes only the active request of the connection, so any other
 * is denied access.  Returns: the result of the phase handler.
 */
static ngx_int_t
ngx_http_iri_judge_count(ngx_http_request_t *r, ngx_http_iri_judge_t *judge)
{
    if (r->connection->data != r) {
        return NGX_HTTP_NO_CONTENT;
    }

    judge->limits_counting = 1;
    r->main->limit_req_status = 0;
    r->phase_handler = ngx_http_iri_post_rewrite(r); /* PREACCESS follows */

    return NGX_DECLINED;
}


/* ---- the file ----------------------------------------------------------- */

/* The content handler: set judge->can_open if nginx can open the file. */
static ngx_int_t
ngx_http_iri_judge_content(ngx_http_request_t *r)
{
    iri_lookup_t         *found;
    ngx_http_iri_judge_t *judge = ngx_http_iri_judge_of(r);

    r->content_handler = judge->handler;

    if (!ngx_http_iri_str_equal(r->uri, judge->expected)) {
        return NGX_HTTP_NO_CONTENT;
    }

    if (judge->filename.len != 0) {
        found = ngx_http_iri_find(r);

        if (found == NULL || !iri_may_open(&found->found)
            || (judge->handler == NULL
                && ngx_http_iri_can_open(
                       r, ngx_http_iri_ngx_str(found->filename),
                       &judge->is_dir)
                       != NGX_OK))
        {
            return NGX_HTTP_NO_CONTENT;
        }
    }

    judge->can_open = 1;

    return NGX_HTTP_NO_CONTENT;
}


/* Access is granted: look up r->uri, and replace the content handler. */
static ngx_int_t
ngx_http_iri_judge_pass(ngx_http_request_t *r, ngx_http_iri_judge_t *judge)
{
    iri_lookup_t            *found;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    /* Also an ASCII name must exist, unless a content handler answers. */
    if (ngx_http_iri_needs_lookup(r)
        || (ilcf->scripted != NULL && r->content_handler == NULL))
    {
        found = ngx_http_iri_find(r);
        if (found == NULL) {
            return NGX_HTTP_NO_CONTENT;
        }

        judge->filename = ngx_http_iri_ngx_str(found->filename);
    }

    judge->granted = 1;
    judge->handler = r->content_handler;
    r->content_handler = ngx_http_iri_judge_content;

    return NGX_DECLINED;
}


/* ---- the handler -------------------------------------------------------- */

ngx_int_t
ngx_http_iri_judge_handler(ngx_http_request_t *r)
{
    void               ***counted;
    ngx_http_iri_judge_t *judge = ngx_http_iri_judge_of(r);

    if (judge == NULL) {
        return NGX_DECLINED;
    }

    /* After access was granted: try_files has redirected to its fallback. */
    if (judge->granted) {
        return NGX_HTTP_NO_CONTENT;
    }

    if (judge->status == NGX_AGAIN) {
        judge->status = ngx_http_iri_judge_access(r, judge);

        if (judge->status == NGX_AGAIN) {
            return NGX_AGAIN;
        }

        if (judge->access_decided && !ngx_http_iri_judge_is_counted(r, judge))
        {
            return ngx_http_iri_judge_count(r, judge);
        }

    } else if (judge->limits_counting) {
        /* PREACCESS has counted the page, and has not refused it. */
        if (judge->counted == NULL) {
            judge->counted = ngx_array_create(r->main->pool, 4,
                                              sizeof(void **));
        }

        counted = judge->counted != NULL ? ngx_array_push(judge->counted)
                                         : NULL;
        if (counted != NULL) {
            *counted = r->loc_conf;
        }
    }

    return judge->status == NGX_OK
                   && ngx_http_iri_str_equal(r->uri, judge->expected)
               ? ngx_http_iri_judge_pass(r, judge)
               : NGX_HTTP_NO_CONTENT;
}
