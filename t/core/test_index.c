/*
 * test_index.c - the index of one directory
 *
 * Covers: each entry is found by the hash of its key, and by its key with one
 * character removed, in directories of up to a million names, with colliding
 * names, with a million spellings of one word, and with names that one edit
 * makes equal; the index of a directory over a limit of entries or octets is
 * marked incomplete; a listing that ends in an error leaves no index; an index
 * may be moved; a name costs at most 64 octets in addition to its length.
 */

#include <stdlib.h>
#include <time.h>

#include "core.h"

#define FOLDED  (IRI_FOLD_WIDTH | IRI_FOLD_CASE | IRI_FOLD_ACCENTS)
#define SPELLED (FOLDED | IRI_FOLD_SPELLING)

/* ---- a directory that changes while it is read -------------------------- */

/* Write the i-th name. Returns: its length in octets. */
typedef size_t (*name_t)(size_t i, unsigned char *out);

static struct {
    name_t       name;
    size_t       count;
    size_t       fail_at; /* the entry where listing fails; 0: none */
    iri_status_t fails;
    size_t       read; /* entries that were listed */
} made;


static iri_status_t
made_list(void *ctx, const char *path, iri_node_t *node, iri_dir_each_t each,
          void *arg)
{
    unsigned char octets[2048];
    iri_str_t     name = { 0, octets };
    iri_status_t  status = IRI_OK;
    size_t        i;

    assert_string_equal(path, "/srv");
    memset(node, 0, sizeof(*node));
    node->kind = IRI_NODE_DIR;
    made.read = 0;

    for (i = 0; i < made.count && status == IRI_OK; i++) {
        if (i + 1 == made.fail_at) {
            return made.fails;
        }

        name.len = made.name(i, octets);
        made.read++;
        status = each(arg, name);
    }

    return status;
}


static const iri_dir_t made_dir = { NULL, made_list };

typedef struct {
    iri_index_conf_t shape;
    iri_index_t      index;
    iri_node_t       node;
    iri_status_t     status;
    int              more;
} built_t;

static built_t built;


static void
build(unsigned fold, name_t name, size_t count, size_t most, size_t size)
{
    iri_index_free(&built.index);
    memset(&built, 0, sizeof(built));
    core_init(&core);
    core.env.dir = &made_dir;
    built.shape.tree = core_tree("", IRI_FILENAME_ANY,
                                 IRI_FOLD_NORMALIZATION | fold);
    built.shape.fold = fold;
    built.shape.key[0] = 1;
    built.shape.key[1] = 2;
    made.name = name;
    made.count = count;

    built.status = iri_index_build(&core.env, &built.shape, S("/srv"), most,
                                   size, &built.node, &built.index,
                                   &built.more);
    made.fail_at = 0;
}


static uint32_t
hash_of(iri_str_t name)
{
    iri_buf_t key = IRI_BUF_EMPTY;

    assert_ok(iri_fold(&core.env, built.shape.fold, name, &key));

    return iri_index_hash(&built.shape, iri_buf_str(&key));
}


static int
has(const iri_index_hits_t *hits, iri_str_t octets)
{
    size_t i;

    for (i = 0; i < hits->count; i++) {
        if (iri_str_equal(hits->octets[i], octets)) {
            return 1;
        }
    }

    return 0;
}


/* The entries that are found by this name. */
static iri_index_hits_t
find(iri_str_t name)
{
    iri_index_hits_t hits;

    memset(&hits, 0, sizeof(hits));
    assert_ok(iri_index_find(&core.env, &built.index, hash_of(name), &hits));

    return hits;
}


/* By a key with one character removed. */
static iri_index_hits_t
find_spelling(iri_str_t without)
{
    iri_index_hits_t hits;

    memset(&hits, 0, sizeof(hits));
    assert_ok(iri_index_find_spelling(&core.env, &built.index,
                                      iri_index_hash(&built.shape, without),
                                      &hits));

    return hits;
}


static int
is_found(iri_str_t name, iri_str_t octets)
{
    iri_index_hits_t hits = find(name);

    return has(&hits, octets);
}


