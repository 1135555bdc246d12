/*
 * mod_iri_answer.c - what the client is told
 *
 * IRIRedirect, and what programs are told.
 */

#include "mod_iri.h"

#include <mod_rewrite.h>

/* ---- IRIRedirect -------------------------------------------------------- */

static const char mod_iri_absent_note[] = "mod_iri: absent";

int
mod_iri_is_led_on(const request_rec *r)
{
    return r->handler != NULL
           && strcmp(r->handler, REWRITE_REDIRECT_HANDLER_NAME) == 0;
}

/*
 * The request that the client sent, if only rules of directories have led from
 * it to r; NULL: r is something else (a subrequest, the page of an error, what
 * a program has redirected to).
 */
static request_rec *
mod_iri_led_from(request_rec *r)
{
    if (r->main != NULL) {
        return NULL;
    }
    while (r->prev != NULL) {
        if (mod_iri_is_error_page(r) || !mod_iri_is_led_on(r->prev)) {
            return NULL;
        }
        r = r->prev;
    }
    return r;
}

/* ctx NULL: the path is plain. */
static int
mod_iri_may_be_redirected(const request_rec       *asked,
                          const mod_iri_request_t *ctx)
{
    return asked->method_number == M_GET
           && (ctx == NULL || !ctx->has_reading || ctx->uri != NULL
               || ctx->form == IRI_FORM_ASCII);
}

/* A directory that mod_dir will redirect to, with the slash that it lacks. */
static int
mod_iri_lacks_slash(const request_rec *r)
{
    return r->finfo.filetype == APR_DIR && r->uri[0] != '\0'
           && r->uri[strlen(r->uri) - 1] != '/';
}

/*
 * What is known of the resource, when all fixups have run.  finfo is of the
 * file that a rule has led to: it confirms the path that was looked for.
 */
static iri_presence_t
mod_iri_presence(const request_rec *r, const mod_iri_request_t *ctx,
                 iri_str_t path)
{
    if (r->proxyreq) {
        return IRI_UNCONFIRMED;
    }
    if (r->finfo.filetype == APR_NOFILE) {
        return r->handler != NULL ? IRI_UNCONFIRMED : IRI_ABSENT;
    }
    if (iri_str_is_ascii(path)) {
        return IRI_PRESENT;
    }
    return ctx != NULL && ctx->has_found
                   && iri_found_confirms(path, ctx->found.path)
                   && (r->path_info == NULL
                       || iri_str_is_ascii(mod_iri_str(r->path_info)))
               ? IRI_PRESENT
               : IRI_UNCONFIRMED;
}

/* How the request came; plain: where to put the reading of a plain path. */
static void
mod_iri_redirect_of(const request_rec *r, const mod_iri_request_t *ctx,
                    iri_reading_t *plain, iri_redirect_t *redirect)
{
    const char *query = mod_iri_query_sent(r);

    memset(redirect, 0, sizeof(*redirect));
    redirect->sent = mod_iri_path_sent(r);
    /* not r->args, which a RewriteRule may have made */
    redirect->has_query = query != NULL;
    redirect->query = mod_iri_str(query ? query : "");
    if (ctx != NULL && ctx->has_reading) {
        redirect->came = &ctx->reading;
        redirect->path = ctx->restarted ? mod_iri_str(ctx->path)
                                        : ctx->reading.path;
        return;
    }
    memset(plain, 0, sizeof(*plain));
    plain->form = IRI_FORM_ASCII;
    /* not r->uri, which a RewriteRule may have made */
    plain->path = mod_iri_str(r->parsed_uri.path ? r->parsed_uri.path
                                                 : r->uri);
    plain->octets = plain->path;
    redirect->came = plain;
    redirect->path = plain->path;
}

/* Once there is a place to send the client to. */
static int
mod_iri_send_redirect(request_rec *r, int status, iri_str_t location)
{
    if (status == IRI_REDIRECT_LINK) {
        return mod_iri_add_link(r, location);
    }
    mod_iri_status_redirected(r, status);
    apr_table_setn(
        r->headers_out, "Location",
        ap_construct_url(r->pool, mod_iri_dup(r->pool, location), r));
    return status;
}

/*
 * After access was granted and all other fixups have let the client in, so
 * that the redirect tells nothing about names that it may not see; and not
 * before rules of directories have led to what answers.  Where the client's own
 * Host could not stand in a URI (HttpProtocolOptions Unsafe) it gets the file.
 */
static int
mod_iri_redirect_to(request_rec *r, iri_presence_t presence)
{
    request_rec             *asked = mod_iri_led_from(r);
    const mod_iri_request_t *ctx;
    const mod_iri_dir_t     *dir;
    iri_redirect_t           redirect;
    iri_reading_t            plain;
    iri_str_t                location;
    iri_env_apr_t            env;

    if (asked == NULL || mod_iri_is_led_on(r)) {
        return DECLINED;
    }
    dir = ap_get_module_config(asked->per_dir_config, &iri_module);
    ctx = mod_iri_request(asked);
    if (dir == NULL || dir->redirect <= 0
        || !mod_iri_may_be_redirected(asked, ctx)
        || (dir->redirect != IRI_REDIRECT_LINK
            && !iri_is_uri_host(mod_iri_str(ap_get_server_name_for_url(r)))))
    {
        return DECLINED;
    }
    mod_iri_redirect_of(asked, ctx, &plain, &redirect);
    if (presence == IRI_PRESENT) {
        presence = mod_iri_presence(r, mod_iri_request(r), redirect.path);
    }
    if (presence == IRI_ABSENT) {
        apr_table_setn(r->notes, mod_iri_absent_note, "1");
    }
    if (!iri_may_redirect(mod_iri_str(r->method), &redirect, presence)) {
        return DECLINED;
    }
    mod_iri_env(&env, r);
    if (iri_redirect_location(&env.env, &redirect, &location) != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return location.len != 0
               ? mod_iri_send_redirect(r, dir->redirect, location)
               : DECLINED;
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
    if (mod_iri_server(r->server)->engine != IRI_ENGINE_ON) {
        return DECLINED;
    }
    if (ctx != NULL && ctx->has_found && ctx->found.verdict == IRI_CHOOSE) {
        return mod_iri_choose(r, ctx);
    }
    return mod_iri_lacks_slash(r) ? DECLINED
                                  : mod_iri_redirect_to(r, IRI_PRESENT);
}

/*
 * Behind mod_dir, which has not redirected: one redirect, not two.  Or its
 * FallbackResource answers for a path that is not there.
 */
int
mod_iri_redirect_directory(request_rec *r)
{
    if (mod_iri_server(r->server)->engine != IRI_ENGINE_ON) {
        return DECLINED;
    }
    if (apr_table_get(r->notes, mod_iri_absent_note) != NULL) {
        return r->finfo.filetype != APR_NOFILE || r->handler != NULL
                   ? mod_iri_redirect_to(r, IRI_UNCONFIRMED)
                   : DECLINED;
    }
    return mod_iri_lacks_slash(r) ? mod_iri_redirect_to(r, IRI_PRESENT)
                                  : DECLINED;
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
