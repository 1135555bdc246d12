/*
 * test_memory.c - any allocation may fail
 *
 * Proves: with the n-th allocation failing, or the n-th and all after it,
 * for each n, every function says IRI_NO_MEMORY (or a sentence), writes no
 * output, finds nothing that it would not find otherwise, and leaves
 * nothing behind that changes the next answer.
 */

#include "core.h"

#define N IRI_FORGIVE_NORMALIZATION

/* A request that goes through much of the core, by several ways. */
static const struct {
    const char *entries[4];
    const char *target; /* as it was sent; escaped as httpd has it */
    const char *charsets;
    const char *tree;
    iri_names_t names;
} cases[] = {
    { { "/srv/\xc3\xa9" }, "/%C3%A9", "", "", IRI_NAMES_ANY },
    { { "/srv/e\xcc\x81" }, "/e%CC%81x", "", "", IRI_NAMES_ANY },
    { { "/srv/e\xcc\x81" }, "/%C3%A9", "windows-1252", "", IRI_NAMES_ANY },
    { { "/srv/\xc3\xa2\xcc\xa3", "/srv/\xe2\x84\xab", "/srv/\xe2\x84\xa6" },
      "/%E1%BA%AD",
      "",
      "",
      IRI_NAMES_ANY },
    { { "/srv/\xc3\xa2\xcc\xa3/", "/srv/x" },
      "/%E1%BA%AD/%E8%A1%A8/y",
      "",
      "utf-8 euc-jp",
      IRI_NAMES_ANY },
    { { "/srv/\xc9\xbd/a" }, "/%C9%BD/a", "euc-jp", "euc-jp", IRI_NAMES_ANY },
    { { "/srv/\xe3\x80\x9c/\xe8\xa1\xa8" },
      "/%81%60/%95%5C",
      "sjis",
      "",
      IRI_NAMES_ANY },
    { { "/srv/\xe3\x81\x82/\xe8\xa1\xa8" },
      "/%A4%A2/%95%5C",
      "euc-jp sjis",
      "",
      IRI_NAMES_ANY },
    { { "/srv/\xe2\xec" }, "/%E1%BA%A5", "", "windows-1258", IRI_NAMES_ANY },
    { { "/srv/e\xcc\x81" }, "/%C3%A9/%C3%A9", "", "", IRI_NAMES_NFD },
    { { "/srv/\xff" }, "/%FF/%F0%9F%98%80", "", "", IRI_NAMES_ANY },
    { { "/srv/a" }, "/a", "", "", IRI_NAMES_ANY },
    { { "/srv/a" }, "/%C3%A9", "", "", IRI_NAMES_NFC },
};

typedef struct {
    core_t             core;
    iri_cache_t       *cache;
    iri_reading_conf_t conf;
    iri_tree_conf_t    tree;
    iri_request_t      request;
    iri_reading_t      reading;
    iri_search_t       search;
    iri_found_t        found;
} request_t;


static void
request_init(request_t *r, size_t i, int escaped)
{
    static unsigned char octets[1024];
    size_t               k;

    memset(r, 0, sizeof(*r));
    core_init(&r->core);
    core_put(&r->core, S("/srv/"));

    for (k = 0; k < 4 && cases[i].entries[k] != NULL; k++) {
        core_put(&r->core, core_str(cases[i].entries[k]));
    }

    r->conf.charsets = core_charsets(cases[i].charsets);
    r->conf.invalid = IRI_INVALID_PASS;
    r->tree.charsets = core_charsets(cases[i].tree);
    r->tree.names = cases[i].names;
    r->tree.match = N;
    iri_tree_conf_finish(&r->conf, &r->tree);

    r->request.target = core_str(cases[i].target);
    r->request.escaped = escaped;
    r->request.path = escaped ? r->request.target
                              : core_unescape(r->request.target, octets);
    r->core.env.trace = escaped; /* so that both are gone through */

    r->search.tree = &r->tree;
    r->search.root = S("/srv");
    r->search.reading = &r->reading;
    r->search.cache = r->cache = iri_cache_create(65536, NULL, NULL, NULL);
    assert_non_null(r->cache);
}


static void
request_free(request_t *r)
{
    iri_cache_destroy(r->cache);
    core_free(&r->core);
}


