/*
 * iri_fold.c - folding keys: names without the differences that are ignored
 *
 * Names that differ only in differences that iri_match ignores have the same
 * key.  Keys are compared with keys.  They are never opened, shown or sent: in
 * a key a full-width solidus may become "/", which no entry has in its name.
 *
 * The levels, in their order: JIS vendor pairs and other variants; the
 * compatibility mappings <wide> and <narrow> of Unicode; punctuation; full case
 * folding as for canonical caseless matching (Unicode 3.13, D145); nonspacing
 * marks after letters of Latin, Greek and Cyrillic, with LATIN also letters
 * that have none.  iri_fold_plain.c has the variants of letters, punctuation
 * and LATIN.  No level removes invisible characters, except JOINERS a joiner
 * between letters.
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include "unicode/iri_units.h"

/* The levels, weakest first. */
static const struct {
    unsigned    ignored;
    iri_match_t match;
} iri_fold_levels[] = {
    { IRI_FOLD_VARIANTS | IRI_FOLD_LETTERS, IRI_MATCH_VARIANTS },
    { IRI_FOLD_WIDTH, IRI_MATCH_WIDTH },
    { IRI_FOLD_PUNCTUATION, IRI_MATCH_PUNCTUATION },
    { IRI_FOLD_CASE | IRI_FOLD_TURKIC, IRI_MATCH_CASE },
    { IRI_FOLD_ACCENTS | IRI_FOLD_GERMAN | IRI_FOLD_LATIN,
      IRI_MATCH_ACCENTS },
};


static iri_status_t iri_fold_by_icu(const iri_env_t *env, unsigned match,
                                    iri_str_t name, iri_buf_t *out);


/* ---- without ICU --------------------------------------------------------- */

/*
 * Does c stay as it is in every key, whatever its neighbours: kana without
 * combining sound marks, ideographs, Hangul syllables?
 */
static int
iri_fold_keeps(uint32_t c)
{
    return (c >= 0x3041 && c <= 0x3096) || (c >= 0x30a1 && c <= 0x30fe)
           || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff)
           || (c >= 0xac00 && c <= 0xd7a3);
}


/*
 * A cache of the keys of single characters, which ICU computes.  The ranges
 * contain characters whose keys are short and do not depend on the neighbours:
 * letters of Latin, Greek, Cyrillic and Armenian, full-width forms, and
 * half-width katakana without the sound marks.  A slot holds the key and, in
 * its last octet, 0x80 and the length; 0: empty.  Two threads may fill a slot
 * at the same time, with the same value.
 */
static const struct {
    uint32_t from;
    uint32_t to;
} iri_key_ranges[] = { { 0x00a1, 0x02ff },
                       { 0x0370, 0x0482 },
                       { 0x048a, 0x0587 },
                       { 0x1e00, 0x1fff },
                       { 0xff01, 0xff9d } };

#define IRI_KEY_SLOTS  (0x25f + 0x113 + 0xfe + 0x200 + 0x9d)
#define IRI_KEY_TABLES 16 /* 2^4: VARIANTS, WIDTH, CASE, ACCENTS */
#define IRI_KEY_OCTETS 7  /* octets of a cached key */

struct iri_fold_keys_s {
    uint64_t slot[IRI_KEY_TABLES][IRI_KEY_SLOTS];
};


iri_fold_keys_t *
iri_fold_keys_create(const iri_env_t *env)
{
    iri_fold_keys_t *keys = env->alloc(env->ctx, sizeof(*keys));

    if (keys != NULL) {
        memset(keys, 0, sizeof(*keys));
    }

    return keys;
}


/* The slot of a character; IRI_KEY_SLOTS: it has none. */
static size_t
iri_key_slot(uint32_t c)
{
    size_t i, at = 0;

    for (i = 0; i < sizeof(iri_key_ranges) / sizeof(iri_key_ranges[0]); i++) {
        if (c < iri_key_ranges[i].from) {
            break;
        }

        if (c <= iri_key_ranges[i].to) {
            return at + (c - iri_key_ranges[i].from);
        }

        at += iri_key_ranges[i].to - iri_key_ranges[i].from + 1;
    }

    return IRI_KEY_SLOTS;
}


