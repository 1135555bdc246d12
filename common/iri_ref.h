/*
 * iri_ref.h - whole IRIs: syntax, mapping, resolution, comparison, warnings
 * 
 * What follows is in libiri.a and not in the modules.  A text is octets, an
 * IRI in UTF-8; where nothing else is said it may be of any length and any
 * octets, and need not be well-formed.  RFC 3986 and 3987 are meant by their
 * sections as "RFC", draft-duerst-iri-03 by "draft".
 */

#ifndef IRI_REF_H
#define IRI_REF_H

#include "iri.h"

#pragma GCC visibility push(hidden)


/* ---- limit ----------------------------------------------------------------- */

#define IRI_MAX_IRI 65536   /* octets of a text that is to be mapped, resolved,
                               normalized or compared other than as a string */


/* ---- syntax ---------------------------------------------------------------- */

/*
 * The parts of an IRI-reference (RFC 3986, appendix B), in the text that they
 * are of.  One that is absent has data NULL; one that is there and empty has
 * not.  Each is without its delimiters.
 */
typedef struct {
    iri_str_t scheme;
    iri_str_t authority;   /* userinfo, host and port, as they stand there */
    iri_str_t userinfo;
    iri_str_t host;        /* absent where authority is; an IP literal with
                              its brackets */
    iri_str_t port;
    iri_str_t path;        /* never absent */
    iri_str_t query;
    iri_str_t fragment;
} iri_parts_t;

/*
 * Divide a text, whatever is in it: a scheme is a letter and letters, digits,
 * "+", "-" or "." before the first ":", else there is none.  O(length), asks
 * for no memory, cannot fail.  parts point into text.
 * "http://u@b\xC3\xBC.example:80/a?q#f" -> http, u, b\xC3\xBC.example, 80,
 * /a, q, f; "mailto:a@b" -> mailto, path "a@b"; "//h" -> host h, path ""
 */
void iri_split(iri_str_t text, iri_parts_t *parts);

/*
 * Join them again (RFC 3986, 5.3): scheme, authority, path, query and fragment
 * are taken, userinfo, host and port are not looked at.  What iri_split gave
 * becomes the text again.  IRI_NO_MEMORY.
 */
iri_status_t iri_join(const iri_env_t *env, const iri_parts_t *parts,
                      iri_str_t *out);

/* Which grammar. */
typedef enum {
    IRI_GRAMMAR_RFC3987,   /* RFC 3987, 2.2, and RFC 3986 for URIs */
    IRI_GRAMMAR_DRAFT      /* draft 2.2: also < > " space { } | \ ^ `, any
                              registry name, "[" and "]" in opaque parts; no
                              private use in opaque parts and fragments */
} iri_grammar_t;

/* What a text is to be, the names of RFC 3987, 2.2 and RFC 3986. */
typedef enum {
    IRI_AS_IRI_REFERENCE,   /* with or without a scheme */
    IRI_AS_IRI,             /* with a scheme */
    IRI_AS_ABSOLUTE_IRI,    /* with a scheme, without a fragment: a base */
    IRI_AS_RELATIVE_IRI,    /* without a scheme */
    IRI_AS_URI_REFERENCE,   /* the same, in ASCII */
    IRI_AS_URI,
    IRI_AS_ABSOLUTE_URI,
    IRI_AS_RELATIVE_URI,
    IRI_KINDS
} iri_as_t;

/* "iri-reference", "iri" ...; "unknown" for a value out of range. */
const char *iri_as_text(iri_as_t as);

