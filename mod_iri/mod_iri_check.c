/*
 * mod_iri_check.c - warnings for directives that have no effect
 *
 * The tree of directives is walked after all servers have their settings, at
 * startup and by `httpd -t`. One warning is written for each directive that
 * has no effect: directives of this module where IRIEngine is off, and rules
 * with a text that no canonical path can contain.  The core checks those
 * texts. .htaccess files are not checked.
 */

#include "mod_iri.h"

#include <apr_hash.h>
#include <apr_lib.h>

/* The state of one check of the configuration. */
typedef struct {
    server_rec *main_server;
    apr_pool_t *pool;
    apr_hash_t *used;   /* by position: directives that have an effect */
    apr_hash_t *warned; /* by position: directives with a warning */
} mod_iri_check_t;

int
mod_iri_is_first_pass(void)
{
    return ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG
           && ap_state_query(AP_SQ_RUN_MODE) != AP_SQ_RM_CONFIG_TEST;
}

/* ---- positions of directives -------------------------------------------- */

/* Returns: the virtual host that contains a directive, or the main server. */
static server_rec *
mod_iri_server_of(const mod_iri_check_t *check, const ap_directive_t *at)
{
    server_rec *s;

    while (at != NULL && !mod_iri_is_directive(at, "<VirtualHost")) {
        at = at->parent;
    }
    for (s = check->main_server->next; at != NULL && s != NULL; s = s->next) {
        if (s->defn_name != NULL
            && s->defn_line_number == (unsigned) at->line_num
            && strcmp(s->defn_name, at->filename) == 0)
        {
            return s;
        }
    }
    return check->main_server;
}

static int
mod_iri_has_engine(const server_rec *s)
{
    int engine = mod_iri_server(s)->engine;

    return engine == IRI_ENGINE_ON || engine == IRI_ENGINE_REPORT;
}

/*
 * Returns: 1 if the engine is on or report where a directive applies.
 * Virtual hosts inherit directives of the main server.
 */
static int
mod_iri_has_effect(const mod_iri_check_t *check, const ap_directive_t *at)
{
    const server_rec *s = mod_iri_server_of(check, at);

    if (s != check->main_server) {
        return mod_iri_has_engine(s);
    }
    while (s != NULL && !mod_iri_has_engine(s)) {
        s = s->next;
    }
    return s != NULL;
}

static const char *
mod_iri_position(const mod_iri_check_t *check, const ap_directive_t *at)
{
    return apr_psprintf(check->pool, "%s in %s:%d",
                        at->directive + (*at->directive == '<'), at->filename,
                        at->line_num);
}

/*
 * Returns: 1 on the first call for a directive, else 0.  A file may be
 * included more than once.
 */
static int
mod_iri_mark_warned(const mod_iri_check_t *check, const ap_directive_t *at)
{
    const char *where = mod_iri_position(check, at);

    if (apr_hash_get(check->warned, where, APR_HASH_KEY_STRING) != NULL) {
        return 0;
    }
    apr_hash_set(check->warned, where, APR_HASH_KEY_STRING, where);
    return 1;
}

/* ---- settings without effect -------------------------------------------- */

static apr_array_header_t *
mod_iri_args(const mod_iri_check_t *check, const ap_directive_t *at)
{
    apr_array_header_t *words = apr_array_make(check->pool, 4,
                                               sizeof(char *));
    const char         *args = at->args;

    while (*args != '\0') {
        APR_ARRAY_PUSH(words, const char *) = ap_getword_conf(check->pool,
                                                              &args);
    }
    return words;
}

static iri_str_t *
mod_iri_arg_words(const mod_iri_check_t *check, const ap_directive_t *at,
                  size_t *count)
{
    apr_array_header_t *args = mod_iri_args(check, at);
    iri_str_t          *words;
    int                 i;

    words = apr_palloc(check->pool, (args->nelts + 1) * sizeof(*words));
    for (i = 0; i < args->nelts; i++) {
        words[i] = mod_iri_str(APR_ARRAY_IDX(args, i, const char *));
    }
    *count = args->nelts;
    return words;
}

