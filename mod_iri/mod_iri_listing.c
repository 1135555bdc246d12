/*
 * mod_iri_listing.c - directory listings
 *
 * Lists a directory as mod_autoindex does, but with canonical names in UTF-8.
 * The core writes the page.  Each entry is tested by a probe for its own path
 * (mod_iri_probe.c), and is listed only if that path leads to the entry and the
 * client may get it.
 *
 * The memory of a probe is freed before the next one, and the page is sent in
 * pieces.  Only the core keeps memory, for sorting the entries.  The entries
 * are probed in the order of the page, until the page has its 1,000 names.
 */

#include "mod_iri_answer.h"
#include "mod_iri_hooks.h"
#include "mod_iri_probe.h"
#include "mod_iri_request.h"
#include "mod_iri_tree.h"

#include "iri_listing.h"

#include <apr_file_info.h>
#include <util_script.h>

#define MOD_IRI_PIECE 32768 /* octets that are sent at once */

/* A note: the user that was authenticated for the directory. */
static const char mod_iri_authenticated_note[] = "iri-known-user";

/* The state of one listing. */
typedef struct {
    request_rec    *r;
    iri_listing_t  *listing;
    mod_iri_probe_t probe;
    apr_pool_t     *pool; /* for one entry */
    const char     *dir;  /* octets on disk, ends with "/" */
    const char     *uri;  /* path of the directory, percent-encoded */

    iri_listing_entry_t entry;  /* the entry that is tested */
    const char         *octets; /* its octets on disk */
} mod_iri_list_t;

/* The result of a probe for an entry. */
typedef enum {
    MOD_IRI_ENTRY_HIDDEN, /* the client may not get it */
    MOD_IRI_ENTRY_OTHER,  /* its path leads to another entry or to none */
    MOD_IRI_ENTRY_SHOWN   /* it is listed */
} mod_iri_entry_state_t;

/* ---- one entry ---------------------------------------------------------- */

/*
 * Returns: the path below the directory to which the probe was mapped, without
 * "/" at its end; NULL: the probe was mapped to a file outside it, or has a
 * PATH_INFO.
 */
static const char *
mod_iri_found_below(const mod_iri_list_t *list)
{
    const char *filename = list->probe.filename;
    size_t      len = strlen(list->dir);

    if (filename == NULL || strncmp(filename, list->dir, len) != 0
        || (list->probe.path_info != NULL && *list->probe.path_info))
    {
        return NULL;
    }
    filename += len;
    len = strlen(filename);
    return len > 0 && filename[len - 1] == '/'
               ? apr_pstrmemdup(list->pool, filename, len - 1)
               : filename;
}

/*
 * Returns: 1 if an entry is listed without a link: it has no name, or its
 * path leads to another entry with the same name, and the rules allow that
 * path.
 */
static int
mod_iri_is_other(const mod_iri_list_t *list, const request_rec *rr,
                 const char *found)
{
    return list->entry.name.len == 0
               ? rr->status == HTTP_OK || rr->status == HTTP_NOT_FOUND
               : rr->status == HTTP_OK && found != NULL
                     && iri_listing_has_same_name(list->listing, &list->entry,
                                                  mod_iri_str(found));
}

/* Returns: the state of an entry after a probe. */
static mod_iri_entry_state_t
mod_iri_entry_state(const mod_iri_list_t *list, request_rec *rr,
                    int with_slash)
{
    const char *found = mod_iri_found_below(list);

    if (rr->proxyreq) {
        return MOD_IRI_ENTRY_HIDDEN;
    }
    if (found == NULL || strcmp(found, list->octets) != 0) {
        return mod_iri_is_other(list, rr, found) ? MOD_IRI_ENTRY_OTHER
                                                 : MOD_IRI_ENTRY_HIDDEN;
    }
    if (list->probe.finfo.filetype == APR_DIR && !with_slash) {
        /* the directory was created after its entry was read */
        return MOD_IRI_ENTRY_HIDDEN;
    }
    return rr->status == HTTP_OK && mod_iri_is_readable(rr)
               ? MOD_IRI_ENTRY_SHOWN
               : MOD_IRI_ENTRY_HIDDEN;
}

/* Probe the path of the entry, as a client would request it. */
static mod_iri_entry_state_t
mod_iri_probe_path(mod_iri_list_t *list, const char *path, const char *uri)
{
    mod_iri_probe_t      *probe = &list->probe;
    request_rec          *rr;
    mod_iri_entry_state_t state;

    probe->unnamed = list->entry.name.len == 0;
    probe->path = list->entry.reads ? path : NULL;
    probe->uri = uri;
    rr = mod_iri_probe_uri(probe, uri);
    state = mod_iri_entry_state(list, rr, uri[strlen(uri) - 1] == '/');
    ap_destroy_sub_req(rr);
    return state;
}

