/*
 * host.c - `iri host`: the canonical name of a host, in ASCII or Unicode
 *
 * Reads a host as the servers do, and decodes escapes.  Unlike the servers it
 * also maps a host in ASCII, to check whether it is a valid name.  With --name
 * it reads a name of a configuration; a name in ASCII is then not changed,
 * since the servers compare with it as it is written.
 */

#include <string.h>

#include <apr_strings.h>

#include "host.h"

enum { HOST_NAME = CLI_OPT_OWN, HOST_TO, HOST_STRICT, HOST_MAPPING };

static const apr_getopt_option_t host_options[] = {
    { "name", HOST_NAME, 0,
      "HOST is a server_name, ServerName or ServerAlias" },
    { "to", HOST_TO, 1, "ascii (A-labels; default), unicode (U-labels)" },
    { "strict", HOST_STRICT, 0, "iri_host strict: check IDNA2008, too" },
    { "mapping", HOST_MAPPING, 1,
      "uts46 (default), compatible (the older draft)" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char host_help[] =
    "HOST is the part between userinfo and port, in UTF-8, percent-encoded or\n"
    "both. An IP literal (\"[::1]\") is not changed. With --name it is a name\n"
    "of a configuration: \"%\" is not an escape; \"*\" and \"?\", a dot at either\n"
    "end, and a name in ASCII are not changed. With --mapping compatible names\n"
    "must conform to IDNA2008 even without --strict. Write -- before a HOST\n"
    "that begins with \"-\".\n\n"
    "JSON field: value. On failure: error, offset and, if a single character\n"
    "is the cause, character, for example \"U+002F\".\n\n"
    "Examples:\n"
    "  iri host B%C3%BCcher.example\n"
    "  iri host --to unicode xn--bcher-kva.example\n"
    "  iri host --name '*.b\xC3\xBC"
    "cher.example'\n";


/* ---- settings ------------------------------------------------------------ */

static void *
host_create(apr_pool_t *pool)
{
    host_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    if (conf == NULL) {
        return NULL;
    }
    conf->host.idna = cli_open_idna(pool);
    conf->host.mapping = IRI_MAPPING_UTS46;
    return conf->host.idna ? conf : NULL;
}


static const char *
host_option(void *data, int option, const char *value)
{
    host_conf_t *conf = data;

    switch (option) {
    case HOST_NAME:
        conf->is_name = 1;
        return NULL;
    case HOST_STRICT:
        conf->host.strict = 1;
        return NULL;
    case HOST_TO:
        conf->to_unicode = strcmp(value, "unicode") == 0;
        return conf->to_unicode || strcmp(value, "ascii") == 0
                   ? NULL
                   : "must be \"ascii\" or \"unicode\"";
    default:
        conf->host.mapping = strcmp(value, "compatible") == 0
                                 ? IRI_MAPPING_COMPATIBLE
                                 : IRI_MAPPING_UTS46;
        return conf->host.mapping == IRI_MAPPING_COMPATIBLE
                       || strcmp(value, "uts46") == 0
                   ? NULL
                   : "must be \"uts46\" or \"compatible\"";
    }
}


/* ---- answering ----------------------------------------------------------- */

/* A hint for frequent mistakes; "": none. */
static const char *
host_hint(const host_conf_t *conf, int32_t character)
{
    if (character > 0 && character < 0x80 && strchr(":/@#", character)) {
        return "; give only the host, without scheme, user, port and path";
    }
    if (!conf->is_name && (character == '*' || character == '?')) {
        return "; wildcards need --name";
    }
    if (conf->is_name && character == '%') {
        return "; escapes are not decoded with --name";
    }
    if (conf->is_name && character == '~') {
        return "; patterns are not converted";
    }
    return "";
}


/* Set the error of a host that was refused. */
static int
host_reject(const host_conf_t *conf, cli_call_t *call, iri_host_why_t why)
{
    host_location_t where = host_locate(call->pool, conf, call->operand[0],
                                        why);
    const char     *shown = cli_printable(call->pool, call->operand[0]);
    const char     *which = NULL;

    call->offset = where.offset;
    if (where.character >= 0) {
        call->character = apr_psprintf(call->pool, "U+%04X",
                                       (unsigned) where.character);
        which = cli_character(call->pool, where.character);
    }
    call->error = shown ? apr_psprintf(call->pool, "\"%s\" %s%s%s%s", shown,
                                       iri_host_why_text(why),
                                       which ? ": " : "", which ? which : "",
                                       host_hint(conf, where.character))
                        : iri_status_text(IRI_NO_MEMORY);
    return -1;
}


static void
host_push(apr_array_header_t *parts, iri_str_t part)
{
    struct iovec *to = apr_array_push(parts);

    to->iov_base = (void *) (uintptr_t) part.data;
    to->iov_len = part.len;
}


/* Convert each label by itself, since a name with a wildcard may contain
   A-labels. */
static iri_status_t
host_display_labels(const iri_env_t *env, const host_conf_t *conf,
                    apr_pool_t *pool, iri_str_t *name)
{
    static const iri_str_t dot = IRI_STR(".");
    apr_array_header_t *parts = apr_array_make(pool, 8, sizeof(struct iovec));
    iri_str_t           label;
    iri_status_t        status;
    apr_size_t          len;
    size_t              i, from = 0;

    for (i = 0; i <= name->len; i++) {
        if (i < name->len && name->data[i] != '.') {
            continue;
        }
        label.data = name->data + from;
        label.len = i - from;
        status = iri_host_display(env, &conf->host, label, &label);
        if (status != IRI_OK) {
            return status;
        }
        host_push(parts, label);
        if (i < name->len) {
            host_push(parts, dot);
        }
        from = i + 1;
    }
    name->data = (void *) apr_pstrcatv(pool, (void *) parts->elts,
                                       (size_t) parts->nelts, &len);
    name->len = len;
    return name->data ? IRI_OK : IRI_NO_MEMORY;
}


/* Set the value for a host that was accepted. */
static iri_status_t
host_fill(const iri_env_t *env, const host_conf_t *conf, cli_call_t *call,
          const iri_host_t *host)
{
    iri_str_t    value = conf->to_unicode ? host->unicode : host->ascii;
    iri_status_t status = IRI_OK;

    if (conf->to_unicode && conf->is_name) {
        status = host_display_labels(env, conf, call->pool, &value);
    }
    if (status == IRI_OK && cli_set_octets(call, "value", value) != 0) {
        status = IRI_NO_MEMORY;
    }
    return status;
}


static int
host_answer(const void *data, cli_call_t *call)
{
    const host_conf_t *conf = data;
    iri_host_t         host;
    iri_status_t       status;

    status = host_read(&call->apr.env, conf, call->operand[0], &host);
    if (status == IRI_OK && host.verdict == IRI_REFUSE) {
        return host_reject(conf, call, host.why);
    }
    if (status == IRI_OK) {
        status = host_fill(&call->apr.env, conf, call, &host);
    }
    if (status != IRI_OK) {
        call->error = iri_status_text(status);
        return -1;
    }
    return 0;
}


const cli_command_t cli_host = {
    "host",
    "HOST",
    1,
    "show the canonical name of a host, in ASCII or Unicode",
    host_help,
    host_options,
    host_create,
    host_option,
    cli_ready_default,
    host_answer,
    cli_show_value
};
