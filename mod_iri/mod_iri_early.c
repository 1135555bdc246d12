/*
 * mod_iri_early.c - who sees a path before names are looked for
 *
 * What other modules do with a path is theirs to say, so they get it in the
 * form in which httpd has it at that time.  But where none of them looks at
 * it then, no form has to be made for them.  That is known of modules of httpd
 * and of what the configuration tells them to do; whoever else has a hook
 * there, or is told to look, is taken to look.
 */

#include "mod_iri.h"

#include <apr_hooks.h>
#include <util_cfgtree.h>

/* ---- hooks of other modules --------------------------------------------- */

/*
 * Are all links of a hook of these modules?  name: where a link has the name
 * of its module; names: of modules, ends with NULL.
 */
static int
mod_iri_is_of(const apr_array_header_t *links, size_t name,
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

/* Have no modules a hook but these? */
#define MOD_IRI_IS_OF(hook, names)                                           \
    mod_iri_is_of(ap_hook_get_##hook(),                                      \
                  offsetof(ap_LINK_##hook##_t, szName), (names))

/* httpd's own map_to_storage are for TRACE, OPTIONS, upgrades and walks. */
static const char *const mod_iri_mappers[] = { "core.c", "http_core.c",
                                               "mod_iri.c", NULL };

int
mod_iri_is_only_mapper(void)
{
    return MOD_IRI_IS_OF(map_to_storage, mod_iri_mappers);
}

/* httpd's own sets the handler that a directive says. */
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

/* Have only modules of httpd hooks that see the path while it is encoded? */
static int
mod_iri_is_read_by_httpd(void)
{
    /* they look at the client, the connection, or by a directive */
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
           && MOD_IRI_IS_OF(post_read_request, post_read)
           && MOD_IRI_IS_OF(pre_translate_name, own);
}

/* ---- directives --------------------------------------------------------- */

/* Does the name of a directive begin so?  "Redirect": RedirectMatch, too. */
static int
mod_iri_begins(const ap_directive_t *at, const char *name)
{
    return ap_cstr_casecmpn(at->directive, name, strlen(name)) == 0;
}

/* In a <Location>, or in a section inside of one? */
static int
mod_iri_is_in_location(const ap_directive_t *at)
{
    for (at = at->parent; at != NULL; at = at->parent) {
        if (mod_iri_begins(at, "<Location")) {
            return 1;
        }
    }
    return 0;
}

/* Does a <Location> keep parts of what it matches, as MATCH_NAME? */
static int
mod_iri_keeps_parts(const ap_directive_t *at)
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

/* Does it look at a path that is still encoded, or make a line of one? */
static int
mod_iri_looks_early(const ap_directive_t *at)
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
        return mod_iri_keeps_parts(at);
    }
    return mod_iri_is_directive(at, "LogLevel") && mod_iri_is_in_location(at);
}

int
mod_iri_is_unseen(void)
{
    const ap_directive_t *at;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_looks_early(at)) {
            return 0;
        }
    }
    return mod_iri_is_read_by_httpd();
}
