/*
 * iri_request_find.c - the lookups of a request
 *
 * Finds the entry of a path once for rules, the server, pages and variables.
 * If the request cannot restart with another name (iri_restart.c), the entry
 * counts as absent (design 5.6).
 */

#include "tree/iri_tree.h"
#include "request/iri_state.h"


/* ---- one lookup ---------------------------------------------------------- */

#define IRI_NAME_16 "refused-refused-"
#define IRI_NAME_64 IRI_NAME_16 IRI_NAME_16 IRI_NAME_16 IRI_NAME_16

/* A file name longer than NAME_MAX: it can be neither opened nor created. */
const iri_str_t iri_no_such_file = IRI_STR(
    "/" IRI_NAME_64 IRI_NAME_64 IRI_NAME_64 IRI_NAME_64 IRI_NAME_64);


/* Set the name that the server may open; iri_no_such_file if there is none. */
static iri_status_t
iri_lookup_set_filename(const iri_env_t *env, iri_lookup_t *lookup)
{
    iri_str_t      root = lookup->search.root;
    unsigned char *name;

    if (iri_may_open(&lookup->found)) {
        lookup->filename = lookup->found.filename;
        return IRI_OK;
    }

    if (root.len != 0 && root.data[root.len - 1] == '/') {
        root.len--;
    }

    name = env->alloc(env->ctx, root.len + iri_no_such_file.len + 1);
    if (name == NULL) {
        return IRI_NO_MEMORY;
    }

    if (root.len != 0) {
        memcpy(name, root.data, root.len);
    }

    memcpy(name + root.len, iri_no_such_file.data, iri_no_such_file.len + 1);
    lookup->filename.data = name;
    lookup->filename.len = root.len + iri_no_such_file.len;

    return IRI_OK;
}


static void
iri_lookup_refuse(iri_lookup_t *lookup, iri_why_t why)
{
    memset(&lookup->found, 0, sizeof(lookup->found));
    lookup->found.verdict = IRI_REFUSE;
    lookup->found.why = why;
    lookup->found.path = lookup->search.path;
}


typedef iri_status_t (*iri_find_function_t)(const iri_env_t    *env,
                                            const iri_search_t *search,
                                            iri_found_t        *out);

static void
iri_lookup_run(const iri_request_t *request, const iri_env_t *env,
               iri_lookup_t *lookup, const iri_find_conf_t *conf,
               iri_find_function_t find)
{
    iri_status_t status;

    if (request->refused != IRI_WHY_NONE
        && iri_str_equal(lookup->path, request->read_path))
    {
        iri_lookup_refuse(lookup, request->refused);
        return;
    }

    status = find(env, &lookup->search, &lookup->found);

    if (status == IRI_OK && conf->creates) {
        status = iri_find_conflict(env, &lookup->search, conf->source,
                                   &lookup->found);
    }

    if (status != IRI_OK) {
        iri_logf(env, IRI_LOG_ERROR,
                 "the path could not be looked up: %s" IRI_LOG_REASON "%s",
                 iri_status_text(status), iri_why_code(IRI_WHY_ERROR));
        iri_lookup_refuse(lookup, IRI_WHY_ERROR);
    }
}


/*
 * 1 if the entry exists, which iri_find() does not check for the ASCII end of a
 * path.  A file that is requested as a directory (PATH_INFO "/") counts as
 * found.
 */
static int
iri_lookup_exists(const iri_env_t *env, iri_lookup_t *lookup)
{
    return iri_lookup_split(env, lookup) == IRI_OK
           && lookup->path_info.len <= 1;
}


/* The entry has another name, and the request cannot restart with it. */
static void
iri_lookup_run_canonical(const iri_request_t *request, const iri_env_t *env,
                         iri_lookup_t *lookup, const iri_find_conf_t *conf)
{
    iri_shown_t sent, path;

    if (!lookup->is_logged) {
        iri_logf(env, IRI_LOG_INFO,
                 "\"%s\" found as \"%s\", but the request cannot "
                 "restart" IRI_LOG_REASON "%s",
                 iri_show(&sent, lookup->path),
                 iri_show(&path, lookup->found.path),
                 iri_why_code(lookup->found.why));
    }

    iri_lookup_run(request, env, lookup, conf, iri_find_canonical);

    /* $iri_match of a denied name must be that of an absent one. */
    if (iri_may_open(&lookup->found) && !iri_lookup_exists(env, lookup)) {
        lookup->found.match = IRI_MATCH_NONE;
    }
}


/* ---- the lookups of a request -------------------------------------------- */

static int
iri_is_same_search(const iri_search_t *a, const iri_search_t *b)
{
    return a->tree == b->tree && a->prefix == b->prefix
           && a->write == b->write && a->reading == b->reading
           && iri_str_equal(a->path, b->path)
           && iri_str_equal(a->root, b->root);
}


