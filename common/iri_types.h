/*
 * iri_types.h - strings, statuses, verdicts and the environment
 *
 * The types that all parts of the core share, and the words that all headers
 * use.  The other public headers include this one.
 *
 * Words
 *   octet           a byte of a message or of a name on disk
 *   character       a Unicode code point
 *   segment         the part of a path between two "/" (RFC 3986, 3.3)
 *   reading         the octets of a path decoded in one charset, each
 *                   segment in NFC
 *   canonical path  the characters of the chosen reading, in UTF-8
 *   form            how the client wrote the path: iri_form_t
 *   entry           a name in a directory, as octets; its *name* is these
 *                   octets decoded in the tree's charset, in NFC
 *   match           the difference that was ignored to find the entry:
 *                   iri_match_t
 *   verdict         the action that the server has to take: iri_verdict_t
 *   tree            the directories on disk below a root
 *
 * Rules for all functions
 *   - Configuration (iri_registry_t, iri_reading_conf_t, iri_tree_conf_t) is
 *     built once and is read-only while requests run.  Any number of threads
 *     may use it.  All other objects belong to one request.
 *   - A string is a pointer and a length in octets.  It needs no final NUL.
 *     Unless its comment says more, it may hold any octets, in any number.
 *   - A pointer is NULL only where its comment allows it.
 *   - A function keeps no pointer after the call unless its comment says so,
 *     and does not write to the octets of its input.
 *   - A result lives as long as the arena of the iri_env_t that the function
 *     got, or as long as the input into which it points.
 *   - An output argument is valid only if the function returns IRI_OK.
 *   - The text or code of an enum value is a static NUL-terminated string:
 *     "unknown" for a value out of range.
 *   - IRI_NO_MEMORY means that memory was refused, or that a string would have
 *     more than 1 MiB; IRI_ICU_FAILED that ICU reported an error;
 *     IRI_IO_FAILED that the file system did.
 */

#ifndef IRI_TYPES_H
#define IRI_TYPES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Version of the library, the command and both modules; also in libiri.pc */
#define IRI_VERSION "1.0.0"

/* Servers load all modules into one name space: hide the symbols. */
#pragma GCC visibility push(hidden)


/* ---- limits (each is tested at limit - 1, limit, limit + 1) -------------- */

/* Paths and queries */
#define IRI_MAX_PATH          8192   /* octets of a non-ASCII path, decoded:
                                        as received, and canonical */
#define IRI_MAX_QUERY         8192   /* octets of a query, before and after
                                        its conversion */
#define IRI_MAX_TEXT         65536   /* octets of a text to convert */
#define IRI_MAX_SEGMENTS       128   /* segments of a non-ASCII path */
#define IRI_MAX_SEGMENT       1024   /* octets of one such segment */
#define IRI_MAX_MARKS           30   /* combining marks in a row that are
                                        normalized */
#define IRI_MAX_CHARSETS         8   /* charsets in a list */

/* Lookups */
#define IRI_MAX_CANDIDATES             8   /* candidates per segment */
#define IRI_MAX_REQUEST_CANDIDATES    64   /* candidates per request */
#define IRI_MAX_FS_CALLS             200   /* file-system calls per request */
#define IRI_MAX_DIRECTORIES_READ      16   /* directories read per request */
#define IRI_MAX_ENTRIES_READ       10000   /* entries read of a directory
                                              where only normalization and
                                              variants are ignored */
#define IRI_MAX_ENTRIES_INLINE      2000   /* entries indexed while a request
                                              waits, if another thread can
                                              index more
                                              (iri_index_cache_s.later) */
#define IRI_MAX_INDEXED          1000000   /* entries of an indexed directory */
#define IRI_MIN_CACHE              65536   /* octets of a cache */
#define IRI_MAX_CACHE   UINT64_C(4294967296)
#define IRI_MAX_CHOICES                8   /* choices offered for a request */
#define IRI_MIN_SPELLING               4   /* characters before the "." of the
                                              extension that "spelling" needs */

/* Hosts */
#define IRI_MAX_HOST          1024   /* octets of a host, percent-decoded */
#define IRI_MAX_LABELS         127   /* labels of a host */
#define IRI_MAX_LABEL          256   /* characters of a label to map */
#define IRI_MAX_ALABEL          63   /* octets of an A-label */
#define IRI_MAX_HOST_ASCII     253   /* octets of a host in A-labels, without
                                        a final dot */


/* ---- strings ------------------------------------------------------------- */

