/*
 * mod_iri_choice.c - 300: a list of the names that a request may refer to
 *
 * With IRIAmbiguous 300 the client gets a list in HTML or JSON.  The list
 * contains the choices that the client may get by the rules of their own paths.
 * It is sent only after the rules of the requested path have granted access.
 * If the client may get none of them, no choice is taken or revealed: the name
 * counts as absent.
 */

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

    if (rr->filename == NULL || strlen(rr->filename) < search->root.len
        || memcmp(rr->filename, search->root.data, search->root.len) != 0)
    {
        return 0;
    }
    names = mod_iri_entry_names(rr, mod_iri_dup(rr->pool, search->root),
                                apr_pstrcat(rr->pool,
                                            rr->filename + search->root.len,
                                            rr->path_info, NULL));
    /* mod_dir may have continued with the index of a directory */
    return names != NULL && strncmp(names, name, len) == 0
           && (names[len] == '\0' || (len > 0 && name[len - 1] == '/'));
}

static iri_name_result_t
mod_iri_choice_result(void *data, const iri_listing_entry_t *entry,
                      request_rec *rr)
{
    return rr->status == HTTP_OK
                   && mod_iri_opens_choice(rr, data,
                                           mod_iri_dup(rr->pool, entry->path))
                   && mod_iri_is_readable(rr)
               ? IRI_NAME_LINKED
               : IRI_NAME_HIDDEN;
}

/* ---- the answer --------------------------------------------------------- */

static int
mod_iri_send_choices(request_rec *r, mod_iri_request_t *ctx)
{
    const iri_found_t *found = &ctx->lookup->found;
    /* r->args may come from a RewriteRule */
    const char     *sent = mod_iri_query_sent(r);
    const char     *accept = apr_table_get(r->headers_in, "Accept");
    iri_choices_t   choices;
    iri_listing_t  *listing;
    iri_page_t      page;
    iri_status_t    status;
    mod_iri_probe_t probe;
    apr_pool_t     *pool;

    choices.asked = found->path;
    choices.has_query = sent != NULL;
    choices.query = mod_iri_str(sent ? sent : "");
    choices.accept = mod_iri_str(accept ? accept : "");
    choices.paths = found->choices;
    choices.count = found->count;
    choices.more = found->more;
    status = iri_choices_begin(mod_iri_env(r), &choices, &listing);
    if (status == IRI_OK) {
        mod_iri_probe_init(&probe, r);
        apr_pool_create(&pool, r->pool);
        status = mod_iri_probe_names(&probe, listing, r->parsed_uri.query,
                                     pool, mod_iri_choice_result, ctx);
        apr_pool_destroy(pool);
    }
    if (status == IRI_OK) {
        status = iri_listing_page(listing, &page);
    }
    if (status != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (page.status == HTTP_NOT_FOUND) {
        return DECLINED;
    }
    /* ap_invoke_handler() inserts filters, but does not run for this answer */
    ap_run_insert_filter(r);
    mod_iri_send_page(r, &page);
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
    return r->method_number == M_GET && ap_is_initial_req(r)
                   && ctx->lookup->found.count > 0
               ? mod_iri_send_choices(r, ctx)
               : DECLINED;
}
