/*
 * replay.c - `iri replay`: how the requests of a log would be answered
 *
 * Each target that got 404 is passed to the core with the settings of the
 * command line.  The output shows the number of requests that would be
 * answered, by form and charset, and the most frequent targets.  Settings that
 * answer more of them are found by `iri advise`.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/iri_string.h"

#include "cli.h"

typedef struct {
    cli_settings_t settings;
    int            top;
    int            status;
} replay_conf_t;

static const cli_range_t replay_top_range = {
    0, 100000, "must be a number from 0 to 100000; for example 10"
};
static const cli_range_t replay_status_range = {
    100, 599, "must be an HTTP status from 100 to 599; for example 404"
};

static const cli_option_t replay_options[] = {
    { "top", "number of targets to show (default: 10)", cli_option_number,
      offsetof(replay_conf_t, top), &replay_top_range },
    { "status", "status of the requests to replay (default: 404)",
      cli_option_number, offsetof(replay_conf_t, status),
      &replay_status_range },
    CLI_SETTINGS_OPTIONS,
    CLI_OPTIONS_FOR_ALL
};

static const char replay_help[] =
    "LOG is an access log in the common or combined format, or with a JSON\n"
    "object on each line (fields request, or request_uri and request_method,\n"
    "and status); plain or gzip. --root is the document root of the site.\n"
    "Nothing is changed.\n\n"
    "Outcomes: there (exists, and is found without the module), found, moved\n"
    "(found under another name), choice (several names), refused, absent.\n"
    "Settings that answer more requests are proposed by iri advise.\n"
    "Exit code 1 if the log has lines, but no line is a request.\n\n"
    "JSON fields: lines requests not_requests taken (with the status) dropped\n"
    "(beyond 1,000,000 targets or 128 MiB) targets outcomes forms top.\n\n"
    "Examples:\n"
    "  iri replay --root /srv/www /var/log/nginx/access.log\n"
    "  iri replay --root /srv/old --filename-charset euc-jp access.log.2.gz\n";

/* Requests of one form and charset. */
typedef struct {
    iri_form_t form;
    iri_str_t  charset;
    uint64_t   requests;
    uint64_t   answered;
} replay_form_t;

typedef struct {
    const replay_conf_t *conf;
    cli_call_t          *call;
    apr_pool_t          *pool;        /* as long as the run */
    apr_pool_t          *target_pool; /* cleared after each target */
    cli_targets_t        targets;     /* those with the status */
    apr_array_header_t  *forms;       /* replay_form_t */
    uint64_t             outcome[CLI_OUTCOMES]; /* requests by outcome */
} replay_run_t;


/* ---- settings ------------------------------------------------------------ */

static void
replay_create(void *data)
{
    replay_conf_t *conf = data;

    cli_settings_create(conf);
    conf->top = 10;
    conf->status = 404;
}


static const char *
replay_ready(void *data)
{
    replay_conf_t *conf = data;
    const char    *wrong = cli_settings_ready(conf);

    return wrong != NULL || conf->settings.has_root
               ? wrong
               : "--root is required: the document root of the site";
}


/* ---- one target ---------------------------------------------------------- */

static void
replay_count_form(replay_run_t *run, const cli_target_row_t *target)
{
    replay_form_t *form = (replay_form_t *) (void *) run->forms->elts;
    replay_form_t *end = form + run->forms->nelts;

    while (form < end
           && (form->form != target->form
               || !iri_str_equal(form->charset, target->charset)))
    {
        form++;
    }
    if (form == end) {
        form = apr_array_push(run->forms);
        memset(form, 0, sizeof(*form));
        form->form = target->form;
        form->charset = target->charset;
    }
    form->requests += target->requests;
    if (cli_outcome_answers(target->outcome)) {
        form->answered += target->requests;
    }
}


static void
replay_target(replay_run_t *run, cli_target_row_t *target)
{
    cli_verdict_t result;

    if (cli_try(&run->conf->settings, run->target_pool, target->octets,
                &result)
        != 0)
    {
        target->outcome = CLI_REFUSED;
        target->form = IRI_FORM_INVALID;
    } else {
        target->outcome = cli_outcome(&result);
        target->form = result.form;
        target->charset = cli_copy(run->pool, result.charset);
        if (cli_outcome_answers(target->outcome)) {
            target->path = cli_copy(run->pool, result.path);
        }
    }
    run->outcome[target->outcome] += target->requests;
    replay_count_form(run, target);
}


static void
replay_take(void *arg, const cli_request_t *request)
{
    replay_run_t *run = arg;

    if (request->status == run->conf->status) {
        (void) cli_targets_add(&run->targets, request->target);
    }
}


/* ---- the answer ---------------------------------------------------------- */

static json_t *
replay_forms(const replay_run_t *run)
{
    json_t              *list = json_array();
    const replay_form_t *form;
    int                  i;

    for (i = 0; i < run->forms->nelts; i++) {
        form = &APR_ARRAY_IDX(run->forms, i, replay_form_t);
        json_array_append_new(
            list, json_pack("{s:s,s:s%,s:I,s:I}", "form",
                            iri_form_text(form->form), "charset",
                            form->charset.len != 0
                                ? (const char *) form->charset.data
                                : "",
                            form->charset.len, "requests",
                            (json_int_t) form->requests, "answered",
                            (json_int_t) form->answered));
    }
    return list;
}


