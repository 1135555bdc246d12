/*
 * mod_iri_hooks.h - the hooks of httpd that mod_iri.c adds
 */

#ifndef MOD_IRI_HOOKS_H
#define MOD_IRI_HOOKS_H

#include "mod_iri.h"

#include <ap_expr.h>

#pragma GCC visibility push(hidden)

/* ---- startup ------------------------------------------------------------ */

/* pre_config of mod_iri_function.c: register the functions of RewriteMap. */
int mod_iri_register_maps(apr_pool_t *pconf, apr_pool_t *plog,
                          apr_pool_t *ptemp);

/* pre_config of mod_iri_vars.c: register the format %{IRI_...}e of logs. */
int mod_iri_register_log(apr_pool_t *pconf, apr_pool_t *plog,
                         apr_pool_t *ptemp);

/* pre_config of mod_iri_status.c: register the mutex. */
int mod_iri_status_register(apr_pool_t *pconf, apr_pool_t *plog,
                            apr_pool_t *ptemp);

/*
 * post_config of mod_iri_names.c: prepare host mapping, add A-labels to the
 * names of virtual hosts.  Returns: OK, or 500.
 */
int mod_iri_prepare_hosts(apr_pool_t *pconf, apr_pool_t *plog,
                          apr_pool_t *ptemp, server_rec *main_server);

/* mod_iri_config.c */
int  mod_iri_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                         apr_pool_t *ptemp, server_rec *main_server);
void mod_iri_child_init(apr_pool_t *pchild, server_rec *main_server);

/* Add the hooks for the handler iri-status and IRIHost. */
void mod_iri_status_hooks(void);
void mod_iri_host_hooks(void);

/* Register filters. */
void mod_iri_location_register(void);
void mod_iri_dav_register(void);

/* ---- expressions: expr_lookup ------------------------------------------- */

/* mod_iri_function.c: the functions iri_... */
int mod_iri_expr_lookup_function(ap_expr_lookup_parms *parms);

/* mod_iri_vars.c: the variables IRI_... */
int mod_iri_expr_lookup(ap_expr_lookup_parms *parms);

/* mod_iri_probe.c: IS_SUBREQ, which is "false" for a probe */
int mod_iri_probe_expr_lookup(ap_expr_lookup_parms *parms);

/* ---- requests ----------------------------------------------------------- */

/* post_read_request */
int mod_iri_post_read(request_rec *r);  /* mod_iri_read.c */
int mod_iri_post_read_absolute(request_rec *r); /* after mod_proxy */
int mod_iri_post_read_client(request_rec *r);   /* after mod_setenvif */

/* pre_translate_name, translate_name */
int mod_iri_pre_translate(request_rec *r); /* mod_iri_read.c */
int mod_iri_translate(request_rec *r);

/* map_to_storage */
int mod_iri_map_to_storage(request_rec *r); /* mod_iri_disk.c */
int mod_iri_walk(request_rec *r);           /* mod_iri_walk.c: last */

/* check_authz */
int mod_iri_list_authz(request_rec *r); /* mod_iri_listing.c */

/* fixups */
int mod_iri_fixups(request_rec *r); /* mod_iri_answer.c */
int mod_iri_redirect(request_rec *r);           /* before mod_dir */
int mod_iri_redirect_directory(request_rec *r); /* after mod_dir */
int mod_iri_dav_fixups(request_rec *r);         /* mod_iri_dav.c: last */

/* insert_filter, insert_error_filter */
void mod_iri_location_insert(request_rec *r); /* mod_iri_answer.c */
void mod_iri_location_insert_error(request_rec *r);
void mod_iri_dav_insert(request_rec *r); /* mod_iri_dav.c */

/* Add the filter and the hook for X-Sendfile if mod_xsendfile is loaded. */
void mod_iri_sendfile_register(void); /* mod_iri_sendfile.c */

/* handler */
int mod_iri_list(request_rec *r); /* mod_iri_listing.c */

/* log_transaction */
int mod_iri_restore_target(request_rec *r); /* mod_iri_target.c */

/*
 * Hooks, and parts of hooks, of mod_iri_probe.c.  For other requests than
 * probes they do nothing and return DECLINED.
 */

/* In pre_translate_name: run post_read_request.  Or an HTTP status. */
int mod_iri_probe_post_read(request_rec *r);

/*
 * In translate_name and fixups, before mod_rewrite: the probe is no subrequest
 * for mod_rewrite (r->main is NULL).
 */
int mod_iri_probe_detach(request_rec *r);

/* The same, after mod_rewrite: the probe is a subrequest again. */
int mod_iri_probe_attach(request_rec *r);

/* post_perdir_config */
int mod_iri_probe_header_parser(request_rec *r);

/* check_authn */
int mod_iri_probe_authn(request_rec *r);

/* In fixups, before mod_dir: set filename, path_info and finfo. */
void mod_iri_probe_record(request_rec *r);

#pragma GCC visibility pop

#endif /* MOD_IRI_HOOKS_H */
