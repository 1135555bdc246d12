/*
 * iri_multistatus.c - canonical paths in the XML of WebDAV responses
 *
 * A server lists a collection (RFC 4918, 9.1 and 13) with the octets of its
 * directory.  This filter takes the body of a 207 response, or of a 200
 * response with a lock, in pieces of any size.  It rewrites three elements:
 * DAV:href of a DAV:response, DAV:href of a DAV:lockroot and, if the server
 * fills it with octets of the directory, DAV:displayname.  Elements are
 * recognized by name and by parent, so dead properties that clients have
 * stored are not changed.  mod_dav and dav_ext always bind the prefix "D" to
 * DAV:, and a property of a client gets another prefix or namespace.  All other
 * text is copied; octets that are not UTF-8 and characters that XML does not
 * allow become U+FFFD.
 *
 * One buffer holds the current token, a tag or the text between two tags, and
 * before a tag the text that may be rewritten.  A longer token is copied.
 */

#include <string.h>

#include "iri_dav.h"
#include "index/iri_index.h"
#include "unicode/iri_unicode.h"

/* Longest text of an element, with escapes and entities, that is rewritten. */
#define IRI_MS_TEXT ((size_t) 4 * IRI_MAX_PATH)

#define IRI_MS_PIECE    16384u /* octets that are read by a call */
#define IRI_MS_WORD     48u /* longest name or namespace that is compared */
#define IRI_MS_DEPTH    9u  /* recognized elements that contain each other */
#define IRI_MS_PREFIX   32u /* longest namespace prefix */
#define IRI_MS_PREFIXES 16u /* number of prefix bindings */
#define IRI_MS_SCRATCH  (512u * 1024u) /* for one name at a time */

