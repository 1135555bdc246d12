/*
 * mod_iri_target.c - the canonical request-target
 *
 * While a request is served, r->unparsed_uri is canonical: mod_proxy sends it
 * with nocanon, and mod_dav makes a Location of it.  With IRIRequestURI so is
 * the request line, of which httpd makes REQUEST_URI: for rules too, because
 * they must judge what an application gets.
 *
 * This must not precede pre_translate_name, because mod_auth_digest saves
 * r->unparsed_uri in post_read_request to compare it with the signed URI.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

/* "GET /caf%E9 HTTP/1.1", "/caf%C3%A9" -> "GET /caf%C3%A9 HTTP/1.1" */
static char *
mod_iri_line(const request_rec *r, const char *target)
{
    const char *line = r->the_request;
    const char *version = strrchr(line, ' ');
    size_t      method = strcspn(line, " ");

    return apr_pstrcat(r->pool, apr_pstrmemdup(r->pool, line, method), " ",
                       target, version > line + method ? version : NULL,
                       NULL);
}

void
mod_iri_set_target(request_rec *r, mod_iri_request_t *ctx, const char *path)
{
    char *target;

    if (path == NULL || ctx->saved_unparsed != NULL) {
        return;
    }
    target = apr_pstrcat(r->pool, path, r->args ? "?" : NULL, r->args, NULL);
    if (strcmp(target, r->unparsed_uri) == 0) {
        return;
    }
    ctx->saved_unparsed = r->unparsed_uri;
    r->unparsed_uri = target;
    if (mod_iri_server_conf(r->server)->request_uri == 1 && r->main == NULL
        && r->prev == NULL && r->method_number != M_TRACE)
    {
        ctx->saved_line = r->the_request;
        r->the_request = mod_iri_line(r, target);
    }
}

int
mod_iri_restore_target(request_rec *r)
{
    const char *line = NULL;

    for (; r != NULL; r = r->next) {
        mod_iri_request_t *ctx = mod_iri_request(r);

        if (ctx != NULL && ctx->saved_unparsed != NULL) {
            r->unparsed_uri = (char *) ctx->saved_unparsed;
            ctx->saved_unparsed = NULL;
            line = ctx->saved_line != NULL ? ctx->saved_line : line;
        }
        if (line != NULL) {
            r->the_request = (char *) line;
        }
    }
    return DECLINED;
}

const char *
mod_iri_target_sent(const request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    return ctx && ctx->saved_unparsed ? ctx->saved_unparsed : r->unparsed_uri;
}
