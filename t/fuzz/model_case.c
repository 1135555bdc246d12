/*
 * model_case.c - a case from random numbers or from a fuzzer's octets
 *
 * A case consists of settings, a tree and some requests. Its names are a few
 * words, each written repeatedly: in several charsets, in NFC, NFD and in
 * between, with vendor variants, damaged; so several entries with one name,
 * names that are other names in another charset, and requests that nearly match
 * are frequent.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_case.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const model_list_t none;


/* ---- numbers ------------------------------------------------------------ */

uint32_t
model_draw(model_source_t *source, uint32_t n)
{
    uint32_t v = 0;
    int      i;

    if (source->data == NULL) {
        /* xorshift64* */
        source->random ^= source->random >> 12;
        source->random ^= source->random << 25;
        source->random ^= source->random >> 27;
        return (
            uint32_t) ((source->random * UINT64_C(2685821657736338717) >> 32)
                       % n);
    }

    for (i = 0; i < (n > 256 ? 2 : 1); i++) {
        v = v << 8
            | (source->at < source->len ? source->data[source->at++] : 0);
    }

    return v % n;
}


static int
model_chance(model_source_t *source, uint32_t in)
{
    return model_draw(source, in) == in - 1;
}


/* ---- words -------------------------------------------------------------- */

typedef struct {
    const char *file; /* of data/names */
    const char *charsets[6];
    const char *words[6];
} model_group_t;

static const model_group_t model_groups[] = {
    { "ja",
      { "Shift_JIS", "EUC-JP", "windows-1252", "UTF-8" },
      { "\u65e5\u672c", "\u8868", "\u30ac\u30a4\u30c9", "\u8fbf", "\u80fd",
        "\u6ce2\u301c" } },
    { "ja",
      { "EUC-JP", "Shift_JIS", "UTF-8" },
      { "\uff76\uff85", "\u30bd\u30fc", "\u5341", "\uff5e", "\u2252",
        "\u4e02" } },
    { "zh-hans",
      { "GBK", "gb18030", "UTF-8", "windows-1252" },
      { "\u4e2d\u6587", "\u52e4\u5f3a", "\u9355\u3085\u5df1", "\u9f8d",
        "\U00020bb7", "\u00e9" } },
    { "zh-hant",
      { "Big5", "UTF-8" },
      { "\u529f\u8ab2", "\u7e41\u9ad4", "\u00ca\u0304", "\u00ea\u030c",
        "\u4e2d", "\u81fa" } },
    { "ko",
      { "EUC-KR", "UTF-8", "windows-1252" },
      { "\ud55c\uad6d", "\uac12", "\u1100\u1161", "\u314e", "\ub620\ubc29",
        "\u1112\u1161\u11ab" } },
    { "ru",
      { "windows-1251", "KOI8-R", "UTF-8", "IBM866", "ISO-8859-5",
        "x-mac-cyrillic" },
      { "\u0439", "\u0451\u0436", "\u043a\u0438\u043d\u043e",
        "\u0444\u0438\u043b\u044c\u043c", "\u2116", "\u0458" } },
    { "uk",
      { "windows-1251", "KOI8-U", "UTF-8" },
      { "\u0457\u0436\u0430", "\u0491", "\u0406", "\u045e", "\u0439",
        NULL } },
    { "de",
      { "windows-1252", "UTF-8", "macintosh", "ISO-8859-15" },
      { "\u00c4pfel", "\u00df", "\u20ac", "\u00f6", "Stra\u00dfe", NULL } },
    { "fr",
      { "windows-1252", "UTF-8", "macintosh" },
      { "\u00e9t\u00e9", "\u00e9", "\u00c3\u00a9", "\u0153", "\u00ea\u201a",
        "na\u00efve" } },
    { "tr",
      { "windows-1254", "ISO-8859-3", "UTF-8" },
      { "\u0131\u015f\u0131k", "\u0130", "\u011f", NULL } },
    { "pl",
      { "windows-1250", "ISO-8859-2", "UTF-8", "ISO-8859-13" },
      { "\u017c\u00f3\u0142w", "\u0142\u0105", "\u0119", NULL } },
    { "el",
      { "windows-1253", "ISO-8859-7", "UTF-8" },
      { "\u0395\u03bb\u03bb\u03ac\u03b4\u03b1", "\u03cc\u03c2", "\u1f71",
        "\u037e", "\u1fc3", NULL } },
    { "he",
      { "windows-1255", "ISO-8859-8", "ISO-8859-8-I", "UTF-8" },
      { "\u05e9\u05dc\u05d5\u05dd", "\u05d3\u05e3", "\u05e9\u05c1\u05bc",
        "\ufb2a", "\u05d0\u05b7", NULL } },
    { "ar",
      { "windows-1256", "ISO-8859-6", "UTF-8" },
      { "\u0645\u0631\u062d\u0628\u0627", "\u0622", "\u0627\u0653",
        "a\u200eb", "\u0628\u064e\u0651", NULL } },
    { "hi",
      { "UTF-8", "windows-1252" },
      { "\u0939\u093f\u0902\u0926\u0940", "\u0958", "\u0915\u093c", "\u0929",
        NULL } },
    { "th",
      { "windows-874", "UTF-8" },
      { "\u0e44\u0e17\u0e22", "\u0e19\u0e49\u0e33", NULL } },
    { "vi",
      { "windows-1258", "UTF-8", "windows-1252" },
      { "Vi\u1ec7t", "Nguy\u1ec5n", "\u1ea3nh", "\u01b0\u1edd", "\u00e1",
        "\u1ebf" } },
    { "vi",
      { "windows-1258", "UTF-8" },
      { "\u1ead", "\u1ee3", "\u1eb7", "\u1eeb", "\u00e3", "\u1ed9" } },
    { "pl",
      { "windows-1257", "ISO-8859-13", "ISO-8859-4", "UTF-8", "ISO-8859-10" },
      { "\u017e\u0105sis", "\u0113", "\u0146", NULL } },
    { "fr",
      { "ISO-8859-14", "ISO-8859-15", "UTF-8", "windows-1252" },
      { "\u1e56", "\u0175", "\u20ac", "\u1e1f", NULL } },
};

