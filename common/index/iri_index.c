/*
 * iri_index.c - the index of one directory: from the hash of a key to entries
 *
 * A directory is read once. The index stores the octets of each entry, and a
 * hash table that maps the hash of a key to its entry. This takes about 13
 * octets for each entry, besides its octets. For spelling, a second table
 * contains the hashes of each key without one of its characters. If two keys
 * are one edit apart, they share one of these hashes, or the hash of one whole
 * key is among those of the other.
 *
 * A hash is only a hint: the caller compares names. It is keyed, so that a
 * client that creates entries cannot choose names that collide. Offsets are
 * stored instead of pointers, so that an index may be moved and shared by
 * processes.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "unicode/iri_unicode.h"
#include "index/iri_index.h"

/*
 * If no names are folded: greatest number of octets of one directory that are
 * decoded to find irregular entries. An octet takes about 100 instructions. A
 * directory with more octets counts as too large.
 */
#define IRI_MAX_EXAMINED (64 * 1024)

/* A record is the length of an entry's octets and these octets. */
typedef uint16_t iri_record_t;

#define IRI_ALIGN sizeof(iri_record_t) /* of a record, the unit of offsets */

/* A growing array in memory of its own. */
typedef struct {
    unsigned char *data;
    size_t         len;
    size_t         size;
} iri_vector_t;

/*
 * Memory for one entry, reused for the next one, so that memory in use does not
 * grow with the directory.
 */
typedef struct {
    size_t        used;
    unsigned char octets[64 * 1024];
} iri_scratch_t;

typedef struct {
    iri_env_t               scratch; /* allocates from an iri_scratch_t */
    const iri_index_conf_t *conf;
    size_t                  max_entries;
    size_t                  max_size; /* octets */
    size_t                  entries;
    size_t          examined;  /* octets decoded; see IRI_MAX_EXAMINED */
    int             more;      /* 1: more than max_entries */
    int             too_large; /* 1: exceeds max_size or IRI_MAX_EXAMINED */
    int             unlisted;  /* 1: no permission to read the directory */
    iri_status_t    failed;    /* an error that a callback cannot return */
    iri_vector_t    text;
    iri_vector_t    keys;      /* slots by key, in the order of the entries */
    iri_vector_t    spellings; /* slots by spelling, in the same order */
    uint32_t        longest;   /* greatest length of a key */
    uint32_t        ways;      /* as in iri_index_t */
    iri_graphemes_t graphemes;
} iri_builder_t;


/* ---- hash ---------------------------------------------------------------- */

static inline uint64_t
iri_rotate(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}


static inline void
iri_sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = iri_rotate(v[1], 13) ^ v[0];
    v[3] = iri_rotate(v[3], 16) ^ v[2];
    v[0] = iri_rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = iri_rotate(v[1], 17) ^ v[2];
    v[3] = iri_rotate(v[3], 21) ^ v[0];
    v[2] = iri_rotate(v[2], 32);
}


/* SipHash-1-3 (Aumasson, Bernstein), reduced to 32 bits. */
uint32_t
iri_keyed_hash(const uint64_t key[2], iri_str_t octets)
{
    const unsigned char *p = octets.data;
    size_t               left;
    uint64_t             v[4], word;

    v[0] = key[0] ^ UINT64_C(0x736f6d6570736575);
    v[1] = key[1] ^ UINT64_C(0x646f72616e646f6d);
    v[2] = key[0] ^ UINT64_C(0x6c7967656e657261);
    v[3] = key[1] ^ UINT64_C(0x7465646279746573);

    for (left = octets.len; left >= 8; left -= 8, p += 8) {
        memcpy(&word, p, 8);
        v[3] ^= word;
        iri_sip_round(v);
        v[0] ^= word;
    }

    word = (uint64_t) octets.len << 56;
    while (left-- > 0) {
        word |= (uint64_t) p[left] << (8 * left);
    }

    v[3] ^= word;
    iri_sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    iri_sip_round(v);
    iri_sip_round(v);
    iri_sip_round(v);

    word = v[0] ^ v[1] ^ v[2] ^ v[3];

    return (uint32_t) (word ^ word >> 32);
}


uint32_t
iri_index_hash(const iri_index_conf_t *conf, iri_str_t key)
{
    return iri_keyed_hash(conf->key, key);
}


/* Return the slot at which the search for a hash begins. */
static inline uint32_t
iri_first_slot(uint32_t hash, uint32_t slots)
{
    return (uint32_t) ((uint64_t) hash * slots >> 32);
}


