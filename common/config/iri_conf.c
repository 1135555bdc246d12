/*
 * iri_conf.c - parsers for the values of directives, and the charset registry
 *
 * Both servers use these parsers.  A parser takes words and writes a value, or
 * returns an error message.  The server prints the message after the name of
 * the directive; it states the error first and then the correct value.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <unicode/uclean.h>

#include "iri.h"
#include "unicode/iri_unicode.h"
#include "config/iri_registry.h"

#define IRI_MAX_OPEN 64 /* loaded charsets; the label table has fewer rows */

struct iri_registry_s {
    iri_env_t             env;
    const iri_encoding_t *encoding[IRI_MAX_OPEN];
    const iri_charset_t  *charset[IRI_MAX_OPEN];
    size_t                count;
};

typedef struct {
    const char *word;
    int         value;
} iri_word_t;


#define IRI_MAX_LIBRARIES 8 /* ICU has data, uc and i18n */

/* File names of loaded libraries; owned by the dynamic loader. */
typedef struct {
    const char *name[IRI_MAX_LIBRARIES];
    size_t      count;
} iri_libraries_t;


static int
iri_icu_collect(struct dl_phdr_info *info, size_t size, void *data)
{
    iri_libraries_t *libraries = data;

    (void) size;

    if (libraries->count < IRI_MAX_LIBRARIES
        && strstr(info->dlpi_name, "/libicu") != NULL)
    {
        libraries->name[libraries->count++] = info->dlpi_name;
    }

    return 0;
}


/*
 * Keep the shared libraries of ICU loaded until the process ends.  httpd
 * unloads its modules and their libraries when it reads its configuration
 * again; each time the memory that ICU has allocated would leak.  (dladdr()
 * would find the libraries too, but searches all their symbols.)
 */
