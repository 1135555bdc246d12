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

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
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

/* Greatest number of targets that are stored, and that are tried with each
   charset. */
#define REPLAY_MAX_TARGETS 1000000
#define REPLAY_MAX_TRIALS  20000

typedef enum {
    REPLAY_THERE,
    REPLAY_FOUND,
    REPLAY_MOVED,
    REPLAY_CHOICE,
    REPLAY_REFUSED,
    REPLAY_ABSENT,
    REPLAY_OUTCOMES
} replay_outcome_t;

static const char *const replay_outcome_texts[REPLAY_OUTCOMES] = {
    "there", "found", "moved", "choice", "refused", "absent"
};

typedef struct {
    cli_settings_t *settings;
    size_t          top;
    int             status;
    iri_charsets_t  charset[REPLAY_CHARSETS]; /* a list of one each; empty:
                                                 ICU lacks it */
} replay_conf_t;

/* A target and its requests. */
typedef struct {
    iri_str_t        octets;
    uint64_t         requests;
    replay_outcome_t outcome;
    iri_form_t       form;
    iri_str_t        charset;
    iri_str_t        path; /* canonical, of the entry; empty: none */
} replay_target_t;

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
    apr_pool_t          *target_pool; /* cleared after each line or target */
    apr_hash_t          *by_target;   /* octets -> replay_target_t */
    apr_array_header_t  *targets; /* replay_target_t *, most requests first */
    apr_array_header_t  *forms;   /* replay_form_t */
    cli_progress_t       progress;
    uint64_t             lines;
    uint64_t             requests; /* lines that are requests */
    uint64_t             taken;    /* requests with conf->status */
    uint64_t             dropped;  /* requests beyond REPLAY_MAX_TARGETS */
    uint64_t             outcome[REPLAY_OUTCOMES]; /* requests by outcome */

    /* The suggestion. */
    iri_tree_conf_t tree;      /* the settings', with the suggested charset */
    unsigned        chosen;    /* 1u << charset */
    uint64_t        gain;      /* requests answered in addition */
    size_t          undecided; /* targets with different entries by charset */
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

static iri_str_t
replay_copy(apr_pool_t *pool, iri_str_t text)
{
    text.data = apr_pmemdup(pool, text.data, text.len);
    return text;
}


static replay_outcome_t
replay_outcome(const cli_verdict_t *result)
{
    switch (result->verdict) {
    case IRI_REFUSE:
        return REPLAY_REFUSED;
    case IRI_CHOOSE:
        return REPLAY_CHOICE;
    default:
        if (!result->exists) {
            return REPLAY_ABSENT;
        }
        if (result->verdict == IRI_RESTART) {
            return REPLAY_MOVED;
        }
        /* The server finds an exact name without the module. */
        return result->found.match == IRI_MATCH_NONE
                       || result->found.match == IRI_MATCH_EXACT
                   ? REPLAY_THERE
                   : REPLAY_FOUND;
    }
}


/* Return 1 if the client gets a resource or a list of choices. */
static int
replay_answers(replay_outcome_t outcome)
{
    return outcome <= REPLAY_CHOICE;
}


/* Return 0; -1: the target is malformed, and the servers would refuse it. */
static int
replay_verdict(const replay_run_t *run, const cli_settings_t *settings,
               iri_str_t octets, cli_verdict_t *result)
{
    cli_call_t call;

    memset(&call, 0, sizeof(call));
    call.pool = run->target_pool;
    return cli_verdict(settings, &call, octets, result);
}


static void
replay_count_form(replay_run_t *run, const replay_target_t *target)
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
    if (replay_answers(target->outcome)) {
        form->answered += target->requests;
    }
}


static void
replay_target(replay_run_t *run, replay_target_t *target)
{
    cli_verdict_t result;

    if (replay_verdict(run, run->conf->settings, target->octets, &result)
        != 0) {
        target->outcome = REPLAY_REFUSED;
        target->form = IRI_FORM_INVALID;
    } else {
        target->outcome = replay_outcome(&result);
        target->form = result.form;
        target->charset = replay_copy(run->pool, result.charset);
        if (replay_answers(target->outcome)) {
            target->path = replay_copy(run->pool, result.path);
        }
    }
    run->outcome[target->outcome] += target->requests;
    replay_count_form(run, target);
}


/* ---- the log ------------------------------------------------------------- */

static void
replay_request(replay_run_t *run, const cli_request_t *request)
{
    replay_target_t *target;

    run->requests++;
    if (request->status != run->conf->status) {
        return;
    }
    run->taken++;
    target = apr_hash_get(run->by_target, request->target.data,
                          (apr_ssize_t) request->target.len);
    if (target == NULL) {
        if (run->targets->nelts == REPLAY_MAX_TARGETS) {
            run->dropped++;
            return;
        }
        target = apr_pcalloc(run->pool, sizeof(*target));
        target->octets = replay_copy(run->pool, request->target);
        apr_hash_set(run->by_target, target->octets.data,
                     (apr_ssize_t) target->octets.len, target);
        APR_ARRAY_PUSH(run->targets, replay_target_t *) = target;
    }
    target->requests++;
}


