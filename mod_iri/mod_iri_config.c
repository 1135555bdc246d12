/*
 * mod_iri_config.c - post_config and child_init
 *
 * Names are looked up before httpd applies the settings of a <Directory>.  So
 * sections with settings for names on disk are collected for mod_iri_tree.c.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

int
mod_iri_is_first_pass(void)
{
    return ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG
           && ap_state_query(AP_SQ_RUN_MODE) != AP_SQ_RM_CONFIG_TEST;
}

void
mod_iri_log_config(void *arg, iri_log_level_t level, iri_str_t line)
{
    if (level != IRI_LOG_WARN || !mod_iri_is_first_pass()) {
        ap_log_error(APLOG_MARK, mod_iri_levels[level], 0, (server_rec *) arg,
                     "iri: %.*s", (int) line.len, (const char *) line.data);
    }
}

iri_registry_t *
mod_iri_registry(apr_pool_t *pconf)
{
    static const char key[] = "mod_iri: registry of charsets";
    void             *registry = NULL;
    iri_env_apr_t    *env;

    apr_pool_userdata_get(&registry, key, pconf);
    if (registry == NULL) {
        env = iri_env_apr_create(pconf, mod_iri_log_config, NULL);
        registry = env != NULL ? iri_registry_create(&env->env) : NULL;
        apr_pool_userdata_setn(registry, key, NULL, pconf);
    }
    return registry;
}

static void
mod_iri_collect_sections(server_rec *s, const iri_env_t *env)
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(s);
    core_server_config    *core = ap_get_core_module_config(s->module_config);
    ap_conf_vector_t     **sec = (ap_conf_vector_t **) core->sec_dir->elts;
    int                    i;

    for (i = 0; i < core->sec_dir->nelts; i++) {
        const core_dir_config    *c = ap_get_core_module_config(sec[i]);
        const mod_iri_dir_conf_t *dir = ap_get_module_config(sec[i],
                                                             &iri_module);
        mod_iri_section_t         section = { .components = c->d_components,
                                              .is_pattern = c->d_is_fnmatch,
                                              .regex = c->r,
                                              .dir = dir };

        /* dir is NULL for a section without directives of this module */
        if (dir == NULL || (dir->has & MOD_IRI_HAS_TREE) == 0) {
            continue;
        }
        /* by the sections so far: httpd sorts them by number of segments */
        section.name = c->r || c->d_is_fnmatch
                           ? c->d
                           : mod_iri_canonical_path(s, c->d, env);
        APR_ARRAY_PUSH(conf->sections, mod_iri_section_t) = section;
    }
}

/* Combine the IRIMatch and IRIRepair settings of all sections. */
static void
mod_iri_collect_flags(mod_iri_server_conf_t *conf)
{
    iri_tree_conf_t tree;
    int             i;

    conf->match = conf->tree.match;
    conf->reading.repair = conf->tree.repair;
    for (i = 0; i < conf->sections->nelts; i++) {
        tree = APR_ARRAY_IDX(conf->sections, i, mod_iri_section_t).dir->tree;
        iri_tree_conf_finish(&conf->reading, &tree);
        conf->match |= tree.match;
        conf->reading.repair |= tree.repair;
    }
    conf->may_restart = (conf->match & (IRI_FOLD_INDEXED | IRI_FOLD_VARIANTS))
                            != 0
                        || conf->reading.repair != 0
                        || conf->reading.charsets.count > 0
                        || conf->vary != NULL;
}

/* Collect the <Directory> of a server that are not ASCII. */
static void
mod_iri_find_encoded_sections(server_rec *s, const iri_env_t *env)
{
    mod_iri_server_conf_t    *conf = mod_iri_server_conf(s);
    const core_server_config *core = ap_get_core_module_config(
        s->module_config);
    mod_iri_encoded_section_t *encoded;
    const core_dir_config     *c;
    ap_conf_vector_t          *section;
    int                        i;

    conf->encoded_sections = apr_array_make(
        mod_iri_pool(env), 2, sizeof(mod_iri_encoded_section_t));
    for (i = 0; i < core->sec_dir->nelts; i++) {
        section = APR_ARRAY_IDX(core->sec_dir, i, ap_conf_vector_t *);
        c = ap_get_core_module_config(section);
        if (!c->r && !c->d_is_fnmatch
            && !iri_is_same_on_disk(conf->match, mod_iri_str(c->d)))
        {
            encoded = apr_array_push(conf->encoded_sections);
            encoded->section = section;
            encoded->path = c->d;
            encoded->name = mod_iri_canonical_path(s, c->d, env);
        }
    }
}

static void
mod_iri_prepare_server(server_rec *s, iri_registry_t *registry,
                       const iri_env_t *env)
{
    mod_iri_server_conf_t *conf = mod_iri_server_conf(s);

    conf->registry = registry;
    conf->lookup_defaults = ap_get_module_config(s->lookup_defaults,
                                                 &iri_module);
    conf->sections = apr_array_make(mod_iri_pool(env), 2,
                                    sizeof(mod_iri_section_t));
    conf->tree = *mod_iri_tree_of(conf, "", mod_iri_pool(env));
    mod_iri_collect_sections(s, env);
    mod_iri_collect_flags(conf);
    if (conf->engine == IRI_ENGINE_ON) {
        mod_iri_find_encoded_sections(s, env);
    }
}

int
mod_iri_post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp,
                    server_rec *main_server)
{
    iri_registry_t  *registry = mod_iri_registry(pconf);
    iri_env_apr_t    env;
    iri_fold_keys_t *fold_keys = NULL;
    server_rec      *s;

    if (registry == NULL) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: the data of ICU is missing");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    iri_env_apr_init(&env, pconf, mod_iri_log_config, main_server);
    /* a virtual host may share the settings of the main server */
    for (s = main_server->next; s != NULL; s = s->next) {
        ap_set_module_config(s->module_config, &iri_module,
                             apr_pmemdup(pconf, mod_iri_server_conf(s),
                                         sizeof(mod_iri_server_conf_t)));
    }
    if (mod_iri_client_prepare(main_server, pconf, ptemp, registry) != OK
        || mod_iri_load_map_charsets(main_server, ptemp, registry) != OK)
    {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_prepare_server(s, registry, &env.env);
        if ((mod_iri_server_conf(s)->match & IRI_FOLD_INDEXED) != 0
            && fold_keys == NULL)
        {
            fold_keys = iri_fold_keys_create(&env.env);
        }
        mod_iri_server_conf(s)->fold_keys = fold_keys;
    }
    mod_iri_check_config(ptemp, main_server);
    return OK;
}

/* One cache for all threads.  Without it each lookup reads the directory. */
void
mod_iri_child_init(apr_pool_t *pchild, server_rec *main_server)
{
    size_t             size = mod_iri_server_conf(main_server)->cache_size;
    iri_index_cache_t *cache;
    server_rec        *s;

    if (mod_iri_all_off(main_server) || size == 0) {
        return;
    }
    cache = iri_index_cache_apr_create(pchild, size);
    if (cache == NULL) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, main_server,
                     "iri: no memory for IRICache");
        return;
    }
    for (s = main_server; s != NULL; s = s->next) {
        mod_iri_server_conf(s)->cache = cache;
    }
}
