/*
 * model_text.c - lists of numbers, escapes, UTF-8, charsets, NFC: see model.h
 *
 * A charset is the decoder of the Encoding Standard, called for one sequence at
 * a time, the shortest that is valid. A character is encoded by the standard's
 * encoder; one that only the decoder knows is encoded as the first of its
 * sequences, except those of four octets.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "../core/whatwg.h"
#include "model.h"

#define LONGEST 20000 /* the longest input of one ICU call */


/* ---- memory ------------------------------------------------------------- */

#define MODEL_MEMORY ((size_t) 256 << 20)

static unsigned char *model_memory;
static size_t         model_used;


/* Pages that sanitizers do not scan for pointers. */
static void *
model_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED) {
        abort();
    }

    return p;
}


void *
model_alloc(size_t size)
{
    void *p;

    if (model_memory == NULL) {
        model_memory = model_pages(MODEL_MEMORY);
    }

    size = (size + 15) & ~(size_t) 15;
    if (size > MODEL_MEMORY - model_used) {
        fprintf(stderr, "model: the case is too large\n");
        abort();
    }

    p = model_memory + model_used;
    model_used += size;

    return memset(p, 0, size);
}


size_t
model_mark(void)
{
    return model_used;
}


void
model_release(size_t mark)
{
    model_used = mark;
}


void
model_forget(void)
{
    model_used = 0;
}


/* ---- lists -------------------------------------------------------------- */

static void
model_make_room(model_list_t *list, size_t count)
{
    uint32_t *more;

    list->room = list->room * 2 + 16 + count;
    more = model_alloc(list->room * sizeof(*more));
    if (list->len != 0) {
        memcpy(more, list->at, list->len * sizeof(*more));
    }
    list->at = more;
}


void
model_put(model_list_t *list, uint32_t value)
{
    if (list->len == list->room) {
        model_make_room(list, 1);
    }

    list->at[list->len++] = value;
}


void
model_cat(model_list_t *list, model_list_t more)
{
    if (more.len == 0) {
        return;
    }

    if (list->room - list->len < more.len) {
        model_make_room(list, more.len);
    }

    memcpy(list->at + list->len, more.at, more.len * sizeof(*more.at));
    list->len += more.len;
}


model_list_t
model_part(model_list_t list, size_t from, size_t to)
{
    model_list_t part = { 0, 0, NULL };

    to = to < list.len ? to : list.len;
    if (from < to) {
        list.at += from;
        list.len = to - from;
        model_cat(&part, list);
    }

    return part;
}


model_list_t
model_octets(iri_str_t s)
{
    model_list_t list = { 0, 0, NULL };
    size_t       i;

    for (i = 0; i < s.len; i++) {
        model_put(&list, s.data[i]);
    }

    return list;
}


model_list_t
model_text(const char *utf8)
{
    iri_str_t s = { strlen(utf8), (const unsigned char *) utf8 };

    return model_octets(s);
}


int
model_order(model_list_t a, model_list_t b)
{
    size_t i;

    for (i = 0; i < a.len && i < b.len; i++) {
        if (a.at[i] != b.at[i]) {
            return a.at[i] < b.at[i] ? -1 : 1;
        }
    }

    return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}


int
model_same(model_list_t a, model_list_t b)
{
    return model_order(a, b) == 0;
}


int
model_is_ascii(model_list_t octets)
{
    size_t i;

    for (i = 0; i < octets.len; i++) {
        if (octets.at[i] > 0x7f) {
            return 0;
        }
    }

    return 1;
}


/* A path starts with "/": there is no segment before it. */
size_t
model_split_count(model_list_t path)
{
    size_t i, count = 0;

    for (i = 0; i < path.len; i++) {
        count += path.at[i] == '/';
    }

    return count;
}


model_list_t
model_segment(model_list_t path, size_t index)
{
    size_t i, from = 0, seen = 0;

    for (i = 0; i <= path.len; i++) {
        if (i == path.len || path.at[i] == '/') {
            if (seen++ == index + 1) {
                return model_part(path, from, i);
            }
            from = i + 1;
        }
    }

    return model_part(path, 0, 0);
}


/* ---- charsets ----------------------------------------------------------- */

struct model_charset_s {
    const char *name;
    uint32_t   *written; /* the octets of a code point, the last one lowest */
};

