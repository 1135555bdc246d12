/*
 * test_match_model.c - the nearest match, compared with a model
 *
 * For random directories of names that differ in all foldable ways and for
 * each set of levels: the entry, its level, the answer and the candidates are
 * those of a model that compares the segment with every entry (fold_model.h),
 * has no index and no cache, and walks down one directory after the other;
 * also after entries were added or removed.  Iota subscript is not used as
 * iota, because only the level `case` alone maps it so.
 */

#include <stdlib.h>

#include "fold_model.h"
#include "sweep.h"

#define N  IRI_FOLD_NORMALIZATION
#define W  IRI_FOLD_WIDTH
#define C  IRI_FOLD_CASE
#define A  IRI_FOLD_ACCENTS
#define SP IRI_FOLD_SPELLING
#define T  IRI_FOLD_TURKIC
#define G  IRI_FOLD_GERMAN

#define MAX_LETTERS 8
#define MAX_NAMES   6
#define MAX_UTF8    256

static const unsigned sets[] = {
    N | W,          N | C,         N | A,          N | SP,
    N | W | C,      N | C | A,     N | C | SP,     N | A | SP,
    N | W | SP,     N | W | C | A, N | C | A | SP, N | W | C | A | SP,
    N | C | T | SP, N | W | A | G, N | C | A | T,  N | W | C | A | G | SP
};

/* Letters in variants that can be folded, and in some that cannot. */
/* clang-format off */
static const uint32_t letters[][8][3] = {
    { { 'a' }, { 'A' }, { 0xe1 }, { 0xe4 }, { 0xc4 }, { 0xff41 }, { 0xff21 },
      { 'a', 'e' } },
    { { 'e' }, { 'E' }, { 0xe9 }, { 0x1ec7 }, { 'e', 0x323, 0x302 },
      { 0xff25 }, { 0xea }, { 'e', 0x34f } },
    { { 'i' }, { 'I' }, { 0x130 }, { 0x131 }, { 0xed }, { 0xff29 },
      { 'i', 0x307 }, { 'i' } },
    { { 's', 's' }, { 0xdf }, { 0x1e9e }, { 'S', 's' }, { 0x17f, 's' },
      { 's' }, { 'S' }, { 0xfb06 } },
    { { 'k' }, { 'K' }, { 0x212a }, { 0xff2b }, { 'k', 0x301 }, { 'k' },
      { 'K' }, { 'k' } },
    { { 0x30ac }, { 0xff76, 0xff9e }, { 0x30ab, 0x3099 }, { 0x30ab },
      { 0xff76 }, { 0x30ab, 0xff9e }, { 0x30ac }, { 0x30ac } },
    { { '1' }, { 0xff11 }, { 0x661 }, { '2' }, { '1', 0x301 }, { 0xb9 },
      { '1' }, { '1' } },
    { { 0x3c3 }, { 0x3c2 }, { 0x3a3 }, { 0x3f2 }, { 0x3c3 }, { 0x3c2 },
      { 0x3a3 }, { 0x3c3 } },
    { { 0x3c9 }, { 0x1ff3 }, { 0x3a9 }, { 0x3ce }, { 0x1ffc }, { 0x2126 },
      { 0x3c9, 0x314 }, { 0x3c9, 0x345 } },
    { { 0x439 }, { 0x438 }, { 0x419 }, { 0x418, 0x306 }, { 0x456 }, { 0x439 },
      { 0x438, 0x306 }, { 0x419 } },
    { { '.' }, { 0xff0e }, { '.' }, { '.' }, { 0x3002 }, { '.' }, { '.' },
      { '.' } },
    { { 0x1f469, 0x200d, 0x1f4bb }, { 0x1f469 }, { 0x1f4bb }, { 0x1f468 },
      { 0x1f469, 0x1f3fd }, { 0x1f469 }, { 0x1f469 }, { 0x1f469 } },
    { { 0x600, 0x661 }, { 0x600, 0x662 }, { 0x600 }, { 0x661 }, { 0x661 },
      { 0x600, 0x661 }, { 0x600, 0x661 }, { 0x600, 0x661 } },
    { { 0x5e9 }, { 0x5e9, 0x5c1 }, { 0x5e9, 0x5c2 }, { 0xfb2a }, { 0x5e9 },
      { 0x5e9 }, { 0x5e9 }, { 0x5e9 } },
    { { 0xac00 }, { 0x1100, 0x1161 }, { 0xac01 }, { 0xffa1, 0xffc2 },
      { 0xac00, 0x11a8 }, { 0x3131 }, { 0xffa1 }, { 0xac00 } },
    { { '-' }, { 0xff0d }, { 0xad }, { 0x2010 }, { ' ' }, { 0x3000 }, { '-' },
      { 0xa0 } }
};
/* clang-format on */


