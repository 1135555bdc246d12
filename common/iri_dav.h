/*
 * iri_dav.h - WebDAV: new entries, Destination, If, multistatus answers
 *
 * Decides whether a method may create, copy or move an entry, and converts
 * paths in WebDAV fields and answers (RFC 4918) between canonical paths and
 * octets on disk.  The server carries out the method.
 */

#ifndef IRI_DAV_H
#define IRI_DAV_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- creating entries ---------------------------------------------------- */

/*
 * Does this method create an absent entry?  If it cannot be created, the answer
 * is 409 (RFC 9110, 9.3.4 and 15.5.10), not 404.  The entry of a Destination is
 * created too.
 * Returns: 1 for PUT, MKCOL and LOCK; else 0.
 * "PUT" -> 1; "MOVE" -> 0
 */
int iri_method_creates(iri_str_t method);

/*
 * Find an existing entry that conflicts with a new one.  If an entry differs
 * from the new name only in those differences of IRI_FOLD_NEAR that the tree
 * ignores, *found becomes REFUSE with IRI_WHY_CONFLICT.  With "spelling" alone
 * both names may exist.
 * A search that a limit or an error of the file system has ended finds none.
 *
 *   source   name on disk of the entry that is moved there, which may change
 *            its own name so; empty: nothing is moved
 *   found    in: the result of iri_find() for search, with write 1; it changes
 *            only if it is PASS
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED: unknown, so nothing may be
 * created.
 * "case", entry "Name", new "NAME" -> CONFLICT; with source "/srv/Name" not
 */
iri_status_t iri_find_conflict(const iri_env_t    *env,
                               const iri_search_t *search, iri_str_t source,
                               iri_found_t *found);

/*
 * Returns: 1 if *found refuses a new entry because of its name: CHOOSE, or
 * REFUSE with IRI_WHY_UNWRITABLE, CONFLICT or OTHER_NAME; else 0.
 */
int iri_is_conflict(const iri_found_t *found);

/*
 * The message to a client that cannot create an entry: one to three sentences
 * in ASCII, static.  A general one for a reason that is no conflict.
 */
const char *iri_conflict_text(iri_why_t why);


/* ---- the field Destination (RFC 4918, 10.3) ------------------------------ */

/* Returns: the host in value of the field, as sent; empty: it has none. */
iri_str_t iri_destination_host(iri_str_t value);

/* Returns: the path in it, as sent, without the query; empty: it has none. */
iri_str_t iri_destination_path(iri_str_t value);

/*
 * Make host and path of the field canonical: "/caf%E9" -> "/caf%C3%A9".
 *
 *   host      replaces the host; empty: it stays
 *   value     the field; the new one ends in a NUL, which is not counted
 *   reading   set to the reading of the path; all 0 for an ASCII path, which
 *             stays as it is
 *
 * Returns: 0; else the HTTP status to answer with: 400 for an invalid escape,
 * that of a path that is refused, which is logged, or 500.
 */
int iri_destination_read(const iri_env_t *env, const iri_reading_conf_t *conf,
                         iri_str_t host, iri_str_t *value,
                         iri_reading_t *reading);

/*
 * Replace path and query in the field by path, the same path decoded.  The
 * field stays if path would be read differently then, because it contains "%",
 * "?" or "#", or if only one of field and path ends in "/".
 * Returns: IRI_OK, IRI_NO_MEMORY.
 */
iri_status_t iri_destination_unescape(const iri_env_t *env, iri_str_t path,
                                      iri_str_t *value);

/*
 * May a Destination be written, as far as this does not depend on a lookup,
 * whose result must not be revealed before access is granted?
 *
 *   source   canonical path of the source
 *   path     of the Destination
 *   prefix   octets that the server removes from both before it maps them to
 *            files: they must be equal
 *
 * Returns: 0; else the HTTP status, after the refusal is logged: 400; 409 if
 * only one of the paths ends in "/".
 */
int iri_destination_check(const iri_env_t *env, iri_str_t source,
                          iri_str_t path, size_t prefix);


/* ---- the field If (RFC 4918, 10.4) --------------------------------------- */

