/*
 * iri_entry_name.c - the name of an entry, and the octets that write a name
 *
 * An entry has one name: its octets decoded in the first tree charset that
 * decodes them and encodes the result as the same octets. An entry is found
 * only if this name equals the requested one, not by the meaning of its octets
 * in another charset: C9 BD is U+8868 in EUC-JP, but U+027D in UTF-8.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"
#include "index/iri_index.h"


/* ---- decoding ------------------------------------------------------------ */

/* Bits for the letter case of hexadecimal digits. */
#define IRI_DIGITS_LOWER 1u
#define IRI_DIGITS_UPPER 2u

/* Return the bits of all letters in escapes; 0: only decimal digits. */
static unsigned
iri_escapes_case(iri_str_t octets)
{
    size_t        i, k;
    unsigned char c;
    unsigned      letters = 0;

    for (i = 0; i + 2 < octets.len; i++) {
        if (octets.data[i] != '%') {
            continue;
        }

        for (k = i + 1; k <= i + 2; k++) {
            c = octets.data[k];
            letters |= c >= 'a'   ? IRI_DIGITS_LOWER
                       : c >= 'A' ? IRI_DIGITS_UPPER
                                  : 0;
        }
    }

    return letters;
}


/* Return 1 if the charset encodes the characters of octets as octets. */
static int
iri_round_trip(const iri_charset_t *charset, iri_str_t octets)
{
    const unsigned char *p = octets.data, *end = octets.data + octets.len;
    unsigned char        out[4];
    uint32_t             c;
    size_t               n;

    if (iri_charset_is_utf8(charset)) {
        return 1;
    }

    if (iri_charset_is_percent(charset)) {
        return iri_escapes_case(octets)
               != (IRI_DIGITS_LOWER | IRI_DIGITS_UPPER);
    }

    for (/* void */; p < end; p += n) {
        n = iri_charset_next(charset, p, end, &c);

        if (n == 0 || iri_charset_put(charset, c, out) != n
            || memcmp(out, p, n) != 0) {
            return 0;
        }
    }

    return 1;
}


iri_status_t
iri_entry_read(const iri_env_t *env, const iri_tree_conf_t *tree,
               iri_str_t octets, iri_buf_t *name, size_t *index)
{
    iri_source_t source = { octets, NULL, 0, 0 };
    iri_status_t status = IRI_OK;
    iri_why_t    why;
    size_t       i;

    name->len = 0;

    for (i = 0; i < tree->charsets.count; i++) {
        if (!iri_round_trip(tree->charsets.at[i], octets)) {
            continue;
        }

        status = iri_segment_read(env, tree->charsets.at[i], &source, 0,
                                  octets.len, name, NULL, &why);

        if (status != IRI_OK || why == IRI_WHY_READ) {
            *index = i;
            return status;
        }
    }

    return IRI_OK;
}


iri_status_t
iri_entry_name(const iri_env_t *env, const iri_tree_conf_t *tree,
               iri_str_t octets, iri_str_t *name)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       index;

    status = iri_entry_read(env, tree, octets, &buf, &index);
    if (status == IRI_OK) {
        *name = iri_buf_str(&buf);
    }

    return status;
}


iri_status_t
iri_entry_is_named(const iri_env_t *env, const iri_tree_conf_t *tree,
                   iri_str_t octets, iri_str_t name, size_t *index,
                   int *named)
{
    iri_buf_t    read = IRI_BUF_EMPTY;
    iri_status_t status;

    status = iri_entry_read(env, tree, octets, &read, index);
    if (status == IRI_OK) {
        *named = iri_str_equal(iri_buf_str(&read), name);
    }

    return status;
}


/* Return 1 if all characters of octets, text in charset, are inert (NFC). */
static int
iri_is_inert_in(const iri_charset_t *charset, iri_str_t octets)
{
    const unsigned char *p = octets.data, *end = octets.data + octets.len;
    uint32_t             c;

    while (p < end) {
        p += iri_charset_next(charset, p, end, &c);

        if (!iri_char_is_inert(c)) {
            return 0;
        }
    }

    return 1;
}


/*
 * Return 1 if the charset decodes octets to characters that a segment may
 * contain, and encodes these as the same octets.
 */
