/*
 * normalize.c - `iri normalize`: UAX #15, and RFC 3986, 6.2
 */

#include "cli.h"

enum { NORMALIZE_FORM = CLI_OPT_OWN };

typedef struct {
    int form; /* index in normalize_forms */
} normalize_conf_t;

/* The values of iri_unicode_form_t in their order, then "syntax". */
static const char *const normalize_forms[] = { "NFC",  "NFD",    "NFKC",
                                               "NFKD", "syntax", NULL };
#define NORMALIZE_SYNTAX 4

static const apr_getopt_option_t normalize_options[] = {
    { "form", NORMALIZE_FORM, 1, "NFC (default), NFD, NFKC, NFKD, syntax" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
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


static void *
normalize_create(apr_pool_t *pool)
{
    return apr_pcalloc(pool, sizeof(normalize_conf_t));
}


static const char *
normalize_option(void *data, int option, const char *value)
{
    normalize_conf_t *conf = data;

    (void) option;
    conf->form = cli_word_index(normalize_forms, value);
    return conf->form >= 0 ? NULL
                           : "must be \"NFC\", \"NFD\", \"NFKC\", \"NFKD\" "
                             "or \"syntax\"";
}


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
    "normalize",
    "TEXT",
    1,
    "convert a text to a normalization form",
    normalize_help,
    normalize_options,
    normalize_create,
    normalize_option,
    NULL, /* ready */
    normalize_answer,
    cli_show_value
};
