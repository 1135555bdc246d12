/*
 * check.c - `iri check`: whether a text is an IRI, and warnings about it
 */

#include <string.h>

#include "cli.h"

enum { CHECK_AS = CLI_OPT_OWN, CHECK_GRAMMAR };

typedef struct {
    iri_as_t           as;
    iri_grammar_t      grammar;
    iri_confusables_t *confusables;
} check_conf_t;

static const apr_getopt_option_t check_options[] = {
    { "as", CHECK_AS, 1, "iri-reference (default), or a kind below" },
    { "grammar", CHECK_GRAMMAR, 1, "rfc3987 (default), draft" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
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


static void *
check_create(apr_pool_t *pool)
{
    check_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    conf->as = IRI_AS_IRI_REFERENCE;
    conf->grammar = IRI_GRAMMAR_RFC3987;
    conf->confusables = cli_open_confusables(pool);
    return conf;
}


static const char *
check_option(void *data, int option, const char *value)
{
    check_conf_t *conf = data;
    int           as;

    if (option == CHECK_GRAMMAR) {
        return cli_grammar(value, &conf->grammar);
    }
    for (as = 0; as < IRI_KINDS; as++) {
        if (strcmp(iri_as_text((iri_as_t) as), value) == 0) {
            conf->as = (iri_as_t) as;
            return NULL;
        }
    }
    return "must be \"iri-reference\", \"iri\", \"absolute-iri\", "
           "\"relative-iri\", or one of these with \"uri\"";
}


static int
check_answer(const void *data, cli_call_t *call)
{
    const check_conf_t *conf = data;
    iri_str_t           text = call->operand[0];
    iri_status_t        status;

    if (cli_check_operand(call, 0, conf->as, conf->grammar, NULL) != 0) {
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
           cli_reset(), iri_as_text(conf->as));
    cli_show_warnings(call);
}


const cli_command_t cli_check = {
    "check",
    "TEXT",
    1,
    "check whether a text is an IRI, and show warnings",
    check_help,
    check_options,
    check_create,
    check_option,
    NULL, /* ready */
    check_answer,
    check_show
};
