/*
 * iri_host.c - host names, from octets to A-labels
 *
 * Implements draft-duerst-idn-uri (design 8).  A host is percent-decoded once
 * and mapped by UTS #46 (iri_idna.c) or by the older preprocessing
 * (iri_idna_compatible.c).  The result of either mapping is checked again: only
 * letters, digits, "-" and ".", in labels of a valid length.  The mapped host
 * only selects among configured names.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "host/iri_idna.h"

static const char *const iri_host_why_texts[IRI_HOST_WHYS] = {
    "is ASCII",
    "is an IP literal",
    "is a host name",
    "has \"%\" without two hexadecimal digits",
    "is not UTF-8",
    "has too many octets or labels, or too long a label",
    "has an empty label",
    "has a character that no host name may have",
    "has a label with \"-\" at an end, or as third and fourth character",
    "has a label that begins with a combining mark",
    "breaks the bidi rule of RFC 5893",
    "has a joiner that its context does not allow",
    "has a label with \"xn--\" that is not an A-label",
    "is not a name of IDNA2008",
    "ends in a number, as an IPv4 address does",
    "has a wildcard in a label that is not ASCII"
};

static const char *const iri_host_why_codes[IRI_HOST_WHYS] = {
    "host-ascii",  "host-literal",  "host-mapped",  "host-escape",
    "host-octets", "host-limit",    "host-empty",   "host-character",
    "host-hyphen", "host-mark",     "host-bidi",    "host-joiner",
    "host-alabel", "host-idna2008", "host-address", "host-wildcard"
};


int
iri_is_uri_host(iri_str_t host)
{
    const char *others = "-._";
    size_t      i, end = host.len;

    if (host.len > 2 && host.data[0] == '[' && host.data[end - 1] == ']') {
        others = ":.";
        host.data++;
        end -= 2;
    }

    for (i = 0; i < end; i++) {
        if (!iri_is_alphanumeric(host.data[i])
            && (host.data[i] == '\0' || strchr(others, host.data[i]) == NULL))
        {
            return 0;
        }
    }

    return 1;
}


iri_str_t
iri_authority_host(iri_str_t authority)
{
    iri_str_t            host;
    const unsigned char *p;
    size_t               i;

    /* The userinfo ends at the last "@". */
    for (i = authority.len; i != 0 && authority.data[i - 1] != '@'; i--) {
        /* void */
    }

    host = iri_str_from(authority, i);

    if (host.len != 0 && host.data[0] == '[') {
        p = memchr(host.data, ']', host.len);
        if (p != NULL) {
            host.len = (size_t) (p - host.data) + 1;
        }

        return host;
    }

    p = host.len != 0 ? memchr(host.data, ':', host.len) : NULL;
    if (p != NULL) {
        host.len = (size_t) (p - host.data);
    }

    return host;
}


/* ---- checks before and after mapping ------------------------------------- */

/* 1 for U+002E and the characters that UTS #46 (2.3) maps to it. */
static int
iri_is_dot(uint32_t c)
{
    return c == '.' || c == 0x3002 || c == 0xff0e || c == 0xff61;
}


/*
 * Check the limits before mapping, whose time grows with the square of the
 * length of a label.
 */
static iri_host_why_t
iri_host_check(iri_str_t host)
{
    const unsigned char *p = host.data, *end = host.data + host.len;
    size_t               n, labels = 1, characters = 0;
    uint32_t             c;

    if (host.len > IRI_MAX_HOST) {
        return IRI_HOST_LIMIT;
    }

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0) {
            return IRI_HOST_OCTETS;
        }

        if (n == 1 && !iri_is_alphanumeric(*p) && *p != '-' && *p != '.') {
            return IRI_HOST_CHARACTER;
        }

        if (iri_is_dot(c)) {
            labels++;
            characters = 0;

        } else if (++characters > IRI_MAX_LABEL) {
            return IRI_HOST_LIMIT;
        }
    }

    /* A final dot does not begin a label. */
    return labels > IRI_MAX_LABELS + 1 ? IRI_HOST_LIMIT : IRI_HOST_MAPPED;
}


