/*
 * advise_tree.c - the charsets of the names in a tree
 *
 * The names of each directory that are not UTF-8 give a score to each charset
 * (iri_detect).  A directory has the charset of its parent unless another one
 * fits so much better that it is worth an own section of the configuration:
 * of all assignments of charsets to directories the one is chosen with the
 * least cost, which is the sum of negative scores and ADVISE_CHANGE for each
 * directory with another charset than its parent.  The costs are computed from
 * the leaves to the root (Sankoff's algorithm).
 */

#include <string.h>

#include <apr_strings.h>

#include "advise.h"
#include "charset/iri_charset.h"
#include "unicode/iri_unicode.h"

/* Names of a directory from which its charset is detected. */
#define ADVISE_SAMPLE 256

/* Cost of a section: as much as 5 octets that one charset decodes to letters of
   a language, and the other one does not. */
#define ADVISE_CHANGE 5000

/* Differences of scores: from SURE on the best charset is certain; below NEAR the
   names decide that clients request in UTF-8. */
#define ADVISE_SURE 300
#define ADVISE_NEAR 2000

/* A visit of a directory. */
typedef struct {
    advise_tree_t      *tree;
    advise_place_t     *place;
    iri_env_apr_t       env;
    apr_array_header_t *legacy; /* names for the sample, iri_str_t */
} advise_visit_t;


/* ---- one directory ------------------------------------------------------- */

static int
advise_is_known(void *arg, iri_str_t name)
{
    const advise_tree_t *tree = arg;

    return cli_hash_get(tree->known, name) != NULL;
}


/* Count a UTF-8 name by its normalization form. */
static iri_status_t
advise_count_form(advise_visit_t *visit, iri_str_t octets)
{
    const iri_tree_conf_t *utf8 = &visit->tree->settings->tree;
    iri_str_t              name, form;
    iri_status_t           status;

    status = iri_entry_name(&visit->env.env, utf8, octets, &name);
    if (status != IRI_OK || name.len == 0) {
        return status;
    }
    if (iri_str_equal(name, octets)) {
        visit->place->nfc++;
        return IRI_OK;
    }
    status = iri_name_octets(&visit->env.env, utf8, name, 1, &form);
    if (status == IRI_OK) {
        if (iri_str_equal(form, octets)) {
            visit->place->nfd++;
        } else {
            visit->place->mixed++;
        }
    }
    return status;
}


/* Count an ASCII name that the charset percent decodes to another name. */
static iri_status_t
advise_count_percent(advise_visit_t *visit, iri_str_t octets)
{
    iri_tree_conf_t tree = visit->tree->settings->tree;
    iri_str_t       name;
    iri_status_t    status;

    if (memchr(octets.data, '%', octets.len) == NULL) {
        return IRI_OK;
    }
    tree.charsets.at[0] = &iri_charset_percent;
    tree.charsets.count = 1;
    status = iri_entry_name(&visit->env.env, &tree, octets, &name);
    if (status == IRI_OK && !iri_str_is_ascii(name)) {
        visit->tree->percent++;
    }
    return status;
}


static iri_status_t
advise_name(advise_visit_t *visit, iri_str_t octets)
{
    if (iri_str_is_ascii(octets)) {
        return advise_count_percent(visit, octets);
    }
    if (!cli_is_utf8(octets)) {
        APR_ARRAY_PUSH(visit->legacy, iri_str_t) = octets;
        return IRI_OK;
    }
    return advise_count_form(visit, octets);
}


static iri_status_t
advise_detect(advise_visit_t *visit, const apr_array_header_t *names,
              advise_evidence_t **out)
{
    advise_evidence_t *evidence = apr_pcalloc(visit->tree->pool,
                                              sizeof(*evidence));
    iri_sample_t       sample;

    sample.names = (const iri_str_t *) (void *) names->elts;
    sample.count = (size_t) names->nelts < ADVISE_SAMPLE
                       ? (size_t) names->nelts
                       : ADVISE_SAMPLE;
    sample.is_known = advise_is_known;
    sample.arg = visit->tree;
    evidence->names = (uint64_t) names->nelts;
    *out = evidence;
    return iri_detect(&visit->env.env, visit->tree->detector, &sample,
                      evidence->detected);
}


/* A root and a path below it: "/srv/www" and "a/b/" -> "/srv/www/a/b/" */
static iri_str_t
advise_key(apr_pool_t *pool, const advise_root_t *root, const char *path)
{
    return cli_str(apr_pstrcat(pool, root->directory, "/", path, NULL));
}


