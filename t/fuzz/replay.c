/*
 * replay.c - run inputs through a fuzz target, without a fuzzer
 *
 *     replay_NAME FILE ...
 *
 * A file that ends in ".txt" has an input on each line, with octets as in
 * t/cases: printable ASCII stands for itself, any other octet is \\xHH; lines
 * that start with "#" are comments. Any other file is one input. The target
 * aborts on an error; then the line is printed to stderr.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

#define REPLAY_MAX (1024 * 1024) /* octets of a file with one input */

static char replay_where[4096]; /* file and line, for replay_abort */


/* Of a sanitizer's library, where there is one. */
void
__sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));


static void
replay_died(void)
{
    ssize_t ignored;

    ignored = write(2, replay_where, strlen(replay_where));
    (void) ignored;
}


/* Print the input, and raise the signal again with its default action. */
static void
replay_abort(int number)
{
    replay_died();
    signal(number, SIG_DFL);
    raise(number);
}


static int
replay_hex(int c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }

    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}


/* Unescape in place. Returns: the number of octets. */
static size_t
replay_octets(char *line, size_t len)
{
    size_t i, n = 0;

    for (i = 0; i < len; i++) {
        if (line[i] == '\\' && len - i > 3 && line[i + 1] == 'x'
            && replay_hex(line[i + 2]) >= 0 && replay_hex(line[i + 3]) >= 0)
        {
            line[n++] = (char) (replay_hex(line[i + 2]) * 16
                                + replay_hex(line[i + 3]));
            i += 3;
        } else {
            line[n++] = line[i];
        }
    }

    return n;
}


/*
 * The target gets exactly its octets, so that a sanitizer detects accesses past
 * the end.
 */
static void
replay_one(const char *name, unsigned long line, const char *data, size_t len)
{
    uint8_t *input = malloc(len != 0 ? len : 1);

    if (input == NULL) {
        abort();
    }

    snprintf(replay_where, sizeof(replay_where), "replay: %s, line %lu\n",
             name, line);
    memcpy(input, data, len);
    LLVMFuzzerTestOneInput(input, len);
    free(input);
}


static unsigned long
replay_lines(const char *name, FILE *file)
{
    char         *line = NULL;
    size_t        size = 0;
    ssize_t       len;
    unsigned long number = 0, inputs = 0;

    while ((len = getline(&line, &size, file)) >= 0) {
        number++;
        len -= len > 0 && line[len - 1] == '\n';

        if (len > 0 && line[0] == '#') {
            continue;
        }

        replay_one(name, number, line, replay_octets(line, (size_t) len));
        inputs++;
    }

    free(line);

    return inputs;
}


static unsigned long
replay_whole(const char *name, FILE *file)
{
    char  *data = malloc(REPLAY_MAX);
    size_t len;

    if (data == NULL) {
        abort();
    }

    len = fread(data, 1, REPLAY_MAX, file);
    replay_one(name, 1, data, len);
    free(data);

    return 1;
}


int
main(int argc, char **argv)
{
    unsigned long inputs = 0;
    const char   *end;
    FILE         *file;
    int           i;

    signal(SIGABRT, replay_abort);

    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(replay_died);
    } else {
        signal(SIGSEGV, replay_abort);
    }

    LLVMFuzzerInitialize(&argc, &argv);

    for (i = 1; i < argc; i++) {
        file = fopen(argv[i], "rb");
        if (file == NULL) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
            return 1;
        }

        end = strrchr(argv[i], '.');
        inputs += end != NULL && strcmp(end, ".txt") == 0
                      ? replay_lines(argv[i], file)
                      : replay_whole(argv[i], file);
        fclose(file);
    }

    printf("%lu inputs\n", inputs);

    return 0;
}
