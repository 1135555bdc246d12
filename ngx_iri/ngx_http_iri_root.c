/*
 * ngx_http_iri_root.c - the script under root and alias
 *
 * All modules of nginx that open files call ngx_http_map_uri_to_path(), which
 * runs a script if root or alias has variables.  In postconfiguration, root and
 * alias are therefore replaced by a script that evaluates to the whole name on
 * disk, as that of an alias with captures does.  r->uri stays canonical for
 * locations, logs, redirects and upstreams.
 *
 *     r->uri --nginx--> script --iri_find--> root and octets on disk
 *
 * nginx then treats the location as one with captures in alias.  The effects of
 * this are compensated:
 *
 *   r->valid_location           here
 *   try_files                   ngx_http_iri_try_files.c
 *   comparing the Destination of COPY and MOVE with alias
 *                               ngx_http_iri_dav.c
 *   r->add_uri_to_alias         ngx_http_iri_phases.c
 *   r->uri_changed, variables   ngx_http_iri_variables.c
 */

#include "ngx_http_iri.h"


/* The script has one code, for the length or for the value. */
typedef struct {
    ngx_http_script_code_pt code;
    uintptr_t               end; /* 0 ends the script */
} ngx_http_iri_code_t;


/* ---- the script --------------------------------------------------------- */

/*
 * Returns: 1 if uri has no other name on disk, so that root and uri are joined
 * without a lookup.  A lookup is needed with captures in alias, since the name
 * depends on more than uri; and if uri is not below alias, since
 * ngx_http_iri_find() then returns NULL and no file is opened.
 */
static ngx_uint_t
ngx_http_iri_joins_root(ngx_http_request_t            *r,
                        const ngx_http_iri_loc_conf_t *ilcf, ngx_str_t uri)
{
    /* With captures, alias is NGX_MAX_SIZE_T_VALUE. */
    return ilcf->clcf->alias <= uri.len
           && (!ngx_http_iri_uri_needs_lookup(ilcf, uri)
               || ngx_http_iri_is_declared(r, ilcf, uri));
}


/* Log once why no file is opened, if it is too late for a restart or 404. */
static void
ngx_http_iri_log_not_opened(ngx_http_request_t *r, iri_lookup_t *found)
{
    iri_shown_t shown;

    if (found->is_logged || iri_may_open(&found->found)) {
        return;
    }

    found->is_logged = 1;

    ngx_http_iri_note(r, IRI_LOG_INFO, iri_why_code(found->found.why),
                      "\"%s\" is not opened: %s",
                      iri_show(&shown, found->path),
                      iri_why_text(found->found.why));
}


/*
 * Returns: the name that nginx may open.  While the rules run (-f, -e, -d, a
 * variable), it is the name of the entry even if that differs from the path:
 * the request restarts after the rules.
 */
static ngx_str_t
ngx_http_iri_name_to_open(ngx_http_request_t *r, iri_lookup_t *found)
{
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    if (found->found.verdict == IRI_RESTART && ctx->rules.running
        && ngx_http_iri_plan_restart(r, found))
    {
        return ngx_http_iri_ngx_str(found->found.filename);
    }

    ngx_http_iri_log_not_opened(r, found);

    return ngx_http_iri_ngx_str(found->filename);
}


/*
 * Look up r->uri.  nginx runs the value code next, which gets the name from
 * ctx->filename.
 */
static size_t
ngx_http_iri_length_code(ngx_http_script_engine_t *e)
{
    iri_lookup_t            *found;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_request_t      *r = e->request;
    ngx_http_iri_code_t     *code = (ngx_http_iri_code_t *) e->ip;
    ngx_http_iri_loc_conf_t *ilcf;

    e->ip = (u_char *) &code->end;
    ilcf = ngx_http_iri_loc_conf(r);

    if (ngx_http_iri_joins_root(r, ilcf, r->uri)) {
        return ngx_http_iri_root_length(e, ilcf->clcf) + r->uri.len
               - ilcf->clcf->alias;
    }

    found = ngx_http_iri_find(r);
    ctx = ngx_http_iri_ctx(r);

    if (ctx == NULL) {
        return iri_no_such_file.len;
    }

    ctx->filename = found != NULL ? ngx_http_iri_name_to_open(r, found)
                                  : ngx_http_iri_ngx_str(iri_no_such_file);

    return ctx->filename.len;
}


