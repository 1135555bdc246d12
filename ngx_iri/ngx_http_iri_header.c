/*
 * ngx_http_iri_header.c - iri_redirect; the response header filter
 *
 * iri_redirect runs in PRECONTENT, after access is granted.  A request in
 * another form is redirected to its canonical URI, or the response gets a Link
 * to that URI.  The core decides (common/path/iri_uri.c) by the path as
 * sent, the query, and whether the resource exists.
 *
 * The filter runs before the filters of nginx that write the header.  nginx
 * writes Location with the octets of the configuration, of variables and of
 * captures, or copies the field of an upstream.  The filter makes the value a
 * URI-reference (iri_location_field), before nginx adds scheme and host
 * (absolute_redirect).  A path of this server is made canonical.  The value of
 * an upstream, with or without proxy_redirect, is only percent-encoded.
 *
 * iri_advertise adds the field "inturi: utf8" of draft-masinter-url-i18n-05,
 * section 4.2.1, to each response to OPTIONS, including errors and responses of
 * upstreams.  The field says that the server accepts paths in raw and in
 * percent-encoded UTF-8.
 */

#include "ngx_http_iri.h"


/* The context of a request; zero at first. */
typedef struct {
    ngx_http_iri_owner_t owner;
    ngx_str_t            link;     /* value of the field Link; empty: none */
    ngx_str_t            location; /* value of the Location of iri_redirect;
                                        empty: none */
    ngx_uint_t           redirect; /* iri_redirect of the location whose
                                        try_files may make an internal
                                        redirect; 0: none */
} ngx_http_iri_header_ctx_t;


static ngx_http_output_header_filter_pt ngx_http_iri_next_header_filter;


/* The context of r, created if there is none.  Returns: NULL: no memory. */
static ngx_http_iri_header_ctx_t *
ngx_http_iri_header_ctx_get_or_create(ngx_http_request_t *r)
{
    return ngx_http_iri_feature_ctx_get_or_create(
        r, &ngx_http_iri_header_module, sizeof(ngx_http_iri_header_ctx_t));
}


/* ---- references --------------------------------------------------------- */

/*
 * Make the value of h a URI-reference.  rooted: 1 if nginx will add scheme and
 * host.
 */
static ngx_int_t
ngx_http_iri_write_reference(ngx_http_request_t *r, ngx_table_elt_t *h,
                             ngx_uint_t rooted)
{
    iri_env_t                 env;
    iri_str_t                 value;
    iri_location_field_conf_t conf;
    ngx_http_iri_srv_conf_t  *iscf = ngx_http_iri_srv_conf(r);

    conf.reading = &iscf->reading;
    conf.hosts = ngx_http_iri_host_rules(r);
    conf.host = ngx_http_iri_str(r->headers_in.server);
    conf.port = r->connection->local_sockaddr != NULL
                    ? ngx_inet_get_port(r->connection->local_sockaddr)
                    : 0;
    conf.other = r->upstream != NULL && !r->error_page;
    conf.rooted = rooted != 0;

    ngx_http_iri_env(r, &env);

    if (iri_location_field(&env, &conf, ngx_http_iri_str(h->value), &value)
        != IRI_OK)
    {
        return NGX_ERROR;
    }

    h->value = ngx_http_iri_ngx_str(value);

    return NGX_OK;
}


/* ---- Location ----------------------------------------------------------- */

/*
 * Returns: 1 if nginx adds the client's Host to a path in Location, and the
 * Host is not valid in a URI.
 */
static ngx_uint_t
ngx_http_iri_adds_invalid_host(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t *clcf = ngx_http_iri_core_loc_conf(r);

    return clcf->absolute_redirect && !clcf->server_name_in_redirect
           && !iri_is_uri_host(ngx_http_iri_str(r->headers_in.server));
}


/*
 * Make r->headers_out.location, if it is set, a URI-reference, to which nginx
 * may add scheme and host.  That of iri_redirect is a URI-reference already.
 */
