/*
 * host.c - `iri host`: the one name that a host has, in ASCII or Unicode
 *
 * Reads a host as the servers do, escapes and all.  But what is ASCII, which
 * they do not look at, is mapped too: whoever asks wants to know whether it
 * is a name.
 */

#include <string.h>

#include <apr_strings.h>

#include "cli.h"

enum { HOST_TO = CLI_OPT_OWN, HOST_STRICT, HOST_MAPPING };

static const apr_getopt_option_t host_options[] = {
    { "to", HOST_TO, 1, "ascii (A-labels) or unicode (U-labels)" },
    { "strict", HOST_STRICT, 0, "iri_host strict: IDNA2008 too" },
    { "mapping", HOST_MAPPING, 1,
      "uts46, or compatible: the draft before it" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char host_help[] =
    "HOST is what stands between userinfo and port, in UTF-8, percent-encoded\n"
    "or both. An IP literal (\"[::1]\") stays as it is. With --mapping\n"
    "compatible names are those of IDNA2008 with and without --strict.\n\n"
    "JSON field: value.\n\n"
    "Examples:\n"
    "  iri host B%C3%BCcher.example\n"
    "  iri host --to unicode xn--bcher-kva.example\n";

typedef struct {
    iri_idna_t     *idna;
    iri_host_conf_t host;
    int             to_unicode;
} host_conf_t;


/* ---- settings ------------------------------------------------------------ */

static apr_status_t
host_cleanup(void *data)
{
    iri_idna_destroy(data);
    return APR_SUCCESS;
}


static void *
host_create(apr_pool_t *pool)
{
    host_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    if (conf == NULL) {
        return NULL;
    }
    conf->idna = iri_idna_create();
    if (conf->idna == NULL) {
        return NULL;
    }
    apr_pool_cleanup_register(pool, conf->idna, host_cleanup,
                              apr_pool_cleanup_null);
    conf->host.idna = conf->idna;
    conf->host.mapping = IRI_MAPPING_UTS46;
    return conf;
}


static const char *
host_option(void *data, int option, const char *value)
{
    host_conf_t *conf = data;

    switch (option) {
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


static const char *
host_ready(void *conf)
{
    (void) conf;
    return NULL;
}


/* ---- answering ----------------------------------------------------------- */

/* SERVE or REFUSE; PASS is an IP literal. */
static iri_status_t
host_read(const iri_env_t *env, const iri_host_conf_t *conf, iri_str_t host,
          iri_host_t *out)
{
    iri_status_t status = iri_host_read(env, conf, host, out);

    if (status != IRI_OK || out->answer != IRI_PASS
        || (out->why == IRI_HOST_LITERAL && iri_is_uri_host(host)))
    {
        return status;
    }
    return iri_host_map(env, conf, host, out);
}


/* Octets before a bad escape, or before ASCII that no host has; or all. */
static size_t
host_offset_of_octet(iri_str_t host, iri_host_why_t why)
{
    const unsigned char *end = host.data + host.len;
    size_t               i, taken;

    for (i = 0; i < host.len; i += taken) {
        iri_str_t     one = { 1, NULL };
        unsigned char octet = host.data[i];
        int           escaped = cli_escape(host.data + i, end);

        if (octet == '%' && escaped < 0 && why == IRI_HOST_ESCAPE) {
            return i;
        }
        octet = escaped < 0 ? octet : (unsigned char) escaped;
        one.data = &octet;
        if (octet < 0x80 && why == IRI_HOST_CHARACTER
            && (octet == '_' || !iri_is_uri_host(one)))
        {
            return i;
        }
        taken = escaped < 0 ? 1 : 3;
    }
    return host.len;
}


/* Octets before the label that alone is refused for the same reason; or 0. */
static size_t
host_offset_of_label(const iri_env_t *env, const iri_host_conf_t *conf,
                     iri_str_t host, iri_host_why_t why)
{
    size_t from, to;

    for (from = 0; from < host.len; from = to + 1) {
        const unsigned char *dot = memchr(host.data + from, '.',
                                          host.len - from);
        iri_str_t            label;
        iri_host_t           got;

        to = dot ? (size_t) (dot - host.data) : host.len;
        label.data = host.data + from;
        label.len = to - from;
        if (host_read(env, conf, label, &got) == IRI_OK
            && got.answer == IRI_REFUSE && got.why == why)
        {
            return from;
        }
    }
    return 0;
}


/* Says what is wrong with a host, and where. */
static int
host_refuse(const iri_env_t *env, const iri_host_conf_t *conf,
            cli_call_t *call, iri_host_why_t why)
{
    iri_str_t   host = call->operand[0];
    const char *shown = cli_printable(call->pool, host);

    call->offset = host_offset_of_octet(host, why);
    if (call->offset == host.len) {
        call->offset = host_offset_of_label(env, conf, host, why);
    }
    call->error = shown ? apr_psprintf(call->pool, "\"%s\" %s", shown,
                                       iri_host_why_text(why))
                        : iri_status_text(IRI_NO_MEMORY);
    return -1;
}


static int
host_answer(const void *data, cli_call_t *call)
{
    const host_conf_t *conf = data;
    iri_env_apr_t      lent;
    iri_host_t         host;
    iri_status_t       status;

    iri_env_apr_init(&lent, call->pool, NULL, NULL);
    status = host_read(&lent.env, &conf->host, call->operand[0], &host);
    if (status == IRI_OK && host.answer == IRI_REFUSE) {
        return host_refuse(&lent.env, &conf->host, call, host.why);
    }
    if (status == IRI_OK
        && cli_set_octets(call, "value",
                          conf->to_unicode ? host.unicode : host.ascii)
               != 0)
    {
        status = IRI_NO_MEMORY;
    }
    if (status != IRI_OK) {
        call->error = iri_status_text(status);
        return -1;
    }
    return 0;
}


static void
host_show(const void *conf, cli_call_t *call)
{
    json_t   *value = json_object_get(call->object, "value");
    iri_str_t text;

    (void) conf;
    text.data = (const unsigned char *) json_string_value(value);
    text.len = json_string_length(value);
    cli_print(stdout, text);
    putchar('\n');
}


const cli_command_t cli_host = {
    "host",      "HOST",
    1,           "tell the one name that a host has, in ASCII or in Unicode",
    host_help,   host_options,
    host_create, host_option,
    host_ready,  host_answer,
    host_show
};
