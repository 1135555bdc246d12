/*
 * iri_syntax.c - the syntax of IRIs: split, join and check
 *
 * A text -> its parts, which point into it (RFC 3986, appendix B), and whether
 * it conforms to a grammar (RFC 3986, appendix A; RFC 3987, 2.2; draft 2.2).
 * One pass, no allocation.  The meaning of the parts is not checked, except
 * for IP literals, which belong to the grammar.
 */

#include <arpa/inet.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "path/iri_path.h"
#include "iriref/iri_iriref.h"

/* RFC 3986, appendix A, and draft 2.2, as bits of iri_iriref.h; octets above 7F
   have none. */
const uint16_t iri_octet_classes[256] = {
    0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000,
    0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000,
    0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000,
    0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0100, 0x00be, 0x0100, 0x6020,
    0x003e, 0x0000, 0x003e, 0x00be, 0x00be, 0x00be, 0x00be, 0x003f, 0x003e,
    0x007f, 0x007f, 0x2038, 0x187f, 0x187f, 0x187f, 0x187f, 0x187f, 0x187f,
    0x187f, 0x187f, 0x187f, 0x187f, 0x003c, 0x003e, 0x0100, 0x003e, 0x0100,
    0x6030, 0x0038, 0x147f, 0x147f, 0x147f, 0x147f, 0x147f, 0x147f, 0x047f,
    0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f,
    0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f,
    0x047f, 0x0220, 0x0100, 0x0220, 0x0100, 0x007e, 0x0100, 0x147f, 0x147f,
    0x147f, 0x147f, 0x147f, 0x147f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f,
    0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f,
    0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x047f, 0x0100, 0x0100, 0x0100,
    0x007e, 0x0000,
};

static const char *const iri_as_texts[IRI_KINDS] = {
    "iri-reference", "iri", "absolute-iri", "relative-iri",
    "uri-reference", "uri", "absolute-uri", "relative-uri"
};

static const char *const iri_expect_texts[IRI_EXPECTS] = {
    "nothing else",
    "a scheme and \":\"",
    "a reference without a scheme",
    "two hexadecimal digits after \"%\"",
    "a character in UTF-8",
    "ASCII, with other characters as \"%HH\"",
    "a character that is allowed in an IRI, or \"%HH\"",
    "private-use characters only in the query",
    "bidi formatting characters only as \"%HH\"",
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


/* ---- split and join ------------------------------------------------------ */

/* The ":" after a scheme; `begin` if there is no scheme. */
static const unsigned char *
iri_scheme_end(const unsigned char *begin, const unsigned char *end)
{
    const unsigned char *p = begin;

    if (p == end || !iri_octet_is(*p, IRI_OCTET_ALPHA)) {
        return begin;
    }

    while (p < end && iri_octet_is(*p, IRI_OCTET_SCHEME)) {
        p++;
    }

    return p < end && *p == ':' ? p : begin;
}


static void
iri_split_authority(iri_parts_t *parts)
{
    const unsigned char *p = parts->authority.data, *at = NULL, *colon = NULL;
    const unsigned char *end = p + parts->authority.len, *host, *close;

    /* The last "@" ends the userinfo; the colon is the first one after it. */
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
        parts->userinfo = iri_str_between(host, at);
        host = at + 1;
    }

    if (host < end && *host == '[') {
        close = memchr(host, ']', (size_t) (end - host));
        if (close != NULL) {
            colon = close + 1 < end && close[1] == ':' ? close + 1 : NULL;

            /* Octets between "]" and the end belong to the host, so that
               iri_join() restores the text. */
            end = colon == NULL ? end : colon;
        }
    } else if (colon != NULL) {
        end = colon;
    }

    parts->host = iri_str_between(host, end);

    if (colon != NULL && end == colon) {
        parts->port = iri_str_between(colon + 1, parts->authority.data
                                                     + parts->authority.len);
    }
}


