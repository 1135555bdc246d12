/*
 * verdict.c - a request-target -> the verdict of the core
 *
 * Calls the core in the same order as the adapters: iri_read, iri_find, iri_find
 * again after a restart, iri_found_split, iri_redirect_location.
 */

#include <string.h>
#include <sys/stat.h>

#include <apr_strings.h>

#include "base/iri_string.h"

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
    iri_str_t shown;
    int       escaped;

    if (call->trace == NULL) {
        return;
    }
    shown = (stage == IRI_STAGE_READING || stage == IRI_STAGE_RESTART)
                    && memchr(octets.data, '%', octets.len) != NULL
                ? cli_escaped(call->pool, octets)
                : cli_text(call->pool, octets, &escaped);
    fprintf(call->trace, "%s%s", cli_color(call->trace, CLI_BOLD),
            iri_stage_text(stage));
    cli_print(call->trace, shown);
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
verdict_split(cli_verdict_t *result, const iri_search_t *search,
              const iri_found_t *found)
{
    int          trace = result->apr_env.env.trace;
    iri_status_t status;

    result->apr_env.env.trace = 0;
    status = iri_found_split(result->env, search, found, &result->filename,
                             &result->path_info);
    result->apr_env.env.trace = trace;
    return status;
}


/* 1 if the path exists, or leads to a file that gets the rest as PATH_INFO. */
static int
verdict_exists(const cli_call_t *call, const cli_verdict_t *result)
{
    return result->path_info.len == 0
           || !verdict_is_directory(call, result->filename);
}


/*
 * The servers restart the request with the path that was found.  If the whole
 * path then exists, the first result stays (RESTART).  Otherwise the second
 * result is the answer: a directory was found, and the rest of the path is
 * absent or has several candidates.
 */
static iri_status_t
verdict_restart(cli_call_t *call, cli_verdict_t *result, iri_search_t *search)
{
    iri_found_t  again;
    iri_status_t status;

    search->path = result->found.path;
    search->reading = NULL;
    verdict_heading(call, IRI_STAGE_RESTART, search->path);
    status = iri_find(result->env, search, &again);
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
        status = verdict_split(result, search, &again);
    }
    if (status != IRI_OK || again.verdict == IRI_SERVE
        || (again.verdict == IRI_PASS && verdict_exists(call, result)))
    {
        return status;
    }
    again.charset = result->found.charset;
    again.repaired = result->found.repaired;
    result->found = again;
    return IRI_OK;
}


void
cli_root(const cli_settings_t *conf, iri_str_t path, iri_str_t *root,
         size_t *prefix)
{
    const cli_alias_t *alias;
    int                i;

    *root = conf->root;
    *prefix = 0;
    for (i = 0; conf->aliases != NULL && i < conf->aliases->nelts; i++) {
        alias = &APR_ARRAY_IDX(conf->aliases, i, cli_alias_t);
        if (alias->prefix.len > *prefix && path.len >= alias->prefix.len
            && memcmp(path.data, alias->prefix.data, alias->prefix.len) == 0
            && (path.len == alias->prefix.len
                || path.data[alias->prefix.len] == '/'))
        {
            *root = alias->directory;
            *prefix = alias->prefix.len;
        }
    }
}


/* Find the path below its root; without a root nothing is looked up. */
static iri_status_t
verdict_find(const cli_settings_t *conf, cli_call_t *call,
             cli_verdict_t *result)
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
    cli_root(conf, result->reading.path, &result->root, &result->prefix);
    search.root = result->root;
    search.prefix = result->prefix;
    search.path = result->reading.path;
    search.reading = &result->reading;
    verdict_heading(call, IRI_STAGE_FINDING,
                    search.root.len > 0 ? search.root : slash);
    status = iri_find(result->env, &search, &result->found);
    if (status == IRI_OK && result->found.verdict == IRI_RESTART) {
        status = verdict_restart(call, result, &search);
    }
    if (status != IRI_OK) {
        return status;
    }
    result->verdict = result->found.verdict;
    result->why = result->found.why;
    result->path = result->found.path;
    if (result->verdict == IRI_REFUSE || result->verdict == IRI_CHOOSE) {
        return IRI_OK;
    }
    return verdict_split(result, &search, &result->found);
}


/*
 * Whether the path exists.  Without a root it is assumed to exist.  PATH_INFO
 * behind a file is not confirmed, unless it is ASCII, which has one reading.
 */
static iri_presence_t
verdict_presence(const cli_settings_t *conf, const cli_call_t *call,
                 const cli_verdict_t *result)
{
    if (!conf->has_root) {
        return IRI_PRESENT;
    }
    if (result->filename.data == NULL || !verdict_exists(call, result)) {
        return IRI_ABSENT;
    }
    return iri_str_is_ascii(result->path_info) ? IRI_PRESENT
                                               : IRI_UNCONFIRMED;
}


