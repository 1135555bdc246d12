/*
 * iri.h - one request: read its path, find the entry, redirect, log
 *
 *     octets of the path --iri_read--> reading --iri_find--> entry, verdict
 *
 * Implements section 6.7 of draft-duerst-iri-03: a server should accept an IRI
 * in its native UTF-8 form, in its percent-encoded form and, if the site wants
 * it, in legacy charsets, and match all of them with the one local resource.
 * The core decides; it knows no server.  The caller carries out the verdict.
 * The words reading, canonical path, form, entry, match and verdict are defined
 * in iri_types.h.
 */

#ifndef IRI_H
#define IRI_H

#include "iri_conf.h"

#pragma GCC visibility push(hidden)


/* ---- reading a path ------------------------------------------------------ */

/*
 * May a client create an entry with this path?  For ASCII paths, which
 * iri_read() does not check.
 * path: octets, decoded.
 * Returns: 1 if path starts with "/", no segment but the last is empty, no
 * segment is a dot-segment (RFC 3986, 3.3), and there is no C0 control and no
 * DEL; else 0.
 * "/a/b/" -> 1; "/a//b" -> 0; "/./a" -> 0; "/a\n" -> 0; "" -> 0
 */
int iri_is_new_path(iri_str_t path);

/* The path of a request, as the server has it. */
typedef struct {
    iri_str_t path;      /* octets; starts with "/" */
    int       escaped;   /* 0: the server decoded path once (nginx);
                            1: path is percent-encoded (httpd) */
    iri_str_t target;    /* the path as sent, up to "?": it distinguishes native
                            from escaped and reveals raw bidi characters.
                            Empty: with escaped 1 it is path; with escaped 0
                            the server made path, and no octet came raw */
} iri_received_path_t;

/* The result of reading a path. */
typedef struct {
    iri_verdict_t verdict;  /* PASS: path is canonical as received; SERVE:
                               continue with path; REFUSE: see status */
    int          status;    /* REFUSE: HTTP status, 400 or 404; else 0 */
    iri_why_t    why;       /* the reason for verdict */
    iri_form_t   form;      /* how the client wrote the path */
    iri_str_t    charset;   /* its name, or "mixed"; empty for forms ASCII and
                               INVALID */
    iri_str_t    path;      /* canonical path, decoded, UTF-8; for ASCII and
                               without a reading as received */
    iri_str_t    uri;       /* canonical path, percent-encoded, upper-case hex.
                               With escaped 1, escapes of ASCII characters
                               stay ("%2F", "%25"); without a reading, all of
                               it stays */
    iri_str_t    octets;    /* path as received, decoded, for alternative
                               readings; for ASCII and over a limit as path */
    int          raw;       /* 1: target has octets above 7F, so a proxy must
                               not forward it as it is */
    const iri_reading_conf_t *conf;   /* the argument of iri_read(), which must
                                         live as long as the reading */
} iri_reading_t;

/*
 * Read a path: decode its octets to canonical characters.
 *
 * Strict UTF-8 is tried first, then each charset of conf on the whole path,
 * then, if no single charset decodes it, each charset on each segment.  Each
 * segment is put in NFC, except U+037E, U+1FEF and U+212A, whose NFC is ASCII,
 * and except a segment with more than IRI_MAX_MARKS combining marks in a row.
 * After that no segment may contain a C0 or C1 control or DEL, an ASCII
 * character that its octets did not contain, or, from a legacy charset, U+FFFD
 * or a noncharacter.  Bidi formatting characters must be percent-encoded.
 *
 * A path over a limit gives REFUSE with status 404 and IRI_WHY_LIMIT.  For a
 * path without a reading conf->invalid selects the verdict.
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED; IRI_BAD_ESCAPE, only with
 * escaped 1 and a path that is not ASCII (iri_path_is_ascii): let the server
 * refuse the path.
 *
 * "/caf%E9" with windows-1252 -> SERVE, LEGACY, path "/caf\xC3\xA9", uri
 * "/caf%C3%A9".  "/cafe%CC%81" -> SERVE, ESCAPED, the same path.
 */
iri_status_t iri_read(const iri_env_t *env, const iri_reading_conf_t *conf,
                      const iri_received_path_t *request, iri_reading_t *out);


/* ---- paths as URIs and IRIs ---------------------------------------------- */

/*
 * Do all escapes of a URI path encode octets above 7F?  Then decoding creates
 * no "/", "%" or control.  Hexadecimal digits are not verified.
 * uri: octets, percent-encoded; may be empty.
 * Returns: 1 if so; 0 also for a "%" with fewer than two octets behind it.
 * "/caf%C3%A9" -> 1; "/caf%C3%A9%2F" -> 0; "/caf%C" -> 0
 */
