/*
 * mod_iri_probe.c - subrequests that test what the client may get
 *
 * A probe is judged by all rules of the server and of its path, with the same
 * user.  Listings and choices contain only names whose probe succeeded.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <ap_expr.h>

/* In the pool of a probe: the main request, while the probe is detached. */
#define MOD_IRI_MAIN "mod_iri: main request"

/* Has a <Directory> section a regular expression, which may match files? */
static int
mod_iri_has_directory_match(const request_rec *r)
{
    core_server_config *core = ap_get_core_module_config(
        r->server->module_config);
    const core_dir_config *dir = NULL;
    int                    i;

    for (i = 0; i < core->sec_dir->nelts && (dir == NULL || !dir->r); i++) {
        dir = ap_get_core_module_config(
            APR_ARRAY_IDX(core->sec_dir, i, ap_conf_vector_t *));
    }
    return dir != NULL && dir->r != NULL;
}

void
mod_iri_probe_init(mod_iri_probe_t *probe, request_rec *r)
{
    memset(probe, 0, sizeof(*probe));
    probe->r = r;
    probe->per_dir = r->per_dir_config;
    /* at the same address httpd would skip the access checks */
    probe->per_dir_copy = mod_iri_copy_vector(r->pool, r->per_dir_config);
    probe->directory_match = mod_iri_has_directory_match(r);
}

/*
 * Remove or restore httpd's directory walk cache of the main request, which it
 * would use instead of comparing regular expressions with the name of a file.
 */
static void
mod_iri_swap_walk_cache(mod_iri_probe_t *probe)
{
    void **note, *walk;

    if (probe->directory_match) {
        note = ap_get_request_note(probe->r, AP_NOTE_DIRECTORY_WALK);
        walk = *note;
        *note = probe->walk_cache;
        probe->walk_cache = walk;
    }
}

/* Make httpd judge the next subrequest by all rules of its own path. */
static void
mod_iri_probe_enter(mod_iri_probe_t *probe)
{
    request_rec *r = probe->r;

    probe->filename = NULL;
    r->per_dir_config = probe->per_dir_copy;
    mod_iri_request_create(r)->probe = probe;
    mod_iri_swap_walk_cache(probe);
}

static void
mod_iri_probe_leave(mod_iri_probe_t *probe, request_rec *rr)
{
    request_rec *r = probe->r;

    mod_iri_swap_walk_cache(probe);
    /* a rule may have ended the request while it was detached */
    rr->main = r;
    mod_iri_request_create(r)->probe = NULL;
    r->per_dir_config = probe->per_dir;
}

static iri_status_t
mod_iri_probe_name(mod_iri_probe_t *probe, const iri_listing_entry_t *entry,
                   const char *query, apr_pool_t *pool,
                   mod_iri_probe_result_t result, void *data,
                   iri_name_result_t *out)
{
    iri_env_apr_t env;
    iri_str_t     path;
    iri_status_t  status;
    const char   *uri;
    request_rec  *rr;

    iri_env_apr_init(&env, pool, NULL, NULL);
    status = iri_path_to_uri(&env.env, entry->path, &path);
    if (status != IRI_OK) {
        return status;
    }
    uri = apr_pstrcat(pool, mod_iri_dup(pool, path), query ? "?" : NULL,
                      query, NULL);
    probe->unnamed = entry->octets.len != 0 && entry->name.len == 0;
    mod_iri_probe_enter(probe);
    rr = ap_sub_req_lookup_uri(uri, probe->r, NULL);
    mod_iri_probe_leave(probe, rr);
    /* mod_dir redirects to add the slash of a directory */
    *out = rr->finfo.filetype == APR_DIR && !entry->is_directory
               ? IRI_NAME_DIRECTORY
           : rr->proxyreq ? IRI_NAME_HIDDEN
                          : result(data, entry, rr);
    ap_destroy_sub_req(rr);
    return IRI_OK;
}

