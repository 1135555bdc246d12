/*
 * mod_iri.c - the module record
 *
 * Directives with their merging, the table of hooks and the module record.  The
 * core parses the values of directives, for all servers alike.  This file
 * stores them: settings for reading in the server configuration, settings for
 * lookups in the per-directory configuration.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_startup.h"
#include "mod_iri_tree.h"

#include <ap_expr.h>
#include <apr_hooks.h>

/* ---- configuration ------------------------------------------------------ */

static void *
mod_iri_create_server(apr_pool_t *pool, server_rec *s)
{
    mod_iri_server_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    (void) s;
    conf->engine = MOD_IRI_UNSET;
    conf->cache_size = MOD_IRI_CACHE_SIZE;
    conf->host_mode = MOD_IRI_UNSET;
    conf->advertise = MOD_IRI_UNSET;
    conf->request_uri = MOD_IRI_UNSET;
    return conf;
}

static void *
mod_iri_merge_server(apr_pool_t *pool, void *basev, void *addv)
{
    const mod_iri_server_conf_t *base = basev;
    const mod_iri_server_conf_t *add = addv;
    mod_iri_server_conf_t *conf = apr_pmemdup(pool, base, sizeof(*conf));

    if (add->engine != MOD_IRI_UNSET) {
        conf->engine = add->engine;
    }
    if (add->has_charsets) {
        conf->has_charsets = 1;
        conf->reading.charsets = add->reading.charsets;
    }
    if (add->has_invalid) {
        conf->has_invalid = 1;
        conf->reading.invalid = add->reading.invalid;
    }
    if (add->has_query) {
        conf->has_query = 1;
        conf->query = add->query;
    }
    if (add->host_mode != MOD_IRI_UNSET) {
        conf->host_mode = add->host_mode;
        conf->host_directive = add->host_directive;
    }
    if (add->advertise != MOD_IRI_UNSET) {
        conf->advertise = add->advertise;
    }
    if (add->request_uri != MOD_IRI_UNSET) {
        conf->request_uri = add->request_uri;
    }
    return conf;
}

static void *
mod_iri_create_dir(apr_pool_t *pool, char *path)
{
    mod_iri_dir_conf_t *dir = apr_pcalloc(pool, sizeof(*dir));

    (void) path;
    dir->redirect = MOD_IRI_UNSET;
    dir->listing = MOD_IRI_UNSET;
    return dir;
}

