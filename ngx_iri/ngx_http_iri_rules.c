/*
 * ngx_http_iri_rules.c - which names need not be asked for one by one
 *
 * Before a name is shown its path is judged by a subrequest, which is much for
 * each of 100,000 names.  But where no rule of a location can tell one name
 * from another, what holds for one of them holds for all.  So the location of
 * each is found, as nginx finds it, and judged once where its rules are known
 * and none depends on the path:
 *
 *     allow, deny, satisfy, auth_basic     the same for all
 *     internal, return as the first rule   no client gets anything there
 *     try_files $uri ..., $uri/ ...        what is there is taken
 *     rewrite, if, set; auth_request; a root with variables; alias with
 *     captures; handlers of modules that are not nginx's own; rules of the
 *     server                               each is to be asked for
 *
 * nginx's modules have no symbols for their handlers: they are asked to
 * register them once more, when the configuration is read.
 */

#include "ngx_http_iri.h"


/* ---- the handlers of nginx's own modules -------------------------------- */

/* Whose handlers are known, and judged below or of no weight for a name. */
static const char *ngx_http_iri_known_modules[] = {
    "ngx_http_rewrite_module",    "ngx_http_access_module",
    "ngx_http_auth_basic_module", "ngx_http_auth_request_module",
    "ngx_http_limit_conn_module", "ngx_http_limit_req_module",
    "ngx_http_realip_module",     "ngx_http_degradation_module",
    "ngx_http_mirror_module",     "ngx_http_try_files_module",
    "ngx_http_autoindex_module",  NULL
};


static ngx_int_t
ngx_http_iri_rules_add(ngx_http_iri_main_conf_t *imcf, ngx_module_t *module,
                       ngx_uint_t phase, ngx_http_handler_pt handler)
{
    ngx_http_iri_handler_t *known;

    known = ngx_array_push(&imcf->handlers);
    if (known == NULL) {
        return NGX_ERROR;
    }

    known->module = module;
    known->phase = phase;
    known->handler = handler;

    return NGX_OK;
}


ngx_int_t
ngx_http_iri_rules_know(ngx_http_iri_main_conf_t *imcf,
                        ngx_http_handler_pt       handler)
{
    return ngx_http_iri_rules_add(imcf, NULL, 0, handler);
}


/* What the module registers, which all end their phase's array. */
static ngx_int_t
ngx_http_iri_rules_ask_module(ngx_conf_t *cf, ngx_module_t *module,
                              ngx_http_iri_main_conf_t *imcf)
{
    ngx_int_t            rc;
    ngx_uint_t           p, n[NGX_HTTP_LOG_PHASE + 1];
    ngx_array_t         *handlers;
    ngx_http_module_t   *ctx = module->ctx;
    ngx_http_handler_pt *h;

    for (p = 0; p <= NGX_HTTP_LOG_PHASE; p++) {
        n[p] = ngx_http_iri_handlers_of(cf, p)->nelts;
    }

    rc = ctx->postconfiguration != NULL ? ctx->postconfiguration(cf) : NGX_OK;

    for (p = 0; p <= NGX_HTTP_LOG_PHASE; p++) {
        handlers = ngx_http_iri_handlers_of(cf, p);
        h = handlers->elts;

        while (handlers->nelts > n[p]) {
            handlers->nelts--;

            if (ngx_http_iri_rules_add(imcf, module, p, h[handlers->nelts])
                != NGX_OK) {
                rc = NGX_ERROR;
            }
        }
    }

    return rc;
}


ngx_http_handler_pt
ngx_http_iri_rules_handler(const ngx_http_iri_main_conf_t *imcf,
                           const char *module, ngx_uint_t phase)
{
    ngx_uint_t              i;
    ngx_http_iri_handler_t *known = imcf->handlers.elts;

    for (i = 0; i < imcf->handlers.nelts; i++) {
        if (known[i].module != NULL && known[i].phase == phase
            && ngx_strcmp(known[i].module->name, module) == 0)
        {
            return known[i].handler;
        }
    }

    return NULL;
}