/* Check the result of a mapping. */
static iri_host_why_t
iri_host_check_ascii(iri_str_t ascii)
{
    size_t i, from, to, labels = 0;

    for (i = 0; i < ascii.len; i++) {
        if ((!iri_is_alphanumeric(ascii.data[i]) && ascii.data[i] != '-'
             && ascii.data[i] != '.')
            || (ascii.data[i] >= 'A' && ascii.data[i] <= 'Z'))
        {
            return IRI_HOST_CHARACTER;
        }
    }

    for (from = 0; from < ascii.len; from = to + 1) {
        to = iri_label_end(ascii, from);

        if (to == from) {
            return IRI_HOST_EMPTY;
        }

        if (to - from > IRI_MAX_ALABEL || ++labels > IRI_MAX_LABELS) {
            return IRI_HOST_LIMIT;
        }

        /* IDNA2008 does not check ASCII labels (RFC 1123, 2.1). */
        if (ascii.data[from] == '-' || ascii.data[to - 1] == '-') {
            return IRI_HOST_HYPHEN;
        }
    }

    if (ascii.len == 0) {
        return IRI_HOST_EMPTY;
    }

    return ascii.len - (ascii.data[ascii.len - 1] == '.') > IRI_MAX_HOST_ASCII
               ? IRI_HOST_LIMIT
               : IRI_HOST_MAPPED;
}


/*
 * 1 if the last label is a number, so that parsers of IPv4 addresses would
 * accept the host (URL Standard, "ends in a number").
 */
static int
iri_ends_in_number(iri_str_t ascii)
{
    size_t from, to, i;

    if (ascii.len != 0 && ascii.data[ascii.len - 1] == '.') {
        ascii.len--;
    }

    for (from = 0; (to = iri_label_end(ascii, from)) < ascii.len;
         from = to + 1) {
        /* void */
    }

    ascii = iri_str_from(ascii, from);

    if (ascii.len > 1 && ascii.data[0] == '0' && ascii.data[1] == 'x') {
        for (i = 2; i < ascii.len && iri_hex(ascii.data[i]) >= 0; i++) {
            /* void */
        }

        return i == ascii.len;
    }

    for (i = 0; i < ascii.len; i++) {
        if (ascii.data[i] < '0' || ascii.data[i] > '9') {
            return 0;
        }
    }

    return 1;
}


/* 1 if a label has the prefix of A-labels. */
static int
iri_has_alabel(iri_str_t host)
{
    size_t    from, to;
    iri_str_t prefix;

    for (from = 0; from < host.len; from = to + 1) {
        to = iri_label_end(host, from);
        prefix.data = host.data + from;
        prefix.len = 4;

        if (to - from > 4 && iri_str_equal_nocase(prefix, "xn--")) {
            return 1;
        }
    }

    return 0;
}


/* ---- mapping ------------------------------------------------------------- */

static void
iri_host_set(iri_host_t *out, iri_verdict_t verdict, iri_host_why_t why,
             iri_str_t ascii, iri_str_t unicode)
{
    out->verdict = verdict;
    out->why = why;
    out->ascii = ascii;
    out->unicode = unicode;
}


/* Set the result of a mapping; if it failed, both forms are the given host. */
static void
iri_host_set_result(iri_host_t *out, iri_host_why_t why, iri_str_t host,
                    iri_str_t ascii, iri_str_t unicode)
{
    if (why == IRI_HOST_MAPPED) {
        iri_host_set(out, IRI_SERVE, why, ascii, unicode);
    } else {
        iri_host_set(out, IRI_REFUSE, why, host, host);
    }
}


/*
 * Map host by the mapping that conf selects.  ascii and unicode are valid if
 * *why is IRI_HOST_MAPPED.
 */