static void
ngx_http_iri_value_code(ngx_http_script_engine_t *e)
{
    ngx_str_t                name;
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_request_t      *r = e->request;
    ngx_http_iri_code_t     *code = (ngx_http_iri_code_t *) e->ip;
    ngx_http_iri_loc_conf_t *ilcf;

    e->ip = (u_char *) &code->end;
    ilcf = ngx_http_iri_loc_conf(r);

    if (ngx_http_iri_joins_root(r, ilcf, r->uri)) {
        ngx_http_iri_root_copy(e, ilcf->clcf);
        name.data = r->uri.data + ilcf->clcf->alias;
        name.len = r->uri.len - ilcf->clcf->alias;

    } else {
        ctx = ngx_http_iri_ctx(r);
        name = ctx != NULL && ctx->filename.len != 0
                   ? ctx->filename
                   : ngx_http_iri_ngx_str(iri_no_such_file);
    }

    e->pos = ngx_cpymem(e->pos, name.data, name.len);
}


/* ---- the name without the script ---------------------------------------- */

/* A directory for "/" at the end of r->uri, else a file or a directory. */
ngx_int_t
ngx_http_iri_can_open(ngx_http_request_t *r, ngx_str_t name,
                      ngx_uint_t *is_dir)
{
    ngx_int_t            rc;
    ngx_open_file_info_t of;

    if (name.len == 0) {
        return NGX_DECLINED;
    }

    ngx_memzero(&of, sizeof(ngx_open_file_info_t));
    of.test_dir = r->uri.len != 0 && r->uri.data[r->uri.len - 1] == '/';
    of.test_only = 1;

    rc = ngx_http_iri_open_file(r, NULL, &name, &of);
    if (rc != NGX_OK) {
        return rc;
    }

    *is_dir = of.is_dir;

    if (!of.is_file) {
        /* Opening a FIFO would be noticed by the process that writes to it. */
        return of.is_dir ? NGX_OK : NGX_DECLINED;
    }

    ngx_memzero(&of, sizeof(ngx_open_file_info_t));

    return ngx_http_iri_open_file(r, NULL, &name, &of);
}


/*
 * A root with variables is left to nginx: the caller may be the getter of a
 * variable, between the two passes of nginx over a text, and evaluating root
 * here would flush the variables that are not cacheable.
 */
ngx_int_t
ngx_http_iri_filename_of(ngx_http_request_t *r, ngx_str_t uri,
                         ngx_str_t *name)
{
    ngx_str_t                 tail = uri;
    iri_lookup_t             *found;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_core_loc_conf_t *clcf;

    ilcf = ngx_http_iri_loc_conf(r);
    clcf = ilcf->clcf;

    if (ilcf->scripted == NULL || clcf->root_lengths != NULL
        || !ngx_http_iri_below_alias(r, clcf, uri))
    {
        return NGX_DECLINED;
    }

    if (ngx_http_iri_joins_root(r, ilcf, uri)) {
        tail.data += clcf->alias;
        tail.len -= clcf->alias;
        return ngx_http_iri_join(r->pool, clcf->root, tail, name);
    }

    found = ngx_http_iri_find_uri(r, uri);
    if (found == NULL) {
        return NGX_ERROR;
    }

    *name = ngx_http_iri_name_to_open(r, found);

    return NGX_OK;
}


/* ---- initialization ----------------------------------------------------- */

static ngx_array_t *
ngx_http_iri_script(ngx_conf_t *cf, ngx_http_script_code_pt pt)
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
    code->end = 0;

    return script;
}


/* Returns: the octets of root up to the last "/" before its first variable. */
static size_t
ngx_http_iri_literal_len(ngx_http_core_loc_conf_t *clcf)
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


ngx_command_t *
ngx_http_iri_command_named(ngx_conf_t *cf, const char *name,
                           const char *directive, ngx_module_t **module)
{
    ngx_uint_t     i;
    ngx_module_t  *m;
    ngx_command_t *cmd;

    for (i = 0; cf->cycle->modules[i]; i++) {
        m = cf->cycle->modules[i];
        cmd = m->type == NGX_HTTP_MODULE && ngx_strcmp(m->name, name) == 0
                  ? m->commands
                  : NULL;

        for (; cmd != NULL && cmd->name.len != 0; cmd++) {
            if (ngx_strcmp(cmd->name.data, directive) == 0) {
                *module = m;
                return cmd;
            }
        }
    }

    return NULL;
}


