/*
 * ngx_http_iri_entries.c - which entries of a directory a client may know of
 *
 * A listing shows an entry only if the client could get it.  The rules of its
 * own path are asked, as if it had been asked for: once for a location where
 * they are the same for all names (ngx_http_iri_rules.c), else by a subrequest
 * for each name (ngx_http_iri_judge.c).  There are at most a thousand of these;
 * names that are left over then are not shown.
 *
 *     directory --stat, rules--> iri_listing_add()
 */

#include "ngx_http_iri.h"


#define NGX_HTTP_IRI_MAX_ASKED 1000 /* subrequests for one listing */


/* ---- which entries there are -------------------------------------------- */

void
ngx_http_iri_entries_close(ngx_http_iri_entries_t *entries)
{
    if (entries->open) {
        entries->open = 0;
        (void) ngx_close_dir(&entries->dir);
    }
}


/*
 * What stat says, of what a link leads to.  autoindex shows a link that leads
 * nowhere: here nothing is shown that the worker could not open.
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
    entries->is_other = !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode);

    return 1;
}


/* By the modes, and by what else the system has to say. */
static ngx_uint_t
ngx_http_iri_entries_readable(ngx_http_iri_entries_t *entries)
{
    int         fd = dirfd(entries->dir.dir);
    const char *name = (const char *) ngx_de_name(&entries->dir);

    return faccessat(fd, name, entries->info.is_directory ? X_OK : R_OK,
                     AT_EACCESS)
           == 0;
}


#if (NGX_HAVE_OPENAT)

