/*
 * iri_output.h - HTML and JSON, and the stages of a listing
 */

#ifndef IRI_OUTPUT_H
#define IRI_OUTPUT_H

#include "iri_listing.h"
#include "base/iri_base.h"

#pragma GCC visibility push(hidden)


/* ---- HTML, JSON, the frame of a page --------------------------------------- */

/*
 * Seen by nobody, or changes how what is beside it is seen: two names would
 * look the same.
 */
int iri_char_is_invisible(uint32_t c);

/*
 * Append text to a page, in an element or an attribute.  Octets that are no
 * character, what is not seen, and "%" where it would look like an escape, as
 * "%" and hexadecimal digits: who undoes these has the octets again.
 */
iri_status_t iri_html_put(const iri_env_t *env, iri_buf_t *out,
                          iri_str_t text);

/* The same of a URI, whose escapes are escapes. */
iri_status_t iri_html_put_uri(const iri_env_t *env, iri_buf_t *out,
                              iri_str_t uri);

/*
 * *simple: all of it stands for itself, in a page and in a segment of a URI;
 * *ascii: iri_is_graphic.
 */
void iri_text_classify(iri_str_t text, int *simple, int *ascii);

/* Text as an element of its own: the directions of a name stay within it. */
iri_status_t iri_html_name(const iri_env_t *env, iri_buf_t *out,
                           iri_str_t name);

/*
 * Append a string with its quotes.  JSON is UTF-8: octets that are no
 * character are U+FFFD, which is itself escaped.
 */
iri_status_t iri_json_put(const iri_env_t *env, iri_buf_t *out,
                          iri_str_t text);


/* iri_html_put and its kin: at most six octets for one, and two. */
typedef iri_status_t (*iri_text_put_t)(const iri_env_t *env, iri_buf_t *out,
                                       iri_str_t text);

/* A piece of a page being written; after an error nothing more is. */
typedef struct {
    const iri_env_t *env;
    iri_buf_t        buf;
    iri_status_t     status;
} iri_page_part_t;

void iri_page_put(iri_page_part_t *piece, const char *text);
void iri_page_put_by(iri_text_put_t put, iri_page_part_t *piece, iri_str_t text);

/*
 * The begin of a link to a canonical path, from the root of the host, and
 * what stands behind its path: "<a href=..." without the ">".
 */
void iri_page_put_path(iri_page_part_t *piece, iri_str_t path);

/* All before the text of a page: within <header>. */
void iri_page_head(iri_page_part_t *piece, iri_str_t title);

/* All behind it. */
#define IRI_PAGE_FOOT "</body>\n</html>\n"

/* The value of Content-Security-Policy; json: for what is no page. */
const char *iri_page_policy(int json);


/* ---- listings -------------------------------------------------------------- */

/*
 * One entry; behind it its octets, and its name unless these are the name.
 * In blocks, one behind the other.
 */
typedef struct {
    uint64_t             size;
    int64_t              mtime;
    uint64_t             number;    /* what is sorted by, in the order that is
                                       asked for */
    const char          *key;       /* what names are sorted by; NULL: none */
    unsigned             position:30;    /* in the order of names */
    unsigned             kept:1;         /* the client may know of it */
    unsigned             mark:1;         /* no entry: where the page before
                                            ended */
    unsigned             octets_len:14;
    unsigned             name_len:11;    /* 0: it has none */
    unsigned             ascii:1;        /* the name is, with no control */
    unsigned             same:1;         /* the octets are the name */
    unsigned             directory:1;
    unsigned             known:1;        /* size and mtime are */
    unsigned             simple:1;       /* and stands in a page as it is */
    unsigned             linked:1;
    unsigned             shared:1;       /* another entry has the name, too */
} iri_item_t;

#define IRI_MAX_OCTETS IRI_MAX_PATH      /* of an entry */

#define IRI_LAST_BLOCK (1024 * 1024)     /* octets of the largest */

/* Octets that stay free for what is needed to look at entries. */
#define IRI_LISTING_SPARE (4 * IRI_LAST_BLOCK)

/* Blocks of memory out of the arena, each larger than the one before. */
typedef union iri_block_u {
    struct {
        union iri_block_u *next;
        size_t             size;   /* octets behind this */
        size_t             used;
    } head;
    uint64_t align;
} iri_block_t;

