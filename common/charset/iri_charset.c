/*
 * iri_charset.c - legacy charsets as tables that are tested when they are built
 *
 * Turns an ICU converter into tables (design 4.4).  When a configuration names
 * a charset, ICU decodes all sequences of the Encoding Standard once
 * (iri_sequences_t).  Other sequences are not decoded even if ICU knows them,
 * so that no sequence contains "/".  A charset that decodes octets above 7F to
 * ASCII is refused.  The results are stored as rows of sequences for decoding
 * and pages of code points for encoding, so that a request needs no converter,
 * no lock and no fallback mapping.
 *
 * The tables contain what the converter decodes strictly, amended where the
 * standard differs (iri_charset_amended.c), without characters that no path may
 * contain.  A character with several sequences is encoded by the rule of the
 * standard's encoder (iri_sequences_t.secondary).  Its other sequences, for
 * example 398 of Shift_JIS, are only decoded.
 *
 * A call of ICU takes 300 instructions, and an error more.  So sequences are
 * decoded in batches.
 */

#include <string.h>

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/utf16.h>

#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"

/* An entry is a code point, IRI_NO_CHAR, or IRI_ROW - n: the row at n. */
#define IRI_ROW (-16)

/* Four-octet sequences of gb18030 are numbered from 81 30 81 30 on. */
#define IRI_GB_BMP           39420  /* below this number: BMP characters */
#define IRI_GB_SUPPLEMENTARY 189000 /* number of U+10000, 90 30 81 30 */

struct iri_charset_s {
    iri_str_t  name;
    uint64_t   id; /* hash of the name; 0: UTF-8; 1: percent */
    int        is_utf8;
    int        is_percent;
    int        japanese;
    int32_t    lead[256]; /* entries, by first octet */
    int32_t   *entries;   /* all rows, one after another */
    unsigned   first;     /* octet of the first entry of a row */
    unsigned   span;      /* entries per row */
    uint32_t **page;   /* by code point / 256: sequences, last octet lowest;
                             0: none */
    uint16_t  *linear; /* gb18030: BMP characters by the number of their
                             four-octet sequence; NULL: there are none */
    int        encodes_four; /* 1: four-octet sequences are encoded too */
};

#define IRI_PAGES (0x110000 / 256)

const iri_charset_t iri_charset_utf8 = { .name = IRI_STR("UTF-8"),
                                         .is_utf8 = 1 };
const iri_charset_t iri_charset_percent = { .name = IRI_STR("percent"),
                                            .id = 1,
                                            .is_percent = 1 };


/* ---- decoding and encoding ----------------------------------------------- */

/* Decode a four-octet sequence of gb18030.  Its second octet is in no row. */
static size_t
iri_linear_next(const iri_charset_t *charset, const unsigned char *p,
                const unsigned char *end, uint32_t *c)
{
    uint32_t code;

    if (end - p < 4 || p[1] < 0x30 || p[1] > 0x39 || p[2] < 0x81
        || p[2] > 0xfe || p[3] < 0x30 || p[3] > 0x39)
    {
        return 0;
    }

    code = (((uint32_t) (p[0] - 0x81) * 10 + (p[1] - 0x30)) * 126
            + (p[2] - 0x81))
               * 10
           + (p[3] - 0x30);

    if (code < IRI_GB_BMP) {
        *c = charset->linear[code];
        return *c != 0 ? 4 : 0;
    }

    if (code < IRI_GB_SUPPLEMENTARY || code - IRI_GB_SUPPLEMENTARY > 0xfffff)
    {
        return 0;
    }

    *c = code - IRI_GB_SUPPLEMENTARY + 0x10000;

    return iri_char_allowed(*c, 1) ? 4 : 0;
}


