/*
 * iri_request.h - one request, from its first octet to its log line
 *
 * The core decides what becomes of a request.  A server calls it at the moments
 * that every server has, and carries out the verdict.
 *
 *   NEW ----read----> READ ----find----> READ ---granted---> GRANTED
 *                      ^                  |                     |
 *                      | read            restart                |
 *                      |                  v                     |
 *                   (a rule sets      RESTARTED ---granted----->|
 *                    another path)        |                     |
 *                                         '-----denied--------> DENIED
 *                                                               |
 *                     any state --------finished-----------> FINISHED
 *
 *   state       meaning                           names that may be revealed
 *   NEW         no path was read                  none
 *   READ        the path has a reading, or is     those that were sent
 *               ASCII; rules are running
 *   RESTARTED   the rules run again, for the URL  those that were found, but
 *               with the names that were found    not in an error
 *   GRANTED     the access rules have passed      those that were found
 *   DENIED      they have not, and an error page  those that were sent
 *               is made
 *   FINISHED    the log line is written           those that were found
 *
 *   moment                  nginx                      httpd
 *   iri_request_read        POST_READ, SERVER_REWRITE, pre_translate_name
 *                           REWRITE
 *   iri_request_find        root, REWRITE, PRECONTENT  map_to_storage
 *   iri_request_restart     REWRITE                    map_to_storage
 *   iri_request_granted     PRECONTENT                 fixups
 *   iri_request_denied      error page, named location -
 *   iri_request_outcome     PRECONTENT                 fixups
 *   iri_request_redirected  PRECONTENT                 fixups
 *   iri_request_finished    LOG                        log_transaction
 *
 * A request belongs to one thread at a time.  Its memory is that of the env of
 * iri_request_create(), which must live as long as the request.
 */

#ifndef IRI_REQUEST_H
#define IRI_REQUEST_H

#include "iri.h"
#include "iri_stats.h"

#pragma GCC visibility push(hidden)


typedef enum {
    IRI_STATE_NEW,
    IRI_STATE_READ,
    IRI_STATE_RESTARTED,
    IRI_STATE_GRANTED,
    IRI_STATE_DENIED,
    IRI_STATE_FINISHED,
    IRI_STATES   /* number of values */
} iri_state_t;

typedef struct iri_request_s iri_request_t;

/* Create a request in the state NEW.  Returns: the request; NULL: no memory. */
iri_request_t *iri_request_create(const iri_env_t *env);

/* Report mode: paths are read and looked up, but nothing changes the request. */
void iri_request_set_report(iri_request_t *request);

/* Returns: the state.  For tests and logs: no caller needs to branch on it. */
iri_state_t iri_request_state(const iri_request_t *request);


/* ---- reading a path ------------------------------------------------------ */

/* The origin of a path. */
typedef enum {
    IRI_PATH_REQUESTED,   /* the client has sent it; or it is the first path of
                             a subrequest */
    IRI_PATH_INTERNAL     /* a rule, a redirect inside the server or an error
                             page has set it */
} iri_origin_t;

/*
 * Read a path, and save it as the requested path if that is its origin.
 *
 *   conf   must live as long as request
 *   path   must live as long as request
 *
 * *verdict: PASS: continue, the path is canonical; SERVE: set the path to
 * iri_request_reading()->path or ->uri; REFUSE: answer with
 * iri_request_reading()->status, after iri_request_log_refusal().  In report
 * mode always PASS.  An error is logged.
 *
 * Returns: as iri_read_path(): IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED; answer
 * with an error then.  IRI_BAD_ESCAPE: let the server refuse the path.
 */
iri_status_t iri_request_read(iri_request_t *request, const iri_env_t *env,
                              const iri_reading_conf_t *conf,
                              const iri_received_path_t *path, iri_origin_t origin,
                              iri_verdict_t *verdict);

/* Log why the path that was read last is refused. */
void iri_request_log_refusal(const iri_request_t *request,
                             const iri_env_t     *env);

/*
 * Save a requested path that is ASCII and needs no reading.
 * path: decoded; must live as long as request.
 */
void iri_request_set_ascii(iri_request_t *request, iri_str_t path);

/*
 * Set a path that is known to be canonical and needs no reading.
 * path: decoded; must live as long as request.
 */
void iri_request_set_canonical(iri_request_t *request, iri_str_t path);

/*
 * Returns: 1 if path was read last, or is the path that the verdict of that
 * reading or a restart has set: it needs no reading.
 */
int iri_request_is_read(const iri_request_t *request, iri_str_t path);