static model_charset_t model_table[] = {
    { "UTF-8", NULL },          { "IBM866", NULL },
    { "ISO-8859-2", NULL },     { "ISO-8859-3", NULL },
    { "ISO-8859-4", NULL },     { "ISO-8859-5", NULL },
    { "ISO-8859-6", NULL },     { "ISO-8859-7", NULL },
    { "ISO-8859-8", NULL },     { "ISO-8859-8-I", NULL },
    { "ISO-8859-10", NULL },    { "ISO-8859-13", NULL },
    { "ISO-8859-14", NULL },    { "ISO-8859-15", NULL },
    { "ISO-8859-16", NULL },    { "KOI8-R", NULL },
    { "KOI8-U", NULL },         { "macintosh", NULL },
    { "windows-874", NULL },    { "windows-1250", NULL },
    { "windows-1251", NULL },   { "windows-1252", NULL },
    { "windows-1253", NULL },   { "windows-1254", NULL },
    { "windows-1255", NULL },   { "windows-1256", NULL },
    { "windows-1257", NULL },   { "windows-1258", NULL },
    { "x-mac-cyrillic", NULL }, { "GBK", NULL },
    { "gb18030", NULL },        { "Big5", NULL },
    { "EUC-JP", NULL },         { "Shift_JIS", NULL },
    { "EUC-KR", NULL },
};


static uint32_t
model_number(const unsigned char *p, size_t len)
{
    uint32_t n = 0;

    while (len-- != 0) {
        n = n << 8 | *p++;
    }

    return n;
}


/* Decode, except characters that no path may have. */
static uint32_t
model_decoded(const model_charset_t *charset, const unsigned char *p,
              size_t len)
{
    uint32_t c = whatwg_decode(charset->name, p, len);

    return c >= WHATWG_PAIR || (c >= 0x80 && c <= 0x9f) || c == 0xfffd
                   || U_IS_UNICODE_NONCHAR(c)
               ? WHATWG_NONE
               : c;
}


static void
model_charset_open(model_charset_t *charset)
{
    unsigned char p[4];
    uint32_t      code, c, len;

    charset->written = model_pages(0x110000 * sizeof(uint32_t));

    /* The encoder's octets, if they decode to the same character. */
    for (c = 0xa0; c < 0x110000; c++) {
        len = (uint32_t) whatwg_encode(charset->name, c, p);
        if (len != 0 && p[0] >= 0x80 && model_decoded(charset, p, len) == c) {
            charset->written[c] = model_number(p, len);
        }
    }

    for (code = 0x80; code < 0x1000000; code++) {
        if (code == 0x100) {
            code = 0x8000;
        } else if (code == 0x10000) {
            code = 0x8f0000;
        } else if (code == 0x900000) {
            break;
        }

        len = code < 0x100 ? 1 : code < 0x10000 ? 2 : 3;
        p[0] = (unsigned char) (code >> 8 * (len - 1));
        p[1] = (unsigned char) (len == 3 ? code >> 8 : code);
        p[2] = (unsigned char) code;
        c = model_decoded(charset, p, len);

        if (c != WHATWG_NONE && charset->written[c] == 0) {
            charset->written[c] = code;
        }
    }
}


const model_charset_t *
model_charset_at(size_t index)
{
    model_charset_t *charset;

    if (index >= sizeof(model_table) / sizeof(model_table[0])) {
        return NULL;
    }

    charset = &model_table[index];
    if (!model_is_utf8(charset) && charset->written == NULL) {
        model_charset_open(charset);
    }

    return charset;
}


const model_charset_t *
model_charset(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(model_table) / sizeof(model_table[0]); i++) {
        if (strcmp(model_table[i].name, name) == 0) {
            return model_charset_at(i);
        }
    }

    return NULL;
}


const char *
model_charset_name(const model_charset_t *charset)
{
    return charset->name;
}


int
model_is_utf8(const model_charset_t *charset)
{
    return strcmp(charset->name, "UTF-8") == 0;
}


int
model_is_japanese(const model_charset_t *charset)
{
    return strcmp(charset->name, "Shift_JIS") == 0
           || strcmp(charset->name, "EUC-JP") == 0;
}


/* ---- decoding ----------------------------------------------------------- */

/* Decode by table 3-7 of the Unicode Standard. */
static size_t
model_utf8_sequence(const uint32_t *o, size_t n, uint32_t *c)
{
    size_t   len, i;
    uint32_t least;

    if (o[0] < 0x80) {
        c[0] = o[0];
        return 1;
    }

    len = o[0] < 0xc0   ? 0
          : o[0] < 0xe0 ? 2
          : o[0] < 0xf0 ? 3
          : o[0] < 0xf8 ? 4
                        : 0;
    if (len == 0 || len > n) {
        return 0;
    }

    c[0] = o[0] & (0xffu >> (len + 1));
    for (i = 1; i < len; i++) {
        if ((o[i] & 0xc0) != 0x80) {
            return 0;
        }
        c[0] = c[0] << 6 | (o[i] & 0x3f);
    }

    least = len == 2 ? 0x80 : len == 3 ? 0x800 : 0x10000;

    return c[0] < least || c[0] > 0x10ffff
                   || (c[0] >= 0xd800 && c[0] <= 0xdfff)
               ? 0
               : len;
}


