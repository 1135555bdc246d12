/*
 * mod_iri_uses.c - which features the configuration uses
 *
 * httpd calls a hook for each request, and most hooks of this module act on
 * few requests.  So a hook is added only when a directive needs it, while
 * httpd runs the directives: all of them are parsed by then, and httpd sorts
 * its hooks again after it has run them.
 */

#include "mod_iri.h"

#include <apr_lib.h>
#include <util_cfgtree.h>

/* ---- the tree of directives --------------------------------------------- */

const ap_directive_t *
mod_iri_next_directive(const ap_directive_t *at)
{
    if (at->first_child != NULL) {
        return at->first_child;
    }
    while (at->next == NULL && at->parent != NULL) {
        at = at->parent;
    }
    return at->next;
}

int
mod_iri_is_directive(const ap_directive_t *at, const char *name)
{
    return ap_cstr_casecmp(at->directive, name) == 0;
}

int
mod_iri_is_one_of(const ap_directive_t *at, const char *const *names)
{
    const char *const *name;

    for (name = names; *name != NULL; name++) {
        if (mod_iri_is_directive(at, *name)) {
            return 1;
        }
    }
    return 0;
}

/* Returns: 1 if the directive enables .htaccess files. */
static int
mod_iri_allows_override(const ap_directive_t *at)
{
    return (mod_iri_is_directive(at, "AllowOverride")
            || mod_iri_is_directive(at, "AllowOverrideList"))
           && ap_cstr_casecmp(at->args, "None") != 0;
}

/*
 * Returns: 1 if one of these directives is in the tree or may be in a
 * .htaccess.
 */
static int
mod_iri_uses(const char *const *names)
{
    const ap_directive_t *at;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_allows_override(at) || mod_iri_is_one_of(at, names)) {
            return 1;
        }
    }
    return 0;
}

int
mod_iri_uses_redirects(void)
{
    static const char *const names[] = { "IRIRedirect",  "IRIMatch",
                                         "IRIAmbiguous", "IRIListing",
                                         "IRIRepair",    NULL };

    return mod_iri_uses(names);
}

int
mod_iri_uses_probes(void)
{
    static const char *const names[] = { "IRIAmbiguous", "IRIListing", NULL };

    return mod_iri_uses(names);
}

/* ---- consumers of the variables ----------------------------------------- */

/*
 * Modules of httpd that read no environment variables except those that the
 * configuration names and their own, and that pass all of them only to a
 * handler.  Other modules (scripts, pages, rules in other languages) may read
 * any variable.  Sorted by strcmp().
 */
/* clang-format off */
static const char *const mod_iri_readers_of_none[] = {
    "core.c", "event.c", "http_core.c", "mod_access_compat.c",
    "mod_actions.c", "mod_alias.c", "mod_allowmethods.c", "mod_asis.c",
    "mod_auth_basic.c", "mod_auth_digest.c", "mod_auth_form.c",
    "mod_authn_anon.c", "mod_authn_core.c", "mod_authn_dbd.c",
    "mod_authn_dbm.c", "mod_authn_file.c", "mod_authn_socache.c",
    "mod_authnz_ldap.c", "mod_authz_core.c", "mod_authz_dbd.c",
    "mod_authz_dbm.c", "mod_authz_groupfile.c", "mod_authz_host.c",
    "mod_authz_owner.c", "mod_authz_user.c", "mod_autoindex.c",
    "mod_brotli.c", "mod_buffer.c", "mod_cache.c", "mod_cache_disk.c",
    "mod_cache_socache.c", "mod_cgi.c", "mod_cgid.c", "mod_dav.c",
    "mod_dav_fs.c", "mod_dav_lock.c", "mod_dbd.c", "mod_deflate.c",
    "mod_dir.c", "mod_env.c", "mod_expires.c", "mod_file_cache.c",
    "mod_filter.c", "mod_headers.c", "mod_http2.c", "mod_info.c",
    "mod_iri.c", "mod_log_config.c", "mod_log_forensic.c", "mod_logio.c",
    "mod_macro.c", "mod_md.c", "mod_mime.c", "mod_mime_magic.c",
    "mod_negotiation.c", "mod_proxy.c", "mod_proxy_ajp.c",
    "mod_proxy_balancer.c", "mod_proxy_connect.c", "mod_proxy_fcgi.c",
    "mod_proxy_hcheck.c", "mod_proxy_http.c", "mod_proxy_http2.c",
    "mod_proxy_scgi.c", "mod_proxy_uwsgi.c", "mod_proxy_wstunnel.c",
    "mod_ratelimit.c", "mod_remoteip.c", "mod_reqtimeout.c",
    "mod_request.c", "mod_rewrite.c", "mod_session.c",
    "mod_session_cookie.c", "mod_session_crypto.c", "mod_session_dbd.c",
    "mod_setenvif.c", "mod_slotmem_plain.c", "mod_slotmem_shm.c",
    "mod_so.c", "mod_socache_dbm.c", "mod_socache_memcache.c",
    "mod_socache_redis.c", "mod_socache_shmcb.c", "mod_speling.c",
    "mod_ssl.c", "mod_status.c", "mod_substitute.c", "mod_unique_id.c",
    "mod_unixd.c", "mod_userdir.c", "mod_usertrack.c", "mod_version.c",
    "mod_vhost_alias.c", "mod_watchdog.c", "prefork.c", "util_ldap.c",
    "worker.c"
};
/* clang-format on */

static int
mod_iri_compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static int
mod_iri_may_read_any(const module *m)
{
    return bsearch(&m->name, mod_iri_readers_of_none,
                   sizeof(mod_iri_readers_of_none)
                       / sizeof(mod_iri_readers_of_none[0]),
                   sizeof(mod_iri_readers_of_none[0]), mod_iri_compare_names)
           == NULL;
}

/*
 * Returns: 1 if a text contains IRI_... or IRI as a variable, for example
 * "%{IRI_PATH}e", but not as part of a path or a host name.
 */
static int
mod_iri_names_variable(const char *text)
{
    const char *at;

    for (at = text; *at != '\0'; at++) {
        if (ap_cstr_casecmpn(at, "IRI", 3) != 0
            || (at > text
                && (apr_isalnum(at[-1]) || strchr("_-./", at[-1]) != NULL)))
        {
            continue;
        }
        if (at[3] == '\0' || at[3] == '_'
            || (!apr_isalnum(at[3]) && strchr("-./", at[3]) == NULL))
        {
            return 1;
        }
    }
    return 0;
}

mod_iri_readers_t
mod_iri_uses_vars(void)
{
    mod_iri_readers_t     readers = MOD_IRI_READ_BY_HANDLERS;
    const ap_directive_t *at;
    const module         *m;

    for (m = ap_top_module; m != NULL; m = m->next) {
        if (mod_iri_may_read_any(m)) {
            return MOD_IRI_READ_BY_ANY;
        }
    }
    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_names_variable(at->args)) {
            return MOD_IRI_READ_BY_ANY;
        }
        if (mod_iri_allows_override(at)) {
            readers = MOD_IRI_READ_BY_HTACCESS;
        }
    }
    return readers;
}
