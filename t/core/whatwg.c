/*
 * whatwg.c - the decoders and encoders of the Encoding Standard
 *
 * Implemented as the standard describes them, with its indexes from
 * ../shared/data/whatwg-encoding and the others from t/core/indexes.tsv: the
 * reference for the tables of the core.
 */

#include <stdlib.h>

#include "core.h"
#include "whatwg.h"

/* gb18030-ranges: the first pointer of a range, and its code point */
typedef struct {
    uint32_t from;
    uint32_t c;
} whatwg_range_t;

static whatwg_index_t indexes[40];
static size_t         index_count;
static whatwg_range_t whatwg_range[256];
static size_t         whatwg_ranges;


static void
need(int holds)
{
    if (!holds) {
        fprintf(stderr, "an index of the standard is not as expected\n");
        abort();
    }
}


/*
 * Store the code points of a field of indexes.tsv, in UTF-8, from pointer on;
 * U+FFFD: none, U+FFFC: the C1 control of an octet.
 */
static void
index_put(whatwg_index_t *index, uint32_t pointer, const char *text)
{
    const unsigned char *p = (const unsigned char *) text;
    uint32_t             c;
    size_t               more;

    for (; *p != '\0'; pointer++) {
        more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
        c = more == 0 ? *p : *p & (0x3fu >> more);

        for (p++; more != 0; more--) {
            c = c << 6 | (*p++ & 0x3fu);
        }

        need(pointer < WHATWG_MOST);
        index->at[pointer] = c == 0xfffd   ? WHATWG_NONE
                             : c == 0xfffc ? 0x80 + pointer
                                           : c;
    }
}


static whatwg_index_t *
index_find(const char *name)
{
    size_t i;

    for (i = 0; i < index_count; i++) {
        if (strcmp(indexes[i].name, name) == 0) {
            return &indexes[i];
        }
    }

    return NULL;
}


/* The index of this name; a new one is empty. */
static whatwg_index_t *
index_add(const char *name)
{
    whatwg_index_t *index = index_find(name);

    if (index == NULL) {
        need(index_count < COUNT(indexes)
             && strlen(name) < sizeof(index->name));
        index = &indexes[index_count++];
        strcpy(index->name, name);
        memset(index->at, 0xff, sizeof(index->at));
    }

    return index;
}


/* Load indexes.tsv. */
static void
load_stored(void)
{
    char  line[1024], *pointer, *text;
    FILE *file = fopen("t/core/indexes.tsv", "r");

    need(file != NULL);

    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        pointer = strchr(line, '\t');
        text = pointer != NULL ? strchr(pointer + 1, '\t') : NULL;

        if (text != NULL) {
            *pointer++ = '\0';
            *text++ = '\0';
            index_put(index_add(line), (uint32_t) strtoul(pointer, NULL, 10),
                      text);
        }
    }

    fclose(file);
    need(index_count != 0);
}


/* Load a file of the standard; a line is a pointer and a code point. */
static void
load_shared(const char *name)
{
    char     path[64], line[1024];
    unsigned pointer, c;
    FILE    *file;
    int      ranges = strcmp(name, "gb18030-ranges") == 0;

    snprintf(path, sizeof(path), "whatwg-encoding/index-%s.txt", name);
    file = core_data(path);

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "%u 0x%x", &pointer, &c) != 2) {
            continue;
        }

        if (ranges) {
            need(whatwg_ranges < COUNT(whatwg_range));
            whatwg_range[whatwg_ranges].from = pointer;
            whatwg_range[whatwg_ranges++].c = c;
        } else {
            need(pointer < WHATWG_MOST);
            index_add(name)->at[pointer] = c;
        }
    }

    if (file != NULL) {
        fclose(file);
    }
}


static const whatwg_index_t *
whatwg_index(const char *name)
{
    whatwg_index_t *index;

    if (index_count == 0) {
        load_stored();
        load_shared("gb18030-ranges");
    }

    index = index_find(name);

    if (index == NULL) {
        load_shared(name);
        index = index_find(name);
    }

    return index;
}


/* The first pointer of each code point; -1: not in the index. */
static const int32_t *
index_first(const whatwg_index_t *index)
{
    static const whatwg_index_t *known;
    static int32_t               first[0x110000];
    size_t                       i;

    if (known != index) {
        memset(first, 0xff, sizeof(first));

        for (i = WHATWG_MOST; i-- > 0; /* void */) {
            if (index->at[i] != WHATWG_NONE) {
                first[index->at[i]] = (int32_t) i;
            }
        }

        known = index;
    }

    return first;
}


