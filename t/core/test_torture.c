/*
 * test_torture.c - no failure below the core gives more access
 *
 * For requests of every kind on a real tree: with the n-th allocation, call of
 * the file system, of the clock or of ICU failing, once or from then on, for
 * each n and each plausible error, every function reports the error and writes
 * no output, or answers as without the failure, or answers less: an entry is
 * served as exactly that entry or not at all, and never redirected elsewhere;
 * of two candidates none is taken for the other.  Nothing is left open or
 * locked, and the next request, with the same cache, gets the right answer.
 * Settings are refused with an error message or are correct.  A host is mapped
 * correctly, refused, or not answered, also if libidn2 fails.
 *
 * See fault.h for the failures.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <idn2.h>

#include "fault.h"

#define N IRI_FOLD_NORMALIZATION
#define V IRI_FOLD_VARIANTS
#define W IRI_FOLD_WIDTH
#define C IRI_FOLD_CASE
#define A IRI_FOLD_ACCENTS
#define P IRI_FOLD_SPELLING

#define ANY IRI_FILENAME_ANY
#define NFC IRI_FILENAME_NFC
#define NFD IRI_FILENAME_NFD

/* Cases that use many functions of the core, in each of its ways. */
typedef struct {
    const char         *what;
    const char         *entries[5]; /* "x/" directory, "x>y" link; "*" many */
    const char         *target;     /* as sent */
    const char         *charsets;   /* iri_charset; NULL: none */
    const char         *tree;       /* iri_filename_charset; NULL: UTF-8 */
    iri_filename_form_t names;
    size_t   prefix; /* length of the part of the path that root replaces */
    unsigned match;  /* besides normalization */
    int      write;
} case_t;

/* clang-format off */
static const case_t cases[] = {
    { "there", { "\xc3\xa9" }, .target = "/%C3%A9" },
    { "in NFD", { "e\xcc\x81" }, .target = "/%C3%A9",
      .charsets = "windows-1252" },
    { "absent", { "e\xcc\x81" }, .target = "/e%CC%81x" },
    { "in no form", { "\xc3\xa2\xcc\xa3", "\xe2\x84\xab", "\xe2\x84\xa6" },
      .target = "/%E1%BA%AD" },
    { "among many", { "*", "\xc3\xa2\xcc\xa3" }, .target = "/%E1%BA%AD" },
    { "twins", { "\xc3\xa2\xcc\xa3", "a\xcc\x82\xcc\xa3" },
      .target = "/a%CC%82%CC%A3", .charsets = "windows-1252" },
    { "twins, the exact one too",
      { "\xe1\xba\xad", "\xc3\xa2\xcc\xa3", "a\xcc\xa3\xcc\x82" },
      .target = "/%E1%BA%AD" },
    { "below what is in no form", { "\xc3\xa2\xcc\xa3/", "x" },
      .target = "/%E1%BA%AD/%E8%A1%A8/y", .tree = "utf-8 euc-jp" },
    { "an alternative reading", { "\xc9\xbd/", "\xc9\xbd/a" },
      .target = "/%C9%BD/a", .charsets = "euc-jp", .tree = "euc-jp" },
    { "absent below an alternative reading",
      { "\xc3\xa9/", "\xe8\xa1\xa8/" }, .target = "/%C9%BD/%A4%A2",
      .charsets = "euc-jp windows-1252" },
    { "a vendor variant", { "\xe3\x80\x9c/", "\xe3\x80\x9c/\xe8\xa1\xa8" },
      .target = "/%81%60/%95%5C", .charsets = "sjis" },
    { "a charset for each segment",
      { "\xe3\x81\x82/", "\xe3\x81\x82/\xe8\xa1\xa8" },
      .target = "/%A4%A2/%95%5C", .charsets = "euc-jp sjis" },
    { "several charsets", { "\xe9" }, .target = "/%E9",
      .charsets = "koi8-r windows-1252 ibm866",
      .tree = "windows-1252 koi8-r" },
    { "letters and tones", { "\xe2\xec" }, .target = "/%E1%BA%A5",
      .tree = "windows-1258" },
    { "letters and tones, or three letters", { "\xe2\xec", "\xe1\xba\xa5" },
      .target = "/%E1%BA%A5", .charsets = "windows-1252",
      .tree = "windows-1258" },
    { "declared NFD", { "e\xcc\x81/" }, .target = "/%C3%A9/%C3%A9",
      .names = NFD },
    { "declared NFC", { "a" }, .target = "/%C3%A9", .names = NFC },
    { "declared NFC, legacy", { "a" }, .target = "/%E9",
      .charsets = "windows-1252", .names = NFC },
    { "octets", { "\xff" }, .target = "/%FF" },
    { "octets, and more", { "\xff" }, .target = "/%FF/%F0%9F%98%80" },
    { "another's octets", { "\x95\\" }, .target = "/%95%5C",
      .tree = "sjis" },
    { "not to be written", { "a" }, .target = "/%C9%BD", .tree = "euc-jp" },
    { "ASCII", { "a" }, .target = "/a" },
    { "PATH_INFO", { "\xc3\xa9" }, .target = "/%C3%A9/%E8%A1%A8/%E9" },
    { "PATH_INFO of a legacy name", { "\xc9\xbd" },
      .target = "/%E8%A1%A8/%C9%BD", .tree = "euc-jp" },
    { "through a link", { "dir/", "dir/\xc3\xa9", "\xe8\xa1\xa8>dir" },
      .target = "/%E8%A1%A8/e%CC%81" },
    { "a link to nothing", { "\xe8\xa1\xa8>nothing" },
      .target = "/%E8%A1%A8" },
    { "an alias", { "e\xcc\x81" }, .target = "/%E8%A1%A8/%C3%A9",
      .charsets = "sjis", .prefix = 4 },
    { "malformed, refused", { "a" }, .target = "/%80%2F%80" },
    { "in another case", { "Name", "other" }, .target = "/NAME",
      .match = C },
    { "in another case, absent", { "Name" }, .target = "/NAMES",
      .match = C },
    { "all of it in another case",
      { "Dir/", "Dir/Sub/", "Dir/Sub/\xc3\x89t\xc3\xa9", "Dir/Sub/x" },
      .target = "/DIR/SUB/%C3%A9t%C3%A9", .match = C | A },
    { "two in another case", { "dir/", "dir/Name", "dir/nAme" },
      .target = "/dir/NAME", .match = C },
    { "two, below another directory", { "dir/", "dir/Name", "dir/nAme" },
      .target = "/Dir/NAME", .match = C },
    { "two directories, one with the file",
      { "dir/", "Dir/", "Dir/Name", "dir/x" }, .target = "/DIR/NAME",
      .match = C },
    { "the nearer directory has it not",
      { "dir/", "Dir/", "Dir/secret", "dir/x" }, .target = "/dir/secret",
      .match = C | A | P },
    { "width", { "\uff4eame" }, .target = "/name", .match = W | C },
    { "accents, in NFD", { "cafe\xcc\x81/", "cafe\xcc\x81/o\xcc\x88" },
      .target = "/cafe/%C3%B4", .match = A },
    { "one character too many", { "readme", "reader" }, .target = "/readyme",
      .match = C | P },
    { "two in the wrong order, not ASCII",
      { "\xd0\xb0\xd0\xb1\xd0\xb2\xd0\xb3", "x" },
      .target = "/%D0%91%D0%90%D0%B2%D0%B3", .match = C | P },
    { "spelling among many", { "*", "readme.html" },
      .target = "/Reedme.html", .match = C | P },
    { "two that one edit makes", { "word", "wood" }, .target = "/wo%C3%B6d",
      .match = C | P },
    { "Turkish, German", { "\xc4\xb0z", "Straesse", "K\xc3\xb6ln" },
      .target = "/koeLn",
      .match = C | A | IRI_FOLD_TURKIC | IRI_FOLD_GERMAN },
    { "an alternative reading in another case",
      { "\xe3\x81\x82/", "\xe3\x81\x82/Name" }, .target = "/%A4%A2/NAME",
      .charsets = "euc-jp windows-1252", .match = C },
    { "a legacy tree in another case", { "\xc9t\xe9" },
      .target = "/%C3%A9T%C3%A9", .tree = "windows-1252", .match = C },
    { "PATH_INFO in another case", { "Script" },
      .target = "/SCRIPT/Rest/%C3%A9", .match = C },
    { "an alias in another case", { "Name" }, .target = "/%E8%A1%A8/name",
      .prefix = 4, .match = C },
    { "written to", { "Name" }, .target = "/NAME", .match = W | C | P,
      .write = 1 },
    { "written to, in another width", { "Name" }, .target = "/N%EF%BD%81me",
      .match = W | C, .write = 1 },
    { "hidden", { ".htaccess" }, .target = "/%EF%BC%8Ehtaccess",
      .match = W | C | P },
};
/* clang-format on */

