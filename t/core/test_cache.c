/*
 * test_cache.c - what is remembered of directories is a hint and no more
 *
 * Proves: a directory is read once while it stays as it is, and again when
 * its times, the settings or the clock say so; one of more entries than the
 * limit is not remembered and answers for exact names; what is remembered
 * makes room for newer things; an entry that is gone is not found; locks
 * are balanced, and threads may share it.
 */

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core.h"

#define ODD      "\xc3\xa2\xcc\xa3" /* partly composed U+1EAD */
#define ODD_NAME "\xe1\xba\xad"
#define N        IRI_FORGIVE_NORMALIZATION

typedef struct {
    size_t locks, unlocks;
    int    held, wrong;
} lock_t;


static void
lock_take(void *ctx)
{
    lock_t *lock = ctx;

    lock->wrong |= lock->held++ != 0;
    lock->locks++;
}


static void
lock_give(void *ctx)
{
    lock_t *lock = ctx;

    lock->wrong |= --lock->held != 0;
    lock->unlocks++;
}


static int64_t
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);

    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}


/* Find path below /srv; its filename, or "" if it is not found. */
static iri_str_t
find_in(core_t *core, iri_cache_t *cache, const iri_tree_conf_t *tree,
        const char *path)
{
    iri_search_t search = { tree, cache, 0, S("/srv"), core_str(path), 0, NULL };
    iri_found_t  found;

    assert_int_equal(iri_find(&core->env, &search, &found), IRI_OK);

    return found.answer == IRI_SERVE ? found.filename : S("");
}


static void
test_read_once(void **state)
{
    core_t       core;
    lock_t       lock = { 0, 0, 0, 0 };
    iri_cache_t *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 65536, .lock = lock_take, .unlock = lock_give, .ctx = &lock });
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, N);
    size_t          i;

    (void) state;

    core_init(&core);
    core_put(&core, S("/srv/" ODD));

    for (i = 0; i < 10; i++) {
        assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
        assert_text(find_in(&core, cache, &tree, "/\xe8\xa1\xa8"), "");
    }

    assert_int_equal(core.lists, 1);
    assert_int_equal(lock.locks, lock.unlocks);
    assert_true(lock.locks >= 20);
    assert_false(lock.wrong);

    /* Without one it is read each time. */
    core.lists = 0;
    assert_text(find_in(&core, NULL, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_text(find_in(&core, NULL, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 2);

    iri_cache_destroy(cache);
    iri_cache_destroy(NULL);
    core_free(&core);
}


static void
test_changes_are_seen(void **state)
{
    core_t          core;
    core_node_t    *srv;
    iri_cache_t    *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 65536 });
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, N);

    (void) state;

    core_init(&core);
    srv = core_put(&core, S("/srv/"));
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "");
    assert_int_equal(core.lists, 1);

    /* mtime and ctime */
    core.mtime += 1;
    core_put(&core, S("/srv/" ODD));
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 2);

    /* one of them is enough; and who it is */
    srv->node.ctime++;
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 3);
    srv->node.mtime--;
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 4);
    srv->node.ino += 1000;
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 5);
    srv->node.dev++;
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 6);
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 6);

    iri_cache_destroy(cache);
    core_free(&core);
}


/* The same directory under other settings is another list. */
/* Where the next list goes, whatever is asked: a link that was replaced. */
static const char      *led_to;
static const iri_dir_t *led_by;


static iri_status_t
list_elsewhere(void *ctx, const char *path, iri_node_t *node, iri_each_t each,
               void *arg)
{
    return led_by->list(ctx, led_to != NULL ? led_to : path, node, each, arg);
}


