/*
 * model.h - a second, slow reading and finding, to compare the core with
 *
 * Written from the documents (design, iri.h, doc/), not from the core: lists
 * of numbers, one ICU call a sequence, a tree in memory of which every entry
 * is looked at, each time, by its name.  No guessed octets, no cache, no
 * budget.  What of this the core must answer is compared by model_case.
 *
 *     model_text.c   lists, UTF-8, charsets, normalization forms
 *     model_read.c   reading
 *     model.c        finding
 *     model_tree.c   the tree, as the model and as the core see it
 *     model_case.c   a case out of random numbers or of a fuzzer's octets
 *     model_run.c    what both say to it, and whether that is the same
 */

#ifndef IRI_MODEL_H
#define IRI_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "iri.h"

/* ---- lists --------------------------------------------------------------- */

/* Octets or characters; lives until model_forget. */
typedef struct {
    size_t    len;
    size_t    room;
    uint32_t *at;
} model_list_t;

void *model_alloc(size_t size);     /* never NULL, zeroed */
size_t model_mark(void);
void  model_release(size_t mark);   /* what was allocated since then */
void  model_forget(void);           /* all of it */

void model_put(model_list_t *list, uint32_t value);
void model_cat(model_list_t *list, model_list_t more);
model_list_t model_part(model_list_t list, size_t from, size_t to);
model_list_t model_octets(iri_str_t s);
model_list_t model_text(const char *utf8);       /* octets, up to its NUL */
int model_same(model_list_t a, model_list_t b);
int model_order(model_list_t a, model_list_t b); /* as strcmp */
int model_is_ascii(model_list_t octets);

/* The parts between "/": count, and where each begins and ends. */
size_t model_split_count(model_list_t path);
model_list_t model_segment(model_list_t path, size_t index);

/* ---- characters ---------------------------------------------------------- */

typedef struct model_charset_s model_charset_t;

#define MODEL_CHARSETS 36

/* The charset of a name, and of an index; NULL: there is none; 0: UTF-8. */
const model_charset_t *model_charset(const char *name);
const model_charset_t *model_charset_at(size_t index);
const char *model_charset_name(const model_charset_t *charset);
int model_is_utf8(const model_charset_t *charset);
int model_is_japanese(const model_charset_t *charset);

/*
 * Strictly: 1, and the characters, or 0.  from, if not NULL, takes for each
 * character the index of its first octet, and the number of octets at last.
 */
int model_decode(const model_charset_t *charset, model_list_t octets,
                 model_list_t *chars, model_list_t *from);

/* 1, and octets that are read as just these characters, or 0. */
int model_encode(const model_charset_t *charset, model_list_t chars,
                 model_list_t *octets);

model_list_t model_utf8(model_list_t chars);

/* What no name may hold (design 4.5); legacy: out of a legacy charset. */
int model_allowed(model_list_t chars, int legacy);
int model_is_bidi(uint32_t c);

/* Of one segment, with the exceptions of design 4.5. */
model_list_t model_nfc(model_list_t chars);
model_list_t model_nfd(model_list_t chars);
/* As much composed as the charset can write. */
model_list_t model_composed_for(const model_charset_t *charset,
                                model_list_t chars);
/* Each member of a JIS vendor pair as JIS or as the vendors have it. */
model_list_t model_fold_variants(model_list_t chars, int vendor);
uint32_t     model_other_variant(uint32_t c);

/* ---- the tree ------------------------------------------------------------ */

typedef struct model_node_s model_node_t;

struct model_node_s {
    model_list_t  name;         /* octets */
    int           is_dir;
    int           unlisted;     /* may be searched, not read */
    int           locked;       /* nor searched */
    uint64_t      ino;
    int64_t       time;
    size_t        count;
    model_node_t *child[64];
    size_t        use;          /* of the node: scratch */
};

typedef struct {
    model_node_t *top;          /* of the file system */
    uint64_t      inodes;
    int64_t       time;
    size_t        stats;        /* calls of the core */
    size_t        lists;
    void         *blocks;       /* what the core allocated */
} model_tree_t;

void model_tree_init(model_tree_t *tree, int news);
/* An entry, new or the one that is there; NULL: no room for it. */
model_node_t *model_tree_add(model_tree_t *tree, model_node_t *dir,
                             model_list_t name, int is_dir);
void model_tree_remove(model_tree_t *tree, model_node_t *dir, size_t index);
model_node_t *model_child(model_node_t *dir, model_list_t name);

/* What the core is lent; octets in a block of their own. */
iri_str_t model_lend(model_tree_t *tree, model_list_t octets);
iri_env_t model_env(model_tree_t *tree);
void model_env_free(model_tree_t *tree);

/* ---- reading ------------------------------------------------------------- */

typedef struct {
    size_t                 count;
    const model_charset_t *at[IRI_MAX_CHARSETS];
} model_charsets_t;

typedef struct {
    model_charsets_t charsets;
    iri_invalid_t    invalid;
} model_reading_conf_t;

