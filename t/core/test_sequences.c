/*
 * test_sequences.c - every sequence of octets, in every charset
 *
 * For UTF-8 and for each charset for paths: every sequence of one and two
 * octets, each of three that is not one of these and one more, every
 * four-octet code of GB 18030, followed by nothing, "/", ".", "%", NUL and a
 * letter, raw and escaped, is read as by ICU alone, and nothing forbidden
 * appears; a sequence never consumes the octet after it. The same for every
 * octet at each position of short paths, in several charsets; and an entry
 * that is found exists and has the requested name.
 *
 * A sample of each part in `make test`, all of it in `make sweep`.
 */

#include "sweep.h"

#define NV (IRI_FOLD_NORMALIZATION | IRI_FOLD_VARIANTS)

/* The octets after a sequence; the first entry is empty. */
static const iri_str_t followers[] = {
    { 0, NULL },  IRI_STR("/"),  IRI_STR("."),
    IRI_STR("%"), IRI_STR("\0"), IRI_STR("a"),
};

/* The row after the last one is UTF-8. */
static const char *
name_of(size_t row)
{
    return row < CORE_SUPPORTED ? core_supported[row].name : "UTF-8";
}


static iri_reading_conf_t conf[CORE_SUPPORTED + 1];


void
core_set_up(void)
{
    size_t i;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        conf[i].charsets = core_charsets(core_supported[i].name);
    }
}


/* ---- sequences ---------------------------------------------------------- */

/* Compare the reading of a path with ICU's, for two of the ways to send it. */
static void
check_path(sweep_t *s, const char *label, const iri_reading_conf_t *with,
           const core_supported_t *const *rows, size_t count, iri_str_t path,
           const sweep_way_t ways[2])
{
    static unsigned char raw[16 * CORE_LONG];
    iri_str_t            want;
    size_t               i;

    for (i = 0; i < 2; i++) {
        want = sweep_model(rows, count, path, ways[i] % 2 == SWEEP_RAW, raw);
        sweep_read_as(s, label, with, path, ways[i], want);
    }

    sweep_forget(s);
}


static void
check_sequence(sweep_t *s, size_t row, const unsigned char *octets,
               size_t len, size_t follow)
{
    static const sweep_way_t ways[2][2] = {
        { SWEEP_RAW, SWEEP_KEPT_ESCAPED },
        { SWEEP_KEPT_RAW, SWEEP_ESCAPED },
    };
    const core_supported_t *one = &core_supported[row];
    unsigned char           space[16];
    iri_str_t               path = { 1 + len, space };
    size_t                  i;

    space[0] = '/';
    memcpy(space + 1, octets, len);

    for (i = 0; i < follow; i++) {
        path.len = 1 + len + followers[i].len;

        if (i != 0) {
            space[1 + len] = followers[i].data[0];
        }

        check_path(s, name_of(row), &conf[row], &one, row < CORE_SUPPORTED,
                   path, ways[i % 2]);
    }
}


/* Sequences of one and two octets, with each follower. */
static void
part_two(sweep_t *s)
{
    unsigned char p[2];
    size_t        row, code;

    for (row = 0; row <= CORE_SUPPORTED; row++) {
        for (code = 0; code < 0x100; code++) {
            p[0] = (unsigned char) code;

            if (sweep_next(s)) {
                check_sequence(s, row, p, 1, COUNT(followers));
            }
        }

        for (code = 0; code < 0x10000; code++) {
            p[0] = (unsigned char) (code >> 8);
            p[1] = (unsigned char) code;

            if (sweep_next(s)) {
                check_sequence(s, row, p, 2, COUNT(followers));
            }
        }
    }
}


TEST(test_two)
{
    sweep_part("sequences of 1 and 2 octets, 35 charsets, 6 followers",
               part_two, 97, 1);
}


/*
 * Three octets: one character, several, or none. If the third octet is
 * significant, followers are not, and none is consumed; returns 1 if the path
 * is not covered by the sequences of two octets.
 */
