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
    iri_position_t at;          /* of iri_host; line 0: default */
    unsigned selects:1;         /* 1: iri is on, and iri_host on or strict */
} ngx_http_iri_host_conf_t;

/* Returns: the settings of a server. */
ngx_http_iri_host_conf_t *ngx_http_iri_host_conf(
    ngx_http_core_srv_conf_t *cscf);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_HOST_H */
