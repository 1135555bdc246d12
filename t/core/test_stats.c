/*
 * test_stats.c - what is counted of requests, and told about it
 *
 * Proves: each request is counted once in each table, plain ones too; hours
 * and days add up, whatever the clock does; who sends legacy encodings is
 * kept, bounded and without secrets; what a process leaves that dies in the
 * midst of it is never told; nothing of a stranger's text breaks a page, JSON
 * or Prometheus text; where memory fails there is no answer.
 */

#include <stdlib.h>

#include "core.h"
#include "iri_stats.h"

#define NOW INT64_C(1795363200) /* 2026-11-22T16:00:00Z */
#define DAY 86400


typedef struct {
    core_t              core;
    iri_stats_region_t *region;
    iri_stats_t        *stats;
} fixture_t;

static void
setup(fixture_t *f, int64_t now)
{
    iri_stats_conf_t conf = { NULL, NULL, NULL, NULL };

    core_init(&f->core);
    f->region = calloc(1, iri_stats_size());
    assert_non_null(f->region);
    conf.memory = f->region;
    f->stats = iri_stats_create(&conf, now);
    assert_non_null(f->stats);
}


static void
teardown(fixture_t *f)
{
    iri_stats_destroy(f->stats);
    free(f->region);
    core_free(&f->core);
}


static iri_stats_event_t
event(iri_form_t form)
{
    iri_stats_event_t event;

    memset(&event, 0, sizeof(event));
    event.now = NOW;
    event.form = form;
    event.answer = form == IRI_FORM_ASCII ? IRI_PASS : IRI_SERVE;

    return event;
}


static iri_stats_event_t
legacy(const char *charset, const char *referer, const char *agent)
{
    iri_stats_event_t legacy = event(IRI_FORM_LEGACY);

    legacy.charset = core_str(charset);
    legacy.referer = core_str(referer);
    legacy.agent = core_str(agent);

    return legacy;
}


static iri_stats_look_t *
look(fixture_t *f, int64_t now)
{
    iri_stats_page_conf_t conf;
    iri_stats_look_t     *look;

    memset(&conf, 0, sizeof(conf));
    conf.now = now;
    assert_int_equal(iri_stats_look(&f->core.env, f->stats, &conf, &look),
                     IRI_OK);

    return look;
}


static iri_str_t
page(fixture_t *f, int64_t now, const char *query)
{
    iri_stats_page_conf_t conf;
    iri_stats_page_t      page;

    memset(&conf, 0, sizeof(conf));
    conf.now = now;
    conf.query = core_str(query);
    assert_int_equal(iri_stats_page(&f->core.env, f->stats, &conf, &page),
                     IRI_OK);

    return page.body;
}


static int
has(iri_str_t text, const char *part)
{
    return memmem(text.data, text.len, part, strlen(part)) != NULL;
}


#define assert_has(text, part)                                               \
    do {                                                                     \
        if (!has((text), (part))) {                                          \
            print_error("%s is not in: %.*s\n", (part), (int) (text).len,    \
                        (const char *) (text).data);                         \
            fail();                                                          \
        }                                                                    \
    } while (0)


static void
test_memory(void **state)
{
    fixture_t           f;
    iri_stats_conf_t    conf = { NULL, NULL, NULL, NULL };
    iri_stats_t        *again;
    iri_stats_region_t *damaged;

    (void) state;

    assert_true(iri_stats_size() < 128 * 1024);

    /* kept by the same build, made empty by another */
    setup(&f, NOW);
    iri_stats_count_plain(f.stats, 0, NOW);
    conf.memory = f.region;
    again = iri_stats_create(&conf, NOW + 5);
    iri_stats_count_plain(again, 0, NOW + 5);
    assert_int_equal(look(&f, NOW)->sets[0].forms[IRI_FORM_ASCII], 2);
    assert_int_equal(look(&f, NOW)->since, NOW);
    iri_stats_destroy(again);

    damaged = f.region;
    memset(damaged, 0xa5, iri_stats_size());
    again = iri_stats_create(&conf, NOW + 9);
    assert_int_equal(look(&f, NOW)->sets[0].forms[IRI_FORM_ASCII], 0);
    assert_int_equal(look(&f, NOW)->since, NOW + 9);
    iri_stats_destroy(again);
    teardown(&f);

    iri_stats_destroy(NULL);
}


