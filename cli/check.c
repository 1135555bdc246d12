/*
 * check.c - `iri check`: whether a text is an IRI, and warnings about it
 */

#include "cli.h"

typedef struct {
    cli_common_t       common;
    iri_as_t           as;
    iri_grammar_t      grammar;
    iri_confusables_t *confusables;
} check_conf_t;

/* In the order of iri_as_t. */
static const char *const check_kinds[] = {
    "iri-reference", "iri",           "absolute-iri",
    "relative-iri",  "uri-reference", "uri",
    "absolute-uri",  "relative-uri",  NULL
};

static const cli_option_t check_options[] = {
    { "as", "iri-reference (default), or a kind below", cli_option_word,
      offsetof(check_conf_t, as), check_kinds },
    { "grammar", "rfc3987 (default), draft", cli_option_word,
      offsetof(check_conf_t, grammar), cli_grammars },
    CLI_OPTIONS_FOR_ALL
};

static const char check_help[] =
    "--as takes iri-reference, iri, absolute-iri, relative-iri,\n"
    "uri-reference, uri, absolute-uri and relative-uri. The draft's grammar\n"
    "also allows < > \" space { } | \\ ^ `. Bidi formatting characters must\n"
    "be percent-encoded. If TEXT is well-formed, warnings are given about\n"
    "right-to-left components that are mixed, or do not begin and end with\n"
    "right-to-left letters (draft 4.2); characters that are not in NFC or\n"
    "NFKC, look-alikes, mixed scripts, full-width and half-width forms,\n"
    "private use, tags, and invisible characters (draft 2.3, 5.1, 6.5).\n\n"
    "JSON field: warnings, a list of objects: warning, component, part,\n"
    "offset, character (if it is a single one), like (the ASCII look-alike).\n"
    "If TEXT is not well-formed: error, offset, character.\n"
    "Exit code 1 if TEXT is not well-formed, or there are warnings.\n\n"
    "Example:\n"
    "  iri check --as iri 'http://example.org/caf\xC3\xA9?q=<1>'\n";


static void
check_create(void *data)
{
    ((check_conf_t *) data)->confusables = cli_or_exit(
        iri_confusables_create());
}


static int
check_answer(const void *data, cli_call_t *call)
{
    const check_conf_t *conf = data;
    iri_str_t           text = call->operand[0];
    iri_status_t        status;

    if (cli_check_operand(call, 0, conf->as, conf->grammar) != 0) {
        return -1;
    }
    cli_set(call, "warnings", json_array());
    (void) iri_bidi_check(text, cli_warn, call);
    status = iri_characters_check(&call->apr.env, conf->confusables, text,
                                  cli_warn, call);
    return status == IRI_OK ? 0 : cli_fail(call, status);
}


static void
check_show(const void *data, cli_call_t *call)
{
    const check_conf_t *conf = data;

    printf("%swell-formed%s as %s\n", cli_color(stdout, CLI_GREEN),
           cli_reset(), check_kinds[conf->as]);
    cli_show_warnings(call);
}


const cli_command_t cli_check = {
    .name = "check",
    .operands = "TEXT",
    .count = 1,
    .about = "check whether a text is an IRI, and show warnings",
    .help = check_help,
    .options = check_options,
    .size = sizeof(check_conf_t),
    .create = check_create,
    .answer = check_answer,
    .show = check_show,
};
