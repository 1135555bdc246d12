/*
 * ngx_http_iri_listing.c - what is in a directory, as a page
 *
 * Runs where autoindex would, when no index was found.  Each entry is shown
 * only if the client could get it: the rules of its own path are asked as if
 * it had been asked for, once for a location where they are the same for all
 * names (ngx_http_iri_rules.c), else by a subrequest for each
 * (ngx_http_iri_judge.c), and of these not more than a thousand: of what is
 * left nothing is shown.
 *
 *     directory --stat, rules--> entries of the core --> page, in pieces
 *
 * The page is made while it is sent, so that it takes no more memory than the
 * entries and two buffers, however slowly the client takes it.
 */

#include "ngx_http_iri.h"


#define NGX_HTTP_IRI_MAX_ASKED 1000  /* subrequests for one listing */
#define NGX_HTTP_IRI_BUFFER    32768 /* octets of a piece of the page */
#define NGX_HTTP_IRI_BUFFERS   2


/* What the rules of a location have said of one name, and so of all. */
typedef struct {
    void     **loc_conf;
    ngx_uint_t passes;
} ngx_http_iri_verdict_t;

typedef enum {
    NGX_HTTP_IRI_READING,
    NGX_HTTP_IRI_SENDING
} ngx_http_iri_stage_t;

struct ngx_http_iri_listing_s {
    iri_env_t            env;
    iri_listing_t       *page;
    ngx_http_iri_stage_t stage;

    ngx_dir_t dir;
    ngx_str_t name;     /* of the directory, on disk, ends in "/" */
    unsigned  open : 1; /* dir is */

    ngx_str_t base;          /* what links are relative to; as name */
    unsigned  rewritten : 1; /* and r->uri is not that */

    iri_listing_entry_t   entry; /* that is being judged */
    iri_listing_info_t    info;
    ngx_str_t             path;         /* its own, with "/" if a directory */
    unsigned              is_other : 1; /* neither file nor directory */
    unsigned              is_link : 1;
    void                **loc_conf; /* where its rules are */
    ngx_http_iri_judged_t judged;
    unsigned              asked : 1; /* for it, and not yet taken */
    unsigned              alike : 1; /* for all names of its location */

    ngx_array_t verdicts;
    ngx_uint_t  last; /* of these, where the last name was */
    ngx_uint_t  asks;
    size_t      allocated; /* octets at path.data */

    ngx_chain_t *free;
    ngx_chain_t *busy;
    ngx_uint_t   buffers;
    unsigned     ended : 1; /* the last piece has gone out */
};


static void ngx_http_iri_listing_go(ngx_http_request_t *r);


/* ---- which entries there are -------------------------------------------- */

static void
ngx_http_iri_listing_close(ngx_http_iri_listing_t *listing)
{
    if (listing->open) {
        listing->open = 0;
        (void) ngx_close_dir(&listing->dir);
    }
}


/* The request may end at any time. */
static void
ngx_http_iri_listing_cleanup(void *data)
{
    ngx_http_iri_listing_close(data);
}


/*
 * What stat says, of what a link leads to.  autoindex shows a link that leads
 * nowhere: here nothing is shown that the worker could not open.
 */
static ngx_uint_t
ngx_http_iri_listing_stat(ngx_http_iri_listing_t *listing)
{
    int         fd = dirfd(listing->dir.dir);
    const char *name = (const char *) ngx_de_name(&listing->dir);
    struct stat st;

    if (fstatat(fd, name, &st, 0) != 0) {
        return 0;
    }

    listing->info.is_directory = S_ISDIR(st.st_mode) != 0;
    listing->info.is_known = 1;
    listing->info.size = (uint64_t) st.st_size;
    listing->info.mtime = st.st_mtime;
    listing->is_other = !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode);

    return 1;
}


/* By the modes, and by what else the system has to say. */
static ngx_uint_t
ngx_http_iri_listing_readable(ngx_http_iri_listing_t *listing)
{
    int         fd = dirfd(listing->dir.dir);
    const char *name = (const char *) ngx_de_name(&listing->dir);

    return faccessat(fd, name, listing->info.is_directory ? X_OK : R_OK,
                     AT_EACCESS)
           == 0;
}


#if (NGX_HAVE_OPENAT)

