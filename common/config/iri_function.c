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
    const iri_function_t      *function;
    iri_str_t                  text;
    iri_buf_t                  out;
    const char *why;    /* NULL: converted; else the reason why not */
    size_t      offset; /* of the first octet that is wrong */
} iri_call_t;

struct iri_function_s {
    const char *name;
    int         takes_octets; /* 1: the text need not be UTF-8 */
    int         unicode;      /* 1: hosts in U-labels; 0: in A-labels */
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

/*
 * Append the escape or the octet at p to a URI (draft 3.1).  An escape is
 * copied, an octet that a URI may not contain is escaped.  *n: octets taken.
 */
static iri_status_t
iri_call_put_uri(iri_call_t *call, const unsigned char *p, size_t *n)
{
    unsigned char octet;

    *n = *p == '%' ? iri_unescape(p, call->text.data + call->text.len, &octet)
                   : 1;

    if (*n == 0 || (*n == 1 && !iri_is_uri_char(*p))) {
        *n = 1;
        return iri_buf_put_escape(call->env, &call->out, *p);
    }

    return iri_buf_put(call->env, &call->out, p, *n);
}


static iri_status_t
iri_call_to_uri(iri_call_t *call)
{
    const unsigned char *p = call->text.data, *end = p + call->text.len;
    iri_status_t         status = IRI_OK;
    size_t               n;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        status = iri_call_put_uri(call, p, &n);
    }

    return status;
}


/*
 * Percent-encode in a legacy charset as clients did before UTF-8: in a sequence
 * that contains ASCII octets, all but unreserved characters are escaped.
 */
