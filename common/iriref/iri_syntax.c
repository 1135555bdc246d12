/*
 * iri_syntax.c - a text into the parts of an IRI, and whether it is one
 *
 * RFC 3986, appendix A and B, RFC 3987, 2.2 and draft 2.2: octets in, parts
 * that point into them out, in one pass, without memory.  What the parts mean
 * is not looked at, but for IP literals, which are part of the grammar.
 */

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "path/iri_path.h"
#include "iriref/iri_iriref.h"

/* Where a text that is NULL begins: parts that are there are not NULL. */
static const unsigned char iri_nothing[1] = { 0 };

static const char *const iri_as_texts[IRI_KINDS] = {
    "iri-reference", "iri", "absolute-iri", "relative-iri",
    "uri-reference", "uri", "absolute-uri", "relative-uri"
};

static const char *const iri_expect_texts[IRI_EXPECTS] = {
    "nothing else",
    "a scheme and \":\"",
    "a reference without a scheme",
    "two hexadecimal digits behind \"%\"",
    "a character in UTF-8",
    "ASCII, other characters as \"%HH\"",
    "a character that may stand in an IRI, or \"%HH\"",
    "no private use but in the query",
    "no bidi formatting character but as \"%HH\"",
    "a character of an authority, \"/\", \"?\", \"#\" or the end",
    "a character of a host, \":\", \"/\", \"?\", \"#\" or the end",
    "an IP address (\"[\", IPv6 or, by RFC 3987, \"v\" and a version, \"]\")",
    "a digit of the port, \"/\", \"?\", \"#\" or the end",
    "no \":\" in the first segment (write \"./\" before it)",
    "a character of a path, \"?\", \"#\" or the end",
    "a character of a query, \"#\" or the end",
    "a character of a fragment or the end",
    "the end, without a fragment"
};


const char *
iri_as_text(iri_as_t as)
{
    return as < IRI_KINDS ? iri_as_texts[as] : "unknown";
}


const char *
iri_expect_text(iri_expect_t expected)
{
    return expected < IRI_EXPECTS ? iri_expect_texts[expected] : "unknown";
}


/* ---- dividing ------------------------------------------------------------ */

/* Behind a scheme, where ":" stands; begin: there is none. */
static const unsigned char *
iri_scheme_end(const unsigned char *begin, const unsigned char *end)
{
    const unsigned char *p = begin;

    if (p == end || !iri_octet_is(*p, IRI_O_ALPHA)) {
        return begin;
    }

    while (p < end && iri_octet_is(*p, IRI_O_SCHEME)) {
        p++;
    }

    return p < end && *p == ':' ? p : begin;
}


static void
iri_split_authority(iri_parts_t *parts)
{
    const unsigned char *p = parts->authority.data, *at = NULL, *colon = NULL;
    const unsigned char *end = p + parts->authority.len, *host, *close;

    /* The last "@": what stands before it can be anything. */
    for (/* void */; p < end; p++) {
        if (*p == '@') {
            at = p;
            colon = NULL;
        } else if (*p == ':' && colon == NULL) {
            colon = p;
        }
    }

    host = parts->authority.data;

    if (at != NULL) {
        parts->userinfo = iri_span(host, at);
        host = at + 1;
    }

    if (host < end && *host == '[') {
        close = memchr(host, ']', (size_t) (end - host));
        if (close != NULL) {
            colon = close + 1 < end && close[1] == ':' ? close + 1 : NULL;

            /* What is neither stays with the host, so that nothing is lost. */
            end = colon == NULL ? end : colon;
        }
    } else if (colon != NULL) {
        end = colon;
    }

    parts->host = iri_span(host, end);

    if (colon != NULL && end == colon) {
        parts->port = iri_span(colon + 1,
                               parts->authority.data + parts->authority.len);
    }
}


