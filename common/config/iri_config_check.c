/*
 * iri_config_check.c - warnings about a configuration
 *
 * A configuration without errors may contain a setting that has no effect,
 * because the module is off, or a rule such as "deny" that matches no canonical
 * path.  A server passes its directives as plain data; all decisions and texts
 * are here.  A warning is written only for a configuration that is vulnerable
 * or fails silently.
 */

#include <stdio.h>
#include <stdlib.h>

#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"
#include "config/iri_registry.h"

/* The warnings, in the order of their texts. */
typedef enum {
    IRI_CONFIG_OFF,
    IRI_CONFIG_SHADOW,
    IRI_CONFIG_ESCAPED,
    IRI_CONFIG_OCTETS,
    IRI_CONFIG_FORM,
    IRI_CONFIG_DISK,
    IRI_CONFIG_HOST,
    IRI_CONFIG_NAME,
    IRI_CONFIG_PATTERN,
    IRI_CONFIG_OWNER,
    IRI_CONFIG_FINE /* no warning */
} iri_config_code_t;

/* A warning and the values that replace the placeholders of its text. */
typedef struct {
    iri_config_code_t code;
    iri_str_t         name;  /* $n: the directive, or the host name */
    iri_position_t    at;    /* $p: its position */
    iri_position_t    other; /* $q: the position of another server */
    iri_str_t         a, b;  /* $a, $b */
} iri_config_warning_t;

#define IRI_CONFIG_RULE "\"$n\" in $p: \"$a\" "

static const char *const iri_config_texts[] = {
    /* OFF: iri is off in each server that the setting belongs to */
    "\"$n\" in $p has no effect, because the module is off in this server: "
    "write "
    "\"$a\"",

    /* SHADOW: charset $b is not reached behind $a */
    "\"$n\" in $p lists \"$a\" before \"$b\", but the former also decodes "
    "most text in the latter: list \"$b\" first",

    /* ESCAPED, OCTETS, FORM: no canonical path contains the text of a rule */
    IRI_CONFIG_RULE "is percent-encoded and so matches no path: write the "
                    "characters in UTF-8",
    IRI_CONFIG_RULE "is not UTF-8 and so matches no path: write the "
                    "characters in UTF-8",
    IRI_CONFIG_RULE "is not in NFC and so matches no path: write the text "
                    "that \"iri normalize\" prints for it",

    /* DISK: a pattern does not match names that are stored in other octets */
    IRI_CONFIG_RULE "is compared with the octets of names on disk: write a "
                    "name without a pattern, or a rule about the path",

    /* HOST: the first server of an address has another iri_host */
    "\"$n\" in $p has no effect at an address whose first server is the one "
    "in $q: write it in that server, with \"$a\"",

    /* NAME, PATTERN, OWNER: a name in Unicode does not select its server */
    "the host name \"$n\" of the server in $p matches no host, because it "
    "$a: correct or remove it",
    "the pattern \"$n\" of the server in $p matches no host, because hosts "
    "are compared as A-labels: write the pattern in A-labels, or a name",
    "the host name \"$n\" is in two servers: in A-labels in $q, which gets the "
    "requests, and in Unicode in $p: remove it from one of them",
};


/* ---- messages ------------------------------------------------------------ */

static int
iri_is_graphic_char(unsigned char c)
{
    return c >= 0x20 && c < 0x7f;
}


/* Append text; all but printable ASCII is percent-encoded. */
static iri_status_t
iri_put_printable(const iri_env_t *env, iri_str_t text, iri_buf_t *out)
{
    return iri_buf_put_escaped(env, out, text, iri_is_graphic_char);
}


/* Append FILE:LINE. */
static iri_status_t
iri_put_position(const iri_env_t *env, iri_position_t at, iri_buf_t *out)
{
    char         line[sizeof(":") + 3 * sizeof(at.line)];
    iri_status_t status = iri_put_printable(env, at.file, out);

    if (status != IRI_OK || at.line == 0) {
        return status;
    }

    (void) snprintf(line, sizeof(line), ":%zu", at.line);

    return iri_buf_put_text(env, out, line);
}


/* Append the value of a placeholder, such as $n. */
static iri_status_t
iri_put_value(const iri_env_t *env, const iri_config_warning_t *warning,
              char placeholder, iri_buf_t *out)
{
    switch (placeholder) {
    case 'n':
        return iri_put_printable(env, warning->name, out);
    case 'p':
        return iri_put_position(env, warning->at, out);
    case 'q':
        return iri_put_position(env, warning->other, out);
    case 'a':
        return iri_put_printable(env, warning->a, out);
    default:
        return iri_put_printable(env, warning->b, out);
    }
}


