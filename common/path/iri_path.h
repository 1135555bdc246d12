/*
 * iri_path.h - segments of a path, URIs, repair
 *
 * The functions of common/path/ that only the core calls.  iri.h declares the
 * others: iri_read(), iri_repair(), iri_path_to_uri(), iri_query_read().
 * Memory comes from env and lives as long as it; nothing has to be freed.
 */

#ifndef IRI_PATH_H
#define IRI_PATH_H

#include "iri.h"
#include "charset/iri_charset.h"

#pragma GCC visibility push(hidden)


/* ---- URIs ---------------------------------------------------------------- */

/*
 * Append "?" and a query to buf.  query: octets as sent, without "?".  Octets
 * that could end a header field, a quoted string or a tag (00 to 20, 7F to FF,
 * ", < and >) are percent-encoded, as by iri_location_field().  All others are
 * copied.
 * Returns: IRI_OK; IRI_NO_MEMORY.
 * "a=\xE9" -> "?a=%E9"
 */
iri_status_t iri_put_query(const iri_env_t *env, iri_str_t query,
                           iri_buf_t *buf);


/*
 * Returns: 1 if iri_uri_normalize() would not change sent, else 0.
 * "/f%2F%C3%A9" -> 1; "/%66" -> 0
 */
int iri_uri_is_normalized(iri_str_t sent);


/* ---- one segment --------------------------------------------------------- */

/* The unescaped octets of a path, and which of them were sent escaped. */
typedef struct {
    iri_str_t            octets;    /* unescaped */
    const unsigned char *escaped;   /* for each octet: 1: it was escaped; NULL:
                                       raw_high and raw_bidi count instead */
    int                  raw_high;  /* 1: an octet above 7F was sent raw */
    int                  raw_bidi;  /* 1: a bidi formatting character was sent
                                       raw */
} iri_source_t;

/*
 * Decode the segment source->octets[from, to) in charset, check it, put it in
 * NFC and append it to path (UTF-8), and to uri (percent-encoded) unless uri is
 * NULL (draft 2.3).  Both the octets and the canonical segment may have at most
 * IRI_MAX_SEGMENT octets, so that a canonical segment can be read again.
 *
 * *why: IRI_WHY_READ, or why the segment has no reading (UNREADABLE, BIDI,
 * LIMIT); in that case the buffers are not changed.
 * Returns: IRI_OK, also without a reading; IRI_NO_MEMORY; IRI_ICU_FAILED.
 *
 * "e\xCC\x81" in UTF-8 -> path "\xC3\xA9", uri "%C3%A9"
 */
iri_status_t iri_segment_read(const iri_env_t *env,
                              const iri_charset_t *charset,
                              const iri_source_t *source, size_t from,
                              size_t to, iri_buf_t *path, iri_buf_t *uri,
                              iri_why_t *why);

/*
 * Set *read to 1 if iri_segment_read() would give a reading, else to 0.
 * Returns: as iri_segment_read(); *read is 0 on an error.
 */
iri_status_t iri_segment_is_read(const iri_env_t *env,
                                 const iri_charset_t *charset,
                                 const iri_source_t *source, size_t from,
                                 size_t to, int *read);


/* ---- repair -------------------------------------------------------------- */

/*
 * Returns: the form of a path that one kind of repair decodes.  how: one of
 * IRI_REPAIR_....  IRI_REPAIR_DOUBLE -> IRI_FORM_DOUBLE
 */
iri_form_t iri_repair_form(unsigned how);

/*
 * A quick test before iri_repair().
 * how: one or more of IRI_REPAIR_...  text: a segment or a path, as octets.
 * Returns: 0 if none of these repairs changes a segment of text (TRAILING: the
 * last segment); else 1, also if that is not known.
 */
int iri_repair_may_change(unsigned how, iri_str_t text);

/*
 * Set *possible to 1 if iri_repair() repairs a segment of path in this way,
 * else to 0.
 * how: one of IRI_REPAIR_....
 * path: UTF-8; for mojibake also octets that are not UTF-8.
 * Returns: as iri_repair().
 */
iri_status_t iri_repair_is_possible(const iri_env_t *env, unsigned how,
                                    iri_str_t path, int *possible);


/* ---- a whole path -------------------------------------------------------- */

/*
 * As iri_read(), but out->uri may be empty if request->escaped is 0, to save
 * time.  iri_path_to_uri() makes the URI from out->path.
 * iri_redirect_location() does not need out->uri.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED, IRI_BAD_ESCAPE.
 */
iri_status_t iri_read_path(const iri_env_t *env,
                           const iri_reading_conf_t *conf,
                           const iri_received_path_t *request,
                           iri_reading_t *out);

/*
 * The code of a reason: "query-read" (doc/reasons.md).
 * Returns: a static NUL-terminated string; "unknown" for a value out of range.
 */
const char *iri_query_why_code(iri_query_why_t why);


#pragma GCC visibility pop

#endif /* IRI_PATH_H */
