/*
 * cli.h - declarations that the files of the command iri share
 *
 * `iri COMMAND [options] [operands]`.  A command is a row of the table in
 * main.c.  It parses its options, then turns operands into a JSON object: once
 * for the operands of the command line or, with --batch, once for each line
 * of standard input.  The core decides; the command only reads and prints.
 * Where memory is exhausted, APR and jansson end the command (main.c).
 */

#ifndef CLI_H
#define CLI_H

#include <stddef.h>
#include <stdio.h>

#include <apr_getopt.h>
#include <apr_hash.h>
#include <apr_pools.h>
#include <apr_tables.h>
#include <jansson.h>
#include <zlib.h>

#include "iri_ref.h"
#include "base/iri_env_apr.h"
#include "index/iri_index_cache_apr.h"

#define CLI_MAX_OPERANDS 2

/* Exit codes */
enum {
    CLI_OK = 0,      /* all operands were answered */
    CLI_FAILED = 1,  /* an operand could not be answered, or an answer is a
                        finding, a warning or "false" (call->found) */
    CLI_USAGE = 2    /* wrong usage */
};

/* The operands of one call of a command, and its answer. */
typedef struct {
    apr_pool_t *pool;        /* cleared after the answer */
    iri_env_apr_t apr;       /* its memory is that of pool */
    iri_str_t   operand[CLI_MAX_OPERANDS];   /* octets */
    const char *const *extra;  /* operands after those; not with --batch */
    size_t      extra_count;         /* their number */
    FILE       *trace;       /* output of the steps; NULL: none */
    FILE       *objects;     /* --batch: output of the objects that precede the
                                answer, a line each; NULL: not --batch */
    json_t     *object;      /* the fields of the answer */
    const char *error;       /* why there is no answer, in pool or static;
                                NULL: there is an answer */
    size_t      offset;      /* octets of the operand before the error */
    int         no_offset;   /* 1: the offset is not printed, since the error
                                concerns the whole operand */
    const char *character;   /* the wrong character, "U+002F"; NULL: the error
                                is not a single character */
    int         found;       /* 1: the answer is a finding, a warning or
                                "false", so the exit code is CLI_FAILED */
} cli_call_t;

/* ---- options.c ---------------------------------------------------------- */

/* The settings of a command begin with this. */
typedef struct {
    apr_pool_t     *pool;
    iri_registry_t *registry;
    apr_hash_t     *words;   /* of the options that take lists: name of the
                                option -> its words, array of iri_str_t */
    int             batch;   /* 1: --batch was given */
    int             help;    /* 1: --help was given */
} cli_common_t;

typedef struct cli_option_s cli_option_t;

/* Set a member of conf from the value of an option.  Returns: NULL, or the
   error, which follows the name of the option. */
typedef const char *cli_set_t(const cli_option_t *option, void *conf,
                              const char *value);

struct cli_option_s {
    const char *name;    /* without "--"; NULL: the end of the options */
    const char *about;   /* for the help */
    cli_set_t  *set;     /* NULL: there is no value; the member, an int, is set
                            to 1 */
    size_t      offset;  /* of the member in conf */
    const void *data;    /* for set */
};

#define CLI_OPTIONS_END                                                       \
    { "help", "show this text", NULL, offsetof(cli_common_t, help), NULL },   \
    { NULL, NULL, NULL, 0, NULL }
#define CLI_OPTIONS_FOR_ALL                                                   \
    { "batch", "read operands as lines, write JSON as lines", NULL,           \
      offsetof(cli_common_t, batch), NULL },                                  \
    CLI_OPTIONS_END

/* data of cli_option_number: the numbers that it accepts */
typedef struct {
    int         least, most;
    const char *error;       /* the message for other values */
} cli_range_t;