/* Characters that are special for reading and normalization. */
static const uint32_t model_odd[] = {
    '%',     ';',     '=',     '<',     '`',     ' ',     '\\',     '+',
    '~',     '.',     'K',     'a',     'e',     '?',     '"',      '|',
    '#',     ':',     '@',     '[',     '1',     'o',     's',      'A',
    0x09,    0x7f,    0x01,    0x80,    0x85,    0x9f,    0xa0,     0xa2,
    0xa3,    0xa5,    0xa6,    0xac,    0xad,    0xe9,    0xc9,     0x300,
    0x301,   0x301,   0x302,   0x303,   0x304,   0x307,   0x308,    0x309,
    0x30c,   0x31b,   0x323,   0x327,   0x328,   0x338,   0x340,    0x341,
    0x343,   0x344,   0x345,   0x34f,   0x360,   0x37e,   0x387,    0x5b7,
    0x5bc,   0x5c1,   0x61c,   0x653,   0x654,   0x9be,   0x9c7,    0xf71,
    0xf73,   0xf81,   0x1100,  0x1161,  0x11a8,  0x1e9b,  0x1ebf,   0x1fef,
    0x1f71,  0x2000,  0x2014,  0x2015,  0x2016,  0x200b,  0x200d,   0x200e,
    0x200f,  0x202a,  0x202e,  0x2066,  0x2069,  0x206a,  0x20ac,   0x20d0,
    0x2126,  0x212a,  0x212b,  0x2212,  0x2225,  0x2260,  0x226e,   0x2329,
    0x2adc,  0x301c,  0x304b,  0x3099,  0x309a,  0x30ab,  0xac00,   0xac01,
    0xe000,  0xf8ff,  0xfa10,  0xfa11,  0xfb1d,  0xfb2a,  0xfb2c,   0xfb4b,
    0xfdd0,  0xfe0f,  0xfeff,  0xff0d,  0xff0e,  0xff0f,  0xff5e,   0xffe0,
    0xffe1,  0xffe2,  0xffe4,  0xfff9,  0xfffd,  0xfffe,  0x1109a,  0x110ba,
    0x1d15e, 0x1d160, 0x1d165, 0x1d16e, 0x1f600, 0x1ffff, 0x20bb7,  0x2f800,
    0xe0000, 0xe0001, 0xe0100, 0xe0fff, 0xe1000, 0xf0000, 0x10fffd, 0x10ffff,
    0x7ff,   0x800,   0xffff,  0x10000, 0xd7ff,  0xf900,  0xfdcf,   0xfdf0,
    0xffef,  0xfff0,  0x1fffd, 0x1fffe, 0xdfffd, 0xefffd, 0xefffe,  0x206f,
    0x2065,
};

