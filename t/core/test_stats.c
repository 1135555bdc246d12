/*
 * test_stats.c - the counters of requests, and the status report
 *
 * Covers: each request is counted once in each table, plain ones too; hours
 * and days add up for any changes of the clock; clients with legacy encodings
 * are recorded, bounded and without secrets; incomplete records of a killed
 * process are never reported; no client text breaks a page, JSON or Prometheus
 * text; without memory there is no answer.
 */

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "output/iri_stats_memory.h"

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
    event.verdict = form == IRI_FORM_ASCII ? IRI_PASS : IRI_SERVE;

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


static iri_stats_snapshot_t *
look(fixture_t *f, int64_t now)
{
    iri_stats_page_conf_t conf;
    iri_stats_snapshot_t *look;

    memset(&conf, 0, sizeof(conf));
    conf.now = now;
    assert_int_equal(iri_stats_read(&f->core.env, f->stats, &conf, &look),
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
    fixture_t             f;
    iri_stats_event_t     e;
    iri_stats_snapshot_t *l;
    uint64_t              sum;
    size_t                i, n, counted[2] = { 0, 0 };

    (void) state;

    setup(&f, NOW);

    for (n = 0; n < 5000; n++) {
        e = event((iri_form_t) core_random(IRI_FORMS));
        e.report = (int) core_random(2);
        e.charset = S("EUC-JP");
        e.query_charset = S("nosuch");
        e.match = (iri_match_t) core_random(IRI_MATCHES);
        e.verdict = (iri_verdict_t) core_random(IRI_VERDICTS);
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

    assert_int_equal(iri_stats_requests(l->totals), counted[0] + counted[1]);
    assert_int_equal(l->hour_count, 1);
    assert_int_equal(iri_stats_requests(l->hours[0].at),
                     counted[0] + counted[1]);
    teardown(&f);
}


/* A value out of range touches nothing else. */
static void
test_range(void **state)
{
    static const iri_stats_set_t none[IRI_STATS_MODES];
    fixture_t                    f;
    iri_stats_event_t            e = event((iri_form_t) 77);

    (void) state;

    setup(&f, NOW);
    e.match = (iri_match_t) -1;
    e.verdict = (iri_verdict_t) 1000;
    e.why = (iri_why_t) IRI_WHYS;
    e.query = (iri_query_why_t) 99;
    e.host = (iri_host_why_t) -5;
    e.redirect = 200;
    iri_stats_count(f.stats, &e);
    assert_memory_equal(f.region->sets, none, sizeof(none));
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
    fixture_t             f;
    iri_stats_event_t     e = legacy("EUC-JP", "", "");
    iri_stats_snapshot_t *l;
    size_t                i;

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
    assert_int_equal(iri_stats_requests(l->days[0].at), 9);
    assert_int_equal(iri_stats_requests(l->days[1].at), 0);
    assert_int_equal(l->days[3].at[IRI_FORM_LEGACY], 1);
    assert_int_equal(l->hour_count, IRI_STATS_HOURS);
    assert_int_equal(l->hours[IRI_STATS_HOURS - 1].begins,
                     NOW + 3 * DAY + 7200);
    assert_int_equal(iri_stats_requests(l->hours[IRI_STATS_HOURS - 1].at), 0);
    assert_int_equal(iri_stats_requests(l->hours[IRI_STATS_HOURS - 3].at), 1);

    l = look(&f, NOW + 4000);
    assert_int_equal(l->hour_count, 2);
    assert_int_equal(iri_stats_requests(l->hours[0].at), 4);

    /* the ring goes round: the totals stay, the oldest days go */
    for (i = 4; i < 1000; i++) {
        count_at(&f, NOW + (int64_t) i * DAY, 2);
    }

    l = look(&f, NOW + 999 * DAY);
    assert_int_equal(l->day_count, IRI_STATS_DAYS);
    for (i = 0; i < IRI_STATS_DAYS; i++) {
        assert_int_equal(iri_stats_requests(l->days[i].at), 2);
    }
    assert_int_equal(iri_stats_requests(l->totals), 10 + 996 * 2);
    teardown(&f);
}


/* Processes whose clocks differ, and clocks that are set. */
static void
test_clock(void **state)
{
    fixture_t             f;
    iri_stats_snapshot_t *l;

    (void) state;

    setup(&f, NOW);
    count_at(&f, NOW + 3600, 1);
    count_at(&f, NOW + 3599, 1); /* is late: it is of the new hour, too */
    count_at(&f, NOW + 3601, 1);
    l = look(&f, NOW + 3601);
    assert_int_equal(iri_stats_requests(l->hours[1].at), 3);

    /* ten years on, and back */
    count_at(&f, NOW + 3650 * (int64_t) DAY, 4);
    count_at(&f, NOW + 7300, 2);
    l = look(&f, NOW + 7300);
    assert_int_equal(l->hour_count, 3);
    assert_int_equal(iri_stats_requests(l->hours[2].at), 2);
    assert_int_equal(iri_stats_requests(l->totals), 9);
    count_at(&f, NOW + 10800, 1);
    l = look(&f, NOW + 10800);
    assert_int_equal(iri_stats_requests(l->hours[3].at), 1);

    /* before the epoch */
    count_at(&f, -5, 1);
    l = look(&f, -5);
    assert_int_equal(l->day_count, 1);
    assert_int_equal(iri_stats_requests(l->totals), 11);
    teardown(&f);
}


static void
test_charsets(void **state)
{
    fixture_t             f;
    iri_stats_event_t     e;
    iri_stats_snapshot_t *l;
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
    assert_int_equal(l->last_seen[0][IRI_STATS_MIXED], NOW);
    assert_int_equal(l->recent_count, 4);
    assert_int_equal(l->recent[0].time, NOW + 60);
    assert_int_equal(l->missing[IRI_STATS_REFERER], 4);
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
    iri_stats_event_t     e = legacy("EUC-JP", referer, "a");
    iri_stats_snapshot_t *l;

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
    assert_referer(&f, "//u:p@a/", "//a/");
    assert_referer(&f, "//u:p@", "//");
    assert_referer(&f, "//", "//");
    assert_referer(&f, "///b@c", "///b@c");
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
    fixture_t             f;
    iri_stats_event_t     e;
    iri_stats_snapshot_t *l;
    char                  agent[32];
    uint64_t              sum = 0;
    size_t                i, n = 0;

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
        sum += l->top[1][i].count;
    }

    assert_int_equal(sum, 20000);
    assert_int_equal(n, 1);
    teardown(&f);
}


/* As one is left by who died while writing it. */
static void
test_killed(void **state)
{
    fixture_t             f;
    iri_stats_event_t     e = legacy("EUC-JP", "http://a/", "b");
    iri_stats_snapshot_t *l;

    (void) state;

    setup(&f, NOW);
    iri_stats_count(f.stats, &e);
    f.region->top[IRI_STATS_REFERER][0].version |= 1;
    f.region->recent[0].version |= 1;
    l = look(&f, NOW);
    assert_int_equal(l->top_count[IRI_STATS_REFERER], 0);
    assert_int_equal(l->top_count[IRI_STATS_AGENT], 1);
    assert_int_equal(l->recent_count, 0);

    /* it is nobody's, and the first that is taken */
    iri_stats_count(f.stats, &e);
    l = look(&f, NOW);
    assert_int_equal(l->top_count[IRI_STATS_REFERER], 1);
    assert_int_equal(l->top[IRI_STATS_REFERER][0].count, 1);
    f.region->top[IRI_STATS_REFERER][0].version |= 1;

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
    assert_int_equal(iri_stats_text(f.region->top[0][0].text, 1000).len,
                     IRI_STATS_TEXT);
    f.region->top[IRI_STATS_REFERER][0].len = UINT64_MAX;
    f.region->recent[1].referer_len = 1000;
    f.region->recent[1].charset = 1000;
    f.region->recent[1].kind = UINT64_MAX;
    assert_true(has(page(&f, NOW, "format=json"), "\"other\""));
    (void) page(&f, NOW, "");
    teardown(&f);
}


/* A lock of processes, which who buries them opens. */
static void
spin_lock(void *ctx)
{
    int *lock = ctx;

    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) {
        (void) sched_yield();
    }
}