/*
 * Setters; case is ignored:
 *
 *   setter                value                         member
 *   cli_option_word       a word of data, an array      its index: int or enum
 *                         that ends with NULL
 *   cli_option_directive  a word of an iri_words_t      unsigned or enum
 *   cli_option_flags      words of an iri_words_t       unsigned: their union
 *   cli_option_number     a number of a cli_range_t     int
 *   cli_option_string     any text                      const char *
 *   cli_option_charset    the label of a charset        const iri_charset_t *
 */
cli_set_t cli_option_word, cli_option_directive, cli_option_flags,
    cli_option_number, cli_option_string, cli_option_charset;

/*
 * For setters of lists: split a value at blanks and commas.  *words: those of
 * all values of the option so far; they point into the values.  Returns: NULL,
 * or the error.
 */
const char *cli_option_list(const cli_option_t *option, void *conf,
                            const char *value, const iri_str_t **words,
                            size_t *count);

/* The member that an option sets. */
void *cli_member(const cli_option_t *option, void *conf);

/* Set it.  Returns: NULL, or the error, which follows the name. */
const char *cli_option_set(const cli_option_t *option, void *conf,
                           const char *value);

/* Returns: object, which lives as long as the process; NULL ends the command:
   no memory, or the data of ICU are missing. */
void *cli_or_exit(void *object);

/* ---- commands ----------------------------------------------------------- */

typedef struct {
    const char         *name;
    const char         *operands;   /* for the help: "BASE TARGET" */
    size_t              count;      /* of operands, all required; if `operands`
                                       has "...", more may follow */
    const char         *about;      /* a phrase: "show the parts ..." */
    const char         *help;       /* the help text below the options */
    const cli_option_t *options;
    size_t              size;       /* of the settings, which begin with a
                                       cli_common_t; octets */
    /* Set defaults that are not 0.  NULL: there are none. */
    void (*create)(void *conf);
    /* Called after the last option.  Returns: NULL, or the complete error.
       NULL: nothing to check. */
    const char *(*ready)(void *conf);
    /* Fill call->object.  Returns: 0, or -1 with call->error set. */
    int (*answer)(const void *conf, cli_call_t *call);
    /* Print call->object as text on standard output.  NULL: its only field is
       "value". */
    void (*show)(const void *conf, cli_call_t *call);
} cli_command_t;

/* The default settings of a command, in pool (options.c). */
void *cli_conf_create(const cli_command_t *command, apr_pool_t *pool);

extern const cli_command_t cli_advise;    /* advise.c */
extern const cli_command_t cli_explain;   /* explain.c */
extern const cli_command_t cli_host;      /* host.c */
extern const cli_command_t cli_lint;      /* lint.c */
extern const cli_command_t cli_replay;    /* replay.c */
extern const cli_command_t cli_log;       /* log_show.c */
extern const cli_command_t cli_check;     /* check.c */
extern const cli_command_t cli_split;     /* split.c */
extern const cli_command_t cli_to_uri;    /* map.c */
extern const cli_command_t cli_to_iri;
extern const cli_command_t cli_resolve;   /* resolve.c */
extern const cli_command_t cli_relativize;
extern const cli_command_t cli_equal;     /* equal.c */
extern const cli_command_t cli_normalize; /* normalize.c */
extern const cli_command_t cli_decode;    /* encode.c */
extern const cli_command_t cli_encode;
extern const cli_command_t cli_bidi;      /* bidi.c */

/* ---- answer.c ----------------------------------------------------------- */

/*
 * Set call->error, and return -1.  cli_reject: to an operand, followed by why,
 * the reason; offset: octets of the operand before the error.  cli_fail: to the
 * text of a status.
 */
int cli_reject(cli_call_t *call, size_t operand, const char *why,
               size_t offset);
int cli_fail(cli_call_t *call, iri_status_t status);

/*
 * Answer with a result of the core: set the field "value", or the error of the
 * first operand.  Returns: 0, or -1 with call->error.
 */
