/*
 * iri_fold_plain.c - characters that a key replaces by others, or omits
 *
 * Letters and punctuation are replaced by ASCII, variants of letters by one of
 * them; joiners are omitted.  The other levels do not change these characters,
 * so this is done in the key that the other levels have made.
 */

#include "unicode/iri_unicode.h"


/*
 * Letters and what a key has in their place.
 *
 *   LATIN             letters of U+00C0 to U+017F, and U+1E9E, that have no
 *                     decomposition into a letter and an accent -> the letters
 *                     of CLDR's transform Latin-ASCII
 *   ROMANIAN, ARABIC  letters that some keyboards and charsets have instead of
 *                     another one -> that letter, which has the same skeleton
 *                     (UTS #39)
 */
static const struct {
    uint16_t   group;
    uint16_t   c;
    const char plain[3];
} iri_plain_letters[] = {
    { IRI_FOLD_LATIN, 0x00c6, "AE" },
    { IRI_FOLD_LATIN, 0x00d0, "D" },
    { IRI_FOLD_LATIN, 0x00d8, "O" },
    { IRI_FOLD_LATIN, 0x00de, "TH" },
    { IRI_FOLD_LATIN, 0x00df, "ss" },
    { IRI_FOLD_LATIN, 0x00e6, "ae" },
    { IRI_FOLD_LATIN, 0x00f0, "d" },
    { IRI_FOLD_LATIN, 0x00f8, "o" },
    { IRI_FOLD_LATIN, 0x00fe, "th" },
    { IRI_FOLD_LATIN, 0x0110, "D" },
    { IRI_FOLD_LATIN, 0x0111, "d" },
    { IRI_FOLD_LATIN, 0x0126, "H" },
    { IRI_FOLD_LATIN, 0x0127, "h" },
    { IRI_FOLD_LATIN, 0x0131, "i" },
    { IRI_FOLD_LATIN, 0x0138, "q" },
    { IRI_FOLD_LATIN, 0x0141, "L" },
    { IRI_FOLD_LATIN, 0x0142, "l" },
    { IRI_FOLD_LATIN, 0x014a, "N" },
    { IRI_FOLD_LATIN, 0x014b, "n" },
    { IRI_FOLD_LATIN, 0x0152, "OE" },
    { IRI_FOLD_LATIN, 0x0153, "oe" },
    { IRI_FOLD_LATIN, 0x0166, "T" },
    { IRI_FOLD_LATIN, 0x0167, "t" },
    { IRI_FOLD_LATIN, 0x1e9e, "SS" },
    { IRI_FOLD_ROMANIAN, 0x015e, "\xc8\x98" },
    { IRI_FOLD_ROMANIAN, 0x015f, "\xc8\x99" },
    { IRI_FOLD_ROMANIAN, 0x0162, "\xc8\x9a" },
    { IRI_FOLD_ROMANIAN, 0x0163, "\xc8\x9b" },
    { IRI_FOLD_ARABIC, 0x064a, "\xd9\x89" },
    { IRI_FOLD_ARABIC, 0x06cc, "\xd9\x89" },
    { IRI_FOLD_ARABIC, 0x06a9, "\xd9\x83" },
};


static const char *
iri_plain_letter(unsigned groups, uint32_t c)
{
    size_t i;

    for (i = 0; i < sizeof(iri_plain_letters) / sizeof(iri_plain_letters[0]);
         i++) {
        if (iri_plain_letters[i].c == c
            && (iri_plain_letters[i].group & groups) != 0) {
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


/*
 * Return the text that replaces c; NULL: c stays.  before: the character before
 * c; 0: none.  The text after c is from next to end.
 */
static const char *
iri_plain_text(unsigned match, uint32_t before, uint32_t c,
               const unsigned char *next, const unsigned char *end)
{
    const char *plain = iri_plain_letter(match, c);
    uint32_t    after;

    if (plain == NULL && (match & IRI_FOLD_PUNCTUATION)) {
        /* VARIANTS has replaced the minus of JIS by that of vendors. */
        plain = iri_plain_mark(
            match & IRI_FOLD_VARIANTS ? iri_jis_variant(c, 1) : c);
    }

    if ((c == 0x200c || c == 0x200d) && (match & IRI_FOLD_JOINERS)
        && iri_utf8_next(next, end, &after) != 0
        && iri_joiner_is_optional(before, after))
    {
        plain = "";
    }

    return plain;
}


void
iri_fold_plain(unsigned match, iri_buf_t *key, size_t from)
{
    const unsigned char *p, *end;
    unsigned char       *to;
    const char          *plain;
    uint32_t             c = 0, before = 0;
    size_t               n;

    if ((match & IRI_FOLD_ACCENTS) == 0) {
        match &= ~IRI_FOLD_LATIN;
    }

    if ((match & (IRI_FOLD_LATIN | IRI_FOLD_PUNCTUATION | IRI_FOLD_LETTERS))
            == 0
        || key->len == from)
    {
        return;
    }

    p = to = key->data + from;
    end = key->data + key->len;

    for (/* void */; p < end; p += n, before = c) {
        n = iri_utf8_next(p, end, &c);
        plain = n > 1 ? iri_plain_text(match, before, c, p + n, end) : NULL;
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
