/*
 * fuzz_find.c - target: from a path to the entry with that name
 *
 * Fields: settings (three), request (two or three), words, and then an entry of
 * the tree each. Words: root (4), alias (2), reading given (2), additional
 * check (6), an octet for it, method writes (2). Checked: the result against
 * the tree; that it does not depend on the order of a directory, on tracing and
 * on the cache; that errors give a smaller result, never another one; that the
 * path of a restart is found.
 */

#include "fuzz.h"

typedef struct {
    fuzz_conf_t         conf;
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_search_t        search;
    iri_found_t         found;
    size_t              allocs; /* in the search */
    size_t              looks;  /* of all kinds */
    size_t              lists;
} fuzz_case_t;


/* ---- decoding of an input ----------------------------------------------- */

static iri_str_t
root_of(unsigned choice)
{
    static const char *const roots[] = { "/srv", "/srv/\xc3\xa9t\xc3\xa9", "",
                                         "/" };

    return fuzz_given(fuzz_text(roots[choice]));
}


/* The length of the part that an alias replaces: the first segment. */
static size_t
prefix_of(iri_str_t path)
{
    size_t end = path.len != 0 ? iri_segment_end(path, 1) : 0;

    return end < path.len ? end : 0;
}


static void
describe(fuzz_input_t *input, fuzz_case_t *it, iri_str_t words)
{
    iri_str_t entry;

    fuzz_tree_clear(root_of(fuzz_choice(words, 0, 4)));

    while (fuzz_field(input, &entry)) {
        fuzz_tree_describe(entry, &it->conf, &it->reading);
    }

    it->search.tree = &it->conf.tree;
    it->search.root = fuzz.root;
    it->search.path = it->reading.path;
    it->search.write = (int) fuzz_choice(words, 5, 2);
    it->search.reading = fuzz_choice(words, 2, 2) ? NULL : &it->reading;

    /* A root that ends with "/" belongs to an alias. */
    if (fuzz_choice(words, 1, 2) || fuzz_equal(fuzz.root, fuzz_text("/"))) {
        it->search.prefix = prefix_of(it->reading.path);
    }

    if (fuzz_equal(fuzz.root, fuzz_text("/"))) {
        it->search.prefix++;
    }
}


/* ---- additional checks -------------------------------------------------- */

static void
judge_same(fuzz_case_t *it)
{
    iri_found_t other;

    fuzz_assert(fuzz_find(&it->search, &other) == IRI_OK);
    fuzz_assert(fuzz_same_found(&other, &it->found));
}


/*
 * With an empty cache, and with a filled one, which can know more directories
 * than one request may read.
 */
static void
judge_cache(fuzz_case_t *it, unsigned octet)
{
    it->search.cache = fuzz_cache(octet * 512);

    if (it->lists < FUZZ_LISTS && it->looks < FUZZ_CALLS - 8) {
        judge_same(it);
        judge_same(it);
    }

    it->search.cache = NULL;
    fuzz_cache_free();
}


/* The same result or less: never another entry, nor one for an absent name. */
static void
judge_less(fuzz_case_t *it, const iri_found_t *less)
{
    fuzz_judge_found(&it->search, less);

    if (less->verdict == IRI_SERVE || less->verdict == IRI_RESTART) {
        fuzz_assert(less->verdict == it->found.verdict);
        fuzz_assert(fuzz_equal(less->filename, it->found.filename));
        fuzz_assert(fuzz_equal(less->path, it->found.path));
    }
}


static void
judge_io(fuzz_case_t *it, unsigned octet)
{
    iri_found_t less;

    if (it->looks == 0) {
        return;
    }

    fuzz.io_fail_at = 1 + octet % it->looks;
    fuzz.io_fail_on = octet >= 128;

    fuzz_assert(fuzz_find(&it->search, &less) == IRI_OK);
    fuzz.io_fail_at = 0;

    judge_less(it, &less);
}


static void
judge_memory(fuzz_case_t *it, unsigned octet)
{
    iri_found_t  less;
    iri_status_t status;

    if (it->allocs == 0) {
        return;
    }

    fuzz.fail_at = 1 + octet % it->allocs;
    fuzz.fail_on = octet >= 128;

    status = fuzz_find(&it->search, &less);
    fuzz.fail_at = 0;

    if (status == IRI_OK) {
        fuzz_assert(fuzz_same_found(&less, &it->found));
    }
}


static int
is_there(iri_str_t filename)
{
    iri_node_t node;

    return fuzz_dir.stat(NULL, (const char *) filename.data, &node) == IRI_OK
           && (node.kind == IRI_NODE_DIR || node.kind == IRI_NODE_OTHER);
}


