/*
 * iri_charset_list.c - lists of charsets, of a configuration and of a request
 *
 * Parses the labels that iri_charset, iri_filename_charset and
 * iri_query_charset take, and checks the order of such a list: a charset that
 * decodes nearly any octets hides those after it.
 */

#include <string.h>

#include "config/iri_registry.h"


/*
 * Return the text `"WORD" MESSAGE MORE` in the arena; without memory, the
 * static message alone.
 */
static const char *
iri_word_message(const iri_env_t *env, iri_str_t word, const char *message,
                 const char *more)
{
    iri_buf_t buf = IRI_BUF_EMPTY;

    if (iri_buf_putc(env, &buf, '"') != IRI_OK
        || iri_buf_put(env, &buf, word.data, word.len) != IRI_OK
        || iri_buf_put_text(env, &buf, "\" ") != IRI_OK
        || iri_buf_put_text(env, &buf, message) != IRI_OK
        || iri_buf_put_text(env, &buf, more) != IRI_OK
        || iri_buf_putc(env, &buf, '\0') != IRI_OK)
    {
        return message;
    }

    return (const char *) buf.data;
}


static int
iri_charsets_contain(const iri_charsets_t *list, const iri_charset_t *charset)
{
    size_t i;

    for (i = 0; i < list->count; i++) {
        if (list->at[i] == charset) {
            return 1;
        }
    }

    return 0;
}


const char *
iri_parse_charset(iri_registry_t *registry, iri_str_t label,
                  const iri_charset_t **out)
{
    const iri_encoding_t *encoding;
    const iri_charset_t  *charset;
    const char           *why = "cannot be opened";

    encoding = iri_encoding_find(label);
    if (encoding == NULL && label.len != 0
        && memchr(label.data, ',', label.len) != NULL)
    {
        return iri_word_message(iri_registry_env(registry), label,
                                "is not a charset: write a list with blanks,"
                                " without commas",
                                "");
    }
    if (encoding == NULL) {
        return iri_word_message(
            iri_registry_env(registry), label,
            "is not a known charset:"
            " use a label of the Encoding Standard, such as"
            " \"Shift_JIS\", \"EUC-KR\" or \"windows-1251\"",
            "");
    }

    charset = iri_registry_get(registry, encoding, &why);
    if (charset == NULL) {
        return iri_word_message(iri_registry_env(registry), label, why,
                                ": use another charset");
    }

    *out = charset;

    return NULL;
}


const char *
iri_parse_charsets(iri_registry_t *registry, const iri_str_t *given,
                   size_t count, int none_allowed, iri_charsets_t *out)
{
    iri_charsets_t       list;
    const iri_charset_t *charset = NULL;
    const char          *error;
    size_t               i;

    list.count = 0;

    if (none_allowed && count == 1 && iri_str_equal_nocase(given[0], "none"))
    {
        *out = list;
        return NULL;
    }

    for (i = 0; i < count; i++) {
        if (iri_str_equal_nocase(given[i], "none")) {
            return none_allowed ? "cannot combine \"none\" with charsets"
                                : "cannot be \"none\": set the charset of"
                                  " the names on disk, for example \"UTF-8\"";
        }

        if (!none_allowed && iri_str_equal_nocase(given[i], "percent")) {
            if (i != 0) {
                return "must have \"percent\" first: each charset before it"
                       " would decode its names as ASCII";
            }

            list.at[list.count++] = &iri_charset_percent;
            continue;
        }

        error = iri_parse_charset(registry, given[i], &charset);
        if (error != NULL) {
            return error;
        }

        /* Requests are read as UTF-8 without being configured. */
        if (none_allowed && charset == &iri_charset_utf8) {
            continue;
        }

        if (iri_charsets_contain(&list, charset)) {
            return iri_word_message(iri_registry_env(registry), given[i],
                                    "is listed twice: list each charset once",
                                    "");
        }

        if (list.count == IRI_MAX_CHARSETS) {
            return "lists more than 8 charsets: remove some";
        }

        list.at[list.count++] = charset;
    }

    *out = list;

    return NULL;
}


/*
 * Return 1 if fewer texts are misread when `later` is listed before `first`:
 * `first` decodes at least half of the texts in `later`, and the share of these
 * texts that it cannot decode is at most half of the share of the texts in
 * `first` that `later` cannot decode.  Charsets with nearly the same octets,
 * such as KOI8-R and windows-1251, may be listed in either order.
 */