static void
test_a_list_belongs_to_what_was_read(void **state)
{
    core_t          core;
    iri_cache_t    *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 65536 });
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, N);
    iri_dir_t       dir;

    (void) state;

    core_init(&core);
    core_put(&core, S("/srv/" ODD));
    core_put(&core, S("/other/x"));
    led_by = core.env.dir;
    dir = *led_by;
    dir.list = list_elsewhere;
    core.env.dir = &dir;

    /* The directory was there when looked at, and another when read ... */
    led_to = "/other";
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "");

    /* ... which must not be remembered of the first. */
    led_to = NULL;
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 2);

    /* Nor is what could not be opened remembered of anything. */
    led_to = "/srv/" ODD;
    core_put(&core, S("/srv/new/"));
    assert_text(find_in(&core, cache, &tree, "/new/" ODD_NAME), "");
    led_to = "/srv";
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);

    iri_cache_destroy(cache);
    core_free(&core);
}


static void
test_settings_are_kept_apart(void **state)
{
    core_t          core;
    iri_cache_t    *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 65536 });
    iri_tree_conf_t utf8 = core_tree("", IRI_NAMES_ANY, N);
    iri_tree_conf_t both = core_tree("utf-8 windows-1258", IRI_NAMES_ANY, N);
    iri_tree_conf_t form = core_tree("", IRI_NAMES_NFC, N);
    iri_tree_conf_t exact = core_tree("", IRI_NAMES_ANY,
                                      IRI_FORGIVE_EXACT_ONLY);

    (void) state;

    core_init(&core);
    core_put(&core, S("/srv/" ODD));
    core_put(&core, S("/srv/\xfd\xec"));

    assert_text(find_in(&core, cache, &utf8, "/" ODD_NAME), "/srv/" ODD);
    assert_text(find_in(&core, cache, &both, "/" ODD_NAME), "/srv/" ODD);
    assert_text(find_in(&core, cache, &utf8, "/" ODD_NAME), "/srv/" ODD);
    assert_text(find_in(&core, cache, &form, "/" ODD_NAME), "");
    assert_text(find_in(&core, cache, &exact, "/" ODD_NAME), "");

    /* Marks in another order, in windows-1258: no name in UTF-8. */
    core.mtime++;
    core_put(&core, S("/srv/a\xec\xf2"));
    assert_text(find_in(&core, cache, &utf8, "/\xe1\xba\xa1\xcc\x81"), "");
    assert_text(find_in(&core, cache, &both, "/\xe1\xba\xa1\xcc\x81"),
                "/srv/a\xec\xf2");

    iri_cache_destroy(cache);
    core_free(&core);
}


/* A directory that changes while its clock stands still. */
static void
test_racy_directory(void **state)
{
    core_t          core;
    iri_cache_t    *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 65536 });
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, N);
    struct timespec wait = { 0, 150 * 1000 * 1000 };

    (void) state;

    core_init(&core);
    core.mtime = now();
    core_put(&core, S("/srv/a"));
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "");
    assert_int_equal(core.lists, 1);

    /* Put into it within the grain of the clock: same times. */
    core_put(&core, S("/srv/" ODD));
    nanosleep(&wait, NULL);
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 2);

    /* A time yet to come is never settled, nor one of another age. */
    core.mtime = now() + INT64_C(3600000000000);
    core_put(&core, S("/srv/b"));
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    nanosleep(&wait, NULL);
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 4);

    core.mtime = INT64_MIN;
    core_put(&core, S("/srv/c"));
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    core.mtime = INT64_MAX;
    core_put(&core, S("/srv/d"));
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);

    iri_cache_destroy(cache);
    core_free(&core);
}


/* Quiet for two seconds: as it was. */
static void
test_settled_directory(void **state)
{
    core_t          core;
    iri_cache_t    *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 65536 });
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, N);
    struct timespec wait = { 0, 150 * 1000 * 1000 };

    (void) state;

    core_init(&core);
    core.mtime = now() - INT64_C(2100000000);
    core_put(&core, S("/srv/" ODD));
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    nanosleep(&wait, NULL);
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);
    assert_int_equal(core.lists, 1);

    iri_cache_destroy(cache);
    core_free(&core);
}


