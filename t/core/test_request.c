/*
 * test_request.c - the states of a request
 *
 * Proves: each event in each state leads to the state that iri_request.h
 * draws; which names a response may reveal there; that a request restarts at
 * most once, and that an entry with another name is absent where it cannot;
 * each refusal with its status and its line; values of variables and counters;
 * that without memory nothing is opened.
 */

#include "core.h"

#define MATCH (IRI_FOLD_NORMALIZATION | IRI_FOLD_CASE)

typedef struct {
    iri_tree_conf_t    tree;
    iri_reading_conf_t conf;
    iri_search_t       search;
    iri_find_conf_t    find;
    iri_request_t     *request;
} server_t;

static server_t server;

static char            logged[1024];
static iri_log_level_t logged_level;


static void
server_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    logged_level = level;
    snprintf(logged, sizeof(logged), "%.*s", (int) line.len,
             (const char *) line.data);
}


static void
server_start(void)
{
    memset(&server, 0, sizeof(server));
    core_init(&core);
    core.env.log = server_log;
    core_put(&core, S("/srv/secret/name.txt"));
    core_put(&core, S("/srv/two/Name.txt"));
    core_put(&core, S("/srv/two/NAME.txt"));
    core_put(&core, S("/srv/euc/\xB4\xC1"));
    server.tree = core_tree("", IRI_FILENAME_ANY, MATCH);
    server.search.tree = &server.tree;
    server.search.root = S("/srv");
    server.request = iri_request_init(
        core.env.alloc(core.env.ctx, iri_request_size()));
    logged[0] = '\0';
}


static iri_verdict_t
server_read(const char *path, iri_origin_t origin)
{
    iri_received_path_t received;
    iri_verdict_t       verdict = IRI_VERDICTS;

    memset(&received, 0, sizeof(received));
    received.path = core_str(path);
    assert_ok(iri_request_read(server.request, &core.env, &server.conf,
                               &received, origin, &verdict));

    return verdict;
}


/* url NULL: the request cannot restart. */
static iri_lookup_t *
server_find(const char *url, const char *path)
{
    server.search.path = core_str(path);
    server.find.path = server.search.path;
    server.find.url = url != NULL ? core_str(url) : S("");

    return iri_request_find(server.request, &core.env, &server.search,
                            &server.find);
}


