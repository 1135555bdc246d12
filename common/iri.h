/*
 * iri.h - reading, matching and mapping the path of a request
 *
 * The whole contract of the core.  Octets of a request path go in, an answer
 * comes out:
 *
 *     request path --iri_read--> reading --iri_find--> entry on disk, answer
 *
 * It implements section 6.7 of draft-duerst-iri-03: a server should accept an
 * IRI in its native UTF-8 form, its percent-encoded form and, where the site
 * wants it, in legacy encodings, and match all of them with the one local
 * resource.  Nothing here knows a server.
 *
 * Words
 *   octet           a byte of the wire or of the disk
 *   character       a Unicode code point
 *   segment         what stands between two "/" of a path (RFC 3986, 3.3)
 *   reading         the octets of a path taken as characters in one charset,
 *                   each segment in NFC
 *   canonical path  the characters of the chosen reading, as UTF-8
 *   form            how the path was written: enum iri_form_t
 *   entry           a name in a directory, octets as stored; its *name* is
 *                   those octets read in the tree's charset, in NFC
 *   match           what had to be forgiven to find the entry
 *   answer          what the server should do: enum iri_answer_t
 *
 * Rules of the house
 *   - Configuration (iri_registry_t, iri_reading_conf_t, iri_tree_conf_t) is
 *     built once and never written while requests run: any number of threads
 *     may use it.  All else belongs to one request and lives in its arena.
 *   - Strings are pointer and length, need no final NUL and may hold any
 *     octet.  What a function returns lives as long as the arena of the
 *     iri_env_t it was given, or as the input that it points into.
 *   - Outputs are written only when a function returns IRI_OK.
 *   - No function writes to the octets it is given.
 */

#ifndef IRI_H
#define IRI_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of the library, the command and both modules; build/libiri.pc has it, too. */
#define IRI_VERSION "1.0.0"

/* Both servers load modules into one name space: keep the core out of it. */
#pragma GCC visibility push(hidden)


/* ---- limits (each is tested at limit - 1, limit, limit + 1) ------------- */

#define IRI_MAX_PATH          8192   /* octets of a non-ASCII path, unescaped,
                                        as it came and canonical */
#define IRI_MAX_QUERY         8192   /* octets of a query, as it came and as it
                                        becomes */
#define IRI_MAX_TEXT         65536   /* octets of a text to be converted */
#define IRI_MAX_SEGMENTS       128   /* segments of a non-ASCII path */
#define IRI_MAX_SEGMENT       1024   /* octets of one segment, likewise */
#define IRI_MAX_MARKS           30   /* combining marks in a row to normalize */
#define IRI_MAX_CHARSETS         8   /* charsets in a list */
#define IRI_MAX_LOOKS            8   /* candidates a segment */
#define IRI_MAX_REQUEST_LOOKS   64   /* candidates a request */
#define IRI_MAX_CALLS          200   /* file-system calls a request */
#define IRI_MAX_LISTS           16   /* directories read a request */
#define IRI_MAX_LISTED       10000   /* entries read of one directory to find
                                        names in an odd form only */
#define IRI_MAX_WAITED        2000   /* entries read of one to index it while
                                        a request waits, where more can be
                                        read elsewhere (iri_cache_conf_t) */
#define IRI_MAX_INDEXED    1000000   /* entries of an indexed directory */
#define IRI_MIN_CACHE        65536   /* octets of a cache */
#define IRI_MAX_CACHE   UINT64_C(4294967296)
#define IRI_MAX_CHOICES          8   /* names that a request may mean */
#define IRI_MIN_SPELLING         4   /* characters of a key to be guessed,
                                        before the "." of its suffix */
#define IRI_MAX_HOST          1024   /* octets of a host, unescaped */
#define IRI_MAX_LABELS         127   /* labels of a host */
#define IRI_MAX_LABEL          256   /* characters of a label to be mapped */
#define IRI_MAX_ALABEL          63   /* octets of a label as A-label */
#define IRI_MAX_HOST_ASCII     253   /* octets of a host in A-labels, without
                                        the dot at its end */


/* ---- strings ------------------------------------------------------------ */

typedef struct {
    size_t               len;    /* octets */
    const unsigned char *data;   /* may be NULL when len is 0 */
} iri_str_t;

#define IRI_STR(literal)                                                      \
    { sizeof(literal) - 1, (const unsigned char *) (literal) }


/*
 * SipHash-1-3 of octets that a client may choose: without the key, which is
 * random (getrandom), nobody can find many of the same hash.
 */
uint32_t iri_keyed_hash(const uint64_t key[2], iri_str_t octets);


/* ---- statuses and answers ----------------------------------------------- */

/* Why work could not be done.  "No such name" is an answer, not a status. */
typedef enum {
    IRI_OK = 0,
    IRI_NO_MEMORY,           /* the arena gave NULL */
    IRI_PATH_TOO_LONG,       /* more than IRI_MAX_PATH octets */
    IRI_TOO_MANY_SEGMENTS,   /* more than IRI_MAX_SEGMENTS */
    IRI_SEGMENT_TOO_LONG,    /* more than IRI_MAX_SEGMENT octets unescaped */
    IRI_BAD_ESCAPE,          /* "%" without two hexadecimal digits */
    IRI_ICU_FAILED,          /* ICU reported an error */
    IRI_IO_FAILED,           /* the file system reported an error */
    IRI_NOT_LISTED,          /* of iri_dir_t only: it may not be listed */
    IRI_STATUSES             /* how many there are */
} iri_status_t;

/* How the path was written. */
typedef enum {
    IRI_FORM_ASCII,     /* only ASCII */
    IRI_FORM_NATIVE,    /* raw UTF-8 octets */
    IRI_FORM_ESCAPED,   /* percent-encoded UTF-8 */
    IRI_FORM_MIXED,     /* both of these: the drafts' partial IRI */
    IRI_FORM_LEGACY,    /* a charset of iri_charset, raw or percent-encoded */
    IRI_FORM_DOUBLE,    /* percent-encoded twice */
    IRI_FORM_MOJIBAKE,  /* UTF-8 taken for windows-1252, encoded once more */
    IRI_FORM_U,         /* "%uXXXX", of escape() in JavaScript */
    IRI_FORM_INVALID,   /* no reading */
    IRI_FORMS
} iri_form_t;

/* What had to be forgiven, weakest first. */
typedef enum {
    IRI_MATCH_NONE,            /* nothing was looked for or found */
    IRI_MATCH_EXACT,           /* nothing: asked for in the canonical form,
                                  and the entry is written so */
    IRI_MATCH_NORMALIZATION,   /* another normalization form, NFD say */
    IRI_MATCH_CHARSET,         /* another charset in the request or on disk */
    IRI_MATCH_VARIANTS,        /* a JIS vendor pair, U+301C and U+FF5E say */
    IRI_MATCH_WIDTH,           /* full width, half width */
    IRI_MATCH_CASE,            /* upper and lower case */
    IRI_MATCH_ACCENTS,         /* accents of Latin, Greek and Cyrillic */
    IRI_MATCH_SPELLING,        /* one character too many, too few, wrong, or
                                  two in the wrong order */
    IRI_MATCH_REPAIR,          /* written as iri_repair puts right */
    IRI_MATCHES
} iri_match_t;

/* What the server should do. */
typedef enum {
    IRI_PASS,     /* nothing to say: go on as if the module were not there */
    IRI_SERVE,    /* go on with this canonical path, this entry */
    IRI_MOVED,    /* the resource has another canonical path: start over */
    IRI_CHOOSE,   /* several resources may be meant, none more than another */
    IRI_REFUSE,   /* answer with the HTTP status that stands beside it */
    IRI_ANSWERS
} iri_answer_t;

/* Why the answer is what it is, for logs and `iri explain`. */
typedef enum {
    IRI_WHY_NOTHING,       /* no reason to give */
    IRI_WHY_ASCII,         /* an ASCII path is its own name */
    IRI_WHY_CANONICAL,     /* came in its canonical form */
    IRI_WHY_READ,          /* was read in another form */
    IRI_WHY_DECLARED,      /* the tree is declared UTF-8 NFC: no look needed */
    IRI_WHY_FOUND,         /* the entry has the name that was asked */
    IRI_WHY_FURTHER,       /* found under a further reading */
    IRI_WHY_MIXED,         /* found with a charset for each segment */
    IRI_WHY_REPAIRED,      /* found where what was broken is put right */
    IRI_WHY_VARIANT,       /* found by a vendor variant */
    IRI_WHY_FOLDED,        /* found where width, case, accents are forgiven */
    IRI_WHY_SPELLING,      /* found as the one name with one edit */
    IRI_WHY_AMBIGUOUS,     /* several names, none nearer than the others */
    IRI_WHY_BELOW,         /* absent, but its directory has another name */
    IRI_WHY_ABSENT,        /* no entry has that name */
    IRI_WHY_UNWRITABLE,    /* the tree's charsets cannot write that name */
    IRI_WHY_TWIN,          /* to be made beside one that answers to it */
    IRI_WHY_OTHER_TREE,    /* what is in it would have other names there */
    IRI_WHY_UNNAMED,       /* octets that no tree charset reads, as they are */
    IRI_WHY_OTHER_NAME,    /* those octets are another entry's name */
    IRI_WHY_FORBIDDEN,     /* holds a NUL, or a dot-segment */
    IRI_WHY_UNREADABLE,    /* no charset reads the path */
    IRI_WHY_BIDI,          /* a bidi formatting character came raw */
    IRI_WHY_LIMIT,         /* over a limit of length or segments */
    IRI_WHY_BUDGET,        /* the budget of looks was spent */
    IRI_WHY_ERROR,         /* memory, ICU or the file system failed */
    IRI_WHYS
} iri_why_t;

/*
 * The word for a value, as variables, logs and JSON write it; static,
 * NUL-terminated; "unknown" for a value out of range.
 * iri_form_text(IRI_FORM_LEGACY) -> "legacy"
 */
const char *iri_status_text(iri_status_t status);
const char *iri_form_text(iri_form_t form);
const char *iri_match_text(iri_match_t match);
const char *iri_answer_text(iri_answer_t answer);
const char *iri_why_text(iri_why_t why);

/* The same as one word, for logs: "other-tree"; see doc/reasons.md */
const char *iri_why_code(iri_why_t why);


/* ---- what the caller lends ---------------------------------------------- */

/* TRACE: a reading, a look.  STEP: what these belong to, and the answer. */
typedef enum {
    IRI_LOG_ERROR,
    IRI_LOG_INFO,
    IRI_LOG_TRACE,
    IRI_LOG_STEP
} iri_log_level_t;

/* What stands at a path of the file system. */
typedef enum {
    IRI_NODE_ABSENT,    /* ENOENT, ENAMETOOLONG, ELOOP */
    IRI_NODE_NOT_DIR,   /* a leading part is no directory: ENOTDIR */
    IRI_NODE_DIR,       /* a directory, or a link to one */
    IRI_NODE_OTHER      /* anything else that exists, dangling links too */
} iri_node_kind_t;

typedef struct {
    iri_node_kind_t kind;
    uint64_t        dev;     /* 0 unless kind is DIR or OTHER, as below */
    uint64_t        ino;
    int64_t         mtime;   /* nanoseconds since the epoch */
    int64_t         ctime;
} iri_node_t;

/* Takes one entry of a directory; anything but IRI_OK ends the listing. */
typedef iri_status_t (*iri_each_t)(void *arg, iri_str_t name);

