/*
 * iri_fold_plain.c - letters and punctuation for which a key has plain ASCII
 *
 * The other levels do not change these characters, so they are replaced in the
 * key that these levels have made.
 */

#include "unicode/iri_unicode.h"


/*
 * Letters that have no decomposition into a letter and an accent, with the
 * letters that CLDR's transform Latin-ASCII writes for them: those of U+00C0 to
 * U+017F, and U+1E9E.
 */
static const struct {
    uint16_t   c;
    const char plain[3];
} iri_plain_letters[] = {
    { 0x00c6, "AE" }, { 0x00d0, "D" },  { 0x00d8, "O" }, { 0x00de, "TH" },
    { 0x00df, "ss" }, { 0x00e6, "ae" }, { 0x00f0, "d" }, { 0x00f8, "o" },
    { 0x00fe, "th" }, { 0x0110, "D" },  { 0x0111, "d" }, { 0x0126, "H" },
    { 0x0127, "h" },  { 0x0131, "i" },  { 0x0138, "q" }, { 0x0141, "L" },
    { 0x0142, "l" },  { 0x014a, "N" },  { 0x014b, "n" }, { 0x0152, "OE" },
    { 0x0153, "oe" }, { 0x0166, "T" },  { 0x0167, "t" }, { 0x1e9e, "SS" },
};


static const char *
iri_plain_letter(uint32_t c)
{
    size_t i;

    for (i = 0; i < sizeof(iri_plain_letters) / sizeof(iri_plain_letters[0]);
         i++) {
        if (iri_plain_letters[i].c == c) {
            return iri_plain_letters[i].plain;
        }
    }

    return NULL;
}


/*
 * Spaces, dashes, quotation marks and primes that look like U+0020, U+002D,
 * U+0027 and U+0022: they have the same skeleton (UTS #39).
 */
static const struct {
    uint16_t   from;
    uint16_t   to;
    const char plain[2];
} iri_plain_punctuation[] = {
    { 0x00a0, 0x00a0, " " },  { 0x00b4, 0x00b4, "'" },
    { 0x02bc, 0x02bc, "'" },  { 0x2000, 0x200a, " " },
    { 0x2010, 0x2013, "-" },  { 0x2018, 0x2019, "'" },
    { 0x201b, 0x201b, "'" },  { 0x201c, 0x201d, "\"" },
    { 0x201f, 0x201f, "\"" }, { 0x202f, 0x202f, " " },
    { 0x2032, 0x2032, "'" },  { 0x2033, 0x2033, "\"" },
    { 0x2035, 0x2035, "'" },  { 0x2036, 0x2036, "\"" },
    { 0x205f, 0x205f, " " },  { 0x2212, 0x2212, "-" },
    { 0xfe58, 0xfe58, "-" },
};


static const char *
iri_plain_mark(uint32_t c)
{
    size_t i;

    for (i = 0;
         i < sizeof(iri_plain_punctuation) / sizeof(iri_plain_punctuation[0]);
         i++)
    {
        if (c >= iri_plain_punctuation[i].from
            && c <= iri_plain_punctuation[i].to) {
            return iri_plain_punctuation[i].plain;
        }
    }

    return NULL;
}


void
iri_fold_plain(unsigned match, iri_buf_t *key, size_t from)
{
    const unsigned latin = IRI_FOLD_ACCENTS | IRI_FOLD_LATIN;
    unsigned char *p, *to, *end;
    const char    *plain;
    uint32_t       c;
    size_t         n;

    if (((match & latin) != latin && (match & IRI_FOLD_PUNCTUATION) == 0)
        || key->len == from)
    {
        return;
    }

    p = to = key->data + from;
    end = key->data + key->len;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);
        plain = n > 1 && (match & latin) == latin ? iri_plain_letter(c)
                                                  : NULL;

        if (plain == NULL && n > 1 && (match & IRI_FOLD_PUNCTUATION)) {
            /* VARIANTS has replaced the minus of JIS by that of vendors. */
            plain = iri_plain_mark(
                match & IRI_FOLD_VARIANTS ? iri_jis_variant(c, 1) : c);
        }

        n = n != 0 ? n : 1;

        if (plain != NULL) {
            memcpy(to, plain, strlen(plain));
            to += strlen(plain);

        } else {
            memmove(to, p, n);
            to += n;
        }
    }

    key->len = (size_t) (to - key->data);
}