void
iri_split(iri_str_t text, iri_parts_t *parts)
{
    const unsigned char *p = iri_str_non_null(text).data, *end = p + text.len;
    const unsigned char *from;

    memset(parts, 0, sizeof(*parts));

    from = iri_scheme_end(p, end);

    if (from != p) {
        parts->scheme = iri_str_between(p, from);
        p = from + 1;
    }

    if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
        for (from = p += 2;
             p < end && !iri_octet_is(*p, IRI_OCTET_AUTHORITY_END); p++)
        {
            /* void */
        }

        parts->authority = iri_str_between(from, p);
        iri_split_authority(parts);
    }

    for (from = p; p < end && !iri_octet_is(*p, IRI_OCTET_PATH_END); p++) {
        /* void */
    }

    parts->path = iri_str_between(from, p);

    if (p < end && *p == '?') {
        from = p + 1;
        p = memchr(from, '#', (size_t) (end - from));
        p = p != NULL ? p : end;
        parts->query = iri_str_between(from, p);
    }

    if (p < end) {
        parts->fragment = iri_str_between(p + 1, end);
    }
}


/* A text that is written, and the status of that. */
typedef struct {
    const iri_env_t *env;
    iri_buf_t        buf;
    iri_status_t     status;
} iri_joined_t;


/* Append a part between delimiters, if it is present. */
static void
iri_joined_put(iri_joined_t *joined, const char *before, iri_str_t part,
               const char *behind)
{
    if (iri_is_present(part) && joined->status == IRI_OK) {
        joined->status = iri_buf_room(joined->env, &joined->buf,
                                      part.len + 2);
    }

    if (iri_is_present(part) && joined->status == IRI_OK) {
        iri_buf_put_text(joined->env, &joined->buf, before);
        iri_buf_put(joined->env, &joined->buf, part.data, part.len);
        iri_buf_put_text(joined->env, &joined->buf, behind);
    }
}


iri_status_t
iri_join(const iri_env_t *env, const iri_parts_t *parts, iri_str_t *out)
{
    iri_joined_t joined = { env, IRI_BUF_EMPTY, IRI_OK };

    iri_joined_put(&joined, "", parts->scheme, ":");
    iri_joined_put(&joined, "//", parts->authority, "");
    iri_joined_put(&joined, "", parts->path, "");
    iri_joined_put(&joined, "?", parts->query, "");
    iri_joined_put(&joined, "#", parts->fragment, "");

    if (joined.status == IRI_OK) {
        *out = iri_buf_str(&joined.buf);
    }

    return joined.status;
}


/* ---- IP addresses -------------------------------------------------------- */

/*
 * 1 if text is an address of a family.  inet_pton() reads the same addresses as
 * RFC 3986: no leading zeros in IPv4, "::" for one group at least, no zone.
 */
static int
iri_is_address(int family, iri_str_t text)
{
    char          copy[INET6_ADDRSTRLEN];
    unsigned char address[sizeof(struct in6_addr)];

    if (text.len == 0 || text.len >= sizeof(copy)
        || memchr(text.data, '\0', text.len) != NULL)
    {
        return 0;
    }

    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';

    return inet_pton(family, copy, address) == 1;
}


int
iri_is_ipv4(iri_str_t text)
{
    return iri_is_address(AF_INET, text);
}


/* "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ) */
static int
iri_is_ip_future(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *from;

    for (from = ++p; p < end && iri_octet_is(*p, IRI_OCTET_HEXDIG); p++) {
        /* void */
    }

    if (p == from || end - p < 2 || *p++ != '.') {
        return 0;
    }

    while (p < end && iri_octet_is(*p, IRI_OCTET_USERINFO)) {
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

    return *p == 'v' || *p == 'V'
               ? iri_is_ip_future(p, end)
               : iri_is_address(AF_INET6, iri_str_between(p, end));
}


/* ---- the grammars -------------------------------------------------------- */

typedef struct {
    const unsigned char *p;     /* the next octet */
    const unsigned char *end;   /* behind the last octet */
    unsigned             extra; /* classes allowed in all components, bits */
    int                  ascii; /* 1: a URI */
    int                  draft; /* 1: the grammar of the draft */
} iri_scan_t;

/*
 * The error at p.  An octet or character that is wrong in every component has
 * its own error; else the component determines what was expected.
 */
static iri_expect_t
iri_scan_error(const iri_scan_t *scan, iri_expect_t component)
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

    /* A valid character, though not in this component. */
    if (iri_char_is_ucs(c)) {
        return component;
    }

    return iri_char_is_private(c) ? IRI_EXPECT_PUBLIC : IRI_EXPECT_UCSCHAR;
}


