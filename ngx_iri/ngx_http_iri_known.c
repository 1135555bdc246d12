/*
 * ngx_http_iri_known.c - paths that lie on disk as they are read
 *
 * Or are absent, and the memory of answers knows it: that is one look, too.
 *
 * Most paths that are not ASCII are asked for again and again, and what they
 * mean lies where they say.  Such a path is remembered with its reading
 * (iri_known_find), and then needs one look at the disk, and no more memory
 * than ngx_http_iri_known_t.  Whoever wants to know more of the request, or
 * finds that it is not so any more, makes what all others have: by the same
 * reading of the same octets (ngx_http_iri_ctx).
 *
 * Of GET and HEAD alone.  How octets are read is the same each time; that the
 * entry with the exact octets of the canonical path wins is rule 1 of finding,
 * so that one look tells the same as all the work.
 */

#include "ngx_http_iri.h"

#define NGX_HTTP_IRI_KNOWN_NAME 2048 /* octets of a name that is looked at */


static ngx_http_iri_known_t *
ngx_http_iri_known_make(ngx_http_request_t *r, const iri_known_t *what)
{
    ngx_pool_cleanup_t      *cln;
    ngx_http_iri_known_t    *known;
    ngx_http_iri_srv_conf_t *iscf;

    cln = ngx_http_iri_ctx_place(r, sizeof(ngx_http_iri_known_t));
    if (cln == NULL) {
        return NULL;
    }

    known = cln->data;
    known->head.request = r;
    known->head.known = 1;
    known->cleanup = cln;
    known->came = r->uri;
    known->uri = ngx_http_iri_out(what->path);
    known->form = what->form;
    known->absent = what->absent;
    known->conf = NULL;
    known->kept.variables = NULL;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (iscf->moves && ngx_http_iri_keep(r, &known->kept, 0) != NGX_OK) {
        known->head.request = NULL;
        return NULL;
    }

    ngx_http_set_ctx(r, known, ngx_http_iri_module);

    return known;
}


ngx_int_t
ngx_http_iri_known_read(ngx_http_request_t *r)
{
    iri_env_t                env;
    iri_known_t              what;
    ngx_http_iri_known_t    *known;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    /* A trace tells each step; of the query something may be kept. */
    if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
        || ngx_http_get_module_ctx(r, ngx_http_iri_module) != NULL
        || (r->connection->log->log_level & NGX_LOG_DEBUG_HTTP))
    {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    if (iri_known_find(&env, ngx_http_iri_cache(r), &iscf->reading,
                       ngx_http_iri_in(r->uri), &what)
        != IRI_OK)
    {
        return NGX_ERROR;
    }

    /* What came raw goes upstream otherwise. */
    if (what.path.len == 0 || !iri_is_low(ngx_http_iri_in(r->unparsed_uri))) {
        return NGX_DECLINED;
    }

    known = ngx_http_iri_known_make(r, &what);
    if (known == NULL) {
        return NGX_ERROR;
    }

    if (known->uri.data != r->uri.data) {
        ngx_http_iri_put_uri(r, known->uri);
    }

    return NGX_OK;
}


/* Is there something of just that name? */
static ngx_uint_t
ngx_http_iri_known_is_there(ngx_str_t root, ngx_str_t uri)
{
    u_char    *p, name[NGX_HTTP_IRI_KNOWN_NAME];
    iri_node_t node;

    if (root.len + uri.len >= sizeof(name)) {
        return 0;
    }

    p = ngx_cpymem(name, root.data, root.len);
    p = ngx_cpymem(p, uri.data, uri.len);
    *p = '\0';

    return iri_dir_posix.stat(NULL, (const char *) name, &node) == IRI_OK
           && (node.kind == IRI_NODE_DIR || node.kind == IRI_NODE_OTHER);
}