/* Octets with their number. */
typedef struct {
    size_t               len;    /* octets */
    const unsigned char *data;   /* may be NULL when len is 0 */
} iri_str_t;

/* Initializes an iri_str_t with a string literal, without its final NUL. */
#define IRI_STR(literal)                                                      \
    { sizeof(literal) - 1, (const unsigned char *) (literal) }


/*
 * SipHash-1-3 of octets that a client may choose.
 * key: 128 random bits (getrandom); without them a client cannot compute
 * colliding inputs.
 * Returns: 32 bits of the hash.
 */
uint32_t iri_keyed_hash(const uint64_t key[2], iri_str_t octets);

/*
 * Returns: 1 if no octet of s is above 7F, else 0.
 * Inline because every ASCII request executes it.  It tests eight octets at a
 * time; the last eight may overlap those before.
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
 * Returns: reference before its query and fragment (RFC 3986, 3):
 * "/a?b#c" -> "/a".
 */
static inline iri_str_t
iri_before_query(iri_str_t reference)
{
    const char           ends[] = { '?', '#' };
    const unsigned char *end;
    size_t               i;

    for (i = 0; i < sizeof(ends) && reference.len != 0; i++) {
        end = memchr(reference.data, ends[i], reference.len);
        if (end != NULL) {
            reference.len = (size_t) (end - reference.data);
        }
    }

    return reference;
}

/*
 * Is a path ASCII, so that it needs no reading?
 * escaped: 1 if path is percent-encoded, 0 if it is decoded.
 * Returns: 1 if no octet of path is above 7F and, with escaped, no "%" is
 * followed by an octet above "7"; else 0.
 * "/caf%C3%A9", escaped 1 -> 0; escaped 0 -> 1
 */
int iri_path_is_ascii(iri_str_t path, int escaped);


/* ---- statuses, forms, matches, verdicts and reasons ---------------------- */

/* Why a function could not do its work.  "No such entry" is not an error. */
typedef enum {
    IRI_OK = 0,
    IRI_NO_MEMORY,           /* memory was refused */
    IRI_PATH_TOO_LONG,       /* only inside the core: iri_read() returns
                                IRI_OK with IRI_WHY_LIMIT */
    IRI_IRI_TOO_LONG,        /* more than IRI_MAX_IRI octets */
    IRI_TOO_MANY_SEGMENTS,   /* as IRI_PATH_TOO_LONG */
    IRI_SEGMENT_TOO_LONG,    /* as IRI_PATH_TOO_LONG */
    IRI_BAD_ESCAPE,          /* "%" without two hexadecimal digits */
    IRI_ICU_FAILED,          /* ICU reported an error */
    IRI_IO_FAILED,           /* the file system reported an error */
    IRI_NOT_LISTED,          /* from iri_dir_t: a directory that may not be
                                listed; from iri_lookup_split(): nothing may
                                be opened */
    IRI_STATUSES             /* number of values */
} iri_status_t;

/* How the client wrote the path. */
typedef enum {
    IRI_FORM_ASCII,     /* only ASCII */
    IRI_FORM_NATIVE,    /* raw UTF-8 octets */
    IRI_FORM_ESCAPED,   /* percent-encoded UTF-8 */
    IRI_FORM_MIXED,     /* raw and percent-encoded UTF-8: the drafts' partial
                           IRI */
    IRI_FORM_LEGACY,    /* a charset of iri_charset, raw or percent-encoded */
    IRI_FORM_DOUBLE,    /* percent-encoded twice */
    IRI_FORM_MOJIBAKE,  /* UTF-8 decoded as windows-1252 and encoded again */
    IRI_FORM_U,         /* "%uXXXX", as escape() of JavaScript writes it */
    IRI_FORM_INVISIBLE, /* with invisible characters */
    IRI_FORM_TRAILING,  /* with punctuation that follows the link */
    IRI_FORM_PLUS,      /* "+" instead of a space */
    IRI_FORM_INVALID,   /* the path has no reading */
    IRI_FORMS           /* number of values */
} iri_form_t;