int iri_uri_high_octets_escaped(iri_str_t uri);

/*
 * Convert a canonical path to a URI path: percent-encoded UTF-8, upper-case
 * hex; pchar and "/" of RFC 3986 are not escaped.
 * path: decoded.
 * Returns: IRI_OK; IRI_NO_MEMORY.  *out is path itself if nothing is escaped.
 * "/caf\xC3\xA9 1" -> "/caf%C3%A9%201"
 */
iri_status_t iri_path_to_uri(const iri_env_t *env, iri_str_t path,
                             iri_str_t *out);

/*
 * Convert a canonical path to an IRI path: ucschar stay; ASCII that is not
 * pchar or "/", controls, bidi formatting characters, private use and octets
 * that are not UTF-8 are percent-encoded (draft 2.2, 3.2, 4.1).
 * path: decoded.
 * Returns: IRI_OK; IRI_NO_MEMORY.  *out is path itself if nothing is escaped.
 * "/caf\xC3\xA9 1\xE9" -> "/caf\xC3\xA9%201%E9"
 */
iri_status_t iri_path_to_iri(const iri_env_t *env, iri_str_t path,
                             iri_str_t *out);

/*
 * Normalize the escapes of a URI path (RFC 3986, 6.2.2): escapes of unreserved
 * characters are decoded, other escapes get upper-case hex, and octets that
 * must not stand in a path are escaped.
 * sent: percent-encoded or raw.
 * Returns: IRI_OK; IRI_NO_MEMORY.  *out is sent itself if nothing changes.
 * "/%66%2f%c3%a9\"" -> "/f%2F%C3%A9%22"
 */
iri_status_t iri_uri_normalize(const iri_env_t *env, iri_str_t sent,
                               iri_str_t *out);


/* ---- queries ------------------------------------------------------------- */

/* What was done with a query, and why. */
typedef enum {
    IRI_QUERY_ASCII,       /* unchanged: no octet above 7F, raw or escaped */
    IRI_QUERY_UTF8,        /* unchanged: UTF-8 */
    IRI_QUERY_READ,        /* converted from a charset */
    IRI_QUERY_NORMALIZED,  /* UTF-8, put in NFC */
    IRI_QUERY_UNREADABLE,  /* unchanged: no single charset decodes all that is
                              not UTF-8 */
    IRI_QUERY_LIMIT,       /* unchanged: more than IRI_MAX_QUERY octets, before
                              or after the conversion */
    IRI_QUERY_WHYS         /* number of values */
} iri_query_why_t;

/* The phrase for a reason: "was read in another charset". */
const char *iri_query_why_text(iri_query_why_t why);

/* The result of reading a query. */
typedef struct {
    iri_str_t       query;     /* READ, NORMALIZED: the new query; else as
                                  received */
    iri_str_t       charset;   /* READ: name of the charset; else empty */
    iri_query_why_t why;
} iri_query_t;

/*
 * Can iri_query_read() change this query?  Each query executes this test.
 * Returns: 0 if it cannot, else 1.
 */
int iri_query_needs_read(const iri_query_conf_t *conf, iri_str_t query);

/*
 * Convert a query to UTF-8.
 *
 * The query is split as a form (URL Standard, application/x-www-form-
 * urlencoded): parameters at "&", a name from its value at the first "=". Each
 * name and value that is UTF-8 is kept octet for octet.  All others are decoded
 * in the first charset that decodes all of them; their characters other than
 * ASCII are written as percent-encoded UTF-8, upper-case hex.  ASCII is kept as
 * sent, raw or escaped ("+", "%2B", "%0a", "%zz"), unless it is an octet of a
 * multi-octet character: "%83\" in Shift_JIS.  No character becomes a control,
 * U+FFFD or a noncharacter.  If no charset decodes all of them, or a limit is
 * exceeded, the whole query is kept.
 *
 * With nfc, a name or value that is not in NFC is put in NFC.  Only letters and
 * digits of ASCII take part in compositions.  Text with more than IRI_MAX_MARKS
 * combining marks in a row is kept, and so are U+037E, U+1FEF and U+212A.
 *
 * Reading the result again does not change it.
 *
 * query: octets between "?" and "#", as sent.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * With Shift_JIS: "q=%95\&r=a%26" -> "q=%E8%A1%A8&r=a%26".  With "&s=%a0"
 * appended, which is not Shift_JIS, the query is kept.
 */
iri_status_t iri_query_read(const iri_env_t *env,
                            const iri_query_conf_t *conf, iri_str_t query,
                            iri_query_t *out);


/* ---- repairing a segment ------------------------------------------------- */

