/*
 * iri_multistatus.c - names on disk in the XML that WebDAV answers
 *
 * A server lists a collection (RFC 4918, 9.1 and 13) by the octets that its
 * directory holds.  Here an answer of 207, or the lock that one of 200 tells
 * of, passes through in pieces of any size, and three things in it are put
 * right: DAV:href of a DAV:response, DAV:href of a DAV:lockroot and, where
 * the server makes it of octets, DAV:displayname.  Elements are known by
 * their namespace and by what they stand in, so that what clients have
 * stored in properties stays what it is.  All the rest is copied, and what
 * is not UTF-8 in it, or no character of XML, is U+FFFD.
 */

#include <string.h>

#include "iri_dav.h"
#include "unicode/iri_unicode.h"

/* What a path in an href may have, escaped and with entities, else it stays. */
#define IRI_MS_TEXT ((size_t) 4 * IRI_MAX_PATH)

#define IRI_MS_TAG      256u           /* octets of a tag put at a time */
#define IRI_MS_WORD     48u            /* octets of a word that may matter */
#define IRI_MS_DEPTH    16u            /* elements in each other, likewise */
#define IRI_MS_PREFIX   32u            /* octets of a prefix, likewise */
#define IRI_MS_PREFIXES 16u            /* that stand for DAV: */
#define IRI_MS_SCRATCH  (512u * 1024u) /* for one name at a time */

/* Elements whose place in the answer matters. */
typedef enum {
    IRI_MS_NONE, /* around the root */
    IRI_MS_OTHER,
    IRI_MS_MULTISTATUS,
    IRI_MS_RESPONSE,
    IRI_MS_PROPSTAT,
    IRI_MS_PROP,
    IRI_MS_LOCKDISCOVERY,
    IRI_MS_ACTIVELOCK,
    IRI_MS_LOCKROOT,
    IRI_MS_HREF_OF_RESPONSE,
    IRI_MS_HREF_OF_LOCKROOT,
    IRI_MS_DISPLAYNAME
} iri_ms_kind_t;

/* Where the next octet stands. */
typedef enum {
    IRI_MS_IN_TEXT,
    IRI_MS_IN_TAG, /* or in what else begins with "<" */
    IRI_MS_IN_COMMENT,
    IRI_MS_IN_CDATA,
    IRI_MS_IN_INSTRUCTION
} iri_ms_state_t;

/* Where the next octet of a start tag stands. */
typedef enum {
    IRI_MS_AT_NAME,
    IRI_MS_AT_BLANK,
    IRI_MS_AT_ATTRIBUTE,
    IRI_MS_AT_VALUE
} iri_ms_at_t;

/* A name or a value: no one that matters is longer than text. */
typedef struct {
    unsigned char text[IRI_MS_WORD];
    size_t        len; /* IRI_MS_WORD + 1: it is */
} iri_ms_word_t;

/* A prefix, or none, and what it stands for from an element on. */
typedef struct {
    unsigned char text[IRI_MS_PREFIX];
    size_t        len;
    size_t        depth;
    int           is_dav;
} iri_ms_prefix_t;

struct iri_multistatus_s {
    const iri_env_t       *env;
    iri_env_t              names; /* its arena is scratch */
    const iri_tree_conf_t *tree;
    iri_str_t              base[2];
    int                    raw;

    iri_put_t    put; /* of this call */
    void        *arg;
    iri_status_t status;

    iri_ms_state_t state;
    unsigned char  tag[IRI_MS_TAG];
    size_t         tag_len; /* octets of it that are not yet put */
    int            is_put;  /* others are */
    int            is_end;  /* it is an end tag */
    unsigned char  last[2]; /* the octets before this one */
    unsigned char  quote;   /* of a value; 0: in none */
    iri_ms_at_t    at;
    iri_ms_word_t  name; /* of the element */
    iri_ms_word_t  attribute;
    iri_ms_word_t  value;

