/*
 * cli.h - what the files of the command iri need of each other
 *
 * `iri COMMAND [options] [operands]`.  A command is a line of the table in
 * main.c: it takes its options, then turns operands into a JSON object, once
 * for those of the command line or, with --batch, once for each line of
 * standard input.  All thinking is done by the core.
 */

#ifndef CLI_H
#define CLI_H

#include <stdio.h>

#include <apr_getopt.h>
#include <apr_hash.h>
#include <apr_pools.h>
#include <apr_tables.h>
#include <jansson.h>

#include "iri_ref.h"
#include "base/iri_env_apr.h"

#define CLI_MAX_OPERANDS 2

/* Exit codes */
enum {
    CLI_OK = 0,      /* each operand got its answer */
    CLI_FAILED = 1,  /* an operand cannot be answered, the work failed, or the
                        answer is a finding or a "no" (call->found) */
    CLI_USAGE = 2    /* the command line is wrong */
};

/* What every command has beside its own options. */
enum { CLI_OPT_HELP = 'h', CLI_OPT_BATCH = 256, CLI_OPT_OWN };

#define CLI_OPTIONS_FOR_ALL                                                   \
    { "batch", CLI_OPT_BATCH, 0,                                              \
      "operands as lines in, JSON as lines out" },                            \
    { "help", CLI_OPT_HELP, 0, "this text" }

/* One set of operands on its way to its answer. */
typedef struct {
    apr_pool_t *pool;                        /* cleared after the answer */
    iri_str_t   operand[CLI_MAX_OPERANDS];   /* octets */
    FILE       *trace;    /* where the steps are told; NULL: nowhere */
    FILE       *objects;  /* with --batch: where objects that come before the
                             answer go, a line each; else NULL */
    json_t     *object;   /* to be filled with the fields of the answer */
    const char *error;    /* set where there is none; in pool or static */
    size_t      offset;   /* octets of the operand before what is wrong */
    int         whole;    /* 1: all of it is wrong, so a person is told no
                             offset */
    const char *character;   /* "U+002F", if a single one is; or NULL */
    int         found;       /* 1: there is something to be seen to: a warning,
                                a "no" */
} cli_call_t;

typedef struct {
    const char                *name;
    const char                *operands;   /* as the help writes them */
    size_t                     count;      /* how many there must be */
    const char                *about;      /* a phrase, "tell ..." */
    const char                *help;       /* lines that follow the options */
    const apr_getopt_option_t *options;

    /* Settings with their defaults, in pool; NULL: no memory or no ICU. */
    void *(*create)(apr_pool_t *pool);
    /* One option: NULL, or what is wrong, to follow the option's name. */
    const char *(*option)(void *conf, int option, const char *value);
    /* After the last option: NULL, or the whole of what is wrong. */
    const char *(*ready)(void *conf);
    /* Fill call->object: 0; or -1 with call->error. */
    int (*answer)(const void *conf, cli_call_t *call);
    /* Tell a person what call->object says. */
    void (*show)(const void *conf, cli_call_t *call);
} cli_command_t;

extern const cli_command_t cli_explain;   /* explain.c */
extern const cli_command_t cli_host;      /* host.c */
extern const cli_command_t cli_lint;      /* lint.c */
extern const cli_command_t cli_replay;    /* replay.c */
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

/* A command whose options need nothing more when all of them are read. */
const char *cli_is_ready(void *conf);

/* The place of a word in a list that ends with NULL; -1: it is not there. */
int cli_word(const char *const *words, const char *word);

/* No answer: -1.  what is wrong with an operand, and where in it. */
int cli_refuse(cli_call_t *call, size_t operand, const char *why,
               size_t offset);
int cli_fail(cli_call_t *call, iri_status_t status);

/* What the core made of the first operand, as "value". */
int cli_give(cli_call_t *call, iri_status_t status,
             const iri_converted_t *converted);

/* -1: an operand is none of these by either grammar. */
int cli_need(cli_call_t *call, size_t operand, iri_as_t as);

