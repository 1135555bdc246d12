/*
 * mod_iri_vhost.c - the IRIHost that applies to an address
 *
 * httpd checks the host of a request before it selects a virtual host.  So
 * the IRIHost of the first virtual host of an address applies to requests and
 * to the names of all virtual hosts there.
 */

#include "mod_iri_host.h"

#include <apr_hash.h>

/* ---- IRIHost of a server ------------------------------------------------ */

iri_host_mode_t
mod_iri_host_mode(const server_rec *s)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(s);

    return conf->host_mode == MOD_IRI_UNSET || mod_iri_is_off(s)
               ? IRI_HOST_MODE_OFF
               : (iri_host_mode_t) conf->host_mode;
}

/* ---- addresses ---------------------------------------------------------- */

/*
 * An address, compared as in ap_fini_vhost_config().  All wildcards are
 * equal.
 */
typedef struct {
    unsigned char ip[16];
    apr_size_t    len; /* 0: wildcard */
    apr_port_t    port;
} mod_iri_address_t;

/* The first virtual host of an address, in file order. */
typedef struct {
    mod_iri_address_t address;
    const server_rec *first;
} mod_iri_vhost_address_t;

struct mod_iri_vhosts_s {
    const server_rec *main_server;
    apr_hash_t *addresses; /* mod_iri_vhost_address_t by mod_iri_address_t */
};

static void
mod_iri_address_init(const server_addr_rec *from, mod_iri_address_t *to)
{
    const apr_sockaddr_t *addr = from->host_addr;
    apr_size_t            len = (apr_size_t) addr->ipaddr_len;

    memset(to, 0, sizeof(*to));
    to->port = from->host_port;
    if (len <= sizeof(to->ip) && memcmp(addr->ipaddr_ptr, to->ip, len) != 0) {
        memcpy(to->ip, addr->ipaddr_ptr, len);
        to->len = len;
    }
}

int
mod_iri_share_address(const server_rec *a, const server_rec *b)
{
    const server_addr_rec *x, *y;
    mod_iri_address_t      one, other;

    for (x = a->addrs; x != NULL; x = x->next) {
        mod_iri_address_init(x, &one);
        for (y = b->addrs; y != NULL; y = y->next) {
            mod_iri_address_init(y, &other);
            if (one.port == other.port && one.len == other.len
                && memcmp(one.ip, other.ip, sizeof(one.ip)) == 0)
            {
                return 1;
            }
        }
    }
    return 0;
}

static mod_iri_vhost_address_t *
mod_iri_find_address(const mod_iri_vhosts_t *vhosts,
                     const server_addr_rec  *addr)
{
    mod_iri_address_t address;

    mod_iri_address_init(addr, &address);
    return apr_hash_get(vhosts->addresses, &address, sizeof(address));
}

const server_rec *
mod_iri_first_server(const mod_iri_vhosts_t *vhosts,
                     const server_addr_rec  *addr)
{
    return mod_iri_find_address(vhosts, addr)->first;
}

static void
mod_iri_add_address(mod_iri_vhosts_t *vhosts, const server_rec *s,
                    const server_addr_rec *addr)
{
    mod_iri_vhost_address_t *found = mod_iri_find_address(vhosts, addr);

    if (found == NULL) {
        found = apr_palloc(apr_hash_pool_get(vhosts->addresses),
                           sizeof(*found));
        mod_iri_address_init(addr, &found->address);
        apr_hash_set(vhosts->addresses, &found->address,
                     sizeof(found->address), found);
    }
    /* httpd's list is in reverse file order */
    found->first = s;
}

mod_iri_vhosts_t *
mod_iri_vhosts(apr_pool_t *pool, const server_rec *main_server)
{
    mod_iri_vhosts_t      *vhosts = apr_palloc(pool, sizeof(*vhosts));
    const server_rec      *s;
    const server_addr_rec *addr;

    vhosts->main_server = main_server;
    vhosts->addresses = apr_hash_make(pool);
    for (s = main_server->next; s != NULL; s = s->next) {
        for (addr = s->addrs; addr != NULL; addr = addr->next) {
            mod_iri_add_address(vhosts, s, addr);
        }
    }
    return vhosts;
}

/* ---- the IRIHost that applies ------------------------------------------- */

/*
 * Returns: the less strict of two settings: before, and those of a server;
 * before if the server maps no hosts.
 */
static const iri_host_conf_t *
mod_iri_less_strict(const server_rec *s, const iri_host_conf_t *before)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(s);

    if (!conf->maps_hosts || conf->engine != IRI_ENGINE_ON) {
        return before;
    }
    return before && !before->strict ? before : &conf->host;
}

const iri_host_conf_t *
mod_iri_host_conf(const mod_iri_vhosts_t *vhosts, const server_rec *s)
{
    const iri_host_conf_t *rules = NULL;
    const server_addr_rec *addr;

    if (s == vhosts->main_server) {
        return mod_iri_less_strict(s, NULL);
    }
    for (addr = s->addrs; addr != NULL; addr = addr->next) {
        rules = mod_iri_less_strict(mod_iri_first_server(vhosts, addr),
                                    rules);
    }
    return rules;
}

iri_position_t
mod_iri_server_position(const server_rec *s)
{
    iri_position_t at;

    at.file = mod_iri_str(s->defn_name != NULL ? s->defn_name
                                               : "the main server");
    at.line = s->defn_name != NULL ? s->defn_line_number : 0;
    return at;
}

/* ---- post_config -------------------------------------------------------- */
