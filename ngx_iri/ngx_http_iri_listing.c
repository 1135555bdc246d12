/*
 * ngx_http_iri_listing.c - iri_listing: the listing of a directory
 *
 * Runs in the CONTENT phase after autoindex, if no index file was found.  It
 * lists the entries that the client could get (ngx_http_iri_entries.c).  The
 * page is generated while it is sent: besides the entries it uses two buffers,
 * however slowly the client reads.
 */

#include "ngx_http_iri.h"


#define NGX_HTTP_IRI_LISTING_BUFFER  32768 /* octets of a piece of the page */
#define NGX_HTTP_IRI_LISTING_BUFFERS 2


typedef enum {
    NGX_HTTP_IRI_READING,
    NGX_HTTP_IRI_JUDGING,
    NGX_HTTP_IRI_SENDING
} ngx_http_iri_stage_t;

struct ngx_http_iri_listing_s {
    iri_env_t              env;
    ngx_http_iri_entries_t entries;
    ngx_http_iri_stage_t   stage;
    ngx_event_t            event; /* posted while other requests are served */

    ngx_chain_t *free;      /* buffers that have been sent */
    ngx_chain_t *busy;      /* buffers that are being sent */
    ngx_uint_t   buffers;   /* number of buffers allocated */
    unsigned     ended : 1; /* the last buffer has been filled */
};


static void ngx_http_iri_listing_run(ngx_http_request_t *r);


/* ---- headers ------------------------------------------------------------ */

ngx_int_t
ngx_http_iri_header_add_policy(ngx_http_request_t *r, const char *text)
{
    ngx_str_t policy;

    static ngx_str_t nosniff = ngx_string("nosniff");

    policy.data = (u_char *) text;
    policy.len = ngx_strlen(text);

    return ngx_http_iri_header_add(r, "X-Content-Type-Options", nosniff)
                       != NULL
                   && ngx_http_iri_header_add(r, "Content-Security-Policy",
                                              policy)
                          != NULL
               ? NGX_OK
               : NGX_ERROR;
}


