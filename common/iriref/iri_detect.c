/*
 * iri_detect.c - the charset in which names seem to be encoded
 *
 * A charset must decode the names (iri_entry_name).  It is scored by the text
 * that results: frequent letters of one language, in words of one script and of
 * ordinary letter case, count for the charset; other characters count against
 * it.  The alphabets are those of CLDR.
 */

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/ulocdata.h>
#include <unicode/uscript.h>

#include "charset/iri_charset.h"
#include "index/iri_index.h"
#include "iriref/iri_iriref.h"
#include "unicode/iri_unicode.h"

/* Scores of a character.  The score of a text is the mean of them. */
#define IRI_SCORE_MOST      1000 /* the most frequent letter of a language */
#define IRI_SCORE_LEAST     400  /* the least frequent one */
#define IRI_SCORE_HANGUL    950
#define IRI_SCORE_IDEOGRAPH 900 /* one of those that are common */
#define IRI_SCORE_LETTER    700 /* a letter, frequencies are not known */
#define IRI_SCORE_AUXILIARY                                                  \
    300                       /* a letter of foreign words, punctuation, a
                                      less common ideograph */
#define IRI_SCORE_WIDE  0     /* a full width form of ASCII */
#define IRI_SCORE_RARE  -300  /* a rare ideograph */
#define IRI_SCORE_OTHER -1000 /* a letter of another language */
#define IRI_SCORE_SYMBOL                                                     \
    -2500 /* not a letter; an octet of a name that is
                                      not decoded */
#define IRI_SCORE_BREAK                                                      \
    -1000                      /* within a word another script, a capital
                                      after a small letter, a final letter, or
                                      a vowel sign without a consonant */
#define IRI_SCORE_CAPITAL -200 /* a capital after a capital */
#define IRI_SCORE_SELDOM  60   /* less for charsets that were used seldom */

/* Greatest weight of a name: one long name must not outvote the others. */
#define IRI_DETECT_WEIGHT 64

/*
 * A language: its name in CLDR, and its letters above 7F, the most frequent
 * ones first; empty: their frequencies are not used.
 */
