/*
 * mod_iri.c - the module record
 *
 * Directives, whose values the core parses, with their merging; the table of
 * hooks; the module record.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <ap_expr.h>
#include <apr_hooks.h>

/* ---- settings ----------------------------------------------------------- */

typedef struct {
    size_t             offset, size; /* of the value in its configuration */
    const iri_words_t *words;        /* NULL: its value is no word */
    const char        *missing;      /* error if no word is given; NULL: httpd
                                        itself requires one word */
} mod_iri_setting_t;

/* clang-format off */
#define MEMBER(type, member) \
    offsetof(type, member), sizeof(((type *) NULL)->member)
#define OF_DIR(member)    MEMBER(mod_iri_dir_conf_t, member)
#define OF_SERVER(member) MEMBER(mod_iri_server_conf_t, member)

static const mod_iri_setting_t mod_iri_settings[MOD_IRI_SETTINGS] = {
    [MOD_IRI_CONF_FILENAME_CHARSET] = { OF_DIR(tree.charsets), NULL, NULL },
    [MOD_IRI_CONF_FILENAME_FORM] =
        { OF_DIR(tree.names), &iri_filename_form_words, NULL },
    [MOD_IRI_CONF_MATCH] =
        { OF_DIR(tree.match), &iri_match_words,
          "needs a word, for example \"exact\"" },
    [MOD_IRI_CONF_AMBIGUOUS] =
        { OF_DIR(tree.ambiguous), &iri_ambiguous_words, NULL },
    [MOD_IRI_CONF_REPAIR] =
        { OF_DIR(tree.repair), &iri_repair_words,
          "needs a word, for example \"off\"" },
    [MOD_IRI_CONF_REDIRECT] = { OF_DIR(redirect), &iri_redirect_words, NULL },
    [MOD_IRI_CONF_LISTING] = { OF_DIR(listing), NULL, NULL },
    [MOD_IRI_CONF_ENGINE] = { OF_SERVER(engine), &iri_engine_words, NULL },
    [MOD_IRI_CONF_CHARSET] = { OF_SERVER(reading.charsets), NULL, NULL },
    [MOD_IRI_CONF_INVALID] =
        { OF_SERVER(reading.invalid), &iri_invalid_words, NULL },
    [MOD_IRI_CONF_QUERY] = { OF_SERVER(query), NULL, NULL },
    [MOD_IRI_CONF_HOST] = { OF_SERVER(host_mode), &iri_host_mode_words, NULL },
    [MOD_IRI_CONF_ADVERTISE] = { OF_SERVER(advertise), NULL, NULL },
    [MOD_IRI_CONF_REQUEST_URI] = { OF_SERVER(request_uri), NULL, NULL },
};
/* clang-format on */

/* Both configurations begin with the member has. */
static void
mod_iri_add_setting(void *conf, int id, const void *value)
{
    memcpy((char *) conf + mod_iri_settings[id].offset, value,
           mod_iri_settings[id].size);
    *(unsigned *) conf |= 1u << id;
}

void
mod_iri_add_settings(void *conf, const void *add)
{
    unsigned has = *(const unsigned *) add;
    int      id;

    for (id = 0; has >> id != 0; id++) {
        if (has >> id & 1) {
            mod_iri_add_setting(
                conf, id, (const char *) add + mod_iri_settings[id].offset);
        }
    }
}

static void *
mod_iri_create_server(apr_pool_t *pool, server_rec *s)
{
    mod_iri_server_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    conf->cache_size = MOD_IRI_CACHE_SIZE;
    return conf;
}

static void *
mod_iri_merge_server(apr_pool_t *pool, void *base, void *addv)
{
    const mod_iri_server_conf_t *add = addv;
    mod_iri_server_conf_t *conf = apr_pmemdup(pool, base, sizeof(*conf));

    mod_iri_add_settings(conf, add);
    if (add->host_directive != NULL) {
        conf->host_directive = add->host_directive;
    }
    return conf;
}