/* The directory that contains the directory of each case. */
static char base[] = "/tmp/iri-torture-XXXXXX";

/* Plausible errors, and the errors of absent entries. */
static const int errors[] = { EACCES, EIO,    EMFILE, ENFILE,    ENOMEM,
                              EINTR,  ESTALE, EPERM,  EOVERFLOW, EBADF };
static const int absences[] = { ENOENT, ELOOP, ENAMETOOLONG, ENOTDIR };
static const int no_error[] = { 0 }; /* of calls that only fail */
static const int icu_errors[] = { U_MEMORY_ALLOCATION_ERROR,
                                  U_FILE_ACCESS_ERROR,
                                  U_INTERNAL_PROGRAM_ERROR,
                                  U_MISSING_RESOURCE_ERROR };

/* More calls while a charset is built, and larger directories? */
static int
is_long_run(void)
{
    const char *how = getenv("IRI_TORTURE");

    return how != NULL && strcmp(how, "all") == 0;
}


/* ---- the tree ----------------------------------------------------------- */

static const char *
at(size_t i, const char *name)
{
    static char path[4][512];
    static int  turn;

    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof(path[0]), "%s/%lu%s%s", base,
             (unsigned long) i, name[0] != '\0' ? "/" : "", name);

    return path[turn];
}


static void
make_entry(size_t i, const char *entry)
{
    char   name[256], *link;
    int    fd;
    char   plain[32];
    size_t k;

    if (strcmp(entry, "*") == 0) {
        for (k = 0; k < (is_long_run() ? 300 : 30); k++) {
            snprintf(plain, sizeof(plain), "%s%lu",
                     k % 2 ? "\xe2\x84\xab" : "\xc3\xa9", (unsigned long) k);
            make_entry(i, plain);
        }

        return;
    }

    snprintf(name, sizeof(name), "%s", entry);
    link = strchr(name, '>');

    if (link != NULL) {
        *link++ = '\0';
        assert_int_equal(symlink(link, at(i, name)), 0);

    } else if (name[strlen(name) - 1] == '/') {
        assert_int_equal(mkdir(at(i, name), 0755), 0);

    } else {
        fd = open(at(i, name), O_WRONLY | O_CREAT, 0644);
        assert_true(fd >= 0);
        close(fd);
    }
}


void
core_set_up(void)
{
    size_t i, k;

    assert_true(fault_icu_memory());
    assert_non_null(mkdtemp(base));

    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(mkdir(at(i, ""), 0755), 0);

        for (k = 0; k < 5 && cases[i].entries[k] != NULL; k++) {
            make_entry(i, cases[i].entries[k]);
        }
    }
}


void
core_tear_down(void)
{
    char command[64];

    fault_print();
    snprintf(command, sizeof(command), "rm -r %s", base);

    assert_int_equal(system(command), 0);
}


/* ---- ICU's memory, before ICU is loaded --------------------------------- */

/* Do two charsets decode and encode equally? Every step-th code is compared. */
static int
same_tables(const iri_charset_t *a, const iri_charset_t *b, uint32_t step)
{
    unsigned char p[4], q[4];
    uint32_t      c, d, code;
    size_t        n;

    for (code = 0; code < 0x10000; code += step) {
        p[0] = (unsigned char) (code >> 8);
        p[1] = (unsigned char) code;
        p[2] = p[3] = 0xa1;
        c = d = 0;

        if (iri_charset_next(a, p, p + 4, &c)
                != iri_charset_next(b, p, p + 4, &d)
            || c != d)
        {
            return 0;
        }

        n = iri_charset_put(a, code, p);

        if (n != iri_charset_put(b, code, q) || memcmp(p, q, n) != 0) {
            return 0;
        }
    }

    return 1;
}


static iri_registry_t *
registry_of(core_t *core)
{
    core_init(core);
    fault_arena(core);

    return iri_registry_create(&core->env);
}


/*
 * ICU's own memory, from its first allocation on: each in a process of its own,
 * because ICU keeps its data loaded, and also remembers a failure to load it.
 */
static int
icu_memory_once(const char *label, size_t n, int on)
{
    core_t          core;
    iri_registry_t *registry;
    iri_charsets_t  list, again;
    iri_str_t       word = core_str(label);
    const char     *says = "";

    fault_set(FAULT_ICU_HEAP, n, on, 0);
    registry = registry_of(&core);

    if (registry != NULL) {
        says = iri_parse_charsets(registry, &word, 1, 0, &list);
    }

    fault.kinds = 0;

    if (says == NULL) {
        registry = registry_of(&core);

        if (registry == NULL
            || iri_parse_charsets(registry, &word, 1, 0, &again) != NULL
            || !same_tables(list.at[0], again.at[0], 1))
        {
            return 2;
        }
    }

    return fault.failed != 0;
}


static size_t
icu_memory(const char *label, int on)
{
    size_t n;
    pid_t  pid;
    int    status;

    for (n = 1;; n++) {
        fflush(NULL);
        pid = fork();
        assert_true(pid >= 0);

        if (pid == 0) {
            _exit(icu_memory_once(label, n, on));
        }

        assert_int_equal(waitpid(pid, &status, 0), pid);

        if (status == 0) {
            return n - 1;
        }

        if (!WIFEXITED(status) || WEXITSTATUS(status) != 1) {
            fail_msg("%s, ICU's allocation %lu: status %d", label,
                     (unsigned long) n, status);
        }
    }
}


