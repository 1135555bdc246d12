/*
 * advise.c - `iri advise`: from a tree and its logs to a configuration
 *
 * The charsets of names are detected for each directory (advise_tree.c).  Then
 * each request that failed is tried with these, with charsets of requests, with
 * differences that are ignored and with repairs.  A setting is proposed only if
 * it answers requests that the settings before it do not answer.  Nothing is
 * changed.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_strings.h>

#include "unicode/iri_unicode.h"

#include "advise.h"

static const char *const advise_servers[] = { "nginx", "httpd", NULL };
static const cli_range_t advise_top_range = {
    0, 100000, "must be a number from 0 to 100000; for example 20"
};

static const cli_option_t advise_options[] = {
    CLI_OPTION_ROOT,
    { "server", "write the configuration of nginx or httpd", cli_option_word,
      offsetof(advise_conf_t, read.server), advise_servers },
    { "config", "configuration of the server: roots, rules to check",
      cli_option_string, offsetof(advise_conf_t, config), NULL },
    { "verify", "count requests that would be answered differently", NULL,
      offsetof(advise_conf_t, verify), NULL },
    { "top", "number of lost targets to show (default: 20)",
      cli_option_number, offsetof(advise_conf_t, top), &advise_top_range },
    { "json", "write JSON", NULL, offsetof(advise_conf_t, json), NULL },
    CLI_OPTIONS_END
};

static const char advise_help[] =
    "LOG is an access log in the common or combined format, or in one that has\n"
    "other fields besides these, or with a JSON object on each line; plain or\n"
    "gzip; lines of JSON must be UTF-8. Requests with status 400 or 404 have\n"
    "failed. Nothing is changed.\n\n"
    "The output is a configuration to include in a server or virtual host, each\n"
    "line with the number of requests that need it, and a report as comments. A\n"
    "setting that answers no further request is not proposed. A setting that may\n"
    "find a wrong file is written as a comment. All lines are comments if a\n"
    "request in the logs gets its file now and would no longer get it.\n\n"
    "With --config the document root, aliases and roots of locations are those of\n"
    "the configuration. A request with the status of the error page for 404\n"
    "(error_page 404 =200; ErrorDocument with a URL: 302) also counts as failed if\n"
    "its path is not ASCII and there is no file. Links to directories are\n"
    "followed.\n\n"
    "The configuration, with its comments, is then searched for text that is not\n"
    "UTF-8 in NFC, is percent-encoded or has octets as escapes. A rule with such\n"
    "text would no longer match, so all settings are then comments. Files that\n"
    "rules read, such as .htaccess or a RewriteMap, are not searched. Rules\n"
    "that count octets, such as \"^/[^/]{4}$\", are not found. Without --config\n"
    "nothing is checked. Locations of nginx are active only if --config shows\n"
    "that there are none: a new location does not inherit access rules. Exit code\n"
    "1 if there is such text, or a log has lines, but no requests.\n\n"
    "Examples:\n"
    "  iri advise --root /srv/www /var/log/nginx/access.log*\n"
    "  iri advise --root /srv/www --config /etc/apache2/apache2.conf "
    "access.log\n";

/* Targets that are tried with each setting, ASCII and others. */
#define ADVISE_MAX_TRIALS 20000

/* Greatest number of Referers and of User-Agents that are counted. */
#define ADVISE_MAX_SENDERS 4096

/* ---- settings ------------------------------------------------------------ */

static void
advise_create(void *data)
{
    advise_conf_t *conf = data;

    cli_settings_create(conf);
    conf->read.server = ADVISE_UNKNOWN;
    conf->top = 20;
}


static int
advise_is_below(const char *directory, iri_str_t root)
{
    return strncmp(directory, (const char *) root.data, root.len) == 0
           && (directory[root.len] == '/' || directory[root.len] == '\0');
}


/* The first document root of the configuration; with --root, that with its
   directory.  NULL: there is none. */
static const advise_root_t *
advise_document_root(const advise_conf_t *conf)
{
    const advise_root_t *root;
    int                  i;

    for (i = 0; i < conf->read.roots->nelts; i++) {
        root = &APR_ARRAY_IDX(conf->read.roots, i, advise_root_t);
        if (*root->prefix == '\0'
            && (!conf->settings.has_root
                || iri_str_equal(cli_str(root->directory),
                                 conf->settings.root)))
        {
            return root;
        }
    }
    return NULL;
}


