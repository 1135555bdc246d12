/*
 * judge.c - is this answer one that could be given?
 *
 * In a storm the body must be one that the place had at some time between
 * sending and receiving, or there is none (404, 403).  In calm there is one
 * right answer.  Without our module only what may never happen is counted:
 * foreign, torn and denied bodies, 5xx.
 */

#include <stdio.h>
#include <string.h>

#include "churn.h"

typedef struct {
    char     kind;
    uint32_t serial;
    size_t   size;
} body_t;


/* What a part of a body says it is of; 0: it is no body of ours. */
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
         const char *what)
{
    say("%s: %d to %s %s for %s, %ld ms: %.60s", what, response->status,
        request->head ? "HEAD" : "GET", request->target, request->place->what,
        (long) ((response->done - request->sent) / MILLI),
        response->body_len > RECORD ? response->body : "");
}


static void
fault(const request_t *request, const response_t *response, count_t what)
{
    count_add(what, 1);
    complain(request, response, count_text(what));
}


/* ---- with the scene's lock held ------------------------------------------- */

typedef enum { WAS_THERE, WAS_NOT, WAS_FORGOTTEN } was_t;


/* Had the place that body while the request was under way? */
static was_t
tenant_was(const place_t *place, uint32_t serial, int64_t from, int64_t to)
{
    const tenant_t *t, *oldest = NULL;

    for (unsigned i = 0; i < TENANTS; i++) {
        t = &place->tenant[(place->last - i) % TENANTS];

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


/* Calm, from long enough before the request to the end of it. */
static int
is_calm(const scene_t *scene, int64_t from)
{
    return !scene->changing && scene->changed + SETTLED < from;
}


/* ---- bodies --------------------------------------------------------------- */

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
        if (calm && !options.stock) {
            fault(request, response, COUNT_HTACCESS_CALM);
        }
        break;

    default:
        count_add(COUNT_DENIED, 1);
        if (!options.stock) {
            complain(request, response, count_text(COUNT_DENIED));
        }
    }
}


static void
judge_body(const request_t *request, const response_t *response, int calm,
           uint32_t want)
{
    place_t *place = request->place;
    size_t   offset = response->has_range ? response->from : 0;
    body_t   body;
    was_t    was;

    if (!body_read(response->body, response->body_len, offset, &body)
        || body.size != place->size)
    {
        fault(request, response, COUNT_WRONG);
        return;
    }

    if (body.kind != KIND_PUBLIC || place->denied) {
        judge_kind(request, response, body.kind, calm);
        return;
    }

    pthread_mutex_lock(&place->scene->lock);
    was = tenant_was(place, body.serial, request->sent, response->done);
    pthread_mutex_unlock(&place->scene->lock);

    if (was == WAS_FORGOTTEN) {
        count_add(COUNT_UNJUDGED, 1);
    } else if (was == WAS_NOT
               || (calm && !options.stock && body.serial != want)) {
        fault(request, response, COUNT_WRONG);
    } else {
        count_add(COUNT_OK, 1);
    }
}


/* Of a HEAD or a Range: what the lengths say. */
static int
has_right_length(const request_t *request, const response_t *response)
{
    if (response->status == 200) {
        return response->length == request->place->size
               && response->body_len
                      == (request->head ? 0 : response->length);
    }

    return response->has_range && response->size == request->place->size
           && response->from == request->from && response->to == request->to
           && response->length == request->to - request->from + 1
           && response->body_len == response->length;
}


/* ---- statuses ------------------------------------------------------------- */

/* 403: httpd, too, where a file is gone when it is to be opened. */
static void
judge_absence(const request_t *request, const response_t *response, int calm,
              uint32_t want)
{
    const place_t *place = request->place;

    if (response->status != 404 && response->status != 403) {
        fault(request, response, COUNT_STATUS);
        return;
    }

    if (place->denied || options.stock) {
        return;
    }

    if (calm ? want != 0 : place->steady) {
        fault(request, response, COUNT_STATUS);
        return;
    }

    count_add(COUNT_MISSED, !calm);
}


static void
judge_presence(const request_t *request, const response_t *response, int calm,
               uint32_t want)
{
    const place_t *place = request->place;

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

    /* No body tells whose it is: that there was one is all there is. */
    if (options.stock) {
        return;
    }

    if (place->denied) {
        judge_kind(request, response, place->denied, calm);
    } else if (calm && want == 0) {
        fault(request, response, COUNT_STATUS);
    } else {
        count_add(COUNT_OK, 1);
    }
}


void
judge(const request_t *request, const response_t *response)
{
    place_t *place = request->place;
    uint32_t want;
    int      calm;

    pthread_mutex_lock(&place->scene->lock);
    calm = is_calm(place->scene, request->sent);
    want = place->want;
    pthread_mutex_unlock(&place->scene->lock);

    count_add(COUNT_REQUESTS, 1);
    count_add(COUNT_STRICT, calm);

    if (response->status == 500 && place->socket) {
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
