/*
 * ngx_http_iri_report.c - iri report: log what "iri on" would do
 *
 * The lookups of "iri on" are done and their results are logged.  The request
 * itself is not changed.
 */

#include "ngx_http_iri.h"


/*
 * Do the lookups of "iri on" for a path that no rewrite has changed.  The first
 * call comes before the CONTENT phase: an error page would have another path
 * and root.
 */
static void
ngx_http_iri_would_find(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        const iri_reading_t *came)
{
    iri_lookup_t *found;

    if (ctx->report.done) {
        return;
    }

    ctx->report.done = 1;

    if (came->verdict == IRI_REFUSE
        || !ngx_http_iri_same(r->uri, ngx_http_iri_ngx_str(came->octets)))
    {
        return;
    }

    found = ngx_http_iri_find_uri(r, ngx_http_iri_ngx_str(came->path));

    ctx->report.found = found;
    ctx->report.conf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (found != NULL && found->found.verdict == IRI_RESTART) {
        ctx->report.again = ngx_http_iri_find_uri(
            r, ngx_http_iri_ngx_str(found->found.path));
    }
}


ngx_int_t
ngx_http_iri_report_find(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                         iri_reading_t *came)
{
    int                      known;
    iri_env_t                env;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
    ngx_http_iri_env(r, &env);

    if (iri_request_requested(ctx->request, &env, &iscf->reading, came,
                              &known)
            != IRI_OK
        || !known)
    {
        return NGX_DECLINED;
    }

    ngx_http_iri_would_find(r, ctx, came);

    return NGX_OK;
}


void
ngx_http_iri_report_first(ngx_http_request_t *r)
{
    iri_reading_t       came;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx != NULL && r == r->main && !r->internal) {
        (void) ngx_http_iri_report_find(r, ctx, &came);
    }
}


/* An ASCII path is reported only if "iri on" would change the answer. */
static ngx_uint_t
ngx_http_iri_is_reported(const ngx_http_iri_ctx_t *ctx)
{
    return iri_request_requested_reading(ctx->request) != NULL
           || (ctx->report.found != NULL
               && ctx->report.found->found.verdict != IRI_PASS
               && ctx->report.found->found.verdict != IRI_SERVE);
}


void
ngx_http_iri_report(ngx_http_request_t *r)
{
    iri_env_t           env;
    iri_notes_t        *notes, once;
    iri_report_t        report = { NULL, NULL, NULL, NULL };
    iri_reading_t       came;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (ctx == NULL || ngx_http_iri_report_find(r, ctx, &came) != NGX_OK
        || !ngx_http_iri_is_reported(ctx)
        || !ngx_http_iri_notes_wanted(r, IRI_LOG_INFO))
    {
        return;
    }

    report.reading = &came;

    if (ctx->report.found != NULL) {
        report.found = &ctx->report.found->found;
        report.search = &ctx->report.found->search;
    }

    if (ctx->report.again != NULL) {
        report.again = &ctx->report.again->found;
        report.search = &ctx->report.again->search;
    }

    ngx_http_iri_env(r, &env);

    notes = ngx_http_iri_notes_begin(r, &once);
    (void) iri_note_report(&env, notes, &report);
    ngx_http_iri_notes_end(r, notes, &once);
}
