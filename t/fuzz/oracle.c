/*
 * oracle.c - checks of the core's results: see fuzz.h
 *
 * They use the core as little as possible: UTF-8 and normalization forms are
 * ICU's, URI characters, readings and searches are implemented again, plainly. Characters of legacy charsets are the core's (test_charset.c).
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

#include "fuzz.h"


/* ---- texts --------------------------------------------------------------- */

int
fuzz_equal(iri_str_t a, iri_str_t b)
{
    return a.len == b.len
           && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}


int
fuzz_is_ascii(iri_str_t s)
{
    size_t i;

    for (i = 0; i < s.len && s.data[i] < 0x80; i++) { /* void */
    }

    return i == s.len;
}


int
fuzz_is_utf8(iri_str_t s)
{
    const unsigned char *p = s.data, *end = s.data + s.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = fuzz_utf8(p, end, &c);

        if (n == 0) {
            return 0;
        }
    }

    return 1;
}


int
fuzz_is_bidi(uint32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f
           || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}


int
fuzz_is_never(uint32_t c)
{
    return c == 0xfffd || (c & 0xfffe) == 0xfffe
           || (c >= 0xfdd0 && c <= 0xfdef);
}


int
fuzz_is_ucschar(uint32_t c)
{
    if (fuzz_is_bidi(c) || (c & 0xfffe) == 0xfffe) {
        return 0;
    }

    return (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfdcf)
           || (c >= 0xfdf0 && c <= 0xffef) || (c >= 0x10000 && c <= 0xdffff)
           || (c >= 0xe1000 && c <= 0xeffff);
}


size_t
fuzz_utf8(const unsigned char *p, const unsigned char *end, uint32_t *c)
{
    UChar32 one = U_SENTINEL;
    int32_t n = 0;

    if (p != end) {
        U8_NEXT(p, n, (int32_t) (end - p), one);
    }

    if (one < 0) {
        return 0;
    }

    *c = (uint32_t) one;

    return (size_t) n;
}


static int
fuzz_stays(uint32_t c)
{
    return c == 0x037e || c == 0x1fef || c == 0x212a;
}


/* Is a text without these characters in NFC, by ICU? */
static int
fuzz_is_nfc_part(const unsigned char *data, size_t len)
{
    UErrorCode          error = U_ZERO_ERROR;
    const UNormalizer2 *nfc = unorm2_getNFCInstance(&error);
    UChar              *units = fuzz_memory((len + 1) * sizeof(UChar));
    int32_t             n = 0;
    int                 is;

    u_strFromUTF8(units, (int32_t) len + 1, &n, (const char *) data,
                  (int32_t) len, &error);
    is = unorm2_isNormalized(nfc, units, n, &error);
    fuzz_assert(U_SUCCESS(error));

    return is;
}


int
fuzz_is_nfc(iri_str_t s)
{
    const unsigned char *p = s.data, *end = s.data + s.len, *from = s.data;
    uint32_t             c;
    size_t               n;
    int                  high = 0;

    for (/* void */; p < end; p += n) {
        n = fuzz_utf8(p, end, &c);
        fuzz_assert(n != 0);
        high |= c >= 0x300;

        if (fuzz_stays(c)) {
            if (!fuzz_is_nfc_part(from, (size_t) (p - from))) {
                return 0;
            }

            from = p + n;
        }
    }

    /* Text below U+0300 is in NFC. */
    return !high || fuzz_is_nfc_part(from, (size_t) (end - from));
}


size_t
fuzz_marks(iri_str_t s)
{
    const unsigned char *p = s.data, *end = s.data + s.len;
    uint32_t             c;
    size_t               n, run = 0, most = 0;

    for (/* void */; p < end; p += n) {
        n = fuzz_utf8(p, end, &c);
        fuzz_assert(n != 0);

        run = c >= 0x300 && u_getCombiningClass((UChar32) c) != 0 ? run + 1
                                                                  : 0;
        most = run > most ? run : most;
    }

    return most;
}


/*
 * The ASCII characters of the text are a subsequence of those of the octets,
 * including all "/": none was created.
 */
