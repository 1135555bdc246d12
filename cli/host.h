/*
 * host.h - what host.c needs of host_where.c, which calls nothing of it
 */

#ifndef CLI_HOST_H
#define CLI_HOST_H

#include "cli.h"

typedef struct {
    iri_host_conf_t host;
    int             is_name;      /* 1: a name as a configuration has it */
    int             to_unicode;
} host_conf_t;

/* Asks the core.  PASS: an IP literal, or a name in ASCII. */
iri_status_t host_ask(const iri_env_t *env, const host_conf_t *conf,
                      iri_str_t host, iri_host_t *out);

/* What a host is refused for. */
typedef struct {
    size_t  offset;      /* octets of the host before it */
    int32_t character;   /* negative: no single one */
} host_where_t;

/* Where the host is that was refused for this reason. */
host_where_t host_where(apr_pool_t *pool, const host_conf_t *conf,
                        iri_str_t host, iri_host_why_t why);

#endif /* CLI_HOST_H */
