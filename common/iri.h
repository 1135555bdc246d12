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
 */

#ifndef IRI_H
#define IRI_H

#include "iri_conf.h"

#pragma GCC visibility push(hidden)


/* ---- reading a path -------------------------------------------------------- */

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
    iri_verdict_t verdict;    /* PASS: path is canonical already; SERVE: go on
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
 * iri_path_to_uri makes it of path then, and iri_redirect_location does so by itself.
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
 * raw.  iri_uri_is_normalized: 1 if iri_uri_normalize would change nothing.  *out is sent
 * itself then.  IRI_NO_MEMORY.
 * "/%66%2f%c3%a9\"" -> "/f%2F%C3%A9%22"
 */
int iri_uri_is_normalized(iri_str_t sent);
iri_status_t iri_uri_normalize(const iri_env_t *env, iri_str_t sent, iri_str_t *out);


/* ---- queries --------------------------------------------------------------- */

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
int iri_query_needs_read(const iri_query_conf_t *conf, iri_str_t query);

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


/* ---- repairing a segment --------------------------------------------------- */

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


/* ---- finding an entry ------------------------------------------------------ */

/*
 * What is remembered of directories: for each an index from keys to its
 * entries, found by device, inode, mtime, ctime and the settings that shape
 * keys.  Where only normalization and variants are forgiven it holds the
 * entries whose octets cannot be guessed from their name (partly composed
 * names, say), so next to nothing; where width, case, accents or spelling are
 * forgiven, all of them.  What is remembered is a hint: an entry counts only
 * if its octets have the name, and its directory is as it was.
 */
typedef struct iri_index_cache_s iri_index_cache_t;

/* What is counted of it, where somebody wants to know: by all processes. */
typedef struct iri_index_cache_counts_s {
    uint64_t index_hits;      /* an index was there */
    uint64_t index_misses;    /* and was not, or was out of date */
    uint64_t builds;          /* directories that were read for an index */
} iri_index_cache_counts_t;

/* Directories that may be read at a time, each by one that waits for it. */
#define IRI_INDEX_QUEUES 16

/* The building of an index, to be run elsewhere. */
typedef struct iri_index_job_s iri_index_job_t;

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
                        which: of IRI_INDEX_QUEUES lines to stand in; NULL: none */
    int  (*later)(void *ctx, iri_index_job_t *job);
                     /* have iri_index_job_run() called in another thread,
                        where more than IRI_MAX_ENTRIES_INLINE entries are to be read;
                        0: it cannot be done.  NULL: all is read at once */
    iri_index_cache_counts_t *counts;   /* to be added to; NULL: nothing is */
    void  *ctx;
} iri_index_cache_conf_t;

/* conf is copied.  NULL: no memory. */
iri_index_cache_t *iri_index_cache_create(const iri_index_cache_conf_t *conf);
void iri_index_cache_destroy(iri_index_cache_t *cache);   /* NULL is allowed */

typedef struct {
    uint64_t size;      /* octets that it may use for indexes */
    uint64_t used;      /* and does; of the shared memory */
    uint64_t indexes;   /* directories */
} iri_index_cache_usage_t;

/* What it holds now; any thread may ask. */
void iri_index_cache_usage(iri_index_cache_t *cache, iri_index_cache_usage_t *out);

/*
 * Build what is to be built, and free job.  In any thread of the process, as
 * long as the cache and the configuration are there; iri_env_t.dir must not
 * need a ctx.  iri_index_job_drop: free it, where it will not be run.
 */
void iri_index_job_run(iri_index_job_t *job);
void iri_index_job_drop(iri_index_job_t *job);

/*
 * 1 if a request with this method may make, change or delete something:
 * any but GET, HEAD, POST, OPTIONS, TRACE, PROPFIND, REPORT and SEARCH.
 * Such a request is not led to another name by case, accents or spelling.
 * "GET" -> 0; "PUT" -> 1; "get" -> 1
 */
int iri_method_writes(iri_str_t method);

/*
 * 0 if iri_find has nothing to say of this path, whatever there is on disk:
 * the one test that a plain ASCII request pays.
 */
