/*
 * fuzz_host.c - target: a host as one name, or none
 *
 * Fields: words, a host. Words: mapping and strict (4), which allocation fails
 * (256). Checked for each function for hosts: the result is plain and within
 * the limits, maps to itself, and so do its U-labels; ASCII without "%" is not
 * changed; escapes change nothing; ASCII names by a plain second
 * implementation; each character of U-labels by its properties; strict never
 * accepts more; a refused host is unchanged; after a failed allocation the
 * result is the same or none.
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "fuzz.h"

static iri_idna_t     *idna;
static iri_host_conf_t conf, loose; /* loose: conf without strict */

typedef iri_status_t (*asked_t)(const iri_env_t       *env,
                                const iri_host_conf_t *conf, iri_str_t host,
                                iri_host_t *out);


void
fuzz_prepare(void)
{
    idna = iri_idna_create();
    fuzz_assert(idna != NULL);
}


/* ---- calls of the core --------------------------------------------------- */

static iri_status_t
try(asked_t asked, const iri_host_conf_t *by, iri_str_t host, iri_host_t *out)
{
    size_t       used = fuzz.used;
    iri_status_t status;

    memset(out, FUZZ_JUNK, sizeof(*out));
    status = asked(&fuzz.env, by, host, out);
    fuzz_assert(status == IRI_OK
                || (status == IRI_NO_MEMORY && fuzz.fail_at != 0));
    fuzz_assert(status == IRI_OK || fuzz_is_junk(out, sizeof(*out)));
    fuzz_assert(fuzz.used - used <= 1024 * 1024);

    return status;
}


static iri_host_t
ask(asked_t asked, const iri_host_conf_t *by, iri_str_t host)
{
    iri_host_t out;

    fuzz_assert(try(asked, by, host, &out) == IRI_OK);
    fuzz_assert(out.why < IRI_HOST_WHYS);

    switch (out.verdict) {
    case IRI_SERVE:
        fuzz_assert(out.why == IRI_HOST_MAPPED);
        break;

    case IRI_PASS:
        fuzz_assert(out.why == IRI_HOST_ASCII || out.why == IRI_HOST_LITERAL);
        fuzz_assert(fuzz_equal(out.ascii, host));
        fuzz_assert(fuzz_equal(out.unicode, host));
        break;

    default:
        fuzz_assert(out.verdict == IRI_REFUSE);
        fuzz_assert(out.why > IRI_HOST_MAPPED);
        fuzz_assert(fuzz_equal(out.ascii, host));
        fuzz_assert(fuzz_equal(out.unicode, host));
    }

    return out;
}


static int
same(const iri_host_t *a, const iri_host_t *b)
{
    return a->verdict == b->verdict && a->why == b->why
           && fuzz_equal(a->ascii, b->ascii)
           && fuzz_equal(a->unicode, b->unicode);
}


/* ---- names, plainly ------------------------------------------------------ */

static int
is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}


/*
 * Letters, digits and "-" in labels of 1 to 63 octets, 253 in all, with or
 * without a dot at the end; "-" is neither first nor last, nor both third and
 * fourth if third is 1.
 */
static int
is_name(iri_str_t s, int lower, int third)
{
    size_t i, from = 0;

    if (s.len != 0 && s.data[s.len - 1] == '.') {
        s.len--;
    }

    if (s.len == 0 || s.len > 253) {
        return 0;
    }

    for (i = 0; i <= s.len; i++) {
        unsigned char c = i < s.len ? s.data[i] : '.';

        if (c == '.') {
            if (i == from || i - from > 63 || s.data[from] == '-'
                || s.data[i - 1] == '-'
                || (third && i - from > 3 && s.data[from + 2] == '-'
                    && s.data[from + 3] == '-'))
            {
                return 0;
            }

            from = i + 1;

        } else if (!is_digit(c) && c != '-' && !(c >= 'a' && c <= 'z')
                   && !(!lower && c >= 'A' && c <= 'Z'))
        {
            return 0;
        }
    }

    return 1;
}