static void *
mod_iri_merge_dir(apr_pool_t *pool, void *basev, void *addv)
{
    const mod_iri_dir_conf_t *add = addv;
    mod_iri_dir_conf_t       *dir = apr_pmemdup(pool, basev, sizeof(*dir));

    mod_iri_tree_merge(&dir->tree, add);
    dir->has |= add->has;
    if (add->redirect != MOD_IRI_UNSET) {
        dir->redirect = add->redirect;
    }
    if (add->listing != MOD_IRI_UNSET) {
        dir->listing = add->listing;
    }
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
mod_iri_add_hooks(void)
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
    ap_hook_fixups(mod_iri_fixups, NULL, NULL, MOD_IRI_AFTER_FIRST);
    ap_hook_fixups(mod_iri_redirect, NULL, NULL, APR_HOOK_LAST - 1);
    ap_hook_fixups(mod_iri_redirect_directory, NULL, NULL, APR_HOOK_LAST + 1);
    ap_hook_fixups(mod_iri_dav_fixups, NULL, NULL, APR_HOOK_REALLY_LAST);
    ap_hook_insert_filter(mod_iri_location_insert, NULL, NULL,
                          APR_HOOK_MIDDLE);
    ap_hook_insert_filter(mod_iri_dav_insert, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(mod_iri_location_insert_error, NULL, NULL,
                                APR_HOOK_MIDDLE);
    mod_iri_sendfile_register();
    ap_hook_handler(mod_iri_list, NULL, NULL, APR_HOOK_MIDDLE - 1);
    ap_hook_log_transaction(mod_iri_restore_target, NULL, NULL,
                            APR_HOOK_REALLY_FIRST);
}

/*
 * Add hooks once per configuration.  httpd attributes a hook to
 * apr_hook_debug_current, which does not name this module while directives are
 * read.
 */
static void
mod_iri_add_once(cmd_parms *cmd, void (*add)(void), const char *key)
{
    const char *current = apr_hook_debug_current;
    void       *done = NULL;

    apr_pool_userdata_get(&done, key, cmd->pool);
    if (done == NULL) {
        apr_pool_userdata_setn(cmd, key, NULL, cmd->pool);
        apr_hook_debug_current = iri_module.name;
        add();
        apr_hook_debug_current = current;
    }
}

/* ---- directives --------------------------------------------------------- */

/*
 * Returns: the core's message with the directive's name before it; NULL if
 * sentence is NULL.
 */
static const char *
mod_iri_error(cmd_parms *cmd, const char *sentence)
{
    if (sentence == NULL) {
        return NULL;
    }
    return apr_pstrcat(cmd->pool, cmd->cmd->name, " ", sentence, NULL);
}

/* Returns: the same message followed by the invalid word. */
static const char *
mod_iri_error_word(cmd_parms *cmd, const char *sentence, const char *word)
{
    return sentence == NULL
               ? NULL
               : mod_iri_error(cmd,
                               apr_pstrcat(cmd->pool, sentence, ", not \"",
                                           word, "\"", NULL));
}

/* Directives for names on disk are not allowed in <Location> and <Files>. */
static const char *
mod_iri_check_context(cmd_parms *cmd)
{
    return ap_check_cmd_context(cmd, NOT_IN_LOCATION | NOT_IN_FILES);
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

/* Returns: an error if no charset is named or ICU has no data; else NULL. */
static const char *
mod_iri_check_charset_args(cmd_parms *cmd, int argc,
                           const iri_registry_t *registry)
{
    if (argc < 1) {
        return mod_iri_error(cmd, "needs the name of a charset");
    }
    if (registry == NULL) {
        return mod_iri_error(cmd,
                             "cannot be used: the data of ICU is missing");
    }
    return NULL;
}

static const char *
mod_iri_parse_charset_args(cmd_parms *cmd, int argc, char *const argv[],
                           int none_allowed, iri_charsets_t *out)
{
    iri_registry_t *registry = mod_iri_registry(cmd->pool);
    const char     *err = mod_iri_check_charset_args(cmd, argc, registry);

    if (err) {
        return err;
    }
    return mod_iri_error(
        cmd,
        iri_parse_charsets(registry, mod_iri_argv_strings(cmd, argc, argv),
                           argc, none_allowed, out));
}

/* Parse the value of a directive that takes one word. */
static const char *
mod_iri_parse_word(cmd_parms *cmd, const iri_words_t *words, const char *arg,
                   unsigned *value)
{
    return mod_iri_error_word(
        cmd, iri_parse_word(words, mod_iri_str(arg), value), arg);
}

static const char *
mod_iri_set_engine(cmd_parms *cmd, void *dir, const char *arg)
{
    unsigned    engine;
    const char *err = mod_iri_parse_word(cmd, &iri_engine_words, arg,
                                         &engine);

    (void) dir;
    if (err == NULL) {
        mod_iri_server_conf(cmd->server)->engine = (int) engine;
        if (engine != IRI_ENGINE_OFF) {
            mod_iri_add_once(cmd, mod_iri_add_hooks, "mod_iri: hooks");
            mod_iri_add_once(cmd, mod_iri_status_hooks, "mod_iri: status");
        }
    }
    return err;
}

static const char *
mod_iri_set_charset(cmd_parms *cmd, void *dir, int argc, char *const argv[])
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(cmd->server);

    (void) dir;
    conf->has_charsets = 1;
    return mod_iri_parse_charset_args(cmd, argc, argv, 1,
                                      &conf->reading.charsets);
}

static const char *
mod_iri_set_invalid(cmd_parms *cmd, void *dir, const char *arg)
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(cmd->server);
    unsigned               invalid = IRI_INVALID_404;
    const char *err = mod_iri_parse_word(cmd, &iri_invalid_words, arg,
                                         &invalid);

    (void) dir;
    conf->has_invalid = 1;
    conf->reading.invalid = (iri_invalid_t) invalid;
    return err;
}

static const char *
mod_iri_set_query(cmd_parms *cmd, void *dir, int argc, char *const argv[])
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(cmd->server);
    iri_registry_t        *registry = mod_iri_registry(cmd->pool);
    const char *err = mod_iri_check_charset_args(cmd, argc, registry);

    (void) dir;
    if (err) {
        return err;
    }
    conf->has_query = 1;
    return mod_iri_error(
        cmd, iri_parse_query(registry, mod_iri_argv_strings(cmd, argc, argv),
                             argc, &conf->query));
}

