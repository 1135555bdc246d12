/*
 * test_cache.c - the cache of directory indexes
 *
 * Covers: a directory is read once while it does not change, and again after a
 * change of its times, of the settings or by the clock; a directory with more
 * entries than the limit is not cached and answers for exact names; the least
 * recently used index is evicted; an entry that is gone is not found; locks
 * are balanced, and threads that share the cache read a directory once.
 * Builds in a thread pool: run, dropped, late, once for all requests; one that
 * does not end is taken over, also while it writes its index.
 */

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

#define ODD      "\xc3\xa2\xcc\xa3" /* partly composed U+1EAD */
#define ODD_NAME "\xe1\xba\xad"
#define N        IRI_FOLD_NORMALIZATION
#define C        (N | IRI_FOLD_CASE)
#define SIZE     (256 * 1024)
#define MS       INT64_C(1000000)             /* nanoseconds */
#define START    INT64_C(1795363200000000000) /* a time of a test */

/*
 * The time that the core sees: it advances only where a test advances it; 0:
 * the real time.
 */
static int64_t fake_time;


int
clock_gettime(clockid_t id, struct timespec *t)
{
    int64_t at = id == CLOCK_REALTIME ? fake_time : 0;

    if (fake_time == 0) {
        return (int) syscall(SYS_clock_gettime, id, t);
    }

    t->tv_sec = (time_t) (at / 1000000000);
    t->tv_nsec = (long) (at % 1000000000);

    return 0;
}


static int64_t
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);

    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}


/* The cache of a test, the settings, and whose tree they are. */
static iri_index_cache_t *cache;
static iri_tree_conf_t    tree;
static core_t            *owner;


static void
start(size_t size, unsigned match)
{
    fake_time = 0;
    cache = core_cache(size);
    tree = core_tree("", IRI_FILENAME_ANY, match);
    owner = &core;
}


static iri_found_t
find(const char *path)
{
    iri_search_t search = { .tree = &tree,
                            .cache = cache,
                            .root = S("/srv"),
                            .path = core_str(path) };
    iri_found_t  found;

    assert_ok(iri_find(&owner->env, &search, &found));

    return found;
}


/* Find path below /srv. Returns: its filename, or "" if it is not found. */
static iri_str_t
find_in(const char *path)
{
    iri_found_t found = find(path);

    return found.verdict == IRI_SERVE ? found.filename : S("");
}


/* The path of an entry that is found under another name, or "". */
static iri_str_t
find_other(const char *path)
{
    iri_found_t found = find(path);

    return found.verdict == IRI_RESTART ? found.path : S("");
}


/* The entry on disk under this name or another one, or "". */
static iri_str_t
found_at(const char *path)
{
    iri_found_t found = find(path);

    return found.verdict == IRI_PASS ? S("") : found.filename;
}


TEST(test_read_once)
{
    size_t i;

    start(65536, N);
    core_put(&core, S("/srv/" ODD));

    for (i = 0; i < 10; i++) {
        assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
        assert_text(find_in("/\xe8\xa1\xa8"), "");
    }

    assert_int_equal(core.lists, 1);
    assert_true(core_cache_locks(cache) >= 20);

    /* Without a cache the directory is read for each request. */
    core.lists = 0;
    cache = NULL;
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 2);
}


TEST(test_changes_are_seen)
{
    core_node_t *srv;

    start(65536, N);
    srv = core_put(&core, S("/srv/"));
    assert_text(find_in("/" ODD_NAME), "");
    assert_int_equal(core.lists, 1);

    /* The change of mtime and ctime */
    core.mtime += 1;
    core_put(&core, S("/srv/" ODD));
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 2);

    /* A change of one of the times is enough, or of the owner. */
    srv->node.ctime++;
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 3);
    srv->node.mtime--;
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 4);
    srv->node.ino += 1000;
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 5);
    srv->node.dev++;
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 6);
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 6);
}


/*
 * The directory that the next listing reads, as if a symbolic link had been
 * replaced.
 */
static const char *replaced_by;


static iri_status_t
list_elsewhere(void *ctx, const char *path, iri_node_t *node,
               iri_dir_each_t each, void *arg)
{
    return core_dir.list(ctx, replaced_by != NULL ? replaced_by : path, node,
                         each, arg);
}


TEST(test_a_list_belongs_to_what_was_read)
{
    start(65536, N);
    core_put(&core, S("/srv/" ODD));
    core_put(&core, S("/other/x"));
    core.dir.list = list_elsewhere;

    /* The directory is replaced between stat and reading ... */
    replaced_by = "/other";
    assert_text(find_in("/" ODD_NAME), "");

    /* ... the entries must not be cached for the first directory. */
    replaced_by = NULL;
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 2);

    /* The failure to open a directory is not cached either. */
    replaced_by = "/srv/" ODD;
    core_put(&core, S("/srv/new/"));
    assert_text(find_in("/new/" ODD_NAME), "");
    replaced_by = "/srv";
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
}


static iri_str_t
find_as(const iri_tree_conf_t *conf, const char *path)
{
    tree = *conf;

    return find_in(path);
}


TEST(test_settings_are_kept_apart)
{
    iri_tree_conf_t utf8 = core_tree("", IRI_FILENAME_ANY, N);
    iri_tree_conf_t both = core_tree("utf-8 windows-1258", IRI_FILENAME_ANY,
                                     N);
    iri_tree_conf_t form = core_tree("", IRI_FILENAME_NFC, N);
    iri_tree_conf_t exact = core_tree("", IRI_FILENAME_ANY,
                                      IRI_FOLD_EXACT_ONLY);

    start(65536, N);
    core_put(&core, S("/srv/" ODD));
    core_put(&core, S("/srv/\xfd\xec"));

    assert_text(find_as(&utf8, "/" ODD_NAME), "/srv/" ODD);
    assert_text(find_as(&both, "/" ODD_NAME), "/srv/" ODD);
    assert_text(find_as(&utf8, "/" ODD_NAME), "/srv/" ODD);
    assert_text(find_as(&form, "/" ODD_NAME), "");
    assert_text(find_as(&exact, "/" ODD_NAME), "");

    /* Marks in another order, in windows-1258; in UTF-8 it is another name. */
    core.mtime++;
    core_put(&core, S("/srv/a\xec\xf2"));
    assert_text(find_as(&utf8, "/\xe1\xba\xa1\xcc\x81"), "");
    assert_text(find_as(&both, "/\xe1\xba\xa1\xcc\x81"), "/srv/a\xec\xf2");
}