static void
fuzz_judge_ascii(iri_str_t text, iri_str_t octets)
{
    size_t i, k = 0;

    for (i = 0; i < text.len; i++) {
        if (text.data[i] >= 0x80) {
            continue;
        }

        while (k < octets.len && octets.data[k] != text.data[i]) {
            k++;
        }

        if (k++ >= octets.len) {
            fuzz_die("an ASCII character was born: %02X at %u", text.data[i],
                     (unsigned) i);
        }
    }

    fuzz_assert(iri_str_count(text, '/') == iri_str_count(octets, '/'));
}


/* A segment is "", "." or ".." only if its octets are. */
static void
fuzz_judge_dots(iri_str_t text, iri_str_t octets)
{
    iri_str_t a, b;
    size_t    from = 0, received = 0;

    for (;;) {
        a.data = text.data + from;
        a.len = iri_segment_end(text, from) - from;
        b.data = octets.data + received;
        b.len = iri_segment_end(octets, received) - received;

        if (a.len <= 2
            && (a.len == 0 || (a.data[0] == '.' && a.data[a.len - 1] == '.')))
        {
            fuzz_assert(fuzz_equal(a, b));
        }

        from += a.len + 1;
        received += b.len + 1;

        if (from > text.len) {
            return;
        }
    }
}


void
fuzz_judge_text(iri_str_t text, iri_str_t octets, int legacy)
{
    const unsigned char *p = text.data, *end = text.data + text.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = fuzz_utf8(p, end, &c);

        if (n == 0) {
            fuzz_die("no UTF-8 at octet %u", (unsigned) (p - text.data));
        }

        if (c < 0x20 || (c >= 0x7f && c <= 0x9f)) {
            fuzz_die("a control: U+%04X", (unsigned) c);
        }

        if (legacy && fuzz_is_never(c)) {
            fuzz_die("out of a legacy charset: U+%04X", (unsigned) c);
        }
    }

    /* A segment with too many marks is not normalized. */
    if (fuzz_marks(text) <= FUZZ_MARKS && !fuzz_is_nfc(text)) {
        fuzz_die("not in NFC");
    }

    fuzz_judge_ascii(text, octets);
    fuzz_judge_dots(text, octets);
}


/* ---- URIs ---------------------------------------------------------------- */

int
fuzz_is_in(unsigned char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}


size_t
fuzz_span(iri_str_t s, const char *stop)
{
    size_t i;

    for (i = 0; i < s.len && !fuzz_is_in(s.data[i], stop); i++) { /* void */
    }

    return i;
}


iri_str_t
fuzz_cut(iri_str_t *s, size_t len, size_t more)
{
    iri_str_t head = { len, s->data };

    s->data += len + more;
    s->len -= len + more;

    return head;
}


static int
fuzz_is_scheme(iri_str_t s)
{
    size_t i;

    for (i = 0;
         i < s.len && fuzz_is_in(s.data[i], FUZZ_ALPHA FUZZ_DIGIT "+-."); i++)
    { /* void */
    }

    return s.len != 0 && i == s.len && fuzz_is_in(s.data[0], FUZZ_ALPHA);
}


iri_parts_t
fuzz_split(iri_str_t s, int rooted)
{
    iri_parts_t parts;
    size_t      i = fuzz_span(s, ":/?#");

    memset(&parts, 0, sizeof(parts));

    if (i < s.len && s.data[i] == ':'
        && fuzz_is_scheme((iri_str_t){ i, s.data })) {
        parts.scheme = fuzz_cut(&s, i, 1);
        rooted = 0;
    }

    if (!rooted && s.len >= 2 && s.data[0] == '/' && s.data[1] == '/') {
        fuzz_cut(&s, 0, 2);
        parts.authority = fuzz_cut(&s, fuzz_span(s, "/?#"), 0);
    }

    parts.path = fuzz_cut(&s, fuzz_span(s, "?#"), 0);

    if (s.len != 0 && s.data[0] == '?') {
        fuzz_cut(&s, 0, 1);
        parts.query = fuzz_cut(&s, fuzz_span(s, "#"), 0);
    }

    if (s.len != 0) {
        fuzz_cut(&s, 0, 1);
        parts.fragment = s;
    }

    return parts;
}


/* RFC 3986: pchar = unreserved / pct-encoded / sub-delims / ":" / "@" */
static int
fuzz_is_plain(unsigned char c)
{
    return fuzz_is_in(c, FUZZ_ALPHA FUZZ_DIGIT "-._~!$&'()*+,;=:@/");
}


