/*
 * ngx_http_iri_host.h - iri_host: ngx_http_iri_host_module
 */

#ifndef NGX_HTTP_IRI_HOST_H
#define NGX_HTTP_IRI_HOST_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/*
 * The server configuration.  For requests to a listening address, that of its
 * default server applies.
 */
typedef struct {
    ngx_uint_t configured;      /* iri_host: iri_host_mode_t */
    ngx_uint_t mode;            /* configured; off if iri is off */
    iri_host_conf_t rules;      /* for the core; no idna if iri is off */
    iri_position_t position;    /* of iri_host; line 0: no such directive */
    unsigned selects:1;         /* 1: iri is on, and iri_host on or strict */
} ngx_http_iri_host_conf_t;

/* Returns: the iri_host of a server. */
static inline ngx_http_iri_host_conf_t *
ngx_http_iri_host_conf(ngx_http_core_srv_conf_t *cscf)
{
    return ngx_http_get_module_srv_conf(cscf->ctx, ngx_http_iri_host_module);
}


/* ---- ngx_http_iri_host.c ------------------------------------------------ */

/* Returns: how the server of r maps host names, for functions of the core. */
const iri_host_conf_t *ngx_http_iri_host_rules(ngx_http_request_t *r);

/*
 * Map a host name by the iri_host that applies to r, and set *name to its
 * A-labels without a final dot: "bücher.example" → "xn--bcher-kva.example".
 * Returns: NGX_OK; NGX_DECLINED if octets are these A-labels already, or are
 * not a host name, or iri_host is off; NGX_ERROR.
 */
ngx_int_t ngx_http_iri_host_map(ngx_http_request_t *r, iri_str_t octets,
    ngx_str_t *name);


/* ---- ngx_http_iri_names.c ----------------------------------------------- */

/*
 * Add the A-labels of each name of a server to the names of that server, and
 * set $server_name to the A-labels of its first name.  To be called before
 * ngx_http_iri_check().  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_names_init(ngx_conf_t *cf);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_HOST_H */
