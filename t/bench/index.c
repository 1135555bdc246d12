/*
 * index.c - the cost of building the index of a directory
 *
 *     index MATCH TREE DIRECTORY REPEAT         CPU times of REPEAT rounds
 *     index --once WHAT MATCH TREE DIRECTORY    WHAT once, for counting it
 *     index --size MATCH TREE DIRECTORY         the size of the index in octets
 *
 * MATCH is a word of iri_match, or several separated by commas, one of which is
 * "case". TREE is a directory, DIRECTORY one below it. WHAT is "nothing",
 * "readdir" (one pass over the directory and the length of each name), "index"
 * (iri_find() of a name in another case, with an empty cache), or "exact",
 * "case" or "absent" (the same, and then a thousand calls of iri_find() for an
 * exact name, a name in another case, or an absent name). Rounds of readdir and
 * index alternate, so that other load of the machine affects both. Prints lines
 * of words and numbers.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "index/iri_index_cache_apr.h"
#include "iri.h"

#define CACHE_SIZE ((size_t) 1 << 28)
#define ARENA_SIZE ((size_t) 1 << 20)
#define ROUNDS     99
#define OFTEN      1000

/* The arena and the counters of one iri_find(). */
typedef struct {
    size_t        used;
    unsigned long lists; /* directories read */
    unsigned long looks; /* names compared */
    unsigned char octets[ARENA_SIZE];
} arena_t;

typedef struct {
    unsigned           match;
    const char        *root;
    const char        *directory;
    char               path[4096];  /* in the file system */
    char               asked[1024]; /* the path of the request */
    char               exact[1024];
    char               absent[1024];
    arena_t            arena;
    iri_fold_keys_t   *keys;
    iri_index_cache_t *cache; /* of index_once(): empty before it */
} bench_t;

static bench_t bench;


static void
die(const char *action)
{
    fprintf(stderr, "index: %s: %s\n", action, strerror(errno));
    exit(1);
}


static double
cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);

    return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}


/* ---- measured operations ------------------------------------------------ */

static void
nothing(void)
{
}


/*
 * One pass over the directory. Returns: the octets of all names; their number
 * in *count.
 */
static size_t
pass(size_t *count)
{
    DIR           *dir;
    struct dirent *entry;
    size_t         octets = 0, names = 0;

    dir = opendir(bench.path);
    if (dir == NULL) {
        die(bench.path);
    }

    while ((entry = readdir(dir)) != NULL) {
        octets += strlen(entry->d_name);
        names++;
    }

    closedir(dir);
    *count = names - 2; /* "." and ".." */

    return octets - 3;
}


static void
readdir_once(void)
{
    size_t count;

    if (pass(&count) == 0) {
        die("no names");
    }
}


static void *
arena_alloc(void *ctx, size_t size)
{
    arena_t *arena = ctx;
    void    *p;

    size = (size + 15) & ~(size_t) 15;

    if (size > sizeof(arena->octets) - arena->used) {
        return NULL;
    }

    p = arena->octets + arena->used;
    arena->used += size;

    return p;
}


static iri_status_t
counted_stat(void *ctx, const char *path, iri_node_t *node)
{
    bench.arena.looks++;

    return iri_dir_posix.stat(ctx, path, node);
}


static iri_status_t
counted_list(void *ctx, const char *path, iri_node_t *node,
             iri_dir_each_t each, void *arg)
{
    bench.arena.lists++;

    return iri_dir_posix.list(ctx, path, node, each, arg);
}


static const iri_dir_t counted = { counted_stat, counted_list };


static iri_str_t
str(const char *text)
{
    iri_str_t s = { strlen(text), (const unsigned char *) text };

    return s;
}


static void *
heap_alloc(void *ctx, size_t size)
{
    (void) ctx;

    return malloc(size);
}