/* As disable_symlinks has it, for the entry itself. */
static ngx_uint_t
ngx_http_iri_listing_linked(ngx_http_iri_listing_t   *listing,
                            ngx_http_core_loc_conf_t *clcf)
{
    int         fd = dirfd(listing->dir.dir);
    const char *name = (const char *) ngx_de_name(&listing->dir);
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
ngx_http_iri_listing_opens(ngx_http_iri_listing_t *listing)
{
    ngx_http_core_loc_conf_t *clcf;

    clcf = listing->loc_conf[ngx_http_core_module.ctx_index];

    if (clcf->handler != NULL) {
        return 1;
    }

#if (NGX_HAVE_OPENAT)
    if (!ngx_http_iri_listing_linked(listing, clcf)) {
        return 0;
    }
#endif

    return !listing->is_other && ngx_http_iri_listing_readable(listing);
}


/* ---- asking the rules --------------------------------------------------- */

/* head and the entry's own octets; behind those of a directory "/". */
static ngx_int_t
ngx_http_iri_listing_join(ngx_http_request_t *r, ngx_str_t head,
                          ngx_http_iri_listing_t *listing, ngx_str_t *out)
{
    u_char   *p;
    iri_str_t path = listing->entry.path;
    size_t    base = listing->base.len;

    out->len = head.len + path.len - base + listing->info.is_directory;
    out->data = ngx_pnalloc(r->pool, out->len + 1);
    if (out->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(out->data, head.data, head.len);
    p = ngx_cpymem(p, path.data + base, path.len - base);
    if (listing->info.is_directory) {
        *p++ = '/';
    }
    *p = '\0';

    return NGX_OK;
}


/* The path of the entry, in memory that the next one takes again. */
static ngx_int_t
ngx_http_iri_listing_path(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    u_char   *p;
    iri_str_t path = listing->entry.path;

    if (path.len + 2 > listing->allocated) {
        listing->allocated = 2 * path.len + 2;
        listing->path.data = ngx_pnalloc(r->pool, listing->allocated);
        if (listing->path.data == NULL) {
            return NGX_ERROR;
        }
    }

    p = ngx_cpymem(listing->path.data, path.data, path.len);
    if (listing->info.is_directory) {
        *p++ = '/';
    }

    listing->path.len = p - listing->path.data;

    return NGX_OK;
}


static ngx_http_iri_verdict_t *
ngx_http_iri_listing_verdict(ngx_http_iri_listing_t *listing)
{
    ngx_uint_t              i;
    ngx_http_iri_verdict_t *verdict = listing->verdicts.elts;

    if (listing->last < listing->verdicts.nelts
        && verdict[listing->last].loc_conf == listing->loc_conf)
    {
        return &verdict[listing->last];
    }

    for (i = 0; i < listing->verdicts.nelts; i++) {
        if (verdict[i].loc_conf == listing->loc_conf) {
            listing->last = i;
            return &verdict[i];
        }
    }

    return NULL;
}


/* NGX_AGAIN: it is being asked; NGX_DECLINED: enough has been asked. */
static ngx_int_t
ngx_http_iri_listing_ask(ngx_http_request_t     *r,
                         ngx_http_iri_listing_t *listing)
{
    ngx_int_t rc;
    ngx_str_t path, expected;

    if (listing->asks == NGX_HTTP_IRI_MAX_ASKED) {
        iri_listing_more(listing->page);
        return NGX_DECLINED;
    }

    if (ngx_http_iri_listing_join(r, listing->base, listing, &path) != NGX_OK)
    {
        return NGX_ERROR;
    }

    expected = path;

    if (listing->rewritten
        && ngx_http_iri_listing_join(r, r->uri, listing, &expected) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_http_iri_judge_ask(r, &listing->judged, ngx_http_iri_in(path),
                                ngx_http_iri_in(expected));

    if (rc == NGX_AGAIN) {
        listing->asks++;
        listing->asked = 1;
    }

    return rc;
}


/*
 * May the client know of it?  NGX_OK, NGX_DECLINED; NGX_AGAIN: it is being
 * asked; NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_listing_judge(ngx_http_request_t     *r,
                           ngx_http_iri_listing_t *listing)
{
    ngx_http_iri_rules_t    rules = NGX_HTTP_IRI_RULES_EACH;
    ngx_http_iri_verdict_t *verdict;

    if (!listing->rewritten) {
        if (ngx_http_iri_listing_path(r, listing) != NGX_OK) {
            return NGX_ERROR;
        }

        rules = ngx_http_iri_rules(
            r, listing->path, listing->info.is_directory, &listing->loc_conf);
    }

    if (rules == NGX_HTTP_IRI_RULES_NEVER) {
        return NGX_DECLINED;
    }

    listing->alike = rules == NGX_HTTP_IRI_RULES_ALIKE;

    if (!listing->alike) {
        return ngx_http_iri_listing_ask(r, listing);
    }

    verdict = ngx_http_iri_listing_verdict(listing);
    if (verdict == NULL) {
        return ngx_http_iri_listing_ask(r, listing);
    }

    return verdict->passes && ngx_http_iri_listing_opens(listing)
               ? NGX_OK
               : NGX_DECLINED;
}


/* Is what would be opened in this directory?  Handlers open what they like. */
static ngx_uint_t
ngx_http_iri_listing_is_here(const ngx_http_iri_listing_t *listing)
{
    size_t  len = listing->judged.filename.len;
    u_char *name = listing->judged.filename.data;

    if (len == 0) {
        return 1;
    }

    if (name[len - 1] == '/') {
        len--;
    }

    while (len > 0 && name[len - 1] != '/') {
        len--;
    }

    return len == listing->name.len
           && ngx_memcmp(name, listing->name.data, len) == 0;
}


/* What the subrequest has found out.  As above. */
static ngx_int_t
ngx_http_iri_listing_taken(ngx_http_iri_listing_t *listing)
{
    ngx_http_iri_verdict_t *verdict;

    listing->asked = 0;

    if (!listing->alike) {
        return listing->judged.opens && ngx_http_iri_listing_is_here(listing)
                   ? NGX_OK
                   : NGX_DECLINED;
    }

    verdict = ngx_array_push(&listing->verdicts);
    if (verdict == NULL) {
        return NGX_ERROR;
    }

    verdict->loc_conf = listing->loc_conf;
    verdict->passes = listing->judged.passes;

    return verdict->passes && ngx_http_iri_listing_opens(listing)
               ? NGX_OK
               : NGX_DECLINED;
}


/* ---- reading the directory ---------------------------------------------- */

/* As nginx tells it, in the line of the request. */
static void
ngx_http_iri_listing_note(ngx_http_request_t *r, const char *call,
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


static ngx_int_t
ngx_http_iri_listing_failed(ngx_http_request_t *r, iri_status_t status)
{
    ngx_http_iri_note(r, IRI_LOG_ERROR, iri_reason_code(IRI_REASON_LISTING),
                      "a listing could not be made: %s",
                      iri_status_text(status));

    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* NGX_OK: there is an entry to be judged; NGX_DECLINED; a status. */
static ngx_int_t
ngx_http_iri_listing_entry(ngx_http_request_t     *r,
                           ngx_http_iri_listing_t *listing)
{
    iri_str_t    octets;
    iri_status_t status;

    octets.data = ngx_de_name(&listing->dir);
    octets.len = ngx_de_namelen(&listing->dir);

    if (octets.data[0] == '.') {
        return NGX_DECLINED;
    }

    status = iri_listing_entry(listing->page, octets, &listing->entry);
    if (status != IRI_OK) {
        return ngx_http_iri_listing_failed(r, status);
    }

    return !listing->entry.hidden && ngx_http_iri_listing_stat(listing)
               ? NGX_OK
               : NGX_DECLINED;
}


static ngx_int_t
ngx_http_iri_listing_add(ngx_http_request_t     *r,
                         ngx_http_iri_listing_t *listing)
{
    iri_status_t status;

    status = iri_listing_add(listing->page, &listing->entry, &listing->info);

    return status == IRI_OK ? NGX_OK : ngx_http_iri_listing_failed(r, status);
}


/* NGX_OK: there is another name; NGX_DECLINED: there is none; a status. */
static ngx_int_t
ngx_http_iri_listing_next(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    ngx_err_t err;

    ngx_set_errno(0);

    if (ngx_read_dir(&listing->dir) == NGX_OK) {
        return NGX_OK;
    }

    err = ngx_errno;
    if (err == NGX_ENOMOREFILES) {
        return NGX_DECLINED;
    }

    ngx_http_iri_listing_note(r, ngx_read_dir_n, &listing->name, err);

    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/*
 * Goes on where it stopped.  NGX_OK: all has been read; NGX_AGAIN: it waits
 * for what a subrequest says; else a status, or NGX_ERROR.
 */
static ngx_int_t
ngx_http_iri_listing_read(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    ngx_int_t rc;

    for (;;) {
        if (listing->asked) {
            if (listing->judged.sr != NULL) {
                return NGX_AGAIN;
            }

            rc = ngx_http_iri_listing_taken(listing);

        } else if (iri_listing_is_full(listing->page)) {
            iri_listing_more(listing->page);
            return NGX_OK;

        } else {
            rc = ngx_http_iri_listing_next(r, listing);
            if (rc != NGX_OK) {
                return rc == NGX_DECLINED ? NGX_OK : rc;
            }

            rc = ngx_http_iri_listing_entry(r, listing);
            if (rc == NGX_OK) {
                rc = ngx_http_iri_listing_judge(r, listing);
            }
        }

        if (rc == NGX_OK) {
            rc = ngx_http_iri_listing_add(r, listing);
        }

        if (rc != NGX_OK && rc != NGX_DECLINED) {
            return rc;
        }
    }
}


/* ---- headers ------------------------------------------------------------ */

ngx_int_t
ngx_http_iri_protect(ngx_http_request_t *r, const char *text)
{
    ngx_str_t policy;

    static ngx_str_t nosniff = ngx_string("nosniff");

    policy.data = (u_char *) text;
    policy.len = ngx_strlen(text);

    return ngx_http_iri_header_add(r, "X-Content-Type-Options", nosniff)
                       != NULL
                   && ngx_http_iri_header_add(r, "Content-Security-Policy",
                                              policy)
                          != NULL
               ? NGX_OK
               : NGX_ERROR;
}


/* Which names are in it depends on who asks. */
static ngx_int_t
ngx_http_iri_listing_head(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    u_char    *type = (u_char *) iri_listing_type(listing->page);
    u_char    *p = (u_char *) ngx_strchr(type, ';');
    ngx_str_t *charset = &r->headers_out.charset;

    static ngx_str_t privately = ngx_string("private");

    r->headers_out.status = NGX_HTTP_OK;

    r->headers_out.content_type.data = type;
    r->headers_out.content_type.len = p != NULL ? (size_t) (p - type)
                                                : ngx_strlen(type);
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    /* nginx's filter for charsets leaves alone what has one. */
    if (p != NULL) {
        ngx_str_set(charset, "utf-8");
    }

    if (ngx_http_iri_header_add(r, "Cache-Control", privately) == NULL
        || ngx_http_iri_protect(r, iri_listing_policy(listing->page))
               != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_send_header(r);
}


/* ---- sending ------------------------------------------------------------ */

/* A buffer that has been sent, or a new one; NULL: none, or no memory. */
static ngx_chain_t *
ngx_http_iri_listing_buffer(ngx_http_request_t     *r,
                            ngx_http_iri_listing_t *listing)
{
    ngx_chain_t *cl = listing->free;

    if (cl != NULL) {
        listing->free = cl->next;
        cl->next = NULL;
        return cl;
    }

    cl = ngx_alloc_chain_link(r->pool);
    if (cl == NULL) {
        return NULL;
    }

    cl->next = NULL;
    cl->buf = ngx_create_temp_buf(r->pool, NGX_HTTP_IRI_BUFFER);
    if (cl->buf == NULL) {
        return NULL;
    }

    cl->buf->tag = (ngx_buf_tag_t) &ngx_http_iri_module;
    cl->buf->recycled = 1; /* not to be kept back until there is more */
    listing->buffers++;

    return cl;
}


/* As much of the page as there is room for; ended: that was all of it. */
static void
ngx_http_iri_listing_fill(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing, ngx_buf_t *b)
{
    size_t len;

    while (b->last < b->end) {
        len = iri_listing_next(listing->page, b->last, b->end - b->last);

        if (len == 0) {
            listing->ended = 1;
            b->last_buf = r == r->main;
            b->last_in_chain = 1;
            break;
        }

        b->last += len;
    }

    /* A buffer without octets must say what it is for. */
    if (b->last == b->pos) {
        b->temporary = 0;
        b->recycled = 0;
        b->sync = 1;
    }
}


/* NGX_AGAIN: the client has to take what there is; else it is at its end. */
static ngx_int_t
ngx_http_iri_listing_send(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    ngx_int_t    rc;
    ngx_chain_t *out;

    for (;;) {
        out = NULL;

        if (listing->free != NULL || listing->buffers < NGX_HTTP_IRI_BUFFERS)
        {
            out = ngx_http_iri_listing_buffer(r, listing);

            if (out == NULL) {
                return NGX_ERROR;
            }

            ngx_http_iri_listing_fill(r, listing, out->buf);
        }

        rc = ngx_http_output_filter(r, out);

        if (rc == NGX_ERROR || listing->ended) {
            return rc == NGX_AGAIN ? NGX_OK : rc;
        }

        ngx_chain_update_chains(r->pool, &listing->free, &listing->busy, &out,
                                (ngx_buf_tag_t) &ngx_http_iri_module);

        if (listing->free == NULL && listing->buffers == NGX_HTTP_IRI_BUFFERS)
        {
            return NGX_AGAIN;
        }
    }
}


/* Who wakes it once more finds nothing to do. */
static void
ngx_http_iri_listing_end(ngx_http_request_t *r, ngx_int_t rc)
{
    r->write_event_handler = ngx_http_request_empty_handler;
    ngx_http_finalize_request(r, rc);
}


/*
 * As nginx waits for a client that is to take what is left.  A subrequest
 * whose turn it is not yet is woken by what comes before it.
 */
static void
ngx_http_iri_listing_wait(ngx_http_request_t *r)
{
    ngx_event_t              *wev = r->connection->write;
    ngx_http_core_loc_conf_t *clcf;

    clcf = ngx_http_get_module_loc_conf(r->main, ngx_http_core_module);

    r->http_state = NGX_HTTP_WRITING_REQUEST_STATE;
    r->read_event_handler = r->discard_body
                                ? ngx_http_discarded_request_body_handler
                                : ngx_http_test_reading;
    r->write_event_handler = ngx_http_iri_listing_go;

    if (r != r->connection->data) {
        return;
    }

    if (!wev->delayed) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
        ngx_http_iri_listing_end(r, NGX_ERROR);
    }
}


/* ---- the request -------------------------------------------------------- */

/* All has been read: NGX_OK if there is a page to be sent. */
static ngx_int_t
ngx_http_iri_listing_begin_page(ngx_http_request_t     *r,
                                ngx_http_iri_listing_t *listing)
{
    iri_status_t status;

    ngx_http_iri_listing_close(listing);
    listing->stage = NGX_HTTP_IRI_SENDING;

    status = iri_listing_finish(listing->page);
    if (status != IRI_OK) {
        return ngx_http_iri_listing_failed(r, status);
    }

    return ngx_http_iri_listing_head(r, listing);
}


static void
ngx_http_iri_listing_go(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_event_t            *wev = r->connection->write;
    ngx_http_iri_listing_t *listing = ngx_http_iri_ctx(r)->listing;

    if (wev->timedout) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, NGX_ETIMEDOUT,
                      "client timed out");
        r->connection->timedout = 1;
        ngx_http_iri_listing_end(r, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    if (listing->stage == NGX_HTTP_IRI_READING) {
        rc = ngx_http_iri_listing_read(r, listing);

        if (rc == NGX_AGAIN) {
            r->write_event_handler = ngx_http_iri_listing_go;
            return;
        }

        if (rc == NGX_OK) {
            rc = ngx_http_iri_listing_begin_page(r, listing);
        }

        if (rc != NGX_OK || r->header_only) {
            ngx_http_iri_listing_end(r, rc);
            return;
        }
    }

    if (wev->delayed || r->aio) {
        ngx_http_iri_listing_wait(r);
        return;
    }

    rc = ngx_http_iri_listing_send(r, listing);

    if (rc == NGX_AGAIN) {
        ngx_http_iri_listing_wait(r);
        return;
    }

    ngx_http_iri_listing_end(r, rc);
}


/* What autoindex answers where it cannot open a directory. */
static ngx_int_t
ngx_http_iri_listing_no_dir(ngx_http_request_t *r, ngx_str_t *name,
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

    ngx_http_iri_listing_note(r, ngx_open_dir_n, name, err);

    return rc;
}


/*
 * By disable_symlinks it is first seen whether it may be opened, by another
 * call: what has been opened must be that.
 */
static ngx_int_t
ngx_http_iri_listing_open(ngx_http_request_t     *r,
                          ngx_http_iri_listing_t *listing)
{
    struct stat               st;
    ngx_str_t                 name = listing->name;
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
                           : ngx_http_iri_listing_no_dir(r, &name, of.err);
    }

    if (ngx_open_dir(&name, &listing->dir) == NGX_ERROR) {
        return ngx_http_iri_listing_no_dir(r, &name, ngx_errno);
    }

    listing->open = 1;

    if (fstat(dirfd(listing->dir.dir), &st) != 0 || st.st_ino != of.uniq) {
        return ngx_http_iri_listing_no_dir(r, &name, NGX_ENOENT);
    }

    return NGX_OK;
}


/* What nginx makes of the path, with one "/" at its end. */
static ngx_int_t
ngx_http_iri_listing_place(ngx_http_request_t     *r,
                           ngx_http_iri_listing_t *listing)
{
    u_char             *last;
    size_t              root;
    ngx_str_t           name;
    ngx_http_iri_ctx_t *ctx = ngx_http_iri_ctx(r);

    last = ngx_http_map_uri_to_path(r, &name, &root, 1);
    if (last == NULL) {
        return NGX_ERROR;
    }

    if (last == name.data || last[-1] != '/') {
        *last++ = '/';
    }
    *last = '\0';

    listing->name.data = name.data;
    listing->name.len = last - name.data;

    /* The client's own path, where rewrites have made r->uri of it. */
    listing->base = r->uri;

    if (ctx != NULL && r == r->main && !ctx->inside && ctx->canonical.len != 0
        && ctx->canonical.data[ctx->canonical.len - 1] == '/')
    {
        listing->rewritten = !ngx_http_iri_same(r->uri, ctx->canonical);
        listing->base = ctx->canonical;
    }

    return NGX_OK;
}


static iri_status_t
ngx_http_iri_listing_begin(ngx_http_request_t     *r,
                           ngx_http_iri_listing_t *listing)
{
    iri_listing_conf_t       conf;
    ngx_http_iri_loc_conf_t *ilcf;
    ngx_http_iri_srv_conf_t *iscf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    conf.tree = &ilcf->tree;
    conf.cache = ngx_http_iri_cache(r);
    conf.reading = &iscf->reading;
    conf.root = ngx_http_iri_in(listing->name);
    conf.path = ngx_http_iri_in(listing->base);
    conf.query = ngx_http_iri_in(r->args);
    /* Another client would read the link to such an entry otherwise. */
    conf.unnamed = iscf->invalid == IRI_INVALID_PASS && iscf->client == NULL;

    ngx_http_iri_env(r, &listing->env);

    return iri_listing_begin(&listing->env, &conf, &listing->page);
}


static ngx_http_iri_listing_t *
ngx_http_iri_listing_make(ngx_http_request_t *r)
{
    ngx_http_iri_ctx_t     *ctx = ngx_http_iri_ctx_make(r);
    ngx_pool_cleanup_t     *cln;
    ngx_http_iri_listing_t *listing;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_iri_listing_t));
    if (ctx == NULL || cln == NULL) {
        return NULL;
    }

    listing = cln->data;
    ngx_memzero(listing, sizeof(ngx_http_iri_listing_t));
    cln->handler = ngx_http_iri_listing_cleanup;

    if (ngx_array_init(&listing->verdicts, r->pool, 8,
                       sizeof(ngx_http_iri_verdict_t))
        != NGX_OK)
    {
        return NULL;
    }

    ctx->listing = listing;

    return listing;
}


static ngx_uint_t
ngx_http_iri_listing_is_asked(ngx_http_request_t *r)
{
    ngx_http_iri_loc_conf_t *ilcf;
    ngx_http_iri_srv_conf_t *iscf;

    ilcf = ngx_http_get_module_loc_conf(r, ngx_http_iri_module);
    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return ilcf->listing && iscf->engine == IRI_ENGINE_ON
           && r->uri.data[r->uri.len - 1] == '/'
           && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD));
}


static ngx_int_t
ngx_http_iri_listing_handler(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    iri_status_t            status;
    ngx_http_iri_listing_t *listing;

    if (!ngx_http_iri_listing_is_asked(r)) {
        return NGX_DECLINED;
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    listing = ngx_http_iri_listing_make(r);

    if (listing == NULL || ngx_http_iri_listing_place(r, listing) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_iri_listing_open(r, listing);
    if (rc != NGX_OK) {
        return rc;
    }

    status = ngx_http_iri_listing_begin(r, listing);
    if (status != IRI_OK) {
        return ngx_http_iri_listing_failed(r, status);
    }

    if (r->method == NGX_HTTP_HEAD) {
        ngx_http_iri_listing_close(listing);
        return ngx_http_iri_listing_head(r, listing);
    }

    r->main->count++;
    ngx_http_iri_listing_go(r);

    return NGX_DONE;
}


/* ---- when the configuration is read ------------------------------------- */

/* Before autoindex, and behind all others: arrays are run backwards. */
static ngx_int_t
ngx_http_iri_listing_register(ngx_conf_t *cf, ngx_http_handler_pt autoindex)
{
    ngx_uint_t                 i;
    ngx_array_t               *handlers;
    ngx_http_handler_pt       *h;
    ngx_http_core_main_conf_t *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    handlers = &cmcf->phases[NGX_HTTP_CONTENT_PHASE].handlers;

    if (ngx_array_push(handlers) == NULL) {
        return NGX_ERROR;
    }

    h = handlers->elts;

    for (i = handlers->nelts - 1; i > 0; i--) {
        if (h[i - 1] == autoindex) {
            break;
        }

        h[i] = h[i - 1];
    }

    h[i] = ngx_http_iri_listing_handler;

    return NGX_OK;
}


/* autoindex on, in a location where it does nothing any more. */
static ngx_uint_t
ngx_http_iri_listing_hides(ngx_module_t              *autoindex,
                           const ngx_http_iri_hook_t *hook)
{
    char          *conf;
    ngx_command_t *cmd;

    if (autoindex == NULL || hook->conf->listing_place == NULL
        || !hook->conf->listing)
    {
        return 0;
    }

    conf = hook->loc_conf[autoindex->ctx_index];

    for (cmd = autoindex->commands; conf != NULL && cmd->name.len; cmd++) {
        if (ngx_strcmp(cmd->name.data, "autoindex") == 0) {
            return *(ngx_flag_t *) (conf + cmd->offset) == 1;
        }
    }

    return 0;
}


static void
ngx_http_iri_listing_warn_both(ngx_conf_t *cf)
{
    ngx_uint_t                i;
    ngx_module_t             *autoindex;
    ngx_http_iri_hook_t      *hook;
    ngx_http_iri_place_t     *place;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    autoindex = ngx_http_iri_module_named(cf, "ngx_http_autoindex_module");
    hook = imcf->hooks.elts;

    for (i = 0; i < imcf->hooks.nelts; i++) {
        place = hook[i].conf->listing_place;

        if (!ngx_http_iri_listing_hides(autoindex, &hook[i]) || place->warned)
        {
            continue;
        }

        place->warned = 1;

        ngx_log_error(
            NGX_LOG_WARN, cf->log, 0,
            "iri: \"autoindex\" has no effect where \"iri_listing\" "
            "in %V:%ui is on: take one of them out",
            &place->file, place->line);
    }
}


ngx_int_t
ngx_http_iri_listing_init(ngx_conf_t *cf)
{
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    if (!imcf->lists) {
        return NGX_OK;
    }

    ngx_http_iri_listing_warn_both(cf);

    return ngx_http_iri_listing_register(cf, ngx_http_iri_rules_last(imcf));
}


void
ngx_http_iri_listing_merge(const ngx_http_iri_loc_conf_t *prev,
                           ngx_http_iri_loc_conf_t       *conf,
                           ngx_http_iri_srv_conf_t       *iscf)
{
    if (conf->listing == NGX_CONF_UNSET) {
        conf->listing = prev->listing == 1;
        conf->listing_place = prev->listing_place;
    }

    if (conf->listing && iscf->engine != IRI_ENGINE_OFF) {
        iscf->lists = 1;
    }
}


ngx_uint_t
ngx_http_iri_listing_may_come(ngx_http_request_t *r)
{
    ngx_http_iri_srv_conf_t *iscf;

    iscf = ngx_http_get_module_srv_conf(r, ngx_http_iri_module);

    return iscf->lists && r->uri.len != 0
           && r->uri.data[r->uri.len - 1] == '/'
           && (r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD));
}
