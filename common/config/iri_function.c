/*
 * iri_function.c - what rules can do with a text
 *
 * One table of functions by name, for both servers and the command.  Draft 3.1
 * and 3.2 for the ways to a URI and to an IRI and what stays out of an IRI
 * (2.2, 4.1); the rest is what paths and hosts are read by.  A text is hostile
 * as a path is: it may hold any octet, and what it cannot be is no value.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"

typedef struct {
    const iri_env_t           *env;
    const iri_function_conf_t *conf;
    iri_str_t                  text;
    iri_buf_t                  out;
    const char                *why;    /* set: there is no value */
    size_t                     offset; /* what that is about */
} iri_call_t;

struct iri_function_s {
    const char *name;
    int         takes_octets; /* 1: the text need not be UTF-8 */
    iri_status_t (*run)(iri_call_t *call);
};

#define IRI_SHOWN 200 /* octets of a text in a line of log */


/* There is no value. */
static iri_status_t
iri_call_fails(iri_call_t *call, const char *why, size_t offset)
{
    call->why = why;
    call->offset = offset;

    return IRI_OK;
}


/* ---- URIs and IRIs ------------------------------------------------------- */

/* reserved and unreserved of RFC 3986, 2.2 and 2.3 */
static int
iri_is_uri_char(unsigned char c)
{
    return iri_is_path_char(c) || c == '?' || c == '#' || c == '['
           || c == ']';
}


/* An escape stays an escape: this is draft 3.1, not a path that is escaped. */
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


/*
 * The character that begins at p, escaped, raw or both, and the octets of the
 * text that it takes; 0: there is none, or none that may stand in an IRI.
 */
static size_t
iri_iri_next(const unsigned char *p, const unsigned char *end,
             unsigned char octets[4], size_t *len)
{
    size_t   n, count, taken[5] = { 0, 0, 0, 0, 0 };
    uint32_t c;

    for (count = 0; count < 4 && p < end; count++, p += n) {
        n = iri_unescape(p, end, &octets[count]);

        if (n == 0 || (n == 1 && *p < 0x80)) {
            break;
        }

        taken[count + 1] = taken[count] + n;
    }

    *len = iri_utf8_next(octets, octets + count, &c);

    if (*len == 0
        || (c < 0x80 ? !iri_is_unreserved(octets[0]) : !iri_char_is_ucs(c)))
    {
        return 0;
    }

    return taken[*len];
}


/* Octets of ASCII, an escape maybe, that stay. */
static size_t
iri_iri_stays(const unsigned char *p, const unsigned char *end)
{
    unsigned char octet;

    return *p == '%' ? iri_unescape(p, end, &octet)
                     : (size_t) iri_is_uri_char(*p);
}


static iri_status_t
iri_call_to_iri(iri_call_t *call)
{
    const unsigned char *p = call->text.data, *end = p + call->text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        octets[4];
    size_t               n, len;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_iri_next(p, end, octets, &len);
        if (n != 0) {
            status = iri_buf_put(call->env, &call->out, octets, len);
            continue;
        }

        n = iri_iri_stays(p, end);
        if (n != 0) {
            status = iri_buf_put(call->env, &call->out, p, n);
            continue;
        }

        n = 1;
        status = iri_buf_put_escape(call->env, &call->out, *p);
    }

    return status;
}


/* ---- characters ---------------------------------------------------------- */

static iri_status_t
iri_call_nfc(iri_call_t *call)
{
    return iri_nfc_text(call->env, call->text, &call->out);
}


/*
 * Before ASCII, ideographs and Hangul nothing is folded together with what
 * comes before.
 */
static int
iri_fold_starts(uint32_t c)
{
    return c < 0x80 || (c >= 0x4e00 && c <= 0x9fff)
           || (c >= 0xac00 && c <= 0xd7a3);
}


/* In pieces: iri_fold takes names, not texts. */
static iri_status_t
iri_call_fold(iri_call_t *call)
{
    const unsigned flags = IRI_FOLD_WIDTH | IRI_FOLD_CASE;
    iri_buf_t      nfc = IRI_BUF_EMPTY;
    iri_status_t   status;
    size_t         at;
    iri_str_t      piece;

    status = iri_nfc_text(call->env, call->text, &nfc);

    for (at = 0; status == IRI_OK && at < nfc.len; at += piece.len) {
        piece = iri_text_piece(iri_str_from(iri_buf_str(&nfc), at),
                               iri_fold_starts);

        if (piece.len > IRI_MAX_SEGMENT) {
            return iri_call_fails(call, "has too long a word", 0);
        }

        status = iri_fold(call->env, flags, piece, &call->out);
    }

    return status;
}


/* ---- charsets ------------------------------------------------------------ */

static iri_status_t
iri_call_decode(iri_call_t *call, const iri_charset_t *charset)
{
    const unsigned char *p = call->text.data, *end = p + call->text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        utf8[4];
    uint32_t             c;

    while (status == IRI_OK && p < end) {
        p += iri_charset_next(charset, p, end, &c);
        status = iri_buf_put(call->env, &call->out, utf8,
                             iri_utf8_put(c, utf8));
    }

    return status;
}


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
            return iri_call_decode(call, list->at[i]);
        }
    }

    return iri_call_fails(call, "no charset reads it", span);
}


/* ---- hosts --------------------------------------------------------------- */

static iri_status_t
iri_call_host(iri_call_t *call, int unicode)
{
    iri_host_t   host;
    iri_str_t    name;
    iri_status_t status;

    if (call->conf->host == NULL || call->conf->host->idna == NULL) {
        return iri_call_fails(call, "hosts are not mapped here", 0);
    }

    status = iri_host_forms(call->env, call->conf->host, call->text, &host);
    if (status != IRI_OK) {
        return status;
    }

    if (host.verdict == IRI_REFUSE) {
        return iri_call_fails(call, iri_host_why_text(host.why), 0);
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


/* ---- by name ------------------------------------------------------------- */

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


/* The text is judged before a function sees it. */
static iri_status_t
iri_call_run(iri_call_t *call, const iri_function_t *function)
{
    size_t span;

    if (call->text.len > IRI_MAX_TEXT) {
        return iri_call_fails(call, "is too long", IRI_MAX_TEXT);
    }

    if (!function->takes_octets) {
        span = iri_charset_span(&iri_charset_utf8, call->text);

        if (span != call->text.len) {
            return iri_call_fails(call, "is not UTF-8", span);
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

    if (shown.len > IRI_SHOWN) {
        shown.len = IRI_SHOWN;
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