iri_status_t
mod_iri_probe_names(mod_iri_probe_t *probe, iri_listing_t *listing,
                    const char *query, apr_pool_t *pool,
                    mod_iri_probe_result_t result, void *data)
{
    iri_listing_entry_t entry;
    iri_name_result_t   of;
    iri_status_t        status = IRI_OK;
    int                 is_left;

    while (status == IRI_OK
           && (status = iri_listing_judge(listing, &entry, &is_left))
                  == IRI_OK
           && is_left)
    {
        status = mod_iri_probe_name(probe, &entry, query, pool, result, data,
                                    &of);
        if (status == IRI_OK) {
            status = iri_listing_judged(listing, of);
        }
        apr_pool_clear(pool);
    }
    return status;
}

request_rec *
mod_iri_probe_entry(mod_iri_probe_t *probe, const apr_finfo_t *entry)
{
    request_rec *rr;

    mod_iri_probe_enter(probe);
    rr = ap_sub_req_lookup_dirent(entry, probe->r, AP_SUBREQ_NO_ARGS, NULL);
    mod_iri_probe_leave(probe, rr);
    return rr;
}

/* Make a new request of a probe, without the variables of its main request. */
int
mod_iri_probe_post_read(request_rec *r)
{
    int status;

    if (mod_iri_probe_of(r) == NULL) {
        return DECLINED;
    }
    r->the_request = apr_pstrcat(r->pool, r->method, " ", r->unparsed_uri,
                                 " ", r->main->protocol, NULL);
    r->protocol = r->main->protocol;
    r->proto_num = r->main->proto_num;
    r->subprocess_env = apr_table_make(r->pool, 25);
    /* modules that count or log requests, or add filters, skip redirects */
    r->prev = r->main;
    status = ap_run_post_read_request(r);
    r->prev = NULL;
    if (status == OK || status == DECLINED) {
        return DECLINED;
    }
    return ap_is_HTTP_ERROR(status) ? status : HTTP_NOT_FOUND;
}

/* Run header_parser (SetEnvIf in a directory), as for main requests. */
int
mod_iri_probe_header_parser(request_rec *r)
{
    return mod_iri_probe_of(r) != NULL ? ap_run_header_parser(r) : DECLINED;
}

/*
 * Skip authentication of an entry with the configuration of the listing, where
 * the user was authenticated: checking a password may take long.  Authorization
 * is still checked.
 */
int
mod_iri_probe_authn(request_rec *r)
{
    const mod_iri_probe_t *probe = mod_iri_probe_of(r);

    if (probe == NULL || !probe->authenticated
        || r->per_dir_config != probe->per_dir)
    {
        return DECLINED;
    }
    r->user = probe->r->user;
    r->ap_auth_type = probe->r->ap_auth_type;
    return OK;
}

/*
 * For subrequests mod_rewrite skips rules with the flag NS or R, which apply to
 * the client.  So a probe has no main request while mod_rewrite runs.
 */
int
mod_iri_probe_detach(request_rec *r)
{
    /* NULL: a rule has ended the phase before r was attached again */
    if (r->main != NULL && mod_iri_probe_of(r) != NULL) {
        apr_pool_userdata_setn(r->main, MOD_IRI_MAIN, NULL, r->pool);
        r->main = NULL;
    }
    return DECLINED;
}

int
mod_iri_probe_attach(request_rec *r)
{
    void *main = r->main;

    if (main == NULL) {
        apr_pool_userdata_get(&main, MOD_IRI_MAIN, r->pool);
        r->main = main;
    }
    return DECLINED;
}

static const char *
mod_iri_is_subrequest(ap_expr_eval_ctx_t *eval, const void *data)
{
    const request_rec *r = eval->r;

    return r == NULL                                        ? ""
           : r->main != NULL && mod_iri_probe_of(r) == NULL ? "true"
                                                            : "false";
}

int
mod_iri_probe_expr_lookup(ap_expr_lookup_parms *parms)
{
    if (parms->type != AP_EXPR_FUNC_VAR
        || ap_cstr_casecmp(parms->name, "IS_SUBREQ") != 0)
    {
        return DECLINED;
    }
    *parms->func = mod_iri_is_subrequest;
    *parms->data = NULL;
    return OK;
}

/* mod_dir, which follows, may continue with the index of a directory. */
void
mod_iri_probe_record(request_rec *r)
{
    mod_iri_probe_t *probe = mod_iri_probe_of(r);

    if (probe != NULL) {
        probe->filename = r->filename;
        probe->path_info = r->path_info;
        probe->finfo = r->finfo;
    }
}
