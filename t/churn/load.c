/*
 * load.c - clients of several behaviours over HTTP/1.1, in one thread
 *
 * Each keeps its connection for a while; some send several requests at once,
 * some send requests octet by octet or read responses slowly.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "churn.h"

#define CLIENTS  28
#define PIPELINE 8
#define ROOM     (LARGE + 65536) /* for responses that are being received */
#define STUCK    (60000 * MILLI) /* without an octet: the worker is blocked */

typedef enum {
    PATIENT, /* one request after another */
    HASTY,   /* several at once */
    BRIEF,   /* one for each connection */
    SLOW_READER,
    SLOW_SENDER
} temper_t;

typedef struct {
    temper_t  behaviour;
    int       fd; /* -1: not connected */
    request_t queue[PIPELINE];
    unsigned  first, queued;
    unsigned  answered; /* on this connection */
    unsigned  until;    /* requests for this connection */
    int       closing;  /* the server announced it */
    char      out[PIPELINE * MAX_PATH * 4];
    size_t    out_len, out_sent;
    char     *in;
    size_t    in_len;
    int64_t   progress; /* when an octet last came or went */
    int64_t   wait;     /* a slow client waits until then */
    size_t    sweep;    /* next target of a sweep */
} client_t;

static client_t client[CLIENTS];
static int      ending; /* no new requests */
static int      sweeping;


/* ---- choice of resource and form ---------------------------------------- */

/* A random resource, preferably of an active scene. */
static resource_t *
random_resource(void)
{
    scene_t *scene;
    int      tries = (int) random_below(6);

    do {
        scene = scene_list[random_below((uint32_t) scenes)];
    } while (tries-- > 0
             && !__atomic_load_n(&scene->active, __ATOMIC_RELAXED));

    return scene->resource[random_below((uint32_t) scene->resources)];
}


/* Of a small body at least one whole record, so that it can be identified. */
static void
request_range(request_t *request)
{
    size_t size = request->resource->size;

    request->from = random_below((uint32_t) (size - 3 * RECORD));
    request->to = request->from + 2 * RECORD
                  + random_below(
                      (uint32_t) (size - 2 * RECORD - request->from))
                  - 1;
}


static void
request_random(const client_t *c, request_t *request)
{
    memset(request, 0, sizeof(*request));

    do {
        request->resource = random_resource();
        /* Slow readers request large bodies. */
    } while (c->behaviour == SLOW_READER && request->resource->size != LARGE
             && random_below(16) != 0);

    request->target = request->resource->target[random_below(
        (uint32_t) request->resource->targets)];
    request->head = random_below(16) == 0;

    if (!request->head && random_below(6) == 0) {
        request_range(request);
    }
}


/* The next of all targets. Returns: 0 if that was the last. */
static int
request_next(client_t *c, request_t *request)
{
    size_t n = c->sweep++;

    memset(request, 0, sizeof(*request));

    for (size_t i = 0; i < scenes; i++) {
        for (size_t k = 0; k < scene_list[i]->resources; k++) {
            request->resource = scene_list[i]->resource[k];
            if (n < request->resource->targets) {
                request->target = request->resource->target[n];
                return 1;
            }

            n -= request->resource->targets;
        }
    }

    return 0;
}


static void
client_ask(client_t *c)
{
    request_t *request = &c->queue[(c->first + c->queued) % PIPELINE];
    char       range[80] = "";

    if (sweeping) {
        if (!request_next(c, request)) {
            return;
        }
    } else {
        request_random(c, request);
    }

    if (request->to != 0) {
        snprintf(range, sizeof(range), "Range: bytes=%zu-%zu\r\n",
                 request->from, request->to);
    }

    request->sent = now();
    c->queued++;
    c->out_len += (size_t) snprintf(
        c->out + c->out_len, sizeof(c->out) - c->out_len,
        "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n",
        request->head ? "HEAD" : "GET", request->target, range,
        c->behaviour == BRIEF ? "Connection: close\r\n" : "");
}


static void
client_ask_more(client_t *c)
{
    unsigned n = c->behaviour == HASTY ? 2 + random_below(PIPELINE - 1) : 1;

    if (ending || c->queued != 0 || c->out_len != 0) {
        return;
    }

    count_add(COUNT_PIPELINED, n > 1 ? n : 0);

    while (n-- > 0) {
        client_ask(c);
    }

    c->progress = now();
}


/* ---- connections --------------------------------------------------------- */