/*
 * The file system as the core sees it.  Paths are octets, absolute and
 * NUL-terminated.  Both return IRI_IO_FAILED for what is neither success nor
 * absence (EACCES, EIO, EMFILE ...): the core then looks no further.  list
 * returns IRI_NOT_LISTED for a directory that may be searched and not read:
 * there exact names are found all the same.
 */
typedef struct {
    iri_status_t (*stat)(void *ctx, const char *path, iri_node_t *node);
    iri_status_t (*list)(void *ctx, const char *path, iri_node_t *node,
                         iri_each_t each, void *arg);
                         /* "." and ".." left out; node: that which was
                            opened, as it was before the first entry was
                            read, for path may lead elsewhere by now; kind
                            ABSENT if none was */
} iri_dir_t;

/* The POSIX file system: lstat, stat, readdir; ctx is not used. */
extern const iri_dir_t iri_dir_posix;

typedef struct {
    void            *ctx;                       /* given to each of these */
    void          *(*alloc)(void *ctx, size_t size);   /* arena, or NULL */
    void           (*log)(void *ctx, iri_log_level_t level, iri_str_t line);
                                 /* NULL: silent; line has no end of line */
    const iri_dir_t *dir;        /* for iri_find; iri_read needs none */
    int              trace;      /* 1: each reading and look is logged too */
} iri_env_t;


/* Steps, for a trace: a server's and that of `iri explain` have these words. */
typedef enum {
    IRI_STEP_READING,   /* a path; told by iri_read */
    IRI_STEP_LOOKING,   /* below a root; told by iri_find */
    IRI_STEP_OVER,      /* under the path that was found; for the caller */
    IRI_STEP_QUERY,     /* told by iri_query_read */
    IRI_STEPS
} iri_stage_t;

/* "Reading ", "Looking below ", "Starting over as ", "Reading the query " */
const char *iri_step_text(iri_stage_t step);

/* One line at IRI_LOG_STEP, where there is a trace. */
void iri_trace_step(const iri_env_t *env, iri_stage_t step, iri_str_t octets);


/* ---- charsets (iri_charset.c) -------------------------------------------- */

/*
 * A charset that was read through once, sequence by sequence, and found
 * fit for paths: ASCII is ASCII, no sequence that starts with a high octet
 * gives an ASCII character, no state, no "/", ".", "%" or NUL inside a
 * sequence.  What was seen is kept as tables, so that reading needs no
 * converter and no lock.
 */
typedef struct iri_charset_s iri_charset_t;

typedef struct {
    size_t               count;                  /* 0: none */
    const iri_charset_t *at[IRI_MAX_CHARSETS];   /* in the order given */
} iri_charsets_t;

/* The charsets of one configuration; each is opened once. */
typedef struct iri_registry_s iri_registry_t;

/*
 * Make an empty registry in env's arena, which must outlive all that is
 * opened in it (a configuration pool).  env is copied.  NULL: no memory, or
 * ICU's data is missing.
 */
iri_registry_t *iri_registry_create(const iri_env_t *env);

/* The name as the Encoding Standard writes it: "Shift_JIS"; "UTF-8". */
iri_str_t iri_charset_name(const iri_charset_t *charset);

/* A charset for an output of a reading that used more than one: "mixed". */
extern const iri_str_t iri_charset_mixed;


/* ---- settings: one parser of values for both servers (iri_conf.c) -------- */

typedef enum { IRI_ENGINE_OFF, IRI_ENGINE_ON, IRI_ENGINE_REPORT } iri_engine_t;
typedef enum {
    IRI_INVALID_404,
    IRI_INVALID_400,
    IRI_INVALID_PASS
} iri_invalid_t;
typedef enum { IRI_NAMES_ANY, IRI_NAMES_NFC, IRI_NAMES_NFD } iri_names_t;

typedef enum { IRI_AMBIGUOUS_404, IRI_AMBIGUOUS_300 } iri_ambiguous_t;

/* Bits of iri_tree_conf_t.match */
#define IRI_FORGIVE_NORMALIZATION 0x01u
#define IRI_FORGIVE_VARIANTS      0x02u
#define IRI_FORGIVE_WIDTH         0x04u
#define IRI_FORGIVE_CASE          0x08u
#define IRI_FORGIVE_ACCENTS       0x10u
#define IRI_FORGIVE_SPELLING      0x20u
#define IRI_FORGIVE_EXACT_ONLY    0x80u   /* "exact" was said */
#define IRI_FORGIVE_TURKIC       0x100u   /* with CASE: i is not I's */
#define IRI_FORGIVE_GERMAN       0x200u   /* with ACCENTS: "ae" for a-umlaut */
#define IRI_FORGIVE_ESCAPES      0x400u   /* iri_tree_conf_finish: repair has
                                             something of ESCAPES */

/* What needs an index: names are compared, not written. */
#define IRI_FORGIVE_FOLDED                                                    \
    (IRI_FORGIVE_WIDTH | IRI_FORGIVE_CASE | IRI_FORGIVE_ACCENTS               \
     | IRI_FORGIVE_SPELLING)

/* Bits of iri_tree_conf_t.repair */
#define IRI_REPAIR_DOUBLE   0x1u   /* double-encoding */
#define IRI_REPAIR_MOJIBAKE 0x2u
#define IRI_REPAIR_U        0x4u   /* %u */
#define IRI_REPAIR_ESCAPES  (IRI_REPAIR_DOUBLE | IRI_REPAIR_U)   /* in paths
                                   that hold a "%" when they are unescaped */

/* What governs reading: of a server, for no location is chosen yet. */
typedef struct {
    iri_charsets_t charsets;   /* iri_charset: beside UTF-8, in order */
    iri_invalid_t  invalid;    /* iri_invalid */
    unsigned       repair;     /* what any place of the server repairs:
                                  IRI_REPAIR_... */
} iri_reading_conf_t;

/* What governs looking: of a place (location, <Directory>). */
typedef struct {
    iri_charsets_t  charsets;  /* iri_filename_charset; count 0: UTF-8 */
    iri_names_t     names;     /* iri_filename_form */
    unsigned        match;     /* iri_match: IRI_FORGIVE_... */
    iri_ambiguous_t ambiguous; /* iri_ambiguous */
    unsigned        repair;    /* iri_repair: IRI_REPAIR_...; 0: off */
} iri_tree_conf_t;

/*
 * Parse the words of one directive.  words: as the server split them, count
 * of them at least 1; letter case does not matter.  Return NULL and fill
 * *out, or return a NUL-terminated sentence, in the registry's arena or
 * static, that says what is wrong and what would be right, fit to follow the
 * directive's name.
 *
 * iri_parse_charsets: labels of the Encoding Standard and a few more that
 * users mean by them ("cp949"); "none" alone gives an empty list where
 * none_allowed is 1; UTF-8 is left out then, since it is always read, and
 * kept otherwise.  {"sjis", "euc-jp"} -> {Shift_JIS, EUC-JP};
 * {"ISO-2022-JP"} -> "\"ISO-2022-JP\" switches states ...".
 */
const char *iri_parse_engine(iri_str_t word, iri_engine_t *out);
const char *iri_parse_charsets(iri_registry_t *registry,
                               const iri_str_t *words, size_t count,
                               int none_allowed, iri_charsets_t *out);
const char *iri_parse_invalid(iri_str_t word, iri_invalid_t *out);
const char *iri_parse_names(iri_str_t word, iri_names_t *out);
const char *iri_parse_match(const iri_str_t *words, size_t count,
                            unsigned *out);

/* The first of these words that iri_match knows not; count: it knows all. */
size_t iri_match_wrong(const iri_str_t *words, size_t count);

/*
 * iri_ambiguous: "404" or "300"; iri_repair: "off", or words of those that it
 * puts right, for iri_tree_conf_t.repair.  As the other iri_parse_...
 */
const char *iri_parse_ambiguous(iri_str_t word, iri_ambiguous_t *out);
const char *iri_parse_repair(const iri_str_t *words, size_t count,
                             unsigned *out);

/* As iri_match_wrong(), of iri_repair. */
size_t iri_repair_wrong(const iri_str_t *words, size_t count);

/*
 * iri_redirect: a status, "301"; 0 for "off"; IRI_REDIRECT_LINK for "link".
 * As the other iri_parse_...
 */
const char *iri_parse_redirect(iri_str_t word, int *out);
#define IRI_REDIRECT_LINK 1   /* no redirect, but iri_canonical_link */

/*
 * A warning of the order of a list: a charset reads most of what is written in
 * a later one, which then is hardly reached, and not so in the other order.
 * NULL, or a sentence in the registry's arena that can follow the name of the
 * directive: {Shift_JIS, EUC-JP} -> "has "Shift_JIS" before "EUC-JP", but ..."
 */
const char *iri_charsets_hide(const iri_registry_t *registry,
                              const iri_charsets_t *list);

/* Sort charsets, none of them UTF-8, so that iri_charsets_hide is NULL. */
void iri_charsets_order(iri_charsets_t *list);

/*
 * iri_cache: "off" or a size, "16m", "512k", "1g", octets; then, where
 * threads is not NULL, perhaps "threads=NAME".  *size: 0 is "off".  *threads
 * points into words; empty: none was named.
 */
const char *iri_parse_cache(const iri_str_t *words, size_t count,
                            size_t *size, iri_str_t *threads);

/*
 * A list that is known only when a request comes (a variable of the server).
 * _open_all: open every charset that a list may name, so that none has to be
 * opened then; one that this machine's ICU does not have is left out.  NULL,
 * or a sentence as above.  _charsets_of: the list that value says, labels
 * divided by blanks or commas; empty, or "none" alone: no charset.  UTF-8, and
 * a charset that is named again, are passed over.  NULL and *out filled in; or
 * what is wrong with *word of it, static, fit to follow it.  Asks for no
 * memory; any number of threads may call it.
 * "euc-jp, sjis" -> {EUC-JP, Shift_JIS}; "klingon" -> "is no charset ..."
 */
const char *iri_registry_open_all(iri_registry_t *registry);
const char *iri_charsets_of(const iri_registry_t *registry, iri_str_t value,
                            iri_charsets_t *out, iri_str_t *word);

/*
 * After merging: fill in what follows from other settings.  An empty charset
 * list becomes UTF-8; the variants are forgiven where a Japanese charset is
 * in either list and "exact" was not said; IRI_FORGIVE_ESCAPES.  reading NULL:
 * each request has a list of its own, in which one may be.
 */
void iri_tree_conf_finish(const iri_reading_conf_t *reading,
                          iri_tree_conf_t *tree);


/* ---- reading (iri_read.c, iri_uri.c) ------------------------------------- */

/*
 * 1 if no octet is above 7F.  The one test that a plain ASCII request pays, so
 * it is here: a word at a time, the last one over what was looked at before.
 */
static inline int
iri_is_low(iri_str_t s)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t       word;
    size_t         at;

    if (s.len < sizeof(word)) {
        for (at = 0; at < s.len; at++) {
            if (s.data[at] >= 0x80) {
                return 0;
            }
        }

        return 1;
    }

    for (at = 0; at < s.len - sizeof(word); at += sizeof(word)) {
        memcpy(&word, s.data + at, sizeof(word));
        if (word & high) {
            return 0;
        }
    }

    memcpy(&word, s.data + s.len - sizeof(word), sizeof(word));

    return (word & high) == 0;
}

