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
    core_t             core;
    iri_tree_conf_t    tree;
    iri_reading_conf_t conf;
    iri_search_t       search;
    iri_find_conf_t    find;
    iri_request_t     *request;
} server_t;

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
server_start(server_t *server)
{
    memset(server, 0, sizeof(*server));
    core_init(&server->core);
    server->core.env.log = server_log;
    core_put(&server->core, S("/srv/secret/name.txt"));
    core_put(&server->core, S("/srv/two/Name.txt"));
    core_put(&server->core, S("/srv/two/NAME.txt"));
    core_put(&server->core, S("/srv/euc/\xB4\xC1"));
    server->tree = core_tree("", IRI_FILENAME_ANY, MATCH);
    server->search.tree = &server->tree;
    server->search.root = S("/srv");
    server->request = iri_request_init(
        server->core.env.alloc(server->core.env.ctx, iri_request_size()));
    logged[0] = '\0';
}


static iri_verdict_t
server_read(server_t *server, const char *path, iri_origin_t origin)
{
    iri_received_path_t received;
    iri_verdict_t       verdict = IRI_VERDICTS;

    memset(&received, 0, sizeof(received));
    received.path = core_str(path);
    assert_ok(iri_request_read(server->request, &server->core.env,
                               &server->conf, &received, origin, &verdict));

    return verdict;
}


/* url NULL: the request cannot restart. */
static iri_lookup_t *
server_find(server_t *server, const char *url, const char *path)
{
    server->search.path = core_str(path);
    server->find.path = server->search.path;
    server->find.url = url != NULL ? core_str(url) : S("");

    return iri_request_find(server->request, &server->core.env,
                            &server->search, &server->find);
}


