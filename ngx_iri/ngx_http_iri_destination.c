/*
 * ngx_http_iri_destination.c - the Destination header (RFC 4918, 10.3)
 *
 * COPY and MOVE write where their Destination says; nginx maps it to the disk
 * by the root of the source's location, and asks no rule whether the client
 * may write there.  Here the header is put in canonical form before any rule
 * sees the request, and once the source's own rules have let the client in,
 * the request goes through all rules once more under the name of its
 * Destination: rewrite, location, access, in the order in which nginx has
 * them.  What comes out of that is where it was before, or refused.
 */

#include "ngx_http_iri.h"


#if (NGX_HTTP_DAV)

/* ---- reading ------------------------------------------------------------ */

/*
 * Where the path is in "/path" or "scheme://host/path": as in
 * ngx_http_dav_module, which unescapes it itself, and to which "#" is a
 * character like others.
 */
static iri_str_t
ngx_http_iri_destination_path(ngx_str_t value)
{
    u_char   *p, *last, *end;
    iri_str_t path = { 0, NULL };

    p = value.data;
    end = value.data + value.len;

    if (value.len != 0 && *p != '/') {
        p = ngx_strlcasestrn(p, end, (u_char *) "://", sizeof("://") - 2);
        p = p != NULL ? ngx_strlchr(p + sizeof("://") - 1, end, '/') : NULL;
    }

    if (p == NULL || p == end) {
        return path;
    }

    last = ngx_strlchr(p, end, '?');

    path.data = p;
    path.len = (last != NULL ? last : end) - p;

    return path;
}


/* Its host in "scheme://host/path"; empty in "/path". */
static iri_str_t
ngx_http_iri_destination_host(ngx_str_t value)
{
    u_char   *p, *last, *end;
    iri_str_t authority = { 0, NULL };

    p = value.data;
    end = value.data + value.len;

    if (value.len != 0 && *p != '/') {
        p = ngx_strlcasestrn(p, end, (u_char *) "://", sizeof("://") - 2);
        p = p != NULL ? p + sizeof("://") - 1 : NULL;
        last = p != NULL ? ngx_strlchr(p, end, '/') : NULL;

        if (last != NULL) {
            authority.data = p;
            authority.len = (size_t) (last - p);
        }
    }

    return iri_authority_host(authority);
}


