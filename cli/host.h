/*
 * host.h - declarations that host.c and host_locate.c share
 */

#ifndef CLI_HOST_H
#define CLI_HOST_H

#include "cli.h"

typedef struct {
    cli_common_t    common;
    iri_host_conf_t host;
    int             is_name;      /* 1: a name of a configuration (--name) */
    int             to_unicode;   /* 1: the answer is in Unicode, else ASCII */
} host_conf_t;

/*
 * Read a host as conf specifies.  Verdict PASS: an IP literal, or with --name a
 * name in ASCII.
 */
iri_status_t host_read(const iri_env_t *env, const host_conf_t *conf,
                      iri_str_t host, iri_host_t *out);

/* The cause of a refusal in a host. */
typedef struct {
    size_t  offset;      /* octets of the host before the cause; 0 if it is not
                            known */
    int32_t character;   /* the cause; negative: not a single character */
} host_location_t;

/* Locate the cause in a host that was refused for a reason. */
host_location_t host_locate(apr_pool_t *pool, const host_conf_t *conf,
                        iri_str_t host, iri_host_why_t why);

#endif /* CLI_HOST_H */