typedef struct {
    model_charsets_t charsets;
    iri_filename_form_t      names;
    unsigned         match;
} model_tree_conf_t;

/* As iri_reading_t, but for lists. */
typedef struct {
    iri_status_t status;          /* of the call */
    iri_verdict_t verdict;
    int          http;
    iri_why_t    why;
    iri_form_t   form;
    model_list_t charset;
    model_list_t path;
    model_list_t uri;
    model_list_t octets;
    int          raw;
    const model_reading_conf_t *conf;
    model_list_t target;          /* with its default */
    int          unsure;          /* 1: or refused for a bidi character */
} model_reading_t;

model_reading_t model_read(const model_reading_conf_t *conf,
                           model_list_t path, int escaped,
                           model_list_t target);

model_list_t model_path_to_uri(model_list_t path);
model_list_t model_path_to_iri(model_list_t path);
model_list_t model_location(const model_reading_t *reading,
                            model_list_t path, int has_query,
                            model_list_t query);

/* ---- readings of what came (model_read.c, for model.c) ------------------- */

/* How a path came: octets, and how each was written.  A "/" is one. */
typedef struct {
    model_list_t           octets;  /* unescaped */
    model_list_t           escaped; /* for each 1 if it was an escape */
    model_list_t           sent;    /* the target's octets */
    model_list_t           sent_escaped;
    const model_charset_t *try[IRI_MAX_CHARSETS + 1]; /* UTF-8 first */
    size_t                 tries;
} model_came_t;

typedef struct {
    int                    read;     /* 0: there is none */
    int                    bidi;     /* 1: but for raw bidi characters */
    int                    too_long; /* 1: a segment is */
    model_list_t           path;
    model_list_t           uri;     /* of a path that came escaped */
    const model_charset_t *charset; /* NULL: several */
} model_one_t;

/* Octets, and for each 1 if it was an escape: 1; or 0 for a bad escape. */
int model_unescape(model_list_t s, model_list_t *octets,
                   model_list_t *escaped);

/* Octets unescaped, in the charsets of a list. */
model_came_t model_came(const model_reading_conf_t *conf,
                        model_list_t octets);

/*
 * Has the path a bidi formatting character that came raw, in each charset
 * that reads its segment so?
 */
int model_came_raw(const model_reading_t *reading, model_list_t path);

/* A segment in a charset: 1, and its name and URI, or 0. */
int model_read_segment(const model_charset_t *charset,
                       const model_came_t *came, size_t index,
                       model_list_t *name, model_list_t *uri);
int model_raw_bidi(const model_charset_t *charset, const model_came_t *came,
                   size_t index);

/* All segments in the charset of this index. */
model_one_t model_read_whole(const model_came_t *came, size_t index);

/* ---- finding ------------------------------------------------------------- */

typedef struct {
    iri_verdict_t verdict;
    iri_why_t    why;
    iri_why_t    or_why;          /* a second reason that will do */
    int          any_why;         /* 1: octets are served by more than one */
    int          unsure;          /* 1: or PASS, and the file system failed */
    int          unsure_bidi;     /* 1: or there is no alternative reading */
    iri_match_t  match;
    model_list_t path;
    model_list_t charset;
    model_list_t filename;
} model_found_t;

void model_finish(const model_reading_conf_t *reading,
                  model_tree_conf_t *tree);

model_found_t model_find(const model_tree_conf_t *conf, model_node_t *root,
                         model_list_t root_path, model_list_t path,
                         size_t prefix, const model_reading_t *reading);

/* The deepest entry that exists, and the rest of path; 0: it cannot say. */
int model_divide(model_node_t *root, model_list_t root_path,
                 const model_found_t *found, model_list_t *filename,
                 model_list_t *path_info);

/* The name of an entry, as UTF-8; empty: it has none. */
model_list_t model_entry_name(const model_tree_conf_t *conf,
                              model_list_t octets);

/* ---- cases --------------------------------------------------------------- */

/* Where a case comes from: octets, or random numbers where data is NULL. */
typedef struct {
    const uint8_t *data;
    size_t         len;
    size_t         at;
    uint64_t       random;
} model_source_t;

uint32_t model_draw(model_source_t *source, uint32_t n);   /* below n */

typedef struct {
    size_t cases, requests, finds, budget, unsure;
    size_t read_form[IRI_FORMS];
    size_t find_answer[IRI_VERDICTS];
    size_t find_why[IRI_WHYS];
    size_t find_match[IRI_MATCHES];
    size_t differ;
} model_counts_t;

extern model_counts_t model_counts;
extern int            model_keep_going;   /* 1: print, and do not abort */
extern uint64_t       model_seed;         /* printed too; 0: there is none */

void model_case(model_source_t *source);
void model_tables(void);                  /* every sequence, every charset */
void model_start(void);                   /* once */
void model_report(void);

#endif /* IRI_MODEL_H */