static void
fail_next(core_t *core, size_t n, int on)
{
    core->fail_at = n != 0 ? core->allocs + n : 0;
    core->fail_on = on;
}


static int
has_failed(const core_t *core)
{
    return core->fail_at != 0 && core->allocs >= core->fail_at;
}


static void
assert_untouched(const void *out, size_t size)
{
    const unsigned char *p = out;
    size_t               i;

    for (i = 0; i < size; i++) {
        assert_int_equal(p[i], 0x5a);
    }
}


/* ---- reading ------------------------------------------------------------ */

static void
check_read(size_t i, int escaped, int on)
{
    request_t     r;
    iri_reading_t got;
    iri_status_t  status;
    size_t        n;

    request_init(&r, i, escaped);
    assert_int_equal(iri_read(&r.core.env, &r.conf, &r.request, &r.reading),
                     IRI_OK);

    for (n = 1;; n++) {
        memset(&got, 0x5a, sizeof(got));
        fail_next(&r.core, n, on);
        status = iri_read(&r.core.env, &r.conf, &r.request, &got);

        if (status != IRI_OK) {
            assert_true(has_failed(&r.core));
            assert_int_equal(status, IRI_NO_MEMORY);
            assert_untouched(&got, sizeof(got));
            continue;
        }

        /* A line of the log may be without its words, no more. */
        assert_int_equal(got.answer, r.reading.answer);
        assert_int_equal(got.form, r.reading.form);
        assert_str(got.path, r.reading.path);
        assert_str(got.uri, r.reading.uri);

        if (!has_failed(&r.core)) {
            break;
        }

        assert_true(r.core.env.trace);
    }

    request_free(&r);
}


static void
test_read(void **state)
{
    size_t i;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        check_read(i, 0, 0);
        check_read(i, 0, 1);
        check_read(i, 1, 0);
        check_read(i, 1, 1);
    }
}


/* ---- finding ------------------------------------------------------------ */

static void
assert_same(const iri_found_t *got, const iri_found_t *want)
{
    assert_int_equal(got->answer, want->answer);
    assert_int_equal(got->why, want->why);
    assert_int_equal(got->match, want->match);
    assert_str(got->path, want->path);
    assert_str(got->filename, want->filename);
    assert_str(got->charset, want->charset);
}


static void
check_find(size_t i, int traced, int on, int cached)
{
    request_t    r;
    iri_found_t  got;
    iri_status_t status;
    size_t       n;
    int          failed;

    request_init(&r, i, 0);
    r.core.env.trace = traced;
    r.search.cache = cached ? r.cache : NULL;
    assert_int_equal(iri_read(&r.core.env, &r.conf, &r.request, &r.reading),
                     IRI_OK);
    r.search.path = r.reading.path;

    r.search.cache = NULL;
    assert_int_equal(iri_find(&r.core.env, &r.search, &r.found), IRI_OK);

    for (n = 1;; n++) {
        if (cached) {
            iri_cache_destroy(r.cache);
            r.cache = iri_cache_create(65536, NULL, NULL, NULL);
            r.search.cache = r.cache;
        }

        memset(&got, 0x5a, sizeof(got));
        fail_next(&r.core, n, on);
        status = iri_find(&r.core.env, &r.search, &got);
        failed = has_failed(&r.core);

        if (status != IRI_OK) {
            assert_true(failed);
            assert_int_equal(status, IRI_NO_MEMORY);
            assert_untouched(&got, sizeof(got));

        } else {
            assert_same(&got, &r.found);
            assert_true(!failed || traced);
        }

        /* What the broken one left behind does no harm. */
        fail_next(&r.core, 0, 0);
        assert_int_equal(iri_find(&r.core.env, &r.search, &got), IRI_OK);
        assert_same(&got, &r.found);

        if (!failed) {
            break;
        }
    }

    request_free(&r);
}


static void
test_find(void **state)
{
    size_t i;
    int    how;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        for (how = 0; how < 8; how++) {
            check_find(i, how & 1, how >> 1 & 1, how >> 2);
        }
    }
}


/* ---- the smaller ones --------------------------------------------------- */

typedef iri_status_t (*call_t)(request_t *r, iri_str_t out[2]);


static iri_status_t
call_uri(request_t *r, iri_str_t out[2])
{
    return iri_path_to_uri(&r->core.env, r->reading.path, &out[0]);
}


