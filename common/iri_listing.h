/*
 * iri_listing.h - listings of directories, and the choices of an answer 300
 *
 * Turns the entries of a directory, or the paths of IRI_CHOOSE, into the body
 * of an answer, in HTML or JSON.  The caller decides which entries the client
 * may see, by the rules of the server, and sends the answer.
 */

#ifndef IRI_LISTING_H
#define IRI_LISTING_H

#include "iri.h"

#pragma GCC visibility push(hidden)


#define IRI_LISTING_MEMORY (128 * 1024 * 1024)   /* octets of the entries */
#define IRI_LISTING_PAGE   1000                  /* names on a page */

/*
 * The names of one page.  Order of calls:
 *
 *     iri_listing_begin, and iri_listing_add for each entry of the directory;
 *     or iri_choices_begin
 *     iri_listing_judge                until none is left
 *         iri_listing_judged           what the client would get for its path
 *     iri_listing_page
 *
 * env, conf: what they point to, and env, must live as long as the page.
 */
typedef struct iri_listing_s iri_listing_t;


/* ---- listings ------------------------------------------------------------ */

/* The directory of a listing, and the settings for it. */
typedef struct {
    const iri_tree_conf_t    *tree;     /* settings of the directory */
    const iri_reading_conf_t *reading;  /* how requests for the links will be
                                           read */
    iri_str_t                 root;     /* the directory on disk, octets,
                                           absolute, with or without a final
                                           "/" */
    iri_str_t                 path;     /* its canonical path; begins and ends
                                           with "/" */
    iri_str_t                 query;    /* as sent: "sort=size&order=desc",
                                           "format=json", "after=NAME" of the
                                           link to the next page; unknown
                                           parameters and values are ignored */
    int                       unnamed;  /* 1: entries without a name are served
                                           by their octets (iri_invalid
                                           pass) */
} iri_listing_conf_t;

/* The facts about an entry that a listing shows besides its name. */
typedef struct {
    int      is_directory;  /* 1 or 0 */
    uint64_t size;          /* octets */
    int64_t  mtime;         /* seconds since the epoch */
} iri_listing_info_t;

/* Begin a listing.  Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED. */
iri_status_t iri_listing_begin(const iri_env_t          *env,
                               const iri_listing_conf_t *conf,
                               iri_listing_t           **out);

/*
 * Add an entry.  octets: as stored on disk, copied.  Names that begin with "."
 * are left out, and so are those for which there is no memory
 * (iri_listing_is_full).
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED: there can be no listing.
 */
iri_status_t iri_listing_add(iri_listing_t *listing, iri_str_t octets,
                             const iri_listing_info_t *info);

/*
 * Returns: 1 if one more entry might need more than IRI_LISTING_MEMORY: the
 * caller may stop reading the directory, and the page says that it is not
 * complete.
 */
int iri_listing_is_full(const iri_listing_t *listing);


/* ---- choices ------------------------------------------------------------- */

/* The choices for one request. */
typedef struct {
    iri_str_t        asked;      /* canonical path of the request; empty: it is
                                    not shown */
    int              has_query;  /* 1: the links get query */
    iri_str_t        query;      /* as sent */
    iri_str_t        accept;     /* value of the field Accept, several fields
                                    joined by ","; empty: absent */
    const iri_str_t *paths;      /* iri_found_t.choices: canonical paths */
    size_t           count;      /* number of paths */
    int              more;       /* 1: there are more, equally near */
} iri_choices_t;

/* Begin a page of choices.  Returns: IRI_OK; IRI_NO_MEMORY. */
iri_status_t iri_choices_begin(const iri_env_t     *env,
                               const iri_choices_t *choices,
                               iri_listing_t      **out);

/*
 * Does a client prefer application/json to text/html (RFC 9110, 12.5.1)?
 * accept: iri_choices_t.accept.  Returns: 1 or 0.
 * "application/json" -> 1; "text/html, application/json" -> 0; "" -> 0
 * "text/html;q=0.5, application/json" -> 1
 */