/* Decode the escapes of one character, or of "%". */
static size_t
iri_escapes_next(const unsigned char *p, const unsigned char *end,
                 uint32_t *c)
{
    unsigned char octets[4];
    size_t        n;
    int           high, low;

    for (n = 0; n < sizeof(octets) && end - p >= 3 && *p == '%'; n++, p += 3)
    {
        high = iri_hex(p[1]);
        low = iri_hex(p[2]);
        if (high < 0 || low < 0) {
            break;
        }

        octets[n] = (unsigned char) (high << 4 | low);
    }

    if (n == 0 || (octets[0] < 0x80 && octets[0] != '%')) {
        return 0;
    }

    return 3 * iri_utf8_next(octets, octets + n, c);
}


size_t
iri_charset_next(const iri_charset_t *charset, const unsigned char *p,
                 const unsigned char *end, uint32_t *c)
{
    size_t   n;
    int32_t  entry;
    unsigned at;

    if (charset->is_utf8) {
        return iri_utf8_next(p, end, c);
    }

    if (p == end) {
        return 0;
    }

    if (charset->is_percent && (p[0] == '%' || p[0] >= 0x80)) {
        return iri_escapes_next(p, end, c);
    }

    if (p[0] < 0x80) {
        *c = p[0];
        return 1;
    }

    entry = charset->lead[p[0]];

    for (n = 1; entry <= IRI_ROW; n++) {
        if (p + n == end) {
            return 0;
        }

        at = p[n] - charset->first;
        if (at >= charset->span) {
            return charset->linear != NULL
                       ? iri_linear_next(charset, p, end, c)
                       : 0;
        }

        entry = charset->entries[(unsigned) (IRI_ROW - entry) + at];
    }

    if (entry < 0) {
        return 0;
    }

    *c = (uint32_t) entry;

    return n;
}


size_t
iri_charset_span(const iri_charset_t *charset, iri_str_t text)
{
    const unsigned char *p = text.data, *end = p + text.len;
    int                  legacy = !iri_charset_is_utf8(charset);
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_charset_next(charset, p, end, &c);

        if (n == 0 || (legacy && c >= 0x80 && !iri_char_allowed(c, 1))) {
            break;
        }
    }

    return (size_t) (p - text.data);
}


iri_status_t
iri_charset_decode(const iri_env_t *env, const iri_charset_t *charset,
                   iri_str_t text, iri_buf_t *out)
{
    const unsigned char *p = text.data, *end = p + text.len;
    iri_status_t         status = IRI_OK;
    unsigned char        utf8[4];
    uint32_t             c;

    while (status == IRI_OK && p < end) {
        p += iri_charset_next(charset, p, end, &c);
        status = iri_buf_put(env, out, utf8, iri_utf8_put(c, utf8));
    }

    return status;
}


static size_t
iri_linear_put(uint32_t c, unsigned char out[4])
{
    uint32_t code = c - 0x10000 + IRI_GB_SUPPLEMENTARY;

    out[3] = (unsigned char) (0x30 + code % 10);
    code /= 10;
    out[2] = (unsigned char) (0x81 + code % 126);
    code /= 126;
    out[1] = (unsigned char) (0x30 + code % 10);
    out[0] = (unsigned char) (0x81 + code / 10);

    return 4;
}


size_t
iri_charset_put(const iri_charset_t *charset, uint32_t c,
                unsigned char out[4])
{
    uint32_t octets;
    size_t   len, i;

    if (charset->is_utf8) {
        return iri_utf8_put(c, out);
    }

    if (c < 0x80) {
        out[0] = (unsigned char) c;
        return 1;
    }

    if (c >= 0x10000 && charset->encodes_four) {
        return iri_char_allowed(c, 1) ? iri_linear_put(c, out) : 0;
    }

    if (charset->is_percent || charset->page[c / 256] == NULL) {
        return 0;
    }

    octets = charset->page[c / 256][c % 256];

    for (len = 0; len < 4 && octets >> (8 * len) != 0; len++) { /* void */
    }

    for (i = 0; i < len; i++) {
        out[i] = (unsigned char) (octets >> (8 * (len - 1 - i)));
    }

    return len;
}


iri_str_t
iri_charset_name(const iri_charset_t *charset)
{
    return charset->name;
}


