/*
 * iri_dav.h - WebDAV: creating entries, the field If, names in multistatus answers
 */

#ifndef IRI_DAV_H
#define IRI_DAV_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- creating entries ------------------------------------------------------ */

/*
 * 1 if a request with this method makes what it names where that is not
 * there: PUT, MKCOL and LOCK; a Destination is made, too.  What cannot be made
 * is 409 (RFC 9110, 9.3.4 and 15.5.10), not 404.  "PUT" -> 1; "MOVE" -> 0
 */
int iri_method_creates(iri_str_t method);

/*
 * Behind iri_find for something that is to be made: where case or accents are
 * forgiven, and an entry is there whose name differs only by them, *found
 * becomes REFUSE, IRI_WHY_CONFLICT.  One edit of a name (spelling) makes another
 * name, of which there may be an entry, too.  source: name on disk of what is
 * moved there, for that may change its name so; empty: nothing is.
 * IRI_NO_MEMORY, IRI_ICU_FAILED, IRI_IO_FAILED: it is not known.
 */
iri_status_t iri_find_conflict(const iri_env_t *env, const iri_search_t *search,
                           iri_str_t source, iri_found_t *found);

/* 1 if it is the name that stands in the way of what is to be made. */
int iri_is_conflict(const iri_found_t *found);

/* What a client is told that it cannot make: a sentence in ASCII, static. */
const char *iri_conflict_text(iri_why_t why);

/* How a Destination lies to its source. */
typedef enum {
    IRI_RELATION_NONE,
    IRI_RELATION_SAME,     /* it is the source */
    IRI_RELATION_INSIDE,   /* in it */
    IRI_RELATION_PARENT    /* the source is in it, and would go with it */
} iri_relation_t;

/*
 * By what is on disk, whatever links lead there.  Both: names on disk, a "/"
 * at the end does not matter; destination need not be there.  All but APART
 * are to be answered with 403 (RFC 4918, 9.8.5 and 9.9.4).
 * IRI_NO_MEMORY; IRI_IO_FAILED: it is not known, so nothing may be written.
 */
iri_status_t iri_path_relation(const iri_env_t *env, iri_str_t source,
                        iri_str_t destination, iri_relation_t *out);

/*
 * 1 if an entry has the same name in both trees, whatever its octets: so a
 * collection, which servers copy with all that is in it octet for octet, may
 * go from one to the other.  IRI_WHY_OTHER_TREE where not.
 * {EUC-JP}, {UTF-8} -> 0; {UTF-8}, {UTF-8, EUC-JP} -> 1, but not back
 */
int iri_tree_preserves_names(const iri_tree_conf_t *from, const iri_tree_conf_t *to);

/*
 * What shall stand in a resource tag in the place of its path, which may be
 * raw or percent-encoded: paths[0], which is path if nothing is done, and, if
 * paths[1] is not empty, that in a second tag with the same lists.
 */
typedef iri_status_t (*iri_if_tag_t)(void *arg, iri_str_t path,
                                  iri_str_t paths[2]);

/*
 * The value of If (RFC 4918, 10.4) with other paths in its resource tags,
 * which servers compare octet for octet.  All else stays, and so does what is
 * not complete.  IRI_NO_MEMORY; what each returned.
 * "</e%CC%81> (<urn:x>)" -> "</%C3%A9> (<urn:x>)"
 */
iri_status_t iri_if_field_map(const iri_env_t *env, iri_str_t value,
                         iri_if_tag_t each, void *arg, iri_str_t *out);


/* ---- multistatus answers --------------------------------------------------- */

#define IRI_MULTISTATUS_BASES 2

/* Takes octets that go out; anything but IRI_OK ends the answer. */
typedef iri_status_t (*iri_put_t)(void *arg, const unsigned char *data,
                                  size_t len);

typedef struct iri_multistatus_s iri_multistatus_t;

typedef struct {
    const iri_tree_conf_t *tree;
    iri_str_t base[IRI_MULTISTATUS_BASES];
                     /* canonical paths, unescaped, that end with "/": of what
                        was asked for and of a Destination; what follows one
                        of them in an href is octets of the disk.  Empty: no
                        such base */
    int       raw;   /* 1: DAV:displayname is octets of the disk and the href
                        in DAV:lockroot is not percent-encoded (nginx); 0: the
                        first is the clients' own (mod_dav) */
} iri_multistatus_conf_t;

/*
 * Put names in the place of octets of the disk in the XML of an answer: a
 * DAV:multistatus (RFC 4918, 14.16), or the DAV:prop that LOCK answers with.
 * It passes through in pieces of any size: _feed for each of them, then _end;
 * what goes out is given to put, within these calls.
 *
 * The href of a DAV:response or DAV:lockroot becomes the canonical path,
 * percent-encoded; that of an entry without a name keeps its octets, and so
 * does what is no path or too long for one.  A DAV:displayname (raw) becomes
 * the name; of an entry without one the octets that are no character are
 * shown as "%" and two hexadecimal digits.  Nothing inside of other
 * properties is changed, but what is not UTF-8, or no character of XML, in
 * any place becomes U+FFFD.  So the answer is well-formed whatever the names
 * are, if its markup is.
 *
 * env, and what conf points to, must live as long as *out.  Memory: at most
 * 600 KiB, whatever comes.  IRI_NO_MEMORY; what put returned: the answer is
 * cut off there, and further calls return the same.
 *
 * base "/d/", tree EUC-JP: <D:href>/d/%c9%bd</D:href>
 *   -> <D:href>/d/%E8%A1%A8</D:href>
 */
iri_status_t iri_multistatus_create(const iri_env_t              *env,
                                    const iri_multistatus_conf_t *conf,
                                    iri_multistatus_t           **out);
iri_status_t iri_multistatus_feed(iri_multistatus_t *ms, iri_str_t octets,
                                  iri_put_t put, void *arg);
iri_status_t iri_multistatus_end(iri_multistatus_t *ms, iri_put_t put,
                                 void *arg);


#pragma GCC visibility pop

#endif /* IRI_DAV_H */