/* What is remembered and gone is not found; nor what took its place. */
static void
test_a_hint_only(void **state)
{
    core_t          core;
    core_node_t    *srv;
    iri_cache_t    *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 65536 });
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, N);

    (void) state;

    core_init(&core);
    core_put(&core, S("/srv/" ODD));
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "/srv/" ODD);

    /* Away, with no trace in the directory's times. */
    srv = core_node(&core, S("/srv"));
    srv->first->name.len = 1;
    assert_text(find_in(&core, cache, &tree, "/" ODD_NAME), "");
    assert_int_equal(core.lists, 1);

    iri_cache_destroy(cache);
    core_free(&core);
}


static void
check_size(size_t entries, int remembered)
{
    core_t          core;
    iri_cache_t    *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 1 << 20 });
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, N);
    char            path[64];
    size_t          i, lists;

    core_init(&core);
    core_put(&core, S("/srv/" ODD));
    core_put(&core, S("/srv/e\xcc\x81"));
    core_put(&core, S("/srv/\xe8\xa1\xa8"));

    for (i = 3; i < entries; i++) {
        snprintf(path, sizeof(path), "/srv/%d", (int) i);

        /* Quicker than core_put, which looks whether it is there. */
        if (i == 3) {
            core_put(&core, core_str(path));
        } else {
            core_node_t *one = calloc(1, sizeof(*one));

            one->name = S("n");
            one->next = core_node(&core, S("/srv"))->first;
            core_node(&core, S("/srv"))->first = one;
        }
    }

    for (i = 0; i < 3; i++) {
        assert_text(find_in(&core, cache, &tree, "/" ODD_NAME),
                    remembered ? "/srv/" ODD : "");
        assert_text(find_in(&core, cache, &tree, "/\xc3\xa9"),
                    "/srv/e\xcc\x81");
        assert_text(find_in(&core, cache, &tree, "/\xe8\xa1\xa8"),
                    "/srv/\xe8\xa1\xa8");
    }

    /* Nor is it read each time to see that it is too large. */
    lists = core.lists;
    assert_int_equal(lists, 1);

    iri_cache_destroy(cache);
    core_free(&core);
}


static void
test_large_directories(void **state)
{
    (void) state;

    check_size(IRI_MAX_LISTED - 1, 1);
    check_size(IRI_MAX_LISTED, 1);
    check_size(IRI_MAX_LISTED + 1, 0);
}


/* In one too large the very octets that came are looked for. */
static void
test_octets_of_a_large_one(void **state)
{
    core_t             core;
    iri_tree_conf_t    tree = core_tree("", IRI_NAMES_ANY, N);
    iri_reading_conf_t conf;
    iri_reading_t      reading;
    iri_request_t      request = { S("/" ODD), 0, S("/%C3%A2%CC%A3") };
    iri_search_t       search = {
              &tree, NULL, 0, S("/srv"), { 0, NULL }, 0, &reading
    };
    iri_found_t  found;
    core_node_t *srv, *one;
    size_t       i;

    (void) state;

    memset(&conf, 0, sizeof(conf));
    core_init(&core);
    core_put(&core, S("/srv/" ODD));
    srv = core_node(&core, S("/srv"));

    for (i = 0; i < IRI_MAX_LISTED; i++) {
        one = calloc(1, sizeof(*one));
        one->name = S("n");
        one->next = srv->first;
        srv->first = one;
    }

    assert_int_equal(iri_read(&core.env, &conf, &request, &reading), IRI_OK);
    assert_text(reading.path, "/" ODD_NAME);
    search.path = reading.path;
    assert_int_equal(iri_find(&core.env, &search, &found), IRI_OK);
    assert_int_equal(found.answer, IRI_SERVE);
    assert_text(found.filename, "/srv/" ODD);

    /* And that it is too large is remembered too. */
    search.cache = iri_cache_create(&(iri_cache_conf_t) { .size = 65536 });
    core.lists = 0;

    for (i = 0; i < 3; i++) {
        assert_int_equal(iri_find(&core.env, &search, &found), IRI_OK);
        assert_int_equal(found.answer, IRI_SERVE);
    }

    assert_int_equal(core.lists, 1);
    iri_cache_destroy(search.cache);
    core_free(&core);
}