/*
 * A directory that changes while the clock of its file system does not advance:
 * its times stay the same, and what was found before is not reused.
 */
TEST(test_racy_directory)
{
    static const struct {
        const char         *absent, *added, *present;
        unsigned            match;
        iri_filename_form_t names;
    } rows[] = {
        { "/d/" ODD_NAME, "/srv/d/" ODD, "/d/\xc3\xa9", N, IRI_FILENAME_ANY },
        { "/d/NEW", "/srv/d/new", "/d/\xc3\x89", C, IRI_FILENAME_ANY },
        { "/d/" ODD_NAME, "/srv/d/a\xcc\xa3\xcc\x82", "/d/\xc3\xa9", N,
          IRI_FILENAME_NFD },
    };
    const char *old = "/srv/d/e\xcc\x81";
    size_t      i, k;

    for (i = 0; i < COUNT(rows); i++) {
        core_init(&core);
        start(SIZE, rows[i].match);
        tree.names = rows[i].names;
        core.mtime = fake_time = START;
        core_put(&core, core_str(old));

        for (k = 0; k < 3; k++) {
            assert_text(found_at(rows[i].present), old);
            assert_text(found_at(rows[i].absent), "");
        }

        /* Within the resolution of the clock */
        core_put(&core, core_str(rows[i].added));
        core_node(&core, core_str(old))->name = S("gone");
        fake_time += 150 * MS;
        assert_text(found_at(rows[i].absent), rows[i].added);
        assert_text(found_at(rows[i].present), "");
        core_cache_free(cache);
    }
}


/*
 * After two seconds without a change the index is used again; times in the
 * future never count as settled.
 */
TEST(test_settled_directory)
{
    static const struct {
        int64_t mtime;
        size_t  lists;
    } rows[] = { { START - 2100 * MS, 1 },
                 { START, 2 },
                 { START + 3600 * 1000 * MS, 2 },
                 { INT64_MIN, 1 },
                 { INT64_MAX, 2 } };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        core_init(&core);
        start(65536, N);
        core.mtime = rows[i].mtime;
        core_put(&core, S("/srv/" ODD));
        fake_time = START;
        assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
        fake_time += 150 * MS;
        assert_text(find_in("/" ODD_NAME), "/srv/" ODD);
        assert_int_equal(core.lists, rows[i].lists);
        core_cache_free(cache);
    }
}


/* A cached entry that was removed or replaced is not found. */
TEST(test_stale_entries)
{
    core_node_t *srv;

    start(65536, N);
    core_put(&core, S("/srv/" ODD));
    assert_text(find_in("/" ODD_NAME), "/srv/" ODD);

    /* Remove the entry without changing the times of the directory. */
    srv = core_node(&core, S("/srv"));
    srv->first->name.len = 1;
    assert_text(find_in("/" ODD_NAME), "");
    assert_int_equal(core.lists, 1);
}


/* Add files name-0 ... to a directory below /srv, faster than core_put. */
static core_node_t *
put_many(core_t *core, const char *directory, size_t count)
{
    core_node_t *node, *one;
    char        *name;
    char         path[64];
    size_t       i;

    snprintf(path, sizeof(path), "/srv/%s/", directory);
    node = core_put(core, core_str(path));

    for (i = 0; i < count; i++) {
        one = calloc(1, sizeof(*one) + 32);
        name = (char *) (one + 1);
        snprintf(name, 32, "name-%lu", (unsigned long) i);
        one->name = core_str(name);
        one->node = node->node;
        one->node.kind = IRI_NODE_OTHER;
        one->node.ino = ++core->inodes;
        one->next = node->first;
        node->first = one;
    }

    return node;
}


static void
check_size(size_t entries, int remembered)
{
    size_t i;

    start(1 << 20, N);
    core_init(&core);
    core_put(&core, S("/srv/" ODD));
    core_put(&core, S("/srv/e\xcc\x81"));
    core_put(&core, S("/srv/\xe8\xa1\xa8"));
    (void) put_many(&core, "", entries - 3);

    for (i = 0; i < 3; i++) {
        assert_text(find_in("/" ODD_NAME), remembered ? "/srv/" ODD : "");
        assert_text(find_in("/\xc3\xa9"), "/srv/e\xcc\x81");
        assert_text(find_in("/\xe8\xa1\xa8"), "/srv/\xe8\xa1\xa8");
    }

    /* Nor is it read again for each request to learn that it is too large. */
    assert_int_equal(core.lists, 1);
}


TEST(test_large_directories)
{
    check_size(IRI_MAX_ENTRIES_READ - 1, 1);
    check_size(IRI_MAX_ENTRIES_READ, 1);
    check_size(IRI_MAX_ENTRIES_READ + 1, 0);
}


/* In a directory over the limit the octets of the request are looked up. */
TEST(test_octets_in_large_directory)
{
    core_find_t find;
    size_t      i;

    core_find_init(&find, "", "", IRI_FILENAME_ANY, N);
    core_put(&core, S("/srv/" ODD));
    (void) put_many(&core, "", IRI_MAX_ENTRIES_READ);
    core_find_read(&find, S("/%C3%A2%CC%A3"));
    assert_text(find.reading.path, "/" ODD_NAME);
    core_find(&find);
    assert_int_equal(find.found.verdict, IRI_SERVE);
    assert_text(find.found.filename, "/srv/" ODD);

    /* And that it is too large is remembered too. */
    find.search.cache = core_cache(65536);
    core.lists = 0;

    for (i = 0; i < 3; i++) {
        core_find(&find);
        assert_int_equal(find.found.verdict, IRI_SERVE);
    }

    assert_int_equal(core.lists, 1);
}