/*
 * 1 if no octet of the path is above 7F and, when escaped is 1, no escape
 * stands for one: there is nothing to do for it.
 */
int iri_is_ascii(iri_str_t path, int escaped);

/*
 * 1 if a client may give this path to something new: octets, unescaped, that
 * start with "/"; no segment but the last is empty, none is a dot-segment
 * (RFC 3986, 3.3), and there is no C0 control and no DEL.  For paths in
 * ASCII, which iri_read does not look at.
 * "/a/b/" -> 1; "/a//b" -> 0; "/./a" -> 0; "/a\n" -> 0; "" -> 0
 */
int iri_is_new_path(iri_str_t path);

/* How a path is handed to iri_read. */
typedef struct {
    iri_str_t path;      /* starts with "/"; octets */
    int       escaped;   /* 0: the server has unescaped path, once (nginx);
                            1: path is still percent-encoded (httpd) */
    iri_str_t target;    /* the same as it was sent, percent-encoded or raw,
                            up to "?": tells native from escaped and a raw
                            bidi character.  Empty: for escaped == 1 it is
                            path itself; for escaped == 0 the path was made
                            by the server, and nothing of it came raw. */
} iri_request_t;

typedef struct {
    iri_answer_t answer;    /* PASS: path is canonical already; SERVE: go on
                               with the canonical path; REFUSE: see status */
    int          status;    /* HTTP status for REFUSE: 400, 404; else 0 */
    iri_why_t    why;
    iri_form_t   form;
    iri_str_t    charset;   /* its name; "mixed"; empty for ASCII, invalid */
    iri_str_t    path;      /* canonical, unescaped UTF-8; as it came where
                               there is no reading, and of ASCII */
    iri_str_t    uri;       /* canonical, percent-encoded, upper-case hex; of
                               a path that came escaped the escapes of ASCII
                               characters stay escapes ("%2F", "%25"),
                               and all of it where there is no reading */
    iri_str_t    octets;    /* path as it came, unescaped: what further
                               readings are made from; of ASCII, and over
                               a limit, as path */
    int          raw;       /* 1: target held octets above 7F, so a proxy
                               must not forward it as it stands */
    const iri_reading_conf_t *conf;   /* that of the call */
} iri_reading_t;

/*
 * Read a path: from octets to canonical characters.
 *
 * Strict UTF-8 first, then the first charset of conf in which the whole path
 * is valid, then, where no one charset reads the whole path, the first that
 * reads each segment.  Every segment is put in NFC, except that U+037E,
 * U+1FEF and U+212A, whose NFC is ASCII, stay, and so does a segment with
 * more than IRI_MAX_MARKS combining marks in a row.  After that no segment
 * holds a C0, C1 or DEL, nor an ASCII character that its octets did not
 * have, nor, out of a legacy charset, U+FFFD or a noncharacter.  Bidi
 * formatting characters are read only where they came percent-encoded.
 *
 * A path over a limit is IRI_OK with REFUSE 404 and why IRI_WHY_LIMIT; a
 * path that cannot be read is what conf->invalid says.  Returns
 * IRI_NO_MEMORY, IRI_ICU_FAILED, IRI_BAD_ESCAPE (escaped only; let the
 * server refuse it).
 *
 * "/caf%E9" with windows-1252 -> SERVE, legacy, path "/caf\xC3\xA9", uri
 * "/caf%C3%A9".  "/cafe%CC%81" -> SERVE, escaped, the same path.
 */
iri_status_t iri_read(const iri_env_t *env, const iri_reading_conf_t *conf,
                      const iri_request_t *request, iri_reading_t *out);

/*
 * The same for who needs no uri: it may be empty where request->escaped is 0.
 * iri_path_to_uri makes it of path then, and iri_location does so by itself.
 * Statuses as of iri_read.
 */
iri_status_t iri_read_path(const iri_env_t *env,
                           const iri_reading_conf_t *conf,
                           const iri_request_t *request, iri_reading_t *out);

/*
 * 1 if no escape of a URI path is of an ASCII character: then unescaping makes
 * no "/", no "%" and no control that was not there.  uri: octets,
 * percent-encoded; empty is allowed.  A "%" with fewer than two octets behind
 * it counts as one of ASCII; that these are hexadecimal is not asked.
 * "/caf%C3%A9" -> 1, "/caf%C3%A9%2F" -> 0, "/caf%C" -> 0.
 */
int iri_is_high_escaped(iri_str_t uri);

/* Stands in a URI path as it is: pchar of RFC 3986, 3.3, and "/", not "%" */
static inline int
iri_is_path_char(unsigned char c)
{
    /* each at its place, from 00 up; a blank is none */
    static const char stands[0x80 + 1] = "                                "
                                         " !  $ &'()*+,-./0123456789:; =  "
                                         "@ABCDEFGHIJKLMNOPQRSTUVWXYZ    _"
                                         " abcdefghijklmnopqrstuvwxyz   ~ ";

    return c < 0x80 && stands[c] != ' ';
}

/*
 * A canonical path as a URI path: percent-encoded UTF-8, upper-case hex,
 * nothing escaped that need not be (RFC 3986, pchar and "/").  Any octets
 * are taken.  *out is path itself where nothing has to be escaped.
 * IRI_NO_MEMORY.
 * "/caf\xC3\xA9 1" -> "/caf%C3%A9%201"
 */
iri_status_t iri_path_to_uri(const iri_env_t *env, iri_str_t path,
                             iri_str_t *out);

/*
 * The same as an IRI path: ucschar stay as they are; ASCII that is no pchar,
 * controls, bidi formatting characters, private use and octets that are not
 * UTF-8 are percent-encoded (draft 2.2, 3.2, 4.1).  *out is path itself where
 * nothing has to be escaped.  IRI_NO_MEMORY.
 */
iri_status_t iri_path_to_iri(const iri_env_t *env, iri_str_t path,
                             iri_str_t *out);

/*
 * The one spelling of a URI path (RFC 3986, 6.2.2): an escape of an unreserved
 * character becomes that character, other escapes stay, in upper-case hex, and
 * what cannot stand in a path is escaped.  sent: octets, percent-encoded or
 * raw.  iri_is_spelled: 1 if iri_spell would change nothing.  *out is sent
 * itself then.  IRI_NO_MEMORY.
 * "/%66%2f%c3%a9\"" -> "/f%2F%C3%A9%22"
 */
int iri_is_spelled(iri_str_t sent);
iri_status_t iri_spell(const iri_env_t *env, iri_str_t sent, iri_str_t *out);


/* ---- redirects (iri_redirect.c) ------------------------------------------ */

/* How a GET or HEAD came, and what answers it. */
typedef struct {
    const iri_reading_t *came;  /* the reading of what was sent */
    iri_str_t sent;      /* the path as the client sent it, percent-encoded or
                            raw, up to "?"; empty: only came is known */
    iri_str_t path;      /* the canonical path to be served: came->path, or
                            that of what was found */
    int       slash;     /* 1: a directory, whose path lacks its "/" */
    int       has_query;
    iri_str_t query;     /* as it was sent */
} iri_redirect_t;

/*
 * Where the client should be redirected to, so that it uses the canonical
 * URI: percent-encoded, starts with exactly one "/", followed by "?" and the
 * query as it came where has_query is 1.  Escapes of ASCII characters that are
 * not unreserved stay as they were sent, "%2F" too; of a path that dot-segments
 * or slashes were removed from they do not, unless it is ASCII.  Empty where the
 * request came in the one spelling of this very path, or in ASCII with
 * dot-segments.  Never a URI that would be redirected again.  IRI_NO_MEMORY.
 * "/caf\xC3\xA9", query "a=1", sent as "/caf%E9" -> "/caf%C3%A9?a=1"
 */
iri_status_t iri_location(const iri_env_t *env,
                          const iri_redirect_t *redirect, iri_str_t *out);

/* What is known of the resource that has the canonical path. */
typedef enum {
    IRI_PRESENT,     /* the disk has an entry with just that path */
    IRI_ABSENT,      /* it has none, and nothing else answers: a 404 */
    IRI_UNCONFIRMED  /* it has none, or was not asked, but an application, or
                        another server, answers */
} iri_presence_t;

/*
 * May the client be redirected there?  method: of the request, as sent.  Only
 * GET and HEAD, whose content is not lost.  A path with an entry may; one with
 * none and no answer may not; and where only an application can tell what a
 * path names, one that differs in escapes and normalization alone: not what
 * another charset, repair or the disk has made of it.
 * "/caf%E9", legacy: PRESENT -> 1, UNCONFIRMED -> 0
 * "/caf\xC3\xA9": PRESENT, UNCONFIRMED -> 1, ABSENT -> 0
 */
int iri_may_redirect(iri_str_t method, const iri_redirect_t *redirect,
                     iri_presence_t presence);


/* ---- hosts: draft-duerst-idn-uri, UTS #46, RFC 5890 to 5893 (iri_host.c) - */

typedef enum { IRI_HOSTS_OFF, IRI_HOSTS_ON, IRI_HOSTS_STRICT } iri_hosts_t;

/* iri_host: "off", "on", "strict"; as the other iri_parse_... */
const char *iri_parse_hosts(iri_str_t word, iri_hosts_t *out);

/* How characters of a host are mapped. */
typedef enum {
    IRI_MAPPING_UTS46,      /* non-transitional, STD3, CheckBidi, ContextJ */
    IRI_MAPPING_COMPATIBLE  /* the older "IDNA Compatible Preprocessing":
                               table, NFC, labels, IDNA2008 */
} iri_mapping_t;

/* ICU's rules for host names, opened once; any number of threads use them. */
typedef struct iri_idna_s iri_idna_t;

/*
 * To be destroyed by who has made it; not before the last iri_host_conf_t with
 * it was used.  create: NULL where there is no memory, or no data of ICU;
 * destroy: of NULL it does nothing.
 */
iri_idna_t *iri_idna_create(void);
void iri_idna_destroy(iri_idna_t *idna);

typedef struct {
    const iri_idna_t *idna;
    iri_mapping_t     mapping;
    int               strict;   /* 1: IDNA2008 must take each label, too */
} iri_host_conf_t;

/* Why a host is what it is. */
typedef enum {
    IRI_HOST_ASCII,       /* ASCII without "%", or empty: not looked at */
    IRI_HOST_LITERAL,     /* an IP literal, "[::1]": not looked at */
    IRI_HOST_MAPPED,      /* a host name, with its A-labels */
    IRI_HOST_ESCAPE,      /* "%" without two hexadecimal digits */
    IRI_HOST_OCTETS,      /* not UTF-8 */
    IRI_HOST_LIMIT,       /* too many octets, labels, or too long a label */
    IRI_HOST_EMPTY,       /* a label is empty */
    IRI_HOST_CHARACTER,   /* a character that no host name may have */
    IRI_HOST_HYPHEN,      /* "-" at an end of a label, or third and fourth */
    IRI_HOST_MARK,        /* a label begins with a combining mark */
    IRI_HOST_BIDI,        /* breaks the bidi rule of RFC 5893 */
    IRI_HOST_JOINER,      /* a joiner where none may be: ContextJ */
    IRI_HOST_ALABEL,      /* "xn--" that is not the A-label of anything */
    IRI_HOST_IDNA2008,    /* strict, compatible: not a name of IDNA2008 */
    IRI_HOST_ADDRESS,     /* ends in a number, as an IPv4 address does */
    IRI_HOST_WILDCARD,    /* a wildcard beside other characters than ASCII */
    IRI_HOST_WHYS
} iri_host_why_t;