static ngx_int_t
ngx_http_iri_write_location(ngx_http_request_t              *r,
                            const ngx_http_iri_header_ctx_t *ctx)
{
    ngx_str_t                 dot = ngx_string("/.");
    ngx_uint_t                completed, own;
    ngx_table_elt_t          *h = r->headers_out.location;
    ngx_http_core_loc_conf_t *clcf = ngx_http_iri_core_loc_conf(r);

    if (h == NULL) {
        return NGX_OK;
    }

    completed = clcf->absolute_redirect && h->value.len != 0
                && h->value.data[0] == '/';

    own = ctx != NULL && ctx->location.data == h->value.data
          && ctx->location.len == h->value.len;

    if (!own && ngx_http_iri_write_reference(r, h, completed) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!completed || !ngx_http_iri_adds_invalid_host(r)) {
        return NGX_OK;
    }

    /* A leading "//" would be parsed as an authority (RFC 3986, 4.2). */
    if (h->value.len > 1 && h->value.data[1] == '/'
        && ngx_http_iri_join(r->pool, dot, h->value, &h->value) != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* The field stays in the list of fields, and is sent as it is. */
    r->headers_out.location = NULL;

    return NGX_OK;
}


/*
 * An upstream or another module has added a field name to the list of fields:
 * make its value a URI-reference.
 */
static ngx_int_t
ngx_http_iri_write_other_field(ngx_http_request_t *r, const char *name)
{
    ngx_uint_t       i = 0;
    ngx_list_part_t *part = &r->headers_out.headers.part;
    ngx_table_elt_t *h;

    while ((h = ngx_http_iri_field_next(&part, &i, name)) != NULL) {
        if (h->hash != 0 && h != r->headers_out.location
            && ngx_http_iri_write_reference(r, h, 0) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* ---- Link --------------------------------------------------------------- */

/*
 * Add Link, but not to an error page.  The status 304 gets it, too: if the
 * module is static, nginx has set 304 before this filter; if it is dynamic,
 * nginx changes 200 to 304 later.
 */
static ngx_int_t
ngx_http_iri_write_link(ngx_http_request_t *r, ngx_http_iri_header_ctx_t *ctx)
{
    ngx_uint_t status = r->headers_out.status;

    if (ctx == NULL || ctx->link.len == 0 || r->error_page
        || (status != NGX_HTTP_NOT_MODIFIED && !iri_may_link((int) status)))
    {
        return NGX_OK;
    }

    if (ngx_http_iri_header_add(r, "Link", ctx->link) == NULL) {
        return NGX_ERROR;
    }

    ngx_str_null(&ctx->link);

    return NGX_OK;
}


/* ---- iri_redirect -------------------------------------------------------- */

iri_status_t
ngx_http_iri_redirect_input(ngx_http_request_t *r, const iri_env_t *env,
                            iri_reading_t  *requested,
                            iri_redirect_t *redirect)
{
    ngx_http_iri_ctx_t      *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    redirect->sent = ngx_http_iri_sent_path(r);
    redirect->slash = 0;
    redirect->has_query = ngx_http_iri_sent_query(r, &redirect->query) != 0;

    return iri_request_redirect(ctx != NULL ? ctx->request : NULL, env,
                                &iscf->reading, ngx_http_iri_str(r->uri),
                                requested, redirect);
}


/*
 * Returns: NGX_OK if the path names a file, followed by a PATH_INFO in ASCII;
 * NGX_DECLINED if not; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_is_file_with_path_info(ngx_http_request_t *r,
                                    iri_lookup_t       *found)
{
    iri_env_t       env;
    ngx_str_t       name, none = ngx_null_string;
    ngx_file_info_t fi;

    ngx_http_iri_env(r, &env);

    if (iri_lookup_split(&env, found) != IRI_OK
        || ngx_http_iri_join(r->pool, none,
                             ngx_http_iri_ngx_str(found->entry), &name)
               != NGX_OK)
    {
        return NGX_ERROR;
    }

    return iri_str_is_ascii(found->path_info)
                   && ngx_file_info(name.data, &fi) != NGX_FILE_ERROR
                   && ngx_is_file(&fi)
               ? NGX_OK
               : NGX_DECLINED;
}


/*
 * Set *presence: whether the resource exists.  After a rewrite, try_files or a
 * named location, IRI_PRESENT is not possible: the entry may be that of another
 * path.  Sets redirect->slash.
 * Returns: NGX_OK; NGX_ERROR if the test failed.
 */
static ngx_int_t
ngx_http_iri_presence(ngx_http_request_t *r, iri_lookup_t *found,
                      iri_redirect_t *redirect, iri_presence_t *presence)
{
    ngx_int_t                rc;
    ngx_uint_t               is_dir = 0;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    *presence = r->content_handler != NULL ? IRI_UNCONFIRMED : IRI_ABSENT;

    if (found == NULL && ilcf->scripted != NULL) {
        found = ngx_http_iri_find(r);
    }

    if (found == NULL || !iri_may_open(&found->found)) {
        return NGX_OK;
    }

    rc = ngx_http_iri_can_open(r, ngx_http_iri_ngx_str(found->filename),
                               &is_dir);

    if (rc == NGX_DECLINED && r->content_handler != NULL) {
        rc = ngx_http_iri_is_file_with_path_info(r, found);
    }

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_OK : NGX_ERROR;
    }

    if (r->internal || !iri_found_confirms(redirect->path, found->found.path))
    {
        *presence = IRI_UNCONFIRMED;
        return NGX_OK;
    }

    *presence = IRI_PRESENT;
    redirect->slash = is_dir && r->content_handler == NULL && r->uri.len != 0
                      && r->uri.data[r->uri.len - 1] != '/';

    return NGX_OK;
}


/*
 * try_files may make an internal redirect to another location, in which
 * iri_redirect runs again.  Save the value of the first location.
 */
static ngx_int_t
ngx_http_iri_redirect_defer(ngx_http_request_t            *r,
                            const ngx_http_iri_loc_conf_t *ilcf,
                            iri_presence_t                 presence)
{
    ngx_http_iri_header_ctx_t *ctx;

    if (presence != IRI_ABSENT || r->internal || !ilcf->try_files) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_iri_header_ctx_get_or_create(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->redirect = ilcf->redirect;

    return NGX_DECLINED;
}


/*
 * Returns: the value of iri_redirect for this request; 0: no redirect.  The
 * path of an error page or of X-Accel-Redirect was not requested by the client.
 */
static ngx_uint_t
ngx_http_iri_redirect_status(ngx_http_request_t            *r,
                             const ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_uint_t                 status = ilcf->redirect;
    ngx_http_iri_ctx_t        *base = ngx_http_iri_ctx(r);
    ngx_http_iri_header_ctx_t *ctx;

    if (r != r->main || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
        || (r->internal
            && (r->error_page || r->err_status != 0 || r->upstream != NULL)))
    {
        return 0;
    }

    ctx = r->internal
              ? ngx_http_iri_feature_ctx(r, &ngx_http_iri_header_module)
              : NULL;

    if (ctx != NULL && ctx->redirect != 0) {
        status = ctx->redirect;
    }

    return base != NULL
               ? iri_request_redirect_status(base->request, (unsigned) status)
               : status;
}


/*
 * Redirect to location, or save the Link to it.
 * Returns: the HTTP status; NGX_DECLINED after Link.
 */
static ngx_int_t
ngx_http_iri_redirect_send(ngx_http_request_t *r, const iri_env_t *env,
                           iri_str_t location, ngx_uint_t status)
{
    iri_str_t                  link;
    ngx_http_iri_header_ctx_t *ctx = ngx_http_iri_header_ctx_get_or_create(r);

    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (status == IRI_REDIRECT_LINK) {
        if (iri_canonical_link(env, location, &link) != IRI_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ctx->link = ngx_http_iri_ngx_str(link);

        return NGX_DECLINED;
    }

    ctx->location = ngx_http_iri_ngx_str(location);

    ngx_http_clear_location(r);
    r->headers_out.location = ngx_http_iri_header_add(r, "Location",
                                                      ctx->location);
    if (r->headers_out.location == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    iri_request_redirected(ngx_http_iri_ctx(r)->request, (int) status);

    return (ngx_int_t) status;
}


ngx_int_t
ngx_http_iri_redirect_client(ngx_http_request_t *r, iri_lookup_t *found)
{
    iri_env_t                env;
    iri_str_t                location;
    ngx_uint_t               status;
    iri_reading_t            requested;
    iri_presence_t           presence;
    iri_redirect_t           redirect;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    status = ngx_http_iri_redirect_status(r, ilcf);

    if (status == 0) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    if (ngx_http_iri_redirect_input(r, &env, &requested, &redirect) != IRI_OK
        || iri_redirect_location(&env, &redirect, &location) != IRI_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (location.len == 0
        || (status != IRI_REDIRECT_LINK && ngx_http_iri_adds_invalid_host(r)))
    {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_presence(r, found, &redirect, &presence) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (!iri_may_redirect(ngx_http_iri_str(r->method_name), &redirect,
                          presence)) {
        return ngx_http_iri_redirect_defer(r, ilcf, presence);
    }

    if (redirect.slash
        && iri_redirect_location(&env, &redirect, &location) != IRI_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_iri_redirect_send(r, &env, location, status);
}


/* ---- the filter ---------------------------------------------------------- */

/* An "inturi" of an upstream is removed, since it describes the upstream. */
static ngx_int_t
ngx_http_iri_write_advertised(ngx_http_request_t *r)
{
    ngx_uint_t       i = 0;
    ngx_list_part_t *part = &r->headers_out.headers.part;
    ngx_table_elt_t *h;

    while ((h = ngx_http_iri_field_next(&part, &i, "inturi")) != NULL) {
        h->hash = 0;
    }

    return ngx_http_iri_header_add(r, "inturi", ngx_http_iri_text("utf8"))
                   != NULL
               ? NGX_OK
               : NGX_ERROR;
}


/*
 * Returns: 1 if the response may have a Location or a Link.  The modules lua,
 * njs and perl do not set r->headers_out.location, so the status is tested,
 * too.
 */
static ngx_uint_t
ngx_http_iri_may_have_references(const ngx_http_request_t        *r,
                                 const ngx_http_iri_header_ctx_t *ctx)
{
    ngx_uint_t status = r->headers_out.status;

    return r->headers_out.location != NULL || r->upstream != NULL
           || (ctx != NULL && ctx->link.len != 0)
           || status == NGX_HTTP_CREATED
           || (status >= NGX_HTTP_MOVED_PERMANENTLY
               && status < NGX_HTTP_BAD_REQUEST
               && status != NGX_HTTP_NOT_MODIFIED);
}


/* Set the fields of the response to a main request. */
static ngx_int_t
ngx_http_iri_header_set(ngx_http_request_t            *r,
                        const ngx_http_iri_srv_conf_t *iscf)
{
    ngx_http_iri_header_ctx_t *ctx;
    ngx_http_iri_flag_conf_t  *fcf;

    ctx = ngx_http_iri_feature_ctx(r, &ngx_http_iri_header_module);
    fcf = ngx_http_get_module_srv_conf(r, ngx_http_iri_header_module);

    if (ngx_http_iri_may_have_references(r, ctx)
        && (ngx_http_iri_write_other_field(r, "Location") != NGX_OK
            || ngx_http_iri_write_other_field(r, "Content-Location") != NGX_OK
            || ngx_http_iri_write_location(r, ctx) != NGX_OK
            || ngx_http_iri_write_link(r, ctx) != NGX_OK))
    {
        return NGX_ERROR;
    }

    if (r->method == NGX_HTTP_OPTIONS && fcf->enabled
        && ngx_http_iri_write_advertised(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return iscf->charset_variable.name.len != 0 ? ngx_http_iri_write_vary(r)
                                                : NGX_OK;
}


/*
 * r->valid_location is set again because proxy_store maps the path with the
 * script (ngx_http_iri_root.c), which needs the flag after "rewrite ... break".
 * proxy_pass, which tests the flag, has created its request before.
 */
static ngx_int_t
ngx_http_iri_header_filter(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);
    ngx_http_iri_srv_conf_t *iscf = ngx_http_iri_srv_conf(r);

    if (iscf->engine != IRI_ENGINE_ON) {
        return ngx_http_iri_next_header_filter(r);
    }

    /* The request must restart, but a rule sends a response. */
    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL
        && iri_request_pending_restart(ctx->request, NULL) != NULL) {
        return NGX_ERROR;
    }

    if (r->upstream != NULL && ilcf->scripted != NULL
        && ilcf->clcf->alias == 0) {
        r->valid_location = 1;
    }

    if (r == r->main && ngx_http_iri_header_set(r, iscf) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_iri_next_header_filter(r);
}


static ngx_int_t
ngx_http_iri_header_init(ngx_conf_t *cf)
{
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

    if (imcf->enabled) {
        ngx_http_iri_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_iri_header_filter;
    }

    return NGX_OK;
}


/* clang-format off */

static ngx_command_t ngx_http_iri_header_commands[] = {

    { ngx_string("iri_advertise"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_FLAG,
      ngx_http_iri_set_flag,
      NGX_HTTP_SRV_CONF_OFFSET,
      offsetof(ngx_http_iri_flag_conf_t, enabled),
      NULL },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_header_module_ctx = {
    .postconfiguration = ngx_http_iri_header_init,
    .create_srv_conf = ngx_http_iri_flag_create,
    .merge_srv_conf = ngx_http_iri_flag_merge,
};


ngx_module_t ngx_http_iri_header_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_header_module_ctx, ngx_http_iri_header_commands, NULL);

/* clang-format on */
