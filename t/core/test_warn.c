/*
 * test_warn.c - warnings about whole IRIs, and bidi display order
 *
 * Covers: the order of the older draft; the two rules of structure, component
 * by component; each kind of warning, for its cases and not for similar ones.
 * The examples of draft 4.4: t/documents/iri.tsv.
 */

#include "core.h"

/* ---- bidi notation ------------------------------------------------------- */

/* Upper case stands for letters of Hebrew, in the order of the block. */
static iri_str_t
notation(const char *text, unsigned char *out)
{
    iri_str_t s = { 0, out };

    for (/* void */; *text != '\0'; text++) {
        uint32_t c = (unsigned char) *text;

        if (c >= 'A' && c <= 'Z') {
            c += 0x5d0 - 'A';
        }
        s.len += iri_utf8_put(c, out + s.len);
    }

    return s;
}


typedef struct {
    size_t        count;
    size_t        collected[IRI_WARNINGS];
    iri_warning_t first;
} collected_t;


static iri_status_t
collect(void *arg, const iri_warning_t *warning)
{
    collected_t *collected = arg;

    if (collected->count++ == 0) {
        collected->first = *warning;
    }
    collected->collected[warning->kind]++;

    return IRI_OK;
}


static collected_t
bidi_of(iri_str_t text)
{
    collected_t collected;

    memset(&collected, 0, sizeof(collected));
    assert_ok(iri_bidi_check(text, collect, &collected));

    return collected;
}


static iri_str_t
seen(iri_visual_t order, iri_str_t text)
{
    iri_converted_t out;

    assert_ok(iri_visual_order(&core.env, order, text, &out));
    assert_null(out.why);

    return out.value;
}


/* ---- draft 4.2 ----------------------------------------------------------- */

TEST(test_components)
{
    static const char *const rows[][2] = {
        { "http://ab.CDE.FGH/ij/KL", "http://ab.HGF.EDC/ij/LK" },
        { "http://AB/CD?EF=GH#IJ", "http://BA/DC?FE=HG#JI" },
        { "http://a/B+C", "http://a/B+C" },
        { "ABC", "CBA" },
        { "", "" },
    };
    unsigned char octets[2][256];
    size_t        i;

    for (i = 0; i < COUNT(rows); i++) {
        assert_str(
            seen(IRI_VISUAL_COMPONENTS, notation(rows[i][0], octets[0])),
            notation(rows[i][1], octets[1]));
    }

    /* Brackets are mirrored; a mark follows its letter. */
    assert_text(seen(IRI_VISUAL_UAX9, S("\xd7\x90(\xd7\x91")),
                "\xd7\x91)\xd7\x90");
    assert_text(seen(IRI_VISUAL_UAX9, S("\xd7\x90\xd6\xb0\xd7\x91")),
                "\xd7\x91\xd7\x90\xd6\xb0");
}


