/*
 * iri_memo.c - readings, and answers, remembered by their path
 *
 * How octets are read depends on them and on the charsets alone.
 *
 * What indexes say depends on the path, the settings and the directories they
 * are of, and on nothing else.  So where all of these had been quiet when
 * they were asked, the answer stays right until one of them changes: a look
 * at each of them instead of all the work.  The same is true of the names
 * that were looked for in one directory, after a look at that; but a look may
 * fail for once, so such an answer must have been given twice, and the second
 * time that look has to be the first of all.  Paths that have further readings
 * are among these, if all their names are sought there.
 *
 * All are kept for one process, in a table with one place for each hash;
 * nothing is lost if it is gone.
 */

#include <stdlib.h>
#include <string.h>

#include "iri_memo.h"


iri_memo_t *
iri_memo_create(size_t size)
{
    iri_memo_t *memo;
    size_t      entries = 1;

    if (size < IRI_MEMO_SIZE) {
        return NULL;
    }

    while (entries * 2 * IRI_MEMO_SIZE <= size) {
        entries *= 2;
    }

    memo = malloc(sizeof(*memo));
    if (memo == NULL) {
        return NULL;
    }

    memo->mask = entries - 1;
    memo->place = calloc(entries, sizeof(*memo->place));

    if (memo->place == NULL) {
        free(memo);
        return NULL;
    }

    return memo;
}


void
iri_memo_destroy(iri_memo_t *memo)
{
    if (memo != NULL) {
        free(memo->place);
        free(memo);
    }
}


size_t
iri_memo_size(const iri_memo_t *memo)
{
    return memo != NULL ? (memo->mask + 1) * sizeof(*memo->place) : 0;
}


/* ---- what is asked ------------------------------------------------------- */

static uint64_t
iri_memo_mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);

    return hash ^ hash >> 29;
}


/* Not keyed: who finds two paths with one hash only makes both slower. */
static uint64_t
iri_memo_mix(uint64_t hash, iri_str_t s)
{
    uint64_t word;
    size_t   at;

    for (at = 0; at + sizeof(word) <= s.len; at += sizeof(word)) {
        memcpy(&word, s.data + at, sizeof(word));
        hash = iri_memo_mix_word(hash, word);
    }

    /* the last word over what was taken before */
    if (at < s.len && at != 0) {
        memcpy(&word, s.data + s.len - sizeof(word), sizeof(word));
        hash = iri_memo_mix_word(hash, word);

    } else if (at < s.len) {
        word = 0;
        memcpy(&word, s.data, s.len);
        hash = iri_memo_mix_word(hash, word);
    }

    return hash ^ s.len;
}


/* The octets that a path came as. */
static iri_str_t
iri_memo_octets(const iri_search_t *search)
{
    iri_str_t none = { 0, NULL };

    return search->reading == NULL ? none : search->reading->octets;
}


/* How they came, in one octet. */
static uint8_t
iri_memo_read(const iri_search_t *search)
{
    const iri_reading_t *reading = search->reading;

    return reading == NULL ? 0
                           : (uint8_t) (1 + (int) reading->form * 2
                                        + (reading->raw != 0));
}


static uint64_t
iri_memo_charsets(const iri_search_t *search)
{
    return search->reading == NULL
               ? 0
               : iri_charsets_pack(&search->reading->conf->charsets);
}


/* The charset of what was found, and back. */
static size_t
iri_memo_way(const iri_search_t *search, iri_str_t charset)
{
    const iri_reading_t  *reading = search->reading;
    const iri_charsets_t *list;
    size_t                i;

    if (reading == NULL || charset.data == reading->charset.data) {
        return 0;
    }

    list = &reading->conf->charsets;

    for (i = 0; i < list->count; i++) {
        if (charset.data == iri_charset_name(list->at[i]).data) {
            break;
        }
    }

    return i + 1;
}


static iri_str_t
iri_memo_charset(const iri_search_t *search, size_t way)
{
    const iri_charsets_t *list = &search->reading->conf->charsets;

    return way <= list->count ? iri_charset_name(list->at[way - 1])
                              : iri_charset_mixed;
}


/* For what it is asked, in one octet. */
static uint8_t
iri_memo_write(const iri_search_t *search)
{
    return (uint8_t) ((search->write != 0) | (search->twin != 0) << 1
                      | (search->canonical != 0) << 2);
}


