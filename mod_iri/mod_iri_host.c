/*
 * mod_iri_host.c - host of a request -> A-labels
 *
 * httpd checks the host before it runs a hook that could change it.  So the
 * host is mapped while the request is read: in HTTP/1 a filter edits the Host
 * line, and a request line in absolute form (RFC 9112, 3.2.2); in HTTP/2 the
 * header fields arrive together.
 *
 * Only the host is replaced, and only by a-z, 0-9, "-" and ".", so that a line
 * has the same structure for all later readers.  A host that the core refuses
 * stays, and httpd refuses it.  No virtual host is selected at that time: the
 * IRIHost of the first one of the connection's address applies.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <apr_buckets.h>
#include <util_filter.h>

/* Returns: 1 if the A-labels of a host must replace it. */
static int
mod_iri_map_host(request_rec *r, iri_str_t host, iri_host_t *read)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(
        r->connection->base_server);
    int          report = conf->engine != IRI_ENGINE_ON;
    iri_status_t status;
    iri_notes_t *notes;

    if (iri_host_is_ascii(host)) {
        return 0;
    }
    status = iri_host_read(mod_iri_env(r), &conf->host, host, read);
    if (status != IRI_OK) {
        mod_iri_note_error(r, "the host could not be read", status);
        return 0;
    }
    if (read->verdict == IRI_REFUSE || (report && read->verdict == IRI_SERVE))
    {
        notes = mod_iri_notes(r, IRI_LOG_INFO);
        if (notes != NULL) {
            iri_note_host(notes, host, read, report);
        }
    }
    return read->verdict == IRI_SERVE && !report;
}

/*
 * Replace a host by its A-labels in a text that contains it.
 *
 * host: the part of text to be mapped.  Returns: 1: *out is the new text, which
 * ends with NUL; 0: the host stays, *out is not written.
 * text "Host: b\xC3\xBC.example", host "b\xC3\xBC.example"
 * -> "Host: xn--b-xga.example"
 */
static int
mod_iri_host_replace(request_rec *r, iri_str_t text, iri_str_t host,
                     iri_str_t *out)
{
    size_t     before = (size_t) (host.data - text.data);
    size_t     after = before + host.len;
    iri_host_t read;
    char      *line;

    if (!mod_iri_map_host(r, host, &read)) {
        return 0;
    }
    out->len = text.len - host.len + read.ascii.len;
    line = apr_palloc(r->pool, out->len + 1);
    memcpy(line, text.data, before);
    memcpy(line + before, read.ascii.data, read.ascii.len);
    memcpy(line + before + read.ascii.len, text.data + after,
           text.len - after);
    line[out->len] = '\0';
    out->data = (unsigned char *) line;
    return 1;
}

/* ---- HttpProtocolOptions Unsafe ----------------------------------------- */

/* Has a Host field a host that is valid in a URI, with or without a port? */
static int
mod_iri_is_valid_field(const char *field)
{
    iri_str_t   host = iri_authority_host(mod_iri_str(field));
    const char *after = (const char *) host.data + host.len;

    if ((const char *) host.data != field || !iri_is_uri_host(host)) {
        return 0;
    }
    return *after == '\0'
           || (*after == ':'
               && after[1 + strspn(after + 1, "0123456789")] == '\0');
}

/*
 * With HttpProtocolOptions Unsafe httpd accepts nearly every host.  A host that
 * could not be mapped gets the same answer as with Strict, and no page contains
 * it.  If the target has a host, the Host field is ignored (RFC 9112, 3.2.2),
 * but other modules may read it: so the target's host replaces an invalid one.
 */
static int
mod_iri_check_host(request_rec *r)
{
    const server_rec            *s = r->connection->base_server;
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(s);
    const core_server_config    *core = ap_get_core_module_config(
           s->module_config);
    const char *host, *port = r->parsed_uri.port_str;
    const char *field = apr_table_get(r->headers_in, "Host");

    if (!conf->maps_hosts || conf->engine != IRI_ENGINE_ON
        || core->http_conformance != AP_HTTP_CONFORMANCE_UNSAFE
        || r->hostname == NULL)
    {
        return DECLINED;
    }
    /* r->hostname has no brackets around an IP literal */
    host = strchr(r->hostname, ':') == NULL
               ? r->hostname
               : apr_pstrcat(r->pool, "[", r->hostname, "]", NULL);
    if (!iri_host_is_ascii(mod_iri_str(host))) {
        r->hostname = NULL;
        return HTTP_BAD_REQUEST;
    }
    if (r->parsed_uri.hostname != NULL && field != NULL
        && !mod_iri_is_valid_field(field))
    {
        apr_table_setn(r->headers_in, "Host",
                       port ? apr_pstrcat(r->pool, host, ":", port, NULL)
                            : host);
    }
    return DECLINED;
}