TEST(test_structure)
{
    static const struct {
        const char     *text;
        size_t          mixed, edge;
        iri_component_t component; /* of the first warning */
        const char     *piece;
        size_t          offset; /* in octets of the notation */
    } rows[] = {
        { "http://ab/cd", 0, 0, 0, NULL, 0 },
        { "http://AB/CD", 0, 0, 0, NULL, 0 },
        { "http://aB/", 1, 1, IRI_COMPONENT_HOST, "aB", 7 },
        { "http://a.B1/", 0, 1, IRI_COMPONENT_HOST, "B1", 11 },
        { "http://a/1B", 0, 1, IRI_COMPONENT_PATH, "1B", 9 },
        { "http://a/B-C", 0, 0, 0, NULL, 0 },
        { "http://a/B-", 0, 1, IRI_COMPONENT_PATH, "B-", 11 },
        { "http://a/AbC", 1, 0, IRI_COMPONENT_PATH, "AbC", 11 },
        { "http://a/B;c=D", 0, 0, 0, NULL, 0 },
        { "http://a/B.html", 0, 0, 0, NULL, 0 },
        { "http://a/B.c/d.html", 1, 1, IRI_COMPONENT_PATH, "B.c", 12 },
        { "http://a/?b=C&D=e", 0, 0, 0, NULL, 0 },
        { "http://a/?bC", 1, 1, IRI_COMPONENT_QUERY, "bC", 10 },
        { "http://a/#B c", 1, 1, IRI_COMPONENT_FRAGMENT, "B c", 13 },
        { "http://A:b@c/", 0, 0, 0, NULL, 0 },
        { "http://Ab@c/", 1, 1, IRI_COMPONENT_USERINFO, "Ab", 9 },
        { "urn:a:B", 0, 0, 0, NULL, 0 },
        { "urn:aB", 1, 1, IRI_COMPONENT_OPAQUE, "aB", 4 },
        { "aB", 1, 1, IRI_COMPONENT_PATH, "aB", 0 },
        { "http://a/B%D7%90", 1, 1, IRI_COMPONENT_PATH, "B%D7%90", 0 },
    };
    unsigned char octets[2][256];
    collected_t   collected;
    size_t        i;

    for (i = 0; i < COUNT(rows); i++) {
        /* Hex digits of escapes are upper case, so they are restored. */
        iri_str_t text = strchr(rows[i].text, '%') != NULL
                             ? S("http://a/\xd7\x91%D7%90")
                             : notation(rows[i].text, octets[0]);

        collected = bidi_of(text);
        if (collected.collected[IRI_WARN_BIDI_MIXED] != rows[i].mixed
            || collected.collected[IRI_WARN_BIDI_EDGE] != rows[i].edge)
        {
            fail_msg("%s: %lu mixed, %lu edges", rows[i].text,
                     (unsigned long) collected.collected[IRI_WARN_BIDI_MIXED],
                     (unsigned long) collected.collected[IRI_WARN_BIDI_EDGE]);
        }
        if (collected.count != 0 && strchr(rows[i].text, '%') == NULL) {
            assert_int_equal(collected.first.component, rows[i].component);
            assert_str(collected.first.piece,
                       notation(rows[i].piece, octets[1]));
            assert_int_equal(collected.first.offset, rows[i].offset);
        }
    }

    /* A mark at the end belongs to its letter. */
    assert_int_equal(bidi_of(S("/\xd7\x90\xd6\xb0")).count, 0);
    assert_int_equal(bidi_of(S("/\xd6\xb0\xd7\x90")).count, 1);

    /* Arabic letters are right-to-left, too. */
    assert_int_equal(bidi_of(S("/\xd8\xa8")).count, 0);
    assert_int_equal(bidi_of(S("/1\xd8\xa8")).count, 1);
}


/* ---- characters ---------------------------------------------------------- */