/* A name as letters, each in one of its variants. */
typedef struct {
    size_t letter[MAX_LETTERS];
    size_t way[MAX_LETTERS];
    size_t count;
} word_t;

/* An entry, or a segment. */
typedef struct {
    fold_model_text_t name; /* canonical */
    unsigned char     disk8[MAX_UTF8];
    unsigned char     name8[MAX_UTF8];
    iri_str_t         disk; /* octets */
    iri_str_t         utf8; /* of the name */
} named_t;

typedef struct {
    named_t name[MAX_NAMES];
    size_t  count;
} names_t;


/* ---- names --------------------------------------------------------------- */

static size_t
random_letter(void)
{
    return core_random(3) != 0 ? core_random(5) : core_random(COUNT(letters));
}


static void
random_word(word_t *word)
{
    size_t i;

    word->count = core_random(6) == 0 ? 1 + core_random(3)
                                      : 3 + core_random(MAX_LETTERS - 4);

    for (i = 0; i < word->count; i++) {
        word->letter[i] = random_letter();
        word->way[i] = core_random(2) ? 0 : core_random(8);
    }
}


/* One letter inserted, removed, replaced, or two exchanged. */
static void
edit(word_t *word)
{
    word_t from = *word;
    size_t at = core_random((uint32_t) from.count), how = core_random(4), i;

    word->count = 0;

    for (i = 0; i < from.count; i++) {
        if (i == at && (how == 0 || how == 2) && word->count < MAX_LETTERS) {
            word->letter[word->count] = random_letter();
            word->way[word->count++] = core_random(8);
        }

        if ((i == at && (how == 1 || how == 2)) || word->count == MAX_LETTERS)
        {
            continue;
        }

        word->letter[word->count] = from.letter[i];
        word->way[word->count++] = from.way[i];
    }

    if (how == 3 && at + 1 < word->count) {
        word->letter[at] = from.letter[at + 1];
        word->letter[at + 1] = from.letter[at];
        word->way[at] = from.way[at + 1];
        word->way[at + 1] = from.way[at];
    }
}


/* A word that differs from another one by a random amount. */
static void
vary(const word_t *like, word_t *word)
{
    size_t i;

    *word = *like;

    for (i = core_random(3); i > 0; i--) {
        word->way[core_random((uint32_t) word->count)] = core_random(8);
    }

    for (i = core_random(3); i > 1 || (i == 1 && core_random(2)); i--) {
        if (word->count > 1) {
            edit(word);
        }
    }
}


/* Encode in a legacy charset; empty if it lacks a character. */
static iri_str_t
encode(const iri_charset_t *charset, const fold_model_text_t *text,
       unsigned char *out)
{
    iri_str_t s = { 0, out };
    size_t    i, n;

    for (i = 0; i < text->count; i++) {
        n = iri_charset_put(charset, text->c[i], out + s.len);
        s.len = n == 0 ? 0 : s.len + n;

        if (n == 0) {
            break;
        }
    }

    return s;
}


/* Write the word in NFC, in NFD, unnormalized, or in a charset. */
static void
write_word(const word_t *word, const iri_charset_t *charset, named_t *named)
{
    fold_model_text_t disk = { { 0 }, 0 };
    const uint32_t   *way;
    size_t            i, k;

    for (i = 0; i < word->count; i++) {
        way = letters[word->letter[i]][word->way[i]];

        for (k = 0; k < 3 && way[k] != 0; k++) {
            disk.c[disk.count++] = way[k];
        }
    }

    named->name = disk;
    fold_model_normalize(&named->name, 0);
    named->utf8 = core_utf8(named->name.c, named->name.count, named->name8);

    if (charset != NULL) {
        named->disk = encode(charset, &named->name, named->disk8);
        return;
    }

    if (core_random(3) != 0) {
        fold_model_normalize(&disk, (int) core_random(2));
    }

    named->disk = core_utf8(disk.c, disk.count, named->disk8);
}


static int
is_dots(iri_str_t s)
{
    return iri_str_equal(s, S(".")) || iri_str_equal(s, S(".."));
}


/*
 * Random names similar to a word: no duplicates, and no two directories with
 * one name.
 */