/* Without --root use the first document root of the configuration. */
static const char *
advise_first_root(advise_conf_t *conf)
{
    const advise_root_t *root = advise_document_root(conf);
    const char          *wrong;

    if (conf->settings.has_root) {
        return NULL;
    }
    if (root == NULL) {
        return "--root is required: the document root of the site";
    }
    conf->root_of_config = 1;
    wrong = cli_option_root(NULL, conf, root->directory);
    return wrong != NULL ? apr_pstrcat(
               conf->settings.common.pool,
               "the document root of the configuration: ", wrong, NULL)
                         : NULL;
}


/*
 * Serve the aliases of the site, too.  Only those outside the document root are
 * trees of their own.
 */
static void
advise_use_roots(advise_conf_t *conf)
{
    apr_pool_t               *pool = conf->settings.common.pool;
    iri_str_t                 top = conf->settings.root;
    const apr_array_header_t *all = conf->read.roots;
    apr_array_header_t       *roots, *aliases;
    advise_root_t            *root;
    cli_alias_t              *alias;
    int                       i, site;

    root = (advise_root_t *) advise_document_root(conf);
    site = root != NULL ? root->site : 0;
    roots = apr_array_make(pool, 4, sizeof(advise_root_t));
    aliases = apr_array_make(pool, 4, sizeof(cli_alias_t));
    root = apr_array_push(roots);
    root->site = site;
    root->prefix = "";
    root->directory = apr_pstrmemdup(pool, (const char *) top.data, top.len);
    for (i = 0; i < all->nelts; i++) {
        root = &APR_ARRAY_IDX(all, i, advise_root_t);
        if (*root->prefix == '\0'
            || (site != 0 && root->site != 0 && root->site != site))
        {
            continue;
        }
        alias = apr_array_push(aliases);
        alias->prefix = cli_str(root->prefix);
        alias->directory = cli_str(root->directory);
        if (!advise_is_below(root->directory, top)
            && !advise_is_below((const char *) top.data, alias->directory))
        {
            APR_ARRAY_PUSH(roots, advise_root_t) = *root;
        }
    }
    conf->settings.aliases = aliases;
    conf->read.roots = roots;
}


static const char *
advise_ready(void *data)
{
    advise_conf_t *conf = data;
    apr_pool_t    *pool = conf->settings.common.pool;
    const char    *wrong = cli_settings_ready(conf);

    conf->read.rules = apr_array_make(pool, 8, sizeof(const char *));
    conf->read.roots = apr_array_make(pool, 8, sizeof(advise_root_t));
    conf->read.error_statuses = apr_array_make(pool, 2, sizeof(int));
    if (wrong == NULL && conf->config != NULL) {
        wrong = advise_config_read(pool, conf->config, &conf->read);
    }
    if (wrong == NULL) {
        wrong = advise_first_root(conf);
    }
    if (wrong == NULL) {
        advise_use_roots(conf);
    }
    return wrong;
}


/* ---- the logs ------------------------------------------------------------ */

/* 1 if an error page is sent with this status. */
static int
advise_is_error_page(const advise_run_t *run, int status)
{
    const apr_array_header_t *statuses = run->conf->read.error_statuses;
    int                       i;

    for (i = 0;
         i < statuses->nelts && APR_ARRAY_IDX(statuses, i, int) != status;
         i++)
    {
    }
    return i < statuses->nelts;
}


/* Count a sender; which: 0 Referer, 1 User-Agent. */
static void
advise_count_sender(advise_run_t *run, size_t which, iri_str_t text)
{
    apr_hash_t      *senders = run->senders[which];
    advise_sender_t *sender;

    if (which == 0) {
        text = iri_before_query(text);
    }
    text.len = text.len < 256 ? text.len : 256;
    if (text.len == 0 || (text.len == 1 && text.data[0] == '-')) {
        return;
    }
    sender = cli_hash_get(senders, text);
    if (sender == NULL) {
        if (apr_hash_count(senders) == ADVISE_MAX_SENDERS) {
            return;
        }
        sender = apr_pcalloc(run->pool, sizeof(*sender));
        sender->text = cli_copy(run->pool, text);
        cli_hash_set(senders, sender->text, sender);
    }
    sender->requests++;
}


