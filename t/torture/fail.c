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

#include <unicode/ubrk.h>
#include <unicode/ucnv.h>
#include <unicode/uclean.h>
#include <unicode/ucol.h>
#include <idn2.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#pragma GCC visibility push(hidden)

/* Set by the linker: the address of this module. */
extern const char __ehdr_start[];
extern const char _end[];

void *torture_malloc(size_t size);
void *torture_calloc(size_t count, size_t size);
void *torture_realloc(void *block, size_t size);
void  torture_free(void *block);
void *torture_mmap(void *at, size_t size, int protection, int flags, int fd,
                   off_t offset);
void *torture_mremap(void *block, size_t size, size_t to, int flags);
void *torture_dlopen(const char *path, int flags);
int   torture_lstat(const char *path, struct stat *st);
int   torture_stat(const char *path, struct stat *st);
int   torture_fstat(int fd, struct stat *st);
int   torture_stat64(const char *path, struct stat64 *st);
int   torture_fstat64(int fd, struct stat64 *st);
int torture_fstatat64(int fd, const char *name, struct stat64 *st, int flags);
int torture_access(const char *path, int mode);
int torture_faccessat(int fd, const char *name, int mode, int flags);
DIR           *torture_opendir(const char *path);
int            torture_closedir(DIR *dir);
struct dirent *torture_readdir(DIR *dir);
void           torture_u_init(UErrorCode *error);
UChar *
torture_u_strFromUTF8(UChar *to, int32_t size, int32_t *len, const char *from,
                      int32_t from_len, UErrorCode *error);
UConverter *torture_ucnv_open(const char *name, UErrorCode *error);
void
torture_ucnv_setToUCallBack(UConverter *converter, UConverterToUCallback to,
                            const void *ctx, UConverterToUCallback *old,
                            const void **old_ctx, UErrorCode *error);
void
torture_ucnv_setFromUCallBack(UConverter             *converter,
                              UConverterFromUCallback from, const void *ctx,
                              UConverterFromUCallback *old,
                              const void **old_ctx, UErrorCode *error);
void
torture_ucnv_toUnicode(UConverter *converter, UChar **to, const UChar *to_end,
                       const char **from, const char *from_end,
                       int32_t *offsets, UBool flush, UErrorCode *error);
void
torture_ucnv_fromUnicode(UConverter *converter, char **to, const char *to_end,
                         const UChar **from, const UChar *from_end,
                         int32_t *offsets, UBool flush, UErrorCode *error);
const UNormalizer2 *torture_unorm2_getNFCInstance(UErrorCode *error);
const UNormalizer2 *torture_unorm2_getNFDInstance(UErrorCode *error);
const UNormalizer2 *torture_unorm2_getNFKCInstance(UErrorCode *error);
int32_t torture_unorm2_normalize(const UNormalizer2 *norm, const UChar *from,
                                 int32_t from_len, UChar *to, int32_t size,
                                 UErrorCode *error);
int32_t
torture_u_strFoldCase(UChar *to, int32_t size, const UChar *from,
                      int32_t from_len, uint32_t options, UErrorCode *error);
int32_t
torture_unorm2_spanQuickCheckYes(const UNormalizer2 *norm, const UChar *from,
                                 int32_t from_len, UErrorCode *error);
int32_t     torture_unorm2_getRawDecomposition(const UNormalizer2 *norm,
                                               UChar32 c, UChar *to, int32_t size,
                                               UErrorCode *error);
UScriptCode torture_uscript_getScript(UChar32 c, UErrorCode *error);
UBreakIterator        *
torture_ubrk_open(UBreakIteratorType type, const char *locale,
                         const UChar *text, int32_t len, UErrorCode *error);
void   torture_ubrk_setUText(UBreakIterator *iterator, UText *text,
                             UErrorCode *error);
UText *torture_utext_openUTF8(UText *text, const char *from, int64_t len,
                              UErrorCode *error);
UIDNA *torture_uidna_openUTS46(uint32_t options, UErrorCode *error);
int32_t
torture_uidna_nameToASCII_UTF8(const UIDNA *idna, const char *from,
                               int32_t from_len, char *to, int32_t size,
                               UIDNAInfo *info, UErrorCode *error);
