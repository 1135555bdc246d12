/*
 * iri_normalize.c - normalization of IRIs and of texts
 *
 * An IRI -> the IRI normalized by syntax and scheme (RFC 3986, 6.2.2 and
 * 6.2.3; RFC 3987, 5.3.2).  A text -> a normalization form of UAX #15; this is
 * for names that are created, since draft 2.3 does not allow to normalize an
 * IRI that was received.
 */

#include <unicode/unorm2.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "iriref/iri_iriref.h"

#define IRI_FORM_MAX_MARKS 1024 /* in a row: ICU sorts them by insertion */


/* ---- forms of Unicode ---------------------------------------------------- */

static const UNormalizer2 *
iri_form_normalizer(iri_unicode_form_t form, UErrorCode *error)
{
    switch (form) {
    case IRI_FORM_NFC:
        return unorm2_getNFCInstance(error);
    case IRI_FORM_NFD:
        return unorm2_getNFDInstance(error);
    case IRI_FORM_NFKC:
        return unorm2_getNFKCInstance(error);
    default:
        return unorm2_getNFKDInstance(error);
    }
}


/* The offset of the first octet that is not UTF-8, or of the mark that exceeds
   the limit, and *why; text.len if there is neither. */
static size_t
iri_form_span(iri_str_t text, const char **why)
{
    const unsigned char *p = text.data, *end = p + text.len;
    uint32_t             c;
    size_t               n, marks = 0;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0) {
            *why = "is not UTF-8";
            break;
        }

        marks = iri_char_is_mark(c) ? marks + 1 : 0;
        if (marks > IRI_FORM_MAX_MARKS) {
            *why = "has too many combining marks in a row";
            break;
        }
    }

    return (size_t) (p - text.data);
}


iri_status_t
iri_unicode_form(const iri_env_t *env, iri_unicode_form_t form,
                 iri_str_t text, iri_converted_t *out)
{
    UErrorCode          error = U_ZERO_ERROR;
    const UNormalizer2 *normalizer = iri_form_normalizer(form, &error);
    const char         *why = NULL;
    UChar              *units, *normalized;
    int32_t             count, needed;
    size_t              span;
    iri_status_t        status;

    if (text.len > IRI_MAX_TEXT) {
        return iri_converted_reject(out, "is too long", IRI_MAX_TEXT);
    }

    text = iri_str_non_null(text);

    span = iri_form_span(text, &why);
    if (why != NULL) {
        return iri_converted_reject(out, why, span);
    }

    status = iri_utf16(env, text, &units, &count);
    if (status != IRI_OK) {
        return status;
    }

    /* The first call computes the length: U+FDFA becomes 18 characters. */
    needed = unorm2_normalize(normalizer, units, count, NULL, 0, &error);
    if (error != U_BUFFER_OVERFLOW_ERROR && U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    normalized = env->alloc(env->ctx, ((size_t) needed + 1) * sizeof(UChar));
    if (normalized == NULL) {
        return IRI_NO_MEMORY;
    }

    error = U_ZERO_ERROR;
    unorm2_normalize(normalizer, units, count, normalized, needed + 1,
                     &error);

    return U_SUCCESS(error)
               ? iri_converted_set_utf16(env, normalized, needed, out)
               : IRI_ICU_FAILED;
}


/* ---- syntax -------------------------------------------------------------- */

/*
 * Append a part: apply 6.2.2.1 and 6.2.2.2.  The part is well-formed, and
 * normal has room for it.  lower: 1 converts letters of ASCII, except those of
 * escapes, to lower case.
 */
static void
iri_normal_put(const iri_env_t *env, iri_buf_t *normal, iri_str_t part,
               int lower)
{
    const unsigned char *p = part.data, *end = p + part.len;
    unsigned char        c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_unescape(p, end, &c);

        if (n == 1 || iri_octet_is(c, IRI_OCTET_UNRESERVED)) {
            iri_buf_putc(env, normal, lower ? iri_lower(c) : c);
        } else {
            iri_buf_put_escape(env, normal, c);
        }
    }
}


static void
iri_normal_put_part(const iri_env_t *env, iri_buf_t *normal,
                    unsigned char delimiter, iri_str_t part)
{
    if (iri_is_present(part)) {
        iri_buf_putc(env, normal, delimiter);
        iri_normal_put(env, normal, part, 0);
    }
}


