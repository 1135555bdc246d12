/*
 * fuzz_conf.c - target: the words of settings
 *
 * Fields: the setting (an octet), then its words. Checked: the value, by a
 * plain list of words; that letter case does not matter; that a list of
 * charsets consists of the charsets of its words; that an error has a message
 * and leaves the setting unchanged.
 */

#include <stdlib.h>

#include "fuzz.h"

#define MAX_WORDS 12

typedef struct {
    iri_str_t at[MAX_WORDS];
    size_t    count;
} words_t;


/* ---- words --------------------------------------------------------------- */

static words_t
words_of(fuzz_input_t *input)
{
    words_t   words;
    iri_str_t field;

    memset(&words, 0, sizeof(words));

    while (words.count < MAX_WORDS && fuzz_field(input, &field)) {
        words.at[words.count++] = fuzz_given(field);
    }

    /* A server passes at least one word. */
    if (words.count == 0) {
        words.at[words.count++] = field;
    }

    return words;
}


/* The same words with the case of each letter inverted. */
static words_t
words_inverted_case(const words_t *words)
{
    words_t        turned = *words;
    unsigned char *out, c;
    size_t         i, k;

    for (i = 0; i < words->count; i++) {
        out = fuzz_memory(words->at[i].len);

        for (k = 0; k < words->at[i].len; k++) {
            c = words->at[i].data[k];
            out[k] = (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? c ^ 0x20 : c;
        }

        turned.at[i].data = out;
    }

    return turned;
}


static int
is_word(iri_str_t word, const char *text)
{
    size_t i;

    for (i = 0; i < word.len && text[i] != '\0'; i++) {
        if ((word.data[i] >= 'A' && word.data[i] <= 'Z' ? word.data[i] | 0x20
                                                        : word.data[i])
            != text[i])
        {
            return 0;
        }
    }

    return i == word.len && text[i] == '\0';
}


/* A message of printable characters, except in the word that it quotes. */
static void
judge_message(const char *wrong, const words_t *words)
{
    size_t len = strlen(wrong), i;

    /* A NUL, which no word of a server contains, ends the word. */
    for (i = 0; i < words->count; i++) {
        if (memchr(words->at[i].data, '\0', words->at[i].len) != NULL) {
            return;
        }
    }

    fuzz_assert(len > 10 && wrong[len - 1] != '.' && wrong[len - 1] != '\n');
}


/* ---- one word of a list ------------------------------------------------- */

typedef struct {
    const iri_words_t *words;
    struct {
        const char *word;
        unsigned    value;
    } want[7];
} setting_t;

static const setting_t settings[] = {
    { &iri_engine_words,
      { { "off", IRI_ENGINE_OFF },
        { "on", IRI_ENGINE_ON },
        { "report", IRI_ENGINE_REPORT } } },
    { &iri_invalid_words,
      { { "404", IRI_INVALID_404 },
        { "400", IRI_INVALID_400 },
        { "pass", IRI_INVALID_PASS } } },
    { &iri_filename_form_words,
      { { "any", IRI_FILENAME_ANY },
        { "nfc", IRI_FILENAME_NFC },
        { "nfd", IRI_FILENAME_NFD } } },
    { &iri_redirect_words,
      { { "off", 0 },
        { "301", 301 },
        { "302", 302 },
        { "303", 303 },
        { "307", 307 },
        { "308", 308 },
        { "link", IRI_REDIRECT_LINK } } },
};


static void
judge_setting(const setting_t *setting, const words_t *words)
{
    unsigned    got = 0xdead;
    const char *wrong = iri_parse_word(setting->words, words->at[0], &got);
    size_t      i;

    for (i = 0; i < COUNT(setting->want) && setting->want[i].word != NULL;
         i++) {
        if (is_word(words->at[0], setting->want[i].word)) {
            fuzz_assert(wrong == NULL && got == setting->want[i].value);
            return;
        }
    }

    fuzz_assert(wrong != NULL && got == 0xdead);
    judge_message(wrong, words);
}


/* ---- iri_match ----------------------------------------------------------- */

static void
judge_match(const words_t *words)
{
    unsigned    got = 0xdead, want = 0;
    int         known = 1;
    size_t      i, unknown;
    const char *wrong = iri_parse_words(&iri_match_words, words->at,
                                        words->count, &got, &unknown);

    for (i = 0; i < words->count; i++) {
        if (is_word(words->at[i], "exact")) {
            want |= IRI_FOLD_EXACT_ONLY;
        } else if (is_word(words->at[i], "normalization")) {
            want |= IRI_FOLD_NORMALIZATION;
        } else if (is_word(words->at[i], "variants")) {
            want |= IRI_FOLD_VARIANTS;
        } else {
            known = 0;
        }
    }

    if (known
        && ((want & IRI_FOLD_EXACT_ONLY) == 0 || want == IRI_FOLD_EXACT_ONLY))
    {
        fuzz_assert(wrong == NULL && got == want);
        return;
    }

    fuzz_assert(wrong != NULL && got == 0xdead);
    judge_message(wrong, words);
}


/* ---- charsets ------------------------------------------------------------ */

static const char *
parse_list(const words_t *words, int none_allowed, iri_charsets_t *out)
{
    static const unsigned char junk = 0x5a;
    const char                *wrong;
    size_t                     i;

    memset(out, junk, sizeof(*out));
    wrong = iri_parse_charsets(fuzz.registry, words->at, words->count,
                               none_allowed, out);

    for (i = 0; wrong != NULL && i < sizeof(*out); i++) {
        fuzz_assert(((const unsigned char *) out)[i] == junk);
    }

    return wrong;
}


static const iri_charset_t *
parse_one(iri_str_t word)
{
    words_t        one = { { word }, 1 };
    iri_charsets_t list;

    if (parse_list(&one, 0, &list) != NULL) {
        return NULL;
    }

    fuzz_assert(list.count == 1);

    return list.at[0];
}


/* The charset was opened before, and its name leads to it. */
static void
judge_charset(const iri_charset_t *charset)
{
    size_t i;

    for (i = 0; i < fuzz_label_count && fuzz_charset('a' + i) != charset; i++)
    {
        /* void */
    }

    fuzz_assert(i < fuzz_label_count);
    fuzz_assert(parse_one(iri_charset_name(charset)) == charset);
}


/* The list of the words' charsets, one by one. Returns: 0 if it is invalid. */
static int
list_slowly(const words_t *words, int none_allowed, iri_charsets_t *out)
{
    const iri_charset_t *charset;
    size_t               i, k;

    memset(out, 0, sizeof(*out));

    if (none_allowed && words->count == 1 && is_word(words->at[0], "none")) {
        return 1;
    }

    for (i = 0; i < words->count; i++) {
        charset = parse_one(words->at[i]);
        if (charset == NULL) {
            return 0;
        }

        if (none_allowed && iri_charset_is_utf8(charset)) {
            continue;
        }

        for (k = 0; k < out->count; k++) {
            if (out->at[k] == charset) {
                return 0;
            }
        }

        if (out->count == FUZZ_CHARSETS) {
            return 0;
        }

        out->at[out->count++] = charset;
    }

    return 1;
}


static void
judge_charsets(const words_t *words, int none_allowed)
{
    iri_charsets_t got, want;
    int            well = list_slowly(words, none_allowed, &want);
    const char    *wrong = parse_list(words, none_allowed, &got);
    size_t         i;

    fuzz_assert(well == (wrong == NULL));

    if (wrong != NULL) {
        judge_message(wrong, words);
        return;
    }

    fuzz_assert(got.count == want.count);

    for (i = 0; i < got.count; i++) {
        fuzz_assert(got.at[i] == want.at[i]);
        judge_charset(got.at[i]);
    }
}


/* Only the labels of the table are accepted. */
static void
judge_label(iri_str_t word)
{
    const iri_encoding_t *row = iri_encoding_find(word);
    const iri_charset_t  *charset = parse_one(word);

    fuzz_assert(charset == NULL || row != NULL);

    if (row != NULL) {
        fuzz_assert(row->refused == NULL ? charset != NULL : charset == NULL);
    }

    if (charset != NULL) {
        fuzz_assert(
            fuzz_equal(iri_charset_name(charset), fuzz_text(row->name)));
    }
}


/* ---- the input ----------------------------------------------------------- */

static void
judge(unsigned what, const words_t *words)
{
    if (what < COUNT(settings)) {
        judge_setting(&settings[what], words);
        return;
    }

    switch (what - COUNT(settings)) {
    case 0:
        judge_match(words);
        break;

    case 1:
        judge_charsets(words, 0);
        break;

    case 2:
        judge_charsets(words, 1);
        break;

    default:
        judge_label(words->at[0]);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_input(data, size);
    iri_str_t    field;
    words_t      words, turned;
    unsigned     what;

    fuzz_begin();
    fuzz_field(&input, &field);
    what = fuzz_choice(field, 0, COUNT(settings) + 4);
    words = words_of(&input);
    turned = words_inverted_case(&words);

    judge(what, &words);
    judge(what, &turned);

    fuzz_end();

    return 0;
}
