/*
 * text.c - octets -> text that is safe to print; fields of JSON objects
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_strings.h>
#include <unicode/uchar.h>

#include "base/iri_string.h"
#include "charset/iri_charset.h"
#include "output/iri_output.h"
#include "unicode/iri_unicode.h"

#include "cli.h"


int32_t
cli_next_character(iri_str_t octets, size_t *i)
{
    uint32_t c;
    size_t n = iri_utf8_next(octets.data + *i, octets.data + octets.len, &c);

    *i += n != 0 ? n : 1;
    return n != 0 ? (int32_t) c : -1;
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
    return iri_charset_span(&iri_charset_utf8, octets) == octets.len;
}


iri_str_t
cli_escaped(apr_pool_t *pool, iri_str_t octets)
{
    char  *text = apr_palloc(pool, 3 * octets.len + 1), *to = text;
    size_t i;

    for (i = 0; i < octets.len; i++) {
        if (iri_is_uri_char(octets.data[i])) {
            *to++ = (char) octets.data[i];
        } else {
            to = cli_put_escape(to, octets.data[i]);
        }
    }
    return (iri_str_t){ (size_t) (to - text), (unsigned char *) text };
}


iri_str_t
cli_text(apr_pool_t *pool, iri_str_t octets, int *escaped)
{
    *escaped = !cli_is_utf8(octets);
    return *escaped ? cli_escaped(pool, octets) : octets;
}


int
cli_is_unsafe(int32_t c)
{
    return c < 0 || !iri_char_allowed((uint32_t) c, 0)
           || iri_char_is_bidi_control((uint32_t) c) || c == 0x2028
           || c == 0x2029;
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

    if (!cli_is_unsafe(c)
        && (!iri_char_is_invisible((uint32_t) c)
            || iri_is_orthographic_at(octets, octets.data + start, *i - start,
                                      (uint32_t) c)))
    {
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
cli_print_count(FILE *out, const json_t *object, const char *name,
                const char *one)
{
    long long count = cli_field(object, name);

    fprintf(out, "%lld %s", count, count == 1 ? one : name);
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
    char  *text = apr_palloc(pool, 3 * octets.len + 1), *to = text;
    size_t i = 0;

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
cli_code(apr_pool_t *pool, int32_t character)
{
    return apr_psprintf(pool, "U+%04X", (unsigned) character);
}


const char *
cli_character(apr_pool_t *pool, int32_t character)
{
    unsigned char shown[5] = { 0 };

    if (!cli_is_visible(character)) {
        return cli_code(pool, character);
    }
    (void) iri_utf8_put((uint32_t) character, shown);
    return apr_psprintf(pool, "\"%s\" U+%04X", (const char *) shown,
                        (unsigned) character);
}


void
cli_set(cli_call_t *call, const char *name, json_t *value)
{
    json_object_set_new(call->object, name, value);
}


void
cli_set_text(cli_call_t *call, const char *name, const char *text)
{
    cli_set(call, name, json_string(text));
}


json_t *
cli_string(apr_pool_t *pool, iri_str_t octets, int *escaped)
{
    iri_str_t text = cli_text(pool, octets, escaped);

    return text.len != 0 ? json_stringn((const char *) text.data, text.len)
                         : json_string("");
}


/* Add a name to the list "escaped", which is created if it does not exist. */
static void
cli_add_escaped(cli_call_t *call, const char *name)
{
    json_t *list = json_object_get(call->object, "escaped");

    if (list == NULL) {
        list = json_array();
        cli_set(call, "escaped", list);
    }
    json_array_append_new(list, json_string(name));
}


void
cli_set_octets(cli_call_t *call, const char *name, iri_str_t octets)
{
    int escaped;

    cli_set(call, name, cli_string(call->pool, octets, &escaped));
    if (escaped) {
        cli_add_escaped(call, name);
    }
}


void
cli_add_row(const cli_call_t *call, json_t *list, cli_call_t *row)
{
    memset(row, 0, sizeof(*row));
    row->pool = call->pool;
    row->object = json_object();
    json_array_append_new(list, row->object);
}


void
cli_set_optional(cli_call_t *call, const char *name, iri_str_t octets)
{
    if (octets.data == NULL) {
        cli_set(call, name, json_null());
    } else {
        cli_set_octets(call, name, octets);
    }
}


void
cli_set_list(cli_call_t *call, const char *name, const iri_str_t *list,
             size_t count)
{
    json_t *array = json_array();
    size_t  i;
    int     escaped, any = 0;

    cli_set(call, name, array);
    for (i = 0; i < count; i++) {
        json_array_append_new(array,
                              cli_string(call->pool, list[i], &escaped));
        any |= escaped;
    }
    if (any) {
        cli_add_escaped(call, name);
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


const char *
cli_field_string(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
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
