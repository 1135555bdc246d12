/*
 * iri_conf.c - parsers for the values of directives
 *
 * Both servers use these parsers.  A parser takes words and writes a value, or
 * returns an error message.  The server prints the message after the name of
 * the directive; it states the error first and then the correct value.
 */

#include <string.h>

#include "charset/iri_charset.h"

#define IRI_MAX_WORDS 16 /* words of a directive */

struct iri_words_s {
    const char *error;       /* for an unknown word */
    const char *error_on;    /* for "on"; NULL: error */
    const char *error_first; /* for the first word with others; NULL: the
                                words may be combined */
    struct {
        const char *word;
        unsigned    value;
    } at[IRI_MAX_WORDS + 1]; /* word NULL: the end */
};

/* clang-format off */

const iri_words_t iri_engine_words = {
    "must be \"on\", \"off\" or \"report\"", NULL, NULL,
    { { "off", IRI_ENGINE_OFF },
      { "on", IRI_ENGINE_ON },
      { "report", IRI_ENGINE_REPORT } }
};

const iri_words_t iri_invalid_words = {
    "must be \"404\", \"400\" or \"pass\"", NULL, NULL,
    { { "404", IRI_INVALID_404 },
      { "400", IRI_INVALID_400 },
      { "pass", IRI_INVALID_PASS } }
};

const iri_words_t iri_filename_form_words = {
    "must be \"any\", \"nfc\" or \"nfd\"", NULL, NULL,
    { { "any", IRI_FILENAME_ANY },
      { "nfc", IRI_FILENAME_NFC },
      { "nfd", IRI_FILENAME_NFD } }
};

const iri_words_t iri_host_mode_words = {
    "must be \"on\", \"off\" or \"strict\"", NULL, NULL,
    { { "off", IRI_HOST_MODE_OFF },
      { "on", IRI_HOST_MODE_ON },
      { "strict", IRI_HOST_MODE_STRICT } }
};

const iri_words_t iri_ambiguous_words = {
    "must be \"404\" or \"300\"", NULL, NULL,
    { { "404", IRI_AMBIGUOUS_404 },
      { "300", IRI_AMBIGUOUS_300 } }
};

const iri_words_t iri_redirect_words = {
    "must be \"off\", \"301\", \"302\", \"303\", \"307\", \"308\" or"
    " \"link\"",
    "must be \"301\" (or another status, \"302\", \"303\", \"307\","
    " \"308\"), \"link\" or \"off\"",
    NULL,
    { { "off", 0 },
      { "301", 301 },
      { "302", 302 },
      { "303", 303 },
      { "307", 307 },
      { "308", 308 },
      { "link", IRI_REDIRECT_LINK } }
};

/* Folding includes normalization, so the words after "variants" set both. */
const iri_words_t iri_match_words = {
    "takes \"exact\", or any of \"normalization\", \"variants\""
    " (\"variants:arabic\", \"variants:romanian\", \"variants:joiners\"),"
    " \"width\", \"punctuation\", \"case\" (\"case:tr\" for Turkish,"
    " \"case:az\" for Azerbaijani), \"accents\" (\"accents:de\" for German:"
    " \"ae\", \"oe\", \"ue\" for umlauts; \"accents:latin\" for letters such"
    " as o-stroke, too) and \"spelling\"",
    NULL,
    "cannot combine \"exact\" with other words",
    { { "exact", IRI_FOLD_EXACT_ONLY },
      { "normalization", IRI_FOLD_NORMALIZATION },
      { "variants", IRI_FOLD_VARIANTS },
      { "variants:arabic", IRI_FOLD_NORMALIZATION | IRI_FOLD_ARABIC },
      { "variants:romanian", IRI_FOLD_NORMALIZATION | IRI_FOLD_ROMANIAN },
      { "variants:joiners", IRI_FOLD_NORMALIZATION | IRI_FOLD_JOINERS },
      { "width", IRI_FOLD_NORMALIZATION | IRI_FOLD_WIDTH },
      { "punctuation", IRI_FOLD_NORMALIZATION | IRI_FOLD_PUNCTUATION },
      { "case", IRI_FOLD_NORMALIZATION | IRI_FOLD_CASE },
      { "case:tr", IRI_FOLD_NORMALIZATION | IRI_FOLD_CASE | IRI_FOLD_TURKIC },
      { "case:az", IRI_FOLD_NORMALIZATION | IRI_FOLD_CASE | IRI_FOLD_TURKIC },
      { "accents", IRI_FOLD_NORMALIZATION | IRI_FOLD_ACCENTS },
      { "accents:de",
        IRI_FOLD_NORMALIZATION | IRI_FOLD_ACCENTS | IRI_FOLD_GERMAN },
      { "accents:latin",
        IRI_FOLD_NORMALIZATION | IRI_FOLD_ACCENTS | IRI_FOLD_LATIN },
      { "spelling", IRI_FOLD_NORMALIZATION | IRI_FOLD_SPELLING } }
};

