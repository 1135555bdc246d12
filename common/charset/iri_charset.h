/*
 * iri_charset.h - charsets: labels and verified conversion tables
 */

#ifndef IRI_CHARSET_H
#define IRI_CHARSET_H

#include "iri_conf.h"
#include "base/iri_base.h"

#pragma GCC visibility push(hidden)


/* ---- charsets -------------------------------------------------------------- */

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
    IRI_GB18030_FOUR_NONE,
    IRI_GB18030_FOUR_READ,      /* GBK: the standard reads it as gb18030 */
    IRI_GB18030_FOUR_WRITTEN    /* gb18030 */
} iri_gb18030_four_t;

/*
 * Where the Encoding Standard has sequences, none of which holds "/", ".", "%"
 * or a control: octets above 7F, and behind one that needs more, one of these.
 */
typedef struct {
    unsigned char first;    /* to last: the others of a sequence */
    unsigned char last;
    unsigned char three;    /* begins sequences of three octets; 0: none does */
    iri_gb18030_four_t    four;     /* these have digits inside */

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


#pragma GCC visibility pop

#endif /* IRI_CHARSET_H */
