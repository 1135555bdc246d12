/*
 * split.c - `iri split`: the parts of an IRI
 */

#include "cli.h"

enum { SPLIT_GRAMMAR = CLI_OPT_OWN };

typedef struct {
    iri_grammar_t grammar;
    int           given; /* 1: check by grammar only, 0: by either grammar */
} split_conf_t;

static const apr_getopt_option_t split_options[] = {
    { "grammar", SPLIT_GRAMMAR, 1, "rfc3987, draft; default: either" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char split_help[] =
    "TEXT is an IRI-reference, with or without a scheme. A part that is absent\n"
    "is null; a part that is present and empty is \"\".\n\n"
    "JSON fields: scheme, authority, userinfo, host, port, path, query,\n"
    "fragment.\n\n"
    "Example:\n"
    "  iri split 'http://b\xC3\xBC"
    "cher.example:8080/a?q#f'\n";

#define SPLIT_PARTS 8

static const char *const split_names[SPLIT_PARTS] = {
    "scheme", "authority", "userinfo", "host",
    "port",   "path",      "query",    "fragment"
};


static void *
split_create(apr_pool_t *pool)
{
    return apr_pcalloc(pool, sizeof(split_conf_t));
}


static const char *
split_option(void *data, int option, const char *value)
{
    split_conf_t *conf = data;

    (void) option;
    conf->given = 1;
    return cli_grammar(value, &conf->grammar);
}


static int
split_answer(const void *data, cli_call_t *call)
{
    const split_conf_t *conf = data;
    iri_parts_t         parts;
    int                 i, wrong;

    wrong = conf->given ? cli_check_operand(call, 0, IRI_AS_IRI_REFERENCE,
                                            conf->grammar, NULL)
                        : cli_require(call, 0, IRI_AS_IRI_REFERENCE);
    if (wrong) {
        return -1;
    }
    iri_split(call->operand[0], &parts);

    {
        const iri_str_t list[SPLIT_PARTS] = {
            parts.scheme, parts.authority, parts.userinfo, parts.host,
            parts.port,   parts.path,      parts.query,    parts.fragment
        };

        for (i = 0; i < SPLIT_PARTS; i++) {
            wrong |= list[i].data != NULL
                         ? cli_set_octets(call, split_names[i], list[i])
                         : cli_set_null(call, split_names[i]);
        }
    }
    return wrong ? cli_fail(call, IRI_NO_MEMORY) : 0;
}


/* Print a table; absent parts have no row. */
static void
split_show(const void *conf, cli_call_t *call)
{
    int i;

    (void) conf;
    for (i = 0; i < SPLIT_PARTS; i++) {
        json_t   *value = json_object_get(call->object, split_names[i]);
        iri_str_t text;

        if (json_is_string(value)) {
            text.data = (const unsigned char *) json_string_value(value);
            text.len = json_string_length(value);
            cli_print_row(split_names[i], text);
        }
    }
}


const cli_command_t cli_split = { "split",
                                  "TEXT",
                                  1,
                                  "show the parts of an IRI",
                                  split_help,
                                  split_options,
                                  split_create,
                                  split_option,
                                  cli_ready_default,
                                  split_answer,
                                  split_show };
