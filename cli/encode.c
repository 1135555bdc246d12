/*
 * encode.c - `iri decode` and `iri encode`: octets of a charset <-> text
 *
 * The servers decode requests in the same way, before they apply NFC, and
 * encode new names in the same way.
 */

#include "cli.h"

typedef struct {
    cli_common_t         common;
    const iri_charset_t *charset;
} encode_conf_t;

static const cli_option_t encode_options[] = {
    { "charset", "a label of the Encoding Standard (required)",
      cli_option_charset, offsetof(encode_conf_t, charset), NULL },
    CLI_OPTIONS_FOR_ALL
};

static const char decode_help[] =
    "OCTETS are raw, \"%HH\", or both; a \"%\" without two hexadecimal digits\n"
    "represents itself. All octets must be valid in the charset. In a charset\n"
    "other than UTF-8 control characters above 7F are invalid.\n\n"
    "JSON field: value, in Unicode. On failure: error, offset.\n\n"
    "Example:\n"
    "  iri decode --charset shift_jis %93%FA%96%7B\n";

static const char encode_help[] =
    "TEXT is in UTF-8. The charset must have each of its characters, and must\n"
    "decode the octets to the same character.\n\n"
    "JSON field: value, percent-encoded except for octets that the path of a\n"
    "URI may contain. On failure: error, offset, character.\n\n"
    "Example:\n"
    "  iri encode --charset shift_jis \xE6\x97\xA5\xE6\x9C\xAC\n";


static const char *
encode_ready(void *data)
{
    const encode_conf_t *conf = data;

    return conf->charset ? NULL : "--charset is required";
}


/* ---- decode -------------------------------------------------------------- */

static int
decode_answer(const void *data, cli_call_t *call)
{
    const encode_conf_t *conf = data;
    iri_converted_t      out;
    iri_str_t            octets;
    iri_status_t         status;
    size_t              *at;

    octets = cli_unescape(call->pool, call->operand[0], 1, &at);
    status = iri_decode(&call->apr.env, conf->charset, octets, &out);
    if (status == IRI_OK && out.why != NULL) {
        out.offset = at[out.offset];
    }
    return cli_set_converted(call, status, &out);
}


/* ---- encode -------------------------------------------------------------- */

static int
encode_answer(const void *data, cli_call_t *call)
{
    const encode_conf_t *conf = data;
    iri_str_t            text = call->operand[0];
    iri_converted_t      out;
    iri_status_t         status;
    size_t               i;
    int32_t              c;

    status = iri_encode(&call->apr.env, conf->charset, text, &out);
    if (status == IRI_OK && out.why == NULL) {
        status = iri_path_to_uri(&call->apr.env, out.value, &out.value);
    } else if (status == IRI_OK && out.offset < text.len) {
        i = out.offset;
        c = cli_next_character(text, &i);
        call->character = c >= 0 ? cli_code(call->pool, c) : NULL;
    }
    return cli_set_converted(call, status, &out);
}


const cli_command_t cli_decode = {
    .name = "decode",
    .operands = "OCTETS",
    .count = 1,
    .about = "decode octets of a charset, as the servers decode requests",
    .help = decode_help,
    .options = encode_options,
    .size = sizeof(encode_conf_t),
    .ready = encode_ready,
    .answer = decode_answer,
};

const cli_command_t cli_encode = {
    .name = "encode",
    .operands = "TEXT",
    .count = 1,
    .about = "encode a text in a charset, as the servers write new names",
    .help = encode_help,
    .options = encode_options,
    .size = sizeof(encode_conf_t),
    .ready = encode_ready,
    .answer = encode_answer,
};
