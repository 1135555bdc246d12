/*
 * mod_iri_dav.c - what mod_dav says and compares
 *
 * mod_dav lists a collection with <D:href> made of the octets of the disk: a
 * filter puts the names of the entries there, so that each href leads back to
 * its entry in whatever charset the tree is.  And it compares the resource
 * tags of If with r->uri, octet for octet, or, in the depth of a collection,
 * with r->uri and octets of the disk: so each tag becomes what mod_dav will
 * look for.  All of this is for files; of what other repositories there are
 * (Subversion's) nothing is known here, and nothing is changed.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_DEFAULT */
#endif

#include "mod_iri.h"

#include <dlfcn.h>
#include <util_filter.h>

/* APR's macros of rings count offsets from NULL, which clang dislikes. */
#ifdef __clang__
#if __has_warning("-Wnull-pointer-subtraction")
#pragma clang diagnostic ignored "-Wnull-pointer-subtraction"
#endif
#endif

#define MOD_IRI_DAV_FILTER "IRI_DAV"
#define MOD_IRI_DAV_TO     "iri-destination" /* a note: canonical path */
#define MOD_IRI_DAV_WHY    "iri-conflict"    /* a note: text for the client */
#define MOD_IRI_MAX_TAGS   8 /* that are looked for in a request */

typedef struct {
    iri_env_apr_t       env;
    iri_multistatus_t  *answer; /* NULL until the answer is there */
    apr_bucket_brigade *out;    /* of this call */
    int                 said;   /* 1: all of the body is replaced */
    int                 sent;   /* 1: some of it has gone out */
    int                 failed; /* 1: nothing follows */
} mod_iri_dav_t;

/* ---- whose business it is ----------------------------------------------- */

typedef const char *(*mod_iri_provider_t)(request_rec *r);

/*
 * mod_dav may be missing, so it is asked for by name.  "filesystem" is that
 * of mod_dav_fs.
 */
static int
mod_iri_dav_is_of_files(request_rec *r)
{
    mod_iri_provider_t provider;
    const char        *name;

    *(void **) &provider = dlsym(RTLD_DEFAULT, "dav_get_provider_name");
    if (provider == NULL) {
        return 0;
    }
    name = provider(r);
    return name != NULL && strcmp(name, "filesystem") == 0;
}

static int
mod_iri_dav_concerns(request_rec *r)
{
    return mod_iri_server(r->server)->engine == IRI_ENGINE_ON
           && r->handler != NULL && strcmp(r->handler, "dav-handler") == 0
           && r->uri[0] == '/' && r->filename != NULL
           && mod_iri_dav_is_of_files(r);
}

static int
mod_iri_dav_copies(const request_rec *r)
{
    return r->method_number == M_COPY || r->method_number == M_MOVE;
}

/* What is below a path begins with it. */
static const char *
mod_iri_dav_base(request_rec *r, const char *path)
{
    size_t len = strlen(path);

    return apr_pstrcat(r->pool, path,
                       len > 0 && path[len - 1] == '/' ? NULL : "/", NULL);
}

/* ---- the filter --------------------------------------------------------- */

static iri_status_t
mod_iri_dav_put(void *arg, const unsigned char *data, size_t len)
{
    mod_iri_dav_t *dav = arg;

    return apr_brigade_write(dav->out, NULL, NULL, (const char *) data, len)
                   == APR_SUCCESS
               ? IRI_OK
               : IRI_NO_MEMORY;
}

/* A multistatus, of whatever status: 424, too; or a lock. */
static int
mod_iri_dav_is_xml(const request_rec *r)
{
    return r->content_type != NULL
           && (strncasecmp(r->content_type, "text/xml", 8) == 0
               || strncasecmp(r->content_type, "application/xml", 15) == 0);
}

static iri_status_t
mod_iri_dav_begin(request_rec *r, mod_iri_dav_t *dav)
{
    const char            *to = apr_table_get(r->notes, MOD_IRI_DAV_TO);
    iri_multistatus_conf_t conf;

    memset(&conf, 0, sizeof(conf));
    conf.tree = mod_iri_tree_within(r);
    conf.base[0] = mod_iri_str(mod_iri_dav_base(r, r->uri));
    if (to != NULL) {
        conf.base[1] = mod_iri_str(mod_iri_dav_base(r, to));
    }
    mod_iri_env(&dav->env, r);
    return iri_multistatus_create(&dav->env.env, &conf, &dav->answer);
}

