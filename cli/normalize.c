/*
 * normalize.c - `iri normalize`: UAX #15, and RFC 3986, 6.2
 */

#include "cli.h"

typedef struct {
    cli_common_t common;
    int          form; /* index in normalize_forms */
} normalize_conf_t;

/* The values of iri_unicode_form_t in their order, then "syntax". */
static const char *const normalize_forms[] = { "NFC",  "NFD",    "NFKC",
                                               "NFKD", "syntax", NULL };
#define NORMALIZE_SYNTAX 4

static const cli_option_t normalize_options[] = {
    { "form", "NFC (default), NFD, NFKC, NFKD, syntax", cli_option_word,
      offsetof(normalize_conf_t, form), normalize_forms },
    CLI_OPTIONS_FOR_ALL
};

static const char normalize_help[] =
    "The Unicode forms are for new names; they apply to all of TEXT, and\n"
    "escapes are not decoded. \"syntax\" is RFC 3986, 6.2.2 and 6.2.3: case of\n"
    "scheme, host and escapes, escapes of unreserved characters, dot-segments\n"
    "if there is a scheme, the default or empty port and an empty path of\n"
    "http and https; TEXT must then be an IRI-reference.\n\n"
    "JSON field: value. On failure: error, offset.\n\n"
    "Example:\n"
    "  iri normalize --form syntax HTTP://a.EXAMPLE:80/%7euser/./b\n";


static int
normalize_answer(const void *data, cli_call_t *call)
{
    const normalize_conf_t *conf = data;
    iri_converted_t         out;
    iri_status_t            status;

    if (conf->form == NORMALIZE_SYNTAX) {
        if (cli_require(call, 0, IRI_AS_IRI_REFERENCE) != 0) {
            return -1;
        }
        status = iri_normalize_syntax(
            &call->apr.env, IRI_NORMALIZE_SYNTAX | IRI_NORMALIZE_SCHEME,
            call->operand[0], &out);
    } else {
        status = iri_unicode_form(&call->apr.env,
                                  (iri_unicode_form_t) conf->form,
                                  call->operand[0], &out);
    }
    return cli_set_converted(call, status, &out);
}


const cli_command_t cli_normalize = {
    .name = "normalize",
    .operands = "TEXT",
    .count = 1,
    .about = "convert a text to a normalization form",
    .help = normalize_help,
    .options = normalize_options,
    .size = sizeof(normalize_conf_t),
    .answer = normalize_answer,
};