/* ---- memory -------------------------------------------------------------- */

/*
 * Memory for building an index may be large and is needed for a short time, in
 * any thread. malloc would keep it in the arena of each thread.
 */
#define IRI_MMAP_THRESHOLD (256 * 1024)

/* Returns: size octets, all 0; NULL: no memory. */
static void *
iri_block_create(size_t size)
{
    void *block;

    if (size < IRI_MMAP_THRESHOLD) {
        return calloc(1, size);
    }

    block = mmap(NULL, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return block != MAP_FAILED ? block : NULL;
}


static void
iri_block_destroy(const void *block, size_t size)
{
    void *p = (void *) (uintptr_t) block;

    if (size < IRI_MMAP_THRESHOLD) {
        free(p);

    } else if (p != NULL) {
        (void) munmap(p, size);
    }
}


/*
 * Returns: the block, resized to `to` octets; NULL: no memory, and block is
 * unchanged.
 */
static void *
iri_block_grow(void *block, size_t size, size_t to)
{
    void *grown;

    if (to < IRI_MMAP_THRESHOLD) {
        return realloc(block, to);
    }

    if (size >= IRI_MMAP_THRESHOLD) {
        grown = mremap(block, size, to, MREMAP_MAYMOVE);
        return grown != MAP_FAILED ? grown : NULL;
    }

    grown = iri_block_create(to);

    if (grown != NULL && size != 0) {
        memcpy(grown, block, size);
        free(block);
    }

    return grown;
}


/* ---- growing arrays ------------------------------------------------------ */

/*
 * Append more octets. Return their address; NULL: no memory, or the index
 * would exceed builder->max_size.
 */
static void *
iri_vector_add(iri_builder_t *builder, iri_vector_t *vector, size_t more)
{
    unsigned char *data;
    size_t         size;

    if (more > vector->size - vector->len) {
        if (vector->len + more > builder->max_size) {
            builder->too_large = 1;
            return NULL;
        }

        size = vector->size != 0 ? vector->size * 2 : 4096;
        while (size < vector->len + more) {
            size *= 2;
        }

        data = iri_block_grow(vector->data, vector->size, size);
        if (data == NULL) {
            builder->failed = IRI_NO_MEMORY;
            return NULL;
        }

        vector->data = data;
        vector->size = size;
    }

    vector->len += more;

    return vector->data + vector->len - more;
}


static void
iri_vector_free(iri_vector_t *vector)
{
    iri_block_destroy(vector->data, vector->size);
    memset(vector, 0, sizeof(*vector));
}


/* ---- one entry ----------------------------------------------------------- */

static void *
iri_scratch_alloc(void *ctx, size_t size)
{
    iri_scratch_t *scratch = ctx;
    void          *p;

    size = (size + 15) & ~(size_t) 15;

    if (size > sizeof(scratch->octets) - scratch->used) {
        return NULL;
    }

    p = scratch->octets + scratch->used;
    scratch->used += size;

    return p;
}


/*
 * Set *regular to 1 if a way of writing the entry's name gives its octets, and
 * *way to the first one that does.
 */
static iri_status_t
iri_find_way(iri_builder_t *builder, iri_str_t octets, iri_str_t name,
             size_t *way, int *regular)
{
    const iri_tree_conf_t *tree = &builder->conf->tree;
    iri_buf_t              written = IRI_BUF_EMPTY;
    iri_status_t           status;
    size_t                 k;
    int                    is_written;

    *regular = 0;

    for (k = 0; k < IRI_WAYS(tree) && !*regular; k++) {
        status = iri_name_write(&builder->scratch, tree, name, k, &written,
                                &is_written);
        if (status != IRI_OK) {
            return status;
        }

        *regular = is_written && iri_str_equal(iri_buf_str(&written), octets);
        *way = k;
    }

    return IRI_OK;
}


/* Append a slot to keys or spellings. record: see iri_index_slot_t. */
static iri_status_t
iri_slot_add(iri_builder_t *builder, iri_vector_t *slots, iri_str_t key,
             uint32_t record)
{
    iri_index_slot_t *slot = iri_vector_add(builder, slots, sizeof(*slot));

    if (slot == NULL) {
        return IRI_NO_MEMORY;
    }

    slot->hash = iri_index_hash(builder->conf, key);
    slot->record = record;

    return IRI_OK;
}


/* Append a record and its slot. *at: as the record of iri_index_slot_t. */
static iri_status_t
iri_record_add(iri_builder_t *builder, iri_str_t octets, iri_str_t key,
               uint32_t *at)
{
    unsigned char *p;
    iri_record_t   len = (iri_record_t) octets.len;
    size_t         size = sizeof(len) + len + len % IRI_ALIGN;

    p = iri_vector_add(builder, &builder->text, size);
    if (p == NULL || builder->text.len / IRI_ALIGN >= UINT32_MAX) {
        return IRI_NO_MEMORY;
    }

    memcpy(p, &len, sizeof(len));
    memcpy(p + sizeof(len), octets.data, len);
    *at = (uint32_t) ((builder->text.len - size) / IRI_ALIGN) + 1;

    return iri_slot_add(builder, &builder->keys, key, *at);
}


/* Append the slots of key without each of its characters. */
static iri_status_t
iri_spellings_add(iri_builder_t *builder, iri_str_t key, uint32_t at)
{
    iri_buf_t    without = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       i;
    int          applies, left_out;

    status = iri_graphemes_split(&builder->graphemes, key, &applies);

    for (i = 0; status == IRI_OK && applies && i < builder->graphemes.count;
         i++) {
        without.len = 0;

        status = iri_graphemes_put_without(&builder->scratch,
                                           &builder->graphemes, key, i,
                                           &without, &left_out);

        if (status == IRI_OK && left_out) {
            status = iri_slot_add(builder, &builder->spellings,
                                  iri_buf_str(&without), at);
        }
    }

    return status;
}


static iri_status_t
iri_key_add(iri_builder_t *builder, iri_str_t octets, iri_str_t key)
{
    iri_status_t status;
    uint32_t     at;

    builder->longest = key.len > builder->longest ? (uint32_t) key.len
                                                  : builder->longest;
    status = iri_record_add(builder, octets, key, &at);

    return status == IRI_OK && (builder->conf->fold & IRI_FOLD_SPELLING)
               ? iri_spellings_add(builder, key, at)
               : status;
}


static iri_status_t
iri_entry_add(iri_builder_t *builder, iri_str_t octets, iri_str_t name)
{
    unsigned     fold = builder->conf->fold;
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_str_t    key = name;
    iri_status_t status = IRI_OK;

    if (fold != 0) {
        status = iri_fold(&builder->scratch, fold, name, &buf);
        key = iri_buf_str(&buf);
    }

    return status == IRI_OK ? iri_key_add(builder, octets, key) : status;
}


/* If no names are folded: add the entry if it is irregular. */
static iri_status_t
iri_add_irregular(iri_builder_t *builder, iri_str_t octets)
{
    iri_buf_t    name = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       charset = 0, way = 0;
    int          regular = 0;

    if (iri_is_same_on_disk(builder->conf->tree.match, octets)) {
        return IRI_OK;
    }

    if (iri_entry_is_plain(&builder->conf->tree, octets, &way)) {
        builder->ways |= UINT32_C(1) << way;
        return IRI_OK;
    }

    if (builder->examined > IRI_MAX_EXAMINED) {
        builder->too_large = 1;
        return IRI_NO_MEMORY;
    }

    builder->examined += octets.len;

    status = iri_entry_read(&builder->scratch, &builder->conf->tree, octets,
                            &name, &charset);

    if (status == IRI_OK && name.len != 0) {
        status = iri_find_way(builder, octets, iri_buf_str(&name), &way,
                              &regular);
    }

    if (regular) {
        builder->ways |= UINT32_C(1) << way;
    }

    return status == IRI_OK && name.len != 0 && !regular
               ? iri_entry_add(builder, octets, iri_buf_str(&name))
               : status;
}


/* Return 1 if octets are known to be the name of their entry. */
static int
iri_octets_are_name(const iri_tree_conf_t *tree, iri_str_t octets)
{
    const unsigned char *p = octets.data, *end = octets.data + octets.len;
    size_t               n;

    if (iri_is_same_on_disk(tree->match, octets)) {
        return 1;
    }

    if (!iri_charset_is_utf8(tree->charsets.at[0])) {
        return 0;
    }

    for (/* void */; p < end; p += n) {
        n = iri_utf8_quick(p, end);
        if (n == 0) {
            return 0;
        }
    }

    return 1;
}


static iri_status_t
iri_add_folded(iri_builder_t *builder, iri_str_t octets)
{
    const iri_tree_conf_t *tree = &builder->conf->tree;
    iri_buf_t              name = IRI_BUF_EMPTY;
    iri_status_t           status;
    size_t                 charset = 0;
    int                    canonical = 0;

    /* Nearly all names that are not ASCII: check and fold in one pass. */
    if (!iri_str_is_ascii(octets)
        && iri_charset_is_utf8(tree->charsets.at[0])) {
        status = iri_fold_canonical(&builder->scratch, builder->conf->fold,
                                    octets, &name, &canonical);

        if (status != IRI_OK || canonical) {
            return status == IRI_OK
                       ? iri_key_add(builder, octets, iri_buf_str(&name))
                       : status;
        }
    }

    if (iri_octets_are_name(tree, octets)) {
        return iri_entry_add(builder, octets, octets);
    }

    status = iri_entry_read(&builder->scratch, tree, octets, &name, &charset);

    return status == IRI_OK && name.len != 0
               ? iri_entry_add(builder, octets, iri_buf_str(&name))
               : status;
}


/* An iri_dir_each_t: add an entry of the directory. */
static iri_status_t
iri_index_entry(void *arg, iri_str_t octets)
{
    iri_builder_t *builder = arg;
    iri_status_t   status;

    if (++builder->entries > builder->max_entries) {
        builder->more = 1;
        return IRI_IO_FAILED; /* stops the reading of the directory */
    }

    /* A longer name cannot be requested. */
    if (octets.len > IRI_MAX_SEGMENT) {
        return IRI_OK;
    }

    ((iri_scratch_t *) builder->scratch.ctx)->used = 0;

    status = builder->conf->fold != 0 ? iri_add_folded(builder, octets)
                                      : iri_add_irregular(builder, octets);

    /* The index would lack this entry, so it is not used. */
    if (status == IRI_ICU_FAILED) {
        builder->failed = status;
    }

    if (builder->failed != IRI_OK || builder->too_large) {
        return IRI_IO_FAILED;
    }

    /* The entry is too long for scratch: leave it out; its way is unknown. */
    if (status != IRI_OK) {
        builder->ways = IRI_ALL_WAYS;
    }

    return IRI_OK;
}


/* ---- the tables ---------------------------------------------------------- */

/*
 * Build a hash table of slots, of which four fifths are used. Slots with the
 * same hash, such as a thousand spellings of one word, are stored only up to
 * the number that a lookup returns, and one more. The others would only slow
 * down searches and insertions.
 */
static const iri_index_slot_t *
iri_table_build(const iri_vector_t *vector, uint32_t *slots)
{
    const iri_index_slot_t *from = (const void *) vector->data;
    iri_index_slot_t       *table;
    size_t                  i, count = vector->len / sizeof(*from);
    uint32_t                slot;
    unsigned                same;

    if (count > UINT32_MAX / 2) {
        return NULL;
    }

    *slots = (uint32_t) (count + count / 4 + 1);

    table = iri_block_create(*slots * sizeof(*table));
    if (table == NULL) {
        return NULL;
    }

    for (i = 0; i < count; i++) {
        slot = iri_first_slot(from[i].hash, *slots);
        same = 0;

        while (table[slot].record != 0 && same <= IRI_MAX_INDEX_HITS) {
            same += table[slot].hash == from[i].hash;
            slot = slot + 1 < *slots ? slot + 1 : 0;
        }

        if (same <= IRI_MAX_INDEX_HITS) {
            table[slot] = from[i];
        }
    }

    return table;
}


/*
 * Build the index from the vectors of builder. The index becomes the owner of
 * builder->text.
 */
static iri_status_t
iri_builder_end(iri_builder_t *builder, iri_index_t *index)
{
    index->head.complete = 1;
    index->head.has_spellings = (builder->conf->fold & IRI_FOLD_SPELLING)
                                != 0;
    index->head.records = (uint32_t) (builder->keys.len
                                      / sizeof(iri_index_slot_t));
    index->head.longest = builder->longest;
    index->head.ways = builder->conf->fold == 0 ? builder->ways
                                                : IRI_ALL_WAYS;
    index->head.text = builder->text.len;
    index->text = builder->text.data;
    index->text_size = builder->text.size;
    memset(&builder->text, 0, sizeof(builder->text));

    if (index->head.records == 0) {
        return IRI_OK;
    }

    index->table = iri_table_build(&builder->keys, &index->head.table);

    if (index->table != NULL && builder->spellings.len != 0) {
        index->spellings = iri_table_build(&builder->spellings,
                                           &index->head.spellings);
    }

    return index->table == NULL
                   || (builder->spellings.len != 0
                       && index->spellings == NULL)
               ? IRI_NO_MEMORY
               : IRI_OK;
}


void
iri_index_free(iri_index_t *index)
{
    iri_block_destroy(index->table,
                      index->head.table * sizeof(*index->table));
    iri_block_destroy(index->spellings,
                      index->head.spellings * sizeof(*index->spellings));
    iri_block_destroy(index->text, index->text_size);
    memset(index, 0, sizeof(*index));
}


/* ---- reading a directory ------------------------------------------------- */

/* List the directory, up to the limits, and build its index. */
static iri_status_t
iri_builder_run(iri_builder_t *builder, const iri_env_t *env,
                iri_str_t directory, iri_node_t *node, iri_index_t *index)
{
    iri_status_t status;

    memset(index, 0, sizeof(*index));

    status = env->dir->list(env->ctx, (const char *) directory.data, node,
                            iri_index_entry, builder);

    if (builder->failed != IRI_OK) {
        return builder->failed;
    }

    builder->unlisted = status == IRI_NOT_LISTED;

    if (builder->more || builder->too_large || builder->unlisted) {
        return IRI_OK;
    }

    return status == IRI_OK ? iri_builder_end(builder, index) : status;
}


/* Build an index that fits in max_size, and release what builder needs. */
static iri_status_t
iri_builder_try(iri_builder_t *builder, const iri_env_t *env,
                iri_str_t directory, iri_node_t *node, iri_index_t *index)
{
    iri_status_t status;

    status = iri_builder_run(builder, env, directory, node, index);

    if (status == IRI_OK && iri_index_size(index) > builder->max_size) {
        iri_index_free(index);
        builder->too_large = 1;
    }

    if (status != IRI_OK) {
        iri_index_free(index);
    }

    iri_vector_free(&builder->text);
    iri_vector_free(&builder->keys);
    iri_vector_free(&builder->spellings);
    iri_graphemes_free(&builder->graphemes);

    return status;
}


static void
iri_builder_init(iri_builder_t *builder, const iri_env_t *env,
                 const iri_index_conf_t *conf, iri_scratch_t *scratch,
                 size_t max_entries, size_t max_size)
{
    memset(builder, 0, sizeof(*builder));
    builder->scratch.fold_keys = env->fold_keys;
    builder->scratch.ctx = scratch;
    builder->scratch.alloc = iri_scratch_alloc;
    builder->conf = conf;
    builder->max_entries = max_entries;
    builder->max_size = max_size;
    iri_graphemes_init(&builder->graphemes);
}


static void
iri_index_log(const iri_env_t *env, const iri_builder_t *builder,
              iri_str_t directory, iri_status_t status)
{
    const char *text = "";

    if (status != IRI_OK) {
        text = iri_status_text(status);

    } else if (builder->unlisted) {
        text = iri_status_text(IRI_NOT_LISTED);

    } else if (builder->more || builder->too_large) {
        text = "too large for an index: only exact names are found";
    }

    iri_logf(env, IRI_LOG_TRACE, "read %s: %lu entries%s%s",
             iri_printable(env, directory), (unsigned long) builder->entries,
             *text != '\0' ? ", " : "", text);
}


/* Returns: ns of processor time of this thread; 0 if the clock fails. */
static int64_t
iri_processor_time(void)
{
    struct timespec spent;

    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent) != 0) {
        return 0;
    }

    return (int64_t) spent.tv_sec * 1000000000 + spent.tv_nsec;
}


