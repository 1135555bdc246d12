/*
 * ngx_http_iri_destination.c - the Destination header (RFC 4918, 10.3)
 *
 * COPY and MOVE write to the path in the Destination field.  nginx maps it to
 * the disk by the root of the source's location, and no access rule is applied
 * to it.  Here the field is put in canonical form before any rule runs.  When
 * the source has passed the access rules, the request runs through all rules
 * again with the path of the Destination: rewrite, location, access.  If these
 * rules pass it, the request is restored and continues with the source; else it
 * is refused.
 *
 * Both paths are compared on disk: nginx deletes an existing Destination, even
 * if that is the source or contains it.  ngx_http_iri_dav.c makes the 409 page.
 */

#include "ngx_http_iri_dav.h"
#include "ngx_http_iri_host.h"


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
 * The path in "/path" or "scheme://host/path", still escaped, without the
 * query.  As in ngx_http_dav_module, "#" is part of the path.  Empty: no path.
 * *authority is set to that before the path, if there is one; it may be NULL.
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


/* Replace path, which points into value, by uri. */
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


/* Write the host in A-labels: nginx compares it with the request's host. */
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
 * NGX_OK; NGX_HTTP_BAD_REQUEST: an invalid escape, which nginx would ignore;
 * NGX_ERROR.
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
 * Returns: NGX_OK if the field is canonical now, or was; an HTTP status to
 * answer with; NGX_ERROR.
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

/* The name on disk that ngx_http_dav_module will open for uri. */
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
 * *out: found, with the conflict of a new name with an existing entry of the
 * same name.  The source of MOVE does not conflict, since it is removed.
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
 * nginx removes as many octets from the path as the name of the location has,
 * whatever they are.  They must equal those of the source, so that the rules
 * judge the path that is written.
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
 * Do both paths end with "/", or neither?  nginx compares the end of the source
 * with the end of the whole field, which may be the end of a query.
 */
static ngx_uint_t
ngx_http_iri_destination_same_kind(ngx_http_request_t *r, ngx_str_t path)
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
 * Refuse a Destination that is another name of an existing entry: that entry
 * may be the source.  Refuse a new name that conflicts with an existing entry.
 * found may be NULL.  NGX_DECLINED: the name may be written.
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
 * Look path up by the settings of the current location.  NULL: no lookup is
 * needed, or it failed.
 */
static iri_lookup_t *
ngx_http_iri_destination_find(ngx_http_request_t *r, ngx_str_t path)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    /* An alias with captures does not contain the path. */
    return ilcf->plain != NULL && ilcf->plain->alias != NGX_MAX_SIZE_T_VALUE
                   && iri_needs_lookup(&ilcf->any, ngx_http_iri_str(path))
               ? ngx_http_iri_find_uri(r, path)
               : NULL;
}


/* The octets of the file name below root or alias. */
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
 * Do both locations store the name with the same octets?  nginx writes the name
 * by the settings of the source's location, and the rules have judged the name
 * by those of the Destination's location.  An alias removes the beginning of
 * the path, so the shorter name is compared with the end of the longer one.
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
 * May path be written?  The request is in the source's location; judged is the
 * result of the lookup in the location of the Destination.
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
                   "the source's location would store another name");
}


/*
 * nginx deletes an existing Destination, and copies the members of a collection
 * with the octets of their names, with Depth 0, too.
 * to: the settings of the Destination's location.
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


/* Checks without a lookup, since the access rules have not run for path. */
static ngx_int_t
ngx_http_iri_destination_check_path(ngx_http_request_t *r, ngx_str_t path,
                                    size_t alias)
{
    if (!iri_is_new_path(ngx_http_iri_str(path))
        || !ngx_http_iri_destination_matches_alias(r, path, alias))
    {
        return ngx_http_iri_destination_refuse(r, NGX_HTTP_BAD_REQUEST,
                                               "it is invalid");
    }

    return ngx_http_iri_destination_same_kind(r, path)
               ? NGX_DECLINED
               : ngx_http_iri_destination_refuse(
                   r, NGX_HTTP_CONFLICT,
                   "both paths must end with \"/\", or neither");
}


/* ---- the rules ---------------------------------------------------------- */

/*
 * The Destination is judged once for each location that the source reaches, for
 * example by try_files.  This is the limit.
 */
#define NGX_HTTP_IRI_MAX_JUDGED 4

