/*
 * latency.c - the latency of small requests while a server handles a large one
 *
 *     latency PORT PID SMALL SECONDS          SMALL only, for that long
 *     latency PORT PID SMALL SECONDS LARGE    until LARGE is answered with 200
 *
 * SMALL is requested repeatedly on one connection, the next time 0.1 ms after a
 * response, so that a process with a real-time priority leaves CPU time to
 * others. At the start LARGE is requested on a second connection, and again 20
 * ms after each response other than 200, for at most SECONDS.
 *
 * Prints lines of words and numbers; times are in ms. For SMALL: the median,
 * the 99.9th percentile and the maximum, and the longest time that the first
 * thread of PID used a CPU meanwhile, which does not depend on other processes.
 * For LARGE: the time of the first response, its status, and the time of the
 * first 200 (-1: none).
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP  200
#define MANY     4000000
#define PAUSE_NS 100000
#define AGAIN_MS 20.0

typedef struct {
    int    fd;
    char   request[4096];
    size_t request_len;
    char   answer[65536];
    size_t got;
} link_t;

static double times[MANY]; /* latencies of SMALL */
static link_t small, large;
static int    schedstat;
static double busiest;


static void
die(const char *action)
{
    fprintf(stderr, "latency: %s: %s\n", action, strerror(errno));
    exit(1);
}


static double
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}


static void
link_open(link_t *link, int port, const char *target)
{
    struct sockaddr_in address;
    int                on = 1;

    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t) port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    link->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (link->fd == -1
        || connect(link->fd, (struct sockaddr *) &address, sizeof(address)))
    {
        die("connect");
    }

    setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    link->request_len = (size_t) snprintf(
        link->request, sizeof(link->request),
        "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
}


static void
link_send(link_t *link)
{
    link->got = 0;

    if (write(link->fd, link->request, link->request_len)
        != (ssize_t) link->request_len)
    {
        die("write");
    }
}


/*
 * The status of a complete response, 0 if it is incomplete; flags are for
 * recv().
 */
static int
link_read(link_t *link, int flags)
{
    const char *end, *length;
    ssize_t     n;
    size_t      whole;

    n = recv(link->fd, link->answer + link->got,
             sizeof(link->answer) - 1 - link->got, flags);
    if (n == -1 && errno == EAGAIN) {
        return 0;
    }

    if (n <= 0) {
        die("the server has closed");
    }

    link->got += (size_t) n;
    link->answer[link->got] = '\0';

    end = strstr(link->answer, "\r\n\r\n");
    if (end == NULL) {
        return 0;
    }

    length = strstr(link->answer, "Content-Length: ");
    whole = (size_t) (end + 4 - link->answer);
    whole += length != NULL && length < end
                 ? (size_t) atol(length + strlen("Content-Length: "))
                 : 0;

    return link->got >= whole ? atoi(link->answer + strlen("HTTP/1.1 ")) : 0;
}


/* CPU time of the server's first thread. */
static double
busy_ms(void)
{
    char    text[128];
    ssize_t n;

    n = pread(schedstat, text, sizeof(text) - 1, 0);
    if (n <= 0) {
        die("schedstat");
    }

    text[n] = '\0';

    return (double) strtoull(text, NULL, 10) / 1e6;
}


static double
ask_small(void)
{
    double before = busy_ms(), start = now_ms(), busy;
    int    status;

    link_send(&small);

    do {
        status = link_read(&small, 0);
    } while (status == 0);

    if (status != 200) {
        die("the small file is not served");
    }

    start = now_ms() - start;
    busy = busy_ms() - before;
    busiest = busy > busiest ? busy : busiest;

    return start;
}


/* ---- LARGE --------------------------------------------------------------- */

static struct {
    double start;
    double first; /* time of the first response */
    double found; /* time of the first 200 */
    double asked; /* time of the pending request; 0: none */
    double answered;
    int    status; /* of the first response */
} big = { .first = -1, .found = -1 };


static void
large_ask(void)
{
    link_send(&large);
    big.asked = now_ms();
}


/* Read a response if there is one, and request again if necessary. */
static void
large_look(void)
{
    double now = now_ms();
    int    status;

    if (big.asked == 0) {
        if (now - big.answered >= AGAIN_MS) {
            large_ask();
        }

        return;
    }

    status = link_read(&large, MSG_DONTWAIT);
    if (status == 0) {
        return;
    }

    if (big.first < 0) {
        big.first = now - big.start;
        big.status = status;
    }

    if (status == 200) {
        big.found = now - big.start;
    }

    big.asked = 0;
    big.answered = now;
}


/* ---- all ----------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}


int
main(int argc, char **argv)
{
    const struct timespec pause = { 0, PAUSE_NS };
    char                  path[64];
    double                until;
    size_t                count = 0, i;

    if (argc != 5 && argc != 6) {
        fprintf(stderr, "latency: see the top of t/bench/latency.c\n");
        return 2;
    }

    snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", argv[2],
             argv[2]);
    schedstat = open(path, O_RDONLY);
    link_open(&small, atoi(argv[1]), argv[3]);

    for (i = 0; i < WARM_UP; i++) {
        (void) ask_small();
    }

    busiest = 0;

    if (argc == 6) {
        link_open(&large, atoi(argv[1]), argv[5]);
        big.start = now_ms();
        large_ask();
    }

    until = now_ms() + atof(argv[4]) * 1e3;

    while (count < MANY && now_ms() < until && big.found < 0) {
        times[count++] = ask_small();
        (void) nanosleep(&pause, NULL);

        if (argc == 6) {
            large_look();
        }
    }

    qsort(times, count, sizeof(times[0]), compare);
    printf("requests %zu\n", count);
    printf("median %.3f\n", times[count / 2]);
    printf("p999 %.3f\n", times[count - 1 - count / 1000]);
    printf("worst %.3f\n", times[count - 1]);
    printf("busy %.3f\n", busiest);

    if (argc == 6) {
        printf("first %.3f\nstatus %d\nfound %.3f\n", big.first, big.status,
               big.found);
    }

    return 0;
}
