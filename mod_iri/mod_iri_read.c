/*
 * mod_iri_read.c - request path -> canonical r->uri; query -> UTF-8
 *
 * httpd normalizes, decodes and matches r->parsed_uri.path, which is percent-
 * encoded and the same pointer as r->uri.  So the canonical path is put there
 * percent-encoded, and AllowEncodedSlashes, MergeSlashes and dot-segments are
 * left to httpd.  A refused path is answered in pre_translate_name: after an
 * error in post_read_request httpd would close the connection.
 *
 * r->args and r->parsed_uri.query are replaced before rules run and before
 * mod_cache makes its key, so QUERY_STRING, rewriting and proxies see UTF-8.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <apr_lib.h>

/*
 * Normalize a path as httpd will: for mod_cache, and so that the octets for
 * alternative readings have the same segments.  NULL: httpd will refuse it.
 */
static const char *
mod_iri_normalized(request_rec *r, const char *path)
{
    core_server_config *core = ap_get_core_module_config(
        r->server->module_config);
    unsigned flags = AP_NORMALIZE_NOT_ABOVE_ROOT
                     | AP_NORMALIZE_DECODE_UNRESERVED;
    char *copy = apr_pstrdup(r->pool, path);

    if (core->merge_slashes != AP_CORE_CONFIG_OFF) {
        flags |= AP_NORMALIZE_MERGE_SLASHES;
    }
    return ap_normalize_path(copy, flags) ? copy : NULL;
}

static int
mod_iri_query_needs_read(const request_rec *r)
{
    return r->args != NULL
           && iri_query_needs_read(&mod_iri_conf(r)->query,
                                   mod_iri_str(r->args));
}

/* Read r->args, which needs it.  Returns: 1: *query is set; 0: an error. */
static int
mod_iri_decode_query(request_rec *r, iri_query_t *query)
{
    iri_status_t status = iri_query_read(
        mod_iri_env(r), &mod_iri_conf(r)->query, mod_iri_str(r->args), query);

    if (status != IRI_OK) {
        mod_iri_note_error(r, "the query could not be read", status);
    }
    return status == IRI_OK;
}

