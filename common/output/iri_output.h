/*
 * iri_output.h - HTML and JSON text, the frame of a page, listings
 *
 * Shared by the files of common/output/ that write pages.  Text is UTF-8,
 * lengths are in octets.  Unless stated otherwise, functions that return
 * iri_status_t return IRI_OK or IRI_NO_MEMORY.
 */

#ifndef IRI_OUTPUT_H
#define IRI_OUTPUT_H

#include "iri_listing.h"
#include "base/iri_string.h"

#pragma GCC visibility push(hidden)


/* ---- HTML, JSON, the frame of a page ------------------------------------- */

/*
 * 1 if the character c is invisible or changes how its neighbours are shown:
 * controls, bidi formatting, default ignorable code points, noncharacters.
 * Two names that differ in such characters would look the same.
 */
int iri_char_is_invisible(uint32_t c);

/*
 * Append text to out, escaped for element content and for an attribute.
 * Written as "%XX", so that decoding the escapes gives the octets of text: an
 * octet that is not UTF-8, a "%" that looks like an escape, and each octet of
 * an invisible character; but not of a joiner or variation selector that
 * changes how its neighbours look (in Persian, Sinhala, emoji).  An octet
 * becomes at most 6 octets.
 * "a<b\xff" -> "a&lt;b%FF"; "%41" -> "%2541"
 */
iri_status_t iri_html_put(const iri_env_t *env, iri_buf_t *out,
                          iri_str_t text);

/* The same for a URI (ASCII): its escapes are copied as they are. */
iri_status_t iri_html_put_uri(const iri_env_t *env, iri_buf_t *out,
                              iri_str_t uri);

/*
 * Classify text octet by octet.
 * *simple: 1: no octet needs an escape in HTML or in a path segment of a URI.
 * *ascii:  1: every octet is printable ASCII or a space.
 */
void iri_text_classify(iri_str_t text, int *simple, int *ascii);

/*
 * Append "<bdi>", text as iri_html_put writes it, and "</bdi>": the text
 * cannot change the direction of its neighbours.
 */
iri_status_t iri_html_name(const iri_env_t *env, iri_buf_t *out,
                           iri_str_t name);

/*
 * Append text as a JSON string, with its quotes (RFC 8259).  An octet that is
 * not UTF-8 becomes U+FFFD.  U+FFFD, "<" and invisible characters are written
 * as \uXXXX, so that the result can also stand in an HTML page.
 * "a<\xff" -> "\"a\u003c\ufffd\""
 */
iri_status_t iri_json_put(const iri_env_t *env, iri_buf_t *out,
                          iri_str_t text);


/*
 * iri_html_put, iri_html_put_uri, iri_html_name or iri_json_put.  iri_html_put
 * writes at most 6 octets for an octet, iri_json_put the same and 2 quotes.
 */
typedef iri_status_t (*iri_text_put_t)(const iri_env_t *env, iri_buf_t *out,
                                       iri_str_t text);

/* A part of a page that is being written. */
typedef struct {
    const iri_env_t *env;
    iri_buf_t        buf;
    iri_status_t     status;   /* first error; nothing is appended after it */
} iri_page_part_t;

/* Append text, which ends with NUL, without escaping it. */
void iri_page_put(iri_page_part_t *part, const char *text);

/* Append text by the given writer. */
void iri_page_put_by(iri_text_put_t put, iri_page_part_t *part,
                     iri_str_t text);

/*
 * Append the start of a link to a canonical path, without the ">":
 * "/é" -> "<a href=\"/%C3%A9\""
 */
void iri_page_put_path(iri_page_part_t *part, iri_str_t path);

/* Append everything from the doctype to the start tag of <header>. */
void iri_page_head(iri_page_part_t *part, iri_str_t title);

/* The end of each page. */
#define IRI_PAGE_FOOT "</body>\n</html>\n"

/*
 * The value of Content-Security-Policy.  json: 1: for JSON, 0: for a page
 * with the style of iri_page_head.  Static.
 */
const char *iri_page_policy(int json);


/* ---- listings ------------------------------------------------------------ */

/*
 * One entry.  Its octets follow the struct, then its name, unless both are the
 * same.  Items lie in blocks, one after the other.
 */
typedef struct {
    uint64_t             size;           /* octets; 0: unknown */
    int64_t              mtime;          /* seconds since the epoch */
    uint64_t             number;         /* sort key of the requested order,
                                            smallest first */
    const char          *key;            /* collation key of the name; NULL:
                                            none */
    unsigned             position:30;    /* rank in the order of names */
    unsigned             visible:1;      /* conf.paged: the client may see it */
    unsigned             is_marker:1;    /* not an entry: the place where the
                                            previous page ended */
    unsigned             octets_len:14;
    unsigned             name_len:11;    /* 0: the entry has no name */
    unsigned             ascii:1;        /* the name is printable ASCII */
    unsigned             same:1;         /* the octets are the name */
    unsigned             directory:1;
    unsigned             known:1;        /* 0: size and mtime are unknown */
    unsigned             simple:1;       /* the name needs no escapes */
    unsigned             linked:1;       /* a request for its link finds it */
    unsigned             conflict:1;     /* another entry has the same name */
} iri_item_t;

#define IRI_MAX_OCTETS IRI_MAX_PATH      /* greatest octets_len */

#define IRI_LAST_BLOCK (1024 * 1024)     /* octets of the largest block */

