/*
 * iri_state.h - the state of a request, and notes for its log line
 *
 * For the files of common/request/ only; servers use iri_request.h.
 */

#ifndef IRI_STATE_H
#define IRI_STATE_H

#include "iri_request.h"

#pragma GCC visibility push(hidden)


/* ---- the state of a request ---------------------------------------------- */

/* A request in report mode. */
typedef struct {
    const iri_reading_t *reading;  /* the reading of its path */
    const iri_found_t   *found;    /* NULL: there was no lookup */
    const iri_found_t   *again;    /* with RESTART in found: the result for
                                      found->path; else NULL */
    const iri_search_t  *search;   /* the last of these searches */
} iri_report_t;

/* The reading and the lookups of a request in report mode. */
typedef struct {
    iri_reading_t reading;  /* of the requested path */
    iri_report_t  report;
} iri_reported_t;

struct iri_request_s {
    iri_state_t state;
    int         report;   /* 1: report mode */

    /* the requested path */
    iri_str_t     path;        /* canonical; after a restart with the names that
                                  were found; empty: not known */
    iri_str_t     ascii;       /* the path as it was sent, if that is ASCII and
                                  was not read; else empty */
    int           has_reading; /* 1: requested is set */
    iri_reading_t requested;   /* the reading of the path as it was sent */
    iri_form_t    form;        /* of requested; after a restart that of the
                                  reading that the entry has confirmed */
    iri_str_t     charset;     /* likewise */

    /* the current path, which rules may have set */
    iri_str_t     read_path;   /* needs no reading (iri_request_is_read); empty:
                                  none */
    iri_why_t     refused;     /* why read_path is refused; NONE: it is not */
    int           has_last;    /* 1: last is set */
    iri_reading_t last;        /* the latest reading of a path that was not
                                  canonical; if all were, the first */

    iri_lookup_t *lookups;     /* the latest first */
    iri_str_t     absent;      /* path that iri_request_refuse() has refused;
                                  empty: none */

    /* the restart */
    iri_str_t   restart;       /* the new path; empty: the request has not
                                  restarted */
    iri_str_t   sent;          /* the path that restart replaces */
    iri_match_t match;         /* the difference that was ignored */
    iri_why_t   why;           /* the reason for the restart */

    int page_restarted;        /* 1: an error page has restarted, which has a
                                  restart of its own */

    /* the field Vary (iri_request_varies) */
    int varies;                /* 1: the answer depends on the charsets */
    int may_vary;              /* 1: the answer depends on them until access is
                                  granted */

    int redirect;              /* HTTP status of the redirect; 0: none */

    /* a restart that is made when the rules have run */
    const iri_lookup_t *pending;       /* NULL: none */
    iri_str_t           pending_path;  /* the new path */

    iri_reported_t *reported;  /* report mode; NULL: nothing was looked up */
    iri_notes_t    *notes;     /* of the log line; NULL: none */
    int             has_line;  /* 1: FINISHED, and a line was written */
};


/* ---- log lines ----------------------------------------------------------- */

/*
 * Add a note of report mode: what the module would do.
 * code:   code of the reason (doc/reasons.md), static
 * first:  1: insert it before the other notes, 0: append it
 * format: as printf; the text is shortened to IRI_MAX_LOG_TEXT
 */
void iri_note_would(iri_notes_t *notes, const char *code, int first,
                    const char *format, ...)
    __attribute__((format(printf, 4, 5)));


/*
 * Returns: 1 if report mode logs and counts what would be done with the
 * request; 0 if the path is ASCII and the module would not change it.
 */
int iri_request_is_reported(const iri_request_t *request);

/* Returns: notes without an event; NULL: no memory. */
iri_notes_t *iri_notes_create(const iri_env_t *env);

/* As iri_vnote(), with variable arguments instead of a va_list. */
void iri_note(iri_notes_t *notes, iri_log_level_t level, const char *code,
              const char *format, ...)
    __attribute__((format(printf, 4, 5)));


/* ---- iri_restart.c ------------------------------------------------------- */

/*
 * Compute the path with which a request restarts after IRI_RESTART
 * (design 5.6).  The server's rules must judge the client's URL with the names
 * that are opened, so the segments that have another name on disk are replaced
 * in the URL.  If a rule has set another path, the segments from the first
 * replaced one on must be the last segments of that path and of the URL.
 *
 *   url       canonical path of the client's URL, decoded, as first read; for a
 *             subrequest or an error page its own first path
 *   path      the path that was looked up; equal to url unless a rule has set
 *             another
 *   found     iri_found_t.path
 *   restart   the new path, followed by a NUL that len does not count
 *
 * url, path and found are UTF-8 and begin with "/".
 * Returns: 1 if *restart is set; 0: the paths do not allow a restart, or no
 * memory.  Then the caller uses iri_find_canonical(), and serves no entry whose
 * canonical path is not path.
 *
 * url "/Admin/a", path "/public/Admin/a", found "/public/admin/a"
 *   -> 1, "/admin/a"
 * url "/page", path "/public/INDEX.html", found "/public/index.html" -> 0
 */
int iri_restart_url(const iri_env_t *env, iri_str_t url, iri_str_t path,
                    iri_str_t found, iri_str_t *restart);

/*
 * 1 if the entry matches a path of the configuration only after folding; the
 * request then continues as if no entry had been found.
 */
int iri_lookup_is_folded_only(const iri_lookup_t    *lookup,
                              const iri_find_conf_t *conf);

/*
 * As iri_find(), for a path that cannot restart: entries with another canonical
 * path than search->path are treated as absent.  Normalization and the charsets
 * of the tree are handled as in iri_find().
 *
 * Returns: as iri_find().  out->verdict is never IRI_RESTART or IRI_CHOOSE.
 *
 * tree with "case", path "/public/INDEX.html", entry "index.html" -> PASS
 */
iri_status_t iri_find_canonical(const iri_env_t    *env,
                                const iri_search_t *search, iri_found_t *out);

/*
 * Add the note of report mode about the path, before all other notes.  If
 * nothing is found below a found directory, the note says so.  Calls stat at
 * most once per segment.
 *
 * Returns: IRI_OK; IRI_NO_MEMORY: no note was added.
 *
 * would restart as "/Docs/a.txt": form ascii, charset "", match case,
 * found where width, punctuation, case or accents differ, file "/srv/Docs/a.txt"
 *
 * Other beginnings: would serve, pass on, find nothing as, offer a choice for,
 * find several names for, refuse.
 */
iri_status_t iri_note_report(const iri_env_t *env, iri_notes_t *notes,
                             const iri_report_t *report);

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


#pragma GCC visibility pop

#endif /* IRI_STATE_H */