    size_t          depth;              /* elements that are open */
    unsigned char   kind[IRI_MS_DEPTH]; /* iri_ms_kind_t */
    iri_ms_prefix_t prefix[IRI_MS_PREFIXES];
    size_t          prefixes;
    size_t          lost_at;   /* there are more: from this element on nothing
                                  is known, up to its end; 0: all is */
    int             is_member; /* the response is of one of a base */

    iri_ms_kind_t  collects; /* the element whose text is in text */
    unsigned char *text;     /* room for IRI_MS_TEXT octets */
    size_t         text_len;

    unsigned char part[4]; /* of a character that is not yet complete */
    size_t        part_len;

    unsigned char *scratch; /* NULL: not yet needed */
    size_t         used;
};


/* ---- what goes out ------------------------------------------------------- */

static void
iri_ms_put(iri_multistatus_t *ms, const unsigned char *data, size_t len)
{
    if (ms->status == IRI_OK && len != 0) {
        ms->status = ms->put(ms->arg, data, len);
    }
}


static int
iri_is_xml_char(uint32_t c)
{
    return c >= 0x20 ? c != 0xfffe && c != 0xffff
                     : c == '\t' || c == '\n' || c == '\r';
}


/* Octets that begin a character which the next piece may complete. */
static int
iri_ms_is_part(const unsigned char *p, size_t len)
{
    unsigned char whole[4];
    uint32_t      c;
    size_t        need;

    need = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    if (len >= need || p[0] > 0xf4) {
        return 0;
    }

    /* with the first or the last octets that could follow */
    memset(whole, 0x80, sizeof(whole));
    memcpy(whole, p, len);
    if (iri_utf8_next(whole, whole + need, &c) == need) {
        return 1;
    }

    memset(whole + len, 0xbf, sizeof(whole) - len);

    return iri_utf8_next(whole, whole + need, &c) == need;
}


/* Characters of XML, as they are; U+FFFD for each octet of anything else. */
static void
iri_ms_put_clean(iri_multistatus_t *ms, const unsigned char *p, size_t len,
                 int is_end)
{
    static const unsigned char replaced[] = { 0xef, 0xbf, 0xbd };
    const unsigned char       *end = p + len, *good = p;
    uint32_t                   c;
    size_t                     n;

    while (p < end) {
        n = iri_utf8_next(p, end, &c);

        if (n != 0 && iri_is_xml_char(c)) {
            p += n;
            continue;
        }

        iri_ms_put(ms, good, (size_t) (p - good));

        if (n == 0 && !is_end && iri_ms_is_part(p, (size_t) (end - p))) {
            ms->part_len = (size_t) (end - p);
            memcpy(ms->part, p, ms->part_len);
            return;
        }

        iri_ms_put(ms, replaced, sizeof(replaced));
        p += n != 0 ? n : 1;
        good = p;
    }

    iri_ms_put(ms, good, (size_t) (p - good));
}


/* What the last piece ended with is no character after all. */
static void
iri_ms_flush_part(iri_multistatus_t *ms)
{
    size_t len = ms->part_len;

    ms->part_len = 0;
    iri_ms_put_clean(ms, ms->part, len, 1);
}


/* A run of text, which may begin and end inside a character. */
static void
iri_ms_put_run(iri_multistatus_t *ms, const unsigned char *p, size_t len)
{
    uint32_t c;
    size_t   n;

    while (ms->part_len != 0 && len != 0) {
        ms->part[ms->part_len] = *p;
        n = ms->part_len + 1;

        if (iri_utf8_next(ms->part, ms->part + n, &c) == n) {
            ms->part_len = 0;
            iri_ms_put_clean(ms, ms->part, n, 1);
        } else if (iri_ms_is_part(ms->part, n)) {
            ms->part_len = n;
        } else {
            iri_ms_flush_part(ms);
            break;
        }

        p++;
        len--;
    }

    iri_ms_put_clean(ms, p, len, 0);
}