/*
 * The cache has a fixed size: of 100 directories it holds at least a fifth, not
 * all.
 */
TEST(test_total_size)
{
    char   path[400], filler[231];
    size_t i, k;

    start(200000, N);
    memset(filler, 'x', sizeof(filler) - 1);
    filler[sizeof(filler) - 1] = '\0';

    for (i = 0; i < 100; i++) {
        for (k = 0; k < 10; k++) {
            snprintf(path, sizeof(path), "/srv/%d/" ODD "%d%s", (int) i,
                     (int) k, filler);
            core_put(&core, core_str(path));
        }
    }

    for (k = 0; k < 2; k++) {
        core.lists = 0;

        for (i = 0; i < 100; i++) {
            snprintf(path, sizeof(path), "/%d/" ODD_NAME "7%s", (int) i,
                     filler);
            assert_true(find_in(path).len != 0);
        }
    }

    assert_in_range(core.lists, 60, 100);
}


/* More directories than the cache can hold: each answer is right. */
TEST(test_eviction)
{
    static const size_t sizes[] = { 0, 1, 300, 1000, 5000, 400000 };
    char                path[128], want[128];
    size_t              i, k, turn;

    for (i = 0; i < 200; i++) {
        snprintf(path, sizeof(path), "/srv/%d/" ODD, (int) i);
        core_put(&core, core_str(path));
        snprintf(path, sizeof(path), "/srv/%d/\xe2\x84\xab%d", (int) i,
                 (int) i);
        core_put(&core, core_str(path));
    }

    for (k = 0; k < COUNT(sizes); k++) {
        start(sizes[k], N);
        core.lists = 0;

        for (turn = 0; turn < 2000; turn++) {
            i = core_random(200);
            snprintf(path, sizeof(path), "/%d/\xc3\x85%d", (int) i, (int) i);
            snprintf(want, sizeof(want), "/srv/%d/\xe2\x84\xab%d", (int) i,
                     (int) i);
            assert_text(find_in(path), want);
            core_forget(&core);
        }

        if (sizes[k] == 400000) {
            assert_true(core.lists < 1000);
        }

        core_cache_free(cache);
    }
}


/* ---- threads ------------------------------------------------------------ */

static void *
thread(void *arg)
{
    core_t      *core = arg;
    iri_search_t search = { .tree = &tree,
                            .cache = cache,
                            .root = S("/srv") };
    iri_found_t  found;
    char         path[64];
    size_t       turn, wrong = 0;

    for (turn = 0; turn < 5000; turn++) {
        snprintf(path, sizeof(path), "/%d/" ODD_NAME, (int) (turn % 20));
        search.path = core_str(path);
        wrong += iri_find(&core->env, &search, &found) != IRI_OK
                 || found.verdict != IRI_SERVE;
        core_forget(core);
    }

    return (void *) wrong;
}


TEST(test_threads)
{
    core_t    core[4];
    pthread_t id[4];
    void     *wrong;
    char      path[64];
    size_t    i, k;

    start(2000, N);

    for (i = 0; i < 4; i++) {
        core_init(&core[i]);

        for (k = 0; k < 20; k++) {
            snprintf(path, sizeof(path), "/srv/%d/" ODD, (int) k);
            core_put(&core[i], core_str(path));
        }

        assert_int_equal(pthread_create(&id[i], NULL, thread, &core[i]), 0);
    }

    for (i = 0; i < 4; i++) {
        pthread_join(id[i], &wrong);
        assert_null(wrong);
        core_free(&core[i]);
    }
}


/* ---- folded names -------------------------------------------------------- */

/* Create directories, each with that many names. */
static void
put_directories(core_t *core, size_t directories, size_t names)
{
    char   name[32];
    size_t i;

    for (i = 0; i < directories; i++) {
        snprintf(name, sizeof(name), "d%lu", (unsigned long) i);
        (void) put_many(core, name, names);
    }
}


/* Is the file "NAME-k" of directory i found? */
static int
is_found_in(size_t i, size_t k)
{
    char path[64], want[64];

    snprintf(path, sizeof(path), "/d%lu/NAME-%lu", (unsigned long) i,
             (unsigned long) k);
    snprintf(want, sizeof(want), "/d%lu/name-%lu", (unsigned long) i,
             (unsigned long) k);

    return iri_str_equal(find_other(path), core_str(want));
}


/*
 * The same, but with retries: where the cache holds few directories, and
 * reading one took long because the machine was busy, no directory is read for
 * some time.
 */
static int
is_found_soon_in(size_t i, size_t k)
{
    struct timespec wait = { 0, 100 * 1000 * 1000 };
    int             turn;

    for (turn = 0; turn < 100; turn++) {
        if (is_found_in(i, k)) {
            return 1;
        }

        nanosleep(&wait, NULL);
    }

    return 0;
}


/* What was used longest ago goes; what is asked for again stays. */
TEST(test_least_recently_used)
{
    size_t i, lists, room;

    start(SIZE, C);
    put_directories(&core, 60, 300);

    /* Count how many fit, while the first is requested all the time. */
    for (i = 0; i < 60; i++) {
        assert_true(is_found_in(i, 7));
        lists = core.lists;
        assert_true(is_found_in(0, 100 + i));
        assert_int_equal(core.lists, lists);
    }

    /* The most recent are cached: count from the last one down. */
    for (room = 0; room < 60; room++) {
        lists = core.lists;
        assert_true(is_found_in(59 - room, 7));

        if (core.lists != lists) {
            break;
        }
    }

    /* 300 names of 8 octets, 16 octets more for each, and at least a page */
    assert_in_range(room, 15, 59);
    assert_true(is_found_in(0, 9));
}