static iri_status_t
iri_call_encode(iri_call_t *call)
{
    const unsigned char *p = call->text.data, *end = p + call->text.len;
    unsigned char        octets[4];
    iri_str_t            sequence = { 0, octets };
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n, len;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_character_at(p, end, &c, octets, &len);

        if (n != 0) {
            sequence.len = iri_charset_put(call->conf->encode, c, octets);
            status = iri_buf_put_escaped(call->env, &call->out, sequence,
                                         iri_is_unreserved);

        } else {
            sequence.len = iri_unescape(p, end, octets) == 0
                           || octets[0] < 0x80;
            status = iri_call_put_uri(call, p, &n);
        }

        if (sequence.len == 0) {
            return iri_call_reject(call,
                                   "has a character that the charset lacks,"
                                   " or an escape that is not UTF-8",
                                   (size_t) (p - call->text.data));
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


static iri_status_t
iri_call_nfd(iri_call_t *call)
{
    return iri_normalize_text(call->env, call->text, 0, &call->out);
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
iri_call_host(iri_call_t *call)
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

    name = call->function->unicode ? host.unicode : host.ascii;

    return iri_buf_put(call->env, &call->out, name.data, name.len);
}


/* ---- URLs ---------------------------------------------------------------- */

/* The length of "https://" or "//" at the beginning; 0: no authority. */
static size_t
iri_authority_offset(iri_str_t url)
{
    size_t i = iri_str_find_any(url, ":/?#");

    if (i != 0) {
        if (i == url.len || url.data[i] != ':') {
            return 0;
        }
        i++;
    }

    return url.len - i >= 2 && memcmp(url.data + i, "//", 2) == 0 ? i + 2 : 0;
}


/* 1 for "", ":" and ":" with digits (RFC 3986, 3.2.3). */
static int
iri_is_port(iri_str_t s)
{
    size_t i;

    for (i = 0; i < s.len; i++) {
        if (i == 0 ? s.data[0] != ':' : s.data[i] < '0' || s.data[i] > '9') {
            return 0;
        }
    }

    return 1;
}


/*
 * Convert the host of a URL as a host, and what is before and after it as a
 * text.  Userinfo is rejected: Referer and Origin have none (RFC 9110, 10.1.3),
 * and browsers read "https://a.example\\@b.example/" as another host than RFC
 * 3986 does.
 */
static iri_status_t
iri_call_url(iri_call_t *call)
{
    iri_status_t (*convert)(iri_call_t *) = call->function->unicode
                                                ? iri_call_to_iri
                                                : iri_call_to_uri;
    const iri_str_t url = call->text;
    size_t          start = iri_authority_offset(url), end;
    iri_str_t       authority = iri_str_from(url, start), host, port;
    iri_status_t    status;

    if (start == 0) {
        return convert(call);
    }

    authority.len = iri_str_find_any(authority, "/?#");
    end = start + authority.len;
    host = iri_authority_host(authority);
    port = iri_str_from(authority, host.len);

    if (host.data != authority.data || !iri_is_port(port)) {
        return iri_call_reject(call, "has more than a host and a port",
                               start);
    }

    call->text.len = start;
    status = convert(call);

    if (status == IRI_OK) {
        call->text = host;
        status = iri_call_host(call);
    }

    if (status == IRI_OK) {
        status = iri_buf_put(call->env, &call->out, port.data, port.len);
    }

    if (status == IRI_OK) {
        call->text = iri_str_from(url, end);
        status = convert(call);
    }

    call->text = url;

    return status;
}


/* ---- names of downloads -------------------------------------------------- */

/* attr-char of RFC 8187, 3.2.1 */
static int
iri_is_attr_char(unsigned char c)
{
    return iri_is_alphanumeric(c)
           || (c != '\0' && strchr("!#$&+-.^_`|~", c) != NULL);
}


/*
 * Append a file name as filename="..." in ASCII (RFC 6266, 4.3).  Characters
 * beyond ASCII become "_".  So do "%", "\\" and the quote, since clients read
 * escapes of them differently (RFC 6266, appendix D).  *same: 1 if no character
 * changed, else 0.
 */
static iri_status_t
iri_call_put_filename(iri_call_t *call, iri_str_t name, int *same)
{
    const unsigned char *p = name.data, *end = p + name.len;
    iri_status_t         status;
    uint32_t             c;

    *same = 1;
    status = iri_buf_put_text(call->env, &call->out, "filename=\"");

    while (status == IRI_OK && p < end) {
        p += iri_utf8_next(p, end, &c);

        if (c >= 0x80 || c == '%' || c == '\\' || c == '"') {
            *same = 0;
            c = '_';
        }

        status = iri_buf_putc(call->env, &call->out, (unsigned char) c);
    }

    return status == IRI_OK ? iri_buf_putc(call->env, &call->out, '"')
                            : status;
}


/*
 * The parameters of Content-Disposition for the last segment of a path.
 * Controls, and bidi controls, which can make "gpj.exe" look like "exe.jpg",
 * become "_" in both parameters.
 */
static iri_status_t
iri_call_disposition(iri_call_t *call)
{
    const iri_str_t text = iri_str_from(
        call->text, iri_last_segments_offset(call->text, 1));
    const unsigned char *p = text.data, *end = p + text.len;
    iri_buf_t            name = IRI_BUF_EMPTY;
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n;
    int                  same = 0;

    if (text.len == 0 || iri_is_dot_segment(text)) {
        return iri_call_reject(call, "does not end in the name of a file", 0);
    }

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_utf8_next(p, end, &c);
        status = iri_char_allowed(c, 0) && !iri_char_is_bidi_control(c)
                     ? iri_buf_put(call->env, &name, p, n)
                     : iri_buf_putc(call->env, &name, '_');
    }

    if (status == IRI_OK) {
        status = iri_call_put_filename(call, iri_buf_str(&name), &same);
    }

    if (status != IRI_OK || same) {
        return status;
    }

    status = iri_buf_put_text(call->env, &call->out, "; filename*=UTF-8''");

    return status == IRI_OK ? iri_buf_put_escaped(
               call->env, &call->out, iri_buf_str(&name), iri_is_attr_char)
                            : status;
}


/* ---- the table of functions ---------------------------------------------- */

static const iri_function_t iri_functions[IRI_FUNCTIONS] = {
    { "to_uri", 0, 0, iri_call_to_uri },
    { "to_iri", 1, 0, iri_call_to_iri },
    { "nfc", 0, 0, iri_call_nfc },
    { "fold", 0, 0, iri_call_fold },
    { "utf8", 1, 0, iri_call_utf8 },
    { "host_ascii", 0, 0, iri_call_host },
    { "host_unicode", 0, 1, iri_call_host },
    { "nfd", 0, 0, iri_call_nfd },
    { "url_ascii", 0, 0, iri_call_url },
    { "url_unicode", 1, 1, iri_call_url },
    { "disposition", 0, 0, iri_call_disposition },
};


const iri_function_t iri_function_encode = { "encode", 0, 0,
                                             iri_call_encode };


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
iri_call_run(iri_call_t *call)
{
    const iri_function_t *function = call->function;
    size_t                span;

    if (function == &iri_function_encode && call->conf->encode == NULL) {
        return iri_call_reject(call, "has no charset", 0);
    }

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
iri_call_log(const iri_call_t *call, const char *why)
{
    iri_str_t   shown = call->text;
    iri_shown_t text;

    if (shown.len > IRI_MAX_LOGGED) {
        shown.len = IRI_MAX_LOGGED;
    }

    iri_logf(call->env, IRI_LOG_INFO,
             "%s of \"%s\"%s: %s" IRI_LOG_REASON "function",
             call->function->name, iri_show_sent(&text, shown),
             shown.len < call->text.len ? " ..." : "", why);
}


iri_status_t
iri_convert(const iri_env_t *env, const iri_function_conf_t *conf,
            const iri_function_t *function, iri_str_t text,
            iri_converted_t *out)
{
    static const iri_str_t empty = IRI_STR("");
    iri_call_t   call = { .env = env, .conf = conf, .function = function };
    iri_status_t status;

    call.text = text.len != 0 ? text : empty;
    status = iri_call_run(&call);

    if (status != IRI_OK) {
        iri_call_log(&call, iri_status_text(status));
        return status;
    }

    if (call.why != NULL) {
        call.out.len = 0;
        iri_call_log(&call, call.why);
    }

    out->value = iri_buf_str(&call.out);
    out->why = call.why;
    out->offset = call.offset;

    return IRI_OK;
}
