/*
 * mod_iri_dav.c - WebDAV: hrefs of answers, the If field, Destination
 *
 * mod_dav writes <D:href> elements with octets on disk.  An output filter
 * replaces these by names of entries, so that each href leads back to its
 * entry.  mod_dav compares the resource tags of If (RFC 4918, 10.4) octet by
 * octet with r->uri, or, below a collection, with r->uri and octets on disk.  So
 * each tag is replaced by the path that it compares.
 *
 * Names in repositories of other providers than mod_dav_fs are not changed.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_DEFAULT */
#endif

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include "iri_dav.h"

#include <dlfcn.h>
#include <util_filter.h>

#define MOD_IRI_DAV_FILTER "IRI_DAV"
#define MOD_IRI_DAV_DESTINATION                                              \
    "iri-destination"                  /* note: path of Destination */
#define MOD_IRI_DAV_WHY "iri-conflict" /* note: reason of 409 */

typedef struct {
    iri_multistatus_t  *multistatus; /* NULL: the body has not begun */
    apr_bucket_brigade *out;         /* output of the current call */
    int                 replaced;    /* 1: the new body was sent */
    int                 sent;        /* 1: part of the body was sent */
    int                 failed;      /* 1: discard the rest of the body */
} mod_iri_dav_t;

/* Is the provider that of mod_dav_fs?  mod_dav may not be loaded. */
static int
mod_iri_dav_is_filesystem(request_rec *r)
{
    const char *(*provider)(request_rec *);
    const char *name;

    *(void **) &provider = dlsym(RTLD_DEFAULT, "dav_get_provider_name");
    if (provider == NULL) {
        return 0;
    }
    name = provider(r);
    return name != NULL && strcmp(name, "filesystem") == 0;
}

static int
mod_iri_dav_applies(request_rec *r)
{
    return mod_iri_is_on(r) && r->handler != NULL
           && strcmp(r->handler, "dav-handler") == 0 && r->uri[0] == '/'
           && r->filename != NULL && mod_iri_dav_is_filesystem(r);
}

static int
mod_iri_dav_is_copy_or_move(const request_rec *r)
{
    return r->method_number == M_COPY || r->method_number == M_MOVE;
}

/* ---- output filter ------------------------------------------------------ */

/* Append the new octets for a bucket, or the bucket of metadata, to dav->out. */
static apr_status_t
mod_iri_dav_bucket(mod_iri_dav_t *dav, apr_bucket *bucket)
{
    int          is_metadata = APR_BUCKET_IS_METADATA(bucket);
    const char  *data = NULL;
    apr_size_t   len = 0;
    apr_status_t status = APR_SUCCESS;
    iri_str_t    octets, out;

    if (!is_metadata) {
        status = apr_bucket_read(bucket, &data, &len, APR_BLOCK_READ);
    }
    octets = mod_iri_substr(data, len);
    do {
        if (status != APR_SUCCESS
            || iri_multistatus_convert(dav->multistatus, &octets,
                                       APR_BUCKET_IS_EOS(bucket), &out)
                   != IRI_OK)
        {
            return APR_ENOMEM;
        }
        if (out.len > 0) {
            status = apr_brigade_write(dav->out, NULL, NULL,
                                       (const char *) out.data, out.len);
        }
    } while (octets.len > 0);
    if (is_metadata) {
        APR_BUCKET_REMOVE(bucket);
        APR_BRIGADE_INSERT_TAIL(dav->out, bucket);
    } else {
        apr_bucket_delete(bucket);
    }
    return status;
}

/* mod_dav reports an error of a Destination without its reason. */
static apr_status_t
mod_iri_dav_replace_body(ap_filter_t *f, apr_bucket_brigade *in,
                         mod_iri_dav_t *dav, const char *why)
{
    if (dav->replaced) {
        why = "";
    } else {
        dav->replaced = 1;
        why = apr_pstrcat(f->r->pool,
                          "<html><head>\n<title>409 Conflict</title>\n"
                          "</head><body>\n<h1>Conflict</h1>\n<p>",
                          why, "</p>\n</body></html>\n", NULL);
    }
    mod_iri_replace_data(f->r, in, mod_iri_str(why));
    return ap_pass_brigade(f->next, in);
}