/* The difference that was ignored to find an entry, weakest first. */
typedef enum {
    IRI_MATCH_NONE,            /* no lookup, or nothing was found */
    IRI_MATCH_EXACT,           /* no difference: the request and the entry
                                  have the canonical form */
    IRI_MATCH_NORMALIZATION,   /* another normalization form, for example NFD */
    IRI_MATCH_CHARSET,         /* another charset in the request or on disk */
    IRI_MATCH_VARIANTS,        /* a JIS vendor pair, for example U+301C and
                                  U+FF5E; IRI_FOLD_LETTERS */
    IRI_MATCH_WIDTH,           /* full width, half width */
    IRI_MATCH_PUNCTUATION,     /* spaces, dashes and quotes that look alike */
    IRI_MATCH_CASE,            /* upper and lower case */
    IRI_MATCH_ACCENTS,         /* accents of Latin, Greek and Cyrillic */
    IRI_MATCH_SPELLING,        /* one character added, removed or replaced, or
                                  two exchanged */
    IRI_MATCH_REPAIR,          /* an encoding error that iri_repair repairs */
    IRI_MATCHES                /* number of values */
} iri_match_t;

/*
 * Bits of iri_tree_conf_t.match: the differences that are ignored.  A new one
 * also needs an iri_match_t in this order, its word (config/iri_conf.c), its key
 * (unicode/iri_fold.c), and IRI_FOLD_KEYS.
 */
#define IRI_FOLD_NORMALIZATION 0x01u
#define IRI_FOLD_VARIANTS      0x02u
#define IRI_FOLD_WIDTH         0x04u
#define IRI_FOLD_CASE          0x08u
#define IRI_FOLD_ACCENTS       0x10u
#define IRI_FOLD_SPELLING      0x20u
#define IRI_FOLD_PUNCTUATION   0x40u
#define IRI_FOLD_EXACT_ONLY    0x80u   /* the value "exact" */
#define IRI_FOLD_TURKIC       0x100u   /* with CASE: "i" and "I" differ */
#define IRI_FOLD_GERMAN       0x200u   /* with ACCENTS: "ae" is a-umlaut */
#define IRI_FOLD_LATIN        0x800u   /* with ACCENTS: o-stroke is "o" */
#define IRI_FOLD_ARABIC      0x1000u   /* forms of yeh and kaf */
#define IRI_FOLD_ROMANIAN    0x2000u   /* cedilla is comma below */
#define IRI_FOLD_JOINERS     0x4000u   /* U+200C and U+200D in words */

/* Set by iri_tree_conf_finish() */
#define IRI_FOLD_ESCAPES      0x400u   /* repair has IRI_REPAIR_ESCAPES */
#define IRI_FOLD_PERCENT     0x8000u   /* the first charset is "percent", which
                                          escapes "%" in names */
#define IRI_FOLD_TRAILING   0x10000u   /* repair has IRI_REPAIR_TRAILING */
#define IRI_FOLD_PLUS       0x20000u   /* repair has IRI_REPAIR_PLUS */

/* Those that are found as IRI_MATCH_VARIANTS, besides JIS vendor pairs */
#define IRI_FOLD_LETTERS                                                      \
    (IRI_FOLD_ARABIC | IRI_FOLD_ROMANIAN | IRI_FOLD_JOINERS)

/*
 * A method that writes does not ignore these differences, and creates no entry
 * that differs from another only in them
 */
#define IRI_FOLD_NEAR                                                         \
    (IRI_FOLD_LETTERS | IRI_FOLD_PUNCTUATION | IRI_FOLD_CASE                  \
     | IRI_FOLD_ACCENTS)

/* The differences that need an index of all names of a directory */
#define IRI_FOLD_INDEXED (IRI_FOLD_WIDTH | IRI_FOLD_NEAR | IRI_FOLD_SPELLING)

/* Those for which some ASCII paths need a lookup, besides IRI_FOLD_INDEXED */
#define IRI_FOLD_SOME_ASCII                                                   \
    (IRI_FOLD_ESCAPES | IRI_FOLD_PERCENT | IRI_FOLD_TRAILING | IRI_FOLD_PLUS)

/* All bits that determine the keys of an index */
#define IRI_FOLD_KEYS                                                         \
    (IRI_FOLD_INDEXED | IRI_FOLD_VARIANTS | IRI_FOLD_TURKIC | IRI_FOLD_GERMAN  \
     | IRI_FOLD_LATIN)

/* The action that the server has to take. */
typedef enum {
    IRI_PASS,      /* continue as if the module were not loaded */
    IRI_SERVE,     /* continue with this canonical path and this entry */
    IRI_RESTART,   /* the entry has another canonical path: restart with it */
    IRI_CHOOSE,    /* several entries match equally well */
    IRI_REFUSE,    /* answer with the HTTP status given with the verdict */
    IRI_VERDICTS   /* number of values */
} iri_verdict_t;

