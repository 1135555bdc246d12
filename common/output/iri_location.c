/*
 * iri_location.c - Location and Link fields as the server sends them
 *
 * Other modules write a URI-reference (RFC 3986, 4.1) into Location and
 * Content-Location, possibly with raw octets of a configuration, a capture or
 * the disk.  iri_location_field turns it into an equivalent reference in
 * visible ASCII (RFC 3987, 3.1).  A path of this host becomes percent-encoded
 * UTF-8; in a path of another host raw octets are escaped as they are.
 * Reserved characters are not unescaped, nothing is escaped twice, and a
 * value that is correct is returned unchanged.
 */

#include "path/iri_path.h"
#include "unicode/iri_unicode.h"

/* The components of a reference, each with its delimiters. */
typedef struct {
    iri_str_t scheme;    /* "http:", or empty */
    iri_str_t authority; /* "//host:80", or empty */
    iri_str_t path;
    iri_str_t tail; /* query and fragment, starting with "?" or "#" */
} iri_reference_parts_t;


/* ---- octets -------------------------------------------------------------- */

static int
iri_is_upper_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}


/*
 * Detect the common case in one pass: visible ASCII, and all escapes of the
 * path are upper-case and of ASCII characters.
 */
static int
iri_is_normalized(iri_str_t value)
{
    const unsigned char *p = value.data, *end = value.data + value.len;
    unsigned char        octet;

    for (/* void */; p < end && *p != '?' && *p != '#'; p++) {
        if (*p == '%') {
            if (iri_unescape(p, end, &octet) != 3 || octet >= 0x80
                || !iri_is_upper_hex(p[2]))
            {
                return 0;
            }

        } else if (!iri_is_path_char(*p)) {
            return 0;
        }
    }

    for (/* void */; p < end; p++) {
        if (!iri_is_literal(*p)) {
            return 0;
        }
    }

    return 1;
}


/* ---- components ---------------------------------------------------------- */

/* Remove the first len octets from *s and return them. */
static iri_str_t
iri_take(iri_str_t *s, size_t len)
{
    iri_str_t head = { len, s->data };

    *s = iri_str_from(*s, len);

    return head;
}


/* The length of the scheme with its ":" (RFC 3986, 3.1); 0: none. */
static size_t
iri_scheme_len(iri_str_t s)
{
    size_t        len = iri_str_find_any(s, ":/?#"), i;
    unsigned char c;

    if (len == 0 || len == s.len || s.data[len] != ':') {
        return 0;
    }

    for (i = 0; i < len; i++) {
        c = s.data[i];

        if (!iri_is_alphanumeric(c)
            && (i == 0 || (c != '+' && c != '-' && c != '.'))) {
            return 0;
        }
    }

    return s.data[0] >= 'A' ? len + 1 : 0;
}


/* Split a reference into components (RFC 3986, appendix B). */
static void
iri_reference_split(const iri_location_field_conf_t *conf, iri_str_t s,
                    iri_reference_parts_t *parts)
{
    iri_str_t after;

    parts->scheme = iri_take(&s, iri_scheme_len(s));
    parts->authority = iri_take(&s, 0);

    if (s.len > 1 && s.data[0] == '/' && s.data[1] == '/'
        && (!conf->rooted || parts->scheme.len != 0))
    {
        after = iri_str_from(s, 2);
        parts->authority = iri_take(&s, 2 + iri_str_find_any(after, "/?#"));
    }

    parts->path = iri_take(&s, iri_str_find_any(s, "?#"));
    parts->tail = s;
}


/* ---- this host or another ------------------------------------------------ */

/*
 * The default port of http and https.  Without a scheme, the server's port if
 * that is a default port.  0: unknown.
 */
static unsigned
iri_default_port(iri_str_t scheme, unsigned known)
{
    if (scheme.len == 0) {
        return known == 80 || known == 443 ? known : 0;
    }

    return iri_str_equal_nocase(scheme, "https:")  ? 443
           : iri_str_equal_nocase(scheme, "http:") ? 80
                                                   : 0;
}


/* ":8080" -> 8080; 0: not a port. */
static unsigned
iri_port_number(iri_str_t s)
{
    unsigned port = 0;
    size_t   i;

    if (s.len > 6 || s.data[0] != ':') {
        return 0;
    }

    for (i = 1; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9') {
            return 0;
        }

        port = 10 * port + s.data[i] - '0';
    }

    return port;
}


/* 1 if host and port are those of this server.  authority: without "//" */
static int
iri_is_this_host(const iri_location_field_conf_t *conf, iri_str_t scheme,
                 iri_str_t authority)
{
    iri_str_t host = iri_authority_host(authority), port;
    unsigned  number;
    size_t    i;

    if (host.data != authority.data || host.len == 0
        || host.len != conf->host.len)
    {
        return 0;
    }

    port = iri_str_from(authority, host.len);

    for (i = 0; i < host.len; i++) {
        if (iri_lower(host.data[i]) != iri_lower(conf->host.data[i])) {
            return 0;
        }
    }

    number = port.len > 1 ? iri_port_number(port)
                          : iri_default_port(scheme, conf->port);

    return number != 0 && number == conf->port;
}


