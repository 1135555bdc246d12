/*
 * mod_iri_listing.c - directory listings, and choices (300)
 *
 * Lists a directory as mod_autoindex does, but with canonical names in UTF-8, on
 * a page of the core.  An entry is listed only if its own path leads to it and
 * the client may get it, which a probe tests (mod_iri_probe.c), in the order of
 * the page, until it has its 1,000 names.
 *
 * With IRIAmbiguous 300 the client gets a list of the names that a request may
 * refer to, after the rules of the requested path have granted access, but only
 * of those that it may get.  If there is none, the name counts as absent.
 */

#include <unistd.h>

#include "mod_iri_hooks.h"
#include "mod_iri_request.h"

#include "iri_listing.h"

#include <apr_file_info.h>
#include <util_script.h>

/* A note: the user that was authenticated for the directory. */
#define MOD_IRI_AUTHENTICATED "iri-known-user"

typedef struct {
    request_rec    *r;
    iri_listing_t  *listing;
    mod_iri_probe_t probe;
    apr_pool_t     *pool; /* for one entry */
} mod_iri_list_t;

/* Was the last probe mapped to the entry, without PATH_INFO? */
static iri_name_result_t
mod_iri_compare_entry(const mod_iri_list_t      *list,
                      const iri_listing_entry_t *entry)
{
    const mod_iri_probe_t *probe = &list->probe;

    return probe->filename != NULL
                   && (probe->path_info == NULL || !*probe->path_info)
               ? iri_listing_compare(list->listing, entry,
                                     mod_iri_str(probe->filename))
               : IRI_NAME_HIDDEN;
}

/* Can the server read what rr was mapped to, or does a handler serve it? */
static int
mod_iri_is_readable(request_rec *rr)
{
    if (rr->finfo.filetype == APR_DIR) {
        return access(rr->filename, R_OK) == 0;
    }
    /* another handler may run the file, or let another process read it */
    return rr->finfo.filetype == APR_REG
           && ((rr->handler != NULL
                && strcmp(rr->handler, "default-handler") != 0)
               || access(rr->filename, R_OK) == 0);
}

/* Returns: UNLINKED if the client may get the octets of the entry. */
static iri_name_result_t
mod_iri_probe_octets(mod_iri_list_t *list, const iri_listing_entry_t *entry)
{
    request_rec      *rr;
    iri_name_result_t result = IRI_NAME_HIDDEN;
    apr_finfo_t       octets = { .valid = APR_FINFO_NAME };

    octets.name = mod_iri_dup(list->pool, entry->octets);
    rr = mod_iri_probe_entry(&list->probe, &octets);
    if (mod_iri_compare_entry(list, entry) == IRI_NAME_LINKED
        && rr->status == HTTP_OK && !rr->proxyreq && mod_iri_is_readable(rr))
    {
        result = IRI_NAME_UNLINKED;
    }
    ap_destroy_sub_req(rr);
    return result;
}

/*
 * Returns: the result of the probe for the path of an entry.  If the entry has
 * no name, or its path leads to another entry with the same name, and the rules
 * allow that path, its octets are probed.
 */
static iri_name_result_t
mod_iri_entry_result(void *data, const iri_listing_entry_t *entry,
                     request_rec *rr)
{
    mod_iri_list_t   *list = data;
    iri_name_result_t result = mod_iri_compare_entry(list, entry);

    if (result == IRI_NAME_LINKED) {
        return rr->status == HTTP_OK && mod_iri_is_readable(rr)
                   ? result
                   : IRI_NAME_HIDDEN;
    }
    return (entry->name.len == 0 && rr->status == HTTP_NOT_FOUND)
                   || (rr->status == HTTP_OK
                       && (entry->name.len == 0
                           || result == IRI_NAME_UNLINKED))
               ? mod_iri_probe_octets(list, entry)
               : IRI_NAME_HIDDEN;
}

/* Add all entries: a symbolic link with the size and time of its target. */
static iri_status_t
mod_iri_read_entries(mod_iri_list_t *list, apr_dir_t *dir)
{
    const char        *path = list->r->filename;
    apr_finfo_t        entry, info;
    apr_status_t       rv;
    iri_listing_info_t known;
    iri_status_t       status = IRI_OK;

    while (status == IRI_OK && !iri_listing_is_full(list->listing)) {
        rv = apr_dir_read(&entry, APR_FINFO_NAME, dir);
        if (rv != APR_SUCCESS) {
            return APR_STATUS_IS_ENOENT(rv) ? IRI_OK : IRI_IO_FAILED;
        }
        if (apr_stat(&info, apr_pstrcat(list->pool, path, entry.name, NULL),
                     APR_FINFO_TYPE | APR_FINFO_SIZE | APR_FINFO_MTIME,
                     list->pool)
            == APR_SUCCESS)
        {
            known.is_directory = info.filetype == APR_DIR;
            known.size = (uint64_t) info.size;
            known.mtime = (int64_t) apr_time_sec(info.mtime);
            status = iri_listing_add(list->listing, mod_iri_str(entry.name),
                                     &known);
        }
        apr_pool_clear(list->pool);
    }
    return status;
}

