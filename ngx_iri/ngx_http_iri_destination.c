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
    (void) r;
    return NULL;
#endif
}


/*
 * Returns: the path in "/path" or "scheme://host/path", percent-encoded as
 * sent, without the query; empty if there is none.  As in ngx_http_dav_module,
 * "#" is part of the path.  authority may be NULL; *authority is set if value
 * has one.
 */
static iri_str_t
ngx_http_iri_destination_path(ngx_str_t value, iri_str_t *authority)
{
    u_char   *p, *host, *last, *end;
    iri_str_t path = { 0, NULL };

    p = value.data;
    end = value.data + value.len;

    if (value.len != 0 && *p != '/') {
        host = ngx_strlcasestrn(p, end, (u_char *) "://", sizeof("://") - 2);
        p = host != NULL ? ngx_strlchr(host + sizeof("://") - 1, end, '/')
                         : NULL;

        if (p != NULL && authority != NULL) {
            authority->data = host + sizeof("://") - 1;
            authority->len = (size_t) (p - authority->data);
        }
    }

    if (p == NULL || p == end) {
        return path;
    }

    last = ngx_strlchr(p, end, '?');

    path.data = p;
    path.len = (last != NULL ? last : end) - p;

    return path;
}


/* Replace path, a part of *value, by uri. */
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


/*
 * Replace the host by its A-labels, since nginx compares it with the host of
 * the request.
 */
static ngx_int_t
ngx_http_iri_destination_map_host(ngx_http_request_t *r, ngx_str_t *value)
{
    ngx_int_t rc;
    ngx_str_t name;
    iri_str_t host = { 0, NULL };

    (void) ngx_http_iri_destination_path(*value, &host);
    host = iri_authority_host(host);

    rc = ngx_http_iri_host_map(r, host, &name);

    return rc == NGX_OK ? ngx_http_iri_destination_set(r, value, host,
                                                       ngx_http_iri_str(name))
                        : rc;
}


/*
 * Returns: NGX_OK; NGX_HTTP_BAD_REQUEST for an invalid percent-encoding, which
 * nginx would accept; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_destination_read(ngx_http_request_t *r, iri_str_t path,
                              iri_reading_t *reading)
{
    iri_env_t                 env;
    iri_status_t              status;
    iri_received_path_t       request;
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


/*
 * Make the field canonical.
 * Returns: NGX_OK; the HTTP status if the Destination is refused; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_destination_apply(ngx_http_request_t     *r,
                               ngx_http_iri_dav_ctx_t *dav)
{
    ngx_int_t   rc;
    ngx_str_t  *value = &ngx_http_iri_destination_field(r)->value;
    iri_str_t   path;
    iri_shown_t shown;

    if (ngx_http_iri_destination_map_host(r, value) == NGX_ERROR) {
        return NGX_ERROR;
    }

    path = ngx_http_iri_destination_path(*value, NULL);

    if (iri_path_is_ascii(path, 1)) {
        return NGX_OK;
    }

    rc = ngx_http_iri_destination_read(r, path, &dav->reading);
    if (rc != NGX_OK) {
        return rc;
    }

    if (dav->reading.verdict == IRI_REFUSE) {
        ngx_http_iri_note(r, IRI_LOG_INFO, iri_why_code(dav->reading.why),
                          "Destination \"%s\" refused: %s",
                          iri_show(&shown, dav->reading.octets),
                          iri_why_text(dav->reading.why));
        return dav->reading.status;
    }

    dav->has_reading = 1;

    return dav->reading.verdict == IRI_SERVE ? ngx_http_iri_destination_set(
               r, value, path, dav->reading.uri)
                                             : NGX_OK;
}


ngx_int_t
ngx_http_iri_destination_handler(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_http_iri_dav_ctx_t *dav;

    if (!(r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE))
        || ngx_http_iri_destination_field(r) == NULL
        || ngx_http_iri_engine_of(r) != IRI_ENGINE_ON)
    {
        return NGX_DECLINED;
    }

    dav = ngx_http_iri_dav_ctx_get_or_create(r);
    rc = dav != NULL ? ngx_http_iri_destination_apply(r, dav) : NGX_ERROR;

    return rc == NGX_OK ? NGX_DECLINED : ngx_http_iri_http_status(rc);
}


/* ---- source and Destination on disk -------------------------------------- */

