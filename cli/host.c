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

#include "base/iri_string.h"

#include "host.h"

static const char *const host_forms[] = { "ascii", "unicode", NULL };
static const char *const host_mappings[] = { "uts46", "compatible", NULL };

static const cli_option_t host_options[] = {
    { "name", "HOST is a server_name, ServerName or ServerAlias", NULL,
      offsetof(host_conf_t, is_name), NULL },
    { "to", "ascii (A-labels; default), unicode (U-labels)", cli_option_word,
      offsetof(host_conf_t, to_unicode), host_forms },
    { "strict", "iri_host strict: check IDNA2008, too", NULL,
      offsetof(host_conf_t, host.strict), NULL },
    { "mapping", "uts46 (default), compatible (the older draft)",
      cli_option_word, offsetof(host_conf_t, host.mapping), host_mappings },
    CLI_OPTIONS_FOR_ALL
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


static void
host_create(void *data)
{
    host_conf_t *conf = data;

    conf->host.idna = cli_open_idna(conf->common.pool);
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
    const char     *which = NULL;

    if (where.character >= 0) {
        call->character = cli_code(call->pool, where.character);
        which = cli_character(call->pool, where.character);
    }
    return cli_reject(call, 0,
                      apr_pstrcat(call->pool, iri_host_why_text(why),
                                  which ? ": " : "", which ? which : "",
                                  host_hint(conf, where.character), NULL),
                      where.offset);
}


/* Convert each label by itself, since a name with a wildcard may contain
   A-labels. */
static iri_status_t
host_display_labels(const iri_env_t *env, const host_conf_t *conf,
                    iri_str_t *name)
{
    iri_buf_t    out = IRI_BUF_EMPTY;
    iri_str_t    label;
    iri_status_t status = IRI_OK;
    size_t       from, end;

    for (from = 0; status == IRI_OK && from <= name->len; from = end + 1) {
        end = iri_label_end(*name, from);
        label = (iri_str_t){ end - from, name->data + from };
        status = iri_host_display(env, &conf->host, label, &label);
        if (status == IRI_OK) {
            status = iri_buf_put(env, &out, label.data, label.len);
        }
        if (status == IRI_OK && end < name->len) {
            status = iri_buf_putc(env, &out, '.');
        }
    }
    *name = iri_buf_str(&out);
    return status;
}


static int
host_answer(const void *data, cli_call_t *call)
{
    const host_conf_t *conf = data;
    iri_host_t         host;
    iri_str_t          value;
    iri_status_t       status;

    status = host_read(&call->apr.env, conf, call->operand[0], &host);
    if (status == IRI_OK && host.verdict == IRI_REFUSE) {
        return host_reject(conf, call, host.why);
    }
    value = conf->to_unicode ? host.unicode : host.ascii;
    if (status == IRI_OK && conf->to_unicode && conf->is_name) {
        status = host_display_labels(&call->apr.env, conf, &value);
    }
    return cli_set_value(call, status, value);
}


const cli_command_t cli_host = {
    .name = "host",
    .operands = "HOST",
    .count = 1,
    .about = "show the canonical name of a host, in ASCII or Unicode",
    .help = host_help,
    .options = host_options,
    .size = sizeof(host_conf_t),
    .create = host_create,
    .answer = host_answer,
};
