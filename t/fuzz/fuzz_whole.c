/*
 * fuzz_whole.c - target: whole IRIs, and all functions for them
 *
 * Fields: words, a charset, a text; the rest, including LF, is a second text.
 * Words: the grammar (2), the kind (8), which allocation fails (256). Checked:
 * the parts by RFC 3986, appendix B, and joined again; the grammar of RFC 3987
 * by a plain second implementation; a URI and an IRI have the same unescaped
 * octets as their source, and are fixed points; the target of a reference by
 * 5.2.4 step by step, and a reference back to it; normal forms are fixed
 * points; levels of equivalence are nested and symmetric; warnings point into
 * the text; octets of a charset round-trip; after a failed allocation the
 * result is the same or none.
 */

#include <unicode/uchar.h>

#include "fuzz.h"

static iri_host_conf_t    host_conf;
static iri_confusables_t *look;


void
fuzz_prepare(void)
{
    host_conf.idna = iri_idna_create();
    look = iri_confusables_create();
    fuzz_assert(host_conf.idna != NULL && look != NULL);
}


/* ---- parts --------------------------------------------------------------- */

#define UNRES FUZZ_ALPHA FUZZ_DIGIT "-._~"
#define SUBS  "!$&'()*+,;="

static int
same_part(iri_str_t a, iri_str_t b)
{
    return (a.data != NULL) == (b.data != NULL) && fuzz_equal(a, b);
}


/* ---- the grammar of RFC 3987 --------------------------------------------- */

static int
is_iprivate(uint32_t c)
{
    return u_charType((UChar32) c) == U_PRIVATE_USE_CHAR;
}


/* Does it consist of this set, escapes, and characters of IRIs? */
static int
is_made_of(iri_str_t s, const char *set, int ascii, int private)
{
    uint32_t c = 0;
    size_t   i, n;

    for (i = 0; i < s.len; i += n) {
        n = fuzz_utf8(s.data + i, s.data + s.len, &c);

        if (n == 1 && c == '%') {
            if (s.len - i < 3 || iri_hex(s.data[i + 1]) < 0
                || iri_hex(s.data[i + 2]) < 0) {
                return 0;
            }
            n = 3;
        } else if (n == 1 ? !fuzz_is_in(s.data[i], set)
                          : n == 0 || ascii
                                || !(fuzz_is_ucschar(c)
                                     || (private && is_iprivate(c))))
        {
            return 0;
        }
    }

    return 1;
}


static int
is_authority(iri_str_t s, int ascii)
{
    iri_str_t host = s;
    size_t    i;

    i = fuzz_span(s, "@");
    if (i < s.len) {
        if (!is_made_of(fuzz_cut(&host, i, 1), UNRES SUBS ":", ascii, 0)) {
            return 0;
        }
    }
    s = host;
    i = s.len != 0 && s.data[0] == '[' ? fuzz_span(s, "]") + 1
                                       : fuzz_span(s, ":");
    if (i > s.len) {
        return 0;
    }
    host = fuzz_cut(&s, i, 0);
    if (s.len != 0 && (s.data[0] != ':' || fuzz_span(s, FUZZ_DIGIT) != 1)
        && !(s.len == 1 && s.data[0] == ':'))
    {
        return 0;
    }
    for (i = 1; i < s.len; i++) {
        if (!fuzz_is_in(s.data[i], FUZZ_DIGIT)) {
            return 0;
        }
    }

    return host.len != 0 && host.data[0] == '['
               ? iri_is_ip_literal(host)
               : is_made_of(host, UNRES SUBS, ascii, 0);
}


static int
is_well_formed(const iri_parts_t *parts, iri_as_t as)
{
    int       ascii = as >= IRI_AS_URI_REFERENCE;
    int       kind = (int) as % 4;
    iri_str_t first = parts->path;

    if ((kind == 1 || kind == 2) ? parts->scheme.data == NULL
                                 : kind == 3 && parts->scheme.data != NULL)
    {
        return 0;
    }
    first.len = fuzz_span(first, "/");

    return !(kind == 2 && parts->fragment.data != NULL)
           && !(parts->scheme.data == NULL && parts->authority.data == NULL
                && fuzz_span(first, ":") != first.len)
           && (parts->authority.data == NULL
               || is_authority(parts->authority, ascii))
           && is_made_of(parts->path, UNRES SUBS ":@/", ascii, 0)
           && is_made_of(parts->query, UNRES SUBS ":@/?", ascii, 1)
           && is_made_of(parts->fragment, UNRES SUBS ":@/?", ascii, 0);
}