static void
iri_icu_keep_loaded(void)
{
    iri_libraries_t libraries = { { NULL }, 0 };
    size_t          i;

    dl_iterate_phdr(iri_icu_collect, &libraries);

    for (i = 0; i < libraries.count; i++) {
        (void) dlopen(libraries.name[i],
                      RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}


iri_registry_t *
iri_registry_create(const iri_env_t *env)
{
    UErrorCode      error = U_ZERO_ERROR;
    iri_registry_t *registry;

    iri_icu_keep_loaded();

    /* Load the data of ICU in the parent process; children share it. */
    u_init(&error);
    if (U_FAILURE(error) || !iri_norm_ready() || !iri_collate_ready()) {
        return NULL;
    }

    registry = env->alloc(env->ctx, sizeof(*registry));
    if (registry == NULL) {
        return NULL;
    }

    memset(registry, 0, sizeof(*registry));
    registry->env = *env;

    return registry;
}


const iri_charset_t *
iri_registry_get(iri_registry_t *registry, const iri_encoding_t *encoding,
                 const char **why)
{
    const iri_charset_t *charset;
    size_t               i;

    if (strcmp(encoding->name, "UTF-8") == 0) {
        return &iri_charset_utf8;
    }

    for (i = 0; i < registry->count; i++) {
        if (registry->encoding[i] == encoding) {
            return registry->charset[i];
        }
    }

    if (encoding->converter == NULL) {
        *why = encoding->refused;
        return NULL;
    }

    charset = iri_charset_build(&registry->env, encoding, why);
    if (charset != NULL && registry->count < IRI_MAX_OPEN) {
        registry->encoding[registry->count] = encoding;
        registry->charset[registry->count++] = charset;
    }

    return charset;
}


/* ---- error messages ------------------------------------------------------ */

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


/* ---- words --------------------------------------------------------------- */

static int
iri_word_find(const iri_word_t *words, iri_str_t word, int *value)
{
    size_t i;

    for (i = 0; words[i].word != NULL; i++) {
        if (iri_str_equal_nocase(word, words[i].word)) {
            *value = words[i].value;
            return 1;
        }
    }

    return 0;
}


const char *
iri_parse_engine(iri_str_t word, iri_engine_t *out)
{
    static const iri_word_t words[] = { { "off", IRI_ENGINE_OFF },
                                        { "on", IRI_ENGINE_ON },
                                        { "report", IRI_ENGINE_REPORT },
                                        { NULL, 0 } };
    int                     value;

    if (!iri_word_find(words, word, &value)) {
        return "must be \"on\", \"off\" or \"report\"";
    }

    *out = (iri_engine_t) value;

    return NULL;
}


const char *
iri_parse_invalid(iri_str_t word, iri_invalid_t *out)
{
    static const iri_word_t words[] = { { "404", IRI_INVALID_404 },
                                        { "400", IRI_INVALID_400 },
                                        { "pass", IRI_INVALID_PASS },
                                        { NULL, 0 } };
    int                     value;

    if (!iri_word_find(words, word, &value)) {
        return "must be \"404\", \"400\" or \"pass\"";
    }

    *out = (iri_invalid_t) value;

    return NULL;
}


const char *
iri_parse_filename_form(iri_str_t word, iri_filename_form_t *out)
{
    static const iri_word_t words[] = { { "any", IRI_FILENAME_ANY },
                                        { "nfc", IRI_FILENAME_NFC },
                                        { "nfd", IRI_FILENAME_NFD },
                                        { NULL, 0 } };
    int                     value;

    if (!iri_word_find(words, word, &value)) {
        return "must be \"any\", \"nfc\" or \"nfd\"";
    }

    *out = (iri_filename_form_t) value;

    return NULL;
}


const char *
iri_parse_host_mode(iri_str_t word, iri_host_mode_t *out)
{
    static const iri_word_t words[] = { { "off", IRI_HOST_MODE_OFF },
                                        { "on", IRI_HOST_MODE_ON },
                                        { "strict", IRI_HOST_MODE_STRICT },
                                        { NULL, 0 } };
    int                     value;

    if (!iri_word_find(words, word, &value)) {
        return "must be \"on\", \"off\" or \"strict\"";
    }

    *out = (iri_host_mode_t) value;

    return NULL;
}


const char *
iri_parse_redirect(iri_str_t word, int *out)
{
    static const iri_word_t words[] = { { "off", 0 },
                                        { "301", 301 },
                                        { "302", 302 },
                                        { "303", 303 },
                                        { "307", 307 },
                                        { "308", 308 },
                                        { "link", IRI_REDIRECT_LINK },
                                        { NULL, 0 } };

    if (!iri_word_find(words, word, out)) {
        return iri_str_equal_nocase(word, "on")
                   ? "must be \"301\" (or another status, \"302\", \"303\","
                     " \"307\", \"308\"), \"link\" or \"off\""
                   : "must be \"off\", \"301\", \"302\", \"303\", \"307\","
                     " \"308\" or \"link\"";
    }

    return NULL;
}


/* The words of iri_match */
static const iri_word_t iri_match_words[] = {
    { "exact", (int) IRI_FOLD_EXACT_ONLY },
    { "normalization", (int) IRI_FOLD_NORMALIZATION },
    { "variants", (int) IRI_FOLD_VARIANTS },
    { "width", (int) IRI_FOLD_WIDTH },
    { "case", (int) IRI_FOLD_CASE },
    { "case:tr", (int) (IRI_FOLD_CASE | IRI_FOLD_TURKIC) },
    { "case:az", (int) (IRI_FOLD_CASE | IRI_FOLD_TURKIC) },
    { "accents", (int) IRI_FOLD_ACCENTS },
    { "accents:de", (int) (IRI_FOLD_ACCENTS | IRI_FOLD_GERMAN) },
    { "spelling", (int) IRI_FOLD_SPELLING },
    { NULL, 0 }
};


/* Return the index of the first word not in known; count: all are known. */
static size_t
iri_word_unknown(const iri_word_t *known, const iri_str_t *words,
                 size_t count)
{
    size_t i;
    int    value;

    for (i = 0; i < count; i++) {
        if (!iri_word_find(known, words[i], &value)) {
            break;
        }
    }

    return i;
}


size_t
iri_match_unknown_word(const iri_str_t *words, size_t count)
{
    return iri_word_unknown(iri_match_words, words, count);
}


const char *
iri_parse_match(const iri_str_t *words, size_t count, unsigned *out)
{
    size_t   i;
    int      value;
    unsigned match = 0;

    for (i = 0; i < count; i++) {
        if (!iri_word_find(iri_match_words, words[i], &value)) {
            return "takes \"exact\", or any of \"normalization\","
                   " \"variants\", \"width\", \"case\" (\"case:tr\" for"
                   " Turkish, \"case:az\" for Azerbaijani), \"accents\""
                   " (\"accents:de\" for German: \"ae\", \"oe\", \"ue\""
                   " for umlauts) and \"spelling\"";
        }

        match |= (unsigned) value;
    }

    if ((match & IRI_FOLD_EXACT_ONLY) && match != IRI_FOLD_EXACT_ONLY) {
        return "cannot combine \"exact\" with other words";
    }

    /* Names with the same key may differ in normalization, too. */
    if (match & IRI_FOLD_INDEXED) {
        match |= IRI_FOLD_NORMALIZATION;
    }

    *out = match;

    return NULL;
}


const char *
iri_parse_ambiguous(iri_str_t word, iri_ambiguous_t *out)
{
    static const iri_word_t words[] = { { "404", IRI_AMBIGUOUS_404 },
                                        { "300", IRI_AMBIGUOUS_300 },
                                        { NULL, 0 } };
    int                     value;

    if (!iri_word_find(words, word, &value)) {
        return "must be \"404\" or \"300\"";
    }

    *out = (iri_ambiguous_t) value;

    return NULL;
}


static const iri_word_t iri_repair_words[] = {
    { "off", 0 },
    { "double-encoding", (int) IRI_REPAIR_DOUBLE },
    { "mojibake", (int) IRI_REPAIR_MOJIBAKE },
    { "%u", (int) IRI_REPAIR_U },
    { NULL, 0 }
};


size_t
iri_repair_unknown_word(const iri_str_t *words, size_t count)
{
    return iri_word_unknown(iri_repair_words, words, count);
}


const char *
iri_parse_repair(const iri_str_t *words, size_t count, unsigned *out)
{
    size_t   i;
    int      value, off = 0;
    unsigned repair = 0;

    for (i = 0; i < count; i++) {
        if (!iri_word_find(iri_repair_words, words[i], &value)) {
            return "takes \"off\", or any of \"double-encoding\","
                   " \"mojibake\" and \"%u\"";
        }

        off |= value == 0;
        repair |= (unsigned) value;
    }

    if (off && count != 1) {
        return "cannot combine \"off\" with other words";
    }

    *out = repair;

    return NULL;
}


const char *
iri_parse_function(iri_str_t word, const iri_function_t **out)
{
    const iri_function_t *function = iri_function_find(word);

    if (function == NULL) {
        return "must name the function \"to_uri\", \"to_iri\", \"nfc\","
               " \"fold\", \"utf8\", \"host_ascii\" or"
               " \"host_unicode\"";
    }

    *out = function;

    return NULL;
}


/*
 * Parse a size such as "64k".
 * Returns: 0: it is invalid, below IRI_MIN_CACHE or above IRI_MAX_CACHE.
 */
static int
iri_parse_size(iri_str_t word, size_t *size)
{
    size_t i, value = 0, unit = 1;

    if (word.len > 1 && (word.data[word.len - 1] | 0x20) == 'k') {
        unit = 1024;
    } else if (word.len > 1 && (word.data[word.len - 1] | 0x20) == 'm') {
        unit = 1024 * 1024;
    } else if (word.len > 1 && (word.data[word.len - 1] | 0x20) == 'g') {
        unit = 1024 * 1024 * 1024;
    }

    word.len -= unit != 1;

    for (i = 0; i < word.len; i++) {
        if (word.data[i] < '0' || word.data[i] > '9'
            || value > IRI_MAX_CACHE / 10) {
            return 0;
        }

        value = value * 10 + (size_t) (word.data[i] - '0');
    }

    if (word.len == 0 || value > IRI_MAX_CACHE / unit) {
        return 0;
    }

    *size = value * unit;

    return *size >= IRI_MIN_CACHE;
}


const char *
iri_parse_cache(const iri_str_t *words, size_t count, size_t *size,
                iri_str_t *threads)
{
    static const iri_str_t option = IRI_STR("threads=");
    iri_str_t              name = { 0, NULL }, head;
    size_t                 octets = 0;

    if (!iri_str_equal_nocase(words[0], "off")
        && !iri_parse_size(words[0], &octets))
    {
        return "must be \"off\" or a size from 64k to 4g, for"
               " example \"16m\"";
    }

    if (count > 1) {
        head = words[1];
        head.len = head.len < option.len ? head.len : option.len;

        if (threads == NULL || count > 2 || octets == 0
            || !iri_str_equal(head, option) || words[1].len == option.len)
        {
            return threads == NULL
                       ? "takes one word, \"off\" or a size"
                       : "takes a size and optionally"
                         " \"threads=NAME\", the name of a thread pool";
        }

        name = iri_str_from(words[1], option.len);
    }

    *size = octets;

    if (threads != NULL) {
        *threads = name;
    }

    return NULL;
}


/* ---- charsets ------------------------------------------------------------ */

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


static const char *
iri_charset_by_label(iri_registry_t *registry, iri_str_t label,
                     const iri_charset_t **out)
{
    const iri_encoding_t *encoding;
    const char           *why = "cannot be opened";

    encoding = iri_encoding_find(label);
    if (encoding == NULL) {
        return iri_word_message(
            &registry->env, label,
            "is not a known charset:"
            " use a label of the Encoding Standard, such as"
            " \"Shift_JIS\", \"EUC-KR\" or \"windows-1251\"",
            "");
    }

    *out = iri_registry_get(registry, encoding, &why);
    if (*out == NULL) {
        return iri_word_message(&registry->env, label, why,
                                ": use another charset");
    }

    return NULL;
}


const char *
iri_parse_charsets(iri_registry_t *registry, const iri_str_t *words,
                   size_t count, int none_allowed, iri_charsets_t *out)
{
    iri_charsets_t       list;
    const iri_charset_t *charset = NULL;
    const char          *error;
    size_t               i;

    list.count = 0;

    if (none_allowed && count == 1 && iri_str_equal_nocase(words[0], "none"))
    {
        *out = list;
        return NULL;
    }

    for (i = 0; i < count; i++) {
        if (iri_str_equal_nocase(words[i], "none")) {
            return none_allowed ? "cannot combine \"none\" with charsets"
                                : "cannot be \"none\": set the charset of"
                                  " the names on disk, for example \"UTF-8\"";
        }

        error = iri_charset_by_label(registry, words[i], &charset);
        if (error != NULL) {
            return error;
        }

        if (none_allowed && charset == &iri_charset_utf8) {
            continue;
        }

        if (iri_charsets_contain(&list, charset)) {
            return iri_word_message(&registry->env, words[i],
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
 * Return 1 if later should be listed before first, because fewer texts are
 * misread then.  This is so if first decodes at least half of the texts in
 * later, and the share of these texts that it cannot decode is at most half of
 * the share of texts in first that later cannot decode.  Charsets with nearly
 * the same octets, such as KOI8-R and windows-1251, may be listed in either
 * order.
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

const char *
iri_registry_open_all(iri_registry_t *registry)
{
    const iri_encoding_t *encoding;
    const char           *why = NULL;
    size_t                i, count = registry->count;

    for (i = 0; (encoding = iri_encoding_at(i)) != NULL; i++) {
        if (encoding->converter != NULL
            && iri_registry_get(registry, encoding, &why) != NULL)
        {
            count++;
        }
    }

    return count == 0
               ? "cannot load any charset: the data of ICU is missing, or"
                 " memory is exhausted"
               : NULL;
}


/* Return a charset if it is loaded; else NULL, and *why is set. */
static const iri_charset_t *
iri_registry_find(const iri_registry_t *registry, iri_str_t label,
                  const char **why)
{
    const iri_encoding_t *encoding = iri_encoding_find(label);
    size_t                i;

    if (encoding == NULL) {
        *why = "is not a known charset";
        return NULL;
    }

    if (strcmp(encoding->name, "UTF-8") == 0) {
        return &iri_charset_utf8;
    }

    for (i = 0; i < registry->count; i++) {
        if (registry->encoding[i] == encoding) {
            return registry->charset[i];
        }
    }

    *why = encoding->refused != NULL
               ? encoding->refused
               : "is not supported by the installed ICU";
    return NULL;
}


static int
iri_is_separator(unsigned char c)
{
    return c == ' ' || c == '\t' || c == ',';
}


/* Find the next label of a list from *at on.  Returns: 0: there is none. */
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


static int
iri_charsets_japanese(const iri_charsets_t *list)
{
    size_t i;

    for (i = 0; i < list->count; i++) {
        if (iri_charset_is_japanese(list->at[i])) {
            return 1;
        }
    }

    return 0;
}


void
iri_tree_conf_finish(const iri_reading_conf_t *reading, iri_tree_conf_t *tree)
{
    if (tree->charsets.count == 0) {
        tree->charsets.at[0] = &iri_charset_utf8;
        tree->charsets.count = 1;
    }

    if ((tree->match & IRI_FOLD_EXACT_ONLY) == 0
        && (iri_charsets_japanese(&tree->charsets) || reading == NULL
            || iri_charsets_japanese(&reading->charsets)))
    {
        tree->match |= IRI_FOLD_VARIANTS;
    }

    if (tree->repair & IRI_REPAIR_ESCAPES) {
        tree->match |= IRI_FOLD_ESCAPES;
    }
}
