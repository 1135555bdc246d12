/*
 * ngx_http_iri_dav.c - WebDAV: multistatus, If, the 409 page
 *
 *   207, LOCK   ngx_http_dav_ext_module writes file names as stored on disk
 *               into href and displayname.  A body filter replaces these octets
 *               by the names of the entries, so that the XML is well-formed
 *               (iri_multistatus_... of the core).
 *   If          ngx_http_dav_ext_module compares the octets of resource tags
 *               with r->uri.  The tags are replaced by canonical paths.
 *
 *   409         the page contains the reason why a name cannot be created.
 *
 * ngx_http_iri_destination.c reads and judges the Destination.
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