/* One bucket; metadata goes on as it is. */
static apr_status_t
mod_iri_dav_bucket(mod_iri_dav_t *dav, apr_bucket *bucket)
{
    apr_status_t status;
    const char  *data;
    apr_size_t   len;
    iri_str_t    octets;

    if (APR_BUCKET_IS_METADATA(bucket)) {
        if (APR_BUCKET_IS_EOS(bucket)
            && iri_multistatus_end(dav->answer, mod_iri_dav_put, dav)
                   != IRI_OK)
        {
            return APR_ENOMEM;
        }
        APR_BUCKET_REMOVE(bucket);
        APR_BRIGADE_INSERT_TAIL(dav->out, bucket);
        return APR_SUCCESS;
    }
    status = apr_bucket_read(bucket, &data, &len, APR_BLOCK_READ);
    if (status != APR_SUCCESS) {
        return status;
    }
    octets.data = (const unsigned char *) data;
    octets.len = len;
    if (iri_multistatus_feed(dav->answer, octets, mod_iri_dav_put, dav)
        != IRI_OK) {
        return APR_ENOMEM;
    }
    apr_bucket_delete(bucket);
    return APR_SUCCESS;
}

/*
 * Of a Destination that had an error mod_dav says no more than that: here is
 * why nothing can be made there.
 */
static apr_status_t
mod_iri_dav_say(ap_filter_t *f, apr_bucket_brigade *in, mod_iri_dav_t *dav,
                const char *why)
{
    apr_bucket *bucket, *next;

    for (bucket = APR_BRIGADE_FIRST(in); bucket != APR_BRIGADE_SENTINEL(in);
         bucket = next)
    {
        next = APR_BUCKET_NEXT(bucket);
        if (!APR_BUCKET_IS_METADATA(bucket)) {
            apr_bucket_delete(bucket);
        }
    }
    if (!dav->said) {
        dav->said = 1;
        why = apr_pstrcat(f->r->pool,
                          "<html><head>\n<title>409 Conflict</title>\n"
                          "</head><body>\n<h1>Conflict</h1>\n<p>",
                          why, "</p>\n</body></html>\n", NULL);
        bucket = apr_bucket_pool_create(why, strlen(why), f->r->pool,
                                        f->c->bucket_alloc);
        APR_BRIGADE_INSERT_HEAD(in, bucket);
    }
    return ap_pass_brigade(f->next, in);
}

/*
 * mod_dav goes on writing whatever a filter says.  So that half an answer is
 * taken for none there is an error in its place, or its connection ends.
 */
static apr_status_t
mod_iri_dav_fail(ap_filter_t *f, mod_iri_dav_t *dav)
{
    apr_bucket_brigade *error;

    mod_iri_note(f->r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_MULTISTATUS),
                 "the names of an answer could not be told");
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
    const char    *why = apr_table_get(f->r->notes, MOD_IRI_DAV_WHY);
    apr_status_t   status;

    if (dav->failed) {
        apr_brigade_cleanup(in);
        return APR_ENOMEM;
    }

    if (APR_BRIGADE_EMPTY(in)) {
        return ap_pass_brigade(f->next, in);
    }
    if (why != NULL && f->r->status == HTTP_CONFLICT) {
        return mod_iri_dav_say(f, in, dav, why);
    }
    if (dav->answer == NULL) {
        if (!mod_iri_dav_is_xml(f->r)) {
            ap_remove_output_filter(f);
            return ap_pass_brigade(f->next, in);
        }
        if (mod_iri_dav_begin(f->r, dav) != IRI_OK) {
            return mod_iri_dav_fail(f, dav);
        }
    }
    if (dav->out == NULL) {
        dav->out = apr_brigade_create(f->r->pool, f->c->bucket_alloc);
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

/* ---- If ----------------------------------------------------------------- */

typedef struct {
    request_rec *r;     /* that mod_dav will compare with */
    const char  *base;  /* what is below r->uri begins with it */
    int          looks; /* so far */
} mod_iri_tags_t;

static iri_str_t
mod_iri_dav_uri(request_rec *r, const char *path)
{
    iri_env_apr_t env;
    iri_str_t     uri;

    mod_iri_env(&env, r);
    return iri_path_to_uri(&env.env, mod_iri_str(path), &uri) == IRI_OK
               ? uri
               : (iri_str_t){ 0, NULL };
}

/* As mod_dav will find it when it goes down from r. */
static void
mod_iri_dav_below(mod_iri_tags_t *tags, const request_rec *found,
                  iri_str_t paths[2])
{
    request_rec *r = tags->r;
    size_t       len = strlen(r->filename);
    const char  *octets, *names = found->uri + strlen(tags->base);

    while (len > 1 && r->filename[len - 1] == '/') {
        len--;
    }
    if (strncmp(found->uri, tags->base, strlen(tags->base)) != 0
        || found->filename == NULL
        || strncmp(found->filename, r->filename, len) != 0
        || found->filename[len] != '/')
    {
        return;
    }
    octets = apr_pstrcat(r->pool, found->filename + len + 1, found->path_info,
                         NULL);
    if (strcmp(octets, names) != 0) {
        paths[1] = mod_iri_dav_uri(
            r, apr_pstrcat(r->pool, tags->base, octets, NULL));
    }
}

/*
 * The canonical path of a tag: by a subrequest, since which reading counts may
 * be for the disk to say.  Whether the client may have what it names is not
 * asked: mod_dav only compares.
 */
static iri_status_t
mod_iri_dav_tag(void *arg, iri_str_t path, iri_str_t paths[2])
{
    mod_iri_tags_t *tags = arg;
    request_rec    *r = tags->r, *found;
    iri_str_t       uri;

    if (iri_path_is_ascii(path, 1) || tags->looks == MOD_IRI_MAX_TAGS) {
        return IRI_OK;
    }
    tags->looks++;
    found = ap_sub_req_lookup_uri(mod_iri_dup(r->pool, path), r, NULL);
    if (found->uri == NULL || found->uri[0] != '/') {
        return IRI_OK;
    }
    uri = mod_iri_dav_uri(r, found->uri);
    if (uri.len > 0) {
        paths[0] = uri;
        mod_iri_dav_below(tags, found, paths);
    }
    return IRI_OK;
}

static void
mod_iri_dav_tags(request_rec *r)
{
    const char    *value = apr_table_get(r->headers_in, "If");
    mod_iri_tags_t tags = { r, NULL, 0 };
    iri_env_apr_t  env;
    iri_str_t      out;

    if (value == NULL || strchr(value, '<') == NULL) {
        return;
    }
    tags.base = mod_iri_dav_base(r, r->uri);
    mod_iri_env(&env, r);
    if (iri_if_field_map(&env.env, mod_iri_str(value), mod_iri_dav_tag, &tags,
                         &out)
        == IRI_OK)
    {
        apr_table_setn(r->headers_in, "If", mod_iri_dup(r->pool, out));
    }
}

/* ---- hooks -------------------------------------------------------------- */

int
mod_iri_dav_conflict(request_rec *r, iri_why_t why)
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
    return r->main != NULL && mod_iri_dav_copies(r->main)
           && mod_iri_dav_copies(r);
}