static const struct {
    const char        *text;
    iri_warning_kind_t kind; /* the only warning; IRI_WARNINGS: none */
    size_t             offset;
    uint32_t           character;
    const char        *like;
} rows[] = {
#define NONE IRI_WARNINGS, 0, 0, NULL
    { "http://www.example.org/caf\xc3\xa9?a=b#c", NONE },
    { "/\xd0\xbc\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0", NONE },
    { "/\xe6\x97\xa5\xe6\x9c\xac-guide", NONE },
    { "/\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae", NONE },
    { "/%D9%85%DB%8C%E2%80%8C%D8%AE", NONE },
    { "/%C3%A9%E9", NONE },
    { "/a b", IRI_WARN_EXCLUDED, 2, ' ', NULL },
    { "/a%20b", NONE },
    { "/<", IRI_WARN_EXCLUDED, 1, '<', NULL },
    { "/a\u2215b", IRI_WARN_LOOKS_LIKE, 2, 0x2215, NULL },
    { "/a%E2%88%95b", IRI_WARN_LOOKS_LIKE, 2, 0x2215, NULL },
    { "/a\u00a0b", IRI_WARN_LOOKS_LIKE, 2, 0xa0, NULL },
    { "/\xe6\x97\xa5\xe3\x80\x80", IRI_WARN_LOOKS_LIKE, 4, 0x3000, NULL },
    { "/\xe3\x82\xa2\xef\xbd\xb1", IRI_WARN_WIDTH, 4, 0xff71, NULL },
    { "/\xc3\xa9\xe2\x80\x8b", IRI_WARN_INVISIBLE, 3, 0x200b, NULL },
    { "/\xc3\xa9-\xe2\x80\x8c", IRI_WARN_INVISIBLE, 4, 0x200c, NULL },
    /* Joiners: not used in Latin or Hebrew, but in scripts that join */
    { "/a\u200db", IRI_WARN_INVISIBLE, 2, 0x200d, NULL },
    { "/\xd7\x90\xe2\x80\x8d\xd7\x91", IRI_WARN_INVISIBLE, 3, 0x200d, NULL },
    { "/\xd0\xb6\xcc\xa7\xe2\x80\x8c", IRI_WARN_INVISIBLE, 5, 0x200c, NULL },
    { "/\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7", NONE },
    { "/\xe0\xa6\xb0\xe2\x80\x8d\xe0\xa7\x8d\xe0\xa6\xaf", NONE },
    { "/\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8c\xe0\xa4\xb7", NONE },
    /* A joiner gives one of its neighbours another form, or does nothing. */
    { "/\xd9\x87\xe2\x80\x8d", NONE },
    { "/-\xe2\x80\x8d\xd9\x87", NONE },
    { "/\xd9\x85\xe2\x80\x8d\xd8\xae", IRI_WARN_INVISIBLE, 3, 0x200d, NULL },
    { "/\xd9\x87\xe2\x80\x8d\xe2\x80\x8d", IRI_WARN_INVISIBLE, 3, 0x200d,
      NULL },
    { "/\xd9\x85\xd9\x91\xe2\x80\x8d\xd8\xae", IRI_WARN_INVISIBLE, 5, 0x200d,
      NULL },
    /* At the end of a word, before a virama, and between symbols that are shown
       as text, joiners are invisible. */
    { "/\xe0\xae\xae\xe0\xaf\x8d\xe2\x80\x8c", IRI_WARN_INVISIBLE, 7, 0x200c,
      NULL },
    { "/\xe0\xa4\x95\xe2\x80\x8c\xe0\xa5\x8d\xe0\xa4\xb7", IRI_WARN_INVISIBLE,
      4, 0x200c, NULL },
    { "/\xc2\xa9\xe2\x80\x8d\xc2\xae", IRI_WARN_INVISIBLE, 3, 0x200d, NULL },
    { "/\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", NONE },
    { "/\xf0\x9f\x8f\xb3\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x8c\x88", NONE },
    /* Variation selectors: of emoji that they change, not of others */
    { "/\xe2\x9d\xa4\xef\xb8\x8f", NONE },
    { "/\xe2\x9d\xa4\xef\xb8\x8e", IRI_WARN_INVISIBLE, 4, 0xfe0e, NULL },
    { "/\xf0\x9f\x98\x80\xef\xb8\x8e", NONE },
    { "/\xf0\x9f\x98\x80\xef\xb8\x8f", IRI_WARN_INVISIBLE, 5, 0xfe0f, NULL },
    { "/\xf0\x9f\x87\xa9\xef\xb8\x8f\xf0\x9f\x87\xaa", IRI_WARN_INVISIBLE, 5,
      0xfe0f, NULL },
    { "/1\xef\xb8\x8f", IRI_WARN_INVISIBLE, 2, 0xfe0f, NULL },
    { "/\xe6\xbc\xa2\xef\xb8\x80", IRI_WARN_INVISIBLE, 4, 0xfe00, NULL },
    { "/%E2%80%AE\xc3\xa9", IRI_WARN_INVISIBLE, 1, 0x202e, NULL },
    { "/\xc3\xa9%F3%A0%81%81", IRI_WARN_TAG, 3, 0xe0041, NULL },
    { "/?\xc3\xa9\xee\x80\x80", IRI_WARN_PRIVATE, 4, 0xe000, NULL },
    { "/%EE%80%80\xc3\xa9", IRI_WARN_PRIVATE, 1, 0xe000, NULL },
    { "/e\xcc\x81", IRI_WARN_NOT_NFC, 1, 0, NULL },
    { "/e%CC%81", IRI_WARN_NOT_NFC, 1, 0, NULL },
    { "/\xc3\xa9\xe2\x84\xab", IRI_WARN_NOT_NFC, 3, 0x212b, NULL },
    { "/\xc3\xa9\xc2\xb2", IRI_WARN_COMPATIBILITY, 3, 0xb2, NULL },
    /* Turkish, Thai, Lao and Armenian words; U+0131 beside Cyrillic */
    { "/k\xc4\xb1z", NONE },
    { "/\xe0\xb8\x99\xe0\xb9\x89\xe0\xb8\xb3", NONE },
    { "/\xe0\xba\x84\xe0\xba\xb3", NONE },
    { "/\xd6\x87", NONE },
    { "/\xd1\x81\xc4\xb1", IRI_WARN_MIXED_SCRIPTS, 1, 0, NULL },
    { "/\xc3\xa9\xd0\xb6", IRI_WARN_MIXED_SCRIPTS, 1, 0, NULL },
    { "/\xce\xbb\xd0\xb6", IRI_WARN_MIXED_SCRIPTS, 1, 0, NULL },
    { "/\xc3\xa9/\xd0\xb6", NONE },
    { "/\xc3\xa9=\xd0\xb6", NONE },
    { "/\xd1\x81\xd0\xbe\xd1\x80", IRI_WARN_LOOK_ALIKE, 1, 0, "cop" },
    { "http://%D1%81%D0%BE%D1%80/", IRI_WARN_LOOK_ALIKE, 7, 0, "cop" },
};


