/*
 * test_dir.c - the POSIX file system interface of the core
 *
 * Covers: the kind of entry at a path, through links and where nothing exists;
 * which errors mean absence and which end a search; a listing gives each entry
 * except "." and "..", stops when the callback says so, and reports a
 * directory that cannot be listed; a file of 3 GB and one dated 2100; and a
 * search on a real tree, end to end.
 */

/* For the test's own calls, as in iri_dir_posix.c. */
#ifndef __LP64__
#undef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#undef _TIME_BITS
#define _TIME_BITS 64
#endif

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"

static char root[] = "/tmp/iri-core-XXXXXX";


static const char *
at(const char *name)
{
    static char path[4][8192];
    static int  turn;

    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof(path[0]), "%s%s", root, name);

    return path[turn];
}


static void
touch(const char *name)
{
    int fd = open(at(name), O_WRONLY | O_CREAT, 0644);

    assert_true(fd >= 0);
    close(fd);
}


void
core_set_up(void)
{
    assert_non_null(mkdtemp(root));
    touch("/file");
    touch("/e\xcc\x81");
    touch("/\xc3\xa2\xcc\xa3");
    touch("/\xff%s");

    assert_false(mkdir(at("/dir"), 0755) || symlink("dir", at("/to-dir"))
                 || symlink("file", at("/to-file"))
                 || symlink("nothing", at("/dangling"))
                 || symlink("loop", at("/loop")) || mkdir(at("/empty"), 0755)
                 || mkdir(at("/closed"), 0755));
}


void
core_tear_down(void)
{
    static const char *const names[] = {
        "/closed", "/dir",   "/to-dir", "/to-file",   "/dangling",
        "/loop",   "/empty", "/file",   "/e\xcc\x81", "/\xc3\xa2\xcc\xa3",
        "/\xff%s", ""
    };
    size_t i;

    chmod(at("/closed"), 0755);

    for (i = 0; i < COUNT(names); i++) {
        assert_int_equal(remove(at(names[i])), 0);
    }
}


static iri_node_kind_t
kind(const char *name)
{
    iri_node_t node;

    assert_ok(iri_dir_posix.stat(NULL, at(name), &node));

    if (node.kind == IRI_NODE_DIR || node.kind == IRI_NODE_OTHER) {
        assert_int_not_equal(node.ino, 0);
        assert_true(node.mtime > INT64_C(1000000000) * 1000000000);
        assert_true(node.ctime >= node.mtime);

    } else {
        assert_int_equal(node.ino, 0);
        assert_int_equal(node.dev, 0);
        assert_int_equal(node.mtime, 0);
        assert_int_equal(node.ctime, 0);
    }

    return node.kind;
}


TEST(test_stat)
{
    char long_name[400];

    memset(long_name, 'a', sizeof(long_name) - 1);
    long_name[0] = '/';
    long_name[sizeof(long_name) - 1] = '\0';

    assert_int_equal(kind("/file"), IRI_NODE_OTHER);
    assert_int_equal(kind("/dir"), IRI_NODE_DIR);
    assert_int_equal(kind("/dir/"), IRI_NODE_DIR);
    assert_int_equal(kind("/to-dir"), IRI_NODE_DIR);
    assert_int_equal(kind("/to-file"), IRI_NODE_OTHER);
    assert_int_equal(kind("/dangling"), IRI_NODE_OTHER);
    assert_int_equal(kind("/none"), IRI_NODE_ABSENT);
    assert_int_equal(kind("/none/more"), IRI_NODE_ABSENT);
    assert_int_equal(kind("/file/more"), IRI_NODE_NOT_DIR);
    assert_int_equal(kind("/file/"), IRI_NODE_NOT_DIR);
    assert_int_equal(kind("/loop/more"), IRI_NODE_ABSENT);
    assert_int_equal(kind(long_name), IRI_NODE_ABSENT);
}


/* A size and a time that need more than 31 bits. */
TEST(test_large_file)
{
    struct timespec late[2] = { { INT64_C(4102444800), 0 },
                                { INT64_C(4102444800), 0 } };
    iri_node_t      node;
    int             fd;

    fd = open(at("/large"), O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t) 3 << 30), 0);
    assert_int_equal(kind("/large"), IRI_NODE_OTHER);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(futimens(fd, late), 0);
    assert_int_equal(close(fd), 0);
    assert_ok(iri_dir_posix.stat(NULL, at("/large"), &node));
    /* The file system may not be able to store times after 2038. */
    assert_true(node.mtime >= INT64_C(2147483647) * 1000000000);
    assert_int_equal(remove(at("/large")), 0);
}


