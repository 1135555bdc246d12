/*
 * mod_iri_names.c - names of virtual hosts -> A-labels
 *
 * httpd checks the host of a request before it selects a virtual host.  So the
 * IRIHost of the first virtual host of an address applies to requests and to
 * the names of all virtual hosts there.
 *
 * The host of a request comes as A-labels.  So in post_config a server with a
 * ServerName or ServerAlias in Unicode also gets its A-labels, unless another
 * virtual host of the same address is configured with them.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_startup.h"

#include <apr_hash.h>

iri_host_mode_t
mod_iri_host_mode(const server_rec *s)
{
    return mod_iri_is_off(s) ? IRI_HOST_MODE_OFF
                             : mod_iri_server_conf(s)->host_mode;
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

struct mod_iri_vhosts_s {
    const server_rec *main_server;
    apr_hash_t       *first; /* const server_rec by mod_iri_address_t: the
                                first virtual host in file order */
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

/* Returns: 1 if two servers have an address and port in common. */
static int
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

const server_rec *
mod_iri_first_server(const mod_iri_vhosts_t *vhosts,
                     const server_addr_rec  *addr)
{
    mod_iri_address_t address;

    mod_iri_address_init(addr, &address);
    return apr_hash_get(vhosts->first, &address, sizeof(address));
}

