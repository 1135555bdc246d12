/*
 * ngx_http_iri_entries.c - the entries of a directory that a client may get
 *
 * A listing shows an entry only if the client may get it: a subrequest for its
 * path runs the rules of a request (ngx_http_iri_judge.c).  The directory is
 * read first, because names are judged in the order in which they are shown,
 * and only as many as the page needs.
 *
 *     read, stat --> iri_listing_add() --> iri_listing_judge() --> subrequest
 *                                      --> iri_listing_keep()
 *
 * After a fixed number of names, other requests are served.
 */

#include "ngx_http_iri.h"


#define NGX_HTTP_IRI_READS_PER_TURN 2000
#define NGX_HTTP_IRI_ASKS_PER_TURN  50


/* ---- testing an entry --------------------------------------------------- */

void
ngx_http_iri_entries_close(ngx_http_iri_entries_t *entries)
{
    if (entries->open) {
        entries->open = 0;
        (void) ngx_close_dir(&entries->dir);
    }
}


/*
 * stat the entry, or the target of a symbolic link.  Unlike autoindex, a
 * dangling link is not shown: the worker could not open it.
 */
static ngx_uint_t
ngx_http_iri_entries_stat(ngx_http_iri_entries_t *entries)
{
    int         fd = dirfd(entries->dir.dir);
    const char *name = (const char *) ngx_de_name(&entries->dir);
    struct stat st;

    if (fstatat(fd, name, &st, 0) != 0) {
        return 0;
    }

    entries->info.is_directory = S_ISDIR(st.st_mode) != 0;
    entries->info.is_known = 1;
    entries->info.size = (uint64_t) st.st_size;
    entries->info.mtime = st.st_mtime;
    return 1;
}


/* Returns: 1 if the system lets the worker open the entry being judged. */
static ngx_uint_t
ngx_http_iri_entries_is_readable(ngx_http_iri_entries_t *entries)
{
    return faccessat(dirfd(entries->dir.dir), entries->file,
                     entries->is_directory ? X_OK : R_OK, AT_EACCESS)
           == 0;
}


#if (NGX_HAVE_OPENAT)

/* Returns: 1 if disable_symlinks allows the entry itself. */
static ngx_uint_t
ngx_http_iri_entries_link_allowed(ngx_http_iri_entries_t   *entries,
                                  ngx_http_core_loc_conf_t *clcf)
{
    int         fd = dirfd(entries->dir.dir);
    const char *name = entries->file;
    struct stat link, st;

    if (clcf->disable_symlinks == NGX_DISABLE_SYMLINKS_OFF) {
        return 1;
    }

    if (fstatat(fd, name, &link, AT_SYMLINK_NOFOLLOW) != 0) {
        return 0;
    }

    if (!S_ISLNK(link.st_mode)) {
        return 1;
    }

    return clcf->disable_symlinks == NGX_DISABLE_SYMLINKS_NOTOWNER
           && fstatat(fd, name, &st, 0) == 0 && st.st_uid == link.st_uid;
}

#endif


/* Returns: 1 if the worker can open an entry that has no name (design 5.9). */
static ngx_uint_t
ngx_http_iri_entries_can_open(ngx_http_request_t     *r,
                              ngx_http_iri_entries_t *entries)
{
    struct stat               st;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

#if (NGX_HAVE_OPENAT)
    if (!ngx_http_iri_entries_link_allowed(entries, clcf)) {
        return 0;
    }
#else
    (void) clcf;
#endif

    return fstatat(dirfd(entries->dir.dir), entries->file, &st, 0) == 0
           && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))
           && ngx_http_iri_entries_is_readable(entries);
}


/* ---- the subrequest ----------------------------------------------------- */

