/*
 * iri_conf.h - configuration: charsets, values of directives, functions and rules
 */

#ifndef IRI_CONF_H
#define IRI_CONF_H

#include "iri_host.h"

#pragma GCC visibility push(hidden)


/* ---- charsets -------------------------------------------------------------- */

/*
 * A charset that was read through once, sequence by sequence, and found
 * fit for paths: ASCII is ASCII, no sequence that starts with a high octet
 * gives an ASCII character, no state, no "/", ".", "%" or NUL inside a
 * sequence.  What was seen is kept as tables, so that reading needs no
 * converter and no lock.
 */
typedef struct iri_charset_s iri_charset_t;

typedef struct {
    size_t               count;                  /* 0: none */
    const iri_charset_t *at[IRI_MAX_CHARSETS];   /* in the order given */
} iri_charsets_t;

/* The charsets of one configuration; each is opened once. */
typedef struct iri_registry_s iri_registry_t;

/*
 * Make an empty registry in env's arena, which must outlive all that is
 * opened in it (a configuration pool).  env is copied.  NULL: no memory, or
 * ICU's data is missing.
 */
iri_registry_t *iri_registry_create(const iri_env_t *env);

/* The name as the Encoding Standard writes it: "Shift_JIS"; "UTF-8". */
iri_str_t iri_charset_name(const iri_charset_t *charset);

/* A charset for an output of a reading that used more than one: "mixed". */
extern const iri_str_t iri_charset_mixed;


/* ---- values of directives: one parser for both servers --------------------- */

typedef enum { IRI_ENGINE_OFF, IRI_ENGINE_ON, IRI_ENGINE_REPORT } iri_engine_t;
typedef enum {
    IRI_INVALID_404,
    IRI_INVALID_400,
    IRI_INVALID_PASS
} iri_invalid_t;
typedef enum { IRI_FILENAME_ANY, IRI_FILENAME_NFC, IRI_FILENAME_NFD } iri_filename_form_t;

typedef enum { IRI_AMBIGUOUS_404, IRI_AMBIGUOUS_300 } iri_ambiguous_t;

/* Bits of iri_tree_conf_t.match */
#define IRI_FOLD_NORMALIZATION 0x01u
#define IRI_FOLD_VARIANTS      0x02u
#define IRI_FOLD_WIDTH         0x04u
#define IRI_FOLD_CASE          0x08u
#define IRI_FOLD_ACCENTS       0x10u
#define IRI_FOLD_SPELLING      0x20u
#define IRI_FOLD_EXACT_ONLY    0x80u   /* "exact" was said */
#define IRI_FOLD_TURKIC       0x100u   /* with CASE: i is not I's */
#define IRI_FOLD_GERMAN       0x200u   /* with ACCENTS: "ae" for a-umlaut */
#define IRI_FOLD_ESCAPES      0x400u   /* iri_tree_conf_finish: repair has
                                             something of ESCAPES */

/* What needs an index: names are compared, not written. */
#define IRI_FOLD_INDEXED                                                    \
    (IRI_FOLD_WIDTH | IRI_FOLD_CASE | IRI_FOLD_ACCENTS               \
     | IRI_FOLD_SPELLING)

/* Bits of iri_tree_conf_t.repair */
#define IRI_REPAIR_DOUBLE   0x1u   /* double-encoding */
#define IRI_REPAIR_MOJIBAKE 0x2u
#define IRI_REPAIR_U        0x4u   /* %u */
#define IRI_REPAIR_ESCAPES  (IRI_REPAIR_DOUBLE | IRI_REPAIR_U)   /* in paths
                                   that hold a "%" when they are unescaped */

/* What governs reading: of a server, for no location is chosen yet. */
typedef struct {
    iri_charsets_t charsets;   /* iri_charset: beside UTF-8, in order */
    iri_invalid_t  invalid;    /* iri_invalid */
    unsigned       repair;     /* what any place of the server repairs:
                                  IRI_REPAIR_... */
} iri_reading_conf_t;