TEST(test_icu_memory)
{
    static const char *const labels[] = { "windows-1252", "Shift_JIS",
                                          "gb18030", "Big5" };
    size_t                   i, sites = 0;

    for (i = 0; i < COUNT(labels); i++) {
        sites += icu_memory(labels[i], 0) + icu_memory(labels[i], 1);
    }

    assert_true(sites > 20);
}


/* ---- one request -------------------------------------------------------- */

typedef struct {
    const case_t       *one;
    core_t              core;
    iri_index_cache_t  *cache;
    iri_reading_conf_t  conf;
    iri_tree_conf_t     tree;
    iri_received_path_t request;
    unsigned char       octets[256];
    char                root[64];
    enum { COLD, WARM, NO_CACHE, CACHES } how; /* state of the cache */
} torture_t;

/* The result of each function; after a failure no further one is called. */
typedef struct {
    iri_status_t  status;
    const char   *stage;   /* the last function */
    int           reached; /* the number of functions that succeeded */
    iri_reading_t reading;
    iri_search_t  search;
    iri_found_t   found;
    iri_str_t     filename, path_info, uri, iri, location, name;
} outcome_t;


static void
forget_cache(torture_t *t)
{
    core_cache_free(t->cache);
    t->cache = NULL;

    if (t->how != NO_CACHE) {
        t->cache = core_cache(65536);
    }
}


/*
 * escaped: the path as httpd passes it, and with a trace, so that both kinds of
 * code run
 */
static void
torture_init(torture_t *t, size_t i, int escaped)
{
    memset(t, 0, sizeof(*t));
    core_init(&t->core);
    fault_arena(&t->core);
    t->core.env.dir = &iri_dir_posix;
    t->core.env.trace = escaped;

    t->one = &cases[i];
    snprintf(t->root, sizeof(t->root), "%s", at(i, ""));
    t->conf.charsets = core_charsets(cases[i].charsets);
    t->conf.invalid = strcmp(cases[i].what, "malformed, refused") == 0
                          ? IRI_INVALID_404
                          : IRI_INVALID_PASS;
    t->tree.charsets = core_charsets(cases[i].tree);
    t->tree.names = cases[i].names;
    t->tree.match = N | cases[i].match;
    t->tree.ambiguous = IRI_AMBIGUOUS_300;
    iri_tree_conf_finish(&t->conf, &t->tree);

    t->request.target = core_str(cases[i].target);
    t->request.escaped = escaped;
    t->request.path = escaped ? t->request.target
                              : core_unescape(t->request.target, t->octets);
}


static void
torture_free(torture_t *t)
{
    core_cache_free(t->cache);
    core_free(&t->core);
}


static int
is_untouched(const void *out, size_t size)
{
    const unsigned char *p = out;
    size_t               i;

    for (i = 0; i < size && p[i] == 0x5a; i++) { /* void */
    }

    return i == size;
}


/* Did the call succeed? If not, it must not have written its output. */
#define SUCCEEDED(o, call, out)                                              \
    succeeded((o), #call, (memset(&(out), 0x5a, sizeof(out)), (call)),       \
              &(out), sizeof(out))

static int
succeeded(outcome_t *o, const char *stage, iri_status_t status,
          const void *out, size_t size)
{
    o->status = status;
    o->stage = stage;

    if (status != IRI_OK && !is_untouched(out, size)) {
        fail_msg("%s failed and wrote", stage);
    }

    o->reached += status == IRI_OK;

    return status == IRI_OK;
}


/* The last segment, as octets that may be a name. */
static iri_str_t
last_segment(iri_str_t path)
{
    size_t i = path.len;

    while (i > 0 && path.data[i - 1] != '/') {
        i--;
    }

    return iri_str_from(path, i);
}


/* All calls that a server makes for one request. */
static void
run(torture_t *t, outcome_t *o)
{
    const iri_env_t *env = &t->core.env;
    iri_str_t        query = IRI_STR("a=b");

    memset(o, 0, sizeof(*o));

    if (!SUCCEEDED(o, iri_read(env, &t->conf, &t->request, &o->reading),
                   o->reading)
        || o->reading.verdict == IRI_REFUSE)
    {
        return;
    }

    o->search.tree = &t->tree;
    o->search.cache = t->cache;
    o->search.root = core_str(t->root);
    o->search.path = o->reading.path;
    o->search.prefix = t->one->prefix;
    o->search.write = t->one->write;
    o->search.reading = &o->reading;

    if (!SUCCEEDED(o, iri_find(env, &o->search, &o->found), o->found)
        || !SUCCEEDED(o, iri_path_to_uri(env, o->found.path, &o->uri), o->uri)
        || !SUCCEEDED(o, iri_path_to_iri(env, o->found.path, &o->iri), o->iri)
        || !SUCCEEDED(o,
                      core_location(env, &o->reading, o->found.path, &query,
                                    &o->location),
                      o->location)
        || !SUCCEEDED(o,
                      iri_entry_name(env, &t->tree,
                                     last_segment(o->reading.octets),
                                     &o->name),
                      o->name)
        || o->found.verdict == IRI_RESTART || o->found.verdict == IRI_REFUSE
        || o->found.verdict == IRI_CHOOSE)
    {
        return;
    }

    memset(&o->path_info, 0x5a, sizeof(o->path_info));
    (void) SUCCEEDED(o,
                     iri_found_split(env, &o->search, &o->found, &o->filename,
                                     &o->path_info),
                     o->filename);
}


/* ---- allowed results ---------------------------------------------------- */

static void
loose(const torture_t *t, const outcome_t *got, const outcome_t *want,
      const char *what)
{
    fail_msg("%s: %s: \"%s\" answered %s %s, %s; not %s %s, %s; %s failed as"
             " call %lu%s with %d",
             t->one->what, what, got->stage,
             iri_verdict_text(got->found.verdict),
             core_show(got->found.filename), core_show(got->found.path),
             iri_verdict_text(want->found.verdict),
             core_show(want->found.filename), core_show(want->found.path),
             fault.where, (unsigned long) fault.at, fault.on ? " and on" : "",
             fault.error);
}


static int
same_reading(const iri_reading_t *a, const iri_reading_t *b)
{
    return a->verdict == b->verdict && a->status == b->status
           && a->why == b->why && a->form == b->form && a->raw == b->raw
           && iri_str_equal(a->charset, b->charset)
           && iri_str_equal(a->path, b->path) && iri_str_equal(a->uri, b->uri)
           && iri_str_equal(a->octets, b->octets);
}


/*
 * If the list of candidates may be incomplete there is none, for example
 * without a cache.
 */
static int
same_choices(const iri_found_t *a, const iri_found_t *b)
{
    size_t i;

    for (i = 0; i < a->count && i < b->count; i++) {
        if (!iri_str_equal(a->choices[i], b->choices[i])) {
            return 0;
        }
    }

    return a->count == b->count || a->count == 0 || b->count == 0;
}


