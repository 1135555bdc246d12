/*
 * equal.c - `iri equal`: comparison of two IRIs (draft 2.3; RFC 3986, 6.2)
 */

#include <string.h>

#include "cli.h"

enum { EQUAL_LEVEL = CLI_OPT_OWN };

typedef struct {
    iri_level_t     level;
    iri_host_conf_t host;
} equal_conf_t;

static const apr_getopt_option_t equal_options[] = {
    { "level", EQUAL_LEVEL, 1, "string (default), escapes, nfc, ..." },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
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


static void *
equal_create(apr_pool_t *pool)
{
    equal_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    conf->level = IRI_LEVEL_STRING;
    conf->host.idna = cli_open_idna(pool);
    conf->host.mapping = IRI_MAPPING_UTS46;
    return conf;
}


static const char *
equal_option(void *data, int option, const char *value)
{
    equal_conf_t *conf = data;
    int           level;

    (void) option;
    for (level = 0; level < IRI_LEVELS; level++) {
        if (strcmp(iri_level_text((iri_level_t) level), value) == 0) {
            conf->level = (iri_level_t) level;
            return NULL;
        }
    }
    return "must be \"string\", \"escapes\", \"nfc\", \"syntax\", "
           "\"scheme\" or \"idn\"";
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
    "equal",
    "IRI IRI",
    2,
    "compare two IRIs at a level of equivalence",
    equal_help,
    equal_options,
    equal_create,
    equal_option,
    NULL, /* ready */
    equal_answer,
    cli_show_value
};