/* Put uri in the place of path, which is a part of the header's value. */
static ngx_int_t
ngx_http_iri_destination_set(ngx_http_request_t *r, ngx_str_t *value,
                             iri_str_t path, iri_str_t uri)
{
    size_t  before, after;
    u_char *data, *p;

    before = path.data - value->data;
    after = value->len - before - path.len;

    data = ngx_pnalloc(r->pool, before + uri.len + after + 1);
    if (data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(data, value->data, before);
    p = ngx_cpymem(p, uri.data, uri.len);
    p = ngx_cpymem(p, path.data + path.len, after);
    *p = '\0';

    value->data = data;
    value->len = p - data;

    return NGX_OK;
}


/* nginx compares it with the host of the request, which is A-labels, too. */
static ngx_int_t
ngx_http_iri_destination_map(ngx_http_request_t *r, ngx_str_t *value)
{
    ngx_int_t rc;
    ngx_str_t name;
    iri_str_t host = ngx_http_iri_destination_host(*value);

    rc = ngx_http_iri_host_map(r, host, &name);

    return rc == NGX_OK ? ngx_http_iri_destination_set(r, value, host,
                                                       ngx_http_iri_in(name))
                        : rc;
}


/* What is read of it.  nginx would pass over a bad escape. */
static ngx_int_t
ngx_http_iri_destination_read(ngx_http_request_t *r, iri_str_t path,
                              iri_reading_t *reading)
{
    iri_env_t                 env;
    iri_status_t              status;
    iri_request_t             request;
    const iri_reading_conf_t *conf;

    conf = ngx_http_iri_reading_conf(r);
    if (conf == NULL) {
        return NGX_ERROR;
    }

    request.path = path;
    request.target = path;
    request.escaped = 1;

    ngx_http_iri_env(r, &env);
    status = iri_read(&env, conf, &request, reading);

    if (status == IRI_BAD_ESCAPE) {
        return NGX_HTTP_BAD_REQUEST;
    }

    return status == IRI_OK ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_http_iri_destination(ngx_http_request_t *r)
{
    ngx_int_t           rc;
    ngx_str_t          *value;
    iri_str_t           path;
    iri_reading_t       reading;
    ngx_http_iri_ctx_t *ctx;

    if (r->headers_in.destination == NULL) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx_make(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    value = &r->headers_in.destination->value;

    if (ngx_http_iri_destination_map(r, value) == NGX_ERROR) {
        return NGX_ERROR;
    }

    path = ngx_http_iri_destination_path(*value);

    if (iri_path_is_ascii(path, 1)) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_destination_read(r, path, &reading);
    if (rc != NGX_OK) {
        return rc;
    }

    if (reading.verdict == IRI_REFUSE) {
        return ngx_http_iri_refuse(r, &reading, "Destination",
                                   ngx_http_iri_out(reading.octets));
    }

    ctx->destination = reading;
    ctx->has_destination = 1;

    return reading.verdict == IRI_SERVE
               ? ngx_http_iri_destination_set(r, value, path, reading.uri)
               : NGX_DECLINED;
}


/* ---- what can be seen of it without its rules --------------------------- */

/*
 * alias stands for so many octets, whichever they are: so nginx has it.  Here
 * they are those of the source, so that the rules judge what is written to.
 */
static ngx_uint_t
ngx_http_iri_destination_fits(ngx_http_request_t *r, ngx_str_t path,
                              size_t alias)
{
    return alias == NGX_MAX_SIZE_T_VALUE
           || (path.len >= alias && r->uri.len >= alias
               && ngx_memcmp(path.data, r->uri.data, alias) == 0);
}


/*
 * nginx compares the ends of the source and of the whole header, query and
 * all, and forgets a "/" at the end of what it writes.
 */
static ngx_uint_t
ngx_http_iri_destination_ends(ngx_http_request_t *r, ngx_str_t path)
{
    return (path.data[path.len - 1] == '/')
           == (r->uri.len != 0 && r->uri.data[r->uri.len - 1] == '/');
}


static ngx_int_t
ngx_http_iri_destination_refuse(ngx_http_request_t *r, ngx_int_t rc,
                                const char *why)
{
    iri_shown_t shown;

    iri_show_sent(&shown, ngx_http_iri_in(r->headers_in.destination->value));

    ngx_http_iri_note(r, IRI_LOG_ERROR,
                      iri_reason_code(IRI_REASON_DESTINATION),
                      "Destination \"%s\" refused: %s", shown.text, why);

    return rc;
}


/*
 * What has another canonical path cannot be written as it is, and writing to
 * the other would surprise: it may be what is copied.  Nor is a second name
 * made beside one that answers to it.  NGX_DECLINED: it may be written.
 */
static ngx_int_t
ngx_http_iri_destination_found(ngx_http_request_t   *r,
                               ngx_http_iri_found_t *asked)
{
    iri_found_t found;

    if (asked == NULL) {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_dav_twin(r, asked, &found) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (found.verdict == IRI_RESTART) {
        return ngx_http_iri_destination_refuse(
            r, NGX_HTTP_CONFLICT, "it is another name of what is there");
    }

    if (iri_is_conflict(&found)) {
        (void) ngx_http_iri_destination_refuse(r, NGX_HTTP_CONFLICT,
                                               iri_why_text(found.why));
        return ngx_http_iri_conflict(r, found.why);
    }

    return NGX_DECLINED;
}


/* As the location that the request is in reads and writes names. */
static ngx_http_iri_found_t *
ngx_http_iri_destination_look(ngx_http_request_t *r, ngx_str_t path)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* Where alias has captures, it says all of the name. */
    return ilcf->plain != NULL && ilcf->plain->alias != NGX_MAX_SIZE_T_VALUE
                   && iri_needs_lookup(&ilcf->any, ngx_http_iri_in(path))
               ? ngx_http_iri_find_uri(r, path)
               : NULL;
}


/*
 * The octets of a name below root; those of the whole path or of a part of
 * it, as alias has it.
 */
static iri_str_t
ngx_http_iri_destination_octets(const ngx_http_iri_found_t *found)
{
    iri_str_t octets = found->found.filename;
    size_t    root = ngx_min(found->search.root.len, octets.len);

    octets.data += root;
    octets.len -= root;

    return octets;
}


/*
 * The source's location says how names are written, for nginx writes there;
 * rules have judged a name of the Destination's.  Are the octets the same?
 */
static ngx_uint_t
ngx_http_iri_destination_agrees(const ngx_http_iri_found_t *written,
                                const ngx_http_iri_found_t *judged)
{
    iri_str_t a, b;
    size_t    len;

    if (written == NULL || judged == NULL) {
        return 1;
    }

    if (judged->found.verdict != IRI_PASS
        && judged->found.verdict != IRI_SERVE) {
        return 0;
    }

    a = ngx_http_iri_destination_octets(written);
    b = ngx_http_iri_destination_octets(judged);
    len = ngx_min(a.len, b.len);

    if (len == 0) {
        return a.len == b.len;
    }

    return ngx_memcmp(a.data + a.len - len, b.data + b.len - len, len) == 0;
}


/* In the source's location again: judged is what was found in the other. */
static ngx_int_t
ngx_http_iri_destination_free(ngx_http_request_t *r, ngx_str_t path,
                              ngx_http_iri_found_t *judged)
{
    ngx_int_t             rc;
    ngx_http_iri_found_t *written = ngx_http_iri_destination_look(r, path);

    rc = ngx_http_iri_destination_found(r, written);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_iri_destination_found(r, judged);
    }

    return rc != NGX_DECLINED
                   || ngx_http_iri_destination_agrees(written, judged)
               ? rc
               : ngx_http_iri_destination_refuse(
                   r, NGX_HTTP_CONFLICT,
                   "it would get another name where it is written");
}


/* nginx would delete what is at the Destination, and so the source. */
static ngx_int_t
ngx_http_iri_destination_apart(ngx_http_request_t *r, ngx_str_t path)
{
    iri_relation_t relation;

    if (ngx_http_iri_dav_relation(r, path, &relation) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    switch (relation) {
    case IRI_RELATION_SAME:
        return ngx_http_iri_destination_refuse(r, NGX_HTTP_FORBIDDEN,
                                               "it is the source");
    case IRI_RELATION_INSIDE:
        return ngx_http_iri_destination_refuse(r, NGX_HTTP_FORBIDDEN,
                                               "it is inside the source");
    case IRI_RELATION_PARENT:
        return ngx_http_iri_destination_refuse(r, NGX_HTTP_FORBIDDEN,
                                               "it contains the source");
    default:
        return NGX_DECLINED;
    }
}


/*
 * nginx copies a collection with the octets of all that is in it, but for
 * Depth 0, which takes nothing of that.  to: the tree of the Destination.
 */
static ngx_int_t
ngx_http_iri_destination_keeps(ngx_http_request_t    *r,
                               const iri_tree_conf_t *to)
{
    ngx_table_elt_t         *depth = r->headers_in.depth;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (r->uri.data[r->uri.len - 1] != '/'
        || (depth != NULL && depth->value.len == 1
            && depth->value.data[0] == '0')
        || iri_tree_preserves_names(&ilcf->tree, to))
    {
        return NGX_DECLINED;
    }

    (void) ngx_http_iri_destination_refuse(r, NGX_HTTP_CONFLICT,
                                           iri_why_text(IRI_WHY_OTHER_TREE));

    return ngx_http_iri_conflict(r, IRI_WHY_OTHER_TREE);
}


/* Nothing that the disk tells: the rules have not yet been asked. */
static ngx_int_t
ngx_http_iri_destination_check(ngx_http_request_t *r, ngx_str_t path,
                               size_t alias)
{
    if (!iri_is_new_path(ngx_http_iri_in(path))
        || !ngx_http_iri_destination_fits(r, path, alias))
    {
        return ngx_http_iri_destination_refuse(r, NGX_HTTP_BAD_REQUEST,
                                               "it is invalid");
    }

    return ngx_http_iri_destination_ends(r, path)
               ? NGX_DECLINED
               : ngx_http_iri_destination_refuse(
                   r, NGX_HTTP_CONFLICT,
                   "it and the source must both be collections or both not");
}


/* ---- the rules ---------------------------------------------------------- */

/* Into how many locations a request may be led that each write elsewhere. */
#define NGX_HTTP_IRI_MAX_JUDGED 4

/* The source, as its own rules have left it. */
struct ngx_http_iri_source_s {
    ngx_http_iri_ctx_t      ctx;
    ngx_http_iri_snapshot_t snapshot;
    ngx_str_t               judged; /* the Destination, in its place */
};


static void
ngx_http_iri_source_back(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    ngx_uint_t             judged = ctx->judged;
    ngx_http_iri_source_t *source = ctx->source;

    *ctx = source->ctx;
    ctx->judged = judged;
    ctx->judged_for = source->snapshot.request.loc_conf;

    ngx_http_update_location_config(r);
}


void
ngx_http_iri_destination_over(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t       *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_source_t    *source = ctx != NULL ? ctx->source : NULL;
    const ngx_http_request_t *was;

    if (source == NULL) {
        return;
    }

    was = &source->snapshot.request;

    (void) ngx_http_iri_variables_restore(r, &source->snapshot);
    ngx_http_iri_address_put(r, &source->snapshot.address);
    r->limit_rate = was->limit_rate;
    r->limit_rate_set = was->limit_rate_set;
    r->unparsed_uri = was->unparsed_uri;
    r->request_line = was->request_line;

    *ctx = source->ctx;
    ctx->denied = 1;

    /* A page of its own path keeps that. */
    if (ngx_http_iri_same(r->uri, source->judged)) {
        r->uri = was->uri;
        r->args = was->args;
        r->exten = was->exten;
        r->valid_location = was->valid_location;
        r->valid_unparsed_uri = was->valid_unparsed_uri;
        r->quoted_uri = was->quoted_uri;
        r->add_uri_to_alias = was->add_uri_to_alias;
    }
}


/*
 * As if the client had sent this path: the request is as it was before any
 * rule ran, so that nothing that was granted to the source is granted to its
 * Destination.
 */
static ngx_int_t
ngx_http_iri_judge(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                   ngx_str_t path)
{
    ngx_http_iri_source_t *source;

    if (ctx->judged++ == NGX_HTTP_IRI_MAX_JUDGED || ctx->snapshot == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    source = ngx_palloc(r->pool, sizeof(ngx_http_iri_source_t));

    if (source == NULL
        || ngx_http_iri_snapshot(r, &source->snapshot) != NGX_OK
        || ngx_http_iri_restore(r, ctx->snapshot) != NGX_OK
        || ngx_http_iri_set_uri(r, ngx_http_iri_in(path)) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    source->ctx = *ctx;
    source->judged = r->uri;
    ctx->source = source;
    ctx->read_uri = r->uri;
    ctx->canonical = r->uri;
    ctx->refused = 0;

    ngx_str_null(&r->args);
    r->unparsed_uri = ngx_http_iri_out(
        ngx_http_iri_destination_path(r->headers_in.destination->value));

    if (ngx_http_iri_make_line(r->pool, r->method_name, r->unparsed_uri,
                               r->http_protocol, &r->request_line)
        != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_from_the_start(r);

    return NGX_DECLINED;
}


/*
 * All rules have let the Destination pass.  Not where they have made another
 * path of it, nor where something else than nginx's own files is: neither is
 * what would be written to.
 */
static ngx_int_t
ngx_http_iri_judged(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    ngx_int_t                rc;
    ngx_str_t                path = ctx->source->judged;
    ngx_http_iri_found_t    *judged;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (r->content_handler != NULL || !ngx_http_iri_same(r->uri, path)) {
        return ngx_http_iri_destination_refuse(r, NGX_HTTP_FORBIDDEN,
                                               "it is no place to write to");
    }

    judged = ngx_http_iri_destination_look(r, path);

    if (ngx_http_iri_restore(r, &ctx->source->snapshot) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_source_back(r, ctx);

    rc = ngx_http_iri_destination_free(r, path, judged);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_iri_destination_apart(r, path);
    }

    if (rc == NGX_DECLINED) {
        rc = ngx_http_iri_destination_keeps(r, &ilcf->tree);
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    return ngx_http_iri_dav_destination(r, path) == NGX_OK
               ? NGX_DECLINED
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_iri_destination_begin(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                               size_t alias)
{
    ngx_int_t  rc;
    ngx_str_t  path, args;
    ngx_uint_t flags = 0;

    path = ngx_http_iri_out(
        ngx_http_iri_destination_path(r->headers_in.destination->value));
    ngx_str_null(&args);

    if (ngx_http_parse_unsafe_uri(r, &path, &args, &flags) != NGX_OK) {
        return NGX_DECLINED; /* nginx refuses it */
    }

    rc = ngx_http_iri_destination_check(r, path, alias);

    return rc != NGX_DECLINED ? rc : ngx_http_iri_judge(r, ctx, path);
}


/* Where nginx's own files are served: a proxy's Destination is not ours. */
ngx_int_t
ngx_http_iri_destination_rules(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_loc_conf_t *ilcf;

    if (!(r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE)) || r != r->main
        || r->headers_in.destination == NULL)
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_ctx_make(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->source != NULL) {
        return ngx_http_iri_judged(r, ctx);
    }

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (r->content_handler != NULL || ilcf->plain == NULL
        || ctx->judged_for == r->loc_conf)
    {
        return NGX_DECLINED;
    }

    return ctx->denied
               ? NGX_HTTP_FORBIDDEN
               : ngx_http_iri_destination_begin(r, ctx, ilcf->plain->alias);
}

#else

ngx_int_t
ngx_http_iri_destination(ngx_http_request_t *r)
{
    (void) r;

    return NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_destination_rules(ngx_http_request_t *r)
{
    (void) r;

    return NGX_DECLINED;
}


void
ngx_http_iri_destination_over(ngx_http_request_t *r)
{
    (void) r;
}

#endif