/*
 * mod_dav_fs compares names, and would copy a collection into itself, level
 * by level until the disk is full, where a link leads there.  Depth 0 takes
 * nothing of what is in it.
 */
static int
mod_iri_dav_apart(request_rec *r)
{
    const char    *depth = apr_table_get(r->headers_in, "Depth");
    const char    *to = apr_pstrcat(r->pool, r->filename, r->path_info, NULL);
    iri_env_apr_t  env;
    iri_relation_t relation;

    mod_iri_env(&env, r);
    if (iri_path_relation(&env.env, mod_iri_str(r->main->filename),
                          mod_iri_str(to), &relation)
        != IRI_OK)
    {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return relation == IRI_RELATION_NONE
                   || (relation == IRI_RELATION_INSIDE && depth != NULL
                       && strcmp(depth, "0") == 0)
               ? DECLINED
               : HTTP_FORBIDDEN;
}

/* mod_dav_fs copies a collection with the octets of all that is in it. */
static int
mod_iri_dav_keeps(request_rec *r)
{
    const char *depth = apr_table_get(r->headers_in, "Depth");

    return r->main->finfo.filetype != APR_DIR
                   || (depth != NULL && strcmp(depth, "0") == 0)
                   || iri_tree_preserves_names(mod_iri_tree_within(r->main),
                                               mod_iri_tree_within(r))
               ? DECLINED
               : mod_iri_dav_conflict(r, IRI_WHY_OTHER_TREE);
}

/*
 * The last of fixups: mod_dav looks its Destination up by a subrequest, and
 * validates If for that one, too, with fields that are those of the request.
 */
int
mod_iri_dav_fixups(request_rec *r)
{
    int status;

    if (!mod_iri_dav_is_destination(r) || !mod_iri_dav_concerns(r->main)) {
        return DECLINED;
    }
    apr_table_setn(r->main->notes, MOD_IRI_DAV_TO,
                   apr_pstrdup(r->main->pool, r->uri));
    mod_iri_dav_tags(r);
    if (r->filename == NULL) {
        return DECLINED;
    }
    status = mod_iri_dav_apart(r);
    return status == DECLINED ? mod_iri_dav_keeps(r) : status;
}

/* After fixups, where mod_dav takes a request over. */
void
mod_iri_dav_insert(request_rec *r)
{
    if (r->main != NULL || !mod_iri_dav_concerns(r)) {
        return;
    }
    mod_iri_dav_tags(r);
    if (r->method_number != M_GET && r->method_number != M_POST) {
        ap_add_output_filter(MOD_IRI_DAV_FILTER,
                             apr_pcalloc(r->pool, sizeof(mod_iri_dav_t)), r,
                             r->connection);
    }
}
