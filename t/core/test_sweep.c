/*
 * test_sweep.c - every character, before and after each mapping
 *
 * For every scalar value as a segment (alone, after a dot, between dots, after
 * a letter, before a mark): in any encoding it is read as ICU's NFC of it;
 * nothing forbidden appears; a canonical path stays canonical, also as URI, IRI
 * and redirect; an entry on disk in any form and charset has that name and is
 * found by it, and no other entry is.  Pairs and longer texts: test_norm.c.
 *
 * A sample of each part in `make test`, all of it in `make sweep`.
 */

#include <stdlib.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include "sweep.h"

#define N IRI_FOLD_NORMALIZATION

#define MAX_TEXT 64              /* characters */
#define LONG     (32 * MAX_TEXT) /* octets, after any mapping */

/* A text in a charset that has all its characters. */
typedef struct {
    size_t        row; /* of core_supported */
    iri_str_t     octets;
    int           utf8; /* also a name in UTF-8 */
    unsigned char space[4 * MAX_TEXT];
} legacy_t;

/* One segment, and its properties by ICU. */
typedef struct {
    uint32_t      c[MAX_TEXT];
    size_t        count;
    iri_str_t     octets; /* the characters in UTF-8 */
    iri_str_t     path;   /* "/" and octets */
    iri_str_t     nfd;
    iri_str_t     want; /* NFC */
    int           ascii;
    int           forbidden;  /* never accepted */
    int           not_legacy; /* not accepted in a legacy charset */
    int           bidi;       /* not accepted raw */
    unsigned char space[4][LONG];
    legacy_t      in[CORE_SUPPORTED];
    size_t        ins;
} text_t;

static iri_reading_conf_t utf8_only, one_charset[CORE_SUPPORTED];
static iri_tree_conf_t    utf8_tree, tree[CORE_SUPPORTED],
    tree_behind[CORE_SUPPORTED];
static const iri_charset_t *charset[CORE_SUPPORTED];


void
core_set_up(void)
{
    char   both[64];
    size_t i;

    utf8_tree = core_tree("", IRI_FILENAME_ANY, N);

    for (i = 0; i < CORE_SUPPORTED; i++) {
        charset[i] = core_charset(core_supported[i].name);
        one_charset[i].charsets = core_charsets(core_supported[i].name);
        tree[i] = core_tree(core_supported[i].name, IRI_FILENAME_ANY, N);

        snprintf(both, sizeof(both), "utf-8 %s", core_supported[i].name);
        tree_behind[i] = core_tree(both, IRI_FILENAME_ANY, N);
    }
}


/* ---- a text ------------------------------------------------------------- */

static int
is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}


static iri_str_t
in_form(const text_t *t, int nfd, unsigned char *out)
{
    uint32_t form[10 * MAX_TEXT];

    if (core_too_many_marks(t->c, t->count)) {
        return t->octets;
    }

    return core_utf8(form, core_normalize(t->c, t->count, nfd, form), out);
}


/* The octets in a charset; len 0: it lacks a character. */
static iri_str_t
text_in(const text_t *t, const iri_charset_t *in, unsigned char *out)
{
    iri_str_t octets = { 0, out };
    size_t    i, n = 1;

    for (i = 0; i < t->count && n != 0; i++) {
        n = iri_charset_put(in, t->c[i], out + octets.len);
        octets.len += n;
    }

    octets.len = n != 0 ? octets.len : 0;

    return octets;
}


/* Is it a name in UTF-8? A text with a C1 control is not. */
static int
is_utf8(iri_str_t octets)
{
    static uint32_t c[CORE_LONG];

    return core_decode(&iri_charset_utf8, octets, c) >= 0;
}


static void
text_set_legacy(text_t *t)
{
    legacy_t *in;
    size_t    row;

    t->ins = 0;

    for (row = 0; row < CORE_SUPPORTED; row++) {
        in = &t->in[t->ins];
        in->row = row;
        in->octets = text_in(t, charset[row], in->space);

        if (in->octets.len != 0) {
            in->utf8 = is_utf8(in->octets);
            t->ins++;
        }
    }
}


static void
text_set(text_t *t)
{
    uint32_t c;
    size_t   i;

    t->ascii = 1;
    t->forbidden = t->not_legacy = t->bidi = 0;

    for (i = 0; i < t->count; i++) {
        c = t->c[i];
        t->ascii &= c < 0x80;
        t->forbidden |= is_control(c);
        t->not_legacy |= c == 0xfffd || U_IS_UNICODE_NONCHAR(c);
        t->bidi |= core_is_bidi_control(c);
    }

    t->octets = core_utf8(t->c, t->count, t->space[0]);
    t->path = sweep_raw(t->octets, t->space[1]);
    t->nfd = in_form(t, 1, t->space[2]);
    t->want = in_form(t, 0, t->space[3]);
    text_set_legacy(t);
}