static size_t
iri_key_table(unsigned match)
{
    return (match & IRI_FOLD_VARIANTS ? 1 : 0)
           | (match & IRI_FOLD_WIDTH ? 2 : 0)
           | (match & IRI_FOLD_CASE ? 4 : 0)
           | (match & IRI_FOLD_ACCENTS ? 8 : 0);
}


/*
 * Get the value of a character's slot, which is filled if it was empty.
 * *key_slot 0: the character has no slot.
 */
static iri_status_t
iri_key_get(const iri_env_t *env, unsigned match, iri_str_t character,
            uint32_t c, uint64_t *key_slot)
{
    iri_buf_t     key = IRI_BUF_EMPTY;
    uint64_t     *slot;
    unsigned char octets[8];
    iri_status_t  status;
    size_t        at = iri_key_slot(c);

    *key_slot = 0;
    if (at == IRI_KEY_SLOTS || env->fold_keys == NULL) {
        return IRI_OK;
    }

    slot = &env->fold_keys->slot[iri_key_table(match)][at];
    *key_slot = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (*key_slot != 0) {
        return IRI_OK;
    }

    status = iri_fold_by_icu(env, match, character, &key);
    if (status != IRI_OK || key.len == 0 || key.len > IRI_KEY_OCTETS) {
        return status;
    }

    memset(octets, 0, sizeof(octets));
    memcpy(octets, key.data, key.len);
    octets[IRI_KEY_OCTETS] = (unsigned char) (0x80 | key.len);
    memcpy(key_slot, octets, sizeof(*key_slot));
    __atomic_store_n(slot, *key_slot, __ATOMIC_RELAXED);

    return IRI_OK;
}


/*
 * Write the key of one character to `to`, which has room for a slot.
 * *len: octets of the key; 0: it is not cached.
 */
static iri_status_t
iri_key_put(const iri_env_t *env, unsigned match, iri_str_t character,
            uint32_t c, unsigned char *to, size_t *len)
{
    uint64_t     key_slot;
    iri_status_t status;

    if (iri_fold_keeps(c)) {
        *len = 3; /* octets of each of these characters in UTF-8 */
        memcpy(to, character.data, 3);
        return IRI_OK;
    }

    status = iri_key_get(env, match, character, c, &key_slot);

    if (status == IRI_OK) {
        memcpy(to, &key_slot, sizeof(key_slot));
        *len = to[IRI_KEY_OCTETS] & 0x7f;
    }

    return status;
}


/* As iri_key_put(), for the character that begins at character->data. */
static iri_status_t
iri_key_put_next(const iri_env_t *env, unsigned match, iri_str_t *character,
                 const unsigned char *end, unsigned char *to, size_t *len)
{
    uint32_t c;

    *len = 0;
    character->len = iri_utf8_next_quick(character->data, end, &c);

    return character->len != 0
               ? iri_key_put(env, match, *character, c, to, len)
               : IRI_OK;
}


/* Copy eight octets of ASCII; lower: 1: in lower case. */
static inline void
iri_lower_put(const unsigned char *p, int lower, unsigned char *to)
{
    uint64_t word;

    memcpy(&word, p, sizeof(word));
    word = lower ? iri_lower_eight(word) : word;
    memcpy(to, &word, sizeof(word));
}


/*
 * Append the key of a name from the keys of its characters.
 *
 *   strict   1: accept only characters that iri_utf8_quick() recognizes
 *   done     0: a character is not cached or not accepted; nothing is appended
 */
