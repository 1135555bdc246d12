/*
 * iri_registry.h - the charsets that a configuration has loaded
 */

#ifndef IRI_REGISTRY_H
#define IRI_REGISTRY_H

#include "charset/iri_charset.h"

#pragma GCC visibility push(hidden)


/* ---- the registry -------------------------------------------------------- */

/* The environment whose arena holds the registry and its charsets. */
const iri_env_t *iri_registry_env(const iri_registry_t *registry);

/*
 * The charset of a row of the label table; it is loaded at the first call and
 * lives as long as the arena.  Returns: NULL: refused or not available; *why,
 * static, is the rest of an error message, such as "cannot be opened".
 */
const iri_charset_t *iri_registry_get(iri_registry_t *registry,
                                      const iri_encoding_t *encoding,
                                      const char **why);

/*
 * The charset with this label, if it is loaded.  Returns: NULL: not loaded;
 * *why, static, is the rest of an error message.
 */
const iri_charset_t *iri_registry_find(const iri_registry_t *registry,
                                       iri_str_t label, const char **why);

/*
 * Find two charsets in a list of which the first decodes most texts in the
 * later one, so that the later one is hardly ever used, while the reverse order
 * has no such effect.  Returns: 1 with the indexes of both; 0: there are none.
 */
int iri_charsets_shadow(const iri_charsets_t *list, size_t *first,
                        size_t *later);


#pragma GCC visibility pop

#endif /* IRI_REGISTRY_H */
