/*
 * mod_iri_answer.c - header fields of answers, redirects, the hooks of fixups
 *
 * Modules set Location to the text of a directive or to the value that a script
 * returns; mod_negotiation writes names on disk.  An output filter, after
 * mod_headers and before the protocol filters, replaces these values by URI
 * references of the core's iri_location_field(): a path of this server becomes
 * canonical; a value from a proxied server is only escaped.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <util_filter.h>

#define MOD_IRI_LOCATION_FILTER "IRI_LOCATION"

static ap_filter_rec_t *mod_iri_location_handle;

/*
 * Returns: the canonical name for a name on disk from mod_negotiation; NULL:
 * the value is canonical, does not exist on disk, or has no name.
 */
static const char *
mod_iri_variant(request_rec *r, const char *value)
{
    char *octets = apr_pstrdup(r->pool, value);

    if ((iri_path_is_ascii(mod_iri_str(value), 1)
         && mod_iri_is_same_on_disk(r, value))
        || r->filename == NULL || value[0] == '/'
        || ap_unescape_url(octets) != OK
        || !mod_iri_exists(
            r,
            apr_pstrcat(r->pool, ap_make_dirstr_parent(r->pool, r->filename),
                        octets, NULL)))
    {
        return NULL;
    }
    return mod_iri_entry_names(
        r, ap_make_dirstr_parent(r->pool, mod_iri_settings_path(r)), octets);
}

/*
 * Returns: the relative reference to an entry, for is_link 1 with its name as
 * the text of a link; NULL: no memory.  A first segment with ":" needs "./"
 * (RFC 3986, 4.2).
 */
static const char *
mod_iri_entry_reference(request_rec *r, const char *name, int is_link)
{
    iri_str_t   uri, iri;
    const char *text;

    if (iri_path_to_uri(mod_iri_env(r), mod_iri_str(name), &uri) != IRI_OK
        || iri_path_to_iri(mod_iri_env(r), mod_iri_str(name), &iri) != IRI_OK)
    {
        return NULL;
    }
    text = mod_iri_dup(r->pool, uri);
    if (strcspn(text, ":") < strcspn(text, "/")) {
        text = apr_pstrcat(r->pool, "./", text, NULL);
    }
    if (is_link) {
        text = apr_pstrcat(r->pool, text, "\"><bdi>",
                           ap_escape_html(r->pool, mod_iri_dup(r->pool, iri)),
                           "</bdi>", NULL);
    }
    return text;
}

/*
 * Replace each name on disk in the field Alternates (RFC 2295, 8.3), as in
 * {"NAME" 1 {type text/html}}, or in a list of variants, as in
 * <li><a href="NAME">NAME</a> , type text/html</li>, which is the value of key
 * in table.  Returns: 1 if it was changed.
 */
static int
mod_iri_replace(request_rec *r, apr_table_t *table, const char *key,
                int is_list)
{
    const char *begin = is_list ? "<a href=\"" : "{\"";
    const char *end = is_list ? "</a>" : "\"";
    const char *text = apr_table_get(table, key);
    const char *done = "", *at, *to, *name, *value;
    int         changed = 0;

    while (text != NULL && (at = strstr(text, begin)) != NULL
           && (to = strstr(at + strlen(begin), end)) != NULL)
    {
        at += strlen(begin);
        name = mod_iri_variant(
            r, apr_pstrmemdup(r->pool, at, strcspn(at, "\"")));
        value = name ? mod_iri_entry_reference(r, name, is_list) : NULL;
        changed |= value != NULL;
        done = apr_psprintf(
            r->pool, "%s%.*s%s", done, (int) (at - text), text,
            value ? value : apr_pstrmemdup(r->pool, at, to - at));
        text = to;
    }
    if (changed) {
        apr_table_setn(table, key, apr_pstrcat(r->pool, done, text, NULL));
    }
    return changed;
}