/* Compute the Location of iri_redirect; that of a directory ends with "/". */
static iri_status_t
verdict_locate(const cli_settings_t *conf, const cli_call_t *call,
               cli_verdict_t *result)
{
    iri_redirect_t redirect;

    memset(&redirect, 0, sizeof(redirect));
    redirect.reading = &result->reading;
    redirect.sent = result->target.request.target;
    redirect.path = result->path;
    redirect.has_query = result->target.has_query;
    redirect.query = result->target.query;
    if (!iri_may_redirect(conf->method, &redirect,
                          verdict_presence(conf, call, result)))
    {
        return IRI_OK;
    }
    redirect.slash = result->path.len > 0
                     && result->path.data[result->path.len - 1] != '/'
                     && result->path_info.len == 0
                     && verdict_is_directory(call, result->filename);
    return iri_redirect_location(result->env, &redirect, &result->location);
}


static iri_status_t
verdict_target(const cli_settings_t *conf, cli_call_t *call,
               cli_verdict_t *result)
{
    iri_status_t status;

    verdict_heading(call, IRI_STAGE_READING, result->target.request.path);
    status = iri_read(result->env, &conf->reading, &result->target.request,
                      &result->reading);
    if (status != IRI_OK) {
        return status;
    }
    result->verdict = result->reading.verdict;
    result->why = result->reading.why;
    result->path = result->reading.path;
    result->uri = result->reading.uri;
    if (result->verdict == IRI_REFUSE) {
        return IRI_OK;
    }
    if (result->reading.form != IRI_FORM_ASCII
        && result->reading.form != IRI_FORM_INVALID)
    {
        /* A reading keeps the escapes of the request, needless ones, too. */
        status = iri_uri_normalize(result->env, result->reading.uri,
                                   &result->uri);
        if (status != IRI_OK) {
            return status;
        }
    }
    status = verdict_find(conf, call, result);
    if (status == IRI_OK
        && !iri_str_equal(result->path, result->reading.path)) {
        status = iri_path_to_uri(result->env, result->path, &result->uri);
    }
    if (status != IRI_OK || result->verdict == IRI_REFUSE
        || result->verdict == IRI_CHOOSE)
    {
        return status;
    }
    return verdict_locate(conf, call, result);
}


/* Decode "%uXXXX" in the path, as mod_iri does. */
static iri_status_t
verdict_repair_u(const iri_env_t *env, apr_pool_t *pool, iri_str_t *target)
{
    iri_str_t      path = iri_before_query(*target), units;
    iri_status_t   status = iri_repair_units(env, path, &units);
    unsigned char *joined;

    if (status == IRI_OK && units.data != path.data) {
        joined = apr_palloc(pool, units.len + target->len - path.len);
        memcpy(joined, units.data, units.len);
        memcpy(joined + units.len, path.data + path.len,
               target->len - path.len);
        target->len += units.len - path.len;
        target->data = joined;
    }
    return status;
}


/*
 * Set the form and charset.  If the entry was found in another charset than
 * that of the reading, it was found by an alternative reading.
 */
static void
verdict_form(const cli_call_t *call, cli_verdict_t *result)
{
    result->form = result->reading.form;
    result->charset = result->reading.charset;
    if (result->found.charset.data != NULL) {
        result->charset = result->found.charset;
        if (!iri_str_equal(result->charset, result->reading.charset)) {
            result->form = IRI_FORM_LEGACY;
        }
    }
    if (result->found.repaired != IRI_FORM_ASCII) {
        result->form = result->found.repaired;
    }
    result->exists = result->filename.data != NULL
                     && verdict_exists(call, result);
}


int
cli_verdict(const cli_settings_t *conf, cli_call_t *call, iri_str_t target,
            cli_verdict_t *result)
{
    iri_status_t status = IRI_OK;

    memset(result, 0, sizeof(*result));
    iri_env_apr_init(&result->apr_env, call->pool,
                     call->trace ? verdict_trace : NULL, call);
    result->apr_env.env.trace = call->trace != NULL;
    result->apr_env.env.fold_keys = conf->fold_keys;
    result->env = &result->apr_env.env;
    if (conf->tree.repair & IRI_REPAIR_U) {
        status = verdict_repair_u(result->env, call->pool, &target);
    }
    if (status == IRI_OK) {
        call->error = cli_target_read(call->pool, target, conf->escaped,
                                      &result->target, &call->offset);
        if (call->error != NULL) {
            return -1;
        }
        status = verdict_target(conf, call, result);
    }
    if (status == IRI_OK && conf->has_query && result->target.has_query) {
        verdict_heading(call, IRI_STAGE_QUERY, result->target.query);
        status = iri_query_read(result->env, &conf->query,
                                result->target.query, &result->query);
    }
    if (status != IRI_OK) {
        return cli_fail(call, status);
    }
    verdict_form(call, result);
    return 0;
}
