/*
 * iri_request.c - the state of a request
 *
 * Reads the paths of a request, decides whether it restarts and which names a
 * response may reveal (design 5.6 and 5.7), and gives the values of variables
 * and counters.  Lookups are in iri_request_find.c.
 */

#include "tree/iri_tree.h"
#include "request/iri_state.h"


size_t
iri_request_size(void)
{
    return sizeof(iri_request_t);
}


iri_request_t *
iri_request_init(void *memory)
{
    return memset(memory, 0, sizeof(iri_request_t));
}


void
iri_request_set_report(iri_request_t *request)
{
    request->report = 1;
}


iri_state_t
iri_request_state(const iri_request_t *request)
{
    return request->state;
}


/* ---- reading ------------------------------------------------------------- */

/* Save the reading of the requested path. */
static void
iri_request_save_requested(iri_request_t       *request,
                           const iri_reading_t *reading)
{
    request->has_reading = 1;
    request->ascii.len = 0;
    request->requested = *reading;
    request->path = reading->path;
    request->form = reading->form;
    request->charset = reading->charset;
}


/* Store the result of a reading: the current path, or why it is refused. */
static void
iri_request_apply_reading(iri_request_t       *request,
                          const iri_reading_t *reading)
{
    if (reading->verdict == IRI_REFUSE) {
        request->refused = reading->why;

    } else {
        request->read_path = reading->path;
    }
}


/*
 * Before access is granted, a path that a rule makes after a restart must not
 * count: if the client's URL is ASCII, Vary would reveal that an entry was
 * found (design 5.7).
 */
static void
iri_request_note_reading(iri_request_t *request, const iri_reading_t *reading)
{
    if (request->state != IRI_STATE_RESTARTED) {
        request->varies |= iri_depends_on_charsets(reading, NULL, 1);
        request->may_vary |= iri_depends_on_charsets(reading, NULL, 0);
    }
}


void
iri_request_log_refusal(const iri_request_t *request, const iri_env_t *env)
{
    const iri_reading_t *reading = &request->last;
    iri_shown_t          shown;

    iri_logf(env,
             reading->why == IRI_WHY_LIMIT ? IRI_LOG_ERROR : IRI_LOG_INFO,
             "path \"%s\" refused: %s" IRI_LOG_REASON "%s",
             iri_show(&shown, reading->octets), iri_why_text(reading->why),
             iri_why_code(reading->why));
}


iri_status_t
iri_request_read(iri_request_t *request, const iri_env_t *env,
                 const iri_reading_conf_t  *conf,
                 const iri_received_path_t *path, iri_origin_t origin,
                 iri_verdict_t *verdict)
{
    iri_reading_t reading;
    iri_status_t  status = iri_read_path(env, conf, path, &reading);

    if (status == IRI_BAD_ESCAPE) {
        return status; /* the server refuses the path */
    }

    if (status != IRI_OK) {
        iri_logf(env, IRI_LOG_ERROR,
                 "the path could not be read: %s" IRI_LOG_REASON "%s",
                 iri_status_text(status), iri_why_code(IRI_WHY_ERROR));
        return status;
    }

    if (request->state == IRI_STATE_NEW) {
        request->state = IRI_STATE_READ;
    }

    request->read_path = path->path;
    request->refused = IRI_WHY_NONE;
    iri_request_note_reading(request, &reading);

    if (!request->has_last || reading.why != IRI_WHY_CANONICAL) {
        request->has_last = 1;
        request->last = reading;
    }

    if (origin == IRI_PATH_REQUESTED) {
        iri_request_save_requested(request, &reading);
    }

    *verdict = IRI_PASS;

    if (!request->report) {
        *verdict = reading.verdict;
        iri_request_apply_reading(request, &reading);
    }

    return IRI_OK;
}


void
iri_request_set_canonical(iri_request_t *request, iri_str_t path)
{
    if (request->state == IRI_STATE_NEW) {
        request->state = IRI_STATE_READ;
    }

    request->refused = IRI_WHY_NONE;
    request->path = path;
    request->read_path = path;
}


void
iri_request_set_ascii(iri_request_t *request, iri_str_t path)
{
    iri_request_set_canonical(request, path);
    request->ascii = path;
}


void
iri_request_set_read(iri_request_t *request, iri_str_t path)
{
    request->read_path = path;
}


const iri_reading_t *
iri_request_requested_reading(const iri_request_t *request)
{
    return request->has_reading ? &request->requested : NULL;
}


int
iri_request_is_utf8(const iri_request_t *request, iri_str_t path)
{
    const iri_reading_t *reading = &request->requested;

    return request->has_reading && reading->verdict != IRI_REFUSE
           && (reading->form == IRI_FORM_NATIVE
               || reading->form == IRI_FORM_ESCAPED
               || reading->form == IRI_FORM_MIXED)
           && iri_str_equal(path, reading->path)
           && !iri_has_dot_segment(path);
}