static const char *
mod_iri_set_host(cmd_parms *cmd, void *dir, const char *arg)
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(cmd->server);
    unsigned               hosts;
    const char *err = mod_iri_parse_word(cmd, &iri_host_mode_words, arg,
                                         &hosts);

    (void) dir;
    if (err == NULL) {
        conf->host_mode = (int) hosts;
        conf->host_directive = cmd->directive;
        if (hosts != IRI_HOST_MODE_OFF) {
            mod_iri_add_once(cmd, mod_iri_host_hooks,
                             "mod_iri: hooks of hosts");
        }
    }
    return err;
}

static const char *
mod_iri_set_advertise(cmd_parms *cmd, void *dir, int on)
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(cmd->server);

    (void) dir;
    conf->advertise = on;
    return NULL;
}

static const char *
mod_iri_set_request_uri(cmd_parms *cmd, void *dir, int on)
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(cmd->server);

    (void) dir;
    conf->request_uri = on;
    return NULL;
}

static const char *
mod_iri_set_filename_charset(cmd_parms *cmd, void *dirv, int argc,
                             char *const argv[])
{
    mod_iri_dir_conf_t *dir = dirv;
    const char         *err = mod_iri_check_context(cmd);

    if (err) {
        return err;
    }
    dir->has |= MOD_IRI_HAS_CHARSETS;
    return mod_iri_parse_charset_args(cmd, argc, argv, 0,
                                      &dir->tree.charsets);
}

/* A per-directory directive whose value is one word or a set of words. */
typedef struct {
    const iri_words_t *words;
    unsigned           has; /* bit of mod_iri_dir_conf_t.has; 0: the directive
                                   is allowed in any section */
    size_t             offset;  /* of the value in mod_iri_dir_conf_t */
    const char        *missing; /* error if no word is given; NULL: httpd
                                   itself requires one word */
} mod_iri_slot_t;

static const mod_iri_slot_t mod_iri_slot_form = {
    &iri_filename_form_words, MOD_IRI_HAS_FORM,
    offsetof(mod_iri_dir_conf_t, tree.names), NULL
};
static const mod_iri_slot_t mod_iri_slot_match = {
    &iri_match_words, MOD_IRI_HAS_MATCH,
    offsetof(mod_iri_dir_conf_t, tree.match),
    "needs a word, for example \"exact\""
};
static const mod_iri_slot_t mod_iri_slot_ambiguous = {
    &iri_ambiguous_words, MOD_IRI_HAS_AMBIGUOUS,
    offsetof(mod_iri_dir_conf_t, tree.ambiguous), NULL
};
static const mod_iri_slot_t mod_iri_slot_repair = {
    &iri_repair_words, MOD_IRI_HAS_REPAIR,
    offsetof(mod_iri_dir_conf_t, tree.repair),
    "needs a word, for example \"off\""
};
static const mod_iri_slot_t mod_iri_slot_redirect = {
    &iri_redirect_words, 0, offsetof(mod_iri_dir_conf_t, redirect), NULL
};

/* Store a value in the slot of the directive, which is cmd->info. */
static const char *
mod_iri_store(cmd_parms *cmd, mod_iri_dir_conf_t *dir, unsigned value)
{
    const mod_iri_slot_t *slot = cmd->info;

    dir->has |= slot->has;
    memcpy((char *) dir + slot->offset, &value, sizeof(value));
    return slot->has != 0 ? mod_iri_check_context(cmd) : NULL;
}

static const char *
mod_iri_set_word(cmd_parms *cmd, void *dir, const char *arg)
{
    const mod_iri_slot_t *slot = cmd->info;
    unsigned              value;
    const char *err = mod_iri_parse_word(cmd, slot->words, arg, &value);

    return err ? err : mod_iri_store(cmd, dir, value);
}

static const char *
mod_iri_set_words(cmd_parms *cmd, void *dir, int argc, char *const argv[])
{
    const mod_iri_slot_t *slot = cmd->info;
    unsigned              value;
    size_t                unknown;
    const char           *err;

    if (argc < 1) {
        return mod_iri_error(cmd, slot->missing);
    }
    err = iri_parse_words(slot->words, mod_iri_argv_strings(cmd, argc, argv),
                          argc, &value, &unknown);
    if (err) {
        return unknown < (size_t) argc
                   ? mod_iri_error_word(cmd, err, argv[unknown])
                   : mod_iri_error(cmd, err);
    }
    return mod_iri_store(cmd, dir, value);
}

