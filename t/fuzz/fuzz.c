/*
 * fuzz.c - shared support of the fuzz targets: see fuzz.h
 *
 * The arena is one block that is reused for each input, so that an execution
 * calls no malloc. Under AddressSanitizer each allocation in it is surrounded
 * by poisoned octets.
 */

#include <stdarg.h>
#include <stdlib.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "index/iri_index_cache_apr.h"
#include "fuzz.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FUZZ_ASAN 1
#endif

#ifdef FUZZ_ASAN
#include <sanitizer/asan_interface.h>
#define FUZZ_FENCE(p, size) __asan_poison_memory_region((p), (size))
#define FUZZ_OPEN(p, size)  __asan_unpoison_memory_region((p), (size))
#else
#define FUZZ_FENCE(p, size) ((void) (p), (void) (size))
#define FUZZ_OPEN(p, size)  ((void) (p), (void) (size))
#endif

#define FUZZ_ARENA  (16 * 1024 * 1024) /* the calls of one input */
#define FUZZ_CALL   (1024 * 1024)      /* the limit of one call */
#define FUZZ_FENCED 16
#define FUZZ_GIVEN  64

/* A string that was given to the core, and a copy of it. */
typedef struct {
    iri_str_t            given;
    const unsigned char *was;
} fuzz_given_t;

fuzz_t fuzz;

static unsigned char *fuzz_arena;
static int            fuzz_ready; /* 0: allocations are permanent */
static fuzz_given_t   fuzz_gave[FUZZ_GIVEN];
static size_t         fuzz_gives;


/* ---- the arena ----------------------------------------------------------- */

static void *
fuzz_take(size_t size)
{
    size_t         room = (size + 15) / 16 * 16 + FUZZ_FENCED;
    unsigned char *p;

    if (room > FUZZ_ARENA - fuzz.used) {
        fuzz_die("more than %d octets of memory", FUZZ_ARENA);
    }

    p = fuzz_arena + fuzz.used;
    fuzz.used += room;

    FUZZ_OPEN(p, size);

    return memset(p, 0xa5, size);
}


void *
fuzz_memory(size_t size)
{
    return fuzz_take(size);
}


static void *
fuzz_alloc(void *ctx, size_t size)
{
    (void) ctx;

    if (!fuzz_ready) {
        return malloc(size);
    }

    fuzz.allocs++;

    if (fuzz.fail_at != 0
        && (fuzz.fail_on ? fuzz.allocs >= fuzz.fail_at
                         : fuzz.allocs == fuzz.fail_at))
    {
        return NULL;
    }

    return fuzz_take(size);
}


/* Trace lines are generated, to test that code, and discarded. */
static void
fuzz_log(void *ctx, iri_log_level_t level, iri_str_t line)
{
    size_t i;

    (void) ctx;
    (void) level;

    for (i = 0; i < line.len; i++) {
        fuzz_assert(line.data[i] >= 0x20 && line.data[i] < 0x7f);
    }
}


static apr_pool_t *fuzz_cache_pool;


iri_index_cache_t *
fuzz_cache(size_t size)
{
    iri_index_cache_t *cache;

    fuzz_assert(apr_initialize() == APR_SUCCESS);
    fuzz_assert(apr_pool_create(&fuzz_cache_pool, NULL) == APR_SUCCESS);
    cache = iri_index_cache_apr_create(fuzz_cache_pool, size);
    fuzz_assert(cache != NULL);

    return cache;
}


void
fuzz_cache_free(void)
{
    apr_pool_destroy(fuzz_cache_pool);
}


void
fuzz_begin(void)
{
    fuzz.allocs = 0;
    fuzz.fail_at = 0;
    fuzz.fail_on = 0;
    fuzz.env.trace = 0;
    fuzz.env.dir = &fuzz_dir;
    fuzz.io_fail_at = 0;
    fuzz.io_fail_on = 0;
    fuzz.backwards = 0;
    fuzz.reading = NULL;
    fuzz.found = NULL;
    fuzz.nodes = 0;
    fuzz_gives = 0;
}


