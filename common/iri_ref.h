/*
 * iri_ref.h - whole IRIs: syntax, mapping, resolution, comparison, warnings
 *
 * These functions are in libiri.a and in the command, not in the modules.  A
 * text is octets, an IRI is UTF-8.  Unless a function says otherwise, a text
 * may have any length and any octets and need not be well-formed.  "draft" is
 * draft-duerst-iri-03.
 *
 * A function with an iri_converted_t (iri_conf.h) returns IRI_OK also for a
 * text that has no such form: then out->why says why there is no value, and
 * out->offset where, in octets of text.
 */

#ifndef IRI_REF_H
#define IRI_REF_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- limit --------------------------------------------------------------- */

#define IRI_MAX_IRI 65536   /* octets of a text to map, resolve, normalize or
                               compare other than as a string */


/* ---- syntax -------------------------------------------------------------- */

/*
 * The components of an IRI-reference (RFC 3986, appendix B), without their
 * delimiters.  data points into the text; it is NULL if the component is
 * absent, and not NULL if it is empty.
 */
typedef struct {
    iri_str_t scheme;
    iri_str_t authority;   /* userinfo, host and port with delimiters */
    iri_str_t userinfo;
    iri_str_t host;        /* absent if authority is absent; an IP literal with
                              its brackets */
    iri_str_t port;
    iri_str_t path;        /* never absent */
    iri_str_t query;
    iri_str_t fragment;
} iri_parts_t;

/*
 * Split a text into components, also one that is not well-formed.  A scheme is
 * a letter followed by letters, digits, "+", "-" or "." before the first ":".
 * Takes O(length), allocates no memory, cannot fail.
 * "http://u@b\xC3\xBC.example:80/a?q#f" -> http, u, b\xC3\xBC.example, 80,
 * /a, q, f; "mailto:a@b" -> mailto, path "a@b"; "//h" -> host h, path ""
 */
void iri_split(iri_str_t text, iri_parts_t *parts);

/*
 * Join components (RFC 3986, 5.3): scheme, authority, path, query and fragment.
 * userinfo, host and port are not used.  Joining the result of iri_split()
 * gives the same text.
 * Returns: IRI_OK; IRI_NO_MEMORY.
 */
iri_status_t iri_join(const iri_env_t *env, const iri_parts_t *parts,
                      iri_str_t *out);

/* The grammar by which a text is checked. */
typedef enum {
    IRI_GRAMMAR_RFC3987,   /* RFC 3987, 2.2, and RFC 3986 for URIs */
    IRI_GRAMMAR_DRAFT      /* draft 2.2: also < > " space { } | \ ^ `, any
                              registry name, "[" and "]" in opaque parts; no
                              private use in opaque parts and fragments */
} iri_grammar_t;

/* The rule of that grammar that a text must match. */
typedef enum {
    IRI_AS_IRI_REFERENCE,   /* with or without a scheme */
    IRI_AS_IRI,             /* with a scheme */
    IRI_AS_ABSOLUTE_IRI,    /* with a scheme, without a fragment: a base */
    IRI_AS_RELATIVE_IRI,    /* without a scheme */
    IRI_AS_URI_REFERENCE,   /* this and the following: the same in ASCII */
    IRI_AS_URI,
    IRI_AS_ABSOLUTE_URI,
    IRI_AS_RELATIVE_URI,
    IRI_KINDS               /* number of values */
} iri_as_t;

/* Its name: "iri-reference". */
const char *iri_as_text(iri_as_t as);