/* Remember the names in a path in UTF-8: names on disk that are decoded to
   them are decoded correctly. */
static void
advise_know(advise_run_t *run, iri_str_t path)
{
    const iri_tree_conf_t *utf8 = &run->conf->settings.tree;
    iri_env_apr_t          env;
    iri_str_t              segment, name;
    size_t                 i, start = 0;

    iri_env_apr_init(&env, run->scratch, NULL, NULL);
    for (i = 0; i <= path.len; i++) {
        if (i < path.len && path.data[i] != '/') {
            continue;
        }
        segment.data = path.data + start;
        segment.len = i - start;
        start = i + 1;
        if (!iri_str_is_ascii(segment)
            && iri_entry_name(&env.env, utf8, segment, &name) == IRI_OK
            && name.len != 0 && cli_hash_get(run->tree.known, name) == NULL)
        {
            name = cli_copy(run->pool, name);
            cli_hash_set(run->tree.known, name, "");
        }
    }
}


/* The form of a target: ASCII, UTF-8 (ESCAPED), or LEGACY. */
static iri_form_t
advise_form_of(advise_run_t *run, iri_str_t octets)
{
    cli_target_t target;
    iri_str_t    path = IRI_STR("");
    size_t       offset;
    iri_form_t   form = IRI_FORM_LEGACY;

    if (cli_target_read(run->scratch, octets, 0, &target, &offset) == NULL) {
        path = target.request.path;
    }
    if (iri_str_is_ascii(path)) {
        form = IRI_FORM_ASCII;
    } else if (cli_is_utf8(path)) {
        form = IRI_FORM_ESCAPED;
        advise_know(run, path);
    }
    apr_pool_clear(run->scratch);
    return form;
}


/* Count a request if it failed, or if its target is not ASCII.  The servers
   look up no path that is longer than IRI_MAX_PATH. */
static void
advise_take(void *arg, const cli_request_t *request)
{
    advise_run_t *run = arg;
    iri_str_t     octets = request->target;
    int           failed = request->status == 400 || request->status == 404;
    cli_target_row_t *row;

    if (octets.len > IRI_MAX_PATH
        || (!failed && iri_path_is_ascii(octets, 1))) {
        return;
    }
    row = cli_targets_add(&run->targets, octets);
    if (row == NULL) {
        return;
    }
    row->failed += failed;
    row->error_page += advise_is_error_page(run, request->status);
    if (row->requests == 1) {
        row->form = advise_form_of(run, octets);
    }
    if (row->form == IRI_FORM_LEGACY) {
        advise_count_sender(run, 0, request->referer);
        advise_count_sender(run, 1, request->agent);
    }
}


/* ---- trials -------------------------------------------------------------- */

/* At most `most` targets of a list, at equal distances, that are ASCII or not. */
static void
advise_sample(const apr_array_header_t *list, int ascii, int most,
              apr_array_header_t *out)
{
    apr_array_header_t *all = apr_array_make(out->pool, 64,
                                             sizeof(cli_target_row_t *));
    cli_target_row_t   *row;
    int                 i, count;

    for (i = 0; i < list->nelts; i++) {
        row = APR_ARRAY_IDX(list, i, cli_target_row_t *);
        if ((row->form == IRI_FORM_ASCII) == ascii) {
            APR_ARRAY_PUSH(all, cli_target_row_t *) = row;
        }
    }
    count = all->nelts < most ? all->nelts : most;
    for (i = 0; i < count; i++) {
        row = APR_ARRAY_IDX(all, (int64_t) i * all->nelts / count,
                            cli_target_row_t *);
        APR_ARRAY_PUSH(out, cli_target_row_t *) = row;
    }
}


static apr_array_header_t *
advise_rows(const advise_run_t *run)
{
    return apr_array_make(run->pool, 64, sizeof(cli_target_row_t *));
}


/* Let all places have the settings of the proposal. */
static void
advise_apply(advise_run_t *run, cli_settings_t *settings)
{
    advise_tree_apply(&run->tree, settings);
    settings->tree = run->tree.root->tree;
    settings->settings_of = advise_tree_settings;
    settings->settings_data = &run->tree;
}


