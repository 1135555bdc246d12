/*
 * mod_iri.c - the module as httpd sees it
 *
 * Directives with their merging, the table of hooks and the module record.
 * The values of directives are parsed by the core, the same for all servers;
 * here they are only stored where httpd keeps them: what governs reading in
 * the settings of a server, what governs looking in those of a place.
 */

#include "mod_iri.h"

#include <ap_expr.h>
#include <apr_hooks.h>

/* ---- settings and their merging ----------------------------------------- */

static void *
mod_iri_create_server(apr_pool_t *pool, server_rec *s)
{
    mod_iri_server_t *conf = apr_pcalloc(pool, sizeof(*conf));

    (void) s;
    conf->engine = MOD_IRI_UNSET;
    conf->cache_size = MOD_IRI_CACHE_SIZE;
    conf->hosts = MOD_IRI_UNSET;
    conf->advertise = MOD_IRI_UNSET;
    return conf;
}

static void *
mod_iri_merge_server(apr_pool_t *pool, void *basev, void *addv)
{
    const mod_iri_server_t *base = basev;
    const mod_iri_server_t *add = addv;
    mod_iri_server_t       *conf = apr_pmemdup(pool, base, sizeof(*conf));

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
    if (add->hosts != MOD_IRI_UNSET) {
        conf->hosts = add->hosts;
    }
    conf->says_hosts = add->says_hosts;
    if (add->advertise != MOD_IRI_UNSET) {
        conf->advertise = add->advertise;
    }
    conf->says_advertise = add->says_advertise;
    return conf;
}

static void *
mod_iri_create_dir(apr_pool_t *pool, char *path)
{
    mod_iri_dir_t *dir = apr_pcalloc(pool, sizeof(*dir));

    (void) path;
    dir->redirect = MOD_IRI_UNSET;
    dir->listing = MOD_IRI_UNSET;
    return dir;
}

