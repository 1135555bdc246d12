/*
 * text.c - octets -> text that is safe to print; fields of JSON objects
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_strings.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "base/iri_string.h"
#include "output/iri_output.h"
#include "unicode/iri_unicode.h"

#include "cli.h"


int32_t
cli_next_character(iri_str_t octets, size_t *i)
{
    const uint8_t *p = octets.data + *i;
    size_t         left = octets.len - *i;
    int32_t limit = left < U8_MAX_LENGTH ? (int32_t) left : U8_MAX_LENGTH;
    int32_t used = 0;
    UChar32 c;

    U8_NEXT(p, used, limit, c);
    *i += c < 0 ? 1 : (size_t) used;
    return c;
}


static char *
cli_put_escape(char *to, unsigned char octet)
{
    static const char hex[] = "0123456789ABCDEF";

    *to++ = '%';
    *to++ = hex[octet >> 4];
    *to++ = hex[octet & 15];
    return to;
}


int
cli_is_utf8(iri_str_t octets)
{
    size_t i = 0;

    while (i < octets.len) {
        if (cli_next_character(octets, &i) < 0) {
            return 0;
        }
    }
    return 1;
}


/* all: 1 escapes "%" and the octets that a URI must not contain, 0 none. */
static const char *
cli_escape_all(apr_pool_t *pool, iri_str_t octets, size_t *len, int all)
{
    char  *text, *to;
    size_t i;

    /* An octet grows to three at most. */
    if (octets.len > (SIZE_MAX - 1) / 3
        || (text = apr_palloc(pool, 3 * octets.len + 1)) == NULL)
    {
        return NULL;
    }
    to = text;
    for (i = 0; i < octets.len; i++) {
        unsigned char c = octets.data[i];

        if (all && !iri_is_uri_char(c)) {
            to = cli_put_escape(to, c);
        } else {
            *to++ = (char) c;
        }
    }
    *to = '\0';
    *len = (size_t) (to - text);
    return text;
}


const char *
cli_escaped(apr_pool_t *pool, iri_str_t octets, size_t *len)
{
    return cli_escape_all(pool, octets, len, 1);
}


const char *
cli_text(apr_pool_t *pool, iri_str_t octets, size_t *len, int *escaped)
{
    *escaped = !cli_is_utf8(octets);
    return cli_escape_all(pool, octets, len, *escaped);
}


int
cli_is_unsafe(int32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C
           || (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E)
           || (c >= 0x2066 && c <= 0x2069);
}


/* 1 if the character c, from start to end, is invisible, and is not part of the
   spelling. */
static int
cli_is_hidden(iri_str_t octets, size_t start, size_t end, UChar32 c)
{
    UChar32 before = ' ', after = ' ';
    size_t  from = start;

    if (c < 0x80 || !iri_char_is_invisible((uint32_t) c)) {
        return 0;
    }
    while (from > 0 && start - from < 4
           && (octets.data[--from] & 0xC0) == 0x80) {
    }
    if (from < start) {
        before = cli_next_character(octets, &from);
    }
    if (end < octets.len) {
        after = cli_next_character(octets, &end);
    }
    return before < 0 || after < 0
           || !iri_is_orthographic((uint32_t) before, (uint32_t) c,
                                   (uint32_t) after);
}


/*
 * Write the character at *i as it is printed, at most 12 octets, and move *i
 * behind it.  Returns: the end of the output.
 */
static char *
cli_put_shown(char *to, iri_str_t octets, size_t *i)
{
    size_t  start = *i;
    UChar32 c = cli_next_character(octets, i);

    if (!cli_is_unsafe(c) && !cli_is_hidden(octets, start, *i, c)) {
        memcpy(to, octets.data + start, *i - start);
        return to + (*i - start);
    }
    for (; start < *i; start++) {
        to = cli_put_escape(to, octets.data[start]);
    }
    return to;
}


/* NO_COLOR: https://no-color.org */
const char *
cli_color(FILE *out, const char *escape)
{
    const char *no_color = getenv("NO_COLOR");

    return isatty(fileno(out)) && (no_color == NULL || no_color[0] == '\0')
               ? escape
               : "";
}


const char *
cli_bold(void)
{
    return cli_color(stdout, CLI_BOLD);
}


const char *
cli_reset(void)
{
    return cli_color(stdout, CLI_RESET);
}


void
cli_print_count(FILE *out, long long count, const char *one, const char *many)
{
    fprintf(out, "%lld %s", count, count == 1 ? one : many);
}


void
cli_print_row(const char *label, iri_str_t octets)
{
    printf("%s%-10s%s ", cli_color(stdout, CLI_CYAN), label, cli_reset());
    cli_print(stdout, octets);
    putchar('\n');
}