static iri_status_t
iri_host_apply_mapping(const iri_env_t *env, const iri_host_conf_t *conf,
                       iri_str_t host, iri_buf_t *ascii, iri_buf_t *unicode,
                       iri_host_why_t *why)
{
    iri_buf_t    by_idna2008 = IRI_BUF_EMPTY;
    iri_status_t status;

    if (conf->mapping == IRI_MAPPING_COMPATIBLE) {
        status = iri_idna_compatible_map(env, host, unicode, why);

        if (status == IRI_OK && *why == IRI_HOST_MAPPED) {
            status = iri_idna2008(env, iri_buf_str(unicode), ascii, why);
        }

        return status;
    }

    status = iri_idna_map(env, conf->idna, host, ascii, unicode, why);

    if (status != IRI_OK || *why != IRI_HOST_MAPPED || !conf->strict) {
        return status;
    }

    status = iri_idna2008(env, iri_buf_str(unicode), &by_idna2008, why);

    if (status == IRI_OK && *why == IRI_HOST_MAPPED
        && !iri_str_equal(iri_buf_str(&by_idna2008), iri_buf_str(ascii)))
    {
        *why = IRI_HOST_IDNA2008;
    }

    return status;
}


/* Map a host, or consecutive labels of a configured name. */
static iri_status_t
iri_host_map_labels(const iri_env_t *env, const iri_host_conf_t *conf,
                    iri_str_t host, iri_host_t *out)
{
    iri_buf_t      ascii = IRI_BUF_EMPTY, unicode = IRI_BUF_EMPTY;
    iri_host_why_t why = iri_host_check(host);
    iri_status_t   status = IRI_OK;

    if (why == IRI_HOST_MAPPED) {
        status = iri_host_apply_mapping(env, conf, host, &ascii, &unicode,
                                        &why);
    }

    if (status != IRI_OK) {
        return status;
    }

    if (why == IRI_HOST_MAPPED) {
        why = iri_host_check_ascii(iri_buf_str(&ascii));
    }

    iri_host_set_result(out, why, host, iri_buf_str(&ascii),
                        iri_buf_str(&unicode));

    return IRI_OK;
}


/* A host with A-labels must not end in a number: "xn--tda.1" is refused. */
iri_status_t
iri_host_map(const iri_env_t *env, const iri_host_conf_t *conf,
             iri_str_t host, iri_host_t *out)
{
    iri_status_t status = iri_host_map_labels(env, conf, host, out);

    if (status == IRI_OK && out->verdict == IRI_SERVE
        && iri_has_alabel(out->ascii) && iri_ends_in_number(out->ascii))
    {
        iri_host_set(out, IRI_REFUSE, IRI_HOST_ADDRESS, host, host);
    }

    return status;
}


/* ---- hosts of requests --------------------------------------------------- */

/* Nonzero if an octet of word is above 7F or is "%". */
static uint64_t
iri_word_needs_mapping(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t       percent = word ^ (ones * '%');

    return (word | (percent - ones)) & (ones * 0x80);
}


int
iri_host_is_ascii(iri_str_t host)
{
    const unsigned char *p = host.data;
    uint64_t             word;
    size_t               i = 0;

    if (host.len < sizeof(word)) {
        for (/* void */; i < host.len; i++) {
            if (p[i] >= 0x80 || p[i] == '%') {
                return 0;
            }
        }

        return 1;
    }

    for (/* void */; host.len - i > sizeof(word); i += sizeof(word)) {
        memcpy(&word, p + i, sizeof(word));
        if (iri_word_needs_mapping(word)) {
            return 0;
        }
    }

    /* The last eight octets; some of them may have been checked before. */
    memcpy(&word, p + host.len - sizeof(word), sizeof(word));

    return iri_word_needs_mapping(word) == 0;
}


/* Percent-decode host once.  *why: IRI_HOST_MAPPED, or IRI_HOST_ESCAPE. */
static iri_status_t
iri_host_unescape(const iri_env_t *env, iri_str_t host, iri_str_t *out,
                  iri_host_why_t *why)
{
    const unsigned char *p = host.data, *end = host.data + host.len;
    iri_buf_t            buf = IRI_BUF_EMPTY;
    iri_status_t         status = IRI_OK;
    unsigned char        octet;
    size_t               n;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_unescape(p, end, &octet);
        if (n == 0) {
            *why = IRI_HOST_ESCAPE;
            return IRI_OK;
        }

        status = iri_buf_putc(env, &buf, octet);
    }

    *why = IRI_HOST_MAPPED;
    *out = iri_buf_str(&buf);

    return status;
}