/* Remove the last segment of a key, with its "/". */
static iri_str_t
advise_shorten(iri_str_t key)
{
    for (key.len--; key.len > 0 && key.data[key.len - 1] != '/'; key.len--) {
    }
    return key;
}


const char *
advise_root_path(apr_pool_t *pool, const advise_root_t *root,
                 const char *path)
{
    return *root->prefix == '\0'
               ? path
               : apr_pstrcat(pool, root->prefix + 1, "/", path, NULL);
}


advise_place_t *
advise_tree_place(const advise_tree_t *tree, const char *path)
{
    return cli_hash_get(tree->by_path,
                        advise_key(tree->pool, tree->current, path));
}


static iri_status_t
advise_visit(void *arg, cli_directory_t *directory)
{
    advise_tree_t *tree = arg;
    advise_visit_t visit;
    iri_str_t    key = advise_key(tree->pool, tree->current, directory->path);
    iri_status_t status = IRI_OK;
    int          i;

    if (directory->seen) {
        tree->links++;
        return IRI_OK;
    }
    memset(&visit, 0, sizeof(visit));
    visit.tree = tree;
    iri_env_apr_init(&visit.env, directory->pool, NULL, NULL);
    visit.legacy = apr_array_make(directory->pool, 16, sizeof(iri_str_t));
    visit.place = apr_pcalloc(tree->pool, sizeof(*visit.place));
    visit.place->root = tree->current;
    visit.place->path = apr_pstrdup(tree->pool, directory->path);
    visit.place->parent = *directory->path == '\0'
                              ? tree->root
                              : cli_hash_get(tree->by_path,
                                             advise_shorten(key));
    visit.place->charset = -1;
    if (tree->root == NULL) {
        tree->root = visit.place;
    }
    cli_hash_set(tree->by_path, key, visit.place);
    APR_ARRAY_PUSH(tree->places, advise_place_t *) = visit.place;
    tree->names += (uint64_t) directory->names->nelts;
    tree->unread += directory->error != APR_SUCCESS;
    for (i = 0; status == IRI_OK && i < directory->names->nelts; i++) {
        status = advise_name(&visit,
                             APR_ARRAY_IDX(directory->names, i, iri_str_t));
    }
    if (status == IRI_OK && visit.legacy->nelts != 0) {
        status = advise_detect(&visit, visit.legacy, &visit.place->legacy);
    }
    return status;
}


/* ---- the assignment ------------------------------------------------------ */

static size_t
advise_least(const int64_t *cost)
{
    size_t i, least = 0;

    for (i = 1; i < IRI_DETECTABLE; i++) {
        if (cost[i] < cost[least]) {
            least = i;
        }
    }
    return least;
}


/* Add the costs of a directory to those of its parent. */
static void
advise_add_cost(advise_tree_t *tree, advise_place_t *place)
{
    advise_place_t *parent = place->parent;
    int64_t         change;
    size_t          i;

    if (place->legacy != NULL) {
        if (place->cost == NULL) {
            place->cost = apr_pcalloc(tree->pool,
                                      sizeof(int64_t) * IRI_DETECTABLE);
        }
        for (i = 0; i < IRI_DETECTABLE; i++) {
            place->cost[i] -= place->legacy->detected[i].score;
        }
    }
    if (place->cost == NULL || parent == NULL) {
        return;
    }
    if (parent->cost == NULL) {
        parent->cost = apr_pcalloc(tree->pool,
                                   sizeof(int64_t) * IRI_DETECTABLE);
    }
    change = place->cost[advise_least(place->cost)] + ADVISE_CHANGE;
    for (i = 0; i < IRI_DETECTABLE; i++) {
        parent->cost[i] += place->cost[i] < change ? place->cost[i] : change;
    }
}


/* By how much charset i is less likely than the best one; INT64_MAX: it gives the
   same text, costs too much, or is not available. */
static int64_t
advise_distance(const advise_tree_t *tree, const advise_place_t *place,
                size_t i)
{
    const iri_detected_t *detected = place->legacy->detected;
    size_t                best = (size_t) place->best;

    return iri_detector_charset(tree->detector, i) != NULL
                   && detected[i].text != detected[best].text
                   && place->cost[i] - place->cost[best] < ADVISE_CHANGE
               ? detected[best].score - detected[i].score
               : INT64_MAX;
}


/*
 * Find out whether another charset is about as likely.  Of charsets that are
 * nearly as likely the one decides with which more names are those that clients
 * ask for in UTF-8.  A log is no evidence against many names: anybody can write
 * into it.
 */