mod_iri_vhosts_t *
mod_iri_vhosts(apr_pool_t *pool, const server_rec *main_server)
{
    mod_iri_vhosts_t      *vhosts = apr_palloc(pool, sizeof(*vhosts));
    mod_iri_address_t     *address;
    const server_rec      *s;
    const server_addr_rec *addr;

    vhosts->main_server = main_server;
    vhosts->first = apr_hash_make(pool);
    for (s = main_server->next; s != NULL; s = s->next) {
        for (addr = s->addrs; addr != NULL; addr = addr->next) {
            address = apr_palloc(pool, sizeof(*address));
            mod_iri_address_init(addr, address);
            /* httpd's list is in reverse file order: the last one stays */
            apr_hash_set(vhosts->first, address, sizeof(*address), s);
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

/*
 * Returns: the settings by which the names of a server are mapped: those of
 * the first virtual host of its addresses, the less strict if they differ;
 * NULL: no host is mapped.
 */
static const iri_host_conf_t *
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

/* ---- names -------------------------------------------------------------- */

/* A name in Unicode and its A-labels. */
typedef struct {
    server_rec         *s;
    const char         *name;
    const char         *ascii;
    apr_array_header_t *list;  /* to which ascii is added; NULL: name is the
                                  ServerName */
    const server_rec   *owner; /* another server that is configured with
                                  ascii; NULL: none */
} mod_iri_name_t;

/* The state of collecting names. */
typedef struct {
    const mod_iri_vhosts_t *vhosts;
    iri_env_apr_t           env;
    apr_array_header_t     *list;       /* of mod_iri_name_t */
    apr_hash_t             *configured; /* by name in lower case: an array of
                                           the virtual hosts that have it */
} mod_iri_names_t;

/* Add an ASCII name to those that are configured. */
static void
mod_iri_add_configured(mod_iri_names_t *names, const server_rec *s,
                       const char *name)
{
    apr_pool_t         *pool = names->list->pool;
    apr_array_header_t *servers;
    char               *key = apr_pstrdup(pool, name);

    ap_str_tolower(key);
    servers = apr_hash_get(names->configured, key, APR_HASH_KEY_STRING);
    if (servers == NULL) {
        servers = apr_array_make(pool, 1, sizeof(server_rec *));
        apr_hash_set(names->configured, key, APR_HASH_KEY_STRING, servers);
    }
    APR_ARRAY_PUSH(servers, const server_rec *) = s;
}

/*
 * Collect a name.  A name in Unicode that cannot be mapped produces a warning.
 * rules: NULL: hosts are not mapped.
 */
static iri_status_t
mod_iri_collect_name(mod_iri_names_t *names, const iri_host_conf_t *rules,
                     server_rec *s, const char *text,
                     apr_array_header_t *list)
{
    mod_iri_name_t *name;
    iri_status_t    status;
    iri_host_t      host;
    char           *ascii;

    if (iri_path_is_ascii(mod_iri_str(text), 0)) {
        if (s != names->vhosts->main_server) {
            mod_iri_add_configured(names, s, text);
        }
        return IRI_OK;
    }
    if (rules == NULL) {
        return IRI_OK;
    }
    status = iri_host_name(&names->env.env, rules, mod_iri_str(text), &host);
    if (status != IRI_OK) {
        return status;
    }
    if (host.verdict == IRI_SERVE) {
        name = apr_array_push(names->list);
        name->s = s;
        name->name = text;
        name->ascii = ascii = mod_iri_dup(names->env.pool, host.ascii);
        /* labels with a wildcard were not mapped to lower case */
        ap_str_tolower(ascii);
        name->list = list;
        return IRI_OK;
    }
    return iri_config_check_name(&names->env.env, mod_iri_str(text),
                                 mod_iri_server_position(s), &host, NULL);
}

/* Collect all names of a server, without adding any. */
static iri_status_t
mod_iri_collect_names(mod_iri_names_t *names, server_rec *s)
{
    const iri_host_conf_t *rules = mod_iri_host_conf(names->vhosts, s);
    apr_array_header_t    *lists[] = { s->names, s->wild_names };
    iri_status_t           status = IRI_OK;
    int                    i, k;

    for (k = 0; k < 2; k++) {
        for (i = 0;
             lists[k] != NULL && i < lists[k]->nelts && status == IRI_OK; i++)
        {
            status = mod_iri_collect_name(
                names, rules, s, APR_ARRAY_IDX(lists[k], i, const char *),
                lists[k]);
        }
    }
    return status == IRI_OK && s->server_hostname != NULL
               ? mod_iri_collect_name(names, rules, s, s->server_hostname,
                                      NULL)
               : status;
}

/*
 * Set the owner of a name: another server of the same address that is
 * configured with its A-labels.  Called before any name is added.
 */
static iri_status_t
mod_iri_check_conflict(const mod_iri_names_t *names, mod_iri_name_t *name)
{
    const apr_array_header_t *servers = apr_hash_get(
        names->configured, name->ascii, APR_HASH_KEY_STRING);
    const server_rec *s;
    iri_position_t    owner;
    int               i;

    name->owner = NULL;
    for (i = 0; servers != NULL && i < servers->nelts; i++) {
        s = APR_ARRAY_IDX(servers, i, const server_rec *);
        if (s != name->s && mod_iri_share_address(name->s, s)) {
            name->owner = s;
            owner = mod_iri_server_position(s);
            return iri_config_check_name(
                &names->env.env, mod_iri_str(name->ascii),
                mod_iri_server_position(name->s), NULL, &owner);
        }
    }
    return IRI_OK;
}

/*
 * Add the A-labels of a name to its server, unless another server owns them.
 * They replace a ServerName, because redirects contain it.
 */
static void
mod_iri_add_name(const mod_iri_names_t *names, const mod_iri_name_t *name)
{
    server_rec *s = name->s;

    if (name->owner != NULL) {
        return;
    }
    ap_log_error(APLOG_MARK, APLOG_INFO, 0, s, "iri: %s is known as %s",
                 name->name, name->ascii);
    if (name->list != NULL) {
        APR_ARRAY_PUSH(name->list, const char *) = name->ascii;
        return;
    }
    if (s->names == NULL) {
        s->names = apr_array_make(names->env.pool, 1, sizeof(char *));
    }
    APR_ARRAY_PUSH(s->names, const char *) = s->server_hostname;
    s->server_hostname = apr_pstrdup(names->env.pool, name->ascii);
}

/*
 * Add the A-labels of each ServerName and ServerAlias that is not ASCII.
 * Returns: IRI_OK, or the error of iri_host_name().
 */
static iri_status_t
mod_iri_add_names(const mod_iri_vhosts_t *vhosts, server_rec *main_server,
                  apr_pool_t *pconf, apr_pool_t *ptemp)
{
    mod_iri_names_t names;
    iri_status_t    status = IRI_OK;
    server_rec     *s;
    mod_iri_name_t *name;
    int             i;

    names.vhosts = vhosts;
    names.configured = apr_hash_make(ptemp);
    names.list = apr_array_make(ptemp, 8, sizeof(mod_iri_name_t));
    iri_env_apr_init(&names.env, pconf, mod_iri_log_config, main_server);
    for (s = main_server; s != NULL && status == IRI_OK; s = s->next) {
        status = mod_iri_collect_names(&names, s);
    }
    name = (mod_iri_name_t *) names.list->elts;
    for (i = 0; i < names.list->nelts && status == IRI_OK; i++) {
        status = mod_iri_check_conflict(&names, &name[i]);
    }
    for (i = 0; i < names.list->nelts && status == IRI_OK; i++) {
        mod_iri_add_name(&names, &name[i]);
    }
    return status;
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
    mod_iri_server_conf_t *conf = mod_iri_server_conf(s);

    conf->host.idna = idna;
    conf->host.mapping = IRI_MAPPING_UTS46;
    conf->host.strict = conf->host_mode == IRI_HOST_MODE_STRICT;
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
         * without its A-labels a virtual host would lose its requests to
         * another one
         */
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: cannot map the names of virtual hosts: %s",
                     iri_status_text(status));
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}
