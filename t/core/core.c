/*
 * core.c - shared support of the core's unit tests: see core.h
 *
 * Every allocation is a block of its own, so that a sanitizer detects an
 * access past its end, and allocated memory is never initialized.
 */

#include <errno.h> /* program_invocation_short_name */
#include <stdlib.h>

#include <apr_general.h>
#include <apr_pools.h>

#include <unicode/uchar.h>
#include <unicode/ucnv_err.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "index/iri_index_cache_apr.h"
#include "core.h"

typedef union core_block_u core_block_t;

union core_block_u {
    core_block_t *next;
    long double   align;
};

core_t core;

static core_t *const   core_of_test = &core;
static const iri_env_t core_env;


/* ---- arena -------------------------------------------------------------- */

static int
core_fails(size_t count, size_t at, int on)
{
    return at != 0 && (on ? count >= at : count == at);
}


static void *
core_alloc(void *ctx, size_t size)
{
    core_t       *core = ctx;
    core_block_t *block;

    if (core_fails(++core->allocs, core->fail_at, core->fail_on)) {
        return NULL;
    }

    block = malloc(sizeof(*block) + size);
    if (block == NULL) {
        abort();
    }

    block->next = core->blocks;
    core->blocks = block;

    return memset(block + 1, 0xa5, size);
}


void
core_forget(core_t *core)
{
    core_block_t *block, *next;

    for (block = core->blocks; block != NULL; block = next) {
        next = block->next;
        free(block);
    }

    core->blocks = NULL;
}


static void
core_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    core_t *core = ctx;

    if (line.len + 2 > sizeof(core->log) - core->log_len) {
        return;
    }

    memcpy(core->log + core->log_len, line.data, line.len);
    core->log_len += line.len;
    core->log[core->log_len++] = '\n';
    core->log[core->log_len] = '\0';
}


/* ---- tree --------------------------------------------------------------- */

static core_node_t *
core_child(core_node_t *node, iri_str_t name)
{
    core_node_t *child;

    for (child = node->first; child != NULL; child = child->next) {
        if (child->name.len == name.len
            && memcmp(child->name.data, name.data, name.len) == 0)
        {
            return child;
        }
    }

    return NULL;
}


static core_node_t *
core_add(core_t *core, core_node_t *node, iri_str_t name,
         iri_node_kind_t kind)
{
    core_node_t   *child = calloc(1, sizeof(*child) + name.len);
    unsigned char *octets = (unsigned char *) (child + 1);

    memcpy(octets, name.data, name.len);
    child->name.data = octets;
    child->name.len = name.len;
    child->node.kind = kind;
    child->node.dev = 7;
    child->node.ino = ++core->inodes;
    child->node.mtime = child->node.ctime = core->mtime;

    /* Inserted in front: a directory has no defined order. */
    child->next = node->first;
    node->first = child;
    node->children++;
    node->node.mtime = node->node.ctime = core->mtime;

    return child;
}


static size_t
core_part(iri_str_t path, size_t from, iri_str_t *part)
{
    while (from < path.len && path.data[from] == '/') {
        from++;
    }

    part->data = path.data + from;
    part->len = 0;

    while (from < path.len && path.data[from] != '/') {
        from++;
        part->len++;
    }

    return from;
}


core_node_t *
core_put(core_t *core, iri_str_t path)
{
    core_node_t *node = &core->root, *child;
    iri_str_t    part;
    size_t       at = 0;

    for (;;) {
        at = core_part(path, at, &part);
        if (part.len == 0) {
            return node;
        }

        child = core_child(node, part);
        if (child == NULL) {
            child = core_add(core, node, part,
                             at < path.len ? IRI_NODE_DIR : IRI_NODE_OTHER);
        }

        node = child;
    }
}


void
core_put_all(core_t *core, const char *entries)
{
    char   path[1200];
    size_t len;

    while (*entries != '\0') {
        len = strcspn(entries, "|");
        snprintf(path, sizeof(path), "/srv%.*s", (int) len, entries);
        core_put(core, core_str(path));
        entries += len + (entries[len] == '|');
    }
}


/* Walk down as the kernel does. */
static iri_node_kind_t
core_walk(core_t *core, iri_str_t path, core_node_t **out)
{
    core_node_t *node = &core->root;
    iri_str_t    part;
    size_t       at = 0;

    while (at < path.len) {
        if (node->node.kind != IRI_NODE_DIR) {
            return IRI_NODE_NOT_DIR;
        }

        at = core_part(path, at, &part);
        if (part.len == 0) {
            break;
        }

        if (part.len > 255) {
            return IRI_NODE_ABSENT;
        }

        node = core_child(node, part);
        if (node == NULL) {
            return IRI_NODE_ABSENT;
        }
    }

    *out = node;

    return node->node.kind;
}


