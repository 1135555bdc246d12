/*
 * iri_rule_check.c - warnings about rules that can never match
 *
 * Rules (location, <Location>, RewriteRule ...) are compared with canonical
 * paths, so their text must be UTF-8 in NFC.  A text in another charset or
 * form looks the same in an editor but matches nothing, and a "deny" has no
 * effect.  The warning contains the correct text if it can be computed: for
 * text that is not UTF-8, if it is valid in one of the charsets of requests.
 */

#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"


/* ---- regular expressions ------------------------------------------------- */

/*
 * The end of the bracket expression at p; in "[]a]" the first "]" is a member.
 */
static const unsigned char *
iri_class_end(const unsigned char *p, const unsigned char *end)
{
    p++;
    p += p < end && *p == '^';
    p += p < end && *p == ']';

    while (p < end && *p != ']') {
        p += *p == '\\' && end - p > 1 ? 2 : 1;
    }

    return p < end ? p + 1 : end;
}


/* The end of the literal text at p: the next "[" or "\". */
static const unsigned char *
iri_literal_end(const unsigned char *p, const unsigned char *end)
{
    while (p < end && *p != '[' && *p != '\\') {
        p++;
    }

    return p;
}


/* The end of the bracket expression or escape at p. */
static const unsigned char *
iri_syntax_end(const unsigned char *p, const unsigned char *end)
{
    if (*p == '[') {
        return iri_class_end(p, end);
    }

    return end - p > 1 && p[1] < 0x80 ? p + 2 : p + 1;
}


/* 1 if p is a "\" before a non-ASCII octet, where it has no effect. */
static int
iri_is_high_escape(const unsigned char *p, const unsigned char *end)
{
    return *p == '\\' && end - p > 1 && p[1] >= 0x80;
}


/* Append regex without these "\", which may stand within a character. */
static iri_status_t
iri_regex_unescaped(const iri_env_t *env, iri_str_t regex, iri_buf_t *out)
{
    const unsigned char *p = regex.data, *end = p + regex.len, *to;
    iri_status_t         status = IRI_OK;

    for (/* void */; p < end && status == IRI_OK; p = to) {
        to = iri_literal_end(p, end);

        if (to == p && iri_is_high_escape(p, end)) {
            to = ++p + 1;
        } else if (to == p) {
            to = iri_syntax_end(p, end);
        }

        status = iri_buf_put(env, out, p, (size_t) (to - p));
    }

    return status;
}


/* Append the literal text of regex; a space replaces any other syntax. */
static iri_status_t
iri_regex_text(const iri_env_t *env, iri_str_t regex, iri_buf_t *out)
{
    const unsigned char *p = regex.data, *end = p + regex.len, *to;
    iri_status_t         status = IRI_OK;

    while (p < end && status == IRI_OK) {
        to = iri_literal_end(p, end);
        status = iri_buf_put(env, out, p, (size_t) (to - p));

        if (to < end && status == IRI_OK) {
            to = iri_syntax_end(to, end);
            status = iri_buf_putc(env, out, ' ');
        }

        p = to;
    }

    return status;
}


/* 1 if the quantifier at p makes the character before it optional. */
static int
iri_is_optional(const unsigned char *p, const unsigned char *end)
{
    return p < end && (*p == '?' || *p == '*' || *p == '{');
}


/* Append literal text in NFC; a piece with an optional end is copied. */
static iri_status_t
iri_run_nfc(const iri_env_t *env, iri_str_t run, iri_buf_t *out)
{
    const unsigned char *end = run.data + run.len;
    iri_status_t         status = IRI_OK;
    iri_str_t            piece;
    size_t               at;

    for (at = 0; status == IRI_OK && at < run.len; at += piece.len) {
        piece = iri_text_piece(iri_str_from(run, at), iri_char_starts);
        status = iri_is_optional(piece.data + piece.len, end)
                     ? iri_buf_put(env, out, piece.data, piece.len)
                     : iri_nfc_put_piece(env, piece, out);
    }

    return status;
}


/* Append regex with its literal text in NFC. */
static iri_status_t
iri_regex_nfc(const iri_env_t *env, iri_str_t regex, iri_buf_t *out)
{
    const unsigned char *p = regex.data, *end = p + regex.len, *to;
    iri_status_t         status = IRI_OK;
    iri_str_t            run;

    while (p < end && status == IRI_OK) {
        to = iri_literal_end(p, end);
        run.data = p;
        run.len = (size_t) (to - p);
        status = iri_run_nfc(env, run, out);

        if (to < end && status == IRI_OK) {
            p = to;
            to = iri_syntax_end(p, end);
            status = iri_buf_put(env, out, p, (size_t) (to - p));
        }

        p = to;
    }

    return status;
}


/* ---- messages ------------------------------------------------------------ */

/* Append text in quotes; all but printable ASCII is percent-encoded. */
static iri_status_t
iri_put_quoted(const iri_env_t *env, iri_str_t text, iri_buf_t *out)
{
    iri_status_t status = iri_buf_putc(env, out, '"');
    size_t       i;

    for (i = 0; i < text.len && status == IRI_OK; i++) {
        status = text.data[i] < 0x20 || text.data[i] > 0x7e
                     ? iri_buf_put_escape(env, out, text.data[i])
                     : iri_buf_putc(env, out, text.data[i]);
    }

    return status == IRI_OK ? iri_buf_putc(env, out, '"') : status;
}


/*
 * Append `"TEXT" PROBLEM and so matches no path: write "CORRECT"`.
 * correct: empty: unknown.
 */
