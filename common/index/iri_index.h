/*
 * iri_index.h - names of entries, and the index of a directory
 */

#ifndef IRI_INDEX_H
#define IRI_INDEX_H

#include "iri.h"
#include "charset/iri_charset.h"

#pragma GCC visibility push(hidden)


/* ---- names of entries ------------------------------------------------------ */

/*
 * The k-th way in which a tree may write a name, k from 0 to
 * IRI_WAYS(tree) - 1, in the order of preference.  *written is 0 where this
 * way cannot write it, or where its octets are another name.
 */
#define IRI_WAYS(tree) (2 * (tree)->charsets.count)

iri_status_t iri_name_write(const iri_env_t *env, const iri_tree_conf_t *tree,
                            iri_str_t name, size_t k, iri_buf_t *out,
                            int *written);

/* 1 if the first way writes each name as its own octets. */
static inline int
iri_tree_writes_names_verbatim(const iri_tree_conf_t *tree)
{
    return tree->names != IRI_FILENAME_NFD
           && iri_charset_is_utf8(tree->charsets.at[0]);
}

/* iri_entry_name into a buffer that is emptied first; *index: of charset. */
iri_status_t iri_entry_read(const iri_env_t *env, const iri_tree_conf_t *tree,
                            iri_str_t octets, iri_buf_t *name, size_t *index);

/* Is the entry with these octets called name, and in which charset? */
iri_status_t iri_entry_is_named(const iri_env_t *env,
                                const iri_tree_conf_t *tree, iri_str_t octets,
                                iri_str_t name, size_t *index, int *named);

/*
 * 1 if the entry needs no memory: it has no name, or one that is written in
 * just these octets, and *way is that.  0 means only that it has to be looked
 * at closely.
 */
int iri_entry_is_plain(const iri_tree_conf_t *tree, iri_str_t octets,
                       size_t *way);

/*
 * The name with the characters of the JIS vendor pairs all as vendors map
 * them (way 0) or all as JIS does (way 1), canonical; *differs is 0 if that
 * is name.
 */
iri_status_t iri_name_variant(const iri_env_t *env, iri_str_t name, int way,
                              iri_buf_t *out, int *differs);

/* 0: no character of the name is one of a pair. */
int iri_name_may_vary(iri_str_t name);


/* ---- the index of a directory ---------------------------------------------- */

/* What shapes an index. */
typedef struct {
    iri_tree_conf_t tree;
    unsigned        fold;    /* IRI_FOLD_... of the keys; 0: of entries
                                whose octets cannot be guessed, the names */
    uint64_t        key[2];  /* of the hash */
} iri_index_conf_t;

typedef struct {
    uint32_t hash;
    uint32_t record;   /* 0: free */
} iri_index_spelling_t;

/* Where the parts of an index are: in one block, or still apart. */
typedef struct {
    struct {
        uint64_t text;      /* octets of each part */
        uint32_t records;   /* how many */
        uint32_t table;
        uint32_t spellings;
        uint16_t complete;  /* 0: there may be other entries */
        uint16_t spelled;   /* 1: with spellings, if any were to be had */
        uint32_t longest;   /* octets of a key */
        uint32_t ways;      /* in which names that are no keys are written:
                               bit k that of iri_name_write, if k is not 0 */
        uint64_t entries;   /* read of the directory */
        int64_t  cost;      /* ns of the processor, to build it */
    } head;

    const uint32_t       *table;       /* of offsets into text, by hash */
    const iri_index_spelling_t *spellings;   /* by the hash of a key that lacks one
                                          character; or NULL */
    const unsigned char  *text;        /* the records */
    size_t                text_size;   /* of what was built: allocated */
} iri_index_t;

/*
 * Read a directory.  most: entries at most, size: octets at most.  *node: as
 * iri_dir_t says.  *more: there are more than most.  What is built is to be
 * freed by iri_index_free; of a directory that is too large, or that may not
 * be read, it is empty, and not complete.  IRI_NO_MEMORY, IRI_ICU_FAILED,
 * IRI_IO_FAILED.
 */
