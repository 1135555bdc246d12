/*
 * iri_tree.h - looking up segments, walking down a tree
 *
 * What the files of common/tree/ share; iri.h declares iri_find() and what
 * else servers call.  Memory comes from finder->env and lives as long as it;
 * nothing has to be freed.  A function that returns iri_status_t returns
 * IRI_OK, IRI_NO_MEMORY or IRI_ICU_FAILED.  An error of the file system or an
 * exhausted budget is not reported as a status, but stops the search
 * (iri_finder_stop).
 */

#ifndef IRI_TREE_H
#define IRI_TREE_H

#include "path/iri_path.h"
#include "index/iri_index.h"

#pragma GCC visibility push(hidden)


/* ---- one search, one walk ------------------------------------------------ */

/* What is known of the segments of a path. */
typedef enum {
    IRI_PART_ANY,         /* nothing: they may be octets that are not a name */
    IRI_PART_CANONICAL,   /* each is its own canonical form */
    IRI_PART_MIXED        /* octets as sent; each segment is decoded by
                             itself */
} iri_part_kind_t;

/*
 * A path on disk that does not exist.  Neither this path nor a path below it
 * is stat'ed again.  A missing "/srv/a/" does not imply that "/srv/a" is
 * missing, because that may be a dangling link.
 */
typedef struct {
    iri_str_t       path;   /* empty: none is known */
    iri_node_kind_t kind;   /* ABSENT or NOT_DIR, also of all below it */
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
    unsigned               repairs;   /* IRI_REPAIR_... of the same */
    int                    declared;  /* 1: iri_tree_is_declared() for all
                                         directories on the path */
    int                    verbatim;  /* 1: iri_tree_writes_names_verbatim()
                                         for all that contain a segment which
                                         is not ASCII */
    iri_str_t              part;      /* search->path below the root */
    iri_part_kind_t        kind;      /* of part: not MIXED */
    iri_str_t              octets;    /* part as it was sent, unescaped;
                                         empty: unknown */
    iri_missing_t          missing_path; /* root and part, octet for octet,
                                         if they do not exist */
    iri_missing_t          missing_directory; /* the last directory that was
                                         found not to exist */
    int                    graphic;   /* 1: search->path is graphic ASCII */
    size_t                 tried;     /* candidates so far */
    size_t                 calls;     /* file-system calls so far */
    size_t                 listings;  /* directories read so far */
    int                    folding;   /* 1: this walk may fold names */
    unsigned               repairing; /* IRI_REPAIR_... of this walk; 0: none */
    unsigned               fold;      /* IRI_FOLD_... by which names in tree
                                         are folded now; 0: they are not */
    unsigned               repair;    /* repairing, if tree allows it; else 0 */
    iri_str_t              known_directory; /* the directory that was stat'ed
                                         last, and not read since */
    int                    has_alternatives; /* 1: a segment has several
                                         readings */
    int                    incomplete; /* 1: an index that was searched may
                                         lack entries */
    int                    stopped;   /* 1: no further lookup is made */
    iri_why_t              why;       /* the reason, if stopped */
    iri_node_t             known_node; /* of known_directory */
} iri_finder_t;

/* Names of entries that are equally near to a segment. */
typedef struct {
    size_t    count;
    int       more;                    /* 1: there are more than these */
    int       fresh;                   /* 1: they are known to exist */
    iri_str_t name[IRI_MAX_CHOICES];   /* canonical, sorted */
} iri_candidates_t;

/* One walk down the tree. */
typedef struct {
    iri_buf_t   disk;      /* root, then the octets found or to be created */
    iri_buf_t   names;     /* canonical path of the same, below the root */
    const iri_tree_conf_t *tree;   /* of the last directory in names */
    iri_match_t match;     /* greatest difference that was ignored */
    iri_why_t   why;       /* why another name was found; NONE: none was */
    size_t      depth;     /* segments that were looked up and found */
    size_t      deepest;   /* length of disk up to the last of them */
    int         unverified; /* 1: ASCII follows, which was not looked up */
    int         found;     /* 1: the whole path was found */
    int         refused;   /* 1: disk ends before names does */
    int         unwritable; /* 1: refused only because no tree writes the
                              rest */
    int         repaired;   /* 1: a repaired segment was found */
    iri_candidates_t candidates;   /* count not 0: ambiguous, and names ends
                                      before them */
    iri_str_t   unresolved_tail;   /* the rest of the path, from the ambiguous
                                      segment on */
} iri_walk_t;

typedef enum {
    IRI_LOOKUP_ABSENT,    /* no entry has that name */
    IRI_LOOKUP_FOUND,     /* its octets are in walk->disk */
    IRI_LOOKUP_NOT_DIR,   /* the path above is a file: PATH_INFO */
    IRI_LOOKUP_AMBIGUOUS,   /* walk->candidates are equally near */
    IRI_LOOKUP_REFUSED    /* octets that must not be opened; walk->why */
} iri_lookup_result_t;


/* ---- the settings of a directory ----------------------------------------- */

/*
 * Set match, repairs, declared and verbatim of finder from the settings of
 * all directories of finder->part, under the names that it has there.
 */
iri_status_t iri_settings_survey(iri_finder_t *finder);

/* Set fold and repair of finder for finder->tree and the current walk. */
void iri_settings_apply(iri_finder_t *finder);

/*
 * Select the settings of the directory walk->names, which ends with "/" or is
 * empty.  The next segment is a name in it.
 */
iri_status_t iri_settings_enter(iri_finder_t *finder, iri_walk_t *walk);


/* ---- looking up a segment ------------------------------------------------ */

/* Stop the search.  Only the first reason is kept. */
void iri_finder_stop(iri_finder_t *finder, iri_why_t why);