/* FNV-1a: the same in all processes. */
static uint64_t
iri_charset_name_id(iri_str_t name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t   i;

    for (i = 0; i < name.len; i++) {
        hash = (hash ^ name.data[i]) * UINT64_C(0x100000001b3);
    }

    return hash;
}


uint64_t
iri_charset_id(const iri_charset_t *charset)
{
    return charset->id;
}


int
iri_charset_is_utf8(const iri_charset_t *charset)
{
    return charset->is_utf8;
}


int
iri_charset_is_percent(const iri_charset_t *charset)
{
    return charset->is_percent;
}


int
iri_charset_is_japanese(const iri_charset_t *charset)
{
    return charset->japanese;
}


int
iri_charset_is_single(const iri_charset_t *charset)
{
    size_t i;

    for (i = 0x80; i < 256 && !charset->is_utf8; i++) {
        if (charset->lead[i] <= IRI_ROW) {
            return 0;
        }
    }

    return !charset->is_utf8 && !charset->is_percent;
}


unsigned
iri_charset_covers(const iri_charset_t *charset, const iri_charset_t *other)
{
    uint32_t      c, step = iri_charset_is_single(other) ? 1 : 7;
    unsigned      all = 0, covered = 0;
    unsigned char octets[4];
    iri_str_t     text;

    /*
     * The charset percent decodes hardly any text of another one; its own text
     * is ASCII, which all others decode.
     */
    if (charset->is_percent || other->is_percent) {
        return charset->is_percent ? 0 : 1000;
    }

    text.data = octets;

    for (c = 0xa0; c < 0x10000; c += step) {
        if (other->page[c / 256] == NULL) {
            c |= 0xff;
            c -= step - 1;
            continue;
        }

        text.len = iri_charset_put(other, c, octets);

        if (text.len != 0) {
            all++;
            covered += iri_charset_span(charset, text) == text.len;
        }
    }

    return all != 0 ? covered * 1000 / all : 0;
}


/* ---- building and checking ----------------------------------------------- */

#define IRI_BATCH 256 /* sequences in a batch */
/* More than the octets of a batch, and than the UTF-16 units it decodes to. */
#define IRI_BATCH_UNITS (8 * IRI_BATCH)

/* A batch of sequences of one length, each followed by iri_batch_separator. */
typedef struct {
    size_t   len;
    size_t   count;
    uint32_t octets[IRI_BATCH]; /* last octet lowest */
    int32_t  entry[IRI_BATCH];  /* the characters, or IRI_NO_CHAR */
} iri_batch_t;

typedef struct {
    const iri_env_t      *env;
    const iri_encoding_t *encoding;
    UConverter           *converter;
    iri_charset_t        *charset;
    const char           *why;  /* not NULL: the charset is refused */
    size_t                used; /* number of charset->entries in use */
    iri_batch_t           batch;
    UChar                 units[IRI_BATCH_UNITS];
    unsigned char         octets[IRI_BATCH_UNITS];
    int32_t source[IRI_BATCH_UNITS]; /* offset in octets of each unit */
} iri_build_t;

typedef enum { IRI_SEQ_NONE, IRI_SEQ_MORE, IRI_SEQ_CHAR } iri_seq_t;

static const char iri_no_memory[] = "cannot be opened: out of memory";
static const char iri_icu_failed[] = "cannot be opened: ICU failed";

/* Ends a sequence in a batch: ASCII, which is in no sequence. */
static const unsigned char iri_batch_separator = '\n';


/* Returns: 0. */
static int
iri_build_fail(iri_build_t *build, const char *why)
{
    build->why = why;

    return 0;
}


/*
 * Decode a single octet by ICU.  Several characters count as an error: no
 * charset of the label table has such octets.
 */
