/*
 * split.c - `iri split`: the parts of an IRI
 */

#include "cli.h"

typedef struct {
    cli_common_t common;
    int          grammar; /* iri_grammar_t; -1: either grammar */
} split_conf_t;

static const cli_option_t split_options[] = {
    { "grammar", "rfc3987, draft; default: either", cli_option_word,
      offsetof(split_conf_t, grammar), cli_grammars },
    CLI_OPTIONS_FOR_ALL
};

static const char split_help[] =
    "TEXT is an IRI-reference, with or without a scheme. A part that is absent\n"
    "is null; a part that is present and empty is \"\".\n\n"
    "JSON fields: scheme, authority, userinfo, host, port, path, query,\n"
    "fragment.\n\n"
    "Example:\n"
    "  iri split 'http://b\xC3\xBC"
    "cher.example:8080/a?q#f'\n";


static void
split_create(void *conf)
{
    ((split_conf_t *) conf)->grammar = -1;
}


/* The parts are absent (null) or have a field each. */
static int
split_answer(const void *data, cli_call_t *call)
{
    const split_conf_t *conf = data;
    iri_parts_t         parts;

    if (conf->grammar < 0 ? cli_require(call, 0, IRI_AS_IRI_REFERENCE)
                          : cli_check_operand(call, 0, IRI_AS_IRI_REFERENCE,
                                              (iri_grammar_t) conf->grammar))
    {
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


/* Print a table; absent parts have no row.  An object keeps the order of its
   fields. */
static void
split_show(const void *conf, cli_call_t *call)
{
    const char *name;
    json_t     *value;

    (void) conf;
    json_object_foreach(call->object, name, value)
    {
        if (json_is_string(value)) {
            cli_print_row(name, cli_field_text(call->object, name));
        }
    }
}


const cli_command_t cli_split = {
    .name = "split",
    .operands = "TEXT",
    .count = 1,
    .about = "show the parts of an IRI",
    .help = split_help,
    .options = split_options,
    .size = sizeof(split_conf_t),
    .create = split_create,
    .answer = split_answer,
    .show = split_show,
};
