/*
 * mod_iri_check.c - warnings about the configuration
 *
 * At startup and for `httpd -t`, httpd's directives are searched for those of
 * this module and for rules that are compared with canonical paths.  The core
 * decides which have no effect (iri_config_check).
 */

#include "mod_iri_hooks.h"

#include <apr_lib.h>

typedef struct {
    server_rec         *main_server;
    iri_env_apr_t       env;
    apr_array_header_t *list; /* iri_directive_t: to be checked */
} mod_iri_check_t;

/* Returns: the virtual host that contains a directive, or the main server. */
static server_rec *
mod_iri_server_of(const mod_iri_check_t *check, const ap_directive_t *node)
{
    server_rec *s;

    while (node != NULL && !mod_iri_is_directive(node, "<VirtualHost")) {
        node = node->parent;
    }
    for (s = check->main_server->next; node != NULL && s != NULL; s = s->next)
    {
        if (s->defn_name != NULL
            && s->defn_line_number == (unsigned) node->line_num
            && strcmp(s->defn_name, node->filename) == 0)
        {
            return s;
        }
    }
    return check->main_server;
}

/*
 * Returns: the engine for the directives of a server.  Virtual hosts inherit
 * those of the main server: on if any server has it on, else report if any has.
 */
static iri_engine_t
mod_iri_engine_at(const mod_iri_check_t *check, const server_rec *s)
{
    iri_engine_t      engine = IRI_ENGINE_OFF;
    const server_rec *end = s == check->main_server ? NULL : s->next;

    for (/* void */; s != end && engine != IRI_ENGINE_ON; s = s->next) {
        if (!mod_iri_is_off(s)) {
            engine = mod_iri_server_conf(s)->engine;
        }
    }
    return engine;
}

static iri_directive_t *
mod_iri_check_add(const mod_iri_check_t *check, const ap_directive_t *node,
                  iri_check_t kind)
{
    iri_directive_t  *d = apr_array_push(check->list);
    const server_rec *s = mod_iri_server_of(check, node);

    memset(d, 0, sizeof(*d));
    d->check = kind;
    d->name = mod_iri_str(node->directive + (*node->directive == '<'));
    d->at.file = mod_iri_str(node->filename);
    d->at.line = (size_t) node->line_num;
    d->engine = mod_iri_engine_at(check, s);
    d->invalid = mod_iri_server_conf(s)->reading.invalid;
    return d;
}

/* Returns: the charsets of a directive; NULL: it has none. */
static const iri_charsets_t *
mod_iri_charsets_of(const mod_iri_check_t *check, const ap_directive_t *node)
{
    apr_pool_t         *pool = check->env.pool;
    iri_charsets_t     *charsets = apr_palloc(pool, sizeof(*charsets));
    apr_array_header_t *words = apr_array_make(pool, 4, sizeof(iri_str_t));
    const char         *args = node->args, *word;
    int for_requests = !mod_iri_is_directive(node, "IRIFilenameCharset");

    if (for_requests && !mod_iri_is_directive(node, "IRICharset")
        && !mod_iri_is_directive(node, "IRIQueryCharset"))
    {
        return NULL;
    }
    while (*args != '\0') {
        word = ap_getword_conf(pool, &args);
        /* the last word of IRIQueryCharset may be "nfc" */
        if (ap_cstr_casecmp(word, "nfc") != 0) {
            APR_ARRAY_PUSH(words, iri_str_t) = mod_iri_str(word);
        }
    }
    return iri_parse_charsets(
               mod_iri_registry(check->main_server->process->pconf),
               (const iri_str_t *) words->elts, words->nelts, for_requests,
               charsets)
                   == NULL
               ? charsets
               : NULL;
}

/* Add an IRIHost once for each address of the servers that it applies to. */
static void
mod_iri_check_hosts(const mod_iri_check_t *check, const ap_directive_t *node)
{
    server_rec            *s;
    const server_rec      *first;
    const server_addr_rec *addr;
    iri_directive_t       *d;

    for (s = check->main_server->next; s != NULL; s = s->next) {
        if (mod_iri_server_conf(s)->host_directive != node) {
            continue;
        }
        for (addr = s->addrs; addr != NULL; addr = addr->next) {
            first = mod_iri_first_server(s, addr);
            d = mod_iri_check_add(check, node, IRI_CHECK_HOST);
            d->engine = mod_iri_engine_at(check, s);
            d->host = mod_iri_host_mode(s);
            d->first_host = mod_iri_host_mode(first);
            d->first = mod_iri_server_position(first);
        }
    }
}

static void
mod_iri_check_setting(const mod_iri_check_t *check,
                      const ap_directive_t  *node)
{
    iri_directive_t *d = mod_iri_check_add(check, node, IRI_CHECK_SETTING);
    const char      *args = node->args;

    d->value = mod_iri_str(ap_getword_conf(check->env.pool, &args));
    d->charsets = mod_iri_charsets_of(check, node);
    if (mod_iri_is_directive(node, "IRIHost")) {
        mod_iri_check_hosts(check, node);
    }
}