void
iri_split(iri_str_t text, iri_parts_t *parts)
{
    const unsigned char *p = text.data != NULL ? text.data : iri_nothing;
    const unsigned char *end = p + text.len, *from;

    memset(parts, 0, sizeof(*parts));

    from = iri_scheme_end(p, end);

    if (from != p) {
        parts->scheme = iri_span(p, from);
        p = from + 1;
    }

    if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
        for (from = p += 2; p < end && !iri_octet_is(*p, IRI_O_END); p++) {
            /* void */
        }

        parts->authority = iri_span(from, p);
        iri_split_authority(parts);
    }

    for (from = p; p < end && !iri_octet_is(*p, IRI_O_REST); p++) {
        /* void */
    }

    parts->path = iri_span(from, p);

    if (p < end && *p == '?') {
        from = p + 1;
        p = memchr(from, '#', (size_t) (end - from));
        p = p != NULL ? p : end;
        parts->query = iri_span(from, p);
    }

    if (p < end) {
        parts->fragment = iri_span(p + 1, end);
    }
}


iri_status_t
iri_join(const iri_env_t *env, const iri_parts_t *parts, iri_str_t *out)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status = IRI_OK;

    if (iri_has(parts->scheme)) {
        status = iri_buf_put(env, &buf, parts->scheme.data,
                             parts->scheme.len);
        status = status == IRI_OK ? iri_buf_putc(env, &buf, ':') : status;
    }

    if (status == IRI_OK && iri_has(parts->authority)) {
        status = iri_put_text(env, &buf, "//");
        status = status == IRI_OK ? iri_buf_put(
                     env, &buf, parts->authority.data, parts->authority.len)
                                  : status;
    }

    if (status == IRI_OK) {
        status = iri_buf_put(env, &buf, parts->path.data, parts->path.len);
    }

    if (status == IRI_OK && iri_has(parts->query)) {
        status = iri_buf_putc(env, &buf, '?');
        status = status == IRI_OK ? iri_buf_put(env, &buf, parts->query.data,
                                                parts->query.len)
                                  : status;
    }

    if (status == IRI_OK && iri_has(parts->fragment)) {
        status = iri_buf_putc(env, &buf, '#');
        status = status == IRI_OK ? iri_buf_put(
                     env, &buf, parts->fragment.data, parts->fragment.len)
                                  : status;
    }

    if (status == IRI_OK) {
        *out = iri_buf_str(&buf);
    }

    return status;
}


/* ---- IP addresses -------------------------------------------------------- */

/* A number of 0 to 255 without a leading zero: behind it; NULL: none. */
static const unsigned char *
iri_dec_octet(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *from = p;
    unsigned             value = 0;

    for (/* void */; p < end && p - from < 3 && iri_octet_is(*p, IRI_O_DIGIT);
         p++)
    {
        value = value * 10 + (*p - (unsigned) '0');
    }

    return p == from || value > 255 || (*from == '0' && p - from > 1) ? NULL
                                                                      : p;
}


int
iri_is_ipv4(iri_str_t text)
{
    const unsigned char *p, *end;
    int                  i;

    text = iri_solid(text);
    p = text.data;
    end = p + text.len;

    for (i = 0; i < 4; i++) {
        if (i != 0 && (p == end || *p++ != '.')) {
            return 0;
        }

        p = iri_dec_octet(p, end);
        if (p == NULL) {
            return 0;
        }
    }

    return p == end;
}


/* Between the brackets: eight groups, of which "::" is one or more. */
static int
iri_is_ipv6(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *from;
    int                  groups = 0, elided = 0;

    if (end - p >= 2 && p[0] == ':' && p[1] == ':') {
        elided = 1;
        p += 2;
    }

    while (p < end) {
        for (from = p; p < end && iri_octet_is(*p, IRI_O_HEX); p++) { /* */
        }

        if (p < end && *p == '.') {
            groups += 2;
            return iri_is_ipv4(iri_span(from, end))
                   && (elided ? groups < 8 : groups == 8);
        }

        if (p == from || p - from > 4 || ++groups > 8) {
            return 0;
        }

        if (p == end) {
            break;
        }

        if (*p++ != ':' || p == end) {
            return 0;
        }

        if (*p == ':') {
            if (elided++) {
                return 0;
            }
            p++;
        }
    }

    return elided ? groups < 8 : groups == 8;
}


