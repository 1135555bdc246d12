/*
 * fault.c - failures of the functions that the core calls
 *
 * See fault.h.  "__wrap_NAME" is called instead of NAME, "__real_NAME" is NAME
 * itself; ICU's names have its version as a suffix.
 */

/* As in iri_dir_posix.c, with the names that the functions have then. */
#ifndef __LP64__
#undef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#undef _TIME_BITS
#define _TIME_BITS     64
#define __wrap_lstat   __wrap___lstat64_time64
#define __real_lstat   __real___lstat64_time64
#define __wrap_stat    __wrap___stat64_time64
#define __real_stat    __real___stat64_time64
#define __wrap_fstat   __wrap___fstat64_time64
#define __real_fstat   __real___fstat64_time64
#define __wrap_readdir __wrap_readdir64
#define __real_readdir __real_readdir64
#endif

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <idn2.h>
#include <unicode/ubidi.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/uclean.h>
#include <unicode/ucol.h>
#include <unicode/uidna.h>
#include <unicode/ulocdata.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>

#include "fault.h"

#define ICU(name) U_ICU_ENTRY_POINT_RENAME(name)

fault_t fault;

/* Each function that can fail, by the address of its name. */
static struct {
    const char *name;
    size_t      calls;
    size_t      failed;
} sites[96];


void
fault_set(unsigned kinds, size_t n, int on, int error)
{
    fault.kinds = kinds;
    fault.at = n;
    fault.on = on;
    fault.error = error;
    fault.calls = fault.failed = 0;
}


static int
fails(unsigned kind, const char *name)
{
    size_t i;

    if ((fault.kinds & kind) == 0) {
        return 0;
    }

    for (i = 0; sites[i].name != NULL && sites[i].name != name; i++) {
        if (i + 2 == COUNT(sites)) {
            abort();
        }
    }

    sites[i].name = name;
    sites[i].calls++;
    fault.calls++;

    if (fault.on ? fault.calls < fault.at : fault.calls != fault.at) {
        return 0;
    }

    sites[i].failed++;
    fault.runs += fault.failed++ == 0;
    fault.where = name;

    return 1;
}


void
fault_print(void)
{
    size_t i, failed = 0, count = 0;

    for (i = 0; sites[i].name != NULL; i++) {
        print_message("# %s: of %lu calls %lu failed\n", sites[i].name,
                      (unsigned long) sites[i].calls,
                      (unsigned long) sites[i].failed);
        failed += sites[i].failed;
        count += sites[i].failed != 0;
    }

    print_message("# %lu failures of %lu functions, in %lu runs\n",
                  (unsigned long) failed, (unsigned long) count,
                  (unsigned long) fault.runs);
}


/* ---- memory ------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void  __real_free(void *p);

static void *(*arena_alloc)(void *ctx, size_t size);


void *
__wrap_malloc(size_t size)
{
    void *p;

    if (fails(FAULT_HEAP, "malloc")) {
        return NULL;
    }

    p = __real_malloc(size);
    fault.blocks += p != NULL;

    return p;
}


void *
__wrap_calloc(size_t count, size_t size)
{
    void *p;

    if (fails(FAULT_HEAP, "calloc")) {
        return NULL;
    }

    p = __real_calloc(count, size);
    fault.blocks += p != NULL;

    return p;
}


void *
__wrap_realloc(void *p, size_t size)
{
    void *q;

    if (fails(FAULT_HEAP, "realloc")) {
        return NULL;
    }

    q = __real_realloc(p, size);
    fault.blocks += p == NULL && q != NULL;

    return q;
}


void
__wrap_free(void *p)
{
    fault.blocks -= p != NULL;
    __real_free(p);
}


/* The arena of the tests uses malloc and must not fail through it. */
static void *
arena(void *ctx, size_t size)
{
    unsigned kinds = fault.kinds;
    void    *p;

    if (fails(FAULT_ARENA, "the arena")) {
        return NULL;
    }

    fault.kinds = 0;
    p = arena_alloc(ctx, size);
    fault.kinds = kinds;

    return p;
}