/* As the other iri_..._text: "breaks the bidi rule"; and "host-bidi" */
const char *iri_host_why_text(iri_host_why_t why);
const char *iri_host_why_code(iri_host_why_t why);

typedef struct {
    iri_answer_t   answer;   /* PASS: as it came; SERVE: ascii is its name;
                                REFUSE: it is no host name, to which a server
                                says what it says to such names, 400 */
    iri_host_why_t why;
    iri_str_t      ascii;    /* of SERVE: A-labels, a-z 0-9 "-" ".", with the
                                dot at the end if there was one; as it came
                                otherwise */
    iri_str_t      unicode;  /* of SERVE: U-labels, UTF-8; as it came
                                otherwise */
} iri_host_t;

/*
 * 1 if host is ASCII without "%": iri_host_read has nothing to say of it.
 * The one test that a plain host pays.
 */
int iri_is_ascii_host(iri_str_t host);

/*
 * Read the host of a request: from octets to A-labels.
 *
 * host: what stands between userinfo and port, as it was sent, raw, percent-
 * encoded or both; not NUL-terminated.  ASCII without "%" is PASS at once,
 * and so is an IP literal.  The rest is unescaped once and must be UTF-8; no
 * escape may stand for a delimiter, nor for anything but letters, digits,
 * "-" and "." where it stands for ASCII.  Then iri_host_map.  What comes out
 * must not be an IPv4 address: that has one spelling.  The name only ever
 * selects among names of the configuration (design 8).
 * IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "B%C3%BCcher.example" -> SERVE, "xn--bcher-kva.example";
 * "www.w%33.org" -> SERVE, "www.w3.org"; "%2a.example.org" -> REFUSE
 */
iri_status_t iri_host_read(const iri_env_t *env, const iri_host_conf_t *conf,
                           iri_str_t host, iri_host_t *out);

/*
 * Map the characters of a host name, ASCII or not: SERVE or REFUSE.
 * host: UTF-8; "%" is no escape here.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "Bu\xCC\x88cher" -> SERVE, ascii "xn--bcher-kva", unicode "b\xC3\xBCcher"
 */
iri_status_t iri_host_map(const iri_env_t *env, const iri_host_conf_t *conf,
                          iri_str_t host, iri_host_t *out);

/*
 * The A-labels of a name in a configuration: UTF-8, no escapes.  Labels with
 * "*" or "?", and a dot at either end, are kept, and what stands between
 * them is mapped by itself.  ASCII is PASS.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "*.b\xC3\xBCcher.example" -> SERVE, "*.xn--bcher-kva.example"
 */
iri_status_t iri_host_name(const iri_env_t *env, const iri_host_conf_t *conf,
                           iri_str_t name, iri_host_t *out);

/*
 * U-labels alone (UTS #46, ToUnicode): SERVE or REFUSE, with unicode; ascii
 * is host.  Longer names than the DNS can hold are SERVE, too.  With the
 * compatible mapping it is iri_host_map, which knows no shorter way.
 * IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "xn--bcher-kva" -> SERVE, unicode "b\xC3\xBCcher"
 */
iri_status_t iri_host_to_unicode(const iri_env_t *env,
                                 const iri_host_conf_t *conf, iri_str_t host,
                                 iri_host_t *out);

/*
 * What to show for the host of a request: U-labels where there are A-labels
 * and all of them are good ones; host itself otherwise.  IRI_NO_MEMORY,
 * IRI_ICU_FAILED.
 * "xn--bcher-kva.example" -> "b\xC3\xBCcher.example"; "xn--a" -> "xn--a"
 */
iri_status_t iri_host_display(const iri_env_t *env,
                              const iri_host_conf_t *conf, iri_str_t host,
                              iri_str_t *out);

/*
 * Both forms of the host of a request, for variables: SERVE with ascii and
 * what is to be shown of it, also where it came in ASCII; REFUSE where it may
 * not stand in a URI, and then neither is to be handed on.  IRI_NO_MEMORY,
 * IRI_ICU_FAILED.
 * "XN--bcher-kva" -> SERVE, unicode "b\xC3\xBCcher"; "a@b" -> REFUSE
 */
iri_status_t iri_host_forms(const iri_env_t *env,
                            const iri_host_conf_t *conf, iri_str_t host,
                            iri_host_t *out);

/*
 * The host in an authority (RFC 3986, 3.2): behind userinfo and "@", before
 * ":" and the port.  Points into authority.
 * "u@[::1]:80" -> "[::1]"; "b\xC3\xBCcher:8080" -> "b\xC3\xBCcher"
 */
iri_str_t iri_authority_host(iri_str_t authority);

/*
 * 1 if host may stand in the URI of a redirect: letters, digits, "-", "." and
 * "_" only, or an IP-literal ("[::1]"; RFC 3986, 3.2.2).  Without a port.
 * What a client sends as Host can be anything that a server lets in: raw
 * octets, escapes, "a@b".  Empty is 1: the server fills it in.
 * "www.example" -> 1; "b\xC3\xBC.example" -> 0; "a@www.example" -> 0
 */
int iri_is_uri_host(iri_str_t host);


/* ---- finding (iri_find.c, iri_cache.c) ----------------------------------- */

/*
 * What is remembered of directories: for each an index from keys to its
 * entries, found by device, inode, mtime, ctime and the settings that shape
 * keys.  Where only normalization and variants are forgiven it holds the
 * entries whose octets cannot be guessed from their name (partly composed
 * names, say), so next to nothing; where width, case, accents or spelling are
 * forgiven, all of them.  What is remembered is a hint: an entry counts only
 * if its octets have the name, and its directory is as it was.
 */
typedef struct iri_cache_s iri_cache_t;

/* What is counted of it, where somebody wants to know: by all processes. */
typedef struct iri_cache_counts_s {
    uint64_t index_hits;      /* an index was there */
    uint64_t index_misses;    /* and was not, or was out of date */
    uint64_t builds;          /* directories that were read for an index */
} iri_cache_counts_t;

/* Directories that may be read at a time, each by one that waits for it. */
#define IRI_QUEUES 16

/* The building of an index, to be run elsewhere. */
typedef struct iri_cache_job_s iri_cache_job_t;

typedef struct {
    void  *memory;   /* NULL: the core takes its own.  Else size octets,
                        aligned as malloc does, all 0 or left by a cache
                        before: of this process, or of another that shares
                        them and that may have been killed at any moment */
    size_t size;     /* octets at most, memory for building not counted */
    void (*lock)(void *ctx);     /* around a look, some microseconds; NULL */
    void (*unlock)(void *ctx);   /* if nobody else uses memory */
    void (*queue)(void *ctx, unsigned which);   /* around the building of an */
    void (*leave)(void *ctx, unsigned which);   /* index while a request waits:
                        so that others wait for it and do not build it, too.
                        which: of IRI_QUEUES lines to stand in; NULL: none */
    int  (*later)(void *ctx, iri_cache_job_t *job);
                     /* have iri_cache_job_run() called in another thread,
                        where more than IRI_MAX_WAITED entries are to be read;
                        0: it cannot be done.  NULL: all is read at once */
    iri_cache_counts_t *counts;   /* to be added to; NULL: nothing is */
    void  *ctx;
} iri_cache_conf_t;

/* conf is copied.  NULL: no memory. */
iri_cache_t *iri_cache_create(const iri_cache_conf_t *conf);
void iri_cache_destroy(iri_cache_t *cache);   /* NULL is allowed */

typedef struct {
    uint64_t size;      /* octets that it may use for indexes */
    uint64_t used;      /* and does; of the shared memory */
    uint64_t indexes;   /* directories */
} iri_cache_use_t;

/* What it holds now; any thread may ask. */
void iri_cache_use(iri_cache_t *cache, iri_cache_use_t *out);

/*
 * Build what is to be built, and free job.  In any thread of the process, as
 * long as the cache and the configuration are there; iri_env_t.dir must not
 * need a ctx.  iri_cache_job_drop: free it, where it will not be run.
 */
void iri_cache_job_run(iri_cache_job_t *job);
void iri_cache_job_drop(iri_cache_job_t *job);

/*
 * 1 if a request with this method may make, change or delete something:
 * any but GET, HEAD, POST, OPTIONS, TRACE, PROPFIND, REPORT and SEARCH.
 * Such a request is not led to another name by case, accents or spelling.
 * "GET" -> 0; "PUT" -> 1; "get" -> 1
 */
int iri_is_write(iri_str_t method);

/*
 * 0 if iri_find has nothing to say of this path, whatever there is on disk:
 * the one test that a plain ASCII request pays.
 */
static inline int
iri_needs_look(const iri_tree_conf_t *tree, iri_str_t path)
{
    if ((tree->match & (IRI_FORGIVE_FOLDED | IRI_FORGIVE_ESCAPES)) != 0
        && ((tree->match & IRI_FORGIVE_FOLDED) != 0
            || (path.len != 0 && memchr(path.data, '%', path.len) != NULL)))
    {
        return 1;
    }

    return !iri_is_low(path);
}

/*
 * 1 if every canonical path that came as UTF-8 is its own name, and no look is
 * needed for it: the tree is declared UTF-8 in NFC, and nothing is folded or
 * put right.
 */
int iri_tree_is_declared(const iri_tree_conf_t *tree);

typedef struct iri_search_s iri_search_t;

/*
 * The settings of one directory on the way of a search: those by which the
 * names in it are read and written.  names: canonical, below search->root, with
 * "/" at its end; empty: root itself.  The directory need not exist, and what
 * is returned must live as long as the search.  NULL: no memory.
 */
typedef const iri_tree_conf_t *(*iri_tree_of_t)(const iri_env_t    *env,
                                                const iri_search_t *search,
                                                iri_str_t           names);

struct iri_search_s {
    const iri_tree_conf_t *tree;     /* settings of all directories; where
                                        tree_of says them, those of any */
    iri_tree_of_t          tree_of;  /* NULL: tree holds for all */
    const void            *places;   /* what tree_of goes by beside root and
                                        names; NULL without tree_of */
    iri_cache_t           *cache;    /* of indexes; NULL: none is kept */
    int                    write;    /* iri_is_write of the method; 1 for a
                                        Destination */
    int                    twin;     /* 0; 1 is set by iri_find_twin */
    int                    canonical; /* 0; 1 is set by iri_find_canonical */
    int                    absent;   /* 1: the caller has looked just now, and
                                        nothing is there that has root and
                                        path as its octets */
    iri_str_t              root;     /* octets on disk, absolute; what stands
                                        before path; taken literally */
    iri_str_t              path;     /* whole canonical path, UTF-8 */
    size_t                 prefix;   /* leading octets of path that root
                                        already stands for (alias); else 0 */
    const iri_reading_t   *reading;  /* how the request came, for further
                                        readings; NULL: there are none */
};

/*
 * 0 if iri_find has nothing to say of search->path, as iri_needs_look says of
 * a path in one tree; 1 also where memory is out.
 */
int iri_search_needs_look(const iri_env_t *env, const iri_search_t *search);