/* Join head and the name of the entry; append "/" to that of a directory. */
static ngx_int_t
ngx_http_iri_entries_join(ngx_str_t head, ngx_http_iri_entries_t *entries,
                          iri_str_t *out)
{
    u_char   *p;
    iri_str_t path = entries->entry.path;
    size_t    base = entries->base.len;

    out->len = head.len + path.len - base + (entries->is_directory != 0);

    p = ngx_pnalloc(entries->judged.pool, out->len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    out->data = p;
    p = ngx_cpymem(p, head.data, head.len);
    p = ngx_cpymem(p, path.data + base, path.len - base);
    if (entries->is_directory) {
        *p++ = '/';
    }
    *p = '\0';

    return NGX_OK;
}


/* Start the subrequest.  Returns: as ngx_http_iri_judge_start_subrequest(). */
static ngx_int_t
ngx_http_iri_entries_ask(ngx_http_request_t     *r,
                         ngx_http_iri_entries_t *entries)
{
    iri_str_t octets = entries->entry.octets, path, expected;

    if (ngx_http_iri_judge_begin(r, &entries->judged) != NGX_OK
        || ngx_http_iri_entries_join(entries->base, entries, &path) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    expected = path;

    if (entries->rewritten
        && ngx_http_iri_entries_join(r->uri, entries, &expected) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (octets.len >= sizeof(entries->file)) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    *ngx_cpymem(entries->file, octets.data, octets.len) = '\0';
    entries->asked = 1;

    return ngx_http_iri_judge_start_subrequest(r, &entries->judged, path,
                                               expected);
}


/*
 * Returns: 1 if the file that nginx would open is in this directory, or a
 * content handler answers.
 */
static ngx_uint_t
ngx_http_iri_entries_is_here(const ngx_http_iri_entries_t *entries)
{
    size_t  len = entries->judged.filename.len;
    u_char *name = entries->judged.filename.data;

    if (len == 0) {
        return 1;
    }

    if (name[len - 1] == '/') {
        len--;
    }

    while (len > 0 && name[len - 1] != '/') {
        len--;
    }

    return len == entries->name.len
           && ngx_memcmp(name, entries->name.data, len) == 0;
}


/* After the subrequest.  Returns: 1 if the entry is to be shown. */
static ngx_uint_t
ngx_http_iri_entries_is_shown(ngx_http_request_t     *r,
                              ngx_http_iri_entries_t *entries)
{
    const ngx_http_iri_judged_t *judged = &entries->judged;

    if (!ngx_http_iri_entries_is_here(entries)) {
        return 0;
    }

    if (entries->entry.name.len == 0 && !entries->unnamed) {
        return judged->passes && ngx_http_iri_entries_can_open(r, entries);
    }

    return judged->opens
           && (judged->filename.len == 0 || !entries->is_directory
               || ngx_http_iri_entries_is_readable(entries));
}


/* ---- reading the directory ---------------------------------------------- */

/* Log a failed system call, in the words of nginx. */
static void
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
}


ngx_int_t
ngx_http_iri_entries_failed(ngx_http_request_t *r, iri_status_t status)
{
    ngx_http_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_LISTING),
                      "a listing could not be made: %s",
                      iri_status_text(status));

    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/*
 * Set entries->entry to the name that was read.
 * Returns: NGX_OK; NGX_DECLINED if it is not to be listed; a status.
 */
static ngx_int_t
ngx_http_iri_entries_name(ngx_http_request_t     *r,
                          ngx_http_iri_entries_t *entries)
{
    iri_str_t    octets;
    iri_status_t status;

    octets.data = ngx_de_name(&entries->dir);
    octets.len = ngx_de_namelen(&entries->dir);

    if (octets.data[0] == '.') {
        return NGX_DECLINED;
    }

    status = iri_listing_entry(entries->page, octets, &entries->entry);
    if (status != IRI_OK) {
        return ngx_http_iri_entries_failed(r, status);
    }

    return !entries->entry.hidden && ngx_http_iri_entries_stat(entries)
               ? NGX_OK
               : NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_entries_add(ngx_http_request_t     *r,
                         ngx_http_iri_entries_t *entries)
{
    iri_status_t status;

    status = iri_listing_add(entries->page, &entries->entry, &entries->info);

    return status == IRI_OK ? NGX_OK : ngx_http_iri_entries_failed(r, status);
}


/* Returns: NGX_OK; NGX_DECLINED at the end of the directory; a status. */
static ngx_int_t
ngx_http_iri_entries_next(ngx_http_request_t     *r,
                          ngx_http_iri_entries_t *entries)
{
    ngx_err_t err;

    ngx_set_errno(0);

    if (ngx_read_dir(&entries->dir) == NGX_OK) {
        return NGX_OK;
    }

    err = ngx_errno;
    if (err == NGX_ENOMOREFILES) {
        return NGX_DECLINED;
    }

    ngx_http_iri_entries_log(r, ngx_read_dir_n, &entries->name, err);

    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_iri_entries_read(ngx_http_request_t     *r,
                          ngx_http_iri_entries_t *entries)
{
    ngx_int_t    rc;
    ngx_uint_t   n;
    iri_status_t status;

    for (n = 0; n < NGX_HTTP_IRI_READS_PER_TURN; n++) {
        rc = NGX_DECLINED;

        if (iri_listing_is_full(entries->page)) {
            iri_listing_set_incomplete(entries->page);
        } else {
            rc = ngx_http_iri_entries_next(r, entries);
        }

        if (rc == NGX_DECLINED) {
            status = iri_listing_judge_begin(entries->page);
            return status == IRI_OK ? NGX_OK
                                    : ngx_http_iri_entries_failed(r, status);
        }

        if (rc == NGX_OK) {
            rc = ngx_http_iri_entries_name(r, entries);
        }

        if (rc == NGX_OK) {
            rc = ngx_http_iri_entries_add(r, entries);
        }

        if (rc != NGX_OK && rc != NGX_DECLINED) {
            return rc;
        }
    }

    return NGX_BUSY;
}


ngx_int_t
ngx_http_iri_entries_judge(ngx_http_request_t     *r,
                           ngx_http_iri_entries_t *entries)
{
    int          is_left;
    iri_status_t status;

    if (entries->asked) {
        if (entries->judged.sr != NULL) {
            return NGX_AGAIN;
        }

        entries->asked = 0;

        if (ngx_http_iri_entries_is_shown(r, entries)) {
            iri_listing_keep(entries->page);
        }

        ngx_http_iri_judge_release(r, &entries->judged);

        if (++entries->asks % NGX_HTTP_IRI_ASKS_PER_TURN == 0) {
            return NGX_BUSY;
        }
    }

    status = iri_listing_judge(entries->page, &entries->entry,
                               &entries->is_directory, &is_left);
    if (status != IRI_OK) {
        return ngx_http_iri_entries_failed(r, status);
    }

    if (!is_left) {
        return NGX_OK;
    }

    return ngx_http_iri_entries_ask(r, entries);
}


/* ---- opening it --------------------------------------------------------- */

/* The status that autoindex sends if it cannot open a directory. */
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

    ngx_http_iri_entries_log(r, ngx_open_dir_n, name, err);

    return rc;
}


/*
 * disable_symlinks is tested by ngx_open_cached_file(), before the directory is
 * opened.  The inodes are compared, in case it was replaced in between.
 */
ngx_int_t
ngx_http_iri_entries_open(ngx_http_request_t     *r,
                          ngx_http_iri_entries_t *entries)
{
    struct stat               st;
    ngx_str_t                 name = entries->name;
    ngx_open_file_info_t      of;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ngx_memzero(&of, sizeof(ngx_open_file_info_t));
    of.test_dir = 1;
    of.test_only = 1;

    if (ngx_http_set_disable_symlinks(r, clcf, &name, &of) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_open_cached_file(NULL, &name, &of, r->pool) != NGX_OK) {
        return of.err == 0
                   ? NGX_HTTP_INTERNAL_SERVER_ERROR
                   : ngx_http_iri_entries_open_failed(r, &name, of.err);
    }

    if (ngx_open_dir(&name, &entries->dir) == NGX_ERROR) {
        return ngx_http_iri_entries_open_failed(r, &name, ngx_errno);
    }

    entries->open = 1;

    if (fstat(dirfd(entries->dir.dir), &st) != 0 || st.st_ino != of.uniq) {
        return ngx_http_iri_entries_open_failed(r, &name, NGX_ENOENT);
    }

    return NGX_OK;
}