void
fuzz_judge_uri(iri_str_t uri, iri_str_t octets, int minimal)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t            i, k = 0;
    unsigned char     c;

    for (i = 0; i < uri.len; i++, k++) {
        fuzz_assert(k < octets.len);
        c = octets.data[k];

        if (uri.data[i] == '%') {
            fuzz_assert(uri.len - i > 2 && uri.data[i + 1] == hex[c >> 4]
                        && uri.data[i + 2] == hex[c & 15]);
            fuzz_assert(!minimal || !fuzz_is_plain(c));
            i += 2;

        } else {
            fuzz_assert(fuzz_is_plain(uri.data[i]) && uri.data[i] == c);
        }
    }

    fuzz_assert(k == octets.len);
}


/* ---- decoding, slowly ---------------------------------------------------- */

int
fuzz_characters(const iri_charset_t *charset, iri_str_t octets, int same,
                uint32_t *c, size_t *count)
{
    const unsigned char *p = octets.data, *end = p + octets.len;
    unsigned char        back[4];
    size_t               n;
    int                  utf8 = iri_charset_is_utf8(charset);

    *count = 0;

    for (/* void */; p < end; p += n) {
        fuzz_assert(*count < FUZZ_TEXT);

        n = utf8 ? fuzz_utf8(p, end, &c[*count])
                 : iri_charset_next(charset, p, end, &c[*count]);

        if (n == 0
            || (same && !utf8
                && (iri_charset_put(charset, c[*count], back) != n
                    || memcmp(back, p, n) != 0)))
        {
            return 0;
        }

        ++*count;
    }

    return 1;
}


static int
may_be(const iri_charset_t *charset, const uint32_t *c, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (c[i] < 0x20 || (c[i] >= 0x7f && c[i] <= 0x9f)) {
            return 0;
        }

        if (!iri_charset_is_utf8(charset) && fuzz_is_never(c[i])) {
            return 0;
        }
    }

    return 1;
}


static iri_str_t
utf8_of(const uint32_t *c, size_t count)
{
    unsigned char *out = fuzz_memory(4 * count + 1);
    iri_str_t      s = { 0, out };
    size_t         i;

    for (i = 0; i < count; i++) {
        s.len += iri_utf8_put(c[i], out + s.len);
    }

    return s;
}


/* Append characters in ICU's normalization form. */
static void
normalize_part(const uint32_t *c, size_t count, int nfd, uint32_t *out,
               size_t *len)
{
    UErrorCode          error = U_ZERO_ERROR;
    const UNormalizer2 *how = nfd ? unorm2_getNFDInstance(&error)
                                  : unorm2_getNFCInstance(&error);
    UChar              *from, *to;
    int32_t             n = 0, i = 0, size = (int32_t) (10 * count + 1);
    size_t              k;

    from = fuzz_memory((2 * count + 1) * sizeof(UChar));
    to = fuzz_memory((size_t) size * sizeof(UChar));

    for (k = 0; k < count; k++) {
        U16_APPEND_UNSAFE(from, n, (UChar32) c[k]);
    }

    n = unorm2_normalize(how, from, n, to, size, &error);
    fuzz_assert(U_SUCCESS(error));

    while (i < n) {
        UChar32 one;

        U16_NEXT(to, i, n, one);
        fuzz_assert(*len < FUZZ_TEXT);
        out[(*len)++] = (uint32_t) one;
    }
}


/* All but the three characters whose NFC is ASCII. */
iri_str_t
fuzz_normalize(const uint32_t *c, size_t count, int nfd)
{
    static uint32_t out[FUZZ_TEXT];
    size_t          from = 0, i, len = 0;

    for (i = 0; i <= count; i++) {
        if (i < count && !fuzz_stays(c[i])) {
            continue;
        }

        normalize_part(c + from, i - from, nfd, out, &len);

        if (i < count) {
            fuzz_assert(len < FUZZ_TEXT);
            out[len++] = c[i];
        }

        from = i + 1;
    }

    return utf8_of(out, len);
}


int
fuzz_decode(const iri_charset_t *charset, iri_str_t octets, int same,
            iri_str_t *name)
{
    static uint32_t c[FUZZ_TEXT];
    size_t          count;

    if (!fuzz_characters(charset, octets, same, c, &count)
        || !may_be(charset, c, count))
    {
        return 0;
    }

    *name = utf8_of(c, count);

    if (fuzz_marks(*name) <= FUZZ_MARKS) {
        *name = fuzz_normalize(c, count, 0);
    }

    return 1;
}