/* ---- rules -------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *directive;
    iri_check_t check;
} mod_iri_rules[] = {
    { "<Location",          IRI_CHECK_PATH },
    { "<LocationMatch",     IRI_CHECK_REGEX },
    { "<Files",             IRI_CHECK_PATH },
    { "<FilesMatch",        IRI_CHECK_REGEX },
    { "<Directory",         IRI_CHECK_DISK },
    { "<DirectoryMatch",    IRI_CHECK_DISK },
    { "Alias",              IRI_CHECK_PATH },
    { "AliasMatch",         IRI_CHECK_REGEX },
    { "ScriptAlias",        IRI_CHECK_PATH },
    { "ScriptAliasMatch",   IRI_CHECK_REGEX },
    { "ProxyPass",          IRI_CHECK_PATH },
    { "ProxyPassMatch",     IRI_CHECK_REGEX },
    { "Redirect",           IRI_CHECK_PATH },
    { "RedirectMatch",      IRI_CHECK_REGEX },
    { "RedirectPermanent",  IRI_CHECK_PATH },
    { "RedirectTemp",       IRI_CHECK_PATH },
    { "RewriteRule",        IRI_CHECK_REGEX },
};
/* clang-format on */

/* Is the first argument of Redirect a status? */
static int
mod_iri_is_redirect_status(const char *word)
{
    return apr_isdigit(*word) || ap_cstr_casecmp(word, "permanent") == 0
           || ap_cstr_casecmp(word, "temp") == 0
           || ap_cstr_casecmp(word, "seeother") == 0
           || ap_cstr_casecmp(word, "gone") == 0;
}

/* Add a section with the pattern or path in its first line. */
static void
mod_iri_check_section(const mod_iri_check_t *check,
                      const ap_directive_t *node, iri_check_t kind)
{
    const char *args = node->args;
    char       *text = ap_getword_conf(check->env.pool, &args);
    size_t      len;
    int         is_regex = strcmp(text, "~") == 0, is_pattern;

    if (is_regex) {
        text = ap_getword_conf(check->env.pool, &args);
    }
    /* the ">" at the end of the line is part of an unquoted last word */
    len = strlen(text);
    if (len != 0 && text[len - 1] == '>') {
        text[len - 1] = '\0';
    }
    is_pattern = is_regex || ap_is_matchexp(text);
    if (kind == IRI_CHECK_PATH && is_pattern) {
        kind = IRI_CHECK_REGEX;
    }
    if (kind != IRI_CHECK_DISK || is_pattern
        || mod_iri_is_directive(node, "<DirectoryMatch"))
    {
        mod_iri_check_add(check, node, kind)->value = mod_iri_str(text);
    }
}

/*
 * Add a rule.  Rules in sections are not checked: their path is that of the
 * section, or they are compared with names on disk.
 */
static void
mod_iri_check_rule(const mod_iri_check_t *check, const ap_directive_t *node,
                   iri_check_t kind)
{
    const char *args = node->args, *text;

    if (node->parent != NULL
        && !mod_iri_is_directive(node->parent, "<VirtualHost"))
    {
        return;
    }
    text = ap_getword_conf(check->env.pool, &args);
    if (ap_cstr_casecmpn(node->directive, "Redirect", 8) == 0
        && mod_iri_is_redirect_status(text))
    {
        text = ap_getword_conf(check->env.pool, &args);
    }
    /* mapping=encoded and mapping=servlet compare the encoded path */
    if (ap_cstr_casecmpn(node->directive, "ProxyPass", 9) == 0
        && ap_strcasestr(args, "mapping=") != NULL)
    {
        return;
    }
    text += *text == '!' && mod_iri_is_directive(node, "RewriteRule");
    mod_iri_check_add(check, node, kind)->value = mod_iri_str(text);
}

static void
mod_iri_check_directive(const mod_iri_check_t *check,
                        const ap_directive_t  *node)
{
    size_t i;

    if (ap_cstr_casecmpn(node->directive, "IRI", 3) == 0
        && !mod_iri_is_directive(node, "IRIEngine"))
    {
        mod_iri_check_setting(check, node);
    }
    for (i = 0; i < sizeof(mod_iri_rules) / sizeof(mod_iri_rules[0]); i++) {
        if (!mod_iri_is_directive(node, mod_iri_rules[i].directive)) {
            continue;
        }
        if (*node->directive == '<') {
            mod_iri_check_section(check, node, mod_iri_rules[i].check);
        } else {
            mod_iri_check_rule(check, node, mod_iri_rules[i].check);
        }
    }
}

void
mod_iri_check_config(apr_pool_t *pool, server_rec *main_server)
{
    static const iri_str_t on = IRI_STR("IRIEngine On");
    mod_iri_check_t        check;
    const ap_directive_t  *node;
    iri_status_t           status;

    check.main_server = main_server;
    check.list = apr_array_make(pool, 16, sizeof(iri_directive_t));
    iri_env_apr_init(&check.env, pool, mod_iri_log_config, main_server);
    for (node = ap_conftree; node != NULL;
         node = mod_iri_next_directive(node)) {
        mod_iri_check_directive(&check, node);
    }
    status = iri_config_check(&check.env.env, on,
                              (iri_directive_t *) check.list->elts,
                              check.list->nelts);
    if (status != IRI_OK) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: the configuration could not be checked: %s",
                     iri_status_text(status));
    }
}