static const struct {
    const char *name;
    const char *letters;
} iri_detect_languages[] = {
    { "ja", "" },
    { "zh", "" },
    { "zh_Hant", "" },
    { "ko", "" },
    { "fr", "éèàêçôîûâùëïœ" },
    { "de", "üäöß" },
    { "es", "óáíéñúü" },
    { "pt", "ãçáéíõóâêúôà" },
    { "it", "òàèùìé" },
    { "nl", "ëéïö" },
    { "sv", "äåöé" },
    { "da", "øåæé" },
    { "nb", "øåæé" },
    { "fi", "äöå" },
    { "is", "áíðóéöþýúæ" },
    { "ca", "àéèíóòçúïü" },
    { "sq", "ëç" },
    { "et", "äõöüšž" },
    { "ru", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё" },
    { "uk", "оаниівтреслкдмпузяьбгчйхцжшюїєщфґ" },
    { "be", "аніоетсрлкдвмзыупяьўгбйчхцжшюэфё" },
    { "bg", "аиоентрвсдлкпмзяубъгчжцйшщхфюь" },
    { "sr", "аоиенртјсвклупдмзгбћчшцжњљхђфџ" },
    { "mk", "аоеинтрвсдклмпузјгбчцшжќѓљњхџфѕ" },
    { "pl", "łęążśćóńź" },
    { "cs", "íáéěýčřžšůúňťďó" },
    { "sk", "áíéýčžšúľôťňďóäŕĺ" },
    { "hu", "áéőöíóúüű" },
    { "ro", "ăîțșâşţ" },
    { "hr", "čšžćđ" },
    { "sl", "čšž" },
    { "el", "αοιετσνηυρπκμλςωδίγάόέχθφύβήώξζψϊϋΐΰ" },
    { "tr", "ıüşçğöâîû" },
    { "he", "יוהלאתרמבשנםדכחקעפטןגסזצךףץ" },
    { "ar", "اليمونترهبفسعدكقحجةشصطخأضذزثىإءغئظؤآ" },
    { "fa", "ایرندهمتوسبشلکزفگعخقجپحصطغچضآثظژئءذ" },
    { "ur", "" },
    { "lt", "ėšžųįąūčę" },
    { "lv", "āīūšēņļģčžķ" },
    { "vi", "đàáạảôưêâăộếấểớầìíậờốóủềịợứọòồơúùãựừữụổắởèéệỏẻõẽ"
            "ẩặủĩũễẹýỹỳỷằẫẵẳửỗỉ" },
    { "th", "านรอกเมลวงยดสทปบคตะิ่ี้ัพชแไหใโขจำถผื์ูศึษุณธฉภฟซ" },
    { "mt", "ħżġċà" },
    { "eo", "ĝĉŝŭĵĥ" },
    { "se", "áčšđŋžŧ" },
    { "cy", "ŵâôêîŷ" },
    { "ga", "áíéóú" }
};

#define IRI_DETECT_LANGUAGES                                                 \
    (sizeof(iri_detect_languages) / sizeof(iri_detect_languages[0]))

/* Of two charsets that give the same text the first one counts. */
static const struct {
    const char *charset;
    const char *languages; /* for which it was used, separated by blanks */
    int         seldom;    /* 1: few names were ever encoded in it */
} iri_detect_rows[] = {
    { "Shift_JIS", "ja", 0 },
    { "EUC-JP", "ja", 0 },
    { "gb18030", "zh", 0 },
    { "Big5", "zh_Hant", 0 },
    { "EUC-KR", "ko", 0 },
    { "windows-1252", "fr de es pt it nl sv da nb fi is ca sq et", 0 },
    { "windows-1251", "ru uk be bg sr mk", 0 },
    { "KOI8-R", "ru bg", 0 },
    { "KOI8-U", "ru uk be", 0 },
    { "IBM866", "ru be uk bg", 0 },
    { "windows-1250", "pl cs sk hu ro hr sl de sq", 0 },
    { "ISO-8859-2", "pl cs sk hu ro hr sl de sq", 0 },
    { "windows-1253", "el", 0 },
    { "windows-1254", "tr fr de", 0 },
    { "windows-1255", "he", 0 },
    { "windows-1256", "ar fa ur fr", 0 },
    { "windows-1257", "lt lv et", 0 },
    { "windows-1258", "vi fr", 0 },
    { "windows-874", "th", 0 },
    { "macintosh", "fr de es pt it nl sv da nb fi is ca", 0 },
    { "ISO-8859-5", "ru uk be bg sr mk", 0 },
    { "ISO-8859-15", "fr de es pt it nl sv da nb fi is ca et", 0 },
    { "ISO-8859-7", "el", 0 },
    { "ISO-8859-6", "ar", 0 },
    { "ISO-8859-8", "he", 0 },
    { "x-mac-cyrillic", "ru uk be bg sr mk", 0 },
    { "ISO-8859-13", "lt lv et pl", 1 },
    { "ISO-8859-4", "lt lv et", 1 },
    { "ISO-8859-16", "ro", 1 },
    { "ISO-8859-3", "mt eo", 1 },
    { "ISO-8859-10", "se is lt", 1 },
    { "ISO-8859-14", "cy ga", 1 }
};

/*
 * Characters in the first rows of an East Asian character set, which holds the
 * common ones there: two octets in a charset.
 */
static const struct {
    const char   *language;
    const char   *charset;
    unsigned char first; /* leads */
    unsigned char last;
    unsigned char trail; /* to FE */
    int           main;  /* 1: they are the alphabet; 0: auxiliary */
} iri_detect_levels[] = { { "ja", "EUC-JP", 0xB0, 0xCF, 0xA1, 0 },
                          { "zh", "gb18030", 0xB0, 0xD7, 0xA1, 0 },
                          { "zh_Hant", "Big5", 0xA4, 0xC6, 0x40, 0 },
                          { "ko", "EUC-KR", 0xB0, 0xC8, 0xA1, 1 } };

#define IRI_DETECT_LEVELS                                                    \
    (sizeof(iri_detect_levels) / sizeof(iri_detect_levels[0]))

struct iri_detector_s {
    iri_tree_conf_t tree[IRI_DETECTABLE]; /* of one charset each; count 0:
                                                 this ICU lacks it */
    uint64_t        languages[IRI_DETECTABLE]; /* 1 << language */

    /* For each character of the BMP 1 << language. */
    uint64_t alphabet[0x10000];
    uint64_t auxiliary[0x10000];
};

/* The sums of the scores of all names in one charset, times octets. */
typedef struct {
    const iri_detector_t *detector;
    uint64_t              languages; /* of the charset */
    int64_t               base;      /* for a language with none of the
                                          characters */
    int64_t by_language[IRI_DETECT_LANGUAGES]; /* added to base */
} iri_scorer_t;


/* ---- the detector -------------------------------------------------------- */

/* The bits of languages in a list. */
static uint64_t
iri_detect_bits(const char *list)
{
    uint64_t bits = 0;
    size_t   i, len;

    for (/* void */; *list != '\0'; list += len + (list[len] == ' ')) {
        len = strcspn(list, " ");

        for (i = 0; i < IRI_DETECT_LANGUAGES; i++) {
            if (strlen(iri_detect_languages[i].name) == len
                && memcmp(iri_detect_languages[i].name, list, len) == 0)
            {
                bits |= (uint64_t) 1 << i;
            }
        }
    }

    return bits;
}


/* Set a bit for the characters of the BMP in a set of a language.  Returns: 0;
   -1: ICU failed. */
static int
iri_detector_add_exemplars(uint64_t *masks, ULocaleData *data,
                           ULocaleDataExemplarSetType type, uint64_t bit)
{
    UErrorCode error = U_ZERO_ERROR, string = U_ZERO_ERROR;
    USet      *set = ulocdata_getExemplarSet(data, NULL, 0, type, &error);
    int32_t    i, items = U_SUCCESS(error) ? uset_getItemCount(set) : 0;
    UChar32    c, to;

    /* Ranges precede strings of several characters. */
    for (i = 0;
         i < items && uset_getItem(set, i, &c, &to, NULL, 0, &string) == 0;
         i++)
    {
        for (/* void */; c <= to && c < 0x10000; c++) {
            masks[c] |= bit;
        }
    }

    uset_close(set);

    return U_SUCCESS(error) ? 0 : -1;
}


static int
iri_detector_add_language(iri_detector_t *detector, size_t language)
{
    const char  *name = iri_detect_languages[language].name;
    UErrorCode   error = U_ZERO_ERROR;
    ULocaleData *data = ulocdata_open(name, &error);
    uint64_t     bit = (uint64_t) 1 << language;
    int          failed;

    if (data == NULL || U_FAILURE(error)) {
        return -1;
    }

    failed = iri_detector_add_exemplars(detector->auxiliary, data,
                                        ULOCDATA_ES_AUXILIARY, bit)
                 != 0
             || iri_detector_add_exemplars(detector->auxiliary, data,
                                           ULOCDATA_ES_PUNCTUATION, bit)
                    != 0
             /* Of Korean all 11,172 syllables, most of which are rare. */
             || (strcmp(name, "ko") != 0
                 && iri_detector_add_exemplars(detector->alphabet, data,
                                               ULOCDATA_ES_STANDARD, bit)
                        != 0);
    ulocdata_close(data);

    return failed ? -1 : 0;
}


/* The tree of a charset; NULL: this ICU lacks it. */
static const iri_tree_conf_t *
iri_detector_tree(const iri_detector_t *detector, const char *charset)
{
    size_t i;

    for (i = 0; strcmp(iri_detect_rows[i].charset, charset) != 0; i++) {
        /* void */
    }

    return detector->tree[i].charsets.count != 0 ? &detector->tree[i] : NULL;
}


static void
iri_detector_add_level(iri_detector_t *detector, size_t level)
{
    uint64_t  bit = iri_detect_bits(iri_detect_levels[level].language);
    uint64_t *masks = iri_detect_levels[level].main ? detector->alphabet
                                                    : detector->auxiliary;
    const iri_tree_conf_t *tree;
    unsigned char          octets[2];
    unsigned               lead, trail;
    uint32_t               c;

    tree = iri_detector_tree(detector, iri_detect_levels[level].charset);
    if (tree == NULL) {
        return;
    }

    for (lead = iri_detect_levels[level].first;
         lead <= iri_detect_levels[level].last; lead++)
    {
        for (trail = iri_detect_levels[level].trail; trail <= 0xFE; trail++) {
            octets[0] = (unsigned char) lead;
            octets[1] = (unsigned char) trail;

            if (iri_charset_next(tree->charsets.at[0], octets, octets + 2, &c)
                    == 2
                && c < 0x10000)
            {
                masks[c] |= bit;
            }
        }
    }
}


iri_detector_t *
iri_detector_create(iri_registry_t *registry)
{
    iri_detector_t *detector = calloc(1, sizeof(*detector));
    iri_str_t       label;
    size_t          i;

    if (detector == NULL) {
        return NULL;
    }

    for (i = 0; i < IRI_DETECT_LANGUAGES; i++) {
        if (iri_detector_add_language(detector, i) != 0) {
            free(detector);
            return NULL;
        }
    }

    for (i = 0; i < IRI_DETECTABLE; i++) {
        label.data = (const unsigned char *) iri_detect_rows[i].charset;
        label.len = strlen(iri_detect_rows[i].charset);
        detector->languages[i] = iri_detect_bits(
            iri_detect_rows[i].languages);

        if (iri_parse_charsets(registry, &label, 1, 0,
                               &detector->tree[i].charsets)
            != NULL)
        {
            detector->tree[i].charsets.count = 0;
        }
    }

    for (i = 0; i < IRI_DETECT_LEVELS; i++) {
        iri_detector_add_level(detector, i);
    }

    return detector;
}


void
iri_detector_destroy(iri_detector_t *detector)
{
    free(detector);
}


const iri_charset_t *
iri_detector_charset(const iri_detector_t *detector, size_t i)
{
    return i < IRI_DETECTABLE && detector->tree[i].charsets.count != 0
               ? detector->tree[i].charsets.at[0]
               : NULL;
}


/* ---- the score of a name ------------------------------------------------- */

/* The score of a character that no language of the charset has. */
static int
iri_score_other(uint32_t c)
{
    if ((c >= 0xFF01 && c <= 0xFF5E) || c == 0x3000) {
        return IRI_SCORE_WIDE;
    }

    if (u_hasBinaryProperty((UChar32) c, UCHAR_IDEOGRAPHIC)) {
        return IRI_SCORE_RARE;
    }

    return (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_ND_MASK))
                   != 0
               ? IRI_SCORE_OTHER
               : IRI_SCORE_SYMBOL;
}