static iri_lookup_t *
iri_lookup_create(const iri_request_t *request, const iri_env_t *env,
                  const iri_search_t *search, iri_str_t path)
{
    iri_lookup_t *lookup = env->alloc(env->ctx, sizeof(iri_lookup_t));

    if (lookup != NULL) {
        memset(lookup, 0, sizeof(*lookup));
        lookup->search = *search;
        lookup->path = path;
        lookup->split = IRI_STATUSES;
        lookup->is_logged = request->refused != IRI_WHY_NONE
                            || iri_str_equal(path, request->absent);
    }

    return lookup;
}


static iri_lookup_t *
iri_request_push(iri_request_t *request, const iri_env_t *env,
                 iri_lookup_t *lookup)
{
    if (iri_lookup_set_filename(env, lookup) != IRI_OK) {
        return NULL;
    }

    lookup->next = request->lookups;
    request->lookups = lookup;

    /* A path that is not ASCII varies in any case until access is granted. */
    request->varies |= iri_depends_on_charsets(lookup->search.reading,
                                               &lookup->found, 1);

    return lookup;
}


iri_lookup_t *
iri_request_find(iri_request_t *request, const iri_env_t *env,
                 const iri_search_t *search, const iri_find_conf_t *conf)
{
    iri_lookup_t *lookup;

    for (lookup = request->lookups; lookup; lookup = lookup->next) {
        if (iri_str_equal(lookup->path, conf->path)
            && iri_is_same_search(&lookup->search, search))
        {
            return lookup;
        }
    }

    lookup = iri_lookup_create(request, env, search, conf->path);
    if (lookup == NULL) {
        return NULL;
    }

    iri_lookup_run(request, env, lookup, conf, iri_find);

    if (lookup->found.verdict == IRI_RESTART && !request->report
        && !conf->is_destination
        && !iri_request_can_restart(request, env, lookup, conf,
                                    &lookup->restart))
    {
        iri_lookup_run_canonical(request, env, lookup, conf);
    }

    return iri_request_push(request, env, lookup);
}


iri_lookup_t *
iri_request_add_lookup(iri_request_t *request, const iri_env_t *env,
                       const iri_search_t *search, const iri_found_t *found)
{
    iri_lookup_t *lookup = iri_lookup_create(request, env, search,
                                             search->path);

    if (lookup == NULL) {
        return NULL;
    }

    lookup->found = *found;

    return iri_request_push(request, env, lookup);
}


iri_lookup_t *
iri_request_lookups(const iri_request_t *request)
{
    return request->lookups;
}


iri_status_t
iri_lookup_split(const iri_env_t *env, iri_lookup_t *lookup)
{
    if (lookup->split != IRI_STATUSES) {
        return lookup->split;
    }

    lookup->split = iri_may_open(&lookup->found)
                        ? iri_found_split(env, &lookup->search,
                                          &lookup->found, &lookup->entry,
                                          &lookup->path_info)
                        : IRI_NOT_LISTED;

    return lookup->split;
}


/* ---- after access is granted --------------------------------------------- */

iri_verdict_t
iri_request_outcome(const iri_lookup_t *lookup, const iri_find_conf_t *conf)
{
    if (iri_may_open(&lookup->found)
        || iri_lookup_is_folded_only(lookup, conf)) {
        return IRI_PASS;
    }

    return lookup->found.verdict == IRI_CHOOSE && lookup->found.count != 0
               ? IRI_CHOOSE
               : IRI_REFUSE;
}


int
iri_request_refuse(iri_request_t *request, const iri_env_t *env,
                   iri_lookup_t *lookup, const iri_find_conf_t *conf,
                   iri_str_t path)
{
    const iri_found_t *found = &lookup->found;
    iri_shown_t        shown;

    if (request->absent.len != 0 && iri_str_equal(path, request->absent)) {
        return 0;
    }

    request->absent = path;
    lookup->is_logged = 1;

    /* A refusal added by iri_request_add_lookup() was logged before. */
    if (found->why != IRI_WHY_NONE) {
        iri_logf(env, IRI_LOG_INFO,
                 "\"%s\" not served: %s" IRI_LOG_REASON "%s",
                 iri_show(&shown, path), iri_why_text(found->why),
                 iri_why_code(found->why));
    }

    return (conf->creates && iri_is_conflict(found))
                   || (found->verdict == IRI_CHOOSE && lookup->search.write)
               ? 409
               : 404;
}


iri_match_t
iri_request_match(const iri_request_t *request, const iri_env_t *env,
                  iri_lookup_t *lookup, int hides)
{
    const iri_found_t *found;
    iri_match_t        match;

    if (lookup == NULL) {
        return IRI_MATCH_NONE;
    }

    found = &lookup->found;
    match = found->match;

    /* Without a restart an entry with another name counts as absent. */
    if (found->verdict == IRI_RESTART && !request->report) {
        match = IRI_MATCH_NONE;

    } else if (found->verdict == IRI_PASS
               && (found->why == IRI_WHY_ASCII
                   || found->why == IRI_WHY_DECLARED))
    {
        if (!iri_lookup_exists(env, lookup)) {
            match = IRI_MATCH_NONE;

        } else if (match < IRI_MATCH_EXACT) {
            match = IRI_MATCH_EXACT;
        }
    }

    return match != IRI_MATCH_NONE && request->restart.len != 0
                   && request->match > match && !hides
               ? request->match
               : match;
}