static const char *
replay_read(replay_run_t *run, const char *name)
{
    apr_finfo_t   info;
    cli_request_t request;
    cli_log_t    *log;
    uint64_t      seen = 0;
    int           read;

    memset(&info, 0, sizeof(info));
    (void) apr_stat(&info, name, APR_FINFO_SIZE | APR_FINFO_TYPE, run->pool);
    if (info.filetype == APR_DIR) {
        return apr_psprintf(run->pool,
                            "\"%s\" is a directory: give a log file",
                            cli_printable(run->pool, run->call->operand[0]));
    }
    log = cli_log_open(run->pool, name);
    if (log == NULL) {
        return apr_psprintf(run->pool, "cannot read \"%s\": %s",
                            cli_printable(run->pool, run->call->operand[0]),
                            strerror(errno));
    }
    cli_progress_begin(&run->progress, "octets of the log",
                       (uint64_t) info.size);
    while ((read = cli_log_next(log, run->target_pool, &request)) >= 0) {
        run->lines++;
        if (read > 0) {
            replay_request(run, &request);
        }
        apr_pool_clear(run->target_pool);
        if (run->lines % 1024 == 0) {
            cli_progress_add(&run->progress, cli_log_offset(log) - seen);
            seen = cli_log_offset(log);
        }
    }
    cli_progress_hide(&run->progress);
    return cli_log_close(log) == 0
               ? NULL
               : apr_psprintf(
                   run->pool,
                   "cannot read \"%s\" to its end: it is truncated, corrupt, "
                   "or not a file",
                   cli_printable(run->pool, run->call->operand[0]));
}


/* Compare by requests, descending, then by octets, for qsort. */
static int
replay_order(const void *a, const void *b)
{
    const replay_target_t *one = *(replay_target_t *const *) a;
    const replay_target_t *two = *(replay_target_t *const *) b;
    size_t len = one->octets.len < two->octets.len ? one->octets.len
                                                   : two->octets.len;
    int    order;

    if (one->requests != two->requests) {
        return one->requests > two->requests ? -1 : 1;
    }
    order = memcmp(one->octets.data, two->octets.data, len);
    return order != 0 ? order
                      : (one->octets.len > two->octets.len)
                            - (one->octets.len < two->octets.len);
}


/* ---- suggestion of charsets ---------------------------------------------- */

/* The entry that each charset finds for one target; path empty: none. */
typedef struct {
    uint64_t  requests;
    unsigned  finds; /* 1u << charset */
    iri_str_t path[REPLAY_CHARSETS];
} replay_trial_t;


static int
replay_trial(replay_run_t *run, const replay_target_t *target,
             replay_trial_t *out)
{
    cli_settings_t settings = *run->conf->settings;
    cli_verdict_t  result;
    size_t         i;

    settings.tree = run->tree;
    memset(out, 0, sizeof(*out));
    out->requests = target->requests;
    for (i = 0; i < REPLAY_CHARSETS; i++) {
        settings.reading.charsets = run->conf->charset[i];
        if (settings.reading.charsets.count != 0
            && replay_verdict(run, &settings, target->octets, &result) == 0
            && result.form == IRI_FORM_LEGACY
            && replay_answers(replay_outcome(&result)))
        {
            out->finds |= 1u << i;
            out->path[i] = replay_copy(run->pool, result.path);
        }
    }
    apr_pool_clear(run->target_pool);
    return out->finds != 0;
}


/* Return 1 if a charset in `among` finds another entry than charset i. */
static int
replay_is_undecided(const replay_trial_t *trial, size_t i, unsigned among)
{
    size_t k;

    for (k = 0; k < REPLAY_CHARSETS; k++) {
        if ((among & trial->finds & 1u << k)
            && !iri_str_equal(trial->path[k], trial->path[i]))
        {
            return 1;
        }
    }
    return 0;
}


/* Return the number of requests that charset i answers in addition to the
   chosen charsets; 0 if it finds another entry than one of them. */
static uint64_t
replay_gain(const apr_array_header_t *trials, size_t i, unsigned chosen)
{
    const replay_trial_t *trial = (const replay_trial_t *) (void *)
                                      trials->elts;
    uint64_t gain = 0;
    int      n;

    for (n = 0; n < trials->nelts; n++, trial++) {
        if ((trial->finds & 1u << i) == 0) {
            continue;
        }
        if (replay_is_undecided(trial, i, chosen)) {
            return 0;
        }
        if ((trial->finds & chosen) == 0) {
            gain += trial->requests;
        }
    }
    return gain;
}