/* All of something that has been collected. */
static void
iri_ms_put_whole(iri_multistatus_t *ms, const unsigned char *p, size_t len)
{
    iri_ms_flush_part(ms);
    iri_ms_put_clean(ms, p, len, 1);
}


/* Text of XML: no markup begins in it. */
static void
iri_ms_put_escaped(iri_multistatus_t *ms, iri_str_t s)
{
    static const struct {
        unsigned char c;
        iri_str_t     text;
    } table[] = {
        { '&', IRI_STR("&amp;") },
        { '<', IRI_STR("&lt;") },
        { '>', IRI_STR("&gt;") },
    };
    size_t i, k, from = 0;

    /* then there may be no octets to point to */
    if (s.len == 0) {
        return;
    }

    for (i = 0; i < s.len; i++) {
        for (k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
            if (s.data[i] == table[k].c) {
                iri_ms_put_clean(ms, s.data + from, i - from, 1);
                iri_ms_put(ms, table[k].text.data, table[k].text.len);
                from = i + 1;
            }
        }
    }

    iri_ms_put_clean(ms, s.data + from, s.len - from, 1);
}


/* ---- the names ----------------------------------------------------------- */

/* Memory that is good until the next name. */
static void *
iri_ms_alloc(void *ctx, size_t size)
{
    iri_multistatus_t *ms = ctx;
    void              *p;

    if (ms->scratch == NULL) {
        ms->scratch = ms->env->alloc(ms->env->ctx, IRI_MS_SCRATCH);
        if (ms->scratch == NULL) {
            ms->status = IRI_NO_MEMORY;
            return NULL;
        }
    }

    size = (size + 15) & ~(size_t) 15;
    if (size > IRI_MS_SCRATCH - ms->used) {
        return NULL;
    }

    p = ms->scratch + ms->used;
    ms->used += size;

    return p;
}


/* The character that an entity at p stands for: its octets; 0: unknown. */
static size_t
iri_ms_entity(const unsigned char *p, size_t len, unsigned char *c)
{
    static const struct {
        iri_str_t     text;
        unsigned char c;
    } table[] = {
        { IRI_STR("&amp;"), '&' },   { IRI_STR("&lt;"), '<' },
        { IRI_STR("&gt;"), '>' },    { IRI_STR("&quot;"), '"' },
        { IRI_STR("&apos;"), '\'' }, { IRI_STR("&#39;"), '\'' },
    };
    size_t i;

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (len >= table[i].text.len
            && memcmp(p, table[i].text.data, table[i].text.len) == 0)
        {
            *c = table[i].c;
            return table[i].text.len;
        }
    }

    return 0;
}


/* The octets of the text that was collected; 0: there is an odd entity. */
static int
iri_ms_decode(iri_multistatus_t *ms, iri_str_t *out)
{
    unsigned char *octets = ms->names.alloc(ms->names.ctx, ms->text_len + 1);
    size_t         i, n, len = 0;

    if (octets == NULL) {
        return 0;
    }

    for (i = 0; i < ms->text_len; i += n) {
        n = 1;
        octets[len] = ms->text[i];

        if (ms->text[i] == '&') {
            n = iri_ms_entity(ms->text + i, ms->text_len - i, octets + len);
            if (n == 0) {
                return 0;
            }
        }

        len++;
    }

    out->data = octets;
    out->len = len;

    return 1;
}


/* 0: a bad escape. */
static int
iri_ms_unescape(iri_multistatus_t *ms, iri_str_t *path)
{
    unsigned char *octets = ms->names.alloc(ms->names.ctx, path->len + 1);
    size_t         i, n, len = 0;

    if (octets == NULL) {
        return 0;
    }

    for (i = 0; i < path->len; i += n) {
        n = iri_unescape(path->data + i, path->data + path->len,
                         octets + len);
        if (n == 0) {
            return 0;
        }

        len++;
    }

    path->data = octets;
    path->len = len;

    return 1;
}


