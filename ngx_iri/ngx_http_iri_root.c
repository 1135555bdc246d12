/*
 * ngx_http_iri_root.c - from the canonical path to the disk
 *
 * All that opens files in nginx asks ngx_http_map_uri_to_path(), which has
 * no hook; but root and alias may hold variables, and then it runs a script.
 * So root and alias are replaced, when the configuration has been read, by a
 * script of our own that gives the whole name on disk, as alias with captures
 * does: r->uri, and with it locations, logs, redirects and what goes
 * upstream, stay canonical.
 *
 *     r->uri --nginx--> script --iri_find--> root and octets on disk
 *
 * What nginx makes of "alias with captures" beside that is put right: here the
 * check of r->valid_location; try_files in ngx_http_iri_try_files.c; that the
 * Destination of COPY and MOVE is not compared with alias, in
 * ngx_http_iri_destination.c; what try_files leaves in r->add_uri_to_alias, in
 * ngx_http_iri_phases.c; r->uri_changed and variables in
 * ngx_http_iri_variables.c.
 */

#include "ngx_http_iri.h"


/* A script of one code; both codes are this. */
typedef struct {
    ngx_http_script_code_pt  code;
    ngx_http_iri_loc_conf_t *conf;
    uintptr_t                end; /* 0 ends the script */
} ngx_http_iri_code_t;


/* ---- the script --------------------------------------------------------- */

/* The octets of an ASCII path: the root as nginx has it, and the rest. */
static size_t
ngx_http_iri_plain_length(ngx_http_script_engine_t *e,
                          ngx_http_core_loc_conf_t *clcf)
{
    u_char                     *ip;
    size_t                      len;
    ngx_http_script_len_code_pt lcode;

    len = e->request->uri.len - clcf->alias;

    if (clcf->root_lengths == NULL) {
        return len + clcf->root.len;
    }

    ip = e->ip;
    e->ip = clcf->root_lengths->elts;

    while (*(uintptr_t *) e->ip) {
        lcode = *(ngx_http_script_len_code_pt *) e->ip;
        len += lcode(e);
    }

    e->ip = ip;

    return len;
}


static void
ngx_http_iri_plain_copy(ngx_http_script_engine_t *e,
                        ngx_http_core_loc_conf_t *clcf)
{
    u_char                 *ip;
    ngx_str_t              *uri = &e->request->uri;
    ngx_http_script_code_pt code;

    if (clcf->root_lengths == NULL) {
        e->pos = ngx_cpymem(e->pos, clcf->root.data, clcf->root.len);

    } else {
        ip = e->ip;
        e->ip = clcf->root_values->elts;

        while (*(uintptr_t *) e->ip) {
            code = *(ngx_http_script_code_pt *) e->ip;
            code(e);
        }

        e->ip = ip;
    }

    e->pos = ngx_cpymem(e->pos, uri->data + clcf->alias,
                        uri->len - clcf->alias);
}


/*
 * Captures may hold what the path does not: only the core can tell.  A path
 * that is not below alias is left to ngx_http_iri_find(), which gives nothing.
 */
static ngx_uint_t
ngx_http_iri_is_plain(const ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri)
{
    const ngx_http_core_loc_conf_t *clcf = ilcf->plain;

    return clcf->alias != NGX_MAX_SIZE_T_VALUE && clcf->alias <= uri.len
           && ngx_http_iri_own_name(ilcf, uri);
}


/* Too late to start over or to answer: say why nothing is opened. */
static void
ngx_http_iri_log_found(ngx_http_request_t *r, ngx_http_iri_found_t *found)
{
    iri_shown_t shown;

    if (found->logged || found->found.verdict == IRI_PASS
        || found->found.verdict == IRI_SERVE)
    {
        return;
    }

    found->logged = 1;

    ngx_http_iri_note(r, IRI_LOG_INFO, iri_why_code(found->found.why),
                      "\"%s\" is not opened: %s",
                      iri_show(&shown, ngx_http_iri_in(found->uri)),
                      iri_why_text(found->found.why));
}


/*
 * What nginx may open.  A rule that asks whether there is an entry gets its
 * name, also where that is another than the path has: then the request restarts
 * when the rules have run.
 */
static ngx_str_t *
ngx_http_iri_name_of(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                     ngx_http_iri_found_t *found)
{
    ngx_str_t *name = ngx_http_iri_note_restart(r, ctx, found);

    if (name != NULL) {
        return name;
    }

    ngx_http_iri_log_found(r, found);

    return &found->filename;
}


/* The core is asked here; the name waits in ctx for the other code. */
static size_t
ngx_http_iri_length_code(ngx_http_script_engine_t *e)
{
    ngx_http_iri_ctx_t   *ctx;
    ngx_http_iri_code_t  *code = (ngx_http_iri_code_t *) e->ip;
    ngx_http_iri_found_t *found;

    e->ip = (u_char *) &code->end;

    if (ngx_http_iri_is_plain(code->conf, e->request->uri)) {
        return ngx_http_iri_plain_length(e, code->conf->plain);
    }

    found = ngx_http_iri_find(e->request);
    ctx = ngx_http_iri_ctx(e->request);

    if (found == NULL || ctx == NULL) {
        if (ctx != NULL) {
            ctx->filename = NULL;
        }

        return ngx_http_iri_nowhere.len;
    }

    ctx->filename = ngx_http_iri_name_of(e->request, ctx, found);

    return ctx->filename->len;
}


