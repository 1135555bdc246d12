/*
 * iri_restart.c - whether a request restarts, and with which URL
 *
 * An entry was found under another name than the path has, and the rules of the
 * server must judge the client's URL with the name that is opened (design 5.6).
 * iri_restart_url replaces the last segments of the URL by the found names, if
 * the paths allow it.  Otherwise iri_find_canonical searches again and finds
 * only names of the first reading.
 */

#include <string.h>

#include "tree/iri_tree.h"
#include "request/iri_state.h"


/* The offset of the first segment that differs. */
static size_t
iri_first_difference(iri_str_t path, iri_str_t found)
{
    size_t start = 0, len;

    while (start < path.len && start < found.len) {
        len = iri_segment_end(path, start) - start;

        if (len != iri_segment_end(found, start) - start
            || memcmp(path.data + start, found.data + start, len) != 0)
        {
            break;
        }

        start += len + 1;
    }

    return start;
}


/* 1 if url ends with tail and tail starts with a segment of url. */
static int
iri_ends_with_segments(iri_str_t url, iri_str_t tail)
{
    size_t head;

    if (tail.len >= url.len) {
        return 0;
    }

    head = url.len - tail.len;

    return url.data[head - 1] == '/'
           && memcmp(url.data + head, tail.data, tail.len) == 0;
}


int
iri_restart_url(const iri_env_t *env, iri_str_t url, iri_str_t path,
                iri_str_t found, iri_str_t *restart)
{
    size_t         start = iri_first_difference(path, found), head;
    iri_str_t      path_tail, found_tail;
    unsigned char *data;

    if (start == 0 || start > path.len || start > found.len) {
        return 0;
    }

    path_tail.data = path.data + start;
    path_tail.len = path.len - start;
    found_tail.data = found.data + start;
    found_tail.len = found.len - start;

    if (iri_str_count(path_tail, '/') != iri_str_count(found_tail, '/')
        || !iri_ends_with_segments(url, path_tail) || url.len > IRI_MAX_BUFFER
        || found_tail.len > IRI_MAX_BUFFER)
    {
        return 0;
    }

    head = url.len - path_tail.len;

    data = env->alloc(env->ctx, head + found_tail.len + 1);
    if (data == NULL) {
        return 0;
    }

    memcpy(data, url.data, head);
    memcpy(data + head, found_tail.data, found_tail.len);
    data[head + found_tail.len] = '\0';

    restart->data = data;
    restart->len = head + found_tail.len;

    return 1;
}


iri_status_t
iri_find_canonical(const iri_env_t *env, const iri_search_t *search,
                   iri_found_t *out)
{
    iri_search_t canonical = *search;
    iri_status_t status;

    canonical.canonical = 1;

    /* A path that was repaired when it was read needs an entry. */
    if (search->reading != NULL && search->reading->form != IRI_FORM_MOJIBAKE)
    {
        canonical.reading = NULL;
    }

    status = iri_find(env, &canonical, out);

    if (status == IRI_OK
        && (out->verdict == IRI_RESTART || out->verdict == IRI_CHOOSE))
    {
        out->verdict = IRI_REFUSE;
        out->path = search->path;
    }

    return status;
}


/* ---- the decision, and the state of a restarted request ------------------ */

int
iri_lookup_is_folded_only(const iri_lookup_t    *lookup,
                          const iri_find_conf_t *conf)
{
    return conf->configured && lookup->found.match >= IRI_MATCH_WIDTH
           && lookup->found.verdict != IRI_REFUSE;
}


int
iri_request_can_restart(const iri_request_t *request, const iri_env_t *env,
                        const iri_lookup_t    *lookup,
                        const iri_find_conf_t *conf, iri_str_t *path)
{
    int restarted = conf->page ? request->page_restarted
                               : request->restart.len != 0;

    return lookup->found.verdict == IRI_RESTART && !restarted
           && conf->url.len != 0 && !iri_lookup_is_folded_only(lookup, conf)
           && iri_restart_url(env, conf->url, lookup->path,
                              lookup->found.path, path);
}


