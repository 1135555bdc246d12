/*
 * iri_charset.c - legacy charsets as tables that were tested while made
 *
 * When a configuration names a charset, its ICU converter is asked once for
 * every sequence that the Encoding Standard has room for (iri_sequences_t):
 * all others are none, whatever ICU makes of them, so that no "/" is inside of
 * one.  A charset that makes ASCII of other octets is refused with a sentence.
 * What the converter said is kept, as rows of sequences for reading and pages
 * of code points for writing, so that requests need no converter, no lock and
 * no fallback mode.
 *
 * Only what the converter reads strictly is in the tables, amended where the
 * standard reads otherwise (iri_charset_amended.c), and no character that no path may
 * have.  A character is written as the first of its sequences, by the rule of
 * the standard's encoder (iri_sequences_t.late); the others are read only, as
 * 398 of Shift_JIS.
 *
 * ICU takes 300 instructions for each call, and more for each error, where
 * it is asked of one sequence; so it is asked of many at a time.
 */

#include <string.h>

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/utf16.h>

#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"

/* What octets lead to: a code point, IRI_NO_CHAR, or this */
#define IRI_ROW (-16) /* and below: a row, by the next octet */

#define IRI_GB_BMP  39420  /* four-octet codes below U+10000 */
#define IRI_GB_REST 189000 /* the code 90 30 81 30, U+10000 */

struct iri_charset_s {
    iri_str_t  name;
    uint64_t   id; /* that of the name; 0: UTF-8 */
    int        is_utf8;
    int        japanese;
    int32_t    lead[256]; /* by first octet */
    int32_t   *entries;   /* of rows; that from n on is IRI_ROW - n */
    unsigned   first;     /* the octet that a row begins with */
    unsigned   span;      /* entries of a row */
    uint32_t **page;      /* code point / 256: octets, last lowest */
    uint16_t  *linear;    /* gb18030: code to BMP code point */
    int        fours;     /* and these are written, too */
};

#define IRI_PAGES (0x110000 / 256)

const iri_charset_t iri_charset_utf8 = { .name = IRI_STR("UTF-8"),
                                         .is_utf8 = 1 };


/* ---- reading and writing ------------------------------------------------ */

/* The first octet leads to a row, where the second is not. */
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

    if (code < IRI_GB_REST || code - IRI_GB_REST > 0xfffff) {
        return 0;
    }

    *c = code - IRI_GB_REST + 0x10000;

    return iri_char_allowed(*c, 1) ? 4 : 0;
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


