/*
 * walk.c - reads a tree, directory by directory
 *
 * Links to directories are not followed.
 */

#include <string.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "cli.h"

typedef struct {
    const char         *root;
    apr_pool_t         *queue_pool; /* of the paths in the queue */
    apr_array_header_t *queue;      /* directories to read, char * */
    cli_directory_t     directory;  /* the current one */
} cli_walk_t;


/* Some file systems do not return the type with the name; then call stat. */
static int
walk_is_directory(const cli_walk_t *walk, const apr_finfo_t *entry)
{
    const cli_directory_t *directory = &walk->directory;
    apr_finfo_t            info;

    if (entry->filetype != APR_NOFILE && entry->filetype != APR_UNKFILE) {
        return entry->filetype == APR_DIR;
    }
    return apr_stat(&info,
                    apr_pstrcat(directory->pool, walk->root, "/",
                                directory->path, entry->name, NULL),
                    APR_FINFO_TYPE | APR_FINFO_LINK, directory->pool)
               == APR_SUCCESS
           && info.filetype == APR_DIR;
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
    if (walk_is_directory(walk, entry)) {
        APR_ARRAY_PUSH(walk->queue, char *) = apr_pstrcat(
            walk->queue_pool, directory->path, entry->name, "/", NULL);
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

    directory->names = apr_array_make(directory->pool, 64, sizeof(iri_str_t));
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


iri_status_t
cli_walk(apr_pool_t *pool, const char *root, cli_visit_t visit, void *arg)
{
    cli_walk_t   walk;
    iri_status_t status = IRI_OK;

    memset(&walk, 0, sizeof(walk));
    walk.root = root;
    if (apr_pool_create(&walk.queue_pool, pool) != APR_SUCCESS
        || apr_pool_create(&walk.directory.pool, pool) != APR_SUCCESS)
    {
        return IRI_NO_MEMORY;
    }
    walk.queue = apr_array_make(walk.queue_pool, 64, sizeof(char *));
    APR_ARRAY_PUSH(walk.queue, const char *) = "";
    while (status == IRI_OK && walk.queue->nelts > 0) {
        walk.directory.path = *(char **) apr_array_pop(walk.queue);
        walk_read(&walk);
        status = visit(arg, &walk.directory);
        apr_pool_clear(walk.directory.pool);
    }
    apr_pool_destroy(walk.directory.pool);
    apr_pool_destroy(walk.queue_pool);
    return status;
}
