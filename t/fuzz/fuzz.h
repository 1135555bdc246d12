/*
 * fuzz.h - shared support of the fuzz targets
 *
 * A target is a file fuzz_NAME.c with an LLVMFuzzerTestOneInput, which gives an
 * input to the core and checks the result. An input consists of fields
 * separated by LF, so that cutting and pasting makes another input. An octet
 * that selects something does so modulo the number of choices: every input is
 * valid. One input is processed at a time, between fuzz_begin and fuzz_end; its
 * state is the one fuzz_t below.
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/iri_string.h"
#include "charset/iri_charset.h"
#include "config/iri_registry.h"
#include "host/iri_idna.h"
#include "index/iri_index.h"
#include "iri_dav.h"
#include "iri_ref.h"
#include "iri_stats.h"
#include "output/iri_output.h"
#include "path/iri_path.h"
#include "request/iri_state.h"
#include "tree/iri_tree.h"
#include "unicode/iri_unicode.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The documented limits, not those of the header, which may be wrong. */
#define FUZZ_CALLS    200    /* of the file system, for a request */
#define FUZZ_LISTS   16      /* directories read for a request */
#define FUZZ_MARKS    30     /* in a row, that are normalized */
#define FUZZ_SEGMENT  1024   /* octets */
#define FUZZ_PATH     8192   /* octets */
#define FUZZ_TEXT     4096   /* characters that the oracle decodes */

/* Called by libFuzzer, or by replay.c. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target's own preparation; fuzz.c has an empty one. */
void fuzz_prepare(void);

/* ---- a tree in memory (tree.c) ------------------------------------------ */

#define FUZZ_NODES    32    /* including the root */
#define FUZZ_NAME_MAX 255   /* octets of a name, as in the kernel */

/* Faults of a node: bits */
enum {
    FUZZ_UNLISTED = 1,     /* may be searched, not listed */
    FUZZ_LIST_FAILS = 2,   /* listing it is an error */
    FUZZ_STAT_FAILS = 4    /* stat of it, or below it, is an error */
};

typedef struct {
    iri_str_t       name;
    size_t          above;   /* index of its directory */
    iri_node_kind_t kind;    /* ABSENT: the slot is free */
    unsigned        wrong;
    uint64_t        ino;
    int64_t         ctime;
} fuzz_node_t;

/* ---- environment of the core (fuzz.c) ----------------------------------- */

typedef struct {
    iri_env_t       env;       /* its ctx is not used: there is one fuzz_t */
    iri_registry_t *registry;

    size_t allocs;             /* number of allocations */
    size_t fail_at;            /* which allocation fails, from 1; 0: none */
    int    fail_on;            /* 1: and each later one */
    size_t used;               /* octets of the arena that this input uses */
    size_t mark;               /* of those: before the current call */

    fuzz_node_t node[FUZZ_NODES];
    size_t      nodes;
    int64_t     now;           /* the clock of the tree */
    iri_str_t   root;          /* prefix of the tree's paths */
    int         backwards;     /* directories are listed in reverse */
    size_t      io_fail_at;    /* the call that fails, from 1; 0: none */
    int         io_fail_on;    /* 1: and each later call */
    size_t      stats;         /* calls of the last search */
    size_t      lists;

    const iri_reading_t *reading;   /* the last results, for fuzz_die */
    const iri_found_t   *found;
} fuzz_t;

extern fuzz_t fuzz;

void fuzz_begin(void);
void fuzz_end(void);     /* checks that no given string was modified */

/* Print the error and all state, and abort. */
void fuzz_die(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));

#define fuzz_assert(condition)                                                \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fuzz_die("%s:%d: not so: %s", __FILE__, __LINE__, #condition);    \
        }                                                                     \
    } while (0)

/* The cache of an input, of which there is one at a time. */
iri_index_cache_t *fuzz_cache(size_t size);
void fuzz_cache_free(void);

/* Memory until fuzz_end, which a sanitizer watches octet by octet. */
void *fuzz_memory(size_t size);

/* A copy of octets for the core; fuzz_end checks that it was not modified. */
iri_str_t fuzz_given(iri_str_t s);
iri_str_t fuzz_given_raw(const void *data, size_t len);
iri_str_t fuzz_text(const char *text);   /* up to its NUL, not copied */

/* ---- an input ----------------------------------------------------------- */

typedef struct {
    const uint8_t *at;   /* NULL: after the last field */
    const uint8_t *end;
} fuzz_input_t;

fuzz_input_t fuzz_input(const uint8_t *data, size_t size);

/*
 * Read the next field into *field. Returns: 0 if there is none, and an empty
 * field.
 */
int fuzz_field(fuzz_input_t *input, iri_str_t *field);

/* The i-th octet of a field; 0 after its end. */
unsigned fuzz_octet(iri_str_t field, size_t i);

/* A number from 0 to n - 1: "0" is 0, "1" is 1, and so on. */
unsigned fuzz_choice(iri_str_t field, size_t i, unsigned n);

/* Unescape "%41" to "A", once, as a server does; invalid escapes stay. */
iri_str_t fuzz_unescape(iri_str_t s);

/*
 * Settings: a field of charsets, an octet each ("a" is the first row of
 * fuzz_labels in fuzz.c), and a field of words.
 */
void fuzz_charsets(iri_str_t field, iri_charsets_t *out);

typedef struct {
    iri_reading_conf_t reading;
    iri_tree_conf_t    tree;
} fuzz_conf_t;

/*
 * Three fields: words, charsets of requests, charsets of the tree. Words:
 * invalid (3), names (3), match (4), folded levels (10), ambiguous (2), repair
 * (8), and whether another location of the server repairs mojibake (2).
 */
