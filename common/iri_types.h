/*
 * iri_types.h - types that every part of the core uses: strings, statuses, the environment
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
 *   answer          what the server should do: enum iri_verdict_t
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

#ifndef IRI_TYPES_H
#define IRI_TYPES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of the library, the command and both modules; build/libiri.pc has it, too. */
#define IRI_VERSION "1.0.0"

/* Both servers load modules into one name space: keep the core out of it. */
#pragma GCC visibility push(hidden)


/* ---- limits (each is tested at limit - 1, limit, limit + 1) ---------------- */

#define IRI_MAX_PATH          8192   /* octets of a non-ASCII path, unescaped,
                                        as it came and canonical */
#define IRI_MAX_QUERY         8192   /* octets of a query, as it came and as it
                                        becomes */
#define IRI_MAX_TEXT         65536   /* octets of a text to be converted */
#define IRI_MAX_SEGMENTS       128   /* segments of a non-ASCII path */
#define IRI_MAX_SEGMENT       1024   /* octets of one segment, likewise */
#define IRI_MAX_MARKS           30   /* combining marks in a row to normalize */
#define IRI_MAX_CHARSETS         8   /* charsets in a list */
#define IRI_MAX_CANDIDATES            8   /* candidates a segment */
#define IRI_MAX_REQUEST_CANDIDATES   64   /* candidates a request */
#define IRI_MAX_FS_CALLS          200   /* file-system calls a request */
#define IRI_MAX_DIRECTORIES_READ           16   /* directories read a request */
#define IRI_MAX_ENTRIES_READ       10000   /* entries read of one directory to find
                                        names in an odd form only */
#define IRI_MAX_ENTRIES_INLINE        2000   /* entries read of one to index it while
                                        a request waits, where more can be
                                        read elsewhere (iri_index_cache_conf_t) */
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


/* ---- strings --------------------------------------------------------------- */

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

/*
 * 1 if no octet is above 7F.  The one test that a plain ASCII request pays, so
 * it is here: a word at a time, the last one over what was looked at before.
 */
static inline int
iri_str_is_ascii(iri_str_t s)
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
int iri_path_is_ascii(iri_str_t path, int escaped);

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


/* ---- statuses and answers -------------------------------------------------- */

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
    IRI_RESTART,    /* the resource has another canonical path: start over */
    IRI_CHOOSE,   /* several resources may be meant, none more than another */
    IRI_REFUSE,   /* answer with the HTTP status that stands beside it */
    IRI_VERDICTS
} iri_verdict_t;

/* Why the answer is what it is, for logs and `iri explain`. */
typedef enum {
    IRI_WHY_NONE,       /* no reason to give */
    IRI_WHY_ASCII,         /* an ASCII path is its own name */
    IRI_WHY_CANONICAL,     /* came in its canonical form */
    IRI_WHY_READ,          /* was read in another form */
    IRI_WHY_DECLARED,      /* the tree is declared UTF-8 NFC: no look needed */
    IRI_WHY_FOUND,         /* the entry has the name that was asked */
    IRI_WHY_ALTERNATIVE,       /* found under a further reading */
    IRI_WHY_MIXED,         /* found with a charset for each segment */
    IRI_WHY_REPAIRED,      /* found where what was broken is put right */
    IRI_WHY_VARIANT,       /* found by a vendor variant */
    IRI_WHY_FOLDED,        /* found where width, case, accents are forgiven */
    IRI_WHY_SPELLING,      /* found as the one name with one edit */
    IRI_WHY_AMBIGUOUS,     /* several names, none nearer than the others */
    IRI_WHY_PARENT_RENAMED,         /* absent, but its directory has another name */
    IRI_WHY_ABSENT,        /* no entry has that name */
    IRI_WHY_UNWRITABLE,    /* the tree's charsets cannot write that name */
    IRI_WHY_CONFLICT,          /* to be made beside one that answers to it */
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
const char *iri_verdict_text(iri_verdict_t answer);
const char *iri_why_text(iri_why_t why);

/* The same as one word, for logs: "other-tree"; see doc/reasons.md */
const char *iri_why_code(iri_why_t why);


/* ---- the environment, lent by the caller ----------------------------------- */

/* TRACE: a reading, a look.  STEP: what these belong to, and the answer. */
typedef enum {
    IRI_LOG_ERROR,
    IRI_LOG_INFO,
    IRI_LOG_TRACE,
    IRI_LOG_STAGE
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
    IRI_STAGE_READING,   /* a path; told by iri_read */
    IRI_STAGE_FINDING,   /* below a root; told by iri_find */
    IRI_STAGE_RESTART,      /* under the path that was found; for the caller */
    IRI_STAGE_QUERY,     /* told by iri_query_read */
    IRI_STAGES
} iri_stage_t;

/* "Reading ", "Looking below ", "Starting over as ", "Reading the query " */
const char *iri_stage_text(iri_stage_t step);

/* One line at IRI_LOG_STAGE, where there is a trace. */
void iri_trace_stage(const iri_env_t *env, iri_stage_t step, iri_str_t octets);


/* ---- octets in log lines --------------------------------------------------- */

#define IRI_MAX_LOG_PATH   400   /* octets of a path in it */

/* Octets as a log may show them, for the argument of a "%s". */
typedef struct {
    char text[IRI_MAX_LOG_PATH + sizeof("...")];
} iri_shown_t;

/*
 * A path, unescaped: as in a URI.  _sent: what is percent-encoded stays so.
 * Return shown->text.
 * "/caf\xC3\xA9%" -> "/caf%C3%A9%25"; _sent: "/caf%C3%A9%"
 */
const char *iri_show(iri_shown_t *shown, iri_str_t path);
const char *iri_show_sent(iri_shown_t *shown, iri_str_t octets);


#pragma GCC visibility pop

#endif /* IRI_TYPES_H */