typedef struct {
    iri_answer_t answer;       /* PASS: not found, or no look was needed;
                                  SERVE: found; MOVED: it, or the directory
                                  that it would be in, was found under
                                  another canonical path; CHOOSE: several
                                  may be meant; REFUSE: no entry can have
                                  that name, or those octets belong to
                                  another.  Of MOVED, CHOOSE and REFUSE
                                  filename must never be opened */
    iri_why_t    why;
    iri_match_t  match;
    iri_str_t    path;         /* whole canonical path of what was found,
                                  prefix included; that asked for otherwise */
    iri_str_t    charset;      /* of the further reading that was found; of
                                  the request's reading otherwise */
    iri_form_t   repaired;     /* IRI_FORM_DOUBLE, _MOJIBAKE or _U where one
                                  of them was put right; else ASCII */
    iri_str_t    filename;     /* root and octets on disk, whose names are
                                  path, segment by segment; what follows the
                                  deepest entry is written in the tree's
                                  first charset and form below a directory
                                  (a new name), canonical below a file
                                  (PATH_INFO); of REFUSE, and of MOVED where
                                  the path goes on with what no tree can
                                  write, what comes before that, so that
                                  rules can judge it; NUL-terminated for the
                                  C library, the NUL not counted */
    int          more;         /* of CHOOSE: there are more than choices */
    size_t       count;        /* of CHOOSE where tree->ambiguous is 300: at */
    iri_str_t   *choices;      /* most IRI_MAX_CHOICES canonical paths, sorted
                                  by their characters, which are there.  Tell
                                  a client only of those that the rules of
                                  their own path let it have; else of none */
} iri_found_t;

/*
 * Find the entry that has the name asked for.
 *
 * Where nothing is folded an ASCII path is PASS without a look, and so is any
 * path where the tree is declared UTF-8 in NFC and the path came in UTF-8 or
 * has one reading.  Otherwise, segment by segment: the tree's charsets in
 * their order, NFC before NFD, variants, entries remembered of the
 * directory.  An entry counts only if its own name
 * equals the segment.  Then the further readings of search->reading, each
 * for the whole path, then a charset for each segment; these give MOVED.
 * Where two readings part, the first under which there is an entry takes the
 * request: below it the other is not looked for.
 * Where width, case, accents or spelling are forgiven and nothing was found,
 * each segment is looked for by its key: in each directory the entry that is
 * nearest to the segment takes the request, and what lies below is looked
 * for in it alone, so that no directory tells what another one holds.  A
 * name that starts with "." is found by a segment that does, and never by
 * spelling.  match is that of the segment that had to be forgiven most.  Of
 * two names that are equally near: CHOOSE.
 * Where all of that has found nothing, what tree->repair says is put right,
 * each way by itself: in each directory the segment as it is goes first.
 * Errors of the file system, and a spent budget, end the search: filename is
 * then path as the tree would write it, and the server meets the error.  A
 * path with a NUL or a dot-segment is refused.  IRI_NO_MEMORY; what else
 * fails is told by out->why.
 *
 * root "/srv", path "/\xE8\xA1\xA8", tree EUC-JP -> SERVE, charset,
 * filename "/srv/\xC9\xBD".
 */
iri_status_t iri_find(const iri_env_t *env, const iri_search_t *search,
                      iri_found_t *out);

/*
 * For who looks by himself at filename, which is root and path as it stands.
 * 1: if it is there, that is what iri_find would find, and *out is what it
 * would say; if *out says PASS no look is needed.  0: ask iri_find.  path must
 * be canonical.
 */
int iri_find_as_asked(const iri_env_t *env, const iri_search_t *search,
                      iri_str_t filename, iri_found_t *out);

/*
 * 1 if what is answered depends on the charsets that the request was read
 * with, so that a client with another list of them (iri_charsets_of) may get
 * something else for the same octets: the path is not UTF-8, or nothing has
 * just the name of its first reading.  reading NULL: the path is ASCII, or was
 * canonical; found NULL: nothing was looked for.  passed: 0 while the access
 * rules have not let the client in; then each path that is not ASCII depends,
 * so that the answer does not tell what was found.
 * "/caf%E9" -> 1; "/caf%C3%A9", which is there -> 0, before access is granted
 * -> 1
 */
int iri_depends_on_charsets(const iri_reading_t *reading,
                            const iri_found_t *found, int passed);

/*
 * 1 if the path of an entry that was found confirms the canonical path: from a
 * segment on both are the same, and before it path is ASCII, which has one
 * reading.  A rule may have put another path in the place of the client's.
 * "/media/\xC3\xA9", "/store/\xC3\xA9" -> 1; "/\xC3\xA9", "/index.php" -> 0
 */
int iri_is_confirmed(iri_str_t path, iri_str_t found);

/*
 * What iri_find has said of a path, for iri_may_redirect, where a request was
 * only reported.  found: the last answer; NULL: none.  moved: 1 if it is for
 * the path that the first answer led to.  answered: 1 if the server has sent
 * something else than an error.
 */
iri_presence_t iri_presence_of(const iri_found_t *found, int moved,
                               int answered);

/*
 * Divide what was found: filename up to the deepest entry that exists, and
 * the rest of the canonical path behind it, "" or "/more".  Costs a stat a
 * segment at most.  IRI_NO_MEMORY; IRI_IO_FAILED: what exists is not known.
 */
iri_status_t iri_found_split(const iri_env_t *env, const iri_search_t *search,
                             const iri_found_t *found, iri_str_t *filename,
                             iri_str_t *path_info);

/*
 * The name of one entry: its octets read in the first tree charset that
 * reads them and writes them back the same, in NFC.  Empty: it has no name,
 * and so has anything of more than IRI_MAX_SEGMENT octets.
 * Two paths joined by "/" are not an entry; give each part.  IRI_NO_MEMORY,
 * IRI_ICU_FAILED.
 * EUC-JP, "\xC9\xBD" -> U+8868 as UTF-8
 */
iri_status_t iri_entry_name(const iri_env_t *env, const iri_tree_conf_t *tree,
                            iri_str_t octets, iri_str_t *name);


/* ---- repair (iri_repair.c) ----------------------------------------------- */

/*
 * Put right a segment that was written in a broken way: once, in one way.
 *
 * how: one of IRI_REPAIR_...  segment: octets, unescaped as servers do.  *out:
 * canonical UTF-8, with at least one character that was made; empty: there is
 * nothing in it to be put right so, or it cannot be.  Only characters above
 * U+009F are made; all else stays as it came, escapes of ASCII too, and what
 * would be ASCII, a control, a bidi formatting character, a lone surrogate,
 * U+FFFD or a noncharacter leaves the whole segment as it is.  Longer than
 * IRI_MAX_SEGMENT: empty.
 *
 *   DOUBLE    runs of escapes of octets above 7F, each of them strict UTF-8
 *   MOJIBAKE  each character is one of windows-1252, with the controls at the
 *             five places that it leaves free, or each is one of ISO-8859-1;
 *             and the octets that they were are strict UTF-8
 *   U         "%uXXXX" (two for what is above U+FFFF), and beside these "%A0"
 *             to "%FF" as U+00A0 to U+00FF
 *
 * What comes out counts only where it is the name of an entry (iri_find with
 * iri_tree_conf_t.repair, where nothing else is found; not for writes), and
 * is MOVED then.  A path in which mojibake leaves controls has no other
 * reading, so iri_read puts it right, and iri_find refuses it if there is no
 * such entry.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * DOUBLE "%E6%97%A5.html" -> "\xE6\x97\xA5.html"; "%2E%2E%2F" -> "";
 * MOJIBAKE "caf\xC3\x83\xC2\xA9" -> "caf\xC3\xA9"; U "%u65E5" ->
 * "\xE6\x97\xA5"; "%u002F" -> ""
 */
iri_status_t iri_repair(const iri_env_t *env, unsigned how,
                        iri_str_t segment, iri_str_t *out);

/*
 * "%uXXXX" is no escape, and servers refuse it; in a path that is still
 * percent-encoded it gets one for its "%", so that it comes through as it is.
 * All else stays, bad escapes too.  *out is path itself where there is none.
 * "/%u65E5" -> "/%25u65E5".  IRI_NO_MEMORY.
 */
iri_status_t iri_repair_units(const iri_env_t *env, iri_str_t path,
                              iri_str_t *out);


/* ---- queries (iri_query.c) ----------------------------------------------- */

typedef struct {
    iri_charsets_t charsets;   /* for parameters that are not UTF-8, in order */
    int            nfc;        /* 1: parameters are put in NFC, too */
} iri_query_conf_t;

/*
 * iri_query_charset: charsets as of iri_parse_charsets, or "none"; behind them
 * "nfc", or that alone.  As the other iri_parse_...
 */
const char *iri_parse_query(iri_registry_t *registry, const iri_str_t *words,
                            size_t count, iri_query_conf_t *out);

/* Why a query is what it is. */
typedef enum {
    IRI_QUERY_ASCII,       /* nothing in it stands for an octet above 7F */
    IRI_QUERY_UTF8,        /* all of it is UTF-8, and as it should be */
    IRI_QUERY_READ,        /* was read in a charset */
    IRI_QUERY_NORMALIZED,  /* is UTF-8, and was put in NFC */
    IRI_QUERY_UNREADABLE,  /* no one charset reads all that is not UTF-8 */
    IRI_QUERY_LIMIT,       /* more than IRI_MAX_QUERY octets, or that many in
                              UTF-8 */
    IRI_QUERY_WHYS
} iri_query_why_t;

/* As the other iri_..._text; and "query-read" */
const char *iri_query_why_text(iri_query_why_t why);
const char *iri_query_why_code(iri_query_why_t why);

typedef struct {
    iri_str_t       query;     /* of READ and NORMALIZED another one; else as
                                  it came */
    iri_str_t       charset;   /* of READ its name; empty otherwise */
    iri_query_why_t why;
} iri_query_t;

/*
 * 0: iri_query_read has nothing to say of this query.  The one test that a
 * query in ASCII pays.
 */
int iri_needs_query(const iri_query_conf_t *conf, iri_str_t query);

/*
 * Put a query into UTF-8: what stands between "?" and "#", as it was sent.
 *
 * It is divided as forms are (URL Standard, application/x-www-form-
 * urlencoded): parameters at "&", a name from its value at the first "=".
 * Names and values each by themselves: what is UTF-8 stays octet for octet;
 * the rest is read in the first of the charsets that reads all of it, and its
 * characters other than ASCII are written percent-encoded in UTF-8, upper-case
 * hex.  ASCII stays as it came, raw or escaped ("+", "%2B", "%0a", "%zz"),
 * but for what is an octet of a character: "%83\" in Shift_JIS.  Nothing
 * becomes a control, U+FFFD or a noncharacter.  Where no charset reads all of
 * it, and where it is too long, or would be, the whole query stays as it came.
 *
 * With nfc: a name or value that is not in NFC is written in NFC.  Of ASCII
 * only letters and digits take part in that; what has more than IRI_MAX_MARKS
 * marks in a row stays; so do U+037E, U+1FEF and U+212A.
 *
 * What comes out is UTF-8, or as it came, and reading it again changes
 * nothing.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * With Shift_JIS: "q=%95\&r=a%26" -> "q=%E8%A1%A8&r=a%26"; with "&s=%a0",
 * which is no character of it, behind that: as it came.
 */
iri_status_t iri_query_read(const iri_env_t *env,
                            const iri_query_conf_t *conf, iri_str_t query,
                            iri_query_t *out);


/* ---- functions (iri_function.c) ------------------------------------------ */