/* "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ) */
static int
iri_is_ip_future(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *from;

    for (from = ++p; p < end && iri_octet_is(*p, IRI_O_HEX); p++) { /* void */
    }

    if (p == from || end - p < 2 || *p++ != '.') {
        return 0;
    }

    while (p < end && iri_octet_is(*p, IRI_O_USER)) {
        p++;
    }

    return p == end;
}


int
iri_is_ip_literal(iri_str_t text)
{
    const unsigned char *p = text.data, *end;

    if (text.len < 4) {
        return 0;
    }

    end = p + text.len;

    if (*p++ != '[' || *--end != ']') {
        return 0;
    }

    return *p == 'v' || *p == 'V' ? iri_is_ip_future(p, end)
                                  : iri_is_ipv6(p, end);
}


/* ---- the grammars -------------------------------------------------------- */

typedef struct {
    const unsigned char *p;
    const unsigned char *end;
    unsigned             more;  /* bits that the grammar adds everywhere */
    int                  ascii; /* 1: a URI */
    int                  draft;
} iri_scan_t;

/*
 * Is it why what stands at p is wrong?  Something that is wrong anywhere is
 * told as that, and else what the component would have taken.
 */
static iri_expect_t
iri_scan_why(const iri_scan_t *scan, iri_expect_t component)
{
    uint32_t c;

    if (*scan->p < 0x80) {
        return *scan->p == '%' ? IRI_EXPECT_HEX : component;
    }

    if (iri_utf8_next(scan->p, scan->end, &c) == 0) {
        return IRI_EXPECT_UTF8;
    }

    if (scan->ascii) {
        return IRI_EXPECT_ASCII;
    }

    if (iri_char_is_bidi_control(c)) {
        return IRI_EXPECT_NO_BIDI;
    }

    /* Well in other places. */
    if (iri_char_is_ucs(c)) {
        return component;
    }

    return iri_char_is_private(c) ? IRI_EXPECT_PUBLIC : IRI_EXPECT_UCSCHAR;
}


/* Octets of the character at p that are ucschar; private: or iprivate. */
static size_t
iri_scan_character(const iri_scan_t *scan, int private)
{
    uint32_t c;
    size_t   n;

    if (scan->ascii) {
        return 0;
    }

    n = iri_utf8_next(scan->p, scan->end, &c);

    return n != 0
                   && (iri_char_is_ucs(c)
                       || (private && iri_char_is_private(c)))
               ? n
               : 0;
}


/* Past all that a component may hold; to what it may not, or the end. */
static inline void
iri_scan(iri_scan_t *scan, unsigned bits, int private)
{
    const unsigned char *p = scan->p, *end = scan->end;
    size_t               n;

    bits |= scan->more;

    for (;;) {
        while (p < end && iri_octet_is(*p, bits)) {
            p++;
        }

        scan->p = p;

        if (p == end) {
            return;
        }

        if (*p == '%') {
            n = iri_escape_at(p, end) >= 0 ? 3 : 0;
        } else {
            n = *p >= 0x80 ? iri_scan_character(scan, private) : 0;
        }

        if (n == 0) {
            return;
        }

        p += n;
    }
}


/* A host in brackets, to behind it. */
static iri_expect_t
iri_scan_literal(iri_scan_t *scan, iri_parts_t *parts)
{
    const unsigned char *from = scan->p;
    const unsigned char *close;

    close = memchr(from, ']', (size_t) (scan->end - from));

    if (close == NULL || !iri_is_ip_literal(iri_span(from, close + 1))
        || (scan->draft && (from[1] | 0x20) == 'v'))
    {
        return IRI_EXPECT_ADDRESS;
    }

    scan->p = close + 1;
    parts->host = iri_span(from, scan->p);

    return IRI_EXPECT_NOTHING;
}


/* The port, where ":" stands, and that the authority ends. */
static iri_expect_t
iri_scan_port(iri_scan_t *scan, iri_parts_t *parts, iri_expect_t host)
{
    const unsigned char *from;

    if (scan->p < scan->end && *scan->p == ':') {
        for (from = ++scan->p;
             scan->p < scan->end && iri_octet_is(*scan->p, IRI_O_DIGIT);
             scan->p++)
        { /* void */
        }

        parts->port = iri_span(from, scan->p);
        host = IRI_EXPECT_PORT;
    }

    return scan->p == scan->end || iri_octet_is(*scan->p, IRI_O_END)
               ? IRI_EXPECT_NOTHING
               : iri_scan_why(scan, host);
}


