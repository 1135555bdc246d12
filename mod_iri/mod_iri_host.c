/*
 * mod_iri_host.c - host of a request -> A-labels
 *
 * httpd checks the host of a request before it runs a hook that could change
 * it.  With HttpProtocolOptions Strict httpd accepts letters, digits and a few
 * other characters only.  So the host is mapped while the request is read: in
 * HTTP/1 by a filter (mod_iri_line.c), in HTTP/2 in the header fields, which
 * arrive together.
 *
 * Only the host is replaced, and only by a-z, 0-9, "-" and ".", so that an
 * edited line has the same structure for all later readers.  A host that the
 * core refuses is not replaced, and httpd refuses it.
 *
 * No virtual host is selected at that time.  So the IRIHost of the first
 * virtual host of the connection's address applies.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_host.h"
#include "mod_iri_request.h"

/* ---- mapping ------------------------------------------------------------ */

/*
 * Map a host.  Returns: 1 if its A-labels must replace it; 0: it is ASCII or
 * refused, the engine only reports, or an error occurred.
 */
static int
mod_iri_map_host(request_rec *r, iri_str_t host, iri_host_t *read)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(
        r->connection->base_server);
    int           report = conf->engine != IRI_ENGINE_ON;
    iri_status_t  status;
    iri_notes_t  *notes;
    iri_env_apr_t env;

    if (iri_host_is_ascii(host)) {
        return 0;
    }
    mod_iri_env_init(&env, r);
    status = iri_host_read(&env.env, &conf->host, host, read);
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

int
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

void
mod_iri_host_map_stream(request_rec *r, apr_table_t *headers)
{
    const char *field = apr_table_get(headers, "Host");
    iri_str_t   edited, text = mod_iri_str(field ? field : "");

    if (mod_iri_host_replace(r, text, iri_authority_host(text), &edited)) {
        apr_table_set(headers, "Host", (const char *) edited.data);
    }
}

/* ---- HttpProtocolOptions Unsafe ----------------------------------------- */

/*
 * Returns: the host as in a URI. r->hostname has no brackets around an IP
 * literal.
 */
static const char *
mod_iri_host_text(const request_rec *r)
{
    const char *host = r->hostname;

    return strchr(host, ':') == NULL
               ? host
               : apr_pstrcat(r->pool, "[", host, "]", NULL);
}

/*
 * Returns: 1 if a Host field has a host that is valid in a URI, with or
 * without a port.
 */
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
 * If the target has a host, the Host field is ignored (RFC 9112, 3.2.2), but
 * other modules may read it.  So the target's host replaces a field that is
 * not valid, as with HttpProtocolOptions Strict.
 */
static void
mod_iri_replace_field(request_rec *r, const char *host)
{
    const char *port = r->parsed_uri.port_str;
    const char *field = apr_table_get(r->headers_in, "Host");

    if (r->parsed_uri.hostname == NULL || field == NULL
        || mod_iri_is_valid_field(field))
    {
        return;
    }
    apr_table_setn(r->headers_in, "Host",
                   port ? apr_pstrcat(r->pool, host, ":", port, NULL) : host);
}

/*
 * With HttpProtocolOptions Unsafe httpd accepts nearly every host.  A host that
 * could not be mapped gets the same answer as with Strict, and no page contains
 * it.  ASCII hosts without "%" are left to httpd.
 */
int
mod_iri_check_host(request_rec *r)
{
    const server_rec            *s = r->connection->base_server;
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(s);
    const core_server_config    *core = ap_get_core_module_config(
           s->module_config);
    const char *host;

    if (!conf->maps_hosts || conf->engine != IRI_ENGINE_ON
        || core->http_conformance != AP_HTTP_CONFORMANCE_UNSAFE
        || r->hostname == NULL)
    {
        return DECLINED;
    }
    host = mod_iri_host_text(r);
    if (!iri_host_is_ascii(mod_iri_str(host))) {
        r->hostname = NULL;
        return HTTP_BAD_REQUEST;
    }
    mod_iri_replace_field(r, host);
    return DECLINED;
}