/* Each table adds up to all requests, whatever they are. */
static void
test_sums(void **state)
{
    fixture_t         f;
    iri_stats_event_t e;
    iri_stats_look_t *l;
    uint64_t          sum;
    size_t            i, n, counted[2] = { 0, 0 };

    (void) state;

    setup(&f, NOW);

    for (n = 0; n < 5000; n++) {
        e = event((iri_form_t) core_random(IRI_FORMS));
        e.report = (int) core_random(2);
        e.charset = S("EUC-JP");
        e.query_charset = S("nosuch");
        e.match = (iri_match_t) core_random(IRI_MATCHES);
        e.answer = (iri_answer_t) core_random(IRI_ANSWERS);
        e.why = (iri_why_t) (core_random(IRI_WHYS - 1) + 1);
        e.query = (iri_query_why_t) core_random(IRI_QUERY_WHYS);
        e.host = (iri_host_why_t) core_random(IRI_HOST_WHYS);

        if (core_random(3) == 0) {
            memset(&e, 0, sizeof(e));
            e.now = NOW;
        }

        iri_stats_count(f.stats, &e);
        counted[e.report]++;
    }

    iri_stats_count_plain(f.stats, 1, NOW);
    counted[1]++;
    l = look(&f, NOW);

    for (n = 0; n < 2; n++) {
#define assert_sum(field)                                                    \
    for (sum = 0, i = 0; i < COUNT(l->sets[n].field); i++) {                 \
        sum += l->sets[n].field[i];                                          \
    }                                                                        \
    assert_int_equal(sum, counted[n])

        assert_sum(forms);
        assert_sum(matches);
        assert_sum(answers);
        assert_sum(whys);
        assert_sum(queries);
        assert_sum(hosts);

        for (sum = 0, i = 0; i < IRI_WHYS; i++) {
            sum += l->sets[n].refusals[i];
        }
        assert_int_equal(sum, l->sets[n].answers[IRI_REFUSE]);

        for (sum = 0, i = 0; i < IRI_STATS_CHARSETS; i++) {
            sum += l->sets[n].charsets[0][i];
        }
        assert_int_equal(sum, l->sets[n].forms[IRI_FORM_LEGACY]);
        assert_int_equal(l->sets[n].charsets[1][IRI_STATS_OTHER],
                         l->sets[n].queries[IRI_QUERY_READ]);
    }

    assert_int_equal(iri_stats_all(l->totals), counted[0] + counted[1]);
    assert_int_equal(l->hour_count, 1);
    assert_int_equal(iri_stats_all(l->hours[0].at), counted[0] + counted[1]);
    teardown(&f);
}


/* A value out of range touches nothing else. */
static void
test_range(void **state)
{
    fixture_t         f;
    iri_stats_event_t e = event((iri_form_t) 77);

    (void) state;

    setup(&f, NOW);
    e.match = (iri_match_t) -1;
    e.answer = (iri_answer_t) 1000;
    e.why = (iri_why_t) IRI_WHYS;
    e.query = (iri_query_why_t) 99;
    e.host = (iri_host_why_t) -5;
    e.redirect = 200;
    iri_stats_count(f.stats, &e);
    assert_int_equal(iri_stats_all(look(&f, NOW)->totals), 0);
    e = event(IRI_FORM_ESCAPED);
    e.redirect = 308;
    iri_stats_count(f.stats, &e);
    assert_int_equal(look(&f, NOW)->sets[0].redirects[4], 1);
    assert_int_equal(look(&f, NOW)->sets[0].redirects[0], 0);
    teardown(&f);
}


static void
count_at(fixture_t *f, int64_t now, size_t count)
{
    while (count-- > 0) {
        iri_stats_count_plain(f->stats, 0, now);
    }
}