/* Has the same look found nothing before, and nothing has changed? */
static ngx_uint_t
ngx_http_iri_known_is_absent(ngx_http_request_t            *r,
                             const ngx_http_iri_known_t    *known,
                             const ngx_http_iri_loc_conf_t *ilcf)
{
    int                      held;
    iri_env_t                env;
    iri_found_t              found;
    iri_search_t             search;
    iri_reading_t            reading;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    ngx_memzero(&reading, sizeof(iri_reading_t));
    reading.form = known->form;
    reading.path = ngx_http_iri_in(known->uri);
    reading.octets = ngx_http_iri_in(known->came);
    reading.conf = &iscf->reading;

    search.tree = &ilcf->tree;
    search.cache = ngx_http_iri_cache(r);
    search.write = 0;
    search.absent = 0;
    search.root = ngx_http_iri_in(ilcf->plain->root);
    search.path = reading.path;
    search.prefix = 0;
    search.reading = &reading;

    ngx_http_iri_env(r, &env);

    return iri_find_again(&env, &search, &found, &held) == IRI_OK && held
           && found.answer == IRI_PASS
           && ngx_http_iri_is_exact(&search, search.path, found.filename);
}


static ngx_uint_t
ngx_http_iri_known_still(ngx_http_request_t            *r,
                         const ngx_http_iri_known_t    *known,
                         const ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    /* Without further charsets it came as UTF-8. */
    if (ilcf->declared && iscf->reading.charsets.count == 0) {
        return 1;
    }

    return known->absent
               ? ngx_http_iri_known_is_absent(r, known, ilcf)
               : ngx_http_iri_known_is_there(ilcf->plain->root, known->uri);
}


ngx_uint_t
ngx_http_iri_known_lies(ngx_http_request_t *r, ngx_http_iri_known_t *known)
{
    ngx_http_iri_loc_conf_t *ilcf;
    ngx_http_iri_srv_conf_t *iscf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (!ilcf->literal_wins) {
        return 0;
    }

    if (!ngx_http_iri_known_still(r, known, ilcf)) {
        iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
        iri_known_forget(ngx_http_iri_cache(r), &iscf->reading,
                         ngx_http_iri_in(known->came));
        return 0;
    }

    known->conf = r->loc_conf;

    return 1;
}


/* Read once more, as the path that came. */
ngx_http_iri_ctx_t *
ngx_http_iri_known_whole(ngx_http_iri_known_t *known)
{
    ngx_int_t           rc;
    ngx_str_t           uri;
    ngx_http_request_t *r = known->head.request;
    ngx_http_iri_ctx_t *ctx;

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_iri_ctx_t));
    if (ctx == NULL) {
        return NULL;
    }

    ctx->head.request = r;
    ctx->kept = known->kept;

    known->cleanup->data = ctx;
    ngx_http_set_ctx(r, ctx, ngx_http_iri_module);

    uri = r->uri;
    r->uri = known->came;
    rc = ngx_http_iri_read_sent(r, ctx);
    r->uri = uri;

    if (rc != NGX_OK
        || (ctx->kept.variables == NULL
            && ngx_http_iri_keep(r, &ctx->kept, 0) != NGX_OK))
    {
        return NULL;
    }

    ctx->known = known->uri;

    return ctx;
}


/*
 * NULL: the tree is declared.  Of what is absent only that is kept which the
 * memory of answers knows.
 */
void
ngx_http_iri_known_learn(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                         const ngx_http_iri_found_t *found)
{
    iri_known_t              known;
    const iri_reading_t     *came = &ctx->came;
    ngx_http_iri_srv_conf_t *iscf;
    ngx_http_iri_loc_conf_t *ilcf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    known.path = came->path;
    known.form = came->form;
    known.absent = found != NULL && found->found.answer != IRI_SERVE;

    if (ilcf->literal_wins && !ctx->moved && !came->raw
        && (came->form == IRI_FORM_ESCAPED || came->form == IRI_FORM_LEGACY)
        && came->answer != IRI_REFUSE
        && (!known.absent || found->found.why == IRI_WHY_ABSENT)
        && ngx_http_iri_same(r->uri, ngx_http_iri_out(came->path)))
    {
        iri_known_keep(ngx_http_iri_cache(r), &iscf->reading, came->octets,
                       &known);
    }
}
