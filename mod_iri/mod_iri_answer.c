/*
 * mod_iri_answer.c - what the client is told
 *
 * IRIRedirect, and what programs are told.
 */

#include "mod_iri.h"

/* ---- IRIRedirect -------------------------------------------------------- */

/*
 * mod_rewrite leads on to another path, whose rules have not judged yet: a
 * name that was found must not be told.
 */
static int
mod_iri_is_led_on(const request_rec *r, const mod_iri_request_t *ctx)
{
    return ctx->started_over && r->handler != NULL
           && strcmp(r->handler, "redirect-handler") == 0;
}

/* A name that is only near leads to nothing in a directory without it. */
static int
mod_iri_is_led_nowhere(const request_rec *r, const mod_iri_request_t *ctx)
{
    return ctx->moved_by >= IRI_MATCH_WIDTH && r->finfo.filetype == APR_NOFILE
           && !r->proxyreq;
}

static int
mod_iri_is_redirected(const request_rec *r, const mod_iri_request_t *ctx)
{
    return r->method_number == M_GET && ap_is_initial_req((request_rec *) r)
           && ctx->uri != NULL && ctx->has_reading && !ctx->rewritten
           && !mod_iri_is_led_on(r, ctx) && !mod_iri_is_led_nowhere(r, ctx);
}

/* A directory that mod_dir will redirect to, with the slash that it lacks. */
static int
mod_iri_lacks_slash(const request_rec *r)
{
    return r->finfo.filetype == APR_DIR && r->uri[0] != '\0'
           && r->uri[strlen(r->uri) - 1] != '/';
}

/*
 * After access was granted and all other fixups have let the client in, so
 * that the redirect tells nothing about names that it may not see.  Where the
 * client's own Host could not stand in a URI (HttpProtocolOptions Unsafe) it
 * gets the file.
 */
static int
mod_iri_redirect_to(request_rec *r, const mod_iri_request_t *ctx)
{
    const mod_iri_dir_t *dir = ap_get_module_config(r->per_dir_config,
                                                    &iri_module);
    const char          *sent;
    iri_str_t            path, query, location;
    iri_env_apr_t        env;

    if (dir == NULL || dir->redirect <= 0 || !mod_iri_is_redirected(r, ctx)
        || (dir->redirect != IRI_REDIRECT_LINK
            && !iri_is_uri_host(mod_iri_str(ap_get_server_name_for_url(r)))))
    {
        return DECLINED;
    }
    mod_iri_env(&env, r);
    /* not r->args, which a RewriteRule may have made */
    sent = mod_iri_query_sent(r);
    query = mod_iri_str(sent ? sent : "");
    path = ctx->started_over ? mod_iri_str(ctx->path) : ctx->reading.path;
    if (iri_location(&env.env, &ctx->reading, path, sent != NULL, query,
                     &location)
        != IRI_OK)
    {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (location.len == 0) {
        return DECLINED;
    }
    if (dir->redirect == IRI_REDIRECT_LINK) {
        return mod_iri_add_link(r, location);
    }
    mod_iri_status_redirected(r, dir->redirect);
    apr_table_setn(
        r->headers_out, "Location",
        ap_construct_url(r->pool, mod_iri_dup(r->pool, location), r));
    return dir->redirect;
}

/*
 * The last of all rules, before modules that make something of a name that
 * is not there.
 */
int
mod_iri_redirect(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    mod_iri_ask_keep(r);
    if (ctx == NULL || mod_iri_server(r->server)->engine != IRI_ENGINE_ON) {
        return DECLINED;
    }
    if (ctx->has_found && ctx->found.answer == IRI_CHOOSE) {
        return mod_iri_choose(r, ctx);
    }
    return mod_iri_lacks_slash(r) ? DECLINED : mod_iri_redirect_to(r, ctx);
}

/* Behind mod_dir, which has not redirected: one redirect, not two. */
int
mod_iri_redirect_directory(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx == NULL || mod_iri_server(r->server)->engine != IRI_ENGINE_ON) {
        return DECLINED;
    }
    return mod_iri_lacks_slash(r) ? mod_iri_redirect_to(r, ctx) : DECLINED;
}

/* ---- variables, names of variants --------------------------------------- */

int
mod_iri_fixups(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    if ((ctx == NULL && r->handler == NULL)
        || mod_iri_server(r->server)->engine != IRI_ENGINE_ON)
    {
        return DECLINED;
    }
    mod_iri_vars_last(r, ctx);
    if (ctx != NULL && !ctx->plain) {
        mod_iri_negotiated(r);
    }
    return DECLINED;
}
