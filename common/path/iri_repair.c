/*
 * iri_repair.c - repairs one segment of a damaged link
 *
 * Links are damaged in three ways: percent-encoded twice; UTF-8 decoded as
 * windows-1252 or ISO-8859-1 and encoded again (mojibake); "%uXXXX", which
 * escape() of JavaScript writes. Each is undone once, in one segment, and
 * never in combination. The caller must find the repaired name on disk.
 *
 * iri_repair_put() produces only characters above U+009F. An escaped ASCII or
 * control character stays escaped or makes the segment irreparable. So no "/",
 * "%", "." or NUL appears.
 *
 * Three more repairs are for links that were copied out of a text: they remove
 * invisible characters, or punctuation after the link, or replace "+" by a
 * space. The result must not be empty or begin with ".", so that no dot-segment
 * and no name of a hidden entry appears.
 */

#include <string.h>

#include "unicode/iri_unicode.h"
#include "path/iri_path.h"

typedef struct {
    const iri_env_t *env;
    iri_str_t        segment;
    iri_buf_t        out;
    int              changed;     /* 1: a character was repaired */
    int              irreparable; /* 1: the segment cannot be repaired */
} iri_repairer_t;


/* Append a repaired character. */
static iri_status_t
iri_repair_put(iri_repairer_t *repairer, uint32_t c)
{
    unsigned char utf8[4];

    if (c < 0xa0 || !iri_char_allowed(c, 1) || iri_char_is_bidi_control(c)) {
        repairer->irreparable = 1;
        return IRI_OK;
    }

    repairer->changed = 1;

    return iri_buf_put(repairer->env, &repairer->out, utf8,
                       iri_utf8_put(c, utf8));
}


/* Append octets of the segment unchanged. */
static iri_status_t
iri_repair_copy(iri_repairer_t *repairer, const unsigned char *p, size_t len)
{
    return iri_buf_put(repairer->env, &repairer->out, p, len);
}


/*
 * Append the characters of strict UTF-8. An ASCII character was in the segment
 * unescaped, so it is copied.
 */
static iri_status_t
iri_repair_put_utf8(iri_repairer_t *repairer, const unsigned char *p,
                    const unsigned char *end)
{
    iri_status_t status = IRI_OK;
    uint32_t     c;
    size_t       n;

    for (/* void */; status == IRI_OK && !repairer->irreparable && p < end;
         p += n)
    {
        n = iri_utf8_next(p, end, &c);

        if (n == 0) {
            repairer->irreparable = 1;
        } else if (c < 0x80) {
            status = iri_repair_copy(repairer, p, 1);
        } else {
            status = iri_repair_put(repairer, c);
        }
    }

    return status;
}


/* ---- percent-encoded twice ----------------------------------------------- */

/* Return the octet above 7F that is escaped at p; 0 if there is none. */
static unsigned char
iri_high_escape(const unsigned char *p, const unsigned char *end)
{
    unsigned char octet;

    return *p == '%' && iri_unescape(p, end, &octet) == 3 && octet >= 0x80
               ? octet
               : 0;
}


/* Each run of escapes above 7F must be UTF-8; else it is irreparable. */
static iri_status_t
iri_repair_double(iri_repairer_t *repairer)
{
    const unsigned char *p = repairer->segment.data;
    const unsigned char *end = p + repairer->segment.len;
    unsigned char        run[IRI_MAX_SEGMENT / 3], octet;
    iri_status_t         status = IRI_OK;
    size_t               len;

    while (status == IRI_OK && !repairer->irreparable && p < end) {
        for (len = 0; p < end; p += 3) {
            octet = iri_high_escape(p, end);
            if (octet == 0) {
                break;
            }

            run[len++] = octet;
        }

        if (len != 0) {
            status = iri_repair_put_utf8(repairer, run, run + len);
        } else {
            status = iri_repair_copy(repairer, p++, 1);
        }
    }

    return status;
}


/* ---- mojibake ------------------------------------------------------------ */

/* windows-1252 at 80 to 9F; 0: unassigned, so decoded as by ISO-8859-1. */
static const uint16_t iri_windows_1252[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178
};

