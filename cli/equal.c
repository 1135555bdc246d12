/*
 * equal.c - `iri equal`: comparison of two IRIs (draft 2.3; RFC 3986, 6.2)
 */

#include "cli.h"

typedef struct {
    cli_common_t    common;
    iri_level_t     level;
    iri_host_conf_t host;
} equal_conf_t;

/* In the order of iri_level_t. */
static const char *const equal_levels[] = { "string", "escapes", "nfc",
                                            "syntax", "scheme",  "idn",
                                            NULL };

static const cli_option_t equal_options[] = {
    { "level", "string (default), escapes, nfc, ...", cli_option_word,
      offsetof(equal_conf_t, level), equal_levels },
    CLI_OPTIONS_FOR_ALL
};

static const char equal_help[] =
    "Levels:\n"
    "  string   character by character (draft 2.3)\n"
    "  escapes  escaped and raw characters are equal, unless reserved\n"
    "  nfc      like escapes, after normalization to NFC\n"
    "  syntax   like escapes, after RFC 3986, 6.2.2: case of scheme and host,\n"
    "           dot-segments; without NFC\n"
    "  scheme   like syntax, and 6.2.3: the default port and an empty path of\n"
    "           http and https\n"
    "  idn      like scheme, with hosts compared by their A-labels\n\n"
    "JSON field: value, true or false. With --batch a TAB separates the IRIs.\n"
    "Exit code 1 if value is false.\n\n"
    "Example:\n"
    "  iri equal --level escapes http://a/~b http://a/%7eb\n";


static void
equal_create(void *conf)
{
    ((equal_conf_t *) conf)->host.idna = cli_or_exit(iri_idna_create());
}


static int
equal_answer(const void *data, cli_call_t *call)
{
    const equal_conf_t *conf = data;
    iri_status_t        status;
    int                 equal = 0;

    status = iri_equal(&call->apr.env, conf->level, &conf->host,
                       call->operand[0], call->operand[1], &equal);
    cli_set(call, "value", json_boolean(equal));
    call->found = !equal;
    return status == IRI_OK ? 0 : cli_fail(call, status);
}


const cli_command_t cli_equal = {
    .name = "equal",
    .operands = "IRI IRI",
    .count = 2,
    .about = "compare two IRIs at a level of equivalence",
    .help = equal_help,
    .options = equal_options,
    .size = sizeof(equal_conf_t),
    .create = equal_create,
    .answer = equal_answer,
};