/* The base that a path is below: its octets; 0: none. */
static size_t
iri_ms_base_of(const iri_multistatus_t *ms, iri_str_t path)
{
    size_t i, len, found = 0;

    for (i = 0; i < IRI_MULTISTATUS_BASES; i++) {
        len = ms->base[i].len;

        if (len > found && len < path.len
            && memcmp(path.data, ms->base[i].data, len) == 0)
        {
            found = len;
        }
    }

    return found;
}


/* The name of an entry, or its octets where it has none. */
static iri_status_t
iri_ms_put_name(iri_multistatus_t *ms, iri_str_t octets, iri_buf_t *path)
{
    iri_str_t    name = octets;
    iri_status_t status = IRI_OK;

    if (!iri_path_is_ascii(octets, 0)) {
        status = iri_entry_name(&ms->names, ms->tree, octets, &name);
        if (status == IRI_OK && name.len == 0) {
            name = octets;
        }
    }

    return status == IRI_OK
               ? iri_buf_put(&ms->names, path, name.data, name.len)
               : status;
}


/* The path with names for the octets that follow its base. */
static iri_status_t
iri_ms_names(iri_multistatus_t *ms, iri_str_t path, size_t base,
             iri_buf_t *out)
{
    iri_str_t    segment;
    iri_status_t status;
    size_t       from, to;

    status = iri_buf_put(&ms->names, out, path.data, base);

    for (from = base; status == IRI_OK && from < path.len; from = to + 1) {
        to = iri_segment_end(path, from);
        segment.data = path.data + from;
        segment.len = to - from;

        status = iri_ms_put_name(ms, segment, out);

        if (status == IRI_OK && to < path.len) {
            status = iri_buf_putc(&ms->names, out, '/');
        }
    }

    return status;
}


/* ---- what was collected -------------------------------------------------- */

/* As it came. */
static void
iri_ms_give_up(iri_multistatus_t *ms)
{
    if (ms->collects != IRI_MS_NONE) {
        iri_ms_put_whole(ms, ms->text, ms->text_len);
    }

    ms->collects = IRI_MS_NONE;
}


/*
 * The path of a resource becomes canonical, percent-encoded.  What is no
 * path, or too long for one, stays.  0: it does.  Where names cannot be told
 * nothing follows: octets of the disk might lead to another entry.
 */
static int
iri_ms_put_href(iri_multistatus_t *ms)
{
    int          is_lockroot = ms->collects == IRI_MS_HREF_OF_LOCKROOT;
    iri_buf_t    names = IRI_BUF_EMPTY;
    iri_str_t    path, uri = IRI_STR("");
    iri_status_t status;
    size_t       base;

    if (!iri_ms_decode(ms, &path) || path.len == 0 || path.data[0] != '/'
        || (!(is_lockroot && ms->raw) && !iri_ms_unescape(ms, &path))
        || path.len > IRI_MAX_PATH)
    {
        return 0;
    }

    base = is_lockroot && ms->raw ? 0 : iri_ms_base_of(ms, path);

    if (!is_lockroot) {
        ms->is_member = base != 0;
    }

    status = iri_ms_names(ms, path, base != 0 ? base : path.len, &names);
    if (status == IRI_OK) {
        status = iri_path_to_uri(&ms->names, iri_buf_str(&names), &uri);
    }

    if (status != IRI_OK) {
        ms->status = status;
        return 0;
    }

    iri_ms_put_escaped(ms, uri);

    return 1;
}


/* Octets without a name: what can be seen of them, escapes for the rest. */
static void
iri_ms_put_shown(iri_multistatus_t *ms, iri_str_t octets)
{
    const unsigned char *p = octets.data, *end = p + octets.len;
    iri_buf_t            out = IRI_BUF_EMPTY;
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n;

    for (; status == IRI_OK && p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n != 0 && iri_is_xml_char(c) && c >= 0x20) {
            status = iri_buf_put(&ms->names, &out, p, n);
        } else {
            status = iri_buf_put_escape(&ms->names, &out, *p);
            n = 1;
        }
    }

    iri_ms_put_escaped(ms, status == IRI_OK ? iri_buf_str(&out) : octets);
}