/* The score of a letter of a language. */
static int
iri_score_letter(size_t language, uint32_t c)
{
    const char   *letters = iri_detect_languages[language].letters, *at;
    unsigned char utf8[5] = { 0 };
    size_t        len = strlen(letters);

    if (len == 0) {
        return c >= 0xAC00 && c <= 0xD7A3 ? IRI_SCORE_HANGUL
               : c >= 0x3000              ? IRI_SCORE_IDEOGRAPH
                                          : IRI_SCORE_LETTER;
    }

    (void) iri_utf8_put(c, utf8);
    at = strstr(letters, (const char *) utf8);
    if (at == NULL) {
        return IRI_SCORE_LEAST;
    }

    return IRI_SCORE_MOST
           - (int) ((size_t) (at - letters)
                    * (IRI_SCORE_MOST - IRI_SCORE_LEAST) / len);
}


/* Indic_Syllabic_Category */
static int
iri_char_is_syllabic(uint32_t c, UIndicSyllabicCategory category)
{
    return u_getIntPropertyValue((UChar32) c, UCHAR_INDIC_SYLLABIC_CATEGORY)
           == (int) category;
}


/* The script of a letter.  Kana and bopomofo count as Han, with which they are
   mixed. */
static UScriptCode
iri_detect_script(uint32_t c)
{
    UErrorCode  error = U_ZERO_ERROR;
    UScriptCode script = uscript_getScript((UChar32) c, &error);

    return script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA
                   || script == USCRIPT_BOPOMOFO
               ? USCRIPT_HAN
               : script;
}


