/*
 * iri_idna.h - mapping of host names
 */

#ifndef IRI_IDNA_H
#define IRI_IDNA_H

#include "iri_host.h"
#include "base/iri_string.h"

#pragma GCC visibility push(hidden)


/*
 * The functions of iri_idna.c and iri_idna_compatible.c append to buffers.
 * host and unicode are UTF-8 within the limits of hosts (iri_host_check).
 * *why: IRI_HOST_MAPPED, or the error.  After an error the contents of the
 * buffers are undefined.
 * Returns: IRI_OK, IRI_NO_MEMORY, IRI_ICU_FAILED.
 */

/* ---- A-labels and U-labels ----------------------------------------------- */

/*
 * Map host by UTS #46 to A-labels and U-labels.
 * "B\xC3\xBC" -> ascii "xn--b-eha", unicode "b\xC3\xBC"
 */
iri_status_t iri_idna_map(const iri_env_t *env, const iri_idna_t *idna,
                          iri_str_t host, iri_buf_t *ascii,
                          iri_buf_t *unicode, iri_host_why_t *why);

/* Map host to U-labels only (UTS #46, ToUnicode). */
iri_status_t iri_idna_to_unicode(const iri_env_t *env,
                                 const iri_idna_t *idna, iri_str_t host,
                                 iri_buf_t *unicode, iri_host_why_t *why);

/* Convert U-labels to A-labels by IDNA2008 (RFC 5891, lookup). */
iri_status_t iri_idna2008(const iri_env_t *env, iri_str_t unicode,
                          iri_buf_t *ascii, iri_host_why_t *why);

/*
 * The older mapping: mapping table and NFC (sections 3, 4 and 6 of "IDNA
 * Compatible Preprocessing").  The caller checks the result.
 */
iri_status_t iri_idna_compatible_map(const iri_env_t *env, iri_str_t host,
                                     iri_buf_t *unicode, iri_host_why_t *why);


/* ---- iri_host.c ---------------------------------------------------------- */

/*
 * Convert a host to U-labels (UTS #46, ToUnicode), also a host that is too long
 * for the DNS.  SERVE: unicode is set, ascii is host; else REFUSE.  With
 * IRI_MAPPING_COMPATIBLE the result is that of iri_host_map().
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "xn--bcher-kva" -> SERVE, unicode "b\xC3\xBCcher"
 */
iri_status_t iri_host_to_unicode(const iri_env_t *env,
                                 const iri_host_conf_t *conf, iri_str_t host,
                                 iri_host_t *out);

/*
 * The code of a reason: "host-bidi" (doc/reasons.md).
 * Returns: a static NUL-terminated string; "unknown" for a value out of range.
 */
const char *iri_host_why_code(iri_host_why_t why);


#pragma GCC visibility pop

#endif /* IRI_IDNA_H */
