/*
 * ngx_http_iri_known.c - paths of which it is known where they lead
 *
 * Most paths are asked for again and again, by GET or HEAD.  So what came is
 * remembered with its reading and with what was found (iri_known_keep).  When
 * it comes again it takes one look at the disk, and the request has no more
 * than an ngx_http_iri_known_t.  Whoever wants to know more of the request, or
 * finds that it is not so any more, makes the ngx_http_iri_ctx_t that all
 * others have, by reading the same octets again (ngx_http_iri_known_whole).
 *
 * What is looked at depends on what was found:
 *
 *   - an entry where the path says: the entry.  That the one with the exact
 *     octets of the canonical path wins is the first rule of finding, so this
 *     look tells the same as all the work;
 *   - an entry in other octets, or none: the directory, in the location that
 *     the answer is of, where the core remembers the answer;
 *   - an entry of another path: the directory, too, but in POST_READ already,
 *     and the request has that path from the start.  Only where nothing but
 *     the path chooses a location: no rule of the server, no handler that is
 *     not known.  There the long way would come to the same location twice,
 *     and leave it the first time before any of its rules.
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
    known->uri = ngx_http_iri_out(what->found);
    known->what = *what;
    known->conf = NULL;
    known->whole = NULL;
    known->kept.variables = NULL;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    /* What has moved does not start over. */
    if (iscf->moves && what->answer != IRI_MOVED
        && ngx_http_iri_keep(r, &known->kept, 0) != NGX_OK)
    {
        known->head.request = NULL;
        return NULL;
    }

    ngx_http_set_ctx(r, known, ngx_http_iri_module);

    return known;
}


/* Did the whole path come raw, with nothing of it escaped? */
static ngx_uint_t
ngx_http_iri_known_is_sent(ngx_str_t sent, iri_str_t octets)
{
    u_char c;

    if (sent.len < octets.len
        || ngx_memcmp(sent.data, octets.data, octets.len) != 0)
    {
        return 0;
    }

    c = sent.len > octets.len ? sent.data[octets.len] : '?';

    return c == '?' || c == '#';
}


/* Did octets above 7F come raw?  1: all; 0: none; -1: some, or who knows. */
static inline int
ngx_http_iri_known_raw(ngx_http_request_t *r, iri_str_t octets)
{
    if (iri_is_low(ngx_http_iri_in(r->unparsed_uri)) || iri_is_low(octets)) {
        return 0;
    }

    return ngx_http_iri_known_is_sent(r->unparsed_uri, octets) ? 1 : -1;
}


/* What came raw is to go upstream percent-encoded. */
static void
ngx_http_iri_known_put(ngx_http_request_t         *r,
                       const ngx_http_iri_known_t *known, int raw)
{
    if (known->uri.data != r->uri.data) {
        ngx_http_iri_put_uri(r, known->uri);

    } else if (raw) {
        r->valid_unparsed_uri = 0;
        r->quoted_uri = 1;
    }
}


ngx_int_t
ngx_http_iri_known_read(ngx_http_request_t *r)
{
    int                      raw;
    iri_env_t                env;
    iri_known_t              what;
    ngx_http_iri_known_t    *known;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
    raw = ngx_http_iri_known_raw(r, ngx_http_iri_in(r->uri));

    /* A trace tells each step; of the query something may be kept. */
    if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD)) || raw < 0
        || ngx_http_get_module_ctx(r, ngx_http_iri_module) != NULL
        || (r->connection->log->log_level & NGX_LOG_DEBUG_HTTP))
    {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, &env);

    if (iri_known_find(&env, ngx_http_iri_cache(r), &iscf->reading,
                       ngx_http_iri_in(r->uri), raw, &what)
        != IRI_OK)
    {
        return NGX_ERROR;
    }

    /* A body that is too large is refused where the path that came leads. */
    if (what.path.len == 0
        || (what.answer == IRI_MOVED
            && (r->headers_in.content_length_n > 0
                || !iri_known_holds(&env, &what))))
    {
        return NGX_DECLINED;
    }

    known = ngx_http_iri_known_make(r, &what);
    if (known == NULL) {
        return NGX_ERROR;
    }

    known->raw = raw;
    ngx_http_iri_known_put(r, known, raw);

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


