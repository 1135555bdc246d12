/*
 * fuzz_seq.c - target: one index cache, many requests and changes
 *
 * Fields: settings (three), words, and then a step each, which its first octet
 * selects. Words: the size of the cache (an octet). Steps:
 *
 *     r    a request: an octet "0" or "1" (escaped), and its target
 *     w    the same, for a method that may write
 *     p    put an entry, as fuzz_find describes it
 *     d    remove the entry at a path
 *     t    touch a directory: an octet (its faults), its path
 *     s    other settings: two octets of words, charsets
 *
 * Checked: that the cache never changes a result.
 */

#include "fuzz.h"

#define MAX_STEPS 8

typedef struct {
    fuzz_conf_t        conf;
    iri_reading_t      reading;
    iri_index_cache_t *cache;
    int                read;  /* 1: reading is that of a request */
    int                write; /* 1: of a method that may write */
} fuzz_state_t;


/* The same result with the cache and without. */
static void
judge_search(fuzz_state_t *state)
{
    iri_search_t search;
    iri_found_t  fresh, found;
    size_t       calls;

    memset(&search, 0, sizeof(search));
    search.tree = &state->conf.tree;
    search.root = fuzz.root;
    search.path = state->reading.path;
    search.reading = &state->reading;
    search.write = state->write;

    fuzz_assert(fuzz_find(&search, &fresh) == IRI_OK);
    calls = fuzz.lists < FUZZ_LISTS ? fuzz.stats + fuzz.lists : FUZZ_CALLS;
    fuzz_judge_found(&search, &fresh);

    /* Near the limit of calls, a search with a cache finds more. */
    if (calls > FUZZ_CALLS - 8) {
        return;
    }

    search.cache = state->cache;
    fuzz_assert(fuzz_find(&search, &found) == IRI_OK);
    fuzz_assert(fuzz_same_found(&found, &fresh));
}


static void
step_request(fuzz_state_t *state, iri_str_t rest)
{
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_str_t           target = iri_str_from(rest, rest.len != 0);

    if (target.len == 0 || target.data[0] != '/') {
        return;
    }

    memset(&request, 0, sizeof(request));
    request.escaped = (int) fuzz_choice(rest, 0, 2);
    request.target = fuzz_given(target);
    request.path = request.escaped ? request.target : fuzz_unescape(target);

    if (fuzz_read(&state->conf.reading, &request, &reading) != IRI_OK
        || reading.verdict == IRI_REFUSE)
    {
        return;
    }

    state->reading = reading;
    state->read = 1;
    judge_search(state);
}


/* Another location of the same server, with the same cache. */
static void
step_settings(fuzz_state_t *state, iri_str_t rest)
{
    static const unsigned match[] = {
        IRI_FOLD_NORMALIZATION,
        IRI_FOLD_EXACT_ONLY,
        IRI_FOLD_NORMALIZATION | IRI_FOLD_VARIANTS,
        IRI_FOLD_CASE,
        IRI_FOLD_INDEXED,
        IRI_FOLD_NORMALIZATION | IRI_FOLD_WIDTH | IRI_FOLD_ACCENTS
    };

    state->conf.tree.names = (iri_filename_form_t) fuzz_choice(rest, 0, 3);
    state->conf.tree.match = match[fuzz_choice(rest, 1, COUNT(match))];
    fuzz_charsets(iri_str_from(rest, rest.len < 2 ? rest.len : 2),
                  &state->conf.tree.charsets);
    iri_tree_conf_finish(&state->conf.reading, &state->conf.tree);

    if (state->read) {
        judge_search(state);
    }
}


static void
step(fuzz_state_t *state, iri_str_t field)
{
    iri_str_t rest = iri_str_from(field, field.len != 0);

    switch (fuzz_octet(field, 0)) {
    case 'r':
    case 'w':
        state->write = fuzz_octet(field, 0) == 'w';
        step_request(state, rest);
        break;

    case 'p':
        if (state->read) {
            fuzz_tree_describe(rest, &state->conf, &state->reading);
        }
        break;

    case 'd':
        fuzz_tree_remove(rest);
        break;

    case 't':
        fuzz_tree_touch(iri_str_from(rest, rest.len != 0),
                        fuzz_choice(rest, 0, 8));
        break;

    case 's':
        step_settings(state, rest);
        break;

    default:
        if (state->read) {
            judge_search(state);
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_input(data, size);
    fuzz_state_t state;
    iri_str_t    words, field;
    size_t       steps = 0;

    fuzz_begin();
    memset(&state, 0, sizeof(state));
    fuzz_conf(&input, &state.conf);
    fuzz_field(&input, &words);
    fuzz_tree_clear(fuzz_text("/srv"));

    state.cache = fuzz_cache(fuzz_octet(words, 0) * 512);

    while (steps++ < MAX_STEPS && fuzz_field(&input, &field)) {
        step(&state, field);
    }

    fuzz_cache_free();
    fuzz_end();

    return 0;
}
