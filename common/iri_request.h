/*
 * iri_request.h - the state of one request, from its path to its log line
 *
 * iri.h declares the steps: read a path, find an entry, redirect.  This header
 * declares the object that a server keeps for each request that is not plain
 * ASCII.  It remembers the results of the steps and decides what each result
 * means for the request.  The server calls its functions in the phases or hooks
 * below, and carries out the verdicts.
 *
 *         read         restart
 *   NEW ------> READ ----------> RESTARTED
 *                |                   |
 *                +-----granted-------+----> GRANTED
 *                |                   |
 *                '-----denied--------'----> DENIED
 *
 *   GRANTED, DENIED ---restart---> RESTARTED
 *   any state ------finished-----> FINISHED
 *
 * Neither a lookup nor the reading of a path that a rule has set changes the
 * state.
 *
 *   state       meaning                           names that may be revealed
 *   NEW         no path was read                  none
 *   READ        the path has a reading, or is     those that were sent
 *               ASCII; rules are running
 *   RESTARTED   the rules run again, for the URL  those that were found, but
 *               with the names that were found    not in an error
 *   GRANTED     the access rules have passed      those that were found
 *   DENIED      an error page or a named          those that were sent
 *               location answers instead
 *   FINISHED    the log line is written           those that were found
 *
 *   function                nginx                      httpd
 *   iri_request_read        POST_READ, SERVER_REWRITE, post_read_request,
 *                           REWRITE                    pre_translate_name
 *   iri_request_find        where root is evaluated,   map_to_storage
 *                           REWRITE, PRECONTENT
 *   iri_request_restart     SERVER_REWRITE, REWRITE,   map_to_storage
 *                           PRECONTENT
 *   iri_request_granted     PRECONTENT                 fixups
 *   iri_request_varies      header filter              insert_filter,
 *                                                      insert_error_filter
 *   iri_request_denied      error page, named location -
 *   iri_request_outcome     PRECONTENT                 -
 *   iri_request_refuse      PRECONTENT                 fixups
 *   iri_request_transfer    PRECONTENT                 fixups
 *   iri_request_redirect    PRECONTENT                 fixups
 *   iri_request_redirected  PRECONTENT                 fixups
 *   iri_request_report_find PRECONTENT, LOG            map_to_storage
 *   iri_request_report      LOG                        -
 *   iri_request_report_note -                          map_to_storage
 *   iri_request_event       LOG                        log_transaction
 *   iri_request_finished    LOG                        -
 *
 * httpd makes a request of its own of each redirect inside the server and of
 * each error page: it needs no DENIED.
 *
 * A request belongs to one thread at a time.  What the functions allocate is
 * memory of their env, which must live as long as the request.  So must a path
 * that is an argument; it is decoded.
 */

#ifndef IRI_REQUEST_H
#define IRI_REQUEST_H

#include "iri.h"
#include "iri_dav.h"
#include "iri_stats.h"

#pragma GCC visibility push(hidden)


/* The states of the table above. */
typedef enum {
    IRI_STATE_NEW,
    IRI_STATE_READ,
    IRI_STATE_RESTARTED,
    IRI_STATE_GRANTED,
    IRI_STATE_DENIED,
    IRI_STATE_FINISHED
} iri_state_t;

/* One request. */
typedef struct iri_request_s iri_request_t;

/* Returns: the octets of a request. */
size_t iri_request_size(void);

/*
 * Initialize a request in the state NEW.
 * memory: iri_request_size() octets, aligned as by malloc; it must live as long
 * as the request.
 * Returns: memory.
 */
iri_request_t *iri_request_init(void *memory);

/* Report mode: paths are read and looked up, but the request is unchanged. */
void iri_request_set_report(iri_request_t *request);

