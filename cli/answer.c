/*
 * answer.c - errors, values and warnings in the answers of commands
 */

#include <string.h>
#include <strings.h>

#include <apr_strings.h>

#include "cli.h"


const char *
cli_ready_default(void *conf)
{
    (void) conf;
    return NULL;
}


int
cli_word_index(const char *const *words, const char *word)
{
    int i;

    for (i = 0; words[i] != NULL; i++) {
        if (strcasecmp(words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}


const char *
cli_grammar(const char *value, iri_grammar_t *out)
{
    static const char *const words[] = { "rfc3987", "draft", NULL };
    int                      word = cli_word_index(words, value);

    if (word < 0) {
        return "must be \"rfc3987\" or \"draft\"";
    }
    *out = word == 0 ? IRI_GRAMMAR_RFC3987 : IRI_GRAMMAR_DRAFT;
    return NULL;
}


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
    const char *shown = cli_printable(call->pool, call->operand[operand]);

    call->offset = offset;
    call->error = shown ? apr_psprintf(call->pool, "\"%s\" %s", shown, why)
                        : iri_status_text(IRI_NO_MEMORY);
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
    call->character = apr_psprintf(call->pool, "U+%04X", (unsigned) c);
    return apr_psprintf(call->pool, "found %s", cli_character(call->pool, c));
}


int
cli_check_operand(cli_call_t *call, size_t operand, iri_as_t as,
                  iri_grammar_t grammar, iri_parts_t *parts)
{
    iri_str_t    text = call->operand[operand];
    iri_expect_t expected;
    size_t       offset = 0;

    expected = iri_check(text, as, grammar, parts, &offset);
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
    return cli_check_operand(call, operand, as, IRI_GRAMMAR_RFC3987, NULL);
}


/* ---- values -------------------------------------------------------------- */

int
cli_set_converted(cli_call_t *call, iri_status_t status,
                  const iri_converted_t *converted)
{
    if (status == IRI_OK && converted->why != NULL) {
        return cli_reject(call, 0, converted->why, converted->offset);
    }
    if (status == IRI_OK
        && cli_set_octets(call, "value", converted->value) != 0) {
        status = IRI_NO_MEMORY;
    }
    return status == IRI_OK ? 0 : cli_fail(call, status);
}


static void
cli_print_string(json_t *string)
{
    iri_str_t text;

    text.data = (const unsigned char *) json_string_value(string);
    text.len = json_string_length(string);
    cli_print(stdout, text);
}


void
cli_show_value(const void *conf, cli_call_t *call)
{
    json_t *value = json_object_get(call->object, "value");

    (void) conf;
    if (json_is_boolean(value)) {
        printf(
            "%s%s%s",
            cli_color(stdout, json_is_true(value) ? CLI_GREEN : CLI_YELLOW),
            json_is_true(value) ? "true" : "false", cli_reset());
    } else {
        cli_print_string(value);
    }
    putchar('\n');
}


/* ---- warnings ------------------------------------------------------------ */

/* Takes ownership of value, which may be NULL. */
static int
cli_warn_set(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value);
}


static int
cli_warn_fill(cli_call_t *call, json_t *object, const iri_warning_t *warning)
{
    const char *part, *like;
    size_t      len = 0;
    int         escaped, wrong;

    wrong = cli_warn_set(object, "warning",
                         json_string(iri_warning_text(warning->kind)));
    wrong |= cli_warn_set(
        object, "component",
        json_string(iri_component_text(warning->component)));
    wrong |= cli_warn_set(object, "offset",
                          json_integer((json_int_t) warning->offset));
    part = cli_text(call->pool, warning->piece, &len, &escaped);
    wrong |= cli_warn_set(object, "part", json_stringn(part, len));
    if (warning->character != 0) {
        wrong |= cli_warn_set(
            object, "character",
            json_string(apr_psprintf(call->pool, "U+%04X",
                                     (unsigned) warning->character)));
    }
    if (warning->like.len != 0) {
        like = cli_text(call->pool, warning->like, &len, &escaped);
        wrong |= cli_warn_set(object, "like", json_stringn(like, len));
    }
    return wrong;
}


iri_status_t
cli_warn(void *arg, const iri_warning_t *warning)
{
    cli_call_t *call = arg;
    json_t     *object = json_object();
    json_t     *list = json_object_get(call->object, "warnings");

    call->found = 1;
    if (object == NULL || cli_warn_fill(call, object, warning) != 0) {
        json_decref(object);
        return IRI_NO_MEMORY;
    }
    return json_array_append_new(list, object) == 0 ? IRI_OK : IRI_NO_MEMORY;
}


/* Print a field of a warning, with a prefix and a suffix, if it is present. */
static void
cli_show_field(const char *before, json_t *object, const char *name,
               const char *behind)
{
    json_t *value = json_object_get(object, name);

    if (value != NULL) {
        fputs(before, stdout);
        cli_print_string(value);
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
        printf(" (offset %" JSON_INTEGER_FORMAT ")\n",
               json_integer_value(json_object_get(one, "offset")));
    }
}