/*
 * The same by one grammar; parts as of iri_check, or NULL.  The error says
 * what was expected, and what stands there.
 */
int cli_check_operand(cli_call_t *call, size_t operand, iri_as_t as,
                      iri_grammar_t grammar, iri_parts_t *parts);

/* "--grammar VALUE"; NULL, or what is wrong with it. */
const char *cli_grammar(const char *value, iri_grammar_t *out);

/* Tell a person the "value". */
void cli_show_value(const void *conf, cli_call_t *call);

/* Note a warning in the list "warnings" of the object; for iri_warn_t. */
iri_status_t cli_warn(void *arg, const iri_warning_t *warning);
void cli_show_warnings(cli_call_t *call);

/* ---- open.c ------------------------------------------------------------- */

/* What settings are made of, closed with pool; NULL: no memory or no ICU. */
iri_registry_t *cli_open_registry(apr_pool_t *pool);
iri_index_cache_t *cli_open_cache(apr_pool_t *pool, size_t size);
iri_idna_t *cli_open_idna(apr_pool_t *pool);
iri_confusables_t *cli_open_look(apr_pool_t *pool);

/* The charset of a label, of a registry; NULL, or what is wrong with it. */
const char *cli_open_charset(iri_registry_t *registry, const char *label,
                             const iri_charset_t **out);

/* ---- settings.c --------------------------------------------------------- */

/* Codes of the options that stand for directives. */
enum {
    CLI_SET_ROOT = 512,
    CLI_SET_CHARSET,
    CLI_SET_INVALID,
    CLI_SET_FILENAME_CHARSET,
    CLI_SET_FILENAME_FORM,
    CLI_SET_MATCH,
    CLI_SET_AMBIGUOUS,
    CLI_SET_REPAIR,
    CLI_SET_QUERY_CHARSET,
    CLI_SET_CACHE,
    CLI_SET_METHOD,
    CLI_SET_ESCAPED
};

#define CLI_SETTINGS_OPTIONS                                                  \
    { "root", CLI_SET_ROOT, 1,                                                \
      "the folder to look below (root, DocumentRoot)" },                      \
    { "charset", CLI_SET_CHARSET, 1, "iri_charset: charsets of requests" },   \
    { "invalid", CLI_SET_INVALID, 1, "iri_invalid: 404, 400, pass" },         \
    { "filename-charset", CLI_SET_FILENAME_CHARSET, 1,                        \
      "iri_filename_charset: charsets of names on disk" },                    \
    { "filename-form", CLI_SET_FILENAME_FORM, 1,                              \
      "iri_filename_form: any, nfc, nfd" },                                   \
    { "match", CLI_SET_MATCH, 1, "iri_match: exact, or the words below" },    \
    { "ambiguous", CLI_SET_AMBIGUOUS, 1, "iri_ambiguous: 404, 300" },         \
    { "repair", CLI_SET_REPAIR, 1, "iri_repair: off, or the words below" },   \
    { "query-charset", CLI_SET_QUERY_CHARSET, 1,                              \
      "iri_query_charset: charsets of the query, and nfc" },                  \
    { "cache", CLI_SET_CACHE, 1, "iri_cache: off, or a size such as 64m" },   \
    { "method", CLI_SET_METHOD, 1, "that of the request; GET if not said" },  \
    { "escaped", CLI_SET_ESCAPED, 0,                                          \
      "read the path percent-encoded, as mod_iri does" }

typedef struct {
    apr_pool_t         *pool;
    iri_registry_t     *registry;
    iri_reading_conf_t  reading;
    iri_tree_conf_t     tree; /* ambiguous is 300: choices are always told */
    iri_ambiguous_t     ambiguous;
    iri_query_conf_t    query;
    int                 has_query; /* 1: --query-charset was said */
    iri_index_cache_t        *cache;     /* NULL: off */
    iri_str_t           method;
    iri_str_t           root;
    int                 has_root;
    int                 escaped;
    apr_array_header_t *charset_words;
    apr_array_header_t *filename_charset_words;
    apr_array_header_t *match_words;
    apr_array_header_t *repair_words;
    apr_array_header_t *query_words;
    apr_array_header_t *cache_words;
} cli_settings_t;