/* Choose charsets of requests.  Returns: the targets that are not answered. */
static apr_array_header_t *
advise_charsets(advise_run_t *run, apr_array_header_t *open)
{
    advise_trials_t trials;
    cli_settings_t  initial = run->with;
    int             i;

    advise_trials_init(&trials, run->pool, &initial, run->tree.detector);
    for (i = 0; i < open->nelts; i++) {
        advise_trials_add(&trials, run->scratch,
                          APR_ARRAY_IDX(open, i, cli_target_row_t *));
    }
    advise_trials_choose(&trials);
    if (trials.gain != 0) {
        run->with.reading.charsets = advise_trials_charsets(&trials);
        advise_apply(run, &run->with);
        (void) cli_trial_all(&run->with, run->scratch, open, &open);
    }
    return open;
}


/* Choose differences that are ignored and repairs. */
static void
advise_words_choose(advise_run_t *run, apr_array_header_t *open)
{
    cli_settings_t      trial;
    apr_array_header_t *left;
    uint64_t            gain;
    size_t              i;

    for (i = 0; i < ADVISE_WORDS; i++) {
        trial = run->with;
        advise_word_use(&trial, &advise_words[i]);
        advise_apply(run, &trial);
        gain = cli_trial_all(&trial, run->scratch, open, &left);
        if (gain == 0
            || (advise_words[i].optional && i > 0
                && advise_words[i].level == advise_words[i - 1].level
                && gain <= run->by_word[i - 1]))
        {
            continue; /* as many as with the weaker word */
        }
        run->words |= 1u << i;
        run->by_word[i] = gain;
        if (!advise_words[i].optional) {
            run->with = trial;
            open = left;
        }
    }
    advise_apply(run, &run->with);
}


/* Count a request in a charset of requests, and which others decode it. */
static void
advise_count_charset(advise_run_t *run, const cli_verdict_t *x,
                     uint64_t requests)
{
    const iri_charsets_t *list = &run->with.reading.charsets;
    iri_converted_t       decoded;
    size_t                i, k;

    for (i = 0; i < list->count
                && !iri_str_equal(iri_charset_name(list->at[i]), x->charset);
         i++)
    {
    }
    if (i == list->count) {
        return; /* a charset for each segment */
    }
    run->by_charset[i] += requests;
    for (k = 0; k < list->count; k++) {
        if (k != i
            && iri_decode(x->env, list->at[k], x->reading.octets, &decoded)
                   == IRI_OK
            && decoded.why == NULL)
        {
            run->misread[k][i] += requests;
        }
    }
}


/* 1 if the entry is not found without the word in row i of advise_words[]. */
static int
advise_is_needed(const advise_run_t *run, const cli_verdict_t *x, size_t i)
{
    iri_match_t level = IRI_MATCH_NONE;

    if (advise_words[i].match == 0) {
        return x->found.repaired == advise_words[i].form;
    }
    /* Several words have the same level. */
    return x->found.match == advise_words[i].level
           && iri_fold_level(x->env,
                             run->with.tree.match & ~advise_words[i].match,
                             x->reading.path, x->path, &level)
                  == IRI_OK
           && level == IRI_MATCH_NONE;
}


/* Count a request that the proposal answers by the setting that it needs. */
static void
advise_attribute(advise_run_t *run, const cli_verdict_t *x, uint64_t requests)
{
    size_t i;

    if (!cli_is_utf8(x->filename)
        || (x->found.match == IRI_MATCH_CHARSET
            && x->form != IRI_FORM_LEGACY))
    {
        run->by_names += requests;
    }
    if (x->form == IRI_FORM_LEGACY) {
        advise_count_charset(run, x, requests);
    } else if (x->found.match == IRI_MATCH_NORMALIZATION) {
        run->by_form += requests;
    }
    for (i = 0; i < ADVISE_WORDS; i++) {
        if (run->words & 1u << i && !advise_words[i].optional
            && advise_is_needed(run, x, i))
        {
            run->by_word[i] += requests;
        }
    }
}


/* 1 if a target finds the file whose octets it has. */
static int
advise_is_same(const cli_verdict_t *x)
{
    iri_str_t path = x->target.request.path;

    return path.len >= x->prefix && x->filename.len >= x->root.len
           && iri_str_equal(iri_str_from(x->filename, x->root.len),
                            iri_str_from(path, x->prefix));
}


