/*
 * model.h - a second, slow implementation of reading and finding
 *
 * The core is compared with it. It was written from the documents (design,
 * iri.h, doc/), not from the core: lists of numbers, one ICU call for each
 * sequence, a tree in memory of which every entry is compared by name for each
 * request. It has no lookups of encodings, no cache and no limits of calls.
 * model_case decides which results of the core must agree.
 *
 *    model_text.c    lists, UTF-8, charsets, normalization forms
 *    model_read.c    reading
 *    model.c         finding
 *    model_tree.c    the tree, for the model and for the core
 *    model_case.c    a case from random numbers or from a fuzzer's octets
 *    model_run.c     the results of both, and their comparison
 */

#ifndef IRI_MODEL_H
#define IRI_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "iri.h"

/* ---- lists --------------------------------------------------------------- */

/* Octets or characters; valid until model_forget. */
typedef struct {
    size_t    len;
    size_t    room;
    uint32_t *at;
} model_list_t;

void *model_alloc(size_t size);     /* never NULL, zeroed */
size_t model_mark(void);
void  model_release(size_t mark);   /* free what was allocated since then */
void  model_forget(void);           /* free all */

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

/* The charset by its name or index; NULL: unknown; 0: UTF-8. */
const model_charset_t *model_charset(const char *name);
const model_charset_t *model_charset_at(size_t index);
const char *model_charset_name(const model_charset_t *charset);
int model_is_utf8(const model_charset_t *charset);
int model_is_japanese(const model_charset_t *charset);

/*
 * Decode strictly: 1 and the characters, or 0. If from is not NULL, it gets for
 * each character the index of its first octet, and then the number of octets.
 */
int model_decode(const model_charset_t *charset, model_list_t octets,
                 model_list_t *chars, model_list_t *from);

/* 1 and octets that decode to exactly these characters, or 0. */
int model_encode(const model_charset_t *charset, model_list_t chars,
                 model_list_t *octets);

model_list_t model_utf8(model_list_t chars);

/*
 * 0: a character that no name may contain (design 4.5); legacy: decoded in a
 * legacy charset.
 */
int model_allowed(model_list_t chars, int legacy);
int model_is_bidi(uint32_t c);

/* NFC of one segment, with the exceptions of design 4.5. */
model_list_t model_nfc(model_list_t chars);
model_list_t model_nfd(model_list_t chars);
/* Composed as far as the charset can encode it. */
model_list_t model_composed_for(const model_charset_t *charset,
                                model_list_t chars);
/* Replace each member of a JIS vendor pair by the JIS or the vendors' one. */
model_list_t model_fold_variants(model_list_t chars, int vendor);
uint32_t     model_other_variant(uint32_t c);

/* ---- the tree ------------------------------------------------------------ */

typedef struct model_node_s model_node_t;

struct model_node_s {
    model_list_t  name;         /* octets */
    int           is_dir;
    int           unlisted;     /* may be searched, not listed */
    int           locked;       /* may not be searched either */
    uint64_t      ino;
    int64_t       time;
    size_t        count;
    model_node_t *child[64];
    size_t        use;          /* a scratch value */
};

typedef struct {
    model_node_t *top;          /* of the file system */
    uint64_t      inodes;
    int64_t       time;
    size_t        stats;        /* calls by the core */
    size_t        lists;
    void         *blocks;       /* what the core allocated */
} model_tree_t;

void model_tree_init(model_tree_t *tree, int news);
/* Add an entry, or return the existing one; NULL: no room. */
model_node_t *model_tree_add(model_tree_t *tree, model_node_t *dir,
                             model_list_t name, int is_dir);
void model_tree_remove(model_tree_t *tree, model_node_t *dir, size_t index);
model_node_t *model_child(model_node_t *dir, model_list_t name);

/* A string for the core; its octets are a block of their own. */
iri_str_t model_core_string(model_tree_t *tree, model_list_t octets);
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

/* Like iri_reading_t, with lists. */
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
    model_list_t target;          /* with its default value */
    int          unsure;          /* 1: may be refused, for bidi */
} model_reading_t;

model_reading_t model_read(const model_reading_conf_t *conf,
                           model_list_t path, int escaped,
                           model_list_t target);

model_list_t model_path_to_uri(model_list_t path);
model_list_t model_path_to_iri(model_list_t path);
model_list_t model_location(const model_reading_t *reading,
                            model_list_t path, int has_query,
                            model_list_t query);

/* ---- readings of a received path (model_read.c, for model.c) ------------- */

/*
 * A received path: octets, and whether each was escaped. An escaped "/" is a
 * slash.
 */
typedef struct {
    model_list_t           octets;  /* unescaped */
    model_list_t           escaped; /* for each octet 1 if it was escaped */
    model_list_t           sent;    /* the octets of the target */
    model_list_t           sent_escaped;
    const model_charset_t *try[IRI_MAX_CHARSETS + 1]; /* UTF-8 first */
    size_t                 tries;
} model_received_t;

typedef struct {
    int                    read;     /* 0: there is none */
    int                    bidi;     /* 1: read, but for raw bidi */
    int                    too_long; /* 1: a segment is too long */
    model_list_t           path;
    model_list_t           uri;     /* of a path that is handed over escaped */
    const model_charset_t *charset; /* NULL: several */
} model_one_t;

/*
 * The unescaped octets, and for each 1 if it was escaped: 1; or 0 for a bad
 * escape.
 */
int model_unescape(model_list_t s, model_list_t *octets,
                   model_list_t *escaped);

/* The unescaped octets, in the charsets of a list. */
model_received_t model_received(const model_reading_conf_t *conf,
                        model_list_t octets);

/*
 * Does the path have a bidi formatting character that was sent raw, in each
 * charset in which its segment is valid?
 */
int model_received_raw(const model_reading_t *reading, model_list_t path);

/* One segment in a charset: 1, its name and its URI; or 0. */
int model_read_segment(const model_charset_t *charset,
                       const model_received_t *received, size_t index,
                       model_list_t *name, model_list_t *uri);
int model_raw_bidi(const model_charset_t *charset,
                   const model_received_t *received,
                   size_t index);

/* All segments in the charset of this index. */
model_one_t model_read_whole(const model_received_t *received, size_t index);

/* ---- finding ------------------------------------------------------------- */

typedef struct {
    iri_verdict_t verdict;
    iri_why_t    why;
    iri_why_t    or_why;          /* a second acceptable reason */
    int          any_why;         /* 1: any reason to serve octets */
    int          unsure;          /* 1: or PASS, the file system failed */
    int          unsure_bidi;     /* 1: or no alternative reading */
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

/* The deepest entry that exists, and the rest of path; 0: unknown. */
int model_divide(model_node_t *root, model_list_t root_path,
                 const model_found_t *found, model_list_t *filename,
                 model_list_t *path_info);

/* The name of an entry, as UTF-8; empty: none. */
model_list_t model_entry_name(const model_tree_conf_t *conf,
                              model_list_t octets);

/* ---- cases --------------------------------------------------------------- */

/* The source of a case: octets, or random numbers if data is NULL. */
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
extern int            model_keep_going;   /* 1: a difference is printed only */
extern uint64_t       model_seed;         /* is printed; 0: no seed */

void model_case(model_source_t *source);
void model_tables(void);            /* every sequence of every charset */
void model_start(void);                   /* called once */
void model_report(void);

#endif /* IRI_MODEL_H */
