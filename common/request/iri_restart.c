/*
 * iri_restart.c - the URL with which a request restarts
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