/* The request for the source, after the source has passed the access rules. */
struct ngx_http_iri_source_s {
    ngx_http_iri_ctx_t      ctx;
    ngx_http_iri_snapshot_t snapshot;
    ngx_str_t               judged; /* path of the Destination, as r->uri */
};


/* Restore the context of the source.  Its log line has all events. */
static void
ngx_http_iri_source_restore_ctx(ngx_http_request_t          *r,
                                const ngx_http_iri_source_t *source)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    iri_request_take_notes(source->ctx.request, ctx->request);
    *ctx = source->ctx;
}


/* After the snapshot of the source was restored. */
static void
ngx_http_iri_source_restore(ngx_http_request_t     *r,
                            ngx_http_iri_dav_ctx_t *dav)
{
    ngx_http_iri_source_restore_ctx(r, dav->source);
    dav->passed_in = dav->source->snapshot.request.loc_conf;
    dav->source = NULL;

    ngx_http_update_location_config(r);
}


void
ngx_http_iri_destination_cancel(ngx_http_request_t *r)
{
    ngx_http_iri_source_t    *source;
    ngx_http_iri_dav_ctx_t   *dav = ngx_http_iri_dav_ctx(r);
    const ngx_http_request_t *was;

    if (dav == NULL || dav->source == NULL) {
        return;
    }

    source = dav->source;
    was = &source->snapshot.request;

    (void) ngx_http_iri_variables_restore(r, &source->snapshot);
    ngx_http_iri_address_set(r, &source->snapshot.address);
    r->limit_rate = was->limit_rate;
    r->limit_rate_set = was->limit_rate_set;
    r->unparsed_uri = was->unparsed_uri;
    r->request_line = was->request_line;

    ngx_http_iri_source_restore_ctx(r, source);
    dav->source = NULL;
    dav->denied = 1;

    /* An error page with a path of its own keeps that path. */
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
 * Restart the request with the path of the Destination, as if the client had
 * sent it.  The request is restored to its state before any rule ran, so that
 * no permission of the source applies to the Destination.
 */
static ngx_int_t
ngx_http_iri_destination_judge_begin(ngx_http_request_t     *r,
                                     ngx_http_iri_dav_ctx_t *dav,
                                     ngx_str_t               path)
{
    void                  *request;
    ngx_http_iri_ctx_t    *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_source_t *source;

    if (dav->runs++ == NGX_HTTP_IRI_MAX_JUDGED || ctx->snapshot == NULL) {
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
 * dav_ext compares locks with the path in the Destination field without
 * unescaping it.  Replace that path, and a query, by the unescaped canonical
 * path, unless nginx would then read it differently (it contains "%", "?" or
 * "#"), or refuses the field, because the query ends in another way.
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
 * All rules have passed the Destination.  Refuse it if they have set another
 * path, or if a content handler serves its location: nginx would write to
 * another file than the one that the rules have judged.
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

    if (r->content_handler != NULL || !ngx_http_iri_same(r->uri, path)) {
        return ngx_http_iri_destination_refuse(
            r, NGX_HTTP_FORBIDDEN, "it is not a file of its location");
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


/* Check the Destination, then judge it. */
static ngx_int_t
ngx_http_iri_destination_begin(ngx_http_request_t     *r,
                               ngx_http_iri_dav_ctx_t *dav, size_t alias)
{
    ngx_int_t  rc;
    ngx_str_t  path, args;
    ngx_uint_t flags = 0;

    path = ngx_http_iri_ngx_str(ngx_http_iri_destination_path(
        ngx_http_iri_destination_field(r)->value, NULL));
    ngx_str_null(&args);

    if (ngx_http_parse_unsafe_uri(r, &path, &args, &flags) != NGX_OK) {
        return NGX_DECLINED; /* nginx refuses it */
    }

    rc = ngx_http_iri_destination_check_path(r, path, alias);

    return rc != NGX_DECLINED
               ? rc
               : ngx_http_iri_destination_judge_begin(r, dav, path);
}


/* A location with a content handler, for example a proxy, is left alone. */
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

    if (r->content_handler != NULL || ilcf->plain == NULL
        || dav->passed_in == r->loc_conf)
    {
        return NGX_DECLINED;
    }

    return dav->denied
               ? NGX_HTTP_FORBIDDEN
               : ngx_http_iri_destination_begin(r, dav, ilcf->plain->alias);
}