/* As cli_command_t has them: conf is a cli_settings_t. */
void *cli_settings_create(apr_pool_t *pool);
const char *cli_settings_option(void *data, int option, const char *value);
const char *cli_settings_ready(void *data);

/* ---- batch.c ------------------------------------------------------------ */

/*
 * Answer each line of in by one JSON object on out: {"ok":true, ...} or
 * {"ok":false,"error":...,"offset":N}, with "character" where there is one.
 * Returns an exit code.
 */
int cli_batch(const cli_command_t *command, const void *conf,
              apr_pool_t *pool, FILE *in, FILE *out);

/* ---- progress.c --------------------------------------------------------- */

typedef struct {
    const char *unit;    /* "names" */
    uint64_t    total;
    uint64_t    done;
    apr_time_t  drawn;   /* 0: there is nothing on the screen */
    int         seen;    /* there is a terminal */
} cli_progress_t;

int cli_progress_is_seen(void);
void cli_progress_begin(cli_progress_t *progress, const char *unit,
                        uint64_t total);
void cli_progress_add(cli_progress_t *progress, uint64_t more);
void cli_progress_hide(cli_progress_t *progress);   /* until the next add */

/* ---- hash.c ------------------------------------------------------------- */

/*
 * An empty hash table for keys of strangers: names on disk, targets of a log.
 * apr_hash_make() uses times-33, of which anybody can write keys that collide.
 */
apr_hash_t *cli_hash_make(apr_pool_t *pool);

/* ---- log.c -------------------------------------------------------------- */

typedef struct cli_log_s cli_log_t;

/* What an access log says of a request. */
typedef struct {
    iri_str_t method;
    iri_str_t target;   /* as it came, octets */
    int       status;
} cli_request_t;

/* A log, plain or gzip; NULL: see errno. */
cli_log_t *cli_log_open(apr_pool_t *pool, const char *name);

/*
 * The next line: 1, 0 if it is no request, -1 at the end.  The strings live
 * until the next call, or as long as pool.
 */
int cli_log_next(cli_log_t *log, apr_pool_t *pool, cli_request_t *request);
uint64_t cli_log_offset(const cli_log_t *log);   /* octets of the file read */
int cli_log_close(cli_log_t *log);               /* -1: it was cut off */

/* ---- rename.c ----------------------------------------------------------- */

/* How a plan of renames is written. */
typedef enum { CLI_PLAN_NONE, CLI_PLAN_MV, CLI_PLAN_CONVMV } cli_plan_t;

/*
 * A line for a shell (bash, ksh, zsh) that renames path, whose last segment
 * is written in charset, to name in the same directory; octets that a
 * terminal would act on are written as $'...' has them.
 */
void cli_rename(FILE *out, cli_plan_t plan, iri_str_t path, iri_str_t name,
                iri_str_t charset);

/* A comment in its place. */
void cli_rename_not(FILE *out, iri_str_t path, const char *why);

/* ---- text.c ------------------------------------------------------------- */

/*
 * The character at *i, which moves behind it; negative: not UTF-8, and *i
 * moves at least one octet.
 */
int32_t cli_next(iri_str_t octets, size_t *i);

/* Would a terminal act on it?  C0, DEL, C1, and what turns text around. */
int cli_is_unsafe(int32_t c);

/*
 * A character for a message, and behind a blank its code, in pool.  What
 * cannot be seen by itself has only the code.  NULL: no memory.
 * 0x2F -> "\"/\" U+002F"; 0x200D -> "U+200D"
 */
const char *cli_character(apr_pool_t *pool, int32_t character);

/*
 * Octets as text: well-formed UTF-8 stands as it is (*escaped 0).  In any
 * other string all octets above 7F, and "%", are %HH (*escaped 1), so that
 * percent-decoding gives the octets again.  NULL: no memory.
 * "50%" -> "50%"; "50%\xE9" -> "50%25%E9"
 */