void
fault_arena(core_t *core)
{
    arena_alloc = core->env.alloc;
    core->env.alloc = arena;
}


static void *
icu_malloc(const void *ctx, size_t size)
{
    return fails(FAULT_ICU_HEAP, "ICU's malloc") ? NULL : __real_malloc(size);
}


static void *
icu_realloc(const void *ctx, void *p, size_t size)
{
    return fails(FAULT_ICU_HEAP, "ICU's realloc") ? NULL
                                                  : __real_realloc(p, size);
}


static void
icu_free(const void *ctx, void *p)
{
    __real_free(p);
}


int
fault_icu_memory(void)
{
    UErrorCode error = U_ZERO_ERROR;

    u_setMemoryFunctions(NULL, icu_malloc, icu_realloc, icu_free, &error);

    return U_SUCCESS(error);
}


/* ---- files, the clock --------------------------------------------------- */

int            __real_lstat(const char *path, struct stat *st);
int            __real_stat(const char *path, struct stat *st);
int            __real_fstat(int fd, struct stat *st);
DIR           *__real_opendir(const char *path);
struct dirent *__real_readdir(DIR *dir);
int            __real_closedir(DIR *dir);
int            __real_clock_gettime(clockid_t id, struct timespec *now);

/* The entries of the open directory, to list them in another order. */
static struct {
    struct dirent entry[1024];
    size_t        count, next;
    int           full;
} listed;


static int
file_fails(const char *name)
{
    if (fails(FAULT_FILES, name)) {
        errno = fault.error;
        return 1;
    }

    return 0;
}


int
__wrap_lstat(const char *path, struct stat *st)
{
    return file_fails("lstat") ? -1 : __real_lstat(path, st);
}


int
__wrap_stat(const char *path, struct stat *st)
{
    return file_fails("stat") ? -1 : __real_stat(path, st);
}


int
__wrap_fstat(int fd, struct stat *st)
{
    return file_fails("fstat") ? -1 : __real_fstat(fd, st);
}


DIR *
__wrap_opendir(const char *path)
{
    DIR *dir;

    if (file_fails("opendir")) {
        return NULL;
    }

    dir = __real_opendir(path);
    fault.dirs += dir != NULL;
    listed.full = 0;

    return dir;
}


static void
list_all(DIR *dir)
{
    struct dirent *entry;

    listed.count = listed.next = 0;
    listed.full = 1;

    while ((entry = __real_readdir(dir)) != NULL
           && listed.count < COUNT(listed.entry))
    {
        listed.entry[listed.count++] = *entry;
    }
}


static struct dirent *
in_other_order(DIR *dir)
{
    size_t n;

    if (!listed.full) {
        list_all(dir);
    }

    n = listed.next++;

    switch (fault.order) {
    case FAULT_REVERSED:
        return n < listed.count ? &listed.entry[listed.count - 1 - n] : NULL;

    case FAULT_TWICE:
        return n / 2 < listed.count ? &listed.entry[n / 2] : NULL;

    default:
        return n < listed.count
                   ? &listed.entry[(n + listed.count / 2) % listed.count]
                   : NULL;
    }
}


struct dirent *
__wrap_readdir(DIR *dir)
{
    if (file_fails("readdir")) {
        return NULL;
    }

    return fault.order != FAULT_IN_ORDER ? in_other_order(dir)
                                         : __real_readdir(dir);
}


int
__wrap_closedir(DIR *dir)
{
    fault.dirs--;

    return __real_closedir(dir);
}


int
__wrap_clock_gettime(clockid_t id, struct timespec *now)
{
    if (fails(FAULT_CLOCK, "clock_gettime")) {
        errno = EINVAL;
        return -1;
    }

    return __real_clock_gettime(id, now);
}


/* ---- ICU ---------------------------------------------------------------- */

static int
icu_fails(UErrorCode *error, const char *name)
{
    if (U_SUCCESS(*error) && fails(FAULT_ICU, name)) {
        *error = (UErrorCode) fault.error;
        return 1;
    }

    return 0;
}