static void
random_names(const word_t *like, const iri_charset_t *charset,
             int directories, names_t *names)
{
    named_t *named;
    word_t   word;
    size_t   i, turn;
    int      twice;

    names->count = 0;

    for (turn = core_random(MAX_NAMES + 1); turn > 0; turn--) {
        named = &names->name[names->count];
        vary(like, &word);
        write_word(&word, charset, named);
        twice = is_dots(named->utf8) || named->disk.len == 0;

        for (i = 0; i < names->count; i++) {
            twice |= iri_str_equal(named->disk, names->name[i].disk)
                     || (directories
                         && iri_str_equal(named->utf8, names->name[i].utf8));
        }

        names->count += !twice;
    }
}


/* The strings of the copy point into the copy. */
static void
copy_name(const named_t *from, named_t *to)
{
    *to = *from;
    to->disk.data = to->disk8;
    to->utf8.data = to->name8;
}


/* ---- the model ----------------------------------------------------------- */

static void
parts_of(unsigned match, const named_t *named, fold_model_parts_t *parts)
{
    static fold_model_text_t key;

    fold_model_key(match, &named->name, &key);
    parts->key = core_utf8(key.c, key.count, parts->utf8);
    fold_model_divide(parts);
}


static iri_match_t
model_level(unsigned match, int legacy, const named_t *requested,
            const named_t *entry)
{
    static fold_model_parts_t a, b;
    iri_match_t               level;

    if (iri_str_equal(requested->utf8, entry->utf8)) {
        return iri_str_equal(entry->disk, entry->utf8) ? IRI_MATCH_EXACT
               : legacy                                ? IRI_MATCH_CHARSET
                        : IRI_MATCH_NORMALIZATION;
    }

    /* A full-width dot does not make a name a dot file. */
    if ((entry->utf8.data[0] == '.') != (requested->utf8.data[0] == '.')) {
        return IRI_MATCH_NONE;
    }

    level = fold_model_level(match, &requested->name, &entry->name);

    if (level == IRI_MATCH_NONE && (match & SP) && entry->utf8.data[0] != '.'
        && requested->utf8.data[0] != '.')
    {
        parts_of(match, requested, &a);
        parts_of(match, entry, &b);
        level = fold_model_one_edit(&a, &b) ? IRI_MATCH_SPELLING : level;
    }

    return level;
}


/* The matches of one directory for a segment. */
typedef struct {
    iri_match_t    level;
    const named_t *entry[MAX_NAMES]; /* of different names */
    size_t         count;
} near_t;


static void
model_find(unsigned match, int legacy, const named_t *requested,
           const names_t *names, near_t *near)
{
    iri_match_t level;
    size_t      i, k;

    near->level = IRI_MATCH_NONE;
    near->count = 0;

    for (i = 0; i < names->count; i++) {
        level = model_level(match, legacy, requested, &names->name[i]);

        if (level == IRI_MATCH_NONE
            || (near->count != 0 && level > near->level)) {
            continue;
        }

        if (near->count != 0 && level < near->level) {
            near->count = 0;
        }

        near->level = level;

        for (k = 0; k < near->count; k++) {
            if (iri_str_equal(near->entry[k]->utf8, names->name[i].utf8)) {
                break;
            }
        }

        near->entry[k] = &names->name[i];
        near->count += k == near->count;
    }
}


/* ---- the core ------------------------------------------------------------ */

typedef struct {
    core_t          core;
    iri_tree_conf_t tree;
    const char     *label; /* of its charset; "" is UTF-8 */
    iri_search_t    search;
    iri_found_t     found;
    word_t          like;   /* the name that is requested of a directory */
    int             legacy; /* the tree has a legacy charset */
    int             unwritable; /* and cannot encode the requested name */
    named_t requested[2]; /* the requested directory, and the name in it */
    names_t directories;
    names_t in[MAX_NAMES]; /* of each directory */
    unsigned char path[4 * MAX_UTF8];
} world_t;


static iri_str_t
join(unsigned char *to, const char *root, iri_str_t a, iri_str_t b)
{
    iri_str_t out = { 0, to };

    memcpy(to, root, strlen(root));
    out.len = strlen(root);
    to[out.len++] = '/';
    memcpy(to + out.len, a.data, a.len);
    out.len += a.len;
    to[out.len++] = '/';

    if (b.len != 0) {
        memcpy(to + out.len, b.data, b.len);
        out.len += b.len;
    }

    return out;
}


