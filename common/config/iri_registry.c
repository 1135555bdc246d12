/*
 * iri_registry.c - the charsets of a configuration, each loaded once
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "config/iri_registry.h"

#define IRI_MAX_OPEN 64 /* loaded charsets; the label table has fewer rows */

struct iri_registry_s {
    iri_env_t             env;
    const iri_encoding_t *encoding[IRI_MAX_OPEN];
    const iri_charset_t  *charset[IRI_MAX_OPEN];
    size_t                count;
};


iri_registry_t *
iri_registry_create(const iri_env_t *env)
{
    iri_registry_t *registry;

    if (!iri_icu_load()) {
        return NULL;
    }

    registry = env->alloc(env->ctx, sizeof(*registry));
    if (registry == NULL) {
        return NULL;
    }

    memset(registry, 0, sizeof(*registry));
    registry->env = *env;

    return registry;
}


const iri_env_t *
iri_registry_env(const iri_registry_t *registry)
{
    return &registry->env;
}


/* Return a charset if it is loaded, else NULL.  UTF-8 is always loaded. */
static const iri_charset_t *
iri_registry_loaded(const iri_registry_t *registry,
                    const iri_encoding_t *encoding)
{
    size_t i;

    if (strcmp(encoding->name, "UTF-8") == 0) {
        return &iri_charset_utf8;
    }

    for (i = 0; i < registry->count; i++) {
        if (registry->encoding[i] == encoding) {
            return registry->charset[i];
        }
    }

    return NULL;
}


const iri_charset_t *
iri_registry_get(iri_registry_t *registry, const iri_encoding_t *encoding,
                 const char **why)
{
    const iri_charset_t *charset = iri_registry_loaded(registry, encoding);

    if (charset != NULL) {
        return charset;
    }

    if (encoding->converter == NULL) {
        *why = encoding->refused;
        return NULL;
    }

    charset = iri_charset_build(&registry->env, encoding, why);
    if (charset != NULL && registry->count < IRI_MAX_OPEN) {
        registry->encoding[registry->count] = encoding;
        registry->charset[registry->count++] = charset;
    }

    return charset;
}


const char *
iri_registry_open_all(iri_registry_t *registry)
{
    const iri_encoding_t *encoding;
    const char           *why = NULL;
    size_t                i, count = registry->count;

    for (i = 0; (encoding = iri_encoding_at(i)) != NULL; i++) {
        if (encoding->converter != NULL
            && iri_registry_get(registry, encoding, &why) != NULL)
        {
            count++;
        }
    }

    return count == 0
               ? "cannot load any charset: the data of ICU is missing, or"
                 " memory is exhausted"
               : NULL;
}


const iri_charset_t *
iri_registry_find(const iri_registry_t *registry, iri_str_t label,
                  const char **why)
{
    const iri_encoding_t *encoding = iri_encoding_find(label);
    const iri_charset_t  *charset;

    if (encoding == NULL) {
        *why = "is not a known charset";
        return NULL;
    }

    charset = iri_registry_loaded(registry, encoding);
    if (charset == NULL) {
        *why = encoding->refused != NULL
                   ? encoding->refused
                   : "is not supported by the installed ICU";
    }

    return charset;
}
