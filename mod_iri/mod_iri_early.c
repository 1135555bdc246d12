/*
 * mod_iri_early.c - which modules use a path before it is decoded
 *
 * Other modules must see a path in the form in which httpd has it at that
 * time.  If none of them reads it before httpd decodes it, the
 * percent-encoded canonical path need not be made.  It is known which modules
 * of httpd, and which of their directives, read the path there.  Any other
 * module with a hook that runs before the path is decoded is assumed to read
 * it.
 */

#include "mod_iri.h"

#include <apr_hooks.h>
#include <util_cfgtree.h>

/* ---- hooks of other modules --------------------------------------------- */

/*
 * Returns: 1 if all links of a hook belong to these modules. name: offset of
 * the module's name in a link. names: end with NULL.
 */
static int
mod_iri_links_only(const apr_array_header_t *links, size_t name,
                   const char *const *names)
{
    const char *const *known;
    const char        *module;
    int                i;

    for (i = 0; links != NULL && i < links->nelts; i++) {
        memcpy(&module,
               links->elts + (size_t) i * (size_t) links->elt_size + name,
               sizeof(module));
        for (known = names; *known != NULL; known++) {
            if (module != NULL && strcmp(module, *known) == 0) {
                break;
            }
        }
        if (*known == NULL) {
            return 0;
        }
    }
    return 1;
}

/* 1 if no other modules have registered this hook. */
#define MOD_IRI_HOOKED_ONLY_BY(hook, names)                                  \
    mod_iri_links_only(ap_hook_get_##hook(),                                 \
                       offsetof(ap_LINK_##hook##_t, szName), (names))

/*
 * The core's hooks of map_to_storage handle TRACE, OPTIONS, upgrades and
 * walks.
 */
static const char *const mod_iri_mappers[] = { "core.c", "http_core.c",
                                               "mod_iri.c", NULL };

int
mod_iri_is_only_mapper(void)
{
    return MOD_IRI_HOOKED_ONLY_BY(map_to_storage, mod_iri_mappers);
}

/* The core's own fixup sets the handler of SetHandler. */
int
mod_iri_is_first_fixup(void)
{
    const apr_array_header_t *links = ap_hook_get_fixups();
    const ap_LINK_fixups_t   *link;
    int                       i;

    for (i = 0; links != NULL && i < links->nelts; i++) {
        link = &APR_ARRAY_IDX(links, i, ap_LINK_fixups_t);
        if (link->nOrder <= APR_HOOK_FIRST
            && (link->szName == NULL || strcmp(link->szName, "core.c") != 0))
        {
            return 0;
        }
    }
    return 1;
}

/*
 * Returns: 1 if only modules of httpd have hooks that run while the path is
 * encoded.
 */
static int
mod_iri_has_only_httpd_hooks(void)
{
    /*
     * they use the client or the connection, or the path only by a directive
     */
    static const char *const post_read[] = {
        "event.c",         "mod_headers.c",
        "mod_http2.c",     "mod_iri.c",
        "mod_remoteip.c",  "mod_reqtimeout.c",
        "mod_setenvif.c",  "mod_ssl.c",
        "mod_unique_id.c", NULL
    };
    static const char *const  own[] = { "mod_iri.c", NULL };
    const apr_array_header_t *quick = ap_hook_get_quick_handler();

    return (quick == NULL || quick->nelts == 0)
           && MOD_IRI_HOOKED_ONLY_BY(post_read_request, post_read)
           && MOD_IRI_HOOKED_ONLY_BY(pre_translate_name, own);
}

/* ---- directives --------------------------------------------------------- */

/* Returns: 1 if the name of a directive begins with name. */
static int
mod_iri_has_prefix(const ap_directive_t *at, const char *name)
{
    return ap_cstr_casecmpn(at->directive, name, strlen(name)) == 0;
}

/* Returns: 1 if a directive is in a <Location>, at any depth. */
static int
mod_iri_is_in_location(const ap_directive_t *at)
{
    for (at = at->parent; at != NULL; at = at->parent) {
        if (mod_iri_has_prefix(at, "<Location")) {
            return 1;
        }
    }
    return 0;
}

/* Returns: 1 if a <Location> has a named group, which sets MATCH_NAME. */
static int
mod_iri_has_named_group(const ap_directive_t *at)
{
    static const char *const groups[] = { "(?<", "(?P<", "(?'" };
    size_t                   i;

    for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        if (strstr(at->args, groups[i]) != NULL) {
            return 1;
        }
    }
    return 0;
}

/*
 * Returns: 1 if a directive reads a path that is still encoded, or logs it.
 */
static int
mod_iri_reads_encoded(const ap_directive_t *at)
{
    static const char *const names[] = {
        "SetEnvIf", "SetEnvIfNoCase", "SetEnvIfExpr",
        "<If",      "<ElseIf",        "<Else",
        NULL
    };
    static const char *const headers[] = { "Header", "RequestHeader", NULL };
    static const char *const locations[] = { "<Location", "<LocationMatch",
                                             NULL };

    if (mod_iri_is_one_of(at, names)) {
        return 1;
    }
    if (mod_iri_is_one_of(at, headers)) {
        return ap_strcasestr(at->args, "early") != NULL;
    }
    if (mod_iri_is_one_of(at, locations)) {
        return mod_iri_has_named_group(at);
    }
    return mod_iri_is_directive(at, "LogLevel") && mod_iri_is_in_location(at);
}

int
mod_iri_is_encoded_unused(void)
{
    const ap_directive_t *at;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_reads_encoded(at)) {
            return 0;
        }
    }
    return mod_iri_has_only_httpd_hooks();
}