/* 1 if there is a file with the octets of a target. */
static int
advise_is_there(const advise_run_t *run, iri_str_t octets)
{
    cli_target_t target;
    iri_str_t    path, root;
    struct stat  st;
    size_t       offset, prefix;

    if (cli_target_read(run->scratch, octets, 0, &target, &offset) != NULL) {
        return 0;
    }
    path = target.request.path;
    cli_root(&run->conf->settings, path, &root, &prefix);
    path = iri_str_from(path, prefix);
    return memchr(path.data, '\0', path.len) == NULL
           && stat(apr_psprintf(run->scratch, "%.*s%.*s", (int) root.len,
                                (const char *) root.data, (int) path.len,
                                (const char *) path.data),
                   &st)
                  == 0;
}


/* Count requests that did not fail: whether they get their file. */
static void
advise_compare(advise_run_t *run, cli_target_row_t *row,
               const cli_verdict_t *x)
{
    if (cli_outcome_answers(row->outcome) && advise_is_same(x)) {
        run->kept += row->requests - row->failed;
        return;
    }
    if (!advise_is_there(run, row->octets)) {
        return;
    }
    run->changed += row->requests - row->failed;
    if (run->broken->nelts < ADVISE_SHOWN) {
        APR_ARRAY_PUSH(run->broken, cli_target_row_t *) = row;
    }
}


/* The answers with the whole proposal. */
static void
advise_count(advise_run_t *run)
{
    cli_target_row_t *row;
    cli_verdict_t     x;
    size_t            k;
    int               i;

    for (k = 0; k < ADVISE_WORDS; k++) {
        run->by_word[k] = advise_words[k].optional ? run->by_word[k] : 0;
    }
    run->broken = advise_rows(run);
    for (i = 0; i < run->targets.list->nelts; i++) {
        row = APR_ARRAY_IDX(run->targets.list, i, cli_target_row_t *);
        row->outcome = cli_trial(&run->with, run->scratch, row->octets, &x);
        if (cli_outcome_answers(row->outcome)) {
            run->answered += row->failed;
            if (row->outcome != CLI_CHOICE) {
                advise_attribute(run, &x, row->requests);
            }
        }
        if (row->requests != row->failed) {
            advise_compare(run, row, &x);
        }
        apr_pool_clear(run->scratch);
    }
}


/*
 * Put the charsets in an order in which few requests are misread at first: each
 * gets the best position among those before it.  The order decides nothing
 * about requests for existing files, but saves lookups, and an application gets
 * the right name.
 */
static void
advise_order(advise_run_t *run)
{
    iri_charsets_t *list = &run->with.reading.charsets, old = *list;
    uint64_t        by_charset[IRI_MAX_CHARSETS];
    size_t          order[IRI_MAX_CHARSETS], i, k, at;
    int64_t         more, least;

    memcpy(by_charset, run->by_charset, sizeof(by_charset));
    for (i = 0; i < list->count; i++) {
        at = i;
        more = least = 0;
        for (k = i; k-- > 0;) {
            more += (int64_t) run->misread[i][order[k]]
                    - (int64_t) run->misread[order[k]][i];
            if (more < least) {
                least = more;
                at = k;
            }
        }
        memmove(order + at + 1, order + at, (i - at) * sizeof(order[0]));
        order[at] = i;
    }
    for (i = 0; i < list->count; i++) {
        list->at[i] = old.at[order[i]];
        run->by_charset[i] = by_charset[order[i]];
    }
}


/* Let the charsets of requests begin with those of names: clients request names
   by their octets on disk. */
static void
advise_add_names(advise_run_t *run)
{
    iri_charsets_t       *list = &run->with.reading.charsets;
    const advise_place_t *place;
    const iri_charset_t  *charset;
    size_t                k;
    int                   i;

    for (i = 0; i < run->tree.places->nelts; i++) {
        place = APR_ARRAY_IDX(run->tree.places, i, advise_place_t *);
        if (place->charset < 0 || place->group_legacy == 0) {
            continue;
        }
        charset = iri_detector_charset(run->tree.detector,
                                       (size_t) place->charset);
        for (k = 0; k < list->count && list->at[k] != charset; k++) {
        }
        if (k == list->count && list->count < IRI_MAX_CHARSETS) {
            list->at[list->count++] = charset;
        }
    }
    iri_charsets_sort(list);
    advise_apply(run, &run->with);
}