static int
iri_is_text_in(const iri_charset_t *charset, iri_str_t octets)
{
    const unsigned char *p = octets.data, *end = octets.data + octets.len;
    int                  legacy = !iri_charset_is_utf8(charset);
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_charset_next(charset, p, end, &c);

        if (n == 0 || !iri_char_allowed(c, legacy)) {
            return 0;
        }
    }

    return iri_round_trip(charset, octets);
}


int
iri_entry_is_plain(const iri_tree_conf_t *tree, iri_str_t octets, size_t *way)
{
    size_t i;

    *way = 0;

    for (i = 0; i < tree->charsets.count; i++) {
        if (iri_is_text_in(tree->charsets.at[i], octets)) {
            *way = 2 * i;

            if (iri_charset_is_percent(tree->charsets.at[i])) {
                *way += iri_escapes_case(octets) == IRI_DIGITS_UPPER;
            }

            return iri_is_inert_in(tree->charsets.at[i], octets);
        }
    }

    return 1;
}


/* ---- encoding ------------------------------------------------------------ */

#define IRI_MAX_DECOMPOSED 32 /* characters in the NFD of a character */

/*
 * Encode a composed character that the charset does not have as another base
 * and combining marks: U+1EA5 is U+00E2 U+0301 in windows-1258.
 */
static iri_status_t
iri_put_decomposed(const iri_env_t *env, const iri_charset_t *charset,
                   iri_str_t character, iri_buf_t *out, int *written)
{
    iri_buf_t            nfd = IRI_BUF_EMPTY;
    const unsigned char *p, *end;
    uint32_t             c[IRI_MAX_DECOMPOSED], joined;
    unsigned char        octets[4];
    size_t               n, i, k, count = 0;
    iri_status_t         status;

    *written = 0;

    status = iri_nfd_put(env, character, &nfd);
    if (status != IRI_OK) {
        return status;
    }

    p = nfd.data;
    end = nfd.data + nfd.len;

    while (p < end && count < IRI_MAX_DECOMPOSED) {
        p += iri_utf8_next(p, end, &c[count++]);
    }

    if (p < end || count < 2) {
        return IRI_OK;
    }

    /* Compose the base with each mark if the charset has the result. */
    for (i = 1; i < count; i++) {
        status = iri_compose(c[0], c[i], &joined);
        if (status != IRI_OK) {
            return status;
        }

        if (joined != 0 && iri_charset_put(charset, joined, octets) != 0) {
            c[0] = joined;
            memmove(&c[i], &c[i + 1], (count - i - 1) * sizeof(c[0]));
            count--;
            i--;
        }
    }

    for (k = 0; k < count; k++) {
        n = iri_charset_put(charset, c[k], octets);
        if (n == 0) {
            return IRI_OK;
        }

        status = iri_buf_put(env, out, octets, n);
        if (status != IRI_OK) {
            return status;
        }
    }

    *written = 1;

    return IRI_OK;
}


/*
 * Encode characters in a charset. *written is 0 if the charset cannot encode
 * all of them. *exact is 1 if none was decomposed and all are allowed, so that
 * the charset decodes these octets to the same characters.
 */
static iri_status_t
iri_charset_write(const iri_env_t *env, const iri_charset_t *charset,
                  iri_str_t name, iri_buf_t *out, int *written, int *exact)
{
    const unsigned char *p = name.data, *end = name.data + name.len;
    unsigned char        octets[4];
    iri_str_t            character;
    iri_status_t         status = iri_buf_room(env, out, name.len);
    uint32_t             c;
    size_t               n;

    *written = 1;
    *exact = 1;

    while (status == IRI_OK && *written && p < end) {
        if (*p < 0x80) {
            status = iri_buf_putc(env, out, *p++);
            continue;
        }

        character.data = p;
        character.len = iri_utf8_next_quick(p, end, &c);
        n = character.len != 0 ? iri_charset_put(charset, c, octets) : 0;

        if (n != 0) {
            *exact &= iri_char_allowed(c, 1);
            status = iri_buf_put(env, out, octets, n);

        } else if (character.len != 0) {
            *exact = 0;
            status = iri_put_decomposed(env, charset, character, out,
                                        written);
        } else {
            *written = 0;
        }

        p += character.len;
    }

    return status;
}