/* 1 if a letter is written at the end of words only: Greek, Hebrew. */
static int
iri_is_final(uint32_t c)
{
    return c == 0x03C2 || c == 0x05DA || c == 0x05DD || c == 0x05DF
           || c == 0x05E3 || c == 0x05E5;
}


/* The score of c after another character. */
static int
iri_score_pair(uint32_t before, uint32_t c)
{
    UScriptCode script, of_before;

    if (before < 0x80 && c < 0x80) {
        return 0;
    }

    /* A Thai vowel that is written before its consonant. */
    if (u_hasBinaryProperty((UChar32) before, UCHAR_LOGICAL_ORDER_EXCEPTION))
    {
        return iri_char_is_syllabic(c, U_INSC_CONSONANT) ? 0
                                                         : IRI_SCORE_BREAK;
    }

    if (U_GET_GC_MASK(c) & U_GC_MN_MASK) {
        return (U_GET_GC_MASK(before) & (U_GC_L_MASK | U_GC_MN_MASK)) != 0
                       && (!iri_char_is_syllabic(c, U_INSC_VOWEL_DEPENDENT)
                           || iri_char_is_syllabic(before, U_INSC_CONSONANT))
                   ? 0
                   : IRI_SCORE_BREAK;
    }

    if (!u_isalpha((UChar32) before) || !u_isalpha((UChar32) c)) {
        return 0;
    }

    if (iri_is_final(before)) {
        return IRI_SCORE_BREAK;
    }

    if (u_isupper((UChar32) c)) {
        return u_islower((UChar32) before) ? IRI_SCORE_BREAK
                                           : IRI_SCORE_CAPITAL;
    }

    script = iri_detect_script(c);
    of_before = iri_detect_script(before);

    return script != of_before && script > USCRIPT_INHERITED
                   && of_before > USCRIPT_INHERITED
               ? IRI_SCORE_BREAK
               : 0;
}


