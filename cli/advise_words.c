/*
 * advise_words.c - words of iri_match and iri_repair that can answer more
 * requests of a log
 */

#include "advise.h"

const advise_word_t advise_words[ADVISE_WORDS] = {
    { "variants", IRI_FOLD_VARIANTS, IRI_MATCH_VARIANTS, 0, IRI_FORM_ASCII, 0,
      "with a JIS variant" },
    { "variants:arabic", IRI_FOLD_ARABIC, IRI_MATCH_VARIANTS, 0,
      IRI_FORM_ASCII, 0, "with another yeh or kaf" },
    { "variants:romanian", IRI_FOLD_ROMANIAN, IRI_MATCH_VARIANTS, 0,
      IRI_FORM_ASCII, 0, "with a cedilla or comma below" },
    { "variants:joiners", IRI_FOLD_JOINERS, IRI_MATCH_VARIANTS, 0,
      IRI_FORM_ASCII, 0, "with or without joiners" },
    { "width", IRI_FOLD_WIDTH, IRI_MATCH_WIDTH, 0, IRI_FORM_ASCII, 0,
      "in another width" },
    { "punctuation", IRI_FOLD_PUNCTUATION, IRI_MATCH_PUNCTUATION, 0,
      IRI_FORM_ASCII, 0, "with another space, dash or quote" },
    { "case", IRI_FOLD_CASE, IRI_MATCH_CASE, 0, IRI_FORM_ASCII, 0,
      "in another case" },
    { "double-encoding", 0, IRI_MATCH_NONE, IRI_REPAIR_DOUBLE,
      IRI_FORM_DOUBLE, 0, "encoded twice" },
    { "mojibake", 0, IRI_MATCH_NONE, IRI_REPAIR_MOJIBAKE, IRI_FORM_MOJIBAKE,
      0, "decoded as windows-1252" },
    { "%u", 0, IRI_MATCH_NONE, IRI_REPAIR_U, IRI_FORM_U, 0, "with %uXXXX" },
    { "invisible", 0, IRI_MATCH_NONE, IRI_REPAIR_INVISIBLE,
      IRI_FORM_INVISIBLE, 0, "with invisible characters" },
    { "trailing", 0, IRI_MATCH_NONE, IRI_REPAIR_TRAILING, IRI_FORM_TRAILING,
      0, "with punctuation at the end" },
    { "plus", 0, IRI_MATCH_NONE, IRI_REPAIR_PLUS, IRI_FORM_PLUS, 0,
      "with + for a space" },
    { "accents", IRI_FOLD_ACCENTS, IRI_MATCH_ACCENTS, 0, IRI_FORM_ASCII, 1,
      "other accents, which may be another file" },
    { "accents:latin", IRI_FOLD_ACCENTS | IRI_FOLD_LATIN, IRI_MATCH_ACCENTS,
      0, IRI_FORM_ASCII, 1,
      "other accents or strokes, which may be another file" },
    { "spelling", IRI_FOLD_SPELLING, IRI_MATCH_SPELLING, 0, IRI_FORM_ASCII, 1,
      "one typo, or another file" },
};


void
advise_word_use(cli_settings_t *settings, const advise_word_t *word)
{
    if (word->match != 0) {
        settings->tree.match &= ~IRI_FOLD_EXACT_ONLY;
        settings->tree.match |= IRI_FOLD_NORMALIZATION | word->match;
    }
    settings->tree.repair |= word->repair;
    settings->reading.repair = settings->tree.repair;
    iri_tree_conf_finish(&settings->reading, &settings->tree);
}