static int
mod_iri_cannot_open(request_rec *r, apr_status_t rv)
{
    iri_shown_t shown;
    char        text[128];

    mod_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_LISTING),
                 "cannot open \"%s\": %s",
                 iri_show(&shown, mod_iri_str(r->filename)),
                 apr_strerror(rv, text, sizeof(text)));
    if (APR_STATUS_IS_ENOENT(rv) || APR_STATUS_IS_ENOTDIR(rv)) {
        return HTTP_NOT_FOUND;
    }
    return APR_STATUS_IS_EACCES(rv) ? HTTP_FORBIDDEN
                                    : HTTP_INTERNAL_SERVER_ERROR;
}

static int
mod_iri_send_listing(request_rec *r)
{
    mod_iri_server_conf_t *server = mod_iri_conf(r);
    mod_iri_list_t         list = { .r = r };
    iri_listing_conf_t     conf = {
            .tree = mod_iri_tree_of_filename(r),
            .reading = &server->reading,
            .root = mod_iri_str(r->filename),
            .path = mod_iri_str(r->uri),
            .query = mod_iri_str(r->args ? r->args : ""),
            /* another client may set iri-charset and so read it differently */
            .unnamed = server->reading.invalid == IRI_INVALID_PASS
                       && server->vary == NULL
    };
    const char  *user = apr_table_get(r->notes, MOD_IRI_AUTHENTICATED);
    apr_dir_t   *dir;
    apr_status_t rv = apr_dir_open(&dir, r->filename, r->pool);
    iri_status_t status;
    iri_page_t   page;
    iri_shown_t  shown;

    if (rv != APR_SUCCESS) {
        return mod_iri_cannot_open(r, rv);
    }
    apr_pool_create(&list.pool, r->pool);
    status = iri_listing_begin(mod_iri_env(r), &conf, &list.listing);
    if (status == IRI_OK) {
        status = mod_iri_read_entries(&list, dir);
    }
    apr_dir_close(dir);
    if (status == IRI_OK) {
        mod_iri_probe_init(&list.probe, r);
        list.probe.authenticated = user != NULL && user == r->user;
        status = mod_iri_probe_names(&list.probe, list.listing, NULL,
                                     list.pool, mod_iri_entry_result, &list);
    }
    if (status == IRI_OK) {
        status = iri_listing_page(list.listing, &page);
    }
    if (status != IRI_OK) {
        mod_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_LISTING),
                     "cannot list \"%s\": %s",
                     iri_show(&shown, mod_iri_str(r->filename)),
                     iri_status_text(status));
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return mod_iri_send_page(r, &page);
}

/* Save the user, who was authenticated, for the probes. */
int
mod_iri_list_authz(request_rec *r)
{
    const mod_iri_dir_conf_t *dir = mod_iri_dir_conf(r);

    if (dir != NULL && dir->listing && r->finfo.filetype == APR_DIR
        && r->user != NULL && r->ap_auth_type != NULL)
    {
        apr_table_setn(r->notes, MOD_IRI_AUTHENTICATED, r->user);
    }
    return DECLINED;
}

/* With DirectorySlash Off too: the links of the page are relative. */
static int
mod_iri_add_slash(request_rec *r)
{
    const char *uri = ap_os_escape_path(r->pool, r->uri, 1);

    uri = apr_pstrcat(r->pool, uri, "/", r->args ? "?" : NULL, r->args, NULL);
    apr_table_setn(r->headers_out, "Location",
                   ap_construct_url(r->pool, uri, r));
    return HTTP_MOVED_PERMANENTLY;
}