static iri_seq_t
iri_octet_decode(iri_build_t *build, unsigned char octet, uint32_t *c)
{
    UErrorCode  error = U_ZERO_ERROR;
    UChar       units[8], *to = units;
    const char *from = (const char *) &octet;
    UChar32     one;
    int32_t     n, i = 0;

    ucnv_resetToUnicode(build->converter);
    ucnv_toUnicode(build->converter, &to, units + 8, &from, from + 1, NULL, 0,
                   &error);
    n = (int32_t) (to - units);

    if (U_FAILURE(error)) {
        /* The charset has no such character, or ICU itself failed. */
        if (error != U_INVALID_CHAR_FOUND && error != U_ILLEGAL_CHAR_FOUND
            && error != U_TRUNCATED_CHAR_FOUND)
        {
            build->why = iri_icu_failed;
        }

        return IRI_SEQ_NONE;
    }

    if (n == 0) {
        return IRI_SEQ_MORE;
    }

    U16_NEXT(units, i, n, one);
    *c = (uint32_t) one;

    return i == n ? IRI_SEQ_CHAR : IRI_SEQ_NONE;
}


static void
iri_batch_start(iri_batch_t *batch, size_t len)
{
    batch->len = len;
    batch->count = 0;
}


static void
iri_batch_add(iri_batch_t *batch, uint32_t octets)
{
    batch->octets[batch->count++] = octets;
}


/* Write a batch as octets.  Returns: number of octets. */
static size_t
iri_batch_octets(const iri_batch_t *batch, unsigned char *out)
{
    unsigned char *p = out;
    size_t         i;
    unsigned       shift;

    for (i = 0; i < batch->count; i++) {
        for (shift = 8 * (unsigned) batch->len; shift != 0; /* void */) {
            shift -= 8;
            *p++ = (unsigned char) (batch->octets[i] >> shift);
        }

        *p++ = iri_batch_separator;
    }

    return (size_t) (p - out);
}


/*
 * Decode a batch by ICU, which skips errors.  A sequence is valid if ICU gives
 * one character for its first octet, and then iri_batch_separator for the octet
 * behind it.  After an error, or if ICU gives several characters, it is not.
 */
static int
iri_batch_decode(iri_build_t *build)
{
    iri_batch_t   *batch = &build->batch;
    UErrorCode     error = U_ZERO_ERROR;
    UChar         *to = build->units;
    const UChar   *units = build->units;
    const int32_t *source = build->source;
    const char    *from = (const char *) build->octets;
    int32_t        start = 0, len = (int32_t) batch->len, n, at = 0, next;
    size_t         i;
    UChar32        one;

    ucnv_toUnicode(build->converter, &to, units + IRI_BATCH_UNITS, &from,
                   from + iri_batch_octets(batch, build->octets),
                   build->source, 1, &error);
    if (U_FAILURE(error)) {
        return iri_build_fail(build, iri_icu_failed);
    }

    n = (int32_t) (to - units);

    for (i = 0; i < batch->count; i++, start += len + 1) {
        batch->entry[i] = IRI_NO_CHAR;

        while (at < n && source[at] < start) {
            at++;
        }

        if (at == n || source[at] != start) {
            continue;
        }

        next = at;
        U16_NEXT(units, next, n, one);

        if (next < n && source[next] == start + len
            && units[next] == iri_batch_separator)
        {
            batch->entry[i] = one;
            at = next + 1;
        }
    }

    return 1;
}


static int
iri_is_private_use(uint32_t c)
{
    return (c >= 0xe000 && c <= 0xf8ff) || c >= 0xf0000;
}


/* Does the standard have this sequence, and may a path contain c? */
static int
iri_is_wanted(const iri_encoding_t *encoding, uint32_t octets, uint32_t c)
{
    /* A surrogate has no UTF-8. */
    if (c >= 0xd800 && c <= 0xdfff) {
        return 0;
    }

    if (iri_is_private_use(c) && (!encoding->private_use || octets < 0x100)) {
        return 0;
    }

    return iri_char_allowed(c, 1);
}