void
cli_print(FILE *out, iri_str_t octets)
{
    char   shown[12];
    size_t i = 0;

    while (i < octets.len) {
        char *end = cli_put_shown(shown, octets, &i);

        fwrite(shown, 1, (size_t) (end - shown), out);
    }
}


const char *
cli_printable(apr_pool_t *pool, iri_str_t octets)
{
    char  *text, *to;
    size_t i = 0;

    /* An octet grows to three at most. */
    if (octets.len > (SIZE_MAX - 1) / 3
        || (text = apr_palloc(pool, 3 * octets.len + 1)) == NULL)
    {
        return NULL;
    }
    to = text;
    while (i < octets.len) {
        to = cli_put_shown(to, octets, &i);
    }
    *to = '\0';
    return text;
}


/* 1 if c is visible by itself: graphic, and not a mark, which would combine
   with the quote before it. */
static int
cli_is_visible(UChar32 c)
{
    return u_isgraph(c) && !(U_GET_GC_MASK(c) & U_GC_M_MASK);
}


const char *
cli_character(apr_pool_t *pool, int32_t character)
{
    char    shown[U8_MAX_LENGTH + 1];
    int32_t len = 0;
    UBool   wrong = 0;

    if (!cli_is_visible(character)) {
        return apr_psprintf(pool, "U+%04X", (unsigned) character);
    }
    U8_APPEND((uint8_t *) shown, len, U8_MAX_LENGTH, character, wrong);
    shown[wrong ? 0 : len] = '\0';
    return apr_psprintf(pool, "\"%s\" U+%04X", shown, (unsigned) character);
}


static int
cli_set(cli_call_t *call, const char *name, json_t *value)
{
    /* Takes ownership of value, which may be NULL, also on failure. */
    return json_object_set_new(call->object, name, value);
}


int
cli_set_text(cli_call_t *call, const char *name, const char *text)
{
    return cli_set(call, name, json_string(text));
}


int
cli_set_null(cli_call_t *call, const char *name)
{
    return cli_set(call, name, json_null());
}


/* Add a name to the list "escaped", which is created if it does not exist. */
static int
cli_add_escaped(cli_call_t *call, const char *name)
{
    json_t *list = json_object_get(call->object, "escaped");

    if (list == NULL) {
        if (cli_set(call, "escaped", json_array()) != 0) {
            return -1;
        }
        list = json_object_get(call->object, "escaped");
    }
    return json_array_append_new(list, json_string(name));
}


int
cli_set_octets(cli_call_t *call, const char *name, iri_str_t octets)
{
    size_t      len = 0;
    int         escaped = 0;
    const char *text = cli_text(call->pool, octets, &len, &escaped);

    if (text == NULL || cli_set(call, name, json_stringn(text, len)) != 0) {
        return -1;
    }
    return escaped ? cli_add_escaped(call, name) : 0;
}


int
cli_set_list(cli_call_t *call, const char *name, const iri_str_t *list,
             size_t count)
{
    json_t *array = json_array();
    size_t  i, len = 0;
    int     escaped, any = 0;

    if (cli_set(call, name, array) != 0) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        const char *text = cli_text(call->pool, list[i], &len, &escaped);

        if (text == NULL
            || json_array_append_new(array, json_stringn(text, len)) != 0)
        {
            return -1;
        }
        any |= escaped;
    }
    return any ? cli_add_escaped(call, name) : 0;
}


const char *
cli_add_words(apr_array_header_t *words, const char *value)
{
    static const char blanks[] = " \t\n,";
    int               before = words->nelts;

    for (;;) {
        size_t len;

        value += strspn(value, blanks);
        len = strcspn(value, blanks);
        if (len == 0) {
            return words->nelts > before ? NULL : "needs at least one word";
        }
        APR_ARRAY_PUSH(words, iri_str_t) = (iri_str_t){
            len, (const unsigned char *) value
        };
        value += len;
    }
}


json_t *
cli_number(uint64_t number)
{
    return json_integer((json_int_t) number);
}


long long
cli_field(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}


iri_str_t
cli_field_text(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    iri_str_t     text;

    text.data = (const unsigned char *) json_string_value(value);
    text.len = json_string_length(value);
    return text;
}


iri_str_t
cli_str(const char *text)
{
    iri_str_t octets = { strlen(text), (const unsigned char *) text };

    return octets;
}


int
cli_has_high_escape(iri_str_t text)
{
    const unsigned char *p = text.data, *end = text.data + text.len;

    for (; p < end; p++) {
        if (*p == '%' && cli_escape_value(p, end) >= 0x80) {
            return 1;
        }
    }
    return 0;
}
