/*
 * replay.c - `iri replay`: how the requests of a log would be answered
 *
 * Each target that got 404 is passed to the core with the settings of the
 * command line.  The output shows the number of requests that would be
 * answered, by form and charset, and the most frequent targets.  Then each
 * legacy charset is tried by itself as the charset of names on disk; the best
 * one is suggested for iri_filename_charset.  With it, each is tried as the
 * charset of requests.  The charsets with which more requests would be answered
 * are suggested for iri_charset, but not two that find different entries for
 * one target.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/iri_string.h"

#include "cli.h"

enum { REPLAY_TOP = CLI_OPT_OWN, REPLAY_STATUS };

static const apr_getopt_option_t replay_options[] = {
    { "top", REPLAY_TOP, 1, "number of targets to show (default: 10)" },
    { "status", REPLAY_STATUS, 1,
      "status of the requests to replay (default: 404)" },
    CLI_SETTINGS_OPTIONS,
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char replay_help[] =
    "LOG is an access log in the common or combined format, or with a JSON\n"
    "object on each line (fields request, or request_uri and request_method,\n"
    "and status); plain or gzip. --root is the document root of the site.\n"
    "Nothing is changed.\n\n"
    "Outcomes: there (exists, and is found without the module), found, moved\n"
    "(found under another name), choice (several names), refused, absent.\n"
    "Then 19 legacy charsets are tried. The charset of names on disk with which\n"
    "most requests would be answered is suggested for iri_filename_charset. With\n"
    "it, charsets of requests are suggested for iri_charset if they answer more\n"
    "requests and no two of them find different entries for a target.\n"
    "Exit code 1 if the log has lines, but no line is a request.\n\n"
    "JSON fields: lines requests not_requests taken (with the status) dropped\n"
    "(beyond 1,000,000 targets) targets outcomes forms top suggest; in suggest:\n"
    "filename_charsets and charsets, requests (answered in addition to those\n"
    "of the given settings), and undecided (targets for which two charsets\n"
    "find different entries).\n\n"
    "Examples:\n"
    "  iri replay --root /srv/www /var/log/nginx/access.log\n"
    "  iri replay --root /srv/old --filename-charset euc-jp access.log.2.gz\n";

/* The charsets that are tried, one of each group of similar charsets. */
static const char *const replay_charsets[] = {
    "Shift_JIS",    "EUC-JP",       "gb18030",      "Big5",
    "EUC-KR",       "windows-1252", "windows-1251", "KOI8-R",
    "IBM866",       "windows-1250", "ISO-8859-2",   "windows-1253",
    "windows-1254", "windows-1255", "windows-1256", "windows-1257",
    "windows-1258", "windows-874",  "macintosh"
};

#define REPLAY_CHARSETS (sizeof(replay_charsets) / sizeof(replay_charsets[0]))

/* Greatest number of targets that are tried with each charset. */
#define REPLAY_MAX_TRIALS 20000

typedef struct {
    cli_settings_t *settings;
    size_t          top;
    int             status;
    iri_charsets_t  charset[REPLAY_CHARSETS]; /* a list of one each; empty:
                                                 ICU lacks it */
} replay_conf_t;

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
    cli_progress_t       progress;
    uint64_t             outcome[CLI_OUTCOMES]; /* requests by outcome */

    /* The suggestion. */
    iri_tree_conf_t tree; /* the settings', with the suggested charset */
    cli_settings_t  with; /* the settings with that tree */
    cli_trials_t    trials;
    uint64_t        gain; /* requests that the tree answers in addition */
} replay_run_t;


/* ---- settings ------------------------------------------------------------ */

static void *
replay_create(apr_pool_t *pool)
{
    replay_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    if (conf == NULL) {
        return NULL;
    }
    conf->settings = cli_settings_create(pool);
    conf->top = 10;
    conf->status = 404;
    return conf->settings != NULL ? conf : NULL;
}


static const char *
replay_option(void *data, int option, const char *value)
{
    replay_conf_t *conf = data;
    char          *end;
    long           number;

    if (option != REPLAY_TOP && option != REPLAY_STATUS) {
        return cli_settings_option(conf->settings, option, value);
    }
    number = strtol(value, &end, 10);
    if (*end != '\0' || end == value) {
        number = -1;
    }
    if (option == REPLAY_TOP) {
        if (number < 0 || number > 100000) {
            return "must be a number from 0 to 100000; for example 10";
        }
        conf->top = (size_t) number;
    } else {
        if (number < 100 || number > 599) {
            return "must be an HTTP status from 100 to 599; for example 404";
        }
        conf->status = (int) number;
    }
    return NULL;
}


