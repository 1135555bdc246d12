/*
 * iri_multistatus.c - canonical paths in the XML of WebDAV responses
 *
 * A server lists a collection (RFC 4918, 9.1 and 13) with the octets of its
 * directory.  This filter takes the body of a 207 response, or of a 200
 * response with a lock, in pieces of any size.  It rewrites three elements:
 * DAV:href of a DAV:response, DAV:href of a DAV:lockroot and, if the server
 * fills it with octets of the directory, DAV:displayname.  Elements are
 * recognized by namespace and by parent, so dead properties that clients have
 * stored are not changed.  All other text is copied; octets that are not
 * UTF-8 and characters that XML does not allow become U+FFFD.
 */

#include <string.h>

#include "iri_dav.h"
#include "unicode/iri_unicode.h"

/* Longest text of an element, with escapes and entities, that is rewritten. */
#define IRI_MS_TEXT ((size_t) 4 * IRI_MAX_PATH)

#define IRI_MS_TAG      256u /* octets of a tag that are written at a time */
#define IRI_MS_WORD     48u  /* longest name or namespace that is compared */
#define IRI_MS_DEPTH    16u  /* deepest element that is recognized */
#define IRI_MS_PREFIX   32u  /* longest namespace prefix */
#define IRI_MS_PREFIXES 16u  /* number of prefix bindings */
#define IRI_MS_SCRATCH  (512u * 1024u) /* for one name at a time */

/* The element, as far as it is recognized. */
typedef enum {
    IRI_MS_NONE,  /* outside the root element */
    IRI_MS_OTHER, /* any element that is copied */
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

/* The context of the next octet. */
typedef enum {
    IRI_MS_IN_TEXT,
    IRI_MS_IN_TAG, /* or in other markup that begins with "<" */
    IRI_MS_IN_COMMENT,
    IRI_MS_IN_CDATA,
    IRI_MS_IN_INSTRUCTION
} iri_ms_state_t;

/* The context of the next octet in a start tag. */
typedef enum {
    IRI_MS_AT_NAME,
    IRI_MS_AT_BLANK,
    IRI_MS_AT_ATTRIBUTE,
    IRI_MS_AT_VALUE
} iri_ms_tag_state_t;

/* A name or a value.  All names and values that are compared fit text. */
typedef struct {
    unsigned char text[IRI_MS_WORD];
    size_t        len; /* IRI_MS_WORD + 1: longer than text */
} iri_ms_word_t;

/* A binding of a namespace prefix (empty: the default namespace). */
typedef struct {
    unsigned char text[IRI_MS_PREFIX];
    size_t        len;
    size_t        depth;  /* of the element that declares it */
    int           is_dav; /* 1: bound to DAV:, 0: to another */
} iri_ms_prefix_t;

/* The current tag.  Its last octets, in text, are not written yet. */
typedef struct {
    iri_ms_tag_state_t state;
    unsigned char      text[IRI_MS_TAG];
    size_t             len;         /* octets in text */
    int                is_put;      /* 1: the start of the tag was written */
    int                is_end;      /* an end tag */
    unsigned char      previous[2]; /* the octets before the current one */
    unsigned char      quote;       /* of the current value; 0: none */
    iri_ms_word_t      name;        /* of the element */
    iri_ms_word_t      attribute;
    iri_ms_word_t      value;
} iri_ms_tag_t;

/* The open elements, and the namespaces that they declare. */
typedef struct {
    size_t          depth;              /* number of open elements */
    unsigned char   kind[IRI_MS_DEPTH]; /* iri_ms_kind_t */
    iri_ms_prefix_t prefix[IRI_MS_PREFIXES];
    size_t          prefixes;
    size_t unknown_from; /* depth of the element whose bindings did not
                                     fit: nothing in it is recognized;
                                     0: none */
} iri_ms_elements_t;

struct iri_multistatus_s {
    const iri_env_t       *env;
    iri_env_t              names; /* allocates from scratch */
    const iri_tree_conf_t *tree;  /* tree, base and raw: of the conf */
    iri_str_t              base[2];
    int                    raw;

    iri_put_t    put; /* sink of the current call */
    void        *arg;
    iri_status_t status;

    iri_ms_state_t    state;
    iri_ms_tag_t      tag;
    iri_ms_elements_t elements;
    int               is_member; /* the response's href is below a base */

    iri_ms_kind_t  collecting; /* the element whose text is collected */
    unsigned char *text;       /* room for IRI_MS_TEXT octets */
    size_t         text_len;

    unsigned char partial[4]; /* an incomplete character */
    size_t        partial_len;

    unsigned char *scratch; /* NULL: not yet allocated */
    size_t         scratch_used;
};


/* ---- output -------------------------------------------------------------- */

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


/* 1 if the octets are an incomplete character in UTF-8. */
static int
iri_ms_is_partial(const unsigned char *p, size_t len)
{
    unsigned char whole[4];
    uint32_t      c;
    size_t        need;

    need = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    if (len >= need || p[0] > 0xf4) {
        return 0;
    }

    /* Try to complete it with the smallest, then the largest octets. */
    memset(whole, 0x80, sizeof(whole));
    memcpy(whole, p, len);
    if (iri_utf8_next(whole, whole + need, &c) == need) {
        return 1;
    }

    memset(whole + len, 0xbf, sizeof(whole) - len);

    return iri_utf8_next(whole, whole + need, &c) == need;
}


/*
 * Copy characters that XML allows; write U+FFFD for each other character or
 * octet.  Unless is_end, an incomplete character at the end is kept.
 */
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

        if (n == 0 && !is_end && iri_ms_is_partial(p, (size_t) (end - p))) {
            ms->partial_len = (size_t) (end - p);
            memcpy(ms->partial, p, ms->partial_len);
            return;
        }

        iri_ms_put(ms, replaced, sizeof(replaced));
        p += n != 0 ? n : 1;
        good = p;
    }

    iri_ms_put(ms, good, (size_t) (p - good));
}


