/*
 * mod_iri_names.c - names of virtual hosts -> A-labels
 *
 * A server with a ServerName or ServerAlias in Unicode also gets its A-labels,
 * in post_config, unless another virtual host of the same address is configured
 * with them.  The IRIHost of the first virtual host of an address applies to the
 * names of all virtual hosts there, as to requests (mod_iri_host.c).
 */

#include "mod_iri_hooks.h"

#include <apr_hash.h>
#include <http_vhost.h>

iri_host_mode_t
mod_iri_host_mode(const server_rec *s)
{
    return mod_iri_is_off(s) ? IRI_HOST_MODE_OFF
                             : mod_iri_server_conf(s)->host_mode;
}

/* 0.0.0.0 and [::]; not [::ffff:0.0.0.0], which no request arrives at. */
static int
mod_iri_is_wildcard(const apr_sockaddr_t *addr)
{
    static const char zeros[16];

    return (size_t) addr->ipaddr_len <= sizeof(zeros)
           && memcmp(addr->ipaddr_ptr, zeros, addr->ipaddr_len) == 0;
}

/*
 * As for httpd, all wildcards are equal, and equal to nothing else:
 * apr_sockaddr_equal() would take [::ffff:0.0.0.0] for 0.0.0.0.
 */
static int
mod_iri_same_address(const server_addr_rec *a, const server_addr_rec *b)
{
    int is_wildcard = mod_iri_is_wildcard(a->host_addr);

    if (a->host_port != b->host_port
        || is_wildcard != mod_iri_is_wildcard(b->host_addr))
    {
        return 0;
    }
    return is_wildcard || apr_sockaddr_equal(a->host_addr, b->host_addr);
}

static int
mod_iri_share_address(const server_rec *a, const server_rec *b)
{
    const server_addr_rec *x, *y;

    for (x = a->addrs; x != NULL; x = x->next) {
        for (y = b->addrs; y != NULL; y = y->next) {
            if (mod_iri_same_address(x, y)) {
                return 1;
            }
        }
    }
    return 0;
}

const server_rec *
mod_iri_first_server(server_rec *s, const server_addr_rec *addr)
{
    conn_rec c;

    memset(&c, 0, sizeof(c));
    c.local_addr = addr->host_addr;
    c.base_server = s;
    ap_update_vhost_given_ip(&c);
    return c.base_server;
}

/* Returns: the less strict of the settings of a server and of others. */
static const iri_host_conf_t *
mod_iri_less_strict(const server_rec *s, const iri_host_conf_t *others)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(s);

    return conf->maps_hosts && conf->engine == IRI_ENGINE_ON
                   && (others == NULL || others->strict)
               ? &conf->host
               : others;
}

/*
 * Returns: the settings by which the names of a server are mapped: the least
 * strict of its addresses; NULL: no host is mapped.
 */