/* The reason for a verdict, for logs and `iri explain` (doc/reasons.md). */
typedef enum {
    IRI_WHY_NONE,            /* no reason to report */
    IRI_WHY_ASCII,           /* an ASCII path is canonical */
    IRI_WHY_CANONICAL,       /* the client sent the canonical form */
    IRI_WHY_READ,            /* the client sent another form */
    IRI_WHY_DECLARED,        /* the tree is declared UTF-8 in NFC: no lookup */
    IRI_WHY_FOUND,           /* an entry has the requested name */
    IRI_WHY_ALTERNATIVE,     /* found by an alternative reading */
    IRI_WHY_MIXED,           /* found with a charset per segment */
    IRI_WHY_REPAIRED,        /* found after an encoding error was repaired */
    IRI_WHY_VARIANT,         /* found by a variant of a character */
    IRI_WHY_FOLDED,          /* found where width, punctuation, case or accents
                                differ */
    IRI_WHY_SPELLING,        /* found by one edit of the name */
    IRI_WHY_AMBIGUOUS,       /* several entries match equally well */
    IRI_WHY_PARENT_RENAMED,  /* absent; its directory has another name */
    IRI_WHY_ABSENT,          /* no entry has that name */
    IRI_WHY_UNWRITABLE,      /* no charset of the tree can encode that name */
    IRI_WHY_CONFLICT,        /* an existing entry conflicts with the new one */
    IRI_WHY_OTHER_TREE,      /* entries would change their names there */
    IRI_WHY_UNNAMED,         /* no charset of the tree decodes these octets;
                                they are served as they are */
    IRI_WHY_OTHER_NAME,      /* these octets are the name of another entry */
    IRI_WHY_FORBIDDEN,       /* a NUL or a dot-segment */
    IRI_WHY_UNREADABLE,      /* no charset decodes the path */
    IRI_WHY_BIDI,            /* a raw bidi formatting character */
    IRI_WHY_LIMIT,           /* a limit of length or segments is exceeded */
    IRI_WHY_BUDGET,          /* the budget of lookups is exhausted */
    IRI_WHY_ERROR,           /* memory, ICU or the file system failed */
    IRI_WHYS                 /* number of values */
} iri_why_t;

/*
 * The word or phrase for a value, as variables, logs and JSON show it.
 * iri_form_text(IRI_FORM_LEGACY) -> "legacy"
 */
const char *iri_status_text(iri_status_t status);
const char *iri_form_text(iri_form_t form);
const char *iri_match_text(iri_match_t match);
const char *iri_verdict_text(iri_verdict_t verdict);
const char *iri_why_text(iri_why_t why);

/* The code of a reason, one word: "other-tree" (doc/reasons.md). */
const char *iri_why_code(iri_why_t why);


/* ---- the environment that the caller provides ---------------------------- */

/* The level of a line for the log, the most severe first. */
typedef enum {
    IRI_LOG_ERROR,   /* the server cannot do its work */
    IRI_LOG_WARN,    /* about the configuration */
    IRI_LOG_INFO,    /* about one request; not if quiet is 1 */
    IRI_LOG_TRACE,   /* a reading or a lookup; only if trace is 1 */
    IRI_LOG_STAGE    /* the stage that such lines belong to, or its verdict;
                        only if trace is 1 */
} iri_log_level_t;

/* The object at a path of the file system. */
typedef enum {
    IRI_NODE_ABSENT,    /* ENOENT, ENAMETOOLONG, ELOOP */
    IRI_NODE_NOT_DIR,   /* a leading component is not a directory: ENOTDIR */
    IRI_NODE_DIR,       /* a directory, or a symbolic link to one */
    IRI_NODE_OTHER      /* any other object, a dangling link too */
} iri_node_kind_t;

/* The state of such an object. */
typedef struct {
    iri_node_kind_t kind;
    uint64_t        dev;     /* this and all below: 0 unless kind is DIR or
                                OTHER */
    uint64_t        ino;
    int64_t         mtime;   /* nanoseconds since the epoch */
    int64_t         ctime;   /* nanoseconds since the epoch */
} iri_node_t;

/*
 * Receives one entry of a directory.
 * name: octets; valid during the call.
 * Returns: IRI_OK; any other status ends the listing.
 */
typedef iri_status_t (*iri_dir_each_t)(void *arg, iri_str_t name);