static void
world_init(world_t *w)
{
    static const iri_str_t   nothing = { 0, NULL };
    static const word_t      d = { { 0 }, { 0 }, 1 };
    static const char *const labels[] = { "", "", "euc-jp", "shift_jis" };
    const char              *label = labels[core_random(COUNT(labels))];
    const iri_charset_t     *charset;
    unsigned char            path[4 * MAX_UTF8];
    word_t                   word[2];
    size_t                   i, k;

    memset(w, 0, sizeof(*w));
    w->label = label;
    charset = *label != '\0' ? core_charset(label) : NULL;
    w->legacy = charset != NULL;
    core_init(&w->core);
    w->tree = core_tree(label, IRI_FILENAME_ANY,
                        sets[core_random(COUNT(sets))]);
    w->tree.ambiguous = (iri_ambiguous_t) core_random(2);
    w->search.tree = &w->tree;
    w->search.root = S("/srv");
    w->search.write = core_random(8) == 0;
    core_put(&w->core, S("/srv/"));

    random_word(&word[0]);
    random_word(&word[1]);
    w->like = word[1];
    random_names(&word[0], charset, 1, &w->directories);

    /* Often all matches are in one directory, the one with the exact name. */
    if (core_random(2)) {
        word[0] = d;
        w->directories.count = 1;
        write_word(&d, NULL, &w->directories.name[0]);
    }

    write_word(&word[0], NULL, &w->requested[0]);
    write_word(&word[1], NULL, &w->requested[1]);

    for (i = 0; i < w->directories.count; i++) {
        random_names(&word[1], charset, 0, &w->in[i]);
        core_put(&w->core,
                 join(path, "/srv", w->directories.name[i].disk, nothing));

        for (k = 0; k < w->in[i].count; k++) {
            core_put(&w->core, join(path, "/srv", w->directories.name[i].disk,
                                    w->in[i].name[k].disk));
        }
    }

    for (i = 0; i < 2 && charset != NULL; i++) {
        w->unwritable |= encode(charset, &w->requested[i].name, path).len
                         == 0;
    }

    w->search.path = join(w->path, "", w->requested[0].utf8,
                          w->requested[1].utf8);
}


/* Add or remove an entry of one of the directories. */
static void
world_change(world_t *w)
{
    static const iri_str_t gone = IRI_STR("00000000000000000000");
    unsigned char          path[4 * MAX_UTF8];
    const iri_charset_t   *charset;
    iri_str_t              directory, name;
    core_node_t           *node;
    names_t               *in, more;
    size_t                 at, i;

    if (w->directories.count == 0) {
        return;
    }

    at = core_random((uint32_t) w->directories.count);
    in = &w->in[at];
    directory = w->directories.name[at].disk;
    w->core.mtime++;

    if (in->count != 0 && core_random(2)) {
        name = in->name[in->count - 1].disk;
        core_node(&w->core, join(path, "/srv", directory, name))->name = gone;
        node = core_node(&w->core, join(path, "/srv", directory, S("")));
        node->node.mtime = node->node.ctime = w->core.mtime;
        in->count--;
        return;
    }

    charset = w->legacy ? core_charset(w->label) : NULL;
    random_names(&w->like, charset, 0, &more);

    for (i = 0; i < in->count && more.count != 0; i++) {
        if (iri_str_equal(in->name[i].disk, more.name[0].disk)) {
            return;
        }
    }

    if (more.count != 0 && in->count < MAX_NAMES) {
        copy_name(&more.name[0], &in->name[in->count]);
        name = in->name[in->count++].disk;
        core_put(&w->core, join(path, "/srv", directory, name));
    }
}


static void
world_fail(world_t *w, const char *what, iri_str_t want)
{
    size_t i, k;

    for (i = 0; i < w->directories.count; i++) {
        print_error("  %s/\n", core_show(w->directories.name[i].disk));

        for (k = 0; k < w->in[i].count; k++) {
            print_error("    %s\n", core_show(w->in[i].name[k].disk));
        }
    }

    for (i = 0; i < w->found.count; i++) {
        print_error("  choice: %s\n", core_show(w->found.choices[i]));
    }

    fail_msg("levels %03x%s%s, asked %s: %s, %s, %s; expected %s %s",
             w->tree.match, w->search.write ? ", write" : "",
             w->search.cache ? ", cache" : "", core_show(w->search.path),
             iri_verdict_text(w->found.verdict),
             iri_match_text(w->found.match), core_show(w->found.path), what,
             core_show(want));
}


/* ---- both ---------------------------------------------------------------- */

/* The result for an absent name, also for one that no entry can have. */
static iri_verdict_t
absent(const world_t *w)
{
    return w->unwritable ? IRI_REFUSE : IRI_PASS;
}


