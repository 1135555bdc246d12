/*
 * ngx_http_iri_dav.c - WebDAV: multistatus, If, 409 pages
 *
 *   207, LOCK   ngx_http_dav_ext_module writes octets of the disk into href
 *               and displayname.  A body filter replaces them by the names of
 *               the entries, so that the XML is well-formed (the core's
 *               iri_multistatus_*)
 *   If          ngx_http_dav_ext_module compares resource tags octet for octet
 *               with r->uri: they are replaced by canonical paths
 *   409         a page with the reason why a name cannot be created
 *
 * ngx_http_iri_destination.c reads and judges the Destination.
 */

#include "ngx_http_iri_dav.h"


/* An If field and its value as sent. */
typedef struct {
    ngx_table_elt_t *header;
    ngx_str_t        value;
} ngx_http_iri_if_t;

/* The output chain of one call of the body filter. */
typedef struct {
    ngx_http_request_t *r;
    ngx_chain_t        *first;
    ngx_chain_t       **last;
    ngx_buf_t          *buf;
} ngx_http_iri_sink_t;

/* How the tags of the If fields are written. */
typedef struct {
    ngx_http_request_t *r;
    ngx_uint_t          raw;    /* 1: unescaped, as dav_ext compares them */
    ngx_uint_t          mapped; /* number of tags mapped so far */
} ngx_http_iri_tags_t;

#define NGX_HTTP_IRI_DAV_BUFFER 16384
#define NGX_HTTP_IRI_MAX_TAGS   8

#define NGX_HTTP_IRI_DAV_METHODS                                             \
    (NGX_HTTP_PUT | NGX_HTTP_DELETE | NGX_HTTP_MKCOL | NGX_HTTP_COPY         \
     | NGX_HTTP_MOVE | NGX_HTTP_PROPFIND | NGX_HTTP_PROPPATCH                \
     | NGX_HTTP_LOCK | NGX_HTTP_UNLOCK)

static ngx_http_output_header_filter_pt ngx_http_iri_dav_next_header;
static ngx_http_output_body_filter_pt   ngx_http_iri_dav_next_body;


static ngx_int_t ngx_http_iri_dav_init(ngx_conf_t *cf);


/* clang-format off */