/* IRIEngine always has an effect; mod_iri_vhost.c checks IRIHost. */
static int
mod_iri_is_setting(const ap_directive_t *at)
{
    return ap_cstr_casecmpn(at->directive, "IRI", 3) == 0
           && !mod_iri_is_directive(at, "IRIEngine")
           && !mod_iri_is_directive(at, "IRIHost")
           && ap_cstr_casecmp(at->args, "off") != 0
           && ap_cstr_casecmp(at->args, "none") != 0;
}

static void
mod_iri_check_setting(const mod_iri_check_t *check, const ap_directive_t *at)
{
    const char *where = mod_iri_position(check, at);

    if (apr_hash_get(check->used, where, APR_HASH_KEY_STRING) == NULL
        && mod_iri_mark_warned(check, at))
    {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->main_server,
                     "iri: %s does nothing, since IRIEngine is off there: "
                     "write IRIEngine On",
                     where);
    }
}

/* Returns: 1 if an IRIMatch that may apply where here stands folds names. */
static int
mod_iri_has_folds(const mod_iri_check_t *check, const ap_directive_t *here)
{
    const ap_directive_t *at;
    const server_rec     *s = mod_iri_server_of(check, here), *other;
    const iri_str_t      *words;
    unsigned              match;
    size_t                count, unknown;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (!mod_iri_is_directive(at, "IRIMatch")) {
            continue;
        }
        words = mod_iri_arg_words(check, at, &count);
        other = mod_iri_server_of(check, at);
        match = 0;
        if ((s == other || s == check->main_server
             || other == check->main_server)
            && count != 0
            && iri_parse_words(&iri_match_words, words, count, &match,
                               &unknown)
                   == NULL
            && (match & IRI_FOLD_INDEXED) != 0)
        {
            return 1;
        }
    }
    return 0;
}

static void
mod_iri_check_ambiguous(const mod_iri_check_t *check,
                        const ap_directive_t  *at)
{
    if (strcmp(at->args, "300") == 0 && !mod_iri_has_folds(check, at)
        && mod_iri_mark_warned(check, at))
    {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->main_server,
                     "iri: %s does nothing, since IRIMatch folds no names "
                     "there: write \"IRIMatch case\", for example",
                     mod_iri_position(check, at));
    }
}

static void
mod_iri_check_cache(const mod_iri_check_t *check, const ap_directive_t *at)
{
    if (ap_cstr_casecmp(at->args, "off") == 0 && mod_iri_has_effect(check, at)
        && mod_iri_has_folds(check, at) && mod_iri_mark_warned(check, at))
    {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->main_server,
                     "iri: %s is off, so IRIMatch finds exact names only in "
                     "directories with more than %d entries: set a size, for "
                     "example \"IRICache 16m\"",
                     mod_iri_position(check, at), IRI_MAX_ENTRIES_INLINE);
    }
}

/* Returns: 1 if *charsets was set to the charsets of a directive, else 0. */
static int
mod_iri_charsets_of(const mod_iri_check_t *check, const ap_directive_t *at,
                    iri_registry_t *registry, iri_charsets_t *charsets)
{
    iri_query_conf_t query;
    iri_str_t       *words;
    size_t           count;

    words = mod_iri_arg_words(check, at, &count);
    if (count == 0) {
        return 0;
    }
    if (!mod_iri_is_directive(at, "IRIQueryCharset")) {
        return iri_parse_charsets(registry, words, count,
                                  mod_iri_is_directive(at, "IRICharset"),
                                  charsets)
               == NULL;
    }
    if (iri_parse_query(registry, words, count, &query) != NULL) {
        return 0;
    }
    *charsets = query.charsets;
    return 1;
}

static void
mod_iri_check_charsets(const mod_iri_check_t *check, const ap_directive_t *at)
{
    iri_registry_t *registry = mod_iri_registry(
        check->main_server->process->pconf);
    iri_charsets_t charsets;
    const char    *warning = NULL;

    if (registry != NULL
        && mod_iri_charsets_of(check, at, registry, &charsets)) {
        warning = iri_charsets_shadow_warning(registry, &charsets);
    }
    if (warning != NULL && mod_iri_mark_warned(check, at)) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->main_server,
                     "iri: %s %s", mod_iri_position(check, at), warning);
    }
}

