/*
 * mod_iri_reading.c - the settings by which a path is read
 *
 * The settings depend on the origin of the path: the client, a rule or a
 * directive.
 */

#include "mod_iri_request.h"

/* Returns: the value of a hexadecimal digit, or -1. */
static inline int
mod_iri_hex(char c)
{
    unsigned digit = (unsigned char) c - '0';
    unsigned letter = ((unsigned char) c | 0x20) - 'a';

    return digit < 10 ? (int) digit : letter < 6 ? (int) letter + 10 : -1;
}

/*
 * Returns: 1 if a per-directory rule has redirected to a decoded path, which
 * httpd decodes again.  The rules have judged "%A6", sent as "%25A6", as these
 * three characters.  So a path that is decoded twice is read in UTF-8 only, and
 * is looked up as without this module.
 */
static int
mod_iri_is_decoded_again(const request_rec *r)
{
    const char *at;

    if (r->prev == NULL || mod_iri_is_error_page(r)) {
        return 0;
    }
    for (at = strchr(r->prev->uri, '%'); at != NULL; at = strchr(at + 1, '%'))
    {
        if (mod_iri_hex(at[1]) >= 8 && mod_iri_hex(at[2]) >= 0) {
            return 1;
        }
    }
    return 0;
}

/* Returns: the settings of a server without its charsets. */
static const iri_reading_conf_t *
mod_iri_utf8_conf(request_rec *r, const mod_iri_server_conf_t *conf)
{
    iri_reading_conf_t *utf8 = apr_pmemdup(r->pool, &conf->reading,
                                           sizeof(*utf8));

    utf8->charsets.count = 0;
    return utf8;
}

const iri_reading_conf_t *
mod_iri_reading_conf(request_rec *r, const mod_iri_server_conf_t *conf)
{
    const char *charsets;

    if (mod_iri_is_decoded_again(r)) {
        return mod_iri_utf8_conf(r, conf);
    }
    charsets = mod_iri_client_charsets(r, conf);
    return charsets != NULL ? mod_iri_client_conf(r, conf, charsets)
                            : &conf->reading;
}

iri_status_t
mod_iri_read_internal(const server_rec *s, const iri_env_t *env,
                      iri_str_t path, iri_reading_t *out)
{
    iri_reading_conf_t  conf = mod_iri_server_conf(s)->reading;
    iri_received_path_t request;
    iri_status_t        status;

    /* Only paths from clients are repaired. */
    conf.repair = 0;
    memset(&request, 0, sizeof(request));
    request.path = path;
    status = iri_read(env, &conf, &request, out);
    if (status == IRI_OK) {
        out->conf = &mod_iri_server_conf(s)->reading;
    }
    return status;
}
