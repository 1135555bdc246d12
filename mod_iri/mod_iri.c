/*
 * mod_iri.c - the module record
 *
 * Directives with their merging, the table of hooks and the module record.
 * The core parses the values of directives, the same for all servers.  Here
 * they are stored: settings for reading in the configuration of a server,
 * settings for lookups in the per-directory configuration.
 */

#include "mod_iri.h"

#include <ap_expr.h>
#include <apr_hooks.h>

/* ---- configuration ------------------------------------------------------ */

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
    conf->sets_hosts = add->sets_hosts;
    if (add->advertise != MOD_IRI_UNSET) {
        conf->advertise = add->advertise;
    }
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
 * A hook that does nothing for a request without a state.  Most requests have
 * none (plain ASCII paths), so this test is all that they cost.
 */
#define MOD_IRI_HOOK_IF_STATE(hook)                                          \
    static int hook##_hook(request_rec *r)                                   \
    {                                                                        \
        return mod_iri_request(r) != NULL ? hook(r) : DECLINED;              \
    }

MOD_IRI_HOOK_IF_STATE(mod_iri_decode)
MOD_IRI_HOOK_IF_STATE(mod_iri_walk)
MOD_IRI_HOOK_IF_STATE(mod_iri_absent)

/* A handler may read variables of a plain path too. */
static int
mod_iri_fixups_hook(request_rec *r)
{
    return r->handler != NULL || mod_iri_request(r) != NULL
               ? mod_iri_fixups(r)
               : DECLINED;
}

/*
 * Returns: 1 if a plain path was sent in normalized form, so that there is
 * nothing to redirect.  A rule may have redirected to it from another path.
 */
static int
mod_iri_is_sent_normalized(const request_rec *r)
{
    return mod_iri_request(r) == NULL && r->prev == NULL
           && iri_uri_is_normalized(mod_iri_path_sent(r));
}

/* A probe records the result of a plain path too. */
static int
mod_iri_redirect_hook(request_rec *r)
{
    return r->main == NULL && mod_iri_is_sent_normalized(r)
               ? DECLINED
               : mod_iri_redirect(r);
}

static int
mod_iri_redirect_directory_hook(request_rec *r)
{
    return mod_iri_is_sent_normalized(r) ? DECLINED
                                         : mod_iri_redirect_directory(r);
}

/* One hook for both: each hook costs every static file a call. */
static void
mod_iri_insert_filters(request_rec *r)
{
    mod_iri_location_insert(r);
    if (r->handler != NULL) {
        mod_iri_dav_insert(r);
    }
}

/* A request that was redirected internally has later requests to restore. */
static int
mod_iri_restore_hook(request_rec *r)
{
    return r->next != NULL || mod_iri_request(r) != NULL
               ? mod_iri_restore_unparsed(r)
               : DECLINED;
}

static int
mod_iri_pre_translate_hook(request_rec *r)
{
    return mod_iri_is_plain(r) ? DECLINED : mod_iri_pre_translate(r);
}

/* One hook for both, if no other module has a hook of pre_translate_name. */
static int
mod_iri_pre_translate_and_decode(request_rec *r)
{
    int status = mod_iri_pre_translate_hook(r);

    return status == DECLINED ? mod_iri_decode_hook(r) : status;
}

/* Skip the check if no other module has replaced the path that was read. */
static int
mod_iri_check_hook(request_rec *r)
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
    return mod_iri_check_decoded(r);
}

/*
 * Skip plain names.  An alias or a rule may lead from a plain path to a name
 * that is not ASCII.
 */
static int
mod_iri_map_hook(request_rec *r)
{
    return !mod_iri_server(r->server)->maps_ascii && r->filename != NULL
                   && iri_str_is_ascii(mod_iri_str(r->filename))
               ? DECLINED
               : mod_iri_map(r);
}

/*
 * One hook for both, if only httpd's core has hooks of map_to_storage.  TRACE
 * ends in the core's hook, without a walk.
 */