/* The restarted request is served what was found. */
static void
judge_restart(fuzz_case_t *it)
{
    iri_search_t        search = it->search;
    iri_str_t           uri = fuzz_uri(it->found.path);
    iri_received_path_t request = fuzz_redirected_request(it->found.path, uri,
                                                          0);
    iri_reading_t       reading;
    iri_found_t         found;

    if (it->reading.form == IRI_FORM_INVALID) {
        return;
    }

    fuzz_assert(fuzz_read(&it->conf.reading, &request, &reading) == IRI_OK);
    fuzz_judge_reading(&it->conf.reading, &request, &reading);
    fuzz_assert(reading.verdict == IRI_PASS);
    fuzz_assert(fuzz_equal(reading.path, it->found.path));

    search.path = reading.path;
    search.reading = search.reading != NULL ? &reading : NULL;

    fuzz_assert(fuzz_find(&search, &found) == IRI_OK);
    fuzz_judge_found(&search, &found);

    /* A path with an error leads to nothing the second time. */
    if (found.why == IRI_WHY_ERROR) {
        fuzz_assert(found.verdict == IRI_PASS && fuzz_tree_has_faults());
        return;
    }

    /*
     * If only the directory was found, the rest in UTF-8 may have an
     * alternative reading of its own; a server restarts once, so that is 404.
     */
    if (found.verdict == IRI_RESTART) {
        fuzz_assert(!is_there(it->found.filename)
                    || !fuzz_is_written(&it->search, &it->found));
        return;
    }

    fuzz_assert(
        found.verdict == IRI_SERVE || found.verdict == IRI_PASS
        || (found.verdict == IRI_CHOOSE && it->found.why == IRI_WHY_AMBIGUOUS)
        || !fuzz_is_written(&it->search, &it->found));
    fuzz_assert(fuzz_equal(found.filename, it->found.filename));
}


/* The filename up to the deepest entry, and the rest of the path. */
static void
judge_split(fuzz_case_t *it)
{
    iri_str_t       out[2];
    iri_str_t       path = it->found.path, name = it->found.filename, below;
    iri_node_kind_t kind;
    iri_status_t    status;

    status = iri_found_split(&fuzz.env, &it->search, &it->found, &out[0],
                             &out[1]);

    /* An entry with an error neither exists nor is absent. */
    if (status != IRI_OK) {
        fuzz_assert(status == IRI_IO_FAILED && fuzz_tree_has_faults());
        return;
    }

    fuzz_assert(out[1].len <= path.len);
    fuzz_assert(out[1].len == 0 || out[1].data[0] == '/');
    fuzz_assert(
        fuzz_equal(iri_str_from(path, path.len - out[1].len), out[1]));

    if (name.len != 0) {
        fuzz_assert(out[0].len <= name.len
                    && memcmp(out[0].data, name.data, out[0].len) == 0);
    }

    below = iri_str_from(out[0], fuzz.root.len < out[0].len ? fuzz.root.len
                                                            : out[0].len);
    kind = fuzz_tree_kind(below);
    fuzz_assert(kind == IRI_NODE_DIR || kind == IRI_NODE_OTHER);
}


static void
judge_additional(fuzz_case_t *it, unsigned what, unsigned octet)
{
    switch (what) {
    case 0:
        fuzz.backwards = 1;
        judge_same(it);
        break;

    case 1:
        judge_cache(it, octet);
        break;

    case 2:
        judge_io(it, octet);
        break;

    case 3:
        judge_memory(it, octet);
        break;

    case 4:
        fuzz.env.trace = 1;
        judge_same(it);
        break;

    default:
        if (it->found.verdict != IRI_REFUSE
            && it->found.verdict != IRI_RESTART
            && it->found.verdict != IRI_CHOOSE)
        {
            judge_split(it);
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_input(data, size);
    fuzz_case_t  it;
    iri_str_t    words;

    fuzz_begin();
    memset(&it, 0, sizeof(it));
    fuzz_conf(&input, &it.conf);
    fuzz_request(&input, &it.request);
    fuzz_field(&input, &words);

    if (fuzz_read(&it.conf.reading, &it.request, &it.reading) == IRI_OK
        && it.reading.verdict != IRI_REFUSE)
    {
        describe(&input, &it, words);

        fuzz_assert(fuzz_find(&it.search, &it.found) == IRI_OK);
        it.allocs = fuzz.allocs;
        it.looks = fuzz.stats + fuzz.lists;
        it.lists = fuzz.lists;
        fuzz_judge_found(&it.search, &it.found);
        fuzz_judge_missed(&it.search, &it.found);

        if (it.found.verdict == IRI_RESTART) {
            judge_restart(&it);
        }

        fuzz.found = &it.found;
        judge_additional(&it, fuzz_choice(words, 3, 6), fuzz_octet(words, 4));
    }

    fuzz_end();

    return 0;
}