/* What governs looking: of a place (location, <Directory>). */
typedef struct {
    iri_charsets_t  charsets;  /* iri_filename_charset; count 0: UTF-8 */
    iri_filename_form_t     names;     /* iri_filename_form */
    unsigned        match;     /* iri_match: IRI_FOLD_... */
    iri_ambiguous_t ambiguous; /* iri_ambiguous */
    unsigned        repair;    /* iri_repair: IRI_REPAIR_...; 0: off */
} iri_tree_conf_t;

/*
 * Parse the words of one directive.  words: as the server split them, count
 * of them at least 1; letter case does not matter.  Return NULL and fill
 * *out, or return a NUL-terminated sentence, in the registry's arena or
 * static, that says what is wrong and what would be right, fit to follow the
 * directive's name.
 *
 * iri_parse_charsets: labels of the Encoding Standard and a few more that
 * users mean by them ("cp949"); "none" alone gives an empty list where
 * none_allowed is 1; UTF-8 is left out then, since it is always read, and
 * kept otherwise.  {"sjis", "euc-jp"} -> {Shift_JIS, EUC-JP};
 * {"ISO-2022-JP"} -> "\"ISO-2022-JP\" switches states ...".
 */
const char *iri_parse_engine(iri_str_t word, iri_engine_t *out);
const char *iri_parse_charsets(iri_registry_t *registry,
                               const iri_str_t *words, size_t count,
                               int none_allowed, iri_charsets_t *out);
const char *iri_parse_invalid(iri_str_t word, iri_invalid_t *out);
const char *iri_parse_filename_form(iri_str_t word, iri_filename_form_t *out);
const char *iri_parse_match(const iri_str_t *words, size_t count,
                            unsigned *out);

/* The first of these words that iri_match knows not; count: it knows all. */
size_t iri_match_unknown_word(const iri_str_t *words, size_t count);

/*
 * iri_ambiguous: "404" or "300"; iri_repair: "off", or words of those that it
 * puts right, for iri_tree_conf_t.repair.  As the other iri_parse_...
 */
const char *iri_parse_ambiguous(iri_str_t word, iri_ambiguous_t *out);
const char *iri_parse_repair(const iri_str_t *words, size_t count,
                             unsigned *out);

/* As iri_match_unknown_word(), of iri_repair. */
size_t iri_repair_unknown_word(const iri_str_t *words, size_t count);

/*
 * iri_redirect: a status, "301"; 0 for "off"; IRI_REDIRECT_LINK for "link".
 * As the other iri_parse_...
 */
const char *iri_parse_redirect(iri_str_t word, int *out);
#define IRI_REDIRECT_LINK 1   /* no redirect, but iri_canonical_link */

/*
 * A warning of the order of a list: a charset reads most of what is written in
 * a later one, which then is hardly reached, and not so in the other order.
 * NULL, or a sentence in the registry's arena that can follow the name of the
 * directive: {Shift_JIS, EUC-JP} -> "has "Shift_JIS" before "EUC-JP", but ..."
 */
const char *iri_charsets_shadow(const iri_registry_t *registry,
                              const iri_charsets_t *list);

/* Sort charsets, none of them UTF-8, so that iri_charsets_shadow is NULL. */
void iri_charsets_sort(iri_charsets_t *list);

/*
 * iri_cache: "off" or a size, "16m", "512k", "1g", octets; then, where
 * threads is not NULL, perhaps "threads=NAME".  *size: 0 is "off".  *threads
 * points into words; empty: none was named.
 */
const char *iri_parse_cache(const iri_str_t *words, size_t count,
                            size_t *size, iri_str_t *threads);

/*
 * A list that is known only when a request comes (a variable of the server).
 * _open_all: open every charset that a list may name, so that none has to be
 * opened then; one that this machine's ICU does not have is left out.  NULL,
 * or a sentence as above.  _charsets_of: the list that value says, labels
 * divided by blanks or commas; empty, or "none" alone: no charset.  UTF-8, and
 * a charset that is named again, are passed over.  NULL and *out filled in; or
 * what is wrong with *word of it, static, fit to follow it.  Asks for no
 * memory; any number of threads may call it.
 * "euc-jp, sjis" -> {EUC-JP, Shift_JIS}; "klingon" -> "is no charset ..."
 */
const char *iri_registry_open_all(iri_registry_t *registry);
const char *iri_charsets_parse(const iri_registry_t *registry, iri_str_t value,
                            iri_charsets_t *out, iri_str_t *word);

