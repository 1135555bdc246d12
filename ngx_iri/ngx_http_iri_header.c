/*
 * ngx_http_iri_header.c - the response header filter
 *
 * The filter runs before the filters of nginx that write the header.  It sets
 * Location and Link (ngx_http_iri_location.c), Vary (ngx_http_iri_client.c) and
 * "inturi".
 *
 * iri_advertise adds the field "inturi: utf8" of draft-masinter-url-i18n-05,
 * section 4.2.1, to each response to OPTIONS, including errors and responses of
 * upstreams.  The field says that the server accepts paths in raw and in
 * percent-encoded UTF-8.
 */

#include "ngx_http_iri_header.h"


/* The server configuration */
typedef struct {
    ngx_flag_t advertise; /* iri_advertise */
} ngx_http_iri_header_conf_t;


static char *
ngx_http_iri_header_advertise(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static void *ngx_http_iri_header_create_srv_conf(ngx_conf_t *cf);
static char *
ngx_http_iri_header_merge_srv_conf(ngx_conf_t *cf, void *parent, void *child);
static ngx_int_t ngx_http_iri_header_init(ngx_conf_t *cf);


/* clang-format off */

static ngx_command_t ngx_http_iri_header_commands[] = {

    { ngx_string("iri_advertise"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_FLAG,
      ngx_http_iri_header_advertise,
      NGX_HTTP_SRV_CONF_OFFSET,
      offsetof(ngx_http_iri_header_conf_t, advertise),
      NULL },

      ngx_null_command
};


static ngx_http_module_t ngx_http_iri_header_filter_module_ctx = {
    NULL,                                  /* preconfiguration */
    ngx_http_iri_header_init,              /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    ngx_http_iri_header_create_srv_conf,   /* create server configuration */
    ngx_http_iri_header_merge_srv_conf,    /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t ngx_http_iri_header_filter_module = {
    NGX_MODULE_V1,
    &ngx_http_iri_header_filter_module_ctx, /* module context */
    ngx_http_iri_header_commands,          /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};

/* clang-format on */


static ngx_http_output_header_filter_pt ngx_http_iri_next_header_filter;


/* ---- the filter ---------------------------------------------------------- */

/* An "inturi" of an upstream is removed, since it describes the upstream. */
static ngx_int_t
ngx_http_iri_write_advertised(ngx_http_request_t *r)
{
    ngx_uint_t       i;
    ngx_list_part_t *part;
    ngx_table_elt_t *h;

    static const char name[] = "inturi";
    static ngx_str_t  value = ngx_string("utf8");

    for (part = &r->headers_out.headers.part; part != NULL; part = part->next)
    {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (h[i].key.len == sizeof(name) - 1
                && ngx_strncasecmp(h[i].key.data, (u_char *) name,
                                   sizeof(name) - 1)
                       == 0)
            {
                h[i].hash = 0;
            }
        }
    }

    return ngx_http_iri_header_add(r, name, value) != NULL ? NGX_OK
                                                           : NGX_ERROR;
}


/*
 * Returns: 1 if the response may have a Location or a Link.  The modules lua,
 * njs and perl do not set r->headers_out.location, so the status is tested,
 * too.
 */
static ngx_uint_t
ngx_http_iri_may_have_references(ngx_http_request_t *r)
{
    ngx_uint_t                status = r->headers_out.status;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_get_module_main_conf(r, ngx_http_iri_module);

    return r->headers_out.location != NULL || r->upstream != NULL
           || (imcf->has_links && ngx_http_iri_ctx(r) != NULL)
           || status == NGX_HTTP_CREATED
           || (status >= NGX_HTTP_MOVED_PERMANENTLY
               && status < NGX_HTTP_BAD_REQUEST
               && status != NGX_HTTP_NOT_MODIFIED);
}


/* Set the fields of the response to a main request. */
static ngx_int_t
ngx_http_iri_header_set(ngx_http_request_t            *r,
                        const ngx_http_iri_srv_conf_t *iscf)
{
    ngx_http_iri_header_conf_t *hfcf;

    hfcf = ngx_http_get_module_srv_conf(r, ngx_http_iri_header_filter_module);

    if (ngx_http_iri_may_have_references(r)
        && ngx_http_iri_write_references(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (r->method == NGX_HTTP_OPTIONS && hfcf->advertise
        && ngx_http_iri_write_advertised(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return iscf->charset_variable != NULL ? ngx_http_iri_write_vary(r)
                                          : NGX_OK;
}


/*
 * r->valid_location is set again because proxy_store maps the path with the
 * script (ngx_http_iri_root.c), which needs the flag after "rewrite ... break".
 * proxy_pass, which tests the flag, has created its request before.
 */
static ngx_int_t
ngx_http_iri_header_filter(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t      *ctx;
    ngx_http_iri_loc_conf_t *ilcf;
    ngx_http_iri_srv_conf_t *iscf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    if (iscf->engine != IRI_ENGINE_ON) {
        return ngx_http_iri_next_header_filter(r);
    }

    /* The request must restart, but a rule sends a response. */
    ctx = ngx_http_iri_ctx(r);
    if (ctx != NULL
        && iri_request_pending_restart(ctx->request, NULL) != NULL) {
        return NGX_ERROR;
    }

    if (r->upstream != NULL && ilcf->configured != NULL
        && ilcf->configured->alias == 0)
    {
        r->valid_location = 1;
    }

    if (r == r->main && ngx_http_iri_header_set(r, iscf) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_iri_next_header_filter(r);
}


/* ---- the directive ------------------------------------------------------- */

static char *
ngx_http_iri_header_advertise(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char                       *error;
    ngx_http_iri_header_conf_t *hfcf = conf;

    error = ngx_conf_set_flag_slot(cf, cmd, conf);
    if (error != NGX_CONF_OK || !hfcf->advertise) {
        return error;
    }

    return ngx_http_iri_check_setting(cf, NULL);
}


static void *
ngx_http_iri_header_create_srv_conf(ngx_conf_t *cf)
{
    ngx_http_iri_header_conf_t *hfcf;

    hfcf = ngx_palloc(cf->pool, sizeof(ngx_http_iri_header_conf_t));
    if (hfcf != NULL) {
        hfcf->advertise = NGX_CONF_UNSET;
    }

    return hfcf;
}


static char *
ngx_http_iri_header_merge_srv_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_iri_header_conf_t *prev = parent, *conf = child;

    (void) cf;

    ngx_conf_merge_value(conf->advertise, prev->advertise, 0);

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_iri_header_init(ngx_conf_t *cf)
{
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    if (imcf->enabled) {
        ngx_http_iri_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_iri_header_filter;
    }

    return NGX_OK;
}