iri_status_t
iri_index_build(const iri_env_t *env, const iri_index_conf_t *conf,
                iri_str_t directory, size_t max_entries, size_t max_size,
                iri_node_t *node, iri_index_t *index, int *more)
{
    iri_index_conf_t without_spelling = *conf;
    iri_builder_t   *builder;
    iri_scratch_t   *scratch;
    iri_status_t     status = IRI_NO_MEMORY;
    int64_t          begun = iri_processor_time();

    builder = malloc(sizeof(*builder));
    scratch = malloc(sizeof(*scratch));

    if (builder != NULL && scratch != NULL) {
        iri_builder_init(builder, env, conf, scratch, max_entries, max_size);
        status = iri_builder_try(builder, env, directory, node, index);

        /* If the index is too large, build it without spellings. */
        if (status == IRI_OK && builder->too_large
            && (conf->fold & IRI_FOLD_SPELLING))
        {
            without_spelling.fold &= ~IRI_FOLD_SPELLING;
            iri_builder_init(builder, env, &without_spelling, scratch,
                             max_entries, max_size);
            status = iri_builder_try(builder, env, directory, node, index);
        }

        *more = builder->more;

        /* Set them also if the index was too large. */
        if (status == IRI_OK) {
            index->head.entries = builder->entries;
            index->head.cost = iri_processor_time() - begun;
        }

        if (env->trace) {
            iri_index_log(env, builder, directory, status);
        }
    }

    free(builder);
    free(scratch);

    return status;
}


