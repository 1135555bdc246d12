/*
 * ngx_http_iri_try_files.c - try_files
 *
 * nginx's try_files appends each candidate to root and tests for this file.  It
 * does not find a name that is stored in another normalization form or charset.
 * Where iri is on, this file therefore implements try_files: a candidate is a
 * canonical path, which is looked up below root or alias as r->uri is.  The
 * first candidate that exists becomes r->uri.
 *
 * While the configuration is read, the setter of the directive is wrapped, to
 * save the arguments.  In these locations, nginx's own handler gets an empty
 * configuration.
 */

#include "ngx_http_iri.h"


/* An argument of try_files; the last one is the fallback. */
typedef struct {
    ngx_http_complex_value_t value;
    ngx_uint_t               is_dir; /* 1: a directory: it ends in "/" */
} ngx_http_iri_candidate_t;

/*
 * nginx's directive try_files: its module; its command while the setter is
 * wrapped, else NULL; its own setter.  Valid while nginx reads its
 * configuration.
 */
static ngx_module_t  *ngx_http_iri_try_module;
static ngx_command_t *ngx_http_iri_try_command;
static char *(*ngx_http_iri_try_set)(ngx_conf_t *cf, ngx_command_t *cmd,
                                     void *conf);


/* ---- the directive ------------------------------------------------------ */

/* Compile copies of the arguments, because nginx's setter changes them. */
static ngx_array_t *
ngx_http_iri_try_compile(ngx_conf_t *cf)
{
    ngx_str_t                *word = cf->args->elts, text;
    ngx_str_t                 none = ngx_null_string;
    ngx_uint_t                i;
    ngx_array_t              *words;
    ngx_http_iri_candidate_t *candidate;

    words = ngx_array_create(cf->pool, cf->args->nelts - 1,
                             sizeof(ngx_http_iri_candidate_t));

    for (i = 1; words != NULL && i < cf->args->nelts; i++) {
        candidate = ngx_array_push(words);

        if (candidate == NULL
            || ngx_http_iri_join(cf->pool, none, word[i], &text) != NGX_OK)
        {
            return NULL;
        }

        candidate->is_dir = i + 1 < cf->args->nelts && text.len != 0
                            && text.data[text.len - 1] == '/';
        text.len -= candidate->is_dir;

        if (ngx_http_iri_compile(cf, &text, &candidate->value) != NGX_OK) {
            return NULL;
        }
    }

    return words;
}


static char *
ngx_http_iri_try_files_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char                    *rv;
    ngx_array_t             *words = ngx_http_iri_try_compile(cf);
    ngx_http_iri_loc_conf_t *ilcf;

    rv = words != NULL ? ngx_http_iri_try_set(cf, cmd, conf) : NGX_CONF_ERROR;

    if (rv == NGX_CONF_OK) {
        ilcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_iri_module);
        ilcf->try_files = words;
    }

    return rv;
}


void
ngx_http_iri_try_files_end(void *data)
{
    if (ngx_http_iri_try_command != NULL) {
        ngx_http_iri_try_command->set = ngx_http_iri_try_set;
        ngx_http_iri_try_command = NULL;
    }
}


/* The pool cleanup restores the setter if nginx rejects the configuration. */
ngx_int_t
ngx_http_iri_try_files_begin(ngx_conf_t *cf)
{
    ngx_command_t      *cmd;
    ngx_pool_cleanup_t *cln;

    cmd = ngx_http_iri_command_named(cf, "ngx_http_try_files_module",
                                     "try_files", &ngx_http_iri_try_module);

    if (cmd == NULL) {
        return NGX_OK;
    }

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_iri_try_files_end;

    ngx_http_iri_try_command = cmd;
    ngx_http_iri_try_set = cmd->set;
    cmd->set = ngx_http_iri_try_files_set;

    return NGX_OK;
}


/*
 * Returns: 1 if this file implements try_files in the location.  With captures
 * in alias it is left to nginx's handler.
 */
static ngx_uint_t
ngx_http_iri_try_applies(const ngx_http_iri_loc_conf_t *ilcf)
{
    return ilcf->try_files != NULL && ilcf->scripted != NULL
           && ilcf->clcf->alias != NGX_MAX_SIZE_T_VALUE;
}


/* Give the locations an empty configuration of nginx's try_files. */
ngx_int_t
ngx_http_iri_try_files_init(ngx_conf_t *cf)
{
    void                     *conf;
    ngx_uint_t                i;
    ngx_module_t             *module = ngx_http_iri_try_module;
    ngx_http_module_t        *ctx;
    ngx_http_iri_loc_conf_t **location;
    ngx_http_iri_main_conf_t *imcf = ngx_http_iri_conf_main(cf);

    location = imcf->locations.elts;

    for (i = 0; i < imcf->locations.nelts; i++) {
        if (!ngx_http_iri_try_applies(location[i])) {
            continue;
        }

        ctx = module->ctx;
        conf = ctx->create_loc_conf(cf);
        if (conf == NULL) {
            return NGX_ERROR;
        }

        location[i]->scripted[module->ctx_index] = conf;
        location[i]->configured[module->ctx_index] = conf;
    }

    return NGX_OK;
}


/* ---- one candidate ------------------------------------------------------ */

/*
 * Returns: 1 if text, a candidate with variables, begins with the prefix that
 * alias replaces; nginx does not compare a candidate without variables.
 */
static ngx_uint_t
ngx_http_iri_try_has_prefix(ngx_http_request_t             *r,
                            const ngx_http_iri_candidate_t *candidate,
                            ngx_str_t text, size_t alias)
{
    return alias != 0 && candidate->value.lengths != NULL && text.len >= alias
           && r->uri.len >= alias
           && ngx_strncmp(text.data, r->uri.data, alias) == 0;
}