/* The length of the sequence that starts here; 0: none. */
static size_t
model_sequence(const model_charset_t *charset, const uint32_t *o, size_t n,
               uint32_t *c)
{
    unsigned char p[4];
    size_t        len;

    if (model_is_utf8(charset)) {
        return model_utf8_sequence(o, n, c);
    }

    if (o[0] < 0x80) {
        *c = o[0];
        return 1;
    }

    for (len = 1; len <= 4 && len <= n; len++) {
        p[len - 1] = (unsigned char) o[len - 1];
        *c = model_decoded(charset, p, len);

        if (*c != WHATWG_NONE) {
            return len;
        }
    }

    return 0;
}


int
model_decode(const model_charset_t *charset, model_list_t octets,
             model_list_t *chars, model_list_t *from)
{
    model_list_t none = { 0, 0, NULL }, out = none, at = none;
    uint32_t     c;
    size_t       i, len;

    for (i = 0; i < octets.len; i += len) {
        len = model_sequence(charset, octets.at + i, octets.len - i, &c);
        if (len == 0) {
            return 0;
        }

        model_put(&out, c);
        model_put(&at, (uint32_t) i);
    }

    model_put(&at, (uint32_t) octets.len);
    *chars = out;
    if (from != NULL) {
        *from = at;
    }

    return 1;
}


/* ---- encoding ----------------------------------------------------------- */

static UChar model_units[2 * LONGEST], model_more[8 * LONGEST];


static int32_t
model_to_units(model_list_t chars)
{
    int32_t n = 0;
    size_t  i;

    if (chars.len > LONGEST) {
        fprintf(stderr, "model: too long\n");
        abort();
    }

    for (i = 0; i < chars.len; i++) {
        U16_APPEND_UNSAFE(model_units, n, (UChar32) chars.at[i]);
    }

    return n;
}


model_list_t
model_utf8(model_list_t chars)
{
    model_list_t out = { 0, 0, NULL };
    uint32_t     c;
    size_t       i;

    for (i = 0; i < chars.len; i++) {
        c = chars.at[i];
        if (c < 0x80) {
            model_put(&out, c);
            continue;
        }

        if (c < 0x800) {
            model_put(&out, 0xc0 | c >> 6);
        } else {
            if (c < 0x10000) {
                model_put(&out, 0xe0 | c >> 12);
            } else {
                model_put(&out, 0xf0 | c >> 18);
                model_put(&out, 0x80 | (c >> 12 & 0x3f));
            }
            model_put(&out, 0x80 | (c >> 6 & 0x3f));
        }
        model_put(&out, 0x80 | (c & 0x3f));
    }

    return out;
}


int
model_encode(const model_charset_t *charset, model_list_t chars,
             model_list_t *octets)
{
    model_list_t out = { 0, 0, NULL };
    uint32_t     number;
    size_t       i;
    int          shift;

    if (model_is_utf8(charset)) {
        *octets = model_utf8(chars);
        return 1;
    }

    for (i = 0; i < chars.len; i++) {
        if (chars.at[i] < 0x80) {
            model_put(&out, chars.at[i]);
            continue;
        }

        number = charset->written[chars.at[i]];
        if (number == 0) {
            return 0;
        }

        for (shift = 24; shift >= 0; shift -= 8) {
            if (number >> shift != 0) {
                model_put(&out, number >> shift & 0xff);
            }
        }
    }

    *octets = out;

    return 1;
}


/* ---- characters that names must not contain ----------------------------- */

int
model_is_bidi(uint32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f
           || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}


int
model_allowed(model_list_t chars, int legacy)
{
    uint32_t c;
    size_t   i;

    for (i = 0; i < chars.len; i++) {
        c = chars.at[i];
        if (c < 0x20 || (c >= 0x7f && c <= 0x9f)) {
            return 0;
        }

        if (legacy
            && (c == 0xfffd || (c & 0xfffe) == 0xfffe
                || (c >= 0xfdd0 && c <= 0xfdef)))
        {
            return 0;
        }
    }

    return 1;
}


/* ---- normalization forms ------------------------------------------------ */

static const UNormalizer2 *
model_normalizer(int nfd)
{
    static const UNormalizer2 *nfc_one, *nfd_one;
    UErrorCode                 error = U_ZERO_ERROR;

    if (nfc_one == NULL) {
        nfc_one = unorm2_getNFCInstance(&error);
        nfd_one = unorm2_getNFDInstance(&error);
        if (U_FAILURE(error)) {
            abort();
        }
    }

    return nfd ? nfd_one : nfc_one;
}


