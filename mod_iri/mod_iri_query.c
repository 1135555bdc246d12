/*
 * mod_iri_query.c - parameters of a query -> UTF-8
 *
 * r->args and r->parsed_uri.query are replaced before rules run and before
 * mod_cache makes its key, so QUERY_STRING, rewriting and proxies see UTF-8.
 * r->the_request keeps the query as sent; so does r->unparsed_uri, except
 * while it is replaced (mod_iri_read.c).
 */

#include "mod_iri_request.h"

/*
 * Read r->args.  Returns: OK: *query is set; DECLINED: there is nothing to
 * decode; else an HTTP status.
 */
static int
mod_iri_decode_query(request_rec *r, iri_query_t *query)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(r->server);
    iri_env_apr_t                env;
    iri_status_t                 status;

    if (r->args == NULL
        || !iri_query_needs_read(&conf->query, mod_iri_str(r->args)))
    {
        return DECLINED;
    }
    mod_iri_env_init(&env, r);
    status = iri_query_read(&env.env, &conf->query, mod_iri_str(r->args),
                            query);
    if (status != IRI_OK) {
        mod_iri_note_error(r, "the query could not be read", status);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}

static void
mod_iri_note_query(request_rec *r, const iri_query_t *query)
{
    iri_notes_t *notes = query->why == IRI_QUERY_UTF8
                             ? NULL
                             : mod_iri_notes(r, IRI_LOG_INFO);

    if (notes != NULL) {
        iri_note_query(notes, query);
    }
}

int
mod_iri_read_query(request_rec *r)
{
    iri_query_t query;
    int         status = mod_iri_decode_query(r, &query);

    if (status != OK) {
        return status;
    }
    if (mod_iri_server_conf(r->server)->engine == IRI_ENGINE_REPORT) {
        if (r->main == NULL && r->prev == NULL) {
            mod_iri_note_query(r, &query);
        }
    } else if (query.query.data != (const unsigned char *) r->args) {
        r->args = mod_iri_dup(r->pool, query.query);
        r->parsed_uri.query = r->args;
    }
    return DECLINED;
}

const char *
mod_iri_query(request_rec *r)
{
    iri_query_t query;
    int         status = mod_iri_decode_query(r, &query);

    return status == OK         ? mod_iri_dup(r->pool, query.query)
           : status == DECLINED ? r->args
                                : NULL;
}

/* Returns: the request-target as the client sent it; NULL: there is none. */
static const char *
mod_iri_target_sent(const request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    return ctx && ctx->saved_unparsed ? ctx->saved_unparsed : r->unparsed_uri;
}

iri_str_t
mod_iri_path_sent(const request_rec *r)
{
    const char *target = mod_iri_target_sent(r), *authority;
    iri_str_t   path = { 0, NULL };

    if (target == NULL) {
        return path;
    }
    if (*target != '/') {
        /* absolute form (RFC 9112, 3.2.2) */
        authority = strstr(target, "://");
        target = authority ? strchr(authority + 3, '/') : NULL;
    }
    if (target != NULL) {
        path.data = (const unsigned char *) target;
        path.len = strcspn(target, "?#");
    }
    return path;
}

const char *
mod_iri_query_sent(const request_rec *r)
{
    const char *target = mod_iri_target_sent(r);
    const char *query = target ? strchr(target, '?') : NULL;

    return query ? apr_pstrmemdup(r->pool, query + 1, strcspn(query + 1, "#"))
                 : NULL;
}

const char *
mod_iri_unparsed_with_query(const request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(r->server);
    const char                  *sent;

    if (r->args == NULL
        || !iri_query_needs_read(&conf->query, mod_iri_str(r->args)))
    {
        return NULL;
    }
    sent = mod_iri_query_sent(r);
    if (sent == NULL || strcmp(sent, r->args) == 0) {
        return NULL;
    }
    return apr_pstrcat(r->pool,
                       apr_pstrmemdup(r->pool, r->unparsed_uri,
                                      strcspn(r->unparsed_uri, "?")),
                       "?", r->args, NULL);
}