/* 0: it stays as it came. */
static int
iri_ms_put_displayname(iri_multistatus_t *ms)
{
    iri_str_t octets, name = { 0, NULL };

    if (!iri_ms_decode(ms, &octets)) {
        return 0;
    }

    if (ms->is_member) {
        ms->status = iri_entry_name(&ms->names, ms->tree, octets, &name);
        if (ms->status != IRI_OK) {
            return 0;
        }
    }

    if (name.len != 0) {
        iri_ms_put_escaped(ms, name);
    } else {
        iri_ms_put_shown(ms, octets);
    }

    return 1;
}


/* Its element ends here. */
static void
iri_ms_put_collected(iri_multistatus_t *ms)
{
    int is_put;

    if (ms->collects == IRI_MS_NONE) {
        return;
    }

    ms->used = 0;
    is_put = ms->collects == IRI_MS_DISPLAYNAME ? iri_ms_put_displayname(ms)
                                                : iri_ms_put_href(ms);
    if (is_put) {
        ms->collects = IRI_MS_NONE;
    }

    iri_ms_give_up(ms);
}


/* ---- elements ------------------------------------------------------------ */

static iri_ms_kind_t
iri_ms_parent(const iri_multistatus_t *ms)
{
    if (ms->depth == 0) {
        return IRI_MS_NONE;
    }

    return ms->depth <= IRI_MS_DEPTH ? (iri_ms_kind_t) ms->kind[ms->depth - 1]
                                     : IRI_MS_OTHER;
}


/* Does a prefix stand for DAV: here? */
static int
iri_ms_is_dav(const iri_multistatus_t *ms, iri_str_t prefix)
{
    size_t i;

    for (i = ms->prefixes; i > 0; i--) {
        if (ms->prefix[i - 1].len == prefix.len
            && (prefix.len == 0
                || memcmp(ms->prefix[i - 1].text, prefix.data, prefix.len)
                       == 0))
        {
            return ms->prefix[i - 1].is_dav;
        }
    }

    return 0;
}


/*
 * In the start tag of an element.  Only what stands for DAV:, or stands for it
 * no longer, matters.
 */
static void
iri_ms_bind(iri_multistatus_t *ms, iri_str_t prefix, iri_str_t namespace)
{
    static const iri_str_t dav = IRI_STR("DAV:");
    int                    is_dav = iri_str_equal(namespace, dav);
    iri_ms_prefix_t       *bound;

    if (is_dav == iri_ms_is_dav(ms, prefix)) {
        return;
    }

    if (prefix.len > IRI_MS_PREFIX || ms->prefixes == IRI_MS_PREFIXES) {
        ms->lost_at = ms->lost_at != 0 ? ms->lost_at : ms->depth + 1;
        return;
    }

    bound = &ms->prefix[ms->prefixes++];
    bound->len = prefix.len;
    bound->depth = ms->depth + 1;
    bound->is_dav = is_dav;

    if (prefix.len != 0) {
        memcpy(bound->text, prefix.data, prefix.len);
    }
}


/* What stands before ":" in a name is taken off it. */
static iri_str_t
iri_ms_split(iri_str_t *name)
{
    iri_str_t            prefix = { 0, name->data };
    const unsigned char *colon = memchr(name->data, ':', name->len);

    if (colon != NULL) {
        prefix.len = (size_t) (colon - name->data);
        *name = iri_str_from(*name, prefix.len + 1);
    }

    return prefix;
}


static void
iri_ms_word_put(iri_ms_word_t *word, unsigned char c)
{
    if (word->len < IRI_MS_WORD) {
        word->text[word->len] = c;
    }

    word->len += word->len <= IRI_MS_WORD;
}


