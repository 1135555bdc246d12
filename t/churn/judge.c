/*
 * judge.c - is this response possible?
 *
 * In a storm the body must be one that the resource had at some time between
 * request and response, or the status is 404 or 403. In calm there is one right
 * response. Without our module only responses that no server may give are
 * counted: foreign, torn and denied bodies, 5xx.
 */

#include <stdio.h>
#include <string.h>

#include "churn.h"

typedef struct {
    char     kind;
    uint32_t serial;
    size_t   size;
} body_t;


/*
 * Decode the record that a part of a body contains. Returns: 0 if it is not one
 * of our bodies.
 */
static int
body_read(const char *part, size_t len, size_t offset, body_t *body)
{
    size_t   skip = (RECORD - offset % RECORD) % RECORD, number;
    unsigned serial, size, no;
    char     record[RECORD + 1], want[RECORD];

    if (len < skip + RECORD) {
        return 0;
    }

    memcpy(record, part + skip, RECORD);
    record[RECORD] = '\0';

    if (sscanf(record, "%c %8x of %8x no %8x", &body->kind, &serial, &size,
               &no)
        != 4)
    {
        return 0;
    }

    body->serial = serial;
    body->size = size;

    for (size_t at = offset; at < offset + len; at += RECORD - at % RECORD) {
        number = at / RECORD;
        record_write(want, body->kind, serial, size, number);
        skip = RECORD - at % RECORD;
        skip = skip < offset + len - at ? skip : offset + len - at;

        if (memcmp(part + (at - offset), want + at % RECORD, skip) != 0) {
            return 0;
        }
    }

    return 1;
}


static void
complain(const request_t *request, const response_t *response,
         const char *label)
{
    report("%s: %d to %s %s for %s, %ld ms: %.60s", label, response->status,
           request->head ? "HEAD" : "GET", request->target,
           request->resource->label,
           (long) ((response->done - request->sent) / MILLI),
           response->body_len > RECORD ? response->body : "");
}


static void
fault(const request_t *request, const response_t *response, count_t counter)
{
    count_add(counter, 1);
    complain(request, response, count_text(counter));
}


/* ---- with the scene's lock held ------------------------------------------ */

typedef enum { WAS_THERE, WAS_NOT, WAS_FORGOTTEN } version_state_t;


/* Did the resource have that body during the request? */
static version_state_t
generation_state(const resource_t *resource, uint32_t serial, int64_t from,
                 int64_t to)
{
    const generation_t *t, *oldest = NULL;

    for (unsigned i = 0; i < GENERATIONS; i++) {
        t = &resource->generation[(resource->last - i) % GENERATIONS];

        if (t->serial == 0) {
            return WAS_NOT;
        }

        if (t->serial == serial && t->born <= to && t->died >= from) {
            return WAS_THERE;
        }

        oldest = t;
    }

    return oldest->born > from ? WAS_FORGOTTEN : WAS_NOT;
}


/* Calm, since long enough before the request and until its end? */
static int
is_calm(const scene_t *scene, int64_t from)
{
    return !scene->changing && scene->changed + SETTLED < from;
}


/* ---- bodies -------------------------------------------------------------- */

static void
judge_kind(const request_t *request, const response_t *response, char kind,
           int calm)
{
    switch (kind) {
    case KIND_OUTSIDE:
        count_add(COUNT_OUTSIDE, 1);
        if (calm) {
            fault(request, response, COUNT_OUTSIDE_CALM);
        }
        break;

    case KIND_HTACCESS:
        count_add(COUNT_HTACCESS, 1);
        if (calm) {
            fault(request, response, COUNT_HTACCESS_CALM);
        }
        break;

    default:
        count_add(COUNT_DENIED, 1);
        complain(request, response, count_text(COUNT_DENIED));
    }
}


static void
judge_body(const request_t *request, const response_t *response, int calm,
           uint32_t want)
{
    resource_t     *resource = request->resource;
    size_t          offset = response->has_range ? response->from : 0;
    body_t          body;
    version_state_t was;

    if (!body_read(response->body, response->body_len, offset, &body)
        || body.size != resource->size)
    {
        fault(request, response, COUNT_WRONG);
        return;
    }

    if (body.kind != KIND_PUBLIC || resource->denied) {
        judge_kind(request, response, body.kind, calm);
        return;
    }

    pthread_mutex_lock(&resource->scene->lock);
    was = generation_state(resource, body.serial, request->sent,
                           response->done);
    pthread_mutex_unlock(&resource->scene->lock);

    if (was == WAS_FORGOTTEN) {
        count_add(COUNT_UNJUDGED, 1);
    } else if (was == WAS_NOT || (calm && body.serial != want)) {
        fault(request, response, COUNT_WRONG);
    } else {
        count_add(COUNT_OK, 1);
    }
}


/* Check the lengths of a HEAD or a Range. */
static int
has_right_length(const request_t *request, const response_t *response)
{
    if (response->status == 200) {
        return response->length == request->resource->size
               && response->body_len
                      == (request->head ? 0 : response->length);
    }

    return response->has_range && response->size == request->resource->size
           && response->from == request->from && response->to == request->to
           && response->length == request->to - request->from + 1
           && response->body_len == response->length;
}


/* ---- statuses ------------------------------------------------------------ */

/* 403: httpd also answers so if a file is removed before it is opened. */
static void
judge_absence(const request_t *request, const response_t *response, int calm,
              uint32_t want)
{
    const resource_t *resource = request->resource;

    if (response->status != 404 && response->status != 403) {
        fault(request, response, COUNT_STATUS);
        return;
    }

    if (resource->denied) {
        return;
    }

    if (calm ? want != 0 : resource->steady) {
        fault(request, response, COUNT_STATUS);
        return;
    }

    count_add(COUNT_MISSED, !calm);
}


static void
judge_presence(const request_t *request, const response_t *response, int calm,
               uint32_t want)
{
    const resource_t *resource = request->resource;

    count_add(COUNT_PARTS, response->status == 206);
    count_add(COUNT_HEADS, request->head);

    if (!has_right_length(request, response)) {
        fault(request, response, COUNT_WRONG);
        return;
    }

    if (!request->head) {
        judge_body(request, response, calm, want);
        return;
    }

    /* Bodies are not identified: only count that there was one. */
    if (resource->denied) {
        judge_kind(request, response, resource->denied, calm);
    } else if (calm && want == 0) {
        fault(request, response, COUNT_STATUS);
    } else {
        count_add(COUNT_OK, 1);
    }
}


void
judge(const request_t *request, const response_t *response)
{
    resource_t *resource = request->resource;
    uint32_t    want;
    int         calm;

    pthread_mutex_lock(&resource->scene->lock);
    calm = is_calm(resource->scene, request->sent);
    want = resource->want;
    pthread_mutex_unlock(&resource->scene->lock);

    count_add(COUNT_REQUESTS, 1);
    count_add(COUNT_STRICT, calm);

    if (response->status == 500 && resource->socket) {
        count_add(COUNT_SOCKET_500, 1);
    } else if (response->status >= 500) {
        fault(request, response, COUNT_5XX);
    } else if (response->status == 200
               || (response->status == 206 && request->to != 0))
    {
        judge_presence(request, response, calm, want);
    } else {
        judge_absence(request, response, calm, want);
    }
}