core_node_t *
core_node(core_t *core, iri_str_t path)
{
    core_node_t    *node = NULL;
    iri_node_kind_t kind = core_walk(core, path, &node);

    return kind == IRI_NODE_DIR || kind == IRI_NODE_OTHER ? node : NULL;
}


static int
core_io_fails(core_t *core)
{
    return core_fails(core->stats + core->lists, core->io_fail_at,
                      core->io_fail_on);
}


static iri_status_t
core_stat(void *ctx, const char *path, iri_node_t *out)
{
    core_t      *core = ctx;
    core_node_t *node = NULL;
    iri_str_t    s = core_str(path);

    core->stats++;
    core->absolute &= path[0] == '/';

    if (core_io_fails(core)) {
        return IRI_IO_FAILED;
    }

    memset(out, 0, sizeof(*out));
    out->kind = core_walk(core, s, &node);

    if (node != NULL) {
        *out = node->node;
    }

    return IRI_OK;
}


static iri_status_t
core_list(void *ctx, const char *path, iri_node_t *opened,
          iri_dir_each_t each, void *arg)
{
    core_t      *core = ctx;
    core_node_t *node = NULL;
    iri_status_t status = IRI_OK;

    core->lists++;
    memset(opened, 0, sizeof(*opened));

    if (core_io_fails(core)
        || core_walk(core, core_str(path), &node) != IRI_NODE_DIR)
    {
        return IRI_IO_FAILED;
    }

    *opened = node->node;

    for (node = node->first; node != NULL && status == IRI_OK;
         node = node->next) {
        status = each(arg, node->name);
    }

    return status;
}


const iri_dir_t core_dir = { core_stat, core_list };


static void
core_tree_free(core_node_t *node)
{
    core_node_t *child, *next;

    for (child = node->first; child != NULL; child = next) {
        next = child->next;
        core_tree_free(child);
        free(child);
    }
}


static void *
core_keys_alloc(void *ctx, size_t size)
{
    return malloc(size);
}


static iri_fold_keys_t *core_keys;


static void
core_keys_free(void)
{
    free(core_keys);
}


void
core_init(core_t *core)
{
    if (core == core_of_test) {
        core_free(core);
    }

    memset(core, 0, sizeof(*core));

    if (core_keys == NULL) {
        core->env.alloc = core_keys_alloc;
        core_keys = iri_fold_keys_create(&core->env);
        assert_non_null(core_keys);
        atexit(core_keys_free);
    }

    core->env = core_env;
    core->env.fold_keys = core_keys;
    core->env.ctx = core;
    core->env.alloc = core_alloc;
    core->env.log = core_log;
    core->dir = core_dir;
    core->env.dir = &core->dir;

    core->mtime = INT64_C(1000000000000000000); /* in 2001 */
    core->absolute = 1;
    core->root.node.kind = IRI_NODE_DIR;
    core->root.node.dev = 7;
    core->root.node.ino = ++core->inodes;
    core->root.node.mtime = core->root.node.ctime = core->mtime;
}


void
core_free(core_t *core)
{
    core_forget(core);
    core_tree_free(&core->root);
    memset(&core->root, 0, sizeof(core->root));
}


/* ---- caches ------------------------------------------------------------- */

typedef struct core_cache_s core_cache_t;

struct core_cache_s {
    core_cache_t      *next;
    apr_pool_t        *pool;
    iri_index_cache_t *cache;
    iri_index_state_t *(*lock)(iri_index_cache_t *cache);
    void (*unlock)(iri_index_cache_t *cache);
    size_t locks;
    int    held;
};

static core_cache_t *core_caches;


static core_cache_t *
core_cache_of(const iri_index_cache_t *cache)
{
    core_cache_t *one = core_caches;

    while (one != NULL && one->cache != cache) {
        one = one->next;
    }

    return one;
}


static iri_index_state_t *
core_cache_lock(iri_index_cache_t *cache)
{
    core_cache_t      *one = core_cache_of(cache);
    iri_index_state_t *state = one->lock(cache);

    one->locks++;
    if (one->held++ != 0) {
        abort();
    }

    return state;
}


static void
core_cache_unlock(iri_index_cache_t *cache)
{
    core_cache_t *one = core_cache_of(cache);

    if (--one->held != 0) {
        abort();
    }

    one->unlock(cache);
}