static int
is_found_by_spelling(iri_str_t without, iri_str_t octets)
{
    iri_index_hits_t hits = find_spelling(without);

    return has(&hits, octets);
}


static double
seconds(void)
{
    return (double) clock() / CLOCKS_PER_SEC;
}


/* ---- how many ------------------------------------------------------------ */

static size_t
name_numbered(size_t i, unsigned char *out)
{
    return (size_t) sprintf((char *) out, "Name-%lu", (unsigned long) i);
}


/* One less than the limit, the limit, and one more. */
static void
check_most(size_t most)
{
    unsigned char octets[64];
    iri_str_t     name = { 0, octets };
    size_t        count, i;

    for (count = most - 1; count <= most + 1; count++) {
        build(FOLDED, name_numbered, count, most, (size_t) 1 << 30);
        assert_int_equal(built.status, IRI_OK);
        assert_int_equal(built.more, count > most);
        assert_int_equal(built.index.head.complete, count <= most);
        assert_int_equal(built.index.head.records, count <= most ? count : 0);

        /* Reading stops at the first entry over the limit. */
        assert_int_equal(built.index.head.entries, count);
        assert_int_equal(made.read, count);

        for (i = 0; i < count; i += 1 + count / 1000) {
            name.len = name_numbered(i, octets);
            octets[0] = 'n';
            octets[3] = 'E';
            name_numbered(i, octets + 32);
            assert_int_equal(
                is_found(name, (iri_str_t){ name.len, octets + 32 }),
                count <= most);
            core_forget(&core);
        }
    }
}


TEST(test_limits_of_entries)
{
    check_most(2);
    check_most(IRI_MAX_ENTRIES_READ);
    check_most(IRI_MAX_INDEXED);

    /* An empty index is complete, too. */

    build(FOLDED, name_numbered, 0, 1, 4096);
    assert_int_equal(built.status, IRI_OK);
    assert_true(built.index.head.complete);
    assert_int_equal(built.index.head.records, 0);
    assert_false(is_found(S("x"), S("x")));
    assert_false(is_found_by_spelling(S("x"), S("x")));
}


/* ---- memory -------------------------------------------------------------- */

static size_t
name_of_length(size_t i, unsigned char *out)
{
    size_t len = (size_t) sprintf((char *) out, "%lu", (unsigned long) i);

    /* Each length occurs, whatever the number. */
    while (len < i % 255 + 1) {
        out[len++] = (unsigned char) ('a' + i % 26);
    }

    return len;
}


TEST(test_memory_of_a_name)
{
    static const size_t counts[] = { 1, 10, 100, 1000, 100000 };
    unsigned char       octets[300];
    size_t              i, k, names;

    for (k = 0; k < COUNT(counts); k++) {
        for (i = 0, names = 0; i < counts[k]; i++) {
            names += name_of_length(i, octets);
        }

        build(FOLDED, name_of_length, counts[k], counts[k], (size_t) 1 << 30);
        assert_int_equal(built.index.head.records, counts[k]);

        if (counts[k] > 1) {
            assert_true(iri_index_size(&built.index)
                        <= names + 64 * counts[k]);
        }

        print_message("# %lu names: %.1f octets each beyond the name\n",
                      (unsigned long) counts[k],
                      (double) (iri_index_size(&built.index) - names)
                          / (double) counts[k]);
    }
}


/*
 * Every size from 0 to enough: no index exceeds it, and an index that does not
 * hold all entries is marked incomplete. Spelling keys are left out first.
 */
TEST(test_limits_of_octets)
{
    unsigned char octets[64];
    iri_str_t     name = { 0, octets };
    size_t        size, whole, plain, i, seen[3] = { 0, 0, 0 };

    build(SPELLED, name_numbered, 200, 1000, (size_t) 1 << 30);
    whole = iri_index_size(&built.index);
    build(FOLDED, name_numbered, 200, 1000, (size_t) 1 << 30);
    plain = iri_index_size(&built.index);
    assert_true(plain < whole);

    for (size = 0; size <= whole + 8; size += size < 64 ? 1 : 7) {
        build(SPELLED, name_numbered, 200, 1000, size);
        assert_int_equal(built.status, IRI_OK);
        assert_false(built.more);

        if (built.index.head.complete) {
            assert_true(iri_index_size(&built.index) <= size);
            assert_int_equal(built.index.head.records, 200);

            for (i = 0; i < 200; i += 37) {
                name.len = name_numbered(i, octets);
                assert_true(is_found(name, name));
            }

        } else {
            assert_int_equal(built.index.head.records, 0);
            assert_true(built.index.head.entries != 0);
            assert_true(size < plain);
        }

        seen[!built.index.head.complete        ? 0
             : built.index.head.spellings == 0 ? 1
                                               : 2]++;
    }

    assert_true(seen[0] > 10 && seen[1] > 10 && seen[2] > 0);
}


