/*
 * ngx_http_iri_choice.c - several names that a request may mean
 *
 * A page lists them, but only those that the client could get, which is asked
 * for each (ngx_http_iri_judge.c).  One after the other; then the page, or 404
 * where none is left.
 */

#include "ngx_http_iri.h"


struct ngx_http_iri_choice_s {
    iri_str_t *paths; /* that may be meant */
    iri_str_t *left;  /* and that the client could get */
    size_t     count;
    size_t     next;
    size_t     lefts;
    iri_str_t  asked;     /* the path that was asked for */
    int        more;      /* there are others, of which none is told */
    ngx_uint_t asked_for; /* the next is being judged, or has been */
    ngx_http_iri_judged_t judged;
};


/* ---- judging one -------------------------------------------------------- */

/* It is left if the rules let it pass, and nginx would open it, too. */
static ngx_int_t
ngx_http_iri_choice_take(ngx_http_request_t *r, ngx_http_iri_choice_t *choice)
{
    iri_str_t                   *path = &choice->paths[choice->next];
    const ngx_http_iri_judged_t *judged = &choice->judged;

    choice->asked_for = 0;
    ngx_http_iri_judge_release(r, &choice->judged);

    if (judged->opens) {
        if (judged->is_dir && path->len != 0
            && path->data[path->len - 1] != '/') {
            /* nginx redirects to it, and other rules may hold there. */
            return ngx_http_iri_add_slash(r, path);
        }

        choice->left[choice->lefts++] = *path;
    }

    choice->next++;

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_choice_ask(ngx_http_request_t *r, ngx_http_iri_choice_t *choice)
{
    iri_str_t path = choice->paths[choice->next];

    if (ngx_http_iri_judge_begin(r, &choice->judged) != NGX_OK) {
        return NGX_ERROR;
    }

    choice->asked_for = 1;

    return ngx_http_iri_judge_ask(r, &choice->judged, path, path);
}


/* ---- the page ----------------------------------------------------------- */

/* The values of all Accept fields, joined. */
static ngx_int_t
ngx_http_iri_accept(ngx_http_request_t *r, iri_str_t *accept)
{
    u_char          *p;
    size_t           len = 0, pass;
    ngx_uint_t       i;
    ngx_list_part_t *part;
    ngx_table_elt_t *h;

    for (p = NULL, pass = 0; pass < 2; pass++) {
        for (part = &r->headers_in.headers.part; part; part = part->next) {
            h = part->elts;

            for (i = 0; i < part->nelts; i++) {
                if (h[i].key.len != sizeof("Accept") - 1
                    || ngx_strncasecmp(h[i].key.data, (u_char *) "Accept",
                                       sizeof("Accept") - 1)
                           != 0)
                {
                    continue;
                }

                if (pass == 0) {
                    len += h[i].value.len + 1;
                    continue;
                }

                p = ngx_cpymem(p, h[i].value.data, h[i].value.len);
                *p++ = ',';
            }
        }

        if (pass == 0) {
            p = ngx_pnalloc(r->pool, len + 1);
            if (p == NULL) {
                return NGX_ERROR;
            }

            accept->data = p;
            accept->len = len;
        }
    }

    return NGX_OK;
}


/*
 * Which names are in it depends on who asks, and on what there is just now;
 * its form on Accept.
 */
static ngx_int_t
ngx_http_iri_choice_head(ngx_http_request_t *r, int json, size_t len)
{
    static ngx_str_t accept = ngx_string("Accept");
    static ngx_str_t no_store = ngx_string("no-store");

    r->headers_out.status = NGX_HTTP_SPECIAL_RESPONSE;
    ngx_str_set(&r->headers_out.status_line, "300 Multiple Choices");
    r->headers_out.content_length_n = (off_t) len;

    if (json) {
        ngx_str_set(&r->headers_out.content_type, "application/json");
    } else {
        ngx_str_set(&r->headers_out.content_type, "text/html");
        ngx_str_set(&r->headers_out.charset, "utf-8");
    }

    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_http_iri_header_add(r, "Vary", accept) == NULL
        || ngx_http_iri_header_add(r, "Cache-Control", no_store) == NULL
        || ngx_http_iri_protect(r, iri_choices_policy(json)) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_send_header(r);
}


static ngx_int_t
ngx_http_iri_choice_page(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_buf_t             *b;
    iri_env_t              env;
    iri_str_t              accept, body;
    int                    json;
    ngx_chain_t            out;
    iri_status_t           status;
    iri_choices_t          choices;
    ngx_http_iri_choice_t *choice = ngx_http_iri_ctx(r)->choice;

    if (ngx_http_discard_request_body(r) != NGX_OK
        || ngx_http_iri_accept(r, &accept) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    json = iri_prefers_json(accept);
    ngx_http_iri_env(r, &env);

    ngx_memzero(&choices, sizeof(iri_choices_t));
    choices.asked = choice->asked;
    choices.has_query = ngx_http_iri_query(r, &choices.query) != 0;
    choices.paths = choice->left;
    choices.count = choice->lefts;
    choices.more = choice->more;

    status = json ? iri_choices_json(&env, &choices, &body)
                  : iri_choices_html(&env, &choices, &body);

    b = ngx_calloc_buf(r->pool);
    if (status != IRI_OK || b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_iri_choice_head(r, json, body.len);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b->pos = (u_char *) body.data;
    b->last = b->pos + body.len;
    b->memory = 1;
    b->last_buf = 1;
    b->last_in_chain = 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


/* ---- the request -------------------------------------------------------- */

/*
 * What a rewrite has made is no name to tell a client, nor is it of a page
 * that only asks for another as a part of it.  Under alias with captures what
 * was found is no path of a request.
 */
static ngx_uint_t
ngx_http_iri_may_choose(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx,
                        const ngx_http_iri_found_t *found)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    return found->found.verdict == IRI_CHOOSE && found->found.count != 0
           && ilcf->plain->alias != NGX_MAX_SIZE_T_VALUE && r == r->main
           && !r->internal && r->content_handler == NULL
           && ctx->snapshot != NULL
           && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD));
}


static ngx_int_t
ngx_http_iri_choice_begin(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                          const ngx_http_iri_found_t *found)
{
    ngx_http_iri_choice_t *choice;

    choice = ngx_pcalloc(r->pool, sizeof(ngx_http_iri_choice_t));
    if (choice == NULL) {
        return NGX_ERROR;
    }

    choice->asked = found->found.path;
    choice->more = found->found.more;
    choice->paths = found->found.choices;
    choice->count = found->found.count;
    choice->left = ngx_palloc(r->pool, choice->count * sizeof(iri_str_t));
    if (choice->left == NULL) {
        return NGX_ERROR;
    }

    ctx->choice = choice;

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_choice(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                    const ngx_http_iri_found_t *found)
{
    ngx_http_iri_choice_t *choice;

    if (!ngx_http_iri_may_choose(r, ctx, found)) {
        return NGX_DECLINED;
    }

    if (ctx->choice == NULL
        && ngx_http_iri_choice_begin(r, ctx, found) != NGX_OK) {
        return NGX_ERROR;
    }

    choice = ctx->choice;

    if (choice->judged.sr != NULL) {
        return NGX_AGAIN;
    }

    if (choice->asked_for && ngx_http_iri_choice_take(r, choice) != NGX_OK) {
        return NGX_ERROR;
    }

    if (choice->next < choice->count) {
        return ngx_http_iri_choice_ask(r, choice);
    }

    if (choice->lefts == 0) {
        return NGX_DECLINED;
    }

    /* It is sent in the place of a file, behind all other handlers. */
    r->content_handler = ngx_http_iri_choice_page;

    return NGX_OK;
}