/* Set *name to the name on disk that ngx_http_dav_module will open for uri. */
static ngx_int_t
ngx_http_iri_destination_filename(ngx_http_request_t *r, ngx_str_t uri,
                                  iri_str_t *name)
{
    size_t    root;
    u_char   *last;
    ngx_str_t path, saved = r->uri;

    r->uri = uri;
    last = ngx_http_map_uri_to_path(r, &path, &root, 0);
    r->uri = saved;

    if (last == NULL) {
        return NGX_ERROR;
    }

    name->data = path.data;
    name->len = (size_t) (last - path.data);

    return NGX_OK;
}


/*
 * Set *out to found; if the Destination is a new name, test also whether it
 * conflicts with an existing entry.  The source of MOVE does not conflict,
 * since it is removed.
 */
static ngx_int_t
ngx_http_iri_destination_name_conflict(ngx_http_request_t *r,
                                       iri_lookup_t *found, iri_found_t *out)
{
    iri_env_t env;
    iri_str_t source = { 0, NULL };

    *out = found->found;

    if (r->method == NGX_HTTP_MOVE
        && ngx_http_iri_destination_filename(r, r->uri, &source) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_iri_env(r, &env);

    return iri_find_conflict(&env, &found->search, source, out) == IRI_OK
               ? NGX_OK
               : NGX_ERROR;
}


/* ---- checks without the rules of the Destination ------------------------ */

/*
 * Returns: 1 if path begins with the prefix that alias replaces.  nginx removes
 * as many octets as the prefix has, without comparing them, and would write to
 * another path than the rules have judged.
 */
static ngx_uint_t
ngx_http_iri_destination_matches_alias(ngx_http_request_t *r, ngx_str_t path,
                                       size_t alias)
{
    return alias == NGX_MAX_SIZE_T_VALUE
           || (path.len >= alias && r->uri.len >= alias
               && ngx_memcmp(path.data, r->uri.data, alias) == 0);
}


/*
 * Returns: 1 if both paths end in "/", or neither.  The test of nginx is for
 * the last octet of the field, which may be the end of a query.
 */
static ngx_uint_t
ngx_http_iri_destination_same_slash(ngx_http_request_t *r, ngx_str_t path)
{
    return (path.data[path.len - 1] == '/')
           == (r->uri.len != 0 && r->uri.data[r->uri.len - 1] == '/');
}


static ngx_int_t
ngx_http_iri_destination_refuse(ngx_http_request_t *r, ngx_int_t rc,
                                const char *why)
{
    iri_shown_t shown;

    iri_show_sent(&shown,
                  ngx_http_iri_str(ngx_http_iri_destination_field(r)->value));

    ngx_http_iri_note(r, IRI_LOG_ERROR,
                      iri_reason_code(IRI_REASON_DESTINATION),
                      "Destination \"%s\" refused: %s", shown.text, why);

    return rc;
}


/*
 * Refuse a Destination that is another name of an existing entry, which may be
 * the source, and a new name that conflicts with an existing entry.  found may
 * be NULL. Returns: NGX_DECLINED if the name may be written; else the result of
 * the phase handler.
 */
static ngx_int_t
ngx_http_iri_destination_check_entry(ngx_http_request_t *r,
                                     iri_lookup_t       *found)
{
    iri_found_t result;

    if (found == NULL) {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_destination_name_conflict(r, found, &result) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (result.verdict == IRI_RESTART) {
        return ngx_http_iri_destination_refuse(
            r, NGX_HTTP_CONFLICT, "it is another name of an existing entry");
    }

    if (iri_is_conflict(&result)) {
        (void) ngx_http_iri_destination_refuse(r, NGX_HTTP_CONFLICT,
                                               iri_why_text(result.why));
        return ngx_http_iri_conflict(r, result.why);
    }

    return NGX_DECLINED;
}


/*
 * Look up path in the current location.
 * Returns: NULL if no lookup is needed, or it failed.
 */
static iri_lookup_t *
ngx_http_iri_destination_find(ngx_http_request_t *r, ngx_str_t path)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* An alias with captures does not contain the path. */
    return ilcf->configured != NULL
                   && ilcf->configured->alias != NGX_MAX_SIZE_T_VALUE
                   && ngx_http_iri_uri_needs_lookup(ilcf, path)
               ? ngx_http_iri_find_uri(r, path)
               : NULL;
}


/* Returns: the part of the file name below root or alias. */
static iri_str_t
ngx_http_iri_destination_stored_name(const iri_lookup_t *found)
{
    iri_str_t octets = found->found.filename;
    size_t    root = ngx_min(found->search.root.len, octets.len);

    octets.data += root;
    octets.len -= root;

    return octets;
}


/*
 * Returns: 1 if both locations store the name with the same octets.  nginx
 * writes the name by the settings of the source's location; the rules have
 * judged the name by the settings of the Destination's location.  An alias
 * removes the beginning of the path, so the shorter name is compared with the
 * end of the longer one.
 */
static ngx_uint_t
ngx_http_iri_destination_same_name(const iri_lookup_t *written,
                                   const iri_lookup_t *judged)
{
    iri_str_t a, b;
    size_t    len;

    if (written == NULL || judged == NULL) {
        return 1;
    }

    if (!iri_may_open(&judged->found)) {
        return 0;
    }

    a = ngx_http_iri_destination_stored_name(written);
    b = ngx_http_iri_destination_stored_name(judged);
    len = ngx_min(a.len, b.len);

    if (len == 0) {
        return a.len == b.len;
    }

    return ngx_memcmp(a.data + a.len - len, b.data + b.len - len, len) == 0;
}


/*
 * In the source's location: check path.  judged: the result of the lookup in
 * the Destination's location.  Returns: NGX_DECLINED if path may be written;
 * else the result of the phase handler.
 */
static ngx_int_t
ngx_http_iri_destination_check_names(ngx_http_request_t *r, ngx_str_t path,
                                     iri_lookup_t *judged)
{
    ngx_int_t     rc;
    iri_lookup_t *written = ngx_http_iri_destination_find(r, path);

    rc = ngx_http_iri_destination_check_entry(r, written);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_iri_destination_check_entry(r, judged);
    }

    return rc != NGX_DECLINED
                   || ngx_http_iri_destination_same_name(written, judged)
               ? rc
               : ngx_http_iri_destination_refuse(
                   r, NGX_HTTP_CONFLICT,
                   "the location of the source stores it under another name");
}


