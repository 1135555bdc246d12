/*
 * iri_iriref.h - declarations that the files of common/iriref/ share
 *
 * This folder works on whole IRIs.  It is compiled into libiri.a and not into
 * the server modules, which need only paths, hosts and queries.
 */

#ifndef IRI_IRIREF_H
#define IRI_IRIREF_H

#include <unicode/umachine.h>

#include "iri_ref.h"

#pragma GCC visibility push(hidden)


/* ---- octets -------------------------------------------------------------- */

/* The classes of an octet, bits of iri_octet_classes[] (iri_syntax.c). */
#define IRI_OCTET_SCHEME        0x0001u   /* scheme, after its first letter */
#define IRI_OCTET_HOST          0x0002u   /* reg-name */
#define IRI_OCTET_USERINFO      0x0004u
#define IRI_OCTET_PATH          0x0008u   /* pchar and "/" */
#define IRI_OCTET_QUERY         0x0010u   /* query and fragment */
#define IRI_OCTET_URI           0x0020u   /* allowed somewhere in a URI */
#define IRI_OCTET_UNRESERVED    0x0040u   /* RFC 3986, 2.3 */
#define IRI_OCTET_DRAFT_MARK    0x0080u   /* unreserved in the draft only */
#define IRI_OCTET_IADDITIONAL   0x0100u   /* iadditional of draft 2.2 */
#define IRI_OCTET_BRACKET       0x0200u   /* "[" and "]" */
#define IRI_OCTET_ALPHA         0x0400u
#define IRI_OCTET_DIGIT         0x0800u
#define IRI_OCTET_HEXDIG        0x1000u
#define IRI_OCTET_AUTHORITY_END 0x2000u   /* "/", "?" and "#" */
#define IRI_OCTET_PATH_END      0x4000u   /* "?" and "#" */

extern const uint16_t iri_octet_classes[256];

/* 1 if the octet has one of the classes, IRI_OCTET_... bits. */
static inline int
iri_octet_is(unsigned char c, unsigned classes)
{
    return (iri_octet_classes[c] & classes) != 0;
}

/*
 * The classes of octets that are unreserved in a grammar: escaping such an
 * octet does not change the IRI.
 */
static inline unsigned
iri_unreserved_bits(iri_grammar_t grammar)
{
    return grammar == IRI_GRAMMAR_DRAFT
               ? IRI_OCTET_UNRESERVED | IRI_OCTET_DRAFT_MARK
               : IRI_OCTET_UNRESERVED;
}


/* ---- characters ---------------------------------------------------------- */

/* 1 if c is iprivate (RFC 3987, 2.2). */
static inline int
iri_char_is_private(uint32_t c)
{
    return (c >= 0xe000 && c <= 0xf8ff)
           || (c >= 0xf0000 && (c & 0xfffe) != 0xfffe && c <= 0x10fffd);
}

/*
 * 1 if draft 5.1 advises against c: it looks like a space or a delimiter, is
 * a full-width or half-width form, or is invisible (iri_map.c).
 */
int iri_char_is_discouraged(uint32_t c);

/*
 * 1 if NFKC replaces c, and c is not a letter of ordinary words such as Thai
 * SARA AM (iri_characters.c).
 */
int iri_char_is_compatibility(uint32_t c);


/* ---- strings ------------------------------------------------------------- */

/* The octets from `from` up to `to`; data is not NULL if from is not. */
static inline iri_str_t
iri_str_between(const unsigned char *from, const unsigned char *to)
{
    iri_str_t s;

    s.data = from;
    s.len = (size_t) (to - from);

    return s;
}

/* The same text; data NULL is replaced by "", so that pointers can be
   computed from it. */
static inline iri_str_t
iri_str_non_null(iri_str_t text)
{
    if (text.data == NULL) {
        text.data = (const unsigned char *) "";
    }

    return text;
}

/* 1 if a part is present, possibly empty; 0 if it is absent (data NULL). */
static inline int
iri_is_present(iri_str_t part)
{
    return part.data != NULL;
}


/* ---- results ------------------------------------------------------------- */

/* Set a value; value is not copied. */
static inline void
iri_converted_set(iri_converted_t *out, iri_str_t value)
{
    out->value = value;
    out->why = NULL;
    out->offset = 0;
}

/*
 * Report that there is no value.  why: the reason, static; offset: octets of
 * the text before the cause.  Returns: IRI_OK, since this is an answer.
 */
static inline iri_status_t
iri_converted_reject(iri_converted_t *out, const char *why, size_t offset)
{
    out->value = iri_str_between((const unsigned char *) "",
                                 (const unsigned char *) "");
    out->why = why;
    out->offset = offset;

    return IRI_OK;
}

/*
 * Convert UTF-8 to UTF-16 in env's arena (iri_bidi.c).
 * Returns: IRI_OK, IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_utf16(const iri_env_t *env, iri_str_t text, UChar **units,
                       int32_t *count);

/*
 * Set a value that ICU produced: count units of UTF-16 are converted to UTF-8
 * in env's arena (iri_bidi.c).  Returns: IRI_OK, IRI_NO_MEMORY,
 * IRI_ICU_FAILED.
 */
iri_status_t iri_converted_set_utf16(const iri_env_t *env, const UChar *units,
                                     int32_t count, iri_converted_t *out);


/* ---- paths --------------------------------------------------------------- */

/*
 * Remove dot-segments from a path in place (RFC 3986, 5.2.4).  relative: 1 for
 * the path of a reference without scheme and authority, which 5.2.4 does not
 * cover: a path that does not begin with "/" stays so.
 * Returns: the new length in octets, at most len.
 * "a/../b" -> "/b"; relative: "b"
 */
size_t iri_remove_dot_segments(unsigned char *path, size_t len, int relative);


/* ---- charsets of names --------------------------------------------------- */

/* The number of octets above 7F (iri_detect.c). */
size_t iri_count_high(iri_str_t octets);


/* ---- look-alikes --------------------------------------------------------- */

/*
 * 1 if text contains U+0131 (dotless i).  Turkish needs it, so its likeness to
 * ASCII is not reported.
 */
int iri_has_dotless_i(iri_str_t text);

/*
 * The skeleton of a text (UTS #39, 4; iri_characters.c).  text: UTF-8; *out:
 * UTF-8 in env's arena.  Returns: IRI_OK, IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_skeleton(const iri_env_t         *env,
                          const iri_confusables_t *confusables, iri_str_t text,
                          iri_str_t *out);


/* ---- pieces of components ------------------------------------------------ */

/*
 * A piece of a component, the unit in which direction and scripts are checked
 * (draft 4.2): a label of a host, a segment, a parameter or the extension of a
 * path, a name or a value of a query.
 */
typedef struct {
    iri_component_t component;
    iri_str_t       text;      /* in the text, without delimiters */
} iri_piece_t;

/* An iteration over the pieces of a text. */
typedef struct {
    iri_parts_t     parts;
    iri_component_t component;   /* the current one */
    iri_str_t       rest;        /* of component, not yet divided */
    int             open;        /* 1: rest holds at least one more piece */
    size_t          extension;   /* offset of the "." in the path; the length
                                    of the path: it has no extension */
} iri_pieces_t;

/* Start with the first piece of text, which must outlive the iteration. */
void iri_pieces_init(iri_str_t text, iri_pieces_t *pieces);

/* Returns: 1 with the next piece, 0 at the end. */
int iri_pieces_next(iri_pieces_t *pieces, iri_piece_t *piece);

#pragma GCC visibility pop

#endif /* IRI_IRIREF_H */
