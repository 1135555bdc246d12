/*
 * ngx_http_iri_advertise.c - iri_advertise: the "inturi" header field
 *
 * The field "inturi" of draft-masinter-url-i18n-05, section 4.2.1, has the
 * value "utf8": the module accepts paths in raw and in percent-encoded UTF-8.
 * The header filter (ngx_http_iri_header.c) adds the field to every answer to
 * OPTIONS, including errors and answers of upstreams.
 */

#include "ngx_http_iri.h"


char *
ngx_http_iri_advertise(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char                    *error;
    ngx_http_iri_srv_conf_t *iscf = conf;

    error = ngx_conf_set_flag_slot(cf, cmd, conf);
    if (error != NGX_CONF_OK || !iscf->advertise) {
        return error;
    }

    return ngx_http_iri_check_setting(cf, NULL);
}


void
ngx_http_iri_advertise_merge(const ngx_http_iri_srv_conf_t *prev,
                             ngx_http_iri_srv_conf_t       *conf)
{
    if (conf->advertise == NGX_CONF_UNSET) {
        conf->advertise = prev->advertise == 1;
    }
}


/* Replace an "inturi" field of the upstream, which describes the upstream. */
ngx_int_t
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
