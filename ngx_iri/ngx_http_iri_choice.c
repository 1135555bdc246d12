/*
 * ngx_http_iri_choice.c - iri_ambiguous 300: a list of candidates
 *
 * Several entries match the path equally well (design 5.4).  The content
 * handler judges the candidates as a listing judges its entries
 * (ngx_http_iri_entries.c), and lists those that the client may get.  If the
 * client may get none, the request ends with 404.
 */

#include "ngx_http_iri_listing.h"


/* Set *accept to the values of all fields Accept, each followed by ",". */
static ngx_int_t
ngx_http_iri_choice_accept(ngx_http_request_t *r, iri_str_t *accept)
{
    u_char          *p;
    ngx_uint_t       i = 0;
    ngx_list_part_t *part = &r->headers_in.headers.part;
    ngx_table_elt_t *h;

    accept->data = (u_char *) "";
    accept->len = 0;

    while ((h = ngx_http_iri_field_next(&part, &i, "Accept")) != NULL) {
        p = ngx_pnalloc(r->pool, accept->len + h->value.len + 1);
        if (p == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(p, accept->data, accept->len);
        ngx_memcpy(p + accept->len, h->value.data, h->value.len);
        accept->data = p;
        accept->len += h->value.len;
        p[accept->len++] = ',';
    }

    return NGX_OK;
}


/* The content handler. */
static ngx_int_t
ngx_http_iri_choice_handler(ngx_http_request_t *r)
{
    iri_lookup_t           *found = ngx_http_iri_find(r);
    iri_choices_t           choices;
    ngx_http_iri_listing_t *listing = ngx_http_iri_listing_create(r);

    r->content_handler = NULL;

    if (found == NULL || listing == NULL
        || ngx_http_iri_choice_accept(r, &choices.accept) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    choices.asked = found->found.path;
    choices.has_query = ngx_http_iri_sent_query(r, &choices.query) != 0;
    choices.paths = found->found.choices;
    choices.count = found->found.count;
    choices.more = found->found.more;
    listing->judging = 1;

    return iri_choices_begin(&listing->env, &choices, &listing->page)
                   == IRI_OK
               ? ngx_http_iri_listing_start(r)
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/*
 * Only the main request gets a list, and only if its path was not rewritten:
 * the list would disclose the path that a rule has set, or that of a
 * subrequest.  Under alias with captures, the candidates are not paths of
 * requests.  If there is a listing, the client may get none of them.
 */
ngx_int_t
ngx_http_iri_choice(ngx_http_request_t *r, const iri_lookup_t *found)
{
    ngx_http_iri_ctx_t      *ctx = ngx_http_iri_ctx(r);
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    if (found->found.verdict != IRI_CHOOSE || found->found.count == 0
        || ilcf->clcf->alias == NGX_MAX_SIZE_T_VALUE || r != r->main
        || r->internal || r->content_handler != NULL || ctx->snapshot == NULL
        || !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
        || ngx_http_iri_listing(r) != NULL)
    {
        return NGX_DECLINED;
    }

    r->content_handler = ngx_http_iri_choice_handler;

    return NGX_OK;
}
