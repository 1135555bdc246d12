/* fail.c - wrappers of the C library and ICU that fail on demand */

#include "fail.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <idn2.h>
#include <unicode/ubidi.h>
#include <unicode/ubrk.h>
#include <unicode/ucnv.h>
#include <unicode/uclean.h>
#include <unicode/ucol.h>
#include <unicode/uidna.h>
#include <unicode/ulocdata.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>

#pragma GCC visibility push(hidden)

/* Set by the linker: the address of this module. */
extern const char __ehdr_start[];
extern const char _end[];

#pragma GCC visibility pop


/* ---- calls that fail ---------------------------------------------------- */

static fail_t *fail;


/* Runs before the server drops its privileges and clears its environment. */
__attribute__((constructor)) static void
fail_init(void)
{
    const char *path = getenv("IRI_FAIL");
    void       *map, *frames[1];
    int         fd;

    if (path == NULL) {
        return;
    }

    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd == -1) {
        return;
    }

    map = mmap(NULL, sizeof(fail_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
               0);
    (void) close(fd);

    if (map != MAP_FAILED) {
        (void) backtrace(frames, 1); /* loads the unwinder */
        fail = map;
    }
}


/* httpd unloads its modules between reading its configuration twice. */
__attribute__((destructor)) static void
fail_exit(void)
{
    if (fail != NULL) {
        (void) munmap(fail, sizeof(fail_t));
        fail = NULL;
    }
}


/* The callers in this module, except those in this file. */
__attribute__((noinline)) static void
fail_record(fail_call_t *call, const char *name)
{
    void  *frames[FAIL_FRAMES + 8];
    size_t i, n, len = strlen(name);
    int    count;

    memset(call, 0, sizeof(*call));
    memcpy(call->name, name,
           len < sizeof(call->name) ? len : sizeof(call->name) - 1);

    /* the first frames are fail_record, fail_now and the function that fails */
    count = backtrace(frames, FAIL_FRAMES + 8);

    for (i = 3, n = 0; i < (size_t) count && n < FAIL_FRAMES; i++) {
        const char *at = frames[i];

        if (at >= __ehdr_start && at < _end) {
            call->frames[n++] = (uint32_t) (at - __ehdr_start);
        }
    }
}


__attribute__((noinline)) int
fail_now(unsigned kind, const char *name)
{
    uint32_t n;

    if (fail == NULL || !(fail->kinds & kind)) {
        return 0;
    }

    n = __atomic_add_fetch(&fail->count, 1, __ATOMIC_SEQ_CST);

    if (n <= FAIL_CALLS) {
        fail_record(&fail->calls[n - 1], name);
    }

    if (fail->at == 0 || n < fail->at || (n > fail->at && !fail->on)) {
        return 0;
    }

    (void) __atomic_add_fetch(&fail->failed, 1, __ATOMIC_SEQ_CST);

    return 1;
}


int
fail_error(void)
{
    return fail->error;
}


void
fail_hold_block(int by)
{
    if (fail != NULL) {
        (void) __atomic_add_fetch(&fail->blocks, by, __ATOMIC_SEQ_CST);
    }
}


void
fail_hold_dir(int by)
{
    if (fail != NULL) {
        (void) __atomic_add_fetch(&fail->dirs, by, __ATOMIC_SEQ_CST);
    }
}


void
fail_no_abort(void)
{
    if (fail != NULL) {
        (void) __atomic_add_fetch(&fail->no_abort, 1, __ATOMIC_SEQ_CST);
    }
}


/*
 * torture_NAME: NAME, or `failed` if `fails` is not 0. It is hidden, so that it
 * replaces NAME in this module only.
 */
#define TORTURE(fails, type, failed, name, parameters, call)                 \
    __attribute__((visibility("hidden"))) type torture_##name parameters;    \
                                                                             \
    type torture_##name parameters                                           \
    {                                                                        \
        return fails ? (failed) : call;                                      \
    }


/* ---- memory -------------------------------------------------------------- */

static void *
fail_held(void *block)
{
    if (block != NULL) {
        fail_hold_block(1);
    }

    return block;
}


static void *
fail_let_go(void *block)
{
    if (block != NULL) {
        fail_hold_block(-1);
    }

    return block;
}


