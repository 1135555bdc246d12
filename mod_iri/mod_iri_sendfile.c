/*
 * mod_iri_sendfile.c - X-Sendfile: the canonical name of a file -> its octets
 *
 * An application answers with the path of a file, which mod_xsendfile opens.
 * If no entry has these octets, a filter before that of mod_xsendfile replaces
 * the path by that of the entry which has this name in another normalization
 * form or in a charset of its directory.  The application has decided that the
 * client may get the file of this name, so no other difference is ignored.
 */

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include <util_filter.h>

static ap_filter_rec_t *mod_iri_sendfile_handle;

/*
 * Returns: the octets on disk of a file; NULL: the path itself exists, or none
 * is found.  Only some versions of mod_xsendfile unescape the field, so a path
 * with "%" stays.
 */
static const char *
mod_iri_sendfile_find(request_rec *r, const char *path)
{
    const iri_env_t *env = mod_iri_env(r);
    iri_reading_t    reading;
    iri_search_t     search = { .prefix = 1, .canonical = 1 };
    iri_found_t      found;

    if (iri_path_is_ascii(mod_iri_str(path), 0) || strchr(path, '%') != NULL
        || !iri_is_new_path(mod_iri_str(path)) || mod_iri_exists(r, path)
        || mod_iri_read_internal(r->server, env, mod_iri_str(path), &reading)
               != IRI_OK
        || reading.form == IRI_FORM_INVALID)
    {
        return NULL;
    }
    search.root = mod_iri_str("/");
    search.path = reading.path;
    search.cache = mod_iri_server_conf(r->server)->cache;
    mod_iri_search_set_trees(r->server, env, &search);
    if (iri_find(env, &search, &found) != IRI_OK
        || found.verdict != IRI_SERVE) {
        return NULL;
    }
    path = mod_iri_dup(r->pool, found.filename);
    return mod_iri_exists(r, path) ? path : NULL;
}

static apr_status_t
mod_iri_sendfile_filter(ap_filter_t *f, apr_bucket_brigade *in)
{
    static const char field[] = "X-Sendfile";
    apr_table_t      *tables[] = { f->r->headers_out, f->r->err_headers_out };
    const char       *path;
    size_t            i;

    ap_remove_output_filter(f);
    for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        path = apr_table_get(tables[i], field);
        if (path != NULL
            && (path = mod_iri_sendfile_find(f->r, path)) != NULL) {
            apr_table_setn(tables[i], field, path);
        }
    }
    return ap_pass_brigade(f->next, in);
}

/* Runs after mod_xsendfile, which adds its filter only with XSendFile On. */
static void
mod_iri_sendfile_insert(request_rec *r)
{
    const ap_filter_t *f = r->output_filters;

    while (f != NULL && strcmp(f->frec->name, "xsendfile") != 0) {
        f = f->next;
    }
    if (f != NULL && r->main == NULL && mod_iri_is_on(r)) {
        ap_add_output_filter_handle(mod_iri_sendfile_handle, NULL, r,
                                    r->connection);
    }
}

void
mod_iri_sendfile_register(void)
{
    if (ap_find_linked_module("mod_xsendfile.c") != NULL) {
        mod_iri_sendfile_handle = ap_register_output_filter(
            "IRI_SENDFILE", mod_iri_sendfile_filter, NULL,
            AP_FTYPE_CONTENT_SET - 1);
        ap_hook_insert_filter(mod_iri_sendfile_insert, NULL, NULL,
                              APR_HOOK_LAST + 2);
    }
}