/*
 * The file system.  path: octets, absolute, NUL-terminated.  ctx: that of the
 * iri_env_t.
 *
 * stat reports the object at path.  list calls each for the entries of the
 * directory at path, without "." and "..".  Its *node is the directory that
 * was opened, in its state before the first entry was read, because path may
 * lead to another directory by now; kind is ABSENT if no directory was opened.
 *
 * With a cache that builds indexes in threads (iri_index_cache_t.later), list
 * is also called there, with ctx NULL and after the request: it must not use
 * ctx, and the iri_dir_t must be static.
 *
 * Returns: IRI_OK, stat also for an absent object; IRI_IO_FAILED for any other
 * error (EACCES, EIO, EMFILE): the core then ends its lookups.  list also:
 * IRI_NOT_LISTED for a directory that may be searched but not read, in which
 * only exact names are found; the status that each returned.
 */
typedef struct {
    iri_status_t (*stat)(void *ctx, const char *path, iri_node_t *node);
    iri_status_t (*list)(void *ctx, const char *path, iri_node_t *node,
                         iri_dir_each_t each, void *arg);
} iri_dir_t;

/*
 * The POSIX file system: lstat, stat, readdir (base/iri_dir_posix.c).  It does
 * not use ctx.  Listings are read by the servers, and trees by the command.
 */
extern const iri_dir_t iri_dir_posix;

/*
 * Keys of single characters, each computed by ICU when a name is first compared
 * by it (iri_match "width case accents spelling").  Any number of threads may
 * share them.
 */
typedef struct iri_fold_keys_s iri_fold_keys_t;

/* Memory, log and file system, which the caller lends to the core. */
typedef struct {
    void            *ctx;   /* first argument of all functions below; may be
                               NULL */
    void          *(*alloc)(void *ctx, size_t size);   /* memory of the arena,
                               aligned as by malloc, or NULL.  It is never
                               freed one by one */
    void           (*log)(void *ctx, iri_log_level_t level, iri_str_t line);
                            /* line: without an end of line; a code of a reason
                               follows the last ", reason=", if there is one
                               (iri_note_line).  NULL: no log */
    const iri_dir_t *dir;   /* for functions that look up entries; NULL is
                               allowed for all others */
    int              quiet; /* 1: IRI_LOG_INFO is not logged */
    int              trace; /* 1: log each reading and lookup too */
    iri_fold_keys_t *fold_keys;  /* of the configuration; NULL: each key is
                               computed again */
} iri_env_t;

/*
 * Create keys, 300 KiB, for the environments of requests.
 * env: its arena must outlive those that use the keys (a configuration pool).
 * Returns: the keys; NULL: no memory.
 */
iri_fold_keys_t *iri_fold_keys_create(const iri_env_t *env);


/* ---- stages of a trace --------------------------------------------------- */

/* The stages, the same in a server's trace and in `iri explain`. */
typedef enum {
    IRI_STAGE_READING,   /* a path is read; logged by iri_read */
    IRI_STAGE_FINDING,   /* lookup below a root; logged by iri_find */
    IRI_STAGE_RESTART,   /* restart with another path; logged by the caller */
    IRI_STAGE_QUERY,     /* a query is read; logged by iri_query_read */
    IRI_STAGES           /* number of values */
} iri_stage_t;

/* The beginning of the line of a stage: "Reading " */
const char *iri_stage_text(iri_stage_t stage);


/* ---- octets in log lines ------------------------------------------------- */

#define IRI_MAX_LOG_PATH   400   /* octets of a path in a log line */

/* Memory for octets as a log line shows them. */
typedef struct {
    char text[IRI_MAX_LOG_PATH + sizeof("...")];   /* NUL-terminated */
} iri_shown_t;

/*
 * Show octets in a log line, percent-encoded as in a URI.  Longer text is cut
 * and ends with "...".
 *
 *   iri_show        path: decoded octets; "%" is escaped too
 *   iri_show_sent   octets: as sent; escapes stay as they are
 *
 * Returns: shown->text, for "%s"; printable ASCII.
 * "/caf\xC3\xA9%" -> "/caf%C3%A9%25"; _sent: "/caf%C3%A9%"
 */
const char *iri_show(iri_shown_t *shown, iri_str_t path);
const char *iri_show_sent(iri_shown_t *shown, iri_str_t octets);


/* ---- pages --------------------------------------------------------------- */

/*
 * A page of the core: the answer to GET and HEAD.  Send
 * "X-Content-Type-Options: nosniff" with it.  Its texts are static.
 */
typedef struct {
    int         status;          /* HTTP status */
    const char *type;            /* Content-Type */
    const char *policy;          /* Content-Security-Policy, unless the
                                    configuration has set one */
    const char *cache_control;   /* Cache-Control */
    const char *vary;            /* Vary; NULL: none */
    iri_str_t   body;
} iri_page_t;


#pragma GCC visibility pop

#endif /* IRI_TYPES_H */