/*
 * The last reading, for alternative readings of the lookup: canonical paths
 * that rules have made do not replace it, because they may still end in the
 * same segments.
 * Returns: NULL if no path was read; it lives as long as request.
 */
const iri_reading_t *iri_request_reading(const iri_request_t *request);

/* The server has set a path that needs no reading; the requested path stays. */
void iri_request_set_read(iri_request_t *request, iri_str_t path);

/* Returns: the reading of the requested path; NULL: it was not read. */
const iri_reading_t *iri_request_requested_reading(
    const iri_request_t *request);

/*
 * Get the reading of the requested path; an ASCII path is read now.
 * conf: as for iri_request_read().
 * *known: 0 if the requested path is not known; then *out is not written.
 * Returns: as iri_read_path().
 */
iri_status_t iri_request_requested(const iri_request_t *request,
                                   const iri_env_t *env,
                                   const iri_reading_conf_t *conf,
                                   iri_reading_t *out, int *known);


/* ---- finding an entry ---------------------------------------------------- */

/* The result of iri_request_find(). */
typedef struct iri_lookup_s iri_lookup_t;

struct iri_lookup_s {
    iri_lookup_t *next;      /* an earlier one of the request; NULL: none */
    iri_str_t     path;      /* iri_find_conf_t.path */
    iri_search_t  search;
    iri_found_t   found;
    iri_str_t     filename;  /* the name that may be opened: found.filename with
                                PASS and SERVE; else a name below the root that
                                cannot exist.  A NUL follows */
    iri_str_t     entry;     /* set by iri_lookup_split() */
    iri_str_t     path_info; /* the same */
    iri_status_t  split;     /* its result; IRI_STATUSES: it was not called */
    int           is_logged; /* 1: it is logged that nothing is opened */
};

/* What the server knows of the path that is looked up. */
typedef struct {
    iri_str_t path;        /* the canonical path of the request: search->path,
                              unless the server has mapped it to another one
                              (alias with captures) */
    iri_str_t url;         /* the first path that the rules have judged, decoded
                              and canonical; empty: the request cannot restart,
                              for example because its body was read */
    int       configured;  /* 1: the path stands in the configuration (location
                              =, error_page).  An entry that matches only
                              after folding counts as absent */
    int       creates;     /* 1: the request creates the entry */
    iri_str_t source;      /* name on disk of what MOVE moves; else empty */
    int       is_destination; /* 1: it is the path of a Destination: the
                              caller handles RESTART by itself */
} iri_find_conf_t;

/*
 * Find the entry of a path, each search once.
 *
 *   search   as for iri_find(); its strings and those of conf must live as
 *            long as request
 *
 * If the entry has another canonical path and the request can restart with it,
 * the verdict is RESTART.  If it cannot restart, only entries with exactly the
 * canonical path are found; the others are absent, for rules too.  In report
 * mode the verdict stays RESTART.  An error of the lookup is logged and gives
 * REFUSE; so does the path that iri_request_read() has refused.
 *
 * Returns: the lookup, which lives as long as request; NULL: no memory.
 */
iri_lookup_t *iri_request_find(iri_request_t *request, const iri_env_t *env,
                               const iri_search_t *search,
                               const iri_find_conf_t *conf);

/*
 * Add the result of a lookup that the caller has made: of iri_find_if_exists().
 * Returns: as iri_request_find().
 */
iri_lookup_t *iri_request_add_lookup(iri_request_t *request,
                                     const iri_env_t *env,
                                     const iri_search_t *search,
                                     const iri_found_t *found);

/* A file name longer than NAME_MAX: it can be neither opened nor created. */
extern const iri_str_t iri_no_such_file;

/* Returns: 1 if what was found has another canonical path than the request. */
int iri_lookup_is_moved(const iri_lookup_t *lookup);

/* Returns: the latest lookup; NULL: none. */
iri_lookup_t *iri_request_lookups(const iri_request_t *request);

/*
 * Split what was found into entry and path_info (iri_found_split), once: nginx
 * evaluates a variable twice, and both results must agree.
 * Returns: IRI_OK; IRI_NOT_LISTED: nothing may be opened; IRI_NO_MEMORY,
 * IRI_IO_FAILED.
 */
iri_status_t iri_lookup_split(const iri_env_t *env, iri_lookup_t *lookup);


/* ---- restarting ---------------------------------------------------------- */

/*
 * Can the request restart with what was found: the entry, or the directory of
 * the choices, has another canonical path?  A request restarts at most once.
 * Returns: 1 and *path, the path of the restart (iri_restart_url); else 0.
 */