/* RFC 3986, 3.2: a userinfo has ":", too, so "@" tells which it was. */
static iri_expect_t
iri_scan_authority(iri_scan_t *scan, iri_parts_t *parts)
{
    const unsigned char *from = scan->p;
    iri_expect_t         expected;

    iri_scan(scan, IRI_O_HOST, 0);

    if (scan->p < scan->end && (*scan->p == ':' || *scan->p == '@')) {
        const unsigned char *colon = scan->p;

        iri_scan(scan, IRI_O_USER, 0);

        if (scan->p < scan->end && *scan->p == '@') {
            parts->userinfo = iri_span(from, scan->p++);
            from = scan->p;
            iri_scan(scan, IRI_O_HOST, 0);
        } else {
            scan->p = colon;
        }
    }

    if (scan->p == from && from < scan->end && *from == '[') {
        expected = iri_scan_literal(scan, parts);
        if (expected != IRI_EXPECT_NOTHING) {
            return expected;
        }
    } else {
        parts->host = iri_span(from, scan->p);
    }

    return iri_scan_port(scan, parts, IRI_EXPECT_HOST);
}


/*
 * Draft 2.2: a server, or any registry name, which has all that a server may
 * have but an IPv6 address in brackets.
 */
static iri_expect_t
iri_scan_authority_draft(iri_scan_t *scan, iri_parts_t *parts)
{
    const unsigned char *from = scan->p;

    iri_scan(scan, IRI_O_USER, 0);

    if (scan->p < scan->end && *scan->p == '@') {
        iri_expect_t expected;

        if (scan->end - scan->p >= 2 && scan->p[1] == '[') {
            parts->userinfo = iri_span(from, scan->p++);
            expected = iri_scan_literal(scan, parts);
            return expected != IRI_EXPECT_NOTHING
                       ? expected
                       : iri_scan_port(scan, parts, IRI_EXPECT_HOST);
        }

    } else if (scan->p == from && from < scan->end && *from == '[') {
        iri_expect_t expected = iri_scan_literal(scan, parts);

        return expected != IRI_EXPECT_NOTHING
                   ? expected
                   : iri_scan_port(scan, parts, IRI_EXPECT_HOST);
    }

    /* "@" is in IRI_O_PATH, and so is "/", at which all this ends. */
    while (scan->p < scan->end && *scan->p == '@') {
        scan->p++;
        iri_scan(scan, IRI_O_USER, 0);
    }

    if (scan->p < scan->end && !iri_octet_is(*scan->p, IRI_O_END)) {
        return iri_scan_why(scan, IRI_EXPECT_AUTHORITY);
    }

    parts->authority = iri_span(from, scan->p);
    iri_split_authority(parts);

    return IRI_EXPECT_NOTHING;
}


/* Behind "//". */
static iri_expect_t
iri_check_authority(iri_scan_t *scan, iri_parts_t *parts)
{
    const unsigned char *from = scan->p += 2;
    iri_expect_t         expected;

    expected = scan->draft ? iri_scan_authority_draft(scan, parts)
                           : iri_scan_authority(scan, parts);

    if (expected == IRI_EXPECT_NOTHING) {
        parts->authority = iri_span(from, scan->p);
    }

    return expected;
}