/* Return 1 if the settings of the tree allow names in the k-th way. */
static int
iri_is_way_used(const iri_tree_conf_t *tree, size_t k)
{
    switch (tree->names) {
    case IRI_FILENAME_NFC:
        return k % 2 == 0;

    case IRI_FILENAME_NFD:
        return k % 2 == 1;

    default:
        return k % 2 == 0 || (tree->match & IRI_FOLD_NORMALIZATION) != 0;
    }
}


int
iri_is_same_on_disk(unsigned match, iri_str_t name)
{
    return iri_str_is_ascii(name)
           && ((match & IRI_FOLD_PERCENT) == 0 || name.len == 0
               || memchr(name.data, '%', name.len) == NULL);
}


/*
 * As iri_name_write(), in the charset percent, which is the first one. k: 0:
 * with lower-case digits; 1: with upper-case digits, if that gives other octets.
 */
static iri_status_t
iri_percent_write(const iri_env_t *env, const iri_tree_conf_t *tree,
                  iri_str_t name, size_t k, iri_buf_t *out, int *written)
{
    static const char digits[2][17] = { "0123456789abcdef",
                                        "0123456789ABCDEF" };
    unsigned char     escape[3] = { '%', 0, 0 };
    iri_buf_t         nfd = IRI_BUF_EMPTY;
    iri_status_t      status = IRI_OK;
    iri_str_t         text = name;
    size_t            i, index;

    if (tree->names == IRI_FILENAME_NFD) {
        status = iri_nfd_put(env, name, &nfd);
        text = iri_buf_str(&nfd);
    }

    for (i = 0; status == IRI_OK && i < text.len; i++) {
        escape[1] = (unsigned char) digits[k][text.data[i] >> 4];
        escape[2] = (unsigned char) digits[k][text.data[i] & 15];
        status = text.data[i] >= 0x80 || text.data[i] == '%'
                     ? iri_buf_put(env, out, escape, 3)
                     : iri_buf_putc(env, out, text.data[i]);
    }

    return status == IRI_OK && (k == 0 || iri_escapes_case(iri_buf_str(out)))
               ? iri_entry_is_named(env, tree, iri_buf_str(out), name, &index,
                                    written)
               : status;
}


/*
 * Return 1 if octets that the first charset wrote are known to be read as the
 * same name. The NFC of a name's NFD is the name, unless the octets are longer
 * than a segment may be, or so many marks follow each other that they are not
 * normalized (IRI_MAX_MARKS).
 */
static int
iri_is_known_to_read_back(const iri_tree_conf_t *tree, size_t k,
                          iri_str_t octets)
{
    const iri_charset_t *charset = tree->charsets.at[0];
    const unsigned char *p = octets.data, *end = octets.data + octets.len;
    uint32_t             c;
    size_t marks = 0, least = iri_charset_is_utf8(charset) ? 2 : 1;

    if (k > 1 || octets.len > IRI_MAX_SEGMENT) {
        return 0;
    }

    /* NFC, or too short for so many marks of at least `least` octets. */
    if (k == 0 || octets.len <= IRI_MAX_MARKS * least) {
        return 1;
    }

    while (p < end) {
        p += iri_charset_next(charset, p, end, &c);
        marks = iri_char_is_mark(c) ? marks + 1 : 0;

        if (marks > IRI_MAX_MARKS) {
            return 0;
        }
    }

    return 1;
}


/*
 * Write name in the k-th way. text: name or its NFD. *written is 0 if the
 * charset cannot encode text, or if the tree reads the octets as another name:
 * by an earlier charset, or because text in NFD has too many marks to be
 * normalized.
 */
static iri_status_t
iri_text_write(const iri_env_t *env, const iri_tree_conf_t *tree,
               iri_str_t name, size_t k, iri_str_t text, iri_buf_t *out,
               int *written)
{
    const iri_charset_t *charset = tree->charsets.at[k / 2];
    iri_status_t         status;
    size_t               index;
    int                  exact;

    if (iri_charset_is_utf8(charset)) {
        *written = exact = 1;
        status = iri_buf_put(env, out, text.data, text.len);

    } else {
        status = iri_charset_write(env, charset, text, out, written, &exact);
    }

    if (status != IRI_OK || !*written
        || (exact && iri_is_known_to_read_back(tree, k, iri_buf_str(out))))
    {
        return status;
    }

    return iri_entry_is_named(env, tree, iri_buf_str(out), name, &index,
                              written);
}


