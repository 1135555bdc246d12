/*
 * iri_int.h - what only the files of the core need of each other
 */

#ifndef IRI_INT_H
#define IRI_INT_H

#include <string.h>

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- arena, strings, growing buffers (iri_mem.c) ------------------------ */

/* A growing string in the arena; never larger than IRI_MAX_BUFFER. */
typedef struct {
    unsigned char *data;
    size_t         len;
    size_t         size;   /* octets allocated */
} iri_buf_t;

#define IRI_MAX_BUFFER (1024 * 1024)   /* no path within the limits needs it */

#define IRI_BUF_EMPTY { NULL, 0, 0 }

/* Make room for more octets behind what is there. */
iri_status_t iri_buf_reserve(const iri_env_t *env, iri_buf_t *buf,
                             size_t more);

/* The same, unless there is. */
static inline iri_status_t
iri_buf_room(const iri_env_t *env, iri_buf_t *buf, size_t more)
{
    return more > buf->size - buf->len ? iri_buf_reserve(env, buf, more)
                                       : IRI_OK;
}

/* data may be NULL when len is 0 */
static inline iri_status_t
iri_buf_put(const iri_env_t *env, iri_buf_t *buf, const unsigned char *data,
            size_t len)
{
    iri_status_t status = iri_buf_room(env, buf, len);

    if (status != IRI_OK) {
        return status;
    }

    if (len != 0) {
        memcpy(buf->data + buf->len, data, len);
        buf->len += len;
    }

    return IRI_OK;
}

static inline iri_status_t
iri_buf_putc(const iri_env_t *env, iri_buf_t *buf, unsigned char c)
{
    return iri_buf_put(env, buf, &c, 1);
}

/* Up to its NUL. */
static inline iri_status_t
iri_put_text(const iri_env_t *env, iri_buf_t *buf, const char *text)
{
    return iri_buf_put(env, buf, (const unsigned char *) text, strlen(text));
}

/* "%" and two upper-case hexadecimal digits */
static inline iri_status_t
iri_buf_put_escape(const iri_env_t *env, iri_buf_t *buf, unsigned char c)
{
    static const char hex[] = "0123456789ABCDEF";
    unsigned char     escape[3];

    escape[0] = '%';
    escape[1] = (unsigned char) hex[c >> 4];
    escape[2] = (unsigned char) hex[c & 15];

    return iri_buf_put(env, buf, escape, sizeof(escape));
}

/* Of ASCII letters; others stay. */
static inline unsigned char
iri_lower(unsigned char c)
{
    return (unsigned char) (c | ((unsigned) c - 'A' < 26u) << 5);
}

/* The same of eight octets. */
static inline uint64_t
iri_lower_word(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t       low = word & ones * 0x7f;
    uint64_t       upper = (low + ones * (0x80 - 'A'))
                     & ~(low + ones * (0x7f - 'Z')) & ~word & ones * 0x80;

    return word | upper >> 2;
}

iri_str_t iri_buf_str(const iri_buf_t *buf);
iri_str_t iri_str_from(iri_str_t s, size_t offset);       /* its tail */
int iri_str_equal(iri_str_t a, iri_str_t b);
int iri_str_compare(iri_str_t a, iri_str_t b);            /* by octets */
int iri_str_equal_nocase(iri_str_t a, const char *b);     /* ASCII only */
size_t iri_str_count(iri_str_t s, unsigned char c);
size_t iri_segment_end(iri_str_t path, size_t offset);    /* next "/" */
size_t iri_after_slash(iri_str_t s, size_t n); /* the n-th last; 0: fewer */
int iri_is_dot_segment(iri_str_t segment);                /* "." or ".." */
int iri_is_graphic(iri_str_t s);                   /* ASCII, no control */

/*
 * Octets of the segments that path begins with and that are graphic ASCII, each
 * with the "/" behind it.
 */
size_t iri_graphic_segments(iri_str_t path);

/*
 * Are len octets, at most eight, graphic ASCII?  Blanks stand for those that
 * are missing.  One that is not may spoil the test of those beside it, but then
 * the answer is 0 in any case.
 */
static inline int
iri_is_graphic_word(const unsigned char *p, size_t len)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t       word = ones * 0x20;

    memcpy(&word, p, len);

    /* above 7F, below 20, or 7F? */
    return ((word | (word - ones * 0x20) | (word + ones)) & ones * 0x80) == 0;
}

/* The same of eight at p, which is below end; 0, too, if there are fewer. */
static inline int
iri_is_graphic_eight(const unsigned char *p, const unsigned char *end)
{
    return *p < 0x80 && end - p >= 8 && iri_is_graphic_word(p, 8);
}