/* ---- collisions ---------------------------------------------------------- */

static size_t
name_in_any_case(size_t i, unsigned char *out)
{
    static const char word[] = "abcdefghijklmnopqrst";
    size_t            k;

    for (k = 0; k < 20; k++) {
        out[k] = (unsigned char) (word[k] - (i >> k & 1 ? 32 : 0));
    }

    return 20;
}


/*
 * A million spellings of one word: as many as the limit of hits are found, and
 * the result says that there are more; this takes no longer than the hits
 * themselves.
 */
TEST(test_one_key)
{
    static const unsigned folds[] = { FOLDED, SPELLED };
    iri_index_hits_t      hits;
    double                start, other;
    size_t                i;

    for (i = 0; i < COUNT(folds); i++) {
        start = seconds();
        build(folds[i], name_numbered, IRI_MAX_INDEXED, IRI_MAX_INDEXED,
              (size_t) 1 << 30);
        other = seconds() - start;

        start = seconds();
        build(folds[i], name_in_any_case, IRI_MAX_INDEXED, IRI_MAX_INDEXED,
              (size_t) 1 << 30);
        assert_true(seconds() - start < 10 * other + 1);
        assert_int_equal(built.status, IRI_OK);
        assert_true(built.index.head.complete);

        hits = find(S("ABCDEFGHIJKLMNOPQRST"));
        assert_int_equal(hits.count, IRI_MAX_INDEX_HITS);
        assert_true(hits.more);

        hits = find_spelling(S("bcdefghijklmnopqrst"));
        assert_int_equal(hits.count,
                         folds[i] == SPELLED ? IRI_MAX_INDEX_HITS : 0);
        assert_int_equal(hits.more, folds[i] == SPELLED);
    }
}


/* As many entries with one key as the limit of hits, and one more. */
TEST(test_hits_at_the_limit)
{
    iri_index_hits_t hits;
    size_t           count, want;

    for (count = IRI_MAX_INDEX_HITS - 1; count <= IRI_MAX_INDEX_HITS + 1;
         count++) {
        build(SPELLED, name_in_any_case, count, count, 1 << 20);
        want = count < IRI_MAX_INDEX_HITS ? count : IRI_MAX_INDEX_HITS;

        hits = find(S("abcdefghijklmnopqrst"));
        assert_int_equal(hits.count, want);
        assert_int_equal(hits.more, count > IRI_MAX_INDEX_HITS);

        hits = find_spelling(S("abcdefghijklmnopqrs"));
        assert_int_equal(hits.count, want);
        assert_int_equal(hits.more, count > IRI_MAX_INDEX_HITS);
    }
}


/* Names whose hashes all lead to one slot at the end of the table. */
#define COLLIDING 400

static unsigned char chain[COLLIDING][16];
static uint32_t      chain_from;


static size_t
name_of_chain(size_t i, unsigned char *out)
{
    return (size_t) sprintf((char *) out, "%s", chain[i]);
}