/* Returns: the state.  Most callers need no branch on it. */
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
 *   path   its strings must live as long as request
 *
 * *verdict: PASS: continue, the path is canonical; SERVE: set the path to
 * iri_request_reading()->path or ->uri; REFUSE: answer with
 * iri_request_reading()->status, after iri_request_log_refusal().  In report
 * mode always PASS.  An error other than IRI_BAD_ESCAPE is logged.  With
 * escaped 0 in path, uri of the reading may be empty; iri_path_to_uri() makes
 * it from the reading's path.
 *
 * Returns: as iri_read(): IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED: answer with an
 * error; IRI_BAD_ESCAPE: let the server refuse the path.
 */
iri_status_t iri_request_read(iri_request_t *request, const iri_env_t *env,
                              const iri_reading_conf_t *conf,
                              const iri_received_path_t *path,
                              iri_origin_t origin, iri_verdict_t *verdict);

/* Log why the path that was read last is refused. */
void iri_request_log_refusal(const iri_request_t *request,
                             const iri_env_t     *env);

/* Save a requested path that is ASCII, instead of reading it. */
void iri_request_set_ascii(iri_request_t *request, iri_str_t path);

/*
 * Save a requested path that is known to be canonical, instead of reading it.
 */
void iri_request_set_canonical(iri_request_t *request, iri_str_t path);

/*
 * Returns: 1 if path need not be read: it was read or set last, or is the
 * canonical path that the last reading or the restart gave.
 */
int iri_request_is_read(const iri_request_t *request, iri_str_t path);

/*
 * The last reading of a path that was not canonical; if all were canonical, the
 * first one.  A lookup needs it for alternative readings.  It is valid for a
 * canonical path that a rule has made, too, if that ends in the same segments.
 * Returns: the reading, which lives as long as request; NULL if no path was
 * read.
 */
const iri_reading_t *iri_request_reading(const iri_request_t *request);

/*
 * Returns: 1 if path is the canonical path that was requested, the request was
 * sent in UTF-8, and path has no dot-segments.  If iri_tree_is_declared(), a
 * request that does not write needs no lookup for this path.
 */
int iri_request_is_utf8(const iri_request_t *request, iri_str_t path);

/*
 * The server has set a path that need not be read (iri_request_is_read).  The
 * requested path does not change.
 */
void iri_request_set_read(iri_request_t *request, iri_str_t path);

/* Returns: the reading of the requested path; NULL: it was not read. */
const iri_reading_t *iri_request_requested_reading(
    const iri_request_t *request);


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
    iri_str_t     restart;   /* with RESTART, which the request can carry out:
                                the path of iri_request_restart() */
    iri_str_t     entry;     /* set by iri_lookup_split() */
    iri_str_t     path_info; /* the same */
    iri_status_t  split;     /* its result; IRI_STATUSES: it was not called */
    int           is_logged; /* 1: the log has a line that says why nothing is
                                opened */
};