static iri_status_t
iri_config_log(const iri_env_t *env, const iri_config_warning_t *warning)
{
    const char  *p = iri_config_texts[warning->code];
    iri_status_t status = IRI_OK;
    iri_buf_t    line = IRI_BUF_EMPTY;

    for (/* void */; *p != '\0' && status == IRI_OK; p++) {
        status = *p == '$' ? iri_put_value(env, warning, *++p, &line)
                           : iri_buf_putc(env, &line, (unsigned char) *p);
    }

    if (status == IRI_OK && env->log != NULL) {
        env->log(env->ctx, IRI_LOG_WARN, iri_buf_str(&line));
    }

    return status;
}


/* ---- rules --------------------------------------------------------------- */

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


/*
 * Append the literal text of a regular expression.  A space replaces each
 * bracket expression and escape; a "\" before a non-ASCII octet, which has no
 * effect and may stand within a character, is left out.
 */
static iri_status_t
iri_regex_text(const iri_env_t *env, iri_str_t regex, iri_buf_t *out)
{
    const unsigned char *p = regex.data, *end = p + regex.len;
    iri_status_t         status = IRI_OK;

    while (p < end && status == IRI_OK) {
        if (*p == '[') {
            p = iri_class_end(p, end);
            status = iri_buf_putc(env, out, ' ');

        } else if (*p != '\\') {
            status = iri_buf_putc(env, out, *p++);

        } else if (++p < end && *p < 0x80) {
            p++;
            status = iri_buf_putc(env, out, ' ');
        }
    }

    return status;
}


/* 1 if the quantifier at p makes the character before it optional. */
static int
iri_is_optional(const unsigned char *p, const unsigned char *end)
{
    return p < end && (*p == '?' || *p == '*' || *p == '{');
}


/*
 * Append the text of a regular expression in NFC.  A piece whose last character
 * is optional is copied: the expression also matches without that character.
 */
static iri_status_t
iri_regex_nfc(const iri_env_t *env, iri_str_t text, iri_buf_t *out)
{
    const unsigned char *end = text.data + text.len;
    iri_status_t         status = IRI_OK;
    iri_str_t            piece;
    size_t               at;

    for (at = 0; status == IRI_OK && at < text.len; at += piece.len) {
        piece = iri_text_piece(iri_str_from(text, at),
                               iri_char_has_boundary_before);
        status = iri_is_optional(piece.data + piece.len, end)
                     ? iri_buf_put(env, out, piece.data, piece.len)
                     : iri_nfc_put_piece(env, piece, out);
    }

    return status;
}


/* Rules are compared with canonical paths: UTF-8 in NFC, not escaped. */
static iri_status_t
iri_rule_check(const iri_env_t *env, const iri_directive_t *rule,
               iri_config_code_t *code)
{
    iri_status_t status = IRI_OK;
    iri_buf_t    literal = IRI_BUF_EMPTY, nfc = IRI_BUF_EMPTY;
    iri_str_t    text = rule->value;

    if (iri_has_escaped_octet(text)) {
        *code = IRI_CONFIG_ESCAPED;
        return IRI_OK;
    }

    if (rule->check == IRI_CHECK_REGEX) {
        status = iri_regex_text(env, text, &literal);
        text = iri_buf_str(&literal);
    }

    if (status != IRI_OK || iri_str_is_ascii(text)) {
        return status;
    }

    if (iri_charset_span(&iri_charset_utf8, text) < text.len) {
        *code = rule->invalid == IRI_INVALID_PASS ? IRI_CONFIG_FINE
                                                  : IRI_CONFIG_OCTETS;
        return IRI_OK;
    }

    status = rule->check == IRI_CHECK_REGEX
                 ? iri_regex_nfc(env, text, &nfc)
                 : iri_nfc_put_text(env, text, &nfc);

    if (status == IRI_OK && !iri_str_equal(iri_buf_str(&nfc), text)) {
        *code = IRI_CONFIG_FORM;
    }

    return status;
}


/* ---- directives ---------------------------------------------------------- */

/* 1 for a value that disables something; no effect is then no mistake. */
static int
iri_directive_disables(const iri_directive_t *directive)
{
    return iri_str_equal_nocase(directive->value, "off")
           || iri_str_equal_nocase(directive->value, "none");
}