static int
check_three(sweep_t *s, const iri_charset_t *charset, const unsigned char *p)
{
    unsigned char path[4];
    uint32_t      c = 0, d = 0;
    size_t        n = iri_charset_next(charset, p, p + 3, &c), m, i;
    int           right = n == 0 || p[0] < 0x80 || c >= 0x80;

    if (n == 1 || n == 2) {
        sweep_check(s, right, "three octets", (iri_str_t){ n, p },
                    S("ASCII"));
        return 0;
    }

    memcpy(path, p, 3);

    for (i = 1; i < COUNT(followers); i++) {
        path[3] = followers[i].data[0];
        m = iri_charset_next(charset, path, path + 4, &d);
        right &= m == n && (n == 0 || c == d);
    }

    sweep_check(s, right, "three octets", (iri_str_t){ 3, p },
                S("ASCII, or more"));

    return 1;
}


static void
part_three(sweep_t *s)
{
    const iri_charset_t *charset;
    unsigned char        p[3];
    const size_t         end = 0x1000000;
    size_t               row, code;
    uint32_t             c;

    for (row = 0; row <= CORE_SUPPORTED; row++) {
        charset = core_charset(name_of(row));

        for (code = sweep_skip(s, end); code < end;
             code += 1 + sweep_skip(s, end - code - 1))
        {
            (void) sweep_next(s);
            p[0] = (unsigned char) (code >> 16);
            p[1] = (unsigned char) (code >> 8);
            p[2] = (unsigned char) code;

            if (check_three(s, charset, p)) {
                check_sequence(s, row, p, 3,
                               iri_charset_next(charset, p, p + 3, &c) != 0
                                   ? COUNT(followers)
                                   : 1);
            }
        }
    }
}


TEST(test_three)
{
    sweep_part("sequences of 3 octets, 35 charsets", part_three, 1009, 1);
}


/* All four-octet codes of GB 18030, also unassigned ones. */
static void
part_four(sweep_t *s)
{
    unsigned char p[4];
    uint32_t      code;
    size_t        row;

    for (row = 0; strcmp(name_of(row), "gb18030") != 0; row++) { /* void */
    }

    for (code = 0; code < 126 * 12600; code++) {
        p[0] = (unsigned char) (0x81 + code / 12600);
        p[1] = (unsigned char) (0x30 + code / 1260 % 10);
        p[2] = (unsigned char) (0x81 + code / 10 % 126);
        p[3] = (unsigned char) (0x30 + code % 10);

        if (sweep_next(s)) {
            check_sequence(s, row, p, 4, COUNT(followers));
        }
    }
}


TEST(test_four)
{
    sweep_part("codes of 4 octets, GB 18030, 6 followers", part_four, 97, 1);
}


/* ---- places of a path --------------------------------------------------- */

static const char *const templates[] = {
    "/a/\xc3\xa9.b/c",                /* UTF-8 */
    "/.\xe8\xa1\xa8./%/\xe3\x81\x82", /* with dots */
    "/a/\x95\\/\x83\x5c.b",           /* Shift_JIS */
    "/\xe9t\xe9/..\xe9",              /* windows-1252 */
    "/\xc9\xbd\xbc\xa8/a",    /* EUC-JP, part of which is UTF-8, too */
    "/e\xcc\x81=\xcc\xb8./x", /* composed in NFC */
};

static const char *const lists[] = {
    "",
    "Shift_JIS",
    "EUC-JP",
    "windows-1252",
    "gb18030",
    "EUC-JP Shift_JIS",
    "windows-1258 Big5",
};

static const char *const trees[] = { "", "EUC-JP", "UTF-8 Shift_JIS" };

typedef struct {
    iri_reading_conf_t      conf;
    const core_supported_t *row[2];
    size_t                  rows;
} list_t;

static list_t          list[COUNT(lists)];
static iri_tree_conf_t tree[COUNT(trees)];


static void
lists_open(void)
{
    size_t i, k, row;

    for (i = 0; i < COUNT(lists); i++) {
        list[i].conf.charsets = core_charsets(lists[i]);
        list[i].rows = list[i].conf.charsets.count;

        for (k = 0; k < list[i].rows; k++) {
            for (row = 0;
                 list[i].conf.charsets.at[k] != core_charset(name_of(row));
                 row++)
            { /* void */
            }

            list[i].row[k] = &core_supported[row];
        }
    }

    for (i = 0; i < COUNT(trees); i++) {
        tree[i] = core_tree(trees[i], IRI_FILENAME_ANY, NV);
    }
}