/*
 * Two indexes that fit into the cache, but not both at once: the first one
 * stays for a minimum time, and the other directory is not read for each
 * request.
 */
TEST(test_two_that_do_not_both_fit)
{
    struct timespec wait = { 1, 0 };
    size_t          i, found = 0;

    start(131072, C);
    (void) put_many(&core, "d0", 3000);
    (void) put_many(&core, "d1", 3000);

    for (i = 0; i < 400; i++) {
        found += is_found_in(i % 2, i) != 0;
        assert_text(find_in("/d1/name-7"), "/srv/d1/name-7");
        core_forget(&core);
    }

    assert_true(found >= 200);
    assert_in_range(core.lists, 2, 100);

    /* The minimum time has passed: the other may replace it. */
    nanosleep(&wait, NULL);
    assert_true(is_found_soon_in(1, 5));
    nanosleep(&wait, NULL);
    assert_true(is_found_soon_in(0, 5));
}


/* Any number of them: the number of readings is limited for all together. */
TEST(test_many_that_do_not_fit)
{
    clock_t begun = clock();
    size_t  i;

    start(131072, C);
    put_directories(&core, 20, 3000);

    for (i = 0; i < 20000; i++) {
        (void) is_found_in(i % 20, i);
        core_forget(&core);
    }

    /* About 2 ms each; without the limit 20,000 readings. */
    assert_in_range(core.lists, 2, 4000);
    assert_true(clock() - begun < 60 * CLOCKS_PER_SEC);
}


/*
 * More directories than records: the number of readings is limited likewise,
 * although their indexes have room.
 */
TEST(test_more_than_records)
{
    core_node_t *one;
    char         name[8];
    size_t       i;

    start(SIZE, C);
    tree.names = IRI_FILENAME_NFC;

    for (i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "d%d", (int) i);

        /* Not UTF-8: read, but in no index. */
        for (one = put_many(&core, name, 1100)->first; one != NULL;
             one = one->next) {
            one->name = S("\xff");
        }
    }

    for (i = 0; i < 20000; i++) {
        assert_false(is_found_in(i % 200, i));
        core_forget(&core);
    }

    assert_in_range(core.lists, 200, 10000);
}


/*
 * A directory whose index does not fit into the cache: only exact names are
 * found while it does not change, it is not read for each request, and it
 * evicts no other.
 */
TEST(test_larger_than_all)
{
    size_t i, lists;

    start(65536, C);
    put_directories(&core, 2, 10);
    (void) put_many(&core, "d2", 5000);

    for (i = 0; i < 3; i++) {
        assert_true(is_found_in(0, i));
        assert_true(is_found_in(1, i));
        assert_false(is_found_in(2, i));
        assert_text(find_other("/d2/NAME-x"), "");
        assert_text(find_in("/d2/name-4999"), "/srv/d2/name-4999");
    }

    assert_int_equal(core.lists, 3);
    lists = core.lists;
    assert_true(is_found_in(0, 5));
    assert_true(is_found_in(1, 5));
    assert_int_equal(core.lists, lists);
}


/* An index without spelling keys answers no search by spelling. */
TEST(test_no_room_for_spelling)
{
    (void) put_many(&core, "d0", 1200);
    start(4 << 20, C | IRI_FOLD_SPELLING);
    assert_text(find_other("/d0/NAAME-5"), "/d0/name-5");
    start(65536, C | IRI_FOLD_SPELLING);
    assert_text(find_other("/d0/NAME-5"), "/d0/name-5");
    assert_text(find_other("/d0/NAAME-5"), "");
}


/* Every size down to none: right answers. */
TEST(test_every_size)
{
    size_t size, i;

    put_directories(&core, 9, 6);
    (void) put_many(&core, "d9", 90);

    for (size = 65536; size != 0; size -= size > 8192 ? 61 : 1) {
        start(size, C);

        for (i = 0; i < 9; i++) {
            assert_true(is_found_soon_in(i, i % 6));
            assert_true(is_found_soon_in(9, i));
        }

        core_cache_free(cache);
        core_forget(&core);
    }
}


/* Directories are the same for all processes, by device and inode. */
TEST(test_replaced_directory)
{
    core_node_t *a, *b;
    iri_node_t   node;
    core_node_t *first;

    start(SIZE, C);
    core_put(&core, S("/srv/a/one"));
    core_put(&core, S("/srv/b/two"));
    assert_text(find_other("/a/ONE"), "/a/one");
    assert_text(find_other("/a/TWO"), "");
    assert_text(find_other("/b/TWO"), "/b/two");
    assert_int_equal(core.lists, 2);

    /* The directories are exchanged; their times are equal. */
    a = core_node(&core, S("/srv/a"));
    b = core_node(&core, S("/srv/b"));
    node = a->node;
    a->node = b->node;
    b->node = node;
    first = a->first;
    a->first = b->first;
    b->first = first;

    assert_text(find_other("/a/ONE"), "");
    assert_text(find_other("/a/TWO"), "/a/two");
    assert_text(find_other("/b/ONE"), "/b/one");
    assert_int_equal(core.lists, 2);
}


/* ---- building elsewhere -------------------------------------------------- */

static iri_index_job_t *jobs[100];
static size_t           jobs_count;
static int              jobs_taken = 1;


static int
job_later(iri_index_cache_t *cache, iri_index_job_t *job)
{
    if (jobs_taken) {
        jobs[jobs_count++] = job;
    }

    return jobs_taken;
}


/* A directory that needs no ctx, as jobs want it. */
static core_t job_core;


static iri_status_t
job_stat(void *ctx, const char *path, iri_node_t *node)
{
    return core_dir.stat(&job_core, path, node);
}


static iri_status_t
job_list(void *ctx, const char *path, iri_node_t *node, iri_dir_each_t each,
         void *arg)
{
    return core_dir.list(&job_core, path, node, each, arg);
}


/* As in nginx: without queues. */
static void
job_cache(size_t size)
{
    start(size, C);
    cache->queue = NULL;
    cache->leave = NULL;
    cache->later = job_later;
}


