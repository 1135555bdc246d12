/*
 * mod_iri_host.h - hosts of requests, names of virtual hosts
 */

#ifndef MOD_IRI_HOST_H
#define MOD_IRI_HOST_H

#include "mod_iri.h"

#pragma GCC visibility push(hidden)

/* ---- mod_iri_host.c ----------------------------------------------------- */

/*
 * Replace a host by its A-labels in a text that contains it.
 *
 * text: octets.  host: the part of text to be mapped.  Returns: 1: *out is the
 * new text, which ends with NUL; 0: the host stays, *out is not written.
 * text "Host: b\xC3\xBC.example", host "b\xC3\xBC.example"
 * -> "Host: xn--b-xga.example"
 */
int mod_iri_host_replace(request_rec *r, iri_str_t text, iri_str_t host,
                         iri_str_t *out);

/* Map the Host of a stream of HTTP/2.  headers: the received header fields. */
void mod_iri_host_map_stream(request_rec *r, apr_table_t *headers);

/* ---- mod_iri_root.c ----------------------------------------------------- */

/*
 * If mod_vhost_alias has made the document root from A-labels and it does not
 * exist, use the directory with the U-labels.
 */
void mod_iri_map_root(request_rec *r);

/* ---- mod_iri_vhost.c ---------------------------------------------------- */

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

/*
 * Returns: the settings by which the names of a server are mapped: those of
 * the first virtual host of its addresses, the less strict if they differ;
 * NULL: no host is mapped.
 */
const iri_host_conf_t *mod_iri_host_conf(const mod_iri_vhosts_t *vhosts,
                                         const server_rec       *s);

/* Returns: 1 if two servers have an address and port in common. */
int mod_iri_share_address(const server_rec *a, const server_rec *b);

/* Returns: the file and line in which a server is configured. */
iri_position_t mod_iri_server_position(const server_rec *s);

#pragma GCC visibility pop

#endif /* MOD_IRI_HOST_H */
