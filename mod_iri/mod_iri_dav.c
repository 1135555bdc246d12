/*
 * mod_iri_dav.c - names on disk in the answers of mod_dav
 *
 * mod_dav lists a collection with <D:href> made of the octets of the disk.
 * A filter puts the names of the entries there, so that each href leads back
 * to its entry in whatever charset the tree is.  What is not below the
 * requested path, or has no name, stays as it is.
 */

#include "mod_iri.h"

#include <util_filter.h>

/* APR's macros of rings count offsets from NULL, which clang dislikes. */
#ifdef __clang__
#if __has_warning("-Wnull-pointer-subtraction")
#pragma clang diagnostic ignored "-Wnull-pointer-subtraction"
#endif
#endif

#define MOD_IRI_DAV_FILTER "IRI_DAV"
/* octets, else left alone */
#define MOD_IRI_HREF_MAX ((size_t) 4 * IRI_MAX_PATH)

static const char mod_iri_href_tag[] = "<D:href>";

typedef struct {
    size_t      matched; /* octets of the tag that were seen */
    size_t      len;     /* octets in href */
    int         inside;  /* 1: the content of a href is being collected */
    char       *href;    /* room for MOD_IRI_HREF_MAX and a NUL */
    const char *base;    /* unescaped path of the request, ends with "/" */
} mod_iri_dav_t;

/* ---- one href ----------------------------------------------------------- */

/* The path of an href, decoded; NULL: it is none. */
static char *
mod_iri_href_path(request_rec *r, const char *href)
{
    char *path, *at;

    path = apr_pstrdup(r->pool, href);
    for (at = path; (at = strstr(at, "&amp;")) != NULL; at++) {
        memmove(at + 1, at + 5, strlen(at + 5) + 1);
    }
    return *path == '/' && ap_unescape_url(path) == OK ? path : NULL;
}

/* What to write instead of an href; itself where it is right. */
static const char *
mod_iri_href(request_rec *r, const mod_iri_dav_t *dav)
{
    char         *path = mod_iri_href_path(r, dav->href);
    size_t        len = strlen(dav->base);
    const char   *names;
    iri_env_apr_t env;
    iri_str_t     uri;

    if (path == NULL || strncmp(path, dav->base, len) != 0
        || iri_is_ascii(mod_iri_str(path + len), 0))
    {
        return dav->href;
    }
    mod_iri_env(&env, r);
    names = mod_iri_names(r, &env, mod_iri_tree_known(r), path + len);
    if (names == NULL || strcmp(names, path + len) == 0
        || iri_path_to_uri(
               &env.env,
               mod_iri_str(apr_pstrcat(r->pool, dav->base, names, NULL)),
               &uri)
               != IRI_OK)
    {
        return dav->href;
    }
    return ap_escape_html(r->pool, mod_iri_dup(r->pool, uri));
}

/* ---- the filter --------------------------------------------------------- */

/* Content of an href; returns how many octets were taken. */
static size_t
mod_iri_dav_collect(ap_filter_t *f, apr_bucket_brigade *out,
                    mod_iri_dav_t *dav, const char *data, size_t len)
{
    const char *end = memchr(data, '<', len);
    size_t      n = end ? (size_t) (end - data) : len;
    int         full = n > MOD_IRI_HREF_MAX - dav->len;

    if (full) {
        n = MOD_IRI_HREF_MAX - dav->len;
    }
    memcpy(dav->href + dav->len, data, n);
    dav->len += n;
    if (end == NULL && !full) {
        return n;
    }
    dav->href[dav->len] = '\0';
    if (full) {
        apr_brigade_write(out, NULL, NULL, dav->href, dav->len);
    } else {
        apr_brigade_puts(out, NULL, NULL, mod_iri_href(f->r, dav));
    }
    dav->inside = 0;
    dav->len = 0;
    return n;
}

/* What stands before the content of an href; returns how many octets. */
static size_t
mod_iri_dav_skip(apr_bucket_brigade *out, mod_iri_dav_t *dav,
                 const char *data, size_t len)
{
    size_t i;

    for (i = 0; i < len && !dav->inside; i++) {
        if (data[i] != mod_iri_href_tag[dav->matched]) {
            dav->matched = data[i] == mod_iri_href_tag[0];
        } else if (++dav->matched == sizeof(mod_iri_href_tag) - 1) {
            dav->matched = 0;
            dav->inside = 1;
        }
    }
    apr_brigade_write(out, NULL, NULL, data, i);
    return i;
}

static void
mod_iri_dav_data(ap_filter_t *f, apr_bucket_brigade *out, mod_iri_dav_t *dav,
                 const char *data, size_t len)
{
    size_t n;

    while (len > 0) {
        n = dav->inside ? mod_iri_dav_collect(f, out, dav, data, len)
                        : mod_iri_dav_skip(out, dav, data, len);
        data += n;
        len -= n;
    }
}

/* An answer that ends within an href is sent as it is. */
static void
mod_iri_dav_end(apr_bucket_brigade *out, mod_iri_dav_t *dav)
{
    apr_brigade_write(out, NULL, NULL, dav->href, dav->len);
    dav->len = 0;
    dav->inside = 0;
}

static apr_status_t
mod_iri_dav_filter(ap_filter_t *f, apr_bucket_brigade *in)
{
    mod_iri_dav_t      *dav = f->ctx;
    apr_bucket_brigade *out = apr_brigade_create(f->r->pool,
                                                 f->c->bucket_alloc);
    apr_status_t        status;
    const char         *data;
    apr_size_t          len;

    while (!APR_BRIGADE_EMPTY(in)) {
        apr_bucket *bucket = APR_BRIGADE_FIRST(in);

        if (APR_BUCKET_IS_METADATA(bucket)) {
            if (APR_BUCKET_IS_EOS(bucket)) {
                mod_iri_dav_end(out, dav);
            }
            APR_BUCKET_REMOVE(bucket);
            APR_BRIGADE_INSERT_TAIL(out, bucket);
            continue;
        }
        status = apr_bucket_read(bucket, &data, &len, APR_BLOCK_READ);
        if (status != APR_SUCCESS) {
            return status;
        }
        mod_iri_dav_data(f, out, dav, data, len);
        apr_bucket_delete(bucket);
    }
    return ap_pass_brigade(f->next, out);
}

void
mod_iri_dav_register(void)
{
    ap_register_output_filter(MOD_IRI_DAV_FILTER, mod_iri_dav_filter, NULL,
                              AP_FTYPE_RESOURCE);
}

/* After fixups, where mod_dav takes a request over. */
void
mod_iri_dav_insert(request_rec *r)
{
    mod_iri_dav_t *dav;
    size_t         len = strlen(r->uri);

    if (mod_iri_server(r->server)->engine != IRI_ENGINE_ON || r->main != NULL
        || r->handler == NULL || strcmp(r->handler, "dav-handler") != 0
        || r->method_number == M_GET || r->uri[0] != '/'
        || r->filename == NULL)
    {
        return;
    }
    dav = apr_pcalloc(r->pool, sizeof(*dav));
    dav->href = apr_palloc(r->pool, MOD_IRI_HREF_MAX + 1);
    dav->base = apr_pstrcat(r->pool, r->uri,
                            r->uri[len - 1] == '/' ? NULL : "/", NULL);
    ap_add_output_filter(MOD_IRI_DAV_FILTER, dav, r, r->connection);
}