static int
same_found(const iri_found_t *a, const iri_found_t *b)
{
    return a->verdict == b->verdict && a->why == b->why
           && a->match == b->match && iri_str_equal(a->path, b->path)
           && iri_str_equal(a->charset, b->charset)
           && iri_str_equal(a->filename, b->filename) && same_choices(a, b);
}


static int
same_rest(const outcome_t *a, const outcome_t *b)
{
    return iri_str_equal(a->uri, b->uri) && iri_str_equal(a->iri, b->iri)
           && iri_str_equal(a->location, b->location)
           && iri_str_equal(a->name, b->name);
}


static int
same(const outcome_t *a, const outcome_t *b)
{
    return a->status == b->status && same_reading(&a->reading, &b->reading)
           && same_found(&a->found, &b->found) && same_rest(a, b)
           && iri_str_equal(a->filename, b->filename)
           && iri_str_equal(a->path_info, b->path_info);
}


/*
 * Are the names of the filename those of the path? The part below a file is
 * PATH_INFO and not encoded.
 */
static int
is_named(const torture_t *t, const iri_found_t *found, int false_absence)
{
    iri_str_t   disk = iri_str_from(found->filename, strlen(t->root));
    iri_str_t   path = iri_str_from(found->path, t->one->prefix);
    iri_str_t   octets, name, part;
    size_t      from = 0, to, at = 0, end;
    struct stat st;
    char        above[512];
    int         below_file = 0;

    for (/* void */; from <= disk.len; from = to + 1, at = end + 1) {
        if (at > path.len) {
            return 0;
        }

        to = iri_segment_end(disk, from);
        end = iri_segment_end(path, at);
        octets = (iri_str_t){ to - from, disk.data + from };
        part = (iri_str_t){ end - at, path.data + at };

        if (!iri_str_equal(octets, part) || !(below_file || false_absence)) {
            if (iri_entry_name(&t->core.env, &t->tree, octets, &name)
                != IRI_OK) {
                return 0;
            }

            /* Octets without a name are compared as they are. */
            name = name.len != 0 ? name : octets;

            if (!iri_str_equal(name, part)) {
                return 0;
            }
        }

        snprintf(above, sizeof(above), "%s%.*s", t->root, (int) to,
                 (const char *) disk.data);
        below_file |= stat(above, &st) == 0 && !S_ISDIR(st.st_mode);
    }

    return at > path.len;
}


/*
 * Check a result after a failure. false_absence: the file system reported an
 * entry as absent, so the result may be that of an absent entry.
 */
static void
check_found(torture_t *t, const outcome_t *got, const outcome_t *want,
            int false_absence)
{
    const iri_found_t *a = &got->found, *b = &want->found;

    switch (a->verdict) {
    case IRI_REFUSE:
        return;

    case IRI_SERVE:
        if (false_absence
                ? !is_named(t, a, 1)
                : b->verdict != IRI_SERVE || !iri_str_equal(a->path, b->path)
                      || !iri_str_equal(a->filename, b->filename))
        {
            loose(t, got, want, "served");
        }
        break;

    case IRI_RESTART:
        /* For an ambiguous path the filename ends before the candidates. */
        if (a->why == IRI_WHY_AMBIGUOUS
            && (false_absence
                || (b->verdict == IRI_RESTART
                    && iri_str_equal(a->path, b->path))))
        {
            return;
        }

        /* If a directory cannot be listed the result may be a shorter path. */
        if (false_absence
                    || (fault.error == EACCES && b->verdict == IRI_RESTART)
                ? !is_named(t, a, 1)
                : b->verdict != IRI_RESTART
                      || !iri_str_equal(a->path, b->path))
        {
            loose(t, got, want, "moved");
        }
        return;

    case IRI_CHOOSE:
        if (!false_absence
            && (b->verdict != IRI_CHOOSE || !same_choices(a, b))) {
            loose(t, got, want, "let choose");
        }
        return;

    default:
        if (!is_named(t, a, false_absence)) {
            loose(t, got, want, "passed");
        }

        /*
         * A failure is not absence, or a second entry with that name could be
         * created. But a directory that cannot be listed has results for exact
         * names only.
         */
        if (!false_absence && b->verdict != IRI_PASS
            && a->why != IRI_WHY_ERROR && fault.error != EACCES)
        {
            loose(t, got, want, "absent");
        }
    }

    if (!iri_str_equal(a->path, got->search.path)) {
        loose(t, got, want, "another path");
    }
}


/*
 * filename ends at a "/" of the found one, and the rest has the same segments.
 */
static void
check_split(torture_t *t, const outcome_t *got, const outcome_t *want)
{
    iri_str_t whole = got->found.filename;
    size_t    len = got->filename.len;

    if (got->filename.data == NULL) {
        return;
    }

    if (len < strlen(t->root) || len > whole.len
        || memcmp(got->filename.data, whole.data, len) != 0
        || (len < whole.len && whole.data[len] != '/')
        || iri_str_count(got->path_info, '/')
               != iri_str_count(iri_str_from(whole, len), '/'))
    {
        loose(t, got, want, "divided");
    }
}


/* The failure gives no more access. */
static void
check(torture_t *t, const outcome_t *got, const outcome_t *want,
      int false_absence)
{
    if (got->status != IRI_OK && got->status != IRI_NO_MEMORY
        && got->status != IRI_ICU_FAILED && got->status != IRI_IO_FAILED)
    {
        loose(t, got, want, iri_status_text(got->status));
    }

    if (got->reached == 0) {
        return;
    }

    if (!same_reading(&got->reading, &want->reading)) {
        loose(t, got, want, "read");
    }

    if (got->reached > 1) {
        check_found(t, got, want, false_absence);
    }

    if (got->status != IRI_OK || got->reading.verdict == IRI_REFUSE) {
        return;
    }

    if (same_found(&got->found, &want->found) && !same_rest(got, want)) {
        loose(t, got, want, "another URI, IRI, Location or name");
    }

    check_split(t, got, want);
}


/* Let the n-th call of these kinds fail. Returns: how many failed. */
static size_t
torture_once(torture_t *t, unsigned kinds, size_t n, int error, int on,
             int false_absence, const outcome_t *want)
{
    static outcome_t got;
    size_t           failed;
    long             blocks;

    forget_cache(t);
    blocks = fault.blocks;

    if (t->how == WARM) {
        run(t, &got);
    }

    fault_set(kinds, n, on, error);
    run(t, &got);
    failed = fault.failed;
    fault.kinds = 0;
    check(t, &got, want, false_absence);

    if (failed == 0 && !same(&got, want)) {
        loose(t, &got, want, "undisturbed");
    }

    /* The next request, with the same cache, gets the right result. */
    run(t, &got);

    if (!same(&got, want)) {
        loose(t, &got, want, "afterwards");
    }

    /* All memory is freed, except for cached indexes. */
    forget_cache(t);
    core_forget(&t->core);
    assert_int_equal(fault.blocks, blocks);
    assert_int_equal(fault.dirs, 0);
    assert_int_equal(fault.converters, 0);

    return failed;
}


