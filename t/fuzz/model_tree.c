/*
 * model_tree.c - the tree, for the model and for the core: see model.h
 *
 * The model reads the nodes; the core uses the functions of iri_dir_t. Every
 * block for the core is allocated separately, so that a sanitizer detects an
 * access past its end.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

#define ROOM (sizeof(((model_node_t *) NULL)->child) / sizeof(model_node_t *))

typedef union model_block_u model_block_t;

union model_block_u {
    model_block_t *next;
    long double    align;
};


/* ---- building ----------------------------------------------------------- */

static model_node_t *
model_node_new(model_tree_t *tree, model_list_t name, int is_dir)
{
    model_node_t *node = model_alloc(sizeof(*node));

    node->name = name;
    node->is_dir = is_dir;
    node->ino = ++tree->inodes;
    node->time = tree->time;

    return node;
}


void
model_tree_init(model_tree_t *tree, int news)
{
    model_list_t    none = { 0, 0, NULL };
    struct timespec now;

    memset(tree, 0, sizeof(*tree));
    tree->time = INT64_C(1000000000000000000); /* in 2001 */

    if (news && clock_gettime(CLOCK_REALTIME, &now) == 0) {
        tree->time = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    }

    tree->top = model_node_new(tree, none, 1);
}


model_node_t *
model_child(model_node_t *dir, model_list_t name)
{
    size_t i;

    for (i = 0; i < dir->count; i++) {
        if (model_same(dir->child[i]->name, name)) {
            return dir->child[i];
        }
    }

    return NULL;
}


model_node_t *
model_tree_add(model_tree_t *tree, model_node_t *dir, model_list_t name,
               int is_dir)
{
    model_node_t *node = model_child(dir, name);
    size_t        i;

    if (node != NULL) {
        return node;
    }

    if (dir->count == ROOM || name.len == 0 || name.len > 255
        || (name.at[0] == '.' && name.len == 1)
        || (name.at[0] == '.' && name.len == 2 && name.at[1] == '.'))
    {
        return NULL;
    }

    for (i = 0; i < name.len; i++) {
        if (name.at[i] == 0 || name.at[i] == '/') {
            return NULL;
        }
    }

    tree->time += 1000;
    dir->time = tree->time;
    node = model_node_new(tree, name, is_dir);
    dir->child[dir->count++] = node;

    return node;
}


void
model_tree_remove(model_tree_t *tree, model_node_t *dir, size_t index)
{
    tree->time += 1000;
    dir->time = tree->time;
    dir->child[index] = dir->child[--dir->count];
}


/* ---- memory ------------------------------------------------------------- */

static void *
model_arena(void *ctx, size_t size)
{
    model_tree_t  *tree = ctx;
    model_block_t *block = malloc(sizeof(*block) + size);

    if (block == NULL) {
        abort();
    }

    block->next = tree->blocks;
    tree->blocks = block;

    return memset(block + 1, 0xa5, size);
}


iri_str_t
model_core_string(model_tree_t *tree, model_list_t octets)
{
    unsigned char *data = model_arena(tree, octets.len);
    iri_str_t      s = { octets.len, data };
    size_t         i;

    for (i = 0; i < octets.len; i++) {
        data[i] = (unsigned char) octets.at[i];
    }

    return s;
}


/* ---- as the core sees it ------------------------------------------------ */

static model_list_t
model_next_part(const char **path)
{
    model_list_t part = { 0, 0, NULL };

    *path += strspn(*path, "/");
    while (**path != '\0' && **path != '/') {
        model_put(&part, (unsigned char) *(*path)++);
    }

    return part;
}


/* Walk down as the kernel does. */
static iri_status_t
model_walk(model_tree_t *tree, const char *path, iri_node_kind_t *kind,
           model_node_t **out)
{
    model_node_t *node = tree->top;
    model_list_t  part;

    if (path[0] != '/') {
        abort();
    }

    while (*path != '\0') {
        if (!node->is_dir) {
            *kind = IRI_NODE_NOT_DIR;
            return IRI_OK;
        }

        part = model_next_part(&path);
        if (part.len == 0) {
            break;
        }

        if (node->locked) {
            return IRI_IO_FAILED;
        }

        node = part.len > 255 ? NULL : model_child(node, part);
        if (node == NULL) {
            *kind = IRI_NODE_ABSENT;
            return IRI_OK;
        }
    }

    *kind = node->is_dir ? IRI_NODE_DIR : IRI_NODE_OTHER;
    *out = node;

    return IRI_OK;
}


static iri_status_t
model_stat(void *ctx, const char *path, iri_node_t *out)
{
    model_tree_t *tree = ctx;
    model_node_t *node = NULL;
    iri_status_t  status;

    tree->stats++;
    memset(out, 0, sizeof(*out));
    status = model_walk(tree, path, &out->kind, &node);

    if (status == IRI_OK && node != NULL) {
        out->dev = 7;
        out->ino = node->ino;
        out->mtime = out->ctime = node->time;
    }

    return status;
}


static iri_status_t
model_list_names(void *ctx, const char *path, iri_node_t *opened,
                 iri_dir_each_t each, void *arg)
{
    model_tree_t   *tree = ctx;
    model_node_t   *node = NULL;
    iri_node_kind_t kind;
    iri_status_t    status = model_walk(tree, path, &kind, &node);
    iri_str_t       name;
    size_t          i, k;

    tree->lists++;
    memset(opened, 0, sizeof(*opened));
    if (status != IRI_OK || node == NULL || !node->is_dir) {
        return IRI_IO_FAILED;
    }

    if (node->unlisted || node->locked) {
        return IRI_NOT_LISTED;
    }

    opened->kind = IRI_NODE_DIR;
    opened->dev = 7;
    opened->ino = node->ino;
    opened->mtime = opened->ctime = node->time;

    /* In a random order. */
    for (i = 0; i < node->count && status == IRI_OK; i++) {
        k = (i + (size_t) node->ino) % node->count;
        name = model_core_string(tree, node->child[k]->name);
        status = each(arg, name);
    }

    return status;
}


static const iri_dir_t model_dir = { model_stat, model_list_names };


iri_env_t
model_env(model_tree_t *tree)
{
    iri_env_t env;

    memset(&env, 0, sizeof(env));
    env.ctx = tree;
    env.alloc = model_arena;
    env.dir = &model_dir;

    return env;
}


void
model_env_free(model_tree_t *tree)
{
    model_block_t *block, *next;

    for (block = tree->blocks; block != NULL; block = next) {
        next = block->next;
        free(block);
    }

    tree->blocks = NULL;
}