static void
advise_doubt(const advise_tree_t *tree, advise_place_t *place)
{
    const iri_detected_t *detected;
    size_t                i, known, best = (size_t) place->best;

    if (place->cost[best] >= 0) {
        place->unsure = 1;
        place->rival = -1;
        return;
    }
    if (place->legacy == NULL) {
        return; /* the directories below decide */
    }
    detected = place->legacy->detected;
    for (i = 0, known = best; i < IRI_DETECTABLE; i++) {
        if (advise_distance(tree, place, i) < ADVISE_NEAR
            && detected[i].known > detected[known].known)
        {
            known = i;
        }
    }
    for (i = 0; known == best && i < IRI_DETECTABLE; i++) {
        if (advise_distance(tree, place, i) < ADVISE_SURE
            && detected[i].known == detected[best].known)
        {
            place->unsure = 1;
            place->rival = (int) i;
        }
    }
    place->best = (int) known;
}


static void
advise_choose(const advise_tree_t *tree, advise_place_t *place)
{
    const advise_place_t *parent = place->parent;
    size_t                least;

    if (place->cost == NULL) {
        place->charset = parent != NULL ? parent->charset : -1;
        return;
    }
    least = advise_least(place->cost);
    place->best = (int) least;
    if (parent != NULL && parent->charset >= 0
        && place->cost[parent->charset] <= place->cost[least] + ADVISE_CHANGE)
    {
        place->charset = parent->charset;
        return;
    }
    advise_doubt(tree, place);
    if (place->unsure) {
        place->charset = parent != NULL ? parent->charset : -1;
        return;
    }
    place->charset = place->best;
    place->own = 1;
}


/* ---- the settings of places ---------------------------------------------- */

/* The place that has the settings of this one. */
static advise_place_t *
advise_owner(advise_place_t *place)
{
    while (!place->own && place->parent != NULL) {
        place = place->parent;
    }
    return place;
}


/* Add the names of a directory to the counts of its settings. */
static void
advise_count(advise_tree_t *tree, advise_place_t *place)
{
    const advise_evidence_t *legacy = place->legacy;
    uint64_t                 sample;

    place->own |= place->parent == NULL;
    if (legacy == NULL) {
        return;
    }
    if (place->charset < 0) {
        tree->undecoded += legacy->names;
        return;
    }
    sample = legacy->names < ADVISE_SAMPLE ? legacy->names : ADVISE_SAMPLE;
    tree->undecoded += sample - legacy->detected[place->charset].count;
    advise_owner(place)->group_legacy += legacy->names;
}


/* The charsets of names: percent first, if there are such names, because any
   other charset before it would decode them.  Then UTF-8, also if there is no
   UTF-8 name yet, since rules in UTF-8 would not hold for a new one. */
static void
advise_set_charsets(const advise_tree_t *tree, advise_place_t *place)
{
    iri_charsets_t      *list = &place->tree.charsets;
    const iri_charset_t *utf8 = tree->settings->tree.charsets.at[0];

    list->count = 0;
    if (tree->percent != 0) {
        list->at[list->count++] = &iri_charset_percent;
    }
    list->at[list->count++] = utf8;
    if (place->charset >= 0 && place->group_legacy != 0) {
        list->at[list->count++] = iri_detector_charset(
            tree->detector, (size_t) place->charset);
    }
}


/* Decode the path of a place: each name by the settings of the directory that
   contains it. */
static iri_status_t
advise_decode(const advise_tree_t *tree, advise_place_t *place)
{
    const advise_place_t *parent = place->parent, *owner;
    iri_env_apr_t         env;
    iri_str_t             octets, name;
    iri_status_t          status;
    const char           *start;

    if (*place->path == '\0') {
        place->name.data = (const unsigned char *) "";
        return IRI_OK;
    }
    owner = advise_owner((advise_place_t *) parent);
    start = place->path + strlen(parent->path);
    octets.data = (const unsigned char *) start;
    octets.len = strlen(start) - 1;
    iri_env_apr_init(&env, tree->pool, NULL, NULL);
    status = iri_entry_name(&env.env, &owner->tree, octets, &name);
    if (status == IRI_OK && name.len != 0
        && (*parent->path == '\0' || parent->name.len != 0))
    {
        place->name = cli_str(
            apr_psprintf(tree->pool, "%.*s%.*s/", (int) parent->name.len,
                         (const char *) parent->name.data, (int) name.len,
                         (const char *) name.data));
    }
    return status;
}


