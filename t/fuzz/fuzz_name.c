/*
 * fuzz_name.c - target: the name of an entry, and the octets of a name
 *
 * Fields: settings (three), the octets of an entry, a text. Checked: the name,
 * by decoding the octets again, slowly, and by ICU; that each encoding of a
 * name is an entry with that name; NFC, NFD and vendor variants; that each
 * sequence of each charset round-trips.
 */

#include "fuzz.h"


/* ---- a name, slowly ------------------------------------------------------ */

static iri_str_t
name_slowly(const iri_tree_conf_t *tree, iri_str_t octets)
{
    iri_str_t none = { 0, (const unsigned char *) "" }, name;
    size_t    i;

    for (i = 0; i < tree->charsets.count && octets.len <= FUZZ_SEGMENT; i++) {
        /*
         * A name that cannot be read again is invalid; the next charset is
         * tried.
         */
        if (fuzz_decode(tree->charsets.at[i], octets, 1, &name)
            && name.len <= FUZZ_SEGMENT)
        {
            return name;
        }
    }

    return none;
}


/* ---- judgement ----------------------------------------------------------- */

static int
is_named(const iri_tree_conf_t *tree, iri_str_t octets, iri_str_t name)
{
    size_t index;
    int    named = -1;

    fuzz_assert(
        iri_entry_is_named(&fuzz.env, tree, octets, name, &index, &named)
        == IRI_OK);

    return named;
}


/*
 * Each encoding of a name is an entry with that name; *same: one of them is
 * octets.
 */
static void
judge_encodings(const iri_tree_conf_t *tree, iri_str_t name, iri_str_t octets,
                int *same)
{
    iri_buf_t out = IRI_BUF_EMPTY;
    iri_str_t back;
    size_t    k;
    int       written;

    *same = 0;

    for (k = 0; k < IRI_WAYS(tree); k++) {
        written = -1;
        fuzz_assert(iri_name_write(&fuzz.env, tree, name, k, &out, &written)
                    == IRI_OK);

        if (!written) {
            continue;
        }

        back = fuzz_entry_name(tree, iri_buf_str(&out));

        /* In a UTF-8 tree the name is not compared further. */
        if (!fuzz_equal(back, name)) {
            fuzz_die("way %u does not write that name", (unsigned) k);
        }

        *same |= fuzz_equal(iri_buf_str(&out), octets);
    }
}


/* The variants are canonical and have no further variants. */
static void
judge_variants(iri_str_t name)
{
    iri_buf_t out, again;
    iri_str_t variant;
    int       way, differs;

    for (way = 0; way < 2; way++) {
        memset(&out, 0, sizeof(out));
        memset(&again, 0, sizeof(again));
        differs = -1;

        fuzz_assert(iri_name_variant(&fuzz.env, name, way, &out, &differs)
                    == IRI_OK);

        if (!differs) {
            continue;
        }

        variant = iri_buf_str(&out);
        fuzz_judge_text(variant, name, 0);

        fuzz_assert(
            iri_name_variant(&fuzz.env, variant, way, &again, &differs)
            == IRI_OK);
        fuzz_assert(!differs);
    }
}


static void
judge_entry(const iri_tree_conf_t *tree, iri_str_t octets)
{
    iri_str_t name = fuzz_entry_name(tree, octets);
    iri_buf_t out = IRI_BUF_EMPTY;
    size_t    way;
    int       same, plain, written;

    fuzz_assert(fuzz_equal(name, name_slowly(tree, octets)));

    plain = octets.len != 0 && iri_entry_is_plain(tree, octets, &way);

    if (name.len == 0) {
        return;
    }

    fuzz_judge_text(name, octets, 0);
    fuzz_assert(is_named(tree, octets, name) == 1);

    judge_encodings(tree, name, octets, &same);
    judge_variants(name);

    /* The result needs no memory only if some encoding finds it. */
    if (plain && octets.len <= FUZZ_SEGMENT && tree->names == IRI_FILENAME_ANY
        && (tree->match & IRI_FOLD_NORMALIZATION))
    {
        fuzz_assert(same);
        fuzz_assert(iri_name_write(&fuzz.env, tree, name, way, &out, &written)
                        == IRI_OK
                    && written && fuzz_equal(iri_buf_str(&out), octets));
    }
}


/*
 * Any UTF-8 text: its normalization forms, by ICU; and that they have one name.
 */
static void
judge_forms(iri_str_t text)
{
    static uint32_t c[FUZZ_TEXT];
    iri_buf_t       nfc = IRI_BUF_EMPTY, nfd = IRI_BUF_EMPTY;
    iri_buf_t       back = IRI_BUF_EMPTY;
    size_t          count;

    if (text.len == 0 || text.len > FUZZ_SEGMENT / 2
        || !fuzz_characters(&iri_charset_utf8, text, 1, c, &count))
    {
        return;
    }

    fuzz_assert(iri_nfc_put(&fuzz.env, text, &nfc) == IRI_OK);
    fuzz_assert(iri_nfd_put(&fuzz.env, text, &nfd) == IRI_OK);
    fuzz_assert(fuzz_equal(iri_buf_str(&nfc), fuzz_normalize(c, count, 0)));
    fuzz_assert(fuzz_equal(iri_buf_str(&nfd), fuzz_normalize(c, count, 1)));

    fuzz_assert(iri_nfc_put(&fuzz.env, iri_buf_str(&nfd), &back) == IRI_OK);
    fuzz_assert(fuzz_equal(iri_buf_str(&nfc), iri_buf_str(&back)));
}


/* One sequence: its character is encoded as it or as its duplicate. */
static void
judge_sequence(const iri_charset_t *charset, iri_str_t octets)
{
    const unsigned char *p = octets.data, *end = p + octets.len;
    unsigned char        out[4];
    uint32_t             c, back;
    size_t               n, len;

    for (/* void */; p < end; p += n != 0 ? n : 1) {
        n = iri_charset_next(charset, p, end, &c);
        fuzz_assert(n <= 4 && n <= (size_t) (end - p));

        if (n == 0) {
            continue;
        }

        fuzz_assert((c < 0x80) == (*p < 0x80));
        fuzz_assert(c < 0x80 || c <= 0x10ffff);
        fuzz_assert(c < 0xd800 || c > 0xdfff);
        fuzz_assert(c >= 0x80 || (n == 1 && c == *p));

        len = iri_charset_put(charset, c, out);
        if (len != 0) {
            fuzz_assert(iri_charset_next(charset, out, out + len, &back)
                        == len);
            fuzz_assert(back == c);
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_input(data, size);
    fuzz_conf_t  conf;
    iri_str_t    octets, text;
    size_t       i;

    fuzz_begin();
    fuzz_conf(&input, &conf);
    fuzz_field(&input, &octets);
    fuzz_field(&input, &text);
    octets = fuzz_given(octets);
    text = fuzz_given(text);

    judge_entry(&conf.tree, octets);
    judge_forms(text);

    for (i = 0; i < conf.tree.charsets.count; i++) {
        judge_sequence(conf.tree.charsets.at[i], octets);
    }

    fuzz_end();

    return 0;
}