/*
 * A path in one charset, or NULL: each segment in the first that decodes it.
 */
static int
fuzz_decode_path(const iri_charset_t *charset, const iri_charsets_t *list,
                 iri_str_t octets, iri_str_t *path)
{
    unsigned char *out = fuzz_memory(16 * FUZZ_PATH);
    iri_str_t      segment, name = { 0, NULL };
    size_t         from, to, i;
    int            read;

    path->data = out;
    path->len = 0;

    for (from = 0;; from = to + 1) {
        to = iri_segment_end(octets, from);
        segment.data = octets.data + from;
        segment.len = to - from;
        read = fuzz_decode(charset != NULL ? charset : &iri_charset_utf8,
                           segment, 0, &name);

        for (i = 0; charset == NULL && !read && i < list->count; i++) {
            read = fuzz_decode(list->at[i], segment, 0, &name);
        }

        if (!read) {
            return 0;
        }

        fuzz_assert(path->len + name.len < 16 * FUZZ_PATH);
        memcpy(out + path->len, name.data, name.len);
        path->len += name.len;

        if (to == octets.len) {
            return 1;
        }

        out[path->len++] = '/';
    }
}


/*
 * The path is that of the first reading: the whole in UTF-8, the whole in a
 * charset of the list, or a charset for each segment.
 */
static void
fuzz_judge_first(const iri_reading_conf_t *conf, const iri_reading_t *reading,
                 iri_str_t octets)
{
    static uint32_t      c[FUZZ_TEXT];
    const iri_charset_t *charset = &iri_charset_utf8;
    iri_str_t            path, name = fuzz_text("UTF-8");
    size_t               i, count;
    int                  read;

    if ((conf->repair & IRI_REPAIR_MOJIBAKE) != 0
        || reading->why == IRI_WHY_LIMIT || reading->why == IRI_WHY_BIDI
        || octets.len >= FUZZ_TEXT)
    {
        return;
    }

    read = fuzz_decode_path(charset, NULL, octets, &path);

    /* A path of forbidden UTF-8 is not read in another charset. */
    if (!read && !fuzz_characters(charset, octets, 0, c, &count)) {
        for (i = 0; i < conf->charsets.count && !read; i++) {
            read = fuzz_decode_path(conf->charsets.at[i], NULL, octets,
                                    &path);
            name = iri_charset_name(conf->charsets.at[i]);
        }

        if (!read && conf->charsets.count != 0) {
            read = fuzz_decode_path(NULL, &conf->charsets, octets, &path);
            name = iri_charset_mixed;
        }
    }

    fuzz_assert(read == (reading->form != IRI_FORM_INVALID));

    if (read) {
        fuzz_assert(fuzz_equal(reading->path, path));
        fuzz_assert(fuzz_equal(reading->charset, name));
    }
}


/* ---- readings ------------------------------------------------------------ */

int
fuzz_same_reading(const iri_reading_t *a, const iri_reading_t *b)
{
    return a->verdict == b->verdict && a->status == b->status
           && a->why == b->why && a->form == b->form && a->raw == b->raw
           && fuzz_equal(a->charset, b->charset)
           && fuzz_equal(a->path, b->path) && fuzz_equal(a->uri, b->uri)
           && fuzz_equal(a->octets, b->octets);
}


/* Count octets above 7F of a target that were raw and escaped. */
static void
fuzz_count_high(iri_str_t target, size_t *raw, size_t *escaped)
{
    iri_str_t one;
    size_t    i;

    *raw = *escaped = 0;

    for (i = 0; i < target.len && target.data[i] != '?'; i++) {
        if (target.data[i] >= 0x80) {
            ++*raw;

        } else if (target.data[i] == '%' && target.len - i > 2) {
            one.data = target.data + i;
            one.len = 3;
            one = fuzz_unescape(one);
            *escaped += one.len == 1 && one.data[0] >= 0x80;
        }
    }
}


/* Draft 4.1: is a bidi formatting character raw in the target? */
static int
fuzz_has_raw_bidi(iri_str_t target)
{
    const unsigned char *p = target.data, *end = p + target.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end && *p != '?'; p += n != 0 ? n : 1) {
        n = fuzz_utf8(p, end, &c);

        if (n != 0 && fuzz_is_bidi(c)) {
            return 1;
        }
    }

    return 0;
}


