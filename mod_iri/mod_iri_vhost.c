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

/* ---- whose a name is ---------------------------------------------------- */

/* A name in Unicode, and what it becomes known by. */
typedef struct {
    server_rec         *s;
    const char         *name;
    const char         *ascii;
    apr_array_header_t *list;  /* that it is added to; NULL: a ServerName */
    const server_rec   *owner; /* who has ascii in so many words, or NULL */
} mod_iri_name_t;

/* While names are collected. */
typedef struct {
    const server_rec   *main_server;
    iri_env_apr_t       env;
    apr_array_header_t *names; /* of mod_iri_name_t */
} mod_iri_names_t;

static const char *
mod_iri_place(const mod_iri_names_t *names, const server_rec *s)
{
    return s->defn_name == NULL
               ? "the main server"
               : apr_psprintf(names->env.pool, "%s:%u", s->defn_name,
                              s->defn_line_number);
}

static int
mod_iri_share_address(const server_rec *a, const server_rec *b)
{
    const server_addr_rec *address;

    for (address = a->addrs; address != NULL; address = address->next) {
        if (mod_iri_has_address(b, address)) {
            return 1;
        }
    }
    return 0;
}

/* The first in a list that is this name, or that this pattern matches. */
static const char *
mod_iri_listed(const apr_array_header_t *list, const char *name,
               int is_pattern)
{
    const char *listed;
    int         i;

    for (i = 0; list != NULL && i < list->nelts; i++) {
        listed = APR_ARRAY_IDX(list, i, const char *);
        if (listed != NULL
            && (is_pattern ? ap_strcasecmp_match(listed, name)
                           : ap_cstr_casecmp(listed, name))
                   == 0)
        {
            return listed;
        }
    }
    return NULL;
}

/* The name of a server, wildcards aside, that is this, or is matched. */
static const char *
mod_iri_exact(const server_rec *s, const char *name, int is_pattern)
{
    const char               *hostname = s->server_hostname;
    const apr_array_header_t  one = { NULL, sizeof(hostname), 1, 1,
                                      (char *) &hostname };
    const char               *found = mod_iri_listed(&one, name, is_pattern);

    return found ? found : mod_iri_listed(s->names, name, is_pattern);
}

/* The other server of the same address that has the name written down. */
static const server_rec *
mod_iri_owner(const mod_iri_names_t *names, const mod_iri_name_t *name)
{
    const server_rec *s = names->main_server->next;

    while (s != NULL
           && (s == name->s || !mod_iri_share_address(name->s, s)
               || (mod_iri_exact(s, name->ascii, 0) == NULL
                   && mod_iri_listed(s->wild_names, name->ascii, 0) == NULL)))
    {
        s = s->next;
    }
    return s;
}

/*
 * A wildcard stands before exact names of later virtual hosts, which come
 * earlier in httpd's list; so httpd has it, and so it is with A-labels.
 */
static void
mod_iri_warn_of_wildcard(const mod_iri_names_t *names,
                         const mod_iri_name_t  *name)
{
    const server_rec *s;
    const char       *taken;

    for (s = names->main_server->next; s != NULL && s != name->s; s = s->next)
    {
        taken = mod_iri_share_address(name->s, s)
                    ? mod_iri_exact(s, name->ascii, 1)
                    : NULL;
        if (taken != NULL) {
            ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                         "iri: %s of the virtual host at %s takes %s from "
                         "that at %s",
                         name->ascii, mod_iri_place(names, name->s), taken,
                         mod_iri_place(names, s));
        }
    }
}

/* ---- names in Unicode --------------------------------------------------- */