/* What the grammar expects at the offset of a syntax error. */
typedef enum {
    IRI_EXPECT_NOTHING,     /* well-formed */
    IRI_EXPECT_SCHEME,      /* a scheme and ":" */
    IRI_EXPECT_RELATIVE,    /* no scheme */
    IRI_EXPECT_HEX,         /* two hexadecimal digits behind "%" */
    IRI_EXPECT_UTF8,        /* a character of UTF-8 */
    IRI_EXPECT_ASCII,       /* URI: ASCII */
    IRI_EXPECT_UCSCHAR,     /* a character that is ucschar */
    IRI_EXPECT_PUBLIC,      /* no private use: only a query may have it */
    IRI_EXPECT_NO_BIDI,     /* no bidi formatting character (draft 4.1) */
    IRI_EXPECT_AUTHORITY,   /* a character of an authority */
    IRI_EXPECT_HOST,        /* a character of a host; "@" only once */
    IRI_EXPECT_ADDRESS,     /* an IPv6 address, or "v", and "]" */
    IRI_EXPECT_PORT,        /* a digit, or the end of the authority */
    IRI_EXPECT_SEGMENT,     /* a first segment without ":" */
    IRI_EXPECT_PATH,        /* a character of a path */
    IRI_EXPECT_QUERY,       /* a character of a query */
    IRI_EXPECT_FRAGMENT,    /* a character of a fragment */
    IRI_EXPECT_NO_FRAGMENT, /* the end: no fragment is allowed */
    IRI_EXPECTS             /* number of values */
} iri_expect_t;

/* A phrase that follows "expected": "a digit", for example. */
const char *iri_expect_text(iri_expect_t expected);

/*
 * Check the syntax of a text.  Takes O(length), allocates no memory, does not
 * recurse.  Raw bidi formatting characters are errors by either grammar (draft
 * 4.1, MUST NOT).
 *
 *   parts    written on success, as by iri_split(); NULL is allowed
 *   offset   written on an error: its offset in octets; NULL is allowed
 *
 * Returns: IRI_EXPECT_NOTHING if text is well-formed, else what was expected.
 *
 * "http://a/%zz", IRI -> IRI_EXPECT_HEX, 9
 * "a:b/c", RELATIVE_IRI -> IRI_EXPECT_RELATIVE, 0
 * "http://a/<b>", DRAFT -> IRI_EXPECT_NOTHING
 */
iri_expect_t iri_check(iri_str_t text, iri_as_t as, iri_grammar_t grammar,
                       iri_parts_t *parts, size_t *offset);

/*
 * Is text an IP-literal with its brackets (RFC 3986, 3.2.2), or an IPv4
 * address? Zones are not allowed (RFC 6874, obsoleted by RFC 9844).
 * Returns: 1 or 0.
 * "[::1]" -> 1; "[v7.a]" -> 1; "[fe80::1%25en1]" -> 0; "127.0.0.1" -> 1
 */
int iri_is_ip_literal(iri_str_t text);
int iri_is_ipv4(iri_str_t text);


/* ---- mapping ------------------------------------------------------------- */

/* How an IRI is mapped to a URI. */
typedef struct {
    const iri_charset_t   *charset;   /* variant B: the charset of text, which
                                         is put in NFC.  NULL or UTF-8: UTF-8,
                                         not put in NFC */
    int                    nfc;       /* 1: variant A, put UTF-8 in NFC too: a
                                         text that was on paper */
    const iri_host_conf_t *host;      /* the host gets A-labels; NULL: it is
                                         percent-encoded */
} iri_to_uri_conf_t;

/*
 * Map an IRI, or a component of one, to a URI (draft 3.1; RFC 3987, 3.1).  Each
 * character that must not stand in a URI becomes the escapes of its octets in
 * UTF-8, in upper-case hex.  Other characters, escapes, "#", "[" and "]" stay.
 * UTF-8 is not normalized (variant C).
 *
 * No value: text is not of its charset; a "%" that does not begin an escape; a
 * host without A-labels; more than IRI_MAX_IRI octets.  The value is text
 * itself if nothing changes, and mapping it again does not change it.
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "http://a/ros\xC3\xA9#<red>" -> "http://a/ros%C3%A9#%3Cred%3E"
 * windows-1252, "/caf\xE9" -> "/caf%C3%A9"
 */
iri_status_t iri_to_uri(const iri_env_t         *env,
                        const iri_to_uri_conf_t *conf, iri_str_t text,
                        iri_converted_t *out);

