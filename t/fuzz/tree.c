/*
 * tree.c - a tree in memory for the fuzz targets: see fuzz.h
 *
 * It resolves absolute paths like a kernel, counts calls, and fails on demand.
 * Each change sets the times of the directory to times long ago, so that cached
 * results are trusted for as long as they should be.
 */

#include "fuzz.h"

/* Times are far from the time at which an input is processed. */
#define FUZZ_LONG_AGO INT64_C(1000000000000000000) /* 2001 */


/* ---- names and nodes ---------------------------------------------------- */

void
fuzz_tree_clear(iri_str_t root)
{
    memset(fuzz.node, 0, sizeof(fuzz.node));

    fuzz.root = root;
    fuzz.now = FUZZ_LONG_AGO;
    fuzz.nodes = 1;
    fuzz.node[0].kind = IRI_NODE_DIR;
    fuzz.node[0].ino = 1;
    fuzz.node[0].ctime = fuzz.now;
}


/* The index of an entry in a directory; 0: none. */
static size_t
fuzz_tree_in(size_t above, iri_str_t name)
{
    size_t i;

    for (i = 1; i < fuzz.nodes; i++) {
        if (fuzz.node[i].kind != IRI_NODE_ABSENT
            && fuzz.node[i].above == above
            && fuzz_equal(fuzz.node[i].name, name))
        {
            return i;
        }
    }

    return 0;
}


/* The next name of a path from *at on. Returns: 0 if there is none. */
static int
fuzz_tree_part(iri_str_t path, size_t *at, iri_str_t *name)
{
    size_t end;

    while (*at < path.len && path.data[*at] == '/') {
        (*at)++;
    }

    end = iri_segment_end(path, *at);
    name->data = path.data + *at;
    name->len = end - *at;
    *at = end;

    return name->len != 0;
}


/* Resolve a path like a kernel; errors of nodes are in *wrong. */
static iri_node_kind_t
fuzz_tree_walk(iri_str_t path, size_t *node, unsigned *wrong)
{
    iri_str_t name;
    size_t    at = 0, here = 0;

    *wrong = fuzz.node[0].wrong;

    while (at < path.len) {
        if (fuzz.node[here].kind != IRI_NODE_DIR) {
            return IRI_NODE_NOT_DIR;
        }

        if (!fuzz_tree_part(path, &at, &name)) {
            break;
        }

        here = name.len <= FUZZ_NAME_MAX ? fuzz_tree_in(here, name) : 0;
        if (here == 0) {
            return IRI_NODE_ABSENT;
        }

        /* Directories above must be searchable, the entry itself readable. */
        *wrong = fuzz.node[here].wrong | (*wrong & FUZZ_STAT_FAILS);
    }

    *node = here;

    return fuzz.node[here].kind;
}


iri_node_kind_t
fuzz_tree_kind(iri_str_t path)
{
    unsigned wrong;
    size_t   node;

    return fuzz_tree_walk(path, &node, &wrong);
}


int
fuzz_tree_has_faults(void)
{
    size_t i;

    for (i = 0; i < fuzz.nodes; i++) {
        if (fuzz.node[i].kind != IRI_NODE_ABSENT
            && (fuzz.node[i].wrong & FUZZ_STAT_FAILS))
        {
            return 1;
        }
    }

    return 0;
}


/* ---- functions that the core calls -------------------------------------- */

/* A path of the core, below the root. */
static iri_str_t
fuzz_tree_below(const char *text)
{
    iri_str_t path = fuzz_text(text), name;
    size_t    at = 0;

    fuzz_assert(text[0] == '/');

    if (path.len < fuzz.root.len
        || (fuzz.root.len != 0
            && memcmp(path.data, fuzz.root.data, fuzz.root.len) != 0))
    {
        fuzz_die("a look outside of the root: %s", text);
    }

    path = iri_str_from(path, fuzz.root.len);

    if (path.len != 0 && path.data[0] != '/'
        && (fuzz.root.len == 0 || fuzz.root.data[fuzz.root.len - 1] != '/'))
    {
        fuzz_die("a look beside the root: %s", text);
    }

    while (fuzz_tree_part(path, &at, &name)) {
        if (fuzz_equal(name, fuzz_text(".."))
            || fuzz_equal(name, fuzz_text("."))) {
            fuzz_die("a look by a dot-segment: %s", text);
        }
    }

    return path;
}


