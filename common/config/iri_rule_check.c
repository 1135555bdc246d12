/*
 * iri_rule_check.c - what a rule of a configuration says, and can never match
 *
 * Rules (location, <Location>, RewriteRule ...) judge canonical paths, so
 * their text has to be UTF-8 in NFC.  An editor or an old file may have made
 * something else of it, which looks the same and matches nothing; a "deny" is
 * without effect then.  What a text would have to be is said, too, where that
 * is known: of what is no UTF-8, where a charset of the requests reads it.
 */

#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"


/* ---- regular expressions -------------------------------------------------- */

/* Behind the "]" of the class that begins at p: "[]a]" holds two. */
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


/* Text that stands for itself, up to a class or an escape. */
static const unsigned char *
iri_plain_end(const unsigned char *p, const unsigned char *end)
{
    while (p < end && *p != '[' && *p != '\\') {
        p++;
    }

    return p;
}


/* What stands at p and is no text: a class, an escape. */
static const unsigned char *
iri_other_end(const unsigned char *p, const unsigned char *end)
{
    if (*p == '[') {
        return iri_class_end(p, end);
    }

    return end - p > 1 && p[1] < 0x80 ? p + 2 : p + 1;
}


/* A "\" before an octet that stands for itself without it. */
static int
iri_is_high_escape(const unsigned char *p, const unsigned char *end)
{
    return *p == '\\' && end - p > 1 && p[1] >= 0x80;
}


/* Without such "\", which may stand within a character. */
static iri_status_t
iri_regex_unescaped(const iri_env_t *env, iri_str_t regex, iri_buf_t *out)
{
    const unsigned char *p = regex.data, *end = p + regex.len, *to;
    iri_status_t         status = IRI_OK;

    for (/* void */; p < end && status == IRI_OK; p = to) {
        to = iri_plain_end(p, end);

        if (to == p && iri_is_high_escape(p, end)) {
            to = ++p + 1;
        } else if (to == p) {
            to = iri_other_end(p, end);
        }

        status = iri_buf_put(env, out, p, (size_t) (to - p));
    }

    return status;
}


/* All of it that is text, a blank for each thing that is not. */
static iri_status_t
iri_regex_text(const iri_env_t *env, iri_str_t regex, iri_buf_t *out)
{
    const unsigned char *p = regex.data, *end = p + regex.len, *to;
    iri_status_t         status = IRI_OK;

    while (p < end && status == IRI_OK) {
        to = iri_plain_end(p, end);
        status = iri_buf_put(env, out, p, (size_t) (to - p));

        if (to < end && status == IRI_OK) {
            to = iri_other_end(to, end);
            status = iri_buf_putc(env, out, ' ');
        }

        p = to;
    }

    return status;
}


/* "e" and a mark, and "?": the mark need not be there. */
static int
iri_is_optional(const unsigned char *p, const unsigned char *end)
{
    return p < end && (*p == '?' || *p == '*' || *p == '{');
}


/* A run of text in NFC, but for what may be absent from a match. */
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
                     : iri_nfc_piece(env, piece, out);
    }

    return status;
}


static iri_status_t
iri_regex_nfc(const iri_env_t *env, iri_str_t regex, iri_buf_t *out)
{
    const unsigned char *p = regex.data, *end = p + regex.len, *to;
    iri_status_t         status = IRI_OK;
    iri_str_t            run;

    while (p < end && status == IRI_OK) {
        to = iri_plain_end(p, end);
        run.data = p;
        run.len = (size_t) (to - p);
        status = iri_run_nfc(env, run, out);

        if (to < end && status == IRI_OK) {
            p = to;
            to = iri_other_end(p, end);
            status = iri_buf_put(env, out, p, (size_t) (to - p));
        }

        p = to;
    }

    return status;
}


/* ---- sentences ------------------------------------------------------------ */

