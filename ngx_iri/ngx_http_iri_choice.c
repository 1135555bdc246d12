/*
 * ngx_http_iri_choice.c - iri_ambiguous 300: a list of candidates
 *
 * Several entries match the path equally well (design 5.4).  The response lists
 * the candidates that the client may get.  Subrequests judge the candidates one
 * after the other (ngx_http_iri_judge.c).  If the client may get none, the
 * request ends with 404.
 */

#include "ngx_http_iri_listing.h"


struct ngx_http_iri_choice_s {
    iri_str_t *paths;         /* canonical paths of the candidates */
    iri_str_t *allowed;       /* those of paths that the client may get */
    size_t     count;         /* of paths */
    size_t     next;          /* index of the next candidate to judge */
    size_t     allowed_count; /* of allowed */
    iri_str_t  requested;     /* the path of the request */
    int        more; /* 1: there are more candidates, which are not listed */
    ngx_uint_t judging; /* 1: a subrequest for paths[next] was started */
    ngx_http_iri_judge_t judge;
};


/* ---- judging a candidate ------------------------------------------------ */

/*
 * The subrequest for paths[next] has ended.  The candidate is allowed if the
 * rules grant access and nginx can open the file.
 */
static ngx_int_t
ngx_http_iri_choice_collect(ngx_http_request_t    *r,
                            ngx_http_iri_choice_t *choice)
{
    iri_str_t                  *path = &choice->paths[choice->next];
    const ngx_http_iri_judge_t *judge = &choice->judge;

    choice->judging = 0;
    ngx_http_iri_judge_release(r, &choice->judge);

    if (judge->status == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (judge->can_open) {
        if (judge->is_dir && path->len != 0
            && path->data[path->len - 1] != '/') {
            /* nginx redirects to the path with "/": judge this path next. */
            return ngx_http_iri_add_slash(r, path);
        }

        choice->allowed[choice->allowed_count++] = *path;
    }

    choice->next++;

    return NGX_OK;
}


/* ---- the response ------------------------------------------------------- */

/* Set *accept to the values of all fields Accept, each followed by ",". */
static ngx_int_t
ngx_http_iri_choice_accept(ngx_http_request_t *r, iri_str_t *accept)
{
    u_char          *p;
    ngx_uint_t       i;
    ngx_list_part_t *part = &r->headers_in.headers.part;
    ngx_table_elt_t *h;

    accept->data = (u_char *) "";
    accept->len = 0;

    for (; part != NULL; part = part->next) {
        for (h = part->elts, i = 0; i < part->nelts; i++) {
            if (h[i].key.len != sizeof("Accept") - 1
                || ngx_strncasecmp(h[i].key.data, (u_char *) "Accept",
                                   sizeof("Accept") - 1)
                       != 0)
            {
                continue;
            }

            p = ngx_pnalloc(r->pool, accept->len + h[i].value.len + 1);
            if (p == NULL) {
                return NGX_ERROR;
            }

            ngx_memcpy(p, accept->data, accept->len);
            ngx_memcpy(p + accept->len, h[i].value.data, h[i].value.len);
            accept->data = p;
            accept->len += h[i].value.len;
            p[accept->len++] = ',';
        }
    }

    return NGX_OK;
}


/*
 * The content handler.  The list depends on the client's access and on the
 * present entries, so it must not be stored.
 */
static ngx_int_t
ngx_http_iri_choice_page(ngx_http_request_t *r)
{
    int                      json;
    iri_env_t                env;
    iri_str_t                accept, body;
    iri_choices_t            choices;
    ngx_http_iri_choice_t   *choice = ngx_http_iri_listing_ctx(r)->choice;
    ngx_http_complex_value_t page;

    static ngx_str_t vary = ngx_string("Accept");

    if (ngx_http_iri_choice_accept(r, &accept) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    json = iri_prefers_json(accept);
    ngx_http_iri_env(r, &env);

    ngx_memzero(&choices, sizeof(iri_choices_t));
    choices.asked = choice->requested;
    choices.has_query = ngx_http_iri_sent_query(r, &choices.query) != 0;
    choices.paths = choice->allowed;
    choices.count = choice->allowed_count;
    choices.more = choice->more;

    if ((json ? iri_choices_json(&env, &choices, &body)
              : iri_choices_html(&env, &choices, &body))
            != IRI_OK
        || ngx_http_iri_header_add(r, "Vary", vary) == NULL
        || ngx_http_iri_page_fields(r, json != 0, "no-store") != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_str_set(&r->headers_out.status_line, "300 Multiple Choices");

    ngx_memzero(&page, sizeof(ngx_http_complex_value_t));
    page.value = ngx_http_iri_ngx_str(body);

    return ngx_http_send_response(r, NGX_HTTP_SPECIAL_RESPONSE, NULL, &page);
}


/* ---- the request -------------------------------------------------------- */

/*
 * Only the main request gets a list, and only if its path was not rewritten:
 * the list would disclose the path that a rule has set, or that of a
 * subrequest.  Under alias with captures, the candidates are not paths of
 * requests.
 */
static ngx_uint_t
ngx_http_iri_may_choose(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx,
                        const iri_lookup_t *found)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return found->found.verdict == IRI_CHOOSE && found->found.count != 0
           && ilcf->configured->alias != NGX_MAX_SIZE_T_VALUE && r == r->main
           && !r->internal && r->content_handler == NULL
           && ctx->snapshot != NULL
           && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD));
}


static ngx_http_iri_choice_t *
ngx_http_iri_choice_begin(ngx_http_request_t *r, const iri_lookup_t *found)
{
    ngx_http_iri_choice_t *choice;

    choice = ngx_pcalloc(r->pool, sizeof(ngx_http_iri_choice_t));
    if (choice == NULL) {
        return NULL;
    }

    choice->requested = found->found.path;
    choice->more = found->found.more;
    choice->paths = found->found.choices;
    choice->count = found->found.count;
    choice->allowed = ngx_palloc(r->pool, choice->count * sizeof(iri_str_t));

    return choice->allowed != NULL ? choice : NULL;
}


ngx_int_t
ngx_http_iri_choice(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                    const iri_lookup_t *found)
{
    ngx_int_t                   rc;
    ngx_http_iri_choice_t      *choice;
    ngx_http_iri_listing_ctx_t *lctx;

    if (!ngx_http_iri_may_choose(r, ctx, found)) {
        return NGX_DECLINED;
    }

    lctx = ngx_http_iri_listing_ctx(r);
    if (lctx == NULL) {
        return NGX_ERROR;
    }

    if (lctx->choice == NULL) {
        lctx->choice = ngx_http_iri_choice_begin(r, found);
        if (lctx->choice == NULL) {
            return NGX_ERROR;
        }
    }

    choice = lctx->choice;

    if (choice->judge.sr != NULL) {
        return NGX_AGAIN;
    }

    rc = choice->judging ? ngx_http_iri_choice_collect(r, choice) : NGX_OK;
    if (rc != NGX_OK) {
        return rc;
    }

    if (choice->next < choice->count) {
        choice->judging = 1;
        return ngx_http_iri_judge_start(r, &choice->judge,
                                        choice->paths[choice->next], 0);
    }

    if (choice->allowed_count == 0) {
        return NGX_DECLINED;
    }

    r->content_handler = ngx_http_iri_choice_page;

    return NGX_OK;
}
