/*
 * iri_compatible.c - the older mapping of host names
 */

#include "iri_int.h"


iri_status_t
iri_compatible_map(const iri_env_t *env, iri_str_t host, iri_buf_t *unicode,
                   iri_host_why_t *why)
{
    (void) env;
    (void) host;
    (void) unicode;
    *why = IRI_HOST_CHARACTER;
    return IRI_OK;
}
