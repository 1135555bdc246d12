/*
 * check.c - `iri check`: is a text an IRI, and what is not good about it
 */

#include <string.h>

#include "cli.h"

enum { CHECK_AS = CLI_OPT_OWN, CHECK_GRAMMAR };

typedef struct {
    iri_as_t           as;
    iri_grammar_t      grammar;
    iri_confusables_t *look;
} check_conf_t;

static const apr_getopt_option_t check_options[] = {
    { "as", CHECK_AS, 1, "iri-reference (default), iri, or one below" },
    { "grammar", CHECK_GRAMMAR, 1, "rfc3987 (default), draft" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char check_help[] =
    "--as takes iri-reference, iri, absolute-iri and relative-iri, and\n"
    "uri-reference, uri, absolute-uri and relative-uri. The draft's grammar\n"
    "has < > \" space { } | \\ ^ ` as well. Bidi formatting characters may\n"
    "only come as escapes. Where TEXT is well-formed, these are warned of:\n"
    "right-to-left components that do not begin and end so, or are mixed\n"
    "(draft 4.2); what is not in NFC or NFKC, look-alikes, scripts that no\n"
    "language mixes, wide forms, private use, tags, what is not seen (2.3,\n"
    "5.1, 6.5).\n\n"
    "JSON field: warnings, a list of objects: warning, component, part,\n"
    "offset, character (if a single one is it), like (what it looks like).\n"
    "Where it is none: error, offset, character.\n"
    "Exit code 1 where TEXT is none, or is warned of.\n\n"
    "Example:\n"
    "  iri check --as iri 'http://example.org/caf\xC3\xA9?q=<1>'\n";


static void *
check_create(apr_pool_t *pool)
{
    check_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    if (conf == NULL) {
        return NULL;
    }
    conf->as = IRI_AS_IRI_REFERENCE;
    conf->grammar = IRI_GRAMMAR_RFC3987;
    conf->look = cli_open_look(pool);
    return conf->look ? conf : NULL;
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
    iri_env_apr_t       lent;
    iri_str_t           text = call->operand[0];
    iri_status_t        status;

    if (cli_check_operand(call, 0, conf->as, conf->grammar, NULL) != 0) {
        return -1;
    }
    if (json_object_set_new(call->object, "warnings", json_array()) != 0) {
        return cli_fail(call, IRI_NO_MEMORY);
    }
    iri_env_apr_init(&lent, call->pool, NULL, NULL);
    status = iri_bidi_check(text, cli_warn, call);
    if (status == IRI_OK) {
        status = iri_characters_check(&lent.env, conf->look, text, cli_warn,
                                      call);
    }
    return status == IRI_OK ? 0 : cli_fail(call, status);
}


static void
check_show(const void *data, cli_call_t *call)
{
    const check_conf_t *conf = data;

    printf("%swell-formed%s as %s\n", cli_color(stdout, CLI_GREEN),
           cli_plain(), iri_as_text(conf->as));
    cli_show_warnings(call);
}


const cli_command_t cli_check = {
    "check",
    "TEXT",
    1,
    "tell whether a text is an IRI, and what to be warned of",
    check_help,
    check_options,
    check_create,
    check_option,
    cli_is_ready,
    check_answer,
    check_show
};
