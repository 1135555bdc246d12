/*
 * test_repair.c - iri_repair: paths that were damaged on their way
 *
 * Covers: each repair applies to one segment, once; for every "%uXXXX" and pair
 * of units no ASCII character and no control appears; iri_find answers RESTART
 * for a repaired path, after all other readings, for methods that only read,
 * and in doubt nothing.  Any segment: t/fuzz/fuzz_repair.c.
 */

#include "core.h"


static void
text(unsigned how, iri_str_t segment, const char *want)
{
    iri_str_t out = { 0, NULL };

    assert_ok(iri_repair(&core.env, how, segment, &out));
    assert_int_equal(out.len, strlen(want));
    assert_memory_equal(out.data != NULL ? (const char *) out.data : "", want,
                        out.len);
}


TEST(test_one)
{
    unsigned char      longest[IRI_MAX_SEGMENT + 1];
    iri_str_t          segment = { IRI_MAX_SEGMENT, longest }, out;
    static const char *units[][2] = { { "/%u65E5?", "/%25u65E5?" },
                                      { "/%u65E", "/%u65E" },
                                      { "/%25u65E5", "/%25u65E5" },
                                      { "/%u65e5%uD842",
                                        "/%25u65e5%25uD842" },
                                      { "/%U65E5%zz", "/%U65E5%zz" } };
    size_t             i;

    core_init(&core);

    text(IRI_REPAIR_DOUBLE, S("%E6%97%A5.html"), "\xe6\x97\xa5.html");
    text(IRI_REPAIR_DOUBLE, S("e%cc%81"), "\xc3\xa9");
    text(IRI_REPAIR_DOUBLE, S("%41%E6%97%A5%"), "%41\xe6\x97\xa5%");
    text(IRI_REPAIR_DOUBLE, S("%2E%2E%2F"), "");
    text(IRI_REPAIR_DOUBLE, S("%E6%97"), "");
    text(IRI_REPAIR_DOUBLE, S("%C0%AF%E6%97%A5"), "");
    text(IRI_REPAIR_DOUBLE, S("%25E6%2597%25A5"), "");
    text(IRI_REPAIR_DOUBLE, S("%u65E5"), "");
    text(IRI_REPAIR_DOUBLE, S(""), "");
    text(IRI_REPAIR_DOUBLE, S("\xff%E6%97%A5"), "");
    text(IRI_REPAIR_MOJIBAKE, S("caf\xc3\x83\xc2\xa9"), "caf\xc3\xa9");
    text(IRI_REPAIR_MOJIBAKE, S("\xc3\xa3\xc2\x81\xe2\x80\x9e"),
         "\xe3\x81\x84");
    text(IRI_REPAIR_MOJIBAKE, S("\xc3\xa3\xc2\x81\xc2\x84"), "\xe3\x81\x84");
    text(IRI_REPAIR_MOJIBAKE, S("\xc3\xa9"), "");
    text(IRI_REPAIR_MOJIBAKE, S("abc"), "");
    text(IRI_REPAIR_MOJIBAKE, S("\xff"), "");
    /* 9E in windows-1252, 84 in ISO-8859-1 */
    text(IRI_REPAIR_MOJIBAKE,
         S("\xc3\xa5\xc2\x84\xc2\xaa\xc3\xa5\xe2\x80\x9e\xc2\xaa"), "");
    text(IRI_REPAIR_U, S("%u65E5%E9.%u0301"),
         "\xe6\x97\xa5\xc3\xa9.\xcc\x81");
    text(IRI_REPAIR_U, S("%uD842%uDFB7"), "\xf0\xa0\xae\xb7");
    text(IRI_REPAIR_U, S("%E9"), "");
    text(IRI_REPAIR_INVISIBLE,
         S("\xef\xbb\xbf"
           "a\xe2\x80\x8b\xc2\xad.b"),
         "a.b");
    text(IRI_REPAIR_INVISIBLE, S("e\xe2\x81\xa0\xcc\x81"), "\xc3\xa9");
    text(IRI_REPAIR_INVISIBLE,
         S("a\xe2\x80\x8c"
           "b"),
         "");
    text(IRI_REPAIR_INVISIBLE, S("\xe2\x80\x8b"), "");
    text(IRI_REPAIR_INVISIBLE, S(".\xe2\x80\x8b."), "");
    text(IRI_REPAIR_INVISIBLE, S("\xe2\x80\x8b.a"), "");
    text(IRI_REPAIR_INVISIBLE, S("a\xe2\x80\x8b\xff"), "");
    text(IRI_REPAIR_INVISIBLE, S("a\xe2\x80\x8b\x01"), "");
    text(IRI_REPAIR_TRAILING, S("a)."), "a)");
    text(IRI_REPAIR_TRAILING, S("a\xef\xbc\x89"), "a");
    text(IRI_REPAIR_TRAILING, S("a\xe3\x80\x82"), "a");
    text(IRI_REPAIR_TRAILING, S("a;"), "");
    text(IRI_REPAIR_TRAILING, S("."), "");
    text(IRI_REPAIR_TRAILING, S("..."), "");
    text(IRI_REPAIR_TRAILING, S(".a."), "");
    text(IRI_REPAIR_TRAILING, S("\xff."), "");
    text(IRI_REPAIR_PLUS, S("a+b+"), "a b ");
    text(IRI_REPAIR_PLUS, S("ab"), "");
    text(IRI_REPAIR_PLUS, S(".+"), "");
    text(IRI_REPAIR_PLUS, S("\xff+"), "");
    text(IRI_REPAIR_U, S("%u65E5%85"), "");

    for (i = 0; i < COUNT(units); i++) {
        assert_ok(iri_repair_units(&core.env, core_str(units[i][0]), &out));
        assert_int_equal(out.len, strlen(units[i][1]));
        assert_memory_equal(out.data, units[i][1], out.len);
    }

    /* limits */
    memset(longest, 'a', sizeof(longest));
    memcpy(longest, "%E6%97%A5", 9);
    assert_ok(iri_repair(&core.env, IRI_REPAIR_DOUBLE, segment, &out));
    assert_int_equal(out.len, IRI_MAX_SEGMENT - 6);

    /* as many escapes as fit, followed by one octet */
    for (i = 0; i < IRI_MAX_SEGMENT - 1; i += 3) {
        memcpy(longest + i, i / 3 % 2 == 0 ? "%C3" : "%A9", 3);
    }
    memcpy(longest + IRI_MAX_SEGMENT - 4, "bcd", 3);
    assert_ok(iri_repair(&core.env, IRI_REPAIR_DOUBLE, segment, &out));
    assert_int_equal(out.len, 340 + 4);
    memcpy(longest + IRI_MAX_SEGMENT - 4, "%C3", 3);
    text(IRI_REPAIR_DOUBLE, segment, "");

    segment.len++;
    text(IRI_REPAIR_DOUBLE, segment, "");
    text(IRI_REPAIR_MOJIBAKE, segment, "");
    text(IRI_REPAIR_U, segment, "");

    core_free(&core);
}