void
fuzz_end(void)
{
    size_t i;

    for (i = 0; i < fuzz_gives; i++) {
        if (memcmp(fuzz_gave[i].given.data, fuzz_gave[i].was,
                   fuzz_gave[i].given.len)
            != 0)
        {
            fuzz_die("what was given was written to");
        }
    }

    FUZZ_FENCE(fuzz_arena, fuzz.used);
    fuzz.used = 0;
}


/* ---- strings ------------------------------------------------------------- */

iri_str_t
fuzz_given_raw(const void *data, size_t len)
{
    iri_str_t s = { len, data };

    return fuzz_given(s);
}


iri_str_t
fuzz_given(iri_str_t s)
{
    unsigned char *given = fuzz_memory(s.len), *was = fuzz_memory(s.len);
    iri_str_t      copy = { s.len, given };

    if (s.len != 0) {
        memcpy(given, s.data, s.len);
        memcpy(was, s.data, s.len);
    }

    if (fuzz_gives < FUZZ_GIVEN) {
        fuzz_gave[fuzz_gives].given = copy;
        fuzz_gave[fuzz_gives++].was = was;
    }

    return copy;
}


iri_str_t
fuzz_text(const char *text)
{
    iri_str_t s = { strlen(text), (const unsigned char *) text };

    return s;
}


static void
fuzz_print(const char *name, iri_str_t s)
{
    size_t i;

    fprintf(stderr, "    %-8s ", name);

    for (i = 0; i < s.len; i++) {
        if (s.data[i] > 0x20 && s.data[i] < 0x7f && s.data[i] != '\\') {
            putc(s.data[i], stderr);
        } else {
            fprintf(stderr, "\\x%02X", s.data[i]);
        }
    }

    putc('\n', stderr);
}


static void
fuzz_print_tree(void)
{
    size_t i;

    for (i = 1; i < fuzz.nodes; i++) {
        if (fuzz.node[i].kind != IRI_NODE_ABSENT) {
            fprintf(stderr, "    %s %u in %u, wrong %u\n",
                    fuzz.node[i].kind == IRI_NODE_DIR ? "folder" : "file",
                    (unsigned) i, (unsigned) fuzz.node[i].above,
                    fuzz.node[i].wrong);
            fuzz_print("name", fuzz.node[i].name);
        }
    }
}