/* How a URI is mapped to an IRI. */
typedef struct {
    iri_grammar_t          grammar;   /* which characters are reserved: "!",
                                         "*", "'", "(", ")" only by RFC 3987 */
    const iri_host_conf_t *host;      /* the host gets U-labels; NULL: it is
                                         mapped as other components */
    const iri_charset_t   *repertoire;   /* the only characters above 7F that
                                         the result may have (draft 6.6);
                                         NULL: any */
    int                    ascii;     /* 1: the result is ASCII */
} iri_to_iri_conf_t;

/*
 * Map a URI, or a component of one, to an IRI (draft 3.2, steps 1 to 5).
 * Escapes of UTF-8 and of unreserved characters are decoded.  These escapes
 * stay, in upper-case hex: octets that are not UTF-8 (no other charset is
 * tried), private use, bidi formatting characters, and the characters of draft
 * 5.1: ASCII that must not stand in a URI, look-alikes of space and delimiters,
 * full and half width forms, invisible characters except U+200C and U+200D.
 * Escapes of "%", "#" and reserved characters stay as sent.  Raw characters
 * that an IRI must not contain are escaped.  So mapping the result back gives
 * text, except for the case of hexadecimal digits and escapes of unreserved
 * characters.
 *
 * No value: more than IRI_MAX_IRI octets.  Any octets are accepted.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "http://a/D%C3%BCrst%fc%2f%7E" -> "http://a/D\xC3\xBCrst%FC%2f~"
 */
iri_status_t iri_to_iri(const iri_env_t         *env,
                        const iri_to_iri_conf_t *conf, iri_str_t text,
                        iri_converted_t *out);

/*
 * Decode octets of a charset to UTF-8, strictly, as paths are read before NFC;
 * and encode UTF-8 in a charset, as new names are written.  Decoding the
 * encoded octets gives the same text.
 *
 * No value: octets that the charset does not decode; a control above 7F in a
 * charset other than UTF-8; a character that is not in the charset; more than
 * IRI_MAX_TEXT octets.
 * Returns: IRI_OK; IRI_NO_MEMORY.
 * Shift_JIS: "\x93\xFA" -> U+65E5 -> "\x93\xFA"
 */
iri_status_t iri_decode(const iri_env_t *env, const iri_charset_t *charset,
                        iri_str_t octets, iri_converted_t *out);
iri_status_t iri_encode(const iri_env_t *env, const iri_charset_t *charset,
                        iri_str_t text, iri_converted_t *out);


/* ---- resolution of references -------------------------------------------- */

/*
 * Resolve a reference against a base (RFC 3986, 5.2.2, strict).  Characters
 * stay as they are.  If joining the components would give a text with other
 * components, for example a path that begins with "//" without an authority,
 * "/." or "./" is put before the path.
 * base: should have a scheme; without one the result is a relative reference,
 * and ".." never gives a path that begins with "/".
 * Returns: IRI_OK; IRI_NO_MEMORY; IRI_IRI_TOO_LONG: base or reference has more
 * than IRI_MAX_IRI octets.
 * "http://a/b/c/d;p?q", "../g" -> "http://a/b/g"
 */
iri_status_t iri_resolve(const iri_env_t *env, iri_str_t base,
                         iri_str_t reference, iri_str_t *out);

/*
 * Compute a short reference that iri_resolve() resolves against base to target.
 * It is target itself if there is no relative one that is not longer, for
 * example if target has another scheme or dot-segments.
 * Returns: IRI_OK; IRI_NO_MEMORY; IRI_IRI_TOO_LONG: base or target has more
 * than IRI_MAX_IRI octets.
 * "http://a/b/c/d", "http://a/b/e/f?q" -> "../e/f?q"
 */
iri_status_t iri_relativize(const iri_env_t *env, iri_str_t base,
                            iri_str_t target, iri_str_t *out);


/* ---- normalization ------------------------------------------------------- */

/* A normalization form (UAX #15). */
typedef enum {
    IRI_FORM_NFC,    /* canonical, composed */
    IRI_FORM_NFD,    /* canonical, decomposed */
    IRI_FORM_NFKC,   /* compatibility, composed */
    IRI_FORM_NFKD    /* compatibility, decomposed */
} iri_unicode_form_t;

