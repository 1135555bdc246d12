/*
 * iri_index.h - names of entries, and the index of a directory
 *
 * iri.h declares iri_entry_name() and how servers create a cache.  Unless
 * stated otherwise, memory comes from env and lives as long as env, and
 * functions that return iri_status_t return IRI_OK, IRI_NO_MEMORY or
 * IRI_ICU_FAILED.
 */

#ifndef IRI_INDEX_H
#define IRI_INDEX_H

#include "iri.h"
#include "charset/iri_charset.h"

#pragma GCC visibility push(hidden)


/* ---- names of entries ---------------------------------------------------- */

/*
 * A way of writing a name is a charset of the tree and a form: k / 2 is the
 * index of the charset, k % 2 is 0 for NFC and 1 for NFD, in the charset
 * percent 0 for lower-case and 1 for upper-case digits.  k goes from 0 to
 * IRI_WAYS(tree) - 1, in the order of preference.  An entry is regular if a way
 * of writing its name gives its octets.  A partly composed name is irregular.
 */
#define IRI_WAYS(tree) (2 * (tree)->charsets.count)

/*
 * Write name, canonical UTF-8, in the k-th way.  out: is emptied first.
 * *written: 0 if this way cannot write name, or if the tree reads the written
 * octets as another name.
 * EUC-JP, "\xE8\xA1\xA8", k 0 -> "\xC9\xBD"
 */
iri_status_t iri_name_write(const iri_env_t *env, const iri_tree_conf_t *tree,
                            iri_str_t name, size_t k, iri_buf_t *out,
                            int *written);

/* Returns: 1 if the first way writes each name as its own octets. */
static inline int
iri_tree_writes_names_verbatim(const iri_tree_conf_t *tree)
{
    return tree->names != IRI_FILENAME_NFD
           && iri_charset_is_utf8(tree->charsets.at[0]);
}

/*
 * As iri_entry_name(), but into a buffer, which is emptied first.
 * *index: index in tree->charsets of the charset that decodes the octets; not
 * changed if the entry has no name.
 */
iri_status_t iri_entry_read(const iri_env_t *env, const iri_tree_conf_t *tree,
                            iri_str_t octets, iri_buf_t *name, size_t *index);

/*
 * Set *named to 1 if the entry with these octets has this name, else to 0.
 * *index: as in iri_entry_read().
 */
iri_status_t iri_entry_is_named(const iri_env_t *env,
                                const iri_tree_conf_t *tree, iri_str_t octets,
                                iri_str_t name, size_t *index, int *named);

/*
 * Is the entry known to be regular or to have no name?  Allocates no memory.
 * *way: its way of writing; 0 if it has no name.
 * Returns: 1 or 0.
 */
int iri_entry_is_plain(const iri_tree_conf_t *tree, iri_str_t octets,
                       size_t *way);

/*
 * Replace each character of a JIS vendor pair in name by that of JIS (jis 1) or
 * of the vendors (jis 0).  out: the result, canonical; is emptied first.
 * *differs: 0 if the result is name.
 */
iri_status_t iri_name_variant(const iri_env_t *env, iri_str_t name, int jis,
                              iri_buf_t *out, int *differs);

/* Returns: 0 if name contains no character of a JIS vendor pair. */
int iri_name_may_vary(iri_str_t name);


/* ---- the index of a directory -------------------------------------------- */

/* Settings that determine the contents of an index. */
typedef struct {
    iri_tree_conf_t tree;
    unsigned        fold;    /* IRI_FOLD_... of the keys; 0: the index has
                                irregular entries only, and keys are names */
    uint64_t        key[2];  /* of the hash */
} iri_index_conf_t;

/* A slot of a hash table. */
typedef struct {
    uint32_t hash;     /* of a key, or of a key without one character */
    uint32_t record;   /* offset of the record in text, in units of 2 octets,
                          plus 1; 0: the slot is free */
} iri_index_slot_t;

/* An index.  Its parts are in one block, or separate while it is built. */
typedef struct {
    struct {
        uint64_t text;      /* octets of text */
        uint32_t records;   /* number of records in text */
        uint32_t table;     /* slots of table */
        uint32_t spellings; /* slots of spellings */
        uint16_t complete;  /* 0: the directory may have other entries */
        uint16_t has_spellings; /* 1: spellings are complete */
        uint32_t longest;   /* octets of the longest key */
        uint32_t ways;      /* bit k, if k is not 0: a regular entry is
                               written in the k-th way; IRI_ALL_WAYS if fold
                               is not 0 */
        uint64_t entries;   /* number of entries read from the directory */
        int64_t  cost;      /* of the build, in ns of processor time */
    } head;

    const iri_index_slot_t *table;      /* by key */
    const iri_index_slot_t *spellings;  /* by key without one character; NULL:
                                           none */
    const unsigned char    *text;       /* the records */
    size_t                  text_size;  /* octets allocated for text; unused
                                           in a block */
} iri_index_t;