/* Is the last label, before an optional dot, a number? */
static int
ends_in_number(iri_str_t s)
{
    char  *label = fuzz_memory(s.len + 1);
    size_t from;

    if (s.len != 0 && s.data[s.len - 1] == '.') {
        s.len--;
    }

    for (from = s.len; from != 0 && s.data[from - 1] != '.'; from--) {
        /* void */
    }

    memcpy(label, s.data + from, s.len - from);
    label[s.len - from] = '\0';

    if (label[0] == '0' && (label[1] == 'x' || label[1] == 'X')) {
        return strspn(label + 2, "0123456789abcdefABCDEF")
               == strlen(label + 2);
    }

    return is_digit((unsigned char) label[0])
           && strspn(label, "0123456789") == strlen(label);
}


static int
has_prefix(iri_str_t s)
{
    size_t i;

    for (i = 0; i + 4 <= s.len; i++) {
        if ((i == 0 || s.data[i - 1] == '.') && (s.data[i] | 0x20) == 'x'
            && (s.data[i + 1] | 0x20) == 'n' && s.data[i + 2] == '-'
            && s.data[i + 3] == '-')
        {
            return 1;
        }
    }

    return 0;
}


/* ---- U-labels, by the properties that ICU knows ------------------------- */

/* PVALID or CONTEXTO by an exception of RFC 5892, 2.6. */
static int
is_exception(uint32_t c)
{
    return c == 0xb7 || c == 0x375 || c == 0x5f3 || c == 0x5f4 || c == 0x6fd
           || c == 0x6fe || c == 0xf0b || c == 0x30fb;
}


/* The character is visible, assigned, and unchanged by folding. */
static void
judge_character(uint32_t c)
{
    UChar32  c32 = (UChar32) c;
    uint32_t category = U_GET_GC_MASK(c32);

    fuzz_assert(c < 0x80 || (category & (U_GC_C_MASK | U_GC_Z_MASK)) == 0
                || c == 0x200c || c == 0x200d);
    fuzz_assert(c != 0xfffd);
    fuzz_assert(u_foldCase(c32, U_FOLD_CASE_DEFAULT) == c32 || c == 0xdf
                || c == 0x3c2);

    if (conf.strict || conf.mapping == IRI_MAPPING_COMPATIBLE) {
        fuzz_assert(c < 0x80 || is_exception(c)
                    || (category & (U_GC_S_MASK | U_GC_P_MASK)) == 0);
    }
}


/*
 * A label does not start with a mark, contains nothing that maps to ASCII, and
 * has one direction.
 */
static void
judge_label(iri_str_t label)
{
    const unsigned char *p = label.data, *end = p + label.len;
    UErrorCode           error = U_ZERO_ERROR;
    UChar                parts[8];
    uint32_t             c;
    int32_t              n, i;
    int                  left = 0, right = 0, direction;

    for (/* void */; p < end; p += n) {
        n = (int32_t) fuzz_utf8(p, end, &c);
        fuzz_assert(n > 0);
        judge_character(c);
        fuzz_assert(p != label.data || c < 0x80
                    || (U_GET_GC_MASK((UChar32) c) & U_GC_M_MASK) == 0);

        direction = (int) u_charDirection((UChar32) c);
        left |= direction == U_LEFT_TO_RIGHT;
        right |= direction == U_RIGHT_TO_LEFT
                 || direction == U_RIGHT_TO_LEFT_ARABIC;

        i = c < 0x80 ? -1
                     : unorm2_getDecomposition(unorm2_getNFDInstance(&error),
                                               (UChar32) c, parts, 8, &error);
        fuzz_assert(U_SUCCESS(error));

        while (i-- > 0) {
            fuzz_assert(parts[i] >= 0x80 || u_isalnum(parts[i]));
        }
    }

    fuzz_assert(!left || !right);
}


static void
judge_unicode(iri_str_t unicode)
{
    iri_str_t label;
    size_t    from;

    fuzz_assert(fuzz_is_utf8(unicode));
    fuzz_assert(fuzz_is_nfc(unicode));

    for (from = 0; from < unicode.len; from += label.len + 1) {
        label = iri_str_from(unicode, from);
        label.len = iri_label_end(unicode, from) - from;
        judge_label(label);
    }
}


/* ---- judgement ----------------------------------------------------------- */

