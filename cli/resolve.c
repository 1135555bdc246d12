/*
 * resolve.c - `iri resolve` (RFC 3986, 5.2) and the reverse, `iri relativize`
 */

#include "cli.h"

static const cli_option_t resolve_options[] = { CLI_OPTIONS_FOR_ALL };

static const char resolve_help[] =
    "BASE and REFERENCE are IRI-references or URI-references; a base should\n"
    "have a scheme. Characters are neither escaped nor normalized.\n\n"
    "JSON field: value. With --batch a TAB separates the operands.\n\n"
    "Example:\n"
    "  iri resolve 'http://a/b/c/d;p?q' ../g\n";

static const char relativize_help[] =
    "Shows a reference for which `iri resolve` gives TARGET. It is TARGET\n"
    "itself if there is no relative reference.\n\n"
    "JSON field: value. With --batch a TAB separates the operands.\n\n"
    "Example:\n"
    "  iri relativize http://a/b/c/d http://a/b/e\n";


static int
resolve_call(cli_call_t *call,
             iri_status_t (*work)(const iri_env_t *, iri_str_t, iri_str_t,
                                  iri_str_t *))
{
    iri_str_t    value = IRI_STR("");
    iri_status_t status;

    if (cli_require(call, 0, IRI_AS_IRI_REFERENCE) != 0
        || cli_require(call, 1, IRI_AS_IRI_REFERENCE) != 0)
    {
        return -1;
    }
    status = work(&call->apr.env, call->operand[0], call->operand[1], &value);
    return cli_set_value(call, status, value);
}


static int
resolve_answer(const void *conf, cli_call_t *call)
{
    (void) conf;
    return resolve_call(call, iri_resolve);
}


static int
relativize_answer(const void *conf, cli_call_t *call)
{
    (void) conf;
    return resolve_call(call, iri_relativize);
}


const cli_command_t cli_resolve = {
    .name = "resolve",
    .operands = "BASE REFERENCE",
    .count = 2,
    .about = "resolve a reference relative to a base",
    .help = resolve_help,
    .options = resolve_options,
    .size = sizeof(cli_common_t),
    .answer = resolve_answer,
};

const cli_command_t cli_relativize = {
    .name = "relativize",
    .operands = "BASE TARGET",
    .count = 2,
    .about = "show a short reference from a base to a target",
    .help = relativize_help,
    .options = resolve_options,
    .size = sizeof(cli_common_t),
    .answer = relativize_answer,
};
