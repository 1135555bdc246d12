/*
 * walk.c - reads a tree, directory by directory
 */

#include <string.h>
#include <sys/stat.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "cli.h"

typedef struct {
    const char         *root;
    apr_pool_t         *queue_pool; /* of the paths in the queues */
    apr_array_header_t *queue;      /* directories to read, char * */
    apr_array_header_t *links;      /* links to read after these, char * */
    apr_hash_t         *seen; /* walk_id_t; NULL: links are not followed */
    cli_directory_t     directory; /* the current one */
} cli_walk_t;

typedef struct {
    dev_t device;
    ino_t inode;
} walk_id_t;


/* ---- directories that are read once -------------------------------------- */

/* Remember a directory.  Returns: 1; 0: it is remembered already; -1: stat
   failed. */
static int
walk_remember(cli_walk_t *walk, const char *path)
{
    walk_id_t  *id = apr_pcalloc(walk->queue_pool, sizeof(*id));
    struct stat st;

    if (stat(path, &st) != 0) {
        return -1;
    }
    id->device = st.st_dev;
    id->inode = st.st_ino;
    if (apr_hash_get(walk->seen, id, sizeof(*id)) != NULL) {
        return 0;
    }
    apr_hash_set(walk->seen, id, sizeof(*id), id);
    return 1;
}


/* Remember the root, and the directories that contain it: a link to one of them
   would lead to files that are not of this tree. */
static void
walk_see_root(cli_walk_t *walk)
{
    const char *path = apr_pstrcat(walk->queue_pool, walk->root, "/.", NULL);

    while (walk_remember(walk, path) == 1) {
        path = apr_pstrcat(walk->queue_pool, path, "/..", NULL);
    }
}


/* ---- one directory ------------------------------------------------------- */

/* The type of an entry; that of its target if links are followed.  Some file
   systems do not return the type with the name. */
static apr_filetype_e
walk_type(const cli_walk_t *walk, const apr_finfo_t *entry)
{
    const cli_directory_t *directory = &walk->directory;
    apr_finfo_t            info;
    int links = entry->filetype == APR_LNK && walk->seen != NULL;

    if (entry->filetype != APR_NOFILE && entry->filetype != APR_UNKFILE
        && !links) {
        return entry->filetype;
    }
    return apr_stat(&info,
                    apr_pstrcat(directory->pool, walk->root, "/",
                                directory->path, entry->name, NULL),
                    APR_FINFO_TYPE | (links ? 0 : APR_FINFO_LINK),
                    directory->pool)
                   == APR_SUCCESS
               ? info.filetype
               : APR_NOFILE;
}


static void
walk_entry(cli_walk_t *walk, const apr_finfo_t *entry)
{
    cli_directory_t *directory = &walk->directory;
    iri_str_t       *name;
    size_t           len = strlen(entry->name);

    if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0) {
        return;
    }
    name = apr_array_push(directory->names);
    name->data = apr_pmemdup(directory->pool, entry->name, len + 1);
    name->len = len;
    if (walk_type(walk, entry) == APR_DIR) {
        APR_ARRAY_PUSH(entry->filetype == APR_LNK ? walk->links : walk->queue,
                       char *) = apr_pstrcat(walk->queue_pool,
                                             directory->path, entry->name,
                                             "/", NULL);
    }
}


/* Read the names of the current directory, and queue its subdirectories. */
static void
walk_read(cli_walk_t *walk)
{
    cli_directory_t *directory = &walk->directory;
    apr_dir_t       *dir;
    apr_finfo_t      entry;
    apr_status_t     rv;

    directory->error = apr_dir_open(
        &dir,
        apr_pstrcat(directory->pool, walk->root, "/", directory->path, NULL),
        directory->pool);
    if (directory->error != APR_SUCCESS) {
        return;
    }
    for (;;) {
        rv = apr_dir_read(&entry, APR_FINFO_DIRENT | APR_FINFO_TYPE, dir);
        if (rv != APR_SUCCESS && rv != APR_INCOMPLETE) {
            break;
        }
        walk_entry(walk, &entry);
    }
    if (!APR_STATUS_IS_ENOENT(rv)) {
        directory->error = rv;
    }
    apr_dir_close(dir);
}


/* The next directory: a link if there is no other one. */
static const char *
walk_next(cli_walk_t *walk)
{
    apr_array_header_t *queue = walk->queue->nelts > 0 ? walk->queue
                                                       : walk->links;

    return queue->nelts > 0 ? *(char **) apr_array_pop(queue) : NULL;
}


/* 1 if the current directory was read already, by another path. */
static int
walk_is_seen(cli_walk_t *walk)
{
    const cli_directory_t *directory = &walk->directory;

    return walk->seen != NULL && *directory->path != '\0'
           && walk_remember(walk, apr_pstrcat(directory->pool, walk->root,
                                              "/", directory->path, NULL))
                  == 0;
}


iri_status_t
cli_walk(apr_pool_t *pool, const char *root, int follow, cli_visit_t visit,
         void *arg)
{
    cli_walk_t   walk;
    iri_status_t status = IRI_OK;

    memset(&walk, 0, sizeof(walk));
    walk.root = root;
    apr_pool_create(&walk.queue_pool, pool);
    apr_pool_create(&walk.directory.pool, pool);
    walk.queue = apr_array_make(walk.queue_pool, 64, sizeof(char *));
    walk.links = apr_array_make(walk.queue_pool, 4, sizeof(char *));
    if (follow) {
        walk.seen = apr_hash_make(walk.queue_pool);
        walk_see_root(&walk);
    }
    APR_ARRAY_PUSH(walk.queue, const char *) = "";
    while (status == IRI_OK
           && (walk.directory.path = walk_next(&walk)) != NULL) {
        walk.directory.seen = walk_is_seen(&walk);
        walk.directory.names = apr_array_make(walk.directory.pool, 64,
                                              sizeof(iri_str_t));
        walk.directory.error = APR_SUCCESS;
        if (!walk.directory.seen) {
            walk_read(&walk);
        }
        status = visit(arg, &walk.directory);
        apr_pool_clear(walk.directory.pool);
    }
    apr_pool_destroy(walk.directory.pool);
    apr_pool_destroy(walk.queue_pool);
    return status;
}