static collected_t
warnings_of(iri_str_t text, const iri_confusables_t *with)
{
    collected_t collected;

    memset(&collected, 0, sizeof(collected));
    assert_ok(
        iri_characters_check(&core.env, with, text, collect, &collected));

    return collected;
}


TEST(test_characters)
{
    collected_t collected;
    size_t      i;

    for (i = 0; i < COUNT(rows); i++) {
        collected = warnings_of(core_str(rows[i].text), core_confusables());

        if (collected.count != (rows[i].kind != IRI_WARNINGS)
            || (collected.count != 0 && collected.first.kind != rows[i].kind))
        {
            fail_msg("%s: %lu, first \"%s\"", rows[i].text,
                     (unsigned long) collected.count,
                     iri_warning_text(collected.first.kind));
        }
        if (collected.count != 0) {
            assert_int_equal(collected.first.offset, rows[i].offset);
            assert_int_equal(collected.first.character, rows[i].character);
        }
        if (rows[i].like != NULL) {
            assert_text(collected.first.like, rows[i].like);
            assert_int_equal(warnings_of(core_str(rows[i].text), NULL).count,
                             0);
        }
        core_forget(&core);
    }
}


/* Scripts of a long run of marks are not compared: that would be quadratic. */
TEST(test_many_marks)
{
    unsigned char octets[256];
    iri_str_t     text = { 0, octets };
    int           marks;

    for (marks = 30; marks <= 31; marks++) {
        size_t i;

        /* Cyrillic and Greek, and marks that compose with nothing. */
        memcpy(octets, "\xd0\xb6\xce\xb2", 4);
        for (i = 0; i < (size_t) marks; i++) {
            memcpy(octets + 4 + 2 * i, "\xcc\xa7", 2);
        }
        text.len = 4 + 2 * i;
        assert_int_equal(warnings_of(text, core_confusables())
                             .collected[IRI_WARN_MIXED_SCRIPTS],
                         marks == 30);
    }
}


/* Once for each kind and component; the callback can stop the search. */
static iri_status_t
refuse(void *arg, const iri_warning_t *warning)
{
    return IRI_IO_FAILED;
}


TEST(test_callback)
{
    collected_t collected = warnings_of(S("/a b c/d e"), core_confusables());
    size_t      at;
    int         count = 0;

    assert_int_equal(collected.count, 2);
    assert_str(collected.first.piece, S("a b c"));

    assert_int_equal(iri_characters_check(&core.env, core_confusables(),
                                          S("/a b"), refuse, NULL),
                     IRI_IO_FAILED);
    assert_int_equal(iri_bidi_check(S("/a\xd7\x90"), refuse, NULL),
                     IRI_IO_FAILED);

    for (at = 1; /* void */; at++) {
        iri_status_t status;

        core_forget(&core);
        core.allocs = 0;
        core.fail_at = at;
        core.fail_on = 1;
        memset(&collected, 0, sizeof(collected));
        status = iri_characters_check(&core.env, core_confusables(),
                                      S("/\xd1\x81\xd0\xbe/e\xcc\x81"),
                                      collect, &collected);
        if (status == IRI_OK) {
            break;
        }
        assert_int_equal(status, IRI_NO_MEMORY);
        count++;
    }
    core.fail_at = 0;
    assert_true(count > 2);
}
