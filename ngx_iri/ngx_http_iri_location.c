/*
 * ngx_http_iri_location.c - Location, Content-Location and Link of a response
 *
 * nginx writes the text of the configuration into Location, with the octets of
 * variables and captures, and copies the field of an upstream.  The header
 * filter makes the value a URI-reference (iri_location_field), before nginx
 * completes it by absolute_redirect.  A path of this server becomes canonical.
 * The value of an upstream, with or without proxy_redirect, is only escaped.
 *
 * Link: the canonical URI of the page, for iri_redirect link.
 */

#include "ngx_http_iri_header.h"


/* ---- references --------------------------------------------------------- */

/* The local port of the connection; 0: none, or unknown. */
static unsigned
ngx_http_iri_port(ngx_http_request_t *r)
{
    return r->connection->local_sockaddr != NULL
               ? ngx_inet_get_port(r->connection->local_sockaddr)
               : 0;
}


/*
 * Make the value of h a URI-reference.  other: it was set by an upstream;
 * rooted: nginx will complete it with scheme and host.
 */
static ngx_int_t
ngx_http_iri_write_reference(ngx_http_request_t *r, ngx_table_elt_t *h,
                             ngx_uint_t other, ngx_uint_t rooted)
{
    iri_env_t                 env;
    iri_str_t                 value;
    iri_location_field_conf_t conf;
    ngx_http_iri_srv_conf_t  *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    conf.reading = &iscf->reading;
    conf.hosts = ngx_http_iri_host_rules(r);
    conf.host = ngx_http_iri_str(r->headers_in.server);
    conf.port = ngx_http_iri_port(r);
    conf.other = other != 0;
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
 * nginx would put the client's Host before the path, but that is not valid in a
 * URI.  Send the path alone; a leading "//" becomes "/.//", since it would be
 * read as an authority (RFC 3986, 4.2).
 */
static ngx_int_t
ngx_http_iri_leave_relative(ngx_http_request_t *r)
{
    u_char          *p;
    ngx_table_elt_t *h = r->headers_out.location;

    if (h->value.len > 1 && h->value.data[1] == '/') {
        p = ngx_pnalloc(r->pool, h->value.len + 2);
        if (p == NULL) {
            return NGX_ERROR;
        }

        *p = '/';
        p[1] = '.';
        ngx_memcpy(p + 2, h->value.data, h->value.len);
        h->value.data = p;
        h->value.len += 2;
    }

    /* The field stays in the list, but nginx does not complete it. */
    r->headers_out.location = NULL;

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_set_location(ngx_http_request_t *r, iri_str_t location)
{
    ngx_http_iri_header_ctx_t *ctx = ngx_http_iri_header_ctx_get_or_create(r);

    if (ctx == NULL) {
        return NGX_ERROR;
    }

    ctx->location = ngx_http_iri_ngx_str(location);

    ngx_http_clear_location(r);
    r->headers_out.location = ngx_http_iri_header_add(r, "Location",
                                                      ctx->location);

    return r->headers_out.location != NULL ? NGX_OK : NGX_ERROR;
}


/* Returns: 1 if the value is the result of ngx_http_iri_set_location(). */
static ngx_uint_t
ngx_http_iri_is_own_location(ngx_http_request_t *r, const ngx_table_elt_t *h)
{
    ngx_http_iri_header_ctx_t *ctx = ngx_http_iri_header_ctx(r);

    return ctx != NULL && ctx->location.data == h->value.data
           && ctx->location.len == h->value.len;
}


/*
 * The Location that nginx completes: r->headers_out.location.  That of
 * iri_redirect is a URI-reference already.
 */
static ngx_int_t
ngx_http_iri_write_location(ngx_http_request_t *r)
{
    ngx_uint_t                completed;
    ngx_table_elt_t          *h = r->headers_out.location;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    completed = clcf->absolute_redirect && h->value.len != 0
                && h->value.data[0] == '/';

    if (!ngx_http_iri_is_own_location(r, h)
        && ngx_http_iri_write_reference(
               r, h, r->upstream != NULL && !r->error_page, completed)
               != NGX_OK)
    {
        return NGX_ERROR;
    }

    return completed && !clcf->server_name_in_redirect
                   && !iri_is_uri_host(ngx_http_iri_str(r->headers_in.server))
               ? ngx_http_iri_leave_relative(r)
               : NGX_OK;
}


static ngx_uint_t
ngx_http_iri_is_field(const ngx_table_elt_t *h, const char *name)
{
    return h->hash != 0 && h->key.len == ngx_strlen(name)
           && ngx_strncasecmp(h->key.data, (u_char *) name, h->key.len) == 0;
}


/* Location and Content-Location of an upstream or of another module. */
static ngx_int_t
ngx_http_iri_write_other_fields(ngx_http_request_t *r)
{
    ngx_uint_t       other = r->upstream != NULL && !r->error_page;
    ngx_uint_t       i = 0;
    ngx_list_part_t *part = &r->headers_out.headers.part;
    ngx_table_elt_t *h = part->elts;

    for (;; i++) {
        if (i >= part->nelts) {
            if (part->next == NULL) {
                return NGX_OK;
            }

            part = part->next;
            h = part->elts;
            i = 0;

            if (part->nelts == 0) {
                continue;
            }
        }

        if (&h[i] != r->headers_out.location
            && (ngx_http_iri_is_field(&h[i], "Location")
                || ngx_http_iri_is_field(&h[i], "Content-Location"))
            && ngx_http_iri_write_reference(r, &h[i], other, 0) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }
}


/* ---- Link --------------------------------------------------------------- */

ngx_int_t
ngx_http_iri_save_link(ngx_http_request_t *r, iri_str_t location)
{
    iri_env_t                  env;
    iri_str_t                  link;
    ngx_http_iri_header_ctx_t *ctx = ngx_http_iri_header_ctx_get_or_create(r);

    ngx_http_iri_env(r, &env);

    if (ctx == NULL || iri_canonical_link(&env, location, &link) != IRI_OK) {
        return NGX_ERROR;
    }

    ctx->link = ngx_http_iri_ngx_str(link);

    return NGX_OK;
}


/*
 * Add Link to the page itself, not to an error page in its place.  304 counts
 * as the page: a static module sees the status 304 here, a dynamic one sees
 * the 200 that nginx changes to 304 later.
 */
static ngx_int_t
ngx_http_iri_write_link(ngx_http_request_t *r)
{
    ngx_http_iri_header_ctx_t *ctx = ngx_http_iri_header_ctx(r);
    ngx_uint_t                 status = r->headers_out.status;

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


ngx_int_t
ngx_http_iri_write_references(ngx_http_request_t *r)
{
    if (r != r->main) {
        return NGX_OK;
    }

    if (ngx_http_iri_write_other_fields(r) != NGX_OK) {
        return NGX_ERROR;
    }

    if (r->headers_out.location != NULL
        && ngx_http_iri_write_location(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_iri_write_link(r);
}
