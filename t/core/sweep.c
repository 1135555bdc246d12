/* sweep.c - exhaustive runs with counters: see sweep.h */

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <unicode/utf8.h>

#include "whatwg.h"
#include "sweep.h"

#define PROCESSES 2
#define SHOWN     5 /* violations that each process prints */

#ifdef __SANITIZE_ADDRESS__ /* gcc's; clang's is used for fuzzing */
#define SANITIZED 1
#else
#define SANITIZED 0
#endif


/* ---- parts, processes, figures ------------------------------------------ */

int
sweep_all(void)
{
    const char *how = getenv("IRI_SWEEP");

    return how != NULL && strcmp(how, "all") == 0;
}


int
sweep_next(sweep_t *s)
{
    if (s->wait-- != 0) {
        return 0;
    }

    s->wait = s->stride - 1;
    s->tally.items++;

    return 1;
}


size_t
sweep_skip(sweep_t *s, size_t most)
{
    size_t n = s->wait < most ? s->wait : most;

    s->wait -= n;

    return n;
}


static iri_status_t
sweep_stat(void *ctx, const char *path, iri_node_t *node)
{
    sweep_t  *s = ctx;
    iri_str_t rest = core_str(path);
    size_t    i;

    memset(node, 0, sizeof(*node));
    node->kind = IRI_NODE_DIR;
    node->dev = node->ino = 7;

    if (rest.len <= 5 || memcmp(path, "/srv/", 5) != 0) {
        return IRI_OK;
    }

    rest = iri_str_from(rest, 5);
    node->kind = IRI_NODE_OTHER;

    for (i = 0; i < s->entries; i++) {
        if (iri_str_equal(rest, s->entry[i])) {
            return IRI_OK;
        }
    }

    memset(node, 0, sizeof(*node));
    node->kind = IRI_NODE_ABSENT;

    return IRI_OK;
}


static iri_status_t
sweep_list(void *ctx, const char *path, iri_node_t *node, iri_dir_each_t each,
           void *arg)
{
    sweep_t     *s = ctx;
    iri_status_t status = IRI_OK;
    size_t       i;

    memset(node, 0, sizeof(*node)); /* no cached index is used */

    for (i = 0; i < s->entries && status == IRI_OK; i++) {
        status = each(arg, s->entry[i]);
    }

    return status;
}


static const iri_dir_t sweep_dir = { sweep_stat, sweep_list };


/*
 * Millions of small allocations, freed at once: under a sanitizer each is a
 * block of its own, otherwise all come from one block.
 */
static void *
sweep_alloc(void *ctx, size_t size)
{
    sweep_t *s = ctx;
    void    *p = s->space + s->used;

    size = (size + 15) & ~(size_t) 15;

    if (size > sizeof(s->space) - s->used) {
        return NULL;
    }

    s->used += size;

    return memset(p, 0xa5, size);
}


void
sweep_forget(sweep_t *s)
{
    core_forget(&s->core);
    s->used = 0;
}


static void
sweep_child(void (*part)(sweep_t *s), size_t sample, size_t turn, int out)
{
    static sweep_t s;

    core_init(&s.core);
    s.core.env.dir = &sweep_dir;
    s.core.env.alloc = SANITIZED ? s.core.env.alloc : sweep_alloc;
    s.wait = sample * turn;
    s.stride = sample * PROCESSES;

    part(&s);

    core_free(&s.core);
    fflush(NULL);
    _exit(write(out, &s.tally, sizeof(s.tally)) != sizeof(s.tally));
}


/* The sum of the processes' counters; 0 if a process did not finish. */
static int
sweep_collect(const int *in, const pid_t *pid, sweep_tally_t *sum)
{
    sweep_tally_t tally;
    size_t        i;
    int           status, complete = 1;

    for (i = 0; i < PROCESSES; i++) {
        memset(&tally, 0, sizeof(tally));
        complete &= read(in[i], &tally, sizeof(tally)) == sizeof(tally);
        close(in[i]);
        complete &= waitpid(pid[i], &status, 0) == pid[i] && status == 0;

        sum->items += tally.items;
        sum->checks += tally.checks;
        sum->wrong += tally.wrong;
    }

    return complete;
}