static void
test_days(void **state)
{
    fixture_t         f;
    iri_stats_event_t e = legacy("EUC-JP", "", "");
    iri_stats_look_t *l;
    size_t            i;

    (void) state;

    setup(&f, NOW);
    count_at(&f, NOW, 3);
    count_at(&f, NOW + 3599, 1);
    count_at(&f, NOW + 3600, 5);
    e.now = NOW + 3 * DAY;
    iri_stats_count(f.stats, &e);
    l = look(&f, NOW + 3 * DAY + 7200);

    assert_int_equal(l->day_count, 4);
    assert_int_equal(l->days[0].begins, NOW / DAY * DAY);
    assert_int_equal(iri_stats_all(l->days[0].at), 9);
    assert_int_equal(iri_stats_all(l->days[1].at), 0);
    assert_int_equal(l->days[3].at[IRI_FORM_LEGACY], 1);
    assert_int_equal(l->hour_count, IRI_STATS_HOURS);
    assert_int_equal(l->hours[IRI_STATS_HOURS - 1].begins,
                     NOW + 3 * DAY + 7200);
    assert_int_equal(iri_stats_all(l->hours[IRI_STATS_HOURS - 1].at), 0);
    assert_int_equal(iri_stats_all(l->hours[IRI_STATS_HOURS - 3].at), 1);

    l = look(&f, NOW + 4000);
    assert_int_equal(l->hour_count, 2);
    assert_int_equal(iri_stats_all(l->hours[0].at), 4);

    /* the ring goes round: the totals stay, the oldest days go */
    for (i = 4; i < 1000; i++) {
        count_at(&f, NOW + (int64_t) i * DAY, 2);
    }

    l = look(&f, NOW + 999 * DAY);
    assert_int_equal(l->day_count, IRI_STATS_DAYS);
    for (i = 0; i < IRI_STATS_DAYS; i++) {
        assert_int_equal(iri_stats_all(l->days[i].at), 2);
    }
    assert_int_equal(iri_stats_all(l->totals), 10 + 996 * 2);
    teardown(&f);
}


/* Processes whose clocks differ, and clocks that are set. */
static void
test_clock(void **state)
{
    fixture_t         f;
    iri_stats_look_t *l;

    (void) state;

    setup(&f, NOW);
    count_at(&f, NOW + 3600, 1);
    count_at(&f, NOW + 3599, 1); /* is late: it is of the new hour, too */
    count_at(&f, NOW + 3601, 1);
    l = look(&f, NOW + 3601);
    assert_int_equal(iri_stats_all(l->hours[1].at), 3);

    /* ten years on, and back */
    count_at(&f, NOW + 3650 * (int64_t) DAY, 4);
    count_at(&f, NOW + 7300, 2);
    l = look(&f, NOW + 7300);
    assert_int_equal(l->hour_count, 3);
    assert_int_equal(iri_stats_all(l->hours[2].at), 2);
    assert_int_equal(iri_stats_all(l->totals), 9);
    count_at(&f, NOW + 10800, 1);
    l = look(&f, NOW + 10800);
    assert_int_equal(iri_stats_all(l->hours[3].at), 1);

    /* before the epoch */
    count_at(&f, -5, 1);
    l = look(&f, -5);
    assert_int_equal(l->day_count, 1);
    assert_int_equal(iri_stats_all(l->totals), 11);
    teardown(&f);
}


static void
test_charsets(void **state)
{
    fixture_t             f;
    iri_stats_event_t     e;
    iri_stats_look_t     *l;
    const iri_encoding_t *encoding;
    size_t                i;

    (void) state;

    /* there is room for all of them, and for two more */
    for (i = 0; (encoding = iri_encoding_at(i)) != NULL; i++) {
        assert_string_equal(iri_stats_charset(i), encoding->name);
    }
    assert_true(i < IRI_STATS_OTHER);
    assert_null(iri_stats_charset(i));

    setup(&f, NOW);
    e = legacy("Shift_JIS", "", "");
    iri_stats_count(f.stats, &e);
    e.now = NOW + 60;
    e.report = 1;
    iri_stats_count(f.stats, &e);
    e = event(IRI_FORM_ESCAPED);
    e.query = IRI_QUERY_READ;
    e.query_charset = S("EUC-JP");
    iri_stats_count(f.stats, &e);
    e = legacy("mixed", "", "");
    iri_stats_count(f.stats, &e);

    l = look(&f, NOW + 60);
    assert_int_equal(l->sets[0].charsets[0][IRI_STATS_MIXED], 1);
    assert_int_equal(l->seen[0][IRI_STATS_MIXED], NOW);
    assert_int_equal(l->recent_count, 4);
    assert_int_equal(l->recent[0].time, NOW + 60);
    assert_int_equal(l->unsaid[IRI_STATS_REFERER], 4);
    assert_int_equal(l->totals[IRI_FORMS], 1);

    assert_has(page(&f, NOW, "format=json"),
               "\"charsets\":{\"EUC-JP\":{\"query\":{\"on\":1,\"report\":0,"
               "\"last\":\"2026-11-22T16:00:00Z\"}},\"Shift_JIS\":{\"path\":"
               "{\"on\":1,\"report\":1,\"last\":\"2026-11-22T16:01:00Z\"}}");
    teardown(&f);
}


