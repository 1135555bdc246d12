/*
 * ngx_http_iri.h - the header that all files of the nginx module include
 *
 * The core (common/) decides; the module carries out its verdicts in nginx's
 * terms.  Headers:
 *
 *   ngx_http_iri_conf.h        the configuration
 *   ngx_http_iri_context.h     the state of one request
 *   ngx_http_iri_path.h        functions: from the path of a request to a file
 *   ngx_http_iri_feature.h     functions: all other features
 *
 * Headers of a module (declared below) that has several files:
 *
 *   ngx_http_iri_dav.h         the context of WebDAV
 *   ngx_http_iri_header.h      the context of the header filter
 *   ngx_http_iri_host.h        the configuration of iri_host
 *   ngx_http_iri_listing.h     iri_listing, and the page of iri_ambiguous 300
 *
 * Files:
 *
 *   ngx_http_iri_module.c      directives, inheritance, initialization
 *   ngx_http_iri_cache.c       iri_cache: indexes of directories
 *   ngx_http_iri_check.c       warnings about settings without effect
 *   ngx_http_iri_choice.c      iri_ambiguous 300: a page of several names
 *   ngx_http_iri_client.c      iri_charset $variable: a list for each client
 *   ngx_http_iri_convert.c     iri_convert: functions for rules
 *   ngx_http_iri_dav.c         WebDAV: answers, If, conflicts
 *   ngx_http_iri_destination.c the Destination of COPY and MOVE
 *   ngx_http_iri_entries.c     iri_listing: the entries of a directory
 *   ngx_http_iri_find.c        lookups below root and alias
 *   ngx_http_iri_header.c      the header filter; iri_advertise
 *   ngx_http_iri_host.c        iri_host: selects a server
 *   ngx_http_iri_judge.c       a subrequest finds out whether a client may get
 *                              a name
 *   ngx_http_iri_levels.c      the settings of each directory of a path
 *   ngx_http_iri_listing.c     iri_listing: the page of a directory
 *   ngx_http_iri_location.c    Location and Link of responses
 *   ngx_http_iri_names.c       A-labels of server names
 *   ngx_http_iri_notes.c       the log line of a request
 *   ngx_http_iri_phases.c      the phase handlers
 *   ngx_http_iri_post_read.c   the handler of the POST_READ phase
 *   ngx_http_iri_query.c       iri_query_charset
 *   ngx_http_iri_redirect.c    iri_redirect
 *   ngx_http_iri_report.c      iri report
 *   ngx_http_iri_request.c     the context of a request; reading its path
 *   ngx_http_iri_requested.c   the requested path; hiding found names
 *   ngx_http_iri_resolve.c     restart or 404 after a lookup
 *   ngx_http_iri_root.c        the script under root and alias
 *   ngx_http_iri_snapshot.c    saving and restoring a request
 *   ngx_http_iri_status.c      ngx_http_iri_status_module: counters
 *   ngx_http_iri_try_files.c   try_files
 *   ngx_http_iri_variables.c   $iri_... and some variables of nginx
 *   ngx_http_iri_zone.c        iri_cache: the shared memory zone
 *
 * Words for which nginx has none:
 *
 *   rule     a directive that judges a request by its path, or changes that
 *            path: location, rewrite, if, try_files, allow, auth_basic
 *   script   replaces root and alias (ngx_http_iri_root.c): nginx evaluates it
 *            as it evaluates variables in root, and gets the name on disk
 *   level    a server or location whose settings apply to the names in some
 *            directories of a path (ngx_http_iri_levels.c)
 *   judge    to run the rules for a path in a subrequest (ngx_http_iri_judge.c)
 *
 * "design 5.7" is rule 5.7 in doc/inside.md.
 */

#ifndef NGX_HTTP_IRI_H
#define NGX_HTTP_IRI_H

#include "ngx_http_iri_conf.h"
#include "ngx_http_iri_context.h"

/*
 * The modules, in the order of the file config.  The last one,
 * ngx_http_iri_listing_module, is declared in its own header.
 */
extern ngx_module_t ngx_http_iri_module;
extern ngx_module_t ngx_http_iri_dav_module;
extern ngx_module_t ngx_http_iri_query_module;
extern ngx_module_t ngx_http_iri_host_module;
extern ngx_module_t ngx_http_iri_convert_module;
extern ngx_module_t ngx_http_iri_header_filter_module;
extern ngx_module_t ngx_http_iri_status_module;

#pragma GCC visibility push(hidden)

/*
 * Nearly every request is ASCII and leaves a handler at its first tests.  The
 * code for other requests is not inlined, so that ASCII requests do not save
 * the registers that it needs.
 */
#define NGX_HTTP_IRI_NOINLINE __attribute__((noinline))

/* A string of nginx as one of the core.  The octets are shared. */
static inline iri_str_t
ngx_http_iri_str(ngx_str_t s)
{
    iri_str_t str = { s.len, s.data };

    return str;
}

/* A string of the core as one of nginx.  The octets are shared. */
static inline ngx_str_t
ngx_http_iri_ngx_str(iri_str_t s)
{
    ngx_str_t str = { s.len, (u_char *) s.data };

    return str;
}

/* Returns: 1 if a and b hold the same octets. */
static inline ngx_uint_t
ngx_http_iri_same(ngx_str_t a, ngx_str_t b)
{
    return a.len == b.len
           && (a.len == 0 || a.data == b.data
               || ngx_memcmp(a.data, b.data, a.len) == 0);
}

/* The handlers of a phase, while the configuration is read. */
static inline ngx_array_t *
ngx_http_iri_handlers_of(ngx_conf_t *cf, ngx_uint_t phase)
{
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    return &cmcf->phases[phase].handlers;
}

/* The value of the directive iri in the server of r. */
static inline iri_engine_t
ngx_http_iri_engine_of(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return (iri_engine_t) iscf->engine;
}

/* Returns: 1 if r makes an error page or post_action. */
static inline ngx_uint_t
ngx_http_iri_is_page(const ngx_http_request_t *r)
{
    return r->err_status != 0 || r->error_page || r->post_action;
}

/* Returns: 1 if r->uri is ASCII. */
static inline ngx_uint_t
ngx_http_iri_uri_is_ascii(ngx_http_request_t *r)
{
    return iri_str_is_ascii(ngx_http_iri_str(r->uri));
}

/* Returns: 1 if uri needs no lookup in this location (iri_needs_lookup). */
static inline ngx_uint_t
ngx_http_iri_needs_no_lookup(const ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri)
{
    return !iri_needs_lookup(&ilcf->any, ngx_http_iri_str(uri));
}

/* The status of a handler: NGX_ERROR becomes 500, so that a page is sent. */
static inline ngx_int_t
ngx_http_iri_http_status(ngx_int_t rc)
{
    return rc == NGX_ERROR ? NGX_HTTP_INTERNAL_SERVER_ERROR : rc;
}

#pragma GCC visibility pop

#include "ngx_http_iri_path.h"
#include "ngx_http_iri_feature.h"

#endif /* NGX_HTTP_IRI_H */
