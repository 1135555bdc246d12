/*
 * ngx_http_iri_dav.c - WebDAV: multistatus, If, Destination, the 409 page
 *
 *   207, LOCK   ngx_http_dav_ext_module writes file names as stored on disk
 *               into href and displayname.  A body filter replaces these octets
 *               by the names of the entries, so that the XML is well-formed
 *               (iri_multistatus_... of the core).
 *   If          ngx_http_dav_ext_module compares the octets of resource tags
 *               with r->uri.  The tags are replaced by canonical paths.
 *   409         the page contains the reason why a name cannot be created.
 *
 * COPY and MOVE write to the path in the field Destination (RFC 4918, 10.3).
 * nginx maps this path by the root of the source's location, and applies no
 * access rule to it.
 *
 * In POST_READ, the path in the field is replaced by its canonical URI.  In
 * PRECONTENT, after access to the source is granted, the request is saved and
 * runs all phases again with the path of the Destination: rewrite, location,
 * access.  If access is granted, the request is restored and continues with the
 * source; else the response is that of the Destination.
 *
 * Both paths are compared on disk: nginx deletes an existing Destination, even
 * if that is the source or contains the source.
 */

#include "ngx_http_iri_dav.h"


#define NGX_HTTP_IRI_DAV_METHODS                                             \
    (NGX_HTTP_PUT | NGX_HTTP_DELETE | NGX_HTTP_MKCOL | NGX_HTTP_COPY         \
     | NGX_HTTP_MOVE | NGX_HTTP_PROPFIND | NGX_HTTP_PROPPATCH                \
     | NGX_HTTP_LOCK | NGX_HTTP_UNLOCK)

static ngx_http_output_header_filter_pt ngx_http_iri_dav_next_header;
static ngx_http_output_body_filter_pt   ngx_http_iri_dav_next_body;


/* Returns: 1 if the location serves files, without a content handler. */
static ngx_uint_t
ngx_http_iri_dav_serves_files(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    return r->content_handler == NULL && ilcf->scripted != NULL;
}


/* ---- multistatus and LOCK ----------------------------------------------- */