/* Probe the octets of an entry to which no path leads. */
static mod_iri_entry_state_t
mod_iri_probe_octets(mod_iri_list_t *list)
{
    request_rec          *rr;
    mod_iri_entry_state_t state;
    apr_finfo_t           entry;

    memset(&entry, 0, sizeof(entry));
    entry.name = list->octets;
    entry.valid = APR_FINFO_NAME;
    list->probe.path = NULL;
    rr = mod_iri_probe_entry(&list->probe, &entry);
    state = mod_iri_entry_state(list, rr, 1);
    ap_destroy_sub_req(rr);
    return state;
}

/*
 * Returns: the path percent-encoded, in the pool of an entry; NULL: no
 * memory.
 */
static const char *
mod_iri_escape_path(const mod_iri_list_t *list, const char *path)
{
    iri_env_apr_t env;
    iri_str_t     uri;

    iri_env_apr_init(&env, list->pool, NULL, NULL);
    return iri_path_to_uri(&env.env, mod_iri_str(path), &uri) == IRI_OK
               ? mod_iri_dup(list->pool, uri)
               : NULL;
}

/* Judge the entry by its path, which ends with "/" for a directory. */
static mod_iri_entry_state_t
mod_iri_check_entry(mod_iri_list_t *list, int is_directory)
{
    iri_str_t   name = list->entry.name.len != 0 ? list->entry.name
                                                 : list->entry.octets;
    const char *path = apr_pstrcat(list->pool, mod_iri_dup(list->pool, name),
                                   is_directory ? "/" : NULL, NULL);
    const char *uri = mod_iri_escape_path(list, path);
    mod_iri_entry_state_t state;

    if (uri == NULL || list->uri == NULL) {
        return MOD_IRI_ENTRY_HIDDEN;
    }
    list->octets = mod_iri_dup(list->pool, list->entry.octets);
    path = apr_pstrcat(list->pool, list->r->uri, path, NULL);
    uri = apr_pstrcat(list->pool, list->uri, uri, NULL);
    state = mod_iri_probe_path(list, path, uri);
    return state == MOD_IRI_ENTRY_OTHER ? mod_iri_probe_octets(list) : state;
}

/* ---- the directory ------------------------------------------------------ */

/*
 * Add an entry to the listing.  The size and time of a symbolic link are those
 * of its target.
 */
static iri_status_t
mod_iri_add_entry(mod_iri_list_t *list, const char *name)
{
    apr_finfo_t        info;
    iri_listing_info_t known;
    iri_status_t       status;

    status = iri_listing_entry(list->listing, mod_iri_str(name),
                               &list->entry);
    if (status != IRI_OK || list->entry.hidden
        || apr_stat(&info, apr_pstrcat(list->pool, list->dir, name, NULL),
                    APR_FINFO_TYPE | APR_FINFO_SIZE | APR_FINFO_MTIME,
                    list->pool)
               != APR_SUCCESS)
    {
        return status;
    }
    known.is_directory = info.filetype == APR_DIR;
    known.is_known = 1;
    known.size = (uint64_t) info.size;
    known.mtime = (int64_t) apr_time_sec(info.mtime);
    return iri_listing_add(list->listing, &list->entry, &known);
}

/* Judge as many entries as the page needs, in the order of the page. */
static iri_status_t
mod_iri_judge_entries(mod_iri_list_t *list)
{
    iri_status_t status = iri_listing_judge_begin(list->listing);
    int          is_directory, is_left = 1;

    while (status == IRI_OK) {
        status = iri_listing_judge(list->listing, &list->entry, &is_directory,
                                   &is_left);
        if (status != IRI_OK || !is_left) {
            break;
        }
        if (mod_iri_check_entry(list, is_directory) == MOD_IRI_ENTRY_SHOWN) {
            iri_listing_keep(list->listing);
        }
        apr_pool_clear(list->pool);
    }
    return status == IRI_OK ? iri_listing_finish(list->listing) : status;
}

/* Log a failure.  Returns: OK if status is IRI_OK; else 500. */
static int
mod_iri_list_result(request_rec *r, iri_status_t status)
{
    iri_shown_t shown;

    if (status == IRI_OK) {
        return OK;
    }
    mod_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_LISTING),
                 "cannot list \"%s\": %s",
                 iri_show(&shown, mod_iri_str(r->filename)),
                 iri_status_text(status));
    return HTTP_INTERNAL_SERVER_ERROR;
}