/* ---- no ASCII ------------------------------------------------------------ */

/*
 * Only the ASCII characters of "a" and "b" are in the result, and no control.
 */
static size_t
harmless(unsigned how, const char *segment, size_t len)
{
    iri_str_t in = { len, (const unsigned char *) segment }, out;
    size_t    i, n;
    uint32_t  c;

    assert_ok(iri_repair(&core.env, how, in, &out));

    for (i = 0; i < out.len; i += n) {
        n = iri_utf8_next(out.data + i, out.data + out.len, &c);
        assert_int_not_equal(n, 0);
        assert_true(c >= 0xa0 || (c == 'a' && i == 0)
                    || (c == 'b' && i + 1 == out.len));
        assert_true(iri_char_allowed(c, 1));
    }

    n = out.len != 0;
    core_forget(&core);

    return n;
}


/* All values of one unit, and of two. */
TEST(test_units)
{
    static const unsigned edges[] = {
        0,      0x2e,   0x2f,   0x7f,   0x80,   0x9f,   0xa0,  0xd7ff,
        0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfffd, 0xffff
    };
    char     segment[32];
    size_t   made = 0, k;
    unsigned unit;
    int      len;

    core_init(&core);

    for (unit = 0; unit <= 0xffff; unit++) {
        len = snprintf(segment, sizeof(segment), "a%%u%04Xb", unit);
        made += harmless(IRI_REPAIR_U, segment, (size_t) len);

        for (k = 0; k < COUNT(edges); k++) {
            len = snprintf(segment, sizeof(segment), "a%%u%04x%%u%04Xb", unit,
                           edges[k]);
            (void) harmless(IRI_REPAIR_U, segment, (size_t) len);
        }
    }

    /*
     * excluded: 2,048 surrogates, 160 below U+00A0, 34 noncharacters, U+FFFD,
     * and 12 bidi formatting characters
     */
    assert_int_equal(made, 65536 - 2048 - 160 - 34 - 1 - 12);

    core_free(&core);
}


/* ---- on disk ------------------------------------------------------------- */

static unsigned
    other_repairs; /* repairs that other locations of the server enable */