/*
 * After merging: fill in what follows from other settings.  An empty charset
 * list becomes UTF-8; the variants are forgiven where a Japanese charset is
 * in either list and "exact" was not said; IRI_FOLD_ESCAPES.  reading NULL:
 * each request has a list of its own, in which one may be.
 */
void iri_tree_conf_finish(const iri_reading_conf_t *reading,
                          iri_tree_conf_t *tree);


/* ---- functions for rules and variables ------------------------------------- */

/*
 * What rules can do with a text, by name:
 *
 *   to_uri        an IRI as a URI (draft 3.1): what a URI may not hold is
 *                 percent-encoded, "%" too where it is no escape
 *   to_iri        a URI as an IRI (draft 3.2): escapes of what an IRI may
 *                 hold become characters, what it may not hold is escaped
 *   nfc           Unicode normalization form C, as of paths
 *   fold          the key by which iri_match "width case" compares names
 *   utf8          octets in UTF-8, or in the first of the charsets of
 *                 iri_charset that reads all of them
 *   host_ascii    a host in A-labels, without a port
 *   host_unicode  the same in U-labels
 *
 * A text is at most IRI_MAX_TEXT octets, and UTF-8 but for utf8 and to_iri.
 */
typedef struct iri_function_s iri_function_t;

/* Letter case counts; NULL: there is none of that name. */
const iri_function_t *iri_function_find(iri_str_t name);

#define IRI_FUNCTIONS 7    /* how many there are */

/* The i-th, and its name, NUL-terminated; NULL: there are no more. */
const iri_function_t *iri_function_at(size_t i);
const char *iri_function_name(size_t i);

/* As the other iri_parse_... */
const char *iri_parse_function(iri_str_t word, const iri_function_t **out);

typedef struct {
    const iri_charsets_t  *charsets;  /* of iri_charset; NULL: none */
    const iri_host_conf_t *host;      /* NULL: host_... have no value */
} iri_function_conf_t;

typedef struct {
    iri_str_t   value;    /* empty where there is none */
    const char *why;      /* there is none: a phrase; NULL: there is */
    size_t      offset;   /* of why: of the octet that it is about; else 0 */
} iri_converted_t;

/*
 * Convert a text.  Any octets are taken.  A text that has no such form has no
 * value, and gets one line of log at IRI_LOG_INFO; so does what could not be
 * done, with the status for it.  to_uri and host_ascii give ASCII without
 * controls and blanks, to_iri and host_unicode UTF-8 without them; of the
 * others ASCII comes out as it went in, but that fold may make ASCII, "/" too,
 * of wide forms.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * to_uri "/caf\xC3\xA9 100%" -> "/caf%C3%A9%20100%25"
 * to_iri "/caf%C3%A9%20%FF%41" -> "/caf\xC3\xA9%20%FFA"
 */
iri_status_t iri_convert(const iri_env_t           *env,
                         const iri_function_conf_t *conf,
                         const iri_function_t *function, iri_str_t text,
                         iri_converted_t *out);


/* ---- checking rules of a configuration ------------------------------------- */

/* What a rule compares with a path. */
typedef enum {
    IRI_RULE_TEXT,    /* the path, or how it begins */
    IRI_RULE_REGEX    /* a regular expression as it was written */
} iri_rule_t;

/*
 * Rules see canonical paths, which are UTF-8 in NFC and not percent-encoded:
 * is there text in a rule that can be in none?  Escapes of ASCII are let be.
 * What is in brackets in a regular expression is not looked at, and octets
 * that are no UTF-8 may match where conf says IRI_INVALID_PASS.  *says: empty,
 * or what is wrong and what would be right, fit to follow the name of the
 * directive and a colon, ASCII without controls: octets of text are shown
 * percent-encoded.  Any octets are taken.
 * IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "/caf\xE9" -> "\"/caf%E9\" is not UTF-8, ...: write \"/caf%C3%A9\" ..."
 */
iri_status_t iri_rule_check(const iri_env_t          *env,
                            const iri_reading_conf_t *conf, iri_rule_t rule,
                            iri_str_t text, iri_str_t *says);


#pragma GCC visibility pop

#endif /* IRI_CONF_H */
