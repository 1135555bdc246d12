/*
 * iri_unicode.h - UTF-8, normalization, keys for comparing and sorting names
 *
 * Characters and their properties, for the other layers of the core.  charset/
 * decodes the octets of other charsets.
 */

#ifndef IRI_UNICODE_H
#define IRI_UNICODE_H

#include "base/iri_string.h"

#pragma GCC visibility push(hidden)


/* ---- UTF-8 --------------------------------------------------------------- */

/*
 * Decode the character at p, strictly: no overlong form, no surrogate, nothing
 * above 10FFFF.
 * Returns: number of octets; 0: no character begins at p.
 */
size_t iri_utf8_next(const unsigned char *p, const unsigned char *end,
                     uint32_t *c);

/* Encode c, which must be valid.  Returns: number of octets. */
size_t iri_utf8_put(uint32_t c, unsigned char out[4]);

/*
 * Recognize the characters of most names, which a path may contain, which are
 * inert under NFC, and which are neither marks nor bidi controls: graphic
 * ASCII, Latin from U+00C0 to U+02FF, U+0400 to U+047F, kana without the
 * combining sound marks, ideographs from U+5000 on, and Hangul from U+B000 to
 * U+CFFF.
 * Returns: number of octets of the character at p (p < end); 0: any other
 * character, or not UTF-8.
 */
