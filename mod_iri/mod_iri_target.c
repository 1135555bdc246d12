/*
 * mod_iri_target.c - IRIRequestURI
 *
 * httpd makes REQUEST_URI of the request line, r->the_request, when the handler
 * runs.  So the request-target in this line is replaced by the canonical one
 * before the handler runs.  Rules and logs get the line as sent: it is restored
 * for subrequests and internal redirects, and before the request is logged.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

/* A note: r->the_request as sent, while it is replaced. */
static const char mod_iri_line_note[] = "mod_iri: the_request";

/*
 * Returns: the request that the client sent, for an error page too.
 * *hides: 1: r is an error page, which may not reveal the names with which that
 * request has restarted.
 */
static request_rec *
mod_iri_target_request(request_rec *r, int *hides)
{
    const mod_iri_request_t *ctx;

    *hides = 0;

    while (r->main != NULL) {
        r = r->main;
    }
    r = mod_iri_client_request(r);
    while (r->prev != NULL && mod_iri_is_error_page(r)) {
        r = mod_iri_client_request(r->prev);
        ctx = mod_iri_request(r);
        if (ctx != NULL && iri_request_has_restarted(ctx->state)) {
            *hides = 1;
        }
    }
    return r;
}

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

int
mod_iri_replace_line(request_rec *r)
{
    const mod_iri_dir_conf_t *dir = mod_iri_dir_conf(r);
    const mod_iri_request_t  *ctx;
    request_rec              *client;
    int                       hides;

    if (dir == NULL || dir->request_uri <= 0 || r->method_number == M_TRACE
        || mod_iri_is_rule_redirect(r)
        || mod_iri_server_conf(r->server)->engine != IRI_ENGINE_ON)
    {
        return DECLINED;
    }
    client = mod_iri_target_request(r, &hides);
    ctx = mod_iri_request(client);
    apr_table_setn(r->subprocess_env, "IRI_REQUEST_URI",
                   mod_iri_target_sent(client));
    if (ctx != NULL && ctx->saved_unparsed != NULL && !hides) {
        apr_table_setn(r->notes, mod_iri_line_note, r->the_request);
        r->the_request = mod_iri_line(r, client->unparsed_uri);
    }
    return DECLINED;
}

void
mod_iri_restore_line(request_rec *r, const request_rec *from)
{
    const char *sent = apr_table_get(from->notes, mod_iri_line_note);

    if (sent != NULL) {
        r->the_request = (char *) sent;
    }
}