static void
job_start(size_t entries)
{
    core_free(&job_core);
    core_init(&job_core);
    core_init(&core);
    job_cache(4 << 20);
    core.dir.stat = job_stat;
    core.dir.list = job_list;
    (void) put_many(&job_core, "d0", entries);
    jobs_count = 0;
    jobs_taken = 1;
}


/* A directory is read again after nine times the time that reading it took. */
static void
request_until_job(size_t count, int known)
{
    struct timespec wait = { 0, 10 * 1000 * 1000 };
    size_t          i;

    for (i = 0; i < 1000 && jobs_count < count; i++) {
        assert_int_equal(is_found_in(0, 5), known);
        nanosleep(&wait, NULL);
    }

    assert_int_equal(jobs_count, count);
}


/*
 * A small directory is read at once; a large one later, and once for all
 * requests.
 */
TEST(test_built_later)
{
    size_t i;

    job_start(IRI_MAX_ENTRIES_INLINE);
    assert_true(is_found_in(0, 5));
    assert_int_equal(jobs_count, 0);

    job_start(IRI_MAX_ENTRIES_INLINE + 1);

    /*
     * Until then only exact names are found; and only the first request reads
     * as many entries as it takes to see that the directory is large.
     */
    for (i = 0; i < 3; i++) {
        assert_false(is_found_in(0, 5));
        assert_text(find_in("/d0/name-5"), "/srv/d0/name-5");
        assert_int_equal(jobs_count, 1);
        assert_int_equal(job_core.lists, 1);
    }

    iri_index_job_run(jobs[0]);
    job_core.lists = 0;

    for (i = 0; i < IRI_MAX_ENTRIES_INLINE; i += 997) {
        assert_true(is_found_in(0, i));
    }

    assert_text(find_other("/d0/NAME-x"), "");
    assert_int_equal(job_core.lists, 0);
    assert_int_equal(jobs_count, 1);

    /*
     * The directory changed: it is read again, and the old index is used
     * meanwhile.
     */
    job_core.mtime++;
    core_put(&job_core, S("/srv/d0/new"));
    request_until_job(2, 1);
    assert_int_equal(job_core.lists, 0);
    assert_text(find_other("/d0/NEW"), "");
    assert_int_equal(jobs_count, 2);
    iri_index_job_run(jobs[1]);
    assert_text(find_other("/d0/NEW"), "/d0/new");
}


/*
 * A job that is dropped or refused can be submitted again a little later. No
 * request reads ten thousand entries instead.
 */
TEST(test_not_built_later)
{
    job_start(IRI_MAX_ENTRIES_INLINE + 1);
    jobs_taken = 0;
    assert_false(is_found_in(0, 5));
    assert_false(is_found_in(0, 5));
    assert_int_equal(job_core.lists, 1);
    jobs_taken = 1;
    request_until_job(1, 0);
    iri_index_job_drop(jobs[0]);
    request_until_job(2, 0);
    assert_int_equal(job_core.lists, 1);

    /* The directory is absent when the job runs; then it exists again. */
    core_node(&job_core, S("/srv/d0"))
        ->name.data = (const unsigned char *) "dx";
    iri_index_job_run(jobs[1]);
    core_node(&job_core, S("/srv/dx"))
        ->name.data = (const unsigned char *) "d0";
    request_until_job(3, 0);
    iri_index_job_run(jobs[2]);
    assert_true(is_found_in(0, 5));
}


/* The directory changes or is replaced between the request and the job. */
TEST(test_built_too_late)
{
    core_node_t *d0;

    job_start(IRI_MAX_ENTRIES_INLINE + 1);
    assert_text(find_other("/d0/NEW"), "");
    assert_int_equal(jobs_count, 1);
    job_core.mtime++;
    d0 = core_put(&job_core, S("/srv/d0/new"));
    iri_index_job_run(jobs[0]);
    assert_text(find_other("/d0/NEW"), "/d0/new");
    assert_int_equal(jobs_count, 1);

    /* Another directory is at the path when the job runs. */
    d0 = core_node(&job_core, S("/srv/d0"));
    job_core.mtime++;
    core_put(&job_core, S("/srv/d0/more"));
    assert_text(find_other("/d0/MORE"), "");
    request_until_job(2, 1);
    d0->node.ino += 1000;
    iri_index_job_run(jobs[1]);
    d0->node.ino -= 1000;

    /* Its entries are not cached for the requested directory. */
    assert_text(find_other("/d0/MORE"), "");
    request_until_job(3, 1);
    iri_index_job_run(jobs[2]);
    assert_text(find_other("/d0/MORE"), "/d0/more");
}


static void *
job_thread(void *job)
{
    iri_index_job_run(job);

    return NULL;
}


TEST(test_built_in_a_thread)
{
    pthread_t id;
    size_t    i, found = 0;

    job_start(50000);

    assert_false(is_found_in(0, 5));
    assert_int_equal(jobs_count, 1);
    assert_int_equal(pthread_create(&id, NULL, job_thread, jobs[0]), 0);

    for (i = 0; i < 300 && found < 10; i++) {
        found += (size_t) is_found_in(0, i);
        core_forget(&core);
    }

    pthread_join(id, NULL);
    assert_true(is_found_in(0, 49999));

    /*
     * A request that was reading when the job ended may have submitted another.
     */
    assert_in_range(jobs_count, 1, 2);

    if (jobs_count == 2) {
        iri_index_job_drop(jobs[1]);
    }
}


/* Seconds, for a clock that a test has stopped. */
static void
pass(int64_t seconds)
{
    fake_time += seconds * INT64_C(1000000000);
}


static void
assert_jobs(size_t count)
{
    assert_false(is_found_in(0, 5));
    assert_int_equal(jobs_count, count);
}


