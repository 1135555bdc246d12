/*
 * iri_unicode.h - UTF-8, normalization, keys by which names are compared and sorted
 */

#ifndef IRI_UNICODE_H
#define IRI_UNICODE_H

#include "base/iri_base.h"

#pragma GCC visibility push(hidden)


/* ---- UTF-8 ----------------------------------------------------------------- */

/*
 * Strict: no overlong form, no surrogate, nothing above 10FFFF.  Octets
 * taken, 0 if p does not start a character.
 */
size_t iri_utf8_next(const unsigned char *p, const unsigned char *end,
                     uint32_t *c);
size_t iri_utf8_put(uint32_t c, unsigned char out[4]);   /* octets written */

/*
 * Octets of the character at p if it is one of those that most names are made
 * of and that need no closer look: allowed, inert, no mark, no bidi control.
 * 0: ask the functions for that.  Graphic ASCII; Latin from U+00C0 on, up to
 * U+02FF; U+0400 to U+047F; kana but the marks that may join them;
 * ideographs from U+5000 on; Hangul from U+B000 to U+CFFF.
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

/* The same as iri_utf8_next, sooner for characters of these. */
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

int iri_hex(unsigned char c);   /* its value; -1: no hexadecimal digit */

/* Octets of one unit at p: 3 for an escape, 1; 0 for a bad escape. */
size_t iri_unescape(const unsigned char *p, const unsigned char *end,
                    unsigned char *octet);


/* ---- characters, normalization --------------------------------------------- */

/* May a segment hold this character?  legacy: not out of UTF-8. */
int iri_char_allowed(uint32_t c, int legacy);

/* Bidi_Control: LRM, RLM, ALM, embeddings, overrides, isolates (draft 4.1) */
int iri_char_is_bidi_control(uint32_t c);

/*
 * 1: no text of such characters only is changed by NFC, whatever follows.
 * NFC_Quick_Check=Yes and combining class 0, for the scripts that most names
 * are in; a character that is left out only costs a closer look.
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
           || (c >= 0x3030 && c <= 0x3098) /* kana but voiced marks */
           || (c >= 0x309b && c <= 0x33ff)
           || (c >= 0xac00 && c <= 0xd7a3) /* Hangul syllables */
           || (c >= 0xff01 && c <= 0xffee);
}

/* 1: NFC joins nothing of it to what comes before it */
int iri_char_starts(uint32_t c);

/* 1: a combining mark, of which only IRI_MAX_MARKS in a row are normalized */
int iri_char_is_mark(uint32_t c);

/* 1: U+037E, U+1FEF or U+212A, which stay as they are: their NFC is ASCII */
int iri_char_stays(uint32_t c);

/*
 * Append run in NFC, at most IRI_MAX_SEGMENT characters of valid UTF-8.
 * U+037E, U+1FEF and U+212A stay as they are and separate what is beside
 * them.
 */
iri_status_t iri_nfc_put(const iri_env_t *env, iri_str_t run, iri_buf_t *out);

/*
 * The same of a piece of valid UTF-8 that ends where a character starts; with
 * more than IRI_MAX_MARKS marks in a row, or IRI_MAX_SEGMENT characters, it
 * stays as it is.
 */
iri_status_t iri_nfc_piece(const iri_env_t *env, iri_str_t piece,
                           iri_buf_t *out);

/* Characters that NFC may join, gathered one by one. */
typedef struct {
    size_t    base;   /* where the ASCII character that begins them stands, to
                         be written as it came; IRI_NO_BASE: none does */
    iri_buf_t run;
    iri_buf_t nfc;    /* the same, normalized */
} iri_nfc_run_t;

#define IRI_NO_BASE ((size_t) -1)
#define IRI_RUN_EMPTY { IRI_NO_BASE, IRI_BUF_EMPTY, IRI_BUF_EMPTY }

/* What they are in NFC. */
typedef struct {
    size_t    base;      /* it stands before rest; IRI_NO_BASE: there is none,
                            or it was absorbed */
    iri_str_t rest;      /* good until the next iri_nfc_run_end */
    int       changed;   /* they were not in NFC */
} iri_nfc_run_result_t;

/* Of a run that is not empty, nor a base alone. */
iri_status_t iri_nfc_run_normalize(const iri_env_t *env, iri_nfc_run_t *run,
                               iri_status_t (*by)(const iri_env_t *,
                                                  iri_str_t, iri_buf_t *),
                               iri_nfc_run_result_t *out);

/* Add a character of the source, whose octets begin at i. */
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
 * End the run and empty it; by: iri_nfc_put or iri_nfc_piece.  A base alone is
 * ASCII, which NFC does not change.
 */