#define IRI_IN_1252 1u /* only windows-1252 decodes to this character */
#define IRI_IN_LATIN1                                                        \
    2u /* only ISO-8859-1 decodes to this control character */


/*
 * Return the octet that was decoded as c; 0 if there is none. If only one of
 * the two charsets decodes to c, add this charset to *only.
 */
static unsigned char
iri_octet_decoded_as(uint32_t c, unsigned *only)
{
    unsigned char i;

    if (c >= 0x80 && c <= 0x9f && iri_windows_1252[c - 0x80] != 0) {
        *only |= IRI_IN_LATIN1;
        return (unsigned char) c;
    }

    if (c <= 0xff) {
        return (unsigned char) c;
    }

    for (i = 0; i < 32; i++) {
        if (iri_windows_1252[i] == c) {
            *only |= IRI_IN_1252;
            return (unsigned char) (0x80 + i);
        }
    }

    return 0;
}


static iri_status_t
iri_repair_mojibake(iri_repairer_t *repairer)
{
    const unsigned char *p = repairer->segment.data;
    const unsigned char *end = p + repairer->segment.len;
    unsigned char        octets[IRI_MAX_SEGMENT];
    unsigned             only = 0;
    uint32_t             c = 0;
    size_t               n, len = 0;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);
        octets[len] = n != 0 ? iri_octet_decoded_as(c, &only) : 0;

        if (octets[len++] == 0) {
            repairer->irreparable = 1;
            return IRI_OK;
        }
    }

    /* Text that was decoded in one charset has no such characters of both. */
    if (only == (IRI_IN_1252 | IRI_IN_LATIN1)) {
        repairer->irreparable = 1;
        return IRI_OK;
    }

    return iri_repair_put_utf8(repairer, octets, octets + len);
}


/* ---- %uXXXX -------------------------------------------------------------- */

#define IRI_NO_U_ESCAPE 0x10000u


/*
 * Return the UTF-16 code unit of "%uXXXX" at p; IRI_NO_U_ESCAPE if there is
 * none.
 */
static uint32_t
iri_u_escape(const unsigned char *p, const unsigned char *end)
{
    uint32_t unit = 0;
    size_t   i;
    int      digit;

    if (end - p < 6 || p[0] != '%' || p[1] != 'u') {
        return IRI_NO_U_ESCAPE;
    }

    for (i = 2; i < 6; i++) {
        digit = iri_hex(p[i]);
        if (digit < 0) {
            return IRI_NO_U_ESCAPE;
        }

        unit = unit << 4 | (uint32_t) digit;
    }

    return unit;
}


/*
 * Set *c to the character that one or two escapes at p encode, and return the
 * number of their octets. A lone surrogate makes the segment irreparable.
 */
static size_t
iri_u_escape_character(iri_repairer_t *repairer, const unsigned char *p,
                       const unsigned char *end, uint32_t *c)
{
    uint32_t low;

    *c = iri_u_escape(p, end);

    if (*c < 0xd800 || *c > 0xdfff) {
        return 6;
    }

    low = iri_u_escape(p + 6, end);

    if (*c >= 0xdc00 || low < 0xdc00 || low > 0xdfff) {
        repairer->irreparable = 1;
        return 6;
    }

    *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);

    return 12;
}


static int
iri_has_u_escape(iri_str_t segment)
{
    const unsigned char *end = segment.data + segment.len;
    const unsigned char *p;

    for (p = segment.data; p < end; p++) {
        if (iri_u_escape(p, end) != IRI_NO_U_ESCAPE) {
            return 1;
        }
    }

    return 0;
}


iri_status_t
iri_repair_units(const iri_env_t *env, iri_str_t path, iri_str_t *out)
{
    const unsigned char *p = path.data, *end = path.data + path.len;
    iri_buf_t            buf = IRI_BUF_EMPTY;
    iri_status_t         status = IRI_OK;

    if (!iri_has_u_escape(path)) {
        *out = path;
        return IRI_OK;
    }

    for (/* void */; status == IRI_OK && p < end; p++) {
        status = iri_u_escape(p, end) != IRI_NO_U_ESCAPE
                     ? iri_buf_put_text(env, &buf, "%25")
                     : iri_buf_putc(env, &buf, *p);
    }

    if (status == IRI_OK) {
        *out = iri_buf_str(&buf);
    }

    return status;
}


