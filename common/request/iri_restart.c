/*
 * iri_restart.c - the URL with which a request restarts
 *
 * An entry was found under another name than the path has.  The rules of the
 * server must judge the URL of the client with the name that is opened.  So
 * the URL gets the names that were found, and the request restarts with it.
 * This file decides whether that is possible, and with which path; and it
 * finds what a request may get that cannot restart.
 */

#include <string.h>

#include "iri.h"
#include "base/iri_base.h"


/* The octets of a segment: up to the next "/", or to the end. */
static size_t
iri_segment_length(iri_str_t path, size_t start)
{
    const unsigned char *end;

    end = start < path.len ? memchr(path.data + start, '/', path.len - start)
                           : NULL;

    return end != NULL ? (size_t) (end - path.data) - start
                       : path.len - start;
}


/* Where the first segment starts that is not the same in both. */
static size_t
iri_first_difference(iri_str_t path, iri_str_t found)
{
    size_t start = 0, len;

    while (start < path.len && start < found.len) {
        len = iri_segment_length(path, start);

        if (len != iri_segment_length(found, start)
            || memcmp(path.data + start, found.data + start, len) != 0)
        {
            break;
        }

        start += len + 1;
    }

    return start;
}


static size_t
iri_count_slashes(iri_str_t text)
{
    size_t i, count = 0;

    for (i = 0; i < text.len; i++) {
        count += text.data[i] == '/';
    }

    return count;
}


/* Is tail, as whole segments, the end of url? */
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
    iri_str_t      replaced, names;
    unsigned char *data;

    if (start == 0 || start > path.len || start > found.len) {
        return 0;
    }

    replaced.data = path.data + start;
    replaced.len = path.len - start;
    names.data = found.data + start;
    names.len = found.len - start;

    if (iri_count_slashes(replaced) != iri_count_slashes(names)
        || !iri_ends_with_segments(url, replaced) || url.len > IRI_MAX_BUFFER
        || names.len > IRI_MAX_BUFFER)
    {
        return 0;
    }

    head = url.len - replaced.len;

    data = env->alloc(env->ctx, head + names.len + 1);
    if (data == NULL) {
        return 0;
    }

    memcpy(data, url.data, head);
    memcpy(data + head, names.data, names.len);
    data[head + names.len] = '\0';

    restart->data = data;
    restart->len = head + names.len;

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