static iri_status_t
iri_rule_message(const iri_env_t *env, iri_str_t text, const char *problem,
                 iri_str_t correct, iri_buf_t *out)
{
    iri_status_t status;

    if ((status = iri_put_quoted(env, text, out)) != IRI_OK
        || (status = iri_buf_put_text(env, out, problem)) != IRI_OK
        || (status = iri_buf_put_text(env, out,
                                      " and so matches no path: write "))
               != IRI_OK)
    {
        return status;
    }

    if (correct.len == 0) {
        return iri_buf_put_text(env, out, "the characters in UTF-8");
    }

    status = iri_put_quoted(env, correct, out);

    return status == IRI_OK ? iri_buf_put_text(
               env, out,
               " (%XX stands for one octet: write the octet "
               "itself)")
                            : status;
}


/* ---- checks -------------------------------------------------------------- */

static iri_status_t
iri_rule_nfc(const iri_env_t *env, iri_rule_t rule, iri_str_t text,
             iri_buf_t *out)
{
    return rule == IRI_RULE_REGEX ? iri_regex_nfc(env, text, out)
                                  : iri_nfc_put_text(env, text, out);
}


/*
 * Decode text with the first charset in which it is valid.  *name: the charset;
 * unchanged: there is none.
 */
static iri_status_t
iri_rule_utf8(const iri_env_t *env, const iri_charsets_t *charsets,
              iri_str_t text, iri_buf_t *out, iri_str_t *name)
{
    const unsigned char *p, *end = text.data + text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        utf8[4];
    uint32_t             c;
    size_t               i;

    for (i = 0; i < charsets->count; i++) {
        if (iri_charset_span(charsets->at[i], text) == text.len) {
            *name = iri_charset_name(charsets->at[i]);
            break;
        }
    }

    for (p = text.data; i < charsets->count && status == IRI_OK && p < end;
         /* void */)
    {
        p += iri_charset_next(charsets->at[i], p, end, &c);
        status = iri_buf_put(env, out, utf8, iri_utf8_put(c, utf8));
    }

    return status;
}


static iri_status_t
iri_rule_not_utf8(const iri_env_t *env, const iri_charsets_t *charsets,
                  iri_rule_t rule, iri_str_t text, iri_buf_t *out)
{
    iri_status_t status;
    iri_buf_t    utf8 = IRI_BUF_EMPTY, correct = IRI_BUF_EMPTY;
    iri_str_t    name = { 0, NULL };

    if ((status = iri_rule_utf8(env, charsets, text, &utf8, &name)) != IRI_OK
        || (status = iri_rule_nfc(env, rule, iri_buf_str(&utf8), &correct))
               != IRI_OK
        || (status = iri_rule_message(env, text, " is not UTF-8",
                                      iri_buf_str(&correct), out))
               != IRI_OK
        || name.len == 0)
    {
        return status;
    }

    if ((status = iri_buf_put_text(env, out, " if it is ")) != IRI_OK) {
        return status;
    }

    return iri_buf_put(env, out, name.data, name.len);
}


static iri_status_t
iri_rule_check_text(const iri_env_t *env, const iri_reading_conf_t *conf,
                    iri_rule_t rule, iri_str_t text, iri_buf_t *out)
{
    iri_status_t status = IRI_OK;
    iri_buf_t    unescaped = IRI_BUF_EMPTY, literal = IRI_BUF_EMPTY;
    iri_buf_t    correct = IRI_BUF_EMPTY;
    iri_str_t    rest = text, read = text;

    if (rule == IRI_RULE_REGEX) {
        status = iri_regex_unescaped(env, text, &unescaped);
        rest = iri_buf_str(&unescaped);
        status = status != IRI_OK ? status
                                  : iri_regex_text(env, rest, &literal);
        read = iri_buf_str(&literal);
    }

    if (status != IRI_OK) {
        return status;
    }

    if (iri_charset_span(&iri_charset_utf8, read) < read.len) {
        return conf->invalid == IRI_INVALID_PASS
                   ? IRI_OK
                   : iri_rule_not_utf8(env, &conf->charsets, rule, text, out);
    }

    status = iri_rule_nfc(env, rule, rest, &correct);

    return status != IRI_OK || iri_str_equal(iri_buf_str(&correct), rest)
               ? status
               : iri_rule_message(env, text, " is not in NFC",
                                  iri_buf_str(&correct), out);
}


/* 1 if text has an escape of a non-ASCII octet; rules see unescaped paths. */
static int
iri_rule_is_escaped(iri_str_t text)
{
    const unsigned char *p = text.data, *end = p + text.len;
    unsigned char        octet;

    for (/* void */; p < end; p++) {
        if (*p == '%' && iri_unescape(p, end, &octet) == 3 && octet >= 0x80) {
            return 1;
        }
    }

    return 0;
}


iri_status_t
iri_rule_check(const iri_env_t *env, const iri_reading_conf_t *conf,
               iri_rule_t rule, iri_str_t text, iri_str_t *says)
{
    static const iri_str_t none = { 0, NULL };
    iri_buf_t              out = IRI_BUF_EMPTY;
    iri_status_t           status = IRI_OK;

    if (iri_rule_is_escaped(text)) {
        status = iri_rule_message(env, text, " is percent-encoded", none,
                                  &out);

    } else if (!iri_str_is_ascii(text)) {
        status = iri_rule_check_text(env, conf, rule, text, &out);
    }

    if (status == IRI_OK) {
        *says = iri_buf_str(&out);
    }

    return status;
}