static int
mod_iri_read_entries(mod_iri_list_t *list, apr_dir_t *dir)
{
    apr_finfo_t  info;
    apr_status_t rv;
    iri_status_t status = IRI_OK;

    while (status == IRI_OK && !iri_listing_is_full(list->listing)) {
        rv = apr_dir_read(&info, APR_FINFO_NAME, dir);
        if (APR_STATUS_IS_ENOENT(rv)) {
            break;
        }
        if (rv != APR_SUCCESS && rv != APR_INCOMPLETE) {
            status = IRI_IO_FAILED;
            break;
        }
        if (strcmp(info.name, ".") != 0 && strcmp(info.name, "..") != 0) {
            status = mod_iri_add_entry(list, info.name);
            apr_pool_clear(list->pool);
        }
    }
    if (iri_listing_is_full(list->listing)) {
        iri_listing_set_incomplete(list->listing);
    }
    if (status == IRI_OK) {
        status = mod_iri_judge_entries(list);
    }
    return mod_iri_list_result(list->r, status);
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
mod_iri_read_directory(mod_iri_list_t *list)
{
    request_rec *r = list->r;
    apr_dir_t   *dir;
    apr_status_t rv = apr_dir_open(&dir, r->filename, r->pool);
    int          status;

    if (rv != APR_SUCCESS) {
        return mod_iri_cannot_open(r, rv);
    }
    if (r->header_only) {
        status = OK;
    } else {
        list->pool = r->pool;
        list->uri = mod_iri_escape_path(list, r->uri);
        apr_pool_create(&list->pool, r->pool);
        mod_iri_probe_init(&list->probe, r);
        list->probe.authenticated = apr_table_get(r->notes,
                                                  mod_iri_authenticated_note)
                                        == r->user
                                    && r->user != NULL;
        status = mod_iri_read_entries(list, dir);
        apr_pool_destroy(list->pool);
    }
    apr_dir_close(dir);
    return status;
}

/* ---- the answer --------------------------------------------------------- */

static int
mod_iri_send_page(mod_iri_list_t *list)
{
    request_rec   *r = list->r;
    unsigned char *piece = apr_palloc(r->pool, MOD_IRI_PIECE);
    size_t         len;

    while (!r->connection->aborted) {
        len = iri_listing_next(list->listing, piece, MOD_IRI_PIECE);
        if (len == 0 || ap_rwrite(piece, (int) len, r) < 0) {
            break;
        }
    }
    return OK;
}

/*
 * The listing depends on the user, and on more than the directory.  So there
 * are no validators, and shared caches may not store it.
 */
static void
mod_iri_list_headers(request_rec *r, const iri_listing_t *listing)
{
    ap_set_content_type(r, iri_listing_type(listing));
    apr_table_mergen(r->headers_out, "Cache-Control", "private");
    mod_iri_set_page_headers(r, iri_listing_policy(listing));
}

static int
mod_iri_send_listing(request_rec *r)
{
    iri_env_apr_t         *env = apr_palloc(r->pool, sizeof(*env));
    iri_listing_conf_t    *conf = apr_pcalloc(r->pool, sizeof(*conf));
    mod_iri_server_conf_t *server = mod_iri_server_conf(r->server);
    mod_iri_list_t         list;
    int                    status;

    memset(&list, 0, sizeof(list));
    mod_iri_env_init(env, r);
    list.r = r;
    list.dir = r->filename;
    conf->tree = mod_iri_tree_of_filename(r);
    conf->cache = server->cache;
    conf->reading = &server->reading;
    conf->root = mod_iri_str(r->filename);
    conf->path = mod_iri_str(r->uri);
    conf->query = mod_iri_str(r->args ? r->args : "");
    /* another client may set iri-charset and so read the link differently */
    conf->unnamed = server->reading.invalid == IRI_INVALID_PASS
                    && server->vary == NULL;
    conf->paged = 1;
    status = mod_iri_list_result(
        r, iri_listing_begin(&env->env, conf, &list.listing));
    if (status != OK) {
        return status;
    }
    status = mod_iri_read_directory(&list);
    if (status != OK) {
        return status;
    }
    mod_iri_list_headers(r, list.listing);
    return r->header_only ? OK : mod_iri_send_page(&list);
}

/* ---- handler ------------------------------------------------------------ */

static int
mod_iri_is_listing_on(const request_rec *r)
{
    const mod_iri_dir_conf_t *dir = mod_iri_dir_conf(r);

    return dir != NULL && dir->listing == 1
           && (strcmp(r->handler, DIR_MAGIC_TYPE) == 0 || *r->handler == '\0')
           && r->finfo.filetype == APR_DIR
           && mod_iri_server_conf(r->server)->engine == IRI_ENGINE_ON;
}

/*
 * Save the user for the probes.  This hook runs only if a user was
 * authenticated.
 */
int
mod_iri_list_authz(request_rec *r)
{
    const mod_iri_dir_conf_t *dir = mod_iri_dir_conf(r);

    if (dir != NULL && dir->listing == 1 && r->finfo.filetype == APR_DIR
        && r->user != NULL && r->ap_auth_type != NULL)
    {
        apr_table_setn(r->notes, mod_iri_authenticated_note, r->user);
    }
    return DECLINED;
}

/*
 * Redirect to the path with "/", to which the links of the page are relative.
 * With DirectorySlash Off mod_dir does not redirect.
 */
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
    iri_shown_t shown;
    int         status;

    if (!mod_iri_is_listing_on(r)) {
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