/*
 * 1 if requests for the reference come to this server.  authority: as written
 * to the output, with "//".
 */
static int
iri_is_own_path(const iri_location_field_conf_t *conf,
                const iri_reference_parts_t *parts, iri_str_t authority)
{
    if (conf->other) {
        return 0;
    }

    if (authority.len == 0) {
        return parts->scheme.len == 0;
    }

    return (parts->scheme.len == 0
            || iri_str_equal_nocase(parts->scheme, "http:")
            || iri_str_equal_nocase(parts->scheme, "https:"))
           && iri_is_this_host(conf, parts->scheme,
                               iri_str_from(authority, 2));
}


/* ---- writing ------------------------------------------------------------- */

/* A field that is being written. */
typedef struct {
    const iri_env_t                 *env;
    const iri_location_field_conf_t *conf;
    iri_buf_t                        buf;
    iri_status_t status; /* first error; nothing is appended after it */
} iri_field_t;


static void
iri_field_put(iri_field_t *field, iri_str_t s)
{
    if (field->status == IRI_OK) {
        field->status = iri_buf_put(field->env, &field->buf, s.data, s.len);
    }
}


/* Append s; escape only octets that a URI cannot contain. */
static void
iri_field_put_literal(iri_field_t *field, iri_str_t s)
{
    if (field->status == IRI_OK) {
        field->status = iri_buf_put_escaped(field->env, &field->buf, s,
                                            iri_is_literal);
    }
}


/*
 * Append a path of this host, with only path characters and upper-case
 * escapes.
 */
static iri_status_t
iri_put_escaped_path(const iri_env_t *env, iri_str_t path, iri_buf_t *buf)
{
    const unsigned char *p = path.data, *end = path.data + path.len;
    iri_status_t         status = IRI_OK;
    unsigned char        octet;
    size_t               n;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        octet = *p;
        n = iri_unescape(p, end, &octet);
        status = n == 1 && iri_is_path_char(octet)
                     ? iri_buf_putc(env, buf, octet)
                     : iri_buf_put_escape(env, buf, octet);
        n = n != 0 ? n : 1;
    }

    return status;
}


/*
 * Set *only to 1 if the path has exactly one reading.  If several legacy
 * charsets can decode it, only the lookup of the later request can decide.
 */
static iri_status_t
iri_is_only_reading(const iri_env_t *env, const iri_reading_conf_t *conf,
                    const iri_received_path_t *request,
                    const iri_reading_t *reading, int *only)
{
    iri_reading_conf_t one = *conf;
    iri_reading_t      other;
    iri_status_t       status;
    size_t             i, readings = 0;

    for (i = 0; reading->form == IRI_FORM_LEGACY && i < conf->charsets.count;
         i++) {
        one.charsets.count = 1;
        one.charsets.at[0] = conf->charsets.at[i];

        status = iri_read(env, &one, request, &other);
        if (status != IRI_OK) {
            return status;
        }

        readings += other.form == IRI_FORM_LEGACY
                    && iri_str_equal(other.charset,
                                     iri_charset_name(one.charsets.at[0]));
    }

    *only = reading->form == IRI_FORM_LEGACY
                ? readings == 1
                : reading->form == IRI_FORM_ESCAPED;

    return IRI_OK;
}


/*
 * Replace *path, in which all non-ASCII is escaped, by its canonical URI.  An
 * ambiguous path stays unchanged.
 */
static iri_status_t
iri_path_canonicalize(const iri_env_t *env, const iri_reading_conf_t *conf,
                      iri_str_t *path)
{
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_status_t        status;
    int                 only = 0;

    if (iri_path_is_ascii(*path, 1)) {
        return IRI_OK;
    }

    memset(&request, 0, sizeof(request));
    request.path = *path;
    request.escaped = 1;

    status = iri_read(env, conf, &request, &reading);

    if (status == IRI_OK) {
        status = iri_is_only_reading(env, conf, &request, &reading, &only);
    }

    if (status == IRI_NO_MEMORY) {
        return status;
    }

    if (status == IRI_OK && only) {
        *path = reading.uri;
    }

    return IRI_OK;
}


/*
 * Get the text of a path of this host.  iri_read reads only paths that begin
 * with "/", so one is written before a relative path and removed again.
 */
