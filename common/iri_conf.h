/*
 * iri_conf.h - configuration: charsets, values of directives, functions, rules
 *
 * Turns the words of directives into settings (design 6), converts texts for
 * the functions of rules, and warns of what has no effect.  Both servers and
 * the command use these parsers.  The settings of hosts are in iri_host.h.
 */

#ifndef IRI_CONF_H
#define IRI_CONF_H

#include "iri_host.h"

#pragma GCC visibility push(hidden)


/* ---- charsets ------------------------------------------------------------ */

/*
 * A charset that is safe for paths.  When it was opened, each of its sequences
 * was decoded and stored in tables, so that reading needs no converter and no
 * lock.  Checked: ASCII octets are ASCII characters; no sequence that begins
 * with an octet above 7F gives an ASCII character; there is no state; no
 * sequence contains "/", ".", "%" or NUL.
 */
typedef struct iri_charset_s iri_charset_t;

/* A list of charsets. */
typedef struct {
    size_t               count;                  /* 0: no charset */
    const iri_charset_t *at[IRI_MAX_CHARSETS];   /* in order of priority */
} iri_charsets_t;

/* The charsets of a configuration, each opened once. */
typedef struct iri_registry_s iri_registry_t;

/*
 * Create an empty registry.
 * env: copied; its arena must outlive the registry and all its charsets (a
 * configuration pool).
 * Returns: the registry; NULL: no memory, or the data of ICU is missing.
 */
iri_registry_t *iri_registry_create(const iri_env_t *env);

/*
 * The name of a charset in the Encoding Standard, static, followed by a NUL:
 * "Shift_JIS", "UTF-8".
 */
iri_str_t iri_charset_name(const iri_charset_t *charset);


/* ---- settings ------------------------------------------------------------ */

/* iri */
typedef enum {
    IRI_ENGINE_OFF,     /* the server works as without the module */
    IRI_ENGINE_ON,
    IRI_ENGINE_REPORT   /* do all the work, change nothing */
} iri_engine_t;

/* iri_invalid: the answer for a path without a reading */
typedef enum {
    IRI_INVALID_404,   /* this HTTP status */
    IRI_INVALID_400,   /* this HTTP status */
    IRI_INVALID_PASS   /* continue with the octets as sent */
} iri_invalid_t;

/* iri_filename_form: the normalization form of names on disk */
typedef enum {
    IRI_FILENAME_ANY,   /* any; new names are NFC */
    IRI_FILENAME_NFC,   /* NFC, also of new names */
    IRI_FILENAME_NFD    /* NFD, also of new names */
} iri_filename_form_t;

/* iri_ambiguous: the answer if several entries match equally well */
typedef enum {
    IRI_AMBIGUOUS_404,  /* this HTTP status */
    IRI_AMBIGUOUS_300   /* a list of choices */
} iri_ambiguous_t;

/* Bits of iri_tree_conf_t.repair: the errors that are repaired, in the order in
   which they are tried */
#define IRI_REPAIR_DOUBLE    0x01u   /* double-encoding */
#define IRI_REPAIR_MOJIBAKE  0x02u   /* mojibake */
#define IRI_REPAIR_U         0x04u   /* %u */
#define IRI_REPAIR_INVISIBLE 0x08u   /* invisible */
#define IRI_REPAIR_TRAILING  0x10u   /* trailing */
#define IRI_REPAIR_PLUS      0x20u   /* plus */
#define IRI_REPAIR_ESCAPES   (IRI_REPAIR_DOUBLE | IRI_REPAIR_U)   /* errors
                                        that leave a "%" in the decoded path */

/*
 * How paths are read.  It belongs to a server, because a path is read before
 * its location or directory is known.
 */
typedef struct {
    iri_charsets_t charsets;   /* iri_charset: besides UTF-8 */
    iri_invalid_t  invalid;    /* iri_invalid */
    unsigned       repair;     /* union of iri_tree_conf_t.repair of all
                                  locations or directories of the server */
} iri_reading_conf_t;

/* How entries are found: settings of a location or <Directory>. */
typedef struct {
    iri_charsets_t      charsets;   /* iri_filename_charset; count 0: UTF-8 */
    iri_filename_form_t names;      /* iri_filename_form */
    unsigned            match;      /* iri_match: IRI_FOLD_... */
    iri_ambiguous_t     ambiguous;  /* iri_ambiguous */
    unsigned            repair;     /* iri_repair: IRI_REPAIR_...; 0: off */
} iri_tree_conf_t;


/* ---- values of directives ------------------------------------------------ */

