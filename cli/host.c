/*
 * host.c - `iri host`: the one name that a host has, in ASCII or Unicode
 *
 * Reads a host as the servers do, escapes and all.  But what is ASCII, which
 * they do not look at, is mapped too: whoever asks wants to know whether it
 * is a name.  With --name it reads a name as a configuration has it, and
 * then ASCII is left as it is, which is what the servers compare with.
 */

#include <string.h>

#include <apr_strings.h>

#include "host.h"

enum { HOST_NAME = CLI_OPT_OWN, HOST_TO, HOST_STRICT, HOST_MAPPING };

static const apr_getopt_option_t host_options[] = {
    { "name", HOST_NAME, 0,
      "HOST is a server_name, ServerName, ServerAlias" },
    { "to", HOST_TO, 1, "ascii (A-labels; default), unicode (U-labels)" },
    { "strict", HOST_STRICT, 0, "iri_host strict: IDNA2008 too" },
    { "mapping", HOST_MAPPING, 1,
      "uts46 (default), compatible: the draft before it" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char host_help[] =
    "HOST is what stands between userinfo and port, in UTF-8, percent-\n"
    "encoded or both. An IP literal (\"[::1]\") stays as it is. With --name\n"
    "it is a name of a configuration: no escapes; \"*\" and \"?\", a dot at\n"
    "either end, and a name in ASCII stay as they are. With --mapping\n"
    "compatible names are those of IDNA2008 with and without --strict.\n"
    "Before a HOST that begins with \"-\" write --.\n\n"
    "JSON field: value. Where there is none: error, offset and, if a single\n"
    "character is wrong, character, \"U+002F\" say.\n\n"
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

/* What would be right, for those who give more or less than a host. */
static const char *
host_hint(const host_conf_t *conf, int32_t character)
{
    if (character > 0 && character < 0x80 && strchr(":/@#", character)) {
        return "; give the host alone, without scheme, user, port and path";
    }
    if (!conf->is_name && (character == '*' || character == '?')) {
        return "; it is a wildcard with --name";
    }
    if (conf->is_name && character == '%') {
        return "; escapes are for requests";
    }
    if (conf->is_name && character == '~') {
        return "; patterns are compared as they are";
    }
    return "";
}


/* Says what is wrong with a host, and where. */
static int
host_refuse(const host_conf_t *conf, cli_call_t *call, iri_host_why_t why)
{
    host_where_t where = host_where(call->pool, conf, call->operand[0], why);
    const char  *shown = cli_printable(call->pool, call->operand[0]);
    const char  *which = NULL;

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


/* Each label by itself, for beside a wildcard there may be A-labels. */
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


/* The value for a host that was taken. */
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
    iri_env_apr_t      lent;
    iri_host_t         host;
    iri_status_t       status;

    iri_env_apr_init(&lent, call->pool, NULL, NULL);
    status = host_ask(&lent.env, conf, call->operand[0], &host);
    if (status == IRI_OK && host.verdict == IRI_REFUSE) {
        return host_refuse(conf, call, host.why);
    }
    if (status == IRI_OK) {
        status = host_fill(&lent.env, conf, call, &host);
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
    "tell the one name that a host has, in ASCII or in Unicode",
    host_help,
    host_options,
    host_create,
    host_option,
    cli_is_ready,
    host_answer,
    cli_show_value
};
