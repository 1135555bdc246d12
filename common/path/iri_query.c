/*
 * iri_query.c - converts the parameters of a query to UTF-8
 *
 * A browser submits a form in the charset of its page: a page in Shift_JIS
 * sends "q=%83\". The query is divided into names and values first, on
 * octets, as application/x-www-form-urlencoded of the URL Standard defines:
 * "&" separates parameters, and the first "=" ends a name. Then each name or
 * value that is not UTF-8 is decoded in one charset, the same for the whole
 * query, and its characters above U+007F are written as percent-encoded UTF-8.
 * An ASCII character is copied as sent, escaped or not ("+" and "%26" too). A
 * query that no charset decodes is not changed.
 *
 * Every sequence that is converted starts with an octet above 7F and contains
 * no delimiter. So no delimiter appears or disappears.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"

static const char *const iri_query_why_codes[IRI_QUERY_WHYS] = {
    "query-ascii",      "query-utf8",       "query-read",
    "query-normalized", "query-unreadable", "query-limit"
};

typedef struct {
    const iri_env_t        *env;
    const iri_query_conf_t *conf;
    iri_str_t               sent;
    iri_str_t               octets; /* sent, unescaped */
    const uint16_t         *at; /* offset in sent of each, and of the end */
    iri_buf_t               out;
    int                     changed; /* 1: out differs from sent */
    iri_nfc_run_t           run;     /* characters to be normalized */
} iri_params_t;

static const char *const iri_query_why_texts[IRI_QUERY_WHYS] = {
    "is ASCII",
    "has its parameters in UTF-8",
    "was read in another charset",
    "was put in NFC",
    "has parameters that no single charset decodes",
    "is too long, as sent or in UTF-8"
};


const char *
iri_query_why_text(iri_query_why_t why)
{
    return (unsigned) why < IRI_QUERY_WHYS ? iri_query_why_texts[why]
                                           : "unknown";
}


int
iri_query_needs_read(const iri_query_conf_t *conf, iri_str_t query)
{
    return (conf->charsets.count != 0 || conf->nfc)
           && !iri_path_is_ascii(query, 1);
}


/* ---- parts: names and values --------------------------------------------- */

/*
 * Unescape q->sent. A "%" that starts no escape is copied, as by form parsers.
 */
static iri_status_t
iri_params_unescape(iri_params_t *q)
{
    const unsigned char *p = q->sent.data, *end = p + q->sent.len;
    unsigned char       *octets;
    uint16_t            *at;
    size_t               n, len = 0;

    at = q->env->alloc(q->env->ctx,
                       (q->sent.len + 1) * sizeof(*at) + q->sent.len);
    if (at == NULL) {
        return IRI_NO_MEMORY;
    }

    octets = (unsigned char *) (at + q->sent.len + 1);

    for (/* void */; p < end; p += n, len++) {
        at[len] = (uint16_t) (p - q->sent.data);

        n = iri_unescape(p, end, &octets[len]);
        if (n == 0) {
            octets[len] = *p;
            n = 1;
        }
    }

    at[len] = (uint16_t) q->sent.len;

    q->at = at;
    q->octets.data = octets;
    q->octets.len = len;

    return IRI_OK;
}


/*
 * Return the end of the name or value that starts at from. Only a delimiter
 * that was not escaped ends it.
 */
static size_t
iri_part_end(const iri_params_t *q, size_t from, int is_value)
{
    unsigned char c;

    for (/* void */; from < q->octets.len; from++) {
        c = q->sent.data[q->at[from]];

        if (c == '&' || (c == '=' && !is_value)) {
            break;
        }
    }

    return from;
}


/* Return 1 if the octets [from, to) are text in charset. */
static int
iri_part_is_in(const iri_params_t *q, const iri_charset_t *charset,
               size_t from, size_t to)
{
    iri_str_t part = { to - from, q->octets.data + from };

    return iri_charset_span(charset, part) == part.len;
}


