/*
 * map.c - `iri to-uri` (draft 3.1) and `iri to-iri` (draft 3.2)
 */

#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "cli.h"

enum {
    MAP_FROM = CLI_OPT_OWN,
    MAP_NFC,
    MAP_IDN,
    MAP_GRAMMAR,
    MAP_REPERTOIRE
};

typedef struct {
    iri_registry_t   *registry;
    iri_host_conf_t   host;
    iri_to_uri_conf_t to_uri;
    iri_to_iri_conf_t to_iri;
} map_conf_t;

static const apr_getopt_option_t map_uri_options[] = {
    { "from", MAP_FROM, 1, "charset of IRI, which is converted to NFC" },
    { "nfc", MAP_NFC, 0, "convert to NFC, for an IRI typed from paper" },
    { "idn", MAP_IDN, 0, "convert the host to A-labels" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const apr_getopt_option_t map_iri_options[] = {
    { "idn", MAP_IDN, 0, "convert the host to U-labels" },
    { "grammar", MAP_GRAMMAR, 1, "rfc3987 (default), draft" },
    { "repertoire", MAP_REPERTOIRE, 1,
      "repertoire: a charset, ascii, locale" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char map_uri_help[] =
    "Each character that is not allowed in a URI is converted to the escapes\n"
    "of its UTF-8; escapes are not changed. IRI is in UTF-8 and not\n"
    "normalized, or is in the charset of --from. It may be a part of an IRI.\n\n"
    "JSON field: value. On failure: error, offset.\n\n"
    "Examples:\n"
    "  iri to-uri 'http://example.org/ros\xC3\xA9#<red>'\n"
    "  iri to-uri --idn 'http://b\xC3\xBC"
    "cher.example/'\n";

static const char map_iri_help[] =
    "Escapes of UTF-8 are decoded to characters. These stay escapes: other\n"
    "octets (no charset is guessed), reserved characters, private use, bidi\n"
    "formatting characters, and characters that draft 5.1 advises against:\n"
    "space and delimiters, their look-alikes, full-width and half-width\n"
    "forms, invisible characters. In the draft's grammar ! * ' ( ) are not\n"
    "reserved. --repertoire is for a display with a limited repertoire.\n\n"
    "JSON field: value.\n\n"
    "Example:\n"
    "  iri to-iri http://www.example.org/D%C3%BCrst%FC\n";


static void *
map_create(apr_pool_t *pool)
{
    map_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    conf->registry = cli_open_registry(pool);
    conf->host.idna = cli_open_idna(pool);
    conf->host.mapping = IRI_MAPPING_UTS46;
    return conf;
}


/* The charset of the user's locale, ASCII, or a label. */
static const char *
map_repertoire(map_conf_t *conf, const char *value)
{
    if (strcmp(value, "locale") == 0) {
        setlocale(LC_CTYPE, "");
        value = nl_langinfo(CODESET);
    }
    /* In the Encoding Standard "ascii" is a label of windows-1252. */
    conf->to_iri.ascii = strcmp(value, "ascii") == 0
                         || strcmp(value, "ANSI_X3.4-1968") == 0;
    return conf->to_iri.ascii ? NULL
                              : cli_open_charset(conf->registry, value,
                                                 &conf->to_iri.repertoire);
}


static const char *
map_option(void *data, int option, const char *value)
{
    map_conf_t *conf = data;

    switch (option) {
    case MAP_FROM:
        return cli_open_charset(conf->registry, value, &conf->to_uri.charset);
    case MAP_NFC:
        conf->to_uri.nfc = 1;
        return NULL;
    case MAP_IDN:
        conf->to_uri.host = &conf->host;
        conf->to_iri.host = &conf->host;
        return NULL;
    case MAP_GRAMMAR:
        return cli_grammar(value, &conf->to_iri.grammar);
    default:
        return map_repertoire(conf, value);
    }
}


static int
map_answer_uri(const void *data, cli_call_t *call)
{
    const map_conf_t *conf = data;
    iri_converted_t   out;
    iri_status_t      status;

    status = iri_to_uri(&call->apr.env, &conf->to_uri, call->operand[0],
                        &out);
    return cli_set_converted(call, status, &out);
}


static int
map_answer_iri(const void *data, cli_call_t *call)
{
    const map_conf_t *conf = data;
    iri_converted_t   out;
    iri_status_t      status;

    status = iri_to_iri(&call->apr.env, &conf->to_iri, call->operand[0],
                        &out);
    return cli_set_converted(call, status, &out);
}


const cli_command_t cli_to_uri = { "to-uri",
                                   "IRI",
                                   1,
                                   "map an IRI to a URI (draft 3.1)",
                                   map_uri_help,
                                   map_uri_options,
                                   map_create,
                                   map_option,
                                   NULL, /* ready */
                                   map_answer_uri,
                                   cli_show_value };

const cli_command_t cli_to_iri = { "to-iri",
                                   "URI",
                                   1,
                                   "convert a URI to an IRI (draft 3.2)",
                                   map_iri_help,
                                   map_iri_options,
                                   map_create,
                                   map_option,
                                   NULL, /* ready */
                                   map_answer_iri,
                                   cli_show_value };
