/*
 * normalize.c - `iri normalize`: forms of Unicode, and of RFC 3986, 6.2
 */

#include "cli.h"

enum { NORMALIZE_FORM = CLI_OPT_OWN };

typedef struct {
    int form; /* of normalize_forms */
} normalize_conf_t;

/* In the order of iri_unicode_form_t; then the other. */
static const char *const normalize_forms[] = { "NFC",  "NFD",    "NFKC",
                                               "NFKD", "syntax", NULL };
#define NORMALIZE_SYNTAX 4

static const apr_getopt_option_t normalize_options[] = {
    { "form", NORMALIZE_FORM, 1, "NFC (default), NFD, NFKC, NFKD, syntax" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char normalize_help[] =
    "The forms of Unicode are for names that are to be made; all of TEXT is\n"
    "put in them, escapes are not looked at. \"syntax\" is RFC 3986, 6.2.2\n"
    "and 6.2.3: the case of scheme, host and escapes, escapes of what is\n"
    "unreserved, dot-segments behind a scheme, the default or empty port and\n"
    "an empty path of http and https; TEXT is then an IRI-reference.\n\n"
    "JSON field: value. Where there is none: error, offset.\n\n"
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
    conf->form = cli_word(normalize_forms, value);
    return conf->form >= 0 ? NULL
                           : "must be \"NFC\", \"NFD\", \"NFKC\", \"NFKD\" "
                             "or \"syntax\"";
}


static int
normalize_answer(const void *data, cli_call_t *call)
{
    const normalize_conf_t *conf = data;
    iri_env_apr_t           lent;
    iri_converted_t         out;
    iri_status_t            status;

    iri_env_apr_init(&lent, call->pool, NULL, NULL);
    if (conf->form == NORMALIZE_SYNTAX) {
        if (cli_need(call, 0, IRI_AS_IRI_REFERENCE) != 0) {
            return -1;
        }
        status = iri_normalize_syntax(
            &lent.env, IRI_NORMALIZE_SYNTAX | IRI_NORMALIZE_SCHEME,
            call->operand[0], &out);
    } else {
        status = iri_unicode_form(&lent.env, (iri_unicode_form_t) conf->form,
                                  call->operand[0], &out);
    }
    return cli_give(call, status, &out);
}


const cli_command_t cli_normalize = { "normalize",
                                      "TEXT",
                                      1,
                                      "put a text in a normalization form",
                                      normalize_help,
                                      normalize_options,
                                      normalize_create,
                                      normalize_option,
                                      cli_is_ready,
                                      normalize_answer,
                                      cli_show_value };
