/*
 * ngx_http_iri_listing.c - iri_listing: the page of a directory;
 *                          iri_ambiguous 300: a page of several names
 *
 * The handler of iri_listing runs in the CONTENT phase after autoindex, if no
 * index file was found.  The page lists the entries that the client may get
 * (ngx_http_iri_entries.c), at most 1,000.
 *
 * If several entries match a path equally well (design 5.4), a content handler
 * makes such a page of these.  If the client may get none, the request ends
 * with 404.
 */

#include "ngx_http_iri_listing.h"


#define NGX_HTTP_IRI_LISTING_TIMER 60000 /* ms; never expires in practice */


static void ngx_http_iri_listing_run(ngx_http_request_t *r);


/* ---- the request -------------------------------------------------------- */

/* Cancel ngx_http_iri_listing_yield(). */
static void
ngx_http_iri_listing_cancel(ngx_event_t *ev)
{
    if (ev->posted) {
        ngx_delete_posted_event(ev);
    }

    if (ev->timer_set) {
        ngx_del_timer(ev);
    }
}


/* The event handler after ngx_http_iri_listing_yield(). */
static void
ngx_http_iri_listing_resume(ngx_event_t *ev)
{
    ngx_http_request_t *r = ev->data;
    ngx_connection_t   *c = r->connection;

    ngx_http_iri_listing_cancel(ev);
    ngx_http_set_log_request(c->log, r);
    ngx_http_iri_listing_run(r);
    ngx_http_run_posted_requests(c);
}


/*
 * Let other requests run, and detect a closed connection.  The timer keeps an
 * exiting worker alive, which a posted event does not.
 */
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
    ngx_add_timer(&listing->event, NGX_HTTP_IRI_LISTING_TIMER);
}


/* Send the page.  Returns: the argument for ngx_http_finalize_request(). */
static ngx_int_t
ngx_http_iri_listing_send(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    ngx_int_t    rc;
    iri_page_t   page;
    iri_status_t status;

    ngx_http_iri_entries_close(listing);

    status = iri_listing_page(listing->page, &page);
    if (status != IRI_OK) {
        return ngx_http_iri_entries_failed(r, status);
    }

    if (page.status == NGX_HTTP_NOT_FOUND) {
        rc = ngx_http_iri_refuse_not_found(r);
        return rc != NGX_DECLINED ? rc : NGX_HTTP_NOT_FOUND;
    }

    return ngx_http_iri_send_page(r, &page);
}


/*
 * Continue to judge names.  Also the write event handler that nginx calls when
 * a subrequest has ended.
 */
static void
ngx_http_iri_listing_run(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_http_iri_listing_t *listing = ngx_http_iri_listing(r);

    rc = ngx_http_iri_entries_run(r, listing);

    if (rc == NGX_BUSY) {
        ngx_http_iri_listing_yield(r, listing);
        return;
    }

    if (rc == NGX_AGAIN) {
        r->write_event_handler = ngx_http_iri_listing_run;
        return;
    }

    /* A later write event must not run the listing again. */
    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_finalize_request(
        r, rc == NGX_OK ? ngx_http_iri_listing_send(r, listing) : rc);
}


static ngx_int_t
ngx_http_iri_listing_start(ngx_http_request_t *r)
{
    r->main->count++;
    ngx_http_iri_listing_run(r);

    return NGX_DONE;
}


/* Set name, base and rewritten of *listing. */
static ngx_int_t
ngx_http_iri_listing_set_paths(ngx_http_request_t     *r,
                               ngx_http_iri_listing_t *listing)
{
    u_char             *last;
    size_t              root;
    ngx_str_t           path;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    last = ngx_http_map_uri_to_path(r, &listing->name, &root, 1);
    if (last == NULL) {
        return NGX_ERROR;
    }

    if (last == listing->name.data || last[-1] != '/') {
        *last++ = '/';
    }
    *last = '\0';

    listing->name.len = last - listing->name.data;

    /* If a rewrite has set r->uri, links are relative to the client's path. */
    listing->base = r->uri;

    if (ctx != NULL && r == r->main && !ctx->rules.internal) {
        path = ngx_http_iri_ngx_str(iri_request_path(ctx->request, 0));

        if (path.len != 0 && path.data[path.len - 1] == '/') {
            listing->rewritten = !ngx_http_iri_str_equal(r->uri, path);
            listing->base = path;
        }
    }

    return NGX_OK;
}


static iri_status_t
ngx_http_iri_listing_begin(ngx_http_request_t     *r,
                           ngx_http_iri_listing_t *listing)
{
    iri_listing_conf_t       conf;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    conf.tree = &ilcf->tree;
    conf.reading = &iscf->reading;
    conf.root = ngx_http_iri_str(listing->name);
    conf.path = ngx_http_iri_str(listing->base);
    conf.query = ngx_http_iri_str(r->args);
    /* A client for which charsets are set would read the link differently. */
    conf.unnamed = iscf->invalid == IRI_INVALID_PASS
                   && iscf->charset_variable.name.len == 0;
    listing->serves_unnamed = conf.unnamed != 0;

    return iri_listing_begin(&listing->env, &conf, &listing->page);
}


/* The pool cleanup handler: the request may end at any time. */
static void
ngx_http_iri_listing_cleanup(void *data)
{
    ngx_http_iri_listing_t *listing = data;

    ngx_http_iri_listing_cancel(&listing->event);
    ngx_http_iri_entries_close(listing);
}