iri_index_cache_t *
core_cache(size_t size)
{
    static int    begun;
    core_cache_t *one;
    apr_pool_t   *pool;

    if (!begun) {
        assert_int_equal(apr_initialize(), APR_SUCCESS);
        begun = 1;
    }

    assert_int_equal(apr_pool_create(&pool, NULL), APR_SUCCESS);
    one = apr_pcalloc(pool, sizeof(*one));
    one->pool = pool;
    one->cache = iri_index_cache_apr_create(pool, size);
    assert_non_null(one->cache);
    one->lock = one->cache->lock;
    one->unlock = one->cache->unlock;
    one->cache->lock = core_cache_lock;
    one->cache->unlock = core_cache_unlock;
    one->next = core_caches;
    core_caches = one;

    return one->cache;
}


void
core_cache_free(iri_index_cache_t *cache)
{
    core_cache_t **at, *one = core_cache_of(cache);

    if (cache == NULL) {
        return;
    }

    assert_int_equal(one->held, 0);

    for (at = &core_caches; *at != one; at = &(*at)->next) {
        /* void */
    }

    *at = one->next;
    apr_pool_destroy(one->pool);
}


size_t
core_cache_locks(const iri_index_cache_t *cache)
{
    return core_cache_of(cache)->locks;
}


/* ---- charsets ----------------------------------------------------------- */

static core_t          core_config;
static iri_registry_t *core_shared;


static void
core_config_free(void)
{
    core_free(&core_config);
}


iri_registry_t *
core_registry(void)
{
    if (core_shared == NULL) {
        core_init(&core_config);
        core_shared = iri_registry_create(&core_config.env);
        assert_non_null(core_shared);
        atexit(core_config_free);
    }

    return core_shared;
}


const iri_detector_t *
core_detector(void)
{
    static iri_detector_t *detector;

    if (detector == NULL) {
        detector = iri_detector_create(core_registry());
        assert_non_null(detector);
    }

    return detector;
}


static iri_host_conf_t    core_host_conf;
static iri_confusables_t *core_look;


static void
core_icu_free(void)
{
    iri_idna_destroy((iri_idna_t *) (uintptr_t) core_host_conf.idna);
    iri_confusables_destroy(core_look);
    core_host_conf.idna = NULL;
    core_look = NULL;
}


const iri_host_conf_t *
core_hosts(void)
{
    if (core_host_conf.idna == NULL) {
        core_host_conf.idna = iri_idna_create();
        assert_non_null(core_host_conf.idna);
        atexit(core_icu_free);
    }

    return &core_host_conf;
}


const iri_confusables_t *
core_confusables(void)
{
    if (core_look == NULL) {
        core_look = iri_confusables_create();
        assert_non_null(core_look);
        atexit(core_icu_free);
    }

    return core_look;
}


const iri_charset_t *
core_charset(const char *label)
{
    iri_charsets_t one = core_charsets(label);

    return one.at[0];
}


iri_charsets_t
core_charsets(const char *labels)
{
    iri_charsets_t out;
    iri_str_t      words[IRI_MAX_CHARSETS];
    const char    *error;
    size_t         count = 0, len;

    memset(&out, 0, sizeof(out));

    while (labels != NULL && *labels != '\0') {
        len = strcspn(labels, " ");
        words[count].data = (const unsigned char *) labels;
        words[count++].len = len;
        labels += len + strspn(labels + len, " ");
    }

    if (count != 0) {
        error = iri_parse_charsets(core_registry(), words, count, 0, &out);
        if (error != NULL) {
            fail_msg("%s", error);
        }
    }

    return out;
}


iri_tree_conf_t
core_tree(const char *labels, iri_filename_form_t names, unsigned match)
{
    iri_tree_conf_t    tree;
    iri_reading_conf_t reading;

    memset(&reading, 0, sizeof(reading));
    memset(&tree, 0, sizeof(tree));

    tree.charsets = core_charsets(labels);
    tree.names = names;
    tree.match = match;
    iri_tree_conf_finish(&reading, &tree);

    return tree;
}


/* ---- a search ----------------------------------------------------------- */

void
core_find_init(core_find_t *find, const char *charsets, const char *tree,
               iri_filename_form_t names, unsigned match)
{
    memset(find, 0, sizeof(*find));
    core_init(&core);
    core_put(&core, S("/srv/"));
    find->conf.charsets = core_charsets(charsets);
    find->conf.invalid = IRI_INVALID_PASS;
    find->tree.charsets = core_charsets(tree);
    find->tree.names = names;
    find->tree.match = match;
    iri_tree_conf_finish(&find->conf, &find->tree);
    find->search.tree = &find->tree;
    find->search.root = S("/srv");
}