static int
fuzz_tree_fails(void)
{
    size_t calls = fuzz.stats + fuzz.lists;

    return fuzz.io_fail_at != 0
           && (fuzz.io_fail_on ? calls >= fuzz.io_fail_at
                               : calls == fuzz.io_fail_at);
}


/* In every second directory the owner resets mtime after each change. */
static void
fuzz_tree_times(size_t node, iri_node_t *out)
{
    out->ctime = fuzz.node[node].ctime;
    out->mtime = node % 2 ? FUZZ_LONG_AGO : out->ctime;
}


static iri_status_t
fuzz_tree_stat(void *ctx, const char *text, iri_node_t *out)
{
    iri_str_t path = fuzz_tree_below(text);
    unsigned  wrong;
    size_t    node = 0;

    (void) ctx;

    fuzz.stats++;

    if (fuzz_tree_fails()) {
        return IRI_IO_FAILED;
    }

    memset(out, 0, sizeof(*out));
    out->kind = fuzz_tree_walk(path, &node, &wrong);

    if (wrong & FUZZ_STAT_FAILS) {
        return IRI_IO_FAILED;
    }

    if (out->kind == IRI_NODE_DIR || out->kind == IRI_NODE_OTHER) {
        out->dev = 7;
        out->ino = fuzz.node[node].ino;
        fuzz_tree_times(node, out);
    }

    return IRI_OK;
}


static iri_status_t
fuzz_tree_list(void *ctx, const char *text, iri_node_t *opened,
               iri_dir_each_t each, void *arg)
{
    iri_str_t    path = fuzz_tree_below(text);
    iri_status_t status = IRI_OK;
    unsigned     wrong;
    size_t       node = 0, i, k;

    (void) ctx;

    fuzz.lists++;
    memset(opened, 0, sizeof(*opened));

    if (fuzz_tree_fails()
        || fuzz_tree_walk(path, &node, &wrong) != IRI_NODE_DIR
        || (wrong & (FUZZ_LIST_FAILS | FUZZ_STAT_FAILS)))
    {
        return IRI_IO_FAILED;
    }

    if (wrong & FUZZ_UNLISTED) {
        return IRI_NOT_LISTED;
    }

    opened->kind = IRI_NODE_DIR;
    opened->dev = 7;
    opened->ino = fuzz.node[node].ino;
    fuzz_tree_times(node, opened);

    for (i = 1; i < fuzz.nodes && status == IRI_OK; i++) {
        k = fuzz.backwards ? fuzz.nodes - i : i;

        if (fuzz.node[k].kind != IRI_NODE_ABSENT
            && fuzz.node[k].above == node) {
            status = each(arg, fuzz.node[k].name);
        }
    }

    return status;
}


const iri_dir_t fuzz_dir = { fuzz_tree_stat, fuzz_tree_list };


/* ---- changes ------------------------------------------------------------- */

static void
fuzz_tree_changed(size_t node)
{
    fuzz.now += INT64_C(1000000);
    fuzz.node[node].ctime = fuzz.now;
}


static int
fuzz_tree_may_be(iri_str_t name)
{
    return name.len <= FUZZ_NAME_MAX && !fuzz_equal(name, fuzz_text("."))
           && !fuzz_equal(name, fuzz_text(".."))
           && memchr(name.data, '\0', name.len) == NULL;
}


/* Returns: 0 if there is no room. */
static size_t
fuzz_tree_add(size_t above, iri_str_t name, iri_node_kind_t kind)
{
    size_t i;

    for (i = 1; i < fuzz.nodes; i++) {
        if (fuzz.node[i].kind == IRI_NODE_ABSENT) {
            break;
        }
    }

    if (i == FUZZ_NODES) {
        return 0;
    }

    fuzz.nodes = i == fuzz.nodes ? i + 1 : fuzz.nodes;

    memset(&fuzz.node[i], 0, sizeof(fuzz.node[i]));
    fuzz.node[i].name = name;
    fuzz.node[i].above = above;
    fuzz.node[i].kind = kind;
    fuzz.node[i].ino = 2 + i; /* reused, as by file systems */
    fuzz_tree_changed(i);
    fuzz_tree_changed(above);

    return i;
}