/* ---- the standard's decoders ---- */

static uint32_t
decode_gb(const unsigned char *p, size_t len)
{
    const whatwg_index_t *index = whatwg_index("gb18030");
    uint32_t              code;
    size_t                i;

    if (len == 1) {
        return p[0] == 0x80 ? 0x20ac : WHATWG_NONE;
    }

    if (p[0] < 0x81 || p[0] > 0xfe) {
        return WHATWG_NONE;
    }

    if (len == 2) {
        return (p[1] >= 0x40 && p[1] <= 0x7e) || (p[1] >= 0x80 && p[1] < 0xff)
                   ? index->at[(p[0] - 0x81) * 190 + p[1]
                               - (p[1] < 0x7f ? 0x40 : 0x41)]
                   : WHATWG_NONE;
    }

    if (len != 4 || p[1] < 0x30 || p[1] > 0x39 || p[2] < 0x81 || p[2] > 0xfe
        || p[3] < 0x30 || p[3] > 0x39)
    {
        return WHATWG_NONE;
    }

    code = (uint32_t) (p[0] - 0x81) * 12600 + (uint32_t) (p[1] - 0x30) * 1260
           + (uint32_t) (p[2] - 0x81) * 10 + (p[3] - 0x30);

    if ((code > 39419 && code < 189000) || code > 1237575) {
        return WHATWG_NONE;
    }

    if (code == 7457) {
        return 0xe7c7;
    }

    for (i = 1; i < whatwg_ranges && whatwg_range[i].from <= code; i++)
    { /* void */
    }

    return whatwg_range[i - 1].c + code - whatwg_range[i - 1].from;
}


static uint32_t
decode_big5(const unsigned char *p, size_t len)
{
    size_t pointer;

    if (len != 2 || p[0] < 0x81 || p[0] > 0xfe || p[1] < 0x40
        || (p[1] > 0x7e && p[1] < 0xa1) || p[1] > 0xfe)
    {
        return WHATWG_NONE;
    }

    pointer = (size_t) (p[0] - 0x81) * 157 + p[1]
              - (p[1] < 0x7f ? 0x40 : 0x62);

    return pointer == 1133 || pointer == 1135 || pointer == 1164
                   || pointer == 1166
               ? WHATWG_PAIR
               : whatwg_index("big5")->at[pointer];
}


static uint32_t
decode_euc_jp(const unsigned char *p, size_t len)
{
    if (len == 2 && p[0] == 0x8e && p[1] >= 0xa1 && p[1] <= 0xdf) {
        return 0xff61u - 0xa1 + p[1];
    }

    if (len == 3 && p[0] == 0x8f) {
        p++;
    } else if (len != 2) {
        return WHATWG_NONE;
    }

    return p[0] >= 0xa1 && p[0] <= 0xfe && p[1] >= 0xa1 && p[1] <= 0xfe
               ? whatwg_index(len == 2 ? "jis0208" : "jis0212")
                     ->at[(p[0] - 0xa1) * 94 + p[1] - 0xa1]
               : WHATWG_NONE;
}


static uint32_t
decode_shift_jis(const unsigned char *p, size_t len)
{
    size_t pointer;

    if (len == 1) {
        return p[0] == 0x80                   ? 0x80
               : p[0] >= 0xa1 && p[0] <= 0xdf ? 0xff61u - 0xa1 + p[0]
                                              : WHATWG_NONE;
    }

    if (len != 2 || p[0] < 0x81 || p[0] == 0xa0 || p[0] > 0xfc
        || (p[0] > 0xa0 && p[0] < 0xe0) || p[1] < 0x40 || p[1] == 0x7f
        || p[1] > 0xfc)
    {
        return WHATWG_NONE;
    }

    pointer = (size_t) (p[0] - (p[0] < 0xa0 ? 0x81 : 0xc1)) * 188 + p[1]
              - (p[1] < 0x7f ? 0x40 : 0x41);

    return pointer >= 8836 && pointer <= 10715
               ? (uint32_t) (0xe000 - 8836 + pointer)
               : whatwg_index("jis0208")->at[pointer];
}