static void
assert_referer(fixture_t *f, const char *referer, const char *want)
{
    iri_stats_event_t e = legacy("EUC-JP", referer, "a");
    iri_stats_look_t *l;

    iri_stats_count(f->stats, &e);
    l = look(f, NOW);
    assert_text(
        iri_stats_text(l->recent[0].referer, l->recent[0].referer_len), want);
}


static void
test_secrets(void **state)
{
    fixture_t f;
    char      text[600], want[600];

    (void) state;

    setup(&f, NOW);
    assert_referer(&f, "http://a.example/b?c=d", "http://a.example/b");
    assert_referer(&f, "http://a.example/b#c?d", "http://a.example/b");
    assert_referer(&f, "http://u:p@a.example/b@c", "http://a.example/b@c");
    assert_referer(&f, "http://u@v:p@a.example", "http://a.example");
    assert_referer(&f, "http://u:p@?x", "http://");
    assert_referer(&f, "?x=y", "");
    assert_referer(&f, "/b@c", "/b@c");
    assert_referer(&f, "//u:p@a/", "//u:p@a/");
    assert_referer(&f, "javascript:alert(1)", "javascript:alert(1)");
    assert_referer(&f, "://", "://");

    /* cut at a character */
    memset(text, 'x', sizeof(text));
    memcpy(text, "http://u:p@a/", 13);
    memcpy(text + 260, "\xE8\xA1\xA8", 3);
    text[599] = '\0';
    memset(want, 'x', sizeof(want));
    memcpy(want, "http://a/", 9);
    memcpy(want + 256, "", 1);
    assert_referer(&f, text, want);
    memcpy(text + 257, "\xE8\xA1\xA8", 3);
    memcpy(want + 253, "\xE8\xA1\xA8", 4);
    assert_referer(&f, text, want);
    memcpy(text + 257, "x\xE8\xA1\xA8", 4);
    memcpy(want + 253, "x", 2);
    assert_referer(&f, text, want);

    /* which it need not be */
    memset(text + 100, 0x80, 400);
    memset(want + 96, 0x80, 160);
    want[256] = '\0';
    assert_referer(&f, text, want);
    teardown(&f);
}


/* Who sends more than a 64th is there, whatever others do. */
static void
test_top(void **state)
{
    fixture_t         f;
    iri_stats_event_t e;
    iri_stats_look_t *l;
    char              agent[32];
    size_t            i, n = 0;

    (void) state;

    setup(&f, NOW);

    for (i = 0; i < 20000; i++) {
        snprintf(agent, sizeof(agent), "random %zu", i);
        e = legacy("EUC-JP", "", i % 40 == 7 ? "often" : agent);
        e.now = NOW + (int64_t) (i / 100);
        iri_stats_count(f.stats, &e);
    }

    l = look(&f, NOW);
    assert_int_equal(l->top_count[IRI_STATS_AGENT], IRI_STATS_TOP);
    assert_int_equal(l->top_count[IRI_STATS_REFERER], 0);
    assert_int_equal(l->recent_count, IRI_STATS_RECENT);

    for (i = 0; i < IRI_STATS_TOP; i++) {
        if (l->top[1][i].len == 5) {
            assert_in_range(500, l->top[1][i].count - l->top[1][i].error,
                            l->top[1][i].count);
            n++;
        }
        assert_true(i == 0 || l->top[1][i].count <= l->top[1][i - 1].count);
    }

    assert_int_equal(n, 1);
    teardown(&f);
}