/* Amend a batch by the standard, and remove characters that are not wanted. */
static int
iri_batch_check(iri_build_t *build)
{
    iri_batch_t *batch = &build->batch;
    size_t       i;
    int32_t      c;

    for (i = 0; i < batch->count; i++) {
        if (iri_encoding_amended(build->encoding, batch->octets[i],
                                 &batch->entry[i])) {
            continue;
        }

        c = batch->entry[i];

        if (c >= 0 && c < 0x80) {
            return iri_build_fail(
                build, "gives an ASCII character for octets above 7F");
        }

        if (c == IRI_NO_CHAR
            || !iri_is_wanted(build->encoding, batch->octets[i],
                              (uint32_t) c))
        {
            batch->entry[i] = IRI_NO_CHAR;
        }
    }

    return 1;
}


/* Is a character encoded as this sequence only if it has no other? */
static int
iri_is_secondary(const iri_encoding_t *encoding, uint32_t octets)
{
    const iri_sequence_range_t *range = NULL;

    if (encoding->sequences != NULL) {
        range = encoding->sequences->secondary;
    }

    while (range != NULL && range->to != 0) {
        if (octets >= range->from && octets <= range->to) {
            return 1;
        }

        range++;
    }

    return 0;
}


/* Add the sequence octets of c; keep the one by which c is encoded. */
static int
iri_page_set(iri_build_t *build, uint32_t c, uint32_t octets)
{
    uint32_t **page = &build->charset->page[c / 256], *at;

    if (*page == NULL) {
        *page = build->env->alloc(build->env->ctx, 256 * sizeof(uint32_t));
        if (*page == NULL) {
            return iri_build_fail(build, iri_no_memory);
        }

        memset(*page, 0, 256 * sizeof(uint32_t));
    }

    at = &(*page)[c % 256];

    if (*at == 0
        || (iri_is_secondary(build->encoding, *at)
            && !iri_is_secondary(build->encoding, octets)))
    {
        *at = octets;
    }

    return 1;
}


/* Check a batch, and store its sequences for encoding. */
static int
iri_batch_store(iri_build_t *build)
{
    iri_batch_t *batch = &build->batch;
    size_t       i;

    if (!iri_batch_check(build)) {
        return 0;
    }

    for (i = 0; i < batch->count; i++) {
        if (batch->entry[i] != IRI_NO_CHAR
            && (batch->len < 4 || build->charset->encodes_four)
            && !iri_page_set(build, (uint32_t) batch->entry[i],
                             batch->octets[i]))
        {
            return 0;
        }
    }

    return 1;
}


/* Test that each ASCII octet is decoded to itself without state. */
static int
iri_ascii_test(iri_build_t *build)
{
    uint32_t c;
    unsigned b;

    for (b = 0; b < 0x80; b++) {
        /* IBM's tables exchange these controls, which no path contains. */
        if (b == 0x1a || b == 0x1c || b == 0x7f) {
            continue;
        }

        if (iri_octet_decode(build, (unsigned char) b, &c) != IRI_SEQ_CHAR
            || c != b) {
            if (build->why == NULL) {
                build->why = "does not keep ASCII as it is";
            }

            return 0;
        }
    }

    return 1;
}


/* Fill charset->lead: single octets, and IRI_ROW for leads of sequences. */
static int
iri_leads_fill(iri_build_t *build)
{
    iri_batch_t   *batch = &build->batch;
    iri_charset_t *charset = build->charset;
    iri_seq_t      seq;
    uint32_t       c;
    size_t         i;

    iri_batch_start(batch, 1);

    for (i = 0; i < 0x80; i++) {
        seq = iri_octet_decode(build, (unsigned char) (0x80 + i), &c);
        charset->lead[0x80 + i] = seq == IRI_SEQ_MORE ? IRI_ROW : IRI_NO_CHAR;
        batch->entry[i] = seq == IRI_SEQ_CHAR ? (int32_t) c : IRI_NO_CHAR;
        iri_batch_add(batch, (uint32_t) (0x80 + i));
    }

    if (!iri_batch_store(build)) {
        return 0;
    }

    for (i = 0; i < 0x80; i++) {
        if (batch->entry[i] != IRI_NO_CHAR) {
            charset->lead[0x80 + i] = batch->entry[i];
        }
    }

    return 1;
}


