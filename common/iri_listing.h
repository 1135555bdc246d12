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


/* ---- choices ------------------------------------------------------------- */

/* The choices for one request. */
typedef struct {
    iri_str_t        asked;      /* canonical path of the request; empty: it is
                                    not shown */
    int              has_query;  /* 1: the links get query */
    iri_str_t        query;      /* as sent */
    const iri_str_t *paths;      /* canonical paths, from iri_found_t.choices,
                                    only those that the client may get; of a
                                    directory with a final "/" */
    size_t           count;      /* number of paths */
    int              more;       /* 1: there are more, equally near */
} iri_choices_t;

/*
 * Build the body of an answer 300 Multiple Choices (RFC 9110, 15.4.1).  It ends
 * with a line feed.
 *
 * iri_choices_html, for "text/html; charset=utf-8": a list of links,
 * percent-encoded, with the paths in Unicode, each isolated by <bdi>.  The page
 * loads nothing.  Octets that are not UTF-8, controls, bidi formatting and
 * other invisible characters are shown as "%" and hexadecimal digits.
 *
 * iri_choices_json, for "application/json":
 * {"choices":[{"path":"...","uri":"..."}]}, with "more":true behind the list if
 * more is set.  path is in Unicode, with U+FFFD for each octet that is not
 * UTF-8; uri is percent-encoded, with the query.
 *
 * Both are well-formed for any paths.
 * Returns: IRI_OK; IRI_NO_MEMORY.
 *
 * {"/a<b"} -> ...<li><a href="/a%3Cb"><bdi>/a&lt;b</bdi></a></li>...
 * {"/a<b"} -> {"choices":[{"path":"/a\u003cb","uri":"/a%3Cb"}]}
 */
iri_status_t iri_choices_html(const iri_env_t     *env,
                              const iri_choices_t *choices, iri_str_t *out);
iri_status_t iri_choices_json(const iri_env_t     *env,
                              const iri_choices_t *choices, iri_str_t *out);

/*
 * The value of Content-Security-Policy for such an answer, to be sent as that
 * of iri_listing_policy().
 * json: 1 for iri_choices_json, 0 for iri_choices_html.
 * Returns: a static NUL-terminated string.
 */
const char *iri_choices_policy(int json);

/*
 * Does a client prefer application/json to text/html (RFC 9110, 12.5.1)?
 * accept: value of the field Accept, several fields joined by ","; empty:
 * absent.
 * Returns: 1 or 0.
 * "application/json" -> 1; "text/html, application/json" -> 0; "" -> 0
 * "text/html;q=0.5, application/json" -> 1
 */
int iri_prefers_json(iri_str_t accept);


/* ---- listings ------------------------------------------------------------ */

#define IRI_LISTING_MEMORY (128 * 1024 * 1024)   /* octets of one listing */
#define IRI_LISTING_PAGE   1000                  /* names on a page, if paged */

/*
 * The listing of one directory.  Order of calls:
 *
 *     iri_listing_begin
 *     for each entry of the directory:
 *         iri_listing_entry            its canonical path
 *         iri_listing_add              if the client may see that path
 *     if conf->paged:
 *         iri_listing_judge_begin
 *         iri_listing_judge            until none is left
 *             iri_listing_keep         if the client may see that path
 *     iri_listing_finish
 *     iri_listing_next                 until it returns 0
 */
typedef struct iri_listing_s iri_listing_t;

/* The directory of a listing, and the settings for it. */
typedef struct {
    const iri_tree_conf_t    *tree;     /* settings of the directory */
    iri_index_cache_t        *cache;    /* NULL: no index is cached */
    const iri_reading_conf_t *reading;  /* how requests for the links will be
                                           read; NULL: as UTF-8 only, with
                                           unnamed for other octets */
    iri_str_t                 root;     /* the directory on disk, octets,
                                           absolute, with or without a final
                                           "/" */
    iri_str_t                 path;     /* its canonical path; begins and ends
                                           with "/" */
    iri_str_t                 query;    /* as sent: "sort=size&order=desc",
                                           "format=json"; unknown parameters
                                           and values are ignored */
    int                       unnamed;  /* 1: entries without a name are served
                                           by their octets (iri_invalid
                                           pass) */
    int                       paged;    /* 1: entries are judged one by one, by
                                           iri_listing_judge(), for one page of
                                           IRI_LISTING_PAGE names.  The link to
                                           a page has "after=..." in its
                                           query */
} iri_listing_conf_t;

/* An entry whose visibility to the client is not decided yet. */
typedef struct {
    iri_str_t octets;   /* as stored on disk */
    iri_str_t name;     /* iri_entry_name(); empty: it has no name */
    iri_str_t path;     /* whole canonical path, to be judged by the rules of
                           the server; only that of a directory from
                           iri_listing_judge() ends in "/"; for an entry
                           without a name its octets are the last segment */
    int       hidden;   /* 1: begins with ".": must not be added */
    int       reads;    /* 1: a request for path is read as path, without a
                           test; 0: unknown */
    int       flags;    /* only for iri_listing_add() */
} iri_listing_entry_t;

