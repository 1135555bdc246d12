/*
 * targets.c - the request-targets of access logs, each with its requests
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "base/iri_string.h"

#include "cli.h"

/* The targets that are stored, and their octets: memory is bounded. */
#define TARGETS_MAX        1000000
#define TARGETS_MAX_OCTETS (128 * 1024 * 1024)


iri_str_t
cli_copy(apr_pool_t *pool, iri_str_t text)
{
    text.data = apr_pmemdup(pool, text.data, text.len);
    return text;
}


void
cli_targets_init(cli_targets_t *targets, apr_pool_t *pool)
{
    memset(targets, 0, sizeof(*targets));
    targets->pool = pool;
    targets->by_octets = cli_hash_make(pool);
    targets->list = apr_array_make(pool, 1024, sizeof(cli_target_row_t *));
}


cli_target_row_t *
cli_targets_add(cli_targets_t *targets, iri_str_t octets)
{
    cli_target_row_t *row = cli_hash_get(targets->by_octets, octets);

    targets->taken++;
    if (row == NULL) {
        if (targets->list->nelts == TARGETS_MAX
            || octets.len > TARGETS_MAX_OCTETS - targets->octets)
        {
            targets->dropped++;
            return NULL;
        }
        targets->octets += octets.len;
        row = apr_pcalloc(targets->pool, sizeof(*row));
        row->octets = cli_copy(targets->pool, octets);
        cli_hash_set(targets->by_octets, row->octets, row);
        APR_ARRAY_PUSH(targets->list, cli_target_row_t *) = row;
    }
    row->requests++;
    return row;
}


static void
targets_read_lines(cli_targets_t *targets, gzFile file, apr_pool_t *pool)
{
    char         *line = apr_palloc(targets->pool, CLI_LOG_LINE);
    cli_request_t request;
    size_t        len;
    int           begins, complete = 1;

    /* A line that is longer than the buffer is not a request. */
    while ((len = cli_log_gets(file, line, CLI_LOG_LINE)) != 0) {
        begins = complete;
        complete = line[len - 1] == '\n' || gzeof(file);
        targets->lines++;
        if (begins && complete && cli_log_parse(pool, line, len, &request)) {
            targets->requests++;
            targets->take(targets->arg, &request);
        }
        apr_pool_clear(pool);
    }
}


const char *
cli_targets_read(cli_targets_t *targets, iri_str_t name)
{
    apr_finfo_t info;
    apr_pool_t *pool;
    gzFile      log;
    int         error;
    const char *file, *shown = cli_printable(targets->pool, name);

    if (name.len == 0 || memchr(name.data, '\0', name.len) != NULL) {
        return "the name of the log is empty or contains a NUL";
    }
    file = apr_pstrmemdup(targets->pool, (const char *) name.data, name.len);
    memset(&info, 0, sizeof(info));
    (void) apr_stat(&info, file, APR_FINFO_TYPE, targets->pool);
    if (info.filetype == APR_DIR) {
        return apr_psprintf(targets->pool,
                            "\"%s\" is a directory: give a log file", shown);
    }
    log = gzopen(file, "rb");
    if (log == NULL) {
        return apr_psprintf(targets->pool, "cannot read \"%s\": %s", shown,
                            strerror(errno));
    }
    gzbuffer(log, 256 * 1024);
    apr_pool_create(&pool, targets->pool);
    targets_read_lines(targets, log, pool);
    apr_pool_destroy(pool);
    gzerror(log, &error);
    gzclose_r(log);
    return error >= 0
               ? NULL
               : apr_psprintf(
                   targets->pool,
                   "cannot read \"%s\" to its end: it is truncated, corrupt, "
                   "or not a file",
                   shown);
}


/* Compare by requests, descending, then by octets, for qsort. */
static int
targets_order(const void *a, const void *b)
{
    const cli_target_row_t *one = *(cli_target_row_t *const *) a;
    const cli_target_row_t *two = *(cli_target_row_t *const *) b;

    if (one->requests != two->requests) {
        return one->requests > two->requests ? -1 : 1;
    }
    return iri_str_compare(one->octets, two->octets);
}


void
cli_targets_sort(cli_targets_t *targets)
{
    qsort(targets->list->elts, (size_t) targets->list->nelts,
          sizeof(cli_target_row_t *), targets_order);
}


/* ---- outcomes ------------------------------------------------------------ */

static const char *const targets_outcome_texts[CLI_OUTCOMES] = {
    "there", "found", "moved", "choice", "refused", "absent"
};


const char *
cli_outcome_text(cli_outcome_t outcome)
{
    return targets_outcome_texts[outcome];
}


cli_outcome_t
cli_outcome(const cli_verdict_t *x)
{
    switch (x->verdict) {
    case IRI_REFUSE:
        return CLI_REFUSED;
    case IRI_CHOOSE:
        return CLI_CHOICE;
    default:
        if (!x->exists) {
            return CLI_ABSENT;
        }
        if (x->verdict == IRI_RESTART) {
            return CLI_MOVED;
        }
        /* The server finds an exact name without the module. */
        return x->found.match == IRI_MATCH_NONE
                       || x->found.match == IRI_MATCH_EXACT
                   ? CLI_THERE
                   : CLI_FOUND;
    }
}


int
cli_outcome_answers(cli_outcome_t outcome)
{
    return outcome <= CLI_CHOICE;
}


int
cli_try(const cli_settings_t *settings, apr_pool_t *pool, iri_str_t octets,
        cli_verdict_t *x)
{
    cli_call_t call;

    memset(&call, 0, sizeof(call));
    call.pool = pool;
    return cli_verdict(settings, &call, octets, x);
}


cli_outcome_t
cli_trial(const cli_settings_t *settings, apr_pool_t *pool, iri_str_t octets,
          cli_verdict_t *x)
{
    cli_outcome_t outcome = CLI_REFUSED;

    if (cli_try(settings, pool, octets, x) == 0) {
        outcome = cli_outcome(x);
    }
    return cli_outcome_answers(outcome) && x->path_info.len != 0
                   && outcome != CLI_CHOICE
               ? CLI_ABSENT
               : outcome;
}


uint64_t
cli_trial_all(const cli_settings_t *settings, apr_pool_t *scratch,
              const apr_array_header_t *list, apr_array_header_t **open)
{
    apr_array_header_t *left = apr_array_make(list->pool, 64,
                                              sizeof(cli_target_row_t *));
    cli_target_row_t   *row;
    cli_verdict_t       x;
    uint64_t            answered = 0;
    int                 i;

    for (i = 0; i < list->nelts; i++) {
        row = APR_ARRAY_IDX(list, i, cli_target_row_t *);
        if (cli_outcome_answers(
                cli_trial(settings, scratch, row->octets, &x))) {
            answered += row->requests;
        } else {
            APR_ARRAY_PUSH(left, cli_target_row_t *) = row;
        }
        apr_pool_clear(scratch);
    }
    *open = left;
    return answered;
}
