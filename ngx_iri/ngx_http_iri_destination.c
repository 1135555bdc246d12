/*
 * ngx_http_iri_destination.c - the Destination header (RFC 4918, 10.3)
 *
 * COPY and MOVE write to the path in the field Destination.  nginx maps this
 * path by the root of the source's location, and applies no access rule to it.
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
