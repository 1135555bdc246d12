/*
 * ngx_http_iri_location.c - Location and Link of what is answered
 *
 * nginx writes into Location what a configuration says, with the octets of
 * variables and captures, and repeats what an upstream says.  Before the
 * header is written, and before nginx completes it as absolute_redirect says,
 * it becomes a URI-reference by the core's iri_location_field: a path of this
 * server canonical; what an upstream says, rewritten by proxy_redirect or not,
 * keeps its meaning and is only escaped.
 *
 * And iri_redirect link: the page says what its own address is.
 */

#include "ngx_http_iri.h"


/* ---- references --------------------------------------------------------- */

/* The port that the client came to; 0: it is none. */
static unsigned
ngx_http_iri_port(ngx_http_request_t *r)
{
    return r->connection->local_sockaddr != NULL
               ? ngx_inet_get_port(r->connection->local_sockaddr)
               : 0;
}


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
    conf.hosts = &iscf->host;
    conf.host = ngx_http_iri_in(r->headers_in.server);
    conf.port = ngx_http_iri_port(r);
    conf.other = other != 0;
    conf.rooted = rooted != 0;

    ngx_http_iri_env(r, &env);

    if (iri_location_field(&env, &conf, ngx_http_iri_in(h->value), &value)
        != IRI_OK)
    {
        return NGX_ERROR;
    }

    h->value = ngx_http_iri_out(value);

    return NGX_OK;
}


/* ---- Location ----------------------------------------------------------- */

/*
 * nginx would put the client's Host before the path; where that cannot stand
 * in a URI the path goes without, and must not look like an authority then.
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

    /* It stays among the headers, as the Location of an upstream does. */
    r->headers_out.location = NULL;

    return NGX_OK;
}


/* What nginx itself will look at. */
static ngx_int_t
ngx_http_iri_write_location(ngx_http_request_t *r)
{
    ngx_uint_t                completed;
    ngx_table_elt_t          *h = r->headers_out.location;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    completed = clcf->absolute_redirect && h->value.len != 0
                && h->value.data[0] == '/';

    if (ngx_http_iri_write_reference(
            r, h, r->upstream != NULL && !r->error_page, completed)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return completed && !clcf->server_name_in_redirect
                   && !iri_is_uri_host(ngx_http_iri_in(r->headers_in.server))
               ? ngx_http_iri_leave_relative(r)
               : NGX_OK;
}


static ngx_uint_t
ngx_http_iri_is_field(const ngx_table_elt_t *h, const char *name)
{
    return h->hash != 0 && h->key.len == ngx_strlen(name)
           && ngx_strncasecmp(h->key.data, (u_char *) name, h->key.len) == 0;
}


/* The fields of an upstream, or of a module, that nginx does not look at. */
static ngx_int_t
ngx_http_iri_write_others(ngx_http_request_t *r)
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
ngx_http_iri_keep_link(ngx_http_request_t *r, iri_str_t location)
{
    iri_env_t           env;
    iri_str_t           link;
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_http_iri_ctx_make(r);
    ngx_http_iri_env(r, &env);

    if (ctx == NULL || iri_canonical_link(&env, location, &link) != IRI_OK) {
        return NGX_ERROR;
    }

    ctx->link = ngx_http_iri_out(link);

    return NGX_OK;
}


/*
 * Of the page itself: what stands in for it has no address of its own.  A 304
 * stands for the 200 before: a module inside of nginx sees it as such, one that
 * is loaded sees the 200 that nginx makes a 304 of.
 */
static ngx_int_t
ngx_http_iri_write_link(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);
    ngx_uint_t          status = r->headers_out.status;

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
ngx_http_iri_write_places(ngx_http_request_t *r)
{
    if (r != r->main) {
        return NGX_OK;
    }

    if (ngx_http_iri_write_others(r) != NGX_OK) {
        return NGX_ERROR;
    }

    if (r->headers_out.location != NULL
        && ngx_http_iri_write_location(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_iri_write_link(r);
}