static iri_status_t
iri_fold_cached(const iri_env_t *env, unsigned match, iri_str_t name,
                int strict, iri_buf_t *out, int *done)
{
    const unsigned char *p = name.data, *end = name.data + name.len;
    unsigned char       *to;
    iri_str_t            character;
    iri_status_t         status;
    size_t               n, len;
    int                  lower = (match & IRI_FOLD_CASE) != 0;

    *done = 0;
    if ((match & (IRI_FOLD_TURKIC | IRI_FOLD_GERMAN)) != 0) {
        return IRI_OK;
    }

    /* No cached key is longer than four times its character. */
    status = name.len <= IRI_MAX_SEGMENT
                 ? iri_buf_reserve(env, out, 4 * name.len + sizeof(uint64_t))
                 : IRI_OK;
    if (status != IRI_OK || name.len > IRI_MAX_SEGMENT) {
        return status;
    }

    for (to = out->data + out->len; p < end; p += n, to += len) {
        if (iri_is_graphic_eight(p, end)) {
            iri_lower_put(p, lower, to);
            n = len = 8;
            continue;
        }

        n = len = iri_utf8_quick(p, end);

        if (n == 1) {
            *to = lower ? iri_lower(*p) : *p;

        } else if (n == 3) {
            memcpy(to, p, 3); /* kana, ideographs, Hangul: not folded */

        } else if (n == 0 && strict) {
            return IRI_OK;

        } else if (*p < 0x80) {
            *to = *p; /* a control character */
            n = len = 1;

        } else {
            character.data = p;
            status = iri_key_put_next(env, match, &character, end, to, &len);
            if (status != IRI_OK || len == 0) {
                return status;
            }

            n = character.len;
        }
    }

    out->len = (size_t) (to - out->data);
    *done = 1;

    return IRI_OK;
}


iri_status_t
iri_fold_canonical(const iri_env_t *env, unsigned match, iri_str_t octets,
                   iri_buf_t *out, int *canonical)
{
    size_t       from = out->len;
    iri_status_t status = iri_fold_cached(env, match, octets, 1, out,
                                          canonical);

    iri_fold_plain(match, out, from);

    return status;
}


/* Append the key of a name in ASCII, eight octets at a time. */
static iri_status_t
iri_fold_ascii(const iri_env_t *env, unsigned match, iri_str_t name,
               iri_buf_t *out)
{
    iri_status_t   status;
    unsigned char *p, *end;
    uint64_t       word;

    status = iri_buf_put(env, out, name.data, name.len);

    if (status != IRI_OK || (match & IRI_FOLD_CASE) == 0) {
        return status;
    }

    p = out->data + out->len - name.len;
    end = out->data + out->len;

    for (/* void */; end - p >= 8; p += 8) {
        memcpy(&word, p, 8);
        word = iri_lower_eight(word);
        memcpy(p, &word, 8);
    }

    for (/* void */; p < end; p++) {
        *p = iri_lower(*p);
    }

    return IRI_OK;
}


/* ---- characters ---------------------------------------------------------- */

/* The compatibility mapping of c if it is <wide> or <narrow>, else c. */
static uint32_t
iri_fold_width(uint32_t c, UErrorCode *error)
{
    const UNormalizer2 *nfkc;
    UChar               units[4];
    UChar32             mapped;
    int32_t             type, n;

    if (c != 0x3000 && (c < 0xff01 || c > 0xffee)) {
        return c;
    }

    type = u_getIntPropertyValue((UChar32) c, UCHAR_DECOMPOSITION_TYPE);
    if (type != U_DT_WIDE && type != U_DT_NARROW) {
        return c;
    }

    nfkc = unorm2_getNFKCInstance(error);
    n = U_SUCCESS(*error)
            ? unorm2_getRawDecomposition(nfkc, (UChar32) c, units, 4, error)
            : 0;

    if (U_FAILURE(*error) || n <= 0) {
        return c;
    }

    U16_GET(units, 0, 0, n, mapped);

    return (uint32_t) mapped;
}


/* The two letters that replace an umlaut in German; NULL: not an umlaut. */
static const char *
iri_fold_german(uint32_t c)
{
    switch (c) {
    case 0xe4:
        return "ae";
    case 0xf6:
        return "oe";
    case 0xfc:
        return "ue";
    case 0xc4:
        return "Ae";
    case 0xd6:
        return "Oe";
    case 0xdc:
        return "Ue";
    default:
        return NULL;
    }
}


/* Append c, mapped by TURKIC and GERMAN.  Returns: 0: no room. */
static int
iri_fold_locale(unsigned match, uint32_t c, iri_units_t *to)
{
    const char *letters;

    if ((match & IRI_FOLD_CASE) && (match & IRI_FOLD_TURKIC)) {
        c = c == 'I' ? 0x131 : c == 0x130 ? 'i' : c;
    }

    letters = (match & IRI_FOLD_ACCENTS) && (match & IRI_FOLD_GERMAN)
                  ? iri_fold_german(c)
                  : NULL;

    return letters != NULL
               ? iri_units_put(to, (unsigned char) letters[0])
                     && iri_units_put(to, (unsigned char) letters[1])
               : iri_units_put(to, c);
}