#define MEMORY(type, failed, name, parameters, call)                         \
    TORTURE(fail_now(FAIL_MEMORY, #name), type, failed, name, parameters,    \
            call)

/* clang-format off */

MEMORY(void *, NULL, malloc, (size_t size), fail_held(malloc(size)))
MEMORY(void *, NULL, calloc, (size_t count, size_t size),
       fail_held(calloc(count, size)))
MEMORY(void *, NULL, realloc, (void *block, size_t size),
       block == NULL ? fail_held(malloc(size)) : realloc(block, size))
TORTURE(0, void, (void) 0, free, (void *block), free(fail_let_go(block)))
MEMORY(void *, MAP_FAILED, mmap,
       (void *at, size_t size, int protection, int flags, int fd,
        off_t offset),
       mmap(at, size, protection, flags, fd, offset))
MEMORY(void *, MAP_FAILED, mremap,
       (void *block, size_t size, size_t to, int flags),
       mremap(block, size, to, flags))
MEMORY(void *, NULL, dlopen, (const char *path, int flags),
       dlopen(path, flags))
MEMORY(int, IDN2_MALLOC, idn2_lookup_u8,
       (const uint8_t *from, uint8_t **to, int flags),
       idn2_lookup_u8(from, to, flags))

/* clang-format on */


/* ---- files --------------------------------------------------------------- */

/* Inline: fail_record() skips one frame. */
__attribute__((always_inline)) static inline int
fail_file(const char *name)
{
    if (fail_now(FAIL_FILES, name)) {
        errno = fail_error();
        return 1;
    }

    return 0;
}


static DIR *
fail_opened(DIR *dir)
{
    if (dir != NULL) {
        fail_hold_dir(1);
    }

    return dir;
}


static DIR *
fail_closed(DIR *dir)
{
    fail_hold_dir(-1);

    return dir;
}


#define FILES(type, failed, name, parameters, call)                          \
    TORTURE(fail_file(#name), type, failed, name, parameters, call)

/* clang-format off */

FILES(int, -1, lstat, (const char *path, struct stat *st), lstat(path, st))
FILES(int, -1, stat, (const char *path, struct stat *st), stat(path, st))
FILES(int, -1, fstat, (int fd, struct stat *st), fstat(fd, st))
FILES(int, -1, stat64, (const char *path, struct stat64 *st),
      stat64(path, st))
FILES(int, -1, fstat64, (int fd, struct stat64 *st), fstat64(fd, st))
FILES(int, -1, fstatat64,
      (int fd, const char *name, struct stat64 *st, int flags),
      fstatat64(fd, name, st, flags))
FILES(int, -1, access, (const char *path, int mode), access(path, mode))
FILES(int, -1, faccessat, (int fd, const char *name, int mode, int flags),
      faccessat(fd, name, mode, flags))
FILES(DIR *, NULL, opendir, (const char *path), fail_opened(opendir(path)))
TORTURE(0, int, 0, closedir, (DIR *dir), closedir(fail_closed(dir)))
FILES(struct dirent *, NULL, readdir, (DIR *dir), readdir(dir))

/* clang-format on */


/* ---- ICU ----------------------------------------------------------------- */

__attribute__((always_inline)) static inline int
fail_icu(UErrorCode *error, const char *name)
{
    if (fail_now(FAIL_ICU, name)) {
        *error = U_MEMORY_ALLOCATION_ERROR;
        return 1;
    }

    return 0;
}


/* Not by TORTURE, which would see the names with ICU's version. */
#define FAILS(type, failed, name, parameters, arguments)                     \
    __attribute__((visibility("hidden"))) type torture_##name parameters;    \
                                                                             \
    type torture_##name parameters                                           \
    {                                                                        \
        return fail_icu(error, #name) ? (failed) : name arguments;           \
    }

#define OPENS(type, counter, heap, name, parameters, arguments)              \
    __attribute__((visibility("hidden"))) type *torture_##name parameters;   \
                                                                             \
    type *torture_##name parameters                                          \
    {                                                                        \
        return fail_icu(error, #name) ? NULL : name arguments;               \
    }

#define CLOSES(type, counter, name)

#include "../core/icu_calls.h"

OPENS(UCollator, collators, 0, ucol_open,
      (const char *locale, UErrorCode *error), (locale, error))

/* This function has no error argument. */
__attribute__((visibility("hidden"))) int32_t
torture_ucol_getSortKey(const UCollator *collator, const UChar *from,
                        int32_t from_len, uint8_t *to, int32_t size);

int32_t
torture_ucol_getSortKey(const UCollator *collator, const UChar *from,
                        int32_t from_len, uint8_t *to, int32_t size)
{
    return fail_now(FAIL_ICU, "ucol_getSortKey")
               ? 0
               : ucol_getSortKey(collator, from, from_len, to, size);
}