static void
fuzz_judge_form(const iri_received_path_t *request,
                const iri_reading_t       *reading)
{
    iri_str_t target = request->target;
    size_t    raw, escaped;
    int       utf8;

    if (target.len == 0) {
        target = request->escaped ? request->path : fuzz_text("");
    }

    fuzz_count_high(target, &raw, &escaped);
    utf8 = fuzz_equal(reading->charset, fuzz_text("UTF-8"));

    fuzz_assert(reading->raw == (raw != 0));

    switch (reading->form) {
    case IRI_FORM_NATIVE:
        fuzz_assert(utf8 && raw != 0 && escaped == 0);
        break;

    case IRI_FORM_ESCAPED:
        fuzz_assert(utf8 && raw == 0);
        break;

    case IRI_FORM_MIXED:
        fuzz_assert(utf8 && raw != 0 && escaped != 0);
        break;

    case IRI_FORM_MOJIBAKE:
        fuzz_assert(utf8 && (reading->conf->repair & IRI_REPAIR_MOJIBAKE) != 0
                    && !fuzz_equal(reading->path, reading->octets));
        break;

    default:
        fuzz_assert(reading->form == IRI_FORM_LEGACY && !utf8
                    && reading->charset.len != 0);
    }

    /*
     * In a legacy charset the octets would be another character; and of an
     * escaped path, the path itself is as received.
     */
    if (utf8 && fuzz_has_raw_bidi(request->escaped ? request->path : target)
        && fuzz_has_raw_bidi(reading->path))
    {
        fuzz_die("a bidi control came raw");
    }
}


static void
fuzz_judge_ascii_reading(const iri_received_path_t *request,
                         const iri_reading_t       *reading)
{
    fuzz_assert(reading->verdict == IRI_PASS);
    fuzz_assert(reading->why == IRI_WHY_ASCII && reading->charset.len == 0);
    fuzz_assert(fuzz_equal(reading->path, request->path));
    fuzz_assert(fuzz_equal(reading->octets, request->path));

    if (request->escaped) {
        fuzz_assert(fuzz_equal(reading->uri, request->path));
    } else {
        fuzz_assert(fuzz_is_ascii(reading->path));
        fuzz_judge_uri(reading->uri, reading->path, 1);
    }
}


static void
fuzz_judge_invalid(const iri_reading_conf_t  *conf,
                   const iri_received_path_t *request,
                   const iri_reading_t       *reading)
{
    if (reading->why == IRI_WHY_LIMIT) {
        fuzz_assert(reading->verdict == IRI_REFUSE && reading->status == 404);

    } else if (conf->invalid == IRI_INVALID_PASS) {
        fuzz_assert(reading->verdict == IRI_PASS && reading->status == 0);
        fuzz_assert(fuzz_equal(reading->path, reading->octets));

    } else {
        fuzz_assert(reading->verdict == IRI_REFUSE);
        fuzz_assert(reading->status
                    == (conf->invalid == IRI_INVALID_400 ? 400 : 404));
    }

    if (request->escaped) {
        fuzz_assert(fuzz_equal(reading->uri, request->path));
    } else {
        fuzz_judge_uri(reading->uri, request->path, 1);
    }
}


void
fuzz_judge_reading(const iri_reading_conf_t  *conf,
                   const iri_received_path_t *request,
                   const iri_reading_t       *reading)
{
    int legacy = reading->form == IRI_FORM_LEGACY
                 && !fuzz_equal(reading->charset, iri_charset_mixed);
    iri_str_t octets;
    int       same;

    fuzz_assert(reading->conf == conf);

    if (reading->form == IRI_FORM_ASCII) {
        fuzz_judge_ascii_reading(request, reading);
        return;
    }

    octets = request->escaped ? fuzz_unescape(request->path) : request->path;
    fuzz_judge_first(conf, reading, octets);

    if (reading->form == IRI_FORM_INVALID) {
        fuzz_judge_invalid(conf, request, reading);
        return;
    }

    fuzz_assert(fuzz_equal(reading->octets, octets));
    fuzz_assert(reading->path.len <= FUZZ_PATH);
    fuzz_judge_text(reading->path, reading->octets, legacy);
    fuzz_judge_uri(reading->uri, reading->path, !request->escaped);
    fuzz_judge_form(request, reading);

    same = fuzz_equal(reading->path, reading->octets)
           && (!request->escaped || fuzz_equal(reading->uri, request->path));
    fuzz_assert(reading->verdict == (same ? IRI_PASS : IRI_SERVE));
    fuzz_assert(reading->why == (same ? IRI_WHY_CANONICAL : IRI_WHY_READ));
}