/* ---- strings ------------------------------------------------------------- */

/*
 * Convert a name to UTF-16 and fold vendor pairs and widths.
 * Returns: 0: the name is its own key.
 */
static int
iri_units_read(unsigned match, iri_str_t name, iri_units_t *to,
               UErrorCode *error)
{
    const unsigned char *p = name.data, *end = name.data + name.len;
    uint32_t             c;
    size_t               n, marks = 0;

    to->len = 0;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);
        marks = n != 0 && iri_char_is_mark(c) ? marks + 1 : 0;

        /* iri_read() does not normalize a name with so many marks either. */
        if (n == 0 || marks > IRI_MAX_MARKS) {
            return 0;
        }

        if (match & IRI_FOLD_VARIANTS) {
            c = iri_jis_variant(c, 0);
        }

        if (match & IRI_FOLD_WIDTH) {
            c = iri_fold_width(c, error);
        }

        if (!iri_units_put(to, c)) {
            return 0;
        }
    }

    return 1;
}


/* Map text in NFC by TURKIC and GERMAN.  Returns: 0: no room. */
static int
iri_units_map_locale(iri_units_t *s, unsigned match)
{
    iri_units_t from;
    UChar32     c;
    int32_t     i;

    if ((match & (IRI_FOLD_TURKIC | IRI_FOLD_GERMAN)) == 0) {
        return 1;
    }

    from.len = s->len;
    u_memcpy(from.units, s->units, s->len);
    s->len = 0;

    for (i = 0; i < from.len; /* void */) {
        U16_NEXT(from.units, i, from.len, c);

        if (!iri_fold_locale(match, (uint32_t) c, s)) {
            return 0;
        }
    }

    return 1;
}


static void
iri_units_fold_case(iri_units_t *s, UErrorCode *error)
{
    iri_units_t from;

    if (U_FAILURE(*error)) {
        return;
    }

    from.len = s->len;
    u_memcpy(from.units, s->units, s->len);
    s->len = u_strFoldCase(s->units, IRI_MAX_UNITS, from.units, from.len,
                           U_FOLD_CASE_DEFAULT, error);
}


/* Returns: 1 if marks after c are accents; 0: they are part of the letter. */
static int
iri_fold_takes_accents(UChar32 c, UErrorCode *error)
{
    UScriptCode script = uscript_getScript(c, error);

    return u_isalpha(c)
           && (script == USCRIPT_LATIN || script == USCRIPT_GREEK
               || script == USCRIPT_CYRILLIC);
}