int iri_request_can_restart(const iri_request_t *request,
                            const iri_env_t *env, const iri_lookup_t *lookup,
                            const iri_find_conf_t *conf, iri_str_t *path);

/*
 * The request restarts: READ, GRANTED and DENIED become RESTARTED.  The lookups
 * are forgotten; if the octets of the entry are its canonical path, the entry
 * is not looked up again.
 *
 *   lookup   its entry is the cause; it may belong to another request
 *   url      the path that path replaces, as iri_find_conf_t.url
 *   path     that of iri_request_can_restart()
 *   page     1: an error page restarts, not what the client requested: the
 *            state stays
 */
void iri_request_restart(iri_request_t *request, const iri_env_t *env,
                         const iri_lookup_t *lookup, iri_str_t url,
                         iri_str_t path, int page);

/* Returns: 1 if the request has restarted; request may be NULL. */
int iri_request_has_restarted(const iri_request_t *request);

/* Forget the lookups: an index was built, or the method is another one. */
void iri_request_forget_lookups(iri_request_t *request);


/* ---- access -------------------------------------------------------------- */

/* The access rules have passed.  After DENIED nothing changes. */
void iri_request_granted(iri_request_t *request);

/*
 * A redirect inside the server, not to an error page, has set another path:
 * access to that is not granted.
 */
void iri_request_redirected_inside(iri_request_t *request);

/* An error page is made, or a named location; after GRANTED nothing changes. */
void iri_request_denied(iri_request_t *request);

/* The log line is written. */
void iri_request_finished(iri_request_t *request);

/*
 * May a response reveal the names that were found (design 5.7)?
 * is_error: 1: it is an error or the page for one.
 * Returns: 1 if it may not: only the names that were sent.
 */
int iri_request_hides_found(const iri_request_t *request, int is_error);

/*
 * Put the names that were sent in the place of those that were found, in a
 * path that a rule may have set.
 * Returns: path, or the changed path, which lives as long as request.
 */
iri_str_t iri_request_path_as_sent(const iri_request_t *request,
                                   const iri_env_t *env, iri_str_t path);

/*
 * After access is granted: what becomes of the path.
 * Returns: PASS: continue; CHOOSE: offer found.choices; REFUSE: answer with
 * iri_request_refuse().
 */
iri_verdict_t iri_request_outcome(const iri_lookup_t *lookup,
                                  const iri_find_conf_t *conf);

/*
 * Refuse a path for which nothing may be served, and log it.
 * path: that the server shows; it must live as long as request.
 * Returns: 404; 409 if the request would create an entry beside one that
 * conflicts, or would write and several entries match; 0 if that path was
 * refused before: the request makes the error page.
 */
int iri_request_refuse(iri_request_t *request, const iri_env_t *env,
                       iri_lookup_t *lookup, const iri_find_conf_t *conf,
                       iri_str_t path);


/* ---- redirects to the canonical URI -------------------------------------- */

/*
 * Describe the request for iri_redirect_location() and iri_may_redirect(): sets
 * reading and path of *redirect.
 *
 *   request   NULL: the path is ASCII
 *   ascii     the path, if request is NULL or does not know it
 *   memory    for the reading of an ASCII path
 *
 * Returns: as iri_read_path().
 */
iri_status_t iri_request_redirect(const iri_request_t *request,
                                  const iri_env_t *env,
                                  const iri_reading_conf_t *conf,
                                  iri_str_t ascii, iri_reading_t *memory,
                                  iri_redirect_t *redirect);

/* The client is redirected with this HTTP status. */
void iri_request_redirected(iri_request_t *request, int status);


/* ---- variables and counters ---------------------------------------------- */

/*
 * The values of the variables.
 *
 *   request   NULL: the path is ASCII and was not read
 *   hides     the result of iri_request_hides_found()
 *   lookup    of the canonical path; NULL: none was made
 *
 * iri_request_path returns an empty string if the path is not known.
 * iri_request_match makes the lookup that the core left out for a path that
 * can only have its own name.
 */
iri_str_t   iri_request_path(const iri_request_t *request, int hides);
iri_form_t  iri_request_form(const iri_request_t *request, int hides);
iri_str_t   iri_request_charset(const iri_request_t *request, int hides);
iri_match_t iri_request_match(const iri_request_t *request,
                              const iri_env_t *env, iri_lookup_t *lookup,
                              int hides);

/*
 * Set form, charset, match, verdict, why and redirect of an event, for a
 * request that is not in report mode.
 * request: NULL: the path is ASCII.
 */
void iri_request_event(const iri_request_t *request,
                       iri_stats_event_t   *event);


#pragma GCC visibility pop

#endif /* IRI_REQUEST_H */