const char *cli_text(apr_pool_t *pool, iri_str_t octets, size_t *len,
                     int *escaped);

/* The same with escapes, whatever it is: "\xC3\xA9" -> "%C3%A9" */
const char *cli_escaped(apr_pool_t *pool, iri_str_t octets, size_t *len);

#define CLI_BOLD   "\033[1m"
#define CLI_RED    "\033[31m"
#define CLI_GREEN  "\033[32m"
#define CLI_YELLOW "\033[33m"
#define CLI_CYAN   "\033[36m"
#define CLI_PLAIN  "\033[0m"

/*
 * escape, one of these, where out is a terminal; "" in a pipe, and where
 * NO_COLOR is set (https://no-color.org).
 */
const char *cli_color(FILE *out, const char *escape);

/* Of standard output. */
const char *cli_bold(void);
const char *cli_plain(void);

/* A count and what is counted: "1 name", "2 names" */
void cli_print_count(FILE *out, long long count, const char *one,
                     const char *many);

/* A row of a table on standard output: "host       a.example" */
void cli_print_row(const char *label, iri_str_t octets);

/* Print octets to a terminal: controls and bidi controls as %HH, too. */
void cli_print(FILE *out, iri_str_t octets);

/* The same as a string, UTF-8, for a message.  NULL: no memory. */
const char *cli_printable(apr_pool_t *pool, iri_str_t octets);

/*
 * Set a field of a call's object to octets by cli_text, and note its name in
 * the list "escaped" where octets were written as %HH; the same of a list.
 * -1: no memory.
 */
int cli_set_octets(cli_call_t *call, const char *name, iri_str_t octets);
int cli_set_text(cli_call_t *call, const char *name, const char *text);
int cli_set_null(cli_call_t *call, const char *name);
int cli_set_list(cli_call_t *call, const char *name, const iri_str_t *list,
                 size_t count);

/* Are they the same octets?  What is empty may be NULL. */
int cli_same(iri_str_t a, iri_str_t b);

/*
 * The words of a value, divided at blanks and commas, added to an array of
 * iri_str_t.  NULL, or what is wrong, to follow the option's name.
 */
const char *cli_add_words(apr_array_header_t *words, const char *value);

/* ---- target.c ----------------------------------------------------------- */

/* The value of a hexadecimal digit; -1: it is none. */
int cli_hex(char digit);

/* The octet that the escape "%HH" at p stands for; -1: it is none. */
int cli_escape(const unsigned char *p, const unsigned char *end);

typedef struct {
    iri_request_t request;     /* what a server hands to the core */
    int           has_query;
    iri_str_t     query;       /* as it came, without "?" */
} cli_target_t;

/*
 * Read a request target as a server does before it asks the core: cut off
 * scheme and authority, query and fragment; unescape once, unless escaped is
 * 1; merge slashes and remove dot-segments.  NULL, or what is wrong with it
 * and *offset.
 */
const char *cli_target_read(apr_pool_t *pool, iri_str_t target, int escaped,
                            cli_target_t *out, size_t *offset);

/* ---- verdict.c ---------------------------------------------------------- */

/* All that is known of one target. */
typedef struct {
    iri_env_apr_t lent;
    iri_env_t    *env;
    cli_target_t  target;
    iri_reading_t reading;
    iri_found_t   found;       /* answer PASS, all else 0, without a root */
    iri_verdict_t  verdict;
    iri_why_t     why;
    iri_str_t     path; /* canonical, of what was found */
    iri_str_t     uri;
    iri_str_t     filename; /* data NULL: there is none */
    iri_str_t     path_info;
    iri_str_t     location; /* empty: none */
    iri_query_t   query;    /* with --query-charset */
    iri_form_t    form;     /* as the disk confirms it, and the charset */
    iri_str_t     charset;
    int           there;    /* with a root: there is a file or directory */
} cli_verdict_t;

/* All of it, told to call->trace if there is one; -1 with call->error. */
int cli_verdict(const cli_settings_t *conf, cli_call_t *call,
                iri_str_t target, cli_verdict_t *x);

#endif /* CLI_H */