static void
check(world_t *w, iri_verdict_t answer, iri_match_t match, iri_str_t path)
{
    if (w->found.verdict != answer || w->found.match != match
        || !iri_str_equal(w->found.path, path))
    {
        print_error("expected %s\n", iri_match_text(match));
        world_fail(w, iri_verdict_text(answer), path);
    }
}


static int
compare(const void *a, const void *b)
{
    return iri_str_compare(*(const iri_str_t *) a, *(const iri_str_t *) b);
}


/*
 * The nearest names in the directory that was requested. Without a cache a name
 * in an unusual form costs a listing, and few are allowed.
 */
static void
check_choices(world_t *w, const near_t *near)
{
    unsigned char path[MAX_NAMES][4 * MAX_UTF8];
    iri_str_t     want[MAX_NAMES];
    size_t        i, k = 0;

    if (w->tree.ambiguous != IRI_AMBIGUOUS_300) {
        assert_int_equal(w->found.count, 0);
        return;
    }

    for (i = 0; i < near->count; i++) {
        want[i] = join(path[i], "", w->requested[0].utf8,
                       near->entry[i]->utf8);
    }

    qsort(want, near->count, sizeof(want[0]), compare);

    for (i = 0; i < near->count; i++) {
        if (k < w->found.count && iri_str_equal(w->found.choices[k], want[i]))
        {
            k++;
        } else if (w->search.cache != NULL) {
            world_fail(w, "as a choice", want[i]);
        }
    }

    if (k != w->found.count) {
        world_fail(w, "not as a choice", w->found.choices[k]);
    }
}


static void
check_world(world_t *w)
{
    unsigned char path[4 * MAX_UTF8];
    unsigned      match = w->tree.match;
    near_t        up, down;
    iri_str_t     want;
    iri_match_t   level;
    size_t        at;

    match &= w->search.write ? N | W : ~0u;

    assert_int_equal(iri_find(&w->core.env, &w->search, &w->found), IRI_OK);
    model_find(match, w->legacy, &w->requested[0], &w->directories, &up);

    if (up.count != 1) {
        check(w, up.count == 0 ? absent(w) : IRI_CHOOSE, up.level,
              w->search.path);
        return;
    }

    at = (size_t) ((const named_t *) up.entry[0] - w->directories.name);
    model_find(match, w->legacy, &w->requested[1], &w->in[at], &down);

    if (down.count == 1) {
        level = up.level > down.level ? up.level : down.level;
        want = join(path, "", up.entry[0]->utf8, down.entry[0]->utf8);
        check(w,
              iri_str_equal(want, w->search.path) ? IRI_SERVE : IRI_RESTART,
              level, want);
        return;
    }

    want = join(path, "", up.entry[0]->utf8, w->requested[1].utf8);

    if (!iri_str_equal(want, w->search.path)) {
        check(w, IRI_RESTART, w->found.match, want);

    } else if (down.count == 0) {
        check(w, absent(w), IRI_MATCH_NONE, want);

    } else {
        level = up.level > down.level ? up.level : down.level;
        check(w, IRI_CHOOSE, level, want);
        check_choices(w, &down);
    }
}


TEST(test_model)
{
    static world_t w;
    size_t         turn, turns = sweep_all() ? 1000000 : 12000;
    size_t         answers[IRI_VERDICTS] = { 0 };
    size_t         levels[IRI_MATCHES] = { 0 };

    for (turn = 0; turn < turns; turn++) {
        world_init(&w);

        if (is_dots(w.requested[0].utf8) || is_dots(w.requested[1].utf8)) {
            core_free(&w.core);
            continue;
        }

        if (core_random(2)) {
            w.search.cache = core_cache(65536);
        }

        /* Again with a filled cache, and after changes. */
        check_world(&w);
        check_world(&w);
        world_change(&w);
        check_world(&w);
        answers[w.found.verdict]++;
        levels[w.found.match]++;

        core_cache_free(w.search.cache);
        core_free(&w.core);
    }

    for (turn = 0; turn < IRI_MATCHES; turn++) {
        print_message("%s: %lu\n", iri_match_text((iri_match_t) turn),
                      (unsigned long) levels[turn]);
        assert_true(levels[turn] > turns / 500 || turn == IRI_MATCH_CHARSET
                    || turn == IRI_MATCH_VARIANTS
                    || turn == IRI_MATCH_REPAIR);
    }

    assert_true(answers[IRI_PASS] > turns / 50
                && answers[IRI_SERVE] > turns / 50
                && answers[IRI_RESTART] > turns / 50
                && answers[IRI_CHOOSE] > turns / 50);
}
