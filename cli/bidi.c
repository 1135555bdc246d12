/*
 * bidi.c - `iri bidi`: the structure and the visual order of an IRI
 */

#include "cli.h"

typedef struct {
    cli_common_t common;
    iri_visual_t order;
} bidi_conf_t;

static const char *const bidi_orders[] = { "uax9", "components", NULL };

static const cli_option_t bidi_options[] = {
    { "order", "uax9 (default), components", cli_option_word,
      offsetof(bidi_conf_t, order), bidi_orders },
    CLI_OPTIONS_FOR_ALL
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
    .name = "bidi",
    .operands = "TEXT",
    .count = 1,
    .about = "show how an IRI with right-to-left letters is displayed",
    .help = bidi_help,
    .options = bidi_options,
    .size = sizeof(bidi_conf_t),
    .answer = bidi_answer,
    .show = bidi_show,
};
