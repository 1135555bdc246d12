/*
 * mod_iri_choice.c - 300: a list of the names that a request may refer to
 *
 * With IRIAmbiguous 300 the client gets a list in HTML or JSON.  The list
 * contains the choices that the client may get by the rules of their own paths.
 * It is sent only after the rules of the requested path have granted access.
 * If the client may get none of them, no choice is taken or revealed: the name
 * counts as absent.
 */

#include "mod_iri_answer.h"
#include "mod_iri_probe.h"
#include "mod_iri_request.h"
#include "mod_iri_tree.h"

#include "iri_listing.h"

/* ---- choices that the client may get ------------------------------------ */

/*
 * Returns: 1 if the subrequest opens the entry of the choice.  If a rule maps
 * it to another file, the choice is not revealed.
 */
static int
mod_iri_opens_choice(request_rec *rr, const mod_iri_request_t *ctx,
                     const char *choice)
{
    const iri_search_t *search = &ctx->lookup->search;
    const char         *name = choice + search->prefix, *names;
    size_t              len = strlen(name);
    iri_env_apr_t       env;

    if (rr->filename == NULL || strlen(rr->filename) < search->root.len
        || memcmp(rr->filename, search->root.data, search->root.len) != 0)
    {
        return 0;
    }
    mod_iri_env_init(&env, rr);
    names = mod_iri_entry_names(rr, &env, mod_iri_dup(rr->pool, search->root),
                                apr_pstrcat(rr->pool,
                                            rr->filename + search->root.len,
                                            rr->path_info, NULL));
    /* mod_dir may have continued with the index of a directory */
    return names != NULL && strncmp(names, name, len) == 0
           && (names[len] == '\0' || (len > 0 && name[len - 1] == '/'));
}

/*
 * Returns: 1 if the client may get this choice.  *is_directory: 1: it is a
 * directory, and uri lacks the "/" at its end.
 */
static int
mod_iri_is_accessible(mod_iri_probe_t *probe, const mod_iri_request_t *ctx,
                      const char *choice, const char *uri, int *is_directory)
{
    const char  *sent = probe->r->parsed_uri.query;
    int          accessible = 0;
    request_rec *rr;

    rr = mod_iri_probe_uri(
        probe, sent == NULL
                   ? uri
                   : apr_pstrcat(probe->r->pool, uri, "?", sent, NULL));

    /* mod_dir redirects to add the slash of a directory */
    *is_directory = rr->finfo.filetype == APR_DIR
                    && uri[strlen(uri) - 1] != '/';
    if (rr->status == HTTP_OK && !rr->proxyreq) {
        accessible = mod_iri_opens_choice(rr, ctx, choice)
                     && mod_iri_is_readable(rr);
    }
    ap_destroy_sub_req(rr);
    return accessible;
}

/*
 * Returns: the path of a choice as it is shown to the client, for a directory
 * with "/" at its end; NULL: the client may not get it.
 */
static const char *
mod_iri_visible_choice(mod_iri_probe_t *probe, const mod_iri_request_t *ctx,
                       const iri_env_t *env, iri_str_t path)
{
    apr_pool_t *pool = probe->r->pool;
    const char *choice = mod_iri_dup(pool, path);
    int         is_directory = 0, accessible, with_slash;
    iri_str_t   uri;

    for (with_slash = 0; with_slash < 2; with_slash++) {
        if (iri_path_to_uri(env, mod_iri_str(choice), &uri) != IRI_OK) {
            return NULL;
        }
        accessible = mod_iri_is_accessible(
            probe, ctx, choice, mod_iri_dup(pool, uri), &is_directory);
        if (!is_directory) {
            return accessible ? choice : NULL;
        }
        choice = apr_pstrcat(pool, choice, "/", NULL);
    }
    return NULL;
}

/* Keep the choices that the client may get. */
static void
mod_iri_filter_choices(request_rec *r, mod_iri_request_t *ctx)
{
    iri_found_t    *found = &ctx->lookup->found;
    const char     *visible;
    mod_iri_probe_t probe;
    iri_env_apr_t   env;
    size_t          i, count = 0;

    mod_iri_env_init(&env, r);
    mod_iri_probe_init(&probe, r);
    for (i = 0; i < found->count; i++) {
        visible = mod_iri_visible_choice(&probe, ctx, &env.env,
                                         found->choices[i]);
        if (visible != NULL) {
            found->choices[count++] = mod_iri_str(visible);
        }
    }
    found->count = count;
}

/* ---- the answer --------------------------------------------------------- */

static int
mod_iri_send_choices(request_rec *r, const iri_found_t *found)
{
    /* r->args may come from a RewriteRule */
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
    mod_iri_env_init(&env, r);
    status = is_json ? iri_choices_json(&env.env, &choices, &body)
                     : iri_choices_html(&env.env, &choices, &body);
    if (status != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    /* ap_invoke_handler() inserts filters, but does not run for this answer */
    ap_run_insert_filter(r);
    r->status = HTTP_MULTIPLE_CHOICES;
    ap_set_content_type(r, is_json ? "application/json"
                                   : "text/html; charset=utf-8");
    ap_set_content_length(r, (apr_off_t) body.len);
    apr_table_mergen(r->headers_out, "Vary", "Accept");
    /* the list depends on the user and on the entries that exist now */
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    mod_iri_set_page_headers(r, iri_choices_policy(is_json));
    ap_rwrite(body.data, (int) body.len, r);
    return DONE;
}

int
mod_iri_offer_choices(request_rec *r, mod_iri_request_t *ctx)
{
    iri_shown_t shown;

    if (mod_iri_is_rule_redirect(r)) {
        return DECLINED;
    }
    mod_iri_note(r, IRI_LOG_INFO, iri_why_code(ctx->lookup->found.why),
                 "\"%s\" matches several names, match %s",
                 iri_show(&shown, mod_iri_str(r->uri)),
                 iri_match_text(ctx->lookup->found.match));
    if (ctx->lookup->search.write) {
        /* a write must not create another name with the same folded key */
        return HTTP_CONFLICT;
    }
    if (r->method_number == M_GET && ap_is_initial_req(r)) {
        mod_iri_filter_choices(r, ctx);
        if (ctx->lookup->found.count > 0) {
            return mod_iri_send_choices(r, &ctx->lookup->found);
        }
    }
    return DECLINED;
}