#define IRI_MAX_IF_TAGS 8   /* resource tags of a request that are looked up */

/*
 * Find the path of a resource tag.
 *
 *   path       as in the tag, raw or percent-encoded; not empty
 *   paths[0]   to be set to its canonical path, decoded; if it stays empty,
 *              the tag is not changed
 *   paths[1]   to be set to the path of a second tag, which gets the same
 *              lists; if it stays empty, there is none
 *
 * Returns: IRI_OK; any other status ends iri_if_field_map().
 */
typedef iri_status_t (*iri_if_tag_t)(void *arg, iri_str_t path,
                                     iri_str_t paths[2]);

/* How the fields If of a request are mapped. */
typedef struct {
    iri_if_tag_t find;
    void        *arg;    /* passed to find; may be NULL */
    int          raw;    /* 1: write paths decoded, as dav_ext compares them,
                            which ends a tag at the first ">"; 0: write them
                            percent-encoded; ASCII tags stay */
    unsigned     tags;   /* number of calls of find; 0 at first */
} iri_if_map_t;

/*
 * Replace the paths in the resource tags of a field If, which servers compare
 * octet for octet, by canonical ones.  All other octets stay, and so do an
 * incomplete value and the tags after IRI_MAX_IF_TAGS.  A NUL follows *out.
 * Returns: IRI_OK; IRI_NO_MEMORY; the status that find returned.
 * "</e%CC%81> (<urn:x>)" -> "</%C3%A9> (<urn:x>)"
 */
iri_status_t iri_if_field_map(const iri_env_t *env, iri_str_t value,
                              iri_if_map_t *map, iri_str_t *out);


/* ---- multistatus answers ------------------------------------------------- */

#define IRI_MULTISTATUS_BASES 2   /* the request and its Destination */

/* The conversion of one answer. */
typedef struct iri_multistatus_s iri_multistatus_t;

typedef struct {
    const iri_tree_conf_t *tree;   /* of the names in the answer */
    iri_str_t base[IRI_MULTISTATUS_BASES];
                     /* canonical paths of the request and of a Destination,
                        decoded; in an href octets on disk follow one of them
                        and "/".  Empty: no such base */
    int       raw;   /* 1: DAV:displayname is octets on disk, and the href in
                        DAV:lockroot is not percent-encoded (nginx); 0:
                        DAV:displayname is set by clients (mod_dav) */
} iri_multistatus_conf_t;

/*
 * Replace octets on disk by names in the XML of an answer: a DAV:multistatus
 * (RFC 4918, 14.16), or the DAV:prop of an answer to LOCK.  The answer is
 * passed to iri_multistatus_convert() in pieces of any size.
 *
 * The href of a DAV:response or DAV:lockroot becomes the canonical path,
 * percent-encoded.  An entry without a name keeps its octets, and so does an
 * href that is not a path or is too long.  With raw, a DAV:displayname becomes
 * the name; for an entry without a name, octets that are not UTF-8 are shown as
 * "%" and two hexadecimal digits.  Other properties stay.  Everywhere, octets
 * that are not UTF-8 and characters that XML does not allow become U+FFFD.  So
 * the answer is well-formed for any names if its markup is.
 *
 * What env and conf point to must live as long as *out.
 *
 *   in       the octets to convert; those that were not yet read are left:
 *            call again until it is empty
 *   is_end   1: nothing follows in
 *   out      octets of the new answer, valid until the next call; may be empty
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED: the answer is cut off, and
 * further calls return the same status.  The memory in use does not depend on
 * the length of the answer.
 *
 * base "/d/", tree EUC-JP:
 *   <D:href>/d/%c9%bd</D:href> -> <D:href>/d/%E8%A1%A8</D:href>
 */
iri_status_t iri_multistatus_create(const iri_env_t              *env,
                                    const iri_multistatus_conf_t *conf,
                                    iri_multistatus_t           **out);
iri_status_t iri_multistatus_convert(iri_multistatus_t *ms, iri_str_t *in,
                                     int is_end, iri_str_t *out);


#pragma GCC visibility pop

#endif /* IRI_DAV_H */
