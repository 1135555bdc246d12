/*
 * iri_known.c - what octets of a request led to, remembered by the octets
 *
 * Octets, as the server has unescaped them, and the settings of reading lead
 * to the canonical path and to what was found there: what iri_read() and
 * iri_find() would say one after the other.  Either of two things is kept:
 *
 *   - the answer that iri_memo.c remembers, with the directories that it is
 *     of; it holds as long as these are as they were (iri_known_holds);
 *   - or only that the entry lies where the path says, octet for octet.  One
 *     look at it tells whether it still does; that look is the caller's.
 *
 * An entry takes a place in the table of iri_memo.c (iri_memo.h), and its text
 * is:
 *
 *     asked, filename NUL | path NUL | found NUL | octets
 *
 * asked and filename are there in the first case only, path where it is not
 * the same as octets, found where it is not the same as path.
 */

#include <stddef.h>
#include <string.h>

#include "iri_memo.h"


static uint64_t
iri_known_hash(const iri_reading_conf_t *conf, iri_str_t octets, int raw)
{
    return iri_memo_mix((uint64_t) (uintptr_t) conf + (raw != 0), octets)
           | IRI_MEMO_KNOWN;
}


static int
iri_known_is(const iri_known_entry_t *entry, uint64_t hash,
             const iri_reading_conf_t *conf, iri_str_t octets, int raw)
{
    const iri_known_head_t *head = &entry->head;

    return head->hash == hash && head->conf == conf
           && head->octets_len == octets.len && head->raw == (raw != 0)
           && memcmp(entry->text + head->rest_len, octets.data, octets.len)
                  == 0;
}


/* The text at *from, and *from behind its NUL. */
static iri_str_t
iri_known_text(unsigned char **from, size_t len)
{
    iri_str_t text = { len, *from };

    *from += len + 1;

    return text;
}


/* What was asked of directories stands first: it has to be aligned. */
static void
iri_known_asked(const iri_known_head_t *head, unsigned char **from,
                iri_known_t *known)
{
    known->asked = (const iri_asked_t *) (const void *) *from;
    known->place = head->place;
    known->charset = head->charset;
    known->why = (iri_why_t) head->why;
    known->match = (iri_match_t) head->match;

    *from += head->asked_len;
    known->filename = iri_known_text(from, head->filename_len);
}


static iri_status_t
iri_known_tell(const iri_env_t *env, const iri_known_entry_t *entry,
               iri_str_t octets, iri_known_t *known)
{
    const iri_known_head_t *head = &entry->head;
    unsigned char          *copy;

    known->form = (iri_form_t) head->form;
    known->answer = (iri_answer_t) head->answer;
    known->asked = NULL;
    known->path = octets;
    known->found = octets;

    if (head->rest_len == 0) {
        return IRI_OK;
    }

    copy = env->alloc(env->ctx, head->rest_len);
    if (copy == NULL) {
        known->path.len = 0;
        return IRI_NO_MEMORY;
    }

    memcpy(copy, entry->text, head->rest_len);

    if (head->asked_len != 0) {
        iri_known_asked(head, &copy, known);
    }

    if (head->path_len != 0) {
        known->path = iri_known_text(&copy, head->path_len);
    }

    known->found = head->found_len != 0
                       ? iri_known_text(&copy, head->found_len)
                       : known->path;

    return IRI_OK;
}


iri_status_t
iri_known_find(const iri_env_t *env, iri_cache_t *cache,
               const iri_reading_conf_t *conf, iri_str_t octets, int raw,
               iri_known_t *known)
{
    const iri_known_entry_t *entry;
    const iri_memo_t        *memo = iri_cache_memo(cache);
    iri_status_t             status = IRI_OK;
    uint64_t                 hash;

    known->path.len = 0;

    if (memo == NULL) {
        return IRI_OK;
    }

    hash = iri_known_hash(conf, octets, raw);

    iri_cache_lock_own(cache);
    entry = &iri_memo_place(memo, hash)->known;

    if (iri_known_is(entry, hash, conf, octets, raw)) {
        status = iri_known_tell(env, entry, octets, known);
    }

    iri_cache_unlock_own(cache);

    return status;
}


