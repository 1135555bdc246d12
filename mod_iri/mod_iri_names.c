/*
 * mod_iri_names.c - names of virtual hosts
 *
 * A request's host comes as A-labels.  So a ServerName or ServerAlias that
 * is written in Unicode is known by its A-labels, too, save where another
 * virtual host of the address has them written down.
 */

#include "mod_iri.h"

#include <apr_hash.h>

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
    const mod_iri_vhosts_t *vhosts;
    const server_rec       *main_server;
    iri_env_apr_t           env;
    apr_array_header_t     *list;    /* of mod_iri_name_t */
    apr_hash_t             *written; /* all names as they are written, in
                                        small letters; what they are */
} mod_iri_names_t;

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
    const char              *hostname = s->server_hostname;
    const apr_array_header_t one = { NULL, sizeof(hostname), 1, 1,
                                     (char *) &hostname };
    const char              *found = mod_iri_listed(&one, name, is_pattern);

    return found ? found : mod_iri_listed(s->names, name, is_pattern);
}

/* Names are looked up before servers: there may be thousands of both. */
static void
mod_iri_write(mod_iri_names_t *names, const char *name)
{
    char *key;

    if (name != NULL) {
        key = apr_pstrdup(names->list->pool, name);
        ap_str_tolower(key);
        apr_hash_set(names->written, key, APR_HASH_KEY_STRING, key);
    }
}

static void
mod_iri_write_list(mod_iri_names_t *names, const apr_array_header_t *list)
{
    int i;

    for (i = 0; list != NULL && i < list->nelts; i++) {
        mod_iri_write(names, APR_ARRAY_IDX(list, i, const char *));
    }
}

/* Somewhere, by somebody?  A-labels are in small letters. */
static int
mod_iri_is_written(const mod_iri_names_t *names, const char *name)
{
    return apr_hash_get(names->written, name, APR_HASH_KEY_STRING) != NULL;
}

/* The other server of the same address that has the name written down. */
static const server_rec *
mod_iri_owner(const mod_iri_names_t *names, const mod_iri_name_t *name)
{
    const server_rec *s = mod_iri_is_written(names, name->ascii)
                              ? names->main_server->next
                              : NULL;

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
            mod_iri_warn_once(
                s,
                "iri: %s of the virtual host at %s takes %s from "
                "that at %s",
                name->ascii, mod_iri_place(names->env.pool, name->s), taken,
                mod_iri_place(names->env.pool, s));
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
        ap_str_tolower(ascii); /* labels with a wildcard are as they came */
        name->list = list;
        return IRI_OK;
    }
    mod_iri_warn_once(
        s,
        "iri: the name %s of the virtual host at %s selects nothing "
        "with IRIHost, for it %s: correct it or take it out",
        text, mod_iri_place(names->env.pool, s), iri_host_why_text(host.why));
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
    const iri_host_conf_t *rules = mod_iri_rules(names->vhosts, s);
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
        mod_iri_warn_once(
            name->s,
            "iri: the name %s stays with the virtual host at %s, "
            "which writes it so, and not with that at %s, which "
            "writes it in Unicode: take it out of one of them",
            name->ascii, mod_iri_place(names->env.pool, name->owner),
            mod_iri_place(names->env.pool, name->s));
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

static void
mod_iri_log_names(void *arg, iri_log_level_t level, iri_str_t line)
{
    (void) level;
    mod_iri_warn_once((server_rec *) arg, "iri: %.*s", (int) line.len,
                      (const char *) line.data);
}

iri_status_t
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
    names.written = apr_hash_make(ptemp);
    names.list = apr_array_make(ptemp, 8, sizeof(mod_iri_name_t));
    iri_env_apr_init(&names.env, pconf, mod_iri_log_names, main_server);
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
        mod_iri_write(&names, s->server_hostname);
        mod_iri_write_list(&names, s->names);
        mod_iri_write_list(&names, s->wild_names);
    }
    name = (mod_iri_name_t *) names.list->elts;
    for (i = 0; i < names.list->nelts; i++) {
        mod_iri_judge_name(&names, &name[i]);
    }
    for (i = 0; i < names.list->nelts; i++) {
        mod_iri_add_name(&names, &name[i]);
    }
    return IRI_OK;
}
