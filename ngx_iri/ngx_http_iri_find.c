/*
 * ngx_http_iri_find.c - lookups below root and alias
 *
 * Turns a canonical path and a location, with root and alias as they were
 * configured, into the result of iri_find() (design 5).  Each result is kept
 * with the request, so that rules, the script under root
 * (ngx_http_iri_root.c), variables and listings share one lookup.
 */

#include "ngx_http_iri.h"


#define NGX_HTTP_IRI_NAME_16 "refused-refused-"
#define NGX_HTTP_IRI_NAME_64                                                 \
    NGX_HTTP_IRI_NAME_16 NGX_HTTP_IRI_NAME_16 NGX_HTTP_IRI_NAME_16           \
        NGX_HTTP_IRI_NAME_16

ngx_str_t ngx_http_iri_no_such_file = ngx_string(
    "/" NGX_HTTP_IRI_NAME_64 NGX_HTTP_IRI_NAME_64 NGX_HTTP_IRI_NAME_64
        NGX_HTTP_IRI_NAME_64 NGX_HTTP_IRI_NAME_64);


/* ---- root and alias as configured --------------------------------------- */

/* nginx's settings of a location, without the script. */
static ngx_http_core_loc_conf_t *
ngx_http_iri_plain_conf(ngx_http_request_t *r, ngx_http_iri_loc_conf_t *ilcf)
{
    return ilcf->plain != NULL
               ? ilcf->plain
               : ngx_http_get_module_loc_conf(r, ngx_http_core_module);
}


/*
 * Evaluate a root with variables, and make it absolute.  ngx_http_script_run()
 * cannot be used: it flushes variables that are not cacheable.  nginx evaluates
 * a text in two passes, for its length and for its octets, and calls the getter
 * of our variables in between; the other variables of the text must keep their
 * lengths.
 */
static ngx_int_t
ngx_http_iri_evaluate_root(ngx_http_request_t       *r,
                           ngx_http_core_loc_conf_t *clcf, ngx_str_t *out)
{
    size_t                      len = 0;
    ngx_http_script_code_pt     code;
    ngx_http_script_engine_t    e;
    ngx_http_script_len_code_pt lcode;

    ngx_memzero(&e, sizeof(ngx_http_script_engine_t));
    e.request = r;
    e.ip = clcf->root_lengths->elts;

    while (*(uintptr_t *) e.ip) {
        lcode = *(ngx_http_script_len_code_pt *) e.ip;
        len += lcode(&e);
    }

    out->data = ngx_pnalloc(r->pool, len);
    if (out->data == NULL) {
        return NGX_ERROR;
    }

    /* The values from which the lengths were computed. */
    e.flushed = 1;
    e.ip = clcf->root_values->elts;
    e.pos = out->data;

    while (*(uintptr_t *) e.ip) {
        code = *(ngx_http_script_code_pt *) e.ip;
        code(&e);
    }

    out->len = e.pos - out->data;

    return ngx_get_full_name(r->pool, (ngx_str_t *) &ngx_cycle->prefix, out);
}


/*
 * alias replaces the first octets of the path, which are those of the location
 * if the path has selected it.  After a rewrite it has not, and the Destination
 * of COPY may not.  nginx itself does not compare lengths: it takes the script
 * for an alias with captures.
 */
ngx_uint_t
ngx_http_iri_below_alias(ngx_http_request_t             *r,
                         const ngx_http_core_loc_conf_t *clcf, ngx_str_t uri)
{
    if (clcf->alias == 0) {
        return 1;
    }

    return r->valid_location && !r->uri_changed
           && (clcf->alias == NGX_MAX_SIZE_T_VALUE || clcf->alias <= uri.len);
}


/*
 * Set root, path and prefix (the octets of the path that alias replaces) of
 * *search.  alias with captures evaluates to the whole name: its text before
 * the first variable is taken as root, the rest as path.
 */