/*
 * A function of ICU that reports `error`, or returns `failed`.  A macro, for
 * its parameters are repeated three times otherwise.
 */
#define FAILS(type, failed, name, parameters, arguments)                     \
    type ICU(__real_##name) parameters;                                      \
                                                                             \
    type ICU(__wrap_##name) parameters                                       \
    {                                                                        \
        return icu_fails(error, #name) ? (failed)                            \
                                       : ICU(__real_##name) arguments;       \
    }

/*
 * One that makes an object, counted by its member of `fault`; memory of ICU
 * does not fail inside if `heap` is 0: it loads data, and ICU 72 crashes or
 * deadlocks then.
 */
#define OPENS(type, counter, heap, name, parameters, arguments)              \
    type *ICU(__real_##name) parameters;                                     \
                                                                             \
    type *ICU(__wrap_##name) parameters                                      \
    {                                                                        \
        unsigned kinds = fault.kinds;                                        \
        type    *object = NULL;                                              \
                                                                             \
        if (!icu_fails(error, #name)) {                                      \
            fault.kinds &= (heap) ? ~0u : ~FAULT_ICU_HEAP;                   \
            object = ICU(__real_##name) arguments;                           \
            fault.kinds = kinds;                                             \
            fault.counter += object != NULL;                                 \
        }                                                                    \
                                                                             \
        return object;                                                       \
    }

#define CLOSES(type, counter, name)                                          \
    void ICU(__real_##name)(type * object);                                  \
                                                                             \
    void ICU(__wrap_##name)(type * object)                                   \
    {                                                                        \
        fault.counter -= object != NULL;                                     \
        ICU(__real_##name)(object);                                          \
    }

#include "icu_calls.h"


UCollator *ICU(__real_ucol_open)(const char *locale, UErrorCode *error);

/*
 * The first call loads the data, as in OPENS.  The core makes this call while
 * the configuration is read; later calls may fail.
 */
UCollator *
ICU(__wrap_ucol_open)(const char *locale, UErrorCode *error)
{
    static int loaded;
    unsigned   kinds = fault.kinds;
    UCollator *collator;

    if (icu_fails(error, "ucol_open")) {
        return NULL;
    }

    fault.kinds = loaded ? kinds : kinds & ~FAULT_ICU_HEAP;
    collator = ICU(__real_ucol_open)(locale, error);
    fault.kinds = kinds;
    fault.collators += collator != NULL;
    loaded |= collator != NULL;

    return collator;
}


int32_t ICU(__real_ucol_getSortKey)(const UCollator *, const UChar *, int32_t,
                                    uint8_t *, int32_t);

/* This function can only report an error by returning 0. */
int32_t
ICU(__wrap_ucol_getSortKey)(const UCollator *collator, const UChar *text,
                            int32_t len, uint8_t *key, int32_t size)
{
    return fails(FAULT_ICU, "ucol_getSortKey")
               ? 0
               : ICU(__real_ucol_getSortKey)(collator, text, len, key, size);
}


UBiDi *ICU(__real_ubidi_open)(void);

UBiDi *
ICU(__wrap_ubidi_open)(void)
{
    return fails(FAULT_ICU, "ubidi_open") ? NULL : ICU(__real_ubidi_open)();
}


/* ---- libidn2 ------------------------------------------------------------ */

int  __real_idn2_lookup_u8(const uint8_t *from, uint8_t **to, int flags);
void __real_idn2_free(void *name);

int
__wrap_idn2_lookup_u8(const uint8_t *from, uint8_t **to, int flags)
{
    int code;

    if (fails(FAULT_IDN, "idn2_lookup_u8")) {
        return fault.error;
    }

    code = __real_idn2_lookup_u8(from, to, flags);
    fault.names += code == IDN2_OK;

    return code;
}


void
__wrap_idn2_free(void *name)
{
    fault.names -= name != NULL;
    __real_idn2_free(name);
}