/* escape() encodes U+00E9 as "%E9", so these escapes are decoded too. */
static iri_status_t
iri_repair_u(iri_repairer_t *repairer)
{
    const unsigned char *p = repairer->segment.data;
    const unsigned char *end = p + repairer->segment.len;
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n;

    if (!iri_has_u_escape(repairer->segment)) {
        return IRI_OK;
    }

    for (/* void */; status == IRI_OK && !repairer->irreparable && p < end;
         p += n)
    {
        n = 3;
        c = iri_high_escape(p, end);

        if (iri_u_escape(p, end) != IRI_NO_U_ESCAPE) {
            n = iri_u_escape_character(repairer, p, end, &c);
            status = repairer->irreparable ? IRI_OK
                                           : iri_repair_put(repairer, c);

        } else if (c != 0) {
            status = iri_repair_put(repairer, c);

        } else {
            n = 1;
            status = iri_repair_copy(repairer, p, 1);
        }
    }

    return status;
}


/* ---- copied links -------------------------------------------------------- */

static int
iri_is_invisible(uint32_t c)
{
    return c == 0xad || c == 0x200b || c == 0x2060 || c == 0xfeff;
}


static iri_status_t
iri_repair_invisible(iri_repairer_t *repairer)
{
    const unsigned char *p = repairer->segment.data;
    const unsigned char *end = p + repairer->segment.len;
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n;

    for (/* void */; status == IRI_OK && p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0) {
            repairer->irreparable = 1;
            return IRI_OK;
        }

        if (iri_is_invisible(c)) {
            repairer->changed = 1;
        } else {
            status = iri_repair_copy(repairer, p, n);
        }
    }

    return status;
}


static iri_status_t
iri_repair_plus(iri_repairer_t *repairer)
{
    iri_str_t    segment = repairer->segment;
    iri_status_t status = iri_repair_copy(repairer, segment.data,
                                          segment.len);
    size_t       i;

    for (i = 0; status == IRI_OK && i < segment.len; i++) {
        if (repairer->out.data[i] == '+') {
            repairer->out.data[i] = ' ';
            repairer->changed = 1;
        }
    }

    return status;
}


/* Return the length in octets of the punctuation at the end; 0: none. */
static size_t
iri_trailing_mark(iri_str_t text)
{
    static const iri_str_t marks[] = { IRI_STR(","),
                                       IRI_STR("."),
                                       IRI_STR(")"),
                                       IRI_STR(">"),
                                       IRI_STR("\xe3\x80\x81"),
                                       IRI_STR("\xe3\x80\x82"),
                                       IRI_STR("\xe3\x80\x8d"),
                                       IRI_STR("\xef\xbc\x89") };
    size_t                 i, len;

    for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        len = marks[i].len;

        if (text.len > len
            && memcmp(text.data + text.len - len, marks[i].data, len) == 0)
        {
            return len;
        }
    }

    return 0;
}


static iri_status_t
iri_repair_trailing(iri_repairer_t *repairer)
{
    size_t len = iri_trailing_mark(repairer->segment);

    repairer->changed = len != 0;

    return iri_repair_copy(repairer, repairer->segment.data,
                           repairer->segment.len - len);
}


int
iri_repair_may_change(unsigned how, iri_str_t text)
{
    return text.len != 0
           && (((how & IRI_REPAIR_ESCAPES)
                && memchr(text.data, '%', text.len) != NULL)
               || ((how & IRI_REPAIR_PLUS)
                   && memchr(text.data, '+', text.len) != NULL)
               || ((how & IRI_REPAIR_TRAILING)
                   && iri_trailing_mark(text) != 0)
               || ((how & (IRI_REPAIR_MOJIBAKE | IRI_REPAIR_INVISIBLE))
                   && !iri_str_is_ascii(text)));
}


