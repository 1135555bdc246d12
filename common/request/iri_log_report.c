/*
 * iri_log_report.c - report mode: lookups of a request, and the note on them
 *
 * Does the lookups of a request without changing the request.  The note about
 * the path states what the module would have done.  If the request would
 * restart, the result of the second search counts, because a directory that is
 * found under another name may not contain the entry.
 */

#include "tree/iri_tree.h"
#include "request/iri_state.h"


/* Whether a path names an entry. */
typedef enum {
    IRI_OUTCOME_ABSENT,
    IRI_OUTCOME_PRESENT,
    IRI_OUTCOME_UNKNOWN
} iri_outcome_t;


/* Look up the path of *found; a file with a PATH_INFO counts as present. */
static iri_status_t
iri_report_lookup(const iri_env_t *env, const iri_search_t *search,
                  const iri_found_t *found, iri_outcome_t *outcome)
{
    iri_finder_t finder;
    iri_node_t   node;
    iri_str_t    entry, rest;
    iri_buf_t    path = IRI_BUF_EMPTY;
    iri_status_t status;

    status = iri_found_split(env, search, found, &entry, &rest);

    if (status == IRI_IO_FAILED) {
        *outcome = IRI_OUTCOME_UNKNOWN;
        return IRI_OK;
    }
    if (status == IRI_OK) {
        status = iri_buf_put(env, &path, entry.data, entry.len);
    }
    if (status != IRI_OK) {
        return status;
    }

    memset(&finder, 0, sizeof(finder));
    finder.env = env;
    status = iri_finder_stat(&finder, &path, &node);

    *outcome = rest.len == 0 || node.kind != IRI_NODE_DIR
                   ? IRI_OUTCOME_PRESENT
                   : IRI_OUTCOME_ABSENT;
    return status;
}


static const char iri_restart_as[] = "restart as ";


static const char *
iri_report_pass_action(const iri_report_t *report, iri_outcome_t outcome)
{
    if (outcome == IRI_OUTCOME_ABSENT) {
        return "find nothing as ";
    }

    return outcome == IRI_OUTCOME_PRESENT && report->again != NULL
               ? iri_restart_as
               : "pass on ";
}


/* The verb before the path in the note. */
static iri_status_t
iri_report_action(const iri_env_t *env, const iri_report_t *report,
                  const iri_found_t *found, const char **action)
{
    iri_outcome_t outcome = IRI_OUTCOME_UNKNOWN;
    iri_status_t  status = IRI_OK;

    *action = report->reading->verdict == IRI_REFUSE ? "refuse " : "pass on ";

    if (found == NULL) {
        return IRI_OK;
    }

    switch (found->verdict) {
    case IRI_SERVE:
        *action = report->again != NULL ? iri_restart_as : "serve ";
        break;
    case IRI_CHOOSE:
        *action = found->count != 0 ? "offer a choice for "
                                    : "find several names for ";
        break;
    case IRI_REFUSE:
        *action = "refuse ";
        break;
    case IRI_PASS:
        status = iri_report_lookup(env, report->search, found, &outcome);
        *action = iri_report_pass_action(report, outcome);
        break;
    default: /* RESTART: a second restart is not possible */
        *action = "find nothing as ";
        break;
    }

    return status;
}


iri_status_t
iri_note_report(const iri_env_t *env, iri_notes_t *notes,
                const iri_report_t *report)
{
    static const iri_str_t none = IRI_STR("-");
    const iri_reading_t   *reading = report->reading;
    const iri_found_t     *last = report->again != NULL ? report->again
                                                        : report->found;
    const iri_found_t     *cause;
    iri_str_t              charset = reading->charset;
    iri_str_t              path = last != NULL ? last->path : reading->path;
    iri_form_t             form = reading->form;
    iri_why_t              why;
    iri_shown_t            shown, file;
    const char            *action;
    iri_status_t status = iri_report_action(env, report, last, &action);

    if (status != IRI_OK) {
        return status;
    }

    /* The reason and the match of a restart are those of the first search. */
    cause = action == iri_restart_as ? report->found : last;
    why = cause != NULL ? cause->why : reading->why;

    if (report->found != NULL && report->found->charset.len != 0) {
        charset = report->found->charset;
    }

    if (report->found != NULL && report->found->repaired != IRI_FORM_ASCII) {
        form = report->found->repaired;
    }

    iri_show_sent(&file, none);
    if (last != NULL && last->filename.len != 0) {
        iri_show(&file, last->filename);
    }

    iri_show_sent(&shown, none);
    if (path.len != 0) {
        iri_show(&shown, path);
    }

    iri_note_would(
        notes, iri_why_code(why), 1,
        "would %s\"%s\": form %s, charset \"%.*s\", match %s, %s, file \"%s\"",
        action, shown.text, iri_form_text(form), (int) charset.len,
        charset.len != 0 ? (const char *) charset.data : "",
        iri_match_text(cause != NULL ? cause->match : IRI_MATCH_NONE),
        iri_why_text(why), file.text);

    return IRI_OK;
}


/* ---- the request --------------------------------------------------------- */

void
iri_request_report_find(iri_request_t *request, const iri_env_t *env,
                        const iri_reading_conf_t *conf, iri_str_t current,
                        iri_report_find_t find)
{
    iri_reported_t *reported = request->reported;
    iri_lookup_t   *lookup;
    iri_report_t   *report;
    int             known;

    if (reported != NULL) {
        return;
    }

    reported = env->alloc(env->ctx, sizeof(*reported));

    if (reported == NULL
        || iri_request_requested(request, env, conf, &reported->reading,
                                 &known)
               != IRI_OK
        || !known)
    {
        return;
    }

    request->reported = reported;
    report = &reported->report;
    memset(report, 0, sizeof(*report));
    report->reading = &reported->reading;

    if (reported->reading.verdict == IRI_REFUSE
        || !iri_str_equal(current, reported->reading.octets))
    {
        return;
    }

    lookup = find(env->ctx, reported->reading.path);
    if (lookup == NULL) {
        return;
    }

    report->found = &lookup->found;
    report->search = &lookup->search;

    if (lookup->found.verdict != IRI_RESTART) {
        return;
    }

    lookup = find(env->ctx, lookup->found.path);

    if (lookup != NULL) {
        report->again = &lookup->found;
        report->search = &lookup->search;
    }
}


void
iri_request_report_note(const iri_request_t *request, const iri_env_t *env,
                        iri_notes_t *notes)
{
    if (iri_request_is_reported(request)) {
        (void) iri_note_report(env, notes, &request->reported->report);
    }
}


void
iri_request_report(iri_request_t *request, const iri_env_t *env)
{
    if (iri_request_is_reported(request) && request->notes == NULL) {
        request->notes = iri_notes_create(env);
    }

    if (request->notes != NULL) {
        iri_request_report_note(request, env, request->notes);
    }
}
