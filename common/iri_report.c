/*
 * iri_report.c - what would have been done of a request, as a line of a log
 *
 * Both servers say it in the same words.  The end is what counts: a directory
 * that is found under another name is no gain where nothing is below it.
 */

#include "iri_int.h"


typedef enum { IRI_END_ABSENT, IRI_END_THERE, IRI_END_UNKNOWN } iri_end_t;


static iri_status_t
iri_report_put(const iri_env_t *env, iri_buf_t *out, const char *text)
{
    return iri_buf_put(env, out, (const unsigned char *) text, strlen(text));
}


/* Nothing in it can end the line, nor the quotes that it stands in. */
static iri_status_t
iri_report_quote(const iri_env_t *env, iri_buf_t *out, iri_str_t octets)
{
    iri_str_t    text = IRI_STR("-");
    iri_status_t status = IRI_OK;

    if (octets.len != 0) {
        status = iri_path_to_uri(env, octets, &text);
    }
    if (status == IRI_OK) {
        status = iri_buf_putc(env, out, '"');
    }
    if (status == IRI_OK) {
        status = iri_buf_put(env, out, text.data, text.len);
    }

    return status == IRI_OK ? iri_buf_putc(env, out, '"') : status;
}


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
    status = iri_look(&finder, &path, &node);

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

    *doing = report->reading->answer == IRI_REFUSE ? "refuse " : "pass on ";

    if (found == NULL) {
        return IRI_OK;
    }

    switch (found->answer) {
    case IRI_SERVE:
        *doing = report->again != NULL ? "start over as " : "serve ";
        break;
    case IRI_CHOOSE:
        *doing = report->search->tree->ambiguous == IRI_AMBIGUOUS_300
                     ? "offer a choice for "
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


/* How it came, and why. */
static iri_status_t
iri_report_details(const iri_env_t *env, const iri_report_t *report,
                   const iri_found_t *found, iri_buf_t *out)
{
    const iri_reading_t *reading = report->reading;
    iri_str_t            charset = reading->charset;
    iri_why_t            why = found != NULL ? found->why : reading->why;
    iri_match_t  match = found != NULL ? found->match : IRI_MATCH_NONE;
    iri_status_t status;

    if (report->found != NULL && report->found->charset.len != 0) {
        charset = report->found->charset;
    }

    status = iri_report_put(env, out, ": form ");

    if (status == IRI_OK) {
        status = iri_report_put(env, out, iri_form_text(reading->form));
    }
    if (status == IRI_OK) {
        status = iri_report_put(env, out, ", charset \"");
    }
    if (status == IRI_OK) {
        status = iri_buf_put(env, out, charset.data, charset.len);
    }
    if (status == IRI_OK) {
        status = iri_report_put(env, out, "\", match ");
    }
    if (status == IRI_OK) {
        status = iri_report_put(env, out, iri_match_text(match));
    }
    if (status == IRI_OK) {
        status = iri_report_put(env, out, ", ");
    }

    return status == IRI_OK ? iri_report_put(env, out, iri_why_text(why))
                            : status;
}


iri_status_t
iri_report_line(const iri_env_t *env, const iri_report_t *report,
                iri_str_t *line)
{
    static const iri_str_t none = { 0, NULL };
    const iri_found_t     *end = report->again != NULL ? report->again
                                                       : report->found;
    iri_buf_t              out = IRI_BUF_EMPTY;
    const char            *doing;
    iri_status_t           status;

    status = iri_report_doing(env, report, end, &doing);

    if (status == IRI_OK) {
        status = iri_report_put(env, &out, "iri: report: would ");
    }
    if (status == IRI_OK) {
        status = iri_report_put(env, &out, doing);
    }
    if (status == IRI_OK) {
        status = iri_report_quote(
            env, &out, end != NULL ? end->path : report->reading->path);
    }
    if (status == IRI_OK) {
        /* what is found after all was found by the first search */
        status = iri_report_details(
            env, report, doing[0] == 's' ? report->found : end, &out);
    }
    if (status == IRI_OK) {
        status = iri_report_put(env, &out, ", file ");
    }
    if (status == IRI_OK) {
        status = iri_report_quote(env, &out,
                                  end != NULL ? end->filename : none);
    }
    if (status == IRI_OK) {
        *line = iri_buf_str(&out);
    }

    return status;
}
