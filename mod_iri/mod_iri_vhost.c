/*
 * mod_iri_vhost.c - which IRIHost applies to an address
 *
 * httpd checks the host of a request before it selects a virtual host.  So
 * the IRIHost of the first virtual host of an address applies to requests and
 * to the names of all virtual hosts there.  Another virtual host with a
 * different IRIHost produces a warning.
 */

#include "mod_iri.h"

#include <apr_hash.h>

/* ---- IRIHost of a server ------------------------------------------------ */

/* Returns: the IRIHost of a server. */
static int
mod_iri_host_mode(const server_rec *s)
{
    const mod_iri_server_t *conf = mod_iri_server(s);

    return conf->hosts == MOD_IRI_UNSET ? IRI_HOST_MODE_OFF : conf->hosts;
}

/*
 * Returns: the IRIHost that takes effect if the server is the first of an
 * address.
 */
static int
mod_iri_effective_mode(const server_rec *s)
{
    return mod_iri_server(s)->maps_hosts ? mod_iri_host_mode(s)
                                         : IRI_HOST_MODE_OFF;
}

static int
mod_iri_is_off(const server_rec *s)
{
    int engine = mod_iri_server(s)->engine;

    return engine != IRI_ENGINE_ON && engine != IRI_ENGINE_REPORT;
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

/* The virtual hosts of an address. */
typedef struct {
    mod_iri_address_t address;
    const server_rec *first;  /* first virtual host in file order */
    int               is_off; /* 1: the engine of all is off */
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

static void
mod_iri_add_site(mod_iri_vhosts_t *vhosts, const server_rec *s,
                 const server_addr_rec *addr)
{
    mod_iri_site_t *site = mod_iri_site(vhosts, addr);

    if (site == NULL) {
        site = apr_pcalloc(apr_hash_pool_get(vhosts->sites), sizeof(*site));
        site->is_off = 1;
        mod_iri_address(addr, &site->address);
        apr_hash_set(vhosts->sites, &site->address, sizeof(site->address),
                     site);
    }
    /* httpd's list is in reverse file order */
    site->first = s;
    site->is_off &= mod_iri_is_off(s);
}

static void
mod_iri_find_sites(mod_iri_vhosts_t *vhosts, const server_rec *main_server,
                   apr_pool_t *pool)
{
    const server_rec      *s;
    const server_addr_rec *addr;

    vhosts->main_server = main_server;
    vhosts->sites = apr_hash_make(pool);
    for (s = main_server->next; s != NULL; s = s->next) {
        for (addr = s->addrs; addr != NULL; addr = addr->next) {
            mod_iri_add_site(vhosts, s, addr);
        }
    }
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
        rules = mod_iri_less_strict(mod_iri_site(vhosts, addr)->first, rules);
    }
    return rules;
}

const char *
mod_iri_server_position(apr_pool_t *pool, const server_rec *s)
{
    return s->defn_name == NULL ? "the main server"
                                : apr_psprintf(pool, "%s:%u", s->defn_name,
                                               s->defn_line_number);
}

/* ---- warnings ----------------------------------------------------------- */

/* Returns: 1 if IRIHost is set in the virtual host itself. */
static int
mod_iri_sets_hosts(const mod_iri_vhosts_t *vhosts, const server_rec *s)
{
    const mod_iri_server_t *conf = mod_iri_server(s);

    return conf->sets_hosts && conf != mod_iri_server(vhosts->main_server);
}

/* Warn of the first virtual host of an address, if its engine is off. */
static void
mod_iri_warn_of_engine(const server_rec *s, const server_addr_rec *addr)
{
    mod_iri_warn_once(
        s,
        "iri: IRIHost of the virtual host %s (%s:%u) does nothing "
        "for %s:%u, because IRIEngine is off: also write "
        "\"IRIEngine On\"",
        s->server_hostname, s->defn_name, s->defn_line_number, addr->virthost,
        addr->host_port);
}

/*
 * Warn of another virtual host of an address, if its own IRIHost differs from
 * that of the first.
 */
static void
mod_iri_warn_of_other(const server_rec *s, const server_rec *first,
                      const server_addr_rec *addr)
{
    mod_iri_warn_once(
        s,
        "iri: IRIHost of the virtual host %s (%s:%u) does nothing "
        "for %s:%u: the IRIHost of the first virtual host applies "
        "there, %s (%s:%u)",
        s->server_hostname, s->defn_name, s->defn_line_number, addr->virthost,
        addr->host_port, first->server_hostname, first->defn_name,
        first->defn_line_number);
}

static void
mod_iri_warn_of_hosts(const mod_iri_vhosts_t *vhosts, const server_rec *s)
{
    const server_addr_rec *addr;
    const mod_iri_site_t  *site;
    int                    is_own = mod_iri_sets_hosts(vhosts, s);

    for (addr = s->addrs; addr != NULL; addr = addr->next) {
        site = mod_iri_site(vhosts, addr);
        if (mod_iri_effective_mode(site->first) == mod_iri_host_mode(s)) {
            continue;
        }
        if (site->first == s && (is_own || !site->is_off)) {
            mod_iri_warn_of_engine(s, addr);
        } else if (site->first != s && is_own) {
            mod_iri_warn_of_other(s, site->first, addr);
        }
    }
}

static void
mod_iri_warn(const mod_iri_vhosts_t *vhosts, int all_off)
{
    const server_rec *s;

    if (all_off
        && mod_iri_host_mode(vhosts->main_server) != IRI_HOST_MODE_OFF) {
        mod_iri_warn_once(vhosts->main_server,
                          "iri: IRIHost of the main server does nothing, "
                          "because IRIEngine is off: also write "
                          "\"IRIEngine On\"");
    }
    for (s = vhosts->main_server->next; s != NULL; s = s->next) {
        mod_iri_warn_of_hosts(vhosts, s);
    }
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
    conf->maps_hosts = mod_iri_host_mode(s) != IRI_HOST_MODE_OFF
                       && !mod_iri_is_off(s);
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
    mod_iri_vhosts_t  vhosts;
    server_rec       *s;

    (void) plog;
    if (!all_off) {
        idna = mod_iri_make_idna(pconf);
        status = idna == NULL ? IRI_ICU_FAILED : IRI_OK;
    }
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_prepare_host(s, idna);
    }
    mod_iri_find_sites(&vhosts, main_server, ptemp);
    mod_iri_warn(&vhosts, all_off);
    if (status == IRI_OK && !all_off) {
        status = mod_iri_add_names(&vhosts, main_server, pconf, ptemp);
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