void
sweep_part(const char *name, void (*part)(sweep_t *s), size_t sample,
           size_t all)
{
    sweep_tally_t sum = { 0, 0, 0 };
    pid_t         pid[PROCESSES];
    int           in[PROCESSES], ends[2], complete;
    size_t        i;
    time_t        start = time(NULL);

    sample = sweep_all() ? all : sample;
    fflush(NULL);

    for (i = 0; i < PROCESSES; i++) {
        assert_int_equal(pipe(ends), 0);
        pid[i] = fork();
        assert_true(pid[i] >= 0);

        if (pid[i] == 0) {
            sweep_child(part, sample, i, ends[1]);
        }

        close(ends[1]);
        in[i] = ends[0];
    }

    complete = sweep_collect(in, pid, &sum);

    print_message("# %s: %lu%s, %lu checks, %lu violations, %ld s\n", name,
                  (unsigned long) sum.items, sample == 1 ? "" : " (a sample)",
                  (unsigned long) sum.checks, (unsigned long) sum.wrong,
                  (long) (time(NULL) - start));

    assert_true(complete);
    assert_int_equal(sum.wrong, 0);
    assert_int_not_equal(sum.checks, 0);
}


int
sweep_check(sweep_t *s, int right, const char *label, iri_str_t of,
            iri_str_t got)
{
    s->tally.checks++;

    if (!right && ++s->tally.wrong <= SHOWN) {
        print_message("# wrong: %s: %s gives %s\n", label, core_show(of),
                      core_show(got));
    }

    return right;
}


int
sweep_check_str(sweep_t *s, iri_str_t got, iri_str_t want, const char *label,
                iri_str_t of)
{
    return sweep_check(s, iri_str_equal(got, want), label, of, got);
}


/* ---- paths -------------------------------------------------------------- */

iri_str_t
sweep_raw(iri_str_t octets, unsigned char *out)
{
    iri_str_t path = { octets.len + 1, out };

    out[0] = '/';
    memcpy(out + 1, octets.data, octets.len);

    return path;
}


static unsigned char *
put_escape(unsigned char *p, unsigned char octet)
{
    static const char hex[] = "0123456789ABCDEF";

    *p++ = '%';
    *p++ = (unsigned char) hex[octet >> 4];
    *p++ = (unsigned char) hex[octet & 15];

    return p;
}


iri_str_t
sweep_sent(iri_str_t path, sweep_way_t way, unsigned char *out)
{
    iri_str_t      sent = { 0, out };
    unsigned char *p = out;
    size_t         i;
    int            high = way % 2 == SWEEP_ESCAPED;

    for (i = 0; i < path.len; i++) {
        if (path.data[i] >= 0x80 ? high : !core_is_path_char(path.data[i])) {
            p = put_escape(p, path.data[i]);
        } else {
            *p++ = path.data[i];
        }
    }

    sent.len = (size_t) (p - out);

    return sent;
}


/* ---- invariants of any reading ------------------------------------------ */

/* Is ASCII of the path exactly the ASCII of the octets, in order? */
static int
is_ascii_kept(iri_str_t path, iri_str_t octets)
{
    size_t i, k = 0;

    for (i = 0; i < path.len; i++) {
        if (path.data[i] >= 0x80) {
            continue;
        }

        while (k < octets.len && octets.data[k] != path.data[i]) {
            /* Marks may combine with a letter or "<", but never with these. */
            if (octets.data[k] == '/' || octets.data[k] == '.') {
                return 0;
            }

            k++;
        }

        if (k++ == octets.len) {
            return 0;
        }
    }

    for (/* void */; k < octets.len; k++) {
        if (octets.data[k] == '/' || octets.data[k] == '.') {
            return 0;
        }
    }

    return 1;
}


/* Is a segment "." or "..", and not so in the octets? */
static int
is_dotted(iri_str_t path)
{
    size_t from, to;

    for (from = 0; from <= path.len; from = to + 1) {
        to = iri_segment_end(path, from);

        if ((to - from == 1 && path.data[from] == '.')
            || (to - from == 2 && path.data[from] == '.'
                && path.data[from + 1] == '.'))
        {
            return 1;
        }
    }

    return 0;
}


/* Each character of the reading, by ICU's macros. */
static int
is_clean(const iri_reading_t *got)
{
    const uint8_t *p = got->path.data;
    int32_t        i = 0, len = (int32_t) got->path.len;
    int            legacy = got->form == IRI_FORM_LEGACY
                 && !iri_str_equal(got->charset, iri_charset_mixed);
    UChar32 c;

    while (i < len) {
        U8_NEXT(p, i, len, c);

        if (c < 0x20 || (c >= 0x7f && c < 0xa0)
            || (legacy && (c == 0xfffd || U_IS_UNICODE_NONCHAR(c)))
            || (got->form == IRI_FORM_NATIVE
                && core_is_bidi_control((uint32_t) c)))
        {
            return 0;
        }
    }

    return 1;
}