void
fuzz_tree_put(iri_str_t path, iri_node_kind_t kind, unsigned wrong)
{
    iri_str_t name, next;
    size_t    at = 0, here = 0, below;
    int       more;

    more = fuzz_tree_part(path, &at, &name);

    while (more) {
        if (fuzz.node[here].kind != IRI_NODE_DIR || !fuzz_tree_may_be(name)) {
            return;
        }

        more = fuzz_tree_part(path, &at, &next);
        below = fuzz_tree_in(here, name);

        if (below == 0) {
            below = fuzz_tree_add(here, name, more ? IRI_NODE_DIR : kind);
        }

        if (below == 0) {
            return;
        }

        here = below;
        name = next;
    }

    if (fuzz.node[here].wrong != wrong) {
        fuzz.node[here].wrong = wrong;
        fuzz_tree_changed(here);
    }
}


/* The entries below it are removed, too. */
void
fuzz_tree_remove(iri_str_t path)
{
    unsigned wrong;
    size_t   node = 0, i, k;

    if (fuzz_tree_walk(path, &node, &wrong) == IRI_NODE_ABSENT || node == 0) {
        return;
    }

    fuzz.node[node].kind = IRI_NODE_ABSENT;
    fuzz_tree_changed(fuzz.node[node].above);

    for (k = 1; k < fuzz.nodes; k++) {
        for (i = 1; i < fuzz.nodes; i++) {
            if (fuzz.node[fuzz.node[i].above].kind == IRI_NODE_ABSENT) {
                fuzz.node[i].kind = IRI_NODE_ABSENT;
            }
        }
    }
}


void
fuzz_tree_touch(iri_str_t path, unsigned wrong)
{
    unsigned was;
    size_t   node = 0;

    fuzz_tree_walk(path, &node, &was);
    fuzz.node[node].wrong = wrong;
    fuzz_tree_changed(node);
}


/* ---- an entry described -------------------------------------------------- */

/*
 * An octet below 20 in the path of an entry stands for the segment of the
 * request at that depth:
 *
 *    01        canonical
 *    02        in NFD
 *    03 - 06   in the first encodings of the tree
 *    07        the octets of the request
 *    08, 0B    the vendor pairs in the vendors' and in the JIS form
 *    0C - 0E   the octets decoded in a charset of requests
 *    0F - 11   and then encoded as the tree encodes that name
 *    12, 13    without the last octet, without the first
 *    14        unnormalized: the first character in NFC, the rest in NFD
 *
 */

static iri_str_t
fuzz_segment(iri_str_t path, size_t depth)
{
    iri_str_t s = { 0, (const unsigned char *) "" };
    size_t    from = 0, to;

    if (path.len != 0 && path.data[0] == '/') {
        from = 1;
    }

    for (;; from = to + 1) {
        to = iri_segment_end(path, from);

        if (depth-- == 0) {
            s.data = path.data + from;
            s.len = to - from;
            return s;
        }

        if (to == path.len) {
            return s;
        }
    }
}


/* A segment's octets, decoded in a charset; empty: invalid. */
static iri_str_t
fuzz_segment_in(const iri_charset_t *charset, iri_str_t octets)
{
    iri_source_t source = { octets, NULL, 0, 0 };
    iri_buf_t    out = IRI_BUF_EMPTY;
    iri_why_t    why;

    iri_segment_read(&fuzz.env, charset, &source, 0, octets.len, &out, NULL,
                     &why);

    return iri_buf_str(&out);
}


static iri_str_t
fuzz_segment_written(const iri_tree_conf_t *tree, iri_str_t name, size_t way)
{
    iri_buf_t out = IRI_BUF_EMPTY;
    int       written = 0;

    if (name.len != 0 && way < IRI_WAYS(tree)) {
        iri_name_write(&fuzz.env, tree, name, way, &out, &written);
    }

    if (!written) {
        out.len = 0;
    }

    return iri_buf_str(&out);
}


