/*
 * fuzz_fold.c - target: two names, and the differences between them
 *
 * Fields: the folded levels (an octet of bits), a name, another name. Checked:
 * a key is its own key, and text in NFC; names that are equal at a level are
 * equal at the next ones; the level of two names is the first at which their
 * keys are equal, in either order; one edit is one in either direction, and two
 * keys one edit apart are equal after the removal of one character of each, by
 * which an index finds them; in a directory with the first name, the second one
 * is found if and only if it is similar.
 */

#include "fuzz.h"

typedef struct {
    unsigned        match;
    iri_tree_conf_t tree;
    iri_str_t       name[2]; /* canonical */
    iri_str_t       key[2];
} fold_t;

static const unsigned fold_levels[] = { IRI_FOLD_VARIANTS, IRI_FOLD_WIDTH,
                                        IRI_FOLD_CASE | IRI_FOLD_TURKIC,
                                        IRI_FOLD_ACCENTS | IRI_FOLD_GERMAN };

static const iri_match_t fold_matches[] = { IRI_MATCH_VARIANTS,
                                            IRI_MATCH_WIDTH, IRI_MATCH_CASE,
                                            IRI_MATCH_ACCENTS };


static iri_str_t
key_of(unsigned match, iri_str_t name)
{
    iri_buf_t key = IRI_BUF_EMPTY;

    fuzz_assert(iri_fold(&fuzz.env, match, name, &key) == IRI_OK);

    return iri_buf_str(&key);
}


static void
judge_key(const fold_t *it, int i)
{
    const unsigned char *p = it->key[i].data, *end = p + it->key[i].len;
    uint32_t             c;
    size_t               n;

    fuzz_assert(it->key[i].len != 0);

    for (/* void */; p < end; p += n) {
        n = fuzz_utf8(p, end, &c);
        fuzz_assert(n != 0);
    }

    fuzz_assert(fuzz_equal(key_of(it->match, it->key[i]), it->key[i]));

    /* Folding never makes a dot-segment. */
    fuzz_assert(fuzz_equal(it->name[i], fuzz_text("."))
                || it->name[i].data[0] >= 0x80
                || !fuzz_equal(it->key[i], fuzz_text(".")));
}


/* U+0345 is a letter for case and an accent for accents: the exception. */
static int
has_iota(iri_str_t name)
{
    iri_buf_t nfd = IRI_BUF_EMPTY;
    size_t    i;

    fuzz_assert(iri_nfd_put(&fuzz.env, name, &nfd) == IRI_OK);

    for (i = 1; i < nfd.len; i++) {
        if (nfd.data[i - 1] == 0xcd && nfd.data[i] == 0x85) {
            return 1;
        }
    }

    return 0;
}


/* The first level at which the keys are equal, trying one after the other. */
static iri_match_t
level_of(const fold_t *it, int first)
{
    unsigned    ignored = 0;
    iri_match_t level = IRI_MATCH_NONE;
    size_t      i;
    int         same;

    if (fuzz_equal(it->name[0], it->name[1])) {
        return IRI_MATCH_NORMALIZATION;
    }

    for (i = 0; i < COUNT(fold_levels); i++) {
        if ((it->match & fold_levels[i]) == 0) {
            continue;
        }

        ignored |= it->match & fold_levels[i];
        same = fuzz_equal(key_of(ignored, it->name[first]),
                          key_of(ignored, it->name[!first]));
        fuzz_assert(same || level == IRI_MATCH_NONE);

        if (same && level == IRI_MATCH_NONE) {
            level = fold_matches[i];
        }
    }

    return level;
}


static iri_match_t
judge_level(const fold_t *it)
{
    iri_match_t a, b, want = level_of(it, 0);

    fuzz_assert(
        iri_fold_level(&fuzz.env, it->match, it->name[0], it->name[1], &a)
        == IRI_OK);
    fuzz_assert(
        iri_fold_level(&fuzz.env, it->match, it->name[1], it->name[0], &b)
        == IRI_OK);
    fuzz_assert(a == want && b == want);
    fuzz_assert(level_of(it, 1) == want);
    fuzz_assert((want != IRI_MATCH_NONE)
                == fuzz_equal(it->key[0], it->key[1]));

    return want;
}


/* Do both keys have a shortened key in common, for the index? */
static int
is_shared(const iri_graphemes_t *edit, const fold_t *it)
{
    iri_buf_t left[2];
    size_t    i, k;
    int       out[2];

    for (i = 0; i <= edit[0].count; i++) {
        memset(&left[0], 0, sizeof(left[0]));
        out[0] = 1;

        if (i == edit[0].count) {
            fuzz_assert(iri_buf_put(&fuzz.env, &left[0], it->key[0].data,
                                    it->key[0].len)
                        == IRI_OK);
        } else {
            fuzz_assert(iri_graphemes_put_without(&fuzz.env, &edit[0],
                                                  it->key[0], i, &left[0],
                                                  &out[0])
                        == IRI_OK);
        }

        if (!out[0]) {
            continue;
        }

        if (i < edit[0].count
            && fuzz_equal(iri_buf_str(&left[0]), it->key[1])) {
            return 1;
        }

        for (k = 0; k < edit[1].count; k++) {
            memset(&left[1], 0, sizeof(left[1]));
            fuzz_assert(iri_graphemes_put_without(&fuzz.env, &edit[1],
                                                  it->key[1], k, &left[1],
                                                  &out[1])
                        == IRI_OK);

            if (out[1]
                && fuzz_equal(iri_buf_str(&left[0]), iri_buf_str(&left[1]))) {
                return 1;
            }
        }
    }

    return 0;
}