/* What was expected at an offset, where something else stands. */
typedef enum {
    IRI_EXPECT_NOTHING,     /* well-formed */
    IRI_EXPECT_SCHEME,      /* a scheme and ":" */
    IRI_EXPECT_RELATIVE,    /* no scheme */
    IRI_EXPECT_HEX,         /* two hexadecimal digits behind "%" */
    IRI_EXPECT_UTF8,        /* a character of UTF-8 */
    IRI_EXPECT_ASCII,       /* URI: ASCII */
    IRI_EXPECT_UCSCHAR,     /* a character that is ucschar */
    IRI_EXPECT_PUBLIC,      /* private use is for the query alone */
    IRI_EXPECT_NO_BIDI,     /* no bidi formatting character (draft 4.1) */
    IRI_EXPECT_AUTHORITY,   /* what may be in an authority */
    IRI_EXPECT_HOST,        /* "@" only once; what may be in a host */
    IRI_EXPECT_ADDRESS,     /* an IPv6 address, or "v", and "]" */
    IRI_EXPECT_PORT,        /* a digit, or the end of the authority */
    IRI_EXPECT_SEGMENT,     /* a first segment without ":" */
    IRI_EXPECT_PATH,        /* what may be in a path */
    IRI_EXPECT_QUERY,
    IRI_EXPECT_FRAGMENT,
    IRI_EXPECT_NO_FRAGMENT, /* the end, where no fragment may be */
    IRI_EXPECTS
} iri_expect_t;

/* A phrase, to follow "expected": "two hexadecimal digits behind \"%\"" */
const char *iri_expect_text(iri_expect_t expected);

/*
 * Is text of this kind by this grammar?  IRI_EXPECT_NOTHING, and *parts is as
 * of iri_split; else what was expected, and *offset, in octets of text, where;
 * *parts is then not written.  parts and offset may be NULL.  O(length), no
 * memory, no recursion.  Bidi formatting characters are refused by either
 * grammar where they stand raw (draft 4.1, MUST NOT).
 *
 * "http://a/%zz", IRI -> IRI_EXPECT_HEX, 9; "a:b/c", RELATIVE ->
 * IRI_EXPECT_RELATIVE, 0; "http://a/<b>", DRAFT -> IRI_EXPECT_NOTHING
 */
iri_expect_t iri_check(iri_str_t text, iri_as_t as, iri_grammar_t grammar,
                       iri_parts_t *parts, size_t *offset);

/*
 * 1 if text is an IP-literal with its brackets (RFC 3986, 3.2.2), an IPv4
 * address.  Zones (RFC 6874, which RFC 9844 took back) are none.
 * "[::1]" -> 1; "[v7.a]" -> 1; "[fe80::1%25en1]" -> 0;  "127.0.0.1" -> 1
 */
int iri_is_ip_literal(iri_str_t text);
int iri_is_ipv4(iri_str_t text);


/* ---- mapping --------------------------------------------------------------- */

typedef struct {
    const iri_charset_t   *charset;   /* variant B: what text is in; it is put
                                         in NFC.  NULL, or UTF-8: UTF-8 */
    int                    nfc;       /* 1: variant A, NFC for UTF-8, too: of a
                                         text that was on paper */
    const iri_host_conf_t *host;      /* A-labels for the host; NULL: it is
                                         escaped as all else is */
} iri_to_uri_conf_t;

/*
 * An IRI, or a part of one, as a URI (draft 3.1, RFC 3987, 3.1): each
 * character that may not stand in a URI becomes its octets in UTF-8, each of
 * them "%HH", in upper case; what may, escapes, "#", "[" and "]" stay as they
 * are.  UTF-8 is not normalized (variant C).  No value (out->why, out->offset
 * in octets of text) where text is not of its charset, where "%" begins no
 * escape, where the host has no A-labels, over IRI_MAX_IRI.  What comes out
 * is its own outcome; of an IRI it is a URI.  The value is text itself where
 * nothing has to be changed.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "http://a/ros\xC3\xA9#<red>" -> "http://a/ros%C3%A9#%3Cred%3E";
 * windows-1252, "/caf\xE9" -> "/caf%C3%A9"
 */
iri_status_t iri_to_uri(const iri_env_t         *env,
                        const iri_to_uri_conf_t *conf, iri_str_t text,
                        iri_converted_t *out);