static void *
mod_iri_create_dir(apr_pool_t *pool, char *path)
{
    return apr_pcalloc(pool, sizeof(mod_iri_dir_conf_t));
}

static void *
mod_iri_merge_dir(apr_pool_t *pool, void *base, void *add)
{
    mod_iri_dir_conf_t *dir = apr_pmemdup(pool, base, sizeof(*dir));

    mod_iri_add_settings(dir, add);
    return dir;
}

/* ---- hooks -------------------------------------------------------------- */

/*
 * The hooks of requests, in the order of httpd's phases.  They are added when
 * IRIEngine is read, so that they cost nothing if no server has the engine on.
 *
 * Other modules must see the canonical path.  So the path of a request is read
 * in post_read_request, before SetEnvIf runs and before mod_cache makes its
 * key.  The path of a subrequest is read in pre_translate_name, because
 * post_read_request does not run for subrequests.
 *
 * The positions depend on other modules: mod_proxy and mod_rewrite have hooks
 * at APR_HOOK_FIRST, mod_dir and mod_speling at APR_HOOK_LAST, mod_autoindex at
 * APR_HOOK_MIDDLE.
 */
#define MOD_IRI_AFTER_FIRST (APR_HOOK_FIRST + 1)

static void
mod_iri_add_request_hooks(void)
{
    /* A restart needs this order: see mod_iri_snapshot_restore(). */
    static const char *const after[] = { "mod_http2.c", NULL };
    /* mod_security inspects the request at the same position. */
    static const char *const before[] = { "mod_security2.c", NULL };

    ap_hook_post_read_request(mod_iri_post_read, after, before,
                              APR_HOOK_REALLY_FIRST);
    ap_hook_post_read_request(mod_iri_post_read_absolute, NULL, NULL,
                              MOD_IRI_AFTER_FIRST);
    ap_hook_post_read_request(mod_iri_post_read_client, NULL, NULL,
                              APR_HOOK_LAST);
    ap_hook_pre_translate_name(mod_iri_pre_translate, NULL, NULL,
                               APR_HOOK_REALLY_FIRST);
    ap_hook_translate_name(mod_iri_translate, NULL, NULL,
                           APR_HOOK_REALLY_FIRST);
    ap_hook_translate_name(mod_iri_probe_detach, NULL, NULL,
                           APR_HOOK_REALLY_FIRST + 1);
    ap_hook_translate_name(mod_iri_probe_attach, NULL, NULL,
                           MOD_IRI_AFTER_FIRST);
    ap_hook_map_to_storage(mod_iri_map_to_storage, NULL, NULL,
                           APR_HOOK_FIRST);
    ap_hook_map_to_storage(mod_iri_walk, NULL, NULL, APR_HOOK_LAST);
    ap_hook_post_perdir_config(mod_iri_probe_header_parser, NULL, NULL,
                               APR_HOOK_LAST);
    ap_hook_check_authn(mod_iri_probe_authn, NULL, NULL,
                        APR_HOOK_REALLY_FIRST, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_check_authz(mod_iri_list_authz, NULL, NULL, APR_HOOK_REALLY_FIRST,
                        AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_fixups(mod_iri_probe_detach, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_fixups(mod_iri_probe_attach, NULL, NULL, MOD_IRI_AFTER_FIRST);
    ap_hook_fixups(mod_iri_refuse_absent, NULL, NULL,
                   MOD_IRI_AFTER_FIRST + 1);
    ap_hook_fixups(mod_iri_vars_set_fixups, NULL, NULL,
                   MOD_IRI_AFTER_FIRST + 2);
    ap_hook_fixups(mod_iri_redirect, NULL, NULL, APR_HOOK_LAST - 1);
    ap_hook_fixups(mod_iri_redirect_directory, NULL, NULL, APR_HOOK_LAST + 1);
    ap_hook_fixups(mod_iri_dav_fixups, NULL, NULL, APR_HOOK_REALLY_LAST);
    ap_hook_insert_filter(mod_iri_location_insert, NULL, NULL,
                          APR_HOOK_MIDDLE);
    ap_hook_insert_filter(mod_iri_dav_insert, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(mod_iri_location_insert_error, NULL, NULL,
                                APR_HOOK_MIDDLE);
    ap_hook_insert_filter(mod_iri_sendfile_insert, NULL, NULL,
                          APR_HOOK_LAST + 2);
    ap_hook_handler(mod_iri_list, NULL, NULL, APR_HOOK_MIDDLE - 1);
    ap_hook_log_transaction(mod_iri_restore_target, NULL, NULL,
                            APR_HOOK_REALLY_FIRST);
}

/* 1: this configuration has the hooks of requests */
static int mod_iri_has_hooks;

static int
mod_iri_pre_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp)
{
    mod_iri_has_hooks = 0;
    mod_iri_register_maps(pconf);
    mod_iri_register_log(pconf);
    return mod_iri_status_register(pconf);
}

/*
 * All modules are loaded, so at an equal position these hooks run after those
 * of other modules.  apr_hook_debug_current names the module that adds them.
 */
static void
mod_iri_add_hooks(void)
{
    const char *current = apr_hook_debug_current;

    mod_iri_has_hooks = 1;
    apr_hook_debug_current = iri_module.name;
    mod_iri_add_request_hooks();
    mod_iri_host_hooks();
    mod_iri_status_hooks();
    apr_hook_debug_current = current;
}

/* ---- directives --------------------------------------------------------- */

/*
 * Returns: the core's message after the directive's name.
 * word: the wrong one; NULL: none.
 */
static const char *
mod_iri_error(cmd_parms *cmd, const char *sentence, const char *word)
{
    return apr_pstrcat(cmd->pool, cmd->cmd->name, " ", sentence,
                       word ? ", not \"" : NULL, word, "\"", NULL);
}

/*
 * Set the value of the directive, whose setting is cmd->info.  Directives for
 * names on disk are not allowed in <Location> and <Files>.
 */
static const char *
mod_iri_store(cmd_parms *cmd, void *dir, const void *value)
{
    int id = (int) ((const mod_iri_setting_t *) cmd->info - mod_iri_settings);

    mod_iri_add_setting(id < MOD_IRI_CONF_ENGINE
                            ? dir
                            : (void *) mod_iri_server_conf(cmd->server),
                        id, value);
    return 1u << id & MOD_IRI_HAS_TREE
               ? ap_check_cmd_context(cmd, NOT_IN_LOCATION | NOT_IN_FILES)
               : NULL;
}

static const char *
mod_iri_set_flag(cmd_parms *cmd, void *dir, int on)
{
    return mod_iri_store(cmd, dir, &on);
}

static const char *
mod_iri_set_word(cmd_parms *cmd, void *dir, const char *arg)
{
    const mod_iri_setting_t *setting = cmd->info;
    unsigned                 value;
    const char *err = iri_parse_word(setting->words, mod_iri_str(arg),
                                     &value);

    return err ? mod_iri_error(cmd, err, arg)
               : mod_iri_store(cmd, dir, &value);
}

/* Returns: argv as strings of the core, in cmd->temp_pool. */
static iri_str_t *
mod_iri_argv_strings(cmd_parms *cmd, int argc, char *const argv[])
{
    iri_str_t *words = apr_palloc(cmd->temp_pool, argc * sizeof(*words));
    int        i;

    for (i = 0; i < argc; i++) {
        words[i] = mod_iri_str(argv[i]);
    }
    return words;
}

static const char *
mod_iri_set_words(cmd_parms *cmd, void *dir, int argc, char *const argv[])
{
    const mod_iri_setting_t *setting = cmd->info;
    unsigned                 value;
    size_t                   unknown;
    const char              *err;

    if (argc < 1) {
        return mod_iri_error(cmd, setting->missing, NULL);
    }
    err = iri_parse_words(setting->words,
                          mod_iri_argv_strings(cmd, argc, argv), argc, &value,
                          &unknown);
    if (err) {
        return mod_iri_error(cmd, err,
                             unknown < (size_t) argc ? argv[unknown] : NULL);
    }
    return mod_iri_store(cmd, dir, &value);
}

/* IRICharset, IRIFilenameCharset, IRIQueryCharset */
static const char *
mod_iri_set_charsets(cmd_parms *cmd, void *dir, int argc, char *const argv[])
{
    const mod_iri_setting_t *setting = cmd->info;
    iri_registry_t          *registry = mod_iri_registry(cmd->pool);
    iri_str_t               *words = mod_iri_argv_strings(cmd, argc, argv);
    iri_query_conf_t         query;
    const char              *err;

    if (argc < 1) {
        err = "needs the name of a charset";
    } else if (registry == NULL) {
        err = "cannot be used: the data of ICU is missing";
    } else if (setting == &mod_iri_settings[MOD_IRI_CONF_QUERY]) {
        err = iri_parse_query(registry, words, argc, &query);
    } else {
        err = iri_parse_charsets(
            registry, words, argc,
            setting == &mod_iri_settings[MOD_IRI_CONF_CHARSET],
            &query.charsets);
    }
    /* of iri_query_conf_t, or its first member alone */
    return err ? mod_iri_error(cmd, err, NULL)
               : mod_iri_store(cmd, dir, &query);
}

static const char *
mod_iri_set_engine(cmd_parms *cmd, void *dir, const char *arg)
{
    const char *err = mod_iri_set_word(cmd, dir, arg);

    if (!mod_iri_has_hooks && !mod_iri_is_off(cmd->server)) {
        mod_iri_add_hooks();
    }
    return err;
}

static const char *
mod_iri_set_host(cmd_parms *cmd, void *dir, const char *arg)
{
    mod_iri_server_conf(cmd->server)->host_directive = cmd->directive;
    return mod_iri_set_word(cmd, dir, arg);
}

/* A child has one cache for all virtual hosts. */
static const char *
mod_iri_set_cache(cmd_parms *cmd, void *dir, const char *arg)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    iri_str_t   word = mod_iri_str(arg);

    if (err) {
        return err;
    }
    err = iri_parse_cache(
        &word, 1, &mod_iri_server_conf(cmd->server)->cache_size, NULL);
    return err ? mod_iri_error(cmd, err, arg) : NULL;
}

/* clang-format off */
/* where directives for names on disk are allowed */
#define DISK        (RSRC_CONF | ACCESS_CONF)
#define SETTING(id) (void *) &mod_iri_settings[MOD_IRI_CONF_##id]

static const command_rec mod_iri_directives[] = {
    AP_INIT_TAKE1("IRIEngine", mod_iri_set_engine, SETTING(ENGINE), RSRC_CONF,
        "on, off, or report: log what would be done and change nothing"),
    AP_INIT_TAKE_ARGV("IRICharset", mod_iri_set_charsets,
        SETTING(CHARSET), RSRC_CONF,
        "charsets that requests may use besides UTF-8, in order; or none"),
    AP_INIT_TAKE1("IRIInvalid", mod_iri_set_word, SETTING(INVALID), RSRC_CONF,
        "404, 400 or pass: the answer to a path that no charset can decode"),
    AP_INIT_TAKE_ARGV("IRIQueryCharset", mod_iri_set_charsets,
        SETTING(QUERY), RSRC_CONF,
        "charsets for parameters of a query that are not UTF-8, in order, "
        "or none; then nfc or nothing"),
    AP_INIT_TAKE1("IRIHost", mod_iri_set_host, SETTING(HOST), RSRC_CONF,
        "off, on or strict: a host name in any form selects its virtual host"),
    AP_INIT_FLAG("IRIAdvertise", mod_iri_set_flag,
        SETTING(ADVERTISE), RSRC_CONF,
        "on or off: announce support for IRIs in answers to OPTIONS"),
    AP_INIT_FLAG("IRIRequestURI", mod_iri_set_flag,
        SETTING(REQUEST_URI), RSRC_CONF,
        "on or off: applications get the canonical path in REQUEST_URI"),
    AP_INIT_TAKE_ARGV("IRIFilenameCharset", mod_iri_set_charsets,
        SETTING(FILENAME_CHARSET), DISK,
        "charsets of names on disk, in order; new names use the first"),
    AP_INIT_TAKE1("IRIFilenameForm", mod_iri_set_word,
        SETTING(FILENAME_FORM), DISK,
        "any, nfc or nfd: normalization form of names on disk"),
    AP_INIT_TAKE_ARGV("IRIMatch", mod_iri_set_words, SETTING(MATCH), DISK,
        "exact, or any of normalization, variants, width, punctuation, case, "
        "accents, spelling; variants, case and accents also with \":\" and a "
        "group of letters"),
    AP_INIT_TAKE1("IRIAmbiguous", mod_iri_set_word, SETTING(AMBIGUOUS), DISK,
        "404 or 300: the answer if several names match equally well"),
    AP_INIT_TAKE_ARGV("IRIRepair", mod_iri_set_words, SETTING(REPAIR), DISK,
        "off, or any of double-encoding, mojibake, %u, invisible, trailing, "
        "plus: repair broken paths if the result names an entry"),
    AP_INIT_TAKE1("IRICache", mod_iri_set_cache, NULL, RSRC_CONF,
        "off, or the memory per child for indexes of directories, for "
        "example 16m"),
    AP_INIT_TAKE1("IRIRedirect", mod_iri_set_word,
        SETTING(REDIRECT), RSRC_CONF | OR_FILEINFO,
        "off, 301, 302, 303, 307 or 308: redirect to the canonical URI; link: "
        "send a Link field"),
    AP_INIT_FLAG("IRIListing", mod_iri_set_flag,
        SETTING(LISTING), RSRC_CONF | OR_INDEXES,
        "on or off: list directories with canonical names"),
    AP_INIT_NO_ARGS(NULL, NULL, NULL, 0, NULL)
};
/* clang-format on */

static void
mod_iri_register_hooks(apr_pool_t *pool)
{
    ap_hook_pre_config(mod_iri_pre_config, NULL, NULL, APR_HOOK_LAST);
    /* before modules that use the names of virtual hosts */
    ap_hook_post_config(mod_iri_prepare_hosts, NULL, NULL,
                        APR_HOOK_REALLY_FIRST);
    ap_hook_post_config(mod_iri_post_config, NULL, NULL, APR_HOOK_LAST);
    ap_hook_test_config(mod_iri_check_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(mod_iri_child_init, NULL, NULL, APR_HOOK_MIDDLE);
    mod_iri_location_register();
    mod_iri_dav_register();
    /* before httpd's own IS_SUBREQ */
    ap_hook_expr_lookup(mod_iri_probe_expr_lookup, NULL, NULL,
                        APR_HOOK_REALLY_FIRST);
    ap_hook_expr_lookup(mod_iri_expr_lookup, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_expr_lookup(mod_iri_expr_lookup_function, NULL, NULL,
                        APR_HOOK_MIDDLE);
}

/* clang-format off */
module AP_MODULE_DECLARE_DATA iri_module = {
    STANDARD20_MODULE_STUFF,
    mod_iri_create_dir,     /* create the per-directory configuration */
    mod_iri_merge_dir,      /* merge per-directory configurations */
    mod_iri_create_server,  /* create the server configuration */
    mod_iri_merge_server,   /* merge server configurations */
    mod_iri_directives,
    mod_iri_register_hooks,
    AP_MODULE_FLAG_NONE
};
/* clang-format on */