static const char *const model_plain[] = {
    "a",    "list", "a.txt", "d", "index.html", "x=",  "K",   "%41",
    "100%", "a;b",  "a b",   "B", ".htaccess",  "...", "a`b", "~",
};

static model_list_t
    model_lists[COUNT(model_groups)]; /* read from the files */


/* Read a list that is kept for all cases. */
static void
model_read_words(const char *file, model_list_t *words)
{
    const char *shared = getenv("IRI_SHARED");
    char        path[1024];
    FILE       *f;
    int         c;

    snprintf(path, sizeof(path), "%s/data/names/%s.txt",
             shared != NULL ? shared : "../shared", file);
    f = fopen(path, "r");
    if (f == NULL) {
        return;
    }

    words->room = 400000;
    words->at = calloc(words->room, sizeof(*words->at));
    while ((c = getc(f)) != EOF && words->len < words->room) {
        words->at[words->len++] = (uint32_t) c;
    }

    fclose(f);
}


int
model_case_start(void)
{
    size_t i, k;

    for (i = 0; i < COUNT(model_groups); i++) {
        for (k = 0; k < i; k++) {
            if (strcmp(model_groups[i].file, model_groups[k].file) == 0) {
                break;
            }
        }

        if (k < i) {
            model_lists[i] = model_lists[k];
        } else {
            model_read_words(model_groups[i].file, &model_lists[i]);
        }
    }

    return model_lists[0].len != 0;
}


static model_list_t
model_chars(const char *utf8)
{
    model_list_t chars = none;

    model_decode(model_charset_at(0), model_text(utf8), &chars, NULL);

    return chars;
}


static model_list_t
model_listed_word(model_source_t *source, size_t group)
{
    model_list_t list = model_lists[group], word = none, chars = none;
    size_t       at;

    at = (model_draw(source, 65536) * 7u) % list.len;
    while (at > 0 && list.at[at - 1] != '\n') {
        at--;
    }

    while (at < list.len && list.at[at] != '\n') {
        model_put(&word, list.at[at++]);
    }

    model_decode(model_charset_at(0), word, &chars, NULL);

    return model_part(chars, 0, 12);
}


static model_list_t
model_group_word(model_source_t *source, size_t group)
{
    const char *word;

    if (model_lists[group].len != 0 && model_chance(source, 3)) {
        return model_listed_word(source, group);
    }

    word = model_groups[group].words[model_draw(source, 6)];

    return model_chars(word != NULL ? word : "\u00e9");
}


static uint32_t
model_odd_character(model_source_t *source)
{
    return model_odd[model_draw(source, COUNT(model_odd))];
}


static model_list_t
model_insert(model_source_t *source, model_list_t word, uint32_t c)
{
    size_t       at = model_draw(source, (uint32_t) word.len + 1);
    model_list_t out = model_part(word, 0, at);

    model_put(&out, c);
    model_cat(&out, model_part(word, at, word.len));

    return out;
}


