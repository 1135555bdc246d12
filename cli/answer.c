/*
 * answer.c - errors, values and warnings in the answers of commands
 */

#include <string.h>

#include <apr_strings.h>

#include "cli.h"


const char *const cli_grammars[] = { "rfc3987", "draft", NULL };


/* ---- errors -------------------------------------------------------------- */

int
cli_fail(cli_call_t *call, iri_status_t status)
{
    call->no_offset = 1;
    call->error = iri_status_text(status);
    return -1;
}


int
cli_reject(cli_call_t *call, size_t operand, const char *why, size_t offset)
{
    call->offset = offset;
    call->error = apr_psprintf(
        call->pool, "\"%s\" %s",
        cli_printable(call->pool, call->operand[operand]), why);
    return -1;
}


/* Describe the character or octet at an offset, or the end. */
static const char *
cli_describe_at(cli_call_t *call, iri_str_t text, size_t offset)
{
    size_t  i = offset;
    int32_t c;

    if (offset >= text.len) {
        return "found the end";
    }
    c = cli_next_character(text, &i);
    if (c < 0) {
        return apr_psprintf(call->pool, "found the octet %02X",
                            text.data[offset]);
    }
    call->character = cli_code(call->pool, c);
    return apr_psprintf(call->pool, "found %s", cli_character(call->pool, c));
}


int
cli_check_operand(cli_call_t *call, size_t operand, iri_as_t as,
                  iri_grammar_t grammar)
{
    iri_str_t    text = call->operand[operand];
    iri_expect_t expected;
    size_t       offset = 0;

    expected = iri_check(text, as, grammar, NULL, &offset);
    if (expected == IRI_EXPECT_NOTHING) {
        return 0;
    }
    return cli_reject(call, operand,
                      apr_psprintf(call->pool,
                                   "is not a valid %s: expected %s, %s",
                                   iri_as_text(as), iri_expect_text(expected),
                                   cli_describe_at(call, text, offset)),
                      offset);
}


int
cli_require(cli_call_t *call, size_t operand, iri_as_t as)
{
    if (iri_check(call->operand[operand], as, IRI_GRAMMAR_DRAFT, NULL, NULL)
        == IRI_EXPECT_NOTHING)
    {
        return 0;
    }
    return cli_check_operand(call, operand, as, IRI_GRAMMAR_RFC3987);
}


/* ---- values -------------------------------------------------------------- */

int
cli_set_converted(cli_call_t *call, iri_status_t status,
                  const iri_converted_t *converted)
{
    if (status == IRI_OK && converted->why != NULL) {
        return cli_reject(call, 0, converted->why, converted->offset);
    }
    return cli_set_value(call, status, converted->value);
}


int
cli_set_value(cli_call_t *call, iri_status_t status, iri_str_t value)
{
    if (status != IRI_OK) {
        return cli_fail(call, status);
    }
    cli_set_octets(call, "value", value);
    return 0;
}


void
cli_show_value(const cli_call_t *call)
{
    json_t *value = json_object_get(call->object, "value");

    if (json_is_boolean(value)) {
        printf(
            "%s%s%s",
            cli_color(stdout, json_is_true(value) ? CLI_GREEN : CLI_YELLOW),
            json_is_true(value) ? "true" : "false", cli_reset());
    } else {
        cli_print(stdout, cli_field_text(call->object, "value"));
    }
    putchar('\n');
}


/* ---- warnings ------------------------------------------------------------ */

iri_status_t
cli_warn(void *arg, const iri_warning_t *warning)
{
    cli_call_t *call = arg;
    int         escaped;

    call->found = 1;
    json_array_append_new(
        json_object_get(call->object, "warnings"),
        json_pack("{s:s,s:s,s:I,s:o,s:s*,s:o*}", "warning",
                  iri_warning_text(warning->kind), "component",
                  iri_component_text(warning->component), "offset",
                  (json_int_t) warning->offset, "part",
                  cli_string(call->pool, warning->piece, &escaped),
                  "character",
                  warning->character != 0
                      ? cli_code(call->pool, (int32_t) warning->character)
                      : NULL,
                  "like",
                  warning->like.len != 0
                      ? cli_string(call->pool, warning->like, &escaped)
                      : NULL));
    return IRI_OK;
}


/* Print a field of a warning, with a prefix and a suffix, if it is present. */
static void
cli_show_field(const char *before, json_t *object, const char *name,
               const char *behind)
{
    if (json_object_get(object, name) != NULL) {
        fputs(before, stdout);
        cli_print(stdout, cli_field_text(object, name));
        fputs(behind, stdout);
    }
}


void
cli_show_warnings(cli_call_t *call)
{
    json_t *list = json_object_get(call->object, "warnings");
    size_t  i;

    for (i = 0; i < json_array_size(list); i++) {
        json_t *one = json_array_get(list, i);

        printf("%swarning%s: ", cli_color(stdout, CLI_YELLOW), cli_reset());
        cli_show_field("", one, "component", " ");
        cli_show_field("\"", one, "part", "\": ");
        cli_show_field("", one, "warning", "");
        cli_show_field(" \"", one, "like", "\"");
        cli_show_field(": ", one, "character", "");
        printf(" (offset %lld)\n", cli_field(one, "offset"));
    }
}