static void
mod_iri_check_settings(const mod_iri_check_t *check)
{
    const ap_directive_t *at;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_is_directive(at, "IRICache")) {
            mod_iri_check_cache(check, at);
        }
        if (!mod_iri_is_setting(at)) {
            continue;
        }
        mod_iri_check_setting(check, at);
        if (mod_iri_has_effect(check, at)) {
            if (mod_iri_is_directive(at, "IRIAmbiguous")) {
                mod_iri_check_ambiguous(check, at);
            } else if (mod_iri_is_directive(at, "IRIFilenameCharset")
                       || mod_iri_is_directive(at, "IRICharset")
                       || mod_iri_is_directive(at, "IRIQueryCharset"))
            {
                mod_iri_check_charsets(check, at);
            }
        }
    }
}

/*
 * A file may be included by several servers.  A directive in it has an effect
 * if the engine is on in one of them.
 */
static void
mod_iri_collect_used(const mod_iri_check_t *check)
{
    const ap_directive_t *at;
    const char           *where;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_is_setting(at) && mod_iri_has_effect(check, at)) {
            where = mod_iri_position(check, at);
            apr_hash_set(check->used, where, APR_HASH_KEY_STRING, where);
        }
    }
}

/* ---- rules that match nothing ------------------------------------------- */

/*
 * Which argument of a directive holds the text that is compared with a path.
 */
typedef struct {
    const char *directive;
    iri_rule_t  rule;
    int         word;        /* index of the argument with the text */
    int         count;       /* least number of arguments; else no text */
    int         server_only; /* 1: in sections it is compared with names on
                                disk, so it is not checked there */
} mod_iri_rule_t;

/* clang-format off */
static const mod_iri_rule_t mod_iri_rules[] = {
    { "<Location",          IRI_RULE_TEXT,  0, 1, 0 },
    { "<LocationMatch",     IRI_RULE_REGEX, 0, 1, 0 },
    { "<Files",             IRI_RULE_TEXT,  0, 1, 0 },
    { "<FilesMatch",        IRI_RULE_REGEX, 0, 1, 0 },
    { "Alias",              IRI_RULE_TEXT,  0, 2, 0 },
    { "AliasMatch",         IRI_RULE_REGEX, 0, 2, 0 },
    { "ScriptAlias",        IRI_RULE_TEXT,  0, 2, 0 },
    { "ScriptAliasMatch",   IRI_RULE_REGEX, 0, 2, 0 },
    { "ProxyPass",          IRI_RULE_TEXT,  0, 2, 0 },
    { "ProxyPassMatch",     IRI_RULE_REGEX, 0, 2, 0 },
    { "Redirect",           IRI_RULE_TEXT,  0, 2, 0 },
    { "RedirectMatch",      IRI_RULE_REGEX, 0, 2, 0 },
    { "RedirectPermanent",  IRI_RULE_TEXT,  0, 2, 0 },
    { "RedirectTemp",       IRI_RULE_TEXT,  0, 2, 0 },
    { "RewriteRule",        IRI_RULE_REGEX, 0, 2, 1 },
};
/* clang-format on */

static const mod_iri_rule_t *
mod_iri_rule_of(const ap_directive_t *at)
{
    size_t i;

    for (i = 0; i < sizeof(mod_iri_rules) / sizeof(mod_iri_rules[0]); i++) {
        if (mod_iri_is_directive(at, mod_iri_rules[i].directive)) {
            return &mod_iri_rules[i];
        }
    }
    return NULL;
}

/* In a section a rule is compared with names as they are on disk. */
static int
mod_iri_is_in_section(const ap_directive_t *at)
{
    at = at->parent;
    return at != NULL && !mod_iri_is_directive(at, "<VirtualHost");
}

/*
 * Returns: the index of the path in the arguments of Redirect or
 * RedirectMatch, which may follow a status; -1: there is none, the section
 * gives the path.
 */
static int
mod_iri_redirect_word(const apr_array_header_t *words)
{
    static const char *const moved[] = { "permanent", "temp", "seeother",
                                         NULL };
    const char              *first = APR_ARRAY_IDX(words, 0, const char *);
    int                      i, redirects = *first == '3';

    for (i = 0; moved[i] != NULL; i++) {
        redirects |= ap_cstr_casecmp(first, moved[i]) == 0;
    }
    if (redirects) {
        return words->nelts > 2 ? 1 : -1;
    }
    return ap_cstr_casecmp(first, "gone") == 0 || apr_isdigit(*first);
}