const iri_words_t iri_repair_words = {
    "takes \"off\", or any of \"double-encoding\", \"mojibake\", \"%u\","
    " \"invisible\", \"trailing\" and \"plus\"",
    NULL,
    "cannot combine \"off\" with other words",
    { { "off", 0 },
      { "double-encoding", IRI_REPAIR_DOUBLE },
      { "mojibake", IRI_REPAIR_MOJIBAKE },
      { "%u", IRI_REPAIR_U },
      { "invisible", IRI_REPAIR_INVISIBLE },
      { "trailing", IRI_REPAIR_TRAILING },
      { "plus", IRI_REPAIR_PLUS } }
};

/* clang-format on */


/* ---- words --------------------------------------------------------------- */

/* Return the index of a word, or that of the end if the word is unknown. */
static size_t
iri_word_find(const iri_words_t *words, iri_str_t word)
{
    size_t i;

    for (i = 0; words->at[i].word != NULL; i++) {
        if (iri_str_equal_nocase(word, words->at[i].word)) {
            break;
        }
    }

    return i;
}


const char *
iri_parse_word(const iri_words_t *words, iri_str_t word, unsigned *out)
{
    size_t unknown;

    return iri_parse_words(words, &word, 1, out, &unknown);
}


const char *
iri_parse_words(const iri_words_t *words, const iri_str_t *given,
                size_t count, unsigned *out, size_t *unknown)
{
    size_t   i, at;
    unsigned value = 0;
    int      first = 0, others = 0;

    *unknown = count;

    for (i = 0; i < count; i++) {
        at = iri_word_find(words, given[i]);
        if (words->at[at].word == NULL) {
            *unknown = i;
            return words->error_on != NULL
                           && iri_str_equal_nocase(given[i], "on")
                       ? words->error_on
                       : words->error;
        }

        first |= at == 0;
        others |= at != 0;
        value |= words->at[at].value;
    }

    if (first && others) {
        return words->error_first;
    }

    *out = value;

    return NULL;
}


const char *
iri_parse_function(iri_registry_t *registry, iri_str_t word,
                   const iri_function_t **out, const iri_charset_t **charset)
{
    static const iri_str_t encode = IRI_STR("encode:");
    const iri_function_t  *function = iri_function_find(word);
    const iri_charset_t   *encoded = NULL;
    const char            *error;

    if (registry != NULL && word.len > encode.len
        && memcmp(word.data, encode.data, encode.len) == 0)
    {
        error = iri_parse_charset(registry, iri_str_from(word, encode.len),
                                  &encoded);
        if (error != NULL) {
            return error;
        }

        function = &iri_function_encode;
    }

    if (function == NULL) {
        return "must name the function \"to_uri\", \"to_iri\", \"nfc\","
               " \"nfd\", \"fold\", \"utf8\", \"host_ascii\","
               " \"host_unicode\", \"url_ascii\", \"url_unicode\","
               " \"disposition\" or \"encode:CHARSET\"";
    }

    *out = function;
    *charset = encoded;

    return NULL;
}


/*
 * Parse a size such as "64k".
 * Returns: 0: it is invalid, below IRI_MIN_CACHE or above IRI_MAX_CACHE.
 */
static int
iri_parse_size(iri_str_t word, size_t *size)
{
    static const char units[] = "kmg";
    const char       *found = NULL;
    size_t            i, value = 0, unit = 1;

    if (word.len > 1) {
        found = memchr(units, word.data[word.len - 1] | 0x20, 3);
    }
    if (found != NULL) {
        unit = (size_t) 1 << 10 * (found - units + 1);
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


/* ---- derived settings ---------------------------------------------------- */

static int
iri_charsets_have_japanese(const iri_charsets_t *list)
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
        && (iri_charsets_have_japanese(&tree->charsets) || reading == NULL
            || iri_charsets_have_japanese(&reading->charsets)))
    {
        tree->match |= IRI_FOLD_VARIANTS;
    }

    /* Bits that an enclosing context has set are not inherited. */
    tree->match &= ~IRI_FOLD_SOME_ASCII;

    if (tree->repair & IRI_REPAIR_ESCAPES) {
        tree->match |= IRI_FOLD_ESCAPES;
    }

    if (tree->repair & IRI_REPAIR_TRAILING) {
        tree->match |= IRI_FOLD_TRAILING;
    }

    if (tree->repair & IRI_REPAIR_PLUS) {
        tree->match |= IRI_FOLD_PLUS;
    }

    if (iri_charset_is_percent(tree->charsets.at[0])) {
        tree->match |= IRI_FOLD_PERCENT;
    }
}