static json_t *
replay_top(const replay_run_t *run)
{
    json_t    *list = json_array();
    cli_call_t line;
    int        i;

    for (i = 0; i < run->targets.list->nelts && i < run->conf->top; i++) {
        const cli_target_row_t *target = APR_ARRAY_IDX(run->targets.list, i,
                                                       cli_target_row_t *);

        cli_add_row(run->call, list, &line);
        cli_set(&line, "requests", cli_number(target->requests));
        cli_set_text(&line, "outcome", cli_outcome_text(target->outcome));
        cli_set_octets(&line, "target", target->octets);
        cli_set_octets(&line, "path", target->path);
    }
    return list;
}


static void
replay_fill(const replay_run_t *run)
{
    const cli_targets_t *targets = &run->targets;
    json_t              *outcomes = json_object();
    cli_call_t          *call = run->call;
    int                  i;

    for (i = 0; i < CLI_OUTCOMES; i++) {
        json_object_set_new(outcomes, cli_outcome_text((cli_outcome_t) i),
                            cli_number(run->outcome[i]));
    }
    cli_set(call, "lines", cli_number(targets->lines));
    cli_set(call, "requests", cli_number(targets->requests));
    cli_set(call, "not_requests",
            cli_number(targets->lines - targets->requests));
    cli_set(call, "taken", cli_number(targets->taken));
    cli_set(call, "dropped", cli_number(targets->dropped));
    cli_set(call, "targets", cli_number((uint64_t) targets->list->nelts));
    cli_set(call, "outcomes", outcomes);
    cli_set(call, "forms", replay_forms(run));
    cli_set(call, "top", replay_top(run));
}


static const char *
replay_run(replay_run_t *run)
{
    const char *wrong = cli_targets_read(&run->targets,
                                         run->call->operand[0]);
    int         i;

    if (wrong != NULL) {
        return wrong;
    }
    cli_targets_sort(&run->targets);
    for (i = 0; i < run->targets.list->nelts; i++) {
        replay_target(
            run, APR_ARRAY_IDX(run->targets.list, i, cli_target_row_t *));
        apr_pool_clear(run->target_pool);
    }
    return NULL;
}


static int
replay_answer(const void *data, cli_call_t *call)
{
    replay_run_t run;

    memset(&run, 0, sizeof(run));
    run.conf = data;
    run.call = call;
    call->no_offset = 1;
    run.pool = call->pool;
    apr_pool_create(&run.target_pool, call->pool);
    cli_targets_init(&run.targets, run.pool);
    run.targets.take = replay_take;
    run.targets.arg = &run;
    run.forms = apr_array_make(run.pool, 8, sizeof(replay_form_t));
    call->error = replay_run(&run);
    if (call->error != NULL) {
        return -1;
    }
    replay_fill(&run);
    /* A file that is not a log is a finding, so that a script does not treat it
       as a log without requests. */
    call->found = run.targets.lines != 0 && run.targets.requests == 0;
    return 0;
}


/* ---- text output --------------------------------------------------------- */

static void
replay_show_counts(const json_t *object, int status)
{
    cli_print_count(stdout, object, "requests", "request");
    fputs(" in ", stdout);
    cli_print_count(stdout, object, "lines", "line");
    printf(", %lld with %d, for ", cli_field(object, "taken"), status);
    cli_print_count(stdout, object, "targets", "target");
    fputs("\n\n", stdout);
    if (cli_field(object, "requests") == 0 && cli_field(object, "lines") != 0)
    {
        puts(
            "No line is a request: the log must be in the common or combined "
            "format, or\nin JSON.\n");
    }
}


static void
replay_show(const void *data, cli_call_t *call)
{
    const replay_conf_t *conf = data;
    const json_t        *forms = json_object_get(call->object, "forms");
    const json_t        *top = json_object_get(call->object, "top");
    const json_t        *outcomes = json_object_get(call->object, "outcomes");
    size_t               i;

    replay_show_counts(call->object, conf->status);
    for (i = 0; i < CLI_OUTCOMES; i++) {
        printf("  %-9s %9lld\n", cli_outcome_text((cli_outcome_t) i),
               cli_field(outcomes, cli_outcome_text((cli_outcome_t) i)));
    }
    printf("\n%s  %-16s %-14s %9s %9s%s\n", cli_bold(), "form", "charset",
           "requests", "answered", cli_reset());
    for (i = 0; i < json_array_size(forms); i++) {
        const json_t *form = json_array_get(forms, i);

        printf("  %-16s %-14s %9lld %9lld\n", cli_field_string(form, "form"),
               cli_field_string(form, "charset"), cli_field(form, "requests"),
               cli_field(form, "answered"));
    }
    putchar('\n');
    for (i = 0; i < json_array_size(top); i++) {
        const json_t *target = json_array_get(top, i);

        printf("%9lld  %-8s  ", cli_field(target, "requests"),
               cli_field_string(target, "outcome"));
        cli_print(stdout, cli_field_text(target, "target"));
        if (cli_field_text(target, "path").len != 0) {
            fputs("  ->  ", stdout);
            cli_print(stdout, cli_field_text(target, "path"));
        }
        putchar('\n');
    }
}


const cli_command_t cli_replay = {
    .name = "replay",
    .operands = "LOG",
    .count = 1,
    .about = "show how the requests of a log would be answered",
    .help = replay_help,
    .options = replay_options,
    .size = sizeof(replay_conf_t),
    .create = replay_create,
    .ready = replay_ready,
    .answer = replay_answer,
    .show = replay_show,
};
