/*
 * map.c - `iri to-uri` (draft 3.1) and `iri to-iri` (draft 3.2)
 */

#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "cli.h"

typedef struct {
    cli_common_t      common;
    int               idn; /* 1: convert the host, too */
    iri_host_conf_t   host;
    iri_to_uri_conf_t to_uri;
    iri_to_iri_conf_t to_iri;
} map_conf_t;

static cli_set_t map_option_repertoire;

static const cli_option_t map_uri_options[] = {
    { "from", "charset of IRI, which is converted to NFC", cli_option_charset,
      offsetof(map_conf_t, to_uri.charset), NULL },
    { "nfc", "convert to NFC, for an IRI typed from paper", NULL,
      offsetof(map_conf_t, to_uri.nfc), NULL },
    { "idn", "convert the host to A-labels", NULL, offsetof(map_conf_t, idn),
      NULL },
    CLI_OPTIONS_FOR_ALL
};

static const cli_option_t map_iri_options[] = {
    { "idn", "convert the host to U-labels", NULL, offsetof(map_conf_t, idn),
      NULL },
    { "grammar", "rfc3987 (default), draft", cli_option_word,
      offsetof(map_conf_t, to_iri.grammar), cli_grammars },
    { "repertoire", "repertoire: a charset, ascii, locale",
      map_option_repertoire, offsetof(map_conf_t, to_iri.repertoire), NULL },
    CLI_OPTIONS_FOR_ALL
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


static void
map_create(void *data)
{
    ((map_conf_t *) data)->host.idna = cli_or_exit(iri_idna_create());
}


/* The charset of the user's locale, ASCII, or a label. */
static const char *
map_option_repertoire(const cli_option_t *option, void *data,
                      const char *value)
{
    map_conf_t *conf = data;

    if (strcmp(value, "locale") == 0) {
        setlocale(LC_CTYPE, "");
        value = nl_langinfo(CODESET);
    }
    /* In the Encoding Standard "ascii" is a label of windows-1252. */
    conf->to_iri.ascii = strcmp(value, "ascii") == 0
                         || strcmp(value, "ANSI_X3.4-1968") == 0;
    return conf->to_iri.ascii ? NULL
                              : cli_option_charset(option, conf, value);
}


static const char *
map_ready(void *data)
{
    map_conf_t *conf = data;

    conf->to_uri.host = conf->to_iri.host = conf->idn ? &conf->host : NULL;
    return NULL;
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


const cli_command_t cli_to_uri = {
    .name = "to-uri",
    .operands = "IRI",
    .count = 1,
    .about = "map an IRI to a URI (draft 3.1)",
    .help = map_uri_help,
    .options = map_uri_options,
    .size = sizeof(map_conf_t),
    .create = map_create,
    .ready = map_ready,
    .answer = map_answer_uri,
};

const cli_command_t cli_to_iri = {
    .name = "to-iri",
    .operands = "URI",
    .count = 1,
    .about = "convert a URI to an IRI (draft 3.2)",
    .help = map_iri_help,
    .options = map_iri_options,
    .size = sizeof(map_conf_t),
    .create = map_create,
    .ready = map_ready,
    .answer = map_answer_iri,
};