/* ASCII without A-labels is checked without Unicode. */
static void
judge_ascii(iri_str_t host, const iri_host_t *got)
{
    size_t i;
    int    fits;

    if (!fuzz_is_ascii(host) || has_prefix(host)) {
        return;
    }

    fits = is_name(host, 0, conf.mapping == IRI_MAPPING_UTS46);
    fuzz_assert((got->verdict == IRI_SERVE) == fits);

    for (i = 0; fits && i < host.len; i++) {
        unsigned char c = host.data[i];

        fuzz_assert(got->ascii.data[i]
                    == (c >= 'A' && c <= 'Z' ? (c | 0x20) : c));
    }

    fuzz_assert(!fits || got->ascii.len == host.len);
}


static void
judge_name(const iri_host_t *name)
{
    iri_host_t again;

    fuzz_assert(is_name(name->ascii, 1, 0));
    fuzz_assert(iri_is_uri_host(name->ascii));
    judge_unicode(name->unicode);

    again = ask(iri_host_read, &conf, name->ascii);
    fuzz_assert(again.verdict == IRI_PASS);

    again = ask(iri_host_map, &conf, name->ascii);
    fuzz_assert(again.verdict == IRI_SERVE);
    fuzz_assert(fuzz_equal(again.ascii, name->ascii));

    again = ask(iri_host_map, &conf, name->unicode);
    fuzz_assert(same(&again, name));
}


static void
judge_map(iri_str_t host)
{
    iri_host_t got = ask(iri_host_map, &conf, host), other;

    fuzz_assert(got.verdict != IRI_PASS);
    judge_ascii(host, &got);

    if (got.verdict == IRI_REFUSE) {
        return;
    }

    fuzz_assert(fuzz_is_utf8(host));
    judge_name(&got);

    other = ask(iri_host_map, &loose, host);
    fuzz_assert(same(&got, &other));

    other = ask(iri_host_to_unicode, &conf, host);
    fuzz_assert(other.verdict == IRI_SERVE
                && fuzz_equal(other.unicode, got.unicode));
}


static iri_str_t
escaped_all(iri_str_t s)
{
    char  *out = fuzz_memory(3 * s.len + 1);
    size_t i;

    for (i = 0; i < s.len; i++) {
        snprintf(out + 3 * i, 4, "%%%02x", s.data[i]);
    }

    return (iri_str_t){ 3 * s.len, (unsigned char *) out };
}


static int
has_bad_escape(iri_str_t s)
{
    static const char hex[] = "0123456789abcdefABCDEF";
    size_t            i;

    for (i = 0; i < s.len; i++) {
        if (s.data[i] == '%'
            && (s.len - i < 3 || s.data[i + 1] == '\0'
                || s.data[i + 2] == '\0' || strchr(hex, s.data[i + 1]) == NULL
                || strchr(hex, s.data[i + 2]) == NULL))
        {
            return 1;
        }

        i += s.data[i] == '%' ? 2 : 0;
    }

    return 0;
}


static void
judge_read(iri_str_t host)
{
    iri_host_t got = ask(iri_host_read, &conf, host), other;
    int        literal = host.len != 0 && host.data[0] == '[';
    iri_str_t  plain = fuzz_unescape(host);

    fuzz_assert((got.verdict == IRI_PASS)
                == (fuzz_is_ascii(host)
                    && (literal || iri_str_count(host, '%') == 0)));

    if (got.verdict == IRI_SERVE) {
        judge_name(&got);
        fuzz_assert(!ends_in_number(got.ascii));
        fuzz_assert(fuzz_is_utf8(plain));

        other = ask(iri_host_map, &conf, plain);
        fuzz_assert(same(&got, &other));

        other = ask(iri_host_read, &conf, escaped_all(plain));
        fuzz_assert(same(&got, &other));

    } else if (got.verdict == IRI_REFUSE && host.len <= 3 * IRI_MAX_HOST) {
        fuzz_assert((got.why == IRI_HOST_ESCAPE) == has_bad_escape(host));

        if (got.why == IRI_HOST_ESCAPE) {
            return;
        }

        other = ask(iri_host_map, &conf, plain);

        if (got.why == IRI_HOST_ADDRESS) {
            /*
             * An address that was not escaped is accepted; one after a label
             * that is not ASCII is refused, in any form.
             */
            fuzz_assert(other.verdict == IRI_SERVE
                            ? ends_in_number(other.ascii)
                            : other.verdict == IRI_REFUSE
                                  && other.why == IRI_HOST_ADDRESS);
            return;
        }

        fuzz_assert(other.verdict == IRI_REFUSE && other.why == got.why);
    }
}