/* Returns: the host in "Host: www.example:80"; data NULL: another field. */
static iri_str_t
mod_iri_host_of_field(iri_str_t line)
{
    static const char name[] = "Host:";
    const iri_str_t   none = { 0, NULL };

    if (line.len < sizeof(name)
        || ap_cstr_casecmpn((const char *) line.data, name, sizeof(name) - 1)
               != 0)
    {
        return none;
    }
    while (memchr("\r\n", line.data[line.len - 1], 2) != NULL) {
        line.len--;
    }
    return iri_authority_host(
        iri_str_trim(iri_str_from(line, sizeof(name) - 1)));
}

/*
 * Returns: the host in "GET http://www.example/ HTTP/1.1"; empty for other
 * forms of the request line (RFC 9112, 3.2).  httpd checks the scheme.
 */
static iri_str_t
mod_iri_host_of_target(iri_str_t line)
{
    const iri_str_t none = { 0, NULL };
    size_t          from = iri_str_find_any(line, " "), to, slash;

    while (from < line.len && line.data[from] == ' ') {
        from++;
    }
    for (to = from; to < line.len && line.data[to] > ' '; to++) {
        if (line.data[to] == 0x7f) {
            break;
        }
    }
    line = iri_str_from(mod_iri_substr((const char *) line.data, to), from);
    slash = iri_str_find_any(line, "/");
    if (slash < 2 || line.len - slash < 2
        || memcmp(line.data + slash - 1, "://", 3) != 0)
    {
        return none;
    }
    line = iri_str_from(line, slash + 2);
    line.len = iri_str_find_any(line, "/?#");
    return iri_authority_host(line);
}

/*
 * ctx: NULL until the request line was read.  The filter is removed after the
 * Host line, the empty line, or a line that httpd refuses.
 */
static ap_filter_rec_t *mod_iri_line_filter_handle;

/* httpd joins a second Host line with a comma, and refuses the result. */
static void
mod_iri_line_edit(ap_filter_t *f, apr_bucket_brigade *bb, iri_str_t text)
{
    int       is_empty = text.len == 1 + (size_t) (text.data[0] == '\r');
    iri_str_t edited, host;

    /* empty lines may precede the request line */
    if (is_empty && f->ctx == NULL) {
        return;
    }
    host = f->ctx == NULL ? mod_iri_host_of_target(text)
                          : mod_iri_host_of_field(text);
    if (f->ctx != NULL && (is_empty || host.data != NULL)) {
        ap_remove_input_filter(f);
    }
    f->ctx = f;
    if (host.data != NULL && mod_iri_host_replace(f->r, text, host, &edited))
    {
        mod_iri_replace_data(f->r, bb, edited);
    }
}

/* Join the pieces of a line, up to the length that httpd accepts. */
static apr_status_t
mod_iri_line_filter(ap_filter_t *f, apr_bucket_brigade *out,
                    ap_input_mode_t mode, apr_read_type_e block,
                    apr_off_t size)
{
    apr_bucket_brigade *piece;
    apr_status_t        status;
    apr_size_t          len = 0, more = 0, limit;
    char               *octets = NULL;

    if (mode != AP_MODE_GETLINE) {
        return ap_get_brigade(f->next, out, mode, block, size);
    }
    /* httpd accepts one octet more than its limit, and the end of the line */
    limit = (apr_size_t) (f->ctx != NULL
                              ? f->c->base_server->limit_req_fieldsize
                              : f->c->base_server->limit_req_line)
            + 3;
    piece = apr_brigade_create(f->r->pool, f->c->bucket_alloc);
    do {
        status = ap_get_brigade(f->next, piece, mode, block, size);
        if (status == APR_SUCCESS) {
            status = apr_brigade_pflatten(piece, &octets, &more, f->r->pool);
        }
        APR_BRIGADE_CONCAT(out, piece);
        if (status != APR_SUCCESS) {
            return status;
        }
        len += more;
    } while (more > 0 && octets[more - 1] != '\n' && len <= limit);
    if (len > limit) {
        ap_remove_input_filter(f);
        return APR_SUCCESS;
    }
    status = apr_brigade_pflatten(out, &octets, &len, f->r->pool);
    if (status == APR_SUCCESS && len > 0 && octets[len - 1] == '\n') {
        mod_iri_line_edit(f, out, mod_iri_substr(octets, len));
    }
    return status;
}

/* Map the Host of a stream of HTTP/2. */
static void
mod_iri_host_map_stream(request_rec *r, apr_table_t *headers)
{
    const char *field = headers != NULL ? apr_table_get(headers, "Host")
                                        : NULL;
    iri_str_t   edited, text = mod_iri_str(field ? field : "");

    if (mod_iri_host_replace(r, text, iri_authority_host(text), &edited)) {
        apr_table_set(headers, "Host", (const char *) edited.data);
    }
}

#ifdef AP_BUCKET_IS_REQUEST
/*
 * httpd 2.5 passes the fields of a stream in a bucket, which is read after the
 * hook pre_read_request; older versions have set r->headers_in before it.
 */