typedef struct {
    iri_block_t *first;
    iri_block_t *last;     /* the one in use */
} iri_blocks_t;

typedef enum { IRI_SORT_NAME, IRI_SORT_SIZE, IRI_SORT_DATE } iri_sort_t;

/* What it takes of the arena, all blocks together. */
typedef struct {
    iri_env_t    own;           /* memory for one entry, used again */
    iri_dir_t    own_dir;       /* env's, with its ctx */
    iri_blocks_t scratch;       /* of own */
    iri_blocks_t items;
    iri_blocks_t keys;
    size_t       taken;         /* octets of the arena */
} iri_listing_memory_t;

/* What the query asks for. */
typedef struct {
    iri_sort_t sort;
    int        descending;
    int        json;
    iri_str_t  after;          /* what the page begins behind, as it came;
                                  empty: the first page */
} iri_listing_query_t;

/* The directory. */
typedef struct {
    iri_reading_conf_t reading;   /* where conf has none */
    iri_str_t          root;      /* without "/" at its end */
    iri_buf_t          path;      /* its path, and that of an entry */
    size_t             base;      /* octets of its path */
    size_t             slashes;   /* in it */
    int                odd;       /* its path is none that a request comes to
                                     be */
} iri_listing_directory_t;

/* The entries that are told of. */
typedef struct {
    size_t      count;
    size_t      directories;   /* of them */
    size_t      asked;         /* times that iri_find may have read the
                                  directory */
    int         more;          /* there are others, not told of */
    int         next;          /* 1: there is a page behind this one */
    size_t      kept;          /* conf.paged: names that the client may know
                                  of, one more than a page holds at most; */
    size_t      directories_kept;  /* of those on the page */
    int         judging;       /* conf.paged: ranks are all entries, until
                                  the listing is finished */
    size_t      next_judged;   /* the next of ranks */
    iri_item_t *judged;        /* the one before that */
    iri_item_t **ranks;        /* in order */
} iri_listing_entries_t;

/* The page, while it is written. */
typedef struct {
    size_t    at;            /* the next of ranks */
    iri_buf_t row;           /* what came before the first, and then one that
                                did not fit */
    iri_str_t told;          /* of row: what is still to be told */
    iri_str_t foot;          /* what comes behind the last */
} iri_listing_page_t;

/* A listing, stage by stage. */
struct iri_listing_s {
    const iri_env_t     *env;
    iri_listing_conf_t   conf;
    iri_listing_memory_t memory;
    iri_listing_query_t wanted;
    iri_listing_directory_t  place;
    iri_listing_entries_t   held;
    iri_listing_page_t   page;
};

static inline iri_str_t
iri_item_octets(const iri_item_t *item)
{
    iri_str_t s = { item->octets_len, (const unsigned char *) (item + 1) };

    return s;
}

/* Its name; empty: it has none. */
static inline iri_str_t
iri_item_name(const iri_item_t *item)
{
    iri_str_t s = { item->name_len, (const unsigned char *) (item + 1) };

    if (!item->same) {
        s.data += item->octets_len;
    }

    return s;
}

static inline size_t
iri_aligned(size_t size)
{
    return (size + 7) & ~(size_t) 7;
}

/* Out of blocks, aligned for anything; NULL: no memory. */
void *iri_blocks_take(iri_listing_t *listing, iri_blocks_t *blocks,
                      size_t size);

/* What was taken is taken again. */
void iri_blocks_reset(iri_blocks_t *blocks);

/* Put all entries in the order that is asked for into held.ranks. */
iri_status_t iri_listing_sort(iri_listing_t *listing);

/*
 * Put those of held.ranks, which have keys, in the order that is asked for,
 * and mark those that share a name.
 */
void iri_listing_order(iri_listing_t *listing);

/* Get ready to write: nothing that comes after can fail. */
iri_status_t iri_page_begin(iri_listing_t *listing);

/*
 * "2026-11-22T11:25:00Z" (RFC 3339) of seconds since 1970, in years 1 to 9999.
 * 0: it has no such date, and nothing was written.
 */
int iri_put_time(int64_t seconds, unsigned char out[20]);


#pragma GCC visibility pop

#endif /* IRI_OUTPUT_H */
