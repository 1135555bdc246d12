/*
 * ngx_http_iri_entries.c - the entries of a directory that a client may get
 *
 * A listing shows an entry only if the client may get it: a subrequest runs the
 * rules for its path (ngx_http_iri_judge.c).  All entries are read first.  Then
 * names are judged in the order in which they are shown, and only as many as
 * the page needs.
 *
 *     read, stat --> iri_listing_add() --> iri_listing_judge() --> subrequest
 *                                      --> iri_listing_judged()
 *
 * After a fixed number of names, the listing lets other requests run.
 */

#include "ngx_http_iri_listing.h"


#define NGX_HTTP_IRI_READS_PER_TURN  2000
#define NGX_HTTP_IRI_JUDGED_PER_TURN 50


/* ---- messages ------------------------------------------------------------ */

/* Log a failed system call as nginx does.  Returns: the HTTP status 500. */
static ngx_int_t
ngx_http_iri_entries_log(ngx_http_request_t *r, const char *call,
                         const ngx_str_t *name, ngx_err_t err)
{
    u_char      text[128], *last;
    iri_shown_t shown;

    last = ngx_strerror(err, text, sizeof(text));

    ngx_http_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_LISTING),
                      "%s \"%s\" failed (%d: %.*s)", call,
                      iri_show(&shown, ngx_http_iri_str(*name)), (int) err,
                      (int) (last - text), (char *) text);

    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_iri_entries_failed(ngx_http_request_t *r, iri_status_t status)
{
    ngx_http_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_LISTING),
                      "a listing could not be made: %s",
                      iri_status_text(status));

    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* ---- reading the directory ---------------------------------------------- */

void
ngx_http_iri_entries_close(ngx_http_iri_listing_t *listing)
{
    if (listing->dir_is_open) {
        listing->dir_is_open = 0;
        (void) ngx_close_dir(&listing->dir);
    }
}


/*
 * Add the name that was read, with size and time of the entry, or of the target
 * of a symbolic link.  A dangling link is not shown, unlike in autoindex, since
 * the worker cannot open it.
 */
static iri_status_t
ngx_http_iri_entries_add(ngx_http_iri_listing_t *listing)
{
    iri_str_t          octets;
    struct stat        st;
    iri_listing_info_t info;

    octets.data = ngx_de_name(&listing->dir);
    octets.len = ngx_de_namelen(&listing->dir);

    if (octets.data[0] == '.'
        || fstatat(dirfd(listing->dir.dir), (const char *) octets.data, &st,
                   0)
               != 0)
    {
        return IRI_OK;
    }

    info.is_directory = S_ISDIR(st.st_mode) != 0;
    info.size = (uint64_t) st.st_size;
    info.mtime = st.st_mtime;

    return iri_listing_add(listing->page, octets, &info);
}


/*
 * Returns: NGX_OK if all entries were read; NGX_BUSY to continue after other
 * requests; else the HTTP status.
 */
static ngx_int_t
ngx_http_iri_entries_read(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    ngx_uint_t   n;
    iri_status_t status = IRI_OK;

    for (n = 0; n < NGX_HTTP_IRI_READS_PER_TURN && status == IRI_OK; n++) {
        if (iri_listing_is_full(listing->page)) {
            return NGX_OK;
        }

        ngx_set_errno(0);

        if (ngx_read_dir(&listing->dir) != NGX_OK) {
            return ngx_errno == NGX_ENOMOREFILES
                       ? NGX_OK
                       : ngx_http_iri_entries_log(r, ngx_read_dir_n,
                                                  &listing->name, ngx_errno);
        }

        status = ngx_http_iri_entries_add(listing);
    }

    return status == IRI_OK ? NGX_BUSY
                            : ngx_http_iri_entries_failed(r, status);
}


/* ---- judging an entry --------------------------------------------------- */

/* Returns: 1 if file permissions let the worker open the entry. */
static ngx_uint_t
ngx_http_iri_entries_is_readable(const ngx_http_iri_listing_t *listing)
{
    char      file[NGX_MAX_PATH];
    iri_str_t octets = listing->entry.octets;

    if (octets.len >= sizeof(file)) {
        return 0;
    }

    *ngx_cpymem(file, octets.data, octets.len) = '\0';

    return faccessat(dirfd(listing->dir.dir), file,
                     listing->entry.is_directory ? X_OK : R_OK, AT_EACCESS)
           == 0;
}


/* Returns: 1 if the worker can open an entry that has no name (design 5.9). */
static ngx_uint_t
ngx_http_iri_entries_can_open(ngx_http_request_t           *r,
                              const ngx_http_iri_listing_t *listing)
{
    ngx_str_t  name;
    ngx_uint_t is_dir;

    return ngx_http_iri_join(r->pool, listing->name,
                             ngx_http_iri_ngx_str(listing->entry.octets),
                             &name)
               == NGX_OK
           && ngx_http_iri_can_open(r, name, &is_dir) == NGX_OK
           && ngx_http_iri_entries_is_readable(listing);
}