/* The words that a directive takes, with their values and error messages. */
typedef struct iri_words_s iri_words_t;

extern const iri_words_t iri_engine_words;          /* iri_engine_t */
extern const iri_words_t iri_invalid_words;         /* iri_invalid_t */
extern const iri_words_t iri_host_mode_words;       /* iri_host_mode_t */
extern const iri_words_t iri_filename_form_words;   /* iri_filename_form_t */
extern const iri_words_t iri_ambiguous_words;       /* iri_ambiguous_t */
extern const iri_words_t iri_redirect_words;        /* a status such as 301;
                                                       0: "off"; or */
#define IRI_REDIRECT_LINK 1                         /* "link": no redirect, but
                                                       a Link field */
extern const iri_words_t iri_match_words;           /* IRI_FOLD_... */
extern const iri_words_t iri_repair_words;          /* IRI_REPAIR_...; 0:
                                                       "off" */

/*
 * Parse the value of one directive.
 *
 *   words         the words that the directive takes
 *   word, given   the words of the value, as the server split them; letter
 *   label         case does not matter
 *   count         number of words, at least 1
 *   registry      opens the charsets; owns the error message
 *   out           written only on success
 *   unknown       always written: the index of the first word that is not in
 *                 words; count: there is none
 *
 * Returns: NULL on success; else a NUL-terminated error message that can follow
 * the name of the directive, static or in the registry's arena.
 *
 * iri_parse_word: one word.  iri_parse_words: any of iri_match_words or
 * iri_repair_words; *out is the union of their values.
 *
 * iri_parse_charsets: labels of the Encoding Standard and some other common
 * names ("cp949").  With none_allowed, "none" alone gives an empty list, and
 * UTF-8 is left out because it is always read; otherwise UTF-8 is kept, and the
 * first word may be "percent" (names on disk).
 *
 * iri_parse_charset: one such label, not "none" or "percent".
 *
 * {"sjis", "euc-jp"} -> {Shift_JIS, EUC-JP}
 * {"ISO-2022-JP"} -> "\"ISO-2022-JP\" switches states ..."
 */
const char *iri_parse_word(const iri_words_t *words, iri_str_t word,
                           unsigned *out);
const char *iri_parse_words(const iri_words_t *words, const iri_str_t *given,
                            size_t count, unsigned *out, size_t *unknown);
const char *iri_parse_charset(iri_registry_t *registry, iri_str_t label,
                              const iri_charset_t **out);
const char *iri_parse_charsets(iri_registry_t *registry,
                               const iri_str_t *given, size_t count,
                               int none_allowed, iri_charsets_t *out);

/*
 * Parse the value of iri_cache: "off", or a size in octets, as "16m", "512k" or
 * "1g", from IRI_MIN_CACHE to IRI_MAX_CACHE.
 *
 *   count     number of words, at least 1
 *   size      octets; 0: "off"
 *   threads   NAME of "threads=NAME", which may follow a size; empty: absent.
 *             NULL: it may not follow
 *
 * Returns: as iri_parse_word().
 */
const char *iri_parse_cache(const iri_str_t *words, size_t count,
                            size_t *size, iri_str_t *threads);

/*
 * Sort a list so that no charset decodes most texts of a later one, if the
 * reverse order would have no such effect.
 * list: without UTF-8.
 * {windows-1252, Shift_JIS} -> {Shift_JIS, windows-1252}
 */
void iri_charsets_sort(iri_charsets_t *list);

/*
 * Open every charset that a list may name, for lists that are known only when a
 * request is processed (a variable of the server).  A charset that this ICU
 * lacks is left out.
 * Returns: NULL; a static error message if none can be opened.
 */
const char *iri_registry_open_all(iri_registry_t *registry);

/*
 * Parse such a list.  It allocates no memory.  Any number of threads may call
 * it.
 *
 *   registry   after iri_registry_open_all()
 *   value      labels separated by blanks or commas; empty or "none": an empty
 *              list.  UTF-8 and repeated charsets are skipped
 *   word       written on an error: the wrong word, a part of value
 *
 * Returns: NULL on success; else a static error message that can follow *word.
 * "euc-jp, sjis" -> {EUC-JP, Shift_JIS}; "klingon" -> "is not a known charset"
 */
const char *iri_charsets_parse(const iri_registry_t *registry, iri_str_t value,
                               iri_charsets_t *out, iri_str_t *word);

/* How queries are read. */
typedef struct {
    iri_charsets_t charsets;   /* for parameters that are not UTF-8, in order
                                  of priority */
    int            nfc;        /* 1: put parameters in NFC */
} iri_query_conf_t;