/*
 * What rules can do with a text, by name:
 *
 *   to_uri        an IRI as a URI (draft 3.1): what a URI may not hold is
 *                 percent-encoded, "%" too where it is no escape
 *   to_iri        a URI as an IRI (draft 3.2): escapes of what an IRI may
 *                 hold become characters, what it may not hold is escaped
 *   nfc           Unicode normalization form C, as of paths
 *   fold          the key by which iri_match "width case" compares names
 *   utf8          octets in UTF-8, or in the first of the charsets of
 *                 iri_charset that reads all of them
 *   host_ascii    a host in A-labels, without a port
 *   host_unicode  the same in U-labels
 *
 * A text is at most IRI_MAX_TEXT octets, and UTF-8 but for utf8 and to_iri.
 */
typedef struct iri_function_s iri_function_t;

/* Letter case counts; NULL: there is none of that name. */
const iri_function_t *iri_function_find(iri_str_t name);

#define IRI_FUNCTIONS 7    /* how many there are */

/* The i-th, and its name, NUL-terminated; NULL: there are no more. */
const iri_function_t *iri_function_at(size_t i);
const char *iri_function_name(size_t i);

/* As the other iri_parse_... */
const char *iri_parse_function(iri_str_t word, const iri_function_t **out);

typedef struct {
    const iri_charsets_t  *charsets;  /* of iri_charset; NULL: none */
    const iri_host_conf_t *host;      /* NULL: host_... have no value */
} iri_function_conf_t;

typedef struct {
    iri_str_t   value;    /* empty where there is none */
    const char *why;      /* there is none: a phrase; NULL: there is */
    size_t      offset;   /* of why: of the octet that it is about; else 0 */
} iri_converted_t;

/*
 * Convert a text.  Any octets are taken.  A text that has no such form has no
 * value, and gets one line of log at IRI_LOG_INFO; so does what could not be
 * done, with the status for it.  to_uri and host_ascii give ASCII without
 * controls and blanks, to_iri and host_unicode UTF-8 without them; of the
 * others ASCII comes out as it went in, but that fold may make ASCII, "/" too,
 * of wide forms.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * to_uri "/caf\xC3\xA9 100%" -> "/caf%C3%A9%20100%25"
 * to_iri "/caf%C3%A9%20%FF%41" -> "/caf\xC3\xA9%20%FFA"
 */
iri_status_t iri_convert(const iri_env_t           *env,
                         const iri_function_conf_t *conf,
                         const iri_function_t *function, iri_str_t text,
                         iri_converted_t *out);


/* ---- rules of a configuration (iri_rule.c) ------------------------------- */

/* What a rule compares with a path. */
typedef enum {
    IRI_RULE_TEXT,    /* the path, or how it begins */
    IRI_RULE_REGEX    /* a regular expression as it was written */
} iri_rule_t;

/*
 * Rules see canonical paths, which are UTF-8 in NFC and not percent-encoded:
 * is there text in a rule that can be in none?  Escapes of ASCII are let be.
 * What is in brackets in a regular expression is not looked at, and octets
 * that are no UTF-8 may match where conf says IRI_INVALID_PASS.  *says: empty,
 * or what is wrong and what would be right, fit to follow the name of the
 * directive and a colon, ASCII without controls: octets of text are shown
 * percent-encoded.  Any octets are taken.
 * IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "/caf\xE9" -> "\"/caf%E9\" is not UTF-8, ...: write \"/caf%C3%A9\" ..."
 */
iri_status_t iri_rule_check(const iri_env_t          *env,
                            const iri_reading_conf_t *conf, iri_rule_t rule,
                            iri_str_t text, iri_str_t *says);


/* ---- the line of a request in a log (iri_notes.c, iri_report.c) ---------- */

#define IRI_MAX_SHOWN   400   /* octets of a path in it */
#define IRI_MAX_NOTES     4   /* things that it tells; of more their number */
#define IRI_MAX_NOTED  1400   /* octets of them */

/* Reasons that are not those of a path, a host or a query. */
typedef enum {
    IRI_REASON_ERROR,        /* memory, ICU or the file system failed */
    IRI_REASON_CHARSETS,     /* a list for this client that is none */
    IRI_REASON_FUNCTION,     /* a text has no such form (iri_convert) */
    IRI_REASON_LOCATION,     /* a redirect to a host without A-labels */
    IRI_REASON_CACHE,        /* no room for an index */
    IRI_REASON_LISTING,      /* a listing could not be made */
    IRI_REASON_INDEXES,      /* or is not allowed */
    IRI_REASON_DECODED,      /* no canonical path any more once decoded */
    IRI_REASON_RULE,         /* nor is what a rule has made */
    IRI_REASON_RESTART,      /* a <Directory> needs a restart */
    IRI_REASON_DESTINATION,  /* of COPY or MOVE, where it cannot be */
    IRI_REASON_CERTIFICATE,  /* the host's server asks for one */
    IRI_REASON_MULTISTATUS,  /* the names of a DAV answer cannot be told */
    IRI_REASONS
} iri_reason_t;

/* The word for a reason, as the log writes it; static: "location" */
const char *iri_reason_code(iri_reason_t reason);

/* Behind a line that the core gives to iri_env_t.log: its reason. */
#define IRI_NOTED ", reason="

/* Octets as a log may show them, for the argument of a "%s". */
typedef struct {
    char text[IRI_MAX_SHOWN + sizeof("...")];
} iri_shown_t;

/*
 * A path, unescaped: as in a URI.  _sent: what is percent-encoded stays so.
 * Return shown->text.
 * "/caf\xC3\xA9%" -> "/caf%C3%A9%25"; _sent: "/caf%C3%A9%"
 */
const char *iri_show(iri_shown_t *shown, iri_str_t path);
const char *iri_show_sent(iri_shown_t *shown, iri_str_t octets);

/* What there is to say of one request; all 0 at first. */
typedef struct {
    iri_log_level_t level;    /* of the gravest: ERROR or INFO */
    unsigned        count;    /* 0: there is nothing */
    int             report;   /* 1: what would have been done, too */
    const char     *codes[IRI_MAX_NOTES];   /* static */
    char            text[IRI_MAX_NOTED];
} iri_notes_t;

/*
 * Note something.  code: a static word, of those above and below.  An argument
 * that is not the program's own must be shown by iri_show().
 */