/*
 * Build the row for the octets that follow these len octets.
 * *lead: the entry of the row; IRI_NO_CHAR: no sequence is valid.
 */
static int
iri_row_fill(iri_build_t *build, uint32_t octets, size_t len, int32_t *lead)
{
    iri_charset_t *charset = build->charset;
    iri_batch_t   *batch = &build->batch;
    size_t         count = 0;
    unsigned       i;

    iri_batch_start(batch, len + 1);

    for (i = 0; i < charset->span; i++) {
        iri_batch_add(batch, octets << 8 | (charset->first + i));
    }

    if (!iri_batch_decode(build) || !iri_batch_store(build)) {
        return 0;
    }

    for (i = 0; i < charset->span; i++) {
        count += batch->entry[i] != IRI_NO_CHAR;
    }

    /* A lead of four-octet sequences needs its row even if that is empty. */
    *lead = IRI_NO_CHAR;
    if (count != 0 || charset->linear != NULL) {
        *lead = IRI_ROW - (int32_t) build->used;
        memcpy(charset->entries + build->used, batch->entry,
               charset->span * sizeof(int32_t));
        build->used += charset->span;
    }

    return 1;
}


/* Build a row of rows, for the lead of three-octet sequences. */
static int
iri_rows_fill(iri_build_t *build, uint32_t octet)
{
    iri_charset_t *charset = build->charset;
    int32_t       *row = charset->entries + build->used;
    unsigned       i;

    charset->lead[octet] = IRI_ROW - (int32_t) build->used;
    build->used += charset->span;

    for (i = 0; i < charset->span; i++) {
        if (!iri_row_fill(build, octet << 8 | (charset->first + i), 2,
                          &row[i])) {
            return 0;
        }
    }

    return 1;
}


/* Allocate the largest possible number of rows. */
static int
iri_entries_alloc(iri_build_t *build)
{
    const iri_sequences_t *of = build->encoding->sequences;
    iri_charset_t         *charset = build->charset;
    size_t                 i, rows = 0;

    charset->first = of->first;
    charset->span = of->last - of->first + 1U;

    for (i = 0x80; i < 256; i++) {
        if (charset->lead[i] == IRI_ROW) {
            rows += i == of->three ? 1 + charset->span : 1;
        }
    }

    charset->entries = build->env->alloc(
        build->env->ctx, (rows * charset->span + 1) * sizeof(int32_t));

    return charset->entries != NULL || iri_build_fail(build, iri_no_memory);
}


static int
iri_sequences_fill(iri_build_t *build)
{
    iri_charset_t *charset = build->charset;
    uint32_t       i;

    if (!iri_entries_alloc(build)) {
        return 0;
    }

    for (i = 0x80; i < 256; i++) {
        if (charset->lead[i] != IRI_ROW) {
            continue;
        }

        if (i == build->encoding->sequences->three
                ? !iri_rows_fill(build, i)
                : !iri_row_fill(build, i, 1, &charset->lead[i]))
        {
            return 0;
        }
    }

    return 1;
}


/* Decode count four-octet sequences of gb18030, from the number code on. */
static int
iri_linear_part(iri_build_t *build, uint32_t code, size_t count)
{
    iri_batch_t *batch = &build->batch;
    uint32_t     number;
    size_t       i;

    iri_batch_start(batch, 4);

    for (i = 0; i < count; i++) {
        number = code + (uint32_t) i;
        iri_batch_add(batch, (0x81 + number / 12600) << 24
                                 | (0x30 + number / 1260 % 10) << 16
                                 | (0x81 + number / 10 % 126) << 8
                                 | (0x30 + number % 10));
    }

    if (!iri_batch_decode(build)) {
        return 0;
    }

    for (i = 0; i < count; i++) {
        if (batch->entry[i] > 0xffff) {
            batch->entry[i] = IRI_NO_CHAR;
        }
    }

    if (!iri_batch_store(build)) {
        return 0;
    }

    for (i = 0; i < count; i++) {
        build->charset->linear[code + i] = (uint16_t) (batch->entry[i]
                                                               != IRI_NO_CHAR
                                                           ? batch->entry[i]
                                                           : 0);
    }

    return 1;
}