/* As one is left by who died while writing it. */
static void
test_killed(void **state)
{
    fixture_t         f;
    iri_stats_event_t e = legacy("EUC-JP", "http://a/", "b");
    iri_stats_look_t *l;

    (void) state;

    setup(&f, NOW);
    iri_stats_count(f.stats, &e);
    f.region->top[IRI_STATS_REFERER][0].version |= 1;
    f.region->recent[0].version |= 1;
    l = look(&f, NOW);
    assert_int_equal(l->top_count[IRI_STATS_REFERER], 0);
    assert_int_equal(l->top_count[IRI_STATS_AGENT], 1);
    assert_int_equal(l->recent_count, 0);

    e.referer = S("http://c/");
    iri_stats_count(f.stats, &e);
    l = look(&f, NOW);
    assert_int_equal(l->top_count[IRI_STATS_REFERER], 1);
    assert_int_equal(l->top[IRI_STATS_REFERER][0].count, 1);
    assert_text(iri_stats_text(l->top[0][0].text, l->top[0][0].len),
                "http://c/");

    /* a day that was not marked to its end is marked by the next */
    f.region->days[(NOW / DAY + 1) % (IRI_STATS_DAYS + 1)].number = 0;
    f.region->hour -= DAY;
    iri_stats_count(f.stats, &e);
    assert_int_equal(look(&f, NOW)->day_count, 1);
    assert_int_equal(look(&f, NOW)->days[0].at[IRI_FORM_LEGACY], 1);

    /* lengths are not believed */
    f.region->top[IRI_STATS_REFERER][0].len = UINT64_MAX;
    f.region->recent[1].referer_len = 1000;
    f.region->recent[1].charset = 1000;
    f.region->recent[1].kind = UINT64_MAX;
    assert_true(has(page(&f, NOW, "format=json"), "\"other\""));
    (void) page(&f, NOW, "");
    teardown(&f);
}


static void
test_prometheus(void **state)
{
    fixture_t         f;
    iri_stats_event_t e = legacy("EUC-JP", "http://bad\"}\n/", "b");
    iri_str_t         text;

    (void) state;

    setup(&f, NOW);
    iri_stats_count(f.stats, &e);
    text = page(&f, NOW, "a=b&format=prometheus");
    assert_has(text, "# TYPE iri_requests_total counter\n");
    assert_has(text, "\niri_requests_total{mode=\"on\",form=\"legacy\"} 1\n");
    assert_has(text, "\niri_requests_total{mode=\"on\",form=\"ascii\"} 0\n");
    assert_has(text, "\niri_legacy_requests_total{mode=\"on\",part=\"path\","
                     "charset=\"EUC-JP\"} 1\n");
    assert_has(text, "\niri_legacy_last_request_timestamp_seconds{"
                     "part=\"path\",charset=\"EUC-JP\"} 1795363200\n");
    assert_has(text, "\niri_status_start_time_seconds 1795363200\n");
    assert_false(has(text, "bad"));
    assert_true(text.len < 64 * 1024);
    teardown(&f);
}


/* All that can be sent, and all that can be asked, where memory fails. */
static void
test_no_memory(void **state)
{
    static const char *const queries[] = { "", "format=json",
                                           "format=prometheus" };
    fixture_t                f;
    iri_stats_event_t        e = legacy("EUC-JP", "http://a/", "b");
    iri_stats_page_conf_t    conf;
    iri_stats_page_t         page;
    iri_status_t             status;
    size_t                   i, n;

    (void) state;

    setup(&f, NOW);
    iri_stats_count(f.stats, &e);

    for (i = 0; i < COUNT(queries); i++) {
        memset(&conf, 0, sizeof(conf));
        conf.now = NOW;
        conf.query = core_str(queries[i]);
        status = IRI_NO_MEMORY;

        for (n = 1; status == IRI_NO_MEMORY; n++) {
            core_forget(&f.core);
            f.core.allocs = 0;
            f.core.fail_at = n;
            status = iri_stats_page(&f.core.env, f.stats, &conf, &page);
        }

        assert_int_equal(status, IRI_OK);
        assert_true(n > 3);
        f.core.fail_at = 0;
    }

    teardown(&f);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_sums),
        cmocka_unit_test(test_range),     cmocka_unit_test(test_days),
        cmocka_unit_test(test_clock),     cmocka_unit_test(test_charsets),
        cmocka_unit_test(test_secrets),   cmocka_unit_test(test_top),
        cmocka_unit_test(test_killed),    cmocka_unit_test(test_prometheus),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
