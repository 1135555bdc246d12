/*
 * verdict.c - a request-target -> the verdict of the core
 *
 * Does what the adapters do, in the same order: iri_read, iri_find, iri_find
 * again after a restart, iri_found_split, iri_redirect_location.
 */

#include <string.h>
#include <sys/stat.h>

#include <apr_strings.h>

#include "cli.h"


static void
verdict_trace(void *arg, iri_log_level_t level, iri_str_t line)
{
    cli_call_t *call = arg;

    /* verdict_heading() prints the stages, and the command the answer. */
    if (level == IRI_LOG_STAGE) {
        return;
    }
    fputs("  ", call->trace);
    cli_print(call->trace, line);
    putc('\n', call->trace);
}


/* Print a stage and its octets, escaped as in the answer.  A path with "%" is
   escaped as a whole, so that it can be copied as a target. */
static void
verdict_heading(cli_call_t *call, iri_stage_t stage, iri_str_t octets)
{
    iri_str_t   shown = { 0, NULL };
    const char *text;
    int         escaped;

    if (call->trace == NULL) {
        return;
    }
    text = (stage == IRI_STAGE_READING || stage == IRI_STAGE_RESTART)
                   && memchr(octets.data, '%', octets.len) != NULL
               ? cli_escaped(call->pool, octets, &shown.len)
               : cli_text(call->pool, octets, &shown.len, &escaped);
    shown.data = (const unsigned char *) text;
    fprintf(call->trace, "%s%s", cli_color(call->trace, CLI_BOLD),
            iri_stage_text(stage));
    cli_print(call->trace, shown.data != NULL ? shown : octets);
    fprintf(call->trace, "%s\n", cli_color(call->trace, CLI_RESET));
}


static int
verdict_is_directory(const cli_call_t *call, iri_str_t filename)
{
    struct stat st;

    return filename.data != NULL
           && stat(apr_pstrmemdup(call->pool, (const char *) filename.data,
                                  filename.len),
                   &st)
                  == 0
           && S_ISDIR(st.st_mode);
}


/* iri_found_split() repeats lookups of iri_find(), so they are not traced. */
static iri_status_t
verdict_split(cli_verdict_t *x, const iri_search_t *search,
              const iri_found_t *found)
{
    int          trace = x->apr_env.env.trace;
    iri_status_t status;

    x->apr_env.env.trace = 0;
    status = iri_found_split(x->env, search, found, &x->filename,
                             &x->path_info);
    x->apr_env.env.trace = trace;
    return status;
}


/* 1 if the path exists, or leads to a file that gets the rest as PATH_INFO. */
static int
verdict_exists(const cli_call_t *call, const cli_verdict_t *x)
{
    return x->path_info.len == 0 || !verdict_is_directory(call, x->filename);
}


/*
 * The servers restart the request with the path that was found.  If the whole
 * path then exists, the first result stays (RESTART).  Otherwise the second
 * result is the answer: a directory was found, and the rest of the path is
 * absent or has several candidates.
 */
static iri_status_t
verdict_restart(cli_call_t *call, cli_verdict_t *x, iri_search_t *search)
{
    iri_found_t  again;
    iri_status_t status;

    search->path = x->found.path;
    search->reading = NULL;
    verdict_heading(call, IRI_STAGE_RESTART, search->path);
    status = iri_find(x->env, search, &again);
    if (status != IRI_OK) {
        return status;
    }
    if (again.verdict == IRI_RESTART) {
        /* The servers restart a request only once. */
        again.verdict = IRI_PASS;
        again.why = IRI_WHY_ABSENT;
        again.path = search->path;
    }
    if (again.verdict == IRI_PASS) {
        status = verdict_split(x, search, &again);
    }
    if (status != IRI_OK || again.verdict == IRI_SERVE
        || (again.verdict == IRI_PASS && verdict_exists(call, x)))
    {
        return status;
    }
    again.charset = x->found.charset;
    again.repaired = x->found.repaired;
    x->found = again;
    return IRI_OK;
}


/* Find the path below the root; without a root nothing is looked up. */
static iri_status_t
verdict_find(const cli_settings_t *conf, cli_call_t *call, cli_verdict_t *x)
{
    static const iri_str_t slash = IRI_STR("/");
    iri_search_t           search;
    iri_status_t           status;

    if (!conf->has_root) {
        return IRI_OK;
    }
    memset(&search, 0, sizeof(search));
    search.tree = &conf->tree;
    search.settings_of = conf->settings_of;
    search.settings_data = conf->settings_data;
    search.cache = conf->cache;
    search.write = iri_method_writes(conf->method);
    search.root = conf->root;
    search.path = x->reading.path;
    search.reading = &x->reading;
    verdict_heading(call, IRI_STAGE_FINDING,
                    conf->root.len > 0 ? conf->root : slash);
    status = iri_find(x->env, &search, &x->found);
    if (status == IRI_OK && x->found.verdict == IRI_RESTART) {
        status = verdict_restart(call, x, &search);
    }
    if (status != IRI_OK) {
        return status;
    }
    x->verdict = x->found.verdict;
    x->why = x->found.why;
    x->path = x->found.path;
    if (x->verdict == IRI_REFUSE || x->verdict == IRI_CHOOSE) {
        return IRI_OK;
    }
    return verdict_split(x, &search, &x->found);
}


/*
 * Whether the path exists.  Without a root it is assumed to exist.  PATH_INFO
 * behind a file is not confirmed, unless it is ASCII, which has one reading.
 */
