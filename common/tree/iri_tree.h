/*
 * iri_tree.h - looking up segments, walking down a tree
 *
 * Declarations that the files of common/tree/ share.  iri.h declares iri_find()
 * and the other functions that servers call.  Memory comes from finder->env and
 * lives as long as it; nothing has to be freed.  A function that returns
 * iri_status_t returns IRI_OK, IRI_NO_MEMORY or IRI_ICU_FAILED.  An error of
 * the file system or an exhausted budget is not returned as a status, but stops
 * the search (iri_finder_t.stopped).
 */

#ifndef IRI_TREE_H
#define IRI_TREE_H

#include "path/iri_path.h"
#include "index/iri_index.h"

#pragma GCC visibility push(hidden)


/* ---- one search, one walk ------------------------------------------------ */

/* Knowledge of the segments of a path. */
typedef enum {
    IRI_PART_ANY,         /* none: a segment may be octets that are no name */
    IRI_PART_CANONICAL,   /* each is its own canonical form */
    IRI_PART_MIXED        /* octets as sent; each segment is decoded in a
                             charset of its own */
} iri_part_kind_t;

/*
 * A path on disk that does not exist.  Neither this path nor a path below it
 * is stat'ed again.  If "/srv/a/" is missing, "/srv/a" may exist as a dangling
 * link.
 */
typedef struct {
    iri_str_t       path;   /* empty: no such path is known */
    iri_node_kind_t kind;   /* ABSENT or NOT_DIR, also for paths below it */
} iri_missing_t;

/* One call of iri_find(). */
typedef struct {
    const iri_env_t       *env;
    const iri_search_t    *search;
    const iri_tree_conf_t *tree;      /* settings of the directory whose
                                         entries are being compared */
    iri_tree_conf_t        restricted; /* *tree, if the search ignores less
                                         than the directory */
    unsigned               match;     /* IRI_FOLD_... of all directories on
                                         the path together */
    unsigned               repairs;   /* IRI_REPAIR_... of all these
                                         directories */
    int                    declared;  /* 1: the tree is declared UTF-8 in NFC,
                                         and nothing is folded or repaired, in
                                         all directories on the path */
    int                    verbatim;  /* 1: iri_tree_writes_names_verbatim()
                                         for each directory with a segment for
                                         which iri_is_same_on_disk() is 0 */
    iri_str_t              part;      /* search->path below the root */
    iri_part_kind_t        kind;      /* of part: not MIXED */
    iri_str_t              octets;    /* part as it was sent, unescaped;
                                         empty: unknown */
    iri_missing_t          missing_path; /* root and part, octet for octet,
                                         if this path does not exist */
    iri_missing_t          missing_directory; /* the directory that was last
                                         found not to exist */
    int                    graphic;   /* 1: search->path is graphic ASCII */
    size_t                 tried;     /* candidates so far */
    size_t                 calls;     /* file-system calls so far */
    size_t                 listings;  /* directories read so far */
    int                    folding;   /* 1: this walk may fold names */
    unsigned               repairing; /* IRI_REPAIR_... of this walk; 0: none */
    unsigned               fold;      /* IRI_FOLD_... by which this walk folds
                                         names in the present directory; 0:
                                         names are not folded */
    unsigned               repair;    /* repairing, if tree allows it; else 0 */
    iri_str_t              known_directory; /* the directory that was last
                                         stat'ed, and not read since */
    int                    has_alternatives; /* 1: a segment has several
                                         readings */
    int                    incomplete; /* 1: an index that was searched may
                                         lack entries */
    int                    stopped;   /* 1: no further lookup is made */
    iri_why_t              why;       /* the reason, if stopped */
    iri_node_t             known_node; /* of known_directory */
} iri_finder_t;

/* Names of entries that differ from a segment at the same level. */
typedef struct {
    size_t    count;
    int       more;                    /* 1: there are more than these */
    int       fresh;                   /* 1: these entries are known to exist */
    iri_str_t name[IRI_MAX_CHOICES];   /* canonical, sorted */
} iri_candidates_t;

/* One walk down the tree. */
typedef struct {
    iri_buf_t   disk;      /* root, then the octets found or to be created */
    iri_buf_t   names;     /* canonical path of disk, below the root */
    const iri_tree_conf_t *tree;   /* of the last directory in names */
    iri_match_t match;     /* greatest difference that was ignored */
    iri_why_t   why;       /* why an entry with another name was found; NONE:
                              none was */
    size_t      depth;     /* number of segments looked up and found */
    size_t      deepest;   /* length of disk up to the last of them */
    int         unverified; /* 1: disk continues with ASCII segments, which
                              were not looked up */
    int         found;     /* 1: the whole path was found */
    int         refused;   /* 1: must not be opened; disk ends before names */
    int         unwritable; /* 1: refused only because the tree cannot write
                              the rest */
    int         repaired;   /* 1: a repaired segment was found */
    iri_candidates_t candidates;   /* count not 0: a segment is ambiguous, and
                                      names ends before it */
    iri_str_t   unresolved_tail;   /* the rest of the path, from the ambiguous
                                      segment on */
} iri_walk_t;