int
mod_iri_send_page(request_rec *r, const iri_page_t *page)
{
    static const char policy[] = "Content-Security-Policy";

    /* an ErrorDocument keeps its status */
    if (page->status != HTTP_OK) {
        r->status = page->status;
    }
    ap_set_content_type(r, page->type);
    ap_set_content_length(r, (apr_off_t) page->body.len);
    apr_table_mergen(r->headers_out, "Cache-Control", page->cache_control);
    apr_table_setn(r->headers_out, "X-Content-Type-Options", "nosniff");
    if (page->vary != NULL) {
        apr_table_mergen(r->headers_out, "Vary", page->vary);
    }
    if (apr_table_get(r->headers_out, policy) == NULL) {
        apr_table_setn(r->headers_out, policy, page->policy);
    }
    if (!r->header_only) {
        ap_rwrite(page->body.data, (int) page->body.len, r);
    }
    return OK;
}

/* ---- references --------------------------------------------------------- */

/* Properties of an answer. */
typedef struct {
    int         is_error; /* 1: httpd itself writes the page */
    int         is_list;  /* 1: the page is a list of variants in UTF-8 */
    const char *link;     /* value of Link; NULL: none */
} mod_iri_response_t;

/* Returns: the corrected value; NULL: it must not be sent. */
static const char *
mod_iri_reference(request_rec *r, const char *value)
{
    const mod_iri_server_conf_t *server = mod_iri_conf(r);
    iri_location_field_conf_t    conf = {
           .reading = &server->reading,
           .hosts = &server->host,
           .host = mod_iri_str(ap_get_server_name_for_url(r)),
           .port = ap_get_server_port(r),
           .other = r->proxyreq != PROXYREQ_NONE
    };
    iri_str_t out;

    if (!conf.other) {
        value = mod_iri_location_to_canonical(r, value);
    }
    if (iri_location_field(mod_iri_env(r), &conf, mod_iri_str(value), &out)
        != IRI_OK)
    {
        return iri_path_is_ascii(mod_iri_str(value), 0) ? value : NULL;
    }
    return out.data == (const unsigned char *) value && value[out.len] == '\0'
               ? value
               : mod_iri_dup(r->pool, out);
}

/* Correct the field Location or Content-Location. */
static void
mod_iri_fix_field(request_rec *r, apr_table_t *headers, const char *field)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);
    const char              *value = apr_table_get(headers, field), *written;

    if (value == NULL || (ctx != NULL && value == ctx->location)) {
        return;
    }
    written = mod_iri_reference(r, value);
    if (written == NULL) {
        apr_table_unset(headers, field);
    } else if (written != value) {
        apr_table_setn(headers, field, written);
    }
}

/* Correct the link in the page of a redirect. */
static void
mod_iri_fix_page(request_rec *r, apr_bucket_brigade *page,
                 const char *old_url, const char *new_url)
{
    char       *text, *at;
    apr_size_t  len;
    const char *before = ap_escape_html(r->pool, old_url);

    if (apr_brigade_pflatten(page, &text, &len, r->pool) != APR_SUCCESS) {
        return;
    }
    text = apr_pstrmemdup(r->pool, text, len);
    at = strstr(text, before);
    if (at != NULL) {
        text = apr_psprintf(r->pool, "%.*s%s%s", (int) (at - text), text,
                            ap_escape_html(r->pool, new_url),
                            at + strlen(before));
        mod_iri_replace_data(r, page, mod_iri_str(text));
    }
}

/*
 * The field inturi in answers to OPTIONS (draft-masinter-url-i18n-05, 4.2.1).
 * "utf8": paths may be percent-encoded or raw UTF-8.  Error pages and mod_proxy
 * keep err_headers_out.
 */
#define MOD_IRI_INTURI "inturi"

static int
mod_iri_advertises(const request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_conf(r);

    return r->method_number == M_OPTIONS && conf->advertise == 1
           && conf->engine == IRI_ENGINE_ON && r->main == NULL;
}

void
mod_iri_advertise(request_rec *r)
{
    if (mod_iri_advertises(r)) {
        apr_table_setn(r->err_headers_out, MOD_IRI_INTURI, "utf8");
    }
}

/* ---- the filter --------------------------------------------------------- */

/* Replace names on disk that mod_negotiation has written. */
static void
mod_iri_fix_variants(request_rec *r, apr_table_t *headers)
{
    const char *value = apr_table_get(headers, "Content-Location");

    if (value != NULL && (value = mod_iri_variant(r, value)) != NULL
        && (value = mod_iri_entry_reference(r, value, 0)) != NULL)
    {
        apr_table_setn(headers, "Content-Location", value);
    }
    (void) mod_iri_replace(r, headers, "Alternates", 0);
}