/* Path, query and fragment. */
static iri_expect_t
iri_check_rest(iri_scan_t *scan, iri_as_t as, iri_parts_t *parts)
{
    const unsigned char *from = scan->p;
    unsigned             opaque = 0;

    /* Draft 2.2, iopaque-part: reserved characters all, iprivate none. */
    if (scan->draft && iri_has(parts->scheme) && !iri_has(parts->authority)
        && from < scan->end && *from != '/')
    {
        opaque = IRI_O_BRACKET;
    }

    iri_scan(scan, IRI_O_PATH | opaque, 0);
    parts->path = iri_span(from, scan->p);

    if (scan->p < scan->end && *scan->p == '?') {
        from = ++scan->p;
        iri_scan(scan, IRI_O_QUERY | opaque, opaque == 0);
        parts->query = iri_span(from, scan->p);
    }

    if (scan->p < scan->end && *scan->p == '#') {
        if (as == IRI_AS_ABSOLUTE_IRI || as == IRI_AS_ABSOLUTE_URI) {
            return IRI_EXPECT_NO_FRAGMENT;
        }

        from = ++scan->p;
        iri_scan(scan, IRI_O_QUERY, 0);
        parts->fragment = iri_span(from, scan->p);
    }

    if (scan->p == scan->end) {
        return IRI_EXPECT_NOTHING;
    }

    return iri_scan_why(scan, iri_has(parts->fragment) ? IRI_EXPECT_FRAGMENT
                              : iri_has(parts->query)  ? IRI_EXPECT_QUERY
                                                       : IRI_EXPECT_PATH);
}


/*
 * path-noscheme: "a:b" would have been a scheme, and so would be another's.
 * The ":" that is in the way; NULL: there is none.
 */
static const unsigned char *
iri_segment_colon(const iri_parts_t *parts)
{
    const unsigned char *p = parts->path.data, *end = p + parts->path.len;

    for (/* void */; p < end && *p != '/'; p++) {
        if (*p == ':') {
            return p;
        }
    }

    return NULL;
}


static iri_expect_t
iri_check_scheme(iri_scan_t *scan, iri_as_t as, iri_parts_t *parts)
{
    const unsigned char *end = iri_scheme_end(scan->p, scan->end);
    int relative = as == IRI_AS_RELATIVE_IRI || as == IRI_AS_RELATIVE_URI;
    int reference = as == IRI_AS_IRI_REFERENCE || as == IRI_AS_URI_REFERENCE;

    if (end == scan->p) {
        return relative || reference ? IRI_EXPECT_NOTHING : IRI_EXPECT_SCHEME;
    }

    if (relative) {
        return IRI_EXPECT_RELATIVE;
    }

    parts->scheme = iri_span(scan->p, end);
    scan->p = end + 1;

    return IRI_EXPECT_NOTHING;
}


static iri_expect_t
iri_check_all(iri_scan_t *scan, iri_as_t as, iri_parts_t *parts)
{
    const unsigned char *colon;
    iri_expect_t         expected;

    expected = iri_check_scheme(scan, as, parts);

    if (expected == IRI_EXPECT_NOTHING && scan->end - scan->p >= 2
        && scan->p[0] == '/' && scan->p[1] == '/')
    {
        expected = iri_check_authority(scan, parts);
    }

    if (expected == IRI_EXPECT_NOTHING) {
        expected = iri_check_rest(scan, as, parts);
    }

    /* Told where it stands, which may be before another mistake. */
    if (iri_has(parts->path) && !iri_has(parts->scheme)
        && !iri_has(parts->authority))
    {
        colon = iri_segment_colon(parts);
        if (colon != NULL) {
            scan->p = colon;
            expected = IRI_EXPECT_SEGMENT;
        }
    }

    return expected;
}


iri_expect_t
iri_check(iri_str_t text, iri_as_t as, iri_grammar_t grammar,
          iri_parts_t *parts, size_t *offset)
{
    const unsigned char *begin = text.data != NULL ? text.data : iri_nothing;
    iri_parts_t          found;
    iri_scan_t           scan;
    iri_expect_t         expected;

    memset(&found, 0, sizeof(found));

    scan.p = begin;
    scan.end = begin + text.len;
    scan.ascii = as >= IRI_AS_URI_REFERENCE;
    scan.draft = grammar == IRI_GRAMMAR_DRAFT;
    /* iadditional is for IRIs: the draft's URIs are those of RFC 2396. */
    scan.more = scan.draft && !scan.ascii ? IRI_O_ADDITIONAL : 0;

    expected = iri_check_all(&scan, as, &found);

    if (expected != IRI_EXPECT_NOTHING) {
        if (offset != NULL) {
            *offset = (size_t) (scan.p - begin);
        }
    } else if (parts != NULL) {
        *parts = found;
    }

    return expected;
}
