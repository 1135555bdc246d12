/*
 * iri_charset.c - legacy charsets as tables that were tested while made
 *
 * When a configuration names a charset, its ICU converter is asked once for
 * every sequence there can be.  A charset that could hide a "/", or make ASCII
 * of other octets, is refused with a sentence.  What the converter said is
 * kept, as a tree of octets for reading and pages of code points for writing,
 * so that requests need no converter, no lock and no fallback mode.
 *
 * Only what the converter reads strictly is in the tables; a code point is
 * written as the one sequence that ICU writes for it, if that reads back as
 * itself (398 sequences of Shift_JIS are twins: they are read only).
 */

#include <string.h>

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/utf16.h>

#include "iri_int.h"

#define IRI_LONGEST 4 /* octets of a sequence */

/* Entries of a node: a code point, or one of these */
#define IRI_NO_CHAR (-1)  /* no sequence goes on like this */
#define IRI_LINEAR  (-2)  /* four octets of gb18030 */
#define IRI_NODE    (-16) /* and below: a node */

#define IRI_GB_BMP  39420  /* four-octet codes below U+10000 */
#define IRI_GB_REST 189000 /* the code 90 30 81 30, U+10000 */

struct iri_charset_s {
    iri_str_t name;
    uint64_t  id; /* that of the name; 0: UTF-8 */
    int       is_utf8;
    int       japanese;
    int32_t   lead[256];  /* by first octet */
    int32_t (*node)[256]; /* node n is IRI_NODE - n in an entry */
    size_t     nodes;
    size_t     node_size;
    uint32_t **page;   /* code point / 256: octets, last lowest */
    uint16_t  *linear; /* gb18030: code to BMP code point */
};

#define IRI_PAGES (0x110000 / 256)

const iri_charset_t iri_charset_utf8 = { .name = IRI_STR("UTF-8"),
                                         .is_utf8 = 1 };


/* ---- reading and writing ------------------------------------------------ */