static apr_status_t
mod_iri_location_filter(ap_filter_t *f, apr_bucket_brigade *in)
{
    request_rec              *r = f->r;
    const mod_iri_response_t *answer = f->ctx;
    const char *old_url = apr_table_get(r->headers_out, "Location"), *new_url;

    ap_remove_output_filter(f);
    /* for an error httpd has moved the fields to headers_out */
    mod_iri_fix_variants(r, answer->is_error ? r->headers_out
                                             : r->err_headers_out);
    mod_iri_fix_field(r, r->headers_out, "Location");
    mod_iri_fix_field(r, r->err_headers_out, "Location");
    mod_iri_fix_field(r, r->headers_out, "Content-Location");
    mod_iri_fix_field(r, r->err_headers_out, "Content-Location");
    new_url = apr_table_get(r->headers_out, "Location");
    if (answer->is_error && old_url != NULL && new_url != NULL
        && old_url != new_url && *old_url != '\0')
    {
        mod_iri_fix_page(r, in, old_url, new_url);
    }
    if (answer->is_list) {
        ap_set_content_type(r, "text/html; charset=utf-8");
    }
    if (!answer->is_error && mod_iri_advertises(r)) {
        /* the field of an upstream does not describe this server */
        apr_table_unset(r->headers_out, MOD_IRI_INTURI);
    }
    if (answer->link != NULL && iri_may_link(r->status)) {
        apr_table_addn(r->headers_out, "Link", answer->link);
    }
    return ap_pass_brigade(f->next, in);
}

static mod_iri_response_t *
mod_iri_add_location_filter(request_rec *r)
{
    mod_iri_response_t *answer = apr_pcalloc(r->pool, sizeof(*answer));

    ap_add_output_filter_handle(mod_iri_location_handle, answer, r,
                                r->connection);
    return answer;
}

/*
 * Runs before the handler, which may be that of a type (application/x-...).
 * A static file without header fields needs no filter.
 */
void
mod_iri_location_insert(request_rec *r)
{
    mod_iri_client_add_vary(r);
    if ((r->handler != NULL || !apr_is_empty_table(r->err_headers_out)
         || !apr_is_empty_table(r->headers_out)
         || (r->content_type != NULL
             && (strncmp(r->content_type, "application/x-", 14) == 0
                 || strncmp(r->content_type, "httpd/", 6) == 0)))
        && r->main == NULL
        && (r->proxyreq != PROXYREQ_PROXY || mod_iri_advertises(r))
        && mod_iri_is_on(r))
    {
        mod_iri_add_location_filter(r);
    }
}

/* Runs before an answer that httpd itself writes: a redirect or an error. */
void
mod_iri_location_insert_error(request_rec *r)
{
    mod_iri_response_t *answer;

    mod_iri_client_add_vary(r);
    if (r->main != NULL || r->proxyreq == PROXYREQ_PROXY || !mod_iri_is_on(r)
        || (!ap_is_HTTP_REDIRECT(r->status) && r->status != HTTP_CREATED
            && r->status != HTTP_NOT_ACCEPTABLE))
    {
        return;
    }
    answer = mod_iri_add_location_filter(r);
    answer->is_error = 1;
    answer->is_list = (r->status == HTTP_MULTIPLE_CHOICES
                       || r->status == HTTP_NOT_ACCEPTABLE)
                      && mod_iri_replace(r, r->notes, "variant-list", 1);
}

/* ---- X-Sendfile --------------------------------------------------------- */

/*
 * An application answers with the path of a file, which mod_xsendfile opens.  A
 * filter before that of mod_xsendfile replaces a path that does not exist by
 * that of the entry with this name in another normalization form or charset.
 * The application has allowed this name only, so nothing else is ignored.
 */

static ap_filter_rec_t *mod_iri_sendfile_handle;

/*
 * Returns: the octets on disk of a file; NULL: path stays.  Only some versions
 * of mod_xsendfile unescape the field, so a path with "%" stays.
 */