/* Let each call of these kinds fail in turn. Returns: the number of calls. */
static size_t
torture(torture_t *t, unsigned kinds, int error, int on, int false_absence)
{
    static outcome_t want;
    void            *kept;
    size_t           n = 0, failed;

    forget_cache(t);
    run(t, &want);
    assert_int_equal(want.status, IRI_OK);
    kept = t->core.blocks;
    t->core.blocks = NULL;

    do {
        failed = torture_once(t, kinds, ++n, error, on, false_absence, &want);
    } while (failed != 0);

    t->core.blocks = kept;
    core_forget(&t->core);

    return n - 1;
}


/*
 * Each case in each way, with one failure and with all later calls failing.
 * Returns: the number of calls.
 */
static size_t
each_case(unsigned kinds, const int *error, size_t count, int false_absence)
{
    torture_t t;
    size_t    i, k, sites = 0;
    int       how;

    for (i = 0; i < COUNT(cases); i++) {
        for (how = 0; how < 4 * CACHES; how++) {
            torture_init(&t, i, how & 1);
            t.how = how / 4;

            for (k = 0; k < count; k++) {
                sites += torture(&t, kinds, error[k], how >> 1 & 1,
                                 false_absence);
            }

            torture_free(&t);
        }
    }

    return sites;
}


/* Each kind of failure: memory, the file system, the clock, ICU. */
TEST(test_cases)
{
    static const struct {
        unsigned   kinds;
        const int *error;
        size_t     count;
        int        false_absence;
        size_t     least; /* number of calls */
    } rows[] = {
        { FAULT_ARENA, no_error, 1, 0, 1000 },
        { FAULT_HEAP, no_error, 1, 0, 20 },
        { FAULT_ARENA | FAULT_HEAP, no_error, 1, 0, 1000 },
        { FAULT_FILES, errors, COUNT(errors), 0, 1000 },
        { FAULT_FILES, absences, COUNT(absences), 1, 500 },
        { FAULT_CLOCK, no_error, 1, 0, 20 },
        { FAULT_ICU, icu_errors, COUNT(icu_errors), 0, 1000 },
        /* ICU is not known to allocate memory of its own for a request. */
        { FAULT_ICU_HEAP, icu_errors, 1, 0, 0 },
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        assert_true(each_case(rows[i].kinds, rows[i].error, rows[i].count,
                              rows[i].false_absence)
                    >= rows[i].least);
    }
}


/*
 * Requests one after another, with a cache that has no room for all
 * directories.
 */
static size_t
cache_once(torture_t *t, const outcome_t *want, size_t count, size_t n,
           int on)
{
    static outcome_t   got;
    iri_index_cache_t *cache;
    long               blocks = fault.blocks;
    size_t             i, failed, turn;

    cache = core_cache(4096);
    fault_set(FAULT_HEAP, n, on, 0);

    for (turn = 0; turn < 3; turn++) {
        for (i = 0; i < count; i++) {
            t[i].cache = cache;
            run(&t[i], &got);
            check(&t[i], &got, &want[i], 0);

            if (turn == 2 && !same(&got, &want[i])) {
                loose(&t[i], &got, &want[i], "afterwards");
            }

            t[i].cache = NULL;
            core_forget(&t[i].core);
        }

        if (turn == 1) {
            fault.kinds = 0;
        }
    }

    failed = fault.failed;
    core_cache_free(cache);
    assert_int_equal(fault.blocks, blocks);

    return failed;
}


TEST(test_cache)
{
    static torture_t t[COUNT(cases)];
    static outcome_t want[COUNT(cases)];
    void            *kept[COUNT(cases)];
    size_t           i, n, sites = 0;
    int              on;

    for (i = 0; i < COUNT(cases); i++) {
        torture_init(&t[i], i, 0);
        run(&t[i], &want[i]);
        kept[i] = t[i].core.blocks;
        t[i].core.blocks = NULL;
    }

    for (on = 0; on < 2; on++) {
        for (n = 1; cache_once(t, want, COUNT(cases), n, on) != 0; n++) {
            sites++;
        }
    }

    for (i = 0; i < COUNT(cases); i++) {
        t[i].core.blocks = kept[i];
        torture_free(&t[i]);
    }

    assert_true(sites > 20);
}


/* The order of entries in a directory, and repeated entries, do not matter. */
TEST(test_orders)
{
    static outcome_t want, got;
    torture_t        t;
    size_t           i;
    int              order;

    for (i = 0; i < COUNT(cases); i++) {
        torture_init(&t, i, 0);
        run(&t, &want);

        for (order = 1; order < FAULT_ORDERS; order++) {
            fault.order = (fault_order_t) order;
            forget_cache(&t);
            run(&t, &got);
            fault.order = FAULT_IN_ORDER;

            if (!same(&got, &want)) {
                loose(&t, &got, &want, "in another order");
            }
        }

        torture_free(&t);
    }
}


/* ---- building elsewhere -------------------------------------------------- */

static iri_index_job_t *job;
static size_t           job_count;


static int
job_later(iri_index_cache_t *cache, iri_index_job_t *later)
{
    assert_null(job);
    job = later;
    job_count++;

    return 1;
}


static iri_verdict_t
ask_large(core_t *core, iri_index_cache_t *cache, const iri_tree_conf_t *tree,
          const char *root)
{
    iri_search_t search = { .tree = tree,
                            .cache = cache,
                            .root = core_str(root),
                            .path = S("/NAME") };
    iri_found_t  found;

    assert_ok(iri_find(&core->env, &search, &found));

    return found.verdict;
}


/*
 * One call fails while a job indexes a large directory: an incomplete index is
 * not cached, and the next request starts another job.
 */
static size_t
job_once(const char *root, unsigned kinds, size_t n, int on, int error)
{
    core_t             core;
    iri_index_cache_t *cache;
    iri_tree_conf_t    tree = core_tree("", ANY, N | C | P);
    long               blocks = fault.blocks;
    size_t             failed, turn;

    core_init(&core);
    core.env.dir = &iri_dir_posix;
    job = NULL;
    job_count = 0;
    cache = core_cache(4 << 20);
    cache->queue = NULL;
    cache->leave = NULL;
    cache->later = job_later;
    assert_int_equal(ask_large(&core, cache, &tree, root), IRI_PASS);
    assert_int_equal(job_count, 1);

    fault_set(kinds, n, on, error);
    iri_index_job_run(job);
    failed = fault.failed;
    fault.kinds = 0;
    job = NULL;

    for (turn = 0;
         turn < 3 && ask_large(&core, cache, &tree, root) != IRI_RESTART;
         turn++)
    {
        /*
         * Not found: the job is pending, or the directory could not be listed.
         */
        if (job != NULL) {
            iri_index_job_run(job);
            job = NULL;

        } else {
            assert_int_equal(error, EACCES);
            break;
        }
    }

    assert_true(turn < 3);

    /* The directory changed a moment ago, so it is read again. */
    if (job != NULL) {
        iri_index_job_drop(job);
        job = NULL;
    }

    core_cache_free(cache);
    core_free(&core);
    assert_int_equal(fault.blocks, blocks);
    assert_int_equal(fault.dirs, 0);

    return failed;
}