/*
 * Check for a Destination that nginx would delete although it is or contains
 * the source, and for members whose names have another meaning in the
 * Destination's location: nginx copies the octets of their names, also with
 * "Depth: 0". to: the settings of the Destination's location.
 */
static ngx_int_t
ngx_http_iri_destination_check_transfer(ngx_http_request_t *r, ngx_str_t path,
                                        const iri_tree_conf_t *to)
{
    ngx_int_t                rc;
    iri_env_t                env;
    iri_transfer_t           transfer;
    ngx_http_iri_loc_conf_t *ilcf;

    ngx_http_iri_env(r, &env);
    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (ngx_http_iri_destination_filename(r, r->uri, &transfer.source)
            != NGX_OK
        || ngx_http_iri_destination_filename(r, path, &transfer.destination)
               != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    transfer.path = ngx_http_iri_str(path);
    transfer.members = r->uri.data[r->uri.len - 1] == '/';
    transfer.from = &ilcf->tree;
    transfer.to = to;

    rc = iri_request_transfer(&env, &transfer);

    return rc == 0 ? NGX_DECLINED
           : rc == NGX_HTTP_CONFLICT
               ? ngx_http_iri_conflict(r, IRI_WHY_OTHER_TREE)
               : rc;
}


/*
 * Check path without a lookup, whose result must not be revealed before the
 * access rules have run for path.
 */
static ngx_int_t
ngx_http_iri_destination_check_path(ngx_http_request_t *r, ngx_str_t path,
                                    size_t alias)
{
    if (!iri_is_new_path(ngx_http_iri_str(path))
        || !ngx_http_iri_destination_matches_alias(r, path, alias))
    {
        return ngx_http_iri_destination_refuse(
            r, NGX_HTTP_BAD_REQUEST,
            "its path is invalid, or outside of the alias of the source");
    }

    return ngx_http_iri_destination_same_slash(r, path)
               ? NGX_DECLINED
               : ngx_http_iri_destination_refuse(
                   r, NGX_HTTP_CONFLICT,
                   "both paths must end with \"/\", or neither");
}


/* ---- the rules ---------------------------------------------------------- */

/*
 * How often the rules may judge the Destination: once for each location of the
 * source, for example after try_files.
 */
#define NGX_HTTP_IRI_MAX_JUDGED 4

/* The saved request, after access to the source was granted */
struct ngx_http_iri_source_s {
    ngx_http_iri_ctx_t      ctx;
    ngx_http_iri_snapshot_t snapshot;
    ngx_str_t               judged; /* r->uri for the Destination */
};


/*
 * Restore the context of the source, with the events of the Destination added
 * to its log line.
 */
static void
ngx_http_iri_source_restore_ctx(ngx_http_request_t          *r,
                                const ngx_http_iri_source_t *source)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    iri_request_take_notes(source->ctx.request, ctx->request);
    *ctx = source->ctx;
}