static void
judge_syntax(iri_str_t text, iri_as_t as, iri_grammar_t grammar)
{
    iri_parts_t  parts, checked, slow = fuzz_split(text, 0);
    iri_str_t    joined;
    size_t       offset = text.len + 1;
    iri_expect_t expected;

    iri_split(text, &parts);
    fuzz_assert(same_part(parts.scheme, slow.scheme));
    fuzz_assert(same_part(parts.authority, slow.authority));
    fuzz_assert(fuzz_equal(parts.path, slow.path));
    fuzz_assert(parts.path.data != NULL);
    fuzz_assert(same_part(parts.query, slow.query));
    fuzz_assert(same_part(parts.fragment, slow.fragment));
    fuzz_assert((parts.host.data != NULL) == (parts.authority.data != NULL));
    fuzz_assert(iri_join(&fuzz.env, &parts, &joined) == IRI_OK);
    fuzz_assert(fuzz_equal(joined, text));

    expected = iri_check(text, as, grammar, &checked, &offset);
    if (expected == IRI_EXPECT_NOTHING) {
        fuzz_assert(memcmp(&parts, &checked, sizeof(parts)) == 0);
    } else {
        fuzz_assert(expected < IRI_EXPECTS && offset <= text.len);
    }
    if (grammar == IRI_GRAMMAR_RFC3987) {
        fuzz_assert((expected == IRI_EXPECT_NOTHING)
                    == is_well_formed(&slow, as));
    }
}


/* ---- mapping ------------------------------------------------------------- */

static iri_converted_t
to_uri(iri_str_t text, int nfc)
{
    iri_to_uri_conf_t conf = { NULL, nfc, NULL };
    iri_converted_t   out = { text, NULL, 0 };

    fuzz_assert(iri_to_uri(&fuzz.env, &conf, text, &out) == IRI_OK);
    fuzz_assert(out.why == NULL || out.offset <= text.len);

    return out;
}


static iri_str_t
to_iri(iri_str_t text, iri_grammar_t grammar)
{
    iri_to_iri_conf_t conf = { grammar, NULL, NULL, 0 };
    iri_converted_t   out = { text, NULL, 0 };

    fuzz_assert(iri_to_iri(&fuzz.env, &conf, text, &out) == IRI_OK);
    fuzz_assert(out.why == NULL);

    return out.value;
}


static void
judge_mapping(iri_str_t text, iri_grammar_t grammar)
{
    iri_converted_t uri = to_uri(text, 0);
    iri_str_t       iri = to_iri(text, grammar);
    size_t          i, n;
    uint32_t        c = 0;

    if (uri.why == NULL) {
        for (i = 0; i < uri.value.len; i++) {
            fuzz_assert(
                uri.value.data[i] == '%'
                || fuzz_is_in(uri.value.data[i], UNRES SUBS ":/?#[]@"));
        }
        fuzz_assert(
            fuzz_equal(fuzz_unescape(uri.value), fuzz_unescape(text)));
        fuzz_assert(fuzz_equal(to_uri(uri.value, 0).value, uri.value));
        fuzz_assert(fuzz_equal(to_uri(uri.value, 1).value, uri.value));
    }
    fuzz_assert((uri.why == NULL) == (to_uri(text, 1).why == NULL));

    for (i = 0; i < iri.len; i += n) {
        n = fuzz_utf8(iri.data + i, iri.data + iri.len, &c);
        fuzz_assert(n == 1
                        ? fuzz_is_in(iri.data[i], UNRES SUBS ":/?#[]@%")
                        : n != 0 && (fuzz_is_ucschar(c) || is_iprivate(c)));
    }
    fuzz_assert(fuzz_equal(fuzz_unescape(iri), fuzz_unescape(text)));
    fuzz_assert(fuzz_equal(to_iri(iri, grammar), iri));
}


static void
judge_charset(const iri_charset_t *charset, iri_str_t text)
{
    iri_converted_t decoded = { text, NULL, 0 }, encoded, again;

    fuzz_assert(iri_decode(&fuzz.env, charset, text, &decoded) == IRI_OK);
    if (decoded.why != NULL) {
        fuzz_assert(decoded.offset < text.len);
        return;
    }
    fuzz_assert(iri_encode(&fuzz.env, charset, decoded.value, &encoded)
                == IRI_OK);

    /* Some sequences have duplicates, and some can only be decoded. */
    if (encoded.why == NULL) {
        fuzz_assert(iri_decode(&fuzz.env, charset, encoded.value, &again)
                    == IRI_OK);
        fuzz_assert(again.why == NULL
                    && fuzz_equal(again.value, decoded.value));
    }
}


/* ---- references ---------------------------------------------------------- */

static int
begins(iri_str_t s, const char *with)
{
    size_t len = strlen(with);

    return s.len >= len && memcmp(s.data, with, len) == 0;
}


