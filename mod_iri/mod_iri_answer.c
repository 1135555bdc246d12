/*
 * mod_iri_answer.c - redirects to the canonical URI
 *
 * Implements IRIRedirect, and sets the variables for handlers.  The core
 * decides whether a request may be redirected, and makes the Location.
 */

#include "mod_iri_answer.h"
#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

/* ---- IRIRedirect -------------------------------------------------------- */

/* A note: nothing was found before mod_dir has run. */
static const char mod_iri_absent_note[] = "mod_iri: absent";

/*
 * Returns: the request that the client sent, if only per-directory rules have
 * redirected it to r; NULL: r is a subrequest, an error page, or the result
 * of another redirect.
 */
static request_rec *
mod_iri_redirect_origin(request_rec *r)
{
    if (r->main != NULL) {
        return NULL;
    }
    while (r->prev != NULL) {
        if (mod_iri_is_error_page(r) || !mod_iri_is_rule_redirect(r->prev)) {
            return NULL;
        }
        r = r->prev;
    }
    return r;
}

/*
 * Returns: 1 if the method and the form of the path allow a redirect.  ctx: the
 * state of client; NULL: an ASCII path.
 */
static int
mod_iri_is_redirectable(const request_rec       *client,
                        const mod_iri_request_t *ctx)
{
    return client->method_number == M_GET
           && (ctx == NULL || ctx->uri != NULL
               || iri_request_form(ctx->state, 0) == IRI_FORM_ASCII);
}

/*
 * Returns: 1 for a directory to which mod_dir will add a slash by a redirect.
 */
static int
mod_iri_lacks_slash(const request_rec *r)
{
    return r->finfo.filetype == APR_DIR && r->uri[0] != '\0'
           && r->uri[strlen(r->uri) - 1] != '/';
}

/*
 * Returns: 1 if a handler was set that may answer for a path without a file.
 * default-handler, which SetHandler may name, sends files alone.
 */
static int
mod_iri_may_generate(const request_rec *r)
{
    return r->handler != NULL && strcmp(r->handler, "default-handler") != 0;
}

/*
 * Returns: whether the resource at path is known to exist, after all fixups.  A
 * rule may have mapped the request to another file, which r->finfo then
 * describes.  So r->finfo confirms a path only if the lookup has found that
 * path.
 */
static iri_presence_t
mod_iri_presence(const request_rec *r, const mod_iri_request_t *ctx,
                 iri_str_t path)
{
    if (r->proxyreq) {
        return IRI_UNCONFIRMED;
    }
    if (r->finfo.filetype == APR_NOFILE) {
        return mod_iri_may_generate(r) ? IRI_UNCONFIRMED : IRI_ABSENT;
    }
    if (iri_str_is_ascii(path)) {
        return IRI_PRESENT;
    }
    return ctx != NULL && ctx->lookup != NULL
                   && iri_found_confirms(path, ctx->lookup->found.path)
                   && (r->path_info == NULL
                       || iri_str_is_ascii(mod_iri_str(r->path_info)))
               ? IRI_PRESENT
               : IRI_UNCONFIRMED;
}

/*
 * Describe the request for the core, with the path and query that were sent:
 * r->uri and r->args may come from a RewriteRule.  ascii_reading: memory for
 * the reading of an ASCII path.
 */
static iri_status_t
mod_iri_redirect_init(const request_rec *r, const mod_iri_request_t *ctx,
                      const iri_env_t *env, iri_reading_t *ascii_reading,
                      iri_redirect_t *redirect)
{
    const char *query = mod_iri_query_sent(r);

    memset(redirect, 0, sizeof(*redirect));
    redirect->sent = mod_iri_path_sent(r);
    redirect->has_query = query != NULL;
    redirect->query = mod_iri_str(query ? query : "");
    return iri_request_redirect(
        ctx != NULL ? ctx->state : NULL, env,
        &mod_iri_server_conf(r->server)->reading,
        mod_iri_str(r->parsed_uri.path ? r->parsed_uri.path : r->uri),
        ascii_reading, redirect);
}

/* client: the result of mod_iri_redirect_origin() */
static int
mod_iri_send_redirect(request_rec *r, request_rec *client, int status,
                      iri_str_t location)
{
    if (status == IRI_REDIRECT_LINK) {
        return mod_iri_add_link(r, location);
    }
    iri_request_redirected(mod_iri_request_create(client)->state, status);
    apr_table_setn(
        r->headers_out, "Location",
        ap_construct_url(r->pool, mod_iri_dup(r->pool, location), r));
    return status;
}