/* The facts about an entry that a listing shows besides its name. */
typedef struct {
    int      is_directory;  /* 1 or 0 */
    int      is_known;      /* 0: size and mtime are unknown and not shown */
    uint64_t size;          /* octets */
    int64_t  mtime;         /* seconds since the epoch */
} iri_listing_info_t;

/*
 * Begin a listing.  Its memory comes from env's arena in a few large blocks, at
 * most IRI_LISTING_MEMORY.
 * env, conf: what conf points to, and env, must live as long as the listing.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_begin(const iri_env_t          *env,
                               const iri_listing_conf_t *conf,
                               iri_listing_t           **out);

/*
 * Compute name and path of an entry of the directory.
 *
 *   octets   as stored on disk; *entry points to them
 *   entry    valid until the next iri_listing_entry()
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED: there can be no listing.
 */
iri_status_t iri_listing_entry(iri_listing_t *listing, iri_str_t octets,
                               iri_listing_entry_t *entry);

/*
 * Copy an entry to the listing, unless it is hidden or iri_listing_is_full().
 * Returns: IRI_OK, also if it was left out; IRI_NO_MEMORY.
 */
iri_status_t iri_listing_add(iri_listing_t             *listing,
                             const iri_listing_entry_t *entry,
                             const iri_listing_info_t  *info);

/*
 * After all entries were added to a paged listing: sort them, and go to the
 * first entry of the page.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_judge_begin(iri_listing_t *listing);

/*
 * Get the next entry to judge.  If the client may see it, call
 * iri_listing_keep() before the next call.  Once the page is full, entries are
 * judged only until it is known whether there is another page.  So the page
 * reveals neither entries that the client may not see nor their number.
 *
 *   entry     valid until the next call.  With conf.unnamed 0, the path of an
 *             entry without a name has U+FFFD for each octet that is not UTF-8,
 *             because rules expect characters
 *   is_left   1; 0: all entries are judged, *entry and *is_directory are not
 *             written, call iri_listing_finish()
 *
 * Returns: IRI_OK; IRI_NO_MEMORY.
 */
iri_status_t iri_listing_judge(iri_listing_t *listing,
                               iri_listing_entry_t *entry, int *is_directory,
                               int *is_left);

/* The client may see the entry that iri_listing_judge() returned last. */
void iri_listing_keep(iri_listing_t *listing);

/*
 * Is the memory of the listing exhausted?  Entries that are added after that
 * are left out, and the page says so (iri_listing_set_incomplete).  So the
 * caller may stop reading the directory.
 * Returns: 1 if one more entry might need more than IRI_LISTING_MEMORY, else 0.
 */
int iri_listing_is_full(const iri_listing_t *listing);

/*
 * Returns: 1 if these octets on disk have the same name as entry; else 0, also
 * if one of them has no name, or after an error.
 */
int iri_listing_has_same_name(iri_listing_t             *listing,
                              const iri_listing_entry_t *entry,
                              iri_str_t                  octets);

/*
 * Mark the listing as incomplete: some entries could not be judged.  The page
 * says so, and JSON has "more":true behind the list.
 */
void iri_listing_set_incomplete(iri_listing_t *listing);

/*
 * Sort the entries and find those that share a name.  Directories come first.
 * Names are sorted by Unicode collation, with numbers by value; if there is no
 * memory for the keys, by character.  Of entries that share a name only the one
 * that iri_find() finds gets a link; all are marked as a conflict.  Calls stat
 * and list of env->dir if the octets alone do not decide.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_finish(iri_listing_t *listing);

/*
 * The value of Content-Type.
 * Returns: "text/html; charset=utf-8" or "application/json", static.
 */
const char *iri_listing_type(const iri_listing_t *listing);

/*
 * The value of Content-Security-Policy, to be sent unless the answer has this
 * field: nothing may be loaded, and only the page's own style, identified by
 * its hash, applies.  Send "X-Content-Type-Options: nosniff" with it.
 * Returns: a static NUL-terminated string.
 */
const char *iri_listing_policy(const iri_listing_t *listing);

/*
 * Write the next octets of the body.  It allocates no memory and cannot fail.
 *
 * The page is UTF-8, and well-formed as HTML and as XML for any names.  Names
 * are shown as in iri_choices_html().  href is "./" and the percent-encoded
 * name, with a final "/" for a directory; so the URI of the page must end with
 * "/".
 *
 * JSON: {"path":"/a/","entries":[{"name":"b","href":"./b","directory":false,
 * "size":1,"modified":"2026-11-22T11:25:00Z"}]}.  name is null for an entry
 * without a name; href is null if no request finds the entry; size is absent
 * for a directory; "octets":"%E9", percent-encoded, is present if they are not
 * the name in UTF-8; "conflict":true if another entry has the same name.  If
 * there is another page, "next":"?..." behind the list is its URI reference.
 *
 *   out    size octets, owned by the caller
 *   size   at least 1; 32 KiB is a good size
 *
 * Returns: number of octets written; 0: the body is complete.
 */
size_t iri_listing_next(iri_listing_t *listing, unsigned char *out,
                        size_t size);


#pragma GCC visibility pop

#endif /* IRI_LISTING_H */
