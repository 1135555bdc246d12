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
    int                 wrong;

    wrong = conf->given ? cli_check_operand(call, 0, IRI_AS_IRI_REFERENCE,
                                            conf->grammar, NULL)
                        : cli_require(call, 0, IRI_AS_IRI_REFERENCE);
    if (wrong) {
        return -1;
    }
    iri_split(call->operand[0], &parts);
    cli_set_optional(call, "scheme", parts.scheme);
    cli_set_optional(call, "authority", parts.authority);
    cli_set_optional(call, "userinfo", parts.userinfo);
    cli_set_optional(call, "host", parts.host);
    cli_set_optional(call, "port", parts.port);
    cli_set_optional(call, "path", parts.path);
    cli_set_optional(call, "query", parts.query);
    cli_set_optional(call, "fragment", parts.fragment);
    return 0;
}


/* Print a table; absent parts have no row. */
static void
split_show(const void *conf, cli_call_t *call)
{
    static const char *const names[] = { "scheme", "authority", "userinfo",
                                         "host",   "port",      "path",
                                         "query",  "fragment",  NULL };
    size_t                   i;

    (void) conf;
    for (i = 0; names[i] != NULL; i++) {
        if (json_is_string(json_object_get(call->object, names[i]))) {
            cli_print_row(names[i], cli_field_text(call->object, names[i]));
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
                                  NULL, /* ready */
                                  split_answer,
                                  split_show };
