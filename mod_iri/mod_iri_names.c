/*
 * mod_iri_names.c - names of virtual hosts -> A-labels
 *
 * The host of a request comes as A-labels.  So in post_config a server with a
 * ServerName or ServerAlias in Unicode also gets its A-labels, unless another
 * virtual host of the same address is configured with them.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_host.h"
#include "mod_iri_startup.h"

#include <apr_hash.h>

/* ---- conflicts ---------------------------------------------------------- */

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
    const server_rec       *main_server;
    iri_env_apr_t           env;
    apr_array_header_t     *list;       /* of mod_iri_name_t */
    apr_hash_t             *configured; /* set of all configured names, in
                                           lower case */
} mod_iri_names_t;

/* Returns: 1 if a list has a name. */
static int
mod_iri_list_has_name(const apr_array_header_t *list, const char *name)
{
    const char *listed;
    int         i;

    for (i = 0; list != NULL && i < list->nelts; i++) {
        listed = APR_ARRAY_IDX(list, i, const char *);
        if (listed != NULL && ap_cstr_casecmp(listed, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Returns: 1 if a server has a name. */
static int
mod_iri_has_name(const server_rec *s, const char *name)
{
    return (s->server_hostname != NULL
            && ap_cstr_casecmp(s->server_hostname, name) == 0)
           || mod_iri_list_has_name(s->names, name)
           || mod_iri_list_has_name(s->wild_names, name);
}

/*
 * Add a name to the set of configured names.  The set is searched before the
 * list of servers, because there may be thousands of both.
 */
static void
mod_iri_add_configured(mod_iri_names_t *names, const char *name)
{
    char *key;

    if (name != NULL) {
        key = apr_pstrdup(names->list->pool, name);
        ap_str_tolower(key);
        apr_hash_set(names->configured, key, APR_HASH_KEY_STRING, key);
    }
}

static void
mod_iri_add_configured_list(mod_iri_names_t          *names,
                            const apr_array_header_t *list)
{
    int i;

    for (i = 0; list != NULL && i < list->nelts; i++) {
        mod_iri_add_configured(names, APR_ARRAY_IDX(list, i, const char *));
    }
}

/* Returns: 1 if a server is configured with the name. name: in lower case. */
static int
mod_iri_is_name_configured(const mod_iri_names_t *names, const char *name)
{
    return apr_hash_get(names->configured, name, APR_HASH_KEY_STRING) != NULL;
}

/*
 * Returns: another server of the same address that is configured with the
 * A-labels of a name; NULL: none.
 */
static const server_rec *
mod_iri_find_owner(const mod_iri_names_t *names, const mod_iri_name_t *name)
{
    const server_rec *s = mod_iri_is_name_configured(names, name->ascii)
                              ? names->main_server->next
                              : NULL;

    while (s != NULL
           && (s == name->s || !mod_iri_share_address(name->s, s)
               || !mod_iri_has_name(s, name->ascii)))
    {
        s = s->next;
    }
    return s;
}

/* ---- names in Unicode --------------------------------------------------- */

/*
 * Collect a name that has A-labels.  A name that cannot be mapped produces a
 * warning.
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

    if (text == NULL || iri_path_is_ascii(mod_iri_str(text), 0)) {
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

/* Collect all names of a server, without adding any. */
static iri_status_t
mod_iri_collect_names(mod_iri_names_t *names, server_rec *s)
{
    const iri_host_conf_t *rules = mod_iri_host_conf(names->vhosts, s);
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

/*
 * Test whether another server owns the A-labels of a name.  Called before any
 * name is added.
 */
static iri_status_t
mod_iri_check_conflict(const mod_iri_names_t *names, mod_iri_name_t *name)
{
    iri_position_t owner;

    name->owner = mod_iri_find_owner(names, name);
    if (name->owner == NULL) {
        return IRI_OK;
    }
    owner = mod_iri_server_position(name->owner);
    return iri_config_check_name(&names->env.env, mod_iri_str(name->ascii),
                                 mod_iri_server_position(name->s), NULL,
                                 &owner);
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
    names.main_server = main_server;
    names.configured = apr_hash_make(ptemp);
    names.list = apr_array_make(ptemp, 8, sizeof(mod_iri_name_t));
    iri_env_apr_init(&names.env, pconf, mod_iri_log_config, main_server);
    for (s = main_server; s != NULL && status == IRI_OK; s = s->next) {
        status = mod_iri_collect_names(&names, s);
    }
    if (status != IRI_OK) {
        return status;
    }
    if (names.list->nelts == 0) {
        return IRI_OK;
    }
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_add_configured(&names, s->server_hostname);
        mod_iri_add_configured_list(&names, s->names);
        mod_iri_add_configured_list(&names, s->wild_names);
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