/*
 * Parse the value of iri_query_charset: charsets as in iri_parse_charsets(), or
 * "none"; then, optionally, "nfc".  "nfc" may also stand alone.
 * Returns: as iri_parse_charsets().
 * {"sjis", "nfc"} -> {Shift_JIS}, nfc 1
 */
const char *iri_parse_query(iri_registry_t *registry, const iri_str_t *words,
                            size_t count, iri_query_conf_t *out);

/*
 * After merging, derive settings from others: an empty charset list becomes
 * UTF-8; IRI_FOLD_VARIANTS is set if either list has a Japanese charset and
 * IRI_FOLD_EXACT_ONLY is not set; the bits of IRI_FOLD_SOME_ASCII are set from
 * repair and the first charset.
 * reading: NULL if each request has its own list, which may have a Japanese
 * charset.
 */
void iri_tree_conf_finish(const iri_reading_conf_t *reading,
                          iri_tree_conf_t *tree);


/* ---- functions for rules and variables ----------------------------------- */

/*
 * A function that converts a text:
 *
 *   to_uri        an IRI to a URI (draft 3.1); characters that a URI must not
 *                 contain are percent-encoded, and so is a "%" that does not
 *                 begin an escape
 *   to_iri        a URI to an IRI (draft 3.2); escapes of characters that an
 *                 IRI may contain are decoded, other characters are escaped
 *   nfc           to Unicode normalization form C, as for paths
 *   nfd           to Unicode normalization form D
 *   fold          to the key by which iri_match "width case" compares names
 *   utf8          to UTF-8, from UTF-8 or from the first charset of iri_charset
 *                 that decodes all octets
 *   host_ascii    a host without a port to A-labels
 *   host_unicode  a host without a port to U-labels
 *   url_ascii     a URL: its host as host_ascii, the rest as to_uri
 *   url_unicode   a URL: its host as host_unicode, the rest as to_iri.  For
 *                 both functions a URL with userinfo has no value, and a text
 *                 without an authority has no host
 *   disposition   a path to parameters of Content-Disposition (RFC 6266) with
 *                 the name of its last segment: filename in ASCII and, if the
 *                 name is not ASCII, filename* (RFC 8187)
 *
 * A text has at most IRI_MAX_TEXT octets.  It is UTF-8, except for utf8,
 * to_iri and url_unicode, which accept any octets.
 */
typedef struct iri_function_s iri_function_t;

/* The function with this name, case-sensitive; NULL: there is none. */
const iri_function_t *iri_function_find(iri_str_t name);

#define IRI_FUNCTIONS 11   /* number of functions */

/* The i-th function, and its name (NUL-terminated); NULL: i is too large. */
const iri_function_t *iri_function_at(size_t i);
const char *iri_function_name(size_t i);

/*
 * encode:CHARSET, which is not one of IRI_FUNCTIONS: as to_uri, but characters
 * beyond ASCII, raw or escaped in UTF-8, are encoded in CHARSET and then
 * percent-encoded.  A text with a character that CHARSET lacks, or with an
 * escape that is not UTF-8, has no value.
 * Shift_JIS: "/a%2F\u30bd" -> "/a%2F%83%5C"
 */
extern const iri_function_t iri_function_encode;

#define IRI_CHARSETS 34   /* number of legacy charsets */

/* Name of the i-th, NUL-terminated: "Shift_JIS"; NULL: i is too large. */
const char *iri_charset_at(size_t i);

/*
 * Parse the name of a function, or "encode:CHARSET".  The outputs are written
 * only on success.
 *
 *   registry   for CHARSET, which is loaded; NULL: "encode:CHARSET" is an error
 *   charset    CHARSET; NULL for other functions
 *
 * Returns: as iri_parse_word().
 */
const char *iri_parse_function(iri_registry_t *registry, iri_str_t word,
                               const iri_function_t **out,
                               const iri_charset_t  **charset);

/* The settings of the server that functions depend on. */
typedef struct {
    const iri_charsets_t  *charsets;  /* iri_charset; NULL: none */
    const iri_host_conf_t *host;      /* NULL: host_... have no value */
    const iri_charset_t   *encode;    /* CHARSET; NULL: encode has no value */
} iri_function_conf_t;

/* A converted text. */
typedef struct {
    iri_str_t   value;    /* empty if why is not NULL */
    const char *why;      /* why there is no value: a static phrase; NULL:
                             there is one */
    size_t      offset;   /* with why: offset of the octet at fault; else 0 */
} iri_converted_t;