/* RFC 3986, 5.2.4, step by step, for a path that starts with "/". */
static iri_str_t
slow_remove_dots(iri_str_t in)
{
    unsigned char         *data = fuzz_memory(in.len + 1);
    iri_str_t              out = { 0, data };
    static const iri_str_t slash = IRI_STR("/");
    size_t                 i;

    while (in.len != 0) {
        if (begins(in, "/./")) {
            fuzz_cut(&in, 0, 2);
        } else if (fuzz_equal(in, fuzz_text("/."))) {
            in = slash;
        } else if (begins(in, "/../") || fuzz_equal(in, fuzz_text("/.."))) {
            if (in.len == 3) {
                in = slash;
            } else {
                fuzz_cut(&in, 0, 3);
            }
            while (out.len != 0 && data[--out.len] != '/') { /* void */
            }
        } else {
            for (i = 1; i < in.len && in.data[i] != '/'; i++) { /* void */
            }
            memcpy(data + out.len, in.data, i);
            out.len += i;
            fuzz_cut(&in, i, 0);
        }
    }

    return out;
}


static void
judge_references(iri_str_t base, iri_str_t text)
{
    iri_parts_t of_base, of_text, of_target;
    iri_str_t   target, reference, back;

    fuzz_assert(iri_resolve(&fuzz.env, base, text, &target) == IRI_OK);
    iri_split(base, &of_base);
    iri_split(text, &of_text);
    iri_split(target, &of_target);

    /* The result has the expected parts. */
    fuzz_assert(same_part(of_target.scheme, of_text.scheme.data != NULL
                                                ? of_text.scheme
                                                : of_base.scheme));
    fuzz_assert(same_part(of_target.fragment, of_text.fragment));
    fuzz_assert(same_part(of_target.authority,
                          of_text.scheme.data != NULL
                                  || of_text.authority.data != NULL
                              ? of_text.authority
                              : of_base.authority));

    if (of_text.path.len != 0 && of_text.path.data[0] == '/'
        && of_target.authority.data != NULL)
    {
        fuzz_assert(
            fuzz_equal(of_target.path, slow_remove_dots(of_text.path)));
    }

    /* A normalized target is reached. */
    fuzz_assert(iri_resolve(&fuzz.env, base, target, &back) == IRI_OK);
    if (fuzz_equal(back, target)) {
        fuzz_assert(iri_relativize(&fuzz.env, base, target, &reference)
                    == IRI_OK);
        fuzz_assert(reference.len <= target.len);
        fuzz_assert(iri_resolve(&fuzz.env, base, reference, &back) == IRI_OK);
        fuzz_assert(fuzz_equal(back, target));
    }
}


/* ---- normalization, equivalence ------------------------------------------ */

static int
equal(iri_level_t level, iri_str_t a, iri_str_t b)
{
    int there = -1, back = -1;

    fuzz_assert(iri_equal(&fuzz.env, level, &host_conf, a, b, &there)
                == IRI_OK);
    fuzz_assert(iri_equal(&fuzz.env, level, &host_conf, b, a, &back)
                == IRI_OK);
    fuzz_assert(there == back && (there == 0 || there == 1));

    return there;
}


static void
judge_equal(iri_str_t a, iri_str_t b)
{
    int escapes = equal(IRI_LEVEL_ESCAPES, a, b);
    int syntax = equal(IRI_LEVEL_SYNTAX, a, b);
    int scheme = equal(IRI_LEVEL_SCHEME, a, b);

    fuzz_assert(equal(IRI_LEVEL_STRING, a, b) == fuzz_equal(a, b));
    fuzz_assert(escapes || !fuzz_equal(a, b));
    fuzz_assert(equal(IRI_LEVEL_NFC, a, b) || !escapes);
    fuzz_assert(scheme || !syntax);
}


static void
judge_normal(iri_str_t text)
{
    iri_converted_t out = { text, NULL, 0 }, again = { text, NULL, 0 };
    unsigned        steps;
    int             form;

    for (steps = 0; steps < 4; steps++) {
        fuzz_assert(iri_normalize_syntax(&fuzz.env, steps, text, &out)
                    == IRI_OK);
        if (out.why == NULL) {
            fuzz_assert(
                iri_normalize_syntax(&fuzz.env, steps, out.value, &again)
                == IRI_OK);
            fuzz_assert(again.why == NULL
                        && fuzz_equal(again.value, out.value));
        }
    }

    if (out.why == NULL) {
        fuzz_assert(equal(IRI_LEVEL_SCHEME, text, out.value));
    }

    for (form = IRI_FORM_NFC; form <= IRI_FORM_NFKD; form++) {
        iri_unicode_form_t which = (iri_unicode_form_t) form;

        fuzz_assert(iri_unicode_form(&fuzz.env, which, text, &out) == IRI_OK);
        if (out.why == NULL && out.value.len <= IRI_MAX_TEXT) {
            fuzz_assert(iri_unicode_form(&fuzz.env, which, out.value, &again)
                        == IRI_OK);
            fuzz_assert(again.why != NULL
                        || fuzz_equal(again.value, out.value));
        }
    }
}