int iri_prefers_json(iri_str_t accept);


/* ---- judging ------------------------------------------------------------- */

/* A name that is judged. */
typedef struct {
    iri_str_t path;     /* whole canonical path, that of a directory with a
                           final "/": it is judged by the rules of the
                           server */
    iri_str_t octets;   /* of a listing: the entry as stored on disk */
    iri_str_t name;     /* of a listing: iri_entry_name(); empty: it has no
                           name.  With conf.unnamed 1 its octets are then the
                           last segment of path; else U+FFFD replaces each
                           octet that is not UTF-8, because rules expect
                           characters */
    int       is_directory;
} iri_listing_entry_t;

/* The result for its path. */
typedef enum {
    IRI_NAME_HIDDEN,      /* the client may not get it */
    IRI_NAME_UNLINKED,    /* it may, but the path leads to another entry or to
                             none: a listing shows the name without a link */
    IRI_NAME_LINKED,      /* it may */
    IRI_NAME_DIRECTORY    /* it is a directory, but its path has no final "/": a
                             choice is judged again with "/"; in a listing the
                             entry is hidden, since it was no directory when it
                             was read */
} iri_name_result_t;

/*
 * Get the next name to judge.  Once the page is full, entries are judged only
 * until it is known whether there is another page.  So the page reveals neither
 * entries that the client may not see nor their number.
 *
 *   entry     valid until the next call
 *   is_left   1; 0: all names are judged, *entry is not written
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_judge(iri_listing_t *listing,
                               iri_listing_entry_t *entry, int *is_left);

/*
 * Set the result for the last name.
 * Returns: IRI_OK; IRI_NO_MEMORY.
 */
iri_status_t iri_listing_judged(iri_listing_t    *listing,
                                iri_name_result_t result);

/*
 * Compare the entry that is judged with the file that the server would open for
 * its path.
 * Returns: LINKED: the file is the entry; UNLINKED: it is another one of the
 * directory with the same name, or the entry has no name; HIDDEN: a rule has
 * mapped the path to another file.
 */
iri_name_result_t iri_listing_compare(iri_listing_t             *listing,
                                      const iri_listing_entry_t *entry,
                                      iri_str_t                  filename);


/* ---- the page ------------------------------------------------------------ */

/*
 * Write the page, as HTML or JSON, in UTF-8, well-formed for any names.  HTML
 * is XML too, and loads nothing.  Octets that are not UTF-8, controls, bidi
 * formatting and other invisible characters are shown as "%" and hexadecimal
 * digits.
 *
 * A listing has the status 200.  Directories come first.  Names are sorted by
 * Unicode collation, with numbers by value; if there is no memory for the keys,
 * by character.  An entry that shares its name with another one is marked as a
 * conflict.  href is "./" and the percent-encoded name, with a final "/" for a
 * directory; so the URI of the page must end with "/".  JSON:
 * {"path":"/a/","entries":[{"name":"b","href":"./b","directory":false,
 * "size":1,"modified":"2026-11-22T11:25:00Z"}]}.  name is null for an entry
 * without a name; href is null if no request finds the entry; size is absent
 * for a directory; "octets":"%E9", percent-encoded, is present if they are not
 * the name in UTF-8; "conflict":true if another entry has the same name.
 * Behind the list: "more":true if entries were left out; "next":"?..." if there
 * is another page: its URI reference.
 *
 * Choices have the status 300 (RFC 9110, 15.4.1): a list of links, in HTML with
 * the paths in Unicode, each isolated by <bdi>.  JSON:
 * {"choices":[{"path":"...","uri":"..."}]}, with "more":true behind the list.
 * path is in Unicode, with U+FFFD for each octet that is not UTF-8; uri is
 * percent-encoded, with the query.
 * If the client may get none of the choices, the status is 404, and there is no
 * body: the name counts as absent.
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_page(iri_listing_t *listing, iri_page_t *out);


#pragma GCC visibility pop

#endif /* IRI_LISTING_H */
