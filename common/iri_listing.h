/*
 * iri_listing.h - listings of directories, and choices
 */

#ifndef IRI_LISTING_H
#define IRI_LISTING_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- choices --------------------------------------------------------------- */

/* Names that a request may mean, and the request. */
typedef struct {
    iri_str_t        asked;      /* canonical path; empty: it is not shown */
    int              has_query;  /* links keep it */
    iri_str_t        query;      /* as it came */
    const iri_str_t *paths;      /* canonical, as iri_found_t.choices; only
                                    those that the client could get, of a
                                    directory with its "/" */
    size_t           count;
    int              more;       /* there are others that are as near */
} iri_choices_t;

/*
 * The body of an answer 300 Multiple Choices.  Ends with a line feed.
 *
 * HTML, for "text/html; charset=utf-8": a list of links, percent-encoded,
 * each with its path in Unicode as text of its own (bdi); it loads nothing.
 * Octets that are no character, controls, bidi formatting and other
 * characters that are not seen are shown as "%" and hexadecimal digits.
 * JSON, for "application/json": {"choices":[{"path":"...","uri":"..."}]}, with
 * "more":true behind the list where there are others; path is in Unicode, uri
 * percent-encoded, with the query; octets that are no character are U+FFFD in
 * path.  Both are fit to stand in any answer, whatever the names are.
 * IRI_NO_MEMORY.
 *
 * {"/a<b"} -> ...<li><a href="/a%3Cb"><bdi>/a&lt;b</bdi></a></li>...;
 * {"choices":[{"path":"/a\u003cb","uri":"/a%3Cb"}]}
 */
iri_status_t iri_choices_html(const iri_env_t     *env,
                              const iri_choices_t *choices, iri_str_t *out);
iri_status_t iri_choices_json(const iri_env_t     *env,
                              const iri_choices_t *choices, iri_str_t *out);

/*
 * The value of Content-Security-Policy for one of them (json: the second), to
 * be sent as that of a listing is: iri_listing_policy.  Static.
 */
const char *iri_choices_policy(int json);

/*
 * 1 if a client would rather have application/json than text/html.  accept:
 * the value of Accept, several fields joined by ","; empty: there was none.
 * "application/json" -> 1; "text/html, application/json" -> 0; "" -> 0;
 * "text/html;q=0.5, application/json" -> 1
 */
int iri_prefers_json(iri_str_t accept);


/* ---- listings -------------------------------------------------------------- */

#define IRI_LISTING_MEMORY (128 * 1024 * 1024)   /* octets for one listing */
#define IRI_LISTING_PAGE   1000                  /* names, if conf.paged */

typedef struct iri_listing_s iri_listing_t;

typedef struct {
    const iri_tree_conf_t    *tree;
    iri_index_cache_t              *cache;    /* as in iri_search_t */
    const iri_reading_conf_t *reading;  /* by which the requests of the links
                                           will be read; NULL: UTF-8 alone,
                                           and unnamed says what is invalid */
    iri_str_t                 root;     /* the directory on disk, absolute; it
                                           may end with "/" */
    iri_str_t                 path;     /* its canonical path; starts and ends
                                           with "/" */
    iri_str_t                 query;    /* as it came: "sort=size&order=desc",
                                           "format=json"; what else is in it,
                                           and what is not known, does no
                                           harm */
    int                       unnamed;  /* 1: entries without a name are served
                                           by their octets (iri_invalid
                                           pass) */
    int                       paged;    /* 1: names are judged one by one, by
                                           iri_listing_judge, for one page
                                           of IRI_LISTING_PAGE names; query
                                           may say where the page begins, with
                                           "after=..." of the link to it */
} iri_listing_conf_t;

/* One entry, before it is known whether the client may know of it. */
typedef struct {
    iri_str_t octets;   /* as stored */
    iri_str_t name;     /* iri_entry_name; empty: it has none */
    iri_str_t path;     /* whole canonical path that it would be asked for
                           by, without a "/" at its end: what the rules of
                           the server are to judge; of an entry without a
                           name its octets stand at the end */
    int       hidden;   /* 1: starts with ".": never told */
    int       reads;    /* 1: a request for path is read as it stands, which
                           need not be tried; 0: it may be */
    int       look;     /* for iri_listing_add */
} iri_listing_entry_t;

typedef struct {
    int      is_directory;
    int      is_known;  /* 0: size and mtime are not: they are left out */
    uint64_t size;      /* octets */
    int64_t  mtime;     /* seconds since the epoch */
} iri_listing_info_t;