/* The request restarts as "/secret/name.txt". */
static void
server_restart(server_t *server, int page)
{
    iri_lookup_t *lookup;

    server->find.page = page;
    lookup = server_find(server, "/secret/NAME.txt", "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
    assert_text(lookup->restart, "/secret/name.txt");
    iri_request_restart(server->request, &server->core.env, lookup,
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
send_event(server_t *server, event_t event)
{
    switch (event) {
    case READS:
        server_read(server, "/\xC3\xA9", IRI_PATH_INTERNAL);
        break;
    case RESTARTS:
    case PAGE_RESTARTS:
        server_restart(server, event == PAGE_RESTARTS);
        break;
    case GRANTS:
        iri_request_granted(server->request);
        break;
    case REDIRECTS:
        iri_request_redirected_inside(server->request, 0);
        break;
    case DENIES:
        iri_request_denied(server->request);
        break;
    default:
        (void) iri_request_finished(server->request);
    }
}


/* Bring a request into a state. */
static void
enter(server_t *server, iri_state_t state)
{
    server_start(server);

    if (state != IRI_STATE_NEW) {
        iri_request_set_ascii(server->request, S("/secret/NAME.txt"));
    }

    switch (state) {
    case IRI_STATE_RESTARTED:
        send_event(server, RESTARTS);
        break;
    case IRI_STATE_GRANTED:
        send_event(server, GRANTS);
        break;
    case IRI_STATE_DENIED:
        send_event(server, DENIES);
        break;
    case IRI_STATE_FINISHED:
        send_event(server, FINISHES);
        break;
    default:
        break;
    }

    assert_int_equal(iri_request_state(server->request), state);
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
    server_t server;
    size_t   state;
    int      event;

    for (state = 0; state < COUNT(next); state++) {
        for (event = 0; event < EVENTS; event++) {
            if (next[state][event] < 0) {
                continue;
            }

            enter(&server, (iri_state_t) state);
            send_event(&server, (event_t) event);
            assert_int_equal(iri_request_state(server.request),
                             next[state][event]);
            core_free(&server.core);
        }
    }
}


/* An error page restarts by itself, once. */
TEST(test_page)
{
    server_t      server;
    iri_lookup_t *lookup;

    enter(&server, IRI_STATE_RESTARTED);
    send_event(&server, DENIES);
    server_restart(&server, 1);
    assert_int_equal(iri_request_state(server.request), IRI_STATE_DENIED);

    lookup = server_find(&server, "/secret/NaMe.txt", "/secret/NaMe.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);
    core_free(&server.core);
}


/* A request restarts at most once; then another name is absent. */
TEST(test_restart_once)
{
    server_t      server;
    iri_lookup_t *lookup;

    enter(&server, IRI_STATE_RESTARTED);
    assert_true(iri_request_has_restarted(server.request));
    assert_true(iri_request_is_read(server.request, S("/secret/name.txt")));

    lookup = server_find(&server, "/secret/NaMe.txt", "/secret/NaMe.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);
    assert_int_equal(lookup->found.match, IRI_MATCH_NONE);

    /* the entry of the restart is not looked up again */
    server.core.stats = 0;
    lookup = server_find(&server, "/secret/name.txt", "/secret/name.txt");
    assert_text(lookup->filename, "/srv/secret/name.txt");
    assert_int_equal(server.core.stats, 0);
    core_free(&server.core);
}


TEST(test_cannot_restart)
{
    server_t      server;
    iri_lookup_t *lookup;

    /* no URL to restart with, for example because the body was read */
    enter(&server, IRI_STATE_READ);
    lookup = server_find(&server, NULL, "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);
    core_free(&server.core);

    /* a rule has set a path with other last segments */
    enter(&server, IRI_STATE_READ);
    lookup = server_find(&server, "/page", "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);
    core_free(&server.core);

    /* the path stands in the configuration, and folding is needed */
    enter(&server, IRI_STATE_READ);
    server.find.configured = 1;
    lookup = server_find(&server, "/secret/NAME.txt", "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_PASS);
    core_free(&server.core);

    /* a Destination, and report mode, keep the verdict */
    enter(&server, IRI_STATE_READ);
    server.find.is_destination = 1;
    lookup = server_find(&server, NULL, "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
    assert_non_null(strstr((const char *) lookup->filename.data, "refused"));
    core_free(&server.core);

    enter(&server, IRI_STATE_READ);
    iri_request_set_report(server.request);
    lookup = server_find(&server, NULL, "/secret/NAME.txt");
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
    core_free(&server.core);
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
    server_t server;
    size_t   i;
    int      hides;

    for (i = 0; i < COUNT(table); i++) {
        enter(&server, IRI_STATE_RESTARTED);
        send_event(&server, table[i].event);
        hides = iri_request_hides_found(server.request, table[i].is_error);
        assert_int_equal(hides, table[i].hides);
        assert_text(iri_request_path(server.request, hides),
                    hides ? "/secret/NAME.txt" : "/secret/name.txt");
        core_free(&server.core);
    }

    /* without a restart no names are hidden */
    enter(&server, IRI_STATE_DENIED);
    assert_false(iri_request_hides_found(server.request, 1));
    core_free(&server.core);

    /* a path that was not read */
    server_start(&server);
    server_restart(&server, 0);
    assert_text(iri_request_path(server.request, 1), "/secret/NAME.txt");
    core_free(&server.core);

    /* a path set by a rule has the names of the request */
    enter(&server, IRI_STATE_RESTARTED);
    assert_text(iri_request_path_as_sent(server.request, &server.core.env,
                                         S("/x/secret/name.txt")),
                "/x/secret/NAME.txt");
    assert_text(iri_request_path_as_sent(server.request, &server.core.env,
                                         S("/other")),
                "/other");
    core_free(&server.core);
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
    server_t      server;
    iri_lookup_t *lookup;
    iri_str_t     path;
    size_t        i;

    for (i = 0; i < COUNT(table); i++) {
        server_start(&server);
        core_put(&server.core, S("/srv/caf\xC3\xA9"));
        server.conf.charsets = core_charsets("windows-1252");
        server_read(&server, table[i].path, IRI_PATH_REQUESTED);
        path = iri_request_reading(server.request)->path;
        server.search.path = path;
        server.search.reading = iri_request_reading(server.request);
        server.find.path = path;
        lookup = iri_request_find(server.request, &server.core.env,
                                  &server.search, &server.find);
        assert_non_null(lookup);
        assert_int_equal(iri_request_varies(server.request), table[i].before);
        iri_request_granted(server.request);
        assert_int_equal(iri_request_varies(server.request), table[i].after);
        core_free(&server.core);
    }

    /* A path that a rule sets after a restart does not count. */
    enter(&server, IRI_STATE_RESTARTED);
    send_event(&server, READS);
    assert_false(iri_request_varies(server.request));
    core_free(&server.core);

    /* The path of an error page counts. */
    enter(&server, IRI_STATE_RESTARTED);
    send_event(&server, DENIES);
    send_event(&server, READS);
    assert_true(iri_request_varies(server.request));
    core_free(&server.core);
}


/* ---- refusals ------------------------------------------------------------ */

TEST(test_refused_path)
{
    server_t      server;
    iri_lookup_t *lookup;

    server_start(&server);
    assert_int_equal(server_read(&server, "/\xFF", IRI_PATH_REQUESTED),
                     IRI_REFUSE);
    assert_int_equal(iri_request_reading(server.request)->status, 404);
    assert_string_equal(logged, "");
    iri_request_log_refusal(server.request, &server.core.env);
    assert_non_null(strstr(logged, "path \"/%FF\" refused: "));
    assert_non_null(strstr(logged, "reason=unreadable"));

    /* the refused path is not opened */
    lookup = server_find(&server, NULL, "/\xFF");
    assert_int_equal(lookup->found.verdict, IRI_REFUSE);
    assert_int_equal(lookup->found.why, IRI_WHY_UNREADABLE);

    /* an error page has another path */
    assert_int_equal(server_read(&server, "/\xC3\xA9", IRI_PATH_INTERNAL),
                     IRI_PASS);
    lookup = server_find(&server, NULL, "/\xC3\xA9");
    assert_int_equal(lookup->found.verdict, IRI_PASS);
    core_free(&server.core);

    /* report mode changes nothing */
    server_start(&server);
    iri_request_set_report(server.request);
    assert_int_equal(server_read(&server, "/\xFF", IRI_PATH_REQUESTED),
                     IRI_PASS);
    assert_string_equal(logged, "");
    core_free(&server.core);
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
    server_t      server;
    iri_lookup_t *lookup;
    size_t        i;

    for (i = 0; i < COUNT(table); i++) {
        enter(&server, IRI_STATE_GRANTED);
        server.tree.ambiguous = IRI_AMBIGUOUS_300;
        server.find.configured = table[i].configured;
        server.find.creates = table[i].creates;
        server.search.write = table[i].write;
        lookup = server_find(&server, table[i].path, table[i].path);
        assert_int_equal(iri_request_outcome(lookup, &server.find),
                         table[i].outcome);

        if (table[i].outcome == IRI_REFUSE) {
            assert_int_equal(iri_request_refuse(server.request,
                                                &server.core.env, lookup,
                                                &server.find, lookup->path),
                             table[i].status);
            assert_non_null(strstr(logged, "not served: "));
            /* the request makes the error page */
            assert_int_equal(iri_request_refuse(server.request,
                                                &server.core.env, lookup,
                                                &server.find, lookup->path),
                             0);
        }

        core_free(&server.core);
    }

    /* Several entries match, and 300 is not set. */
    enter(&server, IRI_STATE_GRANTED);
    lookup = server_find(&server, "/two/nAME.txt", "/two/nAME.txt");
    assert_int_equal(iri_request_outcome(lookup, &server.find), IRI_REFUSE);
    assert_int_equal(iri_request_refuse(server.request, &server.core.env,
                                        lookup, &server.find, lookup->path),
                     404);
    core_free(&server.core);
}


/* A new name in a tree in EUC-JP that no charset of the tree can encode. */
TEST(test_unwritable)
{
    server_t      server;
    iri_lookup_t *lookup;

    enter(&server, IRI_STATE_GRANTED);
    server.tree = core_tree("euc-jp", IRI_FILENAME_ANY,
                            IRI_FOLD_NORMALIZATION);
    server.search.write = 1;
    server.find.creates = 1;
    lookup = server_find(&server, "/euc/\xE2\x82\xAC", "/euc/\xE2\x82\xAC");
    assert_int_equal(iri_request_outcome(lookup, &server.find), IRI_REFUSE);
    assert_int_equal(iri_request_refuse(server.request, &server.core.env,
                                        lookup, &server.find, lookup->path),
                     iri_is_conflict(&lookup->found) ? 409 : 404);
    assert_non_null(strstr(logged, "reason=unwritable"));
    core_free(&server.core);
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
    server_t        server;
    iri_tree_conf_t from, to;
    iri_transfer_t  transfer;
    size_t          i;

    for (i = 0; i < COUNT(table); i++) {
        enter(&server, IRI_STATE_GRANTED);
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
        assert_int_equal(iri_request_transfer(&server.core.env, &transfer),
                         table[i].status);
        assert_non_null(strstr(logged, table[i].line));
        assert_int_equal(logged[0] != '\0', table[i].status != 0);

        /* Where it is not known, nothing may be written. */
        server.core.allocs = 0;
        server.core.fail_at = 1;
        assert_int_equal(iri_request_transfer(&server.core.env, &transfer),
                         500);
        server.core.fail_at = 0;
        server.core.stats = server.core.lists = 0;
        server.core.io_fail_at = 1;
        assert_int_equal(iri_request_transfer(&server.core.env, &transfer),
                         500);
        core_free(&server.core);
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
    server_t      server;
    iri_reading_t reading;
    iri_str_t     value;
    size_t        i, n, total;
    int           status;

    for (i = 0; i < COUNT(table); i++) {
        server_start(&server);
        server.conf.charsets = core_charsets("windows-1252");
        value = core_str(table[i].value);
        server.core.allocs = 0;
        status = iri_destination_read(&server.core.env, &server.conf,
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

        total = status == 0 ? server.core.allocs : 0;
        for (n = 1; n <= total; n++) {
            value = core_str(table[i].value);
            server.core.allocs = 0;
            server.core.fail_at = n;
            assert_int_equal(iri_destination_read(
                                 &server.core.env, &server.conf,
                                 core_str(table[i].host), &value, &reading),
                             500);
        }
        core_free(&server.core);
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
    server_t server;
    size_t   i;

    for (i = 0; i < COUNT(table); i++) {
        server_start(&server);
        assert_int_equal(
            iri_destination_check(&server.core.env, core_str(table[i].source),
                                  core_str(table[i].path), table[i].prefix),
            table[i].status);
        assert_int_equal(strstr(logged, "reason=destination") != NULL,
                         table[i].status != 0);
        core_free(&server.core);
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
    server_t  server;
    iri_str_t value;
    size_t    i;

    server_start(&server);

    for (i = 0; i < COUNT(table); i++) {
        value = core_str(table[i].value);
        assert_ok(iri_destination_unescape(&server.core.env,
                                           core_str(table[i].path), &value));
        assert_text(value, table[i].out);
    }

    server.core.allocs = 0;
    server.core.fail_at = 1;
    value = S("/%41");
    assert_int_equal(
        iri_destination_unescape(&server.core.env, S("/A"), &value),
        IRI_NO_MEMORY);
    core_free(&server.core);
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
    server_t        server;
    iri_tree_conf_t other;
    iri_search_t    search;
    iri_transfer_t  transfer;
    iri_find_conf_t conf;
    size_t          i, n, total, before;

    for (i = 0; i < COUNT(table); i++) {
        server_start(&server);
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
        transfer.written = server_find(&server, NULL, table[i].path);
        transfer.judged = iri_request_find(server.request, &server.core.env,
                                           &search, &conf);
        assert_non_null(transfer.judged);

        logged[0] = '\0';
        before = server.core.allocs;
        assert_int_equal(iri_request_transfer(&server.core.env, &transfer),
                         table[i].status);
        assert_int_equal(transfer.why, table[i].why);
        assert_int_equal(strstr(logged, "reason=destination") != NULL,
                         table[i].status != 0);
        /* Only the client can correct this. */
        assert_true(table[i].status == 0 || logged_level == IRI_LOG_INFO);

        /* Without memory nothing may be written. */
        total = server.core.allocs - before;
        for (n = 1; n <= total; n++) {
            server.core.allocs = 0;
            server.core.fail_at = n;
            assert_true(iri_request_transfer(&server.core.env, &transfer)
                        >= 400);
            assert_int_equal(logged_level, strstr(logged, "memory") != NULL
                                               ? IRI_LOG_ERROR
                                               : IRI_LOG_INFO);
        }
        core_free(&server.core);
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
    server_t        server;
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, 0);
    iri_lookup_t    written, judged;
    iri_transfer_t  transfer;
    size_t          i;

    for (i = 0; i < COUNT(table); i++) {
        server_start(&server);
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
        assert_int_equal(iri_request_transfer(&server.core.env, &transfer),
                         table[i].status);
        assert_int_equal(transfer.why, IRI_WHY_NONE);
        core_free(&server.core);
    }
}


/* ---- variables and counters ---------------------------------------------- */

TEST(test_values)
{
    server_t          server;
    iri_lookup_t     *lookup;
    iri_str_t         path;
    iri_stats_event_t event;
    iri_redirect_t    redirect;
    iri_reading_t     came;

    /* Shift_JIS, then EUC-JP, in which the entry exists */
    server_start(&server);
    server.conf.charsets = core_charsets("sjis euc-jp");
    server.tree = core_tree("euc-jp", IRI_FILENAME_ANY,
                            IRI_FOLD_NORMALIZATION);
    server_read(&server, "/euc/\xB4\xC1", IRI_PATH_REQUESTED);
    assert_int_equal(iri_request_form(server.request, 0), IRI_FORM_LEGACY);
    assert_text(iri_request_charset(server.request, 0), "Shift_JIS");

    path = iri_request_reading(server.request)->path;
    server.search.path = path;
    server.search.reading = iri_request_reading(server.request);
    server.find.path = path;
    server.find.url = path;
    lookup = iri_request_find(server.request, &server.core.env,
                              &server.search, &server.find);
    assert_int_equal(lookup->found.verdict, IRI_RESTART);
    assert_true(iri_request_can_restart(server.request, &server.core.env,
                                        lookup, &server.find, &path));
    iri_request_restart(server.request, &server.core.env, lookup,
                        server.find.url, path, 0);
    assert_text(iri_request_path(server.request, 0), "/euc/\xE6\xBC\xA2");
    assert_text(iri_request_charset(server.request, 0), "EUC-JP");
    assert_text(iri_request_charset(server.request, 1), "Shift_JIS");

    server.search.reading = NULL;
    lookup = server_find(&server, NULL, "/euc/\xE6\xBC\xA2");
    assert_int_equal(lookup->found.match, IRI_MATCH_CHARSET);
    assert_int_equal(
        iri_request_match(server.request, &server.core.env, lookup, 0),
        IRI_MATCH_CHARSET);
    assert_ok(iri_lookup_split(&server.core.env, lookup));
    assert_text(lookup->entry, "/srv/euc/\xB4\xC1");

    memset(&redirect, 0, sizeof(redirect));
    assert_ok(iri_request_redirect(server.request, &server.core.env,
                                   &server.conf, S("/"), &came, &redirect));
    assert_text(redirect.path, "/euc/\xE6\xBC\xA2");
    assert_int_equal(redirect.reading->form, IRI_FORM_LEGACY);
    iri_request_redirected(server.request, 301);

    memset(&event, 0, sizeof(event));
    iri_request_event(server.request, &event);
    assert_int_equal(event.form, IRI_FORM_LEGACY);
    assert_text(event.charset, "EUC-JP");
    assert_int_equal(event.verdict, IRI_RESTART);
    assert_int_equal(event.why, IRI_WHY_ALTERNATIVE);
    assert_int_equal(event.match, IRI_MATCH_CHARSET);
    assert_int_equal(event.redirect, 301);
    core_free(&server.core);

    /* a request whose path was not read */
    memset(&event, 0, sizeof(event));
    iri_request_event(NULL, &event);
    assert_int_equal(event.verdict, IRI_PASS);
    assert_int_equal(iri_request_form(NULL, 0), IRI_FORM_ASCII);
    assert_int_equal(iri_request_charset(NULL, 0).len, 0);
    assert_false(iri_request_has_restarted(NULL));
}


/* Requested in ASCII: read on demand. */
TEST(test_ascii)
{
    server_t      server;
    iri_reading_t reading;
    int           known;

    enter(&server, IRI_STATE_READ);
    assert_null(iri_request_requested_reading(server.request));
    assert_ok(iri_request_requested(server.request, &server.core.env,
                                    &server.conf, &reading, &known));
    assert_true(known);
    assert_int_equal(reading.form, IRI_FORM_ASCII);
    assert_text(reading.path, "/secret/NAME.txt");
    core_free(&server.core);

    enter(&server, IRI_STATE_NEW);
    assert_ok(iri_request_requested(server.request, &server.core.env,
                                    &server.conf, &reading, &known));
    assert_false(known);
    core_free(&server.core);
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
    };
    server_t server;
    size_t   i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        server_start(&server);
        assert_false(
            iri_request_is_utf8(server.request, core_str(rows[i].path)));
        server_read(&server, rows[i].sent, rows[i].origin);
        assert_int_equal(
            iri_request_is_utf8(server.request, core_str(rows[i].path)),
            rows[i].is_utf8);
        core_free(&server.core);
    }
}


/* ---- a restart after the rules ------------------------------------------- */

TEST(test_pending)
{
    server_t      server;
    iri_lookup_t *lookup, *other;
    iri_str_t     path = S("unchanged");

    enter(&server, IRI_STATE_READ);
    assert_null(iri_request_pending_restart(server.request, &path));
    assert_text(path, "unchanged");

    lookup = server_find(&server, "/secret/NAME.txt", "/secret/NAME.txt");
    assert_true(iri_request_plan_restart(server.request, &server.core.env,
                                         lookup, &server.find));
    assert_ptr_equal(iri_request_pending_restart(server.request, &path),
                     lookup);
    assert_text(path, "/secret/name.txt");

    /* the first one stays, whatever is found later */
    other = server_find(&server, "/x/secret/NAME.TXT", "/secret/NAME.TXT");
    assert_true(iri_request_plan_restart(server.request, &server.core.env,
                                         other, &server.find));
    assert_ptr_equal(iri_request_pending_restart(server.request, NULL),
                     lookup);

    iri_request_restart(server.request, &server.core.env, lookup,
                        S("/secret/NAME.txt"), path, 0);
    assert_null(iri_request_pending_restart(server.request, NULL));

    /* not twice */
    assert_false(iri_request_plan_restart(server.request, &server.core.env,
                                          lookup, &server.find));
    core_free(&server.core);

    enter(&server, IRI_STATE_READ);
    lookup = server_find(&server, "/secret/NAME.txt", "/secret/NAME.txt");
    assert_true(iri_request_plan_restart(server.request, &server.core.env,
                                         lookup, &server.find));
    iri_request_drop_restart(server.request);
    assert_null(iri_request_pending_restart(server.request, NULL));
    core_free(&server.core);
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
    server_t           server;
    iri_notes_t        event;
    iri_request_t     *other;
    const iri_notes_t *notes;

    /* events before the end are one line, with the most severe level */
    enter(&server, IRI_STATE_READ);
    event_of(&event, IRI_LOG_INFO, S("one, reason=location"));
    assert_true(iri_request_logs(server.request));
    assert_false(iri_request_log(server.request, &server.core.env, &event));
    event_of(&event, IRI_LOG_ERROR, S("two, reason=cache"));
    assert_false(iri_request_log(server.request, &server.core.env, &event));

    notes = iri_request_finished(server.request);
    assert_non_null(notes);
    assert_int_equal(notes->count, 2);
    assert_int_equal(notes->level, IRI_LOG_ERROR);
    assert_string_equal(notes->text, "one; two");
    assert_string_equal(notes->codes[0], "location");
    assert_string_equal(notes->codes[1], "cache");
    assert_false(iri_request_logs(server.request));
    core_free(&server.core);

    /* one later event, if there was no line */
    enter(&server, IRI_STATE_READ);
    assert_null(iri_request_finished(server.request));
    assert_true(iri_request_logs(server.request));
    assert_true(iri_request_log(server.request, &server.core.env, &event));
    assert_false(iri_request_logs(server.request));
    core_free(&server.core);

    /* without memory the server writes the event */
    enter(&server, IRI_STATE_READ);
    server.core.fail_at = server.core.allocs + 1;
    assert_true(iri_request_log(server.request, &server.core.env, &event));
    assert_true(iri_request_log(NULL, &server.core.env, &event));
    assert_true(iri_request_logs(NULL));
    assert_null(iri_request_finished(server.request));
    core_free(&server.core);

    /* a request that has run in place of another one */
    enter(&server, IRI_STATE_READ);
    other = server.request;
    assert_false(iri_request_log(other, &server.core.env, &event));
    server.request = iri_request_init(
        server.core.env.alloc(server.core.env.ctx, iri_request_size()));
    iri_request_take_notes(server.request, other);
    assert_string_equal(iri_request_finished(server.request)->text, "two");
    core_free(&server.core);

    /* events beyond the greatest number are counted */
    enter(&server, IRI_STATE_READ);
    while (event.count++ < IRI_MAX_LOG_NOTES) {
        /* void */
    }
    assert_false(iri_request_log(server.request, &server.core.env, &event));
    notes = iri_request_finished(server.request);
    assert_int_equal(notes->count, IRI_MAX_LOG_NOTES + 1);
    assert_string_equal(notes->text, "");
    core_free(&server.core);
}


/* ---- report mode --------------------------------------------------------- */

static server_t *reporting;
static unsigned  finds;


static iri_lookup_t *
report_find(void *ctx, iri_str_t path)
{
    assert_ptr_equal(ctx, reporting->core.env.ctx);
    finds++;
    reporting->search.path = path;
    reporting->find.path = path;

    return iri_request_find(reporting->request, &reporting->core.env,
                            &reporting->search, &reporting->find);
}


/* The notes of a request in report mode whose current path is current. */
static const iri_notes_t *
report(server_t *server, const char *current, iri_stats_event_t *event)
{
    reporting = server;
    finds = 0;
    iri_request_set_report(server->request);
    iri_request_report_find(server->request, &server->core.env, &server->conf,
                            core_str(current), report_find);
    iri_request_report_find(server->request, &server->core.env, &server->conf,
                            core_str(current), report_find);
    memset(event, 0, sizeof(*event));
    iri_request_event(server->request, event);
    iri_request_report(server->request, &server->core.env);

    return iri_request_finished(server->request);
}


TEST(test_report)
{
    server_t           server;
    iri_stats_event_t  event;
    const iri_notes_t *notes;

    /* found under another name: both lookups, once */
    enter(&server, IRI_STATE_READ);
    notes = report(&server, "/secret/NAME.txt", &event);
    assert_int_equal(finds, 2);
    assert_non_null(notes);
    assert_true(notes->report);
    assert_non_null(strstr(notes->text, "\"/secret/name.txt\""));
    assert_int_equal(event.verdict, IRI_RESTART);
    assert_int_equal(event.match, IRI_MATCH_CASE);
    core_free(&server.core);

    /* a rule has set another path */
    enter(&server, IRI_STATE_READ);
    assert_null(report(&server, "/other", &event));
    assert_int_equal(finds, 0);
    assert_int_equal(event.verdict, IRI_PASS);
    core_free(&server.core);

    /* an ASCII path for which nothing would change */
    server_start(&server);
    iri_request_set_ascii(server.request, S("/secret/name.txt"));
    assert_null(report(&server, "/secret/name.txt", &event));
    assert_int_equal(finds, 1);
    core_free(&server.core);

    /* a path that is not known, or was not looked up */
    enter(&server, IRI_STATE_NEW);
    assert_null(report(&server, "/secret/NAME.txt", &event));
    assert_int_equal(finds, 0);
    core_free(&server.core);

    server_start(&server);
    iri_request_set_report(server.request);
    assert_int_equal(server_read(&server, "/\xC3\xA9", IRI_PATH_REQUESTED),
                     IRI_PASS);
    notes = report(&server, "/other", &event);
    assert_int_equal(finds, 0);
    assert_non_null(strstr(notes->text, "\"/%C3%A9\""));
    core_free(&server.core);
}


/* ---- no memory ----------------------------------------------------------- */

/* If any allocation fails, no other name is opened. */
TEST(test_memory)
{
    server_t      server;
    iri_lookup_t *lookup;
    size_t        n;
    int           done = 0;

    for (n = 1; !done; n++) {
        enter(&server, IRI_STATE_READ);
        server.core.fail_at = server.core.allocs + n;
        lookup = server_find(&server, NULL, "/two/nAME.txt");
        done = server.core.allocs < server.core.fail_at;

        if (lookup != NULL) {
            assert_null(
                strstr((const char *) lookup->filename.data, "NAME."));
            assert_null(
                strstr((const char *) lookup->filename.data, "Name."));
        }

        core_free(&server.core);
    }

    assert_true(n > 3);
}
