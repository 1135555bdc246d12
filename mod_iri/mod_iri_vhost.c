/*
 * mod_iri_vhost.c - names of virtual hosts
 *
 * A request's host comes as A-labels.  So a ServerName or ServerAlias that
 * is written in Unicode is known by its A-labels, too.
 */

#include "mod_iri.h"

/* ---- which IRIHost counts ----------------------------------------------- */

/* What IRIHost says of a server. */
static int
mod_iri_says(const server_rec *s)
{
    const mod_iri_server_t *conf = mod_iri_server(s);

    return conf->hosts == MOD_IRI_UNSET ? IRI_HOSTS_OFF : conf->hosts;
}

/* What it does where the server is the first of an address. */
static int
mod_iri_does(const server_rec *s)
{
    return mod_iri_server(s)->maps_hosts ? mod_iri_says(s) : IRI_HOSTS_OFF;
}

static int
mod_iri_is_any_address(const apr_sockaddr_t *addr)
{
    static const char any[16];

    return memcmp(addr->ipaddr_ptr, any, (size_t) addr->ipaddr_len) == 0;
}

/* As ap_fini_vhost_config() tells virtual hosts of one address. */
static int
mod_iri_same_address(const server_addr_rec *a, const server_addr_rec *b)
{
    const apr_sockaddr_t *x = a->host_addr, *y = b->host_addr;

    if (a->host_port != b->host_port) {
        return 0;
    }
    if (mod_iri_is_any_address(x) || mod_iri_is_any_address(y)) {
        return mod_iri_is_any_address(x) && mod_iri_is_any_address(y);
    }
    return x->ipaddr_len == y->ipaddr_len
           && memcmp(x->ipaddr_ptr, y->ipaddr_ptr, (size_t) x->ipaddr_len)
                  == 0;
}

static int
mod_iri_has_address(const server_rec *s, const server_addr_rec *address)
{
    const server_addr_rec *own;

    for (own = s->addrs; own != NULL; own = own->next) {
        if (mod_iri_same_address(own, address)) {
            return 1;
        }
    }
    return 0;
}

/*
 * The first virtual host of an address: the last in httpd's list, which is
 * in the reverse order of the configuration.
 */
static const server_rec *
mod_iri_first_of(const server_rec      *main_server,
                 const server_addr_rec *address)
{
    const server_rec *s, *first = NULL;

    for (s = main_server->next; s != NULL; s = s->next) {
        if (mod_iri_has_address(s, address)) {
            first = s;
        }
    }
    return first;
}

/* The less strict of its rules, if a server maps hosts, and those before. */
static const iri_host_conf_t *
mod_iri_rules_of(const server_rec *s, const iri_host_conf_t *before)
{
    const mod_iri_server_t *conf = mod_iri_server(s);

    if (!conf->maps_hosts || conf->engine != IRI_ENGINE_ON) {
        return before;
    }
    return before && !before->strict ? before : &conf->host;
}

/*
 * By which rules hosts are mapped that may select this server: those of the
 * first virtual host of each of its addresses.  NULL: by none.
 */
static const iri_host_conf_t *
mod_iri_rules(const server_rec *main_server, const server_rec *s)
{
    const iri_host_conf_t *rules = NULL;
    const server_addr_rec *address;

    if (s == main_server) {
        return mod_iri_rules_of(s, NULL);
    }
    for (address = s->addrs; address != NULL; address = address->next) {
        rules = mod_iri_rules_of(mod_iri_first_of(main_server, address),
                                 rules);
    }
    return rules;
}

/* Warn where a virtual host's own IRIHost is not what decides. */
static void
mod_iri_warn_of_hosts(const server_rec *main_server, const server_rec *s)
{
    const mod_iri_server_t *conf = mod_iri_server(s);
    const server_addr_rec  *address;
    const server_rec       *first;

    if (!conf->says_hosts || conf == mod_iri_server(main_server)) {
        return;
    }
    for (address = s->addrs; address != NULL; address = address->next) {
        first = mod_iri_first_of(main_server, address);
        if (first == s || mod_iri_does(first) == mod_iri_says(s)) {
            continue;
        }
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                     "iri: IRIHost of the virtual host %s (%s:%u) does "
                     "nothing for %s:%u: what counts there is that of the "
                     "first one, %s (%s:%u)",
                     s->server_hostname, s->defn_name, s->defn_line_number,
                     address->virthost, address->host_port,
                     first->server_hostname, first->defn_name,
                     first->defn_line_number);
    }
}

/* ---- names -------------------------------------------------------------- */