void
core_find_read(core_find_t *find, iri_str_t target)
{
    find->request.target = target;
    find->request.path = core_unescape(target, find->octets);
    assert_ok(
        iri_read(&core.env, &find->conf, &find->request, &find->reading));
    find->search.path = find->reading.path;
    find->search.reading = &find->reading;
}


void
core_find(core_find_t *find)
{
    assert_ok(iri_find(&core.env, &find->search, &find->found));
}


/* ---- readings, slowly --------------------------------------------------- */

int
core_stays(uint32_t c)
{
    return c == 0x037e || c == 0x1fef || c == 0x212a;
}


int
core_is_scalar(uint32_t c)
{
    return c < 0xd800 || (c > 0xdfff && c <= 0x10ffff);
}


size_t
core_normalize_part(const uint32_t *c, size_t count, int nfd, uint32_t *out)
{
    static UChar        from[2 * CORE_LONG], to[10 * CORE_LONG];
    UErrorCode          error = U_ZERO_ERROR;
    const UNormalizer2 *icu = nfd ? unorm2_getNFDInstance(&error)
                                  : unorm2_getNFCInstance(&error);
    UChar32             one;
    int32_t             n = 0, i;
    size_t              k;

    assert_true(count <= CORE_LONG);

    for (k = 0; k < count; k++) {
        U16_APPEND_UNSAFE(from, n, (UChar32) c[k]);
    }

    n = unorm2_normalize(icu, from, n, to, (int32_t) COUNT(to), &error);
    assert_true(U_SUCCESS(error));

    for (k = 0, i = 0; i < n; k++) {
        U16_NEXT(to, i, n, one);
        out[k] = (uint32_t) one;
    }

    return k;
}


size_t
core_normalize(const uint32_t *c, size_t count, int nfd, uint32_t *out)
{
    size_t from = 0, to, len = 0;

    for (to = 0; to <= count; to++) {
        if (to < count && !core_stays(c[to])) {
            continue;
        }

        len += core_normalize_part(c + from, to - from, nfd, out + len);

        if (to < count) {
            out[len++] = c[to];
        }

        from = to + 1;
    }

    return len;
}


int
core_too_many_marks(const uint32_t *c, size_t count)
{
    size_t i, run = 0;

    for (i = 0; i < count; i++) {
        run = u_getCombiningClass((UChar32) c[i]) != 0 ? run + 1 : 0;
        if (run > 30) {
            return 1;
        }
    }

    return 0;
}


/* ---- charsets ------------------------------------------------------------ */

const core_supported_t core_supported[CORE_SUPPORTED] = {
    { "IBM866", 0, 0 },       { "ISO-8859-2", 0, 0 },
    { "ISO-8859-3", 0, 0 },   { "ISO-8859-4", 0, 0 },
    { "ISO-8859-5", 0, 0 },   { "ISO-8859-6", 0, 0 },
    { "ISO-8859-7", 0, 0 },   { "ISO-8859-8", 0, 0 },
    { "ISO-8859-8-I", 0, 0 }, { "ISO-8859-10", 0, 0 },
    { "ISO-8859-13", 0, 0 },  { "ISO-8859-14", 0, 0 },
    { "ISO-8859-15", 0, 0 },  { "ISO-8859-16", 0, 0 },
    { "KOI8-R", 0, 0 },       { "KOI8-U", 0, 0 },
    { "macintosh", 0, 0 },    { "windows-874", 0, 0 },
    { "windows-1250", 0, 0 }, { "windows-1251", 0, 0 },
    { "windows-1252", 0, 0 }, { "windows-1253", 0, 0 },
    { "windows-1254", 0, 0 }, { "windows-1255", 0, 0 },
    { "windows-1256", 0, 0 }, { "windows-1257", 0, 0 },
    { "windows-1258", 0, 0 }, { "x-mac-cyrillic", 0, 0 },
    { "GBK", 0, 1 },          { "gb18030", 0, 1 },
    { "Big5", 0, 0 },         { "EUC-JP", 1, 0 },
    { "Shift_JIS", 0, 0 },    { "EUC-KR", 0, 0 },
};


/* ---- characters, by others than the core ------------------------------- */

int
core_is_path_char(unsigned char c)
{
    return c != '\0'
           && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                     "0123456789-._~!$&'()*+,;=:@/",
                     c)
                  != NULL;
}


/* ---- strings, numbers, files -------------------------------------------- */

iri_str_t
core_str(const char *text)
{
    iri_str_t s = { strlen(text), (const unsigned char *) text };

    return s;
}


