/*
 * churn - change a tree below a server's root and judge the responses
 *
 *     churn [--reloads] [--fifos] [--deep N] [--seed N] [--sweeps N]
 *           ROOT BESIDE PORT SECONDS
 *
 * ROOT is the root of the server, BESIDE a directory outside of it on the same
 * file system. Prints counters, a line each: word, number; and lines that start
 * with "#" about errors. The exit code is always 0: t/churn.t judges the
 * counters.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "churn.h"

options_t options;

static const struct option long_options[] = {
    { "reloads", no_argument, &options.reloads, 1 },
    { "fifos", no_argument, &options.fifos, 1 },
    { "deep", required_argument, NULL, 'd' },
    { "seed", required_argument, NULL, 's' },
    { "sweeps", required_argument, NULL, 'w' },
    { NULL, 0, NULL, 0 },
};


static int
options_read(int argc, char **argv)
{
    int c;

    options.seed = 1;

    while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (c == 's') {
            options.seed = (unsigned) strtoul(optarg, NULL, 10);
        } else if (c == 'd') {
            options.deep = (unsigned) strtoul(optarg, NULL, 10);
        } else if (c == 'w') {
            options.sweeps = (unsigned) strtoul(optarg, NULL, 10);
        } else if (c != 0) {
            return 0;
        }
    }

    if (argc - optind != 4) {
        return 0;
    }

    options.root = argv[optind];
    options.beside = argv[optind + 1];
    options.port = atoi(argv[optind + 2]);
    options.seconds = strtod(argv[optind + 3], NULL);

    return options.port != 0;
}


int
main(int argc, char **argv)
{
    if (!options_read(argc, argv)) {
        fprintf(stderr,
                "usage: churn [--reloads] [--fifos] [--deep N] [--seed N] "
                "[--sweeps N] ROOT BESIDE PORT SECONDS\n");
        return 2;
    }

    umask(022);
    scenes_make();
    scenes_start();
    load_run(options.seconds);
    scenes_stop();
    load_sweep();

    for (count_t i = 0; i < COUNTS; i++) {
        printf("%s %llu\n", count_text(i), (unsigned long long) count_get(i));
    }

    return 0;
}