/*
 * Repair one kind of encoding error in a segment.
 *
 *   how       one of IRI_REPAIR_...
 *   segment   octets, decoded once, as servers decode
 *   out       canonical UTF-8 with at least one repaired character; empty: the
 *             segment has no such error, it cannot be repaired, or it is longer
 *             than IRI_MAX_SEGMENT
 *
 * Only characters above U+009F are produced.  All other octets stay as they
 * are, also escapes of ASCII.  If a repair would produce ASCII, a control, a
 * bidi formatting character, a lone surrogate, U+FFFD or a noncharacter, *out
 * is empty.
 *
 *   DOUBLE    runs of escapes of octets above 7F, each run strict UTF-8
 *   MOJIBAKE  all characters are in windows-1252, with the C1 controls at its
 *             five unassigned octets, or all are in ISO-8859-1, and their
 *             octets are strict UTF-8
 *   U         "%uXXXX" (two for a character above U+FFFF); if there is one,
 *             "%A0" to "%FF" are U+00A0 to U+00FF
 *
 * The following repairs remove or replace characters.  If the result would
 * begin with ".", *out is empty:
 *
 *   INVISIBLE removes U+00AD, U+200B, U+2060 and U+FEFF
 *   TRAILING  removes the last character if it is one of
 *             , . ) > U+3001 U+3002 U+300D U+FF09
 *   PLUS      replaces each "+" by a space
 *
 * A repaired segment counts only if it is the name of an entry: iri_find() with
 * iri_tree_conf_t.repair, if nothing else is found, and not for writes.  The
 * verdict is RESTART then.  If mojibake leaves controls in a path, the path has
 * no other reading; then iri_read() repairs it, and iri_find() refuses it
 * unless the entry exists.
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * DOUBLE "%E6%97%A5.html" -> "\xE6\x97\xA5.html"; "%2E%2E%2F" -> ""
 * MOJIBAKE "caf\xC3\x83\xC2\xA9" -> "caf\xC3\xA9"
 * U "%u65E5" -> "\xE6\x97\xA5"; "%u002F" -> ""
 */
iri_status_t iri_repair(const iri_env_t *env, unsigned how,
                        iri_str_t segment, iri_str_t *out);

/*
 * Escape the "%" of each "%uXXXX", which is not an escape, so that a server
 * does not refuse the path.  All other octets stay, also malformed escapes.
 * path: percent-encoded.
 * Returns: IRI_OK; IRI_NO_MEMORY.  *out is path itself if nothing is escaped.
 * "/%u65E5" -> "/%25u65E5"
 */
iri_status_t iri_repair_units(const iri_env_t *env, iri_str_t path,
                              iri_str_t *out);


/* ---- the cache of directory indexes -------------------------------------- */

/*
 * An index maps keys to the entries of one directory.  It is identified by
 * device, inode, mtime and ctime of the directory and by the settings that
 * determine keys.  If only normalization and variants are ignored, it holds
 * only entries whose octets cannot be derived from their name, for example
 * partly composed names.  If differences of IRI_FOLD_INDEXED are ignored, it
 * holds all entries.  An index is a hint: a result counts only if the entry's
 * octets have the name and the directory is unchanged.
 *
 * The core builds and searches indexes.  The server stores them: it has a
 * record for each directory, and memory for the index itself, a block that has
 * no pointers, so that processes can share it.
 */
typedef struct iri_index_cache_s iri_index_cache_t;

/* The directory and the settings of an index; without padding. */
typedef struct {
    uint64_t dev;           /* as in iri_node_t */
    uint64_t ino;
    uint64_t settings[2];   /* the same in each process */
} iri_index_key_t;

/* What is known of one directory.  New: all 0.  Only the core uses it. */
typedef struct {
    int64_t  mtime, ctime;  /* of the directory when it was read */
    int64_t  read_at;       /* times are ns since the epoch */
    int64_t  keep_until;    /* the time until which it may not be evicted */
    void    *block;         /* the index; NULL: it is empty, or has no room */
    size_t   size;          /* octets of block */
    uint64_t build;         /* number of the build under way; 0: none */
    int64_t  build_until;   /* then the build counts as abandoned */
    void    *build_block;   /* written by the build; NULL: not yet */
    size_t   build_size;    /* octets of build_block */
    uint32_t entries;       /* as in the index; UINT32_MAX: so many or more */
    uint32_t ways;          /* as in the index */
    unsigned known:1;       /* 1: it was read; 0: all above is unknown */
    unsigned complete:1;    /* as in the index */
    unsigned no_room:1;     /* 1: there was no room for the block */
    unsigned cheap:1;       /* 1: a rebuild takes little time */
    unsigned deferred:1;    /* 1: the build runs in another thread */
    unsigned evicts:1;      /* 1: it replaced the record of a directory that was
                               read; until the first build */
    unsigned abandoned:5;   /* builds in a row that did not end in time */
} iri_index_record_t;