void fuzz_conf(fuzz_input_t *input, fuzz_conf_t *out);

/*
 * A request: a field of words, then the target, and one more field if the words
 * say so. Words: escaped (2); source of the target (4): as sent by a client,
 * none, the next field, the URI of the path.
 */
void fuzz_request(fuzz_input_t *input, iri_received_path_t *out);

/* ---- calls of the core, judged as calls (fuzz.c) ------------------------- */

#define FUZZ_JUNK 0x5a   /* each octet of an output before a call */

int fuzz_is_junk(const void *out, size_t size);

/*
 * Each checks that output is written only on IRI_OK, that only expected
 * failures occur, and that memory and lookups are within their limits.
 */
iri_status_t fuzz_read(const iri_reading_conf_t *conf,
                       const iri_received_path_t *request, iri_reading_t *out);
iri_status_t fuzz_find(const iri_search_t *search, iri_found_t *out);
iri_str_t fuzz_entry_name(const iri_tree_conf_t *tree, iri_str_t octets);
iri_str_t fuzz_uri(iri_str_t path);

/* ---- the tree (tree.c) -------------------------------------------------- */

extern const iri_dir_t fuzz_dir;

void fuzz_tree_clear(iri_str_t root);

/*
 * Add an entry, and the directories above it; its path is below the root and
 * may start with "/". The times of its directory change. Nothing is added if
 * there is no room, if a name is "", "." or "..", too long, or contains NUL,
 * and if a file is in the way.
 */
void fuzz_tree_put(iri_str_t path, iri_node_kind_t kind, unsigned wrong);
void fuzz_tree_remove(iri_str_t path);
void fuzz_tree_touch(iri_str_t path, unsigned wrong);

/* The kind of entry at a path, without counting and without errors. */
iri_node_kind_t fuzz_tree_kind(iri_str_t path);

/* Does any node have a fault? */
int fuzz_tree_has_faults(void);

/*
 * Add an entry that an input describes: the first octet is its kind, the rest
 * its path, in which octets below 20 stand for a segment of the request at the
 * same depth, in one of many encodings: see tree.c.
 */
void fuzz_tree_describe(iri_str_t field, const fuzz_conf_t *conf,
                        const iri_reading_t *reading);

/* ---- judgement (oracle.c) ----------------------------------------------- */

/*
 * Decode one character of strict UTF-8, by ICU. Returns: 0 if it is invalid.
 */
size_t fuzz_utf8(const unsigned char *p, const unsigned char *end,
                 uint32_t *c);

int fuzz_equal(iri_str_t a, iri_str_t b);
int fuzz_is_ascii(iri_str_t s);
int fuzz_is_utf8(iri_str_t s);
int fuzz_is_bidi(uint32_t c);      /* a bidi formatting character */
int fuzz_is_never(uint32_t c);     /* U+FFFD, and noncharacters */
int fuzz_is_ucschar(uint32_t c);   /* RFC 3987, 2.2, without fuzz_is_bidi */
int fuzz_is_nfc(iri_str_t s);   /* three characters do not change */
size_t fuzz_marks(iri_str_t s);   /* most combining marks in a row */

/*
 * Decode octets to characters, plainly; same: only if they are encoded as the
 * same octets again. Returns: 0 if they are not of that charset.
 */
int fuzz_characters(const iri_charset_t *charset, iri_str_t octets, int same,
                    uint32_t *c, size_t *count);

/* In NFC or NFD, by ICU, except the three characters whose NFC is ASCII. */
iri_str_t fuzz_normalize(const uint32_t *c, size_t count, int nfd);

/* The canonical segment of these octets. Returns: 0 if there is none. */
int fuzz_decode(const iri_charset_t *charset, iri_str_t octets, int same,
                iri_str_t *name);

/* Sets of octets, as text; NUL is in none. */
#define FUZZ_ALPHA "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define FUZZ_DIGIT "0123456789"

int fuzz_is_in(unsigned char c, const char *set);

/* The number of octets of s before the first of these. */
size_t fuzz_span(iri_str_t s, const char *stop);

/* The first octets of s, which is cut after them and `more` octets. */
iri_str_t fuzz_cut(iri_str_t *s, size_t len, size_t more);

/*
 * RFC 3986, appendix B, plainly; data is NULL where a part is absent. rooted:
 * "//" at the start is part of the path.
 */
iri_parts_t fuzz_split(iri_str_t s, int rooted);

/* Check a path or a name that was decoded from octets. */
void fuzz_judge_text(iri_str_t text, iri_str_t octets, int legacy);

/*
 * Check a URI path: pchar, "/", and escapes in upper-case hex; of these octets.
 */
void fuzz_judge_uri(iri_str_t uri, iri_str_t octets, int minimal);

/* Check all documented properties of a reading. */
void fuzz_judge_reading(const iri_reading_conf_t *conf,
                        const iri_received_path_t *request,
                        const iri_reading_t *reading);

/* Are two readings equal? */
int fuzz_same_reading(const iri_reading_t *a, const iri_reading_t *b);
int fuzz_same_found(const iri_found_t *a, const iri_found_t *b);

/* 0: the path continues with a name that the tree cannot encode. */
int fuzz_is_written(const iri_search_t *search, const iri_found_t *found);

/* Check all documented properties of a search result, for this tree. */
void fuzz_judge_found(const iri_search_t *search, const iri_found_t *found);

/*
 * Without errors: an entry with the name that is searched for is found, also if
 * the name has another charset.
 */
void fuzz_judge_missed(const iri_search_t *search, const iri_found_t *found);

/* A request for the canonical path, as a client sends it after a redirect. */
iri_received_path_t fuzz_redirected_request(iri_str_t path, iri_str_t uri,
                                            int escaped);

#endif /* FUZZ_H */