/* Cache-Control: private, because the listing depends on the client. */
static ngx_int_t
ngx_http_iri_listing_header(ngx_http_request_t     *r,
                            ngx_http_iri_listing_t *listing)
{
    u_char    *type = (u_char *) iri_listing_type(listing->entries.page);
    u_char    *p = (u_char *) ngx_strchr(type, ';');
    ngx_str_t *charset = &r->headers_out.charset;

    static ngx_str_t cache_control = ngx_string("private");

    r->headers_out.status = NGX_HTTP_OK;

    r->headers_out.content_type.data = type;
    r->headers_out.content_type.len = p != NULL ? (size_t) (p - type)
                                                : ngx_strlen(type);
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    /* nginx's charset filter does not convert a response with a charset. */
    if (p != NULL) {
        ngx_str_set(charset, "utf-8");
    }

    if (ngx_http_iri_header_add(r, "Cache-Control", cache_control) == NULL
        || ngx_http_iri_header_add_policy(
               r, iri_listing_policy(listing->entries.page))
               != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_send_header(r);
}


/* ---- sending ------------------------------------------------------------ */

/* A free buffer, or a new one.  NULL without memory. */
static ngx_chain_t *
ngx_http_iri_listing_buffer(ngx_http_request_t     *r,
                            ngx_http_iri_listing_t *listing)
{
    ngx_chain_t *cl = listing->free;

    if (cl != NULL) {
        listing->free = cl->next;
        cl->next = NULL;
        return cl;
    }

    cl = ngx_alloc_chain_link(r->pool);
    if (cl == NULL) {
        return NULL;
    }

    cl->next = NULL;
    cl->buf = ngx_create_temp_buf(r->pool, NGX_HTTP_IRI_LISTING_BUFFER);
    if (cl->buf == NULL) {
        return NULL;
    }

    cl->buf->tag = (ngx_buf_tag_t) &ngx_http_iri_module;
    cl->buf->recycled = 1; /* flush it, even below postpone_output */
    listing->buffers++;

    return cl;
}


/* Fill a buffer with the next part of the page. */
static void
ngx_http_iri_listing_fill(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing, ngx_buf_t *b)
{
    size_t len;

    while (b->last < b->end) {
        len = iri_listing_next(listing->entries.page, b->last,
                               b->end - b->last);

        if (len == 0) {
            listing->ended = 1;
            b->last_buf = r == r->main;
            b->last_in_chain = 1;
            break;
        }

        b->last += len;
    }

    /* nginx accepts an empty buffer only with a flag such as sync. */
    if (b->last == b->pos) {
        b->temporary = 0;
        b->recycled = 0;
        b->sync = 1;
    }
}


/*
 * Send as much of the page as possible.  NGX_AGAIN: all buffers are in use,
 * wait for the client; else the result to finalize the request with.
 */
static ngx_int_t
ngx_http_iri_listing_send(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    ngx_int_t    rc;
    ngx_chain_t *out;

    for (;;) {
        out = NULL;

        if (listing->free != NULL
            || listing->buffers < NGX_HTTP_IRI_LISTING_BUFFERS) {
            out = ngx_http_iri_listing_buffer(r, listing);

            if (out == NULL) {
                return NGX_ERROR;
            }

            ngx_http_iri_listing_fill(r, listing, out->buf);
        }

        rc = ngx_http_output_filter(r, out);

        if (rc == NGX_ERROR || listing->ended) {
            return rc == NGX_AGAIN ? NGX_OK : rc;
        }

        ngx_chain_update_chains(r->pool, &listing->free, &listing->busy, &out,
                                (ngx_buf_tag_t) &ngx_http_iri_module);

        if (listing->free == NULL
            && listing->buffers == NGX_HTTP_IRI_LISTING_BUFFERS) {
            return NGX_AGAIN;
        }
    }
}


/* A later write event must not run the listing again. */
static void
ngx_http_iri_listing_end(ngx_http_request_t *r, ngx_int_t rc)
{
    r->write_event_handler = ngx_http_request_empty_handler;
    ngx_http_finalize_request(r, rc);
}


/* Handler of the event posted by ngx_http_iri_listing_yield(). */
static void
ngx_http_iri_listing_resume(ngx_event_t *ev)
{
    ngx_http_request_t *r = ev->data;
    ngx_connection_t   *c = r->connection;

    ngx_http_set_log_request(c->log, r);
    ngx_http_iri_listing_run(r);
    ngx_http_run_posted_requests(c);
}


/* Let other requests run first, and detect a closed connection. */
static void
ngx_http_iri_listing_yield(ngx_http_request_t     *r,
                           ngx_http_iri_listing_t *listing)
{
    r->read_event_handler = r->discard_body
                                ? ngx_http_discarded_request_body_handler
                                : ngx_http_test_reading;
    r->write_event_handler = ngx_http_request_empty_handler;

    listing->event.data = r;
    listing->event.handler = ngx_http_iri_listing_resume;
    listing->event.log = r->connection->log;

    ngx_post_event(&listing->event, &ngx_posted_next_events);
}


/*
 * Wait until the client can receive, as ngx_http_set_write_handler() does.  A
 * subrequest that is not yet active is resumed when the output before it ends.
 */
static void
ngx_http_iri_listing_wait(ngx_http_request_t *r)
{
    ngx_event_t              *wev = r->connection->write;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r->main, ngx_http_core_module);

    r->http_state = NGX_HTTP_WRITING_REQUEST_STATE;
    r->read_event_handler = r->discard_body
                                ? ngx_http_discarded_request_body_handler
                                : ngx_http_test_reading;
    r->write_event_handler = ngx_http_iri_listing_run;

    if (r != r->connection->data) {
        return;
    }

    if (!wev->delayed) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
        ngx_http_iri_listing_end(r, NGX_ERROR);
    }
}


/* ---- the request -------------------------------------------------------- */

/*
 * All entries have been read: send the header.  Returns what
 * ngx_http_send_header() does, or a status if there is no page.
 */
static ngx_int_t
ngx_http_iri_listing_begin_page(ngx_http_request_t     *r,
                                ngx_http_iri_listing_t *listing)
{
    iri_status_t status;

    ngx_http_iri_entries_close(&listing->entries);
    listing->stage = NGX_HTTP_IRI_SENDING;

    status = iri_listing_finish(listing->entries.page);
    if (status != IRI_OK) {
        return ngx_http_iri_entries_failed(r, status);
    }

    return ngx_http_iri_listing_header(r, listing);
}