typedef struct {
    iri_grammar_t          grammar;   /* what is reserved: of RFC3987, "!",
                                         "*", "'", "(" and ")" are */
    const iri_host_conf_t *host;      /* U-labels for the host; NULL: it is
                                         treated as all else is */
    const iri_charset_t   *repertoire;   /* the only characters above 7F that
                                         may come out (draft 6.6); NULL: any */
    int                    ascii;     /* 1: none at all */
} iri_to_iri_conf_t;

/*
 * A URI, or a part of one, as an IRI (draft 3.2, steps 1 to 5): escapes of
 * UTF-8 become characters, and so do escapes of what is unreserved.  These
 * stay escapes, in upper case: octets that are no UTF-8 (no other charset is
 * ever guessed), private use, bidi formatting characters, and what draft 5.1
 * advises against: ASCII that may not stand in a URI, look-alikes of space
 * and delimiters, wide and narrow forms, what is not seen (but U+200C and
 * U+200D, which words need).  Escapes of "%", "#" and what is reserved stay
 * just as they came.  What stands raw and may not stand in an IRI is escaped.
 * So the outcome maps back to text but for the case of digits and what is
 * unreserved.  Any octets are taken; no value only over IRI_MAX_IRI.
 * IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "http://a/D%C3%BCrst%fc%2f%7E" -> "http://a/D\xC3\xBCrst%FC%2f~"
 */
iri_status_t iri_to_iri(const iri_env_t         *env,
                        const iri_to_iri_conf_t *conf, iri_str_t text,
                        iri_converted_t *out);

/*
 * Octets of a charset as characters in UTF-8, strictly, as paths are read but
 * before NFC; and a text in UTF-8 as octets of a charset, each character as
 * octets that are read as it again, as new names are written.  No value where
 * octets are none of the charset (a control above 7F, too, where it is not
 * UTF-8), where a character is not in it, over IRI_MAX_TEXT; offset is in
 * octets of what was given.  IRI_NO_MEMORY.
 * Shift_JIS: "\x93\xFA" -> U+65E5 -> "\x93\xFA"
 */
iri_status_t iri_decode(const iri_env_t *env, const iri_charset_t *charset,
                        iri_str_t octets, iri_converted_t *out);
iri_status_t iri_encode(const iri_env_t *env, const iri_charset_t *charset,
                        iri_str_t text, iri_converted_t *out);


/* ---- resolution of references ---------------------------------------------- */

/*
 * The target of a reference, relative to a base (RFC 3986, 5.2.2, strict).
 * Characters stay as they are.  Where 5.3 would make text that is divided in
 * another way, a path that begins with "//" without an authority say, "/." or
 * "./" comes before it.  base: should have a scheme; one that has none gives
 * a relative reference, whose ".." never leads to a "/" at its beginning.
 * Of texts over IRI_MAX_IRI together: IRI_PATH_TOO_LONG.  IRI_NO_MEMORY.
 * "http://a/b/c/d;p?q", "../g" -> "http://a/b/g"
 */
iri_status_t iri_resolve(const iri_env_t *env, iri_str_t base,
                         iri_str_t reference, iri_str_t *out);

/*
 * A short reference that leads from base to target: iri_resolve of it is
 * target.  Where there is none that is relative it is target itself: another
 * scheme, dot-segments in target, a base without a path to start from.
 * As iri_resolve.
 * "http://a/b/c/d", "http://a/b/e/f?q" -> "../e/f?q"
 */
iri_status_t iri_relativize(const iri_env_t *env, iri_str_t base,
                            iri_str_t target, iri_str_t *out);


/* ---- normalization --------------------------------------------------------- */

typedef enum {
    IRI_FORM_NFC,
    IRI_FORM_NFD,
    IRI_FORM_NFKC,
    IRI_FORM_NFKD
} iri_unicode_form_t;

/*
 * A text in a form of Unicode (UAX #15), all of it and exactly: U+212A
 * becomes "K", U+FF0F "/" in NFKC.  For names that are to be made, not for
 * IRIs that came from elsewhere (draft 2.3).  No value where it is not UTF-8,
 * over IRI_MAX_TEXT, or with more than 1,024 combining marks in a row.
 * IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_unicode_form(const iri_env_t *env, iri_unicode_form_t form,
                              iri_str_t text, iri_converted_t *out);

/* Steps of iri_normalize_syntax, bits. */
#define IRI_NORMALIZE_SYNTAX 1u   /* RFC 3986, 6.2.2: case of scheme, host and
                                escapes, escapes of what is unreserved,
                                dot-segments behind a scheme */
