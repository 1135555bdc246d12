/*
 * test_fold.c - folding keys, and names that differ by one edit
 *
 * Compares with a model of ICU's properties (fold_model.h): the key of every
 * character, alone and beside letters and marks, for each set of levels; a key
 * is its own key; NFC and NFD have one key; names that are equal at a level
 * are equal at the higher levels; the nearest level is the first at which keys
 * are equal.  Compares with all edits of a list of grapheme clusters: which
 * keys are one edit apart; such keys share a key with one cluster removed, by
 * which the index finds them.
 *
 * A sample in `make test`, all of it with IRI_SWEEP=all.
 */

#include <stdlib.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "fold_model.h"
#include "core.h"

#define V IRI_FOLD_VARIANTS
#define W IRI_FOLD_WIDTH
#define C IRI_FOLD_CASE
#define A IRI_FOLD_ACCENTS
#define T IRI_FOLD_TURKIC
#define G IRI_FOLD_GERMAN

#define MAX_PRINTED 20 /* the number of mismatches that are printed */

/* clang-format off */
static const unsigned sets[] = {
    V | W | C | A, W,     C,         A,     V,         V | W,
    W | C,         W | A, C | A,     W | C | A, C | T, C | T | A,
    A | G,         W | C | A | G,    W | C | T | A | G
};
/* clang-format on */

static size_t wrong;


/* ---- keys ---------------------------------------------------------------- */

static iri_str_t
fold(unsigned match, iri_str_t name)
{
    iri_buf_t key = IRI_BUF_EMPTY, other = IRI_BUF_EMPTY;
    iri_env_t without_keys = core.env;

    without_keys.fold_keys = NULL;

    assert_ok(iri_fold(&core.env, match, name, &key));
    assert_ok(iri_fold(&without_keys, match, name, &other));
    assert_true(iri_str_equal(iri_buf_str(&key), iri_buf_str(&other)));

    return iri_buf_str(&key);
}


static void
expect(iri_str_t got, iri_str_t want, const char *what, unsigned match,
       iri_str_t name)
{
    if (iri_str_equal(got, want) || ++wrong > MAX_PRINTED) {
        return;
    }

    print_error("%s, levels %03x, of %s: %s, expected %s\n", what, match,
                core_show(name), core_show(got), core_show(want));
}


/*
 * The key of a name is that of the model, also for its NFD, and is its own key.
 */
static void
check_key(unsigned match, const fold_model_text_t *text)
{
    static unsigned char name8[4 * FOLD_MODEL_KEY], nfd8[4 * FOLD_MODEL_KEY];
    static unsigned char want8[4 * FOLD_MODEL_KEY];
    fold_model_text_t    name = *text, nfd = *text, want;
    iri_str_t            s, key, right;

    fold_model_normalize(&name, 0);
    fold_model_normalize(&nfd, 1);
    fold_model_key(match, &name, &want);
    s = core_utf8(name.c, name.count, name8);
    right = core_utf8(want.c, want.count, want8);
    key = fold(match, s);

    expect(key, right, "key", match, s);
    expect(fold(match, key), key, "key of a key", match, s);

    if (!core_too_many_marks(nfd.c, nfd.count)) {
        expect(fold(match, core_utf8(nfd.c, nfd.count, nfd8)), key,
               "key of NFD", match, s);
    }
}


/*
 * Does a set of levels ignore all differences that another set ignores? Rules
 * of a language replace other folding of a letter, and do not apply to
 * full-width letters.
 */
static int
is_within(unsigned less, unsigned more)
{
    return (less & more) == less
           && ((more & T) == 0 || (less & T) || (less & (C | A)) == 0)
           && ((more & (T | G)) == 0 || (less & W) == (more & W))
           && ((more & G) == 0 || (less & G) || (less & A) == 0);
}


/*
 * Iota subscript is a letter for case folding and a mark for accents; U+1E9A
 * has an accent for accents, while case folding maps it to two characters.
 */