/* Octets of IRI_LISTING_MEMORY that are reserved for temporary data. */
#define IRI_LISTING_SPARE (4 * IRI_LAST_BLOCK)

/* The header of a block of memory from the arena. */
typedef union iri_block_u {
    struct {
        union iri_block_u *next;   /* NULL: the last */
        size_t             size;   /* octets after this header */
        size_t             used;
    } head;
    uint64_t align;
} iri_block_t;

/* A list of blocks, each larger than the one before it. */
typedef struct {
    iri_block_t *first;    /* NULL: empty */
    iri_block_t *last;     /* the block in use */
} iri_blocks_t;

typedef enum { IRI_SORT_NAME, IRI_SORT_SIZE, IRI_SORT_DATE } iri_sort_t;

/* Memory of a listing. */
typedef struct {
    iri_env_t    scratch_env;   /* allocates from scratch */
    iri_dir_t    scratch_dir;   /* calls the functions of env->dir */
    iri_blocks_t scratch;       /* temporary data of one entry */
    iri_blocks_t items;
    iri_blocks_t keys;
    size_t       taken;         /* octets of all blocks together */
} iri_listing_memory_t;

/* The parameters of the query. */
typedef struct {
    iri_sort_t sort;
    int        descending;
    int        json;
    iri_str_t  after;          /* entry that the page starts after, escaped;
                                  empty: first page */
} iri_listing_query_t;

/* The directory. */
typedef struct {
    iri_reading_conf_t reading;   /* used if conf.reading is NULL */
    iri_str_t          root;      /* on disk, without a trailing "/" */
    iri_buf_t          path;      /* canonical path of the directory, then of
                                     the current entry */
    size_t             base;      /* octets of the directory's path */
    size_t             slashes;   /* number of "/" in it */
    int                unreachable;   /* 1: no request is read as a path in
                                         this directory */
} iri_listing_directory_t;

/* The entries that the page shows. */
typedef struct {
    size_t      count;
    size_t      directories;   /* of these entries */
    size_t      lookups;       /* calls of iri_find that may read the
                                  directory */
    int         truncated;     /* 1: the directory has more entries than the
                                  page can show */
    int         has_next;      /* 1: there is a next page */
    size_t      visible;       /* conf.paged: entries that the client may see,
                                  at most one more than a page shows */
    size_t      visible_directories;   /* directories among those shown */
    int         judging;       /* 1: conf.paged, and ranks still holds all
                                  entries */
    size_t      next_rank;     /* index in ranks of the next entry to judge */
    iri_item_t *current;       /* the entry that is being judged */
    iri_item_t **ranks;        /* the entries in the requested order */
} iri_listing_entries_t;

/* The page while it is written. */
typedef struct {
    size_t    at;            /* index in ranks of the next entry */
    iri_buf_t row;           /* the page up to the first entry; later an entry
                                that did not fit the caller's buffer */
    iri_str_t pending;       /* the rest of row that is not yet written */
    iri_str_t foot;          /* the rest of the page after the last entry */
} iri_listing_page_t;

/* A listing; iri_listing.h describes the order of the calls. */
struct iri_listing_s {
    const iri_env_t        *env;
    iri_listing_conf_t      conf;
    iri_listing_memory_t    memory;
    iri_listing_query_t     query;
    iri_listing_directory_t directory;
    iri_listing_entries_t   entries;
    iri_listing_page_t      page;
};

/* The octets of an entry as stored on disk. */
static inline iri_str_t
iri_item_octets(const iri_item_t *item)
{
    iri_str_t s = { item->octets_len, (const unsigned char *) (item + 1) };

    return s;
}

/* The name of an entry in UTF-8; empty: it has none. */
static inline iri_str_t
iri_item_name(const iri_item_t *item)
{
    iri_str_t s = { item->name_len, (const unsigned char *) (item + 1) };

    if (!item->same) {
        s.data += item->octets_len;
    }

    return s;
}

/* size rounded up to a multiple of 8. */
static inline size_t
iri_aligned(size_t size)
{
    return (size + 7) & ~(size_t) 7;
}

/*
 * Take size octets from blocks, aligned to 8; add a block if none has room.
 * The memory lives until iri_blocks_reset or the end of the arena.
 * Returns: NULL: no memory, or more than IRI_LISTING_MEMORY.
 */
void *iri_blocks_take(iri_listing_t *listing, iri_blocks_t *blocks,
                      size_t size);

/* Mark the blocks as empty, so that they are used again. */
void iri_blocks_reset(iri_blocks_t *blocks);

/*
 * Compute the collation keys of all entries and fill entries.ranks with the
 * entries in the requested order.  Returns: IRI_OK, IRI_NO_MEMORY,
 * IRI_ICU_FAILED.
 */
iri_status_t iri_listing_sort(iri_listing_t *listing);

/*
 * Sort entries.ranks by the keys that the entries have, and set conflict of
 * entries with the same name.
 */
void iri_listing_order(iri_listing_t *listing);

/*
 * Write the texts before and after the entries, and reserve room for one entry,
 * so that iri_listing_next allocates nothing.
 */
iri_status_t iri_page_begin(iri_listing_t *listing);

/*
 * Write seconds since 1970 as "2026-11-22T11:25:00Z" (RFC 3339), without NUL,
 * for the years 1 to 9999.  Returns: 1; 0: out of this range, nothing is
 * written.
 */
int iri_put_time(int64_t seconds, unsigned char out[20]);


#pragma GCC visibility pop

#endif /* IRI_OUTPUT_H */
