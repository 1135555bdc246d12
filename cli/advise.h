/*
 * advise.h - declarations that the files of `iri advise` share
 */

#ifndef ADVISE_H
#define ADVISE_H

#include "cli.h"
#include "base/iri_string.h"

/* A document root (prefix ""), or a directory that is served in its place. */
typedef struct {
    int         site;        /* number of the server or virtual host; 0: all */
    const char *prefix;      /* of paths; "/docs" */
    const char *directory;   /* without "/" at its end */
} advise_root_t;

/* ---- advise_tree.c ------------------------------------------------------ */

/* Names that are not UTF-8, and the results of iri_detect() for a sample. */
typedef struct {
    uint64_t       names;
    iri_detected_t detected[IRI_DETECTABLE];
} advise_evidence_t;

/* A directory, and the settings of the names in it. */
typedef struct advise_place_s advise_place_t;

struct advise_place_s {
    advise_place_t      *parent;  /* NULL: the document root */
    const advise_root_t *root;
    const char          *path;    /* octets below the root: "" or "a/b/" */
    iri_str_t            name;    /* the same, decoded; empty: the root, or
                                     not decoded */
    uint64_t           nfc, nfd;  /* UTF-8 names that are not ASCII, in this
                                     form, or in both, which counts as NFC */
    uint64_t           mixed;     /* in neither */
    advise_evidence_t *legacy;    /* names that are not UTF-8; NULL: none */
    int64_t           *cost;      /* of each charset, for this directory and
                                     all below; NULL: no legacy names there */
    int                charset;   /* index of the charset; -1: none */
    int                unsure;    /* 1: the parent's settings stay, since
                                     another charset is about as likely */
    int                best;      /* index of the likeliest charset */
    int                rival;     /* with unsure: index of the other one; -1: no
                                     charset is likely */
    int                own;       /* 1: the settings differ from the parent's */
    uint64_t           group_legacy;   /* legacy names with these settings, if
                                          own is 1 */
    iri_tree_conf_t    tree;      /* the settings, if own is 1 */
};

typedef struct {
    const cli_settings_t *settings;
    const iri_detector_t *detector;
    apr_pool_t           *pool;
    apr_hash_t           *known;      /* names that clients ask for in UTF-8 */
    const apr_array_header_t *roots;  /* advise_root_t, the document root
                                         first */
    const advise_root_t  *current;    /* that is read */
    apr_hash_t           *by_path;    /* root and octets -> advise_place_t */
    apr_hash_t           *by_name;    /* root and name -> advise_place_t with own
                                         1 */
    apr_array_header_t   *places;     /* advise_place_t *, parents first */
    advise_place_t       *root;
    uint64_t              names;
    uint64_t              percent;    /* names that are percent-encoded */
    uint64_t              unread;     /* directories that could not be read */
    uint64_t              undecoded;  /* names that no charset decodes, or
                                         whose charset is not known */
    uint64_t              links;      /* to directories with another path, too */
    size_t                longest;    /* key in by_name */
    iri_filename_form_t   form;       /* of all names */
} advise_tree_t;

/*
 * Read the trees of all roots, and choose a charset for each directory.  Set
 * settings, detector, pool, known and roots before.
 */
iri_status_t advise_tree_read(advise_tree_t *tree);

/* Visit all directories of the roots.  tree->current: the root of each. */
iri_status_t advise_tree_walk(advise_tree_t *tree, cli_visit_t visit,
                              void *arg);

/* The path of a request for a path below a root: prefix "/docs", "a/" ->
   "docs/a/" */
const char *advise_root_path(apr_pool_t *pool, const advise_root_t *root,
                             const char *path);

/* The place of a directory below tree->current; path: octets. */
advise_place_t *advise_tree_place(const advise_tree_t *tree, const char *path);

/* Copy settings to all places, except for charsets and form. */
void advise_tree_apply(advise_tree_t *tree, const cli_settings_t *settings);

/* The settings of a directory, for iri_search_t. */
const iri_tree_conf_t *advise_tree_settings(const iri_env_t    *env,
                                            const iri_search_t *search,
                                            iri_str_t           names);

/* ---- advise_trials.c ---------------------------------------------------- */

/* The trial of charsets of requests. */
typedef struct {
    apr_pool_t           *pool;
    const cli_settings_t *settings;
    const iri_charset_t  *charset[IRI_DETECTABLE];
    size_t                charsets;
    apr_array_header_t   *rows;     /* one for each target */
    uint32_t              chosen;   /* 1u << charset */
    uint64_t              gain;     /* requests that these answer */
} advise_trials_t;

/* The charsets of the settings are chosen. */
void advise_trials_init(advise_trials_t *trials, apr_pool_t *pool,
                        const cli_settings_t *settings,
                        const iri_detector_t *detector);

/* Try each charset for a target that is not ASCII.  scratch: is cleared. */
void advise_trials_add(advise_trials_t *trials, apr_pool_t *scratch,
                       const cli_target_row_t *target);