static uint32_t
decode_euc_kr(const unsigned char *p, size_t len)
{
    return len == 2 && p[0] >= 0x81 && p[0] <= 0xfe && p[1] >= 0x41
                   && p[1] <= 0xfe
               ? whatwg_index("euc-kr")->at[(p[0] - 0x81) * 190 + p[1] - 0x41]
               : WHATWG_NONE;
}


/* ---- the standard's encoders ---- */

static size_t
put_two(unsigned char out[4], uint32_t lead, uint32_t trail)
{
    out[0] = (unsigned char) lead;
    out[1] = (unsigned char) trail;

    return 2;
}


void
whatwg_four(uint32_t code, unsigned char p[4])
{
    p[0] = (unsigned char) (0x81 + code / 12600);
    p[1] = (unsigned char) (0x30 + code / 1260 % 10);
    p[2] = (unsigned char) (0x81 + code / 10 % 126);
    p[3] = (unsigned char) (0x30 + code % 10);
}


static size_t
encode_gb(uint32_t c, unsigned char out[4], int gbk)
{
    static const uint16_t side[][2] = {
        { 0xe78d, 0xa6d9 }, { 0xe78e, 0xa6da }, { 0xe78f, 0xa6db },
        { 0xe790, 0xa6dc }, { 0xe791, 0xa6dd }, { 0xe792, 0xa6de },
        { 0xe793, 0xa6df }, { 0xe794, 0xa6ec }, { 0xe795, 0xa6ed },
        { 0xe796, 0xa6f3 }, { 0xe81e, 0xfe59 }, { 0xe826, 0xfe61 },
        { 0xe82b, 0xfe66 }, { 0xe82c, 0xfe67 }, { 0xe832, 0xfe6d },
        { 0xe843, 0xfe7e }, { 0xe854, 0xfe90 }, { 0xe864, 0xfea0 },
    };
    const whatwg_index_t *index = whatwg_index("gb18030");
    uint32_t              pointer, best = 0;
    size_t                i;

    if (c == 0xe5e5) {
        return 0;
    }

    if (gbk && c == 0x20ac) {
        out[0] = 0x80;
        return 1;
    }

    for (i = 0; i < COUNT(side); i++) {
        if (side[i][0] == c) {
            return put_two(out, side[i][1] >> 8, side[i][1] & 0xff);
        }
    }

    if (index_first(index)[c] >= 0) {
        pointer = (uint32_t) index_first(index)[c];
        return put_two(out, pointer / 190 + 0x81,
                       pointer % 190 + (pointer % 190 < 0x3f ? 0x40 : 0x41));
    }

    if (gbk) {
        return 0;
    }

    for (i = 0; i < whatwg_ranges; i++) {
        if (whatwg_range[i].c <= c
            && whatwg_range[i].c >= whatwg_range[best].c) {
            best = (uint32_t) i;
        }
    }

    whatwg_four(c == 0xe7c7
                    ? 7457
                    : whatwg_range[best].from + c - whatwg_range[best].c,
                out);

    return 4;
}


static size_t
encode_gb18030(uint32_t c, unsigned char out[4])
{
    return encode_gb(c, out, 0);
}


static size_t
encode_gbk(uint32_t c, unsigned char out[4])
{
    return encode_gb(c, out, 1);
}


static size_t
encode_big5(uint32_t c, unsigned char out[4])
{
    const whatwg_index_t *index = whatwg_index("big5");
    int last = c == 0x2550 || c == 0x255e || c == 0x2561 || c == 0x256a
               || c == 0x5341 || c == 0x5345;
    size_t i, pointer = 0;

    if (index_first(index)[c] < 0) {
        return 0;
    }

    for (i = (0xa1 - 0x81) * 157; i < WHATWG_MOST; i++) {
        if (index->at[i] == c) {
            pointer = i;

            if (!last) {
                break;
            }
        }
    }

    return pointer == 0 ? 0
                        : put_two(out, (uint32_t) pointer / 157 + 0x81,
                                  (uint32_t) pointer % 157
                                      + (pointer % 157 < 0x3f ? 0x40 : 0x62));
}