static iri_str_t
fuzz_segment_mixed(iri_str_t name)
{
    iri_buf_t out = IRI_BUF_EMPTY;
    uint32_t  c;
    size_t    n;

    n = fuzz_utf8(name.data, name.data + name.len, &c);
    iri_buf_put(&fuzz.env, &out, name.data, n);
    name = iri_str_from(name, n);

    return name.len == 0 || iri_nfd_put(&fuzz.env, name, &out) == IRI_OK
               ? iri_buf_str(&out)
               : name;
}


static iri_str_t
fuzz_segment_like(unsigned octet, size_t depth, const fuzz_conf_t *conf,
                  const iri_reading_t *reading)
{
    iri_str_t             name = fuzz_segment(reading->path, depth), s;
    iri_str_t             received = fuzz_segment(reading->octets, depth);
    const iri_charsets_t *list = &conf->reading.charsets;
    iri_buf_t             out = IRI_BUF_EMPTY;
    int                   differs;

    /* The core checks limits; this function must not exceed its own buffers. */
    if (name.len > FUZZ_NAME_MAX || received.len > FUZZ_NAME_MAX) {
        return received;
    }

    switch (octet) {
    case 0x01:
        return name;

    case 0x02:
        return iri_nfd_put(&fuzz.env, name, &out) == IRI_OK
                   ? iri_buf_str(&out)
                   : name;

    case 0x03:
    case 0x04:
    case 0x05:
    case 0x06:
        return fuzz_segment_written(&conf->tree, name, octet - 0x03);

    case 0x07:
        return received;

    case 0x08:
    case 0x0b:
        iri_name_variant(&fuzz.env, name, octet == 0x0b, &out, &differs);
        return iri_buf_str(&out);

    case 0x0c:
    case 0x0d:
    case 0x0e:
        return list->count > octet - 0x0c
                   ? fuzz_segment_in(list->at[octet - 0x0c], received)
                   : received;

    case 0x0f:
    case 0x10:
    case 0x11:
        s = list->count > octet - 0x0f
                ? fuzz_segment_in(list->at[octet - 0x0f], received)
                : received;
        return fuzz_segment_written(&conf->tree, s, 0);

    case 0x12:
        name.len -= name.len != 0;
        return name;

    case 0x14:
        return fuzz_segment_mixed(name);

    default:
        return iri_str_from(name, name.len != 0);
    }
}


/* All codes replaced; at most that many octets. */
static iri_str_t
fuzz_tree_expand(iri_str_t template, const fuzz_conf_t *conf,
                 const iri_reading_t *reading)
{
    unsigned char out[1024];
    iri_str_t     s;
    size_t        len = 0, depth = 0, i;

    for (i = 0; i < template.len; i++) {
        s.data = &template.data[i];
        s.len = 1;

        if (*s.data == '/' && i != 0) {
            depth++;

        } else if (*s.data > 0 && *s.data < 0x15) {
            s = fuzz_segment_like(*s.data, depth, conf, reading);
        }

        if (s.len > sizeof(out) - len) {
            break;
        }

        if (s.len != 0) {
            memcpy(out + len, s.data, s.len);
            len += s.len;
        }
    }

    return fuzz_given_raw(out, len);
}


void
fuzz_tree_describe(iri_str_t field, const fuzz_conf_t *conf,
                   const iri_reading_t *reading)
{
    static const struct {
        char            octet;
        iri_node_kind_t kind;
        unsigned        wrong;
    } kinds[] = {
        { 'f', IRI_NODE_OTHER, 0 },
        { 'd', IRI_NODE_DIR, 0 },
        { 'u', IRI_NODE_DIR, FUZZ_UNLISTED },
        { 'l', IRI_NODE_DIR, FUZZ_LIST_FAILS },
        { 's', IRI_NODE_OTHER, FUZZ_STAT_FAILS },
        { 'x', IRI_NODE_DIR, FUZZ_STAT_FAILS },
    };
    size_t i;

    if (field.len < 2) {
        return;
    }

    for (i = 0; i + 1 < COUNT(kinds) && kinds[i].octet != field.data[0]; i++)
    {
        /* void */
    }

    /* Any other octet selects one of the two most useful kinds. */
    if (kinds[i].octet != field.data[0]) {
        i = field.data[0] % 2;
    }

    fuzz_tree_put(fuzz_tree_expand(iri_str_from(field, 1), conf, reading),
                  kinds[i].kind, kinds[i].wrong);
}
