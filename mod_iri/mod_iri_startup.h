/*
 * mod_iri_startup.h - reading and checking the configuration
 */

#ifndef MOD_IRI_STARTUP_H
#define MOD_IRI_STARTUP_H

#include "mod_iri.h"

#pragma GCC visibility push(hidden)

/* ---- mod_iri_config.c --------------------------------------------------- */

/*
 * Returns: 1 in the first of the two passes in which httpd reads its
 * configuration at startup.
 */
int mod_iri_is_first_pass(void);

/*
 * iri_env_t.log while the configuration is read.  Warnings are written only in
 * the second pass.  arg: a server_rec or NULL.
 */
void mod_iri_log_config(void *arg, iri_log_level_t level, iri_str_t line);

/*
 * Returns: the registry of charsets of a configuration, created on the first
 * call; it lives as long as pconf.  NULL: the data of ICU is missing.
 */
iri_registry_t *mod_iri_registry(apr_pool_t *pconf);

/* ---- mod_iri_names.c ---------------------------------------------------- */

/* Virtual hosts by address. */
typedef struct mod_iri_vhosts_s mod_iri_vhosts_t;

/* Returns: all virtual hosts, in pool. */
mod_iri_vhosts_t *mod_iri_vhosts(apr_pool_t *pool,
                                 const server_rec *main_server);

/*
 * Returns: the first virtual host of an address.  addr: an address of a
 * virtual host.
 */
const server_rec *mod_iri_first_server(const mod_iri_vhosts_t *vhosts,
                                       const server_addr_rec *addr);

/* Returns: the IRIHost of a server; off if its engine is off. */
iri_host_mode_t mod_iri_host_mode(const server_rec *s);

/* Returns: the file and line in which a server is configured. */
iri_position_t mod_iri_server_position(const server_rec *s);

/* ---- mod_iri_check.c ---------------------------------------------------- */

/* Log a warning for each directive that has no effect. */
void mod_iri_check_config(apr_pool_t *pool, server_rec *main_server);

/* ---- mod_iri_client.c --------------------------------------------------- */

/* Returns: the next directive of ap_conftree in file order; NULL: none. */
const ap_directive_t *
mod_iri_next_directive(const ap_directive_t *directive);

/* Returns: 1 if the directive has this name; a section's includes "<". */
int mod_iri_is_directive(const ap_directive_t *directive, const char *name);

/*
 * In post_config: find the directives that set the environment variable
 * iri-charset.  Returns: OK, or 500.
 */
int mod_iri_client_prepare(server_rec *main_server, apr_pool_t *pconf,
                           apr_pool_t *ptemp, iri_registry_t *registry);

/* ---- mod_iri_function.c -------------------------------------------------- */

/*
 * In post_config: load the charset of each RewriteMap int:iri.encode.CHARSET.
 * Returns: OK; 500: one cannot be loaded, which is logged.
 */
int mod_iri_load_map_charsets(server_rec *main_server, apr_pool_t *ptemp,
                              iri_registry_t *registry);

#pragma GCC visibility pop

#endif /* MOD_IRI_STARTUP_H */