static size_t
encode_euc_jp(uint32_t c, unsigned char out[4])
{
    const whatwg_index_t *index = whatwg_index("jis0208");
    int32_t               pointer;

    if (c == 0xa5 || c == 0x203e) {
        out[0] = c == 0xa5 ? 0x5c : 0x7e;
        return 1;
    }

    if (c >= 0xff61 && c <= 0xff9f) {
        return put_two(out, 0x8e, c - 0xff61 + 0xa1);
    }

    pointer = index_first(index)[c == 0x2212 ? 0xff0d : c];

    return pointer < 0 ? 0
                       : put_two(out, (uint32_t) pointer / 94 + 0xa1,
                                 (uint32_t) pointer % 94 + 0xa1);
}


static size_t
encode_shift_jis(uint32_t c, unsigned char out[4])
{
    const whatwg_index_t *index = whatwg_index("jis0208");
    uint32_t              pointer;

    if (c == 0x80 || c == 0xa5 || c == 0x203e) {
        out[0] = c == 0x80 ? 0x80 : c == 0xa5 ? 0x5c : 0x7e;
        return 1;
    }

    if (c >= 0xff61 && c <= 0xff9f) {
        out[0] = (unsigned char) (c - 0xff61 + 0xa1);
        return 1;
    }

    c = c == 0x2212 ? 0xff0d : c;

    if (index_first(index)[c] < 0) {
        return 0;
    }

    pointer = (uint32_t) index_first(index)[c];

    while (
        pointer < 11280
        && (index->at[pointer] != c || (pointer >= 8272 && pointer <= 8835)))
    {
        pointer++;
    }

    return pointer >= 11280
               ? 0
               : put_two(
                   out, pointer / 188 + (pointer < 0x1f * 188 ? 0x81 : 0xc1),
                   pointer % 188 + (pointer % 188 < 0x3f ? 0x40 : 0x41));
}


static size_t
encode_euc_kr(uint32_t c, unsigned char out[4])
{
    int32_t pointer = index_first(whatwg_index("euc-kr"))[c];

    return pointer < 0 ? 0
                       : put_two(out, (uint32_t) pointer / 190 + 0x81,
                                 (uint32_t) pointer % 190 + 0x41);
}


static const struct {
    const char *name;
    const char *index;
    uint32_t (*decode)(const unsigned char *p, size_t len);
    size_t (*encode)(uint32_t c, unsigned char out[4]);
} coders[] = {
    { "GBK", "gb18030", decode_gb, encode_gbk },
    { "gb18030", "gb18030", decode_gb, encode_gb18030 },
    { "Big5", "big5", decode_big5, encode_big5 },
    { "EUC-JP", "jis0208", decode_euc_jp, encode_euc_jp },
    { "Shift_JIS", "jis0208", decode_shift_jis, encode_shift_jis },
    { "EUC-KR", "euc-kr", decode_euc_kr, encode_euc_kr },
};


/* The index of a single-byte charset. */
static const whatwg_index_t *
index_single(const char *name)
{
    char   lower[24];
    size_t i;

    for (i = 0; name[i] != '\0'; i++) {
        lower[i] = (char) (name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20
                                                            : name[i]);
    }

    lower[i] = '\0';

    return whatwg_index(strcmp(lower, "iso-8859-8-i") == 0 ? "iso-8859-8"
                                                           : lower);
}


int
whatwg_has(const char *name)
{
    size_t i;

    for (i = 0; i < COUNT(coders); i++) {
        if (strcmp(coders[i].name, name) == 0) {
            return whatwg_index(coders[i].index) != NULL;
        }
    }

    return index_single(name) != NULL;
}


uint32_t
whatwg_decode(const char *name, const unsigned char *p, size_t len)
{
    size_t i;

    for (i = 0; i < COUNT(coders); i++) {
        if (strcmp(coders[i].name, name) == 0) {
            return coders[i].decode(p, len);
        }
    }

    return len == 1 ? index_single(name)->at[p[0] - 0x80] : WHATWG_NONE;
}


size_t
whatwg_encode(const char *name, uint32_t c, unsigned char out[4])
{
    const whatwg_index_t *index;
    size_t                i;

    for (i = 0; i < COUNT(coders); i++) {
        if (strcmp(coders[i].name, name) == 0) {
            return coders[i].encode(c, out);
        }
    }

    index = index_single(name);
    out[0] = (unsigned char) (0x80 + index_first(index)[c]);

    return index_first(index)[c] >= 0;
}
