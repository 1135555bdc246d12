/*
 * map.c - `iri to-uri` and `iri to-iri`: draft 3.1 and 3.2
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
    { "from", MAP_FROM, 1, "charset of IRI, which is put in NFC" },
    { "nfc", MAP_NFC, 0, "put it in NFC: of an IRI that was on paper" },
    { "idn", MAP_IDN, 0, "the host in A-labels" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const apr_getopt_option_t map_iri_options[] = {
    { "idn", MAP_IDN, 0, "the host in U-labels" },
    { "grammar", MAP_GRAMMAR, 1, "rfc3987 (default), draft" },
    { "repertoire", MAP_REPERTOIRE, 1,
      "only characters of a charset, ascii, locale" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char map_uri_help[] =
    "Each character that no URI may hold becomes the escapes of its UTF-8;\n"
    "escapes stay as they are. IRI is in UTF-8, which is not normalized, or\n"
    "in the charset of --from. A part of an IRI will do.\n\n"
    "JSON field: value. Where there is none: error, offset.\n\n"
    "Examples:\n"
    "  iri to-uri 'http://example.org/ros\xC3\xA9#<red>'\n"
    "  iri to-uri --idn 'http://b\xC3\xBC"
    "cher.example/'\n";

static const char map_iri_help[] =
    "Escapes of UTF-8 become characters. These stay escapes: other octets\n"
    "(no charset is guessed), what is reserved, private use, bidi formatting\n"
    "characters, and what draft 5.1 advises against: space and delimiters,\n"
    "their look-alikes, wide forms, what is not seen. By the draft's grammar\n"
    "! * ' ( ) are not reserved. --repertoire is for a display that has no\n"
    "other characters.\n\n"
    "JSON field: value.\n\n"
    "Example:\n"
    "  iri to-iri http://www.example.org/D%C3%BCrst%FC\n";


static void *
map_create(apr_pool_t *pool)
{
    map_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    if (conf == NULL) {
        return NULL;
    }
    conf->registry = cli_open_registry(pool);
    conf->host.idna = cli_open_idna(pool);
    conf->host.mapping = IRI_MAPPING_UTS46;
    return conf->registry && conf->host.idna ? conf : NULL;
}


/* The charset of the user's locale, ASCII, or a label. */
static const char *
map_repertoire(map_conf_t *conf, const char *value)
{
    if (strcmp(value, "locale") == 0) {
        setlocale(LC_CTYPE, "");
        value = nl_langinfo(CODESET);
    }
    /* The Encoding Standard's "ascii" is windows-1252. */
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
    iri_env_apr_t     lent;
    iri_converted_t   out;
    iri_status_t      status;

    iri_env_apr_init(&lent, call->pool, NULL, NULL);
    status = iri_to_uri(&lent.env, &conf->to_uri, call->operand[0], &out);
    return cli_give(call, status, &out);
}


static int
map_answer_iri(const void *data, cli_call_t *call)
{
    const map_conf_t *conf = data;
    iri_env_apr_t     lent;
    iri_converted_t   out;
    iri_status_t      status;

    iri_env_apr_init(&lent, call->pool, NULL, NULL);
    status = iri_to_iri(&lent.env, &conf->to_iri, call->operand[0], &out);
    return cli_give(call, status, &out);
}


const cli_command_t cli_to_uri = { "to-uri",
                                   "IRI",
                                   1,
                                   "map an IRI to a URI (draft 3.1)",
                                   map_uri_help,
                                   map_uri_options,
                                   map_create,
                                   map_option,
                                   cli_is_ready,
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
                                   cli_is_ready,
                                   map_answer_iri,
                                   cli_show_value };