static iri_status_t
iri_own_path(const iri_field_t *field, iri_str_t path, iri_str_t *text)
{
    iri_buf_t    escaped = IRI_BUF_EMPTY;
    size_t       relative = path.data[0] != '/';
    iri_status_t status = IRI_OK;

    if (relative) {
        status = iri_buf_putc(field->env, &escaped, '/');
    }

    if (status == IRI_OK) {
        status = iri_put_escaped_path(field->env, path, &escaped);
    }

    if (status == IRI_OK) {
        *text = iri_buf_str(&escaped);
        status = iri_path_canonicalize(field->env, field->conf->reading,
                                       text);
        *text = iri_str_from(*text, relative);
    }

    return status;
}


/*
 * Append the A-labels of a host with raw non-ASCII (RFC 3987, 3.1, step 2).  A
 * host that cannot be mapped is logged and percent-encoded.
 */
static void
iri_field_put_host(iri_field_t *field, iri_str_t host)
{
    iri_host_t   read;
    iri_shown_t  shown;
    iri_status_t status;

    if (iri_path_is_ascii(host, 0) || field->conf->hosts == NULL) {
        iri_field_put_literal(field, host);
        return;
    }

    status = iri_host_read(field->env, field->conf->hosts, host, &read);

    if (status == IRI_NO_MEMORY) {
        field->status = status;
        return;
    }

    if (status == IRI_OK && read.verdict == IRI_SERVE) {
        iri_field_put(field, read.ascii);
        return;
    }

    iri_logf(field->env, IRI_LOG_ERROR,
             "host \"%s\" of a redirect has no A-labels: %s%s" IRI_LOG_REASON
             "location",
             iri_show_sent(&shown, host), status == IRI_OK ? "it " : "",
             status == IRI_OK ? iri_host_why_text(read.why)
                              : iri_status_text(status));
    iri_field_put_literal(field, host);
}


static void
iri_field_put_authority(iri_field_t *field, iri_str_t authority)
{
    iri_str_t host, userinfo = authority;

    if (authority.len != 0) {
        host = iri_authority_host(iri_str_from(authority, 2));
        userinfo.len = (size_t) (host.data - authority.data);
        iri_field_put_literal(field, userinfo);
        iri_field_put_host(field, host);
        iri_field_put_literal(
            field, iri_str_from(authority, userinfo.len + host.len));
    }
}


/*
 * Append the path.  "./" is written before a relative path whose first segment
 * contains ":", which would end a scheme (RFC 3986, 4.2); an unchanged path
 * needs no "./".
 */
static void
iri_field_put_path(iri_field_t *field, const iri_reference_parts_t *parts)
{
    static const iri_str_t dot = IRI_STR("./");
    iri_buf_t              escaped = IRI_BUF_EMPTY;
    iri_str_t              authority, path = parts->path, first;

    if (field->status != IRI_OK || path.len == 0) {
        return;
    }

    authority = iri_str_from(iri_buf_str(&field->buf), parts->scheme.len);

    if (iri_is_own_path(field->conf, parts, authority)) {
        field->status = iri_own_path(field, parts->path, &path);
    } else {
        field->status = iri_buf_put_escaped(field->env, &escaped, path,
                                            iri_is_literal);
        path = iri_buf_str(&escaped);
    }

    first = path;
    first.len = iri_segment_end(path, 0);

    if (parts->scheme.len == 0 && !iri_str_equal(path, parts->path)
        && iri_str_count(first, ':') != 0)
    {
        iri_field_put(field, dot);
    }

    iri_field_put(field, path);
}


iri_status_t
iri_location_field(const iri_env_t                 *env,
                   const iri_location_field_conf_t *conf, iri_str_t value,
                   iri_str_t *out)
{
    iri_str_t             trimmed = iri_str_trim(value);
    iri_field_t           field = { env, conf, IRI_BUF_EMPTY, IRI_OK };
    iri_reference_parts_t parts;

    if (iri_is_normalized(trimmed)) {
        *out = trimmed;
        return IRI_OK;
    }

    iri_reference_split(conf, trimmed, &parts);
    iri_field_put(&field, parts.scheme);
    iri_field_put_authority(&field, parts.authority);
    iri_field_put_path(&field, &parts);
    iri_field_put_literal(&field, parts.tail);

    if (field.status == IRI_OK) {
        *out = iri_str_equal(iri_buf_str(&field.buf), trimmed)
                   ? trimmed
                   : iri_buf_str(&field.buf);
    }

    return field.status;
}


/* ---- canonical links ----------------------------------------------------- */

int
iri_may_link(int status)
{
    return status >= 200 && status < 300;
}


iri_status_t
iri_canonical_link(const iri_env_t *env, iri_str_t location, iri_str_t *out)
{
    static const iri_str_t before = IRI_STR("<");
    static const iri_str_t after = IRI_STR(">; rel=\"canonical\"");
    iri_field_t            field = { env, NULL, IRI_BUF_EMPTY, IRI_OK };

    iri_field_put(&field, before);
    iri_field_put_literal(&field, location);
    iri_field_put(&field, after);

    if (field.status == IRI_OK) {
        *out = iri_buf_str(&field.buf);
    }

    return field.status;
}