/* ---- as one block -------------------------------------------------------- */

size_t
iri_index_size(const iri_index_t *index)
{
    return sizeof(index->head) + index->head.table * sizeof(*index->table)
           + index->head.spellings * sizeof(*index->spellings)
           + (size_t) index->head.text;
}


void
iri_index_copy(const iri_index_t *index, void *block, size_t from,
               size_t count)
{
    const struct {
        const void *data;
        size_t      size;
    } parts[] = {
        { &index->head, sizeof(index->head) },
        { index->spellings,
          index->head.spellings * sizeof(*index->spellings) },
        { index->table, index->head.table * sizeof(*index->table) },
        { index->text, (size_t) index->head.text },
    };
    unsigned char *to = block;
    size_t         i, start, end;

    for (i = 0; i < sizeof(parts) / sizeof(parts[0]) && count != 0; i++) {
        start = from < parts[i].size ? from : parts[i].size;
        end = count < parts[i].size - start ? start + count : parts[i].size;

        if (start != end) {
            memcpy(to + start, (const unsigned char *) parts[i].data + start,
                   end - start);
        }

        to += parts[i].size;
        from -= start;
        count -= end - start;
    }
}


void
iri_index_open(const void *block, iri_index_t *index)
{
    const unsigned char *p = block;

    memcpy(&index->head, p, sizeof(index->head));
    p += sizeof(index->head);

    index->spellings = (const void *) p;
    p += index->head.spellings * sizeof(*index->spellings);

    index->table = (const void *) p;
    p += index->head.table * sizeof(*index->table);

    index->text = p;
}


