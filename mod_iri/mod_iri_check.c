/*
 * mod_iri_check.c - what a configuration says in vain
 *
 * The tree of directives is walked once all servers have their settings, at
 * a start and by `httpd -t`, and one warning is written for each directive
 * that does nothing: those of this module where IRIEngine is off, and rules
 * whose text can be in no canonical path.  What is wrong with such a text is
 * the core's to say.  What .htaccess files say is not known here.
 */

#include "mod_iri.h"

#include <apr_hash.h>
#include <apr_lib.h>

/* A walk. */
typedef struct {
    server_rec *main_server;
    apr_pool_t *pool;
    apr_hash_t *used; /* "FILE:LINE" of what does something somewhere */
    apr_hash_t *said; /* and of what was warned of */
} mod_iri_walk_t;

int
mod_iri_is_trial(void)
{
    return ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG
           && ap_state_query(AP_SQ_RUN_MODE) != AP_SQ_RM_CONFIG_TEST;
}

/* ---- whose a directive is ----------------------------------------------- */

/* The virtual host that it stands in, or the main server. */
static server_rec *
mod_iri_server_of(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    server_rec *s;

    while (at != NULL && !mod_iri_is_directive(at, "<VirtualHost")) {
        at = at->parent;
    }
    for (s = walk->main_server->next; at != NULL && s != NULL; s = s->next) {
        if (s->defn_name != NULL
            && s->defn_line_number == (unsigned) at->line_num
            && strcmp(s->defn_name, at->filename) == 0)
        {
            return s;
        }
    }
    return walk->main_server;
}

static int
mod_iri_has_engine(const server_rec *s)
{
    int engine = mod_iri_server(s)->engine;

    return engine == IRI_ENGINE_ON || engine == IRI_ENGINE_REPORT;
}

/* Virtual hosts have what the main server says, too. */
static int
mod_iri_is_used(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    const server_rec *s = mod_iri_server_of(walk, at);

    if (s != walk->main_server) {
        return mod_iri_has_engine(s);
    }
    while (s != NULL && !mod_iri_has_engine(s)) {
        s = s->next;
    }
    return s != NULL;
}

static const char *
mod_iri_where(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    return apr_psprintf(walk->pool, "%s in %s:%d",
                        at->directive + (*at->directive == '<'), at->filename,
                        at->line_num);
}

/* 1 the first time; files may be included more than once. */
static int
mod_iri_is_new(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    const char *where = mod_iri_where(walk, at);

    if (apr_hash_get(walk->said, where, APR_HASH_KEY_STRING) != NULL) {
        return 0;
    }
    apr_hash_set(walk->said, where, APR_HASH_KEY_STRING, where);
    return 1;
}

/* ---- settings that do nothing ------------------------------------------- */

/* The words of a directive. */
static apr_array_header_t *
mod_iri_args(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    apr_array_header_t *words = apr_array_make(walk->pool, 4, sizeof(char *));
    const char         *args = at->args;

    while (*args != '\0') {
        APR_ARRAY_PUSH(words, const char *) = ap_getword_conf(walk->pool,
                                                              &args);
    }
    return words;
}

static iri_str_t *
mod_iri_args_of(const mod_iri_walk_t *walk, const ap_directive_t *at,
                size_t *count)
{
    apr_array_header_t *args = mod_iri_args(walk, at);
    iri_str_t          *words;
    int                 i;

    words = apr_palloc(walk->pool, (args->nelts + 1) * sizeof(*words));
    for (i = 0; i < args->nelts; i++) {
        words[i] = mod_iri_str(APR_ARRAY_IDX(args, i, const char *));
    }
    *count = args->nelts;
    return words;
}

/* IRIEngine needs nothing, and of IRIHost mod_iri_vhost.c knows more. */
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
mod_iri_check_setting(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    const char *where = mod_iri_where(walk, at);

    if (apr_hash_get(walk->used, where, APR_HASH_KEY_STRING) == NULL
        && mod_iri_is_new(walk, at))
    {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, walk->main_server,
                     "iri: %s does nothing, since IRIEngine is off there: "
                     "write IRIEngine On",
                     where);
    }
}

