/*
 * ngx_http_iri_query.c - iri_query_charset
 *
 * r->args is converted to UTF-8 before any rule runs, so that $args, $arg_...
 * and upstream requests have the converted query: the query of the client in
 * POST_READ, that of a subrequest or an internal redirect in SERVER_REWRITE.
 * $request_uri and r->unparsed_uri keep the query as sent.
 */

#include "ngx_http_iri.h"


typedef struct {
    iri_query_conf_t
        *query; /* iri_query_charset; NULL: none, or iri is off */
} ngx_http_iri_query_srv_conf_t;


/* ---- the handlers -------------------------------------------------------- */

/*
 * Set *query to the converted args.
 * Returns: NGX_OK; NGX_DECLINED if args need no conversion; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_read_args(ngx_http_request_t *r, iri_str_t args, iri_env_t *env,
                       iri_query_t *query)
{
    iri_status_t                   status;
    ngx_http_iri_query_srv_conf_t *qscf;

    qscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_query_module);

    if (qscf->query == NULL || !iri_query_needs_read(qscf->query, args)) {
        return NGX_DECLINED;
    }

    ngx_http_iri_env(r, env);

    status = iri_query_read(env, qscf->query, args, query);
    if (status != IRI_OK) {
        ngx_http_iri_note_error(r, "the query could not be read", status);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/*
 * If r->valid_unparsed_uri is 0, an upstream gets r->uri, percent-encoded,
 * instead of the request-target.
 * Returns: NGX_OK if that is equivalent to the path as sent; NGX_DECLINED if
 * not, because the path has an escaped slash, or slashes that were merged;
 * NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_path_is_unchanged(ngx_http_request_t *r, const iri_env_t *env)
{
    iri_str_t made, sent;

    if (iri_path_to_uri(env, ngx_http_iri_str(r->uri), &made) != IRI_OK
        || iri_uri_normalize(env, ngx_http_iri_sent_path(r), &sent) != IRI_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_iri_str_equal(ngx_http_iri_ngx_str(made),
                                  ngx_http_iri_ngx_str(sent))
               ? NGX_OK
               : NGX_DECLINED;
}


/* Convert r->args: "q=%E9" → "q=%C3%A9". */
static ngx_int_t
ngx_http_iri_query_convert(ngx_http_request_t *r)
{
    ngx_int_t   rc;
    iri_env_t   env;
    iri_query_t query;

    rc = ngx_http_iri_read_args(r, ngx_http_iri_str(r->args), &env, &query);

    if (rc == NGX_OK && query.query.data != r->args.data) {
        r->args = ngx_http_iri_ngx_str(query.query);

        /*
         * An upstream must get the converted query, not the request-target,
         * unless it would then get another path.
         */
        rc = r->valid_unparsed_uri ? ngx_http_iri_path_is_unchanged(r, &env)
                                   : NGX_DECLINED;
        if (rc == NGX_OK) {
            r->valid_unparsed_uri = 0;
        }
    }

    return rc == NGX_ERROR ? NGX_HTTP_INTERNAL_SERVER_ERROR : NGX_DECLINED;
}


/* With iri report, log how the query would change, or why it would not. */
ngx_int_t
ngx_http_iri_query_handler(ngx_http_request_t *r)
{
    iri_env_t    env;
    iri_query_t  query;
    iri_notes_t  event;
    iri_engine_t engine = ngx_http_iri_engine_of(r);

    if (engine == IRI_ENGINE_ON) {
        return ngx_http_iri_query_convert(r);
    }

    if (engine == IRI_ENGINE_REPORT
        && ngx_http_iri_read_args(r, ngx_http_iri_str(r->args), &env, &query)
               == NGX_OK
        && query.why != IRI_QUERY_UTF8
        && ngx_http_iri_notes_wanted(r, IRI_LOG_INFO))
    {
        ngx_memzero(&event, sizeof(iri_notes_t));
        iri_note_query(&event, &query);
        ngx_http_iri_notes_add(r, &event);
    }

    return NGX_DECLINED;
}


ngx_int_t
ngx_http_iri_query_value(ngx_http_request_t *r, iri_str_t *out)
{
    ngx_int_t   rc;
    iri_env_t   env;
    iri_query_t query;

    if (!ngx_http_iri_requested_query(r, out) || out->len == 0) {
        return NGX_DECLINED;
    }

    rc = ngx_http_iri_read_args(r, *out, &env, &query);
    if (rc == NGX_OK) {
        *out = query.query;
    }

    return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_http_iri_query_read_sent(ngx_http_request_t *r, iri_query_t *query)
{
    iri_env_t env;
    iri_str_t sent;

    return ngx_http_iri_sent_query(r, &sent)
               ? ngx_http_iri_read_args(r, sent, &env, query)
               : NGX_DECLINED;
}


/* ---- the directive ------------------------------------------------------- */

static void *
ngx_http_iri_query_create_srv_conf(ngx_conf_t *cf)
{
    ngx_http_iri_query_srv_conf_t *qscf;

    qscf = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_query_srv_conf_t));
    if (qscf != NULL) {
        qscf->query = NGX_CONF_UNSET_PTR;
    }

    return qscf;
}


static char *
ngx_http_iri_query_merge_srv_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_iri_srv_conf_t       *iscf = ngx_http_iri_conf_srv(cf);
    ngx_http_iri_query_srv_conf_t *prev = parent, *conf = child;

    ngx_conf_merge_ptr_value(conf->query, prev->query, NULL);

    if (iscf->engine == IRI_ENGINE_OFF) {
        conf->query = NULL;
    }

    return NGX_CONF_OK;
}


/* clang-format off */

static ngx_command_t ngx_http_iri_query_commands[] = {

    { ngx_string("iri_query_charset"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_1MORE,
      ngx_http_iri_set_charsets,
      NGX_HTTP_SRV_CONF_OFFSET,
      offsetof(ngx_http_iri_query_srv_conf_t, query),
      (void *) ngx_http_iri_of_queries },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_query_module_ctx = {
    .create_srv_conf = ngx_http_iri_query_create_srv_conf,
    .merge_srv_conf = ngx_http_iri_query_merge_srv_conf,
};


ngx_module_t ngx_http_iri_query_module = NGX_HTTP_IRI_MODULE(
    &ngx_http_iri_query_module_ctx, ngx_http_iri_query_commands, NULL);

/* clang-format on */