/*
 * Return 1 if charset decodes each name and value that is not UTF-8. charset
 * NULL: return 1 if all of them are UTF-8.
 */
static int
iri_params_are_in(const iri_params_t *q, const iri_charset_t *charset)
{
    size_t from, to;
    int    is_value = 0;

    for (from = 0;; from = to + 1) {
        to = iri_part_end(q, from, is_value);

        if (!iri_part_is_in(q, &iri_charset_utf8, from, to)
            && (charset == NULL || !iri_part_is_in(q, charset, from, to)))
        {
            return 0;
        }

        if (to == q->octets.len) {
            return 1;
        }

        is_value = q->octets.data[to] == '=';
    }
}


/* ---- writing ------------------------------------------------------------- */

/* Append the octets [from, to) as they were sent. */
static iri_status_t
iri_params_put_sent(iri_params_t *q, size_t from, size_t to)
{
    return iri_buf_put(q->env, &q->out, q->sent.data + q->at[from],
                       (size_t) (q->at[to] - q->at[from]));
}


/* Append characters, percent-encoded. s: UTF-8. */
static iri_status_t
iri_params_put_characters(iri_params_t *q, iri_str_t s)
{
    iri_status_t status = IRI_OK;
    size_t       i;

    for (i = 0; status == IRI_OK && i < s.len; i++) {
        status = iri_buf_put_escape(q->env, &q->out, s.data[i]);
    }

    return status;
}


/*
 * Append the characters of q->run in NFC. The base is copied as sent unless a
 * mark composes with it.
 */
static iri_status_t
iri_params_flush(iri_params_t *q)
{
    iri_nfc_run_result_t nfc;
    iri_status_t         status;

    status = iri_nfc_run_end(q->env, &q->run, iri_nfc_put_piece, &nfc);
    q->changed |= nfc.changed;

    if (status == IRI_OK && nfc.base != IRI_NO_BASE) {
        status = iri_params_put_sent(q, nfc.base, nfc.base + 1);
    }

    return status == IRI_OK ? iri_params_put_characters(q, nfc.rest) : status;
}


/*
 * Add the character at octet i. A mark may compose with a letter or a digit
 * before it, but not with a delimiter such as "=", which must stay.
 */
static iri_status_t
iri_params_add(iri_params_t *q, size_t i, uint32_t c)
{
    iri_status_t status;

    if (iri_char_has_boundary_before(c)) {
        status = iri_params_flush(q);
        if (status != IRI_OK) {
            return status;
        }
    }

    if (c < 0x80 && !iri_is_alphanumeric((unsigned char) c)) {
        return iri_params_put_sent(q, i, i + 1);
    }

    return iri_nfc_run_add(q->env, &q->run, i, c);
}


/* Decode the part [from, to) in charset and append it in UTF-8. */
static iri_status_t
iri_part_convert(iri_params_t *q, const iri_charset_t *charset, size_t from,
                 size_t to)
{
    const unsigned char *octets = q->octets.data;
    iri_status_t         status = IRI_OK;
    unsigned char        utf8[4];
    iri_str_t            s = { 0, utf8 };
    uint32_t             c;
    size_t               n;

    for (/* void */; status == IRI_OK && from < to; from += n) {
        n = iri_charset_next(charset, octets + from, octets + to, &c);

        if (q->conf->nfc) {
            status = iri_params_add(q, from, c);

        } else if (c < 0x80) {
            status = iri_params_put_sent(q, from, from + 1);

        } else {
            s.len = iri_utf8_put(c, utf8);
            status = iri_params_put_characters(q, s);
        }
    }

    return status == IRI_OK ? iri_params_flush(q) : status;
}