void iri_note(iri_notes_t *notes, iri_log_level_t level, const char *code,
              const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void iri_vnote(iri_notes_t *notes, iri_log_level_t level, const char *code,
               const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

/* The same of a line that iri_env_t.log got, with its code at the end. */
void iri_note_line(iri_notes_t *notes, iri_log_level_t level,
                   iri_str_t line);

/* octets: as sent.  REFUSE is what was done, unless it is a report. */
void iri_note_host(iri_notes_t *notes, iri_str_t octets,
                   const iri_host_t *host, int report);

/* What would be done with a query; nothing of one that stays as it is. */
void iri_note_query(iri_notes_t *notes, const iri_query_t *query);

/* What is known of a request that is served without all this. */
typedef struct {
    const iri_reading_t *reading;  /* how it came */
    const iri_found_t   *found;    /* NULL: it was not looked for */
    const iri_found_t   *again;    /* where found is MOVED, what a search for
                                      found->path came to; NULL otherwise */
    const iri_search_t  *search;   /* the last of these searches */
} iri_report_t;

/*
 * What would have been done; it comes first, whatever was noted before.  It
 * tells the end: where nothing is found below a directory that was found,
 * that.  Costs a stat a segment at most.  IRI_NO_MEMORY: nothing is noted.
 * would start over as "/Docs/a.txt": form ascii, charset "", match case,
 * found where width, case or accents differ, file "/srv/Docs/a.txt"
 * Others: serve, pass on, find nothing as, offer a choice for, find several
 * names for, refuse.
 */
iri_status_t iri_note_report(const iri_env_t *env, iri_notes_t *notes,
                             const iri_report_t *report);

/* Room for a line */
typedef struct {
    char text[IRI_MAX_NOTED + IRI_MAX_SHOWN + 200];
} iri_line_t;

/*
 * The one line of a request: printable ASCII, no end of line, NUL-terminated.
 * request: as sent, where the server's log does not tell it; NULL: it does.
 * iri: "/CAFE" is "/caf%C3%A9": accents; "/caf%C3%A9" not served: ...,
 * reason=folded,other-name, request "/CAFE"
 */
iri_str_t iri_notes_line(const iri_notes_t *notes, const char *request,
                         iri_line_t *line);


/* ---- status (iri_stats.c, iri_stats_page.c, iri_stats_text.c) ------------ */

/*
 * What was read, how and with what end, counted for all processes of a server
 * in memory that they share; and a page, JSON and Prometheus text about it.
 *
 * Any number of processes and threads may count and look at a time, and each
 * of them may be killed at any moment.  Counts are added to by single atomic
 * instructions.  Only who sends legacy encodings is kept in tables, and these
 * are written under the caller's lock; what a dead process has left half
 * written counts as empty.  Who looks takes no lock.
 */
typedef struct iri_stats_s iri_stats_t;

typedef struct {
    void  *memory;   /* iri_stats_size() octets, aligned as malloc does, all 0
                        or left by another iri_stats_t: then it goes on from
                        there */
    void (*lock)(void *ctx);     /* around a few microseconds, of requests in */
    void (*unlock)(void *ctx);   /* legacy encodings, and once an hour; it must
                        not stay locked where a process dies.  NULL: there is
                        one thread only */
    void  *ctx;
} iri_stats_conf_t;

/* Octets that are shared; below 128 KiB, and the same for all builds with the
   same iri_stats_layout(). */
size_t iri_stats_size(void);

/*
 * A number for how the memory is laid out, to be a part of its name: another
 * build of the module must get other memory, as long as processes of this one
 * may still write to it.
 */
uint64_t iri_stats_layout(void);

/*
 * A process's own handle on the memory.  conf is copied.  To be called once
 * before any process shares the memory (and destroyed again, if need be): what
 * is not laid out so is made empty then.  now: seconds since the epoch.  NULL:
 * no memory.
 */
iri_stats_t *iri_stats_create(const iri_stats_conf_t *conf, int64_t now);
void iri_stats_destroy(iri_stats_t *stats);   /* NULL is allowed */

/* One request, when all is known of it. */
typedef struct {
    int64_t         now;       /* seconds since the epoch: of the counting */
    int             report;    /* 1: iri report: it is what would have been */
    iri_form_t      form;      /* as it came; where the disk has confirmed
                                  another reading, LEGACY */
    iri_str_t       charset;   /* of LEGACY: that of the reading, or of what
                                  was found */
    iri_match_t     match;     /* what was forgiven, to start over too */
    iri_answer_t    answer;    /* MOVED: it has started over; REFUSE also
                                  where the reading was refused; PASS: there
                                  was nothing to say, or nothing was found */
    iri_why_t       why;       /* of that answer */
    int             redirect;  /* HTTP status of a redirect by iri_redirect;
                                  0: none was sent */
    iri_query_why_t query;     /* ASCII: none, or not looked at */
    iri_str_t       query_charset;   /* of IRI_QUERY_READ */
    iri_host_why_t  host;      /* ASCII: not looked at */
    iri_str_t       referer;   /* the fields as they came, empty if there is */
    iri_str_t       agent;     /* none; read only for a legacy path or query */
} iri_stats_event_t;

/*
 * Count it, once a request of a client: not subrequests, nor what is asked to
 * judge a name, nor where iri is off.  An event with ASCII, PASS and nothing
 * else costs one atomic addition, and so does iri_stats_count_plain() for a
 * request of which nothing is kept.
 */
void iri_stats_count(iri_stats_t *stats, const iri_stats_event_t *event);
void iri_stats_count_plain(iri_stats_t *stats, int report, int64_t now);

/* Where caches may count, for iri_cache_conf_t. */
struct iri_cache_counts_s *iri_stats_cache_counts(iri_stats_t *stats);

typedef struct {
    int64_t             now;      /* seconds since the epoch */
    iri_str_t           query;    /* "format=json", "format=prometheus" or
                                     "format=html"; the page without it */
    iri_cache_t *const *caches;   /* all of this process; NULL if count is 0 */
    size_t              count;
} iri_stats_page_conf_t;

typedef struct {
    int         status;   /* 200; 400 where another format was asked for */
    const char *type;     /* Content-Type, static */
    const char *policy;   /* Content-Security-Policy, static */
    iri_str_t   body;
} iri_stats_page_t;

/*
 * The answer to a GET: what was counted until now.  The page is below 64 KiB,
 * JSON and Prometheus text are below 192 KiB, whatever strangers have sent.
 * With it belong "Cache-Control: no-store" and
 * "X-Content-Type-Options: nosniff".  Methods other than GET and HEAD are 405,
 * with "Allow: GET, HEAD".  The page is well-formed as HTML and as XML.
 * IRI_NO_MEMORY.
 */
iri_status_t iri_stats_page(const iri_env_t *env, const iri_stats_t *stats,
                            const iri_stats_page_conf_t *conf,
                            iri_stats_page_t            *out);


/* ---- choices (iri_choice.c) ---------------------------------------------- */

/* Names that a request may mean, and the request. */
typedef struct {
    iri_str_t        asked;      /* canonical path; empty: it is not shown */
    int              has_query;  /* links keep it */
    iri_str_t        query;      /* as it came */
    const iri_str_t *paths;      /* canonical, as iri_found_t.choices; only
                                    those that the client could get, of a
                                    directory with its "/" */
    size_t           count;
    int              more;       /* there are others that are as near */
} iri_choices_t;

/*
 * The body of an answer 300 Multiple Choices.  Ends with a line feed.
 *
 * HTML, for "text/html; charset=utf-8": a list of links, percent-encoded,
 * each with its path in Unicode as text of its own (bdi); it loads nothing.
 * Octets that are no character, controls, bidi formatting and other
 * characters that are not seen are shown as "%" and hexadecimal digits.
 * JSON, for "application/json": {"choices":[{"path":"...","uri":"..."}]}, with
 * "more":true behind the list where there are others; path is in Unicode, uri
 * percent-encoded, with the query; octets that are no character are U+FFFD in
 * path.  Both are fit to stand in any answer, whatever the names are.
 * IRI_NO_MEMORY.
 *
 * {"/a<b"} -> ...<li><a href="/a%3Cb"><bdi>/a&lt;b</bdi></a></li>...;
 * {"choices":[{"path":"/a\u003cb","uri":"/a%3Cb"}]}
 */
iri_status_t iri_choices_html(const iri_env_t     *env,
                              const iri_choices_t *choices, iri_str_t *out);
iri_status_t iri_choices_json(const iri_env_t     *env,
                              const iri_choices_t *choices, iri_str_t *out);

/*
 * The value of Content-Security-Policy for one of them (json: the second), to
 * be sent as that of a listing is: iri_listing_policy.  Static.
 */
const char *iri_choices_policy(int json);

/*
 * 1 if a client would rather have application/json than text/html.  accept:
 * the value of Accept, several fields joined by ","; empty: there was none.
 * "application/json" -> 1; "text/html, application/json" -> 0; "" -> 0;
 * "text/html;q=0.5, application/json" -> 1
 */
int iri_prefers_json(iri_str_t accept);

/* ---- references (iri_reference.c) ---------------------------------------- */

/* The value of a Location, whose it is, and who sends it. */
typedef struct {
    const iri_reading_conf_t *reading;  /* how this host reads a path */
    const iri_host_conf_t    *hosts;    /* how a raw host is mapped; NULL: it
                                           is not */
    iri_str_t                 host;     /* of this host, as it would write it
                                           into a URI; empty: unknown */
    unsigned                  port;     /* its port; 0: unknown */
    int                       other;    /* 1: the value is another's that is
                                           passed on: its paths are not read */
    int                       rooted;   /* 1: the server puts scheme and
                                           authority before a value that begins
                                           with "/", so that "//a" is a path */
} iri_reference_conf_t;

/*
 * What the value of a field that is a URI-reference should be: octets 21 to 7E
 * only, whatever came, with nothing in it that ends a line, a string or a tag.
 *
 * A path of this host (no scheme and no authority, or http, https and its
 * host and port) gets its canonical form: percent-encoded UTF-8 in NFC, as
 * iri_read reads it; where that is in doubt (no charset reads it, several of
 * iri_charset do, a limit, an error of ICU) just the octets that came are
 * escaped.  Escapes of ASCII stay escapes, and "%" that begins none becomes
 * "%25".  Any other path keeps its octets and escapes, as they were written;
 * what cannot stand there is escaped.  A raw host gets its A-labels; where it has none it is escaped, and the log says so.  In query
 * and fragment nothing is changed that may stand there.  Blanks at either end
 * go.  *out is within value where nothing else has to be changed.
 * IRI_NO_MEMORY; the value must not be sent then unless it is ASCII.
 *
 * "/caf\xC3\xA9?q=\xC3\xA9" -> "/caf%C3%A9?q=%C3%A9"; "/a%2fe%cc%81" ->
 * "/a%2F%C3%A9"; "http://b\xC3\xBCcher.example/%e9" ->
 * "http://xn--bcher-kva.example/%e9"; "/a\r\nX: 1" -> "/a%0D%0AX:%201"
 */
iri_status_t iri_reference(const iri_env_t            *env,
                           const iri_reference_conf_t *conf, iri_str_t value,
                           iri_str_t *out);

/*
 * The value of a Link field (RFC 8288, 3; RFC 6596) for an answer to a GET or
 * HEAD that is not redirected: location, what iri_location gave, is the page's
 * canonical URI.  IRI_NO_MEMORY.
 * "/caf%C3%A9?a=1" -> "</caf%C3%A9?a=1>; rel=\"canonical\""
 */
iri_status_t iri_canonical_link(const iri_env_t *env, iri_str_t location,
                                iri_str_t *out);

/*
 * 1 if an answer with this HTTP status may have that field: 2xx.  What is
 * moved or wrong has no canonical URI of its own.  206 -> 1; 404 -> 0
 */
int iri_may_link(int status);


/* ---- listings (iri_listing.c) -------------------------------------------- */

#define IRI_LISTING_MEMORY (128 * 1024 * 1024)   /* octets for one listing */
#define IRI_LISTING_PAGE   1000                  /* names, if conf.paged */

typedef struct iri_listing_s iri_listing_t;

typedef struct {
    const iri_tree_conf_t    *tree;
    iri_cache_t              *cache;    /* as in iri_search_t */
    const iri_reading_conf_t *reading;  /* by which the requests of the links
                                           will be read; NULL: UTF-8 alone,
                                           and unnamed says what is invalid */
    iri_str_t                 root;     /* the directory on disk, absolute; it
                                           may end with "/" */
    iri_str_t                 path;     /* its canonical path; starts and ends
                                           with "/" */
    iri_str_t                 query;    /* as it came: "sort=size&order=desc",
                                           "format=json"; what else is in it,
                                           and what is not known, does no
                                           harm */
    int                       unnamed;  /* 1: entries without a name are served
                                           by their octets (iri_invalid
                                           pass) */
    int                       paged;    /* 1: names are judged one by one, by
                                           iri_listing_judge, for one page
                                           of IRI_LISTING_PAGE names; query
                                           may say where the page begins, with
                                           "after=..." of the link to it */
} iri_listing_conf_t;

/* One entry, before it is known whether the client may know of it. */
typedef struct {
    iri_str_t octets;   /* as stored */
    iri_str_t name;     /* iri_entry_name; empty: it has none */
    iri_str_t path;     /* whole canonical path that it would be asked for
                           by, without a "/" at its end: what the rules of
                           the server are to judge; of an entry without a
                           name its octets stand at the end */
    int       hidden;   /* 1: starts with ".": never told */
    int       reads;    /* 1: a request for path is read as it stands, which
                           need not be tried; 0: it may be */
    int       look;     /* for iri_listing_add */
} iri_listing_entry_t;

typedef struct {
    int      is_directory;
    int      is_known;  /* 0: size and mtime are not: they are left out */
    uint64_t size;      /* octets */
    int64_t  mtime;     /* seconds since the epoch */
} iri_listing_info_t;

/*
 * A listing of one directory: begin; then, for each entry of it that the
 * caller reads, _entry to learn its path, and where the rules of the server
 * let the client have that, _add; then _finish once, and _next until nothing
 * is left.  What it needs comes from env's arena, in few large pieces, and is
 * no more than IRI_LISTING_MEMORY; env and what conf points to must live as
 * long as the listing does.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_begin(const iri_env_t          *env,
                               const iri_listing_conf_t *conf,
                               iri_listing_t           **out);

/*
 * entry and its strings are good until the next iri_listing_entry.
 * IRI_NO_MEMORY, IRI_ICU_FAILED: it is not known, and there can be no page.
 */
iri_status_t iri_listing_entry(iri_listing_t *listing, iri_str_t octets,
                               iri_listing_entry_t *entry);

/* IRI_NO_MEMORY: the arena gave NULL. */
iri_status_t iri_listing_add(iri_listing_t             *listing,
                             const iri_listing_entry_t *entry,
                             const iri_listing_info_t  *info);

/*
 * Only with conf.paged, after all entries were added: sort them, and go to
 * where the page begins.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_judge_begin(iri_listing_t *listing);

/*
 * The next entry that is to be judged: if the client may know of it, call
 * iri_listing_keep() before the next.  *is_left 0: there is none, call
 * iri_listing_finish().  More entries than a page holds are judged only until
 * it is known whether there is another page: the page says nothing of entries
 * that the client may not know of, nor of their number.  In entry->path of an
 * entry without a name that is not served (!conf.unnamed), U+FFFD stands for
 * each octet that is not UTF-8, so that rules see characters.  entry is good
 * until the next call.  IRI_NO_MEMORY.
 */
iri_status_t iri_listing_judge(iri_listing_t *listing,
                               iri_listing_entry_t *entry, int *is_directory,
                               int *is_left);
void iri_listing_keep(iri_listing_t *listing);

/*
 * 1: one more would need more than IRI_LISTING_MEMORY.  What is added all the
 * same is left out, which the page says (iri_listing_more), so the rest of the
 * directory need not be read.
 */
int iri_listing_is_full(const iri_listing_t *listing);

/* 1 if what has these octets on disk has the name of entry, too. */
int iri_listing_is_twin(iri_listing_t             *listing,
                        const iri_listing_entry_t *entry, iri_str_t octets);

/*
 * There is more in the directory than is added: entries of which it could not
 * be asked whether the client may know of them.  The page says so, and JSON
 * has "more":true behind the list.
 */
void iri_listing_more(iri_listing_t *listing);

/*
 * Sort (directories first; names by Unicode collation, numbers in them by
 * value; by character where there is no room for the keys of so many), and see
 * which entries share a name: of these the one that the name leads to
 * (iri_find) is linked, all are marked.  Looks at the file system where octets
 * alone do not tell.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 */
iri_status_t iri_listing_finish(iri_listing_t *listing);

/* "text/html; charset=utf-8" or "application/json"; static. */
const char *iri_listing_type(const iri_listing_t *listing);

/*
 * The value of Content-Security-Policy, to be sent where the answer has none
 * yet: nothing may be loaded, and of style there is only the page's own, by
 * its hash.  With it belongs "X-Content-Type-Options: nosniff".  Static.
 */
const char *iri_listing_policy(const iri_listing_t *listing);

/*
 * Put the next octets of the page, at most size (at least 1), into out, and
 * return how many; 0: that was all.  After _finish this cannot fail, and asks
 * for no memory.  Some 32 KiB at a time are a good size.
 *
 * The page is UTF-8 and well-formed as HTML and as XML, whatever the names
 * are; names are shown as iri_choices_html shows paths; href is "./" and the
 * percent-encoded name, with "/" behind that of a directory: it is that of a
 * page whose own URI ends with "/".
 * JSON: {"path":"/a/","entries":[{"name":"b","href":"./b","directory":false,
 * "size":1,"modified":"2026-11-22T11:25:00Z"}]}; name is null where there is
 * none, href where a request would not come to the entry; size is not there
 * for a directory; "octets":"%E9", percent-encoded, is where these are not the
 * name, "conflict":true where another entry has the name, too.  Where there
 * is another page, "next":"?..." behind the list is its URI reference.
 */
size_t iri_listing_next(iri_listing_t *listing, unsigned char *out,
                        size_t size);


/* ---- WebDAV (iri_multistatus.c) ------------------------------------------ */

#define IRI_MULTISTATUS_BASES 2

/* Takes octets that go out; anything but IRI_OK ends the answer. */
typedef iri_status_t (*iri_put_t)(void *arg, const unsigned char *data,
                                  size_t len);

typedef struct iri_multistatus_s iri_multistatus_t;

typedef struct {
    const iri_tree_conf_t *tree;
    iri_str_t base[IRI_MULTISTATUS_BASES];
                     /* canonical paths, unescaped, that end with "/": of what
                        was asked for and of a Destination; what follows one
                        of them in an href is octets of the disk.  Empty: no
                        such base */
    int       raw;   /* 1: DAV:displayname is octets of the disk and the href
                        in DAV:lockroot is not percent-encoded (nginx); 0: the
                        first is the clients' own (mod_dav) */
} iri_multistatus_conf_t;

/*
 * Put names in the place of octets of the disk in the XML of an answer: a
 * DAV:multistatus (RFC 4918, 14.16), or the DAV:prop that LOCK answers with.
 * It passes through in pieces of any size: _feed for each of them, then _end;
 * what goes out is given to put, within these calls.
 *
 * The href of a DAV:response or DAV:lockroot becomes the canonical path,
 * percent-encoded; that of an entry without a name keeps its octets, and so
 * does what is no path or too long for one.  A DAV:displayname (raw) becomes
 * the name; of an entry without one the octets that are no character are
 * shown as "%" and two hexadecimal digits.  Nothing inside of other
 * properties is changed, but what is not UTF-8, or no character of XML, in
 * any place becomes U+FFFD.  So the answer is well-formed whatever the names
 * are, if its markup is.
 *
 * env, and what conf points to, must live as long as *out.  Memory: at most
 * 600 KiB, whatever comes.  IRI_NO_MEMORY; what put returned: the answer is
 * cut off there, and further calls return the same.
 *
 * base "/d/", tree EUC-JP: <D:href>/d/%c9%bd</D:href>
 *   -> <D:href>/d/%E8%A1%A8</D:href>
 */
iri_status_t iri_multistatus_create(const iri_env_t              *env,
                                    const iri_multistatus_conf_t *conf,
                                    iri_multistatus_t           **out);
iri_status_t iri_multistatus_feed(iri_multistatus_t *ms, iri_str_t octets,
                                  iri_put_t put, void *arg);
iri_status_t iri_multistatus_end(iri_multistatus_t *ms, iri_put_t put,
                                 void *arg);

/* ---- restarting (iri_restart.c) ------------------------------------------ */

/*
 * The path with which a request restarts, because iri_find() has found an
 * entry under another canonical path (IRI_MOVED).  The rules of the server
 * must judge the URL of the client with the names that are opened.  So the
 * segments that have another name on disk are replaced in the URL.  A rule
 * may have set another path; then the segments from the first replaced one on
 * must be the end of that path and of the URL.
 *
 * url: canonical path of the client's URL, decoded, as it was read first; of a
 * subrequest or an error page its own first path.  path: the path that was
 * looked up, equal to url where no rule has set another.  found: the found
 * entry's canonical path, iri_found_t.path.  All three are octets of UTF-8 and
 * begin with "/".  env: lends the memory of *restart, which is followed by NUL.
 *
 * Returns: 1, *restart is set; 0: the request cannot restart, because of the
 * paths or because there is no memory.  Then the caller serves no entry whose
 * canonical path is not path: it answers 404, by
 * iri_find_canonical().
 *
 * url "/Admin/a", path "/public/Admin/a", found "/public/admin/a"
 *   -> 1, "/admin/a"
 * url "/page", path "/public/INDEX.html", found "/public/index.html" -> 0
 */
int iri_restart_url(const iri_env_t *env, iri_str_t url, iri_str_t path,
                    iri_str_t found, iri_str_t *restart);

/*
 * iri_find() for a path that cannot restart: no difference is ignored that
 * gives an entry another canonical path than search->path, so that an entry
 * with such a name is as absent as one that does not exist.  Normalization and
 * the tree's charsets count as in iri_find().
 *
 * Returns: as iri_find().  out->answer is never IRI_MOVED or IRI_CHOOSE.
 *
 * tree with "case", path "/public/INDEX.html", entry "index.html" -> PASS
 */
iri_status_t iri_find_canonical(const iri_env_t *env, const iri_search_t *search,
                            iri_found_t *out);


/* ---- writing (iri_write.c) ----------------------------------------------- */

/*
 * 1 if a request with this method makes what it names where that is not
 * there: PUT, MKCOL and LOCK; a Destination is made, too.  What cannot be made
 * is 409 (RFC 9110, 9.3.4 and 15.5.10), not 404.  "PUT" -> 1; "MOVE" -> 0
 */
int iri_is_making(iri_str_t method);

/*
 * Behind iri_find for something that is to be made: where case or accents are
 * forgiven, and an entry is there whose name differs only by them, *found
 * becomes REFUSE, IRI_WHY_TWIN.  One edit of a name (spelling) makes another
 * name, of which there may be an entry, too.  source: name on disk of what is
 * moved there, for that may change its name so; empty: nothing is.
 * IRI_NO_MEMORY, IRI_ICU_FAILED, IRI_IO_FAILED: it is not known.
 */
iri_status_t iri_find_twin(const iri_env_t *env, const iri_search_t *search,
                           iri_str_t source, iri_found_t *found);

/* 1 if it is the name that stands in the way of what is to be made. */
int iri_is_conflict(const iri_found_t *found);

/* What a client is told that it cannot make: a sentence in ASCII, static. */
const char *iri_conflict_text(iri_why_t why);

/* How a Destination lies to its source. */
typedef enum {
    IRI_APART,
    IRI_SAME,     /* it is the source */
    IRI_INSIDE,   /* in it */
    IRI_AROUND    /* the source is in it, and would go with it */
} iri_relation_t;

/*
 * By what is on disk, whatever links lead there.  Both: names on disk, a "/"
 * at the end does not matter; destination need not be there.  All but APART
 * are to be answered with 403 (RFC 4918, 9.8.5 and 9.9.4).
 * IRI_NO_MEMORY; IRI_IO_FAILED: it is not known, so nothing may be written.
 */
iri_status_t iri_relate(const iri_env_t *env, iri_str_t source,
                        iri_str_t destination, iri_relation_t *out);

/*
 * 1 if an entry has the same name in both trees, whatever its octets: so a
 * collection, which servers copy with all that is in it octet for octet, may
 * go from one to the other.  IRI_WHY_OTHER_TREE where not.
 * {EUC-JP}, {UTF-8} -> 0; {UTF-8}, {UTF-8, EUC-JP} -> 1, but not back
 */
int iri_keeps_names(const iri_tree_conf_t *from, const iri_tree_conf_t *to);

/*
 * What shall stand in a resource tag in the place of its path, which may be
 * raw or percent-encoded: paths[0], which is path if nothing is done, and, if
 * paths[1] is not empty, that in a second tag with the same lists.
 */
typedef iri_status_t (*iri_tag_t)(void *arg, iri_str_t path,
                                  iri_str_t paths[2]);

/*
 * The value of If (RFC 4918, 10.4) with other paths in its resource tags,
 * which servers compare octet for octet.  All else stays, and so does what is
 * not complete.  IRI_NO_MEMORY; what each returned.
 * "</e%CC%81> (<urn:x>)" -> "</%C3%A9> (<urn:x>)"
 */
iri_status_t iri_if_tags(const iri_env_t *env, iri_str_t value,
                         iri_tag_t each, void *arg, iri_str_t *out);

/* ---- the whole IRI (common/whole/) --------------------------------------- */

/*
 * What follows is in libiri.a and not in the modules.  A text is octets, an
 * IRI in UTF-8; where nothing else is said it may be of any length and any
 * octets, and need not be well-formed.  RFC 3986 and 3987 are meant by their
 * sections as "RFC", draft-duerst-iri-03 by "draft".
 */

#define IRI_MAX_IRI 65536   /* octets of a text that is to be mapped, resolved,
                               normalized or compared other than as a string */


/* ---- syntax (whole/iri_syntax.c) ----------------------------------------- */

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


/* ---- mapping (whole/iri_map.c) ------------------------------------------- */

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


/* ---- references (whole/iri_resolve.c) ------------------------------------ */

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


/* ---- normalization (whole/iri_normalize.c) ------------------------------- */

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
#define IRI_STEP_SYNTAX 1u   /* RFC 3986, 6.2.2: case of scheme, host and
                                escapes, escapes of what is unreserved,
                                dot-segments behind a scheme */
#define IRI_STEP_SCHEME 2u   /* 6.2.3: http's and https's default or empty
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


/* ---- equivalence (whole/iri_equal.c) ------------------------------------- */

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


/* ---- what to be warned of (whole/iri_bidi.c, iri_characters.c) ----------- */

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
    IRI_WARN_UNSEEN,         /* a character that is not seen; a joiner only
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
typedef struct iri_look_s iri_look_t;

/* As iri_idna_create() and iri_idna_destroy(). */
iri_look_t *iri_look_create(void);
void iri_look_destroy(iri_look_t *look);

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
                                  const iri_look_t *look, iri_str_t text,
                                  iri_warn_t warn, void *arg);


/* ---- names of a tree (iri_lint.c) ---------------------------------------- */

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
    unsigned               match;      /* IRI_FORGIVE_... of COLLISION */
    unsigned               kinds;      /* 1u << kind, of those to be told */
    const iri_look_t      *look;       /* of LOOK_ALIKE; NULL: scripts and
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

#endif /* IRI_H */