static int
iri_linear_fill(iri_build_t *build)
{
    uint32_t code;
    size_t   rest;

    for (code = 0; code < IRI_GB_BMP; code += IRI_BATCH) {
        rest = IRI_GB_BMP - code;
        rest = rest < IRI_BATCH ? rest : IRI_BATCH;

        if (!iri_linear_part(build, code, rest)) {
            return 0;
        }
    }

    return 1;
}


static void *
iri_zeroed(const iri_env_t *env, size_t size)
{
    void *p = env->alloc(env->ctx, size);

    return p != NULL ? memset(p, 0, size) : NULL;
}


static int
iri_tables_alloc(iri_build_t *build)
{
    const iri_encoding_t *encoding = build->encoding;
    iri_charset_t        *charset;

    charset = iri_zeroed(build->env, sizeof(*charset));
    if (charset == NULL) {
        return 0;
    }

    build->charset = charset;
    charset->name.data = (const unsigned char *) encoding->name;
    charset->name.len = strlen(encoding->name);
    charset->id = iri_charset_name_id(charset->name);
    charset->japanese = encoding->japanese;

    charset->page = iri_zeroed(build->env, IRI_PAGES * sizeof(uint32_t *));
    if (charset->page == NULL) {
        return 0;
    }

    if (encoding->sequences != NULL
        && encoding->sequences->four != IRI_GB18030_FOUR_NONE)
    {
        charset->encodes_four = encoding->sequences->four
                                == IRI_GB18030_FOUR_ENCODED;
        charset->linear = iri_zeroed(build->env,
                                     IRI_GB_BMP * sizeof(uint16_t));
        return charset->linear != NULL;
    }

    return 1;
}


/* Set the action of the converter on errors. */
static int
iri_converter_on_error(iri_build_t *build, UConverterToUCallback action)
{
    UErrorCode error = U_ZERO_ERROR;

    ucnv_setToUCallBack(build->converter, action, NULL, NULL, NULL, &error);

    return U_SUCCESS(error) || iri_build_fail(build, iri_icu_failed);
}


static int
iri_tables_fill(iri_build_t *build)
{
    if (!iri_tables_alloc(build)) {
        return iri_build_fail(build, iri_no_memory);
    }

    return iri_converter_on_error(build, UCNV_TO_U_CALLBACK_STOP)
           && iri_ascii_test(build) && iri_leads_fill(build)
           && iri_converter_on_error(build, UCNV_TO_U_CALLBACK_SKIP)
           && (build->encoding->sequences == NULL
               || iri_sequences_fill(build))
           && (build->charset->linear == NULL || iri_linear_fill(build))
           && build->why == NULL; /* no failure of ICU */
}


/* Open a converter that uses no fallback mappings. */
static UConverter *
iri_converter_open(const char *name, const char **why)
{
    UErrorCode  error = U_ZERO_ERROR;
    UConverter *converter = ucnv_open(name, &error);

    if (U_FAILURE(error)) {
        *why = error == U_FILE_ACCESS_ERROR
                   ? "is not in the ICU of this machine"
                   : iri_icu_failed;
        return NULL;
    }

    ucnv_setFallback(converter, 0);

    return converter;
}


const iri_charset_t *
iri_charset_build(const iri_env_t *env, const iri_encoding_t *encoding,
                  const char **why)
{
    iri_build_t build;
    int         fit;

    build.env = env;
    build.encoding = encoding;
    build.charset = NULL;
    build.why = NULL;
    build.used = 0;
    build.converter = iri_converter_open(encoding->converter, why);
    if (build.converter == NULL) {
        return NULL;
    }

    fit = iri_tables_fill(&build);
    ucnv_close(build.converter);

    if (!fit) {
        *why = build.why;
        return NULL;
    }

    return build.charset;
}