/*
 * Put a text in a normalization form, without the exceptions that paths have:
 * U+212A becomes "K", in NFKC U+FF0F becomes "/".  Use it for new names, not
 * for IRIs from elsewhere (draft 2.3).
 * No value: text is not UTF-8; more than IRI_MAX_TEXT octets; more than 1,024
 * combining marks in a row.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * NFC: "e\xCC\x81" -> "\xC3\xA9"
 */
iri_status_t iri_unicode_form(const iri_env_t *env, iri_unicode_form_t form,
                              iri_str_t text, iri_converted_t *out);

/* Steps of iri_normalize_syntax, bits. */
#define IRI_NORMALIZE_SYNTAX 1u   /* RFC 3986, 6.2.2: case of scheme, host and
                                escapes; escapes of unreserved characters;
                                dot-segments of a text with a scheme */
#define IRI_NORMALIZE_SCHEME 2u   /* RFC 3986, 6.2.3: default or empty port and
                                empty path of http and https */

/*
 * Normalize the syntax of an IRI-reference.  Escapes of octets above 7F stay.
 * Normalizing the result again does not change it.
 * steps: SYNTAX is always done; IRI_NORMALIZE_SCHEME adds that.
 * No value: text is an IRI-reference neither by the draft's grammar nor by that
 * of RFC 3987 (IPvFuture): out->why says what was expected; more than
 * IRI_MAX_IRI octets.
 * Returns: IRI_OK; IRI_NO_MEMORY.
 * "HTTP://a.EXAMPLE:80/%7euser/./b%c3%a9" -> "http://a.example/~user/b%C3%A9"
 */
iri_status_t iri_normalize_syntax(const iri_env_t *env, unsigned steps,
                                  iri_str_t text, iri_converted_t *out);


/* ---- equivalence --------------------------------------------------------- */

/* The differences that iri_equal() ignores. */
typedef enum {
    IRI_LEVEL_STRING,    /* octet by octet (draft 2.3) */
    IRI_LEVEL_ESCAPES,   /* also: escaped equals raw, except for reserved
                            characters: both map to the same URI */
    IRI_LEVEL_NFC,       /* ESCAPES, also: in NFC */
    IRI_LEVEL_SYNTAX,    /* ESCAPES after RFC 3986, 6.2.2; without NFC */
    IRI_LEVEL_SCHEME,    /* SYNTAX, also: RFC 3986, 6.2.3 */
    IRI_LEVEL_IDN,       /* SCHEME, also: hosts by their A-labels */
    IRI_LEVELS           /* number of values */
} iri_level_t;

/* Its word: "nfc". */
const char *iri_level_text(iri_level_t level);

/*
 * Are two IRIs equal?  With SYNTAX, SCHEME and IDN a text that is not an
 * IRI-reference equals only itself.
 *
 *   host    for IDN; NULL: as SCHEME
 *   equal   1 or 0
 *
 * Returns: IRI_OK; IRI_IRI_TOO_LONG: a text has more than IRI_MAX_IRI octets,
 * and the level is not STRING; IRI_NO_MEMORY, IRI_ICU_FAILED.  STRING and
 * ESCAPES allocate no memory.
 * "/~user", "/%7euser": STRING 0, ESCAPES 1; "/a%2Fb", "/a/b": 0 for all levels
 */
iri_status_t iri_equal(const iri_env_t *env, iri_level_t level,
                       const iri_host_conf_t *host, iri_str_t a, iri_str_t b,
                       int *equal);


/* ---- warnings ------------------------------------------------------------ */

/* The component of a piece of a text, the unit that is judged. */
typedef enum {
    IRI_COMPONENT_SCHEME,     /* the whole of it */
    IRI_COMPONENT_USERINFO,   /* the whole of it */
    IRI_COMPONENT_HOST,       /* a label of the host */
    IRI_COMPONENT_PORT,       /* the whole of it */
    IRI_COMPONENT_PATH,       /* a segment, a parameter or an extension */
    IRI_COMPONENT_OPAQUE,     /* after a scheme, a path that does not begin
                                 with "/" */
    IRI_COMPONENT_QUERY,      /* a name or a value */
    IRI_COMPONENT_FRAGMENT,   /* the whole of it */
    IRI_COMPONENTS            /* number of values */
} iri_component_t;