/*
 * A listing of one directory: begin; then, for each entry of it that the
 * caller reads, _entry to learn its path, and where the rules of the server
 * let the client have that, _add; then _finish once, and _next until nothing
 * is left.  What it needs comes from env's arena, in few large pieces, and is
 * no more than IRI_LISTING_MEMORY; env and what conf points to must live as
 * long as the listing does.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_begin(const iri_env_t          *env,
                               const iri_listing_conf_t *conf,
                               iri_listing_t           **out);

/*
 * entry and its strings are good until the next iri_listing_entry.
 * IRI_NO_MEMORY, IRI_ICU_FAILED: it is not known, and there can be no page.
 */
iri_status_t iri_listing_entry(iri_listing_t *listing, iri_str_t octets,
                               iri_listing_entry_t *entry);

/* IRI_NO_MEMORY: the arena gave NULL. */
iri_status_t iri_listing_add(iri_listing_t             *listing,
                             const iri_listing_entry_t *entry,
                             const iri_listing_info_t  *info);

/*
 * Only with conf.paged, after all entries were added: sort them, and go to
 * where the page begins.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_judge_begin(iri_listing_t *listing);

/*
 * The next entry that is to be judged: if the client may know of it, call
 * iri_listing_keep() before the next.  *is_left 0: there is none, call
 * iri_listing_finish().  More entries than a page holds are judged only until
 * it is known whether there is another page: the page says nothing of entries
 * that the client may not know of, nor of their number.  In entry->path of an
 * entry without a name that is not served (!conf.unnamed), U+FFFD stands for
 * each octet that is not UTF-8, so that rules see characters.  entry is good
 * until the next call.  IRI_NO_MEMORY.
 */
iri_status_t iri_listing_judge(iri_listing_t *listing,
                               iri_listing_entry_t *entry, int *is_directory,
                               int *is_left);
void iri_listing_keep(iri_listing_t *listing);

/*
 * 1: one more would need more than IRI_LISTING_MEMORY.  What is added all the
 * same is left out, which the page says (iri_listing_more), so the rest of the
 * directory need not be read.
 */
int iri_listing_is_full(const iri_listing_t *listing);

/* 1 if what has these octets on disk has the name of entry, too. */
int iri_listing_has_same_name(iri_listing_t             *listing,
                        const iri_listing_entry_t *entry, iri_str_t octets);

/*
 * There is more in the directory than is added: entries of which it could not
 * be asked whether the client may know of them.  The page says so, and JSON
 * has "more":true behind the list.
 */
void iri_listing_more(iri_listing_t *listing);

/*
 * Sort (directories first; names by Unicode collation, numbers in them by
 * value; by character where there is no room for the keys of so many), and see
 * which entries share a name: of these the one that the name leads to
 * (iri_find) is linked, all are marked.  Looks at the file system where octets
 * alone do not tell.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_finish(iri_listing_t *listing);

/* "text/html; charset=utf-8" or "application/json"; static. */
const char *iri_listing_type(const iri_listing_t *listing);

/*
 * The value of Content-Security-Policy, to be sent where the answer has none
 * yet: nothing may be loaded, and of style there is only the page's own, by
 * its hash.  With it belongs "X-Content-Type-Options: nosniff".  Static.
 */
const char *iri_listing_policy(const iri_listing_t *listing);

/*
 * Put the next octets of the page, at most size (at least 1), into out, and
 * return how many; 0: that was all.  After _finish this cannot fail, and asks
 * for no memory.  Some 32 KiB at a time are a good size.
 *
 * The page is UTF-8 and well-formed as HTML and as XML, whatever the names
 * are; names are shown as iri_choices_html shows paths; href is "./" and the
 * percent-encoded name, with "/" behind that of a directory: it is that of a
 * page whose own URI ends with "/".
 * JSON: {"path":"/a/","entries":[{"name":"b","href":"./b","directory":false,
 * "size":1,"modified":"2026-11-22T11:25:00Z"}]}; name is null where there is
 * none, href where a request would not come to the entry; size is not there
 * for a directory; "octets":"%E9", percent-encoded, is where these are not the
 * name, "conflict":true where another entry has the name, too.  Where there
 * is another page, "next":"?..." behind the list is its URI reference.
 */
size_t iri_listing_next(iri_listing_t *listing, unsigned char *out,
                        size_t size);


#pragma GCC visibility pop

#endif /* IRI_LISTING_H */