static const char *
replay_ready(void *data)
{
    replay_conf_t *conf = data;
    const char    *wrong = cli_settings_ready(conf->settings);
    iri_str_t      label;
    size_t         i;

    if (wrong != NULL) {
        return wrong;
    }
    if (!conf->settings->has_root) {
        return "--root is required: the document root of the site";
    }
    for (i = 0; i < REPLAY_CHARSETS; i++) {
        label.data = (const unsigned char *) replay_charsets[i];
        label.len = strlen(replay_charsets[i]);
        /* A charset that this ICU does not have is not tried. */
        if (iri_parse_charsets(conf->settings->registry, &label, 1, 0,
                               &conf->charset[i])
            != NULL)
        {
            conf->charset[i].count = 0;
        }
    }
    return NULL;
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

    if (cli_try(run->conf->settings, run->target_pool, target->octets,
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


static int
replay_takes(void *arg, const cli_request_t *request)
{
    const replay_run_t *run = arg;

    return request->status == run->conf->status;
}


/* ---- suggestion of charsets ---------------------------------------------- */

/* Return 1 if a target is one to try other charsets for. */
static int
replay_is_open(const cli_target_row_t *target)
{
    return target->form != IRI_FORM_ASCII
           && !cli_outcome_answers(target->outcome);
}


static int
replay_is_answered(replay_run_t *run, const cli_settings_t *settings,
                   const cli_target_row_t *target)
{
    int is_answered = cli_try_answers(settings, run->target_pool,
                                      target->octets);

    apr_pool_clear(run->target_pool);
    return is_answered;
}


/* Return the number of requests that are answered if charset is added to the
   charsets of names on disk, and not without it.  In both cases charset is also
   added to those of requests.  *tree: the settings with it. */
static uint64_t
replay_try_filenames(replay_run_t *run, const iri_charset_t *charset,
                     iri_tree_conf_t *tree)
{
    cli_settings_t    with = *run->conf->settings, without;
    iri_charsets_t   *requests = &with.reading.charsets;
    iri_charsets_t   *names = &with.tree.charsets;
    cli_target_row_t *target;
    uint64_t          answered = 0;
    size_t            k;
    int               i, tried = 0;

    for (k = 0; k < names->count && names->at[k] != charset; k++) {
    }
    if (k < names->count || names->count == IRI_MAX_CHARSETS) {
        return 0;
    }
    if (requests->count < IRI_MAX_CHARSETS) {
        requests->at[requests->count++] = charset;
    }
    without = with;
    names->at[names->count++] = charset;
    iri_tree_conf_finish(&with.reading, &with.tree);
    *tree = with.tree;
    for (i = 0; i < run->targets.list->nelts && tried < REPLAY_MAX_TRIALS;
         i++) {
        target = APR_ARRAY_IDX(run->targets.list, i, cli_target_row_t *);
        if (replay_is_open(target) && ++tried
            && replay_is_answered(run, &with, target)
            && !replay_is_answered(run, &without, target))
        {
            answered += target->requests;
        }
    }
    return answered;
}


/* Choose the charset of the names on disk. */
static void
replay_choose_filenames(replay_run_t *run)
{
    iri_tree_conf_t tree;
    uint64_t        answered, most = 0;
    size_t          i;

    run->tree = run->conf->settings->tree;
    for (i = 0; i < REPLAY_CHARSETS; i++) {
        if (run->conf->charset[i].count == 0) {
            continue;
        }
        answered = replay_try_filenames(run, run->conf->charset[i].at[0],
                                        &tree);
        if (answered > most) {
            most = answered;
            run->tree = tree;
        }
        cli_progress_add(&run->progress, 1);
    }
}


/* Try all charsets for targets that were not answered. */
static void
replay_suggest(replay_run_t *run)
{
    cli_trials_t *trials = &run->trials;
    int           i, tried = 0, suggested;

    cli_progress_begin(&run->progress, "charsets", REPLAY_CHARSETS);
    replay_choose_filenames(run);
    run->with = *run->conf->settings;
    suggested = run->tree.charsets.count > run->with.tree.charsets.count;
    run->with.tree = run->tree;
    cli_trials_init(trials, run->pool, &run->with);
    for (i = 0; i < (int) REPLAY_CHARSETS; i++) {
        if (run->conf->charset[i].count != 0) {
            trials->charset[trials->charsets++] = run->conf->charset[i].at[0];
        }
    }
    cli_progress_begin(&run->progress, "targets that are not ASCII",
                       (uint64_t) run->targets.list->nelts);
    for (i = 0; i < run->targets.list->nelts && tried < REPLAY_MAX_TRIALS;
         i++) {
        const cli_target_row_t *target = APR_ARRAY_IDX(run->targets.list, i,
                                                       cli_target_row_t *);

        if (!replay_is_open(target)) {
            continue;
        }
        tried++;
        if (suggested && replay_is_answered(run, &run->with, target)) {
            run->gain += target->requests;
        } else if (target->form == IRI_FORM_LEGACY
                   || target->form == IRI_FORM_INVALID)
        {
            (void) cli_trials_add(trials, run->target_pool, target);
        }
        cli_progress_add(&run->progress, 1);
    }
    cli_trials_choose(trials);
}


/* ---- the answer ---------------------------------------------------------- */

/* Append the object of a call to a list. */
static int
replay_add(json_t *list, cli_call_t *line)
{
    return json_array_append_new(list, line->object);
}


static int
replay_fill_forms(const replay_run_t *run, json_t *list)
{
    cli_call_t line;
    int        i, failed = 0;

    for (i = 0; !failed && i < run->forms->nelts; i++) {
        const replay_form_t *form = &APR_ARRAY_IDX(run->forms, i,
                                                   replay_form_t);

        memset(&line, 0, sizeof(line));
        line.pool = run->pool;
        line.object = json_object();
        failed = cli_set_text(&line, "form", iri_form_text(form->form)) != 0
                 || cli_set_octets(&line, "charset", form->charset) != 0
                 || json_object_set_new(line.object, "requests",
                                        cli_number(form->requests))
                        != 0
                 || json_object_set_new(line.object, "answered",
                                        cli_number(form->answered))
                        != 0
                 || replay_add(list, &line) != 0;
    }
    return failed ? -1 : 0;
}


static int
replay_fill_top(const replay_run_t *run, json_t *list)
{
    cli_call_t line;
    int        i, failed = 0;

    for (i = 0; !failed && i < run->targets.list->nelts
                && (size_t) i < run->conf->top;
         i++)
    {
        const cli_target_row_t *target = APR_ARRAY_IDX(run->targets.list, i,
                                                       cli_target_row_t *);

        memset(&line, 0, sizeof(line));
        line.pool = run->pool;
        line.object = json_object();
        failed = json_object_set_new(line.object, "requests",
                                     cli_number(target->requests))
                     != 0
                 || cli_set_text(&line, "outcome",
                                 cli_outcome_text(target->outcome))
                        != 0
                 || cli_set_octets(&line, "target", target->octets) != 0
                 || cli_set_octets(&line, "path", target->path) != 0
                 || replay_add(list, &line) != 0;
    }
    return failed ? -1 : 0;
}


/* A list of the names of charsets. */
static json_t *
replay_names(const iri_charsets_t *list)
{
    json_t *names = json_array();
    size_t  i;

    for (i = 0; i < list->count; i++) {
        iri_str_t name = iri_charset_name(list->at[i]);

        json_array_append_new(
            names, json_stringn((const char *) name.data, name.len));
    }
    return names;
}


static int
replay_fill_suggest(const replay_run_t *run, json_t *object)
{
    iri_charsets_t list = cli_trials_charsets(&run->trials);

    return json_object_set_new(object, "filename_charsets",
                               replay_names(&run->tree.charsets))
                       != 0
                   || json_object_set_new(object, "charsets",
                                          replay_names(&list))
                          != 0
                   || json_object_set_new(
                          object, "requests",
                          cli_number(run->gain + run->trials.gain))
                          != 0
                   || json_object_set_new(object, "undecided",
                                          cli_number(run->trials.undecided))
                          != 0
               ? -1
               : 0;
}


static int
replay_fill(const replay_run_t *run)
{
    json_t *object = run->call->object, *outcomes = json_object();
    json_t *forms = json_array(), *top = json_array();
    json_t *suggest = json_object();
    int     i;

    for (i = 0; i < CLI_OUTCOMES; i++) {
        json_object_set_new(outcomes, cli_outcome_text((cli_outcome_t) i),
                            cli_number(run->outcome[i]));
    }
    json_object_set_new(object, "lines", cli_number(run->targets.lines));
    json_object_set_new(object, "requests",
                        cli_number(run->targets.requests));
    json_object_set_new(
        object, "not_requests",
        cli_number(run->targets.lines - run->targets.requests));
    json_object_set_new(object, "taken", cli_number(run->targets.taken));
    json_object_set_new(object, "dropped", cli_number(run->targets.dropped));
    json_object_set_new(object, "targets",
                        cli_number((uint64_t) run->targets.list->nelts));
    json_object_set_new(object, "outcomes", outcomes);
    json_object_set_new(object, "forms", forms);
    json_object_set_new(object, "top", top);
    json_object_set_new(object, "suggest", suggest);
    return replay_fill_forms(run, forms) != 0
                   || replay_fill_top(run, top) != 0
                   || replay_fill_suggest(run, suggest) != 0
               ? -1
               : 0;
}


static const char *
replay_run(replay_run_t *run)
{
    const char *wrong = cli_targets_read(&run->targets, run->call->operand[0],
                                         &run->progress);
    int         i;

    if (wrong != NULL) {
        return wrong;
    }
    cli_targets_sort(&run->targets);
    cli_progress_begin(&run->progress, "targets",
                       (uint64_t) run->targets.list->nelts);
    for (i = 0; i < run->targets.list->nelts; i++) {
        replay_target(
            run, APR_ARRAY_IDX(run->targets.list, i, cli_target_row_t *));
        apr_pool_clear(run->target_pool);
        cli_progress_add(&run->progress, 1);
    }
    replay_suggest(run);
    cli_progress_hide(&run->progress);
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
    if (apr_pool_create(&run.target_pool, call->pool) != APR_SUCCESS) {
        call->error = iri_status_text(IRI_NO_MEMORY);
        return -1;
    }
    cli_targets_init(&run.targets, run.pool);
    run.targets.takes = replay_takes;
    run.targets.arg = &run;
    run.forms = apr_array_make(run.pool, 8, sizeof(replay_form_t));
    call->error = replay_run(&run);
    if (call->error == NULL && replay_fill(&run) != 0) {
        call->error = iri_status_text(IRI_NO_MEMORY);
    }
    /* A file that is not a log is a finding, so that a script does not treat it
       as a log without requests. */
    call->found = run.targets.lines != 0 && run.targets.requests == 0;
    return call->error == NULL ? 0 : -1;
}


/* ---- text output --------------------------------------------------------- */

static void
replay_show_list(const char *directive, const json_t *charsets)
{
    size_t i;

    printf("  %s%s", cli_bold(), directive);
    for (i = 0; i < json_array_size(charsets); i++) {
        printf(" %s", json_string_value(json_array_get(charsets, i)));
    }
    printf(";%s", cli_reset());
}


/* names: the number of given charsets of names on disk. */
static void
replay_show_suggest(const json_t *suggest, size_t names)
{
    const json_t *filename_charsets = json_object_get(suggest,
                                                      "filename_charsets");
    const json_t *charsets = json_object_get(suggest, "charsets");

    if (cli_field(suggest, "requests") == 0) {
        puts("No further charset would answer more requests.");
    } else {
        printf("%lld more requests would be answered with",
               cli_field(suggest, "requests"));
        if (json_array_size(filename_charsets) > names) {
            replay_show_list("iri_filename_charset", filename_charsets);
        }
        if (json_array_size(charsets) != 0) {
            replay_show_list("iri_charset", charsets);
        }
        putchar('\n');
    }
    if (cli_field(suggest, "undecided") != 0) {
        printf(
            "For %lld targets two charsets find different entries; the list "
            "has only one of the charsets.\n",
            cli_field(suggest, "undecided"));
    }
}


static void
replay_show_counts(const json_t *object, int status)
{
    cli_print_count(stdout, cli_field(object, "requests"), "request",
                    "requests");
    fputs(" in ", stdout);
    cli_print_count(stdout, cli_field(object, "lines"), "line", "lines");
    printf(", %lld with %d, for ", cli_field(object, "taken"), status);
    cli_print_count(stdout, cli_field(object, "targets"), "target",
                    "targets");
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

        printf("  %-16s %-14s %9lld %9lld\n",
               json_string_value(json_object_get(form, "form")),
               json_string_value(json_object_get(form, "charset")),
               cli_field(form, "requests"), cli_field(form, "answered"));
    }
    putchar('\n');
    for (i = 0; i < json_array_size(top); i++) {
        const json_t *target = json_array_get(top, i);

        printf("%9lld  %-8s  ", cli_field(target, "requests"),
               json_string_value(json_object_get(target, "outcome")));
        cli_print(stdout, cli_field_text(target, "target"));
        if (json_string_length(json_object_get(target, "path")) != 0) {
            fputs("  ->  ", stdout);
            cli_print(stdout, cli_field_text(target, "path"));
        }
        putchar('\n');
    }
    fputs(json_array_size(top) != 0 ? "\n" : "", stdout);
    replay_show_suggest(json_object_get(call->object, "suggest"),
                        conf->settings->tree.charsets.count);
}


const cli_command_t cli_replay = {
    "replay",
    "LOG",
    1,
    "show how the requests of a log would be answered",
    replay_help,
    replay_options,
    replay_create,
    replay_option,
    replay_ready,
    replay_answer,
    replay_show
};