static void
spin_unlock(void *ctx)
{
    __atomic_store_n((int *) ctx, 0, __ATOMIC_RELEASE);
}


/* Counts until it is killed; the letter of a text says how long it is. */
static void
count_for_ever(iri_stats_region_t *region, int *lock)
{
    iri_stats_conf_t  conf = { region, spin_lock, spin_unlock, lock };
    iri_stats_t      *stats = iri_stats_create(&conf, NOW);
    iri_stats_event_t e = legacy("EUC-JP", "", "");
    unsigned char     text[256];
    size_t            n;

    (void) alarm(10); /* where a test fails nobody kills it */

    for (n = (size_t) getpid();; n = n * 69069 + 1) {
        memset(text, 'a' + n / 64 % 26, sizeof(text));
        e.agent.data = text;
        e.agent.len = 200 + n / 64 % 26;
        e.now = NOW + (int64_t) (n / 4096 % 1000) * 3600;
        iri_stats_count(stats, &e);
    }
}


static void
assert_letters(iri_str_t text)
{
    size_t i;

    assert_in_range(text.len, 200, 225);

    for (i = 0; i < text.len; i++) {
        assert_int_equal(text.data[i], 'a' + text.len - 200);
    }
}


static void
assert_senders(const iri_stats_snapshot_t *l)
{
    size_t i;

    for (i = 0; i < l->top_count[IRI_STATS_AGENT]; i++) {
        assert_letters(iri_stats_text(l->top[1][i].text, l->top[1][i].len));
    }

    for (i = 0; i < l->recent_count; i++) {
        assert_letters(
            iri_stats_text(l->recent[i].agent, l->recent[i].agent_len));
    }
}