/* Shared by all who share the records.  New: all 0.  Only the core uses it. */
typedef struct {
    uint64_t builds;        /* that were begun */
    int64_t  thrashing;     /* the time until which builds that had no room, or
                               evicted another index, are to be made up for */
    int64_t  logged_at;     /* when a lack of room was last logged */
} iri_index_state_t;

/* Number of queues of requests that wait for the building of an index. */
#define IRI_INDEX_QUEUES 16

/* The building of an index in another thread. */
typedef struct iri_index_job_s iri_index_job_t;

/*
 * How a server stores indexes.  cache is its own structure, which begins with
 * this one.  Any thread of the process may call lock, unlock, queue and leave;
 * the functions between lock and unlock are called by who holds the lock, which
 * is held for some microseconds.  A process that is killed while it holds the
 * lock may leave records and blocks half changed: the server must discard
 * them all before another gets the lock.
 */
struct iri_index_cache_s {
    uint64_t key[2];   /* of hashes: from iri_index_cache_key(), the same for
                          all who share the records */
    size_t   max_size; /* octets of the largest block, if there is no other */

    iri_index_state_t  *(*lock)(iri_index_cache_t *cache);
    void                (*unlock)(iri_index_cache_t *cache);

    /* The record of key, which becomes the one used last; NULL: none. */
    iri_index_record_t *(*find)(iri_index_cache_t *cache,
                                const iri_index_key_t *key);
    /* A new record, used last; NULL: there are as many as there may be. */
    iri_index_record_t *(*insert)(iri_index_cache_t *cache,
                                  const iri_index_key_t *key);
    /* Let a record be a new one for another key, used last. */
    void                (*reuse)(iri_index_cache_t *cache,
                                 iri_index_record_t *record,
                                 const iri_index_key_t *key);
    /* The record used next after record; NULL: of all the least recently used
       one.  Returns: NULL if there is none. */
    iri_index_record_t *(*next)(iri_index_cache_t *cache,
                                iri_index_record_t *record);
    /* A block of size octets, aligned for uint64_t; NULL: no room. */
    void               *(*alloc)(iri_index_cache_t *cache, size_t size);
    void                (*free)(iri_index_cache_t *cache, void *block);

    /* Enter and leave a queue while a request builds an index, so that others
       wait for it instead of building it too; NULL: none. */
    void                (*queue)(iri_index_cache_t *cache, unsigned which);
    void                (*leave)(iri_index_cache_t *cache, unsigned which);
    /* Have iri_index_job_run() called in another thread if more than
       IRI_MAX_ENTRIES_INLINE entries must be read.  Returns: 0 if that is not
       possible.  NULL: the request reads all entries. */
    int                 (*later)(iri_index_cache_t *cache,
                                 iri_index_job_t *job);
};

/* Set key to random octets: by getrandom(), else from time and process. */
void iri_index_cache_key(uint64_t key[2]);

/*
 * Build the index of a job that iri_index_cache_s.later got, or drop the job.
 * Both free it.  Any thread of the process may call them while the cache and
 * the configuration exist.
 * iri_env_t.dir must not need a ctx.
 */
void iri_index_job_run(iri_index_job_t *job);
void iri_index_job_drop(iri_index_job_t *job);


/* ---- finding an entry ---------------------------------------------------- */

/*
 * May a request with this method create, change or delete an entry?  Such a
 * request never finds another name by IRI_FOLD_NEAR or spelling.
 * Returns: 0 for GET, HEAD, POST, OPTIONS, TRACE, PROPFIND, REPORT and SEARCH;
 * else 1.
 * "GET" -> 0; "PUT" -> 1; "get" -> 1
 */
int iri_method_writes(iri_str_t method);

/*
 * May an ASCII path with an escape, a blank or a mark at its end have another
 * name?  match: as for iri_ascii_needs_lookup().
 */
int iri_ascii_may_be_repaired(unsigned match, iri_str_t path);

/*
 * As iri_needs_lookup(), for an ASCII path.
 * match: iri_tree_conf_t.match of one directory, or of several combined by "|".
 * Returns: 1 or 0.
 */
static inline int
iri_ascii_needs_lookup(unsigned match, iri_str_t path)
{
    return (match & IRI_FOLD_INDEXED) != 0
           || ((match & IRI_FOLD_SOME_ASCII) != 0
               && iri_ascii_may_be_repaired(match, path));
}