/*
 * Send an error, or close the connection in the middle of an answer.  mod_dav
 * ignores errors of filters and continues to write.
 */
static apr_status_t
mod_iri_dav_fail(ap_filter_t *f, mod_iri_dav_t *dav)
{
    apr_bucket_brigade *error;

    mod_iri_note(f->r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_MULTISTATUS),
                 "cannot replace the names in a WebDAV answer");
    dav->failed = 1;
    f->r->connection->keepalive = AP_CONN_CLOSE;
    if (dav->sent) {
        f->r->connection->aborted = 1;
        return APR_ECONNABORTED;
    }
    error = apr_brigade_create(f->r->pool, f->c->bucket_alloc);
    APR_BRIGADE_INSERT_TAIL(
        error, ap_bucket_error_create(HTTP_INTERNAL_SERVER_ERROR, NULL,
                                      f->r->pool, f->c->bucket_alloc));
    APR_BRIGADE_INSERT_TAIL(error, apr_bucket_eos_create(f->c->bucket_alloc));
    (void) ap_pass_brigade(f->next, error);
    return APR_ENOMEM;
}

static apr_status_t
mod_iri_dav_filter(ap_filter_t *f, apr_bucket_brigade *in)
{
    mod_iri_dav_t *dav = f->ctx;
    request_rec   *r = f->r;
    const char    *why = apr_table_get(r->notes, MOD_IRI_DAV_WHY);
    const char    *to = apr_table_get(r->notes, MOD_IRI_DAV_DESTINATION);
    apr_status_t   status;
    iri_multistatus_conf_t conf = { .base = { mod_iri_str(r->uri),
                                              mod_iri_str(to ? to : "") } };

    if (dav->failed) {
        apr_brigade_cleanup(in);
        return APR_ENOMEM;
    }
    if (APR_BRIGADE_EMPTY(in)) {
        return ap_pass_brigade(f->next, in);
    }
    if (why != NULL && r->status == HTTP_CONFLICT) {
        return mod_iri_dav_replace_body(f, in, dav, why);
    }
    if (dav->multistatus == NULL) {
        /* the XML of a multistatus, with any HTTP status, or of a lock */
        if (r->content_type == NULL
            || (strncasecmp(r->content_type, "text/xml", 8) != 0
                && strncasecmp(r->content_type, "application/xml", 15) != 0))
        {
            ap_remove_output_filter(f);
            return ap_pass_brigade(f->next, in);
        }
        conf.tree = mod_iri_tree_of_filename(r);
        if (iri_multistatus_create(mod_iri_env(r), &conf, &dav->multistatus)
            != IRI_OK)
        {
            return mod_iri_dav_fail(f, dav);
        }
        dav->out = apr_brigade_create(r->pool, f->c->bucket_alloc);
    }
    while (!APR_BRIGADE_EMPTY(in)) {
        status = mod_iri_dav_bucket(dav, APR_BRIGADE_FIRST(in));
        if (status != APR_SUCCESS) {
            return mod_iri_dav_fail(f, dav);
        }
    }
    dav->sent = 1;
    status = ap_pass_brigade(f->next, dav->out);
    apr_brigade_cleanup(dav->out);
    return status;
}

void
mod_iri_dav_register(void)
{
    ap_register_output_filter(MOD_IRI_DAV_FILTER, mod_iri_dav_filter, NULL,
                              AP_FTYPE_RESOURCE);
}

/* ---- the If field ------------------------------------------------------- */

/*
 * Returns: the path that mod_dav computes for found while it walks below r,
 * with octets on disk; NULL: it is that of found.
 */
static const char *
mod_iri_dav_native_path(request_rec *r, const request_rec *found)
{
    size_t      uri = strlen(r->uri);
    const char *base = apr_pstrcat(
        r->pool, r->uri, uri > 0 && r->uri[uri - 1] == '/' ? NULL : "/",
        NULL);
    size_t      len = strlen(r->filename);
    const char *octets;

    while (len > 1 && r->filename[len - 1] == '/') {
        len--;
    }
    if (strncmp(found->uri, base, strlen(base)) != 0
        || found->filename == NULL
        || strncmp(found->filename, r->filename, len) != 0
        || found->filename[len] != '/')
    {
        return NULL;
    }
    octets = apr_pstrcat(r->pool, base, found->filename + len + 1,
                         found->path_info, NULL);
    return strcmp(octets, found->uri) != 0 ? octets : NULL;
}