static model_list_t
model_word(model_source_t *source, size_t group)
{
    model_list_t word = none;
    size_t       i, n;

    switch (model_draw(source, 12)) {
    case 0:
    case 1:
        n = 1 + model_draw(source, 4);
        for (i = 0; i < n; i++) {
            model_put(&word, model_odd_character(source));
        }
        break;
    case 2:
    case 3:
        word = model_insert(source, model_group_word(source, group),
                            model_odd_character(source));
        break;
    case 4:
        return model_chars(
            model_plain[model_draw(source, COUNT(model_plain))]);
    case 5:
        word = model_group_word(source, group);
        model_put(&word, 0x20 + model_draw(source, 0x5f));
        break;
    case 6:
        word = model_group_word(source,
                                model_draw(source, COUNT(model_groups)));
        break;
    default:
        word = model_group_word(source, group);
        break;
    }

    if (model_chance(source, 6)) {
        model_cat(&word, model_chars(".txt"));
    }

    /* About as many marks in a row as the limit. */
    if (model_chance(source, 150)) {
        n = 28 + model_draw(source, 6);
        for (i = 0; i < n; i++) {
            model_put(&word, 0x300 + model_draw(source, 4));
        }
    }

    for (i = 0; i < word.len; i++) {
        if (word.at[i] == '/') {
            word.at[i] = 'x';
        }
    }

    return word;
}


/* ---- other ways to write a word ----------------------------------------- */

/* Between NFD and NFC: some characters composed, some marks reordered. */
static model_list_t
model_partly(model_source_t *source, model_list_t word)
{
    model_list_t out = none, nfd;
    uint32_t     c;
    size_t       i;

    for (i = 0; i < word.len; i++) {
        nfd = model_nfd(model_part(word, i, i + 1));
        model_cat(&out,
                  model_draw(source, 2) ? nfd : model_part(word, i, i + 1));
    }

    for (i = 1; i < out.len; i++) {
        if (model_chance(source, 3)
            && model_same(model_nfc(out), model_nfc(word))) {
            model_list_t other = model_part(out, 0, out.len);

            c = other.at[i];
            other.at[i] = other.at[i - 1];
            other.at[i - 1] = c;
            if (model_same(model_nfc(other), model_nfc(out))) {
                out = other;
            }
        }
    }

    return out;
}


static model_list_t
model_vary(model_source_t *source, model_list_t word)
{
    model_list_t out = model_part(word, 0, word.len);
    uint32_t     other;
    size_t       i;

    for (i = 0; i < out.len; i++) {
        other = model_other_variant(out.at[i]);
        if (other != 0 && model_draw(source, 2)) {
            out.at[i] = other;
        }
    }

    return out;
}


static model_list_t
model_written(model_source_t *source, model_list_t word)
{
    switch (model_draw(source, 8)) {
    case 0:
        return model_nfd(word);
    case 1:
        return model_partly(source, word);
    case 2:
        return model_vary(source, word);
    case 3:
        return model_vary(source, model_partly(source, word));
    case 4:
        return word;
    default:
        return model_nfc(word);
    }
}


/* Octets of a word in some charset of the case; not always valid ones. */
static model_list_t
model_encoded(model_source_t *source, const model_case_t *c,
              model_list_t word)
{
    const model_charset_t *charset = model_charset_at(0);
    model_list_t           octets, form = model_written(source, word);
    size_t                 i;

    if (c->charsets.count != 0 && model_draw(source, 2)) {
        charset = c->charsets
                      .at[model_draw(source, (uint32_t) c->charsets.count)];
    }

    if (model_chance(source, 2)) {
        form = model_composed_for(charset, form);
    }

    if (!model_encode(charset, form, &octets)) {
        octets = model_utf8(form);
    }

    if (model_chance(source, 24) && octets.len != 0) {
        i = model_draw(source, (uint32_t) octets.len);
        octets.at[i] = 0x80 | model_draw(source, 128);
    }

    if (model_chance(source, 60) && octets.len != 0) {
        octets.len--;
    }

    return octets;
}