/* ---- lookup -------------------------------------------------------------- */

/* Add the entry of a record, unless it is among the hits. */
static iri_status_t
iri_index_hits_add(const iri_env_t *env, const unsigned char *record,
                   iri_index_hits_t *hits)
{
    iri_record_t len;
    iri_str_t    known;
    iri_buf_t    copy = IRI_BUF_EMPTY;
    iri_status_t status;
    size_t       i;

    memcpy(&len, record, sizeof(len));
    known.data = record + sizeof(len);
    known.len = len;

    for (i = 0; i < hits->count; i++) {
        if (iri_str_equal(hits->octets[i], known)) {
            return IRI_OK;
        }
    }

    if (hits->count == IRI_MAX_INDEX_HITS) {
        hits->more = 1;
        return IRI_OK;
    }

    status = iri_buf_put(env, &copy, known.data, known.len);
    if (status == IRI_OK) {
        hits->octets[hits->count++] = iri_buf_str(&copy);
    }

    return status;
}


static iri_status_t
iri_table_find(const iri_env_t *env, const iri_index_t *index,
               const iri_index_slot_t *table, uint32_t slots, uint32_t hash,
               iri_index_hits_t *hits)
{
    iri_status_t status = IRI_OK;
    uint32_t     slot = iri_first_slot(hash, slots);

    while (slots != 0 && status == IRI_OK && table[slot].record != 0
           && !hits->more)
    {
        if (table[slot].hash == hash) {
            status = iri_index_hits_add(
                env,
                index->text + (size_t) (table[slot].record - 1) * IRI_ALIGN,
                hits);
        }

        slot = slot + 1 < slots ? slot + 1 : 0;
    }

    return status;
}


iri_status_t
iri_index_find(const iri_env_t *env, const iri_index_t *index, uint32_t hash,
               iri_index_hits_t *hits)
{
    return iri_table_find(env, index, index->table, index->head.table, hash,
                          hits);
}


iri_status_t
iri_index_find_spelling(const iri_env_t *env, const iri_index_t *index,
                        uint32_t hash, iri_index_hits_t *hits)
{
    return iri_table_find(env, index, index->spellings, index->head.spellings,
                          hash, hits);
}