/* Does IRIMatch, as it may count where at stands, take names for near? */
static int
mod_iri_has_folds(const mod_iri_walk_t *walk, const ap_directive_t *here)
{
    const ap_directive_t *at;
    const server_rec     *s = mod_iri_server_of(walk, here), *other;
    const iri_str_t      *words;
    unsigned              match;
    size_t                count;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (!mod_iri_is_directive(at, "IRIMatch")) {
            continue;
        }
        words = mod_iri_args_of(walk, at, &count);
        other = mod_iri_server_of(walk, at);
        match = 0;
        if ((s == other || s == walk->main_server
             || other == walk->main_server)
            && count != 0 && iri_parse_match(words, count, &match) == NULL
            && (match & IRI_FOLD_INDEXED) != 0)
        {
            return 1;
        }
    }
    return 0;
}

static void
mod_iri_check_ambiguous(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    if (strcmp(at->args, "300") == 0 && !mod_iri_has_folds(walk, at)
        && mod_iri_is_new(walk, at))
    {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, walk->main_server,
                     "iri: %s does nothing, since no name is near another "
                     "there: write \"IRIMatch case\", say",
                     mod_iri_where(walk, at));
    }
}

static void
mod_iri_check_cache(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    if (ap_cstr_casecmp(at->args, "off") == 0 && mod_iri_is_used(walk, at)
        && mod_iri_has_folds(walk, at) && mod_iri_is_new(walk, at))
    {
        ap_log_error(
            APLOG_MARK, APLOG_WARNING, 0, walk->main_server,
            "iri: with \"off\" as %s, IRIMatch finds exact names only "
            "in directories of more than %d: give it a size, "
            "\"16m\" say",
            mod_iri_where(walk, at), IRI_MAX_ENTRIES_INLINE);
    }
}

/* The charsets that a directive lists; 0: it has none. */
static int
mod_iri_charsets_of(const mod_iri_walk_t *walk, const ap_directive_t *at,
                    iri_registry_t *registry, iri_charsets_t *charsets)
{
    iri_query_conf_t query;
    iri_str_t       *words;
    size_t           count;

    words = mod_iri_args_of(walk, at, &count);
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
mod_iri_check_charsets(const mod_iri_walk_t *walk, const ap_directive_t *at)
{
    iri_registry_t *registry = mod_iri_registry(
        walk->main_server->process->pconf);
    iri_charsets_t charsets;
    const char    *says = NULL;

    if (registry != NULL
        && mod_iri_charsets_of(walk, at, registry, &charsets)) {
        says = iri_charsets_shadow(registry, &charsets);
    }
    if (says != NULL && mod_iri_is_new(walk, at)) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, walk->main_server,
                     "iri: %s %s", mod_iri_where(walk, at), says);
    }
}

static void
mod_iri_check_settings(const mod_iri_walk_t *walk)
{
    const ap_directive_t *at;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_is_directive(at, "IRICache")) {
            mod_iri_check_cache(walk, at);
        }
        if (!mod_iri_is_setting(at)) {
            continue;
        }
        mod_iri_check_setting(walk, at);
        if (mod_iri_is_used(walk, at)) {
            if (mod_iri_is_directive(at, "IRIAmbiguous")) {
                mod_iri_check_ambiguous(walk, at);
            } else if (mod_iri_is_directive(at, "IRIFilenameCharset")
                       || mod_iri_is_directive(at, "IRICharset")
                       || mod_iri_is_directive(at, "IRIQueryCharset"))
            {
                mod_iri_check_charsets(walk, at);
            }
        }
    }
}

/* Files may be included by several servers, of which one has it on. */
static void
mod_iri_note_used(const mod_iri_walk_t *walk)
{
    const ap_directive_t *at;
    const char           *where;

    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        if (mod_iri_is_setting(at) && mod_iri_is_used(walk, at)) {
            where = mod_iri_where(walk, at);
            apr_hash_set(walk->used, where, APR_HASH_KEY_STRING, where);
        }
    }
}

/* ---- rules that match nothing ------------------------------------------- */