/* ---- mappings ----------------------------------------------------------- */

/* "/" and the canonical segment, or nothing if there is no reading. */
static iri_str_t
canonical(const text_t *t, int raw)
{
    static unsigned char path[LONG];
    iri_str_t            none = { 0, NULL };

    return t->forbidden || (raw && t->bidi) ? none : sweep_raw(t->want, path);
}


static void
map_read_raw(sweep_t *s, const text_t *t)
{
    iri_str_t want = canonical(t, 1);

    sweep_read_as(s, "raw", &utf8_only, t->path, SWEEP_RAW, want);
    sweep_read_as(s, "kept raw", &utf8_only, t->path, SWEEP_KEPT_RAW, want);
}


static void
map_read_escaped(sweep_t *s, const text_t *t)
{
    iri_str_t want = canonical(t, 0);

    sweep_read_as(s, "escaped", &utf8_only, t->path, SWEEP_ESCAPED, want);
    sweep_read_as(s, "kept escaped", &utf8_only, t->path, SWEEP_KEPT_ESCAPED,
                  want);
}


static void
map_read_nfd(sweep_t *s, const text_t *t)
{
    unsigned char path[LONG];

    if (!iri_str_equal(t->nfd, t->octets)) {
        sweep_read_as(s, "NFD", &utf8_only, sweep_raw(t->nfd, path),
                      SWEEP_ESCAPED, canonical(t, 0));
    }
}


static void
map_read_legacy(sweep_t *s, const text_t *t)
{
    unsigned char   path[LONG];
    iri_str_t       octets, none = { 0, NULL };
    const legacy_t *in;

    for (in = t->in; in < t->in + t->ins && !t->ascii; in++) {
        /* UTF-8, also with a control, is read in no other charset. */
        if (iri_charset_span(&iri_charset_utf8, in->octets) == in->octets.len)
        {
            continue;
        }

        octets = sweep_raw(in->octets, path);
        sweep_read_as(s, core_supported[in->row].name, &one_charset[in->row],
                      octets, SWEEP_RAW,
                      t->not_legacy ? none : canonical(t, 1));
        sweep_read_as(s, core_supported[in->row].name, &one_charset[in->row],
                      octets, SWEEP_KEPT_ESCAPED,
                      t->not_legacy ? none : canonical(t, 0));
    }
}


/* A URI of the same octets, for any characters. */
static void
map_to_uri(sweep_t *s, const text_t *t)
{
    unsigned char plain[LONG];
    iri_str_t     uri = { 0, NULL };
    size_t        i;
    int           clean = 1;

    sweep_check(s, iri_path_to_uri(&s->core.env, t->path, &uri) == IRI_OK,
                "to URI", t->path, uri);

    for (i = 0; i < uri.len; i++) {
        clean &= uri.data[i] == '%' || core_is_path_char(uri.data[i]);
    }

    sweep_check(s, clean, "URI", t->path, uri);
    sweep_check_str(s, core_unescape(uri, plain), t->path, "URI", t->path);
}


/* ucschar of RFC 3987, 2.2; the exceptions by Unicode properties */
static int
may_stand_in_iri(uint32_t c)
{
    return c < 0x80
               ? core_is_path_char((unsigned char) c)
               : c >= 0xa0 && !core_is_private(c) && !U_IS_UNICODE_NONCHAR(c)
                     && !core_is_bidi_control(c) && (c < 0xfff0 || c > 0xffff)
                     && (c < 0xe0000 || c > 0xe0fff);
}


/* An IRI of the same characters, escaped or not, with the same reading. */
static void
map_to_iri(sweep_t *s, const text_t *t)
{
    static unsigned char want[3 * LONG];
    unsigned char        one[4];
    iri_str_t            iri = { 0, NULL }, character, wanted = { 1, want };
    iri_received_path_t  request = { { 0, NULL }, 1, { 0, NULL } };
    iri_reading_t        got;
    size_t               i;

    want[0] = '/';

    for (i = 0; i < t->count; i++) {
        character = core_utf8(&t->c[i], 1, one);

        if (may_stand_in_iri(t->c[i])) {
            memcpy(want + wanted.len, one, character.len);
            wanted.len += character.len;

        } else if (t->c[i] < 0x80) {
            wanted.len += (size_t) snprintf((char *) want + wanted.len, 4,
                                            "%%%02X", (unsigned) t->c[i]);
        } else {
            wanted.len +=
                sweep_sent(character, SWEEP_ESCAPED, want + wanted.len).len;
        }
    }

    sweep_check(s, iri_path_to_iri(&s->core.env, t->path, &iri) == IRI_OK,
                "to IRI", t->path, iri);
    sweep_check_str(s, iri, wanted, "IRI", t->path);

    if (t->ascii || t->forbidden) {
        return;
    }

    request.path = iri;
    sweep_check(s,
                iri_read(&s->core.env, &utf8_only, &request, &got) == IRI_OK
                    && iri_str_equal(got.path, canonical(t, 0)),
                "IRI, read", t->path, got.path);
}