static inline int
iri_needs_lookup(const iri_tree_conf_t *tree, iri_str_t path)
{
    if ((tree->match & (IRI_FOLD_INDEXED | IRI_FOLD_ESCAPES)) != 0
        && ((tree->match & IRI_FOLD_INDEXED) != 0
            || (path.len != 0 && memchr(path.data, '%', path.len) != NULL)))
    {
        return 1;
    }

    return !iri_str_is_ascii(path);
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
typedef const iri_tree_conf_t *(*iri_directory_conf_t)(const iri_env_t    *env,
                                                const iri_search_t *search,
                                                iri_str_t           names);

struct iri_search_s {
    const iri_tree_conf_t *tree;     /* settings of all directories; where
                                        tree_of says them, those of any */
    iri_directory_conf_t          settings_of;  /* NULL: tree holds for all */
    const void            *places;   /* what tree_of goes by beside root and
                                        names; NULL without tree_of */
    iri_index_cache_t           *cache;    /* of indexes; NULL: none is kept */
    int                    write;    /* iri_method_writes of the method; 1 for a
                                        Destination */
    int                    for_conflict;     /* 0; 1 is set by iri_find_conflict */
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
 * 0 if iri_find has nothing to say of search->path, as iri_needs_lookup says of
 * a path in one tree; 1 also where memory is out.
 */
int iri_search_needs_lookup(const iri_env_t *env, const iri_search_t *search);

typedef struct {
    iri_verdict_t verdict;       /* PASS: not found, or no look was needed;
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
 * with, so that a client with another list of them (iri_charsets_parse) may get
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


/* ---- restarting a request -------------------------------------------------- */

/*
 * The path with which a request restarts, because iri_find() has found an
 * entry under another canonical path (IRI_RESTART).  The rules of the server
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
 * Returns: as iri_find().  out->verdict is never IRI_RESTART or IRI_CHOOSE.
 *
 * tree with "case", path "/public/INDEX.html", entry "index.html" -> PASS
 */
iri_status_t iri_find_canonical(const iri_env_t *env, const iri_search_t *search,
                            iri_found_t *out);


/* ---- redirects to the canonical URI ---------------------------------------- */

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
iri_status_t iri_redirect_location(const iri_env_t *env,
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

/*
 * 1 if the path of an entry that was found confirms the canonical path: from a
 * segment on both are the same, and before it path is ASCII, which has one
 * reading.  A rule may have put another path in the place of the client's.
 * "/media/\xC3\xA9", "/store/\xC3\xA9" -> 1; "/\xC3\xA9", "/index.php" -> 0
 */
int iri_found_confirms(iri_str_t path, iri_str_t found);

/*
 * What iri_find has said of a path, for iri_may_redirect, where a request was
 * only reported.  found: the last answer; NULL: none.  moved: 1 if it is for
 * the path that the first answer led to.  answered: 1 if the server has sent
 * something else than an error.
 */
iri_presence_t iri_presence_of(const iri_found_t *found, int moved,
                               int answered);


/* ---- the fields Location and Link ------------------------------------------ */

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
} iri_location_field_conf_t;

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
iri_status_t iri_location_field(const iri_env_t            *env,
                           const iri_location_field_conf_t *conf, iri_str_t value,
                           iri_str_t *out);

/*
 * The value of a Link field (RFC 8288, 3; RFC 6596) for an answer to a GET or
 * HEAD that is not redirected: location, what iri_redirect_location gave, is the page's
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


/* ---- the line of a request in a log ---------------------------------------- */

#define IRI_MAX_LOG_NOTES     4   /* things that it tells; of more their number */
#define IRI_MAX_LOG_TEXT  1400   /* octets of them */

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
#define IRI_LOG_REASON ", reason="

/* What there is to say of one request; all 0 at first. */
typedef struct {
    iri_log_level_t level;    /* of the gravest: ERROR or INFO */
    unsigned        count;    /* 0: there is nothing */
    int             report;   /* 1: what would have been done, too */
    const char     *codes[IRI_MAX_LOG_NOTES];   /* static */
    char            text[IRI_MAX_LOG_TEXT];
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
 * would restart as "/Docs/a.txt": form ascii, charset "", match case,
 * found where width, case or accents differ, file "/srv/Docs/a.txt"
 * Others: serve, pass on, find nothing as, offer a choice for, find several
 * names for, refuse.
 */
iri_status_t iri_note_report(const iri_env_t *env, iri_notes_t *notes,
                             const iri_report_t *report);

/* Room for a line */
typedef struct {
    char text[IRI_MAX_LOG_TEXT + IRI_MAX_LOG_PATH + 200];
} iri_line_t;

/*
 * The one line of a request: printable ASCII, no end of line, NUL-terminated.
 * request: as sent, where the server's log does not tell it; NULL: it does.
 * iri: "/CAFE" is "/caf%C3%A9": accents; "/caf%C3%A9" not served: ...,
 * reason=folded,other-name, request "/CAFE"
 */
iri_str_t iri_notes_line(const iri_notes_t *notes, const char *request,
                         iri_line_t *line);


#pragma GCC visibility pop

#endif /* IRI_H */