/* Remove the nonspacing marks that are accents from text in NFD. */
static void
iri_units_drop_accents(iri_units_t *s, UErrorCode *error)
{
    UChar32 c;
    int32_t i, at, end = s->len;
    int     accents = 0;

    s->len = 0;

    for (i = 0; i < end && U_SUCCESS(*error); /* void */) {
        at = i;
        U16_NEXT(s->units, i, end, c);

        if (u_charType(c) != U_NON_SPACING_MARK) {
            accents = iri_fold_takes_accents(c, error);

        } else if (accents
                   && !u_hasBinaryProperty(
                       c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
        {
            continue;
        }

        u_memmove(s->units + s->len, s->units + at, i - at);
        s->len += i - at;
    }
}


/* Returns: 0: no room, so the name is its own key. */
static int
iri_units_fold(iri_units_t *s, unsigned match, UErrorCode *error)
{
    iri_units_normalize(s, 1, error);

    if (U_FAILURE(*error) || !iri_units_map_locale(s, match)) {
        return 0;
    }

    if (match & (IRI_FOLD_CASE | IRI_FOLD_ACCENTS)) {
        iri_units_normalize(s, 0, error);
    }

    /* Case folding turns the mark U+0345 into a letter, so drop it before. */
    if (match & IRI_FOLD_ACCENTS) {
        iri_units_drop_accents(s, error);
    }

    if (match & IRI_FOLD_CASE) {
        iri_units_fold_case(s, error);
        iri_units_normalize(s, 0, error);
    }

    if ((match & IRI_FOLD_CASE) && (match & IRI_FOLD_ACCENTS)) {
        iri_units_drop_accents(s, error);
    }

    iri_units_normalize(s, 1, error);

    return 1;
}


/* Append the key of any name, computed by ICU. */
static iri_status_t
iri_fold_by_icu(const iri_env_t *env, unsigned match, iri_str_t name,
                iri_buf_t *out)
{
    UErrorCode  error = U_ZERO_ERROR;
    iri_units_t s;
    int         folded;

    folded = name.len <= IRI_MAX_SEGMENT
             && iri_units_read(match, name, &s, &error)
             && iri_units_fold(&s, match, &error);

    if (U_FAILURE(error) && error != U_BUFFER_OVERFLOW_ERROR) {
        return IRI_ICU_FAILED;
    }

    return folded && U_SUCCESS(error)
               ? iri_units_write(env, &s, out)
               : iri_buf_put(env, out, name.data, name.len);
}


iri_status_t
iri_fold(const iri_env_t *env, unsigned match, iri_str_t name, iri_buf_t *out)
{
    unsigned     turkic = IRI_FOLD_CASE | IRI_FOLD_TURKIC;
    iri_status_t status;
    size_t       from = out->len;
    int          done;

    if ((match & turkic) != turkic && iri_path_is_ascii(name, 0)) {
        return iri_fold_ascii(env, match, name, out);
    }

    status = iri_fold_cached(env, match, name, 0, out, &done);

    if (status == IRI_OK && !done) {
        status = iri_fold_by_icu(env, match, name, out);
    }

    iri_fold_plain(match, out, from);

    return status;
}


/* ---- levels -------------------------------------------------------------- */

/* Do two names have the same key? */
static iri_status_t
iri_fold_is_same(const iri_env_t *env, unsigned match, iri_str_t a,
                 iri_str_t b, int *same)
{
    iri_buf_t    key_a = IRI_BUF_EMPTY, key_b = IRI_BUF_EMPTY;
    iri_status_t status;

    status = iri_fold(env, match, a, &key_a);

    if (status == IRI_OK) {
        status = iri_fold(env, match, b, &key_b);
    }

    *same = status == IRI_OK
            && iri_str_equal(iri_buf_str(&key_a), iri_buf_str(&key_b));

    return status;
}


/* Are two names ASCII and equal except for letter case? */
static int
iri_fold_is_ascii_case(unsigned match, iri_str_t a, iri_str_t b)
{
    uint64_t word_a, word_b;
    size_t   at, len;

    if ((match & IRI_FOLD_CASE) == 0 || (match & IRI_FOLD_TURKIC) != 0
        || a.len != b.len || !iri_path_is_ascii(a, 0))
    {
        return 0;
    }

    for (at = 0; at < a.len; at += len) {
        len = a.len - at < 8 ? a.len - at : 8;
        word_a = word_b = 0;
        memcpy(&word_a, a.data + at, len);
        memcpy(&word_b, b.data + at, len);

        if (iri_lower_eight(word_a) != iri_lower_eight(word_b)) {
            return 0;
        }
    }

    return 1;
}


iri_status_t
iri_fold_level(const iri_env_t *env, unsigned match, iri_str_t a, iri_str_t b,
               iri_match_t *level)
{
    iri_status_t status;
    unsigned     ignored = 0;
    size_t       i;
    int          same;

    *level = IRI_MATCH_NORMALIZATION;

    if (iri_str_equal(a, b)) {
        return IRI_OK;
    }

    if (iri_fold_is_ascii_case(match, a, b)) {
        *level = IRI_MATCH_CASE;
        return IRI_OK;
    }

    for (i = 0; i < sizeof(iri_fold_levels) / sizeof(iri_fold_levels[0]); i++)
    {
        if ((match & iri_fold_levels[i].ignored) == 0) {
            continue;
        }

        ignored |= match & iri_fold_levels[i].ignored;

        status = iri_fold_is_same(env, ignored, a, b, &same);

        if (status != IRI_OK || same) {
            *level = iri_fold_levels[i].match;
            return status;
        }
    }

    *level = IRI_MATCH_NONE;

    return IRI_OK;
}