iri_received_path_t
fuzz_redirected_request(iri_str_t path, iri_str_t uri, int escaped)
{
    iri_received_path_t request;

    memset(&request, 0, sizeof(request));
    request.path = escaped ? uri : path;
    request.escaped = escaped;
    request.target = uri;

    return request;
}


/* ---- results of a search ------------------------------------------------ */

/*
 * If the list of candidates may be incomplete it is empty, which a cache makes
 * less frequent.
 */
static int
fuzz_same_choices(const iri_found_t *a, const iri_found_t *b)
{
    size_t i;

    if (a->count == 0 || b->count == 0) {
        return 1;
    }

    for (i = 0; i < a->count && i < b->count; i++) {
        if (!fuzz_equal(a->choices[i], b->choices[i])) {
            return 0;
        }
    }

    return a->count == b->count;
}


int
fuzz_same_found(const iri_found_t *a, const iri_found_t *b)
{
    return a->verdict == b->verdict && a->why == b->why
           && a->match == b->match && fuzz_equal(a->path, b->path)
           && fuzz_equal(a->charset, b->charset)
           && fuzz_equal(a->filename, b->filename) && fuzz_same_choices(a, b);
}


/* One part of a filename: does it have the name in the path? */
static void
fuzz_judge_entry(const iri_search_t *search, iri_str_t octets,
                 iri_str_t segment)
{
    iri_str_t name;

    if (octets.len == 0) {
        fuzz_assert(segment.len == 0);
        return;
    }

    name = fuzz_entry_name(search->tree, octets);

    if (name.len == 0 ? !fuzz_equal(octets, segment)
                      : !fuzz_equal(name, segment)) {
        fuzz_die("another entry than was asked for is opened");
    }
}


/*
 * The octets of filename, part by part, have the names of path: also those of
 * absent entries, but not the part below a file.
 */
static void
fuzz_judge_entries(const iri_search_t *search, iri_str_t filename,
                   iri_str_t path, int found)
{
    iri_node_kind_t kind = IRI_NODE_DIR;
    iri_str_t       here, octets, segment;
    size_t          a = 0, b = 0;

    fuzz_assert(iri_str_count(filename, '/') == iri_str_count(path, '/'));

    for (;;) {
        octets.data = filename.data + a;
        octets.len = iri_segment_end(filename, a) - a;
        segment.data = path.data + b;
        segment.len = iri_segment_end(path, b) - b;
        here.data = filename.data;
        here.len = a + octets.len;

        fuzz_assert(!fuzz_equal(octets, fuzz_text(".."))
                    && !fuzz_equal(octets, fuzz_text(".")));

        if (kind == IRI_NODE_DIR && octets.len != 0) {
            kind = fuzz_tree_kind(here);

            /* A name that is not ASCII must exist, or follow a file. */
            fuzz_assert(kind != IRI_NODE_ABSENT || !found
                        || fuzz_is_ascii(iri_str_from(path, b)));
        }

        fuzz_judge_entry(search, octets, segment);

        if (kind == IRI_NODE_OTHER) {
            return;
        }

        a += octets.len + 1;
        b += segment.len + 1;

        if (a > filename.len) {
            return;
        }
    }
}


/*
 * A name that the tree cannot encode ends the filename of a restart: the path
 * before it.
 */
static iri_str_t
fuzz_written(iri_str_t path, iri_str_t filename)
{
    size_t slashes = iri_str_count(filename, '/');

    if (filename.len == 0 || filename.data[filename.len - 1] != '/') {
        return path;
    }

    while (iri_str_count(path, '/') > slashes
           || (path.len != 0 && path.data[path.len - 1] != '/'))
    {
        path.len--;
    }

    return path;
}


int
fuzz_is_written(const iri_search_t *search, const iri_found_t *found)
{
    iri_str_t path = iri_str_from(found->path, search->prefix);
    iri_str_t below = iri_str_from(found->filename, search->root.len);

    return fuzz_written(path, below).len == path.len;
}


