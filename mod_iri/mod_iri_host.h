/*
 * mod_iri_host.h - hosts of requests, names of virtual hosts
 */

#ifndef MOD_IRI_HOST_H
#define MOD_IRI_HOST_H

#include "mod_iri.h"

#pragma GCC visibility push(hidden)

/* ---- mod_iri_host.c ----------------------------------------------------- */

/*
 * If mod_vhost_alias has made the document root from A-labels and it does not
 * exist, use the directory with the U-labels.
 */
void mod_iri_map_root(request_rec *r);

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

#pragma GCC visibility pop

#endif /* MOD_IRI_HOST_H */
