/*
 * watch.c - report when a directory is opened
 *
 *     watch DIRECTORY
 *
 * Prints "ready", and then a line with the time, in seconds since the epoch,
 * whenever a process opens the directory itself, as opendir() does. Access to
 * its entries does not count. Runs until it is terminated.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/time.h>
#include <unistd.h>


static int
failed(const char *action)
{
    fprintf(stderr, "watch: %s: %s\n", action, strerror(errno));

    return 1;
}


static void
told(const struct inotify_event *event)
{
    struct timeval now;

    if (event->mask & IN_Q_OVERFLOW) {
        printf("overflow\n");
        return;
    }

    if (event->len == 0 && (event->mask & IN_OPEN) != 0) {
        gettimeofday(&now, NULL);
        printf("%ld.%06ld\n", (long) now.tv_sec, (long) now.tv_usec);
    }
}


int
main(int argc, char **argv)
{
    /* Aligned for struct inotify_event. */
    union {
        struct inotify_event event;
        char                 octets[256 * 1024];
    } buffer;
    ssize_t got, at;
    int     fd;

    if (argc != 2) {
        fprintf(stderr, "usage: watch DIRECTORY\n");
        return 2;
    }

    fd = inotify_init();
    if (fd == -1 || inotify_add_watch(fd, argv[1], IN_OPEN | IN_ONLYDIR) < 0)
    {
        return failed(argv[1]);
    }

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("ready\n");

    for (;;) {
        got = read(fd, &buffer, sizeof(buffer));
        if (got <= 0) {
            return failed("read");
        }

        for (at = 0; at < got; /* void */) {
            const struct inotify_event *event;

            event = (const struct inotify_event *) (buffer.octets + at);
            told(event);
            at += (ssize_t) (sizeof(*event) + event->len);
        }
    }
}