static int
is_both(const fold_model_text_t *text)
{
    fold_model_text_t nfd = *text;
    size_t            i;

    fold_model_normalize(&nfd, 1);

    for (i = 0; i < nfd.count; i++) {
        if (nfd.c[i] == 0x345 || nfd.c[i] == 0x1e9a) {
            return 1;
        }
    }

    return 0;
}


/*
 * Names with equal keys at a set of levels have equal keys if more is ignored.
 */
static void
check_within(unsigned less, unsigned more, const fold_model_text_t *text)
{
    static unsigned char name8[4 * FOLD_MODEL_KEY];
    fold_model_text_t    name = *text;
    iri_str_t            s;

    if (!is_within(less, more) || ((less & C) && is_both(text))) {
        return;
    }

    fold_model_normalize(&name, 0);
    s = core_utf8(name.c, name.count, name8);

    expect(fold(more, fold(less, s)), fold(more, s), "key by steps", more, s);
}


/* ---- every character ----------------------------------------------------- */

/*
 * Large groups of characters that are treated alike: every hundredth is tested.
 */
static int
is_one_of_many(uint32_t c)
{
    return (c >= 0x3400 && c <= 0x9fff) || (c >= 0xac00 && c <= 0xd7a3)
           || (c >= 0xe000 && c <= 0xfad9) || c >= 0x20000;
}