iri_status_t iri_index_build(const iri_env_t *env, const iri_index_conf_t *shape,
                             iri_str_t directory, size_t most, size_t size,
                             iri_node_t *node, iri_index_t *index, int *more);
void iri_index_free(iri_index_t *index);

/* As one block, which may be moved; and back. */
size_t iri_index_size(const iri_index_t *index);
void iri_index_copy(const iri_index_t *index, void *block);
void iri_index_open(const void *block, iri_index_t *index);

/* The octets of entries that may be meant. */
#define IRI_MAX_INDEX_HITS 32

typedef struct {
    size_t    count;
    iri_str_t octets[IRI_MAX_INDEX_HITS];
    int       more;   /* there is no room for all of them */
} iri_index_hits_t;

uint32_t iri_index_hash(const iri_index_conf_t *shape, iri_str_t key);

/* Append copies of the entries whose key, or spelling, has that hash. */
iri_status_t iri_index_find(const iri_env_t *env, const iri_index_t *index,
                            uint32_t hash, iri_index_hits_t *hits);
iri_status_t iri_index_find_spelling(const iri_env_t *env, const iri_index_t *index,
                             uint32_t hash, iri_index_hits_t *hits);


/* ---- the cache of indexes -------------------------------------------------- */

typedef struct {
    const iri_tree_conf_t *tree;
    iri_str_t              directory;  /* with a NUL behind it */
    iri_node_t             node;       /* the directory's own */
    iri_str_t              name;       /* canonical */
    int                    may_list;   /* 0: only what is remembered */
    int                    may_spell;  /* 1: one edit may be forgiven */

    unsigned               fold;       /* out: what keys forgive; 0: nothing,
                                          and hits are what cannot be guessed */
    iri_str_t              key;        /* out: of name */
    iri_index_hits_t             hits;       /* out: what may be it; look at its
                                          name, and at it unless sure */
    int                    spelled;    /* out: hits are what one edit may make
                                          of it; nothing else is like it */
    int                    sure;       /* out: hits are there now */
    int                    complete;   /* out: and there are no others */
    size_t                 listed;     /* out: entries read, and 1 */
} iri_index_cache_search_t;

iri_status_t iri_index_cache_find(const iri_env_t *env, iri_index_cache_t *cache,
                            iri_index_cache_search_t *search);

/*
 * The ways of writing names that entries of a directory may be found by; bit
 * k, k not 0, that of iri_name_write.  All, unless an index of what it holds
 * now says so.
 */
uint32_t iri_index_cache_ways(iri_index_cache_t *cache, const iri_tree_conf_t *tree,
                        const iri_node_t *node);
#define IRI_ALL_WAYS UINT32_MAX

/* What keys of a tree forgive; 0: its entries are found by their names. */
unsigned iri_index_fold(const iri_tree_conf_t *tree);

int64_t iri_time_ns(void);   /* ns since the epoch */

/* In the order of iri_index_cache_counts_t. */
typedef enum {
    IRI_CACHE_EVENT_INDEX_HIT,
    IRI_CACHE_EVENT_INDEX_MISS,
    IRI_CACHE_EVENT_BUILD
} iri_index_cache_event_t;

void iri_index_cache_count(iri_index_cache_t *cache, iri_index_cache_event_t what);


/* The memory and the contents of a cache. */
typedef struct {
    uint64_t size;      /* octets available for indexes */
    uint64_t used;      /* octets used by indexes */
    uint64_t indexes;   /* number of indexes */
} iri_index_cache_usage_t;

/* Report the current usage of a cache.  Any thread may call it. */
void iri_index_cache_usage(iri_index_cache_t *cache,
                           iri_index_cache_usage_t *out);


#pragma GCC visibility pop

#endif /* IRI_INDEX_H */
