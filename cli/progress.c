/*
 * progress.c - a bar for who waits at a terminal
 *
 * On standard error, in one line that is drawn over and taken away at the
 * end; nothing at all where that is no terminal.
 */

#include <unistd.h>

#include "cli.h"

#define PROGRESS_CELLS 30
#define PROGRESS_EVERY apr_time_from_msec(100)


static void
cli_progress_draw(const cli_progress_t *progress)
{
    uint64_t done = progress->done;
    int      cells = 0, percent = 0, i;

    if (progress->total != 0) {
        done = done < progress->total ? done : progress->total;
        cells = (int) (done * PROGRESS_CELLS / progress->total);
        percent = (int) (done * 100 / progress->total);
    }
    fputs("\r[", stderr);
    for (i = 0; i < PROGRESS_CELLS; i++) {
        putc(i < cells ? '#' : '.', stderr);
    }
    fprintf(stderr, "] %3d %%  %llu of %llu %s\033[K", percent,
            (unsigned long long) done, (unsigned long long) progress->total,
            progress->unit);
    fflush(stderr);
}


int
cli_progress_is_seen(void)
{
    return isatty(STDERR_FILENO);
}


void
cli_progress_begin(cli_progress_t *progress, const char *unit, uint64_t total)
{
    progress->unit = unit;
    progress->total = total;
    progress->done = 0;
    progress->drawn = 0;
    progress->seen = cli_progress_is_seen();
}


void
cli_progress_add(cli_progress_t *progress, uint64_t more)
{
    apr_time_t now;

    progress->done += more;
    if (!progress->seen) {
        return;
    }
    now = apr_time_now();
    if (now - progress->drawn >= PROGRESS_EVERY) {
        progress->drawn = now;
        cli_progress_draw(progress);
    }
}


/* What else is said stands at the start of a line of its own. */
void
cli_progress_hide(cli_progress_t *progress)
{
    if (progress->seen && progress->drawn != 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->drawn = 0;
    }
}