typedef enum {
    IRI_LOOKUP_ABSENT,    /* no entry has that name */
    IRI_LOOKUP_FOUND,     /* the octets of the entry are in walk->disk */
    IRI_LOOKUP_NOT_DIR,   /* the path above is a file: PATH_INFO */
    IRI_LOOKUP_AMBIGUOUS, /* several names: walk->candidates */
    IRI_LOOKUP_REFUSED    /* the octets must not be opened; see walk->why */
} iri_lookup_result_t;


/* ---- the settings of a directory ----------------------------------------- */

/*
 * Set match, repairs, declared and verbatim of finder from the settings of
 * all directories of finder->part, by their names in it.
 */
iri_status_t iri_settings_survey(iri_finder_t *finder);

/* Set fold and repair of finder for finder->tree and the current walk. */
void iri_settings_apply(iri_finder_t *finder);

/*
 * Select the settings of the directory walk->names, which ends with "/" or is
 * empty.  The next segment is looked up in this directory.
 */
iri_status_t iri_settings_enter(iri_finder_t *finder, iri_walk_t *walk);


/* ---- looking up a segment ------------------------------------------------ */

/*
 * Stat path.  node->kind is ABSENT also if the search has been stopped, or is
 * stopped now because of an error or the budget.  A path that is known to be
 * missing costs no system call.
 * path: octets on disk; a NUL is written behind them and not counted.
 */
iri_status_t iri_finder_stat(iri_finder_t *finder, iri_buf_t *path,
                        iri_node_t *node);

/*
 * iri_finder_stat() for a directory, with "/" at the end of path.  If it is
 * missing, finder keeps path, whose octets must not change later.
 */
iri_status_t iri_finder_stat_directory(iri_finder_t *finder, iri_buf_t *path,
                                       iri_node_t *node);

/*
 * Returns: the difference between the octets of an entry and its name; charset:
 * in which charset of the tree the name is written.
 */
iri_match_t iri_match_of_octets(const iri_tree_conf_t *tree, size_t charset,
                                iri_str_t octets, iri_str_t name);

/* Set walk->match to match if that is the greater difference. */
void iri_walk_raise_match(iri_walk_t *walk, iri_match_t match);

/*
 * Find the entry of one segment that is not ASCII in the directory
 * walk->disk.
 * segment: UTF-8, or octets that are not a name.  part: what is known of it,
 * not MIXED.  sent: its octets in the request, unescaped; empty: unknown.
 * *name: the name of the entry: the canonical form of the segment or, if a
 * difference was ignored, another name.
 * *result: if FOUND, the octets of the entry have been appended to
 * walk->disk.
 * tree EUC-JP, disk "/srv/", segment "\xE8\xA1\xA8" -> FOUND,
 * disk "/srv/\xC9\xBD"
 */
iri_status_t iri_segment_lookup(iri_finder_t *finder, iri_walk_t *walk,
                                iri_str_t segment, iri_part_kind_t part,
                                iri_str_t sent, iri_str_t *name,
                                iri_lookup_result_t *result);


/*
 * As iri_segment_lookup(), in a walk that repairs: looks up the segment, then
 * the repaired segment (finder->repair).  The segment may be ASCII.
 */
iri_status_t iri_segment_lookup_repaired(iri_finder_t *finder,
                                         iri_walk_t *walk, iri_str_t segment,
                                         iri_part_kind_t part, iri_str_t sent,
                                         iri_str_t *name,
                                         iri_lookup_result_t *result);


/* ---- walking a path ------------------------------------------------------ */

/*
 * Append names, canonical UTF-8 without "..", to disk, as the tree writes names
 * that do not exist yet.  No file is looked up.
 * *written: 0 if it cannot write one of them.
 * EUC-JP, "/\xE8\xA1\xA8/a" -> "/\xC9\xBD/a"
 */
iri_status_t iri_names_write(iri_finder_t *finder, iri_str_t names,
                             iri_buf_t *disk, int *written);

/* Walk down part from the root of the search.  *walk is initialized. */
iri_status_t iri_walk(iri_finder_t *finder, iri_str_t part,
                      iri_part_kind_t kind, iri_walk_t *walk);