int
mod_iri_list(request_rec *r)
{
    const mod_iri_dir_conf_t *dir = mod_iri_dir_conf(r);
    iri_shown_t               shown;
    int                       status;

    if (dir == NULL || !dir->listing || r->finfo.filetype != APR_DIR
        || (strcmp(r->handler, DIR_MAGIC_TYPE) != 0 && *r->handler != '\0')
        || !mod_iri_is_on(r))
    {
        return DECLINED;
    }
    r->allowed |= (AP_METHOD_BIT << M_GET);
    if (r->method_number != M_GET) {
        return DECLINED;
    }
    if (!(ap_allow_options(r) & OPT_INDEXES)) {
        mod_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_INDEXES),
                     "cannot list \"%s\": Options Indexes is not set",
                     iri_show(&shown, mod_iri_str(r->filename)));
        return HTTP_FORBIDDEN;
    }
    if (r->uri[strlen(r->uri) - 1] != '/') {
        return mod_iri_add_slash(r);
    }
    status = ap_discard_request_body(r);
    if (status != OK) {
        return status;
    }
    if (r->filename[strlen(r->filename) - 1] != '/') {
        r->filename = apr_pstrcat(r->pool, r->filename, "/", NULL);
    }
    return mod_iri_send_listing(r);
}

/* Does the subrequest open the choice, and not a file of a rule? */
static int
mod_iri_opens_choice(request_rec *rr, const mod_iri_request_t *ctx,
                     const char *choice)
{
    const iri_search_t *search = &ctx->lookup->search;
    const char         *name = choice + search->prefix, *names;
    size_t              len = strlen(name);

    if (rr->filename == NULL || strlen(rr->filename) < search->root.len
        || memcmp(rr->filename, search->root.data, search->root.len) != 0)
    {
        return 0;
    }
    names = mod_iri_entry_names(rr, mod_iri_dup(rr->pool, search->root),
                                apr_pstrcat(rr->pool,
                                            rr->filename + search->root.len,
                                            rr->path_info, NULL));
    /* mod_dir may have continued with the index of a directory */
    return names != NULL && strncmp(names, name, len) == 0
           && (names[len] == '\0' || (len > 0 && name[len - 1] == '/'));
}

static iri_name_result_t
mod_iri_choice_result(void *data, const iri_listing_entry_t *entry,
                      request_rec *rr)
{
    return rr->status == HTTP_OK
                   && mod_iri_opens_choice(rr, data,
                                           mod_iri_dup(rr->pool, entry->path))
                   && mod_iri_is_readable(rr)
               ? IRI_NAME_LINKED
               : IRI_NAME_HIDDEN;
}

static int
mod_iri_send_choices(request_rec *r, mod_iri_request_t *ctx)
{
    const iri_found_t *found = &ctx->lookup->found;
    /* r->args may come from a RewriteRule */
    const char     *sent = mod_iri_query_sent(r);
    const char     *accept = apr_table_get(r->headers_in, "Accept");
    iri_choices_t   choices = { .asked = found->path,
                                .has_query = sent != NULL,
                                .query = mod_iri_str(sent ? sent : ""),
                                .accept = mod_iri_str(accept ? accept : ""),
                                .paths = found->choices,
                                .count = found->count,
                                .more = found->more };
    iri_listing_t  *listing;
    iri_page_t      page;
    iri_status_t    status;
    mod_iri_probe_t probe;
    apr_pool_t     *pool;

    status = iri_choices_begin(mod_iri_env(r), &choices, &listing);
    if (status == IRI_OK) {
        mod_iri_probe_init(&probe, r);
        apr_pool_create(&pool, r->pool);
        status = mod_iri_probe_names(&probe, listing, r->parsed_uri.query,
                                     pool, mod_iri_choice_result, ctx);
    }
    if (status == IRI_OK) {
        status = iri_listing_page(listing, &page);
    }
    if (status != IRI_OK) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (page.status == HTTP_NOT_FOUND) {
        return DECLINED;
    }
    /* ap_invoke_handler() inserts filters, but does not run for this answer */
    ap_run_insert_filter(r);
    mod_iri_send_page(r, &page);
    return DONE;
}

int
mod_iri_offer_choices(request_rec *r, mod_iri_request_t *ctx)
{
    iri_shown_t shown;

    if (mod_iri_is_rule_redirect(r)) {
        return DECLINED;
    }
    mod_iri_note(r, IRI_LOG_INFO, iri_why_code(ctx->lookup->found.why),
                 "\"%s\" matches several names, match %s",
                 iri_show(&shown, mod_iri_str(r->uri)),
                 iri_match_text(ctx->lookup->found.match));
    if (ctx->lookup->search.write) {
        /* a write must not create another name with the same folded key */
        return HTTP_CONFLICT;
    }
    return r->method_number == M_GET && ap_is_initial_req(r)
                   && ctx->lookup->found.count > 0
               ? mod_iri_send_choices(r, ctx)
               : DECLINED;
}