TEST(test_chains)
{
    iri_index_conf_t shape;
    unsigned char    octets[16];
    iri_str_t        name = { 0, octets };
    size_t           i, n = 0;
    uint32_t         turn;

    memset(&shape, 0, sizeof(shape));
    shape.key[0] = 1;
    shape.key[1] = 2;

    for (turn = 0; turn < 2; turn++) {
        chain_from = turn == 0 ? UINT32_C(0xffc00000) : 0x40000000;

        for (i = 0, n = 0; n < COLLIDING; i++) {
            name.len = (size_t) sprintf((char *) octets, "n%lu",
                                        (unsigned long) i);

            if (iri_index_hash(&shape, name) >= chain_from
                && iri_index_hash(&shape, name) - chain_from < 0x400000)
            {
                memcpy(chain[n++], octets, sizeof(octets));
            }
        }

        build(IRI_FOLD_CASE, name_of_chain, COLLIDING, COLLIDING, 1 << 20);
        assert_true(built.index.head.complete);

        for (i = 0; i < COLLIDING; i++) {
            name = core_str((const char *) chain[i]);
            assert_true(is_found(name, name));
        }

        for (i = 0; i < 1000; i++) {
            name.data = octets;
            name.len = (size_t) sprintf((char *) octets, "m%lu",
                                        (unsigned long) i);
            assert_false(is_found(name, name));
        }
    }
}


/* ---- spelling ------------------------------------------------------------ */

/* One word with each of its letters replaced by each other letter. */
static size_t
name_one_edit(size_t i, unsigned char *out)
{
    size_t len = (size_t) sprintf((char *) out, "abcdefghijklmnopqrst-%s",
                                  "abcdefghijklmnopqrstuvwxyz"
                                  "abcdefghijklmnopqrstuvwxyz");

    out[i / 26 % len] = (unsigned char) ('a' + i % 26);

    return len;
}


TEST(test_one_edit_apart)
{
    unsigned char octets[128], without[128];
    iri_str_t     name = { 0, octets };
    size_t        i, k, found = 0, asked = 0;

    build(SPELLED, name_one_edit, 26 * 73, 10000, (size_t) 1 << 26);
    assert_int_equal(built.status, IRI_OK);
    assert_true(built.index.head.complete);

    for (i = 0; i < 26 * 73; i += 5) {
        name.len = name_one_edit(i, octets);

        for (k = 0; k < name.len; k++) {
            memcpy(without, octets, k);
            memcpy(without + k, octets + k + 1, name.len - k - 1);
            asked++;
            found += (size_t) is_found_by_spelling(
                (iri_str_t){ name.len - 1, without }, name);
        }

        core_forget(&core);
    }

    /* Where more entries than the limit share a key, some are not found. */
    assert_true(found > asked / 2);
}


static const char *name_alone;


static size_t
name_of_alone(size_t i, unsigned char *out)
{
    return (size_t) sprintf((char *) out, "%s", name_alone);
}


/* Each key that lacks one character finds the entry, and no other key does. */
TEST(test_each_spelling)
{
    static const struct {
        const char *name;
        const char *without[8];
        const char * not [6];
    } cases[] = {
        { "Word",
          { "ord", "wrd", "wod", "wor" },
          { "word", "wo", "Wor", "wrod", "or" } },
        { "doc43", { "oc43", "dc43", "do43" }, { "doc3", "doc4" } },
        { "abc", { NULL }, { "ab", "ac", "bc", "abc" } },
        { ".abc", { NULL }, { "abc", ".bc", ".ab" } },
        { "1234", { NULL }, { "234", "123" } },
        { "caf\xc3\xa9", { "afe", "cfe", "cae", "caf" }, { "cafe" } },
        { "\xe8\xa1\xa8\xe8\xa1\xa8\xe8\xa1\xa8",
          { NULL },
          { "\xe8\xa1\xa8\xe8\xa1\xa8" } },
        { "\xe8\xa1\xa8\xe8\xa1\xa9\xe8\xa1\xaa\xe8\xa1\xab",
          { "\xe8\xa1\xa9\xe8\xa1\xaa\xe8\xa1\xab",
            "\xe8\xa1\xa8\xe8\xa1\xaa\xe8\xa1\xab" },
          { "\xe8\xa1\xa8\xe8\xa1" } },
        /* A flag is one grapheme cluster, and so is a family. */
        { "\U0001f1e9\U0001f1eaabc",
          { "abc", "\U0001f1e9\U0001f1eaab" },
          { "\U0001f1e9abc" } },
    };
    iri_str_t name;
    size_t    i, k;

    for (i = 0; i < COUNT(cases); i++) {
        name = core_str(cases[i].name);
        name_alone = cases[i].name;
        build(SPELLED, name_of_alone, 1, 10, 10000);
        assert_int_equal(built.status, IRI_OK);

        for (k = 0; k < 8 && cases[i].without[k] != NULL; k++) {
            assert_true(
                is_found_by_spelling(core_str(cases[i].without[k]), name));
        }

        for (k = 0; k < 6 && cases[i].not [k] != NULL; k++) {
            assert_false(
                is_found_by_spelling(core_str(cases[i].not [k]), name));
        }
    }
}