/*
 * Test whether r->uri names a file, or with is_dir a directory, as nginx's
 * handler does.  Returns: NGX_OK if it does; NGX_DECLINED; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_try_open(ngx_http_request_t *r, ngx_uint_t is_dir)
{
    size_t                    root;
    u_char                   *last;
    ngx_int_t                 rc;
    ngx_str_t                 name;
    unsigned                  valid = r->valid_location;
    ngx_open_file_info_t      of;
    ngx_http_iri_loc_conf_t  *ilcf = ngx_http_iri_loc_conf(r);
    ngx_http_core_loc_conf_t *clcf;

    /* After a rewrite nginx maps below root, but not below the script. */
    r->valid_location |= ilcf->clcf->alias == 0;
    last = ngx_http_map_uri_to_path(r, &name, &root, 0);
    r->valid_location = valid ? 1 : 0;

    if (last == NULL) {
        return NGX_ERROR;
    }

    name.len = last - name.data;

    ngx_memzero(&of, sizeof(ngx_open_file_info_t));
    of.test_only = 1;

    clcf = ngx_http_iri_core_loc_conf(r);
    rc = ngx_http_iri_open_file(r, clcf->open_file_cache, &name, &of);

    if (rc == NGX_OK) {
        return !of.is_dir == !is_dir ? NGX_OK : NGX_DECLINED;
    }

    if (rc == NGX_DECLINED && of.err != NGX_ENOENT && of.err != NGX_ENOTDIR
        && of.err != NGX_ENAMETOOLONG)
    {
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, of.err,
                      "%s \"%s\" failed", of.failed, name.data);
    }

    return rc;
}


/*
 * Returns: 1 if the entry has another name than the candidate.  Then a restart
 * with this name is pending, which is carried out if no candidate exists.
 */
static ngx_uint_t
ngx_http_iri_try_has_other_name(ngx_http_request_t *r)
{
    iri_lookup_t            *found;
    ngx_http_iri_loc_conf_t *ilcf = ngx_http_iri_loc_conf(r);

    if (!ngx_http_iri_uri_needs_lookup(ilcf, r->uri)) {
        return 0;
    }

    found = ngx_http_iri_find(r);

    if (found == NULL || found->found.verdict != IRI_RESTART) {
        return 0;
    }

    (void) ngx_http_iri_plan_restart(r, found);

    return 1;
}


/*
 * The path of a candidate is its value after the prefix that alias replaces,
 * unless the value begins with this prefix.
 */
static ngx_int_t
ngx_http_iri_try_one(ngx_http_request_t             *r,
                     const ngx_http_iri_candidate_t *candidate, size_t alias)
{
    ngx_int_t rc;
    ngx_str_t text, path, uri = r->uri, prefix = r->uri;

    if (ngx_http_complex_value(
            r, (ngx_http_complex_value_t *) &candidate->value, &text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    prefix.len = ngx_http_iri_try_has_prefix(r, candidate, text, alias)
                     ? 0
                     : alias;

    if (prefix.len > uri.len
        || ngx_http_iri_join(r->pool, prefix, text, &path) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (!ngx_http_iri_str_equal(path, uri)) {
        r->uri = path;
    }

    rc = ngx_http_iri_try_has_other_name(r)
             ? NGX_DECLINED
             : ngx_http_iri_try_open(r, candidate->is_dir);

    if (rc != NGX_OK) {
        r->uri = uri;
        return rc;
    }

    ngx_http_set_exten(r);

    return NGX_OK;
}


/* ---- the handler --------------------------------------------------------- */

/* The fallback is "=404", "@name" or a path.  After NGX_DONE r may be freed. */
static ngx_int_t
ngx_http_iri_try_fallback(ngx_http_request_t             *r,
                          const ngx_http_iri_candidate_t *last, size_t alias)
{
    ngx_str_t text, args;

    if (ngx_http_complex_value(r, (ngx_http_complex_value_t *) &last->value,
                               &text)
        != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (last->value.value.len != 0 && last->value.value.data[0] == '=') {
        return ngx_atoi(last->value.value.data + 1,
                        last->value.value.len - 1);
    }

    /* nginx removes this prefix from the fallback, too. */
    if (ngx_http_iri_try_has_prefix(r, last, text, alias)) {
        text.data += alias;
        text.len -= alias;
    }

    if (text.len != 0 && text.data[0] == '@') {
        (void) ngx_http_named_location(r, &text);

    } else {
        ngx_http_split_args(r, &text, &args);
        (void) ngx_http_internal_redirect(r, &text, &args);
    }

    ngx_http_finalize_request(r, NGX_DONE);

    return NGX_DONE;
}


ngx_int_t
ngx_http_iri_try_files(ngx_http_request_t *r)
{
    size_t                    alias;
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_loc_conf_t  *ilcf = ngx_http_iri_loc_conf(r);
    ngx_http_iri_candidate_t *candidate;

    if (!ngx_http_iri_try_applies(ilcf)) {
        return NGX_DECLINED;
    }

    alias = ilcf->clcf->alias;
    candidate = ilcf->try_files->elts;

    for (i = 0; i + 1 < ilcf->try_files->nelts; i++) {
        rc = ngx_http_iri_try_one(r, &candidate[i], alias);

        if (rc != NGX_DECLINED) {
            ctx = ngx_http_iri_ctx(r);
            if (ctx != NULL) {
                iri_request_drop_restart(ctx->request);
            }

            return rc == NGX_OK ? NGX_DECLINED
                                : NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    ctx = ngx_http_iri_ctx(r);

    return ctx != NULL
                   && iri_request_pending_restart(ctx->request, NULL) != NULL
               ? ngx_http_iri_restart(r)
               : ngx_http_iri_try_fallback(r, &candidate[i], alias);
}