static int
iri_charset_shadows(const iri_charset_t *first, const iri_charset_t *later)
{
    unsigned covered = iri_charset_covers(first, later), missing;

    if (covered < 500) {
        return 0;
    }

    missing = 1000 - iri_charset_covers(later, first);

    return missing >= 100 && (1000 - covered) * 2 <= missing;
}


/*
 * Return the index of the first charset, from i on, that shadows no other
 * charset from i on; i if there is none.
 */
static size_t
iri_charsets_strictest(const iri_charsets_t *list, size_t i)
{
    size_t first, other;

    for (first = i; first < list->count; first++) {
        for (other = i; other < list->count; other++) {
            if (other != first
                && iri_charset_shadows(list->at[first], list->at[other])) {
                break;
            }
        }

        if (other == list->count) {
            return first;
        }
    }

    return i;
}


void
iri_charsets_sort(iri_charsets_t *list)
{
    const iri_charset_t *charset;
    size_t               i, k;

    for (i = 0; i < list->count; i++) {
        k = iri_charsets_strictest(list, i);
        charset = list->at[k];

        for (/* void */; k > i; k--) {
            list->at[k] = list->at[k - 1];
        }

        list->at[i] = charset;
    }
}


int
iri_charsets_shadow(const iri_charsets_t *list, size_t *first, size_t *later)
{
    const iri_charset_t *a, *b;
    size_t               i, k;

    for (i = 1; i < list->count; i++) {
        b = list->at[i];

        for (k = 0; k < i; k++) {
            a = list->at[k];

            if (iri_charset_is_utf8(b)
                    ? iri_charset_is_single(a)
                    : !iri_charset_is_utf8(a) && iri_charset_shadows(a, b))
            {
                *first = k;
                *later = i;
                return 1;
            }
        }
    }

    return 0;
}


/* ---- charsets of a request ----------------------------------------------- */

static int
iri_is_separator(unsigned char c)
{
    return c == ' ' || c == '\t' || c == ',';
}


/* Find the next label of a list from *at on.  Returns: 1; 0 at the end. */
static int
iri_next_label(iri_str_t list, size_t *at, iri_str_t *label)
{
    size_t i = *at;

    while (i < list.len && iri_is_separator(list.data[i])) {
        i++;
    }

    label->data = list.data + i;
    *at = i;

    while (i < list.len && !iri_is_separator(list.data[i])) {
        i++;
    }

    label->len = i - *at;
    *at = i;

    return label->len != 0;
}


const char *
iri_charsets_parse(const iri_registry_t *registry, iri_str_t value,
                   iri_charsets_t *out, iri_str_t *word)
{
    const iri_charset_t *charset;
    const char          *why = NULL;
    iri_charsets_t       list = { 0, { NULL } };
    iri_str_t            label;
    size_t               at = 0;
    int                  words = 0, none = 0;

    while (value.len != 0 && iri_next_label(value, &at, &label)) {
        words++;
        if (iri_str_equal_nocase(label, "none")) {
            none = 1;
            charset = &iri_charset_utf8;
        } else {
            charset = iri_registry_find(registry, label, &why);
        }

        if (charset == NULL || (none && words > 1)) {
            *word = label;
            return charset == NULL ? why : "cannot be combined with \"none\"";
        }

        if (iri_charset_is_utf8(charset)
            || iri_charsets_contain(&list, charset)) {
            continue;
        }

        if (list.count >= IRI_MAX_CHARSETS) {
            *word = label;
            return "exceeds the limit of 8 charsets";
        }

        list.at[list.count++] = charset;
    }

    *out = list;

    return NULL;
}


const char *
iri_parse_query(iri_registry_t *registry, const iri_str_t *words,
                size_t count, iri_query_conf_t *out)
{
    iri_query_conf_t conf = { { 0, { NULL } }, 0 };
    const char      *error = NULL;
    size_t           i;

    if (count != 0 && iri_str_equal_nocase(words[count - 1], "nfc")) {
        conf.nfc = 1;
        count--;
    }

    for (i = 0; i < count; i++) {
        if (iri_str_equal_nocase(words[i], "nfc")) {
            return "takes \"nfc\" once, after the charsets";
        }
    }

    if (count != 0) {
        error = iri_parse_charsets(registry, words, count, 1, &conf.charsets);
    }

    if (error == NULL) {
        *out = conf;
    }

    return error;
}
