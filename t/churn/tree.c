/* tree.c - names, files and their content */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "churn.h"

/*
 * In Shift_JIS the first character ends in a backslash; the last two decompose
 * into a letter and a mark.
 */
const name_t name_hyo = {
    { "\xe8\xa1\xa8\xe3\x81\x8c\xe3\x81\x8e",
      "\xe8\xa1\xa8\xe3\x81\x8b\xe3\x82\x99\xe3\x81\x8d\xe3\x82\x99", NULL,
      "\xe8\xa1\xa8\xe3\x81\x8c\xe3\x81\x8d\xe3\x82\x99" },
    "\x95\x5c\x82\xaa\x82\xac",
    "\xc9\xbd\xa4\xac\xa4\xae"
};

const name_t name_hi = {
    { "\xe7\xa7\x98\xe3\x81\x8c\xe3\x81\x8e",
      "\xe7\xa7\x98\xe3\x81\x8b\xe3\x82\x99\xe3\x81\x8d\xe3\x82\x99", NULL,
      "\xe7\xa7\x98\xe3\x81\x8c\xe3\x81\x8d\xe3\x82\x99" },
    "\x94\xe9\x82\xaa\x82\xac",
    "\xc8\xeb\xa4\xac\xa4\xae"
};

const name_t name_cafe = { { "caf\xc3\xa9\xc3\xa8",
                             "cafe\xcc\x81"
                             "e\xcc\x80",
                             "caf\xe9\xe8",
                             "caf\xc3\xa9"
                             "e\xcc\x80" },
                           NULL,
                           NULL };

const name_t name_ke = { { "k\xe1\xba\xbf", "ke\xcc\x82\xcc\x81", NULL,
                           "k\xc3\xaa\xcc\x81" },
                         NULL,
                         NULL };

/* The EUC-JP octets of name_hyo, decoded in Shift_JIS. */
const name_t name_half = {
    { "\xef\xbe\x89\xef\xbd\xbd\xef\xbd\xa4\xef\xbd\xac\xef\xbd\xa4"
      "\xef\xbd\xae",
      NULL, NULL, NULL },
    "\xc9\xbd\xa4\xac\xa4\xae",
    NULL
};


const char *
name_octets(const name_t *name, form_t form, char tree)
{
    if (form != FORM_LEGACY) {
        return name->form[form];
    }

    return tree == 's'   ? name->sjis
           : tree == 'e' ? name->euc
           : tree == 'w' ? name->form[FORM_LEGACY]
                         : NULL;
}


/* ---- small things -------------------------------------------------------- */

int64_t
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);

    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}


uint32_t
random_below(uint32_t n)
{
    static __thread uint64_t state;
    static unsigned          threads;

    if (state == 0) {
        state = options.seed * UINT64_C(0x9e3779b97f4a7c15)
                + __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    }

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;

    return (uint32_t) ((state >> 16) % n);
}


void
fatal(const char *label, const char *path)
{
    fprintf(stderr, "%s %s: %s\n", label, path, strerror(errno));
    _exit(2);
}


/* Print a line for the test's output; only the first few are printed. */
void
report(const char *format, ...)
{
    static unsigned printed;
    char            line[2048];
    va_list         args;

    if (__atomic_fetch_add(&printed, 1, __ATOMIC_RELAXED) >= 30) {
        return;
    }

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);

    printf("# %s\n", line);
    fflush(stdout);
}


static uint64_t counted[COUNTS];

static const char *const count_texts[COUNTS] = {
    "requests",    "strict",       "ok",       "parts",      "heads",
    "pipelined",   "missed",       "unjudged", "changes",    "renames",
    "swaps",       "replaced",     "twins",    "rewritten",  "same_inode",
    "connections", "boundary",     "wrong",    "status",     "5xx",
    "outside",     "outside_calm", "denied",   "htaccess",   "htaccess_calm",
    "cut",         "lost",         "stuck",    "socket_500",
};


void
count_add(count_t counter, uint64_t n)
{
    __atomic_fetch_add(&counted[counter], n, __ATOMIC_RELAXED);
}


uint64_t
count_get(count_t counter)
{
    return __atomic_load_n(&counted[counter], __ATOMIC_RELAXED);
}


const char *
count_text(count_t counter)
{
    return count_texts[counter];
}


/* ---- bodies -------------------------------------------------------------- */

uint32_t
new_serial(void)
{
    static uint32_t serial;

    return __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
}


static void
hex_write(char *out, size_t n)
{
    for (int i = 7; i >= 0; i--, n >>= 4) {
        out[i] = "0123456789abcdef"[n & 15];
    }
}


