/*
 * oracle.c - checks of the core's results: see fuzz.h
 *
 * They use the core as little as possible: UTF-8, URI characters and
 * normalization forms are implemented again, plainly. Only the name of an entry
 * is the core's (fuzz_name.c checks it).
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

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


/* RFC 3629, 4: first octets, and the range of the second. */
static const struct {
    unsigned char from, to, second_from, second_to, len;
} fuzz_utf8_rows[] = {
    { 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
    { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
    { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
    { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
    { 0xf4, 0xf4, 0x80, 0x8f, 4 }
};


size_t
fuzz_utf8(const unsigned char *p, const unsigned char *end, uint32_t *c)
{
    static const unsigned char lead[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    size_t                     row, i, len;

    if (p == end) {
        return 0;
    }

    for (row = 0; row < COUNT(fuzz_utf8_rows); row++) {
        if (p[0] >= fuzz_utf8_rows[row].from
            && p[0] <= fuzz_utf8_rows[row].to) {
            break;
        }
    }

    if (row == COUNT(fuzz_utf8_rows)) {
        return 0;
    }

    len = fuzz_utf8_rows[row].len;
    if ((size_t) (end - p) < len) {
        return 0;
    }

    *c = p[0] & lead[len];

    for (i = 1; i < len; i++) {
        if (p[i] < (i == 1 ? fuzz_utf8_rows[row].second_from : 0x80)
            || p[i] > (i == 1 ? fuzz_utf8_rows[row].second_to : 0xbf))
        {
            return 0;
        }

        *c = *c << 6 | (p[i] & 0x3f);
    }

    return len;
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

        if (legacy
            && (c == 0xfffd || (c & 0xfffe) == 0xfffe
                || (c >= 0xfdd0 && c <= 0xfdef)))
        {
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

/* RFC 3986: pchar = unreserved / pct-encoded / sub-delims / ":" / "@" */
static int
fuzz_is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9')
           || (c != '\0' && strchr("-._~!$&'()*+,;=:@/", c) != NULL);
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

        if (n != 0
            && (c == 0x061c || c == 0x200e || c == 0x200f
                || (c >= 0x202a && c <= 0x202e)
                || (c >= 0x2066 && c <= 0x2069)))
        {
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
    int same;

    fuzz_assert(reading->conf == conf);

    if (reading->form == IRI_FORM_ASCII) {
        fuzz_judge_ascii_reading(request, reading);
        return;
    }

    if (reading->form == IRI_FORM_INVALID) {
        fuzz_judge_invalid(conf, request, reading);
        return;
    }

    fuzz_assert(fuzz_equal(reading->octets, request->escaped
                                                ? fuzz_unescape(request->path)
                                                : request->path));
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
         * Below a directory that was found under another name the redirect to
         * it comes first.
         */
        fuzz_assert(found->verdict == IRI_REFUSE
                    || (found->verdict == IRI_RESTART
                        && found->match > IRI_MATCH_EXACT));
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
        path = fuzz_written(path, below);
    }

    fuzz_assert(memchr(filename.data, '\0', filename.len) == NULL);
    fuzz_judge_entries(search, below, path, found->verdict == IRI_SERVE);
}
