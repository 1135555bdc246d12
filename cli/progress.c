/*
 * progress.c - a progress bar
 *
 * It is one line on standard error, redrawn in place and erased at the end.
 * If standard error is not a terminal, nothing is printed.
 */

#include <unistd.h>

#include "cli.h"

#define PROGRESS_CELLS 30
#define PROGRESS_EVERY apr_time_from_msec(100)


static void
cli_progress_draw(const cli_progress_t *progress)
{
    unsigned long long done = progress->done, total = progress->total;
    int                i, cells;

    fputc('\r', stderr);
    if (total == 0) {
        fprintf(stderr, "%llu %s\033[K", done, progress->unit);
    } else {
        done = done < total ? done : total;
        cells = (int) (done * PROGRESS_CELLS / total);
        fputc('[', stderr);
        for (i = 0; i < PROGRESS_CELLS; i++) {
            putc(i < cells ? '#' : '.', stderr);
        }
        fprintf(stderr, "] %3d %%  %llu of %llu %s\033[K",
                (int) (done * 100 / total), done, total, progress->unit);
    }
    fflush(stderr);
}


void
cli_progress_begin(cli_progress_t *progress, const char *unit, uint64_t total)
{
    progress->unit = unit;
    progress->total = total;
    progress->done = 0;
    progress->drawn = 0;
    progress->visible = isatty(STDERR_FILENO);
}


void
cli_progress_add(cli_progress_t *progress, uint64_t more)
{
    apr_time_t now;

    progress->done += more;
    if (!progress->visible) {
        return;
    }
    now = apr_time_now();
    if (now - progress->drawn >= PROGRESS_EVERY) {
        progress->drawn = now;
        cli_progress_draw(progress);
    }
}


/* Erase the bar, so that other output begins at the start of a line. */
void
cli_progress_hide(cli_progress_t *progress)
{
    if (progress->visible && progress->drawn != 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->drawn = 0;
    }
}