/* Of the path alone: it is asked for by one way of writing it, mostly. */
static uint64_t
iri_memo_hash(const iri_search_t *search)
{
    return (iri_memo_mix(search->root.len << 2 | iri_memo_write(search),
                         search->path)
            & ~UINT64_C(3))
           | IRI_MEMO_FOUND;
}


/* Does s stand at offset at of the text? */
static int
iri_memo_has(const iri_memo_entry_t *entry, size_t at, size_t len,
             iri_str_t s)
{
    return len == s.len
           && (len == 0 || memcmp(entry->text + at, s.data, len) == 0);
}


static uint32_t
iri_memo_match(const iri_tree_conf_t *tree)
{
    return (uint32_t) (tree->match | tree->repair << 16);
}


static int
iri_memo_is_of(const iri_memo_entry_t *entry, uint64_t hash,
               const iri_search_t *search)
{
    const iri_memo_head_t *head = &entry->head;
    uint64_t               shape[2];

    if (head->hash != hash || head->prefix != search->prefix
        || head->write != iri_memo_write(search)
        || head->places != search->places
        || head->read != iri_memo_read(search)
        || !iri_memo_has(entry, 0, head->root_len, search->root)
        || !iri_memo_has(entry, head->root_len, head->path_len, search->path)
        || !iri_memo_has(entry, (size_t) head->root_len + head->path_len,
                         head->octets_len, iri_memo_octets(search)))
    {
        return 0;
    }

    iri_tree_pack(search->tree, shape);

    return head->shape[0] == shape[0] && head->shape[1] == shape[1]
           && head->match_conf == iri_memo_match(search->tree)
           && head->charsets == iri_memo_charsets(search);
}


/* Octets of an entry up to the filename. */
static size_t
iri_memo_asked(const iri_memo_head_t *head)
{
    return (size_t) head->root_len + head->path_len + head->octets_len;
}


static int
iri_memo_may_ask(const iri_search_t *search, const iri_memo_t *memo)
{
    return memo != NULL && search->root.len + search->path.len < IRI_MEMO_TEXT
           && search->prefix <= UINT32_MAX;
}


/* ---- finding ------------------------------------------------------------- */

/*
 * Are the directories as they were?  Their paths begin the filename, which is
 * written to meanwhile.
 */
static int
iri_memo_is_true(const iri_env_t *env, const iri_asked_t *asked,
                 unsigned char *filename)
{
    iri_node_t    node;
    unsigned char behind;
    iri_status_t  status;
    size_t        i;

    for (i = 0; i < asked->count; i++) {
        behind = filename[asked->len[i]];
        filename[asked->len[i]] = '\0';
        status = env->dir->stat(env->ctx, (const char *) filename, &node);
        filename[asked->len[i]] = behind;

        if (status != IRI_OK || node.kind != IRI_NODE_DIR
            || !iri_node_is_same(&node, &asked->node[i]))
        {
            return 0;
        }
    }

    return 1;
}


/* *found, as iri_found_begin() leaves it, becomes what the entry holds. */
static void
iri_memo_tell(const iri_memo_entry_t *entry, const iri_search_t *search,
              iri_found_t *found)
{
    const unsigned char *filename = entry->text
                                    + iri_memo_asked(&entry->head);

    found->answer = (iri_answer_t) entry->head.answer;
    found->why = (iri_why_t) entry->head.why;
    found->match = (iri_match_t) entry->head.match;
    found->filename.data = filename;
    found->filename.len = entry->head.filename_len;
    found->path = search->path;

    if (entry->head.way != 0) {
        found->charset = iri_memo_charset(search, entry->head.way);
    }

    if (entry->head.found_len != 0) {
        found->path.data = filename + entry->head.filename_len + 1;
        found->path.len = entry->head.found_len;
    }
}


int
iri_may_know(const iri_search_t *search, iri_answer_t *answer)
{
    iri_cache_t            *cache = search->cache;
    const iri_memo_t       *memo = iri_cache_memo(cache);
    const iri_memo_entry_t *entry;
    uint64_t                hash;
    int                     may;

    if (memo == NULL) {
        return 0;
    }

    hash = iri_memo_hash(search);

    iri_cache_lock_own(cache);
    entry = &iri_memo_place(memo, hash)->found;
    may = entry->head.hash == hash;
    *answer = (iri_answer_t) (may ? entry->head.answer : IRI_PASS);
    iri_cache_unlock_own(cache);

    return may;
}


