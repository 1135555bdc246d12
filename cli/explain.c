/*
 * explain.c - `iri explain`: how the servers interpret a request-target
 *
 * Reads a request-target, looks it up below a root, and shows each reading,
 * each lookup, the reason and the answer.
 */

#include "cli.h"

static const cli_option_t explain_options[] = { CLI_SETTINGS_OPTIONS,
                                                CLI_OPTIONS_FOR_ALL };

static const char explain_help[] =
    "Lists are separated by commas or blanks. TARGET is the request-target of\n"
    "the request line, percent-encoded or in raw octets, or a complete http or\n"
    "https URL. As in the servers, the query is removed, the path is unescaped\n"
    "once, slashes are merged and dot-segments are removed. Without --root the\n"
    "path is only decoded, not looked up. Writing methods match fewer names, and\n"
    "only GET and HEAD are redirected.\n"
    "Words of --match: normalization, variants (variants:arabic,\n"
    "variants:romanian, variants:joiners), width, punctuation, case (case:tr,\n"
    "case:az), accents (accents:de, accents:latin), spelling.\n"
    "Words of --repair: double-encoding, mojibake, %u, invisible, trailing,\n"
    "plus.\n\n"
    "JSON fields: form charset path uri match filename path_info answer why\n"
    "status location; with --query-charset also query query_charset query_why;\n"
    "for the answer \"choose\" also the list choices, and more (true) if there\n"
    "are further ones. In a string that is not UTF-8, \"%\" and each octet\n"
    "that no URI contains are written as %HH, and the list \"escaped\" has the\n"
    "name of its field.\n\n"
    "Examples:\n"
    "  iri explain --charset shift_jis --root /srv/www /%93%FA%96%7B.html\n"
    "  iri explain --filename-charset euc-jp --root /srv/old /日本語.html\n"
    "  iri explain --match case,accents --root /srv/www /CAFE/Menu.html\n";


/* The HTTP status; 0: the answer has none. */
static int
explain_status(const cli_settings_t *conf, const cli_verdict_t *result)
{
    if (result->verdict == IRI_CHOOSE) {
        return conf->ambiguous == IRI_AMBIGUOUS_300 ? 300 : 404;
    }
    if (result->verdict != IRI_REFUSE) {
        return 0;
    }
    /* A name that no entry can have gets 404. */
    return result->reading.verdict == IRI_REFUSE ? result->reading.status
                                                 : 404;
}


/* Set the query as rules and upstreams get it; null: the target has none. */
static void
explain_fill_query(const cli_settings_t *conf, cli_call_t *call,
                   const cli_verdict_t *result)
{
    if (!conf->has_query) {
        return;
    }
    if (!result->target.has_query) {
        cli_set(call, "query", json_null());
        return;
    }
    cli_set_octets(call, "query", result->query.query);
    cli_set_octets(call, "query_charset", result->query.charset);
    cli_set_text(call, "query_why", iri_query_why_text(result->query.why));
}


static void
explain_fill(const cli_settings_t *conf, cli_call_t *call,
             cli_verdict_t *result)
{
    int code = explain_status(conf, result);

    if (result->location.len == 0) {
        result->location.data = NULL;
    }
    if (result->path_info.data == NULL && result->filename.data != NULL) {
        result->path_info = cli_str("");
    }
    cli_set_text(call, "form", iri_form_text(result->form));
    cli_set_octets(call, "charset", result->charset);
    cli_set_octets(call, "path", result->path);
    cli_set_octets(call, "uri", result->uri);
    cli_set_text(call, "match", iri_match_text(result->found.match));
    cli_set_optional(call, "filename", result->filename);
    cli_set_optional(call, "path_info", result->path_info);
    cli_set_text(call, "answer", iri_verdict_text(result->verdict));
    cli_set_text(call, "why", iri_why_text(result->why));
    cli_set(call, "status", code ? json_integer(code) : json_null());
    cli_set_optional(call, "location", result->location);
    explain_fill_query(conf, call, result);
    if (result->verdict == IRI_CHOOSE) {
        if (result->found.more) {
            cli_set(call, "more", json_true());
        }
        cli_set_list(call, "choices", result->found.choices,
                     result->found.count);
    }
}


static int
explain_answer(const void *data, cli_call_t *call)
{
    const cli_settings_t *conf = data;
    cli_verdict_t         result;

    if (cli_verdict(conf, call, call->operand[0], &result) != 0) {
        return -1;
    }
    explain_fill(conf, call, &result);
    return 0;
}


/* ---- text output --------------------------------------------------------- */

static void
explain_line(const char *name, const json_t *value)
{
    iri_str_t text;

    if (!json_is_string(value) || json_string_length(value) == 0) {
        return;
    }
    text.data = (const unsigned char *) json_string_value(value);
    text.len = json_string_length(value);
    cli_print_row(name, text);
}


static void
explain_show(const void *conf, cli_call_t *call)
{
    static const char *const names[] = { "form",     "charset", "path",
                                         "uri",      "match",   "filename",
                                         "path_info" };
    json_t                  *status = json_object_get(call->object, "status");
    json_t *choices = json_object_get(call->object, "choices");
    size_t  i;

    (void) conf;
    putchar('\n');
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        explain_line(names[i], json_object_get(call->object, names[i]));
    }
    printf("%s%-10s %s", cli_bold(), "answer",
           json_string_value(json_object_get(call->object, "answer")));
    if (json_is_integer(status)) {
        printf(" with %d", (int) json_integer_value(status));
    }
    printf(": %s%s\n",
           json_string_value(json_object_get(call->object, "why")),
           cli_reset());
    explain_line("location", json_object_get(call->object, "location"));
    explain_line("query", json_object_get(call->object, "query"));
    explain_line("", json_object_get(call->object, "query_charset"));
    explain_line("", json_object_get(call->object, "query_why"));
    for (i = 0; i < json_array_size(choices); i++) {
        explain_line("choice", json_array_get(choices, i));
    }
    if (json_object_get(call->object, "more") != NULL) {
        puts("           and others");
    }
}


const cli_command_t cli_explain = {
    .name = "explain",
    .operands = "TARGET",
    .count = 1,
    .about = "show how the servers interpret a request-target, and why",
    .help = explain_help,
    .options = explain_options,
    .size = sizeof(cli_settings_t),
    .create = cli_settings_create,
    .ready = cli_settings_ready,
    .answer = explain_answer,
    .show = explain_show,
};