/* One line to the caller's log; %s arguments must be printable already. */
void iri_logf(const iri_env_t *env, iri_log_level_t level,
              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "answer moved: found under a further reading"; where there is a trace. */
void iri_trace_answer(const iri_env_t *env, iri_answer_t answer,
                      iri_why_t why);

/* What would be done; before all that was noted, or behind it (iri_notes.c) */
void iri_note_would(iri_notes_t *notes, const char *code, int first,
                    const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Octets as printable ASCII for a log line; static text if no memory. */
const char *iri_printable(const iri_env_t *env, iri_str_t s);


/* ---- UTF-8 (iri_utf8.c) -------------------------------------------------- */

/*
 * Strict: no overlong form, no surrogate, nothing above 10FFFF.  Octets
 * taken, 0 if p does not start a character.
 */
size_t iri_utf8_next(const unsigned char *p, const unsigned char *end,
                     uint32_t *c);
size_t iri_utf8_put(uint32_t c, unsigned char out[4]);   /* octets written */

/*
 * Octets of the character at p if it is one of those that most names are made
 * of and that need no closer look: allowed, inert, no mark, no bidi control.
 * 0: ask the functions for that.  Graphic ASCII; Latin from U+00C0 on, up to
 * U+02FF; U+0400 to U+047F; kana but the marks that may join them;
 * ideographs from U+5000 on; Hangul from U+B000 to U+CFFF.
 */
static inline size_t
iri_utf8_quick(const unsigned char *p, const unsigned char *end)
{
    if (p[0] < 0x80) {
        return p[0] >= 0x20 && p[0] != 0x7f;
    }

    if (p[0] < 0xe0) {
        return end - p >= 2 && (p[1] & 0xc0) == 0x80
                       && ((p[0] >= 0xc3 && p[0] <= 0xcb) || p[0] == 0xd0
                           || p[0] == 0xd1)
                   ? 2
                   : 0;
    }

    return end - p >= 3 && (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80
                   && ((p[0] >= 0xe5 && p[0] <= 0xec && p[0] != 0xea)
                       || (p[0] == 0xe3
                           && (p[1] == 0x81 || p[1] == 0x83
                               || (p[1] == 0x82 && p[2] != 0x99
                                   && p[2] != 0x9a))))
               ? 3
               : 0;
}

/* The same as iri_utf8_next, sooner for characters of these. */
static inline size_t
iri_utf8_next_quick(const unsigned char *p, const unsigned char *end,
                    uint32_t *c)
{
    size_t n = iri_utf8_quick(p, end);

    switch (n) {
    case 1:
        *c = p[0];
        return n;

    case 2:
        *c = (uint32_t) (p[0] & 0x1f) << 6 | (p[1] & 0x3fu);
        return n;

    case 3:
        *c = (uint32_t) (p[0] & 0x0f) << 12 | (uint32_t) (p[1] & 0x3f) << 6
             | (p[2] & 0x3fu);
        return n;

    default:
        return iri_utf8_next(p, end, c);
    }
}

int iri_hex(unsigned char c);   /* its value; -1: no hexadecimal digit */

/* Octets of one unit at p: 3 for an escape, 1; 0 for a bad escape. */
size_t iri_unescape(const unsigned char *p, const unsigned char *end,
                    unsigned char *octet);


/* ---- characters, normalization (iri_norm.c) ------------------------------ */

/* May a segment hold this character?  legacy: not out of UTF-8. */
int iri_char_allowed(uint32_t c, int legacy);

/* Bidi_Control: LRM, RLM, ALM, embeddings, overrides, isolates (draft 4.1) */
int iri_char_is_bidi_control(uint32_t c);

/*
 * 1: no text of such characters only is changed by NFC, whatever follows.
 * NFC_Quick_Check=Yes and combining class 0, for the scripts that most names
 * are in; a character that is left out only costs a closer look.
 */
static inline int
iri_char_is_inert(uint32_t c)
{
    if (c < 0x0300 || (c >= 0x4e00 && c <= 0x9fff)) {
        return 1;
    }

    if (c < 0x0388) {
        return 0;
    }

    if (c < 0x3000) {
        return c <= 0x0482 /* Greek, Cyrillic */
               || (c >= 0x048a && c <= 0x052f)
               || (c >= 0x05d0 && c <= 0x05ea)  /* Hebrew letters */
               || (c >= 0x0620 && c <= 0x064a)  /* Arabic letters */
               || (c >= 0x0e01 && c <= 0x0e37)  /* Thai up to sara uee */
               || (c >= 0x1e00 && c <= 0x1eff); /* Latin, Vietnamese too */
    }

    return (c >= 0x3001 && c <= 0x3029)
           || (c >= 0x3030 && c <= 0x3098) /* kana but voiced marks */
           || (c >= 0x309b && c <= 0x33ff)
           || (c >= 0xac00 && c <= 0xd7a3) /* Hangul syllables */
           || (c >= 0xff01 && c <= 0xffee);
}

/* 1: NFC joins nothing of it to what comes before it */
int iri_char_starts(uint32_t c);

/* 1: a combining mark, of which only IRI_MAX_MARKS in a row are normalized */
int iri_char_is_mark(uint32_t c);

/* 1: U+037E, U+1FEF or U+212A, which stay as they are: their NFC is ASCII */
int iri_char_stays(uint32_t c);

/*
 * Append run in NFC, at most IRI_MAX_SEGMENT characters of valid UTF-8.
 * U+037E, U+1FEF and U+212A stay as they are and separate what is beside
 * them.
 */
iri_status_t iri_nfc_put(const iri_env_t *env, iri_str_t run, iri_buf_t *out);

/*
 * The same of a piece of valid UTF-8 that ends where a character starts; with
 * more than IRI_MAX_MARKS marks in a row, or IRI_MAX_SEGMENT characters, it
 * stays as it is.
 */
iri_status_t iri_nfc_piece(const iri_env_t *env, iri_str_t piece,
                           iri_buf_t *out);

/* Characters that NFC may join, gathered one by one. */
typedef struct {
    size_t    base;   /* where the ASCII character that begins them stands, to
                         be written as it came; IRI_NO_BASE: none does */
    iri_buf_t run;
    iri_buf_t nfc;    /* the same, normalized */
} iri_run_t;

#define IRI_NO_BASE ((size_t) -1)
#define IRI_RUN_EMPTY { IRI_NO_BASE, IRI_BUF_EMPTY, IRI_BUF_EMPTY }

/* What they are in NFC. */
typedef struct {
    size_t    base;      /* it stands before rest; IRI_NO_BASE: there is none,
                            or it was absorbed */
    iri_str_t rest;      /* good until the next iri_run_end */
    int       changed;   /* they were not in NFC */
} iri_ran_t;

/* Of a run that is not empty, nor a base alone. */
iri_status_t iri_run_normalize(const iri_env_t *env, iri_run_t *run,
                               iri_status_t (*by)(const iri_env_t *,
                                                  iri_str_t, iri_buf_t *),
                               iri_ran_t *out);

/* Add a character of the source, whose octets begin at i. */
static inline iri_status_t
iri_run_add(const iri_env_t *env, iri_run_t *run, size_t i, uint32_t c)
{
    unsigned char utf8[4];

    if (c < 0x80) {
        run->base = i;
        return iri_buf_putc(env, &run->run, (unsigned char) c);
    }

    return iri_buf_put(env, &run->run, utf8, iri_utf8_put(c, utf8));
}

/*
 * End the run and empty it; by: iri_nfc_put or iri_nfc_piece.  A base alone is
 * ASCII, which NFC does not change.
 */
static inline iri_status_t
iri_run_end(const iri_env_t *env, iri_run_t *run,
            iri_status_t (*by)(const iri_env_t *, iri_str_t, iri_buf_t *),
            iri_ran_t *out)
{
    iri_status_t status = IRI_OK;

    out->base = run->base;
    out->rest.len = 0;
    out->rest.data = NULL;
    out->changed = 0;

    if (run->run.len > (size_t) (run->base != IRI_NO_BASE)) {
        status = iri_run_normalize(env, run, by, out);
    }

    run->base = IRI_NO_BASE;
    run->run.len = 0;

    return status;
}

/* The same of a text of any length, piece by piece (iri_function.c). */
iri_status_t iri_nfc_text(const iri_env_t *env, iri_str_t text,
                          iri_buf_t *out);

/* Append run in NFD, with the exceptions of iri_nfc_put. */
iri_status_t iri_nfd_put(const iri_env_t *env, iri_str_t run, iri_buf_t *out);

/*
 * Compose base and mark: the character, 0 if there is none (Normalizer2's
 * composePair).  IRI_ICU_FAILED.
 */
iri_status_t iri_compose(uint32_t base, uint32_t mark, uint32_t *c);

/* Is ICU's normalization data there? */
int iri_norm_ready(void);


/* ---- texts (iri_function.c) ---------------------------------------------- */

/*
 * What a text of UTF-8 begins with: up to the second character that starts a
 * piece.
 */
iri_str_t iri_piece(iri_str_t text, int (*starts)(uint32_t c));


/* ---- charsets (iri_charset.c, iri_label.c, iri_amend.c) ------------------------------- */

extern const iri_charset_t iri_charset_utf8;

/* iri_encoding_t.amended and tables: no character */
#define IRI_NO_CHAR (-1)

/* A run of sequences that the standard reads otherwise than ICU. */
typedef struct {
    uint32_t octets;   /* of the first, the last octet lowest, counting up */
    unsigned count;    /* 0: behind the last run */
    uint32_t c;        /* the character of the first, counting up; 0: none */
} iri_amendment_t;

extern const iri_amendment_t iri_amended_big5[];
extern const iri_amendment_t iri_amended_euc_jp[];
extern const iri_amendment_t iri_amended_gb18030[];
extern const iri_amendment_t iri_amended_iso_8859_16[];
extern const iri_amendment_t iri_amended_koi8_u[];
extern const iri_amendment_t iri_amended_macintosh[];
extern const iri_amendment_t iri_amended_windows_1253[];
extern const iri_amendment_t iri_amended_windows_1255[];

/* Sequences, the first and the last; 0, 0: behind the last row. */
typedef struct {
    uint32_t from;
    uint32_t to;
} iri_octets_t;

/* What the four-octet sequences of gb18030 are for an encoding. */
typedef enum {
    IRI_FOUR_NONE,
    IRI_FOUR_READ,      /* GBK: the standard reads it as gb18030 */
    IRI_FOUR_WRITTEN    /* gb18030 */
} iri_four_t;

/*
 * Where the Encoding Standard has sequences, none of which holds "/", ".", "%"
 * or a control: octets above 7F, and behind one that needs more, one of these.
 */
typedef struct {
    unsigned char first;    /* to last: the others of a sequence */
    unsigned char last;
    unsigned char three;    /* begins sequences of three octets; 0: none does */
    iri_four_t    four;     /* these have digits inside */

    /*
     * A character is written as the first of its sequences that is in none of
     * these ranges, or as the first of all; NULL: there are no such ranges.
     */
    const iri_octets_t *late;
} iri_sequences_t;

/* A row of the label table. */
typedef struct {
    const char *name;        /* as the Encoding Standard writes it */
    const char *converter;   /* ICU's, exact version; NULL: refused */
    const char *refused;     /* why it cannot read paths; NULL: it can */
    unsigned    japanese:1;
    unsigned    private_use:1;   /* its table in the standard has some */
    const iri_amendment_t *amended;     /* NULL: ICU's table is the standard's */
    const iri_sequences_t *sequences;   /* NULL: all are single octets */
} iri_encoding_t;

/*
 * Does the standard read the octets otherwise than ICU?  *c is the character,
 * IRI_NO_CHAR if there is none.
 */
int iri_amended(const iri_encoding_t *encoding, uint32_t octets, int32_t *c);

/* The row for a label, letter case ignored; NULL: unknown. */
const iri_encoding_t *iri_encoding_find(iri_str_t label);

/* A row by its number; NULL behind the last. */
const iri_encoding_t *iri_encoding_at(size_t i);

/* Open and test a charset: NULL and *why filled in if it is not fit. */
const iri_charset_t *iri_charset_build(const iri_env_t *env,
                                       const iri_encoding_t *encoding,
                                       const char **why);

/* A number for its name, which means the same in each process. */
uint64_t iri_charset_id(const iri_charset_t *charset);

int iri_charset_is_utf8(const iri_charset_t *charset);
int iri_charset_is_japanese(const iri_charset_t *charset);

/* 1: each character is one octet, so nearly all texts can be read in it */
int iri_charset_is_single(const iri_charset_t *charset);

/*
 * Of 1,000 characters of the BMP that other, which is not UTF-8, writes: how
 * many sequences does charset read, too?
 */
unsigned iri_charset_covers(const iri_charset_t *charset,
                            const iri_charset_t *other);

/* Octets taken, 0 if p does not start a sequence of the charset. */
size_t iri_charset_next(const iri_charset_t *charset, const unsigned char *p,
                        const unsigned char *end, uint32_t *c);

/*
 * Octets of text, from the first on, that charset reads as a text: of a
 * legacy charset no control, U+FFFD or noncharacter comes.  text.len: all.
 */
size_t iri_charset_span(const iri_charset_t *charset, iri_str_t text);

/* Octets that write c, and read back as c; 0: the charset has none. */
size_t iri_charset_put(const iri_charset_t *charset, uint32_t c,
                       unsigned char out[4]);

/* The registry's arena, and its charset for a row. */
const iri_env_t *iri_registry_env(const iri_registry_t *registry);
const iri_charset_t *iri_registry_get(iri_registry_t *registry,
                                      const iri_encoding_t *encoding,
                                      const char **why);


/* ---- URIs (iri_uri.c) ---------------------------------------------------- */

/* ucschar of RFC 3987, 2.2, without the bidi formatting characters */
int iri_char_is_ucs(uint32_t c);

/* unreserved of RFC 3986, 2.3: an escape of it means the same as itself */
int iri_is_unreserved(unsigned char c);

/* Append "?" and a query as it came, what cannot stand in a URI escaped. */
iri_status_t iri_put_query(const iri_env_t *env, iri_str_t query,
                           iri_buf_t *buf);


/* ---- pages (iri_html.c, iri_json.c, iri_frame.c) ------------------------- */

/*
 * Seen by nobody, or changes how what is beside it is seen: two names would
 * look the same.
 */
int iri_is_unseen(uint32_t c);

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
void iri_text_look(iri_str_t text, int *simple, int *ascii);

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
} iri_piece_t;

void iri_say(iri_piece_t *piece, const char *text);
void iri_say_by(iri_text_put_t put, iri_piece_t *piece, iri_str_t text);

/*
 * The begin of a link to a canonical path, from the root of the host, and
 * what stands behind its path: "<a href=..." without the ">".
 */
void iri_say_path(iri_piece_t *piece, iri_str_t path);

/* All before the text of a page: within <header>. */
void iri_frame_head(iri_piece_t *piece, iri_str_t title);

/* All behind it. */
#define IRI_FRAME_FOOT "</body>\n</html>\n"

/* The value of Content-Security-Policy; json: for what is no page. */
const char *iri_frame_policy(int json);


/* ---- one segment (iri_segment.c) ----------------------------------------- */

/* The octets of a path, and how each of them came. */
typedef struct {
    iri_str_t            octets;    /* unescaped */
    const unsigned char *escaped;   /* 1 for each octet that was; or NULL */
    int                  raw_high;  /* escaped NULL: some octet came raw */
    int                  raw_bidi;  /* escaped NULL: some bidi character did */
} iri_source_t;

/*
 * Read the segment source.octets[from, to) in a charset and append it to
 * path, canonical, and where uri is not NULL to that, percent-encoded.
 * *why: IRI_WHY_READ, or why it has no reading, and then the buffers are as
 * before.  Neither the octets nor the canonical segment may be more than
 * IRI_MAX_SEGMENT: a name that was read can be read again.
 */
iri_status_t iri_segment_read(const iri_env_t *env,
                              const iri_charset_t *charset,
                              const iri_source_t *source, size_t from,
                              size_t to, iri_buf_t *path, iri_buf_t *uri,
                              iri_why_t *why);

/* Would it be read? */
iri_status_t iri_segment_is_read(const iri_env_t *env,
                                 const iri_charset_t *charset,
                                 const iri_source_t *source, size_t from,
                                 size_t to, int *read);


/* ---- hosts (iri_host.c, iri_idna.c, iri_compatible.c) -------------------- */

int iri_is_alphanumeric(unsigned char c);                 /* of ASCII */
size_t iri_label_end(iri_str_t host, size_t offset);      /* next "." */

/*
 * Each appends to buffers what host, UTF-8 within the limits of hosts, has
 * as A-labels or U-labels.  *why: IRI_HOST_MAPPED, or what is wrong; then
 * the buffers are not to be looked at.
 */
iri_status_t iri_idna_map(const iri_env_t *env, const iri_idna_t *idna,
                          iri_str_t host, iri_buf_t *ascii,
                          iri_buf_t *unicode, iri_host_why_t *why);

/* U-labels alone. */
iri_status_t iri_idna_to_unicode(const iri_env_t *env,
                                 const iri_idna_t *idna, iri_str_t host,
                                 iri_buf_t *unicode, iri_host_why_t *why);

/* The A-labels that IDNA2008 (RFC 5891, lookup) has for U-labels. */
iri_status_t iri_idna2008(const iri_env_t *env, iri_str_t unicode,
                          iri_buf_t *ascii, iri_host_why_t *why);

/* Preprocessing: mapping table and NFC (sections 3, 4 and 6 of it). */
iri_status_t iri_compatible_map(const iri_env_t *env, iri_str_t host,
                                iri_buf_t *unicode, iri_host_why_t *why);


/* ---- names on disk (iri_name.c) ------------------------------------------ */

/*
 * The k-th way in which a tree may write a name, k from 0 to
 * IRI_WAYS(tree) - 1, in the order of preference.  *written is 0 where this
 * way cannot write it, or where its octets are another name.
 */
#define IRI_WAYS(tree) (2 * (tree)->charsets.count)

iri_status_t iri_name_write(const iri_env_t *env, const iri_tree_conf_t *tree,
                            iri_str_t name, size_t k, iri_buf_t *out,
                            int *written);

/* 1 if the first way writes each name as its own octets. */
static inline int
iri_writes_names(const iri_tree_conf_t *tree)
{
    return tree->names != IRI_NAMES_NFD
           && iri_charset_is_utf8(tree->charsets.at[0]);
}

/* iri_entry_name into a buffer that is emptied first; *index: of charset. */
iri_status_t iri_entry_read(const iri_env_t *env, const iri_tree_conf_t *tree,
                            iri_str_t octets, iri_buf_t *name, size_t *index);

/* Is the entry with these octets called name, and in which charset? */
iri_status_t iri_entry_is_named(const iri_env_t *env,
                                const iri_tree_conf_t *tree, iri_str_t octets,
                                iri_str_t name, size_t *index, int *named);

/*
 * 1 if the entry needs no memory: it has no name, or one that is written in
 * just these octets, and *way is that.  0 means only that it has to be looked
 * at closely.
 */
int iri_entry_is_plain(const iri_tree_conf_t *tree, iri_str_t octets,
                       size_t *way);

/*
 * The name with the characters of the JIS vendor pairs all as vendors map
 * them (way 0) or all as JIS does (way 1), canonical; *differs is 0 if that
 * is name.
 */
iri_status_t iri_name_variant(const iri_env_t *env, iri_str_t name, int way,
                              iri_buf_t *out, int *differs);

/* 0: no character of the name is one of a pair. */
int iri_name_may_vary(iri_str_t name);

/* The vendor's (way 0) or JIS's (1) character of a pair; c itself otherwise. */
uint32_t iri_variant(uint32_t c, int way);


/* ---- what is forgiven (iri_fold.c, iri_edit.c) --------------------------- */

/*
 * Append the key of a name where match, IRI_FORGIVE_..., is forgiven; name is
 * canonical.  SPELLING says nothing here.
 */
iri_status_t iri_fold(const iri_env_t *env, unsigned match, iri_str_t name,
                      iri_buf_t *out);

/*
 * The same of octets of which it is not known whether they are a canonical
 * name in UTF-8; *own 0: they may not be, and nothing is appended.
 */
iri_status_t iri_fold_own(const iri_env_t *env, unsigned match,
                          iri_str_t octets, iri_buf_t *out, int *own);

/*
 * How near are two names?  NORMALIZATION: they are the same; else the first
 * level of match under which their keys are; NONE: there is none.
 */
iri_status_t iri_fold_level(const iri_env_t *env, unsigned match, iri_str_t a,
                            iri_str_t b, iri_match_t *level);

/* The user-perceived characters of one key after the other. */
typedef struct {
    void         *iterator;               /* ICU's; NULL until one is needed */
    size_t        count;
    size_t        stem;                   /* as many may be edited: those
                                             before the last ".", which begins
                                             the suffix */
    uint16_t      at[IRI_MAX_SEGMENT + 1]; /* where each begins, and the end */
    unsigned char digit[IRI_MAX_SEGMENT];  /* 1: begins with a digit */
} iri_edit_t;

void iri_edit_init(iri_edit_t *edit);
void iri_edit_free(iri_edit_t *edit);

/* Divide a key; *fit 0: names like it are never guessed. */
iri_status_t iri_edit_divide(iri_edit_t *edit, iri_str_t key, int *fit);

/*
 * Append key, just divided, without character i; 0: that is never left out.
 */
iri_status_t iri_edit_without(const iri_env_t *env, const iri_edit_t *edit,
                              iri_str_t key, size_t i, iri_buf_t *out,
                              int *left_out);

/* Does one edit, of no digit, make b of a? */
iri_status_t iri_edit_is_one(const iri_env_t *env, iri_str_t a, iri_str_t b,
                             int *one);


/* ---- the index of a directory (iri_index.c) ------------------------------ */

/* What shapes an index. */
typedef struct {
    iri_tree_conf_t tree;
    unsigned        fold;    /* IRI_FORGIVE_... of the keys; 0: of entries
                                whose octets cannot be guessed, the names */
    uint64_t        key[2];  /* of the hash */
} iri_shape_t;

typedef struct {
    uint32_t hash;
    uint32_t record;   /* 0: free */
} iri_spelling_t;

/* Where the parts of an index are: in one block, or still apart. */
typedef struct {
    struct {
        uint64_t text;      /* octets of each part */
        uint32_t records;   /* how many */
        uint32_t table;
        uint32_t spellings;
        uint16_t complete;  /* 0: there may be other entries */
        uint16_t spelled;   /* 1: with spellings, if any were to be had */
        uint32_t longest;   /* octets of a key */
        uint32_t ways;      /* in which names that are no keys are written:
                               bit k that of iri_name_write, if k is not 0 */
        uint64_t entries;   /* read of the directory */
        int64_t  cost;      /* ns of the processor, to build it */
    } head;

    const uint32_t       *table;       /* of offsets into text, by hash */
    const iri_spelling_t *spellings;   /* by the hash of a key that lacks one
                                          character; or NULL */
    const unsigned char  *text;        /* the records */
    size_t                text_size;   /* of what was built: allocated */
} iri_index_t;

/*
 * Read a directory.  most: entries at most, size: octets at most.  *node: as
 * iri_dir_t says.  *more: there are more than most.  What is built is to be
 * freed by iri_index_free; of a directory that is too large, or that may not
 * be read, it is empty, and not complete.  IRI_NO_MEMORY, IRI_ICU_FAILED,
 * IRI_IO_FAILED.
 */
iri_status_t iri_index_build(const iri_env_t *env, const iri_shape_t *shape,
                             iri_str_t directory, size_t most, size_t size,
                             iri_node_t *node, iri_index_t *index, int *more);
void iri_index_free(iri_index_t *index);

/* As one block, which may be moved; and back. */
size_t iri_index_size(const iri_index_t *index);
void iri_index_copy(const iri_index_t *index, void *block);
void iri_index_open(const void *block, iri_index_t *index);

/* The octets of entries that may be meant. */
#define IRI_MAX_HITS 32

typedef struct {
    size_t    count;
    iri_str_t octets[IRI_MAX_HITS];
    int       more;   /* there is no room for all of them */
} iri_hits_t;

uint32_t iri_index_hash(const iri_shape_t *shape, iri_str_t key);

/* Append copies of the entries whose key, or spelling, has that hash. */
iri_status_t iri_index_find(const iri_env_t *env, const iri_index_t *index,
                            uint32_t hash, iri_hits_t *hits);
iri_status_t iri_index_spell(const iri_env_t *env, const iri_index_t *index,
                             uint32_t hash, iri_hits_t *hits);


/* ---- remembered indexes (iri_cache.c) ------------------------------------ */

typedef struct {
    const iri_tree_conf_t *tree;
    iri_str_t              directory;  /* with a NUL behind it */
    iri_node_t             node;       /* the directory's own */
    iri_str_t              name;       /* canonical */
    int                    may_list;   /* 0: only what is remembered */
    int                    may_spell;  /* 1: one edit may be forgiven */

    unsigned               fold;       /* out: what keys forgive; 0: nothing,
                                          and hits are what cannot be guessed */
    iri_str_t              key;        /* out: of name */
    iri_hits_t             hits;       /* out: what may be it; look at its
                                          name, and at it unless sure */
    int                    spelled;    /* out: hits are what one edit may make
                                          of it; nothing else is like it */
    int                    sure;       /* out: hits are there now */
    int                    complete;   /* out: and there are no others */
    int                    settled;    /* out: and so it stays as long as the
                                          times of the directory do */
    size_t                 listed;     /* out: entries read, and 1 */
} iri_cache_search_t;

iri_status_t iri_cache_find(const iri_env_t *env, iri_cache_t *cache,
                            iri_cache_search_t *search);

/*
 * The ways of writing names that entries of a directory may be found by; bit
 * k, k not 0, that of iri_name_write.  All, unless an index of what it holds
 * now says so.
 */
uint32_t iri_cache_ways(iri_cache_t *cache, const iri_tree_conf_t *tree,
                        const iri_node_t *node);
#define IRI_ALL_WAYS UINT32_MAX

/* What keys of a tree forgive; 0: its entries are found by their names. */
unsigned iri_tree_fold(const iri_tree_conf_t *tree);

/*
 * What of the settings shapes keys, and what can be guessed, as numbers that
 * mean the same in each process.
 */
uint64_t iri_charsets_pack(const iri_charsets_t *charsets);
void iri_tree_pack(const iri_tree_conf_t *tree, uint64_t packed[2]);

/* The same directory, and unchanged by its times? */
int iri_node_is_same(const iri_node_t *a, const iri_node_t *b);

/*
 * Is what was found in a directory good as long as its times stay?  at: when
 * the looks at it began, by iri_now().
 */
int iri_node_is_settled(const iri_node_t *node, int64_t at);

int64_t iri_now(void);   /* ns since the epoch */

/* In the order of iri_cache_counts_t. */
typedef enum {
    IRI_COUNTED_INDEX_HIT,
    IRI_COUNTED_INDEX_MISS,
    IRI_COUNTED_BUILD,
    IRI_COUNTED_ANSWER_HIT,
    IRI_COUNTED_ANSWER_MISS,
    IRI_COUNTED_READING_HIT,
    IRI_COUNTED_READING_MISS
} iri_cache_counted_t;

void iri_cache_count(iri_cache_t *cache, iri_cache_counted_t what);

/* Around what is this process's own in a cache: iri_memo.c. */
void iri_cache_lock_own(iri_cache_t *cache);
void iri_cache_unlock_own(iri_cache_t *cache);


/* ---- one look, one step (iri_step.c) ------------------------------------- */

/* Directories whose indexes have given an answer, or in which it was sought. */
#define IRI_MAX_ASKED 4

typedef struct iri_asked_s {
    uint16_t   count;
    uint16_t   unsure;               /* or more of them, or none settled */
    uint16_t   len[IRI_MAX_ASKED];   /* octets of the filename found */
    iri_node_t node[IRI_MAX_ASKED];
} iri_asked_t;

/* What is known of a path that is looked for. */
typedef enum {
    IRI_PART_ANY,         /* nothing: octets that may be no name */
    IRI_PART_CANONICAL,   /* each segment is its own canonical form */
    IRI_PART_MIXED        /* it is as it came, to be read by segments */
} iri_part_kind_t;

/*
 * A path on disk at which a look has found nothing.  Nothing is below it
 * either, so no further look is made there.
 */
typedef struct {
    iri_str_t       path;   /* empty: none is known.  "/srv/a/" does not stand
                               for "/srv/a", which may be a link to nowhere */
    iri_node_kind_t kind;   /* ABSENT or NOT_DIR, also of all below it */
} iri_missing_t;

/* One call of iri_find. */
typedef struct {
    const iri_env_t       *env;
    const iri_search_t    *search;
    const iri_tree_conf_t *tree;      /* of the directory whose entries are
                                         compared with a name now */
    iri_tree_conf_t        own;       /* where search ignores less */
    unsigned               match;     /* IRI_FORGIVE_... of any directory on
                                         the way of part, or of a walk */
    unsigned               repairs;   /* IRI_REPAIR_... of the same */
    int                    declared;  /* iri_tree_is_declared() of all on the
                                         way of part */
    int                    literal;   /* iri_writes_names() of those in which
                                         a segment is not ASCII */
    iri_str_t              part;      /* of the path, below the root */
    iri_part_kind_t        kind;      /* of part: not MIXED */
    iri_str_t              octets;    /* part as it came; empty if unknown */
    iri_missing_t          asked_for; /* root and part, octet for octet, if
                                         they are missing */
    iri_missing_t          directory; /* the directory that was found missing
                                         last */
    int                    graphic;   /* the path is ASCII, and no control */
    size_t                 looks;     /* candidates so far */
    size_t                 calls;     /* file-system calls so far */
    size_t                 lists;     /* directories read so far */
    int                    folding;   /* names may be folded in this walk */
    unsigned               repairing; /* IRI_REPAIR_... that this walk puts
                                         right; 0: nothing */
    unsigned               fold;      /* of tree: IRI_FORGIVE_... where names
                                         are folded now; 0: they are not */
    unsigned               repair;    /* of tree: repairing, if it is allowed */
    int                    told;      /* some answer was given before */
    int                    inside;    /* no look was made but in the directory
                                         that is the first of asked */
    iri_str_t              looked_at; /* directory that was looked at last, and
                                         not read since */
    int                    further;   /* there are further readings */
    int                    unsure;    /* there may be more in a directory than
                                         what is remembered of it */
    int                    stopped;   /* look no further; why says why */
    iri_why_t              why;
    iri_node_t             node;      /* what looked_at is */
    iri_asked_t            asked;     /* what the answer is of, so far */
} iri_finder_t;

/* Names that a segment may mean. */
typedef struct {
    size_t    count;
    int       more;                    /* these are the first of them */
    int       sure;                    /* and they are there now */
    iri_str_t name[IRI_MAX_CHOICES];   /* sorted */
} iri_meant_t;

/* One way down the tree. */
typedef struct {
    iri_buf_t   disk;      /* root and the octets found, or to be made */
    iri_buf_t   names;     /* canonical path of the same, below the root */
    const iri_tree_conf_t *tree;   /* of the last directory in names */
    iri_match_t match;
    iri_why_t   why;
    size_t      depth;     /* segments, other than ASCII, that were found */
    size_t      deepest;   /* octets of disk, down to the last of them */
    int         unseen;    /* ASCII was passed since then without a look */
    int         found;     /* and all of the path was */
    int         refused;   /* disk ends there, names go on */
    int         unwritable; /* and only because no tree writes the rest */
    int         repaired;   /* a segment was put right, and found */
    iri_meant_t meant;      /* more than one: names end where they stand */
    iri_str_t   meant_rest; /* what was asked for in their place, and on */
} iri_walk_t;

typedef enum {
    IRI_STEP_ABSENT,    /* no entry has that name */
    IRI_STEP_FOUND,     /* its octets are in walk->disk */
    IRI_STEP_NOT_DIR,   /* what stands above is no directory: PATH_INFO */
    IRI_STEP_SEVERAL,   /* walk->meant are equally near */
    IRI_STEP_REFUSED    /* octets that must not be opened */
} iri_step_t;

/* ---- the settings of a directory (iri_tree.c) ---------------------------- */

/*
 * Fill in what follows from the settings of the directories that part is in,
 * if it is there under the names asked for.  IRI_NO_MEMORY.
 */
iri_status_t iri_tree_survey(iri_finder_t *finder);

/* Compare names by the settings of finder->tree, as this walk does. */
void iri_tree_apply(iri_finder_t *finder);

/* The same of the directory that walk is in; what follows is a name in it. */
iri_status_t iri_tree_enter(iri_finder_t *finder, iri_walk_t *walk);


/* ---- one look, one step, continued (iri_step.c) -------------------------- */

/* Look no further, and say why, once. */
void iri_stop(iri_finder_t *finder, iri_why_t why);

/*
 * What stands at path?  ABSENT where no look may be made any more.  No call is
 * made for what is at or below a path that is known to be missing.
 */
iri_status_t iri_look(iri_finder_t *finder, iri_buf_t *path,
                      iri_node_t *node);

/*
 * The same for a directory, with "/" at its end.  If that is missing, no look
 * is made below it from now on.  The octets of path must not change later.
 */
iri_status_t iri_look_directory(iri_finder_t *finder, iri_buf_t *path,
                                iri_node_t *node);

/* walk->match is at least that from now on. */
void iri_forgive(iri_walk_t *walk, iri_match_t match);

/*
 * Find the entry for one segment that is not ASCII, below walk->disk, which
 * takes its octets if it is there.  part: what the segment is of, not MIXED.
 * came: the segment's octets in the request, empty if unknown.  *name: the
 * entry's name, which is the segment's canonical form or a variant of it.
 */
iri_status_t iri_step(iri_finder_t *finder, iri_walk_t *walk,
                      iri_str_t segment, iri_part_kind_t part, iri_str_t came,
                      iri_str_t *name, iri_step_t *step);


/*
 * The same in a way down that puts right what is broken: the segment as it
 * is, then as it was meant.
 */
iri_status_t iri_step_repaired(iri_finder_t *finder, iri_walk_t *walk,
                               iri_str_t segment, iri_part_kind_t part,
                               iri_str_t came, iri_str_t *name,
                               iri_step_t *step);


/* ---- repair (iri_repair.c) ----------------------------------------------- */

iri_form_t iri_repair_form(unsigned how);

/* Can a segment of path be put right so? */
iri_status_t iri_repair_may(const iri_env_t *env, unsigned how,
                            iri_str_t path, int *may);


/* ---- remembered answers (iri_memo.c) ------------------------------------- */

typedef struct iri_memo_s iri_memo_t;

iri_memo_t *iri_memo_create(size_t size);    /* octets; NULL: none is kept */
void iri_memo_destroy(iri_memo_t *memo);     /* NULL is allowed */
size_t iri_memo_size(const iri_memo_t *memo);   /* octets that it takes */
iri_memo_t *iri_cache_memo(iri_cache_t *cache);   /* of the cache, or NULL */

/*
 * *held: *found, which is as iri_find() begins it, is what was found before,
 * and nothing has changed since.  Else *told: some answer was given before;
 * told is NULL where it is asked for once more then, so that this is no miss.
 */
iri_status_t iri_memo_find(const iri_env_t *env, const iri_search_t *search,
                           iri_found_t *found, int *told, int *held);

/* What is told of an answer before there is one (iri_find.c). */
void iri_found_begin(const iri_search_t *search, iri_found_t *found);

/* Remember what was found, if it can be. */
void iri_memo_keep(const iri_finder_t *finder, const iri_found_t *found);

/* How octets are read, where that takes more than a look at them. */
typedef struct {
    const iri_charsets_t *charsets;
    iri_str_t             octets;
    unsigned              came;    /* iri_source_t: raw_high, 2 for raw_bidi;
                                      other bits for iri_recall.c, which keeps
                                      more than a path */
    size_t                way;     /* out: place in charsets, and 1; 0: UTF-8;
                                      one behind the last: each segment in one
                                      of its own */
    iri_str_t             path;    /* out: canonical */
} iri_memo_reading_t;

/* *held: the same was read before.  IRI_NO_MEMORY. */
iri_status_t iri_memo_reading_find(const iri_env_t *env, iri_cache_t *cache,
                                   iri_memo_reading_t *reading, int *held);
void iri_memo_reading_keep(iri_cache_t *cache,
                           const iri_memo_reading_t *reading);


/* ---- down the tree (iri_walk.c) ------------------------------------------ */

/* Walk down part, below the root of the search. */
iri_status_t iri_walk(iri_finder_t *finder, iri_str_t part,
                      iri_part_kind_t kind, iri_walk_t *walk);

/*
 * The same where what comes before offset from, behind a "/", is there in
 * just these octets, which are its names, too.
 */
iri_status_t iri_walk_from(iri_finder_t *finder, iri_str_t part,
                           iri_part_kind_t kind, size_t from, iri_walk_t *walk);

/* How octets came, for a further reading of them. */
iri_source_t iri_source_of(const iri_finder_t *finder);

/*
 * The i-th way to read a segment of the request: UTF-8, then the charsets of
 * iri_charset; NULL behind the last.
 */
const iri_charset_t *iri_way_to_read(const iri_reading_conf_t *conf,
                                     size_t i);


/* ---- further readings (iri_further.c) ------------------------------------ */

/* A further reading, and how far it leads. */
typedef struct {
    iri_walk_t walk;
    iri_str_t  charset;  /* empty: there is none */
    iri_form_t repaired; /* as in iri_found_t */
} iri_further_t;

/*
 * The octets that part came as.  They are known where part is the tail of
 * the path that was read, from the border of a segment on; else none.
 */
iri_str_t iri_octets_of_part(const iri_search_t *search, iri_str_t part);

/* A path in one charset; *read 0: it does not read all of it. */
iri_status_t iri_part_read(const iri_finder_t  *finder,
                           const iri_charset_t *charset, iri_source_t source,
                           iri_buf_t *out, int *read);

/*
 * Sets finder->further: is there more than one way to read some segment?  A
 * legacy path in one charset, none of whose segments is UTF-8, has one.
 */
iri_status_t iri_further_look_for(iri_finder_t *finder);

/* best->walk is the first reading's walk, which is to be surpassed. */
iri_status_t iri_try_further(iri_finder_t *finder, iri_further_t *best);


/* ---- the order of names (iri_collate.c) ---------------------------------- */

#define IRI_MAX_KEY 2049   /* octets of a key and its NUL; what is beyond does
                              not count */

struct UCollator;          /* ICU's */

/* For one thread.  IRI_ICU_FAILED. */
iri_status_t iri_collator_open(struct UCollator **collator);
void iri_collator_close(struct UCollator *collator);

/* Is ICU's data for it there?  It stays, for all that fork or start later. */
int iri_collate_ready(void);

/*
 * The key of a name, valid UTF-8, not empty: octets with a NUL behind them,
 * which *size includes, to be compared by strcmp.  IRI_ICU_FAILED.
 */
iri_status_t iri_collate(const struct UCollator *collator, iri_str_t name,
                         unsigned char key[IRI_MAX_KEY], size_t *size);


/* ---- listings (iri_listing.c, iri_sort.c, iri_blocks.c, iri_page.c) ------ */

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
} iri_listing_wanted_t;

/* The directory. */
typedef struct {
    iri_reading_conf_t reading;   /* where conf has none */
    iri_str_t          root;      /* without "/" at its end */
    iri_buf_t          path;      /* its path, and that of an entry */
    size_t             base;      /* octets of its path */
    size_t             slashes;   /* in it */
    int                odd;       /* its path is none that a request comes to
                                     be */
} iri_listing_place_t;

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
} iri_listing_held_t;

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
    iri_listing_wanted_t wanted;
    iri_listing_place_t  place;
    iri_listing_held_t   held;
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

#endif /* IRI_INT_H */
