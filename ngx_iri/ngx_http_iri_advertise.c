/*
 * ngx_http_iri_advertise.c - what answers to OPTIONS say of IRIs
 *
 * The field "inturi" of draft-masinter-url-i18n-05, 4.2.1: "utf8", for what
 * the core reads it takes percent-encoded and as raw UTF-8.  It is put into
 * whatever answers to OPTIONS, an error and an upstream's answer too, by the
 * header filter of ngx_http_iri_phases.c.
 */

#include "ngx_http_iri.h"


char *
ngx_http_iri_advertise(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char                     *error;
    ngx_http_iri_place_t    **place;
    ngx_http_iri_srv_conf_t  *iscf = conf;
    ngx_http_iri_main_conf_t *imcf;

    error = ngx_conf_set_flag_slot(cf, cmd, conf);
    if (error != NGX_CONF_OK || !iscf->advertise) {
        return error;
    }

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    place = ngx_array_push(&imcf->advertises);
    if (place == NULL) {
        return NGX_CONF_ERROR;
    }

    *place = ngx_http_iri_conf_place(cf);
    iscf->advertise_place = *place;

    return *place != NULL ? NGX_CONF_OK : NGX_CONF_ERROR;
}


void
ngx_http_iri_advertise_merge(const ngx_http_iri_srv_conf_t *prev,
                             ngx_http_iri_srv_conf_t       *conf)
{
    if (conf->advertise == NGX_CONF_UNSET) {
        conf->advertise = prev->advertise == 1;
        conf->advertise_place = prev->advertise_place;
    }

    if (conf->advertise && conf->engine != IRI_ENGINE_OFF) {
        conf->advertise_place->used = 1;
    }
}


void
ngx_http_iri_advertise_check(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_http_iri_place_t    **place;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    place = imcf->advertises.elts;

    for (i = 0; i < imcf->advertises.nelts; i++) {
        if (!place[i]->used) {
            ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                          "iri: \"iri_advertise\" in %V:%ui does nothing, "
                          "since \"iri\" is off there: write \"iri on;\" in "
                          "the server",
                          &place[i]->file, place[i]->line);
        }
    }
}


/* What an upstream says of itself does not concern the client. */
ngx_int_t
ngx_http_iri_write_advertised(ngx_http_request_t *r)
{
    ngx_uint_t       i;
    ngx_list_part_t *part;
    ngx_table_elt_t *h;

    static const char name[] = "inturi";

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

    return ngx_http_iri_header_add(r, name, "utf8");
}