#define IRI_NORMALIZE_SCHEME 2u   /* 6.2.3: http's and https's default or empty
                                port, and "/" for an empty path */

/*
 * An IRI normalized by its syntax.  Escapes above 7F stay escapes.  A text
 * that is no IRI-reference by either grammar, the draft's or that of RFC 3987,
 * which has IPvFuture, gets no value but what was expected, and where.  Its own
 * outcome.  IRI_NO_MEMORY.
 * "HTTP://a.EXAMPLE:80/%7euser/./b%c3%a9" -> "http://a.example/~user/b%C3%A9"
 */
iri_status_t iri_normalize_syntax(const iri_env_t *env, unsigned steps,
                                  iri_str_t text, iri_converted_t *out);


/* ---- equivalence ----------------------------------------------------------- */

typedef enum {
    IRI_LEVEL_STRING,    /* octet by octet (draft 2.3) */
    IRI_LEVEL_ESCAPES,   /* and escaped as not escaped, but for what is
                            reserved: both would be the same URI */
    IRI_LEVEL_NFC,       /* and in NFC what is not */
    IRI_LEVEL_SYNTAX,    /* ESCAPES behind RFC 3986, 6.2.2; not NFC */
    IRI_LEVEL_SCHEME,    /* and 6.2.3 */
    IRI_LEVEL_IDN,       /* and hosts by their A-labels */
    IRI_LEVELS
} iri_level_t;

/* Its word, static; "unknown" out of range: IRI_LEVEL_NFC -> "nfc" */
const char *iri_level_text(iri_level_t level);

/*
 * Are both the same?  *equal is 1 or 0; neither is changed (draft 2.3).  To
 * the levels SYNTAX, SCHEME and IDN what is no IRI-reference is equal to
 * itself alone.  host: of IDN; else NULL.  Of texts over IRI_MAX_IRI: equal
 * only as strings.  IRI_NO_MEMORY, IRI_ICU_FAILED; STRING and ESCAPES ask
 * for no memory.
 * "/~user", "/%7euser": STRING 0, ESCAPES 1; "/a%2Fb", "/a/b": 0 at all levels
 */
iri_status_t iri_equal(const iri_env_t *env, iri_level_t level,
                       const iri_host_conf_t *host, iri_str_t a, iri_str_t b,
                       int *equal);


/* ---- warnings -------------------------------------------------------------- */

typedef enum {
    IRI_COMPONENT_SCHEME,
    IRI_COMPONENT_USERINFO,
    IRI_COMPONENT_HOST,       /* a label of it */
    IRI_COMPONENT_PORT,
    IRI_COMPONENT_PATH,       /* a segment, a parameter, an extension of it */
    IRI_COMPONENT_OPAQUE,     /* a path that does not begin with "/", behind a
                                 scheme */
    IRI_COMPONENT_QUERY,      /* a name or a value of it */
    IRI_COMPONENT_FRAGMENT,
    IRI_COMPONENTS
} iri_component_t;

/* Its name, static; "unknown" out of range: "host label" */
const char *iri_component_text(iri_component_t component);

typedef enum {
    IRI_WARN_BIDI_MIXED,     /* letters of both directions (draft 4.2, 1) */
    IRI_WARN_BIDI_EDGE,      /* right-to-left, and does not begin or end so
                                (4.2, 2) */
    IRI_WARN_EXCLUDED,       /* ASCII that no URI may hold (5.1 b) */
    IRI_WARN_LOOKS_LIKE,     /* a look-alike of space or of a delimiter */
    IRI_WARN_WIDTH,          /* a full width or half width form */
    IRI_WARN_INVISIBLE,         /* a character that is not seen; a joiner only
                                where no letter is before it */
    IRI_WARN_TAG,            /* a tag character, U+E0000 to U+E007F */
    IRI_WARN_PRIVATE,        /* private use */
    IRI_WARN_NOT_NFC,        /* (2.3) */
    IRI_WARN_COMPATIBILITY,  /* not NFKC (6.5) */
    IRI_WARN_MIXED_SCRIPTS,  /* that no language mixes (6.5) */
    IRI_WARN_LOOK_ALIKE,     /* all of it looks like a word in ASCII (6.5) */
    IRI_WARNINGS
} iri_warning_kind_t;