iri_str_t
core_utf8(const uint32_t *c, size_t count, unsigned char *out)
{
    iri_str_t s = { 0, out };
    size_t    i;

    for (i = 0; i < count; i++) {
        s.len += iri_utf8_put(c[i], out + s.len);
    }

    return s;
}


iri_str_t
core_unescape(iri_str_t s, unsigned char *out)
{
    iri_str_t u = { 0, out };
    size_t    i;
    unsigned  octet;
    char      hex[3] = "";

    for (i = 0; i < s.len; i++) {
        if (s.data[i] == '%') {
            memcpy(hex, s.data + i + 1, 2);
            octet = (unsigned) strtoul(hex, NULL, 16);
            i += 2;
        } else {
            octet = s.data[i];
        }

        out[u.len++] = (unsigned char) octet;
    }

    return u;
}


uint32_t
core_random(uint32_t n)
{
    static uint64_t state;
    const char     *seed;

    if (state == 0) {
        seed = getenv("IRI_SEED");
        state = seed != NULL ? strtoull(seed, NULL, 0) : 0;
        state = state * 2 + UINT64_C(0x9e3779b97f4a7c15);
    }

    /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;

    return (uint32_t) ((state * UINT64_C(2685821657736338717) >> 32) % n);
}


const char *
core_show(iri_str_t s)
{
    static char text[8][512];
    static int  turn;
    char       *out = text[turn = (turn + 1) % 8];
    size_t      i, len = 0;

    for (i = 0; i < s.len && len + 8 < sizeof(text[0]); i++) {
        len += (size_t) (s.data[i] > 0x20 && s.data[i] < 0x7f
                             ? snprintf(out + len, 8, "%c", s.data[i])
                             : snprintf(out + len, 8, "\\x%02X", s.data[i]));
    }

    snprintf(out + len, 8, "%s", i < s.len ? "..." : "");

    return out;
}


void
core_assert_str(iri_str_t got, iri_str_t want, const char *what,
                const char *file, int line)
{
    if (got.len != want.len
        || (got.len != 0 && memcmp(got.data, want.data, got.len) != 0))
    {
        print_error("%s:%d: %s is \"%s\", not \"%s\"\n", file, line, what,
                    core_show(got), core_show(want));
        _fail(file, line);
    }
}


int
core_sweeps(void)
{
    const char *how = getenv("IRI_SWEEP");

    return how != NULL && strcmp(how, "all") == 0;
}


FILE *
core_data(const char *path)
{
    const char *shared = getenv("IRI_SHARED");
    char        name[1024];
    FILE       *file;

    snprintf(name, sizeof(name), "%s/data/%s",
             shared != NULL ? shared : "../shared", path);
    file = fopen(name, "r");

    if (file == NULL && strrchr(path, '/') != NULL) {
        snprintf(name, sizeof(name), "/usr/share/unicode%s",
                 strrchr(path, '/'));
        file = fopen(name, "r");
    }

    if (file == NULL) {
        print_message("# no %s below $IRI_SHARED or ../shared\n", path);
    }

    return file;
}


iri_status_t
core_location(const iri_env_t *env, const iri_reading_t *reading,
              iri_str_t path, const iri_str_t *query, iri_str_t *out)
{
    iri_redirect_t redirect;

    memset(&redirect, 0, sizeof(redirect));
    redirect.reading = reading;
    redirect.path = path;

    if (query != NULL) {
        redirect.has_query = 1;
        redirect.query = *query;
    }

    return iri_redirect_location(env, &redirect, out);
}


/* ---- tests -------------------------------------------------------------- */

static struct CMUnitTest core_tests[64];
static size_t            core_test_count;


#pragma weak core_set_up
void
core_set_up(void)
{
}


#pragma weak core_tear_down
void
core_tear_down(void)
{
}


static int
core_begin(void **state)
{
    core_init(&core);

    return 0;
}


static int
core_end(void **state)
{
    core_free(&core);

    while (core_caches != NULL) {
        core_cache_free(core_caches->cache);
    }

    return 0;
}


static int
core_first(void **state)
{
    core_set_up();

    return 0;
}


static int
core_last(void **state)
{
    core_tear_down();

    return 0;
}


void
core_test(const char *name, CMUnitTestFunction function)
{
    struct CMUnitTest test = { name, function, core_begin, core_end, NULL };

    if (core_test_count == COUNT(core_tests)) {
        abort();
    }

    core_tests[core_test_count++] = test;
}


int
core_run(void)
{
    return _cmocka_run_group_tests(program_invocation_short_name, core_tests,
                                   core_test_count, core_first, core_last);
}


#pragma weak main
int
main(void)
{
    return core_run();
}