/* Through a link it is the same directory, by device and inode. */
TEST(test_link_to_directory)
{
    iri_node_t a, b;

    assert_ok(iri_dir_posix.stat(NULL, at("/dir"), &a));
    assert_ok(iri_dir_posix.stat(NULL, at("/to-dir"), &b));
    assert_int_equal(a.ino, b.ino);
    assert_int_equal(a.dev, b.dev);
}


typedef struct {
    size_t entries, dots, until;
    int    odd;
} seen_t;


static iri_status_t
each(void *arg, iri_str_t name)
{
    seen_t *seen = arg;

    seen->entries++;
    seen->dots += name.data[0] == '.';
    seen->odd |= iri_str_equal(name, S("\xff%s"));

    return seen->entries == seen->until ? IRI_NO_MEMORY : IRI_OK;
}


TEST(test_list)
{
    seen_t     seen = { 0, 0, 0, 0 };
    iri_node_t node, there;

    assert_ok(iri_dir_posix.list(NULL, root, &node, each, &seen));
    assert_int_equal(seen.entries, 11);
    assert_int_equal(seen.dots, 0);
    assert_true(seen.odd);

    /* The open directory is the one that stat reports. */
    assert_ok(iri_dir_posix.stat(NULL, root, &there));
    assert_int_equal(node.kind, IRI_NODE_DIR);
    assert_true(node.dev == there.dev && node.ino == there.ino);
    assert_true(node.mtime == there.mtime && node.ctime == there.ctime);

    memset(&seen, 0, sizeof(seen));
    assert_ok(iri_dir_posix.list(NULL, at("/empty"), &node, each, &seen));
    assert_int_equal(seen.entries, 0);

    seen.until = 3;
    assert_int_equal(iri_dir_posix.list(NULL, root, &node, each, &seen),
                     IRI_NO_MEMORY);
    assert_int_equal(seen.entries, 3);

    assert_int_equal(
        iri_dir_posix.list(NULL, at("/none"), &node, each, &seen),
        IRI_IO_FAILED);
    assert_int_equal(node.kind, IRI_NODE_ABSENT);
}


/* A directory without search permission: stat gives an error, not absence. */
TEST(test_no_permission)
{
    seen_t     seen = { 0, 0, 0, 0 };
    iri_node_t node;

    assert_int_equal(chmod(root, 0755), 0);
    assert_int_equal(chmod(at("/closed"), 0), 0);

    /* Root may search everything: run as nobody meanwhile. */
    if (geteuid() == 0) {
        assert_int_equal(seteuid(65534), 0);
    }

    assert_int_equal(iri_dir_posix.stat(NULL, at("/closed/x"), &node),
                     IRI_IO_FAILED);
    assert_int_equal(
        iri_dir_posix.list(NULL, at("/closed"), &node, each, &seen),
        IRI_NOT_LISTED);
    assert_int_equal(seen.entries, 0);
    assert_int_equal(node.kind, IRI_NODE_ABSENT);
    assert_int_equal(seteuid(getuid()), 0);
}


TEST(test_find)
{
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY,
                                     IRI_FOLD_NORMALIZATION);
    iri_search_t    search = { .tree = &tree,
                               .root = core_str(root),
                               .path = S("/\xc3\xa9") };
    iri_found_t     found;

    core.env.dir = &iri_dir_posix;
    assert_ok(iri_find(&core.env, &search, &found));
    assert_int_equal(found.verdict, IRI_SERVE);
    assert_text(found.filename, at("/e\xcc\x81"));

    search.path = S("/\xe1\xba\xad");
    assert_ok(iri_find(&core.env, &search, &found));
    assert_int_equal(found.verdict, IRI_SERVE);
    assert_text(found.filename, at("/\xc3\xa2\xcc\xa3"));

    search.path = S("/\xe8\xa1\xa8");
    assert_ok(iri_find(&core.env, &search, &found));
    assert_int_equal(found.verdict, IRI_PASS);
    assert_int_equal(found.why, IRI_WHY_ABSENT);
}