/* As disable_symlinks has it, for the entry itself. */
static ngx_uint_t
ngx_http_iri_entries_linked(ngx_http_iri_entries_t   *entries,
                            ngx_http_core_loc_conf_t *clcf)
{
    int         fd = dirfd(entries->dir.dir);
    const char *name = (const char *) ngx_de_name(&entries->dir);
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


/* Would nginx open it, in a location that has the same place on disk? */
static ngx_uint_t
ngx_http_iri_entries_opens(ngx_http_iri_entries_t *entries)
{
    ngx_http_core_loc_conf_t *clcf;

    clcf = entries->loc_conf[ngx_http_core_module.ctx_index];

    if (clcf->handler != NULL) {
        return 1;
    }

#if (NGX_HAVE_OPENAT)
    if (!ngx_http_iri_entries_linked(entries, clcf)) {
        return 0;
    }
#endif

    return !entries->is_other && ngx_http_iri_entries_readable(entries);
}


/* ---- asking the rules --------------------------------------------------- */

/* head and the entry's own octets; behind those of a directory "/". */
static ngx_int_t
ngx_http_iri_entries_join(ngx_http_request_t *r, ngx_str_t head,
                          ngx_http_iri_entries_t *entries, ngx_str_t *out)
{
    u_char   *p;
    iri_str_t path = entries->entry.path;
    size_t    base = entries->base.len;

    out->len = head.len + path.len - base + entries->info.is_directory;
    out->data = ngx_pnalloc(r->pool, out->len + 1);
    if (out->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(out->data, head.data, head.len);
    p = ngx_cpymem(p, path.data + base, path.len - base);
    if (entries->info.is_directory) {
        *p++ = '/';
    }
    *p = '\0';

    return NGX_OK;
}


/* The path of the entry, in memory that the next one takes again. */
static ngx_int_t
ngx_http_iri_entries_path(ngx_http_request_t     *r,
                          ngx_http_iri_entries_t *entries)
{
    u_char   *p;
    iri_str_t path = entries->entry.path;

    if (path.len + 2 > entries->allocated) {
        entries->allocated = 2 * path.len + 2;
        entries->path.data = ngx_pnalloc(r->pool, entries->allocated);
        if (entries->path.data == NULL) {
            return NGX_ERROR;
        }
    }

    p = ngx_cpymem(entries->path.data, path.data, path.len);
    if (entries->info.is_directory) {
        *p++ = '/';
    }

    entries->path.len = p - entries->path.data;

    return NGX_OK;
}


static ngx_http_iri_verdict_t *
ngx_http_iri_entries_verdict(ngx_http_iri_entries_t *entries)
{
    ngx_uint_t              i;
    ngx_http_iri_verdict_t *verdict = entries->verdicts.elts;

    if (entries->last < entries->verdicts.nelts
        && verdict[entries->last].loc_conf == entries->loc_conf)
    {
        return &verdict[entries->last];
    }

    for (i = 0; i < entries->verdicts.nelts; i++) {
        if (verdict[i].loc_conf == entries->loc_conf) {
            entries->last = i;
            return &verdict[i];
        }
    }

    return NULL;
}


/* NGX_AGAIN: it is being asked; NGX_DECLINED: enough has been asked. */
static ngx_int_t
ngx_http_iri_entries_ask(ngx_http_request_t     *r,
                         ngx_http_iri_entries_t *entries)
{
    ngx_int_t rc;
    ngx_str_t path, expected;

    if (entries->asks == NGX_HTTP_IRI_MAX_ASKED) {
        iri_listing_more(entries->page);
        return NGX_DECLINED;
    }

    if (ngx_http_iri_entries_join(r, entries->base, entries, &path) != NGX_OK)
    {
        return NGX_ERROR;
    }

    expected = path;

    if (entries->rewritten
        && ngx_http_iri_entries_join(r, r->uri, entries, &expected) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_http_iri_judge_ask(r, &entries->judged, ngx_http_iri_in(path),
                                ngx_http_iri_in(expected));

    if (rc == NGX_AGAIN) {
        entries->asks++;
        entries->asked = 1;
    }

    return rc;
}


/*
 * May the client know of it?  NGX_OK, NGX_DECLINED; NGX_AGAIN: it is being
 * asked; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_entries_judge(ngx_http_request_t     *r,
                           ngx_http_iri_entries_t *entries)
{
    ngx_http_iri_rules_t    rules = NGX_HTTP_IRI_RULES_EACH;
    ngx_http_iri_verdict_t *verdict;

    if (!entries->rewritten) {
        if (ngx_http_iri_entries_path(r, entries) != NGX_OK) {
            return NGX_ERROR;
        }

        rules = ngx_http_iri_rules(
            r, entries->path, entries->info.is_directory, &entries->loc_conf);
    }

    if (rules == NGX_HTTP_IRI_RULES_NEVER) {
        return NGX_DECLINED;
    }

    entries->alike = rules == NGX_HTTP_IRI_RULES_ALIKE;

    if (!entries->alike) {
        return ngx_http_iri_entries_ask(r, entries);
    }

    verdict = ngx_http_iri_entries_verdict(entries);
    if (verdict == NULL) {
        return ngx_http_iri_entries_ask(r, entries);
    }

    return verdict->passes && ngx_http_iri_entries_opens(entries)
               ? NGX_OK
               : NGX_DECLINED;
}


/* Is what would be opened in this directory?  Handlers open what they like. */
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


/* What the subrequest has found out.  As above. */
static ngx_int_t
ngx_http_iri_entries_taken(ngx_http_iri_entries_t *entries)
{
    ngx_http_iri_verdict_t *verdict;

    entries->asked = 0;

    if (!entries->alike) {
        return entries->judged.opens && ngx_http_iri_entries_is_here(entries)
                   ? NGX_OK
                   : NGX_DECLINED;
    }

    verdict = ngx_array_push(&entries->verdicts);
    if (verdict == NULL) {
        return NGX_ERROR;
    }

    verdict->loc_conf = entries->loc_conf;
    verdict->passes = entries->judged.passes;

    return verdict->passes && ngx_http_iri_entries_opens(entries)
               ? NGX_OK
               : NGX_DECLINED;
}


/* ---- reading the directory ---------------------------------------------- */

/* As nginx tells it, in the line of the request. */
static void
ngx_http_iri_entries_note(ngx_http_request_t *r, const char *call,
                          const ngx_str_t *name, ngx_err_t err)
{
    u_char      text[128], *last;
    iri_shown_t shown;

    last = ngx_strerror(err, text, sizeof(text));

    ngx_http_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_LISTING),
                      "%s \"%s\" failed (%d: %.*s)", call,
                      iri_show(&shown, ngx_http_iri_in(*name)), (int) err,
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


/* NGX_OK: there is an entry to be judged; NGX_DECLINED; a status. */
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


/* NGX_OK: there is another name; NGX_DECLINED: there is none; a status. */
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

    ngx_http_iri_entries_note(r, ngx_read_dir_n, &entries->name, err);

    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_iri_entries_read(ngx_http_request_t     *r,
                          ngx_http_iri_entries_t *entries)
{
    ngx_int_t rc;

    for (;;) {
        if (entries->asked) {
            if (entries->judged.sr != NULL) {
                return NGX_AGAIN;
            }

            rc = ngx_http_iri_entries_taken(entries);

        } else if (iri_listing_is_full(entries->page)) {
            iri_listing_more(entries->page);
            return NGX_OK;

        } else {
            rc = ngx_http_iri_entries_next(r, entries);
            if (rc != NGX_OK) {
                return rc == NGX_DECLINED ? NGX_OK : rc;
            }

            rc = ngx_http_iri_entries_name(r, entries);
            if (rc == NGX_OK) {
                rc = ngx_http_iri_entries_judge(r, entries);
            }
        }

        if (rc == NGX_OK) {
            rc = ngx_http_iri_entries_add(r, entries);
        }

        if (rc != NGX_OK && rc != NGX_DECLINED) {
            return rc;
        }
    }
}


/* ---- opening it --------------------------------------------------------- */

/* What autoindex answers where it cannot open a directory. */
static ngx_int_t
ngx_http_iri_entries_no_dir(ngx_http_request_t *r, ngx_str_t *name,
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

    ngx_http_iri_entries_note(r, ngx_open_dir_n, name, err);

    return rc;
}


/*
 * By disable_symlinks it is first seen whether it may be opened, by another
 * call: what has been opened must be that.
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
        return of.err == 0 ? NGX_HTTP_INTERNAL_SERVER_ERROR
                           : ngx_http_iri_entries_no_dir(r, &name, of.err);
    }

    if (ngx_open_dir(&name, &entries->dir) == NGX_ERROR) {
        return ngx_http_iri_entries_no_dir(r, &name, ngx_errno);
    }

    entries->open = 1;

    if (fstat(dirfd(entries->dir.dir), &st) != 0 || st.st_ino != of.uniq) {
        return ngx_http_iri_entries_no_dir(r, &name, NGX_ENOENT);
    }

    return NGX_OK;
}