void
record_write(char out[RECORD], char kind, uint32_t serial, size_t size,
             size_t number)
{
    static const char line[RECORD + 1] =
        "K 00000000 of 00000000 no 00000000, in a tree that moves about\n ";

    memcpy(out, line, RECORD);
    out[0] = kind;
    hex_write(out + 2, serial);
    hex_write(out + 14, size);
    hex_write(out + 26, number);
    out[RECORD - 1] = '\n';
}


/* ---- the file system ----------------------------------------------------- */

void
path_print(char out[MAX_PATH], const char *format, ...)
{
    va_list args;
    int     len;

    va_start(args, format);
    len = vsnprintf(out, MAX_PATH, format, args);
    va_end(args);

    if (len < 0 || len >= MAX_PATH) {
        errno = ENAMETOOLONG;
        fatal("path", format);
    }
}


void
stage_path(char out[MAX_PATH])
{
    static unsigned n;

    path_print(out, "%s/stage/%u", options.beside,
               __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED));
}


void
make_dir(const char *path)
{
    if (mkdir(path, 0755) != 0 && errno != EEXIST) {
        fatal("mkdir", path);
    }
}


static void
make_octets(const char *path, const char *octets, size_t len)
{
    int     fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    ssize_t n;

    if (fd < 0) {
        fatal("open", path);
    }

    for (; len != 0; octets += n, len -= (size_t) n) {
        n = write(fd, octets, len);
        if (n <= 0) {
            fatal("write", path);
        }
    }

    close(fd);
}


void
make_file(const char *path, char kind, uint32_t serial, size_t size)
{
    char *body = malloc(size);

    if (body == NULL) {
        fatal("malloc", path);
    }

    for (size_t i = 0; i < size / RECORD; i++) {
        record_write(body + i * RECORD, kind, serial, size, i);
    }

    make_octets(path, body, size);
    free(body);
}


void
make_text(const char *path, const char *text)
{
    make_octets(path, text, strlen(text));
}


void
make_link(const char *path, const char *to)
{
    if (symlink(to, path) != 0) {
        fatal("symlink", path);
    }
}


void
move(const char *from, const char *to)
{
    if (rename(from, to) != 0) {
        fatal("rename", to);
    }
}


void
exchange(const char *a, const char *b)
{
    if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) != 0) {
        fatal("exchange", a);
    }
}


static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void) st;
    (void) flag;
    (void) ftw;

    if (remove(path) != 0 && errno != ENOENT) {
        fatal("remove", path);
    }

    return 0;
}


void
remove_all(const char *path)
{
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0
        && errno != ENOENT) {
        fatal("remove", path);
    }
}


/* ---- spellings ----------------------------------------------------------- */

static int
is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || (c != '\0' && strchr("-._~/", c));
}


/* raw: octets above 7F are sent as they are; else percent-encoded. */
static void
resource_add_octets(resource_t *resource, const char *octets, int raw)
{
    static const char *const hex[] = { "%%%02X", "%%%02x" };
    char                     out[MAX_PATH * 3], *p = out;

    if (resource->targets == MAX_TARGETS) {
        errno = E2BIG;
        fatal("target", octets);
    }

    for (const unsigned char *o = (const unsigned char *) octets; *o; o++) {
        if (is_unreserved(*o) || (raw && *o > 0x7f)) {
            *p++ = (char) *o;
        } else {
            p += sprintf(p, hex[resource->targets % 2], *o);
        }
    }

    *p = '\0';
    resource->target[resource->targets] = strdup(out);

    if (resource->target[resource->targets++] == NULL) {
        fatal("strdup", octets);
    }
}


void
resource_add_target(resource_t *resource, const char *octets)
{
    resource_add_octets(resource, octets, 0);
}


void
resource_add_spellings(resource_t *resource, const char *dir,
                       const name_t *name, const char *tail)
{
    const char *octets[] = {
        name->form[FORM_NFC], name->form[FORM_NFD], name->form[FORM_LEGACY],
        name->form[FORM_ODD], name->sjis,           name->euc
    };
    char whole[MAX_PATH];

    for (size_t i = 0; i < COUNT(octets); i++) {
        if (octets[i] == NULL) {
            continue;
        }

        path_print(whole, "%s%s%s", dir, octets[i], tail);
        resource_add_octets(resource, whole, 0);

        if (i == FORM_NFC || octets[i] == name->euc) {
            resource_add_octets(resource, whole, 1);
        }
    }
}