/* A redirect leads to the canonical URI, which is not redirected. */
static void
map_redirect(sweep_t *s, const text_t *t)
{
    unsigned char       sent[3 * LONG];
    iri_received_path_t request = { t->path, 0, { 0, NULL } };
    iri_received_path_t next = { { 0, NULL }, 1, { 0, NULL } };
    iri_reading_t       got;
    iri_str_t           location = { 0, NULL }, rest = { 0, NULL };
    iri_env_t          *env = &s->core.env;

    if (t->ascii || t->forbidden || t->bidi) {
        return;
    }

    request.target = sweep_sent(t->path, SWEEP_RAW, sent);
    sweep_check(s,
                iri_read(env, &utf8_only, &request, &got) == IRI_OK
                    && core_location(env, &got, got.path, NULL, &location)
                           == IRI_OK
                    && iri_str_equal(location, got.uri),
                "redirect", t->path, location);

    next.path = location;
    sweep_check(s,
                iri_read(env, &utf8_only, &next, &got) == IRI_OK
                    && core_location(env, &got, got.path, NULL, &rest)
                           == IRI_OK
                    && rest.len == 0,
                "redirect again", t->path, location);
}


/* A vendor variant is canonical and has no further variant. */
static void
map_variants(sweep_t *s, const text_t *t)
{
    iri_buf_t     variant = IRI_BUF_EMPTY, again = IRI_BUF_EMPTY;
    unsigned char path[LONG];
    iri_str_t     got;
    int           way, differs = 0, more = 0;

    for (way = 0; way < 2 && !t->forbidden; way++) {
        sweep_check(
            s,
            iri_name_variant(&s->core.env, t->want, way, &variant, &differs)
                == IRI_OK,
            "variant", t->want, t->want);

        if (!differs) {
            continue;
        }

        got = iri_buf_str(&variant);
        sweep_read_as(s, "variant, read", &utf8_only, sweep_raw(got, path),
                      SWEEP_ESCAPED, sweep_raw(got, path));
        sweep_check(s,
                    iri_name_variant(&s->core.env, got, way, &again, &more)
                            == IRI_OK
                        && !more,
                    "variant of variant", t->want, got);
    }
}


static void
check_name(sweep_t *s, const char *label, const iri_tree_conf_t *of,
           iri_str_t octets, iri_str_t want)
{
    iri_str_t name = { 0, NULL };

    sweep_check(s,
                iri_entry_name(&s->core.env, of, octets, &name) == IRI_OK
                    && iri_str_equal(name, want),
                label, octets, name);
}


/*
 * The name of an entry in each form and charset, and that of its canonical
 * name.
 */
static void
map_entry_name(sweep_t *s, const text_t *t)
{
    iri_str_t       none = { 0, NULL };
    const legacy_t *in;

    check_name(s, "name", &utf8_tree, t->octets,
               t->forbidden ? none : t->want);

    if (!t->forbidden) {
        check_name(s, "name of NFD", &utf8_tree, t->nfd, t->want);
        check_name(s, "name of name", &utf8_tree, t->want, t->want);
    }

    for (in = t->in; in < t->in + t->ins; in++) {
        check_name(s, core_supported[in->row].name, &tree[in->row],
                   in->octets,
                   t->forbidden || t->not_legacy ? none : t->want);
    }
}


/* The path finds the only entry, with exactly its octets. */
static void
check_found(sweep_t *s, const char *label, const iri_tree_conf_t *of,
            iri_str_t entry, iri_str_t path, const iri_reading_t *reading)
{
    iri_found_t found;

    s->entry[0] = entry;
    s->entries = 1;

    if (sweep_find(s, of, reading, path, &found)) {
        sweep_check(s, found.verdict == IRI_SERVE, label, path, entry);
        sweep_check_str(s, found.path, path, label, path);
        sweep_check(
            s,
            found.filename.len == 5 + entry.len
                && iri_str_equal(iri_str_from(found.filename, 5), entry),
            label, path, found.filename);
    }
}