/*
 * Has this name or path the same octets in each charset and normalization form?
 * match: as for iri_ascii_needs_lookup().
 * Returns: 1 for ASCII; 0 if it contains "%" and match IRI_FOLD_PERCENT, and
 * for all else.
 */
int iri_is_same_on_disk(unsigned match, iri_str_t name);

/*
 * Can iri_find() return anything but PASS for this path?  Each ASCII request
 * executes this test.
 * path: canonical, decoded.
 * Returns: 0 if it cannot, whatever is on disk; else 1.
 */
static inline int
iri_needs_lookup(const iri_tree_conf_t *tree, iri_str_t path)
{
    return iri_ascii_needs_lookup(tree->match, path)
           || !iri_str_is_ascii(path);
}

/*
 * Is the tree declared UTF-8 in NFC (iri_filename_form nfc), and is nothing
 * folded or repaired?  Then a canonical path that was sent in UTF-8 is its own
 * path on disk, and iri_find() returns PASS for it without a lookup.
 * Returns: 1 or 0.
 */
int iri_tree_is_declared(const iri_tree_conf_t *tree);

/* A path to look up, and the settings for it. */
typedef struct iri_search_s iri_search_t;

/*
 * The settings of one directory below the root, by which the names in it are
 * read and written.
 * names: canonical path below search->root, with a final "/"; empty: the root.
 * The directory need not exist.
 * Returns: settings that live as long as the search; NULL: no memory.
 */
typedef const iri_tree_conf_t *(*iri_directory_conf_t)(
    const iri_env_t *env, const iri_search_t *search, iri_str_t names);

struct iri_search_s {
    const iri_tree_conf_t *tree;      /* settings of all directories; with
                                         settings_of those of any one */
    iri_directory_conf_t   settings_of;  /* NULL: tree is valid for all */
    const void            *settings_data; /* for settings_of; NULL without it */
    iri_index_cache_t     *cache;     /* NULL: no index is cached */
    int                    write;     /* iri_method_writes() of the method; 1
                                         for a Destination */
    int                    for_conflict; /* 0; only the core sets 1 */
    int                    canonical; /* 1: an entry that matches only after
                                         folding or repair is not found */
    int                    absent;    /* 1: a stat just before has shown that
                                         root and path, as octets, is absent */
    iri_str_t              root;      /* octets on disk, absolute; used as they
                                         are, before path */
    iri_str_t              path;      /* whole canonical path, UTF-8 */
    size_t                 prefix;    /* leading octets of path that root
                                         replaces (alias); else 0 */
    const iri_reading_t   *reading;   /* of the request, for alternative
                                         readings; NULL: there are none */
};

/*
 * As iri_needs_lookup(), for search->path and the settings of all directories.
 * Returns: 0 or 1; 1 also if there is no memory.
 */
int iri_search_needs_lookup(const iri_env_t *env, const iri_search_t *search);

/* The result of a lookup. */
typedef struct {
    iri_verdict_t verdict;  /* PASS: not found, or no lookup was needed;
                               SERVE: found;
                               RESTART: the entry, or the directory that it
                               would be in, has another canonical path;
                               CHOOSE: several entries match equally well;
                               REFUSE: no entry can have that name, or these
                               octets are the name of another entry.
                               With RESTART, CHOOSE and REFUSE filename must
                               never be opened */
    iri_why_t    why;       /* the reason for verdict */
    iri_match_t  match;     /* the difference that was ignored */
    iri_str_t    path;      /* whole canonical path of what was found, with the
                               prefix; else that of the search */
    iri_str_t    charset;   /* of the alternative reading that was found; else
                               of the request's reading */
    iri_form_t   repaired;  /* IRI_FORM_DOUBLE, _MOJIBAKE or _U if such an error
                               was repaired; else IRI_FORM_ASCII */
    iri_str_t    filename;  /* root and the octets of path on disk.  The part
                               behind the deepest entry is encoded in the
                               tree's first charset and form below a directory
                               (a new name), canonical below a file
                               (PATH_INFO).  With REFUSE, and with RESTART if
                               the rest cannot be encoded, it ends before the
                               rest.  Followed by a NUL that len does not
                               count */
    int          more;      /* CHOOSE: 1 if there are more than choices */
    size_t       count;     /* CHOOSE with IRI_AMBIGUOUS_300: number of choices,
                               at most IRI_MAX_CHOICES; else 0 */
    iri_str_t   *choices;   /* canonical paths of existing entries, sorted by
                               character.  Offer only those that the rules for
                               their own paths allow to this client */
} iri_found_t;