/* ---- settings ----------------------------------------------------------- */

static void
model_add_charset(model_charsets_t *list, const model_charset_t *charset)
{
    size_t i;

    for (i = 0; i < list->count; i++) {
        if (list->at[i] == charset) {
            return;
        }
    }

    if (charset != NULL && list->count < IRI_MAX_CHARSETS) {
        list->at[list->count++] = charset;
    }
}


static const model_charset_t *
model_draw_charset(model_source_t *source, size_t group)
{
    const char *name = model_groups[group].charsets[model_draw(source, 4)];

    if (model_chance(source, 12)) {
        return model_charset_at(model_draw(source, MODEL_CHARSETS - 1));
    }

    return name != NULL ? model_charset(name) : NULL;
}


static void
model_draw_settings(model_source_t *source, model_case_t *c)
{
    static const unsigned match[] = {
        IRI_FOLD_NORMALIZATION, IRI_FOLD_NORMALIZATION,
        IRI_FOLD_NORMALIZATION, IRI_FOLD_NORMALIZATION | IRI_FOLD_VARIANTS,
        IRI_FOLD_VARIANTS,      IRI_FOLD_EXACT_ONLY,
    };
    const model_charset_t *charset;
    uint32_t               n;

    c->group = model_draw(source, COUNT(model_groups));

    for (n = model_draw(source, 4); n != 0; n--) {
        charset = model_draw_charset(source, c->group);
        if (charset != NULL && !model_is_utf8(charset)) {
            model_add_charset(&c->reading.charsets, charset);
            model_add_charset(&c->charsets, charset);
        }
    }

    for (n = model_draw(source, 4); n != 0; n--) {
        charset = model_draw_charset(source, c->group);
        model_add_charset(&c->tree_conf.charsets, charset);
        model_add_charset(&c->charsets, charset);
    }

    c->reading.invalid = model_chance(source, 2)   ? IRI_INVALID_PASS
                         : model_chance(source, 2) ? IRI_INVALID_400
                                                   : IRI_INVALID_404;
    c->tree_conf.names = model_chance(source, 3)   ? IRI_FILENAME_NFC
                         : model_chance(source, 4) ? IRI_FILENAME_NFD
                                                   : IRI_FILENAME_ANY;
    c->tree_conf.match = match[model_draw(source, COUNT(match))];
    c->cached = model_chance(source, 2);
    c->news = model_chance(source, 3);
}


/* ---- the tree ----------------------------------------------------------- */

static model_list_t
model_draw_word(model_source_t *source, const model_case_t *c)
{
    return c->words[model_draw(source, MODEL_WORDS)];
}


/* The octets of the word in one charset, decoded in another. */
static model_list_t
model_misread(model_source_t *source, const model_case_t *c,
              model_list_t word)
{
    model_list_t octets, chars;
    uint32_t     n = (uint32_t) c->charsets.count;

    if (n == 0
        || !model_encode(c->charsets.at[model_draw(source, n)], word,
                         &octets))
    {
        octets = model_utf8(word);
    }

    if (n != 0
        && model_decode(c->charsets.at[model_draw(source, n)], octets, &chars,
                        NULL))
    {
        return chars;
    }

    return word;
}


static void
model_draw_entry(model_source_t *source, model_case_t *c)
{
    model_node_t *dir = c->root, *node;
    model_list_t  word = model_draw_word(source, c);
    size_t        depth, i, dirs;

    if (model_chance(source, 3)) {
        word = model_misread(source, c, word);
    }

    for (depth = 0; depth < 2; depth++) {
        for (i = 0, dirs = 0; i < dir->count; i++) {
            dirs += dir->child[i]->is_dir;
        }

        if (dirs == 0 || model_chance(source, 3)) {
            break;
        }

        dirs = 1 + model_draw(source, (uint32_t) dirs);
        for (i = 0; dirs != 0; i++) {
            dirs -= dir->child[i]->is_dir;
        }
        dir = dir->child[i - 1];
    }

    node = model_tree_add(&c->tree, dir, model_encoded(source, c, word),
                          model_chance(source, 2));
    if (node != NULL && node->count == 0) {
        node->unlisted = model_chance(source, 16);
        node->locked = model_chance(source, 40);
    }
}