int
iri_ascii_may_be_repaired(unsigned match, iri_str_t path)
{
    unsigned repairs = 0;

    /* "%" leads to another name by a repair, or in the charset percent. */
    if ((match & (IRI_FOLD_ESCAPES | IRI_FOLD_PERCENT)) != 0) {
        repairs |= IRI_REPAIR_ESCAPES;
    }

    if ((match & IRI_FOLD_TRAILING) != 0) {
        repairs |= IRI_REPAIR_TRAILING;
    }

    if ((match & IRI_FOLD_PLUS) != 0) {
        repairs |= IRI_REPAIR_PLUS;
    }

    return iri_repair_may_change(repairs, path);
}


/* ---- a segment, a path --------------------------------------------------- */

/*
 * Check the repaired segment like any other and put it in NFC. *out is empty
 * if the segment does not pass.
 */
static iri_status_t
iri_repair_canonical(const iri_repairer_t *repairer, iri_buf_t *out)
{
    iri_source_t source = { iri_buf_str(&repairer->out), NULL, 0, 0 };
    iri_status_t status;
    iri_why_t    why;

    status = iri_segment_read(repairer->env, &iri_charset_utf8, &source, 0,
                              source.octets.len, out, NULL, &why);

    if (status == IRI_OK && why != IRI_WHY_READ) {
        out->len = 0;
    }

    return status;
}


static iri_status_t
iri_repair_apply(iri_repairer_t *repairer, unsigned how)
{
    switch (how) {
    case IRI_REPAIR_DOUBLE:
        return iri_repair_double(repairer);
    case IRI_REPAIR_MOJIBAKE:
        return iri_repair_mojibake(repairer);
    case IRI_REPAIR_U:
        return iri_repair_u(repairer);
    case IRI_REPAIR_INVISIBLE:
        return iri_repair_invisible(repairer);
    case IRI_REPAIR_TRAILING:
        return iri_repair_trailing(repairer);
    default:
        return iri_repair_plus(repairer);
    }
}


iri_status_t
iri_repair(const iri_env_t *env, unsigned how, iri_str_t segment,
           iri_str_t *out)
{
    iri_repairer_t repairer = { env, segment, IRI_BUF_EMPTY, 0, 0 };
    iri_buf_t      canonical = IRI_BUF_EMPTY;
    iri_status_t   status = IRI_OK;

    if (segment.len <= IRI_MAX_SEGMENT) {
        status = iri_repair_apply(&repairer, how);
    }

    if (status == IRI_OK && how >= IRI_REPAIR_INVISIBLE
        && (repairer.out.len == 0 || repairer.out.data[0] == '.'))
    {
        repairer.irreparable = 1;
    }

    if (status == IRI_OK && repairer.changed && !repairer.irreparable) {
        status = iri_repair_canonical(&repairer, &canonical);
    }

    if (status == IRI_OK) {
        *out = iri_buf_str(&canonical);
    }

    return status;
}


iri_form_t
iri_repair_form(unsigned how)
{
    return how == IRI_REPAIR_DOUBLE      ? IRI_FORM_DOUBLE
           : how == IRI_REPAIR_MOJIBAKE  ? IRI_FORM_MOJIBAKE
           : how == IRI_REPAIR_U         ? IRI_FORM_U
           : how == IRI_REPAIR_INVISIBLE ? IRI_FORM_INVISIBLE
           : how == IRI_REPAIR_TRAILING  ? IRI_FORM_TRAILING
                                         : IRI_FORM_PLUS;
}


iri_status_t
iri_repair_is_possible(const iri_env_t *env, unsigned how, iri_str_t path,
                       int *possible)
{
    iri_str_t    segment, out;
    iri_status_t status = IRI_OK;
    size_t       from, to;

    *possible = 0;

    /* This test rejects nearly all paths. */
    if (!iri_repair_may_change(how, path)) {
        return IRI_OK;
    }

    for (from = 0; status == IRI_OK && !*possible && from < path.len;
         from = to + 1)
    {
        to = iri_segment_end(path, from);
        segment.data = path.data + from;
        segment.len = to - from;

        status = iri_repair(env, how, segment, &out);
        *possible = status == IRI_OK && out.len != 0;
    }

    return status;
}