/* The elements that are recognized. */
typedef enum {
    IRI_MS_NONE,  /* outside the root element */
    IRI_MS_OTHER, /* any element that is copied, with all in it */
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

/* The current token, in the order of iri_ms_markup. */
typedef enum {
    IRI_MS_START, /* a start tag, or markup that is not recognized yet */
    IRI_MS_END,
    IRI_MS_DECLARATION,
    IRI_MS_COMMENT,
    IRI_MS_CDATA,
    IRI_MS_INSTRUCTION,
    IRI_MS_IN_TEXT
} iri_ms_token_t;

static const struct {
    iri_str_t open;
    iri_str_t close;
} iri_ms_markup[] = {
    { IRI_STR("<"), IRI_STR(">") },
    { IRI_STR("</"), IRI_STR(">") },
    { IRI_STR("<!D"), IRI_STR(">") },
    { IRI_STR("<!--"), IRI_STR("-->") },
    { IRI_STR("<![CDATA["), IRI_STR("]]>") },
    { IRI_STR("<?"), IRI_STR("?>") },
};

#define IRI_MS_ESCAPED 3u /* rows of iri_ms_entities that are written */

static const struct {
    unsigned char c;
    iri_str_t     text;
} iri_ms_entities[] = {
    { '&', IRI_STR("&amp;") },   { '<', IRI_STR("&lt;") },
    { '>', IRI_STR("&gt;") },    { '"', IRI_STR("&quot;") },
    { '\'', IRI_STR("&apos;") }, { '\'', IRI_STR("&#39;") },
};

struct iri_multistatus_s {
    iri_env_t              env;
    iri_env_t              names; /* allocates from scratch */
    iri_multistatus_conf_t conf;
    iri_status_t           status;
    iri_buf_t              out; /* of the current call */

    unsigned char  buf[IRI_MS_TEXT];
    size_t         len;
    iri_ms_token_t token;
    size_t         token_at; /* its offset in buf, after a text */
    int            is_cut;   /* 1: it is longer than buf: its beginning was
                                written */
    unsigned char  quote;    /* of the current value in a tag; 0: none */
    iri_ms_kind_t  kind; /* of the element in a tag; NONE: its name has not
                             ended */

    iri_ms_kind_t open[IRI_MS_DEPTH]; /* the first: the document */
    size_t        depth;              /* the index of the last one */
    size_t        others;     /* number of open elements within the last one,
                                 which are not recognized */
    iri_ms_kind_t collecting; /* the element whose text stays in buf */
    int           is_member;  /* the response's href is below a base */

    unsigned char *scratch;
    size_t         scratch_used;
};


/* ---- output -------------------------------------------------------------- */

static void
iri_ms_put(iri_multistatus_t *ms, const unsigned char *data, size_t len)
{
    if (ms->status == IRI_OK) {
        ms->status = iri_buf_put(&ms->env, &ms->out, data, len);
    }
}


static int
iri_is_xml_char(uint32_t c)
{
    return c >= 0x20 ? c != 0xfffe && c != 0xffff
                     : c == '\t' || c == '\n' || c == '\r';
}


/*
 * Write characters that XML allows, and U+FFFD for each other character or
 * octet.  Returns: len; less if the octets may end within a character, unless
 * is_end.
 */
static size_t
iri_ms_put_clean(iri_multistatus_t *ms, const unsigned char *p, size_t len,
                 int is_end)
{
    static const unsigned char replaced[] = { 0xef, 0xbf, 0xbd };
    const unsigned char       *from = p, *end = p + len, *good = p;
    uint32_t                   c;
    size_t                     n;

    while (p < end) {
        n = iri_utf8_next(p, end, &c);

        if (n != 0 && iri_is_xml_char(c)) {
            p += n;
            continue;
        }

        if (n == 0 && !is_end && end - p < 4) {
            break;
        }

        iri_ms_put(ms, good, (size_t) (p - good));
        iri_ms_put(ms, replaced, sizeof(replaced));
        p += n != 0 ? n : 1;
        good = p;
    }

    iri_ms_put(ms, good, (size_t) (p - good));

    return (size_t) (p - from);
}


/* Write s as character data of XML. */
static void
iri_ms_put_escaped(iri_multistatus_t *ms, iri_str_t s)
{
    size_t i, k, from = 0;

    for (i = 0; i < s.len; i++) {
        for (k = 0; k < IRI_MS_ESCAPED; k++) {
            if (s.data[i] == iri_ms_entities[k].c) {
                iri_ms_put_clean(ms, s.data + from, i - from, 1);
                iri_ms_put(ms, iri_ms_entities[k].text.data,
                           iri_ms_entities[k].text.len);
                from = i + 1;
            }
        }
    }

    if (from < s.len) {
        iri_ms_put_clean(ms, s.data + from, s.len - from, 1);
    }
}


/* ---- names --------------------------------------------------------------- */

/* Allocate from scratch, which is reset for each name. */
static void *
iri_ms_alloc(void *ctx, size_t size)
{
    iri_multistatus_t *ms = ctx;
    void              *p = ms->scratch + ms->scratch_used;

    size = (size + 15) & ~(size_t) 15;
    if (size > IRI_MS_SCRATCH - ms->scratch_used) {
        return NULL;
    }

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
    iri_str_t text;
    size_t    i;

    for (i = 0; i < sizeof(iri_ms_entities) / sizeof(iri_ms_entities[0]); i++)
    {
        text = iri_ms_entities[i].text;

        if (len >= text.len && memcmp(p, text.data, text.len) == 0) {
            *c = iri_ms_entities[i].c;
            return text.len;
        }
    }

    return 0;
}


/*
 * Decode the entities of the collected text and, with is_escaped, its
 * percent-encoding.  Returns: 1; 0: an unknown entity, an invalid escape, or
 * no memory.
 */
static int
iri_ms_decode(iri_multistatus_t *ms, int is_escaped, iri_str_t *out)
{
    const unsigned char *p = ms->buf, *end = p + ms->token_at;
    unsigned char       *octets = iri_ms_alloc(ms, ms->token_at + 1);
    size_t               n, len;

    if (octets == NULL) {
        return 0;
    }

    for (len = 0; p < end; p += n, len++) {
        octets[len] = *p;
        n = *p == '&'    ? iri_ms_entity(p, (size_t) (end - p), octets + len)
            : is_escaped ? iri_unescape(p, end, octets + len)
                         : 1;
        if (n == 0) {
            return 0;
        }
    }

    out->data = octets;
    out->len = len;

    return 1;
}


/* The length of the longest base that path is below, with "/"; 0: none. */
static size_t
iri_ms_base_of(const iri_multistatus_t *ms, iri_str_t path)
{
    iri_str_t base;
    size_t    i, len, found = 0;

    for (i = 0; i < IRI_MULTISTATUS_BASES; i++) {
        base = ms->conf.base[i];

        if (base.len == 0 || base.len >= path.len
            || memcmp(path.data, base.data, base.len) != 0)
        {
            continue;
        }

        len = base.len + (base.data[base.len - 1] != '/');

        if (path.data[len - 1] == '/' && len < path.len && len > found) {
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

    if (!iri_is_same_on_disk(ms->conf.tree->match, octets)) {
        status = iri_entry_name(&ms->names, ms->conf.tree, octets, &name);
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

/*
 * Write the canonical path of the collected href, percent-encoded.
 * Returns: 1; 0: the href is not a path or is too long, and stays unchanged.
 * If a name cannot be computed, the status ends the output, because the octets
 * of the disk might lead to another entry.
 */
static int
iri_ms_put_href(iri_multistatus_t *ms)
{
    int       is_lockroot = ms->collecting == IRI_MS_HREF_OF_LOCKROOT;
    int       is_canonical = is_lockroot && ms->conf.raw;
    iri_buf_t names = IRI_BUF_EMPTY;
    iri_str_t path, uri = IRI_STR("");
    size_t    base;

    if (!iri_ms_decode(ms, !is_canonical, &path) || path.len == 0
        || path.data[0] != '/' || path.len > IRI_MAX_PATH)
    {
        return 0;
    }

    base = is_canonical ? 0 : iri_ms_base_of(ms, path);

    if (!is_lockroot) {
        ms->is_member = base != 0;
    }

    ms->status = iri_ms_put_path(ms, path, base != 0 ? base : path.len,
                                 &names);
    if (ms->status == IRI_OK) {
        ms->status = iri_path_to_uri(&ms->names, iri_buf_str(&names), &uri);
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


/*
 * Write the name for the collected octets.  Returns: 1; 0: the text stays
 * unchanged.
 */
static int
iri_ms_put_displayname(iri_multistatus_t *ms)
{
    iri_str_t octets, name = { 0, NULL };

    if (!iri_ms_decode(ms, 0, &octets)) {
        return 0;
    }

    if (ms->is_member) {
        ms->status = iri_entry_name(&ms->names, ms->conf.tree, octets, &name);
    }

    if (name.len != 0) {
        iri_ms_put_escaped(ms, name);
    } else {
        iri_ms_put_undecodable(ms, octets);
    }

    return 1;
}


/*
 * Write the buffer: the collected text, which is converted if its end tag
 * follows, and the current token.
 */
static void
iri_ms_put_buffer(iri_multistatus_t *ms)
{
    size_t from = 0;
    int    is_name = ms->collecting == IRI_MS_DISPLAYNAME;

    if (ms->collecting != IRI_MS_NONE && ms->token == IRI_MS_END) {
        ms->scratch_used = 0;

        if (is_name ? iri_ms_put_displayname(ms) : iri_ms_put_href(ms)) {
            from = ms->token_at;
        }
    }

    iri_ms_put_clean(ms, ms->buf + from, ms->len - from, 1);
    ms->collecting = IRI_MS_NONE;
    ms->len = ms->token_at = 0;
}


/* ---- elements ------------------------------------------------------------ */

static iri_ms_kind_t
iri_ms_kind(iri_str_t name, iri_ms_kind_t parent)
{
    static const struct {
        iri_ms_kind_t parent;
        iri_ms_kind_t kind;
        iri_str_t     name;
    } table[] = {
        { IRI_MS_NONE, IRI_MS_MULTISTATUS, IRI_STR("D:multistatus") },
        { IRI_MS_NONE, IRI_MS_PROP, IRI_STR("D:prop") },
        { IRI_MS_MULTISTATUS, IRI_MS_RESPONSE, IRI_STR("D:response") },
        { IRI_MS_RESPONSE, IRI_MS_HREF_OF_RESPONSE, IRI_STR("D:href") },
        { IRI_MS_RESPONSE, IRI_MS_PROPSTAT, IRI_STR("D:propstat") },
        { IRI_MS_PROPSTAT, IRI_MS_PROP, IRI_STR("D:prop") },
        { IRI_MS_PROP, IRI_MS_DISPLAYNAME, IRI_STR("D:displayname") },
        { IRI_MS_PROP, IRI_MS_LOCKDISCOVERY, IRI_STR("D:lockdiscovery") },
        { IRI_MS_LOCKDISCOVERY, IRI_MS_ACTIVELOCK, IRI_STR("D:activelock") },
        { IRI_MS_ACTIVELOCK, IRI_MS_LOCKROOT, IRI_STR("D:lockroot") },
        { IRI_MS_LOCKROOT, IRI_MS_HREF_OF_LOCKROOT, IRI_STR("D:href") },
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
    iri_ms_kind_t kind = ms->kind;

    if (ms->others != 0 || kind == IRI_MS_OTHER) {
        ms->others++;
        return;
    }

    ms->depth++;
    ms->open[ms->depth] = kind;

    if (kind == IRI_MS_HREF_OF_RESPONSE || kind == IRI_MS_HREF_OF_LOCKROOT
        || (kind == IRI_MS_DISPLAYNAME && ms->conf.raw))
    {
        ms->collecting = kind;
    }
}


static void
iri_ms_element_end(iri_multistatus_t *ms)
{
    if (ms->others != 0) {
        ms->others--;
        return;
    }

    if (ms->open[ms->depth] == IRI_MS_RESPONSE) {
        ms->is_member = 0;
    }

    ms->depth -= ms->depth != 0;
}


/* ---- parsing ------------------------------------------------------------- */

/*
 * Append octets to the buffer.  If it is full, the text before the current
 * token is written, or else the token, except for its last octets: they may
 * belong to a character, or to "-->".
 */
static void
iri_ms_append(iri_multistatus_t *ms, const unsigned char *p, size_t len)
{
    size_t n;

    while (len != 0) {
        if (ms->len == IRI_MS_TEXT) {
            n = ms->token_at != 0
                    ? iri_ms_put_clean(ms, ms->buf, ms->token_at, 1)
                    : iri_ms_put_clean(ms, ms->buf, ms->len - 2, 0);
            ms->collecting = IRI_MS_NONE;
            ms->is_cut |= ms->token_at == 0;
            ms->token_at = 0;
            ms->len -= n;
            memmove(ms->buf, ms->buf + n, ms->len);
        }

        n = IRI_MS_TEXT - ms->len < len ? IRI_MS_TEXT - ms->len : len;
        memcpy(ms->buf + ms->len, p, n);
        ms->len += n;
        p += n;
        len -= n;
    }
}


/* Process an octet of a tag. */
static void
iri_ms_in_tag(iri_multistatus_t *ms, unsigned char c)
{
    iri_str_t name;

    if (ms->quote != 0) {
        ms->quote = c == ms->quote ? 0 : ms->quote;
        return;
    }

    if (c == '"' || c == '\'') {
        ms->quote = c;
    }

    if (ms->kind == IRI_MS_NONE && memchr(" \t\r\n/>", c, 6) != NULL) {
        name.data = ms->buf + ms->token_at + 1;
        name.len = ms->len - ms->token_at - 2;
        ms->kind = ms->is_cut ? IRI_MS_OTHER
                              : iri_ms_kind(name, ms->open[ms->depth]);
    }
}


/* 1 if the current markup ends with the last octet of the buffer. */
static int
iri_ms_is_complete(const iri_multistatus_t *ms)
{
    iri_str_t close = iri_ms_markup[ms->token].close;

    return ms->buf[ms->len - 1] == '>' && ms->quote == 0
           && (ms->is_cut
               || ms->len - ms->token_at
                      >= iri_ms_markup[ms->token].open.len + close.len)
           && memcmp(ms->buf + ms->len - close.len, close.data, close.len)
                  == 0;
}


/* Process an octet of markup after "<". */
static void
iri_ms_in_markup(iri_multistatus_t *ms, unsigned char c)
{
    iri_ms_token_t token;
    iri_str_t      open;
    int            is_element;

    iri_ms_append(ms, &c, 1);

    for (token = IRI_MS_END;
         ms->token == IRI_MS_START && !ms->is_cut && token < IRI_MS_IN_TEXT;
         token++)
    {
        open = iri_ms_markup[token].open;

        if (ms->len - ms->token_at == open.len
            && memcmp(ms->buf + ms->token_at, open.data, open.len) == 0)
        {
            ms->token = token;
        }
    }

    if (ms->token <= IRI_MS_DECLARATION) {
        iri_ms_in_tag(ms, c);
    }

    if (!iri_ms_is_complete(ms)) {
        return;
    }

    token = ms->token;
    is_element = ms->buf[ms->len - 2] != '/';
    iri_ms_put_buffer(ms);
    ms->token = IRI_MS_IN_TEXT;

    if (token == IRI_MS_END) {
        iri_ms_element_end(ms);
    } else if (token == IRI_MS_START && is_element) {
        iri_ms_element_begin(ms);
    }
}


/* Process text up to the next "<".  Returns: the octets consumed. */
static size_t
iri_ms_in_text(iri_multistatus_t *ms, const unsigned char *p, size_t len)
{
    const unsigned char *markup = memchr(p, '<', len);

    if (markup == NULL) {
        iri_ms_append(ms, p, len);
        return len;
    }

    len = (size_t) (markup - p);
    iri_ms_append(ms, p, len);

    if (ms->collecting == IRI_MS_NONE) {
        iri_ms_put_buffer(ms);
    }

    ms->token = IRI_MS_START;
    ms->token_at = ms->len;
    ms->is_cut = 0;
    ms->quote = 0;
    ms->kind = IRI_MS_NONE;
    iri_ms_append(ms, markup, 1);

    return len + 1;
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

    ms->scratch = env->alloc(env->ctx, IRI_MS_SCRATCH);
    if (ms->scratch == NULL) {
        return IRI_NO_MEMORY;
    }

    ms->env = *env;
    ms->names.ctx = ms;
    ms->names.alloc = iri_ms_alloc;
    ms->conf = *conf;
    ms->token = IRI_MS_IN_TEXT;

    *out = ms;

    return IRI_OK;
}


iri_status_t
iri_multistatus_convert(iri_multistatus_t *ms, iri_str_t *in, int is_end,
                        iri_str_t *out)
{
    size_t i = 0, len = in->len;

    if (len > IRI_MS_PIECE) {
        len = IRI_MS_PIECE;
    }

    ms->out.len = 0;

    while (i < len && ms->status == IRI_OK) {
        if (ms->token == IRI_MS_IN_TEXT) {
            i += iri_ms_in_text(ms, in->data + i, len - i);
        } else {
            iri_ms_in_markup(ms, in->data[i++]);
        }
    }

    *in = iri_str_from(*in, len);

    if (is_end && in->len == 0) {
        ms->token = IRI_MS_IN_TEXT;
        iri_ms_put_buffer(ms);
    }

    if (ms->status == IRI_OK) {
        *out = iri_buf_str(&ms->out);
    }

    return ms->status;
}