/* The entry is copied under the lock, and looked through behind it. */
iri_status_t
iri_memo_find(const iri_env_t *env, const iri_search_t *search,
              iri_found_t *found, int *told, int *held)
{
    iri_memo_t       *memo = iri_cache_memo(search->cache);
    iri_memo_entry_t *entry, *copy = NULL;
    uint64_t          hash;
    size_t            size;
    int               is_of;

    *held = 0;

    if (!iri_memo_may_ask(search, memo)) {
        return IRI_OK;
    }

    hash = iri_memo_hash(search);

    iri_cache_lock_own(search->cache);
    entry = &iri_memo_place(memo, hash)->found;
    is_of = iri_memo_is_of(entry, hash, search);
    *held = is_of && entry->head.sure;

    if (*held) {
        size = sizeof(entry->head) + iri_memo_asked(&entry->head)
               + entry->head.filename_len + 1 + entry->head.found_len;
        copy = env->alloc(env->ctx, size);

        if (copy != NULL) {
            memcpy(copy, entry, size);
        }
    }

    iri_cache_unlock_own(search->cache);

    if (*held && copy == NULL) {
        return IRI_NO_MEMORY;
    }

    *held = *held
            && iri_memo_is_true(env, &copy->head.asked,
                                copy->text + iri_memo_asked(&copy->head));

    if (*held) {
        iri_memo_tell(copy, search, found);
        iri_cache_count(search->cache, IRI_COUNTED_ANSWER_HIT);

    } else if (told != NULL) {
        *told = is_of;
        iri_cache_count(search->cache, IRI_COUNTED_ANSWER_MISS);
    }

    return IRI_OK;
}


/* ---- keeping ------------------------------------------------------------- */

/*
 * Is the answer made of what indexes said, and of nothing else?  What was
 * looked for as it stands is not in them, so that is no more than they say.
 * Or of what was looked for in one directory?
 */
static int
iri_memo_may_keep(const iri_finder_t *finder, const iri_found_t *found,
                  const iri_memo_t *memo)
{
    const iri_search_t *search = finder->search;
    size_t              text = search->root.len + search->path.len
                  + iri_memo_octets(search).len + found->filename.len + 1
                  + found->path.len;

    return finder->asked.count != 0 && !finder->asked.unsure
           && !finder->stopped && finder->lists == 0
           && ((finder->looks == 0 && !finder->further) || finder->inside)
           && (found->answer == IRI_MOVED || found->answer == IRI_PASS
               || (found->answer == IRI_SERVE && finder->inside))
           && text <= IRI_MEMO_TEXT && iri_memo_may_ask(search, memo);
}


static int
iri_memo_same_asked(const iri_asked_t *a, const iri_asked_t *b)
{
    size_t i;

    for (i = 0; i < a->count; i++) {
        if (a->len[i] != b->len[i]
            || !iri_node_is_same(&a->node[i], &b->node[i])) {
            return 0;
        }
    }

    return a->count == b->count;
}


/* Is that what the entry holds as an answer that was given once? */
static int
iri_memo_is_told_again(const iri_memo_entry_t *entry,
                       const iri_memo_head_t  *head,
                       const iri_search_t *search, const iri_found_t *found)
{
    const iri_memo_head_t *old = &entry->head;
    size_t                 at = iri_memo_asked(old);
    iri_str_t              path = { head->found_len, found->path.data };

    return iri_memo_is_of(entry, head->hash, search)
           && old->answer == head->answer && old->why == head->why
           && old->match == head->match && old->way == head->way
           && iri_memo_same_asked(&old->asked, &head->asked)
           && iri_memo_has(entry, at, old->filename_len, found->filename)
           && iri_memo_has(entry, at + old->filename_len + 1, old->found_len,
                           path);
}