/* What is there of it. */
static iri_str_t
iri_ms_word_str(const iri_ms_word_t *word)
{
    iri_str_t s = { word->len, word->text };

    s.len = s.len < IRI_MS_WORD ? s.len : IRI_MS_WORD;

    return s;
}


/* An attribute is complete: does it tell of a namespace? */
static void
iri_ms_namespace(iri_multistatus_t *ms)
{
    static const iri_str_t xmlns = IRI_STR("xmlns");
    iri_str_t              value = iri_ms_word_str(&ms->value);
    iri_str_t              name = iri_ms_word_str(&ms->attribute);
    iri_str_t              prefix = iri_ms_split(&name);

    if (iri_str_equal(prefix, xmlns)) {
        iri_ms_bind(ms, name, value);
    } else if (prefix.len == 0 && iri_str_equal(name, xmlns)) {
        iri_ms_bind(ms, prefix, value);
    }
}


static int
iri_is_xml_space(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}


/* An octet of a start tag, before its ">". */
static void
iri_ms_in_start(iri_multistatus_t *ms, unsigned char c)
{
    int is_blank = iri_is_xml_space(c) || c == '/';

    switch (ms->at) {
    case IRI_MS_AT_NAME:
        if (is_blank) {
            ms->at = IRI_MS_AT_BLANK;
        } else {
            iri_ms_word_put(&ms->name, c);
        }
        break;

    case IRI_MS_AT_BLANK:
        if (!is_blank) {
            ms->at = IRI_MS_AT_ATTRIBUTE;
            ms->attribute.len = 0;
            iri_ms_word_put(&ms->attribute, c);
        }
        break;

    case IRI_MS_AT_ATTRIBUTE:
        if (ms->quote != 0) {
            ms->at = IRI_MS_AT_VALUE;
            ms->value.len = 0;
        } else if (!is_blank && c != '=') {
            iri_ms_word_put(&ms->attribute, c);
        }
        break;

    case IRI_MS_AT_VALUE:
        if (ms->quote == 0) {
            ms->at = IRI_MS_AT_BLANK;
            iri_ms_namespace(ms);
        } else {
            iri_ms_word_put(&ms->value, c);
        }
    }
}


static iri_ms_kind_t
iri_ms_kind(iri_str_t name, iri_ms_kind_t parent)
{
    static const struct {
        iri_ms_kind_t parent;
        iri_ms_kind_t kind;
        iri_str_t     name;
    } table[] = {
        { IRI_MS_NONE, IRI_MS_MULTISTATUS, IRI_STR("multistatus") },
        { IRI_MS_NONE, IRI_MS_PROP, IRI_STR("prop") },
        { IRI_MS_MULTISTATUS, IRI_MS_RESPONSE, IRI_STR("response") },
        { IRI_MS_RESPONSE, IRI_MS_HREF_OF_RESPONSE, IRI_STR("href") },
        { IRI_MS_RESPONSE, IRI_MS_PROPSTAT, IRI_STR("propstat") },
        { IRI_MS_PROPSTAT, IRI_MS_PROP, IRI_STR("prop") },
        { IRI_MS_PROP, IRI_MS_DISPLAYNAME, IRI_STR("displayname") },
        { IRI_MS_PROP, IRI_MS_LOCKDISCOVERY, IRI_STR("lockdiscovery") },
        { IRI_MS_LOCKDISCOVERY, IRI_MS_ACTIVELOCK, IRI_STR("activelock") },
        { IRI_MS_ACTIVELOCK, IRI_MS_LOCKROOT, IRI_STR("lockroot") },
        { IRI_MS_LOCKROOT, IRI_MS_HREF_OF_LOCKROOT, IRI_STR("href") },
    };
    size_t i;

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].parent == parent && iri_str_equal(table[i].name, name)) {
            return table[i].kind;
        }
    }

    return IRI_MS_OTHER;
}