static ngx_int_t
ngx_http_iri_search_path(ngx_http_request_t *r, ngx_http_iri_loc_conf_t *ilcf,
                         ngx_str_t uri, iri_search_t *search)
{
    ngx_str_t                 root;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_iri_plain_conf(r, ilcf);
    root = clcf->root;

    if (clcf->root_lengths != NULL
        && ngx_http_iri_evaluate_root(r, clcf, &root) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (clcf->alias != NGX_MAX_SIZE_T_VALUE) {
        search->root = ngx_http_iri_str(root);
        search->path = ngx_http_iri_str(uri);
        search->prefix = clcf->alias;
        return NGX_OK;
    }

    search->root.data = root.data;
    search->root.len = ngx_min(ilcf->literal, root.len);
    search->path.data = root.data + search->root.len;
    search->path.len = root.len - search->root.len;
    search->prefix = 0;

    return NGX_OK;
}


/* ---- calling the core --------------------------------------------------- */

/*
 * Returns: a name below root that cannot exist; if memory is exhausted,
 * ngx_http_iri_no_such_file.
 */
static ngx_str_t
ngx_http_iri_no_file(ngx_http_request_t *r, iri_str_t root)
{
    u_char   *p;
    ngx_str_t name;

    if (root.len != 0 && root.data[root.len - 1] == '/') {
        root.len--;
    }

    name.len = root.len + ngx_http_iri_no_such_file.len;
    name.data = ngx_pnalloc(r->pool, name.len + 1);
    if (name.data == NULL) {
        return ngx_http_iri_no_such_file;
    }

    p = ngx_cpymem(name.data, root.data, root.len);
    p = ngx_cpymem(p, ngx_http_iri_no_such_file.data,
                   ngx_http_iri_no_such_file.len);
    *p = '\0';

    return name;
}


/* Set the result for a path that must not be opened, without a lookup. */
static void
ngx_http_iri_found_refused(ngx_http_iri_found_t *found, iri_why_t why)
{
    ngx_memzero(&found->found, sizeof(iri_found_t));

    found->found.verdict = IRI_REFUSE;
    found->found.why = why;
    found->found.match = IRI_MATCH_NONE;
    found->found.path = found->search.path;
}


typedef iri_status_t (*ngx_http_iri_find_t)(const iri_env_t    *env,
                                            const iri_search_t *search,
                                            iri_found_t        *out);


static void
ngx_http_iri_call_core(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                       ngx_http_iri_found_t *found, ngx_http_iri_find_t find)
{
    iri_env_t    env;
    iri_str_t    none = { 0, NULL };
    iri_status_t status;

    if (ctx->last_read.refused
        && ngx_http_iri_same(found->uri, ctx->last_read.uri))
    {
        ngx_http_iri_found_refused(found, ctx->last_read.reading.why);
        return;
    }

    ngx_http_iri_env(r, &env);

    status = find(&env, &found->search, &found->found);

    if (status == IRI_OK && found->search.write && r == r->main
        && iri_method_creates(ngx_http_iri_str(r->method_name)))
    {
        status = iri_find_conflict(&env, &found->search, none, &found->found);
    }

    if (status == IRI_OK) {
        ngx_http_iri_client_note_found(r, ctx, found);
        return;
    }

    ngx_http_iri_note_error(r, "the path could not be looked up", status);

    ngx_http_iri_found_refused(found, IRI_WHY_ERROR);
}


static ngx_http_iri_found_t *
ngx_http_iri_found_cached(ngx_http_iri_ctx_t *ctx, ngx_str_t uri,
                          const iri_search_t *search)
{
    ngx_http_iri_found_t *found;

    for (found = ctx->lookup.results; found; found = found->next) {
        if (found->search.tree == search->tree
            && found->search.prefix == search->prefix
            && found->search.write == search->write
            && found->search.reading == search->reading
            && ngx_http_iri_same(found->uri, uri)
            && ngx_http_iri_same(found->root,
                                 ngx_http_iri_ngx_str(search->root))
            && ngx_http_iri_same(ngx_http_iri_ngx_str(found->search.path),
                                 ngx_http_iri_ngx_str(search->path)))
        {
            return found;
        }
    }

    return NULL;
}


/* The name that nginx may open for a result of the core. */
static ngx_str_t
ngx_http_iri_openable_name(ngx_http_request_t *r, ngx_http_iri_found_t *found)
{
    if (found->found.verdict == IRI_PASS || found->found.verdict == IRI_SERVE)
    {
        return ngx_http_iri_ngx_str(found->found.filename);
    }

    return ngx_http_iri_no_file(r, found->search.root);
}


static void
ngx_http_iri_log_absent(ngx_http_request_t         *r,
                        const ngx_http_iri_found_t *found)
{
    iri_shown_t shown, path;

    if (!found->logged && ngx_http_iri_notes_wanted(r, IRI_LOG_INFO)) {
        ngx_http_iri_note(r, IRI_LOG_INFO, iri_why_code(found->found.why),
                          "\"%s\" is \"%s\", but the request cannot restart",
                          iri_show(&shown, ngx_http_iri_str(found->uri)),
                          iri_show(&path, found->found.path));
    }
}


/*
 * Look up a path.  A request that cannot restart finds only an entry with
 * exactly the name of its path.  Any other entry is then absent, for rules too:
 * they must not reveal whether it exists.  While rules judge a Destination,
 * ngx_http_iri_destination.c handles IRI_RESTART.
 */
static ngx_http_iri_found_t *
ngx_http_iri_find_new(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                      ngx_str_t uri, const iri_search_t *search)
{
    ngx_str_t             url;
    ngx_http_iri_found_t *found;

    found = ngx_palloc(r->pool, sizeof(ngx_http_iri_found_t));
    if (found == NULL) {
        return NULL;
    }

    found->uri = uri;
    found->root = ngx_http_iri_ngx_str(search->root);
    found->search = *search;
    found->logged = ctx->last_read.refused
                    || ngx_http_iri_same(uri, ctx->lookup.not_found);

    ngx_http_iri_call_core(r, ctx, found, iri_find);

    if (found->found.verdict == IRI_RESTART
        && ngx_http_iri_engine_of(r) == IRI_ENGINE_ON
        && !ngx_http_iri_judges_destination(r)
        && !ngx_http_iri_can_restart(r, ctx, found, &url))
    {
        ngx_http_iri_log_absent(r, found);
        ngx_http_iri_call_core(r, ctx, found, iri_find_canonical);
    }

    found->filename = ngx_http_iri_openable_name(r, found);
    found->has_split = 0;

    found->next = ctx->lookup.results;
    ctx->lookup.results = found;

    return found;
}


/*
 * Returns: the reading of uri, or of the path from which rules have made uri,
 * for the core tests whether uri still ends in the same segments; or NULL.
 */
static const iri_reading_t *
ngx_http_iri_reading_of(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        ngx_str_t uri)
{
    const iri_reading_t *reading = ngx_http_iri_destination_reading(r, uri);

    if (reading != NULL) {
        return reading;
    }

    return ctx->last_read.has_reading && !ctx->restart.done
               ? &ctx->last_read.reading
               : NULL;
}


/* The mask is tested first: nearly every request is GET or HEAD. */
static int
ngx_http_iri_is_write(ngx_http_request_t *r)
{
    return !(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))
           && iri_method_writes(ngx_http_iri_str(r->method_name));
}


