/*
 * iri_dir_posix.c - the POSIX file system as an iri_dir_t
 *
 * Reads directories and file attributes only (lstat; stat for the target of a
 * symbolic link; readdir).  The server opens files itself, by its own rules for
 * symbolic links.
 */

/*
 * With a 32-bit long, lstat fails with EOVERFLOW for files of 2 GB, 64-bit
 * inodes and times after 2038 unless these macros are defined.  They change no
 * type that other files see, so the server may be compiled without them.
 */
#ifndef __LP64__
#undef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#undef _TIME_BITS
#define _TIME_BITS 64
#endif

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iri_types.h"


static iri_status_t
iri_posix_error(int error, iri_node_t *node)
{
    memset(node, 0, sizeof(*node));

    switch (error) {
    case ENOENT:
    case ENAMETOOLONG:
    case ELOOP:
        node->kind = IRI_NODE_ABSENT;
        return IRI_OK;

    case ENOTDIR:
        node->kind = IRI_NODE_NOT_DIR;
        return IRI_OK;

    default:
        return IRI_IO_FAILED;
    }
}


/*
 * Nanoseconds since the epoch.  A time that is too far from it wraps around,
 * which only causes cache misses.
 */
static int64_t
iri_posix_time(struct timespec t)
{
    return (int64_t) ((uint64_t) t.tv_sec * 1000000000
                      + (uint64_t) t.tv_nsec);
}


static void
iri_posix_node(const struct stat *st, iri_node_t *node)
{
    node->kind = S_ISDIR(st->st_mode) ? IRI_NODE_DIR : IRI_NODE_OTHER;
    node->dev = (uint64_t) st->st_dev;
    node->ino = (uint64_t) st->st_ino;
    node->mtime = iri_posix_time(st->st_mtim);
    node->ctime = iri_posix_time(st->st_ctim);
}


static iri_status_t
iri_posix_stat(void *ctx, const char *path, iri_node_t *node)
{
    struct stat st, target;

    (void) ctx;

    if (lstat(path, &st) != 0) {
        return iri_posix_error(errno, node);
    }

    /* A dangling link is an entry too: the server decides the answer. */
    if (S_ISLNK(st.st_mode) && stat(path, &target) == 0) {
        st = target;
    }

    iri_posix_node(&st, node);

    return IRI_OK;
}


static iri_status_t
iri_posix_entries(DIR *dir, iri_dir_each_t each, void *arg)
{
    struct dirent *entry;
    iri_status_t   status;
    iri_str_t      name;

    for (;;) {
        errno = 0;
        entry = readdir(dir);

        if (entry == NULL) {
            return errno == 0 ? IRI_OK : IRI_IO_FAILED;
        }

        if (strcmp(entry->d_name, ".") == 0
            || strcmp(entry->d_name, "..") == 0) {
            continue;
        }

        name.data = (const unsigned char *) entry->d_name;
        name.len = strlen(entry->d_name);

        status = each(arg, name);
        if (status != IRI_OK) {
            return status;
        }
    }
}


static iri_status_t
iri_posix_list(void *ctx, const char *path, iri_node_t *node,
               iri_dir_each_t each, void *arg)
{
    DIR         *dir;
    struct stat  st;
    iri_status_t status;

    (void) ctx;

    memset(node, 0, sizeof(*node));

    dir = opendir(path);
    if (dir == NULL) {
        return errno == EACCES ? IRI_NOT_LISTED : IRI_IO_FAILED;
    }

    if (fstat(dirfd(dir), &st) == 0) {
        iri_posix_node(&st, node);
        status = iri_posix_entries(dir, each, arg);

    } else {
        status = IRI_IO_FAILED;
    }

    (void) closedir(dir);

    return status;
}


const iri_dir_t iri_dir_posix = { iri_posix_stat, iri_posix_list };