void
iri_memo_keep(const iri_finder_t *finder, const iri_found_t *found)
{
    const iri_search_t *search = finder->search;
    iri_memo_t         *memo = iri_cache_memo(search->cache);
    iri_str_t           octets = iri_memo_octets(search);
    iri_memo_head_t     head;
    iri_memo_entry_t   *entry;
    unsigned char      *p;

    if (!iri_memo_may_keep(finder, found, memo)) {
        return;
    }

    memset(&head, 0, sizeof(head));
    iri_tree_pack(search->tree, head.shape);
    head.hash = iri_memo_hash(search);
    head.charsets = iri_memo_charsets(search);
    head.match_conf = iri_memo_match(search->tree);
    head.prefix = (uint32_t) search->prefix;
    head.write = iri_memo_write(search);
    head.places = search->places;
    head.read = iri_memo_read(search);
    head.octets_len = (uint16_t) octets.len;
    head.root_len = (uint16_t) search->root.len;
    head.path_len = (uint16_t) search->path.len;
    head.filename_len = (uint16_t) found->filename.len;
    head.found_len = found->answer == IRI_MOVED ? (uint16_t) found->path.len
                                                : 0;
    head.answer = (uint8_t) found->answer;
    head.why = (uint8_t) found->why;
    head.match = (uint8_t) found->match;
    head.way = (uint8_t) iri_memo_way(search, found->charset);
    head.asked = finder->asked;

    iri_cache_lock_own(search->cache);
    entry = &iri_memo_place(memo, head.hash)->found;
    head.sure = !finder->inside
                || (finder->told
                    && iri_memo_is_told_again(entry, &head, search, found));
    entry->head = head;

    p = iri_memo_put(entry->text, search->root.data, head.root_len);
    p = iri_memo_put(p, search->path.data, head.path_len);
    p = iri_memo_put(p, octets.data, head.octets_len);
    p = iri_memo_put(p, found->filename.data, (size_t) head.filename_len + 1);
    (void) iri_memo_put(p, found->path.data, head.found_len);
    iri_cache_unlock_own(search->cache);
}


/* ---- readings ------------------------------------------------------------ */

static uint64_t
iri_memo_reading_hash(const iri_memo_reading_t *reading)
{
    return (iri_memo_mix(reading->came, reading->octets) & ~UINT64_C(3))
           | IRI_MEMO_READING;
}


static int
iri_memo_reading_is(const iri_memo_read_entry_t *entry, uint64_t hash,
                    const iri_memo_reading_t *reading)
{
    const iri_memo_read_head_t *head = &entry->head;

    return head->hash == hash && head->came == reading->came
           && head->octets_len == reading->octets.len
           && memcmp(entry->text, reading->octets.data, head->octets_len) == 0
           && head->charsets == iri_charsets_pack(reading->charsets);
}


iri_status_t
iri_memo_reading_find(const iri_env_t *env, iri_cache_t *cache,
                      iri_memo_reading_t *reading, int *held)
{
    iri_memo_t            *memo = iri_cache_memo(cache);
    iri_memo_read_entry_t *entry;
    unsigned char         *path = NULL;
    uint64_t               hash;

    *held = 0;

    if (memo == NULL) {
        return IRI_OK;
    }

    hash = iri_memo_reading_hash(reading);

    iri_cache_lock_own(cache);
    entry = &iri_memo_place(memo, hash)->reading;
    *held = iri_memo_reading_is(entry, hash, reading);

    if (*held) {
        path = env->alloc(env->ctx, entry->head.path_len);

        if (path != NULL) {
            memcpy(path, entry->text + entry->head.octets_len,
                   entry->head.path_len);
            reading->path.data = path;
            reading->path.len = entry->head.path_len;
            reading->way = entry->head.way;
        }
    }

    iri_cache_unlock_own(cache);
    iri_cache_count(cache, *held ? IRI_COUNTED_READING_HIT
                                 : IRI_COUNTED_READING_MISS);

    return *held && path == NULL ? IRI_NO_MEMORY : IRI_OK;
}


void
iri_memo_reading_keep(iri_cache_t *cache, const iri_memo_reading_t *reading)
{
    iri_memo_t            *memo = iri_cache_memo(cache);
    iri_memo_read_entry_t *entry;
    iri_memo_read_head_t   head;
    unsigned char         *p;

    if (memo == NULL
        || reading->octets.len + reading->path.len > IRI_MEMO_READ_TEXT)
    {
        return;
    }

    memset(&head, 0, sizeof(head));
    head.hash = iri_memo_reading_hash(reading);
    head.charsets = iri_charsets_pack(reading->charsets);
    head.octets_len = (uint16_t) reading->octets.len;
    head.path_len = (uint16_t) reading->path.len;
    head.came = (uint8_t) reading->came;
    head.way = (uint8_t) reading->way;

    iri_cache_lock_own(cache);
    entry = &iri_memo_place(memo, head.hash)->reading;
    entry->head = head;

    p = iri_memo_put(entry->text, reading->octets.data, head.octets_len);
    (void) iri_memo_put(p, reading->path.data, head.path_len);
    iri_cache_unlock_own(cache);
}
