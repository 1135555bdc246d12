/*
 * bidi.c - `iri bidi`: the structure and the visual order of an IRI
 */

#include "cli.h"

enum { BIDI_ORDER = CLI_OPT_OWN };

typedef struct {
    iri_visual_t order;
} bidi_conf_t;

static const apr_getopt_option_t bidi_options[] = {
    { "order", BIDI_ORDER, 1, "uax9 (default), components" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char bidi_help[] =
    "By draft 4.2 a component with right-to-left letters must have no\n"
    "left-to-right letters, and must begin and end with right-to-left ones.\n"
    "Components are labels, segments, parameters, an extension, names and\n"
    "values. TEXT is shown in visual order, from left to right (draft 4.1).\n"
    "With --order components reserved characters keep their positions, as in\n"
    "the older IURI draft (2.4).\n\n"
    "JSON fields: value, true if the structure conforms to draft 4.2; visual;\n"
    "warnings, as for `iri check`. Exit code 1 if value is false.\n\n"
    "Example:\n"
    "  iri bidi 'http://ab.\xD7\x92\xD7\x93/1'\n";


static void *
bidi_create(apr_pool_t *pool)
{
    return apr_pcalloc(pool, sizeof(bidi_conf_t));
}


static const char *
bidi_option(void *data, int option, const char *value)
{
    static const char *const words[] = { "uax9", "components", NULL };
    bidi_conf_t             *conf = data;
    int                      word = cli_word_index(words, value);

    (void) option;
    conf->order = word == 1 ? IRI_VISUAL_COMPONENTS : IRI_VISUAL_UAX9;
    return word >= 0 ? NULL : "must be \"uax9\" or \"components\"";
}


static int
bidi_answer(const void *data, cli_call_t *call)
{
    const bidi_conf_t *conf = data;
    iri_converted_t    out;
    iri_status_t       status;

    status = iri_visual_order(&call->apr.env, conf->order, call->operand[0],
                              &out);
    if (status != IRI_OK) {
        return cli_fail(call, status);
    }
    if (out.why != NULL) {
        return cli_reject(call, 0, out.why, out.offset);
    }
    cli_set(call, "value", json_true());
    cli_set_octets(call, "visual", out.value);
    cli_set(call, "warnings", json_array());
    (void) iri_bidi_check(call->operand[0], cli_warn, call);
    if (call->found) {
        cli_set(call, "value", json_false());
    }
    return 0;
}


static void
bidi_show(const void *conf, cli_call_t *call)
{
    (void) conf;
    cli_print(stdout, cli_field_text(call->object, "visual"));
    putchar('\n');
    cli_show_warnings(call);
}


const cli_command_t cli_bidi = {
    "bidi",      "TEXT",
    1,           "show how an IRI with right-to-left letters is displayed",
    bidi_help,   bidi_options,
    bidi_create, bidi_option,
    NULL, /* ready */
    bidi_answer, bidi_show
};