static iri_presence_t
verdict_presence(const cli_settings_t *conf, const cli_call_t *call,
                 const cli_verdict_t *x)
{
    if (!conf->has_root) {
        return IRI_PRESENT;
    }
    if (x->filename.data == NULL || !verdict_exists(call, x)) {
        return IRI_ABSENT;
    }
    return iri_str_is_ascii(x->path_info) ? IRI_PRESENT : IRI_UNCONFIRMED;
}


/* Compute the Location of iri_redirect; that of a directory ends with "/". */
static iri_status_t
verdict_locate(const cli_settings_t *conf, const cli_call_t *call,
               cli_verdict_t *x)
{
    iri_redirect_t redirect;

    memset(&redirect, 0, sizeof(redirect));
    redirect.reading = &x->reading;
    redirect.sent = x->target.request.target;
    redirect.path = x->path;
    redirect.has_query = x->target.has_query;
    redirect.query = x->target.query;
    if (!iri_may_redirect(conf->method, &redirect,
                          verdict_presence(conf, call, x)))
    {
        return IRI_OK;
    }
    redirect.slash = x->path.len > 0 && x->path.data[x->path.len - 1] != '/'
                     && x->path_info.len == 0
                     && verdict_is_directory(call, x->filename);
    return iri_redirect_location(x->env, &redirect, &x->location);
}


static iri_status_t
verdict_target(const cli_settings_t *conf, cli_call_t *call, cli_verdict_t *x)
{
    iri_status_t status;

    verdict_heading(call, IRI_STAGE_READING, x->target.request.path);
    status = iri_read(x->env, &conf->reading, &x->target.request,
                      &x->reading);
    if (status != IRI_OK) {
        return status;
    }
    x->verdict = x->reading.verdict;
    x->why = x->reading.why;
    x->path = x->reading.path;
    x->uri = x->reading.uri;
    if (x->verdict == IRI_REFUSE) {
        return IRI_OK;
    }
    if (x->reading.form != IRI_FORM_ASCII
        && x->reading.form != IRI_FORM_INVALID) {
        /* A reading keeps the escapes of the request, needless ones, too. */
        status = iri_uri_normalize(x->env, x->reading.uri, &x->uri);
        if (status != IRI_OK) {
            return status;
        }
    }
    status = verdict_find(conf, call, x);
    if (status == IRI_OK && !cli_octets_equal(x->path, x->reading.path)) {
        status = iri_path_to_uri(x->env, x->path, &x->uri);
    }
    if (status != IRI_OK || x->verdict == IRI_REFUSE
        || x->verdict == IRI_CHOOSE) {
        return status;
    }
    return verdict_locate(conf, call, x);
}


/* Decode "%uXXXX" in the path, as mod_iri does. */
static iri_status_t
verdict_repair_u(const iri_env_t *env, iri_str_t *target)
{
    iri_str_t            path = *target, units;
    const unsigned char *query = memchr(path.data, '?', path.len);
    iri_status_t         status;
    unsigned char       *joined;

    if (query != NULL) {
        path.len = (size_t) (query - path.data);
    }
    status = iri_repair_units(env, path, &units);
    if (status != IRI_OK || units.data == path.data) {
        return status;
    }
    joined = env->alloc(env->ctx, units.len + target->len - path.len);
    if (joined == NULL) {
        return IRI_NO_MEMORY;
    }
    memcpy(joined, units.data, units.len);
    memcpy(joined + units.len, path.data + path.len, target->len - path.len);
    target->len += units.len - path.len;
    target->data = joined;
    return IRI_OK;
}


/*
 * Set the form and charset.  If the entry was found in another charset than
 * that of the reading, it was found by an alternative reading.
 */
static void
verdict_form(const cli_call_t *call, cli_verdict_t *x)
{
    x->form = x->reading.form;
    x->charset = x->reading.charset;
    if (x->found.charset.data != NULL) {
        x->charset = x->found.charset;
        if (!cli_octets_equal(x->charset, x->reading.charset)) {
            x->form = IRI_FORM_LEGACY;
        }
    }
    if (x->found.repaired != IRI_FORM_ASCII) {
        x->form = x->found.repaired;
    }
    x->exists = x->filename.data != NULL && verdict_exists(call, x);
}


int
cli_verdict(const cli_settings_t *conf, cli_call_t *call, iri_str_t target,
            cli_verdict_t *x)
{
    iri_status_t status = IRI_OK;

    memset(x, 0, sizeof(*x));
    iri_env_apr_init(&x->apr_env, call->pool,
                     call->trace ? verdict_trace : NULL, call);
    x->apr_env.env.trace = call->trace != NULL;
    x->apr_env.env.fold_keys = conf->fold_keys;
    x->env = &x->apr_env.env;
    if (conf->tree.repair & IRI_REPAIR_U) {
        status = verdict_repair_u(x->env, &target);
    }
    if (status == IRI_OK) {
        call->error = cli_target_read(call->pool, target, conf->escaped,
                                      &x->target, &call->offset);
        if (call->error != NULL) {
            return -1;
        }
        status = verdict_target(conf, call, x);
    }
    if (status == IRI_OK && conf->has_query && x->target.has_query) {
        verdict_heading(call, IRI_STAGE_QUERY, x->target.query);
        status = iri_query_read(x->env, &conf->query, x->target.query,
                                &x->query);
    }
    if (status != IRI_OK) {
        call->error = iri_status_text(status);
        return -1;
    }
    verdict_form(call, x);
    return 0;
}