/* It lies as it is read, if it is there. */
static ngx_uint_t
ngx_http_iri_known_still(ngx_http_request_t            *r,
                         const ngx_http_iri_known_t    *known,
                         const ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_http_iri_srv_conf_t *iscf;

    /* There is nothing to look for. */
    if (known->what.form == IRI_FORM_ASCII
        && ngx_http_iri_own_name(ilcf, r->uri)) {
        return 1;
    }

    if (!ngx_http_iri_is_literal(ilcf, known->what.form)) {
        return 0;
    }

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    /* Without further charsets it came as UTF-8. */
    return (ilcf->declared && iscf->reading.charsets.count == 0)
           || ngx_http_iri_known_is_there(ilcf->plain->root, known->uri);
}


static ngx_uint_t
ngx_http_iri_known_holds(ngx_http_request_t *r, ngx_http_iri_known_t *known,
                         const ngx_http_iri_loc_conf_t *ilcf)
{
    iri_env_t env;

    if (known->what.asked == NULL) {
        return ngx_http_iri_known_still(r, known, ilcf);
    }

    if (known->what.answer == IRI_MOVED) {
        return 1; /* it did when it was read */
    }

    ngx_http_iri_env(r, &env);

    return iri_known_holds(&env, &known->what) != 0;
}


/* As iri_find would have it. */
static iri_found_t
ngx_http_iri_known_found(const ngx_http_iri_known_t *known)
{
    iri_found_t found;

    ngx_memzero(&found, sizeof(iri_found_t));
    found.answer = known->what.answer;
    found.why = known->what.why;
    found.match = known->what.match;
    found.charset = known->what.charset;
    found.path = known->what.found;
    found.filename = known->what.filename;

    return found;
}


/*
 * Is this where it was found?  0, too, where the log is to be told that it has
 * moved: for that all is needed that is kept of a request.
 */
static ngx_uint_t
ngx_http_iri_known_may_lie(ngx_http_request_t            *r,
                           const ngx_http_iri_known_t    *known,
                           const ngx_http_iri_loc_conf_t *ilcf)
{
    iri_found_t found;

    if (known->what.answer == IRI_MOVED
        && r->connection->log->log_level >= NGX_LOG_INFO)
    {
        found = ngx_http_iri_known_found(known);
        ngx_http_iri_log_moved(r, ngx_http_iri_out(known->what.path), &found);
        return 0;
    }

    return known->what.place == ilcf->plain_conf
           || known->what.place == ilcf->loc_conf;
}


ngx_uint_t
ngx_http_iri_known_lies(ngx_http_request_t *r, ngx_http_iri_known_t *known)
{
    ngx_http_iri_loc_conf_t *ilcf;
    ngx_http_iri_srv_conf_t *iscf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);

    if (known->what.asked != NULL
        && !ngx_http_iri_known_may_lie(r, known, ilcf)) {
        return 0;
    }

    if (!ngx_http_iri_known_holds(r, known, ilcf)) {
        iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
        iri_known_forget(ngx_http_iri_cache(r), &iscf->reading,
                         ngx_http_iri_in(known->came), known->raw);
        return 0;
    }

    known->conf = r->loc_conf;
    known->exact = known->what.asked == NULL
                   || known->what.place == ilcf->plain_conf;

    return 1;
}


/* Read once more, as the path that came. */
static ngx_int_t
ngx_http_iri_known_anew(ngx_http_request_t         *r,
                        const ngx_http_iri_known_t *known,
                        ngx_http_iri_ctx_t         *ctx)
{
    ngx_int_t rc;
    ngx_str_t uri = r->uri;

    if (known->what.form == IRI_FORM_ASCII) {
        ngx_http_iri_keep_ascii(ctx, known->came);
        return NGX_OK;
    }

    r->uri = known->came;
    rc = ngx_http_iri_read_sent(r, ctx);
    r->uri = uri;

    return rc;
}


/*
 * While it is made others find it in r->ctx, so that a failure can be noted in
 * it.  After a failure they find known there again, but whole stays, with its
 * notes, for who tries once more.
 */
ngx_http_iri_ctx_t *
ngx_http_iri_known_whole(ngx_http_iri_known_t *known)
{
    iri_found_t         found;
    ngx_http_request_t *r = known->head.request;
    ngx_http_iri_ctx_t *ctx = known->whole;

    if (ctx == NULL) {
        ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_iri_ctx_t));
    }

    if (ctx == NULL) {
        ngx_http_set_ctx(r, known, ngx_http_iri_module);
        return NULL;
    }

    known->whole = ctx;
    ctx->head.request = r;
    ctx->kept = known->kept;

    known->cleanup->data = ctx;
    ngx_http_set_ctx(r, ctx, ngx_http_iri_module);

    if (ngx_http_iri_known_anew(r, known, ctx) != NGX_OK
        || (ctx->kept.variables == NULL
            && ngx_http_iri_keep(r, &ctx->kept, 0) != NGX_OK))
    {
        known->cleanup->data = known;
        ngx_http_set_ctx(r, known, ngx_http_iri_module);
        return NULL;
    }

    ctx->read_uri = known->uri;

    if (known->what.answer == IRI_MOVED) {
        found = ngx_http_iri_known_found(known);
        ngx_http_iri_ctx_moved(ctx, known->uri, &found);
    }

    return ctx;
}


