/*
 * iri_function.c - conversion functions for rules
 *
 * A table of named functions for both servers and the command.  to_uri and
 * to_iri implement sections 3.1 and 3.2 of the draft, with the characters that
 * 2.2 and 4.1 exclude from an IRI; the others use the code for paths and hosts.
 * The text is untrusted and may contain any octet; a text that cannot be
 * converted has no value.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"

typedef struct {
    const iri_env_t           *env;
    const iri_function_conf_t *conf;
    iri_str_t                  text;
    iri_buf_t                  out;
    const char *why;    /* NULL: converted; else the reason why not */
    size_t      offset; /* of the first octet that is wrong */
} iri_call_t;

struct iri_function_s {
    const char *name;
    int         takes_octets; /* 1: the text need not be UTF-8 */
    iri_status_t (*run)(iri_call_t *call);
};

#define IRI_MAX_LOGGED 200 /* octets of a text in a log line */


/* Record why the text has no value, and return IRI_OK: this is an answer. */
static iri_status_t
iri_call_reject(iri_call_t *call, const char *why, size_t offset)
{
    call->why = why;
    call->offset = offset;

    return IRI_OK;
}


/* ---- URIs and IRIs ------------------------------------------------------- */

/* Draft 3.1: escapes are copied, other octets are escaped where necessary. */
static iri_status_t
iri_call_to_uri(iri_call_t *call)
{
    const unsigned char *p = call->text.data, *end = p + call->text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        octet;
    size_t               n;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = *p == '%' ? iri_unescape(p, end, &octet) : 1;

        if (n == 0 || (n == 1 && !iri_is_uri_char(*p))) {
            n = 1;
            status = iri_buf_put_escape(call->env, &call->out, *p);

        } else {
            status = iri_buf_put(call->env, &call->out, p, n);
        }
    }

    return status;
}


static iri_status_t
iri_call_to_iri(iri_call_t *call)
{
    const unsigned char *p = call->text.data, *end = p + call->text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        octets[4], octet;
    uint32_t             c;
    size_t               n, len;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_character_at(p, end, &c, octets, &len);
        if (n != 0 && iri_char_is_ucs(c)) {
            status = iri_buf_put(call->env, &call->out, octets, len);
            continue;
        }

        n = iri_unescape(p, end, &octet);

        if (n == 3 && iri_is_unreserved(octet)) {
            status = iri_buf_putc(call->env, &call->out, octet);

        } else if (n == 3 || (n == 1 && iri_is_uri_char(*p))) {
            status = iri_buf_put(call->env, &call->out, p, n);

        } else {
            n = 1;
            status = iri_buf_put_escape(call->env, &call->out, *p);
        }
    }

    return status;
}


/* ---- characters ---------------------------------------------------------- */

static iri_status_t
iri_call_nfc(iri_call_t *call)
{
    return iri_nfc_put_text(call->env, call->text, &call->out);
}


/*
 * 1 if a text can be split before c: folding never combines ASCII, ideographs
 * and Hangul with the preceding characters.
 */
static int
iri_fold_can_split(uint32_t c)
{
    return c < 0x80 || (c >= 0x4e00 && c <= 0x9fff)
           || (c >= 0xac00 && c <= 0xd7a3);
}


/* Fold in pieces, because iri_fold takes at most IRI_MAX_SEGMENT octets. */
static iri_status_t
iri_call_fold(iri_call_t *call)
{
    const unsigned flags = IRI_FOLD_WIDTH | IRI_FOLD_CASE;
    iri_buf_t      nfc = IRI_BUF_EMPTY;
    iri_status_t   status;
    size_t         at;
    iri_str_t      piece;

    status = iri_nfc_put_text(call->env, call->text, &nfc);

    for (at = 0; status == IRI_OK && at < nfc.len; at += piece.len) {
        piece = iri_text_piece(iri_str_from(iri_buf_str(&nfc), at),
                               iri_fold_can_split);

        if (piece.len > IRI_MAX_SEGMENT) {
            return iri_call_reject(call, "contains a word that is too long",
                                   0);
        }

        status = iri_fold(call->env, flags, piece, &call->out);
    }

    return status;
}


/* ---- charsets ------------------------------------------------------------ */

