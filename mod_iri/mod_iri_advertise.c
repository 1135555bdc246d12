/*
 * mod_iri_advertise.c - the inturi field in answers to OPTIONS
 *
 * Implements the field "inturi" of draft-masinter-url-i18n-05, 4.2.1.  Its
 * value is "utf8": the core accepts paths in percent-encoded and in raw UTF-8.
 * The field is set in err_headers_out, which error pages and mod_proxy do not
 * replace, and in post_read_request, because "OPTIONS *" ends in
 * map_to_storage.
 */

#include "mod_iri_hooks.h"

#define MOD_IRI_INTURI "inturi"

static int
mod_iri_advertises(const request_rec *r)
{
    const mod_iri_server_conf_t *conf = mod_iri_server_conf(r->server);

    return r->method_number == M_OPTIONS && conf->advertise == 1
           && conf->engine == IRI_ENGINE_ON && r->main == NULL;
}

int
mod_iri_advertise(request_rec *r)
{
    if (mod_iri_advertises(r)) {
        apr_table_setn(r->err_headers_out, MOD_IRI_INTURI, "utf8");
    }
    return DECLINED;
}

/*
 * Remove the field of an upstream: it describes the upstream, not this
 * server.
 */
static apr_status_t
mod_iri_advertise_filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    apr_table_unset(f->r->headers_out, MOD_IRI_INTURI);
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, bb);
}

void
mod_iri_advertise_insert(request_rec *r)
{
    if (mod_iri_advertises(r)) {
        ap_add_output_filter("IRI_ADVERTISE", NULL, r, r->connection);
    }
}

void
mod_iri_advertise_register(void)
{
    ap_register_output_filter("IRI_ADVERTISE", mod_iri_advertise_filter, NULL,
                              AP_FTYPE_CONTENT_SET);
}