int32_t
torture_uidna_nameToUnicodeUTF8(const UIDNA *idna, const char *from,
                                int32_t from_len, char *to, int32_t size,
                                UIDNAInfo *info, UErrorCode *error);
UCollator *torture_ucol_open(const char *locale, UErrorCode *error);
void       torture_ucol_setAttribute(UCollator *collator, UColAttribute which,
                                     UColAttributeValue value, UErrorCode *error);
int32_t torture_ucol_getSortKey(const UCollator *collator, const UChar *from,
                                int32_t from_len, uint8_t *to, int32_t size);
int     torture_idn2_lookup_u8(const uint8_t *from, uint8_t **to, int flags);

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


/* ---- memory -------------------------------------------------------------- */

static void *
fail_held(void *block)
{
    if (block != NULL) {
        fail_hold_block(1);
    }

    return block;
}


void *
torture_malloc(size_t size)
{
    return fail_now(FAIL_MEMORY, "malloc") ? NULL : fail_held(malloc(size));
}


void *
torture_calloc(size_t count, size_t size)
{
    return fail_now(FAIL_MEMORY, "calloc") ? NULL
                                           : fail_held(calloc(count, size));
}


void *
torture_realloc(void *block, size_t size)
{
    void *grown = fail_now(FAIL_MEMORY, "realloc") ? NULL
                                                   : realloc(block, size);

    if (block == NULL) {
        fail_held(grown);
    }

    return grown;
}


void *
torture_mmap(void *at, size_t size, int protection, int flags, int fd,
             off_t offset)
{
    return fail_now(FAIL_MEMORY, "mmap")
               ? MAP_FAILED
               : mmap(at, size, protection, flags, fd, offset);
}


void *
torture_mremap(void *block, size_t size, size_t to, int flags)
{
    return fail_now(FAIL_MEMORY, "mremap") ? MAP_FAILED
                                           : mremap(block, size, to, flags);
}


void
torture_free(void *block)
{
    if (block != NULL) {
        fail_hold_block(-1);
    }

    free(block);
}


void *
torture_dlopen(const char *path, int flags)
{
    return fail_now(FAIL_MEMORY, "dlopen") ? NULL : dlopen(path, flags);
}


/* ---- files --------------------------------------------------------------- */

#define FAIL_WITH_ERRNO(name, failure)                                       \
    if (fail_now(FAIL_FILES, name)) {                                        \
        errno = fail_error();                                                \
        return failure;                                                      \
    }


int
torture_lstat(const char *path, struct stat *st)
{
    FAIL_WITH_ERRNO("lstat", -1)

    return lstat(path, st);
}


int
torture_stat(const char *path, struct stat *st)
{
    FAIL_WITH_ERRNO("stat", -1)

    return stat(path, st);
}


int
torture_fstat(int fd, struct stat *st)
{
    FAIL_WITH_ERRNO("fstat", -1)

    return fstat(fd, st);
}


int
torture_stat64(const char *path, struct stat64 *st)
{
    FAIL_WITH_ERRNO("stat64", -1)

    return stat64(path, st);
}


int
torture_fstat64(int fd, struct stat64 *st)
{
    FAIL_WITH_ERRNO("fstat64", -1)

    return fstat64(fd, st);
}


int
torture_fstatat64(int fd, const char *name, struct stat64 *st, int flags)
{
    FAIL_WITH_ERRNO("fstatat64", -1)

    return fstatat64(fd, name, st, flags);
}


int
torture_access(const char *path, int mode)
{
    FAIL_WITH_ERRNO("access", -1)

    return access(path, mode);
}


int
torture_faccessat(int fd, const char *name, int mode, int flags)
{
    FAIL_WITH_ERRNO("faccessat", -1)

    return faccessat(fd, name, mode, flags);
}


DIR *
torture_opendir(const char *path)
{
    DIR *dir;

    FAIL_WITH_ERRNO("opendir", NULL)

    dir = opendir(path);
    if (dir != NULL) {
        fail_hold_dir(1);
    }

    return dir;
}