void
model_draw_change(model_source_t *source, model_case_t *c)
{
    model_node_t *dir = c->root;
    size_t        depth, i;

    if (model_draw(source, 2)) {
        model_draw_entry(source, c);
        return;
    }

    for (depth = 0; dir->count != 0; depth++) {
        i = model_draw(source, (uint32_t) dir->count);
        if (!dir->child[i]->is_dir || model_draw(source, 3) == 0) {
            model_tree_remove(&c->tree, dir, i);
            return;
        }
        dir = dir->child[i];
    }
}


void
model_draw_case(model_source_t *source, model_case_t *c)
{
    size_t   i;
    uint32_t n;

    memset(c, 0, sizeof(*c));
    model_draw_settings(source, c);
    for (i = 0; i < MODEL_WORDS; i++) {
        c->words[i] = model_word(source, c->group);
    }

    if (model_chance(source, 6)) {
        model_put(&c->prefix, '/');
        model_cat(&c->prefix, model_chance(source, 2)
                                  ? model_text("old")
                                  : model_encoded(source, c, c->words[0]));
        c->slash = model_chance(source, 2);
    }

    model_tree_init(&c->tree, c->news);
    c->root = model_tree_add(&c->tree, c->tree.top, model_text("srv"), 1);
    for (n = 2 + model_draw(source, 12); n != 0; n--) {
        model_draw_entry(source, c);
    }
}


/* ---- requests ----------------------------------------------------------- */

/* Octets that a client could send to request this entry. */
static model_list_t
model_requested(model_source_t *source, const model_case_t *c,
                model_node_t *node)
{
    const model_charset_t *charset;
    model_list_t           chars, name;

    if (model_chance(source, 5)) {
        return node->name;
    }

    name = model_entry_name(&c->tree_conf, node->name);
    if (name.len != 0 && model_draw(source, 4)) {
        model_decode(model_charset_at(0), name, &chars, NULL);
        return model_encoded(source, c, chars);
    }

    if (c->charsets.count != 0) {
        charset = c->charsets
                      .at[model_draw(source, (uint32_t) c->charsets.count)];
        if (model_decode(charset, node->name, &chars, NULL)) {
            return model_encoded(source, c, chars);
        }
    }

    return node->name;
}


/* Octets of a path: along the tree, or not. */
static model_list_t
model_draw_path(model_source_t *source, const model_case_t *c)
{
    model_list_t  path = none;
    model_node_t *dir = c->root;
    uint32_t      n;

    while (dir != NULL && dir->is_dir && dir->count != 0
           && !model_chance(source, 5))
    {
        dir = dir->child[model_draw(source, (uint32_t) dir->count)];
        model_put(&path, '/');
        model_cat(&path, model_requested(source, c, dir));
    }

    n = model_draw(source, 4) == 3 || path.len == 0
            ? 1 + model_draw(source, 2)
            : 0;
    for (/* void */; n != 0; n--) {
        model_put(&path, '/');
        model_cat(&path,
                  model_encoded(source, c, model_draw_word(source, c)));
    }

    if (model_chance(source, 10)) {
        model_put(&path, '/');
    }

    if (model_chance(source, 60)) {
        model_cat(&path, model_text("//a"));
    }

    if (model_chance(source, 60)) {
        model_list_t two = model_text("/");

        model_cat(&two, path);
        path = two;
    }

    return path;
}