/*
 * Stat path.  node->kind is ABSENT if the search has been stopped, or stops
 * here because of an error or the budget.  A path that is known to be missing
 * costs no system call.  path: octets on disk; a NUL is written behind them
 * and not counted.
 */
iri_status_t iri_finder_stat(iri_finder_t *finder, iri_buf_t *path,
                        iri_node_t *node);

/*
 * iri_finder_stat() for a directory, with "/" at the end of path.  If it is
 * missing, finder keeps path, whose octets must not change later.
 */
iri_status_t iri_finder_stat_directory(iri_finder_t *finder, iri_buf_t *path,
                                       iri_node_t *node);

/* Set walk->match to match if that is the greater difference. */
void iri_walk_raise_match(iri_walk_t *walk, iri_match_t match);

/*
 * Find the entry of one segment that is not ASCII in the directory
 * walk->disk.
 * segment: UTF-8, or octets that are not a name.  part: what is known of it,
 * not MIXED.  sent: its octets in the request, unescaped; empty: unknown.
 * *name: the name of the entry, which is the canonical form of the segment
 * or, of an entry that is only near, another name.
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
 * iri_segment_lookup() in a walk that repairs: looks up the segment as it is,
 * then the repaired one (finder->repair).  An ASCII segment is allowed.
 */
iri_status_t iri_segment_lookup_repaired(iri_finder_t *finder,
                                         iri_walk_t *walk, iri_str_t segment,
                                         iri_part_kind_t part, iri_str_t sent,
                                         iri_str_t *name,
                                         iri_lookup_result_t *result);


/* ---- walking a path ------------------------------------------------------ */

/* Walk down part from the root of the search.  *walk is initialized. */
iri_status_t iri_walk(iri_finder_t *finder, iri_str_t part,
                      iri_part_kind_t kind, iri_walk_t *walk);

/*
 * iri_walk() from a directory that is known to exist: the octets of part
 * before offset from, which end with "/", exist and are their own names.
 */
iri_status_t iri_walk_from(iri_finder_t *finder, iri_str_t part,
                           iri_part_kind_t kind, size_t from, iri_walk_t *walk);

/* Returns: finder->octets for iri_segment_read(), in another charset. */
iri_source_t iri_finder_source(const iri_finder_t *finder);

/*
 * Returns: the i-th charset in which a segment of a request may be decoded:
 * UTF-8, then those of iri_charset; NULL behind the last.
 */
const iri_charset_t *iri_reading_charset_at(const iri_reading_conf_t *conf,
                                     size_t i);


/* ---- alternative readings ------------------------------------------------ */

/* The best walk so far, and the reading that it is in. */
typedef struct {
    iri_walk_t walk;
    iri_str_t  charset;  /* of an alternative reading; empty: the first one */
    iri_form_t repaired; /* as in iri_found_t */
} iri_alternative_reading_t;

/*
 * Returns: the octets that part was sent as, unescaped.  Empty unless part is
 * the end of the path that was read, starting at a segment.
 */
iri_str_t iri_finder_octets(const iri_search_t *search, iri_str_t part);

/*
 * Append source, a path, decoded in charset, to out.  *read is 0 if the
 * charset does not decode all of it; then out ends in the middle.
 */
iri_status_t iri_finder_read(const iri_finder_t  *finder,
                           const iri_charset_t *charset, iri_source_t source,
                           iri_buf_t *out, int *read);

/*
 * Set finder->has_alternatives.  A legacy path in one charset, none of whose
 * segments is UTF-8, has one reading.
 */
iri_status_t iri_alternative_reading_check(iri_finder_t *finder);

/*
 * Walk down the alternative readings until one is found.  best->walk: the walk
 * of the first reading; replaced by that of an alternative that leads deeper.
 */
iri_status_t iri_alternative_reading_try(iri_finder_t *finder,
                                         iri_alternative_reading_t *best);


/*
 * Is each canonical path that was sent in UTF-8 the name of its entry, so that
 * it needs no lookup?
 * Returns: 1 if the tree is declared UTF-8 in NFC, and nothing is folded or
 * repaired; else 0.
 */
int iri_tree_is_declared(const iri_tree_conf_t *tree);

/*
 * Does the answer depend on the charsets by which the request was read?  Then a
 * client with another list (iri_charsets_parse) may get another answer for the
 * same octets: the path is not UTF-8, or no entry has exactly the name of its
 * first reading.
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

/* The relation of a Destination to its source. */
typedef enum {
    IRI_RELATION_NONE,
    IRI_RELATION_SAME,     /* it is the source */
    IRI_RELATION_INSIDE,   /* it is inside the source */
    IRI_RELATION_PARENT    /* it contains the source, which would be deleted */
} iri_relation_t;

/*
 * Find the relation of two names on disk, with symbolic links resolved.
 * iri_request_transfer() answers SAME, PARENT and, with members, INSIDE with
 * 403 (RFC 4918, 9.8.5 and 9.9.4).  source,
 * destination: octets on disk, with or without a final "/"; destination need
 * not exist.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_IO_FAILED: unknown, so nothing may be
 * written.
 */
iri_status_t iri_path_relation(const iri_env_t *env, iri_str_t source,
                               iri_str_t destination, iri_relation_t *out);

/*
 * Does each entry keep its name if its octets are copied from one tree to
 * another?  Servers copy a collection octet for octet.  If not, the reason is
 * IRI_WHY_OTHER_TREE.
 * Returns: 1 or 0.
 * {EUC-JP}, {UTF-8} -> 0; {UTF-8}, {UTF-8, EUC-JP} -> 1, the reverse -> 0
 */
int iri_tree_preserves_names(const iri_tree_conf_t *from,
                             const iri_tree_conf_t *to);


#pragma GCC visibility pop

#endif /* IRI_TREE_H */