/* A build that does not end is begun again, each time after a longer while. */
TEST(test_taken_over)
{
    size_t i;

    job_start(IRI_MAX_ENTRIES_INLINE + 1);
    fake_time = now();
    assert_jobs(1);
    pass(4);
    assert_jobs(1);
    pass(2);
    assert_jobs(2);
    pass(6);
    assert_jobs(2);
    pass(5);
    assert_jobs(3);

    /* Never at all is an hour. */
    for (i = 4; i < 30; i++) {
        pass(3601);
        assert_jobs(i);
    }

    /* The clock was set, to a time long ago. */
    fake_time = INT64_C(1000000000000000000);
    assert_jobs(30);

    /* The first goes on, after all; the others find it done. */
    pass(1);
    job_core.lists = 0;
    iri_index_job_run(jobs[0]);
    assert_int_equal(job_core.lists, 1);
    assert_true(is_found_in(0, 5));

    iri_index_job_run(jobs[29]);
    assert_int_equal(job_core.lists, 1);

    for (i = 1; i < 29; i++) {
        iri_index_job_drop(jobs[i]);
    }

    assert_true(is_found_in(0, 6));
}


static iri_index_state_t *(*locked_by)(iri_index_cache_t *cache);
static size_t locked_at;
static core_t locked_core;


/*
 * Between two pieces of a block another one takes the time of the build for
 * over, and all room.
 */
static iri_index_state_t *
lock_between(iri_index_cache_t *cache)
{
    size_t i;

    if (locked_at != 0 && --locked_at == 0) {
        pass(100000);
        owner = &locked_core;

        for (i = 1; i < 40; i++) {
            (void) is_found_in(i, 5);
        }

        owner = &core;
    }

    return locked_by(cache);
}


/* Whoever writes a block in pieces has none when another got its room. */
TEST(test_written_in_pieces)
{
    size_t at, kept = 0, lost = 0;

    job_start(40000);
    core_cache_free(cache);
    core_init(&locked_core);
    put_directories(&locked_core, 40, 1000);

    for (at = 1; at < 40; at += at < 3 ? 1 : 6) {
        job_cache(1600000);
        jobs_count = 0;
        fake_time = now();
        assert_false(is_found_in(0, 5));
        assert_int_equal(jobs_count, 1);

        locked_by = cache->lock;
        cache->lock = lock_between;
        locked_at = at;
        iri_index_job_run(jobs[0]);
        locked_at = 0;

        if (is_found_in(0, 39999)) {
            kept++;
        } else {
            lost++;
        }

        core_forget(&locked_core);
        core_forget(&core);
        core_cache_free(cache);

        while (jobs_count > 1) {
            free(jobs[--jobs_count]);
        }
    }

    /* Lost while it was written; kept before, and after. */
    assert_true(kept >= 2);
    assert_true(lost >= 2);
    core_free(&locked_core);
}


/* ---- who waits for whom -------------------------------------------------- */

static pthread_mutex_t line = PTHREAD_MUTEX_INITIALIZER;
static size_t          in_line, lists_made;
static core_t          line_core;


static void
line_queue(iri_index_cache_t *cache, unsigned which)
{
    pthread_mutex_lock(&line);
    in_line++;
}


static void
line_leave(iri_index_cache_t *cache, unsigned which)
{
    in_line--;
    pthread_mutex_unlock(&line);
}


static iri_status_t
line_stat(void *ctx, const char *path, iri_node_t *node)
{
    core_t mine = line_core;

    return core_dir.stat(&mine, path, node);
}


static iri_status_t
line_list(void *ctx, const char *path, iri_node_t *node, iri_dir_each_t each,
          void *arg)
{
    struct timespec wait = { 0, 30 * 1000 * 1000 };
    core_t          mine = line_core;

    /* One at a time, in the order of the queue. */
    if (in_line != 1) {
        return IRI_IO_FAILED;
    }

    lists_made++;
    nanosleep(&wait, NULL);

    return core_dir.list(&mine, path, node, each, arg);
}


static const iri_dir_t line_dir = { line_stat, line_list };


static void *
line_thread(void *arg)
{
    core_t       core;
    iri_search_t search = { .tree = &tree,
                            .cache = cache,
                            .root = S("/srv"),
                            .path = S("/d0/NAME-1") };
    iri_found_t  found;
    int          good;

    core_init(&core);
    core.env.dir = &line_dir;
    good = iri_find(&core.env, &search, &found) == IRI_OK
           && found.verdict == IRI_RESTART;
    core_free(&core);

    return good ? NULL : (void *) 1;
}


/*
 * Eight requests at once: one reads the directory, and the others use its
 * index.
 */
TEST(test_queue)
{
    pthread_t id[8];
    void     *wrong;
    size_t    i;

    core_init(&line_core);
    (void) put_many(&line_core, "d0", 100);
    start(SIZE, C);
    cache->queue = line_queue;
    cache->leave = line_leave;
    lists_made = 0;

    for (i = 0; i < 8; i++) {
        assert_int_equal(pthread_create(&id[i], NULL, line_thread, NULL), 0);
    }

    for (i = 0; i < 8; i++) {
        pthread_join(id[i], &wrong);
        assert_null(wrong);
    }

    assert_int_equal(lists_made, 1);
    assert_int_equal(in_line, 0);
    core_free(&line_core);
}


/* ---- large directories that change -------------------------------------- */

static iri_status_t
list_slowly(void *ctx, const char *path, iri_node_t *node,
            iri_dir_each_t each, void *arg)
{
    fake_time += 50 * 1000 * 1000;

    return core_dir.list(ctx, path, node, each, arg);
}


/*
 * A directory of more than a thousand entries that changes all the time: it is
 * read again after nine times the time that reading it took. Until then cached
 * names are verified, and other names are looked up.
 */