/* A phrase, static; "unknown" out of range: IRI_WARN_NOT_NFC -> "not in NFC" */
const char *iri_warning_text(iri_warning_kind_t kind);

typedef struct {
    iri_warning_kind_t kind;
    iri_component_t    component;
    iri_str_t          piece;       /* of the text: all that is judged as one */
    size_t             offset;      /* of text, where it is; of a piece as a
                                       whole its beginning */
    uint32_t           character;   /* that it is about; 0: the whole piece */
    iri_str_t          like;        /* of LOOK_ALIKE: what it looks like */
} iri_warning_t;

/* Takes one; anything but IRI_OK ends the work.  *warning and what it points
   to but text are good during the call only. */
typedef iri_status_t (*iri_warn_t)(void *arg, const iri_warning_t *warning);

/*
 * The structure of a bidirectional IRI (draft 4.2): each component that breaks
 * a rule, in order, once a rule.  Components are as small as they can be:
 * labels of a host, segments of a path divided at ";" and "=", the last one
 * before its extension, names and values of a query.  Escapes are ASCII.
 * No memory.  What warn returned.
 * "http://a/\xD7\x92\xD7\x931/b" -> BIDI_EDGE of the path
 */
iri_status_t iri_bidi_check(iri_str_t text, iri_warn_t warn, void *arg);

/* In which order characters are seen from left to right. */
typedef enum {
    IRI_VISUAL_UAX9,        /* draft 4.1: UAX #9, in an embedding that runs
                               from left to right */
    IRI_VISUAL_COMPONENTS   /* draft-masinter-url-i18n, 2.4: reserved
                               characters stay where they are, UAX #9 between
                               them */
} iri_visual_t;

/*
 * text as it is seen, brackets mirrored, marks behind their base.  No value
 * where it is not UTF-8, over IRI_MAX_TEXT.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "http://\xD7\x90\xD7\x91.\xD7\x92/" -> "http://\xD7\x92.\xD7\x91\xD7\x90/"
 */
iri_status_t iri_visual_order(const iri_env_t *env, iri_visual_t order,
                              iri_str_t text, iri_converted_t *out);

/* ICU's rules for look-alikes, opened once; any number of threads use them. */
typedef struct iri_confusables_s iri_confusables_t;

/* As iri_idna_create() and iri_idna_destroy(). */
iri_confusables_t *iri_confusables_create(void);
void iri_confusables_destroy(iri_confusables_t *look);

/*
 * What draft 2.3, 5.1 and 6.5 advise against, in order of the text, by raw
 * characters and by escapes of UTF-8: of each kind the first character of a
 * piece.  look NULL: scripts and look-alikes are not judged, nor are those of a
 * piece with more than IRI_MAX_MARKS combining marks in a row.  What is over
 * IRI_MAX_TEXT gets no warnings.  IRI_NO_MEMORY, IRI_ICU_FAILED, what warn
 * returned.
 * "http://a/p\xD0\xB0ypal" -> MIXED_SCRIPTS, of the path "p\xD0\xB0ypal"
 */
iri_status_t iri_characters_check(const iri_env_t *env,
                                  const iri_confusables_t *look, iri_str_t text,
                                  iri_warn_t warn, void *arg);


/* ---- names of a directory -------------------------------------------------- */