/* ---- names that cost most, and octets without a name -------------------- */

/*
 * Long names of the characters that cost most to decode and to fold, up to the
 * limit.
 */
static size_t
name_heavy(size_t i, unsigned char *out)
{
    static const char *const parts[] = {
        "A",                        /* the cheapest */
        "\xc7\x96",                 /* three characters in NFD */
        "e\xcc\x81",                /* composes */
        "a\xcc\xa3\xcc\x82",        /* marks not in canonical order */
        "\xef\xbd\xb6\xef\xbe\x9e", /* half width, two to one */
        "\xce\x90",                 /* three when folded */
        "\xea\xb0\x80",             /* Hangul */
        "\xe1\xbe\xb7", /* Greek with iota subscript, the most expensive */
        "\xf0\x9d\x85\x9e", /* excluded from composition */
        "a\xcc\x80\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x86\xcc\x87\xcc\x88"
        "\xcc\x89\xcc\x8a\xcc\x8b\xcc\x8c\xcc\x8d\xcc\x8e\xcc\x8f\xcc\x90"
        "\xcc\x91\xcc\x92\xcc\x93\xcc\x94\xcc\x9b\xcc\xa3\xcc\xa4\xcc\xa5"
        "\xcc\xa6\xcc\xa7\xcc\xa8\xcc\xad\xcc\xae\xcc\xb0", /* 30 marks */
    };
    size_t kind = i % COUNT(parts), n = strlen(parts[kind]);
    size_t want = i / COUNT(parts) % 2 ? IRI_MAX_SEGMENT : 255;
    size_t len = (size_t) sprintf((char *) out, "%lu-", (unsigned long) i);

    while (len + n <= want) {
        memcpy(out + len, parts[kind], n);
        len += n;
    }

    return len;
}


TEST(test_heavy_names)
{
    unsigned char octets[2048];
    iri_str_t     name = { 0, octets };
    iri_buf_t     canonical;
    size_t        i, index, read = 0;

    build(SPELLED, name_heavy, 40, 1000, (size_t) 1 << 28);
    assert_int_equal(built.status, IRI_OK);
    assert_true(built.index.head.complete);

    for (i = 0; i < 40; i++) {
        name.len = name_heavy(i, octets);
        memset(&canonical, 0, sizeof(canonical));
        assert_ok(iri_entry_read(&core.env, &built.shape.tree, name,
                                 &canonical, &index));

        if (canonical.len != 0) {
            read++;

            if (!is_found(iri_buf_str(&canonical), name)) {
                fail_msg("%lu is not in the index", (unsigned long) i);
            }
        }
    }

    assert_true(read > 30);
}


static size_t
name_undecodable(size_t i, unsigned char *out)
{
    size_t len = 0;

    switch (i) {
    case 0:
        return (size_t) sprintf((char *) out, "\xff\xfe");
    case 1:
        return (size_t) sprintf((char *) out, "caf\xe9");
    case 2:
        return (size_t) sprintf((char *) out, " ");
    case 3:
        return (size_t) sprintf((char *) out, "a\nb");
    case 4:
        return (size_t) sprintf((char *) out, "...");
    case 5:
        memset(out, 'l', IRI_MAX_SEGMENT + 1);
        return IRI_MAX_SEGMENT + 1;
    case 6:
        while (len < 200) {
            len += (size_t) sprintf((char *) out + len, "\xcc\x81");
        }

        return len;
    default:
        return (size_t) sprintf((char *) out, "after all of them");
    }
}


