/*
 * mod_iri_vhost.c - which IRIHost applies to an address
 *
 * httpd checks the host of a request before it selects a virtual host.  So
 * the IRIHost of the first virtual host of an address applies to requests and
 * to the names of all virtual hosts there.
 */

#include "mod_iri.h"

#include <apr_hash.h>

/* ---- IRIHost of a server ------------------------------------------------ */

static int
mod_iri_is_off(const server_rec *s)
{
    int engine = mod_iri_server(s)->engine;

    return engine != IRI_ENGINE_ON && engine != IRI_ENGINE_REPORT;
}

iri_host_mode_t
mod_iri_host_mode(const server_rec *s)
{
    const mod_iri_server_t *conf = mod_iri_server(s);

    return conf->hosts == MOD_IRI_UNSET || mod_iri_is_off(s)
               ? IRI_HOST_MODE_OFF
               : (iri_host_mode_t) conf->hosts;
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
} mod_iri_site_t;

struct mod_iri_vhosts_s {
    const server_rec *main_server;
    apr_hash_t       *sites; /* mod_iri_site_t by mod_iri_address_t */
};

static void
mod_iri_address(const server_addr_rec *from, mod_iri_address_t *to)
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
        mod_iri_address(x, &one);
        for (y = b->addrs; y != NULL; y = y->next) {
            mod_iri_address(y, &other);
            if (one.port == other.port && one.len == other.len
                && memcmp(one.ip, other.ip, sizeof(one.ip)) == 0)
            {
                return 1;
            }
        }
    }
    return 0;
}

static mod_iri_site_t *
mod_iri_site(const mod_iri_vhosts_t *vhosts, const server_addr_rec *addr)
{
    mod_iri_address_t address;

    mod_iri_address(addr, &address);
    return apr_hash_get(vhosts->sites, &address, sizeof(address));
}

const server_rec *
mod_iri_first_server(const mod_iri_vhosts_t *vhosts,
                     const server_addr_rec  *addr)
{
    return mod_iri_site(vhosts, addr)->first;
}

static void
mod_iri_add_site(mod_iri_vhosts_t *vhosts, const server_rec *s,
                 const server_addr_rec *addr)
{
    mod_iri_site_t *site = mod_iri_site(vhosts, addr);

    if (site == NULL) {
        site = apr_palloc(apr_hash_pool_get(vhosts->sites), sizeof(*site));
        mod_iri_address(addr, &site->address);
        apr_hash_set(vhosts->sites, &site->address, sizeof(site->address),
                     site);
    }
    /* httpd's list is in reverse file order */
    site->first = s;
}

mod_iri_vhosts_t *
mod_iri_vhosts(apr_pool_t *pool, const server_rec *main_server)
{
    mod_iri_vhosts_t      *vhosts = apr_palloc(pool, sizeof(*vhosts));
    const server_rec      *s;
    const server_addr_rec *addr;

    vhosts->main_server = main_server;
    vhosts->sites = apr_hash_make(pool);
    for (s = main_server->next; s != NULL; s = s->next) {
        for (addr = s->addrs; addr != NULL; addr = addr->next) {
            mod_iri_add_site(vhosts, s, addr);
        }
    }
    return vhosts;
}

/* ---- the IRIHost that applies ------------------------------------------- */

/*
 * Returns: the less strict of before and the settings of a server; before if
 * the server maps no hosts.
 */
static const iri_host_conf_t *
mod_iri_less_strict(const server_rec *s, const iri_host_conf_t *before)
{
    const mod_iri_server_t *conf = mod_iri_server(s);

    if (!conf->maps_hosts || conf->engine != IRI_ENGINE_ON) {
        return before;
    }
    return before && !before->strict ? before : &conf->host;
}

const iri_host_conf_t *
mod_iri_host_rules(const mod_iri_vhosts_t *vhosts, const server_rec *s)
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

static apr_status_t
mod_iri_idna_cleanup(void *idna)
{
    iri_idna_destroy(idna);
    return APR_SUCCESS;
}

/*
 * Returns: ICU's mapping, which lives as long as pool; NULL: no memory or no
 * data.
 */
static const iri_idna_t *
mod_iri_make_idna(apr_pool_t *pool)
{
    iri_idna_t *idna = iri_idna_create();

    if (idna != NULL) {
        apr_pool_cleanup_register(pool, idna, mod_iri_idna_cleanup,
                                  apr_pool_cleanup_null);
    }
    return idna;
}

/* Virtual hosts may share this configuration with the main server. */
static void
mod_iri_prepare_host(server_rec *s, const iri_idna_t *idna)
{
    mod_iri_server_t *conf = mod_iri_server(s);

    conf->host.idna = idna;
    conf->host.mapping = IRI_MAPPING_UTS46;
    conf->host.strict = conf->hosts == IRI_HOST_MODE_STRICT;
    conf->maps_hosts = mod_iri_host_mode(s) != IRI_HOST_MODE_OFF;
}

static int
mod_iri_all_off(const server_rec *s)
{
    while (s != NULL && mod_iri_is_off(s)) {
        s = s->next;
    }
    return s == NULL;
}

int
mod_iri_prepare_hosts(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp,
                      server_rec *main_server)
{
    const iri_idna_t *idna = NULL;
    iri_status_t      status = IRI_OK;
    int               all_off = mod_iri_all_off(main_server);
    server_rec       *s;

    (void) plog;
    if (!all_off) {
        idna = mod_iri_make_idna(pconf);
        status = idna == NULL ? IRI_ICU_FAILED : IRI_OK;
    }
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_prepare_host(s, idna);
    }
    if (status == IRI_OK && !all_off) {
        status = mod_iri_add_names(mod_iri_vhosts(ptemp, main_server),
                                   main_server, pconf, ptemp);
    }
    if (status != IRI_OK) {
        /*
         * without its A-labels a site would lose its requests to another one
         */
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: cannot map the names of virtual hosts: %s",
                     iri_status_text(status));
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}
