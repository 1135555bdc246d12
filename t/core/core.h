/*
 * core.h - shared support of the core's unit tests
 *
 * An arena that counts and can fail, a tree in memory that counts calls and
 * can fail, charsets by label, random numbers and data files.  The ctx of a
 * core_t's env is the core_t.
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
    iri_dir_t    dir;          /* of env: core_dir, or what a test sets */
    void        *blocks;       /* all that was allocated */
    size_t       allocs;       /* number of allocations */
    size_t       fail_at;      /* the allocation that fails, from 1; 0: none */
    int          fail_on;      /* 1: and each later one */

    core_node_t  root;         /* of the tree */
    uint64_t     inodes;
    int64_t      mtime;        /* of nodes put into the tree */
    size_t       stats;        /* calls of stat */
    size_t       lists;        /* calls of list */
    size_t       io_fail_at;   /* the call that fails, from 1; 0: none */
    int          io_fail_on;   /* 1: and each later one */
    int          absolute;     /* 0: some path was relative */

    char         log[8192];    /* log lines, truncated */
    size_t       log_len;
} core_t;

/*
 * A test: TEST(test_example) { ... }.  All of a file run in their order, each
 * with an empty `core`.  A file may have functions before and after them.
 */
#define TEST(name)                                                            \
    static void name(void **);                                                \
    static void __attribute__((constructor)) name##_is_test(void)             \
    {                                                                         \
        core_test(#name, name);                                               \
    }                                                                         \
    static void name(void **core_state __attribute__((unused)))

extern core_t          core;
extern const iri_dir_t core_dir;   /* the calls for the tree in memory */
void core_test(const char *name, CMUnitTestFunction function);
int core_run(void);                /* from main(), which a file may have */
void core_set_up(void);            /* of the file */
void core_tear_down(void);

/*
 * A core_t with an empty tree, silent, with an old mtime.  That of the test may
 * be in use.
 */
void core_init(core_t *core);
void core_free(core_t *core);      /* arena and tree */
void core_forget(core_t *core);    /* the arena alone */

/*
 * A cache of indexes, that of httpd and the command.  It aborts if it is locked
 * twice.  core_cache_locks: how often it was locked.  NULL may be freed; the end
 * of a test frees the others.
 */
iri_index_cache_t *core_cache(size_t size);
void core_cache_free(iri_index_cache_t *cache);
size_t core_cache_locks(const iri_index_cache_t *cache);

/*
 * Add a name to the tree, with its parent directories; one that ends with "/"
 * is a directory.  The path is absolute.  Updates the parent directory.
 */
core_node_t *core_put(core_t *core, iri_str_t path);
core_node_t *core_node(core_t *core, iri_str_t path);   /* or NULL */

/* Add each of "/a|/b/", below /srv. */
void core_put_all(core_t *core, const char *entries);

/* The charset of a label, built once; fails the test if it is unknown. */
const iri_charset_t *core_charset(const char *label);
iri_charsets_t core_charsets(const char *labels);   /* "sjis euc-jp"; or NULL */
iri_registry_t *core_registry(void);
const iri_detector_t *core_detector(void);
const iri_host_conf_t *core_hosts(void);            /* UTS #46 */
const iri_confusables_t *core_confusables(void);

/* A tree's settings: charsets ("" is UTF-8), form, IRI_FOLD_... */
iri_tree_conf_t core_tree(const char *labels, iri_filename_form_t names,
                          unsigned match);

/* A request as it was sent, its search below /srv, and the result. */
typedef struct {
    iri_reading_conf_t  conf;
    iri_tree_conf_t     tree;
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_search_t        search;
    iri_found_t         found;
    unsigned char       octets[IRI_MAX_PATH];   /* of the path, unescaped */
} core_find_t;

/*
 * Settings and an empty /srv in an empty `core`; octets without a reading pass.
 * charsets: of requests.
 */
void core_find_init(core_find_t *find, const char *charsets, const char *tree,
                    iri_filename_form_t names, unsigned match);
void core_find_read(core_find_t *find, iri_str_t target);
void core_find(core_find_t *find);         /* fails the test on an error */

iri_str_t core_str(const char *text);      /* up to its NUL */
iri_str_t core_utf8(const uint32_t *c, size_t count, unsigned char *out);

/*
 * The same by ICU alone, without optimization: characters in NFC or NFD,
 * except the three that are not changed.  count is at most CORE_LONG, out has
 * room for ten times as many.
 */
#define CORE_LONG 2048
size_t core_normalize(const uint32_t *c, size_t count, int nfd,
                      uint32_t *out);
int core_stays(uint32_t c);       /* one of the three */
int core_is_scalar(uint32_t c);   /* up to U+10FFFF, without surrogates */
size_t core_normalize_part(const uint32_t *c, size_t count, int nfd,
                           uint32_t *out);   /* nothing stays */
int core_too_many_marks(const uint32_t *c, size_t count);

/* Each charset that can read paths. */
typedef struct {
    const char *name;
    int         three;   /* has sequences of three octets */
    int         four;    /* has sequences of four */
} core_supported_t;

#define CORE_SUPPORTED 34
extern const core_supported_t core_supported[CORE_SUPPORTED];

/* pchar of RFC 3986, and "/", as they stand there */
int core_is_path_char(unsigned char c);

/* Append to a text; the argument is the whole array. */
#define core_append(array, text)                                              \
    snprintf((array) + strlen(array), sizeof(array) - strlen(array), "%s",    \
             (text))

/* Unescape "%41" to "A", into out, which is as long as s. */
iri_str_t core_unescape(iri_str_t s, unsigned char *out);

/* iri_redirect_location of a reading alone; query NULL: none. */
iri_status_t core_location(const iri_env_t *env, const iri_reading_t *reading,
                           iri_str_t path, const iri_str_t *query,
                           iri_str_t *out);

/* A random number below n; the seed is IRI_SEED, constant by default. */
uint32_t core_random(uint32_t n);

/* A printable form, "/caf\xC3\xA9"; static, eight buffers in turn. */
const char *core_show(iri_str_t s);

/*
 * A data file below $IRI_SHARED or ../shared; NULL, and a message, if it is
 * missing.  A test without its data returns: readers of TAP count cmocka's
 * skip() as a failure.
 */
FILE *core_data(const char *path);

/* IRI_SWEEP=all: examine every character, not a sample. */
int core_sweeps(void);

void core_assert_str(iri_str_t got, iri_str_t want, const char *what,
                     const char *file, int line);

#define assert_ok(status) assert_int_equal((status), IRI_OK)
#define assert_str(got, want)                                                 \
    core_assert_str((got), (want), #got, __FILE__, __LINE__)
#define assert_text(got, want)                                                \
    core_assert_str((got), core_str(want), #got, __FILE__, __LINE__)

#endif /* CORE_H */