/* Octets that are no name get no entry and do not hide other entries. */
TEST(test_undecodable_names)
{
    unsigned char octets[2048];
    iri_str_t     name = { 0, octets };
    size_t        i;

    build(SPELLED, name_undecodable, 8, 100, 1 << 20);
    assert_int_equal(built.status, IRI_OK);
    assert_true(built.index.head.complete);
    assert_int_equal(built.index.head.entries, 8);

    for (i = 0; i < 8; i++) {
        name.len = name_undecodable(i, octets);
        assert_int_equal(is_found(name, name), i != 0 && i != 1 && i != 5);
    }
}


static size_t
name_again(size_t i, unsigned char *out)
{
    return name_numbered(i % 3, out);
}


/* A directory that changes may list a name twice. */
TEST(test_listed_twice)
{
    iri_index_hits_t hits;

    build(SPELLED, name_again, 9, 9, 1 << 20);
    hits = find(S("NAME-1"));
    assert_int_equal(hits.count, 1);
    assert_false(hits.more);
    hits = find_spelling(S("nam-1"));
    assert_int_equal(hits.count, 1);
}


/* ---- failures ----------------------------------------------------------- */

TEST(test_listing_that_fails)
{
    size_t at;

    for (at = 1; at <= 10; at++) {
        made.fail_at = at;
        made.fails = IRI_IO_FAILED;
        build(SPELLED, name_numbered, 10, 10, 1 << 20);
        assert_int_equal(built.status, IRI_IO_FAILED);
        assert_null(built.index.table);
        assert_null(built.index.text);
        assert_false(built.index.head.complete);

        made.fail_at = at;
        made.fails = IRI_NOT_LISTED;
        build(SPELLED, name_numbered, 10, 10, 1 << 20);
        assert_int_equal(built.status, IRI_OK);
        assert_int_equal(built.index.head.records, 0);
        assert_false(built.index.head.complete);
    }
}


/* ---- an index in one block of memory ------------------------------------ */

TEST(test_moved)
{
    unsigned char octets[64];
    iri_str_t     name = { 0, octets };
    iri_index_t   index;
    uint64_t     *block, *other;
    size_t        i, size;

    build(SPELLED, name_numbered, 1000, 1000, (size_t) 1 << 24);
    size = iri_index_size(&built.index);
    block = malloc(size + 8);
    other = malloc(size + 8);
    memset(block, 0x5a, size + 8);

    for (i = 0; i < size; i += 100) {
        iri_index_copy(&built.index, block, i, 100);
    }

    memcpy(other, block, size + 8);
    memset(block, 0xa5, size + 8);
    free(block);

    /* The index has the size that it reports. */
    for (i = size; i < size + 8; i++) {
        assert_int_equal(((unsigned char *) other)[i], 0x5a);
    }

    iri_index_free(&built.index);
    iri_index_open(other, &index);
    assert_int_equal(iri_index_size(&index), size);
    assert_true(index.head.complete);
    built.index = index;

    for (i = 0; i < 1000; i++) {
        name.len = name_numbered(i, octets);
        assert_true(is_found(name, name));
        name.len--;
        octets[0] = 'n';
        name_numbered(i, octets + 32);
        assert_int_equal(is_found_by_spelling(S("nme-7"), S("Name-7")), 1);
    }

    memset(&built.index, 0, sizeof(built.index));
    free(other);
}


/* The hash depends on a secret key. */
TEST(test_hash_is_keyed)
{
    iri_index_conf_t a, b;
    iri_str_t name = { 0, (const unsigned char *) "abcdefghijklmnopqrst" };
    uint32_t  seen[21];
    size_t    i, same = 0;

    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    b.key[1] = 1;

    for (name.len = 0; name.len <= 20; name.len++) {
        seen[name.len] = iri_index_hash(&a, name);
        same += seen[name.len] == iri_index_hash(&b, name);

        for (i = 0; i < name.len; i++) {
            same += seen[i] == seen[name.len];
        }
    }

    b.key[0] = 1;
    b.key[1] = 0;
    same += iri_index_hash(&a, S("x")) == iri_index_hash(&b, S("x"));
    assert_int_equal(same, 0);
    assert_int_not_equal(iri_index_hash(&a, S("ab")),
                         iri_index_hash(&a, S("ab\0")));
}