int
iri_request_is_read(const iri_request_t *request, iri_str_t path)
{
    return iri_str_equal(request->read_path, path);
}


const iri_reading_t *
iri_request_reading(const iri_request_t *request)
{
    return request->has_last ? &request->last : NULL;
}


iri_status_t
iri_request_requested(const iri_request_t *request, const iri_env_t *env,
                      const iri_reading_conf_t *conf, iri_reading_t *out,
                      int *known)
{
    iri_received_path_t path;

    *known = request->has_reading || request->ascii.len != 0;

    if (request->has_reading) {
        *out = request->requested;
        return IRI_OK;
    }

    if (request->ascii.len == 0) {
        return IRI_OK;
    }

    memset(&path, 0, sizeof(path));
    path.path = request->ascii;

    return iri_read_path(env, conf, &path, out);
}


/* ---- access -------------------------------------------------------------- */

void
iri_request_forget_lookups(iri_request_t *request)
{
    request->lookups = NULL;
}


void
iri_request_granted(iri_request_t *request)
{
    if (request->state == IRI_STATE_DENIED) {
        return;
    }

    request->state = IRI_STATE_GRANTED;

    /* With other charsets the restart might have found another entry. */
    request->varies |= request->may_vary
                       && iri_request_has_restarted(request);
}


void
iri_request_redirected_inside(iri_request_t *request, int page)
{
    if (page || request->state != IRI_STATE_GRANTED) {
        iri_request_denied(request);
        return;
    }

    request->state = request->restart.len != 0 ? IRI_STATE_RESTARTED
                                               : IRI_STATE_READ;
}


int
iri_request_varies(const iri_request_t *request)
{
    return request->varies
           || (request->may_vary && request->state != IRI_STATE_GRANTED);
}


void
iri_request_denied(iri_request_t *request)
{
    if (request->state != IRI_STATE_GRANTED) {
        request->state = IRI_STATE_DENIED;
    }
}


int
iri_request_hides_found(const iri_request_t *request, int is_error)
{
    if (request->restart.len == 0) {
        return 0;
    }

    switch (request->state) {
    case IRI_STATE_GRANTED:
    case IRI_STATE_FINISHED:
        return 0;
    case IRI_STATE_DENIED:
        return 1;
    default:
        return is_error;
    }
}


iri_str_t
iri_request_path_as_sent(const iri_request_t *request, const iri_env_t *env,
                         iri_str_t path)
{
    iri_str_t sent;

    if (request->restart.len == 0) {
        return path;
    }

    if (iri_str_equal(path, request->restart)) {
        return request->sent;
    }

    return iri_restart_url(env, path, request->restart, request->sent, &sent)
               ? sent
               : path;
}


/* ---- the restart --------------------------------------------------------- */

const iri_lookup_t *
iri_request_pending_restart(const iri_request_t *request, iri_str_t *path)
{
    if (request->pending != NULL && path != NULL) {
        *path = request->pending_path;
    }

    return request->pending;
}


void
iri_request_drop_restart(iri_request_t *request)
{
    request->pending = NULL;
}


int
iri_request_has_restarted(const iri_request_t *request)
{
    return request != NULL
           && (request->restart.len != 0 || request->page_restarted);
}


/* ---- redirects ----------------------------------------------------------- */

iri_status_t
iri_request_redirect(const iri_request_t *request, const iri_env_t *env,
                     const iri_reading_conf_t *conf, iri_str_t ascii,
                     iri_reading_t *memory, iri_redirect_t *redirect)
{
    int          known = 0;
    iri_status_t status = IRI_OK;

    if (request != NULL) {
        status = iri_request_requested(request, env, conf, memory, &known);
    }

    if (!known) {
        memset(memory, 0, sizeof(*memory));
        memory->form = IRI_FORM_ASCII;
        memory->path = ascii;
        memory->octets = ascii;
        memory->conf = conf;
    }

    redirect->reading = memory;
    redirect->path = request != NULL && request->restart.len != 0
                         ? request->path
                         : memory->path;

    return status;
}


unsigned
iri_request_redirect_status(const iri_request_t *request, unsigned configured)
{
    if (configured > IRI_REDIRECT_LINK) {
        return configured;
    }

    switch (iri_request_form(request, 0)) {
    case IRI_FORM_INVISIBLE:
    case IRI_FORM_TRAILING:
    case IRI_FORM_PLUS:
        return 302;
    default:
        return configured;
    }
}


void
iri_request_redirected(iri_request_t *request, int status)
{
    request->redirect = status;
}