int
torture_closedir(DIR *dir)
{
    fail_hold_dir(-1);

    return closedir(dir);
}


struct dirent *
torture_readdir(DIR *dir)
{
    FAIL_WITH_ERRNO("readdir", NULL)

    return readdir(dir);
}


/* ---- ICU ----------------------------------------------------------------- */

#define FAIL_ICU_CALL(name, failure)                                         \
    if (fail_now(FAIL_ICU, name)) {                                          \
        *error = U_MEMORY_ALLOCATION_ERROR;                                  \
        return failure;                                                      \
    }

#define FAIL_NOTHING


void
torture_u_init(UErrorCode *error)
{
    FAIL_ICU_CALL("u_init", FAIL_NOTHING)

    u_init(error);
}


UChar *
torture_u_strFromUTF8(UChar *to, int32_t size, int32_t *len, const char *from,
                      int32_t from_len, UErrorCode *error)
{
    FAIL_ICU_CALL("u_strFromUTF8", NULL)

    return u_strFromUTF8(to, size, len, from, from_len, error);
}


UConverter *
torture_ucnv_open(const char *name, UErrorCode *error)
{
    FAIL_ICU_CALL("ucnv_open", NULL)

    return ucnv_open(name, error);
}


void
torture_ucnv_setToUCallBack(UConverter *converter, UConverterToUCallback to,
                            const void *ctx, UConverterToUCallback *old,
                            const void **old_ctx, UErrorCode *error)
{
    FAIL_ICU_CALL("ucnv_setToUCallBack", FAIL_NOTHING)

    ucnv_setToUCallBack(converter, to, ctx, old, old_ctx, error);
}


void
torture_ucnv_setFromUCallBack(UConverter             *converter,
                              UConverterFromUCallback from, const void *ctx,
                              UConverterFromUCallback *old,
                              const void **old_ctx, UErrorCode *error)
{
    FAIL_ICU_CALL("ucnv_setFromUCallBack", FAIL_NOTHING)

    ucnv_setFromUCallBack(converter, from, ctx, old, old_ctx, error);
}


void
torture_ucnv_toUnicode(UConverter *converter, UChar **to, const UChar *to_end,
                       const char **from, const char *from_end,
                       int32_t *offsets, UBool flush, UErrorCode *error)
{
    FAIL_ICU_CALL("ucnv_toUnicode", FAIL_NOTHING)

    ucnv_toUnicode(converter, to, to_end, from, from_end, offsets, flush,
                   error);
}


void
torture_ucnv_fromUnicode(UConverter *converter, char **to, const char *to_end,
                         const UChar **from, const UChar *from_end,
                         int32_t *offsets, UBool flush, UErrorCode *error)
{
    FAIL_ICU_CALL("ucnv_fromUnicode", FAIL_NOTHING)

    ucnv_fromUnicode(converter, to, to_end, from, from_end, offsets, flush,
                     error);
}


const UNormalizer2 *
torture_unorm2_getNFCInstance(UErrorCode *error)
{
    FAIL_ICU_CALL("unorm2_getNFCInstance", NULL)

    return unorm2_getNFCInstance(error);
}


const UNormalizer2 *
torture_unorm2_getNFDInstance(UErrorCode *error)
{
    FAIL_ICU_CALL("unorm2_getNFDInstance", NULL)

    return unorm2_getNFDInstance(error);
}


const UNormalizer2 *
torture_unorm2_getNFKCInstance(UErrorCode *error)
{
    FAIL_ICU_CALL("unorm2_getNFKCInstance", NULL)

    return unorm2_getNFKCInstance(error);
}


int32_t
torture_unorm2_normalize(const UNormalizer2 *norm, const UChar *from,
                         int32_t from_len, UChar *to, int32_t size,
                         UErrorCode *error)
{
    FAIL_ICU_CALL("unorm2_normalize", 0)

    return unorm2_normalize(norm, from, from_len, to, size, error);
}