/* Add the score of a name, weighted by its octets above 7F. */
static void
iri_score_name(iri_scorer_t *scorer, iri_str_t name, size_t weight)
{
    const iri_detector_t *detector = scorer->detector;
    const unsigned char  *p = name.data, *end = p + name.len;
    int64_t               base = 0, by_language[IRI_DETECT_LANGUAGES] = { 0 };
    int64_t               count = 0, times = (int64_t) weight;
    uint64_t              alphabet, auxiliary;
    uint32_t              c, lower, before = ' ';
    size_t                i;
    int                   other;

    for (/* void */; p < end; before = c) {
        p += iri_utf8_next(p, end, &c);

        base += iri_score_pair(before, c);
        if (c < 0x80) {
            continue;
        }

        count++;
        other = iri_score_other(c);
        base += other;
        lower = (uint32_t) u_tolower((UChar32) c);
        if (lower >= 0x10000) {
            continue;
        }

        alphabet = detector->alphabet[lower] & scorer->languages;
        auxiliary = detector->auxiliary[lower] & scorer->languages;

        for (i = 0; (alphabet | auxiliary) >> i != 0; i++) {
            if (alphabet >> i & 1) {
                by_language[i] += iri_score_letter(i, lower) - other;
            } else if (auxiliary >> i & 1) {
                by_language[i] += IRI_SCORE_AUXILIARY - other;
            }
        }
    }

    if (count == 0) {
        return;
    }

    scorer->base += base * times / count;

    for (i = 0; i < IRI_DETECT_LANGUAGES; i++) {
        scorer->by_language[i] += by_language[i] * times / count;
    }
}