/* ---- values -------------------------------------------------------------- */

iri_str_t
iri_request_path(const iri_request_t *request, int hides)
{
    if (!hides) {
        return request->path;
    }

    return request->has_reading ? request->requested.path : request->ascii;
}


iri_form_t
iri_request_form(const iri_request_t *request, int hides)
{
    if (request == NULL) {
        return IRI_FORM_ASCII;
    }

    return hides ? request->requested.form : request->form;
}


iri_str_t
iri_request_charset(const iri_request_t *request, int hides)
{
    static const iri_str_t none = { 0, NULL };

    if (request == NULL) {
        return none;
    }

    return hides ? request->requested.charset : request->charset;
}


/* ---- counters ------------------------------------------------------------ */

/* The lookup of a path; NULL: none was made. */
static const iri_lookup_t *
iri_request_lookup_of(const iri_request_t *request, iri_str_t path)
{
    const iri_lookup_t *lookup = request->lookups;

    while (lookup != NULL && !iri_str_equal(lookup->path, path)) {
        lookup = lookup->next;
    }

    return lookup;
}


/* 1 if a lookup was done and found no entry. */
static int
iri_found_is_absent(const iri_found_t *found)
{
    return found->verdict == IRI_PASS && found->why != IRI_WHY_DECLARED
           && found->why != IRI_WHY_ASCII && found->why != IRI_WHY_NONE;
}


/* Add the result of a lookup. */
static void
iri_event_add(iri_stats_event_t *event, const iri_found_t *found)
{
    if (found->verdict != IRI_PASS || iri_found_is_absent(found)) {
        event->verdict = found->verdict;
        event->why = found->why;
    }

    if (found->match > event->match) {
        event->match = found->match;
    }

    if (found->repaired != IRI_FORM_ASCII) {
        event->form = found->repaired;
    }
}


/*
 * Fill in form, charset, match, verdict and why of an event, from the reading
 * and the lookups of the requested path.  report->reading: form
 * and charset as the disk has confirmed them; report->search is not used.
 */
static void
iri_event_set(iri_stats_event_t *event, const iri_report_t *report)
{
    const iri_reading_t *reading = report->reading;
    const iri_found_t   *found = report->found, *again = report->again;

    event->form = reading->form;
    event->charset = reading->charset;
    event->verdict = reading->verdict;
    event->why = reading->why;

    if (reading->verdict == IRI_REFUSE || found == NULL) {
        return;
    }

    /* The disk has confirmed another charset than that of the reading. */
    if (found->verdict == IRI_RESTART && found->charset.len != 0
        && reading->form != IRI_FORM_ASCII
        && !iri_str_equal(found->charset, reading->charset))
    {
        event->form = IRI_FORM_LEGACY;
        event->charset = found->charset;
    }

    iri_event_add(event, found);

    if (again != NULL && again->match > event->match) {
        event->match = again->match;
    }

    /* Otherwise the verdict stays RESTART, that of the first lookup. */
    if (again != NULL
        && (again->verdict == IRI_CHOOSE || again->verdict == IRI_REFUSE))
    {
        event->verdict = again->verdict;
        event->why = again->why;
    }
}


int
iri_request_is_reported(const iri_request_t *request)
{
    const iri_report_t *report;
    iri_verdict_t       verdict = IRI_PASS;

    if (request->reported == NULL) {
        return 0;
    }

    report = &request->reported->report;

    if (report->found != NULL) {
        verdict = report->found->verdict;
    }

    return request->has_reading || verdict == IRI_RESTART
           || verdict == IRI_CHOOSE || verdict == IRI_REFUSE;
}


void
iri_request_event(const iri_request_t *request, iri_stats_event_t *event)
{
    const iri_lookup_t *lookup;
    iri_found_t         restart;
    iri_reading_t       reading;
    iri_report_t        report = { &reading, NULL, NULL, NULL };

    if (request == NULL) {
        return;
    }

    if (request->report) {
        if (iri_request_is_reported(request)) {
            iri_event_set(event, &request->reported->report);
        }
        return;
    }

    memset(&reading, 0, sizeof(reading));

    if (request->has_reading) {
        reading = request->requested;
        reading.charset = request->charset;
    }

    reading.form = request->form;
    lookup = iri_request_lookup_of(request, request->path);

    if (lookup != NULL) {
        report.found = &lookup->found;
    }

    if (request->restart.len != 0) {
        memset(&restart, 0, sizeof(restart));
        restart.verdict = IRI_RESTART;
        restart.match = request->match;
        restart.why = request->why;
        report.again = report.found;
        report.found = &restart;
    }

    iri_event_set(event, &report);
    event->redirect = request->redirect;
}