iri_status_t
iri_host_read(const iri_env_t *env, const iri_host_conf_t *conf,
              iri_str_t host, iri_host_t *out)
{
    iri_str_t      characters;
    iri_host_why_t why;
    iri_status_t   status;

    /* A "%" in an IP literal begins a zone identifier (RFC 6874). */
    if (host.len != 0 && host.data[0] == '[' && iri_path_is_ascii(host, 0)) {
        iri_host_set(out, IRI_PASS, IRI_HOST_LITERAL, host, host);
        return IRI_OK;
    }

    if (iri_host_is_ascii(host)) {
        iri_host_set(out, IRI_PASS, IRI_HOST_ASCII, host, host);
        return IRI_OK;
    }

    if (host.len > 3 * IRI_MAX_HOST) {
        iri_host_set(out, IRI_REFUSE, IRI_HOST_LIMIT, host, host);
        return IRI_OK;
    }

    status = iri_host_unescape(env, host, &characters, &why);

    if (status == IRI_OK && why == IRI_HOST_MAPPED) {
        status = iri_host_map(env, conf, characters, out);
        if (status == IRI_OK) {
            why = out->why;
        }
    }

    if (status != IRI_OK) {
        return status;
    }

    /* An escaped IPv4 address is refused; iri_host_map() accepts a number if no
       label is an A-label. */
    if (why == IRI_HOST_MAPPED && iri_ends_in_number(out->ascii)) {
        why = IRI_HOST_ADDRESS;
    }

    if (why != IRI_HOST_MAPPED) {
        iri_host_set(out, IRI_REFUSE, why, host, host);
    }

    return IRI_OK;
}


/* ---- names of a configuration -------------------------------------------- */

/* 1 if two dots are adjacent; a dot at the start or end is allowed. */
static int
iri_has_empty_label(iri_str_t ascii)
{
    size_t i;

    for (i = 1; i < ascii.len; i++) {
        if (ascii.data[i] == '.' && ascii.data[i - 1] == '.') {
            return 1;
        }
    }

    return 0;
}


/* 1 if a server treats the label as a pattern. */
static int
iri_has_wildcard(iri_str_t label)
{
    return iri_str_count(label, '*') + iri_str_count(label, '?') != 0;
}


/*
 * Append a part of a name: a label with a wildcard, an empty label, or
 * consecutive other labels, which are mapped together.
 */
static iri_status_t
iri_host_name_part(const iri_env_t *env, const iri_host_conf_t *conf,
                   iri_str_t part, iri_buf_t *ascii, iri_buf_t *unicode,
                   iri_host_why_t *why)
{
    iri_host_t   host;
    iri_status_t status;

    if (iri_path_is_ascii(part, 0)) {
        iri_host_set(&host, IRI_PASS, IRI_HOST_ASCII, part, part);

    } else if (iri_has_wildcard(part)) {
        *why = IRI_HOST_WILDCARD;
        return IRI_OK;

    } else {
        status = iri_host_map_labels(env, conf, part, &host);
        if (status != IRI_OK) {
            return status;
        }

        if (host.verdict == IRI_REFUSE) {
            *why = host.why;
            return IRI_OK;
        }
    }

    status = iri_buf_put(env, ascii, host.ascii.data, host.ascii.len);

    return status == IRI_OK ? iri_buf_put(env, unicode, host.unicode.data,
                                          host.unicode.len)
                            : status;
}


/* The end of the part that starts at from (see iri_host_name_part). */
static size_t
iri_host_part_end(iri_str_t name, size_t from)
{
    size_t    to = from, next = from;
    iri_str_t label;

    for (;;) {
        label.data = name.data + next;
        label.len = iri_label_end(name, next) - next;

        if (next != from && (label.len == 0 || iri_has_wildcard(label))) {
            return to;
        }

        to = next + label.len;

        if (to == name.len || label.len == 0 || iri_has_wildcard(label)) {
            return to;
        }

        next = to + 1;
    }
}