/* Returns: 1 if the server may open filename, whether it exists or not. */
static inline int
iri_may_open(const iri_found_t *found)
{
    return found->verdict == IRI_PASS || found->verdict == IRI_SERVE;
}

/*
 * Find the entry that has the requested name.
 *
 * If no difference of IRI_FOLD_INDEXED is ignored, an ASCII path is PASS
 * without a lookup.  So is any path in a tree that is declared UTF-8 in NFC, if
 * the path is UTF-8 or has only one reading.
 *
 * Otherwise each segment is looked up in turn: in the charsets of the tree in
 * their order, in NFC before NFD, by variants, by the index of the directory.
 * An entry counts only if its own name equals the segment.  Then follow the
 * alternative readings of search->reading, each for the whole path, and then a
 * charset per segment; these give RESTART.  Where two readings name different
 * directories, the first existing one gets the request, and nothing is looked
 * up in the other.
 *
 * If nothing is found and differences of IRI_FOLD_INDEXED are ignored, each
 * segment is looked up by its key.  In each directory the nearest entry gets
 * the request, and what follows is looked up only below it, so that the answer
 * does not reveal the contents of another directory.  A name that begins with
 * "." is found only by a segment that does, and never by spelling.  match is
 * the largest difference of all segments.  Two equally near entries give
 * CHOOSE.
 *
 * If still nothing is found, the repairs of tree->repair are tried one by one;
 * in each directory the unrepaired segment is looked up first.
 *
 * An error of the file system or an exhausted budget ends the search; filename
 * is then path as the tree would encode it, so that the server meets the same
 * error.  A path with a NUL or a dot-segment is REFUSE.
 *
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.  Other failures are in
 * out->why.
 *
 * root "/srv", path "/\xE8\xA1\xA8", tree EUC-JP -> SERVE, CHARSET,
 * filename "/srv/\xC9\xBD"
 */
iri_status_t iri_find(const iri_env_t *env, const iri_search_t *search,
                      iri_found_t *out);

/*
 * Compute without a lookup what iri_find() would return if filename exists.
 * For a caller that opens filename itself.
 *
 *   search     search->path must be canonical
 *   filename   root and path as they are, octets; *out points to it
 *
 * Returns: 1 and *out: the result of iri_find() if filename exists; with PASS
 * the caller needs no lookup at all.  0: call iri_find().
 */
int iri_find_if_exists(const iri_env_t *env, const iri_search_t *search,
                      iri_str_t filename, iri_found_t *out);

/*
 * Split what was found into the deepest existing entry and the rest.
 *
 *   found       the result for search: iri_may_open() returns 1
 *   filename    octets on disk, up to the deepest entry that exists
 *   path_info   the rest of the canonical path: "" or "/more"
 *
 * Calls stat at most once per segment.
 * Returns: IRI_OK; IRI_NO_MEMORY; IRI_IO_FAILED: it is unknown what exists.
 */
iri_status_t iri_found_split(const iri_env_t *env, const iri_search_t *search,
                             const iri_found_t *found, iri_str_t *filename,
                             iri_str_t *path_info);

/*
 * The name of an entry: its octets decoded in the first charset of the tree
 * that decodes them and encodes the result to the same octets, in NFC.
 * octets: one entry; of a path give each segment separately.
 * *name: UTF-8; empty: the entry has no name, or has more than IRI_MAX_SEGMENT
 * octets.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * EUC-JP, "\xC9\xBD" -> "\xE8\xA1\xA8"
 */
iri_status_t iri_entry_name(const iri_env_t *env, const iri_tree_conf_t *tree,
                            iri_str_t octets, iri_str_t *name);

/*
 * The reverse: the octets of a name in the charset k / 2 of the tree, in NFC if
 * k is even, in NFD if it is odd.
 * name: canonical, one segment.  k: less than 2 * tree->charsets.count.
 * *octets: empty: the tree does not write the name so, or reads these octets as
 * another name.
 * Returns: as iri_entry_name().
 * EUC-JP, "\xE8\xA1\xA8", k 0 -> "\xC9\xBD"
 */
iri_status_t iri_name_octets(const iri_env_t *env, const iri_tree_conf_t *tree,
                             iri_str_t name, size_t k, iri_str_t *octets);


/* ---- redirects to the canonical URI -------------------------------------- */

/* How a GET or HEAD was sent, and the path that answers it. */
typedef struct {
    const iri_reading_t *reading;  /* of the path as sent */
    iri_str_t sent;      /* path as sent, percent-encoded or raw, up to "?";
                            empty: only reading is known */
    iri_str_t path;      /* canonical path that is served: reading->path, or
                            iri_found_t.path */
    int       slash;     /* 1: a directory whose path lacks the final "/" */
    int       has_query; /* 1: query is present, perhaps empty */
    iri_str_t query;     /* as sent */
} iri_redirect_t;

