/*
 * iri_path.h - segments of a path, URIs, repair
 */

#ifndef IRI_PATH_H
#define IRI_PATH_H

#include "iri.h"
#include "charset/iri_charset.h"

#pragma GCC visibility push(hidden)


/* ---- URIs ------------------------------------------------------------------ */

/* ucschar of RFC 3987, 2.2, without the bidi formatting characters */
int iri_char_is_ucs(uint32_t c);

/* unreserved of RFC 3986, 2.3: an escape of it means the same as itself */
int iri_is_unreserved(unsigned char c);

/* Append "?" and a query as it came, what cannot stand in a URI escaped. */
iri_status_t iri_put_query(const iri_env_t *env, iri_str_t query,
                           iri_buf_t *buf);


/* ---- one segment ----------------------------------------------------------- */

/* The octets of a path, and how each of them came. */
typedef struct {
    iri_str_t            octets;    /* unescaped */
    const unsigned char *escaped;   /* 1 for each octet that was; or NULL */
    int                  raw_high;  /* escaped NULL: some octet came raw */
    int                  raw_bidi;  /* escaped NULL: some bidi character did */
} iri_source_t;

/*
 * Read the segment source.octets[from, to) in a charset and append it to
 * path, canonical, and where uri is not NULL to that, percent-encoded.
 * *why: IRI_WHY_READ, or why it has no reading, and then the buffers are as
 * before.  Neither the octets nor the canonical segment may be more than
 * IRI_MAX_SEGMENT: a name that was read can be read again.
 */
iri_status_t iri_segment_read(const iri_env_t *env,
                              const iri_charset_t *charset,
                              const iri_source_t *source, size_t from,
                              size_t to, iri_buf_t *path, iri_buf_t *uri,
                              iri_why_t *why);

/* Would it be read? */
iri_status_t iri_segment_is_read(const iri_env_t *env,
                                 const iri_charset_t *charset,
                                 const iri_source_t *source, size_t from,
                                 size_t to, int *read);


/* ---- repair ---------------------------------------------------------------- */

iri_form_t iri_repair_form(unsigned how);

/* Can a segment of path be put right so? */
iri_status_t iri_repair_is_possible(const iri_env_t *env, unsigned how,
                            iri_str_t path, int *may);


#pragma GCC visibility pop

#endif /* IRI_PATH_H */