/* Its name: "host label". */
const char *iri_component_text(iri_component_t component);

/* The reason for a warning; numbers of sections are those of the draft. */
typedef enum {
    IRI_WARN_BIDI_MIXED,     /* letters of both directions (draft 4.2, 1) */
    IRI_WARN_BIDI_EDGE,      /* right-to-left, but not at its beginning or end
                                (draft 4.2, 2) */
    IRI_WARN_EXCLUDED,       /* ASCII that no URI may contain (5.1 b) */
    IRI_WARN_LOOKS_LIKE,     /* a look-alike of space or of a delimiter */
    IRI_WARN_WIDTH,          /* a full width or half width form */
    IRI_WARN_INVISIBLE,      /* an invisible character, except where it belongs
                                to the spelling, as joiners of Persian */
    IRI_WARN_TAG,            /* a tag character, U+E0000 to U+E007F */
    IRI_WARN_PRIVATE,        /* private use */
    IRI_WARN_NOT_NFC,        /* not in NFC (2.3) */
    IRI_WARN_COMPATIBILITY,  /* not in NFKC (6.5) */
    IRI_WARN_MIXED_SCRIPTS,  /* scripts that no language mixes (6.5) */
    IRI_WARN_LOOK_ALIKE,     /* the whole piece looks like ASCII (6.5) */
    IRI_WARNINGS             /* number of values */
} iri_warning_kind_t;

/* A phrase: "not in NFC". */
const char *iri_warning_text(iri_warning_kind_t kind);

/* One warning. */
typedef struct {
    iri_warning_kind_t kind;        /* the reason */
    iri_component_t    component;   /* of piece */
    iri_str_t          piece;       /* the part of the text that is judged as
                                       a unit */
    size_t             offset;      /* offset in the text of character, or of
                                       piece */
    uint32_t           character;   /* the character; 0: the whole piece */
    iri_str_t          like;        /* LOOK_ALIKE: the ASCII that piece looks
                                       like; else empty */
} iri_warning_t;

/*
 * Receives a warning.  *warning, and its strings that are not in the text, are
 * valid during the call.
 * Returns: IRI_OK; any other status ends the check.
 */
typedef iri_status_t (*iri_warn_t)(void *arg, const iri_warning_t *warning);

/*
 * Check the structure of a bidirectional IRI (draft 4.2).  warn is called in
 * order of the text, once per rule and piece.  Pieces are as small as possible:
 * labels of a host; segments of a path, divided at ";" and "=", the last one
 * before its extension; names and values of a query.  Escapes count as ASCII.
 * It allocates no memory.
 * Returns: IRI_OK; the status that warn returned.
 * "http://a/\xD7\x92\xD7\x931/b" -> BIDI_EDGE of the path
 */
iri_status_t iri_bidi_check(iri_str_t text, iri_warn_t warn, void *arg);

/* How the visual order is computed. */
typedef enum {
    IRI_VISUAL_UAX9,        /* draft 4.1: UAX #9 in a left-to-right embedding */
    IRI_VISUAL_COMPONENTS   /* draft-masinter-url-i18n, 2.4: reserved
                               characters keep their place, UAX #9 between
                               them */
} iri_visual_t;

/*
 * Put text in visual order, from left to right, with brackets mirrored and
 * combining marks after their base.
 * No value: text is not UTF-8; more than IRI_MAX_TEXT octets.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "http://\xD7\x90\xD7\x91.\xD7\x92/" -> "http://\xD7\x92.\xD7\x91\xD7\x90/"
 */
iri_status_t iri_visual_order(const iri_env_t *env, iri_visual_t order,
                              iri_str_t text, iri_converted_t *out);