TEST(test_jobs)
{
    static const struct {
        unsigned kinds;
        int      error;
    } what[] = { { FAULT_HEAP, 0 },
                 { FAULT_FILES, EIO },
                 { FAULT_FILES, EACCES },
                 { FAULT_ICU, U_MEMORY_ALLOCATION_ERROR },
                 { FAULT_CLOCK, 0 } };
    char   root[64], path[128];
    size_t i, n, sites = 0;
    int    fd, on;

    snprintf(root, sizeof(root), "%s/large", base);
    assert_int_equal(mkdir(root, 0755), 0);

    for (i = 0; i < IRI_MAX_ENTRIES_INLINE + 10; i++) {
        snprintf(path, sizeof(path), i % 50 ? "%s/%lu" : "%s/\xc3\xa9%lu",
                 root, (unsigned long) i);
        fd = open(i == 0 ? strcat(strcpy(path, root), "/Name") : path,
                  O_WRONLY | O_CREAT, 0644);
        assert_true(fd >= 0);
        close(fd);
    }

    for (i = 0; i < COUNT(what); i++) {
        for (on = 0; on < 2; on++) {
            for (n = 1;
                 job_once(root, what[i].kinds, n, on, what[i].error) != 0;
                 n += 1 + n / (is_long_run() ? 40 : 4))
            {
                sites++;
            }
        }
    }

    assert_true(sites > 40);
}


/* ---- settings ----------------------------------------------------------- */

/*
 * An error message or exactly the charset as without a failure; then once more
 * without a failure.
 */
static size_t
settings_once(const char *label, unsigned kinds, size_t n, int on, int error)
{
    core_t          core;
    iri_charsets_t  list;
    iri_registry_t *registry;
    iri_str_t       word = core_str(label);
    const char     *says;
    size_t          failed;
    int             turn;

    fault_set(kinds, n, on, error);
    registry = registry_of(&core);

    for (turn = 0; registry != NULL && turn < 2; turn++) {
        memset(&list, 0x5a, sizeof(list));
        says = iri_parse_charsets(registry, &word, 1, 0, &list);
        fault.kinds = 0;

        if (says != NULL) {
            assert_true(strlen(says) > 0);
            assert_true(is_untouched(&list, sizeof(list)));
            assert_true(turn == 0 || strcmp(label, "klingon") == 0);

        } else if (!same_tables(list.at[0], core_charset(label),
                                turn == 0 ? 1 : 61)) {
            fail_msg("%s is another when %s fails with %d, call %lu%s", label,
                     fault.where, error, (unsigned long) n,
                     on ? " and on" : "");
        }
    }

    failed = fault.failed;
    fault.kinds = 0;
    assert_true(registry != NULL || failed != 0);
    assert_int_equal(fault.converters, 0);
    core_free(&core);

    return failed;
}


static size_t
settings(const char *label, unsigned kinds, int error, size_t step)
{
    size_t n, sites = 0;
    int    on;

    for (on = 0; on < 2; on++) {
        /*
         * Each of the first calls, which open converters; then every step-th.
         */
        for (n = 1; settings_once(label, kinds, n, on, error) != 0;
             n += n < 20 ? 1 : step)
        {
            sites++;
        }
    }

    return sites;
}


/* Does it have sequences of several octets, and so thousands of characters? */
static int
is_large(const char *label)
{
    return iri_encoding_find(core_str(label))->sequences != NULL;
}


/* Every charset: for large ones some calls fail, for others each. */
TEST(test_settings)
{
    const char *label;
    size_t      i, step, large = is_long_run() ? 1 : 40;

    for (i = 0; i < CORE_SUPPORTED; i++) {
        label = core_supported[i].name;
        step = is_large(label) ? 7 * large : 1;
        assert_true(settings(label, FAULT_ARENA, 0, step) != 0);

        step = is_large(label) ? 499 * large : (large + 9) / 10;
        assert_true(settings(label, FAULT_ICU, icu_errors[i % 4], step) > 10);
    }

    assert_true(settings("klingon", FAULT_ARENA | FAULT_ICU, 0, 1) > 2);
}


/* ---- hosts --------------------------------------------------------------- */

/* Hosts that use many of the functions for hosts; "%" only in iri_host_read. */
static const char *const hosts[] = {
    "b\u00fccher.example",
    "B%C3%BCcher\uff0eExample\xe3\x80\x82",
    "www.w%33.org",
    "%2a.example.org",
    "*.Bu\u0308cher.?.\xd7\x90\xd7\x91.example",
    "xn--bcher-kva.xn--nxasmm1c.example",
    "xn--a.example",
    "a\xef\xb7\xba\xef\xb7\xba\xef\xb7\xba\xef\xb7\xba\xef\xb7\xba",
    "fa\xc3\x9f.\xe2\x98\x83.example",
    "\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1",
    "\xff.example",
};

static const int idn_codes[] = { IDN2_MALLOC,        IDN2_ICONV_FAIL,
                                 IDN2_NFC,           IDN2_PUNYCODE_BIG_OUTPUT,
                                 IDN2_TOO_BIG_LABEL, IDN2_DISALLOWED };

/* The results of all functions for hosts, each called separately. */
typedef struct {
    iri_status_t status[5];
    iri_host_t
        host[4]; /* iri_host_read, iri_host_map, iri_host_name, U-labels */
    iri_str_t display;
} hosts_t;


static void
assert_no_output(iri_status_t status, const void *out, size_t size)
{
    assert_true(status == IRI_OK
                || ((status == IRI_NO_MEMORY || status == IRI_ICU_FAILED)
                    && is_untouched(out, size)));
}


static void
run_host(core_t *core, const iri_host_conf_t *conf, iri_str_t host,
         hosts_t *out)
{
    const iri_env_t *env = &core->env;
    int              i;

    memset(out, 0x5a, sizeof(*out));
    out->status[0] = iri_host_read(env, conf, host, &out->host[0]);
    out->status[1] = iri_host_map(env, conf, host, &out->host[1]);
    out->status[2] = iri_host_name(env, conf, host, &out->host[2]);
    out->status[3] = iri_host_to_unicode(env, conf, host, &out->host[3]);
    out->status[4] = iri_host_display(env, conf, host, &out->display);

    for (i = 0; i < 4; i++) {
        assert_no_output(out->status[i], &out->host[i], sizeof(*out->host));
    }

    assert_no_output(out->status[4], &out->display, sizeof(out->display));
}


static int
same_host(const iri_host_t *a, const iri_host_t *b)
{
    return a->verdict == b->verdict && a->why == b->why
           && iri_str_equal(a->ascii, b->ascii)
           && iri_str_equal(a->unicode, b->unicode);
}