/* The latest result, if root has no variables and all else is the same. */
static ngx_http_iri_found_t *
ngx_http_iri_found_last(ngx_http_request_t *r, ngx_str_t uri)
{
    ngx_http_iri_ctx_t   *ctx;
    ngx_http_iri_found_t *found;

    ctx = ngx_http_iri_ctx(r);

    if (ctx == NULL || ctx->lookup.last == NULL
        || ctx->lookup.last_conf != r->loc_conf)
    {
        return NULL;
    }

    found = ctx->lookup.last;

    return found->uri.data == uri.data && found->uri.len == uri.len
                   && found->search.write == ngx_http_iri_is_write(r)
               ? found
               : NULL;
}


static ngx_http_iri_found_t *
ngx_http_iri_found_keep(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                        const ngx_http_core_loc_conf_t *clcf,
                        ngx_http_iri_found_t           *found)
{
    ctx->lookup.last = clcf->root_lengths == NULL && clcf->alias == 0 ? found
                                                                      : NULL;
    ctx->lookup.last_conf = r->loc_conf;

    return found;
}


/* Apart from ngx_http_iri_find_uri(), so that its usual case is short. */
static ngx_http_iri_found_t *
ngx_http_iri_find_slow(ngx_http_request_t *r, ngx_str_t uri)
{
    iri_search_t              search;
    ngx_http_iri_ctx_t       *ctx;
    ngx_http_iri_found_t     *found;
    ngx_http_iri_loc_conf_t  *ilcf;
    ngx_http_core_loc_conf_t *clcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    clcf = ngx_http_iri_plain_conf(r, ilcf);

    if (!ngx_http_iri_below_alias(r, clcf, uri)) {
        return NULL;
    }

    ngx_memzero(&search, sizeof(iri_search_t));

    ctx = ngx_http_iri_ctx_get_or_create(r);
    if (ctx == NULL
        || ngx_http_iri_search_path(r, ilcf, uri, &search) != NGX_OK) {
        return NULL;
    }

    ngx_http_iri_levels_search(ilcf, uri, &search);
    search.cache = ngx_http_iri_cache(r);
    search.write = ngx_http_iri_is_write(r);
    search.reading = ngx_http_iri_reading_of(r, ctx, uri);

    found = ctx->lookup.results != NULL
                ? ngx_http_iri_found_cached(ctx, uri, &search)
                : NULL;

    if (found == NULL) {
        found = ngx_http_iri_find_new(r, ctx, uri, &search);
    }

    return ngx_http_iri_found_keep(r, ctx, clcf, found);
}