/* A child has one cache for all virtual hosts. */
static const char *
mod_iri_set_cache(cmd_parms *cmd, void *dir, const char *arg)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    iri_str_t   word = mod_iri_str(arg);

    (void) dir;
    if (err) {
        return err;
    }
    return mod_iri_error_word(
        cmd,
        iri_parse_cache(&word, 1,
                        &mod_iri_server_conf(cmd->server)->cache_size, NULL),
        arg);
}

/* clang-format off */
static const command_rec mod_iri_directives[] = {
    AP_INIT_TAKE1("IRIEngine", mod_iri_set_engine, NULL, RSRC_CONF,
        "on, off, or report: log what would be done and change nothing"),
    AP_INIT_TAKE_ARGV("IRICharset", mod_iri_set_charset, NULL, RSRC_CONF,
        "charsets that requests may use besides UTF-8, in order; or none"),
    AP_INIT_TAKE1("IRIInvalid", mod_iri_set_invalid, NULL, RSRC_CONF,
        "404, 400 or pass: the answer to a path that no charset can decode"),
    AP_INIT_TAKE_ARGV("IRIQueryCharset", mod_iri_set_query, NULL, RSRC_CONF,
        "charsets for parameters of a query that are not UTF-8, in order, "
        "or none; then nfc or nothing"),
    AP_INIT_TAKE1("IRIHost", mod_iri_set_host, NULL, RSRC_CONF,
        "off, on or strict: a host name in any form selects its virtual host"),
    AP_INIT_FLAG("IRIAdvertise", mod_iri_set_advertise, NULL, RSRC_CONF,
        "on or off: announce support for IRIs in answers to OPTIONS"),
    AP_INIT_FLAG("IRIRequestURI", mod_iri_set_request_uri, NULL, RSRC_CONF,
        "on or off: applications get the canonical path in REQUEST_URI"),
    AP_INIT_TAKE_ARGV("IRIFilenameCharset", mod_iri_set_filename_charset,
        NULL, RSRC_CONF | ACCESS_CONF,
        "charsets of names on disk, in order; new names use the first"),
    AP_INIT_TAKE1("IRIFilenameForm", mod_iri_set_word,
        (void *) &mod_iri_slot_form, RSRC_CONF | ACCESS_CONF,
        "any, nfc or nfd: normalization form of names on disk"),
    AP_INIT_TAKE_ARGV("IRIMatch", mod_iri_set_words,
        (void *) &mod_iri_slot_match, RSRC_CONF | ACCESS_CONF,
        "exact, or any of normalization, variants, width, punctuation, case, "
        "accents, spelling; variants, case and accents also with \":\" and a "
        "group of letters"),
    AP_INIT_TAKE1("IRIAmbiguous", mod_iri_set_word,
        (void *) &mod_iri_slot_ambiguous, RSRC_CONF | ACCESS_CONF,
        "404 or 300: the answer if several names match equally well"),
    AP_INIT_TAKE_ARGV("IRIRepair", mod_iri_set_words,
        (void *) &mod_iri_slot_repair, RSRC_CONF | ACCESS_CONF,
        "off, or any of double-encoding, mojibake, %u, invisible, trailing, "
        "plus: repair broken paths if the result names an entry"),
    AP_INIT_TAKE1("IRICache", mod_iri_set_cache, NULL, RSRC_CONF,
        "off, or the memory per child for indexes of directories, for "
        "example 16m"),
    AP_INIT_TAKE1("IRIRedirect", mod_iri_set_word,
        (void *) &mod_iri_slot_redirect, RSRC_CONF | OR_FILEINFO,
        "off, 301, 302, 303, 307 or 308: redirect to the canonical URI; link: "
        "send a Link field"),
    AP_INIT_FLAG("IRIListing", ap_set_flag_slot,
        (void *) offsetof(mod_iri_dir_conf_t, listing), RSRC_CONF | OR_INDEXES,
        "on or off: list directories with canonical names"),
    AP_INIT_NO_ARGS(NULL, NULL, NULL, 0, NULL)
};
/* clang-format on */

static void
mod_iri_register_hooks(apr_pool_t *pool)
{
    (void) pool;
    ap_hook_pre_config(mod_iri_register_maps, NULL, NULL, APR_HOOK_LAST);
    ap_hook_pre_config(mod_iri_register_log, NULL, NULL, APR_HOOK_LAST);
    ap_hook_pre_config(mod_iri_status_register, NULL, NULL, APR_HOOK_MIDDLE);
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
