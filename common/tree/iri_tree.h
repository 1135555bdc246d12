/*
 * iri_tree.h - looking up segments, walking down a tree
 */

#ifndef IRI_TREE_H
#define IRI_TREE_H

#include "path/iri_path.h"
#include "index/iri_index.h"

#pragma GCC visibility push(hidden)


/* ---- one search, one walk -------------------------------------------------- */

/* What is known of a path that is looked for. */
typedef enum {
    IRI_PART_ANY,         /* nothing: octets that may be no name */
    IRI_PART_CANONICAL,   /* each segment is its own canonical form */
    IRI_PART_MIXED        /* it is as it came, to be read by segments */
} iri_part_kind_t;

/*
 * A path on disk at which a look has found nothing.  Nothing is below it
 * either, so no further look is made there.
 */
typedef struct {
    iri_str_t       path;   /* empty: none is known.  "/srv/a/" does not stand
                               for "/srv/a", which may be a link to nowhere */
    iri_node_kind_t kind;   /* ABSENT or NOT_DIR, also of all below it */
} iri_missing_t;

/* One call of iri_find. */
typedef struct {
    const iri_env_t       *env;
    const iri_search_t    *search;
    const iri_tree_conf_t *tree;      /* of the directory whose entries are
                                         compared with a name now */
    iri_tree_conf_t        own;       /* where search ignores less */
    unsigned               match;     /* IRI_FOLD_... of any directory on
                                         the way of part, or of a walk */
    unsigned               repairs;   /* IRI_REPAIR_... of the same */
    int                    declared;  /* iri_tree_is_declared() of all on the
                                         way of part */
    int                    literal;   /* iri_tree_writes_names_verbatim() of those in which
                                         a segment is not ASCII */
    iri_str_t              part;      /* of the path, below the root */
    iri_part_kind_t        kind;      /* of part: not MIXED */
    iri_str_t              octets;    /* part as it came; empty if unknown */
    iri_missing_t          asked_for; /* root and part, octet for octet, if
                                         they are missing */
    iri_missing_t          directory; /* the directory that was found missing
                                         last */
    int                    graphic;   /* the path is ASCII, and no control */
    size_t                 looks;     /* candidates so far */
    size_t                 calls;     /* file-system calls so far */
    size_t                 lists;     /* directories read so far */
    int                    folding;   /* names may be folded in this walk */
    unsigned               repairing; /* IRI_REPAIR_... that this walk puts
                                         right; 0: nothing */
    unsigned               fold;      /* of tree: IRI_FOLD_... where names
                                         are folded now; 0: they are not */
    unsigned               repair;    /* of tree: repairing, if it is allowed */
    iri_str_t              looked_at; /* directory that was looked at last, and
                                         not read since */
    int                    further;   /* there are further readings */
    int                    unsure;    /* there may be more in a directory than
                                         what is remembered of it */
    int                    stopped;   /* look no further; why says why */
    iri_why_t              why;
    iri_node_t             node;      /* what looked_at is */
} iri_finder_t;

/* Names that a segment may mean. */
typedef struct {
    size_t    count;
    int       more;                    /* these are the first of them */
    int       sure;                    /* and they are there now */
    iri_str_t name[IRI_MAX_CHOICES];   /* sorted */
} iri_candidates_t;

/* One way down the tree. */
typedef struct {
    iri_buf_t   disk;      /* root and the octets found, or to be made */
    iri_buf_t   names;     /* canonical path of the same, below the root */
    const iri_tree_conf_t *tree;   /* of the last directory in names */
    iri_match_t match;
    iri_why_t   why;
    size_t      depth;     /* segments, other than ASCII, that were found */
    size_t      deepest;   /* octets of disk, down to the last of them */
    int         unseen;    /* ASCII was passed since then without a look */
    int         found;     /* and all of the path was */
    int         refused;   /* disk ends there, names go on */
    int         unwritable; /* and only because no tree writes the rest */
    int         repaired;   /* a segment was put right, and found */
    iri_candidates_t candidates;      /* more than one: names end where they stand */
    iri_str_t   unresolved_tail; /* what was asked for in their place, and on */
} iri_walk_t;

typedef enum {
    IRI_LOOKUP_ABSENT,    /* no entry has that name */
    IRI_LOOKUP_FOUND,     /* its octets are in walk->disk */
    IRI_LOOKUP_NOT_DIR,   /* what stands above is no directory: PATH_INFO */
    IRI_LOOKUP_AMBIGUOUS,   /* walk->candidates are equally near */
    IRI_LOOKUP_REFUSED    /* octets that must not be opened */
} iri_lookup_result_t;