/* A name of the configuration: wildcards are kept in their position. */
static void
judge_configured(iri_str_t name)
{
    iri_host_t got = ask(iri_host_name, &conf, name), again;

    fuzz_assert((got.verdict == IRI_PASS) == fuzz_is_ascii(name));

    if (got.verdict != IRI_SERVE) {
        return;
    }

    fuzz_assert(fuzz_is_ascii(got.ascii));
    fuzz_assert(iri_str_count(got.ascii, '*') == iri_str_count(name, '*'));
    fuzz_assert(iri_str_count(got.ascii, '?') == iri_str_count(name, '?'));
    fuzz_assert(fuzz_is_ascii(got.unicode)
                || ((again = ask(iri_host_name, &conf, got.unicode)).verdict
                        == IRI_SERVE
                    && fuzz_equal(again.ascii, got.ascii)));
}


/* The displayed host leads to the host, or is it. */
static void
judge_display(iri_str_t host)
{
    iri_str_t  shown = { 1, NULL };
    iri_host_t back, asked;

    fuzz_assert(iri_host_display(&fuzz.env, &conf, host, &shown) == IRI_OK);

    if (!fuzz_equal(shown, host)) {
        fuzz_assert(fuzz_is_ascii(host) && has_prefix(host));
        asked = ask(iri_host_map, &conf, host);
        back = ask(iri_host_map, &conf, shown);
        fuzz_assert(asked.verdict == IRI_SERVE && same(&asked, &back));
    }
}


/* The part after the last "@", up to the port. */
static void
judge_authority(iri_str_t authority)
{
    iri_str_t host = iri_authority_host(authority);
    size_t    from = authority.len, to;

    while (from != 0 && authority.data[from - 1] != '@') {
        from--;
    }

    for (to = from; to < authority.len; to++) {
        if (from < authority.len && authority.data[from] == '['
                ? to > from && authority.data[to - 1] == ']'
                : authority.data[to] == ':')
        {
            break;
        }
    }

    fuzz_assert(
        fuzz_equal(host, (iri_str_t){ to - from, authority.data + from }));
}


/* After a failed allocation: the same result, or none. */
static void
judge_memory(iri_str_t host, unsigned octet)
{
    static const asked_t asked[] = { iri_host_read, iri_host_map,
                                     iri_host_name, iri_host_to_unicode };
    iri_host_t           want, got;
    size_t               i, allocs;

    for (i = 0; i < COUNT(asked); i++) {
        fuzz.allocs = 0;
        want = ask(asked[i], &conf, host);
        allocs = fuzz.allocs;

        if (allocs == 0) {
            continue;
        }

        fuzz.allocs = 0;
        fuzz.fail_at = 1 + octet % allocs;
        fuzz.fail_on = octet >= 128;
        fuzz_assert(try(asked[i], &conf, host, &got) == IRI_NO_MEMORY
                    || same(&got, &want));
        fuzz.fail_at = 0;
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_input(data, size);
    iri_str_t    words, host;
    unsigned     how;

    fuzz_begin();
    fuzz_field(&input, &words);
    fuzz_field(&input, &host);
    host = fuzz_given(host);

    how = fuzz_choice(words, 0, 4);
    memset(&conf, 0, sizeof(conf));
    conf.idna = idna;
    conf.mapping = how & 2 ? IRI_MAPPING_COMPATIBLE : IRI_MAPPING_UTS46;
    loose = conf;
    conf.strict = how & 1;

    judge_map(host);
    judge_read(host);
    judge_configured(host);
    judge_display(host);
    judge_authority(host);
    judge_memory(host, fuzz_octet(words, 1));

    fuzz_end();

    return 0;
}