/* Write the incomplete character as U+FFFD. */
static void
iri_ms_flush_partial(iri_multistatus_t *ms)
{
    size_t len = ms->partial_len;

    ms->partial_len = 0;
    iri_ms_put_clean(ms, ms->partial, len, 1);
}


/* Text whose start and end may be inside a character. */
static void
iri_ms_put_text(iri_multistatus_t *ms, const unsigned char *p, size_t len)
{
    uint32_t c;
    size_t   n;

    while (ms->partial_len != 0 && len != 0) {
        ms->partial[ms->partial_len] = *p;
        n = ms->partial_len + 1;

        if (iri_utf8_next(ms->partial, ms->partial + n, &c) == n) {
            ms->partial_len = 0;
            iri_ms_put_clean(ms, ms->partial, n, 1);
        } else if (iri_ms_is_partial(ms->partial, n)) {
            ms->partial_len = n;
        } else {
            iri_ms_flush_partial(ms);
            break;
        }

        p++;
        len--;
    }

    iri_ms_put_clean(ms, p, len, 0);
}


/* Text that starts and ends between characters. */
static void
iri_ms_put_whole(iri_multistatus_t *ms, const unsigned char *p, size_t len)
{
    iri_ms_flush_partial(ms);
    iri_ms_put_clean(ms, p, len, 1);
}


/* Write s as character data of XML. */
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

    /* data may be NULL */
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


/* ---- names --------------------------------------------------------------- */

/* Allocate from scratch, which is reset for each name. */
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
    if (size > IRI_MS_SCRATCH - ms->scratch_used) {
        return NULL;
    }

    p = ms->scratch + ms->scratch_used;
    ms->scratch_used += size;

    return p;
}


/*
 * Decode the entity at p into *c.  Returns: its length; 0: not one of the
 * table.
 */
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


/*
 * Decode the entities of the collected text.  Returns: 1; 0: an unknown entity,
 * or no memory.
 */
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


/* Percent-decode *path.  Returns: 1; 0: an invalid escape, or no memory. */
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


/* The length of the longest base that path is below; 0: none. */
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


/* Append the name of an entry, or its octets if it has no name. */
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