/* NFC or NFD if all names that are not ASCII are UTF-8 in it. */
static iri_filename_form_t
advise_form(const advise_tree_t *tree)
{
    const advise_place_t *place;
    uint64_t              nfc = 0, nfd = 0, others = 0;
    int                   i;

    for (i = 0; i < tree->places->nelts; i++) {
        place = APR_ARRAY_IDX(tree->places, i, advise_place_t *);
        nfc += place->nfc;
        nfd += place->nfd;
        others += place->mixed + (place->legacy != NULL);
    }
    return others != 0 || tree->percent != 0 || (nfc != 0) == (nfd != 0)
               ? IRI_FILENAME_ANY
           : nfc != 0 ? IRI_FILENAME_NFC
                      : IRI_FILENAME_NFD;
}


static iri_status_t
advise_assign(advise_tree_t *tree)
{
    advise_place_t *place;
    iri_str_t       key;
    iri_status_t    status = IRI_OK;
    int             i;

    for (i = tree->places->nelts; i-- > 0;) {
        advise_add_cost(tree,
                        APR_ARRAY_IDX(tree->places, i, advise_place_t *));
    }
    for (i = 0; i < tree->places->nelts; i++) {
        place = APR_ARRAY_IDX(tree->places, i, advise_place_t *);
        advise_choose(tree, place);
        advise_count(tree, place);
    }
    for (i = 0; status == IRI_OK && i < tree->places->nelts; i++) {
        place = APR_ARRAY_IDX(tree->places, i, advise_place_t *);
        if (place->own) {
            advise_set_charsets(tree, place);
        }
        status = advise_decode(tree, place);
        if (place->own && (place->name.len != 0 || *place->path == '\0')) {
            key = advise_key(tree->pool, place->root,
                             (const char *) place->name.data);
            cli_hash_set(tree->by_name, key, place);
            tree->longest = key.len > tree->longest ? key.len : tree->longest;
        }
    }
    tree->form = advise_form(tree);
    return status;
}


iri_status_t
advise_tree_walk(advise_tree_t *tree, cli_visit_t visit, void *arg)
{
    iri_status_t status = IRI_OK;
    int          i;

    for (i = 0; status == IRI_OK && i < tree->roots->nelts; i++) {
        tree->current = &APR_ARRAY_IDX(tree->roots, i, advise_root_t);
        status = cli_walk(tree->pool, tree->current->directory, 1, visit,
                          arg);
    }
    return status;
}


iri_status_t
advise_tree_read(advise_tree_t *tree)
{
    iri_status_t status;

    tree->by_path = cli_hash_make(tree->pool);
    tree->by_name = cli_hash_make(tree->pool);
    tree->places = apr_array_make(tree->pool, 64, sizeof(advise_place_t *));
    status = advise_tree_walk(tree, advise_visit, tree);
    return status == IRI_OK ? advise_assign(tree) : status;
}


void
advise_tree_apply(advise_tree_t *tree, const cli_settings_t *settings)
{
    advise_place_t *place;
    iri_charsets_t  charsets;
    int             i;

    for (i = 0; i < tree->places->nelts; i++) {
        place = APR_ARRAY_IDX(tree->places, i, advise_place_t *);
        if (place->own) {
            charsets = place->tree.charsets;
            place->tree = settings->tree;
            place->tree.charsets = charsets;
            place->tree.names = tree->form;
            iri_tree_conf_finish(&settings->reading, &place->tree);
        }
    }
}


const iri_tree_conf_t *
advise_tree_settings(const iri_env_t *env, const iri_search_t *search,
                     iri_str_t names)
{
    const advise_tree_t  *tree = search->settings_data;
    const advise_place_t *place = NULL;
    unsigned char        *data;
    iri_str_t             key;

    if (names.len > 0 && names.data[0] == '/') {
        names.data++;
        names.len--;
    }
    key.len = search->root.len + 1 + names.len;
    key.data = data = env->alloc(env->ctx, key.len);
    if (data == NULL) {
        return NULL;
    }
    memcpy(data, search->root.data, search->root.len);
    data[search->root.len] = '/';
    memcpy(data + search->root.len + 1, names.data, names.len);
    while (key.len > tree->longest) {
        key = advise_shorten(key);
    }
    while (key.len > search->root.len
           && (place = cli_hash_get(tree->by_name, key)) == NULL)
    {
        key = advise_shorten(key);
    }
    return place != NULL ? &place->tree : &tree->root->tree;
}