static inline iri_status_t
iri_nfc_run_end(const iri_env_t *env, iri_nfc_run_t *run,
            iri_status_t (*by)(const iri_env_t *, iri_str_t, iri_buf_t *),
            iri_nfc_run_result_t *out)
{
    iri_status_t status = IRI_OK;

    out->base = run->base;
    out->rest.len = 0;
    out->rest.data = NULL;
    out->changed = 0;

    if (run->run.len > (size_t) (run->base != IRI_NO_BASE)) {
        status = iri_nfc_run_normalize(env, run, by, out);
    }

    run->base = IRI_NO_BASE;
    run->run.len = 0;

    return status;
}

/* The same of a text of any length, piece by piece (iri_function.c). */
iri_status_t iri_nfc_text(const iri_env_t *env, iri_str_t text,
                          iri_buf_t *out);

/* Append run in NFD, with the exceptions of iri_nfc_put. */
iri_status_t iri_nfd_put(const iri_env_t *env, iri_str_t run, iri_buf_t *out);

/*
 * Compose base and mark: the character, 0 if there is none (Normalizer2's
 * composePair).  IRI_ICU_FAILED.
 */
iri_status_t iri_compose(uint32_t base, uint32_t mark, uint32_t *c);

/* Is ICU's normalization data there? */
int iri_norm_ready(void);


/* ---- texts of any length --------------------------------------------------- */

/*
 * What a text of UTF-8 begins with: up to the second character that starts a
 * piece.
 */
iri_str_t iri_text_piece(iri_str_t text, int (*starts)(uint32_t c));


/* ---- JIS vendor pairs ------------------------------------------------------ */

/* The vendor's (way 0) or JIS's (1) character of a pair; c itself otherwise. */
uint32_t iri_variant(uint32_t c, int way);


/* ---- keys that ignore differences ------------------------------------------ */

/*
 * Append the key of a name where match, IRI_FOLD_..., is forgiven; name is
 * canonical.  SPELLING says nothing here.
 */
iri_status_t iri_fold(const iri_env_t *env, unsigned match, iri_str_t name,
                      iri_buf_t *out);

/*
 * The same of octets of which it is not known whether they are a canonical
 * name in UTF-8; *own 0: they may not be, and nothing is appended.
 */
iri_status_t iri_fold_own(const iri_env_t *env, unsigned match,
                          iri_str_t octets, iri_buf_t *out, int *own);

/*
 * How near are two names?  NORMALIZATION: they are the same; else the first
 * level of match under which their keys are; NONE: there is none.
 */
iri_status_t iri_fold_level(const iri_env_t *env, unsigned match, iri_str_t a,
                            iri_str_t b, iri_match_t *level);

/* The user-perceived characters of one key after the other. */
typedef struct {
    void         *iterator;               /* ICU's; NULL until one is needed */
    size_t        count;
    size_t        stem;                   /* as many may be edited: those
                                             before the last ".", which begins
                                             the suffix */
    uint16_t      at[IRI_MAX_SEGMENT + 1]; /* where each begins, and the end */
    unsigned char digit[IRI_MAX_SEGMENT];  /* 1: begins with a digit */
} iri_edit_t;

void iri_edit_init(iri_edit_t *edit);
void iri_edit_free(iri_edit_t *edit);

/* Divide a key; *fit 0: names like it are never guessed. */
iri_status_t iri_edit_divide(iri_edit_t *edit, iri_str_t key, int *fit);

/*
 * Append key, just divided, without character i; 0: that is never left out.
 */
iri_status_t iri_edit_without(const iri_env_t *env, const iri_edit_t *edit,
                              iri_str_t key, size_t i, iri_buf_t *out,
                              int *left_out);

/* Does one edit, of no digit, make b of a? */
iri_status_t iri_edit_is_one(const iri_env_t *env, iri_str_t a, iri_str_t b,
                             int *one);


/* ---- the order of names ---------------------------------------------------- */

#define IRI_MAX_KEY 2049   /* octets of a key and its NUL; what is beyond does
                              not count */

struct UCollator;          /* ICU's */

/* For one thread.  IRI_ICU_FAILED. */
iri_status_t iri_collator_open(struct UCollator **collator);
void iri_collator_close(struct UCollator *collator);

/* Is ICU's data for it there?  It stays, for all that fork or start later. */
int iri_collate_ready(void);

/*
 * The key of a name, valid UTF-8, not empty: octets with a NUL behind them,
 * which *size includes, to be compared by strcmp.  IRI_ICU_FAILED.
 */
iri_status_t iri_collate(const struct UCollator *collator, iri_str_t name,
                         unsigned char key[IRI_MAX_KEY], size_t *size);


#pragma GCC visibility pop

#endif /* IRI_UNICODE_H */