/*
 * The length in octets of the ucschar at p; private: 1 accepts iprivate, too.
 * 0: there is none.
 */
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


/* Move p to the first octet that the component must not contain, or to the
   end. */
static inline void
iri_scan(iri_scan_t *scan, unsigned bits, int private)
{
    const unsigned char *p = scan->p, *end = scan->end;
    unsigned char        octet;
    size_t               n;

    bits |= scan->extra;

    for (;;) {
        while (p < end && iri_octet_is(*p, bits)) {
            p++;
        }

        scan->p = p;

        if (p == end) {
            return;
        }

        if (*p == '%') {
            n = iri_unescape(p, end, &octet);
        } else {
            n = *p >= 0x80 ? iri_scan_character(scan, private) : 0;
        }

        if (n == 0) {
            return;
        }

        p += n;
    }
}


/* Scan the port, if there is a ":", and check that the authority ends. */
static iri_expect_t
iri_scan_port(iri_scan_t *scan)
{
    iri_expect_t expected = IRI_EXPECT_HOST;

    if (scan->p < scan->end && *scan->p == ':') {
        expected = IRI_EXPECT_PORT;

        do {
            scan->p++;
        } while (scan->p < scan->end
                 && iri_octet_is(*scan->p, IRI_OCTET_DIGIT));
    }

    return scan->p == scan->end
                   || iri_octet_is(*scan->p, IRI_OCTET_AUTHORITY_END)
               ? IRI_EXPECT_NOTHING
               : iri_scan_error(scan, expected);
}


/* Scan an IP literal in brackets, and the port. */
static iri_expect_t
iri_scan_literal(iri_scan_t *scan)
{
    const unsigned char *from = scan->p;
    const unsigned char *close;

    close = memchr(from, ']', (size_t) (scan->end - from));

    if (close == NULL || !iri_is_ip_literal(iri_str_between(from, close + 1))
        || (scan->draft && (from[1] | 0x20) == 'v'))
    {
        return IRI_EXPECT_ADDRESS;
    }

    scan->p = close + 1;

    return iri_scan_port(scan);
}


/* RFC 3986, 3.2.  A userinfo may contain ":", so only "@" distinguishes it
   from a host with a port. */
static iri_expect_t
iri_scan_authority(iri_scan_t *scan)
{
    const unsigned char *from = scan->p, *colon;

    iri_scan(scan, IRI_OCTET_HOST, 0);

    if (scan->p < scan->end && (*scan->p == ':' || *scan->p == '@')) {
        colon = scan->p;
        iri_scan(scan, IRI_OCTET_USERINFO, 0);

        if (scan->p < scan->end && *scan->p == '@') {
            from = ++scan->p;
            iri_scan(scan, IRI_OCTET_HOST, 0);
        } else {
            scan->p = colon;
        }
    }

    return scan->p == from && from < scan->end && *from == '['
               ? iri_scan_literal(scan)
               : iri_scan_port(scan);
}


/*
 * Draft 2.2: a server or a registry name.  A registry name may contain all
 * that a server may, except an IPv6 address in brackets.
 */
static iri_expect_t
iri_scan_authority_draft(iri_scan_t *scan)
{
    const unsigned char *from = scan->p, *host;

    iri_scan(scan, IRI_OCTET_USERINFO, 0);
    host = scan->p + (scan->p < scan->end && *scan->p == '@');

    if (host < scan->end && *host == '[' && (host > scan->p || host == from))
    {
        scan->p = host;
        return iri_scan_literal(scan);
    }

    /* IRI_OCTET_PATH would allow "@", but also "/", which ends the authority;
       so "@" is skipped here. */
    while (scan->p < scan->end && *scan->p == '@') {
        scan->p++;
        iri_scan(scan, IRI_OCTET_USERINFO, 0);
    }

    return scan->p == scan->end
                   || iri_octet_is(*scan->p, IRI_OCTET_AUTHORITY_END)
               ? IRI_EXPECT_NOTHING
               : iri_scan_error(scan, IRI_EXPECT_AUTHORITY);
}