static const char *
mod_iri_sendfile_find(request_rec *r, const char *path)
{
    const iri_env_t *env = mod_iri_env(r);
    iri_reading_t    reading;
    iri_search_t     search = { .prefix = 1, .canonical = 1 };

    if (iri_path_is_ascii(mod_iri_str(path), 0) || strchr(path, '%') != NULL
        || !iri_is_new_path(mod_iri_str(path)) || mod_iri_exists(r, path)
        || mod_iri_read_internal(r->server, env, mod_iri_str(path), &reading)
               != IRI_OK
        || reading.form == IRI_FORM_INVALID)
    {
        return NULL;
    }
    search.root = mod_iri_str("/");
    search.path = reading.path;
    mod_iri_search_set_trees(r->server, env, &search);
    return mod_iri_find_filename(r, &search);
}

static apr_status_t
mod_iri_sendfile_filter(ap_filter_t *f, apr_bucket_brigade *in)
{
    static const char field[] = "X-Sendfile";
    apr_table_t      *tables[] = { f->r->headers_out, f->r->err_headers_out };
    const char       *path;
    size_t            i;

    ap_remove_output_filter(f);
    for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        path = apr_table_get(tables[i], field);
        if (path != NULL
            && (path = mod_iri_sendfile_find(f->r, path)) != NULL) {
            apr_table_setn(tables[i], field, path);
        }
    }
    return ap_pass_brigade(f->next, in);
}

/* Runs after mod_xsendfile, which adds its filter only with XSendFile On. */
void
mod_iri_sendfile_insert(request_rec *r)
{
    const ap_filter_t *f = r->output_filters;

    while (f != NULL && strcmp(f->frec->name, "xsendfile") != 0) {
        f = f->next;
    }
    if (f != NULL && r->main == NULL && mod_iri_is_on(r)) {
        ap_add_output_filter_handle(mod_iri_sendfile_handle, NULL, r,
                                    r->connection);
    }
}

void
mod_iri_location_register(void)
{
    mod_iri_location_handle = ap_register_output_filter(
        MOD_IRI_LOCATION_FILTER, mod_iri_location_filter, NULL,
        /* after those of mod_headers and mod_cache */
        AP_FTYPE_CONTENT_SET + 2);
    mod_iri_sendfile_handle = ap_register_output_filter(
        "IRI_SENDFILE", mod_iri_sendfile_filter, NULL,
        AP_FTYPE_CONTENT_SET - 1);
}

/* ---- IRIRedirect -------------------------------------------------------- */

/* A note: nothing was found before mod_dir has run. */
#define MOD_IRI_ABSENT "mod_iri: absent"

/*
 * Returns: the request of the client, if only per-directory rules have
 * redirected it to r; NULL: a subrequest, an error page, another redirect.
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

/* Is it a directory to which mod_dir will add a slash by a redirect? */
static int
mod_iri_lacks_slash(const request_rec *r)
{
    return r->finfo.filetype == APR_DIR && r->uri[0] != '\0'
           && r->uri[strlen(r->uri) - 1] != '/';
}

/* May a handler answer without a file?  default-handler sends files alone. */
static int
mod_iri_may_generate(const request_rec *r)
{
    return r->handler != NULL && strcmp(r->handler, "default-handler") != 0;
}

/*
 * Returns: whether the resource at path is known to exist, after all fixups.  A
 * rule may have mapped r to another file, so r->finfo confirms a path only if
 * the lookup has found that path.
 */