/* ---- the score of a charset ---------------------------------------------- */

size_t
iri_count_high(iri_str_t octets)
{
    size_t i, high = 0;

    for (i = 0; i < octets.len; i++) {
        high += octets.data[i] >= 0x80;
    }

    return high;
}


static iri_status_t
iri_detect_names(const iri_env_t *env, const iri_tree_conf_t *tree,
                 const iri_sample_t *sample, iri_scorer_t *scorer,
                 iri_detected_t *out)
{
    static const uint64_t key[2];
    iri_buf_t             buf = IRI_BUF_EMPTY;
    iri_str_t             name;
    iri_status_t          status;
    size_t                i, weight, index;

    for (i = 0; i < sample->count; i++) {
        weight = iri_count_high(sample->names[i]);
        weight = weight < IRI_DETECT_WEIGHT ? weight : IRI_DETECT_WEIGHT;
        status = iri_entry_read(env, tree, sample->names[i], &buf, &index);
        if (status != IRI_OK) {
            return status;
        }

        name = iri_buf_str(&buf);
        if (name.len == 0) {
            scorer->base += IRI_SCORE_SYMBOL * (int64_t) weight;
            continue;
        }

        out->count++;
        out->text = (out->text + iri_keyed_hash(key, name)) * 1099511628211u;
        iri_score_name(scorer, name, weight);

        out->known += (size_t) (sample->is_known != NULL
                                && sample->is_known(sample->arg, name));
    }

    return IRI_OK;
}


iri_status_t
iri_detect(const iri_env_t *env, const iri_detector_t *detector,
           const iri_sample_t *sample, iri_detected_t *out)
{
    iri_scorer_t scorer;
    iri_status_t status;
    size_t       i, k, high = 0;
    int64_t      best;

    for (i = 0; i < sample->count; i++) {
        high += iri_count_high(sample->names[i]);
    }

    memset(out, 0, sizeof(*out) * IRI_DETECTABLE);

    for (i = 0; i < IRI_DETECTABLE; i++) {
        if (detector->tree[i].charsets.count == 0) {
            out[i].score = IRI_SCORE_SYMBOL * (int64_t) high;
            continue;
        }

        memset(&scorer, 0, sizeof(scorer));
        scorer.detector = detector;
        scorer.languages = detector->languages[i];
        status = iri_detect_names(env, &detector->tree[i], sample, &scorer,
                                  &out[i]);
        if (status != IRI_OK) {
            return status;
        }

        for (k = 0, best = INT64_MIN; k < IRI_DETECT_LANGUAGES; k++) {
            if (scorer.languages >> k & 1 && scorer.by_language[k] > best) {
                best = scorer.by_language[k];
            }
        }

        out[i].score = scorer.base + best
                       - iri_detect_rows[i].seldom * IRI_SCORE_SELDOM
                             * (int64_t) high;
    }

    return IRI_OK;
}


size_t
iri_detected_best(const iri_detected_t *detected)
{
    size_t i, best = 0;

    for (i = 1; i < IRI_DETECTABLE; i++) {
        if (detected[i].score > detected[best].score) {
            best = i;
        }
    }

    return best;
}