static int
mod_iri_map_and_walk(request_rec *r)
{
    int status = mod_iri_map_hook(r);

    return status == DECLINED && r->method_number != M_TRACE
               ? mod_iri_walk_hook(r)
               : status;
}

/* One hook for both, if no other module has a hook between them. */
static int
mod_iri_absent_and_fixups(request_rec *r)
{
    int status = mod_iri_absent_hook(r);

    return status == DECLINED ? mod_iri_fixups_hook(r) : status;
}

/*
 * Other modules may read the path before it is decoded: ProxyPass with
 * mapping=encoded, LuaHookPreTranslateName.  They have registered their hooks
 * when they were loaded.
 */
static void
mod_iri_add_translate_hooks(void)
{
    static const char *const  proxy[] = { "mod_proxy.c", NULL };
    const apr_array_header_t *others = ap_hook_get_pre_translate_name();

    if (others == NULL || others->nelts == 0) {
        ap_hook_pre_translate_name(mod_iri_pre_translate_and_decode, NULL,
                                   NULL, APR_HOOK_REALLY_FIRST);
    } else {
        ap_hook_pre_translate_name(mod_iri_pre_translate_hook, NULL, NULL,
                                   APR_HOOK_REALLY_FIRST);
        ap_hook_pre_translate_name(mod_iri_decode_hook, proxy, NULL,
                                   APR_HOOK_REALLY_LAST);
    }
    ap_hook_translate_name(mod_iri_check_hook, NULL, NULL,
                           APR_HOOK_REALLY_FIRST);
}

static void
mod_iri_add_walk_hooks(void)
{
    if (mod_iri_is_only_mapper()) {
        ap_hook_map_to_storage(mod_iri_map_and_walk, NULL, NULL,
                               APR_HOOK_FIRST);
    } else {
        ap_hook_map_to_storage(mod_iri_map_hook, NULL, NULL, APR_HOOK_FIRST);
        ap_hook_map_to_storage(mod_iri_walk_hook, NULL, NULL, APR_HOOK_LAST);
    }
}