static void
client_connect(client_t *c)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    int                small = 4096, yes = 1;

    address.sin_port = htons((uint16_t) options.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0) {
        fatal("socket", "");
    }

    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));

    if (c->behaviour == SLOW_READER) {
        setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    }

    if (connect(c->fd, (struct sockaddr *) &address, sizeof(address)) != 0) {
        fatal("connect", "");
    }

    if (fcntl(c->fd, F_SETFL, O_NONBLOCK) != 0) {
        fatal("fcntl", "");
    }

    count_add(COUNT_CONNECTIONS, 1);
    c->first = c->queued = c->answered = 0;
    c->until = c->behaviour == BRIEF ? 1 : 20 + random_below(2000);
    c->closing = 0;
    c->out_len = c->out_sent = c->in_len = 0;
    c->progress = now();
    c->wait = 0;
}


static void
client_close(client_t *c)
{
    if (c->fd >= 0) {
        close(c->fd);
    }

    c->fd = -1;
}


/*
 * The server has closed the connection. It may do so between responses if it
 * announced it or reloads its configuration; a request that is left unanswered
 * is sent again by another client.
 */
static void
client_ended(client_t *c, const char *how)
{
    const char *target = c->queued ? c->queue[c->first].target : "nothing";

    if (c->queued != 0 && c->in_len != 0) {
        count_add(COUNT_CUT, 1);
        report("cut: %s, %zu octets of the response to %s", how, c->in_len,
               target);

    } else if (!c->closing && (c->answered == 0 || !options.reloads)) {
        count_add(COUNT_LOST, 1);
        report("lost: %s after %u answers, asking for %s", how, c->answered,
               target);

    } else {
        count_add(COUNT_BOUNDARY, 1);
    }

    if (sweeping && c->queued != 0) {
        c->sweep -= c->queued;
    }

    client_close(c);
}


/* ---- sending ------------------------------------------------------------- */

static void
client_send(client_t *c)
{
    size_t  len = c->out_len - c->out_sent;
    ssize_t n;

    if (c->behaviour == SLOW_SENDER && len > 1 && !sweeping) {
        len = 1 + random_below((uint32_t) (len < 40 ? len : 40));
        c->wait = now() + random_below(8) * MILLI;
    }

    n = send(c->fd, c->out + c->out_sent, len, MSG_NOSIGNAL);

    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        /* Data sent by the server before may still be read. */
        c->out_len = c->out_sent = 0;
        return;
    }

    if (n > 0) {
        c->out_sent += (size_t) n;
        c->progress = now();
    }

    if (c->out_sent == c->out_len) {
        c->out_len = c->out_sent = 0;
    }
}


/* ---- answers ------------------------------------------------------------- */

/* The value of a field, or NULL; head ends with an empty line. */
static const char *
head_field(const char *head, const char *name)
{
    size_t len = strlen(name);

    for (const char *line = strstr(head, "\r\n"); line != NULL;
         line = strstr(line, "\r\n"))
    {
        line += 2;
        if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
            return line + len + 1 + strspn(line + len + 1, " ");
        }
    }

    return NULL;
}


/*
 * Parse the head of a response. Returns: its octets, 0 if it is incomplete.
 * These servers always send a length.
 */
static size_t
answer_head(client_t *c, response_t *response)
{
    char       *end;
    const char *field;
    size_t      len;

    c->in[c->in_len] = '\0';
    end = strstr(c->in, "\r\n\r\n");

    if (end == NULL) {
        return 0;
    }

    len = (size_t) (end + 4 - c->in);
    end[2] = '\0';
    memset(response, 0, sizeof(*response));

    if (sscanf(c->in, "HTTP/1.1 %3d", &response->status) != 1) {
        response->status = 999;
    }

    field = head_field(c->in, "Content-Length");
    if (field != NULL) {
        response->length = strtoul(field, NULL, 10);
    }

    field = head_field(c->in, "Content-Range");
    response->has_range = field != NULL
                          && sscanf(field, "bytes %zu-%zu/%zu",
                                    &response->from, &response->to,
                                    &response->size)
                                 == 3;

    field = head_field(c->in, "Connection");
    if (field != NULL && strncasecmp(field, "close", 5) == 0) {
        c->closing = 1;
    }

    end[2] = '\r';

    return len;
}


/* Judge the first complete response. Returns: 0 if there is none. */
static int
client_answer(client_t *c)
{
    request_t *request = &c->queue[c->first];
    response_t response;
    size_t     head, body;

    if (c->queued == 0 || (head = answer_head(c, &response)) == 0) {
        return 0;
    }

    body = request->head ? 0 : response.length;

    if (c->in_len < head + body) {
        return 0;
    }

    response.body = c->in + head;
    response.body_len = body;
    response.done = now();
    judge(request, &response);

    c->in_len -= head + body;
    memmove(c->in, c->in + head + body, c->in_len);
    c->first = (c->first + 1) % PIPELINE;
    c->queued--;
    c->answered++;

    return 1;
}