/*
 * Compute the canonical URI of a request, to which it may be redirected:
 * percent-encoded, beginning with exactly one "/".  If has_query is 1, "?" and
 * the query as sent follow; octets outside 21 to 7E, and ", < and > are escaped
 * in it.  Escapes of ASCII characters that are not unreserved are kept as sent,
 * "%2F" too, unless dot-segments or slashes were removed from a path that is
 * not ASCII.
 *
 * *out: empty if the request was sent with that URI, or in ASCII with
 * dot-segments, or if its path has no reading.  Never a URI that would be
 * redirected again.
 * Returns: IRI_OK; IRI_NO_MEMORY.
 * "/caf\xC3\xA9", query "a=1", sent as "/caf%E9" -> "/caf%C3%A9?a=1"
 */
iri_status_t iri_redirect_location(const iri_env_t      *env,
                                   const iri_redirect_t *redirect,
                                   iri_str_t            *out);

/* Is there a resource with the canonical path? */
typedef enum {
    IRI_PRESENT,     /* an entry on disk has exactly this path */
    IRI_ABSENT,      /* there is no entry, and the answer is 404 */
    IRI_UNCONFIRMED  /* there is no entry, or no lookup, but an application or
                        another server answers */
} iri_presence_t;

/*
 * May a request be redirected to its canonical URI?  Only GET and HEAD may,
 * because the content of other methods would be lost, and only if the path has
 * a reading.  PRESENT may, ABSENT may not.  UNCONFIRMED may if the forms differ
 * only in escapes and normalization, not if another charset, a repair or the
 * disk gave the canonical path.
 * method: as sent.
 * Returns: 1 or 0.
 * "/caf%E9", LEGACY: PRESENT -> 1, UNCONFIRMED -> 0
 * "/caf\xC3\xA9": PRESENT, UNCONFIRMED -> 1, ABSENT -> 0
 */
int iri_may_redirect(iri_str_t method, const iri_redirect_t *redirect,
                     iri_presence_t presence);

/*
 * Does the path of a found entry confirm the canonical path?  A rule may have
 * replaced the first segments.
 * Returns: 1 if both paths are equal from some segment on, and path is ASCII,
 * which has one reading, before that segment; else 0.
 * "/media/\xC3\xA9", "/store/\xC3\xA9" -> 1; "/\xC3\xA9", "/index.php" -> 0
 */
int iri_found_confirms(iri_str_t path, iri_str_t found);


/* ---- the fields Location and Link ---------------------------------------- */

/* The server that sends a Location, and the origin of its value. */
typedef struct {
    const iri_reading_conf_t *reading;  /* how this host reads a path; NULL is
                                           allowed if other is 1 */
    const iri_host_conf_t    *hosts;    /* maps a raw host; NULL: hosts are not
                                           mapped */
    iri_str_t                 host;     /* this host, as it stands in a URI;
                                           empty: unknown */
    unsigned                  port;     /* port of this host; 0: unknown */
    int                       other;    /* 1: the value comes from another
                                           server (proxy): its paths are not
                                           read */
    int                       rooted;   /* 1: the server puts scheme and
                                           authority before a value that begins
                                           with "/", so that "//a" is a path */
} iri_location_field_conf_t;

/*
 * Convert the value of a field that is a URI-reference to octets 21 to 7E, from
 * any input.  The result cannot end a line, a string or a tag.
 *
 * A path of this host (no scheme and no authority, or http or https with its
 * host and port) becomes canonical: percent-encoded UTF-8 in NFC, as iri_read()
 * reads it.  If its reading is in doubt (no charset or several charsets of
 * iri_charset decode it, a limit, an error of ICU), only its raw octets are
 * escaped.  Escapes of ASCII stay.  A "%" that does not begin an escape becomes
 * "%25".  Other paths keep their octets and escapes; octets that must not stand
 * there are escaped.  A raw host is converted to A-labels; if that fails it is
 * escaped, and a line is logged.  In query and fragment only octets that must
 * not stand there are escaped.  Blanks at either end are removed.
 *
 * *out: a part of value if nothing else changes.
 * Returns: IRI_OK; IRI_NO_MEMORY: value must not be sent unless it is ASCII.
 *
 * "/caf\xC3\xA9?q=\xC3\xA9" -> "/caf%C3%A9?q=%C3%A9"
 * "/a%2fe%cc%81" -> "/a%2F%C3%A9"
 * "http://b\xC3\xBCcher.example/%e9" -> "http://xn--bcher-kva.example/%e9"
 * "/a\r\nX: 1" -> "/a%0D%0AX:%201"
 */
