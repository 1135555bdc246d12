/*
 * fuzz.h - what the fuzz targets share
 *
 * A target is a file fuzz_NAME.c with an LLVMFuzzerTestOneInput, which takes
 * an input to the core and judges what comes out.  An input is fields
 * divided by LF, so that cutting and pasting gives another input.  Where an
 * octet chooses, it does so modulo the number of choices: no input is wrong.
 *
 * One input is judged at a time, between fuzz_begin and fuzz_end; all that
 * the core is lent stands in the one fuzz_t below.
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

/* The limits as the documents have them, for the header may be wrong. */
#define FUZZ_CHARSETS 8      /* of a list */
#define FUZZ_CALLS    200    /* of the file system, a request */
#define FUZZ_LISTS   16      /* directories read a request */
#define FUZZ_MARKS    30     /* in a row, that are normalized */
#define FUZZ_SEGMENT  1024   /* octets */
#define FUZZ_PATH     8192   /* octets */

/* Called by libFuzzer, or by replay.c. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target's own preparation; fuzz.c has an empty one. */
void fuzz_prepare(void);

/* ---- a tree in memory (tree.c) ------------------------------------------ */

#define FUZZ_NODES    32    /* with the root */
#define FUZZ_NAME_MAX 255   /* octets of a name, as of the kernel */

/* What is wrong with a node: bits. */
enum {
    FUZZ_UNLISTED = 1,     /* may be searched, not read */
    FUZZ_LIST_FAILS = 2,   /* reading it is an error */
    FUZZ_STAT_FAILS = 4    /* looking at it, or below it, is an error */
};

typedef struct {
    iri_str_t       name;
    size_t          above;   /* index of its directory */
    iri_node_kind_t kind;    /* ABSENT: the place is free */
    unsigned        wrong;
    uint64_t        ino;
    int64_t         ctime;
} fuzz_node_t;

/* ---- all that is lent (fuzz.c) ------------------------------------------ */

typedef struct {
    iri_env_t       env;       /* its ctx is not used: there is one fuzz_t */
    iri_registry_t *registry;

    size_t allocs;             /* how often memory was asked for */
    size_t fail_at;            /* which time NULL is given, from 1; 0: none */
    int    fail_on;            /* 1: and each time after it */
    size_t used;               /* octets of the arena, of this input */
    size_t mark;               /* of those: before the call of the core */

    fuzz_node_t node[FUZZ_NODES];
    size_t      nodes;
    int64_t     now;           /* the clock of the tree */
    iri_str_t   root;          /* what stands before the tree's paths */
    int         backwards;     /* directories are listed from the end */
    size_t      io_fail_at;    /* which call fails, from 1; 0: none */
    int         io_fail_on;    /* 1: and each call after it */
    size_t      stats;         /* calls of the last search */
    size_t      lists;

    const iri_reading_t *reading;   /* the last ones, for fuzz_die */
    const iri_found_t   *found;
} fuzz_t;

extern fuzz_t fuzz;

void fuzz_begin(void);
void fuzz_end(void);     /* judges that nothing given was written to */

/* Say what is wrong, with all that is known, and abort. */
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

/* A copy of octets to be given to the core: fuzz_end sees if it changed. */
iri_str_t fuzz_given(iri_str_t s);
iri_str_t fuzz_given_raw(const void *data, size_t len);
iri_str_t fuzz_text(const char *text);   /* up to its NUL, not copied */

/* ---- an input ----------------------------------------------------------- */

typedef struct {
    const uint8_t *at;   /* NULL: behind the last field */
    const uint8_t *end;
} fuzz_input_t;

fuzz_input_t fuzz_input(const uint8_t *data, size_t size);

/* The next field, into *field; 0 and an empty one where there is none. */
int fuzz_field(fuzz_input_t *input, iri_str_t *field);

/* The i-th octet of a field, 0 behind its end. */
unsigned fuzz_octet(iri_str_t field, size_t i);

/* A number of 0 to n - 1 out of it; "0" is 0, "1" is 1, and so on. */
unsigned fuzz_choice(iri_str_t field, size_t i, unsigned n);