/* A path of about the maximal length. */
static model_list_t
model_draw_long(model_source_t *source, const model_case_t *c)
{
    model_list_t path = none, word;
    size_t       i, n, to;

    word = model_encoded(source, c, model_draw_word(source, c));
    model_put(&path, '/');
    model_cat(&path, word);

    switch (model_draw(source, 4)) {
    case 0:
        n = IRI_MAX_SEGMENTS - 3 + model_draw(source, 4);
        for (i = 0; i < n; i++) {
            model_cat(&path, model_text("/d"));
        }
        break;
    case 1:
        to = IRI_MAX_SEGMENT - 2 + model_draw(source, 5);
        while (path.len < to + 1) {
            model_put(&path, 'a');
        }
        break;
    case 2:
        while (word.len != 0 && path.len < 520) {
            model_cat(&path, word);
        }
        break;
    default:
        to = IRI_MAX_PATH - 2 + model_draw(source, 5);
        while (path.len < to) {
            model_put(&path, path.len % 900 == 0 ? '/' : 'a');
        }
        break;
    }

    return path;
}


static void
model_put_octet(model_list_t *out, uint32_t octet, int lower)
{
    static const char upper_hex[] = "0123456789ABCDEF";
    static const char lower_hex[] = "0123456789abcdef";
    const char       *hex = lower ? lower_hex : upper_hex;

    model_put(out, '%');
    model_put(out, (unsigned char) hex[octet >> 4]);
    model_put(out, (unsigned char) hex[octet & 15]);
}


/* The octets as sent: those above 7F raw, escaped, or both. */
static model_list_t
model_escaped(model_source_t *source, model_list_t path)
{
    model_list_t out = none;
    uint32_t     octet, how = model_draw(source, 4);
    size_t       i;
    int          raw, lower = model_chance(source, 5);
    int          whole = model_chance(source, 10);

    for (i = 0; i < path.len; i++) {
        octet = path.at[i];
        raw = octet > 0x7f   ? how == 1 || (how == 2 && model_draw(source, 2))
              : octet == '/' ? i == 0 || !model_chance(source, 200)
              : octet <= 0x20 || octet == 0x7f || octet == '%' || octet == '?'
                      || octet == '#'
                  ? 0
                  : !whole && !model_chance(source, 30);
        if (raw) {
            model_put(&out, octet);
        } else {
            model_put_octet(&out, octet, lower);
        }
    }

    if (model_chance(source, 150)) {
        model_cat(&out, model_text("%4"));
    }

    if (model_chance(source, 150)) {
        model_cat(&out, model_text("%00"));
    }

    return out;
}


/* A query, as it follows the path. */
static model_list_t
model_draw_query(model_source_t *source)
{
    model_list_t query = model_text("a=%e9&b");
    uint32_t     n = model_chance(source, 3) ? model_draw(source, 4) : 0;

    while (n-- != 0) {
        query = model_insert(source, query, model_draw(source, 256));
    }

    return query;
}


void
model_draw_request(model_source_t *source, const model_case_t *c,
                   model_request_t *request)
{
    model_list_t path;

    memset(request, 0, sizeof(*request));
    request->has_query = model_draw(source, 2) != 0;
    request->query = model_draw_query(source);
    path = model_part(c->prefix, 0, c->prefix.len);
    model_cat(&path, model_chance(source, 100) ? model_draw_long(source, c)
                                               : model_draw_path(source, c));
    request->sent = model_escaped(source, path);
    request->escaped = model_draw(source, 2) == 1;

    if (request->escaped) {
        request->path = request->sent;
        request->target = model_draw(source, 2) ? request->sent : none;
        return;
    }

    /* The server has unescaped the path; it would have refused a bad escape. */
    request->path = path;
    if (request->sent.len >= 2
        && request->sent.at[request->sent.len - 2] == '%') {
        request->sent.len -= 2;
    } else if (request->sent.len >= 3
               && request->sent.at[request->sent.len - 1] == '0'
               && request->sent.at[request->sent.len - 2] == '0'
               && request->sent.at[request->sent.len - 3] == '%')
    {
        request->sent.len -= 3;
    }
    request->target = model_chance(source, 4) ? none : request->sent;
}