iri_status_t iri_location_field(const iri_env_t                 *env,
                                const iri_location_field_conf_t *conf,
                                iri_str_t value, iri_str_t *out);

/*
 * Build the value of a Link field (RFC 8288, 3; RFC 6596) for an answer to GET
 * or HEAD that is not redirected.
 * location: the result of iri_redirect_location().
 * Returns: IRI_OK; IRI_NO_MEMORY.
 * "/caf%C3%A9?a=1" -> "</caf%C3%A9?a=1>; rel=\"canonical\""
 */
iri_status_t iri_canonical_link(const iri_env_t *env, iri_str_t location,
                                iri_str_t *out);

/*
 * May an answer with this HTTP status have the Link field?
 * Returns: 1 for 2xx; else 0, because redirects and errors have no canonical
 * URI.
 * 206 -> 1; 404 -> 0
 */
int iri_may_link(int status);


/* ---- the log line of a request ------------------------------------------- */

#define IRI_MAX_LOG_NOTES    4   /* notes in a line; of others the number */
#define IRI_MAX_LOG_TEXT  1400   /* octets of all notes */

/* Reasons besides iri_why_t, iri_host_why_t and iri_query_why_t. */
typedef enum {
    IRI_REASON_ERROR,        /* memory, ICU or the file system failed */
    IRI_REASON_CHARSETS,     /* the charset list of this client is invalid */
    IRI_REASON_FUNCTION,     /* a text has no such form (iri_convert) */
    IRI_REASON_LOCATION,     /* a redirect to a host without A-labels */
    IRI_REASON_CACHE,        /* no memory for an index */
    IRI_REASON_LISTING,      /* a listing could not be built */
    IRI_REASON_INDEXES,      /* a listing is not allowed */
    IRI_REASON_DECODED,      /* decoding gave a path that is not canonical */
    IRI_REASON_RULE,         /* a rule gave a path that is not canonical */
    IRI_REASON_DESTINATION,  /* an impossible Destination of COPY or MOVE */
    IRI_REASON_CERTIFICATE,  /* the server of the host requires a certificate */
    IRI_REASON_MULTISTATUS,  /* the names of a WebDAV answer are unknown */
    IRI_REASONS              /* number of values */
} iri_reason_t;

/* The code of a reason in the log: "location". */
const char *iri_reason_code(iri_reason_t reason);

/* The notes of one request.  Initialize with zeros. */
typedef struct {
    iri_log_level_t level;    /* the most severe: ERROR or INFO */
    unsigned        count;    /* number of notes; 0: nothing to log */
    int             report;   /* 1: report mode: the line says what would have
                                 been done */
    const char     *codes[IRI_MAX_LOG_NOTES];   /* each once; NULL: no more */
    char            text[IRI_MAX_LOG_TEXT];     /* NUL-terminated */
} iri_notes_t;

/*
 * Add a note.
 *
 *   code     the code of a reason; it is kept
 *   format   as for printf; arguments that come from a client must be shown by
 *            iri_show() or iri_show_sent()
 */
void iri_vnote(iri_notes_t *notes, iri_log_level_t level, const char *code,
               const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

/*
 * Add a note from a line that iri_env_t.log got.  Its code follows the last
 * ", reason="; without a known code it is "error".
 * "no memory, reason=cache" -> note "no memory", code "cache"
 */
void iri_note_line(iri_notes_t *notes, iri_log_level_t level,
                   iri_str_t line);

/*
 * Add a note on a host.
 *
 *   octets   the host as sent
 *   host     its result: REFUSE; in report mode also SERVE
 *   report   1: report mode
 */
void iri_note_host(iri_notes_t *notes, iri_str_t octets,
                   const iri_host_t *host, int report);

/* Add a note on a query in report mode, unless why is ASCII or UTF8. */
void iri_note_query(iri_notes_t *notes, const iri_query_t *query);

/* Memory for a log line. */
typedef struct {
    char text[IRI_MAX_LOG_TEXT + IRI_MAX_LOG_PATH + 200];   /* NUL-terminated */
} iri_line_t;

/*
 * Write the log line of a request: printable ASCII without an end of line.
 * request: path as sent, NUL-terminated; NULL: the server's own log shows it.
 * Returns: the line, in *line.
 *
 * iri: "/CAFE" found as "/caf%C3%A9": accents; "/caf%C3%A9" not served: ...,
 * reason=folded,other-name, request "/CAFE"
 */
iri_str_t iri_notes_format_line(const iri_notes_t *notes, const char *request,
                         iri_line_t *line);


#pragma GCC visibility pop

#endif /* IRI_H */