static void
map_found(sweep_t *s, const text_t *t)
{
    iri_str_t path = canonical(t, 0);

    if (t->ascii || path.data == NULL || t->want.len > 255) {
        return;
    }

    check_found(s, "found in NFC", &utf8_tree, t->want, path, NULL);

    if (!iri_str_equal(t->nfd, t->want)) {
        check_found(s, "found in NFD", &utf8_tree, t->nfd, path, NULL);
    }

    if (!iri_str_equal(t->octets, t->want)
        && !iri_str_equal(t->octets, t->nfd)) {
        check_found(s, "found in no form", &utf8_tree, t->octets, path, NULL);
    }
}


/*
 * On disk in a charset, alone and listed after UTF-8; requested in that
 * charset.
 */
static void
check_found_in(sweep_t *s, const text_t *t, const legacy_t *in,
               iri_str_t path)
{
    const char         *label = core_supported[in->row].name;
    iri_received_path_t request = { { 0, NULL }, 0, { 0, NULL } };
    iri_reading_t       reading;
    iri_found_t         found;
    unsigned char       came[LONG];

    check_found(s, label, &tree[in->row], in->octets, path, NULL);

    /* Octets that are UTF-8 have another name there. */
    if (!in->utf8) {
        check_found(s, label, &tree_behind[in->row], in->octets, path, NULL);

    } else if (sweep_find(s, &tree_behind[in->row], NULL, path, &found)) {
        sweep_check(s, found.verdict != IRI_SERVE, "other name", path,
                    in->octets);
    }

    request.path = sweep_raw(in->octets, came);
    sweep_check(
        s,
        iri_read(&s->core.env, &one_charset[in->row], &request, &reading)
            == IRI_OK,
        "read", in->octets, in->octets);

    if (iri_str_equal(reading.path, path)) {
        check_found(s, label, &utf8_tree, t->want, path, &reading);
    }
}


static void
map_found_legacy(sweep_t *s, const text_t *t)
{
    iri_str_t path = canonical(t, 0);
    size_t    i;

    if (t->ascii || path.data == NULL || t->not_legacy || t->want.len > 255) {
        return;
    }

    for (i = 0; i < t->ins; i++) {
        check_found_in(s, t, &t->in[i], path);
    }
}


/* Add an entry, unless it has the requested name. */
static void
decoy(sweep_t *s, const text_t *t, iri_str_t octets)
{
    static unsigned char space[4 * CORE_LONG];
    iri_str_t            name = { 0, space };
    long                 n = core_canonical(&iri_charset_utf8, octets, space);

    name.len = n > 0 ? (size_t) n : 0;

    if (octets.len != 0 && !iri_str_equal(name, t->want)) {
        s->entry[s->entries++] = octets;
    }
}


/* The result of a more lenient mapping. */
static iri_str_t
lenient(const text_t *t, const UNormalizer2 *by, unsigned char *out)
{
    UChar      from[2 * MAX_TEXT], to[LONG];
    uint32_t   c[LONG];
    UErrorCode error = U_ZERO_ERROR;
    UChar32    one;
    int32_t    n = 0, i = 0;
    size_t     k;

    for (k = 0; k < t->count; k++) {
        U16_APPEND_UNSAFE(from, n, (UChar32) t->c[k]);
    }

    n = unorm2_normalize(by, from, n, to, LONG, &error);

    for (k = 0; U_SUCCESS(error) && i < n; k++) {
        U16_NEXT(to, i, n, one);
        c[k] = (uint32_t) one;
    }

    return core_utf8(c, k, out);
}


/* Among entries with similar names the requested one is absent. */
static void
map_no_other(sweep_t *s, const text_t *t)
{
    unsigned char kc[4 * LONG], cf[4 * LONG], up[LONG], part[LONG];
    UErrorCode    error = U_ZERO_ERROR;
    iri_str_t     path = canonical(t, 0);
    uint32_t      c[MAX_TEXT];
    iri_found_t   found;
    size_t        i;

    if (t->ascii || path.data == NULL || t->count > 8) {
        return;
    }

    for (i = 0; i < t->count; i++) {
        c[i] = (uint32_t) u_toupper((UChar32) t->c[i]);
    }

    s->entries = 0;
    decoy(s, t, lenient(t, unorm2_getNFKCInstance(&error), kc));
    decoy(s, t, lenient(t, unorm2_getNFKCCasefoldInstance(&error), cf));
    decoy(s, t, core_utf8(c, t->count, up));
    decoy(s, t, core_utf8(t->c, t->count - 1, part));

    for (i = 0; i < t->ins && i < 2; i++) {
        decoy(s, t, t->in[t->ins - 1 - i].octets);
    }

    if (sweep_find(s, &utf8_tree, NULL, path, &found)) {
        sweep_check(s,
                    found.verdict == IRI_PASS && found.why == IRI_WHY_ABSENT,
                    "no other", path, found.filename);
    }
}