static void
fuzz_judge_why(const iri_found_t *found)
{
    switch (found->why) {
    case IRI_WHY_ERROR:
    case IRI_WHY_BUDGET:
        fuzz_assert(found->verdict == IRI_PASS
                    || found->verdict == IRI_REFUSE);
        break;

    case IRI_WHY_UNWRITABLE:
        /*
         * Below a directory with another name or reading the redirect to
         * it comes first.
         */
        fuzz_assert(found->verdict == IRI_REFUSE
                    || found->verdict == IRI_RESTART);
        break;

    case IRI_WHY_FORBIDDEN:
    case IRI_WHY_OTHER_NAME:
    case IRI_WHY_UNREADABLE:
        fuzz_assert(found->verdict == IRI_REFUSE);
        break;

    case IRI_WHY_ALTERNATIVE:
    case IRI_WHY_MIXED:
    case IRI_WHY_FOLDED:
    case IRI_WHY_SPELLING:
    case IRI_WHY_REPAIRED:
        fuzz_assert(found->verdict == IRI_RESTART);
        break;

    case IRI_WHY_AMBIGUOUS:
        fuzz_assert(found->verdict == IRI_RESTART
                    || found->verdict == IRI_CHOOSE);
        break;

    case IRI_WHY_ASCII:
    case IRI_WHY_DECLARED:
    case IRI_WHY_ABSENT:
        fuzz_assert(found->verdict == IRI_PASS);
        break;

    default:
        fuzz_assert(found->verdict == IRI_SERVE
                    || found->verdict == IRI_RESTART
                    || found->why == IRI_WHY_UNNAMED);
    }
}


/* Each candidate exists, once, in the documented order. */
static void
fuzz_judge_choices(const iri_search_t *search, const iri_found_t *found)
{
    iri_search_t again = *search;
    iri_found_t  chosen;
    size_t       i;

    fuzz_assert(found->verdict == IRI_CHOOSE || found->count == 0);
    fuzz_assert(search->tree->ambiguous == IRI_AMBIGUOUS_300
                || found->count == 0);
    fuzz_assert(found->count <= IRI_MAX_CHOICES);

    for (i = 0; i < found->count; i++) {
        fuzz_assert(
            i == 0
            || iri_str_compare(found->choices[i - 1], found->choices[i]) < 0);
        fuzz_judge_dots(found->choices[i], search->path);

        again.path = found->choices[i];
        again.reading = NULL;
        fuzz_assert(iri_find(&fuzz.env, &again, &chosen) == IRI_OK);
        fuzz_assert(chosen.verdict == IRI_SERVE
                    || chosen.why == IRI_WHY_BUDGET
                    || chosen.why == IRI_WHY_ERROR);
        fuzz_assert(chosen.verdict != IRI_SERVE
                    || fuzz_equal(chosen.path, found->choices[i]));
    }
}


/* ---- entries that must not be missed ------------------------------------- */

/* The entries of a directory with that name; *one is the last of them. */
static size_t
fuzz_count_named(const iri_tree_conf_t *tree, size_t above, iri_str_t name,
                 size_t *one)
{
    iri_str_t octets;
    size_t    i, count = 0;

    for (i = 1; i < fuzz.nodes; i++) {
        octets = fuzz.node[i].name;

        if (fuzz.node[i].kind != IRI_NODE_ABSENT
            && fuzz.node[i].above == above
            && fuzz_equal(name, fuzz_is_ascii(name)
                                    ? octets
                                    : fuzz_entry_name(tree, octets)))
        {
            *one = i;
            count++;
        }
    }

    return count;
}


/* Has one entry, without faults, the name of each segment of a path? */
static int
fuzz_is_stored(const iri_search_t *search, iri_str_t path)
{
    iri_str_t segment;
    size_t    here = 0, from, to;

    path = iri_str_from(path, search->prefix);

    for (from = path.len != 0 && path.data[0] == '/'; from < path.len;
         from = to + 1)
    {
        to = iri_segment_end(path, from);
        segment.data = path.data + from;
        segment.len = to - from;

        if (fuzz.node[here].kind != IRI_NODE_DIR || fuzz.node[here].wrong != 0
            || fuzz_count_named(search->tree, here, segment, &here) != 1)
        {
            return 0;
        }
    }

    return fuzz.node[here].wrong == 0;
}