/* 6.2.3: the default port of http and https; NULL: another scheme. */
static const char *
iri_default_port(iri_str_t scheme)
{
    return iri_str_equal_nocase(scheme, "http")    ? "80"
           : iri_str_equal_nocase(scheme, "https") ? "443"
                                                   : NULL;
}


static void
iri_normal_put_authority(const iri_env_t *env, iri_buf_t *normal,
                         const iri_parts_t *parts, const char *default_port)
{
    iri_buf_put_text(env, normal, "//");

    if (iri_is_present(parts->userinfo)) {
        iri_normal_put(env, normal, parts->userinfo, 0);
        iri_buf_putc(env, normal, '@');
    }

    iri_normal_put(env, normal, parts->host, 1);

    if (default_port == NULL
        || (parts->port.len != 0
            && !iri_str_equal_nocase(parts->port, default_port)))
    {
        iri_normal_put_part(env, normal, ':', parts->port);
    }
}


/*
 * Return 1 if s has "[" or "]", which only an opaque part (draft 2.2) may have.
 * It has no dot-segments.  An opaque part without them is also a path of
 * RFC 3986, whose dot-segments are removed.
 */
static int
iri_has_brackets(iri_str_t s)
{
    return iri_str_count(s, '[') != 0 || iri_str_count(s, ']') != 0;
}


/*
 * 6.2.2.3.  Dot-segments of a relative reference have a meaning and stay.  A
 * path that would begin with "//" without an authority gets "/." before it.
 */
static void
iri_normal_put_path(const iri_env_t *env, iri_buf_t *normal,
                    const iri_parts_t *parts, const char *default_port)
{
    size_t         from = normal->len;
    unsigned char *path = normal->data + from;

    iri_normal_put(env, normal, parts->path, 0);

    if (iri_is_present(parts->scheme) && !iri_has_brackets(parts->path)
        && !iri_has_brackets(parts->query))
    {
        normal->len = from
                      + iri_remove_dot_segments(path, normal->len - from, 0);

        if (!iri_is_present(parts->authority) && normal->len - from >= 2
            && path[0] == '/' && path[1] == '/')
        {
            memmove(path + 2, path, normal->len - from);
            path[1] = '.';
            normal->len += 2;
        }
    }

    if (default_port != NULL && normal->len == from
        && iri_is_present(parts->authority))
    {
        iri_buf_putc(env, normal, '/');
    }
}


iri_status_t
iri_normalize_syntax(const iri_env_t *env, unsigned steps, iri_str_t text,
                     iri_converted_t *out)
{
    iri_parts_t  parts;
    iri_buf_t    normal = IRI_BUF_EMPTY;
    iri_expect_t expected;
    iri_status_t status;
    const char  *port;
    size_t       offset = 0;

    if (text.len > IRI_MAX_IRI) {
        return iri_converted_reject(out, "is too long", IRI_MAX_IRI);
    }

    expected = iri_check(text, IRI_AS_IRI_REFERENCE, IRI_GRAMMAR_DRAFT,
                         &parts, &offset);
    if (expected != IRI_EXPECT_NOTHING) {
        expected = iri_check(text, IRI_AS_IRI_REFERENCE, IRI_GRAMMAR_RFC3987,
                             &parts, &offset);
    }

    if (expected != IRI_EXPECT_NOTHING) {
        return iri_converted_reject(out, iri_expect_text(expected), offset);
    }

    /* The text, and an inserted "/." or "/". */
    status = iri_buf_reserve(env, &normal, text.len + 4);
    if (status != IRI_OK) {
        return status;
    }

    port = steps & IRI_NORMALIZE_SCHEME ? iri_default_port(parts.scheme)
                                        : NULL;

    if (iri_is_present(parts.scheme)) {
        iri_normal_put(env, &normal, parts.scheme, 1);
        iri_buf_putc(env, &normal, ':');
    }

    if (iri_is_present(parts.authority)) {
        iri_normal_put_authority(env, &normal, &parts, port);
    }

    iri_normal_put_path(env, &normal, &parts, port);
    iri_normal_put_part(env, &normal, '?', parts.query);
    iri_normal_put_part(env, &normal, '#', parts.fragment);
    iri_converted_set(out, iri_buf_str(&normal));

    return IRI_OK;
}