/* No result, the same one, or a refusal; undisturbed: the same one. */
static void
check_hosts(iri_str_t host, const hosts_t *got, const hosts_t *want,
            int undisturbed)
{
    int i, refused;

    for (i = 0; i < 4; i++) {
        assert_true(got->status[i] == IRI_OK || !undisturbed);
        refused = got->host[i].verdict == IRI_REFUSE && !undisturbed;

        if (got->status[i] == IRI_OK && !refused
            && !same_host(&got->host[i], &want->host[i]))
        {
            fail_msg("%s, question %d: %s, %s failed as call %lu%s%s",
                     core_show(host), i, core_show(got->host[i].ascii),
                     fault.where, (unsigned long) fault.at,
                     fault.on ? " and on" : "",
                     undisturbed ? ", afterwards" : "");
        }

        /* A refusal contains the host as received. */
        if (got->status[i] == IRI_OK && refused) {
            assert_str(got->host[i].ascii, host);
            assert_str(got->host[i].unicode, host);
        }
    }

    if (undisturbed
        || (got->status[4] == IRI_OK && !iri_str_equal(got->display, host)))
    {
        assert_str(got->display, want->display);
    }
}


static int
lacks_memory(const hosts_t *got)
{
    size_t i;

    for (i = 0; i < COUNT(got->status) && got->status[i] != IRI_NO_MEMORY;
         i++) { /* void */
    }

    return i < COUNT(got->status);
}


static size_t
host_once(core_t *core, const iri_host_conf_t *conf, iri_str_t host,
          const hosts_t *want, unsigned kinds, size_t n, int on, int error)
{
    static hosts_t got;
    size_t         failed;

    fault_set(kinds, n, on, error);
    run_host(core, conf, host, &got);
    failed = fault.failed;
    fault.kinds = 0;
    check_hosts(host, &got, want, 0);

    /* A failed allocation is not reported as an invalid name. */
    if (failed != 0 && kinds == FAULT_IDN && error == IDN2_MALLOC) {
        assert_true(lacks_memory(&got));
    }

    run_host(core, conf, host, &got);
    check_hosts(host, &got, want, 1);
    core_forget(core);
    assert_int_equal(fault.names, 0);

    return failed;
}


/* Each call of these kinds fails, once and with all later ones. */
static size_t
each_host(const iri_host_conf_t *conf, unsigned kinds, const int *error,
          size_t count)
{
    static hosts_t want;
    core_t         core;
    void          *kept;
    iri_str_t      host;
    size_t         i, k, n, sites = 0;

    core_init(&core);
    fault_arena(&core);

    for (i = 0; i < COUNT(hosts); i++) {
        host = core_str(hosts[i]);
        run_host(&core, conf, host, &want);
        kept = core.blocks;
        core.blocks = NULL;

        for (k = 0; k < 2 * count; k++) {
            for (n = 1; host_once(&core, conf, host, &want, kinds, n,
                                  (int) (k & 1), error[k / 2])
                        != 0;
                 n++)
            {
                sites++;
            }
        }

        core.blocks = kept;
        core_forget(&core);
    }

    core_free(&core);

    return sites;
}


/* No rules, or those requested; nothing remains allocated. */
static size_t
idna_once(unsigned kinds, size_t n, int on, int error)
{
    long        blocks = fault.blocks, rules = fault.rules;
    iri_idna_t *idna;
    size_t      failed;

    fault_set(kinds, n, on, error);
    idna = iri_idna_create();
    failed = fault.failed;
    fault.kinds = 0;
    assert_true(idna == NULL ? failed != 0 : failed == 0);
    iri_idna_destroy(idna);
    assert_int_equal(fault.blocks, blocks);
    assert_int_equal(fault.rules, rules);

    return failed;
}


TEST(test_hosts)
{
    iri_host_conf_t conf = { NULL, IRI_MAPPING_UTS46, 0 };
    iri_idna_t     *idna;
    size_t          n;
    int             how;

    for (how = 0; how < 2; how++) {
        for (n = 1;
             idna_once(FAULT_HEAP | FAULT_ICU, n, how, icu_errors[n]) != 0;
             n++)
        { /* void */
        }

        assert_int_equal(n, 3);
    }

    idna = iri_idna_create();
    assert_non_null(idna);
    conf.idna = idna;

    for (how = 0; how < 3; how++) {
        conf.mapping = how == 2 ? IRI_MAPPING_COMPATIBLE : IRI_MAPPING_UTS46;
        conf.strict = how == 1;

        assert_true(each_host(&conf, FAULT_ARENA, no_error, 1) > 100);
        assert_true(each_host(&conf, FAULT_ICU, icu_errors, COUNT(icu_errors))
                    > 300);
        n = each_host(&conf, FAULT_IDN, idn_codes, COUNT(idn_codes));
        assert_true(how == 0 ? n == 0 : n > 40);
    }

    iri_idna_destroy(idna);
    assert_int_equal(fault.rules, 0);
}


/* ---- names of a directory, listings, WebDAV ------------------------------- */

/* What a run has written, and how it ended. */
typedef struct {
    iri_status_t  status;
    size_t        len;
    unsigned char text[65536];
} said_t;

typedef iri_status_t (*run_t)(core_t *core, const void *conf, said_t *out);


static void
say(said_t *out, iri_str_t text)
{
    assert_true(text.len <= sizeof(out->text) - out->len);
    memcpy(out->text + out->len, text.data, text.len);
    out->len += text.len;
}


/*
 * The same output, or after the failure its beginning and an error: never
 * another one. Nothing remains allocated.
 */
static size_t
run_once(core_t *core, run_t run, const void *conf, const said_t *want,
         unsigned kinds, size_t n, int on)
{
    static said_t got;
    size_t        failed;

    got.len = 0;
    fault_set(kinds, n, on, icu_errors[0]);
    got.status = run(core, conf, &got);
    failed = fault.failed;
    fault.kinds = 0;
    core_forget(core);
    assert_int_equal(fault.checkers, 0);
    assert_int_equal(fault.collators, 0);

    if (got.status != IRI_OK) {
        assert_true(failed != 0);
        assert_true(got.status == IRI_NO_MEMORY
                    || got.status == IRI_ICU_FAILED);
    }

    assert_true(got.status == IRI_OK ? got.len == want->len
                                     : got.len <= want->len);
    assert_memory_equal(got.text, want->text, got.len);

    return failed;
}


/* Each call fails; growth: of n calls 1 + n / growth are left out. */
static void
each_run(run_t run, const void *conf, unsigned with, said_t *want,
         size_t growth)
{
    static const unsigned kinds[] = { FAULT_ARENA, FAULT_ICU,
                                      FAULT_ICU_HEAP };
    size_t                i, n;
    int                   on;

    want->len = 0;
    assert_ok(run(&core, conf, want));
    fault_arena(&core);

    for (i = 0; i < COUNT(kinds); i++) {
        for (on = 0; on < 2 && (kinds[i] & with) != 0; on++) {
            for (n = 1;
                 run_once(&core, run, conf, want, kinds[i], n, on) != 0;
                 n += 1 + n / growth)
            { /* void */
            }

            assert_true(kinds[i] == FAULT_ICU_HEAP || n > 1);
        }
    }
}


