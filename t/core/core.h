/*
 * core.h - what the tests of the core share
 *
 * An arena that counts and can fail, a tree in memory that counts calls and
 * can fail, charsets by label, random numbers and data files.  A core_t is
 * the ctx of its env.
 */

#ifndef CORE_H
#define CORE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <unicode/ucnv.h>

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

#define S(literal) ((iri_str_t) IRI_STR(literal))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One name in a directory of the tree in memory. */
typedef struct core_node_s core_node_t;

struct core_node_s {
    iri_str_t    name;
    iri_node_t   node;
    size_t       children;   /* in a directory */
    core_node_t *first;
    core_node_t *next;
};

typedef struct {
    iri_env_t    env;          /* its ctx is this core_t */
    void        *blocks;       /* all that was allocated */
    size_t       allocs;       /* how often memory was asked for */
    size_t       fail_at;      /* which time NULL is given, from 1; 0: never */
    int          fail_on;      /* 1: and each time after it */

    core_node_t  root;         /* of the tree */
    uint64_t     inodes;
    int64_t      mtime;        /* of what is put into the tree */
    size_t       stats;        /* calls of stat */
    size_t       lists;        /* and of list */
    size_t       io_fail_at;   /* which call fails, from 1; 0: none */
    int          io_fail_on;   /* 1: and each call after it */
    int          absolute;     /* 0: some path was not absolute */

    char         log[8192];    /* lines, as many as there is room for */
    size_t       log_len;
} core_t;

/* A core_t with an empty tree, silent, with an old mtime. */
void core_init(core_t *core);
void core_free(core_t *core);      /* arena and tree */
void core_forget(core_t *core);    /* the arena alone */

/*
 * Put a name into the tree, with the directories above it; one that ends
 * with "/" is a directory.  The path is absolute.  Its directory changes.
 */
core_node_t *core_put(core_t *core, iri_str_t path);
core_node_t *core_node(core_t *core, iri_str_t path);   /* or NULL */

/* The charset of a label, built once; fails the test if it is unknown. */
const iri_charset_t *core_charset(const char *label);
iri_charsets_t core_charsets(const char *labels);   /* "sjis euc-jp"; "" */
iri_registry_t *core_registry(void);

/* A tree's settings: charsets ("" is UTF-8), form, IRI_FOLD_... */
iri_tree_conf_t core_tree(const char *labels, iri_filename_form_t names,
                          unsigned match);

iri_str_t core_str(const char *text);      /* up to its NUL */
iri_str_t core_utf8(const uint32_t *c, size_t count, unsigned char *out);

/*
 * The same by ICU alone, slowly: characters in NFC or NFD but for the three
 * that stay.  count is at most CORE_LONG, out ten times as long.
 */
#define CORE_LONG 2048
size_t core_normalize(const uint32_t *c, size_t count, int nfd,
                      uint32_t *out);
size_t core_normalize_part(const uint32_t *c, size_t count, int nfd,
                           uint32_t *out);   /* nothing stays */
int core_too_many_marks(const uint32_t *c, size_t count);

/*
 * The characters of octets in a charset, or -1: not read, or not allowed.
 * The name that they are: in NFC where it is to be normalized; len -1: none.
 */
long core_decode(const iri_charset_t *charset, iri_str_t octets,
                 uint32_t *out);
long core_canonical(const iri_charset_t *charset, iri_str_t octets,
                    unsigned char *out);

/* Each charset that can read paths. */
typedef struct {
    const char *name;
    int         three;   /* has sequences of three octets */
    int         four;    /* has sequences of four */
} core_supported_t;

#define CORE_SUPPORTED 34
extern const core_supported_t core_supported[CORE_SUPPORTED];

int core_is_private(uint32_t c);
int core_is_bidi_control(uint32_t c);

/* pchar of RFC 3986, and "/", as they stand there */
int core_is_path_char(unsigned char c);

/* Append to a text of which the whole array is given. */
#define core_append(array, text)                                              \
    snprintf((array) + strlen(array), sizeof(array) - strlen(array), "%s",    \
             (text))

/* "%41" to "A", into out, which is as long as s. */
iri_str_t core_unescape(iri_str_t s, unsigned char *out);

/* iri_redirect_location of a reading alone; query NULL: none. */
iri_status_t core_location(const iri_env_t *env, const iri_reading_t *reading,
                           iri_str_t path, const iri_str_t *query,
                           iri_str_t *out);

/* A number below n; the seed is IRI_SEED, or always the same. */
uint32_t core_random(uint32_t n);

/* "/caf\xC3\xA9" as it can be printed; static, eight at a time. */
const char *core_show(iri_str_t s);

/*
 * A data file below $IRI_SHARED or ../shared; NULL, and a message.  A test that
 * lacks its data returns: for TAP's readers cmocka's skip() is a failure.
 */
FILE *core_data(const char *path);

void core_assert_str(iri_str_t got, iri_str_t want, const char *what,
                     const char *file, int line);

#define assert_str(got, want)                                                 \
    core_assert_str((got), (want), #got, __FILE__, __LINE__)
#define assert_text(got, want)                                                \
    core_assert_str((got), core_str(want), #got, __FILE__, __LINE__)

#endif /* CORE_H */
