/*
 * iri_log_report.c - what would have been done of a request
 *
 * The end is what counts: a directory that is found under another name is no
 * gain where nothing is below it.
 */

#include "tree/iri_tree.h"
#include "request/iri_request.h"


typedef enum { IRI_END_ABSENT, IRI_END_THERE, IRI_END_UNKNOWN } iri_end_t;


/* Is it there, or a file that may take the rest as PATH_INFO? */
static iri_status_t
iri_report_look(const iri_env_t *env, const iri_search_t *search,
                const iri_found_t *found, iri_end_t *end)
{
    iri_finder_t finder;
    iri_node_t   node;
    iri_str_t    entry, rest;
    iri_buf_t    path = IRI_BUF_EMPTY;
    iri_status_t status;

    status = iri_found_split(env, search, found, &entry, &rest);

    if (status == IRI_IO_FAILED) {
        *end = IRI_END_UNKNOWN;
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
    status = iri_lookup(&finder, &path, &node);

    *end = rest.len == 0 || node.kind != IRI_NODE_DIR ? IRI_END_THERE
                                                      : IRI_END_ABSENT;
    return status;
}


static const char *
iri_report_pass(const iri_report_t *report, iri_end_t end)
{
    if (end == IRI_END_ABSENT) {
        return "find nothing as ";
    }

    return end == IRI_END_THERE && report->again != NULL ? "start over as "
                                                         : "pass on ";
}


/* What stands before the path. */
static iri_status_t
iri_report_doing(const iri_env_t *env, const iri_report_t *report,
                 const iri_found_t *found, const char **doing)
{
    iri_end_t    end = IRI_END_UNKNOWN;
    iri_status_t status = IRI_OK;

    *doing = report->reading->verdict == IRI_REFUSE ? "refuse " : "pass on ";

    if (found == NULL) {
        return IRI_OK;
    }

    switch (found->verdict) {
    case IRI_SERVE:
        *doing = report->again != NULL ? "start over as " : "serve ";
        break;
    case IRI_CHOOSE:
        *doing = found->count != 0 ? "offer a choice for "
                                   : "find several names for ";
        break;
    case IRI_REFUSE:
        *doing = "refuse ";
        break;
    case IRI_PASS:
        status = iri_report_look(env, report->search, found, &end);
        *doing = iri_report_pass(report, end);
        break;
    default: /* it is started over once */
        *doing = "find nothing as ";
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
    const iri_found_t     *end = report->again != NULL ? report->again
                                                       : report->found;
    const iri_found_t     *cause;
    iri_str_t              charset = reading->charset;
    iri_str_t              path = end != NULL ? end->path : reading->path;
    iri_form_t             form = reading->form;
    iri_why_t              why;
    iri_shown_t            shown, file;
    const char            *doing;
    iri_status_t status = iri_report_doing(env, report, end, &doing);

    if (status != IRI_OK) {
        return status;
    }

    /* what is found after all was found by the first search */
    cause = doing[0] == 's' ? report->found : end;
    why = cause != NULL ? cause->why : reading->why;

    if (report->found != NULL && report->found->charset.len != 0) {
        charset = report->found->charset;
    }

    if (report->found != NULL && report->found->repaired != IRI_FORM_ASCII) {
        form = report->found->repaired;
    }

    iri_show_sent(&file, none);
    if (end != NULL && end->filename.len != 0) {
        iri_show(&file, end->filename);
    }

    iri_show_sent(&shown, none);
    if (path.len != 0) {
        iri_show(&shown, path);
    }

    iri_note_would(
        notes, iri_why_code(why), 1,
        "would %s\"%s\": form %s, charset \"%.*s\", match %s, %s, file \"%s\"",
        doing, shown.text, iri_form_text(form), (int) charset.len,
        charset.len != 0 ? (const char *) charset.data : "",
        iri_match_text(cause != NULL ? cause->match : IRI_MATCH_NONE),
        iri_why_text(why), file.text);

    return IRI_OK;
}
