/*
 * ngx_http_iri_snapshot.c - saving and restoring a request
 *
 * A request restarts if the entry has another name than the URL.  No change
 * that a rule has made may survive (design 5.6).  So the request is copied
 * before the first rule of the server runs, and restored from this copy.
 *
 * All members of ngx_http_request_t are restored, except those in which nginx
 * records the progress of the request (ngx_http_iri_keep_progress).  The
 * opposite, a list of the members that rules can change, would be a
 * vulnerability as soon as a member is missing, for example a new one of a
 * later nginx.  A member that is missing in the list of exceptions breaks the
 * first restart.
 *
 * The objects that the request points to and rules can change are copied, too:
 * the contexts of modules, variables, captures, the header fields, and the
 * address of the client, which ngx_http_realip_module changes.
 */

#include "ngx_http_iri.h"


/* ---- lists of header fields --------------------------------------------- */

static size_t
ngx_http_iri_list_size(const ngx_list_t *list)
{
    size_t                 size = 0;
    const ngx_list_part_t *part;

    for (part = &list->part; part != NULL; part = part->next) {
        size += sizeof(ngx_list_part_t) + part->nelts * list->size;
    }

    return size;
}


/* Write each part, followed by its elements.  Returns: the end of the copy. */
static u_char *
ngx_http_iri_list_save(const ngx_list_t *list, u_char *p)
{
    const ngx_list_part_t *part;

    for (part = &list->part; part != NULL; part = part->next) {
        p = ngx_cpymem(p, part, sizeof(ngx_list_part_t));

        if (part->nelts != 0) {
            p = ngx_cpymem(p, part->elts, part->nelts * list->size);
        }
    }

    return p;
}


/* Returns: the end of the copy. */
static const u_char *
ngx_http_iri_list_restore(ngx_list_t *list, const u_char *p)
{
    size_t           size;
    ngx_list_part_t *part;

    for (part = &list->part; part != NULL; part = part->next) {
        ngx_memcpy(part, p, sizeof(ngx_list_part_t));
        p += sizeof(ngx_list_part_t);
        size = part->nelts * list->size;

        if (size != 0) {
            ngx_memcpy(part->elts, p, size);
            p += size;
        }
    }

    return p;
}


/* ---- variables and captures --------------------------------------------- */

static size_t
ngx_http_iri_variables_size(ngx_http_request_t *r)
{
    ngx_http_core_main_conf_t *cmcf = ngx_http_iri_core_main_conf(r);

    return cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);
}


#if (NGX_PCRE)

/*
 * Copy the captures ($1, ...), for example those of server_name.  The copy has
 * the size that nginx allocates, since nginx writes the next match to it.
 * from: NULL if there are no captures.
 */
