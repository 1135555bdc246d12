/*
 * listing.c - a directory listing without a server
 *
 *     listing --count N [QUERY [NAME]]    list N entries, print the memory used
 *     listing --names N [NAME]            make the same names only, so that the
 *                                         difference is the cost of the listing
 *     listing --policy [QUERY]            print its Content-Security-Policy
 *     listing DIRECTORY PATH QUERY LABELS FORM INVALID CHARSETS SIZE
 *
 * NAME contains "%d" for numbers, which come in no particular order. The last
 * form prints the page of a real directory with the canonical path PATH: LABELS
 * are the tree's charsets, separated by spaces, FORM is a word of
 * iri_filename_form, INVALID one of iri_invalid, CHARSETS are those of
 * requests, SIZE is the number of octets that are requested at a time.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iri_listing.h"

typedef struct {
    size_t taken; /* octets of the arena in use */
    size_t times;
} arena_t;

typedef struct {
    arena_t            arena;
    iri_env_t          env;
    iri_reading_conf_t reading;
    iri_tree_conf_t    tree;
    iri_listing_conf_t conf;
    iri_listing_t     *listing;
} bench_t;


static void
die(const char *action)
{
    fprintf(stderr, "listing: %s: %s\n", action, strerror(errno));
    exit(1);
}


static void
check(iri_status_t status)
{
    if (status != IRI_OK) {
        die(iri_status_text(status));
    }
}


/* Never freed: the process ends after the page. */
static void *
arena_alloc(void *ctx, size_t size)
{
    arena_t *arena = ctx;

    arena->taken += size;
    arena->times++;

    return malloc(size);
}


static iri_str_t
text_of(const char *text)
{
    iri_str_t s = { strlen(text), (const unsigned char *) text };

    return s;
}


static void
bench_init(bench_t *bench)
{
    memset(bench, 0, sizeof(*bench));
    bench->env.ctx = &bench->arena;
    bench->env.alloc = arena_alloc;
    bench->env.dir = &iri_dir_posix;
    bench->tree.match = IRI_FOLD_NORMALIZATION;
    bench->conf.tree = &bench->tree;
    bench->conf.reading = &bench->reading;
    bench->conf.root = text_of("/nowhere");
    bench->conf.path = text_of("/files/");
}


static void
charsets(iri_registry_t *registry, char *labels, int none_allowed,
         iri_charsets_t *out)
{
    iri_str_t   words[IRI_MAX_CHARSETS];
    const char *says;
    char       *word;
    size_t      count = 0;

    for (word = strtok(labels, " "); word != NULL && count < IRI_MAX_CHARSETS;
         word = strtok(NULL, " "))
    {
        words[count++] = text_of(word);
    }

    says = count != 0
               ? iri_parse_charsets(registry, words, count, none_allowed, out)
               : NULL;
    if (says != NULL) {
        die(says);
    }
}


static void
page(bench_t *bench, size_t size, int shown)
{
    unsigned char *out = malloc(size);
    size_t         len, whole = 0;

    check(iri_listing_finish(bench->listing));

    do {
        len = iri_listing_next(bench->listing, out, size);
        whole += len;

        if (shown && fwrite(out, 1, len, stdout) != len) {
            die("standard output");
        }
    } while (len != 0);

    if (!shown) {
        printf("page %zu memory %zu pieces %zu\n", whole, bench->arena.taken,
               bench->arena.times);
    }

    free(out);
}


static void
of_names(bench_t *bench, const char *format, size_t count, int listed)
{
    iri_listing_entry_t entry;
    iri_listing_info_t  info = { 0, 1, 0, 0 };
    char                name[1024];
    size_t              i, whole = 0;

    for (i = 0; i < count; i++) {
        snprintf(name, sizeof(name), format, (int) (i * 61803 % count));
        whole += strlen(name);
        info.size = i * 977;
        info.mtime = 1700000000 + (int64_t) (i * 7919 % 10000000);

        if (listed) {
            check(iri_listing_entry(bench->listing, text_of(name), &entry));
            check(iri_listing_add(bench->listing, &entry, &info));
        }
    }

    printf("names %zu\n", whole);
}


static void
of_directory(bench_t *bench, const char *directory)
{
    iri_listing_entry_t entry;
    iri_listing_info_t  info;
    struct dirent      *next;
    struct stat         st;
    char                path[8192];
    DIR                *dir = opendir(directory);

    if (dir == NULL) {
        die(directory);
    }

    while ((next = readdir(dir)) != NULL) {
        check(
            iri_listing_entry(bench->listing, text_of(next->d_name), &entry));
        snprintf(path, sizeof(path), "%s/%s", directory, next->d_name);

        if (entry.hidden || stat(path, &st) != 0) {
            continue;
        }

        info.is_directory = S_ISDIR(st.st_mode);
        info.is_known = 1;
        info.size = (uint64_t) st.st_size;
        info.mtime = st.st_mtime;
        check(iri_listing_add(bench->listing, &entry, &info));
    }

    closedir(dir);
}


static void
of_arguments(bench_t *bench, char **argv)
{
    iri_registry_t *registry = iri_registry_create(&bench->env);
    const char     *says;
    unsigned        names = 0, invalid = 0;

    if (registry == NULL) {
        die("ICU");
    }

    bench->conf.root = text_of(argv[0]);
    bench->conf.path = text_of(argv[1]);
    bench->conf.query = text_of(argv[2]);
    charsets(registry, argv[3], 0, &bench->tree.charsets);
    says = iri_parse_word(&iri_filename_form_words, text_of(argv[4]), &names);
    if (says == NULL) {
        says = iri_parse_word(&iri_invalid_words, text_of(argv[5]), &invalid);
    }
    if (says != NULL) {
        die(says);
    }

    bench->tree.names = (iri_filename_form_t) names;
    bench->reading.invalid = (iri_invalid_t) invalid;
    charsets(registry, argv[6], 1, &bench->reading.charsets);
    bench->conf.unnamed = bench->reading.invalid == IRI_INVALID_PASS;
}


int
main(int argc, char **argv)
{
    bench_t     bench;
    int         listed;
    const char *name = "report_%06d.txt";

    bench_init(&bench);

    if (argc == 9) {
        of_arguments(&bench, argv + 1);
    } else if (argc > 1 && strcmp(argv[1], "--policy") == 0) {
        bench.conf.query = text_of(argc > 2 ? argv[2] : "");
    } else if (argc < 3) {
        fprintf(stderr, "usage: listing --count N [QUERY [NAME]]\n");
        return 2;
    } else if (argc > 3) {
        bench.conf.query = text_of(argv[3]);
    }

    iri_tree_conf_finish(&bench.reading, &bench.tree);
    check(iri_listing_begin(&bench.env, &bench.conf, &bench.listing));

    if (argc > 1 && strcmp(argv[1], "--policy") == 0) {
        printf("%s\n", iri_listing_policy(bench.listing));
        return 0;
    }

    if (argc == 9) {
        of_directory(&bench, argv[1]);
        page(&bench, (size_t) atol(argv[8]), 1);
        return 0;
    }

    listed = strcmp(argv[1], "--count") == 0;
    of_names(&bench, argc > 4 ? argv[4] : name, (size_t) atol(argv[2]),
             listed);

    if (listed) {
        page(&bench, 32768, 0);
    }

    return 0;
}