/* Count the requests that failed.  One that may have been answered with an
   error page failed if its path is not there. */
static void
advise_count_failed(advise_run_t *run)
{
    cli_target_row_t *row;
    cli_verdict_t     x;
    int               i;

    for (i = 0; i < run->targets.list->nelts; i++) {
        row = APR_ARRAY_IDX(run->targets.list, i, cli_target_row_t *);
        if (row->error_page != 0
            && cli_trial(&run->conf->settings, run->scratch, row->octets, &x)
                   != CLI_THERE)
        {
            row->failed += row->error_page;
        }
        run->failed += row->failed;
        apr_pool_clear(run->scratch);
    }
}


static void
advise_evaluate(advise_run_t *run)
{
    apr_array_header_t *open = advise_rows(run);

    advise_count_failed(run);
    advise_sample(run->targets.list, 0, ADVISE_MAX_TRIALS, open);
    advise_sample(run->targets.list, 1, ADVISE_MAX_TRIALS, open);
    run->with = run->conf->settings;
    if (run->tree.undecoded != 0) {
        run->with.reading.invalid = IRI_INVALID_PASS;
    }
    advise_add_names(run);
    (void) cli_trial_all(&run->with, run->scratch, open, &open);
    open = advise_charsets(run, open);
    advise_words_choose(run, open);
    advise_count(run);
    advise_order(run);
}


/* ---- the proposal -------------------------------------------------------- */

static void
advise_propose(advise_run_t *run, const char *nginx, const char *httpd,
               const char *value, uint64_t requests, const char *why,
               int optional)
{
    advise_setting_t *setting = apr_array_push(run->proposal);

    setting->nginx = nginx;
    setting->httpd = httpd;
    setting->value = value;
    setting->requests = requests;
    setting->why = why;
    setting->optional = optional;
}


static const char *
advise_list(apr_pool_t *pool, const iri_charsets_t *list)
{
    const char *text = "";
    iri_str_t   name;
    size_t      i;

    for (i = 0; i < list->count; i++) {
        name = iri_charset_name(list->at[i]);
        text = apr_pstrcat(pool, text, i != 0 ? " " : "",
                           (const char *) name.data, NULL);
    }
    return text;
}


static const char *
advise_counted(apr_pool_t *pool, uint64_t number, const char *text)
{
    return apr_psprintf(pool, "%" APR_UINT64_T_FMT " %s",
                        (apr_uint64_t) number, text);
}


static void
advise_propose_names(advise_run_t *run)
{
    const advise_place_t *root = run->tree.root;

    if (root->tree.charsets.count > 1) {
        advise_propose(
            run, "iri_filename_charset", "IRIFilenameCharset",
            advise_list(run->pool, &root->tree.charsets), run->by_names,
            advise_counted(run->pool, root->group_legacy + run->tree.percent,
                           "names are in it"),
            0);
    }
    if (run->tree.form != IRI_FILENAME_ANY) {
        advise_propose(run, "iri_filename_form", "IRIFilenameForm",
                       run->tree.form == IRI_FILENAME_NFC ? "nfc" : "nfd", 0,
                       "saves lookups; remove it when names in another form "
                       "are added",
                       0);
    }
}


static void
advise_propose_charsets(advise_run_t *run)
{
    const iri_charsets_t *list = &run->with.reading.charsets;
    const char *why = "old links are likely to be in the charset of "
                      "names; a log would show it";
    uint64_t    sum = 0;
    size_t      i;

    for (i = 0; i < list->count && run->targets.requests != 0; i++) {
        why = apr_pstrcat(
            run->pool, i == 0 ? "" : why, i == 0 ? "" : ", ",
            advise_counted(run->pool, run->by_charset[i],
                           (const char *) iri_charset_name(list->at[i]).data),
            NULL);
        sum += run->by_charset[i];
    }
    if (list->count != 0) {
        advise_propose(run, "iri_charset", "IRICharset",
                       advise_list(run->pool, list), sum, why, 0);
    }
    if (run->with.reading.invalid == IRI_INVALID_PASS) {
        advise_propose(
            run, "iri_invalid", "IRIInvalid", "pass", 0,
            advise_counted(run->pool, run->tree.undecoded,
                           "names in no known charset are found by "
                           "their octets"),
            0);
    }
}