/* In quotes, the octets that a log would not show percent-encoded. */
static iri_status_t
iri_put_shown(const iri_env_t *env, iri_str_t text, iri_buf_t *out)
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


/* `"TEXT" IS ...: write "RIGHT"`; right.len 0: nobody but the writer knows */
static iri_status_t
iri_rule_say(const iri_env_t *env, iri_str_t text, const char *is,
             iri_str_t right, iri_buf_t *out)
{
    iri_status_t status;

    if ((status = iri_put_shown(env, text, out)) != IRI_OK
        || (status = iri_put_text(env, out, is)) != IRI_OK
        || (status = iri_put_text(env, out,
                                  " and so matches no path: write "))
               != IRI_OK)
    {
        return status;
    }

    if (right.len == 0) {
        return iri_put_text(env, out, "its characters, in UTF-8");
    }

    status = iri_put_shown(env, right, out);

    return status == IRI_OK
               ? iri_put_text(env, out,
                              " (%XX is one octet: write the octet, no "
                              "escape)")
               : status;
}


/* ---- what is wrong -------------------------------------------------------- */

static iri_status_t
iri_rule_nfc(const iri_env_t *env, iri_rule_t rule, iri_str_t text,
             iri_buf_t *out)
{
    return rule == IRI_RULE_REGEX ? iri_regex_nfc(env, text, out)
                                  : iri_nfc_text(env, text, out);
}


/* In UTF-8, of the first charset that reads all of it; empty: none does. */
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
    iri_buf_t    utf8 = IRI_BUF_EMPTY, right = IRI_BUF_EMPTY;
    iri_str_t    name = { 0, NULL };

    if ((status = iri_rule_utf8(env, charsets, text, &utf8, &name)) != IRI_OK
        || (status = iri_rule_nfc(env, rule, iri_buf_str(&utf8), &right))
               != IRI_OK
        || (status = iri_rule_say(env, text, " is not UTF-8",
                                  iri_buf_str(&right), out))
               != IRI_OK
        || name.len == 0)
    {
        return status;
    }

    if ((status = iri_put_text(env, out, " if it is ")) != IRI_OK) {
        return status;
    }

    return iri_buf_put(env, out, name.data, name.len);
}


static iri_status_t
iri_rule_look(const iri_env_t *env, const iri_reading_conf_t *conf,
              iri_rule_t rule, iri_str_t text, iri_buf_t *out)
{
    iri_status_t status = IRI_OK;
    iri_buf_t    bare = IRI_BUF_EMPTY, plain = IRI_BUF_EMPTY;
    iri_buf_t    right = IRI_BUF_EMPTY;
    iri_str_t    rest = text, read = text;

    if (rule == IRI_RULE_REGEX) {
        status = iri_regex_unescaped(env, text, &bare);
        rest = iri_buf_str(&bare);
        status = status != IRI_OK ? status
                                  : iri_regex_text(env, rest, &plain);
        read = iri_buf_str(&plain);
    }

    if (status != IRI_OK) {
        return status;
    }

    if (iri_charset_span(&iri_charset_utf8, read) < read.len) {
        return conf->invalid == IRI_INVALID_PASS
                   ? IRI_OK
                   : iri_rule_not_utf8(env, &conf->charsets, rule, text, out);
    }

    status = iri_rule_nfc(env, rule, rest, &right);

    return status != IRI_OK || iri_str_equal(iri_buf_str(&right), rest)
               ? status
               : iri_rule_say(env, text, " is not in NFC",
                              iri_buf_str(&right), out);
}


/* "%C3%A9": paths are unescaped once before any rule sees them. */
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
        status = iri_rule_say(env, text, " is percent-encoded", none, &out);

    } else if (!iri_str_is_ascii(text)) {
        status = iri_rule_look(env, conf, rule, text, &out);
    }

    if (status == IRI_OK) {
        *says = iri_buf_str(&out);
    }

    return status;
}