TEST(test_large_and_changing)
{
    core_find_t  find;
    core_node_t *node;

    core_find_init(&find, "", "", IRI_FILENAME_ANY, C);
    start(SIZE, C);
    core.dir.list = list_slowly;
    node = put_many(&core, "d0", 1001);
    fake_time = now();
    node->node.mtime = node->node.ctime = now();

    assert_true(is_found_in(0, 5));
    assert_int_equal(core.lists, 1);

    /* A name is added, another is removed. */
    core.mtime = now();
    core_put(&core, S("/srv/d0/new"));
    core_put(&core, S("/srv/d0/n-1"));
    core_node(&core, S("/srv/d0/name-3"))->name = S("gone");

    assert_true(is_found_in(0, 5));
    assert_false(is_found_in(0, 3));
    assert_text(find_in("/d0/new"), "/srv/d0/new");
    assert_text(find_other("/D0/new"), "/d0/new");
    assert_text(find_other("/D0/name-3"), "/d0/name-3");
    assert_text(find_other("/d0/NEW"), "");

    /*
     * An entry in no normalization form is found by the octets of the request.
     */
    core_put(&core, S("/srv/d0/" ODD));
    core_find_read(&find, S("/d0/%C3%A2%CC%A3"));
    find.search.cache = cache;
    core_find(&find);
    assert_int_equal(find.found.verdict, IRI_SERVE);
    assert_text(find.found.filename, "/srv/d0/" ODD);

    /* /srv was read, too, to find D0. */
    assert_int_equal(core.lists, 2);
    fake_time += 300 * 1000 * 1000;
    assert_text(find_other("/d0/NEW"), "");
    fake_time += 300 * 1000 * 1000;
    assert_text(find_other("/d0/NEW"), "/d0/new");
    assert_int_equal(core.lists, 3);
    core_cache_free(cache);

    /* A thousand are read at once. */
    cache = core_cache(SIZE);
    core.mtime = now();
    (void) put_many(&core, "d1", 1000);
    assert_true(is_found_in(1, 5));
    core.mtime = now();
    core_put(&core, S("/srv/d1/new"));
    core.lists = 0;
    fake_time += 150 * 1000 * 1000;
    assert_text(find_other("/d1/NEW"), "/d1/new");
    assert_int_equal(core.lists, 1);
}


/* ---- cached results of searches ----------------------------------------- */

/*
 * Each time it is found with lookups of the name as the tree writes it first,
 * of its directory, and of the name in NFD.
 */
static void
assert_again(const char *path, const char *filename)
{
    int i;

    for (i = 0; i < 3; i++) {
        core.stats = core.lists = 0;
        assert_text(find_in(path), filename);
    }

    assert_in_range(core.stats, 1, 3);
    assert_int_equal(core.lists, 0);
}


#define GA     "\xe3\x82\xac"             /* U+30AC */
#define GA_NFD "\xe3\x82\xab\xe3\x82\x99" /* the same in NFD */
#define GA_EUC "\xa5\xac"

/*
 * Cached results for an absent name, and for an entry in another form, until
 * the directory changes.
 */
TEST(test_cached_results)
{
    core_node_t *one;
    const char  *in[] = { "", "/d", "/d/\xe8\xa1\xa8" };
    char         path[64], nfc[64], nfd[64], other[64];
    size_t       i;

    start(SIZE, N);

    for (i = 0; i < COUNT(in); i++) {
        snprintf(path, sizeof(path), "%s/" GA, in[i]);
        snprintf(nfc, sizeof(nfc), "/srv%s/" GA, in[i]);
        snprintf(nfd, sizeof(nfd), "/srv%s/" GA_NFD, in[i]);
        snprintf(other, sizeof(other), "/srv%s/x", in[i]);
        core_put(&core, core_str(other));

        assert_again(path, "");

        core.mtime++;
        one = core_put(&core, core_str(nfd));
        assert_again(path, nfd);

        core.mtime++;
        one->name = S("gone");
        snprintf(other, sizeof(other), "/srv%s/y", in[i]);
        core_put(&core, core_str(other));
        assert_text(find_in(path), "");

        core.mtime++;
        core_put(&core, core_str(nfd));
        assert_again(path, nfd);
        core.mtime++;
        core_put(&core, core_str(nfc));
        assert_text(find_in(path), nfc);
    }
}


/* Other settings have their own results. */
TEST(test_cached_results_settings)
{
    iri_tree_conf_t any = core_tree("", IRI_FILENAME_ANY, N);
    iri_tree_conf_t nfc = core_tree("", IRI_FILENAME_NFC, N);
    iri_tree_conf_t euc = core_tree("euc-jp", IRI_FILENAME_ANY, N);
    iri_tree_conf_t pair = core_tree("", IRI_FILENAME_ANY,
                                     N | IRI_FOLD_VARIANTS);
    int             i;

    start(SIZE, N);
    core_put(&core, S("/srv/d/" GA_NFD));
    core_put(&core, S("/srv/d/\xe3\x80\x9c"));
    core_put(&core, S("/srv/e/" GA_EUC));

    for (i = 0; i < 3; i++) {
        tree = any;
        assert_again("/d/" GA, "/srv/d/" GA_NFD);
        assert_text(find_as(&nfc, "/d/" GA), "");
        tree = euc;
        assert_again("/e/" GA, "/srv/e/" GA_EUC);
        assert_text(find_as(&any, "/e/" GA), "");

        tree = any;
        assert_again("/d/\xef\xbd\x9e", "");
        tree = pair;
        assert_text(find_other("/d/\xef\xbd\x9e"), "/d/\xe3\x80\x9c");
    }
}


/* Find a path of octets in a tree with alternative readings. */
static iri_found_t
find_octets(const char *octets)
{
    iri_reading_conf_t  conf = { core_charsets("shift_jis euc-jp"),
                                 IRI_INVALID_404, 0 };
    iri_reading_t       reading;
    iri_received_path_t request = { core_str(octets), 0, { 0, NULL } };
    iri_found_t         found;
    iri_search_t        search = { .tree = &tree, .cache = cache };

    search.root = S("/srv");
    search.reading = &reading;
    assert_ok(iri_read(&owner->env, &conf, &request, &reading));
    search.path = reading.path;
    assert_ok(iri_find(&owner->env, &search, &found));

    return found;
}