static void
replay_choose(replay_run_t *run, const apr_array_header_t *trials)
{
    const replay_trial_t *trial = (const replay_trial_t *) (void *)
                                      trials->elts;
    uint64_t gain, most;
    size_t   i, best, count;
    int      n;

    count = run->conf->settings->reading.charsets.count;
    for (; count < IRI_MAX_CHARSETS; count++) {
        for (i = 0, best = 0, most = 0; i < REPLAY_CHARSETS; i++) {
            gain = replay_gain(trials, i, run->chosen);
            if (gain > most) {
                best = i;
                most = gain;
            }
        }
        if (most == 0) {
            break;
        }
        run->chosen |= 1u << best;
        run->gain += most;
    }
    for (n = 0; n < trials->nelts; n++, trial++) {
        for (i = 0; (trial->finds & 1u << i) == 0; i++) {
        }
        run->undecided += (size_t) replay_is_undecided(trial, i,
                                                       trial->finds);
    }
}


/* Return 1 if other charsets are tried for a target. */
static int
replay_is_open(const replay_target_t *target)
{
    return target->form != IRI_FORM_ASCII && !replay_answers(target->outcome);
}


static int
replay_is_answered(replay_run_t *run, const cli_settings_t *settings,
                   const replay_target_t *target)
{
    cli_verdict_t result;
    int is_answered = replay_verdict(run, settings, target->octets, &result)
                          == 0
                      && replay_answers(replay_outcome(&result));

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
    cli_settings_t   with = *run->conf->settings, without;
    iri_charsets_t  *requests = &with.reading.charsets;
    iri_charsets_t  *names = &with.tree.charsets;
    replay_target_t *target;
    uint64_t         answered = 0;
    size_t           k;
    int              i, tried = 0;

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
    for (i = 0; i < run->targets->nelts && tried < REPLAY_MAX_TRIALS; i++) {
        target = APR_ARRAY_IDX(run->targets, i, replay_target_t *);
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
    apr_array_header_t *trials = apr_array_make(run->pool, 64,
                                                sizeof(replay_trial_t));
    cli_settings_t      settings = *run->conf->settings;
    replay_trial_t      trial;
    int                 i, tried = 0, suggested;

    cli_progress_begin(&run->progress, "charsets", REPLAY_CHARSETS);
    replay_choose_filenames(run);
    suggested = run->tree.charsets.count > settings.tree.charsets.count;
    settings.tree = run->tree;
    cli_progress_begin(&run->progress, "targets that are not ASCII",
                       (uint64_t) run->targets->nelts);
    for (i = 0; i < run->targets->nelts && tried < REPLAY_MAX_TRIALS; i++) {
        replay_target_t *target = APR_ARRAY_IDX(run->targets, i,
                                                replay_target_t *);

        if (!replay_is_open(target)) {
            continue;
        }
        tried++;
        if (suggested && replay_is_answered(run, &settings, target)) {
            run->gain += target->requests;
        } else if ((target->form == IRI_FORM_LEGACY
                    || target->form == IRI_FORM_INVALID)
                   && replay_trial(run, target, &trial))
        {
            APR_ARRAY_PUSH(trials, replay_trial_t) = trial;
        }
        cli_progress_add(&run->progress, 1);
    }
    replay_choose(run, trials);
}


/* ---- the answer ---------------------------------------------------------- */

static json_t *
replay_number(uint64_t number)
{
    return json_integer((json_int_t) number);
}


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
                                        replay_number(form->requests))
                        != 0
                 || json_object_set_new(line.object, "answered",
                                        replay_number(form->answered))
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

    for (i = 0;
         !failed && i < run->targets->nelts && (size_t) i < run->conf->top;
         i++)
    {
        const replay_target_t *target = APR_ARRAY_IDX(run->targets, i,
                                                      replay_target_t *);

        memset(&line, 0, sizeof(line));
        line.pool = run->pool;
        line.object = json_object();
        failed = json_object_set_new(line.object, "requests",
                                     replay_number(target->requests))
                     != 0
                 || cli_set_text(&line, "outcome",
                                 replay_outcome_texts[target->outcome])
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
    iri_charsets_t list = run->conf->settings->reading.charsets;
    size_t         i;

    for (i = 0; i < REPLAY_CHARSETS; i++) {
        if (run->chosen & 1u << i) {
            list.at[list.count++] = run->conf->charset[i].at[0];
        }
    }
    iri_charsets_sort(&list);
    return json_object_set_new(object, "filename_charsets",
                               replay_names(&run->tree.charsets))
                       != 0
                   || json_object_set_new(object, "charsets",
                                          replay_names(&list))
                          != 0
                   || json_object_set_new(object, "requests",
                                          replay_number(run->gain))
                          != 0
                   || json_object_set_new(object, "undecided",
                                          replay_number(run->undecided))
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

    for (i = 0; i < REPLAY_OUTCOMES; i++) {
        json_object_set_new(outcomes, replay_outcome_texts[i],
                            replay_number(run->outcome[i]));
    }
    json_object_set_new(object, "lines", replay_number(run->lines));
    json_object_set_new(object, "requests", replay_number(run->requests));
    json_object_set_new(object, "not_requests",
                        replay_number(run->lines - run->requests));
    json_object_set_new(object, "taken", replay_number(run->taken));
    json_object_set_new(object, "dropped", replay_number(run->dropped));
    json_object_set_new(object, "targets",
                        replay_number((uint64_t) run->targets->nelts));
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
    iri_str_t   operand = run->call->operand[0];
    const char *wrong;
    int         i;

    if (operand.len == 0 || memchr(operand.data, '\0', operand.len) != NULL) {
        return "the name of the log is empty or contains a NUL";
    }
    wrong = replay_read(
        run,
        apr_pstrmemdup(run->pool, (const char *) operand.data, operand.len));
    if (wrong != NULL) {
        return wrong;
    }
    qsort(run->targets->elts, (size_t) run->targets->nelts,
          sizeof(replay_target_t *), replay_order);
    cli_progress_begin(&run->progress, "targets",
                       (uint64_t) run->targets->nelts);
    for (i = 0; i < run->targets->nelts; i++) {
        replay_target(run, APR_ARRAY_IDX(run->targets, i, replay_target_t *));
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
    run.by_target = cli_hash_make(run.pool);
    run.targets = apr_array_make(run.pool, 1024, sizeof(replay_target_t *));
    run.forms = apr_array_make(run.pool, 8, sizeof(replay_form_t));
    call->error = replay_run(&run);
    if (call->error == NULL && replay_fill(&run) != 0) {
        call->error = iri_status_text(IRI_NO_MEMORY);
    }
    /* A file that is not a log is a finding, so that a script does not treat it
       as a log without requests. */
    call->found = run.lines != 0 && run.requests == 0;
    return call->error == NULL ? 0 : -1;
}


/* ---- text output --------------------------------------------------------- */

static long long
replay_field(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}


static void
replay_print(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    iri_str_t     text;

    text.data = (const unsigned char *) json_string_value(value);
    text.len = json_string_length(value);
    cli_print(stdout, text);
}


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

    if (replay_field(suggest, "requests") == 0) {
        puts("No further charset would answer more requests.");
    } else {
        printf("%lld more requests would be answered with",
               replay_field(suggest, "requests"));
        if (json_array_size(filename_charsets) > names) {
            replay_show_list("iri_filename_charset", filename_charsets);
        }
        if (json_array_size(charsets) != 0) {
            replay_show_list("iri_charset", charsets);
        }
        putchar('\n');
    }
    if (replay_field(suggest, "undecided") != 0) {
        printf(
            "For %lld targets two charsets find different entries; the list "
            "has only one of the charsets.\n",
            replay_field(suggest, "undecided"));
    }
}


