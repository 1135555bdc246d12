/*
 * mod_iri_choice.c - several names that a request may mean
 *
 * Where IRIAmbiguous is 300 the client gets a list of them, in HTML or JSON:
 * of those that it could get, each by the rules of its own path, and only
 * after those of the path that it asked for have let it in.  Otherwise none
 * of them is taken and nothing is told: the name is absent.
 */

#include "mod_iri.h"

/* ---- which of them ------------------------------------------------------ */

/*
 * Would this subrequest open what the choice stands for?  A rule may lead to
 * something else, so that this name is none of the client's business.
 */
static int
mod_iri_is_opened(request_rec *rr, const mod_iri_request_t *ctx,
                  const char *choice)
{
    const iri_search_t *search = &ctx->search;
    const char         *name = choice + search->prefix, *names;
    size_t              len = strlen(name);
    iri_env_apr_t       env;

    if (rr->filename == NULL || strlen(rr->filename) < search->root.len
        || memcmp(rr->filename, search->root.data, search->root.len) != 0)
    {
        return 0;
    }
    mod_iri_env(&env, rr);
    names = mod_iri_names(rr, &env, mod_iri_dup(rr->pool, search->root),
                          apr_pstrcat(rr->pool,
                                      rr->filename + search->root.len,
                                      rr->path_info, NULL));
    /* below a directory mod_dir may have gone on to its index */
    return names != NULL && strncmp(names, name, len) == 0
           && (names[len] == '\0' || (len > 0 && name[len - 1] == '/'));
}

/* Could the client get this one? */
static int
mod_iri_may_have(mod_iri_asker_t *asker, const mod_iri_request_t *ctx,
                 const char *choice, const char *uri, int *is_directory)
{
    const char  *sent = asker->r->parsed_uri.query;
    int          may = 0;
    request_rec *rr;

    rr = mod_iri_ask(asker, sent == NULL ? uri
                                         : apr_pstrcat(asker->r->pool, uri,
                                                       "?", sent, NULL));

    /* mod_dir redirects to a directory that lacks its slash */
    *is_directory = rr->finfo.filetype == APR_DIR
                    && uri[strlen(uri) - 1] != '/';
    if (rr->status == HTTP_OK && !rr->proxyreq) {
        may = mod_iri_is_opened(rr, ctx, choice) && mod_iri_is_readable(rr);
    }
    ap_destroy_sub_req(rr);
    return may;
}

/* The choice as it is to be told; NULL: not at all. */
static const char *
mod_iri_told(mod_iri_asker_t *asker, const mod_iri_request_t *ctx,
             const iri_env_t *env, iri_str_t path)
{
    apr_pool_t *pool = asker->r->pool;
    const char *choice = mod_iri_dup(pool, path);
    int         is_directory = 0, may, with_slash;
    iri_str_t   uri;

    for (with_slash = 0; with_slash < 2; with_slash++) {
        if (iri_path_to_uri(env, mod_iri_str(choice), &uri) != IRI_OK) {
            return NULL;
        }
        may = mod_iri_may_have(asker, ctx, choice, mod_iri_dup(pool, uri),
                               &is_directory);
        if (!is_directory) {
            return may ? choice : NULL;
        }
        choice = apr_pstrcat(pool, choice, "/", NULL);
    }
    return NULL;
}

/* Keep those that the client could get. */
static void
mod_iri_select(request_rec *r, mod_iri_request_t *ctx)
{
    iri_found_t    *found = &ctx->found;
    const char     *told;
    mod_iri_asker_t asker;
    iri_env_apr_t   env;
    size_t          i, count = 0;

    mod_iri_env(&env, r);
    mod_iri_ask_begin(&asker, r);
    for (i = 0; i < found->count; i++) {
        told = mod_iri_told(&asker, ctx, &env.env, found->choices[i]);
        if (told != NULL) {
            found->choices[count++] = mod_iri_str(told);
        }
    }
    found->count = count;
}

/* ---- the answer --------------------------------------------------------- */

static int
mod_iri_send_choices(request_rec *r, const iri_found_t *found)
{
    /* not r->args, which a RewriteRule may have made */
    const char *sent = mod_iri_query_sent(r);
    const char *accept = apr_table_get(r->headers_in, "Accept");
    int         is_json = iri_prefers_json(mod_iri_str(accept ? accept : ""));
    iri_choices_t choices;
    iri_env_apr_t env;
    iri_str_t     body;
    iri_status_t  status;

    memset(&choices, 0, sizeof(choices));
    choices.asked = found->path;
    choices.has_query = sent != NULL;
    choices.query = mod_iri_str(sent ? sent : "");
    choices.paths = found->choices;
    choices.count = found->count;
    choices.more = found->more;
    mod_iri_env(&env, r);
    status = is_json ? iri_choices_json(&env.env, &choices, &body)
                     : iri_choices_html(&env.env, &choices, &body);
    if (status != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    /* as ap_invoke_handler() does, of which there is no more need */
    ap_run_insert_filter(r);
    r->status = HTTP_MULTIPLE_CHOICES;
    ap_set_content_type(r, is_json ? "application/json"
                                   : "text/html; charset=utf-8");
    ap_set_content_length(r, (apr_off_t) body.len);
    apr_table_mergen(r->headers_out, "Vary", "Accept");
    /* what is told depends on who asks, and on what there is just now */
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    mod_iri_protect(r, iri_choices_policy(is_json));
    ap_rwrite(body.data, (int) body.len, r);
    return DONE;
}

int
mod_iri_choose(request_rec *r, mod_iri_request_t *ctx)
{
    iri_shown_t shown;

    if (mod_iri_is_led_on(r)) {
        return DECLINED;
    }
    mod_iri_note(r, IRI_LOG_INFO, iri_why_code(ctx->found.why),
                 "\"%s\" may mean several names, match %s",
                 iri_show(&shown, mod_iri_str(r->uri)),
                 iri_match_text(ctx->found.match));
    if (ctx->search.write) {
        return HTTP_CONFLICT; /* no name more that is like the others */
    }
    if (r->method_number == M_GET && ap_is_initial_req(r)) {
        mod_iri_select(r, ctx);
        if (ctx->found.count > 0) {
            return mod_iri_send_choices(r, &ctx->found);
        }
    }
    return DECLINED;
}