static int
is_uri(iri_str_t uri, iri_str_t path)
{
    unsigned char plain[3 * 1024];
    size_t        i;

    for (i = 0; i < uri.len; i++) {
        if (uri.data[i] != '%' && !core_is_path_char(uri.data[i])) {
            return 0;
        }
    }

    return uri.len <= sizeof(plain)
           && iri_str_equal(core_unescape(uri, plain), path);
}


/* Was this the last reading that was checked twice? */
static int
is_same_again(sweep_t *s, const iri_reading_conf_t *conf,
              const iri_reading_t *got)
{
    size_t len = got->path.len + got->uri.len;

    if (s->settled_by == conf && s->settled_len == len
        && memcmp(s->settled, got->path.data, got->path.len) == 0
        && memcmp(s->settled + got->path.len, got->uri.data, got->uri.len)
               == 0)
    {
        return 1;
    }

    s->settled_by = NULL;

    if (len <= sizeof(s->settled)) {
        s->settled_by = conf;
        s->settled_len = len;
        memcpy(s->settled, got->path.data, got->path.len);
        memcpy(s->settled + got->path.len, got->uri.data, got->uri.len);
    }

    return 0;
}


/* canonical(canonical(x)) = canonical(x), as it is and as its URI. */
static int
is_settled(sweep_t *s, const iri_reading_conf_t *conf,
           const iri_reading_t *got)
{
    iri_received_path_t as_is = { got->path, 0, { 0, NULL } };
    iri_received_path_t as_uri = { got->uri, 1, { 0, NULL } };
    iri_reading_t       again, sent;

    if (iri_read(&s->core.env, conf, &as_is, &again) != IRI_OK
        || iri_read(&s->core.env, conf, &as_uri, &sent) != IRI_OK)
    {
        return 0;
    }

    if (again.form == IRI_FORM_ASCII) {
        return iri_str_equal(again.path, got->path)
               && iri_str_equal(sent.path, got->uri);
    }

    return again.verdict == IRI_PASS && sent.verdict == IRI_PASS
           && iri_str_equal(again.path, got->path)
           && iri_str_equal(again.uri, got->uri)
           && iri_str_equal(sent.path, got->path)
           && iri_str_equal(sent.uri, got->uri);
}


int
sweep_read(sweep_t *s, const char *label, const iri_reading_conf_t *conf,
           iri_str_t path, sweep_way_t way, iri_reading_t *out)
{
    static unsigned char sent[3 * 4096];
    iri_received_path_t  request;
    iri_status_t         status;
    int                  kept = way >= SWEEP_KEPT_RAW;

    request.target = sweep_sent(path, way, sent);
    request.path = kept ? request.target : path;
    request.escaped = kept;

    status = iri_read(&s->core.env, conf, &request, out);

    if (!sweep_check(s, status == IRI_OK, label, path, S("an error"))) {
        return 0;
    }

    if (out->form == IRI_FORM_ASCII) {
        sweep_check(s,
                    out->verdict == IRI_PASS
                        && iri_str_equal(out->path, request.path),
                    label, path, out->path);
        return 0;
    }

    if (out->form == IRI_FORM_INVALID) {
        sweep_check(s, out->verdict == IRI_REFUSE && out->status == 404,
                    label, path, S("no refusal"));
        return 0;
    }

    sweep_check_str(s, out->octets, path, "octets", path);
    sweep_check(s, is_ascii_kept(out->path, path), "ASCII", path, out->path);
    sweep_check(s, is_clean(out), "forbidden", path, out->path);
    sweep_check(s, is_dotted(path) || !is_dotted(out->path), "dots", path,
                out->path);
    sweep_check(s, is_uri(out->uri, out->path), "URI", path, out->uri);

    if (!is_same_again(s, conf, out)) {
        sweep_check(s, is_settled(s, conf, out), "twice", path, out->path);
    }

    return 1;
}


void
sweep_read_as(sweep_t *s, const char *label, const iri_reading_conf_t *conf,
              iri_str_t path, sweep_way_t way, iri_str_t want)
{
    iri_reading_t got;

    if (!sweep_read(s, label, conf, path, way, &got)) {
        sweep_check(s, want.data == NULL || iri_path_is_ascii(path, 0), label,
                    path, S("no reading"));
        return;
    }

    sweep_check_str(s, got.path, want, label, path);
}


int
sweep_find(sweep_t *s, const iri_tree_conf_t *tree,
           const iri_reading_t *reading, iri_str_t path, iri_found_t *found)
{
    iri_search_t search = {
        .tree = tree, .root = S("/srv"), .path = path, .reading = reading
    };
    iri_status_t status;

    status = iri_find(&s->core.env, &search, found);

    return sweep_check(s, status == IRI_OK, "find", path, S("an error"));
}


