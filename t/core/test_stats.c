/*
 * test_stats.c - the counters of requests, and the status report
 *
 * Covers: each request is counted once in each table, plain ones too; days
 * add up for any changes of the clock; clients with legacy encodings
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


/* A lock of processes; the test releases it for a killed process. */
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


static iri_stats_region_t *region; /* shared by processes */
static iri_stats_t         stats;

static void
setup(int64_t now)
{
    size_t size = iri_stats_size() + sizeof(int);

    core_init(&core);

    if (region != NULL) {
        (void) munmap(region, size);
    }

    region = mmap(NULL, size, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(region, MAP_FAILED);
    stats.memory = region;
    stats.lock = spin_lock;
    stats.unlock = spin_unlock;
    stats.ctx = (char *) region + iri_stats_size();
    iri_stats_init(&stats, now);
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


static iri_stats_copy_t *
look(int64_t now)
{
    iri_stats_copy_t *look = iri_stats_read(&core.env, &stats, now);

    assert_non_null(look);

    return look;
}


/* The number of requests with a form, in both modes. */
static uint64_t
requests(iri_form_t form)
{
    const iri_stats_region_t *seen = &look(NOW)->region;

    return form == IRI_FORMS
               ? iri_stats_requests(seen->sets[0].forms)
                     + iri_stats_requests(seen->sets[1].forms)
               : seen->sets[0].forms[form] + seen->sets[1].forms[form];
}


/* The number of senders in a table. */
static size_t
senders(const iri_stats_copy_t *copy, iri_stats_table_t table)
{
    size_t n = 0;

    while (n < IRI_STATS_SENDERS && copy->region.senders[table][n].count != 0)
    {
        n++;
    }

    return n;
}


static iri_str_t
page(int64_t now, const char *query)
{
    iri_page_t page;

    assert_ok(iri_stats_page(&core.env, &stats, now, core_str(query), &page));

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
count(const iri_stats_event_t *event, size_t times)
{
    while (times-- > 0) {
        iri_stats_count(&stats, event);
    }
}


static void
count_at(int64_t now, size_t times)
{
    iri_stats_event_t e = event(IRI_FORM_ASCII);

    e.now = now;
    count(&e, times);
}


TEST(test_memory)
{
    assert_true(iri_stats_size() < 128 * 1024);
    assert_int_equal(iri_stats_size() % sizeof(uint64_t), 0);

    /* The same layout: the counts continue.  Another one: they are cleared. */
    setup(NOW);
    count_at(NOW, 1);
    iri_stats_init(&stats, NOW + 5);
    count_at(NOW + 5, 1);
    assert_int_equal(requests(IRI_FORM_ASCII), 2);
    assert_int_equal(look(NOW)->region.since, NOW);

    memset(region, 0xa5, iri_stats_size());
    iri_stats_init(&stats, NOW + 9);
    assert_int_equal(requests(IRI_FORM_ASCII), 0);
    assert_int_equal(look(NOW)->region.since, NOW + 9);
}


/* The rows of each table add up to the number of requests. */
TEST(test_sums)
{
    iri_stats_event_t e;
    iri_stats_copy_t *l;
    iri_stats_set_t  *set;
    uint64_t          sum;
    size_t            i, k, n, counted[2] = { 0, 0 }, query_only = 0;

    setup(NOW);

    for (n = 0; n < 5000; n++) {
        e = event((iri_form_t) core_random(IRI_FORMS));
        e.report = (int) core_random(2);
        e.charset = S("EUC-JP");
        e.query_charset = S("nosuch");
        e.match = (iri_match_t) core_random(IRI_MATCHES);
        e.verdict = (iri_verdict_t) core_random(IRI_VERDICTS);
        e.why = (iri_why_t) (core_random(IRI_WHYS - 1) + 1);
        e.query = (iri_query_why_t) core_random(IRI_QUERY_WHYS);

        if (core_random(3) == 0) {
            memset(&e, 0, sizeof(e));
            e.now = NOW;
        }

        iri_stats_count(&stats, &e);
        counted[e.report]++;
        query_only += e.query == IRI_QUERY_READ && e.form != IRI_FORM_LEGACY;
    }

    l = look(NOW);

    for (n = 0; n < 2; n++) {
        set = &l->region.sets[n];

        for (k = 0; k < IRI_STATS_ENUMS; k++) {
            for (sum = 0, i = 0; i < iri_stats_enums[k].size; i++) {
                sum += iri_stats_counts(set, &iri_stats_enums[k])[i];
            }

            if (strcmp(iri_stats_enums[k].name, "redirects") != 0) {
                assert_int_equal(sum, counted[n]);
            }
        }

        for (sum = 0, i = 0; i < IRI_STATS_CHARSETS; i++) {
            sum += set->charsets[0][i];
        }
        assert_int_equal(sum, set->forms[IRI_FORM_LEGACY]);
        assert_int_equal(set->charsets[1][IRI_STATS_OTHER],
                         set->queries[IRI_QUERY_READ]);
    }

    assert_int_equal(l->day_count, 1);
    assert_int_equal(iri_stats_requests(iri_stats_day(l, 0)),
                     counted[0] + counted[1]);
    assert_int_equal(iri_stats_day(l, 0)[IRI_FORMS], query_only);
}


/* A value out of range changes no other counter. */
TEST(test_range)
{
    static const iri_stats_set_t none[IRI_STATS_MODES];
    iri_stats_event_t            e = event((iri_form_t) 77);

    setup(NOW);
    e.match = (iri_match_t) -1;
    e.verdict = (iri_verdict_t) 1000;
    e.why = (iri_why_t) IRI_WHYS;
    e.query = (iri_query_why_t) 99;
    e.redirect = 200;
    iri_stats_count(&stats, &e);
    assert_memory_equal(region->sets, none, sizeof(none));
    e = event(IRI_FORM_ESCAPED);
    e.redirect = 308;
    iri_stats_count(&stats, &e);
    assert_int_equal(look(NOW)->region.sets[0].redirects[4], 1);
    assert_int_equal(look(NOW)->region.sets[0].redirects[0], 0);
}


TEST(test_days)
{
    iri_stats_event_t e = legacy("EUC-JP", "", "");
    iri_stats_copy_t *l;
    size_t            i;

    setup(NOW);
    count_at(NOW, 3);
    count_at(NOW + 3600, 5);
    e.now = NOW + 3 * DAY;
    iri_stats_count(&stats, &e);
    l = look(NOW + 3 * DAY + 7200);

    assert_int_equal(l->day_count, 4);
    assert_int_equal(iri_stats_requests(iri_stats_day(l, 3)), 8);
    assert_int_equal(iri_stats_requests(iri_stats_day(l, 2)), 0);
    assert_int_equal(iri_stats_day(l, 0)[IRI_FORM_LEGACY], 1);

    /* the ring is full: the totals stay, the oldest days are replaced */
    for (i = 4; i < 1000; i++) {
        count_at(NOW + (int64_t) i * DAY, 2);
    }

    l = look(NOW + 999 * DAY);
    assert_int_equal(l->day_count, IRI_STATS_DAYS);
    for (i = 0; i < IRI_STATS_DAYS; i++) {
        assert_int_equal(iri_stats_requests(iri_stats_day(l, i)), 2);
    }
    assert_int_equal(requests(IRI_FORMS), 9 + 996 * 2);
}


/* Processes with different clocks, and clocks that are changed. */
TEST(test_clock)
{
    iri_stats_copy_t *l;
    int64_t           midnight = NOW / DAY * DAY + DAY;

    setup(NOW);
    count_at(midnight, 1);
    count_at(midnight - 1, 1);
    count_at(midnight + 1, 1);
    l = look(midnight + 1);
    assert_int_equal(iri_stats_requests(iri_stats_day(l, 0)), 2);
    assert_int_equal(iri_stats_requests(iri_stats_day(l, 1)), 1);

    /* ten years later, and back: that day is not one of the last 400 */
    count_at(NOW + 3650 * (int64_t) DAY, 4);
    count_at(midnight + 2, 2);
    l = look(midnight + 2);
    assert_int_equal(l->day_count, 2);
    assert_int_equal(iri_stats_requests(iri_stats_day(l, 0)), 4);
    assert_int_equal(requests(IRI_FORMS), 9);

    /* before the epoch, and before counting began */
    count_at(-5, 1);
    l = look(-5);
    assert_int_equal(l->day_count, 1);
    assert_int_equal(iri_stats_requests(iri_stats_day(l, 0)), 1);
    assert_int_equal(requests(IRI_FORMS), 10);
}


TEST(test_charsets)
{
    iri_stats_event_t     e;
    iri_stats_copy_t     *l;
    const iri_encoding_t *encoding;
    size_t                i;

    /* there is room for all charsets, and for two more */
    for (i = 0; (encoding = iri_encoding_at(i)) != NULL; i++) {
        assert_string_equal(iri_stats_charset(i), encoding->name);
    }
    assert_true(i < IRI_STATS_OTHER);
    assert_null(iri_stats_charset(i));

    setup(NOW);
    e = legacy("Shift_JIS", "", "");
    iri_stats_count(&stats, &e);
    e.now = NOW + 60;
    e.report = 1;
    iri_stats_count(&stats, &e);
    e = event(IRI_FORM_ESCAPED);
    e.query = IRI_QUERY_READ;
    e.query_charset = S("EUC-JP");
    iri_stats_count(&stats, &e);
    e = legacy("mixed", "", "");
    iri_stats_count(&stats, &e);

    l = look(NOW + 60);
    assert_int_equal(l->region.sets[0].charsets[0][IRI_STATS_MIXED], 1);
    assert_int_equal(l->region.last_seen[0][IRI_STATS_MIXED], NOW);
    assert_int_equal(l->region.missing[IRI_STATS_REFERER], 4);
    assert_int_equal(iri_stats_day(l, 0)[IRI_FORMS], 1);

    assert_has(page(NOW, "format=json"),
               "\"charsets\":{\"EUC-JP\":{\"query\":{\"on\":1,\"report\":0,"
               "\"last\":\"2026-11-22T16:00:00Z\"}},\"Shift_JIS\":{\"path\":"
               "{\"on\":1,\"report\":1,\"last\":\"2026-11-22T16:01:00Z\"}}");
}


/* The text that is stored for the sender of a request. */
static void
assert_kept(iri_stats_table_t table, const char *sent, const char *want)
{
    iri_stats_event_t e = legacy("EUC-JP", sent, sent);

    setup(NOW);
    iri_stats_count(&stats, &e);
    assert_text(iri_stats_text(&look(NOW)->region.senders[table][0]), want);
}


TEST(test_secrets)
{
    static const char *const rows[][2] = {
        { "http://a.example/b?c=d", "http://a.example/b" },
        { "http://a.example/b#c?d", "http://a.example/b" },
        { "http://u:p@a.example/b@c", "http://a.example/b@c" },
        { "http://u@v:p@a.example", "http://a.example" },
        { "http://u:p@?x", "http://" },
        { "?x=y", "" },
        { "/b@c", "/b@c" },
        { "//u:p@a/", "//a/" },
        { "//u:p@", "//" },
        { "//", "//" },
        { "///b@c", "///b@c" },
        { "javascript:alert(1)", "javascript:alert(1)" },
        { "://", "://" },
        /* escapes stay, so that the URL can be copied */
        { "http://a/%E8%A1%A8", "http://a/%E8%A1%A8" },
        { "http://a/\xE8\xA1\xA8\xff", "http://a/%E8%A1%A8%FF" },
        { "http://a/<\"\\>\t", "http://a/%3C%22%5C%3E%09" },
    };
    char   text[600], want[600];
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        assert_kept(IRI_STATS_REFERER, rows[i][0], rows[i][1]);
    }

    assert_kept(IRI_STATS_AGENT, "a b/1.0 (c; d) ?e#f",
                "a b/1.0 (c; d) ?e#f");

    /* too long: truncated between escapes */
    memset(text, 'x', sizeof(text));
    memcpy(text, "http://u:p@a/", 13);
    text[599] = '\0';
    memset(want, 'x', sizeof(want));
    memcpy(want, "http://a/", 9);
    want[IRI_STATS_TEXT - 2] = '\0';
    assert_kept(IRI_STATS_REFERER, text, want);
    text[258] = '\xff';
    assert_kept(IRI_STATS_REFERER, text, want);
    text[256] = '\xff';
    memcpy(want + 252, "%FF", 4);
    assert_kept(IRI_STATS_REFERER, text, want);
}


/* A sender of more than 1/64 of the requests is kept, for any other senders. */
TEST(test_top)
{
    iri_stats_event_t         e;
    iri_stats_copy_t         *l;
    const iri_stats_sender_t *row;
    char                      agent[32];
    uint64_t                  sum = 0;
    size_t                    i, n = 0;

    setup(NOW);

    for (i = 0; i < 20000; i++) {
        snprintf(agent, sizeof(agent), "random %zu", i);
        e = legacy("EUC-JP", "", i % 40 == 7 ? "often" : agent);
        e.now = NOW + (int64_t) (i / 100);
        iri_stats_count(&stats, &e);
    }

    l = look(NOW);
    assert_int_equal(senders(l, IRI_STATS_AGENT), IRI_STATS_SENDERS);
    assert_int_equal(senders(l, IRI_STATS_REFERER), 0);

    for (i = 0; i < IRI_STATS_SENDERS; i++) {
        row = &l->region.senders[IRI_STATS_AGENT][i];

        if (row->len == 5) {
            assert_in_range(500, row->count - row->error, row->count);
            n++;
        }
        assert_true(i == 0 || row->count <= row[-1].count);
        sum += row->count;
    }

    assert_int_equal(sum, 20000);
    assert_int_equal(n, 1);
}


/* Memory as a killed process leaves it while writing. */
TEST(test_killed)
{
    iri_stats_event_t   e = legacy("EUC-JP", "http://a/", "b");
    iri_stats_copy_t   *l;
    iri_stats_sender_t *row;

    setup(NOW);
    iri_stats_count(&stats, &e);
    row = region->senders[IRI_STATS_REFERER];
    row->count = 0;
    l = look(NOW);
    assert_int_equal(senders(l, IRI_STATS_REFERER), 0);
    assert_int_equal(senders(l, IRI_STATS_AGENT), 1);

    /* the row is empty, and the next sender gets it */
    iri_stats_count(&stats, &e);
    l = look(NOW);
    assert_int_equal(senders(l, IRI_STATS_REFERER), 1);
    assert_int_equal(l->region.senders[IRI_STATS_REFERER][0].count, 1);
    row->count = 0;

    e.referer = S("http://c/");
    iri_stats_count(&stats, &e);
    l = look(NOW);
    assert_int_equal(senders(l, IRI_STATS_REFERER), 1);
    assert_int_equal(l->region.senders[IRI_STATS_REFERER][0].count, 1);
    assert_text(iri_stats_text(&l->region.senders[0][0]), "http://c/");

    /* a day whose row was not cleared to its end */
    region->days[(NOW / DAY + 1) % (IRI_STATS_DAYS + 1)].number = 0;
    assert_int_equal(iri_stats_requests(iri_stats_day(look(NOW), 0)), 0);
    iri_stats_count(&stats, &e);
    assert_int_equal(iri_stats_day(look(NOW), 0)[IRI_FORM_LEGACY], 1);

    /* lengths and numbers read from the memory are checked */
    row->len = UINT64_MAX;
    row->charset = 1000;
    assert_int_equal(iri_stats_text(row).len, IRI_STATS_TEXT);
    assert_true(has(page(NOW, "format=json"), "\"other\""));
    (void) page(NOW, "");
}


/* Count until killed; the letter of a User-Agent depends on its length. */
static void
count_until_killed(void)
{
    iri_stats_event_t e = legacy("EUC-JP", "", "");
    unsigned char     text[256];
    size_t            n;

    (void) alarm(10); /* if the test fails */

    for (n = (size_t) getpid();; n = n * 69069 + 1) {
        memset(text, 'a' + n / 64 % 26, sizeof(text));
        e.agent.data = text;
        e.agent.len = 200 + n / 64 % 26;
        e.now = NOW + (int64_t) (n / 4096 % 1000) * 3600;
        iri_stats_count(&stats, &e);
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
assert_senders(const iri_stats_copy_t *l)
{
    size_t i;

    for (i = 0; i < senders(l, IRI_STATS_AGENT); i++) {
        assert_letters(
            iri_stats_text(&l->region.senders[IRI_STATS_AGENT][i]));
    }
}


TEST(test_processes)
{
    static const size_t rounds = 100;
    uint64_t            before = 0;
    size_t              i, n;
    pid_t               pid[2];

    setup(NOW);

    for (n = 0; n < rounds; n++) {
        for (i = 0; i < 2; i++) {
            pid[i] = fork();
            assert_true(pid[i] >= 0);

            if (pid[i] == 0) {
                count_until_killed();
            }
        }

        for (i = 0; i < 2; i++) {
            (void) usleep(500 + core_random(1500));

            if (i == 0) {
                assert_senders(look(NOW)); /* while a record is written */
            }
            (void) kill(pid[i], SIGKILL);
            (void) waitpid(pid[i], NULL, 0);
            spin_unlock(stats.ctx);
        }

        assert_true(requests(IRI_FORMS) >= before);
        before = requests(IRI_FORMS);
        assert_int_equal(before, requests(IRI_FORM_LEGACY));

        assert_senders(look(NOW));
        core_forget(&core);
    }

    assert_true(before > rounds);
}


TEST(test_prometheus)
{
    iri_stats_event_t e = legacy("EUC-JP", "http://bad\"}\n/", "b");
    iri_str_t         text;

    setup(NOW);
    iri_stats_count(&stats, &e);
    text = page(NOW, "a=b&format=prometheus");
    assert_has(text, "# TYPE iri_requests_total counter\n");
    assert_has(text, "\niri_requests_total{mode=\"on\",form=\"legacy\"} 1\n");
    assert_has(text, "\niri_requests_total{mode=\"on\",form=\"ascii\"} 0\n");
    assert_has(text, "\niri_legacy_requests_total{mode=\"on\",part=\"path\","
                     "charset=\"EUC-JP\"} 1\n");
    assert_has(text, "\niri_status_start_time_seconds 1795363200\n");
    assert_false(has(text, "bad"));
    assert_true(text.len < 64 * 1024);
}


/* ---- pages --------------------------------------------------------------- */

/*
 * No client text starts or ends an element: each "<" is part of the template.
 */
static void
assert_page(iri_str_t html)
{
    size_t i, open = 0, close = 0, quotes = 0;
    int    inside = 0;

    assert_true(html.len < 64 * 1024);
    html = iri_str_from(html,
                        (size_t) (strstr((const char *) html.data, "</style>")
                                  - (const char *) html.data));

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


/* Random octets, with a bias to those that have a meaning in a format. */
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


TEST(test_hostile_texts)
{
    static unsigned char referer[1000], agent[1000];
    iri_stats_event_t    e = legacy("EUC-JP", "", "");
    iri_str_t            text;
    size_t               i, n;

    for (n = 0; n < 60; n++) {
        setup(NOW);

        for (i = 0; i < 100; i++) {
            e.referer = octets(referer, 1 + n * 12);
            e.agent = octets(agent, 1 + n * 12);
            iri_stats_count(&stats, &e);
        }

        assert_page(page(NOW, ""));
        assert_json(page(NOW, "format=json"));
        text = page(NOW, "format=prometheus");

        for (i = 0; i < text.len; i++) {
            assert_true(text.data[i] < 0x7f);
        }
    }
}


/* The largest possible report, with the longest texts. */
TEST(test_largest)
{
    static char       text[IRI_STATS_TEXT + 1];
    iri_stats_event_t e;
    size_t            i, k;

    setup(NOW - 400 * (int64_t) DAY);
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
        iri_stats_count(&stats, &e);
    }

    for (i = 0; i < 48; i++) {
        e.redirect = (int) (301 + i % 8);
        e.why = (iri_why_t) (i % IRI_WHYS);
        e.verdict = IRI_REFUSE;
        iri_stats_count(&stats, &e);
    }

    for (i = 0; i < 2; i++) {
        for (k = 0; k < sizeof(iri_stats_set_t) / 8; k++) {
            ((uint64_t *) &region->sets[i])[k] += UINT64_MAX / 4000;
        }
    }

    assert_page(page(NOW, ""));
    assert_json(page(NOW, "format=json"));
}


TEST(test_verdict)
{
    iri_stats_event_t e = legacy("EUC-JP", "", "");
    iri_str_t         html;

    setup(NOW);
    count_at(NOW, 12345);
    html = page(NOW + 7200, "");
    assert_has(html, "No legacy encodings so far");
    assert_has(html, "No request has used a legacy encoding since "
                     "<time datetime=\"2026-11-22T16:00:00Z\">");
    assert_has(html, "<td>0.00\xE2\x80\xAF%</td><td>0</td>"
                     "<td>12\u202f345</td>");
    assert_false(has(html, "Encoding"));

    iri_stats_count(&stats, &e);
    html = page(NOW + 119, "");
    assert_has(html, "Legacy encodings are still in use");
    assert_has(
        html, "The last legacy request came <time datetime=\""
              "2026-11-22T16:00:00Z\">2026-11-22 16:00\xC2\xA0UTC</time>, in "
              "EUC-JP.");
    assert_has(html, "<td>0.01\xE2\x80\xAF%</td><td>1</td>"
                     "<td>12\u202f346</td>");
    assert_has(html, "Encoding");

    html = page(NOW + 30 * DAY, "");
    assert_has(html, "Legacy encodings are no longer used");
    assert_has(html, ", in EUC-JP. They can be switched off.");
    assert_has(html, "<td>0.00\xE2\x80\xAF%</td><td>0</td><td>0</td>");
}


/* Each kind of request and report when an allocation fails. */
TEST(test_no_memory)
{
    static const char *const queries[] = { "", "format=json",
                                           "format=prometheus" };
    iri_stats_event_t        e = legacy("EUC-JP", "http://a/", "b");
    iri_page_t               page;
    iri_status_t             status;
    size_t                   i, n;

    setup(NOW);
    iri_stats_count(&stats, &e);

    for (i = 0; i < COUNT(queries); i++) {
        status = IRI_NO_MEMORY;

        for (n = 1; status == IRI_NO_MEMORY; n++) {
            core_forget(&core);
            core.allocs = 0;
            core.fail_at = n;
            status = iri_stats_page(&core.env, &stats, NOW,
                                    core_str(queries[i]), &page);
        }

        assert_int_equal(status, IRI_OK);
        assert_true(n > 3);
        core.fail_at = 0;
    }
}


/* ---- for pictures -------------------------------------------------------- */

/*
 * The page of a site that has moved to UTF-8: in 75 days legacy requests fall
 * by half in each 12 days.
 */
static int
print_page(void)
{
    static const char *const senders[][2] = {
        { "http://www.example.jp/links/index.html",
          "ExampleBot/1.4 (+http://bot.example/)" },
        { "http://bbs.example.com/thread/1995/03",
          "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)" },
        { "", "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101" },
        { "http://search.example.net/cache/\xC9\xBD", "libwww-perl/6.68" },
    };
    iri_stats_event_t e;
    iri_str_t         html;
    size_t            day, i;

    setup(NOW - 75 * (int64_t) DAY);

    for (day = 0; day < 75; day++) {
        for (i = 0; i < 4; i++) {
            e = legacy(day % 9 == 0 ? "EUC-JP" : "Shift_JIS", senders[i][0],
                       senders[i][1]);
            e.match = IRI_MATCH_CHARSET;
            e.why = IRI_WHY_FOUND;
            e.redirect = 301;
            e.query = i == 0 ? IRI_QUERY_READ : IRI_QUERY_ASCII;
            e.query_charset = S("Shift_JIS");
            e.now = NOW - (int64_t) (75 - day) * DAY;
            count(&e, ((size_t) 1000 >> day / 12) / (i + 1));
        }

        count_at(e.now, 3000 - day % 7 * 200);
        e = event(day % 8 == 0 ? IRI_FORM_NATIVE : IRI_FORM_ESCAPED);
        e.why = IRI_WHY_FOUND;
        e.now = NOW - (int64_t) (75 - day) * DAY;
        count(&e, 2000);
        e.form = IRI_FORM_INVALID;
        e.verdict = IRI_REFUSE;
        e.why = IRI_WHY_UNREADABLE;
        count(&e, 20);
    }

    html = page(NOW, "");
    (void) fwrite(html.data, 1, html.len, stdout);

    return 0;
}


int
main(int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], "--page") == 0 ? print_page()
                                                       : core_run();
}
