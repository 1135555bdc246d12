/*
 * iri_enum_text.c - texts and codes of statuses, forms, matches, verdicts,
 * reasons
 *
 * One table for each enum, in the order of its values.  A test compares both.
 */

#include "base/iri_string.h"


const iri_str_t iri_charset_mixed = IRI_STR("mixed");


static const char *const iri_status_texts[IRI_STATUSES] = {
    "ok",
    "out of memory",
    "path too long",
    "IRI too long",
    "too many segments",
    "segment too long",
    "\"%\" without two hexadecimal digits",
    "ICU failed",
    "the file system failed",
    "the directory may not be listed"
};

static const char *const iri_form_texts[IRI_FORMS] = {
    "ascii",     "native",          "escaped",  "mixed",
    "legacy",    "double-encoding", "mojibake", "%u",
    "invisible", "trailing",        "plus",     "invalid"
};

static const char *const iri_match_texts[IRI_MATCHES] = {
    "none",        "exact", "normalization", "charset",  "variants", "width",
    "punctuation", "case",  "accents",       "spelling", "repair"
};

static const char *const iri_verdict_texts[IRI_VERDICTS] = {
    "pass", "serve", "moved", "choose", "refuse"
};

static const char *const iri_why_texts[IRI_WHYS] = {
    "",
    "an ASCII path is canonical",
    "sent in the canonical form",
    "sent in another form",
    "the tree is declared UTF-8 in NFC, so no lookup is needed",
    "an entry has the requested name",
    "found by an alternative reading",
    "found with a charset for each segment",
    "found by repairing an encoding error",
    "found by a variant of a character",
    "found where width, punctuation, case or accents differ",
    "found by correcting a single typo",
    "several names match equally well",
    "no entry has that name; the directory above has another name",
    "no entry has that name",
    "no charset of the tree can encode that name",
    "an existing entry conflicts with that name",
    "entries would have other names at the destination",
    "octets that no charset of the tree decodes, used as they are",
    "these octets are the name of another entry",
    "contains a NUL or a dot-segment",
    "no charset decodes the path",
    "contains a raw bidi formatting character",
    "exceeds a limit of length or of segments",
    "the budget of lookups is exhausted",
    "memory, ICU or the file system failed"
};

/* Explained in doc/reasons.md. */
static const char *const iri_why_codes[IRI_WHYS] = {
    "none",       "ascii",      "canonical",  "read",     "declared",
    "found",      "further",    "mixed",      "repaired", "variant",
    "folded",     "spelling",   "ambiguous",  "below",    "absent",
    "unwritable", "twin",       "other-tree", "unnamed",  "other-name",
    "forbidden",  "unreadable", "bidi",       "limit",    "budget",
    "error"
};


const char *
iri_enum_word(const char *const *table, int count, int value)
{
    return value >= 0 && value < count ? table[value] : "unknown";
}


const char *
iri_status_text(iri_status_t status)
{
    return iri_enum_word(iri_status_texts, IRI_STATUSES, (int) status);
}


const char *
iri_form_text(iri_form_t form)
{
    return iri_enum_word(iri_form_texts, IRI_FORMS, (int) form);
}


const char *
iri_match_text(iri_match_t match)
{
    return iri_enum_word(iri_match_texts, IRI_MATCHES, (int) match);
}


const char *
iri_verdict_text(iri_verdict_t verdict)
{
    return iri_enum_word(iri_verdict_texts, IRI_VERDICTS, (int) verdict);
}


const char *
iri_why_text(iri_why_t why)
{
    return iri_enum_word(iri_why_texts, IRI_WHYS, (int) why);
}


const char *
iri_why_code(iri_why_t why)
{
    return iri_enum_word(iri_why_codes, IRI_WHYS, (int) why);
}


const char *
iri_stage_text(iri_stage_t stage)
{
    static const char *const texts[IRI_STAGES] = {
        "Reading ", "Lookup below ", "Restart as ", "Reading the query "
    };

    return iri_enum_word(texts, IRI_STAGES, (int) stage);
}