/* ---- readings by the Encoding Standard alone ----------------------------- */

static int
is_forbidden(UChar32 c, int legacy)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0)
           || (legacy && (c == 0xfffd || U_IS_UNICODE_NONCHAR(c)));
}


/* The first character, and the octets it takes; 0: there is none. */
static size_t
decode_one(const core_supported_t *row, const unsigned char *p, size_t rest,
           uint32_t *c)
{
    size_t len;

    if (*p < 0x80) {
        *c = *p;
        return 1;
    }

    for (len = 1; len <= 4 && len <= rest; len++) {
        *c = whatwg_decode(row->name, p, len);

        if (*c != WHATWG_NONE) {
            return *c == WHATWG_PAIR ? 0 : len;
        }
    }

    return 0;
}


/*
 * The characters, or -1; *bidi is set if one is a bidi formatting character.
 */
static long
decode(const core_supported_t *row, iri_str_t octets, uint32_t *out,
       int *bidi)
{
    size_t i, n;
    long   count = 0;

    for (i = 0; i < octets.len; i += n, count++) {
        n = decode_one(row, octets.data + i, octets.len - i, &out[count]);

        if (n == 0 || is_forbidden((UChar32) out[count], 1)) {
            return -1;
        }

        *bidi |= core_is_bidi_control(out[count]);
    }

    return count;
}


long
sweep_decode(const core_supported_t *row, iri_str_t octets, uint32_t *out)
{
    int bidi = 0;

    return decode(row, octets, out, &bidi);
}


static long
decode_utf8(iri_str_t octets, uint32_t *out, int *bidi)
{
    const uint8_t *p = octets.data;
    int32_t        i = 0, len = (int32_t) octets.len;
    UChar32        c;
    long           count = 0;

    while (i < len) {
        U8_NEXT(p, i, len, c);

        if (is_forbidden(c, 0)) {
            return -1;
        }

        *bidi |= core_is_bidi_control((uint32_t) c);
        out[count++] = (uint32_t) c;
    }

    return count;
}


/* Append a segment in NFC; row NULL: of UTF-8. */
static int
model_segment(const core_supported_t *row, iri_str_t octets, int *bidi,
              iri_str_t *out, unsigned char *to)
{
    static uint32_t c[CORE_LONG], nfc[10 * CORE_LONG];
    int             some = 0;
    long            count = row != NULL ? decode(row, octets, c, &some)
                                        : decode_utf8(octets, c, &some);
    size_t          n;

    if (count < 0) {
        return 0;
    }

    *bidi |= some;

    if (core_too_many_marks(c, (size_t) count)) {
        out->len += core_utf8(c, (size_t) count, to + out->len).len;
        return 1;
    }

    n = core_normalize(c, (size_t) count, 0, nfc);
    out->len += core_utf8(nfc, n, to + out->len).len;

    return 1;
}


/* Encoding 0 is UTF-8, then rows; ways: as many as may be tried a segment. */
static int
model_path(const core_supported_t *const *rows, size_t first, size_t last,
           iri_str_t path, int *bidi, iri_str_t *out, unsigned char *to)
{
    iri_str_t segment;
    size_t    from, end, way;

    out->len = 0;
    *bidi = 0;

    for (from = 0;; from = end + 1) {
        end = iri_segment_end(path, from);
        segment.data = path.data + from;
        segment.len = end - from;

        for (way = first; way <= last; way++) {
            if (model_segment(way != 0 ? rows[way - 1] : NULL, segment, bidi,
                              out, to)) {
                break;
            }
        }

        if (way > last) {
            return 0;
        }

        if (end == path.len) {
            return 1;
        }

        to[out->len++] = '/';
    }
}


static int
is_utf8(iri_str_t octets)
{
    int32_t i = 0;
    UChar32 c = 0;

    while (i < (int32_t) octets.len && c >= 0) {
        U8_NEXT(octets.data, i, (int32_t) octets.len, c);
    }

    return c >= 0;
}


iri_str_t
sweep_model(const core_supported_t *const *rows, size_t count, iri_str_t path,
            int raw, unsigned char *out)
{
    iri_str_t none = { 0, NULL }, got = { 0, out };
    size_t    way;
    int       bidi, read = 0;

    /* A path of forbidden UTF-8 is not read in another charset. */
    count = is_utf8(path) ? 0 : count;

    for (way = 0; way <= count && !read; way++) {
        read = model_path(rows, way, way, path, &bidi, &got, out);
    }

    if (!read) {
        read = model_path(rows, 0, count, path, &bidi, &got, out);
    }

    return read && !(raw && bidi) ? got : none;
}