static void
replay_show_counts(const json_t *object, int status)
{
    cli_print_count(stdout, replay_field(object, "requests"), "request",
                    "requests");
    fputs(" in ", stdout);
    cli_print_count(stdout, replay_field(object, "lines"), "line", "lines");
    printf(", %lld with %d, for ", replay_field(object, "taken"), status);
    cli_print_count(stdout, replay_field(object, "targets"), "target",
                    "targets");
    fputs("\n\n", stdout);
    if (replay_field(object, "requests") == 0
        && replay_field(object, "lines") != 0)
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
    for (i = 0; i < REPLAY_OUTCOMES; i++) {
        printf("  %-9s %9lld\n", replay_outcome_texts[i],
               replay_field(outcomes, replay_outcome_texts[i]));
    }
    printf("\n%s  %-16s %-14s %9s %9s%s\n", cli_bold(), "form", "charset",
           "requests", "answered", cli_reset());
    for (i = 0; i < json_array_size(forms); i++) {
        const json_t *form = json_array_get(forms, i);

        printf("  %-16s %-14s %9lld %9lld\n",
               json_string_value(json_object_get(form, "form")),
               json_string_value(json_object_get(form, "charset")),
               replay_field(form, "requests"),
               replay_field(form, "answered"));
    }
    putchar('\n');
    for (i = 0; i < json_array_size(top); i++) {
        const json_t *target = json_array_get(top, i);

        printf("%9lld  %-8s  ", replay_field(target, "requests"),
               json_string_value(json_object_get(target, "outcome")));
        replay_print(target, "target");
        if (json_string_length(json_object_get(target, "path")) != 0) {
            fputs("  ->  ", stdout);
            replay_print(target, "path");
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