static const iri_host_conf_t *
mod_iri_host_conf(server_rec *s)
{
    const iri_host_conf_t *rules = NULL;
    const server_addr_rec *addr;

    if (!s->is_virtual) {
        return mod_iri_less_strict(s, NULL);
    }
    for (addr = s->addrs; addr != NULL; addr = addr->next) {
        rules = mod_iri_less_strict(mod_iri_first_server(s, addr), rules);
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

/* A ServerName or ServerAlias. */
typedef struct {
    server_rec         *server;
    const char         *name;
    apr_array_header_t *list; /* gets its A-labels; NULL: a ServerName */
} mod_iri_name_t;

/* The names with which servers are configured. */
typedef struct {
    apr_array_header_t *list; /* of mod_iri_name_t: all names */
    apr_hash_t *servers;      /* by ASCII name in lower case: an array of the
                                    virtual hosts with this name */
} mod_iri_names_t;

static void
mod_iri_push_name(mod_iri_names_t *names, server_rec *s, const char *name,
                  apr_array_header_t *list)
{
    apr_pool_t         *pool = names->list->pool;
    mod_iri_name_t      entry = { s, name, list };
    apr_array_header_t *servers;
    char               *key;

    APR_ARRAY_PUSH(names->list, mod_iri_name_t) = entry;
    if (!s->is_virtual || !iri_path_is_ascii(mod_iri_str(name), 0)) {
        return;
    }
    key = apr_pstrdup(pool, name);
    ap_str_tolower(key);
    servers = apr_hash_get(names->servers, key, APR_HASH_KEY_STRING);
    if (servers == NULL) {
        servers = apr_array_make(pool, 1, sizeof(server_rec *));
        apr_hash_set(names->servers, key, APR_HASH_KEY_STRING, servers);
    }
    APR_ARRAY_PUSH(servers, const server_rec *) = s;
}

static void
mod_iri_names_init(mod_iri_names_t *names, server_rec *s, apr_pool_t *pool)
{
    int i, k;

    names->list = apr_array_make(pool, 8, sizeof(mod_iri_name_t));
    names->servers = apr_hash_make(pool);
    for (; s != NULL; s = s->next) {
        apr_array_header_t *lists[] = { s->names, s->wild_names };

        for (k = 0; k < 2; k++) {
            for (i = 0; lists[k] != NULL && i < lists[k]->nelts; i++) {
                mod_iri_push_name(names, s,
                                  APR_ARRAY_IDX(lists[k], i, const char *),
                                  lists[k]);
            }
        }
        if (s->server_hostname != NULL) {
            mod_iri_push_name(names, s, s->server_hostname, NULL);
        }
    }
}

/*
 * Returns: another server of the address that has a name; NULL: none.
 * ascii: in lower case.
 */
static const server_rec *
mod_iri_name_owner(const mod_iri_names_t *names, const server_rec *s,
                   const char *ascii)
{
    const apr_array_header_t *servers = apr_hash_get(names->servers, ascii,
                                                     APR_HASH_KEY_STRING);
    const server_rec         *owner;
    int                       i;

    for (i = 0; servers != NULL && i < servers->nelts; i++) {
        owner = APR_ARRAY_IDX(servers, i, const server_rec *);
        if (owner != s && mod_iri_share_address(s, owner)) {
            return owner;
        }
    }
    return NULL;
}

/*
 * Add the A-labels of a name, unless another server owns them.  They replace a
 * ServerName, because redirects contain it.
 */
static iri_status_t
mod_iri_add_name(const iri_env_t *env, const mod_iri_names_t *names,
                 mod_iri_name_t name)
{
    server_rec            *s = name.server;
    const iri_host_conf_t *rules;
    const server_rec      *owner;
    iri_position_t         at = mod_iri_server_position(s), owner_at;
    iri_str_t              text = mod_iri_str(name.name);
    iri_host_t             host;
    iri_status_t           status;
    char                  *ascii;

    if (iri_path_is_ascii(text, 0) || (rules = mod_iri_host_conf(s)) == NULL)
    {
        return IRI_OK;
    }
    status = iri_host_name(env, rules, text, &host);
    if (status != IRI_OK || host.verdict != IRI_SERVE) {
        return status != IRI_OK
                   ? status
                   : iri_config_check_name(env, text, at, &host, NULL);
    }
    ascii = mod_iri_dup(mod_iri_pool(env), host.ascii);
    /* labels with a wildcard were not mapped to lower case */
    ap_str_tolower(ascii);
    owner = mod_iri_name_owner(names, s, ascii);
    if (owner != NULL) {
        owner_at = mod_iri_server_position(owner);
        return iri_config_check_name(env, mod_iri_str(ascii), at, NULL,
                                     &owner_at);
    }
    ap_log_error(APLOG_MARK, APLOG_INFO, 0, s, "iri: %s is known as %s",
                 name.name, ascii);
    if (name.list != NULL) {
        APR_ARRAY_PUSH(name.list, const char *) = ascii;
        return IRI_OK;
    }
    if (s->names == NULL) {
        s->names = apr_array_make(mod_iri_pool(env), 1, sizeof(char *));
    }
    APR_ARRAY_PUSH(s->names, const char *) = name.name;
    s->server_hostname = ascii;
    return IRI_OK;
}

static iri_status_t
mod_iri_add_names(server_rec *main_server, apr_pool_t *pconf,
                  apr_pool_t *ptemp)
{
    mod_iri_names_t names;
    iri_env_apr_t   env;
    iri_status_t    status = IRI_OK;
    int             i;

    mod_iri_names_init(&names, main_server, ptemp);
    iri_env_apr_init(&env, pconf, mod_iri_log_config, main_server);
    for (i = 0; i < names.list->nelts && status == IRI_OK; i++) {
        status = mod_iri_add_name(
            &env.env, &names, APR_ARRAY_IDX(names.list, i, mod_iri_name_t));
    }
    return status;
}

static apr_status_t
mod_iri_idna_cleanup(void *idna)
{
    iri_idna_destroy(idna);
    return APR_SUCCESS;
}

int
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
    mod_iri_server_conf_t *conf;
    iri_idna_t            *idna = NULL;
    iri_status_t           status = IRI_OK;
    int                    all_off = mod_iri_all_off(main_server);
    server_rec            *s;

    if (!all_off) {
        idna = iri_idna_create();
        if (idna == NULL) {
            status = IRI_ICU_FAILED;
        } else {
            apr_pool_cleanup_register(pconf, idna, mod_iri_idna_cleanup,
                                      apr_pool_cleanup_null);
        }
    }
    for (s = main_server; s != NULL; s = s->next) {
        /* virtual hosts may share it with the main server */
        conf = mod_iri_server_conf(s);
        conf->host.idna = idna;
        conf->host.mapping = IRI_MAPPING_UTS46;
        conf->host.strict = conf->host_mode == IRI_HOST_MODE_STRICT;
        conf->maps_hosts = mod_iri_host_mode(s) != IRI_HOST_MODE_OFF;
    }
    if (status == IRI_OK && !all_off) {
        status = mod_iri_add_names(main_server, pconf, ptemp);
    }
    if (status != IRI_OK) {
        /* a virtual host would lose its requests to another one */
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: cannot map the names of virtual hosts: %s",
                     iri_status_text(status));
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}