/* The request restarts as "/secret/name.txt". */
static void
server_restart(int page)
{
    iri_lookup_t *lookup;

    server.find.page = page;
    lookup = server_find("/secret/NAME.txt", "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
    assert_text(lookup->restart, "/secret/name.txt");
    iri_request_restart(server.request, &core.env, lookup,
                        S("/secret/NAME.txt"), lookup->restart, page);
}


/* ---- transitions --------------------------------------------------------- */

typedef enum {
    READS,
    RESTARTS,
    PAGE_RESTARTS,
    GRANTS,
    REDIRECTS,
    DENIES,
    FINISHES,
    EVENTS
} event_t;

static void
send_event(event_t event)
{
    switch (event) {
    case READS:
        server_read("/\xC3\xA9", IRI_PATH_INTERNAL);
        break;
    case RESTARTS:
    case PAGE_RESTARTS:
        server_restart(event == PAGE_RESTARTS);
        break;
    case GRANTS:
        iri_request_granted(server.request);
        break;
    case REDIRECTS:
        iri_request_redirected_inside(server.request, 0);
        break;
    case DENIES:
        iri_request_denied(server.request);
        break;
    default:
        (void) iri_request_finished(server.request);
    }
}


/* Bring a request into a state. */
static void
enter(iri_state_t state)
{
    server_start();

    if (state != IRI_STATE_NEW) {
        iri_request_set_ascii(server.request, S("/secret/NAME.txt"));
    }

    switch (state) {
    case IRI_STATE_RESTARTED:
        send_event(RESTARTS);
        break;
    case IRI_STATE_GRANTED:
        send_event(GRANTS);
        break;
    case IRI_STATE_DENIED:
        send_event(DENIES);
        break;
    case IRI_STATE_FINISHED:
        send_event(FINISHES);
        break;
    default:
        break;
    }

    assert_int_equal(iri_request_state(server.request), state);
}


TEST(test_transitions)
{
    /* rows: NEW, READ, RESTARTED, GRANTED, DENIED; -1: cannot happen */
    static const int next[][EVENTS] = {
        { IRI_STATE_READ, -1, -1, IRI_STATE_GRANTED, IRI_STATE_DENIED,
          IRI_STATE_DENIED, IRI_STATE_FINISHED },
        { IRI_STATE_READ, IRI_STATE_RESTARTED, IRI_STATE_READ,
          IRI_STATE_GRANTED, IRI_STATE_DENIED, IRI_STATE_DENIED,
          IRI_STATE_FINISHED },
        { IRI_STATE_RESTARTED, -1, IRI_STATE_RESTARTED, IRI_STATE_GRANTED,
          IRI_STATE_DENIED, IRI_STATE_DENIED, IRI_STATE_FINISHED },
        { IRI_STATE_GRANTED, IRI_STATE_RESTARTED, IRI_STATE_RESTARTED,
          IRI_STATE_GRANTED, IRI_STATE_READ, IRI_STATE_GRANTED,
          IRI_STATE_FINISHED },
        { IRI_STATE_DENIED, IRI_STATE_RESTARTED, IRI_STATE_DENIED,
          IRI_STATE_DENIED, IRI_STATE_DENIED, IRI_STATE_DENIED,
          IRI_STATE_FINISHED },
    };
    size_t state;
    int    event;

    for (state = 0; state < COUNT(next); state++) {
        for (event = 0; event < EVENTS; event++) {
            if (next[state][event] < 0) {
                continue;
            }

            enter((iri_state_t) state);
            send_event((event_t) event);
            assert_int_equal(iri_request_state(server.request),
                             next[state][event]);
        }
    }
}


/* An error page restarts by itself, once. */
TEST(test_page)
{
    iri_lookup_t *lookup;

    enter(IRI_STATE_RESTARTED);
    send_event(DENIES);
    server_restart(1);
    assert_int_equal(iri_request_state(server.request), IRI_STATE_DENIED);

    lookup = server_find("/secret/NaMe.txt", "/secret/NaMe.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);
}


/* A request restarts at most once; then another name is absent. */
TEST(test_restart_once)
{
    iri_lookup_t *lookup;

    enter(IRI_STATE_RESTARTED);
    assert_true(iri_request_has_restarted(server.request));
    assert_true(iri_request_is_read(server.request, S("/secret/name.txt")));

    lookup = server_find("/secret/NaMe.txt", "/secret/NaMe.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);
    assert_int_equal(lookup->found.match, IRI_MATCH_NONE);

    /* the entry of the restart is not looked up again */
    core.stats = 0;
    lookup = server_find("/secret/name.txt", "/secret/name.txt");
    assert_text(lookup->filename, "/srv/secret/name.txt");
    assert_int_equal(core.stats, 0);
}


TEST(test_cannot_restart)
{
    iri_lookup_t *lookup;

    /* no URL to restart with, for example because the body was read */
    enter(IRI_STATE_READ);
    lookup = server_find(NULL, "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);

    /* a rule has set a path with other last segments */
    enter(IRI_STATE_READ);
    lookup = server_find("/page", "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);

    /* the path stands in the configuration, and folding is needed */
    enter(IRI_STATE_READ);
    server.find.configured = 1;
    lookup = server_find("/secret/NAME.txt", "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);

    /* a Destination, and report mode, keep the verdict */
    enter(IRI_STATE_READ);
    server.find.is_destination = 1;
    lookup = server_find(NULL, "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
    assert_non_null(strstr((const char *) lookup->filename.data, "refused"));

    enter(IRI_STATE_READ);
    iri_request_set_report(server.request);
    lookup = server_find(NULL, "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
}


/* ---- names that are revealed --------------------------------------------- */

TEST(test_hidden_names)
{
    static const struct {
        event_t event; /* after the restart */
        int     is_error, hides;
    } table[] = {
        { READS, 0, 0 },  { READS, 1, 1 },    { GRANTS, 1, 0 },
        { DENIES, 0, 1 }, { FINISHES, 1, 0 },
    };
    size_t i;
    int    hides;

    for (i = 0; i < COUNT(table); i++) {
        enter(IRI_STATE_RESTARTED);
        send_event(table[i].event);
        hides = iri_request_hides_found(server.request, table[i].is_error);
        assert_int_equal(hides, table[i].hides);
        assert_text(iri_request_path(server.request, hides),
                    hides ? "/secret/NAME.txt" : "/secret/name.txt");
    }

    /* without a restart no names are hidden */
    enter(IRI_STATE_DENIED);
    assert_false(iri_request_hides_found(server.request, 1));

    /* a path that was not read */
    server_start();
    server_restart(0);
    assert_text(iri_request_path(server.request, 1), "/secret/NAME.txt");

    /* a path set by a rule has the names of the request */
    enter(IRI_STATE_RESTARTED);
    assert_text(iri_request_path_as_sent(server.request, &core.env,
                                         S("/x/secret/name.txt")),
                "/x/secret/NAME.txt");
    assert_text(
        iri_request_path_as_sent(server.request, &core.env, S("/other")),
        "/other");
}


/* ---- Vary ---------------------------------------------------------------- */

/* Vary before access is granted does not depend on the result. */
TEST(test_vary)
{
    static const struct {
        const char *path;
        int         before, after; /* access is granted */
    } table[] = {
        { "/secret/name.txt", 0, 0 },
        { "/caf\xC3\xA9", 1, 0 },
        { "/absent\xC3\xA9", 1, 1 },
        { "/caf\xE9", 1, 1 },
    };
    iri_lookup_t *lookup;
    iri_str_t     path;
    size_t        i;

    for (i = 0; i < COUNT(table); i++) {
        server_start();
        core_put(&core, S("/srv/caf\xC3\xA9"));
        server.conf.charsets = core_charsets("windows-1252");
        server_read(table[i].path, IRI_PATH_REQUESTED);
        path = iri_request_reading(server.request)->path;
        server.search.path = path;
        server.search.reading = iri_request_reading(server.request);
        server.find.path = path;
        lookup = iri_request_find(server.request, &core.env, &server.search,
                                  &server.find);
        assert_non_null(lookup);
        assert_int_equal(iri_request_varies(server.request), table[i].before);
        iri_request_granted(server.request);
        assert_int_equal(iri_request_varies(server.request), table[i].after);
    }

    /* A path that a rule sets after a restart does not count. */
    enter(IRI_STATE_RESTARTED);
    send_event(READS);
    assert_false(iri_request_varies(server.request));

    /* The path of an error page counts. */
    enter(IRI_STATE_RESTARTED);
    send_event(DENIES);
    send_event(READS);
    assert_true(iri_request_varies(server.request));
}


/* ---- refusals ------------------------------------------------------------ */

TEST(test_refused_path)
{
    iri_lookup_t *lookup;

    server_start();
    assert_int_equal(server_read("/\xFF", IRI_PATH_REQUESTED), IRI_REFUSE);
    assert_int_equal(iri_request_reading(server.request)->status, 404);
    assert_string_equal(logged, "");
    iri_request_log_refusal(server.request, &core.env);
    assert_non_null(strstr(logged, "path \"/%FF\" refused: "));
    assert_non_null(strstr(logged, "reason=unreadable"));

    /* the refused path is not opened */
    lookup = server_find(NULL, "/\xFF");
    assert_int_equal(lookup->found.verdict, IRI_REFUSE);
    assert_int_equal(lookup->found.why, IRI_WHY_UNREADABLE);

    /* an error page has another path */
    assert_int_equal(server_read("/\xC3\xA9", IRI_PATH_INTERNAL), IRI_PASS);
    lookup = server_find(NULL, "/\xC3\xA9");
    assert_int_equal(lookup->found.verdict, IRI_PASS);

    /* report mode changes nothing */
    server_start();
    iri_request_set_report(server.request);
    assert_int_equal(server_read("/\xFF", IRI_PATH_REQUESTED), IRI_PASS);
    assert_string_equal(logged, "");
}


TEST(test_outcome)
{
    static const struct {
        const char   *path;
        int           configured, write, creates;
        iri_verdict_t outcome;
        int           status;
    } table[] = {
        { "/secret/name.txt", 0, 0, 0, IRI_PASS, 0 },
        { "/secret/absent", 0, 0, 0, IRI_PASS, 0 },
        { "/two/nAME.txt", 0, 0, 0, IRI_CHOOSE, 0 },
        { "/two/nAME.txt", 1, 0, 0, IRI_PASS, 0 },
        { "/two/../x", 0, 0, 0, IRI_REFUSE, 404 },
    };
    iri_lookup_t *lookup;
    size_t        i;

    for (i = 0; i < COUNT(table); i++) {
        enter(IRI_STATE_GRANTED);
        server.tree.ambiguous = IRI_AMBIGUOUS_300;
        server.find.configured = table[i].configured;
        server.find.creates = table[i].creates;
        server.search.write = table[i].write;
        lookup = server_find(table[i].path, table[i].path);
        assert_int_equal(iri_request_outcome(lookup, &server.find),
                         table[i].outcome);

        if (table[i].outcome == IRI_REFUSE) {
            assert_int_equal(iri_request_refuse(server.request, &core.env,
                                                lookup, &server.find,
                                                lookup->path),
                             table[i].status);
            assert_non_null(strstr(logged, "not served: "));
            /* the request makes the error page */
            assert_int_equal(iri_request_refuse(server.request, &core.env,
                                                lookup, &server.find,
                                                lookup->path),
                             0);
        }
    }

    /* Several entries match, and 300 is not set. */
    enter(IRI_STATE_GRANTED);
    lookup = server_find("/two/nAME.txt", "/two/nAME.txt");
    assert_int_equal(iri_request_outcome(lookup, &server.find), IRI_REFUSE);
    assert_int_equal(iri_request_refuse(server.request, &core.env, lookup,
                                        &server.find, lookup->path),
                     404);
}


/* A new name in a tree in EUC-JP that no charset of the tree can encode. */
TEST(test_unwritable)
{
    iri_lookup_t *lookup;

    enter(IRI_STATE_GRANTED);
    server.tree = core_tree("euc-jp", IRI_FILENAME_ANY,
                            IRI_FOLD_NORMALIZATION);
    server.search.write = 1;
    server.find.creates = 1;
    lookup = server_find("/euc/\xE2\x82\xAC", "/euc/\xE2\x82\xAC");
    assert_int_equal(iri_request_outcome(lookup, &server.find), IRI_REFUSE);
    assert_int_equal(iri_request_refuse(server.request, &core.env, lookup,
                                        &server.find, lookup->path),
                     iri_is_conflict(&lookup->found) ? 409 : 404);
    assert_non_null(strstr(logged, "reason=unwritable"));
}


/*
 * The source and what contains it are not destroyed, a collection is not copied
 * into itself, and its members keep their names.
 */
TEST(test_transfer)
{
    static const struct {
        const char *source, *destination;
        int         members;
        const char *from, *to;
        int         status;
        const char *line;
    } table[] = {
        { "/srv/two/", "/srv/new/", 1, "", "", 0, "" },
        { "/srv/two/", "/srv/two", 1, "", "", 403, "it is the source" },
        { "/srv/two/Name.txt", "/srv/two/Name.txt", 0, "", "", 403,
          "it is the source" },
        { "/srv/two/", "/srv/two/new/", 1, "", "", 403,
          "it is inside the source" },
        { "/srv/two/", "/srv/two/new/", 0, "", "", 0, "" },
        { "/srv/two/Name.txt", "/srv/two/", 0, "", "", 403,
          "it contains the source" },
        { "/srv/two/", "/srv/euc/new/", 1, "", "euc-jp", 409,
          "reason=destination" },
        { "/srv/two/", "/srv/euc/new/", 0, "", "euc-jp", 0, "" },
        { "/srv/euc/", "/srv/new/", 1, "euc-jp", "utf-8 euc-jp", 409,
          "reason=destination" },
    };
    iri_tree_conf_t from, to;
    iri_transfer_t  transfer;
    size_t          i;

    for (i = 0; i < COUNT(table); i++) {
        enter(IRI_STATE_GRANTED);
        logged[0] = '\0';
        from = core_tree(table[i].from, IRI_FILENAME_ANY, MATCH);
        to = core_tree(table[i].to, IRI_FILENAME_ANY, MATCH);
        memset(&transfer, 0, sizeof(transfer));
        transfer.path = S("/new/");
        transfer.source = core_str(table[i].source);
        transfer.destination = core_str(table[i].destination);
        transfer.members = table[i].members;
        transfer.from = &from;
        transfer.to = &to;
        assert_int_equal(iri_request_transfer(&core.env, &transfer),
                         table[i].status);
        assert_non_null(strstr(logged, table[i].line));
        assert_int_equal(logged[0] != '\0', table[i].status != 0);

        /* Where it is not known, nothing may be written. */
        core.allocs = 0;
        core.fail_at = 1;
        assert_int_equal(iri_request_transfer(&core.env, &transfer), 500);
        core.fail_at = 0;
        core.stats = core.lists = 0;
        core.io_fail_at = 1;
        assert_int_equal(iri_request_transfer(&core.env, &transfer), 500);
    }
}


/* The field: host and path are replaced, the rest stays. */
TEST(test_destination_read)
{
    static const struct {
        const char *value, *host, *out;
        int         status;
        const char *path; /* of the reading */
    } table[] = {
        { "/a", "", "/a", 0, "" },
        { "/a?%zz", "", "/a?%zz", 0, "" },
        { "", "", "", 0, "" },
        { "http://h", "", "http://h", 0, "" },
        { "a/b", "", "a/b", 0, "" },
        { "/caf\xE9#\xE9?\xE9", "", "/caf%C3%A9%23%C3%A9?\xE9", 0,
          "/caf\xC3\xA9#\xC3\xA9" },
        { "http://u@h:8/caf%e9?q", "", "http://u@h:8/caf%C3%A9?q", 0,
          "/caf\xC3\xA9" },
        { "http://u@h:8/caf%e9?q", "xn--h", "http://u@xn--h:8/caf%C3%A9?q", 0,
          "/caf\xC3\xA9" },
        { "http://[::1]:8/a", "h", "http://h:8/a", 0, "" },
        { "http://h/a%2", "h2", "http://h2/a%2", 0, "" },
        { "/\xE9%2", "", "/\xE9%2", 400, "" },
        { "/%C3%A9%00", "", "/%C3%A9%00", 404, NULL },
    };
    iri_reading_t reading;
    iri_str_t     value;
    size_t        i, n, total;
    int           status;

    for (i = 0; i < COUNT(table); i++) {
        server_start();
        server.conf.charsets = core_charsets("windows-1252");
        value = core_str(table[i].value);
        core.allocs = 0;
        status = iri_destination_read(&core.env, &server.conf,
                                      core_str(table[i].host), &value,
                                      &reading);
        assert_int_equal(status, table[i].status);
        assert_text(value, table[i].out);
        assert_int_equal(logged[0] != '\0', status == 404);
        if (table[i].path != NULL && status == 0) {
            assert_text(reading.path, table[i].path);
        }
        if (status == 0) {
            assert_int_equal(value.data[value.len], '\0');
        }

        total = status == 0 ? core.allocs : 0;
        for (n = 1; n <= total; n++) {
            value = core_str(table[i].value);
            core.allocs = 0;
            core.fail_at = n;
            assert_int_equal(iri_destination_read(&core.env, &server.conf,
                                                  core_str(table[i].host),
                                                  &value, &reading),
                             500);
        }
    }
}


TEST(test_destination_check)
{
    static const struct {
        const char *source, *path;
        size_t      prefix;
        int         status;
    } table[] = {
        { "/a", "/b", 0, 0 },         { "/up/a/", "/up/b/", 4, 0 },
        { "/a/", "/b", 0, 409 },      { "/a", "/b/", 0, 409 },
        { "/up/a", "/ub/a", 4, 400 }, { "/up/a", "/up", 4, 400 },
        { "/up", "/up/a", 4, 400 },   { "/a", "/b/../c", 0, 400 },
        { "/a", "/b\1", 0, 400 },     { "/a", "//b", 0, 400 },
        { "/a", "", 0, 400 },
    };
    size_t i;

    for (i = 0; i < COUNT(table); i++) {
        server_start();
        assert_int_equal(
            iri_destination_check(&core.env, core_str(table[i].source),
                                  core_str(table[i].path), table[i].prefix),
            table[i].status);
        assert_int_equal(strstr(logged, "reason=destination") != NULL,
                         table[i].status != 0);
    }
}


TEST(test_destination_unescape)
{
    static const struct {
        const char *value, *path, *out;
    } table[] = {
        { "http://h:8/%C3%A9?q", "/\xC3\xA9", "http://h:8/\xC3\xA9" },
        { "/%41/", "/A/", "/A/" },
        { "/a%25", "/a%", "/a%25" },
        { "/a%3F", "/a?", "/a%3F" },
        { "/a%23", "/a#", "/a%23" },
        { "/%41?x/", "/A", "/%41?x/" },
    };
    iri_str_t value;
    size_t    i;

    server_start();

    for (i = 0; i < COUNT(table); i++) {
        value = core_str(table[i].value);
        assert_ok(iri_destination_unescape(&core.env, core_str(table[i].path),
                                           &value));
        assert_text(value, table[i].out);
    }

    core.allocs = 0;
    core.fail_at = 1;
    value = S("/%41");
    assert_int_equal(iri_destination_unescape(&core.env, S("/A"), &value),
                     IRI_NO_MEMORY);
}


/* The names that both locations give the Destination. */
TEST(test_transfer_names)
{
    static const struct {
        const char *path; /* below /srv, and below the other root */
        const char *charset;
        int         moves;
        int         status;
        iri_why_t   why;
    } table[] = {
        { "/new/\xC3\xA9", "", 0, 0, IRI_WHY_NONE },
        { "/two/NEW.txt", "", 0, 0, IRI_WHY_NONE },
        { "/two/Name.txt", "", 0, 0, IRI_WHY_NONE },
        { "/secret/NAME.txt", "", 0, 409, IRI_WHY_CONFLICT },
        { "/secret/NAME.txt", "", 1, 0, IRI_WHY_NONE },
        { "/two/name.txt", "", 1, 409, IRI_WHY_CONFLICT },
        { "/new/\xE6\xBC\xA2", "euc-jp", 0, 409, IRI_WHY_NONE },
        { "/new/\xE2\x82\xAC", "euc-jp", 0, 409, IRI_WHY_UNWRITABLE },
    };
    iri_tree_conf_t other;
    iri_search_t    search;
    iri_transfer_t  transfer;
    iri_find_conf_t conf;
    size_t          i, n, total, before;

    for (i = 0; i < COUNT(table); i++) {
        server_start();
        server.search.write = 1;
        other = core_tree(table[i].charset, IRI_FILENAME_ANY, MATCH);
        search = server.search;
        search.tree = &other;
        search.path = core_str(table[i].path);
        memset(&conf, 0, sizeof(conf));
        conf.path = search.path;

        memset(&transfer, 0, sizeof(transfer));
        transfer.path = search.path;
        transfer.source = S("/srv/secret/name.txt");
        transfer.destination = S("/srv/none");
        transfer.moves = table[i].moves;
        transfer.from = transfer.to = &server.tree;
        transfer.written = server_find(NULL, table[i].path);
        transfer.judged = iri_request_find(server.request, &core.env, &search,
                                           &conf);
        assert_non_null(transfer.judged);

        logged[0] = '\0';
        before = core.allocs;
        assert_int_equal(iri_request_transfer(&core.env, &transfer),
                         table[i].status);
        assert_int_equal(transfer.why, table[i].why);
        assert_int_equal(strstr(logged, "reason=destination") != NULL,
                         table[i].status != 0);
        /* Only the client can correct this. */
        assert_true(table[i].status == 0 || logged_level == IRI_LOG_INFO);

        /* Without memory nothing may be written. */
        total = core.allocs - before;
        for (n = 1; n <= total; n++) {
            core.allocs = 0;
            core.fail_at = n;
            assert_true(iri_request_transfer(&core.env, &transfer) >= 400);
            assert_int_equal(logged_level, strstr(logged, "memory") != NULL
                                               ? IRI_LOG_ERROR
                                               : IRI_LOG_INFO);
        }
    }
}


/* Both locations must store the same octets below root or alias. */
TEST(test_transfer_stored)
{
    static const struct {
        const char   *root, *name, *other_root, *other_name;
        iri_verdict_t verdict;
        int           status;
    } table[] = {
        { "/srv", "/srv/up/a", "/alias/", "/alias/a", IRI_PASS, 0 },
        { "/alias/", "/alias/a", "/srv", "/srv/up/a", IRI_SERVE, 0 },
        { "/srv", "/srv/up/a", "/alias/", "/alias/b", IRI_PASS, 409 },
        { "/srv", "/srv/up/a", "/srv", "/srv/up/a", IRI_REFUSE, 409 },
        { "/srv", "/srv", "/x", "/x", IRI_PASS, 0 },
        { "/srv", "/srv", "/x", "/x/a", IRI_PASS, 409 },
        { "/srv", "/sr", "/x", "/x", IRI_PASS, 0 },
    };
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, 0);
    iri_lookup_t    written, judged;
    iri_transfer_t  transfer;
    size_t          i;

    for (i = 0; i < COUNT(table); i++) {
        server_start();
        memset(&written, 0, sizeof(written));
        written.search.tree = &tree;
        written.search.root = core_str(table[i].root);
        written.found.filename = core_str(table[i].name);
        written.found.verdict = IRI_PASS;
        judged = written;
        judged.search.root = core_str(table[i].other_root);
        judged.found.filename = core_str(table[i].other_name);
        judged.found.verdict = table[i].verdict;

        memset(&transfer, 0, sizeof(transfer));
        transfer.path = S("/a");
        transfer.source = S("/srv/secret/name.txt");
        transfer.destination = S("/srv/none");
        transfer.from = transfer.to = &tree;
        transfer.written = &written;
        transfer.judged = &judged;
        assert_int_equal(iri_request_transfer(&core.env, &transfer),
                         table[i].status);
        assert_int_equal(transfer.why, IRI_WHY_NONE);
    }
}


/* ---- variables and counters ---------------------------------------------- */

TEST(test_values)
{
    iri_lookup_t     *lookup;
    iri_str_t         path;
    iri_stats_event_t event;
    iri_redirect_t    redirect;
    iri_reading_t     came;

    /* Shift_JIS, then EUC-JP, in which the entry exists */
    server_start();
    server.conf.charsets = core_charsets("sjis euc-jp");
    server.tree = core_tree("euc-jp", IRI_FILENAME_ANY,
                            IRI_FOLD_NORMALIZATION);
    server_read("/euc/\xB4\xC1", IRI_PATH_REQUESTED);
    assert_int_equal(iri_request_form(server.request, 0), IRI_FORM_LEGACY);
    assert_text(iri_request_charset(server.request, 0), "Shift_JIS");

    path = iri_request_reading(server.request)->path;
    server.search.path = path;
    server.search.reading = iri_request_reading(server.request);
    server.find.path = path;
    server.find.url = path;
    lookup = iri_request_find(server.request, &core.env, &server.search,
                              &server.find);
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
    assert_true(iri_request_can_restart(server.request, &core.env, lookup,
                                        &server.find, &path));
    iri_request_restart(server.request, &core.env, lookup, server.find.url,
                        path, 0);
    assert_text(iri_request_path(server.request, 0), "/euc/\xE6\xBC\xA2");
    assert_text(iri_request_charset(server.request, 0), "EUC-JP");
    assert_text(iri_request_charset(server.request, 1), "Shift_JIS");

    server.search.reading = NULL;
    lookup = server_find(NULL, "/euc/\xE6\xBC\xA2");
    assert_int_equal(lookup->found.match, IRI_MATCH_CHARSET);
    assert_int_equal(iri_request_match(server.request, &core.env, lookup, 0),
                     IRI_MATCH_CHARSET);
    assert_ok(iri_lookup_split(&core.env, lookup));
    assert_text(lookup->entry, "/srv/euc/\xB4\xC1");

    memset(&redirect, 0, sizeof(redirect));
    assert_ok(iri_request_redirect(server.request, &core.env, &server.conf,
                                   S("/"), &came, &redirect));
    assert_text(redirect.path, "/euc/\xE6\xBC\xA2");
    assert_int_equal(redirect.reading->form, IRI_FORM_LEGACY);
    iri_request_redirected(server.request, 301);
    assert_int_equal(iri_request_redirect_status(server.request, 0), 0);
    assert_int_equal(iri_request_redirect_status(NULL, 307), 307);

    memset(&event, 0, sizeof(event));
    iri_request_event(server.request, &event);
    assert_int_equal(event.form, IRI_FORM_LEGACY);
    assert_text(event.charset, "EUC-JP");
    assert_int_equal(event.verdict, IRI_RESTART);
    assert_int_equal(event.why, IRI_WHY_ALTERNATIVE);
    assert_int_equal(event.match, IRI_MATCH_CHARSET);
    assert_int_equal(event.redirect, 301);

    /* a request whose path was not read */
    memset(&event, 0, sizeof(event));
    iri_request_event(NULL, &event);
    assert_int_equal(event.verdict, IRI_PASS);
    assert_int_equal(iri_request_form(NULL, 0), IRI_FORM_ASCII);
    assert_int_equal(iri_request_charset(NULL, 0).len, 0);
    assert_false(iri_request_has_restarted(NULL));
}


/* Requested in ASCII: read on demand. */
/* A damaged link is redirected, whatever iri_redirect is. */
TEST(test_damaged_link)
{
    const char   *sent = "/secret/name.txt.";
    iri_lookup_t *lookup;

    server_start();
    server.tree.repair = IRI_REPAIR_TRAILING;
    iri_request_set_ascii(server.request, core_str(sent));
    lookup = server_find(sent, sent);
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
    assert_int_equal(iri_request_redirect_status(server.request, 0), 0);
    iri_request_restart(server.request, &core.env, lookup, core_str(sent),
                        lookup->restart, 0);
    assert_int_equal(iri_request_form(server.request, 0), IRI_FORM_TRAILING);
    assert_int_equal(iri_request_redirect_status(server.request, 0), 302);
    assert_int_equal(
        iri_request_redirect_status(server.request, IRI_REDIRECT_LINK), 302);
    assert_int_equal(iri_request_redirect_status(server.request, 308), 308);
}


TEST(test_ascii)
{
    iri_reading_t reading;
    int           known;

    enter(IRI_STATE_READ);
    assert_null(iri_request_requested_reading(server.request));
    assert_ok(iri_request_requested(server.request, &core.env, &server.conf,
                                    &reading, &known));
    assert_true(known);
    assert_int_equal(reading.form, IRI_FORM_ASCII);
    assert_text(reading.path, "/secret/NAME.txt");

    enter(IRI_STATE_NEW);
    assert_ok(iri_request_requested(server.request, &core.env, &server.conf,
                                    &reading, &known));
    assert_false(known);
}


/* Only the canonical path of a request in UTF-8 needs no lookup. */
TEST(test_utf8)
{
    static const struct {
        const char  *sent;
        iri_origin_t origin;
        const char  *path;
        int          is_utf8;
    } rows[] = {
        { "/\xC3\xA9", IRI_PATH_REQUESTED, "/\xC3\xA9", 1 },
        { "/e\xCC\x81", IRI_PATH_REQUESTED, "/\xC3\xA9", 1 },
        { "/e\xCC\x81", IRI_PATH_REQUESTED, "/e\xCC\x81", 0 },
        { "/\xC3\xA9", IRI_PATH_REQUESTED, "/\xC3\xA8", 0 },
        { "/\xC3\xA9", IRI_PATH_INTERNAL, "/\xC3\xA9", 0 },
        { "/\xE9", IRI_PATH_REQUESTED, "/\xE9", 0 },
        { "/a", IRI_PATH_REQUESTED, "/a", 0 },
        { "/./\xC3\xA9", IRI_PATH_REQUESTED, "/./\xC3\xA9", 0 },
        { "/\xC3\xA9/..", IRI_PATH_REQUESTED, "/\xC3\xA9/..", 0 },
        { "/.\xC3\xA9/a.", IRI_PATH_REQUESTED, "/.\xC3\xA9/a.", 1 },
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        server_start();
        assert_false(
            iri_request_is_utf8(server.request, core_str(rows[i].path)));
        server_read(rows[i].sent, rows[i].origin);
        assert_int_equal(
            iri_request_is_utf8(server.request, core_str(rows[i].path)),
            rows[i].is_utf8);
    }
}


/* ---- a restart after the rules ------------------------------------------- */

TEST(test_pending)
{
    iri_lookup_t *lookup, *other;
    iri_str_t     path = S("unchanged");

    enter(IRI_STATE_READ);
    assert_null(iri_request_pending_restart(server.request, &path));
    assert_text(path, "unchanged");

    lookup = server_find("/secret/NAME.txt", "/secret/NAME.txt");
    assert_true(iri_request_plan_restart(server.request, &core.env, lookup,
                                         &server.find));
    assert_ptr_equal(iri_request_pending_restart(server.request, &path),
                     lookup);
    assert_text(path, "/secret/name.txt");

    /* the first one stays, whatever is found later */
    other = server_find("/x/secret/NAME.TXT", "/secret/NAME.TXT");
    assert_true(iri_request_plan_restart(server.request, &core.env, other,
                                         &server.find));
    assert_ptr_equal(iri_request_pending_restart(server.request, NULL),
                     lookup);

    iri_request_restart(server.request, &core.env, lookup,
                        S("/secret/NAME.txt"), path, 0);
    assert_null(iri_request_pending_restart(server.request, NULL));

    /* not twice */
    assert_false(iri_request_plan_restart(server.request, &core.env, lookup,
                                          &server.find));

    enter(IRI_STATE_READ);
    lookup = server_find("/secret/NAME.txt", "/secret/NAME.txt");
    assert_true(iri_request_plan_restart(server.request, &core.env, lookup,
                                         &server.find));
    iri_request_drop_restart(server.request);
    assert_null(iri_request_pending_restart(server.request, NULL));
}


/* ---- the log line -------------------------------------------------------- */

static void
event_of(iri_notes_t *event, iri_log_level_t level, iri_str_t line)
{
    memset(event, 0, sizeof(*event));
    iri_note_line(event, level, line);
}


TEST(test_log)
{
    iri_notes_t        event;
    iri_request_t     *other;
    const iri_notes_t *notes;

    /* events before the end are one line, with the most severe level */
    enter(IRI_STATE_READ);
    event_of(&event, IRI_LOG_INFO, S("one, reason=location"));
    assert_true(iri_request_logs(server.request));
    assert_false(iri_request_log(server.request, &core.env, &event));
    event_of(&event, IRI_LOG_ERROR, S("two, reason=cache"));
    assert_false(iri_request_log(server.request, &core.env, &event));

    notes = iri_request_finished(server.request);
    assert_non_null(notes);
    assert_int_equal(notes->count, 2);
    assert_int_equal(notes->level, IRI_LOG_ERROR);
    assert_string_equal(notes->text, "one; two");
    assert_string_equal(notes->codes[0], "location");
    assert_string_equal(notes->codes[1], "cache");
    assert_false(iri_request_logs(server.request));

    /* one later event, if there was no line */
    enter(IRI_STATE_READ);
    assert_null(iri_request_finished(server.request));
    assert_true(iri_request_logs(server.request));
    assert_true(iri_request_log(server.request, &core.env, &event));
    assert_false(iri_request_logs(server.request));

    /* without memory the server writes the event */
    enter(IRI_STATE_READ);
    core.fail_at = core.allocs + 1;
    assert_true(iri_request_log(server.request, &core.env, &event));
    assert_true(iri_request_log(NULL, &core.env, &event));
    assert_true(iri_request_logs(NULL));
    assert_null(iri_request_finished(server.request));

    /* a request that has run in place of another one */
    enter(IRI_STATE_READ);
    other = server.request;
    assert_false(iri_request_log(other, &core.env, &event));
    server.request = iri_request_init(
        core.env.alloc(core.env.ctx, iri_request_size()));
    iri_request_take_notes(server.request, other);
    assert_string_equal(iri_request_finished(server.request)->text, "two");

    /* events beyond the greatest number are counted */
    enter(IRI_STATE_READ);
    while (event.count++ < IRI_MAX_LOG_NOTES) {
        /* void */
    }
    assert_false(iri_request_log(server.request, &core.env, &event));
    notes = iri_request_finished(server.request);
    assert_int_equal(notes->count, IRI_MAX_LOG_NOTES + 1);
    assert_string_equal(notes->text, "");
}


/* ---- report mode --------------------------------------------------------- */

static unsigned finds;


static iri_lookup_t *
report_find(void *ctx, iri_str_t path)
{
    assert_ptr_equal(ctx, core.env.ctx);
    finds++;
    server.search.path = path;
    server.find.path = path;

    return iri_request_find(server.request, &core.env, &server.search,
                            &server.find);
}


/* The notes of a request in report mode whose current path is current. */
static const iri_notes_t *
report(const char *current, iri_stats_event_t *event)
{
    finds = 0;
    iri_request_set_report(server.request);
    iri_request_report_find(server.request, &core.env, &server.conf,
                            core_str(current), report_find);
    iri_request_report_find(server.request, &core.env, &server.conf,
                            core_str(current), report_find);
    memset(event, 0, sizeof(*event));
    iri_request_event(server.request, event);
    iri_request_report(server.request, &core.env);

    return iri_request_finished(server.request);
}


TEST(test_report)
{
    iri_stats_event_t  event;
    const iri_notes_t *notes;

    /* found under another name: both lookups, once */
    enter(IRI_STATE_READ);
    notes = report("/secret/NAME.txt", &event);
    assert_int_equal(finds, 2);
    assert_non_null(notes);
    assert_true(notes->report);
    assert_non_null(strstr(notes->text, "\"/secret/name.txt\""));
    assert_int_equal(event.verdict, IRI_RESTART);
    assert_int_equal(event.match, IRI_MATCH_CASE);

    /* a rule has set another path */
    enter(IRI_STATE_READ);
    assert_null(report("/other", &event));
    assert_int_equal(finds, 0);
    assert_int_equal(event.verdict, IRI_PASS);

    /* an ASCII path for which nothing would change */
    server_start();
    iri_request_set_ascii(server.request, S("/secret/name.txt"));
    assert_null(report("/secret/name.txt", &event));
    assert_int_equal(finds, 1);

    /* a path that is not known, or was not looked up */
    enter(IRI_STATE_NEW);
    assert_null(report("/secret/NAME.txt", &event));
    assert_int_equal(finds, 0);

    server_start();
    iri_request_set_report(server.request);
    assert_int_equal(server_read("/\xC3\xA9", IRI_PATH_REQUESTED), IRI_PASS);
    notes = report("/other", &event);
    assert_int_equal(finds, 0);
    assert_non_null(strstr(notes->text, "\"/%C3%A9\""));
}


/* ---- no memory ----------------------------------------------------------- */

/* If any allocation fails, no other name is opened. */
TEST(test_memory)
{
    iri_lookup_t *lookup;
    size_t        n;
    int           done = 0;

    for (n = 1; !done; n++) {
        enter(IRI_STATE_READ);
        core.fail_at = core.allocs + n;
        lookup = server_find(NULL, "/two/nAME.txt");
        done = core.allocs < core.fail_at;

        if (lookup != NULL) {
            assert_null(
                strstr((const char *) lookup->filename.data, "NAME."));
            assert_null(
                strstr((const char *) lookup->filename.data, "Name."));
        }
    }

    assert_true(n > 3);
}