/* Compare positions, names and values; equal: the same directive. */
static int
iri_directive_compare(const void *a, const void *b)
{
    const iri_directive_t *one = a, *other = b;
    int order = iri_str_compare(one->at.file, other->at.file);

    if (order == 0 && one->at.line != other->at.line) {
        order = one->at.line < other->at.line ? -1 : 1;
    }

    order = order != 0 ? order : iri_str_compare(one->name, other->name);

    return order != 0 ? order : iri_str_compare(one->value, other->value);
}


static void
iri_setting_check(const iri_directive_t *setting,
                  iri_config_warning_t  *warning)
{
    size_t first, later;

    if (setting->charsets != NULL
        && iri_charsets_shadow(setting->charsets, &first, &later))
    {
        warning->code = IRI_CONFIG_SHADOW;
        warning->a = iri_charset_name(setting->charsets->at[first]);
        warning->b = iri_charset_name(setting->charsets->at[later]);
    }
}


/* Check a directive in a server where iri is not off. */
static iri_status_t
iri_directive_check(const iri_env_t *env, const iri_directive_t *directive,
                    iri_config_warning_t *warning)
{
    switch (directive->check) {
    case IRI_CHECK_SETTING:
        iri_setting_check(directive, warning);
        return IRI_OK;

    case IRI_CHECK_HOST:
        if (directive->host != IRI_HOST_MODE_OFF
            && directive->host != directive->first_host)
        {
            warning->code = IRI_CONFIG_HOST;
            warning->other = directive->first;
        }
        return IRI_OK;

    default:
        break;
    }

    warning->a = directive->value;

    if (directive->engine != IRI_ENGINE_ON) {
        return IRI_OK;
    }

    if (directive->check != IRI_CHECK_DISK) {
        return iri_rule_check(env, directive, &warning->code);
    }

    if (!iri_str_is_ascii(directive->value)) {
        warning->code = IRI_CONFIG_DISK;
    }

    return IRI_OK;
}


/*
 * Check the occurrences of one directive: several servers may include the same
 * file.  Writes at most one warning.
 */
static iri_status_t
iri_directives_check(const iri_env_t *env, iri_str_t on,
                     const iri_directive_t *same, size_t count)
{
    iri_config_warning_t warning = {
        IRI_CONFIG_FINE,    same->name, same->at,
        { { 0, NULL }, 0 }, on,         { 0, NULL }
    };
    iri_status_t status = IRI_OK;
    size_t       i, used = 0;

    for (i = 0;
         i < count && status == IRI_OK && warning.code == IRI_CONFIG_FINE;
         i++)
    {
        if (same[i].engine != IRI_ENGINE_OFF) {
            used = 1;
            status = iri_directive_check(env, &same[i], &warning);
        }
    }

    if (!used && same->check == IRI_CHECK_SETTING
        && !iri_directive_disables(same))
    {
        warning.code = IRI_CONFIG_OFF;
    }

    return status != IRI_OK || warning.code == IRI_CONFIG_FINE
               ? status
               : iri_config_log(env, &warning);
}


iri_status_t
iri_config_check(const iri_env_t *env, iri_str_t on, iri_directive_t *list,
                 size_t count)
{
    iri_status_t status = IRI_OK;
    size_t       first, end;

    if (count != 0) {
        qsort(list, count, sizeof(*list), iri_directive_compare);
    }

    for (first = 0; first < count && status == IRI_OK; first = end) {
        for (end = first + 1;
             end < count
             && iri_directive_compare(&list[first], &list[end]) == 0;
             end++)
        {
            /* void */
        }

        status = iri_directives_check(env, on, list + first, end - first);
    }

    return status;
}


/* ---- host names ---------------------------------------------------------- */

iri_status_t
iri_config_check_name(const iri_env_t *env, iri_str_t name, iri_position_t at,
                      const iri_host_t *host, const iri_position_t *owner)
{
    iri_config_warning_t warning = {
        IRI_CONFIG_FINE,    name,        at,
        { { 0, NULL }, 0 }, { 0, NULL }, { 0, NULL }
    };

    if (owner != NULL) {
        warning.code = IRI_CONFIG_OWNER;
        warning.other = *owner;

    } else if (host == NULL) {
        warning.code = iri_str_is_ascii(name) ? IRI_CONFIG_FINE
                                              : IRI_CONFIG_PATTERN;

    } else if (host->verdict == IRI_REFUSE) {
        const char *why = iri_host_why_text(host->why);

        warning.code = IRI_CONFIG_NAME;
        warning.a.data = (const unsigned char *) why;
        warning.a.len = strlen(why);
    }

    return warning.code == IRI_CONFIG_FINE ? IRI_OK
                                           : iri_config_log(env, &warning);
}
