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
 * 1 if the invisible character c, n octets at p in text, is not escaped, because
 * the spelling of the text needs it (iri_is_orthographic).
 */
int iri_is_orthographic_at(iri_str_t text, const unsigned char *p, size_t n,
                           uint32_t c);

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

/* Append formatted text as printf; it is cut after 399 octets. */
void iri_page_putf(iri_page_part_t *part, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Append text by the given writer. */
void iri_page_put_by(iri_text_put_t put, iri_page_part_t *part,
                     iri_str_t text);

/*
 * Append the start of a link to a canonical path, without the ">":
 * "/é" -> "<a href=\"/%C3%A9\""
 */
void iri_page_put_path(iri_page_part_t *part, iri_str_t path);

/*
 * Append everything from the doctype to the start tag of <header>.
 * meta: further elements of <head>.
 */
void iri_page_head(iri_page_part_t *part, iri_str_t title, const char *meta);

/* The end of each page. */
#define IRI_PAGE_FOOT "</body>\n</html>\n"

/*
 * The values of iri_page_t.policy for HTML with the style of iri_page_head: of
 * names, and of the status report.
 */
extern const char iri_page_policy[];
extern const char iri_report_policy[];

/* Finish a page of names.  json: 1 for JSON, 0 for HTML. */
iri_status_t iri_page_finish(const iri_page_part_t *part, int json,
                             iri_page_t *out);

/* "2026-11-22T11:25:00Z" (RFC 3339); empty: not in the years 1 to 9999 */
typedef struct {
    char text[sizeof("2026-11-22T11:25:00Z")];
} iri_time_text_t;

/* seconds: since 1970 */
iri_time_text_t iri_time_text(int64_t seconds);


/* Remove the next parameter, up to "&", from *query. */
iri_str_t iri_take_parameter(iri_str_t *query);


/* ---- listings ------------------------------------------------------------ */

/*
 * One entry.  Its octets follow the struct, then its name, unless both are the
 * same.
 */
typedef struct iri_item_s iri_item_t;

struct iri_item_s {
    iri_item_t *next;           /* the entry that was added before */
    uint64_t    size;           /* octets */
    int64_t     mtime;          /* seconds since the epoch */
    uint64_t    number;         /* sort key of the requested order, smallest
                                   first */
    const char *key;            /* collation key of the name; NULL: none */
    unsigned    position:30;    /* rank in the order of names */
    unsigned    is_marker:1;    /* not an entry: the place where the previous
                                   page ended */
    unsigned    same:1;         /* the octets are the name */
    unsigned    octets_len:14;
    unsigned    name_len:11;    /* 0: the entry has no name */
    unsigned    directory:1;
    unsigned    linked:1;       /* a request for its link finds it */
    unsigned    conflict:1;     /* another entry has the same name */
};

#define IRI_MAX_OCTETS IRI_MAX_PATH      /* greatest octets_len */

typedef enum { IRI_SORT_NAME, IRI_SORT_SIZE, IRI_SORT_DATE } iri_sort_t;

/* The parameters of the query. */
typedef struct {
    iri_sort_t sort;
    int        descending;
    int        json;
    iri_str_t  after;          /* entry that the page starts after, escaped;
                                  empty: first page */
} iri_listing_query_t;

/* A page of names; iri_listing.h describes the order of the calls. */
struct iri_listing_s {
    const iri_env_t    *env;
    iri_choices_t       choices;   /* paths NULL: a listing */
    iri_str_t          *paths;     /* of choices that the client may get */
    iri_str_t           path;      /* of the choice that is judged */

    iri_listing_conf_t  conf;
    iri_listing_query_t query;
    iri_item_t         *last;      /* the entry added last; NULL: none */
    iri_item_t        **ranks;     /* the entries in the requested order, those
                                      of the page first; NULL: not sorted */
    iri_buf_t           name;      /* memory for a name */
    iri_buf_t           entry;     /* canonical path of the current entry */
    size_t              taken;     /* octets of the entries and keys */
    int                 truncated; /* 1: the directory has more entries */

    size_t              count;     /* of entries */
    size_t              next;      /* index of the next name to judge */
    size_t              shown;     /* names that the page shows */
    int                 has_next;  /* 1: there is a next page */
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

/*
 * Take size octets for entries and keys.
 * Returns: NULL: no memory.
 */
void *iri_listing_alloc(iri_listing_t *listing, size_t size);

/*
 * Compute the collation keys of all entries and fill ranks with the entries in
 * the requested order.  Returns: IRI_OK, IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_sort(iri_listing_t *listing);

/* Set conflict of the shown entries with the same name. */
void iri_listing_mark_conflicts(iri_listing_t *listing);

/* Write the shown entries, or choices. */
iri_status_t iri_listing_write(iri_listing_t *listing, iri_page_t *out);
iri_status_t iri_choices_write(const iri_listing_t *listing, iri_page_t *out);


#pragma GCC visibility pop

#endif /* IRI_OUTPUT_H */