/* The words of iri_match (repair 0) or iri_repair. */
static void
advise_propose_words(advise_run_t *run, int repair)
{
    const char *value = "", *why = "";
    uint64_t    sum = 0;
    size_t      i;

    for (i = 0; i < ADVISE_WORDS; i++) {
        if ((run->words & 1u << i) == 0 || advise_words[i].optional
            || (advise_words[i].repair != 0) != repair)
        {
            continue;
        }
        value = apr_pstrcat(run->pool, value, *value ? " " : "",
                            advise_words[i].word, NULL);
        why = apr_pstrcat(
            run->pool, why, *why ? ", " : "",
            advise_counted(run->pool, run->by_word[i], advise_words[i].why),
            NULL);
        sum += run->by_word[i];
    }
    if (*value != '\0') {
        advise_propose(run, repair ? "iri_repair" : "iri_match",
                       repair ? "IRIRepair" : "IRIMatch", value, sum, why, 0);
    }
}


/* Settings on which the administrator must decide: they are comments. */
static void
advise_propose_options(advise_run_t *run)
{
    const char *match = "";
    size_t      i;

    for (i = 0; i < ADVISE_WORDS; i++) {
        if (run->by_word[i] == 0 || advise_words[i].match == 0) {
            continue;
        }
        if (advise_words[i].optional) {
            advise_propose(
                run, "iri_match", "IRIMatch",
                apr_pstrcat(run->pool, match, advise_words[i].word, NULL),
                run->by_word[i], advise_words[i].why, 1);
        } else {
            match = apr_pstrcat(run->pool, match, advise_words[i].word, " ",
                                NULL);
        }
    }
    if (run->conf->read.host != NULL) {
        advise_propose(
            run, "iri_host", "IRIHost", "on", 0,
            apr_psprintf(
                run->pool,
                "all forms of %s; write it in the default "
                "server of the address",
                cli_printable(run->pool, cli_str(run->conf->read.host))),
            1);
    }
    if (run->with.reading.charsets.count != 0 || run->words != 0) {
        advise_propose(run, "iri_redirect", "IRIRedirect", "301", 0,
                       "tell clients the canonical address, after some days "
                       "with the lines above",
                       1);
    }
}


static void
advise_propose_all(advise_run_t *run)
{
    advise_propose(run, "iri", "IRIEngine", "on", run->by_form,
                   run->by_form != 0 ? "names in another normalization form"
                                     : "all lines below need it",
                   0);
    advise_propose_names(run);
    advise_propose_charsets(run);
    advise_propose_words(run, 0);
    advise_propose_words(run, 1);
    advise_propose_options(run);
    if (run->proposal->nelts == 1 && run->by_form == 0) {
        APR_ARRAY_IDX(run->proposal, 0, advise_setting_t)
            .why = "harmless, but no request needs it yet";
    }
}


/* ---- trouble in the tree ------------------------------------------------- */

/* The path of an entry for a person: its octets, and its name. */
static const char *
advise_entry(advise_run_t *run, const cli_directory_t *directory,
             iri_str_t octets, iri_str_t name)
{
    const char *shown;

    shown = cli_printable(
        run->pool,
        cli_str(apr_psprintf(
            run->pool, "%s%.*s",
            advise_root_path(run->pool, run->tree.current, directory->path),
            (int) octets.len, (const char *) octets.data)));
    if (name.len == 0 || iri_str_equal(octets, name)) {
        return shown;
    }
    return apr_pstrcat(run->pool, shown, " (", cli_printable(run->pool, name),
                       ")", NULL);
}


/* A visit of a directory. */
typedef struct {
    advise_run_t          *run;
    const cli_directory_t *directory;
} advise_lint_t;


static iri_status_t
advise_on_finding(void *arg, const iri_finding_t *finding)
{
    const advise_lint_t *lint = arg;
    advise_run_t        *run = lint->run;
    advise_trouble_t    *trouble = &run->trouble[finding->kind];
    const char          *text;

    if (trouble->count++ < ADVISE_EXAMPLES) {
        text = advise_entry(run, lint->directory, finding->octets,
                            finding->name.len != 0 ? finding->name
                                                   : finding->meant);
        if (finding->other.len != 0) {
            text = apr_pstrcat(run->pool, text, " and ",
                               advise_entry(run, lint->directory,
                                            finding->other,
                                            finding->other_name),
                               NULL);
        }
        trouble->example[trouble->count - 1] = text;
    }
    return IRI_OK;
}