/* What may be the matter with the name of an entry. */
typedef enum {
    IRI_LINT_UNREADABLE,   /* no charset of the tree reads its octets */
    IRI_LINT_UNREACHABLE,  /* it has a control character, or is too long: no
                              request can name it */
    IRI_LINT_CHARSET,      /* it is read in another charset than it seems to
                              be written in: charset */
    IRI_LINT_MOJIBAKE,     /* it seems to be UTF-8 that was taken for
                              windows-1252 and encoded again: meant */
    IRI_LINT_TWIN,         /* other has the same name */
    IRI_LINT_COLLISION,    /* it is other's where match is forgiven */
    IRI_LINT_FORM,         /* asked for in charset, its octets are those of
                              other's name in UTF-8 or an earlier charset */
    IRI_LINT_NFC,          /* it is not written in NFC */
    IRI_LINT_NFKC,         /* it has compatibility characters */
    IRI_LINT_BIDI,         /* it is not seen in its order (draft 4.1, 4.2) */
    IRI_LINT_LOOK_ALIKE,   /* it looks like other, or like ASCII (meant), or
                              has what is not seen, looks like a space or a
                              delimiter, or is mixed of scripts (5.1, 6.5) */
    IRI_LINT_RESERVED,     /* a link must escape characters of it that have a
                              meaning in URIs: RFC 3986, 2.2, and "%" */
    IRI_LINT_LONG,         /* in UTF-8 it is longer than names may be */
    IRI_LINT_LEGACY,       /* it is not written in UTF-8, but in charset */
    IRI_LINT_KINDS
} iri_lint_kind_t;

typedef struct {
    iri_lint_kind_t kind;
    iri_str_t       octets;   /* of the entry; empty: of the whole directory */
    iri_str_t       name;     /* canonical, UTF-8; empty: it has none */
    iri_str_t       other;    /* octets of another entry; or empty */
    iri_match_t     match;    /* of COLLISION; else NONE */
    iri_str_t       meant;    /* of MOJIBAKE: the name that it was; of
                                 LOOK_ALIKE: the ASCII that it looks like;
                                 else empty */
    const char     *why;      /* of BIDI, and of LOOK_ALIKE of one name: a
                                 phrase, static; else NULL */
    iri_str_t       charset;  /* of CHARSET, FORM, LEGACY; of UNREADABLE a
                                 guess, or empty */
} iri_finding_t;

/* Takes one finding, whose strings live as long as the call; else ends it. */
typedef iri_status_t (*iri_lint_each_t)(void *arg,
                                        const iri_finding_t *finding);

typedef struct {
    const iri_charsets_t  *requests;   /* iri_charset: of FORM; may be empty */
    const iri_tree_conf_t *tree;       /* finished; match is not looked at */
    unsigned               match;      /* IRI_FOLD_... of COLLISION */
    unsigned               kinds;      /* 1u << kind, of those to be told */
    const iri_confusables_t      *look;       /* of LOOK_ALIKE; NULL: scripts and
                                          skeletons are not looked at */
} iri_lint_conf_t;

/*
 * Look at all names of one directory together, and tell each finding: first
 * those of single names in the order in which they were given, then those of
 * two, by their names.  names: octets of entries, without "." and "..", none
 * twice; they must live as long as the call.  Everything else is allocated in
 * env's arena, some 200 octets a name, and 8 a character with SPELLING.  Asks
 * nothing of the file system.
 * IRI_NO_MEMORY, IRI_ICU_FAILED; what each returned.
 *
 * {"e\xCC\x81", "\xC3\xA9"} -> NFC of the first; TWIN of the two
 */
iri_status_t iri_lint(const iri_env_t *env, const iri_lint_conf_t *conf,
                      const iri_str_t *names, size_t count,
                      iri_lint_each_t each, void *arg);

/* "twin"; and back: IRI_LINT_KINDS where no kind has that word. */
const char *iri_lint_text(iri_lint_kind_t kind);
iri_lint_kind_t iri_lint_kind(iri_str_t word);

/* A clause about the entry: "has the same name as another entry, ..." */
const char *iri_lint_about(iri_lint_kind_t kind);


#pragma GCC visibility pop

#endif /* IRI_REF_H */