/* The second octet is a digit: only such a one leads here. */
static size_t
iri_linear_next(const iri_charset_t *charset, const unsigned char *p,
                const unsigned char *end, uint32_t *c)
{
    uint32_t code;

    if (end - p < 4 || p[2] < 0x81 || p[2] > 0xfe || p[3] < 0x30
        || p[3] > 0x39) {
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

    return 4;
}


size_t
iri_charset_next(const iri_charset_t *charset, const unsigned char *p,
                 const unsigned char *end, uint32_t *c)
{
    size_t  n;
    int32_t entry;

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

    for (n = 1; entry <= IRI_NODE; n++) {
        if (p + n == end) {
            return 0;
        }

        entry = charset->node[IRI_NODE - entry][p[n]];
    }

    if (entry >= 0) {
        *c = (uint32_t) entry;
        return n;
    }

    return entry == IRI_LINEAR ? iri_linear_next(charset, p, end, c) : 0;
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

    if (c >= 0x10000 && charset->linear != NULL) {
        return iri_linear_put(c, out);
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
        if (charset->lead[i] <= IRI_LINEAR) {
            return 0;
        }
    }

    return !charset->is_utf8;
}


/* ---- building and testing ----------------------------------------------- */

typedef struct {
    const iri_env_t      *env;
    const iri_encoding_t *encoding;
    UConverter           *converter;
    iri_charset_t        *charset;
    const char           *why; /* set: the charset is refused */
} iri_build_t;

typedef enum { IRI_SEQ_NONE, IRI_SEQ_MORE, IRI_SEQ_CHAR } iri_seq_t;

static const char iri_no_memory[] = "cannot be opened: out of memory";
static const char iri_icu_failed[] = "cannot be opened: ICU failed";


/* Is it that the charset has no such character?  ICU itself may fail, too. */
static int
iri_no_character(iri_build_t *build, UErrorCode error)
{
    if (U_SUCCESS(error)) {
        return 0;
    }

    if (error != U_INVALID_CHAR_FOUND && error != U_ILLEGAL_CHAR_FOUND
        && error != U_TRUNCATED_CHAR_FOUND)
    {
        build->why = iri_icu_failed;
    }

    return 1;
}


/*
 * What does the converter make of exactly these octets?  A sequence for more
 * than one character is none: no charset of the label table has any.
 */
static iri_seq_t
iri_probe(iri_build_t *build, const unsigned char *octets, size_t len,
          uint32_t *c)
{
    UErrorCode  error = U_ZERO_ERROR;
    UChar       units[8], *to = units;
    const char *from = (const char *) octets;
    UChar32     one;
    int32_t     n, i = 0;

    ucnv_resetToUnicode(build->converter);
    ucnv_toUnicode(build->converter, &to, units + 8, &from, from + len, NULL,
                   0, &error);
    n = (int32_t) (to - units);

    if (iri_no_character(build, error)) {
        return IRI_SEQ_NONE;
    }

    if (n == 0) {
        return len < IRI_LONGEST ? IRI_SEQ_MORE : IRI_SEQ_NONE;
    }

    U16_NEXT(units, i, n, one);
    *c = (uint32_t) one;

    return i == n ? IRI_SEQ_CHAR : IRI_SEQ_NONE;
}


static int
iri_is_private_use(uint32_t c)
{
    return (c >= 0xe000 && c <= 0xf8ff) || c >= 0xf0000;
}


/* Would ICU write c as just these octets? */
static int
iri_writes(iri_build_t *build, uint32_t c, const unsigned char *octets,
           size_t len)
{
    UErrorCode   error = U_ZERO_ERROR;
    UChar        units[2];
    const UChar *from = units;
    char         out[16], *to = out;
    int32_t      n = 0;

    U16_APPEND_UNSAFE(units, n, (UChar32) c);

    ucnv_resetFromUnicode(build->converter);
    ucnv_fromUnicode(build->converter, &to, out + sizeof(out), &from,
                     from + n, NULL, 1, &error);

    return !iri_no_character(build, error) && (size_t) (to - out) == len
           && memcmp(out, octets, len) == 0;
}


/* len 0: c is not written any more. */
static int
iri_page_set(iri_build_t *build, uint32_t c, const unsigned char *octets,
             size_t len)
{
    uint32_t **page = &build->charset->page[c / 256];
    uint32_t   packed = 0;
    size_t     i;

    if (*page == NULL) {
        *page = build->env->alloc(build->env->ctx, 256 * sizeof(uint32_t));
        if (*page == NULL) {
            build->why = iri_no_memory;
            return 0;
        }

        memset(*page, 0, 256 * sizeof(uint32_t));
    }

    for (i = 0; i < len; i++) {
        packed = packed << 8 | octets[i];
    }

    (*page)[c % 256] = packed;

    return 1;
}


/* A new node, empty; the entry that leads to it, or 0 without memory. */
static int32_t
iri_node_add(iri_build_t *build)
{
    iri_charset_t *charset = build->charset;
    int32_t(*grown)[256];
    size_t i, size;

    if (charset->nodes == charset->node_size) {
        size = charset->node_size != 0 ? charset->node_size * 2 : 32;

        grown = build->env->alloc(build->env->ctx, size * sizeof(*grown));
        if (grown == NULL) {
            build->why = iri_no_memory;
            return 0;
        }

        if (charset->nodes != 0) {
            memcpy(grown, charset->node, charset->nodes * sizeof(*grown));
        }

        charset->node = grown;
        charset->node_size = size;
    }

    for (i = 0; i < 256; i++) {
        charset->node[charset->nodes][i] = IRI_NO_CHAR;
    }

    return IRI_NODE - (int32_t) charset->nodes++;
}


/*
 * Take one sequence into the tables: the entry for it.  0, which no sequence
 * can have, if the charset is refused.
 */
static int32_t
iri_sequence_add(iri_build_t *build, const unsigned char *octets, size_t len,
                 uint32_t c)
{
    size_t i;

    for (i = 1; i < len; i++) {
        if (octets[i] < 0x20 || octets[i] == '/' || octets[i] == '.'
            || octets[i] == '%')
        {
            build->why = "has \"/\", \".\", \"%\" or a control inside a"
                         " sequence";
            return 0;
        }
    }

    if (c < 0x80) {
        build->why = "gives an ASCII character for octets above 7F";
        return 0;
    }

    /* Half a character of UTF-16: UTF-8 cannot write it. */
    if (c >= 0xd800 && c <= 0xdfff) {
        return IRI_NO_CHAR;
    }

    if (iri_is_private_use(c) && (!build->encoding->private_use || len == 1))
    {
        return IRI_NO_CHAR;
    }

    /* Half-width katakana end at 8E DF. */
    if (build->encoding->quirk == IRI_QUIRK_EUC_JP && octets[0] == 0x8e
        && octets[1] > 0xdf)
    {
        return IRI_NO_CHAR;
    }

    if (iri_writes(build, c, octets, len)
        && !iri_page_set(build, c, octets, len)) {
        return 0;
    }

    return (int32_t) c;
}


/* Fill the node that an incomplete sequence of len octets leads to. */
static int
iri_node_fill(iri_build_t *build, unsigned char *octets, size_t len,
              int32_t node)
{
    int32_t  entry;
    uint32_t c;
    unsigned b;

    /* iri_probe never asks for more. */
    if (len >= IRI_LONGEST) {
        return 1;
    }

    for (b = 0; b < 256; b++) {
        octets[len] = (unsigned char) b;

        switch (iri_probe(build, octets, len + 1, &c)) {
        case IRI_SEQ_CHAR:
            entry = iri_sequence_add(build, octets, len + 1, c);
            if (entry == 0) {
                return 0;
            }
            break;

        case IRI_SEQ_MORE:
            if (build->charset->linear != NULL && b >= 0x30 && b <= 0x39) {
                entry = IRI_LINEAR;
                break;
            }

            entry = iri_node_add(build);
            if (entry == 0 || !iri_node_fill(build, octets, len + 1, entry)) {
                return 0;
            }
            break;

        default:
            entry = IRI_NO_CHAR;
        }

        build->charset->node[IRI_NODE - node][b] = entry;
    }

    return 1;
}


/* Each ASCII octet stands for itself, at once, and leaves no state. */
static int
iri_ascii_test(iri_build_t *build)
{
    unsigned char octet;
    uint32_t      c;
    unsigned      b;

    for (b = 0; b < 0x80; b++) {
        octet = (unsigned char) b;

        /* IBM's tables rotate these controls; we never ask for them. */
        if (b == 0x1a || b == 0x1c || b == 0x7f) {
            continue;
        }

        if (iri_probe(build, &octet, 1, &c) != IRI_SEQ_CHAR || c != b) {
            if (build->why == NULL) {
                build->why = "does not keep ASCII as it is";
            }

            return 0;
        }
    }

    return 1;
}


static int
iri_leads_fill(iri_build_t *build)
{
    unsigned char octets[IRI_LONGEST];
    int32_t       entry;
    uint32_t      c;
    unsigned      b;

    for (b = 0; b < 256; b++) {
        octets[0] = (unsigned char) b;
        entry = IRI_NO_CHAR;

        if (b >= 0x80) {
            switch (iri_probe(build, octets, 1, &c)) {
            case IRI_SEQ_CHAR:
                entry = iri_sequence_add(build, octets, 1, c);
                if (entry == 0) {
                    return 0;
                }
                break;

            case IRI_SEQ_MORE:
                entry = iri_node_add(build);
                if (entry == 0 || !iri_node_fill(build, octets, 1, entry)) {
                    return 0;
                }
                break;

            default:
                break;
            }
        }

        build->charset->lead[b] = entry;
    }

    return 1;
}


/* The four-octet codes of gb18030 below U+10000, in their order. */
static int
iri_linear_fill(iri_build_t *build)
{
    unsigned char octets[4];
    uint32_t      code, c;
    int32_t       entry;

    for (code = 0; code < IRI_GB_BMP; code++) {
        octets[0] = (unsigned char) (0x81 + code / 12600);
        octets[1] = (unsigned char) (0x30 + code / 1260 % 10);
        octets[2] = (unsigned char) (0x81 + code / 10 % 126);
        octets[3] = (unsigned char) (0x30 + code % 10);

        build->charset->linear[code] = 0;

        if (iri_probe(build, octets, 4, &c) != IRI_SEQ_CHAR || c > 0xffff) {
            continue;
        }

        entry = iri_sequence_add(build, octets, 4, c);
        if (entry == 0) {
            return 0;
        }

        if (entry > 0) {
            build->charset->linear[code] = (uint16_t) entry;
        }
    }

    return 1;
}


/* Let one octet be another character than ICU has it. */
static int
iri_octet_set(iri_build_t *build, unsigned char octet, uint32_t c)
{
    int32_t *entry = &build->charset->lead[octet];

    if (*entry >= 0 && !iri_page_set(build, (uint32_t) *entry, NULL, 0)) {
        return 0;
    }

    *entry = (int32_t) c;

    return iri_page_set(build, c, &octet, 1);
}


/* The standard and ICU differ in two letters, which Belarusian needs. */
static int
iri_koi8_u_fix(iri_build_t *build)
{
    return iri_octet_set(build, 0xae, 0x045e)
           && iri_octet_set(build, 0xbe, 0x040e);
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

    if (strcmp(encoding->name, "gb18030") == 0) {
        charset->linear = iri_zeroed(build->env,
                                     IRI_GB_BMP * sizeof(uint16_t));
        return charset->linear != NULL;
    }

    return 1;
}


static int
iri_tables_fill(iri_build_t *build)
{
    if (!iri_tables_alloc(build)) {
        build->why = iri_no_memory;
        return 0;
    }

    return iri_ascii_test(build) && iri_leads_fill(build)
           && (build->charset->linear == NULL || iri_linear_fill(build))
           && (build->encoding->quirk != IRI_QUIRK_KOI8_U
               || iri_koi8_u_fix(build))
           && build->why == NULL; /* nothing left out for a failure of ICU */
}


static UConverter *
iri_converter_open(const char *name, const char **why)
{
    UErrorCode  error = U_ZERO_ERROR;
    UConverter *converter;

    converter = ucnv_open(name, &error);
    if (U_FAILURE(error)) {
        *why = error == U_FILE_ACCESS_ERROR ? "is not in this machine's ICU"
                                            : iri_icu_failed;
        return NULL;
    }

    ucnv_setToUCallBack(converter, UCNV_TO_U_CALLBACK_STOP, NULL, NULL, NULL,
                        &error);
    ucnv_setFromUCallBack(converter, UCNV_FROM_U_CALLBACK_STOP, NULL, NULL,
                          NULL, &error);
    ucnv_setFallback(converter, 0);

    if (U_FAILURE(error)) {
        ucnv_close(converter);
        *why = iri_icu_failed;
        return NULL;
    }

    return converter;
}


const iri_charset_t *
iri_charset_build(const iri_env_t *env, const iri_encoding_t *encoding,
                  const char **why)
{
    iri_build_t build = { env, encoding, NULL, NULL, NULL };
    int         fit;

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