/*
 * Returns: 1 for ProxyPass with mapping=encoded or mapping=servlet, which is
 * compared with the encoded path.
 */
static int
mod_iri_maps_encoded(const ap_directive_t     *at,
                     const apr_array_header_t *words)
{
    int i, is = 0;

    for (i = 2; i < words->nelts; i++) {
        is |= ap_cstr_casecmpn(APR_ARRAY_IDX(words, i, const char *),
                               "mapping=", 8)
              == 0;
    }
    return is && ap_cstr_casecmpn(at->directive, "ProxyPass", 9) == 0;
}

/*
 * Returns: the text of a rule, with its kind in *how; NULL: the directive has
 * none.
 */
static const char *
mod_iri_rule_text(const mod_iri_check_t *check, const ap_directive_t *at,
                  iri_rule_t *how)
{
    const mod_iri_rule_t *rule = mod_iri_rule_of(at);
    apr_array_header_t   *words;
    const char           *text;
    int                   i;

    if (rule == NULL || (rule->server_only && mod_iri_is_in_section(at))) {
        return NULL;
    }
    words = mod_iri_args(check, at);
    if (words->nelts < rule->count || mod_iri_maps_encoded(at, words)) {
        return NULL;
    }
    *how = rule->rule;
    i = rule->word;
    text = APR_ARRAY_IDX(words, i, const char *);
    if (*at->directive == '<') {
        if (strcmp(text, "~") == 0) {
            *how = IRI_RULE_REGEX;
            i++;
        }
    } else if (ap_cstr_casecmpn(at->directive, "Redirect", 8) == 0) {
        i = mod_iri_redirect_word(words);
    }
    if (i < 0 || i == words->nelts) {
        return NULL;
    }
    text = APR_ARRAY_IDX(words, i, const char *);
    if (*at->directive == '<' && ap_is_matchexp(text)) {
        *how = IRI_RULE_REGEX;
    }
    return text;
}

/*
 * Returns: the text without the ">" that ends a section's line, which is part
 * of an unquoted last word, and without the "!" of RewriteRule.
 */
static iri_str_t
mod_iri_rule_str(const ap_directive_t *at, const char *text)
{
    iri_str_t str = mod_iri_str(text);

    if (*at->directive == '<' && str.len != 0 && str.data[str.len - 1] == '>')
    {
        str.len--;
    }
    if (mod_iri_is_directive(at, "RewriteRule") && *text == '!') {
        str.data++;
        str.len--;
    }
    return str;
}

static void
mod_iri_check_rule(const mod_iri_check_t *check, iri_env_apr_t *env,
                   const ap_directive_t *at)
{
    const mod_iri_server_t *conf = mod_iri_server(
        mod_iri_server_of(check, at));
    iri_rule_t  how;
    const char *text;
    iri_str_t   warning = { 0, NULL };

    if (conf->engine != IRI_ENGINE_ON) {
        return;
    }
    text = mod_iri_rule_text(check, at, &how);
    if (text != NULL
        && iri_rule_check(&env->env, &conf->reading, how,
                          mod_iri_rule_str(at, text), &warning)
               == IRI_OK
        && warning.len != 0 && mod_iri_mark_warned(check, at))
    {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, check->main_server,
                     "iri: %s: %.*s", mod_iri_position(check, at),
                     (int) warning.len, (const char *) warning.data);
    }
}

/* ---- hooks -------------------------------------------------------------- */

void
mod_iri_check_config(apr_pool_t *pool, server_rec *main_server)
{
    mod_iri_check_t       check;
    iri_env_apr_t         env;
    const ap_directive_t *at;

    check.main_server = main_server;
    check.pool = pool;
    check.used = apr_hash_make(pool);
    check.warned = apr_hash_make(pool);
    mod_iri_collect_used(&check);
    mod_iri_check_settings(&check);
    iri_env_apr_init(&env, pool, NULL, NULL);
    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        mod_iri_check_rule(&check, &env, at);
    }
}