/* Set r->args to UTF-8.  Returns: DECLINED, or 500. */
static int
mod_iri_read_query(request_rec *r)
{
    iri_query_t  query;
    iri_notes_t *notes;

    if (!mod_iri_query_needs_read(r)) {
        return DECLINED;
    }
    if (!mod_iri_decode_query(r, &query)) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (mod_iri_is_report(r)) {
        if (r->main == NULL && r->prev == NULL
            && (notes = mod_iri_notes(r, IRI_LOG_INFO)) != NULL)
        {
            iri_note_query(notes, &query);
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

    if (!mod_iri_query_needs_read(r)) {
        return r->args;
    }
    return mod_iri_decode_query(r, &query) ? mod_iri_dup(r->pool, query.query)
                                           : NULL;
}

const char *
mod_iri_query_sent(const request_rec *r)
{
    const char *target = mod_iri_target_sent(r);
    const char *query = target ? strchr(target, '?') : NULL;

    return query ? apr_pstrmemdup(r->pool, query + 1, strcspn(query + 1, "#"))
                 : NULL;
}

/* ---- the request-target -------------------------------------------------- */

/*
 * While a request is served, r->unparsed_uri is canonical: mod_proxy sends it
 * with nocanon, and mod_dav makes a Location of it.  With IRIRequestURI so is
 * the request line, of which httpd makes REQUEST_URI.  mod_auth_digest saves
 * r->unparsed_uri in post_read_request, so this must not precede
 * pre_translate_name.
 */

/* "GET /caf%E9 HTTP/1.1", "/caf%C3%A9" -> "GET /caf%C3%A9 HTTP/1.1" */
static char *
mod_iri_line(const request_rec *r, const char *target)
{
    const char *line = r->the_request, *version = strrchr(line, ' ');
    int         method = (int) strcspn(line, " ");

    return apr_psprintf(r->pool, "%.*s %s%s", method, line, target,
                        version > line + method ? version : "");
}

/*
 * Set r->unparsed_uri, and with IRIRequestURI the target in r->the_request, to
 * path and r->args, until the request is logged.  path: NULL: they stay.
 */
static void
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
    if (mod_iri_conf(r)->request_uri == 1 && r->main == NULL
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

/*
 * Has a per-directory rule redirected to a decoded path, which httpd decodes
 * again?  The rules have judged "%A6", sent as "%25A6", as three characters.
 * So such a path is read in UTF-8 only.
 */
static int
mod_iri_is_decoded_again(const request_rec *r)
{
    const char *at;

    if (r->prev == NULL || mod_iri_is_error_page(r)) {
        return 0;
    }
    for (at = strchr(r->prev->uri, '%'); at != NULL; at = strchr(at + 1, '%'))
    {
        if (at[1] >= '8' && apr_isxdigit(at[1]) && apr_isxdigit(at[2])) {
            return 1;
        }
    }
    return 0;
}

const iri_reading_conf_t *
mod_iri_reading_conf(request_rec *r)
{
    static const iri_reading_conf_t pass = { .invalid = IRI_INVALID_PASS };
    const mod_iri_probe_t          *probe = mod_iri_probe_of(r);
    iri_reading_conf_t             *utf8;

    /* a path with controls would be refused before the rules */
    if (probe != NULL && probe->unnamed) {
        return &pass;
    }
    if (mod_iri_is_decoded_again(r)) {
        utf8 = apr_pmemdup(r->pool, &mod_iri_conf(r)->reading, sizeof(*utf8));
        utf8->charsets.count = 0;
        return utf8;
    }
    return mod_iri_client_conf(r);
}

iri_status_t
mod_iri_read_internal(const server_rec *s, const iri_env_t *env,
                      iri_str_t path, iri_reading_t *out)
{
    iri_reading_conf_t  conf = mod_iri_server_conf(s)->reading;
    iri_received_path_t request = { .path = path };
    iri_status_t        status;

    conf.repair = 0;
    status = iri_read(env, &conf, &request, out);
    if (status == IRI_OK) {
        out->conf = &mod_iri_server_conf(s)->reading;
    }
    return status;
}

/* Is r->uri set to the canonical path? */
static int
mod_iri_path_is_set(const request_rec *r, const mod_iri_request_t *ctx)
{
    return ctx != NULL && ctx->uri != NULL
           && (ctx->decoded != NULL
                   ? r->uri == ctx->decoded && r->uri == r->parsed_uri.path
                   : strcmp(ctx->uri, r->parsed_uri.path) == 0);
}

/* Carry out the verdict on the path that was read. */
static void
mod_iri_apply_reading(request_rec *r, mod_iri_request_t *ctx,
                      iri_verdict_t verdict)
{
    const iri_reading_t *reading = iri_request_reading(ctx->state);

    if (mod_iri_is_report(r)) {
        return;
    }
    if (verdict == IRI_REFUSE) {
        ctx->refused = reading->status;
    } else if (reading->form != IRI_FORM_INVALID) {
        ctx->uri = mod_iri_dup(r->pool, reading->uri);
        mod_iri_set_path(r, ctx);
    }
    mod_iri_vars_set_reading(r);
}

static void
mod_iri_read_path(request_rec *r)
{
    mod_iri_request_t  *ctx = mod_iri_request(r);
    const char         *path;
    iri_status_t        status;
    iri_verdict_t       verdict;
    iri_received_path_t received = { .escaped = 1 };

    if (ctx != NULL && ctx->uri == NULL
        && iri_request_requested_reading(ctx->state) != NULL)
    {
        return; /* it was read before and has no canonical path */
    }
    path = mod_iri_native_to_canonical(r, r->parsed_uri.path);
    ctx = mod_iri_request_create(r);
    ctx->sent = r->parsed_uri.path;
    path = mod_iri_normalized(r, path);
    if (path == NULL) {
        return;
    }
    received.path = mod_iri_str(path);
    received.target = mod_iri_str(r->parsed_uri.path);
    status = iri_request_read(ctx->state, mod_iri_env(r),
                              mod_iri_reading_conf(r), &received,
                              IRI_PATH_REQUESTED, &verdict);
    if (status == IRI_OK) {
        mod_iri_apply_reading(r, ctx, verdict);
    } else if (status != IRI_BAD_ESCAPE) { /* which httpd refuses */
        ctx->refused = HTTP_NOT_FOUND;
    }
}

/* Has the request a path that this module reads? */
static int
mod_iri_handles_path(const request_rec *r)
{
    return !mod_iri_is_off(r->server) && !r->proxyreq
           && r->parsed_uri.path != NULL && r->parsed_uri.path[0] == '/'
           && r->method_number != M_CONNECT;
}

/*
 * Escape the "%" of "%uXXXX", which httpd would refuse, for IRIRepair: in a path
 * of a rule only if the client sent "%u".  Returns: 1 if there was one.
 */
static int
mod_iri_accept_percent_u(request_rec *r)
{
    iri_str_t path = mod_iri_str(r->parsed_uri.path), units;

    if (!mod_iri_is_on(r) || r->main != NULL
        || (mod_iri_conf(r)->reading.repair & IRI_REPAIR_U) == 0
        || iri_method_writes(mod_iri_str(r->method))
        || (r->prev != NULL && ap_strcasestr(r->the_request, "%u") == NULL))
    {
        return 0;
    }
    if (iri_repair_units(mod_iri_env(r), path, &units) != IRI_OK
        || units.data == path.data)
    {
        return 0;
    }
    r->uri = r->parsed_uri.path = mod_iri_dup(r->pool, units);
    return 1;
}

static void
mod_iri_set_ascii(request_rec *r)
{
    if (mod_iri_request(r) == NULL) {
        ap_set_module_config(r->request_config, &iri_module,
                             (void *) &mod_iri_ascii);
    }
}

static int
mod_iri_read_first(request_rec *r)
{
    const char *args = r->args;
    int         status, ascii;

    if (!mod_iri_handles_path(r)) {
        return DECLINED;
    }
    /* A rule of .htaccess makes arguments from a path that was already read. */
    status = args != NULL && (r->prev == NULL || mod_iri_is_error_page(r))
                 ? mod_iri_read_query(r)
                 : DECLINED;
    ascii = iri_path_is_ascii(mod_iri_str(r->parsed_uri.path), 1);
    if (!ascii && mod_iri_accept_percent_u(r)) {
        (void) mod_iri_request_create(r);
        ascii = iri_path_is_ascii(mod_iri_str(r->parsed_uri.path), 1);
    }
    if (!ascii) {
        if (!mod_iri_path_is_set(r, mod_iri_request(r))) {
            mod_iri_read_path(r);
        }
    } else if (r->args == args && mod_iri_request(r) == NULL) {
        mod_iri_set_ascii(r);
        if (r->prev != NULL) {
            mod_iri_vars_set_redirected(r);
        }
    }
    return status;
}

/* mod_proxy decides whether a target in absolute form is for another server. */
static int
mod_iri_is_for_proxy(const request_rec *r)
{
    return r->parsed_uri.scheme != NULL
           && ap_find_linked_module("mod_proxy.c") != NULL;
}

int
mod_iri_post_read(request_rec *r)
{
    mod_iri_advertise(r);
    mod_iri_snapshot_take(r);
    return mod_iri_is_for_proxy(r) ? DECLINED : mod_iri_read_first(r);
}

int
mod_iri_post_read_absolute(request_rec *r)
{
    return mod_iri_is_for_proxy(r) ? mod_iri_read_first(r) : DECLINED;
}

/* After mod_setenvif: if it has set iri-charset, read the path again. */
int
mod_iri_post_read_client(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);
    char              *sent = ctx != NULL ? ctx->sent : NULL;

    if (mod_iri_client_charsets(r) != NULL && sent != NULL
        && mod_iri_handles_path(r))
    {
        mod_iri_request_clear(r, ctx);
        r->uri = r->parsed_uri.path = sent;
        mod_iri_read_path(r);
    }
    return DECLINED;
}

/*
 * Returns: the path that must replace that of r->unparsed_uri, which is ASCII:
 * its query was converted, or "%uXXXX" was sent; else NULL.
 */
static const char *
mod_iri_unparsed_path(const request_rec *r)
{
    const char *sent = r->unparsed_uri;
    const char *escape = sent ? ap_strcasestr(sent, "%u") : NULL, *query;

    if (escape != NULL && (size_t) (escape - sent) < strcspn(sent, "?")) {
        return r->parsed_uri.path;
    }
    query = mod_iri_query_needs_read(r) ? mod_iri_query_sent(r) : NULL;
    return query != NULL && strcmp(query, r->args) != 0
               ? apr_pstrmemdup(r->pool, sent, strcspn(sent, "?"))
               : NULL;
}

/* A state of another path is cleared; that of a restart is kept. */
static int
mod_iri_pre_translate_ascii(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);
    const char        *path;

    if (mod_iri_has_restarted(ctx)
        && strcmp(ctx->uri, r->parsed_uri.path) == 0) {
        mod_iri_set_target(r, ctx, ctx->uri);
    } else if (ctx != NULL) {
        mod_iri_request_clear(r, ctx);
    } else if (r->main != NULL) {
        mod_iri_set_ascii(r);
        if (mod_iri_request(r->main) != NULL && mod_iri_probe_of(r) == NULL) {
            mod_iri_vars_set_reading(r);
        }
    }
    path = r->main == NULL && mod_iri_is_on(r)
                   && (ctx == NULL || ctx->saved_unparsed == NULL)
               ? mod_iri_unparsed_path(r)
               : NULL;
    if (path != NULL) {
        ctx = mod_iri_request_create(r);
        ctx->is_ascii = 1;
        mod_iri_set_target(r, ctx, path);
    }
    return DECLINED;
}

int
mod_iri_pre_translate(request_rec *r)
{
    mod_iri_server_conf_t *conf = mod_iri_conf(r);
    mod_iri_request_t     *ctx;
    int                    status;

    if (conf->request_uri == 1 && conf->engine == IRI_ENGINE_ON) {
        mod_iri_vars_set_sent(r);
    }
    if (ap_get_module_config(r->request_config, &iri_module)
        == &mod_iri_ascii) {
        return DECLINED;
    }
    if (r->main != NULL && r->prev == NULL) {
        mod_iri_snapshot_take(r);
    }
    status = mod_iri_probe_post_read(r);
    if (status != DECLINED || !mod_iri_handles_path(r)) {
        return status;
    }
    status = r->main != NULL && r->args != NULL ? mod_iri_read_query(r)
                                                : DECLINED;
    if (status != DECLINED) {
        return status;
    }
    ctx = mod_iri_request(r);
    if (!mod_iri_path_is_set(r, ctx)) {
        if (iri_path_is_ascii(mod_iri_str(r->parsed_uri.path), 1)) {
            return mod_iri_pre_translate_ascii(r);
        }
        mod_iri_read_path(r);
        ctx = mod_iri_request_create(r);
    }
    if (conf->engine == IRI_ENGINE_REPORT) {
        return DECLINED;
    }
    if (ctx->refused == 0) {
        mod_iri_set_target(r, ctx, ctx->uri);
        return DECLINED;
    }
    /* if there is no reading, an error has occurred and was logged */
    if (iri_request_reading(ctx->state) != NULL) {
        iri_request_log_refusal(ctx->state, mod_iri_env(r));
    }
    return ctx->refused;
}

/*
 * Is the path that httpd has decoded still canonical?  Escapes that remained in
 * it are decoded now, and may compose with the octets around them.
 */
int
mod_iri_translate(request_rec *r)
{
    mod_iri_server_conf_t *conf = mod_iri_conf(r);
    mod_iri_request_t     *ctx = mod_iri_request(r);
    iri_reading_t          reading;
    iri_shown_t            shown;

    if ((ctx != NULL && iri_request_is_read(ctx->state, mod_iri_str(r->uri)))
        || !mod_iri_handles_path(r) || conf->engine == IRI_ENGINE_REPORT
        || iri_path_is_ascii(mod_iri_str(r->uri), 0))
    {
        return DECLINED;
    }
    if (mod_iri_read_internal(r->server, mod_iri_env(r), mod_iri_str(r->uri),
                              &reading)
            != IRI_OK
        || reading.verdict != IRI_PASS)
    {
        mod_iri_note(r, IRI_LOG_INFO, iri_reason_code(IRI_REASON_DECODED),
                     "\"%s\" not served: it is not canonical once decoded",
                     iri_show(&shown, mod_iri_str(r->uri)));
        return HTTP_NOT_FOUND;
    }
    /* with AllowEncodedSlashes, decoding may have added a "/" */
    if (ctx != NULL) {
        iri_request_set_canonical(ctx->state,
                                  mod_iri_str(apr_pstrdup(r->pool, r->uri)));
        mod_iri_vars_set_reading(r);
    }
    return DECLINED;
}