int cli_set_converted(cli_call_t *call, iri_status_t status,
                      const iri_converted_t *converted);
int cli_set_value(cli_call_t *call, iri_status_t status, iri_str_t value);

/*
 * Check that an operand is of a kind, by either grammar.  Returns: 0, or -1
 * with call->error.
 */
int cli_require(cli_call_t *call, size_t operand, iri_as_t as);

/*
 * The same by one grammar.  The error contains what was expected, and what was
 * found.
 */
int cli_check_operand(cli_call_t *call, size_t operand, iri_as_t as,
                      iri_grammar_t grammar);

/* The values of --grammar, in the order of iri_grammar_t. */
extern const char *const cli_grammars[];

/* Print the field "value". */
void cli_show_value(const cli_call_t *call);

/*
 * Append a warning to the list "warnings" of the object; arg: the call
 * (iri_warn_t).  cli_show_warnings prints the list.
 */
iri_status_t cli_warn(void *arg, const iri_warning_t *warning);
void cli_show_warnings(cli_call_t *call);

/* ---- settings.c --------------------------------------------------------- */

/* Options of directives, for settings that begin with a cli_settings_t. */
#define CLI_OPTION_ROOT                                                       \
    { "root", "the document root (root, DocumentRoot)", cli_option_root, 0,   \
      NULL }
#define CLI_OPTION_CHARSET                                                    \
    { "charset", "iri_charset: charsets of requests", cli_option_charsets,    \
      offsetof(cli_settings_t, reading.charsets), "none" }
#define CLI_OPTION_FILENAME_CHARSET                                           \
    { "filename-charset", "iri_filename_charset: charsets of names on disk",  \
      cli_option_charsets, offsetof(cli_settings_t, tree.charsets), NULL }
#define CLI_OPTION_FILENAME_FORM                                              \
    { "filename-form", "iri_filename_form: any, nfc, nfd",                    \
      cli_option_directive, offsetof(cli_settings_t, tree.names),             \
      &iri_filename_form_words }

#define CLI_SETTINGS_OPTIONS                                                  \
    CLI_OPTION_ROOT, CLI_OPTION_CHARSET,                                      \
    { "invalid", "iri_invalid: 404, 400, pass", cli_option_directive,         \
      offsetof(cli_settings_t, reading.invalid), &iri_invalid_words },        \
    CLI_OPTION_FILENAME_CHARSET, CLI_OPTION_FILENAME_FORM,                    \
    { "match", "iri_match: exact, or words below", cli_option_flags,          \
      offsetof(cli_settings_t, tree.match), &iri_match_words },               \
    { "ambiguous", "iri_ambiguous: 404, 300", cli_option_directive,           \
      offsetof(cli_settings_t, ambiguous), &iri_ambiguous_words },            \
    { "repair", "iri_repair: off, or words below", cli_option_flags,          \
      offsetof(cli_settings_t, tree.repair), &iri_repair_words },             \
    { "query-charset", "iri_query_charset: charsets of the query, and nfc",   \
      cli_option_query, 0, NULL },                                            \
    { "cache", "iri_cache: off, or a size such as 64m", cli_option_cache,     \
      offsetof(cli_settings_t, cache_size), NULL },                           \
    { "method", "method of the request (default: GET)", cli_option_method, 0, \
      NULL },                                                                 \
    { "escaped", "read the path percent-encoded, as mod_iri does", NULL,      \
      offsetof(cli_settings_t, escaped), NULL }

/* A directory that is served in place of a part of the root (alias). */
typedef struct {
    iri_str_t prefix;      /* of canonical paths, without "/" at its end */
    iri_str_t directory;   /* octets; the same */
} cli_alias_t;