/*
 * For any path the filename is below the root, and its names are those of the
 * canonical path, segment by segment.
 */
static void
check_found(sweep_t *s, const iri_tree_conf_t *of, const iri_reading_t *got)
{
    iri_found_t found;
    iri_str_t   disk, name, part, octets;
    size_t      from = 0, to, at = 0, end;

    if (!sweep_find(s, of, got, got->path, &found)
        || (found.verdict != IRI_SERVE && found.verdict != IRI_PASS))
    {
        return;
    }

    disk = iri_str_from(found.filename, 4);
    sweep_check_str(s, found.path, got->path, "path", got->path);
    sweep_check(s,
                memcmp(found.filename.data, "/srv", 4) == 0
                    && iri_str_count(disk, '/')
                           == iri_str_count(found.path, '/'),
                "below the root", got->path, found.filename);

    for (/* void */; from <= disk.len; from = to + 1, at = end + 1) {
        to = iri_segment_end(disk, from);
        end = iri_segment_end(found.path, at);
        octets = (iri_str_t){ to - from, disk.data + from };
        part = (iri_str_t){ end - at, found.path.data + at };
        name = part;

        if (!iri_path_is_ascii(octets, 0)) {
            sweep_check(
                s, iri_entry_name(&s->core.env, of, octets, &name) == IRI_OK,
                "name", octets, octets);
        }

        sweep_check_str(s, name, part, "name", got->path);
    }
}


static void
check_positions(sweep_t *s, iri_str_t path, size_t l)
{
    static const sweep_way_t ways[2][2] = {
        { SWEEP_RAW, SWEEP_KEPT_RAW },
        { SWEEP_ESCAPED, SWEEP_KEPT_ESCAPED },
    };
    iri_reading_t got;
    size_t        i;

    for (i = 0; i < 2; i++) {
        check_path(s, lists[l], &list[l].conf, list[l].row, list[l].rows,
                   path, ways[i]);
    }

    if (!sweep_read(s, lists[l], &list[l].conf, path, SWEEP_ESCAPED, &got)) {
        return;
    }

    for (i = 0; i < COUNT(trees); i++) {
        check_found(s, &tree[i], &got);
    }

    sweep_forget(s);
}


/* second: change two octets at a time. */
static void
part_octets(sweep_t *s, const char *template, size_t l, int second)
{
    unsigned char space[64];
    iri_str_t     path = { strlen(template), space };
    size_t        i, k, code;

    for (i = 1; i < path.len; i++) {
        for (k = second ? i + 1 : i; k < (second ? path.len : i + 1); k++) {
            for (code = 0; code < (second ? 0x10000u : 0x100u); code++) {
                memcpy(space, template, path.len);
                space[k] = (unsigned char) (code >> 8);
                space[i] = (unsigned char) code;

                if (sweep_next(s)) {
                    check_positions(s, path, l);
                }
            }
        }
    }
}


static void
part_positions(sweep_t *s)
{
    size_t i, l;

    lists_open();
    s->entry[s->entries++] = S("\xc3\xa9");
    s->entry[s->entries++] = S("e\xcc\x81");
    s->entry[s->entries++] = S("\xc9\xbd");
    s->entry[s->entries++] = S("\x95\\");

    for (i = 0; i < COUNT(templates); i++) {
        for (l = 0; l < COUNT(lists); l++) {
            part_octets(s, templates[i], l, 0);
        }
    }
}


TEST(test_positions)
{
    sweep_part("octets in each place of a path, 7 lists, 3 trees",
               part_positions, 7, 1);
}


static void
part_two_positions(sweep_t *s)
{
    size_t i;

    lists_open();

    for (i = 0; i < COUNT(templates); i++) {
        part_octets(s, templates[i], i, 1);
    }
}


TEST(test_two_positions)
{
    sweep_part("octets in each two places of a path", part_two_positions, 499,
               7);
}