/* ---- warnings ------------------------------------------------------------ */

static iri_status_t
judge_warning(void *arg, const iri_warning_t *warning)
{
    const iri_str_t     *text = arg;
    const unsigned char *end = text->data + text->len;

    fuzz_assert(warning->kind < IRI_WARNINGS);
    fuzz_assert(warning->component < IRI_COMPONENTS);
    fuzz_assert(warning->piece.data >= text->data
                && warning->piece.data + warning->piece.len <= end);
    fuzz_assert(text->data + warning->offset >= warning->piece.data
                && text->data + warning->offset
                       <= warning->piece.data + warning->piece.len);

    return IRI_OK;
}


static size_t
characters(iri_str_t s)
{
    size_t i, count = 0;

    for (i = 0; i < s.len; i++) {
        count += (s.data[i] & 0xc0) != 0x80;
    }

    return count;
}


static void
judge_warnings(iri_str_t text)
{
    iri_converted_t out = { text, NULL, 0 };
    int             order;

    fuzz_assert(iri_bidi_check(text, judge_warning, &text) == IRI_OK);
    fuzz_assert(
        iri_characters_check(&fuzz.env, look, text, judge_warning, &text)
        == IRI_OK);

    for (order = IRI_VISUAL_UAX9; order <= IRI_VISUAL_COMPONENTS; order++) {
        fuzz_assert(
            iri_visual_order(&fuzz.env, (iri_visual_t) order, text, &out)
            == IRI_OK);
        fuzz_assert(out.why != NULL
                    || characters(out.value) == characters(text));
    }
}


/* ---- without memory ------------------------------------------------------ */

static iri_status_t
ask(int which, iri_str_t a, iri_str_t b, iri_str_t *out)
{
    iri_to_uri_conf_t uri_conf = { NULL, 1, &host_conf };
    iri_to_iri_conf_t iri_conf = { IRI_GRAMMAR_RFC3987, &host_conf, NULL, 0 };
    iri_converted_t   converted = { a, NULL, 0 };
    iri_status_t      status;

    switch (which) {
    case 0:
        status = iri_to_uri(&fuzz.env, &uri_conf, a, &converted);
        break;
    case 1:
        status = iri_to_iri(&fuzz.env, &iri_conf, a, &converted);
        break;
    case 2:
        return iri_resolve(&fuzz.env, a, b, out);
    case 3:
        return iri_relativize(&fuzz.env, a, b, out);
    case 4:
        status = iri_normalize_syntax(&fuzz.env, 3, a, &converted);
        break;
    default:
        status = iri_unicode_form(&fuzz.env, IRI_FORM_NFKC, a, &converted);
    }

    *out = converted.value;

    return status;
}


static void
judge_memory(iri_str_t words, iri_str_t a, iri_str_t b)
{
    iri_str_t with, without;
    int       which;

    for (which = 0; which < 6; which++) {
        fuzz.fail_at = 0;
        fuzz_assert(ask(which, a, b, &with) == IRI_OK);
        fuzz.allocs = 0;
        fuzz.fail_at = 1 + fuzz_choice(words, 2, 256);

        if (ask(which, a, b, &without) == IRI_OK) {
            fuzz_assert(fuzz_equal(with, without));
        }
    }

    fuzz.fail_at = 0;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t   input = fuzz_input(data, size);
    iri_str_t      words, charset, a, b;
    iri_charsets_t charsets;
    iri_grammar_t  grammar;

    /* Each result is a few times as long as its text. */
    if (size > 4096) {
        return 0;
    }

    fuzz_begin();
    fuzz_field(&input, &words);
    fuzz_field(&input, &charset);
    fuzz_field(&input, &a);
    b.data = input.at;
    b.len = input.at != NULL ? (size_t) (input.end - input.at) : 0;
    a = fuzz_given(a);
    b = fuzz_given(b);
    grammar = (iri_grammar_t) fuzz_choice(words, 0, 2);

    judge_syntax(a, (iri_as_t) fuzz_choice(words, 1, IRI_KINDS), grammar);
    judge_syntax(b, IRI_AS_IRI_REFERENCE, grammar);
    judge_mapping(a, grammar);
    judge_references(a, b);
    judge_normal(a);
    judge_equal(a, b);
    judge_warnings(a);

    fuzz_charsets(charset, &charsets);
    if (charsets.count != 0) {
        judge_charset(charsets.at[0], a);
    }

    if (words.len > 2) {
        judge_memory(words, a, b);
    }

    fuzz_end();

    return 0;
}