/* The data of ICU for look-alikes.  Read-only; any number of threads. */
typedef struct USpoofChecker iri_confusables_t;

/* Open and close the data, as iri_idna_create() and iri_idna_destroy(). */
iri_confusables_t *iri_confusables_create(void);
void iri_confusables_destroy(iri_confusables_t *confusables);

/*
 * Find characters that draft 2.3, 5.1 and 6.5 advise against, raw or as escapes
 * of UTF-8.  warn is called in order of the text, for the first character of
 * each kind in a piece.  A text with more than IRI_MAX_TEXT octets gets no
 * warnings.
 * confusables: NULL: scripts and look-alikes are not checked; nor are they in a
 * piece with more than IRI_MAX_MARKS combining marks in a row.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED; the status that warn
 * returned.
 * "http://a/p\xD0\xB0ypal" -> MIXED_SCRIPTS and LOOK_ALIKE, like "paypal", of
 * the path's piece "p\xD0\xB0ypal"
 */
iri_status_t iri_characters_check(const iri_env_t *env,
                                  const iri_confusables_t *confusables,
                                  iri_str_t text, iri_warn_t warn, void *arg);


/* ---- the charset of names ------------------------------------------------ */

#define IRI_DETECTABLE 32   /* charsets that iri_detect() scores */

/* The charsets, and the alphabets of their languages; 1 MB. */
typedef struct iri_detector_s iri_detector_t;

/*
 * Create a detector.
 * registry: opens the charsets, and must outlive the detector.
 * Returns: NULL: no memory, or the data of ICU is missing.
 */
iri_detector_t *iri_detector_create(iri_registry_t *registry);
void iri_detector_destroy(iri_detector_t *detector);

/* The i-th charset that is scored; NULL: this ICU lacks it, or i is too large.
   Of two that give the same text the first one is the more frequent one. */
const iri_charset_t *iri_detector_charset(const iri_detector_t *detector,
                                          size_t i);

/* Names on disk. */
typedef struct {
    const iri_str_t *names;   /* octets, which are not UTF-8 */
    size_t           count;
    /* 1 if a name, in UTF-8, NFC, is known from elsewhere: clients ask for it.
       NULL: no name is known.  The score does not depend on it, since anybody
       can ask for a name. */
    int            (*is_known)(void *arg, iri_str_t name);
    void            *arg;
} iri_sample_t;

/* How well names decoded in one charset are words of a language. */
typedef struct {
    size_t      count;     /* names that the charset decodes */
    size_t      known;     /* of these, known names */
    int64_t     score;     /* for each octet above 7F up to 1000; negative:
                              another charset */
    uint64_t    text;      /* hash of the decoded names: equal for charsets that
                              give the same text */
} iri_detected_t;

/*
 * Score each charset for names.  The scores of several samples can be added.
 * out: IRI_DETECTABLE elements, in the order of iri_detector_charset().
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * {"\x93\xFA\x96\x7B", "\x95\x5C"}: the greatest score is that of Shift_JIS
 */
iri_status_t iri_detect(const iri_env_t *env, const iri_detector_t *detector,
                        const iri_sample_t *sample, iri_detected_t *out);

/* The index of the greatest score, of equal ones the first. */
size_t iri_detected_best(const iri_detected_t *detected);


/* ---- names of a directory ------------------------------------------------ */