/*
 * Also for locations that need no lookup, since the script opens no file for a
 * refused path.  The configuration is changed in place, since "if" selects it
 * in the middle of the rules.  The copy is made here, and not for each request:
 * nginx uses r->loc_conf after the pool of the request is destroyed.
 */
static ngx_int_t
ngx_http_iri_install_script(ngx_conf_t *cf, ngx_http_iri_loc_conf_t *ilcf)
{
    size_t                    size = sizeof(void *) * ngx_http_max_module;
    ngx_http_core_loc_conf_t *clcf = ilcf->clcf;

    ilcf->clcf = ngx_palloc(cf->pool, sizeof(ngx_http_core_loc_conf_t));
    ilcf->configured = ngx_palloc(cf->pool, size);

    if (ilcf->clcf == NULL || ilcf->configured == NULL) {
        return NGX_ERROR;
    }

    *ilcf->clcf = *clcf;
    ngx_memcpy(ilcf->configured, ilcf->scripted, size);
    ilcf->configured[ngx_http_core_module.ctx_index] = ilcf->clcf;
    ilcf->literal_len = ngx_http_iri_literal_len(clcf);

    clcf->root_lengths = ngx_http_iri_script(
        cf, (ngx_http_script_code_pt) (void *) ngx_http_iri_length_code);
    clcf->root_values = ngx_http_iri_script(cf, ngx_http_iri_value_code);
    clcf->alias = NGX_MAX_SIZE_T_VALUE;

    return clcf->root_lengths != NULL && clcf->root_values != NULL
               ? NGX_OK
               : NGX_ERROR;
}


/*
 * Returns: the content handler that a directive without arguments sets; NULL if
 * nginx does not have the module.  The handler has no symbol, so the setter is
 * called for http{}, which has no content handler.
 */
static ngx_http_handler_pt
ngx_http_iri_content_handler_of(ngx_conf_t *cf, const char *name,
                                const char *directive)
{
    ngx_module_t             *module;
    ngx_command_t            *cmd;
    ngx_http_handler_pt       handler;
    ngx_http_core_loc_conf_t *clcf;

    cmd = ngx_http_iri_command_named(cf, name, directive, &module);
    if (cmd == NULL) {
        return NULL;
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    (void) cmd->set(cf, cmd, NULL);
    handler = clcf->handler;
    clcf->handler = NULL;

    return handler;
}


ngx_int_t
ngx_http_iri_root_init(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);
    ngx_http_iri_loc_conf_t **location = imcf->locations.elts;

    for (i = 0; i < imcf->locations.nelts; i++) {
        if (location[i]->scripted != NULL
            && ngx_http_iri_install_script(cf, location[i]) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    imcf->file_handlers[0] = ngx_http_iri_content_handler_of(
        cf, "ngx_http_flv_module", "flv");
    imcf->file_handlers[1] = ngx_http_iri_content_handler_of(
        cf, "ngx_http_mp4_module", "mp4");

    return NGX_OK;
}


/* ---- r->valid_location -------------------------------------------------- */

/*
 * Below alias, nginx does not map a path that "rewrite ... break" has changed,
 * for which it clears r->valid_location; with the script, root looks like an
 * alias.  proxy_pass tests the flag, too, and must see it as nginx sets it.  So
 * it is set only for content handlers that open files.  In a named location
 * nginx keeps the flag, so ngx_http_iri_before_rules() clears it there.
 */
void
ngx_http_iri_set_valid_location(ngx_http_request_t      *r,
                                ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_main_conf_t *imcf;

    if (r->valid_location || ilcf->scripted == NULL || ilcf->clcf->alias) {
        return;
    }

    imcf = ngx_http_iri_main_conf(r);

    if (r->content_handler == NULL
        || r->content_handler == imcf->file_handlers[0]
        || r->content_handler == imcf->file_handlers[1])
    {
        ctx = ngx_http_iri_ctx_get_or_create(r);
        if (ctx != NULL) {
            ctx->rules.rewrite_break = 1;
            r->valid_location = 1;
        }
    }
}