static int
judge_edit(const fold_t *it)
{
    static iri_graphemes_t edit[2];
    int                    one, back, fit[2], i;

    fuzz_assert(
        iri_edit_differ_by_one(&fuzz.env, it->key[0], it->key[1], &one)
        == IRI_OK);
    fuzz_assert(
        iri_edit_differ_by_one(&fuzz.env, it->key[1], it->key[0], &back)
        == IRI_OK);
    fuzz_assert(one == back);
    fuzz_assert(!one || !fuzz_equal(it->key[0], it->key[1]));

    /* Comparing all pairs is slow. */
    if (!one || it->key[0].len > 64 || it->key[1].len > 64) {
        return one;
    }

    for (i = 0; i < 2; i++) {
        iri_graphemes_init(&edit[i]);
        fuzz_assert(iri_graphemes_split(&edit[i], it->key[i], &fit[i])
                    == IRI_OK);
    }

    fuzz_assert(fit[0] && fit[1]);
    fuzz_assert(is_shared(edit, it));
    iri_graphemes_free(&edit[0]);
    iri_graphemes_free(&edit[1]);

    return one;
}


/* The second name is in a directory; does the first one find it? */
static void
judge_find(fold_t *it, iri_match_t level, int one)
{
    iri_search_t   search;
    iri_found_t    found;
    unsigned char *text;
    int            dots, near;

    fuzz_tree_clear(fuzz_text("/srv"));
    fuzz_tree_put(it->name[1], IRI_NODE_OTHER, 0);

    if (fuzz.nodes != 2) {
        return;
    }

    text = fuzz_memory(it->name[0].len + 1);
    text[0] = '/';
    memcpy(text + 1, it->name[0].data, it->name[0].len);

    memset(&search, 0, sizeof(search));
    search.tree = &it->tree;
    search.root = fuzz.root;
    search.path.data = text;
    search.path.len = it->name[0].len + 1;

    fuzz_assert(fuzz_find(&search, &found) == IRI_OK);
    fuzz_judge_found(&search, &found);

    dots = (it->name[0].data[0] == '.') != (it->name[1].data[0] == '.');
    near = !dots
           && (level != IRI_MATCH_NONE
               || ((it->match & IRI_FOLD_SPELLING) && one));

    fuzz_assert(
        near == (found.verdict == IRI_RESTART || found.verdict == IRI_SERVE));
    fuzz_assert(found.verdict != IRI_SERVE
                || level == IRI_MATCH_NORMALIZATION);
    fuzz_assert(
        !near || level == IRI_MATCH_NORMALIZATION
        || found.match
               == (level != IRI_MATCH_NONE ? level : IRI_MATCH_SPELLING));
}


static unsigned
match_of(unsigned octet)
{
    unsigned match = IRI_FOLD_NORMALIZATION;

    match |= octet & 0x01 ? IRI_FOLD_WIDTH : 0;
    match |= octet & 0x02 ? IRI_FOLD_CASE : 0;
    match |= octet & 0x04 ? IRI_FOLD_ACCENTS : 0;
    match |= octet & 0x08 ? IRI_FOLD_SPELLING : 0;
    match |= (octet & 0x12) == 0x12 ? IRI_FOLD_TURKIC : 0;
    match |= (octet & 0x24) == 0x24 ? IRI_FOLD_GERMAN : 0;
    match |= octet & 0x40 ? IRI_FOLD_VARIANTS : 0;

    return match & IRI_FOLD_INDEXED ? match : match | IRI_FOLD_CASE;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t       input = fuzz_input(data, size);
    iri_reading_conf_t reading;
    fold_t             it;
    iri_str_t          words, octets;
    iri_match_t        level;
    int                i;

    fuzz_begin();
    memset(&it, 0, sizeof(it));
    memset(&reading, 0, sizeof(reading));
    fuzz_field(&input, &words);
    it.match = match_of(fuzz_octet(words, 0));
    it.tree.match = it.match;
    iri_tree_conf_finish(&reading, &it.tree);
    it.tree.match = it.match;

    for (i = 0; i < 2; i++) {
        fuzz_field(&input, &octets);
        it.name[i] = fuzz_entry_name(&it.tree, fuzz_given(octets));

        if (it.name[i].len == 0
            || memchr(it.name[i].data, '/', it.name[i].len) != NULL
            || iri_is_dot_segment(it.name[i]))
        {
            fuzz_end();
            return 0;
        }

        it.key[i] = key_of(it.match, it.name[i]);
        judge_key(&it, i);
    }

    if ((it.match & IRI_FOLD_ACCENTS)
        && (has_iota(it.name[0]) || has_iota(it.name[1])))
    {
        (void) judge_edit(&it);
        fuzz_end();
        return 0;
    }

    level = judge_level(&it);
    judge_find(&it, level, judge_edit(&it));
    fuzz_end();

    return 0;
}
