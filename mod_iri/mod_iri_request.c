/*
 * mod_iri_request.c - the state of a request
 *
 * Events of a request, of its internal redirects and of its subrequests are
 * written in one log line when the pool of the main request is destroyed.
 */

#include "mod_iri_request.h"

#include <mod_rewrite.h>

const mod_iri_request_t mod_iri_ascii;

iri_request_t *
mod_iri_state_create(apr_pool_t *pool)
{
    return iri_request_init(apr_palloc(pool, iri_request_size()));
}

void
mod_iri_request_clear(request_rec *r, mod_iri_request_t *ctx)
{
    memset(ctx, 0, sizeof(*ctx));
    ctx->state = mod_iri_state_create(r->pool);
    if (mod_iri_is_report(r)) {
        iri_request_set_report(ctx->state);
    }
}

mod_iri_request_t *
mod_iri_request_create(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx == NULL) {
        ctx = apr_palloc(r->pool, sizeof(*ctx));
        mod_iri_request_clear(r, ctx);
        ap_set_module_config(r->request_config, &iri_module, ctx);
    }
    return ctx;
}

const iri_found_t *
mod_iri_found(const mod_iri_request_t *ctx)
{
    static const iri_found_t none;

    return ctx->lookup != NULL ? &ctx->lookup->found : &none;
}

static void
mod_iri_log(void *arg, iri_log_level_t level, iri_str_t line)
{
    request_rec *r = arg;
    iri_notes_t *notes;

    if (level >= IRI_LOG_TRACE) {
        ap_log_rerror(APLOG_MARK, APLOG_TRACE1, 0, r, "iri: %.*s",
                      (int) line.len, (const char *) line.data);
        return;
    }
    notes = mod_iri_notes(r, level);
    if (notes != NULL) {
        iri_note_line(notes, level, line);
    }
}

const iri_env_t *
mod_iri_env(request_rec *r)
{
    iri_env_apr_t *env = apr_palloc(r->pool, sizeof(*env));

    iri_env_apr_init(env, r->pool, mod_iri_log, r);
    env->env.quiet = APLOGrinfo(r) ? 0 : 1;
    env->env.trace = APLOGrtrace1(r) ? 1 : 0;
    env->env.fold_keys = mod_iri_conf(r)->fold_keys;
    return &env->env;
}

ap_conf_vector_t *
mod_iri_copy_vector(apr_pool_t *pool, ap_conf_vector_t *from)
{
    return ap_merge_per_dir_configs(pool, from,
                                    ap_create_request_config(pool));
}

int
mod_iri_exists(request_rec *r, const char *path)
{
    apr_finfo_t info;

    return apr_stat(&info, path, APR_FINFO_TYPE, r->pool) == APR_SUCCESS;
}

/*
 * ap_die() sets the status of the previous request; a rule leaves it at 200.
 * Requests to which the error page leads have that status too.
 */
int
mod_iri_is_error_page(const request_rec *r)
{
    return r->prev->status != HTTP_OK
           && (r->prev->prev == NULL || r->prev->prev->status == HTTP_OK);
}

int
mod_iri_is_rule_redirect(const request_rec *r)
{
    return r->handler != NULL
           && strcmp(r->handler, REWRITE_REDIRECT_HANDLER_NAME) == 0;
}

mod_iri_probe_t *
mod_iri_probe_of(const request_rec *r)
{
    const mod_iri_request_t *ctx = r->main ? mod_iri_request(r->main) : NULL;

    return ctx != NULL ? ctx->probe : NULL;
}

void
mod_iri_replace_data(request_rec *r, apr_bucket_brigade *brigade,
                     iri_str_t text)
{
    apr_bucket *bucket, *next;

    for (bucket = APR_BRIGADE_FIRST(brigade);
         bucket != APR_BRIGADE_SENTINEL(brigade); bucket = next)
    {
        next = APR_BUCKET_NEXT(bucket);
        if (!APR_BUCKET_IS_METADATA(bucket)) {
            apr_bucket_delete(bucket);
        }
    }
    if (text.len > 0) {
        bucket = apr_bucket_pool_create((const char *) text.data, text.len,
                                        r->pool, brigade->bucket_alloc);
        APR_BRIGADE_INSERT_HEAD(brigade, bucket);
    }
}