/* Append a part. UTF-8 is copied as sent unless NFC changes it. */
static iri_status_t
iri_part_put(iri_params_t *q, const iri_charset_t *charset, size_t from,
             size_t to)
{
    size_t       len = q->out.len;
    int          changed = q->changed;
    iri_status_t status;

    if (!iri_part_is_in(q, &iri_charset_utf8, from, to)) {
        q->changed = 1;
        return iri_part_convert(q, charset, from, to);
    }

    if (q->conf->nfc) {
        q->changed = 0;

        status = iri_part_convert(q, &iri_charset_utf8, from, to);
        if (status != IRI_OK || q->changed) {
            return status;
        }

        q->changed = changed;
        q->out.len = len;
    }

    return iri_params_put_sent(q, from, to);
}


static iri_status_t
iri_params_put(iri_params_t *q, const iri_charset_t *charset)
{
    iri_status_t status;
    size_t       from, to;
    int          is_value = 0;

    for (from = 0;; from = to + 1) {
        to = iri_part_end(q, from, is_value);

        status = iri_part_put(q, charset, from, to);

        if (status != IRI_OK || to == q->octets.len) {
            return status;
        }

        is_value = q->octets.data[to] == '=';

        status = iri_params_put_sent(q, to, to + 1);
        if (status != IRI_OK) {
            return status;
        }
    }
}


/* ---- the result ---------------------------------------------------------- */

/*
 * Set *charset to the charset of the parts that are not UTF-8; NULL: all parts
 * are UTF-8. Return 0 if no charset decodes them.
 */
static int
iri_params_find_charset(const iri_params_t *q, const iri_charset_t **charset)
{
    const iri_charsets_t *list = &q->conf->charsets;
    size_t                i;

    *charset = NULL;

    if (iri_params_are_in(q, NULL)) {
        return 1;
    }

    for (i = 0; i < list->count; i++) {
        if (iri_params_are_in(q, list->at[i])) {
            *charset = list->at[i];
            return 1;
        }
    }

    return 0;
}


static iri_status_t
iri_params_convert(iri_params_t *q, iri_query_t *out)
{
    const iri_charset_t *charset;
    iri_status_t         status;

    status = iri_params_unescape(q);
    if (status != IRI_OK) {
        return status;
    }

    if (!iri_params_find_charset(q, &charset)) {
        out->why = IRI_QUERY_UNREADABLE;
        return IRI_OK;
    }

    out->why = IRI_QUERY_UTF8;

    if (charset == NULL && !q->conf->nfc) {
        return IRI_OK;
    }

    status = iri_params_put(q, charset);

    if (status != IRI_OK || !q->changed) {
        return status;
    }

    if (q->out.len > IRI_MAX_QUERY) {
        out->why = IRI_QUERY_LIMIT;
        return IRI_OK;
    }

    out->query = iri_buf_str(&q->out);
    out->why = IRI_QUERY_NORMALIZED;

    if (charset != NULL) {
        out->charset = iri_charset_name(charset);
        out->why = IRI_QUERY_READ;
    }

    return IRI_OK;
}


iri_status_t
iri_query_read(const iri_env_t *env, const iri_query_conf_t *conf,
               iri_str_t query, iri_query_t *out)
{
    iri_query_t  result = { query, { 0, NULL }, IRI_QUERY_ASCII };
    iri_params_t q;
    iri_status_t status = IRI_OK;

    memset(&q, 0, sizeof(q));
    q.env = env;
    q.conf = conf;
    q.sent = query;
    q.run.base = IRI_NO_BASE;

    if (query.len > IRI_MAX_QUERY) {
        result.why = IRI_QUERY_LIMIT;

    } else if (!iri_path_is_ascii(query, 1)) {
        status = iri_params_convert(&q, &result);
    }

    if (status != IRI_OK) {
        return status;
    }

    iri_trace_stage(env, IRI_STAGE_QUERY, query);
    iri_logf(env, IRI_LOG_TRACE, "query %s: %s",
             iri_query_why_text(result.why),
             iri_printable(env, result.query));

    *out = result;

    return IRI_OK;
}


const char *
iri_query_why_code(iri_query_why_t why)
{
    return iri_enum_word(iri_query_why_codes, IRI_QUERY_WHYS, (int) why);
}