/* Hooks of the subrequests that test choices and entries of listings. */
static void
mod_iri_add_probe_hooks(void)
{
    static const char *const proxy[] = { "mod_proxy.c", NULL };
    static const char *const rewrite[] = { "mod_rewrite.c", NULL };
    /* mod_autoindex lists names as they are on disk. */
    static const char *const autoindex[] = { "mod_autoindex.c", NULL };

    ap_hook_translate_name(mod_iri_probe_detach, NULL, rewrite,
                           APR_HOOK_REALLY_FIRST);
    ap_hook_translate_name(mod_iri_probe_attach, rewrite, proxy,
                           APR_HOOK_FIRST);
    ap_hook_map_to_storage(mod_iri_probe_attach, NULL, NULL,
                           APR_HOOK_REALLY_FIRST);
    ap_hook_post_perdir_config(mod_iri_probe_headers, NULL, NULL,
                               APR_HOOK_LAST);
    ap_hook_check_authn(mod_iri_probe_authn, NULL, NULL,
                        APR_HOOK_REALLY_FIRST, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_check_authz(mod_iri_list_authz, NULL, NULL, APR_HOOK_REALLY_FIRST,
                        AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_fixups(mod_iri_probe_detach, NULL, rewrite,
                   APR_HOOK_REALLY_FIRST);
    ap_hook_fixups(mod_iri_probe_attach, rewrite, proxy, APR_HOOK_FIRST);
    ap_hook_handler(mod_iri_list, NULL, autoindex, APR_HOOK_MIDDLE);
}

/*
 * Hooks run for each request, so they are added only if a directive needs
 * them.
 *
 * REALLY_FIRST: other modules must see the canonical path.  It is read in
 * post_read_request, before SetEnvIf runs and before mod_cache makes its key,
 * and in pre_translate_name, the only one of the two that runs for
 * subrequests.
 */
static void
mod_iri_add_hooks(void)
{
    /* see mod_iri_snapshot_restore() */
    static const char *const after[] = { "mod_http2.c", NULL };
    /* mod_security judges in post_read_request, as early as this module. */
    static const char *const before[] = { "mod_security2.c", NULL };
    /* mod_proxy decides which requests are for another server. */
    static const char *const proxy[] = { "mod_proxy.c", NULL };
    /* A per-directory RewriteRule may redirect from a name that is absent. */
    static const char *const rewrite[] = { "mod_rewrite.c", NULL };
    /* These modules redirect depending on what exists on disk. */
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
        ap_hook_fixups(mod_iri_client_granted, NULL, NULL,
                       APR_HOOK_REALLY_LAST);
    }
    mod_iri_add_walk_hooks();
    if (mod_iri_uses_probes()) {
        mod_iri_add_probe_hooks();
    }
    if (!mod_iri_uses_probes() && mod_iri_is_first_fixup()) {
        ap_hook_fixups(mod_iri_absent_and_fixups, NULL, NULL, APR_HOOK_FIRST);
    } else {
        ap_hook_fixups(mod_iri_absent_hook, rewrite, NULL, APR_HOOK_FIRST);
        ap_hook_fixups(mod_iri_fixups_hook, NULL, NULL, APR_HOOK_FIRST);
    }
    if (mod_iri_uses_redirects()) {
        ap_hook_fixups(mod_iri_redirect_hook, NULL, dir, APR_HOOK_LAST);
        ap_hook_fixups(mod_iri_redirect_directory_hook, dir, NULL,
                       APR_HOOK_LAST);
    }
    if (ap_find_linked_module("mod_dav.c") != NULL) {
        ap_hook_fixups(mod_iri_dav_fixups, NULL, NULL, APR_HOOK_REALLY_LAST);
    }
    ap_hook_insert_filter(mod_iri_insert_filters, NULL, NULL,
                          APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(mod_iri_location_insert_error, NULL, NULL,
                                APR_HOOK_MIDDLE);
    ap_hook_log_transaction(mod_iri_restore_hook, NULL, NULL,
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

/* Add hooks once per configuration, in the name of this module. */
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

/* The same with the invalid word after the message. */
static const char *
mod_iri_error_word(cmd_parms *cmd, const char *sentence, const char *word)
{
    return sentence == NULL
               ? NULL
               : mod_iri_error(cmd,
                               apr_pstrcat(cmd->pool, sentence, ", not \"",
                                           word, "\"", NULL));
}

/* Directives for names on disk apply to directories only. */
static const char *
mod_iri_check_context(cmd_parms *cmd)
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

/* Returns: NULL, or an error before the names of charsets are parsed. */
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
mod_iri_set_charsets(cmd_parms *cmd, int argc, char *const argv[],
                     int none_allowed, iri_charsets_t *out)
{
    iri_registry_t *registry = mod_iri_registry(cmd->pool);
    const char     *err = mod_iri_check_charset_args(cmd, argc, registry);

    if (err) {
        return err;
    }
    return mod_iri_error(
        cmd, iri_parse_charsets(registry, mod_iri_words(cmd, argc, argv),
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
        mod_iri_server(cmd->server)->engine = (int) engine;
        if (engine != IRI_ENGINE_OFF) {
            mod_iri_add_once(cmd, mod_iri_add_hooks, "mod_iri: hooks");
        }
        if (mod_iri_uses_status()) {
            mod_iri_add_once(cmd, mod_iri_status_hooks, "mod_iri: status");
        }
    }
    return err;
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
    unsigned          invalid = IRI_INVALID_404;
    const char       *err = mod_iri_parse_word(cmd, &iri_invalid_words, arg,
                                               &invalid);

    (void) dir;
    conf->has_invalid = 1;
    conf->reading.invalid = (iri_invalid_t) invalid;
    return err;
}

static const char *
mod_iri_set_query(cmd_parms *cmd, void *dir, int argc, char *const argv[])
{
    mod_iri_server_t *conf = mod_iri_server(cmd->server);
    iri_registry_t   *registry = mod_iri_registry(cmd->pool);
    const char       *err = mod_iri_check_charset_args(cmd, argc, registry);

    (void) dir;
    if (err) {
        return err;
    }
    conf->has_query = 1;
    return mod_iri_error(cmd, iri_parse_query(registry,
                                              mod_iri_words(cmd, argc, argv),
                                              argc, &conf->query));
}

static const char *
mod_iri_set_hosts(cmd_parms *cmd, void *dir, const char *arg)
{
    mod_iri_server_t *conf = mod_iri_server(cmd->server);
    unsigned          hosts;
    const char       *err = mod_iri_parse_word(cmd, &iri_host_mode_words, arg,
                                               &hosts);

    (void) dir;
    if (err == NULL) {
        conf->hosts = (int) hosts;
        conf->sets_hosts = 1;
        if (hosts != IRI_HOST_MODE_OFF) {
            mod_iri_add_once(cmd, mod_iri_add_host_hooks,
                             "mod_iri: hooks of hosts");
        }
    }
    return err;
}

static const char *
mod_iri_set_advertise(cmd_parms *cmd, void *dir, int on)
{
    mod_iri_server_t *conf = mod_iri_server(cmd->server);

    (void) dir;
    conf->advertise = on;
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
    const char    *err = mod_iri_check_context(cmd);

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
    unsigned       form = IRI_FILENAME_ANY;
    const char    *err = mod_iri_check_context(cmd);

    if (err) {
        return err;
    }
    err = mod_iri_parse_word(cmd, &iri_filename_form_words, arg, &form);
    dir->has |= MOD_IRI_HAS_FORM;
    dir->tree.names = (iri_filename_form_t) form;
    return err;
}

/* A directive that takes any of words.  has: a bit of mod_iri_dir_t.has. */
static const char *
mod_iri_set_words(cmd_parms *cmd, mod_iri_dir_t *dir, int argc,
                  char *const argv[], unsigned has, const iri_words_t *words,
                  unsigned *out)
{
    const char *err = mod_iri_check_context(cmd);
    size_t      unknown;

    if (err) {
        return err;
    }
    if (argc < 1) {
        return mod_iri_error(cmd, has == MOD_IRI_HAS_MATCH
                                      ? "needs a word, for example \"exact\""
                                      : "needs a word, for example \"off\"");
    }
    dir->has |= has;
    err = iri_parse_words(words, mod_iri_words(cmd, argc, argv), argc, out,
                          &unknown);
    return unknown < (size_t) argc
               ? mod_iri_error_word(cmd, err, argv[unknown])
               : mod_iri_error(cmd, err);
}

static const char *
mod_iri_set_match(cmd_parms *cmd, void *dirv, int argc, char *const argv[])
{
    mod_iri_dir_t *dir = dirv;

    return mod_iri_set_words(cmd, dir, argc, argv, MOD_IRI_HAS_MATCH,
                             &iri_match_words, &dir->tree.match);
}

static const char *
mod_iri_set_repair(cmd_parms *cmd, void *dirv, int argc, char *const argv[])
{
    mod_iri_dir_t *dir = dirv;

    return mod_iri_set_words(cmd, dir, argc, argv, MOD_IRI_HAS_REPAIR,
                             &iri_repair_words, &dir->tree.repair);
}

static const char *
mod_iri_set_ambiguous(cmd_parms *cmd, void *dirv, const char *arg)
{
    mod_iri_dir_t *dir = dirv;
    unsigned       ambiguous = IRI_AMBIGUOUS_404;
    const char    *err = mod_iri_check_context(cmd);

    if (err) {
        return err;
    }
    err = mod_iri_parse_word(cmd, &iri_ambiguous_words, arg, &ambiguous);
    dir->has |= MOD_IRI_HAS_AMBIGUOUS;
    dir->tree.ambiguous = (iri_ambiguous_t) ambiguous;
    return err;
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
        iri_parse_cache(&word, 1, &mod_iri_server(cmd->server)->cache_size,
                        NULL),
        arg);
}

static const char *
mod_iri_set_redirect(cmd_parms *cmd, void *dirv, const char *arg)
{
    mod_iri_dir_t *dir = dirv;
    unsigned       status = 0;
    const char    *err = mod_iri_parse_word(cmd, &iri_redirect_words, arg,
                                            &status);

    dir->redirect = (int) status;
    return err;
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
        "charsets that requests may use besides UTF-8, in order; or none"),
    AP_INIT_TAKE1("IRIInvalid", mod_iri_set_invalid, NULL, RSRC_CONF,
        "404, 400 or pass: the answer to a path that no charset can decode"),
    AP_INIT_TAKE_ARGV("IRIQueryCharset", mod_iri_set_query, NULL, RSRC_CONF,
        "charsets for parameters of a query that are not UTF-8, in order, "
        "or none; then nfc or nothing"),
    AP_INIT_TAKE1("IRIHost", mod_iri_set_hosts, NULL, RSRC_CONF,
        "off, on or strict: a host name in any form selects its virtual host"),
    AP_INIT_FLAG("IRIAdvertise", mod_iri_set_advertise, NULL, RSRC_CONF,
        "on or off: announce support for IRIs in answers to OPTIONS"),
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
        "404 or 300: the answer if several names match equally well"),
    AP_INIT_TAKE_ARGV("IRIRepair", mod_iri_set_repair, NULL,
        RSRC_CONF | ACCESS_CONF,
        "off, or any of double-encoding, mojibake, %u: repair broken paths "
        "if the result names an entry"),
    AP_INIT_TAKE1("IRICache", mod_iri_set_cache, NULL, RSRC_CONF,
        "off, or the memory per child for indexes of directories, for "
        "example 16m"),
    AP_INIT_TAKE1("IRIRedirect", mod_iri_set_redirect, NULL,
        RSRC_CONF | OR_FILEINFO,
        "off, 301, 302, 303, 307 or 308: redirect to the canonical URI; or link"),
    AP_INIT_FLAG("IRIListing", mod_iri_set_listing, NULL,
        RSRC_CONF | OR_INDEXES,
        "on or off: list directories with canonical names"),
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
mod_iri_register_hooks(apr_pool_t *pool)
{
    (void) pool;
    ap_hook_pre_config(mod_iri_register_maps, NULL, NULL, APR_HOOK_LAST);
    ap_hook_pre_config(mod_iri_status_register, NULL, NULL, APR_HOOK_MIDDLE);
    /* before modules that use the names of virtual hosts */
    ap_hook_post_config(mod_iri_prepare_hosts, NULL, NULL,
                        APR_HOOK_REALLY_FIRST);
    ap_hook_post_config(mod_iri_post_config, NULL, NULL, APR_HOOK_LAST);
    ap_hook_test_config(mod_iri_test_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(mod_iri_child_init, NULL, NULL, APR_HOOK_MIDDLE);
    mod_iri_line_register();
    mod_iri_location_register();
    mod_iri_dav_register();
    mod_iri_advertise_register();
    /* before the core's own IS_SUBREQ */
    ap_hook_expr_lookup(mod_iri_probe_expr_lookup, NULL, NULL,
                        APR_HOOK_REALLY_FIRST);
    ap_hook_expr_lookup(mod_iri_expr_lookup, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_expr_lookup(mod_iri_expr_lookup_function, NULL, NULL,
                        APR_HOOK_MIDDLE);
}

module AP_MODULE_DECLARE_DATA iri_module = {
    STANDARD20_MODULE_STUFF, mod_iri_create_dir, /* per-directory settings */
    mod_iri_merge_dir,       mod_iri_create_server, /* settings of a server */
    mod_iri_merge_server,    mod_iri_directives,
    mod_iri_register_hooks,  AP_MODULE_FLAG_NONE
};