static ngx_uint_t
ngx_http_iri_rules_is_known(const ngx_http_iri_main_conf_t *imcf,
                            ngx_http_handler_pt             handler)
{
    ngx_uint_t              i;
    ngx_http_iri_handler_t *known = imcf->handlers.elts;

    for (i = 0; i < imcf->handlers.nelts; i++) {
        if (known[i].handler == handler) {
            return 1;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_http_iri_rules_has_unknown(const ngx_http_iri_main_conf_t *imcf,
                               const ngx_array_t              *handlers)
{
    ngx_uint_t           i;
    ngx_http_handler_pt *h = handlers->elts;

    for (i = 0; i < handlers->nelts; i++) {
        if (!ngx_http_iri_rules_is_known(imcf, h[i])) {
            return 1;
        }
    }

    return 0;
}


/* When all modules have registered theirs. */
void
ngx_http_iri_rules_init_process(ngx_http_iri_main_conf_t  *imcf,
                                ngx_http_core_main_conf_t *cmcf)
{
    ngx_uint_t p;

    imcf->unknown = imcf->rewrite != NULL
                    && !ngx_http_iri_rules_is_known(imcf, imcf->rewrite);

    for (p = NGX_HTTP_SERVER_REWRITE_PHASE; p < NGX_HTTP_CONTENT_PHASE; p++) {
        imcf->unknown |= ngx_http_iri_rules_has_unknown(
            imcf, &cmcf->phases[p].handlers);
    }

    imcf->foreign = imcf->unknown
                    || ngx_http_iri_rules_has_unknown(
                        imcf,
                        &cmcf->phases[NGX_HTTP_POST_READ_PHASE].handlers);
}


/* ---- what a location says ----------------------------------------------- */

/* Its configuration in this location, or NULL: nginx has no such module. */
static void *
ngx_http_iri_rules_conf(ngx_conf_t *cf, void **loc_conf, const char *name)
{
    ngx_module_t *module = ngx_http_iri_module_named(cf, name);

    return module != NULL ? loc_conf[module->ctx_index] : NULL;
}


/* The codes of rewrite, if, set and return, with which it begins. */
ngx_array_t *
ngx_http_iri_rules_codes(ngx_conf_t *cf, void **loc_conf)
{
    ngx_array_t **codes;

    codes = ngx_http_iri_rules_conf(cf, loc_conf, "ngx_http_rewrite_module");

    return codes != NULL && *codes != NULL && (*codes)->nelts != 0 ? *codes
                                                                   : NULL;
}


/* auth_request: the address to ask is what its configuration begins with. */
static ngx_uint_t
ngx_http_iri_rules_asks_others(ngx_conf_t *cf, void **loc_conf)
{
    ngx_str_t *uri;

    uri = ngx_http_iri_rules_conf(cf, loc_conf,
                                  "ngx_http_auth_request_module");

    return uri != NULL && uri->len != 0;
}


/* Where a directive puts its value. */
static void *
ngx_http_iri_rules_slot(ngx_conf_t *cf, void **loc_conf, const char *name,
                        const char *directive)
{
    char          *conf;
    ngx_module_t  *module = ngx_http_iri_module_named(cf, name);
    ngx_command_t *cmd;

    if (module == NULL) {
        return NULL;
    }

    conf = loc_conf[module->ctx_index];

    for (cmd = module->commands; conf != NULL && cmd->name.len; cmd++) {
        if (ngx_strcmp(cmd->name.data, directive) == 0) {
            return conf + cmd->offset;
        }
    }

    return NULL;
}


/* auth_basic: with variables, it may be another one for each name. */
static ngx_uint_t
ngx_http_iri_rules_varies(ngx_conf_t *cf, void **loc_conf)
{
    const char                *name = "ngx_http_auth_basic_module";
    ngx_http_complex_value_t **realm, **file;

    realm = ngx_http_iri_rules_slot(cf, loc_conf, name, "auth_basic");

    if (realm == NULL || *realm == NULL || *realm == NGX_CONF_UNSET_PTR) {
        return 0;
    }

#if (nginx_version >= 1021000)
    file = ngx_http_iri_rules_slot(cf, loc_conf, name,
                                   "auth_basic_user_file");

    return (*realm)->lengths != NULL || file == NULL
           || (*file != NULL && *file != NGX_CONF_UNSET_PTR
               && (*file)->lengths != NULL);
#else
    (void) file;
    return 1;
#endif
}


/* Does it ask for a password, or something else that may be guessed? */
static ngx_uint_t
ngx_http_iri_rules_asks_who(ngx_conf_t *cf, void **loc_conf)
{
    ngx_http_complex_value_t **realm;

    realm = ngx_http_iri_rules_slot(
        cf, loc_conf, "ngx_http_auth_basic_module", "auth_basic");

    return (realm != NULL && *realm != NULL && *realm != NGX_CONF_UNSET_PTR)
           || ngx_http_iri_rules_asks_others(cf, loc_conf);
}


/* limit_req: its configuration begins with the array of them. */
static void *
ngx_http_iri_rules_limits(ngx_conf_t *cf, void **loc_conf)
{
    ngx_array_t *limits;

    limits = ngx_http_iri_rules_conf(cf, loc_conf,
                                     "ngx_http_limit_req_module");

    return limits != NULL && limits->elts != NULL ? limits->elts : NULL;
}


/* What is the same for each path of a server that a client asks for. */
static ngx_uint_t
ngx_http_iri_rules_is_constant(ngx_conf_t *cf, ngx_uint_t index)
{
    ngx_uint_t                 i;
    ngx_http_variable_t       *v;
    ngx_http_core_main_conf_t *cmcf;

    static const char *names[] = { "host",     "http_host",   "server_name",
                                   "scheme",   "server_port", "server_addr",
                                   "hostname", NULL };

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    v = cmcf->variables.elts;

    for (i = 0; names[i] != NULL; i++) {
        if (v[index].name.len == ngx_strlen(names[i])
            && ngx_strncmp(v[index].name.data, names[i], v[index].name.len)
                   == 0)
        {
            return 1;
        }
    }

    return 0;
}


/* May root, which a script makes, be another one for each name? */
static ngx_uint_t
ngx_http_iri_rules_root_varies(ngx_conf_t                     *cf,
                               const ngx_http_core_loc_conf_t *clcf)
{
    u_char                     *ip;
    uintptr_t                   code;
    ngx_http_script_var_code_t *var;

    if (clcf->alias == NGX_MAX_SIZE_T_VALUE) {
        return 1;
    }

    if (clcf->root_lengths == NULL) {
        return 0;
    }

    for (ip = clcf->root_lengths->elts; *(uintptr_t *) ip; /* void */) {
        code = *(uintptr_t *) ip;

        if (code == (uintptr_t) ngx_http_script_copy_len_code) {
            ip += sizeof(ngx_http_script_copy_code_t);

        } else if (code == (uintptr_t) ngx_http_script_copy_var_len_code) {
            var = (ngx_http_script_var_code_t *) ip;
            if (!ngx_http_iri_rules_is_constant(cf, var->index)) {
                return 1;
            }

            ip += sizeof(ngx_http_script_var_code_t);

        } else {
            return 1;
        }
    }

    return 0;
}


/*
 * What ngx_http_try_files_module keeps of a candidate: so in nginx 1.0 to
 * 1.31, and "$uri" is known again by its text.
 */
typedef struct {
    ngx_array_t *lengths;
    ngx_array_t *values;
    ngx_str_t    name;
    unsigned     code : 10;
    unsigned     test_dir : 1;
} ngx_http_iri_try_file_t;


/* The last one is where to go if there was none before; no text: the end. */
static ngx_uint_t
ngx_http_iri_rules_tries_uri(const ngx_http_iri_try_file_t *tf)
{
    return tf[0].lengths != NULL && tf[0].name.len == 4
           && ngx_strncmp(tf[0].name.data, "$uri", 4) == 0
           && (tf[1].lengths != NULL || tf[1].name.len != 0);
}


/* Files and directories that are there are what the first ones try. */
static void
ngx_http_iri_rules_try_files(ngx_conf_t *cf, void **loc_conf,
                             ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_http_iri_try_file_t *tf, **conf;

    conf = ngx_http_iri_rules_conf(cf, loc_conf, "ngx_http_try_files_module");

    if (conf == NULL || *conf == NULL) {
        ilcf->takes_files = 1;
        ilcf->takes_directories = 1;
        return;
    }

    if (ilcf->plain->alias != 0) {
        return;
    }

    for (tf = *conf; ngx_http_iri_rules_tries_uri(tf); tf++) {
        if (tf->test_dir) {
            ilcf->takes_directories = 1;
        } else {
            ilcf->takes_files = 1;
        }
    }
}


/*
 * set_real_ip_from and its like: all that the module has of a location, which
 * begins with the first and ends with real_ip_recursive.
 */
static void
ngx_http_iri_rules_realip(ngx_conf_t *cf, ngx_http_iri_main_conf_t *imcf)
{
    ngx_command_t *cmd;

    imcf->realip = ngx_http_iri_module_named(cf, "ngx_http_realip_module");

    if (imcf->realip == NULL) {
        return;
    }

    imcf->realip_handler = ngx_http_iri_rules_handler(
        imcf, imcf->realip->name, NGX_HTTP_PREACCESS_PHASE);

    for (cmd = imcf->realip->commands; cmd->name.len; cmd++) {
        if (ngx_strcmp(cmd->name.data, "real_ip_recursive") == 0) {
            imcf->realip_size = cmd->offset + sizeof(ngx_flag_t);
        }
    }
}


/* Does a location say who the client is, otherwise than its server does? */
static ngx_uint_t
ngx_http_iri_rules_has_address(const ngx_http_iri_main_conf_t *imcf,
                               const ngx_http_iri_hook_t      *hook)
{
    size_t                    size = imcf->realip_size;
    ngx_array_t             **here, **server;
    ngx_http_core_srv_conf_t *cscf;

    if (imcf->realip == NULL) {
        return 0;
    }

    cscf = hook->srv_conf[ngx_http_core_module.ctx_index];
    here = hook->loc_conf[imcf->realip->ctx_index];
    server = cscf->ctx->loc_conf[imcf->realip->ctx_index];

    return *here != NULL
           && (*here != *server || ngx_memcmp(here, server, size) != 0);
}


static ngx_http_iri_rules_t
ngx_http_iri_rules_of(ngx_conf_t *cf, const ngx_http_iri_hook_t *hook)
{
    ngx_array_t              *codes;
    ngx_http_core_loc_conf_t *clcf = hook->conf->plain;

    if (clcf->internal) {
        return NGX_HTTP_IRI_RULES_NEVER;
    }

    codes = ngx_http_iri_rules_codes(cf, hook->loc_conf);

    if (codes != NULL) {
        return *(uintptr_t *) codes->elts
                       == (uintptr_t) ngx_http_script_return_code
                   ? NGX_HTTP_IRI_RULES_NEVER
                   : NGX_HTTP_IRI_RULES_EACH;
    }

    return ngx_http_iri_rules_asks_others(cf, hook->loc_conf)
                   || ngx_http_iri_rules_varies(cf, hook->loc_conf)
                   || ngx_http_iri_rules_root_varies(cf, clcf)
               ? NGX_HTTP_IRI_RULES_EACH
               : NGX_HTTP_IRI_RULES_ALIKE;
}


ngx_int_t
ngx_http_iri_rules_init(ngx_conf_t *cf)
{
    ngx_uint_t                 i;
    ngx_module_t              *module;
    ngx_http_iri_hook_t       *hook;
    ngx_http_iri_main_conf_t  *imcf;
    ngx_http_core_srv_conf_t **cscf;
    ngx_http_core_main_conf_t *cmcf;
    ngx_http_iri_srv_conf_t   *iscf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    for (i = 0; ngx_http_iri_known_modules[i] != NULL; i++) {
        module = ngx_http_iri_module_named(cf, ngx_http_iri_known_modules[i]);

        if (module == NULL) {
            continue;
        }

        if (ngx_http_iri_rules_ask_module(cf, module, imcf) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    ngx_http_iri_rules_realip(cf, imcf);

    hook = imcf->hooks.elts;

    for (i = 0; i < imcf->hooks.nelts; i++) {
        hook[i].conf->rules = ngx_http_iri_rules_of(cf, &hook[i]);
        ngx_http_iri_rules_try_files(cf, hook[i].loc_conf, hook[i].conf);

        hook[i].conf->limits = ngx_http_iri_rules_limits(cf,
                                                         hook[i].loc_conf);
        hook[i].conf->asks_who = ngx_http_iri_rules_asks_who(cf,
                                                             hook[i].loc_conf)
                                 != 0;

        iscf = hook[i].srv_conf[ngx_http_iri_module.ctx_index];
        iscf->has_addresses |= ngx_http_iri_rules_has_address(imcf, &hook[i]);
    }

    cscf = cmcf->servers.elts;

    for (i = 0; i < cmcf->servers.nelts; i++) {
        iscf = cscf[i]->ctx->srv_conf[ngx_http_iri_module.ctx_index];
        iscf->has_rules = ngx_http_iri_rules_codes(cf, cscf[i]->ctx->loc_conf)
                          != NULL;
    }

    return NGX_OK;
}


/* ---- the location of a path --------------------------------------------- */

/*
 * As ngx_http_core_find_static_location.  NGX_OK: just this; NGX_AGAIN: this,
 * and nested ones; NGX_DONE: a redirect to it; NGX_DECLINED: none.
 */
static ngx_int_t
ngx_http_iri_rules_static(ngx_http_location_tree_node_t *node, ngx_str_t path,
                          void ***loc_conf)
{
    size_t    n;
    ngx_int_t rc, found = NGX_DECLINED;

    while (node != NULL) {
        n = ngx_min(path.len, (size_t) node->len);
        rc = ngx_filename_cmp(path.data, node->name, n);

        if (rc != 0) {
            node = rc < 0 ? node->left : node->right;

        } else if (path.len > (size_t) node->len) {
            if (node->inclusive == NULL) {
                node = node->right;
                continue;
            }

            *loc_conf = node->inclusive->loc_conf;
            found = NGX_AGAIN;
            node = node->tree;
            path.data += n;
            path.len -= n;

        } else if (path.len == (size_t) node->len) {
            *loc_conf = node->exact != NULL ? node->exact->loc_conf
                                            : node->inclusive->loc_conf;
            return node->exact != NULL ? NGX_OK : NGX_AGAIN;

        } else {
            if (path.len + 1 == (size_t) node->len && node->auto_redirect) {
                found = NGX_DONE;
            }

            node = node->left;
        }
    }

    return found;
}


#if (NGX_PCRE)

/* Without the variables and captures that nginx takes from it. */
static ngx_int_t
ngx_http_iri_rules_regex(ngx_http_core_loc_conf_t **regex, ngx_str_t path,
                         void ***loc_conf)
{
    ngx_int_t n;

    for (; *regex != NULL; regex++) {
        n = ngx_regex_exec((*regex)->regex->regex, &path, NULL, 0);

        if (n >= 0) {
            *loc_conf = (*regex)->loc_conf;
            return NGX_OK;
        }

        if (n != NGX_REGEX_NO_MATCHED) {
            return NGX_ERROR;
        }
    }

    return NGX_DECLINED;
}

#endif


static ngx_http_core_loc_conf_t *
ngx_http_iri_rules_core(void **loc_conf)
{
    return loc_conf[ngx_http_core_module.ctx_index];
}


/*
 * As ngx_http_core_find_location, in which each level asks its prefixes, those
 * nested in the one that fits, and then its patterns: from the innermost to
 * the outermost.  NGX_OK, NGX_DONE: a redirect; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_rules_location(ngx_str_t path, void ***loc_conf)
{
    ngx_int_t                 rc;
    ngx_http_core_loc_conf_t *level = ngx_http_iri_rules_core(*loc_conf);
#if (NGX_PCRE)
    ngx_uint_t noregex = 0;
#endif

    rc = ngx_http_iri_rules_static(level->static_locations, path, loc_conf);

    if (rc == NGX_AGAIN) {
#if (NGX_PCRE)
        noregex = ngx_http_iri_rules_core(*loc_conf)->noregex;
#endif
        rc = ngx_http_iri_rules_location(path, loc_conf);
    }

    if (rc == NGX_OK || rc == NGX_DONE || rc == NGX_ERROR) {
        return rc;
    }

#if (NGX_PCRE)
    if (!noregex && level->regex_locations != NULL) {
        rc = ngx_http_iri_rules_regex(level->regex_locations, path, loc_conf);

        if (rc == NGX_OK) {
            rc = ngx_http_iri_rules_location(path, loc_conf);
            return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
        }
    }
#endif

    return rc;
}


/* ---- what is to be done for a path -------------------------------------- */

/* Is what stands there what this location has on disk in this place? */
static ngx_uint_t
ngx_http_iri_rules_same_place(const ngx_http_iri_loc_conf_t *a,
                              const ngx_http_iri_loc_conf_t *b)
{
    const ngx_http_core_loc_conf_t *one = a->plain, *other = b->plain;

    return a == b
           || (one->alias == other->alias
               && one->root_lengths == other->root_lengths
               && ngx_http_iri_same(one->root, other->root)
#if (NGX_HAVE_OPENAT)
               && one->disable_symlinks == other->disable_symlinks
               && one->disable_symlinks_from == other->disable_symlinks_from
#endif
               && a->names == b->names && a->match == b->match
               && a->charsets == b->charsets);
}


ngx_http_iri_rules_t
ngx_http_iri_rules(ngx_http_request_t *r, ngx_str_t path,
                   ngx_uint_t is_directory, void ***loc_conf)
{
    ngx_int_t                 rc;
    ngx_http_core_srv_conf_t *cscf;
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_loc_conf_t  *here, *ilcf;
    ngx_http_iri_main_conf_t *imcf;
    ngx_http_core_loc_conf_t *clcf;

    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);
    here = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    *loc_conf = cscf->ctx->loc_conf;

    if (imcf->unknown || iscf->has_rules) {
        return NGX_HTTP_IRI_RULES_EACH;
    }

    rc = ngx_http_iri_rules_location(path, loc_conf);
    if (rc == NGX_DONE || rc == NGX_ERROR) {
        return NGX_HTTP_IRI_RULES_NEVER;
    }

    clcf = ngx_http_iri_rules_core(*loc_conf);
    ilcf = (*loc_conf)[ngx_http_iri_module.ctx_index];

    if (clcf->internal) {
        return NGX_HTTP_IRI_RULES_NEVER;
    }

    if (clcf->limit_except & NGX_HTTP_GET) {
        *loc_conf = clcf->limit_except_loc_conf;
        ilcf = (*loc_conf)[ngx_http_iri_module.ctx_index];
    }

    if (ilcf->plain == NULL || here->plain == NULL) {
        return NGX_HTTP_IRI_RULES_EACH;
    }

    if (ilcf->rules != NGX_HTTP_IRI_RULES_ALIKE) {
        return (ngx_http_iri_rules_t) ilcf->rules;
    }

    return ngx_http_iri_rules_same_place(here, ilcf)
                   && (is_directory ? ilcf->takes_directories
                                    : ilcf->takes_files)
               ? NGX_HTTP_IRI_RULES_ALIKE
               : NGX_HTTP_IRI_RULES_EACH;
}