/* Read and judge the entries.  Returns as ngx_http_iri_entries_judge() does. */
static ngx_int_t
ngx_http_iri_listing_prepare(ngx_http_request_t     *r,
                             ngx_http_iri_listing_t *listing)
{
    ngx_int_t rc;

    if (listing->stage == NGX_HTTP_IRI_READING) {
        rc = ngx_http_iri_entries_read(r, &listing->entries);
        if (rc != NGX_OK) {
            return rc;
        }

        listing->stage = NGX_HTTP_IRI_JUDGING;
    }

    return ngx_http_iri_entries_judge(r, &listing->entries);
}


/* Also the write event handler: continue from listing->stage. */
static void
ngx_http_iri_listing_run(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_event_t            *wev = r->connection->write;
    ngx_http_iri_listing_t *listing = ngx_http_iri_ctx(r)->page.listing;

    if (wev->timedout) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, NGX_ETIMEDOUT,
                      "client timed out");
        r->connection->timedout = 1;
        ngx_http_iri_listing_end(r, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    if (listing->stage != NGX_HTTP_IRI_SENDING) {
        rc = ngx_http_iri_listing_prepare(r, listing);

        if (rc == NGX_BUSY) {
            ngx_http_iri_listing_yield(r, listing);
            return;
        }

        if (rc == NGX_AGAIN) {
            r->write_event_handler = ngx_http_iri_listing_run;
            return;
        }

        if (rc != NGX_OK) {
            ngx_http_iri_listing_end(r, rc);
            return;
        }

        rc = ngx_http_iri_listing_begin_page(r, listing);

        /* NGX_AGAIN: the header is buffered, and the body must follow. */
        if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
            ngx_http_iri_listing_end(r, rc);
            return;
        }
    }

    if (wev->delayed || r->aio) {
        ngx_http_iri_listing_wait(r);
        return;
    }

    rc = ngx_http_iri_listing_send(r, listing);

    if (rc == NGX_AGAIN) {
        ngx_http_iri_listing_wait(r);
        return;
    }

    ngx_http_iri_listing_end(r, rc);
}


/* Set the name of the directory on disk, with a final "/", and its path. */
static ngx_int_t
ngx_http_iri_listing_set_paths(ngx_http_request_t     *r,
                               ngx_http_iri_listing_t *listing)
{
    u_char             *last;
    size_t              root;
    ngx_str_t           name, path;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    last = ngx_http_map_uri_to_path(r, &name, &root, 1);
    if (last == NULL) {
        return NGX_ERROR;
    }

    if (last == name.data || last[-1] != '/') {
        *last++ = '/';
    }
    *last = '\0';

    listing->entries.name.data = name.data;
    listing->entries.name.len = last - name.data;

    /* If a rewrite has set r->uri, links are relative to the client's path. */
    listing->entries.base = r->uri;

    if (ctx != NULL && r == r->main && !ctx->rules.internal) {
        path = ngx_http_iri_ngx_str(iri_request_path(ctx->request, 0));

        if (path.len != 0 && path.data[path.len - 1] == '/') {
            listing->entries.rewritten = !ngx_http_iri_same(r->uri, path);
            listing->entries.base = path;
        }
    }

    return NGX_OK;
}


static iri_status_t
ngx_http_iri_listing_begin(ngx_http_request_t     *r,
                           ngx_http_iri_listing_t *listing)
{
    iri_listing_conf_t       conf;
    ngx_http_iri_loc_conf_t *ilcf;
    ngx_http_iri_srv_conf_t *iscf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    conf.tree = &ilcf->tree;
    conf.cache = ngx_http_iri_cache(r);
    conf.reading = &iscf->reading;
    conf.root = ngx_http_iri_str(listing->entries.name);
    conf.path = ngx_http_iri_str(listing->entries.base);
    conf.query = ngx_http_iri_str(r->args);
    /* Clients with other charsets would read the link in another way. */
    conf.unnamed = iscf->invalid == IRI_INVALID_PASS && iscf->client == NULL;
    conf.paged = 1;
    listing->entries.unnamed = conf.unnamed != 0;

    ngx_http_iri_env(r, &listing->env);

    return iri_listing_begin(&listing->env, &conf, &listing->entries.page);
}