/* The settings of a server. */
typedef struct {
    cli_common_t        common;
    iri_reading_conf_t  reading;
    iri_tree_conf_t     tree;        /* its `ambiguous` is 300, so that the
                                        choices are always computed */
    iri_ambiguous_t     ambiguous;   /* --ambiguous */
    iri_query_conf_t    query;
    int                 has_query;   /* 1: --query-charset was given */
    size_t              cache_size;  /* octets; 0: off */
    iri_index_cache_t  *cache;       /* NULL: off */
    iri_fold_keys_t    *fold_keys;
    iri_str_t           method;
    iri_str_t           root;        /* absolute, without "/" at the end */
    int                 has_root;    /* 1: root is set */
    int                 escaped;     /* 1: --escaped was given */
    const apr_array_header_t *aliases;   /* cli_alias_t; NULL: none */
    /* For iri_search_t: settings of each directory; NULL: tree of all. */
    iri_directory_conf_t settings_of;
    const void         *settings_data;
} cli_settings_t;

/* Functions of cli_command_t and cli_option_t; conf begins with a
   cli_settings_t. */
void cli_settings_create(void *conf);
const char *cli_settings_ready(void *conf);

/* Returns: NULL if path is a directory, else the error. */
const char *cli_check_directory(apr_pool_t *pool, const char *path);

/* Setters.  cli_option_charsets: data not NULL: "none" is allowed. */
cli_set_t cli_option_root, cli_option_charsets, cli_option_query,
    cli_option_cache, cli_option_method;

/* ---- batch.c ------------------------------------------------------------ */

/* Call command->answer with the environment of the call. */
int cli_answer(const cli_command_t *command, const void *conf,
               cli_call_t *call);

/*
 * Answer each line of `in` with one JSON object on `out`: {"ok":true, ...} or
 * {"ok":false,"error":...,"offset":N}, and "character" if it is known.
 * Returns: an exit code.
 */
int cli_batch(const cli_command_t *command, const void *conf,
              apr_pool_t *pool, FILE *in, FILE *out);

/* ---- hash.c ------------------------------------------------------------- */

/*
 * Create a hash table for untrusted keys, such as file names and targets of a
 * log.  apr_hash_make() hashes with times-33, for which colliding keys are easy
 * to construct; this one uses a keyed hash.
 */
apr_hash_t *cli_hash_make(apr_pool_t *pool);

/* An empty key has no value. */
void *cli_hash_get(apr_hash_t *hash, iri_str_t key);
void cli_hash_set(apr_hash_t *hash, iri_str_t key, const void *value);

/* ---- log.c -------------------------------------------------------------- */

/* A request in an access log. */
typedef struct {
    iri_str_t method;
    iri_str_t target;   /* octets as they were received */
    int       status;   /* of the response */
    iri_str_t referer;  /* fields of the request; empty: unknown */
    iri_str_t agent;
} cli_request_t;

/*
 * Parse a line of len octets, 1 at least, which a NUL follows.  The strings of
 * *request point into line, which is changed, or are in pool.  Returns: 1; 0 if
 * the line is not a request.
 */
int cli_log_parse(apr_pool_t *pool, char *line, size_t len,
                  cli_request_t *request);

/* Octets of a line; the servers refuse requests whose line would be longer. */
#define CLI_LOG_LINE 65536

/*
 * Read octets up to the end of a line, at most size - 1; a NUL follows them.
 * Returns: their number, which includes NULs in the line; 0: the end of the
 * file, or an error.
 */
size_t cli_log_gets(gzFile file, char *line, size_t size);

/*
 * Returns: the octet that an escape of a server encodes.  p: the text after the
 * backslash, with a NUL at its end.  *taken: octets of the escape at p.
 * "xE9" -> E9, 3
 */
int cli_log_escape(const char *p, size_t *taken);

/* ---- walk.c ------------------------------------------------------------- */

/* A directory of a tree. */
typedef struct {
    apr_pool_t         *pool;    /* cleared after the visit */
    const char         *path;    /* octets below the root: "" or "a/b/" */
    apr_array_header_t *names;   /* of its entries, iri_str_t, each followed by
                                    a NUL; without "." and ".." */
    apr_status_t        error;   /* why not all names were read; or 0 */
    int                 seen;    /* 1: a link to a directory that was visited, or
                                    that contains the root; it is not read */
} cli_directory_t;