/* The A-labels of a name; NULL: it is ASCII, or has none, which is told. */
static iri_status_t
mod_iri_ascii_name(const server_rec *s, const iri_host_conf_t *conf,
                   iri_env_apr_t *env, const char *name, char **ascii)
{
    iri_status_t status;
    iri_host_t   host;

    *ascii = NULL;
    if (name == NULL || iri_is_ascii(mod_iri_str(name), 0)) {
        return IRI_OK;
    }
    status = iri_host_name(&env->env, conf, mod_iri_str(name), &host);
    if (status != IRI_OK) {
        return status;
    }
    if (host.answer == IRI_SERVE) {
        *ascii = mod_iri_dup(env->pool, host.ascii);
        ap_log_error(APLOG_MARK, APLOG_INFO, 0, s, "iri: %s is known as %s",
                     name, *ascii);
        return IRI_OK;
    }
    ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                 "iri: %s of the virtual host at %s:%u has no A-labels: %s",
                 name, s->defn_name ? s->defn_name : "the main server",
                 s->defn_line_number, iri_host_why_text(host.why));
    return IRI_OK;
}

static iri_status_t
mod_iri_add_aliases(const server_rec *s, const iri_host_conf_t *conf,
                    iri_env_apr_t *env, apr_array_header_t *names)
{
    iri_status_t status = IRI_OK;
    int          i, count = names ? names->nelts : 0;
    char        *ascii;

    for (i = 0; i < count && status == IRI_OK; i++) {
        status = mod_iri_ascii_name(
            s, conf, env, APR_ARRAY_IDX(names, i, const char *), &ascii);
        if (ascii != NULL) {
            APR_ARRAY_PUSH(names, const char *) = ascii;
        }
    }
    return status;
}

/* The A-labels of ServerName take its place: they go into redirects. */
static iri_status_t
mod_iri_add_server_names(server_rec *s, const iri_host_conf_t *conf,
                         iri_env_apr_t *env)
{
    char        *ascii = NULL;
    iri_status_t status;

    status = mod_iri_add_aliases(s, conf, env, s->names);
    if (status == IRI_OK) {
        status = mod_iri_add_aliases(s, conf, env, s->wild_names);
    }
    if (status == IRI_OK) {
        status = mod_iri_ascii_name(s, conf, env, s->server_hostname, &ascii);
    }
    if (status != IRI_OK || ascii == NULL) {
        return status;
    }
    if (s->names == NULL) {
        s->names = apr_array_make(env->pool, 1, sizeof(char *));
    }
    APR_ARRAY_PUSH(s->names, const char *) = s->server_hostname;
    s->server_hostname = ascii;
    return IRI_OK;
}

/* ---- post_config -------------------------------------------------------- */

static void
mod_iri_log_names(void *arg, iri_log_level_t level, iri_str_t line)
{
    (void) level;
    ap_log_error(APLOG_MARK, APLOG_WARNING, 0, (server_rec *) arg,
                 "iri: %.*s", (int) line.len, (const char *) line.data);
}

static apr_status_t
mod_iri_drop_idna(void *idna)
{
    iri_idna_destroy(idna);
    return APR_SUCCESS;
}

/* Virtual hosts may share these settings with the main server. */
static void
mod_iri_prepare_hosts(server_rec *s, const iri_idna_t *idna)
{
    mod_iri_server_t *conf = mod_iri_server(s);

    conf->host.idna = idna;
    conf->host.mapping = IRI_MAPPING_UTS46;
    conf->host.strict = conf->hosts == IRI_HOSTS_STRICT;
    conf->maps_hosts = mod_iri_says(s) != IRI_HOSTS_OFF
                       && (conf->engine == IRI_ENGINE_ON
                           || conf->engine == IRI_ENGINE_REPORT);
}

int
mod_iri_add_names(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp,
                  server_rec *main_server)
{
    iri_idna_t            *idna = iri_idna_create();
    const iri_host_conf_t *rules;
    iri_status_t           status = IRI_OK;
    iri_env_apr_t          env;
    server_rec            *s;

    (void) plog;
    (void) ptemp;
    if (idna == NULL) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: cannot work: no memory for host names, or the "
                     "data of ICU is missing");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    apr_pool_cleanup_register(pconf, idna, mod_iri_drop_idna,
                              apr_pool_cleanup_null);
    iri_env_apr_init(&env, pconf, mod_iri_log_names, main_server);
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_prepare_hosts(s, idna);
    }
    for (s = main_server; s != NULL && status == IRI_OK; s = s->next) {
        mod_iri_warn_of_hosts(main_server, s);
        rules = mod_iri_rules(main_server, s);
        if (rules != NULL) {
            status = mod_iri_add_server_names(s, rules, &env);
        }
    }
    if (status != IRI_OK) {
        /* a site that is not known would leave its requests to another */
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: cannot map the names of virtual hosts: %s",
                     iri_status_text(status));
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}