/* ---- learning ----------------------------------------------------------- */

/* How it came.  NGX_DECLINED: so that it is not to be known. */
static ngx_int_t
ngx_http_iri_known_came(const ngx_http_iri_ctx_t *ctx, iri_known_t *known,
                        iri_str_t *octets)
{
    const iri_reading_t *came = &ctx->came;

    if (!ctx->has_came) {
        known->form = IRI_FORM_ASCII;
        known->path = ngx_http_iri_in(ctx->ascii);
        *octets = known->path;
        return known->path.len != 0 ? NGX_OK : NGX_DECLINED;
    }

    known->form = came->form;
    known->path = came->path;
    *octets = came->octets;

    return came->answer != IRI_REFUSE
                   && (came->form == IRI_FORM_ESCAPED
                       || came->form == IRI_FORM_NATIVE
                       || came->form == IRI_FORM_LEGACY)
               ? NGX_OK
               : NGX_DECLINED;
}


/*
 * Nothing but the path has chosen the location where it was found to be
 * another's name, and that of what was found; it is the same one for both, and
 * for each method.
 */
static ngx_uint_t
ngx_http_iri_known_may_move(ngx_http_request_t            *r,
                            const ngx_http_iri_ctx_t      *ctx,
                            const ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_http_iri_srv_conf_t  *iscf;
    ngx_http_iri_main_conf_t *imcf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);
    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    return !imcf->foreign && !iscf->has_rules && !ctx->rewritten
           && ctx->moved_from != NULL && ctx->moved_conf == ilcf->loc_conf
           && r->loc_conf == ilcf->plain_conf
           && r->uri.data == ctx->canonical.data
           && ilcf->plain->limit_except == 0 && !ilcf->plain->lmt_excpt;
}


/*
 * By which search of the core is it to be known?  *search NULL: it lies where
 * it says, as one look tells.  NGX_DECLINED: it is not to be known.
 */
static ngx_int_t
ngx_http_iri_known_by(ngx_http_request_t *r, const ngx_http_iri_ctx_t *ctx,
                      const ngx_http_iri_found_t *found,
                      const iri_known_t *known, const iri_search_t **search)
{
    ngx_http_iri_loc_conf_t *ilcf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    *search = NULL;

    if (!ctx->moved && ngx_http_iri_own_name(ilcf, r->uri)) {
        return r->uri.data == ctx->ascii.data ? NGX_OK : NGX_DECLINED;
    }

    if (!ilcf->simple || r->content_handler != NULL) {
        return NGX_DECLINED;
    }

    if (ctx->moved) {
        if (!ngx_http_iri_known_may_move(r, ctx, ilcf)) {
            return NGX_DECLINED;
        }

        *search = &ctx->moved_from->search;
        return NGX_OK;
    }

    if (!ngx_http_iri_same(r->uri, ngx_http_iri_out(known->path))) {
        return NGX_DECLINED;
    }

    if (found == NULL
        || (found->found.answer == IRI_SERVE
            && r->loc_conf == ilcf->plain_conf
            && ngx_http_iri_is_literal(ilcf, known->form)))
    {
        return NGX_OK;
    }

    *search = &found->search;

    return found->found.answer == IRI_SERVE
                   || found->found.why == IRI_WHY_ABSENT
               ? NGX_OK
               : NGX_DECLINED;
}


void
ngx_http_iri_known_learn(ngx_http_request_t *r, ngx_http_iri_ctx_t *ctx,
                         const ngx_http_iri_found_t *found)
{
    int                      raw;
    iri_str_t                octets;
    iri_known_t              known;
    const iri_search_t      *search;
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    known.place = r->loc_conf;

    if ((r->connection->log->log_level & NGX_LOG_DEBUG_HTTP)
        || ngx_http_iri_known_came(ctx, &known, &octets) != NGX_OK
        || ngx_http_iri_known_by(r, ctx, found, &known, &search) != NGX_OK)
    {
        return;
    }

    raw = ngx_http_iri_known_raw(r, octets);

    if (raw >= 0) {
        iri_known_keep(ngx_http_iri_cache(r), &iscf->reading, octets, raw,
                       &known, search);
    }
}