/* A detector is complete, or there is none. */
TEST(test_detector)
{
    iri_detector_t *detector;
    size_t          n, failed = 1;

    for (n = 1; failed != 0; n += 5) {
        fault_set(FAULT_ICU, n, 0, EIO);
        detector = iri_detector_create(core_registry());
        failed = fault.failed;
        fault.kinds = 0;
        assert_true((detector == NULL) == (failed != 0));
        assert_int_equal(fault.alphabets, 0);
        iri_detector_destroy(detector);
    }
    assert_true(n > 100);
}


static iri_status_t
lint_take(void *arg, const iri_finding_t *finding)
{
    char kind = (char) ('a' + finding->kind);

    say(arg, (iri_str_t){ 1, (unsigned char *) &kind });
    say(arg, finding->octets);

    return IRI_OK;
}


static iri_status_t
lint_run(core_t *core, const void *unused, said_t *out)
{
    static const char *const text[] = {
        "a", "A#", "e\xCC\x81", "\xC3\xA9", "\xEF\xBD\xB1",
        "\xBB\xFA\xBB\xB3\xBB\xEA\xBB\xE8\xBB\xE7\xBB\xFD",
        "\xBB\xFA\xC6\xFC\xCB\xDC\xB8\xEC\xA4\xC7\xA4\xB9\xFF",
        "caf\xC3\x83\xC2\xA9", "kitten.html", "k\xC3\xADtten.html",
        "p\xD0\xB0ypal.html", "\xD0\xBE\xD1\x81\xD0\xB0", "oca", ("\u05d01"),
        /* windows-1251 */
        "\xCE\xF2\xF7\xE5\xF2 \xE7\xE0 \xE3\xEE\xE4",
        "\xCF\xF0\xE8\xE2\xE5\xF2"
    };
    iri_charsets_t     charsets = core_charsets("sjis");
    iri_tree_conf_t    tree = core_tree("utf-8 euc-jp", IRI_FILENAME_ANY, 0);
    iri_confusables_t *look = iri_confusables_create();
    iri_lint_conf_t    conf = { &charsets,
                                &tree,
                                IRI_FOLD_CASE | IRI_FOLD_SPELLING,
                                (1u << IRI_LINT_KINDS) - 1u,
                                look,
                                core_detector() };
    iri_str_t          names[COUNT(text)];
    iri_status_t       status;
    size_t             i;

    (void) unused;

    if (look == NULL) {
        return IRI_ICU_FAILED;
    }

    for (i = 0; i < COUNT(text); i++) {
        names[i] = core_str(text[i]);
    }

    status = iri_lint(&core->env, &conf, names, COUNT(text), lint_take, out);
    iri_confusables_destroy(look);

    return status;
}


/* The heap is ICU's alone. */
TEST(test_lint)
{
    static said_t want;

    (void) core_detector();
    each_run(lint_run, NULL, FAULT_ARENA | FAULT_ICU, &want, SIZE_MAX);
    assert_true(want.len > 100);
}


/* Entries with names of all kinds, enough of them for a table of keys. */
static iri_status_t
list_run(core_t *core, const void *conf, said_t *out)
{
    iri_listing_t      *listing;
    iri_listing_entry_t entry;
    iri_page_t          page;
    iri_listing_info_t  info = { 0, 5000, 951782400 };
    core_node_t        *node = core_node(core, S("/srv/d"))->first;
    iri_status_t status = iri_listing_begin(&core->env, conf, &listing);
    int          is_left = 1;

    for (/* void */; status == IRI_OK && node != NULL; node = node->next) {
        status = iri_listing_add(listing, node->name, &info);
    }

    while (status == IRI_OK) {
        status = iri_listing_judge(listing, &entry, &is_left);
        if (status != IRI_OK || !is_left) {
            break;
        }
        status = iri_listing_judged(listing, IRI_NAME_LINKED);
    }

    if (status == IRI_OK) {
        status = iri_listing_page(listing, &page);
    }
    if (status == IRI_OK) {
        say(out, page.body);
    }

    return status;
}


TEST(test_listing)
{
    static said_t             want;
    static iri_reading_conf_t reading;
    iri_tree_conf_t           tree;
    iri_listing_conf_t        conf;
    char                      path[64];
    size_t                    i;

    assert_true(iri_collate_ready());
    tree = core_tree("sjis utf-8", IRI_FILENAME_ANY, IRI_FOLD_NORMALIZATION);
    memset(&conf, 0, sizeof(conf));
    conf.tree = &tree;
    conf.reading = &reading;
    conf.root = S("/srv/d");
    conf.path = S("/d/");

    for (i = 0; i < 70; i++) {
        snprintf(path, sizeof(path),
                 i % 10 == 0   ? "/srv/d/\x83\x5C%lu"
                 : i % 10 == 1 ? "/srv/d/e\xCC\x81%lu"
                 : i % 10 == 2 ? "/srv/d/\xC3\xA9%lu"
                               : "/srv/d/Name %lu",
                 (unsigned long) (i / 10 * 10 + i % 10 / 3));
        core_put(&core, core_str(path));
    }

    each_run(list_run, &conf, FAULT_ARENA | FAULT_ICU | FAULT_ICU_HEAP, &want,
             is_long_run() ? 1000 : 10);
    assert_true(want.len > 4000);
}


/*
 * The octets of the disk in an href may lead to another entry, so they are no
 * fallback.
 */
static iri_status_t
multistatus_run(core_t *core, const void *conf, said_t *out)
{
    static const char *const text[] = {
        "<D:multistatus xmlns:D=\"DAV:\"><D:response>"
        "<D:href>/d/%83%5c/%c9%bd/e%cc%81</D:href><D:propstat><D:prop>",
        "<D:displayname>\x83\x5C</D:displayname></D:prop></D:propstat>"
        "</D:response><D:response><D:href>/d/a</D:href></D:response>",
        "</D:multistatus>",
    };
    iri_multistatus_t *ms;
    iri_status_t       status;
    iri_str_t          in, piece;
    size_t             i;

    status = iri_multistatus_create(&core->env, conf, &ms);

    for (i = 0; status == IRI_OK && i < COUNT(text); i++) {
        in = core_str(text[i]);
        status = iri_multistatus_convert(ms, &in, i == COUNT(text) - 1,
                                         &piece);

        if (status == IRI_OK && piece.len != 0) {
            say(out, piece);
        }
    }

    return status;
}


TEST(test_multistatus)
{
    static said_t          want;
    iri_tree_conf_t        tree;
    iri_multistatus_conf_t conf;

    tree = core_tree("sjis utf-8", IRI_FILENAME_ANY, IRI_FOLD_NORMALIZATION);
    memset(&conf, 0, sizeof(conf));
    conf.tree = &tree;
    conf.base[0] = S("/d/");
    conf.raw = 1;

    each_run(multistatus_run, &conf, FAULT_ARENA | FAULT_ICU | FAULT_ICU_HEAP,
             &want, SIZE_MAX);
    want.text[want.len] = '\0';
    assert_non_null(strstr((char *) want.text, "/d/%E3%82%BD/"));
}
