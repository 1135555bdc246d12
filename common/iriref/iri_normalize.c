/*
 * iri_normalize.c - an IRI normalized by its syntax, a text by Unicode
 *
 * RFC 3986, 6.2.2 and 6.2.3, and RFC 3987, 5.3.2, which leave what a part
 * means alone.  The forms of UAX #15 are for texts that are to become names:
 * draft 2.3 wants IRIs left as they are.
 */

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "iriref/iri_iriref.h"

#define IRI_FORM_MARKS 1024 /* in a row: ICU sorts them by insertion */


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


/* Where the text is no text, or has too many marks; text.len: nowhere. */
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
        if (marks > IRI_FORM_MARKS) {
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
    UChar              *units, *grown;
    int32_t             count, needed;
    size_t              span;

    if (text.len > IRI_MAX_TEXT) {
        return iri_give_none(out, "is too long", IRI_MAX_TEXT);
    }

    text = iri_solid(text);

    span = iri_form_span(text, &why);
    if (why != NULL) {
        return iri_give_none(out, why, span);
    }

    units = env->alloc(env->ctx, (text.len + 1) * sizeof(UChar));
    if (units == NULL) {
        return IRI_NO_MEMORY;
    }

    u_strFromUTF8(units, (int32_t) text.len + 1, &count,
                  (const char *) text.data, (int32_t) text.len, &error);

    /* Once to learn how long it becomes: of U+FDFA eighteen come. */
    needed = U_SUCCESS(error)
                 ? unorm2_normalize(normalizer, units, count, NULL, 0, &error)
                 : 0;
    if (error != U_BUFFER_OVERFLOW_ERROR && U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    grown = env->alloc(env->ctx, ((size_t) needed + 1) * sizeof(UChar));
    if (grown == NULL) {
        return IRI_NO_MEMORY;
    }

    error = U_ZERO_ERROR;
    unorm2_normalize(normalizer, units, count, grown, needed + 1, &error);

    return U_SUCCESS(error) ? iri_give_units(env, grown, needed, out)
                            : IRI_ICU_FAILED;
}


/* ---- syntax -------------------------------------------------------------- */

/* What grows; there is room for all of the text and two octets. */
typedef struct {
    unsigned char *data;
    size_t         len;
} iri_normal_t;


/* 6.2.2.1 and 6.2.2.2; lower: letters of ASCII, but in escapes. */
static void
iri_normal_put(iri_normal_t *normal, iri_str_t part, int lower)
{
    static const char    hex[] = "0123456789ABCDEF";
    const unsigned char *p = part.data, *end = p + part.len;
    unsigned char       *to = normal->data + normal->len;
    unsigned char        c;
    int                  octet;

    while (p < end) {
        octet = *p == '%' ? iri_escape_at(p, end) : -1;
        c = octet >= 0 ? (unsigned char) octet : *p;

        if (octet < 0 || iri_octet_is(c, IRI_O_UNRESERVED)) {
            *to++ = lower ? iri_lower(c) : c;
        } else {
            *to++ = '%';
            *to++ = (unsigned char) hex[c >> 4];
            *to++ = (unsigned char) hex[c & 15];
        }

        p += octet >= 0 ? 3 : 1;
    }

    normal->len = (size_t) (to - normal->data);
}


static void
iri_normal_put_part(iri_normal_t *normal, char delimiter, iri_str_t part)
{
    if (iri_has(part)) {
        normal->data[normal->len++] = (unsigned char) delimiter;
        iri_normal_put(normal, part, 0);
    }
}


/* The schemes of 6.2.3 that are known here. */
static int
iri_is_default_port(iri_str_t scheme, iri_str_t port)
{
    return (iri_str_equal_nocase(scheme, "http")
            && (port.len == 0 || iri_str_equal_nocase(port, "80")))
           || (iri_str_equal_nocase(scheme, "https")
               && (port.len == 0 || iri_str_equal_nocase(port, "443")));
}


static int
iri_is_web(iri_str_t scheme)
{
    return iri_str_equal_nocase(scheme, "http")
           || iri_str_equal_nocase(scheme, "https");
}


static void
iri_normal_put_authority(iri_normal_t *normal, const iri_parts_t *parts,
                         unsigned steps)
{
    normal->data[normal->len++] = '/';
    normal->data[normal->len++] = '/';

    if (iri_has(parts->userinfo)) {
        iri_normal_put(normal, parts->userinfo, 0);
        normal->data[normal->len++] = '@';
    }

    iri_normal_put(normal, parts->host, 1);

    if (iri_has(parts->port)
        && !((steps & IRI_NORMALIZE_SCHEME)
             && iri_is_default_port(parts->scheme, parts->port)))
    {
        iri_normal_put_part(normal, ':', parts->port);
    }
}


/*
 * 6.2.2.3.  Of a relative reference dot-segments say where it leads, but what
 * an escape has hidden must not come to be a scheme.
 */
static void
iri_normal_put_path(iri_normal_t *normal, const iri_parts_t *parts,
                    unsigned steps)
{
    size_t         from = normal->len;
    unsigned char *path = normal->data + from;

    iri_normal_put(normal, parts->path, 0);

    if (iri_has(parts->scheme)) {
        normal->len = from + iri_remove_dots(path, normal->len - from, 0);

        if (!iri_has(parts->authority) && normal->len - from >= 2
            && path[0] == '/' && path[1] == '/')
        {
            memmove(path + 2, path, normal->len - from);
            path[1] = '.';
            normal->len += 2;
        }
    }

    if ((steps & IRI_NORMALIZE_SCHEME) && normal->len == from
        && iri_has(parts->authority) && iri_is_web(parts->scheme))
    {
        normal->data[normal->len++] = '/';
    }
}


iri_status_t
iri_normalize_syntax(const iri_env_t *env, unsigned steps, iri_str_t text,
                     iri_converted_t *out)
{
    iri_parts_t  parts;
    iri_normal_t normal;
    iri_expect_t expected;
    size_t       offset = 0;

    if (text.len > IRI_MAX_IRI) {
        return iri_give_none(out, "is too long", IRI_MAX_IRI);
    }

    expected = iri_check(text, IRI_AS_IRI_REFERENCE, IRI_GRAMMAR_DRAFT,
                         &parts, &offset);
    if (expected != IRI_EXPECT_NOTHING) {
        expected = iri_check(text, IRI_AS_IRI_REFERENCE, IRI_GRAMMAR_RFC3987,
                             &parts, &offset);
    }

    if (expected != IRI_EXPECT_NOTHING) {
        return iri_give_none(out, iri_expect_text(expected), offset);
    }

    normal.len = 0;
    normal.data = env->alloc(env->ctx, text.len + 4);
    if (normal.data == NULL) {
        return IRI_NO_MEMORY;
    }

    if (iri_has(parts.scheme)) {
        iri_normal_put(&normal, parts.scheme, 1);
        normal.data[normal.len++] = ':';
    }

    if (iri_has(parts.authority)) {
        iri_normal_put_authority(&normal, &parts, steps);
    }

    iri_normal_put_path(&normal, &parts, steps);
    iri_normal_put_part(&normal, '?', parts.query);
    iri_normal_put_part(&normal, '#', parts.fragment);

    out->value = iri_span(normal.data, normal.data + normal.len);
    out->why = NULL;
    out->offset = 0;

    return IRI_OK;
}