static void
iri_ms_open(iri_multistatus_t *ms)
{
    iri_ms_kind_t kind = IRI_MS_OTHER, parent = iri_ms_parent(ms);
    iri_str_t     name = iri_ms_word_str(&ms->name);
    iri_str_t     prefix = iri_ms_split(&name);

    ms->depth++;

    if (ms->lost_at == 0 && ms->name.len <= IRI_MS_WORD
        && iri_ms_is_dav(ms, prefix))
    {
        kind = iri_ms_kind(name, parent);
    }

    if (ms->depth <= IRI_MS_DEPTH) {
        ms->kind[ms->depth - 1] = (unsigned char) kind;
    }

    if (kind == IRI_MS_HREF_OF_RESPONSE || kind == IRI_MS_HREF_OF_LOCKROOT
        || (kind == IRI_MS_DISPLAYNAME && ms->raw))
    {
        ms->collects = kind;
        ms->text_len = 0;
    }
}


static void
iri_ms_close(iri_multistatus_t *ms)
{
    if (iri_ms_parent(ms) == IRI_MS_RESPONSE) {
        ms->is_member = 0;
    }

    ms->depth -= ms->depth != 0;

    if (ms->lost_at > ms->depth) {
        ms->lost_at = 0;
    }

    while (ms->prefixes != 0
           && ms->prefix[ms->prefixes - 1].depth > ms->depth) {
        ms->prefixes--;
    }
}


/* ---- octet by octet ------------------------------------------------------ */

/* What was collected goes before the tag that ends it, or that it holds. */
static void
iri_ms_tag_put(iri_multistatus_t *ms)
{
    if (!ms->is_put && ms->is_end) {
        iri_ms_put_collected(ms);
    } else if (!ms->is_put) {
        iri_ms_give_up(ms);
    }

    iri_ms_put_run(ms, ms->tag, ms->tag_len);
    ms->is_put = 1;
    ms->tag_len = 0;
}


static void
iri_ms_tag_end(iri_multistatus_t *ms)
{
    int is_empty = ms->last[0] == '/';
    int is_start = !ms->is_end && ms->name.text[0] != '!';

    ms->state = IRI_MS_IN_TEXT;
    iri_ms_tag_put(ms);

    if (ms->is_end) {
        iri_ms_close(ms);
    } else if (is_start) {
        iri_ms_open(ms);

        if (is_empty) {
            ms->collects = IRI_MS_NONE;
            iri_ms_close(ms);
        }
    }
}


/* It was no tag. */
static void
iri_ms_tag_flush(iri_multistatus_t *ms, iri_ms_state_t state)
{
    iri_ms_tag_put(ms);
    ms->state = state;
    ms->last[0] = ms->last[1] = '\0';
}


static int
iri_ms_tag_is(const iri_multistatus_t *ms, const char *text)
{
    size_t len = strlen(text);

    return !ms->is_put && ms->tag_len == len
           && memcmp(ms->tag, text, len) == 0;
}


static void
iri_ms_in_tag(iri_multistatus_t *ms, unsigned char c)
{
    if (ms->tag_len == IRI_MS_TAG) {
        iri_ms_tag_put(ms);
    }

    ms->tag[ms->tag_len++] = c;

    if (iri_ms_tag_is(ms, "</")) {
        ms->is_end = 1;
    } else if (iri_ms_tag_is(ms, "<!--")) {
        iri_ms_tag_flush(ms, IRI_MS_IN_COMMENT);
        return;
    } else if (iri_ms_tag_is(ms, "<![CDATA[")) {
        iri_ms_tag_flush(ms, IRI_MS_IN_CDATA);
        return;
    } else if (iri_ms_tag_is(ms, "<?")) {
        iri_ms_tag_flush(ms, IRI_MS_IN_INSTRUCTION);
        return;
    }

    if (ms->quote != 0) {
        ms->quote = c == ms->quote ? 0 : ms->quote;
    } else if (c == '"' || c == '\'') {
        ms->quote = c;
    } else if (c == '>') {
        iri_ms_tag_end(ms);
        return;
    }

    if (!ms->is_end) {
        iri_ms_in_start(ms, c);
    }
    ms->last[0] = c;
}