/* Cleanup handler: the request may end in any stage. */
static void
ngx_http_iri_listing_cleanup(void *data)
{
    ngx_http_iri_listing_t *listing = data;

    if (listing->event.posted) {
        ngx_delete_posted_event(&listing->event);
    }

    ngx_http_iri_entries_close(&listing->entries);
}


static ngx_http_iri_listing_t *
ngx_http_iri_listing_create(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t     *ctx = ngx_http_iri_ctx_get_or_create(r);
    ngx_pool_cleanup_t     *cln;
    ngx_http_iri_listing_t *listing;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_iri_listing_t));
    if (ctx == NULL || cln == NULL) {
        return NULL;
    }

    listing = cln->data;
    ngx_memzero(listing, sizeof(ngx_http_iri_listing_t));
    cln->handler = ngx_http_iri_listing_cleanup;

    ctx->page.listing = listing;

    return listing;
}


static ngx_uint_t
ngx_http_iri_listing_applies(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;
    ngx_http_iri_srv_conf_t *iscf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return ilcf->listing && iscf->engine == IRI_ENGINE_ON
           && r->uri.data[r->uri.len - 1] == '/'
           && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD));
}


static ngx_int_t
ngx_http_iri_listing_handler(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    iri_status_t            status;
    ngx_http_iri_listing_t *listing;

    if (!ngx_http_iri_listing_applies(r)) {
        return NGX_DECLINED;
    }

    /*
     * A module has sent the header before it redirected the request here
     * (echo_exec after echo_location_async).  nginx has cleared the state of
     * its filters, so subrequests must not write: close the connection.
     */
    if (r->header_sent) {
        return NGX_ERROR;
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    listing = ngx_http_iri_listing_create(r);

    if (listing == NULL
        || ngx_http_iri_listing_set_paths(r, listing) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_iri_entries_open(r, &listing->entries);
    if (rc != NGX_OK) {
        return rc;
    }

    status = ngx_http_iri_listing_begin(r, listing);
    if (status != IRI_OK) {
        return ngx_http_iri_entries_failed(r, status);
    }

    if (r->method == NGX_HTTP_HEAD) {
        ngx_http_iri_entries_close(&listing->entries);
        return ngx_http_iri_listing_header(r, listing);
    }

    r->main->count++;
    ngx_http_iri_listing_run(r);

    return NGX_DONE;
}


/* ---- configuration ------------------------------------------------------ */

/*
 * Register the handler as the first of the array: nginx runs it last, after
 * autoindex.
 */
static ngx_int_t
ngx_http_iri_listing_register(ngx_conf_t *cf)
{
    ngx_array_t         *handlers;
    ngx_http_handler_pt *h;

    handlers = ngx_http_iri_handlers_of(cf, NGX_HTTP_CONTENT_PHASE);

    if (ngx_array_push(handlers) == NULL) {
        return NGX_ERROR;
    }

    h = handlers->elts;
    ngx_memmove(h + 1, h, (handlers->nelts - 1) * sizeof(*h));
    *h = ngx_http_iri_listing_handler;

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_listing_init(ngx_conf_t *cf)
{
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    return imcf->lists ? ngx_http_iri_listing_register(cf) : NGX_OK;
}


void
ngx_http_iri_listing_merge(const ngx_http_iri_loc_conf_t *prev,
                           ngx_http_iri_loc_conf_t       *conf,
                           ngx_http_iri_srv_conf_t       *iscf)
{
    if (conf->listing == NGX_CONF_UNSET) {
        conf->listing = prev->listing == 1;
    }

    if (conf->listing && iscf->engine != IRI_ENGINE_OFF) {
        iscf->lists = 1;
    }
}


ngx_uint_t
ngx_http_iri_may_need_listing(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return iscf->lists && r->uri.len != 0
           && r->uri.data[r->uri.len - 1] == '/'
           && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD));
}