static void
client_receive(client_t *c)
{
    size_t  room = ROOM - 1 - c->in_len;
    ssize_t n;

    if (c->behaviour == SLOW_READER && room > 4096 && !sweeping) {
        room = 4096;
        c->wait = now() + random_below(6) * MILLI;
    }

    n = recv(c->fd, c->in + c->in_len, room, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }

    if (n <= 0) {
        client_ended(c, n == 0 ? "closed" : strerror(errno));
        return;
    }

    c->in_len += (size_t) n;
    c->progress = now();

    while (client_answer(c)) {
        /* the next response */
    }

    if (c->queued == 0 && !c->closing && c->in_len != 0) {
        count_add(COUNT_WRONG, 1);
        report("wrong: octets that nobody asked for: %.60s", c->in);
        client_close(c);
    }
}


/* ---- all of them --------------------------------------------------------- */

/* Before waiting: do all that needs no waiting. */
static void
client_prepare(client_t *c)
{
    if (c->fd >= 0 && c->queued == 0 && c->out_len == 0
        && (c->answered >= c->until || ending) && !c->closing)
    {
        client_close(c);
    }

    if (c->fd < 0 && !ending) {
        client_connect(c);
    }

    if (c->fd >= 0 && !c->closing) {
        client_ask_more(c);
    }

    if (sweeping && c->fd >= 0 && c->queued == 0) {
        client_close(c); /* no targets are left */
        ending = 1;
    }

    if (c->fd >= 0 && now() - c->progress > STUCK) {
        count_add(COUNT_STUCK, 1);
        report("stuck: %s",
               c->queued ? c->queue[c->first].target : "closing");
        client_close(c);
    }
}


static void
clients_round(client_t *c, size_t clients)
{
    struct pollfd set[CLIENTS];
    int64_t       when = now();
    int           slow = 0;

    for (size_t i = 0; i < clients; i++) {
        client_prepare(&c[i]);
        set[i].fd = c[i].fd;
        set[i].events = 0;
        set[i].revents = 0;

        if (c[i].wait > when) {
            set[i].fd = -1;
            slow = 1;
        } else if (c[i].fd >= 0) {
            set[i].events = (short) (POLLIN | (c[i].out_len ? POLLOUT : 0));
        }
    }

    if (poll(set, clients, slow ? 1 : 50) <= 0) {
        return;
    }

    for (size_t i = 0; i < clients; i++) {
        if (set[i].fd < 0) {
            continue;
        }

        if (set[i].revents & POLLOUT) {
            client_send(&c[i]);
        }

        if (set[i].revents & (POLLIN | POLLHUP | POLLERR)) {
            client_receive(&c[i]);
        }
    }
}


static int
clients_busy(const client_t *c, size_t clients)
{
    for (size_t i = 0; i < clients; i++) {
        if (c[i].fd >= 0) {
            return 1;
        }
    }

    return 0;
}


static void
clients_init(void)
{
    static const temper_t tempers[7] = { PATIENT,    PATIENT, HASTY,
                                         HASTY,      BRIEF,   SLOW_READER,
                                         SLOW_SENDER };

    for (size_t i = 0; i < CLIENTS; i++) {
        client[i].behaviour = tempers[i % COUNT(tempers)];
        client[i].fd = -1;
        client[i].sweep = 0;

        if (client[i].in == NULL && (client[i].in = malloc(ROOM)) == NULL) {
            fatal("malloc", "");
        }
    }
}


void
load_run(double seconds)
{
    int64_t end = now() + (int64_t) (seconds * 1e9);

    clients_init();
    sweeping = 0;
    ending = 0;

    while (!ending || clients_busy(client, CLIENTS)) {
        ending = ending || now() >= end;
        clients_round(client, CLIENTS);
    }
}


/* On several connections one after another, so that several workers answer. */
void
load_sweep(void)
{
    const struct timespec calm = { 0, 2 * SETTLED };

    nanosleep(&calm, NULL);
    clients_init();
    sweeping = 1;

    for (size_t i = 0; i < options.sweeps && i < CLIENTS; i++) {
        ending = 0;
        client[i].behaviour = PATIENT;

        while (!ending || clients_busy(&client[i], 1)) {
            clients_round(&client[i], 1);
        }
    }

    sweeping = 0;
}