/* What is kept has a size: of 100 directories a fifth, not all. */
static void
test_size_is_kept(void **state)
{
    core_t          core;
    iri_cache_t    *cache = iri_cache_create(&(iri_cache_conf_t) { .size = 200000 });
    iri_tree_conf_t tree = core_tree("", IRI_NAMES_ANY, N);
    char            path[400], filler[231];
    size_t          i, k;

    (void) state;

    core_init(&core);
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
            assert_true(find_in(&core, cache, &tree, path).len != 0);
        }
    }

    assert_in_range(core.lists, 60, 100);
    iri_cache_destroy(cache);
    core_free(&core);
}


/* More directories than there is room for: each is answered right. */
static void
test_eviction(void **state)
{
    static const size_t sizes[] = { 0, 1, 300, 1000, 5000, 400000 };
    core_t              core;
    iri_cache_t        *cache;
    iri_tree_conf_t     tree = core_tree("", IRI_NAMES_ANY, N);
    char                path[128], want[128];
    size_t              i, k, turn;

    (void) state;

    core_init(&core);

    for (i = 0; i < 200; i++) {
        snprintf(path, sizeof(path), "/srv/%d/" ODD, (int) i);
        core_put(&core, core_str(path));
        snprintf(path, sizeof(path), "/srv/%d/\xe2\x84\xab%d", (int) i,
                 (int) i);
        core_put(&core, core_str(path));
    }

    for (k = 0; k < COUNT(sizes); k++) {
        cache = iri_cache_create(&(iri_cache_conf_t) { .size = sizes[k] });
        assert_non_null(cache);
        core.lists = 0;

        for (turn = 0; turn < 2000; turn++) {
            i = core_random(200);
            snprintf(path, sizeof(path), "/%d/\xc3\x85%d", (int) i, (int) i);
            snprintf(want, sizeof(want), "/srv/%d/\xe2\x84\xab%d", (int) i,
                     (int) i);
            assert_text(find_in(&core, cache, &tree, path), want);
            core_forget(&core);
        }

        if (sizes[k] == 400000) {
            assert_true(core.lists < 1000);
        }

        iri_cache_destroy(cache);
    }

    core_free(&core);
}


/* ---- threads ------------------------------------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static iri_tree_conf_t shared_tree;
static iri_cache_t    *shared_cache;


static void
mutex_take(void *ctx)
{
    pthread_mutex_lock(ctx);
}


static void
mutex_give(void *ctx)
{
    pthread_mutex_unlock(ctx);
}


static void *
thread(void *arg)
{
    core_t      *core = arg;
    iri_search_t search = {
        &shared_tree, shared_cache, 0, S("/srv"), { 0, NULL }, 0, NULL
    };
    iri_found_t found;
    char        path[64];
    size_t      turn, wrong = 0;

    for (turn = 0; turn < 5000; turn++) {
        snprintf(path, sizeof(path), "/%d/" ODD_NAME, (int) (turn % 20));
        search.path = core_str(path);
        wrong += iri_find(&core->env, &search, &found) != IRI_OK
                 || found.answer != IRI_SERVE;
        core_forget(core);
    }

    return (void *) wrong;
}


static void
test_threads(void **state)
{
    core_t    core[4];
    pthread_t id[4];
    void     *wrong;
    char      path[64];
    size_t    i, k;

    (void) state;

    shared_tree = core_tree("", IRI_NAMES_ANY, N);
    shared_cache = iri_cache_create(&(iri_cache_conf_t) { .size = 2000, .lock = mutex_take, .unlock = mutex_give, .ctx = &mutex });

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

    iri_cache_destroy(shared_cache);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_once),
        cmocka_unit_test(test_changes_are_seen),
        cmocka_unit_test(test_a_list_belongs_to_what_was_read),
        cmocka_unit_test(test_settings_are_kept_apart),
        cmocka_unit_test(test_racy_directory),
        cmocka_unit_test(test_settled_directory),
        cmocka_unit_test(test_a_hint_only),
        cmocka_unit_test(test_large_directories),
        cmocka_unit_test(test_octets_of_a_large_one),
        cmocka_unit_test(test_size_is_kept),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