/* Returns: IRI_OK; any other status ends the walk. */
typedef iri_status_t (*cli_visit_t)(void *arg, cli_directory_t *directory);

/*
 * Visit each directory below root, parents before children.  The path of a
 * directory is valid until the walk ends.  follow: 1: symbolic links to
 * directories, too, but each directory is read once, and none that contains
 * root.
 * Returns: IRI_OK; IRI_NO_MEMORY; what visit returned.
 */
iri_status_t cli_walk(apr_pool_t *pool, const char *root, int follow,
                      cli_visit_t visit, void *arg);

/* ---- rename.c ----------------------------------------------------------- */

/* The command that a plan of renames uses. */
typedef enum { CLI_PLAN_MV, CLI_PLAN_CONVMV, CLI_PLAN_NONE } cli_plan_t;

/*
 * Write a line for a shell (bash, ksh, zsh) that renames path to name in the
 * same directory.  charset: that of the last segment of path, for convmv.
 * Octets that a shell or a terminal would interpret are written in $'...'.
 */
void cli_rename(FILE *out, cli_plan_t plan, iri_str_t path, iri_str_t name,
                iri_str_t charset);

/* Write a comment that states why path is not renamed. */
void cli_rename_skipped(FILE *out, iri_str_t path, const char *why);

/* ---- text.c ------------------------------------------------------------- */

/*
 * Decode the character at *i, and move *i behind it.  Returns: a negative
 * number if the octets are not UTF-8; *i then moves by one octet.
 */
int32_t cli_next_character(iri_str_t octets, size_t *i);

/* 1 if a terminal would interpret c: C0, DEL, C1, bidi controls, U+2028 and
   U+2029. */
int cli_is_unsafe(int32_t c);

/* 1 if octets are well-formed UTF-8. */
int cli_is_utf8(iri_str_t octets);

/*
 * A character and its code for a message, in pool.  A character that is not
 * visible by itself is represented by its code only.
 * 0x2F -> "\"/\" U+002F"; 0x200D -> "U+200D"
 */
const char *cli_character(apr_pool_t *pool, int32_t character);
const char *cli_code(apr_pool_t *pool, int32_t character);   /* "U+002F" */

/*
 * Octets as UTF-8.  Well-formed UTF-8 stays (*escaped 0).  Otherwise "%"
 * and all octets that no URI contains are written as %HH (*escaped 1), so that
 * percent-decoding restores the octets.
 * "50%" -> "50%"; "50%\xE9{" -> "50%25%E9%7B"
 */
iri_str_t cli_text(apr_pool_t *pool, iri_str_t octets, int *escaped);
json_t *cli_string(apr_pool_t *pool, iri_str_t octets, int *escaped);

/* Octets as %HH, UTF-8 as well: "\xC3\xA9" -> "%C3%A9" */
iri_str_t cli_escaped(apr_pool_t *pool, iri_str_t octets);

#define CLI_BOLD   "\033[1m"
#define CLI_RED    "\033[31m"
#define CLI_GREEN  "\033[32m"
#define CLI_YELLOW "\033[33m"
#define CLI_CYAN   "\033[36m"
#define CLI_RESET  "\033[0m"

/*
 * Returns: escape, one of the above, if out is a terminal and NO_COLOR is not
 * set (https://no-color.org); else "".
 */
const char *cli_color(FILE *out, const char *escape);

/* CLI_BOLD and CLI_RESET for standard output. */
const char *cli_bold(void);
const char *cli_reset(void);

/* Print a number of an object and its unit: "1 name", "2 names" */
void cli_print_count(FILE *out, const json_t *object, const char *name,
                     const char *one);