static void
ngx_http_iri_value_code(ngx_http_script_engine_t *e)
{
    ngx_str_t           *name = &ngx_http_iri_nowhere;
    ngx_http_iri_ctx_t  *ctx;
    ngx_http_iri_code_t *code = (ngx_http_iri_code_t *) e->ip;

    e->ip = (u_char *) &code->end;

    if (ngx_http_iri_is_plain(code->conf, e->request->uri)) {
        ngx_http_iri_plain_copy(e, code->conf->plain);
        return;
    }

    ctx = ngx_http_iri_ctx(e->request);
    if (ctx != NULL && ctx->filename != NULL) {
        name = ctx->filename;
    }

    e->pos = ngx_cpymem(e->pos, name->data, name->len);
}


/* ---- the same without a script ------------------------------------------ */

static ngx_int_t
ngx_http_iri_plain_name(ngx_http_request_t *r, ngx_http_core_loc_conf_t *clcf,
                        ngx_str_t uri, ngx_str_t *name)
{
    u_char *p;

    name->len = clcf->root.len + uri.len - clcf->alias;
    name->data = ngx_pnalloc(r->pool, name->len + 1);
    if (name->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(name->data, clcf->root.data, clcf->root.len);

    /* a line that is no request has no path, and is logged all the same */
    if (uri.len != clcf->alias) {
        p = ngx_cpymem(p, uri.data + clcf->alias, uri.len - clcf->alias);
    }

    *p = '\0';

    return NGX_OK;
}


/* As its handlers of files and of directories do, one after the other. */
ngx_int_t
ngx_http_iri_opens(ngx_http_request_t *r, const ngx_http_iri_found_t *found,
                   ngx_uint_t *is_dir)
{
    ngx_str_t                 name = found->filename;
    ngx_open_file_info_t      of;
    ngx_http_core_loc_conf_t *clcf;

    if (name.len == 0) {
        return NGX_DECLINED;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ngx_memzero(&of, sizeof(ngx_open_file_info_t));
    of.read_ahead = clcf->read_ahead;
    of.directio = clcf->directio;
    of.valid = clcf->open_file_cache_valid;
    of.min_uses = clcf->open_file_cache_min_uses;
    of.errors = clcf->open_file_cache_errors;
    of.events = clcf->open_file_cache_events;

    if (r->uri.len != 0 && r->uri.data[r->uri.len - 1] == '/') {
        of.test_dir = 1;
        of.test_only = 1;
    }

    if (ngx_http_set_disable_symlinks(r, clcf, &name, &of) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_open_cached_file(clcf->open_file_cache, &name, &of, r->pool)
        != NGX_OK)
    {
        return of.err == 0 ? NGX_ERROR : NGX_DECLINED;
    }

    *is_dir = of.is_dir;

    return of.is_dir || of.is_file ? NGX_OK : NGX_DECLINED;
}


/*
 * Whoever runs a script makes nginx forget all variables that may change: not
 * to be done between the two passes over a text that holds such a variable.
 */
ngx_int_t
ngx_http_iri_filename_of(ngx_http_request_t *r, ngx_str_t uri,
                         ngx_str_t *name)
{
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_found_t     *found;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_core_loc_conf_t *clcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    clcf = ilcf->plain;

    if (clcf == NULL || clcf->root_lengths != NULL
        || !ngx_http_iri_below_alias(r, clcf, uri))
    {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_is_plain(ilcf, uri)) {
        return ngx_http_iri_plain_name(r, clcf, uri, name);
    }

    found = ngx_http_iri_find_uri(r, uri);
    ctx = ngx_http_iri_ctx(r);

    if (found == NULL || ctx == NULL) {
        return NGX_ERROR;
    }

    *name = *ngx_http_iri_name_of(r, ctx, found);

    return NGX_OK;
}


/* ---- putting it in place ------------------------------------------------ */

static ngx_array_t *
ngx_http_iri_script(ngx_conf_t *cf, ngx_http_iri_loc_conf_t *ilcf,
                    ngx_http_script_code_pt pt)
{
    ngx_array_t         *script;
    ngx_http_iri_code_t *code;

    script = ngx_array_create(cf->pool, 1, sizeof(ngx_http_iri_code_t));
    if (script == NULL) {
        return NULL;
    }

    code = ngx_array_push(script);
    if (code == NULL) {
        return NULL;
    }

    code->code = pt;
    code->conf = ilcf;
    code->end = 0;

    return script;
}


/* How much of an alias with captures is text: whole segments of it. */
static size_t
ngx_http_iri_literal(ngx_http_core_loc_conf_t *clcf)
{
    size_t len;

    for (len = 0; len < clcf->root.len && clcf->root.data[len] != '$'; len++)
    {
        /* void */
    }

    if (len == clcf->root.len) {
        return len;
    }

    while (len > 0 && clcf->root.data[len] != '/') {
        len--;
    }

    return len;
}


ngx_module_t *
ngx_http_iri_module_named(ngx_conf_t *cf, const char *name)
{
    ngx_uint_t    i;
    ngx_module_t *module;

    for (i = 0; cf->cycle->modules[i]; i++) {
        module = cf->cycle->modules[i];

        if (module->type == NGX_HTTP_MODULE
            && ngx_strcmp(module->name, name) == 0) {
            return module;
        }
    }

    return NULL;
}


/*
 * Copies are made of the configuration, never for a request: nginx uses it
 * when the pool of the request is gone.
 */
static ngx_int_t
ngx_http_iri_put_script(ngx_conf_t *cf, ngx_http_iri_hook_t *hook)
{
    size_t                    size = sizeof(void *) * ngx_http_max_module;
    ngx_array_t              *lengths, *values;
    ngx_http_iri_loc_conf_t  *ilcf = hook->conf;
    ngx_http_core_loc_conf_t *clcf;

    clcf = hook->loc_conf[ngx_http_core_module.ctx_index];

    ilcf->plain = ngx_palloc(cf->pool, sizeof(ngx_http_core_loc_conf_t));
    ilcf->plain_conf = ngx_palloc(cf->pool, size);
    lengths = ngx_http_iri_script(
        cf, ilcf,
        (ngx_http_script_code_pt) (void *) ngx_http_iri_length_code);
    values = ngx_http_iri_script(cf, ilcf, ngx_http_iri_value_code);

    if (ilcf->plain == NULL || ilcf->plain_conf == NULL || lengths == NULL
        || values == NULL)
    {
        return NGX_ERROR;
    }

    *ilcf->plain = *clcf;
    ngx_memcpy(ilcf->plain_conf, hook->loc_conf, size);
    ilcf->plain_conf[ngx_http_core_module.ctx_index] = ilcf->plain;
    ilcf->loc_conf = hook->loc_conf;
    ilcf->literal = ngx_http_iri_literal(clcf);

    clcf->root_lengths = lengths;
    clcf->root_values = values;
    clcf->alias = NGX_MAX_SIZE_T_VALUE;

    return NGX_OK;
}


/*
 * The content handler that a directive without arguments sets: the directive
 * is run on a configuration of its own, since the handler has no symbol.
 */
static ngx_http_handler_pt
ngx_http_iri_handler_of(ngx_conf_t *cf, const char *name,
                        const char *directive)
{
    ngx_conf_t                conf;
    ngx_command_t            *cmd;
    ngx_module_t             *module;
    ngx_http_conf_ctx_t       ctx;
    ngx_http_core_loc_conf_t *clcf;

    module = ngx_http_iri_module_named(cf, name);
    ctx = *(ngx_http_conf_ctx_t *) cf->ctx;
    ctx.loc_conf = ngx_pcalloc(cf->temp_pool,
                               sizeof(void *) * ngx_http_max_module);
    clcf = ngx_pcalloc(cf->temp_pool, sizeof(ngx_http_core_loc_conf_t));

    if (module == NULL || ctx.loc_conf == NULL || clcf == NULL) {
        return NULL;
    }

    ctx.loc_conf[ngx_http_core_module.ctx_index] = clcf;
    conf = *cf;
    conf.ctx = &ctx;

    for (cmd = module->commands; cmd->name.len; cmd++) {
        if (ngx_strcmp(cmd->name.data, directive) == 0) {
            (void) cmd->set(&conf, cmd, NULL);
            break;
        }
    }

    return clcf->handler;
}


ngx_int_t
ngx_http_iri_root_init(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_http_iri_hook_t      *hook;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    hook = imcf->hooks.elts;

    for (i = 0; i < imcf->hooks.nelts; i++) {
        if (ngx_http_iri_put_script(cf, &hook[i]) != NGX_OK) {
            return NGX_ERROR;
        }

        hook[i].conf->ascii = (hook[i].conf->any.match
                               & (IRI_FOLD_INDEXED | IRI_FOLD_ESCAPES))
                              == 0;
    }

    imcf->file_handlers[0] = ngx_http_iri_handler_of(
        cf, "ngx_http_flv_module", "flv");
    imcf->file_handlers[1] = ngx_http_iri_handler_of(
        cf, "ngx_http_mp4_module", "mp4");

    return NGX_OK;
}


/* ---- what alias would forbid -------------------------------------------- */

/*
 * nginx does not map under alias what "rewrite ... break" has changed.  Where
 * root was set that does not apply.  A proxy asks the same flag whether to
 * replace the location's prefix, so it is left to handlers of others.
 */
void
ngx_http_iri_root_validate(ngx_http_request_t      *r,
                           ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_http_iri_main_conf_t *imcf;

    if (r->valid_location || ilcf->plain == NULL || ilcf->plain->alias) {
        return;
    }

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    if (r->content_handler == NULL
        || r->content_handler == imcf->file_handlers[0]
        || r->content_handler == imcf->file_handlers[1])
    {
        r->valid_location = 1;
    }
}