/* Check that a path, query or fragment, which may be absent, contains only the
   classes of octets. */
static iri_expect_t
iri_scan_part(iri_scan_t *scan, iri_str_t part, unsigned bits, int private,
              iri_expect_t expected)
{
    if (!iri_is_present(part)) {
        return IRI_EXPECT_NOTHING;
    }

    scan->p = part.data;
    iri_scan(scan, bits, private);

    return scan->p == part.data + part.len ? IRI_EXPECT_NOTHING
                                           : iri_scan_error(scan, expected);
}


/* Check the path, the query and the fragment. */
static iri_expect_t
iri_check_path_query_fragment(iri_scan_t *scan, iri_as_t as,
                              const iri_parts_t *parts)
{
    int                  scheme = iri_is_present(parts->scheme);
    int                  authority = iri_is_present(parts->authority);
    const unsigned char *colon;
    unsigned             opaque = 0;
    size_t               segment = iri_segment_end(parts->path, 0);
    iri_expect_t         expected;

    /* Draft 2.2, iopaque-part: all reserved characters, no iprivate. */
    if (scan->draft && scheme && !authority
        && (parts->path.len == 0 || parts->path.data[0] != '/'))
    {
        opaque = IRI_OCTET_BRACKET;
    }

    expected = iri_scan_part(scan, parts->path, IRI_OCTET_PATH | opaque, 0,
                             IRI_EXPECT_PATH);

    /* path-noscheme: without a scheme no ":" is allowed in the first segment.
       It is reported even if another error follows. */
    colon = memchr(parts->path.data, ':', segment);
    if (!scheme && !authority && colon != NULL && colon < scan->p) {
        scan->p = colon;
        return IRI_EXPECT_SEGMENT;
    }

    if (expected == IRI_EXPECT_NOTHING) {
        expected = iri_scan_part(scan, parts->query, IRI_OCTET_QUERY | opaque,
                                 opaque == 0, IRI_EXPECT_QUERY);
    }

    if (expected != IRI_EXPECT_NOTHING || !iri_is_present(parts->fragment)) {
        return expected;
    }

    if (as == IRI_AS_ABSOLUTE_IRI || as == IRI_AS_ABSOLUTE_URI) {
        scan->p = parts->fragment.data - 1;
        return IRI_EXPECT_NO_FRAGMENT;
    }

    return iri_scan_part(scan, parts->fragment, IRI_OCTET_QUERY, 0,
                         IRI_EXPECT_FRAGMENT);
}


static iri_expect_t
iri_check_all(iri_scan_t *scan, iri_as_t as, const iri_parts_t *parts)
{
    int relative = as == IRI_AS_RELATIVE_IRI || as == IRI_AS_RELATIVE_URI;
    int reference = as == IRI_AS_IRI_REFERENCE || as == IRI_AS_URI_REFERENCE;
    iri_expect_t expected = IRI_EXPECT_NOTHING;

    if (iri_is_present(parts->scheme) ? relative : !relative && !reference) {
        return relative ? IRI_EXPECT_RELATIVE : IRI_EXPECT_SCHEME;
    }

    if (iri_is_present(parts->authority)) {
        scan->p = parts->authority.data;
        expected = scan->draft ? iri_scan_authority_draft(scan)
                               : iri_scan_authority(scan);
    }

    return expected == IRI_EXPECT_NOTHING
               ? iri_check_path_query_fragment(scan, as, parts)
               : expected;
}


iri_expect_t
iri_check(iri_str_t text, iri_as_t as, iri_grammar_t grammar,
          iri_parts_t *parts, size_t *offset)
{
    const unsigned char *begin = iri_str_non_null(text).data;
    iri_parts_t          found;
    iri_scan_t           scan;
    iri_expect_t         expected;

    iri_split(text, &found);

    scan.p = begin;
    scan.end = begin + text.len;
    scan.ascii = as >= IRI_AS_URI_REFERENCE;
    scan.draft = grammar == IRI_GRAMMAR_DRAFT;
    /* iadditional is for IRIs: the draft's URIs are those of RFC 2396. */
    scan.extra = scan.draft && !scan.ascii ? IRI_OCTET_IADDITIONAL : 0;

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
