/*
 * fuzz_name.c - target: the name of an entry, and the octets of a name
 *
 * Fields: settings (three), the octets of an entry, a text. Checked: the name,
 * by decoding the octets again, slowly, and by ICU; that each encoding of a
 * name is an entry with that name; NFC, NFD and vendor variants; that each
 * sequence of each charset round-trips.
 */

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "fuzz.h"

#define MAX_TEXT 4096 /* characters */


/* ---- a name, slowly ------------------------------------------------------ */

/* Does the charset decode these octets and encode the result as them? */
static int
is_written_so(const iri_charset_t *charset, iri_str_t octets, uint32_t *c,
              size_t *count)
{
    const unsigned char *p = octets.data, *end = p + octets.len;
    unsigned char        back[4];
    size_t               n;

    *count = 0;

    for (/* void */; p < end; p += n) {
        fuzz_assert(*count < MAX_TEXT);

        n = iri_charset_is_utf8(charset)
                ? fuzz_utf8(p, end, &c[*count])
                : iri_charset_next(charset, p, end, &c[*count]);

        if (n == 0
            || (!iri_charset_is_utf8(charset)
                && (iri_charset_put(charset, c[*count], back) != n
                    || memcmp(back, p, n) != 0)))
        {
            return 0;
        }

        ++*count;
    }

    return 1;
}


static int
may_be(const iri_charset_t *charset, const uint32_t *c, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (c[i] < 0x20 || (c[i] >= 0x7f && c[i] <= 0x9f)) {
            return 0;
        }

        if (!iri_charset_is_utf8(charset)
            && (c[i] == 0xfffd || (c[i] & 0xfffe) == 0xfffe
                || (c[i] >= 0xfdd0 && c[i] <= 0xfdef)))
        {
            return 0;
        }
    }

    return 1;
}


static iri_str_t
utf8_of(const uint32_t *c, size_t count)
{
    unsigned char *out = fuzz_memory(4 * count);
    iri_str_t      s = { 0, out };
    size_t         i;

    for (i = 0; i < count; i++) {
        s.len += iri_utf8_put(c[i], out + s.len);
    }

    return s;
}


/* Append characters in ICU's normalization form. */
static void
normalize_part(const uint32_t *c, size_t count, int nfd, uint32_t *out,
               size_t *len)
{
    UErrorCode          error = U_ZERO_ERROR;
    const UNormalizer2 *how = nfd ? unorm2_getNFDInstance(&error)
                                  : unorm2_getNFCInstance(&error);
    UChar              *from, *to;
    int32_t             n = 0, i = 0, size = (int32_t) (10 * count + 1);
    size_t              k;

    from = fuzz_memory((2 * count + 1) * sizeof(UChar));
    to = fuzz_memory((size_t) size * sizeof(UChar));

    for (k = 0; k < count; k++) {
        U16_APPEND_UNSAFE(from, n, (UChar32) c[k]);
    }

    n = unorm2_normalize(how, from, n, to, size, &error);
    fuzz_assert(U_SUCCESS(error));

    while (i < n) {
        UChar32 one;

        U16_NEXT(to, i, n, one);
        fuzz_assert(*len < MAX_TEXT);
        out[(*len)++] = (uint32_t) one;
    }
}


/* All but the three characters whose NFC is ASCII. */
static iri_str_t
normalize(const uint32_t *c, size_t count, int nfd)
{
    static uint32_t out[MAX_TEXT];
    size_t          from = 0, i, len = 0;

    for (i = 0; i <= count; i++) {
        if (i < count && c[i] != 0x37e && c[i] != 0x1fef && c[i] != 0x212a) {
            continue;
        }

        normalize_part(c + from, i - from, nfd, out, &len);

        if (i < count) {
            fuzz_assert(len < MAX_TEXT);
            out[len++] = c[i];
        }

        from = i + 1;
    }

    return utf8_of(out, len);
}


static iri_str_t
name_slowly(const iri_tree_conf_t *tree, iri_str_t octets)
{
    static uint32_t c[MAX_TEXT];
    iri_str_t       none = { 0, (const unsigned char *) "" }, name;
    size_t          i, count = 0;

    for (i = 0; i < tree->charsets.count && octets.len <= FUZZ_SEGMENT; i++) {
        if (!is_written_so(tree->charsets.at[i], octets, c, &count)
            || !may_be(tree->charsets.at[i], c, count))
        {
            continue;
        }

        name = utf8_of(c, count);

        if (fuzz_marks(name) <= FUZZ_MARKS) {
            name = normalize(c, count, 0);
        }

        /*
         * A name that cannot be read again is invalid; the next charset is
         * tried.
         */
        if (name.len <= FUZZ_SEGMENT) {
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
    static uint32_t c[MAX_TEXT];
    iri_buf_t       nfc = IRI_BUF_EMPTY, nfd = IRI_BUF_EMPTY;
    iri_buf_t       back = IRI_BUF_EMPTY;
    size_t          count;

    if (text.len == 0 || text.len > FUZZ_SEGMENT / 2
        || !is_written_so(&iri_charset_utf8, text, c, &count))
    {
        return;
    }

    fuzz_assert(iri_nfc_put(&fuzz.env, text, &nfc) == IRI_OK);
    fuzz_assert(iri_nfd_put(&fuzz.env, text, &nfd) == IRI_OK);
    fuzz_assert(fuzz_equal(iri_buf_str(&nfc), normalize(c, count, 0)));
    fuzz_assert(fuzz_equal(iri_buf_str(&nfd), normalize(c, count, 1)));

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