/* ---- the settings of a directory ------------------------------------------- */

/*
 * Fill in what follows from the settings of the directories that part is in,
 * if it is there under the names asked for.  IRI_NO_MEMORY.
 */
iri_status_t iri_settings_survey(iri_finder_t *finder);

/* Compare names by the settings of finder->tree, as this walk does. */
void iri_settings_apply(iri_finder_t *finder);

/* The same of the directory that walk is in; what follows is a name in it. */
iri_status_t iri_settings_enter(iri_finder_t *finder, iri_walk_t *walk);


/* ---- looking up a segment -------------------------------------------------- */

/* Look no further, and say why, once. */
void iri_finder_stop(iri_finder_t *finder, iri_why_t why);

/*
 * What stands at path?  ABSENT where no look may be made any more.  No call is
 * made for what is at or below a path that is known to be missing.
 */
iri_status_t iri_lookup(iri_finder_t *finder, iri_buf_t *path,
                      iri_node_t *node);

/*
 * The same for a directory, with "/" at its end.  If that is missing, no look
 * is made below it from now on.  The octets of path must not change later.
 */
iri_status_t iri_lookup_directory(iri_finder_t *finder, iri_buf_t *path,
                                iri_node_t *node);

/* walk->match is at least that from now on. */
void iri_walk_raise_match(iri_walk_t *walk, iri_match_t match);

/*
 * Find the entry for one segment that is not ASCII, below walk->disk, which
 * takes its octets if it is there.  part: what the segment is of, not MIXED.
 * came: the segment's octets in the request, empty if unknown.  *name: the
 * entry's name, which is the segment's canonical form or a variant of it.
 */
iri_status_t iri_segment_lookup(iri_finder_t *finder, iri_walk_t *walk,
                      iri_str_t segment, iri_part_kind_t part, iri_str_t came,
                      iri_str_t *name, iri_lookup_result_t *step);


/*
 * The same in a way down that puts right what is broken: the segment as it
 * is, then as it was meant.
 */
iri_status_t iri_segment_lookup_repaired(iri_finder_t *finder, iri_walk_t *walk,
                               iri_str_t segment, iri_part_kind_t part,
                               iri_str_t came, iri_str_t *name,
                               iri_lookup_result_t *step);


/* ---- walking a path -------------------------------------------------------- */

/* Walk down part, below the root of the search. */
iri_status_t iri_walk(iri_finder_t *finder, iri_str_t part,
                      iri_part_kind_t kind, iri_walk_t *walk);

/*
 * The same where what comes before offset from, behind a "/", is there in
 * just these octets, which are its names, too.
 */
iri_status_t iri_walk_from(iri_finder_t *finder, iri_str_t part,
                           iri_part_kind_t kind, size_t from, iri_walk_t *walk);

/* How octets came, for a further reading of them. */
iri_source_t iri_finder_source(const iri_finder_t *finder);

/*
 * The i-th way to read a segment of the request: UTF-8, then the charsets of
 * iri_charset; NULL behind the last.
 */
const iri_charset_t *iri_reading_charset_at(const iri_reading_conf_t *conf,
                                     size_t i);


/* ---- alternative readings -------------------------------------------------- */

/* A further reading, and how far it leads. */
typedef struct {
    iri_walk_t walk;
    iri_str_t  charset;  /* empty: there is none */
    iri_form_t repaired; /* as in iri_found_t */
} iri_alternative_reading_t;

/*
 * The octets that part came as.  They are known where part is the tail of
 * the path that was read, from the border of a segment on; else none.
 */
iri_str_t iri_finder_octets(const iri_search_t *search, iri_str_t part);

/* A path in one charset; *read 0: it does not read all of it. */
iri_status_t iri_finder_read(const iri_finder_t  *finder,
                           const iri_charset_t *charset, iri_source_t source,
                           iri_buf_t *out, int *read);

/*
 * Sets finder->further: is there more than one way to read some segment?  A
 * legacy path in one charset, none of whose segments is UTF-8, has one.
 */
iri_status_t iri_alternative_reading_check(iri_finder_t *finder);

/* best->walk is the first reading's walk, which is to be surpassed. */
iri_status_t iri_alternative_reading_try(iri_finder_t *finder, iri_alternative_reading_t *best);


/*
 * Is each canonical path that was sent in UTF-8 the name of its entry, so that
 * it needs no lookup?
 * Returns: 1 if the tree is declared UTF-8 in NFC, and nothing is folded or
 * repaired; else 0.
 */
int iri_tree_is_declared(const iri_tree_conf_t *tree);


#pragma GCC visibility pop

#endif /* IRI_TREE_H */