static iri_found_t
find(iri_tree_conf_t *tree, const char *path, int write)
{
    iri_reading_conf_t  conf = { { 0, { NULL } }, IRI_INVALID_404, 0 };
    iri_received_path_t request = { core_str(path), 0, { 0, NULL } };
    iri_reading_t       reading;
    iri_search_t        search;
    iri_found_t         found;

    conf.repair = tree->repair | other_repairs;
    iri_tree_conf_finish(&conf, tree);
    request.target = S("");
    assert_ok(iri_read(&core.env, &conf, &request, &reading));

    memset(&found, 0, sizeof(found));
    if (reading.verdict == IRI_REFUSE) {
        found.verdict = IRI_REFUSE;
        return found;
    }

    memset(&search, 0, sizeof(search));
    search.tree = tree;
    search.root = S("/srv");
    search.path = reading.path;
    search.reading = &reading;
    search.write = write;
    assert_ok(iri_find(&core.env, &search, &found));

    return found;
}


TEST(test_find)
{
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY,
                                     IRI_FOLD_NORMALIZATION);
    iri_found_t     found;
    size_t          calls, i, k;

    static const char *const doubted[] = { "/%E6%97%A5", "/d%E6%97%A5/x" };

    core_init(&core);
    core_put(&core, S("/srv/\xe6\x97\xa5"));
    core_put(&core, S("/srv/\xe3\x81\x84"));
    core_put(&core, S("/srv/d\xe6\x97\xa5/\xe6\x97\xa5"));

    /* off: no additional lookups */
    assert_int_equal(find(&tree, "/%E6%97%A5", 0).verdict, IRI_PASS);
    assert_int_equal(core.stats, 0);

    tree.repair = IRI_REPAIR_DOUBLE | IRI_REPAIR_MOJIBAKE | IRI_REPAIR_U;

    /* on: none either for a path without "%" */
    assert_int_equal(find(&tree, "/abc", 0).verdict, IRI_PASS);
    assert_int_equal(core.stats, 0);

    found = find(&tree, "/%E6%97%A5", 0);
    assert_int_equal(found.verdict, IRI_RESTART);
    assert_int_equal(found.why, IRI_WHY_REPAIRED);
    assert_int_equal(found.match, IRI_MATCH_REPAIR);
    assert_int_equal(found.repaired, IRI_FORM_DOUBLE);
    assert_text(found.path, "/\xe6\x97\xa5");
    assert_text(found.charset, "UTF-8");

    found = find(&tree, "/\xc3\xa6\xe2\x80\x94\xc2\xa5", 0);
    assert_int_equal(found.verdict, IRI_RESTART);
    assert_int_equal(found.repaired, IRI_FORM_MOJIBAKE);

    found = find(&tree, "/%u65E5", 0);
    assert_int_equal(found.verdict, IRI_RESTART);
    assert_int_equal(found.repaired, IRI_FORM_U);

    /* the request restarts for a directory, so that its rules apply */
    found = find(&tree, "/d%E6%97%A5/x", 0);
    assert_int_equal(found.verdict, IRI_RESTART);
    assert_int_equal(found.why, IRI_WHY_PARENT_RENAMED);
    assert_text(found.path, "/d\xe6\x97\xa5/x");

    /* below it an absent and an existing entry have the same result */
    found = find(&tree, "/d%E6%97%A5/%u65E5", 0);
    assert_int_equal(found.verdict, IRI_RESTART);
    assert_text(found.path, "/d\xe6\x97\xa5/%u65E5");

    /* not for a method that writes */
    assert_int_equal(find(&tree, "/%E6%97%A5", 1).verdict, IRI_PASS);
    assert_int_equal(find(&tree, "/%u65E5", 1).verdict, IRI_PASS);
    assert_int_equal(find(&tree, "/\xc3\xa3\xc2\x81\xe2\x80\x9e", 1).verdict,
                     IRI_REFUSE);

    /* without another reading: the entry or nothing */
    assert_int_equal(find(&tree, "/\xc3\xa3\xc2\x81\xe2\x80\x9e", 0).verdict,
                     IRI_SERVE);
    assert_int_equal(find(&tree, "/\xc3\xa3\xc2\x81\xe2\x80\x9a", 0).verdict,
                     IRI_REFUSE);

    /* and only where the location enables it */
    tree.repair = IRI_REPAIR_DOUBLE;
    other_repairs = IRI_REPAIR_MOJIBAKE;
    assert_int_equal(find(&tree, "/\xc3\xa3\xc2\x81\xe2\x80\x9e", 0).verdict,
                     IRI_REFUSE);
    other_repairs = 0;

    /*
     * in an ambiguous case neither the entry nor a directory on its path is
     * found
     */
    for (k = 0; k < 2; k++) {
        core.stats = core.lists = core.io_fail_at = 0;
        (void) find(&tree, doubted[k], 0);
        calls = core.stats + core.lists;
        assert_true(calls > 1);

        for (i = 1; i <= calls; i++) {
            core.stats = core.lists = 0;
            core.io_fail_at = i;
            core.io_fail_on = 1;
            found = find(&tree, doubted[k], 0);
            assert_int_equal(found.verdict, IRI_PASS);
        }
    }

    core.io_fail_at = 0;
    core_free(&core);
}
