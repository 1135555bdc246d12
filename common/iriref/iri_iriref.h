/*
 * iri_iriref.h - what the files of the whole IRI need of each other
 *
 * What is in this folder is in libiri.a and not in the modules, which know
 * paths, hosts and queries alone.
 */

#ifndef IRI_IRIREF_H
#define IRI_IRIREF_H

#include <unicode/umachine.h>

#include "iri_ref.h"

#pragma GCC visibility push(hidden)

/* What an octet may be, as bits of iri_octets[]. */
#define IRI_O_SCHEME     0x0001u   /* scheme, behind its first letter */
#define IRI_O_HOST       0x0002u   /* reg-name */
#define IRI_O_USER       0x0004u   /* userinfo */
#define IRI_O_PATH       0x0008u   /* pchar and "/" */
#define IRI_O_QUERY      0x0010u   /* query and fragment */
#define IRI_O_URI        0x0020u   /* may stand in a URI somewhere */
#define IRI_O_UNRESERVED 0x0040u   /* RFC 3986, 2.3 */
#define IRI_O_MARK       0x0080u   /* unreserved in the draft alone */
#define IRI_O_ADDITIONAL 0x0100u   /* iadditional of the draft, 2.2 */
#define IRI_O_BRACKET    0x0200u   /* "[" and "]" */
#define IRI_O_ALPHA      0x0400u
#define IRI_O_DIGIT      0x0800u
#define IRI_O_HEX        0x1000u
#define IRI_O_END        0x2000u   /* "/", "?", "#": ends an authority */
#define IRI_O_REST       0x4000u   /* "?", "#": ends a path */

extern const uint16_t iri_octets[256];

extern const unsigned char iri_hexes[256];
extern const uint16_t      iri_common_pages[256];

static inline int
iri_octet_is(unsigned char c, unsigned bits)
{
    return (iri_octets[c] & bits) != 0;
}

/* Unreserved by a grammar: escaping it changes nothing. */
static inline unsigned
iri_unreserved_bits(iri_grammar_t grammar)
{
    return grammar == IRI_GRAMMAR_DRAFT ? IRI_O_UNRESERVED | IRI_O_MARK
                                        : IRI_O_UNRESERVED;
}

/* iprivate of RFC 3987, 2.2 */
static inline int
iri_char_is_private(uint32_t c)
{
    return (c >= 0xe000 && c <= 0xf8ff)
           || (c >= 0xf0000 && (c & 0xfffe) != 0xfffe && c <= 0x10fffd);
}

/* A range of characters, both ends in it. */
typedef struct {
    uint32_t first, last;
} iri_range_t;

int iri_in_ranges(const iri_range_t *ranges, size_t count, uint32_t c);

/*
 * 1: a look-alike of space or of a delimiter, a wide or narrow form, or not
 * seen at all: draft 5.1 advises against it (iri_map.c).
 */
int iri_char_is_advised_against(uint32_t c);

/*
 * The octet of the escape at p, which has "%"; -1: it is none.  end is behind
 * the text.
 */
static inline int
iri_escape_at(const unsigned char *p, const unsigned char *end)
{
    unsigned high, low;

    if (end - p < 3) {
        return -1;
    }

    high = iri_hexes[p[1]];
    low = iri_hexes[p[2]];

    return (high | low) > 15 ? -1 : (int) (high << 4 | low);
}

/*
 * 1: ucschar that nobody advises against, one of 16 such in a row; 0: ask the
 * functions for that.
 */
static inline int
iri_char_is_common(uint32_t c)
{
    return c < 0x10000 && (iri_common_pages[c >> 8] >> (c >> 4 & 15) & 1);
}

/*
 * The character that begins at p, by escapes, raw octets or both, and the
 * octets of the text that it takes; 0: none above 7F does.
 */
size_t iri_character_at(const unsigned char *p, const unsigned char *end,
                        uint32_t *c, unsigned char octets[4], size_t *len);

/* len octets with nothing behind them: data is never NULL. */
static inline iri_str_t
iri_span(const unsigned char *from, const unsigned char *to)
{
    iri_str_t s;

    s.data = from;
    s.len = (size_t) (to - from);

    return s;
}

/* The same text with data that is not NULL, to which lengths can be added. */
static inline iri_str_t
iri_solid(iri_str_t text)
{
    if (text.data == NULL) {
        text.data = (const unsigned char *) "";
    }

    return text;
}

/* What came out. */
static inline void
iri_give(iri_converted_t *out, iri_str_t value)
{
    out->value = value;
    out->why = NULL;
    out->offset = 0;
}

/* Nothing did, and why: an answer, so IRI_OK. */
static inline iri_status_t
iri_give_none(iri_converted_t *out, const char *why, size_t offset)
{
    out->value = iri_span((const unsigned char *) "",
                          (const unsigned char *) "");
    out->why = why;
    out->offset = offset;

    return IRI_OK;
}

/* UTF-16 came out: it is given as UTF-8 (iri_units.c). */
iri_status_t iri_give_units(const iri_env_t *env, const UChar *units,
                            int32_t count, iri_converted_t *out);

/* Is it there?  An empty part is, an absent one is not. */
static inline int
iri_has(iri_str_t part)
{
    return part.data != NULL;
}

/*
 * Remove dot-segments (RFC 3986, 5.2.4) from a path, in place; returns its new
 * length.  relative: the path is that of a reference without scheme and
 * authority, for which 5.2.4 is not made: if it does not begin with "/", it
 * never comes to do so.
 * "a/../b" -> "/b"; relative: "b"
 */
size_t iri_remove_dots(unsigned char *path, size_t len, int relative);

/*
 * The skeleton of a text (UTS #39, 4), in memory of its own or of text, which
 * is UTF-8 (iri_characters.c).  IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_skeleton(const iri_env_t *env, const iri_confusables_t *look,
                          iri_str_t text, iri_str_t *out);

/*
 * iri_characters_check, but for kinds that are never told and cost nothing:
 * 1u << IRI_WARN_NOT_NFC, 1u << IRI_WARN_LOOK_ALIKE.
 */
iri_status_t iri_characters_but(const iri_env_t *env, const iri_confusables_t *look,
                                unsigned never, iri_str_t text,
                                iri_warn_t warn, void *arg);

/*
 * What a component is divided into where direction and scripts are judged
 * (draft 4.2): labels, segments, parameters, an extension, names and values.
 */
typedef struct {
    iri_component_t component;
    iri_str_t       text;
} iri_word_t;

typedef struct {
    iri_parts_t     parts;
    iri_component_t component;
    iri_str_t       rest;     /* of component */
    int             open;     /* 1: rest is to be divided */
    size_t          dot;      /* octets before the extension of a path */
} iri_words_t;

void iri_words(iri_str_t text, iri_words_t *pieces);
int iri_words_next(iri_words_t *pieces, iri_word_t *piece);   /* 0: end */

#pragma GCC visibility pop

#endif /* IRI_IRIREF_H */