/*
 * Read a directory and build its index.
 * directory: octets on disk, NUL-terminated, the NUL not counted.
 * max_entries: greatest number of entries.  max_size: greatest size of the
 * index in octets.
 * *node: the directory that was read, as in iri_dir_t.list.
 * *index: to be freed by iri_index_free(); empty and not complete if the
 * directory exceeds a limit or may not be read.
 * *more: 1 if it has more than max_entries entries.
 * Returns: IRI_OK; IRI_NO_MEMORY; IRI_ICU_FAILED; IRI_IO_FAILED.
 */
iri_status_t iri_index_build(const iri_env_t *env,
                             const iri_index_conf_t *conf,
                             iri_str_t directory, size_t max_entries,
                             size_t max_size, iri_node_t *node,
                             iri_index_t *index, int *more);
void iri_index_free(iri_index_t *index);

/*
 * An index as one block, which may be moved and shared by processes.
 * iri_index_size: octets of the block.
 * iri_index_copy: write at most count octets of the block, from offset from on,
 * to the same offsets in block.
 * iri_index_open: *index refers to block and must not be freed.
 */
size_t iri_index_size(const iri_index_t *index);
void iri_index_copy(const iri_index_t *index, void *block, size_t from,
                    size_t count);
void iri_index_open(const void *block, iri_index_t *index);

#define IRI_MAX_INDEX_HITS 32

/* Entries whose keys have the same hash.  The caller compares their names. */
typedef struct {
    size_t    count;
    iri_str_t octets[IRI_MAX_INDEX_HITS];   /* copies in env */
    int       more;   /* 1: there are more than these */
} iri_index_hits_t;

/* Returns: the keyed hash of a key. */
uint32_t iri_index_hash(const iri_index_conf_t *conf, iri_str_t key);

/*
 * Append the entries whose key has this hash.  iri_index_find_spelling: the
 * entries whose key without one character has it.
 */
iri_status_t iri_index_find(const iri_env_t *env, const iri_index_t *index,
                            uint32_t hash, iri_index_hits_t *hits);
iri_status_t iri_index_find_spelling(const iri_env_t *env,
                             const iri_index_t *index, uint32_t hash,
                             iri_index_hits_t *hits);


/* ---- the cache of indexes ------------------------------------------------ */

/* A search in the index of a directory: arguments, then results (first 0). */
typedef struct {
    const iri_tree_conf_t *tree;       /* settings of the directory */
    iri_str_t              directory;  /* octets on disk, followed by a NUL */
    iri_node_t             node;       /* the present stat of the directory */
    iri_str_t              name;       /* canonical */
    int                    may_list;   /* 0: the directory must not be read */
    int                    may_spell;  /* 1: one edit may be ignored */

    unsigned               fold;       /* of the keys, as in
                                          iri_index_conf_t */
    iri_str_t              key;        /* of name */
    uint32_t              *edits;      /* hashes of key and of key without each
                                          of its characters; NULL: not set */
    size_t                 edit_count; /* of edits */
    iri_index_hits_t       hits;       /* entries whose names are to be
                                          compared with name */
    int                    by_spelling; /* 1: hits may differ by one edit, and
                                          no entry is nearer */
    int                    fresh;      /* 1: hits exist; 0: the index may be
                                          stale */
    int                    complete;   /* 1: no other entry can match */
    size_t                 listed;     /* number of entries read, plus 1; 0:
                                          the directory was not read */
} iri_index_cache_search_t;

/*
 * Search the index of a directory.  If no fresh index is cached and may_list
 * is 1, the index is built first.  That of a large directory is built in
 * another thread if the cache has one.  cache NULL: the index is built for this
 * search.
 * Returns: IRI_OK; IRI_NO_MEMORY; IRI_ICU_FAILED; IRI_IO_FAILED.
 */
iri_status_t iri_index_cache_find(const iri_env_t *env,
                            iri_index_cache_t *cache,
                            iri_index_cache_search_t *search);

/*
 * Returns: bit k, if k is not 0, for each way of writing in which the
 * directory may have a regular entry; IRI_ALL_WAYS unless a fresh index is
 * cached.
 * node: the present stat of the directory.
 */
uint32_t iri_index_cache_ways(iri_index_cache_t *cache,
                        const iri_tree_conf_t *tree, const iri_node_t *node);
#define IRI_ALL_WAYS UINT32_MAX

/*
 * Returns: IRI_FOLD_... of the keys of a tree; 0: names are not folded, and
 * its index has irregular entries only.
 */
unsigned iri_index_fold(const iri_tree_conf_t *tree);


#pragma GCC visibility pop

#endif /* IRI_INDEX_H */