ngx_http_iri_found_t *
ngx_http_iri_find_uri(ngx_http_request_t *r, ngx_str_t uri)
{
    ngx_http_iri_found_t *found = ngx_http_iri_found_last(r, uri);

    return found != NULL ? found : ngx_http_iri_find_slow(r, uri);
}


ngx_http_iri_found_t *
ngx_http_iri_find(ngx_http_request_t *r)
{
    return ngx_http_iri_find_uri(r, r->uri);
}


ngx_uint_t
ngx_http_iri_is_exact(const iri_search_t *search, iri_str_t path,
                      iri_str_t filename)
{
    size_t len;

    if (path.len < search->prefix) {
        return 0;
    }

    len = path.len - search->prefix;

    return filename.len == search->root.len + len
           && ngx_memcmp(filename.data, search->root.data, search->root.len)
                  == 0
           && ngx_memcmp(filename.data + search->root.len,
                         path.data + search->prefix, len)
                  == 0;
}


void
ngx_http_iri_found_save_restarted(ngx_http_request_t         *r,
                                  ngx_http_iri_ctx_t         *ctx,
                                  const ngx_http_iri_found_t *moved)
{
    ngx_http_iri_found_t *found;

    if (!ngx_http_iri_is_exact(&moved->search, moved->found.path,
                               moved->found.filename))
    {
        return;
    }

    found = ngx_palloc(r->pool, sizeof(ngx_http_iri_found_t));
    if (found == NULL) {
        return; /* there will be another lookup */
    }

    *found = *moved;
    found->uri = ngx_http_iri_ngx_str(moved->found.path);
    found->search.path = moved->found.path;
    found->search.reading = NULL;
    found->found.verdict = IRI_PASS;
    found->found.why = IRI_WHY_DECLARED;
    found->found.match = IRI_MATCH_NONE;
    found->filename = ngx_http_iri_ngx_str(moved->found.filename);
    found->has_split = 0;
    found->logged = 0;

    found->next = ctx->lookup.results;
    ctx->lookup.results = found;
}
