/*
 * ngx_http_iri_choice.c - several names that a request may mean
 *
 * A page lists them, but only those that the client could get.  Who could is
 * for the rules of each path to say, so each is asked for in a subrequest
 * that goes through the rules of the server and of its own location as a
 * client's request would, with variables of its own, and ends where its
 * content would begin.  nginx asks no access rule about a subrequest: here
 * they are asked all the same, in the order and the sense that nginx gives
 * them.  One after the other; then the page, or 404 where none is left.
 */

#include "ngx_http_iri.h"


struct ngx_http_iri_choice_s {
    iri_str_t          *paths; /* that may be meant */
    iri_str_t          *left;  /* and that the client could get */
    size_t              count;
    size_t              next;
    size_t              lefts;
    ngx_http_request_t *sr;     /* asks for one; NULL: none is being asked */
    ngx_uint_t          access; /* where it is among the access rules */
    ngx_int_t           code;   /* what satisfy any has of them */
    iri_str_t           asked;  /* the path that was asked for */
    int                 more;   /* there are others, of which none is told */
    ngx_uint_t          once_more; /* a directory, now with its "/" */
};


/* ---- judging one -------------------------------------------------------- */

/* Some modules have nothing to say of what no client has asked for. */
static ngx_int_t
ngx_http_iri_access_rule(ngx_http_request_t *r, ngx_http_handler_pt handler)
{
    unsigned  internal = r->internal;
    ngx_int_t rc;

    r->internal = 0;
    rc = handler(r);
    r->internal = internal ? 1 : 0;

    return rc;
}


/*
 * The part of ngx_http_core_access_phase that decides.  NGX_OK: in;
 * NGX_AGAIN: a rule waits for something; else the status.
 */
static ngx_int_t
ngx_http_iri_access(ngx_http_request_t *r, ngx_http_iri_choice_t *choice)
{
    ngx_int_t                  rc;
    ngx_http_phase_handler_t  *ph;
    ngx_http_core_loc_conf_t  *clcf;
    ngx_http_core_main_conf_t *cmcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    ph = cmcf->phase_engine.handlers;

    for (; ph[choice->access].checker; choice->access++) {
        if (ph[choice->access].checker != ngx_http_core_access_phase) {
            continue;
        }

        rc = ngx_http_iri_access_rule(r, ph[choice->access].handler);

        if (rc == NGX_DECLINED) {
            continue;
        }

        if (rc == NGX_OK) {
            if (clcf->satisfy == NGX_HTTP_SATISFY_ANY) {
                return NGX_OK;
            }

        } else if (clcf->satisfy == NGX_HTTP_SATISFY_ANY
                   && (rc == NGX_HTTP_FORBIDDEN
                       || rc == NGX_HTTP_UNAUTHORIZED))
        {
            choice->code = rc;

        } else {
            return rc == NGX_DONE ? NGX_AGAIN : rc;
        }
    }

    return choice->code;
}


/*
 * nginx redirects to a directory that lacks its "/", and other rules may hold
 * for it there: so it is asked for once more.
 */