/* Collect a name, if it has A-labels; if it cannot have them, that is told. */
static iri_status_t
mod_iri_collect_name(mod_iri_names_t *names, const iri_host_conf_t *rules,
                     server_rec *s, const char *text,
                     apr_array_header_t *list)
{
    mod_iri_name_t *name;
    iri_status_t    status;
    iri_host_t      host;

    if (text == NULL || iri_is_ascii(mod_iri_str(text), 0)) {
        return IRI_OK;
    }
    status = iri_host_name(&names->env.env, rules, mod_iri_str(text), &host);
    if (status != IRI_OK) {
        return status;
    }
    if (host.answer == IRI_SERVE) {
        name = apr_array_push(names->names);
        name->s = s;
        name->name = text;
        name->ascii = mod_iri_dup(names->env.pool, host.ascii);
        name->list = list;
        return IRI_OK;
    }
    ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                 "iri: %s of the virtual host at %s has no A-labels: %s",
                 text, mod_iri_place(names, s), iri_host_why_text(host.why));
    return IRI_OK;
}

static iri_status_t
mod_iri_collect_list(mod_iri_names_t *names, const iri_host_conf_t *rules,
                     server_rec *s, apr_array_header_t *list)
{
    iri_status_t status = IRI_OK;
    int          i;

    for (i = 0; list != NULL && i < list->nelts && status == IRI_OK; i++) {
        status = mod_iri_collect_name(
            names, rules, s, APR_ARRAY_IDX(list, i, const char *), list);
    }
    return status;
}

/* All names of a server.  Nothing is added yet. */
static iri_status_t
mod_iri_collect_names(mod_iri_names_t *names, server_rec *s)
{
    const iri_host_conf_t *rules = mod_iri_rules(names->main_server, s);
    iri_status_t           status;

    if (rules == NULL) {
        return IRI_OK;
    }
    status = mod_iri_collect_list(names, rules, s, s->names);
    if (status == IRI_OK) {
        status = mod_iri_collect_list(names, rules, s, s->wild_names);
    }
    return status == IRI_OK ? mod_iri_collect_name(names, rules, s,
                                                   s->server_hostname, NULL)
                            : status;
}

/* While all names are as they are written. */
static void
mod_iri_judge_name(const mod_iri_names_t *names, mod_iri_name_t *name)
{
    name->owner = mod_iri_owner(names, name);
    if (name->owner != NULL) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, name->s,
                     "iri: the name %s stays with the virtual host at %s, "
                     "not with that at %s, which writes it in other "
                     "characters",
                     name->ascii, mod_iri_place(names, name->owner),
                     mod_iri_place(names, name->s));
    } else if (name->list != NULL && name->list == name->s->wild_names) {
        mod_iri_warn_of_wildcard(names, name);
    }
}

/* The A-labels of a ServerName take its place: they go into redirects. */
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

static iri_status_t
mod_iri_add_all_names(mod_iri_names_t *names, server_rec *main_server)
{
    iri_status_t    status = IRI_OK;
    server_rec     *s;
    mod_iri_name_t *name;
    int             i;

    for (s = main_server; s != NULL && status == IRI_OK; s = s->next) {
        status = mod_iri_collect_names(names, s);
    }
    if (status != IRI_OK) {
        return status;
    }
    name = (mod_iri_name_t *) names->names->elts;
    for (i = 0; i < names->names->nelts; i++) {
        mod_iri_judge_name(names, &name[i]);
    }
    for (i = 0; i < names->names->nelts; i++) {
        mod_iri_add_name(names, &name[i]);
    }
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
    iri_idna_t     *idna = iri_idna_create();
    iri_status_t    status;
    mod_iri_names_t names;
    server_rec     *s;

    (void) plog;
    if (idna == NULL) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: cannot work: no memory for host names, or the "
                     "data of ICU is missing");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    apr_pool_cleanup_register(pconf, idna, mod_iri_drop_idna,
                              apr_pool_cleanup_null);
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_prepare_hosts(s, idna);
    }
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_warn_of_hosts(main_server, s);
    }
    names.main_server = main_server;
    names.names = apr_array_make(ptemp, 8, sizeof(mod_iri_name_t));
    iri_env_apr_init(&names.env, pconf, mod_iri_log_names, main_server);
    status = mod_iri_add_all_names(&names, main_server);
    if (status != IRI_OK) {
        /* a site that is not known would leave its requests to another */
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: cannot map the names of virtual hosts: %s",
                     iri_status_text(status));
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}