/* Restore the state of this module, after the request was restored. */
static void
ngx_http_iri_source_restore(ngx_http_request_t     *r,
                            ngx_http_iri_dav_ctx_t *dav)
{
    ngx_http_iri_source_restore_ctx(r, dav->source);
    dav->passed_loc_conf = dav->source->snapshot.request.loc_conf;
    dav->source = NULL;

    ngx_http_update_location_config(r);
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
    saved = &source->snapshot.request;

    (void) ngx_http_iri_variables_restore(r, &source->snapshot);
    ngx_http_iri_address_set(r, &source->snapshot.address);
    r->limit_rate = saved->limit_rate;
    r->limit_rate_set = saved->limit_rate_set;
    r->unparsed_uri = saved->unparsed_uri;
    r->request_line = saved->request_line;

    ngx_http_iri_source_restore_ctx(r, source);
    dav->source = NULL;
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

    if (dav->judged_count++ == NGX_HTTP_IRI_MAX_JUDGED
        || ctx->snapshot == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    request = ngx_palloc(r->pool, iri_request_size());
    source = ngx_palloc(r->pool, sizeof(ngx_http_iri_source_t));

    if (request == NULL || source == NULL
        || ngx_http_iri_snapshot(r, &source->snapshot) != NGX_OK
        || ngx_http_iri_restore(r, ctx->snapshot) != NGX_OK
        || ngx_http_iri_set_uri(r, ngx_http_iri_str(path)) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    source->ctx = *ctx;
    source->judged = r->uri;
    dav->source = source;
    ctx->request = iri_request_init(request);
    iri_request_take_notes(ctx->request, source->ctx.request);
    iri_request_set_canonical(ctx->request, ngx_http_iri_str(r->uri));

    ngx_str_null(&r->args);
    r->unparsed_uri = ngx_http_iri_ngx_str(ngx_http_iri_destination_path(
        ngx_http_iri_destination_field(r)->value, NULL));

    if (ngx_http_iri_request_line(r->pool, r->method_name, r->unparsed_uri,
                                  r->http_protocol, &r->request_line)
        != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_rerun_phases(r);

    return NGX_DECLINED;
}


/*
 * dav_ext compares the path in the field with those of locks, without decoding
 * it.  Replace the path and the query in the field by the decoded path.  The
 * field stays if path contains "%", "?" or "#", which nginx would then read
 * differently, and if only one of field and path ends in "/": nginx refuses the
 * field.
 */
static ngx_int_t
ngx_http_iri_destination_unescape(ngx_http_request_t *r, ngx_str_t path)
{
    u_char    *end = path.data + path.len;
    iri_str_t  tail;
    ngx_str_t *value = &ngx_http_iri_destination_field(r)->value;

    if (ngx_strlchr(path.data, end, '%') != NULL
        || ngx_strlchr(path.data, end, '?') != NULL
        || ngx_strlchr(path.data, end, '#') != NULL
        || (value->data[value->len - 1] == '/') != (end[-1] == '/'))
    {
        return NGX_OK;
    }

    tail = ngx_http_iri_destination_path(*value, NULL);
    tail.len = (size_t) (value->data + value->len - tail.data);

    return ngx_http_iri_destination_set(r, value, tail,
                                        ngx_http_iri_str(path));
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
    iri_lookup_t            *judged;
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (r->content_handler != NULL || !ngx_http_iri_str_equal(r->uri, path)) {
        return ngx_http_iri_destination_refuse(
            r, NGX_HTTP_FORBIDDEN,
            "a rule has rewritten it, or a content handler answers");
    }

    judged = ngx_http_iri_destination_find(r, path);

    if (ngx_http_iri_restore(r, &dav->source->snapshot) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_iri_source_restore(r, dav);

    rc = ngx_http_iri_destination_check_names(r, path, judged);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_iri_destination_check_transfer(r, path, &ilcf->tree);
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    return ngx_http_iri_destination_unescape(r, path) == NGX_OK
               ? NGX_DECLINED
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_iri_destination_start(ngx_http_request_t     *r,
                               ngx_http_iri_dav_ctx_t *dav, size_t alias)
{
    ngx_int_t  rc;
    ngx_str_t  path, args;
    ngx_uint_t flags = 0;

    path = ngx_http_iri_ngx_str(ngx_http_iri_destination_path(
        ngx_http_iri_destination_field(r)->value, NULL));
    ngx_str_null(&args);

    if (ngx_http_parse_unsafe_uri(r, &path, &args, &flags) != NGX_OK) {
        return NGX_DECLINED; /* ngx_http_dav_module refuses it */
    }

    rc = ngx_http_iri_destination_check_path(r, path, alias);

    return rc != NGX_DECLINED
               ? rc
               : ngx_http_iri_destination_judge_begin(r, dav, path);
}


/* A content handler, for example of a proxy, reads the Destination itself. */
ngx_int_t
ngx_http_iri_destination_judge(ngx_http_request_t *r)
{
    ngx_http_iri_dav_ctx_t  *dav;
    ngx_http_iri_loc_conf_t *ilcf;

    if (!(r->method & (NGX_HTTP_COPY | NGX_HTTP_MOVE)) || r != r->main
        || ngx_http_iri_destination_field(r) == NULL)
    {
        return NGX_DECLINED;
    }

    dav = ngx_http_iri_dav_ctx_get_or_create(r);
    if (dav == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (dav->source != NULL) {
        return ngx_http_iri_destination_judge_end(r, dav);
    }

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (r->content_handler != NULL || ilcf->configured == NULL
        || dav->passed_loc_conf == r->loc_conf)
    {
        return NGX_DECLINED;
    }

    return dav->denied ? NGX_HTTP_FORBIDDEN
                       : ngx_http_iri_destination_start(
                           r, dav, ilcf->configured->alias);
}