/* Returns: what the page shows of the entry for which the subrequest ran. */
static iri_name_result_t
ngx_http_iri_entries_result(ngx_http_request_t           *r,
                            const ngx_http_iri_listing_t *listing)
{
    iri_name_result_t           result = IRI_NAME_LINKED;
    const ngx_http_iri_judge_t *judge = &listing->judge;
    const iri_listing_entry_t  *entry = &listing->entry;

    if (judge->is_dir && !entry->is_directory) {
        return IRI_NAME_DIRECTORY;
    }

    if (listing->name.len == 0) {
        return judge->can_open ? IRI_NAME_LINKED : IRI_NAME_HIDDEN;
    }

    if (judge->filename.len != 0) {
        result = iri_listing_compare(listing->page, entry,
                                     ngx_http_iri_str(judge->filename));
    }

    /* A content handler also answers for a path outside this directory. */
    if (judge->handler != NULL && result == IRI_NAME_HIDDEN) {
        result = IRI_NAME_LINKED;
    }

    if (entry->name.len == 0 && !listing->serves_unnamed) {
        return judge->granted && ngx_http_iri_entries_can_open(r, listing)
                   ? result
                   : IRI_NAME_HIDDEN;
    }

    return judge->can_open
                   && (judge->handler != NULL || !entry->is_directory
                       || ngx_http_iri_entries_is_readable(listing))
               ? result
               : IRI_NAME_HIDDEN;
}


/*
 * The subrequest has ended.  Returns: NGX_OK; NGX_BUSY to continue after other
 * requests; else the HTTP status.
 */
static ngx_int_t
ngx_http_iri_entries_collect(ngx_http_request_t     *r,
                             ngx_http_iri_listing_t *listing)
{
    iri_status_t status = IRI_NO_MEMORY;

    listing->judge_pending = 0;

    if (listing->judge.status != NGX_ERROR) {
        status = iri_listing_judged(listing->page,
                                    ngx_http_iri_entries_result(r, listing));
    }

    if (status != IRI_OK) {
        return ngx_http_iri_entries_failed(r, status);
    }

    ngx_http_iri_judge_release(r, &listing->judge);

    return ++listing->judged % NGX_HTTP_IRI_JUDGED_PER_TURN == 0 ? NGX_BUSY
                                                                 : NGX_OK;
}


ngx_int_t
ngx_http_iri_entries_run(ngx_http_request_t     *r,
                         ngx_http_iri_listing_t *listing)
{
    int          is_left;
    ngx_int_t    rc;
    iri_status_t status;

    if (!listing->judging) {
        rc = ngx_http_iri_entries_read(r, listing);
        if (rc != NGX_OK) {
            return rc;
        }

        listing->judging = 1;

    } else if (listing->judge.sr != NULL) {
        return NGX_AGAIN;

    } else if (listing->judge_pending) {
        rc = ngx_http_iri_entries_collect(r, listing);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    status = iri_listing_judge(listing->page, &listing->entry, &is_left);
    if (status != IRI_OK) {
        return ngx_http_iri_entries_failed(r, status);
    }

    if (!is_left) {
        return NGX_OK;
    }

    listing->judge_pending = 1;

    return ngx_http_iri_judge_start(r, &listing->judge, listing->entry.path,
                                    listing->rewritten ? listing->base.len
                                                       : 0);
}


/* ---- opening it --------------------------------------------------------- */

/* Returns: the HTTP status that autoindex sends for err. */
static ngx_int_t
ngx_http_iri_entries_open_failed(ngx_http_request_t *r, ngx_str_t *name,
                                 ngx_err_t err)
{
    ngx_int_t rc = NGX_HTTP_INTERNAL_SERVER_ERROR;

    if (err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_ENAMETOOLONG) {
        rc = NGX_HTTP_NOT_FOUND;

    } else if (err == NGX_EACCES
#if (NGX_HAVE_OPENAT)
               || err == NGX_EMLINK || err == NGX_ELOOP
#endif
    )
    {
        rc = NGX_HTTP_FORBIDDEN;
    }

    (void) ngx_http_iri_entries_log(r, ngx_open_dir_n, name, err);

    return rc;
}


/*
 * ngx_http_iri_open_file() tests disable_symlinks, and ngx_open_dir() opens the
 * directory later.  The inodes are compared, in case it was replaced meanwhile.
 */
ngx_int_t
ngx_http_iri_entries_open(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    ngx_int_t            rc;
    struct stat          st;
    ngx_str_t            name = listing->name;
    ngx_open_file_info_t of;

    ngx_memzero(&of, sizeof(ngx_open_file_info_t));
    of.test_dir = 1;
    of.test_only = 1;

    rc = ngx_http_iri_open_file(r, NULL, &name, &of);
    if (rc != NGX_OK) {
        return rc == NGX_DECLINED
                   ? ngx_http_iri_entries_open_failed(r, &name, of.err)
                   : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_open_dir(&name, &listing->dir) == NGX_ERROR) {
        return ngx_http_iri_entries_open_failed(r, &name, ngx_errno);
    }

    listing->dir_is_open = 1;

    if (fstat(dirfd(listing->dir.dir), &st) != 0 || st.st_ino != of.uniq) {
        return ngx_http_iri_entries_open_failed(r, &name, NGX_ENOENT);
    }

    return NGX_OK;
}