/* Problems of the name of an entry. */
typedef enum {
    IRI_LINT_UNREADABLE,   /* no charset of the tree decodes its octets */
    IRI_LINT_UNREACHABLE,  /* it has a control character or is too long, so
                              that no request can name it */
    IRI_LINT_CHARSET,      /* it is decoded in another charset than the one it
                              seems to be encoded in (charset) */
    IRI_LINT_MOJIBAKE,     /* it seems to be UTF-8 decoded as windows-1252 and
                              encoded again (meant) */
    IRI_LINT_TWIN,         /* other has the same name */
    IRI_LINT_COLLISION,    /* other has the same name if match is ignored */
    IRI_LINT_FORM,         /* requested in charset, its octets are the name of
                              other in UTF-8 or in an earlier charset */
    IRI_LINT_NFC,          /* it is not in NFC */
    IRI_LINT_NFKC,         /* it has compatibility characters */
    IRI_LINT_BIDI,         /* its visual order is misleading (draft 4.1, 4.2) */
    IRI_LINT_LOOK_ALIKE,   /* it looks like other or like ASCII (meant), or has
                              invisible characters, look-alikes of space or
                              delimiters, or mixed scripts (5.1, 6.5) */
    IRI_LINT_RESERVED,     /* a link must escape some of its characters because
                              of their meaning in URIs: RFC 3986, 2.2, "%" */
    IRI_LINT_LONG,         /* in UTF-8 it is longer than a name may be */
    IRI_LINT_LEGACY,       /* it is encoded in charset, not in UTF-8 */
    IRI_LINT_KINDS         /* number of values */
} iri_lint_kind_t;

/* One problem. */
typedef struct {
    iri_lint_kind_t kind;     /* which problem */
    iri_str_t       octets;   /* of the entry; empty: the whole directory */
    iri_str_t       name;     /* canonical, UTF-8; empty: it has no name */
    iri_str_t       other;    /* octets of another entry; or empty */
    iri_str_t       other_name;   /* the name of that entry */
    iri_match_t     match;    /* COLLISION: the difference; else NONE */
    iri_str_t       meant;    /* MOJIBAKE: the repaired name; LOOK_ALIKE: the
                                 ASCII that it looks like; CHARSET,
                                 UNREADABLE: the name in charset; or empty */
    const char     *why;      /* BIDI, and LOOK_ALIKE of a single name: a
                                 phrase, static; else NULL */
    iri_str_t       charset;  /* CHARSET, FORM, LEGACY: its name; UNREADABLE:
                                 a guess or empty; else empty */
} iri_finding_t;

/*
 * Receives a finding, whose strings are valid during the call.
 * Returns: IRI_OK; any other status ends iri_lint().
 */
typedef iri_status_t (*iri_lint_each_t)(void *arg,
                                        const iri_finding_t *finding);

/* The checks of iri_lint(), and the settings for them. */
typedef struct {
    const iri_charsets_t    *requests;   /* iri_charset, for FORM; may be
                                            empty */
    const iri_tree_conf_t   *tree;       /* after iri_tree_conf_finish(); its
                                            match is not used */
    unsigned                 match;      /* IRI_FOLD_..., for COLLISION */
    unsigned                 kinds;      /* 1u << kind, for each to report */
    const iri_confusables_t *confusables; /* for LOOK_ALIKE; NULL: scripts and
                                            look-alikes are not checked */
    const iri_detector_t    *detector;   /* for the likely charset of names;
                                            NULL: it is not reported */
} iri_lint_conf_t;

/*
 * Check all names of one directory.  each is called first for findings of
 * single names, in the order of names, then for findings of pairs, sorted by
 * name.
 *
 *   names   octets of the entries, without "." and "..", each once; they must
 *           live until the function returns
 *   count   number of names
 *
 * Allocates some 200 octets per name in env's arena, with IRI_FOLD_SPELLING
 * also 8 per octet.  Makes no file-system calls.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED; the status that each
 * returned.
 *
 * {"e\xCC\x81", "\xC3\xA9"} -> NFC of the first; TWIN of the two
 */
iri_status_t iri_lint(const iri_env_t *env, const iri_lint_conf_t *conf,
                      const iri_str_t *names, size_t count,
                      iri_lint_each_t each, void *arg);

/*
 * The word of a kind, "twin"; and the kind of a word, whose letter case does
 * not matter; IRI_LINT_KINDS if no kind has that word.
 */
const char *iri_lint_text(iri_lint_kind_t kind);
iri_lint_kind_t iri_lint_kind(iri_str_t word);

/* A sentence about the entry: "another entry has the same name: ...". */
const char *iri_lint_clause(iri_lint_kind_t kind);


#pragma GCC visibility pop

#endif /* IRI_REF_H */