static ngx_int_t
ngx_http_iri_choice_slash(ngx_http_request_t    *r,
                          ngx_http_iri_choice_t *choice)
{
    u_char    *p;
    iri_str_t *path = &choice->paths[choice->next];

    p = ngx_pnalloc(r->pool, path->len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    *ngx_cpymem(p, path->data, path->len) = '/';
    path->data = p;
    path->len++;
    choice->once_more = 1;

    return NGX_OK;
}


/* The rules let it pass: it is left if nginx would open it, too. */
static ngx_int_t
ngx_http_iri_choice_leave(ngx_http_request_t         *r,
                          const ngx_http_iri_found_t *found,
                          ngx_http_iri_choice_t      *choice)
{
    ngx_int_t  rc;
    iri_str_t  path = choice->paths[choice->next];
    ngx_uint_t is_dir;

    if (found != NULL && r->content_handler == NULL) {
        rc = ngx_http_iri_opens(r, found, &is_dir);
        if (rc != NGX_OK) {
            return rc;
        }

        if (is_dir && path.len != 0 && path.data[path.len - 1] != '/') {
            return ngx_http_iri_choice_slash(r, choice);
        }
    }

    choice->left[choice->lefts++] = path;

    return NGX_OK;
}


/* Rules of the rewrite phase have ended it, or have let it come to here. */
ngx_int_t
ngx_http_iri_choice_judge(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                          const ngx_http_iri_found_t *found)
{
    ngx_int_t              rc;
    ngx_str_t              path;
    ngx_http_iri_choice_t *choice = ctx->choice;

    rc = ngx_http_iri_access(r, choice);
    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    path = ngx_http_iri_out(choice->paths[choice->next]);

    /* Where rules have made another path of it, it is none to tell. */
    if (rc == NGX_OK && ngx_http_iri_same(r->uri, path)
        && ngx_http_iri_choice_leave(r, found, choice) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    return NGX_HTTP_NO_CONTENT;
}


/* Whatever it has come to: nothing of it goes to the client. */
static ngx_int_t
ngx_http_iri_choice_done(ngx_http_request_t *sr, void *data, ngx_int_t rc)
{
    ngx_http_iri_choice_t *choice = data;

    if (choice->sr == sr) {
        choice->sr = NULL;
        choice->next += !choice->once_more;
        choice->once_more = 0;
    }

    return rc == NGX_ERROR || sr->connection->error ? NGX_ERROR : NGX_OK;
}


/*
 * As if the client had sent this path: what variables hold of another one
 * must not be taken for this.
 */
static ngx_int_t
ngx_http_iri_choice_own(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        ngx_http_request_t *sr)
{
    size_t                     size;
    iri_env_t                  env;
    iri_str_t                  uri;
    ngx_http_iri_ctx_t        *own;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    size = cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);

    own = ngx_http_iri_ctx_make(sr);
    sr->variables = ngx_palloc(r->pool, size);
    sr->request_body = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));

    ngx_http_iri_env(r, &env);

    if (own == NULL || sr->variables == NULL || sr->request_body == NULL
        || iri_path_to_uri(&env, ngx_http_iri_in(sr->uri), &uri) != IRI_OK)
    {
        return NGX_ERROR;
    }

    ngx_memcpy(sr->variables, ctx->kept.variables, size);
    sr->unparsed_uri = ngx_http_iri_out(uri);
    sr->header_only = 1;

    own->choice = ctx->choice;
    own->known = sr->uri;
    own->moved = 1; /* it is not to become another */
    own->judged_choice = 1;

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_choice_ask(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx)
{
    ngx_str_t                   uri;
    ngx_http_request_t         *sr;
    ngx_http_iri_choice_t      *choice = ctx->choice;
    ngx_http_post_subrequest_t *ps;

    ps = ngx_palloc(r->pool, sizeof(ngx_http_post_subrequest_t));
    if (ps == NULL) {
        return NGX_ERROR;
    }

    ps->handler = ngx_http_iri_choice_done;
    ps->data = choice;
    uri = ngx_http_iri_out(choice->paths[choice->next]);

    if (ngx_http_subrequest(r, &uri, NULL, &sr, ps,
                            NGX_HTTP_SUBREQUEST_WAITED)
            != NGX_OK
        || ngx_http_iri_choice_own(r, ctx, sr) != NGX_OK)
    {
        return NGX_ERROR;
    }

    choice->sr = sr;
    choice->access = 0;
    choice->code = NGX_OK;

    return NGX_AGAIN;
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


static ngx_int_t
ngx_http_iri_header_add(ngx_http_request_t *r, const char *key,
                        const char *value)
{
    ngx_table_elt_t *h;

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    h->hash = 1;
#if (nginx_version >= 1023000)
    h->next = NULL;
#endif
    h->key.data = (u_char *) key;
    h->key.len = ngx_strlen(key);
    h->value.data = (u_char *) value;
    h->value.len = ngx_strlen(value);

    return NGX_OK;
}


/*
 * Which names are in it depends on who asks, and on what there is just now;
 * its form on Accept.
 */
static ngx_int_t
ngx_http_iri_choice_head(ngx_http_request_t *r, ngx_uint_t json, size_t len)
{
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

    if (ngx_http_iri_header_add(r, "Vary", "Accept") != NGX_OK
        || ngx_http_iri_header_add(r, "Cache-Control", "no-store") != NGX_OK)
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
    ngx_uint_t             json;
    ngx_chain_t            out;
    iri_status_t           status;
    iri_choices_t          choices;
    ngx_http_iri_choice_t *choice = ngx_http_iri_ctx(r)->choice;

    if (ngx_http_discard_request_body(r) != NGX_OK
        || ngx_http_iri_accept(r, &accept) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    json = iri_prefers_json(accept) != 0;
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

    return found->found.answer == IRI_CHOOSE && found->found.count != 0
           && ilcf->plain->alias != NGX_MAX_SIZE_T_VALUE && r == r->main
           && !r->internal && r->content_handler == NULL
           && ctx->kept.variables != NULL
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

    if (choice->sr != NULL) {
        return NGX_AGAIN;
    }

    if (choice->next < choice->count) {
        return ngx_http_iri_choice_ask(r, ctx);
    }

    if (choice->lefts == 0) {
        return NGX_DECLINED;
    }

    /* It is sent in the place of a file, behind all other handlers. */
    r->content_handler = ngx_http_iri_choice_page;

    return NGX_OK;
}