void
fuzz_judge_missed(const iri_search_t *search, const iri_found_t *found)
{
    const iri_reading_t  *reading = search->reading;
    const iri_charsets_t *list;
    iri_str_t             path;
    size_t                i;

    if (search->tree->names != IRI_FILENAME_ANY
        || (search->tree->match & IRI_FOLD_NORMALIZATION) == 0
        || found->why == IRI_WHY_BUDGET || found->why == IRI_WHY_ERROR
        || found->why == IRI_WHY_DECLARED
        || fuzz_is_ascii(iri_str_from(search->path, search->prefix))
        || (reading != NULL && reading->form == IRI_FORM_INVALID))
    {
        return;
    }

    if (fuzz_is_stored(search, search->path)) {
        fuzz_assert(found->verdict == IRI_SERVE);
        return;
    }

    if (found->why != IRI_WHY_ABSENT || reading == NULL || search->prefix != 0
        || search->write)
    {
        return;
    }

    list = &reading->conf->charsets;

    for (i = 0; i < list->count; i++) {
        if (fuzz_decode_path(list->at[i], NULL, reading->octets, &path)) {
            fuzz_assert(!fuzz_is_stored(search, path));
        }
    }
}


/*
 * Where nothing but the charset is ignored, each segment of the path of a
 * restart is a reading of the request's octets.
 */
static void
fuzz_judge_moved(const iri_search_t *search, iri_str_t path)
{
    const iri_reading_t  *reading = search->reading;
    const iri_charsets_t *list;
    iri_str_t             octets, segment, name = { 0, NULL };
    size_t                from, to, a = 0, b, i;
    int                   is;

    if (reading == NULL || search->tree->repair != 0
        || search->tree->match != IRI_FOLD_NORMALIZATION)
    {
        return;
    }

    list = &reading->conf->charsets;

    for (from = 0; from <= path.len; from = to + 1, a = b + 1) {
        to = iri_segment_end(path, from);
        b = iri_segment_end(reading->octets, a);
        segment = (iri_str_t){ to - from, path.data + from };
        octets = (iri_str_t){ b - a, reading->octets.data + a };
        is = fuzz_equal(octets, segment);

        for (i = 0; i <= list->count && !is; i++) {
            is = fuzz_decode(i == 0 ? &iri_charset_utf8 : list->at[i - 1],
                             octets, 0, &name)
                 && fuzz_equal(name, segment);
        }

        fuzz_assert(is);
    }
}


void
fuzz_judge_found(const iri_search_t *search, const iri_found_t *found)
{
    iri_str_t filename = found->filename, below, path;

    fuzz_assert(filename.data[filename.len] == '\0');
    fuzz_assert(
        filename.len >= search->root.len
        && (search->root.len == 0
            || memcmp(filename.data, search->root.data, search->root.len)
                   == 0));
    fuzz_assert((found->verdict == IRI_RESTART)
                == !fuzz_equal(found->path, search->path));
    fuzz_assert(
        found->path.len >= search->prefix
        && (search->prefix == 0
            || memcmp(found->path.data, search->path.data, search->prefix)
                   == 0));

    /* A repaired path is refused if no entry has its name. */
    if (found->verdict != IRI_REFUSE || search->reading == NULL
        || search->reading->form != IRI_FORM_MOJIBAKE)
    {
        fuzz_judge_why(found);
    }

    /* Another name has as many segments, and as many empty ones. */
    fuzz_assert(iri_str_count(found->path, '/')
                == iri_str_count(search->path, '/'));
    fuzz_judge_dots(found->path, search->path);

    if (found->verdict == IRI_CHOOSE) {
        fuzz_judge_choices(search, found);
        return;
    }

    fuzz_assert(found->count == 0);

    if (found->verdict == IRI_REFUSE) {
        return;
    }

    below = iri_str_from(filename, search->root.len);
    path = iri_str_from(found->path, search->prefix);

    if (found->verdict == IRI_RESTART) {
        fuzz_judge_moved(search, found->path);
        path = fuzz_written(path, below);
    }

    fuzz_assert(memchr(filename.data, '\0', filename.len) == NULL);
    fuzz_judge_entries(search, below, path, found->verdict == IRI_SERVE);
}