/* The response may be a multistatus or a lock of dav_ext. */
static ngx_int_t
ngx_http_iri_dav_header_filter(ngx_http_request_t *r)
{
    iri_env_t                env;
    ngx_uint_t               status = r->headers_out.status;
    iri_multistatus_conf_t   conf;
    ngx_http_iri_dav_ctx_t  *dav;
    ngx_http_iri_loc_conf_t *ilcf;

    static const ngx_str_t xml = ngx_string("text/xml");

    if (!((r->method == NGX_HTTP_PROPFIND && status == 207)
          || (r->method == NGX_HTTP_LOCK
              && (status == NGX_HTTP_OK || status == NGX_HTTP_CREATED)))
        || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON || r != r->main
        || r->upstream != NULL || !ngx_http_iri_dav_serves_files(r)
        || !ngx_http_iri_str_equal(r->headers_out.content_type, xml))
    {
        return ngx_http_iri_dav_next_header(r);
    }

    ilcf = ngx_http_iri_loc_conf(r);
    dav = ngx_http_iri_dav_ctx_get_or_create(r);

    ngx_memzero(&conf, sizeof(iri_multistatus_conf_t));
    conf.tree = &ilcf->tree;
    conf.base[0] = ngx_http_iri_str(r->uri);
    conf.raw = 1;

    ngx_http_iri_env(r, &env);

    if (dav == NULL
        || iri_multistatus_create(&env, &conf, &dav->multistatus) != IRI_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_clear_content_length(r);

    return ngx_http_iri_dav_next_header(r);
}


/*
 * Append the new octets for one buffer to the chain that ends at *last, in a
 * buffer for each piece.  The last one has the flags of in.
 */
static ngx_int_t
ngx_http_iri_dav_filter_buf(ngx_http_request_t *r, iri_multistatus_t *ms,
                            ngx_buf_t *in, ngx_chain_t ***last)
{
    iri_str_t    octets = { 0, NULL }, out;
    ngx_buf_t   *b;
    ngx_chain_t *cl;

    if (ngx_buf_in_memory(in)) {
        octets.data = in->pos;
        octets.len = (size_t) (in->last - in->pos);
        in->pos = in->last;
    }

    do {
        if (iri_multistatus_convert(ms, &octets, in->last_buf, &out)
            != IRI_OK) {
            return NGX_ERROR;
        }

        b = out.len != 0 ? ngx_create_temp_buf(r->pool, out.len)
                         : ngx_calloc_buf(r->pool);
        cl = ngx_alloc_chain_link(r->pool);

        if (b == NULL || cl == NULL) {
            return NGX_ERROR;
        }

        if (out.len != 0) {
            b->last = ngx_cpymem(b->last, out.data, out.len);
        } else {
            b->sync = 1;
        }

        cl->buf = b;
        cl->next = NULL;
        **last = cl;
        *last = &cl->next;
    } while (octets.len != 0);

    b->last_buf = in->last_buf;
    b->last_in_chain = in->last_in_chain;
    b->flush = in->flush;

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_dav_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_chain_t            *out = NULL, **last = &out;
    ngx_http_iri_dav_ctx_t *dav;

    dav = (r->method & (NGX_HTTP_PROPFIND | NGX_HTTP_LOCK)) && r == r->main
              ? ngx_http_get_module_ctx(r, ngx_http_iri_dav_module)
              : NULL;

    if (dav == NULL || dav->multistatus == NULL || in == NULL) {
        return ngx_http_iri_dav_next_body(r, in);
    }

    for (; in != NULL; in = in->next) {
        if (ngx_http_iri_dav_filter_buf(r, dav->multistatus, in->buf, &last)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_iri_dav_next_body(r, out);
}


/* ---- If ----------------------------------------------------------------- */

/* Callback of iri_if_field_map(). */
static iri_status_t
ngx_http_iri_tag_find(void *arg, iri_str_t sent, iri_str_t paths[2])
{
    iri_env_t                 env;
    ngx_str_t                 uri;
    iri_lookup_t             *found;
    iri_reading_t             reading;
    ngx_http_request_t       *r = arg;
    ngx_http_iri_ctx_t       *ctx = ngx_http_iri_ctx(r);
    iri_received_path_t       received;
    const iri_reading_t      *requested;
    const iri_reading_conf_t *conf = ngx_http_iri_reading_conf(r);
    ngx_http_iri_loc_conf_t  *ilcf = ngx_http_iri_loc_conf(r);

    received.path = received.target = sent;
    received.escaped = 1;

    ngx_http_iri_env(r, &env);

    if (conf == NULL || iri_read(&env, conf, &received, &reading) != IRI_OK
        || reading.verdict == IRI_REFUSE)
    {
        return IRI_OK;
    }

    paths[0] = reading.path;
    uri = ngx_http_iri_ngx_str(reading.path);

    /* A tag with the path of the request gets the reading of the request. */
    requested = ctx != NULL ? iri_request_requested_reading(ctx->request)
                            : NULL;

    if (requested != NULL
        && ngx_http_iri_str_equal(ngx_http_iri_ngx_str(requested->octets),
                                  ngx_http_iri_ngx_str(reading.octets)))
    {
        paths[0] = ngx_http_iri_str(r->uri);

    } else if (ilcf->scripted != NULL && ilcf->clcf->alias == 0
               && ngx_http_iri_uri_needs_lookup(ilcf, uri))
    {
        found = ngx_http_iri_find_uri(r, uri);
        if (found != NULL && found->found.verdict == IRI_RESTART) {
            paths[0] = found->found.path;
        }
    }

    return IRI_OK;
}


/*
 * Each location starts with the values as sent, because dav_ext needs raw tags
 * and an upstream percent-encoded ones.  dav_ext reads the value up to a NUL.
 */
ngx_int_t
ngx_http_iri_dav_map_if(ngx_http_request_t *r)
{
    iri_env_t               env;
    iri_str_t               value;
    ngx_str_t              *sent;
    ngx_uint_t              i = 0, n = 0;
    ngx_list_part_t        *part = &r->headers_in.headers.part;
    ngx_table_elt_t        *header;
    ngx_http_iri_dav_ctx_t *dav;
    iri_if_map_t            map = { ngx_http_iri_tag_find, r, 0, 0 };

    if (!(r->method & NGX_HTTP_IRI_DAV_METHODS) || r != r->main) {
        return NGX_DECLINED;
    }

    dav = ngx_http_iri_dav_ctx_get_or_create(r);
    if (dav != NULL && dav->if_values == NULL) {
        dav->if_values = ngx_array_create(r->pool, 1, sizeof(ngx_str_t));
    }

    if (dav == NULL || dav->if_values == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    map.raw = (int) ngx_http_iri_dav_serves_files(r);
    ngx_http_iri_env(r, &env);

    while ((header = ngx_http_iri_field_next(&part, &i, "If")) != NULL) {
        sent = (ngx_str_t *) dav->if_values->elts + n;

        if (n++ == dav->if_values->nelts) {
            sent = ngx_array_push(dav->if_values);
            if (sent != NULL) {
                *sent = header->value;
            }
        }

        if (sent == NULL
            || iri_if_field_map(&env, ngx_http_iri_str(*sent), &map, &value)
                   != IRI_OK)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        header->value = ngx_http_iri_ngx_str(value);
    }

    return NGX_DECLINED;
}


/* ---- the 409 page -------------------------------------------------------- */

static const char ngx_http_iri_conflict_format[] =
    "<html>" CRLF "<head><title>409 Conflict</title></head>" CRLF
    "<body>" CRLF "<center><h1>409 Conflict</h1></center>" CRLF
    "<p>%s</p>" CRLF "</body>" CRLF "</html>" CRLF;


/* Returns: 1 if error_page defines a page for 409 in this location. */
static ngx_uint_t
ngx_http_iri_conflict_has_page(ngx_http_request_t *r)
{
    ngx_uint_t                i;
    ngx_http_err_page_t      *page;
    ngx_http_core_loc_conf_t *clcf = ngx_http_iri_core_loc_conf(r);

    if (clcf->error_pages == NULL) {
        return 0;
    }

    page = clcf->error_pages->elts;

    for (i = 0; i < clcf->error_pages->nelts; i++) {
        if (page[i].status == NGX_HTTP_CONFLICT) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_http_iri_conflict(ngx_http_request_t *r, iri_why_t why)
{
    u_char                  *p;
    const char              *text = iri_conflict_text(why);
    static ngx_str_t         type = ngx_string("text/html");
    ngx_http_complex_value_t page;

    if (r != r->main || r->error_page || ngx_http_iri_conflict_has_page(r)) {
        return NGX_HTTP_CONFLICT;
    }

    p = ngx_pnalloc(r->pool,
                    sizeof(ngx_http_iri_conflict_format) + ngx_strlen(text));
    if (p == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&page, sizeof(ngx_http_complex_value_t));
    page.value.data = p;
    page.value.len = ngx_sprintf(p, ngx_http_iri_conflict_format, text) - p;

    ngx_http_finalize_request(
        r, ngx_http_send_response(r, NGX_HTTP_CONFLICT, &type, &page));

    return NGX_DONE;
}


/* ---- reading ------------------------------------------------------------ */

/* Returns: the field; NULL: none, or nginx was built without WebDAV. */
static ngx_table_elt_t *
ngx_http_iri_destination_field(ngx_http_request_t *r)
{
#if (NGX_HTTP_DAV)
    return r->headers_in.destination;
#else
    return NULL;
#endif
}


/* Returns: the path in the field, percent-encoded. */
static ngx_str_t
ngx_http_iri_destination_path(ngx_http_request_t *r)
{
    return ngx_http_iri_ngx_str(iri_destination_path(
        ngx_http_iri_str(ngx_http_iri_destination_field(r)->value)));
}


ngx_int_t
ngx_http_iri_destination_handler(ngx_http_request_t *r)
{
    iri_env_t                 env;
    iri_str_t                 value;
    ngx_str_t                 host = ngx_null_string;
    ngx_int_t                 rc;
    ngx_table_elt_t          *field = ngx_http_iri_destination_field(r);
    ngx_http_iri_dav_ctx_t   *dav;
    const iri_reading_conf_t *conf;

    if (field == NULL || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON) {
        return NGX_DECLINED;
    }

    dav = ngx_http_iri_dav_ctx_get_or_create(r);
    conf = ngx_http_iri_reading_conf(r);
    value = ngx_http_iri_str(field->value);

    /* nginx compares the host with that of the request, in A-labels. */
    if (dav == NULL || conf == NULL
        || ngx_http_iri_host_map(r, iri_destination_host(value), &host)
               == NGX_ERROR)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_env(r, &env);
    rc = iri_destination_read(&env, conf, ngx_http_iri_str(host), &value,
                              &dav->reading);
    field->value = ngx_http_iri_ngx_str(value);

    return rc == 0 ? NGX_DECLINED : rc;
}


/* ---- source and Destination on disk -------------------------------------- */

/*
 * In the source's location: check path.  judged: the result of the lookup in
 * the Destination's location, or NULL; to: its settings.  nginx copies the
 * members of a collection also with "Depth: 0".
 * Returns: NGX_DECLINED if path may be written; else the result of the phase
 * handler.
 */
static ngx_int_t
ngx_http_iri_destination_check(ngx_http_request_t *r, ngx_str_t path,
                               const iri_lookup_t    *judged,
                               const iri_tree_conf_t *to)
{
    ngx_int_t                rc;
    ngx_str_t                uri = r->uri;
    iri_env_t                env;
    iri_lookup_t            *source, *written;
    iri_transfer_t           transfer;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    source = ngx_http_iri_find(r);

    /* root may contain $uri, which nginx evaluates for the Destination. */
    r->uri = path;
    written = ngx_http_iri_find(r);
    r->uri = uri;

    if (source == NULL || written == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    transfer.path = ngx_http_iri_str(path);
    transfer.source = source->filename;
    transfer.destination = written->filename;
    transfer.members = uri.data[uri.len - 1] == '/';
    transfer.moves = r->method == NGX_HTTP_MOVE;
    transfer.from = &ilcf->tree;
    transfer.to = to;
    transfer.judged = judged;

    /* An alias with captures does not contain the path. */
    transfer.written = ilcf->clcf->alias != NGX_MAX_SIZE_T_VALUE ? written
                                                                 : NULL;

    ngx_http_iri_env(r, &env);
    rc = iri_request_transfer(&env, &transfer);

    return rc == 0 ? NGX_DECLINED
           : transfer.why != IRI_WHY_NONE
               ? ngx_http_iri_conflict(r, transfer.why)
               : rc;
}


/* ---- the rules ---------------------------------------------------------- */

/* The saved request, after access to the source was granted */
struct ngx_http_iri_source_s {
    ngx_http_iri_ctx_t       ctx;
    ngx_http_iri_snapshot_t *snapshot;
    ngx_str_t                judged; /* r->uri for the Destination */
};


/*
 * Restore the context of the source, with the events of the Destination added
 * to its log line.
 */
static void
ngx_http_iri_source_restore(ngx_http_request_t     *r,
                            ngx_http_iri_dav_ctx_t *dav)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    iri_request_take_notes(dav->source->ctx.request, ctx->request);
    *ctx = dav->source->ctx;
    dav->source = NULL;
}


void
ngx_http_iri_destination_cancel(ngx_http_request_t *r)
{
    ngx_http_iri_source_t    *source;
    ngx_http_iri_dav_ctx_t   *dav = ngx_http_iri_dav_ctx(r);
    const ngx_http_request_t *saved;

    if (dav == NULL || dav->source == NULL) {
        return;
    }

    source = dav->source;
    saved = &source->snapshot->request;

    (void) ngx_http_iri_variables_restore(r, source->snapshot);
    ngx_http_iri_address_set(r, &source->snapshot->address);
    r->limit_rate = saved->limit_rate;
    r->limit_rate_set = saved->limit_rate_set;
    r->unparsed_uri = saved->unparsed_uri;
    r->request_line = saved->request_line;

    ngx_http_iri_source_restore(r, dav);
    dav->denied = 1;

    /* If an error page has set another path, that path is kept. */
    if (ngx_http_iri_str_equal(r->uri, source->judged)) {
        r->uri = saved->uri;
        r->args = saved->args;
        r->exten = saved->exten;
        r->valid_location = saved->valid_location;
        r->valid_unparsed_uri = saved->valid_unparsed_uri;
        r->quoted_uri = saved->quoted_uri;
        r->add_uri_to_alias = saved->add_uri_to_alias;
    }
}


/*
 * Save the request, and run its phases again with the path of the Destination,
 * as if the client had sent that path.  The request starts in the state before
 * any rule, so that no permission of the source applies to the Destination.
 */
static ngx_int_t
ngx_http_iri_destination_judge_begin(ngx_http_request_t     *r,
                                     ngx_http_iri_dav_ctx_t *dav,
                                     ngx_str_t               path)
{
    void                  *request;
    ngx_http_iri_ctx_t    *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_source_t *source;

    request = ngx_palloc(r->pool, iri_request_size());
    source = ngx_palloc(r->pool, sizeof(ngx_http_iri_source_t));

    if (request == NULL || source == NULL || ctx->snapshot == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    source->snapshot = ngx_http_iri_snapshot(r);

    if (source->snapshot == NULL
        || ngx_http_iri_restore(r, ctx->snapshot) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_set_uri(r, ngx_http_iri_str(path));

    source->ctx = *ctx;
    source->judged = r->uri;
    dav->source = source;
    ctx->request = iri_request_init(request);
    iri_request_take_notes(ctx->request, source->ctx.request);
    iri_request_set_canonical(ctx->request, ngx_http_iri_str(r->uri));

    ngx_str_null(&r->args);

    if (ngx_http_iri_set_request_line(r, ngx_http_iri_destination_path(r))
        != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_rerun_phases(r);

    return NGX_DECLINED;
}


/*
 * The rules have granted access to the Destination.  Refuse it if a rule has
 * set another path, or its location has a content handler: nginx would write
 * another file than the rules have judged.  Else restore the source.
 */
static ngx_int_t
ngx_http_iri_destination_judge_end(ngx_http_request_t     *r,
                                   ngx_http_iri_dav_ctx_t *dav)
{
    ngx_int_t                rc;
    ngx_str_t                path = dav->source->judged;
    iri_env_t                env;
    iri_str_t                value;
    iri_shown_t              shown;
    iri_lookup_t            *judged;
    ngx_table_elt_t         *field;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    if (r->content_handler != NULL || !ngx_http_iri_str_equal(r->uri, path)) {
        ngx_http_iri_note(r, IRI_LOG_ERROR,
                          iri_reason_code(IRI_REASON_DESTINATION),
                          "Destination \"%s\" refused: a rule has rewritten "
                          "it, or a content handler answers",
                          iri_show(&shown, ngx_http_iri_str(path)));
        return NGX_HTTP_FORBIDDEN;
    }

    judged = ilcf->scripted != NULL
                     && ilcf->clcf->alias != NGX_MAX_SIZE_T_VALUE
                 ? ngx_http_iri_find(r)
                 : NULL;

    if (ngx_http_iri_restore(r, dav->source->snapshot) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_source_restore(r, dav);
    ngx_http_update_location_config(r);

    rc = ngx_http_iri_destination_check(r, path, judged, &ilcf->tree);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    /* dav_ext compares the path in the field with those of locks. */
    field = ngx_http_iri_destination_field(r);
    value = ngx_http_iri_str(field->value);
    ngx_http_iri_env(r, &env);

    if (iri_destination_unescape(&env, ngx_http_iri_str(path), &value)
        != IRI_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    field->value = ngx_http_iri_ngx_str(value);

    return NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_destination_judge(ngx_http_request_t *r)
{
    int                      status;
    size_t                   alias;
    ngx_str_t                path, args = ngx_null_string;
    ngx_uint_t               flags = 0;
    iri_env_t                env;
    ngx_http_iri_dav_ctx_t  *dav;
    ngx_http_iri_loc_conf_t *ilcf;

    if (r != r->main || ngx_http_iri_destination_field(r) == NULL) {
        return NGX_DECLINED;
    }

    dav = ngx_http_iri_dav_ctx_get_or_create(r);
    if (dav == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (dav->source != NULL) {
        return ngx_http_iri_destination_judge_end(r, dav);
    }

    ilcf = ngx_http_iri_loc_conf(r);

    /* A content handler, for example of a proxy, reads the field itself. */
    if (r->content_handler != NULL || ilcf->scripted == NULL) {
        return NGX_DECLINED;
    }

    if (dav->denied) {
        return NGX_HTTP_FORBIDDEN;
    }

    path = ngx_http_iri_destination_path(r);

    if (ngx_http_parse_unsafe_uri(r, &path, &args, &flags) != NGX_OK) {
        return NGX_DECLINED; /* ngx_http_dav_module refuses it */
    }

    /* nginx does not compare the prefix that alias replaces. */
    alias = ilcf->clcf->alias;
    ngx_http_iri_env(r, &env);
    status = iri_destination_check(&env, ngx_http_iri_str(r->uri),
                                   ngx_http_iri_str(path),
                                   alias != NGX_MAX_SIZE_T_VALUE ? alias : 0);

    return status != 0 ? status
                       : ngx_http_iri_destination_judge_begin(r, dav, path);
}


/* ---- filters ------------------------------------------------------------- */

/* ngx_http_iri_phases.c calls the functions for the phases. */
static ngx_int_t
ngx_http_iri_dav_init(ngx_conf_t *cf)
{
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

    if (!imcf->enabled) {
        return NGX_OK;
    }

    ngx_http_iri_dav_next_header = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_iri_dav_header_filter;
    ngx_http_iri_dav_next_body = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_iri_dav_body_filter;

    return NGX_OK;
}


/* clang-format off */

static ngx_http_module_t ngx_http_iri_dav_module_ctx = {
    .postconfiguration = ngx_http_iri_dav_init,
};


ngx_module_t ngx_http_iri_dav_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_dav_module_ctx, NULL, NULL);

/* clang-format on */