/* Does any level, or normalization, change the character? */
static int
is_interesting(uint32_t c)
{
    UChar32 u = (UChar32) c;
    int32_t script = u_getIntPropertyValue(u, UCHAR_SCRIPT);

    return u_hasBinaryProperty(u, UCHAR_CHANGES_WHEN_CASEFOLDED)
           || u_getIntPropertyValue(u, UCHAR_DECOMPOSITION_TYPE) != U_DT_NONE
           || (U_GET_GC_MASK(u) & U_GC_M_MASK)
           || (u_isdefined(u)
               && u_hasBinaryProperty(u, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
           || script == USCRIPT_LATIN || script == USCRIPT_GREEK
           || script == USCRIPT_CYRILLIC || fold_model_vendor(c) != c;
}


/* 0 stands for the character */
/* clang-format off */
static const uint32_t contexts[][4] = {
    { 0 },           { 'a', 0 },      { 0x3b1, 0 },      { 0x430, 0 },
    { 0x5d0, 0 },    { 0x30ab, 0 },   { 0xff76, 0 },     { '1', 0 },
    { 'I', 0 },      { 'a', 0x323, 0 }, { 'a', 0x34f, 0 }, { 'a', 0x20dd, 0 },
    { 0, 0x301 },    { 0, 0x307 },    { 0, 0x308, 0x301 }, { 0, 0x345 },
    { 0, 0x345, 0x301 }, { 0, 0x3099 }, { 0, 0xff9e },   { 0, 0xfe00 },
    { 0, 's' },      { 'S', 0, 0x308, 'I' }
};
/* clang-format on */


static void
put_in_context(size_t context, uint32_t c, fold_model_text_t *text)
{
    size_t i, seen = 0;

    text->count = 0;

    for (i = 0; i < 4; i++) {
        if (contexts[context][i] != 0) {
            text->c[text->count++] = contexts[context][i];
        } else if (seen++ == 0) {
            text->c[text->count++] = c;
        }
    }
}


/* Check a text with some of the sets, also by several steps to a larger set. */
static void
check_text(const fold_model_text_t *text, size_t stride, size_t turn)
{
    size_t i, k;

    for (i = turn % stride; i < COUNT(sets); i += stride) {
        check_key(sets[i], text);

        for (k = (turn / stride) % stride; k < COUNT(sets); k += stride) {
            check_within(sets[k], sets[i], text);
        }
    }

    core_forget(&core);
}


TEST(test_characters)
{
    static fold_model_text_t text;
    uint32_t                 c;
    size_t                   i, interesting = 0, turn = 0;

    wrong = 0;

    for (c = 1; c <= 0x10ffff; c++) {
        if (!core_is_scalar(c)
            || (!core_sweeps() && is_one_of_many(c) && c % 101 != 0
                && !u_hasBinaryProperty((UChar32) c,
                                        UCHAR_DEFAULT_IGNORABLE_CODE_POINT)))
        {
            continue;
        }

        text.c[0] = c;
        text.count = 1;

        if (!is_interesting(c)) {
            check_key(sets[0], &text);
            core_forget(&core);
            continue;
        }

        interesting++;
        check_text(&text, 1, 0);

        for (i = 1; i < COUNT(contexts); i++) {
            put_in_context(i, c, &text);
            check_text(&text, core_sweeps() ? 1 : 13, turn++);
        }
    }

    print_message("%lu characters in %lu contexts, %lu wrong\n",
                  (unsigned long) interesting,
                  (unsigned long) COUNT(contexts), (unsigned long) wrong);
    assert_int_equal(wrong, 0);
}


/* ---- texts --------------------------------------------------------------- */

static uint32_t
random_character(void)
{
    static const uint32_t some[] = {
        'a',    'A',    'e',    'E',    's',     'S',    'i',    'I',
        'k',    'K',    'u',    'o',    '1',     '-',    '.',    0xdf,
        0x1e9e, 0x17f,  0x130,  0x131,  0x212a,  0x37e,  0x1fef, 0xe4,
        0xc4,   0xf6,   0xfc,   0xe9,   0xc9,    0x1ec7, 0x1a1,  0x111,
        0xf8,   0xb5,   0x3bc,  0x3c3,  0x3c2,   0x3a3,  0x3b1,  0x1fb3,
        0x1fbc, 0x390,  0x1f80, 0x3b9,  0x439,   0x438,  0x451,  0x407,
        0x13a0, 0xab70, 0x1c90, 0x10d0, 0x10400, 0xfb03, 0x149,  0x1f0,
        0x300,  0x301,  0x302,  0x307,  0x308,   0x30c,  0x323,  0x331,
        0x345,  0x34f,  0x488,  0xfe00, 0x200d,  0xad,   0x5e9,  0x5c1,
        0x64e,  0x645,  0x30ab, 0x30ac, 0x3099,  0x309a, 0xff76, 0xff9e,
        0xff9f, 0xff21, 0xff41, 0xff0f, 0xff0e,  0x3000, 0xffe4, 0xffa1,
        0x301c, 0xff5e, 0x2212, 0xff0d, 0x1100,  0x1161, 0x11a8, 0xac00,
        0x8868, 0x1f600
    };
    uint32_t c;

    if (core_random(16) != 0) {
        return some[core_random(COUNT(some))];
    }

    do {
        c = 0xa0 + core_random(0x1f000);
    } while (!core_is_scalar(c));

    return c;
}


static void
random_text(fold_model_text_t *text, size_t most)
{
    size_t i;

    text->count = 1 + core_random((uint32_t) most);

    for (i = 0; i < text->count; i++) {
        text->c[i] = random_character();
    }
}


TEST(test_texts)
{
    static fold_model_text_t text;
    size_t                   turn, turns = core_sweeps() ? 200000 : 20000;

    wrong = 0;

    for (turn = 0; turn < turns; turn++) {
        random_text(&text, core_random(20) == 0 ? FOLD_MODEL_TEXT : 6);
        check_text(&text, core_sweeps() ? 1 : 7, turn);
    }

    assert_int_equal(wrong, 0);
}


/* Names with an optimized way: ASCII, and characters that no level changes. */
static void
random_plain(fold_model_text_t *text, size_t most)
{
    static const uint32_t some[] = { 0x3041, 0x3096, 0x30a1, 0x30fe, 0x3400,
                                     0x4e00, 0x9fff, 0xac00, 0xd7a3, 0x30ac };
    size_t                i;

    text->count = 1 + core_random((uint32_t) most);

    for (i = 0; i < text->count; i++) {
        text->c[i] = core_random(4) == 0 ? some[core_random(COUNT(some))]
                                         : 0x20 + core_random(0x5f);
    }
}


TEST(test_plain)
{
    static fold_model_text_t text;
    size_t                   turn, i;

    wrong = 0;

    for (turn = 0; turn < 3000; turn++) {
        random_plain(&text, 40);

        for (i = 0; i < COUNT(sets); i++) {
            check_key(sets[i], &text);
        }

        core_forget(&core);
    }

    assert_int_equal(wrong, 0);
}


/* The most marks that are normalized, and one more. */
TEST(test_many_marks)
{
    static fold_model_text_t text;
    size_t                   marks, i;

    wrong = 0;

    for (marks = IRI_MAX_MARKS - 1; marks <= IRI_MAX_MARKS + 1; marks++) {
        /* "Q" composes with no mark. */
        text.c[0] = 'Q';
        text.count = marks + 1;

        for (i = 1; i <= marks; i++) {
            text.c[i] = i % 2 ? 0x308 : 0x323;
        }

        for (i = 0; i < COUNT(sets); i++) {
            check_key(sets[i], &text);
        }
    }

    assert_int_equal(wrong, 0);
}


/* The longest names, of characters whose keys are longest. */
TEST(test_longest)
{
    static const uint32_t    grow[] = { 0xfb03, 0x390, 0x1f82, 0xdf, 0x1f02,
                                        0x130,  0xdc,  0xff76, 'I',  0x10400 };
    static unsigned char     utf8[IRI_MAX_SEGMENT + 8];
    static unsigned char     want8[16 * IRI_MAX_SEGMENT];
    static fold_model_text_t one, key;
    iri_str_t                name, got, part;
    size_t                   i, k, set, n;

    for (i = 0; i < COUNT(grow); i++) {
        for (set = 0; set < COUNT(sets); set++) {
            one.c[0] = grow[i];
            one.count = 1;
            fold_model_key(sets[set], &one, &key);
            part = core_utf8(key.c, key.count, want8);
            n = core_utf8(one.c, 1, utf8).len;

            for (k = 0; k + n <= IRI_MAX_SEGMENT; k += n) {
                memcpy(utf8 + k, utf8, n);
            }

            name.data = utf8;
            name.len = k;
            got = fold(sets[set], name);

            assert_int_equal(got.len, k / n * part.len);

            for (k = 0; k < got.len; k += part.len) {
                assert_memory_equal(got.data + k, part.data, part.len);
            }

            core_forget(&core);
        }
    }
}


/* ---- levels -------------------------------------------------------------- */

/*
 * Three letters, each in a random variant; if like is not NULL, some from it.
 */
static void
random_name(fold_model_text_t *name, const fold_model_text_t *like)
{
    static const uint32_t letters[3][12] = {
        { 'a', 'A', 0xe1, 0xc1, 0xff41, 0xff21, 0x1ea1, 0xe4, 'a', 'a', 'a',
          'A' },
        { 'i', 'I', 0x130, 0x131, 0xed, 0xff29, 0xff49, 'i', 'i', 0xee, 'i',
          'I' },
        { 0x301c, 0xff5e, '~', 0x2212, 0xff0d, '-', '~', '-', 0xff76, 0x30ab,
          0x30ac, 0x301c }
    };
    size_t i;

    name->count = 3;

    for (i = 0; i < 3; i++) {
        name->c[i] = like != NULL && core_random(3) != 0
                         ? like->c[i]
                         : letters[i][core_random(12)];
    }
}


/*
 * ASCII of some length, and the same text with a bit changed that may be letter
 * case.
 */
static void
random_ascii(fold_model_text_t *a, fold_model_text_t *b)
{
    size_t i, at;

    a->count = 1 + core_random(20);

    for (i = 0; i < a->count; i++) {
        a->c[i] = 0x20 + core_random(0x5f);
    }

    *b = *a;

    for (i = core_random(3); i > 0; i--) {
        at = core_random((uint32_t) b->count);
        b->c[at] ^= b->c[at] == 0x5f || core_random(8) == 0 ? 0x10 : 0x20;
        b->c[at] = b->c[at] < 0x20 ? 'x' : b->c[at];
    }
}


TEST(test_levels)
{
    static fold_model_text_t a, b;
    unsigned char            a8[4 * FOLD_MODEL_TEXT], b8[4 * FOLD_MODEL_TEXT];
    iri_str_t                name_a, name_b;
    iri_match_t              level, want;
    unsigned                 match;
    size_t                   turn, seen[IRI_MATCHES] = { 0 };

    for (turn = 0; turn < 100000; turn++) {
        if (core_random(4) == 0) {
            random_ascii(&a, &b);
        } else {
            random_name(&a, NULL);
            random_name(&b, &a);
        }

        match = sets[core_random(COUNT(sets))];

        name_a = core_utf8(a.c, a.count, a8);
        name_b = core_utf8(b.c, b.count, b8);
        assert_ok(iri_fold_level(&core.env, match, name_a, name_b, &level));

        want = fold_model_level(match, &a, &b);
        seen[want]++;

        if (level != want) {
            fail_msg("%s and %s, levels %03x: %s, expected %s",
                     core_show(name_a), core_show(name_b), match,
                     iri_match_text(level), iri_match_text(want));
        }

        core_forget(&core);
    }

    /* Each level occurred; for punctuation see test_fold_plain.c. */
    for (level = IRI_MATCH_VARIANTS; level <= IRI_MATCH_ACCENTS; level++) {
        assert_true(seen[level] > 100 || level == IRI_MATCH_PUNCTUATION);
    }
}


/* ---- edits --------------------------------------------------------------- */

/* Letters, digits, marks, and characters that join */
static const char *const pieces[] = {
    "a",
    "b",
    "c",
    "a",
    "b",
    "1",
    "2",
    "\xd9\xa1", /* an Arabic digit */
    "\xd8\x80", /* Arabic number sign */
    ".",
    "\xc3\xa9",
    "x\xcc\x81",
    "\xcc\x81",
    "1\xcc\x81", /* a digit with a mark */
    "\xe8\xa1\xa8",
    "\xea\xb0\x81",
    "\xe1\x86\xa8", /* a final consonant */
    "\xe0\xa4\x95\xe0\xa4\xbf",
    "\xe0\xb8\x97\xe0\xb8\xb5\xe0\xb9\x88",
    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
    "\xf0\x9f\x91\xa9",
    "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd",
    "\xe2\x9d\xa4\xef\xb8\x8f",
    "\xe2\x80\x8d",                     /* a joiner */
    "\xf0\x9f\x87\xaf\xf0\x9f\x87\xb5", /* a flag */
    "\xf0\x9f\x87\xba"                  /* half of a flag */
};


static void
random_parts(fold_model_parts_t *p)
{
    size_t      count = 2 + core_random(6);
    const char *piece;

    p->key.data = p->utf8;
    p->key.len = 0;

    while (count-- > 0) {
        piece = pieces[core_random(COUNT(pieces))];
        memcpy(p->utf8 + p->key.len, piece, strlen(piece));
        p->key.len += strlen(piece);
    }

    fold_model_divide(p);
}


static void
append(fold_model_parts_t *to, const unsigned char *data, size_t len)
{
    memcpy(to->utf8 + to->key.len, data, len);
    to->key.len += len;
}


/* A copy of a with one of its parts edited. */
static void
random_edit(const fold_model_parts_t *a, fold_model_parts_t *b)
{
    size_t      i, at = core_random((uint32_t) a->count + 1);
    uint32_t    how = core_random(4);
    const char *piece = pieces[core_random(COUNT(pieces))];

    b->key.data = b->utf8;
    b->key.len = 0;

    for (i = 0; i < a->count; i++) {
        if (i == at && how != 0) {
            append(b, (const unsigned char *) piece, strlen(piece));
        }

        if (how == 3 && i == at && i + 1 < a->count) {
            b->key.len -= strlen(piece);
            append(b, a->part[i + 1].data, a->part[i + 1].len);
            append(b, a->part[i].data, a->part[i].len);
            i++;
        } else if (i != at || how == 2) {
            append(b, a->part[i].data, a->part[i].len);
        }
    }

    fold_model_divide(b);
}


static int
is_one(iri_str_t a, iri_str_t b)
{
    int one = 2;

    assert_ok(iri_edit_differ_by_one(&core.env, a, b, &one));

    return one;
}


/*
 * The keys by which an index finds a key: itself, and with each part removed.
 */
static size_t
shorten(iri_str_t key, iri_str_t *out)
{
    static iri_graphemes_t edit;
    iri_buf_t              buf;
    size_t                 i, n = 0;
    int                    fit, left_out;

    iri_graphemes_init(&edit);
    assert_ok(iri_graphemes_split(&edit, key, &fit));
    assert_true(fit);
    out[n++] = key;

    for (i = 0; i < edit.count; i++) {
        memset(&buf, 0, sizeof(buf));
        assert_ok(iri_graphemes_put_without(&core.env, &edit, key, i, &buf,
                                            &left_out));
        if (left_out) {
            out[n++] = iri_buf_str(&buf);
        }
    }

    iri_graphemes_free(&edit);

    return n;
}


static int
have_common(iri_str_t a, iri_str_t b)
{
    iri_str_t of_a[FOLD_MODEL_PARTS + 1], of_b[FOLD_MODEL_PARTS + 1];
    size_t    count_a = shorten(a, of_a);
    size_t    count_b = shorten(b, of_b), i, k;

    for (i = 0; i < count_a; i++) {
        for (k = 0; k < count_b; k++) {
            if (iri_str_equal(of_a[i], of_b[k])) {
                return 1;
            }
        }
    }

    return 0;
}


TEST(test_edits)
{
    static fold_model_parts_t a, b;
    size_t turn, turns = core_sweeps() ? 2000000 : 50000, ones = 0;
    int    one;

    wrong = 0;

    for (turn = 0; turn < turns; turn++) {
        random_parts(&a);
        random_edit(&a, &b);

        if (core_random(4) == 0) {
            static fold_model_parts_t c;

            random_edit(&b, &c);
            b = c;
            b.key.data = b.utf8;
            fold_model_divide(&b);
        }

        one = fold_model_one_edit(&a, &b);
        ones += (size_t) one;

        if (is_one(a.key, b.key) != one || is_one(b.key, a.key) != one) {
            if (wrong++ < MAX_PRINTED) {
                print_error("%s and %s are %sone edit apart\n",
                            core_show(a.key), core_show(b.key),
                            one ? "" : "not ");
            }

        } else if (one && !have_common(a.key, b.key)) {
            fail_msg("%s and %s have no shortening in common",
                     core_show(a.key), core_show(b.key));
        }

        core_forget(&core);
    }

    print_message("%lu pairs, %lu of them one edit apart, %lu wrong\n",
                  (unsigned long) turns, (unsigned long) ones,
                  (unsigned long) wrong);
    assert_int_equal(wrong, 0);
    assert_true(ones > turns / 20);
}


/* The n-th word over a small alphabet; each letter is a part. */
static void
nth_word(uint32_t n, size_t len, fold_model_parts_t *p)
{
    static const char letters[] = "a:09.";
    size_t            i;

    p->key.data = p->utf8;
    p->key.len = p->count = len;

    for (i = 0; i < len; i++, n /= 5) {
        p->utf8[i] = (unsigned char) letters[n % 5];
        p->part[i].data = p->utf8 + i;
        p->part[i].len = 1;
        p->digit[i] = p->utf8[i] == '0' || p->utf8[i] == '9';
    }
}


/*
 * All words of four letters of the alphabet, each compared with all of four and
 * five.
 */
TEST(test_all_edits)
{
    static fold_model_parts_t a, b;
    uint32_t                  word, other;

    for (word = 0; word < 625; word++) {
        nth_word(word, 4, &a);

        for (other = 0; other < 625 + 3125; other++) {
            if (other < 625) {
                nth_word(other, 4, &b);
            } else {
                nth_word(other - 625, 5, &b);
            }

            if (is_one(a.key, b.key) != fold_model_one_edit(&a, &b)) {
                fail_msg("%s and %s", core_show(a.key), core_show(b.key));
            }

            core_forget(&core);
        }
    }
}


TEST(test_fit)
{
    static const struct {
        const char *key;
        int         fit;
    } keys[] = { { "", 0 },
                 { "abc", 0 },
                 { "abcd", 1 },
                 { ".abcd", 0 },
                 { "abc.d", 0 },
                 { "abcd.e", 1 },
                 { "a.bc.d", 1 },
                 { "1234", 1 },
                 { "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 0 },
                 { "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe7\x89\x88", 1 },
                 { "x\xcc\x81y\xcc\x81z\xcc\x81", 0 },
                 { "\U0001f469\u200d\U0001f4bbab", 0 },
                 { "\U0001f469\u200d\U0001f4bbabc", 1 } };
    static iri_graphemes_t edit;
    static unsigned char   longest[IRI_MAX_SEGMENT + 1];
    iri_str_t              key;
    size_t                 i;
    int                    fit;

    iri_graphemes_init(&edit);

    for (i = 0; i < COUNT(keys); i++) {
        assert_ok(iri_graphemes_split(&edit, core_str(keys[i].key), &fit));
        assert_int_equal(fit, keys[i].fit);
    }

    memset(longest, 'x', sizeof(longest));
    key.data = longest;

    for (key.len = IRI_MAX_SEGMENT - 1; key.len <= IRI_MAX_SEGMENT + 1;
         key.len++) {
        assert_ok(iri_graphemes_split(&edit, key, &fit));
        assert_int_equal(fit, key.len <= IRI_MAX_SEGMENT);
    }

    iri_graphemes_free(&edit);
}


/* ---- names that are their own key --------------------------------------- */

/* A name with this one character between plain letters. */
static void
check_own(unsigned match, uint32_t c)
{
    unsigned char octets[32] = "ABCDEFGHIJKLMNOPaA";
    size_t        at = 16 + c % 3, n;
    iri_str_t     name = { 0, octets };
    iri_buf_t     key = IRI_BUF_EMPTY;
    int           own;

    n = iri_utf8_put(c, octets + at);
    memcpy(octets + at + n, "Zz.html", 7);
    name.len = at + n + 7;

    assert_ok(iri_fold_canonical(&core.env, match, name, &key, &own));

    if (!own) {
        wrong += key.len != 0 || (c >= 0x20 && c < 0x7f)
                 || (c >= 0x5000 && c <= 0x9fff);
        return;
    }

    wrong += !iri_char_allowed(c, 0) || !iri_char_is_inert(c)
             || iri_char_is_mark(c) || iri_char_is_bidi_control(c);
    expect(iri_buf_str(&key), fold(match, name), "own", match, name);
}


TEST(test_own)
{
    static const unsigned some[] = { V, W, C, V | W | C | A };
    uint32_t              c;
    size_t                i;

    wrong = 0;

    core_init(&core);

    for (c = 1; c < 0x11000; c++) {
        if (c % 0x100 == 0) {
            core_init(&core);
        }

        for (i = 0;
             i < sizeof(some) / sizeof(some[0]) && (c < 0xd800 || c > 0xdfff);
             i++)
        {
            check_own(some[i], c);
        }
    }

    assert_int_equal(wrong, 0);
}


/* ---- without memory ------------------------------------------------------ */

TEST(test_no_memory)
{
    iri_buf_t    key;
    iri_match_t  level;
    iri_status_t status;
    size_t       at;
    int          one, failed = 0;

    for (at = 1; at < 20; at++) {
        core_init(&core);
        core.fail_at = at;
        core.fail_on = 1;
        memset(&key, 0, sizeof(key));
        one = 7;

        status = iri_fold(&core.env, C | A, S("\xc3\x89t\xc3\xa9"), &key);
        if (status == IRI_OK) {
            status = iri_fold_level(&core.env, C, S("abcd"), S("ABC\xc3\xa9"),
                                    &level);
        }

        if (status == IRI_OK) {
            status = iri_edit_differ_by_one(&core.env, S("abcd"), S("abce"),
                                            &one);
        }

        assert_int_equal(status, core.allocs < at ? IRI_OK : IRI_NO_MEMORY);
        assert_true(status != IRI_OK || one == 1);
        failed += status != IRI_OK;
    }

    assert_true(failed >= 3 && failed < 19);
}