void
fuzz_die(const char *format, ...)
{
    va_list args;

    fputs("fuzz: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);

    if (fuzz.reading != NULL) {
        fprintf(stderr, "  read: %s %d, %s, %s\n",
                iri_verdict_text(fuzz.reading->verdict), fuzz.reading->status,
                iri_form_text(fuzz.reading->form),
                iri_why_text(fuzz.reading->why));
        fuzz_print("charset", fuzz.reading->charset);
        fuzz_print("octets", fuzz.reading->octets);
        fuzz_print("path", fuzz.reading->path);
        fuzz_print("uri", fuzz.reading->uri);
    }

    if (fuzz.found != NULL) {
        fprintf(stderr, "  found: %s, %s, %s; %u looks, %u lists\n",
                iri_verdict_text(fuzz.found->verdict),
                iri_match_text(fuzz.found->match),
                iri_why_text(fuzz.found->why), (unsigned) fuzz.stats,
                (unsigned) fuzz.lists);
        fuzz_print("charset", fuzz.found->charset);
        fuzz_print("path", fuzz.found->path);
        fuzz_print("filename", fuzz.found->filename);
    }

    fuzz_print_tree();
    abort();
}


/* ---- the input ----------------------------------------------------------- */

fuzz_input_t
fuzz_input(const uint8_t *data, size_t size)
{
    fuzz_input_t input = { data, data + size };

    if (size == 0) {
        input.at = input.end = NULL;
    }

    return input;
}


int
fuzz_field(fuzz_input_t *input, iri_str_t *field)
{
    const uint8_t *end;

    field->data = (const unsigned char *) "";
    field->len = 0;

    if (input->at == NULL) {
        return 0;
    }

    end = input->at != input->end
              ? memchr(input->at, '\n', (size_t) (input->end - input->at))
              : NULL;

    field->data = input->at;
    field->len = (size_t) ((end != NULL ? end : input->end) - input->at);
    input->at = end != NULL ? end + 1 : NULL;

    return 1;
}


unsigned
fuzz_octet(iri_str_t field, size_t i)
{
    return i < field.len ? field.data[i] : 0;
}


unsigned
fuzz_choice(iri_str_t field, size_t i, unsigned n)
{
    return i < field.len
               ? (unsigned) (unsigned char) (field.data[i] - '0') % n
               : 0;
}


static int
fuzz_hex(unsigned char c)
{
    static const char hex[] = "0123456789abcdef0123456789ABCDEF";
    const char       *at = c != 0 ? strchr(hex, c) : NULL;

    return at != NULL ? (int) ((at - hex) % 16) : -1;
}


iri_str_t
fuzz_unescape(iri_str_t s)
{
    unsigned char *out = fuzz_memory(s.len);
    iri_str_t      u = { 0, out };
    size_t         i;

    for (i = 0; i < s.len; i++) {
        if (s.data[i] == '%' && s.len - i > 2 && fuzz_hex(s.data[i + 1]) >= 0
            && fuzz_hex(s.data[i + 2]) >= 0)
        {
            out[u.len++] = (unsigned char) (fuzz_hex(s.data[i + 1]) * 16
                                            + fuzz_hex(s.data[i + 2]));
            i += 2;
        } else {
            out[u.len++] = s.data[i];
        }
    }

    return u;
}


/* ---- settings ------------------------------------------------------------ */

/*
 * Each charset that paths can have; an octet of a field selects one, "a" the
 * first.
 */
static const char *const fuzz_labels[] = {
    "UTF-8",        "Shift_JIS",      "EUC-JP",       "GBK",
    "gb18030",      "Big5",           "ISO-8859-16",  "EUC-KR",
    "windows-1252", "windows-1258",   "windows-1251", "KOI8-R",
    "KOI8-U",       "windows-1255",   "windows-1256", "windows-874",
    "macintosh",    "windows-1253",   "windows-1250", "windows-1254",
    "windows-1257", "IBM866",         "ISO-8859-2",   "ISO-8859-3",
    "ISO-8859-4",   "ISO-8859-5",     "ISO-8859-6",   "ISO-8859-7",
    "ISO-8859-8",   "ISO-8859-10",    "ISO-8859-13",  "ISO-8859-14",
    "ISO-8859-15",  "x-mac-cyrillic", "ISO-8859-8-I"
};


static const iri_charset_t *fuzz_opened[COUNT(fuzz_labels)];


static const iri_charset_t *
fuzz_charset(unsigned octet)
{
    return fuzz_opened[(octet + 256 - 'a') % 256 % COUNT(fuzz_labels)];
}


void
fuzz_charsets(iri_str_t field, iri_charsets_t *out)
{
    const iri_charset_t *charset;
    size_t               i, k;

    memset(out, 0, sizeof(*out));

    for (i = 0; i < field.len && out->count < IRI_MAX_CHARSETS; i++) {
        charset = fuzz_charset(field.data[i]);

        for (k = 0; k < out->count && out->at[k] != charset; k++) { /* void */
        }

        if (k == out->count) {
            out->at[out->count++] = charset;
        }
    }
}


/* UTF-8 is not in the list of iri_charset: it is always read. */
static void
fuzz_leave_out_utf8(iri_charsets_t *list)
{
    size_t i, count = 0;

    for (i = 0; i < list->count; i++) {
        if (!iri_charset_is_utf8(list->at[i])) {
            list->at[count++] = list->at[i];
        }
    }

    list->count = count;
}


void
fuzz_conf(fuzz_input_t *input, fuzz_conf_t *out)
{
    static const unsigned match[] = { IRI_FOLD_NORMALIZATION,
                                      IRI_FOLD_EXACT_ONLY, IRI_FOLD_VARIANTS,
                                      IRI_FOLD_NORMALIZATION
                                          | IRI_FOLD_VARIANTS };
    static const unsigned fold[] = {
        0,
        IRI_FOLD_CASE,
        IRI_FOLD_WIDTH | IRI_FOLD_CASE,
        IRI_FOLD_CASE | IRI_FOLD_ACCENTS,
        IRI_FOLD_INDEXED,
        IRI_FOLD_SPELLING,
        IRI_FOLD_CASE | IRI_FOLD_TURKIC,
        IRI_FOLD_CASE | IRI_FOLD_ACCENTS | IRI_FOLD_GERMAN,
        IRI_FOLD_WIDTH,
        IRI_FOLD_ACCENTS | IRI_FOLD_SPELLING,
    };
    iri_str_t words, charsets, tree;

    fuzz_field(input, &words);
    fuzz_field(input, &charsets);
    fuzz_field(input, &tree);

    memset(out, 0, sizeof(*out));

    fuzz_charsets(charsets, &out->reading.charsets);
    fuzz_leave_out_utf8(&out->reading.charsets);
    out->reading.invalid = (iri_invalid_t) fuzz_choice(words, 0, 3);

    fuzz_charsets(tree, &out->tree.charsets);
    out->tree.names = (iri_filename_form_t) fuzz_choice(words, 1, 3);
    out->tree.match = match[fuzz_choice(words, 2, COUNT(match))]
                      | fold[fuzz_choice(words, 3, COUNT(fold))];
    out->tree.ambiguous = (iri_ambiguous_t) fuzz_choice(words, 4, 2);
    out->tree.repair = fuzz_choice(words, 5, 8);
    out->reading.repair = out->tree.repair
                          | (fuzz_choice(words, 6, 2) ? IRI_REPAIR_MOJIBAKE
                                                      : 0);

    if (out->tree.match & IRI_FOLD_INDEXED) {
        out->tree.match &= ~IRI_FOLD_EXACT_ONLY;
    }

    iri_tree_conf_finish(&out->reading, &out->tree);
}


/* The path that a server gives to the core starts with "/". */
static iri_str_t
fuzz_absolute(iri_str_t s)
{
    unsigned char *path;
    iri_str_t      out = { s.len + 1, NULL };

    if (s.len != 0 && s.data[0] == '/') {
        return s;
    }

    path = fuzz_memory(s.len + 1);
    path[0] = '/';
    memcpy(path + 1, s.data, s.len);
    out.data = path;

    return out;
}


/* The part before the query, which the server removes. */
static iri_str_t
fuzz_path_of(iri_str_t target)
{
    const unsigned char *query;

    query = target.len != 0 ? memchr(target.data, '?', target.len) : NULL;
    if (query != NULL) {
        target.len = (size_t) (query - target.data);
    }

    return target;
}


void
fuzz_request(fuzz_input_t *input, iri_received_path_t *out)
{
    iri_str_t words, received, other, path;

    fuzz_field(input, &words);
    fuzz_field(input, &received);

    memset(out, 0, sizeof(*out));
    received = fuzz_absolute(received);
    path = fuzz_path_of(received);
    out->escaped = (int) fuzz_choice(words, 0, 2);
    out->path = fuzz_given(out->escaped ? path : fuzz_unescape(path));

    switch (fuzz_choice(words, 1, 4)) {
    case 0:
        out->target = fuzz_given(received);
        break;

    case 1:
        break;

    case 2:
        fuzz_field(input, &other);
        out->target = fuzz_given(other);
        break;

    default:
        out->target = out->escaped ? out->path : fuzz_uri(out->path);
    }
}


/* ---- calls of the core --------------------------------------------------- */

int
fuzz_is_junk(const void *out, size_t size)
{
    const unsigned char *p = out;
    size_t               i;

    for (i = 0; i < size && p[i] == FUZZ_JUNK; i++) { /* void */
    }

    return i == size;
}


static void
fuzz_call(void *out, size_t size)
{
    memset(out, FUZZ_JUNK, size);
    fuzz.mark = fuzz.used;
    fuzz.allocs = 0;
    fuzz.stats = 0;
    fuzz.lists = 0;
}


static void
fuzz_called(iri_status_t status, const void *out, size_t size)
{
    if (status != IRI_OK && !fuzz_is_junk(out, size)) {
        fuzz_die("%s, and something was written", iri_status_text(status));
    }

    if (status == IRI_NO_MEMORY && fuzz.fail_at == 0) {
        fuzz_die("no memory, where there was some");
    }

    if (fuzz.used - fuzz.mark > FUZZ_CALL) {
        fuzz_die("%lu octets of memory",
                 (unsigned long) (fuzz.used - fuzz.mark));
    }

    fuzz_assert(fuzz.stats + fuzz.lists <= FUZZ_CALLS);
    fuzz_assert(fuzz.lists <= FUZZ_LISTS);
}


iri_status_t
fuzz_read(const iri_reading_conf_t *conf, const iri_received_path_t *request,
          iri_reading_t *out)
{
    iri_status_t status;

    fuzz_call(out, sizeof(*out));
    status = iri_read(&fuzz.env, conf, request, out);
    fuzz_called(status, out, sizeof(*out));

    fuzz_assert(fuzz.stats + fuzz.lists == 0);
    fuzz_assert(status == IRI_OK || status == IRI_NO_MEMORY
                || (status == IRI_BAD_ESCAPE && request->escaped));

    fuzz.reading = status == IRI_OK ? out : NULL;

    return status;
}


iri_status_t
fuzz_find(const iri_search_t *search, iri_found_t *out)
{
    iri_status_t status;

    fuzz.found = NULL;
    fuzz_call(out, sizeof(*out));
    status = iri_find(&fuzz.env, search, out);
    fuzz_called(status, out, sizeof(*out));

    fuzz_assert(status == IRI_OK || status == IRI_NO_MEMORY);

    fuzz.found = status == IRI_OK ? out : NULL;

    return status;
}


iri_str_t
fuzz_entry_name(const iri_tree_conf_t *tree, iri_str_t octets)
{
    iri_str_t    name;
    iri_status_t status;

    fuzz_call(&name, sizeof(name));
    status = iri_entry_name(&fuzz.env, tree, octets, &name);
    fuzz_called(status, &name, sizeof(name));
    fuzz_assert(status == IRI_OK);

    return name;
}


iri_str_t
fuzz_uri(iri_str_t path)
{
    iri_str_t    uri;
    iri_status_t status;

    fuzz_call(&uri, sizeof(uri));
    status = iri_path_to_uri(&fuzz.env, path, &uri);
    fuzz_called(status, &uri, sizeof(uri));
    fuzz_assert(status == IRI_OK);

    return uri;
}


/* ---- once ---------------------------------------------------------------- */

__attribute__((weak)) void
fuzz_prepare(void)
{
}


/* All charsets are opened here, because that is slow. */
static void
fuzz_open(void)
{
    iri_charsets_t one;
    iri_str_t      label;
    const char    *wrong;
    size_t         i;

    fuzz.registry = iri_registry_create(&fuzz.env);
    fuzz_assert(fuzz.registry != NULL);

    fuzz.env.fold_keys = iri_fold_keys_create(&fuzz.env);
    fuzz_assert(fuzz.env.fold_keys != NULL);

    for (i = 0; i < COUNT(fuzz_labels); i++) {
        label = fuzz_text(fuzz_labels[i]);
        wrong = iri_parse_charsets(fuzz.registry, &label, 1, 0, &one);

        if (wrong != NULL) {
            fuzz_die("%s %s", fuzz_labels[i], wrong);
        }

        fuzz_opened[i] = one.at[0];
    }
}


/* In a sanitizer's library, if there is one. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));


/* Allocations made here are permanent and no leaks. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc;
    (void) argv;

    if (__lsan_disable != NULL) {
        __lsan_disable();
    }

    fuzz.env.alloc = fuzz_alloc;
    fuzz.env.log = fuzz_log;

    fuzz_arena = malloc(FUZZ_ARENA);
    fuzz_assert(fuzz_arena != NULL);

    fuzz_open();
    fuzz_prepare();

    FUZZ_FENCE(fuzz_arena, FUZZ_ARENA);
    fuzz_ready = 1;

    if (__lsan_enable != NULL) {
        __lsan_enable();
    }

    return 0;
}