static iri_status_t
advise_lint(void *arg, cli_directory_t *directory)
{
    advise_lint_t   lint = { arg, directory };
    advise_run_t   *run = arg;
    advise_place_t *place = advise_tree_place(&run->tree, directory->path);
    iri_lint_conf_t conf;
    iri_env_apr_t   env;

    if (directory->seen) {
        return IRI_OK;
    }
    while (place != NULL && !place->own) {
        place = place->parent;
    }
    memset(&conf, 0, sizeof(conf));
    conf.requests = &run->with.reading.charsets;
    conf.tree = place != NULL ? &place->tree : &run->tree.root->tree;
    conf.match = run->with.tree.match
                 & ~(IRI_FOLD_VARIANTS | IRI_FOLD_SPELLING);
    conf.kinds = 1u << IRI_LINT_UNREADABLE | 1u << IRI_LINT_UNREACHABLE
                 | 1u << IRI_LINT_MOJIBAKE | 1u << IRI_LINT_TWIN
                 | 1u << IRI_LINT_COLLISION | 1u << IRI_LINT_FORM;
    conf.detector = run->tree.detector;
    iri_env_apr_init(&env, directory->pool, NULL, NULL);
    env.env.fold_keys = run->conf->settings.fold_keys;
    return iri_lint(
        &env.env, &conf, (const iri_str_t *) (void *) directory->names->elts,
        (size_t) directory->names->nelts, advise_on_finding, &lint);
}


/* ---- the answer ---------------------------------------------------------- */

static const char *
advise_read_logs(advise_run_t *run)
{
    const char *wrong = NULL;
    iri_str_t   name;
    size_t      i;

    cli_targets_init(&run->targets, run->pool);
    run->targets.take = advise_take;
    run->targets.arg = run;
    run->senders[0] = cli_hash_make(run->pool);
    run->senders[1] = cli_hash_make(run->pool);
    run->tree.known = cli_hash_make(run->pool);
    for (i = 0; wrong == NULL && i < run->call->extra_count; i++) {
        name.data = (const unsigned char *) run->call->extra[i];
        name.len = strlen(run->call->extra[i]);
        wrong = cli_targets_read(&run->targets, name);
    }
    cli_targets_sort(&run->targets);
    return wrong;
}


static const char *
advise_run(advise_run_t *run)
{
    const advise_conf_t *conf = run->conf;
    const char          *wrong;
    iri_status_t         status;

    run->proposal = apr_array_make(run->pool, 8, sizeof(advise_setting_t));
    wrong = advise_read_logs(run);
    if (wrong != NULL) {
        return wrong;
    }
    run->tree.detector = cli_or_exit(
        iri_detector_create(conf->settings.common.registry));
    run->tree.settings = &conf->settings;
    run->tree.pool = run->pool;
    run->tree.roots = conf->read.roots;
    status = advise_tree_read(&run->tree);
    if (status == IRI_OK) {
        advise_evaluate(run);
        advise_propose_all(run);
        status = advise_tree_walk(&run->tree, advise_lint, run);
    }
    return status == IRI_OK ? NULL : iri_status_text(status);
}


static int
advise_answer(const void *data, cli_call_t *call)
{
    advise_run_t *run = apr_pcalloc(call->pool, sizeof(*run));

    run->conf = data;
    run->call = call;
    run->pool = call->pool;
    call->no_offset = 1;
    apr_pool_create(&run->scratch, call->pool);
    call->error = advise_run(run);
    if (call->error == NULL) {
        advise_fill(run);
    }
    call->found = run->conf->read.rules->nelts != 0
                  || (run->targets.lines != 0 && run->targets.requests == 0);
    return call->error == NULL ? 0 : -1;
}


const cli_command_t cli_advise = {
    .name = "advise",
    .operands = "[LOG ...]",
    .about = "propose a configuration for a tree and its logs",
    .help = advise_help,
    .options = advise_options,
    .size = sizeof(advise_conf_t),
    .create = advise_create,
    .ready = advise_ready,
    .answer = advise_answer,
    .show = advise_show,
};
