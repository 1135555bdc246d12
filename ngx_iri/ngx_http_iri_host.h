/*
 * ngx_http_iri_host.h - the configuration of ngx_http_iri_host_module
 *
 * For its two files, ngx_http_iri_host.c and ngx_http_iri_names.c.
 */

#ifndef NGX_HTTP_IRI_HOST_H
#define NGX_HTTP_IRI_HOST_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* Of server{}.  That of the default server of an address applies there. */
typedef struct {
    ngx_uint_t configured;      /* iri_host: iri_host_mode_t */
    ngx_uint_t mode;            /* the same; off if iri is off */
    iri_host_conf_t rules;      /* for the core; no idna if iri is off */
    ngx_http_iri_directive_t *directive;    /* of iri_host; NULL: default */
    unsigned in_server:1;       /* iri_host is in the server itself */
    unsigned selects:1;         /* 1: iri is on, and iri_host on or strict */
} ngx_http_iri_host_conf_t;

/* Returns: the settings of a server. */
ngx_http_iri_host_conf_t *ngx_http_iri_host_conf(
    ngx_http_core_srv_conf_t *cscf);

/*
 * Add the A-labels of the names of all servers to these names, and set
 * $server_name to them.  Warn of names that cannot be mapped or belong to
 * another server, and (even if iri is off everywhere) of an iri_host without
 * effect.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_names_init(ngx_conf_t *cf);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_HOST_H */