/* Append path; each segment after its base is replaced by its name. */
static iri_status_t
iri_ms_put_path(iri_multistatus_t *ms, iri_str_t path, size_t base,
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


/* ---- collected text ------------------------------------------------------ */

/* Write the collected text unchanged. */
static void
iri_ms_put_unchanged(iri_multistatus_t *ms)
{
    if (ms->collecting != IRI_MS_NONE) {
        iri_ms_put_whole(ms, ms->text, ms->text_len);
    }

    ms->collecting = IRI_MS_NONE;
}


/*
 * Write the canonical path of the collected href, percent-encoded.
 * Returns: 1; 0: the href is not a path or is too long, and stays unchanged.
 * If a name cannot be computed, the status ends the output, because the octets
 * of the disk might lead to another entry.
 */
static int
iri_ms_put_href(iri_multistatus_t *ms)
{
    int          is_lockroot = ms->collecting == IRI_MS_HREF_OF_LOCKROOT;
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

    status = iri_ms_put_path(ms, path, base != 0 ? base : path.len, &names);
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


/* Write octets that have no name: valid characters, and "%XX" for the rest. */
static void
iri_ms_put_undecodable(iri_multistatus_t *ms, iri_str_t octets)
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


/* Write the name for the collected octets.  Returns: 1; 0: the text stays
   unchanged. */
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
        iri_ms_put_undecodable(ms, octets);
    }

    return 1;
}


/* At the end of the collected element, write its new text. */
static void
iri_ms_put_converted(iri_multistatus_t *ms)
{
    int is_put;

    if (ms->collecting == IRI_MS_NONE) {
        return;
    }

    ms->scratch_used = 0;
    is_put = ms->collecting == IRI_MS_DISPLAYNAME ? iri_ms_put_displayname(ms)
                                                  : iri_ms_put_href(ms);
    if (is_put) {
        ms->collecting = IRI_MS_NONE;
    }

    iri_ms_put_unchanged(ms);
}


/* ---- elements and namespaces --------------------------------------------- */

static iri_ms_kind_t
iri_ms_parent(const iri_multistatus_t *ms)
{
    if (ms->elements.depth == 0) {
        return IRI_MS_NONE;
    }

    return ms->elements.depth <= IRI_MS_DEPTH
               ? (iri_ms_kind_t) ms->elements.kind[ms->elements.depth - 1]
               : IRI_MS_OTHER;
}


/* 1 if prefix is bound to DAV: in the current element. */
static int
iri_ms_is_dav(const iri_multistatus_t *ms, iri_str_t prefix)
{
    size_t i;

    for (i = ms->elements.prefixes; i > 0; i--) {
        if (ms->elements.prefix[i - 1].len == prefix.len
            && (prefix.len == 0
                || memcmp(ms->elements.prefix[i - 1].text, prefix.data,
                          prefix.len)
                       == 0))
        {
            return ms->elements.prefix[i - 1].is_dav;
        }
    }

    return 0;
}


/*
 * Bind prefix in the start tag of an element.  Only bindings to DAV:, and
 * those that replace one, are stored.
 */
static void
iri_ms_bind_prefix(iri_multistatus_t *ms, iri_str_t prefix,
                   iri_str_t namespace)
{
    static const iri_str_t dav = IRI_STR("DAV:");
    int                    is_dav = iri_str_equal(namespace, dav);
    iri_ms_prefix_t       *bound;

    if (is_dav == iri_ms_is_dav(ms, prefix)) {
        return;
    }

    if (prefix.len > IRI_MS_PREFIX
        || ms->elements.prefixes == IRI_MS_PREFIXES) {
        ms->elements.unknown_from = ms->elements.unknown_from != 0
                                        ? ms->elements.unknown_from
                                        : ms->elements.depth + 1;
        return;
    }

    bound = &ms->elements.prefix[ms->elements.prefixes++];
    bound->len = prefix.len;
    bound->depth = ms->elements.depth + 1;
    bound->is_dav = is_dav;

    if (prefix.len != 0) {
        memcpy(bound->text, prefix.data, prefix.len);
    }
}


/* Remove the prefix from *name and return it. */
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


/* The stored octets of a word. */
static iri_str_t
iri_ms_word_str(const iri_ms_word_t *word)
{
    iri_str_t s = { word->len, word->text };

    s.len = s.len < IRI_MS_WORD ? s.len : IRI_MS_WORD;

    return s;
}