static ngx_int_t
ngx_http_iri_captures_copy(ngx_http_request_t *r, const int *from,
                           ngx_uint_t count, int **copy)
{
    ngx_http_core_main_conf_t *cmcf;

    *copy = NULL;

    if (from == NULL || count == 0) {
        return NGX_OK;
    }

    cmcf = ngx_http_iri_core_main_conf(r);

    *copy = ngx_pcalloc(r->pool, cmcf->ncaptures * sizeof(int));
    if (*copy == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(*copy, from, ngx_min(count, cmcf->ncaptures) * sizeof(int));

    return NGX_OK;
}

#endif


ngx_http_iri_address_t
ngx_http_iri_address(ngx_http_request_t *r)
{
    ngx_connection_t      *c = r->connection;
    ngx_http_iri_address_t address = { c->sockaddr, c->socklen,
                                       c->addr_text };

    return address;
}


void
ngx_http_iri_address_set(ngx_http_request_t           *r,
                         const ngx_http_iri_address_t *address)
{
    ngx_connection_t *c = r->connection;

    c->sockaddr = address->sockaddr;
    c->socklen = address->socklen;
    c->addr_text = address->text;
}


ngx_int_t
ngx_http_iri_variables_restore(ngx_http_request_t            *r,
                               const ngx_http_iri_snapshot_t *snapshot)
{
#if (NGX_PCRE)
    int *captures;

    if (ngx_http_iri_captures_copy(r, snapshot->captures,
                                   snapshot->request.ncaptures, &captures)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    r->captures = captures;
    r->ncaptures = snapshot->request.ncaptures;
    r->captures_data = snapshot->request.captures_data;
    r->realloc_captures = 0;
#endif

    ngx_memcpy(r->variables, snapshot->variables,
               ngx_http_iri_variables_size(r));

    return NGX_OK;
}


/* ---- the request -------------------------------------------------------- */

ngx_http_iri_snapshot_t *
ngx_http_iri_snapshot(ngx_http_request_t *r)
{
    size_t                   variables = ngx_http_iri_variables_size(r);
    size_t                   modules = ngx_http_max_module * sizeof(void *);
    u_char                  *p;
    ngx_http_iri_snapshot_t *snapshot;

    snapshot = ngx_palloc(
        r->pool, sizeof(ngx_http_iri_snapshot_t) + modules + variables
                     + ngx_http_iri_list_size(&r->headers_in.headers)
                     + ngx_http_iri_list_size(&r->headers_out.headers));
    if (snapshot == NULL) {
        return NULL;
    }

    snapshot->earlier = NULL;
    snapshot->address = ngx_http_iri_address(r);
    ngx_memcpy(&snapshot->request, r, sizeof(ngx_http_request_t));

    snapshot->ctx = (void **) (snapshot + 1);
    p = ngx_cpymem(snapshot->ctx, r->ctx, modules);

    snapshot->variables = (ngx_http_variable_value_t *) p;
    p = ngx_cpymem(p, r->variables, variables);

    snapshot->headers = p;
    p = ngx_http_iri_list_save(&r->headers_in.headers, p);
    (void) ngx_http_iri_list_save(&r->headers_out.headers, p);

#if (NGX_PCRE)
    if (ngx_http_iri_captures_copy(r, r->captures, r->ncaptures,
                                   &snapshot->captures)
        != NGX_OK)
    {
        return NULL;
    }
#endif

    return snapshot;
}


/*
 * Copy from *now to *r the members that must not be restored: the state of
 * connection, upstream, subrequests, body, limits and response, and counters of
 * nginx.
 */
static void
ngx_http_iri_keep_progress(ngx_http_request_t       *r,
                           const ngx_http_request_t *now)
{
    r->read_event_handler = now->read_event_handler;
    r->write_event_handler = now->write_event_handler;
    r->cleanup = now->cleanup;
    r->count = now->count;
    r->blocked = now->blocked;
    r->aio = now->aio;
    r->http_state = now->http_state;
    r->phase_handler = now->phase_handler;
    r->log_handler = now->log_handler;

#if (NGX_HTTP_CACHE)
    r->cache = now->cache;
#endif
    r->upstream = now->upstream;
    r->upstream_states = now->upstream_states;

    r->subrequests = now->subrequests;
    r->postponed = now->postponed;
    r->post_subrequest = now->post_subrequest;
    r->posted_requests = now->posted_requests;
    r->waited = now->waited;
    r->done = now->done;

    r->header_in = now->header_in;
    r->headers_in.content_length_n = now->headers_in.content_length_n;
    r->headers_in.chunked = now->headers_in.chunked;
    r->request_body = now->request_body;
    r->request_body_in_single_buf = now->request_body_in_single_buf;
    r->request_body_in_file_only = now->request_body_in_file_only;
    r->request_body_in_persistent_file = now->request_body_in_persistent_file;
    r->request_body_in_clean_file = now->request_body_in_clean_file;
    r->request_body_file_group_access = now->request_body_file_group_access;
    r->request_body_file_log_level = now->request_body_file_log_level;
    r->request_body_no_buffering = now->request_body_no_buffering;
    r->request_length = now->request_length;
    r->reading_body = now->reading_body;
    r->discard_body = now->discard_body;
    r->preserve_body = now->preserve_body;
    r->expect_tested = now->expect_tested;
    r->lingering_time = now->lingering_time;
    r->lingering_close = now->lingering_close;
    r->keepalive = now->keepalive;
    r->pipeline = now->pipeline;

    r->limit_conn_status = now->limit_conn_status;
    r->limit_req_status = now->limit_req_status;

    r->out = now->out;
    r->header_size = now->header_size;
    r->header_sent = now->header_sent;
    r->request_output = now->request_output;
    r->request_complete = now->request_complete;
    r->buffered = now->buffered;
    r->logged = now->logged;
    r->stat_reading = now->stat_reading;
    r->stat_writing = now->stat_writing;
}


/* The members from "state" on are those of the parser, and stay. */
ngx_int_t
ngx_http_iri_restore(ngx_http_request_t            *r,
                     const ngx_http_iri_snapshot_t *snapshot)
{
    const u_char      *p = snapshot->headers;
    ngx_http_request_t now = *r;

    ngx_memcpy(r, &snapshot->request, offsetof(ngx_http_request_t, state));
    ngx_http_iri_keep_progress(r, &now);

    p = ngx_http_iri_list_restore(&r->headers_in.headers, p);
    (void) ngx_http_iri_list_restore(&r->headers_out.headers, p);

    ngx_memcpy(r->ctx, snapshot->ctx, ngx_http_max_module * sizeof(void *));
    ngx_http_iri_address_set(r, &snapshot->address);

    return ngx_http_iri_variables_restore(r, snapshot);
}