static apr_status_t
mod_iri_stream_filter(ap_filter_t *f, apr_bucket_brigade *out,
                      ap_input_mode_t mode, apr_read_type_e block,
                      apr_off_t size)
{
    apr_status_t status = ap_get_brigade(f->next, out, mode, block, size);
    apr_bucket  *e;

    if (status != APR_SUCCESS) {
        return status;
    }
    for (e = APR_BRIGADE_FIRST(out); e != APR_BRIGADE_SENTINEL(out);
         e = APR_BUCKET_NEXT(e))
    {
        if (AP_BUCKET_IS_REQUEST(e)) {
            mod_iri_host_map_stream(f->r,
                                    ((ap_bucket_request *) e->data)->headers);
            ap_remove_input_filter(f);
            break;
        }
    }
    return status;
}
#endif

/* Runs before mod_http2 adds the filter that makes the bucket. */
static void
mod_iri_pre_read(request_rec *r, conn_rec *c)
{
    if (!mod_iri_server_conf(c->base_server)->maps_hosts) {
        return;
    }
    if (c->master == NULL) {
        ap_add_input_filter_handle(mod_iri_line_filter_handle, NULL, r, c);
        return;
    }
#ifdef AP_BUCKET_IS_REQUEST
    ap_add_input_filter("IRI_STREAM", NULL, r, c);
#else
    mod_iri_host_map_stream(r, r->headers_in);
#endif
}

void
mod_iri_host_hooks(void)
{
#ifdef AP_BUCKET_IS_REQUEST
    ap_register_input_filter("IRI_STREAM", mod_iri_stream_filter, NULL,
                             AP_FTYPE_PROTOCOL);
#endif
    mod_iri_line_filter_handle = ap_register_input_filter(
        "IRI_HOST", mod_iri_line_filter, NULL, AP_FTYPE_PROTOCOL);
    ap_hook_pre_read_request(mod_iri_pre_read, NULL, NULL,
                             APR_HOOK_REALLY_FIRST);
    ap_hook_post_read_request(mod_iri_check_host, NULL, NULL,
                              APR_HOOK_REALLY_FIRST);
}

/* ---- document roots that are named after hosts -------------------------- */

/*
 * Returns: the path of the directory in dir that has the A-labels of segment,
 * or else its U-labels, as name; NULL: neither exists.  dir: octets on disk.
 */
static const char *
mod_iri_host_dir(request_rec *r, const char *dir, const char *segment)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(
        r->connection->base_server);
    const char  *path = apr_pstrcat(r->pool, dir, "/", segment, NULL);
    iri_search_t search = { .root = mod_iri_str(dir) };
    iri_str_t    name;

    if (mod_iri_exists(r, path)) {
        return path;
    }
    if (iri_host_display(mod_iri_env(r), &conf->host, mod_iri_str(segment),
                         &name)
            != IRI_OK
        || iri_path_is_ascii(name, 0))
    {
        return NULL;
    }
    search.path = mod_iri_str(
        apr_pstrcat(r->pool, "/", mod_iri_dup(r->pool, name), NULL));
    search.tree = mod_iri_tree_of(
        mod_iri_conf(r),
        mod_iri_canonical_path(r->server, dir, mod_iri_env(r)), r->pool);
    return mod_iri_find_filename(r, &search);
}

/* Returns: 1 if root was set for this request alone, and contains A-labels. */
static int
mod_iri_is_host_root(request_rec *r, const char *root)
{
    const core_server_config *core = ap_get_core_module_config(
        r->server->module_config);

    return root != NULL && root != core->ap_document_root
           && ap_document_root(r) == root && strstr(root, "xn--") != NULL
           && strncmp(r->filename, root, strlen(root)) == 0;
}

/*
 * Runs before the directory walk, so that <Directory> and .htaccess judge the
 * directory that is opened.
 */
void
mod_iri_map_root(request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(
        r->connection->base_server);
    const char *root, *segment, *dir = "";
    char       *segments, *last;

    if (!conf->maps_hosts || conf->engine != IRI_ENGINE_ON) {
        return;
    }
    root = ap_context_document_root(r);
    if (!mod_iri_is_host_root(r, root)) {
        return;
    }
    segments = apr_pstrdup(r->pool, root);
    for (segment = apr_strtok(segments, "/", &last); segment != NULL;
         segment = apr_strtok(NULL, "/", &last))
    {
        dir = strstr(segment, "xn--") == NULL
                  ? apr_pstrcat(r->pool, dir, "/", segment, NULL)
                  : mod_iri_host_dir(r, dir, segment);
        if (dir == NULL) {
            return;
        }
    }
    if (strcmp(dir, root) == 0) {
        return;
    }
    mod_iri_set_filename(
        r, apr_pstrcat(r->pool, dir, r->filename + strlen(root), NULL));
    ap_set_document_root(r, dir);
    ap_set_context_info(r, NULL, dir);
}