/* "%41" to "A", once, as a server does; what is no escape stays. */
iri_str_t fuzz_unescape(iri_str_t s);

/*
 * Settings: a field of charsets, an octet each ("a" is the first row of
 * fuzz_labels, and so on), and one of the words beside them.
 */
extern const char *const fuzz_labels[];
extern const size_t      fuzz_label_count;

const iri_charset_t *fuzz_charset(unsigned octet);
void fuzz_charsets(iri_str_t field, iri_charsets_t *out);

typedef struct {
    iri_reading_conf_t reading;
    iri_tree_conf_t    tree;
} fuzz_conf_t;

/*
 * Three fields: words, charsets of requests, charsets of the tree.  Words:
 * invalid (3), names (3), match (4), and what is folded (10), ambiguous (2),
 * repair (8), and whether another place of the server repairs mojibake (2).
 */
void fuzz_conf(fuzz_input_t *input, fuzz_conf_t *out);

/*
 * A request out of an input: a field of words, then the target, and where
 * the words say so one more field.  Words: escaped (2); where target is from
 * (4): as a client sent it, none, the next field, the URI of the path.
 */
void fuzz_request(fuzz_input_t *input, iri_received_path_t *out);

/* ---- calls of the core, judged as calls (fuzz.c) ------------------------- */

/*
 * Each sees that nothing is written but on IRI_OK, that only what may fail
 * fails, and that the limits of memory and looks hold.
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
 * Put an entry, and the directories above it; its path is below the root
 * and may begin with "/".  The directory that it is in changes.  Nothing is
 * done where there is no room, where a name is "", "." or "..", or too long,
 * or holds a NUL, and where a file is in the way.
 */
void fuzz_tree_put(iri_str_t path, iri_node_kind_t kind, unsigned wrong);
void fuzz_tree_remove(iri_str_t path);
void fuzz_tree_touch(iri_str_t path, unsigned wrong);

/* What stands at a path, without counting and without errors. */
iri_node_kind_t fuzz_tree_kind(iri_str_t path);

/* Is there a node that may not be looked at? */
int fuzz_tree_has_faults(void);

/*
 * An entry described by an input: its first octet says what it is, the rest
 * is its path, in which octets below 20 stand for a segment of the request
 * at the same depth, written in one of many ways: see tree.c.
 */
void fuzz_tree_describe(iri_str_t field, const fuzz_conf_t *conf,
                        const iri_reading_t *reading);

/* ---- judgement (oracle.c) ----------------------------------------------- */

/* One character of strict UTF-8 by the table of RFC 3629; 0: there is none. */
size_t fuzz_utf8(const unsigned char *p, const unsigned char *end,
                 uint32_t *c);

int fuzz_equal(iri_str_t a, iri_str_t b);
int fuzz_is_ascii(iri_str_t s);
int fuzz_is_nfc(iri_str_t s);   /* but for the three that stay */
size_t fuzz_marks(iri_str_t s);   /* most combining marks in a row */

/* What a path or a name may hold that was read from octets. */
void fuzz_judge_text(iri_str_t text, iri_str_t octets, int legacy);

/* A URI path: pchar, "/", and escapes in upper-case hex; of these octets. */
void fuzz_judge_uri(iri_str_t uri, iri_str_t octets, int minimal);

/* All that is promised of a reading. */
void fuzz_judge_reading(const iri_reading_conf_t *conf,
                        const iri_received_path_t *request,
                        const iri_reading_t *reading);

/* Are two answers the same? */
int fuzz_same_reading(const iri_reading_t *a, const iri_reading_t *b);
int fuzz_same_found(const iri_found_t *a, const iri_found_t *b);

/* 0: what was found goes on with a name that no tree can write. */
int fuzz_is_written(const iri_search_t *search, const iri_found_t *found);

/* All that is promised of what was found, in the tree as it is. */
void fuzz_judge_found(const iri_search_t *search, const iri_found_t *found);

/* A request for path, canonical, as a client sends it after a redirect. */
iri_received_path_t fuzz_again(iri_str_t path, iri_str_t uri, int escaped);

#endif /* FUZZ_H */