/*
 * Below a directory that does not exist nothing is looked up, in any reading or
 * encoding.
 */
TEST(test_missing)
{
    static const struct {
        const char *octets, *tree;
        unsigned    match;
        size_t      looks;
    } rows[] = {
        /* the path, and its directory */
        { "/no/\xc3\xa9", "utf-8", N, 2 },
        { "/no/\xc3\xa9", "utf-8 euc-jp sjis", N, 2 },
        { "/no/\x97\\", "utf-8 euc-jp", N, 2 },
        { "/no/no/no/\xc3\xa9", "utf-8", N, 2 },
        { "/d/no/\xc3\xa9", "utf-8", N, 2 },
        { "/no/\xc3\xa9/\xc3\xa9/\xc3\xa9/\xc3\xa9", "utf-8", N, 2 },
        { "/no/\x97\\/\x97\\/\x97\\", "utf-8 euc-jp sjis", N, 3 },
        /* names of existing directories are looked up in each reading */
        { "/d/\xc3\xa9/\xc3\xa9/\xc3\xa9", "utf-8", N, 8 },
        { "/d/\xc3\xa9/\xc3\xa9/\xc3\xa9/\xc3\xa9/\xc3\xa9", "utf-8", N, 8 },
        { "/no/\xc3\xa9/\xc3\xa9/\xc3\xa9/\xc3\xa9", "utf-8", N | C, 3 },
        /* a file in the place of a directory must be found */
        { "/d/x/\xc3\xa9", "utf-8", N, 2 },
        { "/d/x/y/\xc3\xa9", "utf-8", N, 3 },
    };
    size_t i, k;

    for (i = 0; i < COUNT(rows); i++) {
        core_init(&core);
        core_put(&core, S("/srv/d/x"));
        start(SIZE, N);
        tree = core_tree(rows[i].tree, IRI_FILENAME_ANY, rows[i].match);

        for (k = 0; k < 4; k++) {
            core.stats = 0;
            (void) find_octets(rows[i].octets);
        }

        if (core.stats != rows[i].looks) {
            fail_msg("row %zu: %zu looks", i, core.stats);
        }

        core_cache_free(cache);
    }
}


#define SJIS_FIRST "\xef\xbd\xa5\xef\xbd\xac" /* GA_EUC in Shift_JIS */

/* Of several readings the first one whose entry exists is used. */
TEST(test_cached_results_readings)
{
    static const struct {
        const char *added, *path, *charset;
        iri_why_t   why;
    } steps[] = {
        { "x", SJIS_FIRST, "Shift_JIS", IRI_WHY_ABSENT },
        { GA, GA, "EUC-JP", IRI_WHY_ALTERNATIVE },
        { SJIS_FIRST, SJIS_FIRST, "Shift_JIS", IRI_WHY_FOUND },
    };
    const char *in[] = { "", "/d", "/d/e" };
    iri_found_t found;
    char        path[64];
    size_t      i, k, step;

    start(SIZE, N);

    for (i = 0; i < COUNT(in); i++) {
        for (step = 0; step < COUNT(steps); step++) {
            core.mtime++;
            snprintf(path, sizeof(path), "/srv%s/%s", in[i],
                     steps[step].added);
            core_put(&core, core_str(path));

            for (k = 0; k < 3; k++) {
                snprintf(path, sizeof(path), "%s/" GA_EUC, in[i]);
                found = find_octets(path);
                snprintf(path, sizeof(path), "%s/%s", in[i],
                         steps[step].path);
                assert_text(found.path, path);
                assert_text(found.charset, steps[step].charset);
                assert_string_equal(iri_why_text(found.why),
                                    iri_why_text(steps[step].why));
            }
        }
    }
}


/* Check the number of lookups for the entry found, or "". */
static void
assert_lookups(const char *path, const char *want, size_t looks)
{
    core.stats = 0;
    assert_text(find_in(path), want);
    assert_int_equal(core.stats, looks);
}


/*
 * An encoding that no entry has is not looked up: only the name and its
 * directory are.
 */
TEST(test_unused_encodings)
{
    start(SIZE, N);
    tree = core_tree("utf-8 euc-jp", IRI_FILENAME_ANY, N);
    core_put(&core, S("/srv/d/\xe8\xa1\xa8"));
    core_put(&core, S("/srv/d/x"));

    /* Three lookups, until it is known that all entries have one encoding. */
    assert_lookups("/d/1" GA, "", 4);
    assert_lookups("/d/2" GA, "", 2);

    core.mtime++;
    core_put(&core, S("/srv/d/" GA_NFD));
    assert_lookups("/d/" GA, "/srv/d/" GA_NFD, 3);
    assert_lookups("/d/3" GA, "", 4);
    assert_lookups("/d/4" GA, "", 3);

    core.mtime++;
    core_put(&core, S("/srv/d/\xa5\xac"));
    core_put(&core, S("/srv/d/\xc9\xbd"));
    assert_lookups("/d/5" GA, "", 4);
    assert_lookups("/d/6" GA, "", 4);

    /* While the directory changes nothing of this is reliable. */
    core.mtime = now();
    core_put(&core, S("/srv/e/x"));
    assert_lookups("/e/7" GA, "", 4);
    core_put(&core, S("/srv/e/8" GA_NFD));
    assert_text(find_in("/e/8" GA), "/srv/e/8" GA_NFD);
}


/* A name that the caller has found absent is not looked up again. */
TEST(test_known_absent)
{
    iri_search_t search = {
        .tree = &tree, .root = S("/srv"), .path = S("/d/" GA), .absent = 1
    };
    iri_found_t found;

    start(SIZE, N);
    core_put(&core, S("/srv/d/" GA_NFD));
    search.cache = cache;
    core.stats = 0;
    assert_ok(iri_find(&core.env, &search, &found));
    assert_int_equal(found.verdict, IRI_SERVE);
    assert_text(found.filename, "/srv/d/" GA_NFD);
    assert_int_equal(core.stats, 2);
}
