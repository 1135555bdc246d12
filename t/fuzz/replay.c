/*
 * replay.c - run inputs through a fuzz target, without a fuzzer
 *
 *     replay_NAME [-r COUNT] FILE ...
 *
 * With -r, COUNT random variations of all inputs are tried, too.  IRI_SEED sets
 * their seed (default 1).
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

/* File and line, or an input as in a corpus, for replay_abort. */
static char replay_where[16384];


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
replay_one(const char *data, size_t len)
{
    uint8_t *input = malloc(len != 0 ? len : 1);

    if (input == NULL) {
        abort();
    }

    memcpy(input, data, len);
    LLVMFuzzerTestOneInput(input, len);
    free(input);
}


/* ---- random variations --------------------------------------------------- */

static struct {
    char  *data;
    size_t len;
} replay_kept[4096];

static size_t   replay_count; /* of replay_kept */
static uint64_t replay_state;


static size_t
replay_random(size_t n)
{
    replay_state = replay_state * 6364136223846793005u + 1442695040888963407u;

    return (size_t) (replay_state >> 33) % n;
}


static void
replay_keep(const char *data, size_t len)
{
    if (replay_count < sizeof(replay_kept) / sizeof(replay_kept[0]) && len > 0
        && (replay_kept[replay_count].data = malloc(len)) != NULL)
    {
        memcpy(replay_kept[replay_count].data, data, len);
        replay_kept[replay_count++].len = len;
    }
}


/*
 * The start of one input and the end of another one; one to four octets are
 * replaced, removed or doubled.
 */
static void
replay_vary(void)
{
    static char data[2 * REPLAY_MAX];
    size_t      a = replay_random(replay_count);
    size_t      b = replay_random(4) ? a : replay_random(replay_count);
    size_t      head = replay_random(replay_kept[a].len + 1);
    size_t      tail = a == b ? head : replay_random(replay_kept[b].len);
    size_t      len = head + replay_kept[b].len - tail, i, edits;
    int         at;

    memcpy(data, replay_kept[a].data, head);
    memcpy(data + head, replay_kept[b].data + tail, len - head);

    for (edits = replay_random(4) + 1; edits > 0 && len > 1; edits--) {
        i = replay_random(len);

        switch (replay_random(4)) {
        case 0:
            memmove(data + i, data + i + 1, --len - i);
            break;
        case 1:
            memmove(data + i + 1, data + i, len++ - i);
            break;
        default:
            data[i] = replay_random(3) ? data[replay_random(len)]
                                       : (char) replay_random(256);
        }
    }

    at = snprintf(replay_where, sizeof(replay_where), "replay: ");

    for (i = 0; i < len && at < (int) sizeof(replay_where) - 6; i++) {
        at += snprintf(replay_where + at, 5,
                       data[i] > ' ' && data[i] < 0x7f && data[i] != '\\'
                           ? "%c"
                           : "\\x%02X",
                       (unsigned char) data[i]);
    }

    replay_where[at] = '\n';
    replay_where[at + 1] = '\0';
    replay_one(data, len);
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

        len = (ssize_t) replay_octets(line, (size_t) len);
        snprintf(replay_where, sizeof(replay_where), "replay: %s, line %lu\n",
                 name, number);
        replay_one(line, (size_t) len);
        replay_keep(line, (size_t) len);
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
    snprintf(replay_where, sizeof(replay_where), "replay: %s\n", name);
    replay_one(data, len);
    free(data);

    return 1;
}


int
main(int argc, char **argv)
{
    unsigned long inputs = 0, variations = 0, n;
    const char   *end, *seed = getenv("IRI_SEED");
    FILE         *file;
    int           i = 1;

    signal(SIGABRT, replay_abort);

    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(replay_died);
    } else {
        signal(SIGSEGV, replay_abort);
    }

    LLVMFuzzerInitialize(&argc, &argv);

    if (argc > 2 && strcmp(argv[1], "-r") == 0) {
        variations = strtoul(argv[2], NULL, 10);
        i = 3;
    }

    for (/* void */; i < argc; i++) {
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

    replay_state = seed != NULL ? strtoul(seed, NULL, 10) : 1;

    for (n = 1; n <= variations && replay_count > 0; n++) {
        replay_vary();
    }

    printf("%lu inputs\n", inputs);

    return 0;
}