static size_t
iri_linear_put(uint32_t c, unsigned char out[4])
{
    uint32_t code = c - 0x10000 + IRI_GB_REST;

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

    if (c >= 0x10000 && charset->fours) {
        return iri_char_allowed(c, 1) ? iri_linear_put(c, out) : 0;
    }

    if (charset->page[c / 256] == NULL) {
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


/* FNV-1a: the same in each process. */
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

    return !charset->is_utf8;
}


unsigned
iri_charset_covers(const iri_charset_t *charset, const iri_charset_t *other)
{
    uint32_t      c, step = iri_charset_is_single(other) ? 1 : 7;
    unsigned      all = 0, covered = 0;
    unsigned char octets[4];
    iri_str_t     text;

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


/* ---- building and testing ----------------------------------------------- */

#define IRI_RECORDS 256               /* sequences at a time */
#define IRI_UNITS   (8 * IRI_RECORDS) /* more than come of them */

/* Sequences of one length that ICU is asked of, each a record with an end. */
typedef struct {
    size_t   len;
    size_t   count;
    uint32_t octets[IRI_RECORDS]; /* of each, the last lowest */
    int32_t  entry[IRI_RECORDS];  /* its character, or IRI_NO_CHAR */
} iri_records_t;

typedef struct {
    const iri_env_t      *env;
    const iri_encoding_t *encoding;
    UConverter           *converter;
    iri_charset_t        *charset;
    const char           *why;   /* set: the charset is refused */
    size_t                taken; /* of the charset's entries */
    iri_records_t         records;
    UChar                 units[IRI_UNITS];
    unsigned char         octets[IRI_UNITS];
    int32_t               source[IRI_UNITS]; /* where each is out of */
} iri_build_t;

typedef enum { IRI_SEQ_NONE, IRI_SEQ_MORE, IRI_SEQ_CHAR } iri_seq_t;

static const char iri_no_memory[] = "cannot be opened: out of memory";
static const char iri_icu_failed[] = "cannot be opened: ICU failed";

/* What ends a record: ASCII, which is in no sequence, and reads as itself. */
static const unsigned char iri_record_end = '\n';


static int
iri_build_fails(iri_build_t *build, const char *why)
{
    build->why = why;

    return 0;
}


/*
 * What does the converter make of just this octet?  More than one character is
 * none: no charset of the label table has that.
 */
static iri_seq_t
iri_probe(iri_build_t *build, unsigned char octet, uint32_t *c)
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
        /* It has no such character; or ICU itself fails. */
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
iri_records_start(iri_records_t *records, size_t len)
{
    records->len = len;
    records->count = 0;
}


static void
iri_records_add(iri_records_t *records, uint32_t octets)
{
    records->octets[records->count++] = octets;
}


/* The records as octets, each with its end; how many octets. */
static size_t
iri_records_octets(const iri_records_t *records, unsigned char *out)
{
    unsigned char *p = out;
    size_t         i;
    unsigned       shift;

    for (i = 0; i < records->count; i++) {
        for (shift = 8 * (unsigned) records->len; shift != 0; /* void */) {
            shift -= 8;
            *p++ = (unsigned char) (records->octets[i] >> shift);
        }

        *p++ = iri_record_end;
    }

    return (size_t) (p - out);
}


/*
 * The characters of the records.  A record is one if what comes out of its
 * first octet is one character, and next the end of the record out of that
 * end: an error, which is skipped, would have taken octets between, and a
 * second character would stand there.
 */
static int
iri_records_read(iri_build_t *build)
{
    iri_records_t *records = &build->records;
    UErrorCode     error = U_ZERO_ERROR;
    UChar         *to = build->units;
    const UChar   *units = build->units;
    const int32_t *source = build->source;
    const char    *from = (const char *) build->octets;
    int32_t        start = 0, len = (int32_t) records->len, n, at = 0, next;
    size_t         i;
    UChar32        one;

    ucnv_toUnicode(build->converter, &to, units + IRI_UNITS, &from,
                   from + iri_records_octets(records, build->octets),
                   build->source, 1, &error);
    if (U_FAILURE(error)) {
        return iri_build_fails(build, iri_icu_failed);
    }

    n = (int32_t) (to - units);

    for (i = 0; i < records->count; i++, start += len + 1) {
        records->entry[i] = IRI_NO_CHAR;

        while (at < n && source[at] < start) {
            at++;
        }

        if (at == n || source[at] != start) {
            continue;
        }

        next = at;
        U16_NEXT(units, next, n, one);

        if (next < n && source[next] == start + len
            && units[next] == iri_record_end) {
            records->entry[i] = one;
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


/* Does the standard have this character of the converter, and may paths? */
static int
iri_is_wanted(const iri_encoding_t *encoding, uint32_t octets, uint32_t c)
{
    /* Half a character of UTF-16: UTF-8 cannot write it. */
    if (c >= 0xd800 && c <= 0xdfff) {
        return 0;
    }

    if (iri_is_private_use(c) && (!encoding->private_use || octets < 0x100)) {
        return 0;
    }

    return iri_char_allowed(c, 1);
}


/* Amends what ICU reads, and leaves out what no path may have. */
static int
iri_records_check(iri_build_t *build)
{
    iri_records_t *records = &build->records;
    size_t         i;
    int32_t        c;

    for (i = 0; i < records->count; i++) {
        if (iri_amended(build->encoding, records->octets[i],
                        &records->entry[i])) {
            continue;
        }

        c = records->entry[i];

        if (c >= 0 && c < 0x80) {
            return iri_build_fails(
                build, "gives an ASCII character for octets above 7F");
        }

        if (c == IRI_NO_CHAR
            || !iri_is_wanted(build->encoding, records->octets[i],
                              (uint32_t) c))
        {
            records->entry[i] = IRI_NO_CHAR;
        }
    }

    return 1;
}


/* Is a character written as these octets only if it has no others? */
static int
iri_is_late(const iri_encoding_t *encoding, uint32_t octets)
{
    const iri_octets_t *late = NULL;

    if (encoding->sequences != NULL) {
        late = encoding->sequences->late;
    }

    while (late != NULL && late->to != 0) {
        if (octets >= late->from && octets <= late->to) {
            return 1;
        }

        late++;
    }

    return 0;
}


/* octets, the last lowest, are read as c: are they what c is written as? */
static int
iri_page_set(iri_build_t *build, uint32_t c, uint32_t octets)
{
    uint32_t **page = &build->charset->page[c / 256], *at;

    if (*page == NULL) {
        *page = build->env->alloc(build->env->ctx, 256 * sizeof(uint32_t));
        if (*page == NULL) {
            return iri_build_fails(build, iri_no_memory);
        }

        memset(*page, 0, 256 * sizeof(uint32_t));
    }

    at = &(*page)[c % 256];

    if (*at == 0
        || (iri_is_late(build->encoding, *at)
            && !iri_is_late(build->encoding, octets)))
    {
        *at = octets;
    }

    return 1;
}


static int
iri_records_take(iri_build_t *build)
{
    iri_records_t *records = &build->records;
    size_t         i;

    if (!iri_records_check(build)) {
        return 0;
    }

    for (i = 0; i < records->count; i++) {
        if (records->entry[i] != IRI_NO_CHAR
            && (records->len < 4 || build->charset->fours)
            && !iri_page_set(build, (uint32_t) records->entry[i],
                             records->octets[i]))
        {
            return 0;
        }
    }

    return 1;
}


/* Each ASCII octet stands for itself, at once, and leaves no state. */
static int
iri_ascii_test(iri_build_t *build)
{
    uint32_t c;
    unsigned b;

    for (b = 0; b < 0x80; b++) {
        /* IBM's tables rotate these controls; we never ask for them. */
        if (b == 0x1a || b == 0x1c || b == 0x7f) {
            continue;
        }

        if (iri_probe(build, (unsigned char) b, &c) != IRI_SEQ_CHAR || c != b)
        {
            if (build->why == NULL) {
                build->why = "does not keep ASCII as it is";
            }

            return 0;
        }
    }

    return 1;
}


/*
 * Single octets, and which others a sequence may begin with: to these a row
 * is promised.
 */
static int
iri_leads_fill(iri_build_t *build)
{
    iri_records_t *records = &build->records;
    iri_charset_t *charset = build->charset;
    iri_seq_t      seq;
    uint32_t       c;
    size_t         i;

    iri_records_start(records, 1);

    for (i = 0; i < 0x80; i++) {
        seq = iri_probe(build, (unsigned char) (0x80 + i), &c);
        charset->lead[0x80 + i] = seq == IRI_SEQ_MORE ? IRI_ROW : IRI_NO_CHAR;
        records->entry[i] = seq == IRI_SEQ_CHAR ? (int32_t) c : IRI_NO_CHAR;
        iri_records_add(records, (uint32_t) (0x80 + i));
    }

    if (!iri_records_take(build)) {
        return 0;
    }

    for (i = 0; i < 0x80; i++) {
        if (records->entry[i] != IRI_NO_CHAR) {
            charset->lead[0x80 + i] = records->entry[i];
        }
    }

    return 1;
}


/* The row behind len octets; *lead is where it is, if there is anything. */
static int
iri_row_fill(iri_build_t *build, uint32_t octets, size_t len, int32_t *lead)
{
    iri_charset_t *charset = build->charset;
    iri_records_t *records = &build->records;
    size_t         count = 0;
    unsigned       i;

    iri_records_start(records, len + 1);

    for (i = 0; i < charset->span; i++) {
        iri_records_add(records, octets << 8 | (charset->first + i));
    }

    if (!iri_records_read(build) || !iri_records_take(build)) {
        return 0;
    }

    for (i = 0; i < charset->span; i++) {
        count += records->entry[i] != IRI_NO_CHAR;
    }

    /* What is linear goes on where the row has no entries. */
    *lead = IRI_NO_CHAR;
    if (count != 0 || charset->linear != NULL) {
        *lead = IRI_ROW - (int32_t) build->taken;
        memcpy(charset->entries + build->taken, records->entry,
               charset->span * sizeof(int32_t));
        build->taken += charset->span;
    }

    return 1;
}


/* A row of rows. */
static int
iri_rows_fill(iri_build_t *build, uint32_t octet)
{
    iri_charset_t *charset = build->charset;
    int32_t       *row = charset->entries + build->taken;
    unsigned       i;

    charset->lead[octet] = IRI_ROW - (int32_t) build->taken;
    build->taken += charset->span;

    for (i = 0; i < charset->span; i++) {
        if (!iri_row_fill(build, octet << 8 | (charset->first + i), 2,
                          &row[i])) {
            return 0;
        }
    }

    return 1;
}


/* As many rows as there can be. */
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

    return charset->entries != NULL || iri_build_fails(build, iri_no_memory);
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


/* The four-octet codes of gb18030 below U+10000, count of them from code on. */
static int
iri_linear_part(iri_build_t *build, uint32_t code, size_t count)
{
    iri_records_t *records = &build->records;
    uint32_t       of;
    size_t         i;

    iri_records_start(records, 4);

    for (i = 0; i < count; i++) {
        of = code + (uint32_t) i;
        iri_records_add(
            records, (0x81 + of / 12600) << 24 | (0x30 + of / 1260 % 10) << 16
                         | (0x81 + of / 10 % 126) << 8 | (0x30 + of % 10));
    }

    if (!iri_records_read(build)) {
        return 0;
    }

    for (i = 0; i < count; i++) {
        if (records->entry[i] > 0xffff) {
            records->entry[i] = IRI_NO_CHAR;
        }
    }

    if (!iri_records_take(build)) {
        return 0;
    }

    for (i = 0; i < count; i++) {
        build->charset->linear[code + i] = (uint16_t) (records->entry[i]
                                                               != IRI_NO_CHAR
                                                           ? records->entry[i]
                                                           : 0);
    }

    return 1;
}


static int
iri_linear_fill(iri_build_t *build)
{
    uint32_t code;
    size_t   rest;

    for (code = 0; code < IRI_GB_BMP; code += IRI_RECORDS) {
        rest = IRI_GB_BMP - code;
        rest = rest < IRI_RECORDS ? rest : IRI_RECORDS;

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
        charset->fours = encoding->sequences->four
                         == IRI_GB18030_FOUR_WRITTEN;
        charset->linear = iri_zeroed(build->env,
                                     IRI_GB_BMP * sizeof(uint16_t));
        return charset->linear != NULL;
    }

    return 1;
}


/* What the converter does with octets that are no character. */
static int
iri_on_error(iri_build_t *build, UConverterToUCallback action)
{
    UErrorCode error = U_ZERO_ERROR;

    ucnv_setToUCallBack(build->converter, action, NULL, NULL, NULL, &error);

    return U_SUCCESS(error) || iri_build_fails(build, iri_icu_failed);
}


static int
iri_tables_fill(iri_build_t *build)
{
    if (!iri_tables_alloc(build)) {
        return iri_build_fails(build, iri_no_memory);
    }

    return iri_on_error(build, UCNV_TO_U_CALLBACK_STOP)
           && iri_ascii_test(build) && iri_leads_fill(build)
           && iri_on_error(build, UCNV_TO_U_CALLBACK_SKIP)
           && (build->encoding->sequences == NULL
               || iri_sequences_fill(build))
           && (build->charset->linear == NULL || iri_linear_fill(build))
           && build->why == NULL; /* nothing left out for a failure of ICU */
}


/* Without fallback mappings: it never takes the next best. */
static UConverter *
iri_converter_open(const char *name, const char **why)
{
    UErrorCode  error = U_ZERO_ERROR;
    UConverter *converter = ucnv_open(name, &error);

    if (U_FAILURE(error)) {
        *why = error == U_FILE_ACCESS_ERROR ? "is not in this machine's ICU"
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
    build.taken = 0;
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