/* Print a row of a table on standard output: "host       a.example" */
void cli_print_row(const char *label, iri_str_t octets);

/* Print octets; those that are not UTF-8, and unsafe characters, as %HH. */
void cli_print(FILE *out, iri_str_t octets);

/* The same as a string in pool. */
const char *cli_printable(apr_pool_t *pool, iri_str_t octets);

/*
 * Set a field of call->object: to a new value; to octets, converted by
 * cli_text; to a text in UTF-8; to null if the data of octets is NULL; to a
 * list of octets.  If octets were escaped, the name is added to the list
 * "escaped".
 */
void cli_set(cli_call_t *call, const char *name, json_t *value);
void cli_set_octets(cli_call_t *call, const char *name, iri_str_t octets);
void cli_set_text(cli_call_t *call, const char *name, const char *text);
void cli_set_optional(cli_call_t *call, const char *name, iri_str_t octets);
void cli_set_list(cli_call_t *call, const char *name, const iri_str_t *list,
                  size_t count);

/* Append a new object to a list, and set it as that of *row. */
void cli_add_row(const cli_call_t *call, json_t *list, cli_call_t *row);

/* A string until its NUL; the octets are not copied. */
iri_str_t cli_str(const char *text);

/* A number for an object, and a number or text of one; a text lives as long as
   the object (NULL, length 0: it has no such text). */
json_t *cli_number(uint64_t number);
long long cli_field(const json_t *object, const char *name);
const char *cli_field_string(const json_t *object, const char *name);
iri_str_t cli_field_text(const json_t *object, const char *name);

/* ---- target.c ----------------------------------------------------------- */

/*
 * Copy a text to pool, with escapes decoded if escaped is 1.  A "%" without two
 * hexadecimal digits stays.  (*at)[i]: offset of the i-th octet in text.
 */
iri_str_t cli_unescape(apr_pool_t *pool, iri_str_t text, int escaped,
                       size_t **at);

typedef struct {
    iri_received_path_t request;     /* the path, as a server passes it to
                                        the core */
    int           has_query;   /* 1: the target has a "?" */
    iri_str_t     query;       /* as it was given, without "?" */
} cli_target_t;

/*
 * Read a request-target as a server does before it calls the core: remove
 * scheme and authority, query and fragment; unescape once, unless escaped is
 * 1; merge slashes and remove dot-segments.  Returns: NULL, or the error, with
 * *offset set to the octets of target before it.
 */
const char *cli_target_read(apr_pool_t *pool, iri_str_t target, int escaped,
                            cli_target_t *out, size_t *offset);

/* ---- verdict.c ---------------------------------------------------------- */

/* The verdict on one target, and its intermediate results. */
typedef struct {
    iri_env_apr_t apr_env;
    iri_env_t    *env;         /* &apr_env.env */
    cli_target_t  target;
    iri_reading_t reading;
    iri_found_t   found;       /* without a root: PASS, other fields 0 */
    iri_verdict_t verdict;
    iri_why_t     why;
    iri_str_t     path;        /* canonical, of the entry that was found */
    iri_str_t     uri;         /* path, percent-encoded */
    iri_str_t     root;        /* octets; that of the settings, or an alias */
    size_t        prefix;      /* leading octets of path that it replaces */
    iri_str_t     filename;    /* data NULL: none */
    iri_str_t     path_info;
    iri_str_t     location;    /* of iri_redirect; empty: none */
    iri_query_t   query;       /* with --query-charset only */
    iri_form_t    form;        /* of the first reading, or of the reading that
                                  the entry confirms */
    iri_str_t     charset;     /* of the same reading; empty: ASCII */
    int           exists;      /* 1: a file or directory exists below the
                                  root */
} cli_verdict_t;

/*
 * The directory in which a path is found, and the leading octets of path that
 * it replaces: those of the longest alias with which path begins, else the
 * document root and 0.
 */