static void
test_processes(void **state)
{
    static const size_t   rounds = 100;
    fixture_t             f;
    iri_stats_snapshot_t *l;
    iri_stats_region_t   *own;
    uint64_t              before = 0;
    size_t                i, n;
    pid_t                 pid[2];
    int                  *lock;

    (void) state;

    setup(&f, NOW);
    own = f.region;
    f.region = mmap(NULL, iri_stats_size() + sizeof(int),
                    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                    0);
    assert_ptr_not_equal(f.region, MAP_FAILED);
    memcpy(f.region, own, iri_stats_size());
    f.stats->region = f.region;
    lock = (int *) ((char *) f.region + iri_stats_size());

    for (n = 0; n < rounds; n++) {
        for (i = 0; i < 2; i++) {
            pid[i] = fork();
            assert_true(pid[i] >= 0);

            if (pid[i] == 0) {
                count_for_ever(f.region, lock);
            }
        }

        for (i = 0; i < 2; i++) {
            (void) usleep(500 + core_random(1500));
            assert_senders(look(&f, NOW)); /* while it is written */
            (void) kill(pid[i], SIGKILL);
            (void) waitpid(pid[i], NULL, 0);
            spin_unlock(lock);
        }

        l = look(&f, NOW + 1000 * 3600);
        assert_true(iri_stats_requests(l->totals) >= before);
        before = iri_stats_requests(l->totals);
        assert_int_equal(before, l->totals[IRI_FORM_LEGACY]);

        assert_senders(l);
        core_forget(&f.core);
    }

    assert_true(before > rounds);
    (void) munmap(f.region, iri_stats_size() + sizeof(int));
    f.region = own;
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


/* ---- pages --------------------------------------------------------------- */

/* Nothing of it ends an element, or begins one: each "<" is of ours. */
static void
assert_page(iri_str_t html)
{
    size_t i, open = 0, close = 0, quotes = 0;
    int    inside = 0;

    assert_true(html.len < 64 * 1024);

    for (i = 0; i < html.len; i++) {
        assert_true(html.data[i] >= 0x20 || html.data[i] == '\n');
        assert_false(html.data[i] == '\'' && !inside);

        if (html.data[i] == '<') {
            assert_false(inside);
            inside = 1;
            open++;
        } else if (html.data[i] == '>') {
            assert_true(inside);
            inside = 0;
            close++;
        } else if (html.data[i] == '"') {
            assert_true(inside);
            quotes++;
        }
    }

    assert_int_equal(open, close);
    assert_int_equal(quotes % 2, 0);
}


/* A string of JSON ends where it should: by its grammar (RFC 8259). */
static void
assert_json(iri_str_t json)
{
    char   stack[64];
    size_t i, depth = 0;

    assert_true(json.len < 192 * 1024);

    for (i = 0; i < json.len; i++) {
        switch (json.data[i]) {
        case '{':
        case '[':
            assert_true(depth < sizeof(stack));
            stack[depth++] = (char) json.data[i];
            break;
        case '}':
        case ']':
            assert_true(depth > 0);
            assert_int_equal(stack[--depth], json.data[i] == '}' ? '{' : '[');
            break;
        case '"':
            for (i++; i < json.len && json.data[i] != '"'; i++) {
                assert_true(json.data[i] >= 0x20 && json.data[i] != '<');
                i += json.data[i] == '\\';
            }
            assert_true(i < json.len);
            break;
        default:
            assert_true(json.data[i] < 0x7f);
        }
    }

    assert_int_equal(depth, 0);
}


/* Octets of any kind, those that mean something more often. */
static iri_str_t
octets(unsigned char *out, size_t most)
{
    static const char *const parts[] = { "<",
                                         ">",
                                         "&",
                                         "\"",
                                         "'",
                                         "\\",
                                         "]]>",
                                         "<script>",
                                         "%41",
                                         "%",
                                         "\n",
                                         "\r",
                                         "\xC3\xA9",
                                         "\xE2\x80\xAE",
                                         "\xEF\xBF\xBE",
                                         "\xED\xA0\x80",
                                         "\xF0\x9F\x98\x80",
                                         "javascript:",
                                         "?",
                                         "#",
                                         "@",
                                         "://",
                                         "/",
                                         "{" };
    iri_str_t                s = { core_random((uint32_t) most), out };
    size_t                   i, len;

    for (i = 0; i < s.len;) {
        out[i] = (unsigned char) core_random(256);

        if (core_random(2) != 0) {
            const char *part = parts[core_random(COUNT(parts))];

            len = strlen(part) < s.len - i ? strlen(part) : s.len - i;
            memcpy(out + i, part, len);
            i += len;
        } else {
            i++;
        }
    }

    return s;
}


static void
test_strangers(void **state)
{
    static unsigned char referer[1000], agent[1000];
    fixture_t            f;
    iri_stats_event_t    e = legacy("EUC-JP", "", "");
    iri_str_t            text;
    size_t               i, n;

    (void) state;

    for (n = 0; n < 60; n++) {
        setup(&f, NOW);

        for (i = 0; i < 100; i++) {
            e.referer = octets(referer, 1 + n * 12);
            e.agent = octets(agent, 1 + n * 12);
            iri_stats_count(f.stats, &e);
        }

        assert_page(page(&f, NOW, ""));
        assert_json(page(&f, NOW, "format=json"));
        text = page(&f, NOW, "format=prometheus");

        for (i = 0; i < text.len; i++) {
            assert_true(text.data[i] < 0x7f);
        }
        teardown(&f);
    }
}


/* All that there may be at once, as long as it may be. */
static void
test_largest(void **state)
{
    static char       text[IRI_STATS_TEXT + 1];
    fixture_t         f;
    iri_stats_event_t e;
    iri_str_t         html;
    size_t            i, k;

    (void) state;

    setup(&f, NOW - 400 * (int64_t) DAY);
    memset(text, '"', sizeof(text) - 1);

    for (i = 0; i < 400; i++) {
        snprintf(text, sizeof(text), "%zu", i);
        text[strlen(text)] = '"';
        e = legacy(iri_encoding_at(i % 40)->name, text, text);
        e.now = NOW - (int64_t) (399 - i) * DAY;
        e.match = (iri_match_t) (i % IRI_MATCHES);
        e.verdict = (iri_verdict_t) (i % IRI_VERDICTS);
        e.query = IRI_QUERY_READ;
        e.query_charset = e.charset;
        e.report = i % 2;
        iri_stats_count(f.stats, &e);
    }

    for (i = 0; i < 48; i++) {
        e.now = NOW - (int64_t) (47 - i) * 3600;
        e.redirect = iri_stats_redirects[i % 5];
        e.why = (iri_why_t) (i % IRI_WHYS);
        e.verdict = IRI_REFUSE;
        e.host = (iri_host_why_t) (i % IRI_HOST_WHYS);
        iri_stats_count(f.stats, &e);
    }

    for (i = 0; i < 2; i++) {
        for (k = 0; k < sizeof(iri_stats_set_t) / 8; k++) {
            ((uint64_t *) &f.region->sets[i])[k] += UINT64_MAX / 4000;
        }
    }

    html = page(&f, NOW, "");
    assert_page(html);
    print_message("# the largest page: %zu octets\n", html.len);
    html = page(&f, NOW, "format=json");
    assert_json(html);
    print_message("# the largest JSON: %zu octets\n", html.len);
    teardown(&f);
}


static void
test_verdict(void **state)
{
    fixture_t         f;
    iri_stats_event_t e = legacy("EUC-JP", "", "");
    iri_str_t         html;

    (void) state;

    setup(&f, NOW);
    count_at(&f, NOW, 12345);
    html = page(&f, NOW + 7200, "");
    assert_has(html, "No legacy encodings so far");
    assert_has(html, "since counting began, 2 hours ago.");
    assert_has(html, "0\xE2\x80\xAF% <small>0 of 12\xE2\x80\xAF"
                     "345 requests</small>");
    assert_has(html, "No request has used one.");

    iri_stats_count(f.stats, &e);
    html = page(&f, NOW + 119, "");
    assert_has(html, "Legacy encodings are still in use");
    assert_has(html, "The last one came 119 seconds ago, in EUC-JP.");
    assert_has(html, "0.01\xE2\x80\xAF% <small>1 of 12\xE2\x80\xAF"
                     "346 requests</small>");

    html = page(&f, NOW + 30 * DAY, "");
    assert_has(html, "Legacy encodings are no longer used");
    assert_has(html, "The last one came 30 days ago, in EUC-JP. They can be "
                     "switched off.");
    assert_has(html, "0\xE2\x80\xAF% <small>0 of 0 requests");
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


/* ---- for pictures -------------------------------------------------------- */

/*
 * What a site may see that has moved to UTF-8: the events of 75 days, counted
 * as a server would count them.
 */
static void
simulate(fixture_t *f, int64_t from, int64_t to)
{
    static const char *const referers[] = {
        "http://www.example.jp/links/index.html",
        "http://bbs.example.com/thread/1995/03",
        "http://old.example.org/~tanaka/link.htm", "",
        "http://search.example.net/cache/\xC9\xBD"
    };
    static const char *const agents[] = {
        "ExampleBot/1.4 (+http://bot.example/)",
        "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)",
        "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101", "",
        "libwww-perl/6.68"
    };
    iri_stats_event_t e;
    int64_t           at;
    uint64_t          level;
    size_t            i;

    for (at = from; at <= to; at += 720) {
        level = (uint64_t) (at % DAY / 3600 < 7 ? 20 : 60);
        level -= at / DAY % 7 < 2 ? level / 3 : 0;

        for (i = 0; i < level; i++) {
            memset(&e, 0, sizeof(e));
            e.now = at;

            if (core_random(100) < 35) {
                e = event(core_random(8) == 0 ? IRI_FORM_NATIVE
                                              : IRI_FORM_ESCAPED);
                e.verdict = IRI_SERVE;
                e.match = IRI_MATCH_EXACT;
                e.why = IRI_WHY_FOUND;
            } else if (core_random(200) == 0) {
                e = event(IRI_FORM_INVALID);
                e.verdict = IRI_REFUSE;
                e.why = IRI_WHY_UNREADABLE;
            }
            e.now = at;
            iri_stats_count(f->stats, &e);
        }

        /* it falls by half in each 12 days */
        level = (uint64_t) (9000 >> (at - from) / DAY / 12);
        level -= level / 2 * ((uint64_t) (at - from) / DAY % 12) / 12;
        level = (level * (80 + core_random(40)) / 100 + core_random(1000))
                / 1000;

        for (i = 0; i < level; i++) {
            e = legacy(core_random(9) == 0 ? "EUC-JP" : "Shift_JIS",
                       referers[core_random(5) * core_random(2)],
                       agents[core_random(5) * core_random(2)]);
            e.match = IRI_MATCH_CHARSET;
            e.why = IRI_WHY_FOUND;
            e.redirect = 301;
            e.now = at;
            e.query = core_random(20) == 0 ? IRI_QUERY_READ : IRI_QUERY_ASCII;
            e.query_charset = S("Shift_JIS");
            iri_stats_count(f->stats, &e);
        }
    }
}


static int
print_page(void)
{
    fixture_t f;
    iri_str_t html;

    setup(&f, NOW - 75 * (int64_t) DAY);
    simulate(&f, NOW - 75 * (int64_t) DAY, NOW - 600);
    f.region->cache.index_hits = 5003;
    f.region->cache.index_misses = 143;
    f.region->cache.builds = 143;
    html = page(&f, NOW, "");
    (void) fwrite(html.data, 1, html.len, stdout);
    teardown(&f);

    return 0;
}


int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_sums),
        cmocka_unit_test(test_range),     cmocka_unit_test(test_days),
        cmocka_unit_test(test_clock),     cmocka_unit_test(test_charsets),
        cmocka_unit_test(test_secrets),   cmocka_unit_test(test_top),
        cmocka_unit_test(test_killed),    cmocka_unit_test(test_prometheus),
        cmocka_unit_test(test_processes), cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_largest),   cmocka_unit_test(test_verdict),
        cmocka_unit_test(test_no_memory),
    };

    if (argc == 2 && strcmp(argv[1], "--page") == 0) {
        return print_page();
    }

    return cmocka_run_group_tests(tests, NULL, NULL);
}