/* Choose charsets in addition to those that are chosen. */
void advise_trials_choose(advise_trials_t *trials);

/* The chosen charsets, sorted. */
iri_charsets_t advise_trials_charsets(const advise_trials_t *trials);

/* ---- advise_config.c ----------------------------------------------------- */

typedef enum { ADVISE_NGINX, ADVISE_HTTPD, ADVISE_UNKNOWN } advise_server_t;

/* The configuration of a server. */
typedef struct {
    advise_server_t     server;
    apr_array_header_t *roots;    /* advise_root_t; later those of the site */
    const char         *host;     /* the first server name that is an IDN; NULL:
                                     none */
    int                 locations;   /* 1: nginx has locations, or try_files,
                                        which a location does not inherit */
    apr_array_header_t *error_statuses;   /* int: statuses other than 404 with
                                             which its error page is sent */
    apr_array_header_t *rules;    /* lines that may be rules and would match no
                                     canonical path, const char *:
                                     FILE:LINE: "..." is not UTF-8 */
} advise_config_t;

/* Read a configuration.  config: server may be set, the arrays are empty, the
   other members are 0.  Returns: NULL, or the error. */
const char *advise_config_read(apr_pool_t *pool, const char *file,
                               advise_config_t *config);

/* ---- advise_words.c ------------------------------------------------------ */

/* A word of iri_match or, if match is 0, of iri_repair. */
typedef struct {
    const char *word;
    unsigned    match;      /* IRI_FOLD_... */
    iri_match_t level;      /* of entries that are found by match */
    unsigned    repair;     /* IRI_REPAIR_... */
    iri_form_t  form;       /* of paths that are repaired by repair */
    int         optional;   /* 1: it may find a wrong file */
    const char *why;        /* of requests that it answers: "in another case" */
} advise_word_t;

#define ADVISE_WORDS 16
extern const advise_word_t advise_words[ADVISE_WORDS];   /* in the order in
                                                            which they are
                                                            tried */

/* Add a word to settings. */
void advise_word_use(cli_settings_t *settings, const advise_word_t *word);

/* ---- advise.c ----------------------------------------------------------- */

/* Who sends targets that are not UTF-8. */
typedef struct {
    iri_str_t text;
    uint64_t  requests;
} advise_sender_t;

/* A setting that is proposed, or that is left to the administrator. */
typedef struct {
    const char *nginx;      /* the name of the directive */
    const char *httpd;
    const char *value;
    uint64_t    requests;   /* that it answers in addition */
    const char *why;        /* the comment */
    int         optional;   /* 1: it is written as a comment */
} advise_setting_t;

/* Senders, targets and directories that are shown of each kind. */
#define ADVISE_SHOWN 10

/* Examples that are shown of each kind. */
#define ADVISE_EXAMPLES 3

/* Names of one kind that cause trouble (iri_lint). */
typedef struct {
    uint64_t    count;
    const char *example[ADVISE_EXAMPLES];
} advise_trouble_t;

typedef struct {
    cli_settings_t      settings;
    const char         *config;       /* file; NULL: none */
    advise_config_t     read;         /* what config says */
    int                 root_of_config;   /* 1: its first root is used */
    int                 json;
    int                 verify;
    int                 top;
} advise_conf_t;

typedef struct {
    const advise_conf_t *conf;
    cli_call_t          *call;
    apr_pool_t          *pool;
    apr_pool_t          *scratch;     /* cleared after each target */
    cli_targets_t        targets;
    cli_settings_t       with;        /* the proposal */
    advise_tree_t        tree;
    apr_array_header_t  *proposal;    /* advise_setting_t */
    apr_hash_t          *senders[2];  /* Referer, User-Agent: text ->
                                         advise_sender_t */
    uint64_t             failed;      /* requests */
    uint64_t             answered;    /* of these, with the proposal */
    uint64_t             kept, changed;   /* requests for a file that is there,
                                             with the same file; with another
                                             or none */
    apr_array_header_t  *broken;      /* cli_target_row_t *: of these the most
                                         frequent ones, at most ADVISE_SHOWN */
    unsigned             words;       /* 1u << index of a word of iri_match or
                                         iri_repair that answers requests */
    /* Requests that are answered */
    uint64_t             by_form;     /* by normalization */
    uint64_t             by_names;    /* with names that are not UTF-8 */
    uint64_t             by_charset[IRI_MAX_CHARSETS];   /* of requests */
    /* Requests in the second charset that the first one decodes, too. */
    uint64_t             misread[IRI_MAX_CHARSETS][IRI_MAX_CHARSETS];
    uint64_t             by_word[ADVISE_WORDS];
    advise_trouble_t     trouble[IRI_LINT_KINDS];
} advise_run_t;

/* ---- advise_show.c ------------------------------------------------------ */

/* Fill the object of the call. */
void advise_fill(const advise_run_t *run);

/* Print the configuration and the report. */
void advise_show(const void *data, cli_call_t *call);

#endif /* ADVISE_H */