/* Process a complete attribute: bind the prefix of xmlns or xmlns:PREFIX. */
static void
iri_ms_namespace(iri_multistatus_t *ms)
{
    static const iri_str_t xmlns = IRI_STR("xmlns");
    iri_str_t              value = iri_ms_word_str(&ms->tag.value);
    iri_str_t              name = iri_ms_word_str(&ms->tag.attribute);
    iri_str_t              prefix = iri_ms_split(&name);

    if (iri_str_equal(prefix, xmlns)) {
        iri_ms_bind_prefix(ms, name, value);
    } else if (prefix.len == 0 && iri_str_equal(name, xmlns)) {
        iri_ms_bind_prefix(ms, prefix, value);
    }
}


static int
iri_is_xml_space(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}


/* Process an octet of a start tag before its ">". */
static void
iri_ms_in_start(iri_multistatus_t *ms, unsigned char c)
{
    int is_blank = iri_is_xml_space(c) || c == '/';

    switch (ms->tag.state) {
    case IRI_MS_AT_NAME:
        if (is_blank) {
            ms->tag.state = IRI_MS_AT_BLANK;
        } else {
            iri_ms_word_put(&ms->tag.name, c);
        }
        break;

    case IRI_MS_AT_BLANK:
        if (!is_blank) {
            ms->tag.state = IRI_MS_AT_ATTRIBUTE;
            ms->tag.attribute.len = 0;
            iri_ms_word_put(&ms->tag.attribute, c);
        }
        break;

    case IRI_MS_AT_ATTRIBUTE:
        if (ms->tag.quote != 0) {
            ms->tag.state = IRI_MS_AT_VALUE;
            ms->tag.value.len = 0;
        } else if (!is_blank && c != '=') {
            iri_ms_word_put(&ms->tag.attribute, c);
        }
        break;

    case IRI_MS_AT_VALUE:
        if (ms->tag.quote == 0) {
            ms->tag.state = IRI_MS_AT_BLANK;
            iri_ms_namespace(ms);
        } else {
            iri_ms_word_put(&ms->tag.value, c);
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
iri_ms_element_begin(iri_multistatus_t *ms)
{
    iri_ms_kind_t kind = IRI_MS_OTHER, parent = iri_ms_parent(ms);
    iri_str_t     name = iri_ms_word_str(&ms->tag.name);
    iri_str_t     prefix = iri_ms_split(&name);

    ms->elements.depth++;

    if (ms->elements.unknown_from == 0 && ms->tag.name.len <= IRI_MS_WORD
        && iri_ms_is_dav(ms, prefix))
    {
        kind = iri_ms_kind(name, parent);
    }

    if (ms->elements.depth <= IRI_MS_DEPTH) {
        ms->elements.kind[ms->elements.depth - 1] = (unsigned char) kind;
    }

    if (kind == IRI_MS_HREF_OF_RESPONSE || kind == IRI_MS_HREF_OF_LOCKROOT
        || (kind == IRI_MS_DISPLAYNAME && ms->raw))
    {
        ms->collecting = kind;
        ms->text_len = 0;
    }
}


static void
iri_ms_element_end(iri_multistatus_t *ms)
{
    if (iri_ms_parent(ms) == IRI_MS_RESPONSE) {
        ms->is_member = 0;
    }

    ms->elements.depth -= ms->elements.depth != 0;

    if (ms->elements.unknown_from > ms->elements.depth) {
        ms->elements.unknown_from = 0;
    }

    while (ms->elements.prefixes != 0
           && ms->elements.prefix[ms->elements.prefixes - 1].depth
                  > ms->elements.depth)
    {
        ms->elements.prefixes--;
    }
}


/* ---- parsing ------------------------------------------------------------- */

/*
 * Write the collected text, then the stored part of the tag.  A start tag
 * within the text means that the text stays unchanged.
 */
static void
iri_ms_tag_put(iri_multistatus_t *ms)
{
    if (!ms->tag.is_put && ms->tag.is_end) {
        iri_ms_put_converted(ms);
    } else if (!ms->tag.is_put) {
        iri_ms_put_unchanged(ms);
    }

    iri_ms_put_text(ms, ms->tag.text, ms->tag.len);
    ms->tag.is_put = 1;
    ms->tag.len = 0;
}


static void
iri_ms_tag_end(iri_multistatus_t *ms)
{
    int is_empty = ms->tag.previous[0] == '/';
    int is_start = !ms->tag.is_end && ms->tag.name.text[0] != '!';

    ms->state = IRI_MS_IN_TEXT;
    iri_ms_tag_put(ms);

    if (ms->tag.is_end) {
        iri_ms_element_end(ms);
    } else if (is_start) {
        iri_ms_element_begin(ms);

        if (is_empty) {
            ms->collecting = IRI_MS_NONE;
            iri_ms_element_end(ms);
        }
    }
}


/* The markup is not a tag: write it and enter the given state. */
static void
iri_ms_tag_flush(iri_multistatus_t *ms, iri_ms_state_t state)
{
    iri_ms_tag_put(ms);
    ms->state = state;
    ms->tag.previous[0] = ms->tag.previous[1] = '\0';
}


static int
iri_ms_tag_is(const iri_multistatus_t *ms, const char *text)
{
    size_t len = strlen(text);

    return !ms->tag.is_put && ms->tag.len == len
           && memcmp(ms->tag.text, text, len) == 0;
}


static void
iri_ms_in_tag(iri_multistatus_t *ms, unsigned char c)
{
    if (ms->tag.len == IRI_MS_TAG) {
        iri_ms_tag_put(ms);
    }

    ms->tag.text[ms->tag.len++] = c;

    if (iri_ms_tag_is(ms, "</")) {
        ms->tag.is_end = 1;
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

    if (ms->tag.quote != 0) {
        ms->tag.quote = c == ms->tag.quote ? 0 : ms->tag.quote;
    } else if (c == '"' || c == '\'') {
        ms->tag.quote = c;
    } else if (c == '>') {
        iri_ms_tag_end(ms);
        return;
    }

    if (!ms->tag.is_end) {
        iri_ms_in_start(ms, c);
    }
    ms->tag.previous[0] = c;
}


/* Process an octet of a comment, CDATA section or processing instruction. */
static void
iri_ms_in_other(iri_multistatus_t *ms, unsigned char c)
{
    unsigned char before = ms->state == IRI_MS_IN_COMMENT ? '-' : ']';

    iri_ms_put_text(ms, &c, 1);

    if (c == '>'
        && (ms->state == IRI_MS_IN_INSTRUCTION
                ? ms->tag.previous[0] == '?'
                : ms->tag.previous[0] == before
                      && ms->tag.previous[1] == before))
    {
        ms->state = IRI_MS_IN_TEXT;
    }

    ms->tag.previous[1] = ms->tag.previous[0];
    ms->tag.previous[0] = c;
}


/* Process text up to the next "<".  Returns: the octets consumed. */
static size_t
iri_ms_in_text(iri_multistatus_t *ms, const unsigned char *p, size_t len)
{
    const unsigned char *tag = memchr(p, '<', len);
    size_t               n = tag != NULL ? (size_t) (tag - p) : len;

    if (ms->collecting != IRI_MS_NONE && n > IRI_MS_TEXT - ms->text_len) {
        iri_ms_put_unchanged(ms);
    }

    if (ms->collecting == IRI_MS_NONE) {
        iri_ms_put_text(ms, p, n);
    } else if (n != 0) {
        memcpy(ms->text + ms->text_len, p, n);
        ms->text_len += n;
    }

    if (tag != NULL) {
        ms->state = IRI_MS_IN_TAG;
        ms->tag.text[0] = '<';
        ms->tag.len = 1;
        ms->tag.is_put = 0;
        ms->tag.is_end = 0;
        ms->tag.quote = 0;
        ms->tag.state = IRI_MS_AT_NAME;
        ms->tag.name.len = 0;
        ms->tag.name.text[0] = '\0';
        ms->tag.previous[0] = '<';
        n++;
    }

    return n;
}


/* ---- public functions ---------------------------------------------------- */

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

    iri_ms_put_unchanged(ms);

    if (ms->state == IRI_MS_IN_TAG) {
        iri_ms_put_text(ms, ms->tag.text, ms->tag.len);
    }

    iri_ms_flush_partial(ms);
    ms->state = IRI_MS_IN_TEXT;
    ms->tag.len = 0;

    return ms->status;
}