/*
 * iri_if_map_t.  A subrequest is needed, because the disk may decide which
 * reading applies.  Its access is not checked: mod_dav only compares the path.
 */
static iri_status_t
mod_iri_dav_find_tag(void *arg, iri_str_t path, iri_str_t paths[2])
{
    request_rec *r = arg, *found;
    const char  *native;

    found = ap_sub_req_lookup_uri(mod_iri_dup(r->pool, path), r, NULL);
    if (found->uri != NULL && found->uri[0] == '/') {
        paths[0] = mod_iri_str(found->uri);
        native = mod_iri_dav_native_path(r, found);
        if (native != NULL) {
            paths[1] = mod_iri_str(native);
        }
    }
    return IRI_OK;
}

static void
mod_iri_dav_map_if(request_rec *r)
{
    const char  *value = apr_table_get(r->headers_in, "If");
    iri_if_map_t map = { mod_iri_dav_find_tag, r, 0, 0 };
    iri_str_t    out;

    if (value != NULL
        && iri_if_field_map(mod_iri_env(r), mod_iri_str(value), &map, &out)
               == IRI_OK)
    {
        apr_table_setn(r->headers_in, "If", (const char *) out.data);
    }
}

int
mod_iri_refuse_conflict(request_rec *r, iri_why_t why)
{
    const char *text = iri_conflict_text(why);

    if (r->main != NULL) {
        apr_table_setn(r->main->notes, MOD_IRI_DAV_WHY, text);
    }
    apr_table_setn(r->notes, "error-notes", text);
    apr_table_setn(r->notes, "verbose-error-to", "*");
    return HTTP_CONFLICT;
}

int
mod_iri_dav_is_destination(const request_rec *r)
{
    return r->main != NULL && mod_iri_dav_is_copy_or_move(r->main)
           && mod_iri_dav_is_copy_or_move(r);
}

/* r: the subrequest for the Destination of COPY or MOVE. */
static int
mod_iri_dav_check_transfer(request_rec *r)
{
    const char    *depth = apr_table_get(r->headers_in, "Depth");
    iri_transfer_t transfer = {
        .path = mod_iri_str(r->uri),
        .source = mod_iri_str(r->main->filename),
        .destination = mod_iri_str(
            apr_pstrcat(r->pool, r->filename, r->path_info, NULL)),
        .members = r->main->finfo.filetype == APR_DIR
                   && (depth == NULL || strcmp(depth, "0") != 0),
        .from = mod_iri_tree_of_filename(r->main),
        .to = mod_iri_tree_of_filename(r)
    };
    int status = iri_request_transfer(mod_iri_env(r), &transfer);

    return status == 0 ? DECLINED
           : status == HTTP_CONFLICT
               ? mod_iri_refuse_conflict(r, transfer.why)
               : status;
}

/*
 * Runs last in fixups: access is granted.  mod_dav validates If again with the
 * header fields of the subrequest for the Destination.
 */
int
mod_iri_dav_fixups(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx != NULL) {
        iri_request_granted(ctx->state);
    }
    if (!mod_iri_dav_is_destination(r) || !mod_iri_dav_applies(r->main)) {
        return DECLINED;
    }
    apr_table_setn(r->main->notes, MOD_IRI_DAV_DESTINATION,
                   apr_pstrdup(r->main->pool, r->uri));
    mod_iri_dav_map_if(r);
    return r->filename != NULL ? mod_iri_dav_check_transfer(r) : DECLINED;
}

/* Runs after fixups, in which the handler of mod_dav was set. */
void
mod_iri_dav_insert(request_rec *r)
{
    if (r->main != NULL || !mod_iri_dav_applies(r)) {
        return;
    }
    mod_iri_dav_map_if(r);
    if (r->method_number != M_GET && r->method_number != M_POST) {
        ap_add_output_filter(MOD_IRI_DAV_FILTER,
                             apr_pcalloc(r->pool, sizeof(mod_iri_dav_t)), r,
                             r->connection);
    }
}