/* A comment, CDATA or instruction: up to its end. */
static void
iri_ms_in_other(iri_multistatus_t *ms, unsigned char c)
{
    unsigned char before = ms->state == IRI_MS_IN_COMMENT ? '-' : ']';

    iri_ms_put_run(ms, &c, 1);

    if (c == '>'
        && (ms->state == IRI_MS_IN_INSTRUCTION
                ? ms->last[0] == '?'
                : ms->last[0] == before && ms->last[1] == before))
    {
        ms->state = IRI_MS_IN_TEXT;
    }

    ms->last[1] = ms->last[0];
    ms->last[0] = c;
}


/* Text up to the next "<"; returns how many octets were taken. */
static size_t
iri_ms_in_text(iri_multistatus_t *ms, const unsigned char *p, size_t len)
{
    const unsigned char *tag = memchr(p, '<', len);
    size_t               n = tag != NULL ? (size_t) (tag - p) : len;

    if (ms->collects != IRI_MS_NONE && n > IRI_MS_TEXT - ms->text_len) {
        iri_ms_give_up(ms);
    }

    if (ms->collects == IRI_MS_NONE) {
        iri_ms_put_run(ms, p, n);
    } else if (n != 0) {
        memcpy(ms->text + ms->text_len, p, n);
        ms->text_len += n;
    }

    if (tag != NULL) {
        ms->state = IRI_MS_IN_TAG;
        ms->tag[0] = '<';
        ms->tag_len = 1;
        ms->is_put = 0;
        ms->is_end = 0;
        ms->quote = 0;
        ms->at = IRI_MS_AT_NAME;
        ms->name.len = 0;
        ms->name.text[0] = '\0';
        ms->last[0] = '<';
        n++;
    }

    return n;
}


/* ---- the calls ----------------------------------------------------------- */

iri_status_t
iri_multistatus_create(const iri_env_t              *env,
                       const iri_multistatus_conf_t *conf,
                       iri_multistatus_t           **out)
{
    iri_multistatus_t *ms = env->alloc(env->ctx, sizeof(*ms));

    if (ms == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(ms, 0, sizeof(*ms));

    ms->text = env->alloc(env->ctx, IRI_MS_TEXT);
    if (ms->text == NULL) {
        return IRI_NO_MEMORY;
    }

    ms->env = env;
    ms->names.ctx = ms;
    ms->names.alloc = iri_ms_alloc;
    ms->tree = conf->tree;
    memcpy(ms->base, conf->base, sizeof(ms->base));
    ms->raw = conf->raw;

    *out = ms;

    return IRI_OK;
}


iri_status_t
iri_multistatus_feed(iri_multistatus_t *ms, iri_str_t octets, iri_put_t put,
                     void *arg)
{
    size_t i = 0;

    ms->put = put;
    ms->arg = arg;

    while (i < octets.len && ms->status == IRI_OK) {
        switch (ms->state) {
        case IRI_MS_IN_TEXT:
            i += iri_ms_in_text(ms, octets.data + i, octets.len - i);
            break;
        case IRI_MS_IN_TAG:
            iri_ms_in_tag(ms, octets.data[i++]);
            break;
        default:
            iri_ms_in_other(ms, octets.data[i++]);
        }
    }

    return ms->status;
}


iri_status_t
iri_multistatus_end(iri_multistatus_t *ms, iri_put_t put, void *arg)
{
    ms->put = put;
    ms->arg = arg;

    iri_ms_give_up(ms);

    if (ms->state == IRI_MS_IN_TAG) {
        iri_ms_put_run(ms, ms->tag, ms->tag_len);
    }

    iri_ms_flush_part(ms);
    ms->state = IRI_MS_IN_TEXT;
    ms->tag_len = 0;

    return ms->status;
}