static void
model_normalize_part(model_list_t chars, int nfd, model_list_t *out)
{
    UErrorCode error = U_ZERO_ERROR;
    int32_t    n, i = 0;
    UChar32    c;

    if (chars.len == 0) {
        return;
    }

    n = unorm2_normalize(model_normalizer(nfd), model_units,
                         model_to_units(chars), model_more, 8 * LONGEST,
                         &error);
    if (U_FAILURE(error)) {
        abort();
    }

    while (i < n) {
        U16_NEXT(model_more, i, n, c);
        model_put(out, (uint32_t) c);
    }
}


static int
model_too_many_marks(model_list_t chars)
{
    size_t i, run = 0;

    for (i = 0; i < chars.len; i++) {
        run = u_getCombiningClass((UChar32) chars.at[i]) != 0 ? run + 1 : 0;
        if (run > IRI_MAX_MARKS) {
            return 1;
        }
    }

    return 0;
}


/*
 * Three characters whose NFC is ASCII stay: the text between them is
 * normalized.
 */
static model_list_t
model_normalize(model_list_t chars, int nfd)
{
    model_list_t out = { 0, 0, NULL };
    size_t       i, from = 0;
    uint32_t     c;

    for (i = 0; i < chars.len; i++) {
        c = chars.at[i];
        if (c == 0x37e || c == 0x1fef || c == 0x212a) {
            model_normalize_part(model_part(chars, from, i), nfd, &out);
            model_put(&out, c);
            from = i + 1;
        }
    }

    model_normalize_part(model_part(chars, from, i), nfd, &out);

    return out;
}


model_list_t
model_nfc(model_list_t chars)
{
    return model_too_many_marks(chars) ? chars : model_normalize(chars, 0);
}


/* A name on disk with many marks may be in NFD or unnormalized. */
model_list_t
model_nfd(model_list_t chars)
{
    return model_normalize(chars, 1);
}


/* A character that the charset lacks: decomposed as far as necessary. */
static void
model_compose_apart(const model_charset_t *charset, model_list_t chars,
                    model_list_t *out)
{
    model_list_t parts = model_nfd(chars), left = { 0, 0, NULL }, octets;
    model_list_t one = model_part(parts, 0, 1);
    UChar32      both;
    size_t       i;
    int          cc, last = 0;

    for (i = 1; i < parts.len; i++) {
        cc = u_getCombiningClass((UChar32) parts.at[i]);
        both = last >= cc && left.len != 0
                   ? U_SENTINEL
                   : unorm2_composePair(model_normalizer(0),
                                        (UChar32) one.at[0],
                                        (UChar32) parts.at[i]);
        chars = model_part(one, 0, 1);
        chars.at[0] = (uint32_t) both;
        if (both >= 0 && model_encode(charset, chars, &octets)) {
            one = chars;
        } else {
            model_put(&left, parts.at[i]);
            last = cc;
        }
    }

    model_cat(out, one);
    model_cat(out, left);
}


model_list_t
model_composed_for(const model_charset_t *charset, model_list_t chars)
{
    model_list_t name = model_nfc(chars), out = { 0, 0, NULL }, octets, one;
    size_t       i;

    if (model_encode(charset, name, &octets)) {
        return name;
    }

    for (i = 0; i < name.len; i++) {
        one = model_part(name, i, i + 1);
        if (model_encode(charset, one, &octets)) {
            model_put(&out, name.at[i]);
        } else {
            model_compose_apart(charset, one, &out);
        }
    }

    return out;
}


/* ---- variants ----------------------------------------------------------- */

static const uint32_t model_pairs[][2] = {
    { 0x301c, 0xff5e }, { 0x2016, 0x2225 }, { 0x2212, 0xff0d },
    { 0xa2, 0xffe0 },   { 0xa3, 0xffe1 },   { 0xac, 0xffe2 },
    { 0x2014, 0x2015 }, { 0xa6, 0xffe4 },
};


uint32_t
model_other_variant(uint32_t c)
{
    size_t i;

    for (i = 0; i < sizeof(model_pairs) / sizeof(model_pairs[0]); i++) {
        if (c == model_pairs[i][0] || c == model_pairs[i][1]) {
            return model_pairs[i][c == model_pairs[i][0]];
        }
    }

    return 0;
}


model_list_t
model_fold_variants(model_list_t chars, int vendor)
{
    model_list_t out = model_part(chars, 0, chars.len);
    size_t       i, k;

    for (i = 0; i < out.len; i++) {
        for (k = 0; k < sizeof(model_pairs) / sizeof(model_pairs[0]); k++) {
            if (out.at[i] == model_pairs[k][!vendor]) {
                out.at[i] = model_pairs[k][vendor];
            }
        }
    }

    return out;
}