static ngx_http_module_t ngx_http_iri_dav_module_ctx = {
    NULL,                                  /* preconfiguration */
    ngx_http_iri_dav_init,                 /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t ngx_http_iri_dav_module = {
    NGX_MODULE_V1,
    &ngx_http_iri_dav_module_ctx,          /* module context */
    NULL,                                  /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};

/* clang-format on */


/* Does this location serve files, rather than a content handler? */
static ngx_uint_t
ngx_http_iri_dav_serves_files(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return r->content_handler == NULL && ilcf->plain != NULL;
}


/* ---- multistatus and LOCK ----------------------------------------------- */

/* Is the response XML of dav_ext with names: a multistatus or a lock? */
static ngx_uint_t
ngx_http_iri_dav_has_names(ngx_http_request_t *r)
{
    static const ngx_str_t xml = ngx_string("text/xml");
    ngx_uint_t             status = r->headers_out.status;

    return r == r->main && r->upstream == NULL
           && ((r->method == NGX_HTTP_PROPFIND && status == 207)
               || (r->method == NGX_HTTP_LOCK
                   && (status == NGX_HTTP_OK || status == NGX_HTTP_CREATED)))
           && ngx_http_iri_same(r->headers_out.content_type, xml)
           && ngx_http_iri_dav_serves_files(r);
}


static ngx_int_t
ngx_http_iri_dav_begin(ngx_http_request_t *r)
{
    iri_multistatus_conf_t   conf;
    ngx_http_iri_dav_ctx_t  *dav = ngx_http_iri_dav_ctx_get_or_create(r);
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    ngx_memzero(&conf, sizeof(iri_multistatus_conf_t));
    conf.tree = &ilcf->tree;
    conf.raw = 1;

    /* Paths below the collection begin with the path and "/". */
    conf.base[0] = ngx_http_iri_str(r->uri);

    if (dav == NULL || ngx_http_iri_add_slash(r, &conf.base[0]) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_iri_env(r, &dav->env);

    return iri_multistatus_create(&dav->env, &conf, &dav->answer) == IRI_OK
               ? NGX_OK
               : NGX_ERROR;
}


static ngx_int_t
ngx_http_iri_dav_header_filter(ngx_http_request_t *r)
{
    if ((r->method & (NGX_HTTP_PROPFIND | NGX_HTTP_LOCK))
        && ngx_http_iri_engine_of(r) == IRI_ENGINE_ON
        && ngx_http_iri_dav_has_names(r))
    {
        if (ngx_http_iri_dav_begin(r) != NGX_OK) {
            return NGX_ERROR;
        }

        ngx_http_clear_content_length(r);
    }

    return ngx_http_iri_dav_next_header(r);
}


/* Append a buffer; buf may be NULL.  Returns buf, NULL without memory. */
static ngx_buf_t *
ngx_http_iri_sink_add(ngx_http_iri_sink_t *sink, ngx_buf_t *buf)
{
    ngx_chain_t *cl;

    cl = ngx_alloc_chain_link(sink->r->pool);
    if (cl == NULL || buf == NULL) {
        return NULL;
    }

    cl->buf = buf;
    cl->next = NULL;
    *sink->last = cl;
    sink->last = &cl->next;

    return buf;
}


static iri_status_t
ngx_http_iri_sink_put(void *arg, const unsigned char *data, size_t len)
{
    size_t               n;
    ngx_http_iri_sink_t *sink = arg;

    while (len != 0) {
        if (sink->buf == NULL || sink->buf->last == sink->buf->end) {
            sink->buf = ngx_http_iri_sink_add(
                sink,
                ngx_create_temp_buf(sink->r->pool, NGX_HTTP_IRI_DAV_BUFFER));
            if (sink->buf == NULL) {
                return IRI_NO_MEMORY;
            }
        }

        n = ngx_min(len, (size_t) (sink->buf->end - sink->buf->last));
        sink->buf->last = ngx_cpymem(sink->buf->last, data, n);
        data += n;
        len -= n;
    }

    return IRI_OK;
}


/* Filter one buffer of the response, and pass its flags on. */
static ngx_int_t
ngx_http_iri_dav_filter_buf(ngx_http_iri_dav_ctx_t *dav,
                            ngx_http_iri_sink_t *sink, ngx_buf_t *in)
{
    iri_str_t  octets;
    ngx_buf_t *b;

    if (ngx_buf_in_memory(in)) {
        octets.data = in->pos;
        octets.len = (size_t) (in->last - in->pos);

        if (iri_multistatus_feed(dav->answer, octets, ngx_http_iri_sink_put,
                                 sink)
            != IRI_OK)
        {
            return NGX_ERROR;
        }

        in->pos = in->last;
    }

    if (!in->last_buf && !in->flush) {
        return NGX_OK;
    }

    if (in->last_buf
        && iri_multistatus_end(dav->answer, ngx_http_iri_sink_put, sink)
               != IRI_OK)
    {
        return NGX_ERROR;
    }

    b = ngx_http_iri_sink_add(sink, ngx_calloc_buf(sink->r->pool));
    if (b == NULL) {
        return NGX_ERROR;
    }

    b->last_buf = in->last_buf;
    b->last_in_chain = in->last_in_chain;
    b->flush = in->flush;
    sink->buf = NULL;

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_dav_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_iri_sink_t     sink;
    ngx_http_iri_dav_ctx_t *dav;

    dav = (r->method & (NGX_HTTP_PROPFIND | NGX_HTTP_LOCK)) && r == r->main
              ? ngx_http_get_module_ctx(r, ngx_http_iri_dav_module)
              : NULL;

    if (dav == NULL || dav->answer == NULL || in == NULL) {
        return ngx_http_iri_dav_next_body(r, in);
    }

    sink.r = r;
    sink.first = NULL;
    sink.last = &sink.first;
    sink.buf = NULL;

    for (; in != NULL; in = in->next) {
        if (ngx_http_iri_dav_filter_buf(dav, &sink, in->buf) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return sink.first != NULL ? ngx_http_iri_dav_next_body(r, sink.first)
                              : NGX_OK;
}


/* ---- If ----------------------------------------------------------------- */

/* The canonical path of a tag.  NGX_OK; NGX_DECLINED: no reading; NGX_ERROR. */
static ngx_int_t
ngx_http_iri_tag_path(ngx_http_request_t *r, iri_str_t sent, iri_str_t *path)
{
    iri_env_t                 env;
    ngx_str_t                 uri;
    iri_received_path_t       request;
    iri_reading_t             reading;
    ngx_http_iri_ctx_t       *ctx = ngx_http_iri_ctx(r);
    iri_lookup_t             *found;
    const iri_reading_t      *requested;
    ngx_http_iri_loc_conf_t  *ilcf;
    const iri_reading_conf_t *conf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    conf = ngx_http_iri_reading_conf(r);
    if (conf == NULL) {
        return NGX_ERROR;
    }

    request.path = sent;
    request.target = sent;
    request.escaped = 1;

    ngx_http_iri_env(r, &env);

    if (iri_read(&env, conf, &request, &reading) != IRI_OK
        || reading.verdict == IRI_REFUSE)
    {
        return NGX_DECLINED;
    }

    *path = reading.path;

    /* The octets of the request's own path have the same reading as there. */
    requested = ctx != NULL ? iri_request_requested_reading(ctx->request)
                            : NULL;

    if (requested != NULL
        && ngx_http_iri_same(ngx_http_iri_ngx_str(requested->octets),
                             ngx_http_iri_ngx_str(reading.octets)))
    {
        *path = ngx_http_iri_str(r->uri);
        return NGX_OK;
    }

    uri = ngx_http_iri_ngx_str(reading.path);

    if (ilcf->plain == NULL || ilcf->plain->alias != 0
        || ngx_http_iri_needs_no_lookup(ilcf, uri))
    {
        return NGX_OK;
    }

    found = ngx_http_iri_find_uri(r, uri);
    if (found != NULL && found->found.verdict == IRI_RESTART) {
        *path = found->found.path;
    }

    return NGX_OK;
}


/* Callback of iri_if_field_map(): paths[0] replaces the path of a tag. */
static iri_status_t
ngx_http_iri_tag_map(void *arg, iri_str_t path, iri_str_t paths[2])
{
    iri_env_t            env;
    iri_str_t            canonical;
    ngx_http_iri_tags_t *tags = arg;

    if ((!tags->raw && iri_path_is_ascii(path, 1))
        || tags->mapped == NGX_HTTP_IRI_MAX_TAGS)
    {
        return IRI_OK;
    }

    tags->mapped++;

    if (ngx_http_iri_tag_path(tags->r, path, &canonical) != NGX_OK) {
        return IRI_OK;
    }

    /* dav_ext ends a tag at the first ">": write such a path escaped. */
    if (tags->raw && memchr(canonical.data, '>', canonical.len) == NULL) {
        paths[0] = canonical;
        return IRI_OK;
    }

    ngx_http_iri_env(tags->r, &env);

    return iri_path_to_uri(&env, canonical, &paths[0]);
}


/* Collect the If fields and their values as sent. */
static ngx_int_t
ngx_http_iri_if_collect(ngx_http_request_t *r, ngx_http_iri_dav_ctx_t *dav)
{
    ngx_uint_t         i;
    ngx_list_part_t   *part;
    ngx_table_elt_t   *header;
    ngx_http_iri_if_t *field;

    dav->if_fields = ngx_array_create(r->pool, 1, sizeof(ngx_http_iri_if_t));
    if (dav->if_fields == NULL) {
        return NGX_ERROR;
    }

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        header = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (header[i].key.len != 2
                || ngx_strncasecmp(header[i].key.data, (u_char *) "if", 2)
                       != 0)
            {
                continue;
            }

            field = ngx_array_push(dav->if_fields);
            if (field == NULL) {
                return NGX_ERROR;
            }

            field->header = &header[i];
            field->value = header[i].value;
        }
    }

    return NGX_OK;
}


/*
 * Replace the resource tags of the If header by the form with which WebDAV
 * modules compare them.  Runs in each location, behind the rules, on the values
 * as sent.  Backends get tags that are canonical and percent-encoded.  dav_ext
 * reads the value up to a NUL.
 */
static ngx_int_t
ngx_http_iri_dav_map_if(ngx_http_request_t *r)
{
    iri_env_t               env;
    iri_str_t               value;
    ngx_str_t               none = ngx_null_string;
    ngx_uint_t              i;
    ngx_http_iri_if_t      *field;
    ngx_http_iri_dav_ctx_t *dav;
    ngx_http_iri_tags_t     tags;

    if (!(r->method & NGX_HTTP_IRI_DAV_METHODS) || r != r->main
        || r->uri_changed || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON)
    {
        return NGX_DECLINED;
    }

    dav = ngx_http_iri_dav_ctx_get_or_create(r);
    if (dav == NULL
        || (dav->if_fields == NULL
            && ngx_http_iri_if_collect(r, dav) != NGX_OK))
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_env(r, &env);
    field = dav->if_fields->elts;

    tags.r = r;
    tags.raw = ngx_http_iri_dav_serves_files(r);
    tags.mapped = 0;

    for (i = 0; i < dav->if_fields->nelts; i++) {
        if (iri_if_field_map(&env, ngx_http_iri_str(field[i].value),
                             ngx_http_iri_tag_map, &tags, &value)
                != IRI_OK
            || ngx_http_iri_join(r->pool, none, ngx_http_iri_ngx_str(value),
                                 &field[i].header->value)
                   != NGX_OK)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    return NGX_DECLINED;
}


/* ---- handlers and filters ----------------------------------------------- */

/* A rewrite does not lead here: it is an error page, not a Destination. */
static ngx_int_t
ngx_http_iri_dav_server_rewrite(ngx_http_request_t *r)
{
    if (r->internal) {
        ngx_http_iri_destination_cancel(r);
    }

    return NGX_DECLINED;
}


/* A named location is an error page or a fallback, never a Destination. */
static ngx_int_t
ngx_http_iri_dav_rewrite(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->named) {
        ngx_http_iri_destination_cancel(r);
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_dav_log(ngx_http_request_t *r)
{
    ngx_http_iri_destination_cancel(r);

    return NGX_OK;
}


/* The handlers run before those of the base module; map_if runs behind them. */
static ngx_int_t
ngx_http_iri_dav_init(ngx_conf_t *cf)
{
    static const ngx_http_iri_handler_t table[] = {
        { NGX_HTTP_POST_READ_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_destination_handler },
        { NGX_HTTP_SERVER_REWRITE_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_dav_server_rewrite },
        { NGX_HTTP_REWRITE_PHASE, NGX_HTTP_IRI_AT_END,
          ngx_http_iri_dav_rewrite },
        { NGX_HTTP_REWRITE_PHASE, NGX_HTTP_IRI_AT_START,
          ngx_http_iri_dav_map_if },
        { NGX_HTTP_LOG_PHASE, NGX_HTTP_IRI_AT_START, ngx_http_iri_dav_log },
    };

    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    if (!imcf->switched_on) {
        return NGX_OK;
    }

    ngx_http_iri_dav_next_header = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_iri_dav_header_filter;
    ngx_http_iri_dav_next_body = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_iri_dav_body_filter;

    return ngx_http_iri_register(cf, table, sizeof(table) / sizeof(table[0]));
}