static iri_status_t
call_iri(request_t *r, iri_str_t out[2])
{
    return iri_path_to_iri(&r->core.env, r->reading.path, &out[0]);
}


static iri_status_t
call_location(request_t *r, iri_str_t out[2])
{
    return iri_location(&r->core.env, &r->reading, r->reading.path, 1,
                        S("query"), &out[0]);
}


static iri_status_t
call_location_found(request_t *r, iri_str_t out[2])
{
    return iri_location(&r->core.env, &r->reading, S("//\xe8\xa1\xa8"), 1,
                        S("query"), &out[0]);
}


static iri_status_t
call_split(request_t *r, iri_str_t out[2])
{
    return iri_found_split(&r->core.env, &r->search, &r->found, &out[0],
                           &out[1]);
}


static iri_status_t
call_name(request_t *r, iri_str_t out[2])
{
    return iri_entry_name(&r->core.env, &r->tree,
                          iri_str_from(r->reading.octets, 1), &out[0]);
}


static void
check_call(request_t *r, call_t call, int on)
{
    iri_str_t    want[2], got[2];
    iri_status_t status;
    size_t       n;

    memset(want, 0, sizeof(want));
    fail_next(&r->core, 0, 0);
    assert_int_equal(call(r, want), IRI_OK);

    for (n = 1;; n++) {
        memset(got, 0x5a, sizeof(got));
        fail_next(&r->core, n, on);
        status = call(r, got);

        if (status == IRI_OK) {
            assert_str(got[0], want[0]);

            if (!has_failed(&r->core)) {
                break;
            }

            continue;
        }

        assert_int_equal(status, IRI_NO_MEMORY);
        assert_untouched(got, sizeof(got));
    }

    fail_next(&r->core, 0, 0);
}


static void
test_calls(void **state)
{
    static const call_t calls[] = { call_uri,      call_iri,
                                    call_location, call_location_found,
                                    call_split,    call_name };
    request_t           r;
    size_t              i, k;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        request_init(&r, i, 0);
        assert_int_equal(
            iri_read(&r.core.env, &r.conf, &r.request, &r.reading), IRI_OK);
        r.search.path = r.reading.path;
        assert_int_equal(iri_find(&r.core.env, &r.search, &r.found), IRI_OK);

        for (k = 0; k < COUNT(calls); k++) {
            check_call(&r, calls[k], 0);
            check_call(&r, calls[k], 1);
        }

        request_free(&r);
    }
}


/* ---- settings ----------------------------------------------------------- */

static void
check_settings(const char *label, size_t step, int on)
{
    core_t          core;
    iri_registry_t *registry;
    iri_charsets_t  list;
    iri_str_t       word = core_str(label);
    const char     *error = "";
    size_t          n;
    int             failed = 1;

    for (n = 1; failed; n += step) {
        core_init(&core);
        fail_next(&core, n, on);
        registry = iri_registry_create(&core.env);

        if (registry == NULL) {
            assert_true(has_failed(&core));
            core_free(&core);
            continue;
        }

        memset(&list, 0x5a, sizeof(list));
        error = iri_parse_charsets(registry, &word, 1, 1, &list);
        failed = has_failed(&core);

        if (error != NULL) {
            assert_true(strlen(error) > 0);
            assert_untouched(&list, sizeof(list));
        } else {
            assert_false(failed);
            assert_int_equal(list.count, 1);
        }

        /* The registry is as good as new. */
        fail_next(&core, 0, 0);
        error = iri_parse_charsets(registry, &word, 1, 1, &list);

        if (strcmp(label, "klingon") != 0) {
            assert_null(error);
            assert_int_equal(list.count, 1);
            assert_int_equal(
                iri_str_count(iri_charset_name(list.at[0]), '\0'), 0);
        }

        core_free(&core);
    }
}


static void
test_settings(void **state)
{
    (void) state;

    check_settings("windows-1258", 1, 0);
    check_settings("windows-1258", 1, 1);
    check_settings("koi8-u", 1, 0);
    check_settings("klingon", 1, 0);
    check_settings("klingon", 1, 1);
    check_settings("gb18030", 41, 0);
    check_settings("euc-jp", 17, 1);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_settings),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