static ngx_http_iri_listing_t *
ngx_http_iri_listing_create(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t         *cln;
    ngx_http_iri_listing_ctx_t *ctx;

    ctx = ngx_http_iri_feature_ctx_get_or_create(
        r, &ngx_http_iri_listing_module, sizeof(ngx_http_iri_listing_ctx_t));
    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_iri_listing_t));
    if (ctx == NULL || cln == NULL) {
        return NULL;
    }

    ctx->listing = cln->data;
    ngx_memzero(ctx->listing, sizeof(ngx_http_iri_listing_t));
    cln->handler = ngx_http_iri_listing_cleanup;
    ngx_http_iri_env(r, &ctx->listing->env);

    return ctx->listing;
}


/*
 * Returns: 1 if r is a request in the background, as mirror makes, or one below
 * it.  Nobody reads its page, and nginx finalizes no subrequest below it, so
 * that the request of the client would not end.
 */
static ngx_uint_t
ngx_http_iri_is_background(const ngx_http_request_t *r)
{
    while (r != NULL && !r->background) {
        r = r->parent;
    }

    return r != NULL;
}


ngx_int_t
ngx_http_iri_listing_handler(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    iri_status_t              status;
    ngx_http_iri_listing_t   *listing;
    ngx_http_iri_flag_conf_t *fcf;

    fcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_listing_module);

    if (!fcf->enabled || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON
        || r->uri.data[r->uri.len - 1] != '/'
        || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
        || ngx_http_iri_is_background(r))
    {
        return NGX_DECLINED;
    }

    /*
     * A module may send the header and then make an internal redirect
     * (echo_exec after echo_location_async), for which nginx clears the
     * contexts of its filters.  Output of subrequests is then not possible.
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

    rc = ngx_http_iri_entries_open(r, listing);
    if (rc != NGX_OK) {
        return rc;
    }

    status = ngx_http_iri_listing_begin(r, listing);
    if (status != IRI_OK) {
        return ngx_http_iri_entries_failed(r, status);
    }

    return ngx_http_iri_listing_start(r);
}


/* ---- iri_ambiguous 300 --------------------------------------------------- */

/* Set *accept to the values of all fields Accept, each followed by ",". */
static ngx_int_t
ngx_http_iri_choice_accept(ngx_http_request_t *r, iri_str_t *accept)
{
    u_char          *p;
    ngx_uint_t       i = 0;
    ngx_list_part_t *part = &r->headers_in.headers.part;
    ngx_table_elt_t *h;

    accept->data = (u_char *) "";
    accept->len = 0;

    while ((h = ngx_http_iri_field_next(&part, &i, "Accept")) != NULL) {
        p = ngx_pnalloc(r->pool, accept->len + h->value.len + 1);
        if (p == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(p, accept->data, accept->len);
        ngx_memcpy(p + accept->len, h->value.data, h->value.len);
        accept->data = p;
        accept->len += h->value.len;
        p[accept->len++] = ',';
    }

    return NGX_OK;
}


/* The content handler. */
static ngx_int_t
ngx_http_iri_choice_handler(ngx_http_request_t *r)
{
    iri_lookup_t           *found = ngx_http_iri_find(r);
    iri_choices_t           choices;
    ngx_http_iri_listing_t *listing = ngx_http_iri_listing_create(r);

    r->content_handler = NULL;

    if (found == NULL || listing == NULL
        || ngx_http_iri_choice_accept(r, &choices.accept) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    choices.asked = found->found.path;
    choices.has_query = ngx_http_iri_sent_query(r, &choices.query) != 0;
    choices.paths = found->found.choices;
    choices.count = found->found.count;
    choices.more = found->found.more;
    listing->judging = 1;

    return iri_choices_begin(&listing->env, &choices, &listing->page)
                   == IRI_OK
               ? ngx_http_iri_listing_start(r)
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/*
 * Only the main request gets a list, and only if its path was not rewritten:
 * the list would disclose the path that a rule has set, or that of a
 * subrequest.  Under alias with captures, the candidates are not paths of
 * requests.  If there is a listing, the client may get none of them.
 */
ngx_int_t
ngx_http_iri_choice(ngx_http_request_t *r, const iri_lookup_t *found)
{
    ngx_http_iri_ctx_t      *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    if (found->found.verdict != IRI_CHOOSE || found->found.count == 0
        || ilcf->clcf->alias == NGX_MAX_SIZE_T_VALUE || r != r->main
        || r->internal || r->content_handler != NULL || ctx->snapshot == NULL
        || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
        || ngx_http_iri_listing(r) != NULL)
    {
        return NGX_DECLINED;
    }

    r->content_handler = ngx_http_iri_choice_handler;

    return NGX_OK;
}


/* ---- the module ---------------------------------------------------------- */

static char *
ngx_http_iri_listing_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_iri_srv_conf_t  *iscf = ngx_http_iri_conf_srv(cf);
    ngx_http_iri_flag_conf_t *conf = child;

    (void) ngx_http_iri_flag_merge(cf, parent, child);
    iscf->needs_snapshot |= conf->enabled;

    return NGX_CONF_OK;
}


/* clang-format off */

static ngx_command_t ngx_http_iri_listing_commands[] = {

    { ngx_string("iri_listing"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_http_iri_set_flag,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_iri_flag_conf_t, enabled),
      NULL },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_listing_module_ctx = {
    .create_loc_conf = ngx_http_iri_flag_create,
    .merge_loc_conf = ngx_http_iri_listing_merge_loc_conf,
};


ngx_module_t ngx_http_iri_listing_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_listing_module_ctx, ngx_http_iri_listing_commands, NULL);

/* clang-format on */