static inline size_t
iri_utf8_quick(const unsigned char *p, const unsigned char *end)
{
    if (p[0] < 0x80) {
        return p[0] >= 0x20 && p[0] != 0x7f;
    }

    if (p[0] < 0xe0) {
        return end - p >= 2 && (p[1] & 0xc0) == 0x80
                       && ((p[0] >= 0xc3 && p[0] <= 0xcb) || p[0] == 0xd0
                           || p[0] == 0xd1)
                   ? 2
                   : 0;
    }

    return end - p >= 3 && (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80
                   && ((p[0] >= 0xe5 && p[0] <= 0xec && p[0] != 0xea)
                       || (p[0] == 0xe3
                           && (p[1] == 0x81 || p[1] == 0x83
                               || (p[1] == 0x82 && p[2] != 0x99
                                   && p[2] != 0x9a))))
               ? 3
               : 0;
}

/* As iri_utf8_next(), faster for the characters of iri_utf8_quick(). */
static inline size_t
iri_utf8_next_quick(const unsigned char *p, const unsigned char *end,
                    uint32_t *c)
{
    size_t n = iri_utf8_quick(p, end);

    switch (n) {
    case 1:
        *c = p[0];
        return n;

    case 2:
        *c = (uint32_t) (p[0] & 0x1f) << 6 | (p[1] & 0x3fu);
        return n;

    case 3:
        *c = (uint32_t) (p[0] & 0x0f) << 12 | (uint32_t) (p[1] & 0x3f) << 6
             | (p[2] & 0x3fu);
        return n;

    default:
        return iri_utf8_next(p, end, c);
    }
}

int iri_hex(unsigned char c);   /* value of a hexadecimal digit; -1: none */

/*
 * Decode one octet of a percent-encoded text.
 * Returns: 3 for an escape, 1 for any other octet, 0 for a malformed escape.
 */
size_t iri_unescape(const unsigned char *p, const unsigned char *end,
                    unsigned char *octet);

/* Returns: 1 if text has an escape of an octet above 7F, as "%E9"; else 0. */
int iri_has_escaped_octet(iri_str_t text);

/*
 * Decode one character above U+007F at p, whose octets of UTF-8 are raw,
 * percent-encoded or both.  *c: the character; octets, *len: its UTF-8.
 * Returns: the length of the character in the text, in octets; 0 if there is no
 * such character at p, and *c and *len then have no meaning.
 * "%C3\xA9x" -> U+00E9, 4
 */
size_t iri_character_at(const unsigned char *p, const unsigned char *end,
                        uint32_t *c, unsigned char octets[4], size_t *len);


/* ---- characters, normalization ------------------------------------------- */

/* May a segment contain c?  legacy: 1 if it was not decoded from UTF-8. */
int iri_char_allowed(uint32_t c, int legacy);

/* Bidi_Control: LRM, RLM, ALM, embeddings, overrides, isolates (draft 4.1) */
int iri_char_is_bidi_control(uint32_t c);

/*
 * Returns: 1 if c, a code point, is a ucschar of RFC 3987, 2.2, and no bidi
 * formatting character (draft 4.1).  U+00E9 -> 1; U+E000, U+200E -> 0
 */
int iri_char_is_ucs(uint32_t c);

/*
 * Is the invisible character c part of the spelling: a joiner or non-joiner
 * beside a virama, a non-joiner between letters that join (RFC 5892, A.1 and
 * A.2), or a joiner or U+FE0F in an emoji (UTS #51)?
 * before, after: its neighbours; 0: none.
 * Returns: 1 or 0.
 * U+06CC, U+200C, U+062E -> 1; 'a', U+200D, 'b' -> 0
 */
int iri_is_orthographic(uint32_t before, uint32_t c, uint32_t after);

/*
 * May a joiner or non-joiner between these characters be omitted?
 * Returns: 1 if both are letters or marks of one script, which is Arabic or one
 * of India and Sri Lanka; else 0.
 * U+06CC, U+062E -> 1; U+06CC, '.' -> 0
 */
int iri_joiner_is_optional(uint32_t before, uint32_t after);

/*
 * Is c inert under NFC: NFC_Quick_Check=Yes and combining class 0?  Text of
 * such characters is in NFC.  Only the scripts of most names are listed.  For
 * any other character 0 only costs time.
 */
static inline int
iri_char_is_inert(uint32_t c)
{
    if (c < 0x0300 || (c >= 0x4e00 && c <= 0x9fff)) {
        return 1;
    }

    if (c < 0x0388) {
        return 0;
    }

    if (c < 0x3000) {
        return c <= 0x0482 /* Greek, Cyrillic */
               || (c >= 0x048a && c <= 0x052f)
               || (c >= 0x05d0 && c <= 0x05ea)  /* Hebrew letters */
               || (c >= 0x0620 && c <= 0x064a)  /* Arabic letters */
               || (c >= 0x0e01 && c <= 0x0e37)  /* Thai up to sara uee */
               || (c >= 0x1e00 && c <= 0x1eff); /* Latin, Vietnamese too */
    }

    return (c >= 0x3001 && c <= 0x3029)
           || (c >= 0x3030 && c <= 0x3098) /* kana without sound marks */
           || (c >= 0x309b && c <= 0x33ff)
           || (c >= 0xac00 && c <= 0xd7a3) /* Hangul syllables */
           || (c >= 0xff01 && c <= 0xffee);
}

/* Is there an NFC boundary before c, so that c composes with nothing before? */
int iri_char_has_boundary_before(uint32_t c);

/* Is c a combining mark: combining class other than 0? */
int iri_char_is_mark(uint32_t c);

/*
 * Append run in NFC.  U+037E, U+1FEF and U+212A are copied, and compose with
 * nothing.
 * run: at most IRI_MAX_SEGMENT characters of valid UTF-8.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED, IRI_SEGMENT_TOO_LONG.
 */
iri_status_t iri_nfc_put(const iri_env_t *env, iri_str_t run, iri_buf_t *out);

/*
 * As iri_nfc_put(), but a piece with more than IRI_MAX_MARKS marks in a row or
 * more than IRI_MAX_SEGMENT characters is appended unchanged.
 * piece: valid UTF-8 that ends at an NFC boundary.
 */
iri_status_t iri_nfc_put_piece(const iri_env_t *env, iri_str_t piece,
                           iri_buf_t *out);

/* Characters that NFC may compose, collected one by one. */
typedef struct {
    size_t    base;   /* offset in the source of the first character if it is
                         ASCII, which stays as sent unless it is composed;
                         IRI_NO_BASE: it is not ASCII */
    iri_buf_t run;    /* the characters in UTF-8 */
    iri_buf_t nfc;    /* run, normalized */
} iri_nfc_run_t;

#define IRI_NO_BASE ((size_t) -1)
#define IRI_RUN_EMPTY { IRI_NO_BASE, IRI_BUF_EMPTY, IRI_BUF_EMPTY }

/* A run in NFC. */
typedef struct {
    size_t    base;      /* offset in the source of an ASCII character to be
                            written before rest; IRI_NO_BASE: there is none, or
                            it was composed and is in rest */
    iri_str_t rest;      /* in NFC; valid until the next iri_nfc_run_end() */
    int       changed;   /* 1: the run was not in NFC */
} iri_nfc_run_result_t;

/* Normalize a run with at least one character that is not ASCII. */
iri_status_t iri_nfc_run_normalize(const iri_env_t *env, iri_nfc_run_t *run,
                               iri_status_t (*put)(const iri_env_t *,
                                                   iri_str_t, iri_buf_t *),
                               iri_nfc_run_result_t *out);

/* Add a character whose octets in the source begin at offset i. */
static inline iri_status_t
iri_nfc_run_add(const iri_env_t *env, iri_nfc_run_t *run, size_t i, uint32_t c)
{
    unsigned char utf8[4];

    if (c < 0x80) {
        run->base = i;
        return iri_buf_putc(env, &run->run, (unsigned char) c);
    }

    return iri_buf_put(env, &run->run, utf8, iri_utf8_put(c, utf8));
}

/*
 * Normalize a run and empty it.  A run of one ASCII character is not changed by
 * NFC.
 * put: iri_nfc_put() or iri_nfc_put_piece().
 * Returns: the status of put.
 */
static inline iri_status_t
iri_nfc_run_end(const iri_env_t *env, iri_nfc_run_t *run,
            iri_status_t (*put)(const iri_env_t *, iri_str_t, iri_buf_t *),
            iri_nfc_run_result_t *out)
{
    iri_status_t status = IRI_OK;

    out->base = run->base;
    out->rest.len = 0;
    out->rest.data = NULL;
    out->changed = 0;

    if (run->run.len > (size_t) (run->base != IRI_NO_BASE)) {
        status = iri_nfc_run_normalize(env, run, put, out);
    }

    run->base = IRI_NO_BASE;
    run->run.len = 0;

    return status;
}

/*
 * Append a text of any length, piece by piece, with the limits of
 * iri_nfc_put_piece().  compose: 1: in NFC; 0: in NFD.
 */
iri_status_t iri_normalize_text(const iri_env_t *env, iri_str_t text,
                                int compose, iri_buf_t *out);
iri_status_t iri_nfc_put_text(const iri_env_t *env, iri_str_t text,
                          iri_buf_t *out);

/* Append run in NFD, with the exceptions of iri_nfc_put(). */
iri_status_t iri_nfd_put(const iri_env_t *env, iri_str_t run, iri_buf_t *out);

/*
 * Compose base and mark (composePair of ICU's Normalizer2).
 * *c: the character; 0: they do not compose.
 * Returns: IRI_OK; IRI_ICU_FAILED.
 */
iri_status_t iri_compose(uint32_t base, uint32_t mark, uint32_t *c);

/* Is ICU's normalization data available? */
int iri_norm_ready(void);


/* ---- loading ICU --------------------------------------------------------- */

/*
 * Load the data of ICU, and keep its libraries loaded until the process ends.
 * Returns: 0: data are missing.
 */
int iri_icu_load(void);


/* ---- texts of any length ------------------------------------------------- */

/*
 * Returns: the first piece of a text in UTF-8, which ends before the next
 * character (not the first) for which starts returns 1.
 */
iri_str_t iri_text_piece(iri_str_t text, int (*starts)(uint32_t c));


/* ---- JIS vendor pairs ---------------------------------------------------- */

/*
 * Returns: of the JIS vendor pair that contains c, the character of JIS if jis
 * is 1, that of the vendors if it is 0; c if no pair contains c.
 */
uint32_t iri_jis_variant(uint32_t c, int jis);


/* ---- keys that ignore differences ---------------------------------------- */

/*
 * Append the key of a name.  Names that differ only in the differences of match
 * have the same key.
 *
 *   match   IRI_FOLD_...; SPELLING has no effect
 *   name    canonical, UTF-8
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_fold(const iri_env_t *env, unsigned match, iri_str_t name,
                      iri_buf_t *out);

/*
 * In a key, from offset `from` on, replace letters (LATIN) and punctuation
 * (PUNCTUATION) by ASCII, variants of letters (ARABIC, ROMANIAN) by one of
 * them, and remove joiners (JOINERS).  The key does not become longer.
 */
void iri_fold_plain(unsigned match, iri_buf_t *key, size_t from);

/*
 * As iri_fold(), for octets on disk that need not be a canonical name in UTF-8.
 * *canonical: 1: they are, and the key is appended; 0: not known, and nothing
 * is appended.
 */
iri_status_t iri_fold_canonical(const iri_env_t *env, unsigned match,
                                iri_str_t octets, iri_buf_t *out,
                                int *canonical);

/*
 * Find the difference between two names.
 * *level: NORMALIZATION: the names are equal; NONE: their keys differ; else the
 * first level of match at which their keys are equal.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_fold_level(const iri_env_t *env, unsigned match, iri_str_t a,
                            iri_str_t b, iri_match_t *level);

/* The grapheme clusters of a key; reused for one key after another. */
typedef struct {
    void         *iterator;               /* of ICU; NULL until it is needed */
    size_t        count;                  /* number of clusters */
    size_t        stem;                   /* number of clusters before the last
                                             ".", which may be edited */
    uint16_t      at[IRI_MAX_SEGMENT + 1]; /* offset of each, and of the end */
    unsigned char digit[IRI_MAX_SEGMENT];  /* 1: this cluster has a digit */
} iri_graphemes_t;

void iri_graphemes_init(iri_graphemes_t *graphemes);
void iri_graphemes_free(iri_graphemes_t *graphemes);

/*
 * Split a key into clusters.
 * *applies: 0: no edit of this name is ignored (too short, hidden, too long).
 * Returns: IRI_OK; IRI_ICU_FAILED.
 */
iri_status_t iri_graphemes_split(iri_graphemes_t *graphemes, iri_str_t key,
                                 int *applies);

/*
 * Append the key without its cluster i.
 *
 *   key        as passed to iri_graphemes_split()
 *   left_out   0: cluster i may not be edited, and nothing is appended
 *
 * Returns: IRI_OK; IRI_NO_MEMORY.
 */
iri_status_t iri_graphemes_put_without(const iri_env_t *env,
                                       const iri_graphemes_t *graphemes,
                                       iri_str_t key, size_t i,
                                       iri_buf_t *out, int *left_out);

/*
 * Do two keys differ by one edit (iri_edit.c)?  *one: 1 or 0.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_edit_differ_by_one(const iri_env_t *env, iri_str_t a,
                                    iri_str_t b, int *one);


/* ---- the order of names -------------------------------------------------- */

#define IRI_MAX_KEY 2049   /* octets of a sort key with its NUL; a longer key
                              is cut */

struct UCollator;          /* of ICU */

/* Open and close the collator of a thread.  IRI_OK; IRI_ICU_FAILED. */
iri_status_t iri_collator_open(struct UCollator **collator);
void iri_collator_close(struct UCollator *collator);

/*
 * Is ICU's collation data available?  It stays loaded for all processes and
 * threads that start later.
 */
int iri_collate_ready(void);

/*
 * Compute the sort key of a name, to be compared by strcmp.
 *
 *   name   valid UTF-8, not empty
 *   size   octets of key with its final NUL
 *
 * Returns: IRI_OK; IRI_ICU_FAILED.
 */
iri_status_t iri_collate(const struct UCollator *collator, iri_str_t name,
                         unsigned char key[IRI_MAX_KEY], size_t *size);


#pragma GCC visibility pop

#endif /* IRI_UNICODE_H */
