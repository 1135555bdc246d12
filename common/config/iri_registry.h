/*
 * iri_registry.h - the charsets of a configuration
 */

#ifndef IRI_REGISTRY_H
#define IRI_REGISTRY_H

#include "charset/iri_charset.h"

#pragma GCC visibility push(hidden)


/* ---- the registry ---------------------------------------------------------- */

/* The registry's arena, and its charset for a row. */
const iri_env_t *iri_registry_env(const iri_registry_t *registry);
const iri_charset_t *iri_registry_get(iri_registry_t *registry,
                                      const iri_encoding_t *encoding,
                                      const char **why);


#pragma GCC visibility pop

#endif /* IRI_REGISTRY_H */