iri_str_t
mod_iri_path(const request_rec *r)
{
    iri_str_t path = { 0, NULL };

    if (mod_iri_request(r) != NULL) {
        path = iri_request_path(mod_iri_state(r), 0);
    }
    return path.len != 0 ? path
                         : mod_iri_str(r->parsed_uri.path ? r->parsed_uri.path
                                                          : r->uri);
}

void
mod_iri_set_path(request_rec *r, mod_iri_request_t *ctx)
{
    /*
     * SetEnvIf must see a path without escapes as a rule has made it.  Decoding
     * it again changes nothing: all escapes encode octets above 7F.
     */
    if (r->prev != NULL && !mod_iri_has_restarted(ctx) && ctx->sent != NULL
        && strchr(ctx->sent, '%') == NULL
        && iri_uri_high_octets_escaped(mod_iri_str(ctx->uri)))
    {
        r->uri = mod_iri_dup(r->pool, iri_request_path(ctx->state, 0));
        ctx->decoded = r->parsed_uri.path = r->uri;
    } else if (r->uri != r->parsed_uri.path || strcmp(r->uri, ctx->uri) != 0)
    {
        r->uri = r->parsed_uri.path = apr_pstrdup(r->pool, ctx->uri);
    }
}

mod_iri_pool_data_t *
mod_iri_pool_data(apr_pool_t *pool, apr_pool_t *from)
{
    static const char key[] = "mod_iri";
    void             *data = NULL;

    apr_pool_userdata_get(&data, key, pool);
    if (data == NULL) {
        data = from != NULL ? mod_iri_pool_data(from, NULL)
                            : apr_pcalloc(pool, sizeof(mod_iri_pool_data_t));
        apr_pool_userdata_setn(data, key, NULL, pool);
    }
    return data;
}

const int mod_iri_levels[] = { APLOG_ERR, APLOG_WARNING, APLOG_INFO,
                               APLOG_TRACE1, APLOG_TRACE1 };

/* Runs before the pool is destroyed, so that r is still valid. */
static apr_status_t
mod_iri_write_notes(void *data)
{
    request_rec       *r = data;
    const char        *request = r->unparsed_uri ? r->unparsed_uri : "-";
    const iri_notes_t *notes = mod_iri_pool_data(r->pool, NULL)->notes;
    iri_line_t         line;

    if (notes->count > 0) {
        iri_notes_format_line(notes, request, &line);
        ap_log_rerror(APLOG_MARK, mod_iri_levels[notes->level], 0, r, "%s",
                      line.text);
    }
    return APR_SUCCESS;
}

iri_notes_t *
mod_iri_notes(request_rec *r, iri_log_level_t level)
{
    mod_iri_pool_data_t *data;

    if (!APLOG_R_IS_LEVEL(r, mod_iri_levels[level])) {
        return NULL;
    }
    while (r->main != NULL || r->prev != NULL) {
        r = r->main != NULL ? r->main : r->prev;
    }
    data = mod_iri_pool_data(r->pool, NULL);
    if (data->notes == NULL) {
        data->notes = apr_pcalloc(r->pool, sizeof(iri_notes_t));
        apr_pool_pre_cleanup_register(r->pool, r, mod_iri_write_notes);
    }
    return data->notes;
}

void
mod_iri_note(request_rec *r, iri_log_level_t level, const char *code,
             const char *format, ...)
{
    iri_notes_t *notes = mod_iri_notes(r, level);
    va_list      args;

    if (notes != NULL) {
        va_start(args, format);
        iri_vnote(notes, level, code, format, args);
        va_end(args);
    }
}

void
mod_iri_note_error(request_rec *r, const char *failure, iri_status_t status)
{
    mod_iri_note(r, IRI_LOG_ERROR, iri_why_code(IRI_WHY_ERROR), "%s: %s",
                 failure, iri_status_text(status));
}