iri_status_t
iri_host_name(const iri_env_t *env, const iri_host_conf_t *conf,
              iri_str_t name, iri_host_t *out)
{
    iri_buf_t      ascii = IRI_BUF_EMPTY, unicode = IRI_BUF_EMPTY;
    iri_host_why_t why = IRI_HOST_MAPPED;
    iri_str_t      part;
    iri_status_t   status = IRI_OK;
    size_t         from, to;

    if (iri_path_is_ascii(name, 0)) {
        iri_host_set(out, IRI_PASS, IRI_HOST_ASCII, name, name);
        return IRI_OK;
    }

    for (from = 0; status == IRI_OK && why == IRI_HOST_MAPPED; from = to + 1)
    {
        to = iri_host_part_end(name, from);
        part.data = name.data + from;
        part.len = to - from;

        status = iri_host_name_part(env, conf, part, &ascii, &unicode, &why);

        if (to == name.len) {
            break;
        }

        if (status == IRI_OK) {
            status = iri_buf_putc(env, &ascii, '.');
        }

        if (status == IRI_OK) {
            status = iri_buf_putc(env, &unicode, '.');
        }
    }

    if (status != IRI_OK) {
        return status;
    }

    if (why == IRI_HOST_MAPPED && iri_has_empty_label(iri_buf_str(&ascii))) {
        why = IRI_HOST_EMPTY;
    }

    if (why == IRI_HOST_MAPPED && iri_ends_in_number(iri_buf_str(&ascii))) {
        why = IRI_HOST_ADDRESS;
    }

    iri_host_set_result(out, why, name, iri_buf_str(&ascii),
                        iri_buf_str(&unicode));

    return IRI_OK;
}


/* ---- forms for display --------------------------------------------------- */

iri_status_t
iri_host_to_unicode(const iri_env_t *env, const iri_host_conf_t *conf,
                    iri_str_t host, iri_host_t *out)
{
    iri_buf_t      unicode = IRI_BUF_EMPTY;
    iri_host_why_t why;
    iri_status_t   status = IRI_OK;

    if (conf->mapping == IRI_MAPPING_COMPATIBLE) {
        return iri_host_map(env, conf, host, out);
    }

    why = iri_host_check(host);

    if (why == IRI_HOST_MAPPED) {
        status = iri_idna_to_unicode(env, conf->idna, host, &unicode, &why);
    }

    if (status == IRI_OK) {
        iri_host_set_result(out, why, host, host, iri_buf_str(&unicode));
    }

    return status;
}


iri_status_t
iri_host_display(const iri_env_t *env, const iri_host_conf_t *conf,
                 iri_str_t host, iri_str_t *out)
{
    iri_host_t   mapped;
    iri_status_t status;

    if (!iri_path_is_ascii(host, 0) || !iri_has_alabel(host)) {
        *out = host;
        return IRI_OK;
    }

    status = iri_host_map(env, conf, host, &mapped);

    if (status == IRI_OK) {
        *out = mapped.verdict == IRI_SERVE ? mapped.unicode : host;
    }

    return status;
}


iri_status_t
iri_host_forms(const iri_env_t *env, const iri_host_conf_t *conf,
               iri_str_t host, iri_host_t *out)
{
    iri_host_t   read;
    iri_status_t status;

    status = iri_host_read(env, conf, host, &read);
    if (status != IRI_OK) {
        return status;
    }

    if (read.verdict != IRI_REFUSE && !iri_is_uri_host(read.ascii)) {
        iri_host_set(&read, IRI_REFUSE, IRI_HOST_CHARACTER, host, host);
    }

    if (read.verdict == IRI_PASS) {
        read.verdict = IRI_SERVE;
        status = iri_host_display(env, conf, read.ascii, &read.unicode);
    }

    if (status == IRI_OK) {
        *out = read;
    }

    return status;
}


const char *
iri_host_why_text(iri_host_why_t why)
{
    return iri_enum_word(iri_host_why_texts, IRI_HOST_WHYS, (int) why);
}


const char *
iri_host_why_code(iri_host_why_t why)
{
    return iri_enum_word(iri_host_why_codes, IRI_HOST_WHYS, (int) why);
}