static iri_presence_t
mod_iri_presence(const request_rec *r, iri_str_t path)
{
    const mod_iri_request_t *ctx = mod_iri_request(r);

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

/* The path as it was sent, percent-encoded or raw; empty: unknown. */
static iri_str_t
mod_iri_path_sent(const request_rec *r)
{
    const char *target = mod_iri_target_sent(r), *authority;

    if (target != NULL && *target != '/') {
        /* absolute form (RFC 9112, 3.2.2) */
        authority = strstr(target, "://");
        target = authority ? strchr(authority + 3, '/') : NULL;
    }
    return mod_iri_substr(target, target ? strcspn(target, "?#") : 0);
}

/*
 * Describe the request as it was sent: r->uri and r->args may come from a rule.
 * reading: memory for that of an ASCII path.
 */
static iri_status_t
mod_iri_redirect_init(const request_rec *r, const iri_env_t *env,
                      iri_reading_t *reading, iri_redirect_t *redirect)
{
    const char *query = mod_iri_query_sent(r);

    memset(redirect, 0, sizeof(*redirect));
    redirect->sent = mod_iri_path_sent(r);
    redirect->has_query = query != NULL;
    redirect->query = mod_iri_str(query ? query : "");
    return iri_request_redirect(
        mod_iri_state(r), env, &mod_iri_conf(r)->reading,
        mod_iri_str(r->parsed_uri.path ? r->parsed_uri.path : r->uri),
        reading, redirect);
}

/* client: the result of mod_iri_redirect_origin() */
static int
mod_iri_send_redirect(request_rec *r, request_rec *client, int status,
                      iri_str_t location)
{
    mod_iri_request_t *ctx;
    const char        *url;
    iri_str_t          link;

    if (status == IRI_REDIRECT_LINK) {
        if (iri_canonical_link(mod_iri_env(r), location, &link) != IRI_OK) {
            return HTTP_INTERNAL_SERVER_ERROR;
        }
        mod_iri_add_location_filter(r)->link = mod_iri_dup(r->pool, link);
        return DECLINED;
    }
    url = ap_construct_url(r->pool, mod_iri_dup(r->pool, location), r);
    apr_table_setn(r->headers_out, "Location", url);
    iri_request_redirected(mod_iri_request_create(client)->state, status);
    ctx = mod_iri_request(r);
    if (ctx != NULL) {
        ctx->location = url;
    }
    return status;
}

/*
 * Redirect if IRIRedirect is set and the core allows it: after access was
 * granted, so that no name is revealed that the client may not see.  If a per-
 * directory rule redirects internally, only the request that it leads to is
 * tested.  If the Host of the client is not valid in a URI (HttpProtocolOptions
 * Unsafe), the file is served without a redirect.
 */
static int
mod_iri_try_redirect(request_rec *r, iri_presence_t presence)
{
    request_rec              *client = mod_iri_redirect_origin(r);
    const iri_env_t          *env;
    const mod_iri_dir_conf_t *dir;
    iri_redirect_t            redirect;
    iri_reading_t             ascii_reading;
    iri_str_t                 location;
    unsigned                  status;

    if (client == NULL || mod_iri_is_rule_redirect(r)
        || client->method_number != M_GET)
    {
        return DECLINED;
    }
    dir = mod_iri_dir_conf(client);
    status = iri_request_redirect_status(
        mod_iri_state(client), dir != NULL ? (unsigned) dir->redirect : 0);
    if (status == 0) {
        return DECLINED;
    }
    env = mod_iri_env(r);
    if (mod_iri_redirect_init(client, env, &ascii_reading, &redirect)
        != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (presence == IRI_PRESENT) {
        presence = mod_iri_presence(r, redirect.path);
    }
    if (presence == IRI_ABSENT) {
        apr_table_setn(r->notes, MOD_IRI_ABSENT, "1");
    }
    if (!iri_may_redirect(mod_iri_str(r->method), &redirect, presence)) {
        return DECLINED;
    }
    if (iri_redirect_location(env, &redirect, &location) != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return location.len != 0
                   && (status == IRI_REDIRECT_LINK
                       || iri_is_uri_host(
                           mod_iri_str(ap_get_server_name_for_url(r))))
               ? mod_iri_send_redirect(r, client, (int) status, location)
               : DECLINED;
}

/* After all rules, and before mod_dir and mod_speling act on absent names. */
int
mod_iri_redirect(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    mod_iri_probe_record(r);
    if (!mod_iri_is_on(r)) {
        return DECLINED;
    }
    if (ctx != NULL && mod_iri_found(ctx)->verdict == IRI_CHOOSE) {
        return mod_iri_offer_choices(r, ctx);
    }
    return mod_iri_lacks_slash(r) ? DECLINED
                                  : mod_iri_try_redirect(r, IRI_PRESENT);
}

/*
 * Runs after mod_dir, unless mod_dir redirects to add a slash.  An absent path
 * is redirected here if mod_dir's FallbackResource answers it.
 */
int
mod_iri_redirect_directory(request_rec *r)
{
    if (!mod_iri_is_on(r)) {
        return DECLINED;
    }
    if (apr_table_get(r->notes, MOD_IRI_ABSENT) != NULL) {
        return r->finfo.filetype != APR_NOFILE || mod_iri_may_generate(r)
                   ? mod_iri_try_redirect(r, IRI_UNCONFIRMED)
                   : DECLINED;
    }
    return mod_iri_lacks_slash(r) ? mod_iri_try_redirect(r, IRI_PRESENT)
                                  : DECLINED;
}
