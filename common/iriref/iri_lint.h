/*
 * iri_lint.h - declarations that the files of iri_lint() share
 */

#ifndef IRI_LINT_H
#define IRI_LINT_H

#include "iri_ref.h"
#include "base/iri_string.h"

#pragma GCC visibility push(hidden)

/* An entry is compared with at most this many preceding entries of its key. */
#define IRI_LINT_MAX_COMPARED 16

/* The first of the preceding entries, from `from` on, that entry `at` is
   compared with. */
static inline size_t
iri_lint_first(size_t from, size_t at)
{
    return at - from > IRI_LINT_MAX_COMPARED ? at - IRI_LINT_MAX_COMPARED
                                             : from;
}

/* Of how many names is the charset detected? */
#define IRI_LINT_SAMPLE 256

/* One entry of the directory. */
typedef struct {
    iri_str_t octets;     /* of its name on disk */
    iri_str_t name;       /* canonical; empty: it has no readable name */
    iri_str_t key;        /* the folded name; empty: not computed */
    iri_str_t skeleton;   /* of the name (UTS #39); empty: not computed */
    size_t    charset;    /* index of the charset of name in the tree's list */
} iri_lint_entry_t;

/* One call of iri_lint(). */
typedef struct {
    const iri_env_t       *env;
    const iri_lint_conf_t *conf;
    iri_lint_each_t        each;       /* takes the findings */
    void                  *arg;        /* of each */
    iri_lint_entry_t      *entries;
    size_t                 count;      /* of entries */
    iri_lint_entry_t     **sorted;     /* the entries that have a name */
    size_t                 named;      /* length of sorted */
    iri_env_t              scratch;    /* an arena that is reset for each
                                          name */
    unsigned char         *scratch_memory;
    size_t                 scratch_used;   /* octets; 0 resets the arena */
    iri_buf_t              buf;        /* reused for each name */
    iri_buf_t              other;
    iri_str_t              sample[IRI_LINT_SAMPLE];   /* names that are not
                                            UTF-8, to detect their charset */
    size_t                 sampled;      /* length of sample */
    const iri_charset_t   *guess;        /* the charset that they seem to be
                                            encoded in; NULL: unknown */
    size_t                 utf8_count;   /* names that are UTF-8, not ASCII */
    size_t                 legacy_count; /* names that are not UTF-8 */
    size_t                 read_count[IRI_MAX_CHARSETS];   /* names that are
                                                not ASCII, by charset */
} iri_lint_t;

/* ---- iri_lint.c ---------------------------------------------------------- */

/* 1 if conf asks for findings of this kind. */
int iri_lint_wants(const iri_lint_t *lint, iri_lint_kind_t kind);

/*
 * Report a finding, if conf asks for its kind.
 *
 *   entry     NULL: the directory as a whole
 *   other     another entry; NULL: none
 *   finding   without the octets and names of these two
 *
 * Returns: the status that `each` has returned, else IRI_OK.
 */
iri_status_t iri_lint_report(const iri_lint_t *lint,
                             const iri_lint_entry_t *entry,
                             const iri_lint_entry_t *other,
                             iri_finding_t finding);

/* Copy a text to the arena.  Returns: IRI_OK, IRI_NO_MEMORY. */
iri_status_t iri_lint_copy(const iri_lint_t *lint, iri_str_t text,
                           iri_str_t *out);

/* 1 if a test is true for a character of a name. */
int iri_lint_has(iri_str_t name, int (*test)(uint32_t c));

/* Compare two pointers to entries by name, then by octets, for qsort. */
int iri_lint_by_name(const void *a, const void *b);

/* ---- iri_lint_appearance.c ----------------------------------------------- */

/*
 * Report MOJIBAKE if the name of an entry, or its octets if it has no name,
 * are UTF-8 that was encoded twice.
 */
iri_status_t iri_lint_mojibake(iri_lint_t *lint, const iri_lint_entry_t *entry);

/*
 * Check how a name is displayed: report MOJIBAKE, BIDI and LOOK_ALIKE, and set
 * entry->skeleton.
 */
iri_status_t iri_lint_appearance(iri_lint_t *lint, iri_lint_entry_t *entry);

/* Report LOOK_ALIKE for pairs of entries with the same skeleton. */
iri_status_t iri_lint_look_alikes(iri_lint_t *lint);

/* ---- iri_lint_spelling.c ------------------------------------------------- */

/* Report COLLISION for pairs of entries whose keys are one edit apart. */
iri_status_t iri_lint_spellings(iri_lint_t *lint);

#pragma GCC visibility pop

#endif /* IRI_LINT_H */