/* Is the requested name found, in another case or spelling? */
static int
find(iri_index_cache_t *cache, const char *asked)
{
    iri_env_t          env = { .ctx = &bench.arena,
                               .alloc = arena_alloc,
                               .dir = &counted };
    iri_env_t          heap = { .alloc = heap_alloc };
    iri_tree_conf_t    tree = { .match = bench.match };
    iri_reading_conf_t reading;
    iri_search_t       search;
    iri_found_t        found;

    memset(&reading, 0, sizeof(reading));
    memset(&search, 0, sizeof(search));
    memset(&found, 0, sizeof(found));
    bench.arena.used = 0;

    if (bench.keys == NULL) {
        bench.keys = iri_fold_keys_create(&heap);
    }

    env.fold_keys = bench.keys;

    iri_tree_conf_finish(&reading, &tree);
    search.tree = &tree;
    search.cache = cache;
    search.root = str(bench.root);
    search.path = str(asked);

    if (iri_find(&env, &search, &found) != IRI_OK) {
        die("iri_find");
    }

    return found.verdict == IRI_RESTART
           && found.match
                  == (bench.match & IRI_FOLD_SPELLING ? IRI_MATCH_SPELLING
                                                      : IRI_MATCH_CASE);
}


static apr_pool_t *pool; /* of the cache, of which there is one at a time */


static iri_index_cache_t *
cache_of(size_t size)
{
    iri_index_cache_t *cache = NULL;

    if (apr_initialize() == APR_SUCCESS
        && apr_pool_create(&pool, NULL) == APR_SUCCESS)
    {
        cache = iri_index_cache_apr_create(pool, size);
    }

    if (cache == NULL) {
        die("iri_index_cache_apr_create");
    }

    return cache;
}


static void
index_once(void)
{
    if (!find(bench.cache, bench.asked)) {
        die("not found");
    }
}


static void
find_often(const char *asked)
{
    unsigned long looks;
    size_t        i;

    index_once();
    looks = bench.arena.looks;

    for (i = 0; i < OFTEN; i++) {
        (void) find(bench.cache, asked);
    }

    printf("looks %lu\n", (bench.arena.looks - looks) / OFTEN);
}


/*
 * With the index built: an exact name, a name in another case, an absent name.
 */
static void
find_exact(void)
{
    find_often(bench.exact);
}


static void
find_case(void)
{
    find_often(bench.asked);
}


static void
find_absent(void)
{
    find_often(bench.absent);
}


/* ---- time ---------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}


static double
median(double *values, size_t count)
{
    qsort(values, count, sizeof(values[0]), compare);

    return values[count / 2];
}


/* A server creates its cache at its start, so this is not measured. */
static double
timed(void (*action)(void))
{
    double start, end;

    bench.cache = cache_of(CACHE_SIZE);

    start = cpu_ms();
    action();
    end = cpu_ms();

    apr_pool_destroy(pool);

    return end - start;
}


static void
rounds(size_t count)
{
    double        pass_ms[ROUNDS], index_ms[ROUNDS], ratio[ROUNDS];
    struct rusage before, after;
    size_t        i;

    count = count < 1 ? 1 : count > ROUNDS ? ROUNDS : count;
    readdir_once(); /* the first pass may read from the disk */

    getrusage(RUSAGE_SELF, &before);

    for (i = 0; i < count; i++) {
        if (i % 2 == 0) {
            pass_ms[i] = timed(readdir_once);
            index_ms[i] = timed(index_once);
        } else {
            index_ms[i] = timed(index_once);
            pass_ms[i] = timed(readdir_once);
        }

        ratio[i] = index_ms[i] / pass_ms[i];
    }

    getrusage(RUSAGE_SELF, &after);

    printf("readdir_ms %.3f\n", median(pass_ms, count));
    printf("index_ms %.3f\n", median(index_ms, count));
    printf("ratio %.3f\n", median(ratio, count));
    printf("peak_kib %ld\n", after.ru_maxrss - before.ru_maxrss);
}


/* ---- memory -------------------------------------------------------------- */

/*
 * Does a cache of that size keep the index? Then the directory is not read
 * again.
 */