static iri_status_t
iri_call_utf8(iri_call_t *call)
{
    const iri_charsets_t *list = call->conf->charsets;
    size_t                i, span;

    span = iri_charset_span(&iri_charset_utf8, call->text);
    if (span == call->text.len) {
        return iri_buf_put(call->env, &call->out, call->text.data,
                           call->text.len);
    }

    for (i = 0; list != NULL && i < list->count; i++) {
        if (iri_charset_span(list->at[i], call->text) == call->text.len) {
            return iri_charset_decode(call->env, list->at[i], call->text,
                                      &call->out);
        }
    }

    return iri_call_reject(call, "is not valid in any of the charsets", span);
}


/* ---- hosts --------------------------------------------------------------- */

static iri_status_t
iri_call_host(iri_call_t *call, int unicode)
{
    iri_host_t   host;
    iri_str_t    name;
    iri_status_t status;

    if (call->conf->host == NULL || call->conf->host->idna == NULL) {
        return iri_call_reject(call, "cannot be mapped: host mapping is off",
                               0);
    }

    status = iri_host_forms(call->env, call->conf->host, call->text, &host);
    if (status != IRI_OK) {
        return status;
    }

    if (host.verdict == IRI_REFUSE) {
        return iri_call_reject(call, iri_host_why_text(host.why), 0);
    }

    name = unicode ? host.unicode : host.ascii;

    return iri_buf_put(call->env, &call->out, name.data, name.len);
}


static iri_status_t
iri_call_host_ascii(iri_call_t *call)
{
    return iri_call_host(call, 0);
}


static iri_status_t
iri_call_host_unicode(iri_call_t *call)
{
    return iri_call_host(call, 1);
}


/* ---- the table of functions ---------------------------------------------- */

static const iri_function_t iri_functions[IRI_FUNCTIONS] = {
    { "to_uri", 0, iri_call_to_uri },
    { "to_iri", 1, iri_call_to_iri },
    { "nfc", 0, iri_call_nfc },
    { "fold", 0, iri_call_fold },
    { "utf8", 1, iri_call_utf8 },
    { "host_ascii", 0, iri_call_host_ascii },
    { "host_unicode", 0, iri_call_host_unicode },
};


const iri_function_t *
iri_function_find(iri_str_t name)
{
    size_t i;

    for (i = 0; i < IRI_FUNCTIONS; i++) {
        if (name.len == strlen(iri_functions[i].name)
            && memcmp(name.data, iri_functions[i].name, name.len) == 0)
        {
            return &iri_functions[i];
        }
    }

    return NULL;
}


const iri_function_t *
iri_function_at(size_t i)
{
    return i < IRI_FUNCTIONS ? &iri_functions[i] : NULL;
}


const char *
iri_function_name(size_t i)
{
    return i < IRI_FUNCTIONS ? iri_functions[i].name : NULL;
}


/* Check the length and encoding of the text, then call the function. */
static iri_status_t
iri_call_run(iri_call_t *call, const iri_function_t *function)
{
    size_t span;

    if (call->text.len > IRI_MAX_TEXT) {
        return iri_call_reject(call, "is too long", IRI_MAX_TEXT);
    }

    if (!function->takes_octets) {
        span = iri_charset_span(&iri_charset_utf8, call->text);

        if (span != call->text.len) {
            return iri_call_reject(call, "is not UTF-8", span);
        }
    }

    return function->run(call);
}


static void
iri_call_log(const iri_call_t *call, const iri_function_t *function,
             const char *why)
{
    iri_str_t   shown = call->text;
    iri_shown_t text;

    if (call->env->log == NULL) {
        return;
    }

    if (shown.len > IRI_MAX_LOGGED) {
        shown.len = IRI_MAX_LOGGED;
    }

    iri_logf(call->env, IRI_LOG_INFO,
             "%s of \"%s\"%s: %s" IRI_LOG_REASON "function", function->name,
             iri_show_sent(&text, shown),
             shown.len < call->text.len ? " ..." : "", why);
}


iri_status_t
iri_convert(const iri_env_t *env, const iri_function_conf_t *conf,
            const iri_function_t *function, iri_str_t text,
            iri_converted_t *out)
{
    static const iri_str_t empty = IRI_STR("");
    iri_call_t   call = { env,           conf, text.len != 0 ? text : empty,
                          IRI_BUF_EMPTY, NULL, 0 };
    iri_status_t status = iri_call_run(&call, function);

    if (status != IRI_OK) {
        iri_call_log(&call, function, iri_status_text(status));
        return status;
    }

    if (call.why != NULL) {
        call.out.len = 0;
        iri_call_log(&call, function, call.why);
    }

    out->value = iri_buf_str(&call.out);
    out->why = call.why;
    out->offset = call.offset;

    return IRI_OK;
}