/*
 * The mappings of a segment. Those of hosts, width, case, accents and queries
 * are tested with their subjects.
 */
static const struct {
    const char *name;
    void (*check)(sweep_t *s, const text_t *t);
} mappings[] = {
    { "reading, raw", map_read_raw },
    { "reading, escaped", map_read_escaped },
    { "reading, NFD", map_read_nfd },
    { "reading, each charset", map_read_legacy },
    { "to URI", map_to_uri },
    { "to IRI", map_to_iri },
    { "redirect", map_redirect },
    { "vendor variants", map_variants },
    { "name of an entry", map_entry_name },
    { "found, UTF-8", map_found },
    { "found, each charset", map_found_legacy },
    { "found, no other", map_no_other },
};


static void
text_check(sweep_t *s, text_t *t)
{
    size_t i;

    text_set(t);

    for (i = 0; i < COUNT(mappings); i++) {
        mappings[i].check(s, t);
        sweep_forget(s);
    }
}


/* ---- every character ---------------------------------------------------- */

static const struct {
    uint32_t before;
    uint32_t after; /* 0: no character */
} contexts[] = {
    { 0, 0 },   { '.', 0 },    { '.', '.' },
    { 'a', 0 }, { 0, 0x0301 }, { 'a', 0x0338 },
};


static void
scalar_check(sweep_t *s, uint32_t c)
{
    text_t t;
    size_t i;

    for (i = 0; i < COUNT(contexts); i++) {
        t.count = 0;

        if (contexts[i].before != 0) {
            t.c[t.count++] = contexts[i].before;
        }

        t.c[t.count++] = c;

        if (contexts[i].after != 0) {
            t.c[t.count++] = contexts[i].after;
        }

        text_check(s, &t);
    }
}


static void
part_scalars(sweep_t *s)
{
    uint32_t c;

    for (c = 0; c <= 0x10ffff; c++) {
        /* No segment contains "/". */
        if ((c < 0xd800 || c > 0xdfff) && c != '/' && sweep_next(s)) {
            scalar_check(s, c);
        }
    }
}


TEST(test_scalars)
{
    sweep_part("scalar values, each in 6 places", part_scalars, 199, 1);
}


/* ---- characters with rules ---------------------------------------------- */

static int
has_variant(uint32_t c)
{
    static const uint32_t pairs[] = {
        0x301c, 0xff5e, 0x2016, 0x2225, 0x2212, 0xff0d, 0x00a2, 0xffe0,
        0x00a3, 0xffe1, 0x00ac, 0xffe2, 0x2014, 0x2015, 0x00a6, 0xffe4,
    };
    size_t i;

    for (i = 0; i < COUNT(pairs) && pairs[i] != c; i++) { /* void */
    }

    return i < COUNT(pairs);
}


/* Characters that normalization or a rule of the core changes. */
static int
is_known(uint32_t c)
{
    UChar32 c32 = (UChar32) c;

    if (c < 0x80) {
        return c != 0 && strchr("\x01.%\\:;?#&<>=`K e\x7f", (int) c) != NULL;
    }

    return is_control(c) || has_variant(c) || u_getCombiningClass(c32) != 0
           || c == 0x037e || c == 0x1fef || c == 0x212a || c == 0xfffd
           || c == 0xfeff || core_is_bidi_control(c)
           || U_IS_UNICODE_NONCHAR(c)
           || u_getIntPropertyValue(c32, UCHAR_NFC_QUICK_CHECK) != UNORM_YES
           || (u_getIntPropertyValue(c32, UCHAR_NFD_QUICK_CHECK) != UNORM_YES
               && (c < 0xac00 || c > 0xd7a3 || c % 997 == 0));
}


static void
part_known(sweep_t *s)
{
    uint32_t c;

    for (c = 1; c <= 0x10ffff; c++) {
        if ((c < 0xd800 || c > 0xdfff) && is_known(c) && sweep_next(s)) {
            scalar_check(s, c);
        }
    }
}


TEST(test_known)
{
    sweep_part("characters that a rule is about, each in 6 places",
               part_known, 1, 1);
}