int
iri_lookup_is_literal(const iri_lookup_t *lookup)
{
    const iri_search_t *search = &lookup->search;
    const iri_found_t  *found = &lookup->found;
    iri_str_t           path = found->path, name = found->filename;

    if (path.len < search->prefix || name.len < search->root.len) {
        return 0;
    }

    path = iri_str_from(path, search->prefix);
    name.len = search->root.len;

    return iri_str_equal(name, search->root)
           && iri_str_equal(iri_str_from(found->filename, name.len), path);
}


/*
 * Derive the lookup of the found path, with which the request restarts, from
 * the lookup that found it.  Returns: NULL: the path must be looked up, or no
 * memory.
 */
static iri_lookup_t *
iri_lookup_after_restart(const iri_env_t *env, const iri_lookup_t *lookup)
{
    iri_lookup_t *after;

    if (!iri_lookup_is_literal(lookup)) {
        return NULL;
    }

    after = env->alloc(env->ctx, sizeof(iri_lookup_t));
    if (after == NULL) {
        return NULL; /* the restarted request makes its own lookup */
    }

    *after = *lookup;
    after->next = NULL;
    after->path = lookup->found.path;
    after->search.path = lookup->found.path;
    after->search.reading = NULL;
    after->found.verdict = IRI_PASS;
    after->found.why = IRI_WHY_DECLARED;
    after->found.match = IRI_MATCH_NONE;
    after->filename = lookup->found.filename;
    after->split = IRI_STATUSES;
    after->is_logged = 0;

    return after;
}


/*
 * An entry confirms a reading of the requested path: its form and charset are
 * those of the request.  If the charset is not that of the first reading, it is
 * one of iri_charset.
 */
static void
iri_request_confirm(iri_request_t *request, const iri_found_t *found)
{
    if (found->repaired != IRI_FORM_ASCII) {
        request->form = found->repaired;
        request->charset = found->charset;

    } else if (found->charset.len != 0
               && !iri_str_equal(found->charset, request->charset))
    {
        request->form = IRI_FORM_LEGACY;
        request->charset = found->charset;
    }
}


static void
iri_request_log_restart(const iri_env_t *env, const iri_lookup_t *lookup)
{
    const iri_found_t *found = &lookup->found;
    iri_shown_t        sent, path;

    iri_logf(env, IRI_LOG_INFO,
             "\"%s\" found as \"%s\": %s" IRI_LOG_REASON "%s",
             iri_show(&sent, lookup->path), iri_show(&path, found->path),
             iri_match_text(found->match), iri_why_code(found->why));
}


void
iri_request_restart(iri_request_t *request, const iri_env_t *env,
                    const iri_lookup_t *lookup, iri_str_t url, iri_str_t path,
                    int page)
{
    const iri_found_t *found = &lookup->found;

    /* The lookup may be that of an internal redirect with its own state. */
    request->varies |= iri_depends_on_charsets(lookup->search.reading, NULL,
                                               1);

    iri_request_log_restart(env, lookup);
    iri_trace_stage(env, IRI_STAGE_RESTART, path);

    request->lookups = iri_lookup_after_restart(env, lookup);
    request->read_path = path;
    request->pending = NULL;

    /* Access to the requested path does not grant access to the found name. */
    if (page) {
        request->page_restarted = 1;
        if (request->state == IRI_STATE_GRANTED) {
            request->state = IRI_STATE_RESTARTED;
        }
        return;
    }

    /* A path that was not read is ASCII. */
    if (request->state == IRI_STATE_NEW) {
        request->ascii = url;
    }

    request->restart = path;
    request->sent = url;
    request->match = found->match;
    request->why = found->why;
    request->path = path;
    request->state = IRI_STATE_RESTARTED;

    /* The entry confirms no reading of the requested path if a rule has set the
       path that was looked up. */
    if (!request->has_reading
        || request->requested.octets.data == request->last.octets.data)
    {
        iri_request_confirm(request, found);
    }
}


int
iri_request_plan_restart(iri_request_t *request, const iri_env_t *env,
                         const iri_lookup_t    *lookup,
                         const iri_find_conf_t *conf)
{
    if (request->pending == NULL
        && iri_request_can_restart(request, env, lookup, conf,
                                   &request->pending_path))
    {
        request->pending = lookup;
    }

    return request->pending != NULL;
}
