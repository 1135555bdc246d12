/*
 * mod_iri_query.c - the parameters of a query get into UTF-8
 *
 * They are put into r->args and r->parsed_uri.query before any rule, and the
 * key of mod_cache, is made of them; so QUERY_STRING, rewriting and proxies
 * have them.  r->the_request and r->unparsed_uri keep what was sent, but for
 * the time in which the path lends the latter, too (mod_iri_read.c).
 */

#include "mod_iri.h"

/* DECLINED: there is nothing to read; OK; else a status. */
static int
mod_iri_query_read(request_rec *r, iri_query_t *query)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);
    iri_env_apr_t           env;
    iri_status_t            status;

    if (r->args == NULL
        || !iri_query_needs_read(&conf->query, mod_iri_str(r->args)))
    {
        return DECLINED;
    }
    mod_iri_env(&env, r);
    status = iri_query_read(&env.env, &conf->query, mod_iri_str(r->args),
                            query);
    if (status != IRI_OK) {
        mod_iri_note_error(r, "the query could not be read", status);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}

static void
mod_iri_query_report(request_rec *r, const iri_query_t *query)
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
    int         status = mod_iri_query_read(r, &query);

    if (status != OK) {
        return status;
    }
    if (mod_iri_server(r->server)->engine == IRI_ENGINE_REPORT) {
        if (r->main == NULL && r->prev == NULL) {
            mod_iri_query_report(r, &query);
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
    int         status = mod_iri_query_read(r, &query);

    return status == OK         ? mod_iri_dup(r->pool, query.query)
           : status == DECLINED ? r->args
                                : NULL;
}

/* The request-target as the client sent it; NULL: there is none. */
static const char *
mod_iri_target_sent(const request_rec *r)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

    return ctx && ctx->unparsed ? ctx->unparsed : r->unparsed_uri;
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
        /* absolute-form (RFC 9112, 3.2.2) */
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
mod_iri_query_lent(const request_rec *r)
{
    const mod_iri_server_t *conf = mod_iri_server(r->server);
    const char             *sent;

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