static int
is_kept(size_t size)
{
    iri_index_cache_t *cache = cache_of(size);
    unsigned long      lists;
    int                found;

    (void) find(cache, bench.asked);
    lists = bench.arena.lists;
    found = find(cache, bench.asked) && bench.arena.lists == lists;
    apr_pool_destroy(pool);

    return found;
}


static void
sizes(void)
{
    size_t names, octets = pass(&names);
    size_t low = octets, high = CACHE_SIZE, middle;

    if (!is_kept(high)) {
        die("the index is not kept");
    }

    /* A precision of an octet for each name is enough. */
    while (high - low > names / 4 + 1) {
        middle = low + (high - low) / 2;

        if (is_kept(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }

    printf("names %zu\n", names);
    printf("octets_of_names %zu\n", octets);
    printf("cache %zu\n", high);
    printf("more_a_name %.2f\n",
           ((double) high - (double) octets) / (double) names);
}


/* ---- arguments ----------------------------------------------------------- */

static void
use_match(const char *text)
{
    iri_str_t   words[16];
    size_t      count = 0, len, unknown;
    const char *wrong;

    while (*text != '\0' && count < 16) {
        len = strcspn(text, ",");
        words[count].data = (const unsigned char *) text;
        words[count++].len = len;
        text += len + (text[len] == ',');
    }

    wrong = count != 0 ? iri_parse_words(&iri_match_words, words, count,
                                         &bench.match, &unknown)
                       : "none";
    if (wrong != NULL) {
        fprintf(stderr, "index: match %s\n", wrong);
        exit(2);
    }
}


static void
use(const char *match, const char *root, const char *directory)
{
    DIR           *dir;
    struct dirent *entry;
    size_t         i, slash;

    use_match(match);

    bench.root = root;
    bench.directory = directory;
    snprintf(bench.path, sizeof(bench.path), "%s/%s", root, directory);
    snprintf(bench.asked, sizeof(bench.asked), "/%s/", directory);
    slash = strlen(bench.asked);

    dir = opendir(bench.path);
    if (dir == NULL) {
        die(bench.path);
    }

    while ((entry = readdir(dir)) != NULL && entry->d_name[0] == '.') {
    }

    if (entry == NULL) {
        die("no names");
    }

    snprintf(bench.asked + slash, sizeof(bench.asked) - slash, "%s",
             entry->d_name);
    closedir(dir);

    memcpy(bench.exact, bench.asked, sizeof(bench.exact));
    snprintf(bench.absent, sizeof(bench.absent), "/%s/Zzzzz.html", directory);

    for (i = slash; bench.asked[i] != '\0'; i++) {
        if (bench.asked[i] >= 'a' && bench.asked[i] <= 'z') {
            bench.asked[i] = (char) (bench.asked[i] - 'a' + 'A');
        }
    }

    if (bench.match & IRI_FOLD_SPELLING) {
        bench.asked[i] = bench.asked[slash];
        bench.asked[slash] = bench.asked[slash + 1];
        bench.asked[slash + 1] = bench.asked[i];
        bench.asked[i] = '\0';
    }
}


static void (*what_of(const char *word))(void)
{
    static const struct {
        const char *word;
        void (*action)(void);
    } all[] = { { "nothing", nothing },  { "readdir", readdir_once },
                { "index", index_once }, { "exact", find_exact },
                { "case", find_case },   { "absent", find_absent } };
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (strcmp(all[i].word, word) == 0) {
            return all[i].action;
        }
    }

    errno = EINVAL;
    die(word);

    return nothing;
}


int
main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "--once") == 0) {
        use(argv[3], argv[4], argv[5]);
        (void) timed(what_of(argv[2]));
        return 0;
    }

    if (argc == 5 && strcmp(argv[1], "--size") == 0) {
        use(argv[2], argv[3], argv[4]);
        sizes();
        return 0;
    }

    if (argc == 5 && argv[1][0] != '-') {
        use(argv[1], argv[2], argv[3]);
        rounds((size_t) atoi(argv[4]));
        return 0;
    }

    fprintf(stderr, "index: see the top of t/bench/index.c\n");
    return 2;
}
