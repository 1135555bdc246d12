/*
 * iri_charset.h - charsets: labels and verified conversion tables
 *
 * For the other layers of the core.  The public part is in iri_conf.h.
 */

#ifndef IRI_CHARSET_H
#define IRI_CHARSET_H

#include "iri_conf.h"
#include "base/iri_string.h"

#pragma GCC visibility push(hidden)


/* ---- charsets ------------------------------------------------------------ */

extern const iri_charset_t iri_charset_utf8;

/*
 * "percent": UTF-8 in which "%" and each octet above 7F are percent-encoded.
 * The hexadecimal digits of a text are either all in lower case or all in upper
 * case: "%e4%bd%a0.html" -> U+4F60 ".html".  It decodes no other escape and no
 * raw octet above 7F, so no escape hides a delimiter.  Only for names on disk.
 * iri_charset_put() returns 0 for it.
 */
extern const iri_charset_t iri_charset_percent;

/* In tables: these octets are not a character. */
#define IRI_NO_CHAR (-1)

/* Consecutive sequences that ICU decodes differently from the standard. */
typedef struct {
    uint32_t octets;   /* first sequence, last octet lowest; the next: + 1 */
    unsigned count;    /* number of sequences; 0: end of the table */
    uint32_t c;        /* first character; the next: + 1; 0: no character */
} iri_amendment_t;

extern const iri_amendment_t iri_amended_big5[];
extern const iri_amendment_t iri_amended_euc_jp[];
extern const iri_amendment_t iri_amended_gb18030[];
extern const iri_amendment_t iri_amended_iso_8859_16[];
extern const iri_amendment_t iri_amended_koi8_u[];
extern const iri_amendment_t iri_amended_macintosh[];
extern const iri_amendment_t iri_amended_windows_1253[];
extern const iri_amendment_t iri_amended_windows_1255[];

/* A range of sequences, last octet lowest; 0, 0: end of the table. */
typedef struct {
    uint32_t from;
    uint32_t to;
} iri_sequence_range_t;

/* How an encoding uses the four-octet sequences of gb18030. */
typedef enum {
    IRI_GB18030_FOUR_NONE,
    IRI_GB18030_FOUR_DECODED,   /* GBK: decoded as gb18030, never encoded */
    IRI_GB18030_FOUR_ENCODED    /* gb18030: decoded and encoded */
} iri_gb18030_four_t;

/*
 * The sequences of an encoding: a lead octet above 7F, followed by octets from
 * first to last.  No sequence contains "/", ".", "%" or a control character.
 */
typedef struct {
    unsigned char      first;   /* lowest octet after the lead */
    unsigned char      last;    /* highest octet after the lead */
    unsigned char      three;   /* lead of three-octet sequences; 0: none */
    iri_gb18030_four_t four;    /* four-octet sequences, which contain digits */

    /*
     * A character that has several sequences is encoded as the first one
     * outside of these ranges or, if all are inside, as the first one.
     * NULL: no ranges.
     */
    const iri_sequence_range_t *secondary;
} iri_sequences_t;

/*
 * A row of the table in iri_charset_label.c, which has the labels, too.  A new
 * charset also needs a row of iri_detect.c.
 */
typedef struct {
    const char *name;        /* in the Encoding Standard */
    const char *converter;   /* name of the converter of ICU, with its version;
                                NULL: refused */
    const char *refused;     /* why it is refused; NULL: it is accepted */
    unsigned    japanese:1;      /* 1: implies IRI_FOLD_VARIANTS */
    unsigned    private_use:1;   /* 1: the standard decodes some of its
                                    sequences to private-use characters */
    const iri_amendment_t *amended;     /* NULL: ICU agrees with the standard */
    const iri_sequences_t *sequences;   /* NULL: single octets only */
} iri_encoding_t;

/*
 * Does the standard decode this sequence differently from ICU?
 * octets: last octet lowest.
 * Returns: 1 and *c: the character or IRI_NO_CHAR; else 0.
 */
int iri_encoding_amended(const iri_encoding_t *encoding, uint32_t octets,
                         int32_t *c);

/* The row for a label, letter case ignored; NULL: unknown label. */
const iri_encoding_t *iri_encoding_find(iri_str_t label);

/* The i-th row; NULL: i is too large. */
const iri_encoding_t *iri_encoding_at(size_t i);

/*
 * Open and test a charset.
 * Returns: the charset, in env's arena; NULL and *why: a static phrase.
 */
const iri_charset_t *iri_charset_build(const iri_env_t *env,
                                       const iri_encoding_t *encoding,
                                       const char **why);

/* A number for the charset's name, the same in all processes; 0: UTF-8. */
uint64_t iri_charset_id(const iri_charset_t *charset);

int iri_charset_is_utf8(const iri_charset_t *charset);
int iri_charset_is_percent(const iri_charset_t *charset);
int iri_charset_is_japanese(const iri_charset_t *charset);

/* Is each character one octet?  Such a charset decodes nearly any text. */
int iri_charset_is_single(const iri_charset_t *charset);

/*
 * Returns: how many of 1,000 sequences that other has for characters of the BMP
 * charset decodes too.
 * other: not UTF-8.
 */
unsigned iri_charset_covers(const iri_charset_t *charset,
                            const iri_charset_t *other);

/*
 * Decode the character at p; p <= end.
 * Returns: number of octets; 0: no sequence of the charset begins at p.
 */
size_t iri_charset_next(const iri_charset_t *charset, const unsigned char *p,
                        const unsigned char *end, uint32_t *c);

/*
 * Decode a text.  In a legacy charset controls, U+FFFD and noncharacters are
 * errors.
 * Returns: number of octets before the first error; text.len: no error.
 */
size_t iri_charset_span(const iri_charset_t *charset, iri_str_t text);

/*
 * Append a text in UTF-8, without NFC.
 * text: without errors, by iri_charset_span().
 * Returns: IRI_OK; IRI_NO_MEMORY.
 */
iri_status_t iri_charset_decode(const iri_env_t *env,
                                const iri_charset_t *charset, iri_str_t text,
                                iri_buf_t *out);

/*
 * Encode a character; decoding the octets gives c.
 * Returns: number of octets; 0: the charset has no such character.
 */
size_t iri_charset_put(const iri_charset_t *charset, uint32_t c,
                       unsigned char out[4]);


#pragma GCC visibility pop

#endif /* IRI_CHARSET_H */
