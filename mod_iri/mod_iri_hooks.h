/*
 * mod_iri_hooks.h - hooks that mod_iri.c adds; reading the configuration
 */

#ifndef MOD_IRI_HOOKS_H
#define MOD_IRI_HOOKS_H

#include "mod_iri.h"

#include <ap_expr.h>

#pragma GCC visibility push(hidden)

/* ---- pre_config, post_config, child_init -------------------------------- */

/* The functions of RewriteMap, the format %{IRI_...}e of logs, the mutex. */
void mod_iri_register_maps(apr_pool_t *pconf);
void mod_iri_register_log(apr_pool_t *pconf);
int  mod_iri_status_register(apr_pool_t *pconf);

/* Add the hooks for the handler iri-status and IRIHost. */
void mod_iri_status_hooks(void);
void mod_iri_host_hooks(void);

/* Register output filters. */
void mod_iri_location_register(void);
void mod_iri_dav_register(void);

/* mod_iri_names.c: host mapping, A-labels for the names of virtual hosts. */
int mod_iri_prepare_hosts(apr_pool_t *pconf, apr_pool_t *plog,
                          apr_pool_t *ptemp, server_rec *main_server);

/* mod_iri_config.c */
int  mod_iri_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                         apr_pool_t *ptemp, server_rec *main_server);
void mod_iri_child_init(apr_pool_t *pchild, server_rec *main_server);

/* ---- the configuration -------------------------------------------------- */

/* Is this the first of the two passes in which httpd reads it at startup? */
int mod_iri_is_first_pass(void);

/*
 * iri_env_t.log while the configuration is read.  Warnings are written only in
 * the second pass.  arg: a server_rec or NULL.
 */
void mod_iri_log_config(void *arg, iri_log_level_t level, iri_str_t line);

/* The registry of a configuration; NULL: the data of ICU is missing. */
iri_registry_t *mod_iri_registry(apr_pool_t *pconf);

/* The first virtual host of an address of the virtual host s. */
const server_rec *mod_iri_first_server(server_rec            *s,
                                       const server_addr_rec *addr);

/* Is the engine off in all servers from s on? */
int mod_iri_all_off(const server_rec *s);

/* The IRIHost of a server; off if its engine is off. */
iri_host_mode_t mod_iri_host_mode(const server_rec *s);

/* The file and line in which a server is configured. */
iri_position_t mod_iri_server_position(const server_rec *s);

/* Log a warning for each directive that has no effect. */
void mod_iri_check_config(apr_pool_t *pool, server_rec *main_server);

/* The next directive of ap_conftree in file order; NULL: none. */
const ap_directive_t *
mod_iri_next_directive(const ap_directive_t *directive);

/* Has the directive this name?  That of a section includes "<". */
int mod_iri_is_directive(const ap_directive_t *directive, const char *name);

/* Find the directives that set iri-charset.  Returns: OK, or 500. */
int mod_iri_client_prepare(server_rec *main_server, apr_pool_t *pconf,
                           apr_pool_t *ptemp, iri_registry_t *registry);

/* Load the charsets of RewriteMap int:iri.encode.CHARSET.  Returns: the same. */
int mod_iri_load_map_charsets(server_rec *main_server, apr_pool_t *ptemp,
                              iri_registry_t *registry);

/* ---- requests, by file -------------------------------------------------- */

/* expr_lookup: the functions iri_..., variables, IS_SUBREQ of a probe */
int mod_iri_expr_lookup_function(ap_expr_lookup_parms *parms);
int mod_iri_expr_lookup(ap_expr_lookup_parms *parms);
int mod_iri_probe_expr_lookup(ap_expr_lookup_parms *parms);

/* mod_iri_read.c: post_read_request, pre_translate_name, translate_name */
int mod_iri_post_read(request_rec *r);
int mod_iri_post_read_absolute(request_rec *r); /* after mod_proxy */
int mod_iri_post_read_client(request_rec *r);   /* after mod_setenvif */
int mod_iri_pre_translate(request_rec *r);
int mod_iri_translate(request_rec *r);
int mod_iri_restore_target(request_rec *r);     /* log_transaction */

/* map_to_storage */
int mod_iri_map_to_storage(request_rec *r);     /* mod_iri_disk.c */
int mod_iri_walk(request_rec *r);               /* mod_iri_walk.c: last */

/* fixups, after per-directory RewriteRules */
int mod_iri_refuse_absent(request_rec *r);      /* mod_iri_disk.c */
int mod_iri_vars_set_fixups(request_rec *r);    /* mod_iri_vars.c */

/* mod_iri_listing.c: check_authz, handler */
int mod_iri_list_authz(request_rec *r);
int mod_iri_list(request_rec *r);

/* mod_iri_answer.c: fixups, insert_filter, insert_error_filter */
int  mod_iri_redirect(request_rec *r);           /* before mod_dir */
int  mod_iri_redirect_directory(request_rec *r); /* after mod_dir */
void mod_iri_location_insert(request_rec *r);
void mod_iri_location_insert_error(request_rec *r);
void mod_iri_sendfile_insert(request_rec *r);    /* last */

/* mod_iri_dav.c: fixups (last), insert_filter */
int  mod_iri_dav_fixups(request_rec *r);
void mod_iri_dav_insert(request_rec *r);

/*
 * mod_iri_probe.c, for probes only: post_read_request, in pre_translate_name;
 * around mod_rewrite in translate_name and fixups, while r->main is NULL;
 * post_perdir_config; check_authn; before mod_dir in fixups: set filename,
 * path_info and finfo of the probe
 */
int  mod_iri_probe_post_read(request_rec *r);
int  mod_iri_probe_detach(request_rec *r);
int  mod_iri_probe_attach(request_rec *r);
int  mod_iri_probe_header_parser(request_rec *r);
int  mod_iri_probe_authn(request_rec *r);
void mod_iri_probe_record(request_rec *r);

#pragma GCC visibility pop

#endif /* MOD_IRI_HOOKS_H */