/* What the server knows of the path that is looked up. */
typedef struct {
    iri_str_t path;        /* the canonical path of the request: search->path,
                              unless the server has mapped it to another one
                              (alias with captures) */
    iri_str_t url;         /* the first path that the rules have judged, decoded
                              and canonical; empty: the request cannot restart,
                              for example because its body was read */
    int       page;        /* 1: url is the path of an error page, which has a
                              restart of its own */
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
 *   search   as for iri_find(); what it points to must live as long as request
 *   conf     the same for its strings
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
 * Add the result of a lookup that the caller has made by iri_find_if_exists().
 * search, *found: what they point to must live as long as request.
 * Returns: as iri_request_find().  A caller that has found found->filename on
 * disk may set the lookup's entry to it, and split to IRI_OK.
 */
iri_lookup_t *iri_request_add_lookup(iri_request_t *request,
                                     const iri_env_t *env,
                                     const iri_search_t *search,
                                     const iri_found_t *found);

/*
 * Returns: 1 if the name on disk is that of the canonical path that was found,
 * octet for octet.
 */
int iri_lookup_is_literal(const iri_lookup_t *lookup);

/* A file name longer than NAME_MAX: it can be neither opened nor created. */
extern const iri_str_t iri_no_such_file;

/* Returns: the latest lookup; NULL: none. */
iri_lookup_t *iri_request_lookups(const iri_request_t *request);

/*
 * Split what was found into entry and path_info (iri_found_split), once: nginx
 * evaluates a variable twice, and both results must agree.
 * Returns: IRI_OK; IRI_NOT_LISTED: nothing may be opened; IRI_NO_MEMORY,
 * IRI_IO_FAILED as iri_found_split().
 */
iri_status_t iri_lookup_split(const iri_env_t *env, iri_lookup_t *lookup);


/* ---- restarting ---------------------------------------------------------- */

/*
 * Can the request restart with what was found?  It can if the verdict is
 * RESTART, the request, or its error page, has not restarted before, and the
 * segments that have another name are the same, at the end, in conf->url and in
 * the path that was looked up (design 5.6).
 * Returns: 1 and *path, the path of the restart; else 0, also without memory.
 * url "/Admin/a", path "/public/Admin/a", found "/public/admin/a" -> "/admin/a"
 */
int iri_request_can_restart(const iri_request_t *request,
                            const iri_env_t *env, const iri_lookup_t *lookup,
                            const iri_find_conf_t *conf, iri_str_t *path);

/*
 * The request restarts: NEW (url is ASCII), READ, GRANTED and DENIED become
 * RESTARTED.  All lookups are forgotten.  If the octets of the entry are its
 * canonical path, the result for the new path is known and becomes the only
 * lookup.
 *
 *   lookup   its result has caused the restart; it may belong to another
 *            request
 *   url      iri_find_conf_t.url, which path replaces
 *   path     the result of iri_request_can_restart()
 *   page     1: the path of an error page restarts, not that of the client:
 *            GRANTED becomes RESTARTED, other states do not change
 */
void iri_request_restart(iri_request_t *request, const iri_env_t *env,
                         const iri_lookup_t *lookup, iri_str_t url,
                         iri_str_t path, int page);

/*
 * Call iri_request_can_restart(), and if the request can restart, keep the
 * restart as pending: the server makes it when the rules have run.  A pending
 * restart is not replaced.
 * Returns: 1 if a restart is pending.
 */
int iri_request_plan_restart(iri_request_t *request, const iri_env_t *env,
                             const iri_lookup_t    *lookup,
                             const iri_find_conf_t *conf);

/*
 * Get the arguments lookup and *path of iri_request_restart() for the pending
 * restart.  path: may be NULL.
 * Returns: the lookup; NULL: none is pending, and *path is not written.
 */
const iri_lookup_t *iri_request_pending_restart(const iri_request_t *request,
                                                iri_str_t           *path);

/* Cancel the pending restart. */
void iri_request_drop_restart(iri_request_t *request);

/* Returns: 1 if the request has restarted; request may be NULL. */
int iri_request_has_restarted(const iri_request_t *request);

/*
 * Forget the lookups, because their results may have changed: an index was
 * built.
 */
void iri_request_forget_lookups(iri_request_t *request);


/* ---- access -------------------------------------------------------------- */

/* The access rules have passed.  In the state DENIED nothing changes. */
void iri_request_granted(iri_request_t *request);

/*
 * A redirect inside the server has set another path.
 * page: 1: it is that of an error page: as iri_request_denied().  0: access to
 * it is not granted: GRANTED becomes READ or RESTARTED, other states become
 * DENIED.
 */
void iri_request_redirected_inside(iri_request_t *request, int page);

/*
 * An error page or a named location answers.  In the state GRANTED nothing
 * changes.
 */
void iri_request_denied(iri_request_t *request);

/*
 * May a client with other charsets (iri_charsets_parse) get another answer?
 * Then the answer must have the field Vary.  Before access is granted this does
 * not depend on what was found (design 5.7).
 * Returns: 1 if it may, else 0.
 */
int iri_request_varies(const iri_request_t *request);

/*
 * May a response reveal the names that were found (design 5.7)?
 * is_error: 1: it is an error or the page for one.
 * Returns: 1 if it may not: only the names that were sent.
 */
int iri_request_hides_found(const iri_request_t *request, int is_error);

/*
 * Replace the names that were found by those that were sent, in the path of a
 * restart or one that a rule has made of it.
 * Returns: the path with the names that were sent, which lives as long as
 * request; path itself if it does not end in names that were found.
 */
iri_str_t iri_request_path_as_sent(const iri_request_t *request,
                                   const iri_env_t *env, iri_str_t path);

/*
 * The verdict on a path after access is granted.
 * Returns: PASS: continue; CHOOSE: offer found.choices; REFUSE: answer with
 * the status of iri_request_refuse().
 */
iri_verdict_t iri_request_outcome(const iri_lookup_t *lookup,
                                  const iri_find_conf_t *conf);

/*
 * Refuse a path for which nothing may be served, and log the reason.
 * path: the current path of the server, for the log.
 * Returns: 404; 409 if the request would create an entry whose name is refused
 * (iri_is_conflict), or would write and several entries match; 0 if path was
 * refused before: its error page is being made and must not be refused.
 */
int iri_request_refuse(iri_request_t *request, const iri_env_t *env,
                       iri_lookup_t *lookup, const iri_find_conf_t *conf,
                       iri_str_t path);


/* ---- COPY and MOVE ------------------------------------------------------- */

/* The source and the Destination of COPY or MOVE. */
typedef struct {
    iri_str_t path;         /* canonical path of the Destination, for the log */
    iri_str_t source;       /* name on disk of the source, octets */
    iri_str_t destination;  /* the same of the Destination, which need not
                               exist */
    int       members;      /* 1: the source is a collection, and its members
                               are transferred with it (in httpd not if Depth
                               is 0) */
    int       moves;        /* 1: the source is removed, so that its own name
                               does not conflict with the new one */
    const iri_tree_conf_t *from;   /* of names in the source */
    const iri_tree_conf_t *to;     /* of names in the Destination */
    const iri_lookup_t *written;   /* of path, by the settings with which the
                               server writes it; NULL: iri_request_refuse()
                               has judged the name, or it needs no lookup */
    const iri_lookup_t *judged;    /* of path, by the settings of the
                               Destination; NULL: the same */
    iri_why_t why;          /* set for 409: the reason on its page; NONE: no
                               page */
} iri_transfer_t;

/*
 * May COPY or MOVE write its Destination, after the access rules of both have
 * passed?  It must not be another name of an existing entry, nor conflict with
 * one, and both lookups must give it the same name on disk.  It must not be the
 * source, nor contain it.  If members are transferred, it must not be inside
 * the source either, and both trees must give the members the same names.  A
 * refusal is logged (RFC 4918, 9.8, 9.9).
 * Returns: 0: it may; else the HTTP status to answer with: 403; 409
 * (iri_conflict_text); 500: the names could not be compared.
 */
int iri_request_transfer(const iri_env_t *env, iri_transfer_t *transfer);


/* ---- redirects to the canonical URI -------------------------------------- */

/*
 * Describe the request for iri_redirect_location() and iri_may_redirect(): set
 * the members reading and path of *redirect.
 *
 *   request   NULL: the path is ASCII
 *   conf      must live as long as *redirect
 *   ascii     the path, if request is NULL or does not know it
 *   memory    for the reading; must live as long as *redirect
 *
 * Returns: as iri_read(), for an ASCII path: IRI_OK.
 */
iri_status_t iri_request_redirect(const iri_request_t *request,
                                  const iri_env_t *env,
                                  const iri_reading_conf_t *conf,
                                  iri_str_t ascii, iri_reading_t *memory,
                                  iri_redirect_t *redirect);

/*
 * The iri_redirect of a request.  A link that was damaged on its way (forms
 * INVISIBLE, TRAILING, PLUS) is never answered under its own URI: it is
 * redirected even if iri_redirect is off or link.
 *
 *   request      NULL: the path is ASCII and was not read
 *   configured   iri_redirect: HTTP status, IRI_REDIRECT_LINK; 0: off
 *
 * Returns: configured; 302 for such a link, because a file may get the damaged
 * name later.
 */
unsigned iri_request_redirect_status(const iri_request_t *request,
                                     unsigned             configured);

/* The client is redirected with this HTTP status. */
void iri_request_redirected(iri_request_t *request, int status);


/* ---- variables and counters ---------------------------------------------- */

/*
 * The values of the variables.
 *
 *   request   NULL: the path is ASCII and was not read.  Not for
 *             iri_request_path()
 *   hides     the result of iri_request_hides_found()
 *   lookup    of the canonical path; NULL: none was made
 *
 * iri_request_path returns an empty string if the path is not known.
 * iri_request_match finds out whether the entry exists (iri_lookup_split) where
 * iri_find() returned PASS without a lookup.
 */
iri_str_t   iri_request_path(const iri_request_t *request, int hides);
iri_form_t  iri_request_form(const iri_request_t *request, int hides);
iri_str_t   iri_request_charset(const iri_request_t *request, int hides);
iri_match_t iri_request_match(const iri_request_t *request,
                              const iri_env_t *env, iri_lookup_t *lookup,
                              int hides);

/*
 * Set the members form, charset, match, verdict, why and redirect of *event;
 * in report mode to what would be done, except redirect, after
 * iri_request_report_find().
 * request: NULL: the path is ASCII, and *event, all 0, does not change.
 */
void iri_request_event(const iri_request_t *request,
                       iri_stats_event_t   *event);


/* ---- report mode --------------------------------------------------------- */

/*
 * Look up a canonical path in the current location of the server.
 * ctx: iri_env_t.ctx.
 * Returns: as iri_request_find().
 */
typedef iri_lookup_t *(*iri_report_find_t)(void *ctx, iri_str_t path);

/*
 * Do the lookups of a requested path that would be done without report mode,
 * once, in the location that the path has selected.
 *
 *   conf      as for iri_request_read()
 *   current   the current path of the server; if a rule has set another one
 *             than the requested path, nothing is looked up
 *   find      called at most twice
 *
 * Without memory nothing is looked up, and the request is not reported.
 */
void iri_request_report_find(iri_request_t *request, const iri_env_t *env,
                             const iri_reading_conf_t *conf,
                             iri_str_t current, iri_report_find_t find);

/*
 * Add to the log line, before all other notes, what would be done with the
 * request.  An ASCII path is reported only if the verdict of its first lookup
 * is RESTART, CHOOSE or REFUSE.
 */
void iri_request_report(iri_request_t *request, const iri_env_t *env);

/* The same for httpd, which keeps the notes of a request in a pool. */
void iri_request_report_note(const iri_request_t *request,
                             const iri_env_t *env, iri_notes_t *notes);


/* ---- the log line -------------------------------------------------------- */

/*
 * Events of a request are written as one line when it ends.  A later event, for
 * example of a variable in an access log, is written at once, but only if the
 * request has no line yet.
 * request: NULL: none was created.
 * Returns: 1 if another event is logged.
 */
int iri_request_logs(const iri_request_t *request);

/*
 * Add an event to the line.
 *
 *   request   NULL: there is no memory for it
 *   event     the notes of the event, which are copied
 *
 * Returns: 1 if the server must write event as a line of its own, now: the
 * request has ended, or there is no memory.
 */
int iri_request_log(iri_request_t *request, const iri_env_t *env,
                    const iri_notes_t *event);

/*
 * Replace the notes by those of a request that has run in place of this one,
 * for example for the Destination of COPY.  Both share them then.
 */
void iri_request_take_notes(iri_request_t       *request,
                            const iri_request_t *from);

/*
 * The request ends: any state becomes FINISHED.
 * Returns: the notes of its line, which live as long as request; NULL: nothing
 * is logged.
 */
const iri_notes_t *iri_request_finished(iri_request_t *request);


#pragma GCC visibility pop

#endif /* IRI_REQUEST_H */