static void *
mod_iri_merge_dir(apr_pool_t *pool, void *basev, void *addv)
{
    const mod_iri_dir_t *add = addv;
    mod_iri_dir_t       *dir = apr_pmemdup(pool, basev, sizeof(*dir));

    mod_iri_tree_add(&dir->tree, add);
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
 * Most requests are plain, and little is known of them: then this is all that
 * a hook costs.
 */
#define MOD_IRI_KNOWN(hook)                                                  \
    static int hook##_known(request_rec *r)                                  \
    {                                                                        \
        return mod_iri_request(r) != NULL ? hook(r) : DECLINED;              \
    }

MOD_IRI_KNOWN(mod_iri_decode)
MOD_IRI_KNOWN(mod_iri_walk)
MOD_IRI_KNOWN(mod_iri_absent)

/* A program that is run for a plain path wants to know of it, too. */
static int
mod_iri_fixups_known(request_rec *r)
{
    return r->handler != NULL || mod_iri_request(r) != NULL
               ? mod_iri_fixups(r)
               : DECLINED;
}

/*
 * Was a plain path sent as it would be after a redirect?  A rule may have led
 * to a plain path from another.
 */
static int
mod_iri_is_plainly_spelled(const request_rec *r)
{
    return mod_iri_request(r) == NULL && r->prev == NULL
           && iri_uri_is_normalized(mod_iri_path_sent(r));
}

/* What is asked for is of interest in a subrequest, plain or not. */
static int
mod_iri_redirect_known(request_rec *r)
{
    return r->main == NULL && mod_iri_is_plainly_spelled(r)
               ? DECLINED
               : mod_iri_redirect(r);
}

static int
mod_iri_redirect_directory_known(request_rec *r)
{
    return mod_iri_is_plainly_spelled(r) ? DECLINED
                                         : mod_iri_redirect_directory(r);
}

/* One hook, for a file that httpd itself sends pays for each. */
static void
mod_iri_insert_filters(request_rec *r)
{
    mod_iri_location_insert(r);
    if (r->handler != NULL) {
        mod_iri_dav_insert(r);
    }
}

/* With those that it was redirected to. */
static int
mod_iri_restore_known(request_rec *r)
{
    return r->next != NULL || mod_iri_request(r) != NULL ? mod_iri_restore(r)
                                                         : DECLINED;
}

static int
mod_iri_pre_translate_known(request_rec *r)
{
    return mod_iri_is_plain(r) ? DECLINED : mod_iri_pre_translate(r);
}

/* One hook, where no other module is to see the path encoded. */
static int
mod_iri_pre_translate_alone(request_rec *r)
{
    int status = mod_iri_pre_translate_known(r);

    return status == DECLINED ? mod_iri_decode_known(r) : status;
}

/* Has another module put something in the place of what was read? */
static int
mod_iri_check_known(request_rec *r)
{
    const mod_iri_request_t *ctx;

    mod_iri_snapshot_url(r);
    if (r->uri == r->parsed_uri.path) {
        if (mod_iri_is_plain(r)) {
            return DECLINED;
        }
        ctx = mod_iri_request(r);
        if (ctx != NULL && ctx->decoded == r->uri) {
            return DECLINED;
        }
    }
    return mod_iri_check(r);
}

/* An alias or a rule may lead from a plain path to a name that is not. */
static int
mod_iri_map_known(request_rec *r)
{
    return !mod_iri_server(r->server)->maps_ascii && r->filename != NULL
                   && iri_str_is_ascii(mod_iri_str(r->filename))
               ? DECLINED
               : mod_iri_map(r);
}

/* One hook, where httpd alone has others; it ends TRACE without a walk. */
static int
mod_iri_map_and_walk(request_rec *r)
{
    int status = mod_iri_map_known(r);

    return status == DECLINED && r->method_number != M_TRACE
               ? mod_iri_walk_known(r)
               : status;
}

/* One hook, where no other module has one between. */
static int
mod_iri_absent_and_fixups(request_rec *r)
{
    int status = mod_iri_absent_known(r);

    return status == DECLINED ? mod_iri_fixups_known(r) : status;
}

/*
 * What other modules do before the path is decoded: ProxyPass with
 * mapping=encoded, or LuaHookPreTranslateName.  They have said so when they
 * were loaded.
 */
static void
mod_iri_add_translate_hooks(void)
{
    static const char *const  proxy[] = { "mod_proxy.c", NULL };
    const apr_array_header_t *others = ap_hook_get_pre_translate_name();

    if (others == NULL || others->nelts == 0) {
        ap_hook_pre_translate_name(mod_iri_pre_translate_alone, NULL, NULL,
                                   APR_HOOK_REALLY_FIRST);
    } else {
        ap_hook_pre_translate_name(mod_iri_pre_translate_known, NULL, NULL,
                                   APR_HOOK_REALLY_FIRST);
        ap_hook_pre_translate_name(mod_iri_decode_known, proxy, NULL,
                                   APR_HOOK_REALLY_LAST);
    }
    ap_hook_translate_name(mod_iri_check_known, NULL, NULL,
                           APR_HOOK_REALLY_FIRST);
}

static void
mod_iri_add_walk_hooks(void)
{
    if (mod_iri_is_only_mapper()) {
        ap_hook_map_to_storage(mod_iri_map_and_walk, NULL, NULL,
                               APR_HOOK_FIRST);
    } else {
        ap_hook_map_to_storage(mod_iri_map_known, NULL, NULL, APR_HOOK_FIRST);
        ap_hook_map_to_storage(mod_iri_walk_known, NULL, NULL, APR_HOOK_LAST);
    }
}

/* Choices and entries of listings are asked for by subrequests. */
static void
mod_iri_add_asking_hooks(void)
{
    static const char *const proxy[] = { "mod_proxy.c", NULL };
    static const char *const rewrite[] = { "mod_rewrite.c", NULL };
    /* it lists names as they are on disk */
    static const char *const autoindex[] = { "mod_autoindex.c", NULL };

    ap_hook_translate_name(mod_iri_ask_alone, NULL, rewrite,
                           APR_HOOK_REALLY_FIRST);
    ap_hook_translate_name(mod_iri_ask_together, rewrite, proxy,
                           APR_HOOK_FIRST);
    ap_hook_map_to_storage(mod_iri_ask_together, NULL, NULL,
                           APR_HOOK_REALLY_FIRST);
    ap_hook_post_perdir_config(mod_iri_judge_headers, NULL, NULL,
                               APR_HOOK_LAST);
    ap_hook_check_authn(mod_iri_ask_user, NULL, NULL, APR_HOOK_REALLY_FIRST,
                        AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_check_authz(mod_iri_list_user, NULL, NULL, APR_HOOK_REALLY_FIRST,
                        AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_fixups(mod_iri_ask_alone, NULL, rewrite, APR_HOOK_REALLY_FIRST);
    ap_hook_fixups(mod_iri_ask_together, rewrite, proxy, APR_HOOK_FIRST);
    ap_hook_handler(mod_iri_list, NULL, autoindex, APR_HOOK_MIDDLE);
}

/*
 * These are called for each request, so they are added only where a directive
 * has something for them to do.
 *
 * REALLY_FIRST: what other modules see of a path is canonical.  The path is
 * read in post_read_request, before SetEnvIf and before mod_cache makes its
 * key; and in pre_translate_name, which alone runs for subrequests.
 */
static void
mod_iri_add_hooks(void)
{
    /* see mod_iri_snapshot_restore() */
    static const char *const after[] = { "mod_http2.c", NULL };
    /* it judges in post_read_request, as early */
    static const char *const before[] = { "mod_security2.c", NULL };
    /* it tells what is for elsewhere */
    static const char *const proxy[] = { "mod_proxy.c", NULL };
    /* its rules of a directory may lead on from a name that is absent */
    static const char *const rewrite[] = { "mod_rewrite.c", NULL };
    /* they redirect by what is on disk */
    static const char *const dir[] = { "mod_dir.c", "mod_speling.c", NULL };

    if (ap_find_linked_module(proxy[0]) == NULL) {
        ap_hook_post_read_request(mod_iri_post_read, after, before,
                                  APR_HOOK_REALLY_FIRST);
    } else {
        ap_hook_post_read_request(mod_iri_post_read_origin, after, before,
                                  APR_HOOK_REALLY_FIRST);
        ap_hook_post_read_request(mod_iri_post_read_absolute, proxy, NULL,
                                  APR_HOOK_FIRST);
    }
    mod_iri_add_translate_hooks();
    if (mod_iri_uses_client(apr_hook_global_pool)) {
        ap_hook_post_read_request(mod_iri_post_read_client, NULL, NULL,
                                  APR_HOOK_LAST);
        ap_hook_fixups(mod_iri_client_passed, NULL, NULL,
                       APR_HOOK_REALLY_LAST);
    }
    mod_iri_add_walk_hooks();
    if (mod_iri_uses_asking()) {
        mod_iri_add_asking_hooks();
    }
    if (!mod_iri_uses_asking() && mod_iri_is_first_fixup()) {
        ap_hook_fixups(mod_iri_absent_and_fixups, NULL, NULL, APR_HOOK_FIRST);
    } else {
        ap_hook_fixups(mod_iri_absent_known, rewrite, NULL, APR_HOOK_FIRST);
        ap_hook_fixups(mod_iri_fixups_known, NULL, NULL, APR_HOOK_FIRST);
    }
    if (mod_iri_uses_redirects()) {
        ap_hook_fixups(mod_iri_redirect_known, NULL, dir, APR_HOOK_LAST);
        ap_hook_fixups(mod_iri_redirect_directory_known, dir, NULL,
                       APR_HOOK_LAST);
    }
    if (ap_find_linked_module("mod_dav.c") != NULL) {
        ap_hook_fixups(mod_iri_dav_fixups, NULL, NULL, APR_HOOK_REALLY_LAST);
    }
    ap_hook_insert_filter(mod_iri_insert_filters, NULL, NULL,
                          APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(mod_iri_location_insert_error, NULL, NULL,
                                APR_HOOK_MIDDLE);
    ap_hook_log_transaction(mod_iri_restore_known, NULL, NULL,
                            APR_HOOK_REALLY_FIRST);
    if (mod_iri_vars_logged() != 0) {
        ap_hook_log_transaction(mod_iri_vars_log, NULL, NULL,
                                APR_HOOK_REALLY_FIRST);
    }
}

static void
mod_iri_add_host_hooks(void)
{
    ap_hook_pre_read_request(mod_iri_pre_read, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_pre_read_request(mod_iri_pre_read_stream, NULL, NULL,
                             APR_HOOK_REALLY_FIRST);
    ap_hook_post_read_request(mod_iri_check_host, NULL, NULL,
                              APR_HOOK_REALLY_FIRST);
}

static void
mod_iri_add_advertise_hooks(void)
{
    ap_hook_post_read_request(mod_iri_advertise, NULL, NULL,
                              APR_HOOK_REALLY_FIRST);
    ap_hook_insert_filter(mod_iri_advertise_insert, NULL, NULL,
                          APR_HOOK_MIDDLE);
}

/* Once in a configuration, in the name of this module. */
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

/* The core's sentence behind the directive's name, or NULL for none. */
static const char *
mod_iri_wrong(cmd_parms *cmd, const char *sentence)
{
    if (sentence == NULL) {
        return NULL;
    }
    return apr_pstrcat(cmd->pool, cmd->cmd->name, " ", sentence, NULL);
}

/* The same, and the word that is wrong. */
static const char *
mod_iri_wrong_word(cmd_parms *cmd, const char *sentence, const char *word)
{
    return sentence == NULL
               ? NULL
               : mod_iri_wrong(cmd,
                               apr_pstrcat(cmd->pool, sentence, ", not \"",
                                           word, "\"", NULL));
}

/* Names on disk are the business of directories only. */
static const char *
mod_iri_wrong_place(cmd_parms *cmd)
{
    return ap_check_cmd_context(cmd, NOT_IN_LOCATION | NOT_IN_FILES);
}

static iri_str_t *
mod_iri_words(cmd_parms *cmd, int argc, char *const argv[])
{
    iri_str_t *words = apr_palloc(cmd->temp_pool, argc * sizeof(*words));
    int        i;

    for (i = 0; i < argc; i++) {
        words[i] = mod_iri_str(argv[i]);
    }
    return words;
}

static const char *
mod_iri_set_charsets(cmd_parms *cmd, int argc, char *const argv[],
                     int none_allowed, iri_charsets_t *out)
{
    iri_registry_t *registry = mod_iri_registry(cmd->pool);

    if (argc < 1) {
        return mod_iri_wrong(cmd, "needs the name of a charset");
    }
    if (registry == NULL) {
        return mod_iri_wrong(cmd, "cannot work: the data of ICU is missing");
    }
    return mod_iri_wrong(
        cmd, iri_parse_charsets(registry, mod_iri_words(cmd, argc, argv),
                                argc, none_allowed, out));
}

static const char *
mod_iri_set_engine(cmd_parms *cmd, void *dir, const char *arg)
{
    iri_engine_t engine;
    const char  *err = iri_parse_engine(mod_iri_str(arg), &engine);

    (void) dir;
    if (err == NULL) {
        mod_iri_server(cmd->server)->engine = engine;
        if (engine != IRI_ENGINE_OFF) {
            mod_iri_add_once(cmd, mod_iri_add_hooks, "mod_iri: hooks");
        }
        if (mod_iri_uses_status()) {
            mod_iri_add_once(cmd, mod_iri_status_hooks, "mod_iri: status");
        }
    }
    return mod_iri_wrong_word(cmd, err, arg);
}

static const char *
mod_iri_set_charset(cmd_parms *cmd, void *dir, int argc, char *const argv[])
{
    mod_iri_server_t *conf = mod_iri_server(cmd->server);

    (void) dir;
    conf->has_charsets = 1;
    return mod_iri_set_charsets(cmd, argc, argv, 1, &conf->reading.charsets);
}

static const char *
mod_iri_set_invalid(cmd_parms *cmd, void *dir, const char *arg)
{
    mod_iri_server_t *conf = mod_iri_server(cmd->server);

    (void) dir;
    conf->has_invalid = 1;
    return mod_iri_wrong_word(
        cmd, iri_parse_invalid(mod_iri_str(arg), &conf->reading.invalid),
        arg);
}

static const char *
mod_iri_set_query(cmd_parms *cmd, void *dir, int argc, char *const argv[])
{
    mod_iri_server_t *conf = mod_iri_server(cmd->server);
    iri_registry_t   *registry = mod_iri_registry(cmd->pool);

    (void) dir;
    if (argc < 1) {
        return mod_iri_wrong(cmd, "needs the name of a charset");
    }
    if (registry == NULL) {
        return mod_iri_wrong(cmd, "cannot work: the data of ICU is missing");
    }
    conf->has_query = 1;
    return mod_iri_wrong(cmd, iri_parse_query(registry,
                                              mod_iri_words(cmd, argc, argv),
                                              argc, &conf->query));
}

static const char *
mod_iri_set_hosts(cmd_parms *cmd, void *dir, const char *arg)
{
    mod_iri_server_t *conf = mod_iri_server(cmd->server);
    iri_host_mode_t   hosts;
    const char       *err = iri_parse_host_mode(mod_iri_str(arg), &hosts);

    (void) dir;
    if (err == NULL) {
        conf->hosts = hosts;
        conf->says_hosts = 1;
        if (hosts != IRI_HOST_MODE_OFF) {
            mod_iri_add_once(cmd, mod_iri_add_host_hooks,
                             "mod_iri: hooks of hosts");
        }
    }
    return mod_iri_wrong_word(cmd, err, arg);
}

static const char *
mod_iri_set_advertise(cmd_parms *cmd, void *dir, int on)
{
    mod_iri_server_t *conf = mod_iri_server(cmd->server);

    (void) dir;
    conf->advertise = on;
    conf->says_advertise = 1;
    if (on) {
        mod_iri_add_once(cmd, mod_iri_add_advertise_hooks,
                         "mod_iri: hooks of OPTIONS");
    }
    return NULL;
}

static const char *
mod_iri_set_filename_charset(cmd_parms *cmd, void *dirv, int argc,
                             char *const argv[])
{
    mod_iri_dir_t *dir = dirv;
    const char    *err = mod_iri_wrong_place(cmd);

    if (err) {
        return err;
    }
    dir->has |= MOD_IRI_HAS_CHARSETS;
    return mod_iri_set_charsets(cmd, argc, argv, 0, &dir->tree.charsets);
}

static const char *
mod_iri_set_filename_form(cmd_parms *cmd, void *dirv, const char *arg)
{
    mod_iri_dir_t *dir = dirv;
    const char    *err = mod_iri_wrong_place(cmd);

    if (err) {
        return err;
    }
    dir->has |= MOD_IRI_HAS_NAMES;
    return mod_iri_wrong_word(
        cmd, iri_parse_filename_form(mod_iri_str(arg), &dir->tree.names),
        arg);
}

static const char *
mod_iri_set_match(cmd_parms *cmd, void *dirv, int argc, char *const argv[])
{
    mod_iri_dir_t *dir = dirv;
    const char    *err = mod_iri_wrong_place(cmd);
    iri_str_t     *words;
    size_t         wrong;

    if (err) {
        return err;
    }
    if (argc < 1) {
        return mod_iri_wrong(cmd, "needs a word, \"exact\" say");
    }
    dir->has |= MOD_IRI_HAS_MATCH;
    words = mod_iri_words(cmd, argc, argv);
    err = iri_parse_match(words, argc, &dir->tree.match);
    wrong = iri_match_unknown_word(words, argc);
    return wrong < (size_t) argc ? mod_iri_wrong_word(cmd, err, argv[wrong])
                                 : mod_iri_wrong(cmd, err);
}

static const char *
mod_iri_set_ambiguous(cmd_parms *cmd, void *dirv, const char *arg)
{
    mod_iri_dir_t *dir = dirv;
    const char    *err = mod_iri_wrong_place(cmd);

    if (err) {
        return err;
    }
    dir->has |= MOD_IRI_HAS_CHOICES;
    return mod_iri_wrong_word(
        cmd, iri_parse_ambiguous(mod_iri_str(arg), &dir->tree.ambiguous),
        arg);
}

static const char *
mod_iri_set_repair(cmd_parms *cmd, void *dirv, int argc, char *const argv[])
{
    mod_iri_dir_t *dir = dirv;
    const char    *err = mod_iri_wrong_place(cmd);
    iri_str_t     *words;
    size_t         wrong;

    if (err) {
        return err;
    }
    if (argc < 1) {
        return mod_iri_wrong(cmd, "needs a word, \"off\" say");
    }
    dir->has |= MOD_IRI_HAS_REPAIR;
    words = mod_iri_words(cmd, argc, argv);
    err = iri_parse_repair(words, argc, &dir->tree.repair);
    wrong = iri_repair_unknown_word(words, argc);
    return wrong < (size_t) argc ? mod_iri_wrong_word(cmd, err, argv[wrong])
                                 : mod_iri_wrong(cmd, err);
}

/* A child has one cache, whichever virtual host a request is for. */
static const char *
mod_iri_set_cache(cmd_parms *cmd, void *dir, const char *arg)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    iri_str_t   word = mod_iri_str(arg);

    (void) dir;
    if (err) {
        return err;
    }
    return mod_iri_wrong_word(
        cmd,
        iri_parse_cache(&word, 1, &mod_iri_server(cmd->server)->cache_size,
                        NULL),
        arg);
}

static const char *
mod_iri_set_redirect(cmd_parms *cmd, void *dirv, const char *arg)
{
    mod_iri_dir_t *dir = dirv;

    return mod_iri_wrong_word(
        cmd, iri_parse_redirect(mod_iri_str(arg), &dir->redirect), arg);
}

static const char *
mod_iri_set_listing(cmd_parms *cmd, void *dirv, int on)
{
    mod_iri_dir_t *dir = dirv;

    (void) cmd;
    dir->listing = on;
    return NULL;
}

/* clang-format off */
static const command_rec mod_iri_directives[] = {
    AP_INIT_TAKE1("IRIEngine", mod_iri_set_engine, NULL, RSRC_CONF,
        "on, off, or report: log what would be done and change nothing"),
    AP_INIT_TAKE_ARGV("IRICharset", mod_iri_set_charset, NULL, RSRC_CONF,
        "charsets that requests may use beside UTF-8, in order; or none"),
    AP_INIT_TAKE1("IRIInvalid", mod_iri_set_invalid, NULL, RSRC_CONF,
        "404, 400 or pass: what a path gets that no charset reads"),
    AP_INIT_TAKE_ARGV("IRIQueryCharset", mod_iri_set_query, NULL, RSRC_CONF,
        "charsets for parameters of a query that are not UTF-8, in order; "
        "or none; and nfc behind them"),
    AP_INIT_TAKE1("IRIHost", mod_iri_set_hosts, NULL, RSRC_CONF,
        "off, on or strict: a host name in any form selects its virtual host"),
    AP_INIT_FLAG("IRIAdvertise", mod_iri_set_advertise, NULL, RSRC_CONF,
        "on or off: answers to OPTIONS say that IRIs are understood"),
    AP_INIT_TAKE_ARGV("IRIFilenameCharset", mod_iri_set_filename_charset,
        NULL, RSRC_CONF | ACCESS_CONF,
        "charsets of names on disk, in order; new names use the first"),
    AP_INIT_TAKE1("IRIFilenameForm", mod_iri_set_filename_form, NULL,
        RSRC_CONF | ACCESS_CONF,
        "any, nfc or nfd: normalization form of names on disk"),
    AP_INIT_TAKE_ARGV("IRIMatch", mod_iri_set_match, NULL,
        RSRC_CONF | ACCESS_CONF,
        "exact, or any of normalization, variants, width, case, accents, "
        "spelling"),
    AP_INIT_TAKE1("IRIAmbiguous", mod_iri_set_ambiguous, NULL,
        RSRC_CONF | ACCESS_CONF,
        "404 or 300: what a name gets that several are equally near to"),
    AP_INIT_TAKE_ARGV("IRIRepair", mod_iri_set_repair, NULL,
        RSRC_CONF | ACCESS_CONF,
        "off, or any of double-encoding, mojibake, %u: put right what was "
        "broken, where an entry has that name"),
    AP_INIT_TAKE1("IRICache", mod_iri_set_cache, NULL, RSRC_CONF,
        "off, or octets of memory a child for what is remembered of "
        "directories, 16m say"),
    AP_INIT_TAKE1("IRIRedirect", mod_iri_set_redirect, NULL,
        RSRC_CONF | OR_FILEINFO,
        "off, a status from 301 on: redirect to the canonical URI; or link"),
    AP_INIT_FLAG("IRIListing", mod_iri_set_listing, NULL,
        RSRC_CONF | OR_INDEXES,
        "on or off: directories are listed by their canonical names"),
    AP_INIT_NO_ARGS(NULL, NULL, NULL, 0, NULL)
};
/* clang-format on */

/* httpd -t */
static void
mod_iri_test_config(apr_pool_t *pconf, server_rec *main_server)
{
    mod_iri_check_config(pconf, main_server);
}

static void
mod_iri_hooks(apr_pool_t *pool)
{
    (void) pool;
    ap_hook_pre_config(mod_iri_register_maps, NULL, NULL, APR_HOOK_LAST);
    ap_hook_pre_config(mod_iri_status_register, NULL, NULL, APR_HOOK_MIDDLE);
    /* before modules that make something of the names of virtual hosts */
    ap_hook_post_config(mod_iri_prepare_hosts, NULL, NULL,
                        APR_HOOK_REALLY_FIRST);
    ap_hook_post_config(mod_iri_post_config, NULL, NULL, APR_HOOK_LAST);
    ap_hook_test_config(mod_iri_test_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(mod_iri_child_init, NULL, NULL, APR_HOOK_MIDDLE);
    mod_iri_line_register();
    mod_iri_location_register();
    mod_iri_dav_register();
    mod_iri_advertise_register();
    /* before the server's own */
    ap_hook_expr_lookup(mod_iri_ask_expr_lookup, NULL, NULL,
                        APR_HOOK_REALLY_FIRST);
    ap_hook_expr_lookup(mod_iri_expr_lookup, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_expr_lookup(mod_iri_expr_lookup_function, NULL, NULL,
                        APR_HOOK_MIDDLE);
}

module AP_MODULE_DECLARE_DATA iri_module = {
    STANDARD20_MODULE_STUFF, mod_iri_create_dir,    /* settings of a place */
    mod_iri_merge_dir,       mod_iri_create_server, /* settings of a server */
    mod_iri_merge_server,    mod_iri_directives,
    mod_iri_hooks,           AP_MODULE_FLAG_NONE
};