/*
 * Convert a text.  Any octets are accepted.  If the text has no such form,
 * there is no value.  This and each error writes one line to the log, at
 * IRI_LOG_INFO.
 *
 * to_uri, host_ascii and url_ascii give ASCII, to_iri, host_unicode and
 * url_unicode UTF-8, all without controls and U+0020; disposition gives
 * printable ASCII.  nfc, nfd and utf8 keep ASCII as it is.  fold folds its case
 * and may turn wide forms into ASCII, even "/".
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * to_uri "/caf\xC3\xA9 100%" -> "/caf%C3%A9%20100%25"
 * to_iri "/caf%C3%A9%20%FF%41" -> "/caf\xC3\xA9%20%FFA"
 * disposition "/caf\xC3\xA9" -> filename="caf_"; filename*=UTF-8''caf%C3%A9
 */
iri_status_t iri_convert(const iri_env_t           *env,
                         const iri_function_conf_t *conf,
                         const iri_function_t *function, iri_str_t text,
                         iri_converted_t *out);


/* ---- warnings about a configuration -------------------------------------- */

/* Where something is written in a configuration. */
typedef struct {
    iri_str_t file;   /* its name, octets */
    size_t    line;   /* from 1; 0: file alone is shown */
} iri_position_t;

/* What is checked of a directive. */
typedef enum {
    IRI_CHECK_SETTING,   /* a setting of this project: its effect, its list of
                            charsets */
    IRI_CHECK_PATH,      /* a rule: a path, or the beginning of paths */
    IRI_CHECK_REGEX,     /* a rule: a regular expression for paths */
    IRI_CHECK_DISK,      /* a rule: a pattern for names as they are on disk */
    IRI_CHECK_HOST       /* iri_host, for one address of one server */
} iri_check_t;

/* A directive that applies to a server. */
typedef struct {
    iri_check_t           check;
    iri_str_t             name;       /* of the directive: "iri_match" */
    iri_position_t        at;
    iri_engine_t          engine;     /* of the server; if it applies to all
                                         servers, that of one where it is on,
                                         if there is one */
    iri_str_t             value;      /* SETTING, HOST: its first word, or
                                         empty; else the text of the rule, any
                                         octets */
    const iri_charsets_t *charsets;   /* SETTING: its list; NULL: none */
    iri_invalid_t         invalid;    /* PATH, REGEX: of the server */
    iri_host_mode_t       host;       /* HOST: of the server */
    iri_host_mode_t       first_host; /* HOST: of the first server of the
                                         address, which applies; off if its
                                         engine is off */
    iri_position_t        first;      /* HOST: that first server */
} iri_directive_t;

/*
 * Log a warning, at IRI_LOG_WARN, of each directive that has no effect or
 * another one than its text says, also if iri_env_t.quiet is 1:
 *
 *   - a setting where iri is off; the values "off" and "none" need no effect
 *   - a list of charsets in which one decodes most texts of a later one, while
 *     the reverse order has no such effect
 *   - with iri on, a rule whose text no canonical path contains, because these
 *     are UTF-8 in NFC and not percent-encoded.  Not checked: escapes of
 *     ASCII, bracket expressions, and with IRI_INVALID_PASS octets that are
 *     not UTF-8
 *   - with iri on, a pattern for names on disk that is not ASCII
 *   - iri_host that differs from the one that applies
 *
 * A line names the directive and its position.  All but printable ASCII is
 * percent-encoded in it.  A directive that applies to several servers, by a
 * file that they include, is in the list once for each; it gets one warning at
 * most, and that it has no effect only if this is so in all of them.
 *
 *   on     how iri is switched on: "iri on;"
 *   list   is sorted by position, and so are the warnings; NULL is allowed if
 *          count is 0
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_config_check(const iri_env_t *env, iri_str_t on,
                              iri_directive_t *list, size_t count);

/*
 * Log a warning, at IRI_LOG_WARN, if a name of a server does not select it.
 *
 *   name    as written; with owner, its A-labels
 *   at      the server
 *   host    result of iri_host_name(); NULL: name is a regular expression
 *   owner   another server that has the A-labels; NULL: none
 *
 * Returns: IRI_OK; IRI_NO_MEMORY.
 */
iri_status_t iri_config_check_name(const iri_env_t *env, iri_str_t name,
                                   iri_position_t at, const iri_host_t *host,
                                   const iri_position_t *owner);


#pragma GCC visibility pop

#endif /* IRI_CONF_H */