iri_status_t
iri_name_write(const iri_env_t *env, const iri_tree_conf_t *tree,
               iri_str_t name, size_t k, iri_buf_t *out, int *written)
{
    iri_buf_t    nfd = IRI_BUF_EMPTY;
    iri_status_t status;

    *written = 0;
    out->len = 0;

    if (iri_charset_is_percent(tree->charsets.at[k / 2])) {
        return iri_percent_write(env, tree, name, k, out, written);
    }

    if (!iri_is_way_used(tree, k)) {
        return IRI_OK;
    }

    /* The most frequent case. */
    if (k == 0 && iri_charset_is_utf8(tree->charsets.at[0])) {
        *written = 1;
        return iri_buf_put(env, out, name.data, name.len);
    }

    if (k % 2 == 0) {
        return iri_text_write(env, tree, name, k, name, out, written);
    }

    status = iri_nfd_put(env, name, &nfd);

    /* If NFD is the same as NFC, way k - 1 writes the same octets. */
    if (status != IRI_OK
        || (tree->names == IRI_FILENAME_ANY
            && iri_str_equal(iri_buf_str(&nfd), name)))
    {
        return status;
    }

    return iri_text_write(env, tree, name, k, iri_buf_str(&nfd), out,
                          written);
}


iri_status_t
iri_name_octets(const iri_env_t *env, const iri_tree_conf_t *tree,
                iri_str_t name, size_t k, iri_str_t *octets)
{
    iri_buf_t    out = IRI_BUF_EMPTY;
    int          written;
    iri_status_t status = iri_name_write(env, tree, name, k, &out, &written);

    if (status == IRI_OK && !written) {
        out.len = 0;
    }

    if (status == IRI_OK) {
        *octets = iri_buf_str(&out);
    }

    return status;
}


/* ---- JIS vendor variants ------------------------------------------------- */

/*
 * Return 1 if a character of a vendor pair may start at p: in UTF-8 these start
 * with C2, E2 80, E2 88, E3 80, EF BC, EF BD 9E or EF BF.
 */
static int
iri_may_vary(const unsigned char *p, const unsigned char *end)
{
    if (*p < 0xe2) {
        return *p == 0xc2;
    }

    if (end - p < 3 || (*p != 0xe2 && *p != 0xe3 && *p != 0xef)) {
        return 0;
    }

    return *p == 0xe2     ? p[1] == 0x80 || p[1] == 0x88
           : *p == 0xe3   ? p[1] == 0x80
           : p[1] == 0xbd ? p[2] == 0x9e
                          : p[1] == 0xbc || p[1] == 0xbf;
}


int
iri_name_may_vary(iri_str_t name)
{
    const unsigned char *p = name.data, *end = name.data + name.len;

    while (p < end) {
        if (iri_is_graphic_eight(p, end)) {
            p += 8;
            continue;
        }

        if (*p >= 0xc2 && iri_may_vary(p, end)) {
            return 1;
        }

        p++;
    }

    return 0;
}


/* Replace the characters of vendor pairs. The result may not be in NFC. */
static iri_status_t
iri_variants_put(const iri_env_t *env, iri_str_t name, int jis,
                 iri_buf_t *out)
{
    const unsigned char *p = name.data, *end = name.data + name.len;
    unsigned char        utf8[4];
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_utf8_next(p, end, &c);
        if (n == 0) {
            return IRI_OK;
        }

        status = iri_buf_put(env, out, utf8,
                             iri_utf8_put(iri_jis_variant(c, jis), utf8));
    }

    return status;
}


iri_status_t
iri_name_variant(const iri_env_t *env, iri_str_t name, int jis,
                 iri_buf_t *out, int *differs)
{
    iri_source_t source = { { 0, NULL }, NULL, 0, 0 };
    iri_buf_t    replaced = IRI_BUF_EMPTY;
    iri_status_t status;
    iri_why_t    why;

    out->len = 0;
    *differs = 0;

    status = iri_variants_put(env, name, jis, &replaced);
    if (status != IRI_OK) {
        return status;
    }

    /* NFC may compose them: U+2225 U+0338, but not U+2016 U+0338. */
    source.octets = iri_buf_str(&replaced);

    status = iri_segment_read(env, &iri_charset_utf8, &source, 0,
                              replaced.len, out, NULL, &why);

    *differs = why == IRI_WHY_READ && !iri_str_equal(iri_buf_str(out), name);

    return status;
}