/*
 * Redirect if IRIRedirect is set and the core allows it.
 *
 * This runs after access was granted and after all other fixups, so that the
 * redirect reveals no name that the client may not see.  If a per-directory
 * rule redirects internally, the request that it leads to is tested instead.
 * If the Host of the client is not valid in a URI (HttpProtocolOptions
 * Unsafe), the file is served without a redirect.
 */
static int
mod_iri_try_redirect(request_rec *r, iri_presence_t presence)
{
    request_rec              *client = mod_iri_redirect_origin(r);
    const mod_iri_request_t  *ctx;
    const mod_iri_dir_conf_t *dir;
    iri_redirect_t            redirect;
    iri_reading_t             ascii_reading;
    iri_str_t                 location;
    iri_env_apr_t             env;

    if (client == NULL || mod_iri_is_rule_redirect(r)) {
        return DECLINED;
    }
    dir = mod_iri_dir_conf(client);
    ctx = mod_iri_request(client);
    if (dir == NULL || dir->redirect <= 0
        || !mod_iri_is_redirectable(client, ctx)
        || (dir->redirect != IRI_REDIRECT_LINK
            && !iri_is_uri_host(mod_iri_str(ap_get_server_name_for_url(r)))))
    {
        return DECLINED;
    }
    mod_iri_env_init(&env, r);
    if (mod_iri_redirect_init(client, ctx, &env.env, &ascii_reading,
                              &redirect)
        != IRI_OK)
    {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (presence == IRI_PRESENT) {
        presence = mod_iri_presence(r, mod_iri_request(r), redirect.path);
    }
    if (presence == IRI_ABSENT) {
        apr_table_setn(r->notes, mod_iri_absent_note, "1");
    }
    if (!iri_may_redirect(mod_iri_str(r->method), &redirect, presence)) {
        return DECLINED;
    }
    if (iri_redirect_location(&env.env, &redirect, &location) != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return location.len != 0
               ? mod_iri_send_redirect(r, client, dir->redirect, location)
               : DECLINED;
}

/*
 * Returns: 1 for an ASCII path if IRIRedirect is off.  After an internal
 * redirect the result is 0, because IRIRedirect may be on for the path that was
 * sent.
 */
static int
mod_iri_is_redirect_off(const request_rec *r)
{
    const mod_iri_dir_conf_t *dir = mod_iri_dir_conf(r);

    return mod_iri_request(r) == NULL && r->prev == NULL
           && (dir == NULL || dir->redirect <= 0);
}

/*
 * Runs after all rules, and before mod_dir and mod_speling, which act on absent
 * names.
 */
int
mod_iri_redirect(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    mod_iri_probe_record(r);
    if (mod_iri_server_conf(r->server)->engine != IRI_ENGINE_ON
        || mod_iri_is_redirect_off(r))
    {
        return DECLINED;
    }
    if (ctx != NULL && mod_iri_found(ctx)->verdict == IRI_CHOOSE) {
        return mod_iri_offer_choices(r, ctx);
    }
    return mod_iri_lacks_slash(r) ? DECLINED
                                  : mod_iri_try_redirect(r, IRI_PRESENT);
}

/*
 * Runs after mod_dir.  If mod_dir redirects a directory to add its slash, this
 * hook does not run, and that redirect is the only one.  An absent path is
 * redirected here if mod_dir's FallbackResource answers it.
 */
int
mod_iri_redirect_directory(request_rec *r)
{
    if (mod_iri_server_conf(r->server)->engine != IRI_ENGINE_ON
        || mod_iri_is_redirect_off(r))
    {
        return DECLINED;
    }
    if (apr_table_get(r->notes, mod_iri_absent_note) != NULL) {
        return r->finfo.filetype != APR_NOFILE || mod_iri_may_generate(r)
                   ? mod_iri_try_redirect(r, IRI_UNCONFIRMED)
                   : DECLINED;
    }
    return mod_iri_lacks_slash(r) ? mod_iri_try_redirect(r, IRI_PRESENT)
                                  : DECLINED;
}

/* ---- fixups ------------------------------------------------------------- */

/*
 * Runs after per-directory RewriteRules, because they may redirect an absent
 * name.
 */
int
mod_iri_fixups(request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    int                      status;

    mod_iri_probe_attach(r);
    if ((ctx == NULL && r->handler == NULL)
        || mod_iri_server_conf(r->server)->engine != IRI_ENGINE_ON)
    {
        return DECLINED;
    }
    status = mod_iri_refuse_absent(r);
    if (status != DECLINED) {
        return status;
    }
    mod_iri_vars_set_fixups(r, ctx);
    if (ctx != NULL && !ctx->is_ascii) {
        mod_iri_fix_variants(r);
    }
    return DECLINED;
}