/*
 * As iri_walk(), from a directory that is known to exist: part before offset
 * from, which ends with "/", exists on disk with these octets, and has these
 * names.
 */
iri_status_t iri_walk_from(iri_finder_t *finder, iri_str_t part,
                           iri_part_kind_t kind, size_t from, iri_walk_t *walk);

/* Returns: finder->octets for iri_segment_read(), in another charset. */
iri_source_t iri_finder_source(const iri_finder_t *finder);

/*
 * Returns: the i-th charset in which a segment of a request may be decoded:
 * UTF-8, then those of iri_charset; NULL: i is too large.
 */
const iri_charset_t *iri_reading_charset_at(const iri_reading_conf_t *conf,
                                     size_t i);


/*
 * Decode a path in charset and append it to out; NULL: each segment in the
 * first charset that decodes it.  *read is 0 if the whole path is not decoded;
 * out then contains a part of it.
 */
iri_status_t iri_finder_read(const iri_finder_t  *finder,
                           const iri_charset_t *charset, iri_source_t source,
                           iri_buf_t *out, int *read);


/* ---- alternative readings ------------------------------------------------ */

/* The best walk so far, and the reading in which it was made. */
typedef struct {
    iri_walk_t walk;
    iri_str_t  charset;  /* of an alternative reading; empty: the walk is in
                            the first reading */
    iri_form_t repaired; /* as in iri_found_t */
} iri_alternative_reading_t;

/*
 * Returns: the octets in the request of which part was decoded, unescaped;
 * empty if part does not consist of the last segments of the path that was
 * read.
 */
iri_str_t iri_finder_octets(const iri_search_t *search, iri_str_t part);

/*
 * Set finder->has_alternatives.  A legacy path in one charset, none of whose
 * segments is UTF-8, has one reading.
 */
iri_status_t iri_alternative_reading_check(iri_finder_t *finder);

/*
 * Walk in the alternative readings until a path is found.  best->walk: the walk
 * in the first reading; replaced by one in an alternative that leads deeper.
 */
iri_status_t iri_alternative_reading_try(iri_finder_t *finder,
                                         iri_alternative_reading_t *best);

/*
 * Does the answer depend on the charsets by which the request was read?  It
 * does if the path is not UTF-8, or if no entry has exactly the name of its
 * first reading: a client with another list of charsets (iri_charsets_parse)
 * may then get another answer for the same octets.
 *
 *   reading   NULL: the path is ASCII, or was canonical
 *   found     NULL: there was no lookup
 *   passed    0: the access rules have not passed yet; then 1 is returned for
 *             each path that is not ASCII, so that the answer does not reveal
 *             what was found
 *
 * Returns: 1 if it depends on them, else 0.
 * "/caf%E9" -> 1; "/caf%C3%A9", which exists -> 0, with passed 0 -> 1
 */
int iri_depends_on_charsets(const iri_reading_t *reading,
                            const iri_found_t *found, int passed);

/*
 * Find the path in "/path" or "scheme://host/path", as it stands, up to one of
 * the octets ends, for example "?#".
 * authority, path: parts of uri; empty if it has none.
 */
void iri_uri_split(iri_str_t uri, const char *ends, iri_str_t *authority,
                   iri_str_t *path);

/* The relation of a Destination to its source. */
typedef enum {
    IRI_RELATION_NONE,
    IRI_RELATION_SAME,     /* the Destination is the source */
    IRI_RELATION_INSIDE,   /* the Destination is inside the source */
    IRI_RELATION_PARENT    /* the Destination contains the source, which would
                              be deleted */
} iri_relation_t;

/*
 * Find the relation of two paths on disk, with symbolic links resolved.
 * iri_request_transfer() answers SAME, PARENT and, with members, INSIDE with
 * 403 (RFC 4918, 9.8.5 and 9.9.4).
 * source, destination: octets on disk, with or without a final "/"; destination
 * need not exist.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_IO_FAILED: unknown, so nothing may be
 * written.
 */
iri_status_t iri_path_relation(const iri_env_t *env, iri_str_t source,
                               iri_str_t destination, iri_relation_t *out);

/*
 * Does each entry keep its name if its octets are copied from one tree to
 * another?  Servers copy the names of a collection octet for octet.
 * Returns: 1 or 0; the reason for 0 is IRI_WHY_OTHER_TREE.
 * {EUC-JP}, {UTF-8} -> 0; {UTF-8}, {UTF-8, EUC-JP} -> 1, the reverse -> 0
 */
int iri_tree_preserves_names(const iri_tree_conf_t *from,
                             const iri_tree_conf_t *to);


#pragma GCC visibility pop

#endif /* IRI_TREE_H */