int32_t
torture_u_strFoldCase(UChar *to, int32_t size, const UChar *from,
                      int32_t from_len, uint32_t options, UErrorCode *error)
{
    FAIL_ICU_CALL("u_strFoldCase", 0)

    return u_strFoldCase(to, size, from, from_len, options, error);
}


int32_t
torture_unorm2_spanQuickCheckYes(const UNormalizer2 *norm, const UChar *from,
                                 int32_t from_len, UErrorCode *error)
{
    FAIL_ICU_CALL("unorm2_spanQuickCheckYes", 0)

    return unorm2_spanQuickCheckYes(norm, from, from_len, error);
}


int32_t
torture_unorm2_getRawDecomposition(const UNormalizer2 *norm, UChar32 c,
                                   UChar *to, int32_t size, UErrorCode *error)
{
    FAIL_ICU_CALL("unorm2_getRawDecomposition", 0)

    return unorm2_getRawDecomposition(norm, c, to, size, error);
}


UScriptCode
torture_uscript_getScript(UChar32 c, UErrorCode *error)
{
    FAIL_ICU_CALL("uscript_getScript", USCRIPT_INVALID_CODE)

    return uscript_getScript(c, error);
}


UBreakIterator *
torture_ubrk_open(UBreakIteratorType type, const char *locale,
                  const UChar *text, int32_t len, UErrorCode *error)
{
    FAIL_ICU_CALL("ubrk_open", NULL)

    return ubrk_open(type, locale, text, len, error);
}


void
torture_ubrk_setUText(UBreakIterator *iterator, UText *text,
                      UErrorCode *error)
{
    FAIL_ICU_CALL("ubrk_setUText", )

    ubrk_setUText(iterator, text, error);
}


UText *
torture_utext_openUTF8(UText *text, const char *from, int64_t len,
                       UErrorCode *error)
{
    FAIL_ICU_CALL("utext_openUTF8", text)

    return utext_openUTF8(text, from, len, error);
}


UIDNA *
torture_uidna_openUTS46(uint32_t options, UErrorCode *error)
{
    FAIL_ICU_CALL("uidna_openUTS46", NULL)

    return uidna_openUTS46(options, error);
}


int32_t
torture_uidna_nameToASCII_UTF8(const UIDNA *idna, const char *from,
                               int32_t from_len, char *to, int32_t size,
                               UIDNAInfo *info, UErrorCode *error)
{
    FAIL_ICU_CALL("uidna_nameToASCII_UTF8", 0)

    return uidna_nameToASCII_UTF8(idna, from, from_len, to, size, info,
                                  error);
}


int32_t
torture_uidna_nameToUnicodeUTF8(const UIDNA *idna, const char *from,
                                int32_t from_len, char *to, int32_t size,
                                UIDNAInfo *info, UErrorCode *error)
{
    FAIL_ICU_CALL("uidna_nameToUnicodeUTF8", 0)

    return uidna_nameToUnicodeUTF8(idna, from, from_len, to, size, info,
                                   error);
}


UCollator *
torture_ucol_open(const char *locale, UErrorCode *error)
{
    FAIL_ICU_CALL("ucol_open", NULL)

    return ucol_open(locale, error);
}


void
torture_ucol_setAttribute(UCollator *collator, UColAttribute which,
                          UColAttributeValue value, UErrorCode *error)
{
    FAIL_ICU_CALL("ucol_setAttribute", FAIL_NOTHING)

    ucol_setAttribute(collator, which, value, error);
}


/* This function has no error argument. */
int32_t
torture_ucol_getSortKey(const UCollator *collator, const UChar *from,
                        int32_t from_len, uint8_t *to, int32_t size)
{
    return fail_now(FAIL_ICU, "ucol_getSortKey")
               ? 0
               : ucol_getSortKey(collator, from, from_len, to, size);
}


int
torture_idn2_lookup_u8(const uint8_t *from, uint8_t **to, int flags)
{
    return fail_now(FAIL_MEMORY, "idn2_lookup_u8")
               ? IDN2_MALLOC
               : idn2_lookup_u8(from, to, flags);
}