int
iri_known_holds(const iri_env_t *env, iri_known_t *known)
{
    /* it is known's own copy */
    return iri_memo_is_true(env, known->asked,
                            (unsigned char *) known->filename.data);
}


/* A text and a NUL, unless it is the same as another. */
static uint16_t
iri_known_put(unsigned char **to, iri_str_t text, iri_str_t other)
{
    if (iri_str_equal(text, other)) {
        return 0;
    }

    *to = iri_memo_put(*to, text.data, text.len);
    *(*to)++ = '\0';

    return (uint16_t) text.len;
}


/* The places are the process's own, but its threads share them. */
static void
iri_known_store(iri_cache_t *cache, iri_str_t octets,
                const iri_known_t *known, iri_known_head_t *head)
{
    iri_known_entry_t *entry;
    unsigned char     *p;

    iri_cache_lock_own(cache);
    entry = &iri_memo_place(iri_cache_memo(cache), head->hash)->known;
    p = entry->text;

    if (known->asked != NULL) {
        head->asked_len = (uint16_t) (offsetof(iri_asked_t, node)
                                      + known->asked->count
                                            * sizeof(iri_node_t));
        memcpy(p, known->asked, head->asked_len);
        p += head->asked_len;
        head->filename_len = (uint16_t) known->filename.len;
        p = iri_memo_put(p, known->filename.data, known->filename.len);
        *p++ = '\0';
    }

    head->path_len = iri_known_put(&p, known->path, octets);
    head->found_len = iri_known_put(&p, known->found, known->path);
    head->rest_len = (uint16_t) (p - entry->text);
    head->octets_len = (uint16_t) octets.len;
    (void) iri_memo_put(p, octets.data, octets.len);
    entry->head = *head;
    iri_cache_unlock_own(cache);
}


/* The octets of text that it takes, at most. */
static size_t
iri_known_size(iri_str_t octets, const iri_known_t *known)
{
    return octets.len + known->path.len + 1 + known->found.len + 1
           + (known->asked != NULL
                  ? sizeof(*known->asked) + known->filename.len + 1
                  : 0);
}


void
iri_known_keep(iri_cache_t *cache, const iri_reading_conf_t *conf,
               iri_str_t octets, int raw, const iri_known_t *known,
               const iri_search_t *search)
{
    iri_known_t      kept = *known;
    iri_found_t      found;
    iri_memo_entry_t answer;
    iri_known_head_t head;

    if (iri_cache_memo(cache) == NULL) {
        return;
    }

    kept.answer = IRI_SERVE;
    kept.found = kept.path;
    kept.asked = NULL;
    memset(&head, 0, sizeof(head));

    if (search != NULL) {
        if (!iri_memo_answer(cache, search, &answer)) {
            return;
        }

        iri_found_begin(search, &found);
        iri_memo_tell(&answer, search, &found);
        kept.answer = found.answer;
        kept.found = found.path;
        kept.filename = found.filename;
        kept.asked = &answer.head.asked;
        head.charset = found.charset;
        head.why = (uint8_t) found.why;
        head.match = (uint8_t) found.match;
    }

    if (iri_known_size(octets, &kept) > IRI_KNOWN_TEXT) {
        return;
    }

    head.hash = iri_known_hash(conf, octets, raw);
    head.conf = conf;
    head.place = known->place;
    head.form = (uint8_t) known->form;
    head.raw = raw != 0;
    head.answer = (uint8_t) kept.answer;

    iri_known_store(cache, octets, &kept, &head);
}


void
iri_known_forget(iri_cache_t *cache, const iri_reading_conf_t *conf,
                 iri_str_t octets, int raw)
{
    iri_known_entry_t *entry;
    iri_memo_t        *memo = iri_cache_memo(cache);
    uint64_t           hash;

    if (memo == NULL) {
        return;
    }

    hash = iri_known_hash(conf, octets, raw);

    iri_cache_lock_own(cache);
    entry = &iri_memo_place(memo, hash)->known;

    if (iri_known_is(entry, hash, conf, octets, raw)) {
        entry->head.hash = 0;
    }

    iri_cache_unlock_own(cache);
}