void cli_root(const cli_settings_t *conf, iri_str_t path, iri_str_t *root,
              size_t *prefix);

/*
 * Compute the verdict on a target; the steps are printed on call->trace if it
 * is not NULL.  Returns: 0, or -1 with call->error.
 */
int cli_verdict(const cli_settings_t *conf, cli_call_t *call,
                iri_str_t target, cli_verdict_t *result);

/* ---- targets.c ---------------------------------------------------------- */

/* How a target is answered. */
typedef enum {
    CLI_THERE,     /* it exists, and is found without the module */
    CLI_FOUND,     /* it is found by the module */
    CLI_MOVED,     /* it is found under another name */
    CLI_CHOICE,    /* several names match */
    CLI_REFUSED,
    CLI_ABSENT,
    CLI_OUTCOMES   /* number of values */
} cli_outcome_t;

/* A target and its requests. */
typedef struct {
    iri_str_t     octets;     /* as received */
    uint64_t      requests;
    uint64_t      failed;     /* of these, that failed (iri advise) */
    uint64_t      error_page; /* of these, with the status of an error page */
    cli_outcome_t outcome;    /* set by the command */
    iri_form_t    form;
    iri_str_t     charset;
    iri_str_t     path;       /* canonical, of the entry; empty: none */
} cli_target_row_t;

typedef struct {
    apr_pool_t         *pool;
    apr_hash_t         *by_octets;   /* octets -> cli_target_row_t */
    apr_array_header_t *list;        /* cli_target_row_t * */
    /* Call cli_targets_add() for a request that counts. */
    void              (*take)(void *arg, const cli_request_t *request);
    void               *arg;
    uint64_t            lines;
    uint64_t            requests;    /* lines that are requests */
    uint64_t            taken;       /* requests that count */
    size_t              octets;      /* of the targets in the list */
    uint64_t            dropped;     /* requests that count, but not in the
                                        list: it has 1,000,000 targets or
                                        128 MiB */
} cli_targets_t;

/* Then set take and arg. */
void cli_targets_init(cli_targets_t *targets, apr_pool_t *pool);

/* Count a request.  Returns: its row; NULL: the list is full. */
cli_target_row_t *cli_targets_add(cli_targets_t *targets, iri_str_t octets);

/* Add the targets of a log.  Returns: NULL, or the error. */
const char *cli_targets_read(cli_targets_t *targets, iri_str_t name);

/* Sort the list: most requests first. */
void cli_targets_sort(cli_targets_t *targets);

/* Copy octets to pool. */
iri_str_t cli_copy(apr_pool_t *pool, iri_str_t text);

/* The word for an outcome, static. */
const char *cli_outcome_text(cli_outcome_t outcome);

cli_outcome_t cli_outcome(const cli_verdict_t *x);

/* Return 1 if the client gets a resource or a list of choices. */
int cli_outcome_answers(cli_outcome_t outcome);

/*
 * The verdict on a target, in pool.  Returns: 0; -1: the target is malformed,
 * memory is exhausted, or ICU failed.
 */
int cli_try(const cli_settings_t *settings, apr_pool_t *pool, iri_str_t octets,
            cli_verdict_t *x);

/*
 * The answer to a target; *x is valid if it is answered.  A file that gets the
 * rest of the path as PATH_INFO is no answer: it answers all paths.
 */
cli_outcome_t cli_trial(const cli_settings_t *settings, apr_pool_t *pool,
                        iri_str_t octets, cli_verdict_t *x);

/*
 * Try settings for a list of cli_target_row_t *.  scratch: cleared after each
 * target.  *open: those that are not answered, in the pool of the list.
 * Returns: the number of requests that would be answered.
 */
uint64_t cli_trial_all(const cli_settings_t *settings, apr_pool_t *scratch,
                       const apr_array_header_t *list,
                       apr_array_header_t      **open);

#endif /* CLI_H */