/* Where in the words of a directive the text is that is compared. */
typedef struct {
    const char *directive;
    iri_rule_t  rule;
    int         word;     /* its number */
    int         count;    /* of words, at least: with fewer there is none */
    int         of_paths; /* 1: not in sections, where it sees the disk */
} mod_iri_rule_t;

/* clang-format off */
static const mod_iri_rule_t mod_iri_rules_known[] = {
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

    for (i = 0;
         i < sizeof(mod_iri_rules_known) / sizeof(mod_iri_rules_known[0]);
         i++)
    {
        if (mod_iri_is_directive(at, mod_iri_rules_known[i].directive)) {
            return &mod_iri_rules_known[i];
        }
    }
    return NULL;
}

/* Rules in a section are compared with what is on disk, in its octets. */
static int
mod_iri_is_in_section(const ap_directive_t *at)
{
    at = at->parent;
    return at != NULL && !mod_iri_is_directive(at, "<VirtualHost");
}

/*
 * Redirect, RedirectMatch: where the text is in its words, which is behind a
 * status; -1: there is none, for a section says the path.
 */
static int
mod_iri_redirect_word(const apr_array_header_t *words)
{
    static const char *const moved[] = { "permanent", "temp", "seeother",
                                         NULL };
    const char              *first = APR_ARRAY_IDX(words, 0, const char *);
    int                      i, goes = *first == '3';

    for (i = 0; moved[i] != NULL; i++) {
        goes |= ap_cstr_casecmp(first, moved[i]) == 0;
    }
    if (goes) {
        return words->nelts > 2 ? 1 : -1;
    }
    return ap_cstr_casecmp(first, "gone") == 0 || apr_isdigit(*first);
}

/* ProxyPass with mapping=encoded or mapping=servlet: of the encoded path. */
static int
mod_iri_is_of_encoded(const ap_directive_t     *at,
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

/* The text of a rule, and how it is compared; NULL: there is none. */
static const char *
mod_iri_rule_text(const mod_iri_walk_t *walk, const ap_directive_t *at,
                  iri_rule_t *how)
{
    const mod_iri_rule_t *rule = mod_iri_rule_of(at);
    apr_array_header_t   *words;
    const char           *text;
    int                   i;

    if (rule == NULL || (rule->of_paths && mod_iri_is_in_section(at))) {
        return NULL;
    }
    words = mod_iri_args(walk, at);
    if (words->nelts < rule->count || mod_iri_is_of_encoded(at, words)) {
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

/* The end of a section's line is in its last word, if it is not quoted. */
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
mod_iri_check_rule(const mod_iri_walk_t *walk, iri_env_apr_t *env,
                   const ap_directive_t *at)
{
    const mod_iri_server_t *conf = mod_iri_server(
        mod_iri_server_of(walk, at));
    iri_rule_t  how;
    const char *text;
    iri_str_t   says = { 0, NULL };

    if (conf->engine != IRI_ENGINE_ON) {
        return;
    }
    text = mod_iri_rule_text(walk, at, &how);
    if (text != NULL
        && iri_rule_check(&env->env, &conf->reading, how,
                          mod_iri_rule_str(at, text), &says)
               == IRI_OK
        && says.len != 0 && mod_iri_is_new(walk, at))
    {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, walk->main_server,
                     "iri: %s: %.*s", mod_iri_where(walk, at), (int) says.len,
                     (const char *) says.data);
    }
}

/* ---- hooks -------------------------------------------------------------- */

void
mod_iri_check_config(apr_pool_t *pool, server_rec *main_server)
{
    mod_iri_walk_t        walk;
    iri_env_apr_t         env;
    const ap_directive_t *at;

    walk.main_server = main_server;
    walk.pool = pool;
    walk.used = apr_hash_make(pool);
    walk.said = apr_hash_make(pool);
    mod_iri_note_used(&walk);
    mod_iri_check_settings(&walk);
    iri_env_apr_init(&env, pool, NULL, NULL);
    for (at = ap_conftree; at != NULL; at = mod_iri_next_directive(at)) {
        mod_iri_check_rule(&walk, &env, at);
    }
}
